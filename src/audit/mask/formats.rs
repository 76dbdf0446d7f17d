//! What `printf` puts behind names: `printf 'a: 1\npassword: %s\n' VALUE`, `printf '%s=%s' NAME VALUE`, `printf -v NAME %s VALUE`.

use std::ops::Range;

use super::names;
use super::pairs::name_before;
use super::quoting::Text;
use super::value;
use super::words::in_command;

/// Values of one command that are looked at.
const MOST: usize = 32;

/// Finds them behind the word `printf`.
pub(super) fn find(text: &Text<'_>, printf: &Range<usize>, found: &mut Vec<Range<usize>>) {
    let is_argument = |word: &Range<usize>| !text[word.clone()].starts_with('>');
    let words = in_command(text, printf.end).take(MOST).take_while(is_argument);
    let mut words = words.map(|word| value::inside(text, word)).collect::<Vec<_>>().into_iter();
    let Some(mut format) = words.next() else { return };
    let mut variable = "";
    if &text[format.clone()] == "-v" {
        let (Some(name), Some(next)) = (words.next(), words.next()) else { return };
        (variable, format) = (&text[name], next);
    }
    let places = places(text, format.clone());
    let mut before = variable;
    for (value, place) in words.zip(places.iter().cycle()) {
        let named = named(text, format.start, *place);
        let name = named.unwrap_or(before);
        let given = &text[value.clone()];
        let is_one = names::of(name).is_some_and(|holds| holds.is(given))
            && !names::is_name(given, name)
            && value::is_at(text, &value);
        before = &text[value.clone()];
        found.extend(Some(value).filter(|_| is_one));
    }
}

/// Where a format takes values.
fn places(text: &Text<'_>, format: Range<usize>) -> Vec<usize> {
    let start = format.start;
    let bytes = &text.as_bytes()[format];
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at + 1..];
        match (byte, rest.first()) {
            (b'%', Some(b'%')) => at += 1,
            (b'%', Some(_)) => places.push(start + at),
            _ => {}
        }
        at += 1;
    }
    places
}

/// The name that a format has before a place: `NAME=%s`, `"NAME": "%s"`.
fn named<'text>(text: &'text Text<'_>, start: usize, place: usize) -> Option<&'text str> {
    let before = text[start..place].trim_end_matches(['"', '\'', '\\', ' ']);
    let before = before.strip_suffix(['=', ':'])?;
    // `%s=%s` takes the name, too.
    let name = name_before(text, start + before.len()).text;
    (!name.is_empty() && !before.ends_with("%s")).then_some(name)
}
