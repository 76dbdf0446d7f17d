//! What is remembered from one question to the next: who failed and is left alone, what was asked today, and who is being asked now. In a directory
//! of the owner's state, where lines of agents do not write; each change under a lock.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use guarded_sh::judge::Request;
use guarded_sh::model::{Money, Spent};
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use crate::wishes::Refused;

/// Bytes of the file that are read.
const LONGEST: u64 = 256 << 10;
/// How long who failed is left alone, and at most where they say how long.
const REST: Duration = Duration::from_secs(30);
const LONGEST_REST: Duration = Duration::from_secs(3_600);
/// Days after which what a session spent is forgotten.
const SESSIONS_LIFE: u64 = 7;
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
    /// What was spent on that day.
    today: Spent,
    /// What sessions spent, and on which day they last did.
    sessions: BTreeMap<String, (u64, Spent)>,
    /// Until when who is left alone, in seconds since 1970, and why.
    resting: BTreeMap<String, (u64, String)>,
    /// What providers refused of requests, on that day: tomorrow they are asked for it again.
    refused: BTreeMap<String, Refused>,
}

impl Kept {
    /// Returns what a session spent.
    fn of_session(&mut self, session: &str) -> &mut Spent {
        let (last, spent) = self.sessions.entry(session.to_owned()).or_default();
        *last = self.day;
        spent
    }
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
    pub fn begin(&self, provider: &str, request: &Request) -> io::Result<Option<String>> {
        self.change(|kept, now| {
            if let Some((until, why)) = kept.resting.get(provider).filter(|(until, _)| *until > now)
            {
                return Some(format!("left alone for {} s more, since {why}", until - now));
            }
            if let Some(why) = request.day.exceeded(&kept.today) {
                return Some(format!("the day's {why}"));
            }
            if let Some(session) = &request.session {
                let spent = kept.of_session(session);
                if let Some(why) = request.in_session.exceeded(spent) {
                    return Some(format!("the session's {why}"));
                }
                spent.calls += 1;
            }
            kept.today.calls += 1;
            None
        })
    }

    /// Notes what an answer took.
    pub fn took(
        &self,
        provider: &str,
        session: Option<&str>,
        tokens: u64,
        money: Money,
    ) -> io::Result<()> {
        self.change(|kept, _| {
            let add = |spent: &mut Spent| {
                spent.tokens = spent.tokens.saturating_add(tokens);
                spent.money = spent.money.plus(money);
            };
            add(&mut kept.today);
            if let Some(session) = session {
                add(kept.of_session(session));
            }
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

    /// Returns what a provider refused.
    #[must_use]
    pub fn refused(&self, provider: &str) -> Refused {
        let (mut kept, _) = self.read();
        kept.refused.remove(provider).unwrap_or_default()
    }

    /// Notes what a provider refused.
    pub fn refuse(&self, provider: &str, refused: &Refused) -> io::Result<()> {
        self.change(|kept, _| {
            kept.refused.insert(provider.to_owned(), refused.clone());
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Kept, u64) -> T) -> io::Result<T> {
        let lock = Flock::lock(self.file("lock")?, FlockArg::LockExclusive);
        let _lock = lock.map_err(|(_, errno)| io::Error::from(errno))?;
        let (mut kept, now) = self.read();
        let result = change(&mut kept, now);
        let new = self.directory.join("state.new");
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(serde_json::to_string(&kept)?.as_bytes())?;
        std::fs::rename(&new, self.kept())?;
        Ok(result)
    }

    fn kept(&self) -> PathBuf {
        self.directory.join("state.json")
    }

    /// Returns what is remembered and counts still, and the time in seconds since 1970. The file is replaced as a whole, so it is whole.
    fn read(&self) -> (Kept, u64) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut text = String::new();
        let read =
            File::open(self.kept()).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
        // One that is not there, or damaged, remembers nothing.
        let mut kept: Kept =
            read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default();
        let day = now / 86_400;
        if kept.day != day {
            (kept.day, kept.today) = (day, Spent::default());
            kept.refused.clear();
            kept.sessions.retain(|_, (last, _)| *last + SESSIONS_LIFE >= day);
        }
        kept.resting.retain(|_, (until, _)| *until > now);
        (kept, now)
    }

    fn file(&self, name: &str) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        options.open(self.directory.join(name))
    }
}

#[cfg(test)]
mod tests {
    use guarded_sh::judge::Budget;

    use super::*;

    /// A request in a session, with these budgets for a day and for the session.
    fn request(day: Budget, in_session: Budget, session: &str) -> Request {
        let text = r#"{
            "case": {
                "line": "x", "cwd": null, "workspaces": [], "branch": null, "severity": "medium", "score": 89, "findings": [], "effects": [],
                "unknown": [], "safe_commands": [], "safe_domains": [], "prompts": [], "earlier": [], "is_whole": true
            },
            "providers": [], "limit_ms": 1, "strong_limit_ms": 1, "confidence": 80, "day": {}, "in_session": {}, "session": null, "at_once": 8,
            "prompts": null, "is_overruled": false, "state": null
        }"#;
        let request: Request = serde_json::from_str(text).unwrap();
        Request { day, in_session, session: Some(session.to_owned()), ..request }
    }

    fn free() -> Request {
        request(NONE, NONE, "s")
    }

    const NONE: Budget = Budget { calls: None, tokens: None, money: None };

    #[test]
    fn who_failed_is_left_alone_and_others_are_not() {
        let place = tempfile::tempdir().unwrap();
        let state = State::open(place.path()).unwrap();
        state.rest("one", "it says 500", None).unwrap();
        state.rest("two", "it says 429", Some(90_000)).unwrap();
        let why = |name: &str| state.begin(name, &free()).unwrap();
        assert!(why("one").unwrap().ends_with("s more, since it says 500"));
        assert!(why("two").unwrap().starts_with("left alone for 3"), "{:?}", why("two"));
        assert_eq!(why("three"), None);
        state.took("one", None, 5, Money::default()).unwrap();
        assert_eq!(why("one"), None);
    }

    #[test]
    fn a_budget_ends_the_day() {
        let place = tempfile::tempdir().unwrap();
        let state = State::open(place.path()).unwrap();
        let calls = request(Budget { calls: Some(2), ..NONE }, NONE, "s");
        for spent in [false, false, true] {
            assert_eq!(state.begin("one", &calls).unwrap().is_some(), spent);
        }
        let tokens = request(Budget { tokens: Some(100), ..NONE }, NONE, "s");
        assert_eq!(state.begin("one", &tokens).unwrap(), None);
        state.took("one", None, 100, Money::of(0.5).unwrap()).unwrap();
        let why = |request: &Request| state.begin("one", request).unwrap().unwrap_or_default();
        assert!(why(&tokens).contains("the day's budget of tokens"), "{}", why(&tokens));
        let money = |most| request(Budget { money: Money::of(most), ..NONE }, NONE, "s");
        assert_eq!(why(&money(0.51)), "");
        assert_eq!(why(&money(0.5)), "the day's budget is spent: 0.50");
    }

    #[test]
    fn a_budget_ends_a_session_and_no_other() {
        let place = tempfile::tempdir().unwrap();
        let state = State::open(place.path()).unwrap();
        let most = Budget { calls: Some(2), money: Money::of(0.1), ..NONE };
        let why = |session: &str| {
            let request = request(NONE, most, session);
            state.begin("one", &request).unwrap().unwrap_or_default()
        };
        assert_eq!([why("a"), why("a"), why("b")], ["", "", ""]);
        assert_eq!(why("a"), "the session's budget of 2 calls is spent");
        state.took("one", Some("b"), 10, Money::of(0.1).unwrap()).unwrap();
        assert_eq!(why("b"), "the session's budget is spent: 0.10");
        assert_eq!(why("c"), "");
    }

    #[test]
    fn a_damaged_state_remembers_nothing_and_is_made_anew() {
        let place = tempfile::tempdir().unwrap();
        let state = State::open(place.path()).unwrap();
        for text in ["", "null", "{\"day\": -1}", "[[[[", &"x".repeat(300 << 10)] {
            state.rest("one", "it failed", None).unwrap();
            std::fs::write(place.path().join("state.json"), text).unwrap();
            assert_eq!(state.begin("one", &free()).unwrap(), None, "{text:.20}");
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
