//! What bounds the walk, and that nothing behind a bound is taken for known.

use std::fmt::Write;

use super::{Circumstances, Environment, Plan, plan};
use crate::model::{Facts, Reason};
use crate::syntax::{Dialect, parse};

fn planned(line: &str) -> Plan {
    let facts = Facts {
        cwd: Some("/home/dev/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        workspaces: vec!["/home/dev/project".to_owned()],
        ..Facts::default()
    };
    let environment = Environment::Exact;
    plan(
        &parse(line.as_bytes()),
        &Circumstances {
            facts: &facts,
            dialect: Dialect::Bash,
            environment,
            positional: None,
            before: &[],
            scripts: &super::NoScripts,
        },
    )
}

fn reasons(line: &str) -> Vec<Reason> {
    planned(line).opaque.into_iter().map(|opaque| opaque.reason).collect()
}

/// A line that sets so many variables.
fn variables(count: usize) -> String {
    (0..count).fold(String::new(), |mut line, number| {
        let _ = write!(line, "v{number}=1; ");
        line
    })
}

#[test]
fn loops_in_loops_end_though_they_plan_no_command() {
    let nested = |depth: usize| {
        let opening = "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do ".repeat(depth);
        format!("{opening}x=1{}", "; done".repeat(depth))
    };
    assert_eq!(reasons(&nested(2)), []);
    let reasons = reasons(&nested(12));
    assert!(reasons.contains(&Reason::TooManyParts), "{reasons:?}");
}

#[test]
fn functions_that_call_functions_end_though_they_plan_no_command() {
    let mut line = String::new();
    for number in 0..12 {
        let call = format!("f{}; ", number + 1);
        let _ = write!(line, "f{number}() {{ {} }}; ", call.repeat(8));
    }
    line.push_str("f12() { x=1; }; f0");
    let reasons = reasons(&line);
    assert!(reasons.contains(&Reason::TooManyParts), "{reasons:?}");
}

#[test]
fn of_a_variable_beyond_those_that_are_noted_nothing_is_known() {
    let argument = |line: &str| {
        let plan = planned(line);
        plan.commands.last().and_then(|command| command.argv.get(1)?.known().map(str::to_owned))
    };
    for set in ["x=a; echo \"$x\"", "PWD=a; echo \"$PWD\"", "echo \"$unset-a\""] {
        let expected = if set.starts_with("echo") { "-a" } else { "a" };
        assert_eq!(argument(set).as_deref(), Some(expected), "{set}");
        assert_eq!(argument(&format!("{}{set}", variables(1_000))), None, "{set}");
    }
    // What was noted stays known, also with another value.
    let line = format!("{}v7=a; echo \"$v7\"", variables(2_000));
    assert_eq!(argument(&line).as_deref(), Some("a"));
}

#[test]
fn a_number_beyond_the_variables_that_are_noted_may_be_code() {
    let line = "COLUMNS='a[$(ls)]'; echo $((COLUMNS))";
    for line in [line.to_owned(), variables(1_000) + line] {
        let plan = planned(&line);
        let is_seen = plan.commands.iter().any(|command| command.program() == Some("ls"));
        assert!(is_seen || !plan.opaque.is_empty(), "{:?}", plan.opaque);
    }
}
