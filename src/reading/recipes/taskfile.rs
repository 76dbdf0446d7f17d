//! Taskfiles: tasks with their variables, those that run before them, and files that they include (taskfile.dev).

use std::collections::HashMap;
use std::rc::Rc;

use fast_glob::glob_match;
use serde_json::Value as Json;

use super::super::state::Value;
use super::super::walk::Walker;
use super::marks::{SHELL, UNKNOWN, is_open, shell_text};
use super::{Recipe, Run, below, upward, with_words, yaml};
use crate::model::{Arg, Runner};

/// What is looked for in a directory and all above it, in this order.
const NAMES: [&str; 8] = [
    "Taskfile.yml",
    "taskfile.yml",
    "Taskfile.yaml",
    "taskfile.yaml",
    "Taskfile.dist.yml",
    "taskfile.dist.yml",
    "Taskfile.dist.yaml",
    "taskfile.dist.yaml",
];
/// Included files beyond this are not read.
const FILES: usize = 24;
/// The longest text that is written out.
const LONGEST: usize = 64 << 10;
/// Turns of one loop beyond this are not read.
const TURNS: usize = 64;

/// A file with tasks, and under which name another includes it.
#[derive(Debug)]
struct Taskfile {
    path: String,
    /// The directory that the file is in, and the one that its tasks run in.
    home: String,
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
    variables: HashMap<String, String>,
    environment: Vec<(String, Value)>,
}

/// The words of the line, for all tasks that it names.
struct Called<'a> {
    files: Rc<[Taskfile]>,
    directory: &'a str,
    /// What the runner gets, which counts for less than all that the files say.
    environment: HashMap<String, String>,
    /// `NAME=VALUE`.
    variables: Vec<(String, String)>,
    /// What stands behind `--`.
    words: Vec<Arg>,
    run: Run<'a>,
    only_prints: bool,
}

impl Walker<'_> {
    /// Plans the tasks that are named, or the default one. Returns whether all of them were found and read.
    pub(super) fn taskfile(
        &mut self,
        directory: &str,
        name: Option<&str>,
        words: &[Arg],
        run: Run<'_>,
    ) -> bool {
        if self.gives(run.index, &["-t", "-g"]) {
            return false;
        }
        let task = name.unwrap_or("default");
        let Some(files) = self.taskfiles(directory, task, run) else { return false };
        let first = name.map(|name| Arg::Known(name.to_owned()));
        let mut rest: Vec<Arg> = first.into_iter().chain(words.to_vec()).collect();
        let end = rest.iter().position(|word| word.known() == Some("--"));
        let words = end.map(|end| rest.split_off(end)).unwrap_or_default();
        let mut called = Called {
            files,
            directory,
            environment: self.marked_environment_of(run.index),
            variables: Vec::new(),
            words: words.get(1..).unwrap_or_default().to_vec(),
            run,
            only_prints: self.only_prints(Runner::Task, run),
        };
        let mut names = Vec::new();
        for word in &rest {
            match word.known() {
                Some(option) if option.starts_with('-') => {}
                Some(word) => match word.split_once('=') {
                    Some((name, value)) => {
                        called.variables.push((name.to_owned(), value.to_owned()));
                    }
                    None => names.push(word.to_owned()),
                },
                None => return false,
            }
        }
        if names.is_empty() {
            names.push("default".to_owned());
        }
        let scope = Scope::default();
        names.iter().fold(true, |is_read, name| is_read & self.named_task(&called, name, &scope))
    }

    /// Returns the nearest file with tasks, and all that it includes; none if one of them is not read.
    fn taskfiles(&mut self, directory: &str, task: &str, run: Run<'_>) -> Option<Rc<[Taskfile]>> {
        let mut found: Option<(String, String)> = None;
        for above in upward(directory) {
            for name in NAMES {
                let path = below(above, name);
                if found.is_none() && self.scripts.exists(&path) {
                    found = Some((path, above.to_owned()));
                }
            }
            if found.is_some() {
                break;
            }
        }
        let (path, home) = found?;
        let mut files = Vec::new();
        let root = Included { path, place: home, prefix: String::new(), given: None };
        self.include(root, task, run, &mut files)?;
        Some(files.into())
    }

    fn include(
        &mut self,
        file: Included,
        task: &str,
        run: Run<'_>,
        files: &mut Vec<Taskfile>,
    ) -> Option<()> {
        let Included { path, place, prefix, given } = file;
        if files.len() >= FILES {
            return None;
        }
        let text = self.recipe_file(&path, task, run)?;
        let whole = yaml::parse(&text).filter(|_| !text.contains([UNKNOWN, SHELL[0], SHELL[1]]))?;
        let home = path.rsplit_once('/').map_or("/", |(home, _)| home).to_owned();
        let includes: Vec<(String, Json)> = match whole.get("includes") {
            Some(Json::Object(all)) => {
                all.iter().map(|(name, one)| (name.clone(), one.clone())).collect()
            }
            Some(_) => return None,
            None => Vec::new(),
        };
        files.push(Taskfile {
            path,
            home: home.clone(),
            place: place.clone(),
            prefix: prefix.clone(),
            whole,
            given,
        });
        for (name, one) in includes {
            let of = |key: &str| one.get(key).and_then(Json::as_str);
            let target = one.as_str().or_else(|| of("taskfile"))?;
            let path = below(&home, target);
            // A name that is put together, or a file of another machine.
            if target.contains("{{") || target.contains("://") || target.contains(".git") {
                return None;
            }
            let mut inside = NAMES.iter().map(|name| below(&path, name));
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
            self.include(Included { path, place, prefix, given }, task, run, files)?;
        }
        Some(())
    }

    /// Plans a task by the name that it has in the whole.
    fn named_task(&mut self, called: &Called<'_>, name: &str, outer: &Scope) -> bool {
        let files = Rc::clone(&called.files);
        let Some((file, own, task)) = found(&files, name) else { return false };
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
        outer: &Scope,
    ) -> bool {
        let variables = called.environment.clone();
        let mut scope = Scope { variables, ..Scope::default() };
        for (key, value) in [
            ("TASK", name),
            ("ROOT_DIR", called.files[0].home.as_str()),
            ("TASKFILE_DIR", &file.home),
            ("TASKFILE", &file.path),
            ("USER_WORKING_DIR", called.directory),
        ] {
            scope.variables.insert(key.to_owned(), value.to_owned());
        }
        let quoted = with_words("", &called.words);
        let is_known = called.words.iter().all(|word| word.known().is_some());
        let words = if is_known { quoted.trim_start().to_owned() } else { UNKNOWN.to_string() };
        scope.variables.insert("CLI_ARGS".to_owned(), words);
        let root = &called.files[0].whole;
        let outermost = (file.path != called.files[0].path).then_some(root);
        let of_root = |key: &str| outermost.and_then(|root| root.get(key));
        let sources = [of_root("vars"), file.whole.get("vars"), file.given.as_ref()];
        let place = file.place.clone();
        for variables in sources.into_iter().flatten() {
            self.task_variables(variables, &place, &mut scope, called.run);
        }
        scope.variables.extend(outer.variables.clone());
        scope.variables.extend(called.variables.iter().cloned());
        let place = match task.get("dir").and_then(Json::as_str).map(|dir| written(dir, &scope)) {
            Some(dir) if is_open(&dir) => return false,
            Some(dir) => below(&place, &dir),
            None => place,
        };
        if let Some(variables) = task.get("vars") {
            self.task_variables(variables, &place, &mut scope, called.run);
            // The line, and who calls it, count for more.
            scope.variables.extend(outer.variables.clone());
            scope.variables.extend(called.variables.iter().cloned());
        }
        for source in [of_root("env"), file.whole.get("env"), task.get("env")] {
            let mut environment = Scope { variables: scope.variables.clone(), ..Scope::default() };
            let Some(source) = source else { continue };
            let names = self.task_variables(source, &place, &mut environment, called.run);
            for name in names {
                let value = match environment.variables.get(&name) {
                    Some(value) if !is_open(value) => Value::Word(Arg::Known(value.clone())),
                    _ => Value::Unknown,
                };
                scope.environment.push((name, value));
            }
        }
        let mut is_read =
            self.task_commands(called, file, &place, task.get("deps"), Is::Task, &scope);
        for (key, field) in [("preconditions", "sh"), ("status", "")] {
            for one in task.get(key).and_then(Json::as_array).into_iter().flatten() {
                let text = one.as_str().or_else(|| one.get(field).and_then(Json::as_str));
                if let Some(text) = text {
                    self.task_text(text, &place, &scope, called.run);
                }
            }
        }
        let commands = match task {
            Json::String(_) | Json::Array(_) => Some(task),
            _ => task.get("cmds").or_else(|| task.get("cmd")),
        };
        is_read &= self.task_commands(called, file, &place, commands, Is::Command, &scope);
        is_read
    }

    /// Plans a list of commands or of tasks. Returns whether all of them are read.
    fn task_commands(
        &mut self,
        called: &Called<'_>,
        file: &Taskfile,
        place: &str,
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
                is_read &= match (command, plain) {
                    (Json::String(text), Is::Command) => {
                        if !called.only_prints {
                            self.task_text(text, place, &scope, called.run);
                        }
                        true
                    }
                    (Json::String(name), Is::Task) => {
                        self.other_task(called, file, name, None, &scope)
                    }
                    (Json::Object(one), _) => {
                        if let Some(name) = one.get("task").and_then(Json::as_str) {
                            self.other_task(called, file, name, one.get("vars"), &scope)
                        } else {
                            let inner = one.get("cmd").or_else(|| one.get("defer"));
                            inner.is_some()
                                && self.task_commands(
                                    called,
                                    file,
                                    place,
                                    inner,
                                    Is::Command,
                                    &scope,
                                )
                        }
                    }
                    _ => false,
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
        let mut inner = Scope::default();
        for (key, value) in given.and_then(Json::as_object).into_iter().flatten() {
            let value = value.as_str().map_or_else(|| UNKNOWN.to_string(), |it| written(it, scope));
            inner.variables.insert(key.clone(), value);
        }
        let name = match name.strip_prefix(':') {
            Some(name) => name.to_owned(),
            None => format!("{}{name}", file.prefix),
        };
        self.named_task(called, &name, &inner)
    }

    /// Sets variables; what a command prints is one. Returns their names.
    fn task_variables(
        &mut self,
        variables: &Json,
        place: &str,
        scope: &mut Scope,
        run: Run<'_>,
    ) -> Vec<String> {
        let mut names = Vec::new();
        for (name, value) in variables.as_object().into_iter().flatten() {
            let value = match (value, value.get("sh").and_then(Json::as_str)) {
                (Json::String(value), _) => written(value, scope),
                (Json::Bool(value), _) => value.to_string(),
                (Json::Null, _) => String::new(),
                (_, Some(command)) => {
                    self.task_text(command, place, scope, run);
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

    fn task_text(&mut self, text: &str, place: &str, scope: &Scope, run: Run<'_>) {
        let mut recipe = Recipe::new(shell_text(&written(text, scope)), place);
        recipe.environment.clone_from(&scope.environment);
        self.recipe(recipe, run);
    }
}

/// What a plain word in a list is.
#[derive(Clone, Copy)]
enum Is {
    Command,
    Task,
}

/// A file that another includes.
struct Included {
    path: String,
    place: String,
    prefix: String,
    given: Option<Json>,
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
            match value.filter(|value| !is_open(value) && over.get("split").is_none()) {
                Some(value) => value.split_whitespace().take(TURNS).map(str::to_owned).collect(),
                None => vec![UNKNOWN.to_string()],
            }
        }
    };
    let turn = |item: String| {
        let mut scope = scope.clone();
        scope.variables.insert(name.to_owned(), item);
        scope
    };
    items.into_iter().map(turn).collect()
}

/// Writes out `{{.NAME}}`, and for all else that stands between such brackets a mark.
fn written(text: &str, scope: &Scope) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find("}}") else {
            out.push(UNKNOWN);
            return out;
        };
        let inner = rest[at + 2..at + end].trim_start_matches('-').trim_end_matches('-').trim();
        let value = inner.strip_prefix('.').and_then(|name| scope.variables.get(name));
        match value {
            Some(value) if out.len() + value.len() <= LONGEST => out.push_str(value),
            _ => out.push(UNKNOWN),
        }
        rest = &rest[at + end + 2..];
    }
    out.push_str(rest);
    out
}
