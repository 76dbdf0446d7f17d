//! What an agent's settings, in this directory and with the environment that it will have, leave open: read before it starts.
//! Starts nothing and changes nothing; a program that is no known agent has no settings that are known.

use std::ffi::{OsStr, OsString};
use std::iter;
use std::path::Path;

use super::super::doctor::choices;
use super::super::ground::Ground;
use super::super::install::Site;
use crate::approval::visible;
use crate::install::{self, Agent};
use crate::model::Arg;
use crate::observe::{Ancestor, Environment, agent_of, is_this_program};
use crate::pipeline::{Request, World};

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
    let (Some(begun), Ok(site)) = (Begun::by(words), Site::new(false)) else {
        return Open::default();
    };
    let Begun { agent, variables } = begun;
    let others = environment
        .into_iter()
        .filter(|(name, _)| variables.iter().all(|(set, _)| OsStr::new(set) != name));
    let set = variables.iter().map(|(name, value)| (name.into(), value.into()));
    let environment = Environment::of(others.chain(set));
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

/// An agent that is about to begin.
struct Begun {
    agent: Agent,
    /// What the words set for it.
    variables: Vec<(String, String)>,
}

impl Begun {
    /// Finds the agent that words start, themselves or by what they carry (`env A=b claude`, `npx claude`, `node gemini.js`): they are read as
    /// the same words of a line are.
    fn by(words: &[OsString]) -> Option<Self> {
        let texts: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let line = shell_words::join(&texts);
        let read = World::read().and_then(|world| world.judge(&Request::about(line.as_bytes())));
        // Where the settings are broken the words are what is known.
        let planned = read.map(|judgement| judgement.plan.commands).unwrap_or_default();
        let planned = planned.iter().map(|command| {
            let known = command.argv.iter().map_while(Arg::known).map(OsString::from);
            let set = command.environment.iter();
            let set =
                set.filter_map(|(name, value)| Some((name.clone(), value.known()?.to_owned())));
            (known.collect::<Vec<_>>(), set.collect::<Vec<_>>())
        });
        // What is known of agents is data of this program: a fault in it is found where all of it is read.
        let agents = install::agents().ok()?;
        iter::once((words.to_vec(), Vec::new())).chain(planned).find_map(|(command, variables)| {
            let name = agent_of(&Ancestor { command, ..Ancestor::default() })?;
            let agent = agents.iter().find(|agent| agent.name == name)?.clone();
            Some(Self { agent, variables })
        })
    }
}

fn other(agent: &Agent, shell: &Path, origin: &str) -> Option<String> {
    let shown = visible(&shell.to_string_lossy()).into_owned();
    let said =
        || format!("{} starts '{shown}', from {origin}, and that is not guarded", agent.title);
    (!is_this_program(shell)).then(said)
}
