//! Words that nobody writes: long ones in which letters, capitals and digits follow on each other as where they are drawn at random, unless
//! they are digests, names of objects or files.

use std::ops::Range;

use super::encoded::{is_text, names_user};
use super::names::{self, ADDRESSES, ASSETS, DEVICES, DIGESTS, PUBLIC, STORES};
use super::odds::{self, Kinds, is_hex};
use super::quoting::{Quote, Text};
use super::{tokens, value};

/// The shortest part of a word that is called drawn by itself.
const LEAST: usize = 16;

/// The shortest word that is called drawn where it stands alone.
const LEAST_SHORT: usize = 8;

/// The shortest word that is called drawn as a whole, with the signs between its parts.
const LEAST_WHOLE: usize = 20;

/// The least odds, in tenths of bits, at which letters and digits are called drawn: of capitals, small letters and digits; of two of them;
/// of one, which may be abbreviations without vowels. Of words that were drawn, one in a thousand has less.
const ODDS: [i32; 3] = [90, -20, -130];

/// The same of a word with signs in it. Its parts may be short, so that abbreviations weigh more.
const WHOLE: i32 = -40;

/// From this length on a word may have less, as nothing that is written is so long and so mixed.
const LONG: usize = 32;

/// Longer words are looked at no further.
const MOST: usize = 4096;

/// Finds them, but for those that are known by their form.
pub(super) fn find(text: &Text<'_>, known: &[Range<usize>], found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !holds(bytes[at]) {
            at += 1;
            continue;
        }
        // A text that begins with what is written out: `\nVALUE`.
        let is_written =
            at > 0 && bytes[at - 1] == b'\\' && matches!(bytes[at], b'n' | b'r' | b't');
        let start = at + usize::from(is_written);
        let end = text.end_of_region(at, end_of_run(bytes, at));
        at = end;
        if end.saturating_sub(start) < LEAST_SHORT {
            continue;
        }
        let next = known.partition_point(|token| token.end <= start);
        let is_known = known.get(next).is_some_and(|token| token.start < end);
        let value = start + name(&text[start..end]);
        let is_public = || is_public(text, start, end) || is_public(text, value, end);
        if is_known || is_public() || is_labelled(text, value, end) {
            continue;
        }
        if is_serial(&text[value..end]) || names_user(&text[value..end]) {
            found.push(value..end);
        } else if !is_file(text, start, end) {
            found.extend(within(text, start, end));
        }
    }
}

const fn holds(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=')
}

/// Where a run of such bytes ends, those written as `%2B` among them.
fn end_of_run(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    loop {
        match &bytes[at..] {
            [byte, ..] if holds(*byte) => at += 1,
            [b'%', b'2', b'B' | b'b' | b'F' | b'f', ..] | [b'%', b'3', b'D' | b'd', ..] => at += 3,
            _ => return at,
        }
    }
}

/// What of a run is drawn: the parts that are, with those beside them that are no words either.
fn within(text: &Text<'_>, start: usize, end: usize) -> Option<Range<usize>> {
    let end_known = end.min(start + MOST);
    let run = &text[start..end_known];
    // A word before a line may say whose it is: `pat_0a1b2c…`.
    let is_short = |at: usize, part: &str| {
        let kinds = Kinds::of(part);
        (12..LEAST).contains(&part.len())
            && at > start
            && text[..at].ends_with('_')
            && kinds.digits.min(kinds.letters()) >= 3
            && odds::of(part) >= 60
            || (start..at).is_empty() && is_short_word(part) && stands_alone(text, start, end)
            || at > start
                && text[..at].ends_with('=')
                && is_short_word(part)
                && stands_alone(text, at, end)
    };
    let parts = || {
        let is_sign = |c: char| !c.is_ascii_alphanumeric();
        let mut next = start;
        run.split(is_sign).map(move |part| {
            let at = next;
            next += part.len() + 1;
            (at, part)
        })
    };
    let is_one = |&(at, part): &(usize, &str)| {
        let is_stored = || STORES.iter().any(|store| text[..at].ends_with(store));
        let digits = part.strip_prefix("0x").unwrap_or(part);
        let is_object =
            || is_hex(digits) && is_digest(text, start..end, at + part.len() - digits.len());
        (is_part(part) || is_short(at, part)) && !is_object() && !is_stored()
    };
    let drawn: Vec<_> = parts().filter(is_one).collect();
    let Some((&(first, _), &(last, part))) = drawn.first().zip(drawn.last()) else {
        let name = start + name(run);
        // The host and the first parts of a path.
        let is_word = |&(_, part): &(usize, &str)| {
            part.bytes().all(|byte| byte.is_ascii_lowercase()) && is_written(part)
        };
        let mut own = parts().skip_while(|(at, _)| *at < name);
        let start = own.find(|part| !is_word(part)).map_or(end, |(at, _)| at);
        let is_one = start < end && is_whole(&text[start..end_known.max(start)]);
        return is_one.then_some(start..end);
    };
    let last = last + part.len();
    // What belongs to it: base64 has signs among its letters, also side by side, and parts that are words by chance.
    let is_encoded = is_encoded(run);
    let belongs = |&(_, part): &(usize, &str)| {
        let may_be = part.len() <= 2 || part.contains(|c: char| c.is_ascii_uppercase());
        !is_written(part) || is_encoded && may_be
    };
    let is_some = |&(_, part): &(usize, &str)| !part.is_empty();
    // What it is given to ends before it.
    let is_name = |&(at, part): &(usize, &str)| text[at + part.len()..].starts_with('=');
    let before: Vec<_> = parts().take_while(|(at, _)| *at < first).collect();
    let first = before
        .into_iter()
        .rev()
        .take_while(|part| !is_name(part) && belongs(part))
        .filter(is_some)
        .last()
        .map_or(first, |(at, _)| at);
    let behind = parts().skip_while(|(at, _)| *at < last).take_while(belongs);
    let last = behind.filter(is_some).last().map_or(last, |(at, part)| at + part.len());
    let ends = |byte: &u8| *byte == b'=' || is_encoded && matches!(byte, b'+' | b'/');
    let signs = text[last..end].bytes().take_while(ends).count();
    let whole = if last == end_known { end } else { last + signs };
    Some(first..whole)
}

/// Whether the signs of a run are those of base64: a plus among letters, or two signs side by side.
fn is_encoded(run: &str) -> bool {
    let run = run.trim_start_matches(['-', '/', '_', '+']);
    run.contains('+') || ["//", "__", "--"].iter().any(|signs| run.contains(signs))
}

/// Whether a part of a word is one that people write: nothing, or letters as words have them.
fn is_written(part: &str) -> bool {
    let rest = part.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let is_word = rest.bytes().all(|byte| byte.is_ascii_lowercase());
    is_word && (part.len() <= 2 || odds::of(part) < 3 * i32::try_from(part.len()).unwrap_or(0))
}

/// Whether letters and digits are drawn, though there are few of them. Hexadecimal may be a digest that was cut.
fn is_short_word(part: &str) -> bool {
    let kinds = Kinds::of(part);
    (LEAST_SHORT..LEAST).contains(&part.len())
        && kinds.digits >= 2
        && kinds.letters() >= 3
        && !is_hex(part)
        && !part.starts_with("0x")
        && !repeats(part)
        && odds::of(part) >= 0
        && !DEVICES.iter().any(|one| part.starts_with(one))
        && !is_text(part)
}

/// Whether a run is a word by itself, and no part of a path, an address or the name of a file.
fn stands_alone(text: &Text<'_>, start: usize, end: usize) -> bool {
    let is_part = |c: char| matches!(c, '/' | '.' | '~' | '@' | '%' | '#' | '-' | '_');
    let word = before_run(text, start);
    !word.contains("://")
        && !text[..start].ends_with(is_part)
        && !text[start..end].contains('/')
        && !text[end..].starts_with(['.', '@', '%'])
}

/// Where the value begins in `name=value`. What base64 ends with is no such sign.
fn name(run: &str) -> usize {
    let Some(at) = run.trim_end_matches('=').rfind('=') else { return 0 };
    let is_value = run[at + 1..].starts_with(|c: char| c.is_ascii_alphanumeric());
    if is_value { at + 1 } else { 0 }
}

/// Returns whether a word is drawn at random, or a part of it between signs.
pub(super) fn is(word: &str) -> bool {
    let word = word.get(..word.len().min(MOST)).unwrap_or(word);
    word.bytes().all(holds)
        && word.len() >= LEAST
        && (word.split(|c: char| !c.is_ascii_alphanumeric()).any(is_part) || is_whole(word))
}

/// Whether letters and digits without signs are drawn. A few letters before may say whose it is: `AKID…`, `SK…`.
fn is_part(part: &str) -> bool {
    let bare = part.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    // An object of JSON in base64 says who may do what.
    if part.starts_with("eyJ") && part.len() >= 24 {
        return true;
    }
    if part.len() < LEAST || is_text(part) {
        return false;
    }
    is_drawn(part) || (1..=8).contains(&(part.len() - bare.len())) && is_drawn(bare)
}

fn is_drawn(part: &str) -> bool {
    if part.len() < LEAST || part.starts_with("0x") && part.len() <= 22 {
        return false;
    }
    let kinds = Kinds::of(part);
    // `2250738585072014e308` is a number.
    let is_number = kinds.letters() < 3 && kinds.digits > 8 && !is_hex(part);
    let is_long = kinds.count() > 1 || part.len() >= LEAST_WHOLE;
    let is_sure = kinds.count() == 2 && kinds.digits > 0 && part.len() >= 24;
    kinds.letters() > 0
        && is_long
        && !is_number
        && !repeats(part)
        && odds::of(part) >= ODDS[kinds.count() - 1] - if is_sure { 40 } else { 0 }
}

/// Whether it has few characters, as what fills a place has, or the letters in their order, as code has them.
fn repeats(part: &str) -> bool {
    let distinct = part.bytes().fold(0_u128, |seen, byte| seen | 1 << (byte & 127)).count_ones();
    let rows = ["ABCDEFGHIJKLMNOP", "abcdefghijklmnopqrst", "GHIJKLMNOPQRSTUV"];
    distinct < 7 || rows.iter().any(|row| part.contains(row))
}

/// Whether a word with signs in it is drawn.
fn is_whole(word: &str) -> bool {
    let kinds = Kinds::of(word);
    word.len() >= LEAST_WHOLE
        && kinds.count() == 3
        && kinds.digits >= 1
        && !word.starts_with("--")
        && !word.starts_with("0x")
        && !repeats(word)
        && odds::of(word) >= if word.len() >= LONG { 2 * WHOLE } else { WHOLE }
        && !is_text(word)
}

/// Whether it is a licence: four or more groups of capitals and digits, or of small letters that are no words, equally long.
fn is_serial(word: &str) -> bool {
    let groups = word.split('-').count();
    let length = word.split('-').next().map_or(0, str::len);
    let is_group = |is: fn(&u8) -> bool| {
        word.split('-').all(|group| group.len() == length && group.bytes().all(|byte| is(&byte)))
    };
    let kinds = Kinds::of(word);
    (4..=8).contains(&groups)
        && (4..=8).contains(&length)
        && (kinds.digits >= 3
            && kinds.capital >= 3
            && is_group(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
            || length == 4 && is_group(u8::is_ascii_lowercase) && odds::of(word) >= 20)
}

/// Finds the words that a wallet is made of again: in quotes, twelve to twenty-four of the same few thousand.
pub(super) fn phrases(text: &Text<'_>, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while at < text.len() {
        let Quote::Opens(end) = text.quote(at) else {
            at += 1;
            continue;
        };
        let inside = text.get(at + 1..end.min(at + 240)).unwrap_or("");
        let words = || inside.trim_matches('\\').rsplit(": ").next().unwrap_or(inside).split(' ');
        let is_word = |word: &str| {
            (3..=8).contains(&word.len())
                && word.bytes().all(|byte| byte.is_ascii_lowercase())
                && !value::is_function(word)
        };
        if end < at + 240
            && matches!(words().count(), 12 | 15 | 18 | 21 | 24)
            && words().all(is_word)
        {
            let start = inside.rfind(": ").map_or(0, |at| at + 2);
            found.push(at + 1 + start..end);
        }
        at += 1;
    }
}

/// Whether it is a digest, a public key or a picture: what stands before it or its own beginning say so.
fn is_public(text: &str, start: usize, end: usize) -> bool {
    let before = text.as_bytes()[start.saturating_sub(8)..start].to_ascii_lowercase();
    let digests = [b"sha256:".as_slice(), b"sha1:", b"h1:", b"md5:", b"sha512:"];
    PUBLIC.iter().any(|one| text[start..end].starts_with(one))
        || digests.iter().any(|name| before.ends_with(name))
}

/// Whether it is the name of a file: it has an ending.
fn is_file(text: &Text<'_>, start: usize, end: usize) -> bool {
    let Some(ending) = text[end..].strip_prefix('.') else { return false };
    let is_end = |c: char| !c.is_ascii_alphanumeric();
    let length = ending.find(is_end).unwrap_or(ending.len());
    let is_host = before_run(text, start).ends_with("://");
    let goes_on = ending[length..].starts_with(['.', '_', '-']);
    !is_host
        && (1..=6).contains(&length)
        && (!goes_on || odds::of(&ending[..length]) < 0)
        && ending.starts_with(|c: char| c.is_ascii_lowercase())
}

/// What stands before a run up to a blank or a quote, as far as it matters.
fn before_run<'text>(text: &Text<'text>, start: usize) -> &'text str {
    let (before, _) = text.before_within(start, 128);
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '`' | '=');
    before.rsplit(is_end).next().unwrap_or(before)
}

/// Whether it is how AWS names what it has: `i-0a1b2c3d4e5f60718`, `subnet-…`.
fn is_cloud_name(run: &str) -> bool {
    run.rsplit_once('-').is_some_and(|(kind, number)| {
        number.len() == 17
            && !kind.is_empty()
            && kind.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    })
}

/// Whether what stands before it says that it is none: a program with digests in base32 or base58, or the name of a class of styles or of
/// an identifier that has the form of a CUID.
fn is_labelled(text: &Text<'_>, start: usize, end: usize) -> bool {
    // The last part of a path.
    let (above, part) = text[start..end].rsplit_once('/').unwrap_or(("", &text[start..end]));
    let is_named = |names: &[&str]| says(names, command_before(text, end));
    if above.split('/').all(|part| part.len() < LEAST)
        && (tokens::is_shown(part)
            || PUBLIC.iter().any(|one| part.starts_with(one))
            || is_encoded_digest(part) && is_named(DIGESTS)
            || is_wallet(part) && is_named(ADDRESSES))
        || is_in_library(text, start, end)
    {
        return true;
    }
    let signs = ['"', '\'', '\\', ' '];
    let before = text.before(start, 24).trim_end_matches(signs);
    let Some(before) = before.strip_suffix(['=', ':']) else { return false };
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let name = before.trim_end_matches(signs).rsplit(is_end).next().unwrap_or("");
    let word = &text[start..end];
    let is_small = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let is_row = is_small && word.len() == 25 && word.starts_with('c');
    matches!(name, "class" | "className") || name == "id" && is_row
}

/// Whether it may be the address of a wallet in base58: no key is as short.
fn is_wallet(part: &str) -> bool {
    (26..=44).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a run is of an address of a host that names what it shows by words drawn at random.
fn is_in_library(text: &Text<'_>, start: usize, end: usize) -> bool {
    let (before, _) = text.before_within(start, 128);
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '`');
    let word = before.rsplit(is_end).next().unwrap_or(before);
    let Some((_, rest)) = word.split_once("://") else { return false };
    let rest = format!("{rest}{}", &text[start..end]);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(&rest);
    names::LIBRARIES.contains(&host.strip_prefix("www.").unwrap_or(host))
}

/// Whether it is written as digests are in base32 by Nix, or in base58 by IPFS.
fn is_encoded_digest(part: &str) -> bool {
    let is_small = || part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    part.len() == 52 && is_small() || part.len() == 46 && part.starts_with("Qm")
}

/// Whether it stands in the query of the address of a style, a script, a picture or a font, of which it says the version.
pub(super) fn is_version(text: &Text<'_>, at: usize) -> bool {
    let before = text.before(at, NEAR);
    let word = before.rsplit([' ', '"', '\'', '\n', '(']).next().unwrap_or(before);
    let path = word.split_once('?').map_or("", |(path, _)| path);
    path.rsplit_once('.').is_some_and(|(_, ending)| ASSETS.contains(&ending))
}

/// Bytes before hexadecimal in which it is looked for what says that it is a digest.
const NEAR: usize = 96;

/// Whether hexadecimal is a digest or the name of an object: a word before it in the command says so, or it is a part of a path on this
/// machine.
fn is_digest(text: &Text<'_>, run: Range<usize>, at: usize) -> bool {
    let word = before_run(text, run.start);
    let is_address = word.contains("://");
    // `action@0123…`, and a revision behind the path of an address. Behind a user stands a host.
    let has_path = || word.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
    if text[..at].ends_with('@') && (!is_address || has_path())
        || text[..at].ends_with('#') && word.contains('/')
    {
        return true;
    }
    let is_stored = || STORES.iter().any(|store| word.contains(store));
    if is_cloud_name(&text[run.clone()]) || word.starts_with("arn:") || is_stored() {
        return true;
    }
    if is_version(text, at) {
        return true;
    }
    let starts = word.is_empty() || word.starts_with(['.', '/', '~', '$']);
    if starts && text[run].contains('/') {
        return true;
    }
    let before = text.before(at, NEAR);
    let command = command_before(text, at);
    let command = if is_address { &command[command.rfind("://").unwrap_or(0)..] } else { command };
    let length = text[at..].bytes().take_while(u8::is_ascii_hexdigit).count();
    // One that is as long as digests are may be compared with one: `sha256sum x | grep HEX`.
    let is_whole = !is_address && WHOLE_DIGESTS.contains(&length);
    let line = before.rsplit(['\n', ';']).next().unwrap_or(before);
    let end = at + length;
    let is_alone = || {
        let behind = text.behind(end, NEAR).lines().next().unwrap_or("");
        length == COMMIT && is_shown(command, behind)
    };
    says_digest(if is_whole { line } else { command })
        || is_whole && (is_checked(text, end) || is_listed(text, end))
        || !is_address && is_alone()
}

/// How many digits the name of a commit has.
const COMMIT: usize = 40;

/// Whether a command shows what it is given, compares it, or looks for it, and hands it to nobody.
fn is_shown(command: &str, behind: &str) -> bool {
    const SHOW: [&str; 8] = ["echo", "test", "[", "[[", "grep", "rg", "egrep", "fgrep"];
    let last = command.rsplit("&&").next().unwrap_or(command).trim_start();
    let last = last.strip_prefix("if ").unwrap_or(last);
    SHOW.contains(&last.split(' ').next().unwrap_or(last)) && !behind.contains(['|', '>'])
}

/// Whether the name of a file stands behind a digest, as programs that make digests write it: `HEX  FILE`, `HEX *FILE`.
fn is_listed(text: &Text<'_>, end: usize) -> bool {
    let file = ["  ", " *"].iter().find_map(|between| text[end..].strip_prefix(between));
    file.is_some_and(|file| {
        file.starts_with(|c: char| c.is_ascii_alphanumeric() || "./_".contains(c))
    })
}

/// What stands before a place in its command, as far as it matters.
fn command_before<'text>(text: &Text<'text>, at: usize) -> &'text str {
    let before = text.before(at, NEAR);
    before.rsplit(['\n', ';', '|']).next().unwrap_or(before)
}

/// How many digits digests have.
const WHOLE_DIGESTS: [usize; 6] = [32, 40, 56, 64, 96, 128];

fn says_digest(text: &str) -> bool {
    says(DIGESTS, text)
}

/// Whether one of these words stands in a text.
fn says(names: &[&str], text: &str) -> bool {
    let is_end = |c: char| !c.is_ascii_alphanumeric();
    let is_one = |word: &str| names.iter().any(|one| word.eq_ignore_ascii_case(one));
    text.split(is_end).any(|word| is_one(word) || is_one(word.trim_matches(char::is_numeric)))
}

/// Whether what is printed is handed to a program that checks digests: `echo "HEX  FILE" | sha256sum -c`.
fn is_checked(text: &Text<'_>, end: usize) -> bool {
    let line = text.behind(end, NEAR).lines().next().unwrap_or("");
    let line = line.split(';').next().unwrap_or(line);
    let program = line.split_once('|').map_or("", |(_, program)| program.trim_start());
    let name = program.split(' ').next().unwrap_or(program);
    program.contains(" -") && name.ends_with("sum") && says_digest(name)
}

/// Returns whether a value is hexadecimal of which the command says that it is a digest or the name of an object.
pub(super) fn is_object(text: &Text<'_>, value: &Range<usize>) -> bool {
    is_hex(&text[value.clone()]) && is_digest(text, value.clone(), value.start)
}
