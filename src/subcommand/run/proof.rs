//! What an agent's settings, in this directory and with the environment that it will have, leave open: read before it starts.
//! Starts nothing and changes nothing; a program that is no known agent has no settings that are known.

use std::ffi::{OsStr, OsString};
use std::iter;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::super::doctor::choices;
use super::super::ground::Ground;
use super::super::install::Site;
use crate::approval::visible;
use crate::host::relay;
use crate::install::{self, Agent, Means};
use crate::model::Arg;
use crate::observe::{Ancestor, Environment, agent_of, is_this_program};
use crate::pipeline::{Request, World};

/// What is left open.
#[derive(Debug, Default)]
pub(super) struct Open {
    /// The shell that is not the guard, and what names it, in a sentence. The guard begins in its place where the agent's processes are watched.
    pub(super) shell: Option<String>,
    /// What makes the agent start the guard where they are not.
    pub(super) means: Option<Means>,
    /// What switches off the hooks that were installed.
    pub(super) hooks: Option<String>,
}

/// Looks at the settings of the agent that these words start with this environment.
pub(super) fn look(words: &[OsString], environment: Vec<(OsString, OsString)>) -> Open {
    let (Some(begun), Ok(site)) = (Begun::by(words), Site::new(false)) else {
        return Open::default();
    };
    let Begun { agent, variables, is_first } = begun;
    let others = environment
        .into_iter()
        .filter(|(name, _)| variables.iter().all(|(set, _)| OsStr::new(set) != name));
    let set = variables.iter().map(|(name, value)| (name.into(), value.into()));
    let environment = Environment::of(others.chain(set));
    let ground = Ground { environment, ..Ground::here() };
    match choices(&agent, &site, &ground) {
        Ok(choices) => {
            let named = choices.shell.as_ref();
            let origin = named.map(|(_, origin)| origin.as_str());
            let means = agent.session.clone().filter(|means| {
                // Words stand behind the agent's own program, and not behind what starts that.
                (is_first || means.words.is_empty())
                    && wins(means, origin)
                    && !is_said(means, words, &ground.environment)
            });
            let shell =
                named.and_then(|(shell, origin)| other(&agent, shell, origin, means.as_ref()));
            let hooks = choices.hooks_off.map(|key| {
                format!("{key} switches off the hooks of {}: what its own tools do to files and ask of hosts is not judged", agent.title)
            });
            Open { shell, means, hooks }
        }
        Err(why) => Open {
            shell: Some(format!("which shell {} starts is not known: {why}", agent.title)),
            hooks: None,
            means: None,
        },
    }
}

/// Whether means win over the settings that name the agent's shell.
fn wins(means: &Means, origin: Option<&str>) -> bool {
    origin.is_none_or(|origin| !means.except.iter().any(|file| origin.contains(file)))
}

/// Whether the person says something themselves where means would: theirs counts.
fn is_said(means: &Means, words: &[OsString], environment: &Environment) -> bool {
    let is_given = |option: &String| {
        let option = option.as_bytes();
        option.starts_with(b"-") && words.iter().any(|word| word.as_bytes().starts_with(option))
    };
    means.words.iter().any(is_given) || means.environment.keys().any(|name| environment.has(name))
}

impl Open {
    /// Returns how the agent is started where nobody watches, if otherwise: with this shell in the place of others.
    pub(super) fn unwatched(&self, words: &[OsString], bash: &Path) -> Option<relay::Unwatched> {
        let means = self.means.as_ref()?;
        let bash = bash.to_string_lossy();
        let fill = |text: &String| OsString::from(text.replace("{bash}", &bash));
        let set = means.environment.iter();
        let environment = set.map(|(name, value)| (name.into(), fill(value))).collect();
        let own = means.words.iter().map(fill);
        let (first, rest) = words.split_at(words.len().min(1));
        let words = first.iter().cloned().chain(own).chain(rest.iter().cloned()).collect();
        Some(relay::Unwatched { words, environment })
    }
}

/// An agent that is about to begin.
struct Begun {
    agent: Agent,
    /// What the words set for it.
    variables: Vec<(String, String)>,
    /// Whether it is the first of the words.
    is_first: bool,
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
        let mut all = iter::once((words.to_vec(), Vec::new())).chain(planned).enumerate();
        all.find_map(|(at, (command, variables))| {
            // An interpreter's words come before those of its program.
            let own = command.first().map(Path::new).and_then(Path::file_name);
            let own = own.map(OsStr::to_owned);
            let name = agent_of(&Ancestor { command, ..Ancestor::default() })?;
            let agent = agents.iter().find(|agent| agent.name == name)?.clone();
            let is_own =
                own.is_some_and(|own| agent.programs.iter().any(|known| own == known.as_str()));
            Some(Self { agent, variables, is_first: at == 0 && is_own })
        })
    }
}

fn other(agent: &Agent, shell: &Path, origin: &str, means: Option<&Means>) -> Option<String> {
    let shown = visible(&shell.to_string_lossy()).into_owned();
    let follows = match means {
        None => "and that is not guarded",
        Some(_) => "and is told to start the guard instead in this session",
    };
    let said = || format!("{} starts '{shown}', from {origin}, {follows}", agent.title);
    (!is_this_program(shell)).then(said)
}
