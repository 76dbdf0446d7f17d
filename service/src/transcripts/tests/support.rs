//! A home in which agents keep transcripts.

use std::hash::RandomState;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::transcripts::{At, Item, Paged, Scan, Session, Transcripts, What};

pub struct Home {
    directory: TempDir,
    pub transcripts: Transcripts,
}

impl Home {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().to_str().unwrap().to_owned();
        let variable = move |name: &str| (name == "HOME").then(|| home.clone());
        let transcripts = Transcripts::at(&variable, directory.path());
        Self { directory, transcripts }
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.directory.path().join(file)
    }

    pub fn write(&self, file: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Writes a transcript of Claude Code's, and returns its session.
    pub fn claude(&self, bytes: &[u8]) -> Session {
        self.write(".claude/projects/-work/one.jsonl", bytes);
        self.transcripts.session("claude", "one").unwrap()
    }

    pub fn page(&self, session: &Session, at: &At) -> Paged {
        self.transcripts.page(session, at).unwrap()
    }

    /// Reads all of it, in parts as small as they may be.
    pub fn scan(&self, session: &Session) -> Scan {
        let mut scan = Scan::new(RandomState::new());
        while !self.transcripts.scan(session, &mut scan, 1).unwrap() {}
        scan
    }

    /// Returns what all pages say, put together from the last to the first.
    pub fn whole(&self, session: &Session) -> Vec<Item> {
        let (mut items, mut at) = (Vec::new(), At::End);
        loop {
            let mut paged = self.page(session, &at);
            paged.items.append(&mut items);
            items = paged.items;
            match paged.before {
                Some((before, until)) => at = At::Before(before, until),
                None => return items,
            }
        }
    }
}

/// Returns values as lines.
pub fn lines(values: &[Value]) -> Vec<u8> {
    values.iter().flat_map(|value| format!("{value}\n").into_bytes()).collect()
}

/// Returns items in few words.
pub fn told(items: &[Item]) -> Vec<String> {
    let taken = |item: &Item| if item.is_withdrawn { "taken back: " } else { "" };
    let items = items.iter().map(|item| {
        let said = match &item.what {
            What::Said(who, text) => format!("{}: {}", who.name(), text.text),
            What::Called(called) => {
                format!("{} {} {}", called.id.as_deref().unwrap_or("-"), called.tool, called.input)
            }
            What::Came(came) => format!(
                "{} -> {} {:?} {:?}",
                came.id.as_deref().unwrap_or("-"),
                came.text.text,
                came.status,
                came.is_error
            ),
            What::Used(usage) => {
                format!("{} {} {} {}", usage.input, usage.output, usage.cached, usage.written)
            }
            What::Damaged(why) => why.clone(),
        };
        format!("{}{said}", taken(item))
    });
    items.collect()
}
