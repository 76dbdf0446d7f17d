//! Transcripts and sessions over HTTP: each call with its decision, what has none, damage, files, and text that would like to be markup.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::web::{Answer, Request, Seat, encoded, get, until};
use super::world::{World, guard, runs_in, within};

/// What nobody may take for markup.
pub const HOSTILE: &str = "<b id=x>&amp;<script>alert(1)</script><img src=http://x/y.png>\u{202e}";

/// A transcript of Claude Code's, as it is written.
pub struct Transcript {
    path: PathBuf,
    session: String,
}

impl Transcript {
    pub fn of(session: &str) -> Self {
        let directory = Path::new("/srv/home/.claude/projects/-srv-home-app");
        std::fs::create_dir_all(directory).unwrap();
        let path = directory.join(format!("{session}.jsonl"));
        Self { path, session: session.to_owned() }
    }

    pub fn put(&self, bytes: &[u8]) {
        let mut options = std::fs::OpenOptions::new();
        let mut file = options.create(true).append(true).open(&self.path).unwrap();
        file.write_all(bytes).unwrap();
    }

    fn line(&self, kind: &str, message: &Value) {
        let time = Timestamp::now().to_string();
        let line = json!({ "type": kind, "timestamp": time, "sessionId": self.session, "cwd": "/srv/home/app", "message": message });
        self.put(format!("{line}\n").as_bytes());
    }

    pub fn asks(&self, text: &str) {
        self.line("user", &json!({ "role": "user", "content": text }));
    }

    pub fn says(&self, text: &str) {
        self.line("assistant", &json!({ "id": text, "content": [{ "type": "text", "text": text }], "usage": { "input_tokens": 1000, "output_tokens": 234 } }));
    }

    pub fn calls(&self, id: &str, tool: &str, input: &Value) {
        self.line("assistant", &json!({ "id": id, "content": [{ "type": "tool_use", "id": id, "name": tool, "input": input }] }));
    }

    pub fn gets(&self, id: &str, text: &str) {
        self.line("user", &json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": text }] }));
    }

    /// The call of a shell, as the hook is asked about it, and what came of it.
    pub fn runs_with_hook(&self, id: &str, line: &str) {
        self.runs_below(id, line, None);
    }

    /// The same, below a host of this name, where there is one.
    pub fn runs_below(&self, id: &str, line: &str, host: Option<&str>) {
        self.calls(id, "Bash", &json!({ "command": line }));
        let event = json!({ "session_id": self.session, "transcript_path": self.path, "cwd": "/srv/home/app", "hook_event_name": "PreToolUse",
            "permission_mode": "default", "tool_name": "Bash", "tool_input": { "command": line }, "tool_use_id": id });
        let mut command = Command::new(guard());
        command.args(["hook", "claude"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.envs(host.map(|host| ("GUARDED_SH_SESSION", host)));
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        self.gets(id, "done");
    }

    /// The same, where only the shell is told.
    pub fn runs(&self, id: &str, line: &str) {
        self.calls(id, "Bash", &json!({ "command": line }));
        self.gets(id, &runs_in(&self.session, line));
    }

    pub fn address(&self) -> String {
        format!("/transcript?agent=claude&session={}", self.session)
    }
}

/// Returns how much memory the page's program held at most, in kB.
fn most_memory() -> u64 {
    let page = std::fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let command = std::fs::read(entry.path().join("cmdline")).ok()?;
        let words: Vec<&[u8]> = command.split(|byte| *byte == 0).collect();
        let is_page =
            words.first()?.ends_with(b"guarded-shd") && words.get(1) == Some(&&b"page"[..]);
        is_page.then(|| std::fs::read_to_string(entry.path().join("status")).ok())?
    });
    let status = page.expect("the page runs");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn decisions_stand_beside_calls_and_what_has_none_is_an_alarm() {
    within("transcripts::decisions_stand_beside_calls_and_what_has_none_is_an_alarm", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        let transcript = Transcript::of("conv-1");
        transcript.asks("please do it");
        transcript.runs_with_hook("t1", "echo by-id");
        transcript.runs("t2", "echo by-content");
        transcript.runs("t3", "echo twice");
        transcript.runs("t4", "echo twice");
        transcript.says("I did it.");
        let matched =
            ["matched by id", "matched by content)", "matched by content, several have it"];
        let covered =
            "Each of the 4 calls that run commands or change files has a decision of ours.";
        let body =
            until(&world, &seat, &transcript.address(), &[&matched[..], &[covered]].concat());
        assert_eq!(body.matches("several have it").count(), 2);
        assert!(
            body.contains("Tokens: 1,000 in, 234 out") && !body.contains("No decision of ours"),
            "{body}"
        );
        // Past the guard, or made up.
        transcript.calls("t5", "Write", &json!({ "file_path": "/srv/home/app/x", "content": "y" }));
        transcript.gets("t5", "written");
        let alarm = [
            "1 of 5 calls that run commands or change files has no decision of ours.",
            "evidence, and never authority",
            "/srv/home/app/x</code>",
            "No decision of ours",
        ];
        until(&world, &seat, &transcript.address(), &alarm);
        let session = until(&world, &seat, "/session?id=claude:conv-1", &alarm[..3]);
        for said in
            ["please do it", "I did it.", "echo by-content", "Files written or changed", "Decided"]
        {
            assert!(session.contains(said), "{said}: {session}");
        }
        until(&world, &seat, "/overview", &["Calls without a decision of ours", "1 of 5"]);
        until(
            &world,
            &seat,
            "/transcripts",
            &["please do it", "/transcript?agent=claude&amp;session=conv-1"],
        );
        // From a call to its place in the transcript, and back.
        let number = body.split("/call/").nth(1).unwrap().split('"').next().unwrap();
        let call =
            until(&world, &seat, &format!("/call/{number}"), &["session=conv-1&amp;call=t1"]);
        let there = call.split("href=\"/transcript?").nth(1).unwrap().split('"').next().unwrap();
        let there = format!("/transcript?{}", there.replace("&amp;", "&"));
        let body = until(&world, &seat, &there, &["echo by-id", &format!("/call/{number}")]);
        assert!(!body.contains("please do it"), "it begins there: {body}");
        exported(&world, &seat);
        // What a host names otherwise is found by its calls.
        let below = Transcript::of("conv-0");
        below.asks("below a host");
        below.runs_below("h1", "echo below", Some("host-1"));
        until(
            &world,
            &seat,
            "/session?id=host-1",
            &["below a host", "session=conv-0", "matched by id"],
        );
        hostile(&world, &seat);
    });
}

fn exported(world: &World, seat: &Seat) {
    let answer = get(world, seat, "/session/export?id=claude:conv-1&as=jsonl");
    assert!(
        answer.head.contains("attachment; filename=\"session-claude-conv-1.jsonl\""),
        "{}",
        answer.head
    );
    let body = unchunked(&answer);
    let lines: Vec<Value> = body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds[..4], ["session", "transcript", "person", "call"], "{kinds:?}");
    assert_eq!(
        (&lines[1]["without_decision"], &lines[1]["input_tokens"]),
        (&json!(1), &json!(1000))
    );
    let by =
        |number: usize| lines.iter().filter(|line| line["kind"] == "call").nth(number).unwrap();
    assert_eq!(
        (&by(0)["decision"]["matched_by"], &by(0)["decision"]["action"]),
        (&json!("id"), &json!("allow"))
    );
    assert_eq!(
        (&by(1)["decision"]["matched_by"], &by(4)["decision"]),
        (&json!("content"), &Value::Null)
    );
    let answer = get(world, seat, "/session/export?id=claude:conv-1&as=markdown");
    let body = unchunked(&answer);
    assert!(body.contains("## person") && body.contains("```text\nplease do it\n```"), "{body}");
}

/// Returns the body of what was sent in pieces.
fn unchunked(answer: &Answer) -> String {
    assert!(answer.head.contains("transfer-encoding: chunked"), "{}", answer.head);
    let (mut rest, mut body) = (answer.body.as_bytes(), Vec::new());
    while let Some(at) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..at]).unwrap(), 16).unwrap();
        body.extend_from_slice(&rest[at + 2..at + 2 + size]);
        rest = &rest[(at + 2 + size + 2).min(rest.len())..];
    }
    String::from_utf8(body).unwrap()
}

/// What would like to be markup is text, in each place where a page puts it.
fn hostile(world: &World, seat: &Seat) {
    let transcript = Transcript::of("conv-2");
    transcript.put(b"<b id=x> no JSON\n");
    transcript.asks(HOSTILE);
    transcript.says(HOSTILE);
    transcript.line("assistant", &json!({ "id": "th", "content": [{ "type": "thinking", "thinking": HOSTILE }, { "type": HOSTILE }] }));
    transcript.line("system", &json!(null));
    transcript.calls(HOSTILE, HOSTILE, &json!({ HOSTILE: HOSTILE }));
    transcript.gets(HOSTILE, HOSTILE);
    transcript.calls(
        "e1",
        "Edit",
        &json!({ "file_path": HOSTILE, "old_string": HOSTILE, "new_string": HOSTILE }),
    );
    transcript.gets("e1", HOSTILE);
    transcript.calls("b1", "Bash", &json!({ "command": format!("echo '{HOSTILE}'") }));
    transcript.gets("b1", HOSTILE);
    transcript.put(format!("{}\n", json!({ "type": "user", "cwd": HOSTILE, "sessionId": HOSTILE, "message": { "content": HOSTILE } })).as_bytes());
    let never = Transcript::of("conv-3");
    for time in [Timestamp::MIN, Timestamp::MAX] {
        let message = json!({ "content": [{ "type": "tool_use", "id": "n1", "name": "Bash", "input": { "command": "echo at-no-time" } }] });
        let line = json!({ "type": "assistant", "timestamp": time.to_string(), "sessionId": "conv-3", "message": message });
        never.put(format!("{line}\n").as_bytes());
    }
    for path in [never.address(), "/session?id=claude:conv-3".to_owned()] {
        until(world, seat, &path, &["echo at-no-time"]);
    }
    let named = Transcript::of(&HOSTILE.replace('/', "-"));
    named.asks("x");
    let encoded = encoded(&named.session);
    for path in [
        "/transcripts".to_owned(),
        transcript.address(),
        format!("{}&from=0", transcript.address()),
        "/transcript/since?agent=claude&session=conv-2&from=0".to_owned(),
        "/session?id=claude:conv-2".to_owned(),
        "/overview".to_owned(),
        format!("/transcript?agent=claude&session={encoded}"),
        format!("/session?id=claude:{encoded}"),
        "/transcript?agent=%3Cb+id%3Dx%3E&session=%3Cb+id%3Dx%3E".to_owned(),
        format!(
            "{}&call=%3Cb+id%3Dx%3E&before=%3Cb+id%3Dx%3E&until=%3Cb+id%3Dx%3E",
            transcript.address()
        ),
    ] {
        let body = get(world, seat, &path).body;
        for markup in ["<b id=x", "<script>", "<img", "\u{202e}"] {
            assert!(!body.contains(markup), "{path} has {markup}: {body}");
        }
    }
    let shown = until(
        world,
        seat,
        &transcript.address(),
        &["&lt;b id=x&gt;&amp;amp;&lt;script&gt;", "\\u{202e}"],
    );
    assert!(!shown.contains("href=\"http"), "{shown}");
    let answer = get(world, seat, "/session/export?id=claude:conv-2&as=markdown");
    let body = unchunked(&answer);
    let outside = body.split("```").step_by(2).collect::<String>();
    assert!(!outside.contains("<b id=x"), "{body}");
}

#[test]
fn large_and_strange_transcripts_have_a_word_and_little_memory() {
    within("transcripts::large_and_strange_transcripts_have_a_word_and_little_memory", || {
        let mut world = World::begin();
        let seat = Seat::take(&mut world);
        let long = Transcript::of("long");
        long.asks("before");
        let picture = "A".repeat(50 << 20);
        long.line(
            "user",
            &json!({ "content": [{ "type": "image", "source": { "data": picture } }] }),
        );
        drop(picture);
        long.asks("behind");
        let body = until(
            &world,
            &seat,
            &long.address(),
            &["before", "behind", "Of a line of 52 MB, 52 MB are not shown."],
        );
        assert!(body.len() < 100_000, "{} bytes", body.len());
        let large = Transcript::of("large");
        let part =
            format!("{}\n", json!({ "type": "user", "message": { "content": "x".repeat(1_000) } }))
                .repeat(1_000);
        for _ in 0..110 {
            large.put(part.as_bytes());
        }
        large.asks("the last");
        until(&world, &seat, &large.address(), &["the last", "Earlier"]);
        // It is read to its end by and by, and nobody waits for that.
        until(&world, &seat, &large.address(), &["110,001"]);
        assert!(most_memory() < 80 << 10, "{} kB", most_memory());
        let status = Command::new("mkfifo")
            .arg("/srv/home/.claude/projects/-srv-home-app/pipe.jsonl")
            .status();
        assert!(status.unwrap().success());
        std::os::unix::fs::symlink(
            "/etc/passwd",
            "/srv/home/.claude/projects/-srv-home-app/link.jsonl",
        )
        .unwrap();
        for (session, word) in [
            ("pipe", "is a pipe"),
            ("link", "symbolic link"),
            ("none", "keeps no session"),
            ("..%2Flink", "keeps no session"),
        ] {
            let answer = get(&world, &seat, &format!("/transcript?agent=claude&session={session}"));
            assert!(
                answer.status == 404 && answer.body.contains(word),
                "{session}: {}",
                answer.body
            );
        }
        let list = until(
            &world,
            &seat,
            "/transcripts",
            &["It is a pipe, so it is not read", "is a symbolic link"],
        );
        assert!(!list.contains("root:x:"), "{list}");
        for path in [
            "/transcripts",
            "/transcript?agent=claude&session=long",
            "/transcript/since?agent=claude&session=long&from=0",
            "/session/export?id=claude:long&as=jsonl",
        ] {
            assert_eq!(Request::get(&world, path).sent(&world).status, 401, "{path}");
        }
    });
}
