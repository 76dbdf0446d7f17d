//! Secrets that are known by the name before them: assignments, settings, headers, arguments, and the password in an address.

use std::ops::Range;

use super::names::{self, Holds};
use super::options::Piece;
use super::quoting::{Quote, Text};
use super::{address, drawn, ends, fields};
use super::{tokens, value};

/// Finds them.
pub(super) fn find(text: &Text<'_>, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let secret = match byte {
            b'$' => parameter(text, at),
            // An operator, as in `${NAME:=value}`.
            _ if text.is_operator(at) => None,
            b'=' => assigned(text, at, found).or_else(|| fields::beside(text, at)),
            b':' if bytes[at..].starts_with(b"://") => {
                address::in_path(text, at, found);
                address::in_url(text, at, found)
            }
            b':' => header(text, at)
                .or_else(|| setting(text, at, found))
                .or_else(|| fields::beside(text, at)),
            b'>' => fields::element(text, at),
            b',' => argument(text, at),
            b'(' if at > 0 && bytes[at - 1] == b'<' => {
                super::input::from_process(text, at, found);
                None
            }
            b'(' => {
                fields::call(text, at, found);
                argument(text, at)
            }
            b'@' => address::in_address(text, at),
            b' ' if bytes[at..].starts_with(b" is ") => said(text, at),
            b'#' if bytes[at..].starts_with(b"#!/") => {
                super::input::answered(text, at, found);
                None
            }
            _ => None,
        };
        // What is masked is not looked through again.
        at = secret.as_ref().map_or(at + 1, |range| range.end.max(at + 1));
        found.extend(secret);
    }
}

/// A name that stands before a place.
pub(super) struct Name<'a> {
    pub(super) text: &'a str,
    /// The byte before it, quotes left out.
    pub(super) before: Option<u8>,
    /// Where it begins, quotes left out.
    start: usize,
    /// Whether quotes stand around it.
    is_quoted: bool,
}

/// Returns the name that ends at `end`, without the quotes, brackets and blanks that may stand between.
pub(super) fn name_before<'text>(text: &'text Text<'_>, end: usize) -> Name<'text> {
    let bytes = &text.as_bytes()[..end];
    let blanks = bytes.iter().rev().take(8).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let mut end = end - blanks;
    // `name[]`, `name[0]`, `[name]`
    if bytes[..end].last() == Some(&b']') {
        let digits =
            bytes[..end - 1].iter().rev().take(4).take_while(|b| b.is_ascii_digit()).count();
        let is_index = bytes[..end - 1 - digits].last() == Some(&b'[');
        end -= 1 + if is_index { digits + 1 } else { 0 };
    }
    // `$ENV{name}`
    end -= usize::from(bytes[..end].last() == Some(&b'}'));
    let is_quoted = matches!(bytes[..end].last(), Some(b'"' | b'\''));
    end -= usize::from(is_quoted);
    // `\"name\": \"value\"` within double quotes.
    end -= usize::from(is_quoted && bytes[..end].last() == Some(&b'\\'));
    // `**Name:**`
    end -= bytes[..end].iter().rev().take(2).take_while(|byte| **byte == b'*').count();
    let holds = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.') || !byte.is_ascii()
    };
    let before = bytes[..end].iter().rev();
    let length = before.take(names::LONGEST + 1).take_while(|byte| holds(byte)).count();
    let start = end - length;
    let mut start = (start..=end).find(|at| text.is_char_boundary(*at)).unwrap_or(end);
    // What is written out stands between lines: `\nname: value`.
    if length > 1
        && start > 0
        && bytes[start - 1] == b'\\'
        && matches!(bytes[start], b'n' | b't' | b'r')
    {
        start += 1;
    }
    let before = start.checked_sub(1).map(|at| bytes[at]);
    Name { text: &text.text()[start..end], before, start, is_quoted }
}

/// Where the line ends in which a place stands, or the quotes or the here-document around it.
fn end_of_line(text: &Text<'_>, at: usize) -> usize {
    let rest = text.rest(at);
    at + rest.find('\n').unwrap_or(rest.len())
}

/// `NAME=VALUE`: a variable, an option, a parameter of a request; `name = "value"` of settings and code.
fn assigned(text: &Text<'_>, at: usize, found: &mut Vec<Range<usize>>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if matches!(bytes.get(at + 1), Some(b'=' | b'~')) {
        return None;
    }
    // `NAME+=VALUE`, `NAME:=VALUE`, `NAME == VALUE` and `NAME!=VALUE` in a test.
    let sign = at.checked_sub(1).map(|at| bytes[at]);
    let is_other = matches!(sign, Some(b'+' | b':' | b'?' | b'=' | b'!'));
    let end = at - usize::from(is_other);
    let name = name_before(text, end);
    // `name => value`
    let behind = at + 1 + usize::from(bytes.get(at + 1) == Some(&b'>'));
    let blanks = bytes[behind..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_apart = blanks > 0 || bytes[..end].last().is_some_and(u8::is_ascii_whitespace);
    let compares = matches!(sign, Some(b'=' | b'!'))
        || is_apart && name.before == Some(b'$') && text.is_command(at);
    let mut start = if is_apart || behind > at + 1 { behind + blanks } else { behind };
    // A line that goes on: `name=\`
    if bytes.get(start..start + 2) == Some(b"\\\n") && !text.is_command(start) {
        start += 2 + bytes[start + 2..].iter().take_while(|byte| **byte == b' ').count();
    }
    let bare = name.text.trim_start_matches('-');
    let is_option = name.text.starts_with("--");
    let holds = if is_option { names::of_option(bare) } else { names::of(bare) };
    // `PRAGMA key`, `api key`
    let is_key = || {
        let before = name_before(text, name.start);
        bare == "key" && names::is_secret(&format!("{}_key", before.text))
    };
    let is_pragma = || name_before(text, name.start).text.eq_ignore_ascii_case("pragma");
    let holds = match holds {
        Some(Holds::Long) if bare == "key" && is_pragma() => Some(Holds::Word),
        Some(Holds::Long) if is_key() => Some(Holds::Password),
        holds => holds,
    };
    let prints = || {
        let command = names::COMMANDS.iter().find_map(|one| bare.strip_suffix(one));
        command.is_some_and(|name| names::is_secret(name.trim_end_matches(['_', '-'])))
            || bare.to_ascii_lowercase().ends_with("askpass")
    };
    let in_request = matches!(name.before, Some(b'?' | b'&'));
    let Some(holds) = holds else {
        // `NAME_COMMAND="echo value"`
        if let Quote::Opens(end) = text.quote(start)
            && prints()
        {
            super::input::printed(text, start, end, Piece::Word, found);
            return None;
        }
        if in_request && names::PARAMETERS.contains(&bare) {
            let given = ends::of_value(text, value::at(text, start)?, name.start);
            return value::is_bearer(&text[given.clone()]).then_some(given);
        }
        // `u=bob&p=value`
        if in_request && bare == "p" && names_user(text, name.start) {
            let given = ends::of_value(text, value::at(text, start)?, name.start);
            return value::is_alike(&text[given.clone()]).then_some(given);
        }
        return declared(text, name.start, start);
    };
    if matches!(bytes.get(start), Some(b'(' | b'[')) && names::are_secrets(bare)
        || bytes.get(start) == Some(&b'[')
    {
        let holds = if names::are_passwords(bare) { Holds::Word } else { holds };
        return fields::list(text, start, holds, found);
    }
    if matches!(bytes.get(start), Some(b'(')) {
        return fields::list(text, start, Holds::Password, found);
    }
    if fields::substituted(text, start, found) {
        return None;
    }
    let raw = &text[start..end_of_line(text, start)];
    let is_quoted = text.quote(start) != Quote::None;
    // Without blanks it may be a line of a shell's, within quotes.
    let is_code = if is_apart { value::is_code } else { value::is_call };
    if !is_quoted && (is_apart || !text.is_command(start)) && is_code(first_word(raw)) {
        return literal(text, start);
    }
    // `"""value"""`
    let quotes = raw.bytes().take(3).filter(|byte| Some(byte) == raw.as_bytes().first()).count();
    let start = start + if is_quoted && quotes == 3 { 2 } else { 0 };
    let given = value::at(text, start)?;
    let is_bare = given.start == start;
    let given = if is_bare { ends::of_value(text, given, name.start) } else { given };
    let value = text[given.clone()].trim_end_matches('\\');
    if is_apart && value.len() < 3 {
        return None;
    }
    let is_other = compares && !value::is_alike(value);
    let is_known = holds != Holds::Always && tokens::begins(value);
    // `app.js?hash=0a1b2c…`
    let is_version = || bare == "hash" && in_request && drawn::is_version(text, start);
    let is_secret = holds.is(value) && !is_known && !is_other && !names::is_name(value, bare);
    let is_secret = is_secret && !is_version();
    is_secret.then_some(given.start..given.start + value.len())
}

/// Whether a line of settings is words with commas between: in code a comma stands before another name.
fn is_list(line: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric());
    line.len() <= names::LONGEST && line.contains(", ") && line.trim().split(", ").all(is_word)
}

/// Whether the parameter before a name in a request is that of a user.
fn names_user(text: &Text<'_>, name: usize) -> bool {
    let before = text.before(name - 1, 64);
    let before = before.rsplit(['?', '&', '"', '\'', ' ']).next().unwrap_or(before);
    before.split_once('=').is_some_and(|(name, _)| matches!(name, "u" | "user" | "username"))
}

fn first_word(line: &str) -> &str {
    line.split([' ', '\t']).next().unwrap_or(line)
}

/// Whether nothing but blanks, a dash or `export` stands before a name on its line.
fn begins_line(text: &Text<'_>, start: usize) -> bool {
    let (before, is_all) = text.before_within(start, 64);
    let line = before.rsplit('\n').next().unwrap_or(before);
    let is_whole = line.len() < before.len() || is_all;
    let word = line.trim_matches([' ', '\t', '-', '"', '\'', '*', '|']);
    is_whole && (word.is_empty() || word == "export")
}

/// Extends a value of a file to the end of its line.
fn whole(text: &Text<'_>, given: Range<usize>) -> Range<usize> {
    let end = end_of_line(text, given.start);
    let line = text[given.start..end].trim_end();
    let line = line.split(" #").next().unwrap_or(line).split("\\n").next().unwrap_or(line);
    let is_one = line.len() > given.len() && !value::is_sentence(line);
    if is_one { given.start..given.start + line.len() } else { given }
}

/// `NAME: TYPE = "value"`, `const NAME string = "value"`: the words before the sign name a secret.
fn declared(text: &Text<'_>, start: usize, value: usize) -> Option<Range<usize>> {
    // Where the statement begins is near.
    let line = text.before_within(start, 64).0.rsplit(['\n', ';', ',', '(', '"']).next()?;
    let is_word = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    if text.is_command(start) || !line.split(is_word).any(names::is_secret) {
        return None;
    }
    literal(text, value)
}

/// The first text in quotes on the rest of the line that looks like a secret.
fn literal(text: &Text<'_>, start: usize) -> Option<Range<usize>> {
    let end = end_of_line(text, start).min(start + 96);
    let is_one = |given: &Range<usize>| {
        let value = &text[given.clone()];
        value::is_alike(value) && value::is_at(text, given) && names::of(value).is_none()
    };
    fields::literals(text, start, end).find(is_one)
}

/// `"name": "value"`, and `name: value` at the beginning of a line, of an object, of a quoted text.
fn setting(text: &Text<'_>, at: usize, found: &mut Vec<Range<usize>>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // `name::value` is a path of some language; `name:: value` is base64.
    let is_double = bytes.get(at + 1) == Some(&b':');
    if is_double && bytes.get(at + 2) != Some(&b' ') || at > 0 && bytes[at - 1] == b':' {
        return None;
    }
    let name = name_before(text, at);
    // A part of an identifier (`arn:aws:…:secret:name`), and `"a" :b` of a template.
    let is_apart = at > 0 && bytes[at - 1] == b' ';
    if name.before == Some(b':')
        || is_apart && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic)
    {
        return None;
    }
    if let Some(value) = listed_header(text, &name, at) {
        return Some(value);
    }
    let Some(holds) = names::of(name.text) else {
        // `chpasswd:` above `list:` above `user:value`
        let is_list = name.text == "list" && text.before(name.start, 64).contains("chpasswd:");
        if names::are_secrets(name.text) || names::CONTAINERS.contains(&name.text) || is_list {
            fields::below(text, at + 1, name.start, found);
            fields::object(text, fields::behind(text, at + 1), found);
            return fields::list(text, fields::behind(text, at + 1), Holds::Always, found);
        }
        // `"method": "login", "params": ["user", "value"]`
        if names::ARGUMENTS.contains(&name.text) && names_account(text, name.start) {
            return fields::list(text, fields::behind(text, at + 1), Holds::Password, found);
        }
        return said_as(text, at, at + 1);
    };
    let line = text[..name.start].trim_end_matches([' ', '\t', '-', '*']);
    let begins = name.is_quoted
        || line.is_empty()
        || line.ends_with(['\n', '{', ',', '[', '('])
        || name.before == Some(b'\\')
        || line.ends_with("\\n");
    let start = fields::behind(text, at + 1 + usize::from(is_double));
    if begins && matches!(bytes.get(start), Some(b'[')) {
        return fields::list(text, start, holds, found);
    }
    if begins {
        fields::below(text, start, name.start, found);
    }
    let raw = &text[start..end_of_line(text, start)];
    let is_quoted = text.quote(start) != Quote::None;
    let is_code = value::is_code(first_word(raw)) && !is_list(raw);
    if !is_quoted && is_code {
        // `name: setting || "value"`
        return if ["|| ", "?? ", " or ", "default", "_or"].iter().any(|one| raw.contains(one)) {
            literal(text, start)
        } else {
            None
        };
    }
    let given = value::setting_at(text, start)?;
    let is_line = !is_quoted && !text.is_command(start) && begins_line(text, name.start);
    let given = match (is_line && begins, is_quoted) {
        (true, _) => whole(text, given),
        (false, false) if begins => ends::of_value(text, given, name.start),
        (false, _) => given,
    };
    let value = &text[given.clone()];
    // `license: value`, wherever it stands.
    let is_likely = || holds == Holds::Password && holds.is(value);
    // `"password: value"`, alone in its quotes.
    let alone = || {
        let around = text.around(start);
        let before = text[..around.start].trim_end_matches(['"', '\'']);
        let is_printed = ["echo ", "printf ", "echo -n ", "echo -e "];
        let is_printed = is_printed.iter().any(|name| before.ends_with(name));
        is_line
            && (is_printed || value.contains(|c: char| c.is_ascii_digit()))
            && text[given.end..around.end].trim_start_matches("\\n").is_empty()
            && holds == Holds::Always
            && value.len() >= if is_printed { 6 } else { 4 }
            && (names::is_password(name.text) || is_printed && name.text.contains('_'))
            && !value.contains(' ')
    };
    let is_known = holds != Holds::Always && tokens::begins(value);
    let is_one =
        if begins { holds.is(value) } else { holds == Holds::Always && value::is_random(value) };
    let is_one = (is_one || is_likely() || alone())
        && !is_known
        && !names::is_name(value, name.text)
        && !value::is_sentence(value);
    // `the API key: value`
    if is_one || begins { is_one.then_some(given) } else { said_as(text, at, at + 1) }
}

/// Whether something near before a place names an account.
fn names_account(text: &Text<'_>, at: usize) -> bool {
    let (before, _) = text.before_within(at, 64);
    let is_one = |word: &str| names::ACCOUNTS.iter().any(|one| word.eq_ignore_ascii_case(one));
    before.split(|c: char| !c.is_ascii_alphabetic()).any(is_one)
}

/// `the password is VALUE`, as people say it.
fn said(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    said_as(text, at, at + " is ".len())
}

/// What stands at `start`, where the words before `end` name a secret and it looks like one.
fn said_as(text: &Text<'_>, end: usize, start: usize) -> Option<Range<usize>> {
    let last = name_before(text, end);
    let name = if ["key", "code"].iter().any(|word| last.text.eq_ignore_ascii_case(word)) {
        // `api key`
        format!("{}_{}", name_before(text, last.start).text, last.text)
    } else {
        last.text.to_owned()
    };
    // Of the names of numbers, those of which people speak in other ways are none: `the exit code is 1024`.
    let is_number = names::of(&name) == Some(Holds::Number) && !name.ends_with("code")
        || names::is_password(&name)
        || name.eq_ignore_ascii_case("passcode");
    if !names::is_secret(&name) && !is_number {
        return None;
    }
    let start = fields::behind(text, start);
    let given = value::setting_at(text, start)?;
    let value = text[given.clone()].trim_end_matches(['.', ',', ';', '!', '?']);
    let is_name = names::is_name(value, &name);
    let is_one = value::is_random(value) || is_number && Holds::Number.is(value);
    (is_one && !is_name).then_some(given.start..given.start + value.len())
}

/// `${NAME:-value}`
fn parameter(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let word = text.default(at)?;
    let given = text[at + "${".len()..word.start].trim_end_matches([':', '-', '=']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = &given[..given.find(|c| !is_name(c)).unwrap_or(given.len())];
    let value = &text[word.clone()];
    let holds = names::of(name)?;
    // `${NAME:+--option}`, `${NAME:?message}`
    let is_likely = || value::is_alike(value) && !value::is_sentence(value);
    let is_one = holds.is(value) && (name.len() == given.len() || is_likely());
    (is_one && value::is_at(text, &word) && !names::is_name(value, name)).then_some(word)
}

/// `define('NAME', 'value')`, `PASSWORD('value')`.
fn argument(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let name = name_before(text, at);
    let is_first = || {
        let open = text[..name.start].trim_end_matches([' ', '"', '\'', '\\']);
        name.is_quoted && bytes[at - 1] != b' ' && open.ends_with('(')
    };
    let counts = if bytes[at] == b'(' { !name.is_quoted } else { is_first() };
    let is_key = || bytes[at] == b',' && names::of(name.text).is_some();
    if !counts || !names::is_secret(name.text) && !is_key() {
        return None;
    }
    let start = fields::behind(text, at + 1);
    if !matches!(text.quote(start), Quote::Opens(_)) {
        return None;
    }
    let given = value::at(text, start)?;
    let value = &text[given.clone()];
    // `auth("user", "value")`
    let is_one = bytes[at] == b',' || !goes_on(text, given.end) || value::is_alike(value);
    let is_secret = is_one && names::of(name.text).is_some_and(|holds| holds.is(value));
    (is_secret && !value::is_sentence(value)).then_some(given)
}

/// Whether another argument follows the text in quotes that ends here.
fn goes_on(text: &Text<'_>, end: usize) -> bool {
    text[end..].trim_start_matches(['"', '\'', '\\', ' ']).starts_with(',')
}

/// `Name: value` of a request. The scheme (`Bearer`, `Basic`) is kept.
fn header(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let name = name_before(text, at);
    let is_certain = names::is_header(name.text);
    if name.is_quoted
        || name.before == Some(b'=')
        || !is_certain && !names::may_be_header(name.text)
    {
        return None;
    }
    let rest = &text[at + 1..];
    let mut start = at + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len());
    start += usize::from(
        start == at + 1
            && text[start..].starts_with(['"', '\''])
            && text.quote(start) != Quote::Closes,
    );
    for scheme in names::SCHEMES {
        let given = text.get(start..start + scheme.len());
        if given.is_some_and(|given| given.eq_ignore_ascii_case(scheme)) {
            let rest = &text[start + scheme.len()..];
            if rest.starts_with(' ') {
                start += scheme.len() + 1;
            }
            break;
        }
    }
    // `Authorization: Bearer` alone names a scheme.
    let is_scheme = |given: &str| names::SCHEMES.iter().any(|one| given.eq_ignore_ascii_case(one));
    // A bare word ends with the word: `-H X-Key:value https://…`.
    let is_bare = start == at + 1 && !matches!(name.before, Some(b'"' | b'\'' | b'\n') | None);
    let given = if is_bare { value::at(text, start) } else { value::line_at(text, start) }?;
    // A line of a request, whatever quotes are in it.
    let is_line = !is_bare && !text.is_command(start) && begins_line(text, name.start);
    let end = end_of_line(text, start);
    let given = if is_line && is_certain && end > given.end && text[given.end..end].contains('=') {
        start..end
    } else {
        given
    };
    let value = &text[given.clone()];
    if value::is_keyword(first_word(value)) {
        return None;
    }
    let is_cookie = name.text.to_ascii_lowercase().ends_with("cookie");
    let is_pair = !is_cookie || value.contains('=');
    if is_scheme(value) || !is_pair || text.quote(start) == Quote::Closes {
        return None;
    }
    (is_certain && !value::is_sentence(value) || value::is_random(value)).then_some(given)
}

/// `"headers": {"Authorization": "value"}`: of a list of headers, or with a scheme before the value.
fn listed_header(text: &Text<'_>, name: &Name<'_>, at: usize) -> Option<Range<usize>> {
    let is_certain = names::is_header(name.text);
    if !name.is_quoted || !is_certain && !names::may_be_header(name.text) {
        return None;
    }
    let start = fields::behind(text, at + 1);
    if !matches!(text.quote(start), Quote::Opens(_)) {
        return None;
    }
    let given = value::at(text, start)?;
    let value = behind_scheme(text, given.clone());
    let is_one = is_certain && value.start > given.start || in_headers(text, name.start);
    is_header_value(text, &value).then_some(value).filter(|_| is_one)
}

/// Whether a name stands in the list that is called `headers`.
fn in_headers(text: &Text<'_>, at: usize) -> bool {
    let before = text.before_within(at, 192).0.to_ascii_lowercase();
    let list = before.rsplit_once("headers").map(|(_, list)| list);
    list.is_some_and(|list| list.contains(['{', '[']) && !list.contains(['}', ']']))
}

/// Returns what a header is given that may hold a secret, of a text that is one: `X-Key: value`.
pub(super) fn header_value(text: &Text<'_>, header: Range<usize>) -> Option<Range<usize>> {
    let (name, rest) = text[header.clone()].split_once(':')?;
    if !names::is_header(name) && !names::may_be_header(name) {
        return None;
    }
    let value = behind_scheme(text, header.end - rest.trim_start().len()..header.end);
    is_header_value(text, &value).then_some(value)
}

fn is_header_value(text: &Text<'_>, value: &Range<usize>) -> bool {
    let given = &text[value.clone()];
    let is_scheme = names::SCHEMES.iter().any(|one| given.eq_ignore_ascii_case(one));
    !is_scheme && value::is_at(text, value) && !value::is_sentence(given)
}

/// What stands behind the scheme (`Bearer`, `Basic`) of a header's value.
fn behind_scheme(text: &Text<'_>, value: Range<usize>) -> Range<usize> {
    let given = &text[value.clone()];
    let behind = given
        .split_once(' ')
        .filter(|(scheme, _)| names::SCHEMES.iter().any(|one| scheme.eq_ignore_ascii_case(one)));
    behind.map_or(value.clone(), |(_, rest)| value.end - rest.trim_start().len()..value.end)
}
