//! What an agent is told of where it is: the branch, and what was refused in this session. Only where the owner wants it.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::time::Duration;

use crate::approval::visible;
use crate::audit::{self, Filter, Line, NotedFinding, Records, Stored};
use crate::model::{Action, Severity};
use crate::observe;
use crate::pipeline::{Judgement, World};

/// How many refusals are told.
const TOLD: usize = 3;
/// Characters of a line that are told.
const LINE: usize = 200;
/// For how long a refusal is told.
const RECENT: Duration = Duration::from_secs(24 * 3600);

/// Returns what is told; nothing if there is nothing.
pub(super) fn text(world: &World, session: Option<&str>) -> Option<String> {
    let mut text = String::new();
    let cwd = world.judge.facts.cwd.as_deref();
    let git = cwd.and_then(|cwd| observe::git(&world.environment, cwd));
    if let Some(branch) = git.and_then(|git| git.branch) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "guarded-sh: the branch is '{}'.", visible(&branch));
    }
    let refused = session.map(|session| refused(world, session)).unwrap_or_default();
    for stored in refused {
        let line: String = stored.record.line.text.chars().take(LINE).collect();
        let why = stored.record.findings.first().map_or("", |finding| finding.reason.as_str());
        let _ = writeln!(
            text,
            "guarded-sh: refused in this session, and would be again: `{}` ({})",
            visible(&line),
            visible(why)
        );
    }
    (!text.is_empty()).then(|| text.trim_end().to_owned())
}

/// Returns a note where something does what was refused in this session in other words.
pub(super) fn again(world: &World, session: Option<&str>, judgement: &Judgement) -> Option<String> {
    let line = Line::new(OsStr::new(&judgement.line));
    let found = |noted: &NotedFinding| {
        noted.severity > Severity::Low
            && judgement.assessment.findings.iter().any(|finding| {
                finding.rule == noted.rule && line.masked_reason(&finding.reason) == noted.reason
            })
    };
    if judgement.assessment.severity == Severity::Low {
        return None;
    }
    let records = records(world, session?)?;
    let refused = records
        .flatten()
        .map(|stored| stored.record)
        .find(|record| record.line != line && record.findings.iter().any(found))?;
    let why = refused.findings.iter().find(|noted| found(noted))?.reason.clone();
    let before: String = refused.line.text.chars().take(LINE).collect();
    Some(format!(
        "guarded-sh: this does what was refused before as `{}` ({}): to write it in another way changes nothing; go on without it, or ask \
         the person.",
        visible(&before),
        visible(&why)
    ))
}

/// The last refusals of a session. A record that cannot be read tells nothing: that it is broken is said where something is decided.
fn refused(world: &World, session: &str) -> Vec<Stored> {
    let Some(records) = records(world, session) else { return Vec::new() };
    let mut last: Vec<Stored> = Vec::new();
    for stored in records.flatten() {
        if last.last().is_some_and(|before| before.record.line == stored.record.line) {
            continue;
        }
        if last.len() == TOLD {
            last.remove(0);
        }
        last.push(stored);
    }
    last
}

/// What was refused in a session lately.
fn records(world: &World, session: &str) -> Option<Records> {
    let since = audit::now().checked_sub(RECENT).ok();
    let filter = Filter {
        session: Some(session.to_owned()),
        action: Some(Action::Deny),
        since,
        ..Filter::default()
    };
    world.records().and_then(|store| Ok(store.read(filter)?)).ok()
}
