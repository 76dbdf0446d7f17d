//! `status`, and `guarded-sh` alone at a terminal: where the person stands, and the next step.

use std::fmt::Write as _;

use super::failure::Failure;
use super::ground::Ground;
use super::output::{Output, padded, say};
use super::{desk, doctor, pause, stats, when};
use crate::approval::visible;
use crate::language::Language;
use crate::model::Mode;

/// Columns of the first words.
const NAMES: usize = 11;

pub(super) fn run() -> Result<u8, Failure> {
    // It starts programs by names that whoever calls it chooses.
    let environment = desk::person("have it start what agents start")?;
    let ground = Ground::here();
    let settings = ground.settings();
    let agents = doctor::agents()?;
    let hosts = desk::questions(&environment)?;
    let paused = desk::paused(&hosts);
    let waiting: Vec<String> =
        hosts.into_iter().flat_map(|(_, open)| open).map(|entry| entry.question.line).collect();
    let today = stats::since(&ground, when::parse("today").ok());
    let output = Output::new();
    let mut text = format!("guarded-sh {}\n\n", env!("CARGO_PKG_VERSION"));
    let mut row = |name: &str, what: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}{what}", padded(name, NAMES));
    };
    match agents.found.as_slice() {
        [] => row("agents", "none was found here"),
        found => {
            let states = found.iter().map(|(title, is_guarded)| {
                let state =
                    if *is_guarded { "guarded".into() } else { output.alarm("NOT GUARDED") };
                format!("{} {state}", visible(title))
            });
            row("agents", &states.collect::<Vec<_>>().join(", "));
        }
    }
    let mode = settings.as_ref().map(|settings| settings.mode.value);
    match mode {
        Ok(Mode::Shadow) => row("mode", "shadow: it records, and lets everything run"),
        Ok(Mode::Enforce) => {}
        Err(_) => row("settings", "broken, so every line is refused: `guarded-sh config`"),
    }
    row(
        "questions",
        match (agents.has_host, waiting.len()) {
            (false, _) => "nobody can be asked: no service listens",
            (true, 0) => "none is waiting",
            (true, 1) => "one is waiting",
            (true, _) => "several are waiting",
        },
    );
    if let Some(paused) = paused {
        row("paused", &pause::told(paused, Language::English));
    }
    for line in waiting.iter().take(3) {
        let line: String = visible(&line.replace('\n', "; ")).chars().take(60).collect();
        row("", &line);
    }
    if let Ok(today) = today {
        row("today", &today);
    }
    let unguarded = agents.found.iter().find(|(_, is_guarded)| !is_guarded);
    let next = match (unguarded, mode, waiting.is_empty()) {
        (_, Err(_), _) => "guarded-sh config",
        (_, _, false) => "guarded-sh watch",
        (Some(_), _, _) => "guarded-sh setup",
        (None, _, _) if agents.found.is_empty() => "install an agent, then: guarded-sh setup",
        (None, _, _) if !agents.has_host => "guarded-sh serve",
        (None, _, _) => "guarded-sh log",
    };
    row("next", next);
    say(&text)?;
    ground.tell_place(output);
    Ok(0)
}
