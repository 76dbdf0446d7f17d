//! Compiles `rules/paths.toml` into constant tables, with indexes by which a path is compared to few of the rows.
//! Decides nothing about a path: an index only leaves out rows that cannot fit.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fast_glob::glob_match;
use serde::Deserialize;

use super::tables::pascal;

#[path = "../src/paths/slot.rs"]
mod slot;

/// As many bytes of the beginning of a component are looked up.
const HEAD: usize = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Places {
    place: Vec<Place>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    class: String,
    /// What it counts for; none: whatever is done.
    #[serde(default, rename = "for")]
    only: Option<Only>,
    paths: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
}

/// For what alone a place counts.
#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Only {
    Reading,
    /// Where a look at the file tells that nobody but its owner may read it.
    Private,
    /// Where a look at the file finds a token in it.
    Token,
}

impl Only {
    /// Whether the path alone tells what it is.
    const fn is_told_by_path(only: Option<Self>) -> bool {
        matches!(only, None | Some(Self::Reading))
    }

    const fn counts(only: Option<Self>) -> &'static str {
        match only {
            None => "Always",
            Some(Self::Reading) => "ForReading",
            Some(Self::Private) => "WherePrivate",
            Some(Self::Token) => "WhereToken",
        }
    }
}

/// One text with all patterns: a table of references would have to be relocated when the program starts.
#[derive(Default)]
struct Text(String);

impl Text {
    fn add(&mut self, text: &str) -> String {
        let start = self.0.find(text).unwrap_or_else(|| {
            self.0.push_str(text);
            self.0.len() - text.len()
        });
        format!("({start}, {})", text.len())
    }
}

/// All lists of rows and places, one behind the other.
#[derive(Default)]
struct Lists(Vec<usize>);

impl Lists {
    /// Returns where the list begins, and its length.
    fn add(&mut self, list: impl IntoIterator<Item = usize>) -> (usize, usize) {
        let start = self.0.len();
        self.0.extend(list);
        (start, self.0.len() - start)
    }
}

/// By what a path can be seen not to fit a pattern.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Anchor {
    /// One of its components is this.
    Name(String),
    /// One of its components ends in a dot and this.
    Extension(String),
    /// One of its components begins with these bytes.
    Head(String),
    /// By nothing.
    None,
}

/// Returns the text of `places.rs`.
pub fn compile(source: &str) -> String {
    let table: Places =
        toml::from_str(source).unwrap_or_else(|error| panic!("rules/paths.toml: {error}"));
    reachable(&table);
    let mut text = Text::default();
    let mut lists = Lists::default();
    let mut code = rows(&table, &mut text);
    code.push_str(&indexes(&table, &mut text, &mut lists));
    code.push_str(&secret_directories(&table, &mut text));
    code.push_str(&guarded(&table, &mut text));
    let _ = writeln!(code, "const LISTS: &[u16] = &{:?};", lists.0);
    let _ = writeln!(code, "const TEXT: &str = {:?};", text.0);
    code
}

/// A pattern that stands twice in a place, or is covered by one of a place before, is never found. Some places count in some directories
/// only, so they cover nothing of others.
fn reachable(table: &Places) {
    const BOUND: [&str; 3] = ["hooks", "build-output", "system"];
    let mut earlier: Vec<(&Place, String)> = Vec::new();
    for place in &table.place {
        let first = earlier.len();
        for pattern in place.paths.iter().flat_map(|pattern| alternatives(pattern)) {
            // What fits this, fits whatever stands for the stars.
            let sample = pattern.replace("**", "\0/\0").replace('*', "\0");
            let covers = |(other, cover): &&(&Place, String)| {
                other.only == place.only
                    && (!BOUND.contains(&other.class.as_str()) || other.class == place.class)
                    && glob_match(cover, &sample)
                    && !other.except.iter().any(|except| glob_match(except, &sample))
            };
            let before = earlier[..first].iter().find(covers);
            let cover = before.or_else(|| earlier[first..].iter().find(|(_, one)| *one == pattern));
            let cover = cover.map(|(_, cover)| cover);
            assert!(cover.is_none(), "rules/paths.toml: {cover:?} stands before {pattern:?}");
            earlier.push((place, pattern));
        }
    }
}

fn patterns(table: &Places) -> impl Iterator<Item = (&str, &str)> {
    patterns_of(table.place.iter())
}

/// The patterns of places that are what they are by their paths alone.
fn told(table: &Places) -> impl Iterator<Item = (&str, &str)> {
    patterns_of(table.place.iter().filter(|place| Only::is_told_by_path(place.only)))
}

/// The patterns of these places, each with the class.
fn patterns_of<'t>(
    places: impl Iterator<Item = &'t Place>,
) -> impl Iterator<Item = (&'t str, &'t str)> {
    places.flat_map(|place| {
        place.paths.iter().map(|pattern| (place.class.as_str(), pattern.as_str()))
    })
}

fn rows(table: &Places, text: &mut Text) -> String {
    let (mut rows, mut exceptions) = (String::new(), Vec::new());
    for place in &table.place {
        let first = exceptions.len();
        exceptions.extend(place.except.iter().map(|except| text.add(except)));
        for path in &place.paths {
            let (pattern, needle) = (text.add(path), text.add(needle(path)));
            let _ = writeln!(
                rows,
                "Row {{ class: PathClass::{}, counts: Counts::{}, pattern: {pattern}, needle: {needle}, except: ({first}, {}) }},",
                pascal(&place.class),
                Only::counts(place.only),
                place.except.len()
            );
        }
    }
    let exceptions = exceptions.join(", ");
    format!("const ROWS: &[Row] = &[\n{rows}];\nconst EXCEPTIONS: &[Slice] = &[{exceptions}];\n")
}

/// Returns the longest piece of a pattern that every match holds literally: a quick test before the glob.
fn needle(pattern: &str) -> &str {
    let pattern = pattern.strip_prefix('~').unwrap_or(pattern);
    if pattern.contains(['{', '\\']) {
        let end = pattern.find(['{', '\\']).unwrap_or(0);
        return longest(&pattern[..end]);
    }
    longest(pattern)
}

fn longest(pattern: &str) -> &str {
    let piece =
        pattern.split(['*', '?', '[', ']']).max_by_key(|piece| piece.len()).unwrap_or_default();
    // `dir/**` also means `dir` itself, so the slash before the stars is not part of the needle.
    piece.trim_end_matches('/').trim_start_matches('/')
}

/// The rows by what a path must hold to fit them, and those of which that cannot be said.
fn indexes(table: &Places, text: &mut Text, lists: &mut Lists) -> String {
    let alternatives: Vec<BTreeSet<Vec<String>>> = patterns(table)
        .map(|(_, pattern)| alternatives(pattern).iter().map(|one| components(one)).collect())
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for component in alternatives.iter().flatten().flatten() {
        *counts.entry(component).or_default() += 1;
    }
    let mut anchored: BTreeMap<Anchor, BTreeSet<usize>> = BTreeMap::new();
    for (row, alternatives) in alternatives.iter().enumerate() {
        for components in alternatives {
            anchored.entry(anchor(components, &counts)).or_default().insert(row);
        }
    }
    let (mut names, mut extensions, mut heads) = (Vec::new(), Vec::new(), Vec::new());
    let mut anywhere = (0, 0);
    for (anchor, rows) in anchored {
        let list = lists.add(rows);
        match anchor {
            Anchor::Name(key) => names.push((key, list)),
            Anchor::Extension(key) => extensions.push((key, list)),
            Anchor::Head(key) => heads.push((key, list)),
            Anchor::None => anywhere = list,
        }
    }
    let mut code = String::new();
    for (name, keys) in [("NAMES", names), ("EXTENSIONS", extensions), ("HEADS", heads)] {
        code.push_str(&index(name, keys, text));
    }
    let _ = writeln!(code, "const HEAD: usize = {HEAD};");
    let _ = writeln!(code, "const ANYWHERE: Slice = {anywhere:?};");
    code
}

/// Keys in the order of their slots, and where the keys of each slot begin.
fn index(name: &str, mut keys: Vec<(String, (usize, usize))>, text: &mut Text) -> String {
    let slots = (keys.len() * 4).next_power_of_two();
    keys.sort_by_key(|(key, _)| (slot::slot(key.as_bytes(), slots), key.clone()));
    let mut starts = vec![0_usize; slots + 1];
    for (key, _) in &keys {
        starts[slot::slot(key.as_bytes(), slots) + 1] += 1;
    }
    for at in 0..slots {
        starts[at + 1] += starts[at];
    }
    let mut code = format!("const {name}: Index = Index {{ starts: &{starts:?}, keys: &[\n");
    for (key, list) in keys {
        let _ = writeln!(code, "Key {{ text: {}, rows: {list:?} }},", text.add(&key));
    }
    code.push_str("] };\n");
    code
}

/// What a path must hold to fit the pattern: of the components that are written out, the one that is rarest in the table.
fn anchor(components: &[String], counts: &BTreeMap<&str, usize>) -> Anchor {
    let names = components.iter().rev().filter(|component| !is_open(component));
    // Of equals the longer one: `tmp` of `wrangler/tmp` is met everywhere.
    if let Some(name) = names.min_by_key(|name| (counts[name.as_str()], Reverse(name.len()))) {
        return Anchor::Name(name.clone());
    }
    for component in components.iter().rev() {
        let mut pieces = component.split(['*', '?', '[', '\\']);
        if let Some(head) = pieces.next().and_then(|piece| piece.get(..HEAD)) {
            return Anchor::Head(head.to_owned());
        }
        let last = component.rsplit(['*', '?', ']', '\\']).next();
        if let Some((_, extension)) = last.and_then(|piece| piece.rsplit_once('.')) {
            return Anchor::Extension(extension.to_owned());
        }
    }
    Anchor::None
}

/// The components of a pattern that a path must have. `dir/**` fits the directory too.
fn components(pattern: &str) -> Vec<String> {
    let pattern = pattern.strip_prefix('~').unwrap_or(pattern);
    let pattern = pattern.strip_suffix("/**").unwrap_or(pattern);
    pattern.split('/').filter(|part| !part.is_empty() && *part != "**").map(str::to_owned).collect()
}

/// Writes out `{a,b}` alternatives.
fn alternatives(pattern: &str) -> Vec<String> {
    let Some(open) = pattern.find('{') else { return vec![pattern.to_owned()] };
    let Some(close) = pattern[open..].find('}').map(|at| open + at) else {
        panic!("rules/paths.toml: '{{' without '}}' in {pattern}");
    };
    let choices = &pattern[open + 1..close];
    assert!(!choices.contains('{'), "rules/paths.toml: braces in braces in {pattern}");
    choices
        .split(',')
        .flat_map(|choice| {
            alternatives(&format!("{}{choice}{}", &pattern[..open], &pattern[close + 1..]))
        })
        .collect()
}

fn is_open(component: &str) -> bool {
    component.contains(['*', '?', '[', '\\'])
}

/// The directories that hold a place of the class `secret`: below the home, or anywhere; and from the root on.
fn secret_directories(table: &Places, text: &mut Text) -> String {
    let secret = told(table).filter(|(class, _)| *class == "secret");
    let (mut relative, mut absolute) = (BTreeSet::new(), BTreeSet::new());
    for pattern in secret.flat_map(|(_, pattern)| alternatives(pattern)) {
        let below = pattern.strip_prefix('~').or_else(|| pattern.strip_prefix("**"));
        let directories = if below.is_some() { &mut relative } else { &mut absolute };
        let below = below.unwrap_or(&pattern);
        for (at, _) in below.match_indices('/').filter(|(at, _)| *at > 0) {
            let rest = &below[at..];
            if rest.len() > 1 && rest != "/**" {
                directories.insert(below[..at].to_owned());
            }
        }
    }
    let mut code = String::new();
    for (name, directories) in
        [("SECRET_DIRECTORIES", relative), ("SYSTEM_SECRET_DIRECTORIES", absolute)]
    {
        let slices: Vec<String> = directories.iter().map(|directory| text.add(directory)).collect();
        let _ = writeln!(code, "const {name}: &[Slice] = &[{}];", slices.join(", "));
    }
    code
}

/// The places that a pattern may stand for to do harm, each alternative by itself.
fn guarded(table: &Places, text: &mut Text) -> String {
    const CLASSES: [&str; 6] = ["guard", "device", "startup", "secret", "hooks", "workspace"];
    let mut code = String::from("const GUARDED: &[(PathClass, Slice)] = &[\n");
    for (class, pattern) in told(table).filter(|(class, _)| CLASSES.contains(class)) {
        assert!(!pattern.contains(['[', '\\']), "rules/paths.toml: brackets in {pattern}");
        for place in alternatives(pattern) {
            let _ = writeln!(code, "(PathClass::{}, {}),", pascal(class), text.add(&place));
        }
    }
    code + "];\n"
}
