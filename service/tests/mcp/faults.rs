//! What goes wrong around the bridge: clients that leave, a service that starts again, more than fits.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::bridge::{Bridge, MOUNT, SOCKET, called, client, person};
use super::world::{guard, within};

/// Sends a call, and returns the connection.
fn begun(token: &str, command: &str) -> UnixStream {
    let arguments = json!({ "command": command, "purpose": "a test" });
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "execute_command", "arguments": arguments },
    });
    let head = format!(
        "Host: localhost\r\nAuthorization: Bearer {token}\r\nMCP-Protocol-Version: 2025-11-25\r\n"
    );
    let mut stream = UnixStream::connect(SOCKET).unwrap();
    stream.write_all(Bridge::request(&head, &body.to_string()).as_bytes()).unwrap();
    stream
}

#[test]
fn an_answer_after_the_client_left_runs_nothing() {
    within("faults::an_answer_after_the_client_left_runs_nothing", || {
        let bridge = Bridge::with("");
        let stream = begun(&bridge.token, "touch ran");
        let id = bridge.asked();
        drop(stream);
        // The question goes with its client.
        while person(&["pending"]).contains(&id) {
            std::thread::yield_now();
        }
        assert!(person(&["approve", &id]).contains("no open question"));
        assert!(!Path::new("/srv/home/app/ran").exists());
    });
}

#[test]
fn a_client_that_leaves_ends_what_it_began() {
    within("faults::a_client_that_leaves_ends_what_it_began", || {
        let bridge = Bridge::with("approval = \"by-risk\"");
        let stream = begun(
            &bridge.token,
            "trap 'echo ended > ended; exit' TERM; echo > begun; while :; do :; done",
        );
        while !Path::new("/srv/home/app/begun").exists() {
            std::thread::yield_now();
        }
        drop(stream);
        while std::fs::read_to_string("/srv/home/app/ended").unwrap_or_default() != "ended\n" {
            std::thread::yield_now();
        }
    });
}

#[test]
fn much_output_is_bounded_and_counted() {
    within("faults::much_output_is_bounded_and_counted", || {
        let bridge = Bridge::with("approval = \"by-risk\"");
        let said = bridge.runs("head -c 100000000 /dev/zero; echo end");
        assert_eq!(
            (&said["stdout_bytes"], &said["truncated"]),
            (&json!(100_000_004), &json!(true))
        );
        let out = said["stdout"].as_str().unwrap();
        assert!(out.len() <= 64 << 10 && out.ends_with("end\n"));
        let arguments = json!({ "handle": said["handle"], "stream": "stdout", "offset": 0 });
        let part =
            Bridge::tool(&bridge.token, "read_output", &arguments)["structuredContent"].clone();
        assert!(part["offset"].as_u64().unwrap() > 0, "what is gone is said to be gone");
    });
}

#[test]
fn many_are_asked_for_at_once_and_each_is_answered_once() {
    within("faults::many_are_asked_for_at_once_and_each_is_answered_once", || {
        let bridge = Bridge::with("approval = \"by-risk\"");
        let answers: Vec<Value> = std::thread::scope(|scope| {
            let bridge = &bridge;
            let begin = |at: usize| {
                scope.spawn(move || {
                    bridge.runs_with(
                        &format!("echo {at} >> all; echo {at}"),
                        &json!({ "key": format!("k{at}") }),
                    )
                })
            };
            let all: Vec<_> = (0..200).map(begin).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        for (at, said) in answers.iter().enumerate() {
            assert_eq!(said["stdout"], json!(format!("{at}\n")), "{said}");
        }
        let all = std::fs::read_to_string("/srv/home/app/all").unwrap();
        let mut lines: Vec<usize> = all.lines().map(|line| line.parse().unwrap()).collect();
        lines.sort_unstable();
        assert_eq!(lines, (0..200).collect::<Vec<_>>());
    });
}

#[test]
fn a_key_is_known_when_the_service_starts_again() {
    within("faults::a_key_is_known_when_the_service_starts_again", || {
        let bridge = Bridge::with("approval = \"by-risk\"");
        let key = json!({ "key": "k" });
        assert_eq!(bridge.runs_with("echo ran >> ran", &key)["state"], "ended");
        let again = bridge.again();
        let said = again.runs_with("echo ran >> ran", &key);
        assert!(said["reason"].as_str().unwrap().contains("nothing runs twice"), "{said}");
        assert_eq!(std::fs::read_to_string("/srv/home/app/ran").unwrap(), "ran\n");
    });
}

#[test]
fn what_runs_for_a_client_ends_when_it_is_revoked() {
    within("faults::what_runs_for_a_client_ends_when_it_is_revoked", || {
        let _bridge = Bridge::with("approval = \"by-risk\"");
        let mapped = client(&["mine", MOUNT]);
        let app = client(&["app", "--mount=/srv/home/app=/srv/home/app"]);
        let line = |name: &str| {
            format!(
                "trap 'echo ended > {name}; exit' TERM; echo > {name}-begun; while :; do :; done"
            )
        };
        let _stream = begun(&mapped, &line("one"));
        let mut child =
            called(&app, &["bash", "-c", &line("two")]).stdin(Stdio::null()).spawn().unwrap();
        for name in ["one", "two"] {
            while !Path::new(&format!("/srv/home/app/{name}-begun")).exists() {
                std::thread::yield_now();
            }
        }
        for name in ["mine", "app"] {
            let mut command = Command::new(guard());
            assert!(command.args(["mcp", "clients", "revoke", name]).status().unwrap().success());
        }
        for name in ["one", "two"] {
            let path = format!("/srv/home/app/{name}");
            while std::fs::read_to_string(&path).unwrap_or_default() != "ended\n" {
                std::thread::yield_now();
            }
        }
        child.wait().unwrap();
    });
}

#[test]
fn what_is_no_message_is_answered_in_the_protocols_own_words() {
    within("faults::what_is_no_message_is_answered_in_the_protocols_own_words", || {
        let bridge = Bridge::with("approval = \"by-risk\"");
        let head = format!(
            "Host: localhost\r\nAuthorization: Bearer {}\r\nMCP-Protocol-Version: 2025-11-25\r\n",
            bridge.token
        );
        for (body, code, id) in [
            ("{", -32700, Value::Null),
            ("\u{0}", -32700, Value::Null),
            ("[]", -32600, Value::Null),
            ("{}", -32600, Value::Null),
            (r#"{"jsonrpc": "1.0", "id": 7, "method": "ping"}"#, -32600, json!(7)),
        ] {
            let answer = Bridge::raw(&Bridge::request(&head, body));
            let read: Value = serde_json::from_str(&answer.body).expect(body);
            assert_eq!((answer.status, &read["error"]["code"]), (400, &json!(code)), "{body}");
            assert_eq!(read["id"], id, "{body}");
        }
        let form = Bridge::request(&head, "a=b").replacen("application/json", "text/plain", 1);
        let answer = Bridge::raw(&form);
        let read: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!((answer.status, &read["error"]["code"]), (415, &json!(-32600)));
    });
}

#[test]
fn a_message_that_does_not_end_is_not_waited_for() {
    within("faults::a_message_that_does_not_end_is_not_waited_for", || {
        let bridge = Bridge::with("approval = \"by-risk\"");
        let head = format!("Host: localhost\r\nAuthorization: Bearer {}\r\n", bridge.token);
        let whole = Bridge::request(&head, &"x".repeat(100));
        let answer = Bridge::raw(whole.strip_suffix('x').unwrap());
        assert_eq!(answer.status, 408, "{answer:?}");
        assert!(answer.head.to_ascii_lowercase().contains("connection: close"), "{answer:?}");
    });
}

#[test]
fn a_client_of_the_older_protocol_cancels_by_a_message() {
    within("faults::a_client_of_the_older_protocol_cancels_by_a_message", || {
        let bridge = Bridge::with("");
        let other = client(&["other", MOUNT]);
        let mut stream = begun(&bridge.token, "touch ran");
        let id = bridge.asked();
        let cancels = |token: &str| {
            let params = json!({ "requestId": 1, "reason": "no more" });
            let method = "notifications/cancelled";
            let told = json!({ "jsonrpc": "2.0", "method": method, "params": params });
            assert_eq!(Bridge::sent(token, &told).status, 202);
        };
        // Ids are a client's own.
        cancels(&other);
        assert!(person(&["pending"]).contains(&id));
        cancels(&bridge.token);
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.contains("\"state\":\"refused\""), "{answer}");
        assert!(!person(&["pending"]).contains(&id));
        assert!(!Path::new("/srv/home/app/ran").exists());
    });
}
