//! `page`: what runs, what waits and why, in a browser, and the tokens of programs that ask for the same. The service beside this program does both.

use std::os::unix::process::CommandExt;
use std::process::Command;

use super::arguments::{PageAction, PageArguments, TokensAction};
use super::desk;
use super::failure::Failure;
use super::judge::missing;
use crate::judge::beside;

/// Becomes the service that serves the page, or keeps its tokens.
pub(super) fn run(arguments: &PageArguments) -> Result<u8, Failure> {
    let what = match &arguments.action {
        None => "open the page",
        Some(PageAction::Tokens(_)) => "see to the page's tokens",
    };
    desk::person(what)?;
    let program = beside().ok_or_else(missing)?;
    let mut command = Command::new(program);
    match &arguments.action {
        None => {
            command.arg("page").arg("--port").arg(arguments.port.to_string());
            command.args(arguments.no_open.then_some("--no-open"));
        }
        Some(PageAction::Tokens(action)) => {
            command.arg("tokens").args(words(action));
        }
    }
    Err(Failure::new(format!("guarded-shd: {}", command.exec())))
}

/// Returns the words that the service is called by.
fn words(action: &TokensAction) -> Vec<String> {
    match action {
        TokensAction::Add { name, answer, days, .. } => {
            let may = if *answer { "--answer" } else { "--read" };
            let days = days.map(|days| format!("--days={days}"));
            let words = ["add".to_owned(), may.to_owned()].into_iter().chain(days);
            words.chain(["--".to_owned(), name.clone()]).collect()
        }
        TokensAction::List => vec!["list".to_owned()],
        TokensAction::Revoke { name } => ["revoke", "--", name].map(str::to_owned).to_vec(),
    }
}
