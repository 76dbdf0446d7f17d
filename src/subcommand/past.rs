//! Lines of the record, judged again: what a change of rules or settings would have done to them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::failure::Failure;
use super::ground::Ground;
use crate::audit::{self, DecidedBy, Entry, Filter};
use crate::model::{Action, StandardInput};
use crate::pipeline::{self, Request, World};
use crate::rules::RuleSet;

/// How far back the record is read.
pub(super) const SINCE: Duration = Duration::from_secs(30 * 24 * 3600);
/// Lines that are judged again at most, the newest.
const MOST: usize = 1_000;

/// A line of the record, in its directory.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its text, whole.
    pub line: String,
    /// The directory.
    pub directory: String,
    /// How often it was decided about.
    pub times: u64,
}

/// A line that is judged otherwise.
#[derive(Debug)]
pub struct Changed {
    /// The line.
    pub line: Line,
    /// What is done with it by the rules before.
    pub before: Action,
    /// What is done with it by those after.
    pub after: Action,
}

/// What was judged again.
#[derive(Debug, Default)]
pub struct Past {
    /// How many lines.
    pub lines: usize,
    /// Those that are judged otherwise.
    pub changed: Vec<Changed>,
}

impl Past {
    /// Judges each line of the last month by both, as it would be judged in its directory.
    pub(super) fn judged(
        ground: &Ground,
        before: &RuleSet,
        after: &RuleSet,
    ) -> Result<Self, Failure> {
        let store = pipeline::store(&ground.settings()?, &ground.places)?;
        let since = Some(audit::ago(SINCE));
        let mut seen: BTreeMap<(String, String), (usize, u64)> = BTreeMap::new();
        // What is damaged is told by `log`.
        let found = store.entries(Filter { since, ..Filter::default() })?.flatten();
        for (number, entry) in found.enumerate() {
            let record = entry.decisive();
            if let (true, None, Some(cwd)) = (is_line(&entry), &record.line.rest, &record.cwd) {
                let seen = seen.entry((cwd.clone(), record.line.text.clone())).or_default();
                *seen = (number, seen.1 + 1);
            }
        }
        let mut newest: Vec<_> = seen.into_iter().collect();
        newest.sort_by_key(|(_, (number, _))| std::cmp::Reverse(*number));
        newest.truncate(MOST);
        let lines = newest.into_iter();
        let lines = lines.map(|((directory, line), (_, times))| Line { line, directory, times });
        Ok(Self::of(lines, before, after))
    }

    /// Judges these lines by both, each as it would be judged in its directory. Those of directories that are gone are left out.
    pub fn of(lines: impl IntoIterator<Item = Line>, before: &RuleSet, after: &RuleSet) -> Self {
        let mut worlds: BTreeMap<String, Option<World>> = BTreeMap::new();
        let mut past = Self::default();
        for line in lines {
            let world = worlds.entry(line.directory.clone()).or_insert_with_key(|cwd| world(cwd));
            let Some(world) = world else { continue };
            let action = |rules: &RuleSet| {
                let judge = world.judge.with(rules, world.judge.facts.clone(), world.terms());
                judge.judge(&Request::about(line.line.as_bytes())).ok().map(|judged| judged.action)
            };
            let (Some(before), Some(after)) = (action(before), action(after)) else { continue };
            past.lines += 1;
            if before != after {
                past.changed.push(Changed { line, before, after });
            }
        }
        past
    }
}

/// Returns the world around a directory as lines of the record found it; none where it is gone.
pub(super) fn world(cwd: &str) -> Option<World> {
    let world = World::at(Some(cwd.to_owned())).ok()?;
    Some(world.with_input(StandardInput::Nothing))
}

/// Whether an entry is about a line of a shell, not a call of another tool, nor what a person typed to an agent.
pub(super) fn is_line(entry: &Entry) -> bool {
    let is_decided = entry.decisive().decided_by != DecidedBy::Observed;
    is_decided
        && entry.records().all(|record| {
            let tool = record.hook.as_deref().and_then(|hook| hook.tool.as_deref());
            tool.is_none_or(|tool| tool == "Bash")
        })
}
