//! `rules test`: the examples of rules, judged.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{loaded_files, place, unknown};
use crate::approval::visible;
use crate::config::{self, ExampleError};
use crate::pipeline::examples;
use crate::rules::{self, Authority, Entry, Examples, Layer, Origin, RuleSet};
use crate::subcommand::failure::Failure;
use crate::subcommand::ground::Ground;
use crate::subcommand::output::say;

/// Status where an example is not judged as it says.
const FAILED: u8 = 1;

pub(super) fn run(which: &[OsString]) -> Result<u8, Failure> {
    let (files, ids): (Vec<&OsString>, Vec<&OsString>) =
        which.iter().partition(|word| is_file(word));
    let files: Vec<PathBuf> = if which.is_empty() || !ids.is_empty() {
        let named = files.iter().map(PathBuf::from);
        loaded_files(&Ground::here()).into_iter().chain(named).collect()
    } else {
        files.iter().map(PathBuf::from).collect()
    };
    let set = compiled(&files)?;
    let all = set.all()?;
    let is_wanted = |entry: &Entry| {
        let of_file = match &entry.pack.origin {
            Origin::BuiltIn => false,
            Origin::File(path) => which.iter().any(|word| word.as_os_str() == OsStr::new(path)),
        };
        which.is_empty() || of_file || ids.iter().any(|id| is_of(entry, id))
    };
    for id in &ids {
        if !all.iter().any(|(entry, _)| is_of(entry, id)) {
            let names: Vec<String> = all.iter().map(|(entry, _)| entry.rule.id.clone()).collect();
            return Err(unknown("rule or pack", &id.to_string_lossy(), &names));
        }
    }
    let mut done = Done::default();
    for (entry, examples) in all.iter().filter(|(entry, _)| is_wanted(entry)) {
        done.rule(&set, entry, examples);
    }
    let Done { passed, failed, mut text } = done;
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{passed} passed, {failed} failed");
    say(&text)?;
    Ok(if failed == 0 { 0 } else { FAILED })
}

fn is_file(word: &OsStr) -> bool {
    word.as_encoded_bytes().contains(&b'/')
        || Path::new(word).extension().is_some_and(|e| e == "toml")
}

/// A rule by its id, or by a name that its id begins with: the pack's, or a topic's.
fn is_of(entry: &Entry, word: &OsStr) -> bool {
    let Some(word) = word.to_str() else { return false };
    let rest = entry.rule.id.strip_prefix(word);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The built-in rules and those of these files. Examples are not looked at yet; any other mistake is an error.
pub(crate) fn compiled(files: &[PathBuf]) -> Result<RuleSet, Failure> {
    let (packs, errors) = config::lint(files, &|_, _, _| Ok(()));
    if let Some(error) = errors.into_iter().next() {
        return Err(Failure::Broken(error));
    }
    let named: Vec<_> = packs
        .into_iter()
        .map(|(pack, path)| (pack, Some(path.to_string_lossy().into_owned())))
        .collect();
    let bytes = rules::compile(&named)
        .map_err(|_| Failure::new("these rules are too many to be compiled"))?;
    let layer = Layer::new("the files", Box::new(bytes), Authority::Owner);
    Ok(RuleSet::builtin().with_layer(layer))
}

#[derive(Default)]
struct Done {
    passed: usize,
    failed: usize,
    text: String,
}

impl Done {
    /// Judges each example by itself, so that each failure is told.
    fn rule(&mut self, set: &RuleSet, entry: &Entry, examples: &Examples) {
        for example in examples::each(examples) {
            match examples::check(set, entry, &example) {
                Ok(()) => self.passed += 1,
                Err(error) => self.failure(entry, &error),
            }
        }
    }

    fn failure(&mut self, entry: &Entry, error: &ExampleError) {
        self.failed += 1;
        let place = place(entry);
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.text,
            "{}: rule {}: {}",
            visible(&place),
            visible(&entry.rule.id),
            visible(&error.to_string())
        );
    }
}
