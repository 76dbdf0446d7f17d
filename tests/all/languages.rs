//! Questions in every language: nothing that a person needs is cut off, whatever the words are, and whatever their width.

use std::time::Instant;

use guarded_sh::approval::page::{Outcome, Page};
use guarded_sh::approval::text::width;
use guarded_sh::language::Language;
use guarded_sh::model::Answer;

use crate::page::{Screen, screens};

/// The rows of a page as text, without what colours them.
fn rows(page: &mut Page, columns: usize, rows: usize) -> Vec<String> {
    let plain = |row: Vec<u8>| {
        let row = String::from_utf8(row).unwrap();
        let mut parts = row.split('\x1b');
        let first = parts.next().unwrap_or_default().to_owned();
        // A sequence ends with its first letter.
        parts.fold(first, |text, part| {
            text + part.split_once(char::is_alphabetic).map_or("", |(_, rest)| rest)
        })
    };
    page.rows(columns, rows).into_iter().map(plain).collect()
}

fn drawn(screen: &Screen, language: Language) -> Vec<String> {
    let (mut page, _) = screen.page(language);
    rows(&mut page, screen.columns, screen.rows)
}

#[test]
fn every_screen_fits_its_terminal() {
    for screen in screens() {
        for language in Language::ALL {
            let rows = drawn(&screen, language);
            assert!(rows.len() <= screen.rows, "{} {language:?}", screen.name);
            for row in rows {
                let width = width(&row);
                assert!(width <= screen.columns, "{} {language:?}: {row}", screen.name);
            }
        }
    }
}

#[test]
fn what_leads_out_of_a_view_is_told_in_every_language() {
    // What stands last among the keys of a view, and so would be cut off first.
    for (name, key) in [
        ("npm-install", "key-explain"),
        ("npm-install-wide", "key-explain"),
        ("curl-sh-word", "key-back"),
        ("edit", "key-back"),
        ("message", "key-back"),
        ("session", "key-back"),
        ("always", "key-back"),
        ("stop", "key-back"),
        ("stop-small", "key-back"),
        ("explain", "key-back"),
        ("tried", "key-back"),
        ("session-small", "key-back"),
        ("explain-scrolled", "key-back"),
        ("trying", "key-back"),
        ("withdrawn", "key-closes"),
    ] {
        let screens = screens();
        let screen = screens.iter().find(|screen| screen.name == name).unwrap();
        for language in Language::ALL {
            let rows = drawn(screen, language);
            let foot = rows[rows.len().saturating_sub(2)..].join(" ");
            assert!(foot.contains(&*language.say(key)), "{name} {language:?}: {rows:#?}");
        }
    }
}

#[test]
fn words_that_have_few_columns_fit_into_them() {
    let keys = |texts: &'static str| {
        let lines = texts.lines().filter_map(|line| line.split_once(" ="));
        lines.map(|(key, _)| key).filter(|key| key.starts_with(|c: char| c.is_ascii_lowercase()))
    };
    let question = include_str!("../../i18n/en/question.ftl");
    let watch = include_str!("../../i18n/en/watch.ftl");
    let tray = include_str!("../../i18n/en/tray.ftl");
    let choices = ["choice-deny", "choice-once", "choice-session", "choice-always"];
    for language in Language::ALL {
        for key in keys(question).chain(keys(watch)).chain(keys(tray)) {
            let most = match key {
                "question-fence" | "question-model" => 9,
                "short-seconds" => 5,
                "short-minutes" | "short-hours" => 4,
                "short-waits-for" => 10,
                "watch-waiting" | "pause-stands" => 40,
                // A row of 80 columns, behind the keys that are explained.
                key if key.starts_with("watch-help-") => 68,
                key if key.starts_with("watch-foot-") => 78,
                key if choices.contains(&key) => 10,
                key if key.starts_with("severity-") => 8,
                key if key.starts_with("short-") => 10,
                // The row of the keys, on a terminal of 80 columns.
                key if key.starts_with("question-key") || key.starts_with("question-disturb") => 76,
                "question-pasted" | "question-unseen" | "question-not-the-word" => 76,
                "question-nothing-to-run" | "question-nothing-changed" => 76,
                _ => continue,
            };
            let values = [
                ("count", 99_u64.into()),
                ("time", language.tell("short-minutes", &[("count", 99_u64.into())]).into()),
                ("waiting", 12_u64.into()),
                ("hosts", 12_u64.into()),
            ];
            let text = language.tell(key, &values);
            assert!(width(&text) <= most, "{language:?} {key}: {} columns: {text}", width(&text));
        }
    }
}

#[test]
fn keys_and_the_word_are_the_same_in_every_language() {
    let screens = screens();
    let named = |name: &str| screens.iter().find(|screen| screen.name == name).unwrap();
    for language in Language::ALL {
        let word = drawn(named("curl-sh-word"), language).join("\n");
        let mut words = word.split(|c: char| !c.is_alphanumeric());
        assert!(words.any(|word| word == "run"), "{language:?}: {word}");
        let choices = drawn(named("npm-install"), language);
        for key in ["d ", "o ", "s ", "a "] {
            let is_there = |row: &String| {
                let mut at = 0;
                // The key stands at its column, whatever the width of what is before it.
                row.char_indices().any(|(start, c)| {
                    let here = at;
                    at += width(c.encode_utf8(&mut [0; 4]));
                    here == 16 && row[start..].starts_with(key)
                })
            };
            assert!(choices.iter().any(is_there), "{language:?} {key}: {choices:#?}");
        }
    }
}

#[test]
fn a_page_in_another_language_is_left_and_answered_like_any() {
    for language in Language::ALL {
        let screens = screens();
        let screen = screens.iter().find(|screen| screen.name == "counting").unwrap();
        let (mut page, now): (Page, Instant) = screen.page(language);
        let _ = page.rows(80, 24);
        assert_eq!(page.feed(b"d", now), Outcome::Denying);
        let later = now + std::time::Duration::from_secs(1);
        assert_eq!(page.tick(later), Outcome::Answer(Answer::Deny { message: None }));
    }
}
