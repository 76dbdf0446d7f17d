//! What came of the tests of a policy, for people: what is not as it says, and why; then how many are.

use std::fmt::Write as _;

use super::report::{Done, Report, UNFIRED, failed};
use crate::approval::text::on_one_line;
use crate::approval::visible;

/// Findings of a line that are shown at most.
const SHOWN: usize = 6;

pub(super) fn told(report: &Report) -> String {
    let mut text = String::new();
    for done in report.tests.iter().filter(|done| done.is_failed()) {
        failure(done, &mut text);
    }
    for done in &report.examples {
        for fault in &done.faults {
            // Writing to a string cannot fail.
            let rule = done.rule.as_deref().unwrap_or_default();
            let _ = writeln!(text, "{}: rule {rule}: {}", done.place, on_one_line(fault));
        }
    }
    for rule in report.coverage.iter().flat_map(|coverage| &coverage.unfired) {
        let _ = writeln!(text, "{}: rule {} {UNFIRED}", rule.place, rule.rule);
    }
    let counted = |all: &[Done], what: &str| {
        let failed = failed(all);
        format!("{what}: {} passed, {failed} failed", all.len() - failed)
    };
    let _ = write!(
        text,
        "{}; {}",
        counted(&report.tests, "tests"),
        counted(&report.examples, "examples of rules")
    );
    if let Some(coverage) = &report.coverage {
        let _ = write!(text, "; {} of {} rules fire", coverage.fired.len(), coverage.rules());
    }
    text.push('\n');
    visible(&text).into_owned()
}

fn failure(done: &Done, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}: {}", done.place, on_one_line(&done.name));
    if done.line != done.name {
        let _ = writeln!(text, "  {}", on_one_line(&done.line));
    }
    for fault in &done.faults {
        let _ = writeln!(text, "  {}", on_one_line(fault));
    }
    let Some(found) = &done.found else { return };
    let findings = &found.findings;
    for (at, finding) in findings.iter().take(SHOWN).enumerate() {
        let head = if at == 0 { "found:" } else { "" };
        let severity = finding.severity.name();
        let _ = writeln!(
            text,
            "  {head:<6} {severity:<9} {}: {}",
            finding.rule,
            on_one_line(&finding.reason)
        );
    }
    if findings.len() > SHOWN {
        let _ = writeln!(text, "         and {} more", findings.len() - SHOWN);
    }
}
