//! What bounds the reading of a line, and that nothing behind a bound is taken for known.

use std::fmt::Write as _;

use guarded_sh::model::{EffectKind, Facts, Reason};
use guarded_sh::reading::{Circumstances, Environment, NoScripts, Plan, plan};
use guarded_sh::syntax::{Dialect, parse};

fn planned(line: &str) -> Plan {
    let facts = Facts { cwd: Some("/home/dev/project".to_owned()), ..Facts::default() };
    let circumstances = Circumstances {
        facts: &facts,
        dialect: Dialect::Bash,
        environment: Environment::Exact,
        positional: None,
        before: &[],
        scripts: &NoScripts,
    };
    plan(&parse(line.as_bytes()), &circumstances)
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

/// A program in Python on the line.
fn python(program: &str) -> Plan {
    planned(&format!("python3 -c {}", shell_words::quote(program)))
}

/// A line for each number, which stands for `#`, and the next for `%`.
fn lines(count: usize, line: &str) -> String {
    let lines =
        (0..count).map(|at| line.replace('#', &at.to_string()).replace('%', &(at + 1).to_string()));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn names_of_names_are_followed_or_not_read() {
    let mut chain: Vec<String> = (0..80).map(|at| format!("a{} = a{at}", at + 1)).collect();
    let plan = python(&format!("import os\na0 = os\n{}\na80.remove('x')", chain.join("\n")));
    let effects = plan.commands.iter().flat_map(|command| &command.effects);
    assert!(effects.into_iter().any(|effect| effect.kind == EffectKind::Delete));
    chain.reverse();
    let plan = python(&format!("a80.remove('x')\n{}\na0 = os\nimport os", chain.join("\n")));
    assert!(plan.opaque.iter().any(|it| it.reason == Reason::UnreadCode), "{:?}", plan.opaque);
}

#[test]
fn text_does_not_grow_without_end() {
    let doubled = lines(60, "a% = a# + a#");
    python(&format!("a0 = 'aaaaaaaa'\n{doubled}open(a30)"));
    let lists = lines(60, "a% = [a#, a#]");
    python(&format!("a0 = ['a']\n{lists}open(a30)"));
}
