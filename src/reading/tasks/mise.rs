//! Tasks of mise: tables of its settings, and files that are tasks.

use std::collections::HashMap;

use toml::{Table, Value as Toml};

use super::super::state::Value;
use super::super::walk::Walker;
use super::{Recipe, Run, holding};
use crate::model::Arg;
use crate::recipes::marks::{filled, is_open, shell_text};
use crate::recipes::names::{MISE_SETTINGS, MISE_TASKS};
use crate::recipes::{below, upward, with_words};

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
    pub(super) fn mise(&mut self, words: &[Arg], run: Run<'_>) -> bool {
        let settings = self.mise_settings(run);
        let mut is_read = true;
        let mut rest = vec![Arg::Known(run.task.to_owned())];
        rest.extend_from_slice(words);
        for one in rest.split(|word| word.known() == Some(":::")) {
            let Some((Arg::Known(name), words)) = one.split_first() else { return false };
            let words = words.strip_prefix(&[Arg::Known("--".to_owned())]).unwrap_or(words);
            is_read &= self.mise_task(&settings, name, words, run);
        }
        is_read
    }

    fn mise_settings(&mut self, run: Run<'_>) -> Vec<Settings> {
        let own = upward(run.directory);
        let own =
            own.flat_map(|root| MISE_SETTINGS.iter().map(move |name| (root, below(root, name))));
        let facts = self.facts;
        let home = facts.home.as_deref();
        let home = home.map(|home| (run.directory, below(home, ".config/mise/config.toml")));
        let given = self.environment_of(run.by.index);
        let read = |(root, path): (&str, String)| {
            let whole = self.recipe_file(&path, run)?.parse().ok()?;
            Some(Settings { path, root: root.to_owned(), whole, environment: given.clone() })
        };
        own.chain(home).filter_map(read).collect()
    }

    fn mise_task(
        &mut self,
        settings: &[Settings],
        name: &str,
        words: &[Arg],
        run: Run<'_>,
    ) -> bool {
        for file in settings {
            let Some(tasks) = file.whole.get("tasks").and_then(Toml::as_table) else { continue };
            let Some((name, task)) = named(tasks, name) else { continue };
            let mut is_read = true;
            self.within(&file.path, name, |walker| {
                is_read = walker.mise_table(settings, file, task, words, run);
            });
            return is_read;
        }
        let name = name.replace(':', "/");
        for root in upward(run.directory) {
            for place in MISE_TASKS {
                for ending in ENDINGS {
                    let path = below(root, &format!("{place}/{name}{ending}"));
                    if name.contains("..") || !self.scripts.exists(&path) {
                        continue;
                    }
                    let text = with_words(&shell_words::quote(&path), words);
                    self.within(&path, "", |walker| {
                        walker.recipe(Recipe::new(text, root), run.by);
                    });
                    return true;
                }
            }
        }
        false
    }

    fn mise_table(
        &mut self,
        settings: &[Settings],
        file: &Settings,
        task: &Toml,
        words: &[Arg],
        run: Run<'_>,
    ) -> bool {
        if !matches!(task, Toml::Table(_) | Toml::String(_) | Toml::Array(_)) {
            return false;
        }
        let table = task.as_table();
        let of = |key: &str| table.and_then(|table| table.get(key));
        let mut is_read = self.mise_others(settings, file, of("depends"), run);
        let shell = of("shell").and_then(Toml::as_str).unwrap_or("sh");
        let shell = shell.split_whitespace().next().unwrap_or_default();
        let shell = shell.rsplit('/').next().unwrap_or_default();
        if !matches!(shell, "sh" | "bash" | "zsh" | "dash") {
            return false;
        }
        let place = match of("dir").and_then(Toml::as_str) {
            Some(place) => match template(place, file, run) {
                place if is_open(&place) => return false,
                place => below(&file.root, &place),
            },
            None => file.root.clone(),
        };
        let mut environment = Vec::new();
        for variables in [file.whole.get("env"), of("env")].into_iter().flatten() {
            for (name, value) in variables.as_table().into_iter().flatten() {
                let value = match value {
                    Toml::String(value) if !value.contains("{{") => holding(value),
                    Toml::Integer(value) => holding(value.to_string()),
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
                is_read &= self.mise_others(settings, file, Some(command), run);
                continue;
            };
            let text = shell_text(&template(text, file, run));
            let is_last = at + 1 == commands.len();
            let text = if is_last { with_words(text.trim_end(), words) } else { text };
            let mut recipe = Recipe::new(text, &place);
            recipe.environment.clone_from(&environment);
            recipe.environment.extend(super::given_variables(&recipe.text, "usage_"));
            self.recipe(recipe, run.by);
        }
        if let Some(path) = of("file").and_then(Toml::as_str) {
            if path.contains("://") {
                return false;
            }
            let text = shell_words::quote(&below(&file.root, path)).into_owned();
            self.recipe(Recipe::new(with_words(&text, words), &place), run.by);
        }
        is_read & self.mise_others(settings, file, of("depends_post"), run)
    }

    /// Plans the tasks that a value names: one, a list, or tables with `task` or `tasks`.
    fn mise_others(
        &mut self,
        settings: &[Settings],
        file: &Settings,
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
                    return self.mise_task(settings, name, &words, run);
                }
                let tasks = file.whole.get("tasks").and_then(Toml::as_table).into_iter().flatten();
                let fitting = tasks.filter(|(task, _)| fast_glob::glob_match(name, task.as_str()));
                let fitting: Vec<String> =
                    fitting.map(|(task, _)| task.clone()).take(MATCHES).collect();
                fitting.iter().all(|task| self.mise_task(settings, task, &words, run))
            }
            Some(Toml::Array(all)) => all.iter().fold(true, |is_read, one| {
                // A list in the list is a task with its words.
                let one = one.as_array().and_then(|call| call.first()).unwrap_or(one);
                is_read & self.mise_others(settings, file, Some(one), run)
            }),
            Some(Toml::Table(table)) => ["task", "tasks"].iter().fold(true, |is_read, key| {
                is_read & self.mise_others(settings, file, table.get(*key), run)
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

/// Writes out places and variables that are known. What stands between `{%` and `%}` decides over the rest.
fn template(text: &str, file: &Settings, run: Run<'_>) -> String {
    filled(text, |name| match name {
        "config_root" => Some(file.root.as_str()),
        "cwd" => Some(run.directory),
        name => file.environment.get(name.strip_prefix("env.")?).map(String::as_str),
    })
}
