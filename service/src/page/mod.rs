//! The page: what runs, what waits and why, in a browser on this machine.
//!
//! It is served on loopback alone, under a name that is drawn anew each time. [`gate`] says which requests are heard at all, [`peers`] which process asks,
//! [`seats`] who may look and who may answer, [`signed`] how that is proved, [`answers`] what an answer is, [`deeds`] what a change is. [`floor`] follows
//! the questions of all hosts, [`calls`] the record. [`found`] has the index by which calls are found, [`kept`] what agents keep of their sessions
//! themselves, [`conversation`] a session by both. [`api`] is all of it for programs, [`programs`] which of them are heard, [`tokens`] what they come with,
//! [`prepared`] the changes that they were shown. [`made`] notes changes, whoever made them. [`work`] says how far it is what takes long.
//! Whoever started the page reads its codes on standard output; of one that the user's host started, a person at a terminal asks for them ([`codes`]).
//! By another [`door`] come the browsers of other machines, where the owner opens it. [`passkeys`] holds what a yes takes besides, [`keyring`] those that are registered, [`notify`] tells others
//! that a question waits.

mod agents;
mod answers;
mod api;
mod assets;
mod calls;
mod changes;
mod codes;
mod conversation;
mod counts;
mod deeds;
mod diag;
mod diff;
mod door;
mod ended;
mod enter;
mod export;
mod files;
mod floor;
mod found;
mod gate;
mod groups;
mod history;
mod html;
mod judged;
mod kept;
pub mod keyring;
pub mod listeners;
mod live;
mod made;
mod notify;
mod now;
pub mod once;
mod overview;
pub mod owned;
mod passkeys;
mod peers;
mod prepared;
mod programs;
mod prompts;
mod rows;
mod rules;
mod said;
mod seats;
mod sessions;
mod settings;
mod signed;
mod spoken;
mod stream;
mod suggestions;
mod timeline;
pub mod tokens;
mod touch;
mod transcript;
mod tray;
mod work;

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware;
use axum::routing::{get, post};
use guarded_sh::approval::text::with_causes;
use guarded_sh::audit::Store;
use guarded_sh::config::{NotifySettings, PageSettings, Passkey, RemoteSettings};
use guarded_sh::ipc::place;
use guarded_sh::language::Language;
use guarded_sh::observe::{self, Environment, Look};
use guarded_sh::pipeline::{self, World};
use nix::unistd::{Uid, User};
use rustix::process::{
    Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit,
};
use tokio::sync::Semaphore;

use crate::index::{self, Index};
use crate::record::{record, settings, state_of};
use calls::Calls;
use changes::Changes;
use codes::{Doors, Given, Wanted};
use counts::Counts;
use door::{Door, From as Comes, Most};
use floor::Floor;
use found::Found;
use kept::Kept;
use listeners::Listeners;
use notify::Notify;
use now::Offers;
use passkeys::Passkeys;
use programs::Programs;
use seats::Seats;
use spoken::Spoken;
use stream::Drawn;
use tokens::Tokens;

pub use gate::{is_passed_on, only};
pub use programs::{Bucket, bearer};

/// Bytes of what is sent to the page at most: an answer with a line of the longest.
const LARGEST: usize = 1 << 20;
/// Streams of events at once at most; more are told to wait.
const STREAMS: usize = 1_000;
/// Letters of the name that the page is served under.
const NAME: usize = 16;

/// What all requests by one door have in common.
struct Page {
    /// The name under which it is served.
    door: Door,
    /// From which severity on a yes takes a passkey.
    passkey: Passkey,
    passkeys: Arc<Mutex<Passkeys>>,
    /// The home that paths are shortened by.
    home: Option<String>,
    /// The language that the owner set; none: what each browser likes most.
    language: Option<Language>,
    seats: Mutex<Seats>,
    floor: Arc<Floor>,
    calls: Arc<Calls>,
    offers: Arc<Offers>,
    changes: Arc<Changes>,
    store: Store,
    found: Arc<Found>,
    kept: Arc<Kept>,
    streams: Arc<Semaphore>,
    /// The address under which programs may ask as well.
    address: String,
    programs: Arc<Programs>,
    counts: Arc<Counts>,
    drawn: Drawn,
    /// Held while something is changed.
    changing: Mutex<()>,
    /// Held while what agents start is started.
    proving: Arc<Mutex<()>>,
    suggested: suggestions::Kept,
}

type Shared = Arc<Page>;

impl Page {
    /// Returns the directory that somebody named; where they named none, the home.
    fn directory(&self, named: Option<String>) -> String {
        named.or_else(|| self.home.clone()).unwrap_or_else(|| "/".to_owned())
    }

    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn passkeys(&self) -> MutexGuard<'_, Passkeys> {
        self.passkeys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn origin(&self) -> String {
        self.door.origin()
    }

    /// Returns the same page by another door. Who came in by one has no seat at the other.
    fn by(&self, door: Door) -> Self {
        Self {
            door,
            passkey: self.passkey,
            passkeys: Arc::clone(&self.passkeys),
            home: self.home.clone(),
            language: self.language,
            seats: Mutex::new(Seats::new()),
            floor: Arc::clone(&self.floor),
            calls: Arc::clone(&self.calls),
            offers: Arc::clone(&self.offers),
            changes: Arc::clone(&self.changes),
            store: self.store.clone(),
            found: Arc::clone(&self.found),
            kept: Arc::clone(&self.kept),
            streams: Arc::clone(&self.streams),
            address: self.address.clone(),
            programs: Arc::clone(&self.programs),
            counts: Arc::clone(&self.counts),
            drawn: Drawn::default(),
            // Nothing is changed by another door.
            changing: Mutex::default(),
            proving: Arc::clone(&self.proving),
            suggested: suggestions::Kept::default(),
        }
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

    /// Returns an address with a new code in it: behind the `#`, which browsers send nobody.
    fn address(&self) -> Result<String, String> {
        let code = self.seats().code(Instant::now()).map_err(|error| error.to_string())?;
        Ok(format!("{}/enter#{code}", self.origin()))
    }

    /// Returns an address at which a passkey is registered, with a new code for that.
    fn passkey_address(&self) -> Result<String, String> {
        let code = once::drawn().map_err(|error| error.to_string())?;
        self.passkeys().add_code(code.clone(), Instant::now());
        Ok(format!("{}/passkey#{code}", self.origin()))
    }
}

/// Who started the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starter {
    /// A person, who reads its addresses.
    Person,
    /// The user's own host, with which it ends.
    Host,
}

/// What the host that starts the page wants of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// The page.
    Page,
    /// The page, and an icon in the desktop's tray.
    PageAndTray,
    /// The icon, which opens the page once the person wants it.
    Tray,
}

/// Whether a browser is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Browser {
    /// Where there is a desktop, and a person at the terminal.
    Opens,
    /// In no case.
    Stays,
}

/// Holds that no agent asks for what only a person can do.
pub fn only_a_person(environment: &Environment, what: &str) -> Result<(), String> {
    observe::free_of_agents(environment, Look::All)
        .map_err(|why| format!("only a person can {what}, and {why}"))
}

/// Serves the page on a port of this machine, 0 for any, until it is told to end. Where one runs already that the user's host has started, a person is
/// given its addresses.
pub fn run(
    port: Option<u16>,
    browser: Browser,
    starter: Starter,
    served: Served,
) -> Result<(), String> {
    let environment = Environment::read();
    only_a_person(&environment, "open the page")?;
    match starter {
        Starter::Host => end_with_host()?,
        Starter::Person => {
            let directories = pipeline::socket_directories(&environment);
            let ask = |wanted| codes::ask(&directories, wanted);
            if let Some(given) = ask(Wanted::Page)? {
                open_browser(&environment, browser, &given);
                let language = Spoken(pipeline::language(&environment));
                codes::print(Wanted::Page, &given, language)?;
                let ended = || "the page that ran has ended".to_owned();
                return codes::attend(|wanted| ask(wanted)?.ok_or_else(ended), language);
            }
        }
    }
    let settings = settings(&environment)?.page;
    // Which containers there can be is tried as long as there is no other thread; what is wrong with the world is told where it is asked about.
    drop(World::at(None).map(World::containing));
    let_many();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot begin: {error}"))?;
    let floor = Floor::open(pipeline::socket_directories(&environment));
    let floor = floor.map_err(|error| format!("cannot follow the questions: {error}"))?.into();
    let opening = Opening { environment, port, starter, settings, floor };
    runtime.block_on(serve(opening, browser, served))
}

/// Has the kernel end this process with the host that started it. Where that has ended before, nobody reads that the page is ready.
pub fn end_with_host() -> Result<(), String> {
    let failed = |error: rustix::io::Errno| format!("cannot end with the host: {error}");
    set_parent_process_death_signal(Some(Signal::TERM)).map_err(failed)
}

/// Takes all descriptors that it may have: each browser needs some. Returns how many it had, which is for what it starts.
pub fn let_many() -> Rlimit {
    let limit = getrlimit(Resource::Nofile);
    // With fewer it serves fewer.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    limit
}

/// What the page is opened with.
struct Opening {
    environment: Environment,
    port: Option<u16>,
    starter: Starter,
    settings: PageSettings,
    floor: Arc<Floor>,
}

impl Opening {
    /// Opens the page at all of its doors. It is served as long as this process runs.
    fn open(&self) -> Result<Doors, String> {
        let settings = &self.settings;
        let listeners = listeners::bind(self.port.unwrap_or(settings.port.value))?;
        let here = open(&self.environment, listeners.port(), settings.passkey.value, &self.floor)?;
        let here = Arc::new(here);
        let elsewhere = elsewhere(&settings.remote, &here)?;
        if let Some((page, listeners)) = &elsewhere {
            let router = router(Arc::clone(page));
            tokio::spawn(Arc::clone(listeners).serve(router));
        }
        tell(&settings.notify, &here);
        let doors = Doors { here: Arc::clone(&here), elsewhere: elsewhere.map(|(page, _)| page) };
        listen_beside(&self.environment, self.starter, &doors)?;
        tokio::spawn(Arc::new(listeners).serve(router(here)));
        Ok(doors)
    }
}

async fn serve(opening: Opening, browser: Browser, served: Served) -> Result<(), String> {
    let floor = Arc::clone(&opening.floor);
    let way = match served {
        Served::Tray => tray::Way::Closed(Box::new(opening)),
        Served::Page | Served::PageAndTray => {
            let doors = opening.open()?;
            if opening.starter == Starter::Person {
                let given = doors.give(Wanted::Page)?;
                open_browser(&opening.environment, browser, &given);
                let language = Spoken(pipeline::language(&opening.environment));
                codes::print(Wanted::Page, &given, language)?;
                // Where nobody types any more, those who have a code go on.
                let doors = doors.clone();
                std::thread::spawn(move || codes::attend(|wanted| doors.give(wanted), language));
            } else {
                // The host knows by this line that nobody looks into this process any more.
                say_ready()?;
            }
            tray::Way::Open(doors)
        }
    };
    if served == Served::Tray {
        say_ready()?;
    }
    if served != Served::Page {
        tray::keep(floor, way).await;
    }
    std::future::pending().await
}

/// Opens the page to the proxy that the owner named, if one is.
fn elsewhere(
    settings: &RemoteSettings,
    here: &Page,
) -> Result<Option<(Shared, Arc<Listeners>)>, String> {
    let (Some(host), Some(listen)) = (settings.host.value.clone(), settings.listen.value) else {
        return Ok(None);
    };
    let user = settings.user.value.as_deref().map(user_named).transpose()?;
    let most = if settings.answer.value { Most::Answers } else { Most::Looks };
    let page = here.by(Door { host, from: Comes::Elsewhere, most });
    Ok(Some((Arc::new(page), Arc::new(listeners::for_proxy(listen, user)?))))
}

/// Returns the id of a user. One's own name says nothing that is not so without it.
fn user_named(name: &str) -> Result<u32, String> {
    let found = User::from_name(name).map_err(|error| error.to_string());
    let found = found.and_then(|user| user.ok_or_else(|| "there is no such user".to_owned()));
    let user = found.map_err(|why| format!("the proxy's user '{name}': {why}"))?.uid;
    if user == Uid::effective() {
        return Err(format!(
            "the proxy's user '{name}' is you, of whom agents' programs are too: leave page.remote.user out"
        ));
    }
    Ok(user.as_raw())
}

/// Tells others of questions, if the owner wants that.
fn tell(settings: &NotifySettings, page: &Page) {
    let Some((notify, troubles)) = Notify::of(settings) else { return };
    for why in troubles {
        eprintln!("guarded-shd: {why}");
    }
    let standing = page.floor.standing();
    tokio::spawn(async move {
        if let Err(why) = notify.follow(standing).await {
            eprintln!("guarded-shd: nobody is told of questions: {why}");
        }
    });
}

/// Listens at the sockets of the file system: for tunnels and, as the host's page, for persons who want a code.
fn listen_beside(environment: &Environment, starter: Starter, doors: &Doors) -> Result<(), String> {
    let uid = nix::unistd::geteuid().as_raw();
    let directory = place::prepare(&pipeline::socket_directories(environment), uid)
        .map_err(|error| with_causes(&error))?;
    let failed =
        |error: std::io::Error| format!("cannot listen in {}: {error}", directory.display());
    // Of several pages, tunnels end at the first.
    if let Some(way) = listeners::listen_at(&codes::way(&directory)).map_err(failed)? {
        tokio::spawn(listeners::serve_at(way, router(Arc::clone(&doors.here))));
    }
    if starter == Starter::Host
        && let Some(socket) = listeners::listen_at(&codes::socket(&directory)).map_err(failed)?
    {
        tokio::spawn(codes::serve(socket, doors.clone()));
    }
    Ok(())
}

pub fn say_ready() -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    let said = out.write_all(b"ready\n").and_then(|()| out.flush());
    said.map_err(|error| format!("cannot speak to the host: {error}"))
}

fn open(
    environment: &Environment,
    port: u16,
    passkey: Passkey,
    floor: &Arc<Floor>,
) -> Result<Page, String> {
    let failed = |what: &str, error: &dyn std::error::Error| {
        format!("cannot follow {what}: {}", with_causes(error))
    };
    let store = record(environment)?;
    let counts = Arc::new(Counts::default());
    let seats = Seats::new();
    let drawn = once::drawn().map_err(|error| error.to_string())?;
    let unread = |error| format!("cannot read the passkeys: {error}");
    let passkeys = Passkeys::read(&state_of(&store)).map_err(unread)?;
    let name = match passkey {
        Passkey::Off => drawn[..NAME].to_owned(),
        // A passkey belongs to a name.
        Passkey::High | Passkey::Critical => passkeys.name(&drawn[..NAME]).map_err(unread)?,
    };
    let host = format!("{name}.localhost:{port}");
    Ok(Page {
        door: Door { host, from: Comes::Here, most: Most::Answers },
        passkey,
        passkeys: Arc::new(Mutex::new(passkeys)),
        home: observe::facts(environment).home,
        language: pipeline::language_of_settings(environment),
        seats: Mutex::new(seats),
        floor: Arc::clone(floor),
        calls: Calls::follow(&store, Arc::clone(&counts))
            .map_err(|error| failed("the record", &error))?
            .into(),
        offers: Arc::default(),
        changes: Arc::default(),
        found: Found::follow(&state_of(&store))
            .map_err(|error| failed("the record", &error))?
            .into(),
        programs: Programs::follow(Tokens::below(&state_of(&store)))?.into(),
        kept: Kept::open(environment, &state_of(&store))
            .map_err(|error| failed("transcripts", &error))?
            .into(),
        store,
        streams: Arc::new(Semaphore::new(STREAMS)),
        address: format!("127.0.0.1:{port}"),
        counts,
        drawn: Drawn::default(),
        changing: Mutex::default(),
        proving: Arc::default(),
        suggested: suggestions::Kept::default(),
    })
}

/// Has the desktop open an address, where there is one. Whoever reads it off the process list has a code that is used up, or is no person's process.
fn open_browser(environment: &Environment, browser: Browser, given: &Given) {
    let has_desktop = environment.has("DISPLAY") || environment.has("WAYLAND_DISPLAY");
    let Given::Addresses { here, .. } = given else { return };
    if browser == Browser::Stays || !has_desktop || !std::io::stdout().is_terminal() {
        return;
    }
    // Where it cannot be opened, the person has the address.
    let _ = crate::desktop::open(here);
}

fn router(page: Shared) -> Router {
    let seated = Router::new()
        .route("/", get(now::page))
        .route("/live", get(live::page))
        .route("/events", get(live::events))
        .route("/sessions", get(sessions::list))
        .route("/session", get(sessions::page))
        .route("/session/export", get(export::session))
        .route("/transcripts", get(transcript::list))
        .route("/transcript", get(transcript::page))
        .route("/transcript/since", get(transcript::since))
        .route("/overview", get(overview::page))
        .route("/history", get(history::page))
        .route("/reading", get(work::reading))
        .route("/call/{number}", get(rows::page))
        .route("/files", get(files::page))
        .route("/try", get(judged::page).post(judged::judged))
        .route("/nonce", post(answers::nonce))
        .route("/answer", post(answers::answer))
        .route("/passkey", get(touch::page))
        .route("/passkey/begin", post(touch::begin))
        .route("/passkey/finish", post(touch::finish))
        .route("/passkey/known", post(touch::known))
        .route("/leave", post(enter::leave))
        .merge(owners(page.door.from))
        .layer(middleware::from_fn_with_state(page.clone(), gate::seated));
    let programs = match page.door.from {
        Comes::Here => api::routes(),
        Comes::Elsewhere => Router::new(),
    };
    let programs = programs.layer(middleware::from_fn_with_state(page.clone(), programs::asked));
    Router::new()
        .route("/enter", get(enter::form).post(enter::enter))
        .route("/assets/page.css", get(assets::style))
        .route("/assets/page.js", get(assets::script))
        .route("/assets/changes.js", get(assets::changes))
        .route("/assets/passkey.js", get(assets::passkey))
        .route("/assets/events.js", get(assets::worker))
        .route("/assets/transcript.js", get(assets::transcript))
        .route("/assets/icon.svg", get(assets::icon))
        .merge(seated)
        .merge(programs)
        .fallback(|| async { (StatusCode::NOT_FOUND, "there is no such page\n") })
        .layer(DefaultBodyLimit::max(LARGEST))
        .layer(middleware::from_fn_with_state(page.clone(), gate::pass))
        .with_state(page)
}

/// What only the owner sees and changes, and only in a browser on this machine.
fn owners(from: Comes) -> Router<Shared> {
    match from {
        Comes::Here => Router::new()
            .route("/rules", get(rules::page))
            .route("/rules/checked", post(rules::checked))
            .route("/settings", get(settings::page))
            .route("/settings/changed", post(settings::changed))
            .route("/prompts", get(prompts::page))
            .route("/prompts/checked", post(prompts::checked))
            .route("/prompts/measured", get(work::measured))
            .route("/agents", get(agents::page))
            .route("/agents/found", get(agents::found))
            .route("/agents/shown", post(agents::shown))
            .route("/suggestions", get(suggestions::page))
            .route("/change", post(deeds::change)),
        Comes::Elsewhere => ["/rules", "/settings", "/prompts", "/agents", "/suggestions"]
            .into_iter()
            .fold(Router::new(), |router, path| router.route(path, get(html::only_here))),
    }
}
