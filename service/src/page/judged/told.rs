//! A judgement for people: the line underlined, what was found, the plan with what each command does, what would make it quieter, and all of it as text.

use std::fmt::Write as _;

use guarded_sh::approval::visible;
use guarded_sh::model::{Action, Facts, Severity};
use guarded_sh::pipeline::quieter::Way;
use guarded_sh::pipeline::{Judgement, World};
use guarded_sh::policy::{sentence, severity_of};
use guarded_sh::reading::PlannedCommand;
use guarded_sh::subcommand::words;
use maud::{Markup, html};

use super::super::html as parts;

/// Commands and effects of one that are told at most.
const MOST: usize = 60;
/// Commands within commands that are told one below the other.
const DEEPEST: usize = 12;

/// Returns what an action means for a line.
pub const fn says(action: Action) -> &'static str {
    match action {
        Action::Allow => "runs",
        Action::Contain => "runs contained",
        Action::Ask => "asks",
        Action::Deny => "is refused",
    }
}

/// How a line is judged.
pub fn verdict(title: &str, world: &World, judgement: &Judgement) -> Markup {
    let assessment = &judgement.assessment;
    html! {
        section.verdict data-severity=(assessment.severity.name()) aria-label=(title) {
            h2 { (title) }
            p.head { (parts::severity(assessment.severity)) " It " strong { (says(judgement.action)) } ", " (assessment.score.get()) " of 100 safe: " (parts::words(&assessment.reason)) }
            p.dim { "Profile " (world.terms().profile.name()) ", threshold " (world.terms().threshold) ", judged in " (judgement.micros) " µs." }
            (parts::line(&judgement.line, &assessment.findings))
            ul.points { @for finding in &assessment.findings {
                @if finding.severity > Severity::Low || finding.action != Action::Allow {
                    li { (parts::severity(finding.severity)) " " (parts::words(&finding.reason)) " " code.dim { (visible(&finding.rule)) } }
                }
            } }
            @if let Some(instead) = &assessment.instead { p { "Instead: " code { (visible(instead)) } } }
            @if let Some(suggestion) = &assessment.suggestion { p { (parts::words(suggestion)) } }
            @if let Some(note) = &judgement.note { p.dim { (parts::words(note)) } }
            details {
                summary { "The plan: what will run, and what it does" }
                (plan(judgement, &world.judge.facts))
            }
        }
    }
}

/// The commands, those that a command runs below it, each with what it does.
fn plan(judgement: &Judgement, facts: &Facts) -> Markup {
    let commands = &judgement.plan.commands;
    html! {
        @if commands.is_empty() { p.dim { @if judgement.plan.opaque.is_empty() { "Nothing." } @else { "Not known: the line cannot be read." } } }
        (below(commands, None, facts, 0))
        @if commands.len() > MOST { p.dim { "And " (commands.len() - MOST) " more commands." } }
    }
}

fn below(
    commands: &[PlannedCommand],
    parent: Option<usize>,
    facts: &Facts,
    depth: usize,
) -> Markup {
    let own = || commands.iter().enumerate().take(MOST).filter(|(_, one)| one.parent == parent);
    html! {
        @if depth < DEEPEST && own().next().is_some() {
            ul.plan { @for (at, command) in own() { li {
                code { @match words(&command.argv).as_str() { "" => "(a redirection or an assignment)", name => (name) } }
                @if !command.effects.is_empty() {
                    ul { @for (severity, does) in effects(command, facts) { li { (parts::severity(severity)) " " (visible(&does)) } } }
                }
                (below(commands, Some(at), facts, depth + 1))
            } } }
        }
    }
}

/// What a command does, the worst first, each once.
fn effects(command: &PlannedCommand, facts: &Facts) -> Vec<(Severity, String)> {
    let told = command.effects.iter().map(|effect| (severity_of(effect, facts), sentence(effect)));
    let mut all: Vec<(Severity, String)> = told.collect();
    all.sort_by_key(|(severity, _)| std::cmp::Reverse(*severity));
    all.dedup();
    all.truncate(MOST);
    all
}

/// What would make a line quieter.
pub fn ways(ways: &[Way]) -> Markup {
    html! {
        @if !ways.is_empty() {
            section.verdict.plain aria-label="What would make it quieter" {
                h2 { "What would make it quieter" }
                ul.points { @for way in ways { li {
                    (parts::words(&way.text))
                    @if let Some((action, severity, score)) = way.then { span.dim { " → it " (says(action)) ", " (severity.name()) ", " (score.get()) " of 100" } }
                } } }
            }
        }
    }
}

/// The judgement as plain text, to be sent to somebody.
pub fn shared(world: &World, judgement: &Judgement) -> Markup {
    let text = text(judgement, world.judge.facts.cwd.as_deref());
    html! {
        details {
            summary { "Share it as text" }
            textarea #shared rows="8" readonly spellcheck="false" aria-label="The judgement as text" { "\n" (text) }
            button type="button" hidden data-copy="shared" { "Copy" }
            span.copied role="status" {}
        }
    }
}

fn text(judgement: &Judgement, directory: Option<&str>) -> String {
    let assessment = &judgement.assessment;
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "line: {}", visible(&judgement.line));
    if let Some(directory) = directory {
        let _ = writeln!(text, "in: {}", visible(directory));
    }
    let (severity, score) = (assessment.severity.name(), assessment.score.get());
    let _ = writeln!(
        text,
        "guarded-sh: it {}, {severity}, {score} of 100 safe: {}",
        says(judgement.action),
        visible(&assessment.reason)
    );
    for finding in assessment.findings.iter().filter(|finding| finding.severity > Severity::Low) {
        let part = judgement.line.get(finding.span.start..finding.span.end).unwrap_or_default();
        let part = if part.is_empty() || part == judgement.line {
            String::new()
        } else {
            format!(" `{}`", visible(part))
        };
        let _ = writeln!(
            text,
            "- {}:{part} {} ({})",
            finding.severity.name(),
            visible(&finding.reason),
            visible(&finding.rule)
        );
    }
    for (name, said) in [("instead", &assessment.instead), ("better", &assessment.suggestion)] {
        if let Some(said) = said {
            let _ = writeln!(text, "{name}: {}", visible(said));
        }
    }
    text
}
