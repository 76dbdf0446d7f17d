//! `approve` and `deny`: a person's answer from another terminal than the one in which it is asked.

use std::io::Write;

use super::arguments::ApproveArguments;
use super::desk;
use super::failure::Failure;
use super::output::{Output, say};
use super::pending::row;
use super::typed::types;
use crate::approval::visible;
use crate::host::Desk;
use crate::ipc::Entry;
use crate::language::Language;
use crate::model::{Answer, Covers, Severity};
use crate::observe::{self, Environment};
use crate::pipeline;

/// Status where there is no such question, or the person did not confirm.
const NOTHING: u8 = 1;
/// What a person types to run what is critical.
const WORD: &str = "critical";

pub(super) fn approve(arguments: &ApproveArguments) -> Result<u8, Failure> {
    let environment = desk::person("say yes")?;
    let (mut desk, entry) = find(&environment, &arguments.id)?;
    let language = pipeline::language(&environment);
    let (answer, said) = match (arguments.session, arguments.line) {
        (true, _) => (Answer::Session { covers: Covers::Signature }, "answer-permitted-session"),
        (_, true) => (Answer::Session { covers: Covers::Line }, "answer-permitted-line"),
        (false, false) => (Answer::Once, "answer-permitted-once"),
    };
    if entry.question.severity == Severity::Critical {
        if answer != Answer::Once {
            return Err(Failure::refused(language.say("answer-critical-once")));
        }
        if !confirmed(&environment, &entry, language)? {
            say(&format!("{}\n", language.say("answer-not-permitted")))?;
            return Ok(NOTHING);
        }
    }
    desk.answer(&entry.id, answer)?;
    told(said, &entry, language)
}

/// Gives a question an answer that is a no.
pub(super) fn deny(id: &str, answer: Answer) -> Result<u8, Failure> {
    let environment = desk::person("answer")?;
    let (mut desk, entry) = find(&environment, id)?;
    let said = if answer == Answer::Stop { "answer-stopped" } else { "answer-denied" };
    desk.answer(&entry.id, answer)?;
    told(said, &entry, pipeline::language(&environment))
}

/// Says what was answered.
fn told(key: &str, entry: &Entry, language: Language) -> Result<u8, Failure> {
    let line = entry.question.line.as_str();
    say(&format!("{}\n", visible(&language.tell(key, &[("line", line.into())]))))?;
    Ok(0)
}

fn find(environment: &Environment, id: &str) -> Result<(Desk, Entry), Failure> {
    for (desk, open) in desk::questions(environment)? {
        if let Some(entry) = open.into_iter().find(|entry| entry.id == id) {
            return Ok((desk, entry));
        }
    }
    Err(absent(id, pipeline::language(environment)))
}

/// Says that there is no such question.
pub(super) fn absent(id: &str, language: Language) -> Failure {
    Failure::Said {
        text: language.tell("answer-no-such", &[("id", id.into())]),
        hint: Some(language.say("answer-lists").into_owned()),
        status: NOTHING,
    }
}

/// Shows the whole line and has the person type a word.
fn confirmed(
    environment: &Environment,
    entry: &Entry,
    language: Language,
) -> Result<bool, Failure> {
    let mut person = observe::person(environment).map_err(|why| {
        Failure::refused(format!("what is critical is permitted at a terminal, and {why}"))
    })?;
    let home = observe::facts(environment).home;
    let shown = Output { columns: None, ..Output::new() };
    person.write_all(row(entry, shown, home.as_deref(), language).as_bytes())?;
    types(
        person,
        WORD,
        &format!("{} ", language.tell("answer-type-word", &[("word", WORD.into())])),
    )
}
