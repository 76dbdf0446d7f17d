//! How far a value reaches, and whether it is a secret at all.

use std::ops::Range;

use super::drawn;
use super::names::{self, FUNCTION, NAMES, NUMBERED, PLACEHOLDERS, PLACES, PLAIN, REFERENCES};
use super::quoting::{Quote, Text};
use super::{encoded, odds};

/// What is longer is no code and no sentence.
const LONGEST: usize = 512;

/// Returns the value that begins at `start`: within its quotes if it begins with one, else up to the end of the word.
/// None: there is none, or it is no secret but the name of one.
pub(super) fn at(text: &Text<'_>, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let first = *bytes.get(start)?;
    // `$'…'` and `$"…"`
    let is_dollar = first == b'$' && matches!(text.quote(start + 1), Quote::Opens(_));
    // `N'…'`, `b"…"`
    let is_prefix = first.is_ascii_alphabetic()
        && !text.is_command(start)
        && matches!(text.quote(start + 1), Quote::Opens(_));
    let quote = start + usize::from(is_dollar || is_prefix);
    // `\"…\"` is a quote to what reads the words of a command.
    if first == b'\\' && text.is_command(start) {
        return escaped(text, start);
    }
    let range = match text.quote(quote) {
        Quote::Closes => return None,
        Quote::Opens(end) => {
            let goes_on = text.is_command(quote).then(|| text.end_of_word(end + 1));
            match goes_on.filter(|word| *word > end + 1 && !b",}]".contains(&bytes[end + 1])) {
                Some(word) if !refers(&text[quote + 1..end], false) => start..word,
                _ => quote + 1 + usize::from(bytes[quote] == b'\\')..end,
            }
        }
        Quote::None if matches!(first, b'"' | b'\'') => return unclosed(text, start + 1),
        Quote::None if text.default(start).is_some() => start..end_of_bare(text, start),
        // Before it is measured: many references in one word would each be measured to its end.
        Quote::None if first == b'$' && refers(text.rest(start), text.is_literal(start)) => {
            text.refer(start);
            return None;
        }
        Quote::None => start..end_of_bare(text, start),
    };
    let word = default(text, &range);
    if text.default(range.start).is_some() && word.is_none() {
        return Some(range);
    }
    let range = word.unwrap_or(range);
    is_at(text, &range).then_some(range)
}

/// The word that stands for a variable without a value, where it is the whole of a value: `${NAME:-WORD}`.
pub(super) fn default(text: &Text<'_>, value: &Range<usize>) -> Option<Range<usize>> {
    let word = text.default(value.start).filter(|word| word.end + 1 == value.end)?;
    // Of `${A:-${B:-WORD}}` the innermost.
    Some(default(text, &word).unwrap_or(word))
}

/// The value between quotes that a shell takes for characters, or the word that begins with a backslash.
fn escaped(text: &Text<'_>, start: usize) -> Option<Range<usize>> {
    let rest = text.rest(start);
    let quote = rest.get(..2).filter(|quote| quote.ends_with(['"', '\'']));
    let inside = quote.and_then(|quote| rest[2..].find(quote));
    let inside = inside.filter(|length| !rest[2..2 + length].contains(['\n', ';', '|', '&']));
    let range = inside.map_or(start..text.end_of_word(start), |end| start + 2..start + 2 + end);
    is_at(text, &range).then_some(range)
}

/// Returns the value of a word that begins with an option: the rest of the word, or of the quotes that begin with the option.
pub(super) fn glued(text: &Text<'_>, word: usize, start: usize) -> Option<Range<usize>> {
    let around = text.around(word);
    let range = start..around.end.min(start + LONGEST);
    let is_whole = text.is_quoted(word) && around.start == word && text.is_char_boundary(range.end);
    if is_whole && is_at(text, &range) { Some(range) } else { at(text, start) }
}

/// The value behind a quote that nothing closes.
fn unclosed(text: &Text<'_>, start: usize) -> Option<Range<usize>> {
    let rest = text.rest(start);
    let ends = |c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'');
    let value = &rest[..rest.find(ends).unwrap_or(rest.len())];
    is_random(value).then_some(start..start + value.len())
}

/// Returns the value of a setting: within its quotes, or up to a blank or a quote.
pub(super) fn setting_at(text: &Text<'_>, start: usize) -> Option<Range<usize>> {
    if text.quote(start) != Quote::None || text[start..].starts_with(['"', '\'']) {
        return at(text, start);
    }
    let rest = text.rest(start);
    let ends = |(at, c): &(usize, char)| {
        c.is_ascii_whitespace() || matches!(c, '"' | '\'') || text.quote(start + at) != Quote::None
    };
    let length = rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at);
    let value = &rest[..length];
    // A line that ends where it is written out.
    let value = ["\\n", "\\r", "\\t"]
        .iter()
        .fold(value, |value, end| value.split(end).next().unwrap_or(value));
    let value = value.trim_end_matches([',', ';', '}', ']', ')', '\\']);
    let range = start..start + value.len();
    is_at(text, &range).then_some(range)
}

/// Returns the value of a header or of a line of settings: up to the end of the quotes or of the line.
pub(super) fn line_at(text: &Text<'_>, start: usize) -> Option<Range<usize>> {
    let rest = text.rest(start);
    let ends = |(at, c): &(usize, char)| match c {
        '"' | '\'' | '\n' | '\r' => true,
        '\\' => rest[at + 1..].starts_with(['"', '\'', 'n', 'r']),
        _ => false,
    };
    let length = rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at);
    let range = start..start + rest[..length].trim_end().len();
    is_at(text, &range).then_some(range)
}

/// Whether a range of a text is a secret, in the quoting in which it stands.
pub(super) fn is_at(text: &Text<'_>, range: &Range<usize>) -> bool {
    let value = &text[range.clone()];
    let refers = refers(value, text.is_literal(range.start));
    if refers && value.starts_with(['$', '`']) {
        text.refer(range.start);
    }
    is_value(value) && !refers
}

/// Returns whether a value is itself a secret, and not a reference to one or a plain word.
pub(super) fn is_secret(value: &str) -> bool {
    is_value(value) && !refers(value, false)
}

fn is_value(value: &str) -> bool {
    let bare = value.trim_end_matches(['/', ',', ';']);
    bare.contains(char::is_alphanumeric)
        && !PLAIN.iter().any(|plain| bare.eq_ignore_ascii_case(plain))
        && !is_placeholder(bare)
        && !is_pattern(bare)
}

/// Returns whether it stands where a secret is to be put: `changeme`, `your-api-key-here`, `xxxx`.
pub(super) fn is_placeholder(value: &str) -> bool {
    let is_one = |one: &&&str| {
        let start = value.get(..one.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(one))
    };
    let begins = PLACEHOLDERS.iter().find(is_one);
    begins.is_some_and(|one| {
        let rest = &value[one.len()..];
        let is_same = |c: char| one.ends_with(c.to_ascii_lowercase());
        rest.chars().all(is_same)
            || one.ends_with(['-', '_']) && is_identifier(&rest.to_lowercase())
    })
}

/// Whether it is a regular expression of classes alone: `\\w+`, `.*`.
fn is_pattern(value: &str) -> bool {
    let mut parts = value.split('\\');
    let is_class = |part: &str| {
        let mut rest = part.chars();
        let is_one = rest.next().is_some_and(|c| "wWdDsSbB".contains(c));
        is_one && !rest.as_str().contains(char::is_alphanumeric)
    };
    value.len() <= 16 && parts.next() == Some("") && parts.all(is_class)
}

/// Returns a word without the quotes around it.
pub(super) fn inside(text: &str, word: Range<usize>) -> Range<usize> {
    let given = text[word.clone()].as_bytes();
    match given {
        [first @ (b'"' | b'\''), .., last] if first == last => word.start + 1..word.end - 1,
        [b'$', b'\'', .., b'\''] if given.len() > 2 => word.start + 2..word.end - 1,
        _ => word,
    }
}

/// Returns whether a value has what words do not have, and is long enough: a digit among letters, letters in both cases, or signs.
pub(super) fn is_random(value: &str) -> bool {
    let has = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    let letters = has(char::is_ascii_alphabetic);
    let digits = has(char::is_ascii_digit);
    // The first letter is a capital in any language.
    let mixed =
        value.chars().skip(1).any(|c| c.is_ascii_uppercase()) && has(char::is_ascii_lowercase);
    let signs = has(|c| matches!(c, '!' | '#' | '$' | '%' | '^' | '&' | '*' | '+' | '='));
    value.len() >= 6 && letters && (digits || mixed || signs) && is_secret(value)
}

/// Returns whether a value looks like a password: a word with digits or signs in it or one that nobody writes, and no address or name of
/// a file.
pub(super) fn is_password(value: &str) -> bool {
    // A stop at its end belongs to it, or ends what is said of it.
    let value = value.strip_suffix('.').unwrap_or(value);
    let has = |is: fn(char) -> bool| value.contains(is);
    let is_place = has(|c| matches!(c, '/' | ':' | ' ' | '(' | '<' | '{'))
        || value.rsplit_once('.').is_some_and(|(_, end)| is_ending(end))
        || value.starts_with(['$', '@'])
        || value.split_once('@').is_some_and(|(user, host)| {
            !host.is_empty() && (is_word(user) || is_word(host)) || host.contains('.')
        });
    let is_said =
        || encoded::is_text(value) || is_public(value) || is_numbered(value) || is_colour(value);
    // A reference of some language, and the call of a macro.
    let bare = value.trim_start_matches(['&', '*']).trim_end_matches('!');
    let is_mixed = bare.contains(|c: char| {
        c.is_ascii_digit() || matches!(c, '!' | '#' | '%' | '^' | '&' | '*' | '+')
    });
    let is_odd = || {
        let cases = (has(|c| c.is_ascii_lowercase()), has(|c| c.is_ascii_uppercase()));
        bare.len() >= 8 && cases == (true, true) && odds::of(bare) >= -20
            || bare.len() >= 12 && odds::of(bare) >= 40
    };
    (6..=128).contains(&value.len())
        && has(|c| c.is_ascii_alphabetic())
        && (is_mixed || is_odd())
        && !is_place
        && !is_said()
        && is_secret(value)
}

/// `#a1b2c3`
fn is_colour(value: &str) -> bool {
    let digits = value.strip_prefix('#').unwrap_or("");
    matches!(digits.len(), 6 | 8) && odds::is_hex(digits)
}

/// Whether it may be the ending of a file's, a host's or a version's name: short, or without a change between letters and digits.
fn is_ending(end: &str) -> bool {
    let digits = end.bytes().filter(u8::is_ascii_digit).count();
    let has_parts = end.contains(['-', '_']) && !is_uuid(end);
    end.len() < 5 || digits == 0 || digits == end.len() || has_parts || is_numbered(end)
}

/// Returns whether a value is one word of letters, perhaps with digits and signs that passwords have: no path, no number and no identifier.
pub(super) fn is_word_alone(value: &str) -> bool {
    let holds = |c: char| c.is_ascii_alphanumeric() || "!#%^&*@?+_-".contains(c);
    (6..=64).contains(&value.len())
        && value.starts_with(|c: char| c.is_ascii_alphanumeric())
        && value.chars().all(holds)
        && value.contains(|c: char| c.is_ascii_alphabetic())
        && !is_identifier(value)
        && is_secret(value)
}

/// Whether it is made of small letters.
fn is_word(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Whether it is the name of a thing with a number in it, or of a version.
fn is_numbered(value: &str) -> bool {
    let version = value.strip_prefix(['v', 'V']).unwrap_or(value);
    let small = value.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_standard = value.len() - small.len() <= 4 && is_number(small);
    let is_hex = |digits: &str| {
        digits.len() <= 16 && digits.bytes().all(|b| b.is_ascii_hexdigit() || b == b'_')
    };
    is_standard
        || value.strip_prefix("0x").is_some_and(is_hex)
        || version.len() < value.len()
            && version.starts_with(|c: char| c.is_ascii_digit())
            && value.len() <= 12
        || NUMBERED.iter().any(|one| value.eq_ignore_ascii_case(one))
}

/// Returns whether a value is as identifiers are: words and numbers with signs between, or a word of few letters before a number.
pub(super) fn is_identifier(value: &str) -> bool {
    let is_one = |part: &str| {
        part.bytes().all(|byte| byte.is_ascii_alphabetic())
            || part.bytes().all(|byte| byte.is_ascii_digit())
            || is_numbered(part)
            || part.strip_suffix(|c: char| c.is_ascii_digit()).is_some_and(is_word)
    };
    let is_constant = value.contains('_')
        && !value.contains(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
    let is_small = !value.contains(|c: char| c.is_ascii_uppercase());
    is_constant
        || is_small
            && !is_uuid(value)
            && value.contains(['-', '_'])
            && value.split(['-', '_']).all(is_one)
}

fn is_uuid(value: &str) -> bool {
    let groups = value.split('-').map(str::len);
    value.len() == 36 && groups.eq([8, 4, 4, 4, 12])
}

/// Returns whether a value is drawn as the parts of addresses are that let in whoever knows them: a UUID, hexadecimal, groups, a short word.
pub(super) fn is_bearer(value: &str) -> bool {
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let is_grouped = || {
        value.len() >= 16 && value.split('-').all(|group| group.len() == 4) && !value.contains('_')
    };
    let is_drawn = || value.len() >= 10 && is_alike(value) && !is_identifier(value);
    has_digit
        && (is_uuid(value)
            || value.len() >= 16 && odds::is_hex(value)
            || is_grouped()
            || is_drawn())
}

/// Returns whether a value looks like a password wherever something speaks of one: letters in both cases and digits, with a sign or so as
/// nobody writes them.
pub(super) fn is_strong(value: &str) -> bool {
    let has = |is: fn(char) -> bool| value.contains(is);
    let is_signed = has(|c| matches!(c, '!' | '#' | '%' | '^' | '&' | '*' | '$' | '@' | '?'));
    let kinds = [
        has(|c| c.is_ascii_lowercase()),
        has(|c| c.is_ascii_uppercase()),
        has(|c| c.is_ascii_digit()),
    ];
    let count = kinds.into_iter().filter(|has| *has).count();
    (8..=64).contains(&value.len())
        && count >= 2
        && kinds[2]
        && !has(|c| matches!(c, '[' | ']' | '(' | ')' | '|' | '=' | '<' | '>' | '~' | ',' | '\\'))
        && is_password(value)
        && !is_identifier(value)
        && !odds::is_hex(value)
        && (is_signed || odds::of(value) >= if count == 3 { -20 } else { 60 })
}

/// Returns whether a value is no word, or one in which digits stand for letters.
pub(super) fn is_odd(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_leet = bytes.windows(3).any(|three| {
        three[0].is_ascii_alphabetic()
            && b"013457".contains(&three[1])
            && three[2].is_ascii_alphabetic()
    });
    let numbers = value.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let is_divided = numbers.count() >= 2;
    value.len() >= 8
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && is_password(value)
        && (is_leet || is_divided || odds::of(value) >= 0)
}

/// Returns whether a value looks like a password that somebody chose: words with capitals and a number behind them, or with signs.
pub(super) fn is_chosen(value: &str) -> bool {
    let capitals = value.bytes().filter(u8::is_ascii_uppercase).count();
    let words = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_numbered = value.len() - words.len() >= 2 && capitals >= 2 && is_small(words);
    let is_signed = value.contains(['!', '#', '%', '^', '*', '$', '@', '?', '&']);
    is_password(value)
        && is_mixed(value)
        && !is_identifier(value)
        && !value.contains(['=', '(', ')', '[', ']', ',', '<', '>', '|', '\\', '+', '~'])
        && (is_numbered || is_signed || odds::of(value) >= -20)
}

/// Whether a text has small letters, and neither digits nor signs.
fn is_small(words: &str) -> bool {
    words.bytes().all(|byte| byte.is_ascii_alphabetic())
        && words.contains(|c: char| c.is_ascii_lowercase())
}

/// Returns whether a value looks like a password or like a key, or says one in base64.
pub(super) fn is_alike(value: &str) -> bool {
    let digits = value.trim_end_matches('=').len();
    let is_encoded = || (8..=128).contains(&digits) && digits % 4 != 1;
    is_password(value)
        || is_long(value)
        || is_encoded() && encoded::decoded(value).is_some_and(|plain| is_password(&plain))
}

/// Returns whether a value has characters of three kinds, and is no name of a file.
pub(super) fn is_mixed(value: &str) -> bool {
    let kinds: [fn(char) -> bool; 4] = [
        |c| c.is_ascii_lowercase(),
        |c| c.is_ascii_uppercase(),
        |c| c.is_ascii_digit(),
        |c| matches!(c, '!' | '#' | '$' | '%' | '^' | '&' | '*' | '+' | '=' | '?' | '@'),
    ];
    let count = kinds.into_iter().filter(|is| value.contains(*is)).count();
    let value = value.strip_suffix('.').unwrap_or(value);
    count >= 3 && value.len() >= 8 && !value.contains(['.', '/']) && is_secret(value)
}

/// Returns whether a value is a call, or a member by its index.
pub(super) fn is_call(value: &str) -> bool {
    let holds =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '&' | '*' | '?' | '!');
    let rest = value.trim_start_matches(holds);
    // `Option<Token>` is a type.
    let is_type = || value.starts_with(|c: char| c.is_ascii_uppercase()) && rest.starts_with('<');
    rest.len() < value.len()
        && value.len() <= LONGEST
        && (rest.starts_with(['(', '[']) || is_type())
}

/// Returns whether a value that stands without quotes in code is no literal: a call, a member, a type, a keyword.
pub(super) fn is_code(value: &str) -> bool {
    if value.len() > LONGEST {
        return false;
    }
    let is_word = |c: char| c.is_ascii_alphabetic() || c == '_';
    let bare = bare(value);
    let parts = || bare.split(['.', ':']).filter(|part| !part.is_empty());
    let is_chain = parts().count() > 1 && parts().all(|part| part.chars().all(is_word));
    let is_ended = bare.len() < value.len() && bare.chars().all(is_word);
    is_call(value) || is_chain || is_ended || is_keyword(value)
}

/// Returns whether a value is a keyword or a type of code.
pub(super) fn is_keyword(value: &str) -> bool {
    names::KEYWORDS.contains(&bare(value))
}

/// A value of code without what ends it there.
fn bare(value: &str) -> &str {
    value.trim_end_matches([';', ',', ')', '}', '?', ']', '=', ':'])
}

/// Returns whether a value says where the secret is: a variable, a command, a file, a placeholder.
fn refers(value: &str, is_literal: bool) -> bool {
    let rest = value.get(1..).unwrap_or("");
    // Words in brackets; what has a digit among them is none.
    let is_placeholder = || !rest.contains(|c: char| c.is_ascii_digit()) || value.contains("{{");
    match value.as_bytes().first() {
        Some(b'$') => names_variable(rest, is_literal),
        Some(b'`') => !is_literal && rest.trim_end_matches('`').contains(' '),
        Some(b'{') if value.starts_with("{\"") || value.starts_with("{\\\"") => false,
        Some(b'<' | b'{' | b'(' | b'[') => is_placeholder(),
        Some(b'%') => rest.len() < 3 || rest.starts_with(['(', '{']) || rest.ends_with('%'),
        Some(b'@') => rest.contains(['/', '.']) || rest == "-" || !is_random(rest),
        Some(b'/') => rest.split_once('/').is_some_and(|(top, _)| PLACES.contains(&top)),
        Some(b'.' | b'~') => is_below(value),
        _ if value.ends_with(":latest") => true,
        _ => REFERENCES.iter().any(|start| value.starts_with(start)),
    }
}

/// Whether a path begins here, or in the home or parent directory: it has several parts, or the ending of a file.
fn is_below(value: &str) -> bool {
    let rest = ["./", "../", "~/"].iter().find_map(|start| value.strip_prefix(start));
    rest.is_some_and(|rest| rest.contains(['/', '.']) || !is_random(rest))
}

/// Whether what stands behind a dollar sign names a variable, a parameter or a command.
fn names_variable(rest: &str, is_literal: bool) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
    let has = |is: fn(char) -> bool| name.contains(is);
    match name.as_bytes().first() {
        None => rest.starts_with(['(', '{', '@', '*', '#', '?', '!', '\'', '"']) || rest.is_empty(),
        Some(first) if first.is_ascii_digit() => name.len() == 1 && !rest[1..].starts_with('$'),
        // Variables have digits among capitals, or at their ends.
        Some(_) if !has(|c| c.is_ascii_digit()) || !has(|c| c.is_ascii_lowercase()) => true,
        Some(_) => !is_literal && !has(|c| c.is_ascii_uppercase()),
    }
}

fn end_of_bare(text: &Text<'_>, start: usize) -> usize {
    if text.is_command(start) {
        return text.end_of_word(start);
    }
    let bytes = &text.as_bytes()[..start + text.rest(start).len()];
    let ends = |byte: &u8| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'"' | b'\'' | b'`' | b';' | b'|' | b'&' | b')')
    };
    // A backslash keeps the next byte in the word.
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        // A line that ends where it is written out.
        if *byte == b'\\' && matches!(next, Some(b'n' | b'r' | b't')) {
            break;
        } else if *byte == b'\\' && next.is_some_and(u8::is_ascii) {
            at += 2;
        } else if ends(byte) {
            break;
        } else {
            at += 1;
        }
    }
    at.min(bytes.len())
}

/// Returns whether a value is made of digits.
pub(super) fn is_number(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a value looks like a secret whatever its name: one long word, and no path or name of a file.
pub(super) fn is_long(value: &str) -> bool {
    value.len() >= 16
        && !value.contains(['"', '{', '('])
        && !is_public(value)
        && !encoded::is_text(value)
        && is_random(value)
        && (!value.contains(['/', ' ', '.']) || drawn::is(value))
}

/// Returns whether a word holds sentences together.
pub(super) fn is_function(word: &str) -> bool {
    FUNCTION.contains(&word)
}

/// Returns whether a value is a sentence rather than a passphrase: it has words that hold sentences together, or speaks of secrets.
pub(super) fn is_sentence(value: &str) -> bool {
    let is_one = |word: &str| {
        let is_first = word.ends_with(',');
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
        !is_first && FUNCTION.contains(&word.as_str()) || NAMES.contains(&word.as_str())
    };
    value.len() <= LONGEST
        && value.contains(' ')
        && !value.contains(|c: char| c.is_ascii_digit())
        && value.split(' ').any(is_one)
}

/// Returns whether a value begins as digests, public keys and pictures do.
pub(super) fn is_public(value: &str) -> bool {
    names::PUBLIC.iter().any(|start| value.starts_with(start))
}
