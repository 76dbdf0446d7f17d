//! The system's own shells, where guarded-sh is to stand in their place: each is started, and what would bring another one there is said.

use std::collections::BTreeMap;

use super::probe::Stand;
use super::shell::Call;
use super::{Finding, Patient};
use crate::install::system::{self, Place};
use crate::model::SYSTEM_RECORD;
use crate::subcommand::failure::Failure;
use crate::subcommand::install::SYSTEM;

/// Returns what is found of them; none where it is not installed and nobody asked.
pub(super) fn look(asked: Asked, stand: &Stand) -> Result<Option<Patient>, Failure> {
    let shell = match (system::places()?, asked) {
        (Some(places), _) => found(&places, stand),
        (None, Asked::Yes) => {
            Finding::not("/bin/bash, /bin/sh".to_owned(), "guarded-sh is not in their place")
        }
        (None, Asked::No) => return Ok(None),
    };
    let mend =
        if shell.guarded { Vec::new() } else { vec![format!("guarded-sh install {SYSTEM}")] };
    Ok(Some(Patient {
        agent: SYSTEM.to_owned(),
        title: "The system's shells".to_owned(),
        version: None,
        program: None,
        settings: SYSTEM_RECORD.to_owned(),
        shell,
        hooks: None,
        mend,
        remarks: Vec::new(),
    }))
}

/// Whether somebody wants to know of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Yes,
    No,
}

fn found(places: &[Place], stand: &Stand) -> Finding {
    let paths: Vec<String> = places.iter().map(|place| place.path.display().to_string()).collect();
    let what = paths.join(", ");
    for place in places {
        let path = place.path.display();
        let argv = ["-c".to_owned(), "{line}".to_owned()];
        let call = Call { shell: &place.path, argv: &argv, env: &BTreeMap::new() };
        if let Err(why) = call.prove(stand) {
            return Finding::not(what, format!("{path} {}", why.seen));
        }
        if place.kept.is_none() {
            return Finding::not(what, format!("the real shell of {path} is not kept"));
        }
        if place.open_to_packages {
            return Finding::not(what, format!("dpkg would put another one at {path}"));
        }
    }
    Finding::guarded(what)
}
