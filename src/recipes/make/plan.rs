//! The way from a goal through what it depends on to the lines that its recipes run.

use std::collections::HashSet;

use super::parse::{Makefile, Pattern, Scope};
use super::variables::{Variable, implicit, stem, words};
use crate::recipes::is_shell;
use crate::recipes::marks::{SHELL, is_open, shell_text};

/// Goals inside each other beyond this are not followed.
const DEPTH: usize = 60;
/// Lines of recipes beyond this are not followed.
pub const LINES: usize = 1_000;

/// What a goal runs.
#[derive(Debug)]
pub struct Planned {
    pub goal: String,
    pub lines: Vec<Line>,
}

/// The way from a goal through what it depends on.
struct Way<'a> {
    planned: Planned,
    seen: HashSet<String>,
    is_made: &'a dyn Fn(&str) -> bool,
}

/// One line of a recipe, as a shell gets it.
#[derive(Debug)]
pub struct Line {
    pub text: String,
    /// Runs also where recipes are only printed.
    pub always: bool,
    pub exported: Vec<(String, String)>,
    /// Commands that make runs when it writes the line out, and that are not in its text.
    pub before: Vec<String>,
    /// Those that are.
    pub inside: Vec<String>,
}

impl Makefile {
    /// Returns what a goal runs, or the default goal; none if there is no such goal or its recipes are no shell's. `is_made`
    /// says of a target whether there is a file of this name.
    pub fn plan(&self, goal: Option<&str>, is_made: &dyn Fn(&str) -> bool) -> Option<Planned> {
        let scope = Scope::default();
        let default = self.lookup(".DEFAULT_GOAL", &scope, 0);
        let default = Some(default.trim().to_owned()).filter(|goal| !goal.is_empty());
        let goal = match goal {
            Some(goal) => goal.to_owned(),
            None => default.or_else(|| self.first.clone())?,
        };
        let mut way = Way {
            planned: Planned { goal: goal.clone(), lines: Vec::new() },
            seen: HashSet::new(),
            is_made,
        };
        // First make brings its own files up to date, whatever it is told about the rest (GNU make manual, 3.5).
        for (name, is_there) in self
            .files
            .iter()
            .map(|name| (name, true))
            .chain(self.absent.iter().map(|name| (name, false)))
        {
            let has_rule = self.rules.get(name).is_some_and(|rule| !rule.recipes.is_empty());
            let pattern = self.pattern(name).filter(|(pattern, _)| pattern.is_of_some_files());
            if has_rule || (!is_there && pattern.is_some()) {
                self.target(name, &[], &mut way, 0);
            }
        }
        for line in &mut way.planned.lines {
            line.always = true;
        }
        let is_found = self.target(&goal, &[], &mut way, 0);
        let is_default = !is_found && self.target(".DEFAULT", &[], &mut way, 0);
        (is_found || is_default).then_some(way.planned)
    }

    /// Adds what a target runs, its prerequisites first. Returns whether there is a rule for it.
    fn target(
        &self,
        name: &str,
        outer: &[(String, Variable)],
        way: &mut Way<'_>,
        depth: usize,
    ) -> bool {
        let rule = self.rules.get(name);
        let has_recipe = rule.is_some_and(|rule| !rule.recipes.is_empty());
        let pattern = (!has_recipe).then(|| self.pattern(name)).flatten();
        if rule.is_none() && pattern.is_none() {
            return false;
        }
        if depth >= DEPTH || way.planned.lines.len() >= LINES || !way.seen.insert(name.to_owned()) {
            return true;
        }
        // Whether there is a file of a name that is not known, only make can tell.
        if is_open(name) || self.stands(name, pattern.is_some(), way) {
            return true;
        }
        let mut variables = outer.to_vec();
        variables.extend(rule.iter().flat_map(|rule| rule.variables.iter().cloned()));
        let mut prerequisites = rule.map_or_else(Vec::new, |rule| rule.prerequisites.clone());
        if let Some((pattern, stem)) = &pattern {
            let own = pattern.prerequisites.iter().map(|one| one.replacen('%', stem, 1));
            prerequisites.splice(0..0, own);
        }
        for one in &prerequisites {
            self.target(one, &variables, way, depth + 1);
        }
        let recipes = rule.iter().flat_map(|rule| &rule.recipes);
        let recipes = recipes.map(|(recipe, stem)| (recipe, stem.clone()));
        let recipes = recipes.chain(pattern.map(|(pattern, stem)| (&pattern.recipe, Some(stem))));
        for (recipe, stem) in recipes {
            let mut scope = Scope { automatic: Vec::new(), variables: variables.clone() };
            let all = prerequisites.join(" ");
            for (mark, value) in [
                ("@", name),
                ("<", prerequisites.first().map_or("", String::as_str)),
                ("^", &all),
                ("+", &all),
                ("?", &all),
                ("*", stem.as_deref().unwrap_or_default()),
                ("|", ""),
            ] {
                scope.automatic.push((mark.to_owned(), value.to_owned()));
            }
            self.recipe(recipe, &scope, &mut way.planned);
        }
        true
    }

    /// Returns whether a target is a file that is there and depends on nothing: it is never made again.
    fn stands(&self, name: &str, by_pattern: bool, way: &Way<'_>) -> bool {
        let phony = self.rules.get(".PHONY");
        let is_phony = phony.is_some_and(|rule| rule.prerequisites.iter().any(|one| one == name));
        let depends = self.rules.get(name).is_some_and(|rule| !rule.prerequisites.is_empty());
        !is_phony && !depends && !by_pattern && (way.is_made)(name)
    }

    fn pattern(&self, name: &str) -> Option<(&Pattern, String)> {
        self.patterns.iter().filter(|pattern| !pattern.recipe.is_empty()).find_map(|pattern| {
            let mut targets = pattern.targets.iter();
            Some((pattern, targets.find_map(|one| stem(one, name))?.to_owned()))
        })
    }

    /// Returns shell text for what make gives to its shell: that of another program is one word behind what `SHELL` and `.SHELLFLAGS` say.
    pub fn for_shell(&self, text: &str, scope: &Scope) -> String {
        let shell = self.lookup("SHELL", scope, 0);
        let flags = self.lookup(".SHELLFLAGS", scope, 0);
        let text = shell_text(text);
        match flags.trim() {
            "" if is_shell(&shell) => text,
            flags if is_shell(&shell) && are_plain_flags(flags) => text,
            flags => {
                // What is not a shell's is read as far as it can be.
                self.unread.set(true);
                let flags = if flags.is_empty() { "-c" } else { flags };
                let text = shell_words::quote(&text);
                format!("{} {} {text}", shell_text(shell.trim()), shell_text(flags))
            }
        }
    }

    fn recipe(&self, recipe: &[String], scope: &Scope, planned: &mut Planned) {
        // Programs get what the line or the environment sets, too, as it is now (GNU make manual, 5.7.2).
        let given = self.given.line.iter().map(|(name, _)| name);
        let changed =
            self.variables.keys().filter(|name| self.given.environment.contains_key(*name));
        let names = self.exported.iter().chain(changed).chain(given);
        let mut exported: Vec<_> =
            names.map(|name| (name.clone(), self.lookup(name, scope, 0))).collect();
        if self.exports_all {
            let names = self.variables.keys().filter(|name| implicit(name).is_none());
            exported.extend(names.map(|name| (name.clone(), self.lookup(name, scope, 0))));
        }
        exported.retain(|(_, value)| !is_open(value));
        let whole = recipe.join("\n");
        let lines = if self.one_shell {
            vec![whole.as_str()]
        } else {
            recipe.iter().map(String::as_str).collect()
        };
        for line in lines {
            let calls_make = line.contains("$(MAKE)") || line.contains("${MAKE}");
            let expanded = self.expand(line, scope, 0);
            let ran = self.shells.take().into_iter();
            let (mut inside, mut before): (Vec<String>, Vec<String>) = ran.partition(|command| {
                expanded.contains(&format!("{}{command}{}", SHELL[0], SHELL[1]))
            });
            if !self.evaluated.take().is_empty() {
                self.unread.set(true);
            }
            // A variable of several lines is as many lines of the recipe.
            let is_whole = self.one_shell || line.contains('\n');
            let parts: Vec<&str> =
                if is_whole { vec![expanded.as_str()] } else { expanded.split('\n').collect() };
            for part in parts {
                let text = part.trim_start_matches(['@', '-', '+', ' ', '\t']);
                let prefix = &part[..part.len() - text.len()];
                let always = calls_make || prefix.contains('+');
                let is_empty = text.trim().is_empty() && before.is_empty();
                if !is_empty && planned.lines.len() < LINES {
                    let (text, exported) = (self.for_shell(text, scope), exported.clone());
                    let (before, inside) =
                        (std::mem::take(&mut before), std::mem::take(&mut inside));
                    planned.lines.push(Line { text, always, exported, before, inside });
                }
            }
        }
    }
}

impl Pattern {
    /// Whether it is for files of some kind, and not for all that there are.
    fn is_of_some_files(&self) -> bool {
        !self.targets.iter().any(|target| target == "%")
    }
}

/// Whether a shell is only told to be strict, and then that its text follows.
fn are_plain_flags(flags: &str) -> bool {
    let is_plain = |word: &str| {
        word == "pipefail"
            || word
                .strip_prefix('-')
                .is_some_and(|word| word.bytes().all(|byte| b"ceuxo".contains(&byte)))
    };
    words(flags).all(is_plain)
        && words(flags).last().is_some_and(|last| last.starts_with('-') && last.ends_with('c'))
}
