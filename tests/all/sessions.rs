//! Real sessions as a test of quiet: what agents do to a project, step by step, each judged by the hook where the lines before it count; for an
//! owner who has set nothing, and for one who has lines contained and kept.
//! No line runs; `tests/agents` plays the same sessions through a real client.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::host::Scene;
use crate::session::{Act, BEGIN, GIT_SETTINGS, REMOTE, Session, Spared, Step};
use crate::sheets;

/// Needless questions that are borne, in a hundred steps.
const BORNE: usize = 2;

/// What an owner has set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// Nothing that spares a question.
    Plain,
    /// All by which a line runs unasked that can do no harm, or whose harm is taken back.
    Calm,
}

impl Owner {
    const fn settings(self) -> &'static str {
        match self {
            Self::Plain => "[approval]\nwait = 0\n",
            Self::Calm => {
                "fence = \"on\"\ncontain = \"on\"\nundo = \"rely\"\n[approval]\nwait = 0\n\
                 [permit]\ncontained_network = true\nlocked_installs = true\n"
            }
        }
    }
}

/// What `doctor` says where lines can be contained with all layers.
const CONTAINS: &str = "contain  on: fence, files, network, seccomp, proxy";

/// Where the project is: what stands for it in events until the scene puts its own in.
const WORK: &str = "@WORK@";

/// Plays a session; returns what is wrong, or nothing where lines cannot be contained as its owner wants it.
fn play(session: &Session, owner: Owner) -> Option<Vec<String>> {
    let mut project = session.files.clone();
    let mut files: BTreeMap<String, String> =
        project.iter().map(|(path, text)| (format!("work/{path}"), text.clone())).collect();
    files.insert("home/.gitconfig".to_owned(), GIT_SETTINGS.to_owned());
    files.insert("begin.sh".to_owned(), BEGIN.to_owned());
    // It is looked for and not started, since no line runs.
    files.insert("bin/guarded-shd".to_owned(), String::new());
    let mut script = format!("bash \"$PLACE/begin.sh\" {REMOTE} 2>&1; contains; serve\n");
    for (number, step) in session.step.iter().enumerate() {
        files.insert(format!("event.{number}"), event(step).to_string());
        let _ = writeln!(script, "step {number}");
        for (path, text) in left(step, &mut project) {
            files.insert(format!("left.{number}/{path}"), text);
            let _ = writeln!(script, "leave {number}");
        }
        if let Some(line) = &step.real {
            files.insert(format!("real.{number}"), line.clone());
            let _ = writeln!(script, "bash -e \"$PLACE/real.{number}\" 2>&1");
        }
    }
    let scene = Scene {
        name: session.name.clone(),
        settings: owner.settings().to_owned(),
        files,
        needs: Vec::new(),
        script: [WORDS, &script].concat(),
        out: String::new(),
    };
    let (out, errors) = scene.said();
    let mut answers = out.lines();
    let contains = answers.next().unwrap_or_default();
    if owner == Owner::Calm && contains != CONTAINS {
        println!("skipped: {}: {contains}", session.name);
        return None;
    }
    let mut faults = Vec::new();
    for (number, step) in session.step.iter().enumerate() {
        let answer = answers.next().unwrap_or_default();
        let answer: Value = serde_json::from_str(answer)
            .unwrap_or_else(|_| panic!("{} {number}: {answer}\n{errors}", session.name));
        let said = |key: &str| {
            let said = answer.pointer(&format!("/hookSpecificOutput/permissionDecision{key}"));
            said.and_then(Value::as_str).unwrap_or_default()
        };
        let is_contained = answer.pointer("/hookSpecificOutput/updatedInput").is_some();
        let spared = step.spared.filter(|_| owner == Owner::Calm);
        let fault = match (spared, said("")) {
            (Some(Spared::Contained), "allow") if is_contained => None,
            (Some(Spared::Allowed), "allow") if !is_contained => None,
            (Some(spared), word) => Some(format!("is not {spared:?}: {word} {}", said("Reason"))),
            (None, "allow") if is_contained => Some("runs contained".to_owned()),
            (None, word) => step.fault(word != "allow", said("Reason")),
        };
        faults.extend(
            fault.map(|fault| format!("{} {number} {fault}\n    {}", session.name, shown(step))),
        );
    }
    faults.extend(answers.map(|line| format!("{}: {line}", session.name)));
    Some(faults)
}

/// The words of the script, beside those of `tests/host/prelude.sh`.
const WORDS: &str = r#"
step() { sed "s#@WORK@#$PWD#g" "$PLACE/event.$1" | "$GUARD" hook claude; }
leave() { cp -r "$PLACE/left.$1/." .; }
contains() { "$GUARD" doctor | grep '^contain '; }
"#;

/// The event that Claude sends before a step.
fn event(step: &Step) -> Value {
    let below = |path: &str| format!("{WORK}/{path}");
    let (tool, input) = match step.act(WORK) {
        Act::Run { line, background } => (
            "Bash",
            json!({ "command": line, "description": "a step", "run_in_background": background }),
        ),
        Act::Read { path } => ("Read", json!({ "file_path": below(path) })),
        Act::Write { path, text } => {
            ("Write", json!({ "file_path": below(path), "content": text }))
        }
        Act::Edit { path, old, new } => {
            ("Edit", json!({ "file_path": below(path), "old_string": old, "new_string": new }))
        }
    };
    json!({
        "session_id": "s1", "transcript_path": "/dev/null", "cwd": WORK, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input, "tool_use_id": "t1",
    })
}

/// What a step leaves in the project.
fn left(step: &Step, project: &mut BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mut left = BTreeMap::new();
    match step.act(WORK) {
        Act::Run { .. } | Act::Read { .. } => {}
        Act::Write { path, text } => drop(left.insert(path.to_owned(), text.to_owned())),
        Act::Edit { path, old, new } => {
            let before = &project[path];
            assert!(before.contains(old), "{path} does not have what an edit changes: {old}");
            left.insert(path.to_owned(), before.replacen(old, new, 1));
        }
    }
    project.extend(left.clone());
    left
}

fn shown(step: &Step) -> String {
    match step.act(WORK) {
        Act::Run { line, .. } => line,
        Act::Read { path } | Act::Write { path, .. } | Act::Edit { path, .. } => path.to_owned(),
    }
}

/// Plays all sessions for an owner, and holds how often people are asked needlessly.
fn play_all(owner: Owner) {
    let sessions: Vec<Session> =
        sheets::paths("tests/sessions").iter().map(|path| Session::read(path)).collect();
    let faults: Vec<String> = std::thread::scope(|scope| {
        let plays: Vec<_> =
            sessions.iter().map(|session| scope.spawn(move || play(session, owner))).collect();
        plays.into_iter().filter_map(|play| play.join().unwrap()).flatten().collect()
    });
    let steps = || sessions.iter().flat_map(|session| &session.step);
    let asks =
        |step: &&Step| step.asks.is_some() && (owner == Owner::Plain || step.spared.is_none());
    let (questions, needless) = (
        steps().filter(asks).count(),
        steps().filter(asks).filter(|step| step.needless.is_some()).count(),
    );
    println!("questions: {questions} of {} steps, {needless} needless", steps().count());
    assert!(faults.is_empty(), "{} steps:\n{}", faults.len(), faults.join("\n"));
    assert!(needless * 100 <= BORNE * steps().count(), "too many are needless");
}

#[test]
fn people_are_asked_about_what_they_should_be_and_hardly_ever_else() {
    play_all(Owner::Plain);
}

#[test]
fn an_owner_who_has_lines_contained_and_kept_is_asked_about_what_does_harm() {
    play_all(Owner::Calm);
}
