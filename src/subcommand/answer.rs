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
use crate::model::{Answer, Covers, Severity};
use crate::observe::{self, Environment};

/// Status where there is no such question, or the person did not confirm.
const NOTHING: u8 = 1;
/// What a person types to run what is critical.
const WORD: &str = "critical";

pub(super) fn approve(arguments: &ApproveArguments) -> Result<u8, Failure> {
    let environment = desk::person("say yes")?;
    let (mut desk, entry) = find(&environment, &arguments.id)?;
    let (answer, how) = match (arguments.session, arguments.line) {
        (true, _) => (Answer::Session { covers: Covers::Signature }, "for the session"),
        (_, true) => (Answer::Session { covers: Covers::Line }, "for the session, this line here"),
        (false, false) => (Answer::Once, "once"),
    };
    if entry.question.severity == Severity::Critical {
        if answer != Answer::Once {
            return Err(Failure::refused("it is critical: a yes covers this once and no more"));
        }
        if !confirmed(&environment, &entry)? {
            say("not permitted; the question stays open\n")?;
            return Ok(NOTHING);
        }
    }
    desk.answer(&entry.id, answer)?;
    say(&visible(&format!("permitted {how}: {}\n", entry.question.line)))?;
    Ok(0)
}

/// Gives a question an answer that is a no.
pub(super) fn deny(id: &str, answer: Answer) -> Result<u8, Failure> {
    let environment = desk::person("answer")?;
    let (mut desk, entry) = find(&environment, id)?;
    let ends = if answer == Answer::Stop { ", and the agent is told to end" } else { "" };
    desk.answer(&entry.id, answer)?;
    say(&visible(&format!("denied{ends}: {}\n", entry.question.line)))?;
    Ok(0)
}

fn find(environment: &Environment, id: &str) -> Result<(Desk, Entry), Failure> {
    for (desk, open) in desk::questions(environment)? {
        if let Some(entry) = open.into_iter().find(|entry| entry.id == id) {
            return Ok((desk, entry));
        }
    }
    Err(Failure::Said {
        text: format!("no open question has the id {id}"),
        hint: Some("guarded-sh pending lists them".to_owned()),
        status: NOTHING,
    })
}

/// Shows the whole line and has the person type a word.
fn confirmed(environment: &Environment, entry: &Entry) -> Result<bool, Failure> {
    let mut person = observe::person(environment).map_err(|why| {
        Failure::refused(format!("what is critical is permitted at a terminal, and {why}"))
    })?;
    let home = observe::facts(environment).home;
    let shown = Output { columns: None, ..Output::new() };
    person.write_all(row(entry, shown, home.as_deref()).as_bytes())?;
    types(person, WORD, &format!("Type `{WORD}` to run it once, anything else to leave it: "))
}
