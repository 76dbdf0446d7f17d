//! `guarded-shd index` and `search` from end to end: lines that the guard recorded, in a throw-away home.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests panic")]

mod log;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const SERVICE: &str = env!("CARGO_BIN_EXE_guarded-shd");
/// Where the home of the user database is the throw-away one: records are those of no other.
const IN_OWN_HOME: &str = "mount --bind \"$1\" /root && shift && exec \"$@\"";

fn guard() -> String {
    let guard = Path::new(SERVICE).with_file_name("guarded-sh");
    assert!(guard.is_file(), "`cargo build` first: there is no {}", guard.display());
    guard.to_str().unwrap().to_owned()
}

fn command(home: &TempDir, words: &[&str]) -> Command {
    let mut command = Command::new("unshare");
    command.args(["-rm", "/bin/bash", "-c", IN_OWN_HOME, "bash"]).arg(home.path()).args(words);
    command.env_clear().env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin").env("HOME", home.path());
    command.current_dir(home.path()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(home: &TempDir, words: &[&str]) -> Output {
    command(home, words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs lines through the guard.
fn record(home: &TempDir, lines: &[&str]) {
    for line in lines {
        let output = run(home, &[&guard(), "-c", line]);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
    }
}

fn searched(home: &TempDir, words: &[&str]) -> Vec<String> {
    let output = run(home, &[&[SERVICE, "search"], words].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let rows = text(&output.stdout);
    let rows = rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.map(|row| row["line"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_the_guard_recorded_is_found() {
    let home = tempfile::tempdir().unwrap();
    record(&home, &["echo one", "echo \"two 'x'\"", "true", "echo three"]);
    let output = run(&home, &[SERVICE, "index"]);
    let told = text(&output.stdout);
    assert!(told.starts_with("4 calls, 4 new records read in "), "{told}");
    // No terminal is there to be drawn on.
    assert_eq!(text(&output.stderr), "");
    record(&home, &["echo four"]);
    assert_eq!(
        searched(&home, &["ECHO"]),
        ["echo four", "echo three", "echo \"two 'x'\"", "echo one"]
    );
    assert_eq!(searched(&home, &["echo", "--limit", "1"]), ["echo four"]);
    assert_eq!(searched(&home, &["two 'x'\""]), ["echo \"two 'x'\""]);
    assert_eq!(searched(&home, &["--", "-rf"]), [""; 0]);
    assert_eq!(searched(&home, &["--session", "none"]), [""; 0]);
    assert_eq!(searched(&home, &["--limit", "2"]), ["echo four", "echo three"]);
    let output = run(&home, &[SERVICE, "index", "--rebuild"]);
    let told = text(&output.stdout);
    assert!(told.starts_with("5 calls, 5 new records read in "), "{told}");
    assert!(told.trim_end().ends_with("made anew (as was asked for)"), "{told}");
}

#[test]
fn what_is_recorded_is_followed_until_it_is_ended() {
    let home = tempfile::tempdir().unwrap();
    let mut following = command(&home, &[SERVICE, "index", "--follow"]).spawn().unwrap();
    let mut told = BufReader::new(following.stdout.take().unwrap()).lines();
    let mut next = || told.next().unwrap().unwrap();
    assert!(next().starts_with("0 calls"));
    record(&home, &["echo one"]);
    assert!(next().starts_with("1 calls, 1 new"));
    // Another one reads what the first one writes.
    record(&home, &["echo two"]);
    assert!(next().starts_with("2 calls"));
    assert_eq!(searched(&home, &["echo t"]), ["echo two"]);
    following.kill().unwrap();
    following.wait().unwrap();
}

#[test]
fn a_record_that_does_not_verify_is_told() {
    let home = tempfile::tempdir().unwrap();
    record(&home, &["echo one", "echo two"]);
    let records = home.path().join(".local/state/guarded-sh/records");
    let days = std::fs::read_dir(records).unwrap().map(|entry| entry.unwrap().path());
    let day = days.into_iter().find(|path| path.extension().is_some()).unwrap();
    let text_before = std::fs::read_to_string(&day).unwrap();
    std::fs::write(&day, text_before.replace("echo one", "echo eno")).unwrap();
    let output = run(&home, &[SERVICE, "index"]);
    assert_eq!(output.status.code(), Some(1));
    let told = text(&output.stderr);
    assert!(told.contains(", line 1: the line was altered"), "{told}");
    assert_eq!(searched(&home, &["echo"]), ["echo two"]);
}
