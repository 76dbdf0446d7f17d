//! A judgement as JSON: the verdict of `check --json`. Fields may be added, never renamed.

use serde::Serialize;

use crate::model::{Action, Arg, Category, Effect, Layers, Score, Severity};
use crate::pipeline::Judgement;
use crate::reading::PlannedCommand;

/// The verdict on one line.
#[derive(Serialize)]
pub struct WireVerdict<'a> {
    action: Action,
    severity: Severity,
    score: Score,
    category: Category,
    reason: &'a str,
    suggestion: Option<&'a str>,
    instead: Option<&'a str>,
    findings: Vec<WireFinding<'a>>,
    commands: Vec<WireCommand<'a>>,
    opaque: Vec<WireOpaque>,
    /// The layers of the container that it runs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<Layers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<&'static str>,
    /// What it destroys can be taken back, and nobody is asked for that.
    #[serde(skip_serializing_if = "is_not")]
    undo: bool,
    micros: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
const fn is_not(flag: &bool) -> bool {
    !*flag
}

#[derive(Serialize)]
struct WireFinding<'a> {
    rule: &'a str,
    severity: Severity,
    reason: &'a str,
    start: usize,
    end: usize,
    points: u8,
}

#[derive(Serialize)]
struct WireCommand<'a> {
    /// Null: a word that is not known, or may be several.
    argv: Vec<Option<&'a str>>,
    program: Option<&'a str>,
    start: usize,
    end: usize,
    via: &'a [String],
    effects: &'a [Effect],
    severity: Severity,
    score: Score,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<&'a str>,
}

#[derive(Serialize)]
struct WireOpaque {
    reason: String,
    start: usize,
    end: usize,
}

impl<'a> From<&'a Judgement> for WireVerdict<'a> {
    fn from(judgement: &'a Judgement) -> Self {
        let assessment = &judgement.assessment;
        Self {
            action: judgement.action,
            severity: assessment.severity,
            score: assessment.score,
            category: assessment.category(),
            reason: &assessment.reason,
            suggestion: assessment.suggestion.as_deref(),
            instead: assessment.instead.as_deref(),
            findings: assessment
                .findings
                .iter()
                .map(|finding| WireFinding {
                    rule: &finding.rule,
                    severity: finding.severity,
                    reason: &finding.reason,
                    start: finding.span.start,
                    end: finding.span.end,
                    points: finding.points,
                })
                .collect(),
            commands: judgement
                .plan
                .commands
                .iter()
                .zip(&assessment.commands)
                .map(|(command, assessed)| command_row(command, assessed.severity, assessed.score))
                .collect(),
            opaque: judgement
                .plan
                .opaque
                .iter()
                .map(|opaque| WireOpaque {
                    reason: opaque.reason.to_string(),
                    start: opaque.span.start,
                    end: opaque.span.end,
                })
                .collect(),
            layers: assessment.contained.filter(|_| judgement.action == Action::Contain),
            frame: judgement.frame.as_ref().map(|frame| frame.agent),
            undo: judgement.can_be_taken_back,
            micros: judgement.micros,
        }
    }
}

fn command_row(command: &PlannedCommand, severity: Severity, score: Score) -> WireCommand<'_> {
    WireCommand {
        argv: command.argv.iter().map(Arg::known).collect(),
        program: command.program(),
        start: command.span.start,
        end: command.span.end,
        via: &command.via,
        effects: &command.effects,
        severity,
        score,
        unknown: command.unknown.iter().map(String::as_str).collect(),
    }
}
