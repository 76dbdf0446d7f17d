//! Records in a directory of their own, and what the index says of them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use guarded_sh::audit::{Durability, Earlier, Line, Record, Store};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::{Index, Row, Updated, Wanted};

/// A state directory.
pub(super) struct State {
    pub(super) place: TempDir,
    pub(super) store: Store,
}

impl State {
    pub(super) fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let store = Store::new(place.path(), Durability::System);
        Self { place, store }
    }

    pub(super) fn path(&self) -> &Path {
        self.place.path()
    }

    /// The index's file.
    pub(super) fn file(&self) -> PathBuf {
        self.path().join("index.sqlite")
    }

    pub(super) fn day(&self, day: &str) -> PathBuf {
        self.store.directory().join(format!("{day}.jsonl"))
    }

    pub(super) fn append(&self, record: &Record) -> u64 {
        self.store.append(record).unwrap()
    }

    /// Appends lines that ran, a second apart.
    pub(super) fn ran(&self, lines: &[&str]) {
        for (line, second) in lines.iter().zip(0..) {
            self.append(&ran(line, second));
        }
    }

    pub(super) fn index(&self) -> Index {
        Index::open(self.path()).unwrap()
    }
}

/// A record with some fields otherwise.
pub(super) fn record(line: &str, fields: &Value) -> Record {
    let mut whole = json!({
        "time": "2026-11-21T10:00:00Z", "session": "s", "caller": "claude", "pid": 7, "cwd": "/home/u/app", "action": "allow",
        "severity": "low", "score": 100, "decided_by": "policy", "mode": "enforce", "micros": 5,
    });
    for (key, value) in fields.as_object().unwrap() {
        whole[key] = value.clone();
    }
    let mut record: Record = serde_json::from_value(whole).unwrap();
    record.line = Line::new(OsStr::new(line));
    record.earlier = Earlier::Maybe;
    record
}

/// A line that ran so many seconds after ten.
pub(super) fn ran(line: &str, second: u32) -> Record {
    record(
        line,
        &json!({ "time": format!("2026-11-21T10:{:02}:{:02}Z", second / 60, second % 60) }),
    )
}

/// Brings an index up to date.
pub(super) fn updated(index: &mut Index) -> Updated {
    index.update(&mut |_| {}).unwrap()
}

/// All calls, the newest first.
pub(super) fn all(index: &Index) -> Vec<Row> {
    index.calls(&Wanted { limit: usize::MAX, ..Wanted::default() }).unwrap()
}

/// The lines of calls that have a text, the newest first.
pub(super) fn found(index: &Index, text: &str) -> Vec<String> {
    let wanted = Wanted { text: Some(text.to_owned()), limit: 100, ..Wanted::default() };
    lines(&index.calls(&wanted).unwrap())
}

pub(super) fn lines(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|row| row.line.clone()).collect()
}
