//! `serve`: the user's own host, and what it shows where it was started.

use std::io::Write;
use std::path::Path;

use super::desk;
use super::failure::{Failure, with_causes};
use super::output::{Output, print};
use super::pending::row;
use crate::config;
use crate::host::announce::{Announcer, Ways};
use crate::host::{self, Listener, notification};
use crate::ipc::{Entry, place};
use crate::model::Facts;
use crate::observe::{self, Environment};
use crate::pipeline::{load_request, places, socket_directories};

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

pub(super) fn run(talk: Talk, popup: Popup) -> Result<u8, Failure> {
    let environment = desk::person("start the service that asks them")?;
    let uid = nix::unistd::geteuid().as_raw();
    let directory = place::prepare(&socket_directories(&environment), uid)
        .map_err(|error| Failure::new(with_causes(&error)))?;
    let home = observe::facts(&environment).home;
    let announcer = Announcer::new(ways(&environment, popup)?);
    let served = host::serve(&directory, &mut Window { talk, home, announcer });
    served.map_err(|error| Failure::new(with_causes(&error)))
}

/// By which ways is said that a question came: what the owner's settings say, where it can be. No project's count.
fn ways(environment: &Environment, popup: Popup) -> Result<Ways, Failure> {
    let places = places(environment);
    let nowhere = Facts::default();
    let request = load_request(&places, &nowhere);
    let approval = config::load_settings(&request, &[])?.approval;
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

/// Returns whether there is a session bus to be spoken to.
fn has_bus(environment: &Environment) -> bool {
    let runtime = environment.get("XDG_RUNTIME_DIR").map(|path| Path::new(path).join("bus"));
    environment.get("DBUS_SESSION_BUS_ADDRESS").is_some() || runtime.is_some_and(|bus| bus.exists())
}

/// Shows one notification: the process that the service starts for it.
pub(super) fn announce() -> Result<u8, Failure> {
    notification::show().map_err(|error| Failure::new(format!("cannot notify: {error}")))?;
    Ok(0)
}
