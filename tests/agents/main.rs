//! The real agents, from their npm packages, with guarded-sh installed into them: each row of `rows/` is played by each of its clients in
//! namespaces of its own, against a model that says what the row says. Is a program of its own, since it calls itself in there.
#![allow(missing_docs, reason = "test names are sentences")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail where it stands")]

mod client;
mod judge;
mod model;
mod page;
mod person;
mod play;
mod rows;
#[path = "../all/session.rs"]
mod session;
#[allow(dead_code, reason = "the other tests need the rest")]
#[path = "../all/sheets.rs"]
mod sheets;
mod stage;
#[allow(dead_code, reason = "the other tests need the rest")]
#[path = "../all/tmux.rs"]
mod tmux;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use client::Client;
use rows::Row;
use session::Session;

/// Set to `required`, what cannot be played has failed; else it is skipped, and that is said.
const REQUIRED: &str = "GUARDED_SH_AGENTS";

/// How many rows are played at once. Three quarters of the time of one is a client that waits for itself.
const AT_ONCE: usize = 3;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [first, client, row] = words.as_slice()
        && first == stage::INSIDE
    {
        return play::inside(client, row);
    }
    let (clients, rows) = (&client::all(), rows::all());
    let filter = words.iter().find(|word| !word.starts_with('-'));
    for name in rows.iter().flat_map(|row| &row.clients) {
        assert!(clients.iter().any(|client| client.name == *name), "no client {name}");
    }
    let mut chosen: Vec<(&Client, &Row)> = rows
        .iter()
        .flat_map(|row| clients.iter().map(move |client| (client, row)))
        .filter(|(client, row)| row.is_for(client))
        .filter(|(client, row)| filter.is_none_or(|part| title(client, row).contains(part)))
        .collect();
    chosen.sort_by_key(|(_, row)| !row.long);
    if words.iter().any(|word| word == "--list") {
        for (client, row) in chosen {
            println!("{}: test", title(client, row));
        }
        return ExitCode::SUCCESS;
    }
    let table = play_all(&chosen);
    let sessions = || chosen.iter().filter_map(|(_, row)| row.session.as_ref());
    let needless: usize = sessions().map(Session::needless).sum();
    let steps: usize = sessions().map(|session| session.step.len()).sum();
    if steps > 0 {
        println!("\nneedless questions: {needless} of {steps} steps");
    }
    println!("\n{}", table.result());
    ExitCode::from(u8::from(table.failed > 0))
}

fn title(client: &Client, row: &Row) -> String {
    format!("{} {}", client.title(), row.scene)
}

#[derive(Default)]
struct Table {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Table {
    /// Takes what came of a row, and prints it.
    fn enter(&mut self, client: &Client, row: &Row, fault: Option<String>, took: Duration) {
        let word = if fault.is_none() { "ok" } else { "FAILED" };
        *(if fault.is_none() { &mut self.passed } else { &mut self.failed }) += 1;
        let seconds = took.as_secs_f64();
        println!("{:<17} {:<60} {word:<6} {seconds:5.1} s", client.title(), row.scene);
        if let Some(fault) = fault {
            println!("{fault}");
        }
    }

    fn result(&self) -> String {
        let Self { passed, failed, skipped } = self;
        let result = if *failed == 0 { "ok" } else { "FAILED" };
        format!(
            "test result: {result}. {passed} passed; {failed} failed; {skipped} ignored; 0 measured"
        )
    }
}

/// Plays rows, a few at once, and prints a line for each as it ends.
fn play_all(chosen: &[(&Client, &Row)]) -> Table {
    let required = std::env::var(REQUIRED).is_ok_and(|value| value == "required");
    let mut places: BTreeMap<String, Result<PathBuf, String>> = BTreeMap::new();
    let namespaces = stage::possible();
    for (client, _) in chosen {
        places.entry(client.title()).or_insert_with(|| {
            namespaces.clone()?;
            stage::programs(&client.needs)?;
            client.installed()
        });
    }
    for (name, place) in &places {
        if let Err(why) = place {
            println!("{}: {name}: {why}", if required { "FAILED" } else { "skipped" });
        }
    }
    let (table, next) = (Mutex::new(Table::default()), AtomicUsize::new(0));
    let work = || {
        while let Some((client, row)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
            let place = places[&client.title()].clone().and_then(|place| {
                // What a client lacks is said once, what a row lacks is said here.
                let missing = stage::programs(&row.has).map(|_| place);
                missing.inspect_err(|why| println!("skipped: {}: {why}", title(client, row)))
            });
            let Ok(place) = place else {
                let mut table = table.lock().unwrap();
                *(if required { &mut table.failed } else { &mut table.skipped }) += 1;
                continue;
            };
            let start = Instant::now();
            let fault = stage::play(client, row, &place);
            table.lock().unwrap().enter(client, row, fault, start.elapsed());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(work);
        }
    });
    table.into_inner().unwrap()
}
