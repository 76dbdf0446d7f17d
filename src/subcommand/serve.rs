//! `serve`: the user's own host, what it shows where it was started, and what starts it.

use std::fs::File;
use std::io::Write;
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getppid, setsid};

use super::failure::{Failure, with_causes};
use super::output::{Output, print, say};
use super::page::Starts;
use super::pending::row;
use super::{desk, mcp, page};
use crate::config::{self, DesktopSettings, Origin, Settings, Tray};
use crate::host::announce::{Announcer, Ways};
use crate::host::{self, Listener, notification};
use crate::ipc::{Entry, place};
use crate::judge;
use crate::language::Language;
use crate::model::{Facts, Paused};
use crate::observe::{self, Environment};
use crate::pipeline::{self, load_request, places, socket_directories};
use crate::sys::descriptor;
use crate::sys::process::{self, Forked};

/// The unit, as it stands in the repository.
const UNIT: &str = include_str!("../../shell-integration/systemd/guarded-sh.service");

/// What is shown where it was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Talk {
    /// Each question.
    Questions,
    /// Nothing.
    Nothing,
}

impl From<bool> for Talk {
    /// `--quiet`, given or not.
    fn from(quiet: bool) -> Self {
        if quiet { Self::Nothing } else { Self::Questions }
    }
}

/// Whether questions come as popups of tmux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Popup {
    /// Also where the settings do not say so.
    Wanted,
    /// As the settings say.
    AsSet,
}

impl From<bool> for Popup {
    /// `--popup`, given or not.
    fn from(popup: bool) -> Self {
        if popup { Self::Wanted } else { Self::AsSet }
    }
}

struct Window {
    talk: Talk,
    home: Option<String>,
    announcer: Announcer,
    language: Language,
}

impl Listener for Window {
    fn listens(&mut self, directory: &Path) {
        if self.talk == Talk::Questions {
            // The service does its job also where nobody reads.
            let _ = say(&format!("listens in {}\n", directory.display()));
        }
    }

    fn asked(&mut self, entry: &Entry) {
        if self.talk == Talk::Questions {
            let row = row(entry, Output::new(), self.home.as_deref(), self.language);
            let mut out = std::io::stdout().lock();
            // As above.
            let _ = out.write_all(row.as_bytes()).and_then(|()| out.flush());
        }
    }

    fn stand(&mut self, open: &[Entry], paused: Option<Paused>) {
        self.announcer.stand(open, paused);
    }
}

/// For how long it serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasts {
    /// Until it is told to end.
    Itself,
    /// As long as the process that started it.
    AsItsParent,
    /// Until it is told to end, apart from what started it.
    Apart,
}

impl Lasts {
    /// `--with-parent` and `--apart`, given or not.
    pub(super) const fn of(with_parent: bool, apart: bool) -> Self {
        match (with_parent, apart) {
            (true, _) => Self::AsItsParent,
            (false, true) => Self::Apart,
            (false, false) => Self::Itself,
        }
    }
}

pub(super) fn run(talk: Talk, popup: Popup, lasts: Lasts) -> Result<u8, Failure> {
    let environment = Environment::read();
    let bell = bell(&environment);
    if lasts == Lasts::Apart {
        part()?;
    }
    // Looked at only now: what it was started by, where it is apart, is gone.
    let environment = desk::person("start the service that asks them")?;
    if lasts == Lasts::AsItsParent {
        let parent = getppid();
        prctl::set_pdeathsig(Signal::SIGTERM).map_err(std::io::Error::from)?;
        // It may have ended before.
        if getppid() != parent || parent.as_raw() == 1 {
            return Ok(0);
        }
    }
    let uid = nix::unistd::geteuid().as_raw();
    let directory = place::prepare(&socket_directories(&environment), uid)
        .map_err(|error| Failure::new(with_causes(&error)))?;
    let home = observe::facts(&environment).home;
    let language = pipeline::language(&environment);
    let announcer = Announcer::new(ways(&environment, popup)?, language);
    let settings = settings(&environment)?;
    let models = pipeline::models_of_host(&environment, &places(&environment), &settings.model);
    let mut window = Window { talk, home, announcer, language };
    // One that a line's guard starts opens nothing for people.
    let starts = Starts::of(settings.page.serve.value, has_tray(&environment, &settings.desktop));
    let starts = starts.filter(|_| lasts != Lasts::Apart);
    let page = starts.map(|starts| page::of_service(&environment, starts)).transpose();
    // Questions are asked all the same.
    let _page = page.unwrap_or_else(|failure| {
        failure.note();
        None
    });
    if settings.mcp.serve.value && lasts != Lasts::Apart {
        // As above.
        mcp::of_service(&environment, &settings.mcp).unwrap_or_else(Failure::note);
    }
    let served = host::serve(&directory, bell.as_ref(), models, &mut window);
    served.map_err(|error| Failure::new(with_causes(&error)))
}

/// Parts from what started this process: nothing that was open stays open, and what goes on is nobody's child but the system's. Returns in
/// the process that goes on; a host that a guard starts for an agent has nothing of the agent's then but what the kernel passes on.
fn part() -> Result<(), Failure> {
    drop(descriptor::keep_only(File::open("/")?)?);
    std::env::set_current_dir("/")?;
    let first = Pid::this();
    match process::fork()? {
        Forked::Parent(_) => process::end(0),
        Forked::Child => {
            setsid().map_err(std::io::Error::from)?;
            // The kernel gives it another parent a moment after the first one has ended.
            while getppid() == first {
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        }
    }
}

/// Returns the socket by which systemd started us (sd_listen_fds(3)).
fn bell(environment: &Environment) -> Option<UnixListener> {
    let is_ours = environment.get("LISTEN_PID") == Some(&std::process::id().to_string());
    let is_one = environment.get("LISTEN_FDS") == Some("1");
    (is_ours && is_one).then(descriptor::passed)?.ok().map(UnixListener::from)
}

/// By which ways is said that a question came: what the owner's settings say, where it can be.
fn ways(environment: &Environment, popup: Popup) -> Result<Ways, Failure> {
    let approval = settings(environment)?.approval;
    let in_tmux = environment.get("TMUX").is_some();
    if popup == Popup::Wanted && !in_tmux {
        return Err(Failure::new("there is no tmux here for popups (TMUX is not set)"));
    }
    Ok(Ways {
        notify: approval.notify.value && has_bus(environment),
        popup: in_tmux && (popup == Popup::Wanted || approval.popup.value),
        open: approval.open.value,
        program: std::env::current_exe()?,
    })
}

/// The same for a session, whose questions stand over the agent's screen: only what the owner wrote says more. What the notification's
/// button starts would run below the session's host, and could not answer; so it has none.
pub(super) fn ways_in_session(environment: &Environment) -> Ways {
    // Settings that cannot be read are complained of by each line that is judged.
    let Ok(settings) = settings(environment) else { return Ways::default() };
    let approval = settings.approval;
    let is_written = approval.notify.origin != Origin::Default;
    let notify = approval.notify.value && is_written && has_bus(environment);
    Ways { notify, ..Ways::default() }
}

/// The owner's settings. No project's count.
fn settings(environment: &Environment) -> Result<Settings, Failure> {
    let places = places(environment);
    let nowhere = Facts::default();
    let request = load_request(&places, &nowhere);
    Ok(config::load_settings(&request, &[])?)
}

/// Returns whether there is a session bus to be spoken to.
fn has_bus(environment: &Environment) -> bool {
    let runtime = environment.get("XDG_RUNTIME_DIR").map(|path| Path::new(path).join("bus"));
    environment.get("DBUS_SESSION_BUS_ADDRESS").is_some() || runtime.is_some_and(|bus| bus.exists())
}

/// Returns whether the desktop may have a tray, where the owner leaves that open.
fn has_tray(environment: &Environment, desktop: &DesktopSettings) -> bool {
    match desktop.tray.value {
        Tray::On => true,
        Tray::Off => false,
        // Without the program that shows it there is none, and nobody misses it.
        Tray::Auto => {
            has_bus(environment) && !observe::is_in_container() && judge::beside().is_some()
        }
    }
}

/// A service that was started because there was none, and ends with this.
pub(super) struct OnDemand(Child);

impl OnDemand {
    /// Starts it, where no service listens. None: one does, or none can be started; then nobody is asked who is not in a session.
    pub(super) fn start(environment: &Environment) -> Option<Self> {
        let listens =
            |directory: &PathBuf| place::is_heard(&place::desk(directory, place::SERVICE));
        if socket_directories(environment).iter().any(listens) {
            return None;
        }
        let mut service = Command::new("/proc/self/exe");
        // Shells believe a service by what it was called for. A job of its own: what the terminal's keys tell us is not for it.
        service.arg0("guarded-sh").args(["serve", "--quiet", "--with-parent"]).process_group(0);
        service.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        service.spawn().ok().map(Self)
    }
}

impl Drop for OnDemand {
    fn drop(&mut self) {
        let process = i32::try_from(self.0.id()).map(Pid::from_raw);
        // It may have ended by itself.
        if process.is_ok_and(|process| kill(process, Signal::SIGTERM).is_ok()) {
            let _ = self.0.wait();
        }
    }
}

/// Prints a unit by which systemd starts the service when the person logs in.
pub(super) fn unit() -> Result<u8, Failure> {
    print(&unit_of(&std::env::current_exe()?)?)?;
    Ok(0)
}

/// Returns the unit that starts this program.
pub(super) fn unit_of(program: &Path) -> Result<String, Failure> {
    let program = program.to_str().ok_or_else(|| Failure::new("our own path is no text"))?;
    let start = format!("ExecStart=\"{}\" serve", quoted(program));
    Ok(UNIT.replace("ExecStart=guarded-sh serve", &start))
}

/// Quotes text for a unit, as systemd.syntax(7) and systemd.service(5) have it.
pub(super) fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$")
}

/// Shows one notification: the process that the service starts for it.
pub(super) fn announce() -> Result<u8, Failure> {
    notification::show().map_err(|error| Failure::new(format!("cannot notify: {error}")))?;
    Ok(0)
}
