//! What is said about a question, in plain words: who asks, why, what could be done instead, what each answer covers. The one place
//! for these words, wherever a person is asked, in each language. All of it may hold what an agent wrote, and is made visible where it is drawn.

use std::borrow::Cow;

use super::text::{cut, short};
use super::{visible, visible_name};
use crate::decision::grant;
use crate::ipc::State;
use crate::language::Language;
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
pub fn who(question: &Question, language: Language) -> Cow<'_, str> {
    let named = question.agent.as_deref().or(question.program.as_deref());
    named.map_or_else(|| language.say("question-program"), Into::into)
}

/// Returns for how long somebody waits for the answer, if that is known.
#[must_use]
pub fn left(state: &State, language: Language) -> Option<String> {
    match state {
        State::Waiting { left } => left.map(|left| match left {
            0..=120 => language.tell("question-seconds-left", &[("count", left.into())]),
            _ => language.tell("question-minutes-left", &[("count", (left / 60).into())]),
        }),
        State::Left | State::Answered { .. } => None,
    }
}

/// Returns where it would run, on one row.
#[must_use]
pub fn place(question: &Question, home: Option<&str>, language: Language) -> String {
    question.cwd.as_deref().map_or_else(
        || language.say("question-place-gone").into_owned(),
        |cwd| visible_name(&short(cwd, home)),
    )
}

/// Returns why it is asked: the reason first, then whatever else was found and is not harmless, each thing once.
#[must_use]
pub fn points(question: &Question, language: Language) -> Vec<Point> {
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
    for point in &mut points {
        point.text = language.meaning(&point.text).into_owned();
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
pub fn instead(question: &Question, language: Language) -> Option<String> {
    if let Some(instead) = &question.instead {
        return Some(language.tell("question-safer", &[("line", instead.as_str().into())]));
    }
    let suggestion = question.findings.iter().find_map(|finding| finding.suggestion.as_deref())?;
    Some(language.meaning(suggestion).into_owned())
}

/// Returns what the fence lets a line do after a yes; none where there is no fence.
#[must_use]
pub fn held(question: &Question, home: Option<&str>, language: Language) -> Option<String> {
    let held = question.held.as_deref()?;
    let why = held.why.as_deref().map(|why| language.meaning(why));
    if held.by == HeldBy::Nothing {
        let why = why.unwrap_or_else(|| language.say("question-not-held"));
        return Some(language.tell("question-held-to-nothing", &[("why", why.into())]));
    }
    let writes = match &held.writes {
        None => {
            let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
            format!("{}{why}", language.say("question-anywhere"))
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
            let values = [("places", shown.join(", ").into()), ("more", more.into())];
            language.tell("question-in-places", &values)
        }
    };
    let key = if held.tcp { "question-held-with-tcp" } else { "question-held-without-tcp" };
    Some(language.tell(key, &[("writes", writes.into())]))
}

/// Returns what a yes for this one run covers.
#[must_use]
pub fn once(language: Language) -> Cow<'static, str> {
    language.say("question-once-covers")
}

/// Returns what a yes for the session is called.
#[must_use]
pub fn session_title(question: &Question, covers: Covers, language: Language) -> String {
    match covers {
        Covers::Signature => {
            let commands = signatures(&question.scope, language);
            language.tell("question-other-lines-too", &[("commands", commands.into())])
        }
        Covers::Line => language.say("question-only-this-line").into_owned(),
    }
}

/// Returns what a yes for the session covers, one thing a row.
#[must_use]
pub fn session(
    question: &Question,
    covers: Covers,
    home: Option<&str>,
    language: Language,
) -> Vec<String> {
    match covers {
        Covers::Line => {
            let place = place(question, home, language);
            vec![language.tell("question-byte-for-byte", &[("place", place.into())])]
        }
        Covers::Signature => {
            let scope = &question.scope;
            let covered = |effect| covered(effect, language);
            let mut things: Vec<String> = scope.effects.iter().map(covered).collect();
            // A yes to a word is a yes to this word: where it pushes to, what it starts.
            let exactly = |words: &String| {
                language.tell("question-exactly", &[("words", words.as_str().into())])
            };
            things.extend(scope.words.iter().map(exactly));
            things.dedup();
            let more = things.len().saturating_sub(MOST_THINGS);
            things.truncate(MOST_THINGS);
            if more > 0 {
                things.push(language.tell("question-more-things", &[("count", more.into())]));
            }
            let severity = language.severity(scope.severity.name());
            let key =
                if things.is_empty() { "question-no-worse" } else { "question-no-worse-and-only" };
            let mut rows = vec![language.tell(key, &[("severity", severity.into())])];
            rows.extend(things.into_iter().map(|thing| format!("- {thing}")));
            rows
        }
    }
}

/// What a yes to an effect covers.
fn covered(effect: &Effect, language: Language) -> String {
    let sentence = sentence(effect);
    let does = language.meaning(&sentence);
    match (&effect.target, grant::stands_for_others(effect)) {
        (Target::Text { .. }, true) => language.say("question-any-package").into_owned(),
        (Target::Path { class, .. }, true) => {
            let key = match class {
                PathClass::Inside => "question-same-inside",
                PathClass::BuildOutput => "question-same-built",
                _ => "question-same-temporary",
            };
            language.tell(key, &[("does", does.into())])
        }
        _ => does.into_owned(),
    }
}

/// Returns what was answered.
#[must_use]
pub fn answered(answer: &Answer, language: Language) -> String {
    let key = match answer {
        Answer::Deny { message: Some(message) } => {
            let values = [("message", message.as_str().into())];
            return language.tell("answered-denied-with", &values);
        }
        Answer::Edit { line } => {
            return language.tell("answered-edited", &[("line", line.as_str().into())]);
        }
        Answer::Deny { message: None } => "answered-denied",
        Answer::Stop => "answered-stopped",
        Answer::Once => "answered-once",
        Answer::Session { covers: Covers::Signature } => "answered-session",
        Answer::Session { covers: Covers::Line } => "answered-session-line",
        Answer::Always => "answered-always",
        Answer::Keep => "answered-kept",
    };
    language.say(key).into_owned()
}

/// Returns what was answered, in one word.
#[must_use]
pub fn answered_in_short(answer: &Answer, language: Language) -> Cow<'static, str> {
    language.say(match answer {
        Answer::Deny { .. } | Answer::Stop => "short-denied",
        Answer::Once => "short-once",
        Answer::Session { .. } => "short-session",
        Answer::Always => "short-always",
        Answer::Edit { .. } => "short-edited",
        Answer::Keep => "short-kept",
    })
}

/// Returns the programs and subcommands of a scope: `npm install`, `git push`.
fn signatures(scope: &Scope, language: Language) -> String {
    let quoted: Vec<String> =
        scope.signatures.iter().map(|words| format!("`{}`", words.join(" "))).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            let values = [("rest", rest.join(", ").into()), ("last", last.as_str().into())];
            language.tell("question-commands", &values)
        }
        Some((last, _)) => last.clone(),
        None => language.say("question-same").into_owned(),
    }
}

/// Returns what a model says, and who it is.
#[must_use]
pub fn heard(heard: &Heard, language: Language) -> String {
    let (by, opinion) = match heard {
        Heard::Unavailable { why } => {
            return language.tell("question-no-opinion", &[("why", why.as_str().into())]);
        }
        Heard::Noted { by, note } => {
            let values = [("model", by.as_str().into()), ("note", note.text.as_str().into())];
            return language.tell("question-model-notes", &values);
        }
        Heard::Judged { by, opinion } | Heard::Uncertain { by, opinion } => (by, opinion),
    };
    let key = match (heard, opinion.verdict) {
        (_, Verdict::Wider) => "question-model-wider",
        (Heard::Uncertain { .. }, _) | (_, Verdict::Unclear) => "question-model-unclear",
        (_, Verdict::Within) => "question-model-within",
    };
    let values = [("model", by.as_str().into()), ("score", opinion.safety_score.into())];
    let says = language.tell(key, &values);
    let colon = if opinion.reasoning.is_empty() { "" } else { ": " };
    format!("{says}{colon}{}", opinion.reasoning)
}

/// Returns whether a yes by signature can be given: each command has one.
#[must_use]
pub fn has_signature(question: &Question) -> bool {
    let signatures = &question.scope.signatures;
    !signatures.is_empty() && signatures.iter().all(|words| !words.is_empty())
}
