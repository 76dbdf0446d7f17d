//! Workspaces of many packages: which of them an option, or the name behind `yarn workspace`, chooses.

use std::collections::BTreeSet;

use fast_glob::glob_match;
use serde_json::Value as Json;

use super::super::walk::Walker;
use super::Run;
use crate::model::{Arg, EffectKind, ProgramTrait, Target};
use crate::recipes::{below, upward, yaml};

/// Options whose value names packages: by name, by path, or as a pattern of them.
const NAMING: &[&str] = &["--workspace", "--filter", "--filter-prod", "--include", "--from"];
/// Options by which a script runs in all packages.
const ALL: &[&str] = &["--workspaces", "--recursive"];
/// Packages beyond this are not read.
const MEMBERS: usize = 64;
/// Directories beyond this are not looked into.
const DIRECTORIES: usize = 400;
/// How far below its root a workspace's packages are looked for.
const DEPTH: usize = 5;

/// A package of a workspace.
struct Member {
    directory: String,
    name: Option<String>,
}

impl Walker<'_> {
    /// Whether a command runs a script in other packages than that of its directory.
    pub(super) fn runs_in_members(&self, run: Run<'_>) -> bool {
        let subcommand = &self.plan.commands[run.by.index].interpretation.subcommand;
        matches!(subcommand.first().map(String::as_str), Some("workspace" | "workspaces"))
            || self.gives(run.by.index, NAMING)
            || self.gives(run.by.index, ALL)
            || self.plan.commands[run.by.index].interpretation.is(ProgramTrait::RunsInMembers)
    }

    /// Returns the directories of the packages in which a command runs a script; none where that is not known.
    pub(super) fn members(&mut self, run: Run<'_>) -> Option<Vec<String>> {
        let (root, patterns) = self.workspace(run)?;
        let mut visited = 0;
        let mut found = BTreeSet::new();
        for pattern in &patterns {
            let parts: Vec<&str> = pattern.split('/').collect();
            self.directories(&root, &parts, &mut visited, &mut found, 0)?;
        }
        let interpretation = &self.plan.commands[run.by.index].interpretation;
        let subcommand = interpretation.subcommand.clone();
        let mut chosen = Vec::new();
        for option in interpretation.given(NAMING) {
            chosen.push(option.value.as_ref().and_then(Arg::known)?.to_owned());
        }
        if let [first, name, ..] = subcommand.as_slice()
            && first == "workspace"
        {
            chosen.push(name.clone());
        }
        if self.gives(run.by.index, &["--include-workspace-root"])
            || chosen.iter().any(|one| is_open(one))
        {
            found.insert(root.clone());
        }
        if found.len() > MEMBERS || self.makes_members(&root) {
            return None;
        }
        let mut members = Vec::new();
        for directory in found {
            let path = below(&directory, "package.json");
            let Some(text) = self.recipe_file(&path, run) else { continue };
            let whole: Option<Json> = serde_json::from_str(&text).ok();
            let name = whole.as_ref().and_then(|whole| whole.get("name")).and_then(Json::as_str);
            members.push(Member { directory, name: name.map(str::to_owned) });
        }
        let fits = |member: &Member| {
            chosen.is_empty() || chosen.iter().any(|one| member.fits(one, run.directory, &root))
        };
        Some(members.into_iter().filter(fits).map(|member| member.directory).collect())
    }

    /// Returns where a workspace begins, and the patterns for its packages.
    fn workspace(&mut self, run: Run<'_>) -> Option<(String, Vec<String>)> {
        for above in upward(run.directory) {
            let path = below(above, "pnpm-workspace.yaml");
            let listed = if let Some(text) = self.recipe_file(&path, run) {
                yaml::parse(&text)?.get("packages").cloned()
            } else {
                let path = below(above, "package.json");
                let Some(text) = self.recipe_file(&path, run) else { continue };
                let whole: Json = serde_json::from_str(&text).ok()?;
                let listed = whole.get("workspaces").cloned();
                listed.map(|one| one.get("packages").cloned().unwrap_or(one))
            };
            let Some(Json::Array(listed)) = listed else { continue };
            let patterns =
                listed.iter().filter_map(Json::as_str).filter(|one| !one.starts_with('!'));
            let plain = |one: &str| one.trim_start_matches("./").trim_matches('/').to_owned();
            return Some((above.to_owned(), patterns.map(plain).collect()));
        }
        None
    }

    /// Adds the directories below one that a pattern stands for; none if there are too many to look at.
    fn directories(
        &self,
        from: &str,
        parts: &[&str],
        visited: &mut usize,
        found: &mut BTreeSet<String>,
        depth: usize,
    ) -> Option<()> {
        let Some((first, rest)) = parts.split_first() else {
            if self.scripts.exists(&below(from, "package.json")) {
                found.insert(from.to_owned());
            }
            return Some(());
        };
        if !first.contains(['*', '?', '[', '{']) {
            return self.directories(&below(from, first), rest, visited, found, depth);
        }
        *visited += 1;
        if *visited > DIRECTORIES {
            return None;
        }
        if *first == "**" {
            self.directories(from, rest, visited, found, depth)?;
        }
        if depth >= DEPTH {
            return Some(());
        }
        for name in self.scripts.directories(from) {
            if name.starts_with('.') || name == "node_modules" {
                continue;
            }
            let inside = below(from, &name);
            if *first == "**" {
                self.directories(&inside, parts, visited, found, depth + 1)?;
            } else if glob_match(*first, name.as_str()) {
                self.directories(&inside, rest, visited, found, depth + 1)?;
            }
        }
        Some(())
    }

    /// Whether something before this in the line may have made a package that is not there yet.
    fn makes_members(&self, root: &str) -> bool {
        self.plan.commands.iter().flat_map(|command| &command.effects).any(|effect| {
            matches!(effect.kind, EffectKind::Write | EffectKind::Append | EffectKind::Move)
                && matches!(&effect.target, Target::Path { path: Some(path), .. }
                    if path.starts_with(root) && path.ends_with("/package.json"))
        })
    }
}

impl Member {
    /// Whether what an option names chooses this package: more than it does where that is not plain.
    fn fits(&self, chosen: &str, directory: &str, root: &str) -> bool {
        if is_open(chosen) {
            return true;
        }
        let chosen = chosen.trim_matches(['{', '}']);
        let name = self.name.as_deref().unwrap_or_default();
        let unscoped = name.rsplit_once('/').map_or(name, |(_, name)| name);
        let is_named = [name, unscoped].iter().any(|name| glob_match(chosen, *name));
        is_named
            || [directory, root].iter().any(|from| {
                let path = below(from, chosen);
                let is_inside = self.directory.strip_prefix(path.trim_end_matches('/'));
                is_inside.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    || glob_match(path.as_str(), self.directory.as_str())
            })
    }
}

/// Whether what is chosen depends on more than names and paths: `...NAME`, `[SINCE]`, `!NAME`.
fn is_open(chosen: &str) -> bool {
    chosen.contains("...") || chosen.contains(['^', '[']) || chosen.starts_with('!')
}
