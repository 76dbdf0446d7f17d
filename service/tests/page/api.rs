//! Programs with tokens: what they read, what they may answer, what is described of it, and every way by which something else could use it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use guarded_sh::audit::sha256;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::{Value, json};

use super::described::{self, Described};
use super::web::{Answer, Request, Seat, encoded, said};
use super::world::{Asked, PATIENCE, World, guard, within};

const TOKENS: &str = "/srv/home/.local/state/guarded-sh/tokens/tokens.json";

/// Has the person make a token, or do something else with tokens; returns the status and what was said.
pub fn tokens(words: &[&str]) -> (i32, String) {
    let mut command = Command::new(guard());
    command.args(["page", "tokens"]).args(words).stdin(Stdio::null());
    let output = command.output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8(said).unwrap())
}

pub fn token(words: &[&str]) -> String {
    let (status, said) = tokens(&[&["add"], words].concat());
    assert_eq!(status, 0, "{said}");
    let token = said.trim().to_owned();
    assert!(token.starts_with("gsh_") && token.len() == 68, "{token}");
    token
}

/// A request of a program: it says nothing of what browsers say.
pub fn get(world: &World, target: &str, token: &str) -> Request {
    let headers = [
        ("Host", format!("127.0.0.1:{}", world.port())),
        ("Authorization", format!("Bearer {token}")),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value)).to_vec();
    Request {
        method: "GET",
        target: target.to_owned(),
        version: "HTTP/1.1",
        headers,
        body: String::new(),
    }
}

pub fn post(world: &World, target: &str, token: &str, body: &Value) -> Request {
    let request = get(world, target, token).and("Content-Type", "application/json");
    Request { method: "POST", body: body.to_string(), ..request }
}

/// Returns the JSON of an answer, which is one.
pub fn value(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{answer:?}");
    serde_json::from_str(&answer.body).unwrap()
}

pub fn read(world: &World, target: &str, token: &str) -> Value {
    value(&get(world, target, token).sent(world))
}

/// Waits until what is read is so.
pub fn until(world: &World, target: &str, token: &str, is: impl Fn(&Value) -> bool) -> Value {
    let end = std::time::Instant::now() + PATIENCE;
    loop {
        let read = read(world, target, token);
        if is(&read) {
            return read;
        }
        assert!(std::time::Instant::now() < end, "{read}");
        // Requests have a limit, so it is asked no faster than by that.
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

/// Has an agent run a line, and waits until the page tells of the question.
pub fn asked_about(world: &World, token: &str, line: &str) -> Asked {
    let asked = Asked::about(world, line);
    let sign = format!("\"id\":\"{}\"", asked.id);
    assert!(followed(world, token).any(|line| line.contains(&sign)));
    asked
}

/// Runs a line as an agent's.
fn run(line: &str) {
    let mut command = Command::new("/srv/bin/claude");
    command.args(["-c", "\"$0\" -c \"$1\"; :"]).arg(guard()).arg(line);
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.unwrap().success());
}

#[test]
fn programs_read_what_pages_show_as_it_is_described() {
    within("api::programs_read_what_pages_show_as_it_is_described", || {
        let world = World::begin();
        let reads = token(&["reads", "--read"]);
        run("echo one '\u{202e}<b>'");
        let asked = asked_about(&world, &reads, "touch /srv/home/ran; rm -r /srv/home/app");
        let medium = asked_about(&world, &reads, "curl -s https://example.org/x");
        let calls = until(&world, "/api/calls?text=ECHO%20one", &reads, |calls| {
            calls["calls"].as_array().is_some_and(|calls| calls.len() == 1)
        });
        assert_eq!(calls["calls"][0]["line"], "echo one '\u{202e}<b>'");
        let number = calls["calls"][0]["number"].to_string();
        let described = Described::read(&world, &reads);
        assert_eq!(described.0["openapi"], "3.1.0");
        for (name, schema) in described.0["components"]["schemas"].as_object().unwrap() {
            let whole = json!({ "allOf": [schema], "components": described.0["components"] });
            assert!(jsonschema::draft202012::meta::is_valid(&whole), "{name}");
        }
        let mut seen = 0;
        for (path, method, operation) in described.operations() {
            let targets = described::targets(&path, &number, &asked.id);
            for (status, response) in operation["responses"].as_object().unwrap() {
                assert_ne!(response["description"].as_str().unwrap(), "", "{path}: {status}");
            }
            for target in &targets {
                let bodies = described::bodies(&path, &event("ls"));
                for body in &bodies {
                    let request = match method.as_str() {
                        "get" => get(&world, target, &reads),
                        _ => post(&world, target, &reads, body),
                    };
                    let answer = request.sent(&world);
                    described.describes(&operation, &answer, &format!("{method} {target} {body}"));
                    seen += 1;
                    if method == "get" {
                        break;
                    }
                }
            }
        }
        assert!(seen > 60, "{seen}");
        questions(&world, &reads, [&asked, &medium]);
        let verdict =
            value(&post(&world, "/api/try", &reads, &json!({ "line": "rm -rf ~" })).sent(&world));
        assert_eq!(
            (&verdict["severity"], &verdict["commands"][0]["program"]),
            (&json!("critical"), &json!("rm"))
        );
        told_by(&world, &reads);
        measured(&world, &reads);
        asked.abandon();
        medium.abandon();
    });
}

fn questions(world: &World, reads: &str, [critical, medium]: [&Asked; 2]) {
    let all = read(world, "/api/questions", reads);
    let ids: Vec<&str> =
        all["questions"].as_array().unwrap().iter().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(ids, [&critical.id, &medium.id]);
    let one = read(world, &format!("/api/questions/{}", critical.id), reads);
    assert_eq!(one["line"], critical.line);
    assert_eq!(one["digest"], sha256(critical.line.as_bytes()));
    assert_eq!(
        (&one["severity"], &one["by_token"], &one["state"]),
        (&json!("critical"), &json!(false), &json!("waiting"))
    );
}

/// What a stream says: how the questions stand at once, and then each call.
fn told_by(world: &World, reads: &str) {
    let mut lines = followed(world, reads);
    let mut until = |sign: &str| lines.by_ref().find(|line| line.starts_with(sign)).unwrap();
    until("event: now");
    let now: Value = serde_json::from_str(&until("data: ")[6..]).unwrap();
    assert_eq!(now["questions"].as_array().unwrap().len(), 2);
    run("echo 'two\n\nevent: now'");
    until("event: call");
    let call: Value = serde_json::from_str(&until("data: ")[6..]).unwrap();
    assert_eq!(call["line"], "echo 'two\n\nevent: now'");
    Described::read(world, reads).holds(
        &json!({ "$ref": "#/components/schemas/Call" }),
        &call,
        "a call that is told",
    );
}

/// Follows events, as lines.
pub fn followed(world: &World, token: &str) -> impl Iterator<Item = String> + use<> {
    let mut stream = TcpStream::connect(("127.0.0.1", world.port())).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(&get(world, "/api/events", token).bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert_eq!(lines.next().as_deref(), Some("HTTP/1.1 200 OK"));
    lines
}

/// What Prometheus is told.
fn measured(world: &World, reads: &str) {
    let metrics = |wanted: &str| -> String {
        let answer = get(world, "/metrics", reads).sent(world);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.head.contains("content-type: text/plain; version=0.0.4"), "{}", answer.head);
        let is_sound = |line: &str| {
            let (name, value) = line.rsplit_once(' ').unwrap_or_default();
            line.starts_with("# ")
                || (name.starts_with("guarded_sh_") && value.parse::<f64>().is_ok())
        };
        let body = answer.body.lines().filter(|line| line.contains("guarded_sh_"));
        let faults: Vec<&str> = body.filter(|line| !is_sound(line)).collect();
        assert!(faults.is_empty(), "{faults:?}");
        assert!(!answer.body.contains("/srv") && !answer.body.contains("echo"), "{}", answer.body);
        let found =
            answer.body.lines().find_map(|line| line.strip_prefix(wanted)?.strip_prefix(' '));
        found.unwrap_or_else(|| panic!("{wanted}: {}", answer.body)).to_owned()
    };
    assert_eq!(metrics("guarded_sh_questions_open{state=\"waiting\"}"), "2");
    assert_eq!(metrics("guarded_sh_hosts"), "1");
    assert_eq!(
        metrics(
            "guarded_sh_decisions_total{action=\"allow\",severity=\"low\",decided_by=\"policy\"}"
        ),
        "2"
    );
    assert_eq!(metrics("guarded_sh_requests_total{kind=\"metrics\",status=\"2xx\"}"), "3");
    assert_eq!(metrics("guarded_sh_wait_seconds_count"), "0");
}

/// An event as Claude Code sends it.
fn event(line: &str) -> Value {
    json!({
        "session_id": "s", "transcript_path": "/srv/home/.claude/projects/x/s.jsonl", "cwd": "/srv/home/app",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "toolu_1",
        "permission_mode": "default", "tool_input": { "command": line, "description": "d" }
    })
}

#[test]
fn an_event_is_answered_as_its_hook_answers_and_nothing_is_kept() {
    within("api::an_event_is_answered_as_its_hook_answers_and_nothing_is_kept", || {
        let world = World::begin();
        let reads = token(&["reads", "--read"]);
        let before = read(&world, "/api/calls", &reads);
        let lines =
            ["ls", "guarded-sh approve 1", "rm -rf /srv/home", "curl -s https://example.org"];
        let analyzed = lines.map(|line| {
            value(&post(&world, "/api/analyze?agent=claude", &reads, &event(line)).sent(&world))
        });
        let wrong = post(&world, "/api/analyze?agent=nobody", &reads, &event("ls")).sent(&world);
        assert_eq!(wrong.status, 400, "{wrong:?}");
        let detected = value(&post(&world, "/api/analyze", &reads, &event("ls")).sent(&world));
        assert_eq!(detected["agent"], "claude");
        assert_eq!(read(&world, "/api/calls", &reads), before);
        assert_eq!(read(&world, "/api/questions", &reads)["questions"], json!([]));
        for (line, analyzed) in lines.iter().zip(analyzed) {
            let mut hook = Command::new("/srv/bin/claude");
            hook.args(["-c", "\"$0\" hook claude; exit $?"]).arg(guard());
            hook.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut hook = hook.spawn().unwrap();
            hook.stdin.take().unwrap().write_all(event(line).to_string().as_bytes()).unwrap();
            let output = hook.wait_with_output().unwrap();
            let said = (output.status.code(), String::from_utf8(output.stdout).unwrap());
            let status = analyzed["status"].as_i64().and_then(|status| status.try_into().ok());
            assert_eq!((status, analyzed["stdout"].as_str().unwrap().to_owned()), said, "{line}");
        }
    });
}

/// A way, and the statuses that answer it. 0: it is hung up on.
type Row = (&'static str, Vec<u8>, &'static [u16]);

fn tried(world: &World, rows: &[Row], least: usize) -> Vec<String> {
    assert!(rows.len() >= least);
    let fault = |(name, bytes, expected): &Row| {
        let answer = said(world.port(), bytes);
        let leaks = answer.status != 200 && answer.body.contains("/srv/home/ran");
        (!expected.contains(&answer.status) || leaks).then(|| format!("{name}: {answer:?}"))
    };
    rows.iter().filter_map(fault).collect()
}

#[test]
fn nothing_but_a_token_that_counts_is_heard() {
    within("api::nothing_but_a_token_that_counts_is_heard", || {
        let mut world = World::begin();
        let (reads, answers) = (token(&["reads", "--read"]), token(&["answers", "--answer"]));
        let asked = asked_about(&world, &reads, "touch /srv/home/ran; rm -r /srv/home/app");
        let medium =
            asked_about(&world, &reads, "touch /srv/home/ran; curl -s https://example.org/x");
        let gone = token(&["gone", "--answer"]);
        assert_eq!(tokens(&["revoke", "gone"]).0, 0);
        let seat = Seat::take(&mut world);
        let faults = [
            tried(&world, &strangers(&world, &reads, &gone), 12),
            tried(&world, &elsewhere(&world, &reads, &seat), 14),
            tried(&world, &forged(&world, [&reads, &answers], [&asked, &medium], &seat), 20),
            below_an_agent(&world, &answers),
        ]
        .concat();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        // Whoever guesses is told to wait, and keeps nobody else out.
        let guess = || get(&world, "/api/questions", "gsh_0").sent(&world).status;
        assert!((0..30).any(|_| guess() == 429));
        let open = read(&world, "/api/questions", &reads);
        assert!(
            open["questions"].as_array().unwrap().iter().all(|one| one["state"] == "waiting"),
            "{open}"
        );
        assert!(!Path::new("/srv/home/ran").exists());
        what_a_token_answers(&world, &answers, asked, medium);
        what_ends_with_a_token(&world, &reads);
    });
}

fn strangers(world: &World, reads: &str, gone: &str) -> Vec<Row> {
    let header = |value: Option<&str>| {
        get(world, "/api/questions", reads).with("Authorization", value).bytes()
    };
    let digest = std::fs::read_to_string(TOKENS).unwrap();
    let digest =
        serde_json::from_str::<Value>(&digest).unwrap()[0]["digest"].as_str().unwrap().to_owned();
    vec![
        ("no token", header(None), &[401]),
        ("an empty one", header(Some("Bearer ")), &[401]),
        ("no scheme", header(Some(reads)), &[401]),
        ("another scheme", header(Some(&format!("Basic {reads}"))), &[401]),
        ("a wrong one", header(Some("Bearer gsh_0")), &[401]),
        ("one that was revoked", header(Some(&format!("Bearer {gone}"))), &[401]),
        ("its digest", header(Some(&format!("Bearer {digest}"))), &[401]),
        ("with more behind it", header(Some(&format!("Bearer {reads}0"))), &[401]),
        (
            "two of them",
            get(world, "/api/questions", reads)
                .and("Authorization", &format!("Bearer {reads}"))
                .bytes(),
            &[401],
        ),
        (
            "in the address",
            get(world, &format!("/api/questions?token={reads}&access_token={reads}"), "").bytes(),
            &[401],
        ),
        (
            "in a header of its own",
            get(world, "/api/questions", "").and("X-Api-Key", reads).bytes(),
            &[401, 429],
        ),
        ("the metrics without one", get(world, "/metrics", "").bytes(), &[401, 429]),
        ("the description without one", get(world, "/api/openapi.json", "").bytes(), &[401, 429]),
        (
            "in a form",
            Request {
                body: format!("access_token={reads}"),
                ..post(world, "/api/nonce", "", &json!({}))
            }
            .bytes(),
            &[401, 429],
        ),
    ]
}

/// For another host, from another site, passed on, and for what is a browser's: with a token that was stolen.
fn elsewhere(world: &World, reads: &str, seat: &Seat) -> Vec<Row> {
    let one = || get(world, "/api/questions", reads);
    let host = |host: &str| one().with("Host", Some(host)).bytes();
    let port = world.port();
    let page = |target: &str| get(world, target, reads).with("Host", Some(world.host())).bytes();
    vec![
        ("by its name", host(world.host()), &[200]),
        ("as localhost", host(&format!("localhost:{port}")), &[421]),
        ("as [::1]", host(&format!("[::1]:{port}")), &[421]),
        ("as 0.0.0.0", host(&format!("0.0.0.0:{port}")), &[421]),
        ("as another address of loopback", host(&format!("127.0.0.2:{port}")), &[421]),
        ("without its port", host("127.0.0.1"), &[421]),
        ("by a name that leads here", host(&format!("evil.example:{port}")), &[421]),
        ("another site's", one().and("Origin", "http://evil.example").bytes(), &[403]),
        ("even this page's own", one().and("Origin", &world.origin).bytes(), &[403]),
        ("from a browser", one().and("Sec-Fetch-Site", "none").bytes(), &[401, 421]),
        (
            "from a browser, by name",
            one().with("Host", Some(world.host())).and("Sec-Fetch-Site", "same-origin").bytes(),
            &[401],
        ),
        (
            "in a cookie",
            get(world, "/api/questions", "").and("Cookie", &format!("guarded-sh={reads}")).bytes(),
            &[403],
        ),
        ("with a seat's cookie", one().of_seat(&seat.token).bytes(), &[403]),
        (
            "a seat and a token in a browser",
            Request::get(world, "/api/questions")
                .of_seat(&seat.token)
                .and("Authorization", &format!("Bearer {reads}"))
                .bytes(),
            &[401],
        ),
        ("passed on", one().and("X-Forwarded-For", "127.0.0.1").bytes(), &[403]),
        (
            "a whole address",
            Request { target: format!("http://127.0.0.1:{port}/api/questions"), ..one() }.bytes(),
            &[403],
        ),
        ("a page", page("/"), &[403]),
        ("a page's events", page("/events"), &[403]),
        (
            "a browser's answer",
            Request { method: "POST", ..get(world, "/answer", reads) }.bytes(),
            &[421],
        ),
        ("to change something", Request { method: "DELETE", ..one() }.bytes(), &[405]),
        ("beside the API", page("/api/../"), &[403, 404]),
        ("what is not there", get(world, "/api/tokens", reads).bytes(), &[404]),
    ]
}

/// Answers that are none, and bodies that are none.
fn forged(
    world: &World,
    [reads, answers]: [&str; 2],
    [critical, medium]: [&Asked; 2],
    seat: &Seat,
) -> Vec<Row> {
    let nonce = |token: &str| {
        value(&post(world, "/api/nonce", token, &json!({})).sent(world))["nonce"].clone()
    };
    let of = |asked: &Asked, nonce: Value, answer: Value| json!({ "question": asked.id, "digest": sha256(asked.line.as_bytes()), "nonce": nonce, "answer": answer });
    let sent = |token: &str, body: &Value| post(world, "/api/answers", token, body).bytes();
    let once = json!({ "answer": "once" });
    let own = |asked: &Asked, answer: Value| sent(answers, &of(asked, nonce(answers), answer));
    let with = |field: &str, value: Value| {
        let mut body = of(medium, nonce(answers), once.clone());
        body[field] = value;
        sent(answers, &body)
    };
    let other = token(&["other", "--answer"]);
    let used = nonce(answers);
    let mut digest_of_another = of(medium, used.clone(), once.clone());
    digest_of_another["digest"] = json!(sha256(b"ls"));
    let by_seat = Request {
        body: of(medium, json!("0"), once.clone()).to_string(),
        ..Request::post(world, "/api/answers", "")
    };
    let plain = post(world, "/api/answers", answers, &of(medium, nonce(answers), once.clone()));
    vec![
        (
            "a number for one that reads",
            post(world, "/api/nonce", reads, &json!({})).bytes(),
            &[403],
        ),
        ("one that reads answers", sent(reads, &of(medium, nonce(answers), once.clone())), &[403]),
        ("another's number", sent(answers, &of(medium, nonce(&other), once.clone())), &[403]),
        ("a made-up number", with("nonce", json!("0".repeat(64))), &[403]),
        ("another line's digest", sent(answers, &digest_of_another), &[409]),
        ("the number of that once more", sent(answers, &of(medium, used, once.clone())), &[403]),
        ("no digest", with("digest", json!("")), &[409]),
        ("a question that is not there", with("question", json!("aaaaa")), &[409]),
        ("yes to what is critical", own(critical, once.clone()), &[409]),
        (
            "the same for the session",
            own(critical, json!({ "answer": "session", "covers": "line" })),
            &[409],
        ),
        (
            "another line for what is critical",
            own(critical, json!({ "answer": "edit", "line": "touch /srv/home/ran" })),
            &[409],
        ),
        ("to try what is critical", own(critical, json!({ "answer": "try" })), &[409]),
        ("with the word typed", with("typed", json!("critical")), &[400]),
        ("yes for good", own(medium, json!({ "answer": "always" })), &[400]),
        ("no answer", own(medium, json!({ "answer": "yes" })), &[400]),
        ("an answer as text", own(medium, json!("once")), &[400]),
        (
            "a form",
            Request {
                body: "question=a".to_owned(),
                ..post(world, "/api/answers", answers, &json!({}))
            }
            .bytes(),
            &[400],
        ),
        (
            "JSON that says it is a form",
            plain.with("Content-Type", Some("application/x-www-form-urlencoded")).bytes(),
            &[415],
        ),
        ("a body of two megabytes", with("nonce", json!("x".repeat(2 << 20))), &[0, 413]),
        (
            "an event of two megabytes",
            post(world, "/api/analyze", reads, &event(&"x".repeat(2 << 20))).bytes(),
            &[0, 413],
        ),
        (
            "by a seat",
            by_seat.of_seat(&seat.token).with("Content-Type", Some("application/json")).bytes(),
            &[403],
        ),
        (
            "a number for a seat",
            Request::post(world, "/api/nonce", "").of_seat(&seat.token).bytes(),
            &[403],
        ),
        (
            "a seat reads",
            Request::get(world, "/api/questions").of_seat(&seat.token).bytes(),
            &[200],
        ),
        ("a browser without one", Request::get(world, "/api/questions").bytes(), &[401]),
    ]
}

/// What an agent started is refused, with a token that counts; and it makes and lists none.
fn below_an_agent(world: &World, answers: &str) -> Vec<String> {
    let mut faults = Vec::new();
    std::fs::write("/srv/request", get(world, "/api/questions", answers).bytes()).unwrap();
    for (variables, expected) in [
        (None, "200"),
        (Some(("CLAUDECODE", "1")), "403"),
        (Some(("GUARDED_SH_SESSION", "x")), "403"),
    ] {
        let _ = std::fs::remove_file("/srv/answer");
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "intruders::sends", "--nocapture"]);
        command.env("GUARDED_SHD_TEST_SENDS", world.port().to_string()).envs(variables);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        let answer = std::fs::read_to_string("/srv/answer").unwrap_or_default();
        if answer != expected {
            faults.push(format!("with {variables:?}: {answer:?}"));
        }
    }
    let kept = std::fs::read_to_string(TOKENS).unwrap();
    for (program, words) in [
        (guard().to_str().unwrap(), ["page", "tokens", "list"].as_slice()),
        (guard().to_str().unwrap(), &["page", "tokens", "add", "mine", "--answer"]),
        (env!("CARGO_BIN_EXE_guarded-shd"), &["tokens", "add", "mine", "--answer"]),
        (env!("CARGO_BIN_EXE_guarded-shd"), &["tokens", "revoke", "answers"]),
    ] {
        let mut command = Command::new(program);
        let output =
            command.args(words).env("CLAUDECODE", "1").stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() || !said.contains("only a person can see to the page's tokens") {
            faults.push(format!("{program} {words:?}: {said}"));
        }
    }
    if std::fs::read_to_string(TOKENS).unwrap() != kept {
        faults.push("an agent changed the tokens".to_owned());
    }
    faults
}

/// A token that may says no to anything, and yes to what is not critical.
fn what_a_token_answers(world: &World, answers: &str, critical: Asked, medium: Asked) {
    let answer = |asked: &Asked, answer: Value| {
        let nonce =
            value(&post(world, "/api/nonce", answers, &json!({})).sent(world))["nonce"].clone();
        let digest = sha256(asked.line.as_bytes());
        let body =
            json!({ "question": asked.id, "digest": digest, "nonce": nonce, "answer": answer });
        let request = post(world, "/api/answers", answers, &body);
        assert_eq!(value(&request.sent(world)), json!({ "taken": true }));
        request
    };
    answer(&critical, json!({ "answer": "deny", "message": "not that" }));
    let (status, said) = critical.ended();
    assert!(status == 126 && said.contains("not that"), "{status}: {said}");
    let request = answer(&medium, json!({ "answer": "edit", "line": "echo in its place" }));
    let (status, said) = medium.ended();
    assert!(status == 0 && said.contains("in its place"), "{status}: {said}");
    // What was answered once is not answered again by the same words.
    assert_eq!(request.sent(world).status, 403);
    let asked = asked_about(
        world,
        answers,
        "touch /srv/home/ran; curl -s --max-time 1 http://127.0.0.1:1/; true",
    );
    answer(&asked, json!({ "answer": "once" }));
    assert_eq!(asked.ended().0, 0);
    assert!(Path::new("/srv/home/ran").exists());
}

/// Whoever has a token that is revoked is told nothing more, at once; and what is listed says what was used.
fn what_ends_with_a_token(world: &World, reads: &str) {
    let (status, listed) = tokens(&["list"]);
    let row = listed.lines().find(|line| line.starts_with("reads ")).unwrap();
    assert!(status == 0 && row.contains(" read ") && !row.contains("never"), "{listed}");
    assert!(!listed.contains("gsh_"), "{listed}");
    let lines = followed(world, reads);
    let again = tokens(&["add", "reads", "--answer"]);
    assert!(again.0 == 1 && again.1.contains("there is a token 'reads' already"), "{again:?}");
    assert_eq!(tokens(&["revoke", "reads"]).0, 0);
    assert_eq!(tokens(&["revoke", "reads"]).0, 1);
    assert!(matches!(get(world, "/api/questions", reads).sent(world).status, 401 | 429));
    // The stream ends by itself.
    assert!(lines.count() > 0);
    let follows = token(&["follows", "--read"]);
    let all: Vec<_> = (0..32).map(|_| followed(world, &follows)).collect();
    let more = get(world, "/api/events", &follows).sent(world);
    assert!(more.status == 503 && more.body.contains("wait"), "{more:?}");
    drop(all);
    // No token counts where others could have written them.
    let other = token(&["others", "--read"]);
    let mode = |mode: u32| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(TOKENS, mode).unwrap();
    };
    assert_eq!(get(world, "/api/questions", &other).sent(world).status, 200);
    mode(0o666);
    let refused = get(world, "/api/questions", &other).sent(world);
    assert!(refused.status == 401 && refused.body.contains("is open to others"), "{refused:?}");
    mode(0o600);
}

/// A value of any kind, and texts that something may mean.
fn anything() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>().prop_map(Value::from),
        "[a-z0-9/\\-\\. ;&|$(){}'\"<>*]{0,40}".prop_map(Value::from),
        Just(json!("../../etc/passwd")),
        Just(json!("\u{0}\u{202e}\r\n\r\nHTTP/1.1 200 OK")),
    ];
    let leaf = prop_oneof![
        text,
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A body with the fields that are described, of which some are what they should be.
fn body(described: &Described, operation: &Value) -> BoxedStrategy<Value> {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    let name = schema["$ref"].as_str().and_then(|name| name.rsplit('/').next());
    let fields = name.map(|name| described.0["components"]["schemas"][name]["properties"].clone());
    let names: Vec<String> = match fields {
        Some(Value::Object(fields)) => fields.keys().cloned().collect(),
        _ => [
            "hook_event_name",
            "tool_name",
            "tool_input",
            "session_id",
            "cwd",
            "sessionId",
            "toolName",
            "toolArgs",
            "sessionID",
            "callID",
            "transcript_path",
            "timestamp",
        ]
        .map(str::to_owned)
        .to_vec(),
    };
    let known = prop_oneof![
        Just(json!("PreToolUse")),
        Just(json!("BeforeTool")),
        Just(json!("Bash")),
        Just(json!("/srv/home/app")),
        Just(json!({ "command": "rm -rf / $(x" })),
        Just(json!({ "answer": "once" })),
        Just(json!({ "answer": "edit", "line": "\u{0}" })),
    ];
    let value = prop_oneof![anything(), known];
    let made =
        prop::collection::vec(prop::option::of(value), names.len()).prop_map(move |values| {
            let fields = names.iter().cloned().zip(values);
            Value::Object(fields.filter_map(|(name, value)| Some((name, value?))).collect())
        });
    prop_oneof![4 => made, 1 => anything()].boxed()
}

#[test]
fn no_input_breaks_what_is_described() {
    within("api::no_input_breaks_what_is_described", || {
        let world = World::begin();
        run("echo one");
        let answers = token(&["answers", "--answer"]);
        let described = Described::read(&world, &answers);
        let config = || Config { cases: 24, failure_persistence: None, ..Config::default() };
        let made = std::cell::Cell::new(0);
        for (path, method, operation) in described.operations() {
            if path == "/api/events" {
                continue;
            }
            let answers = token(&[&format!("answers-{}", made.get()), "--answer"]);
            let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
            let values = prop::collection::vec(anything(), parameters.len());
            let strategy = (values, body(&described, &operation));
            let tested = TestRunner::new(config()).run(&strategy, |(values, body)| {
                let mut target = path.clone();
                let mut query = Vec::new();
                for (parameter, value) in parameters.iter().zip(values) {
                    let name = parameter["name"].as_str().unwrap();
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    if parameter["in"] == "path" {
                        target = target.replace(&format!("{{{name}}}"), &encoded(&value));
                    } else {
                        query.push(format!("{name}={}", encoded(&value)));
                    }
                }
                let target = format!("{target}?{}", query.join("&"));
                let request = match method.as_str() {
                    "get" => get(&world, &target, &answers),
                    _ => post(&world, &target, &answers, &body),
                };
                made.set(made.get() + 1);
                let answer = request.sent(&world);
                if answer.status >= 500 || [0, 429].contains(&answer.status) {
                    return Err(TestCaseError::fail(format!(
                        "{method} {target} {body}: {answer:?}"
                    )));
                }
                Ok(())
            });
            tested.unwrap();
        }
        assert!(made.get() > 200, "{made:?}");
        assert_eq!(read(&world, "/api/questions", &answers)["questions"], json!([]));
    });
}
