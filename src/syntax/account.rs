//! Holds a script to its promise: every byte is in a word, an operator, a comment or an opaque part.
//! For tests and fuzzing; judging a line does not need it.

use super::reader::{delimiter, is_reserved};
use super::script::{CommandKind, Part, PartKind, RedirectOperator, Script, Word};
use super::walk::{Descend, Node};
use crate::model::Span;

/// Returns the first bytes that no node accounts for.
#[doc(hidden)]
#[must_use]
pub fn unaccounted(text: &[u8], script: &Script) -> Option<Span> {
    let mut ledger = Ledger { text, held: Vec::new(), names: Vec::new(), torn: None };
    ledger.held.extend(script.opaque.iter().map(|it| it.span));
    ledger.script(script);
    ledger.torn.or_else(|| ledger.gap(script.span))
}

struct Ledger<'a> {
    text: &'a [u8],
    held: Vec<Span>,
    /// Names that stand outside words: of functions, loop variables and coprocesses.
    names: Vec<&'a str>,
    torn: Option<Span>,
}

impl<'a> Ledger<'a> {
    /// Notes what the nodes of one script hold; scripts inside words are held by their words.
    fn script(&mut self, script: &'a Script) {
        let opaque = &script.opaque;
        script.walk(&mut |node| {
            match node {
                Node::Command(command) => self.command(&command.kind),
                Node::Assignment(assignment) => {
                    self.held.push(assignment.span);
                }
                Node::Redirect(redirect) => {
                    self.held.push(redirect.span);
                    if let Some(body) = &redirect.body {
                        let tabs = redirect.operator == RedirectOperator::HereDocumentTabs;
                        self.held.push(body.span.to(self.delimiter(
                            body.span,
                            &redirect.target,
                            tabs,
                        )));
                    }
                }
                Node::Word(word) => {
                    self.held.push(word.span);
                    if !opaque
                        .iter()
                        .any(|it| it.span.start < word.span.end && word.span.start < it.span.end)
                    {
                        self.tiled(word);
                    }
                }
                Node::Statement(_) | Node::Part(_) | Node::Script(_) => {}
            }
            Descend::Into
        });
    }

    fn command(&mut self, kind: &'a CommandKind) {
        match kind {
            CommandKind::For { variable: name, .. }
            | CommandKind::Function { name, .. }
            | CommandKind::Coproc { name: Some(name), .. } => self.names.push(name),
            _ => {}
        }
    }

    /// Returns the span of the line that ends a here-document.
    fn delimiter(&self, body: Span, target: &Word, tabs: bool) -> Span {
        let mut at = body.end;
        while tabs && self.text.get(at) == Some(&b'\t') {
            at += 1;
        }
        let raw = &self.text[target.span.start..target.span.end];
        let written = match target.literal() {
            Some(text) if std::str::from_utf8(raw).is_ok() => text.into_bytes(),
            _ => delimiter(raw).map_or_else(|_| raw.to_vec(), |(delimiter, _)| delimiter),
        };
        for byte in written {
            at = self.join(at);
            if self.text.get(at) != Some(&byte) {
                return Span::new(body.end, body.end);
            }
            at += 1;
        }
        Span::new(body.end, at)
    }

    fn join(&self, mut at: usize) -> usize {
        while self.text.get(at..at + 2) == Some(b"\\\n") {
            at += 2;
        }
        at
    }

    /// The parts of a word stand side by side in it, and hold all its bytes.
    fn tiled(&mut self, word: &Word) {
        let mut at = word.span.start;
        for Part { span, kind, .. } in &word.parts {
            let outside = span.end > word.span.end || span.start < word.span.start;
            if outside || span.start > at && !self.blank(at, span.start) {
                self.torn = self.torn.or(Some(*span));
            }
            if let PartKind::Command(script)
            | PartKind::ProcessInput(script)
            | PartKind::ProcessOutput(script) = kind
                && span.to(script.span) != *span
            {
                self.torn = self.torn.or(Some(script.span));
            }
            at = at.max(span.end);
        }
        if at < word.span.end && !self.blank(at, word.span.end) {
            self.torn = self.torn.or(Some(word.span));
        }
    }

    /// Returns whether nothing but blanks and line continuations stands between two places.
    fn blank(&self, from: usize, to: usize) -> bool {
        self.text[from..to].iter().all(|byte| matches!(byte, b'\\' | b'\n' | b'\t'))
    }

    /// Returns the first bytes between what is held that are no operator, reserved word, name or comment.
    fn gap(&mut self, whole: Span) -> Option<Span> {
        self.held.sort();
        let mut at = whole.start;
        let held = std::mem::take(&mut self.held);
        for span in held.iter().copied().chain([Span::new(whole.end, whole.end)]) {
            if span.start > at
                && let Some(torn) = self.unknown(at, span.start)
            {
                return Some(torn);
            }
            at = at.max(span.end);
        }
        None
    }

    fn unknown(&self, from: usize, to: usize) -> Option<Span> {
        let mut at = from;
        while at < to {
            let rest = &self.text[at..to];
            let known = match rest[0] {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' => 1,
                b'\\' if rest.get(1) == Some(&b'\n') => 2,
                b'#' => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
                _ => self.token(rest),
            };
            if known == 0 {
                return Some(Span::new(at, to));
            }
            at += known;
        }
        None
    }

    /// Returns the length of the reserved word or name that begins here.
    fn token(&self, rest: &[u8]) -> usize {
        let mut end = 0;
        while end < rest.len() {
            if rest[end..].starts_with(b"\\\n") {
                end += 2;
            } else if b" \t\n;&|()<>".contains(&rest[end]) {
                break;
            } else {
                end += 1;
            }
        }
        let token: Vec<u8> = joined(&rest[..end]);
        let plain = String::from_utf8_lossy(&token);
        // `time` has options.
        let known = is_reserved(&plain)
            || matches!(plain.as_ref(), "-p" | "--")
            || self.names.contains(&plain.as_ref());
        if known { end } else { 0 }
    }
}

/// Returns the bytes without line continuations.
fn joined(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(b"\\\n") {
            at += 2;
            continue;
        }
        out.push(bytes[at]);
        at += 1;
    }
    out
}
