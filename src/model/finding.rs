//! What a rule, or the judgement of an effect, says about some bytes of the line.

use serde::{Deserialize, Serialize};

use super::{Action, Severity, Span};

/// How the ids of rules begin that nobody trusted.
pub const UNTRUSTED: &str = "untrusted.";

/// A rule fired on these bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's id, or `effect.KIND` and `opaque.REASON` where no rule was needed. That of a rule that nobody trusted begins with
    /// [`UNTRUSTED`].
    pub rule: String,
    /// The bytes of the line that it is about.
    pub span: Span,
    /// How severe it is.
    pub severity: Severity,
    /// The least restrictive action that it leaves open, whatever the thresholds say.
    pub action: Action,
    /// Points that it takes off the top of the line's band, if it is of the line's severity.
    pub points: u8,
    /// Why, in plain words.
    pub reason: String,
    /// What could be done instead, in plain words.
    pub suggestion: Option<String>,
    /// A command that does the job with less harm.
    pub instead: Option<String>,
}

impl Finding {
    /// Returns whether it is the word of the owner, or of guarded-sh itself. What is not may be told behind what is, and never in its place.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        !self.rule.starts_with(UNTRUSTED)
    }
}
