//! What others say of a line while it runs, in a file that its record names: the proxy, of the hosts that it was asked for; the witness, of what really
//! ran. Not chained: who writes it knows nothing of the record.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;

use super::directory;

/// Bytes of such a file that are read.
const LONGEST: u64 = 8 << 20;
/// For how long such files are kept, and of how many lines.
const LIFE: Duration = Duration::from_secs(90 * 24 * 60 * 60);
const LINES: usize = 2_000;

/// Returns what is said there, in the order in which it was; none where nothing was, or it is not kept any more.
#[must_use]
pub fn read<T: DeserializeOwned>(path: &str) -> Vec<T> {
    let Ok(Some(file)) = directory::open(Path::new(path)) else { return Vec::new() };
    let lines = BufReader::new(file.take(LONGEST)).lines().map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_str(&line).ok()).collect()
}

/// Makes the file of one line, with its directory, for us alone; those of lines that are long over are deleted. None where that cannot be.
#[must_use]
pub fn make(path: &Path) -> Option<File> {
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
        // Another line's may have deleted it.
        let _ = std::fs::remove_file(path);
    }
}
