//! The hosts of this user, as a person's other terminal talks to them.

use std::fs::File;

use super::failure::Failure;
use crate::host::Desk;
use crate::ipc::{Entry, place};
use crate::model::Paused;
use crate::observe::{self, Look};
use crate::pipeline::socket_directories;

/// Returns the world's environment, if a person is there to see it.
pub(super) fn person(what: &str) -> Result<observe::Environment, Failure> {
    let environment = observe::Environment::read();
    // The host looks for itself; this says it sooner.
    observe::free_of_agents(&environment, Look::All)
        .map_err(|why| Failure::refused(format!("only a person can {what}, and {why}")))?;
    Ok(environment)
}

/// Returns the terminal of a person who wants to do this, which only a person can.
pub(super) fn at_terminal(environment: &observe::Environment, what: &str) -> Result<File, Failure> {
    observe::person(environment).map_err(|why| {
        Failure::refused(format!("only a person can {what}, and {why}"))
            .hint("ask the person to do it")
    })
}

/// Returns what is open at each host of this user. One that cannot be spoken to keeps nobody from the others: what is wrong with it is
/// said on stderr. Where there is no other, that is the failure.
pub(super) fn questions(
    environment: &observe::Environment,
) -> Result<Vec<(Desk, Vec<Entry>)>, Failure> {
    let uid = nix::unistd::geteuid().as_raw();
    let (mut found, mut failures) = (Vec::new(), Vec::new());
    for directory in socket_directories(environment) {
        // Where it is not ours alone, nobody of us listens.
        if place::check(&directory, uid).is_err() {
            continue;
        }
        for name in place::hosts(&directory) {
            match Desk::greeted(&directory, &name, uid) {
                Ok(None) => {}
                Ok(Some(host)) => found.push(host),
                Err(error) => failures.push(Failure::from(error)),
            }
        }
    }
    let mut failures = failures.into_iter();
    if found.is_empty()
        && let Some(first) = failures.next()
    {
        failures.for_each(Failure::note);
        return Err(first);
    }
    failures.for_each(Failure::note);
    Ok(found)
}

/// Returns the pause that a person wants of these hosts; of several the first that is told.
pub(super) fn paused(hosts: &[(Desk, Vec<Entry>)]) -> Option<Paused> {
    hosts.iter().find_map(|(host, _)| host.paused())
}
