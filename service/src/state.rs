//! What is remembered from one question to the next: who failed and is left alone, what was asked today, and who is being asked now. In a directory
//! of the owner's state, where lines of agents do not write; each change under a lock.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use guarded_sh::judge::Budget;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

/// Bytes of the file that are read.
const LONGEST: u64 = 256 << 10;
/// How long who failed is left alone, and at most where they say how long.
const REST: Duration = Duration::from_secs(30);
const LONGEST_REST: Duration = Duration::from_secs(3_600);
/// Between two looks for a free place.
const PAUSE: Duration = Duration::from_millis(5);

/// The directory.
#[derive(Clone, Debug)]
pub struct State {
    directory: PathBuf,
}

/// A place among those who ask at once; given up when it is dropped, and when its process ends.
#[derive(Debug)]
pub struct Slot(#[expect(dead_code, reason = "it is held")] Flock<File>);

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// Days since 1970, in UTC.
    day: u64,
    calls: u64,
    tokens: u64,
    /// Until when who is left alone, in seconds since 1970, and why.
    resting: BTreeMap<String, (u64, String)>,
}

impl State {
    /// Opens the directory, and makes it for its owner alone.
    pub fn open(directory: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        Ok(Self { directory: directory.to_owned() })
    }

    /// Returns where it is.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Waits until fewer than `most` ask at once. Whoever calls says for how long.
    pub async fn slot(&self, most: u32) -> io::Result<Slot> {
        loop {
            for number in 0..most.max(1) {
                let file = self.file(&format!("asking-{number}"))?;
                if let Ok(locked) = Flock::lock(file, FlockArg::LockExclusiveNonblock) {
                    return Ok(Slot(locked));
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns why a provider is not to be asked now, if so; else counts a call.
    pub fn begin(&self, provider: &str, budget: Budget) -> io::Result<Option<String>> {
        self.change(|kept, now| {
            if let Some((until, why)) = kept.resting.get(provider).filter(|(until, _)| *until > now)
            {
                return Some(format!("left alone for {} s more, since {why}", until - now));
            }
            if budget.calls.is_some_and(|most| kept.calls >= most) {
                return Some(format!("the day's budget of {} calls is spent", kept.calls));
            }
            if budget.tokens.is_some_and(|most| kept.tokens >= most) {
                return Some(format!("the day's budget of tokens is spent: {}", kept.tokens));
            }
            kept.calls += 1;
            None
        })
    }

    /// Notes what an answer took.
    pub fn took(&self, provider: &str, tokens: u64) -> io::Result<()> {
        self.change(|kept, _| {
            kept.tokens = kept.tokens.saturating_add(tokens);
            kept.resting.remove(provider);
        })
    }

    /// Leaves a provider alone for a while, longer where it says so.
    pub fn rest(&self, provider: &str, why: &str, after: Option<u64>) -> io::Result<()> {
        let rest = after.map_or(REST, |seconds| Duration::from_secs(seconds).max(REST));
        let rest = rest.min(LONGEST_REST).as_secs();
        self.change(|kept, now| {
            kept.resting.insert(provider.to_owned(), (now + rest, why.to_owned()));
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Kept, u64) -> T) -> io::Result<T> {
        let lock = Flock::lock(self.file("lock")?, FlockArg::LockExclusive);
        let _lock = lock.map_err(|(_, errno)| io::Error::from(errno))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let path = self.directory.join("state.json");
        let mut text = String::new();
        let read = File::open(&path).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
        // One that is not there, or damaged, remembers nothing.
        let mut kept: Kept =
            read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default();
        if kept.day != now / 86_400 {
            (kept.day, kept.calls, kept.tokens) = (now / 86_400, 0, 0);
        }
        kept.resting.retain(|_, (until, _)| *until > now);
        let result = change(&mut kept, now);
        let new = self.directory.join("state.new");
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(serde_json::to_string(&kept)?.as_bytes())?;
        std::fs::rename(&new, &path)?;
        Ok(result)
    }

    fn file(&self, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        options.open(self.directory.join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Budget = Budget { calls: None, tokens: None };

    #[test]
    fn who_failed_is_left_alone_and_others_are_not() {
        let place = tempfile::tempdir().unwrap();
        let state = State::open(place.path()).unwrap();
        state.rest("one", "it says 500", None).unwrap();
        state.rest("two", "it says 429", Some(90_000)).unwrap();
        let why = |name: &str| state.begin(name, NONE).unwrap();
        assert!(why("one").unwrap().ends_with("s more, since it says 500"));
        assert!(why("two").unwrap().starts_with("left alone for 3"), "{:?}", why("two"));
        assert_eq!(why("three"), None);
        state.took("one", 5).unwrap();
        assert_eq!(why("one"), None);
    }

    #[test]
    fn a_budget_ends_the_day() {
        let place = tempfile::tempdir().unwrap();
        let state = State::open(place.path()).unwrap();
        let calls = Budget { calls: Some(2), ..NONE };
        for spent in [false, false, true] {
            assert_eq!(state.begin("one", calls).unwrap().is_some(), spent);
        }
        let tokens = Budget { tokens: Some(100), ..NONE };
        assert_eq!(state.begin("one", tokens).unwrap(), None);
        state.took("one", 100).unwrap();
        assert!(state.begin("one", tokens).unwrap().unwrap().contains("budget of tokens"));
    }

    #[test]
    fn a_damaged_state_remembers_nothing_and_is_made_anew() {
        let place = tempfile::tempdir().unwrap();
        let state = State::open(place.path()).unwrap();
        for text in ["", "null", "{\"day\": -1}", "[[[[", &"x".repeat(300 << 10)] {
            state.rest("one", "it failed", None).unwrap();
            std::fs::write(place.path().join("state.json"), text).unwrap();
            assert_eq!(state.begin("one", NONE).unwrap(), None, "{text:.20}");
        }
    }

    #[test]
    fn no_more_ask_at_once_than_may() {
        let place = tempfile::tempdir().unwrap();
        let state = State::open(place.path()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let first = state.slot(2).await.unwrap();
            let _second = state.slot(2).await.unwrap();
            let soon = Duration::from_millis(50);
            assert!(tokio::time::timeout(soon, state.slot(2)).await.is_err());
            drop(first);
            state.slot(2).await.unwrap();
        });
    }
}
