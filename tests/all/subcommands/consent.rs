//! What changes how agents are guarded: a person says yes to it by a word at a terminal, and nobody else.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::person::Person;
use super::workspace;
use crate::install::alone;
use crate::support::Place;

/// What is called, the word that it asks for, and a file that it changes.
const CALLS: [(&str, &str, &str); 3] = [
    ("install claude", "install", "home/.claude/settings.json"),
    ("uninstall claude", "uninstall", "home/.claude/settings.json"),
    ("rules import claude", "import", "home/.config/guarded-sh/rules/imported-claude.toml"),
];

fn place() -> Place {
    let place = workspace();
    place.write(
        "home/.claude/settings.json",
        "{\"permissions\": {\"allow\": [\"Bash(mytool x:*)\"]}}\n",
    );
    place
}

/// Every file of the home but records, with what is in it.
fn files(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut files, mut directories) = (BTreeMap::new(), vec![place.home()]);
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                files.insert(path.clone(), fs::read(path).unwrap_or_default());
            }
        }
    }
    files
}

fn answered(place: &Place, call: &str, answer: &str, status: i32) -> String {
    let mut person = Person::types(place, &format!("\"$GUARD\" {call}"));
    let seen = person.sees("anything else to leave it: ");
    person.answers(answer);
    seen + &person.ends_with(status)
}

#[test]
fn a_word_is_asked_for_before_anything_changes() {
    let place = place();
    for (call, word, file) in CALLS {
        let before = files(&place);
        for answer in ["\n", "y\n", "yes\n", &format!("{}\n", word.to_uppercase()), "\u{4}"] {
            let seen = answered(&place, call, answer, 1);
            assert!(seen.contains("nothing was changed"), "{call} {answer:?}: {seen}");
            assert!(files(&place) == before, "{call} {answer:?}");
        }
        let seen = answered(&place, call, &format!("{word}\n"), 0);
        // It shows what it is about before it asks.
        let name = file.rsplit('/').next().unwrap();
        let (shown, _) = seen.split_once(&format!("Type `{word}` to change this")).unwrap();
        assert!(shown.contains(name), "{call}: {seen}");
        assert!(files(&place).get(&place.path(file)) != before.get(&place.path(file)), "{call}");
        // Where nothing is left to change there is nobody to ask.
        Person::types(&place, &format!("\"$GUARD\" {call}")).ends_with(0);
    }
}

#[test]
fn where_nobody_can_be_asked_it_is_refused_unless_the_call_is_the_yes() {
    let place = place();
    for (call, _, file) in CALLS {
        let words: Vec<String> = call.split(' ').map(str::to_owned).collect();
        let before = files(&place);
        let ended = alone(&place, &words).run();
        assert_eq!(ended.code(), Some(126), "{call}: {}", ended.err());
        assert!(ended.err().contains("a yes at a terminal"), "{call}: {}", ended.err());
        assert!(ended.err().contains("--yes` asks nothing"), "{call}: {}", ended.err());
        assert!(files(&place) == before, "{call}");
        let given: Vec<String> = words.into_iter().chain(["--yes".to_owned()]).collect();
        let ended = alone(&place, &given).env("CLAUDECODE", "1").run();
        assert_eq!(ended.code(), Some(126), "{call}: {}", ended.err());
        assert!(files(&place) == before, "{call}");
        let ended = alone(&place, &given).run();
        assert_eq!(ended.code(), Some(0), "{call}: {}", ended.err());
        assert!(files(&place).get(&place.path(file)) != before.get(&place.path(file)), "{call}");
    }
}
