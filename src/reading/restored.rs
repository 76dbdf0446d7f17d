//! Files that a line puts back to what a repository holds of them: what of them is not committed is lost, as by `git checkout FILE`.
//! A file that is not there yet loses nothing, and neither does what edits a file in its place.

use super::emptied::Streams;
use super::linked::{Link, below, put, unpacked_to};
use super::plan::PlannedCommand;
use super::walk::Walker;
use crate::model::{Arg, EffectKind, PathClass, ProgramTrait};
use crate::paths::is_below;

/// Directories of copies beyond these are not told apart.
const COPIES: usize = 64;

/// The directories that a line fills with the files of a repository of this machine.
#[derive(Default)]
pub(super) struct Copies(Vec<String>);

impl Copies {
    /// Notes what a command checks out. What another machine has is not what stands here.
    pub(super) fn note(&mut self, command: &PlannedCommand) {
        let interpretation = &command.interpretation;
        let is_fetched = command.effects.iter().any(|effect| effect.kind == EffectKind::Fetch);
        if interpretation.is(ProgramTrait::ChecksOut) && !is_fetched && self.0.len() < COPIES {
            self.0.extend(command.written().map(str::to_owned));
        }
    }
}

impl Walker<'_> {
    /// Returns whether a command puts a version of a file that a repository holds in the place of that file, which is there.
    pub(super) fn puts_back(&self, index: usize, streams: &Streams<'_>, copies: &Copies) -> bool {
        let command = &self.plan.commands[index];
        self.puts_copies_back(command, copies)
            || self.prints_back(index, streams)
            || self.unpacks_back(index, streams)
    }

    /// `git archive HEAD | tar x`, where what is unpacked to is there.
    fn unpacks_back(&self, index: usize, streams: &Streams<'_>) -> bool {
        let command = &self.plan.commands[index];
        let unpacks = command.effects.iter().any(|effect| effect.kind == EffectKind::Unpack);
        let is_work = |path: &str| {
            let class = self.class(EffectKind::Write, path);
            matches!(class, PathClass::Inside | PathClass::Workspace)
                && self.scripts.is_directory(path)
        };
        unpacks
            && unpacked_to(command).any(is_work)
            && streams
                .given_to(index, |_| true)
                .into_iter()
                .any(|at| self.plan.commands[at].interpretation.in_repository)
    }

    /// `git show HEAD:FILE > FILE`, `git cat-file blob HEAD:FILE | tee FILE`.
    fn prints_back(&self, index: usize, streams: &Streams<'_>) -> bool {
        let command = &self.plan.commands[index];
        let interpretation = &command.interpretation;
        let takes_all =
            interpretation.is(ProgramTrait::Replaces) || interpretation.is(ProgramTrait::PutsInto);
        let is_replaced = |path: &&str| takes_all || command.truncated().any(|one| one == *path);
        let mut replaced = command.replaced().filter(is_replaced).peekable();
        if replaced.peek().is_none() {
            return false;
        }
        let from = streams.given_to(index, |_| true).into_iter().map(|at| &self.plan.commands[at]);
        let from: Vec<&PlannedCommand> =
            from.filter(|from| from.interpretation.in_repository).collect();
        replaced.any(|path| {
            from.iter().any(|from| names_version_of(from, path)) && self.holds_text(path)
        })
    }

    /// `git worktree add DIRECTORY && cp DIRECTORY/FILE FILE`.
    fn puts_copies_back(&self, command: &PlannedCommand, copies: &Copies) -> bool {
        if copies.0.is_empty() {
            return false;
        }
        let is_copy = |from: &String| copies.0.iter().any(|copy| below(from, copy).is_some());
        let is_in_copy = |path: &str| copies.0.iter().any(|copy| is_below(path, copy));
        let replaces = |link: &Link| {
            let Some(from) = link.to.as_ref().filter(|from| is_copy(from)) else { return false };
            let at = link.at.as_str();
            if is_in_copy(at) {
                return false;
            }
            if !self.scripts.is_directory(at) {
                return self.holds_text(at);
            }
            // What is put into a directory has a name there; the files of one directory take the place of those of another.
            let is_root = copies.0.iter().any(|copy| copy == from);
            is_root || last_name(at) == last_name(from)
        };
        put(command, &[EffectKind::Read, EffectKind::Move]).iter().any(replaces)
    }
}

/// The name of a file, without the directories.
pub(super) fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a command of version control names a file: by its path in the repository, behind a revision or alone.
fn names_version_of(command: &PlannedCommand, path: &str) -> bool {
    let words = command.interpretation.words(&command.argv).filter_map(Arg::known);
    words.map(|word| word.rsplit(':').next().unwrap_or(word)).any(|name| {
        let name = name.trim_start_matches("./").trim_start_matches("../");
        let above = path.strip_suffix(name).filter(|_| !name.is_empty());
        above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
    })
}
