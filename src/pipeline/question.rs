//! The question that a person at this terminal sees.

use std::fmt::Write as _;

use super::Judgement;
use crate::approval::visible;

/// Returns the question about a line: what it is, why it is asked, what a yes would cover.
#[must_use]
pub fn text(judgement: &Judgement) -> String {
    let assessment = &judgement.assessment;
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "guarded-sh: {} ({}/100)",
        assessment.severity.name(),
        assessment.score.get()
    );
    for line in judgement.line.lines() {
        let _ = writeln!(text, "  {}", visible(line));
    }
    for finding in assessment.findings.iter().take(4) {
        let _ = writeln!(text, "- {}", visible(&finding.reason));
    }
    if let Some(instead) = &assessment.instead {
        let _ = writeln!(text, "instead: {}", visible(instead));
    }
    text.push_str("A yes covers this one run of these very bytes.");
    text
}
