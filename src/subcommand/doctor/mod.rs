//! `doctor`: whether each agent on this machine is guarded, shown by starting what the agent would start. It believes no setting: a guard that
//! does not refuse what it should refuse is none.
//!
//! What should be refused is a stand-in: it deletes what is not there, so that nothing is lost where nobody guards.

mod hook;
mod probe;
mod shell;
mod system;

use std::fmt::Write as _;

use serde::Serialize;

use super::arguments::DoctorArguments;
use super::failure::Failure;
use super::install::{ALL, SYSTEM, Site};
use super::output::print;
use crate::approval::visible;
use crate::config::Settings;
use crate::install::{self, Agent, Part, Parts};
use crate::model::Mode;
use crate::subcommand::ground::Ground;
use probe::Stand;

pub(super) use hook::switched_off;
pub(super) use shell::choose;

/// Status where something is not guarded.
const UNGUARDED: u8 = 1;

/// What was found of one agent.
#[derive(Serialize)]
struct Patient {
    agent: String,
    title: String,
    program: Option<String>,
    settings: String,
    shell: Finding,
    #[serde(skip_serializing_if = "Option::is_none")]
    hooks: Option<Finding>,
    /// The command, or what else is to be done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mend: Vec<String>,
}

/// Whether one way is guarded.
#[derive(Serialize)]
struct Finding {
    guarded: bool,
    /// What was looked at: a shell and where it comes from, commands of hooks.
    what: String,
    /// What it did.
    seen: String,
}

impl Finding {
    fn guarded(what: String) -> Self {
        let seen = "ran what is harmless, refused what is not".to_owned();
        Self { guarded: true, what, seen }
    }

    fn not(what: String, seen: impl Into<String>) -> Self {
        Self { guarded: false, what, seen: seen.into() }
    }
}

pub(super) fn run(arguments: &DoctorArguments) -> Result<u8, Failure> {
    let site = Site::new(false)?;
    let ground = Ground::here();
    let stand = Stand::make()?;
    let mut patients = Vec::new();
    for agent in install::agents()? {
        let named = arguments.agents.contains(&agent.name);
        let all = arguments.agents.is_empty() || arguments.agents.iter().any(|name| name == ALL);
        if named || (all && site.is_here(&agent)) {
            patients.push(look(&agent, &site, &ground, &stand));
        }
    }
    let asked = arguments.agents.iter().any(|name| name == SYSTEM);
    if asked || arguments.agents.is_empty() {
        let asked = if asked { system::Asked::Yes } else { system::Asked::No };
        patients.extend(system::look(asked, &stand)?);
    }
    let text = if arguments.json {
        format!("{}\n", serde_json::to_string(&patients)?)
    } else {
        page(&patients, &site, ground.settings().ok().as_ref())
    };
    print(&text)?;
    let is_guarded = |hooks: &Option<Finding>| hooks.as_ref().is_none_or(|hooks| hooks.guarded);
    let fine = patients.iter().all(|patient| patient.shell.guarded && is_guarded(&patient.hooks));
    Ok(if fine { 0 } else { UNGUARDED })
}

fn look(agent: &Agent, site: &Site, ground: &Ground, stand: &Stand) -> Patient {
    let shell = shell::look(agent, site, ground, stand);
    let hooks = hook::look(agent, site, stand);
    let mut mend = Vec::new();
    for (part, finding, option) in
        [(Part::Shell, &shell, " --shell"), (Part::Hooks, &hooks, " --hooks")]
    {
        if finding.guarded {
            continue;
        }
        // What no file of its settings can hold is a person's to do.
        let can = agent.files.iter().any(|file| file.part == part);
        let both =
            !shell.guarded && !hooks.guarded && agent.files.iter().any(|f| f.part == Part::Shell);
        let command =
            format!("guarded-sh install {}{}", agent.name, if both { "" } else { option });
        if can && !mend.contains(&command) {
            mend.push(command);
        }
        if !can {
            let parts = Parts { shell: part == Part::Shell, hooks: part == Part::Hooks };
            mend.extend(site.advice(agent, parts).lines().map(str::to_owned));
        }
    }
    Patient {
        agent: agent.name.clone(),
        title: agent.title.clone(),
        program: site.program(agent).map(|path| path.to_string_lossy().into_owned()),
        settings: site.ground.settings(agent).to_string_lossy().into_owned(),
        shell,
        hooks: Some(hooks),
        mend,
    }
}

fn page(patients: &[Patient], site: &Site, settings: Option<&Settings>) -> String {
    let output = site.output;
    let mut text = String::new();
    if patients.is_empty() {
        text.push_str("no agent was found here\n");
    }
    for (index, patient) in patients.iter().enumerate() {
        let gap = if index > 0 { "\n" } else { "" };
        let program = match (&patient.program, &patient.hooks) {
            (Some(program), _) => format!("{program}, "),
            (None, Some(_)) => "not on PATH, ".to_owned(),
            (None, None) => String::new(),
        };
        let place = output.dim(&visible(&format!("{program}{}", patient.settings)));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{gap}{}  {place}", output.bold(&patient.title));
        let hooks = patient.hooks.iter().map(|hooks| ("hooks", hooks));
        for (name, finding) in std::iter::once(("shell", &patient.shell)).chain(hooks) {
            let state = if finding.guarded { "guarded" } else { "NOT GUARDED" };
            let what = output.dim(&visible(&finding.what));
            let _ = writeln!(
                text,
                "  {name}  {state:<11}  {}\n  {:<20}{what}",
                visible(&finding.seen),
                ""
            );
        }
        for mend in &patient.mend {
            let _ = writeln!(text, "  → {}", visible(mend));
        }
    }
    if settings.is_some_and(|settings| settings.mode.value == Mode::Shadow) {
        text.push_str("\nthe settings say `mode = \"shadow\"`: nothing is refused anywhere\n");
    }
    text
}
