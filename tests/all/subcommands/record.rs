//! `log` and `verify`, on records that the shell itself wrote.

use std::fs;
use std::path::PathBuf;

use guarded_sh::audit::{DecidedBy, Durability, Filter, Hooked, Line, Purpose, Record, Store};
use guarded_sh::model::Action;

use super::{fails, fine, json, workspace};
use crate::support::Place;

/// A place with four records: three lines that ran, one that was refused.
fn recorded() -> Place {
    let place = workspace();
    for line in ["echo one", "true", "printf '%s\\n' two\nls"] {
        fine_line(&place, line);
    }
    let refused = place.guard(["-c", "sudo rm -rf /srv/x"]).run();
    assert_eq!(refused.code(), Some(126), "{}", refused.err());
    place
}

fn fine_line(place: &Place, line: &str) {
    assert_eq!(place.guard(["-c", line]).run().code(), Some(0), "{line}");
}

fn file(place: &Place) -> PathBuf {
    let directory = place.path("home/.local/state/guarded-sh/records");
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|e| e == "jsonl")).max().unwrap()
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn records_are_one_line_each_newest_last() {
    let place = recorded();
    let text = fine(&place.guard(["log"]));
    let rows = lines(&text);
    assert_eq!(rows.len(), 4, "{text}");
    let first = ("0      2", "  ran                      low       ");
    assert!(rows[0].starts_with(first.0) && rows[0].contains(first.1), "{text}");
    assert!(rows[0].ends_with("echo one"), "{text}");
    assert!(rows[2].ends_with("printf '%s\\n' two⏎ls"), "{text}");
    assert!(rows[3].contains("no one could be asked    critical  "), "{text}");
    assert!(rows[3].ends_with("sudo rm -rf /srv/x"), "{text}");
    assert!(rows.iter().all(|row| row.contains("/work  ")), "{text}");
}

#[test]
fn records_are_filtered() {
    let place = recorded();
    let count = |words: &[&str]| lines(&fine(&place.guard(["log"]).args(words))).len();
    assert_eq!(count(&["--action", "deny"]), 1);
    assert_eq!(count(&["--action", "allow"]), 3);
    assert_eq!(count(&["--severity", "medium"]), 1);
    assert_eq!(count(&["--severity", "low"]), 4);
    assert_eq!(count(&["--text", "echo"]), 1);
    assert_eq!(count(&["--session", "codex:s1"]), 0);
    assert_eq!(count(&["-n", "3"]), 3);
    assert_eq!(count(&["-n", "0"]), 0);
    for since in ["1h", "today", "2020-01-01", "2020-01-01T00:00:00Z"] {
        assert_eq!(count(&["--since", since]), 4, "{since}");
    }
    assert_eq!(count(&["--since", "2999-01-01"]), 0);
    assert!(fine(&place.guard(["log", "-n", "1"])).ends_with("sudo rm -rf /srv/x\n"));
}

#[test]
fn records_are_filtered_by_session() {
    let place = recorded();
    // An agent's call has no say in where records are, so one of a session is put there by hand.
    let store = Store::new(&place.path("home/.local/state/guarded-sh"), Durability::System);
    let last = store.read(Filter::default()).unwrap().last().unwrap().unwrap();
    store.append(&Record { session: Some("codex:s1".to_owned()), ..last.record }).unwrap();
    let rows = fine(&place.guard(["log", "--json", "--session", "codex:s1"]));
    assert_eq!(lines(&rows).len(), 1);
    assert_eq!(json(&rows)["session"], "codex:s1");
    assert!(fine(&place.guard(["verify"])).starts_with("whole: 5 records"));
}

#[test]
fn what_agents_do_for_themselves_is_left_out_and_long_lines_are_cut() {
    let place = recorded();
    let store = Store::new(&place.path("home/.local/state/guarded-sh"), Durability::System);
    let first = store.read(Filter::default()).unwrap().next().unwrap().unwrap().record;
    let long = format!("SNAPSHOT_FILE=x\n{}", "y".repeat(6000));
    let start = Record { line: Line::new(long.as_ref()), purpose: Some(Purpose::Start), ..first };
    store.append(&start).unwrap();
    let hook = Record { purpose: Some(Purpose::Hook), ..start.clone() };
    store.append(&hook).unwrap();
    let told = Record {
        line: Line::default(),
        purpose: None,
        decided_by: DecidedBy::Observed,
        hook: Some(Box::new(Hooked { event: "SessionStart".to_owned(), ..Hooked::default() })),
        ..start.clone()
    };
    store.append(&told).unwrap();
    // What was not let run is nobody's own affair.
    store.append(&Record { action: Action::Deny, ..start.clone() }).unwrap();
    let count = |words: &[&str]| lines(&fine(&place.guard(["log"]).args(words))).len();
    assert_eq!((count(&[]), count(&["--all"]), count(&["--json"])), (5, 8, 8));
    assert_eq!((count(&["--text", "SNAPSHOT"]), count(&["-n", "2"])), (3, 2));
    let text = fine(&place.guard(["log", "--all"]));
    let row = lines(&text)[4];
    assert!(row.contains("SNAPSHOT_FILE=x⏎yyy") && row.ends_with("y… (6016 bytes)"), "{row}");
    assert!(row.len() < 520, "{row}");
    let whole = fine(&place.guard(["log", "--json", "--text", "SNAPSHOT"]));
    assert_eq!(json(lines(&whole)[0])["line"].as_str().unwrap().len(), 6016);
}

#[test]
fn times_are_local() {
    let place = recorded();
    let hour = |zone: &str| {
        let text = fine(&place.guard(["log", "-n", "1"]).env("TZ", zone));
        text[18..20].parse::<i32>().unwrap()
    };
    assert_eq!((hour("UTC-5") - hour("UTC")).rem_euclid(24), 5);
}

#[test]
fn records_are_json_for_programs() {
    let place = recorded();
    let text = fine(&place.guard(["log", "--json", "-n", "2"]));
    let rows: Vec<_> = text.lines().map(json).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[1]["line"], "sudo rm -rf /srv/x");
    assert_eq!(rows[1]["sequence"], 3);
    assert_eq!(rows[1]["decided_by"], "nobody");
}

#[test]
fn without_records_there_is_nothing_to_show_and_nothing_is_wrong() {
    let place = workspace();
    assert_eq!(fine(&place.guard(["log"])), "");
    assert!(fine(&place.guard(["verify"])).starts_with("whole: no records yet in "));
    let wire = json(&fine(&place.guard(["verify", "--json"])));
    assert_eq!((wire["whole"].as_bool(), wire["records"].as_u64()), (Some(true), Some(0)));
}

#[test]
fn a_damaged_line_is_told_and_the_others_are_shown() {
    let place = recorded();
    let text = fs::read_to_string(file(&place)).unwrap();
    fs::write(file(&place), text.replacen("{\"sequence\":1", "{\"sequ\u{1b}ence\":1", 1)).unwrap();
    for words in [&["log"] as &[&str], &["log", "-n", "9"], &["log", "--json"]] {
        let ended = fails(&place.guard([]).args(words), 1, "line 2, is no record");
        assert_eq!(lines(&ended.out()).len(), 3);
        assert!(!ended.stdout.contains(&0x1b) && !ended.stderr.contains(&0x1b));
    }
}

#[test]
fn a_whole_record_is_whole() {
    let place = recorded();
    let text = fine(&place.guard(["verify"]));
    assert_eq!(text, "whole: 4 records in ~/.local/state/guarded-sh/records\n");
}

#[test]
fn what_was_altered_cut_or_taken_out_is_found() {
    let place = recorded();
    let whole = fs::read_to_string(file(&place)).unwrap();
    let rows: Vec<&str> = whole.lines().collect();
    let name = file(&place).file_name().unwrap().to_str().unwrap().to_owned();
    for (text, says) in [
        (whole.replacen("echo one", "echo two", 1), format!("{name}:1: the line was altered")),
        (rows[..3].join("\n") + "\n", "head: the last 1 records are missing".to_owned()),
        (
            [rows[0], rows[2], rows[3]].join("\n") + "\n",
            format!("{name}:2: record 1 is missing before it"),
        ),
    ] {
        fs::write(file(&place), text).unwrap();
        let ended = place.guard(["verify"]).run();
        assert_eq!((ended.code(), ended.err().as_str()), (Some(1), ""));
        assert!(ended.out().contains(&says), "{says:?} is not in {}", ended.out());
        assert!(ended.out().contains("not whole: "), "{}", ended.out());
    }
    let ended = place.guard(["verify", "--json"]).run();
    assert_eq!(ended.code(), Some(1));
    let wire = json(&ended.out());
    assert_eq!(wire["whole"], false);
    assert_eq!(wire["problems"][0]["line"], 2);
}

#[test]
fn nothing_in_a_recorded_line_moves_the_cursor() {
    let place = workspace();
    fine_line(&place, "echo '\u{1b}[2J\u{202e}'");
    let text = fine(&place.guard(["log"]));
    assert!(text.contains("\\x1b[2J\\u{202e}"), "{text}");
}
