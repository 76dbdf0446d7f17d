//! `install`, `uninstall`: agents' settings changed, with what changes shown.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use clap::builder::PossibleValuesParser;
use similar::{ChangeTag, TextDiff};

use super::arguments::{InstallArguments, InstallPlace, UninstallArguments};
use super::desk;
use super::failure::Failure;
use super::ground::Ground;
use super::output::{Output, cut, say, short, width};
use super::typed::Consent;
use crate::approval::visible;
use crate::config;
use crate::install::{
    self, Advice, Agent, Change, Error, Names, Part, Parts, Plan, Programs, Scope, Words, system,
};
use crate::observe::Environment;

/// Columns of a line of settings that are shown at most.
const WIDEST: usize = 200;

/// Status where the person said no.
const NOTHING: u8 = 1;

/// The word for every agent.
pub(super) const ALL: &str = "all";

/// The word for the system's own shells.
pub(super) const SYSTEM: &str = "system";

/// Returns the words that name agents.
pub(super) fn agents() -> PossibleValuesParser {
    PossibleValuesParser::new(install::names().chain([ALL]))
}

/// Returns the words that name what can be installed into.
pub(super) fn targets() -> PossibleValuesParser {
    PossibleValuesParser::new(install::names().chain([ALL, SYSTEM]))
}

pub(super) fn install(arguments: &InstallArguments) -> Result<u8, Failure> {
    if is_system(&arguments.agents, &arguments.place)? {
        return system_in(&arguments.place);
    }
    let site = Site::find("install it into an agent", &arguments.place)?;
    let found = |agent: &Agent| site.is_here(agent);
    if arguments.agents.is_empty() {
        let hint = "`guarded-sh install all` takes every agent that is here, `guarded-sh setup` does all of it";
        return Err(Failure::new("install it into which agent?").hint(hint));
    }
    let agents = chosen(&arguments.agents, found)?;
    let neither = !arguments.hooks && !arguments.shell;
    let parts = Parts { hooks: arguments.hooks || neither, shell: arguments.shell || neither };
    // All that can be wrong is found before anything is changed.
    let mut plans = Vec::new();
    for agent in agents {
        let plan = Plan::install(&agent, &site.scope, parts, &site.ground)?;
        plans.push((agent, plan));
    }
    if plans.is_empty() {
        say("no agent was found here\n")?;
        return Ok(0);
    }
    // A guard whose settings or rules are broken refuses every line of the agent.
    let rules = config::load(&Ground::here().request())?.settings.warnings;
    if !site.agreed(&plans, "install", "is installed already: nothing to change")? {
        return Ok(NOTHING);
    }
    if !site.is_dry {
        site.ground.names.put(&site.programs()?)?;
    }
    let mut summary = site.installed(&plans);
    for warning in rules {
        // Writing to a string cannot fail.
        let _ = writeln!(summary, "warning: {}", visible(&warning.to_string()));
    }
    for (agent, plan) in plans {
        let mut text = String::new();
        let changes = !plan.is_none();
        if changes && !site.is_dry {
            let kept = plan.carry_out(&site.ground)?;
            if let Some(kept) = kept {
                let kept = site.short(&kept);
                // Writing to a string cannot fail.
                let _ = writeln!(
                    text,
                    "{}",
                    site.output.dim(&format!("what was there before is kept in {kept}"))
                );
            }
        }
        text.push_str(&site.advice(&agent, parts));
        say(&text)?;
    }
    say(&summary)?;
    Ok(0)
}

pub(super) fn uninstall(arguments: &UninstallArguments) -> Result<u8, Failure> {
    if is_system(&arguments.agents, &arguments.place)? {
        return system_out(&arguments.place);
    }
    let site = Site::find("take it out of an agent", &arguments.place)?;
    let mut plans = Vec::new();
    for agent in chosen(&arguments.agents, |_| true)? {
        let plan = Plan::uninstall(&agent, &site.scope, &site.ground)?;
        let asked = arguments.agents.contains(&agent.name);
        if asked || plan.was_installed() || !plan.is_none() {
            plans.push((agent, plan));
        }
    }
    if !site.agreed(&plans, "uninstall", "is not guarded")? {
        return Ok(NOTHING);
    }
    let changed = files(&plans);
    let titles = titles(&plans);
    if site.is_dry || changed == 0 {
        return Ok(0);
    }
    for (_, plan) in plans {
        plan.carry_out(&site.ground)?;
    }
    let s = if changed == 1 { " is" } else { "s are" };
    say(&format!("taken out of {titles}: {changed} file{s} as before\n{}", site.stays()))?;
    Ok(0)
}

/// How many files change.
fn files(plans: &[(Agent, Plan)]) -> usize {
    plans.iter().flat_map(|(_, plan)| &plan.changes).filter(|change| !change.is_none()).count()
}

/// The agents whose settings change, as people call them.
fn titles(plans: &[(Agent, Plan)]) -> String {
    let changed = plans.iter().filter(|(_, plan)| !plan.is_none());
    changed.map(|(agent, _)| agent.title.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns whether it is about the system's own shells, which stand alone: they are nobody's settings.
fn is_system(names: &[String], place: &InstallPlace) -> Result<bool, Failure> {
    if !names.iter().any(|name| name == SYSTEM) {
        return Ok(false);
    }
    if names.len() > 1 || place.project || place.user {
        return Err(Failure::new("`system` is the whole machine, and stands alone"));
    }
    Ok(true)
}

fn system_in(place: &InstallPlace) -> Result<u8, Failure> {
    let environment = desk::person("put it in the place of the system's shells")?;
    let program = std::env::current_exe().map_err(|source| Error::NoProgram { source })?;
    let steps = system::install(&program, system::Run::Dry)?;
    let nothing = "guarded-sh stands in the place of the system's shells already";
    if !agreed(&steps, place, &environment, "install", nothing)? {
        return Ok(NOTHING);
    }
    if !place.dry_run {
        system::install(&program, system::Run::Real)?;
    }
    if !steps.is_empty() {
        say(
            "the real ones are bash.real and sh.real, for people too: a shell at a terminal is not read yet\n\
             back: guarded-sh uninstall system; if it does not work any more: ln -f /bin/bash.real /bin/bash; ln -f /bin/sh.real /bin/sh\n",
        )?;
    }
    Ok(0)
}

fn system_out(place: &InstallPlace) -> Result<u8, Failure> {
    let environment = desk::person("take it out of the place of the system's shells")?;
    let steps = system::uninstall(system::Run::Dry)?;
    let nothing = "guarded-sh does not stand in the place of the system's shells";
    if !agreed(&steps, place, &environment, "uninstall", nothing)? {
        return Ok(NOTHING);
    }
    if !place.dry_run {
        system::uninstall(system::Run::Real)?;
        if !steps.is_empty() {
            say(
                "the system's shells are its own again; what stays: users' settings, rules and records\n",
            )?;
        }
    }
    Ok(0)
}

/// Shows the steps, and returns whether they are to be taken. Where there are none there is nobody to ask, and what was left half done is
/// tidied.
fn agreed(
    steps: &[String],
    place: &InstallPlace,
    environment: &Environment,
    word: &str,
    nothing: &str,
) -> Result<bool, Failure> {
    let text = listed(steps, place, nothing);
    if steps.is_empty() || place.dry_run {
        say(&text)?;
        return Ok(true);
    }
    place.consent().is_given(environment, &text, word, &format!("guarded-sh {word}"))
}

fn listed(steps: &[String], place: &InstallPlace, nothing: &str) -> String {
    if steps.is_empty() {
        return format!("{nothing}\n");
    }
    let would = if place.dry_run { "would " } else { "" };
    steps.iter().fold(String::new(), |text, step| text + would + &visible(step) + "\n")
}

fn chosen(names: &[String], is_here: impl Fn(&Agent) -> bool) -> Result<Vec<Agent>, Failure> {
    let all = names.iter().any(|name| name == ALL);
    let mut agents = install::agents()?;
    agents.retain(|agent| names.contains(&agent.name) || (all && is_here(agent)));
    Ok(agents)
}

/// Where it is done, for whom, and for whom it is shown.
pub(super) struct Site {
    pub(super) ground: install::Ground,
    pub(super) scope: Scope,
    pub(super) output: Output,
    project: String,
    search: Option<String>,
    loose: Vec<String>,
    home: Option<String>,
    environment: Environment,
    is_dry: bool,
    consent: Consent,
}

impl Site {
    fn find(what: &str, place: &InstallPlace) -> Result<Self, Failure> {
        desk::person(what)?;
        Ok(Self { is_dry: place.dry_run, consent: place.consent(), ..Self::new(place.project)? })
    }

    /// Looks around.
    pub(super) fn new(project: bool) -> Result<Self, Failure> {
        let world = Ground::here();
        let ground = ground(&world)?;
        let root = world.facts.workspaces.first().or(world.facts.cwd.as_ref()).cloned();
        let scope = match (project, &root) {
            (true, Some(root)) => Scope::Project(PathBuf::from(root)),
            (true, None) => return Err(Failure::new("the working directory is gone")),
            (false, _) => Scope::User,
        };
        let project = root.unwrap_or_else(|| "/".to_owned());
        let mut loose = world.facts.workspaces.clone();
        loose.extend(world.facts.temporary.iter().cloned());
        let search = world.environment.get("PATH").map(str::to_owned);
        let home = world.home().map(str::to_owned);
        let output = Output::new();
        let (environment, consent) = (world.environment, Consent::Asked);
        let is_dry = false;
        Ok(Self {
            ground,
            scope,
            output,
            project,
            search,
            loose,
            home,
            environment,
            is_dry,
            consent,
        })
    }

    /// Returns whether an agent is on this machine.
    pub(super) fn is_here(&self, agent: &Agent) -> bool {
        self.program(agent).is_some() || self.ground.settings(agent).is_dir()
    }

    /// Returns the agent's program on PATH.
    pub(super) fn program(&self, agent: &Agent) -> Option<PathBuf> {
        let directories = self.search.as_deref().unwrap_or_default().split(':').map(Path::new);
        let directories = directories.filter(|path| path.is_absolute());
        directories
            .flat_map(|directory| agent.programs.iter().map(move |name| directory.join(name)))
            .find(|path| path.is_file())
    }

    /// Returns the words that stand in braces in an agent's data.
    pub(super) fn words(&self, agent: &Agent) -> Words {
        let mut words = self.ground.words(agent);
        words.0.push(("project", self.project.clone()));
        words
    }

    pub(super) fn programs(&self) -> Result<Programs, Failure> {
        let current = std::env::current_exe().map_err(|source| Error::NoProgram { source })?;
        Ok(Programs::of(&current, self.search.as_deref(), &self.loose))
    }

    pub(super) fn short(&self, path: &Path) -> String {
        visible(&short(&path.to_string_lossy(), self.home.as_deref())).into_owned()
    }

    /// Shows what changes, and returns whether it is to be: where nothing changes, or nothing is to, there is nobody to ask.
    fn agreed(&self, plans: &[(Agent, Plan)], word: &str, nothing: &str) -> Result<bool, Failure> {
        let shown = plans.iter().map(|(agent, plan)| self.shown(agent, plan, nothing));
        let text: String = shown.collect();
        if self.is_dry || plans.iter().all(|(_, plan)| plan.is_none()) {
            say(&text)?;
            return Ok(true);
        }
        self.consent.is_given(&self.environment, &text, word, &format!("guarded-sh {word}"))
    }

    /// What came of it, what proves it and how it is taken back; nothing where nothing changes.
    fn installed(&self, plans: &[(Agent, Plan)]) -> String {
        let changed = files(plans);
        let s = if changed == 1 { "" } else { "s" };
        match (changed, self.is_dry) {
            (0, _) => String::new(),
            (_, true) => format!("\nnothing was changed: {changed} file{s} would be\n"),
            (_, false) => {
                let names = plans.iter().filter(|(_, plan)| !plan.is_none());
                let names: Vec<&str> = names.map(|(agent, _)| agent.name.as_str()).collect();
                let names = names.join(" ");
                format!(
                    "\ninstalled into {}: {changed} file{s} changed, which count{} from its next start\n\
                     `guarded-sh doctor {names}` proves it; `guarded-sh uninstall {names}` takes it out again\n",
                    titles(plans),
                    if changed == 1 { "s" } else { "" },
                )
            }
        }
    }

    /// What is left of ours on this machine, and whose it is.
    pub(super) fn stays(&self) -> String {
        let own = self.ground.config.join("guarded-sh");
        let places = [
            (own.as_path(), "your settings and rules"),
            (self.ground.state.as_path(), "the record, and what can be undone"),
        ];
        let there = places.iter().filter(|(path, _)| path.is_dir());
        let there: Vec<String> =
            there.map(|(path, what)| format!("{what} ({})", self.short(path))).collect();
        if there.is_empty() { String::new() } else { format!("what stays: {}\n", there.join("; ")) }
    }

    /// What changes, as a diff, or that nothing does.
    fn shown(&self, agent: &Agent, plan: &Plan, nothing: &str) -> String {
        if plan.is_none() {
            return format!("{} {nothing}\n", agent.title);
        }
        let dry = if self.is_dry { ": would change" } else { "" };
        let mut text = format!("{}\n", self.output.bold(&format!("{}{dry}", agent.title)));
        let changes = || plan.changes.iter().filter(|change| !change.is_none());
        let files: Vec<String> = changes().map(|change| self.in_short(change)).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "in short: {}", files.join(", "));
        for change in changes() {
            text.push_str(&self.diff(change));
        }
        text
    }

    /// How much of a file changes.
    fn in_short(&self, change: &Change) -> String {
        let (before, after) = (change.found.text.as_deref(), change.after.as_deref());
        let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
        let count = |tag| diff.iter_all_changes().filter(|line| line.tag() == tag).count();
        let (more, less) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        format!("{} +{more} -{less} lines", self.short(&change.path))
    }

    fn diff(&self, change: &Change) -> String {
        let (before, after) = (change.found.text.as_deref(), change.after.as_deref());
        let what = match (before, after) {
            (None, _) => " (new)",
            (_, None) => " (goes)",
            _ => "",
        };
        let mut text = format!("{}{what}\n", self.output.bold(&self.short(&change.path)));
        let diff = TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
        for (index, group) in diff.grouped_ops(2).iter().enumerate() {
            if index > 0 {
                text.push_str(&self.output.dim("  …\n"));
            }
            for line in group.iter().flat_map(|op| diff.iter_changes(op)) {
                let (sign, style) = match line.tag() {
                    ChangeTag::Delete => ('-', Style::new().fg_color(Some(AnsiColor::Red.into()))),
                    ChangeTag::Insert => {
                        ('+', Style::new().fg_color(Some(AnsiColor::Green.into())))
                    }
                    ChangeTag::Equal => (' ', Style::new()),
                };
                let line = visible(line.value().trim_end_matches(['\n', '\r'])).into_owned();
                let line = if width(&line) > WIDEST { cut(&line, WIDEST) } else { line };
                text.push_str(&self.output.colour.paint(style, &format!("{sign} {line}")));
                text.push('\n');
            }
        }
        text
    }

    /// What only a person can set.
    pub(super) fn advice(&self, agent: &Agent, parts: Parts) -> String {
        let words = self.words(agent);
        let is_done = |advice: &Advice| {
            let there = advice.unless.as_deref().map(|path| PathBuf::from(words.fill(path)));
            there.is_some_and(|path| path.exists())
        };
        let wanted = agent.advice.iter().filter(|advice| match advice.part {
            Part::Shell => parts.shell,
            Part::Hooks => parts.hooks,
        });
        let wanted = wanted.filter(|advice| !is_done(advice));
        wanted.fold(String::new(), |mut text, advice| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "to do: {}", visible(&words.fill(&advice.text)));
            text
        })
    }
}

/// Where agents' settings and our own things are.
fn ground(world: &Ground) -> Result<install::Ground, Failure> {
    // Agents that are started here look where the environment says, whatever is the owner's.
    let home = world.facts.home.as_ref().map(PathBuf::from).or_else(|| world.places.home.clone());
    let home = home.ok_or(Error::NoHome)?;
    let state = world.places.state().ok_or(Error::NoHome)?;
    let config = world.environment.get("XDG_CONFIG_HOME").map(PathBuf::from);
    // Not where XDG_DATA_HOME points: the built-in rules guard this one.
    let names = Names { directory: home.join(".local/share/guarded-sh") };
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    Ok(install::Ground {
        config: config.filter(|path| path.is_absolute()).unwrap_or_else(|| home.join(".config")),
        home,
        state,
        names,
        variable,
    })
}
