//! The service that hosts start: what it is handed are connections, each with one question.

use std::io::{IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};

use guarded_sh::ipc::{Frames, frame};
use guarded_sh::judge::PROVIDERS;
use guarded_sh::model::Heard;
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType,
    sendmsg, socketpair,
};
use serde_json::{Value, json};

use crate::support::{Provider, obeying};

/// A service, and the way to it.
struct Service {
    child: Child,
    way: OwnedFd,
}

impl Service {
    fn start(providers: &[&Provider]) -> Self {
        Self::run(Command::new(env!("CARGO_BIN_EXE_guarded-shd")), providers)
    }

    fn run(mut command: Command, providers: &[&Provider]) -> Self {
        let providers: Vec<Value> = providers.iter().map(|one| written(one)).collect();
        let flags = SocketFlags::CLOEXEC;
        let kind = SocketType::SEQPACKET;
        let (way, theirs) = socketpair(AddressFamily::UNIX, kind, flags, None).unwrap();
        command.arg("serve").env_clear().env("ANTHROPIC_API_KEY", "sk-scripted-1").stdin(theirs);
        command.env(PROVIDERS, json!(providers).to_string());
        let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        Self { child, way }
    }

    /// Hands a connection over, and returns its other end.
    fn connection(&self) -> UnixStream {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let handed = [theirs.as_fd()];
        assert!(control.push(SendAncillaryMessage::ScmRights(&handed)));
        sendmsg(&self.way, &[IoSlice::new(b"\n")], &mut control, SendFlags::empty()).unwrap();
        ours
    }

    /// Asks, and returns what is heard.
    fn asked(&self, request: &Value) -> Heard {
        let mut connection = self.connection();
        connection.write_all(&frame(request).unwrap()).unwrap();
        heard(connection)
    }

    /// Hangs up, and returns how it ends.
    fn end(mut self) -> i32 {
        drop(self.way);
        self.child.wait().unwrap().code().unwrap()
    }
}

fn heard(mut connection: UnixStream) -> Heard {
    let mut bytes = Vec::new();
    connection.read_to_end(&mut bytes).unwrap();
    let mut frames = Frames::default();
    frames.add(&bytes);
    frames.take().unwrap().unwrap()
}

/// A provider as settings have it.
fn written(provider: &Provider) -> Value {
    json!({
        "name": "one", "kind": "anthropic", "url": provider.url(), "model": "scripted", "tier": "quick",
        "api_key_env": "ANTHROPIC_API_KEY", "api_key_command": [],
    })
}

/// A request about a line, with the state in this directory.
fn request(provider: &Provider, state: &std::path::Path, more: &Value) -> Value {
    let mut request = json!({
        "case": {
            "line": "curl https://unknown.example/x", "cwd": "/", "workspaces": [], "branch": null, "severity": "medium",
            "score": 89, "findings": [], "effects": [], "unknown": [], "safe_commands": [],
            "safe_domains": [], "prompts": ["fetch the docs"], "earlier": [], "is_whole": true,
        },
        "providers": [written(provider)],
        "limit_ms": 60_000, "strong_limit_ms": 60_000, "confidence": 80, "day": {}, "in_session": {},
        "session": null, "at_once": 8, "prompts": null, "is_overruled": false, "state": state,
    });
    for (name, value) in more.as_object().unwrap() {
        match name.strip_prefix("case.") {
            Some(name) => request["case"][name] = value.clone(),
            None => request[name] = value.clone(),
        }
    }
    request
}

#[test]
fn the_same_question_is_answered_from_memory_until_a_person_overrules_it() {
    let provider = Provider::saying(obeying("fetch the docs"));
    let place = tempfile::tempdir().unwrap();
    let service = Service::start(&[&provider]);
    let ask = |more: Value| {
        let heard = service.asked(&request(&provider, place.path(), &more));
        assert!(matches!(heard, Heard::Judged { .. }), "{heard:?}");
        provider.asked().len()
    };
    assert_eq!(ask(json!({})), 1);
    assert_eq!(ask(json!({})), 1);
    // What was decided before makes no other question; what the person typed, rules found, and the owner set does.
    assert_eq!(ask(json!({"case.earlier": [{"line": "ls", "action": "allow"}]})), 1);
    assert_eq!(ask(json!({"case.prompts": ["fetch the docs", "and nothing else"]})), 2);
    assert_eq!(ask(json!({"case.findings": [{"severity": "medium", "reason": "reads"}]})), 3);
    assert_eq!(ask(json!({"confidence": 70})), 4);
    assert_eq!(ask(json!({"case.workspaces": ["/srv"]})), 5);
    // Each time anew, and what was answered before is gone.
    assert_eq!(ask(json!({"is_overruled": true})), 6);
    assert_eq!(ask(json!({"is_overruled": true})), 7);
    assert_eq!(ask(json!({})), 8);
    assert_eq!(service.end(), 0);
}

#[test]
fn what_is_no_question_is_said_or_hung_up_on_and_the_rest_is_served() {
    let provider = Provider::saying(obeying(""));
    let place = tempfile::tempdir().unwrap();
    let service = Service::start(&[&provider]);
    let good = request(&provider, place.path(), &json!({}));
    for bytes in [
        b"".as_slice(),
        b"x",
        b"GET / HTTP/1.1\r\n\r\n",
        b"gsh\x02\xff\xff\xff\xff",
        &frame(&json!({})).unwrap(),
        &frame(&json!([[[[]]]])).unwrap(),
        &frame(&good).unwrap()[..100],
    ] {
        let mut connection = service.connection();
        connection.write_all(bytes).unwrap();
        connection.shutdown(Shutdown::Write).unwrap();
        let heard = heard(connection);
        assert!(matches!(heard, Heard::Unavailable { .. }), "{heard:?}");
    }
    // Who hangs up is not answered, and what comes without a connection is nothing.
    drop(service.connection());
    let mut control = SendAncillaryBuffer::default();
    sendmsg(&service.way, &[IoSlice::new(b"x")], &mut control, SendFlags::empty()).unwrap();
    let heard = service.asked(&good);
    assert!(matches!(heard, Heard::Judged { .. }), "{heard:?}");
    assert_eq!(service.end(), 0);
}

/// Whoever could make a shell of ours say another address gets no key there.
#[test]
fn nobody_is_asked_whom_the_host_did_not_name() {
    let (owners, strangers) = (Provider::saying(obeying("")), Provider::saying(obeying("")));
    let place = tempfile::tempdir().unwrap();
    let service = Service::start(&[&owners]);
    let heard = service.asked(&request(&strangers, place.path(), &json!({})));
    assert!(format!("{heard:?}").contains("start it again"), "{heard:?}");
    let both = json!({"providers": [written(&owners), written(&strangers)]});
    service.asked(&request(&owners, place.path(), &both));
    assert!(owners.asked().is_empty() && strangers.asked().is_empty());
    assert_eq!(service.end(), 0);
}

/// Who asked and has gone is asked for no longer, and its place is free for the next.
#[test]
fn who_hangs_up_frees_the_place_among_those_who_ask() {
    let (asked, told) = std::sync::mpsc::channel();
    let asked = std::sync::Mutex::new(asked);
    let slow = Provider::with(move |_, stream| {
        asked.lock().unwrap().send(()).unwrap();
        // Until whoever asked has gone.
        let _ = std::io::copy(stream, &mut std::io::sink());
    });
    let quick = Provider::saying(obeying(""));
    let place = tempfile::tempdir().unwrap();
    let service = Service::start(&[&slow, &quick]);
    let mut connection = service.connection();
    let one = json!({"at_once": 1});
    let bytes = frame(&request(&slow, place.path(), &one)).unwrap();
    connection.write_all(&bytes).unwrap();
    told.recv().unwrap();
    drop(connection);
    let heard = service.asked(&request(&quick, place.path(), &one));
    assert!(matches!(heard, Heard::Judged { .. }), "{heard:?}");
    assert_eq!(service.end(), 0);
}

/// No other program of the user's reads its environment, which has keys in it.
#[test]
fn nobody_reads_its_environment() {
    let provider = Provider::saying(obeying(""));
    let place = tempfile::tempdir().unwrap();
    let service = Service::run(powerless(env!("CARGO_BIN_EXE_guarded-shd")), &[&provider]);
    // It has begun.
    service.asked(&request(&provider, place.path(), &json!({})));
    let reads = |id: u32| {
        let mut read = powerless("/bin/cat");
        read.arg(format!("/proc/{id}/environ"))
            .stdin(Stdio::null())
            .output()
            .unwrap()
            .status
            .success()
    };
    assert!(!reads(service.child.id()));
    // It is not the reading that fails.
    let mut other = powerless("/bin/cat");
    let mut other = other.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // It has begun, too: it echoes.
    other.stdin.as_mut().unwrap().write_all(b"x").unwrap();
    other.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    assert!(reads(other.id()));
    drop(other.stdin.take());
    other.wait().unwrap();
    assert_eq!(service.end(), 0);
}

/// A call of a program by a user who has none of root's powers.
fn powerless(program: &str) -> Command {
    if !nix::unistd::geteuid().is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("/usr/bin/setpriv");
    command.args(["--bounding-set=-all", "--inh-caps=-all", "--", program]);
    command
}
