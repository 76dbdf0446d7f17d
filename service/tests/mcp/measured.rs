//! What the bridge costs: its time and its rate, beside the bare shell's in the same run. By hand, on a quiet machine, with what is released:
//!
//! ```sh
//! cargo build --release --workspace
//! BINARIES=$PWD/target/release cargo test --test mcp measured -- --ignored --nocapture
//! ```

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::bridge::{Bridge, SOCKET, called, client};
use super::world::within;

/// Calls that are measured of each kind, after some that are not.
const CALLS: usize = 300;
const FIRST: usize = 20;

fn by_risk() -> (Bridge, String) {
    let bridge = Bridge::with("approval = \"by-risk\"");
    let token = client(&["app", "--mount=/srv/home/app=/srv/home/app", "--by-risk"]);
    (bridge, token)
}

/// Plays both in turns, and prints the medians, what the second costs more, and its slowest of a hundred.
fn compared(what: &str, mut bare: impl FnMut(), mut ours: impl FnMut()) {
    let (mut of_bare, mut of_ours) = (Vec::new(), Vec::new());
    for at in 0..FIRST + CALLS {
        for (play, times) in
            [(&mut bare as &mut dyn FnMut(), &mut of_bare), (&mut ours, &mut of_ours)]
        {
            let begun = Instant::now();
            play();
            if at >= FIRST {
                times.push(begun.elapsed());
            }
        }
    }
    let at = |times: &mut Vec<Duration>, of_hundred: usize| {
        times.sort_unstable();
        times[times.len() * of_hundred / 100].as_secs_f64() * 1_000.0
    };
    let (bare, ours) = (at(&mut of_bare, 50), at(&mut of_ours, 50));
    let slow = at(&mut of_ours, 99);
    println!(
        "{what}: {ours:.2} ms, bash -c true {bare:.2} ms: {:.2} ms more; 99 of 100 within {slow:.2} ms",
        ours - bare
    );
}

fn bare() {
    let mut bash = Command::new("/bin/bash");
    assert!(bash.args(["-c", "true"]).stdin(Stdio::null()).status().unwrap().success());
}

/// Sends a request on an open connection, and reads what comes to its end.
fn asked(stream: &mut UnixStream, request: &str) -> String {
    stream.write_all(request.as_bytes()).unwrap();
    let (mut text, mut piece) = (Vec::new(), [0; 8192]);
    loop {
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "it hangs up: {}", String::from_utf8_lossy(&text));
        text.extend_from_slice(&piece[..count]);
        let Some(head) = text.windows(4).position(|part| part == b"\r\n\r\n") else { continue };
        let lines = String::from_utf8_lossy(&text[..head]).to_ascii_lowercase();
        let length = lines.split("content-length: ").nth(1).unwrap();
        let length: usize = length.lines().next().unwrap().trim().parse().unwrap();
        if text.len() >= head + 4 + length {
            return String::from_utf8_lossy(&text[head + 4..]).into_owned();
        }
    }
}

#[test]
#[ignore = "measures: see above"]
fn a_command_that_is_allowed_over_mcp() {
    within("measured::a_command_that_is_allowed_over_mcp", || {
        let (bridge, _token) = by_risk();
        let body = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "execute_command", "arguments": { "command": "true", "purpose": "to measure" } },
        });
        let head = format!(
            "Host: localhost\r\nAuthorization: Bearer {}\r\nMCP-Protocol-Version: 2025-11-25\r\n",
            bridge.token
        );
        let request = Bridge::request(&head, &body.to_string());
        let request = request.replacen("Connection: close\r\n", "", 1);
        let mut stream = UnixStream::connect(SOCKET).unwrap();
        compared("execute_command true", bare, || {
            let said = asked(&mut stream, &request);
            assert!(said.contains("\"status\":0"), "{said}");
        });
    });
}

#[test]
#[ignore = "measures: see above"]
fn a_command_that_is_allowed_by_host() {
    within("measured::a_command_that_is_allowed_by_host", || {
        let (_bridge, token) = by_risk();
        compared("host -- true", bare, || {
            let mut call = called(&token, &["true"]);
            assert!(call.stdin(Stdio::null()).status().unwrap().success());
        });
    });
}

/// How many megabytes a second come out of a program's standard output.
fn rate(mut command: Command) -> f64 {
    let begun = Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let (mut piece, mut bytes) = (vec![0; 256 << 10], 0);
    loop {
        match out.read(&mut piece).unwrap() {
            0 => break,
            count => bytes += count,
        }
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(bytes, MUCH);
    f64::from(u32::try_from(bytes).unwrap()) / 1e6 / begun.elapsed().as_secs_f64()
}

const MUCH: usize = 1_000_000_000;

#[test]
#[ignore = "measures: see above"]
fn a_gigabyte_that_a_command_writes() {
    within("measured::a_gigabyte_that_a_command_writes", || {
        let (_bridge, token) = by_risk();
        let line = format!("head -c {MUCH} /dev/zero");
        for _ in 0..5 {
            let mut bare = Command::new("/bin/bash");
            bare.args(["-c", &line]);
            let bare = rate(bare);
            let ours = rate(called(&token, &["bash", "-c", &line]));
            println!(
                "host -- {line}: {ours:.0} MB/s, a plain pipe {bare:.0} MB/s: {:.0} %",
                100.0 * ours / bare
            );
        }
    });
}
