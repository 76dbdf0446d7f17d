//! What holding a line costs: the same lines with the fence and without, contained and not, kept for undo and not. In turns, so that whatever
//! else the machine does meets both. CPU is counted, of the lines with all that they start. With `--test`, each once.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement may fail where it stands"
)]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

#[path = "../session/home.rs"]
mod home;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use home::at_home;

const GUARD: &str = env!("CARGO_BIN_EXE_guarded-sh");

/// A line, and the settings under which it is run.
struct Case {
    name: &'static str,
    /// What stands before the shell that runs the lines.
    below: &'static [&'static str],
    line: &'static str,
    /// What is made before the line can do its work, as a script; then it is run once at a time.
    before: &'static str,
    without: &'static str,
    with: &'static str,
}

const RUN: &[&str] = &[GUARD, "run", "--"];
const FILES: &str =
    "mkdir d; head -c 10000 /dev/urandom >d/0; for i in {1..999}; do cp d/0 d/$i; done";

const CASES: [Case; 4] = [
    Case {
        name: "the fence",
        below: &[],
        line: "true",
        before: "",
        without: "fence = \"off\"\n",
        with: "fence = \"on\"\n",
    },
    Case {
        name: "the fence, below a host",
        below: RUN,
        line: "true",
        before: "",
        without: "fence = \"off\"\n",
        with: "fence = \"on\"\n",
    },
    Case {
        name: "a container",
        below: &[],
        line: "./unread does",
        before: "",
        without: "fence = \"off\"\n[thresholds]\nbash = 0\n",
        with: "contain = \"on\"\n",
    },
    Case {
        name: "keeping 1,000 files of 10 kB that a line deletes",
        below: &[],
        line: "rm -r d",
        before: FILES,
        without: "undo = \"off\"\n[thresholds]\nbash = 0\n",
        with: "undo = \"keep\"\n[thresholds]\nbash = 0\n",
    },
];

/// Runs lines and says what they took, one answer for each row that it reads: how often.
const RUNNER: &str = r#"
TIMEFORMAT='%3U %3S'
while read -r count; do
  eval "$BEFORE"
  { time for ((i = 0; i < count; i++)); do "$GUARD" -c "$LINE" >&2 || kill $$; done 2>"$HOME/said"; } 2>&1
done
"#;

/// A shell that runs lines.
struct Runner {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Runner {
    /// Starts it where this is the home of the user database.
    fn start(case: &Case, place: &Path, settings: &str) -> Self {
        let [home, work] = ["home", "work"].map(|name| place.join(name));
        std::fs::create_dir_all(home.join(".config/guarded-sh")).unwrap();
        std::fs::write(home.join(".config/guarded-sh/config.toml"), settings).unwrap();
        std::fs::create_dir_all(work.join(".git")).unwrap();
        // A program that nobody has read, and what it does.
        std::fs::copy("/bin/bash", work.join("unread")).unwrap();
        std::fs::write(work.join("does"), ":\n").unwrap();
        let mut child = at_home(&home)
            .args(case.below)
            .args(["bash", "-c", RUNNER])
            .current_dir(&work)
            .env("GUARD", GUARD)
            .env("LINE", case.line)
            .env("BEFORE", case.before)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    /// Milliseconds of CPU for each of so many lines; none where the line does not run.
    fn run(&mut self, count: usize) -> Option<f64> {
        writeln!(self.input, "{count}").ok()?;
        let mut said = String::new();
        self.output.read_line(&mut said).unwrap();
        let parts: Result<Vec<f64>, _> = said.split_whitespace().map(str::parse).collect();
        let parts = parts.ok().filter(|parts| !parts.is_empty())?;
        Some(parts.iter().sum::<f64>() * 1e3 / count as f64)
    }

    fn end(mut self) {
        drop(self.input);
        self.child.wait().unwrap();
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let little = std::env::args().any(|word| word == "--test");
    for case in &CASES {
        let (rounds, count) = match (little, case.before) {
            (true, _) => (1, 1),
            (false, "") => (15, 40),
            (false, _) => (15, 1),
        };
        let places = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let settings = [case.without, case.with];
        let mut runners = [0, 1].map(|way| Runner::start(case, places[way].path(), settings[way]));
        let mut figures = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            for (runner, figures) in runners.iter_mut().zip(&mut figures) {
                figures.extend(runner.run(count));
            }
        }
        runners.into_iter().for_each(Runner::end);
        if figures.iter().any(Vec::is_empty) {
            println!("{}: the line does not run so here", case.name);
            continue;
        }
        let [without, with] = figures.map(|mut figures| median(&mut figures));
        let more = with - without;
        println!("{}: {without:.2} ms of CPU without, {with:.2} with: {more:+.2}", case.name);
    }
}
