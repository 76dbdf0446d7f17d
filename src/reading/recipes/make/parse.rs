//! Makefiles as text: rules, variables, conditionals; and the way from a goal to its recipes.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::expand::{closing, shell_text};
use super::variables::{Given, SHELL, UNKNOWN, Variable, implicit, is_open, stem, unknown, words};

/// Goals inside each other beyond this are not followed.
const DEPTH: usize = 60;
/// Lines of recipes beyond this are not followed.
const LINES: usize = 1_000;
/// Files that include each other beyond this are not followed.
const FILES: usize = 24;

/// What a makefile says.
#[derive(Debug, Default)]
pub(super) struct Makefile {
    pub(super) directory: String,
    pub(super) goal: Option<String>,
    pub(super) given: Given,
    pub(super) variables: HashMap<String, Variable>,
    pub(super) files: Vec<String>,
    pub(super) steps: Cell<u32>,
    rules: HashMap<String, Rule>,
    patterns: Vec<Pattern>,
    first: Option<String>,
    exported: HashSet<String>,
    exports_all: bool,
    one_shell: bool,
    /// Commands that ran while the files were read.
    ran: RefCell<Vec<String>>,
}

/// What is known where a recipe is written out.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// `$@`, `$<` and the like, and parameters of `call`.
    pub(super) automatic: Vec<(String, String)>,
    /// Variables of the target.
    pub(super) variables: Vec<(String, Variable)>,
}

#[derive(Clone, Debug, Default)]
struct Rule {
    prerequisites: Vec<String>,
    recipes: Vec<(Rc<Vec<String>>, Option<String>)>,
    variables: Vec<(String, Variable)>,
}

#[derive(Debug)]
struct Pattern {
    targets: Vec<String>,
    prerequisites: Vec<String>,
    recipe: Rc<Vec<String>>,
}

/// What a goal runs.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) goal: String,
    pub(super) lines: Vec<Line>,
}

/// The way from a goal through what it depends on.
struct Way<'a> {
    planned: Planned,
    seen: HashSet<String>,
    is_made: &'a dyn Fn(&str) -> bool,
}

/// One line of a recipe, as a shell gets it.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) text: String,
    /// Runs also where recipes are only printed.
    pub(super) always: bool,
    pub(super) exported: Vec<(String, String)>,
}

/// Whether a branch of a conditional is taken.
#[derive(Clone, Copy, PartialEq)]
enum Taken {
    Yes,
    No,
    Perhaps,
}

#[derive(Clone, Copy)]
struct Branch {
    now: Taken,
    /// Whether one before it was.
    before: Taken,
}

/// Where the lines go that begin with a tab.
#[derive(Default)]
struct Open {
    targets: Vec<String>,
    pattern: Option<(Vec<String>, Vec<String>)>,
    stems: Vec<Option<String>>,
    lines: Vec<String>,
    is_rule: bool,
}

impl Makefile {
    pub(super) fn new(directory: &str, goal: Option<&str>, given: Given) -> Self {
        Self {
            directory: directory.to_owned(),
            goal: goal.map(str::to_owned),
            given,
            ..Self::default()
        }
    }

    /// Returns the commands that run while the files are read.
    pub(super) fn immediate(&self) -> Vec<String> {
        self.ran.borrow().clone()
    }

    /// Notes the commands in a value that is expanded while the files are read.
    pub(super) fn notice(&self, value: &str) {
        let mut ran = self.ran.borrow_mut();
        for part in value.split(SHELL[0]).skip(1) {
            let command = part.split(SHELL[1]).next().unwrap_or(part);
            if ran.len() < LINES && !ran.iter().any(|known| known == command) {
                ran.push(command.to_owned());
            }
        }
    }

    fn now(&self, text: &str) -> String {
        let value = self.expand(text, &Scope::default(), 0);
        self.notice(&value);
        value
    }

    /// Reads the text of a file.
    pub(super) fn read(
        &mut self,
        name: &str,
        text: &str,
        open: &mut dyn FnMut(&str) -> Option<Rc<str>>,
    ) {
        if self.files.len() >= FILES || text.contains([UNKNOWN, SHELL[0], SHELL[1]]) {
            return;
        }
        self.files.push(name.to_owned());
        let mut branches: Vec<Branch> = Vec::new();
        let mut rule = Open::default();
        let mut define: Option<(String, String, usize)> = None;
        for (line, is_recipe) in (Lines { rest: text }) {
            if let Some((name, mut body, depth)) = define.take() {
                let first = words(&line).next().unwrap_or_default();
                if (first, depth) == ("endef", 0) {
                    self.set(&name, "=", &body, taken(&branches));
                    continue;
                }
                let depth = match first {
                    "define" => depth + 1,
                    "endef" => depth - 1,
                    _ => depth,
                };
                if !body.is_empty() {
                    body.push('\n');
                }
                body.push_str(&line);
                define = Some((name, body, depth));
                continue;
            }
            if is_recipe && rule.is_rule {
                if taken(&branches) != Taken::No {
                    rule.lines.push(line[1..].to_owned());
                }
                continue;
            }
            let line = uncommented(&line);
            let line = line.trim();
            let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            if self.conditional(word, rest.trim(), &mut branches)
                || line.is_empty()
                || taken(&branches) == Taken::No
            {
                continue;
            }
            self.close(&mut rule);
            if let Some(name) = definition(line) {
                define = Some((name.to_owned(), String::new(), 0));
                continue;
            }
            if matches!(word, "include" | "-include" | "sinclude") {
                for file in words(&self.now(rest)).map(str::to_owned).collect::<Vec<_>>() {
                    if is_open(&file) || file.contains(['*', '?', '[']) {
                        continue;
                    }
                    if let Some(text) = open(&file) {
                        self.read(&file, &text, open);
                    }
                }
                continue;
            }
            self.statement(line, taken(&branches), &mut rule);
        }
        self.close(&mut rule);
    }

    /// Reads a line of a conditional; returns whether it was one.
    fn conditional(&self, word: &str, rest: &str, branches: &mut Vec<Branch>) -> bool {
        match word {
            "ifdef" | "ifndef" | "ifeq" | "ifneq" => {
                let holds = self.condition(word, rest);
                branches.push(Branch { now: holds, before: holds });
            }
            "else" => {
                let Some(branch) = branches.last().copied() else { return true };
                let (word, rest) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
                let holds = match word {
                    "ifdef" | "ifndef" | "ifeq" | "ifneq" => self.condition(word, rest.trim()),
                    _ => Taken::Yes,
                };
                let now = match (branch.before, holds) {
                    (Taken::Yes, _) | (_, Taken::No) => Taken::No,
                    (Taken::No, holds) => holds,
                    (Taken::Perhaps, _) => Taken::Perhaps,
                };
                let before = match (branch.before, now) {
                    (Taken::Yes, _) | (_, Taken::Yes) => Taken::Yes,
                    (Taken::No, Taken::No) => Taken::No,
                    _ => Taken::Perhaps,
                };
                branches.pop();
                branches.push(Branch { now, before });
            }
            "endif" => drop(branches.pop()),
            _ => return false,
        }
        true
    }

    fn condition(&self, word: &str, rest: &str) -> Taken {
        let is = |holds: bool| if holds { Taken::Yes } else { Taken::No };
        if matches!(word, "ifdef" | "ifndef") {
            let name = self.now(rest);
            let value = self.lookup(&name, &Scope::default(), 0);
            if is_open(&name) {
                return Taken::Perhaps;
            }
            return is(value.is_empty() != (word == "ifdef"));
        }
        let Some((one, other)) = compared(rest) else { return Taken::Perhaps };
        let (one, other) = (self.now(one), self.now(other));
        if is_open(&one) || is_open(&other) {
            return Taken::Perhaps;
        }
        is((one == other) == (word == "ifeq"))
    }

    /// Reads a line that sets a variable or begins a rule.
    fn statement(&mut self, line: &str, taken: Taken, rule: &mut Open) {
        let mut line = line;
        while let Some((word @ ("override" | "export" | "private" | "unexport"), rest)) =
            line.split_once([' ', '\t'])
        {
            let rest = rest.trim_start();
            if assignment(rest).is_none() {
                let names = self.now(rest);
                if word == "export" && !rest.contains(':') {
                    self.exported.extend(words(&names).map(str::to_owned));
                    return;
                }
                break;
            }
            if word == "export" {
                let name = assignment(rest).map_or("", |(name, _, _)| name);
                self.exported.insert(name.to_owned());
            }
            line = rest;
        }
        if line == "export" {
            self.exports_all = true;
            return;
        }
        if let Some((name, operator, value)) = assignment(line) {
            let name = self.now(name);
            self.set(&name, operator, value, taken);
            return;
        }
        let Some(at) = outside(line, |rest| rest.starts_with(':')) else {
            self.now(line);
            return;
        };
        let targets = line[..at].trim_end_matches('&');
        let rest = line[at + 1..].trim_start_matches(':').trim_start();
        self.rule(targets, rest, rule);
    }

    fn rule(&mut self, targets: &str, rest: &str, rule: &mut Open) {
        let targets: Vec<String> = words(&self.now(targets)).map(str::to_owned).collect();
        if let Some((name, operator, value)) = assignment(rest) {
            let name = name.trim_start_matches("export ").trim_start_matches("private ").trim();
            let simple = !matches!(operator, "=" | "?=" | "+=");
            let value = if simple { self.now(value) } else { value.to_owned() };
            for target in targets {
                let variable = Variable { value: value.clone(), simple };
                self.rules.entry(target).or_default().variables.push((name.to_owned(), variable));
            }
            return;
        }
        let (prerequisites, recipe) = match outside(rest, |rest| rest.starts_with(';')) {
            Some(at) => (&rest[..at], Some(rest[at + 1..].trim_start())),
            None => (rest, None),
        };
        // `TARGETS: PATTERN: PREREQUISITES`
        let (only, prerequisites) = match outside(prerequisites, |rest| rest.starts_with(':')) {
            Some(at) => (Some(self.now(prerequisites[..at].trim())), &prerequisites[at + 1..]),
            None => (None, prerequisites),
        };
        let prerequisites = self.now(prerequisites).replace('|', " ");
        let prerequisites: Vec<String> = words(&prerequisites).map(str::to_owned).collect();
        match targets.first().map(String::as_str) {
            Some(".ONESHELL") => self.one_shell = true,
            Some(".EXPORT_ALL_VARIABLES") => self.exports_all = true,
            _ => {}
        }
        *rule = Open { is_rule: true, ..Open::default() };
        rule.lines.extend(recipe.map(str::to_owned));
        if only.is_none() && targets.iter().any(|target| target.contains('%')) {
            rule.pattern = Some((targets, prerequisites));
            return;
        }
        for target in targets {
            let stem = only.as_deref().and_then(|only| stem(only, &target)).map(str::to_owned);
            let own = self.rules.entry(target.clone()).or_default();
            own.prerequisites.extend(prerequisites.iter().map(|one| match &stem {
                Some(stem) => one.replacen('%', stem, 1),
                None => one.clone(),
            }));
            let is_special = target.starts_with('.') && !target.contains('/');
            if self.first.is_none() && !is_special && !is_open(&target) {
                self.first = Some(target.clone());
            }
            rule.targets.push(target);
            rule.stems.push(stem);
        }
    }

    /// Ends a rule: the lines that followed it are its recipe.
    fn close(&mut self, rule: &mut Open) {
        let rule = std::mem::take(rule);
        if rule.lines.is_empty() && rule.pattern.is_none() {
            return;
        }
        let recipe = Rc::new(rule.lines);
        if let Some((targets, prerequisites)) = rule.pattern {
            self.patterns.push(Pattern { targets, prerequisites, recipe });
            return;
        }
        for (target, stem) in rule.targets.into_iter().zip(rule.stems) {
            self.rules.entry(target).or_default().recipes.push((Rc::clone(&recipe), stem));
        }
    }

    fn set(&mut self, name: &str, operator: &str, value: &str, taken: Taken) {
        let before = self.variables.get(name).cloned();
        let is_there = before.is_some() || self.given.environment.contains_key(name);
        let mut variable = match operator {
            "?=" if is_there => return,
            ":=" | "::=" | ":::=" => Variable { value: self.now(value), simple: true },
            "!=" => {
                let command = self.now(value);
                let value = format!("{}{}{}", SHELL[0], shell_text(&command), SHELL[1]);
                self.notice(&value);
                Variable { value, simple: true }
            }
            "+=" => match before {
                Some(Variable { value: before, simple }) => {
                    let more = if simple { self.now(value) } else { value.to_owned() };
                    Variable { value: format!("{before} {more}"), simple }
                }
                None => Variable { value: value.to_owned(), simple: false },
            },
            _ => Variable { value: value.to_owned(), simple: false },
        };
        if taken == Taken::Perhaps {
            variable = Variable { value: unknown(), simple: true };
        }
        self.variables.insert(name.to_owned(), variable);
    }

    /// Returns what a goal runs, or the default goal; none if there is no such goal or its recipes are no shell's. `is_made`
    /// says of a target whether there is a file of this name.
    pub(super) fn plan(
        &self,
        goal: Option<&str>,
        is_made: &dyn Fn(&str) -> bool,
    ) -> Option<Planned> {
        let scope = Scope::default();
        let shell = self.lookup("SHELL", &scope, 0);
        let shell = shell.trim().rsplit('/').next().unwrap_or_default();
        if !matches!(shell, "sh" | "bash" | "dash" | "zsh" | "ksh")
            || self.variables.contains_key(".RECIPEPREFIX")
        {
            return None;
        }
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
        self.target(&goal, &[], &mut way, 0).then_some(way.planned)
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

    fn recipe(&self, recipe: &[String], scope: &Scope, planned: &mut Planned) {
        let mut exported = Vec::new();
        for name in &self.exported {
            exported.push((name.clone(), self.lookup(name, scope, 0)));
        }
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
            // A variable of several lines is as many lines of the recipe.
            let is_whole = self.one_shell || line.contains('\n');
            let parts: Vec<&str> =
                if is_whole { vec![expanded.as_str()] } else { expanded.split('\n').collect() };
            for part in parts {
                let text = part.trim_start_matches(['@', '-', '+', ' ', '\t']);
                let prefix = &part[..part.len() - text.len()];
                let always = calls_make || prefix.contains('+');
                if !text.trim().is_empty() && planned.lines.len() < LINES {
                    let text = shell_text(text);
                    planned.lines.push(Line { text, always, exported: exported.clone() });
                }
            }
        }
    }
}

fn taken(branches: &[Branch]) -> Taken {
    let mut all = Taken::Yes;
    for branch in branches {
        match branch.now {
            Taken::No => return Taken::No,
            Taken::Perhaps => all = Taken::Perhaps,
            Taken::Yes => {}
        }
    }
    all
}

/// Returns the name that `define NAME` begins to define.
fn definition(line: &str) -> Option<&str> {
    let line = line.strip_prefix("override ").unwrap_or(line).trim_start();
    let rest = line.strip_prefix("define")?.strip_prefix([' ', '\t'])?;
    let name = rest.trim().trim_end_matches('=').trim_end_matches([':', '?', '+']);
    Some(name.trim())
}

/// Takes apart what `ifeq` compares: `(A,B)`, `"A" "B"`.
fn compared(text: &str) -> Option<(&str, &str)> {
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        let at = outside(inner, |rest| rest.starts_with(','))?;
        return Some((inner[..at].trim_end(), inner[at + 1..].trim_start()));
    }
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (one, rest) = text[1..].split_once(quote)?;
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (other, _) = rest[1..].split_once(quote)?;
    Some((one, other))
}

/// Returns where something stands outside of references.
fn outside(text: &str, is_it: impl Fn(&str) -> bool) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if is_it(rest) {
            return Some(at);
        }
        if rest.starts_with("$$") {
            at += 2;
            continue;
        }
        let inner = rest.strip_prefix('$').filter(|rest| rest.starts_with(['(', '{']));
        at += match inner {
            Some(inner) => 1 + closing(inner)?,
            None => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    None
}

/// Takes `NAME = VALUE` apart, if a line is that and no rule.
fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    const OPERATORS: [&str; 7] = [":::=", "::=", ":=", "?=", "+=", "!=", "="];
    let is_end = |rest: &str| {
        rest.starts_with([':', ';', '#']) || OPERATORS.iter().any(|one| rest.starts_with(one))
    };
    let at = outside(line, is_end)?;
    let operator = OPERATORS.iter().find(|one| line[at..].starts_with(**one))?;
    let name = line[..at].trim();
    (!name.is_empty()).then(|| (name, *operator, line[at + operator.len()..].trim_start()))
}

/// Leaves out a comment.
fn uncommented(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if chars.peek() == Some(&'#') => {
                out.push('#');
                chars.next();
            }
            '#' => break,
            c => out.push(c),
        }
    }
    out
}

/// Lines of a makefile, those that a backslash continues as one; and whether they begin with a tab.
struct Lines<'a> {
    rest: &'a str,
}

impl Iterator for Lines<'_> {
    type Item = (String, bool);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let is_recipe = self.rest.starts_with('\t');
        let mut whole = String::new();
        loop {
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            let is_last = rest.is_empty();
            self.rest = rest;
            let line = line.strip_suffix('\r').unwrap_or(line);
            let line = match whole.is_empty() {
                true => line,
                // The shell gets the line's end; everywhere else it is a blank.
                false if is_recipe => line.strip_prefix('\t').unwrap_or(line),
                false => line.trim_start(),
            };
            let slashes = line.len() - line.trim_end_matches('\\').len();
            if slashes % 2 == 0 || is_last {
                whole.push_str(line);
                return Some((whole, is_recipe));
            }
            if is_recipe {
                whole.push_str(line);
                whole.push('\n');
            } else {
                whole.push_str(line[..line.len() - 1].trim_end());
                whole.push(' ');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, goal: Option<&str>) -> Vec<String> {
        let mut makefile = Makefile::new("/w", goal, Given::default());
        makefile.read("Makefile", text, &mut |_| None);
        let planned = makefile.plan(goal, &|_| false);
        planned.into_iter().flat_map(|plan| plan.lines).map(|line| line.text).collect()
    }

    #[test]
    fn recipes_are_written_out_as_the_shell_gets_them() {
        for (text, goal, expected) in [
            ("a:\n\techo $@ $< $^\na: x y\n", None, &["echo a x x y"][..]),
            (
                "B := build\nclean:\n\t@-rm -rf $(B) ${B}/x $$HOME\n",
                Some("clean"),
                &["rm -rf build build/x $HOME"],
            ),
            ("all: a b\na: ; one\nb: a\n\ttwo\n", None, &["one", "two"]),
            ("O = $(S:.c=.o)\nS = x.c y.c\nall:\n\trm $(O)\n", None, &["rm x.o y.o"]),
            ("%.o: %.c\n\tcc -c $< -o $@ # $*\nall: x.o\n", None, &["cc -c x.c -o x.o # x"]),
            ("ifeq ($(A),)\nX = 1\nelse\nX = 2\nendif\nall:\n\techo $(X)\n", None, &["echo 1"]),
            (
                "all:\n\techo '$(shell ls)' \"$(if $(shell x),a)\"\n",
                None,
                &["echo ''\"$(ls)\"'' \"${_not_read_}\""],
            ),
            ("define R\none\n@two $(1)\nendef\nall:\n\t$(call R,x)\n", None, &["one", "two x"]),
            (".ONESHELL:\nall:\n\tcd x\n\trm y\n", None, &["cd x\nrm y"]),
            ("SHELL = /usr/bin/python3\nall:\n\timport os\n", None, &[]),
            ("a: b\nb: a\n\techo\n", None, &["echo"]),
            ("A = $(B)$(B)\nB = $(C)$(C)\nC = $(A)\nall:\n\techo ok\n", None, &["echo ok"]),
            ("all:\n\techo a \\\n\t  b\n", None, &["echo a \\\n  b"]),
            ("t: V = x\nt: u\nu:\n\techo $(V)\n", Some("t"), &["echo x"]),
            ("a b: %: %.c\n\tcc $*\n", Some("b"), &["cc b"]),
        ] {
            assert_eq!(lines(text, goal), expected, "{text}");
        }
    }

    #[test]
    fn commands_that_run_while_the_file_is_read_are_noticed() {
        let text = "A := $(shell one)\nB = $(shell never)\nC != two\n$(info $(shell three))\nall: $(shell four)\n";
        let mut makefile = Makefile::new("/w", None, Given::default());
        makefile.read("Makefile", text, &mut |_| None);
        assert_eq!(makefile.immediate(), ["one", "two", "three", "four"]);
    }
}
