//! Secrets that a program gets on standard input, from `echo` or `printf` before a pipe, a here-string, a here-document or a substitution,
//! and those that are written to a file which is named after them.

use std::ops::Range;

use super::columns;
use super::names;
use super::options::Piece;
use super::quoting::Text;
use super::value;
use super::words::in_command;

/// Bytes that are looked at before and behind the program. Looking no further keeps the search linear.
const NEAR: usize = 2048;

/// Bytes of a script that does nothing but answer.
const ANSWER: usize = 192;

/// Finds what goes into the program that this word names.
pub(super) fn find(
    text: &Text<'_>,
    program: &Range<usize>,
    piece: Piece,
    found: &mut Vec<Range<usize>>,
) {
    piped(text, program.start, piece, found);
    let behind = text.behind(program.end, NEAR);
    let Some(at) = behind.find("<<") else { return };
    // Behind the end of the command it belongs to another one.
    if behind[..at].contains(['\n', ';', '|', '&']) {
        return;
    }
    let start = program.end + at + 2;
    match text[start..].strip_prefix('<') {
        Some(rest) => {
            let value = text.len() - rest.trim_start().len();
            let Some(word) = value::at(text, value) else { return };
            let has_parts = text[word.clone()].contains("\\n") || text[word.clone()].contains(' ');
            if piece == Piece::Likely && has_parts {
                parts(text, word, found);
            } else {
                found.extend(piece.of(text, word));
            }
        }
        None => document(text, start, piece, found),
    }
}

/// The words of the `echo` or `printf` before the pipe that the program reads.
fn piped(text: &Text<'_>, program: usize, piece: Piece, found: &mut Vec<Range<usize>>) {
    let before = text.before(program, NEAR);
    let start = program - before.len();
    let Some(pipe) = before.rfind('|').map(|at| start + at) else { return };
    // What stands between starts the program: `sudo`, `env`, a path.
    if text[pipe..program].contains(['\n', ';']) || text[start..pipe].ends_with('|') {
        return;
    }
    let end = start + text[start..pipe].trim_end().len();
    match group(text, start, end) {
        Some(open) => {
            for start in printers(text, open..end) {
                print(text, start, end, piece, found);
            }
        }
        None => printed(text, start, pipe, piece, found),
    }
}

/// Where the group opens that ends here: `(echo value; echo value) |`.
fn group(text: &Text<'_>, start: usize, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let (open, close) = match bytes.get(end.checked_sub(1)?)? {
        b')' => (b'(', b')'),
        b'}' => (b'{', b'}'),
        _ => return None,
    };
    let mut depth = 0_usize;
    let begin = (start..end).rev().find(|at| {
        depth += usize::from(bytes[*at] == close);
        depth = depth.saturating_sub(usize::from(bytes[*at] == open));
        depth == 0
    })?;
    // `${…}` and `$(…)` are no groups.
    let before = begin.checked_sub(1).map(|at| bytes[at]);
    before.is_none_or(|byte| b" \t\n;|&(".contains(&byte)).then_some(begin)
}

/// How commands begin that print what stands behind.
const PRINTERS: [&str; 5] = ["echo ", "printf ", "print ", "yes ", "<<< "];

/// Where the words of each command begin that prints something in a part.
fn printers(text: &Text<'_>, part: Range<usize>) -> Vec<usize> {
    let Some(given) = text.get(part.clone()) else { return Vec::new() };
    let each = |name: &'static str| given.match_indices(name).map(|(at, name)| at + name.len());
    let mut starts: Vec<usize> =
        PRINTERS.into_iter().flat_map(each).map(|at| part.start + at).collect();
    starts.sort_unstable();
    starts
}

/// The words that the last `echo` or `printf` of a part prints, and what a program there gets as a here-string.
pub(super) fn printed(
    text: &Text<'_>,
    start: usize,
    end: usize,
    piece: Piece,
    found: &mut Vec<Range<usize>>,
) {
    let start = start.max(end.saturating_sub(NEAR));
    let start = (start..end).find(|start| text.is_char_boundary(*start)).unwrap_or(end);
    if let Some(start) = printers(text, start..end).pop() {
        print(text, start, end, piece, found);
    }
}

/// The words of a command that prints them.
fn print(text: &Text<'_>, start: usize, end: usize, piece: Piece, found: &mut Vec<Range<usize>>) {
    let words = in_command(text, start).take_while(|word| word.start < end);
    for word in words.filter(|word| !text[word.clone()].starts_with('-')) {
        // Quotes around the command end the last one.
        let behind = word.end;
        let word = value::inside(text, word.start..word.end.min(end));
        // A format alone says nothing.
        let is_format = text[word.clone()].starts_with('%') && text[word.clone()].len() <= 4;
        if is_format {
            continue;
        }
        // `printf '%s:%s' user value`
        if piece == Piece::Password && text[word.clone()].contains("%s") {
            let last = in_command(text, behind).take_while(|word| word.start < end).last();
            let last = last.map(|last| value::inside(text, last.start..last.end.min(end)));
            found.extend(last.and_then(|last| Piece::All.of(text, last)));
            return;
        }
        if piece != Piece::Likely {
            found.extend(piece.of(text, word));
            continue;
        }
        // A text of several words is no password, but says what to do; a line among others may be one.
        for line in columns::lines(text, word) {
            if !text[line.clone()].contains(' ') {
                parts(text, line, found);
            }
        }
    }
}

/// The words of a text that look like passwords, and those of lines that are written out.
fn parts(text: &Text<'_>, word: Range<usize>, found: &mut Vec<Range<usize>>) {
    let ends = [' ', '\t', ':', '\\', '"', '=', ',', '\n'];
    let mut at = word.start;
    for part in text[word].split_inclusive(ends) {
        let value = part.trim_end_matches(ends);
        let is_escape = at > 0 && text.as_bytes()[at - 1] == b'\\';
        let skip = usize::from(is_escape && value.starts_with(['n', 'r', 't']));
        let range = at + skip..at + value.len();
        if !range.is_empty() {
            found.extend(Piece::Likely.of(text, range));
        }
        at += part.len();
    }
}

/// The word that a script prints which does nothing else: `#!/bin/sh\necho value`.
pub(super) fn answered(text: &Text<'_>, start: usize, found: &mut Vec<Range<usize>>) {
    let rest = text.rest(start);
    if rest.len() > ANSWER {
        return;
    }
    let is_some = |line: &Range<usize>| !text[line.clone()].trim().is_empty();
    let mut lines = columns::lines(text, start..start + rest.len()).skip(1).filter(is_some);
    if let (Some(line), None) = (lines.next(), lines.next())
        && text[line.clone()].split(['|', ';', '&']).count() == 1
    {
        printed(text, line.start, line.end, Piece::Likely, found);
    }
}

/// What `<(echo value)` hands to a program, unless it compares or shows it.
pub(super) fn from_process(text: &Text<'_>, open: usize, found: &mut Vec<Range<usize>>) {
    let command = text.before(open, 64).rsplit(['\n', ';', '|', '&']).next().unwrap_or("");
    let shows = ["diff", "comm", "paste", "join", "cat", "cmp"];
    if command.split([' ', '/']).any(|word| shows.contains(&word)) {
        return;
    }
    // `--password-file=<(echo value)`, `sshpass -f <(echo value)`
    let option = command.trim_end_matches(['<', '=', ' ']).rsplit(' ').next().unwrap_or("");
    let name = option.trim_start_matches('-').trim_end_matches("file").trim_end_matches(['-', '_']);
    let makes_one = || command.split(' ').any(|word| names::MAKERS.contains(&word));
    let is_named = names::is_secret(name) || makes_one();
    let piece = if is_named { Piece::Word } else { Piece::Likely };
    printed(text, open + 1, text.around(open).end, piece, found);
}

/// What `echo` writes to a file that is named after a secret: `> .vault_pass`, `| tee db.token`.
pub(super) fn into_file(text: &Text<'_>, file: &Range<usize>, found: &mut Vec<Range<usize>>) {
    let before = text.before(file.start, NEAR);
    let start = file.start - before.len();
    let before = before.trim_end_matches([' ', '\t', '"', '\'']);
    let is_target = before.ends_with('>') || before.ends_with("tee") || before.ends_with("tee -a");
    if !is_target {
        return;
    }
    let path = &text[file.clone()];
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(".txt").unwrap_or(name).trim_start_matches('.');
    let is_place = names::SECRET_FILES.iter().any(|one| path.contains(one));
    if !is_place && !names::is_secret(stem) {
        return;
    }
    let command = before.trim_end_matches(['>', ' ']);
    let command = command.rsplit(['\n', ';', '&']).next().unwrap_or(command);
    let end = start + before.len();
    let begin = end - before.len().min(command.len() + 4);
    if let Some(start) = printers(text, begin..end).pop() {
        let words = || in_command(text, start).take_while(|word| word.start < end);
        words().for_each(|word| parts(text, value::inside(text, word), found));
        // `host user value`, `host user:value`
        if names::LOGIN_FILES.iter().any(|one| path.contains(one)) {
            words().for_each(|word| last(text, value::inside(text, word), found));
        }
        // One word in a file that is called so is what it says.
        let mut operands = words().filter(|word| !text[word.clone()].starts_with(['-', '>']));
        if let (Some(word), None) = (operands.next(), operands.next())
            && names::is_secret(stem)
        {
            let word = value::inside(text, word);
            let is_one = value::is_word_alone(&text[word.clone()]);
            found.extend(Piece::Word.of(text, word).filter(|_| is_one));
        }
    }
    // `cat > FILE <<E`
    let behind = text.get(file.end..text.len().min(file.end + 64)).unwrap_or("");
    let line = behind.lines().next().unwrap_or(behind);
    if let Some(at) = line.find("<<").or_else(|| command.find("<<").map(|_| 0)) {
        let start = file.end + at + if line[at..].starts_with("<<") { 2 } else { 0 };
        document(text, start, Piece::Likely, found);
    }
}

/// The third word of a text, or what stands behind the colon of its second.
fn last(text: &Text<'_>, words: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut given = text[words.clone()].split(' ').filter(|word| !word.is_empty()).skip(1);
    let Some(second) = given.next() else { return };
    let word =
        second.split_once(':').map(|(_, value)| value).or_else(|| given.find(|word| *word != "*"));
    let start = word.and_then(|word| Some((text[words.clone()].rfind(word)?, word.len())));
    let range = start.map(|(at, length)| words.start + at..words.start + at + length);
    found.extend(range.and_then(|range| Piece::Word.of(text, range)));
}

/// The lines of a here-document whose delimiter stands here.
fn document(text: &Text<'_>, start: usize, piece: Piece, found: &mut Vec<Range<usize>>) {
    let rest = text[start..].trim_start_matches(['-', ' ', '\t', '\\']);
    let word = rest.trim_start_matches(['\'', '"']);
    let length = word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
    let delimiter = &word[..length];
    let Some(body) = word.find('\n').filter(|_| length > 0) else { return };
    let mut at = text.len() - word.len() + body + 1;
    let end = text.len().min(at + NEAR);
    while at < end {
        let length = text[at..].find('\n').unwrap_or(text.len() - at);
        let line = &text[at..at + length];
        if line.trim() == delimiter {
            break;
        }
        if piece == Piece::Likely {
            parts(text, at..at + line.len(), found);
            // `user bob value` of a client's script.
            if line.starts_with("user ") && line.split(' ').count() == 3 {
                last(text, at..at + line.len(), found);
            }
        } else {
            found.extend(piece.of(text, at..at + line.trim_end().len()));
        }
        at += length + 1;
    }
}
