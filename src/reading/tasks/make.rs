//! Tasks of makefiles.

use std::rc::Rc;

use fast_glob::glob_match;

use super::super::carry::Carrier;
use super::super::state::Value;
use super::super::walk::Walker;
use super::{Author, Recipe, Run, holding};
use crate::model::{Arg, Runner};
use crate::recipes::below;
use crate::recipes::make::{Counts, Files, Given, Makefile};
use crate::recipes::marks::is_open;
use crate::variables::{holds_secret, is_harmless};

/// What make looks for, in this order.
const NAMES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

impl Walker<'_> {
    /// Plans what a goal runs, the default one if none is named. Returns whether it was found and read.
    pub(super) fn make(&mut self, goal: Option<&str>, run: Run<'_>) -> bool {
        let Some(mut includes) = self.makefiles(run) else { return false };
        let directory = run.directory;
        let mut makefile = Makefile::new(directory, goal, self.make_variables(run.by));
        // What a file includes is read where it stands, so it is parsed as it is met.
        includes.reverse();
        let searched: Vec<String> = self.plan.commands[run.by.index]
            .interpretation
            .given(&["-I"])
            .filter_map(|option| option.value.as_ref().and_then(Arg::known))
            .map(|place| below(directory, place))
            .collect();
        let mut path = String::new();
        while let Some((from, text)) = includes.pop() {
            if path.is_empty() {
                path = below(directory, &from);
            }
            let mut files = Included { walker: self, searched: &searched, run };
            makefile.read(&from, &text, &mut files);
        }
        let only_prints = self.only_prints(Runner::Make, run.by);
        let remakes = self.gives(run.by.index, &["--always-make"]);
        let is_made = |name: &str| !remakes && self.scripts.exists(&below(directory, name));
        let planned = makefile.plan(goal, &is_made);
        let task = planned.as_ref().map_or(run.task, |plan| &plan.goal);
        let given = self.given_by_line(run.by);
        self.within(&path, task, |walker| {
            for text in makefile.immediate() {
                walker.recipe(Recipe::new(text, directory), run.by);
            }
            let lines = planned.iter().flat_map(|plan| &plan.lines);
            for line in lines {
                let is_printed = only_prints && !line.always;
                let expanded = line.before.iter().chain(line.inside.iter().filter(|_| is_printed));
                for command in expanded {
                    walker.recipe(Recipe::new(command.clone(), directory), run.by);
                }
                if is_printed || line.text.trim().is_empty() {
                    continue;
                }
                let mut recipe = Recipe::new(line.text.clone(), directory);
                recipe.environment = vec![("MAKELEVEL".to_owned(), Value::Number)];
                let exported = line.exported.iter();
                let exported = exported.filter(|(name, value)| *value != of_shell(name));
                let exported = exported.map(|(name, value)| (name.clone(), holding(value)));
                recipe.environment.extend(exported);
                if given.iter().any(|value| runs(&line.text, value)) {
                    recipe.of = Author::Line;
                }
                walker.recipe(recipe, run.by);
            }
        });
        planned.is_some() && makefile.is_whole()
    }

    /// Returns the makefiles of a directory, or those that are named; none if one of them is not read.
    fn makefiles(&mut self, run: Run<'_>) -> Option<Vec<(String, Rc<str>)>> {
        let mut files = self.named_in_environment(run)?;
        let named = self.plan.commands[run.by.index].interpretation.given(&["-f"]);
        let named: Vec<Option<Arg>> = named.map(|option| option.value.clone()).collect();
        if named.is_empty() {
            let (path, text) = self.first_of(&NAMES, run.directory, run)?;
            let name = path.rsplit('/').next().unwrap_or_default();
            files.push((name.to_owned(), text?));
        }
        for file in named {
            let file = file.as_ref().and_then(Arg::known).filter(|file| *file != "-")?.to_owned();
            let text = self.recipe_file(&below(run.directory, &file), run)?;
            files.push((file, text));
        }
        Some(files)
    }

    /// Returns the makefiles that `MAKEFILES` names: they are read before all others (GNU make manual, 3.4).
    fn named_in_environment(&mut self, run: Run<'_>) -> Option<Vec<(String, Rc<str>)>> {
        let own = &self.plan.commands[run.by.index].environment;
        let own = own.iter().rev().find(|(name, _)| name == "MAKEFILES");
        let value = match own {
            Some((_, value)) => Value::Word(value.clone()),
            None => self.inherited("MAKEFILES"),
        };
        let names = match value {
            Value::Unset => return Some(Vec::new()),
            Value::Word(Arg::Known(names)) => names,
            _ => return None,
        };
        let mut files = Vec::new();
        for name in names.split_ascii_whitespace() {
            let text = self.recipe_file(&below(run.directory, name), run);
            files.extend(text.map(|text| (name.to_owned(), text)));
        }
        Some(files)
    }

    /// Plans what a word does that sets a variable for make, which all that make starts gets too. Returns whether no more is to be said of
    /// it: its value is harmless in any makefile, or one that was read was expanded with it.
    pub(in crate::reading) fn make_variable(
        &mut self,
        word: Option<&Arg>,
        is_read: bool,
        by: Carrier<'_>,
    ) -> bool {
        let Some((name, value)) = word.and_then(Arg::known).and_then(|word| word.split_once('='))
        else {
            return false;
        };
        let name = name.trim_end_matches([':', '?', '+', '!']);
        let (text, value) = (value, Arg::Known(value.to_owned()));
        self.variable_effects(by.index, name, &value, by.span);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" _./,:+=@%-".contains(&byte);
        is_harmless(name, &value)
            || (is_read && crate::reading::evaluate::is_name(name) && text.bytes().all(is_plain))
    }

    /// Returns the variables that the command line and the environment give, none for a value that is not known.
    fn make_variables(&self, by: Carrier<'_>) -> Given {
        let mut line = Vec::new();
        let operands = &self.plan.commands[by.index].interpretation.operands;
        for (at, role) in operands.iter().filter(|(_, role)| !role.starts_with("task:")) {
            if let Some((name, value)) =
                by.argv.get(*at).and_then(Arg::known).and_then(|word| word.split_once('='))
            {
                let name = name.trim_end_matches([':', '?', '+', '!']);
                let value = (!role.is_empty()).then(|| value.to_owned());
                line.push((name.to_owned(), value));
            }
        }
        let mut environment = self.environment_of(by.index);
        for (name, value) in &mut environment {
            if holds_secret(name) && self.facts.environment.get(name) == Some(value) {
                *value = format!("${}", of_shell(name));
            }
        }
        let counts = self.environment_counts(by);
        Given { line, environment, counts }
    }

    /// Returns the values that the line gives to make and that are not harmless in any makefile.
    fn given_by_line(&self, by: Carrier<'_>) -> Vec<String> {
        let starters = self.starters(by.index);
        let given = starters.iter().flat_map(|at| &self.plan.commands[*at].environment);
        let given = given.map(|(name, _)| name.as_str()).chain(self.state.exported());
        let variables = self.make_variables(by);
        let around =
            given.filter_map(|name| Some((name, variables.environment.get(name)?.clone())));
        let line = variables.line.iter();
        let line = line.filter_map(|(name, value)| Some((name.as_str(), value.clone()?)));
        let is_harm = |(name, value): &(&str, String)| {
            !value.trim().is_empty()
                && !is_open(value)
                && !is_harmless(name, &Arg::Known(value.clone()))
        };
        around.chain(line).filter(is_harm).map(|(_, value)| value.trim().to_owned()).collect()
    }

    fn environment_counts(&self, by: Carrier<'_>) -> Counts {
        let overrides = self.gives(by.index, &["--environment-overrides"]);
        if overrides { Counts::BeforeFiles } else { Counts::BehindFiles }
    }

    /// Returns whether the line puts text for make into the environment: references, or, where that counts for more than the files say,
    /// values that are not harmless in any makefile.
    pub(super) fn gives_makefile_text(&self, by: Carrier<'_>) -> bool {
        let counts = self.environment_counts(by) == Counts::BeforeFiles;
        let starters = self.starters(by.index);
        let given = starters.iter().flat_map(|at| &self.plan.commands[*at].environment);
        let given = given.map(|(name, _)| name.as_str()).chain(self.state.exported());
        let environment = self.environment_of(by.index);
        let values = given.filter_map(|name| Some((name, environment.get(name)?.as_str())));
        let values = values.filter(|(_, value)| !is_open(value));
        let mut values = values.map(|(name, value)| (name, value, Arg::Known(value.to_owned())));
        values.any(|(name, value, word)| {
            let is_text = value.contains("$(") || value.contains("${");
            is_text || (counts && !is_harmless(name, &word))
        })
    }
}

/// What stands in recipes for a secret: the reference by which the shell has it.
fn of_shell(name: &str) -> String {
    format!("${{{name}}}")
}

/// Returns the text of a file of secrets with references to them in the places of their values.
fn without_secrets(text: &str) -> String {
    let line = |line: &str| {
        let (named, _) = line.split_once('=')?;
        let name = named.trim().trim_end_matches([':', '?', '+']).rsplit(' ').next()?;
        holds_secret(name).then(|| format!("{named}=${}", of_shell(name)))
    };
    text.lines().map(|text| line(text).unwrap_or_else(|| text.to_owned()) + "\n").collect()
}

/// Whether a recipe runs what a value says: it stands where a program's name does, or ends the command in front of it.
fn runs(recipe: &str, value: &str) -> bool {
    let ends = [';', '&', '|', '(', '{', '`', '\n'];
    let is_first = |(at, _): (usize, &str)| {
        let before = recipe[..at].trim_end_matches([' ', '\t', '@', '-', '+', '\\']);
        before.is_empty() || before.ends_with(ends)
    };
    let mut places = recipe.match_indices(value);
    if value.contains(ends) { places.next().is_some() } else { places.any(is_first) }
}

/// The files that the makefiles of one directory include.
struct Included<'w, 'a> {
    walker: &'w mut Walker<'a>,
    /// Where make looks too.
    searched: &'w [String],
    /// The goal for which they are read.
    run: Run<'w>,
}

impl Files for Included<'_, '_> {
    fn open(&mut self, name: &str) -> Option<Rc<str>> {
        let searched = self.searched.iter().map(String::as_str);
        let mut places = std::iter::once(self.run.directory).chain(searched);
        places.find_map(|place| {
            let path = below(place, name);
            let text = self.walker.recipe_file(&path, self.run)?;
            let is_secret = self.walker.is_secret(&path);
            Some(if is_secret { without_secrets(&text).into() } else { text })
        })
    }

    fn matching(&mut self, pattern: &str) -> Option<Vec<String>> {
        let (place, last) = match pattern.rsplit_once('/') {
            Some((place, last)) => (format!("{place}/"), last),
            None => (String::new(), pattern),
        };
        if place.contains(['*', '?', '[']) {
            return None;
        }
        self.walker.relies_on_recipe(&below(self.run.directory, pattern), self.run);
        let names = self.walker.scripts.names(&below(self.run.directory, &place))?;
        // As in a shell: a dot in front is only found by one.
        let fits = |name: &&String| {
            name.starts_with('.') == last.starts_with('.') && glob_match(last, name.as_str())
        };
        Some(names.iter().filter(fits).map(|name| format!("{place}{name}")).collect())
    }
}
