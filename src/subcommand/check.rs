//! `check` and `explain`: judge, run nothing.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::arguments::{CheckArguments, Stdin};
use super::failure::Failure;
use super::ground::directory;
use super::output::{Output, print};
use super::verdict::WireVerdict;
use super::{explain, jsonl};
use crate::approval::visible;
use crate::model::Action;
use crate::observe;
use crate::pipeline::{self, Judgement, Request, Session, World};

/// Returns the exit status that says an action.
const fn status(action: Action) -> u8 {
    match action {
        Action::Allow => 0,
        // Only guarded-sh itself runs it so: to who runs it otherwise, it is no yes.
        Action::Contain => 4,
        Action::Ask => 1,
        Action::Deny => 3,
    }
}

pub(super) fn run(arguments: &CheckArguments) -> Result<u8, Failure> {
    let world = world_at(arguments.cwd.as_deref(), arguments.stdin)?;
    if arguments.jsonl {
        return jsonl::run(world);
    }
    let judgement =
        world.judge(&Request::about(&joined(&arguments.line)).after(&Session::of(&world)))?;
    let judgement = pipeline::supposed(&world, judgement);
    let text = if arguments.json {
        format!("{}\n", serde_json::to_string(&WireVerdict::from(&judgement))?)
    } else {
        told(&judgement)
    };
    print(&text)?;
    Ok(status(judgement.action))
}

fn told(judgement: &Judgement) -> String {
    let assessment = &judgement.assessment;
    let mut text = format!(
        "{}: {} {}/100: {}\n",
        judgement.action.name(),
        assessment.severity.name(),
        assessment.score.get(),
        visible(&assessment.reason)
    );
    if judgement.action != Action::Allow {
        let hints = [("instead: ", &assessment.instead), ("", &assessment.suggestion)];
        if let Some((word, hint)) = hints.iter().find_map(|(w, h)| h.as_ref().map(|h| (w, h))) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "hint: {word}{}", visible(hint));
        }
    }
    text
}

pub(super) fn joined(words: &[OsString]) -> Cow<'_, [u8]> {
    match words {
        [one] => Cow::Borrowed(one.as_bytes()),
        words => words.iter().map(|word| word.as_bytes()).collect::<Vec<_>>().join(&b' ').into(),
    }
}

fn world_at(cwd: Option<&Path>, stdin: Stdin) -> Result<World, Failure> {
    let cwd = match cwd {
        Some(path) => Some(directory(path)?),
        None => observe::working_directory(),
    };
    Ok(World::at(cwd)?.with_input(stdin.into()).containing())
}

pub(super) fn explain(cwd: Option<&Path>, stdin: Stdin, words: &[OsString]) -> Result<u8, Failure> {
    let world = world_at(cwd, stdin)?;
    let judgement = world.judge(&Request::about(&joined(words)).after(&Session::of(&world)))?;
    let judgement = pipeline::supposed(&world, judgement);
    print(&explain::page(&world, &judgement, Output::new()))?;
    Ok(status(judgement.action))
}
