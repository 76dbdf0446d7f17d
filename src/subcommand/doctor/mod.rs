//! `doctor`: whether each agent on this machine is guarded, shown by starting what the agent would start. It believes no setting: a guard that
//! does not refuse what it should refuse is none.
//!
//! What should be refused is a stand-in: it deletes what is not there, so that nothing is lost where nobody guards.

mod container;
mod expect;
mod hook;
mod page;
mod probe;
mod shell;
mod system;
mod version;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::arguments::{DoctorArguments, Reader};
use super::desk;
use super::failure::Failure;
use super::install::{ALL, SYSTEM, Site};
use super::output::{padded, print, say};
use crate::approval::visible;
use crate::audit;
use crate::config::{self, Loaded, Settings};
use crate::fence::{self, Kernel};
use crate::install::{self, Agent, Part, Parts};
use crate::ipc::place;
use crate::model::{Fence, Forward, Mode};
use crate::pipeline::{VARIABLES, socket_directories};
use crate::subcommand::ground::Ground;
use crate::witness;
pub(super) use expect::Expected;
use probe::{Outcome, Stand};

/// What is said where a guarded shell cannot know of a yes in the agent's own dialog.
const NO_HOST: &str = "
nobody listens for questions: a yes in an agent's own dialog does not reach its guarded shell
  → guarded-sh setup has the service start by itself
";

/// Status where something is not guarded.
const UNGUARDED: u8 = 1;
/// Status where all is guarded, and something is not as expected.
const UNEXPECTED: u8 = 3;

/// What was found, for programs.
#[derive(Serialize)]
struct Wire<'p> {
    version: &'static str,
    /// The digest of settings and rules in force; null where they are broken.
    policy: Option<String>,
    agents: &'p [Patient],
    expected: &'p [expect::Compared],
}

/// What was found of one agent.
#[derive(Serialize)]
struct Patient {
    agent: String,
    title: String,
    /// What its program says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    program: Option<String>,
    settings: String,
    shell: Finding,
    #[serde(skip_serializing_if = "Option::is_none")]
    hooks: Option<Finding>,
    /// The command, or what else is to be done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mend: Vec<String>,
    /// What is good to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<String>,
}

impl Patient {
    /// Returns whether what the agent does is judged: by shell and hooks where its settings can hold both, else by what they can hold.
    fn is_guarded(&self) -> bool {
        let hooks = self.hooks.as_ref().is_none_or(|hooks| hooks.guarded);
        hooks && (self.shell.guarded || self.shell.mend == Mend::Hooks)
    }
}

/// Whether one way is guarded.
#[derive(Serialize)]
struct Finding {
    guarded: bool,
    /// What was looked at: a shell and where it comes from, commands of hooks.
    what: String,
    /// What it did.
    seen: String,
    #[serde(skip)]
    mend: Mend,
}

/// What mends a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Mend {
    /// To install.
    Install,
    /// Nothing: no settings can hold it, and the hooks judge what it would.
    Hooks,
    /// What a setting, or the guard itself, has to be helped with.
    Said(String),
    /// The same, where the guard says what is wrong, and refuses everything.
    Broken(String),
}

/// Why something is not guarded.
struct Flaw {
    seen: String,
    mend: Mend,
}

impl From<String> for Flaw {
    fn from(seen: String) -> Self {
        Self { seen, mend: Mend::Install }
    }
}

impl Flaw {
    /// What it did, if it is not the guard; else what the guard says.
    fn of(outcome: &Outcome, none: impl FnOnce() -> String) -> Self {
        match outcome.own_words() {
            None => none().into(),
            Some((seen, hint)) => {
                let usual =
                    || "mend what it says; `guarded-sh config` shows the settings".to_owned();
                let mend = Mend::Broken(hint.unwrap_or_else(usual));
                Self { seen: format!("refuses everything: {seen}"), mend }
            }
        }
    }
}

impl Finding {
    fn guarded(what: String) -> Self {
        let seen = "ran what is harmless, refused what is not".to_owned();
        Self { guarded: true, what, seen, mend: Mend::Install }
    }

    fn not(what: String, seen: impl Into<String>) -> Self {
        Self::flawed(what, seen.into().into())
    }

    fn flawed(what: String, flaw: Flaw) -> Self {
        Self { guarded: false, what, seen: flaw.seen, mend: flaw.mend }
    }

    /// How it stands, in a word.
    const fn state(&self) -> &'static str {
        match (self.guarded, &self.mend) {
            (true, _) => "guarded",
            (false, Mend::Hooks) => "by hooks",
            (false, Mend::Broken(_)) => "BROKEN",
            (false, Mend::Install | Mend::Said(_)) => "NOT GUARDED",
        }
    }
}

/// Proves that these agents are guarded: what was seen, for people, and the exit status.
pub(super) fn prove(agents: Vec<String>) -> Result<u8, Failure> {
    run(&DoctorArguments { agents, expect: Vec::new(), json: false })
}

pub(super) fn run(arguments: &DoctorArguments) -> Result<u8, Failure> {
    // It starts programs by names that whoever calls it chooses.
    desk::person("have it start what agents start")?;
    let site = Site::new(false)?;
    let ground = Ground::here();
    let loaded = config::load(&ground.request()).ok();
    let compared = expect::compare(&arguments.expect, &ground, loaded.as_ref())?;
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
    match Reader::from(arguments.json) {
        Reader::Program => {
            let policy = loaded.map(|loaded| loaded.digest.to_string());
            let version = env!("CARGO_PKG_VERSION");
            let wire = Wire { version, policy, agents: &patients, expected: &compared };
            print(&format!("{}\n", serde_json::to_string(&wire)?))?;
        }
        Reader::Person => {
            let mut text = told(&patients, &site, &ground, loaded.as_ref());
            text.push_str(&expect::lines(&compared, site.output));
            say(&text)?;
            ground.tell_place(site.output);
        }
    }
    let are_guarded = !patients.is_empty() && patients.iter().all(Patient::is_guarded);
    Ok(match are_guarded {
        false => UNGUARDED,
        true if compared.iter().all(|one| one.met) => 0,
        true => UNEXPECTED,
    })
}

/// Says of each agent how it stands, and then what holds for all of them.
fn told(patients: &[Patient], site: &Site, ground: &Ground, loaded: Option<&Loaded>) -> String {
    // Rules that are broken hide no setting.
    let alone = if loaded.is_none() { ground.settings().ok() } else { None };
    let settings = loaded.map(|loaded| &loaded.settings).or(alone.as_ref());
    let mut text = page(patients, site, settings);
    let knows_yes = patients.iter().any(|patient| patient.hooks.is_some() && patient.shell.guarded);
    if knows_yes && !has_host(ground) {
        text.push_str(NO_HOST);
    }
    text.push_str(&paused_line(ground));
    if let Some(settings) = settings {
        text.push_str(&fence_line(settings.fence.value, fence::kernel()));
        text.push_str(&container::line(settings.contain.value));
        text.push_str(&collector_line(settings.record.forward.value.as_ref()));
        text.push_str(&page::lines(&settings.page));
        if settings.record.ran.value && !witness::can_be() {
            text.push_str(NO_WITNESS);
        }
    }
    if let Some(loaded) = loaded {
        text.extend(loaded.settings.broken.iter().map(|path| broken_line(path)));
        for warning in &loaded.settings.warnings {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "note: {}", visible(&warning.to_string()));
        }
    }
    text
}

/// The agents that are here, each with whether it is guarded, and whether a person can be asked for them.
pub(super) struct Agents {
    pub(super) found: Vec<(String, bool)>,
    pub(super) has_host: bool,
}

/// Looks at all agents that are here.
pub(super) fn agents() -> Result<Agents, Failure> {
    let (site, ground, stand) = (Site::new(false)?, Ground::here(), Stand::make()?);
    let mut found = Vec::new();
    for agent in install::agents()?.iter().filter(|agent| site.is_here(agent)) {
        let patient = look(agent, &site, &ground, &stand);
        found.push((agent.title.clone(), patient.is_guarded()));
    }
    Ok(Agents { found, has_host: has_host(&ground) })
}

/// What an agent's settings choose, as they are read.
pub(super) struct Choices {
    /// The shell, and what names it.
    pub(super) shell: Option<(PathBuf, String)>,
    /// What switches off hooks of ours that are installed.
    pub(super) hooks_off: Option<String>,
}

/// Reads what an agent's settings choose with this environment; starts nothing.
pub(super) fn choices(agent: &Agent, site: &Site, ground: &Ground) -> Result<Choices, String> {
    let settings = shell::settings(agent, site)?.files;
    let shell = shell::choose(agent, site, ground, &settings);
    Ok(Choices {
        shell: shell.map(|chosen| (chosen.shell, chosen.origin)),
        hooks_off: hook::switched_off(agent, site, &ground.environment, &settings),
    })
}

/// Returns whether a host listens, or starts when something asks.
fn has_host(ground: &Ground) -> bool {
    let listens = |directory: &PathBuf| place::is_heard(&place::ask(directory, place::SERVICE));
    ground.places.home.as_ref().is_some_and(|home| home.join(VARIABLES).exists())
        || socket_directories(&ground.environment).iter().any(listens)
}

/// Says that a person wants to be told of no question for now, where that is so.
fn paused_line(ground: &Ground) -> String {
    // Who cannot speak to the hosts sees why elsewhere.
    let hosts = desk::questions(&ground.environment).unwrap_or_default();
    desk::paused(&hosts).map_or_else(String::new, |paused| {
        let minutes = paused.left.div_ceil(60);
        format!(
            "paused   {}, for {minutes} min more: nobody is told of questions, and they wait; `guarded-sh pause off` ends it\n",
            paused.by.words()
        )
    })
}

fn look(agent: &Agent, site: &Site, ground: &Ground, stand: &Stand) -> Patient {
    let (mut shell, hooks, ignored) = match shell::settings(agent, site) {
        Ok(taken) => (
            shell::look(agent, site, ground, stand, &taken.files),
            hook::look(agent, site, stand, &ground.environment, &taken.files),
            taken.ignored,
        ),
        Err(error) => {
            let finding = || Finding::not("its settings".to_owned(), error.clone());
            (finding(), finding(), Vec::new())
        }
    };
    let can = |part: Part| agent.files.iter().any(|file| file.part == part);
    if !can(Part::Shell) && !shell.guarded && hooks.guarded && shell.mend == Mend::Install {
        shell.mend = Mend::Hooks;
        "is no guard; the hooks judge its lines before it gets them".clone_into(&mut shell.seen);
    }
    let program = site.program(agent);
    let version = program.as_deref().and_then(|program| version::of(program, stand));
    let mut remarks = ignored;
    if shell.mend == Mend::Hooks && !shell.guarded {
        let second = |todo: String| format!("a second lock, if you want one, {todo}");
        remarks.extend(advice(agent, site, Part::Shell).into_iter().map(second));
    }
    if hooks.guarded {
        remarks.extend(advice(agent, site, Part::Hooks));
        remarks.extend(version::remarks(agent, version.as_deref()));
    }
    let mend = mends(agent, site, &shell, &hooks);
    Patient {
        agent: agent.name.clone(),
        title: agent.title.clone(),
        version,
        program: program.map(|path| path.to_string_lossy().into_owned()),
        settings: site.ground.settings(agent).to_string_lossy().into_owned(),
        shell,
        hooks: Some(hooks),
        mend,
        remarks,
    }
}

fn advice(agent: &Agent, site: &Site, part: Part) -> Vec<String> {
    let parts = Parts { shell: part == Part::Shell, hooks: part == Part::Hooks };
    site.advice(agent, parts).lines().map(str::to_owned).collect()
}

/// What is to be done.
fn mends(agent: &Agent, site: &Site, shell: &Finding, hooks: &Finding) -> Vec<String> {
    let can = |part: Part| agent.files.iter().any(|file| file.part == part);
    let installs = |finding: &Finding| !finding.guarded && finding.mend == Mend::Install;
    let both = installs(shell) && installs(hooks) && can(Part::Shell);
    let mut mends = Vec::new();
    for (part, finding, option) in
        [(Part::Shell, shell, " --shell"), (Part::Hooks, hooks, " --hooks")]
    {
        let mend = match &finding.mend {
            _ if finding.guarded => continue,
            Mend::Hooks => continue,
            Mend::Said(what) | Mend::Broken(what) => vec![what.clone()],
            Mend::Install if can(part) => {
                let option = if both { "" } else { option };
                vec![format!("guarded-sh install {}{option}", agent.name)]
            }
            // What no file of its settings can hold is a person's to do.
            Mend::Install => advice(agent, site, part),
        };
        for one in mend {
            if !mends.contains(&one) {
                mends.push(one);
            }
        }
    }
    mends
}

/// Says that what a project wants counts for nothing here.
fn broken_line(path: &Path) -> String {
    let path = visible(&path.to_string_lossy()).into_owned();
    format!(
        "{path} is broken, and passed over since nobody trusted it: lines here are judged without it; `guarded-sh config` shows why\n"
    )
}

/// What takes a filter of system calls.
const FILTERED: &str = "typing into terminals, limits of other processes, and TCP by ways of which Landlock does not know (no filter of system calls can \
    be put on)";

/// Says what holds lines to their plans here.
fn fence_line(setting: Fence, kernel: Kernel) -> String {
    let state = match (setting, kernel) {
        (Fence::Off, _) => "off: nothing holds a line to its plan but the judgement".to_owned(),
        (_, Kernel::Nothing) => "NOT HERE: this kernel has no Landlock, so lines run unheld".to_owned(),
        (_, Kernel::TooOld) => {
            "NOT HERE: the Landlock of this kernel is too old (before Linux 5.19), so lines run unheld".to_owned()
        }
        (Fence::Report, Kernel::Version(_)) => "report: the record says how lines would be held".to_owned(),
        (Fence::Agents | Fence::On, Kernel::Version(version)) => {
            let lacks = [(3, "truncate(2)"), (4, "TCP"), (6, "signals and abstract sockets")];
            let lacks = lacks.iter().filter(|(from, _)| version < *from).map(|(_, what)| *what);
            let lacks: Vec<&str> =
                lacks.chain((!fence::has_filters()).then_some(FILTERED)).collect();
            let whose = if setting == Fence::On { "on" } else { "on for agents" };
            match lacks.as_slice() {
                [] => format!("{whose}: Landlock {version}"),
                lacks => {
                    format!("{whose}: Landlock {version}, which does not hold {}", lacks.join(", "))
                }
            }
        }
    };
    format!("\nfence  {state}\n")
}

const NO_WITNESS: &str = "record.ran  NOT HERE: the kernel tells nobody of what starts (before Linux 5.5, or what holds this process forbids it), so it is not recorded what really ran\n";

/// Says where nobody takes the records that are to be sent somewhere.
fn collector_line(forward: Option<&Forward>) -> String {
    let Some((to, error)) = forward.and_then(|to| Some((to, audit::forward::connect(to).err()?)))
    else {
        return String::new();
    };
    let (to, path) = (visible(&to.to_string()).into_owned(), to.path().display().to_string());
    format!(
        "record.forward  NOT TAKEN: {to} does not answer at {} ({error}); records are kept here alone\n",
        visible(&path)
    )
}

fn page(patients: &[Patient], site: &Site, settings: Option<&Settings>) -> String {
    let output = site.output;
    let mut text = String::new();
    if patients.is_empty() {
        text.push_str("no agent was found here, so nothing is guarded\n");
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
        let version = patient.version.as_ref().map(|version| format!(" {version}"));
        let title = format!("{}{}", patient.title, version.unwrap_or_default());
        let _ = writeln!(text, "{gap}{}  {place}", output.bold(&title));
        let hooks = patient.hooks.iter().map(|hooks| ("hooks", hooks));
        for (name, finding) in std::iter::once(("shell", &patient.shell)).chain(hooks) {
            let state = padded(finding.state(), 11);
            let state = if finding.guarded { state } else { output.alarm(&state) };
            let what = output.dim(&visible(&finding.what));
            let _ =
                writeln!(text, "  {name}  {state}  {}\n  {:<20}{what}", visible(&finding.seen), "");
        }
        for mend in &patient.mend {
            let _ = writeln!(text, "  → {}", visible(mend));
        }
        for remark in &patient.remarks {
            let _ = writeln!(text, "  · {}", visible(remark));
        }
    }
    if settings.is_some_and(|settings| settings.mode.value == Mode::Shadow) {
        text.push_str("\nthe settings say `mode = \"shadow\"`: nothing is refused anywhere\n");
    }
    text
}
