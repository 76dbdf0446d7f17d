//! The rows of `tests/oracle/rows/*.toml`, of which each must keep the law.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use guarded_sh::model::{Caller, Facts, Reason, Severity, Shell, StandardInput};
use guarded_sh::pipeline::{Judge, Judgement, Request};
use guarded_sh::reading::Environment;
use guarded_sh::rules::RuleSet;
use serde::Deserialize;

use crate::batch::{self, ENVIRONMENT, Task};
use crate::law::violations;
use crate::observed::{Observed, TOO_LARGE};
use crate::sheets;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// The program that it needs besides those that every system has; where it is not installed the row is not run.
    program: Option<String>,
    /// The shell that runs it.
    #[serde(default)]
    shell: Shell,
    /// The script.
    script: String,
    /// Files in the workspace. Those that begin with `#!` are executable; a name that ends with `/` is a directory.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Whether nothing of it may be opaque: it is one of those that must be read.
    #[serde(default)]
    read: bool,
}

static RULES: LazyLock<RuleSet> = LazyLock::new(RuleSet::builtin);

/// Rows of one batch: on a machine that is busy, more take longer than a batch is given.
const MOST: usize = 500;

/// Judges lines in the world in which a row runs.
pub struct World {
    judge: Judge<&'static RuleSet>,
}

impl World {
    pub fn new(index: usize, shell: Shell) -> Self {
        let home = batch::home(index);
        let given = ENVIRONMENT.iter().map(|(name, value)| (*name, *value));
        let environment: HashMap<String, String> = given
            .chain([("HOME", home.as_str())])
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let facts = Facts {
            cwd: Some(batch::workspace(index)),
            home: Some(home.clone()),
            workspaces: vec![batch::workspace(index)],
            temporary: vec!["/tmp".to_owned(), "/var/tmp".to_owned()],
            environment: environment.into(),
            caller: Caller::Agent("claude".to_owned()),
            input: StandardInput::Nothing,
            ..Facts::default()
        };
        let judge = Judge { shell, ..Judge::supposing(LazyLock::force(&RULES), facts) };
        Self { judge }
    }

    pub fn judged(&self, line: &str, environment: Environment) -> Judgement {
        let request = Request { environment, ..Request::about(line.as_bytes()) };
        self.judge.judge(&request).unwrap()
    }
}

/// Returns what a row did that was not foreseen, whether or not the environment is known to the reader.
pub fn faults(index: usize, task: &Task, observed: &Observed) -> Vec<String> {
    if !observed.ended {
        return vec!["does not end in time".to_owned()];
    }
    let world = World::new(index, task.shell);
    let mut faults = Vec::new();
    for environment in [Environment::Approximate, Environment::Exact] {
        let judgement = world.judged(&task.script, environment);
        // That two readers are not at one about the words that we write down for it says nothing of what was run.
        let is_said_apart = |judgement: &Judgement| {
            let opaque = &judgement.plan.opaque;
            !opaque.is_empty() && opaque.iter().all(|part| part.reason == Reason::ParsersDisagree)
        };
        let judged = |line: &str| -> Severity {
            let judgement = world.judged(line, environment);
            if is_said_apart(&judgement) { Severity::Low } else { judgement.assessment.severity }
        };
        for fault in violations(observed, &judgement, judged) {
            let planned: Vec<_> =
                judgement.plan.commands.iter().map(|command| &command.argv).collect();
            let fault = format!("{fault}\n      planned {planned:?}");
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
    }
    faults
}

/// Runs tasks in two batches beside each other. The place of a task in `tasks` names its home.
pub fn run(tasks: &[Task]) -> Vec<Observed> {
    let half = tasks.len().div_ceil(2);
    let (first, second) = tasks.split_at(half);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| observed(half, second));
        let mut all = observed(0, first);
        all.extend(second.join().unwrap());
        all
    })
}

/// Runs a batch, or several if there are many, or both halves of one in which processes cannot be told apart.
fn observed(first: usize, tasks: &[Task]) -> Vec<Observed> {
    if tasks.len() > MOST {
        let batches = tasks.chunks(MOST).enumerate();
        return batches.flat_map(|(at, some)| observed(first + at * MOST, some)).collect();
    }
    match batch::run(first, tasks) {
        Err(why) if tasks.len() > 1 && why.ends_with(TOO_LARGE) => {
            let (some, others) = tasks.split_at(tasks.len() / 2);
            let mut all = observed(first, some);
            all.extend(observed(first + some.len(), others));
            all
        }
        observed => observed.unwrap(),
    }
}

/// Returns whether nothing of a script is opaque.
pub fn is_read(index: usize, shell: Shell, script: &str) -> bool {
    World::new(index, shell).judged(script, Environment::Exact).plan.opaque.is_empty()
}

fn tasks(rows: &[Row]) -> Vec<Task> {
    let task = |row: &Row| Task {
        shell: row.shell,
        script: row.script.trim_end_matches('\n').to_owned(),
        files: row.files.clone(),
    };
    rows.iter().map(task).collect()
}

/// Returns the faults of each row.
fn judge(rows: &[Row]) -> Vec<(Task, Vec<String>)> {
    let tasks = tasks(rows);
    let mut observed = run(&tasks);
    // On a machine that is busy one may take longer than it is given: it gets its time alone.
    for (index, observed) in observed.iter_mut().enumerate().filter(|(_, row)| !row.ended) {
        let alone = batch::run(index, &tasks[index..=index]).unwrap();
        *observed = alone.into_iter().next().unwrap();
    }
    tasks
        .into_iter()
        .zip(observed)
        .enumerate()
        .map(|(index, (task, observed))| {
            let faults = faults(index, &task, &observed);
            (task, faults)
        })
        .collect()
}

/// Returns every row that is to keep the law, with the name of its sheet: those of `rows/`, or of the directory that `ORACLE_ROWS` names,
/// to try some before they belong here.
fn sheets() -> Vec<(String, Row)> {
    let given = std::env::var("ORACLE_ROWS");
    let paths = sheets::paths(given.as_deref().unwrap_or("tests/oracle/rows"));
    let named = paths.iter().flat_map(|path| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        sheets::rows(path).into_iter().map(move |row| (name.clone(), row))
    });
    named.collect()
}

#[test]
fn every_row_does_what_was_foreseen() {
    if is_hindered() {
        return;
    }
    let (there, missing): (Vec<_>, Vec<_>) =
        sheets().into_iter().partition(|(_, row)| row.program.as_deref().is_none_or(batch::has));
    for (name, row) in &missing {
        println!(
            "skipped, as {} is not installed: {name} {:?}",
            row.program.as_deref().unwrap_or_default(),
            row.script
        );
    }
    let (names, rows): (Vec<String>, Vec<Row>) = there.into_iter().unzip();
    let mut wrong = Vec::new();
    let mut read_fully = 0;
    for (index, (task, mut faults)) in judge(&rows).into_iter().enumerate() {
        let opaque =
            World::new(index, task.shell).judged(&task.script, Environment::Exact).plan.opaque;
        read_fully += usize::from(opaque.is_empty());
        if rows[index].read && !opaque.is_empty() {
            faults.push(format!("is opaque: {opaque:?}"));
        }
        if !faults.is_empty() {
            wrong.push(format!(
                "{} {:?}\n    {}",
                names[index],
                task.script,
                faults.join("\n    ")
            ));
        }
    }
    println!("{} rows, {read_fully} of them fully read, {} skipped", rows.len(), missing.len());
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Whether nothing can be run here; says so.
pub fn is_hindered() -> bool {
    let why = batch::hindrance();
    if let Some(why) = &why {
        println!("skipped, as nothing can be run under strace in a namespace of its own: {why}");
    }
    why.is_some()
}
