//! Tildes where bash expands them (bash manual, 3.5.2).

use super::Reader;
use super::cursor::is_name;
use crate::model::{Reason, Span};
use crate::syntax::script::{Part, PartKind, Word};

/// Where in a word a tilde is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tilde {
    /// At the start.
    Start,
    /// At the start and after every `:`.
    StartAndColon,
    /// At the start; and in a word that looks like an assignment after the `=` and every `:`.
    StartOrAssignment,
    /// Nowhere.
    Keep,
}

impl Reader<'_> {
    /// Makes parts of the tildes that expand.
    pub(super) fn tilde(word: Word, tilde: Tilde) -> Word {
        let holds = |part: &Part| matches!(&part.kind, PartKind::Literal(text) if !part.quoted && text.contains('~'));
        if tilde == Tilde::Keep || !word.parts.iter().any(holds) {
            return word;
        }
        let mut assigned = tilde == Tilde::StartAndColon;
        let Word { span, parts } = word;
        let mut split = Vec::with_capacity(parts.len() + 1);
        let many = parts.len();
        for (index, part) in parts.into_iter().enumerate() {
            let PartKind::Literal(text) = &part.kind else {
                split.push(part);
                continue;
            };
            if part.quoted {
                split.push(part);
                continue;
            }
            let mut places = Vec::new();
            if index == 0 {
                places.push(0);
                if tilde == Tilde::StartOrAssignment
                    && let Some(equals) = assignment_end(text)
                {
                    assigned = true;
                    places = vec![equals];
                }
            }
            if assigned {
                places.extend(text.match_indices(':').map(|(at, _)| at + 1));
            }
            let last = index + 1 == many;
            split_tildes(text, part.span, &places, last, &mut split);
        }
        Word { span, parts: split }
    }

    /// Notes a tilde right before braces: the name is only there once they are written out.
    pub(super) fn note_tilde_before_braces(&mut self, word: &Word) {
        let [first, second, ..] = word.parts.as_slice() else { return };
        let PartKind::Literal(text) = &first.kind else { return };
        let braces = matches!(second.kind, PartKind::Brace(_) | PartKind::BraceTooMany(_));
        if braces && !first.quoted && text.starts_with('~') && !text.contains('/') {
            let what = "a tilde right before braces".to_owned();
            self.note(Reason::Syntax(what), word.span);
        }
    }
}

/// Splits the unquoted text of one part at the tildes that stand at these places.
fn split_tildes(text: &str, span: Span, places: &[usize], last: bool, out: &mut Vec<Part>) {
    let exact = span.len() == text.len();
    let place = |from: usize, to: usize| {
        if exact { Span::new(span.start + from, span.start + to) } else { span }
    };
    let literal = |from: usize, to: usize| Part {
        span: place(from, to),
        quoted: false,
        kind: PartKind::Literal(text[from..to].to_owned()),
    };
    let mut plain = 0;
    for at in places.iter().copied() {
        if at < plain || !text[at..].starts_with('~') {
            continue;
        }
        let rest = &text[at + 1..];
        let end = rest.find(['/', ':']).map_or(text.len(), |length| at + 1 + length);
        // A prefix that runs into a quoted part or an expansion is not expanded (`~"a"`, `~$x`); into braces it
        // is, once they are written out.
        if end == text.len() && !last {
            continue;
        }
        if text[at..end].contains(['*', '?', '[']) {
            continue;
        }
        if plain < at {
            out.push(literal(plain, at));
        }
        let kind = PartKind::Tilde(text[at..end].to_owned());
        out.push(Part { span: place(at, end), quoted: false, kind });
        plain = end;
    }
    if plain < text.len() {
        out.push(literal(plain, text.len()));
    }
}

/// Returns where the value begins in text that looks like an assignment.
fn assignment_end(text: &str) -> Option<usize> {
    let equals = text.find('=')?;
    let name = text[..equals].strip_suffix('+').unwrap_or(&text[..equals]);
    let fits = !name.is_empty()
        && !name.starts_with(|it: char| it.is_ascii_digit())
        && name.bytes().all(is_name);
    fits.then_some(equals + 1)
}
