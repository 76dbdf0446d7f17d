//! Makefiles: which recipes a goal runs, and what make itself runs when it reads the file (GNU make manual).

mod expand;
mod parse;
mod variables;

use std::collections::HashMap;
use std::rc::Rc;

use super::super::state::Value;
use super::super::walk::Walker;
use super::{Recipe, Run, below};
use crate::model::{Arg, Runner};
use parse::Makefile;

/// What make looks for, in this order.
const NAMES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

impl Walker<'_> {
    /// Plans what a goal runs, the default one if none is named. Returns whether it was found and read.
    pub(super) fn make(&mut self, directory: &str, goal: Option<&str>, run: Run<'_>) -> bool {
        let Some(files) = self.makefiles(directory, goal, run) else { return false };
        let mut makefile = Makefile::new(directory, goal, self.make_variables(run));
        let mut includes = files;
        // What a file includes is read where it stands, so it is parsed as it is met.
        includes.reverse();
        let name = goal.unwrap_or("default").to_owned();
        let mut path = String::new();
        while let Some((from, text)) = includes.pop() {
            if path.is_empty() {
                path.clone_from(&from);
            }
            let mut open = |file: &str| self.recipe_file(&below(directory, file), &name, run);
            makefile.read(&from, &text, &mut open);
        }
        let only_prints = self.only_prints(Runner::Make, run);
        let remakes = self.gives(run.index, &["--always-make"]);
        let is_made = |name: &str| !remakes && self.scripts.exists(&below(directory, name));
        let planned = makefile.plan(goal, &is_made);
        let task = planned.as_ref().map_or_else(|| name.clone(), |plan| plan.goal.clone());
        self.within(&path, &task, |walker| {
            for text in makefile.immediate() {
                walker.recipe(Recipe::new(text, directory), run);
            }
            let lines = planned.iter().flat_map(|plan| &plan.lines);
            for line in lines.filter(|line| !only_prints || line.always) {
                let mut recipe = Recipe::new(line.text.clone(), directory);
                recipe.environment = vec![("MAKELEVEL".to_owned(), Value::Number)];
                recipe.environment.extend(
                    line.exported.iter().map(|(name, value)| {
                        (name.clone(), Value::Word(Arg::Known(value.clone())))
                    }),
                );
                walker.recipe(recipe, run);
            }
        });
        planned.is_some()
    }

    /// Returns the makefiles of a directory, or those that are named; none if one of them is not read.
    fn makefiles(
        &mut self,
        directory: &str,
        goal: Option<&str>,
        run: Run<'_>,
    ) -> Option<Vec<(String, Rc<str>)>> {
        let goal = goal.unwrap_or("default");
        let named = self.plan.commands[run.index].interpretation.given(&["-f"]);
        let named: Vec<Option<Arg>> = named.map(|option| option.value.clone()).collect();
        if named.is_empty() {
            for name in NAMES {
                let path = below(directory, name);
                if let Some(text) = self.recipe_file(&path, goal, run) {
                    return Some(vec![(path, text)]);
                }
                if self.scripts.exists(&path) {
                    return None;
                }
            }
            return None;
        }
        let mut files = Vec::new();
        for file in named {
            let file = file.as_ref().and_then(Arg::known).filter(|file| *file != "-")?.to_owned();
            let path = below(directory, &file);
            files.push((path.clone(), self.recipe_file(&path, goal, run)?));
        }
        Some(files)
    }

    /// Returns the variables that the command line and the environment give, none for a value that is not known.
    fn make_variables(&self, run: Run<'_>) -> variables::Given {
        let mut line = Vec::new();
        let operands = &self.plan.commands[run.index].interpretation.operands;
        for (at, role) in operands.iter().filter(|(_, role)| !role.starts_with("task:")) {
            if let Some((name, value)) =
                run.argv.get(*at).and_then(Arg::known).and_then(|word| word.split_once('='))
            {
                let name = name.trim_end_matches([':', '?', '+', '!']);
                let value = (!role.is_empty()).then(|| value.to_owned());
                line.push((name.to_owned(), value));
            }
        }
        let known = |value: Value| match value {
            Value::Word(Arg::Known(value)) => Some(value),
            _ => None,
        };
        let names = self.facts.environment.keys().map(String::as_str).chain(self.state.exported());
        let mut environment: HashMap<String, Option<String>> = HashMap::new();
        for name in names {
            let value = self.inherited(name);
            if value != Value::Unset {
                environment.insert(name.to_owned(), known(value));
            }
        }
        for (name, value) in &self.plan.commands[run.index].environment {
            environment.insert(name.clone(), known(Value::Word(value.clone())));
        }
        variables::Given { line, environment }
    }
}
