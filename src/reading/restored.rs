//! Files that a line puts back to what a repository holds of them: what of them is not committed is lost, as by `git checkout FILE`.
//! A file that is not there yet loses nothing, and neither does what edits a file in its place.

use super::emptied::Streams;
use super::linked::{Link, below, put, unpacked_to};
use super::plan::PlannedCommand;
use super::walk::Walker;
use crate::model::{Arg, Effect, EffectKind, PathClass, ProgramTrait};
use crate::paths::is_below;

/// Directories of copies, and files, beyond these are not told apart.
const COPIES: usize = 64;

/// Where a line puts what a repository of this machine holds.
#[derive(Default)]
pub(super) struct Copies {
    /// The directories that it fills with the files of one.
    directories: Vec<String>,
    /// The files that hold what a command of version control printed, and that command.
    printed: Vec<(String, usize)>,
}

impl Copies {
    /// Notes what a command checks out. What another machine has is not what stands here.
    fn note(&mut self, command: &PlannedCommand) {
        let interpretation = &command.interpretation;
        let is_fetched = command.effects.iter().any(|effect| effect.kind == EffectKind::Fetch);
        let is_one = interpretation.is(ProgramTrait::ChecksOut) && !is_fetched;
        if is_one && self.directories.len() < COPIES {
            self.directories.extend(command.written().map(str::to_owned));
        }
    }
}

impl Walker<'_> {
    /// Returns whether a command puts a version of a file that a repository holds in the place of that file, which is there.
    pub(super) fn puts_back(
        &self,
        index: usize,
        streams: &Streams<'_>,
        copies: &mut Copies,
    ) -> bool {
        let command = &self.plan.commands[index];
        let puts_back = self.puts_copies_back(command, copies)
            || self.prints_back(index, streams, copies)
            || self.unpacks_back(index, streams);
        copies.note(command);
        puts_back
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

    /// `git show HEAD:FILE > FILE`, `git cat-file blob HEAD:FILE | tee FILE`, also by way of other files.
    fn prints_back(&self, index: usize, streams: &Streams<'_>, copies: &mut Copies) -> bool {
        let command = &self.plan.commands[index];
        let interpretation = &command.interpretation;
        let takes_all =
            interpretation.is(ProgramTrait::Replaces) || interpretation.is(ProgramTrait::PutsInto);
        let is_replaced = |path: &&str| takes_all || command.truncated().any(|one| one == *path);
        let replaced: Vec<&str> = command.replaced().filter(is_replaced).collect();
        if replaced.is_empty() {
            return false;
        }
        let given = streams.given_to(index, |_| true);
        let (mut from, others): (Vec<usize>, Vec<usize>) =
            given.into_iter().partition(|at| self.plan.commands[*at].interpretation.in_repository);
        let taken = others.iter().flat_map(|at| &self.plan.commands[*at].effects);
        let taken: Vec<&str> = taken
            .filter(|effect| matches!(effect.kind, EffectKind::Read | EffectKind::Move))
            .filter_map(Effect::path)
            .collect();
        let holds = |(path, _): &&(String, usize)| taken.contains(&path.as_str());
        from.extend(copies.printed.iter().filter(holds).map(|(_, from)| *from));
        let names = |from: &usize, path: &str| names_version_of(&self.plan.commands[*from], path);
        // What is made of the file itself, too, does not put it back.
        let is_own = |path: &&&str| !copies.printed.iter().any(|(printed, _)| printed == **path);
        from.retain(|from| !taken.iter().filter(is_own).any(|path| names(from, path)));
        let is_copy =
            |path: &&str| copies.directories.iter().any(|copy| below(path, copy).is_some());
        let copied: Vec<&str> = taken.iter().copied().filter(is_copy).collect();
        let puts_back = replaced.iter().any(|path| {
            let is_same = |copy: &&str| last_name(copy) == last_name(path) && !is_copy(path);
            (from.iter().any(|from| names(from, path)) || copied.iter().any(is_same))
                && self.holds_text(path)
        });
        let printed =
            replaced.iter().flat_map(|path| from.iter().map(|from| (path.to_string(), *from)));
        let room = COPIES.saturating_sub(copies.printed.len());
        let printed: Vec<(String, usize)> = printed.take(room).collect();
        copies.printed.extend(printed);
        puts_back
    }

    /// `git worktree add DIRECTORY && cp DIRECTORY/FILE FILE`.
    fn puts_copies_back(&self, command: &PlannedCommand, copies: &Copies) -> bool {
        if copies.directories.is_empty() {
            return false;
        }
        let is_copy =
            |from: &String| copies.directories.iter().any(|copy| below(from, copy).is_some());
        let is_in_copy = |path: &str| copies.directories.iter().any(|copy| is_below(path, copy));
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
            let is_root = copies.directories.iter().any(|copy| copy == from);
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
