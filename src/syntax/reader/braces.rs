//! Brace expansion (bash manual, 3.5.1): which braces of a word expand, and into what.

use super::tilde::Tilde;
use super::{Read, Reader, refused};
use crate::model::{Reason, Span};
use crate::syntax::limits::{MAX_BRACE_MARKS, MAX_BRACE_WORDS, MAX_BRACE_WORDS_HELD};
use crate::syntax::script::{Part, PartKind, Word};

/// A word cut at its unquoted braces and commas.
#[derive(Clone, Debug)]
enum Piece {
    Part(Part),
    Text(String, Span),
    Mark(u8, Span),
}

impl Piece {
    const fn span(&self) -> Span {
        match self {
            Self::Part(part) => part.span,
            Self::Text(_, span) | Self::Mark(_, span) => *span,
        }
    }
}

impl Reader<'_> {
    /// Writes out the braces of a word that expand.
    pub(super) fn braces(&mut self, word: Word) -> Read<Word> {
        let opens = |part: &Part| matches!(&part.kind, PartKind::Literal(text) if !part.quoted && text.contains('{'));
        if !word.parts.iter().any(opens) {
            return Ok(word);
        }
        let pieces = cut(&word.parts);
        let marks = pieces.iter().filter(|it| matches!(it, Piece::Mark(..))).count();
        if marks > MAX_BRACE_MARKS {
            self.note(Reason::TooManyParts, word.span);
            return Ok(word);
        }
        self.steps(marks * marks)?;
        let word = Word { span: word.span, parts: self.parts_of(&pieces)? };
        if word.expansions_in_all() > MAX_BRACE_WORDS_HELD {
            self.note(Reason::TooManyParts, word.span);
        }
        self.note_tilde_before_braces(&word);
        Ok(word)
    }

    fn parts_of(&mut self, pieces: &[Piece]) -> Read<Vec<Part>> {
        let mut parts = Vec::new();
        let mut at = 0;
        while at < pieces.len() {
            let open = matches!(pieces[at], Piece::Mark(b'{', _));
            let close = if open { closing(&pieces[at + 1..]).map(|it| at + 1 + it) } else { None };
            if let Some(close) = close {
                let span = pieces[at].span().to(pieces[close].span());
                self.expand(&pieces[at..=close], span, &mut parts)?;
                at = close + 1;
            } else {
                push_plain(&mut parts, &pieces[at]);
                at += 1;
            }
        }
        Ok(parts)
    }

    /// Expands one pair of braces, given with them.
    fn expand(&mut self, pieces: &[Piece], span: Span, parts: &mut Vec<Part>) -> Read<()> {
        let inner = &pieces[1..pieces.len() - 1];
        let lists = alternatives(inner);
        if lists.len() == 1 {
            return self.sequence(pieces, span, parts);
        }
        let first = parts.is_empty();
        let mut words = Vec::with_capacity(lists.len());
        let mut total = 0_usize;
        for list in lists {
            let bounds = list.first().map_or(Span::new(span.end, span.end), |first| {
                first.span().to(list[list.len() - 1].span())
            });
            let inside = self.deeper(|reader| reader.parts_of(list))?;
            let word = Word { span: bounds, parts: inside };
            total = total.saturating_add(word.expansions());
            self.node()?;
            words.push(if first { self.tilde_in_braces(word) } else { word });
        }
        let kind = if total > MAX_BRACE_WORDS {
            self.note_hidden(inner, span);
            let all = words.iter().map(Word::expansions_in_all);
            PartKind::BraceTooMany(all.fold(0, usize::saturating_add))
        } else {
            PartKind::Brace(words)
        };
        parts.push(Part { span, quoted: false, kind });
        Ok(())
    }

    /// What is not written out is not seen: say so where commands may be among it.
    fn note_hidden(&mut self, inner: &[Piece], span: Span) {
        let plain = |piece: &Piece| match piece {
            Piece::Part(part) => matches!(part.kind, PartKind::Literal(_)),
            Piece::Text(..) | Piece::Mark(..) => true,
        };
        if !inner.iter().all(plain) {
            self.note(Reason::TooManyParts, span);
        }
    }

    /// A tilde at the start of an alternative at the start of a word expands, up to a slash.
    fn tilde_in_braces(&mut self, word: Word) -> Word {
        let Some(Part { kind: PartKind::Literal(text), quoted: false, .. }) = word.parts.first()
        else {
            return word;
        };
        if !text.starts_with('~') {
            return word;
        }
        if !text.contains('/') {
            let what = "a tilde inside braces without a slash after it".to_owned();
            self.note(Reason::Syntax(what), word.span);
        }
        Self::tilde(word, Tilde::Start)
    }

    fn sequence(&mut self, pieces: &[Piece], span: Span, parts: &mut Vec<Part>) -> Read<()> {
        let words = match &pieces[1..pieces.len() - 1] {
            [Piece::Text(text, _)] => sequence(text),
            _ => None,
        };
        let Some(words) = words else {
            // Braces that expand to nothing stay as they are, with what stands between.
            if pieces[1..pieces.len() - 1].iter().any(|it| matches!(it, Piece::Mark(..))) {
                return Err(refused("braces inside a brace sequence"));
            }
            for piece in pieces {
                push_plain(parts, piece);
            }
            return Ok(());
        };
        let kind = match words {
            Sequence::Words(texts) => {
                self.meter.nodes += u32::try_from(texts.len()).unwrap_or(u32::MAX / 2);
                self.node()?;
                PartKind::Brace(texts.into_iter().map(|text| literal_word(text, span)).collect())
            }
            Sequence::TooMany(words) => PartKind::BraceTooMany(words),
        };
        parts.push(Part { span, quoted: false, kind });
        Ok(())
    }
}

fn literal_word(text: String, span: Span) -> Word {
    let part = Part { span, quoted: false, kind: PartKind::Literal(text) };
    Word { span, parts: vec![part] }
}

fn cut(parts: &[Part]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for part in parts {
        let PartKind::Literal(text) = &part.kind else {
            pieces.push(Piece::Part(part.clone()));
            continue;
        };
        if part.quoted || !text.contains(['{', ',', '}']) {
            let text = text.clone();
            pieces.push(if part.quoted {
                Piece::Part(part.clone())
            } else {
                Piece::Text(text, part.span)
            });
            continue;
        }
        let exact = part.span.len() == text.len();
        let place = |from: usize, to: usize| {
            if exact { Span::new(part.span.start + from, part.span.start + to) } else { part.span }
        };
        let mut plain = 0;
        for (at, mark) in text.match_indices(['{', ',', '}']) {
            if plain < at {
                pieces.push(Piece::Text(text[plain..at].to_owned(), place(plain, at)));
            }
            pieces.push(Piece::Mark(mark.as_bytes()[0], place(at, at + 1)));
            plain = at + 1;
        }
        if plain < text.len() {
            pieces.push(Piece::Text(text[plain..].to_owned(), place(plain, text.len())));
        }
    }
    pieces
}

/// Returns where the brace closes that opened before these pieces. Like bash, it looks for the first closing brace
/// of its level after a comma or two dots of its level, and passes over others.
fn closing(pieces: &[Piece]) -> Option<usize> {
    let mut level = 0_u32;
    let mut separated = false;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Mark(b'{', _) => level += 1,
            Piece::Mark(b'}', _) if level > 0 => level -= 1,
            Piece::Mark(b'}', _) if separated => return Some(at),
            Piece::Mark(b',', _) if level == 0 => separated = true,
            Piece::Text(text, _) if level == 0 => {
                let ends = matches!(pieces.get(at + 1), Some(Piece::Mark(b'}', _)));
                let dots = text.find("..").is_some_and(|dots| !ends || dots + 2 < text.len());
                separated = separated || dots;
            }
            Piece::Part(_) | Piece::Text(..) | Piece::Mark(..) => {}
        }
    }
    None
}

/// Splits at the commas of the outermost level.
fn alternatives(pieces: &[Piece]) -> Vec<&[Piece]> {
    let mut lists = Vec::new();
    let mut level = 0_u32;
    let mut start = 0;
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Mark(b'{', _) => level += 1,
            Piece::Mark(b'}', _) => level = level.saturating_sub(1),
            Piece::Mark(b',', _) if level == 0 => {
                lists.push(&pieces[start..at]);
                start = at + 1;
            }
            Piece::Part(_) | Piece::Text(..) | Piece::Mark(..) => {}
        }
    }
    lists.push(&pieces[start..]);
    lists
}

/// Adds a piece that does not expand, joined to the text before it.
fn push_plain(parts: &mut Vec<Part>, piece: &Piece) {
    let (text, span) = match piece {
        Piece::Part(part) => return parts.push(part.clone()),
        Piece::Text(text, span) => (text.as_str(), *span),
        Piece::Mark(b'{', span) => ("{", *span),
        Piece::Mark(b'}', span) => ("}", *span),
        Piece::Mark(_, span) => (",", *span),
    };
    if let Some(Part { span: before, quoted: false, kind: PartKind::Literal(joined) }) =
        parts.last_mut()
    {
        joined.push_str(text);
        *before = before.to(span);
        return;
    }
    parts.push(Part { span, quoted: false, kind: PartKind::Literal(text.to_owned()) });
}

enum Sequence {
    Words(Vec<String>),
    TooMany(usize),
}

/// Writes out `a..e`, `1..9..2`, `01..10`. None if it is no sequence.
fn sequence(text: &str) -> Option<Sequence> {
    let mut ends = text.splitn(3, "..");
    let (first, last) = (ends.next()?, ends.next()?);
    let step = match ends.next() {
        Some(step) => number(step)?,
        None => 1,
    };
    let step = i128::from(step).abs().max(1);
    if let (Some(from), Some(to)) = (letter(first), letter(last)) {
        let mixed =
            first.as_bytes()[0].is_ascii_lowercase() != last.as_bytes()[0].is_ascii_lowercase();
        if mixed {
            // Between `Z` and `a` stand a backslash and a backtick.
            return Some(Sequence::TooMany(MAX_BRACE_WORDS));
        }
        return Some(count(from, to, step, |value| {
            u8::try_from(value).map_or_else(|_| String::new(), |byte| char::from(byte).to_string())
        }));
    }
    let (from, to) = (number(first)?, number(last)?);
    let padded = [first, last].iter().any(|it| {
        let digits = it.trim_start_matches(['-', '+']);
        digits.len() > 1 && digits.starts_with('0')
    });
    let width = if padded { first.len().max(last.len()) } else { 0 };
    Some(count(from.into(), to.into(), step, |value| format!("{value:0width$}")))
}

fn count(from: i128, to: i128, step: i128, write: impl Fn(i128) -> String) -> Sequence {
    let many = (to - from).abs() / step + 1;
    if many > MAX_BRACE_WORDS as i128 {
        return Sequence::TooMany(usize::try_from(many).unwrap_or(usize::MAX));
    }
    let step = if to < from { -step } else { step };
    Sequence::Words((0..many).map(|turn| write(from + turn * step)).collect())
}

fn letter(text: &str) -> Option<i128> {
    match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i128::from(*byte)),
        _ => None,
    }
}

fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}
