//! Bash is the oracle for the shape of commands: what it prints of a function after parsing it holds the same
//! commands as what we read. Nothing is run: the text is only ever the body of a function.
#![allow(clippy::expect_used, reason = "tests say what they need")]

use std::process::{Command, Stdio};

use guarded_sh::syntax::{CommandKind, Descend, Node, Script, parse_alone};

const LINES: &str = include_str!("syntax/lines.txt");
const TEXTS: &str = include_str!("syntax/texts.txt");

/// Returns every command of a script with what stands on it, those inside words too.
fn commands(script: &Script) -> Vec<String> {
    let mut out = Vec::new();
    script.walk(&mut |node| {
        match node {
            Node::Command(command) => {
                let kind = match &command.kind {
                    CommandKind::Simple(simple) => {
                        let name =
                            simple.words.first().map(|word| word.literal().unwrap_or("?".into()));
                        let (words, assignments) = (simple.words.len(), simple.assignments.len());
                        format!("{name:?} {words} {assignments}")
                    }
                    CommandKind::Group(_) => "group".into(),
                    CommandKind::Subshell(_) => "subshell".into(),
                    CommandKind::If { .. } => "if".into(),
                    CommandKind::For { variable, words, select, .. } => {
                        // Bash prints the `in "$@"` that was left out.
                        let words = words.as_ref().map_or(1, Vec::len);
                        format!("for {variable} {words} {select}")
                    }
                    CommandKind::ArithmeticFor { .. } => "for((".into(),
                    CommandKind::While { until, .. } => format!("while {until}"),
                    CommandKind::Case { arms, .. } => format!("case {}", arms.len()),
                    CommandKind::Function { name, .. } => format!("function {name}"),
                    // Bash adds `-n` to single words.
                    CommandKind::Test(_) => "[[".into(),
                    CommandKind::Arithmetic(_) => "((".into(),
                    CommandKind::Coproc { .. } => "coproc".into(),
                };
                let redirects = command.redirects.len() + usize::from(command.pipes_stderr);
                out.push(format!("{kind} {redirects}"));
            }
            Node::Statement(statement) => {
                let mut joined: Vec<String> = Vec::new();
                joined.push(format!("{}", statement.first.commands.len()));
                for (joint, pipeline) in &statement.rest {
                    joined.push(format!("{joint:?} {}", pipeline.commands.len()));
                }
                let negated = statement.first.negated;
                out.push(format!("list {joined:?} {negated} {}", statement.background));
            }
            Node::Redirect(redirect) => {
                if let Some(body) = &redirect.body {
                    out.push(format!(
                        "body {:?} {}",
                        body.content.literal(),
                        body.content.parts.len()
                    ));
                }
            }
            Node::Assignment(_) | Node::Word(_) | Node::Part(_) | Node::Script(_) => {}
        }
        Descend::Into
    });
    out
}

/// Returns whether bash prints something of a script in another form than it was written in.
fn printed_otherwise(script: &Script) -> bool {
    let mut found = false;
    script.walk(&mut |node| {
        if let Node::Command(command) = node {
            found |= match &command.kind {
                // `elif` becomes an `if` inside `else`.
                CommandKind::If { branches, .. } => branches.len() > 1,
                // A body that is no group is put into one.
                CommandKind::Function { body, .. } => !matches!(body.kind, CommandKind::Group(_)),
                // A simple command gets the name `COPROC` before it, which it cannot have.
                CommandKind::Coproc { body, .. } => matches!(body.kind, CommandKind::Simple(_)),
                _ => false,
            };
        }
        Descend::Into
    });
    found
}

/// Returns what bash prints of a function with this body, without its name and braces.
fn printed(body: &str) -> Option<String> {
    let script = format!("f() {{\n{body}\n}}\ndeclare -f f");
    let output = Command::new("bash")
        .args(["-c", &script])
        .stdin(Stdio::null())
        .output()
        .expect("these tests need bash");
    if !output.status.success() || !output.stderr.is_empty() {
        return None;
    }
    let stdout = String::from_utf8(output.stdout).ok()?;
    let (_, inside) = stdout.split_once("{ \n")?;
    Some(inside.trim_end().strip_suffix('}')?.to_owned())
}

#[test]
fn what_bash_prints_of_a_text_holds_the_same_commands() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for text in LINES.lines().chain(TEXTS.split("\n----\n")) {
        let script = parse_alone(text.as_bytes());
        if !script.opaque.is_empty()
            || printed_otherwise(&script)
            || KNOWN.iter().any(|(known, _)| *known == text)
        {
            continue;
        }
        let Some(printed) = printed(text) else { continue };
        let again = parse_alone(printed.as_bytes());
        compared += 1;
        if commands(&script) != commands(&again) {
            wrong.push(format!(
                "{text:?}\n{printed}\n  {:?}\n  {:?} {:?}",
                commands(&script),
                commands(&again),
                again.opaque
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 700, "only {compared} compared");
}

/// Texts that bash prints in another form, each with what changes.
const KNOWN: &[(&str, &str)] = &[
    ("case a in (esac) b;; esac", "printed without the parenthesis, which bash cannot read again"),
    (
        "case a in b) ;; (esac) c;; esac",
        "printed without the parenthesis, which bash cannot read again",
    ),
];
