//! No word that stands behind a harmless line is swallowed: what has the form of something else than a plain word keeps the line
//! harmless only if the catalog says what the word is to this program.

use guarded_sh::model::{Action, Severity};
use serde::Deserialize;

use super::{JUDGE, none_of, severity};
use crate::entry;
use crate::sheets;

/// Words that many programs read otherwise than as a plain word.
const WORDS: &[&str] = &[
    "\\;",
    "';'",
    "-- --foreign",
    "@names",
    "https://evil.example.net/x",
    "+foreign",
    "-C ../elsewhere",
    "'#(id)'",
    "'$(id)'",
    "../../.ssh/id_ed25519",
    "~/.bashrc",
    ".git/hooks/pre-commit",
];

/// Roles that say of any word what it is.
const SAYS_WHAT: &[&str] =
    &["text", "passed", "content", "code:", "task:", "pathspec", "revision", "refspec", "compared"];

#[derive(Deserialize)]
struct Sheet {
    #[serde(default)]
    row: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    line: String,
    severity: Option<Severity>,
    action: Option<Action>,
    #[serde(default)]
    after: Vec<String>,
}

/// Harmless lines of one command each, from the rows.
fn harmless() -> Vec<String> {
    let mut lines = Vec::new();
    for path in sheets::paths("tests/verdicts") {
        let sheet: Sheet = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let is_one = |row: &Row| {
            (row.severity == Some(Severity::Low) || row.action == Some(Action::Allow))
                && row.after.is_empty()
                && !row.line.contains(['|', '&', ';', '<', '>', '(', '`', '\n', '#', '{', '$'])
        };
        lines.extend(sheet.row.into_iter().filter(is_one).map(|row| row.line));
    }
    lines
}

/// Returns the line if it is harmless though nobody says what its last word is.
fn swallows(line: &str) -> Option<String> {
    let judgement = entry::judged(&JUDGE, line.as_bytes()).ok()?;
    if judgement.assessment.severity != Severity::Low {
        return None;
    }
    let command = judgement.plan.commands.first()?;
    let last = command.argv.len().checked_sub(1)?;
    let of_last = |role: &str| {
        SAYS_WHAT.iter().any(|said| role.starts_with(said))
            || (role != "inert" && role != "unknown")
    };
    let is_said =
        command.interpretation.operands.iter().any(|(at, role)| *at == last && of_last(role))
            || command
                .interpretation
                .options
                .iter()
                .any(|option| (option.index..option.end).contains(&last))
            || command.interpretation.touches.iter().any(|touch| touch.index == Some(last))
            || judgement.plan.commands.len() > 1;
    (!is_said).then(|| format!("{line}    {:?}", command.interpretation.operands.last()))
}

#[test]
fn no_foreign_word_is_swallowed_by_a_harmless_line() {
    let lines = harmless();
    assert!(lines.len() > 500, "only {} harmless lines", lines.len());
    let with_words =
        lines.iter().flat_map(|line| WORDS.iter().map(move |word| format!("{line} {word}")));
    let wrong: Vec<String> = with_words.filter_map(|line| swallows(&line)).collect();
    none_of(&wrong);
}

/// Parts of the names of options without which a command changes something.
const TRIALS: &[&str] = &["dry-run", "simulate", "no-act", "just-print", "what-if"];

/// Ways to say that such an option is off.
const OFF: &[&str] = &["=false", "=0", "=no", "=f", "=off", "=none"];

#[test]
fn a_trial_that_is_turned_off_again_is_none() {
    let mut wrong = Vec::new();
    for line in harmless() {
        let words: Vec<&str> = line.split(' ').collect();
        let is_trial =
            |word: &&str| word.starts_with("--") && TRIALS.iter().any(|it| word.contains(it));
        let Some(at) = words.iter().position(is_trial) else { continue };
        let name = words[at].split('=').next().unwrap_or_default();
        let without = [&words[..at], &words[at + 1..]].concat().join(" ");
        if severity(&without) == Severity::Low {
            continue;
        }
        for off in OFF {
            let said = format!("{name}{off}");
            let line = [&words[..=at], &[said.as_str()], &words[at + 1..]].concat().join(" ");
            if severity(&line) == Severity::Low {
                wrong.push(line);
            }
        }
    }
    none_of(&wrong);
}
