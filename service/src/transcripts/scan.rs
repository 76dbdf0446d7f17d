//! A transcript as a whole: sums, and its calls in few words. Read once from the beginning, and on from there when more is written.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::os::unix::fs::MetadataExt as _;

use guarded_sh::audit::Line;
use guarded_sh::config::McpSettings;
use guarded_sh::hooks::{self, Call, ToolKind};
use guarded_sh::model::head;
use jiff::Timestamp;

use super::item::{Called, Item, Usage, What};
use super::lines::Lines;
use super::paged::{self, At};
use super::places::Format;
use crate::index::kept;

/// Calls that are remembered of one transcript.
const CALLS: usize = 20_000;
/// Answers of which the usage is remembered.
const ANSWERS: usize = 50_000;
/// Bytes of a call's line, and of its id.
const LINE: usize = 160;
const ID: usize = 128;

/// A call, in few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// Where it stands.
    pub at: String,
    /// By what it is known there.
    pub item: String,
    /// When.
    pub time: Option<Timestamp>,
    /// The id that the agent gave it.
    pub id: Option<String>,
    /// What is the same for the same call.
    pub key: u64,
    /// The tool, by the name that all agents' have.
    pub title: String,
    /// The beginning of the line by which it would be recorded.
    pub line: String,
    /// What kind of a tool it is.
    pub kind: ToolKind,
}

/// Returns the page on which something stands: a byte of a file, or a row.
pub fn place(at: &str) -> At {
    let is_byte = at.bytes().all(|byte| byte.is_ascii_digit());
    // Behind the row, and before the next: ids are letters and digits.
    if is_byte { At::From(at.to_owned()) } else { At::Before(format!("{at}~"), None) }
}

/// What is known of a transcript as a whole.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    hash: RandomState,
    /// The file, and how far it was read.
    inode: u64,
    pub(super) at: u64,
    /// How large it was then.
    pub of: u64,
    /// Whether all of it was read.
    pub is_whole: bool,
    /// Its calls, each once, as far as they are remembered.
    pub calls: Vec<Noted>,
    /// Calls that are too many to be remembered.
    pub more_calls: u64,
    numbers: HashMap<u64, usize>,
    came: HashMap<u64, Option<Timestamp>>,
    usage: HashMap<u64, Usage>,
    /// Prompts, and lines of which not all could be read.
    pub prompts: u64,
    /// See `prompts`.
    pub damaged: u64,
    /// When the first and the last of it was written.
    pub first: Option<Timestamp>,
    /// See `first`.
    pub last: Option<Timestamp>,
}

impl Scan {
    /// Begins one; what is the same for the same call is so for all of the same `hash`.
    pub fn new(hash: RandomState) -> Self {
        Self { hash, ..Self::default() }
    }

    /// Forgets what was read.
    pub(super) fn clear(&mut self) {
        *self = Self::new(self.hash.clone());
    }

    /// Returns how much is remembered.
    pub(super) fn weight(&self) -> usize {
        self.calls.len() + self.came.len() / 2 + self.usage.len() / 2
    }

    /// Returns how many bytes were read.
    pub const fn read_bytes(&self) -> u64 {
        self.at
    }

    /// Reads on, `bytes` of the file at most. Returns whether there is no more.
    pub(super) fn read(
        &mut self,
        file: &File,
        agent: &str,
        format: Format,
        bytes: u64,
    ) -> io::Result<bool> {
        let inode = file.metadata()?.ino();
        let mut lines = Lines::of(file)?;
        if inode != self.inode || lines.length < self.at {
            self.clear();
            self.inode = inode;
        }
        self.of = lines.length;
        let begin = self.at;
        let mut items = Vec::new();
        while self.at - begin < bytes {
            // A line that is written just now is read when it is whole.
            let span = lines.next(self.at, u64::MAX)?.filter(|span| span.is_ended);
            let Some(span) = span else {
                self.is_whole = true;
                return Ok(true);
            };
            let line = lines.line(&span)?;
            paged::take(line.value, line.damage, format, span.at, &mut items);
            for item in items.drain(..) {
                self.take(agent, item);
            }
            self.at = span.end();
        }
        self.is_whole = false;
        Ok(false)
    }

    /// Takes an item.
    pub(super) fn take(&mut self, agent: &str, item: Item) {
        self.first = self.first.or(item.time);
        self.last = self.last.max(item.time);
        match item.what {
            What::Said(..) => self.prompts += u64::from(item.what.prompt().is_some()),
            What::Called(called) => {
                let (key, noted) = self.noted(agent, &called);
                let noted = Noted { at: item.at, item: item.key, time: item.time, key, ..noted };
                self.note(noted);
            }
            What::Came(came) => {
                if let Some(id) = came.id.filter(|_| self.came.len() < 2 * CALLS) {
                    let id = self.hash.hash_one(head(&id, ID));
                    self.came.insert(id, item.time);
                }
            }
            What::Used(usage) => {
                let key = self.hash.hash_one(&usage.key);
                if self.usage.len() < ANSWERS || self.usage.contains_key(&key) {
                    self.usage.insert(key, Usage { key: String::new(), ..usage });
                }
            }
            What::Damaged(_) => self.damaged += 1,
        }
    }

    fn note(&mut self, noted: Noted) {
        // A call that is written anew is one; the first time counts.
        let id = noted.id.as_ref().map(|id| self.hash.hash_one(id.as_str()));
        if let Some(number) = id.and_then(|id| self.numbers.get(&id)) {
            let known = &mut self.calls[*number];
            *known = Noted { time: known.time, ..noted };
            return;
        }
        if self.calls.len() == CALLS {
            self.more_calls += 1;
            return;
        }
        self.numbers.extend(id.map(|id| (id, self.calls.len())));
        self.calls.push(noted);
    }

    /// Returns a call in few words, and what is the same for the same call.
    pub fn noted(&self, agent: &str, called: &Called) -> (u64, Noted) {
        let call = Call {
            tool: called.tool.clone(),
            server: called.server.clone(),
            id: None,
            input: called.input.clone(),
        };
        let work =
            hooks::named(agent).map(|agent| hooks::work(agent, &call, &McpSettings::default()));
        let (told, title, kind) = match work {
            Some(work) => (work.told(), work.title, work.kind),
            None => (called.tool.clone(), called.tool.clone(), ToolKind::Mcp),
        };
        let line = Line::new(OsStr::new(&told));
        let bytes = line.text.len() as u64 + line.rest.as_ref().map_or(0, |rest| rest.bytes);
        let key = self.key(&kept(&line.text), bytes);
        let id = called.id.as_deref().map(|id| head(id, ID).to_owned());
        let line = head(&line.text, LINE).to_owned();
        let (at, item) = (String::new(), String::new());
        (key, Noted { at, item, time: None, id, key, title, line, kind })
    }

    /// Returns what is the same for calls of the same line, as the index has it.
    pub fn key(&self, line: &str, bytes: u64) -> u64 {
        self.hash.hash_one((line, bytes))
    }

    /// Returns where the call of this id stands.
    pub fn place(&self, id: &str) -> Option<At> {
        let number = *self.numbers.get(&self.hash.hash_one(head(id, ID)))?;
        Some(place(&self.calls[number].at))
    }

    /// Returns when something came of a call.
    pub fn came(&self, call: &Noted) -> Option<Timestamp> {
        let id = self.hash.hash_one(call.id.as_deref()?);
        self.came.get(&id).copied().flatten()
    }

    /// Returns whether something came of a call.
    pub fn has_come(&self, call: &Noted) -> bool {
        call.id.as_deref().is_some_and(|id| self.came.contains_key(&self.hash.hash_one(id)))
    }

    /// Returns what all answers took together.
    pub fn used(&self) -> Usage {
        let mut sum = Usage::default();
        for usage in self.usage.values() {
            sum.input += usage.input;
            sum.output += usage.output;
            sum.cached += usage.cached;
            sum.written += usage.written;
            if let Some(cost) = usage.cost {
                sum.cost = Some(sum.cost.unwrap_or_default() + cost);
            }
        }
        sum
    }
}
