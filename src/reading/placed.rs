//! What `cp`, `mv` and their like write where the last operand is a directory: files of the sources' names in it (POSIX, `cp`).
//! What is written as a directory counts as one, and what is one when the line is read.

use super::walk::Walker;
use crate::catalog::{Interpretation, Touch};
use crate::model::{Arg, Effect, EffectKind, PathClass, ProgramTrait};
use crate::paths;

/// Names that are not known, and what stands below them: unlike `*` this fits what begins with a dot.
const ANYTHING: &str = "**";

impl Walker<'_> {
    /// Returns what is written into a directory, by the names of the sources.
    pub(super) fn put_into(
        &self,
        interpretation: &Interpretation,
        argv: &[Arg],
        directories: &[Option<String>],
    ) -> Vec<Arg> {
        let operands = || interpretation.operands.iter().map(|(index, _)| *index);
        // `-t DIRECTORY` stands before what is put there, else it is the last.
        let writes = |touch: &&Touch| touch.kind == EffectKind::Write && touch.index.is_some();
        let mut written = interpretation.touches.iter().filter(writes);
        let given = written.find(|touch| operands().all(|index| Some(index) != touch.index));
        let last = operands().next_back();
        let target = match given {
            Some(touch) => touch.target.as_ref(),
            None => last.and_then(|index| argv.get(index)),
        };
        let target = target.and_then(Arg::known).filter(|target| {
            interpretation.is(ProgramTrait::PutsInto) && self.is_directory(target, directories)
        });
        let Some(target) = target else { return Vec::new() };
        // What `-T` names is what the source becomes: all that is in it stands there then.
        let becomes = interpretation.gives(&["--no-target-directory"]);
        let sources = operands().filter(|index| given.is_some() || Some(*index) != last);
        let put = sources.map(|source| {
            let text = argv.get(source).and_then(Arg::pattern).filter(|_| !becomes);
            let name = text.map_or(ANYTHING, name);
            let put = format!("{}/{name}", target.trim_end_matches('/'));
            if name.contains('*') { Arg::Glob(put) } else { Arg::Known(put) }
        });
        put.collect()
    }

    /// Adds what is written below the names that directories get: what stands in one called `.vscode` runs by itself.
    pub(super) fn become_of_directories(
        &self,
        interpretation: &Interpretation,
        argv: &[Arg],
        (put, directories): (&[Arg], &[Option<String>]),
        effects: &mut Vec<Effect>,
    ) {
        if !interpretation.in_repository && !interpretation.is(ProgramTrait::PutsInto) {
            return;
        }
        let paths_of = |word: &str| {
            let path =
                |from: &Option<String>| paths::absolute(from.as_deref().unwrap_or("/"), word);
            directories.iter().map(path).collect::<Vec<String>>()
        };
        let is_file = |word: &Arg| {
            let is_file =
                |path: &String| self.scripts.exists(path) && !self.scripts.is_directory(path);
            word.known().is_some_and(|word| paths_of(word).iter().all(is_file))
        };
        // What is put into a directory that is there, has a name of its own below it.
        let takes_in = |target: &str| {
            interpretation.is(ProgramTrait::PutsInto)
                && !interpretation.gives(&["--no-target-directory"])
                && paths_of(target).iter().all(|path| self.scripts.is_directory(path))
        };
        let mut operands = interpretation.operands.iter().map(|(index, _)| *index);
        let last = operands.next_back();
        let mut sources = operands.filter_map(|index| argv.get(index));
        if sources.next().is_some_and(is_file) {
            return;
        }
        let mut below = |kind: EffectKind, directory: &str| {
            self.hooks_below(kind, directory, directories, effects);
        };
        let of = |kind: EffectKind| {
            let touches = interpretation.touches.iter().filter(move |touch| touch.kind == kind);
            touches.filter(|touch| touch.index.is_some())
        };
        let written = of(EffectKind::Write)
            .filter(|touch| touch.index == last || interpretation.in_repository);
        let targets = written.filter_map(|touch| touch.target.as_ref()?.known());
        for target in targets.filter(|target| !takes_in(target)) {
            below(EffectKind::Write, target);
        }
        // Under its own name in another directory; and what was in it is where it was no more.
        for put in put.iter().filter_map(Arg::known) {
            below(EffectKind::Write, put);
        }
        for moved in of(EffectKind::Move).filter_map(|touch| touch.target.as_ref()?.known()) {
            below(EffectKind::Move, moved);
        }
    }

    /// Adds what an effect is done to below a directory that runs by itself.
    pub(super) fn hooks_below(
        &self,
        kind: EffectKind,
        directory: &str,
        directories: &[Option<String>],
        effects: &mut Vec<Effect>,
    ) {
        let below = Arg::Glob(format!("{}/**", directory.trim_end_matches('/')));
        let mut found = Vec::new();
        self.path_effects_in(kind, &below, directories, &mut found);
        found.retain(|effect| effect.target.class() == Some(PathClass::Hooks));
        effects.extend(found);
    }

    /// Whether a word can only name a directory, or names one that is there.
    fn is_directory(&self, word: &str, directories: &[Option<String>]) -> bool {
        let is_one = |from: &Option<String>| {
            let path = paths::absolute(from.as_deref().unwrap_or("/"), word);
            self.facts.workspaces.contains(&path) || self.scripts.is_directory(&path)
        };
        word.ends_with('/')
            || matches!(word.rsplit('/').next(), Some("." | ".."))
            || directories.iter().any(is_one)
    }
}

/// The name that a source has in the directory where it is put; `DIR/.` and `DIR/` may be all that is in it.
fn name(source: &str) -> &str {
    match source.rsplit('/').next() {
        Some("" | "." | "..") | None => ANYTHING,
        Some(name) => name,
    }
}
