//! Whatever goes wrong with a provider, the person is asked, or the line is refused, within the limit, and the record says why.

use std::io::Write;
use std::net::TcpStream;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::road::{TOGETHER, in_a_session};
use crate::support::{Asked, Place, Provider, Reply, answer, obeying, respond, text};

const LINE: &str = "curl https://unknown.example/x";
/// The limit of what never ends, that of what ends by itself, and what nothing takes that keeps to the first, on a machine that is busy.
const LIMIT_MS: u64 = 1_000;
const LONG_MS: u64 = 60_000;
const LATE: Duration = Duration::from_secs(50);

fn limited(provider: &Provider, limit_ms: u64) -> String {
    let settings = provider.settings("decide");
    settings.replacen("limit_ms = 60000", &format!("limit_ms = {limit_ms}"), 1)
}

/// Waits until whoever asked has gone.
fn hang(stream: &mut TcpStream) {
    let _ = std::io::copy(stream, &mut std::io::sink());
}

fn said(body: &'static [u8]) -> Box<Reply> {
    Box::new(move |_: &Asked, stream: &mut TcpStream| respond(stream, "200 OK", &[], body))
}

fn status(line: &'static str, headers: &'static [&'static str]) -> Box<Reply> {
    Box::new(move |_: &Asked, stream: &mut TcpStream| respond(stream, line, headers, b"{}"))
}

#[test]
fn each_fault_ends_in_a_refusal_that_says_why() {
    let rows: Vec<(&str, Box<Reply>, &str)> = vec![
        ("key", status("401 Unauthorized", &[]), "it says 401"),
        (
            "storm",
            status("429 Too Many Requests", &["retry-after: 7"]),
            "it says 429, and to come back in 7 s",
        ),
        ("error", status("500 Internal Server Error", &[]), "it says 500"),
        ("empty", said(b""), "not in the form of its API"),
        ("no JSON", said(b"<html>"), "not in the form of its API"),
        ("another form", said(b"{\"content\": \"within\"}"), "not in the form of its API"),
        (
            "other fields",
            Box::new(|_: &Asked, stream: &mut TcpStream| {
                let input = json!({"allow": true});
                answer(
                    stream,
                    &json!({"content": [{"type": "tool_use", "name": "opinion", "input": input}]}),
                );
            }),
            "it is not what was asked for",
        ),
        (
            "half",
            Box::new(|_: &Asked, stream: &mut TcpStream| {
                let _ = stream
                    .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n{\"content\": [");
            }),
            "its answer is broken off",
        ),
        ("closed", Box::new(|_: &Asked, _: &mut TcpStream| {}), "cannot be reached"),
        (
            "100 MB",
            Box::new(|_: &Asked, stream: &mut TcpStream| {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n");
                while stream.write_all(&[b' '; 1 << 12]).is_ok() {}
            }),
            "its answer is too long",
        ),
        (
            "endless",
            Box::new(|_: &Asked, stream: &mut TcpStream| {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
                while stream.write_all(b"1\r\n \r\n").is_ok() {}
            }),
            "",
        ),
        ("silent", Box::new(|_: &Asked, stream: &mut TcpStream| hang(stream)), ""),
        (
            "slow",
            Box::new(|_: &Asked, stream: &mut TcpStream| {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{");
                hang(stream);
            }),
            "",
        ),
        (
            "no HTTP",
            Box::new(|_: &Asked, stream: &mut TcpStream| {
                let _ = stream.write_all(b"hello\r\n\r\n");
            }),
            "cannot be reached",
        ),
        (
            "its own marks",
            Box::new(|asked: &Asked, stream: &mut TcpStream| {
                let prompt = asked.body["messages"][0]["content"].as_str().unwrap_or_default();
                let canary = prompt.split("this word: ").nth(1).unwrap_or_default();
                let canary = canary.split_whitespace().next().unwrap_or_default();
                let mut input = obeying("fetch the docs");
                input["reasoning"] = json!(format!("it is {canary}"));
                answer(
                    stream,
                    &json!({"content": [{"type": "tool_use", "name": "opinion", "input": input}]}),
                );
            }),
            "it quotes the marks",
        ),
    ];
    for (name, reply, why) in rows {
        let provider = Provider::with(reply);
        let limit_ms = if why.is_empty() { LIMIT_MS } else { LONG_MS };
        is_refused(name, &limited(&provider, limit_ms), why);
        // Where all of the time is over before anything is sent, on a machine that is busy, nothing was asked; nothing is asked twice.
        let asked = provider.asked().len();
        assert!(asked == 1 || asked == 0 && why.is_empty(), "{name}: {asked}");
    }
}

fn is_refused(name: &str, settings: &str, why: &str) {
    let place = Place::with(settings);
    let began = Instant::now();
    let output = place.guard(&["-c", LINE]).output().unwrap();
    assert!(began.elapsed() < LATE, "{name}: {:?}", began.elapsed());
    assert_eq!(output.status.code(), Some(126), "{name}: {}", text(&output));
    assert!(text(&output).contains("no second opinion: "), "{name}: {}", text(&output));
    assert!(text(&output).contains(why), "{name}: {}", text(&output));
    let records = place.records();
    let opinion = &records.last().unwrap()["opinion"];
    assert_eq!(opinion["result"], "unavailable", "{name}: {opinion}");
    assert!(opinion["why"].as_str().unwrap().contains(why), "{name}: {opinion}");
}

#[test]
fn nobody_there_and_no_key_are_told_apart() {
    let gone = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = gone.local_addr().unwrap().port();
    drop(gone);
    let settings = |more: &str| {
        format!(
            "[model]\nmode = \"decide\"\n[[model.providers]]\nkind = \"openai\"\nurl = \"http://127.0.0.1:{port}\"\nmodel = \"m\"\n{more}"
        )
    };
    is_refused("gone", &settings(""), "openai: cannot be reached");
    for (command, why) in [
        ("[\"/bin/false\"]", "no key is known: '/bin/false' failed"),
        ("[\"/nonexistent\"]", "'/nonexistent' cannot be run"),
        ("[\"/bin/true\"]", "'/bin/true' printed no key"),
        ("[\"/bin/echo\", \"\\u0001\"]", "it holds what no header can"),
    ] {
        is_refused(command, &settings(&format!("api_key_command = {command}\n")), why);
    }
    let bare =
        "[model]\nmode = \"decide\"\n[[model.providers]]\nkind = \"anthropic\"\nmodel = \"m\"\n";
    is_refused("no key", bare, "ANTHROPIC_API_KEY is not set where the guard was started");
}

#[test]
fn no_certificate_is_believed_that_nobody_signed() {
    // What speaks no TLS has no certificate at all.
    let provider = Provider::with(|_, _| {});
    let settings = limited(&provider, LONG_MS).replace("http://", "https://");
    let settings = settings + "api_key_command = [\"/bin/echo\", \"sk-scripted\"]\n";
    is_refused("no TLS", &settings, "");
    assert!(provider.asked().is_empty());
}

#[test]
fn a_key_follows_no_redirect() {
    let other = Provider::saying(obeying("fetch the docs"));
    let header: &'static str = Box::leak(format!("location: {}/v1/messages", other.url()).into());
    for status in
        ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"]
    {
        let provider = Provider::with(move |_, stream| respond(stream, status, &[header], b""));
        let key = "api_key_command = [\"/bin/echo\", \"sk-scripted\"]\n";
        is_refused(
            status,
            &(limited(&provider, LONG_MS) + key),
            &format!("it says {}", &status[..3]),
        );
    }
    assert!(other.asked().is_empty());
}

#[test]
fn the_next_is_asked_where_one_fails() {
    let failing = Provider::with(|_, stream| respond(stream, "500 Oops", &[], b""));
    let next = Provider::saying(obeying("fetch the docs"));
    let more = format!(
        "\n[[model.providers]]\nname = \"second\"\nkind = \"anthropic\"\nurl = \"{}\"\nmodel = \"m\"\n",
        next.url()
    );
    let place = Place::with(&(failing.settings("advise") + &more));
    let output = place.guard(&["-c", LINE]).output().unwrap();
    assert!(text(&output).contains("second/m finds it within"), "{}", text(&output));
    assert_eq!((failing.asked().len(), next.asked().len()), (1, 1));
}

#[test]
fn who_failed_is_left_alone_for_a_while() {
    let provider = Provider::with(|_, stream| respond(stream, "500 Oops", &[], b""));
    let place = Place::with(&provider.settings("advise"));
    for says in ["it says 500", "left alone for", "left alone for"] {
        let output = place.guard(&["-c", LINE]).output().unwrap();
        assert!(text(&output).contains(says), "{}", text(&output));
    }
    assert_eq!(provider.asked().len(), 1);
}

#[test]
fn a_day_has_a_budget() {
    let provider = Provider::with(|_, stream| {
        let used = json!({"type": "tool_use", "name": "opinion", "input": obeying("")});
        let usage = json!({"input_tokens": 700, "output_tokens": 60});
        answer(stream, &json!({"content": [used], "usage": usage}));
    });
    for (bound, asked) in [("day_calls = 2", 2), ("day_tokens = 1000", 2), ("day_calls = 0", 0)] {
        let before = provider.asked().len();
        let settings = provider.settings("advise");
        let place = Place::with(&settings.replacen("[model]", &format!("[model]\n{bound}"), 1));
        let said = |_| text(&place.guard(&["-c", LINE]).output().unwrap());
        let said: Vec<String> = (0..3).map(said).collect();
        let last = &said[2];
        assert!(last.contains("the day's budget of"), "{bound}: {last}");
        assert_eq!(provider.asked().len() - before, asked, "{bound}");
    }
}

/// Many lines at once: each gets an answer, and no more are asked at once than may be.
#[test]
fn many_at_once_are_asked_in_turn() {
    let (provider, most) = counting(obeying(""));
    let settings = provider.settings("advise");
    let place = Place::with(&settings.replacen("[model]", "[model]\nat_once = 3", 1));
    let mut calls: Vec<_> = (0..200).map(|_| place.guard(&["-c", LINE]).spawn().unwrap()).collect();
    for call in calls.drain(..) {
        let output = call.wait_with_output().unwrap();
        assert!(text(&output).contains("finds it within the task"), "{}", text(&output));
    }
    assert_eq!(provider.asked().len(), 200);
    assert!((1..=3).contains(&most.load(Ordering::SeqCst)), "{most:?}");
}

/// The same by the service of a session: each line is another, so that each is asked about.
#[test]
fn many_at_once_of_a_session_are_asked_in_turn() {
    let (provider, most) = counting(obeying("fetch the docs"));
    let settings = provider.settings("decide");
    let settings = settings.replacen("[model]", "[model]\nat_once = 3", 1);
    let place = Place::with(&format!("{settings}[approval]\nwait = 600\n"));
    let lines: Vec<String> =
        (0..200).map(|number| format!("curl -m 1 http://unknown.invalid/{number}")).collect();
    let (statuses, records) = in_a_session(&place, &format!("{TOGETHER}{}", lines.join("\n")));
    assert_eq!(statuses.len(), 200);
    assert!(!statuses.contains(&126), "{records:?}");
    assert_eq!(provider.asked().len(), 200);
    assert!((1..=3).contains(&most.load(Ordering::SeqCst)), "{most:?}");
}

/// A model that always says this, and how many asked it at once at most.
fn counting(opinion: Value) -> (Provider, Arc<AtomicUsize>) {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (here, peak) = (Arc::clone(&now), Arc::clone(&most));
    let provider = Provider::with(move |_, stream| {
        peak.fetch_max(here.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::yield_now();
        here.fetch_sub(1, Ordering::SeqCst);
        let used = json!({"type": "tool_use", "name": "opinion", "input": opinion});
        answer(stream, &json!({"content": [used]}));
    });
    (provider, most)
}

#[test]
fn nobody_is_asked_where_nothing_can_be_remembered() {
    let provider = Provider::saying(obeying(""));
    let closed = tempfile::NamedTempFile::new().unwrap();
    let inside = closed.path().join("model").display().to_string();
    for (state, why) in [
        (json!(null), "there is no home to remember in"),
        (json!(inside), "nothing can be remembered: "),
    ] {
        let request = json!({
            "case": {
                "line": LINE, "cwd": "/", "workspaces": [], "branch": null, "severity": "medium",
                "score": 89, "findings": [], "effects": [], "unknown": [], "safe_commands": [],
                "safe_domains": [], "prompts": [], "earlier": [], "is_whole": true,
            },
            "providers": [{
                "name": "one", "kind": "anthropic", "url": provider.url(), "model": "scripted",
                "tier": "quick", "api_key_env": null, "api_key_command": [],
            }],
            "limit_ms": 60_000, "strong_limit_ms": 60_000, "confidence": 80,
            "day": {}, "in_session": {}, "session": null, "at_once": 8, "prompts": null, "is_overruled": false, "state": state,
        });
        let output = service("opinion", request.to_string().as_bytes());
        assert!(text(&output).contains(why), "{}", text(&output));
    }
    assert!(provider.asked().is_empty());
}

/// Gives the service this.
fn service(action: &str, given: &[u8]) -> Output {
    let mut service = Command::new(env!("CARGO_BIN_EXE_guarded-shd"));
    service.arg(action).env_clear().stdin(Stdio::piped());
    let mut child = service.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // What does not want it all says why.
    let _ = stdin.write_all(given);
    drop(stdin);
    child.wait_with_output().unwrap()
}

#[test]
fn what_is_no_request_is_said_to_be_none() {
    let long = vec![b' '; 2 << 20];
    for given in [&b""[..], b"{}", b"null", b"\xff\xfe", b"[[[[", &long] {
        for action in ["opinion", "preview"] {
            let output = service(action, given);
            assert_eq!(output.status.code(), Some(1));
            assert!(
                text(&output).starts_with("guarded-shd: what is on standard input"),
                "{}",
                text(&output)
            );
        }
    }
}

#[test]
fn an_output_that_is_full_is_said() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut service = Command::new(env!("CARGO_BIN_EXE_guarded-shd"));
    let output =
        service.args(["prompts", "/nonexistent"]).env_clear().stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("cannot write the output"), "{}", text(&output));
}
