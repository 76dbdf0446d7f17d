//! Values of make: references and functions (GNU make manual, 6 and 8), and recipes as the shell gets them.

use super::parse::{Makefile, Scope};
use super::variables::{Counts, Variable, implicit, stem, substitute, unknown, words};
use crate::recipes::marks::{SHELL, UNKNOWN, is_open, made_of, shell_text};

/// References inside each other beyond this are not followed.
const DEPTH: usize = 40;
/// The longest value that is written out.
const LONGEST: usize = 64 << 10;
/// References of one makefile beyond this are not followed: values that hold each other twice multiply.
const STEPS: u32 = 50_000;

impl Makefile {
    /// Expands references in a text. What is not known is marked in what is returned.
    pub fn expand(&self, text: &str, scope: &Scope, depth: usize) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let Some(next) = rest.chars().next() else { break };
            let end = match next {
                '$' => {
                    out.push('$');
                    rest = &rest[1..];
                    continue;
                }
                '(' | '{' => closing(rest),
                _ => Some(next.len_utf8()),
            };
            let steps = self.steps.get();
            self.steps.set(steps + 1);
            let Some(end) = end.filter(|_| depth < DEPTH && steps < STEPS && out.len() < LONGEST)
            else {
                self.unread.set(true);
                out.push(UNKNOWN);
                return out;
            };
            let inner = match next {
                '(' | '{' => &rest[1..end - 1],
                _ => &rest[..end],
            };
            rest = &rest[end..];
            out.push_str(&self.reference(inner, scope, depth + 1));
        }
        out.push_str(rest);
        out
    }

    fn reference(&self, inner: &str, scope: &Scope, depth: usize) -> String {
        if let Some((name, arguments)) = inner.split_once([' ', '\t'])
            && let Some(value) = self.function(name, arguments.trim_start(), scope, depth)
        {
            return value;
        }
        let inner = self.expand(inner, scope, depth);
        if is_open(&inner) {
            return made_of(&inner);
        }
        if let Some((name, change)) = inner.split_once(':')
            && let Some((from, to)) = change.split_once('=')
        {
            let value = self.lookup(name, scope, depth);
            let (from, to) = if from.contains('%') {
                (from.to_owned(), to.to_owned())
            } else {
                (format!("%{from}"), format!("%{to}"))
            };
            return each(&value, |word| substitute(&from, &to, word));
        }
        self.lookup(&inner, scope, depth)
    }

    /// Returns the value of a variable.
    pub fn lookup(&self, name: &str, scope: &Scope, depth: usize) -> String {
        if let Some((_, value)) = scope.automatic.iter().rev().find(|(known, _)| known == name) {
            return value.clone();
        }
        if let [of, part @ ('D' | 'F')] = name.chars().collect::<Vec<_>>()[..]
            && scope.automatic.iter().any(|(known, _)| *known == of.to_string())
        {
            let value = self.lookup(&of.to_string(), scope, depth);
            return each(&value, |word| match part {
                'D' => directory(word).trim_end_matches('/').to_owned(),
                _ => word.rsplit('/').next().unwrap_or(word).to_owned(),
            });
        }
        if let Some((_, value)) = self.given.line.iter().rev().find(|(known, _)| known == name) {
            return match value {
                Some(value) => self.expand(value, scope, depth + 1),
                None => unknown(),
            };
        }
        let of_target = scope.variables.iter().rev().find(|(known, _)| known == name);
        let of_file = of_target.map(|(_, variable)| variable).or_else(|| self.variables.get(name));
        let of_environment = match self.given.environment.get(name) {
            Some(value) if name != "SHELL" => Some(value),
            _ => None,
        };
        let is_overridden = self.given.counts == Counts::BeforeFiles && of_environment.is_some();
        match of_file.filter(|_| !is_overridden) {
            Some(Variable { value, simple: true }) => return value.clone(),
            Some(Variable { value, simple: false }) => return self.expand(value, scope, depth + 1),
            None => {}
        }
        match name {
            // Its own options and variables go with it.
            "MAKE" => return self.make_command(),
            "CURDIR" => return self.directory.clone(),
            "MAKEFILE_LIST" => return self.files.join(" "),
            "MAKECMDGOALS" => return self.goal.clone().unwrap_or_default(),
            _ => {}
        }
        match of_environment {
            // It is makefile text like what the files say (GNU make manual, 6.10).
            Some(value) => self.expand(value, scope, depth + 1),
            None => implicit(name).unwrap_or_default().to_owned(),
        }
    }

    /// Returns the value of a variable of the files or the environment as it was written.
    pub fn raw(&self, name: &str) -> Option<String> {
        let of_file = self.variables.get(name).map(|variable| variable.value.clone());
        of_file.or_else(|| self.given.environment.get(name).cloned())
    }

    /// Notes a command that make runs when it expands a text; returns what stands for what it prints.
    pub fn shell(&self, command: &str) -> String {
        let command = shell_text(command);
        let value = format!("{}{command}{}", SHELL[0], SHELL[1]);
        self.shells.borrow_mut().push(command);
        value
    }

    fn make_command(&self) -> String {
        let mut command = match self.given.counts {
            Counts::BeforeFiles => "make -e".to_owned(),
            Counts::BehindFiles => "make".to_owned(),
        };
        for (name, value) in &self.given.line {
            if let Some(value) = value {
                command.push(' ');
                command.push_str(&shell_words::quote(&format!("{name}={value}")));
            }
        }
        command
    }

    fn function(&self, name: &str, text: &str, scope: &Scope, depth: usize) -> Option<String> {
        let given = Arguments { makefile: self, raw: split(text), scope, depth };
        Some(match name {
            "shell" => self.shell(&self.expand(text, scope, depth)),
            "if" => {
                let condition = given.at(0);
                let condition = condition.trim();
                match (is_open(condition), condition.is_empty()) {
                    (true, _) => {
                        // One of them is expanded, and what that runs runs.
                        given.at(1);
                        given.from(2);
                        unknown()
                    }
                    (false, false) => given.at(1),
                    (false, true) => given.from(2),
                }
            }
            "or" => {
                let mut values = (0..given.raw.len()).map(|at| given.at(at));
                match values.find(|value| !value.trim().is_empty()) {
                    // It may be empty, so that those behind it are expanded.
                    Some(value) if is_open(&value) => values.fold(unknown(), |value, _| value),
                    value => value.unwrap_or_default(),
                }
            }
            "and" => {
                let values: Vec<String> = (0..given.raw.len()).map(|at| given.at(at)).collect();
                let is_empty = values.iter().any(|value| value.trim().is_empty());
                values.last().filter(|_| !is_empty).cloned().unwrap_or_default()
            }
            "call" => {
                let called = given.at(0);
                let mut inner = scope.clone();
                for at in 0..10 {
                    inner.automatic.push((at.to_string(), given.at(at)));
                }
                let raw = self.raw(called.trim());
                match raw {
                    Some(raw) => self.expand(&raw, &inner, depth + 1),
                    None if depth < DEPTH => self
                        .function(called.trim(), &given.text(1), scope, depth + 1)
                        .unwrap_or_else(unknown),
                    None => unknown(),
                }
            }
            "foreach" => {
                let (variable, list) = (given.at(0), given.at(1));
                let body = given.text(2);
                let is_open = is_open(&list) || words(&list).count() > 64;
                let list = if is_open { made_of(&list) } else { list };
                let turn = |word: &str| {
                    let mut inner = scope.clone();
                    inner.automatic.push((variable.trim().to_owned(), word.to_owned()));
                    self.expand(&body, &inner, depth + 1)
                };
                words(&list).map(turn).collect::<Vec<_>>().join(" ")
            }
            // These print or stop.
            "info" | "warning" | "error" => {
                self.expand(text, scope, depth);
                String::new()
            }
            "eval" => {
                let said = self.expand(text, scope, depth);
                if is_open(&said) {
                    self.unread.set(true);
                } else {
                    self.evaluated.borrow_mut().push(said);
                }
                String::new()
            }
            "file" => {
                let name = given.at(0);
                given.from(1);
                // Make itself writes or reads it; for what is planned the shell might as well.
                for operator in ['>', '<'] {
                    if let Some(name) = name.trim().strip_prefix(operator) {
                        let name = shell_text(name.trim_start_matches(operator).trim());
                        self.shells.borrow_mut().push(format!(": {operator}\"{name}\""));
                    }
                }
                unknown()
            }
            "guile" => {
                self.unread.set(true);
                unknown()
            }
            "origin" | "flavor" | "word" | "words" | "wordlist" | "findstring" | "join"
            | "suffix" | "let" | "intcmp" => {
                self.expand(text, scope, depth);
                unknown()
            }
            _ => return self.function_of_words(name, &given),
        })
    }

    /// Returns what a function makes of words.
    fn function_of_words(&self, name: &str, given: &Arguments<'_>) -> Option<String> {
        Some(match name {
            "strip" => words(&given.at(0)).collect::<Vec<_>>().join(" "),
            "subst" => {
                let (from, to) = (given.at(0), given.at(1));
                let value = given.from(2);
                if is_open(&from) || is_open(&value) || from.is_empty() {
                    return Some(made_of(&value));
                }
                value.replace(&from, &to)
            }
            "patsubst" => {
                let (from, to) = (given.at(0), given.at(1));
                let (from, to) = (from.trim(), to.trim());
                each(&given.from(2), |word| substitute(from, to, word))
            }
            "filter" | "filter-out" => {
                let patterns = given.at(0);
                let value = given.from(1);
                if is_open(&patterns) || is_open(&value) {
                    return Some(made_of(&value));
                }
                let fits = |word: &&str| {
                    let mut patterns = words(&patterns);
                    let fits = patterns.any(|one| one == *word || stem(one, word).is_some());
                    fits == (name == "filter")
                };
                words(&value).filter(fits).collect::<Vec<_>>().join(" ")
            }
            "addprefix" => {
                let prefix = given.at(0);
                each(&given.from(1), |word| format!("{prefix}{word}"))
            }
            "addsuffix" => {
                let suffix = given.at(0);
                each(&given.from(1), |word| format!("{word}{suffix}"))
            }
            "dir" => each(&given.at(0), |word| directory(word).to_owned()),
            "notdir" => {
                each(&given.at(0), |word| word.rsplit('/').next().unwrap_or(word).to_owned())
            }
            "basename" => each(&given.at(0), |word| match word.rsplit_once('.') {
                Some((stem, ending)) if !ending.contains('/') => stem.to_owned(),
                _ => word.to_owned(),
            }),
            "firstword" => one_word(&given.at(0), |words| words.first().copied()),
            "lastword" => one_word(&given.at(0), |words| words.last().copied()),
            // The shell finds the same files as `wildcard`.
            "sort" | "wildcard" => given.at(0),
            "abspath" | "realpath" => {
                each(&given.at(0), |word| crate::recipes::below(&self.directory, word))
            }
            "value" => self.raw(&given.at(0)).unwrap_or_default(),
            _ => return None,
        })
    }
}

/// The arguments of a function, which are expanded as they are asked for.
struct Arguments<'a> {
    makefile: &'a Makefile,
    raw: Vec<&'a str>,
    scope: &'a Scope,
    depth: usize,
}

impl Arguments<'_> {
    fn at(&self, at: usize) -> String {
        let text = self.raw.get(at).copied().unwrap_or_default();
        self.makefile.expand(text, self.scope, self.depth)
    }

    /// The last argument, in which commas are text.
    fn from(&self, at: usize) -> String {
        self.makefile.expand(&self.text(at), self.scope, self.depth)
    }

    /// The same before it is expanded.
    fn text(&self, at: usize) -> String {
        self.raw.get(at..).unwrap_or_default().join(",")
    }
}

/// Returns the end of a reference that begins with a bracket.
pub fn closing(text: &str) -> Option<usize> {
    let open = text.as_bytes()[0];
    let close = if open == b'(' { b')' } else { b'}' };
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        if byte == open {
            depth += 1;
        } else if byte == close {
            depth -= 1;
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

/// Takes arguments of a function apart at commas outside of brackets.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn each(value: &str, work: impl Fn(&str) -> String) -> String {
    if is_open(value) {
        return made_of(value);
    }
    words(value).map(work).collect::<Vec<_>>().join(" ")
}

fn one_word(value: &str, choose: impl for<'w> Fn(&[&'w str]) -> Option<&'w str>) -> String {
    if is_open(value) {
        return made_of(value);
    }
    let words: Vec<&str> = words(value).collect();
    choose(&words).unwrap_or_default().to_owned()
}

fn directory(word: &str) -> &str {
    match word.rfind('/') {
        Some(at) => &word[..=at],
        None => "./",
    }
}
