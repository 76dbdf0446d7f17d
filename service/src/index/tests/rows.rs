//! What calls are found by.

use guarded_sh::model::{Action, Severity};
use jiff::Timestamp;
use serde_json::json;

use super::super::Wanted;
use super::support::{State, all, found, lines, ran, record, updated};

#[test]
fn an_index_of_no_records_is_empty_and_nothing_is_wrong() {
    let state = State::new();
    let mut index = state.index();
    for _ in 0..2 {
        let done = updated(&mut index);
        assert_eq!((done.calls, done.records, done.anew), (0, 0, None));
    }
    assert_eq!((all(&index), index.damage().unwrap()), (Vec::new(), None));
    assert_eq!(index.sessions(10).unwrap(), []);
    assert_eq!(index.summary(Timestamp::MIN).unwrap().hours, []);
    assert_eq!(found(&index, "anything"), [""; 0]);
}

/// Texts that mean something to SQL, to `LIKE` or to FTS5, each found where it stands and nowhere else.
#[test]
fn a_text_is_found_as_it_is_and_means_nothing() {
    let texts = [
        "it's",
        "say \"hi\"",
        "a\"\"b",
        "50%_of",
        "pre*fix",
        "NEAR(a b)",
        "a AND b",
        "x NOT y",
        "line:col",
        "^start",
        "-minus",
        "{set}",
        "'; DROP TABLE calls; --",
        "\\back\\slash",
        "漢字の列",
        "ünïcödé",
        "🦀🦀🦀",
        "(((",
        "\"\"\"",
        "***",
        "a\0b\0c",
        "%%%",
        "___",
        "' OR 1=1",
        "tab\there",
        "new\nline",
    ];
    let state = State::new();
    state.ran(&texts.map(|text| format!("echo {text} end")).each_ref().map(String::as_str));
    let mut index = state.index();
    // Both as it comes and once it is made anew.
    updated(&mut index);
    for _ in 0..2 {
        for text in texts {
            let shown = format!("echo {text} end").replace('\0', "␀");
            assert_eq!(found(&index, text), [shown.as_str()], "{text:?}");
        }
        index.rebuild(&mut |_| {}).unwrap();
    }
    assert_eq!(found(&index, "ÜNÏCÖDÉ").len(), 1);
    assert_eq!(found(&index, "drop table CALLS").len(), 1);
    assert_eq!(found(&index, "absent from all"), [""; 0]);
}

#[test]
fn a_text_shorter_than_a_part_is_found_as_well() {
    let state = State::new();
    state.ran(&["rm x", "ls", "漢字", "RM y"]);
    let mut index = state.index();
    updated(&mut index);
    assert_eq!(found(&index, "rm"), ["RM y", "rm x"]);
    assert_eq!(found(&index, "字"), ["漢字"]);
    assert_eq!(found(&index, "%"), [""; 0]);
    assert_eq!(found(&index, "").len(), 4);
}

#[test]
fn of_a_long_line_the_beginning_is_kept_and_its_length() {
    let state = State::new();
    let long = format!("begin {} end", "ab ".repeat(50_000));
    state.ran(&[&long, "漢".repeat(5_000).as_str()]);
    let mut index = state.index();
    updated(&mut index);
    let rows = all(&index);
    assert_eq!((rows[1].bytes, rows[1].line.len()), (long.len() as u64, 4096));
    assert_eq!((rows[0].bytes, rows[0].line.len()), (15_000, 4095));
    assert_eq!((found(&index, "begin ab").len(), found(&index, "b end").len()), (1, 0));
}

#[test]
fn calls_are_found_by_each_of_their_fields() {
    let state = State::new();
    let push = json!([{ "rule": "git.push", "severity": "high", "reason": "pushes" }]);
    state.append(&ran("ls one", 0));
    state.append(&record("git push", &json!({
        "time": "2026-11-21T11:00:00Z", "caller": "codex", "session": "t", "action": "deny", "severity": "high", "score": 30,
        "decided_by": "person-deny", "findings": push,
        "question": { "at": "host", "asked": "2026-11-21T11:00:00Z", "waited": 1500 },
    })));
    state.append(&record("npm i", &json!({
        "time": "2026-11-21T12:00:00Z", "cwd": "/srv/x", "action": "contain", "severity": "medium", "score": 80,
    })));
    state.append(&record("true", &json!({ "time": "2026-11-21T13:00:00Z", "for": "start" })));
    let mut index = state.index();
    updated(&mut index);
    let text = |text: &str| Some(text.to_owned());
    let since = |time: &str| Some(time.parse().unwrap());
    let wanted = || Wanted { limit: 10, ..Wanted::default() };
    for (wanted, expected) in [
        (Wanted { agent: text("codex"), ..wanted() }, &["git push"][..]),
        (Wanted { agent: text("nobody"), ..wanted() }, &[]),
        (Wanted { session: text("t"), ..wanted() }, &["git push"]),
        (Wanted { project: text("/srv/x"), ..wanted() }, &["npm i"]),
        (Wanted { action: Some(Action::Deny), ..wanted() }, &["git push"]),
        (Wanted { action: Some(Action::Ask), ..wanted() }, &["git push"]),
        (Wanted { action: Some(Action::Contain), ..wanted() }, &["npm i"]),
        (Wanted { action: Some(Action::Allow), ..wanted() }, &["true", "ls one"]),
        (Wanted { severity: Some(Severity::Medium), ..wanted() }, &["npm i", "git push"]),
        (Wanted { severity: Some(Severity::High), ..wanted() }, &["git push"]),
        (Wanted { severity: Some(Severity::Critical), ..wanted() }, &[]),
        (Wanted { since: since("2026-11-21T11:30:00Z"), ..wanted() }, &["true", "npm i"]),
        (Wanted { since: since("2027-01-01T00:00:00Z"), ..wanted() }, &[]),
        (Wanted { before: Some(2), ..wanted() }, &["git push", "ls one"]),
        (Wanted { without_aside: true, ..wanted() }, &["npm i", "git push", "ls one"]),
        (Wanted { limit: 1, ..wanted() }, &["true"]),
        (
            Wanted { text: text("git"), since: since("2026-11-21T11:00:00Z"), ..wanted() },
            &["git push"],
        ),
        (Wanted { text: text("git"), before: Some(1), ..wanted() }, &[]),
        (Wanted { text: text("git"), agent: text("claude"), ..wanted() }, &[]),
    ] {
        assert_eq!(lines(&index.calls(&wanted).unwrap()), expected, "{wanted:?}");
    }
    let row = &index.calls(&Wanted { session: text("t"), ..wanted() }).unwrap()[0];
    assert_eq!((row.waited, row.findings[0].rule.as_str()), (Some(1500), "git.push"));
}

#[test]
fn sums_are_those_of_sessions_hours_and_rules() {
    let state = State::new();
    let fetch = json!([
        { "rule": "effect.fetch", "severity": "medium", "reason": "reads" }, { "rule": "mild", "severity": "low", "reason": "-" },
    ]);
    for (line, minute, action, by) in [
        ("a", "09:10", "allow", "person-once"),
        ("b", "09:50", "deny", "nobody"),
        ("c", "10:00", "allow", "policy"),
    ] {
        let severity = if by == "policy" { "low" } else { "medium" };
        state.append(&record(line, &json!({
            "time": format!("2026-11-21T{minute}:00Z"), "action": action, "decided_by": by, "severity": severity, "findings": fetch,
            "question": (by == "person-once").then(|| json!({ "at": "host", "asked": "2026-11-21T09:09:00Z", "waited": 2000 })),
        })));
    }
    let mut index = state.index();
    updated(&mut index);
    let summary = index.summary("2026-11-21T09:59:00Z".parse().unwrap()).unwrap();
    let hours: Vec<_> =
        summary.hours.iter().map(|h| (h.calls, h.asked, h.allowed, h.refused)).collect();
    assert_eq!(hours, [(2, 2, 1, 1), (1, 0, 1, 0)]);
    assert_eq!((summary.rules, summary.waited), (vec![("effect.fetch".to_owned(), 2)], 2000));
    assert_eq!(index.summary("2026-11-21T10:00:00Z".parse().unwrap()).unwrap().hours.len(), 1);
    let session = &index.sessions(9).unwrap()[0];
    assert_eq!(
        (session.session.as_str(), session.calls, session.asked, session.refused),
        ("s", 3, 2, 1)
    );
    assert_eq!(session.last.to_string(), "2026-11-21T10:00:00Z");
}

#[test]
fn a_clock_that_was_set_back_changes_no_order() {
    let state = State::new();
    for (line, day) in [("one", "22"), ("two", "21"), ("three", "23")] {
        state.append(&record(line, &json!({ "time": format!("2026-11-{day}T10:00:00Z") })));
    }
    let mut index = state.index();
    updated(&mut index);
    assert_eq!(lines(&all(&index)), ["three", "two", "one"]);
    let since = Some("2026-11-22T00:00:00Z".parse().unwrap());
    let rows = index.calls(&Wanted { since, limit: 9, ..Wanted::default() }).unwrap();
    assert_eq!(
        (lines(&rows), index.damage().unwrap()),
        (vec!["three".to_owned(), "one".to_owned()], None)
    );
}

#[test]
fn lines_of_shells_are_given_once_for_each_directory() {
    let state = State::new();
    state.ran(&["ls", "rm a", "ls"]);
    let later = |line: &str, fields: serde_json::Value| {
        let mut all = json!({ "time": "2026-11-21T11:00:00Z" });
        all.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        state.append(&record(line, &all));
    };
    later("ls", json!({ "cwd": "/home/u/other" }));
    later("Read x", json!({ "door": "hook", "hook": { "event": "PreToolUse", "tool": "Read" } }));
    later("rm a", json!({ "door": "hook", "hook": { "event": "PreToolUse", "tool": "Bash" } }));
    later("told", json!({ "decided_by": "observed" }));
    later(&"x".repeat(9_000), json!({}));
    later("rm a", json!({ "cwd": null }));
    let mut index = state.index();
    updated(&mut index);
    let given = |since: &str, most| {
        let lines = index.lines(since.parse().unwrap(), most).unwrap();
        let told = lines.into_iter().map(|one| (one.directory, one.line, one.times));
        told.collect::<Vec<_>>()
    };
    let is = |directory: &str, line: &str, times| (directory.to_owned(), line.to_owned(), times);
    let (app, other) = ("/home/u/app", "/home/u/other");
    let all = [is(app, "rm a", 2), is(other, "ls", 1), is(app, "ls", 2)];
    assert_eq!(given("2026-11-21T00:00:00Z", 10), all);
    assert_eq!(given("2026-11-21T00:00:00Z", 2), all[..2]);
    assert_eq!(given("2026-11-21T11:00:00Z", 10), [is(app, "rm a", 1), is(other, "ls", 1)]);
}

#[test]
fn calls_are_told_apart_by_what_the_agent_calls_them_and_by_their_lines() {
    let state = State::new();
    let hook = |outcome: serde_json::Value| json!({ "event": "PreToolUse", "tool": "Bash", "call": "toolu_1", "outcome": outcome });
    let asked =
        json!({ "time": "2026-11-21T10:00:00Z", "door": "hook", "hook": hook(json!(null)) });
    state.append(&record("ls", &asked));
    // The shell's own record of it says what its witness wrote.
    state.append(&record("ls", &json!({ "time": "2026-11-21T10:00:01Z", "ran": "/state/ran/1" })));
    let told = json!({ "time": "2026-11-21T12:00:00Z", "door": "hook", "decided_by": "observed", "session": "t" });
    state.append(&record("told only", &told));
    state.append(&record("ls", &json!({ "time": "2026-11-21T15:00:00Z" })));
    let mut index = state.index();
    for _ in 0..2 {
        updated(&mut index);
        let rows = all(&index);
        let first = rows.last().unwrap();
        assert_eq!(first.id.as_deref(), Some("toolu_1"));
        assert!(rows.iter().any(|row| row.witnessed.as_deref() == Some("/state/ran/1")));
        let key = |line: &str, bytes: u64| line.len() as u64 * 100 + bytes;
        let marks = index.marks(&Wanted { limit: 10, ..Wanted::default() }, &key).unwrap();
        assert!(marks.iter().all(|mark| mark.key == 202), "{marks:?}");
        assert!(!marks.iter().any(|mark| mark.sequence == 2), "nothing was decided: {marks:?}");
        let until = Some("2026-11-21T13:00:00Z".parse().unwrap());
        let before = Wanted { until, limit: 10, ..Wanted::default() };
        assert_eq!(lines(&index.calls(&before).unwrap()).first().unwrap(), "told only");
        let session = index.session("s").unwrap().unwrap();
        assert_eq!((session.session.as_str(), index.session("none").unwrap()), ("s", None));
        assert_eq!(index.began().unwrap(), Some("2026-11-21T10:00:00Z".parse().unwrap()));
        index.rebuild(&mut |_| {}).unwrap();
    }
}
