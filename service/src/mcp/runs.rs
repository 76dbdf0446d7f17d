//! What is started for clients and is not known to be over: a file for each in `mcp/runs`, beside the clients. A bridge that starts looks at those that an earlier
//! one left, and says in the record and of their keys what is known. None of them runs any more by then ([`mod@super::keeper`]).

use std::collections::HashMap;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use guarded_sh::approval::text::with_causes;
use guarded_sh::audit::{Filter, Store};
use guarded_sh::model::{Action, Ended};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::journal::{How, Journal};
use super::record::Recorder;
use crate::issued::now;
use crate::page::owned;

/// By how many seconds the clock may have been set back since.
const BACK: u64 = 24 * 60 * 60;

/// What is noted of one.
#[derive(Serialize, Deserialize)]
struct Run {
    /// When it was started, in seconds since 1970.
    time: u64,
    /// Since which start of the machine.
    boot: String,
    /// The key that stands for it, as its digest.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    key: Option<String>,
}

/// All of them.
pub struct Runs {
    directory: PathBuf,
    boot: String,
}

/// Returns what tells this start of the machine from all others; nothing where the kernel does not say it.
fn boot() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

impl Runs {
    /// Opens it in a directory.
    pub fn open(directory: &Path) -> io::Result<Self> {
        let directory = directory.join("runs");
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        Ok(Self { directory, boot: boot() })
    }

    /// Notes that a call starts.
    pub fn begin(&self, job: &str, key: Option<&str>) -> io::Result<()> {
        let run = Run { time: now(), boot: self.boot.clone(), key: key.map(str::to_owned) };
        let mut file =
            owned::open(&self.directory.join(job), OpenOptions::new().write(true).truncate(true))?;
        file.write_all(&serde_json::to_vec(&run)?)
    }

    /// Notes that it is over.
    pub fn over(&self, job: &str) {
        // Where it stays it is looked at once more, and then it is known how it ended.
        let _ = fs::remove_file(self.directory.join(job));
    }

    /// Says what is known of those that an earlier bridge left.
    pub fn settle(&self, store: &Store, journal: &Journal) -> Result<(), String> {
        let failed =
            |error: io::Error| format!("cannot read '{}': {error}", self.directory.display());
        let mut left = HashMap::new();
        for entry in fs::read_dir(&self.directory).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let text = owned::read_own(&entry.path()).ok().flatten();
            // One that was cut when the bridge ended began nothing: it is whole before anything starts.
            let run: Option<Run> = text.and_then(|text| serde_json::from_slice(&text).ok());
            match (entry.file_name().into_string(), run) {
                (Ok(job), Some(run)) => drop(left.insert(job, run)),
                _ => drop(fs::remove_file(entry.path())),
            }
        }
        let Some(since) = left.values().map(|run| run.time).min() else { return Ok(()) };
        let since = i64::try_from(since.saturating_sub(BACK)).unwrap_or_default();
        let since = Timestamp::from_second(since).unwrap_or_default();
        let mut found = found(store, since, &left)?;
        for (job, Run { boot, key, .. }) in left {
            let how = match found.remove(&job) {
                Some(Found { ended: Some(ended), .. }) => How::of(&ended),
                Some(Found { ended: None, permitted: Some(permitted) }) => {
                    let recorded = permitted.ended(Ended::with_bridge());
                    recorded.map_err(|error| with_causes(&error))?;
                    How::WithBridge
                }
                // Without a record nothing runs; it may have been lost with the machine, and only then.
                _ if boot == self.boot && !boot.is_empty() => How::Nothing,
                _ => How::Unknown,
            };
            if let Some(key) = key {
                journal.end(&key, how).map_err(|error| with_causes(&error))?;
            }
            self.over(&job);
        }
        Ok(())
    }
}

/// What the record has of a call.
#[derive(Default)]
struct Found {
    permitted: Option<Recorder>,
    ended: Option<Ended>,
}

fn found(
    store: &Store,
    since: Timestamp,
    of: &HashMap<String, Run>,
) -> Result<HashMap<String, Found>, String> {
    let mut found: HashMap<String, Found> = HashMap::new();
    let since = Filter { since: Some(since), ..Filter::default() };
    for stored in store.read(since).map_err(|error| with_causes(&error))? {
        // What is no record says nothing of any call; `log verify` tells of it.
        let Ok(stored) = stored else { continue };
        let record = stored.record;
        let Some(client) = record.client.filter(|client| of.contains_key(&client.job)) else {
            continue;
        };
        let found = found.entry(client.job.clone()).or_default();
        if let Some(ended) = record.ended {
            found.ended = Some(*ended);
        } else if record.action == Action::Allow || record.action == Action::Contain {
            let (store, line, cwd) = (store.clone(), record.line, record.cwd);
            found.permitted = Some(Recorder { store, client: *client, line, cwd });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_record_says_ran_did_not_run_unless_the_machine_stopped() {
        let state = tempfile::tempdir().unwrap();
        let store = Store::new(state.path(), guarded_sh::audit::Durability::default());
        let journal = Journal::open(state.path()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut runs = Runs::open(state.path()).unwrap();
        for (job, boot) in [("here", runs.boot.clone()), ("before", "another".to_owned())] {
            runtime.block_on(journal.begin(job, job)).unwrap();
            runs.boot = boot;
            runs.begin(job, Some(job)).unwrap();
        }
        // One that was cut.
        fs::write(runs.directory.join("cut"), "{").unwrap();
        runs.boot = boot();
        runs.settle(&store, &journal).unwrap();
        assert_eq!(journal.used("here"), None);
        assert_eq!(journal.used("before").unwrap().how, How::Unknown);
        assert_eq!(fs::read_dir(&runs.directory).unwrap().count(), 0);
    }
}
