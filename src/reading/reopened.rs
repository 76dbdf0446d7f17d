//! Files that stand behind descriptors: who writes to `/dev/fd/N` opens the file behind it anew, for writing, though it was opened to be
//! read (proc(5), `/proc/PID/fd`). This module does not follow when descriptors are opened and
//! closed: whatever the line opens under a number counts.

use std::collections::BTreeSet;

use fast_glob::glob_match;

use super::walk::Walker;
use crate::catalog::Place;
use crate::model::{Arg, Effect, EffectKind};
use crate::syntax::{Descriptor, Redirect, RedirectOperator};

/// The descriptors that a name means: one, or any, where the number is not known.
type Number = Option<u32>;

/// So many are kept for later texts. Behind more, any file may stand behind a descriptor.
const KEPT: usize = 256;

/// What a redirection opened to be read, under which number.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Opened {
    number: Number,
    behind: Behind,
}

/// What stands behind a descriptor.
#[derive(Clone, Debug, PartialEq)]
enum Behind {
    /// The file of this name, from these directories.
    File(Arg, Vec<Option<String>>),
    /// What stands behind another descriptor.
    Descriptor(Number),
}

/// Returns what later texts have to know of what was opened.
pub(super) fn kept(opened: &[Opened]) -> Vec<Opened> {
    let mut kept: Vec<Opened> = Vec::new();
    for one in opened.iter().rev() {
        if kept.len() == KEPT {
            kept.push(Opened { number: None, behind: Behind::File(Arg::Unknown, vec![None]) });
            break;
        }
        if !kept.contains(one) {
            kept.push(one.clone());
        }
    }
    kept
}

impl Walker<'_> {
    /// Notes what a redirection opens to be read, or gives another number.
    pub(super) fn note_opened(&mut self, redirect: &Redirect, target: &Arg) {
        use RedirectOperator::{DuplicateInput, DuplicateOutput, Input, ReadWrite};
        let default = match redirect.operator {
            Input | ReadWrite | DuplicateInput => 0,
            DuplicateOutput => 1,
            _ => return,
        };
        let number = match &redirect.descriptor {
            Descriptor::Default => Some(default),
            Descriptor::Number(number) => Some(*number),
            Descriptor::Variable(_) => None,
        };
        let is_file = matches!(redirect.operator, Input | ReadWrite);
        let behind = match target.known() {
            _ if is_file && self.place != Place::Here => return,
            Some(path) if is_file => match numbers(path) {
                Some(other) => Behind::Descriptor(other),
                None => Behind::File(target.clone(), self.state.directories.clone()),
            },
            None if is_file => Behind::File(target.clone(), self.state.directories.clone()),
            Some("-") => return,
            Some(word) => Behind::Descriptor(word.trim_end_matches('-').parse().ok()),
            None => Behind::Descriptor(None),
        };
        self.opened.push(Opened { number, behind });
    }

    /// Adds to what writes to a descriptor by its name that it writes the files which the line opened under that number.
    pub(super) fn follow_descriptors(&mut self) {
        if self.opened.is_empty() {
            return;
        }
        for index in 0..self.plan.commands.len() {
            let command = &self.plan.commands[index];
            if command.place != Place::Here {
                continue;
            }
            let mut opened = command.opened;
            let mut effects: Vec<Effect> = Vec::with_capacity(command.effects.len());
            for (at, effect) in command.effects.iter().enumerate() {
                effects.push(effect.clone());
                let named = effect.path().filter(|_| changes(effect.kind)).and_then(numbers);
                let Some(number) = named else { continue };
                let before = effects.len();
                self.behind(number, effect.kind, &mut effects);
                // What a redirection opens stays first: it is emptied before the command runs.
                if at < command.opened {
                    opened += effects.len() - before;
                }
            }
            let command = &mut self.plan.commands[index];
            (command.effects, command.opened) = (effects, opened);
        }
    }

    /// Adds what is done to the files behind a descriptor.
    fn behind(&self, number: Number, kind: EffectKind, effects: &mut Vec<Effect>) {
        let mut looked_at = BTreeSet::from([number]);
        let mut next = vec![number];
        while let Some(number) = next.pop() {
            let is_it = |opened: &&Opened| {
                number.is_none() || opened.number.is_none() || opened.number == number
            };
            for opened in self.opened.iter().filter(is_it) {
                match &opened.behind {
                    Behind::File(file, directories) => {
                        self.path_effects_in(kind, file, directories, effects);
                    }
                    Behind::Descriptor(other) if looked_at.insert(*other) => next.push(*other),
                    Behind::Descriptor(_) => {}
                }
            }
        }
    }
}

/// Whether an effect on the name of a descriptor is one on the file behind it, which reading is not.
const fn changes(kind: EffectKind) -> bool {
    use EffectKind::{Append, Empty, Permission, PermissionTree, Write};
    matches!(kind, Write | Append | Empty | Permission | PermissionTree)
}

/// Returns the descriptor that an absolute path names, if it names one; a pattern may name any.
fn numbers(path: &str) -> Option<Number> {
    let is_pattern = path.contains(['*', '?', '[', '{']);
    if is_pattern {
        let may_be = glob_match(path, "/dev/stdin") || glob_match(path, "/dev/fd/0");
        return (may_be || path.starts_with("/dev/fd/") || path.starts_with("/proc/"))
            .then_some(None);
    }
    match path {
        "/dev/stdin" => return Some(Some(0)),
        "/dev/stdout" => return Some(Some(1)),
        "/dev/stderr" => return Some(Some(2)),
        _ => {}
    }
    let (above, name) = path.rsplit_once('/')?;
    let is_one = above == "/dev/fd" || above.starts_with("/proc/") && above.ends_with("/fd");
    is_one.then(|| name.parse().ok())
}
