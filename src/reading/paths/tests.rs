use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

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
        assert_eq!(may_reach_secret(pattern, &facts()), expected, "{pattern}");
    }
}

/// Writes out `{a,b}` alternatives.
fn alternatives(pattern: &str) -> Vec<String> {
    let Some((start, rest)) = pattern.split_once('{') else { return vec![pattern.to_owned()] };
    let (choices, end) = rest.split_once('}').unwrap();
    choices.split(',').flat_map(|choice| alternatives(&format!("{start}{choice}{end}"))).collect()
}

/// Components of the table's patterns: written out, filled where they are open, and as they stand.
fn components() -> Vec<String> {
    let mut found = Vec::new();
    for row in table::rows() {
        let patterns = std::iter::once(table::text(row.pattern)).chain(table::exceptions(row));
        for pattern in patterns.flat_map(alternatives) {
            for component in pattern.split('/').filter(|part| !matches!(*part, "" | "~" | "**")) {
                found.push(component.to_owned());
                for filling in ["", "x", ".", "a.b"] {
                    found.push(component.replace(['*', '?'], filling));
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn scanned(path: &str, home: Option<&str>, workspace: Option<&str>) -> Option<PathClass> {
    let mut rows = table::rows().iter();
    rows.find(|row| is_place(row, path, home, workspace)).map(|row| row.class)
}

fn compared(path: &str, home: Option<&str>, workspace: Option<&str>) {
    let scanned = scanned(path, home, workspace);
    assert_eq!(named(path, home, workspace), scanned, "{path} from {home:?}");
}

#[test]
fn every_place_is_found_by_the_index() {
    for row in table::rows() {
        let patterns = std::iter::once(table::text(row.pattern)).chain(table::exceptions(row));
        for pattern in patterns.flat_map(alternatives) {
            let pattern = pattern.replacen('~', "/home/dev", 1);
            for (any, one) in [("", ""), ("/a/b", "x")] {
                let path = pattern.replace("/**", any).replace("**", any);
                let path = path.replace('*', one).replace('?', "x");
                compared(&path, Some("/home/dev"), None);
                compared(&format!("{path}/x"), Some("/home/dev"), Some("/home/dev/project"));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_index_says_what_all_rows_say(
        start in select(vec!["", "/home/dev", "/home/dev/project", "/etc", "/home/dev/.config", "/usr", "x"]),
        parts in vec(prop_oneof![
            6 => select(components()),
            1 => "[a-z.*-]{0,8}",
            1 => (select(components()), "[a-z._-]{0,3}").prop_map(|(name, end)| name + &end),
            1 => select(vec!["home", "dev", "project", "etc", "src", "é", "\u{1f600}.pem", ""]).prop_map(str::to_owned),
        ], 0..6),
        home in select(vec![None, Some("/home/dev"), Some("/"), Some("/etc")]),
        workspace in select(vec![None, Some("/home/dev/project")]),
    ) {
        compared(&format!("{start}/{}", parts.join("/")), home, workspace);
    }
}

/// What [`may_reach_secret`] says, from all places of secrets and in so many words.
fn reaches_by_scan(pattern: &str, facts: &Facts) -> bool {
    let home = facts.home.as_deref().unwrap_or("/");
    let searched = pattern
        .rsplit_once("/**/")
        .filter(|(_, name)| !name.contains('/') && !reach::is_vague(name))
        .map(|(above, name)| (if above.is_empty() { "/" } else { above }, name));
    table::rows().iter().filter(|row| row.class == PathClass::Secret).any(|row| {
        let place = table::text(row.pattern);
        if reach::is_plainly_apart(pattern, place, home) {
            return false;
        }
        let full = place.strip_prefix('~').map(|rest| format!("{home}{rest}"));
        alternatives(full.as_deref().unwrap_or(place)).iter().any(|place| {
            if let Some((above, name)) = searched {
                let (directory, last) = place.rsplit_once('/').unwrap_or(("", place));
                let anywhere =
                    directory == "**" || (directory.starts_with("**") && is_below(home, above));
                return (anywhere || is_below(directory, above))
                    && !matches!(last, "*" | "**")
                    && !reach::is_vague(last)
                    && texts_meet_one_by_one(name.as_bytes(), last.as_bytes());
            }
            let pattern: Vec<&str> = pattern.split('/').collect();
            let place: Vec<&str> = place.split('/').collect();
            components_meet_one_by_one(&pattern, &place)
        })
    })
}

fn components_meet_one_by_one(ours: &[&str], theirs: &[&str]) -> bool {
    match (ours, theirs) {
        ([], []) => true,
        (_, ["**", rest @ ..]) => {
            components_meet_one_by_one(ours, rest)
                || ours
                    .split_first()
                    .is_some_and(|(_, tail)| components_meet_one_by_one(tail, theirs))
        }
        ([one, ours @ ..], [other, theirs @ ..]) => {
            let meets = one == other
                || *other == "*"
                || (!reach::is_vague(one)
                    && !reach::is_vague(other)
                    && texts_meet_one_by_one(one.as_bytes(), other.as_bytes()));
            meets && components_meet_one_by_one(ours, theirs)
        }
        _ => false,
    }
}

fn texts_meet_one_by_one(one: &[u8], other: &[u8]) -> bool {
    let behind = |text: &[u8]| text.iter().position(|byte| *byte == b']').map_or(1, |end| end + 1);
    match (one, other) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => {
            texts_meet_one_by_one(rest, other)
                || other.split_first().is_some_and(|(_, tail)| texts_meet_one_by_one(one, tail))
        }
        (_, [b'*', rest @ ..]) => {
            texts_meet_one_by_one(one, rest)
                || one.split_first().is_some_and(|(_, tail)| texts_meet_one_by_one(tail, other))
        }
        ([b'[', ..], [_, tail @ ..]) => texts_meet_one_by_one(&one[behind(one)..], tail),
        ([_, tail @ ..], [b'[', ..]) => texts_meet_one_by_one(tail, &other[behind(other)..]),
        ([a, ours @ ..], [b, theirs @ ..]) => {
            (a == b || *a == b'?' || *b == b'?') && texts_meet_one_by_one(ours, theirs)
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_pattern_reaches_what_it_reaches_of_all_places(
        start in select(vec!["", "/home/dev", "/home/dev/project", "/etc", "/home/dev/.config", "/home/dev/**"]),
        parts in vec(prop_oneof![
            4 => select(components()),
            4 => (select(components()), any::<Index>(), select(vec!["*", "?", "[ab]", "*?", "**", "["]), any::<Index>())
                .prop_map(|(name, from, wild, to)| opened(&name, from, wild, to)),
            1 => "[a-z.*?]{0,6}",
            1 => select(vec!["**", "*", "project", "\u{e9}*", ".e*", "]"]).prop_map(str::to_owned),
        ], 0..5),
    ) {
        let pattern = format!("{start}/{}", parts.join("/"));
        let facts = facts();
        prop_assert_eq!(may_reach_secret(&pattern, &facts), reaches_by_scan(&pattern, &facts), "{}", pattern);
    }

    #[test]
    fn two_texts_meet_as_they_do_byte_by_byte(one in "[ab*?\\[\\]]{0,9}", other in "[ab*?\\[\\]]{0,9}") {
        let meet = texts_meet_one_by_one(one.as_bytes(), other.as_bytes());
        prop_assert_eq!(reach::texts_meet(one.as_bytes(), other.as_bytes()), meet);
    }
}

/// A name in which a piece is a wildcard.
fn opened(name: &str, from: Index, wild: &str, to: Index) -> String {
    let mut places: Vec<usize> = name.char_indices().map(|(at, _)| at).collect();
    places.push(name.len());
    let (from, to) = (*from.get(&places), *to.get(&places));
    format!("{}{wild}{}", &name[..from.min(to)], &name[from.max(to)..])
}

#[test]
fn a_pattern_of_any_length_and_depth_is_compared() {
    let facts = facts();
    for (pattern, expected) in [
        (format!("/home/dev/{}.en?", "a/".repeat(60_000)), true),
        (format!("/home/dev/{}ab*", "a/".repeat(60_000)), false),
        (format!("/home/dev/secrets.{}x", "*".repeat(120_000)), false),
        (format!("/home/dev/secrets.{}json", "*?".repeat(60_000)), true),
        (format!("/home/dev/secrets.{}jsonx", "*a?".repeat(40_000)), false),
        (format!("/home/dev/id_{}", "[".repeat(60_000)), true),
        (format!("/home/dev/id_{}]", "[".repeat(60_000)), false),
    ] {
        assert_eq!(may_reach_secret(&pattern, &facts), expected, "{}", &pattern[..40]);
    }
}
