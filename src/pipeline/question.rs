//! The question about a line: as a person at this terminal sees it, and as a host is asked it.

use std::fmt::Write as _;

use super::Judgement;
use super::world::World;
use crate::approval::visible;
use crate::model::{Caller, Effect, Finding, Question, Scope, Severity};
use crate::reading::PlannedCommand;
use crate::{observe, policy};

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

/// Returns the question about a line for the host that asks a person, with what a yes covers at most.
#[must_use]
pub fn of(world: &World, judgement: &Judgement, line: &str) -> Question {
    let assessment = &judgement.assessment;
    let facts = &world.judge.facts;
    let agent = match &facts.caller {
        Caller::Agent(name) => Some(name.clone()),
        Caller::Unknown => facts.parent_agent.as_ref().map(|agent| agent.name.clone()),
    };
    Question {
        line: line.to_owned(),
        cwd: facts.cwd.clone(),
        agent,
        session: observe::session(&world.environment),
        severity: assessment.severity,
        score: assessment.score,
        reason: assessment.reason.clone(),
        instead: assessment.instead.clone(),
        findings: assessment.findings.clone(),
        scope: scope(world, judgement),
    }
}

/// Returns what a line does that is not harmless.
fn scope(world: &World, judgement: &Judgement) -> Scope {
    let (assessment, plan) = (&judgement.assessment, &judgement.plan);
    let mut rules: Vec<String> = Vec::new();
    for finding in assessment.findings.iter().filter(|f| f.severity > Severity::Low) {
        if !rules.contains(&finding.rule) {
            rules.push(finding.rule.clone());
        }
    }
    rules.sort_unstable();
    let mut effects: Vec<Effect> = Vec::new();
    for effect in plan.commands.iter().flat_map(|command| &command.effects) {
        let is_harmless = policy::severity_of(effect, &world.judge.facts) == Severity::Low;
        if !is_harmless && !effects.contains(effect) {
            effects.push(effect.clone());
        }
    }
    let mut signatures: Vec<Vec<String>> = Vec::new();
    let of_line = |(subject, finding): (&Option<usize>, &Finding)| {
        subject.is_none() && finding.severity > Severity::Low
    };
    // What was found in no single command, nobody can sign for by naming one.
    let is_told = !assessment.subjects.iter().zip(&assessment.findings).any(of_line);
    let risky = plan.commands.iter().zip(&assessment.commands);
    let risky = risky.filter(|(_, found)| found.severity > Severity::Low && is_told);
    for (command, _) in risky {
        match signature(command) {
            Some(signature) if !signatures.contains(&signature) => signatures.push(signature),
            Some(_) => {}
            None => {
                return Scope { severity: assessment.severity, rules, effects, signatures: vec![] };
            }
        }
    }
    Scope { severity: assessment.severity, rules, effects, signatures }
}

/// Program and subcommands of a command, where they say what it does: all of it is known, and it runs nothing else.
fn signature(command: &PlannedCommand) -> Option<Vec<String>> {
    let known = &command.interpretation;
    let says = known.unknown.is_empty()
        && known.carried.is_empty()
        && command.unknown.is_empty()
        && !command.runs_input
        && !known.program.is_empty();
    let words = std::iter::once(&known.program).chain(&known.subcommand);
    says.then(|| words.cloned().collect())
}
