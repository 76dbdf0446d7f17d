//! Justfiles: recipes, their dependencies, variables with plain values, files that are imported, and modules.

use std::collections::{HashMap, HashSet};

use super::is_shell;
use super::marks::{MARKS, UNKNOWN, filled, shell_text};
use crate::model::Arg;

/// Imported files beyond this are not read.
pub const FILES: usize = 16;
/// What the names of variables of the environment begin with among those that expressions know.
pub const ENVIRONMENT: char = '$';

/// What a justfile says.
#[derive(Debug, Default)]
pub struct Justfile {
    /// By their names.
    pub recipes: HashMap<String, JustRecipe>,
    /// The recipe that runs where none is named.
    pub first: Option<String>,
    pub aliases: HashMap<String, String>,
    /// Each name, expression, and whether it is exported.
    pub variables: Vec<(String, String, bool)>,
    /// Modules, and the file of each where one is named.
    pub modules: HashMap<String, Option<String>>,
    /// Files that were named and are not yet read.
    pub imports: Vec<String>,
    /// Its recipes run in something else than a shell, or in a place that is not known.
    pub is_strange: bool,
    pub exports_all: bool,
}

/// A justfile, or the file of a module, with what it imports.
#[derive(Debug)]
pub struct File {
    pub path: String,
    pub justfile: Justfile,
}

/// A recipe.
#[derive(Clone, Debug, Default)]
pub struct JustRecipe {
    pub parameters: Vec<Parameter>,
    /// The recipes that run before it, and the expressions that each gets.
    pub dependencies: Vec<(String, Vec<String>)>,
    pub lines: Vec<String>,
    /// Whether it runs in the directory of whoever calls.
    pub stays: bool,
}

/// A parameter of a recipe.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub default: Option<String>,
    pub takes_all: bool,
    pub exported: bool,
}

/// Joins lines that a backslash continues, and takes away what is just's own before them.
pub fn commands(lines: &[String]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut continues = false;
    for line in lines {
        match texts.last_mut().filter(|_| continues) {
            Some(last) => {
                last.push('\n');
                last.push_str(line.trim_start());
            }
            None => texts.push(line.trim_start_matches(['@', '-', ' ', '\t']).to_owned()),
        }
        continues = line.ends_with('\\');
    }
    texts.retain(|text| !text.trim().is_empty());
    texts
}

pub fn text_of(word: &Arg) -> String {
    word.known().map_or_else(|| UNKNOWN.to_string(), str::to_owned)
}

/// Writes out `{{…}}` in a line of a recipe. Four brackets are two of its text.
pub fn interpolate(line: &str, variables: &HashMap<String, String>, home: &str) -> String {
    let parts =
        line.split("{{{{").map(|part| filled(part, |it| Some(evaluate(it, variables, home))));
    shell_text(&parts.collect::<Vec<_>>().join("{{"))
}

/// Returns what stands between `{{` and `}}` in a line.
pub fn interpolations(line: &str) -> impl Iterator<Item = &str> {
    line.split("{{").skip(1).filter_map(|part| Some(part.split_once("}}")?.0))
}

/// Returns the commands that an expression runs: those between backticks, and those given to `shell`.
pub fn commands_in(expression: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(at) = rest.find(['`', '\'', '"']) {
        let (before, string) = rest.split_at(at);
        let before = before.trim_end().strip_suffix('(');
        let calls_shell = before.is_some_and(|before| before.trim_end().ends_with("shell"));
        let (inner, behind) = quoted(string).unwrap_or((&string[1..], ""));
        if string.starts_with('`') || calls_shell {
            found.push(inner.to_owned());
        }
        rest = behind;
    }
    found
}

/// Returns what stands in the quotes that a text begins with, one or three, and what stands behind them; none if they are not closed.
pub fn quoted(text: &str) -> Option<(&str, &str)> {
    let triple = text[..1].repeat(3);
    let mark = if text.starts_with(&triple) { &triple } else { &text[..1] };
    text[mark.len()..].split_once(mark)
}

/// Whether all quotes of an expression are closed.
pub fn is_closed(expression: &str) -> bool {
    let mut rest = expression;
    while let Some(at) = rest.find(['`', '\'', '"', '#']) {
        rest = &rest[at..];
        if rest.starts_with('#') {
            return true;
        }
        let Some((_, behind)) = quoted(rest) else { return false };
        rest = behind;
    }
    expression.matches('(').count() <= expression.matches(')').count()
        && expression.matches('{').count() <= expression.matches('}').count()
}

/// Evaluates an expression as far as it is plain: names, strings, `+` and `/`.
pub fn evaluate(expression: &str, variables: &HashMap<String, String>, home: &str) -> String {
    let mut out = String::new();
    let mut rest = expression.trim();
    while !rest.is_empty() {
        let end = match rest.chars().next() {
            Some(quote @ ('\'' | '"')) => {
                let Some(end) = rest[1..].find(quote) else { return UNKNOWN.to_string() };
                let text = &rest[1..=end];
                if quote == '"' && text.contains('\\') {
                    return UNKNOWN.to_string();
                }
                out.push_str(text);
                end + 2
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                let call = rest[end..].trim_start();
                match (&rest[..end], call.starts_with('('), variables.get(&rest[..end])) {
                    ("justfile_directory" | "invocation_directory", true, _)
                        if call.starts_with("()") =>
                    {
                        out.push_str(home);
                        rest = &call[2..];
                        0
                    }
                    ("env" | "env_var" | "env_var_or_default", true, _) => {
                        let Some((words, behind)) = call[1..].split_once(')') else {
                            return UNKNOWN.to_string();
                        };
                        let (name, default) = words.split_once(',').unwrap_or((words, "?"));
                        let name = format!("{ENVIRONMENT}{}", unquoted(name));
                        match variables.get(&name) {
                            Some(value) => out.push_str(value),
                            None => out.push_str(&evaluate(default, variables, home)),
                        }
                        rest = behind;
                        0
                    }
                    (_, false, Some(value)) => {
                        out.push_str(value);
                        end
                    }
                    _ => return UNKNOWN.to_string(),
                }
            }
            _ => return UNKNOWN.to_string(),
        };
        rest = rest[end..].trim_start();
        if let Some(more) = rest.strip_prefix('/') {
            out.push('/');
            rest = more.trim_start();
        } else if let Some(more) = rest.strip_prefix('+') {
            rest = more.trim_start();
        } else if !rest.is_empty() {
            return UNKNOWN.to_string();
        }
    }
    out
}

impl Justfile {
    pub fn recipe(&self, name: &str) -> Option<&JustRecipe> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        self.recipes.get(name)
    }

    /// Sets the variables that stand on the line as `NAME=VALUE`.
    pub fn set_on_line(&mut self, words: &[&Arg]) {
        let given = words.iter().filter_map(|word| word.known()?.split_once('='));
        for (name, value) in given {
            let is_plain = !value.contains('\'');
            let value = if is_plain { format!("'{value}'") } else { "?".to_owned() };
            for variable in self.variables.iter_mut().filter(|variable| variable.0 == name) {
                variable.1.clone_from(&value);
            }
        }
    }

    /// Reads the text of a file. What an importing file says counts for more than what it imports.
    pub fn read(&mut self, text: &str) {
        let known: HashSet<String> = self.recipes.keys().cloned().collect();
        let outer = std::mem::take(&mut self.variables);
        self.lines(text, &known);
        self.variables.extend(outer);
    }

    pub fn lines(&mut self, text: &str, known: &HashSet<String>) {
        let mut current: Option<String> = None;
        let mut attributes = String::new();
        if text.contains(MARKS) {
            self.is_strange = true;
            return;
        }
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with([' ', '\t']) || (line.is_empty() && current.is_some()) {
                let Some(recipe) = current.as_ref().and_then(|name| self.recipes.get_mut(name))
                else {
                    continue;
                };
                recipe.lines.push(line.to_owned());
                continue;
            }
            self.dedent(current.take());
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with('[') {
                attributes.push_str(line);
                continue;
            }
            let attributes = std::mem::take(&mut attributes);
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "import" | "import?" => {
                    self.imports.push(unquoted(rest).to_owned());
                    continue;
                }
                "mod" | "mod?" if !line.contains(':') => {
                    let (name, path) = rest.trim().split_once(' ').unwrap_or((rest.trim(), ""));
                    let path = Some(unquoted(path)).filter(|path| !path.is_empty());
                    self.modules.insert(name.to_owned(), path.map(str::to_owned));
                    continue;
                }
                "set" if !rest.contains("):") => {
                    self.set(rest);
                    continue;
                }
                "alias" if rest.contains(":=") => {
                    if let Some((name, of)) = rest.split_once(":=") {
                        self.aliases.insert(name.trim().to_owned(), of.trim().to_owned());
                    }
                    continue;
                }
                _ => {}
            }
            let exported = line.strip_prefix("export ");
            if let Some((name, value)) = exported.unwrap_or(line).split_once(":=") {
                let name = name.trim().to_owned();
                let mut value = value.trim().to_owned();
                while !is_closed(&value) {
                    let Some(more) = lines.next() else { break };
                    value.push('\n');
                    value.push_str(more);
                }
                self.variables.push((name, value, exported.is_some()));
                continue;
            }
            current = self.header(line, &attributes, known);
        }
        self.dedent(current);
    }

    /// Takes the indentation of a recipe's first line off all of its lines.
    pub fn dedent(&mut self, name: Option<String>) {
        let Some(recipe) = name.and_then(|name| self.recipes.get_mut(&name)) else { return };
        let first = recipe.lines.iter().find(|line| !line.trim().is_empty());
        let width = first.map_or(0, |line| line.len() - line.trim_start().len());
        for line in &mut recipe.lines {
            let own = line.len() - line.trim_start().len();
            line.drain(..own.min(width));
        }
        let end = recipe.lines.iter().rposition(|line| !line.trim().is_empty());
        recipe.lines.truncate(end.map_or(0, |end| end + 1));
    }

    pub fn set(&mut self, setting: &str) {
        let (name, value) = setting.split_once(":=").unwrap_or((setting, "true"));
        match name.trim() {
            "shell" => {
                let mut words =
                    value.split(['[', ',', ']']).map(unquoted).filter(|word| !word.is_empty());
                let shell = words.next().unwrap_or_default();
                self.is_strange |= !is_shell(shell)
                    || !words.all(|word| word.starts_with('-') || word == "pipefail");
            }
            "working-directory" => self.is_strange = true,
            "export" => self.exports_all = value.trim() == "true",
            _ => {}
        }
    }

    /// Reads the line that begins a recipe: `@NAME PARAMETERS: DEPENDENCIES`.
    pub fn header(
        &mut self,
        line: &str,
        attributes: &str,
        known: &HashSet<String>,
    ) -> Option<String> {
        let mut rest = line.strip_prefix('@').unwrap_or(line);
        let mut words = vec![String::new()];
        let mut depth = 0_i32;
        loop {
            let c = rest.chars().next()?;
            let behind = match c {
                '\'' | '"' | '`' => quoted(rest)?.1,
                _ => &rest[c.len_utf8()..],
            };
            match c {
                ':' if depth == 0 => break,
                ' ' if depth == 0 => words.push(String::new()),
                _ => words.last_mut()?.push_str(&rest[..rest.len() - behind.len()]),
            }
            depth += i32::from(c == '(') - i32::from(c == ')');
            rest = behind;
        }
        rest = &rest[1..];
        words.retain(|word| !word.is_empty());
        let (name, parameters) = words.split_first()?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if !name.chars().all(is_name) {
            return None;
        }
        let mut recipe = JustRecipe {
            stays: attributes.contains("no-cd"),
            dependencies: dependencies(rest),
            ..JustRecipe::default()
        };
        // In a place of its own, or in a language of its own: its text is not followed.
        if attributes.contains("working-directory") || attributes.contains("script") {
            self.is_strange = true;
        }
        for word in parameters {
            let plain = word.trim_start_matches(['*', '+', '$']);
            let (parameter, default) = match plain.split_once('=') {
                Some((name, default)) => (name, Some(default.to_owned())),
                None => (plain, None),
            };
            let sigils = &word[..word.len() - plain.len()];
            recipe.parameters.push(Parameter {
                name: parameter.to_owned(),
                default,
                takes_all: sigils.contains(['*', '+']),
                exported: sigils.contains('$'),
            });
        }
        if known.contains(name) {
            return None;
        }
        if self.first.is_none() {
            self.first = Some(name.clone());
        }
        self.recipes.insert(name.clone(), recipe);
        Some(name.clone())
    }
}

pub fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['\'', '"'])
}

/// Reads the recipes that run before and behind one: `one (two "word") && three`.
pub fn dependencies(text: &str) -> Vec<(String, Vec<String>)> {
    let text = text.split('#').next().unwrap_or(text).replace("&&", " ");
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = if rest.starts_with('(') {
            rest.find(')').map_or(rest.len(), |end| end + 1)
        } else {
            rest.find([' ', '(']).unwrap_or(rest.len())
        };
        let one = rest[..end].trim_matches(['(', ')']);
        let mut words = one.split_whitespace().map(str::to_owned);
        if let Some(name) = words.next() {
            found.push((name, words.collect()));
        }
        rest = rest[end..].trim_start();
    }
    found
}
