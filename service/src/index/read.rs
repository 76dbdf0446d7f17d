//! The lines of the record, each read once, in their order: what the index holds of a record, and what ties it to the one before.
//! Judges nothing: whether they follow from each other, `chain` says.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Seek, SeekFrom};
use std::path::Path;
use std::sync::mpsc::SyncSender;

use guarded_sh::audit::{CallOutcome, DecidedBy, Door, Error, Resumed, open_day, sound_hash};
use guarded_sh::model::{Action, Mode, Severity};
use jiff::Timestamp;
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer};

use super::days::{Day, Stat};

/// The longest line that may be a record, as the guard reads them.
const LONGEST: u64 = 16 << 20;
/// Lines that are handed over together, and bytes of them where they are long.
const TOGETHER: usize = 512;
const MOST: u64 = 1 << 20;
/// Bytes that are read at once.
const BLOCK: usize = 256 << 10;

/// What the index takes of a record. A later record of a call leaves out what it shares with the first.
#[derive(Debug, Deserialize)]
pub(super) struct Seen {
    pub(super) sequence: u64,
    #[serde(rename = "ref", default)]
    pub(super) reference: Option<u64>,
    /// In microseconds since 1970.
    #[serde(deserialize_with = "microseconds")]
    pub(super) time: i64,
    #[serde(default)]
    pub(super) door: Door,
    pub(super) session: Option<String>,
    pub(super) caller: Option<String>,
    pub(super) cwd: Option<String>,
    pub(super) line: Option<String>,
    pub(super) rest: Option<SeenRest>,
    pub(super) action: Action,
    pub(super) severity: Option<Severity>,
    #[serde(default)]
    pub(super) findings: Vec<SeenFinding>,
    pub(super) decided_by: DecidedBy,
    pub(super) mode: Option<Mode>,
    pub(super) hook: Option<SeenHook>,
    #[serde(rename = "for")]
    pub(super) purpose: Option<IgnoredAny>,
    pub(super) question: Option<SeenQuestion>,
    pub(super) ran: Option<String>,
    pub(super) opinion: Option<IgnoredAny>,
    resumed: Option<Resumed>,
    previous: String,
    #[serde(default)]
    hash: String,
}

/// How much of a line was not kept.
#[derive(Debug, Deserialize)]
pub(super) struct SeenRest {
    pub(super) bytes: u64,
}

/// A finding, without its reason.
#[derive(Debug, Deserialize)]
pub(super) struct SeenFinding {
    pub(super) rule: String,
    pub(super) severity: Severity,
}

/// What an agent's hook said.
#[derive(Debug, Deserialize)]
pub(super) struct SeenHook {
    pub(super) event: String,
    pub(super) tool: Option<Tool>,
    pub(super) call: Option<String>,
    pub(super) outcome: Option<CallOutcome>,
    pub(super) speaker: Option<IgnoredAny>,
}

/// Which tool an agent's hook is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Tool {
    /// Its shell.
    Bash,
    /// Any other.
    #[serde(other)]
    Other,
}

/// How long a person was waited for, in milliseconds.
#[derive(Debug, Deserialize)]
pub(super) struct SeenQuestion {
    pub(super) waited: u64,
}

/// What ties a record to the one before and the one after.
#[derive(Debug, Deserialize)]
pub(super) struct Link {
    pub(super) sequence: u64,
    pub(super) resumed: Option<Resumed>,
    pub(super) previous: String,
    #[serde(default)]
    pub(super) hash: String,
}

/// What a line is.
#[derive(Debug)]
pub(super) enum Found {
    /// A record, as it was written.
    Record(Box<Seen>, Link),
    /// A record, as it was written, of which this version does not understand all.
    Strange(Link),
    /// No record, or one that was altered.
    Nothing,
}

/// A line of a day's file.
#[derive(Debug)]
pub(super) struct Line {
    /// Its number in the file, from 1.
    pub(super) number: u64,
    /// The byte at which it begins, and how many it has with its newline.
    pub(super) at: u64,
    pub(super) bytes: u64,
    pub(super) found: Found,
}

/// Some lines of one file, in their order.
#[derive(Debug)]
pub(super) struct Batch {
    /// The file's name.
    pub(super) day: String,
    /// What the file was when it was opened.
    pub(super) stat: Stat,
    pub(super) lines: Vec<Line>,
}

/// Reads what stands in these files behind what was read of them, and hands it over until nobody takes it. The last file's last line is left for
/// later where it has no newline.
pub(super) fn read(directory: &Path, days: &[Day], give: &SyncSender<Result<Batch, Error>>) {
    for (index, day) in days.iter().enumerate() {
        let open = if index + 1 == days.len() { Open::Yes } else { Open::No };
        let path = directory.join(&day.name);
        let failed = |source| Error::Read { path: path.clone(), source };
        let done = match open_day(&path) {
            Ok(Some(file)) => File::metadata(&file)
                .and_then(|metadata| Reader::at(file, day, Stat::of(&metadata)))
                .and_then(|mut reader| reader.give(open, give))
                .map_err(failed),
            // It was there just now: what is gone is noticed the next time.
            Ok(None) => Ok(Taken::Yes),
            Err(error) => Err(error),
        };
        match done {
            Ok(Taken::Yes) => {}
            Ok(Taken::No) => return,
            Err(error) => {
                // Nobody is left to be told.
                let _ = give.send(Err(error));
                return;
            }
        }
    }
}

/// Whether more may be appended to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Yes,
    No,
}

/// Whether somebody still takes what is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Yes,
    No,
}

struct Reader {
    file: BufReader<File>,
    stat: Stat,
    day: String,
    at: u64,
    number: u64,
}

impl Reader {
    fn at(file: File, day: &Day, stat: Stat) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(BLOCK, file);
        file.seek(SeekFrom::Start(day.bytes))?;
        Ok(Self { file, stat, day: day.name.clone(), at: day.bytes, number: day.lines })
    }

    fn give(&mut self, open: Open, give: &SyncSender<Result<Batch, Error>>) -> io::Result<Taken> {
        let mut bytes = Vec::new();
        loop {
            let (mut lines, from) = (Vec::new(), self.at);
            while lines.len() < TOGETHER && self.at - from < MOST {
                let Some(line) = self.line(&mut bytes, open)? else { break };
                lines.push(line);
            }
            let is_over = lines.len() < TOGETHER && self.at - from < MOST;
            let batch = Batch { day: self.day.clone(), stat: self.stat, lines };
            if give.send(Ok(batch)).is_err() {
                return Ok(Taken::No);
            }
            if is_over {
                return Ok(Taken::Yes);
            }
        }
    }

    fn line(&mut self, bytes: &mut Vec<u8>, open: Open) -> io::Result<Option<Line>> {
        let raw = raw(&mut self.file, bytes)?;
        if raw.bytes == 0 || !raw.is_ended && open == Open::Yes {
            return Ok(None);
        }
        let at = self.at;
        self.at += raw.bytes;
        self.number += 1;
        let found = raw.whole.map_or(Found::Nothing, found);
        Ok(Some(Line { number: self.number, at, bytes: raw.bytes, found }))
    }
}

/// A line as it stands in a file.
struct Raw<'l> {
    /// How many bytes it has, with its newline; none where the file ends.
    bytes: u64,
    /// Whether it has one.
    is_ended: bool,
    /// The line without it; none where it is too long for a record. A record without its newline is complete, but was not finished.
    whole: Option<&'l [u8]>,
}

/// Reads a line. The rest of one that is too long is not held.
fn raw<'l>(file: &mut BufReader<impl io::Read>, line: &'l mut Vec<u8>) -> io::Result<Raw<'l>> {
    line.clear();
    let bytes = file.take(LONGEST).read_until(b'\n', line)? as u64;
    let whole = line.strip_suffix(b"\n");
    if whole.is_some() || bytes < LONGEST {
        return Ok(Raw { bytes, is_ended: whole.is_some(), whole });
    }
    let (rest, is_ended) = skip(file)?;
    Ok(Raw { bytes: bytes + rest, is_ended, whole: None })
}

/// Passes over the rest of a line. Returns how long it was, and whether it had a newline.
fn skip(file: &mut BufReader<impl io::Read>) -> io::Result<(u64, bool)> {
    let mut bytes = 0;
    loop {
        let block = file.fill_buf()?;
        let newline = block.iter().position(|byte| *byte == b'\n');
        let count = newline.map_or(block.len(), |newline| newline + 1);
        let is_over = newline.is_some() || block.is_empty();
        file.consume(count);
        bytes += count as u64;
        if is_over {
            return Ok((bytes, newline.is_some()));
        }
    }
}

/// Returns what a line without its newline is.
fn found(line: &[u8]) -> Found {
    if sound_hash(line).is_none() {
        return Found::Nothing;
    }
    let Ok(mut seen) = serde_json::from_slice::<Seen>(line) else {
        return serde_json::from_slice(line).map_or(Found::Nothing, Found::Strange);
    };
    let link = Link {
        sequence: seen.sequence,
        resumed: seen.resumed.take(),
        previous: std::mem::take(&mut seen.previous),
        hash: std::mem::take(&mut seen.hash),
    };
    Found::Record(Box::new(seen), link)
}

/// How much of a file is as it was read: lines, those that are records, and the hash of the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) lines: u64,
    pub(super) sound: u64,
    pub(super) hash: String,
}

/// Returns what the first bytes of a file hold. Records whose hashes are sound, and of which the last is the same, are the same.
pub(super) fn content(file: File, bytes: u64) -> io::Result<Content> {
    let mut file = BufReader::with_capacity(BLOCK, file.take(bytes));
    let (mut content, mut line) = (Content::default(), Vec::new());
    loop {
        let raw = raw(&mut file, &mut line)?;
        if raw.bytes == 0 {
            return Ok(content);
        }
        content.lines += 1;
        if let Some(hash) = raw.whole.and_then(sound_hash) {
            content.sound += 1;
            hash.clone_into(&mut content.hash);
        }
    }
}

fn microseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let time: std::borrow::Cow<'de, str> = Deserialize::deserialize(deserializer)?;
    time.parse::<Timestamp>().map(Timestamp::as_microsecond).map_err(D::Error::custom)
}
