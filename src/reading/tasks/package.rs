//! Scripts of a `package.json`, and tasks of a `deno.json`.

use serde_json::{Map, Value as Json};

use super::super::state::Value;
use super::super::walk::Walker;
use super::{Recipe, Run, given_variables, holding};
use crate::model::{Arg, Effect, EffectKind, Opaque, PathClass, Reason, Runner, Target};
use crate::recipes::{below, directory_of, upward, with_words};

/// What an installation runs of the package itself, in this order.
const LIFECYCLE: &[&str] =
    &["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"];

/// What runs where the package is packed, gets a version, or is published (npm manual, "scripts").
const PACKED: &[(&str, &[&str])] = &[
    ("pack", &["prepack", "prepare", "postpack"]),
    ("version", &["preversion", "version", "postversion"]),
    ("publish", &["prepublishOnly", "prepack", "prepare", "postpack", "publish", "postpublish"]),
];

/// Shells that read a script as `sh` does.
const SHELLS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "/bin/sh", "/bin/bash", "/usr/bin/bash"];

impl Walker<'_> {
    /// Plans a script with what runs before and behind it. Returns whether there is one.
    pub(super) fn package_script(&mut self, runner: Runner, words: &[Arg], run: Run<'_>) -> bool {
        if self.runs_in_members(run) {
            let Some(members) = self.members(run) else { return false };
            return members.iter().fold(false, |is_read, member| {
                is_read | self.script_of(words, Run { directory: member, ..run })
            });
        }
        let directory = if self.gives(run.by.index, &["--workspace-root"]) {
            self.workspace_root(run)
        } else {
            Some(run.directory.to_owned())
        };
        let Some(directory) = directory else { return false };
        let run = Run { directory: &directory, ..run };
        (runner == Runner::Deno && self.deno_task(words, run)) || self.script_of(words, run)
    }

    /// Plans a script of the package around a directory.
    fn script_of(&mut self, words: &[Arg], run: Run<'_>) -> bool {
        let Some((file, scripts)) = self.package(run) else { return false };
        let name = run.task;
        let names: Vec<String> = match name {
            // What has no script of its own is stopped and started.
            "restart" if !scripts.contains_key("restart") => {
                ["stop", "start"].iter().flat_map(|name| hooked(name)).collect()
            }
            _ => hooked(name).to_vec(),
        };
        let is_there = names.iter().any(|one| scripts.contains_key(one) && !is_hook(one, name));
        if !is_there {
            return self.gives(run.by.index, &["--if-present"]);
        }
        let words = words.strip_prefix(&[Arg::Known("--".to_owned())]).unwrap_or(words);
        self.within(&file, name, |walker| {
            for one in &names {
                let Some(text) = scripts.get(one).and_then(Json::as_str) else { continue };
                let words = if one == name { words } else { &[] };
                walker.package_text(with_words(text, words), one, &file, run);
            }
        });
        scripts.get(name).is_none_or(Json::is_string)
    }

    /// Plans what an installation runs of the package itself.
    pub(super) fn lifecycle(&mut self, run: Run<'_>) {
        let interpretation = &self.plan.commands[run.by.index].interpretation;
        let subcommand = interpretation.subcommand.first().map(String::as_str);
        let packed = PACKED.iter().find(|(name, _)| subcommand == Some(name));
        let adds = packed.is_none()
            && interpretation.operands.iter().any(|(at, _)| {
                run.by.argv.get(*at).and_then(Arg::known).is_none_or(|word| !word.is_empty())
            });
        let without: &[&str] = match packed {
            None => &["--ignore-scripts", "--global", "--dry-run"],
            Some(_) => &["--ignore-scripts"],
        };
        let names = packed.map_or(LIFECYCLE, |(_, names)| names);
        if adds || self.gives(run.by.index, without) {
            return;
        }
        let Some((file, scripts)) = self.package(run) else { return };
        self.within(&file, run.task, |walker| {
            for name in names {
                if let Some(text) = scripts.get(*name).and_then(Json::as_str) {
                    walker.package_text(text.to_owned(), name, &file, run);
                }
            }
        });
    }

    fn package_text(&mut self, text: String, name: &str, file: &str, run: Run<'_>) {
        let mut environment = given_variables(&text, "npm_");
        // What the package does not set is what the line says.
        let own = self.environment_of(run.by.index);
        environment.retain(|(name, _)| !own.contains_key(name));
        environment.push(("INIT_CWD".to_owned(), holding(run.directory)));
        environment.push(("npm_lifecycle_event".to_owned(), holding(name)));
        // The package's own programs come first.
        environment.push(("PATH".to_owned(), Value::Unknown));
        self.recipe(Recipe { environment, ..Recipe::new(text, directory_of(file)) }, run.by);
    }

    /// Returns the nearest package of a directory: where it is, and its scripts.
    fn package(&mut self, run: Run<'_>) -> Option<(String, Map<String, Json>)> {
        let (path, text) = self.nearest(&["package.json"], run)?;
        self.package_settings(directory_of(&path), run);
        let scripts = object(&text?)?.get("scripts").and_then(Json::as_object).cloned();
        Some((path, scripts.unwrap_or_default()))
    }

    /// Settings of the package may give its scripts to another program than the shell.
    fn package_settings(&mut self, directory: &str, run: Run<'_>) {
        let path = below(directory, ".npmrc");
        let Some(text) = self.recipe_file(&path, run) else { return };
        let shell = text.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            let key = key.trim().trim_matches(['"', '\'']).replace('_', "-").to_ascii_lowercase();
            (key == "script-shell").then(|| value.trim().trim_matches(['"', '\'']))
        });
        if let Some(shell) = shell.filter(|shell| !SHELLS.contains(shell)) {
            let target = Target::Path { path: Some(shell.to_owned()), class: PathClass::Unknown };
            let effects = &mut self.plan.commands[run.by.index].effects;
            effects.push(Effect { kind: EffectKind::Execute, target });
            let span = self.span(run.by.span);
            self.plan.opaque.push(Opaque { reason: Reason::UnreadScript, span });
        }
    }

    /// Returns where the workspace of a package begins, as pnpm finds it.
    fn workspace_root(&mut self, run: Run<'_>) -> Option<String> {
        let is_root = |above: &&str| self.scripts.exists(&below(above, "pnpm-workspace.yaml"));
        let root = upward(run.directory).find(is_root)?.to_owned();
        // One that is made nearer would be taken instead.
        for above in upward(run.directory).take_while(|above| *above != root) {
            self.recipe_file(&below(above, "pnpm-workspace.yaml"), run);
        }
        Some(root)
    }

    fn deno_task(&mut self, words: &[Arg], run: Run<'_>) -> bool {
        let Some((path, Some(text))) = self.nearest(&["deno.json", "deno.jsonc"], run) else {
            return false;
        };
        let whole = object(&without_comments(&text));
        let tasks = whole.as_ref().and_then(|whole| whole.get("tasks")).and_then(Json::as_object);
        tasks.is_some_and(|tasks| self.deno_run(&path, tasks, words, run))
    }

    fn deno_run(
        &mut self,
        path: &str,
        tasks: &Map<String, Json>,
        words: &[Arg],
        run: Run<'_>,
    ) -> bool {
        let Some(task) = tasks.get(run.task) else { return false };
        let mut is_read = true;
        self.within(path, run.task, |walker| {
            for other in task.get("dependencies").and_then(Json::as_array).into_iter().flatten() {
                is_read &= other.as_str().is_some_and(|other| {
                    walker.deno_run(path, tasks, &[], Run { task: other, ..run })
                });
            }
            let command = task.as_str().or_else(|| task.get("command").and_then(Json::as_str));
            if let Some(text) = command {
                walker.recipe(Recipe::new(with_words(text, words), directory_of(path)), run.by);
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
