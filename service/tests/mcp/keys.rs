//! Keys of calls: whatever ends the bridge, and whenever, each call runs once, or its client is told that how far it came is not known.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::bridge::{Bridge, SOCKET, signal, until};
use super::world::within;

/// What a client hears of its call in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Heard {
    /// What it wrote.
    Output,
    /// That it ran before, and how it ended.
    Ran,
    /// That it was let run, and ended with the bridge.
    WithBridge,
}

/// Asks once. None: there was no answer, or none that is one; it is asked again.
fn asked(token: &str, at: usize) -> Option<Heard> {
    let command = format!("echo {at} >> ran; echo {at}");
    let arguments = json!({ "command": command, "purpose": "a test", "key": format!("k{at}") });
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "execute_command", "arguments": arguments },
    });
    let head = format!(
        "Host: localhost\r\nAuthorization: Bearer {token}\r\nMCP-Protocol-Version: 2025-11-25\r\n"
    );
    let mut stream = UnixStream::connect(SOCKET).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(Bridge::request(&head, &body.to_string()).as_bytes()).ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    let (_, body) = text.split_once("\r\n\r\n")?;
    let read: Value = serde_json::from_str(body.trim()).ok()?;
    let said = &read["result"]["structuredContent"];
    if said["state"] == "ended" {
        assert_eq!(said["stdout"], format!("{at}\n"), "{said}");
        return Some(Heard::Output);
    }
    let why = read["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    if why.contains("it ran, and ended with status 0") {
        return Some(Heard::Ran);
    }
    if why.contains("ended with the bridge") {
        return Some(Heard::WithBridge);
    }
    assert!(!why.contains("whether it ran is not known"), "{why}");
    // Too much at once, or the guard was ended before anybody let it run: it is asked again.
    None
}

/// Has clients ask for so many calls, ends the service so often meanwhile, and counts what ran.
fn once(calls: usize, kills: usize, seed: u64) {
    let bridge = Bridge::with("approval = \"by-risk\"");
    let token = bridge.token.clone();
    let (next, answered, over) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let heard: Mutex<HashMap<usize, Heard>> = Mutex::default();
    let mut random = seed;
    let begun = Instant::now();
    let _bridge = std::thread::scope(|scope| {
        let mut bridge = bridge;
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= calls {
                        return;
                    }
                    let end = Instant::now() + Duration::from_secs(120);
                    let answer = loop {
                        assert!(Instant::now() < end, "{at} is lost");
                        assert!(!over.load(Ordering::Relaxed), "the test has failed");
                        if let Some(answer) = asked(&token, at) {
                            break answer;
                        }
                        // The service starts again meanwhile.
                        std::thread::sleep(Duration::from_millis(5));
                    };
                    heard.lock().unwrap().insert(at, answer);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for kill in 1..=kills {
            // Between two answers, at any time of what the next ones do: by a seed, so that a failure comes again.
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = calls * kill / (kills + 1);
            until("nothing is answered", || answered.load(Ordering::Relaxed) >= at);
            let pause = Duration::from_micros(random >> 33 & 0xffff);
            let moment = Instant::now() + pause;
            while Instant::now() < moment {
                std::hint::spin_loop();
            }
            if kill % 2 == 0 {
                signal(bridge.process(), "KILL");
            }
            bridge = bridge.again();
        }
        until_all(&answered, calls, &over);
        bridge
    });
    let text = std::fs::read_to_string("/srv/home/app/ran").unwrap();
    let mut ran: HashMap<usize, usize> = HashMap::new();
    for line in text.lines() {
        *ran.entry(line.parse().unwrap()).or_default() += 1;
    }
    let heard = heard.into_inner().unwrap();
    let count = |which| heard.values().filter(|one| **one == which).count();
    let twice: Vec<_> = ran.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let lost: Vec<_> = heard
        .iter()
        .filter(|(at, heard)| **heard != Heard::WithBridge && !ran.contains_key(at))
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
    println!(
        "{calls} calls, {kills} kills, {:?}: {} answered with their output, {} that they ran and how they ended, {} that they ended with the bridge, of which {} had run",
        begun.elapsed(),
        count(Heard::Output),
        count(Heard::Ran),
        count(Heard::WithBridge),
        heard.iter().filter(|(at, one)| **one == Heard::WithBridge && ran.contains_key(at)).count(),
    );
}

fn until_all(answered: &AtomicUsize, calls: usize, over: &AtomicBool) {
    let end = Instant::now() + Duration::from_secs(1_800);
    while answered.load(Ordering::Relaxed) < calls {
        if Instant::now() > end {
            over.store(true, Ordering::Relaxed);
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn no_call_runs_twice_or_is_lost_when_the_service_is_killed() {
    within("keys::no_call_runs_twice_or_is_lost_when_the_service_is_killed", || once(300, 5, 7));
}

#[test]
#[ignore = "10,000 calls"]
fn of_ten_thousand_calls_none_runs_twice_or_is_lost() {
    within("keys::of_ten_thousand_calls_none_runs_twice_or_is_lost", || once(10_000, 60, 11));
}
