//! Rows of `tests/verdicts/*.toml`: a line and what must be found in it.

use std::collections::HashMap;

use guarded_sh::model::{
    Action, Caller, Facts, GitFacts, Recent, Severity, StandardInput, Trace, Traces,
};
use guarded_sh::pipeline::{Judge, Judgement, Request};
use guarded_sh::policy;
use guarded_sh::reading::Known;
use guarded_sh::rules::RuleSet;
use serde::Deserialize;

use crate::sheets;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// The line.
    line: String,
    /// What is to be done with it.
    action: Option<Action>,
    /// Exactly this severity.
    severity: Option<Severity>,
    /// At least this severity.
    least: Option<Severity>,
    /// A rule that must fire.
    rule: Option<String>,
    /// Programs that must be planned, wherever they hide.
    runs: Option<Vec<String>>,
    /// Whether something may be on standard input. Else there is nothing, as where agents run lines.
    #[serde(default)]
    has_input: bool,
    /// Lines that ran before it in its session.
    #[serde(default)]
    after: Vec<String>,
    /// Rules that must not fire.
    #[serde(default)]
    no_rule: Vec<String>,
    /// Why the row is there.
    #[serde(default)]
    why: String,
}

/// The world that the rows live in: a developer's workspace.
pub fn judge() -> Judge {
    let home = "/home/dev".to_owned();
    let facts = Facts {
        cwd: Some("/home/dev/project".to_owned()),
        home: Some(home.clone()),
        workspaces: vec!["/home/dev/project".to_owned()],
        temporary: vec!["/tmp".to_owned(), "/var/tmp".to_owned()],
        environment: HashMap::from([
            ("HOME".to_owned(), home),
            ("USER".to_owned(), "dev".to_owned()),
            ("DEPLOY_TOKEN".to_owned(), "dt_0123456789abcdef".to_owned()),
        ])
        .into(),
        git: Some(GitFacts::default()),
        protected_branches: ["main", "master", "release/*"].map(str::to_owned).to_vec(),
        caller: Caller::Agent("claude".to_owned()),
        input: StandardInput::Nothing,
        ..Facts::default()
    };
    Judge::supposing(RuleSet::builtin(), facts)
}

/// Judges one line in the world of the rows.
pub fn judged(line: &str) -> Judgement {
    judge().judge(&Request::about(line.as_bytes())).unwrap()
}

/// What is remembered of lines.
fn recent(judge: &Judge, lines: &[String]) -> Recent {
    let mut recent = Recent::default();
    for line in lines {
        let judgement =
            judge.judge(&Request::about(line.as_bytes()).after(&Known(&recent))).unwrap();
        let Traces { line, files, secrets } = policy::traces(&judgement.plan, || line.clone());
        for (path, sources) in files {
            recent.files.retain(|file| file.path != path);
            recent.files.insert(0, Trace { path, sources, line: line.clone(), print: None });
        }
        recent.secrets = secrets.then_some(line).or(recent.secrets);
    }
    recent
}

fn faults(row: &Row) -> Vec<String> {
    let mut judge = judge();
    if row.has_input {
        judge.facts.input = StandardInput::Unknown;
    }
    let recent = recent(&judge, &row.after);
    let judgement =
        judge.judge(&Request::about(row.line.as_bytes()).after(&Known(&recent))).unwrap();
    let assessment = &judgement.assessment;
    let rules: Vec<&str> = assessment.findings.iter().map(|f| f.rule.as_str()).collect();
    let mut faults = Vec::new();
    if row.action.is_some_and(|action| action != judgement.action) {
        faults.push(format!("action {:?}", judgement.action));
    }
    if row.severity.is_some_and(|severity| severity != assessment.severity)
        || row.least.is_some_and(|least| least > assessment.severity)
    {
        faults.push(format!("severity {:?}", assessment.severity));
    }
    if row.rule.as_ref().is_some_and(|rule| !rules.contains(&rule.as_str())) {
        faults.push("the rule does not fire".to_owned());
    }
    if row.no_rule.iter().any(|rule| rules.contains(&rule.as_str())) {
        faults.push("a rule fires that must not".to_owned());
    }
    let programs: Vec<&str> =
        judgement.plan.commands.iter().filter_map(|command| command.program()).collect();
    for name in row.runs.iter().flatten() {
        if !programs.contains(&name.as_str()) {
            faults.push(format!("{name} is not planned"));
        }
    }
    if faults.is_empty() {
        return faults;
    }
    faults.push(format!("found {rules:?}, planned {programs:?}"));
    faults
}

/// Returns the lines of all rows.
pub fn lines() -> Vec<String> {
    let rows =
        sheets::paths("tests/verdicts").into_iter().flat_map(|path| sheets::rows::<Row>(&path));
    rows.map(|row| row.line).collect()
}

#[test]
fn every_row_is_judged_as_it_says() {
    let (mut rows, mut wrong) = (0, Vec::new());
    for path in sheets::paths("tests/verdicts") {
        for row in &sheets::rows::<Row>(&path) {
            rows += 1;
            let asks_nothing =
                row.action.is_none() && row.severity.is_none() && row.least.is_none();
            let names = row.rule.is_some() || row.runs.is_some() || !row.no_rule.is_empty();
            assert!(!asks_nothing || names, "{}", row.line);
            let faults = faults(row);
            if !faults.is_empty() {
                wrong.push(format!("{:?} {}\n    {}", row.line, row.why, faults.join("; ")));
            }
        }
    }
    assert!(rows >= 450, "only {rows} rows were read");
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn more_code_than_is_read_on_one_line_is_not_harmless() {
    let program = format!("python3 -c 'print(\"{}\")'", "a".repeat(2_000));
    let lines = |count: usize| vec![program.as_str(); count].join("; ");
    assert_eq!(judged(&lines(10)).action, Action::Allow);
    assert_eq!(judged(&lines(80)).action, Action::Ask);
}

#[test]
fn a_patch_of_more_names_than_are_looked_at_is_not_harmless() {
    let of_files = |count: usize| {
        let files = (0..count).map(|at| format!("--- f{at}\n+++ f{at}\n@@ -1 +1 @@\n-a\n+b\n"));
        format!("patch -p0 <<'END'\n{}END\n", files.collect::<String>())
    };
    assert_eq!(judged(&of_files(100)).action, Action::Allow);
    assert_eq!(judged(&of_files(4_000)).action, Action::Ask);
}

#[test]
fn a_line_of_more_links_than_are_looked_for_is_not_known() {
    let moved = |count: usize| {
        let moves: Vec<String> = (0..count).map(|at| format!("mv l{at} l{};", at + 1)).collect();
        let moves = moves.join(" ");
        format!("n=0; while [ $n -lt 3 ]; do n=$((n+1)); ln -s d/e l0; {moves} done")
    };
    let is_known = |line: &str| judged(line).plan.opaque.is_empty();
    assert!(is_known(&moved(10)));
    assert!(!is_known(&moved(140)));
}
