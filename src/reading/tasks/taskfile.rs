//! Taskfiles: tasks with their variables, those that run before them, and files that they include (taskfile.dev).

use std::collections::HashMap;

use fast_glob::glob_match;
use serde_json::{Map, Value as Json};

use super::super::state::Value;
use super::super::walk::Walker;
use super::{Recipe, Run, holding};
use crate::model::{Arg, Runner};
use crate::recipes::marks::{SHELL, UNKNOWN, is_open, shell_text};
use crate::recipes::names::TASKFILES;
use crate::recipes::templates::rendered;
use crate::recipes::{below, directory_of, with_words, yaml};

/// Included files beyond this are not read.
const FILES: usize = 24;
/// Turns of one loop beyond this are not read.
const TURNS: usize = 64;

/// A file with tasks, and under which name another includes it.
#[derive(Debug)]
struct Taskfile {
    path: String,
    /// The directory that its tasks run in.
    place: String,
    /// What stands before the names of its tasks: `docs:`.
    prefix: String,
    whole: Json,
    /// Variables that whoever includes it gives.
    given: Option<Json>,
}

/// What is known where a task is written out.
#[derive(Clone, Debug, Default)]
struct Scope {
    variables: Variables,
    environment: Vec<(String, Value)>,
    /// The directory in which its commands run.
    place: String,
}

type Variables = HashMap<String, String>;

/// The words of the line, for all tasks that it names.
struct Called<'a> {
    files: Vec<Taskfile>,
    /// What the runner gets, which counts for less than all that the files say.
    environment: Variables,
    /// `NAME=VALUE`.
    variables: Variables,
    /// What stands behind `--`.
    words: Vec<Arg>,
    run: Run<'a>,
    only_prints: bool,
}

impl Walker<'_> {
    /// Plans the tasks that are named, or the default one. Returns whether all of them were found and read.
    pub(super) fn taskfile(&mut self, name: Option<&str>, words: &[Arg], run: Run<'_>) -> bool {
        if self.gives(run.by.index, &["-t", "-g"]) {
            return false;
        }
        let Some(files) = self.taskfiles(run) else { return false };
        let first = name.map(|name| Arg::Known(name.to_owned()));
        let mut rest: Vec<Arg> = first.into_iter().chain(words.to_vec()).collect();
        let end = rest.iter().position(|word| word.known() == Some("--"));
        let words = end.map(|end| rest.split_off(end)).unwrap_or_default();
        let mut called = Called {
            files,
            environment: self.environment_of(run.by.index),
            variables: Variables::new(),
            words: words.get(1..).unwrap_or_default().to_vec(),
            run,
            only_prints: self.only_prints(Runner::Task, run.by),
        };
        let mut names = Vec::new();
        for word in &rest {
            match word.known() {
                Some(option) if option.starts_with('-') => {}
                Some(word) => match word.split_once('=') {
                    Some((name, value)) => {
                        called.variables.insert(name.to_owned(), value.to_owned());
                    }
                    None => names.push(word),
                },
                None => return false,
            }
        }
        if names.is_empty() {
            names.push("default");
        }
        let outer = Variables::new();
        names.iter().fold(true, |is_read, name| is_read & self.named_task(&called, name, &outer))
    }

    /// Returns the nearest file with tasks, and all that it includes; none if one of them is not read.
    fn taskfiles(&mut self, run: Run<'_>) -> Option<Vec<Taskfile>> {
        let (path, text) = self.nearest(TASKFILES, run)?;
        let place = directory_of(&path).to_owned();
        let root = Taskfile { path, place, prefix: String::new(), whole: Json::Null, given: None };
        let mut files = Vec::new();
        self.include(root, &text?, run, &mut files)?;
        Some(files)
    }

    /// Adds a file with this text, and all that it includes.
    fn include(
        &mut self,
        mut file: Taskfile,
        text: &str,
        run: Run<'_>,
        files: &mut Vec<Taskfile>,
    ) -> Option<()> {
        if files.len() >= FILES {
            return None;
        }
        file.whole = yaml::parse(text).filter(|_| !is_open(text))?;
        let (home, place) = (directory_of(&file.path).to_owned(), file.place.clone());
        let prefix = file.prefix.clone();
        let includes = match file.whole.get("includes") {
            Some(Json::Object(all)) => all.clone(),
            Some(_) => return None,
            None => Map::new(),
        };
        files.push(file);
        for (name, one) in includes {
            let of = |key: &str| one.get(key).and_then(Json::as_str);
            let target = one.as_str().or_else(|| of("taskfile"))?;
            let path = below(&home, target);
            // A name that is put together, or a file of another machine.
            if target.contains("{{") || target.contains("://") || target.contains(".git") {
                return None;
            }
            let mut inside = TASKFILES.iter().map(|name| below(&path, name));
            let path = inside.find(|path| self.scripts.exists(path)).unwrap_or(path);
            let is = |key: &str| one.get(key) == Some(&Json::Bool(true));
            if is("optional") && !self.scripts.exists(&path) {
                continue;
            }
            let place = match of("dir") {
                Some(place) if place.contains("{{") => return None,
                Some(place) => below(&home, place),
                None => place.clone(),
            };
            let prefix = if is("flatten") { prefix.clone() } else { format!("{prefix}{name}:") };
            let given = one.get("vars").cloned();
            let text = self.recipe_file(&path, run)?;
            let file = Taskfile { path, place, prefix, whole: Json::Null, given };
            self.include(file, &text, run, files)?;
        }
        Some(())
    }

    /// Plans a task by the name that it has in the whole.
    fn named_task(&mut self, called: &Called<'_>, name: &str, outer: &Variables) -> bool {
        let Some((file, own, task)) = found(&called.files, name) else { return false };
        // What is being read already is read.
        let mut is_read = true;
        self.within(&file.path, own, |walker| {
            is_read = walker.one_task(called, file, own, task, outer);
        });
        is_read
    }

    fn one_task(
        &mut self,
        called: &Called<'_>,
        file: &Taskfile,
        name: &str,
        task: &Json,
        outer: &Variables,
    ) -> bool {
        let root = &called.files[0];
        let (variables, place) = (called.environment.clone(), file.place.clone());
        let mut scope = Scope { variables, place, ..Scope::default() };
        for (key, value) in [
            ("TASK", name),
            ("ROOT_DIR", directory_of(&root.path)),
            ("TASKFILE_DIR", directory_of(&file.path)),
            ("TASKFILE", &file.path),
            ("USER_WORKING_DIR", called.run.directory),
        ] {
            scope.variables.insert(key.to_owned(), value.to_owned());
        }
        let quoted = with_words("", &called.words);
        let is_known = called.words.iter().all(|word| word.known().is_some());
        let words = if is_known { quoted.trim_start().to_owned() } else { UNKNOWN.to_string() };
        scope.variables.insert("CLI_ARGS".to_owned(), words);
        let of_root = |key: &str| root.whole.get(key).filter(|_| file.path != root.path);
        // What files say of the environment of all their tasks is a variable, too.
        let sources =
            [of_root("env"), file.whole.get("env"), of_root("vars"), file.whole.get("vars")];
        for variables in sources.into_iter().chain([file.given.as_ref()]).flatten() {
            self.task_variables(variables, &mut scope, called.run);
        }
        // The line, and who calls it, count for more.
        let given = || outer.clone().into_iter().chain(called.variables.clone());
        scope.variables.extend(given());
        match task.get("dir").and_then(Json::as_str).map(|dir| written(dir, &scope)) {
            Some(dir) if is_open(&dir) => return false,
            Some(dir) => scope.place = below(&scope.place, &dir),
            None => {}
        }
        if let Some(variables) = task.get("vars") {
            self.task_variables(variables, &mut scope, called.run);
            scope.variables.extend(given());
        }
        for source in [of_root("env"), file.whole.get("env"), task.get("env")] {
            let mut inner = Scope { environment: Vec::new(), ..scope.clone() };
            let Some(source) = source else { continue };
            for name in self.task_variables(source, &mut inner, called.run) {
                let value = inner.variables.get(&name).filter(|value| !is_open(value));
                let value = value.map_or(Value::Unknown, holding);
                scope.environment.push((name, value));
            }
        }
        let is_read = self.task_commands(called, file, task.get("deps"), Is::Task, &scope);
        for (key, field) in [("preconditions", "sh"), ("status", "")] {
            for one in task.get(key).and_then(Json::as_array).into_iter().flatten() {
                let text = one.as_str().or_else(|| one.get(field).and_then(Json::as_str));
                if let Some(text) = text {
                    self.task_text(text, &scope, called.run);
                }
            }
        }
        let commands = match task {
            Json::String(_) | Json::Array(_) => Some(task),
            _ => task.get("cmds").or_else(|| task.get("cmd")),
        };
        is_read & self.task_commands(called, file, commands, Is::Command, &scope)
    }

    /// Plans a list of commands or of tasks. Returns whether all of them are read.
    fn task_commands(
        &mut self,
        called: &Called<'_>,
        file: &Taskfile,
        commands: Option<&Json>,
        plain: Is,
        scope: &Scope,
    ) -> bool {
        let commands = match commands {
            None | Some(Json::Null) => return true,
            Some(Json::Array(all)) => all.as_slice(),
            Some(one) => std::slice::from_ref(one),
        };
        let mut is_read = true;
        for command in commands {
            for scope in turns(command, scope) {
                let of = |key: &str| command.get(key);
                is_read &= match (command.as_str(), plain, of("task").and_then(Json::as_str)) {
                    (Some(text), Is::Command, _) => {
                        if !called.only_prints {
                            self.task_text(text, &scope, called.run);
                        }
                        true
                    }
                    (Some(name), Is::Task, _) | (None, _, Some(name)) => {
                        self.other_task(called, file, name, of("vars"), &scope)
                    }
                    (None, _, None) => {
                        let inner = of("cmd").or_else(|| of("defer"));
                        inner.is_some()
                            && self.task_commands(called, file, inner, Is::Command, &scope)
                    }
                };
            }
        }
        is_read
    }

    fn other_task(
        &mut self,
        called: &Called<'_>,
        file: &Taskfile,
        name: &str,
        given: Option<&Json>,
        scope: &Scope,
    ) -> bool {
        let name = written(name, scope);
        if is_open(&name) {
            return false;
        }
        let given = given.and_then(Json::as_object).into_iter().flatten();
        let text = |value: &Json| value.as_str().map(|text| written(text, scope));
        let value = |value: &Json| text(value).unwrap_or_else(|| UNKNOWN.to_string());
        let inner: Variables = given.map(|(name, given)| (name.clone(), value(given))).collect();
        let name = match name.strip_prefix(':') {
            Some(name) => name.to_owned(),
            None => format!("{}{name}", file.prefix),
        };
        self.named_task(called, &name, &inner)
    }

    /// Sets variables; what a command prints is one. Returns their names.
    fn task_variables(&mut self, variables: &Json, scope: &mut Scope, run: Run<'_>) -> Vec<String> {
        let mut names = Vec::new();
        for (name, value) in variables.as_object().into_iter().flatten() {
            let value = match (value, value.get("sh").and_then(Json::as_str)) {
                (Json::String(value), _) => written(value, scope),
                (Json::Bool(value), _) => value.to_string(),
                (Json::Null, _) => String::new(),
                (_, Some(command)) => {
                    self.task_text(command, scope, run);
                    let command = shell_text(&written(command, scope));
                    format!("{}{command}{}", SHELL[0], SHELL[1])
                }
                _ => UNKNOWN.to_string(),
            };
            scope.variables.insert(name.clone(), value);
            names.push(name.clone());
        }
        names
    }

    fn task_text(&mut self, text: &str, scope: &Scope, run: Run<'_>) {
        let mut recipe = Recipe::new(shell_text(&written(text, scope)), &scope.place);
        recipe.environment.clone_from(&scope.environment);
        self.recipe(recipe, run.by);
    }
}

/// What a plain word in a list is.
#[derive(Clone, Copy)]
enum Is {
    Command,
    Task,
}

/// Returns the task of a name or another name of it: its file, its own name there, and what it does.
fn found<'f>(files: &'f [Taskfile], name: &str) -> Option<(&'f Taskfile, &'f str, &'f Json)> {
    let name = name.strip_prefix(':').unwrap_or(name);
    for file in files {
        let Some(tasks) = file.whole.get("tasks").and_then(Json::as_object) else { continue };
        // `docs` is the default task of what is included under that name.
        let own = match name.strip_prefix(&file.prefix) {
            Some(own) => own,
            None if file.prefix.strip_suffix(':') == Some(name) => "default",
            None => continue,
        };
        if let Some((key, task)) = tasks.get_key_value(own) {
            return Some((file, key, task));
        }
        let is_meant = |(key, task): &(&String, &Json)| {
            let aliases = task.get("aliases").and_then(Json::as_array);
            aliases.into_iter().flatten().any(|alias| alias.as_str() == Some(own))
                || (key.contains('*') && glob_match(key.as_str(), own))
        };
        if let Some((key, task)) = tasks.iter().find(is_meant) {
            return Some((file, key, task));
        }
    }
    None
}

/// What is known in each turn of a `for` loop; one turn if there is none.
fn turns(command: &Json, scope: &Scope) -> Vec<Scope> {
    let Some(over) = command.get("for") else { return vec![scope.clone()] };
    let name = over.get("as").and_then(Json::as_str).unwrap_or("ITEM");
    let items: Vec<String> = match over {
        Json::Array(items) if items.len() <= TURNS => {
            let text = |item: &Json| item.as_str().map(|item| written(item, scope));
            items.iter().map(|item| text(item).unwrap_or_else(|| UNKNOWN.to_string())).collect()
        }
        _ => {
            let variable = over.get("var").and_then(Json::as_str);
            let value = variable.and_then(|variable| scope.variables.get(variable));
            match (value.filter(|value| !is_open(value)), over.get("split").map(Json::as_str)) {
                (Some(value), None) => value.split_whitespace().map(str::to_owned).collect(),
                (Some(value), Some(Some(end))) => value.split(end).map(str::to_owned).collect(),
                _ => vec![UNKNOWN.to_string()],
            }
        }
    };
    let turn = |item: String| {
        let mut scope = scope.clone();
        scope.variables.insert(name.to_owned(), item);
        scope
    };
    items.into_iter().take(TURNS).map(turn).collect()
}

/// Writes out `{{.NAME}}`.
fn written(text: &str, scope: &Scope) -> String {
    rendered(text, &|name| scope.variables.get(name).cloned())
}
