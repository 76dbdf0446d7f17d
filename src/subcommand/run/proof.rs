//! What an agent's settings, in this directory and with the environment that it will have, leave open: read before it starts.
//! Starts nothing and changes nothing; a program that is no known agent has no settings that are known.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::super::doctor::choices;
use super::super::ground::Ground;
use super::super::install::Site;
use crate::approval::visible;
use crate::install::{self, Agent};
use crate::observe::{Environment, is_this_program};

/// What is left open.
#[derive(Debug, Default)]
pub(super) struct Open {
    /// The shell that is not the guard, and what names it, in a sentence. The guard begins in its place where the agent's processes are watched.
    pub(super) shell: Option<String>,
    /// What switches off the hooks that were installed.
    pub(super) hooks: Option<String>,
}

/// Looks at the settings of the agent that these words start with this environment.
pub(super) fn look(words: &[OsString], environment: Vec<(OsString, OsString)>) -> Open {
    let (Some(agent), Ok(site)) = (agent(words), Site::new(false)) else { return Open::default() };
    let environment = Environment::of(environment.into_iter());
    let ground = Ground { environment, ..Ground::here() };
    match choices(&agent, &site, &ground) {
        Ok(choices) => Open {
            shell: choices.shell.and_then(|(shell, origin)| other(&agent, &shell, &origin)),
            hooks: choices.hooks_off.map(|key| {
                format!("{key} switches off the hooks of {}: what its own tools do to files and ask of hosts is not judged", agent.title)
            }),
        },
        Err(why) => Open {
            shell: Some(format!("which shell {} starts is not known: {why}", agent.title)),
            hooks: None,
        },
    }
}

/// Returns the agent whose program stands first.
fn agent(words: &[OsString]) -> Option<Agent> {
    let name = Path::new(words.first()?).file_name().and_then(OsStr::to_str)?;
    // What is known of agents is data of this program: a fault in it is found where all of it is read.
    let mut agents = install::agents().ok()?.into_iter();
    agents.find(|agent| agent.programs.iter().any(|program| program == name))
}

fn other(agent: &Agent, shell: &Path, origin: &str) -> Option<String> {
    let shown = visible(&shell.to_string_lossy()).into_owned();
    let said =
        || format!("{} starts '{shown}', from {origin}, and that is not guarded", agent.title);
    (!is_this_program(shell)).then(said)
}
