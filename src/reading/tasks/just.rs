//! Tasks of justfiles.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::walk::Walker;
use super::{Recipe, Run, holding};
use crate::model::Arg;
use crate::recipes::justfile::{
    ENVIRONMENT, FILES, File, Justfile, commands, commands_in, evaluate, interpolate,
    interpolations, text_of,
};
use crate::recipes::marks::is_open;
use crate::recipes::names::JUSTFILES;
use crate::recipes::{below, directory_of};

impl Walker<'_> {
    /// Plans the recipes that are named, or the first. Returns whether all of them were found and read.
    pub(super) fn just(&mut self, name: Option<&str>, words: &[Arg], run: Run<'_>) -> bool {
        if self.gives(run.by.index, &["-f", "-d", "--working-directory"]) {
            return false;
        }
        let Some((path, Some(text))) = self.nearest(JUSTFILES, run) else { return false };
        let named = name.map(|name| Arg::Known(name.to_owned()));
        let set = self.set_by_options(run.by.index);
        let given: Vec<&Arg> = named.iter().chain(words).chain(&set).collect();
        let file = self.whole_justfile(&path, text, &given, run);
        if self.gives(run.by.index, &["--evaluate"]) {
            return !file.justfile.is_strange;
        }
        let first = name.map(str::to_owned).or_else(|| file.justfile.first.clone());
        let Some(name) = first.filter(|_| !file.justfile.is_strange) else { return false };
        let mut rest: Vec<Arg> = std::iter::once(Arg::Known(name)).chain(words.to_vec()).collect();
        // Behind a recipe's own words stands the next recipe.
        while let Some((name, words)) = rest.split_first() {
            let Some(name) = name.known().map(str::to_owned) else { return false };
            if name.contains('=') || name.starts_with('-') {
                rest.remove(0);
                continue;
            }
            let Some((file, own, taken)) = self.just_module(&file, &name, words, run) else {
                return false;
            };
            let Some(recipe) = file.justfile.recipe(&own) else { return false };
            let words = &words[taken..];
            let most = match recipe.parameters.last() {
                Some(last) if last.takes_all => words.len(),
                _ => recipe.parameters.len().min(words.len()),
            };
            if !self.just_recipe(&file, &own, &words[..most], run) {
                return false;
            }
            rest.drain(..=most + taken);
        }
        true
    }

    /// Returns what `--set NAME VALUE` sets, as `NAME=VALUE`.
    fn set_by_options(&self, index: usize) -> Vec<Arg> {
        let command = &self.plan.commands[index];
        let words = command.interpretation.given(&["--set"]).map(|option| {
            let words = command.argv.get(option.index + 1..option.end).unwrap_or_default();
            words.iter().map(Arg::known).collect::<Option<Vec<&str>>>()
        });
        words.map(|words| words.map_or(Arg::Unknown, |words| Arg::Known(words.join("=")))).collect()
    }

    /// Reads a file with recipes, and all that it imports, with the variables that words of the line set. The commands in its values
    /// run whatever recipe is named.
    fn whole_justfile(
        &mut self,
        path: &str,
        text: Rc<str>,
        words: &[&Arg],
        run: Run<'_>,
    ) -> Rc<File> {
        let mut justfile = Justfile::default();
        let mut texts = vec![(path.to_owned(), text)];
        let mut count = 0;
        while let Some((from, text)) = texts.pop() {
            count += 1;
            justfile.read(&text);
            for import in std::mem::take(&mut justfile.imports) {
                let path = below(directory_of(&from), &import);
                // Where a name is put together, nothing says what it is.
                justfile.is_strange |= count >= FILES || import.contains("{{");
                if let Some(text) = self.recipe_file(&path, run).filter(|_| count < FILES) {
                    texts.push((path, text));
                }
            }
        }
        justfile.set_on_line(words);
        for (_, value, _) in &justfile.variables {
            self.commands_of(value, path, run);
        }
        Rc::new(File { path: path.to_owned(), justfile })
    }

    /// Returns the file that holds a recipe, its own name there, and how many words behind it are of its name: `just MODULE
    /// RECIPE`, `just MODULE::RECIPE`.
    fn just_module(
        &mut self,
        file: &Rc<File>,
        name: &str,
        words: &[Arg],
        run: Run<'_>,
    ) -> Option<(Rc<File>, String, usize)> {
        let run = Run { task: name, ..run };
        let mut file = Rc::clone(file);
        let mut parts: Vec<&str> = name.split("::").collect();
        parts.reverse();
        let mut taken = 0;
        for _ in 0..FILES {
            let part = parts.pop()?;
            if parts.is_empty() && file.justfile.recipe(part).is_some() {
                return Some((file, part.to_owned(), taken));
            }
            let named = file.justfile.modules.get(part)?.as_deref();
            let path = self.just_module_file(directory_of(&file.path), part, named)?;
            let text = self.recipe_file(&path, run)?;
            file = self.whole_justfile(&path, text, &[], run);
            if file.justfile.is_strange {
                return None;
            }
            if parts.is_empty() {
                let next = words.get(taken).and_then(Arg::known);
                let Some(next) = next else {
                    let first = file.justfile.first.clone()?;
                    return Some((file, first, taken));
                };
                parts.push(next);
                taken += 1;
            }
        }
        None
    }

    fn just_module_file(&self, home: &str, name: &str, named: Option<&str>) -> Option<String> {
        let ends: &[&str] = match named {
            Some(_) => &["", "/mod.just", "/justfile", "/.justfile"],
            None => &[".just", "/mod.just", "/justfile", "/.justfile"],
        };
        let path = |end: &&str| below(home, &format!("{}{end}", named.unwrap_or(name)));
        let is_directory = |path: &str| {
            let mut inside = ["mod.just", "justfile", ".justfile"].iter();
            inside.any(|name| self.scripts.exists(&below(path, name)))
        };
        ends.iter().map(path).find(|path| self.scripts.exists(path) && !is_directory(path))
    }

    /// Plans what an expression in a file runs.
    fn commands_of(&mut self, expression: &str, file: &str, run: Run<'_>) {
        for command in commands_in(expression) {
            self.recipe(Recipe::new(command, directory_of(file)), run.by);
        }
    }

    /// Plans a recipe and those that it depends on. Returns whether all of them were read.
    fn just_recipe(&mut self, file: &Rc<File>, name: &str, words: &[Arg], run: Run<'_>) -> bool {
        let File { path, justfile } = &**file;
        let home = directory_of(path);
        let Some(recipe) = justfile.recipe(name) else { return false };
        let mut is_read = true;
        let given = self.environment_of(run.by.index).into_iter();
        let mut variables: HashMap<String, String> =
            given.map(|(name, value)| (format!("{ENVIRONMENT}{name}"), value)).collect();
        let mut environment = Vec::new();
        let mut set =
            |variables: &mut HashMap<String, String>, name: &str, value: String, exported| {
                if exported && !is_open(&value) {
                    environment.push((name.to_owned(), holding(&value)));
                }
                variables.insert(name.to_owned(), value);
            };
        for (variable, expression, exported) in &justfile.variables {
            let value = evaluate(expression, &variables, home);
            set(&mut variables, variable, value, *exported || justfile.exports_all);
        }
        let mut left = words.iter();
        for parameter in &recipe.parameters {
            let most = if parameter.takes_all { usize::MAX } else { 1 };
            let mut value = left.by_ref().take(most).map(text_of).collect::<Vec<_>>().join(" ");
            if let Some(default) = parameter.default.as_ref().filter(|_| value.is_empty()) {
                self.commands_of(default, path, run);
                value = evaluate(default, &variables, home);
            }
            set(&mut variables, &parameter.name, value, parameter.exported);
        }
        self.within(path, name, |walker| {
            for (other, words) in &recipe.dependencies {
                let words: Vec<Arg> = words
                    .iter()
                    .map(|word| match evaluate(word, &variables, home) {
                        value if is_open(&value) => Arg::Unknown,
                        value => Arg::Known(value),
                    })
                    .collect();
                is_read &= match walker.just_module(file, other, &[], run) {
                    Some((file, own, _)) => walker.just_recipe(&file, &own, &words, run),
                    None => false,
                };
            }
            for line in &recipe.lines {
                for inner in interpolations(line) {
                    walker.commands_of(inner, path, run);
                }
            }
            let texts: Vec<String> =
                recipe.lines.iter().map(|line| interpolate(line, &variables, home)).collect();
            let place = if recipe.stays { run.directory } else { home };
            let texts = match texts.first() {
                Some(first) if first.starts_with("#!") => vec![texts.join("\n")],
                _ => commands(&texts),
            };
            for text in texts {
                let mut whole = Recipe::new(text, place);
                whole.environment.clone_from(&environment);
                whole.words = words.to_vec();
                walker.recipe(whole, run.by);
            }
        });
        is_read
    }
}
