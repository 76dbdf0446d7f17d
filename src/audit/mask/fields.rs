//! Secrets that stand apart from their names: below them, in lists, in fields for values, between tags, as arguments of a call.

use std::ops::Range;

use super::names::{self, CALLS, Holds, VALUES};
use super::pairs::name_before;
use super::quoting::{Quote, Text};
use super::{drawn, value};

/// Bytes around a field, in a list or in a call that are looked at. Looking no further keeps the search linear.
const NEAR: usize = 192;

/// Bytes of a list that are looked at.
const LIST: usize = 256;

/// Lines below a name that are looked at.
const LINES: usize = 8;

/// The first place behind `at` that is no blank.
pub(super) fn behind(text: &Text<'_>, at: usize) -> usize {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    at + text.as_bytes()[at.min(text.len())..].iter().take_while(is_blank).count()
}

/// Returns the texts in quotes from a place on, up to an end.
pub(super) fn literals<'a>(
    text: &'a Text<'_>,
    start: usize,
    end: usize,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut at = start;
    std::iter::from_fn(move || {
        while at < end.min(text.len()) {
            let Quote::Opens(close) = text.quote(at) else {
                at += 1;
                continue;
            };
            let start = at + 1 + usize::from(text.as_bytes()[at] == b'\\');
            at = close + 1 + usize::from(text.as_bytes()[close] == b'\\');
            return Some(start..close.max(start));
        }
        None
    })
}

/// Where a bracket closes that opens at `open`, as far as it is looked for.
fn closing(text: &Text<'_>, open: usize, near: usize) -> usize {
    let bytes = &text.as_bytes()[..text.around(open).end.min(open + near)];
    let mut depth = 0_usize;
    let mut at = open;
    while let Some(byte) = bytes.get(at) {
        if let Quote::Opens(close) = text.quote(at) {
            at = close.max(at) + 1;
            continue;
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        at += 1;
    }
    at
}

/// `["value", "value"]`, `("user", "value")`, `(value value)` of a shell.
pub(super) fn list(
    text: &Text<'_>,
    open: usize,
    holds: Holds,
    found: &mut Vec<Range<usize>>,
) -> Option<Range<usize>> {
    // `[]byte("value")`
    let open = if text[open..].starts_with("[]byte(") { open + "[]byte".len() } else { open };
    if !matches!(text.as_bytes().get(open), Some(b'(' | b'[')) {
        return None;
    }
    let end = closing(text, open, LIST);
    let is_one = |range: &Range<usize>| {
        let value = &text[range.clone()];
        let is_alike = value::is_alike(value);
        value::is_at(text, range) && (is_alike || holds == Holds::Always && value::is_random(value))
            || holds == Holds::Word && value::is_word_alone(value)
    };
    if text.is_command(open) && text.as_bytes()[open] == b'(' {
        let mut at = open + 1;
        while at < end {
            let word = at..text.end_of_word(at).min(end);
            at = word.end + 1;
            found.extend(
                Some(value::inside(text, word)).filter(|word| !word.is_empty() && is_one(word)),
            );
        }
        return None;
    }
    found.extend(literals(text, open, end).filter(is_one));
    None
}

/// The texts behind colons of `{"name": "value"}`, where the whole object holds secrets.
pub(super) fn object(text: &Text<'_>, open: usize, found: &mut Vec<Range<usize>>) {
    if text.as_bytes().get(open) != Some(&b'{') {
        return;
    }
    let end = closing(text, open, LIST);
    found.extend(literals(text, open, end).filter(|range| {
        let before = text[open..range.start].trim_end_matches(['"', '\'', '\\', ' ']);
        before.ends_with(':') && range.len() >= 4 && value::is_at(text, range)
    }));
}

/// What stands on the lines below a name that has nothing behind it: a text of several lines, or a list.
pub(super) fn below(text: &Text<'_>, at: usize, name: usize, found: &mut Vec<Range<usize>>) {
    let around = text.around(at);
    if text.is_command(at) {
        return;
    }
    let lines = text.rest(at);
    let Some(length) = lines.find('\n') else { return };
    let is_block = |c: char| matches!(c, ' ' | '|' | '>' | '-' | '+');
    if length > 4 || !lines[..length].trim_matches(is_block).is_empty() {
        return;
    }
    let before = text.before(name, NEAR.min(name.saturating_sub(around.start)));
    let margin = before.rsplit('\n').next().map_or(0, str::len);
    let are_many = text[name..at].trim_end_matches([':', ' ', '"', '\'']).ends_with('s');
    let mut start = at + length + 1;
    for line in lines[length + 1..].lines().take(LINES) {
        let value = line.trim_start();
        let indent = line.len() - value.len();
        let item = value.strip_prefix("- ").unwrap_or(value);
        let is_below = indent > margin || item.len() < value.len() || value.starts_with('"');
        if !is_below || value.is_empty() || item.ends_with(':') {
            break;
        }
        // `secrets:` above `name: value`
        if let Some((_, given)) = item.split_once(": ") {
            let given = given.trim_matches(['"', '\'', ' ']);
            let range = start + line.rfind(given).unwrap_or(0);
            let range = range..range + given.len();
            if !are_many || !value::is_alike(given) || !value::is_at(text, &range) {
                break;
            }
            found.push(range);
            start += line.len() + 1;
            continue;
        }
        let item = item.trim_matches(['"', '\'', ',', ' ']);
        let range = start + line.find(item).unwrap_or(0);
        let range = range..range + item.len();
        // `root:value`, as lists of users have it.
        let value = item.rsplit_once(':').map_or(item, |(_, value)| value);
        if value::is_at(text, &range) && !value::is_sentence(item) && value.len() >= 6 {
            found.push(range.end - value.len()..range.end);
        }
        start += line.len() + 1;
    }
}

/// `value: X` beside `name: PASSWORD`, `default="X"` beside `"--password"`, in whatever order.
pub(super) fn beside(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let name = name_before(text, at);
    let lower = name.text.to_ascii_lowercase();
    if !VALUES.iter().any(|value| lower.ends_with(value)) {
        return None;
    }
    let start = behind(text, at + 1);
    // Without quotes, a part of a word as `secret,id=x,data=value`.
    let is_word = text.is_command(start) && !matches!(text.quote(start), Quote::Opens(_));
    if is_word && name.before != Some(b',') {
        return None;
    }
    let given = value::setting_at(text, start)?;
    let around = text.around(at);
    let (before, _) = text.before_within(at, NEAR);
    // `secret,id=x,data=value`: of an object whose kind stands first, all that is given as its data is one.
    let object = before.rsplit([' ', '"', '\'']).next().unwrap_or(before);
    let is_kind = object.split(',').next().is_some_and(names::is_secret);
    if text.as_bytes()[at] == b'=' && name.before == Some(b',') && is_kind {
        let comma = text[given.clone()].find(',').unwrap_or(given.len());
        return Some(given.start..given.start + comma).filter(|given| !given.is_empty());
    }
    let before = if is_word { before.rsplit(' ').next().unwrap_or(before) } else { before };
    let before = before.rsplit(['}', ';']).next().unwrap_or(before);
    let before = before.rsplit("\n- ").next().unwrap_or(before);
    let behind = text.behind(given.end, around.end.saturating_sub(given.end).min(NEAR / 2));
    let behind = behind.split(['}', ';', '>']).next().unwrap_or(behind);
    let behind = behind.split("\n- ").next().unwrap_or(behind);
    let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let names_one = |near: &str| {
        near.split(is_end).any(|word| {
            let word = word.trim_start_matches('-');
            names::are_secrets(word) || names::of(word).is_some()
        })
    };
    let value = &text[given.clone()];
    let is_quoted = !is_word && matches!(text.quote(start), Quote::Opens(_));
    let is_given = |near: &str| {
        named(near).is_some_and(|name| !names::is_name(value, name))
            && !value.is_empty()
            && (is_quoted || !value::is_code(value))
    };
    let is_alike = value::is_alike(value);
    let is_one = names_one(before) || names_one(behind);
    (is_alike && is_one || is_given(before) || is_given(behind)).then_some(given)
}

/// The name of a secret that a field for names holds: `name: PASSWORD`, `"key": "TOKEN"`. What stands in the field for its value is a secret then,
/// whatever it looks like.
fn named(near: &str) -> Option<&str> {
    let is_sign = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let fields = near.split([',', '{', '[', '\n', '&']);
    fields.filter_map(|field| field.split_once([':', '='])).find_map(|(field, name)| {
        let field = field.trim_matches(is_sign).trim_start_matches(['-', ' ']);
        let field = field.rsplit(is_sign).next().unwrap_or(field).to_ascii_lowercase();
        // What is quoted ends with its quote: `name="password" value`.
        let name = name.trim_start_matches([' ', '\\']);
        let quoted = name.strip_prefix(['"', '\'']).and_then(|name| name.split(['"', '\'']).next());
        let name = quoted.unwrap_or(name).trim_matches(is_sign);
        let is_field = ["name", "key", "variable"].iter().any(|one| field.ends_with(one));
        (is_field && names::is_secret(name)).then_some(name)
    })
}

/// `<name>value</name>`, `<entry key="name">value</entry>`, `<key>name</key><string>value</string>`.
pub(super) fn element(text: &Text<'_>, at: usize) -> Option<Range<usize>> {
    let (before, tag) = text.before_within(at, NEAR).0.rsplit_once('<')?;
    let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if tag.contains(['!', '[', '('])
        || tag.starts_with(['/', '?'])
        || tag.ends_with(['/', '-', '='])
    {
        return None;
    }
    // Whatever the tag is: `<td>name</td><td>value</td>`.
    let key = before
        .trim_end()
        .strip_suffix('>')
        .and_then(|before| before.rsplit_once("</"))
        .and_then(|(before, _)| before.rsplit('>').next());
    // `<password><value>value</value></password>`
    let outer = || {
        let (_, outer) = before.trim_end().strip_suffix('>')?.rsplit_once('<')?;
        VALUES.iter().any(|value| tag.eq_ignore_ascii_case(value)).then_some(outer)
    };
    let is_named = tag.split(is_end).any(names::is_secret)
        || key.is_some_and(names::is_secret)
        || outer().is_some_and(names::is_secret);
    let holds = if is_named { Some(Holds::Always) } else { names::of(tag) };
    let holds =
        holds.filter(|holds| matches!(holds, Holds::Always | Holds::Word | Holds::Password))?;
    let end = text.around(at).end.min(at + 1024).max(at + 1);
    let rest = text.get(at + 1..end)?;
    let inside = rest.strip_prefix("<![CDATA[");
    let start = at + 1 + if inside.is_some() { "<![CDATA[".len() } else { 0 };
    let body = inside.unwrap_or(rest);
    let body = &body[..body.find(['<', ']'])?];
    let value = body.trim();
    let start = start + body.find(value).unwrap_or(0);
    let is_name = names::is_name(value, "");
    let is_one = value::is_secret(value) && !value::is_sentence(value) && !is_name;
    (is_one && holds.is(value)).then_some(start..start + value.len())
}

/// What stands behind an option in a list: `"--name", "VALUE"`, or `- --name` above `- VALUE`.
pub(super) fn listed(text: &Text<'_>, option: &Range<usize>) -> Option<Range<usize>> {
    let rest = text.behind(option.end, NEAR);
    let bare = rest.strip_prefix('\\').unwrap_or(rest);
    let bare = bare.strip_prefix(['"', '\'']).unwrap_or(bare);
    let given = if let Some(value) = bare.strip_prefix(',').filter(|_| bare.len() < rest.len()) {
        let start = option.end + rest.len() - value.trim_start().len();
        Some(start).filter(|start| matches!(text.quote(*start), Quote::Opens(_)))
    } else {
        let value = bare.trim_start_matches(' ').strip_prefix('\n')?.trim_start_matches(' ');
        let value = value.strip_prefix("- ")?.trim_start_matches(' ');
        let before = text.before(option.start, NEAR).trim_end_matches(['"', '\'']);
        let line = before.rsplit('\n').next().unwrap_or(before);
        (line.trim() == "-").then_some(option.end + rest.len() - value.len())
    };
    let given = value::setting_at(text, given?)?;
    let value = &text[given.clone()];
    let is_one = !value.starts_with('-') && (!value.contains(' ') || value::is_alike(value));
    is_one.then_some(given)
}

/// `login("user", "value")`: of a call that takes a secret, the texts that look like one.
pub(super) fn call(
    text: &Text<'_>,
    at: usize,
    found: &mut Vec<Range<usize>>,
) -> Option<Range<usize>> {
    let name = name_before(text, at).text;
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_service = || {
        let words = name.split(['.', ':', '_']).map(str::to_ascii_lowercase);
        words.into_iter().any(|word| names::SERVICES.contains(&word.as_str()))
    };
    let is_one = CALLS.contains(&last.to_ascii_lowercase().as_str()) || is_service();
    let is_next = name.is_empty() && text[..at].trim_end().ends_with("),");
    let is_insert = || {
        let before = text.before(at, NEAR);
        let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let is_row = last.eq_ignore_ascii_case("values")
            || is_next && before.to_ascii_lowercase().contains("values");
        is_row
            && before.split(is_end).any(|word| names::are_secrets(word) || word.ends_with("users"))
    };
    // `gsub(/NAME/, "value")`
    let is_replaced = || {
        let rest = text.rest(at + 1);
        let old = rest.split(',').next().unwrap_or("");
        let is_end = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        ["sub", "gsub", "replace", "replaceAll"].contains(&last)
            && old.len() <= NEAR
            && old.split(is_end).any(|word| names::is_secret(word.trim_matches('_')))
    };
    let end = closing(text, at, NEAR);
    // `page.fill("#password", "value")`, `getByLabel("Password").fill("value")`
    let fills = || {
        let (near, _) = text.before_within(at, NEAR / 2);
        let before = near.rsplit([';', '\n']).next().unwrap_or("");
        let first = literals(text, at, end).next().map_or("", |range| &text[range]);
        let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'));
        let mut words = before.split(is_end).chain(first.split(is_end));
        names::FILLERS.iter().any(|one| last.eq_ignore_ascii_case(one))
            && (words.any(|word| names::is_secret(&word.to_ascii_lowercase()))
                // What was asked for before: `expect("assword")`
                || near.contains("assword"))
    };
    let before = text.before(at, NEAR / 2).trim_end().to_ascii_lowercase();
    if before.ends_with("values") || is_next {
        found.extend(inserted(text, at, end));
    }
    // `auth=("user", "value")`
    let behind_sign =
        || text[..at].strip_suffix('=').map(|before| name_before(text, before.len()).text);
    let given_to = if name.is_empty() { behind_sign().unwrap_or("") } else { last };
    found.extend(placed(text, at, end, given_to));
    if is_hashed(text, at, last) {
        let first = arguments(text, at, end).into_iter().find(|(number, _)| *number == 0);
        let is_one = |range: &Range<usize>| {
            value::is_word_alone(&text[range.clone()]) && value::is_at(text, range)
        };
        found.extend(first.map(|(_, range)| range).filter(is_one));
    }
    if is_service() || last.eq_ignore_ascii_case("connect") {
        found.extend(hosted(text, at, end));
    }
    if is_keyed(text, at, name) {
        found.extend(literals(text, at + 1, end).filter(|range| is_key(text, at, range)));
        return None;
    }
    if !is_one && !is_insert() && !is_replaced() && !fills() {
        return None;
    }
    found.extend(literals(text, at, end).filter(|range| {
        let value = &text[range.clone()];
        // `#password` names the field.
        let is_name = names::is_secret(value.trim_start_matches(['#', '.', '[']));
        value::is_alike(value) && !is_name && !drawn::is_object(text, range)
    }));
    None
}

/// `(name, password) VALUES ('x', 'value')`: what is given to the column of a secret, whatever it looks like.
fn inserted(text: &Text<'_>, open: usize, end: usize) -> Vec<Range<usize>> {
    let before = text.before(open, NEAR);
    let values = before.to_ascii_lowercase().rfind("values");
    let head = values.map_or("", |at| before[..at].trim_end());
    let columns = head.strip_suffix(')').and_then(|head| head.rsplit('(').next()).unwrap_or("");
    let is_sign = |c: char| !(c.is_alphanumeric() || c == '_');
    let columns: Vec<&str> = columns.split(',').map(|one| one.trim_matches(is_sign)).collect();
    if !columns.iter().any(|column| names::is_secret(column)) {
        return Vec::new();
    }
    let given = arguments(text, open, end).into_iter().filter(|(number, range)| {
        let column = columns.get(*number).copied().unwrap_or("");
        let is_one = names::is_secret(column) && !names::is_name(&text[range.clone()], column);
        is_one && value::is_at(text, range)
    });
    given.map(|(_, range)| range).collect()
}

/// The texts in quotes among the arguments of a call, each with the number of its argument.
fn arguments(text: &Text<'_>, open: usize, end: usize) -> Vec<(usize, Range<usize>)> {
    let (mut at, mut depth, mut number) = (open + 1, 0_usize, 0);
    let mut given = Vec::new();
    while at < end {
        if let Quote::Opens(close) = text.quote(at) {
            let start = at + 1 + usize::from(text.as_bytes()[at] == b'\\');
            given.push((number, start..close.max(start)));
            at = close.max(at) + 1;
            continue;
        }
        match text.as_bytes()[at] {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => number += 1,
            _ => {}
        }
        at += 1;
    }
    given
}

/// The password of a call that takes it at a place of its own: `login("user", "value")`.
fn placed(text: &Text<'_>, open: usize, end: usize, name: &str) -> Option<Range<usize>> {
    let place = |row: &&str| {
        let (known, place) = row.split_once(':')?;
        if name.eq_ignore_ascii_case(known) { place.parse::<usize>().ok() } else { None }
    };
    let place = names::PLACED.iter().find_map(place)?;
    let given = arguments(text, open, end).into_iter().find(|(number, _)| number + 1 == place);
    let (_, range) = given?;
    let value = &text[range.clone()];
    let is_one = value::is_word_alone(value) && !names::is_name(value, name);
    (is_one && value::is_at(text, &range)).then_some(range)
}

/// The third of a call's texts where all before are texts, too: `connect("host", "user", "value")`; the second, where the third is an address.
fn hosted(text: &Text<'_>, open: usize, end: usize) -> Option<Range<usize>> {
    let given = arguments(text, open, end);
    let [(0, _), (1, second), (2, third), ..] = given.as_slice() else { return None };
    let range = if text[third.clone()].contains("://") { second } else { third };
    let is_one = value::is_word_alone(&text[range.clone()]) && value::is_at(text, range);
    is_one.then(|| range.clone())
}

/// Whether a call signs with a key: `jwt.sign(claims, "key")`, `createHmac("sha256", "key")`.
fn is_keyed(text: &Text<'_>, at: usize, name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    let (before, _) = text.before_within(at, 64);
    let before = before.rsplit([';', '\n']).next().unwrap_or("").to_ascii_lowercase();
    names::KEYED.contains(&last.as_str()) && names::SIGNERS.iter().any(|one| before.contains(one))
}

/// Whether a call takes a password first to make or to compare a hash of it: `bcrypt.hash("value", 10)`.
fn is_hashed(text: &Text<'_>, at: usize, name: &str) -> bool {
    let (before, _) = text.before_within(at, 64);
    let before = before.rsplit([';', '\n']).next().unwrap_or("").to_ascii_lowercase();
    names::HASHED.iter().any(|one| name.eq_ignore_ascii_case(one))
        && names::HASHERS.iter().any(|one| before.contains(one))
}

/// Whether a text in such a call is a key: no name of a method or of a file, and no part of an object.
fn is_key(text: &Text<'_>, open: usize, range: &Range<usize>) -> bool {
    let value = &text[range.clone()];
    let before = &text[open..range.start];
    value.len() >= 8
        && before.matches('{').count() == before.matches('}').count()
        && !before.trim_end_matches(['"', '\'', 'b', ' ']).ends_with('=')
        && !value.contains(['/', '.', ' '])
        && value::is_at(text, range)
}

/// `NAME=$(echo value)`: what the substitution prints.
pub(super) fn substituted(text: &Text<'_>, start: usize, found: &mut Vec<Range<usize>>) -> bool {
    let rest = &text[start..];
    let rest = rest.strip_prefix('"').unwrap_or(rest);
    let Some(inside) = rest.strip_prefix("$(").or_else(|| rest.strip_prefix('`')) else {
        return false;
    };
    if ["echo ", "printf "].iter().any(|name| inside.starts_with(name)) || inside.contains("<<< ") {
        let begin = text.len() - inside.len();
        super::input::printed(
            text,
            begin,
            text.around(begin).end,
            super::options::Piece::Likely,
            found,
        );
    }
    true
}
