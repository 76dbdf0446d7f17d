//! What the relay of `run` costs: the same programs at a pseudo-terminal alone, below `script`, and below a session. In this order in
//! each round, so that whatever else the machine does meets all three. With `--test`, each once and little of it.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement may fail where it stands"
)]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use guarded_sh::sys::pty::{self, Pty, Size};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};
use nix::unistd::Pid;

const GUARD: &str = env!("CARGO_BIN_EXE_guarded-sh");

/// How a command is started.
const WAYS: [&str; 3] = ["alone", "script", "run"];

fn words(way: &str, line: &str) -> Vec<String> {
    let words: &[&str] = match way {
        "alone" => &["sh", "-c", line],
        "script" => &["script", "-qc", line, "/dev/null"],
        _ => &[GUARD, "run", "--", "sh", "-c", line],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A command at a terminal of its own.
struct Running {
    leader: File,
    child: Child,
}

impl Running {
    fn start(way: &str, line: &str) -> Self {
        let pty = Pty::open().unwrap();
        pty::resize(&pty.leader, Size { rows: 24, columns: 80, width: 0, height: 0 }).unwrap();
        let mut raw = tcgetattr(&pty.follower).unwrap();
        cfmakeraw(&mut raw);
        tcsetattr(&pty.follower, SetArg::TCSANOW, &raw).unwrap();
        let child = Command::new("setsid")
            // It becomes the command: it is no leader of a group, so it need not fork.
            .arg("--ctty")
            .args(words(way, line))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", "/nonexistent")
            .env("SHELL", "/bin/sh")
            .stdin(pty.follower.try_clone().unwrap())
            .stdout(pty.follower.try_clone().unwrap())
            .stderr(pty.follower.try_clone().unwrap())
            .spawn()
            .unwrap();
        drop(pty.follower);
        let flags = nix::fcntl::OFlag::empty();
        nix::fcntl::fcntl(&pty.leader, nix::fcntl::FcntlArg::F_SETFL(flags)).unwrap();
        Self { leader: pty.leader, child }
    }

    /// Reads to the end; returns how much came.
    fn drain(mut self) -> usize {
        let (mut total, mut buffer) = (0, vec![0; 1 << 16]);
        while let Ok(count @ 1..) = self.leader.read(&mut buffer) {
            total += count;
        }
        assert!(self.child.wait().unwrap().success());
        total
    }

    /// Ends it, and what it started.
    fn end(mut self) {
        let process = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        kill(process, Signal::SIGTERM).unwrap();
        self.child.wait().unwrap();
    }

    fn wait_for(&mut self, text: &[u8]) {
        let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
        while !seen.windows(text.len()).any(|window| window == text) {
            let count = self.leader.read(&mut buffer).unwrap();
            seen.extend_from_slice(&buffer[..count]);
        }
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Megabytes of output a second.
fn output(file: &Path, size: usize, rounds: usize) {
    let line = format!("cat '{}'", file.display());
    let mut figures = WAYS.map(|_| Vec::new());
    for _ in 0..rounds {
        for (way, figures) in WAYS.iter().zip(&mut figures) {
            let start = Instant::now();
            let total = Running::start(way, &line).drain();
            assert!(total >= size, "{way}: {total} of {size}");
            figures.push(size as f64 / 1e6 / start.elapsed().as_secs_f64());
        }
    }
    let [alone, script, run] = figures.map(|mut figures| median(&mut figures));
    let share = run / script * 100.0;
    println!(
        "output: {alone:.0} MB/s alone, {script:.0} below script, {run:.0} below run: {share:.0} % of script"
    );
}

/// Microseconds from a key to its echo.
fn echo(keys: usize) {
    let mut figures = WAYS.map(|way| {
        let mut running = Running::start(way, "stty raw -echo; echo begin; exec cat");
        running.wait_for(b"begin");
        let mut times = Vec::new();
        let mut buffer = [0; 64];
        for _ in 0..keys {
            let start = Instant::now();
            running.leader.write_all(b"x").unwrap();
            assert!(running.leader.read(&mut buffer).unwrap() > 0);
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        running.end();
        times
    });
    let [alone, script, run] = figures.each_mut().map(|times| median(times));
    println!(
        "echo, median: {alone:.0} µs alone, {script:.0} below script, {run:.0} below run: {:.0} more than alone",
        run - alone
    );
}

/// Clock ticks of CPU that a host takes while nothing happens.
fn idle(time: Duration) {
    let mut running = Running::start("run", "echo host $PPID; sleep 1000");
    let mut said = String::new();
    let mut buffer = [0; 256];
    while !said.ends_with('\n') {
        let count = running.leader.read(&mut buffer).unwrap();
        said.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
    let host = said.split_whitespace().last().unwrap();
    let switches = || {
        let status = std::fs::read_to_string(format!("/proc/{host}/status")).unwrap();
        let of = |name: &str| -> u64 {
            let line = status.lines().find(|line| line.starts_with(name)).unwrap();
            line.split_whitespace().last().unwrap().parse().unwrap()
        };
        of("voluntary_ctxt_switches") + of("nonvoluntary_ctxt_switches")
    };
    std::thread::sleep(Duration::from_millis(200));
    let before = switches();
    std::thread::sleep(time);
    println!("idle: the host was woken {} times in {time:?}", switches() - before);
    running.end();
}

fn main() {
    let little = std::env::args().any(|word| word == "--test");
    let size = if little { 1_000_000 } else { 200_000_000 };
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("output");
    let mut text = Vec::with_capacity(size + 100);
    let mut number = 0;
    while text.len() < size {
        number += 1;
        let colour = number % 8;
        writeln!(text, "\x1b[3{colour}mtest {number}\x1b[0m of a long run ... ok, as compilers and tests say it").unwrap();
    }
    std::fs::write(&file, &text).unwrap();
    output(&file, text.len(), if little { 1 } else { 3 });
    echo(if little { 10 } else { 2000 });
    idle(Duration::from_millis(if little { 100 } else { 5000 }));
}
