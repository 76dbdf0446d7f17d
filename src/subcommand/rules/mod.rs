//! `rules`: which rules are in force and what they say; their examples judged; owners' files checked; a person's «always» taken back.

mod import;
mod lint;
mod list;
mod show;
pub(super) mod test;
mod undo;
mod words;

use std::path::PathBuf;

use super::arguments::{Reader, RulesAction};
use super::failure::Failure;
use super::ground::Ground;
use crate::config;
use crate::model::Severity;
use crate::rules::source::did_you_mean;
use crate::rules::{Entry, Origin, Recommendation};

pub(super) fn run(action: RulesAction) -> Result<u8, Failure> {
    match action {
        RulesAction::List { pack, severity, origin, json } => {
            let filter = list::Filter { pack, severity: severity.map(Severity::from), origin };
            list::run(&filter, Reader::from(json))
        }
        RulesAction::Show { id, json } => show::run(&id, Reader::from(json)),
        RulesAction::Test { which } => test::run(&which),
        RulesAction::Lint { files } => lint::run(files),
        RulesAction::Import(arguments) => import::run(&arguments),
        RulesAction::Undo { id } => undo::run(id.as_deref()),
    }
}

/// The files of rules that are loaded here, in the order in which they are. Settings that are broken name no directory.
fn loaded_files(ground: &Ground) -> Vec<PathBuf> {
    let settings = ground.settings().ok();
    files_in(config::rule_directories(&ground.request(), settings.as_ref()))
}

/// The files of rules in directories, in the order in which they are loaded.
#[must_use]
pub fn files_in(directories: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for directory in directories {
        let mut found: Vec<PathBuf> = std::fs::read_dir(directory)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|e| e == "toml") && !is_hidden(path))
            .collect();
        found.sort();
        files.extend(found);
    }
    files
}

/// Hidden files are what editors leave behind.
fn is_hidden(path: &std::path::Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

/// What a rule does beyond its severity; empty if nothing.
const fn beyond(recommend: Recommendation) -> &'static str {
    match recommend {
        Recommendation::Allow => "allows",
        Recommendation::Approve => "settles",
        Recommendation::None => "",
        Recommendation::Reject => "always asks",
        Recommendation::Deny => "refuses",
    }
}

/// The file of a rule and its line; for built-in rules, the file in the source.
fn place(entry: &Entry) -> String {
    match &entry.pack.origin {
        Origin::BuiltIn => format!("built in, {}.toml:{}", entry.pack.name, entry.line),
        Origin::File(path) => format!("{path}:{}", entry.line),
    }
}

/// Says that there is no such thing, and which one may have been meant.
fn unknown(kind: &str, word: &str, names: &[String]) -> Failure {
    let near = did_you_mean(word, names);
    Failure::new(format!("there is no {kind} '{word}'"))
        .hint(near.unwrap_or_else(|| "`guarded-sh rules list` shows what is in force".to_owned()))
}
