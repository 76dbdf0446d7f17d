//! Paths as text: made absolute, and put into the class of place that they name.
//! Looks at no file: a symbolic link is seen by whoever fills the facts.

use fast_glob::glob_match;

use crate::model::{Facts, PathClass};

/// Start and length of a piece of the table's text.
type Slice = (u32, u32);

struct Row {
    class: PathClass,
    pattern: Slice,
    needle: Slice,
    /// First exception, and how many.
    except: Slice,
}

mod table {
    use super::{PathClass, Row, Slice};

    include!(concat!(env!("OUT_DIR"), "/places.rs"));

    pub(super) fn text((start, length): Slice) -> &'static str {
        let start = start as usize;
        TEXT.get(start..start + length as usize).unwrap_or_default()
    }

    /// The rows of `rules/paths.toml`, in order.
    pub(super) const fn rows() -> &'static [Row] {
        ROWS
    }

    pub(super) fn exceptions((first, count): Slice) -> &'static [Slice] {
        let first = first as usize;
        EXCEPTIONS.get(first..first + count as usize).unwrap_or_default()
    }
}

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
];

/// Directories below the root that every machine has.
pub(super) const SYSTEM_DIRECTORIES: &[&str] = &[
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

/// Returns the program's name if `path` is in a directory of the system's programs.
#[must_use]
pub fn system_program(path: &str) -> Option<&str> {
    let name = PROGRAM_DIRECTORIES.iter().find_map(|directory| path.strip_prefix(directory))?;
    (!name.is_empty() && !name.contains('/')).then_some(name)
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
        return named;
    }
    if let Some(root) = workspace {
        let is_whole = path == root || is_all_of(path, root);
        return if is_whole { PathClass::Workspace } else { PathClass::Inside };
    }
    by_position(path, home, facts)
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
    let fits = |pattern: &str| fits(pattern, path, home);
    table::rows()
        .iter()
        .find(|row| {
            applies(row.class, workspace)
                && path.contains(table::text(row.needle))
                && fits(table::text(row.pattern))
                && !table::exceptions(row.except).iter().any(|except| fits(table::text(*except)))
        })
        .map(|row| row.class)
}

/// What a build makes again and what runs by itself in a repository only mean something inside a workspace.
const fn applies(class: PathClass, workspace: Option<&str>) -> bool {
    match class {
        PathClass::BuildOutput | PathClass::Workspace => workspace.is_some(),
        PathClass::System | PathClass::Root => workspace.is_none(),
        PathClass::Null
        | PathClass::Temporary
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

/// Returns whether a pattern with a wildcard may name a file in one of the places of this class. A component that begins
/// with a wildcard, or with one letter, names everything in its directory: no sign of meaning a secret.
#[must_use]
pub fn may_reach(pattern: &str, class: PathClass, facts: &Facts) -> bool {
    let home = facts.home.as_deref().unwrap_or("/");
    // All files of one name, however deep.
    let searched = pattern
        .rsplit_once("/**/")
        .filter(|(_, name)| !name.contains('/') && !is_vague(name))
        .map(|(above, name)| (if above.is_empty() { "/" } else { above }, name));
    table::rows().iter().filter(|row| row.class == class).any(|row| {
        let place = table::text(row.pattern);
        if is_plainly_apart(pattern, place, home) {
            return false;
        }
        let full = place.strip_prefix('~').map(|rest| format!("{home}{rest}"));
        let place_pattern = full.as_deref().unwrap_or(place);
        alternatives(place_pattern).iter().any(|place| {
            if let Some((above, name)) = searched {
                let (directory, last) = place.rsplit_once('/').unwrap_or(("", place));
                let anywhere =
                    directory == "**" || (directory.starts_with("**") && is_below(home, above));
                return (anywhere || is_below(directory, above))
                    && !matches!(last, "*" | "**")
                    && !is_vague(last)
                    && texts_meet(name.as_bytes(), last.as_bytes());
            }
            let pattern: Vec<&str> = pattern.split('/').collect();
            let place: Vec<&str> = place.split('/').collect();
            components_meet(&pattern, &place)
        })
    })
}

/// Whether a look at the first and last components shows that no path fits both: spares most places the whole comparison.
fn is_plainly_apart(pattern: &str, place: &str, home: &str) -> bool {
    let is_open = |component: &str| component.contains(['*', '?', '[', '{']);
    let last = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
    let (ours, theirs) = (&pattern[last(pattern)..], &place[last(place)..]);
    if is_vague(ours) && !is_open(theirs) && ours != theirs {
        return true;
    }
    if is_vague(ours) && place.starts_with("**") && !matches!(theirs, "*" | "**") {
        return ours != theirs;
    }
    let (start, rest) = place.strip_prefix('~').map_or(("", place), |rest| (home, rest));
    let theirs = start.split('/').chain(rest.split('/').skip(usize::from(!start.is_empty())));
    for (one, other) in pattern.split('/').zip(theirs) {
        if is_open(one) || is_open(other) {
            return false;
        }
        if one != other {
            return true;
        }
    }
    false
}

/// Returns whether a directory of the home holds a place for secrets of people or programs.
#[must_use]
pub fn holds_secrets(path: &str, facts: &Facts) -> bool {
    let Some(home) = facts.home.as_deref() else { return false };
    let directory = path.trim_end_matches("/**").trim_end_matches("/*");
    let Some(below) = directory.strip_prefix(home).filter(|below| !below.is_empty()) else {
        return false;
    };
    table::rows().iter().filter(|row| row.class == PathClass::Secret).any(|row| {
        alternatives(table::text(row.pattern)).iter().any(|pattern| {
            let pattern = pattern.strip_prefix('~').or_else(|| pattern.strip_prefix("**"));
            pattern
                .and_then(|pattern| pattern.strip_prefix(below))
                .is_some_and(|rest| rest.len() > 1 && rest.starts_with('/') && rest != "/**")
        })
    })
}

/// Writes out `{a,b}` alternatives.
fn alternatives(pattern: &str) -> Vec<String> {
    let Some(open) = pattern.find('{') else { return vec![pattern.to_owned()] };
    let Some(close) = pattern[open..].find('}').map(|at| open + at) else {
        return vec![pattern.to_owned()];
    };
    pattern[open + 1..close]
        .split(',')
        .flat_map(|choice| {
            alternatives(&format!("{}{choice}{}", &pattern[..open], &pattern[close + 1..]))
        })
        .collect()
}

fn components_meet(ours: &[&str], theirs: &[&str]) -> bool {
    match (ours, theirs) {
        ([], []) => true,
        (_, ["**", rest @ ..]) => {
            components_meet(ours, rest)
                || ours.split_first().is_some_and(|(_, tail)| components_meet(tail, theirs))
        }
        ([one, ours @ ..], [other, theirs @ ..]) => {
            let meets = one == other
                || *other == "*"
                || (!is_vague(one)
                    && !is_vague(other)
                    && texts_meet(one.as_bytes(), other.as_bytes()));
            meets && components_meet(ours, theirs)
        }
        _ => false,
    }
}

/// Whether a component fits too much to mean anything in particular: less than two characters are sure.
fn is_vague(component: &str) -> bool {
    component.bytes().take(2).any(|byte| b"*[".contains(&byte))
}

/// Whether some name fits both patterns of one component.
fn texts_meet(one: &[u8], other: &[u8]) -> bool {
    match (one, other) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => {
            texts_meet(rest, other)
                || other.split_first().is_some_and(|(_, tail)| texts_meet(one, tail))
        }
        (_, [b'*', rest @ ..]) => {
            texts_meet(one, rest)
                || one.split_first().is_some_and(|(_, tail)| texts_meet(tail, other))
        }
        ([b'[', ..], [_, tail @ ..]) => {
            let end = one.iter().position(|byte| *byte == b']').map_or(1, |end| end + 1);
            texts_meet(&one[end..], tail)
        }
        ([_, tail @ ..], [b'[', ..]) => {
            let end = other.iter().position(|byte| *byte == b']').map_or(1, |end| end + 1);
            texts_meet(tail, &other[end..])
        }
        ([a, ours @ ..], [b, theirs @ ..]) => {
            (a == b || *a == b'?' || *b == b'?') && texts_meet(ours, theirs)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts {
            cwd: Some("/home/dev/project".to_owned()),
            home: Some("/home/dev".to_owned()),
            workspaces: vec!["/home/dev/project".to_owned()],
            temporary: vec!["/tmp".to_owned(), "/var/tmp".to_owned()],
            ..Facts::default()
        }
    }

    #[test]
    fn a_path_is_joined_and_cleaned() {
        for (base, path, expected) in [
            ("/a/b", "c", "/a/b/c"),
            ("/a/b", "../c", "/a/c"),
            ("/a/b", "../../../..", "/"),
            ("/a", "/x//y/./z/", "/x/y/z"),
            ("/a", "", "/a"),
        ] {
            assert_eq!(absolute(base, path), expected, "{base} + {path}");
        }
    }

    #[test]
    fn places_have_their_class() {
        for (path, expected) in [
            ("/", PathClass::Root),
            ("/home", PathClass::Home),
            ("/home/dev", PathClass::Home),
            ("/home/dev/*", PathClass::Home),
            ("/home/dev/notes.txt", PathClass::HomeFile),
            ("/home/dev/project", PathClass::Workspace),
            ("/home/dev/project/src/main.rs", PathClass::Inside),
            ("/home/dev/project/.env", PathClass::Secret),
            ("/home/dev/.ssh/id_ed25519", PathClass::Secret),
            ("/tmp/x", PathClass::Temporary),
            ("/tmp", PathClass::Outside),
            ("/tmp/*", PathClass::Outside),
            ("/home/dev/project/*", PathClass::Workspace),
            ("/data/www/index.html", PathClass::Outside),
        ] {
            assert_eq!(classify(path, &facts()), expected, "{path}");
        }
    }
    #[test]
    fn a_pattern_reaches_what_it_may_match() {
        for (pattern, expected) in [
            ("/home/dev/project/.en*", true),
            ("/home/dev/project/.en?", true),
            ("/home/dev/.ss*/id_*", true),
            ("/home/dev/.ssh/i[d]_rsa", true),
            ("/home/dev/project/*", false),
            ("/home/dev/project/*.json", false),
            ("/home/dev/project/src/a*", false),
        ] {
            assert_eq!(may_reach(pattern, PathClass::Secret, &facts()), expected, "{pattern}");
        }
    }
}
