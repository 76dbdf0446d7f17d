//! What is said about a question, in plain words: who asks, why, what could be done instead, what each answer covers. The one place
//! for these words, wherever a person is asked. All of it may hold what an agent wrote, and is made visible where it is drawn.

use super::text::{cut, short};
use super::{visible, visible_name};
use crate::decision::grant;
use crate::ipc::State;
use crate::model::{
    Answer, Covers, Effect, Heard, HeldBy, PathClass, Question, Scope, Severity, Target, Verdict,
};
use crate::policy::sentence;

/// Columns of a part of the line that is quoted.
const QUOTE: usize = 32;
/// Places that it may write to, told one by one at most.
const MOST_PLACES: usize = 4;
/// Things that a yes covers, told one by one at most.
const MOST_THINGS: usize = 8;

/// One reason why it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// How severe it is.
    pub severity: Severity,
    /// The part of the line that it is about, if that is not all of it.
    pub part: Option<String>,
    /// Why, in plain words.
    pub text: String,
}

/// Returns who asks.
#[must_use]
pub fn who(question: &Question) -> &str {
    question.agent.as_deref().or(question.program.as_deref()).unwrap_or("a program")
}

/// Returns for how long somebody waits for the answer, if that is known.
#[must_use]
pub fn left(state: &State) -> Option<String> {
    match state {
        State::Waiting { left } => left.map(|left| match left {
            0..=120 => format!("{left} s left"),
            _ => format!("{} min left", left / 60),
        }),
        State::Left | State::Answered { .. } => None,
    }
}

/// Returns where it would run, on one row.
#[must_use]
pub fn place(question: &Question, home: Option<&str>) -> String {
    question.cwd.as_deref().map_or_else(
        || "a directory that is gone".to_owned(),
        |cwd| visible_name(&short(cwd, home)),
    )
}

/// Returns why it is asked: the reason first, then whatever else was found and is not harmless, each thing once.
#[must_use]
pub fn points(question: &Question) -> Vec<Point> {
    let findings = &question.findings;
    let first = findings.iter().find(|finding| finding.reason == question.reason);
    let mut points = vec![Point {
        severity: question.severity,
        part: first.and_then(|finding| part(question, finding.span)),
        text: question.reason.clone(),
    }];
    for finding in findings.iter().filter(|finding| finding.severity > Severity::Low) {
        let is_told = points.iter().any(|point| point.text == finding.reason);
        // What an effect is in general, a rule about the same bytes has said better. What it is done to, it has not.
        let said_better = finding.rule.starts_with("effect.")
            && !finding.reason.contains('\'')
            && findings.iter().any(|other| {
                other.is_trusted()
                    && !other.rule.starts_with("effect.")
                    && other.span == finding.span
                    && other.severity >= finding.severity
            });
        if !is_told && !said_better {
            // Of a word that the reason begins with, nothing is to be quoted.
            let is_named = |part: &String| finding.reason.starts_with(&format!("'{part}'"));
            let part = part(question, finding.span).filter(|part| !is_named(part));
            points.push(Point { severity: finding.severity, part, text: finding.reason.clone() });
        }
    }
    // A part that goes on being meant is quoted once.
    for at in (1..points.len()).rev() {
        if points[at].part == points[at - 1].part {
            points[at].part = None;
        }
    }
    points
}

fn part(question: &Question, span: crate::model::Span) -> Option<String> {
    let bytes = question.line.get(span.start..span.end)?.trim();
    (!bytes.is_empty() && bytes.len() < question.line.trim().len())
        .then(|| cut(&visible(bytes), QUOTE))
}

/// Returns what could be done instead, where that is known.
#[must_use]
pub fn instead(question: &Question) -> Option<String> {
    if let Some(instead) = &question.instead {
        return Some(format!("safer: {instead}"));
    }
    question.findings.iter().find_map(|finding| finding.suggestion.clone())
}

/// Returns what the fence lets a line do after a yes; none where there is no fence.
#[must_use]
pub fn held(question: &Question, home: Option<&str>) -> Option<String> {
    let held = question.held.as_deref()?;
    if held.by == HeldBy::Nothing {
        let why = held.why.as_deref().unwrap_or("it is not held");
        return Some(format!("holds it to nothing after a yes: {why}"));
    }
    let writes = match &held.writes {
        None => {
            let why = held.why.as_deref().map(|why| format!(" ({why})")).unwrap_or_default();
            format!("anywhere{why}")
        }
        Some(places) => {
            let added = held.added.iter().map(|(place, _)| place).filter(|at| !places.contains(at));
            let mut shown: Vec<String> = Vec::new();
            // What its own plan adds comes first: it is what a yes gives beyond what every line has.
            for place in added.chain(places) {
                let place = short(place, home);
                if !shown.contains(&place) {
                    shown.push(place);
                }
            }
            let more = shown.len().saturating_sub(MOST_PLACES);
            shown.truncate(MOST_PLACES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("in {}{more}", shown.join(", "))
        }
    };
    let tcp = if held.tcp { "and use TCP" } else { "and not use TCP" };
    Some(format!("lets it write {writes}, {tcp}, after a yes"))
}

/// Returns what a yes for this one run covers.
#[must_use]
pub const fn once() -> &'static str {
    "this one run: this very line, in this directory"
}

/// Returns what a yes for the session is called.
#[must_use]
pub fn session_title(question: &Question, covers: Covers) -> String {
    match covers {
        Covers::Signature => format!("{}, in other lines too", signatures(&question.scope)),
        Covers::Line => "only this same line".to_owned(),
    }
}

/// Returns what a yes for the session covers, one thing a row.
#[must_use]
pub fn session(question: &Question, covers: Covers, home: Option<&str>) -> Vec<String> {
    match covers {
        Covers::Line => vec![format!("byte for byte, in {}", place(question, home))],
        Covers::Signature => {
            let scope = &question.scope;
            let mut things: Vec<String> = scope.effects.iter().map(covered).collect();
            // A yes to a word is a yes to this word: where it pushes to, what it starts.
            things.extend(scope.words.iter().map(|words| format!("exactly {words}")));
            things.dedup();
            let more = things.len().saturating_sub(MOST_THINGS);
            things.truncate(MOST_THINGS);
            if more > 0 {
                things.push(format!("{more} more things that this line does"));
            }
            let severity = scope.severity.name();
            let only = if things.is_empty() { "" } else { ", and nothing but:" };
            let mut rows = vec![format!("no worse than {severity}{only}")];
            rows.extend(things.into_iter().map(|thing| format!("- {thing}")));
            rows
        }
    }
}

/// What a yes to an effect covers.
fn covered(effect: &Effect) -> String {
    match (&effect.target, grant::stands_for_others(effect)) {
        (Target::Text { .. }, true) => "installs packages from the registry, whichever".to_owned(),
        (Target::Path { class, .. }, true) => {
            let place = match class {
                PathClass::Inside => "inside the workspace",
                PathClass::BuildOutput => "of the build's output",
                _ => "below temporary directories",
            };
            format!("{}, and the same to others {place}", sentence(effect))
        }
        _ => sentence(effect),
    }
}

/// Returns what was answered.
#[must_use]
pub fn answered(answer: &Answer) -> String {
    match answer {
        Answer::Deny { message: None } => "denied".to_owned(),
        Answer::Deny { message: Some(message) } => format!("denied, with the message: {message}"),
        Answer::Stop => "denied, and the agent ended".to_owned(),
        Answer::Once => "allowed once".to_owned(),
        Answer::Session { covers: Covers::Signature } => {
            "allowed until the session ends, in other lines too".to_owned()
        }
        Answer::Session { covers: Covers::Line } => {
            "this same line allowed until the session ends".to_owned()
        }
        Answer::Always => "allowed for good".to_owned(),
        Answer::Edit { line } => format!("to be this line: {line}"),
        Answer::Keep => "carried out as it was tried".to_owned(),
    }
}

/// Returns what was answered, in one word.
#[must_use]
pub const fn answered_in_short(answer: &Answer) -> &'static str {
    match answer {
        Answer::Deny { .. } | Answer::Stop => "denied",
        Answer::Once => "once",
        Answer::Session { .. } => "session",
        Answer::Always => "always",
        Answer::Edit { .. } => "edited",
        Answer::Keep => "kept",
    }
}

/// Returns the programs and subcommands of a scope: `npm install`, `git push`.
fn signatures(scope: &Scope) -> String {
    let quoted: Vec<String> =
        scope.signatures.iter().map(|words| format!("`{}`", words.join(" "))).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "the same".to_owned(),
    }
}

/// Returns what a model says, and who it is.
#[must_use]
pub fn heard(heard: &Heard) -> String {
    let (by, opinion) = match heard {
        Heard::Unavailable { why } => return format!("no second opinion: {why}"),
        Heard::Noted { by, note } => return format!("{by} notes: {}", note.text),
        Heard::Judged { by, opinion } | Heard::Uncertain { by, opinion } => (by, opinion),
    };
    let says = match (heard, opinion.verdict) {
        (_, Verdict::Wider) => "finds it wider than the task",
        (Heard::Uncertain { .. }, _) | (_, Verdict::Unclear) => "cannot tell",
        (_, Verdict::Within) => "finds it within the task",
    };
    let colon = if opinion.reasoning.is_empty() { "" } else { ": " };
    let (score, reasoning) = (opinion.safety_score, &opinion.reasoning);
    format!("{by} {says}, {score} of 100 safe{colon}{reasoning}")
}

/// Returns whether a yes by signature can be given: each command has one.
#[must_use]
pub fn has_signature(question: &Question) -> bool {
    let signatures = &question.scope.signatures;
    !signatures.is_empty() && signatures.iter().all(|words| !words.is_empty())
}
