//! What an agent's settings, in this directory and with the environment that it will have, leave open: read before it starts.
//! Starts nothing and changes nothing; a program that is no known agent has no settings that are known.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::super::doctor::{choose, switched_off};
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
    Open { shell: other_shell(&agent, &site, &ground), hooks: no_hooks(&agent, &site) }
}

/// Returns the agent whose program stands first.
fn agent(words: &[OsString]) -> Option<Agent> {
    let name = Path::new(words.first()?).file_name().and_then(OsStr::to_str)?;
    // What is known of agents is data of this program: a fault in it is found where all of it is read.
    install::agents()
        .ok()?
        .into_iter()
        .find(|agent| agent.programs.iter().any(|program| program == name))
}

fn other_shell(agent: &Agent, site: &Site, ground: &Ground) -> Option<String> {
    match choose(agent, site, ground) {
        Ok(Some((shell, _))) if is_this_program(&shell) => None,
        Ok(Some((shell, origin))) => {
            let shell = visible(&shell.to_string_lossy()).into_owned();
            Some(format!(
                "{} starts '{shell}', from {origin}, and that is not guarded",
                agent.title
            ))
        }
        Ok(None) => None,
        Err(why) => Some(format!("which shell {} starts is not known: {why}", agent.title)),
    }
}

fn no_hooks(agent: &Agent, site: &Site) -> Option<String> {
    let key = switched_off(agent, site)?;
    Some(format!(
        "{key} switches off the hooks of {}: what its own tools do to files and ask of hosts is not judged",
        agent.title
    ))
}
