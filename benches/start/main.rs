//! What `run` costs an agent when it starts, the look at its settings included, and each program that it starts then: the same with no
//! session, in one that is watched and in one that is not. In turns, so that whatever else the machine does meets all of them. With
//! `--test`, each once.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement may fail where it stands"
)]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const GUARD: &str = env!("CARGO_BIN_EXE_guarded-sh");

/// What stands before the words in each way of starting them.
const WAYS: [(&str, &[&str]); 3] = [
    ("alone", &[]),
    ("run", &[GUARD, "run", "--"]),
    ("run --unwatched", &[GUARD, "run", "--unwatched", "--"]),
];

/// Starts programs, and says how many microseconds all of them took together.
const STARTS: &str = "begun=${EPOCHREALTIME/[.,]/}; for ((i = 0; i < $0; i++)); do /bin/true; done; \
    echo $((${EPOCHREALTIME/[.,]/} - begun))";

/// Runs words in a home with an agent; returns what they print, and the milliseconds that they took.
fn run(home: &Path, before: &[&str], words: &[&str]) -> (String, f64) {
    let all: Vec<&str> = before.iter().chain(words).copied().collect();
    let mut command = Command::new(all[0]);
    command.args(&all[1..]).current_dir(home.join("work")).stdin(Stdio::null()).env_clear();
    command.env("PATH", format!("{}:/usr/bin:/bin", home.join("bin").display()));
    command.env("HOME", home).env("XDG_RUNTIME_DIR", home).env("SHELL", "/bin/bash");
    let begun = Instant::now();
    let ended = command.output().unwrap();
    let took = begun.elapsed().as_secs_f64() * 1e3;
    assert!(ended.status.success(), "{all:?}: {}", String::from_utf8_lossy(&ended.stderr));
    (String::from_utf8(ended.stdout).unwrap(), took)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Takes a figure by each way, in turns, and returns the medians.
fn medians(rounds: usize, figure: impl Fn(&[&str]) -> f64) -> [f64; WAYS.len()] {
    let mut figures = WAYS.map(|_| Vec::new());
    for _ in 0..rounds {
        for ((_, before), figures) in WAYS.iter().zip(&mut figures) {
            figures.push(figure(before));
        }
    }
    figures.map(|mut figures| median(&mut figures))
}

/// Prints the figures, and what each way adds to the first.
fn tell(name: &str, unit: &str, figures: [f64; WAYS.len()]) {
    let told = WAYS.iter().zip(figures).map(|((way, _), figure)| {
        let more = figure - figures[0];
        let more = if more == 0.0 { String::new() } else { format!(" ({more:+.2})") };
        format!("{way} {figure:.2} {unit}{more}")
    });
    println!("{name}: {}", told.collect::<Vec<_>>().join(", "));
}

fn main() {
    let little = std::env::args().any(|word| word == "--test");
    let (rounds, count) = if little { (1, 5) } else { (21, 500) };
    let place = tempfile::tempdir().unwrap();
    let home = place.path();
    for directory in ["work/.git", "work/.claude", "bin", ".claude"] {
        std::fs::create_dir_all(home.join(directory)).unwrap();
    }
    for settings in [".claude/settings.json", "work/.claude/settings.json"] {
        std::fs::write(home.join(settings), r#"{"model": "opus", "env": {"A": "b"}}"#).unwrap();
    }
    // What is looked at before an agent starts are the settings of an agent that is known.
    for agent in ["claude", "unknown"] {
        std::fs::copy("/bin/true", home.join("bin").join(agent)).unwrap();
        let figures = medians(rounds, |before| run(home, before, &[agent]).1);
        tell(&format!("start and end of '{agent}'"), "ms", figures);
    }
    let count_text = count.to_string();
    let figures = medians(rounds, |before| {
        let (said, _) = run(home, before, &["/bin/bash", "-c", STARTS, &count_text]);
        said.trim().parse::<f64>().unwrap() / f64::from(count) / 1e3
    });
    tell("a program that the agent starts", "ms", figures);
}
