//! `log` for people: what happened in words, ids, filters, the page about one entry, what comes from now on, and what hostile files do to it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use guarded_sh::audit::{Durability, Record, Store};
use serde_json::{Value, json};

use super::person::Person;
use super::{fails, fine, json, workspace};
use crate::support::Place;

const STATE: &str = "home/.local/state/guarded-sh";
const DAY: &str = "home/.local/state/guarded-sh/records/2026-11-21.jsonl";

/// A record of a harmless line, with these fields in the place of its own.
fn record(fields: Value) -> Record {
    let mut record = json!({
        "time": "2026-11-21T12:00:00Z", "pid": 7, "cwd": "/srv/app", "line": "ls", "action": "allow", "severity": "low",
        "score": 100, "decided_by": "policy", "mode": "enforce", "micros": 1500,
    });
    let Value::Object(fields) = fields else { panic!("no fields: {fields}") };
    for (name, value) in fields {
        record[name] = value;
    }
    serde_json::from_value(record).unwrap()
}

/// A place with these records.
fn recorded(records: impl IntoIterator<Item = Value>) -> Place {
    let place = workspace();
    let store = store(&place);
    for fields in records {
        store.append(&record(fields)).unwrap();
    }
    place
}

fn store(place: &Place) -> Store {
    fs::create_dir_all(place.path(STATE)).unwrap();
    fs::set_permissions(place.path(STATE), fs::Permissions::from_mode(0o700)).unwrap();
    Store::new(&place.path(STATE), Durability::System)
}

fn question(id: &str, waited: u64) -> Value {
    json!({ "id": id, "at": "host", "asked": "2026-11-21T11:59:00Z", "waited": waited })
}

/// What a hook was asked about a call of this id.
fn hook(call: &str) -> Value {
    json!({ "event": "PreToolUse", "tool": "Bash", "call": call })
}

/// Rows that `log` prints with these words.
fn rows(place: &Place, words: &[&str]) -> Vec<String> {
    let text = fine(&place.guard(["log"]).args(words));
    text.lines().map(str::to_owned).collect()
}

/// The ids of these rows.
fn ids(place: &Place, words: &[&str]) -> Vec<u64> {
    let rows = rows(place, words);
    rows.iter().map(|row| row.split_once(' ').unwrap().0.parse().unwrap()).collect()
}

#[test]
fn what_happened_is_said_in_words() {
    let asked = |by: &str| json!({ "decided_by": by, "severity": "medium" });
    let with = |mut fields: Value, name: &str, value: Value| {
        fields[name] = value;
        fields
    };
    let denied = |by: &str| with(asked(by), "action", json!("deny"));
    let shadow =
        |action: &str| json!({ "mode": "shadow", "decided_by": "shadow", "action": action });
    let by_hook = |fields: Value| with(with(fields, "door", json!("hook")), "hook", hook("t"));
    let told = |hook: Value| json!({ "decided_by": "observed", "door": "hook", "hook": hook });
    let table = [
        (json!({}), "ran"),
        (by_hook(json!({})), "allowed"),
        (json!({ "action": "contain" }), "ran contained"),
        (json!({ "action": "deny" }), "refused unasked"),
        (denied("custom"), "refused by a program"),
        (asked("person-once"), "asked → once"),
        (asked("person-session"), "asked → session"),
        (asked("person-always"), "asked → always"),
        (denied("person-deny"), "asked → denied"),
        (denied("person-edit"), "asked → changed"),
        (asked("model"), "asked → model: yes"),
        (denied("nobody"), "no one could be asked"),
        (with(denied("nobody"), "question", question("ab", 9)), "asked → nobody answered"),
        (by_hook(with(asked("client"), "action", json!("ask"))), "asked by the agent"),
        (asked("client"), "asked by agent → yes"),
        (asked("grant"), "ran, earlier yes"),
        (by_hook(asked("grant")), "allowed, earlier yes"),
        (asked("inherited"), "ran, inherited yes"),
        (by_hook(asked("inherited")), "allowed, inherited yes"),
        (asked("system"), "ran, system's own"),
        (shadow("allow"), "ran"),
        (shadow("contain"), "would contain: ran"),
        (shadow("ask"), "would ask: ran"),
        (shadow("deny"), "would refuse: ran"),
        (json!({ "decided_by": "observed", "door": "program" }), "ran past the guard"),
        (json!({ "decided_by": "observed", "door": "program", "action": "deny" }), "ended"),
        (json!({ "decided_by": "person-once", "door": "trial" }), "tried"),
        (
            told(json!({ "event": "UserPromptSubmit", "speaker": { "id": 7, "started": 1 } })),
            "typed",
        ),
        (told(json!({ "event": "PostToolUse", "outcome": "done" })), "done"),
        (told(json!({ "event": "Other" })), "told"),
    ];
    let place = recorded(table.iter().map(|(fields, _)| fields.clone()));
    let rows = rows(&place, &["--all"]);
    assert_eq!(rows.len(), table.len());
    for (row, (fields, words)) in rows.iter().zip(&table) {
        let happened = row.split("  ").filter(|part| !part.is_empty()).nth(2).unwrap();
        assert_eq!(happened.trim(), *words, "{fields}");
    }
}

#[test]
fn what_came_of_a_call_is_said_with_it() {
    let view = |decided_by: &str, hook: Value| json!({ "decided_by": decided_by, "door": "hook", "session": "s", "hook": hook });
    for (outcome, words) in
        [("done", "ran  "), ("failed", "ran, failed  "), ("interrupted", "ran, stopped  ")]
    {
        let place = recorded([view("policy", hook("t1"))]);
        let came =
            json!({ "event": "PostToolUse", "tool": "Bash", "call": "t1", "outcome": outcome });
        let mut came = record(view("observed", came));
        came.earlier = guarded_sh::audit::Earlier::Maybe;
        store(&place).append(&came).unwrap();
        let rows = rows(&place, &[]);
        assert!(rows.len() == 1 && rows[0].contains(&format!("  {words}")), "{rows:?}");
        // By the number of either record it is the same call.
        assert_eq!(
            fine(&place.guard(["log", "show", "0"])),
            fine(&place.guard(["log", "show", "1"]))
        );
    }
}

/// Records that differ in what filters look at.
fn different() -> Place {
    let found = |rule: &str, severity: &str| json!([{ "rule": rule, "severity": severity, "reason": "because" }]);
    recorded([
        json!({}),
        json!({ "decided_by": "person-once", "severity": "medium", "findings": found("git.push", "medium"), "question": question("abcd", 2000) }),
        json!({ "decided_by": "person-deny", "action": "deny", "severity": "high", "findings": found("git.push.force", "high"), "question": question("abef", 4000) }),
        json!({ "decided_by": "nobody", "action": "deny", "severity": "high", "findings": found("files.delete", "high") }),
        json!({ "decided_by": "model", "severity": "medium", "findings": found("npm.install", "medium"), "time": "2026-11-22T12:00:00Z" }),
        json!({ "decided_by": "grant", "severity": "medium", "session": "claude:1", "caller": "claude", "time": "2026-11-22T13:00:00Z" }),
        json!({ "mode": "shadow", "decided_by": "shadow", "action": "ask", "severity": "medium", "time": "2026-11-22T14:00:00Z" }),
    ])
}

#[test]
fn records_are_filtered_by_who_was_asked_and_for_what() {
    let place = different();
    let table: [(&[&str], &[u64]); 19] = [
        (&["--asked"], &[1, 2, 3, 4, 6]),
        (&["--action", "ask"], &[1, 2, 3, 4, 6]),
        (&["--asked", "--action", "deny"], &[2, 3]),
        (&["--by", "person"], &[1, 2]),
        (&["--by", "policy"], &[0, 6]),
        (&["--by", "model"], &[4]),
        (&["--by", "nobody"], &[3]),
        (&["--by", "grant"], &[5]),
        (&["--rule", "git.push"], &[1]),
        (&["--rule", "git.*"], &[1, 2]),
        (&["--rule", "{npm,files}.*"], &[3, 4]),
        (&["--rule", "git.*", "--by", "person", "--action", "deny"], &[2]),
        (&["--asked", "-n", "2"], &[4, 6]),
        (&["--session", "claude:1"], &[5]),
        (&["--agent", "claude"], &[5]),
        (&["--agent", "claude", "--asked"], &[]),
        (&["--since", "2026-11-22T00:00:00Z"], &[4, 5, 6]),
        (&["--since", "2026-11-22T12:30:00Z", "-n", "5"], &[5, 6]),
        (&["--rule", "absent"], &[]),
    ];
    for (words, found) in table {
        assert_eq!(ids(&place, words), found, "{words:?}");
        let json = fine(&place.guard(["log", "--json"]).args(words));
        let json = json.lines().map(|line| self::json(line)["sequence"].as_u64().unwrap());
        assert_eq!(json.collect::<Vec<_>>(), found, "{words:?} --json");
    }
}

#[test]
fn ids_stay_and_what_they_mean_is_shown_or_said() {
    let place = different();
    let page = fine(&place.guard(["log", "show", "2"]));
    for _ in 0..3 {
        store(&place).append(&record(json!({ "line": "more" }))).unwrap();
    }
    assert_eq!(fine(&place.guard(["log", "show", "2"])), page);
    // By its question, too, and by the beginning of that.
    for id in ["abef", "abe"] {
        assert_eq!(fine(&place.guard(["log", "show", id])), page);
    }
    let several = fails(&place.guard(["log", "show", "ab"]), 2, "'ab' may be one of several:");
    for named in ["\n  1 (question abcd)  ls", "\n  2 (question abef)  ls"] {
        assert!(several.err().contains(named), "{}", several.err());
    }
    for id in ["99", "zz", "", "-1", "\u{1b}[2J"] {
        let ended = fails(&place.guard(["log", "show", "--", id]), 2, "the record has no entry");
        assert_eq!((ended.out().as_str(), ended.stderr.contains(&0x1b)), ("", false));
    }
    assert_eq!(json(&fine(&place.guard(["log", "show", "2", "--json"])))["sequence"], 2);
}

#[test]
fn a_page_says_all_that_the_record_has() {
    let opinion = json!({
        "verdict": "within", "safetyScore": 70, "category": "publishing", "confidence": 80, "uncertain": false,
        "quotation": "push it", "reasoning": "the person said so",
    });
    let place = recorded([json!({
        "line": "git push\nls\u{1b}[2J", "session": "claude:9", "caller": "claude", "decided_by": "person-once",
        "severity": "medium", "score": 62, "question": question("k7fm", 12_400),
        "findings": [{ "rule": "git.push", "severity": "medium", "reason": "publishes commits" }],
        "scripts": [{ "path": "/srv/app/x.sh", "sha256": "ab12" }],
        "opinion": { "result": "judged", "by": "house/large", "opinion": opinion },
        "fence": { "by": "domain", "writes": ["/srv/app"], "tcp": true },
        "undo": { "id": "q3", "files": 3, "bytes": 120, "lacks": "too many", "relied": true },
        "frame": { "agent": "claude", "whole": "cd34" },
        "host": "box7", "user": "ada", "version": "0.1.0", "policy": "sha256:ab",
    })]);
    let page = fine(&place.guard(["log", "show", "0"]).env("TZ", "UTC"));
    for says in [
        "  git push\n  ls\\x1b[2J\n",
        "medium  asked → once\npublishes commits\n",
        "  medium    publishes commits (git.push)\n",
        "  read      /srv/app/x.sh, SHA-256 ab12\n",
        "  Saturday, 21 November 2026\n  11:59:00  a person was asked at the host (question k7fm); answered after 12 s\n",
        "  12:00:00  the shell: allowed by a person, for this once\n",
        "  house/large finds it within the task, 70 of 100 safe: the person said so\n",
        "  category  publishing, 80 of 100 sure\n",
        "  quotes    push it\n",
        "  writes    /srv/app\n",
        "  network   may connect or listen by TCP;",
        "  3 files and directories, 120 bytes are kept: guarded-sh undo q3\n  not all of it: too many\n",
        "  place     /srv/app\n  agent     claude\n  session   claude:9\n",
        "  process   7\n  machine   box7, as ada\n  version   0.1.0\n  policy    sha256:ab, which is not that of now\n",
        "judged in 1.500 ms",
    ] {
        assert!(page.contains(says), "{says:?} is not in {page}");
    }
    assert!(!page.contains('\u{1b}'));
}

#[test]
fn no_row_is_broken_at_any_width() {
    let long = "echo 漢字 ".repeat(90);
    let place = recorded([
        json!({}),
        json!({ "line": long, "decided_by": "nobody", "action": "deny", "severity": "critical", "question": question("a", 1),
            "cwd": "/srv/a/very/long/directory/that/goes/on/and/on/until/it/has/no/room",
            "findings": [{ "rule": "a.b", "severity": "critical", "reason": "does what nobody wants to happen, ".repeat(5) }] }),
        json!({ "line": "a\tb\nc", "time": "2026-11-22T12:00:00Z" }),
    ]);
    for columns in [60, 70, 80, 100, 110, 140, 200] {
        let script = format!("stty cols {columns} rows 40; TERM=dumb TZ=UTC \"$GUARD\" log");
        let shown = Person::types(&place, &script).ends_with(0).replace('\r', "");
        for row in shown.lines() {
            assert!(unicode_width(row) <= columns, "{columns}: {row}");
        }
        let start = "Saturday, 21 November 2026\n0  12:00:00  ran                      low";
        assert!(shown.contains(start), "{columns}: {shown}");
        assert!(shown.contains("\n\nSunday, 22 November 2026\n2  12:00:00  ran "), "{shown}");
        assert!(shown.contains("1  12:00:00  asked → nobody answered  critical"), "{shown}");
        assert!(shown.contains("a⇥b⏎c\n") && shown.contains("does what nobody wants"), "{shown}");
        // Where the line has a row of its own, the first row ends before it.
        assert_eq!(shown.contains("critical\n"), columns < 110, "{columns}: {shown}");
    }
}

/// Columns, where wide characters take two.
fn unicode_width(row: &str) -> usize {
    row.chars().map(|c| if ('\u{2e80}'..'\u{ff00}').contains(&c) { 2 } else { 1 }).sum()
}

#[test]
fn a_person_sees_the_last_entries_and_is_told_that_there_are_more() {
    let place = recorded((0..60).map(|number| json!({ "line": format!("echo {number}") })));
    let ended = place.guard(["log"]).run();
    assert_eq!(ended.err(), "older ones are not shown: -n N, or --since WHEN\n");
    assert_eq!(ended.out().lines().count(), 50);
    assert!(ended.out().starts_with("10     2026-11-21 "), "{}", ended.out());
    for words in [["-n", "100"].as_slice(), &["--since", "2026-01-01"], &["--json"]] {
        assert_eq!(rows(&place, words).len(), 60, "{words:?}");
    }
}

#[test]
fn what_is_recorded_from_now_on_is_shown_as_it_comes() {
    // Without a directory to begin with, and with one.
    for before in [&[][..], &[json!({ "line": "echo before" })]] {
        let place = workspace();
        if !before.is_empty() {
            store(&place).append(&record(before[0].clone())).unwrap();
        }
        let mut follow = place
            .guard(["log", "-f", "--text", "echo", "-n", "5"])
            .command()
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut seen = BufReader::new(follow.stdout.take().unwrap()).lines();
        for _ in before {
            assert!(seen.next().unwrap().unwrap().ends_with("echo before"));
        }
        for line in ["true", "echo one", "echo two"] {
            store(&place).append(&record(json!({ "line": line }))).unwrap();
            if line != "true" {
                let row = seen.next().unwrap().unwrap();
                assert!(row.ends_with(line), "{row}");
            }
        }
        // Of a call of which more becomes known, the row is shown again.
        let called = |decided_by: &str, hook: Value| json!({ "line": "echo x", "door": "hook", "session": "s", "decided_by": decided_by, "hook": hook });
        store(&place).append(&record(called("policy", hook("t")))).unwrap();
        assert!(seen.next().unwrap().unwrap().contains("  allowed  "));
        let failed =
            json!({ "event": "PostToolUse", "tool": "Bash", "call": "t", "outcome": "failed" });
        let mut came = record(called("observed", failed));
        came.earlier = guarded_sh::audit::Earlier::Maybe;
        store(&place).append(&came).unwrap();
        assert!(seen.next().unwrap().unwrap().contains("  ran, failed  "));
        // It ends when nobody reads it any more.
        drop(seen);
        assert_eq!(follow.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn what_is_no_record_is_told_in_words_and_all_else_is_shown() {
    let place = recorded([json!({ "line": "echo one" }), json!({ "line": "echo two" })]);
    let text = fs::read(place.path(DAY)).unwrap();
    let end = text.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let (one, two) = text.split_at(end);
    let without = |field: &str| {
        let mut fields: Value = serde_json::from_slice(one).unwrap();
        fields.as_object_mut().unwrap().remove(field);
        fields.to_string().into_bytes()
    };
    let huge = [b"{\"line\":\"".as_slice(), &b"x".repeat(10 << 20)].concat();
    let said = one.windows(8).position(|bytes| bytes == b"echo one").unwrap();
    let no_text = [&one[..said], b"\xff\xfe", &one[said + 8..end - 1]].concat();
    let strange = String::from_utf8(one.to_vec()).unwrap().replace("\"policy\"", "\"\\u001b[2J\"");
    for (line, says) in [
        (b"".to_vec(), "line 2, is no record: EOF while parsing a value"),
        (b"\0\0\0".to_vec(), "line 2, is no record: expected value"),
        (no_text, "line 2, is no record: invalid unicode code point"),
        (huge, "line 2, is no record: EOF while parsing a string"),
        (b"not a record".to_vec(), "line 2, is no record: expected ident"),
        (b"[1,2]".to_vec(), "line 2, is no record: "),
        (without("action"), "line 2, is no record: missing field `action`"),
        (without("decided_by"), "line 2, is no record: missing field `decided_by`"),
        (
            strange.trim_end().as_bytes().to_vec(),
            "line 2, is no record: unknown variant `\\x1b[2J`",
        ),
    ] {
        fs::write(place.path(DAY), [one, &line, b"\n", two].concat()).unwrap();
        for words in [["log"].as_slice(), &["log", "-n", "9"], &["log", "--since", "2026-01-01"]] {
            let ended = fails(&place.guard([]).args(words), 1, says);
            assert_eq!(ended.out().lines().count(), 2, "{words:?} {says}");
            assert!(!ended.stderr.contains(&0x1b) && ended.stderr.len() < 2000);
        }
        assert_eq!(fails(&place.guard(["log", "--json"]), 1, says).out().lines().count(), 2);
        // What was not read is not told.
        assert_eq!(rows(&place, &["-n", "1"]).len(), 1, "{says}");
    }
    // What an older version did not write yet takes nothing from the rest.
    for field in ["pid", "micros", "cwd"] {
        fs::write(place.path(DAY), [one, &without(field), b"\n", two].concat()).unwrap();
        assert_eq!(rows(&place, &[]).len(), 3, "{field}");
    }
    // A line that is not finished, as of a process that was stopped.
    let mut file = fs::File::options().append(true).open(place.path(DAY)).unwrap();
    file.write_all(&one[..40]).unwrap();
    fails(&place.guard(["log"]), 1, "line 4, is no record: EOF while parsing");
}

#[test]
fn a_question_is_recorded_with_the_time_that_its_answer_took() {
    let place = workspace();
    let mut person = Person::types(&place, "\"$GUARD\" -c 'curl -s http://docs.invalid/x'");
    person.sees("x explain");
    person.answers("\r");
    person.ends_with(126);
    let question = &json(&fine(&place.guard(["log", "--json", "--by", "person"])))["question"];
    assert_eq!((&question["at"], &question["id"]), (&json!("terminal"), &Value::Null));
    assert_eq!(question["proof"], json!("terminal"));
    let record = json(&fine(&place.guard(["log", "show", "0", "--json"])));
    assert!(question["asked"].as_str().unwrap() < record["time"].as_str().unwrap(), "{record}");
    assert!(question["waited"].as_u64().is_some_and(|waited| waited < 60_000), "{record}");
    let page = fine(&place.guard(["log", "show", "0"]));
    assert!(page.contains("a person was asked at the terminal; answered after "), "{page}");
    assert!(page.contains("the shell: refused by a person\n"), "{page}");
}

#[test]
fn rules_are_counted_by_what_was_asked_for_them() {
    let place = different();
    let again = json!({
        "decided_by": "person-once", "severity": "medium", "question": question("x", 6000),
        "findings": [{ "rule": "git.push", "severity": "medium", "reason": "r" }, { "rule": "mild", "severity": "low", "reason": "r" }],
    });
    for _ in 0..2 {
        store(&place).append(&record(again.clone())).unwrap();
    }
    let text = fine(&place.guard(["stats"]));
    for says in [
        "  git.push                            asked 3 times, always approved; median wait 6.0 s\n",
        "  git.push.force                      asked once, 1 denied; median wait 4.0 s\n",
        "  files.delete                        asked once, 1 unanswered\n",
        "  npm.install                         asked once, 1 by a model\n",
        "always approved: guarded-sh suggest\n",
    ] {
        assert!(text.contains(says), "{says:?} is not in {text}");
    }
    assert!(!text.contains("mild"), "{text}");
    assert_eq!(fine(&place.guard(["log", "stats"])), text);
    let rules = json(&fine(&place.guard(["log", "stats", "--json"])))["rules"].clone();
    let first = json!({
        "rule": "git.push", "asked": 3, "approved": 3, "denied": 0, "by_model": 0, "unanswered": 0, "median_wait": 6000,
    });
    assert_eq!((rules.as_array().unwrap().len(), &rules[0]), (4, &first));
    let later = json(&fine(&place.guard(["stats", "--json", "--since", "2026-11-22"])));
    assert_eq!(later["rules"].as_array().unwrap().len(), 1, "{later}");
}
