//! Whole files of the owner's rules, as a person writes them on the page.

use super::*;
use crate::config::approved::{Draft, file_of, read_file};

/// Does something with what is loaded by.
fn with<T>(
    machine: &Machine,
    check: &ExampleCheck<'_>,
    act: impl FnOnce(&LoadRequest<'_>) -> T,
) -> T {
    act(&LoadRequest {
        uid: uid(),
        places: &machine.places,
        cwd: None,
        workspace: None,
        profile: None,
        cache: CacheUse::Use,
        check,
    })
}

#[test]
fn a_file_of_rules_is_put_in_place_as_a_whole_if_it_is_what_it_was() {
    let machine = Machine::new();
    let text = pack("own.a", "");
    with(&machine, &agrees, |load| {
        assert_eq!(read_file(load, "own").unwrap(), None);
        let draft = Draft::of_file(load, "own", &text).unwrap();
        assert_eq!(draft.before(), None);
        draft.keep(load).unwrap();
        assert_eq!(read_file(load, "own").unwrap().as_deref(), Some(text.as_str()));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let path = file_of(load, "own").unwrap();
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        // Whoever wrote it meanwhile is not overwritten.
        let draft = Draft::of_file(load, "own", &pack("own.b", "")).unwrap();
        fs::write(&path, format!("{text}# more\n")).unwrap();
        assert!(matches!(draft.keep(load), Err(Error::Changed { .. })));
        assert_eq!(read_file(load, "own").unwrap(), Some(format!("{text}# more\n")));
        for name in ["", ".own", "../own", "a/b", "a.toml", "\u{e9}", &"x".repeat(65)] {
            assert!(matches!(Draft::of_file(load, name, &text), Err(Error::Name { .. })), "{name}");
        }
        // An id that another file has is no other rule's.
        assert!(Draft::of_file(load, "other", &text).is_err());
    });
    let never =
        |_: &RuleSet, _: &Entry, _: &Examples| Err(ExampleError::Fired { line: "ls".to_owned() });
    with(&machine, &never, |load| assert!(Draft::of_file(load, "own", &text).is_err()));
}

#[test]
fn what_is_judged_by_a_file_as_it_would_be_is_that_file_alone() {
    let machine = Machine::new();
    with(&machine, &agrees, |load| {
        Draft::of_file(load, "own", &pack("own.a", "")).unwrap().keep(load).unwrap();
        let ids = |rules: &RuleSet| {
            let all = rules.all().unwrap();
            let own = all.iter().map(|(entry, _)| entry.rule.id.clone());
            own.filter(|id| id.starts_with("own.")).collect::<Vec<_>>()
        };
        let rules = || super::super::load(load).unwrap().rules;
        assert_eq!(ids(&rules()), ["own.a"]);
        let layer = Draft::of_file(load, "own", &pack("own.b", "")).unwrap().take_layer();
        assert_eq!(ids(&rules().with_layer_anew(layer)), ["own.b"]);
        // Where there was no file, it stands behind the others.
        let none = Machine::new();
        with(&none, &agrees, |load| {
            let layer = Draft::of_file(load, "own", &pack("own.b", "")).unwrap().take_layer();
            let rules = super::super::load(load).unwrap().rules;
            assert_eq!(ids(&rules.with_layer_anew(layer)), ["own.b"]);
        });
    });
}
