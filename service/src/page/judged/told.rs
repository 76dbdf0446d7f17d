//! A judgement for people: the line underlined, what was found, the plan with what each command does, what would make it quieter, and all of it as text.

use std::fmt::Write as _;

use guarded_sh::approval::visible;
use guarded_sh::model::{Action, Facts, Score, Severity};
use guarded_sh::pipeline::quieter::Way;
use guarded_sh::pipeline::{Judgement, World};
use guarded_sh::policy::{sentence, severity_of};
use guarded_sh::reading::PlannedCommand;
use guarded_sh::subcommand::words;
use maud::{Markup, html};

use super::super::html as parts;
use super::super::spoken::Spoken;

/// Commands and effects of one that are told at most.
const MOST: usize = 60;
/// Commands within commands that are told one below the other.
const DEEPEST: usize = 12;

/// Returns the name of the text that says what an action means for a line.
const fn says(action: Action) -> &'static str {
    match action {
        Action::Allow => "try-runs",
        Action::Contain => "try-contained",
        Action::Ask => "try-asks",
        Action::Deny => "try-refused",
    }
}

/// Returns how safe a line is.
fn safe(language: Spoken, score: Score) -> String {
    language.tell("try-safe", &[("score", score.get().into())])
}

/// How a line is judged.
pub fn verdict(language: Spoken, title: &str, world: &World, judgement: &Judgement) -> Markup {
    let assessment = &judgement.assessment;
    let severity = |severity| parts::severity(language, severity);
    let meaning = |text| parts::words(&language.0.meaning(text));
    let terms = world.terms();
    let terms = [
        ("profile", terms.profile.name().into()),
        ("threshold", terms.threshold.into()),
        ("micros", judgement.micros.into()),
    ];
    html! {
        section.verdict data-severity=(assessment.severity.name()) aria-label=(title) {
            h2 { (title) }
            p.head { (severity(assessment.severity)) " " strong { (language.say(says(judgement.action))) } " · " (safe(language, assessment.score)) " · " (meaning(&assessment.reason)) }
            p.dim { (language.tell("try-terms", &terms)) }
            (parts::line(language, &judgement.line, &assessment.findings))
            ul.points { @for finding in &assessment.findings {
                @if finding.severity > Severity::Low || finding.action != Action::Allow {
                    li { (severity(finding.severity)) " " (meaning(&finding.reason)) " " code.dim { (visible(&finding.rule)) } }
                }
            } }
            @if let Some(instead) = &assessment.instead { p { (parts::words(&language.tell("try-instead", &[("line", instead.into())]))) } }
            @if let Some(suggestion) = &assessment.suggestion { p { (meaning(suggestion)) } }
            @if let Some(note) = &judgement.note { p.dim { (meaning(note)) } }
            details {
                summary { (language.say("try-plan")) }
                (plan(language, judgement, &world.judge.facts))
            }
        }
    }
}

/// The commands, those that a command runs below it, each with what it does.
fn plan(language: Spoken, judgement: &Judgement, facts: &Facts) -> Markup {
    let commands = &judgement.plan.commands;
    html! {
        @if commands.is_empty() { p.dim { (language.say(if judgement.plan.opaque.is_empty() { "try-nothing" } else { "try-unread" })) } }
        (below(language, commands, None, facts, 0))
        @if commands.len() > MOST { p.dim { (language.tell("try-more", &[("count", (commands.len() - MOST).into())])) } }
    }
}

fn below(
    language: Spoken,
    commands: &[PlannedCommand],
    parent: Option<usize>,
    facts: &Facts,
    depth: usize,
) -> Markup {
    let own = || commands.iter().enumerate().take(MOST).filter(|(_, one)| one.parent == parent);
    html! {
        @if depth < DEEPEST && own().next().is_some() {
            ul.plan { @for (at, command) in own() { li {
                @match words(&command.argv).as_str() { "" => span.dim { (language.say("try-no-command")) }, name => code { (name) } }
                @if !command.effects.is_empty() {
                    ul { @for (severity, does) in effects(command, facts) { li { (parts::severity(language, severity)) " " (visible(&language.0.meaning(&does))) } } }
                }
                (below(language, commands, Some(at), facts, depth + 1))
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
pub fn ways(language: Spoken, ways: &[Way]) -> Markup {
    let title = language.say("try-quieter");
    html! {
        @if !ways.is_empty() {
            section.verdict.plain aria-label=(title) {
                h2 { (title) }
                ul.points { @for way in ways { li {
                    (parts::words(&language.0.meaning(&way.text)))
                    @if let Some((action, severity, score)) = way.then { span.dim { " → " (language.say(says(action))) " · " (language.severity(severity)) " · " (safe(language, score)) } }
                } } }
            }
        }
    }
}

/// The judgement as plain text, to be sent to somebody: in English, whoever that is.
pub fn shared(language: Spoken, world: &World, judgement: &Judgement) -> Markup {
    let text = text(judgement, world.judge.facts.cwd.as_deref());
    html! {
        details {
            summary { (language.say("try-share")) }
            textarea #shared rows="8" readonly spellcheck="false" aria-label=(language.say("try-shared")) { "\n" (text) }
            button type="button" hidden data-copy="shared" data-copied=(language.say("try-copied")) data-keys=(language.say("try-copy-keys")) { (language.say("try-copy")) }
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
        Spoken::ENGLISH.say(says(judgement.action)),
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
