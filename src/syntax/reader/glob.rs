//! Patterns in the unquoted text of a word: `*`, `?` and `[…]`.

use super::{Read, Reader};
use crate::model::Span;
use crate::syntax::script::{Part, PartKind, Word};

impl Reader<'_> {
    /// Splits the unquoted text of a word where patterns stand in it.
    pub(super) fn globs(&mut self, word: Word) -> Read<Word> {
        if !word.parts.iter().any(holds_pattern) {
            return Ok(word);
        }
        let Word { span, parts } = word;
        let mut split = Vec::with_capacity(parts.len() + 2);
        for (at, part) in parts.iter().enumerate() {
            match &part.kind {
                PartKind::Literal(text) if !part.quoted => {
                    let closes_later = parts[at + 1..].iter().any(closes_bracket);
                    split_text(text, part.span, closes_later, &mut split);
                }
                _ => split.push(part.clone()),
            }
        }
        self.meter.nodes += u32::try_from(split.len()).unwrap_or(u32::MAX / 2);
        self.node()?;
        Ok(Word { span, parts: split })
    }
}

fn holds_pattern(part: &Part) -> bool {
    let PartKind::Literal(text) = &part.kind else { return false };
    !part.quoted && text.contains(['*', '?', '['])
}

fn closes_bracket(part: &Part) -> bool {
    matches!(&part.kind, PartKind::Literal(text) if !part.quoted && text.contains(']'))
}

/// Splits text into literals and patterns. A `[` that closes only after a quoted part or an expansion is a pattern
/// of its own, so that what stands between stays visible.
fn split_text(text: &str, span: Span, closes_later: bool, out: &mut Vec<Part>) {
    // Where line continuations were taken out, places inside are not known: each piece gets the whole.
    let exact = span.len() == text.len();
    let mut push = |from: usize, to: usize, glob: bool| {
        if from == to {
            return;
        }
        let piece = text[from..to].to_owned();
        let span = if exact { Span::new(span.start + from, span.start + to) } else { span };
        let kind = if glob { PartKind::Glob(piece) } else { PartKind::Literal(piece) };
        out.push(Part { span, quoted: false, kind });
    };
    let bytes = text.as_bytes();
    let last_bracket = text.rfind(']');
    let mut plain = 0;
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at] {
            b'*' | b'?' => at + 1,
            b'[' => match bracket_end(bytes, at, last_bracket) {
                Some(end) => end,
                None if closes_later => at + 1,
                None => at,
            },
            _ => at,
        };
        if end == at {
            at += 1;
            continue;
        }
        push(plain, at, false);
        push(at, end, true);
        plain = end;
        at = end;
    }
    push(plain, bytes.len(), false);
}

/// Returns the end of the bracket expression that begins at `open`, if it has one in this text.
fn bracket_end(bytes: &[u8], open: usize, last: Option<usize>) -> Option<usize> {
    last.filter(|last| *last > open)?;
    let mut at = open + 1;
    if matches!(bytes.get(at), Some(b'!' | b'^')) {
        at += 1;
    }
    // A `]` that comes first stands for itself.
    if bytes.get(at) == Some(&b']') {
        at += 1;
    }
    while at < bytes.len() {
        match bytes[at] {
            b']' => return Some(at + 1),
            b'/' => return None,
            b'[' if matches!(bytes.get(at + 1), Some(b':' | b'.' | b'=')) => {
                let kind = bytes[at + 1];
                let close = bytes[at + 2..].windows(2).position(|it| it == [kind, b']']);
                at = close.map_or(at + 1, |close| at + 2 + close + 2);
            }
            _ => at += 1,
        }
    }
    None
}
