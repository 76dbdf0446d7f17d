//! What the proxy says of what was asked for, in the file that the line's record names: each host once. Bounded.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use guarded_sh::model::AskedHost;

use super::names::Refused;

/// Hosts that are told of one line.
const MOST: usize = 256;
/// For how long what was told is kept, and of how many lines.
const LIFE: Duration = Duration::from_secs(90 * 24 * 60 * 60);
const LINES: usize = 2_000;

/// What is told of one line.
pub struct Told {
    path: Option<PathBuf>,
    said: RefCell<Said>,
}

#[derive(Default)]
struct Said {
    file: Option<File>,
    hosts: BTreeSet<(String, bool)>,
}

impl Told {
    /// Begins where nothing was asked for yet. There is a file once something was.
    pub fn new(path: Option<PathBuf>) -> Self {
        Self { path, said: RefCell::default() }
    }

    /// Says that a host was reached.
    pub fn reached(&self, host: &str) {
        self.say(host, None);
    }

    /// Says that a host was not reached, and why.
    pub fn refused(&self, host: &str, why: &Refused) {
        self.say(host, Some(why.to_string()));
    }

    fn say(&self, host: &str, refused: Option<String>) {
        let Some(path) = &self.path else { return };
        let mut said = self.said.borrow_mut();
        let host: String = host.chars().take(300).collect();
        let is_full = said.hosts.len() >= MOST;
        if is_full || !said.hosts.insert((host.clone(), refused.is_some())) {
            return;
        }
        if said.file.is_none() {
            said.file = open(path);
        }
        let Ok(mut text) = serde_json::to_string(&AskedHost { host, refused }) else { return };
        text.push('\n');
        if let Some(file) = &mut said.file {
            // The record says less, and the line runs on.
            let _ = file.write_all(text.as_bytes());
        }
    }
}

fn open(path: &Path) -> Option<File> {
    let directory = path.parent()?;
    DirBuilder::new().recursive(true).mode(0o700).create(directory).ok()?;
    tidy(directory);
    OpenOptions::new().append(true).create_new(true).mode(0o600).open(path).ok()
}

/// Deletes what is older than it is kept for, and the oldest of too many.
fn tidy(directory: &Path) {
    let now = SystemTime::now();
    let mut files: Vec<(Duration, PathBuf)> = std::fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let modified = entry.metadata().ok()?.modified().ok()?;
            Some((now.duration_since(modified).unwrap_or_default(), entry.path()))
        })
        .collect();
    files.sort();
    let is_kept = |(index, (age, _)): &(usize, &(Duration, PathBuf))| *index < LINES && *age < LIFE;
    for (_, (_, path)) in files.iter().enumerate().filter(|file| !is_kept(file)) {
        // Another proxy may have deleted it.
        let _ = std::fs::remove_file(path);
    }
}
