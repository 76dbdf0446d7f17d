//! What a session costs its lines: the same lines with no host and below one, in turns, so that whatever else the machine does meets both;
//! and what a host needs for all that it can hold. With `--test`, little of it.
//!
//! CPU is counted, of the lines with all that they start and of the host.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement may fail where it stands"
)]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

mod held;
mod home;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use home::at_home;

const GUARD: &str = env!("CARGO_BIN_EXE_guarded-sh");

/// What is compared: a line that settings permit, and what is to be seen of it below a host.
const CASES: [(&str, &str); 4] = [
    ("a harmless line", "true"),
    ("a line that runs a file, where something is remembered", "sh own.sh"),
    ("a line that leaves something", "base64 -d own.sh >made"),
    ("a line that a grant lets pass", GRANTED),
];
/// Medium, and nothing is lost by it.
const GRANTED: &str = "rm -f absent";

/// The settings by which all of these run unasked.
const PERMIT: &str = "[thresholds]\nbash = 60\n";

/// Runs lines and says what they took, one answer for each row that it reads: how often, and the line.
const RUNNER: &str = r#"
TIMEFORMAT='%3U %3S'
echo "$PPID"
while IFS=' ' read -r count line; do
  { time for ((i = 0; i < count; i++)); do "$GUARD" -c "$line" >&2; done 2>"$HOME/said"; } 2>&1
done
"#;

/// A shell that runs lines.
struct Runner {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What started it.
    parent: String,
}

impl Runner {
    fn start(before: &[&str], home: &Path, work: &Path) -> Self {
        let words = before.iter().copied().chain(["bash", "-c", RUNNER]);
        let mut child = at_home(home)
            .args(words)
            .current_dir(work)
            .env("GUARD", GUARD)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut parent = String::new();
        output.read_line(&mut parent).unwrap();
        Self { child, input, output, parent: parent.trim().to_owned() }
    }

    fn ask(&mut self, count: usize, line: &str) {
        writeln!(self.input, "{count} {line}").unwrap();
    }

    /// Microseconds of CPU for each of so many lines.
    fn told(&mut self, count: usize) -> f64 {
        let mut said = String::new();
        self.output.read_line(&mut said).unwrap();
        let seconds: f64 = said.split_whitespace().map(|part| part.parse::<f64>().unwrap()).sum();
        seconds * 1e6 / count as f64
    }

    fn run(&mut self, count: usize, line: &str) -> f64 {
        self.ask(count, line);
        self.told(count)
    }

    fn end(mut self) {
        drop(self.input);
        self.child.wait().unwrap();
    }
}

/// Microseconds of CPU that a process has had.
fn cpu(process: &str) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/schedstat")).unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e3
}

/// Says yes for the session to what is asked next, at a terminal of its own.
fn permit(home: &Path) {
    let person = |words: &str| {
        let told = at_home(home)
            .args(["script", "-qec", &format!("{GUARD} {words}"), "/dev/null"])
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8(told.stdout).unwrap()
    };
    let id = loop {
        let open = person("pending");
        if let Some(row) = open.lines().find(|row| row.contains(GRANTED)) {
            break row.split_whitespace().next().unwrap().to_owned();
        }
    };
    let said = person(&format!("approve {id} --session"));
    assert!(said.contains("permitted"), "{said}");
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let little = std::env::args().any(|word| word == "--test");
    let (rounds, count) = if little { (1, 2) } else { (15, 40) };
    held::measure(little);
    let place = tempfile::tempdir().unwrap();
    let path = |name: &str| place.path().join(name);
    for (home, settings) in [("permits", PERMIT), ("asks", "")] {
        std::fs::create_dir_all(path(home).join(".config/guarded-sh")).unwrap();
        std::fs::write(path(home).join(".config/guarded-sh/config.toml"), settings).unwrap();
    }
    let work = path("work");
    std::fs::create_dir_all(work.join(".git")).unwrap();
    std::fs::write(work.join("own.sh"), "true\n").unwrap();
    let session = [GUARD, "run", "--"];
    let mut alone = Runner::start(&[], &path("permits"), &work);
    let mut below = Runner::start(&session, &path("permits"), &work);
    let mut granted = Runner::start(&session, &path("asks"), &work);
    // From here on the host remembers something.
    below.run(1, CASES[2].1);
    granted.ask(1, GRANTED);
    permit(&path("asks"));
    granted.told(1);
    for (name, line) in CASES {
        let hosted = if line == GRANTED { &mut granted } else { &mut below };
        let mut figures = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..rounds {
            figures[0].push(alone.run(count, line));
            let before = cpu(&hosted.parent);
            figures[1].push(hosted.run(count, line));
            figures[2].push((cpu(&hosted.parent) - before) / count as f64);
        }
        let [alone, hosted, host] = figures.map(|mut figures| median(&mut figures));
        println!(
            "{name}: {alone:.0} µs of CPU with no host, {hosted:.0} below one and {host:.0} of the host: {:.0} more",
            hosted + host - alone
        );
    }
    for runner in [alone, below, granted] {
        runner.end();
    }
}
