//! Screens of the list as rows of `tests/screens/`, and what keys and hosts bring about. `WRITE_SCREENS=1` writes the screens anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier};
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::draw::{Around, draw};
use super::list::{Doing, End, List, Tab, View};
use crate::approval::page::{Guard, Look, Pace};
use crate::approval::text::width;
use crate::ipc::{Entry, State};
use crate::language::Language;
use crate::model::{Answer, Covers, Question, Scope, Score, Severity, Trying};

#[path = "../../../tests/all/looks.rs"]
mod looks;
use looks::Looks;

const SECOND: Duration = Duration::from_secs(1);

fn host(name: &str) -> PathBuf {
    PathBuf::from(format!("/run/{name}.desk"))
}

fn entry(id: &str, line: &str, severity: Severity, age: u64, state: State) -> (PathBuf, Entry) {
    let question = Question {
        line: line.to_owned(),
        cwd: Some("/home/dev/project".to_owned()),
        agent: Some("claude".to_owned()),
        program: None,
        session: None,
        severity,
        score: Score::within(severity, 3),
        reason: format!("does what `{}` does", line.split(' ').next().unwrap_or_default()),
        instead: None,
        findings: Vec::new(),
        held: None,
        opinion: None,
        recent: crate::model::Recent::default(),
        files: None,
        difference: None,
        anew: None,
        client: None,
        scope: Scope { severity, ..Scope::default() },
    };
    let (id, trying) = (id.to_owned(), Trying::Impossible);
    (host("one"), Entry { id, question, age, state, trying, may_stop: false })
}

const HOSTILE: &str = "rm -rf ~/x\x1b[2J\x1b]0;owned\x07 \u{202e}gnp.exe\u{202c} '漢字テスト' e\u{301}\u{302}\u{303}\u{304}\u{305} \u{301}z\r\x08fine\u{200b}\n\tmore";

fn some() -> Vec<(PathBuf, Entry)> {
    let denied = |message: Option<&str>| State::Answered {
        answer: Answer::Deny { message: message.map(str::to_owned) },
    };
    vec![
        entry(
            "aaaaa",
            "npm install left-pad",
            Severity::Medium,
            12,
            State::Waiting { left: Some(48) },
        ),
        entry("bbbbb", HOSTILE, Severity::Critical, 70, State::Waiting { left: None }),
        entry("ccccc", "git push origin feature", Severity::Medium, 4000, State::Left),
        entry("ddddd", "rm notes.txt", Severity::High, 90, denied(Some("keep it"))),
        entry(
            "eeeee",
            "cargo install ripgrep",
            Severity::Medium,
            300,
            State::Answered { answer: Answer::Session { covers: Covers::Line } },
        ),
    ]
}

/// A list that has been there for a while.
fn list(entries: Vec<(PathBuf, Entry)>) -> (List, Instant) {
    list_in(Language::English, entries)
}

/// The same in a language.
fn list_in(language: Language, entries: Vec<(PathBuf, Entry)>) -> (List, Instant) {
    let start = Instant::now();
    let mut list = List::new(Look::Colour, Some("/home/dev".to_owned()), language, start);
    assert_eq!(list.stand(entries, start), Doing::Redraw);
    (list, start + SECOND)
}

/// The rows of what is drawn, with letters below that say how they look.
fn drawn(list: &mut List, columns: u16, rows: u16, around: &Around<'_>) -> String {
    let viewport = Viewport::Fixed(ratatui::layout::Rect::new(0, 0, columns, rows));
    let options = TerminalOptions { viewport };
    let mut terminal = Terminal::with_options(TestBackend::new(columns, rows), options).unwrap();
    terminal.draw(|frame| draw(frame, list, around)).unwrap();
    let buffer = terminal.backend().buffer();
    let mut looks = Looks::default();
    for row in 0..rows {
        let (mut text, mut styles, mut skip) = (String::new(), Vec::new(), 0);
        for column in 0..columns {
            let cell = buffer.cell((column, row)).unwrap();
            let symbol = if skip == 0 { cell.symbol() } else { "" };
            skip = crate::approval::text::width(symbol).max(skip).saturating_sub(1);
            assert!(!symbol.contains(char::is_control), "{symbol:?}");
            text.push_str(symbol);
            let mut style: Vec<String> = Vec::new();
            for (modifier, name) in [
                (Modifier::BOLD, "bold"),
                (Modifier::DIM, "dim"),
                (Modifier::UNDERLINED, "underlined"),
                (Modifier::REVERSED, "inverse"),
            ] {
                style.extend(cell.modifier.contains(modifier).then(|| name.to_owned()));
            }
            if let Color::Indexed(colour) = cell.fg {
                style.push(format!("colour {colour}"));
            }
            styles.push(style);
        }
        looks.row(&text, styles.into_iter());
    }
    looks.end()
}

#[test]
fn who_waits_is_selected_before_what_was_left_until_the_person_goes_elsewhere() {
    let left = || entry("ccccc", "git push origin feature", Severity::Medium, 4000, State::Left);
    let waits = || entry("aaaaa", "rm a", Severity::Medium, 1, State::Waiting { left: Some(9) });
    let selected = |list: &List| list.current().map(|(_, entry)| entry.id);
    let (mut list, now) = list(vec![left()]);
    assert_eq!(selected(&list).as_deref(), Some("ccccc"));
    let _ = list.stand(vec![left(), waits()], now);
    assert_eq!(selected(&list).as_deref(), Some("aaaaa"));
    // No key denies what came under the cursor this moment.
    assert!(!matches!(list.feed(b"d", now), Some(Doing::Denying(..))));
    let _ = list.feed(b"j", now + SECOND);
    assert_eq!(selected(&list).as_deref(), Some("ccccc"));
    let _ = list.stand(vec![left(), waits()], now + SECOND);
    assert_eq!(selected(&list).as_deref(), Some("ccccc"));
}

const ONE: Around<'_> = Around { hosts: 1, trouble: None, paused: None };

#[test]
fn screens_are_as_they_were_read() {
    let trouble = Around {
        hosts: 2,
        trouble: Some("the secret is not\x1b[2J that of this host"),
        paused: None,
    };
    let none = Around { hosts: 0, trouble: None, paused: None };
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens");
    let mut wrong = String::new();
    for (name, entries, columns, rows, keys, around, look) in [
        ("watch", some(), 80, 24, &[][..], &ONE, Look::Colour),
        ("watch-wide", some(), 120, 30, &["j"], &ONE, Look::Colour),
        ("watch-small", some(), 40, 8, &["j"], &ONE, Look::Colour),
        ("watch-mono", some(), 80, 16, &["j", "j"], &trouble, Look::Mono),
        ("watch-history", some(), 80, 24, &["h"], &ONE, Look::Colour),
        ("watch-help", some(), 80, 24, &["?"], &ONE, Look::Colour),
        ("watch-empty", Vec::new(), 80, 8, &[], &none, Look::Colour),
        ("watch-tiny", some(), 20, 3, &[], &ONE, Look::Colour),
    ] {
        let (mut list, now) = list(entries);
        list.look = look;
        for keys in keys {
            let _ = list.feed(keys.as_bytes(), now);
        }
        let drawn = drawn(&mut list, columns, rows, around);
        let path = directory.join(format!("{name}.txt"));
        if std::env::var_os("WRITE_SCREENS").is_some() {
            std::fs::write(&path, &drawn).unwrap();
        }
        if std::fs::read_to_string(&path).unwrap_or_default() != drawn {
            let _ = writeln!(wrong, "{name}:\n{drawn}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn it_is_drawn_at_any_size() {
    for columns in [1, 2, 29, 30, 31, 59, 60, 200] {
        for rows in [1, 2, 3, 4, 5, 8, 15, 16, 40] {
            for keys in ["", "h", "?", "jj", "\r"] {
                let (mut list, now) = list(some());
                let _ = list.feed(keys.as_bytes(), now);
                drawn(&mut list, columns, rows, &ONE);
            }
        }
    }
}

fn selected(list: &List) -> Option<String> {
    list.current().map(|(_, entry)| entry.id)
}

#[test]
fn keys_choose_and_what_is_chosen_stays_so() {
    for (keys, id) in [
        ("", Some("bbbbb")),
        ("j", Some("aaaaa")),
        ("jj", Some("ccccc")),
        ("jjjjjj", Some("ccccc")),
        ("\x1b[B\x1b[B\x1b[A", Some("aaaaa")),
        ("Gk", Some("aaaaa")),
        ("jjg", Some("bbbbb")),
        ("h", Some("ddddd")),
        ("\tj", Some("eeeee")),
        ("hh", Some("bbbbb")),
        ("?q", Some("bbbbb")),
        ("xyz\x1b[200~jj\x1b[201~", Some("bbbbb")),
    ] {
        let (mut list, now) = list(some());
        let _ = list.feed(keys.as_bytes(), now);
        assert_eq!(selected(&list).as_deref(), id, "{keys:?}");
    }
    let (mut list, now) = list(some());
    let _ = list.feed(b"j", now);
    let mut entries = some();
    entries.push(entry("fffff", "rm x", Severity::High, 9999, State::Waiting { left: None }));
    let _ = list.stand(entries.clone(), now);
    assert_eq!(selected(&list).as_deref(), Some("aaaaa"));
    entries.retain(|(_, entry)| entry.id != "aaaaa");
    let _ = list.stand(entries, now);
    assert_eq!(selected(&list).as_deref(), Some("ccccc"));
    let _ = list.stand(Vec::new(), now);
    assert_eq!(selected(&list), None);
    assert_eq!(list.feed(b"d\r", now), None);
}

#[test]
fn a_key_denies_what_was_there_when_it_was_pressed() {
    let deny =
        |id: &str| Some(Doing::Answer(host("one"), id.to_owned(), Answer::Deny { message: None }));
    let denying = |id: &str| Some(Doing::Denying(host("one"), id.to_owned()));
    let (mut list, now) = list(some());
    let press = |list: &mut List, keys: &[&str], mut now: Instant| {
        for key in keys {
            now += SECOND / 2;
            let _ = list.feed(key.as_bytes(), now);
        }
        list.tick(now + Pace::LETTER)
    };
    // What comes in a burst was not meant for the list.
    assert_eq!(list.feed(b"deploy", now), Some(Doing::Redraw));
    assert_eq!(list.tick(now + Pace::LETTER), None);
    let now = now + 2 * SECOND;
    assert_eq!(list.feed(b"d", now), denying("bbbbb"));
    assert_eq!(list.feed(b"i", now + SECOND / 5), Some(Doing::Redraw));
    assert_eq!(list.tick(now + SECOND), None);
    let now = now + 2 * SECOND;
    assert_eq!(list.feed(b"d", now), denying("bbbbb"));
    assert_eq!(list.tick(now + Pace::LETTER), deny("bbbbb"));
    // Until the host has said that it was taken, nothing else is denied.
    assert_eq!(press(&mut list, &["j", "d"], now), None);
    assert_eq!(list.taken(&host("one"), Ok(()), now), Doing::Redraw);
    assert!(list.notice.is_some());
    // Another question takes its place: a key that comes at once was meant for the one before.
    let later = now + 30 * SECOND;
    let _ = list.feed(b"g", later);
    let mut entries = some();
    entries.retain(|(_, entry)| entry.id != "bbbbb");
    let _ = list.stand(entries, later);
    assert_eq!(list.feed(b"d", later + Guard::LENGTH / 2), Some(Doing::Redraw));
    assert_eq!(list.tick(later + Guard::LENGTH), None);
    let later = later + 2 * Guard::LENGTH;
    assert_eq!(list.feed(b"d", later), denying("aaaaa"));
    assert_eq!(list.tick(later + Pace::LETTER), deny("aaaaa"));
    assert_eq!(list.taken(&host("one"), Err("no".to_owned()), later), Doing::Redraw);
    assert_eq!(press(&mut list, &["h", "d"], later), None);
    assert_eq!(list.tab, Tab::History);
}

#[test]
fn one_question_alone_is_the_end_of_it() {
    let with = |state: State| {
        let mut entries = some();
        entries[0].1.state = state;
        entries
    };
    let (mut list, now) = list(some());
    assert_eq!(list.only("zzzzz"), None);
    assert_eq!(list.only("ddddd"), None);
    assert_eq!(list.only("aaaaa"), Some(()));
    assert!(matches!(list.view, View::Question(_)));
    assert_eq!(list.stand(with(State::Left), now), Doing::Redraw);
    let answered = State::Answered { answer: Answer::Once };
    let is_answered =
        |doing: &Doing| matches!(doing, Doing::Quit(End::Answered(entry)) if entry.id == "aaaaa");
    assert!(is_answered(&list.stand(with(answered), now)));
    assert_eq!(list.stand(Vec::new(), now), Doing::Quit(End::Gone));
}

/// The text of the rows that are drawn.
fn rows(list: &mut List, columns: u16, rows: u16) -> Vec<String> {
    let viewport = Viewport::Fixed(ratatui::layout::Rect::new(0, 0, columns, rows));
    let options = TerminalOptions { viewport };
    let mut terminal = Terminal::with_options(TestBackend::new(columns, rows), options).unwrap();
    let around = Around { hosts: 2, trouble: None, paused: None };
    terminal.draw(|frame| draw(frame, list, &around)).unwrap();
    let buffer = terminal.backend().buffer();
    let row = |row: u16| {
        let mut skip = 0;
        let cells = (0..columns).filter_map(|column| {
            let symbol = buffer.cell((column, row)).unwrap().symbol();
            let is_seen = skip == 0;
            skip = if is_seen { width(symbol).saturating_sub(1) } else { skip - 1 };
            is_seen.then_some(symbol)
        });
        cells.collect::<String>()
    };
    (0..rows).map(row).collect()
}

#[test]
fn in_every_language_the_list_fits_its_terminal() {
    for language in Language::ALL {
        for keys in ["", "h", "?", "jj"] {
            for (columns, height) in [(80, 24), (40, 12), (30, 8)] {
                let (mut list, now) = list_in(language, some());
                let _ = list.feed(keys.as_bytes(), now);
                let drawn = rows(&mut list, columns, height);
                for row in &drawn {
                    assert_eq!(width(row), usize::from(columns), "{language:?} {keys}: {row:?}");
                }
                let severity = language.severity("critical");
                if keys.is_empty() {
                    let is_there = |row: &String| row.trim_start().starts_with(&*severity);
                    assert!(drawn.iter().any(is_there), "{language:?}: {drawn:#?}");
                }
                // Where there is room, nothing of what keys do is cut off.
                if columns == 80 {
                    let (foot, help) = (drawn.last().unwrap(), drawn.join("\n"));
                    assert!(!foot.contains('…'), "{language:?} {keys}: {foot}");
                    assert!(keys != "?" || !help.contains('…'), "{language:?}: {help}");
                }
            }
        }
    }
}

#[test]
fn every_language_has_its_words_in_the_list() {
    for (language, words) in [
        (Language::German, ["offen 3", "kritisch", "Enter öffnen"]),
        (Language::Russian, ["открыто 3", "крайняя", "Enter открыть"]),
        (Language::Japanese, ["未回答 3", "重大", "Enter 開く"]),
    ] {
        let (mut list, _) = list_in(language, some());
        let drawn = rows(&mut list, 80, 24).join("\n");
        for word in words {
            assert!(drawn.contains(word), "{word}: {drawn}");
        }
    }
}
