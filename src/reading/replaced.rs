//! Files that are there and in whose place a command, a script or code puts what is not made of them, where no redirection says so.
//! What a redirection or a copy of nothing empties is told by `emptied`.

use std::collections::{BTreeSet, HashMap};

use super::linked::{Link, put};
use super::plan::PlannedCommand;
use super::restored::last_name;
use super::walk::Walker;
use crate::catalog::{Place, Touch};
use crate::embedded::{Left, left};
use crate::model::{Arg, Effect, EffectKind, PathClass, ProgramTrait};
use crate::paths::is_below;

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

    /// Returns the files with text that a command writes blocks of another file over (`dd`).
    pub(super) fn blocks_put_over(
        &self,
        command: &PlannedCommand,
        written: &BTreeSet<&str>,
    ) -> Vec<String> {
        let is = |one| command.interpretation.is(one);
        if !(is(ProgramTrait::Replaces) && is(ProgramTrait::Shows)) || is(ProgramTrait::Soaks) {
            return Vec::new();
        }
        let is_new = |path: &&str| {
            let is_kept = !self.class(EffectKind::Write, path).is_of_little_worth();
            is_kept && !written.contains(path) && self.holds_text(path)
        };
        command.replaced().filter(is_new).map(str::to_owned).collect()
    }

    /// Returns the files whose text a line put somewhere, and that a command puts another file over. `alone` has where such text stands, as it
    /// stands nowhere else, with the name that it had before.
    pub(super) fn covered(
        &self,
        command: &PlannedCommand,
        written: &BTreeSet<&str>,
        alone: &mut HashMap<String, String>,
    ) -> Vec<String> {
        if !command.interpretation.is(ProgramTrait::PutsInto) {
            return Vec::new();
        }
        let put = |kinds: &[EffectKind]| put(command, kinds).into_iter().filter_map(named);
        let is_text = |from: &str| !written.contains(from) && self.holds_text(from);
        let over = put(&[EffectKind::Move, EffectKind::Read]).filter(|(_, from)| is_text(from));
        let mut covered: Vec<String> = over.filter_map(|(at, _)| alone.get(&at).cloned()).collect();
        covered.dedup();
        for (_, from) in put(&[EffectKind::Move, EffectKind::Read]) {
            alone.remove(&from);
        }
        let moved: Vec<(String, String)> = put(&[EffectKind::Move]).collect();
        // Several go into a directory.
        let is_one =
            moved.iter().all(|(_, from)| *from == moved[0].1 && !from.contains(['*', '?', '[']));
        let is_name = |at: &str| {
            let is_kept = !self.class(EffectKind::Write, at).is_of_little_worth();
            let goes_in = command.written().any(|path| is_below(path, at) && path != at);
            is_kept && !goes_in && !written.contains(at) && !self.scripts.is_directory(at)
        };
        let new = moved.into_iter().filter(|(at, from)| is_one && is_text(from) && is_name(at));
        alone.extend(new);
        covered
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

    /// Keeps of what code empties that in which something stands.
    pub(super) fn only_what_holds_text(&self, effects: &mut Vec<Effect>) {
        let is_idle = |effect: &Effect| {
            let path = effect.path().filter(|_| effect.kind == EffectKind::Empty);
            path.is_some_and(|path| self.place == Place::Here && !self.holds_text(path))
        };
        effects.retain(|effect| !is_idle(effect));
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
        let mut read = effects.iter().filter(|effect| effect.kind == EffectKind::Read).peekable();
        let is_nothing = |effect: &Effect| effect.target.class() == Some(PathClass::Null);
        let reads_nothing = read.peek().is_some() && read.all(is_nothing);
        let written = effects.iter().filter(|effect| effect.kind == EffectKind::Write);
        let is_replaced = |path: &&str| {
            is_pattern(last_name(path)) && self.stands_for_files(path)
                || reads_nothing && self.holds_text(path)
        };
        let replaced = written.filter_map(Effect::path).filter(is_replaced);
        self.emptied_paths(replaced)
    }
}

/// What a command puts where, if both are known.
fn named(link: Link) -> Option<(String, String)> {
    let from = link.to.filter(|from| *from != link.at)?;
    Some((link.at, from))
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
