//! Files that are there and in whose place a command, a script or code puts what is not made of them, where no redirection says so.
//! What a redirection or a copy of nothing empties is told by `emptied`.

use std::collections::BTreeSet;

use super::plan::PlannedCommand;
use super::restored::last_name;
use super::walk::Walker;
use crate::catalog::{Place, Touch};
use crate::embedded::{Left, left};
use crate::model::{Arg, Effect, EffectKind, ProgramTrait};

impl Walker<'_> {
    /// Whether a command puts another file in the place of one with text: one that was there before the line, and that is not called
    /// alike, as a copy of the same or the next state of it is.
    pub(super) fn takes_place(
        &self,
        at: &str,
        from: &str,
        command: &PlannedCommand,
        written: &BTreeSet<&str>,
    ) -> bool {
        let is_file = |path: &str| !path.contains(['*', '?', '[']) && self.holds_text(path);
        let is_kept = |path: &str| !self.class(EffectKind::Write, path).is_of_little_worth();
        command.written().any(|path| path == at)
            && !written.contains(at)
            && !written.contains(from)
            && is_kept(at)
            && is_kept(from)
            && !are_alike(at, from)
            && is_file(at)
            && !self.scripts.is_directory(at)
    }

    /// Notes what is gone of the files that a command edits in place by a script (`sed -i`).
    pub(super) fn leaves_in_place(&mut self, index: usize, script: &str) {
        let interpretation = &self.plan.commands[index].interpretation;
        if !interpretation.gives(&["-i", "-I"]) {
            return;
        }
        let scripts = interpretation.given(&["-e", "-f"]);
        let scripts: Vec<Option<&Arg>> = scripts.map(|option| option.value.as_ref()).collect();
        let whole: Option<Vec<&str>> = match scripts.len() {
            0 | 1 => Some(vec![script]),
            // A file among several is not joined with the others here.
            _ if interpretation.gives(&["-f"]) => None,
            _ => scripts.iter().map(|script| script.and_then(Arg::known)).collect(),
        };
        let Some(whole) = whole else { return };
        let left = left(&whole.join("\n"), interpretation.gives(&["-n"]));
        let earlier = &self.plan.commands[..index];
        let is_lost = |path: &&str| match left {
            Left::Something => false,
            // That one text takes the place of another is an edit.
            Left::OtherText => self.stands_for_files(path),
            Left::Nothing => {
                self.holds_text(path)
                    && !earlier.iter().any(|command| command.written().any(|one| one == *path))
            }
        };
        let lost = self.plan.commands[index].written().filter(is_lost);
        let lost = self.emptied_paths(lost);
        self.plan.commands[index].add(lost);
    }

    /// Returns what a program does, of which this is known, to files in whose place it puts what cannot be made of them, as it reads none.
    pub(super) fn replaced_by_code(&self, effects: &[Effect]) -> Vec<Effect> {
        let is_pattern = |path: &str| path.contains(['*', '?', '[']);
        let reads_some = |effect: &Effect| {
            matches!(effect.kind, EffectKind::Read | EffectKind::Move | EffectKind::Unknown)
                && effect.path().is_none_or(is_pattern)
        };
        if self.place != Place::Here || effects.iter().any(reads_some) {
            return Vec::new();
        }
        let written = effects.iter().filter(|effect| effect.kind == EffectKind::Write);
        let names_some = |path: &&str| is_pattern(last_name(path));
        let replaced = written.filter_map(Effect::path).filter(names_some);
        let replaced = replaced.filter(|path| self.stands_for_files(path));
        self.emptied_paths(replaced)
    }
}

/// Whether one of two files is called as a copy, an example or the next state of the other may be.
fn are_alike(one: &str, other: &str) -> bool {
    let stem = |path: &str| {
        let name = last_name(path).trim_start_matches('.');
        name.split('.').next().unwrap_or(name).to_owned()
    };
    let (one, other) = (stem(one), stem(other));
    one.starts_with(&other) || other.starts_with(&one)
}

/// Whether an option names a file that a command writes, and all its other words are the same for each of the names that it gets.
pub(super) fn is_named_by_option(command: &PlannedCommand, path: &str) -> bool {
    let interpretation = &command.interpretation;
    let is_given = |target: &Option<Arg>| {
        interpretation
            .options
            .iter()
            .any(|option| option.value.is_some() && option.value == *target)
    };
    let is_it = |touch: &&Touch| {
        let target = touch.target.as_ref().and_then(Arg::pattern);
        touch.kind == EffectKind::Write
            && target.is_some_and(|target| last_name(target) == last_name(path))
            && is_given(&touch.target)
    };
    let mut touches = interpretation.touches.iter().filter(is_it).filter_map(|touch| touch.index);
    // What is named where files are put is their directory.
    let Some(at) = touches.next().filter(|_| !interpretation.is(ProgramTrait::PutsInto)) else {
        return false;
    };
    let mut words = command.argv.iter().enumerate();
    words.all(|(index, word)| index == at || word.known().is_some())
}

/// Whether what a command makes of a file, or of those in a directory, takes its place.
pub(super) fn translates_onto(command: &PlannedCommand, path: &str) -> bool {
    let reads_it = |effect: &Effect| {
        let read = effect.path().filter(|_| effect.kind == EffectKind::Read);
        let above = read.and_then(|read| read.rsplit_once('/')).map(|(above, _)| above);
        read == Some(path) || above == Some(path)
    };
    command.interpretation.is(ProgramTrait::Translates) && command.effects.iter().any(reads_it)
}
