//! A million records that are made up. It takes a while, so it is asked for by name:
//! `cargo test -p guarded-shd --release --bin guarded-shd -- --ignored --nocapture a_million`, with `RECORDS=` for another number.

use std::path::Path;
use std::time::Instant;

use guarded_sh::model::{Action, Severity};
use jiff::Timestamp;

use super::super::{Index, Wanted};
use super::made;
use super::support::{State, updated};

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
    made::write(state.store.directory(), count);
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
