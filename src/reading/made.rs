//! What a line makes: deleting that again loses nothing that was there before, and what it builds there is its own. In a workspace it was not there when the line was read;
//! below a temporary directory names decide, and that a directory was there already is not seen.

use std::collections::HashMap;

use super::plan::PlannedCommand;
use super::simple::Around;
use super::state::Value;
use super::walk::Walker;
use crate::catalog::{Interpretation, Place};
use crate::model::{Arg, Effect, EffectKind, PathClass, Target};
use crate::paths::{classify, is_build_output};
use crate::variables;

/// Directories above a path that are looked at.
const ABOVE: usize = 64;

/// What the commands of a plan make below temporary directories, each with the first that does.
#[derive(Default)]
struct Made {
    /// What was made, and so all below it.
    trees: HashMap<(Place, String), usize>,
    /// Directories that were made on the way to another.
    parents: HashMap<(Place, String), usize>,
}

impl Walker<'_> {
    /// Gives what is deleted the class of what the line made there before.
    pub(super) fn tell_what_was_made(&mut self) {
        let commands = &mut self.plan.commands;
        let depends = |effect: &Effect| deleted(effect).is_some() || is_build(effect);
        if !commands.iter().any(|command| command.effects.iter().any(depends)) {
            return;
        }
        let scripts = self.scripts;
        let made = Made::by(commands, &|path| !scripts.exists(path));
        for (at, command) in commands.iter_mut().enumerate() {
            // A trap runs at the end.
            let is_late = command.via.iter().any(|via| via == "trap");
            let end = if is_late { usize::MAX } else { at };
            let facts = self.facts;
            let is_own = |directory: &Option<String>| {
                directory.as_ref().is_some_and(|path| {
                    made.holds(command.place, path, end)
                        && !scripts.exists(path)
                        && classify(path, facts) == PathClass::Temporary
                })
            };
            let directories = &command.directories;
            if !directories.is_empty() && directories.iter().all(is_own) {
                for effect in command.effects.iter_mut().filter(|effect| is_build(effect)) {
                    let path = directories[0].clone();
                    effect.target = Target::Path { path, class: PathClass::Made };
                }
            }
            for effect in &mut command.effects {
                let Some(path) = deleted(effect) else { continue };
                let is_temporary = effect.target.class() == Some(PathClass::Temporary);
                let own = if made.holds(command.place, path, end) {
                    PathClass::Made
                } else if is_temporary && is_build_output(path) {
                    PathClass::BuildOutput
                } else {
                    continue;
                };
                if let Target::Path { class, .. } = &mut effect.target {
                    *class = own;
                }
            }
        }
    }

    /// Returns what a program makes under a name that no word of the line is: `mktemp`, `git clone URL`.
    pub(super) fn named_by_itself(
        &self,
        interpretation: &Interpretation,
        argv: &[Arg],
        environment: &[(String, Arg)],
    ) -> Option<Arg> {
        match interpretation.program.as_str() {
            "mktemp" => {
                let words: Option<Vec<&str>> = argv[1..].iter().map(Arg::known).collect();
                let name = || sure(&super::substitution::temporary(&words?, self));
                self.set_for("TMPDIR", environment).or_else(name)
            }
            "strace" => separate_outputs(interpretation),
            "git" if interpretation.subcommand.first().is_some_and(|sub| sub == "clone") => {
                let touch = |kind| interpretation.touches.iter().find(|touch| touch.kind == kind);
                let url =
                    touch(EffectKind::Fetch).filter(|_| touch(EffectKind::Write).is_none())?;
                let name = repository(url.target.as_ref()?.known()?)?;
                Some(Arg::Known(name.to_owned()))
            }
            _ => None,
        }
    }

    /// What a command empties or deletes because a variable that the line sets names it.
    pub(super) fn named_by_variables(
        &self,
        interpretation: &Interpretation,
        directories: &[Option<String>],
        around: &mut Around,
    ) {
        for name in variables::emptied_by(interpretation) {
            if let Some(value) = self.set_for(name, &around.environment) {
                let kind = EffectKind::DeleteTree;
                self.path_effects_in(kind, &value, directories, &mut around.effects);
            }
        }
    }

    /// The value of a variable that the line sets for a command, or around it; none if it sets none.
    pub(super) fn set_for(&self, variable: &str, environment: &[(String, Arg)]) -> Option<Arg> {
        let set = |environment: &[(String, Arg)]| {
            let last = environment.iter().rev().find(|(name, _)| name == variable);
            last.map(|(_, value)| value.clone())
        };
        let next = |index: &usize| {
            self.plan.commands[*index].parent.filter(|_| Some(*index) != self.shell)
        };
        let carriers = std::iter::successors(self.parent, next);
        let mut around = carriers.map(|index| self.plan.commands[index].environment.as_slice());
        set(environment)
            .or_else(|| around.find_map(set))
            .or_else(|| Some(sure(self.state.variable(variable)?).unwrap_or(Arg::Unknown)))
    }
}

/// The one word that a value is, where it is sure to be one.
fn sure(value: &Value) -> Option<Arg> {
    match value {
        Value::Word(name) => Some(name.clone()),
        Value::Pattern(pattern) => Some(Arg::Glob(pattern.clone())),
        _ => None,
    }
}

/// What `strace` writes for each process (its manual, `-ff`).
fn separate_outputs(interpretation: &Interpretation) -> Option<Arg> {
    let follows = interpretation.given(&["-f", "--follow-forks"]).count();
    if follows < 2 && !interpretation.gives(&["-ff", "--output-separately"]) {
        return None;
    }
    let output = interpretation.value(&["-o", "--output"])?.pattern()?;
    Some(Arg::Glob(format!("{output}.*")))
}

/// Whether an effect runs the code of the directory in which it is done.
fn is_build(effect: &Effect) -> bool {
    effect.kind == EffectKind::Build && effect.target == Target::None
}

/// The path in a workspace or below a temporary directory that an effect deletes, if it does.
fn deleted(effect: &Effect) -> Option<&str> {
    use EffectKind::{Delete, DeleteTree, Empty};
    let is_gone = matches!(effect.kind, Delete | DeleteTree | Empty);
    let is_there = matches!(effect.target.class(), Some(PathClass::Temporary | PathClass::Inside));
    effect.path().filter(|_| is_gone && is_there)
}

/// A path and the directories above it, the nearest first.
fn upward(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(above, _)| above))
        .take(ABOVE)
}

impl Made {
    fn by(commands: &[PlannedCommand], is_new: &dyn Fn(&str) -> bool) -> Self {
        let mut made = Self::default();
        for (at, command) in commands.iter().enumerate() {
            for effect in &command.effects {
                let (EffectKind::Write, Target::Path { path: Some(path), class }) =
                    (effect.kind, &effect.target)
                else {
                    continue;
                };
                let is_made = |path: &str| match class {
                    PathClass::Temporary => true,
                    PathClass::Inside => !path.contains(['*', '?', '[']) && is_new(path),
                    _ => false,
                };
                if !is_made(path) {
                    continue;
                }
                made.trees.entry((command.place, path.clone())).or_insert(at);
                if command.program() == Some("mkdir") {
                    for above in upward(path).skip(1).filter(|above| is_made(above)) {
                        let key = (command.place, above.to_owned());
                        made.parents.entry(key).or_insert(at);
                    }
                }
            }
        }
        made
    }

    /// Whether a command before `end` makes the path or what it stands in.
    fn holds(&self, place: Place, path: &str, end: usize) -> bool {
        let before = |first: Option<&usize>| first.is_some_and(|first| *first < end);
        before(self.parents.get(&(place, path.to_owned())))
            || upward(path).any(|above| before(self.trees.get(&(place, above.to_owned()))))
    }
}

/// The directory into which git clones a repository that it is given no directory for.
fn repository(url: &str) -> Option<&str> {
    let url = url.trim_end_matches('/');
    let url = url.strip_suffix(".git").unwrap_or(url);
    let name = url.rsplit(['/', ':']).next()?;
    (!name.is_empty()).then_some(name)
}
