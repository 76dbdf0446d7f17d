//! Secrets that a program gets on standard input: from `echo` or `printf` before a pipe, from a here-string, from a here-document.

use std::ops::Range;

use super::options::Piece;
use super::value;
use super::words::in_command;

/// Bytes that are looked at before and behind the program. Looking no further keeps the search linear.
const NEAR: usize = 2048;

/// Finds what goes into the program that this word names.
pub(super) fn find(
    text: &str,
    program: &Range<usize>,
    piece: Piece,
    found: &mut Vec<Range<usize>>,
) {
    piped(text, program.start, piece, found);
    let end = (program.end..=text.len().min(program.end + NEAR)).rev();
    let end = end.into_iter().find(|end| text.is_char_boundary(*end)).unwrap_or(program.end);
    let behind = &text[program.end..end];
    let Some(at) = behind.find("<<") else { return };
    // Behind the end of the command it belongs to another one.
    if behind[..at].contains(['\n', ';', '|', '&']) {
        return;
    }
    let start = program.end + at + 2;
    match text[start..].strip_prefix('<') {
        Some(rest) => {
            let value = text.len() - rest.trim_start().len();
            found.extend(value::at(text, value).and_then(|word| piece.of(text, word)));
        }
        None => document(text, start, piece, found),
    }
}

/// The words of the `echo` or `printf` before the pipe that the program reads.
fn piped(text: &str, program: usize, piece: Piece, found: &mut Vec<Range<usize>>) {
    let start = program.saturating_sub(NEAR);
    let start = (start..program).find(|start| text.is_char_boundary(*start)).unwrap_or(program);
    let Some(pipe) = text[start..program].rfind('|').map(|at| start + at) else { return };
    // What stands between starts the program: `sudo`, `env`, a path.
    if text[pipe..program].contains(['\n', ';']) || text[start..pipe].ends_with('|') {
        return;
    }
    let before = &text[start..pipe];
    let printers = ["echo ", "printf ", "print "].map(|name| Some((before.rfind(name)?, name)));
    let Some((at, name)) = printers.into_iter().flatten().max() else { return };
    let words = in_command(text, start + at + name.len()).take_while(|word| word.start < pipe);
    for word in words.filter(|word| !text[word.clone()].starts_with('-')) {
        let word = value::inside(text, word);
        // A format alone says nothing.
        let is_format = text[word.clone()].starts_with('%') && text[word.clone()].len() <= 4;
        if !is_format {
            found.extend(piece.of(text, word));
        }
    }
}

/// The lines of a here-document whose delimiter stands here.
fn document(text: &str, start: usize, piece: Piece, found: &mut Vec<Range<usize>>) {
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
        found.extend(piece.of(text, at..at + line.trim_end().len()));
        at += length + 1;
    }
}
