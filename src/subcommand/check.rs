//! `check` and `explain`: judge, run nothing.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::arguments::{CheckArguments, ExplainArguments, Stdin};
use super::explain::{self, Scores};
use super::failure::Failure;
use super::ground::directory;
use super::jsonl;
use super::output::{Output, print};
use super::verdict::WireVerdict;
use crate::approval::visible;
use crate::model::{Action, Severity};
use crate::observe;
use crate::pipeline::{self, Judgement, Request, Session, World};
use crate::rules::source::did_you_mean;

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
    no_option(&arguments.line)?;
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
        Output::new().fit(&told(&judgement, arguments.verbose.into()))
    };
    print(&text)?;
    Ok(status(judgement.action))
}

fn told(judgement: &Judgement, scores: Scores) -> String {
    let assessment = &judgement.assessment;
    let verdict = match judgement.action {
        Action::Allow => "runs",
        Action::Contain => "runs contained",
        Action::Ask => "asks",
        Action::Deny => "refused",
    };
    let severity = scores.told(assessment.severity, assessment.score);
    // That it is harmless need not be said of what runs.
    let is_said = judgement.action != Action::Allow
        || assessment.severity > Severity::Low
        || scores == Scores::Shown;
    let severity = if is_said { format!(" ({severity})") } else { String::new() };
    let mut text = format!("{verdict}{severity}: {}\n", visible(&assessment.reason));
    if judgement.action != Action::Allow {
        let hints = [("instead: ", &assessment.instead), ("", &assessment.suggestion)];
        if let Some((word, hint)) = hints.iter().find_map(|(w, h)| h.as_ref().map(|h| (w, h))) {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "hint: {word}{}", visible(hint));
        }
    }
    text
}

/// Says that a line does not begin with an option: it was meant for the subcommand. What does begin so stands behind `--`.
pub(super) fn no_option(words: &[OsString]) -> Result<(), Failure> {
    let first = words.first().map(|word| word.to_string_lossy());
    let Some(first) = first.filter(|first| first.starts_with('-') && !first.contains(' ')) else {
        return Ok(());
    };
    // What stands in the call before the words of the line.
    if std::env::args_os().rev().nth(words.len()).is_some_and(|word| word == "--") {
        return Ok(());
    }
    let known = ["--json", "--jsonl", "--cwd", "--stdin", "--verbose", "--help"].map(str::to_owned);
    let name = first.split('=').next().unwrap_or(&first);
    let meant = did_you_mean(name, &known);
    let usual = "what begins with a dash and is a line stands behind `--`".to_owned();
    let text = format!("there is no option '{}' before the line", visible(&first));
    Err(Failure::new(text).hint(meant.unwrap_or(usual)))
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

pub(super) fn explain(arguments: &ExplainArguments) -> Result<u8, Failure> {
    let ExplainArguments { cwd, stdin, line, json, verbose } = arguments;
    no_option(line)?;
    let world = world_at(cwd.as_deref(), *stdin)?;
    let judgement = world.judge(&Request::about(&joined(line)).after(&Session::of(&world)))?;
    let judgement = pipeline::supposed(&world, judgement);
    let text = if *json {
        format!("{}\n", serde_json::to_string(&WireVerdict::from(&judgement))?)
    } else {
        explain::page(&world, &judgement, Output::new(), (*verbose).into())
    };
    print(&text)?;
    Ok(status(judgement.action))
}
