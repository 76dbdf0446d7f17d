//! The hooks of an agent: the commands that its settings name before a tool runs, each given the events that the agent would give it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::probe::{Outcome, Stand, run};
use super::shell::said;
use super::{Finding, Flaw, Mend};
use crate::install::{self, Agent, Off, Set, is_hook, untrusted};
use crate::observe::Environment;
use crate::subcommand::install::Site;

/// The status that refuses in every agent, with a reason on stderr.
const REFUSED: i32 = 2;

pub(super) fn look(
    agent: &Agent,
    site: &Site,
    stand: &Stand,
    environment: &Environment,
    settings: &[(PathBuf, Value)],
) -> Finding {
    if let Some(off) = off(agent, site, environment, settings) {
        let Switch { what, place, mend } = off;
        let mend = Mend::Said(mend);
        return Finding { mend, ..Finding::not(place, format!("`{what}` switches the hooks off")) };
    }
    match found(agent, site, settings) {
        Ok((command, what)) => match prove(agent, &command, stand) {
            Ok(()) => Finding::guarded(what),
            Err(flaw) => Finding::flawed(what, flaw),
        },
        Err((what, why)) => Finding::not(what, why),
    }
}

/// What switches hooks off.
struct Switch {
    what: String,
    /// Where it stands.
    place: String,
    /// What is to be done about it.
    mend: String,
}

/// Returns what switches off hooks of ours that are installed, and where it stands.
pub(super) fn switched_off(
    agent: &Agent,
    site: &Site,
    environment: &Environment,
    settings: &[(PathBuf, Value)],
) -> Option<String> {
    let Switch { what, place, .. } = off(agent, site, environment, settings)?;
    let is_installed = match &agent.hook.plugin {
        Some(plugin) => site.ground.settings(agent).join(plugin).exists(),
        None => settings.iter().any(|(_, value)| ours(agent, value).is_some()),
    };
    is_installed.then(|| format!("`{what}` in {place}"))
}

/// Returns the first thing that switches hooks off. A file that is overruled counts too: which one rules differs from client to client.
fn off(
    agent: &Agent,
    site: &Site,
    environment: &Environment,
    settings: &[(PathBuf, Value)],
) -> Option<Switch> {
    agent.hook.off.iter().find_map(|off| match off {
        Off::Variable(name) => {
            let value = environment.get(name).filter(|value| is_yes(value))?;
            let (what, place) = (format!("{name}={value}"), "the environment".to_owned());
            Some(Switch { what, place, mend: format!("unset {name}") })
        }
        Off::Setting(set) => {
            let (path, _) = settings.iter().find(|(_, value)| has(value, set))?;
            let (key, place) = (set.key.join("."), site.short(path));
            let what = if set.value == "true" { key } else { format!("{key} = {}", set.value) };
            let mend = format!("take `{what}` out of {place}");
            Some(Switch { what, place, mend })
        }
    })
}

/// Returns whether a key has a value, or a list that has it.
fn has(settings: &Value, set: &Set) -> bool {
    let found = set.key.iter().try_fold(settings, |value, name| value.get(name));
    // What is known of agents is data of this program, and a test reads all of it.
    let (Some(found), Ok(wanted)) = (found, serde_json::from_str::<Value>(&set.value)) else {
        return false;
    };
    *found == wanted || found.as_array().is_some_and(|items| items.contains(&wanted))
}

/// Returns whether a variable says yes, as clients read it.
fn is_yes(value: &str) -> bool {
    value == "1" || value.eq_ignore_ascii_case("true")
}

/// Returns our entry among the hooks of a file of settings.
fn ours<'a>(agent: &Agent, settings: &'a Value) -> Option<&'a Value> {
    let entries = agent.hook.at.iter().try_fold(settings, |value, name| value.get(name))?;
    let mut commands = entries.as_array()?.iter().flat_map(|entry| {
        let inner = entry.get("hooks").and_then(Value::as_array);
        inner.map_or_else(|| vec![entry], |inner| inner.iter().collect())
    });
    commands.find(|hook| is_hook(hook, &agent.name))
}

type Missing = (String, String);

/// The command that the agent runs, and where it stands.
fn found(
    agent: &Agent,
    site: &Site,
    all: &[(PathBuf, Value)],
) -> Result<(String, String), Missing> {
    let home = site.short(&site.ground.settings(agent));
    if let (Some(plugin), Some(start)) = (&agent.hook.plugin, &agent.hook.start) {
        let path = site.ground.settings(agent).join(plugin);
        if !install::is_current(agent, &site.ground).unwrap_or(false) {
            return Err((site.short(&path), "the plugin is not there as it should be".to_owned()));
        }
        return Ok((site.words(agent).fill(start), site.short(&path)));
    }
    let event = agent.hook.at.join(".");
    for (path, value) in all {
        if let Some(hook) = ours(agent, value) {
            trusted(agent, site, path, value)?;
            let command = ["command", "bash"].iter().find_map(|key| hook.get(key)?.as_str());
            let what = format!("`{event}` in {}", site.short(path));
            return Ok((command.unwrap_or_default().to_owned(), what));
        }
    }
    Err((home, format!("no command of ours stands in `{event}`")))
}

/// Where an agent runs only what it trusts, it must trust ours.
fn trusted(agent: &Agent, site: &Site, path: &Path, hooks: &Value) -> Result<(), Missing> {
    for file in agent.files.iter().filter(|file| file.trusts.is_some()) {
        let Some(settings) = site.ground.path(agent, file, &install::Scope::User) else { continue };
        let text = std::fs::read_to_string(&settings).unwrap_or_default();
        if let Some(key) = untrusted(&text, hooks, path, &agent.name).first() {
            return Err((
                site.short(&settings),
                format!("it does not trust `{key}`, and runs none of it"),
            ));
        }
    }
    Ok(())
}

/// Gives it two events: what is harmless must not be refused, and what is not must be.
fn prove(agent: &Agent, command: &str, stand: &Stand) -> Result<(), Flaw> {
    let outcome = start(agent, command, stand, &Stand::harmless())?;
    if outcome.status != Some(0) || refuses(agent, &outcome) {
        // The words before a hook's call say so where the guard is gone.
        let is_gone = outcome.err.contains("the guard is gone");
        let none = || format!("refuses what is harmless: {}", said(&outcome));
        return Err(if is_gone { none().into() } else { Flaw::of(&outcome, none) });
    }
    let outcome = start(agent, command, stand, &Stand::dangerous())?;
    if refuses(agent, &outcome) {
        Ok(())
    } else {
        Err(format!("lets through what it should refuse: {}", said(&outcome)).into())
    }
}

fn refuses(agent: &Agent, outcome: &Outcome) -> bool {
    if outcome.status == Some(REFUSED) && !outcome.err.trim().is_empty() {
        return true;
    }
    let answer: Option<Value> = serde_json::from_str(&outcome.out).ok();
    let says =
        |key: &[String]| key.iter().try_fold(answer.as_ref()?, |value, name| value.get(name));
    outcome.status == Some(0)
        && agent.hook.refuses.iter().any(|refuses| {
            says(&refuses.key).and_then(Value::as_str) == Some(refuses.value.as_str())
        })
}

fn start(agent: &Agent, command: &str, stand: &Stand, line: &str) -> Result<Outcome, String> {
    let inside = |text: &str| {
        let quoted = serde_json::json!(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    };
    let directory = stand.directory().to_string_lossy();
    let event =
        agent.hook.event.replace("{cwd}", &inside(&directory)).replace("{line}", &inside(line));
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).envs(&agent.hook.env).current_dir(stand.directory());
    run(&mut shell, &event)
}
