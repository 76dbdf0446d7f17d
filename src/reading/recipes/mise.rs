//! Tasks of mise: tables of its settings, and files that are tasks.

use std::collections::HashMap;
use std::rc::Rc;

use toml::{Table, Value as Toml};

use super::super::state::Value;
use super::super::walk::Walker;
use super::marks::{UNKNOWN, is_open, shell_text};
use super::{Recipe, Run, below, upward, with_words};
use crate::model::Arg;

/// Files with settings, those that count for more first.
const SETTINGS: [&str; 8] = [
    "mise.local.toml",
    ".mise.local.toml",
    "mise.toml",
    ".mise.toml",
    "mise/config.toml",
    ".mise/config.toml",
    ".config/mise.toml",
    ".config/mise/config.toml",
];

/// Directories with files that are tasks.
const FILES: [&str; 5] =
    ["mise-tasks", ".mise-tasks", "mise/tasks", ".mise/tasks", ".config/mise/tasks"];

/// What the name of such a file may end in.
const ENDINGS: [&str; 5] = ["", ".sh", ".bash", ".py", ".js"];

/// How many tasks a pattern among those that run first stands for at most.
const MATCHES: usize = 64;

/// A file with settings, and the directory that it is for.
struct Settings {
    path: String,
    root: String,
    whole: Table,
    /// The environment that the runner gets.
    environment: HashMap<String, String>,
}

impl Walker<'_> {
    /// Plans the tasks that are named. Returns whether all of them were found and read.
    pub(super) fn mise(
        &mut self,
        directory: &str,
        name: Option<&str>,
        words: &[Arg],
        run: Run<'_>,
    ) -> bool {
        let Some(name) = name else { return false };
        let settings = self.mise_settings(directory, name, run);
        let mut is_read = true;
        let mut rest: Vec<Arg> = std::iter::once(Arg::Known(name.to_owned())).collect();
        rest.extend_from_slice(words);
        for one in rest.split(|word| word.known() == Some(":::")) {
            let Some((Arg::Known(name), words)) = one.split_first() else { return false };
            let words = words.strip_prefix(&[Arg::Known("--".to_owned())]).unwrap_or(words);
            is_read &= self.mise_task(&settings, directory, name, words, run);
        }
        is_read
    }

    fn mise_settings(&mut self, directory: &str, task: &str, run: Run<'_>) -> Rc<[Settings]> {
        let mut found = Vec::new();
        let above: Vec<String> = upward(directory).map(str::to_owned).collect();
        for root in above {
            for name in SETTINGS {
                self.mise_file(&below(&root, name), &root, task, run, &mut found);
            }
        }
        if let Some(home) = self.facts.home.clone() {
            let path = below(&home, ".config/mise/config.toml");
            self.mise_file(&path, directory, task, run, &mut found);
        }
        found.into()
    }

    fn mise_file(
        &mut self,
        path: &str,
        root: &str,
        task: &str,
        run: Run<'_>,
        found: &mut Vec<Settings>,
    ) {
        let Some(text) = self.recipe_file(path, task, run) else { return };
        if let Ok(whole) = text.parse::<Table>() {
            let environment = self.marked_environment_of(run.index);
            let (path, root) = (path.to_owned(), root.to_owned());
            found.push(Settings { path, root, whole, environment });
        }
    }

    fn mise_task(
        &mut self,
        settings: &Rc<[Settings]>,
        directory: &str,
        name: &str,
        words: &[Arg],
        run: Run<'_>,
    ) -> bool {
        for file in settings.iter() {
            let Some(tasks) = file.whole.get("tasks").and_then(Toml::as_table) else { continue };
            let Some((name, task)) = named(tasks, name) else { continue };
            let mut is_read = true;
            self.within(&file.path, name, |walker| {
                is_read = walker.mise_table(settings, file, directory, task, words, run);
            });
            return is_read;
        }
        let name = name.replace(':', "/");
        for root in upward(directory).map(str::to_owned).collect::<Vec<_>>() {
            for place in FILES {
                for ending in ENDINGS {
                    let path = below(&root, &format!("{place}/{name}{ending}"));
                    if name.contains("..") || !self.scripts.exists(&path) {
                        continue;
                    }
                    let text = with_words(&shell_words::quote(&path), words);
                    self.within(&path, "", |walker| {
                        walker.recipe(Recipe::new(text, &root), run);
                    });
                    return true;
                }
            }
        }
        false
    }

    fn mise_table(
        &mut self,
        settings: &Rc<[Settings]>,
        file: &Settings,
        directory: &str,
        task: &Toml,
        words: &[Arg],
        run: Run<'_>,
    ) -> bool {
        if !matches!(task, Toml::Table(_) | Toml::String(_) | Toml::Array(_)) {
            return false;
        }
        let table = task.as_table();
        let of = |key: &str| table.and_then(|table| table.get(key));
        let mut is_read = self.mise_others(settings, file, directory, of("depends"), run);
        let shell = of("shell").and_then(Toml::as_str).unwrap_or("sh");
        let shell = shell.split_whitespace().next().unwrap_or_default();
        let shell = shell.rsplit('/').next().unwrap_or_default();
        if !matches!(shell, "sh" | "bash" | "zsh" | "dash") {
            return false;
        }
        let place = match of("dir").and_then(Toml::as_str) {
            Some(place) => match template(place, file, directory) {
                place if is_open(&place) => return false,
                place => below(&file.root, &place),
            },
            None => file.root.clone(),
        };
        let mut environment = Vec::new();
        for variables in [file.whole.get("env"), of("env")].into_iter().flatten() {
            for (name, value) in variables.as_table().into_iter().flatten() {
                let value = match value {
                    Toml::String(value) if !value.contains("{{") => {
                        Value::Word(Arg::Known(value.clone()))
                    }
                    Toml::Integer(value) => Value::Word(Arg::Known(value.to_string())),
                    _ => Value::Unknown,
                };
                environment.push((name.clone(), value));
            }
        }
        let commands = match (of("run"), task) {
            (Some(Toml::Array(all)), _) | (None, Toml::Array(all)) => all.as_slice(),
            (Some(one), _) | (None, one @ Toml::String(_)) => std::slice::from_ref(one),
            (None, _) => &[],
        };
        for (at, command) in commands.iter().enumerate() {
            let Some(text) = command.as_str() else {
                is_read &= self.mise_others(settings, file, directory, Some(command), run);
                continue;
            };
            let text = shell_text(&template(text, file, directory));
            let is_last = at + 1 == commands.len();
            let text = if is_last { with_words(text.trim_end(), words) } else { text };
            let mut recipe = Recipe::new(text, &place);
            recipe.environment.clone_from(&environment);
            recipe.environment.extend(super::given_variables(&recipe.text, "usage_"));
            self.recipe(recipe, run);
        }
        if let Some(path) = of("file").and_then(Toml::as_str) {
            if path.contains("://") {
                return false;
            }
            let text = shell_words::quote(&below(&file.root, path)).into_owned();
            self.recipe(Recipe::new(with_words(&text, words), &place), run);
        }
        is_read & self.mise_others(settings, file, directory, of("depends_post"), run)
    }

    /// Plans the tasks that a value names: one, a list, or tables with `task` or `tasks`.
    fn mise_others(
        &mut self,
        settings: &Rc<[Settings]>,
        file: &Settings,
        directory: &str,
        names: Option<&Toml>,
        run: Run<'_>,
    ) -> bool {
        match names {
            None => true,
            Some(Toml::String(one)) => {
                let mut words = one.split_whitespace();
                let name = words.next().unwrap_or_default();
                let words: Vec<Arg> = words.map(|word| Arg::Known(word.to_owned())).collect();
                if !name.contains(['*', '?', '{']) {
                    return self.mise_task(settings, directory, name, &words, run);
                }
                let tasks = file.whole.get("tasks").and_then(Toml::as_table).into_iter().flatten();
                let fitting = tasks.filter(|(task, _)| fast_glob::glob_match(name, task.as_str()));
                let fitting: Vec<String> =
                    fitting.map(|(task, _)| task.clone()).take(MATCHES).collect();
                fitting.iter().all(|task| self.mise_task(settings, directory, task, &words, run))
            }
            Some(Toml::Array(all)) => all.iter().fold(true, |is_read, one| {
                // A list in the list is a task with its words.
                let one = one.as_array().and_then(|call| call.first()).unwrap_or(one);
                is_read & self.mise_others(settings, file, directory, Some(one), run)
            }),
            Some(Toml::Table(table)) => ["task", "tasks"].iter().fold(true, |is_read, key| {
                is_read & self.mise_others(settings, file, directory, table.get(*key), run)
            }),
            Some(_) => false,
        }
    }
}

/// Returns the task of a name or another name of it.
fn named<'t>(tasks: &'t Table, name: &str) -> Option<(&'t str, &'t Toml)> {
    if let Some((key, task)) = tasks.get_key_value(name) {
        return Some((key, task));
    }
    let is_alias = |task: &&Toml| match task.get("alias") {
        Some(Toml::String(alias)) => alias == name,
        Some(Toml::Array(all)) => all.iter().any(|alias| alias.as_str() == Some(name)),
        _ => false,
    };
    tasks.iter().find(|(_, task)| is_alias(task)).map(|(key, task)| (key.as_str(), task))
}

/// Writes out `{{…}}`: places that are known, and for all else a mark.
fn template(text: &str, file: &Settings, directory: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find("}}") else { break };
        match rest[at + 2..at + end].trim() {
            "config_root" => out.push_str(&file.root),
            "cwd" => out.push_str(directory),
            inner => {
                let name = inner.strip_prefix("env.");
                match name.and_then(|name| file.environment.get(name)) {
                    Some(value) => out.push_str(value),
                    None => out.push(UNKNOWN),
                }
            }
        }
        rest = &rest[at + end + 2..];
    }
    // What stands between `{%` and `%}` decides over the rest.
    out.push_str(rest);
    out
}
