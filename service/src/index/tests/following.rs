//! The index that follows the record holds what one holds that is made anew, and what the guard itself says of the record.

use std::sync::mpsc::channel;

use guarded_sh::audit::{CallOutcome, Filter, Line, Record, Written, words};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::{Index, Row, SessionRow, Summary};
use super::support::{State, all, found, lines, ran, record, updated};

/// What is appended while it follows, also where the directory is only made then: waited for by the kernel's word alone.
#[test]
fn what_is_appended_is_noticed_as_it_is_written() {
    let state = State::new();
    let mut written = Written::to(state.store.directory()).unwrap();
    let mut index = state.index();
    let (go, wait) = channel::<String>();
    let store = state.store.clone();
    let writing = std::thread::spawn(move || {
        for (line, second) in wait.iter().zip(0..) {
            store.append(&ran(&line, second)).unwrap();
        }
    });
    for number in 0..20 {
        let line = format!("number {number}");
        go.send(line.clone()).unwrap();
        while updated(&mut index).calls <= number {
            written.wait(None).unwrap();
        }
        assert_eq!(found(&index, &line), [line.as_str()]);
    }
    drop(go);
    writing.join().unwrap();
    assert_eq!(index.damage().unwrap(), None);
}

/// Several that append at once, and one that reads all the while.
#[test]
fn records_of_many_at_once_are_all_there() {
    let state = State::new();
    let mut index = state.index();
    let mut written = Written::to(state.store.directory()).unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let store = &state.store;
            scope.spawn(move || {
                for number in 0..25 {
                    store.append(&ran(&format!("{writer} {number}"), number)).unwrap();
                }
            });
        }
        while updated(&mut index).calls < 100 {
            written.wait(None).unwrap();
        }
    });
    let numbers: Vec<u64> = all(&index).iter().map(|row| row.sequence).collect();
    assert_eq!(numbers, (0..100).rev().collect::<Vec<_>>());
    assert_eq!(index.damage().unwrap(), None);
}

/// What comes of a call is put to it, also where the index was closed meanwhile.
#[test]
fn what_comes_of_a_call_is_put_to_it() {
    let state = State::new();
    let line = "make";
    let hook = |event: &str, outcome: Option<&str>| {
        let digest = Line::new(line.as_ref()).digest();
        let mut hook = json!({ "event": event, "tool": "Bash", "call": "c1", "digest": digest });
        if let Some(outcome) = outcome {
            hook["outcome"] = outcome.into();
        }
        hook
    };
    let asked = json!({ "door": "hook", "hook": hook("PreToolUse", None), "action": "ask", "severity": "medium", "score": 80, "decided_by": "client" });
    state.append(&record(line, &asked));
    updated(&mut state.index());
    state.append(&record("between", &json!({})));
    let ran = json!({ "time": "2026-11-21T10:00:07Z", "severity": "medium", "score": 80, "decided_by": "client" });
    state.append(&record(line, &ran));
    updated(&mut state.index());
    let failed = json!({ "door": "hook", "hook": hook("PostToolUse", Some("failed")), "decided_by": "observed" });
    state.append(&record(line, &failed));
    let mut index = state.index();
    assert_eq!(updated(&mut index).calls, 2);
    let row = &all(&index)[1];
    assert_eq!((row.sequence, row.last, row.waited, row.ran), (0, 3, Some(7000), true));
    assert_eq!((row.outcome, row.action.name()), (Some(CallOutcome::Failed), "allow"));
    let session = &index.sessions(9).unwrap()[0];
    assert_eq!((session.calls, session.asked), (2, 1));
    assert_eq!(index.summary(Timestamp::MIN).unwrap().waited, 7000);
    assert_eq!(lines(&all(&index)), ["between", "make"]);
}

/// All that an index says.
fn said(index: &Index) -> (Vec<Row>, Vec<SessionRow>, Summary, Option<String>) {
    let (sessions, summary) = (index.sessions(100), index.summary(Timestamp::MIN));
    (all(index), sessions.unwrap(), summary.unwrap(), index.damage().unwrap())
}

/// What happens to the record, or to who follows it.
#[derive(Clone, Debug)]
enum Step {
    Append(Box<Record>),
    Update,
    Reopen,
    Nonsense(Vec<u8>),
}

fn records() -> impl Strategy<Value = Record> {
    let words = |words: &[&'static str]| prop::sample::select(words.to_vec());
    let what = (
        words(&["ls", "make all", "git push", "漢字 x", ""]),
        words(&["s", "t"]),
        words(&["allow", "contain", "ask", "deny"]),
        words(&[
            "policy",
            "person-once",
            "person-deny",
            "nobody",
            "client",
            "observed",
            "grant",
            "model",
        ]),
        words(&["low", "medium", "high"]),
        words(&["enforce", "enforce", "shadow"]),
        0..100_u32,
    );
    let more = (any::<[bool; 4]>(), words(&["done", "failed", "interrupted", ""]), 0..3_usize);
    (what, more).prop_map(|(what, more)| {
        let (line, session, action, by, severity, mode, minute) = what;
        let ([is_hook, has_question, has_session, is_own], outcome, rules) = more;
        let rules = ["git.push", "effect.fetch"].iter().take(rules);
        let findings = rules.map(|rule| json!({ "rule": rule, "severity": severity, "reason": "-" }));
        let mut fields = json!({
            "time": format!("2026-11-2{}T1{}:{:02}:00Z", minute % 2, minute % 3, minute % 60), "action": action, "severity": severity,
            "decided_by": by, "mode": mode, "findings": findings.collect::<Vec<Value>>(),
        });
        if has_session {
            fields["session"] = session.into();
        }
        if has_question {
            fields["question"] = json!({ "at": "host", "asked": "2026-11-21T09:00:00Z", "waited": minute * 100 });
        }
        if is_own {
            fields["for"] = "start".into();
        }
        if is_hook {
            let digest = Line::new(line.as_ref()).digest();
            fields["door"] = "hook".into();
            fields["hook"] = json!({ "event": "PreToolUse", "digest": digest });
            if !outcome.is_empty() && by == "observed" {
                fields["hook"]["outcome"] = outcome.into();
            }
        }
        record(line, &fields)
    })
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => records().prop_map(|record| Step::Append(Box::new(record))),
        3 => Just(Step::Update),
        1 => Just(Step::Reopen),
        1 => prop::collection::vec(any::<u8>(), 0..20).prop_map(Step::Nonsense),
    ];
    prop::collection::vec(step, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// An index that was brought up to date now and then is the same as one that is made of all at once.
    #[test]
    fn following_is_the_same_as_making_anew(steps in steps()) {
        let state = State::new();
        let mut index = state.index();
        for step in &steps {
            match step {
                Step::Append(record) => drop(state.append(record)),
                Step::Update => drop(updated(&mut index)),
                Step::Reopen => {
                    drop(index);
                    index = state.index();
                }
                Step::Nonsense(bytes) => nonsense(&state, bytes),
            }
        }
        updated(&mut index);
        let followed = said(&index);
        index.rebuild(&mut |_| {}).unwrap();
        prop_assert_eq!(&followed, &said(&index));
        prop_assert_eq!(&followed.0, &searched(&index));
        told_alike(&state, &followed.0);
    }
}

/// Appends bytes to the newest file, as who was stopped would leave them.
fn nonsense(state: &State, bytes: &[u8]) {
    use std::io::Write as _;
    let days = guarded_sh::audit::days(state.store.directory()).unwrap_or_default();
    let Some(day) = days.last() else { return };
    let path = state.store.directory().join(day);
    let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

/// The calls, each found by its own line.
fn searched(index: &Index) -> Vec<Row> {
    let mut rows = all(index);
    rows.retain(|row| found(index, &row.line).contains(&row.line));
    rows
}

/// Holds the rows to what `guarded-sh log` reads.
fn told_alike(state: &State, rows: &[Row]) {
    let entries = state.store.entries(Filter::default()).unwrap().filter_map(Result::ok);
    let entries: Vec<_> = entries.collect();
    assert_eq!(rows.len(), entries.len());
    for (row, entry) in rows.iter().rev().zip(&entries) {
        let decisive = entry.decisive();
        assert_eq!((row.sequence, row.last), (entry.first.sequence, entry.last_number()));
        assert_eq!((row.action, row.severity), (decisive.action, decisive.severity));
        assert_eq!(
            (row.decided_by, row.mode, row.door),
            (decisive.decided_by, decisive.mode, decisive.door)
        );
        assert_eq!(row.outcome, entry.outcome().and_then(|hook| hook.outcome));
        assert_eq!(row.waited, entry.waited(), "{entry:?}");
        assert_eq!(row.asked, entry.records().any(Record::was_asked));
        assert_eq!(row.question, decisive.question.is_some());
        assert_eq!(words::happened(row), words::happened(entry), "{entry:?}");
        assert_eq!(
            (&row.session, &row.line),
            (&entry.first.record.session, &entry.first.record.line.text)
        );
    }
}
