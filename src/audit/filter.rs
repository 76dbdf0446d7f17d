//! Which records are wanted, and which lines need not be read to know that they hold none of them.

use fast_glob::glob_match;
use jiff::Timestamp;

use super::entry::Entry;
use super::mask;
use super::record::{By, DecidedBy, Stored};
use crate::model::{Action, Severity};

/// Which records are wanted. Each part that is set must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this session.
    pub session: Option<String>,
    /// Of this agent.
    pub agent: Option<String>,
    /// With this action. A record's action is what came of it, so [`Action::Ask`] means what was asked about, whatever came of it.
    pub action: Option<Action>,
    /// At least this severe.
    pub severity: Option<Severity>,
    /// With this text in the line, the directory, or a finding.
    pub text: Option<String>,
    /// Not older than this.
    pub since: Option<Timestamp>,
    /// Only what somebody was asked about.
    pub asked: bool,
    /// Decided by these.
    pub by: Option<By>,
    /// With a finding whose id this glob means.
    pub rule: Option<String>,
    /// Only this one.
    pub id: Option<Id>,
}

/// By what a person names a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Id {
    /// Its number.
    Number(u64),
    /// The beginning of its question's id.
    Question(String),
}

impl Filter {
    pub(super) fn fits(&self, stored: &Stored) -> bool {
        let record = &stored.record;
        // As it was written.
        let session =
            |wanted: &String| record.session.as_deref() == Some(&*mask::mask_field(wanted));
        let text = |wanted: &String| {
            let found = |text: &str| text.contains(wanted.as_str());
            found(&record.line.text)
                || record.cwd.as_deref().is_some_and(found)
                || record.findings.iter().any(|noted| found(&noted.rule) || found(&noted.reason))
        };
        let action = |wanted: Action| match wanted {
            Action::Ask => record.was_asked(),
            // What was only told has no action.
            _ => record.action == wanted && record.decided_by != DecidedBy::Observed,
        };
        let rule =
            |glob: &String| record.findings.iter().any(|noted| glob_match(glob, &noted.rule));
        let id = |wanted: &Id| match wanted {
            Id::Number(number) => stored.sequence == *number,
            Id::Question(start) => {
                let id = record.question.as_ref().and_then(|question| question.id.as_ref());
                id.is_some_and(|id| id.starts_with(start.as_str()))
            }
        };
        let agent = |wanted: &String| record.caller.as_ref() == Some(wanted);
        self.session.as_ref().is_none_or(session)
            && self.agent.as_ref().is_none_or(agent)
            && self.action.is_none_or(action)
            && self.severity.is_none_or(|severity| record.severity >= severity)
            && self.since.is_none_or(|since| record.time >= since)
            && self.text.as_ref().is_none_or(text)
            && (!self.asked || record.was_asked())
            && self.by.is_none_or(|by| record.decided_by.by() == Some(by))
            && self.rule.as_ref().is_none_or(rule)
            && self.id.as_ref().is_none_or(id)
    }

    /// Returns whether one of an entry's records fits.
    #[must_use]
    pub fn fits_entry(&self, entry: &Entry) -> bool {
        self.fits(&entry.first) || entry.views.iter().any(|stored| self.fits(stored))
    }

    /// Returns whether a day's file can hold records that are wanted. A record may stand in the file of a later day than its own, if
    /// the clock was set back, but never in that of an earlier one.
    pub(super) fn fits_day(&self, day: &str) -> bool {
        self.since.is_none_or(|since| *day >= *since.to_string().get(..10).unwrap_or(""))
    }

    /// Returns the time from which on records are wanted, as lines have it.
    pub(super) fn since_written(&self) -> Option<String> {
        self.since.map(|since| format!("{since:.6}"))
    }

    /// Returns what lines must hold.
    pub(super) fn sieve(&self) -> Sieve {
        let mut all = Vec::new();
        all.extend(self.session.as_ref().map(|session| vec![written(&mask::mask_field(session))]));
        all.extend(self.agent.as_ref().map(|agent| vec![written(agent)]));
        all.extend(self.text.as_ref().map(|text| vec![written(text)]));
        all.extend(self.rule.as_ref().and_then(|glob| Some(vec![written(plain(glob)?)])));
        if self.asked || self.action == Some(Action::Ask) {
            let mut any = field("decided_by", ["person-", "model\"", "nobody\"", "client\""]);
            any.extend(["\"question\":".to_owned(), "\"action\":\"ask\"".to_owned()]);
            all.push(any);
        }
        let ended = self.action.filter(|action| *action != Action::Ask);
        all.extend(ended.map(|action| field("action", [action.name()])));
        let severe = |least: Severity| {
            let all = [Severity::Low, Severity::Medium, Severity::High, Severity::Critical];
            field("severity", all.iter().filter(|one| **one >= least).map(|one| one.name()))
        };
        all.extend(self.severity.filter(|least| *least > Severity::Low).map(severe));
        if let Some(Id::Question(start)) = &self.id {
            all.push(vec![format!("\"question\":{{\"id\":\"{}", written(start))]);
        }
        Sieve(all)
    }
}

/// Texts of which the lines of an entry must hold one of each list: else none of its records is wanted.
pub(super) struct Sieve(Vec<Vec<String>>);

impl Sieve {
    /// Returns whether these lines, which are one entry, may hold what is wanted. Bytes that are no text may.
    pub(super) fn may_fit(&self, lines: &[&[u8]]) -> bool {
        self.0.iter().all(|any| {
            lines.iter().any(|line| {
                std::str::from_utf8(line)
                    .map_or(true, |line| any.iter().any(|text| line.contains(text.as_str())))
            })
        })
    }
}

/// Returns how fields are written that begin with one of these values.
fn field<'v>(name: &str, values: impl IntoIterator<Item = &'v str>) -> Vec<String> {
    values.into_iter().map(|value| format!("\"{name}\":\"{value}")).collect()
}

/// Returns the longest text that every id has which a glob means; none where parts of it may be left out.
fn plain(glob: &str) -> Option<&str> {
    let parts = glob.split(['*', '?']);
    let is_simple = !glob.contains(['{', '[', '\\', '!']);
    parts.max_by_key(|part| part.len()).filter(|_| is_simple)
}

/// Returns a text as it is written in a line.
fn written(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_passes_the_sieve_if_it_may_be_wanted() {
        let line = br#"{"caller":"claude","cwd":"/a \"b\"","action":"deny","severity":"high","decided_by":"person-deny","findings":[{"rule":"git.push"}]}"#;
        for (filter, passes) in [
            (Filter::default(), true),
            (Filter { text: Some("a \"b".to_owned()), ..Filter::default() }, true),
            (Filter { text: Some("absent".to_owned()), ..Filter::default() }, false),
            (Filter { action: Some(Action::Deny), ..Filter::default() }, true),
            (Filter { action: Some(Action::Allow), ..Filter::default() }, false),
            (Filter { action: Some(Action::Ask), ..Filter::default() }, true),
            (Filter { severity: Some(Severity::Medium), ..Filter::default() }, true),
            (Filter { severity: Some(Severity::Critical), ..Filter::default() }, false),
            (Filter { agent: Some("claude".to_owned()), ..Filter::default() }, true),
            (Filter { agent: Some("codex".to_owned()), ..Filter::default() }, false),
            (Filter { rule: Some("git.*".to_owned()), ..Filter::default() }, true),
            (Filter { rule: Some("*npm*".to_owned()), ..Filter::default() }, false),
            (Filter { rule: Some("{npm,git}.*".to_owned()), ..Filter::default() }, true),
            (Filter { id: Some(Id::Question("a".to_owned())), ..Filter::default() }, false),
        ] {
            let lines = [line.as_slice()];
            assert_eq!(filter.sieve().may_fit(&lines), passes, "{filter:?}");
        }
        let no_text = [b"\xff".as_slice()];
        let filter = Filter { text: Some("absent".to_owned()), ..Filter::default() };
        assert!(filter.sieve().may_fit(&no_text));
    }
}
