//! `serve`: the user's own host, and what it shows where it was started.

use std::io::Write;
use std::path::Path;

use super::desk;
use super::failure::{Failure, with_causes};
use super::output::{Output, print};
use super::pending::row;
use crate::host::{self, Listener};
use crate::ipc::{Entry, place};
use crate::observe;
use crate::pipeline::socket_directories;

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

struct Window {
    talk: Talk,
    home: Option<String>,
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
}

pub(super) fn run(talk: Talk) -> Result<u8, Failure> {
    let environment = desk::person("start the service that asks them")?;
    let uid = nix::unistd::geteuid().as_raw();
    let directory = place::prepare(&socket_directories(&environment), uid)
        .map_err(|error| Failure::new(with_causes(&error)))?;
    let home = observe::facts(&environment).home;
    let served = host::serve(&directory, &mut Window { talk, home });
    served.map_err(|error| Failure::new(with_causes(&error)))
}
