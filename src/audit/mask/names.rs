//! The names to which secrets are given; `rules/secrets.toml` lists them.

use std::sync::LazyLock;

use super::value;

include!(concat!(env!("OUT_DIR"), "/names.rs"));

/// Longer names are none; looking back no further than this keeps the search linear.
pub(super) const LONGEST: usize = 80;

/// The last two bytes of words, by which nearly all names are known to hold no secret before they are compared with each of them.
struct Ends([u64; 32]);

impl Ends {
    fn of(lists: &[&[&str]]) -> Self {
        let mut bits = [0; 32];
        for word in lists.iter().copied().flatten() {
            let (place, bit) = Self::place(word);
            bits[place] |= bit;
        }
        Self(bits)
    }

    fn place(word: &str) -> (usize, u64) {
        let bytes = word.as_bytes();
        let last = bytes.last().copied().unwrap_or_default();
        let before = bytes.len().checked_sub(2).map_or(0, |at| bytes[at]);
        let hash = (usize::from(before) * 31 + usize::from(last)) % 2048;
        (hash / 64, 1 << (hash % 64))
    }

    /// Whether one of the words may be the end of this one.
    fn may_end(&self, word: &str) -> bool {
        let (place, bit) = Self::place(word);
        self.0[place] & bit != 0
    }
}

static CERTAIN: LazyLock<Ends> = LazyLock::new(|| Ends::of(&[ENDINGS, PARTS, &["pass"]]));

static POSSIBLE: LazyLock<Ends> =
    LazyLock::new(|| Ends::of(&[PINS, LIKELY, WEAK, &["key", "session"]]));

/// Returns whether a variable or key of this name holds a secret.
pub(super) fn is_secret(name: &str) -> bool {
    if name.is_empty() || name.len() > LONGEST {
        return false;
    }
    let words = words(name);
    // Of several words, they may stand behind others.
    let is_harmless = |one: &&str| {
        words.strip_suffix(*one).is_some_and(|before| before.is_empty() || one.contains('_'))
    };
    let plain = words.trim_end_matches(|character: char| character.is_ascii_digit());
    let plain = plain.trim_end_matches('_');
    let stays = |behind: &str| QUALIFIERS.contains(&behind) || is_version(behind);
    let is_one = plain.starts_with("tf_token_")
        || CERTAIN.may_end(plain) && (is_pass(plain) || ends(plain))
        || has_part(&words, stays);
    is_one && !HARMLESS.iter().any(is_harmless)
}

/// `dbpass`, but not `compass`.
fn is_pass(plain: &str) -> bool {
    plain
        .strip_suffix("pass")
        .is_some_and(|before| !NO_PASSES.iter().any(|word| before.ends_with(word)))
}

/// Whether a name ends with that of a secret. The longer ones also end names that are written without a separator: `PGPASSWORD`, `authtoken`.
fn ends(plain: &str) -> bool {
    let last = plain.as_bytes().last();
    ENDINGS.iter().filter(|ending| ending.as_bytes().last() == last).any(|ending| {
        plain.strip_suffix(ending).is_some_and(|before| {
            before.is_empty()
                || before.ends_with('_')
                || ((ending.len() >= 5 || *ending == "pswd") && !before.ends_with("by"))
        })
    })
}

/// Whether a word of the name, or two of them, makes it one of a secret, and all words behind are such that it stays one.
fn has_part(words: &str, stays: impl Fn(&str) -> bool) -> bool {
    if !words.contains('_') {
        return false;
    }
    let parts: Vec<&str> = words.split('_').filter(|part| !part.is_empty()).collect();
    let all_stay =
        |behind: usize| behind < parts.len() && parts[behind..].iter().all(|part| stays(part));
    (0..parts.len()).any(|at| {
        let rest = parts.get(at + 1).copied().unwrap_or_default();
        let is_pair = |part: &&str| part.split_once('_') == Some((parts[at], rest));
        CERTAIN.may_end(parts[at]) && PARTS.contains(&parts[at]) && all_stay(at + 1)
            || CERTAIN.may_end(rest) && PARTS.iter().any(is_pair) && all_stay(at + 2)
    })
}

/// `2`, `v2`, `2024`
fn is_version(part: &str) -> bool {
    let number = part.strip_prefix('v').unwrap_or(part);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// When what a name is given is a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// Whatever it is.
    Always,
    /// Where it is a word, and no path and no number.
    Word,
    /// Where it looks like a password.
    Password,
    /// Where it looks like a password, and not like an identifier.
    Key,
    /// Where it is long and no word.
    Long,
    /// Where it is a short number.
    Number,
}

impl Holds {
    pub(super) fn is(self, given: &str) -> bool {
        match self {
            Self::Always => true,
            Self::Word => value::is_alike(given) || value::is_word_alone(given),
            // `user:password`
            Self::Password => value::is_alike(given.rsplit(':').next().unwrap_or(given)),
            Self::Key => value::is_alike(given) && !value::is_identifier(given),
            Self::Long => value::is_long(given) || value::is_strong(given),
            Self::Number => {
                (4..=10).contains(&given.len()) && value::is_number(given) || value::is_long(given)
            }
        }
    }
}

/// Returns when a variable, key or option of this name holds a secret; none: never.
pub(super) fn of(name: &str) -> Option<Holds> {
    if is_option(name) {
        return Some(Holds::Always);
    }
    let words = words(name);
    if words.is_empty() || words.len() > LONGEST {
        return None;
    }
    let plain = words.trim_end_matches(|character: char| character.is_ascii_digit());
    let plain = plain.trim_end_matches('_');
    let may_end = POSSIBLE.may_end(plain);
    let ends = |endings: &[&str]| {
        may_end
            && endings.iter().any(|ending| {
                plain
                    .strip_suffix(ending)
                    .is_some_and(|before| before.is_empty() || before.ends_with('_'))
            })
    };
    let is_key = |before: &str| {
        let before = before.trim_end_matches('_');
        !NO_KEYS.iter().any(|word| before.ends_with(word))
    };
    if WORDS.contains(&plain) {
        Some(Holds::Word)
    } else if ends(PINS) {
        Some(Holds::Number)
    } else if ends(LIKELY) || has_part(plain, |behind| !NO_PARTS.contains(&behind)) {
        Some(Holds::Password)
    } else {
        let is_weak =
            ends(WEAK) || may_end && (plain.ends_with("key") || plain.ends_with("session"));
        let before = plain.rfind('_').map_or("", |at| &plain[..at]);
        let before = plain.strip_suffix("key").unwrap_or(before);
        // `app_key`, but not `key` alone.
        let holds = if plain.ends_with("_key") { Holds::Key } else { Holds::Long };
        (is_weak && is_key(before)).then_some(holds)
    }
}

/// Returns when an option of this name, without dashes, takes a secret.
pub(super) fn of_option(name: &str) -> Option<Holds> {
    if WORDS.contains(&name) {
        Some(Holds::Word)
    } else if SOFT.contains(&name) {
        Some(Holds::Password)
    } else if is_abbreviated(name) {
        Some(Holds::Always)
    } else {
        of(name)
    }
}

/// Letters of an option's last word from which on it is taken for no other one.
const LEAST_OF_OPTION: usize = 5;

/// Whether the last word of an option is the beginning of one that takes a secret: programs read `--passw` as `--password` (`getopt_long(3)`).
fn is_abbreviated(name: &str) -> bool {
    let last = name.rsplit('-').next().unwrap_or(name);
    let begins = |whole: &&&str| whole.len() > last.len() && whole.starts_with(last);
    last.len() >= LEAST_OF_OPTION && ABBREVIATED.iter().any(|whole| begins(&whole))
}

/// Returns whether a word is the name of a password, behind which it may stand alone.
pub(super) fn is_password(name: &str) -> bool {
    PASSWORDS.iter().any(|one| name.eq_ignore_ascii_case(one))
}

/// Returns whether a name is the plural of one of passwords.
pub(super) fn are_passwords(name: &str) -> bool {
    let words = words(name);
    let one = words.strip_suffix('s').unwrap_or_default();
    ["password", "passwd", "passphrase", "pas", "pwd"].iter().any(|end| one.ends_with(end))
}

/// Returns whether a name, or the plural of one, holds secrets.
pub(super) fn are_secrets(name: &str) -> bool {
    is_secret(name) || name.strip_suffix(['s', 'S']).is_some_and(is_secret)
}

/// Returns whether a header of this name holds a secret.
pub(super) fn is_header(name: &str) -> bool {
    let is_own = name.contains('-') && !name.eq_ignore_ascii_case("www-authenticate");
    HEADERS.iter().any(|header| name.eq_ignore_ascii_case(header)) || is_own && is_secret(name)
}

/// Returns whether a header of this name holds a secret if its value looks like one.
pub(super) fn may_be_header(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_other = ["idempotency-key", "sec-websocket-key", "surrogate-key", "cache-key"];
    let is_one = ["key", "-session", "-sign", "-team"].iter().any(|end| lower.ends_with(end));
    is_one && lower.contains('-') && !is_other.contains(&lower.as_str())
}

/// Returns whether a long option of this name, without dashes, takes a secret.
pub(super) fn is_option(name: &str) -> bool {
    OPTIONS.contains(&name) || is_secret(name)
}

/// Returns whether a value is nothing but the name of a secret: `PASSWORD`, or the name that it is given to.
pub(super) fn is_name(given: &str, name: &str) -> bool {
    let plain = given.trim_end_matches([';', ',', ')', '}', ']', ':']);
    let given = words(plain);
    let last = words(name.rsplit('.').next().unwrap_or(name));
    // `wrongPassword` of a test.
    let other =
        given.split_once('_').filter(|(word, _)| WRONG.contains(word)).map(|(_, name)| name);
    given == words(name) || given == last || NAMES.contains(&other.unwrap_or(&given))
}

/// Returns a name in small letters, with `_` for every separator and between the words of `camelCase`.
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    let mut after_small = false;
    for character in name.chars() {
        match character {
            '-' | '.' | '_' | '/' | ':' => words.push('_'),
            _ if character.is_ascii_uppercase() && after_small => {
                words.push('_');
                words.push(character.to_ascii_lowercase());
            }
            _ => words.push(character.to_ascii_lowercase()),
        }
        after_small = character.is_ascii_lowercase();
    }
    words
}
