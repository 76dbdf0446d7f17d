//! What undo takes back whole: of what was found in a line, that it deletes, empties, overwrites or moves files of the workspace, or loses work of
//! its repository. Looks at findings alone; whether all of it is kept, is for who keeps it to say.

use super::table;
use crate::model::{Action, Finding, Severity};
use crate::policy::Assessment;

/// Kinds of effects that are taken back, as findings name them.
const EFFECTS: [&str; 5] =
    ["effect.delete", "effect.delete-tree", "effect.empty", "effect.move", "effect.lose-work"];

/// Returns whether something was found above low, and all of that can be taken back.
#[must_use]
pub fn covered(assessment: &Assessment) -> bool {
    assessment.severity > Severity::Low
        && assessment.action == Action::Allow
        && assessment.findings.iter().all(|finding| {
            finding.severity == Severity::Low && finding.action == Action::Allow
                || is_covered(finding)
        })
}

/// Returns the assessment of a line whose losses can be taken back: they are low, and say so.
#[must_use]
pub fn taken_back(assessment: &Assessment) -> Assessment {
    assessment.lowered(is_covered, "and it can be taken back")
}

fn is_covered(finding: &Finding) -> bool {
    let is_loss = EFFECTS.contains(&finding.rule.as_str()) || table::is_about_loss(&finding.rule);
    is_loss
        && finding.action == Action::Allow
        && (Severity::Medium..=Severity::High).contains(&finding.severity)
}
