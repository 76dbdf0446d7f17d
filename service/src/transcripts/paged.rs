//! One page of a transcript: some items before a place, or those behind one. Read from there on, whatever the file's size.

use std::collections::HashSet;
use std::fs::File;
use std::io;

use serde_json::Value;

use super::gemini::{self, Rewrites};
use super::item::{self, Came, Item, What};
use super::lines::{Lines, Span};
use super::places::Format;

/// Items of a page, lines that are gone through for them, and bytes of those.
pub(super) const ITEMS: usize = 120;
const LINES: usize = 4_000;
/// Lines that are looked for together.
const TOGETHER: usize = 64;
const BYTES: u64 = 8 << 20;
/// Lines and bytes behind a page in which is looked for what came of its calls.
const AHEAD: usize = 64;
const AHEAD_BYTES: u64 = 1 << 20;

/// Which page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// The last.
    #[default]
    End,
    /// What is before a place, and where what was taken back begins, if that is further before.
    Before(String, Option<String>),
    /// What is behind a place, or was changed since.
    From(String),
    /// What is behind a place, in order.
    After(String),
}

impl At {
    /// Returns the part that is named so: what is before a place counts before what is behind one, and without both it is the last.
    pub fn named(before: Option<String>, until: Option<String>, from: Option<String>) -> Self {
        match (before, from) {
            (Some(before), _) => Self::Before(before, until),
            (None, Some(from)) => Self::From(from),
            (None, None) => Self::End,
        }
    }
}

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paged {
    /// What it shows, oldest first.
    pub items: Vec<Item>,
    /// What came of its calls, as is said behind it.
    pub came: Vec<Came>,
    /// Where the page before ends; none where there is none.
    pub before: Option<(String, Option<String>)>,
    /// From where on what is written later stands.
    pub end: String,
    /// Whether there is more behind it.
    pub has_more: bool,
    /// A last line that is not finished.
    pub unfinished: Option<String>,
    /// Bytes that were read for it.
    pub read: u64,
}

pub(super) fn page(file: &File, format: Format, at: &At) -> io::Result<Paged> {
    let mut lines = Lines::of(file)?;
    let place = |text: &str| text.parse().unwrap_or(lines.length);
    let mut paged = match at {
        At::End => before(&mut lines, format, u64::MAX, None)?,
        At::Before(place_before, until) => {
            let place = place(place_before);
            before(&mut lines, format, place, until.as_deref())?
        }
        At::From(from) | At::After(from) => {
            let place = place(from);
            behind(&mut lines, format, place)?
        }
    };
    paged.read = lines.read;
    Ok(paged)
}

/// Reads what stands behind a place, if it is whole.
fn behind(lines: &mut Lines<'_>, format: Format, from: u64) -> io::Result<Paged> {
    let mut paged = Paged { end: from.to_string(), ..Paged::default() };
    if from > lines.length {
        let what = What::Damaged("The file was written anew: load the page again.".to_owned());
        paged.items.push(item(what, from, "anew", 0));
        return Ok(paged);
    }
    let (mut at, mut count) = (from, 0);
    while paged.items.len() < ITEMS && count < LINES && at - from < BYTES {
        let Some(span) = lines.next(at, u64::MAX)? else { break };
        let read = lines.line(&span)?;
        if !span.is_ended {
            paged.unfinished = read.damage;
            break;
        }
        let mut found = Vec::new();
        take(read.value, read.damage, format, span.at, &mut found);
        paged.items.extend(found);
        (at, count) = (span.end(), count + 1);
    }
    paged.end = at.to_string();
    paged.has_more = paged.unfinished.is_none() && at < lines.length;
    paged.before = (from > 0).then(|| (from.to_string(), None));
    Ok(paged)
}

/// Reads what stands before a place, from there back.
fn before(
    lines: &mut Lines<'_>,
    format: Format,
    place: u64,
    until: Option<&str>,
) -> io::Result<Paged> {
    let mut paged = Paged::default();
    let mut back = Back {
        format,
        written: HashSet::new(),
        used: HashSet::new(),
        until: until.map(str::to_owned),
    };
    if place < lines.length {
        back.look_ahead(lines, place, &mut paged)?;
    }
    let begin = place.min(lines.length);
    let (mut first, mut count) = (begin, 0);
    let mut unfinished_at = None;
    while first > 0 && paged.items.len() < ITEMS && count < LINES && begin - first < BYTES {
        for span in &lines.back(first, TOGETHER, BYTES)? {
            let read = lines.line(span)?;
            (first, count) = (span.at, count + 1);
            if !span.is_ended && span.end() == lines.length {
                unfinished_at = Some(span.at);
                // One that is whole lacks no more than its newline.
                if read.value.is_none() {
                    paged.unfinished = read.damage;
                    continue;
                }
            }
            back.take(read.value, read.damage, span, &mut paged.items);
            if paged.items.len() >= ITEMS {
                break;
            }
        }
    }
    paged.items.reverse();
    paged.before = (first > 0).then(|| (first.to_string(), back.until));
    paged.has_more = place < lines.length;
    let end = unfinished_at.unwrap_or(lines.length);
    paged.end = place.min(end).to_string();
    Ok(paged)
}

/// What is known of what stands further on, when a transcript is read backwards.
struct Back {
    format: Format,
    /// Messages that were written anew.
    written: HashSet<String>,
    /// Answers of which the usage was seen.
    used: HashSet<String>,
    /// The message before which the conversation was taken up again.
    until: Option<String>,
}

impl Back {
    fn look_ahead(
        &mut self,
        lines: &mut Lines<'_>,
        from: u64,
        paged: &mut Paged,
    ) -> io::Result<()> {
        let mut at = from;
        for _ in 0..AHEAD {
            if at - from > AHEAD_BYTES {
                break;
            }
            let Some(span) = lines.next(at, AHEAD_BYTES)? else { break };
            at = span.end();
            let Some(value) = lines.line(&span)?.value else { continue };
            if self.format == Format::Gemini
                && let Rewrites::Message(id) = gemini::rewrites(&value)
            {
                self.written.insert(id);
            }
            let mut whats = Vec::new();
            self.format.read(value, &mut whats);
            for what in whats {
                match what {
                    What::Came(came) => paged.came.push(came),
                    What::Used(usage) => {
                        self.used.insert(usage.key);
                    }
                    What::Said(..) | What::Called(_) | What::Damaged(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Takes a line; its items in the order of what is read, so the last first.
    fn take(
        &mut self,
        value: Option<Value>,
        damage: Option<String>,
        span: &Span,
        items: &mut Vec<Item>,
    ) {
        let mut is_withdrawn = self.until.is_some();
        let rewrites = match (&value, self.format) {
            (Some(value), Format::Gemini) => gemini::rewrites(value),
            _ => Rewrites::No,
        };
        match rewrites {
            Rewrites::To(id) => {
                // Of several, the one that goes back further counts; which that is, is seen when it is come to.
                self.until.get_or_insert(id);
                return;
            }
            Rewrites::Message(id) => {
                if self.until.as_ref() == Some(&id) {
                    self.until = None;
                }
                is_withdrawn |= self.until.is_some();
                if !self.written.insert(id) {
                    return;
                }
            }
            Rewrites::No => {}
        }
        let mut found = Vec::new();
        take(value, damage, self.format, span.at, &mut found);
        found.reverse();
        found.retain(|item| match &item.what {
            What::Used(usage) => self.used.insert(usage.key.clone()),
            _ => true,
        });
        items.extend(found.into_iter().map(|item| Item { is_withdrawn, ..item }));
    }
}

/// Takes the items of a line.
pub(super) fn take(
    value: Option<Value>,
    damage: Option<String>,
    format: Format,
    at: u64,
    items: &mut Vec<Item>,
) {
    let mut whats: Vec<What> = damage.map(What::Damaged).into_iter().collect();
    let (mut key, mut time, mut is_helper) = (format!("l{at}"), None, false);
    if let Some(value) = value {
        time = item::time(&value, "/timestamp");
        is_helper = value["isSidechain"] == true;
        if let (Format::Gemini, Rewrites::Message(id)) = (format, gemini::rewrites(&value)) {
            key = format!("m{id}");
        }
        format.read(value, &mut whats);
    }
    for (number, what) in whats.into_iter().enumerate() {
        items.push(Item { time, is_helper, ..item(what, at, &key, number) });
    }
}

fn item(what: What, at: u64, key: &str, number: usize) -> Item {
    Item {
        at: at.to_string(),
        key: format!("{key}-{number}"),
        time: None,
        is_helper: false,
        is_withdrawn: false,
        what,
    }
}
