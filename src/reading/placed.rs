//! What `cp`, `mv` and their like write where the last operand is a directory: files of the sources' names in it (POSIX, `cp`).
//! What is written as a directory counts as one, and what is one when the line is read.

use super::walk::Walker;
use crate::catalog::{Interpretation, Touch};
use crate::model::{Arg, Effect, EffectKind, PathClass, ProgramTrait, Target};
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
        directories: &[Option<String>],
        effects: &mut Vec<Effect>,
    ) {
        let is_file = |word: &Arg| {
            let path = |from: &Option<String>| {
                Some(paths::absolute(from.as_deref().unwrap_or("/"), word.known()?))
            };
            let paths: Option<Vec<String>> = directories.iter().map(path).collect();
            let is_file =
                |path: &String| self.scripts.exists(path) && !self.scripts.is_directory(path);
            paths.is_some_and(|paths| paths.iter().all(is_file))
        };
        if !interpretation.in_repository && !interpretation.is(ProgramTrait::PutsInto) {
            return;
        }
        let mut operands = interpretation.operands.iter().map(|(index, _)| *index);
        let last = operands.next_back();
        let mut sources = operands.filter_map(|index| argv.get(index));
        if sources.next().is_some_and(is_file) {
            return;
        }
        let written = interpretation.touches.iter().filter(|touch| {
            touch.kind == EffectKind::Write
                && touch.index.is_some()
                && (touch.index == last || interpretation.in_repository)
        });
        for target in written.filter_map(|touch| touch.target.as_ref()?.known()) {
            let below = Arg::Glob(format!("{}/**", target.trim_end_matches('/')));
            let mut found = Vec::new();
            self.path_effects_in(EffectKind::Write, &below, directories, &mut found);
            found.retain(|effect| {
                matches!(&effect.target, Target::Path { class: PathClass::Hooks, .. })
            });
            effects.extend(found);
        }
    }

    /// Whether a word can only name a directory, or names one that is there.
    fn is_directory(&self, word: &str, directories: &[Option<String>]) -> bool {
        let is_root = |from: &Option<String>| {
            let path = paths::absolute(from.as_deref().unwrap_or("/"), word);
            self.facts.workspaces.contains(&path)
        };
        let is_there = |from: &Option<String>| {
            let path = paths::absolute(from.as_deref().unwrap_or("/"), word);
            self.scripts.is_directory(&path)
        };
        word.ends_with('/')
            || matches!(word.rsplit('/').next(), Some("." | ".."))
            || directories.iter().any(|from| is_root(from) || is_there(from))
    }
}

/// The name that a source has in the directory where it is put; `DIR/.` and `DIR/` may be all that is in it.
fn name(source: &str) -> &str {
    match source.rsplit('/').next() {
        Some("" | "." | "..") | None => ANYTHING,
        Some(name) => name,
    }
}
