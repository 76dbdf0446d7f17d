//! Paths as text: made absolute, and put into the class of place that they name.
//! Looks at no file: a symbolic link is seen by whoever fills the facts.
#![forbid(unsafe_code, clippy::disallowed_methods)]

mod component;
mod reach;
mod slot;
mod table;

use fast_glob::glob_match;

use crate::model::{EffectKind, Facts, PathClass};
use table::{Counts, Row};

pub use component::Component;
pub use reach::{Aim, Expander, alternatives, holds_secrets, matters, reached};

/// Directories whose programs are the ones that their names say (and those of the same name below them).
const PROGRAM_DIRECTORIES: &[&str] = &[
    "/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
    "/sbin/",
    "/usr/sbin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
    "/snap/bin/",
    "/lib/",
    "/lib64/",
];

/// Directories where the tools of a workspace are put when its packages are installed. What stands there is as much the
/// workspace's own as what its build and its tests run.
const TOOL_DIRECTORIES: &[&str] =
    &["/node_modules/.bin", "/.venv/bin", "/venv/bin", "/.virtualenv/bin", "/vendor/bin"];

/// Scripts that a repository holds to start its build by, and what each starts.
const STARTERS: &[(&str, &str)] = &[("gradlew", "gradle"), ("mvnw", "mvn"), ("bin/rails", "rails")];

/// Directories below the root that every machine has.
pub const SYSTEM_DIRECTORIES: &[&str] = &[
    "/Users", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/opt", "/root", "/sbin",
    "/srv", "/sys", "/usr", "/var",
];

/// Joins `path` to `base` and removes `.`, `..` and doubled slashes, as the kernel would where no link stands in between.
#[must_use]
pub fn absolute(base: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let start = if path.starts_with('/') { "" } else { base };
    for part in start.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let mut joined = String::with_capacity(path.len() + base.len() + 1);
    for part in parts {
        joined.push('/');
        joined.push_str(part);
    }
    if joined.is_empty() { "/".to_owned() } else { joined }
}

/// Returns what `path` names in a directory; none if that is not known and decides it.
#[must_use]
pub fn below(directory: Option<&str>, path: &str) -> Option<String> {
    let directory = directory.or_else(|| path.starts_with('/').then_some("/"))?;
    Some(absolute(directory, path))
}

/// Returns the program's name if `path` is in a directory of the system's programs.
#[must_use]
pub fn system_program(path: &str) -> Option<&str> {
    let name = PROGRAM_DIRECTORIES.iter().find_map(|directory| path.strip_prefix(directory))?;
    (!name.is_empty() && !name.contains('/')).then_some(name)
}

/// Returns the name of the tool that an absolute path names, if it is one that was put into a workspace with its packages, or
/// starts its build.
#[must_use]
pub fn workspace_tool<'a>(path: &'a str, facts: &Facts) -> Option<&'a str> {
    let root = facts.workspaces.iter().find(|root| is_below(path, root))?;
    let below = &path[root.len()..];
    let starter = STARTERS
        .iter()
        .find(|(script, _)| below.strip_suffix(script).is_some_and(|before| before.ends_with('/')));
    if let Some((_, program)) = starter {
        return Some(program);
    }
    let (directory, name) = below.rsplit_once('/')?;
    (!name.is_empty() && is_tool_directory(directory)).then_some(name)
}

/// Returns whether a directory of a workspace is where its packages put their programs.
#[must_use]
pub fn holds_workspace_tools(directory: &str, facts: &Facts) -> bool {
    let root = facts.workspaces.iter().find(|root| is_below(directory, root));
    root.is_some_and(|root| is_tool_directory(&directory[root.len()..]))
}

fn is_tool_directory(directory: &str) -> bool {
    TOOL_DIRECTORIES.iter().any(|tools| directory.ends_with(tools))
}

/// Returns the class of an absolute path or pattern of paths.
#[must_use]
pub fn classify(path: &str, facts: &Facts) -> PathClass {
    if facts.guard_paths.iter().any(|guard| is_below(path, guard)) {
        return PathClass::Guard;
    }
    let home = facts.home.as_deref().filter(|home| *home != "/");
    let workspace = facts.workspaces.iter().find(|root| is_below(path, root));
    if let Some(named) = named(path, home, workspace.map(String::as_str)) {
        // A service's home stands among the files of the system, and what is above it holds it.
        let is_above = || home.is_some_and(|home| is_below(home, path));
        return if named == PathClass::System && is_above() { PathClass::Home } else { named };
    }
    if let Some(root) = workspace {
        if facts.hook_paths.iter().any(|place| is_below(path, place)) {
            return PathClass::Hooks;
        }
        let is_whole = path == root || is_all_of(path, root);
        return if is_whole { PathClass::Workspace } else { PathClass::Inside };
    }
    by_position(path, home, facts)
}

/// Returns the class of an absolute path or pattern of paths, for an effect of this kind: what is searched may reach more than it names.
/// Which guarded places a pattern stands for beside that, says [`reached`].
#[must_use]
pub fn class_for(kind: EffectKind, path: &str, facts: &Facts) -> PathClass {
    let class = classify(path, facts);
    // No program writes a directory: what is written stands in it, and the files that `*` fits are no directories.
    let is_root_or_files =
        |root: &String| path == root || path.strip_prefix(root.as_str()) == Some("/*");
    let is_of_files =
        matches!(kind, EffectKind::Write | EffectKind::Append | EffectKind::Permission);
    if is_of_files && class == PathClass::Workspace && facts.workspaces.iter().any(is_root_or_files)
    {
        return PathClass::Inside;
    }
    if kind == EffectKind::Write
        && class == PathClass::Outside
        && facts.temporary.iter().any(|directory| directory == path)
    {
        return PathClass::Temporary;
    }
    if kind == EffectKind::Read
        && let Some(class) = named_for_reading(path, facts)
            .or_else(|| of_another(path, facts))
            .or_else(|| reach::searched(path, facts))
    {
        return class;
    }
    // Below a directory that is named, a search reads no more than one of all that is in it.
    let is_named = |place: &str| {
        !place.contains(['*', '?', '[', '{']) && classify(place, facts) == PathClass::HomeFile
    };
    let begins = path.split_once("/**").map(|(place, _)| place);
    let wide = path.contains("**") && class == PathClass::HomeFile && !begins.is_some_and(is_named);
    // What is searched may be a file, and then nothing else is found.
    if let Some((place, _)) = path.split_once("/**") {
        let place = classify(place, facts);
        if matches!(place, PathClass::Secret | PathClass::Hooks | PathClass::Startup) {
            return place;
        }
    }
    match kind {
        EffectKind::Read if wide => PathClass::Unknown,
        _ => class,
    }
}

/// Returns whether who reads an absolute path reads a secret.
#[must_use]
pub fn is_secret(path: &str, facts: &Facts) -> bool {
    let other = || named_for_reading(path, facts).or_else(|| of_another(path, facts));
    let read = || other().unwrap_or_else(|| classify(path, facts));
    read() == PathClass::Secret
}

/// What a look at a file has to tell before it is a secret to who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// Nobody but its owner may read it.
    Private,
    /// A token stands in it.
    Token,
}

/// Returns what makes the file of an absolute path a secret to who reads it, beside its path.
#[must_use]
pub fn signs(path: &str, facts: &Facts) -> Vec<Sign> {
    let home = facts.home.as_deref().filter(|home| *home != "/");
    let has = |counts: Counts| {
        let is_it = |row: &Row| row.counts == counts && is_place(row, path, home, None);
        table::first(path, is_it).is_some()
    };
    let own = facts.workspaces.iter().chain(&facts.temporary).map(String::as_str).chain(home);
    let is_private =
        || has(Counts::WherePrivate) && !own.into_iter().any(|own| is_below(path, own));
    let private = (facts.reads_all && is_private()).then_some(Sign::Private);
    private.into_iter().chain(has(Counts::WhereToken).then_some(Sign::Token)).collect()
}

/// Returns whether a path is named as what a build makes again, wherever it stands.
#[must_use]
pub fn is_build_output(path: &str) -> bool {
    table::first(path, |row| {
        row.class == PathClass::BuildOutput && is_place(row, path, None, Some("/"))
    })
    .is_some()
}

fn by_position(path: &str, home: Option<&str>, facts: &Facts) -> PathClass {
    if path == "/" || is_all_of(path, "") {
        return PathClass::Root;
    }
    if let Some(home) = home {
        if path == home || is_below(home, path) {
            return PathClass::Home;
        }
        if is_all_of(path, home) {
            return PathClass::Home;
        }
    }
    // What stands above a workspace holds it.
    if facts.workspaces.iter().any(|root| is_below(root, path)) {
        return PathClass::Home;
    }
    if !path[1..].contains('/') && !facts.temporary.iter().any(|directory| directory == path) {
        return PathClass::Root;
    }
    // A home may lie in a temporary directory, and the other way round: the nearer one counts.
    let home = home.filter(|home| is_below(path, home)).map_or(0, str::len);
    let temporary = facts.temporary.iter().filter(|directory| is_below(path, directory));
    match temporary.max_by_key(|directory| directory.len()) {
        Some(directory) if directory.len() > home => {
            if path == directory || is_all_of(path, directory) {
                PathClass::Outside
            } else {
                PathClass::Temporary
            }
        }
        _ if home > 0 => PathClass::HomeFile,
        _ => PathClass::Outside,
    }
}

/// Returns whether a pattern stands for everything in a directory.
fn is_all_of(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/')).is_some_and(|rest| {
        rest.split('/').all(|part| matches!(part, "*" | ".*" | "**" | "{*,.*}"))
    })
}

/// Returns whether `path` is `directory` or below it.
#[must_use]
pub fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || directory == "/")
}

fn named(path: &str, home: Option<&str>, workspace: Option<&str>) -> Option<PathClass> {
    let is_it = |row: &Row| row.counts == Counts::Always && is_place(row, path, home, workspace);
    table::first(path, is_it).map(|row| row.class)
}

/// Returns the class that a path has for who reads it, where that is another one.
fn named_for_reading(path: &str, facts: &Facts) -> Option<PathClass> {
    let home = facts.home.as_deref().filter(|home| *home != "/");
    let is_it = |row: &Row| row.counts == Counts::ForReading && is_place(row, path, home, None);
    table::first(path, is_it).map(|row| row.class)
}

/// Directories of a home in which programs are kept, also for others than its owner.
const OF_PROGRAMS: &[&str] = &[
    ".asdf",
    ".bun",
    ".cabal",
    ".cache",
    ".cargo",
    ".conda",
    ".deno",
    ".dotnet",
    ".elan",
    ".fnm",
    ".ghcup",
    ".goenv",
    ".gradle",
    ".ivy2",
    ".jenv",
    ".julia",
    ".linuxbrew",
    ".local",
    ".m2",
    ".nix-profile",
    ".nodenv",
    ".npm",
    ".nuget",
    ".nvm",
    ".opam",
    ".pixi",
    ".pnpm-store",
    ".pub-cache",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman",
    ".stack",
    ".swiftpm",
    ".volta",
    ".vscode-server",
    ".yarn",
];

/// Returns the class of what is read in the home of another: what would be a secret at home is one there, too, and so is what is hidden there.
fn of_another(path: &str, facts: &Facts) -> Option<PathClass> {
    let owner = reach::home_of_another(path, facts)?;
    let first = path[owner.len()..].split('/').nth(1)?;
    let is_hidden = first.starts_with('.') && !OF_PROGRAMS.contains(&first);
    let is_told = |row: &Row| matches!(row.counts, Counts::Always | Counts::ForReading);
    let is_secret = |row: &Row| {
        row.class == PathClass::Secret && is_told(row) && is_place(row, path, Some(owner), None)
    };
    (is_hidden || table::first(path, is_secret).is_some()).then_some(PathClass::Secret)
}

fn is_place(row: &Row, path: &str, home: Option<&str>, workspace: Option<&str>) -> bool {
    applies(row.class, workspace)
        && path.contains(table::text(row.needle))
        && fits(table::text(row.pattern), path, home)
        && !table::exceptions(row).any(|except| fits(except, path, home))
}

/// What a build makes again and what runs by itself in a repository only mean something inside a workspace.
const fn applies(class: PathClass, workspace: Option<&str>) -> bool {
    match class {
        PathClass::BuildOutput | PathClass::Workspace => workspace.is_some(),
        PathClass::System | PathClass::Root => workspace.is_none(),
        PathClass::Null
        | PathClass::Temporary
        | PathClass::Made
        | PathClass::Inside
        | PathClass::Hooks
        | PathClass::HomeFile
        | PathClass::Home
        | PathClass::Startup
        | PathClass::Secret
        | PathClass::Device
        | PathClass::NetworkDevice
        | PathClass::Guard
        | PathClass::Outside
        | PathClass::Unknown => true,
    }
}

fn fits(pattern: &str, path: &str, home: Option<&str>) -> bool {
    let Some(below_home) = pattern.strip_prefix('~') else {
        return matches(pattern, path);
    };
    home.and_then(|home| path.strip_prefix(home)).is_some_and(|rest| matches(below_home, rest))
}

/// `dir/**` fits the directory too: what holds for all that is in it holds for it.
fn matches(pattern: &str, path: &str) -> bool {
    glob_match(pattern, path)
        || pattern.strip_suffix("/**").is_some_and(|directory| glob_match(directory, path))
}

#[cfg(test)]
mod tests;
