//! Secrets that are known by the option before them: `--password VALUE` of any program, and what `rules/secrets.toml` says of some.

use std::ops::Range;

use super::input;
use super::names::{self, Holds};
use super::quoting::{Quote, Text};
use super::words::{Word, Words, in_command};
use super::{drawn, fields, formats, pairs, tokens, value};

/// Where a program takes a secret.
struct Row {
    /// The subcommand for which it holds, if not for all.
    subcommand: Option<&'static str>,
    takes: Takes,
}

enum Takes {
    /// The rest of the word that begins with this option.
    Attached(&'static str),
    /// The rest of the word that begins with this option, or the next word.
    Option(&'static str, Piece),
    /// The word of this number that is no option, perhaps only where an option is given.
    Operand(u8, Option<&'static str>, Piece),
    /// The value of each `NAME=VALUE`.
    Pairs,
    /// What stands behind this word.
    Behind(&'static str, Piece),
    /// The rest of a word that begins so.
    Begins(&'static str),
    /// The rest of each operand that begins so within its quotes, or behind a backslash: to a shell, what stands there bare is a redirection.
    Each(&'static str),
    /// What comes on standard input, perhaps only where an option is given.
    Input(Option<&'static str>, Piece),
}

/// Which piece of a word it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    All,
    /// Behind a colon, percent sign or comma: `user:password`.
    Password,
    /// Between a slash and an at sign: `user/password@database`.
    Slash,
    /// Behind an equals sign.
    Value,
    /// All of it, where it looks like a password.
    Likely,
    /// All of it, where it is one word and no more; of operands, one with no option before it.
    Word,
    /// The value of a header that may hold one, behind its scheme: `X-Key: value`.
    Header,
}

// `ROWS` and `PROGRAMS`: what `rules/secrets.toml` says of programs.
mod takers {
    use super::{Piece, Row, Takes};
    include!(concat!(env!("OUT_DIR"), "/takers.rs"));
}
use takers::{PROGRAMS, ROWS};

/// Rows of one command that are kept at most: a command that names every program is none.
const MOST: usize = 96;

/// A row whose program was named in the command.
struct Named {
    row: &'static Row,
    /// Whether its subcommand was named, too.
    is_ready: bool,
}

/// Finds them.
pub(super) fn find(text: &Text<'_>, found: &mut Vec<Range<usize>>) {
    let mut rows: Vec<Named> = Vec::new();
    for word in Words::new(text) {
        let Word::Text(mut range) = word else {
            rows.clear();
            continue;
        };
        // `\"--name\"`: the quote behind the backslash ended it.
        let is_quoted = text[range.clone()].ends_with('\\') && text[range.end..].starts_with('"');
        range.end -= usize::from(is_quoted && range.len() > 1);
        let word = &text[range.clone()];
        for named in rows.iter_mut().filter(|named| !named.is_ready) {
            if named.row.subcommand == Some(word) {
                named.is_ready = true;
                begins(text, &range, named.row, found);
            }
        }
        if word.starts_with(['-', '/'])
            && let Some(secret) = short(text, &range, &rows).or_else(|| long(text, &range))
        {
            found.push(secret);
            continue;
        }
        if !word.starts_with('-') {
            found.extend(behind(text, &range, &rows));
            input::into_file(text, &range, found);
        }
        // What an agent or `make` takes off stands before some.
        let name = word.rsplit('/').next().unwrap_or(word).trim_start_matches(['!', '@']);
        if name == "printf" {
            formats::find(text, &range, found);
        }
        let Ok(at) = PROGRAMS.binary_search_by_key(&name, |(name, _)| name) else { continue };
        // What stands behind each is looked at, so there may not be any number of them.
        for number in PROGRAMS[at].1.iter().take(MOST.saturating_sub(rows.len())) {
            let row = &ROWS[usize::from(*number)];
            let is_ready = row.subcommand.is_none();
            if is_ready {
                begins(text, &range, row, found);
            }
            rows.push(Named { row, is_ready });
        }
    }
}

/// Finds what the words behind a program, or behind its subcommand, hold by their places.
fn begins(text: &Text<'_>, word: &Range<usize>, row: &Row, found: &mut Vec<Range<usize>>) {
    let has = |option: &str| in_command(text, word.end).any(|word| is_option(&text[word], option));
    // `+login bob VALUE +quit`
    let is_plus = text[word.start..].starts_with('+');
    let is_next = |word: &Range<usize>| is_plus && text[word.clone()].starts_with('+');
    let words = || in_command(text, word.end).take_while(|word| !is_next(word));
    let operands = || words().filter(|word| !text[word.clone()].starts_with('-'));
    match row.takes {
        Takes::Operand(number, option, piece) if option.is_none_or(has) => {
            let operand = operands().nth(usize::from(number) - 1);
            let is_apart = |operand: &Range<usize>| {
                words().nth(usize::from(number) - 1).as_ref() == Some(operand)
            };
            let operand = operand.filter(|operand| piece != Piece::Word || is_apart(operand));
            found.extend(operand.and_then(|operand| piece.of(text, value::inside(text, operand))));
        }
        Takes::Pairs => {
            let values = operands().filter_map(|word| Piece::Value.of(text, word));
            found.extend(values.map(|word| value::inside(text, word)));
        }
        Takes::Each(start) => {
            let quotes = ['"', '\'', '\\'];
            let quoted = operands().filter(|word| text[word.clone()].starts_with(quotes));
            let rests = quoted.filter_map(|word| {
                let inside = value::inside(text, word);
                let rest = text[inside.clone()].trim_start_matches('\\').strip_prefix(start)?;
                Some(inside.end - rest.len()..inside.end)
            });
            found.extend(rests.filter(|rest| value::is_at(text, rest)));
        }
        Takes::Input(option, piece) if option.is_none_or(has) => {
            input::find(text, word, piece, found);
        }
        _ => {}
    }
}

/// Whether a word is this option: by its name, or as one letter among others.
fn is_option(word: &str, option: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let letters = |option: &str| option.len() == 2 && !word.starts_with("--");
    name == option || letters(option) && word.starts_with('-') && word[1..].contains(&option[1..])
}

/// `--name VALUE`; with a `=` it is a pair.
fn long(text: &Text<'_>, word: &Range<usize>) -> Option<Range<usize>> {
    let option = &text[word.clone()];
    // Some programs have long names with one dash.
    let name = option.strip_prefix("--").or_else(|| option.strip_prefix(['-', '/']))?;
    // `/password:VALUE`
    if let Some((named, value)) = name.split_once(':').filter(|(name, _)| !name.contains('=')) {
        let holds = names::of_option(&named.to_ascii_lowercase())?;
        let start = word.end - value.len();
        let is_one = matches!(holds, Holds::Always | Holds::Word) && holds.is(value);
        return value::glued(text, word.start, start).filter(|_| is_one);
    }
    if option.starts_with('/') {
        return None;
    }
    let is_short = option.len() - name.len() == 1;
    if name.len() < 2 || name.contains('=') {
        return None;
    }
    let holds = names::of_option(name)?;
    let given = argument(text, word)?;
    let value = &text[given.clone()];
    // `cosign verify-blob --signature f.sig`
    let is_file = name == "signature" && value.contains(['.', '/']);
    let is_one = holds.is(value) && !names::is_name(value, name) && !(is_short && value.len() < 3);
    (is_one && !is_file).then_some(given)
}

/// The value of an option of one letter behind others (`-sSLu user:VALUE`, `-kuuser:VALUE`; POSIX, 12.2, guideline 5).
fn clustered(
    text: &Text<'_>,
    word: &Range<usize>,
    option: &str,
    piece: Piece,
) -> Option<Range<usize>> {
    let letters = text[word.clone()].strip_prefix('-')?;
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1)?;
    let at = letters.find(letter)?;
    let is_cluster = |letters: &str| letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    if !is_cluster(&letters[..at]) {
        return None;
    }
    match letters.len() - at {
        1 => argument(text, word),
        // Any word of letters may be another option.
        _ if piece == Piece::Password => value::glued(text, word.start, word.start + 1 + at + 1),
        _ => None,
    }
}

fn short(text: &Text<'_>, word: &Range<usize>, rows: &[Named]) -> Option<Range<usize>> {
    let given = &text[word.clone()];
    // Of several options the longest: `-pass` is no `-p`.
    let known = rows.iter().filter(|named| named.is_ready).filter_map(|named| {
        let (option, piece, is_attached) = match named.row.takes {
            Takes::Attached(option) => (option, Piece::All, true),
            Takes::Option(option, piece) => (option, piece, false),
            Takes::Begins(start) => (start, Piece::All, true),
            Takes::Behind(option, piece) if option == given => {
                return Some((option.len(), piece.of(text, next(text, word.end)?)?));
            }
            Takes::Operand(..)
            | Takes::Pairs
            | Takes::Behind(..)
            | Takes::Each(..)
            | Takes::Input(..) => return None,
        };
        if !given.starts_with(option) {
            let secret = if is_attached { None } else { clustered(text, word, option, piece) };
            return Some((option.len(), piece.of(text, secret?)?));
        }
        let end = word.start + option.len();
        if text[end..].starts_with('`') && text.is_command(end) {
            text.refer(end);
        }
        if let Some(reference) = reference(text, word, end).filter(|_| piece == Piece::All) {
            text.refer_surely(reference);
        }
        // An option of several letters has its value attached behind a `=` alone; else it is another option.
        let is_long = option.len() > 2 && !is_attached;
        let secret = match (end < word.end, is_attached) {
            // `-p"$VAR"` and `-p'secret'`: a quote ends the word here.
            (false, true) => match text.quote(end) {
                Quote::Opens(_) => value::at(text, end),
                _ => None,
            },
            (true, _) if is_long && !given[option.len()..].starts_with('=') => None,
            (true, _) if is_long => value::glued(text, word.start, end + 1),
            (true, false) if given[option.len()..].starts_with('=') => {
                value::glued(text, word.start, end + 1)
            }
            (true, _) => value::glued(text, word.start, end),
            (false, false) if matches!(text.quote(end), Quote::Opens(_)) => value::at(text, end),
            (false, false) => argument(text, word),
        }?;
        Some((option.len(), piece.of(text, secret)?))
    });
    let known = known.max_by_key(|(length, _)| *length).map(|(_, secret)| secret);
    known.or_else(|| with_user(text, word)).or_else(|| usual(text, word))
}

/// Where the value of an option is a variable: `-p$x`, `-p "$x"`. `end`: where the option itself ends in its word.
fn reference(text: &Text<'_>, word: &Range<usize>, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let start = match bytes.get(end) {
        Some(b'=' | b' ') => end + 1,
        _ => end,
    };
    let start = start + usize::from(bytes.get(start) == Some(&b'"'));
    let is_there = bytes.get(start) == Some(&b'$') && start <= word.end + 2;
    (is_there && !text.is_literal(start)).then_some(start)
}

/// `-p VALUE` and the like of a program that is not known: where it looks like a password, and a user is named or nobody would write it.
fn usual(text: &Text<'_>, word: &Range<usize>) -> Option<Range<usize>> {
    let given = &text[word.clone()];
    let rest = ["-p", "-P", "-w", "-W", "-k", "-t", "-a", "/p"]
        .iter()
        .find_map(|option| given.strip_prefix(option))?;
    // What a variable holds tells no more than the option does.
    let behind = text[word.end..].trim_start_matches([' ', '"']);
    let is_reference = behind.starts_with('$') && !behind.starts_with("$'");
    if is_reference && text.default(text.len() - behind.len()).is_none() {
        return None;
    }
    let secret = if rest.is_empty() {
        argument(text, word)?
    } else {
        value::at(text, word.end - rest.trim_start_matches([':', '=']).len())?
    };
    let value = &text[secret.clone()];
    let before = text.before(word.start, 256);
    let before = before.rsplit(['\n', ';', '|', '&']).next().unwrap_or(before);
    let words = || before.split(' ').chain(in_command(text, word.end).map(|word| &text[word]));
    let names_user = || {
        words().any(|word| {
            USERS
                .iter()
                .any(|user| word == *user || word.starts_with("--user=") || word.starts_with("-u:"))
        })
    };
    let is_likely = || value::is_alike(value) && !value::is_identifier(value) && names_user();
    let is_attached = !rest.is_empty() && !rest.starts_with([':', '=']);
    let is_odd = || value::is_odd(value) && value.contains(|c: char| c.is_ascii_digit());
    let is_one = value::is_strong(value)
        || !is_attached && (is_odd() || value::is_chosen(value) || is_likely());
    let is_one = is_one && !tokens::begins(value) && !drawn::is_object(text, &secret);
    is_one.then_some(secret)
}

/// `-a user:password` and the like of a program that is not known.
fn with_user(text: &Text<'_>, word: &Range<usize>) -> Option<Range<usize>> {
    if !USERS_TOO.contains(&&text[word.clone()]) {
        return None;
    }
    let given = next(text, word.end)?;
    let (user, value) = text[given.clone()].split_once(':')?;
    let is_user = user.starts_with(|c: char| c.is_ascii_alphabetic()) && !user.contains('/');
    let is_named = names::of(text[word.clone()].trim_start_matches('-')).is_some();
    let is_word = || is_named && value::is_word_alone(value);
    let is_one = is_user && (value::is_alike(value) && !value::is_identifier(value) || is_word());
    is_one.then_some(given.end - value.len()..given.end)
}

/// Options that take a user with a password.
const USERS_TOO: [&str; 11] =
    ["-a", "-A", "-u", "-U", "-c", "-id", "--auth", "--auth-cred", "--user", "--creds", "--login"];

/// Options that name a user, or the host on which there is one.
const USERS: [&str; 15] = [
    "-h",
    "-H",
    "-s",
    "--host",
    "--server",
    "-u",
    "-U",
    "-l",
    "--user",
    "--username",
    "--login",
    "-user",
    "-username",
    "/u",
    "--user-name",
];

/// What a word stands for, or what stands behind it: `pass:VALUE`, `auth VALUE`, `Bearer VALUE`, `IDENTIFIED BY 'VALUE'`.
fn behind(text: &Text<'_>, word: &Range<usize>, rows: &[Named]) -> Option<Range<usize>> {
    let given = &text[word.clone()];
    // `:password "value"`, as keywords are written.
    let given = given.strip_prefix(':').unwrap_or(given);
    for named in rows.iter().filter(|named| named.is_ready) {
        match named.row.takes {
            Takes::Begins(start) if given.starts_with(start) => {
                let rest = word.start + start.len();
                // `'pass:two words'`: the quotes hold it together.
                let around = text.around(word.start);
                let is_whole = !text.is_command(rest) && around.start == word.start;
                let whole = Some(rest..around.end).filter(|value| is_whole && !value.is_empty());
                return whole.or_else(|| value::at(text, rest));
            }
            Takes::Behind(before, piece) if given.eq_ignore_ascii_case(before) => {
                return next(text, word.end)
                    .filter(|secret| !names::is_name(&text[secret.clone()], ""))
                    .and_then(|secret| piece.of(text, secret));
            }
            _ => {}
        }
    }
    let is = |one: &str| given.eq_ignore_ascii_case(one);
    let secret =
        || next(text, word.end).filter(|secret| !names::is_name(&text[secret.clone()], given));
    if is("bearer") {
        let secret = secret()?;
        let value = &text[secret.clone()];
        let is_one = secret.len() >= 12 && value::is_random(value) || value::is_alike(value);
        return is_one.then_some(secret);
    }
    // SQL and settings: `IDENTIFIED BY 'x'`, `PASSWORD 'x'`, `requirepass x`; and netrc's `login me password x`.
    let is_quoted =
        || secret().is_some_and(|s| matches!(text.as_bytes()[s.start - 1], b'"' | b'\''));
    let before = text.before(word.start, 256).trim_end();
    if is("by") {
        let statement = before.rsplit([';', '\n']).next().unwrap_or(before).to_ascii_lowercase();
        return if statement.contains("identified") { secret() } else { None };
    }
    if is("send") && before.to_ascii_lowercase().contains("assword") {
        let dashes = in_command(text, word.end).next().filter(|next| &text[next.clone()] == "--");
        return dashes.map_or_else(secret, |dashes| next(text, dashes.end));
    }
    // `put app/db_password value`: the name is the last part of a path.
    let sets_path = before.ends_with(" put") || before.ends_with(" set");
    let last = given.rsplit('/').next().filter(|last| sets_path && !last.starts_with(':'));
    let names_path = last.is_some_and(|last| last.len() < given.len());
    let given = last.unwrap_or(given);
    // A name of several parts, but no path, nor the file of a signature.
    let plain = given.strip_prefix("//").unwrap_or(given);
    if given.starts_with(['-', '.', '/', '$']) && plain == given
        || given.contains("://")
        || given.rsplit_once('.').is_some_and(|(_, ending)| ending == "sig")
    {
        return None;
    }
    let first = given.split('.').next().unwrap_or(given);
    let is_path =
        given.contains('=') || plain == given && given.trim_end_matches(':').contains(['/', ':']);
    let holds = names::of(given);
    let is_first = first.len() < given.len() && names::is_secret(first);
    let is_certain = holds == Some(Holds::Always) || is_first;
    if is_path || given.starts_with("set-") || !is_certain && holds.is_none() {
        return None;
    }
    if names::HARMLESS_SETTINGS.contains(&given) {
        return None;
    }
    let given_to = secret()?;
    let value = &text[given_to.clone()];
    // `set src/auth src/token`: one path behind the other.
    if names_path && value.contains('/') {
        return None;
    }
    let is_alike = value::is_alike(value) && !value::is_identifier(value) && !tokens::begins(value);
    let two = || before.rsplit([' ', '\t', '\'', '"']).take(2);
    // `config set NAME VALUE`.
    let sets = || {
        let last = |word: &'_ str| {
            word.rsplit("\\n").next().is_some_and(|word| names::SETTERS.contains(&word))
        };
        let is_set = two().any(last);
        let is_plain = names::NAMES.contains(&given.to_ascii_lowercase().as_str());
        // In a script of expect's, nobody speaks.
        let is_script = before.contains("expect");
        is_set && (!is_plain || is_script || names_path || value::is_random(value) || is_alike)
    };
    // A line of netrc's, or `ENV NAME value` of a container's, to its end.
    let is_file = !text.is_command(word.start) && given_to.start > word.end;
    let is_named = names::is_password(given) && before.contains("machine ");
    let sets_one =
        before.rsplit('\n').next().is_some_and(|line| names::DECLARED.contains(&line.trim()));
    if is_file && (is_named && before.contains("login ") || sets_one && is_certain) {
        let rest = text.rest(given_to.start);
        let line = rest.lines().next().unwrap_or(rest).trim_end();
        return Some(given_to.start..given_to.start + line.len());
    }
    let is_netrc = || {
        let two = before.rsplit([' ', '\t', '\n']).filter(|word| !word.is_empty()).nth(1);
        let is_login = matches!(two, Some("login" | "user" | "username" | "account" | "machine"));
        is_login && value::is_random(value)
    };
    // `password S3cret`, as people and settings write it.
    let is_password = || names::is_password(given) && (value::is_mixed(value) || is_alike);
    // `terraform state mv aws_iam_access_key.a module.b.aws_iam_access_key.a`
    let names_same = || value.contains('.') && value.split('.').any(names::is_secret);
    let is_one = if is_first && names_same() {
        false
    } else if is_certain {
        is_alike || sets() || is_password() || is_quoted() && value.len() > 2 || is_netrc()
    } else {
        holds.is_some_and(|holds| holds.is(value)) && sets()
    };
    (is_one && !value::is_sentence(value)).then_some(given_to)
}

/// The word behind an option, or what stands behind it in a list.
fn argument(text: &Text<'_>, option: &Range<usize>) -> Option<Range<usize>> {
    next(text, option.end).or_else(|| fields::listed(text, option))
}

/// The next word, if it is a value and not another option.
fn next(text: &Text<'_>, end: usize) -> Option<Range<usize>> {
    // The quote that ends a quoted name, and a line that goes on.
    let rest = text[end..].strip_prefix(['"', '\'']).unwrap_or(&text[end..]);
    let value = rest.trim_start_matches([' ', '\t']);
    let value = value.strip_prefix("\\\n").unwrap_or(value).trim_start_matches([' ', '\t']);
    let start = text.len() - value.len();
    let is_value = value.len() < rest.len() && !value.starts_with('-');
    let given = if is_value { value::at(text, start) } else { None }?;
    // `a="Password" b="c"`: a name before its own value.
    let is_name = text[..given.end].ends_with('=') && text[given.end..].starts_with(['"', '\'']);
    // In a list that a comma divides.
    let is_divided = !text.is_command(start) && text.quote(start) == Quote::None;
    let comma = usize::from(is_divided && text[given.clone()].ends_with(','));
    (!is_name).then_some(given.start..given.end - comma)
}

impl Piece {
    /// Returns the piece of a word that is a secret.
    pub(super) fn of(self, text: &Text<'_>, word: Range<usize>) -> Option<Range<usize>> {
        let given = &text[word.clone()];
        let is_own = text.is_parameter(word.start) && !given.starts_with("${");
        let behind = |signs: &[char]| {
            let is_sign = |(at, sign): &(usize, &str)| {
                sign.starts_with(signs) && (is_own || !text.is_parameter(word.start + at))
            };
            given.match_indices(|_| true).find(is_sign).map(|(at, _)| at + 1)
        };
        // `/nolog` and `/ as sysdba` name no user, nor does an address.
        let is_user = |user: &str| !user.is_empty() && !user.contains(':');
        if self == Self::Slash && !given.split('/').next().is_some_and(is_user) {
            return None;
        }
        if self == Self::Header {
            return pairs::header_value(text, word);
        }
        let at = match self {
            Self::All | Self::Likely | Self::Word | Self::Header => Some(0),
            Self::Value => behind(&['=']),
            Self::Password => behind(&[':', '%', ',']),
            Self::Slash => behind(&['/']),
        };
        let mut secret = value::inside(text, word.start + at?..word.end);
        secret = value::default(text, &secret).unwrap_or(secret);
        if self == Self::Slash
            && let Some(at) = text[secret.clone()].find('@')
        {
            secret.end = secret.start + at;
        }
        // A token is given as a user without a password: `TOKEN:`.
        if self == Self::Password && secret.is_empty() {
            secret = word.start..secret.start - 1;
            let is_one = value::is_alike(&text[secret.clone()]) && value::is_at(text, &secret);
            return is_one.then_some(secret);
        }
        // Nothing but a secret is given here, whatever the variable that stands for it is called.
        let is_reference = text[secret.clone()].starts_with(['$', '`']);
        if matches!(self, Self::All | Self::Password)
            && is_reference
            && !text.is_literal(secret.start)
        {
            text.refer_surely(secret.start);
        }
        // A line that is written out ends here.
        if matches!(self, Self::Likely | Self::Slash)
            && let Some(at) =
                ["\\n", "\\r"].iter().filter_map(|end| text[secret.clone()].find(end)).min()
        {
            secret = value::inside(text, secret.start..secret.start + at);
        }
        // `user%password`
        if self == Self::Likely
            && let Some((user, password)) = text[secret.clone()].split_once('%')
            && !user.contains(|c: char| !c.is_ascii_alphabetic())
            && value::is_alike(password)
        {
            secret.start = secret.end - password.len();
        }
        let value = &text[secret.clone()];
        let words = || value.split(' ').filter(|_| value.contains(' '));
        let is_phrase =
            || words().any(value::is_alike) && !value::is_sentence(value) && !value.contains('$');
        let is_one = || value::is_alike(value) || is_phrase();
        let is_alike = || is_one() && !tokens::begins(value) && !drawn::is_object(text, &secret);
        let fits = match self {
            Self::Likely => is_alike(),
            Self::Word => value::is_word_alone(value) || is_alike(),
            Self::All | Self::Password | Self::Slash | Self::Value | Self::Header => true,
        };
        (value::is_at(text, &secret) && fits).then_some(secret)
    }
}
