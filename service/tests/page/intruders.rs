//! Whatever is not the person's own browser, with a key that was paired: it neither looks nor answers. While one question is open each way is tried, and
//! afterwards the question still is.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use super::web::{self, Request, Seat, Signed, said, said_to};
use super::world::{Asked, PATIENCE, World, guard, within};

/// Names what another process of this test program is to send.
const SENDS: &str = "GUARDED_SHD_TEST_SENDS";

/// Names the port that another process of this test program is to keep busy, with so many connections.
const HOLDS: &str = "GUARDED_SHD_TEST_HOLDS";
const SILENT: usize = 400;

/// A way, and the status that answers it. 0: it is hung up on.
type Row<'r> = (&'r str, Vec<u8>, &'r [u16]);

/// A process: how it is started, with which variables, and the status that answers it.
type Started<'r> = (&'r str, Vec<&'r str>, &'r [(&'r str, &'r str)], &'r str);

/// What another process sends, in place of the test.
#[test]
fn sends() {
    let Ok(port) = std::env::var(SENDS) else { return };
    let bytes = std::fs::read("/srv/request").unwrap();
    let answer = said(port.parse().unwrap(), &bytes);
    std::fs::write("/srv/answer", answer.status.to_string()).unwrap();
}

/// What another process holds: connections on which it says nothing.
#[test]
fn holds() {
    let Ok(port) = std::env::var(HOLDS) else { return };
    let place = ("127.0.0.1", port.parse::<u16>().unwrap());
    let held: Vec<_> = (0..SILENT).map(|_| TcpStream::connect(place)).collect();
    println!("\nheld");
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
    drop(held);
}

/// Holds that an agent that connects and says nothing keeps nobody from the page.
fn silent_ones_are_no_hindrance(world: &World, seat: &Seat) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "intruders::holds", "--nocapture"]);
    command.env(HOLDS, world.port().to_string()).env("CLAUDECODE", "1");
    let mut agent =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(agent.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|line| line == "held"));
    let looks = || Request::get(world, "/").of_seat(&seat.token).sent(world).status;
    // Until it is known whose they are, there are no places; a browser tries again, too.
    assert!((0..1_000).any(|_| looks() == 200));
    drop(agent.stdin.take());
    agent.wait().unwrap();
}

#[test]
fn nobody_else_looks_or_answers() {
    within("intruders::nobody_else_looks_or_answers", || {
        let mut world = World::begin();
        let asked = Asked::about(&world, "touch /srv/home/ran; rm -r /srv/home/app");
        let seat = Seat::take(&mut world);
        let forged = answers(&mut world, &seat, &asked);
        let faults = [
            tried(&world, &strangers(&world)),
            tried(&world, &places(&world, &seat)),
            tried(&world, &sites(&world, &seat)),
            tried(&world, &forged),
            processes(&world, &seat),
        ]
        .concat();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        let queue = Request::get(&world, "/").of_seat(&seat.token).sent(&world);
        assert!(queue.body.contains(&format!("data-id=\"{}\"", asked.id)), "it is open no more");
        assert!(!std::path::Path::new("/srv/home/ran").exists());
        silent_ones_are_no_hindrance(&world, &seat);
        // All the same the person answers.
        let yes = seat.answers(&world, &asked, r#"{"answer":"deny","message":"not that"}"#);
        let request = yes.request(&world, &seat.token, &seat.signature(&yes));
        assert_eq!(request.sent(&world).status, 200);
        let (status, said) = asked.ended();
        assert!(status == 126 && said.contains("not that"), "{status}: {said}");
        // What was answered once is not answered again by the same words.
        assert_eq!(request.sent(&world).status, 403);
        what_ends_with_a_seat(&world, &seat);
    });
}

/// Sends each, and returns those that were answered otherwise.
fn tried(world: &World, rows: &[Row<'_>]) -> Vec<String> {
    let fault = |(name, bytes, expected): &Row<'_>| {
        let answer = said(world.port(), bytes);
        let leaks = answer.status != 200 && answer.body.contains("/srv/home/ran");
        let is_right = expected.contains(&answer.status) && !leaks;
        (!is_right).then(|| format!("{name}: {answer:?}"))
    };
    assert!(rows.len() > 3);
    rows.iter().filter_map(fault).collect()
}

/// Without a seat.
fn strangers(world: &World) -> Vec<Row<'static>> {
    let get = |path: &str| Request::get(world, path);
    let post = |path: &str, body: &str| Request::post(world, path, body);
    let cookie = |cookie: &str| get("/").with("Cookie", Some(cookie)).bytes();
    let zeros = "0".repeat(64);
    vec![
        ("the queue", get("/").bytes(), &[401]),
        ("the newest calls", get("/live").bytes(), &[401]),
        ("the history", get("/history?text=a").bytes(), &[401]),
        ("a call", get("/call/0").bytes(), &[401]),
        ("a line to judge", get("/try?line=ls").bytes(), &[401]),
        ("the events", get("/events").bytes(), &[401]),
        ("a number to sign", post("/nonce", "").bytes(), &[401]),
        ("an answer", post("/answer", "question=a").bytes(), &[401]),
        ("to leave", post("/leave", "").bytes(), &[401]),
        ("a made-up seat", cookie(&format!("guarded-sh={zeros}")), &[401]),
        ("an empty seat", cookie("guarded-sh="), &[401]),
        ("a cookie of another name", cookie("guarded-shd=x; xguarded-sh=y"), &[401]),
        ("a made-up code", post("/enter", &format!("code={zeros}")).bytes(), &[403]),
        ("an empty code", post("/enter", "code=").bytes(), &[403]),
        ("no code at all", post("/enter", "key=04").bytes(), &[422]),
        ("a code in the address", get(&format!("/enter?code={zeros}")).bytes(), &[200]),
    ]
}

/// For another host, by another protocol, or passed on: with a seat that was stolen.
fn places(world: &World, seat: &Seat) -> Vec<Row<'static>> {
    let get = |path: &str| Request::get(world, path).of_seat(&seat.token);
    let host = |host: &str| get("/").with("Host", Some(host)).bytes();
    let header = |name: &str, value: &str| get("/").and(name, value).bytes();
    let (name, port) = world.host().split_once(':').unwrap();
    let target = |target: String| Request { target, ..get("/") }.bytes();
    let method = |method: &'static str| Request { method, ..get("/") }.bytes();
    vec![
        ("by address", host(&format!("127.0.0.1:{port}")), &[421]),
        ("as 0.0.0.0", host(&format!("0.0.0.0:{port}")), &[421]),
        ("as [::1]", host(&format!("[::1]:{port}")), &[421]),
        ("as localhost", host(&format!("localhost:{port}")), &[421]),
        ("without its port", host(name), &[421]),
        ("with another port", host(&format!("{name}:1")), &[421]),
        ("with a trailing dot", host(&format!("{name}.:{port}")), &[421]),
        ("below its name", host(&format!("a.{name}:{port}")), &[421]),
        ("by a name that leads here", host(&format!("evil.example:{port}")), &[421]),
        ("in capitals", host(&world.host().to_uppercase()), &[421]),
        ("two hosts", header("Host", world.host()), &[400, 421]),
        ("no host", get("/").with("Host", None).bytes(), &[400, 421]),
        ("a whole address", target(format!("{}/", world.origin)), &[403]),
        ("a whole address of another", target("http://evil.example/".to_owned()), &[403]),
        ("HTTP/1.0", Request { version: "HTTP/1.0", ..get("/") }.bytes(), &[403]),
        ("a forwarded host", header("X-Forwarded-Host", world.host()), &[403]),
        ("a forwarded client", header("X-Forwarded-For", "127.0.0.1"), &[403]),
        ("forwarded", header("Forwarded", "for=127.0.0.1"), &[403]),
        ("by a proxy", header("Via", "1.1 proxy"), &[403]),
        ("PUT", method("PUT"), &[405]),
        ("DELETE", method("DELETE"), &[405]),
        ("HEAD", method("HEAD"), &[405]),
        ("OPTIONS", method("OPTIONS"), &[405]),
        ("TRACE", method("TRACE"), &[405]),
        ("a way out of the files", get("/assets/../../etc/passwd").bytes(), &[404]),
        ("no HTTP", b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03".to_vec(), &[0, 400]),
        ("half a request", b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n".to_vec(), &[400, 421]),
    ]
}

/// From another site, in the person's own browser.
fn sites(world: &World, seat: &Seat) -> Vec<Row<'static>> {
    let get = |path: &str| Request::get(world, path).of_seat(&seat.token);
    let post = |path: &str| Request::post(world, path, "").of_seat(&seat.token);
    let site = |request: Request, site: Option<&str>| request.with("Sec-Fetch-Site", site).bytes();
    let origin = |origin: Option<&str>| post("/nonce").with("Origin", origin).bytes();
    let (name, port) = world.host().split_once(':').unwrap();
    vec![
        ("another site's picture", site(get("/"), Some("cross-site")), &[403]),
        ("another port of this name", site(get("/"), Some("same-site")), &[403]),
        ("another site's events", site(get("/events"), Some("cross-site")), &[403]),
        ("another site's script", site(get("/assets/page.js"), Some("cross-site")), &[403]),
        ("who does not say", site(get("/"), None), &[403]),
        ("another site's form", site(post("/nonce"), Some("cross-site")), &[403]),
        ("another port's form", site(post("/leave"), Some("same-site")), &[403]),
        ("a form out of nowhere", site(post("/nonce"), Some("none")), &[403]),
        ("a form that does not say", site(post("/nonce"), None), &[403]),
        ("a form without an origin", origin(None), &[403]),
        ("a form of no origin", origin(Some("null")), &[403]),
        ("another origin's form", origin(Some("http://evil.example")), &[403]),
        ("another port's origin", origin(Some(&format!("http://{name}:1"))), &[403]),
        ("the address as origin", origin(Some(&format!("http://127.0.0.1:{port}"))), &[403]),
        ("the same by TLS", origin(Some(&format!("https://{}", world.host()))), &[403]),
        ("two origins", post("/nonce").and("Origin", &world.origin).bytes(), &[403]),
        ("an origin that looks", get("/").and("Origin", "http://evil.example").bytes(), &[403]),
    ]
}

const ONCE: &str = r#"{"answer":"once"}"#;

/// With a cookie, and without the key; or with the key, and for something else.
fn answers(world: &mut World, seat: &Seat, asked: &Asked) -> Vec<Row<'static>> {
    let other = Seat::take(world);
    let world = &*world;
    let once = || seat.answers(world, asked, ONCE);
    let sent =
        |signed: &Signed, signature: &str| signed.request(world, &seat.token, signature).bytes();
    // Signed as it stands, by the right key.
    let own = |signed: Signed| sent(&signed, &seat.signature(&signed));
    let says = |answer: &str| own(Signed { answer: answer.to_owned(), ..once() });
    let strange = web::key();
    let (by_other, unsigned, changed) = (once(), once(), once());
    let others_nonce = Signed { nonce: other.nonce(world), ..once() };
    let elsewhere = Signed { origin: "http://evil.example".to_owned(), ..once() };
    let signature = seat.signature(&changed);
    let edit = r#"{"answer":"edit","line":"touch /srv/home/ran"}"#;
    vec![
        ("without a signature", sent(&unsigned, ""), &[403]),
        ("a signature that is none", sent(&unsigned, "zz"), &[400]),
        ("signed by another key", sent(&by_other, &web::signature(&strange, &by_other)), &[403]),
        ("signed by another seat", sent(&by_other, &other.signature(&by_other)), &[403]),
        ("another seat's number", own(others_nonce), &[403]),
        ("a made-up number", own(Signed { nonce: "0".repeat(64), ..once() }), &[403]),
        ("signed for another origin", own(elsewhere), &[403]),
        (
            "signed for a denial",
            sent(&Signed { answer: edit.to_owned(), ..changed.clone() }, &signature),
            &[403],
        ),
        (
            "another line's digest",
            own(Signed { digest: guarded_sh::audit::sha256(b"ls"), ..once() }),
            &[409],
        ),
        (
            "a question that is not open",
            own(Signed { question: "aaaaa".to_owned(), ..once() }),
            &[409],
        ),
        ("critical, and nothing typed", says(ONCE), &[409]),
        ("critical, for the session", says(r#"{"answer":"session","covers":"line"}"#), &[409]),
        ("critical, for good", says(r#"{"answer":"always"}"#), &[409]),
        ("no answer", says("yes"), &[400]),
        ("an empty answer", says(""), &[400]),
        ("an answer with more to it", says(r#"{"answer":"nothing"}"#), &[400]),
        ("an answer of a megabyte", says(&"x".repeat(2 << 20)), &[0, 413]),
    ]
}

/// A process that is not the person's, with a seat that was stolen.
fn processes(world: &World, seat: &Seat) -> Vec<String> {
    let request = Request::get(world, "/").of_seat(&seat.token);
    std::fs::write("/srv/request", request.bytes()).unwrap();
    let own = std::env::current_exe().unwrap();
    let own = own.to_str().unwrap();
    let sends = ["--exact", "intruders::sends", "--nocapture"];
    let locks = "prlimit --locks=18446744073709551614:18446744073709551614 --".split(' ');
    let rows: [Started<'_>; 6] = [
        ("the person's own program", vec![own], &[], "200"),
        ("below Claude", vec![own], &[("CLAUDECODE", "1")], "403"),
        ("below a session", vec![own], &[("GUARDED_SH_SESSION", "x")], "403"),
        ("what a session's agent left behind", locks.chain([own]).collect(), &[], "403"),
        (
            "by the name of an agent",
            vec![
                "/bin/bash",
                "-c",
                r#"exec -a claude /bin/bash -c '"$@"; :' claude "$@""#,
                "bash",
                own,
            ],
            &[],
            "403",
        ),
        (
            "in processes of its own",
            vec!["unshare", "--pid", "--fork", "--mount-proc", own],
            &[],
            "200",
        ),
    ];
    let mut faults = Vec::new();
    for (name, words, variables, expected) in rows {
        let _ = std::fs::remove_file("/srv/answer");
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).args(sends).env(SENDS, world.port().to_string());
        command.envs(variables.iter().copied()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().unwrap();
        let answer = std::fs::read_to_string("/srv/answer").unwrap_or_default();
        if answer != expected {
            faults.push(format!("{name}: {answer:?}, expected {expected}"));
        }
    }
    let six = said_to(("::1", world.port()), &request.bytes());
    if six.status != 200 {
        faults.push(format!("by the other loopback: {six:?}"));
    }
    // An agent opens no page of its own.
    for program in [guard().to_str().unwrap(), env!("CARGO_BIN_EXE_guarded-shd")] {
        let mut command = Command::new(program);
        command.args(["page", "--no-open"]).env("CLAUDECODE", "1").stdin(Stdio::null());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.success() || !said.contains("only a person can open the page") {
            faults.push(format!("{program} page: {said}"));
        }
    }
    faults
}

/// Whoever leaves is told nothing more, and answers nothing.
fn what_ends_with_a_seat(world: &World, seat: &Seat) {
    let mut stream = TcpStream::connect(("127.0.0.1", world.port())).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let events = Request::get(world, "/events").of_seat(&seat.token).bytes();
    stream.write_all(&events).unwrap();
    let mut first = [0; 64];
    stream.read_exact(&mut first).unwrap();
    assert!(first.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&first));
    let left = Request::post(world, "/leave", "").of_seat(&seat.token).sent(world);
    assert_eq!(left.status, 303);
    // The stream ends by itself.
    stream.read_to_end(&mut Vec::new()).unwrap();
    assert_eq!(Request::get(world, "/").of_seat(&seat.token).sent(world).status, 401);
    let nonce = Request::post(world, "/nonce", "").of_seat(&seat.token).sent(world);
    assert_eq!(nonce.status, 401);
}
