//! What a pattern stands for beside what its text says: the guarded places that it means, and what is there that it fits.
//! Where more is there than is looked at, it stands for all that it fits.

use super::walk::Walker;
use crate::catalog::Place;
use crate::embedded::HIDDEN;
use crate::model::{Arg, EffectKind, Entry, EntryKind, PathClass, TRACKED, Target};
use crate::paths::{self, Aim, Component, Expander};

/// Paths beyond these are not held apart.
const PATHS: usize = 1_000;

/// So many directories are looked through for files.
const DIRECTORIES: usize = 100;

/// How deep in hidden directories guarded files are looked for.
const DEEP: usize = 2;

/// A path that a pattern fits.
struct Found {
    path: String,
    kind: EntryKind,
    /// It may lead over a link.
    linked: bool,
}

impl Walker<'_> {
    /// Returns what else an effect is done to, whose target is a pattern.
    pub(super) fn stood_for(&self, kind: EffectKind, target: &Arg, pattern: &str) -> Vec<Target> {
        if self.place != Place::Here || !pattern.contains(['*', '?', '[', '{']) {
            return Vec::new();
        }
        let expander = match target {
            Arg::Glob(_) => Expander::Shell,
            Arg::Known(_) | Arg::Prefix(_) | Arg::Unknown | Arg::Many => Expander::Program,
        };
        let named = |path: &str, class| Target::Path { path: Some(path.to_owned()), class };
        let reached = |least| {
            let classes = paths::reached(kind, pattern, expander, least, self.facts);
            classes.into_iter().map(|class| named(pattern, class))
        };
        let mut targets: Vec<Target> = reached(Aim::Plain).collect();
        if kind == EffectKind::List || !paths::matters(kind, PathClass::Secret) {
            return targets;
        }
        // Before bash 5.2, `.*` stands for `..` too.
        if let Some(above) = above(pattern) {
            targets.push(named(&above, self.class(kind, &above)));
        }
        if expander == Expander::Program {
            return targets;
        }
        // Whatever is hidden below a place.
        let is_hidden =
            |name: &str| name.starts_with('.') && !name.contains(|c: char| !"*?.[]!".contains(c));
        if kind == EffectKind::Read
            && pattern.rsplit_once("**/").is_some_and(|(_, name)| is_hidden(name))
        {
            targets.extend(reached(Aim::Vague));
        }
        let all_below = || Some((pattern.strip_suffix("/**")?, "*"));
        if let Some((start, name)) = pattern.split_once("/**/").or_else(all_below) {
            let found = self.guarded_below(kind, start, name).into_iter().map(|path| {
                let class = self.class(kind, &path);
                named(&path, class)
            });
            targets.extend(found);
        }
        if pattern.contains("**") {
            return targets;
        }
        let Some(found) = self.there(pattern) else {
            targets.extend(reached(Aim::Vague));
            return targets;
        };
        // What a command before brings there has names that are not known yet: one that settings often have stands for them.
        if found.is_empty() && !self.plan.commands.is_empty() {
            let named_so = pattern.replace("/*/", "/x/").replace('*', "x");
            let named_so = pattern
                .strip_suffix("/*")
                .map_or(named_so, |above| format!("{}/x.yaml", above.replace('*', "x")));
            targets.extend(Some(named(pattern, self.class(kind, &named_so))).filter(|target| {
                target.class() == Some(PathClass::Secret) && !named_so.contains(['?', '['])
            }));
        }
        for Found { path, kind: entry, linked } in found {
            let class = self.class(kind, &path);
            let it = named(&path, class);
            let is_new = |target: &Target| !targets.contains(target);
            if linked && let Some(behind) = self.behind_links(kind, "/", &path, &it).filter(is_new)
            {
                targets.push(behind);
            }
            if paths::matters(kind, class) && !is_passed_over(kind, entry, class) {
                targets.push(it);
            }
            if targets.len() > PATHS {
                break;
            }
        }
        targets
    }

    /// Returns the guarded files below a directory that are there and whose name fits: those in it, and in its hidden directories
    /// that hold guarded places. A name that says nothing means none of them, but where it is all that is tracked, or the directory is a
    /// hidden one.
    pub(super) fn guarded_below(&self, kind: EffectKind, start: &str, name: &str) -> Vec<String> {
        let is_tracked = name == TRACKED;
        let says = name.contains(|c: char| !"*?.[]!/".contains(c));
        let is_hidden = !self.facts.workspaces.iter().any(|root| root == start)
            && start.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
        if !kind.changes() || name.contains('/') || !(says || is_tracked || is_hidden) {
            return Vec::new();
        }
        let component = Component::new(name, true);
        let is_searched = |entry: &Entry, path: &str| {
            entry.kind == EntryKind::Directory
                && !(is_tracked && entry.name == ".git")
                && !paths::reached(
                    kind,
                    &format!("{path}/**"),
                    Expander::Shell,
                    Aim::Plain,
                    self.facts,
                )
                .is_empty()
        };
        let mut found = Vec::new();
        let mut open = vec![(start.to_owned(), usize::from(is_hidden))];
        while let Some((directory, depth)) = open.pop() {
            let fits = |name: &str| component.fits(name) || depth > 0 || name.starts_with('.');
            for entry in self.scripts.fitting(&directory, &fits).unwrap_or_default() {
                let path = format!("{directory}/{}", entry.name);
                let is_hidden = depth > 0 || entry.name.starts_with('.');
                if depth < DEEP && is_hidden && is_searched(&entry, &path) {
                    open.push((path, depth + 1));
                } else if entry.kind != EntryKind::Directory
                    && component.fits(&entry.name)
                    && paths::matters(kind, self.class(kind, &path))
                {
                    found.push(path);
                }
                if found.len() > PATHS {
                    return found;
                }
            }
        }
        found
    }

    /// Returns what code names: where that is a hidden name in a directory that it lists, or leads through one, those that are there.
    pub(super) fn through_hidden(&self, target: Option<Arg>) -> Vec<Option<Arg>> {
        let through = |pattern: &str| {
            let (above, behind) = pattern.split_once(HIDDEN)?;
            Some((above.to_owned(), behind.to_owned()))
        };
        let Some((above, behind)) = target.as_ref().and_then(Arg::pattern).and_then(through) else {
            return vec![target];
        };
        let is_hidden = |name: &str| name.starts_with('.');
        let mut found = Vec::new();
        for directory in self.state.directories.iter().flatten() {
            let directory = paths::absolute(directory, &above);
            let entries = self.scripts.fitting(&directory, &is_hidden).unwrap_or_default();
            let leads_on = |kind| behind.is_empty() || kind == EntryKind::Directory;
            let entries = entries.into_iter().filter(|entry| leads_on(entry.kind));
            let path = |entry: Entry| Arg::Glob(format!("{directory}/{}{behind}", entry.name));
            found.extend(entries.take(PATHS).map(|entry| Some(path(entry))));
        }
        found
    }

    /// Returns the directories that are there and fit a pattern.
    pub(super) fn directories_fitting(&self, pattern: &str) -> Vec<String> {
        let found = self.there(pattern).unwrap_or_default().into_iter();
        let is_directory = |found: &Found| {
            found.kind == EntryKind::Directory || self.scripts.is_directory(&found.path)
        };
        found.filter(is_directory).map(|found| found.path).collect()
    }

    /// Returns the files that are there and fit a pattern.
    pub(super) fn files_fitting(&self, pattern: &str) -> Vec<String> {
        let found = self.there(pattern).unwrap_or_default().into_iter();
        let is_file = |found: &Found| found.kind != EntryKind::Directory;
        found.filter(is_file).map(|found| found.path).collect()
    }

    /// Returns whether a pattern stands for several files that are there, or for more than is looked at.
    pub(super) fn stands_for_files(&self, pattern: &str) -> bool {
        let is_file = |found: &&Found| found.kind != EntryKind::Directory;
        match pattern.split_once("/**") {
            Some((start, name)) => self.holds_several(start, name.trim_start_matches('/')),
            None if pattern.contains(['*', '?', '[']) => {
                self.there(pattern).is_none_or(|found| found.iter().filter(is_file).count() > 1)
            }
            None => false,
        }
    }

    /// Whether several files below a directory have a name that fits, or there is more than is looked at.
    fn holds_several(&self, start: &str, name: &str) -> bool {
        let is_looked_at =
            !start.contains(['*', '?', '[']) && !name.contains('/') && name != TRACKED;
        if !is_looked_at || !self.scripts.exists(start) {
            return true;
        }
        let component = Component::new(if name.is_empty() { "*" } else { name }, true);
        let (mut files, mut looked) = (0, 0);
        let mut open = vec![start.to_owned()];
        while let Some(directory) = open.pop() {
            let Some(entries) = self.scripts.fitting(&directory, &|_| true) else { return true };
            looked += 1;
            for entry in entries {
                match entry.kind {
                    EntryKind::Directory => open.push(format!("{directory}/{}", entry.name)),
                    _ => files += usize::from(component.fits(&entry.name)),
                }
            }
            if files > 1 || looked > DIRECTORIES {
                return true;
            }
        }
        false
    }

    /// Returns the paths that are there and fit a pattern; none if that is more than is looked at.
    fn there(&self, pattern: &str) -> Option<Vec<Found>> {
        let start = Found { path: String::new(), kind: EntryKind::Directory, linked: false };
        let mut found = vec![start];
        let mut is_open = false;
        for name in pattern.split('/').skip(1) {
            let component = Component::new(name, false);
            let mut next = Vec::new();
            for Found { path, kind, linked } in found {
                if let Some(name) = component.written() {
                    let path = format!("{path}/{name}");
                    if !is_open || self.scripts.exists(&path) {
                        next.push(Found { path, kind: EntryKind::Other, linked: is_open });
                    }
                    continue;
                }
                if is_open && kind == EntryKind::Other && !linked {
                    continue;
                }
                let directory = if path.is_empty() { "/" } else { &path };
                let fits = |name: &str| component.fits(name);
                for entry in self.scripts.fitting(directory, &fits)? {
                    next.push(Found {
                        path: format!("{path}/{}", entry.name),
                        kind: entry.kind,
                        linked: linked || entry.kind == EntryKind::Link,
                    });
                }
                if next.len() > PATHS {
                    return None;
                }
            }
            is_open |= !component.is_written_out();
            found = next;
        }
        Some(found)
    }
}

/// The path that a pattern stands for where its components that fit `..` do so.
fn above(pattern: &str) -> Option<String> {
    let fits = |name: &&str| name.starts_with('.') && Component::new(name, false).fits("..");
    pattern.split('/').any(|name| fits(&name)).then(|| {
        let names: Vec<&str> =
            pattern.split('/').map(|name| if fits(&name) { ".." } else { name }).collect();
        paths::absolute("/", &names.join("/"))
    })
}

/// Whether an effect is not done to directories, and this is one.
const fn is_passed_over(kind: EffectKind, entry: EntryKind, class: PathClass) -> bool {
    let of_files = matches!(
        kind,
        EffectKind::Write | EffectKind::Append | EffectKind::Delete | EffectKind::Empty
    );
    let is_directory = matches!(entry, EntryKind::Directory)
        && matches!(class, PathClass::Home | PathClass::Root | PathClass::Workspace);
    of_files && is_directory
}
