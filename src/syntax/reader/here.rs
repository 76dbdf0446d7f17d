//! Bodies of here-documents, which begin after the line that announced them.

use super::parts::{Parts, Quoting};
use super::quoted::Context;
use super::{Origin, Pending, Read, Reader, Stop};
use crate::model::{Reason, Span};
use crate::syntax::script::{HereDocument, Word};

/// The bytes of a body as the command will get them, or as they are read further, with their places.
#[derive(Default)]
struct Body {
    text: Vec<u8>,
    places: Vec<usize>,
}

impl Reader<'_> {
    /// Reads the bodies that are due, standing on the first byte of the line after the announcement.
    pub(super) fn here_documents(&mut self) -> Read<()> {
        let mut end = None;
        for pending in std::mem::take(&mut self.pending) {
            end = self.here_document(&pending)?;
            if end.is_some() {
                break;
            }
        }
        if let Some(end) = end {
            self.position = end;
        }
        Ok(())
    }

    /// At the end of the text what is still due is empty. Bash warns and goes on.
    pub(super) fn end_of_text(&mut self) -> Read<()> {
        self.position = self.text.len();
        self.here_documents()
    }

    /// Reads one body. Returns where reading goes on if its last line also closes a substitution.
    fn here_document(&mut self, pending: &Pending) -> Read<Option<usize>> {
        let start = self.position;
        let mut body = Body::default();
        let mut resume = None;
        let mut end = None;
        while self.position < self.text.len() {
            let line = self.position;
            let kept = body.text.len();
            self.line(pending, &mut body);
            let read = &body.text[kept..];
            let bare = read.strip_suffix(b"\n").unwrap_or(read);
            let closes = self.substitutions > 0
                && bare.starts_with(&pending.delimiter)
                && bare[pending.delimiter.len()..].contains(&b')');
            if bare == pending.delimiter || closes {
                if closes && bare != pending.delimiter {
                    // Bash 5.2: `EOF)` on the last line of a substitution ends both.
                    let place = body.places[kept + pending.delimiter.len()];
                    resume = self.local(place, line);
                }
                body.text.truncate(kept);
                body.places.truncate(kept);
                end = Some(line);
                break;
            }
        }
        self.steps(self.position - start)?;
        self.body_is_open |= end.is_none();
        let span = self.span(start, end.unwrap_or(self.text.len()));
        let content = self.content(pending, body, span)?;
        let document = HereDocument { span, quoted: pending.quoted, content };
        self.found.bodies.push((pending.redirect, document));
        Ok(resume)
    }

    /// Reads a line. Where the body is expanded, a backslash joins it with the next before anything else is asked.
    fn line(&mut self, pending: &Pending, body: &mut Body) {
        if pending.tabs {
            while self.raw(self.position) == b'\t' {
                self.position += 1;
            }
        }
        while self.position < self.text.len() {
            let byte = self.text[self.position];
            if !pending.quoted && byte == b'\\' {
                let next = self.text.get(self.position + 1).copied();
                if next == Some(b'\n') {
                    self.position += 2;
                    continue;
                }
                self.keep(body, byte);
                if next.is_some() {
                    self.keep(body, next.unwrap_or_default());
                }
                continue;
            }
            self.keep(body, byte);
            if byte == b'\n' {
                return;
            }
        }
    }

    fn keep(&mut self, body: &mut Body, byte: u8) {
        body.text.push(byte);
        body.places.push(self.span(self.position, self.position).start);
        self.position += 1;
    }

    fn content(&mut self, pending: &Pending, mut body: Body, span: Span) -> Read<Word> {
        body.places.push(span.end);
        let Body { text, places } = body;
        if pending.quoted {
            let part = self.apart(&text, Origin::Each(places), |reader| {
                let bytes = reader.text.to_vec();
                reader.literal(bytes, 0, reader.text.len(), Quoting::Quoted)
            });
            return Ok(Word { span, parts: vec![part] });
        }
        let mut parts = Parts::default();
        let read = self.deeper(|reader| {
            reader.apart(&text, Origin::Each(places), |reader| {
                let read = reader.quoted(Context::Text, &mut parts);
                reader.flush(&mut parts);
                read
            })
        });
        self.node()?;
        match read {
            Ok(()) => {}
            // Bash expands a body only when it runs, so an error in it is its own: the rest of the line stands.
            Err(Stop { reason: reason @ Reason::Syntax(_), .. }) => self.note(reason, span),
            Err(stop) => return Err(stop),
        }
        Ok(Word { span, parts: parts.list })
    }

    /// Returns the place in this text of a byte of the command line that stands at or after `from`.
    fn local(&self, place: usize, from: usize) -> Option<usize> {
        (from..=self.text.len()).find(|at| self.span(*at, *at).start >= place)
    }
}
