//! What holds of every line, whatever it says: reading and judging never panic, wrapping never makes a line milder, what bash refuses
//! is never harmless, and a verdict is JSON whose places lie in the line. `PROPTEST_RNG_SEED` repeats a run.

mod expansions;
mod foreign;
pub mod lines;
mod places;
mod reopened;
mod secrets;
mod turns;
mod wrappers;

use std::collections::HashMap;
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};

use guarded_sh::model::Severity;
use guarded_sh::pipeline::Judge;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde::Deserialize;

use crate::entry;
use crate::support::Place;
use lines::LINES;
use wrappers::{Wrapper, of_one_program, of_shell_text};

static JUDGE: LazyLock<Judge> = LazyLock::new(entry::judge);

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn severity(line: &str) -> Severity {
    match entry::judged(&JUDGE, line.as_bytes()) {
        Ok(judgement) => judgement.assessment.severity,
        Err(wrong) => panic!("{line:?}: {wrong}"),
    }
}

/// Returns the severity of a line that many are compared with.
fn known(line: &str) -> Severity {
    static KNOWN: LazyLock<Mutex<HashMap<String, Severity>>> = LazyLock::new(Mutex::default);
    let known = KNOWN.lock().unwrap().get(line).copied();
    known.unwrap_or_else(|| {
        let severity = severity(line);
        KNOWN.lock().unwrap().insert(line.to_owned(), severity);
        severity
    })
}

/// Returns what is wrong if a line is milder than one of its parts.
fn milder(line: &str, parts: &[&str]) -> Option<String> {
    let found = severity(line);
    let worst = parts.iter().max_by_key(|part| known(part))?;
    let least = known(worst);
    (found < least).then(|| format!("{} {line:?}\n    {} {worst:?}", found.name(), least.name()))
}

fn none_of<T: AsRef<str>>(wrong: &[T]) {
    let shown: Vec<&str> = wrong.iter().map(AsRef::as_ref).collect();
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), shown.join("\n"));
}

#[test]
fn wrapping_a_line_never_makes_it_milder() {
    let alone = LINES.plain.iter().flat_map(|line| of_one_program().map(move |it| (it, line)));
    let text = LINES.all().flat_map(|line| of_shell_text().map(move |it| (it, line)));
    let wrong: Vec<String> = alone
        .chain(text)
        .filter_map(|(wrapper, line)| milder(&wrapper.around(line)?, &[line]))
        .collect();
    none_of(&wrong);
}

#[test]
fn a_secret_is_followed_on_every_way_to_all_that_prints_it() {
    let milder = |line: &String| severity(line) < Severity::High;
    none_of(&secrets::lines().filter(milder).collect::<Vec<_>>());
}

#[test]
fn a_list_is_at_least_as_severe_as_each_of_its_parts() {
    let mut wrong = Vec::new();
    for (at, first) in LINES.stateless().enumerate() {
        // Each line meets a few others, not all: they are some 190.
        for second in LINES.all().skip(at % 17).step_by(17) {
            // `a && b; c` joins only `b`.
            let lists = [
                format!("{first}; {second}"),
                format!("{first}\n{second}"),
                format!("{first} && {}", wrappers::grouped(second)),
                format!("{} || {}", wrappers::grouped(first), wrappers::grouped(second)),
                format!("{first} & {second}"),
            ];
            for both in &lists {
                wrong.extend(milder(both, &[first, second]));
            }
        }
    }
    none_of(&wrong);
}

#[test]
fn a_pipeline_is_at_least_as_severe_as_each_of_its_parts() {
    let mut wrong = Vec::new();
    for (at, first) in LINES.all().enumerate() {
        for second in LINES.stateless().skip(at % 17).step_by(17) {
            // `a && b | c` pipes only `b`.
            let (left, right) = (wrappers::grouped(first), wrappers::grouped(second));
            for join in [" | ", " |& "] {
                wrong.extend(milder(&format!("{left}{join}{right}"), &[first, second]));
            }
        }
    }
    none_of(&wrong);
}

#[test]
fn lines_that_once_broke_a_property_do_not_again() {
    let mut wrong = Vec::new();
    for row in &lines::FOUND.row {
        match &row.inner {
            Some(inner) => wrong.extend(milder(&row.line, &[inner])),
            None if severity(&row.line) == Severity::Low => wrong.push(row.line.clone()),
            None => {}
        }
    }
    none_of(&wrong);
}

/// A line that is wrapped a few times over, and the line.
fn wrapped() -> impl Strategy<Value = (String, String)> {
    let text: Vec<Wrapper> = of_shell_text().collect();
    let plain: Vec<Wrapper> = of_one_program().collect();
    let line = prop_oneof![
        2 => select(LINES.plain.clone()).prop_map(|line| (line, true)),
        1 => select(LINES.all().cloned().collect::<Vec<_>>()).prop_map(|line| (line, false)),
    ];
    let layers = prop::collection::vec(select(text), 1..4);
    (line, select(plain), layers).prop_map(|((line, is_plain), inner, layers)| {
        let mut whole = line.clone();
        if is_plain && let Some(around) = inner.around(&whole) {
            whole = around;
        }
        for layer in layers {
            whole = layer.around(&whole).unwrap_or(whole);
        }
        (whole, line)
    })
}

/// Pieces of text that mean something to a shell, and pieces of real lines.
fn pieces() -> impl Strategy<Value = String> {
    let marks = vec![
        " ",
        "\n",
        ";",
        "&",
        "&&",
        "||",
        "|",
        "(",
        ")",
        "{ ",
        "}",
        "((",
        "))",
        "[[ ",
        " ]]",
        "<",
        ">",
        "<<E\n",
        "\nE\n",
        "<(",
        ">(",
        "$",
        "$(",
        "${",
        "$((",
        "`",
        "'",
        "\"",
        "\\",
        "#",
        "!",
        "~",
        "*",
        "?",
        ",",
        "=",
        "+=",
        "if ",
        "then ",
        "fi",
        "for i in ",
        "do ",
        "done",
        "while ",
        "case x in ",
        "esac",
        "function f ",
        "coproc ",
        "time ",
        "eval ",
        "sudo ",
        "env ",
        "xargs ",
        "cd ",
        "x=",
        "$x",
        "\"$@\"",
        "-rf ",
        "/",
        "..",
        "é",
        "\r",
        "\t",
    ];
    let words: Vec<String> =
        LINES.all().flat_map(|line| line.split(' ').map(|word| format!("{word} "))).collect();
    let piece = prop_oneof![select(marks).prop_map(str::to_owned), select(words)];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn any_bytes_are_read_and_judged(text in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_eq!(entry::syntax(&text).err(), None);
        prop_assert_eq!(entry::judged(&JUDGE, &text).err(), None);
    }

    #[test]
    fn any_text_is_read_and_judged(text in "\\PC{0,200}") {
        prop_assert_eq!(entry::syntax(text.as_bytes()).err(), None);
        prop_assert_eq!(entry::judged(&JUDGE, text.as_bytes()).err(), None);
    }

    #[test]
    fn any_pieces_of_lines_are_read_and_judged(text in pieces()) {
        prop_assert_eq!(entry::syntax(text.as_bytes()).err(), None);
        prop_assert_eq!(entry::judged(&JUDGE, text.as_bytes()).err(), None);
    }
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn wrapping_again_and_again_never_makes_a_line_milder((whole, line) in wrapped()) {
        prop_assert_eq!(milder(&whole, &[&line]), None);
    }
}

/// Returns whether bash refuses to read a text. Nothing is run.
fn refused_by_bash(text: &str) -> bool {
    // A NUL byte is no part of any argument, so there is nothing to ask.
    if text.contains('\0') {
        return true;
    }
    let output = Command::new("bash")
        .args(["-n", "-c", "--", text, "bash"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    !output.status.success() || stderr.contains("syntax error") || stderr.contains("unexpected")
}

/// Cuts a line into words, blanks and operators.
fn tokens(line: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let kind = |c: char| match c {
        ' ' | '\n' => 0,
        c if c.is_alphanumeric() || "-_./~".contains(c) => 1,
        _ => 2,
    };
    let mut last = None;
    for c in line.chars() {
        let now = kind(c);
        match tokens.last_mut() {
            Some(token) if last == Some(now) && now != 2 => token.push(c),
            _ => tokens.push(c.to_string()),
        }
        last = Some(now);
    }
    tokens
}

/// A line with some tokens left out, doubled, exchanged or put in.
fn nearly_valid() -> impl Strategy<Value = String> {
    #[derive(Clone, Debug)]
    enum Edit {
        Remove(Index),
        Double(Index),
        Exchange(Index, Index),
        Insert(Index, &'static str),
    }
    let marks = vec![
        "(", ")", "{", "}", ";", ";;", "&", "|", "'", "\"", "`", "<", ">", "$(", "${", "((", "[[",
        "]]", " if ", " then ", " fi ", " do ", " done ", " in ", " esac ", "\\", "\n", "!", "<<E",
        "=(",
    ];
    let edit = prop_oneof![
        2 => any::<Index>().prop_map(Edit::Remove),
        1 => any::<Index>().prop_map(Edit::Double),
        1 => (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Edit::Exchange(a, b)),
        2 => (any::<Index>(), select(marks)).prop_map(|(at, mark)| Edit::Insert(at, mark)),
    ];
    // Harmless lines in every kind of compound: what is refused must be seen through them.
    let harmless: Vec<String> =
        LINES.all().filter(|line| severity(line) == Severity::Low).cloned().collect();
    let wrappers: Vec<Wrapper> = of_shell_text().collect();
    let line = (select(harmless), select(wrappers), any::<bool>())
        .prop_map(|(line, it, alone)| if alone { line } else { it.around(&line).unwrap_or(line) });
    (line, prop::collection::vec(edit, 1..3)).prop_map(|(line, edits)| {
        let mut tokens = tokens(&line);
        for edit in edits {
            let len = tokens.len().max(1);
            match edit {
                Edit::Remove(at) if !tokens.is_empty() => drop(tokens.remove(at.index(len))),
                Edit::Double(at) if !tokens.is_empty() => {
                    let at = at.index(len);
                    tokens.insert(at, tokens[at].clone());
                }
                Edit::Exchange(a, b) if !tokens.is_empty() => {
                    tokens.swap(a.index(len), b.index(len));
                }
                Edit::Insert(at, mark) => {
                    tokens.insert(at.index(tokens.len() + 1), mark.to_owned());
                }
                Edit::Remove(_) | Edit::Double(_) | Edit::Exchange(..) => {}
            }
        }
        tokens.concat()
    })
}

proptest! {
    #![proptest_config(config(3000))]

    /// Only what is judged harmless is shown to bash, so most cases start no process.
    #[test]
    fn what_bash_refuses_is_never_harmless(text in prop_oneof![8 => nearly_valid(), 1 => pieces()]) {
        if severity(&text) == Severity::Low {
            prop_assert!(!refused_by_bash(&text));
        }
    }
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn what_is_composed_is_as_severe_as_what_it_holds(
        choices in prop::collection::vec(any::<u8>(), 1..8)
    ) {
        let composed = crate::compose::compose(&choices);
        prop_assert_ne!(severity(&composed.line), Severity::Low, "{}", composed.line);
    }
}

#[derive(Deserialize)]
struct Verdict {
    action: String,
    severity: Severity,
    score: u8,
    findings: Vec<Spot>,
    commands: Vec<Spot>,
    opaque: Vec<Spot>,
}

#[derive(Deserialize)]
struct Spot {
    start: usize,
    end: usize,
}

proptest! {
    // Each case is one process that judges many lines.
    #![proptest_config(config(4))]

    #[test]
    fn every_verdict_is_json_whose_places_lie_in_the_line(
        lines in prop::collection::vec(prop_oneof![pieces(), nearly_valid(), wrapped().prop_map(|it| it.0)], 100)
    ) {
        let input: String =
            lines.iter().map(|line| serde_json::json!({ "command": line }).to_string() + "\n").collect();
        let ended = Place::new().guard(["check", "--jsonl"]).stdin(input).run();
        prop_assert_eq!(ended.code(), Some(0), "{}", ended.err());
        let text = String::from_utf8(ended.stdout).unwrap();
        prop_assert_eq!(text.lines().count(), lines.len());
        for (line, verdict) in lines.iter().zip(text.lines()) {
            let verdict: Verdict = serde_json::from_str(verdict).unwrap();
            let (low, high) = verdict.severity.band();
            prop_assert!((low..=high).contains(&verdict.score), "{}", line);
            prop_assert!(["allow", "ask", "deny"].contains(&verdict.action.as_str()));
            for spot in verdict.findings.iter().chain(&verdict.commands).chain(&verdict.opaque) {
                prop_assert!(spot.start <= spot.end && line.get(spot.start..spot.end).is_some(), "{}", line);
            }
        }
    }
}

#[test]
fn a_frame_around_bytes_that_are_no_text_is_none() {
    let frame = |command: &[u8]| {
        let start = "shopt -u promptvars nullglob extglob nocaseglob dotglob; {\n";
        let end = "\n}\n__code=$?; pwd > /tmp/gemini-shell-a1/pwd.tmp; exit $__code";
        [start.as_bytes(), command, end.as_bytes()].concat()
    };
    let text = entry::judged(&JUDGE, &frame(b"cat a")).unwrap();
    assert!(text.frame.is_some());
    let bytes = entry::judged(&JUDGE, &frame(b"cat \xff")).unwrap();
    assert!(bytes.frame.is_none() && !bytes.plan.opaque.is_empty());
}
