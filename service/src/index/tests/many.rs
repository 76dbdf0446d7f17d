//! A million records that are made up. It takes a while, so it is asked for by name:
//! `cargo test -p guarded-shd --release --bin guarded-shd -- --ignored --nocapture a_million`, with `RECORDS=` for another number.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

use guarded_sh::audit::{BEGINNING, sha256};
use guarded_sh::model::{Action, Severity};
use jiff::{SignedDuration, Timestamp};

use super::super::{Index, Wanted};
use super::support::{State, updated};

const WORDS: [&str; 24] = [
    "git push origin main",
    "npm test",
    "cargo build --release",
    "src/lib.rs",
    "docs/read.md",
    "rm -rf target",
    "grep -rn pattern",
    "python3 -m pytest",
    "tests/unit/test_api.py",
    "sed -i s/a/b/",
    "cat notes.txt",
    "curl https://api.example.com/v1/items",
    "ls -la",
    "kubectl get pods",
    "docker compose up",
    "make check",
    "&&",
    "|",
    "2>&1",
    "head -50",
    "cd /home/u/app",
    "--no-verify",
    "echo done",
    "for f in *.rs; do",
];
const RULES: [&str; 4] =
    ["git.push", "effect.fetch", "effect.delete-tree", "filesystem.delete.outside"];

/// Numbers as they come from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        // Knuth's multiplier (MMIX); the upper bits are the good ones.
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn one<'w>(&mut self, of: &[&'w str]) -> &'w str {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }
}

/// Writes records, chained as the guard chains them: a day's file each 20,000, and every fourth says what came of the one before.
fn write(state: &State, count: u64) {
    let directory = state.store.directory();
    std::fs::create_dir_all(directory).unwrap();
    let (mut numbers, mut previous) = (Numbers(7), BEGINNING.to_owned());
    let begun: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    let mut file = None;
    for sequence in 0..count {
        let time = begun + SignedDuration::from_millis(i64::try_from(sequence).unwrap() * 4_320);
        if sequence % 20_000 == 0 {
            file = Some(BufWriter::new(
                File::create(directory.join(format!("{}.jsonl", time.strftime("%Y-%m-%d"))))
                    .unwrap(),
            ));
        }
        let mut text = fields(&mut numbers, sequence, time);
        write!(text, ",\"previous\":\"{previous}\"").unwrap();
        previous = sha256(text.as_bytes());
        writeln!(file.as_mut().unwrap(), "{text},\"hash\":\"{previous}\"}}").unwrap();
    }
    file.unwrap().flush().unwrap();
    std::fs::write(
        directory.join("head"),
        format!("{count:020} {previous:64} {:16} {:020}\n", "2026-01-01.jsonl", 0),
    )
    .unwrap();
}

fn fields(numbers: &mut Numbers, sequence: u64, time: Timestamp) -> String {
    if sequence % 4 == 3 {
        let first = sequence - 1;
        return format!(
            "{{\"sequence\":{sequence},\"ref\":{first},\"time\":\"{time:.6}\",\"door\":\"hook\",\"pid\":9,\"action\":\"allow\",\"decided_by\":\"observed\",\
             \"micros\":0,\"hook\":{{\"event\":\"PostToolUse\",\"tool\":\"Bash\",\"outcome\":\"done\"}}"
        );
    }
    let words: Vec<&str> = (0..=numbers.below(7)).map(|_| numbers.one(&WORDS)).collect();
    let (line, id) = (words.join(" "), numbers.below(1 << 31));
    let (action, by, severity, score) = match numbers.below(50) {
        0 => ("deny", "person-deny", "high", 40),
        1 => ("deny", "nobody", "critical", 10),
        2..5 => ("allow", "person-once", "medium", 80),
        _ => ("allow", "policy", "low", 100),
    };
    let rule = numbers.one(&RULES);
    let (session, project) = (sequence / 300, numbers.below(40));
    format!(
        "{{\"sequence\":{sequence},\"time\":\"{time:.6}\",\"session\":\"session-{session}\",\"caller\":\"claude\",\"pid\":4711,\"host\":\"machine\",\
         \"user\":\"u\",\"version\":\"0.1.0\",\"policy\":\"sha256:{:064}\",\"cwd\":\"/home/u/project-{project}\",\"line\":\"{line} {id:x}\",\
         \"action\":\"{action}\",\"severity\":\"{severity}\",\"score\":{score},\"findings\":[{{\"rule\":\"{rule}\",\"severity\":\"{severity}\",\
         \"reason\":\"because of what it does\"}}],\"decided_by\":\"{by}\",\"mode\":\"enforce\",\"micros\":512",
        0
    )
}

/// The most memory that this process had at once, in MiB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().split(' ').next().unwrap().parse::<u64>().unwrap() / 1024
}

fn size(path: &Path) -> u64 {
    path.metadata().unwrap().len() >> 20
}

fn asked(index: &Index, what: &str, wanted: Wanted) -> u128 {
    let began = Instant::now();
    let rows = index.calls(&Wanted { limit: 50, ..wanted }).unwrap().len();
    let took = began.elapsed().as_millis();
    println!("  {what}: {rows} rows in {took} ms");
    took
}

fn measured(count: u64) -> u128 {
    let state = State::new();
    write(&state, count);
    let mut index = state.index();
    let (before, began) = (memory(), Instant::now());
    let mut filling = None;
    let done = index
        .update(&mut |progress| {
            if progress == super::super::Progress::Filling {
                filling = Some(began.elapsed());
            }
        })
        .unwrap();
    let (took, read) = (began.elapsed(), filling.unwrap());
    assert_eq!((done.records, index.damage().unwrap()), (count, None));
    println!(
        "{count} records, {} calls: {:.1} s ({:.1} s read, then texts), {} records/s; {} MiB; memory {before} to {} MiB",
        done.calls,
        took.as_secs_f64(),
        read.as_secs_f64(),
        u128::from(count) * 1000 / took.as_millis().max(1),
        size(&state.file()),
        memory(),
    );
    let text = |text: &str| Wanted { text: Some(text.to_owned()), ..Wanted::default() };
    let mut longest = 0;
    for (what, wanted) in [
        ("newest", Wanted::default()),
        ("a common text", text("git push")),
        (
            "one line",
            text(
                &index.calls(&Wanted { limit: 1, before: Some(100), ..Wanted::default() }).unwrap()
                    [0]
                .line,
            ),
        ),
        ("a text of which only the parts are there", text("git tests/unit/test_api.rs")),
        ("none", text("zzzzzz")),
        ("two characters", text("zz")),
        ("a session", Wanted { session: Some("session-1".to_owned()), ..Wanted::default() }),
        ("no agent", Wanted { agent: Some("none".to_owned()), ..Wanted::default() }),
        ("critical", Wanted { severity: Some(Severity::Critical), ..Wanted::default() }),
        (
            "contained, of which there is none",
            Wanted { action: Some(Action::Contain), ..Wanted::default() },
        ),
        (
            "a text in a session",
            Wanted { session: Some("session-1".to_owned()), ..text("git push") },
        ),
        ("since the end", Wanted { since: Some(Timestamp::MAX), ..Wanted::default() }),
    ] {
        longest = longest.max(asked(&index, what, wanted));
    }
    let began = Instant::now();
    let (sessions, summary) = (index.sessions(50).unwrap(), index.summary(Timestamp::MIN).unwrap());
    println!(
        "  {} sessions, {} hours: {} ms",
        sessions.len(),
        summary.hours.len(),
        began.elapsed().as_millis()
    );
    state.append(&super::support::record(
        "one more",
        &serde_json::json!({ "time": "2026-12-30T00:00:00Z" }),
    ));
    let began = Instant::now();
    assert_eq!(updated(&mut index).records, 1);
    println!("  one more: {} ms", began.elapsed().as_millis());
    longest
}

#[test]
fn some_thousand_records_are_indexed_and_found() {
    measured(5_000);
}

#[test]
#[ignore = "takes a minute or more"]
fn a_million_records_are_found_at_once() {
    let count = std::env::var("RECORDS").ok().and_then(|count| count.parse().ok());
    let longest = measured(count.unwrap_or(1_000_000));
    assert!(longest < 200, "{longest} ms");
}
