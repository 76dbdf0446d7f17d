//! What will run: the [`Plan`] that reading makes of a script.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use super::recall::{Recalled, RecalledFile};
use crate::catalog::{Interpretation, Place};
use crate::model::{Arg, Effect, EffectKind, Facts, Opaque, PathClass, Span, Target};
use crate::paths;

/// Every command that a line will run, as far as it can be known.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The commands, in the order in which they were met; a carried command stands after its carrier.
    pub commands: Vec<PlannedCommand>,
    /// Which commands' output goes into which commands.
    pub flows: Vec<Flow>,
    /// What could not be known.
    pub opaque: Vec<Opaque>,
    /// The files that commands run as scripts or recipes and that were read for it.
    pub scripts: Vec<FileUse>,
    /// What is remembered of earlier lines that is about this one.
    pub recalled: Recalled,
    /// So many of the commands, the first of them, ran in this shell before: they are there for what the others make of them.
    pub earlier: usize,
}

/// A file that a command uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileUse {
    /// The command, an index into [`Plan::commands`].
    pub command: usize,
    /// The file, absolute.
    pub path: String,
}

/// One command that will run, or a redirection or assignment that stands alone.
#[derive(Clone, Debug)]
pub struct PlannedCommand {
    /// The bytes of the line that it stands in: its own, or those of the word that carries it.
    pub span: Span,
    /// Its words. Empty where only redirections or assignments stand.
    pub argv: Vec<Arg>,
    /// What the catalog says about them.
    pub interpretation: Interpretation,
    /// What it does, redirections included, with targets resolved.
    pub effects: Vec<Effect>,
    /// So many of its effects, the first of them, are those of the redirections of its standard input and output.
    pub opened: usize,
    /// The programs that carry it, outermost first.
    pub via: Vec<String>,
    /// The command that carries it.
    pub parent: Option<usize>,
    /// Where it runs.
    pub place: Place,
    /// Variables set for it on the line.
    pub environment: Vec<(String, Arg)>,
    /// Variables that the line exported before; the same list for all commands between two changes.
    pub exported: Rc<[(String, Arg)]>,
    /// Its working directories: every one that is possible where that depends on what happens; none if not known.
    pub directories: Vec<Option<String>>,
    /// What is not known of it, in plain words.
    pub unknown: Vec<String>,
    /// Whether it runs code that it gets as data.
    pub runs_input: bool,
    /// The workspaces or directories whose code it builds, tests or runs.
    pub builds: Vec<String>,
    /// Whether the recipe of a task runs it, and not the line itself.
    pub in_recipe: bool,
    /// Whether the text in which it stands holds what the line gives a task and nobody has read.
    pub holds_given: bool,
    /// The words and values that the line gives the task whose recipe runs it.
    pub given: Rc<BTreeSet<String>>,
    /// Its words that hold a secret, by their place, and the variable that it comes from.
    pub secrets: Vec<(usize, String)>,
}

/// Data goes from commands `from` into commands `to` (ranges of indices into [`Plan::commands`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Commands whose output it is.
    pub from: std::ops::Range<usize>,
    /// Commands that receive it.
    pub to: std::ops::Range<usize>,
    /// How it gets there.
    pub kind: FlowKind,
}

/// How data gets from one command to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// All of one command's standard output into standard input.
    Pipe,
    /// Standard output into standard input, where a part of it may go elsewhere.
    Branch,
    /// Output becomes words of a command.
    Substitution,
    /// Output becomes a file name or the text of a here-document.
    File,
}

impl Plan {
    /// Returns the plan of the commands that ran before alone.
    #[must_use]
    pub fn of_earlier(&self) -> Self {
        let is_earlier = |flow: &&Flow| flow.from.end.max(flow.to.end) <= self.earlier;
        Self {
            commands: self.commands[..self.earlier].to_vec(),
            flows: self.flows.iter().filter(is_earlier).cloned().collect(),
            ..Self::default()
        }
    }

    /// Returns the plan without the commands that ran before.
    #[must_use]
    pub fn without_earlier(mut self) -> Self {
        let gone = std::mem::take(&mut self.earlier);
        self.commands.drain(..gone);
        for command in &mut self.commands {
            command.parent = command.parent.and_then(|parent| parent.checked_sub(gone));
        }
        let left =
            |range: Range<usize>| range.start.saturating_sub(gone)..range.end.saturating_sub(gone);
        for flow in &mut self.flows {
            (flow.from, flow.to) = (left(flow.from.clone()), left(flow.to.clone()));
        }
        self.flows.retain(|flow| !flow.from.is_empty() && !flow.to.is_empty());
        let still = |file: FileUse| {
            Some(FileUse { command: file.command.checked_sub(gone)?, path: file.path })
        };
        self.scripts = self.scripts.into_iter().filter_map(still).collect();
        let recalled = std::mem::take(&mut self.recalled.files);
        let recalled = recalled
            .into_iter()
            .filter_map(|it| Some(RecalledFile { file: still(it.file)?, ..it }));
        self.recalled.files = recalled.collect();
        self
    }

    /// Notes of each command that builds, tests or runs a workspace which one that is.
    pub(super) fn note_builds(&mut self, facts: &Facts) {
        for index in 0..self.commands.len() {
            self.note_built(index, facts);
        }
    }

    /// Notes the same of one command. Returns whether it is one.
    pub(super) fn note_built(&mut self, index: usize, facts: &Facts) -> bool {
        let command = &mut self.commands[index];
        if !command.effects.iter().any(|effect| effect.kind == EffectKind::Build) {
            return false;
        }
        command.builds.clear();
        for directory in &command.directories {
            let Some(directory) = directory else {
                command.builds.extend(facts.workspaces.iter().cloned());
                continue;
            };
            let roots = facts.workspaces.iter();
            let around = roots.filter(|root| paths::is_below(directory, root));
            let root = around.max_by_key(|root| root.len()).unwrap_or(directory);
            command.builds.push(root.clone());
        }
        true
    }
}

impl PlannedCommand {
    /// Adds those of these effects that it does not have.
    pub(super) fn add(&mut self, mut effects: Vec<Effect>) {
        effects.retain(|effect| !self.effects.contains(effect));
        self.effects.extend(effects);
    }

    /// Adds an effect.
    pub(super) fn does(&mut self, kind: EffectKind, target: Target) {
        self.effects.push(Effect { kind, target });
    }

    /// Returns the variables that the line gives it.
    pub fn variables(&self) -> impl Iterator<Item = &(String, Arg)> {
        self.environment.iter().chain(self.exported.iter())
    }

    /// Returns the paths that it writes, as far as they are known, but for streams and devices.
    pub fn written(&self) -> impl Iterator<Item = &str> {
        self.files(|kind| matches!(kind, EffectKind::Write | EffectKind::Append))
    }

    /// Returns those of which what they held is gone then: it puts nothing behind that.
    pub(super) fn replaced(&self) -> impl Iterator<Item = &str> {
        self.files(|kind| kind == EffectKind::Write)
    }

    fn files(&self, is_one: impl Fn(EffectKind) -> bool) -> impl Iterator<Item = &str> {
        use PathClass::{Device, NetworkDevice, Null};
        let is_file = move |effect: &&Effect| {
            is_one(effect.kind)
                && !matches!(effect.target.class(), Some(Null | Device | NetworkDevice))
        };
        self.effects.iter().filter(is_file).filter_map(Effect::path)
    }

    /// Returns the files that are emptied before it runs, to take what it prints, as far as they are known.
    pub fn truncated(&self) -> impl Iterator<Item = &str> {
        let opened = self.effects.iter().take(self.opened);
        opened.filter(|effect| effect.kind == EffectKind::Write).filter_map(Effect::path)
    }

    /// Returns whether it builds, tests or runs the code that stands in a file or directory.
    #[must_use]
    pub fn runs_code_of(&self, path: &str) -> bool {
        let reads = |effect: &Effect| {
            matches!(effect.kind, EffectKind::Read | EffectKind::Execute)
                && effect.path() == Some(path)
        };
        let place = path.split(['*', '?', '[']).next().unwrap_or(path);
        self.builds.iter().any(|root| paths::is_below(place, root) || paths::is_below(root, path))
            || !self.builds.is_empty() && self.effects.iter().any(reads)
    }

    /// Returns whether it is called so: the name of a program, with a subcommand behind it where it is about that alone.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        let (program, subcommand) = name.split_once(' ').unwrap_or((name, ""));
        let said = || self.interpretation.subcommand.first().map_or("", String::as_str);
        self.program() == Some(program) && (subcommand.is_empty() || subcommand == said())
    }

    /// Returns the name of the program as the line gives it, without directory.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        if !self.interpretation.program.is_empty() {
            return Some(&self.interpretation.program);
        }
        let name = self.argv.first()?.known()?;
        Some(name.rsplit('/').next().unwrap_or(name))
    }
}
