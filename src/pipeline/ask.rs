//! Asks about a line that only a person can permit: the host of the session that we run below, else the person at this terminal, else
//! the user's own host.
//!
//! A yes counts only from a host that a person started. What says so are the processes (`observe::host`), never a variable:
//! `GUARDED_SH_SOCKET` only helps to find the directory.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::refusal::{Stop, Unanswered};
use super::world::{World, socket_directories};
use super::{Judgement, question};
use crate::approval::{Ask as _, Terminal};
use crate::ipc::{Client, Error, FromHost, ToHost, place};
use crate::model::{Answer, Passed, Question};
use crate::observe::{self, Peer, Process, Unreachable};

/// For how long a host may take for what needs no person.
const PATIENCE: Duration = Duration::from_secs(5);

/// What came of it.
pub(super) enum Said {
    /// A person answered.
    Answer(Answer),
    /// An earlier yes covers it.
    Passed(Passed),
    /// Nobody answered.
    Nothing(Unanswered),
}

/// Asks about a line that was judged so.
pub(super) fn ask(world: &World, judgement: &Judgement) -> Result<Said, Stop> {
    let (facts, name) = (&world.judge.facts, observe::session(&world.environment));
    let Some(question) = question::of(judgement, facts, name) else {
        let why = "a line that is no text cannot be shown".to_owned();
        return Ok(Said::Nothing(Unanswered::Host(why)));
    };
    let Ok(above) = observe::host_above() else {
        return Ok(Said::Nothing(Unreachable::Unseen.into()));
    };
    if let Some(host) = above {
        let connected = session(world, host);
        return Ok(connected.map_or_else(Said::Nothing, |host| at(host, world, question)));
    }
    let why = match observe::person(&world.environment) {
        Ok(terminal) => {
            let mut terminal = Terminal::new(terminal, facts.home.clone());
            return Ok(Said::Answer(terminal.ask(&question)?));
        }
        Err(why) => why,
    };
    Ok(match service(world) {
        Ok(Some(host)) => at(host, world, question),
        Ok(None) => Said::Nothing(why.into()),
        Err(unanswered) => Said::Nothing(unanswered),
    })
}

/// Connects to the host that we run below.
fn session(world: &World, host: Process) -> Result<Client, Unanswered> {
    let environment = &world.environment;
    let variable = |name| environment.get(name).map(Path::new);
    // Wherever it is found, it must be that very process.
    let hint = variable("GUARDED_SH_SOCKET").and_then(Path::parent).map(Path::to_owned);
    let uid = nix::unistd::geteuid().as_raw();
    let directories = hint.into_iter().chain(place::directories(variable("XDG_RUNTIME_DIR"), uid));
    let name = host.id.to_string();
    let mut tried: Vec<PathBuf> = Vec::new();
    for directory in directories {
        if tried.contains(&directory) {
            continue;
        }
        if let Ok(client) = Client::connect(&place::ask(&directory, &name), deadline())
            && let Ok(Some(peer)) = Peer::of(client.socket())
            && peer.id() == host.id
            && host.is_there()
            && !peer.ended()
        {
            return Ok(client);
        }
        tried.push(directory);
    }
    Err(Unanswered::Host("the session host that it runs below does not listen".to_owned()))
}

/// Connects to the user's own host, if there is one.
fn service(world: &World) -> Result<Option<Client>, Unanswered> {
    let uid = nix::unistd::geteuid().as_raw();
    for directory in socket_directories(&world.environment) {
        let client = match Client::connect(&place::ask(&directory, place::SERVICE), deadline()) {
            Ok(client) => client,
            Err(Error::Absent { .. }) => continue,
            Err(error) => return Err(Unanswered::Host(text(&error))),
        };
        place::check(&directory, uid).map_err(|error| Unanswered::Host(text(&error)))?;
        let doubt = |why: &dyn std::fmt::Display| {
            Unanswered::Host(format!("what listens as the host is not believed: {why}"))
        };
        let peer = Peer::of(client.socket()).map_err(|error| doubt(&error))?;
        let peer = peer.ok_or_else(|| doubt(&"it is of another user or container"))?;
        observe::is_service(peer.id()).map_err(|why| doubt(&why))?;
        if peer.ended() {
            return Err(doubt(&"it ended"));
        }
        return Ok(Some(client));
    }
    Ok(None)
}

/// Asks a host that is believed.
fn at(mut host: Client, world: &World, question: Question) -> Said {
    let question = Box::new(question);
    let wait = world.settings.approval.wait.value;
    let asked = host
        .send(&ToHost::Ask { question, wait: true }, deadline())
        .and_then(|()| host.receive(Some(deadline())));
    let id = match asked {
        Ok(FromHost::Open { id }) => id,
        Ok(said) => return settled(said),
        Err(error) => return Said::Nothing(Unanswered::Host(text(&error))),
    };
    match host.receive(Some(Instant::now() + Duration::from_secs(wait.into()))) {
        Ok(said) => settled(said),
        Err(Error::Late) => Said::Nothing(Unanswered::Open { id, waited: wait }),
        Err(error) => Said::Nothing(Unanswered::Host(text(&error))),
    }
}

fn settled(said: FromHost) -> Said {
    Said::Nothing(Unanswered::Host(match said {
        FromHost::Granted { by } => return Said::Passed(by),
        FromHost::Answered { answer } => return Said::Answer(answer),
        FromHost::Nobody { why } | FromHost::Refused { why } => why,
        FromHost::Open { .. } | FromHost::Questions { .. } => {
            "the host said what it was not asked".to_owned()
        }
    }))
}

fn deadline() -> Instant {
    Instant::now() + PATIENCE
}

fn text(error: &dyn std::error::Error) -> String {
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}
