//! `setup`: all of it in one step: the agents that are here are guarded, the host starts by itself, `doctor` proves it, and a person sees what
//! a question looks like. What can be found out is not asked.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::failure::Failure;
use super::install::Site;
use super::output::say;
use super::typed::Consent;
use super::{desk, doctor, serve, typed, watch};
use crate::approval::page::Look;
use crate::approval::{visible, words};
use crate::install::{self, Agent, Parts, Plan, Scope};
use crate::ipc::{Client, Entry, State, place};
use crate::model::{Question, Scope as Covered, Score, Severity, Trying};
use crate::observe::{self, Environment, Peer};
use crate::pipeline::{self, VARIABLES, socket_directories};

/// Status where there is nothing to guard, or the person said no.
const NOTHING: u8 = 1;
/// The units, as they are called.
const SOCKET: &str = "guarded-sh.socket";
const SERVICE: &str = "guarded-sh.service";
const SOCKET_UNIT: &str = include_str!("../../shell-integration/systemd/guarded-sh.socket");
/// What a host needs to know of the person's environment.
const NEEDED: [&str; 14] = [
    "HOME",
    "USER",
    "LOGNAME",
    "PATH",
    "LANG",
    "LC_ALL",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "XDG_CACHE_HOME",
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
];

/// What starts the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Starter {
    /// The person's systemd.
    Systemd,
    /// The first guarded shell or hook that has a question.
    Guard,
}

pub(super) fn run(consent: Consent) -> Result<u8, Failure> {
    let environment = desk::person("set it up")?;
    let terminal = consent.terminal(&environment, "it is set up", "guarded-sh setup")?;
    let site = Site::new(false)?;
    let both = Parts { shell: true, hooks: true };
    let mut plans = Vec::new();
    for agent in install::agents()?.into_iter().filter(|agent| site.is_here(agent)) {
        // All that can be wrong is found before anything is changed.
        let plan = Plan::install(&agent, &Scope::User, both, &site.ground)?;
        plans.push((agent, plan));
    }
    if plans.is_empty() {
        let names: Vec<String> = install::agents()?.into_iter().map(|agent| agent.title).collect();
        say(&format!(
            "no agent was found here ({}): install one, and run this again\n",
            names.join(", ")
        ))?;
        return Ok(NOTHING);
    }
    let starter = starter();
    say(&intent(&site, &plans, starter))?;
    if let Some(terminal) = &terminal
        && !typed::agrees(terminal.try_clone()?, "Go on? [Y/n] ")?
    {
        say("nothing was changed\n")?;
        return Ok(NOTHING);
    }
    let agents: Vec<String> = plans.iter().map(|(agent, _)| agent.name.clone()).collect();
    site.ground.names.put(&site.programs()?)?;
    for (_, plan) in plans.into_iter().filter(|(_, plan)| !plan.is_none()) {
        plan.carry_out(&site.ground)?;
    }
    let files = host_files(&site, &environment, starter)?;
    install::host::put(&site.ground, &files)?;
    if starter == Starter::Systemd {
        systemctl(&["daemon-reload"])?;
        systemctl(&["enable", "--now", SOCKET])?;
    }
    say("\n")?;
    let status = doctor::prove(agents)?;
    if let Some(terminal) = terminal {
        practise(terminal, &environment)?;
    }
    let next = if status == 0 {
        "done: start your agent as ever"
    } else {
        "done but for what → says above"
    };
    say(&format!("\n{next}; `guarded-sh watch` in another terminal shows what waits for you\n"))?;
    Ok(status)
}

/// What will be done, in five lines.
fn intent(site: &Site, plans: &[(Agent, Plan)], starter: Starter) -> String {
    let mut text = site.output.bold("guarded-sh will guard what is here:") + "\n";
    let agents = plans.iter().map(|(agent, plan)| {
        let already = if plan.is_none() { " (guarded already)" } else { "" };
        format!("{}{already}", agent.title)
    });
    let changes = plans.iter().flat_map(|(_, plan)| &plan.changes);
    let files = changes.filter(|change| !change.is_none()).map(|change| site.short(&change.path));
    let files = files.collect::<Vec<_>>().join(", ");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  {:<12} {}", "agents", agents.collect::<Vec<_>>().join(", "));
    let _ =
        writeln!(text, "  {:<12} {}", "changes", if files.is_empty() { "no file" } else { &files });
    let by = match starter {
        Starter::Systemd => "your systemd starts it when something asks",
        Starter::Guard => "the first question starts it",
    };
    let _ = writeln!(text, "  {:<12} the service that asks you: {by}", "questions");
    let back = "`guarded-sh setup --undo` gives every file back byte for byte";
    let _ = writeln!(text, "  {:<12} {back}", "back");
    text
}

/// Returns whether the person has a systemd that listens.
fn starter() -> Starter {
    if systemctl(&["show-environment"]).is_ok() { Starter::Systemd } else { Starter::Guard }
}

fn systemctl(words: &[&str]) -> Result<(), Failure> {
    let mut command = Command::new("systemctl");
    command.arg("--user").args(words);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let failed = |what: String| {
        Failure::new(format!("cannot have systemd start the service: {what}"))
            .hint(format!("systemctl --user {}", words.join(" ")))
    };
    let ended = command.output().map_err(|error| failed(error.to_string()))?;
    let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
    if ended.status.success() { Ok(()) } else { Err(failed(said)) }
}

/// The files by which the host starts by itself.
fn host_files(
    site: &Site,
    environment: &Environment,
    starter: Starter,
) -> Result<Vec<(PathBuf, String)>, Failure> {
    let needed = NEEDED.iter().filter_map(|name| Some((*name, environment.get(name)?)));
    let variables: BTreeMap<&str, &str> = needed.collect();
    // Whose questions start it looks there, whatever HOME says.
    let home = pipeline::places(environment).home.ok_or(install::Error::NoHome)?;
    let text = serde_json::to_string_pretty(&variables)? + "\n";
    let mut files = vec![(home.join(VARIABLES), text)];
    if starter == Starter::Systemd {
        let units = site.ground.config.join("systemd/user");
        let service = serve::unit_of(&site.ground.names.program())?;
        // Where the person's own settings are, systemd may not know.
        let moved = variables.iter().filter(|(name, _)| name.starts_with("XDG_"));
        let own = moved.fold("[Service]\n".to_owned(), |text, (name, value)| {
            text + &format!("Environment=\"{name}={}\"\n", serve::quoted(value))
        });
        files.push((units.join(SERVICE), service.replacen("[Service]\n", &own, 1)));
        files.push((units.join(SOCKET), SOCKET_UNIT.to_owned()));
    }
    Ok(files)
}

/// Shows a question as real ones are shown. Whatever is answered, nothing runs.
fn practise(terminal: File, environment: &Environment) -> Result<(), Failure> {
    let look = Look::of(environment.get("TERM"), environment.get("NO_COLOR"));
    let Some(look) = look else { return Ok(()) };
    let language = pipeline::language(environment);
    let prompt = format!("{} [Y/n] ", language.say("practice-wanted"));
    if !typed::agrees(terminal.try_clone()?, &prompt)? {
        return Ok(());
    }
    let facts = observe::facts(environment);
    let entry = Entry {
        trying: Trying::Impossible,
        may_stop: false,
        id: "practice".to_owned(),
        question: Question {
            line: "rm notes.txt".to_owned(),
            cwd: facts.cwd,
            agent: Some("practice".to_owned()),
            program: None,
            session: None,
            severity: Severity::Medium,
            score: Score::within(Severity::Medium, 5),
            reason: "deletes 'notes.txt'".to_owned(),
            instead: None,
            findings: Vec::new(),
            // A rule that there is not: no rule for good is offered then.
            scope: Covered {
                severity: Severity::Medium,
                rules: vec!["practice".to_owned()],
                signatures: vec![vec!["rm".to_owned()]],
                ..Covered::default()
            },
            held: None,
            opinion: None,
            recent: crate::model::Recent::default(),
            files: None,
            difference: None,
            anew: None,
            client: None,
        },
        age: 0,
        state: State::Waiting { left: None },
    };
    let answered = watch::practise(terminal, look, facts.home, language, &entry)?;
    let text = match &answered {
        Some(answer) => {
            let how = words::answered(answer, language);
            language.tell("practice-said", &[("how", how.into())])
        }
        None => language.say("practice-left").into_owned(),
    };
    say(&format!("{}\n", visible(&text)))?;
    Ok(())
}

/// Takes all of it back.
pub(super) fn undo() -> Result<u8, Failure> {
    let environment = desk::person("take it back")?;
    let site = Site::new(false)?;
    let mut plans = Vec::new();
    for agent in install::agents()? {
        let plan = Plan::uninstall(&agent, &Scope::User, &site.ground)?;
        if plan.was_installed() || !plan.is_none() {
            plans.push((agent, plan));
        }
    }
    let units = site.ground.config.join("systemd/user").join(SOCKET);
    let has_units = units.exists();
    if has_units {
        // Where systemd is gone, its units go all the same.
        let _ = systemctl(&["disable", "--now", SOCKET, SERVICE]);
    }
    for (agent, plan) in plans {
        say(&format!("{} is as it was\n", agent.title))?;
        plan.carry_out(&site.ground)?;
    }
    if install::host::take(&site.ground)? {
        say("the service does not start by itself any more\n")?;
    }
    if has_units {
        // As above.
        let _ = systemctl(&["daemon-reload"]);
    }
    for directory in socket_directories(&environment) {
        end_service(&directory);
    }
    say(&site.stays())?;
    Ok(0)
}

/// Ends the user's own host that listens in a directory.
fn end_service(directory: &Path) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(1);
    let Ok(client) = Client::connect(&place::desk(directory, place::SERVICE), deadline) else {
        return;
    };
    let Ok(Some(peer)) = Peer::of(client.socket()) else { return };
    let is_ours = observe::is_service(peer.id()).is_ok() && peer.is_there() != Some(false);
    if let Some(id) = i32::try_from(peer.id()).ok().filter(|_| is_ours) {
        // It may have ended by itself.
        let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
    }
}
