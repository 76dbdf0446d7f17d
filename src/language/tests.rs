//! Texts of all languages, read as the files that they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use crate::language::{FOUND, Language, TEXTS, Texts, Value};

/// What begins the names of texts, and of nothing else that stands in the source between quotation marks.
const NAMES: &[&str] = &[
    "agents-",
    "answer-",
    "answered-",
    "call-",
    "change-",
    "choice-",
    "codes-",
    "ended-",
    "enter-",
    "files-",
    "history-",
    "key-",
    "keys-",
    "live-",
    "measured-",
    "notice-",
    "now-",
    "overview-",
    "page-",
    "pause-",
    "practice-",
    "prompts-",
    "question-",
    "record-",
    "rows-",
    "rules-",
    "run-",
    "session-",
    "sessions-",
    "settings-",
    "severity-",
    "short-",
    "suggest-",
    "timeline-",
    "transcript-",
    "transcripts-",
    "tray-",
    "trial-",
    "try-",
    "watch-",
];

#[test]
fn a_locale_names_its_language() {
    use Language::{Chinese, Danish, English, French, German, Japanese};
    for (all, messages, lang, language) in [
        (None, None, None, English),
        (None, None, Some("de_DE.UTF-8"), German),
        (None, Some("fr_CA.utf8"), Some("de_DE.UTF-8"), French),
        (Some("da"), Some("fr_FR.UTF-8"), Some("de_DE.UTF-8"), Danish),
        (Some(""), None, Some("ja_JP.UTF-8"), Japanese),
        (Some("C"), None, Some("ja_JP.UTF-8"), English),
        (Some("POSIX"), None, Some("ja_JP.UTF-8"), English),
        (Some("C.UTF-8"), None, Some("ja_JP.UTF-8"), English),
        // A terminal for other bytes than ours.
        (None, None, Some("ja_JP.eucJP"), English),
        (None, None, Some("de_DE@euro"), German),
        (None, None, Some("de_DE.ISO-8859-15@euro"), English),
        (None, None, Some("zh_CN.UTF-8"), Chinese),
        (None, None, Some("zh_SG.UTF-8"), Chinese),
        (None, None, Some("zh_TW.UTF-8"), English),
        (None, None, Some("pt_BR.UTF-8"), English),
        (None, None, Some("../../etc"), English),
    ] {
        assert_eq!(
            Language::of_locale([all, messages, lang]),
            language,
            "{all:?} {messages:?} {lang:?}"
        );
    }
}

#[test]
fn a_browser_gets_what_it_likes_most_of_what_there_is() {
    use Language::{Chinese, English, German, Russian, Spanish};
    for (field, language) in [
        ("", English),
        ("de-DE,de;q=0.9,en;q=0.8", German),
        ("pt-BR, es;q=0.5, en;q=0.3", Spanish),
        ("en;q=0.3, ru;q=0.7", Russian),
        ("zh-Hant-TW,zh;q=0.1", Chinese),
        ("zh-CN", Chinese),
        ("de;q=0, *", English),
        ("de;q=x,,;;q", English),
    ] {
        assert_eq!(Language::of_accepted(field), language, "{field}");
    }
}

/// The texts of the service's pages.
static PAGES: Texts = crate::texts!("page.ftl", "record.ftl", "owner.ftl", "keys.ftl");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("i18n")
}

/// The texts of a file, by their names.
fn texts(path: &Path) -> BTreeMap<String, String> {
    let mut texts = BTreeMap::<String, String>::new();
    let mut name = String::new();
    for line in fs::read_to_string(path).unwrap().lines() {
        if line.starts_with('#') || line.is_empty() {
            name.clear();
        } else if line.starts_with(' ') {
            let text = texts.get_mut(&name).unwrap_or_else(|| panic!("{}: {line}", path.display()));
            text.push_str(line);
        } else {
            let (found, text) =
                line.split_once(" =").unwrap_or_else(|| panic!("{}: {line}", path.display()));
            found.clone_into(&mut name);
            let twice = texts.insert(name.clone(), text.to_owned());
            assert!(twice.is_none(), "{}: {name} stands there twice", path.display());
        }
    }
    texts
}

/// The names of what is put into a text.
fn values(text: &str) -> BTreeSet<String> {
    let names = text.split('$').skip(1).map(|rest| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        rest.chars().take_while(|c| is_name(*c)).collect()
    });
    names.collect()
}

#[test]
fn every_language_has_every_text_with_the_same_values() {
    let english: Vec<PathBuf> =
        fs::read_dir(root().join("en")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(english.len() >= 4, "{english:?}");
    let directories = fs::read_dir(root()).unwrap().count();
    assert_eq!(directories, Language::ALL.len());
    for language in Language::ALL {
        let directory = root().join(language.name());
        // The English help is the schema's.
        let help = usize::from(directory.join("help.ftl").exists());
        assert_eq!(help == 0, language == Language::English);
        assert_eq!(fs::read_dir(&directory).unwrap().count(), english.len() + help);
        for file in &english {
            let own = directory.join(file.file_name().unwrap());
            let (wanted, own_texts) = (texts(file), texts(&own));
            for (name, text) in &wanted {
                let Some(told) = own_texts.get(name) else {
                    panic!("{} has no {name}", own.display());
                };
                assert_eq!(values(told), values(text), "{}: {name}", own.display());
                assert!(!told.contains(char::is_control), "{}: {name}", own.display());
            }
            let more: Vec<&String> =
                own_texts.keys().filter(|name| !wanted.contains_key(*name)).collect();
            assert!(more.is_empty(), "{} has {more:?}", own.display());
        }
    }
}

#[test]
fn every_text_can_be_read() {
    for language in Language::ALL {
        let names = names_of_values(language);
        for texts in [&TEXTS, &FOUND, &PAGES] {
            for key in texts.keys() {
                let told: Vec<(&str, Value<'_>)> =
                    names[key].iter().map(|name| (name.as_str(), Value::from(2_u64))).collect();
                let text = texts.tell(language, key, &told).unwrap();
                let english = texts.tell(Language::English, key, &told).unwrap();
                assert!(!text.is_empty() && !text.contains("{$"), "{key}: {text}");
                assert!(!text.contains(['\u{2068}', '\u{2069}']), "{key}: {text}");
                let is_own = language == Language::English || text != english;
                // What is the same word there.
                let is_short = text.chars().count() < 12;
                assert!(is_own || is_short, "{}: {key} is not translated", language.name());
            }
        }
    }
}

/// The names of what is put into each text of a language.
fn names_of_values(language: Language) -> BTreeMap<String, BTreeSet<String>> {
    let directory = root().join(language.name());
    let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    files.flat_map(|file| texts(&file)).map(|(key, text)| (key, values(&text))).collect()
}

#[test]
fn plurals_are_those_of_the_language() {
    for (count, text) in [(1, "1 причина"), (3, "3 причины"), (11, "11 причин"), (21, "21 причина")]
    {
        let told = Language::Russian.tell("question-more-reasons", &[("count", count.into())]);
        assert_eq!(told, format!("ещё {text}"));
    }
    for (count, text) in [(1, "1 more reason"), (2, "2 more reasons")] {
        let told = Language::English.tell("question-more-reasons", &[("count", count.into())]);
        assert_eq!(told, text);
    }
}

#[test]
fn numbers_are_those_of_the_language() {
    use Language::{Chinese, English, French, German, Russian};
    for (language, number, told) in [
        (English, 0, "0"),
        (English, 999, "999"),
        (English, 1_234_567, "1,234,567"),
        (German, 12_345, "12.345"),
        (French, 1_000, "1 000"),
        (Russian, 1_000, "1 000"),
        (Chinese, 1_000, "1,000"),
    ] {
        assert_eq!(language.number(number), told);
        let put = PAGES.tell(language, "transcripts-count", &[("count", number.into())]).unwrap();
        assert!(put.contains(told), "{put}");
        // What is a name, though it has only digits, is not written so.
        let named = [("number", number.to_string().into())];
        let named = PAGES.tell(language, "call-title", &named).unwrap();
        assert!(named.ends_with(&number.to_string()), "{named}");
    }
}

/// The text of all source files that are not tests.
fn source() -> String {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut directories = vec![repository.join("src"), repository.join("service/src")];
    let mut source = String::new();
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs")
                && !path.ends_with("tests.rs")
                && !path.ends_with("language/mod.rs")
            {
                source.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    source
}

#[test]
fn every_text_is_told_somewhere_and_what_is_told_is_there() {
    let source = source();
    let quoted: BTreeSet<&str> = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| line.split('"').skip(1).step_by(2))
        .collect();
    let mut known = BTreeSet::new();
    for file in
        ["question.ftl", "watch.ftl", "page.ftl", "record.ftl", "owner.ftl", "keys.ftl", "tray.ftl"]
    {
        for name in texts(&root().join("en").join(file)).into_keys() {
            let is_told = quoted.contains(name.as_str()) || name.starts_with("severity-");
            assert!(is_told, "{file}: nobody tells {name}");
            known.insert(name);
        }
    }
    let is_name = |text: &&&str| {
        let plain = |c: char| c.is_ascii_lowercase() || c == '-';
        NAMES.iter().any(|start| text.len() > start.len() && text.starts_with(start))
            && text.chars().all(plain)
    };
    for name in quoted.iter().filter(is_name) {
        assert!(known.contains(*name), "there is no text {name}");
    }
}

#[test]
fn what_is_found_is_what_the_guard_says() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut said = source().replace("\\\"", "\"");
    for pack in fs::read_dir(repository.join("rules/packs")).unwrap() {
        said.push_str(&fs::read_to_string(pack.unwrap().path()).unwrap());
    }
    said.push_str(&fs::read_to_string(repository.join("rules/effects.toml")).unwrap());
    for key in FOUND.keys() {
        let text = FOUND.say(Language::English, key).unwrap();
        // Between what varies, all of it stands there in one piece.
        for part in text.split("{$").map(|part| part.split_once('}').map_or(part, |(_, text)| text))
        {
            let part = part.trim();
            // Faster than `str::contains` by far, on megabytes.
            let sought = Regex::new(&regex::escape(part)).unwrap();
            assert!(sought.is_match(&said), "{key}: nothing says '{part}'");
        }
    }
}

#[test]
fn what_is_found_is_told_in_the_language_with_what_varies_in_it() {
    use Language::{German, Japanese};
    for (english, language, told) in [
        ("deletes 'a b'", German, "löscht 'a b'"),
        ("deletes 'a' with all that is in it", German, "löscht 'a' mit allem, was darin ist"),
        ("deletes 'it's'", German, "löscht 'it's'"),
        (
            "deletes a path that is only known when it runs",
            German,
            "löscht einen Pfad, der erst beim Ausführen bekannt ist",
        ),
        (
            "code that is not read: 'a.py' has changed",
            German,
            "Code, der nicht gelesen wird: 'a.py' hat sich geändert",
        ),
        (
            "installs packages, which run code of their own",
            Japanese,
            "独自のコードを実行するパッケージをインストールする",
        ),
        ("ran, earlier yes, failed", German, "lief, früheres Ja, fehlgeschlagen"),
        (
            "allowed, contained, by the rules alone",
            German,
            "erlaubt, eingezäunt, allein nach den Regeln",
        ),
        ("12 kB", German, "12 kB"),
        (
            "Of a line of 9 MB, 512 bytes are not shown.",
            German,
            "Von einer Zeile von 9 MB werden 512 Byte nicht gezeigt.",
        ),
        ("It is a pipe, so it is not read", German, "Nicht gelesen: ist eine Pipe"),
        ("'a b' is a pipe, so it is not read", German, "'a b' is a pipe, so it is not read"),
        ("'a' is a pipe, so it is not read", German, "'a' wird nicht gelesen: ist eine Pipe"),
        (
            "if you permit installs from a lock file: guarded-sh config set a: b",
            German,
            "falls dies zulässig ist: Installationen aus einer Lock-Datei: guarded-sh config set a: b",
        ),
        (
            "on their own, `a`, `b` and `c` run at once",
            German,
            "für sich allein laufen `a`, `b` und `c` sofort",
        ),
        // Of what is not known nothing is changed.
        ("my own rule says no", German, "my own rule says no"),
        ("deletes unquoted", German, "deletes unquoted"),
        ("", German, ""),
        (
            "cannot be read as bash reads it: x: y, z",
            German,
            "nicht so zu lesen, wie bash es liest: x: y, z",
        ),
    ] {
        assert_eq!(language.meaning(english), told, "{english}");
        assert_eq!(Language::English.meaning(english), english);
    }
    let long = format!("deletes {}", "', : ".repeat(50_000));
    assert_eq!(German.meaning(&long), long);
}
