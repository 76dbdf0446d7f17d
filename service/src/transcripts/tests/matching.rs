//! Decisions stand beside the calls that they are of; what has none is told.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::support::{Home, lines};
use crate::transcripts::{Has, Matched, Scan, Wants, covered, matched};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_796_000_000 + second).unwrap()
}

fn wants(id: Option<&str>, key: u64, second: i64) -> Wants<'_> {
    Wants { id, key, time: Some(at(second)), until: Some(at(second + 60)) }
}

fn has(sequence: u64, id: Option<&str>, key: u64, second: i64) -> Has {
    Has { sequence, time: at(second), id: id.map(str::to_owned), key }
}

#[test]
fn an_id_goes_before_everything() {
    let calls = [wants(Some("a"), 1, 0), wants(Some("b"), 1, 10)];
    // The second was decided first, and under another line: a person changed it.
    let decisions = [has(7, Some("b"), 2, 1), has(8, Some("a"), 1, 11)];
    assert_eq!(matched(&calls, &decisions), [Matched::Id(8), Matched::Id(7)]);
}

#[test]
fn without_an_id_the_content_says_it_and_several_are_taken_in_order() {
    let calls = [wants(None, 1, 0), wants(None, 2, 10), wants(None, 1, 20), wants(None, 3, 30)];
    let decisions = [has(1, None, 1, 1), has(2, None, 2, 11), has(3, None, 1, 21)];
    let expected = [Matched::Several(1), Matched::Content(2), Matched::Several(3), Matched::None];
    assert_eq!(matched(&calls, &decisions), expected);
}

#[test]
fn a_transcript_may_say_any_time() {
    for time in [Timestamp::MIN, Timestamp::MAX] {
        let call = |until| Wants { id: None, key: 1, time: Some(time), until };
        let decision = Has { sequence: 1, time, id: None, key: 1 };
        assert_eq!(matched(&[call(None)], std::slice::from_ref(&decision)), [Matched::Content(1)]);
        assert_eq!(matched(&[call(Some(time))], &[decision]), [Matched::Content(1)]);
        assert_eq!(matched(&[call(None)], &[has(1, None, 1, 0)]), [Matched::None]);
    }
}

#[test]
fn of_two_calls_and_one_decision_one_has_none() {
    let calls = [wants(None, 1, 0), wants(None, 1, 3_600)];
    let decisions = [has(1, None, 1, 3_601)];
    assert_eq!(matched(&calls, &decisions), [Matched::None, Matched::Several(1)]);
}

#[test]
fn another_calls_id_another_time_and_another_line_are_no_match() {
    let decisions = [has(1, Some("x"), 1, 0)];
    assert_eq!(matched(&[wants(Some("y"), 1, 0)], &decisions), [Matched::None]);
    for second in [-600, 600] {
        let decisions = [has(1, None, 1, second)];
        assert_eq!(matched(&[wants(Some("y"), 1, 0)], &decisions), [Matched::None], "{second}");
    }
    assert_eq!(matched(&[wants(None, 1, 0)], &[has(1, None, 2, 0)]), [Matched::None]);
    assert_eq!(matched(&[], &[has(1, None, 2, 0)]), []);
}

fn call(id: &str, tool: &str, input: &Value, second: i64) -> Value {
    json!({ "type": "assistant", "timestamp": at(second).to_string(), "message": { "id": id, "content": [
        { "type": "tool_use", "id": id, "name": tool, "input": input }] } })
}

fn came(id: &str, second: i64) -> Value {
    json!({ "type": "user", "timestamp": at(second).to_string(), "message": { "content": [
        { "type": "tool_result", "tool_use_id": id, "content": "done" }] } })
}

fn scanned(values: &[Value]) -> Scan {
    let home = Home::new();
    let session = home.claude(&lines(values));
    home.scan(&session)
}

#[test]
fn what_acts_without_a_decision_is_told_and_what_only_looks_is_not() {
    let scan = scanned(&[
        call("old", "Bash", &json!({ "command": "ls" }), -7_200),
        came("old", -7_199),
        call("a", "Bash", &json!({ "command": "rm -r /tmp/x" }), 0),
        came("a", 1),
        call("b", "Read", &json!({ "file_path": "/etc/hosts" }), 2),
        came("b", 3),
        call("c", "Write", &json!({ "file_path": "/work/a", "content": "" }), 4),
        came("c", 5),
        // Nothing came of it, and the model went on.
        call(
            "d",
            "Edit",
            &json!({ "file_path": "/work/b", "old_string": "a", "new_string": "b" }),
            6,
        ),
        call("e", "Bash", &json!({ "command": "sleep 9" }), 8),
    ]);
    let coverage = covered(&scan, &[], Some(at(-3_600)));
    assert_eq!((coverage.checked, coverage.without, coverage.before), (3, 3, 1));
    let told: Vec<&str> = coverage.told.iter().map(|one| one.line.as_str()).collect();
    assert_eq!(told, ["rm -r /tmp/x", "Write /work/a", "Edit /work/b"]);
    let decisions = [has(1, Some("a"), 0, 0), has(2, None, scan.key("Write /work/a", 13), 4)];
    let coverage = covered(&scan, &decisions, Some(at(-3_600)));
    assert_eq!((coverage.checked, coverage.without), (3, 1));
    assert_eq!(coverage.matched[1..4], [Matched::Id(1), Matched::None, Matched::Content(2)]);
    // Without a record, nothing is said to lack in it.
    assert_eq!(covered(&scan, &[], None).checked, 0);
}

#[test]
fn a_secret_in_a_line_is_masked_as_the_record_has_it() {
    let line = "curl -H 'Authorization: Bearer sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789' https://example.com";
    let scan = scanned(&[call("a", "Bash", &json!({ "command": line }), 0), came("a", 1)]);
    assert!(!scan.calls[0].line.contains("abcdefghij"), "{}", scan.calls[0].line);
    let recorded = guarded_sh::audit::Line::new(std::ffi::OsStr::new(line)).text;
    let key = scan.key(&recorded, recorded.len() as u64);
    let coverage = covered(&scan, &[has(1, None, key, 0)], Some(at(-1)));
    assert_eq!(coverage.matched, [Matched::Content(1)]);
}
