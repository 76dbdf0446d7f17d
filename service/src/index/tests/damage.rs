//! Records that are damaged: they are passed over, said to be so, and the rest is there.

use std::fs::OpenOptions;
use std::io::Write as _;

use super::super::Index;
use super::support::{State, all, lines, ran, updated};

const DAY: &str = "2026-11-21";

fn appended(state: &State, bytes: &[u8]) {
    let mut file = OpenOptions::new().append(true).open(state.day(DAY)).unwrap();
    file.write_all(bytes).unwrap();
}

fn damage(index: &Index) -> String {
    index.damage().unwrap().unwrap_or_default()
}

/// What is no record, and that no record pins: said to be altered, as `verify` says it, and what follows is indexed.
#[test]
fn what_is_no_record_is_passed_over_and_told() {
    for bytes in [
        &b"{\"sequence\":1}\n"[..],
        b"\0\0\0\n",
        b"\xff\xfe\xc3(\n",
        b"\n",
        b"[[[[[[\n{}\n",
        &vec![b'x'; 100_000],
        &vec![b'y'; 20 << 20],
    ] {
        let state = State::new();
        state.ran(&["one"]);
        let mut last = bytes.to_vec();
        last.extend_from_slice(if bytes.ends_with(b"\n") { b"" } else { b"\n" });
        let whole = std::fs::read(state.day(DAY)).unwrap();
        // In the middle of what the chain ties together.
        state.ran(&["two"]);
        let both = std::fs::read(state.day(DAY)).unwrap();
        std::fs::write(state.day(DAY), [&whole, &last, &both[whole.len()..]].concat()).unwrap();
        let mut index = state.index();
        let done = updated(&mut index);
        assert_eq!((done.calls, done.records), (2, 2));
        assert_eq!(lines(&all(&index)), ["two", "one"]);
        let said = damage(&index);
        assert!(said.starts_with("'2026-11-21.jsonl', line 2: the line was altered"), "{said}");
        assert!(!state.store.verify().unwrap().is_whole());
    }
}

#[test]
fn what_was_changed_in_a_record_is_told_with_its_line() {
    let change = |change: &dyn Fn(Vec<String>) -> Vec<String>| {
        let state = State::new();
        state.ran(&["one", "two", "three", "four"]);
        let text = std::fs::read_to_string(state.day(DAY)).unwrap();
        let lines = change(text.lines().map(str::to_owned).collect());
        std::fs::write(state.day(DAY), lines.join("\n") + "\n").unwrap();
        let mut index = state.index();
        updated(&mut index);
        let verified = state.store.verify().unwrap().problems;
        let first = verified.first().map(|problem| problem.what.to_string()).unwrap_or_default();
        (damage(&index), first, lines.len())
    };
    let is_told = |(said, verified, _): (String, String, usize), line: &str| {
        assert!(said.contains(line) && said.contains(&verified), "{said} / {verified}");
    };
    is_told(change(&|lines| lines), "");
    let altered = |mut lines: Vec<String>| {
        lines[1] = lines[1].replace("two", "owt");
        lines
    };
    is_told(change(&altered), "line 2: the line was altered");
    let removed = |mut lines: Vec<String>| {
        lines.remove(1);
        lines
    };
    is_told(change(&removed), "line 2: record 1 is missing before it");
    let copied = |mut lines: Vec<String>| {
        lines.push(lines[1].clone());
        lines
    };
    is_told(change(&copied), "line 5: the record was moved here, or copied");
    let cut = |lines: Vec<String>| lines[..2].to_vec();
    is_told(change(&cut), "the last 2 records are missing");
}

#[test]
fn a_line_that_is_not_finished_is_left_for_later() {
    let state = State::new();
    state.ran(&["one", "two"]);
    let whole = std::fs::read(state.day(DAY)).unwrap();
    let (first, rest) = whole.split_at(whole.len() - 30);
    std::fs::write(state.day(DAY), first).unwrap();
    let mut index = state.index();
    assert_eq!(updated(&mut index).calls, 1);
    appended(&state, &rest[..10]);
    assert_eq!(updated(&mut index).records, 0);
    appended(&state, &rest[10..]);
    let done = updated(&mut index);
    assert_eq!((done.calls, done.records, done.anew), (2, 1, None));
    assert_eq!(index.damage().unwrap(), None);
}

#[test]
fn what_an_interruption_left_is_no_damage_once_it_is_pinned() {
    for (left, next) in [
        (&b"{\"sequence\":1,\"ti"[..], "2026-11-21T11:00:00Z"),
        (b"{\"sequ", "2026-11-22T11:00:00Z"),
        (b"torn\n", "2026-11-21T11:00:00Z"),
    ] {
        let state = State::new();
        state.ran(&["one"]);
        appended(&state, left);
        let mut index = state.index();
        updated(&mut index);
        state.append(&super::support::record("two", &serde_json::json!({ "time": next })));
        let done = updated(&mut index);
        assert_eq!((done.calls, done.anew), (2, None));
        assert_eq!(
            (index.damage().unwrap(), state.store.verify().unwrap().is_whole()),
            (None, true)
        );
    }
}

#[test]
fn a_record_that_this_version_does_not_understand_is_told_and_no_alteration() {
    let state = State::new();
    state.ran(&["one"]);
    let text = std::fs::read_to_string(state.day(DAY)).unwrap();
    let previous = &text[text.len() - 67..text.len() - 3];
    let fields = format!(
        "{{\"sequence\":1,\"time\":\"2026-11-21T10:00:01Z\",\"decided_by\":\"later\",\"previous\":\"{previous}\""
    );
    let hash = guarded_sh::audit::sha256(fields.as_bytes());
    appended(&state, format!("{fields},\"hash\":\"{hash}\"}}\n").as_bytes());
    state.append(&ran("two", 9));
    let mut index = state.index();
    assert_eq!(updated(&mut index).calls, 2);
    assert_eq!(
        damage(&index),
        "'2026-11-21.jsonl', line 2: this version does not understand the record"
    );
}
