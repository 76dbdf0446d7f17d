//! Makefiles as text: rules, variables, conditionals.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::expand::closing;
use super::plan::LINES;
use super::variables::{Given, Variable, stem, unknown, words};
use crate::recipes::marks::{MARKS, is_open};

/// Texts that are given to `eval` beyond this are not followed.
const EVALUATIONS: usize = 200;
/// Files that include each other beyond this are not followed.
const FILES: usize = 24;

/// The files that a makefile includes.
pub trait Files {
    /// Returns the text of a file.
    fn open(&mut self, name: &str) -> Option<Rc<str>>;

    /// Returns the names that a pattern stands for; none if not all of them are known.
    fn matching(&mut self, pattern: &str) -> Option<Vec<String>>;
}

/// What a makefile says.
#[derive(Debug, Default)]
pub struct Makefile {
    pub directory: String,
    pub goal: Option<String>,
    pub given: Given,
    pub variables: HashMap<String, Variable>,
    pub files: Vec<String>,
    pub steps: Cell<u32>,
    pub rules: HashMap<String, Rule>,
    pub patterns: Vec<Pattern>,
    pub first: Option<String>,
    pub exported: HashSet<String>,
    pub exports_all: bool,
    pub one_shell: bool,
    second_expansion: bool,
    evaluations: usize,
    /// Commands that ran while the files were read.
    ran: RefCell<Vec<String>>,
    /// Files that are included and are not there.
    pub absent: Vec<String>,
    /// Commands that ran since this was emptied last.
    pub shells: RefCell<Vec<String>>,
    /// Texts that are makefiles themselves, to be read next.
    pub evaluated: RefCell<Vec<String>>,
    /// Something that decides over what runs could not be read.
    pub unread: Cell<bool>,
}

/// What is known where a recipe is written out.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// `$@`, `$<` and the like, and parameters of `call`.
    pub automatic: Vec<(String, String)>,
    /// Variables of the target.
    pub variables: Vec<(String, Variable)>,
}

#[derive(Clone, Debug, Default)]
pub struct Rule {
    pub prerequisites: Vec<String>,
    pub recipes: Vec<(Rc<Vec<String>>, Option<String>)>,
    pub variables: Vec<(String, Variable)>,
}

#[derive(Debug)]
pub struct Pattern {
    pub targets: Vec<String>,
    pub prerequisites: Vec<String>,
    pub recipe: Rc<Vec<String>>,
}

/// Whether a branch of a conditional is taken. Ordered, so that of a line in several it is `max`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Taken {
    Yes,
    Perhaps,
    No,
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
    pub fn new(directory: &str, goal: Option<&str>, given: Given) -> Self {
        Self {
            directory: directory.to_owned(),
            goal: goal.map(str::to_owned),
            given,
            ..Self::default()
        }
    }

    /// Returns the commands that run while the files are read.
    pub fn immediate(&self) -> Vec<String> {
        let scope = Scope::default();
        self.ran.borrow().iter().map(|command| self.for_shell(command, &scope)).collect()
    }

    /// Returns whether all that decides over what runs was read.
    pub fn is_whole(&self) -> bool {
        !self.unread.get()
    }

    /// Expands what is expanded while the files are read; what that runs has run.
    fn now(&self, text: &str) -> String {
        let value = self.expand(text, &Scope::default(), 0);
        let mut ran = self.ran.borrow_mut();
        for command in self.shells.take() {
            if ran.len() < LINES && !ran.contains(&command) {
                ran.push(command);
            }
        }
        value
    }

    /// Reads the text of a file.
    pub fn read(&mut self, name: &str, text: &str, files: &mut dyn Files) {
        if self.files.len() >= FILES {
            self.unread.set(true);
            return;
        }
        self.files.push(name.to_owned());
        self.lines(text, files);
    }

    fn lines(&mut self, text: &str, files: &mut dyn Files) {
        if text.contains(MARKS) {
            self.unread.set(true);
            return;
        }
        let mut branches: Vec<Branch> = Vec::new();
        let mut rule = Open::default();
        let mut define: Option<(String, String, usize)> = None;
        let mut lines = Lines { rest: text, prefix: self.recipe_prefix() };
        while let Some((line, is_recipe)) = lines.next() {
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
                    rule.lines.push(line.chars().skip(1).collect());
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
            match word {
                "include" | "-include" | "sinclude" => self.include(&self.now(rest), files),
                "load" | "-load" => self.unread.set(true),
                _ => self.statement(line, taken(&branches), &mut rule),
            }
            lines.prefix = self.recipe_prefix();
            // What `eval` was given is read as if it stood here.
            for text in self.evaluated.take() {
                self.evaluations += 1;
                if self.evaluations > EVALUATIONS {
                    self.unread.set(true);
                } else {
                    self.lines(&text, files);
                }
            }
        }
        self.close(&mut rule);
    }

    /// What the lines of recipes begin with (GNU make manual, `.RECIPEPREFIX`).
    fn recipe_prefix(&self) -> char {
        if !self.variables.contains_key(".RECIPEPREFIX") {
            return '\t';
        }
        let prefix = self.lookup(".RECIPEPREFIX", &Scope::default(), 0);
        prefix.chars().next().unwrap_or('\t')
    }

    fn include(&mut self, names: &str, files: &mut dyn Files) {
        for name in words(names) {
            let is_pattern = name.contains(['*', '?', '[']);
            // What compilers write says only what depends on what.
            if (is_pattern || is_open(name)) && [".d", ".dep"].iter().any(|end| name.ends_with(end))
            {
                continue;
            }
            let found = if is_open(name) {
                None
            } else if is_pattern {
                files.matching(name)
            } else {
                Some(vec![name.to_owned()])
            };
            let Some(found) = found else {
                self.unread.set(true);
                continue;
            };
            for name in &found {
                match files.open(name) {
                    Some(text) => self.read(name, &text, files),
                    None => self.absent.push(name.clone()),
                }
            }
        }
    }

    /// Reads a line of a conditional; returns whether it was one.
    fn conditional(&self, word: &str, rest: &str, branches: &mut Vec<Branch>) -> bool {
        match word {
            "ifdef" | "ifndef" | "ifeq" | "ifneq" => {
                let holds = self.condition(word, rest);
                branches.push(Branch { now: holds, before: holds });
            }
            "else" => {
                let Some(branch) = branches.last_mut() else { return true };
                let (word, rest) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
                let holds = match word {
                    "ifdef" | "ifndef" | "ifeq" | "ifneq" => self.condition(word, rest.trim()),
                    _ => Taken::Yes,
                };
                branch.now = match branch.before {
                    Taken::Yes => Taken::No,
                    Taken::Perhaps => holds.max(Taken::Perhaps),
                    Taken::No => holds,
                };
                branch.before = branch.before.min(branch.now);
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
        let mut prerequisites = self.now(prerequisites).replace('|', " ");
        if self.second_expansion && !is_open(&prerequisites) {
            prerequisites = self.now(&prerequisites);
        }
        let prerequisites: Vec<String> = words(&prerequisites).map(str::to_owned).collect();
        match targets.first().map(String::as_str) {
            Some(".ONESHELL") => self.one_shell = true,
            Some(".SECONDEXPANSION") => self.second_expansion = true,
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
        let of_file = self.variables.get(name).cloned();
        let before = of_file.or_else(|| Some(Variable { value: self.raw(name)?, simple: false }));
        let mut variable = match operator {
            "?=" if before.is_some() => return,
            ":=" | "::=" | ":::=" => Variable { value: self.now(value), simple: true },
            "!=" => {
                let command = self.now(value);
                let value = self.shell(&command);
                self.now("");
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
}

fn taken(branches: &[Branch]) -> Taken {
    branches.iter().map(|branch| branch.now).max().unwrap_or(Taken::Yes)
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

/// Lines of a makefile, those that a backslash continues as one; and whether they begin as those of recipes do.
struct Lines<'a> {
    rest: &'a str,
    /// What the lines of recipes begin with.
    prefix: char,
}

impl Iterator for Lines<'_> {
    type Item = (String, bool);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let is_recipe = self.rest.starts_with(self.prefix);
        let mut whole = String::new();
        loop {
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            let is_last = rest.is_empty();
            self.rest = rest;
            let line = line.strip_suffix('\r').unwrap_or(line);
            let line = match whole.is_empty() {
                true => line,
                // The shell gets the line's end; everywhere else it is a blank.
                false if is_recipe => line.strip_prefix(self.prefix).unwrap_or(line),
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
