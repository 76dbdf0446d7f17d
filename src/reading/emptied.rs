//! Files that are there and that a line replaces by nothing, or by one another: what they held is gone as if they were deleted.
//! What takes the place of other text is no loss here; agents edit files so.

use std::collections::{BTreeSet, HashSet};

use super::linked::{Link, put};
use super::plan::{Flow, FlowKind, Plan, PlannedCommand};
use super::walk::Walker;
use crate::catalog::Touch;
use crate::model::{Arg, Effect, EffectKind, Target};

/// Commands through which one command's output is followed to a file.
const FOLLOWED: usize = 64;

impl Walker<'_> {
    /// Notes which files commands empty, or write over each other.
    pub(super) fn tell_what_is_emptied(&mut self) {
        let mut written: HashSet<String> = HashSet::new();
        for index in 0..self.plan.commands.len() {
            let command = &self.plan.commands[index];
            let (moved, away) = self.lost_by_moving(command, &written);
            let mut lost = Vec::from_iter(moved);
            let paths: Vec<String> = command.written().map(str::to_owned).collect();
            if !paths.is_empty() {
                let there: Vec<&str> =
                    command.written().filter(|path| !written.contains(*path)).collect();
                let truncated: Vec<&str> = command.truncated().collect();
                let writes_nothing =
                    is_null(&self.plan, index, 0) || copies_nothing(&self.plan, index, 0);
                let prints_nothing = writes_nothing || is_silent(command);
                let is_lost = |path: &&str| {
                    writes_nothing
                        || truncated.contains(path) && (prints_nothing || self.is_gone(index, path))
                };
                let gone = there.into_iter().filter(|path| is_lost(path) && self.holds_text(path));
                lost.extend(gone.map(str::to_owned));
            }
            let effect = |kind, path: String| {
                let class = self.class(kind, &path);
                Effect { kind, target: Target::Path { path: Some(path), class } }
            };
            let lost = lost.into_iter().map(|path| effect(EffectKind::Empty, path));
            let away = away.into_iter().map(|path| effect(EffectKind::Delete, path));
            let lost: Vec<Effect> = lost.chain(away).collect();
            self.plan.commands[index].effects.extend(lost);
            written.extend(paths);
        }
    }

    /// Whether something is lost where a file is emptied. A pattern stands for files that are there.
    fn holds_text(&self, path: &str) -> bool {
        path.contains(['*', '?', '['])
            || self.scripts.exists(path)
                && self.scripts.text(path).is_none_or(|text| !text.is_empty())
    }

    /// Whether what is written to a file that a redirection empties cannot be what it held: it is read only then (POSIX, 2.7), or it
    /// is one of many that get the same.
    fn is_gone(&self, index: usize, path: &str) -> bool {
        let reads = |at: usize| {
            let mut effects = self.plan.commands[at].effects.iter();
            effects.any(|effect| effect.kind == EffectKind::Read && effect.path() == Some(path))
        };
        let is_late = |kind| kind != FlowKind::Substitution;
        given_by(&self.plan, index, is_late).into_iter().any(reads)
            || self.stands_for_files(path)
                && !given_by(&self.plan, index, |_| true).into_iter().any(reads)
    }

    /// Returns what a command moves of which only the last remains, several files one after the other to one name; and what it moves to
    /// where builds and people clear away what they do not know.
    fn lost_by_moving(
        &self,
        command: &PlannedCommand,
        written: &HashSet<String>,
    ) -> (BTreeSet<String>, BTreeSet<String>) {
        let is_move = |touch: &Touch| touch.kind == EffectKind::Move;
        let moves = command.interpretation.touches.iter().any(is_move);
        let is_kept = |path: &str| !self.class(EffectKind::Move, path).is_of_little_worth();
        let (mut lost, mut away) = (BTreeSet::new(), BTreeSet::new());
        for Link { at, to } in put(command, &[EffectKind::Move]).into_iter().filter(|_| moves) {
            let Some(from) = to else { continue };
            let is_one = !at.contains(['*', '?', '['])
                && !self.scripts.is_directory(&at)
                && !written.iter().any(|made| made.starts_with(&at));
            if is_one && self.stands_for_files(&from) {
                lost.insert(from.clone());
            }
            // A file that gets another name beside its own is still seen there.
            let is_beside = above(&from) == above(&at) && !self.scripts.is_directory(&from);
            if is_kept(&from) && !is_kept(&at) && !is_beside {
                away.insert(from);
            }
        }
        (lost, away)
    }
}

/// Returns the directory that a path stands in.
fn above(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(above, _)| above)
}

/// Returns a command and those whose output it gets by flows of these kinds, directly or through others.
fn given_by(plan: &Plan, index: usize, kinds: impl Fn(FlowKind) -> bool) -> Vec<usize> {
    let mut found = vec![index];
    let mut next = 0;
    while let Some(at) = found.get(next).copied().filter(|_| found.len() < FOLLOWED) {
        next += 1;
        for flow in plan.flows.iter().filter(|flow| flow.to.contains(&at) && kinds(flow.kind)) {
            let more = flow.from.clone().filter(|from| *from < plan.commands.len());
            let more: Vec<usize> = more.filter(|from| !found.contains(from)).collect();
            found.extend(more);
        }
    }
    found
}

/// Whether a command of the plan does nothing but open what it writes, or prints blanks into it.
fn is_null(plan: &Plan, index: usize, depth: usize) -> bool {
    let command = &plan.commands[index];
    let words: Option<Vec<&str>> = command.argv.iter().map(Arg::known).collect();
    let is_blank = |words: &[&str]| words.iter().all(|word| word.trim().is_empty());
    match words.as_deref() {
        // What it is given by a pipe, nothing copies; but a compound command's redirections stand alone.
        Some([]) => {
            let mut flows = plan.flows.iter().filter(|flow| flow.to.contains(&index));
            flows
                .all(|flow| flow.kind != FlowKind::File || brings_nothing(plan, flow, index, depth))
                && command.effects.iter().all(|effect| effect.target.class().is_some())
        }
        Some([":" | "true" | "false", ..]) => true,
        Some(["echo", "-n", words @ ..] | ["echo" | "printf", words @ ..]) => is_blank(words),
        _ => false,
    }
}

/// Whether a command prints nothing: `rules/prints.txt`.
fn is_silent(command: &PlannedCommand) -> bool {
    let words: Option<Vec<&str>> = command.argv.iter().map(Arg::known).collect();
    words.is_some_and(|words| super::substitution::prints("nothing", &words))
}

/// Whether a command of the plan copies what it reads, and reads nothing.
fn copies_nothing(plan: &Plan, index: usize, depth: usize) -> bool {
    let flows = || plan.flows.iter().filter(|flow| flow.to.contains(&index));
    let is_pipe = |flow: &&Flow| matches!(flow.kind, FlowKind::Pipe | FlowKind::Branch);
    flows().all(|flow| is_pipe(&flow))
        && reads_nothing(&plan.commands[index], flows().next().is_some())
        && flows().all(|flow| brings_nothing(plan, flow, index, depth))
}

/// Whether nothing comes to a command by a flow.
fn brings_nothing(plan: &Plan, flow: &Flow, to: usize, depth: usize) -> bool {
    let mut from = flow.from.clone().filter(|from| *from < plan.commands.len());
    let prints_nothing = |at: usize| {
        at != to
            && (is_silent(&plan.commands[at])
                || is_null(plan, at, depth + 1)
                || copies_nothing(plan, at, depth + 1))
    };
    depth < FOLLOWED && from.all(prints_nothing)
}

/// Whether a filter reads `/dev/null` and nothing else; one that gets its input through a pipe may read no file at all.
fn reads_nothing(command: &PlannedCommand, is_piped: bool) -> bool {
    let is_plain = |kind| matches!(kind, EffectKind::Read | EffectKind::Write | EffectKind::Append);
    let is_nothing = |effect: &Effect| effect.path() == Some("/dev/null");
    let mut reads = command.effects.iter().filter(|effect| effect.kind == EffectKind::Read);
    command.interpretation.reads_input
        && command.interpretation.touches.iter().all(|touch| is_plain(touch.kind))
        && (reads.next().map_or(is_piped, is_nothing))
        && reads.all(is_nothing)
}
