//! Calls by their numbers, which stand in their files in order: a call is found without reading all that stands before and behind it.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::Path;

use super::backward::Backward;
use super::glance::glance;
use super::newest::{Line, around, whole};
use super::{Entry, Error, Filter, directory, read};

/// Bytes in which a line is looked for from their end.
const NEAR: u64 = 128 << 10;

/// Returns the call whose first and last record have these numbers; none where the record has no such call. What it became after its last record is not
/// in it.
pub(super) fn entry(directory: &Path, first: u64, last: u64) -> Result<Option<Entry>, Error> {
    let files = around(read::files(directory, &Filter::default())?, first);
    let Some(path) = files.into_iter().next() else { return Ok(None) };
    let end = behind(&path, last).map_err(|source| Error::Read { path: path.clone(), source })?;
    let mut lines = Vec::new();
    for raw in Backward::until(path, end)? {
        let raw = raw?;
        let Some(seen) = glance(&raw.bytes) else { continue };
        let (sequence, reference) = (seen.sequence, seen.reference);
        if sequence < first {
            break;
        }
        if sequence <= last && reference.unwrap_or(sequence) == first {
            lines.push(Line { raw, sequence: Some(sequence) });
        }
        if sequence == first {
            break;
        }
    }
    lines.reverse();
    match lines.split_first() {
        Some((one, views)) if one.sequence == Some(first) => whole(one, views).map(Some),
        _ => Ok(None),
    }
}

/// Returns a byte of the file at which a line begins, or its end, before which all records to this number stand.
fn behind(path: &Path, number: u64) -> io::Result<u64> {
    let file = directory::open_found(path).map_err(io::Error::other)?;
    let length = file.metadata()?.len();
    let mut reader = BufReader::new(file);
    let (mut from, mut to) = (0, length);
    while to - from > NEAR {
        let middle = from + (to - from) / 2;
        match line_behind(&mut reader, middle)? {
            Some((start, sequence)) if start < to => {
                if sequence > number {
                    to = start;
                } else {
                    from = start;
                }
            }
            // A line that is longer than what is left, or is no record.
            _ => break,
        }
    }
    Ok(to)
}

/// Returns where the first line begins that does so behind a byte, and the number of its record; none where it is no record.
fn line_behind(reader: &mut BufReader<File>, at: u64) -> io::Result<Option<(u64, u64)>> {
    reader.seek(SeekFrom::Start(at))?;
    let start = at + reader.skip_until(b'\n')? as u64;
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    let seen = line.strip_suffix(b"\n").and_then(glance);
    Ok(seen.map(|seen| (start, seen.sequence)))
}
