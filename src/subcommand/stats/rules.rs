//! What rules made the guard ask: for each finding how often, what was answered, and how long that took.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Serialize, Serializer};

use crate::approval::visible;
use crate::audit::{By, Entry, Record};
use crate::model::{Action, Mode};
use crate::subcommand::log::seconds;
use crate::subcommand::output::{cut, padded};

/// Rules that are told at most.
const TOLD: usize = 20;
/// Columns of an id.
const ID: usize = 34;
/// Questions from which on it is said that all answers were the same.
const OFTEN: u64 = 3;

/// The rules, by their ids.
#[derive(Debug, Default)]
pub(super) struct Rules(BTreeMap<String, Asked>);

#[derive(Debug, Default)]
struct Asked {
    times: u64,
    approved: u64,
    denied: u64,
    by_model: u64,
    /// How long each answer took, in milliseconds.
    waited: Vec<u64>,
}

/// What a rule made the guard ask, as programs read it.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct WireRule<'r> {
    rule: &'r str,
    asked: u64,
    approved: u64,
    denied: u64,
    /// A model said yes, and no person was waited for.
    by_model: u64,
    /// Nobody answered, or the agent's answer is not known.
    unanswered: u64,
    /// Half of the answers took no longer, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    median_wait: Option<u64>,
}

impl Rules {
    pub(super) fn note(&mut self, entry: &Entry) {
        let record = entry.decisive();
        if record.mode == Mode::Shadow || !entry.records().any(Record::was_asked) {
            return;
        }
        let is_yes = matches!(record.action, Action::Allow | Action::Contain);
        // The agent said nothing of what its person answered, but it was done.
        let is_done = record.action == Action::Ask && entry.outcome().is_some();
        // What is milder than the worst is not what was asked for.
        let found = record.findings.iter().filter(|noted| noted.severity == record.severity);
        let mut ids: Vec<&String> = found.map(|noted| &noted.rule).collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let asked = self.0.entry(id.clone()).or_default();
            asked.times += 1;
            match record.decided_by.by() {
                Some(By::Model) => asked.by_model += 1,
                Some(By::Person) if is_yes || is_done => asked.approved += 1,
                Some(By::Person) if record.action == Action::Deny => asked.denied += 1,
                _ => {}
            }
            asked.waited.extend(entry.waited());
        }
    }

    /// Returns the rules that asked most often first.
    fn sorted(&self) -> Vec<WireRule<'_>> {
        let mut all: Vec<WireRule<'_>> = self.0.iter().map(|(id, asked)| asked.wire(id)).collect();
        all.sort_by_key(|rule| std::cmp::Reverse(rule.asked));
        all
    }

    pub(super) fn told(&self) -> String {
        let all = self.sorted();
        let mut text = String::new();
        if all.is_empty() {
            return text;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(text, "what was asked about");
        for rule in all.iter().take(TOLD) {
            let id = padded(&cut(&visible(rule.rule), ID), ID);
            let _ = writeln!(text, "  {id}  {}", rule.sentence());
        }
        if let Some(more) = all.len().checked_sub(TOLD).filter(|more| *more > 0) {
            let _ = writeln!(text, "  and {more} more: --json");
        }
        if all.iter().any(WireRule::is_always_approved) {
            let _ = writeln!(
                text,
                "what would spare questions that are always approved: guarded-sh suggest"
            );
        }
        text
    }
}

impl Serialize for Rules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.sorted().serialize(serializer)
    }
}

impl Asked {
    fn wire<'r>(&self, rule: &'r str) -> WireRule<'r> {
        let Self { times: asked, approved, denied, by_model, .. } = *self;
        let mut waited = self.waited.clone();
        waited.sort_unstable();
        let median_wait = waited.get(waited.len().saturating_sub(1) / 2).copied();
        let unanswered = asked - approved - denied - by_model;
        WireRule { rule, asked, approved, denied, by_model, unanswered, median_wait }
    }
}

impl WireRule<'_> {
    const fn is_always_approved(&self) -> bool {
        self.asked >= OFTEN && self.approved == self.asked
    }

    fn sentence(&self) -> String {
        let times = match self.asked {
            1 => "asked once".to_owned(),
            asked => format!("asked {asked} times"),
        };
        let came = if self.is_always_approved() {
            "always approved".to_owned()
        } else if self.asked >= OFTEN && self.denied == self.asked {
            "always denied".to_owned()
        } else {
            let counts = [
                (self.approved, "approved"),
                (self.denied, "denied"),
                (self.by_model, "by a model"),
                (self.unanswered, "unanswered"),
            ];
            let counts = counts.iter().filter(|(count, _)| *count > 0);
            let counts = counts.map(|(count, what)| format!("{count} {what}"));
            counts.collect::<Vec<_>>().join(", ")
        };
        let wait = self.median_wait.map(|wait| format!("; median wait {}", seconds(wait)));
        format!("{times}, {came}{}", wait.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_answered_is_said_in_words() {
        for (times, approved, denied, by_model, waited, says) in [
            (
                4,
                4,
                0,
                0,
                vec![9000, 1200, 3000, 70_000],
                "asked 4 times, always approved; median wait 3.0 s",
            ),
            (3, 0, 3, 0, vec![500], "asked 3 times, always denied; median wait 0.5 s"),
            (4, 1, 1, 1, vec![], "asked 4 times, 1 approved, 1 denied, 1 by a model, 1 unanswered"),
            (1, 1, 0, 0, vec![], "asked once, 1 approved"),
        ] {
            let rule = Asked { times, approved, denied, by_model, waited };
            assert_eq!(rule.wire("git.push").sentence(), says);
        }
    }
}
