//! What came of the tests of a policy, as data: for people, and for programs in three formats.

use std::time::Duration;

use serde::Serialize;

use crate::model::{Action, Finding, Score, Severity};
use crate::pipeline::Judgement;

/// What came of all of them.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// The directory of the policy, as it was named.
    pub(super) directory: String,
    pub(super) tests: Vec<Done>,
    /// The examples of the directory's rules.
    pub(super) examples: Vec<Done>,
    /// Where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) coverage: Option<Coverage>,
}

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Place {
    pub(super) file: String,
    /// From 1.
    pub(super) at: usize,
}

/// What came of a test or an example.
#[derive(Debug, Serialize)]
pub(super) struct Done {
    pub(super) name: String,
    /// The rule whose example it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule: Option<String>,
    #[serde(flatten)]
    pub(super) place: Place,
    pub(super) line: String,
    /// What is not as it says; none where all is.
    pub(super) faults: Vec<String>,
    /// What was found; none where it could not be judged, and for examples.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) found: Option<Found>,
    #[serde(skip)]
    pub(super) took: Duration,
}

/// A judgement, in short.
#[derive(Debug, Serialize)]
pub(super) struct Found {
    pub(super) action: Action,
    pub(super) severity: Severity,
    pub(super) score: Score,
    pub(super) reason: String,
    pub(super) findings: Vec<FoundRule>,
}

/// A finding, in short.
#[derive(Debug, Serialize)]
pub(super) struct FoundRule {
    pub(super) rule: String,
    pub(super) severity: Severity,
    pub(super) reason: String,
}

/// Which rules of the directory the tests show at work.
#[derive(Debug, Serialize)]
pub(super) struct Coverage {
    /// The rules that fire in one.
    pub(super) fired: Vec<Covered>,
    /// Those that fire in none.
    pub(super) unfired: Vec<Covered>,
    /// Whether that is a fault.
    pub(super) required: bool,
}

/// A rule of the directory.
#[derive(Debug, Serialize)]
pub(super) struct Covered {
    pub(super) rule: String,
    #[serde(flatten)]
    pub(super) place: Place,
}

/// What is said of a rule that fires in no test.
pub(super) const UNFIRED: &str = "fires in no test";

impl Done {
    pub(super) const fn is_failed(&self) -> bool {
        !self.faults.is_empty()
    }
}

impl Coverage {
    /// Returns how many rules there are.
    pub(super) const fn rules(&self) -> usize {
        self.fired.len() + self.unfired.len()
    }
}

impl Found {
    /// Returns what a judgement found, each text as `told` writes it.
    pub(super) fn of(judgement: &Judgement, told: impl Fn(&str) -> String) -> Self {
        let assessment = &judgement.assessment;
        let rule = |finding: &Finding| FoundRule {
            rule: finding.rule.clone(),
            severity: finding.severity,
            reason: told(&finding.reason),
        };
        Self {
            action: judgement.action,
            severity: assessment.severity,
            score: assessment.score,
            reason: told(&assessment.reason),
            findings: assessment.findings.iter().map(rule).collect(),
        }
    }
}

impl Report {
    /// Returns all that was held: tests, then examples.
    pub(super) fn all(&self) -> impl Iterator<Item = &Done> {
        self.tests.iter().chain(&self.examples)
    }

    /// Returns whether all is as it says, and covered where that is required.
    pub(super) fn is_passed(&self) -> bool {
        let is_covered = |coverage: &Coverage| !coverage.required || coverage.unfired.is_empty();
        !self.all().any(Done::is_failed) && self.coverage.as_ref().is_none_or(is_covered)
    }
}

/// Returns how many of them failed.
pub(super) fn failed(all: &[Done]) -> usize {
    all.iter().filter(|done| done.is_failed()).count()
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.at)
    }
}
