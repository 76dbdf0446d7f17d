//! Files that are there and that a line replaces by nothing: what they held is gone as if they were deleted.
//! What takes the place of other text is no loss here; agents edit files so.

use std::collections::HashSet;

use super::plan::{FlowKind, Plan, PlannedCommand};
use super::redirect::Targets;
use super::walk::Walker;
use crate::model::{Arg, Effect, EffectKind, PathClass, Target};

impl Walker<'_> {
    /// Notes which files commands empty.
    pub(super) fn tell_what_is_emptied(&mut self) {
        let mut written: HashSet<String> = HashSet::new();
        for index in 0..self.plan.commands.len() {
            let command = &self.plan.commands[index];
            let paths: Vec<String> = command.written().map(str::to_owned).collect();
            if paths.is_empty() {
                continue;
            }
            let lost =
                paths.iter().filter(|path| !written.contains(*path) && self.holds_text(path));
            let lost =
                if writes_nothing(&self.plan, index) { lost.cloned().collect() } else { vec![] };
            let lost = lost.into_iter().map(|path| Effect {
                kind: EffectKind::Delete,
                target: Target::Path {
                    class: self.class(EffectKind::Delete, &path),
                    path: Some(path),
                },
            });
            let lost: Vec<Effect> = lost.collect();
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
}

/// Whether a command of the plan writes nothing to what it writes, but blanks.
fn writes_nothing(plan: &Plan, index: usize) -> bool {
    let command = &plan.commands[index];
    let words: Option<Vec<&str>> = command.argv.iter().map(Arg::known).collect();
    let is_given = plan.flows.iter().any(|flow| flow.to.contains(&index));
    let mut flows = plan.flows.iter().filter(|flow| flow.to.contains(&index));
    let is_filled = flows.any(|flow| flow.kind == FlowKind::File);
    let is_blank = |words: &[&str]| words.iter().all(|word| word.trim().is_empty());
    match words.as_deref() {
        // What it is given by a pipe, nothing copies; but a compound command's redirections stand alone.
        Some([]) => !is_filled && command.effects.iter().all(is_on_path),
        Some([":" | "true" | "false", ..]) => true,
        Some(["echo", "-n", words @ ..] | ["echo" | "printf", words @ ..]) => is_blank(words),
        _ => !is_given && reads_nothing(command),
    }
}

fn is_on_path(effect: &Effect) -> bool {
    matches!(effect.target, Target::Path { .. })
}

/// Whether a filter reads `/dev/null` and nothing else.
fn reads_nothing(command: &PlannedCommand) -> bool {
    let is_plain = |kind| matches!(kind, EffectKind::Read | EffectKind::Write | EffectKind::Append);
    let is_nothing = |effect: &Effect| matches!(&effect.target, Target::Path { path: Some(path), class: PathClass::Null } if path == "/dev/null");
    let mut reads = command.effects.iter().filter(|effect| effect.kind == EffectKind::Read);
    command.interpretation.reads_input
        && command.interpretation.touches.iter().all(|touch| is_plain(touch.kind))
        && reads.next().is_some_and(is_nothing)
        && reads.all(is_nothing)
}
