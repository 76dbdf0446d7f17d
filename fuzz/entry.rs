//! What must hold whatever the bytes, as the fuzz targets and the tests of their corpus both check it.
//! Each function returns what is wrong, in words.

use guarded_sh::model::{Action, Severity, Span};
use guarded_sh::pipeline::{Judge, Judgement, Request, examples};
use guarded_sh::rules::RuleSet;
use guarded_sh::syntax::{Descend, Node, Script, parse, unaccounted};

/// Reads any bytes: every byte is held by something, and every span lies in the text.
pub fn syntax(text: &[u8]) -> Result<Script, String> {
    let script = parse(text);
    if let Some(span) = unaccounted(text, &script) {
        return Err(format!("nothing holds {span:?}"));
    }
    let mut outside = None;
    script.walk(&mut |node| {
        let span = match node {
            Node::Statement(it) => it.span,
            Node::Command(it) => it.span,
            Node::Redirect(it) => it.span,
            Node::Assignment(it) => it.span,
            Node::Word(it) => it.span,
            Node::Part(it) => it.span,
            Node::Script(it) => it.span,
        };
        if span.start > span.end || span.end > text.len() {
            outside = Some(span);
        }
        Descend::Into
    });
    match outside {
        Some(span) => Err(format!("{span:?} lies outside of the text")),
        None => Ok(script),
    }
}

/// Judges any bytes: spans lie in the line and cut no character, severity and score tell the same, and what was not read
/// is not allowed.
pub fn judged(judge: &Judge, text: &[u8]) -> Result<Judgement, String> {
    let judgement = judge.judge(&Request::about(text)).map_err(|error| error.to_string())?;
    let line = &judgement.line;
    let fits = |span: Span| span.start <= span.end && line.get(span.start..span.end).is_some();
    let assessment = &judgement.assessment;
    for finding in &assessment.findings {
        if !fits(finding.span) {
            return Err(format!("{} is found at {:?}", finding.rule, finding.span));
        }
        if finding.severity > assessment.severity {
            return Err(format!("{} is worse than its line", finding.rule));
        }
    }
    for command in &judgement.plan.commands {
        if !fits(command.span) {
            return Err(format!("{:?} is planned at {:?}", command.program(), command.span));
        }
    }
    for opaque in &judgement.plan.opaque {
        if !fits(opaque.span) {
            return Err(format!("{:?} is opaque at {:?}", opaque.reason, opaque.span));
        }
    }
    let (low, high) = assessment.severity.band();
    if !(low..=high).contains(&assessment.score.get()) {
        return Err(format!("{:?} scores {:?}", assessment.severity, assessment.score));
    }
    let unread = !judgement.plan.opaque.is_empty();
    if unread && (assessment.severity == Severity::Low || judgement.action == Action::Allow) {
        return Err(format!("{:?} is allowed", judgement.plan.opaque));
    }
    Ok(judgement)
}

/// What judges: the built-in rules, in a developer's workspace.
pub fn judge() -> Judge {
    Judge::supposing(RuleSet::builtin(), examples::facts())
}
