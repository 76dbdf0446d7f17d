//! Code that a program carries in another language than shell: read far enough to tell what it runs, writes and reads.
#![forbid(unsafe_code, clippy::disallowed_methods)]

mod awk;
mod code;
mod escapes;
mod fzf;
mod growth;
mod jq;
mod named;
mod patch;
mod sed;
mod template;
mod written;

pub use growth::grows_without_end;
pub use named::{included, listed};
pub use sed::{Left, left, turns_picks};
pub use written::{calls_for_harm, is_compiled, language_of_file};

use std::collections::BTreeSet;

use crate::model::{Arg, EffectKind, Language};

/// Names in a directory that begin with a dot, among those of one that code lists.
pub const HIDDEN: &str = ".[!.]*";

/// What a piece of code does.
#[derive(Debug, Default, PartialEq)]
pub struct Found {
    /// What it does, to which path if it names one.
    pub effects: Vec<(EffectKind, Option<Arg>)>,
    /// Shell text that it runs; none where it is only known when it runs.
    pub commands: Vec<Option<String>>,
    /// Programs that it runs without a shell.
    pub argvs: Vec<Vec<Arg>>,
    /// Modules that it loads, by the first part of their names.
    pub modules: BTreeSet<String>,
    /// Something in it is not known.
    pub unread: bool,
}

impl Found {
    /// Returns whether all that it changes is in a database, so that one that cannot be written refuses it.
    pub fn changes_only_database(&self) -> bool {
        let is_inside = |kind: EffectKind| {
            matches!(
                kind,
                EffectKind::DatabaseRead | EffectKind::DatabaseChange | EffectKind::DatabaseDestroy
            )
        };
        !self.unread
            && self.commands.is_empty()
            && self.argvs.is_empty()
            && self.effects.iter().all(|(kind, target)| target.is_none() && is_inside(*kind))
    }
}

/// Where a program finds the modules that are its own.
pub trait Modules {
    /// Returns the file in which the program stands, if it is known.
    fn file(&self) -> Option<String> {
        None
    }

    /// Finds what a program asks for in one of its files; none if it is not certainly this.
    fn find(&mut self, _wanted: &str, _from: Option<&str>) -> Option<Loaded> {
        None
    }
}

/// What was found where a program asks for a module.
pub struct Loaded {
    /// The files that are loaded and were not before: each path and text.
    pub files: Vec<(String, String)>,
    /// The member of a module that is asked for, if it is not the module itself.
    pub member: Option<String>,
}

/// No module is found.
pub struct NoModules;

impl Modules for NoModules {}

/// Reads code; none if this code is not understood. `home` is the home directory, if known.
pub fn read(
    text: &str,
    language: Language,
    home: Option<&str>,
    modules: &mut dyn Modules,
) -> Option<Found> {
    match language {
        Language::Awk => awk::read(text),
        Language::Sed => sed::read(text),
        Language::Jq => jq::read(text),
        Language::Fzf => fzf::read(text),
        Language::Patch => patch::read(text),
        Language::Template => Some(template::read(text)),
        Language::Python
        | Language::JavaScript
        | Language::Perl
        | Language::Ruby
        | Language::Php
        | Language::Sql(_) => code::read(text, language, home, modules),
        Language::Make | Language::Other => Some(escapes::read(text)),
        Language::Shell | Language::C | Language::Names => None,
    }
}

/// Returns whether code does nothing but compute and print, whatever the numbers are for which `some` stands in it.
pub fn is_harmless_with_numbers(text: &str, some: char, language: Language) -> bool {
    // A digit that ends what stands between digits ends it elsewhere than another one: `s1a1b1`.
    let delimits = |first: char, next: char| {
        matches!(first, 's' | 'y' | '\\') && (next == some || next == '-' || next.is_ascii_digit())
    };
    let is_open = match language {
        Language::Sed => {
            text.chars().zip(text.chars().skip(1)).any(|(one, two)| delimits(one, two))
        }
        // A number below zero makes a comment of a sign before it.
        Language::Sql(_) => text.contains(&format!("-{some}")),
        Language::Awk | Language::Jq => text.contains('\\'),
        _ => true,
    };
    let reads = |number: &str| {
        let text = text.replace(some, number);
        let found = read(&text, language, None, &mut NoModules);
        found.is_some_and(|found| {
            let is_read = |(kind, target): &(EffectKind, Option<Arg>)| {
                *kind == EffectKind::DatabaseRead && target.is_none()
            };
            found.commands.is_empty()
                && found.argvs.is_empty()
                && found.modules.is_empty()
                && found.effects.iter().all(is_read)
                && !found.unread
        })
    };
    !is_open && reads("1")
}
