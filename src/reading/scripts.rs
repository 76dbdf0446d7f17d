//! Script files that a line runs: read like text that stands in the line, as long as nothing in the line can change them.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::rc::Rc;

use super::builtins::is_builtin;
use super::carry::{Carrier, SHELLS};
use super::plan::{FileUse, PlannedCommand};
use super::state::Value;
use super::substitution::Put;
use super::walk::Walker;
use crate::catalog::{UnknownWhat, interpret};
use crate::model::{
    Arg, Effect, EffectKind, Entry, Facts, Language, Opaque, PathClass, ProgramTrait, Real, Reason,
    Repository, Span, Target,
};
use crate::paths;
use crate::recipes;
use crate::syntax::Dialect;

/// Files that are held against what changes files beyond this count as changed.
const COMPARED: usize = 1 << 20;

/// How many files of one line are read: no build calls more scripts from its first line.
const FILES: usize = 64;

/// What the owner's shells read when they start, and what tools tell people to add to that.
const STARTED: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".cargo/env",
    ".nvm/nvm.sh",
    ".sdkman/bin/sdkman-init.sh",
    ".asdf/asdf.sh",
    ".rvm/scripts/rvm",
    ".ghcup/env",
    ".local/bin/env",
];

/// The files that a line runs; an implementation that overrides nothing finds none. What is handed out is what runs, unless it is changed meanwhile.
pub trait Scripts: fmt::Debug {
    /// Returns the text of a file; none if it is not there, no regular file, too long, or no text.
    fn text(&self, _path: &str) -> Option<String> {
        None
    }

    /// Returns the text of a file that is only looked at: it is none of those that the line runs.
    fn peek(&self, _path: &str) -> Option<String> {
        None
    }

    /// Returns whether a token or a password stands in a file.
    fn holds_token(&self, _path: &str) -> bool {
        false
    }

    /// Returns whether there is a file of this name, of whatever kind.
    fn exists(&self, _path: &str) -> bool {
        false
    }

    /// Returns whether there is a directory of this name, or a link to one.
    fn is_directory(&self, _path: &str) -> bool {
        false
    }

    /// Returns the names of the directories in a directory, as many as are looked at.
    fn directories(&self, _path: &str) -> Vec<String> {
        Vec::new()
    }

    /// Returns the names in a directory; none if it cannot be listed, or has more than are looked at.
    fn names(&self, _path: &str) -> Option<Vec<String>> {
        None
    }

    /// Returns what of a directory has a name that fits; none if there is more than is looked at.
    fn fitting(&self, _directory: &str, _fits: &dyn Fn(&str) -> bool) -> Option<Vec<Entry>> {
        Some(Vec::new())
    }

    /// Returns whether a file is the program that judges this line.
    fn is_guard(&self, _path: &str) -> bool {
        false
    }

    /// Returns where a file really is, by way of all links.
    fn real(&self, _path: &str) -> Option<String> {
        None
    }

    /// Returns the repository around a directory, by way of all links; none if there is none.
    fn repository(&self, _directory: &str) -> Option<Repository> {
        None
    }

    /// Returns what an absolute path, in which `..` may stand, is behind its links; with `follows`, also behind one that it ends with.
    fn behind_links(&self, _path: &str, _facts: &Facts, _follows: bool) -> Real {
        Real::Same
    }
}

/// Returns the program that the guard is where it is called by this path: itself, or the shell that it is named after; none where the
/// file is another, or something that runs here could have put another in its place. Agents run our hook, and the shell that we are,
/// through the shell that we are.
#[must_use]
pub fn guard_called<'p>(path: &'p str, facts: &Facts, scripts: &dyn Scripts) -> Option<&'p str> {
    let (_, name) = path.rsplit_once('/')?;
    let program = match name.strip_prefix("guarded-") {
        Some("sh") => name,
        Some(shell) => shell,
        None => name,
    };
    let is_called = program == "guarded-sh" || SHELLS.contains(&program);
    let mut loose = facts.workspaces.iter().chain(&facts.temporary);
    (is_called
        && path.starts_with('/')
        && !loose.any(|root| paths::is_below(path, root))
        && scripts.is_guard(path))
    .then_some(program)
}

/// No files are looked at: every script is opaque.
#[derive(Clone, Copy, Debug)]
pub struct NoScripts;

impl Scripts for NoScripts {}

/// A file that was read or looked for, and what of the plan came from it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Followed {
    pub(super) path: String,
    /// The command that starts it.
    pub(super) index: usize,
    /// Where that stands in the line.
    pub(super) span: Span,
    pub(super) standing: Standing,
}

/// How a file takes part in what a command runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Standing {
    /// A script that was read.
    Script,
    /// It would be run if it were there.
    Absent,
    /// It says what this task runs, or would if it were there.
    Recipe { task: String },
    /// A program that a build makes.
    Built,
    /// A script that this command of the line wrote, which was read in its place.
    Written { by: usize },
}

/// What the line writes into a file.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) path: String,
    pub(super) text: String,
    /// The command that writes it.
    pub(super) by: usize,
    /// There was none before: this is all that it holds, or there is none.
    pub(super) is_new: bool,
}

/// A program in some language.
pub(super) struct Program<'a> {
    pub(super) text: &'a str,
    pub(super) language: Language,
    /// Where it stands, if it is a file by whose name it is started.
    pub(super) file: Option<String>,
}

/// How a script is started.
pub(super) struct Start<'a> {
    /// The command that starts it: the program that reads it, or it itself.
    pub(super) by: Carrier<'a>,
    /// The words behind it.
    pub(super) words: Vec<Arg>,
    pub(super) language: Language,
}

impl Walker<'_> {
    /// Reads a script file and plans what it runs. Returns whether that could be done.
    pub(super) fn follow(&mut self, file: &Arg, start: Start<'_>) -> bool {
        let Some(path) = self.script_path(file, start.by.program) else { return false };
        let Some(text) = self.open_script(&path, start.by.index, start.by.span) else {
            return false;
        };
        self.following.push(path);
        self.run_text(file, &text, start);
        self.following.pop();
        true
    }

    /// Returns the text of a script that command `index` runs, and notes that it does; none if it cannot be read.
    pub(super) fn open_script(&mut self, path: &str, index: usize, span: Span) -> Option<String> {
        if self.following.iter().any(|script| script == path)
            || self.followed.iter().filter(|script| script.standing == Standing::Script).count()
                >= FILES
        {
            return None;
        }
        if let Some(Written { text, by, .. }) = self.last_written(path) {
            let (text, by) = (text.clone(), *by);
            self.note_followed(path.to_owned(), index, span, Standing::Written { by });
            return Some(text);
        }
        let text = self.scripts.text(path)?;
        self.note_followed(path.to_owned(), index, span, Standing::Script);
        let class = paths::classify(path, self.facts);
        let target = Target::Path { path: Some(path.to_owned()), class };
        // What it does is told by its own commands; from a place where others write it is more than that.
        let kind = match class {
            PathClass::Inside | PathClass::Workspace | PathClass::Home => EffectKind::Read,
            _ => EffectKind::Execute,
        };
        self.plan.commands[index].effects.push(Effect { kind, target });
        Some(text)
    }

    /// Returns what the line wrote into a file where none was.
    pub(super) fn written_text(&self, path: &str) -> Option<&str> {
        self.last_written(path).map(|written| written.text.as_str())
    }

    fn last_written(&self, path: &str) -> Option<&Written> {
        let last = self.written.iter().rev().find(|written| written.path == path);
        // What is there by now is read itself.
        last.filter(|it| it.is_new && !(it.by < self.done() && self.scripts.exists(path)))
    }

    /// Notes what the last command put into a file. If it fails where there is none, there is none. A limit on sizes would leave a
    /// part of it.
    pub(super) fn note_written(&mut self, put: Option<Put>, span: Span) {
        let Some(Put { file, text, replaces }) = put else { return };
        let limits =
            |command: &PlannedCommand| matches!(command.program(), Some("ulimit" | "prlimit"));
        let Some(path) = self.script_path(&Arg::Known(file), "cat") else { return };
        let by = self.plan.commands.len().saturating_sub(1);
        if self.plan.commands.last().is_some_and(|it| it.span == self.span(span)) {
            let is_new =
                replaces && !self.scripts.exists(&path) && !self.plan.commands.iter().any(limits);
            self.written.push(Written { path, text, by, is_new });
        }
    }

    /// Runs `work`, which does not end before what stands behind it begins: what it writes may not be whole then.
    pub(super) fn beside(&mut self, work: impl FnOnce(&mut Self)) {
        let written = self.written.len();
        work(self);
        self.written.truncate(written);
    }

    /// `source` of what the owner's own shells read when they start, or of what makes the tools of the workspace be found. It is
    /// not read: it says no more than that the owner's programs, or the workspace's, are at hand.
    pub(super) fn follow_environment(&mut self, file: &Arg, start: &Start<'_>) -> bool {
        if !matches!(start.by.program, "source" | ".") {
            return false;
        }
        let Some(path) = self.script_path(file, start.by.program) else { return false };
        let is_activation = paths::workspace_tool(&path, self.facts) == Some("activate");
        let home = self.facts.home.as_deref().filter(|home| *home != "/");
        let is_startup = home
            .and_then(|home| path.strip_prefix(home))
            .is_some_and(|below| STARTED.contains(&below.trim_start_matches('/')));
        let kind = match (is_activation, is_startup) {
            (true, _) => EffectKind::Build,
            (false, true) => EffectKind::ShellState,
            (false, false) => return false,
        };
        self.plan.commands[start.by.index].effects.push(Effect { kind, target: Target::None });
        let standing = if is_activation { Standing::Built } else { Standing::Absent };
        self.note_followed(path, start.by.index, start.by.span, standing);
        true
    }

    /// Follows a file that is started by its own name, as the kernel does (execve(2)), or the shell where that refuses.
    pub(super) fn follow_program(&mut self, argv: &[Arg], index: usize, span: Span) -> bool {
        let Some(path) = self.script_path(&argv[0], "") else { return false };
        let Some(text) = self.scripts.text(&path) else { return false };
        let Some(language) = language_of(&text) else { return false };
        let words = argv[1..].to_vec();
        let program = argv[0].known().unwrap_or_default();
        let by = Carrier { index, program, argv, span };
        self.follow(&argv[0], Start { by, words, language })
    }

    /// Plans the text of a script that stands in `file`.
    pub(super) fn run_text(&mut self, file: &Arg, text: &str, start: Start<'_>) {
        let Start { by, words, language } = start;
        if language != Language::Shell {
            let file = self.following.last().cloned();
            return self.code(Program { text, language, file }, by);
        }
        let Carrier { index, program, span, .. } = by;
        self.carried_by(index, program, |walker| {
            if !is_builtin(program) {
                let dialect = dialect_of(text);
                let is_shell =
                    SHELLS.contains(&walker.plan.commands[index].program().unwrap_or_default());
                walker.child_shell(index, Some(words), |walker| {
                    if !is_shell {
                        walker.dialect = dialect;
                    }
                    walker.state.script = [Some(file.clone()), Some(file.clone())];
                    walker.shell_text(text, span);
                });
                return;
            }
            // `source FILE WORDS`: in this shell, with parameters of its own if there are any.
            let given: Option<Rc<[Arg]>> = (!words.is_empty()).then(|| words.into());
            let outer = walker.state.positional.clone();
            if given.is_some() {
                walker.state.positional.clone_from(&given);
            }
            let dead = walker.state.dead;
            let source = walker.state.script[1].replace(file.clone());
            let jumps = std::mem::take(&mut walker.jumps);
            walker.sourced += 1;
            walker.shell_text(text, span);
            walker.sourced -= 1;
            // It may as well leave a loop or function around.
            let returns = std::mem::replace(&mut walker.jumps, jumps);
            let landed = walker.land(returns);
            walker.jumps.extend(landed);
            walker.state.script[1] = source;
            // Those that it sets itself stay.
            if given.is_some() && walker.state.positional == given {
                walker.state.positional = outer;
            }
            walker.state.dead = dead;
        });
    }

    /// Returns where a script is, if there is one place where it can be.
    pub(super) fn script_path(&self, file: &Arg, program: &str) -> Option<String> {
        let name = file.known().filter(|name| !name.is_empty())?;
        if self.place != crate::catalog::Place::Here {
            return None;
        }
        let mut places: Vec<String> = Vec::new();
        for directory in &self.state.directories {
            let path = paths::below(directory.as_deref(), name)?;
            if !places.contains(&path) {
                places.push(path);
            }
        }
        // After a `cd` that may fail there are several places; where there is no such file, nothing would run.
        if places.len() > 1 {
            places.retain(|path| self.scripts.exists(path));
        }
        let [path] = places.as_slice() else { return None };
        // These name what is open, and that is another file for each process.
        if paths::is_below(path, "/dev") || paths::is_below(path, "/proc") {
            return None;
        }
        let path = path.clone();
        // `source NAME` looks along PATH first (bash manual, `source`).
        if is_builtin(program) && !name.contains('/') {
            let Value::Word(Arg::Known(list)) = self.lookup("PATH") else { return None };
            let is_there = |directory: &str| {
                !directory.starts_with('/') || self.scripts.exists(&format!("{directory}/{name}"))
            };
            if list.split(':').any(is_there) {
                return None;
            }
        }
        Some(path)
    }

    /// Python looks for what it imports beside the script, or in the working directory, before its own library (sys.path in the
    /// Python reference): a file there is run in the place of a module that is known. Returns whether there is one.
    pub(super) fn shadows_module(
        &mut self,
        modules: &BTreeSet<String>,
        index: usize,
        span: Span,
    ) -> bool {
        // Python looks where the link leads.
        if self.following.last().is_some_and(|script| self.is_link(script)) {
            return !modules.is_empty();
        }
        let beside = self.following.last().and_then(|script| script.rsplit_once('/'));
        let beside = beside.map(|(directory, _)| Some(directory.to_owned()));
        // Which of them it is depends on whether the script is Python's or a shell's that starts it.
        let here = self.state.directories.iter().cloned();
        let places: Vec<Option<String>> = here.chain(beside).collect();
        if modules.len() > FILES {
            return true;
        }
        for module in modules {
            for place in &places {
                let Some(place) = place else { return true };
                for ending in MODULE_ENDINGS {
                    let path = paths::absolute(place, &format!("{module}{ending}"));
                    if self.scripts.exists(&path) {
                        return true;
                    }
                    self.relies_on(path, index, span);
                }
            }
        }
        false
    }

    /// `python -m NAME` looks for the module in the same way. Returns whether it finds one that is not the program of that name.
    pub(super) fn shadows_command(&mut self, name: Option<&Arg>, index: usize, span: Span) -> bool {
        let is_python = self.plan.commands[index].interpretation.program == "python";
        let Some(name) = name.and_then(Arg::known).filter(|_| is_python) else { return false };
        let first = name.split('.').next().unwrap_or(name);
        // The module is planned next, and writes nothing before it is found.
        self.shadows_module(&BTreeSet::from([first.to_owned()]), self.plan.commands.len(), span)
    }

    /// `python -m A.B`, where no program is called so, or `python -m A` where it stands here: it is the workspace's own, as long as
    /// nothing in the line changes it and its name says of nothing beyond. Returns whether it is one.
    pub(super) fn runs_own_module(&mut self, name: Option<&Arg>, by: Carrier<'_>) -> bool {
        let command = &self.plan.commands[by.index];
        let is_python = command.interpretation.program == "python";
        let Some(name) = name.and_then(Arg::known).filter(|_| is_python) else {
            return false;
        };
        let [Some(directory)] = command.directories.as_slice() else { return false };
        let is_program = |name: &str| {
            let called = interpret(&[Arg::Known(name.to_owned())], &[]);
            called.unknown.iter().all(|part| part.what != UnknownWhat::Program)
        };
        let first = name.split('.').next().unwrap_or(name);
        if !recipes::names::stays(name) || is_program(name) || is_program(first) {
            return false;
        }
        let path = paths::absolute(directory, &name.replace('.', "/"));
        let files = [".py", "/__main__.py"].map(|end| format!("{path}{end}"));
        if !name.contains('.') && !files.iter().any(|file| self.scripts.exists(file)) {
            return false;
        }
        self.plan.commands[by.index].does(EffectKind::Build, Target::None);
        for file in files {
            self.relies_on(file, by.index, by.span);
        }
        true
    }

    /// Whether a file is a link to another, or is not there when it is run.
    fn is_link(&self, path: &str) -> bool {
        if self.last_written(path).is_some() {
            return false;
        }
        let (Some((directory, name)), Some(real)) =
            (path.rsplit_once('/'), self.scripts.real(path))
        else {
            return true;
        };
        let directory = self.scripts.real(if directory.is_empty() { "/" } else { directory });
        directory.is_none_or(|directory| paths::absolute(&directory, name) != real)
    }

    /// Notes that a command runs a file that is trusted as long as nothing in the line changes it. `*` for the name of the file
    /// stands for all in its directory.
    pub(super) fn relies_on(&mut self, path: String, index: usize, span: Span) {
        self.note_followed(path, index, span, Standing::Absent);
    }

    /// Notes how a file takes part in what a command runs.
    pub(super) fn note_followed(
        &mut self,
        path: String,
        index: usize,
        span: Span,
        standing: Standing,
    ) {
        let span = self.span(span);
        self.followed.push(Followed { path, index, span, standing });
    }

    /// Follows a program that stands where builds put theirs, or that a build on the line writes: it is the workspace's own, as
    /// long as nothing else changes it. Returns whether it is one.
    pub(super) fn follow_built(&mut self, name: &Arg, index: usize, span: Span) -> bool {
        let Some(path) = self.script_path(name, "") else { return false };
        let builds = |command: &PlannedCommand| {
            (command.in_recipe
                || command.effects.iter().any(|effect| effect.kind == EffectKind::Build))
                && command.written().any(|written| written == path)
        };
        let is_made = paths::classify(&path, self.facts) == PathClass::BuildOutput
            || self.plan.commands[..index].iter().any(builds);
        if !is_made || self.scripts.text(&path).is_some() {
            return false;
        }
        let effect = Effect { kind: EffectKind::Build, target: Target::None };
        self.plan.commands[index].effects.push(effect);
        self.note_followed(path, index, span, Standing::Built);
        true
    }

    /// Notes of what is called as a tool that the line puts into a workspace that it runs that one: tasks and runners look there first.
    fn follow_written_tools(&mut self) {
        let commands = &self.plan.commands;
        let written = commands.iter().flat_map(PlannedCommand::written);
        let tools =
            written.filter_map(|path| Some((paths::workspace_tool(path, self.facts)?, path)));
        let tools: HashMap<&str, &str> = tools.collect();
        if tools.is_empty() {
            return;
        }
        let called = |command: &PlannedCommand| tools.get(command.argv.first()?.known()?).copied();
        let followed = commands.iter().enumerate().filter_map(|(index, command)| {
            let path = called(command)?.to_owned();
            Some(Followed { path, index, span: command.span, standing: Standing::Absent })
        });
        self.followed.extend(followed);
    }

    /// A file counts as read only if nothing that runs can change it: not the line, not what it starts, not itself. What
    /// recipes do to the files of their own workspace is what its tasks are trusted for.
    pub(super) fn distrust_changed_scripts(&mut self) {
        self.follow_written_tools();
        let followed = std::mem::take(&mut self.followed);
        if followed.is_empty() {
            return;
        }
        let made = Made::of(&self.plan.commands, 0);
        // What was read just now is what earlier texts left.
        let since = (self.done() > 0).then(|| Made::of(&self.plan.commands, self.done()));
        let mut changed: HashMap<(String, Starter), bool> = HashMap::new();
        for Followed { path, index, span, standing } in followed {
            let Some(starter) = self.plan.commands.get(index) else { continue };
            let is_written = matches!(standing, Standing::Written { .. });
            let is_file =
                is_written || matches!(standing, Standing::Script | Standing::Recipe { .. });
            if is_file && !is_written && !path.contains(['*', '?', '[']) {
                self.plan.scripts.push(FileUse { command: index, path: path.clone() });
            }
            let trusted = match standing {
                Standing::Built => Some(Maker::Build),
                Standing::Recipe { .. } => Some(Maker::Recipe),
                Standing::Written { .. } => None,
                Standing::Script | Standing::Absent => starter.in_recipe.then_some(Maker::Recipe),
            };
            let itself = match standing {
                Standing::Absent => Some(index),
                Standing::Written { by } => Some(by),
                Standing::Script | Standing::Recipe { .. } | Standing::Built => None,
            };
            let by = Starter { trusted, itself };
            let made = since.as_ref().filter(|_| is_file && !is_written).unwrap_or(&made);
            let known = changed.len();
            let is_changed = *changed
                .entry((path.clone(), by))
                .or_insert_with(|| made.changes(&path, by, known));
            let is_open =
                !starter.in_recipe && is_file && made.leaves_open_before(index, trusted.is_some());
            match standing {
                // Whatever else may have changed it, the name of the task stands for what it does.
                Standing::Recipe { task } if !is_changed => {
                    let is_expected = !is_open || recipes::is_routine(&task);
                    if !is_expected {
                        self.leave_unread(&task, index);
                    }
                }
                _ if is_changed || is_open => {
                    let class = paths::classify(&path, self.facts);
                    let target = Target::Path { path: Some(path), class };
                    self.plan.commands[index]
                        .effects
                        .push(Effect { kind: EffectKind::Execute, target });
                    self.plan.opaque.push(Opaque { reason: Reason::UnreadScript, span });
                }
                _ => {}
            }
        }
    }
}

/// Who changes a file, each trusted with more than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Maker {
    Line,
    /// A command that builds a workspace.
    Build,
    /// A recipe of a workspace.
    Recipe,
}

/// What need not be asked of a file that a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Starter {
    /// Whoever is trusted so far may change it.
    trusted: Option<Maker>,
    /// A command that looks for the file before it does anything else, or the one that wrote what was read.
    itself: Option<usize>,
}

/// What a line does that may change files.
struct Made {
    /// Each once, who does it, and the command, if it is one alone.
    changes: HashMap<(Effect, Maker), Option<usize>>,
    /// The first command that may change files without naming them, and the first of those that count where recipes are trusted.
    open: [Option<usize>; 2],
}

impl Made {
    /// Looks through what is planned, but for what is done.
    fn of(commands: &[PlannedCommand], done: usize) -> Self {
        let mut made = Self { changes: HashMap::new(), open: [None; 2] };
        for (at, command) in commands.iter().enumerate().skip(done) {
            let builds = command.effects.iter().any(|effect| effect.kind == EffectKind::Build);
            let maker = match (command.in_recipe, builds) {
                (true, _) => Maker::Recipe,
                (false, true) => Maker::Build,
                (false, false) => Maker::Line,
            };
            // An empty directory is no file, and changes none.
            let is_directory = command.interpretation.is(ProgramTrait::MakesDirectories);
            // What makes the tools of the workspace be found sets variables.
            let is_activation = matches!(command.program(), Some("source" | "."));
            let counts = |effect: &&Effect| {
                !(only_looks(effect.kind)
                    || is_directory && effect.kind == EffectKind::Write
                    || is_activation && effect.kind == EffectKind::Build)
            };
            for effect in command.effects.iter().filter(counts) {
                if leaves_open_what_it_changes(effect) {
                    made.open[0].get_or_insert(at);
                    if !command.in_recipe && effect.kind != EffectKind::Build {
                        made.open[1].get_or_insert(at);
                    }
                } else {
                    let by = made.changes.entry((effect.clone(), maker)).or_insert(Some(at));
                    *by = by.filter(|by| *by == at);
                }
            }
        }
        made
    }

    /// Returns whether any of it reaches a file, after so many others were looked for.
    fn changes(&self, path: &str, by: Starter, known: usize) -> bool {
        known.saturating_mul(self.changes.len()) > COMPARED
            || self.changes.iter().any(|((effect, maker), index)| {
                by.trusted.is_none_or(|trusted| *maker < trusted)
                    && !(by.trusted == Some(Maker::Build) && leaves_nothing(effect.kind))
                    && (index.is_none() || *index != by.itself)
                    && changes(effect, path)
            })
    }

    /// Returns whether what is not named may be changed before a command runs.
    fn leaves_open_before(&self, index: usize, is_trusted: bool) -> bool {
        self.open[usize::from(is_trusted)].is_some_and(|at| at < index)
    }
}

/// Returns whether an effect leaves nothing where it was: what is built and then deleted does not run.
const fn leaves_nothing(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Delete | EffectKind::DeleteTree | EffectKind::Empty)
}

/// Returns whether an effect reaches this file, as far as its target tells.
pub(super) fn changes(effect: &Effect, path: &str) -> bool {
    if only_looks(effect.kind) {
        return false;
    }
    match &effect.target {
        Target::Path { path: Some(changed), .. } => {
            let below = path.strip_prefix(changed.trim_end_matches('/'));
            let directory = path.strip_suffix("/*");
            let head = changed.split(['*', '?', '[', '{']).next().unwrap_or_default();
            may_match(changed, path)
                || may_match(path, changed)
                || directory.is_some_and(|directory| paths::is_below(head, directory))
                || below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }
        Target::Path { path: None, class } => *class != PathClass::Null,
        Target::None | Target::Host { .. } | Target::Text { .. } => false,
    }
}

/// Returns whether a pattern may stand for this file, or for a directory that holds it.
pub(super) fn may_match(pattern: &str, path: &str) -> bool {
    let Some(at) = pattern.find(['*', '?', '[', '{', '(']) else { return false };
    let start = pattern[..at].rfind('/').map_or(0, |slash| slash + 1);
    let Some(rest) = path.strip_prefix(&pattern[..start]) else { return false };
    let (part, _) = pattern[start..].split_once('/').unwrap_or((&pattern[start..], ""));
    let name = rest.split('/').next().unwrap_or(rest);
    if part.contains(['{', '(', '\\']) {
        return true;
    }
    // What stands before the first open place is compared, and what stands behind the last.
    let before = part.split(['*', '?', '[']).next().unwrap_or_default();
    let after = part.rsplit(['*', '?', '[', ']']).next().unwrap_or_default();
    name.starts_with(before) && name.ends_with(after)
}

/// Returns whether an effect may change files without naming them: a build, a checkout, an installation.
fn leaves_open_what_it_changes(effect: &Effect) -> bool {
    !only_looks(effect.kind) && !matches!(effect.target, Target::Path { .. })
}

/// Returns whether an effect changes no file here.
const fn only_looks(kind: EffectKind) -> bool {
    use EffectKind as Kind;
    matches!(
        kind,
        Kind::List
            | Kind::Read
            | Kind::Execute
            | Kind::Connect
            | Kind::Fetch
            | Kind::Send
            | Kind::Listen
            | Kind::Disclose
            | Kind::Decode
            | Kind::Endless
            | Kind::Unpack
            | Kind::Signal
            | Kind::ShellState
            | Kind::Publish
            | Kind::CloudRead
            | Kind::CloudChange
            | Kind::CloudDestroy
            | Kind::DatabaseRead
    )
}

/// What the files of a Python module are called behind its name. A directory without one of these comes after all others (PEP 420).
const MODULE_ENDINGS: [&str; 6] =
    [".py", ".pyc", ".so", "/__init__.py", "/__init__.pyc", "/__init__.so"];

/// Options with which interpreters are named in a first line and that change nothing of what is read.
const PLAIN_OPTIONS: &str = "euxlEsSBwv";

/// Returns the language of a file that is started by its name: what its first line says, else the shell's.
pub(super) fn language_of(text: &str) -> Option<Language> {
    let Some(first) = text.strip_prefix("#!") else {
        // The shell that could not execute it reads it itself (POSIX 2.9.1.6).
        return Some(Language::Shell);
    };
    let mut words = first.lines().next()?.split_ascii_whitespace().filter(|word| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.is_empty());
        !letters.is_some_and(|letters| letters.chars().all(|letter| PLAIN_OPTIONS.contains(letter)))
    });
    let mut program = last_component(words.next()?);
    if program == "env" {
        program = last_component(words.next()?);
    }
    if words.next().is_some() {
        return None;
    }
    Some(match program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') {
        "bash" | "sh" | "dash" | "zsh" | "ksh" | "ash" | "mksh" => Language::Shell,
        "python" => Language::Python,
        "node" | "bun" => Language::JavaScript,
        "perl" => Language::Perl,
        "ruby" => Language::Ruby,
        "php" => Language::Php,
        _ => return None,
    })
}

/// Which shell reads a file that is started by its name: without a first line, the one that started it.
fn dialect_of(text: &str) -> Dialect {
    let first = text.strip_prefix("#!").and_then(|text| text.lines().next()).unwrap_or("bash");
    let words = first.split_ascii_whitespace();
    let mut words = words.map(last_component);
    words.find_map(Dialect::named).unwrap_or_default()
}

fn last_component(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_says_the_language() {
        for (text, language) in [
            ("echo", Some(Language::Shell)),
            ("#!/bin/sh\necho", Some(Language::Shell)),
            ("#! /usr/bin/env -S bash -eu\necho", Some(Language::Shell)),
            ("#!/usr/bin/python3.12\n", Some(Language::Python)),
            ("#!/usr/bin/env node", Some(Language::JavaScript)),
            ("#!/bin/bash -c\n", None),
            ("#!/usr/bin/env X=1 bash\n", None),
            ("#!/bin/rm\n", None),
            ("#!\n", None),
            ("#!", None),
        ] {
            assert_eq!(language_of(text), language, "{text}");
        }
    }
}
