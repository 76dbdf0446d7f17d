//! Scripts of a `package.json`, and tasks of a `deno.json`.

use serde_json::{Map, Value as Json};

use super::super::state::Value;
use super::super::walk::Walker;
use super::{Recipe, Run, below, given_variables, upward, with_words};
use crate::model::{Arg, Effect, EffectKind, Opaque, PathClass, Reason, Runner, Target};

/// What an installation runs of the package itself, in this order.
const LIFECYCLE: &[&str] =
    &["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];

/// Shells that read a script as `sh` does.
const SHELLS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "/bin/sh", "/bin/bash", "/usr/bin/bash"];

impl Walker<'_> {
    /// Plans a script with what runs before and behind it. Returns whether there is one.
    pub(super) fn package_script(
        &mut self,
        runner: Runner,
        directory: &str,
        name: &str,
        words: &[Arg],
        run: Run<'_>,
    ) -> bool {
        if self.runs_in_members(run) {
            let Some(members) = self.members(directory, name, run) else { return false };
            return members
                .iter()
                .fold(false, |is_read, member| is_read | self.script_of(member, name, words, run));
        }
        let directory = if self.gives(run.index, &["--workspace-root"]) {
            let Some(root) = self.workspace_root(directory, name, run) else { return false };
            root
        } else {
            directory.to_owned()
        };
        if runner == Runner::Deno && self.deno_task(&directory, name, words, run) {
            return true;
        }
        self.script_of(&directory, name, words, run)
    }

    /// Plans a script of the package around a directory.
    fn script_of(&mut self, directory: &str, name: &str, words: &[Arg], run: Run<'_>) -> bool {
        let Some((file, package)) = self.package(directory, name, run) else { return false };
        let Some(scripts) = package.get("scripts").and_then(Json::as_object) else {
            return self.gives(run.index, &["--if-present"]);
        };
        let names: Vec<String> = match name {
            // What has no script of its own is stopped and started.
            "restart" if !scripts.contains_key("restart") => {
                ["stop", "start"].iter().flat_map(|name| hooked(name)).collect()
            }
            _ => hooked(name).to_vec(),
        };
        let is_there = names.iter().any(|one| scripts.contains_key(one) && !is_hook(one, name));
        if !is_there {
            return self.gives(run.index, &["--if-present"]);
        }
        let words = words.strip_prefix(&[Arg::Known("--".to_owned())]).unwrap_or(words);
        self.within(&file, name, |walker| {
            for one in &names {
                let Some(text) = scripts.get(one).and_then(Json::as_str) else { continue };
                let words = if one == name { words } else { &[] };
                let text = with_words(text, words);
                walker.package_text(text, one, &file, directory, run);
            }
        });
        scripts.get(name).is_none_or(Json::is_string)
    }

    /// Plans what an installation runs of the package itself.
    pub(super) fn lifecycle(&mut self, directory: &str, run: Run<'_>) {
        let interpretation = &self.plan.commands[run.index].interpretation;
        let adds = interpretation.operands.iter().any(|(at, _)| {
            run.argv.get(*at).and_then(Arg::known).is_none_or(|word| !word.is_empty())
        });
        if adds || self.gives(run.index, &["--ignore-scripts", "--global", "--dry-run"]) {
            return;
        }
        let Some((file, package)) = self.package(directory, "install", run) else { return };
        let Some(scripts) = package.get("scripts").and_then(Json::as_object) else { return };
        self.within(&file, "install", |walker| {
            for name in LIFECYCLE {
                if let Some(text) = scripts.get(*name).and_then(Json::as_str) {
                    walker.package_text(text.to_owned(), name, &file, directory, run);
                }
            }
        });
    }

    fn package_text(&mut self, text: String, name: &str, file: &str, from: &str, run: Run<'_>) {
        let directory = file.rsplit_once('/').map_or("/", |(directory, _)| directory);
        let mut environment = given_variables(&text, "npm_");
        // What the package does not set is what the line says.
        let own = self.environment_of(run.index);
        environment.retain(|(name, _)| !own.contains_key(name));
        let word = |text: &str| Value::Word(Arg::Known(text.to_owned()));
        environment.push(("INIT_CWD".to_owned(), word(from)));
        environment.push(("npm_lifecycle_event".to_owned(), word(name)));
        // The package's own programs come first.
        environment.push(("PATH".to_owned(), Value::Unknown));
        let directory = if directory.is_empty() { "/" } else { directory };
        self.recipe(Recipe { environment, ..Recipe::new(text, directory) }, run);
    }

    /// Returns the nearest package of a directory, and where it is.
    fn package(
        &mut self,
        directory: &str,
        name: &str,
        run: Run<'_>,
    ) -> Option<(String, Map<String, Json>)> {
        for above in upward(directory) {
            let path = below(above, "package.json");
            let text = self.recipe_file(&path, name, run);
            if text.is_none() && !self.scripts.exists(&path) {
                continue;
            }
            self.package_settings(above, name, run);
            return Some((path, object(&text?)?));
        }
        None
    }

    /// Settings of the package may give its scripts to another program than the shell.
    fn package_settings(&mut self, directory: &str, name: &str, run: Run<'_>) {
        let path = below(directory, ".npmrc");
        let Some(text) = self.recipe_file(&path, name, run) else { return };
        let shell = text.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            let key = key.trim().trim_matches(['"', '\'']).replace('_', "-").to_ascii_lowercase();
            (key == "script-shell").then(|| value.trim().trim_matches(['"', '\'']))
        });
        if let Some(shell) = shell.filter(|shell| !SHELLS.contains(shell)) {
            let target = Target::Path { path: Some(shell.to_owned()), class: PathClass::Unknown };
            let effects = &mut self.plan.commands[run.index].effects;
            effects.push(Effect { kind: EffectKind::Execute, target });
            let span = self.span(run.span);
            self.plan.opaque.push(Opaque { reason: Reason::UnreadScript, span });
        }
    }

    /// Returns where the workspace of a package begins, as pnpm finds it.
    fn workspace_root(&mut self, directory: &str, name: &str, run: Run<'_>) -> Option<String> {
        let is_root = |above: &&str| self.scripts.exists(&below(above, "pnpm-workspace.yaml"));
        let root = upward(directory).find(is_root)?.to_owned();
        // One that is made nearer would be taken instead.
        for above in upward(directory).take_while(|above| *above != root) {
            self.recipe_file(&below(above, "pnpm-workspace.yaml"), name, run);
        }
        Some(root)
    }

    fn deno_task(&mut self, directory: &str, name: &str, words: &[Arg], run: Run<'_>) -> bool {
        for above in upward(directory) {
            for file in ["deno.json", "deno.jsonc"] {
                let path = below(above, file);
                let Some(text) = self.recipe_file(&path, name, run) else { continue };
                let Some(whole) = object(&without_comments(&text)) else { return false };
                let Some(tasks) = whole.get("tasks").and_then(Json::as_object) else {
                    return false;
                };
                return self.deno_run(&path, tasks, name, words, run);
            }
        }
        false
    }

    fn deno_run(
        &mut self,
        path: &str,
        tasks: &Map<String, Json>,
        name: &str,
        words: &[Arg],
        run: Run<'_>,
    ) -> bool {
        let Some(task) = tasks.get(name) else { return false };
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory).to_owned();
        let directory = if directory.is_empty() { "/".to_owned() } else { directory };
        let mut is_read = true;
        self.within(path, name, |walker| {
            for other in task.get("dependencies").and_then(Json::as_array).into_iter().flatten() {
                is_read &= other
                    .as_str()
                    .is_some_and(|other| walker.deno_run(path, tasks, other, &[], run));
            }
            let command = task.as_str().or_else(|| task.get("command").and_then(Json::as_str));
            if let Some(text) = command {
                walker.recipe(Recipe::new(with_words(text, words), &directory), run);
            }
        });
        is_read
    }
}

/// A script, and what runs before and behind it.
fn hooked(name: &str) -> [String; 3] {
    [format!("pre{name}"), name.to_owned(), format!("post{name}")]
}

fn is_hook(one: &str, name: &str) -> bool {
    one != name && one.ends_with(name)
}

fn object(text: &str) -> Option<Map<String, Json>> {
    match serde_json::from_str(text) {
        Ok(Json::Object(object)) => Some(object),
        Ok(_) | Err(_) => None,
    }
}

/// Takes comments, and commas behind the last of a list, out of JSON.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_text = false;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '\\' if is_text => {
                taken += rest[1..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..taken]);
            }
            '"' => {
                is_text = !is_text;
                out.push(c);
            }
            '/' if !is_text && rest.starts_with("//") => {
                taken = rest.find('\n').unwrap_or(rest.len());
            }
            '/' if !is_text && rest.starts_with("/*") => {
                taken = rest[2..].find("*/").map_or(rest.len(), |end| end + 4);
            }
            ']' | '}' if !is_text && out.trim_end().ends_with(',') => {
                out.truncate(out.trim_end().len() - 1);
                out.push(c);
            }
            _ => out.push(c),
        }
        rest = &rest[taken..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_left_out() {
        let text = r#"{ // one
            "a": "x // y \" /* z", /* two
            */ "b": ["c", ], }"#;
        let object = object(&without_comments(text)).unwrap();
        assert_eq!(object["a"], "x // y \" /* z");
        assert_eq!(object["b"], serde_json::json!(["c"]));
    }
}
