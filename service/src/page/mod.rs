//! The page: what runs, what waits and why, in a browser on this machine.
//!
//! It is served on loopback alone, under a name that is drawn anew each time. [`gate`] says which requests are heard at all, [`peers`] which process asks,
//! [`seats`] who may look and who may answer, [`answers`] what an answer is. [`floor`] follows the questions of all hosts, [`calls`] the record.
//! [`found`] has the index by which calls are found.
//! Whoever started the page reads its codes on standard output.

mod answers;
mod assets;
mod calls;
mod enter;
mod floor;
mod found;
mod gate;
mod history;
mod html;
mod judged;
mod listeners;
mod live;
mod now;
mod overview;
mod peers;
mod rows;
mod seats;
mod sessions;
mod spoken;

use std::io::{BufRead, IsTerminal, Write};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware;
use axum::routing::{get, post};
use guarded_sh::approval::text::with_causes;
use guarded_sh::audit::Store;
use guarded_sh::language::Language;
use guarded_sh::observe::{self, Environment, Look};
use guarded_sh::pipeline;
use maud::Markup;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::sync::Semaphore;

use crate::index::{self, Index};
use crate::record::{record, state_of};
use calls::Calls;
use floor::Floor;
use found::{Found, Stands};
use now::Offers;
use seats::Seats;

/// Bytes of what is sent to the page at most: an answer with a line of the longest.
const LARGEST: usize = 1 << 20;
/// Streams of events at once at most; more are told to wait.
const STREAMS: usize = 1_000;
/// Letters of the name that the page is served under.
const NAME: usize = 16;

/// What all requests have in common.
struct Page {
    /// The name and port under which it is served.
    host: String,
    /// The home that paths are shortened by.
    home: Option<String>,
    /// The language that the owner set; none: what each browser likes most.
    language: Option<Language>,
    seats: Mutex<Seats>,
    floor: Floor,
    calls: Calls,
    offers: Offers,
    store: Store,
    found: Found,
    streams: Arc<Semaphore>,
}

type Shared = Arc<Page>;

impl Page {
    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn origin(&self) -> String {
        format!("http://{}", self.host)
    }

    /// Asks the index, on a thread of its own.
    async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        ask: impl FnOnce(&Index) -> Result<T, index::Error> + Send + 'static,
    ) -> Result<T, String> {
        let page = Arc::clone(self);
        let asked = tokio::task::spawn_blocking(move || page.found.ask(ask));
        asked.await.unwrap_or_else(|_| Err("the index could not be asked".to_owned()))
    }

    /// Says that the index does not hold all yet, where that is so.
    fn standing_of_index(&self) -> Markup {
        let Stands::Read(parts) = self.found.stands() else { return Markup::default() };
        maud::html! { p role="status" { "The record is being read: " progress max="100" value=(parts) { (parts) " %" } " What is shown is not all of it yet." } }
    }

    /// Returns an address with a new code in it: behind the `#`, which browsers send nobody.
    fn address(&self) -> Result<String, String> {
        let code = self.seats().code(Instant::now()).map_err(|error| error.to_string())?;
        Ok(format!("{}/enter#{code}", self.origin()))
    }
}

/// Whether a browser is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Browser {
    /// Where there is a desktop, and a person at the terminal.
    Opens,
    /// In no case.
    Stays,
}

/// Serves the page on a port of this machine, 0 for any, until it is told to end.
pub fn run(port: u16, browser: Browser) -> Result<(), String> {
    let environment = Environment::read();
    observe::free_of_agents(&environment, Look::All)
        .map_err(|why| format!("only a person can open the page, and {why}"))?;
    let_many();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot begin: {error}"))?;
    runtime.block_on(serve(&environment, port, browser))
}

/// Takes all descriptors that it may have: each browser needs some.
fn let_many() {
    let limit = getrlimit(Resource::Nofile);
    // With fewer it serves fewer.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

async fn serve(environment: &Environment, port: u16, browser: Browser) -> Result<(), String> {
    let listeners = listeners::bind(port)?;
    let page = Arc::new(open(environment, listeners.port())?);
    let address = page.address()?;
    let has_desktop = environment.has("DISPLAY") || environment.has("WAYLAND_DISPLAY");
    if browser == Browser::Opens && has_desktop && std::io::stdout().is_terminal() {
        open_browser(&address);
    }
    say(&address)?;
    let told = Arc::clone(&page);
    std::thread::spawn(move || codes(&told));
    listeners.serve(router(page)).await;
    Ok(())
}

fn open(environment: &Environment, port: u16) -> Result<Page, String> {
    let failed = |what: &str, error: &dyn std::error::Error| {
        format!("cannot follow {what}: {}", with_causes(error))
    };
    let store = record(environment)?;
    let seats = Seats::new();
    let name = seats.drawn().map_err(|error| error.to_string())?;
    Ok(Page {
        host: format!("{}.localhost:{port}", &name[..NAME]),
        home: observe::facts(environment).home,
        language: pipeline::language_of_settings(environment),
        seats: Mutex::new(seats),
        floor: Floor::open(pipeline::socket_directories(environment))
            .map_err(|error| failed("the questions", &error))?,
        calls: Calls::follow(&store).map_err(|error| failed("the record", &error))?,
        offers: Offers::default(),
        found: Found::follow(&state_of(&store)).map_err(|error| failed("the record", &error))?,
        store,
        streams: Arc::new(Semaphore::new(STREAMS)),
    })
}

/// Has the desktop open an address. Whoever reads it off the process list has a code that is used up, or is no person's process.
fn open_browser(address: &str) {
    let mut command = std::process::Command::new("xdg-open");
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Where it cannot be opened, the person has the address.
    if let Ok(mut child) = command.spawn() {
        std::thread::spawn(move || child.wait());
    }
}

/// Gives another code each time somebody presses Enter where the page was started.
fn codes(page: &Page) {
    for line in std::io::stdin().lock().lines() {
        let said = line.map_err(|error| error.to_string());
        if said.and_then(|_| page.address()).and_then(|address| say(&address)).is_err() {
            return;
        }
    }
}

/// Says where the page is: to a person in words, to a program in one line.
fn say(address: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    let text = if out.is_terminal() {
        let minutes = seats::CODE_LIFE.as_secs() / 60;
        format!(
            "The page is at\n\n  {address}\n\nThe code in it counts once, for {minutes} minutes. Enter gives another one, Ctrl-C ends the page.\n"
        )
    } else {
        format!("{address}\n")
    };
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| format!("cannot say where the page is: {error}"))
}

fn router(page: Shared) -> Router {
    let seated = Router::new()
        .route("/", get(now::page))
        .route("/live", get(live::page))
        .route("/events", get(live::events))
        .route("/sessions", get(sessions::list))
        .route("/session", get(sessions::page))
        .route("/overview", get(overview::page))
        .route("/history", get(history::page))
        .route("/call/{number}", get(rows::page))
        .route("/try", get(judged::page))
        .route("/nonce", post(answers::nonce))
        .route("/answer", post(answers::answer))
        .route("/leave", post(enter::leave))
        .layer(middleware::from_fn_with_state(page.clone(), gate::seated));
    Router::new()
        .route("/enter", get(enter::form).post(enter::enter))
        .route("/assets/page.css", get(assets::style))
        .route("/assets/page.js", get(assets::script))
        .route("/assets/events.js", get(assets::worker))
        .route("/assets/icon.svg", get(assets::icon))
        .merge(seated)
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is no such page\n") })
        .layer(DefaultBodyLimit::max(LARGEST))
        .layer(middleware::from_fn_with_state(page.clone(), gate::pass))
        .with_state(page)
}
