//! What a yes for the session covers: the rows of `tests/grants.toml`, judged, and what holds of every line.

use std::sync::LazyLock;

use guarded_sh::decision::grant::{covers, is_within};
use guarded_sh::model::{Question, Scope, Severity};
use guarded_sh::pipeline::{Judge, Request, question};
use proptest::prelude::*;
use proptest::sample::select;
use serde::Deserialize;

use crate::entry;
use crate::properties::lines::LINES;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    group: Vec<Group>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    shown: String,
    yes: Vec<String>,
    no: Vec<String>,
    #[serde(default, rename = "why")]
    _why: String,
}

static JUDGE: LazyLock<Judge> = LazyLock::new(entry::judge);
static SHEET: LazyLock<Sheet> =
    LazyLock::new(|| toml::from_str(include_str!("../grants.toml")).unwrap());

fn scope(line: &str) -> Scope {
    let judgement = JUDGE.judge(&Request::about(line.as_bytes())).unwrap();
    question::scope(&judgement, &JUDGE.facts)
}

#[test]
fn a_yes_for_the_session_covers_what_the_rows_say() {
    let (mut rows, mut wrong) = (0, Vec::new());
    for group in &SHEET.group {
        let shown = scope(&group.shown);
        let expected = group.yes.iter().map(|line| (line, true));
        for (line, covered) in expected.chain(group.no.iter().map(|line| (line, false))) {
            rows += 1;
            let now = scope(line);
            if covers(&shown, &now) != covered {
                let not = if covered { "not " } else { "" };
                wrong.push(format!(
                    "{:?} {not}covers {line:?}\n  {shown:?}\n  {now:?}",
                    group.shown
                ));
            }
        }
    }
    assert!(rows >= 250, "only {rows} rows");
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_a_permitted_command_starts_is_bounded_by_what_was_shown() {
    for (shown, now, is_fine) in [
        ("npm install lodash", "npm install left-pad", true),
        ("npm install lodash", "sh -c 'npm install left-pad'", true),
        ("npm install lodash", "yarn add left-pad", true),
        ("npm install lodash", "ls", true),
        ("npm install lodash", "npm publish", false),
        ("npm install lodash", "curl https://a.example.com/x", false),
        ("npm install lodash", "rm a.txt", false),
        ("npm install lodash", "$X", false),
        ("rm a.txt", "unlink b.txt", true),
        ("rm a.txt", "rm -r src", false),
        ("git push", "git push", true),
        ("git push", "git push other", false),
        ("sudo npm install lodash", "npm install lodash", true),
        ("rm -rf ~", "rm -rf ~", false),
        ("rm -rf ~", "rm a.txt", false),
    ] {
        assert_eq!(is_within(&scope(shown), &scope(now)), is_fine, "{shown}: {now}");
    }
}

#[test]
fn a_question_says_what_is_asked_and_bytes_that_are_no_text_are_not_asked_about() {
    let judged = |line: &[u8]| JUDGE.judge(&Request::about(line)).unwrap();
    let judgement = judged(b"git push -q origin feature && cat a | tail");
    let question = question::of(&judgement, &JUDGE.facts, Some("s1".to_owned())).unwrap();
    assert_eq!(question.line, judgement.line);
    assert_eq!(question.cwd.as_deref(), Some("/home/dev/project"));
    assert_eq!(
        (question.agent.as_deref(), question.session.as_deref()),
        (Some("claude"), Some("s1"))
    );
    assert_eq!(question.severity, Severity::Medium);
    assert_eq!(question.scope.signatures, [["git", "push"]]);
    assert_eq!(question.scope.words, ["git push origin feature, in /home/dev/project"]);
    assert_eq!(question.scope.rules, ["effect.publish"]);
    let text = serde_json::to_string(&question).unwrap();
    assert_eq!(serde_json::from_str::<Question>(&text).unwrap(), question);
    assert!(question::of(&judged(b"rm \xff"), &JUDGE.facts, None).is_none());
}

#[test]
fn a_yes_covers_its_own_line_or_says_that_it_has_no_signature() {
    for line in LINES.all().chain(SHEET.group.iter().map(|group| &group.shown)) {
        let shown = scope(line);
        let grantable = !shown.signatures.is_empty() && shown.severity < Severity::Critical;
        let is_known = shown.effects.iter().all(|effect| {
            // A target that is not known covers nothing, not even itself.
            !format!("{:?}", effect.target).contains("None }")
                && !format!("{:?}", effect.target).contains("path: None")
        });
        assert_eq!(covers(&shown, &shown), grantable && is_known, "{line}: {shown:?}");
    }
}

/// Lines that somebody could have said yes to.
fn shown() -> impl Strategy<Value = String> {
    let lines: Vec<String> = SHEET.group.iter().map(|group| group.shown.clone()).collect();
    let others: Vec<String> = LINES.all().cloned().collect();
    prop_oneof![select(lines), select(others)]
}

/// Lines that come later: near to those above, or any.
fn later() -> impl Strategy<Value = String> {
    let near: Vec<String> =
        SHEET.group.iter().flat_map(|group| group.yes.iter().chain(&group.no)).cloned().collect();
    let others: Vec<String> = LINES.stateless().cloned().collect();
    prop_oneof![3 => select(near), 1 => select(others)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_covered_is_no_worse_than_what_was_shown((first, second) in (shown(), later())) {
        let (shown, now) = (scope(&first), scope(&second));
        if covers(&shown, &now) {
            prop_assert!(now.severity <= shown.severity && shown.severity < Severity::Critical);
            prop_assert!(now.rules.iter().all(|rule| shown.rules.contains(rule)));
            prop_assert!(is_within(&shown, &now));
        }
    }

    #[test]
    fn a_line_with_a_command_that_is_not_covered_is_not((first, one, two) in (shown(), later(), later())) {
        let shown = scope(&first);
        let alone = scope(&two);
        if alone.severity > Severity::Low && !covers(&shown, &alone) {
            for (both, is_same) in [
                (format!("{two}\n{one}"), true),
                (format!("{two} && {one}"), true),
                // What comes first may move the second, and so change what it is.
                (format!("{one}\n{two}"), !one.contains("cd ")),
            ] {
                let now = scope(&both);
                prop_assert!(!is_same || !covers(&shown, &now), "{both:?} by {first:?}: {now:?}");
            }
        }
    }

    #[test]
    fn wrapping_makes_nothing_covered((first, line) in (shown(), later())) {
        let shown = scope(&first);
        let alone = scope(&line);
        if alone.severity > Severity::Low && !covers(&shown, &alone) {
            let quoted = shell_words::quote(&line).into_owned();
            for wrapped in [
                format!("bash -c {quoted}"),
                format!("sudo bash -c {quoted}"),
                format!("env A=b sh -c {quoted}"),
                format!("eval {quoted}"),
                format!("( {line}\n)"),
                format!("nohup bash -lc {quoted} &"),
                format!("xargs sh -c {quoted} < names"),
            ] {
                let now = scope(&wrapped);
                prop_assert!(!covers(&shown, &now), "{wrapped:?} by {first:?}: {now:?}");
            }
        }
    }
}
