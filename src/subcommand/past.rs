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

/// A line that is judged otherwise.
#[derive(Debug)]
pub(super) struct Changed {
    pub(super) line: String,
    pub(super) before: Action,
    pub(super) after: Action,
}

/// What was judged again.
#[derive(Debug, Default)]
pub(super) struct Past {
    /// How many lines.
    pub(super) lines: usize,
    pub(super) changed: Vec<Changed>,
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
        let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
        // What is damaged is told by `log`.
        let found = store.entries(Filter { since, ..Filter::default() })?.flatten();
        for (number, entry) in found.enumerate() {
            let record = entry.decisive();
            if let (true, None, Some(cwd)) = (is_line(&entry), &record.line.rest, &record.cwd) {
                seen.insert((cwd.clone(), record.line.text.clone()), number);
            }
        }
        let mut newest: Vec<_> = seen.into_iter().collect();
        newest.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
        newest.truncate(MOST);
        let mut worlds: BTreeMap<String, Option<World>> = BTreeMap::new();
        let mut past = Self::default();
        for ((cwd, line), _) in newest {
            let world = worlds.entry(cwd).or_insert_with_key(|cwd| world(cwd));
            let Some(world) = world else { continue };
            let action = |rules: &RuleSet| {
                let judge = world.judge.with(rules, world.judge.facts.clone(), world.terms());
                judge.judge(&Request::about(line.as_bytes())).ok().map(|judged| judged.action)
            };
            let (Some(before), Some(after)) = (action(before), action(after)) else { continue };
            past.lines += 1;
            if before != after {
                past.changed.push(Changed { line, before, after });
            }
        }
        Ok(past)
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
