//! Calls of a transcript that run commands or change things and for which nothing of ours was decided: something ran past the guard, or the transcript is not true.

use guarded_sh::hooks::ToolKind;
use jiff::Timestamp;

use super::matched::{Has, Matched, Wants, matched};
use super::scan::{Noted, Scan};

/// Calls without a decision that are told one by one.
const TOLD: usize = 50;

/// A call without a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// Where it stands, and by what it is known there.
    pub at: String,
    /// When.
    pub time: Option<Timestamp>,
    /// The tool.
    pub title: String,
    /// What it did, in few words.
    pub line: String,
}

/// How far decisions cover what a transcript says was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Calls that run commands or change things, and of which something came.
    pub checked: u64,
    /// How many of them have no decision.
    pub without: u64,
    /// How many are older than the record.
    pub before: u64,
    /// Those without a decision, the first of them.
    pub told: Vec<Uncovered>,
    /// What belongs to each call of the transcript.
    pub matched: Vec<Matched>,
}

/// Returns how far decisions cover the calls of a transcript. `began`: when the record begins.
pub fn covered(scan: &Scan, decisions: &[Has], began: Option<Timestamp>) -> Coverage {
    let wants = scan.calls.iter().map(|call| Wants {
        id: call.id.as_deref(),
        key: call.key,
        time: call.time,
        until: scan.came(call),
    });
    let found = matched(&wants.collect::<Vec<_>>(), decisions);
    let mut coverage = Coverage::default();
    let last = scan.calls.len().saturating_sub(1);
    for (index, (call, found)) in scan.calls.iter().zip(&found).enumerate() {
        // What is called last may not be asked about yet.
        let is_open = index == last && !scan.has_come(call);
        if !acts(call) || is_open {
            continue;
        }
        if call.time.is_some_and(|time| began.is_none_or(|began| time < began)) {
            coverage.before += 1;
            continue;
        }
        coverage.checked += 1;
        if *found == Matched::None {
            coverage.without += 1;
            if coverage.told.len() < TOLD {
                coverage.told.push(Uncovered {
                    at: call.at.clone(),
                    time: call.time,
                    title: call.title.clone(),
                    line: call.line.clone(),
                });
            }
        }
    }
    coverage.matched = found;
    coverage
}

/// Whether a call runs something or changes something, as far as its tool says.
const fn acts(call: &Noted) -> bool {
    matches!(call.kind, ToolKind::Shell | ToolKind::Write | ToolKind::Edit | ToolKind::Mcp)
}
