//! Tasks of the workspace: what `make`, `npm run` and their like run, read from the file that describes it.
//! What cannot be followed in a recipe is simply not known. Where nothing is read, the task's name decides.

mod just;
mod make;
mod mise;
mod package;
mod taskfile;
mod workspaces;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::carry::Carrier;
use super::scripts::{Followed, Program, Standing, language_of};
use super::state::Value;
use super::walk::Walker;
use crate::catalog::Place;
use crate::model::{Arg, Language, Reason, Runner};
use crate::recipes::{UNREAD, below, marks, names, upward};

/// How many files that describe tasks are read for one line.
const FILES: usize = 64;
/// How many recipes of one line are read: tasks that call each other multiply them.
const RECIPES: usize = 400;
/// Bytes of files that describe tasks, each as often as it is read: a task that runs others has its file read for each.
const BYTES: usize = 2 << 20;
/// Tasks inside each other beyond this are not followed.
const DEPTH: usize = 12;

/// What was read of the tasks that a line runs, and what is being read.
#[derive(Debug, Default)]
pub(super) struct Recipes {
    /// How many recipes are around what is being planned.
    pub(super) depth: usize,
    /// Whether what is being planned holds what the line gives a task and nobody has read.
    pub(super) holds_given: bool,
    /// The variables to which the line gives such values.
    given: Rc<BTreeSet<String>>,
    /// The words and values that the line gives the task.
    words: Rc<BTreeSet<String>>,
    /// Texts of files, none for those that cannot be read.
    texts: HashMap<String, Option<Rc<str>>>,
    /// The tasks that are being read: the file of each, and its name.
    running: Vec<(String, String)>,
    /// How many recipes and tasks were read.
    count: usize,
    /// How many bytes were read for them.
    bytes: usize,
}

impl Recipes {
    /// Returns what there is at the start: one recipe, if what is read is started by a task.
    pub(super) fn within(task: Option<&str>) -> Self {
        Self { depth: usize::from(task.is_some()), ..Self::default() }
    }

    /// Notes who says shell text that is read now: the line, where it is a word that the line gives a task, and whether it refers to a variable
    /// to which the line gives a value that nobody has read. Returns what was known of the text around it.
    pub(super) fn take_in(&mut self, text: &str) -> Text {
        let outer = Text { depth: self.depth, holds_given: self.holds_given };
        self.holds_given |= self.depth > 0 && self.given.iter().any(|name| mentions(text, name));
        if self.words.contains(text) {
            self.depth = 0;
        }
        outer
    }

    /// Goes back to the text around what was read.
    pub(super) const fn leave(&mut self, outer: Text) {
        self.depth = outer.depth;
        self.holds_given = outer.holds_given;
    }

    /// Returns the words and values that the line gives the task whose recipe is being planned.
    pub(super) fn given_words(&self) -> Rc<BTreeSet<String>> {
        if self.depth > 0 { Rc::clone(&self.words) } else { Rc::default() }
    }

    /// Whether what is not known, for this reason, is what running a task by its name stands for. Of code that the line gives it, it is not.
    pub(super) fn stand_for(&self, reason: &Reason) -> bool {
        let is_code = matches!(reason, Reason::DynamicCode | Reason::DynamicCommand);
        let may_be_given = self.holds_given && is_code;
        self.depth > 0 && !may_be_given
    }
}

/// What is known of shell text that is being read.
#[derive(Clone, Copy)]
pub(super) struct Text {
    depth: usize,
    holds_given: bool,
}

/// A task that a command runs.
#[derive(Clone, Copy)]
struct Run<'a> {
    by: Carrier<'a>,
    /// The directory in which it is looked for.
    directory: &'a str,
    /// Its name, or that of the task which runs where none is named.
    task: &'a str,
}

/// Text that a task runs in a shell of its own.
struct Recipe {
    text: String,
    directory: String,
    words: Vec<Arg>,
    environment: Vec<(String, Value)>,
    of: Author,
}

/// Who says what a recipe runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Author {
    /// The files of the workspace.
    Workspace,
    /// The line, by a variable that it gives.
    Line,
}

impl Recipe {
    fn new(text: String, directory: &str) -> Self {
        let directory = directory.to_owned();
        let of = Author::Workspace;
        Self { text, directory, words: Vec::new(), environment: Vec::new(), of }
    }
}

impl Walker<'_> {
    /// Plans what a task runs. Returns whether it was found and read.
    pub(super) fn task(
        &mut self,
        runner: Runner,
        name: Option<&(Arg, usize)>,
        by: Carrier<'_>,
    ) -> bool {
        let (name, at) = match name {
            Some((Arg::Known(name), at)) => (Some(name.clone()), *at),
            Some(_) => {
                self.expect(None, by);
                return false;
            }
            None => {
                let named = &self.plan.commands[by.index].interpretation.subcommand;
                (named.last().cloned(), named.len())
            }
        };
        let name = name.as_deref();
        let words = match runner {
            Runner::Package => self.words_of_task(at, by),
            _ => by.argv.get(at + 1..).unwrap_or_default(),
        };
        let directories = self.plan.commands[by.index].directories.clone();
        let mut is_read = false;
        let mut is_lost = self.place != Place::Here || self.recipes.running.len() >= DEPTH;
        for directory in directories.into_iter().take(if is_lost { 0 } else { 4 }) {
            let Some(directory) = directory else {
                is_lost = true;
                continue;
            };
            let run = Run { by, directory: &directory, task: name.unwrap_or("default") };
            is_read |= match runner {
                Runner::Make => self.make(name, run),
                Runner::Package | Runner::Deno | Runner::Tool => {
                    let run = Run { task: name.unwrap_or_default(), ..run };
                    self.package_script(runner, words, run)
                }
                Runner::Lifecycle => {
                    self.lifecycle(Run { task: "install", ..run });
                    true
                }
                Runner::Just | Runner::Mise if self.only_prints(runner, by) => true,
                Runner::Just => self.just(name, words, run),
                Runner::Mise => name.is_some() && self.mise(words, run),
                Runner::Task => self.taskfile(name, words, run),
                Runner::Other => false,
            };
        }
        let is_read = is_read && !is_lost && self.recipes.count <= RECIPES;
        if runner == Runner::Make && !is_read && self.gives_makefile_text(by) {
            self.unread(Reason::DynamicCode, by);
        }
        let may_be_absent = matches!(runner, Runner::Lifecycle | Runner::Tool);
        if !is_read && !self.only_prints(runner, by) && !may_be_absent {
            // Where there is no package there is no script: what runs is a tool by that name, or nothing.
            let is_absent = runner == Runner::Package && self.has_no_package(by);
            if is_absent && name.is_some_and(names::stays) {
                return false;
            }
            // A makefile or justfile has a task that runs where none is named: its build.
            self.expect(Some(name.unwrap_or("default")), by);
        }
        is_read
    }

    /// Returns the words behind the name of a task that stands at a place of argv: up to the next name of one.
    fn words_of_task<'a>(&self, at: usize, by: Carrier<'a>) -> &'a [Arg] {
        let operands = &self.plan.commands[by.index].interpretation.operands;
        let is_next = |(index, role): &&(usize, String)| *index > at && role.starts_with("task:");
        let end = operands.iter().find(is_next).map_or(by.argv.len(), |(index, _)| *index);
        by.argv.get(at + 1..end).unwrap_or_default()
    }

    /// Whether no directory that a command may run in, and none above, has a `package.json`.
    fn has_no_package(&self, by: Carrier<'_>) -> bool {
        let directories = &self.plan.commands[by.index].directories;
        directories.iter().all(|directory| {
            directory.as_deref().is_some_and(|directory| {
                !upward(directory).any(|it| self.scripts.exists(&below(it, "package.json")))
            })
        })
    }

    /// Whether recipes are printed, touched or asked about, and not run.
    fn only_prints(&self, runner: Runner, by: Carrier<'_>) -> bool {
        !matches!(runner, Runner::Package | Runner::Lifecycle | Runner::Deno | Runner::Tool)
            && self.gives(by.index, &["--dry-run", "--dry", "--touch", "--question"])
    }

    /// Says of a task that is not read what its name leaves open.
    fn expect(&mut self, name: Option<&str>, by: Carrier<'_>) {
        if !name.is_some_and(names::is_routine) {
            self.leave_unread(name.unwrap_or_default(), by.index);
        }
    }

    /// Says that what a task runs is not known.
    pub(super) fn leave_unread(&mut self, name: &str, index: usize) {
        let what = match name {
            "" => "which task runs is only known when it runs".to_owned(),
            name => format!("what the task '{name}' runs is not read"),
        };
        let known = &mut self.plan.commands[index].unknown;
        if !known.contains(&what) {
            known.push(what);
        }
    }

    /// Returns the first of these files that is there, in the directory of a run or the nearest above it; without its text if
    /// that cannot be read.
    fn nearest(&mut self, names: &[&str], run: Run<'_>) -> Option<(String, Option<Rc<str>>)> {
        upward(run.directory).find_map(|directory| self.first_of(names, directory, run))
    }

    /// Returns the first of these files that is there in a directory; without its text if that cannot be read.
    fn first_of(
        &mut self,
        names: &[&str],
        directory: &str,
        run: Run<'_>,
    ) -> Option<(String, Option<Rc<str>>)> {
        names.iter().find_map(|name| {
            let path = below(directory, name);
            let text = self.recipe_file(&path, run);
            (text.is_some() || self.scripts.exists(&path)).then_some((path, text))
        })
    }

    /// Returns the text of a file that describes tasks. Whatever the answer, nothing in the line may change the file.
    fn recipe_file(&mut self, path: &str, run: Run<'_>) -> Option<Rc<str>> {
        self.relies_on_recipe(path, run);
        let known = self.recipes.texts.get(path).cloned();
        let text = known.unwrap_or_else(|| {
            let is_full = self.recipes.texts.values().flatten().count() >= FILES;
            let text = (!is_full && self.scripts.exists(path)).then(|| self.scripts.text(path));
            let text = text.flatten().map(|text| Rc::from(text.trim_start_matches('\u{feff}')));
            self.recipes.texts.insert(path.to_owned(), text.clone());
            text
        });
        let length = text.as_ref().map_or(0, |text| text.len());
        self.recipes.bytes = self.recipes.bytes.saturating_add(length);
        let text = text.filter(|_| self.recipes.bytes <= BYTES);
        if text.is_none() && self.scripts.exists(path) {
            // What is there and cannot be read is not what its name promises.
            self.leave_unread(run.task, run.by.index);
        }
        text
    }

    /// Notes that a task depends on a file, there or not, or on all that a pattern stands for.
    fn relies_on_recipe(&mut self, path: &str, run: Run<'_>) {
        let span = self.span(run.by.span);
        let standing = Standing::Recipe { task: run.task.to_owned() };
        let followed = Followed { path: path.to_owned(), index: run.by.index, span, standing };
        if !self.followed.contains(&followed) {
            self.followed.push(followed);
        }
    }

    /// Runs `work` for a task of a file, unless that is what is being read already.
    fn within(&mut self, file: &str, task: &str, work: impl FnOnce(&mut Self)) {
        let one = (file.to_owned(), task.to_owned());
        self.recipes.count += 1;
        let is_full = self.recipes.count > RECIPES || self.recipes.running.len() >= DEPTH;
        if is_full || self.recipes.running.contains(&one) {
            return;
        }
        self.recipes.running.push(one);
        work(self);
        self.recipes.running.pop();
    }

    /// Plans text that a task runs in a shell, or as the program that its first line names.
    fn recipe(&mut self, recipe: Recipe, by: Carrier<'_>) {
        self.recipes.count += 1;
        if self.recipes.count > RECIPES {
            return;
        }
        let Recipe { text, directory, words, environment, of } = recipe;
        let language = language_of(&text);
        let given = self.given_unread(by.index);
        let depth = if of == Author::Workspace { self.recipes.depth + 1 } else { 0 };
        let said = self.said_by_line(by);
        let said = std::mem::replace(&mut self.recipes.words, said);
        let outer = (self.recipes.depth, std::mem::replace(&mut self.recipes.given, given));
        self.recipes.depth = depth;
        self.carried_by(by.index, by.program, |walker| {
            walker.child_shell(by.index, Some(words), |walker| {
                walker.state.directories = vec![Some(directory)];
                walker.state.set(UNREAD, Value::Unknown);
                for (name, value) in environment {
                    walker.state.set(&name, value);
                    walker.state.export(&name, true);
                }
                match language {
                    Some(Language::Shell) => walker.shell_text(&text, by.span),
                    Some(language) => {
                        let index = walker.bare(by.span, Vec::new());
                        let given = Program { text: &text, language, file: None };
                        walker.code(given, Carrier { index, ..by });
                    }
                    None => {}
                }
            });
        });
        (self.recipes.depth, self.recipes.given) = outer;
        self.recipes.words = said;
    }

    /// Returns the words and values that the line gives a task: what stands behind its name, values of variables, and of options there.
    fn said_by_line(&self, by: Carrier<'_>) -> Rc<BTreeSet<String>> {
        if self.recipes.depth > 0 {
            return Rc::clone(&self.recipes.words);
        }
        let command = &self.plan.commands[by.index];
        let operands = &command.interpretation.operands;
        let task = operands.iter().find(|(_, role)| role.starts_with("task:"));
        let task = task.map_or(command.interpretation.subcommand.len(), |(at, _)| *at);
        let words = by.argv.iter().enumerate().skip(1).filter_map(|(at, word)| {
            let word = word.known()?;
            let value = word.split_once('=').map(|(_, value)| value);
            value.or_else(|| (at > task).then_some(word)).filter(|word| !word.starts_with('-'))
        });
        let exported =
            self.state.exported().filter_map(|name| match self.state.variable(name)? {
                Value::Word(word) => word.known(),
                _ => None,
            });
        let starters = self.starters(by.index);
        let set = starters.iter().flat_map(|at| &self.plan.commands[*at].environment);
        let set = set.filter_map(|(_, value)| value.known());
        let said = words.chain(exported).chain(set).filter(|word| !word.is_empty());
        Rc::new(said.map(str::to_owned).collect())
    }

    /// Returns the variables of the environment of a command to which the line gives values that nobody has read.
    fn given_unread(&self, index: usize) -> Rc<BTreeSet<String>> {
        // What a recipe sets, the line does not give.
        if self.recipes.depth > 0 {
            return Rc::clone(&self.recipes.given);
        }
        let changed = self.facts.environment.keys().map(String::as_str);
        let set = changed.chain(self.state.exported());
        let values = set.filter_map(|name| Some((name, self.state.variable(name)?.clone())));
        let starters = self.starters(index);
        let own = starters.iter().rev().flat_map(|at| &self.plan.commands[*at].environment);
        let own = own.map(|(name, value)| (name.as_str(), Value::Word(value.clone())));
        let mut unread = BTreeSet::new();
        for (name, value) in values.chain(own) {
            match &value {
                Value::Word(Arg::Known(_)) | Value::Array(_) | Value::Name | Value::Unset => {
                    unread.remove(name);
                }
                value if value.is_perhaps_number() => {
                    unread.remove(name);
                }
                _ => {
                    unread.insert(name.to_owned());
                }
            }
        }
        Rc::new(unread)
    }

    /// Returns the environment that a command gets, with marks for what is not known.
    fn environment_of(&self, index: usize) -> HashMap<String, String> {
        let given = self.given_unread(index);
        let marked = |name: &str, value: Value| match value {
            Value::Word(Arg::Known(value)) if !marks::is_open(&value) => value,
            _ if given.contains(name) => marks::given(name),
            _ => marks::UNKNOWN.to_string(),
        };
        let names = self.facts.environment.keys().map(String::as_str).chain(self.state.exported());
        let values = names.map(|name| (name, self.inherited(name)));
        let set = values.filter(|(_, value)| *value != Value::Unset);
        let mut environment: HashMap<_, _> =
            set.map(|(name, value)| (name.to_owned(), marked(name, value))).collect();
        for &starter in self.starters(index).iter().rev() {
            for (name, value) in &self.plan.commands[starter].environment {
                environment.insert(name.clone(), marked(name, Value::Word(value.clone())));
            }
        }
        environment
    }

    /// Returns the value of a variable of the environment that a program started here gets, as far as it is known.
    fn inherited(&self, name: &str) -> Value {
        match self.state.variable(name) {
            Some(value) => value.clone(),
            None => match self.facts.environment.get(name) {
                Some(value) => holding(value),
                None => Value::Unset,
            },
        }
    }
}

/// Whether shell text refers to a variable.
fn mentions(text: &str, name: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c == '_' || c.is_ascii_alphanumeric());
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end_matches(['{', '!', '#']);
        before.ends_with('$') && !goes_on(&text[at + name.len()..])
    })
}

/// Returns the value of a variable that holds exactly this text.
fn holding(text: impl Into<String>) -> Value {
    Value::Word(Arg::Known(text.into()))
}

/// Names of variables that a runner gives its scripts, as far as they stand in the text: nothing is known of their values.
fn given_variables(text: &str, prefix: &str) -> Vec<(String, Value)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found: Vec<(String, Value)> = Vec::new();
    for (at, _) in text.match_indices(prefix).take(64) {
        let rest = &text[at..];
        let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
        if !found.iter().any(|(known, _)| known == name) {
            found.push((name.to_owned(), Value::Unknown));
        }
    }
    found
}
