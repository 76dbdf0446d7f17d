//! How the page bears up: many records, many decisions, many who follow. It takes minutes and a machine that does nothing else, so it is asked for by name:
//! `cargo test -p guarded-shd --release --test page -- --ignored --nocapture load`, with `RECORDS=` for another number than a million.
//!
//! The records are kept in `target/tmp` from one time to the next.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

use guarded_sh::audit::{Durability, Record, Store};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::LocalSet;

use super::api;
use super::web::{Request, Seat};
use super::world::{World, within};

#[path = "../../src/index/tests/made.rs"]
mod made;

pub const STATE: &str = "/srv/home/.local/state/guarded-sh";
/// Pages that are open while decisions are measured, how many are made a second, and for how long.
const OPEN: usize = 20;
pub const A_SECOND: u32 = 50;
pub const SECONDS: u32 = 10;
/// Who follows at once.
const MANY: usize = 1_000;
/// What is recorded while they do.
const TOLD: usize = 100;

#[test]
#[ignore = "takes minutes, and a machine that does nothing else"]
fn load() {
    within("load::load", || {
        let limit = getrlimit(Resource::Nofile);
        setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }).unwrap();
        let records =
            std::env::var("RECORDS").ok().and_then(|count| count.parse().ok()).unwrap_or(1_000_000);
        let store = prepared(records);
        let began = Instant::now();
        let mut world = World::begin();
        let token = api::token(&["load", "--read"]);
        loop {
            let index: Value =
                serde_json::from_str(&api::get(&world, "/api/index", &token).sent(&world).body)
                    .unwrap();
            if index["state"] == "ready" {
                println!(
                    "{} records, ready after {:.1} s",
                    index["records"],
                    began.elapsed().as_secs_f64()
                );
                assert_eq!(index["damage"], Value::Null);
                break;
            }
            assert_eq!(index["state"], "reading", "{index}");
            std::thread::sleep(Duration::from_millis(200));
        }
        let seat = Seat::take(&mut world);
        let (memory, own) = resident();
        println!("resident: {memory} MiB, {own} of them its own");
        let longest = |target: &str| {
            let mut took: Vec<u128> = (0..20).map(|_| asked(&world, &seat, target)).collect();
            took.sort_unstable();
            println!("{target}: {} ms as a rule, {} ms at most", took[10], took[19]);
            took[19]
        };
        let pages = ["/", "/live", "/sessions", "/overview?days=28", "/history"].map(longest);
        let searches = [
            "/history?text=git+push",
            "/history?text=zzzzzz",
            "/history?text=zz",
            "/history?severity=critical",
        ]
        .map(longest);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let late = LocalSet::new().block_on(&runtime, decided(&world, &seat, &store));
        LocalSet::new().block_on(&runtime, followed(&world, &seat, &store));
        let (after, own) = resident();
        println!("resident with {MANY} who followed: {after} MiB, {own} of them its own");
        assert!(pages.iter().all(|took| *took < 150), "pages: {pages:?} ms");
        assert!(searches.iter().all(|took| *took < 200), "searches: {searches:?} ms");
        assert!(late < Duration::from_millis(100), "told after {late:?}");
        assert!(memory < 80, "{memory} MiB");
        let damage = store.verify().unwrap();
        assert!(damage.problems.is_empty(), "{damage:?}");
    });
}

/// Makes the records, where they are not there from before, and puts them where the user's are.
fn prepared(count: u64) -> Store {
    let kept = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("load-{count}"));
    let records = kept.join("records");
    if !records.join("head").exists() {
        std::fs::create_dir_all(&records).unwrap();
        for directory in [&kept, &records] {
            std::fs::set_permissions(
                directory,
                std::os::unix::fs::PermissionsExt::from_mode(0o700),
            )
            .unwrap();
        }
        made::write(&records, count);
    }
    // Tokens are of one time.
    let _ = std::fs::remove_dir_all(kept.join("tokens"));
    std::fs::create_dir_all(STATE).unwrap();
    let mounted = Command::new("mount").arg("--bind").arg(&kept).arg(STATE).status().unwrap();
    assert!(mounted.success());
    Store::new(Path::new(STATE), Durability::System)
}

/// How long a page takes, in milliseconds.
fn asked(world: &World, seat: &Seat, target: &str) -> u128 {
    let began = Instant::now();
    let answer = Request::get(world, target).of_seat(&seat.token).sent(world);
    assert_eq!(answer.status, 200, "{target}: {}", answer.head);
    began.elapsed().as_millis()
}

/// What the service has in memory, in MiB: all of it, and without what it has of files.
fn resident() -> (u64, u64) {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let of_pages = processes.filter_map(|process| {
        let words = std::fs::read(process.path().join("cmdline")).ok()?;
        let mut words = words.split(|byte| *byte == 0);
        let is_page = words.next()?.ends_with(b"guarded-shd") && words.next()? == b"page";
        std::fs::read_to_string(process.path().join("status")).ok().filter(|_| is_page)
    });
    let status = of_pages.max_by_key(String::len).unwrap();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim();
        line.split(' ').next().unwrap().parse::<u64>().unwrap() / 1024
    };
    (of("VmRSS:"), of("RssAnon:"))
}

pub fn record(line: &str) -> Record {
    serde_json::from_value(json!({
        "time": jiff::Timestamp::now().to_string(), "session": "load", "caller": "claude", "pid": 7, "cwd": "/srv/home/app",
        "line": line, "action": "allow", "severity": "low", "score": 100, "decided_by": "policy", "mode": "enforce", "micros": 5,
    }))
    .unwrap()
}

/// What became of asking for events.
enum Followed {
    /// They are told.
    Told(BufReader<TcpStream>),
    /// It is to wait.
    Waits,
}

/// Follows events without looking at them, until what is returned is dropped.
pub fn reads(world: &World, seat: &Seat) -> std::net::TcpStream {
    use std::io::{Read as _, Write as _};
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", world.port())).unwrap();
    let request = Request::get(world, "/events").of_seat(&seat.token);
    stream.write_all(&request.bytes()).unwrap();
    let mut reader = stream.try_clone().unwrap();
    std::thread::spawn(move || {
        let mut bytes = vec![0; 1 << 16];
        while reader.read(&mut bytes).is_ok_and(|read| read > 0) {}
    });
    stream
}

/// Asks for events; whoever is hung up on tries again, as browsers do.
async fn follows(world: &World, seat: &Seat) -> Followed {
    let request = Request::get(world, "/events").of_seat(&seat.token).bytes();
    loop {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", world.port())).await else {
            continue;
        };
        if stream.write_all(&request).await.is_err() {
            continue;
        }
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        if reader.read_line(&mut line).await.is_err() {
            continue;
        }
        match line.split(' ').nth(1) {
            Some("200") => return Followed::Told(reader),
            Some("503") => return Followed::Waits,
            None => tokio::time::sleep(Duration::from_millis(200)).await,
            Some(_) => {
                let mut rest = String::new();
                let _ = reader.read_to_string(&mut rest).await;
                panic!("{line}{rest}");
            }
        }
    }
}

/// Returns after what time nearly all of what is decided stands in each page that is open.
async fn decided(world: &World, seat: &Seat, store: &Store) -> Duration {
    let count = usize::try_from(A_SECOND * SECONDS).unwrap();
    let sent: Rc<RefCell<Vec<Instant>>> = Rc::default();
    let took: Rc<RefCell<Vec<Duration>>> = Rc::default();
    let mut readers = Vec::new();
    for _ in 0..OPEN {
        let Followed::Told(mut reader) = follows(world, seat).await else {
            panic!("it is to wait")
        };
        let (sent, took) = (Rc::clone(&sent), Rc::clone(&took));
        readers.push(tokio::task::spawn_local(async move {
            let (mut line, mut seen) = (String::new(), 0);
            while seen < count {
                line.clear();
                assert!(reader.read_line(&mut line).await.unwrap() > 0);
                let Some((_, number)) = line.split_once("decided-") else { continue };
                let number: usize = number
                    .chars()
                    .take_while(char::is_ascii_digit)
                    .collect::<String>()
                    .parse()
                    .unwrap();
                took.borrow_mut().push(sent.borrow()[number].elapsed());
                seen += 1;
            }
        }));
    }
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / A_SECOND);
    for number in 0..count {
        ticks.tick().await;
        sent.borrow_mut().push(Instant::now());
        store.append(&record(&format!("echo decided-{number}-"))).unwrap();
    }
    for reader in readers {
        reader.await.unwrap();
    }
    let mut took = took.take();
    took.sort_unstable();
    assert_eq!(took.len(), OPEN * count);
    let late = took[took.len() * 99 / 100];
    println!(
        "{OPEN} pages, {A_SECOND} decisions a second: told after {:?} as a rule, {late:?} of 99 in 100, {:?} at most",
        took[took.len() / 2],
        took[took.len() - 1]
    );
    late
}

/// Holds that many at once are served or told to wait, and that whoever is served is told of all.
async fn followed(world: &World, seat: &Seat, store: &Store) {
    let began = Instant::now();
    let asked = futures_util::future::join_all((0..MANY).map(|_| follows(world, seat))).await;
    let mut told: Vec<_> = asked
        .into_iter()
        .filter_map(|followed| match followed {
            Followed::Told(reader) => Some(reader),
            Followed::Waits => None,
        })
        .collect();
    println!(
        "{} of {MANY} follow after {:.1} s, the others are to wait",
        told.len(),
        began.elapsed().as_secs_f64()
    );
    for number in 0..TOLD {
        store.append(&record(&format!("echo told-{number}-"))).unwrap();
    }
    let began = Instant::now();
    let last = format!("told-{}-", TOLD - 1);
    let heard =
        futures_util::future::join_all(told.iter_mut().map(|reader| heard(reader, &last))).await;
    println!("all are told after {:.1} s", began.elapsed().as_secs_f64());
    assert!(heard.iter().all(|heard| *heard == TOLD), "{heard:?}");
}

/// Counts what is told until the last comes.
async fn heard(reader: &mut BufReader<TcpStream>, last: &str) -> usize {
    let (mut line, mut heard) = (String::new(), 0);
    loop {
        line.clear();
        assert!(reader.read_line(&mut line).await.unwrap() > 0);
        heard += usize::from(line.contains("echo told-"));
        if line.contains(last) {
            return heard;
        }
    }
}
