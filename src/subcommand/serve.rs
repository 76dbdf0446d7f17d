//! `serve`: the user's own host, what it shows where it was started, and what starts it.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getppid};

use super::desk;
use super::failure::{Failure, with_causes};
use super::output::{Output, print};
use super::pending::row;
use crate::config::{self, Approval, Origin};
use crate::host::announce::{Announcer, Ways};
use crate::host::{self, Listener, notification};
use crate::ipc::{Entry, place};
use crate::model::Facts;
use crate::observe::{self, Environment};
use crate::pipeline::{load_request, places, socket_directories};

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
}

impl Listener for Window {
    fn listens(&mut self, directory: &Path) {
        if self.talk == Talk::Questions {
            // The service does its job also where nobody reads.
            let _ = print(&format!("listens in {}\n", directory.display()));
        }
    }

    fn asked(&mut self, entry: &Entry) {
        if self.talk == Talk::Questions {
            let row = row(entry, Output::new(), self.home.as_deref());
            let mut out = std::io::stdout().lock();
            // As above.
            let _ = out.write_all(row.as_bytes()).and_then(|()| out.flush());
        }
    }

    fn stand(&mut self, open: &[Entry]) {
        self.announcer.stand(open);
    }
}

/// For how long it serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lasts {
    /// Until it is told to end.
    Itself,
    /// As long as the process that started it.
    AsItsParent,
}

impl From<bool> for Lasts {
    /// `--with-parent`, given or not.
    fn from(with_parent: bool) -> Self {
        if with_parent { Self::AsItsParent } else { Self::Itself }
    }
}

pub(super) fn run(talk: Talk, popup: Popup, lasts: Lasts) -> Result<u8, Failure> {
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
    let announcer = Announcer::new(ways(&environment, popup)?);
    let served = host::serve(&directory, &mut Window { talk, home, announcer });
    served.map_err(|error| Failure::new(with_causes(&error)))
}

/// By which ways is said that a question came: what the owner's settings say, where it can be.
fn ways(environment: &Environment, popup: Popup) -> Result<Ways, Failure> {
    let approval = settings(environment)?;
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
    let Ok(approval) = settings(environment) else { return Ways::default() };
    let is_written = approval.notify.origin != Origin::Default;
    let notify = approval.notify.value && is_written && has_bus(environment);
    Ways { notify, ..Ways::default() }
}

/// The owner's settings about questions. No project's count.
fn settings(environment: &Environment) -> Result<Approval, Failure> {
    let places = places(environment);
    let nowhere = Facts::default();
    let request = load_request(&places, &nowhere);
    Ok(config::load_settings(&request, &[])?.approval)
}

/// Returns whether there is a session bus to be spoken to.
fn has_bus(environment: &Environment) -> bool {
    let runtime = environment.get("XDG_RUNTIME_DIR").map(|path| Path::new(path).join("bus"));
    environment.get("DBUS_SESSION_BUS_ADDRESS").is_some() || runtime.is_some_and(|bus| bus.exists())
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
    let program = std::env::current_exe()?;
    let program = program.to_str().ok_or_else(|| Failure::new("our own path is no text"))?;
    // As systemd.syntax(7) and systemd.service(5) have it.
    let quoted =
        program.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    let start = format!("ExecStart=\"{quoted}\" serve");
    print(&UNIT.replace("ExecStart=guarded-sh serve", &start))?;
    Ok(0)
}

/// Shows one notification: the process that the service starts for it.
pub(super) fn announce() -> Result<u8, Failure> {
    notification::show().map_err(|error| Failure::new(format!("cannot notify: {error}")))?;
    Ok(0)
}
