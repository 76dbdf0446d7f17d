//! `rules lint`: every mistake in owners' files of rules, with its place.

use std::io::{self, Write};
use std::path::PathBuf;

use super::loaded_files;
use crate::approval::visible;
use crate::config;
use crate::pipeline::examples;
use crate::subcommand::failure::{Failure, drawn};
use crate::subcommand::ground::Ground;
use crate::subcommand::output::print;

/// Status of files with mistakes.
const MISTAKES: u8 = 1;

pub(super) fn run(files: Vec<PathBuf>) -> Result<u8, Failure> {
    let ground = Ground::here();
    let named = !files.is_empty();
    let files = if named { files } else { loaded_files(&ground) };
    if !named && let Err(error) = ground.settings() {
        say(&format!("guarded-sh: directories that settings name are left out: {error}\n"));
    }
    let (packs, errors) = config::lint(&files, &examples::check);
    for error in &errors {
        say(&drawn(error));
    }
    let rules: usize = packs.iter().map(|(pack, _)| pack.rules.len()).sum();
    let counted = |number: usize, thing: &str| {
        let s = if number == 1 { "" } else { "s" };
        format!("{number} {thing}{s}")
    };
    let files = counted(files.len(), "file");
    let last = match errors.iter().map(mistakes).sum::<usize>() {
        0 => format!("{}, {files}: no mistakes\n", counted(rules, "rule")),
        wrong => format!("{files}: {}\n", counted(wrong, "mistake")),
    };
    print(&last)?;
    Ok(if errors.is_empty() { 0 } else { MISTAKES })
}

fn mistakes(error: &config::Error) -> usize {
    match error {
        config::Error::Invalid(invalid) => invalid.problems.len(),
        _ => 1,
    }
}

fn say(text: &str) {
    // Nothing is left to do if stderr is gone.
    let _ = io::stderr().write_all(visible_lines(text).as_bytes());
}

/// Colours stay, which are our own; what comes from files is made visible where it is drawn plainly.
fn visible_lines(text: &str) -> String {
    if text.contains('\u{1b}') { text.to_owned() } else { visible(text).into_owned() }
}
