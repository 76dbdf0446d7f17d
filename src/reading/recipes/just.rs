//! Justfiles: recipes, their dependencies, variables with plain values, files that are imported, and modules.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::super::state::Value;
use super::super::walk::Walker;
use super::marks::{UNKNOWN, shell_text};
use super::{Recipe, Run, below, is_shell, upward};
use crate::model::Arg;

/// What just looks for in a directory and all above it.
const NAMES: [&str; 4] = ["justfile", ".justfile", "Justfile", "JUSTFILE"];
/// Imported files beyond this are not read.
const FILES: usize = 16;
/// What the names of variables of the environment begin with among those that expressions know.
const ENVIRONMENT: char = '$';

/// What a justfile says.
#[derive(Debug, Default)]
struct Justfile {
    recipes: HashMap<String, JustRecipe>,
    first: Option<String>,
    aliases: HashMap<String, String>,
    variables: Vec<(String, String, bool)>,
    /// Modules, and the file of each where one is named.
    modules: HashMap<String, Option<String>>,
    imports: Vec<String>,
    /// Its recipes run in something else than a shell, or in a place that is not known.
    is_strange: bool,
    exports_all: bool,
}

/// A justfile, or the file of a module, with what it imports.
#[derive(Debug)]
struct File {
    path: String,
    home: String,
    justfile: Justfile,
}

#[derive(Clone, Debug, Default)]
struct JustRecipe {
    parameters: Vec<Parameter>,
    dependencies: Vec<(String, Vec<String>)>,
    lines: Vec<String>,
    stays: bool,
}

#[derive(Clone, Debug)]
struct Parameter {
    name: String,
    default: Option<String>,
    takes_all: bool,
    exported: bool,
}

impl Walker<'_> {
    /// Plans the recipes that are named, or the first. Returns whether all of them were found and read.
    pub(super) fn just(
        &mut self,
        directory: &str,
        name: Option<&str>,
        words: &[Arg],
        run: Run<'_>,
    ) -> bool {
        if self.gives(run.index, &["-f", "-d", "--working-directory"]) {
            return false;
        }
        let task = name.unwrap_or("default");
        let Some((path, text)) = self.justfile(directory, task, run) else { return false };
        let mut file = self.whole_justfile(&path, text, task, run);
        if let Some(file) = Rc::get_mut(&mut file) {
            let first = name.map(|name| Arg::Known(name.to_owned()));
            file.justfile.set_on_line(first.iter().chain(words));
        }
        self.backticks(&file, run);
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
            let given = words[..most].to_vec();
            if !self.just_recipe(&file, directory, &own, &given, run) {
                return false;
            }
            rest.drain(..=most + taken);
        }
        true
    }

    /// Reads a file with recipes, and all that it imports.
    fn whole_justfile(&mut self, path: &str, text: Rc<str>, task: &str, run: Run<'_>) -> Rc<File> {
        let home = home_of(path);
        let mut justfile = Justfile::default();
        let mut texts = vec![(home.clone(), text)];
        let mut count = 0;
        while let Some((from, text)) = texts.pop() {
            count += 1;
            justfile.read(&text);
            for import in std::mem::take(&mut justfile.imports) {
                let path = below(&from, &import);
                // Where a name is put together, nothing says what it is.
                justfile.is_strange |= count >= FILES || import.contains("{{");
                if let Some(text) = self.recipe_file(&path, task, run).filter(|_| count < FILES) {
                    texts.push((home_of(&path), text));
                }
            }
        }
        Rc::new(File { path: path.to_owned(), home, justfile })
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
        let mut file = Rc::clone(file);
        let mut parts: Vec<&str> = name.split("::").collect();
        parts.reverse();
        let mut taken = 0;
        for _ in 0..FILES {
            let part = parts.pop()?;
            if parts.is_empty() && file.justfile.recipe(part).is_some() {
                return Some((file, part.to_owned(), taken));
            }
            let named = file.justfile.modules.get(part)?.clone();
            let path = self.just_module_file(&file.home, part, named.as_deref())?;
            let text = self.recipe_file(&path, name, run)?;
            file = self.whole_justfile(&path, text, name, run);
            self.backticks(&file, run);
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
        let named: Vec<String> = match named {
            Some(path) => {
                let inside = ["", "/mod.just", "/justfile", "/.justfile"];
                inside.iter().map(|end| below(home, &format!("{path}{end}"))).collect()
            }
            None => ["{}.just", "{}/mod.just", "{}/justfile", "{}/.justfile"]
                .iter()
                .map(|form| below(home, &form.replace("{}", name)))
                .collect(),
        };
        let is_directory = |path: &String| {
            self.scripts.exists(&below(path, "mod.just"))
                || self.scripts.exists(&below(path, "justfile"))
                || self.scripts.exists(&below(path, ".justfile"))
        };
        named.into_iter().find(|path| self.scripts.exists(path) && !is_directory(path))
    }

    fn justfile(&mut self, directory: &str, task: &str, run: Run<'_>) -> Option<(String, Rc<str>)> {
        for above in upward(directory) {
            for name in NAMES {
                let path = below(above, name);
                if let Some(text) = self.recipe_file(&path, task, run) {
                    return Some((path, text));
                }
                if self.scripts.exists(&path) {
                    return None;
                }
            }
        }
        None
    }

    /// Commands in values run whatever recipe is named.
    fn backticks(&mut self, file: &File, run: Run<'_>) {
        for (_, value, _) in &file.justfile.variables {
            self.commands_of(value, &file.home, run);
        }
    }

    /// Plans what an expression runs.
    fn commands_of(&mut self, expression: &str, home: &str, run: Run<'_>) {
        for command in commands_in(expression) {
            self.recipe(Recipe::new(command, home), run);
        }
    }

    /// Plans a recipe and those that it depends on. Returns whether all of them were read.
    fn just_recipe(
        &mut self,
        file: &Rc<File>,
        directory: &str,
        name: &str,
        words: &[Arg],
        run: Run<'_>,
    ) -> bool {
        let File { path, home, justfile } = &**file;
        let Some(recipe) = justfile.recipe(name) else { return false };
        let mut is_read = true;
        let given = self.marked_environment_of(run.index).into_iter();
        let mut variables: HashMap<String, String> =
            given.map(|(name, value)| (format!("{ENVIRONMENT}{name}"), value)).collect();
        let mut environment = Vec::new();
        for (variable, expression, exported) in &justfile.variables {
            let value = evaluate(expression, &variables, home);
            if (*exported || justfile.exports_all) && !value.contains(UNKNOWN) {
                environment.push((variable.clone(), Value::Word(Arg::Known(value.clone()))));
            }
            variables.insert(variable.clone(), value);
        }
        let mut left = words.iter();
        for parameter in &recipe.parameters {
            let value = if parameter.takes_all {
                left.by_ref().map(text_of).collect::<Vec<_>>().join(" ")
            } else {
                left.next().map(text_of).unwrap_or_default()
            };
            let value = match (&parameter.default, value.is_empty()) {
                (Some(default), true) => {
                    self.commands_of(default, home, run);
                    evaluate(default, &variables, home)
                }
                (_, _) => value,
            };
            if parameter.exported && !value.contains(UNKNOWN) {
                let value = Value::Word(Arg::Known(value.clone()));
                environment.push((parameter.name.clone(), value));
            }
            variables.insert(parameter.name.clone(), value);
        }
        self.within(path, name, |walker| {
            for (other, words) in &recipe.dependencies {
                let words: Vec<Arg> = words
                    .iter()
                    .map(|word| match evaluate(word, &variables, home) {
                        value if value.contains(UNKNOWN) => Arg::Unknown,
                        value => Arg::Known(value),
                    })
                    .collect();
                is_read &= match walker.just_module(file, other, &[], run) {
                    Some((file, own, _)) => walker.just_recipe(&file, directory, &own, &words, run),
                    None => false,
                };
            }
            for line in &recipe.lines {
                for inner in interpolations(line) {
                    walker.commands_of(inner, home, run);
                }
            }
            let texts: Vec<String> =
                recipe.lines.iter().map(|line| interpolate(line, &variables, home)).collect();
            let place = if recipe.stays { directory } else { home.as_str() };
            let texts = match texts.first() {
                Some(first) if first.starts_with("#!") => vec![texts.join("\n")],
                _ => commands(&texts),
            };
            for text in texts {
                let mut whole = Recipe::new(text, place);
                whole.environment.clone_from(&environment);
                whole.words = words.to_vec();
                walker.recipe(whole, run);
            }
        });
        is_read
    }
}

fn home_of(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((home, _)) if !home.is_empty() => home.to_owned(),
        _ => "/".to_owned(),
    }
}

/// Joins lines that a backslash continues, and takes away what is just's own before them.
fn commands(lines: &[String]) -> Vec<String> {
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

fn text_of(word: &Arg) -> String {
    word.known().map_or_else(|| UNKNOWN.to_string(), str::to_owned)
}

/// Writes out `{{…}}` in a line of a recipe.
fn interpolate(line: &str, variables: &HashMap<String, String>, home: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("{{") {
        out.push_str(&rest[..at]);
        rest = &rest[at + 2..];
        if let Some(more) = rest.strip_prefix("{{") {
            out.push_str("{{");
            rest = more;
            continue;
        }
        let Some(end) = rest.find("}}") else { break };
        out.push_str(&evaluate(&rest[..end], variables, home));
        rest = &rest[end + 2..];
    }
    out.push_str(rest);
    shell_text(&out)
}

/// Returns what stands between `{{` and `}}` in a line.
fn interpolations(line: &str) -> impl Iterator<Item = &str> {
    line.split("{{").skip(1).filter_map(|part| Some(part.split_once("}}")?.0))
}

/// Returns the commands that an expression runs: those between backticks, and those given to `shell`.
fn commands_in(expression: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = expression;
    while let Some(at) = rest.find(['`', '\'', '"']) {
        let calls_shell = rest[..at]
            .trim_end()
            .strip_suffix('(')
            .is_some_and(|before| before.trim_end().ends_with("shell"));
        rest = &rest[at..];
        let quote = &rest[..1];
        let triple = quote.repeat(3);
        let mark = if rest.starts_with(&triple) { triple.as_str() } else { quote };
        let inner = &rest[mark.len()..];
        let end = inner.find(mark).unwrap_or(inner.len());
        if quote == "`" || calls_shell {
            found.push(inner[..end].to_owned());
        }
        rest = inner.get(end + mark.len()..).unwrap_or_default();
    }
    found
}

/// Whether all quotes of an expression are closed.
fn is_closed(expression: &str) -> bool {
    let mut rest = expression;
    while let Some(at) = rest.find(['`', '\'', '"', '#']) {
        rest = &rest[at..];
        if rest.starts_with('#') {
            return true;
        }
        let triple = rest[..1].repeat(3);
        let mark = if rest.starts_with(&triple) { triple.as_str() } else { &rest[..1] };
        let inner = &rest[mark.len()..];
        let Some(end) = inner.find(mark) else { return false };
        rest = &inner[end + mark.len()..];
    }
    expression.matches('(').count() <= expression.matches(')').count()
        && expression.matches('{').count() <= expression.matches('}').count()
}

/// Evaluates an expression as far as it is plain: names, strings, `+` and `/`.
fn evaluate(expression: &str, variables: &HashMap<String, String>, home: &str) -> String {
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
    fn recipe(&self, name: &str) -> Option<&JustRecipe> {
        let name = self.aliases.get(name).map_or(name, String::as_str);
        self.recipes.get(name)
    }

    /// Sets the variables that stand on the line as `NAME=VALUE`.
    fn set_on_line<'a>(&mut self, words: impl Iterator<Item = &'a Arg>) {
        let given = words.filter_map(|word| word.known()?.split_once('='));
        for (name, value) in given {
            let is_plain = !value.contains('\'');
            let value = if is_plain { format!("'{value}'") } else { "?".to_owned() };
            for variable in self.variables.iter_mut().filter(|variable| variable.0 == name) {
                variable.1.clone_from(&value);
            }
        }
    }

    /// Reads the text of a file. What an importing file says counts for more than what it imports.
    fn read(&mut self, text: &str) {
        let known: HashSet<String> = self.recipes.keys().cloned().collect();
        let outer = std::mem::take(&mut self.variables);
        self.lines(text, &known);
        self.variables.extend(outer);
    }

    fn lines(&mut self, text: &str, known: &HashSet<String>) {
        let mut current: Option<String> = None;
        let mut attributes = String::new();
        if text.contains(UNKNOWN) {
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
    fn dedent(&mut self, name: Option<String>) {
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

    fn set(&mut self, setting: &str) {
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
    fn header(&mut self, line: &str, attributes: &str, known: &HashSet<String>) -> Option<String> {
        let mut rest = line.strip_prefix('@').unwrap_or(line);
        let mut words: Vec<String> = Vec::new();
        let mut word = String::new();
        let mut quote = None;
        let mut depth = 0_i32;
        let mut end = None;
        for (at, c) in rest.char_indices() {
            match (c, quote) {
                (c, Some(open)) => {
                    word.push(c);
                    if c == open {
                        quote = None;
                    }
                    continue;
                }
                ('\'' | '"' | '`', None) => quote = Some(c),
                ('(', None) => depth += 1,
                (')', None) => depth -= 1,
                (':', None) if depth == 0 => {
                    end = Some(at + 1);
                    break;
                }
                (' ', None) if depth == 0 => {
                    words.push(std::mem::take(&mut word));
                    continue;
                }
                _ => {}
            }
            word.push(c);
        }
        rest = &rest[end?..];
        words.push(word);
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

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['\'', '"'])
}

/// Reads the recipes that run before and behind one: `one (two "word") && three`.
fn dependencies(text: &str) -> Vec<(String, Vec<String>)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_have_parameters_dependencies_and_lines() {
        let mut justfile = Justfile::default();
        justfile.read(
            "import 'other.just'\nset shell := [\"bash\", \"-c\"]\ndir := 'a' / \"b\"\nalias t := test\n\
             # says\n@build target='x y' *rest: clean (gen \"z\") && after\n    echo {{dir}} {{ target }} \\\n      {{rest}}\n\n    two\n\n\
             test:\n\tcargo test\n",
        );
        assert_eq!(justfile.imports, ["other.just"]);
        assert_eq!(justfile.first.as_deref(), Some("build"));
        let build = justfile.recipe("build").unwrap();
        assert_eq!(build.dependencies[1], ("gen".to_owned(), vec!["\"z\"".to_owned()]));
        assert_eq!(build.dependencies[2].0, "after");
        assert_eq!(build.parameters[0].default.as_deref(), Some("'x y'"));
        assert!(build.parameters[1].takes_all);
        assert_eq!(build.lines, ["echo {{dir}} {{ target }} \\", "  {{rest}}", "", "two"]);
        assert_eq!(justfile.recipe("t").unwrap().lines, ["cargo test"]);
        assert!(!justfile.is_strange);
    }

    #[test]
    fn only_plain_expressions_have_a_value() {
        let variables = HashMap::from([("a".to_owned(), "x".to_owned())]);
        for (expression, value) in [
            ("a + '-' + \"y\"", "x-y"),
            ("a / 'b'", "x/b"),
            ("justfile_directory() / 'b'", "/w/b"),
            ("env('HOME')", "\u{f8f0}"),
            ("env_var_or_default('B', a) / 'x'", "x/x"),
            ("`ls`", "\u{f8f0}"),
            ("if a == '' { 'b' } else { 'c' }", "\u{f8f0}"),
        ] {
            assert_eq!(evaluate(expression, &variables, "/w"), value, "{expression}");
        }
    }
}
