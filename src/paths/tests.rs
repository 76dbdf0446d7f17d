use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

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
fn the_home_of_a_service_stands_among_files_of_the_system() {
    let home = "/var/lib/jenkins".to_owned();
    let facts = Facts { home: Some(home), ..Facts::default() };
    for (path, expected) in [
        ("/var", PathClass::Home),
        ("/var/lib", PathClass::Home),
        ("/var/lib/jenkins", PathClass::Home),
        ("/var/lib/jenkins/.ssh/id_ed25519", PathClass::Secret),
        ("/var/lib/dpkg", PathClass::System),
        ("/usr/share", PathClass::System),
    ] {
        assert_eq!(classify(path, &facts), expected, "{path}");
    }
}

#[test]
fn what_runs_by_itself_may_hold_secrets_too() {
    let (read, write) = (EffectKind::Read, EffectKind::Write);
    let user = "/home/dev/.config/Code/User";
    for (kind, path, expected) in [
        (read, format!("{user}/globalStorage/state.vscdb"), PathClass::Secret),
        (read, format!("{user}/globalStorage/a.b/tokens.json"), PathClass::Secret),
        (read, format!("{user}/History/-1/entries.json"), PathClass::Secret),
        (read, format!("{user}/workspaceStorage/1f/state.vscdb.backup"), PathClass::Secret),
        (read, format!("{user}/**"), PathClass::Secret),
        (read, format!("{user}/settings.json"), PathClass::Startup),
        (write, format!("{user}/globalStorage/state.vscdb"), PathClass::Startup),
        (read, "/home/dev/project/.envrc".to_owned(), PathClass::Secret),
        (read, "/home/dev/project/.envrc.example".to_owned(), PathClass::Hooks),
        (write, "/home/dev/project/.envrc".to_owned(), PathClass::Hooks),
    ] {
        assert_eq!(class_for(kind, &path, &facts()), expected, "{kind:?} {path}");
    }
}

#[test]
fn who_may_read_all_reads_secrets_where_they_search_above_them() {
    let root = Facts { reads_all: true, ..facts() };
    for (path, expected) in [
        ("/etc", true),
        ("/etc/**", true),
        ("/etc/ssl", true),
        ("/var/lib", true),
        ("/etc/nginx", false),
        ("/etc/*.md", false),
        ("/usr/share", false),
    ] {
        let class = |facts: &Facts| class_for(EffectKind::Read, path, facts);
        assert_eq!(class(&root) == PathClass::Secret, expected, "{path}");
        assert_ne!(class(&facts()), PathClass::Secret, "{path}");
    }
}

#[test]
fn what_only_a_look_would_tell_is_no_secret_by_its_path() {
    for path in ["/home/other/notes.txt", "/etc/app/settings.ini", "/home/dev/project/.npmrc"] {
        assert!(!is_secret(path, &facts()), "{path}");
    }
}

#[test]
fn a_file_is_looked_at_where_its_path_does_not_tell_that_it_is_a_secret() {
    let root = Facts { reads_all: true, ..facts() };
    for (path, expected) in [
        ("/etc/app/settings.ini", &[Sign::Private][..]),
        ("/home/other/notes.txt", &[Sign::Private]),
        ("/var/lib/app/data", &[Sign::Private]),
        ("/home/dev/notes.txt", &[]),
        ("/tmp/x", &[]),
        ("/etc/default/grub", &[]),
        ("/home/dev/project/.npmrc", &[Sign::Token]),
        ("/home/dev/project/src/main.rs", &[]),
        ("/etc/pip.conf", &[Sign::Private, Sign::Token]),
    ] {
        assert_eq!(signs(path, &root), expected, "{path}");
        assert!(!signs(path, &facts()).contains(&Sign::Private), "{path}");
    }
}

fn means(kind: EffectKind, pattern: &str) -> Vec<PathClass> {
    reached(kind, pattern, Expander::Shell, Aim::Plain, &facts())
}

#[test]
fn a_pattern_means_the_guarded_places_that_it_says_enough_of() {
    for (pattern, expected) in [
        ("/home/dev/project/.en*", true),
        ("/home/dev/project/.en?", true),
        ("/home/dev/project/.e*v", true),
        ("/home/dev/project/.??v", true),
        ("/home/dev/project/.*", true),
        ("/home/dev/.ss*/id_*", true),
        ("/home/dev/.s*/id*", true),
        ("/home/dev/.*/c*", true),
        ("/home/dev/.[a-z]*/[a-z]*", true),
        ("/home/dev/.[s]sh", true),
        ("/home/dev/.ssh/i[d]_rsa", true),
        ("/home/dev/project/server.p?m", true),
        ("/home/dev/project/{.env,x}", false),
        ("/home/dev/project/.{env,x}", true),
        ("/home/dev/project/**/.e*", true),
        ("/home/dev/project/*", false),
        ("/home/dev/project/*.json", false),
        ("/home/dev/project/src/a*", false),
        ("/home/dev/project/.eslintrc*", false),
        ("/home/dev/project/**/*.json", false),
        ("/home/dev/.ssh/id_*.pub", false),
    ] {
        let means = means(EffectKind::Read, pattern).contains(&PathClass::Secret);
        assert_eq!(means, expected, "{pattern}");
    }
    for (pattern, expected) in [
        ("/home/dev/project/.g?t", Some(PathClass::Workspace)),
        ("/home/dev/project/.[g]it/config", Some(PathClass::Hooks)),
        ("/home/dev/project/.*/config", Some(PathClass::Hooks)),
        ("/home/dev/project/.*/hooks/*", Some(PathClass::Hooks)),
        ("/home/dev/project/.clau?e/settings.json", Some(PathClass::Hooks)),
        ("/home/dev/.b?shrc", Some(PathClass::Startup)),
        ("/de?/sda", Some(PathClass::Device)),
        ("/home/dev/project/src/*.rs", None),
        ("/home/dev/project/*.yml", None),
        ("/home/dev/project/.*.swp", None),
    ] {
        let means = means(EffectKind::Write, pattern);
        assert!(
            expected.map_or(means.is_empty(), |class| means.contains(&class)),
            "{pattern} {means:?}"
        );
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
    let counts = |row: &&table::Row| row.counts == table::Counts::Always;
    rows.find(|row| counts(row) && is_place(row, path, home, workspace)).map(|row| row.class)
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

#[test]
fn a_pattern_of_any_length_and_depth_is_compared() {
    for (pattern, expected) in [
        (format!("/home/dev/{}.en?", "a/".repeat(90)), vec![PathClass::Secret]),
        (format!("/home/dev/{}.en?", "a/".repeat(900)), vec![PathClass::Unknown]),
        (format!("/home/dev/{}.en?", "a/".repeat(60_000)), vec![]),
        (format!("/home/dev/secrets.{}x", "*".repeat(120_000)), vec![]),
        (format!("/home/dev/secrets.{}json", "*".repeat(60_000)), vec![PathClass::Secret]),
        (format!("/home/dev/secrets.{}json", "*?".repeat(60_000)), vec![]),
        (format!("/home/dev/id_{}", "[".repeat(60_000)), vec![]),
        (
            format!("/home/dev/{}/.ssh/{}", "*/".repeat(40), "*/".repeat(40)),
            vec![PathClass::Secret],
        ),
    ] {
        assert_eq!(means(EffectKind::Read, &pattern), expected, "{}", &pattern[..40]);
    }
}
