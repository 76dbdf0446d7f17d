//! Everything outside of the line, read once: environment, settings, rules, facts.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::client::Bridged;
use super::refusal::Stop;
use super::{Judge, Judgement, Request, examples};
use crate::approval::page::Look;
use crate::audit::{self, Door, Durability, Record, Site, Store};
use crate::cli::{self, Invocation};
use crate::config::{self, CacheUse, LoadRequest, Loaded, Places, Settings};
use crate::decision::Terms;
use crate::ipc::place;
use crate::language::Language;
use crate::model::{
    Caller, Contain, Facts, Fence, Layers, Mode, ParentAgent, Profile, Question, RealShell, Shell,
    ShellInvocation, StandardInput, Trial, Wanted, Whose,
};
use crate::reading::Plan;
use crate::rules::Damaged;
use crate::sys::Stamp;
use crate::sys::descent::{self, Sign};
use crate::{approval, observe, paths};

/// The world that a line is judged in.
pub struct World {
    /// What judges.
    pub judge: Judge,
    /// The settings in force.
    pub settings: Settings,
    /// Where they are.
    pub places: Places,
    /// The environment.
    pub environment: observe::Environment,
    /// What is known of the call where we stand in the place of a shell of the system's.
    pub place: Option<observe::InPlace>,
    /// Of the files of settings and rules in force.
    pub digest: config::Digest,
    /// What tells a person all about a line; none where nobody is asked here.
    pub pages: Option<Pages>,
    /// The client whose lines are judged; none where they are of this machine.
    pub client: Option<Arc<Bridged>>,
}

/// What a person may read behind a question: pages that the layer above makes.
#[derive(Clone, Copy, Debug)]
pub struct Pages {
    /// Returns the page about its line, as it is drawn so, on so many columns.
    pub explain: fn(&Question, Look, usize) -> String,
    /// Returns the page about what came of a trial of its line.
    pub tried: fn(&Trial, Look, Language) -> String,
}

/// Whether layers of containers are tried that were not tried before.
#[derive(Clone, Copy)]
enum Tries {
    Now,
    Not,
}

impl World {
    /// Reads the world around the working directory.
    pub fn read() -> Result<Self, Stop> {
        Self::at(observe::working_directory())
    }

    /// Reads the world around `cwd`; none if that directory is gone.
    pub fn at(cwd: Option<String>) -> Result<Self, Stop> {
        let environment = observe::Environment::read();
        let places = places(&environment);
        Self::of(environment, places, cwd)
    }

    /// Reads the world around the working directory of another process, which has this environment. Settings are our own.
    pub fn of_another(
        environment: observe::Environment,
        cwd: Option<String>,
    ) -> Result<Self, Stop> {
        Self::of(environment, places(&observe::Environment::read()), cwd)
    }

    /// Reads the world around `cwd` where settings are in these places, and the environment is this one.
    pub fn of(
        environment: observe::Environment,
        places: Places,
        cwd: Option<String>,
    ) -> Result<Self, Stop> {
        let facts = observe::facts_at(&environment, cwd);
        let loaded = load(&places, &facts, CacheUse::Use)?;
        Ok(Self::put_together(environment, places, facts, loaded))
    }

    /// Returns the places in which a program of this name is looked for, in order.
    pub(super) fn on_path<'w>(&'w self, name: &'w str) -> impl Iterator<Item = PathBuf> + 'w {
        let path = self.environment.get("PATH").unwrap_or_default();
        path.split(':').map(move |place| Path::new(place).join(name))
    }

    /// Says that what is judged runs in another directory of this world; none if that is not known.
    #[must_use]
    pub fn moved_to(mut self, cwd: Option<String>) -> Self {
        self.judge.facts.environment = self.environment.for_shell(cwd.as_deref());
        self.judge.facts.cwd = cwd;
        self
    }

    /// Says which agent called for itself. Only the shell asks: what a hook or `check` is given is a command, whoever starts it.
    #[must_use]
    pub fn called_by(mut self, agent: Option<ParentAgent>) -> Self {
        self.judge.facts.parent_agent = agent;
        self
    }

    /// Returns whether lines here are an agent's: of one that is known, or that a host started.
    #[must_use]
    pub(super) fn is_agents(&self) -> bool {
        let facts = &self.judge.facts;
        facts.caller != Caller::Unknown
            || facts.parent_agent.is_some()
            || self.environment.has("GUARDED_SH_SESSION")
            || matches!(descent::sign_of(0), Some(Sign::Agent | Sign::Client))
    }

    /// Returns the conversation that lines here belong to, if one is known.
    #[must_use]
    pub(super) fn session(&self) -> Option<String> {
        let client = self.client.as_ref().map(|bridged| bridged.client.session());
        client.or_else(|| observe::session(&self.environment))
    }

    /// Returns the door by which a line comes that is run here.
    #[must_use]
    pub(super) const fn door(&self) -> Door {
        if self.client.is_some() { Door::Client } else { Door::Shell }
    }

    /// Returns whether lines here are held to their plans.
    #[must_use]
    pub(super) fn fence(&self) -> Fence {
        match self.settings.fence.value {
            Fence::Agents if self.is_agents() => Fence::On,
            Fence::Agents => Fence::Off,
            setting @ (Fence::Off | Fence::Report | Fence::On) => setting,
        }
    }

    /// Says what tells a person all about a line.
    #[must_use]
    pub const fn explained_by(mut self, pages: Pages) -> Self {
        self.pages = Some(pages);
        self
    }

    /// Says that what is judged here runs by us, or is told as if it did: contained, where the owner wants that and it can be. The process must have no
    /// other thread.
    #[must_use]
    pub fn containing(self) -> Self {
        self.contained(Tries::Now)
    }

    /// The same in a process that has other threads: what was not tried before is not there.
    #[must_use]
    pub fn containing_as_tried(self) -> Self {
        self.contained(Tries::Not)
    }

    fn contained(mut self, tries: Tries) -> Self {
        if self.settings.contain.value == Contain::On {
            let state = self.places.state();
            let here = super::fence::layers_here(state.as_deref());
            self.judge.terms.layers = match tries {
                Tries::Now => here.layers(),
                Tries::Not => here.remembered().unwrap_or_default(),
            };
        }
        self
    }

    /// Says what is known of a call where we stand in the place of a shell of the system's. Only the shell can be there.
    #[must_use]
    pub fn in_place(mut self, place: Option<observe::InPlace>) -> Self {
        self.judge.terms.whose = place.as_ref().map(|place| place.whose).unwrap_or_default();
        self.judge.facts.task = place.as_ref().and_then(|place| place.task.clone());
        self.place = place;
        self
    }

    /// Says what lines will find on standard input.
    #[must_use]
    pub const fn with_input(mut self, input: StandardInput) -> Self {
        self.judge.facts.input = input;
        self
    }

    fn put_together(
        environment: observe::Environment,
        places: Places,
        mut facts: Facts,
        loaded: Loaded,
    ) -> Self {
        let Loaded { settings, rules, guard_paths, digest } = loaded;
        let text = |path: &PathBuf| path.to_str().map(str::to_owned);
        // What stands elsewhere is judged as what it is there.
        let within = |root: &String| {
            let started = observe::started(root, facts.home.as_deref()).into_iter();
            let started = started.map(|path| paths::absolute("/", &path));
            let own = started.filter(|path| path != root && paths::is_below(path, root));
            own.collect::<Vec<_>>()
        };
        facts.hook_paths = facts.workspaces.iter().flat_map(within).collect();
        facts.workspaces.extend(settings.workspace_roots.value.iter().filter_map(text));
        facts.guard_paths.extend(guard_paths.iter().filter_map(text));
        facts.protected_branches.clone_from(&settings.protected_branches.value);
        facts.safe_commands.clone_from(&settings.safe_commands.value);
        if !facts.safe_commands.is_empty() {
            let origin = settings.safe_commands.origin.to_string();
            facts.safe_commands_at = approval::text::short(&origin, facts.home.as_deref());
        }
        facts.safe_domains.clone_from(&settings.safe_domains.value);
        facts.permits = settings.permitted();
        facts.is_home_moved = is_home_moved(&facts, &places);
        facts.now = audit::in_seconds(audit::now());
        let terms = terms(&settings);
        let configured = settings.real_shell.value.as_deref().and_then(shell_of);
        let judge = Judge {
            rules,
            facts,
            environment: environment.clone(),
            terms,
            shell: configured.unwrap_or_default(),
            reads_scripts: true,
        };
        Self {
            judge,
            settings,
            places,
            environment,
            place: None,
            digest,
            pages: None,
            client: None,
        }
    }

    /// Says that nothing that is judged here can be contained.
    #[must_use]
    pub const fn uncontained(mut self) -> Self {
        self.judge.terms.layers = Layers::NONE;
        self
    }

    /// Returns what stands where settings and rules are loaded from, as it is: where that is another, they may say something else.
    pub(super) fn stands(&self) -> Vec<(PathBuf, Option<Stamp>)> {
        let request = load_request(&self.places, &self.judge.facts);
        let mut paths: Vec<PathBuf> = self.places.own().collect();
        paths.extend(self.places.foreign.clone());
        let settings: Vec<PathBuf> = paths.iter().map(|path| path.join(config::SETTINGS)).collect();
        paths.extend(settings);
        // One that cannot be read stops each line until it can be.
        paths.extend(config::policy_files(&self.places).unwrap_or_default());
        paths.extend(config::project_settings(&request));
        // Trust is remembered there.
        paths.extend(self.places.state());
        for directory in config::rule_directories(&request, Some(&self.settings)) {
            let entries = std::fs::read_dir(&directory).into_iter().flatten();
            paths.extend(entries.filter_map(Result::ok).map(|entry| entry.path()));
            paths.push(directory);
        }
        let stamp = |path: PathBuf| {
            let found = path.metadata().ok().map(|found| Stamp::of(&found));
            (path, found)
        };
        paths.into_iter().map(stamp).collect()
    }

    /// Returns this world around another directory: what depends on that is read anew, and all that was said of this one holds.
    pub(super) fn around(&self, cwd: Option<String>) -> Result<Self, Stop> {
        let (places, environment) = (self.places.clone(), self.environment.clone());
        let (said, terms) = (&self.judge.facts, self.judge.terms);
        let mut world = Self::of(environment, places, cwd)?.in_place(self.place.clone());
        world.judge.terms.layers = terms.layers;
        let facts = &mut world.judge.facts;
        (facts.parent_agent, facts.input) = (said.parent_agent.clone(), said.input);
        world.pages = self.pages;
        Ok(world)
    }

    /// Reads anew what depends on the directory.
    pub fn move_to(&mut self, cwd: Option<String>) -> Result<(), Stop> {
        let facts = observe::facts_at(&self.environment, cwd);
        let loaded = load(&self.places, &facts, CacheUse::Use)?;
        let layers = self.judge.terms.layers;
        *self = Self::put_together(self.environment.clone(), self.places.clone(), facts, loaded);
        if self.settings.contain.value == Contain::On {
            self.judge.terms.layers = layers;
        }
        Ok(())
    }

    /// By what lines are decided.
    #[must_use]
    pub const fn terms(&self) -> Terms {
        self.judge.terms
    }

    /// Judges a line; compiled rules that turn out damaged are made anew, once.
    pub fn judge(&self, request: &Request<'_>) -> Result<Judgement, Stop> {
        self.judged(|judge| judge.judge(request))
    }

    /// Judges what a tool of an agent would do.
    pub fn judge_plan(&self, line: &str, plan: &Plan) -> Result<Judgement, Stop> {
        self.judged(|judge| judge.judge_plan(line.to_owned(), plan.clone()))
    }

    fn judged(
        &self,
        ask: impl Fn(&Judge) -> Result<Judgement, Damaged>,
    ) -> Result<Judgement, Stop> {
        let judgement = self.judged_as_read(ask)?;
        Ok(Judgement { note: note(&self.settings.broken), ..judgement })
    }

    fn judged_as_read(
        &self,
        ask: impl Fn(&Judge) -> Result<Judgement, Damaged>,
    ) -> Result<Judgement, Stop> {
        match ask(&self.judge) {
            Ok(judgement) => Ok(judgement),
            Err(_damaged) => {
                let loaded = load(&self.places, &self.judge.facts, CacheUse::Rebuild)?;
                let judge = Judge {
                    rules: loaded.rules,
                    facts: self.judge.facts.clone(),
                    environment: self.environment.clone(),
                    terms: self.judge.terms,
                    shell: self.judge.shell,
                    reads_scripts: true,
                };
                Ok(ask(&judge)?)
            }
        }
    }

    /// Reads argv again where the owner configured another shell behind our own name.
    pub fn as_configured(
        &self,
        argv: Vec<OsString>,
        invocation: ShellInvocation,
    ) -> Result<ShellInvocation, Stop> {
        let configured = self.settings.real_shell.value.as_deref().map(shell_of);
        match (invocation.wanted, configured) {
            (Wanted::Configured, Some(Some(shell))) if shell != invocation.shell => {
                match cli::parse(argv, shell)? {
                    Invocation::Shell(invocation) => Ok(invocation),
                    Invocation::Subcommand(_) | Invocation::Direct(_) | Invocation::Client => {
                        Ok(invocation)
                    }
                }
            }
            (Wanted::Configured, Some(None)) => Err(Stop::UnknownShell {
                name: self.settings.real_shell.value.clone().unwrap_or_default(),
                origin: self.settings.real_shell.origin.to_string(),
            }),
            _ => Ok(invocation),
        }
    }

    /// Finds the real shell.
    pub fn real_shell(&self, invocation: &ShellInvocation) -> Result<RealShell, Stop> {
        let configured = self.settings.real_shell.value.as_deref().map(Path::new);
        // A name alone is looked for like any other; a path is taken at its word.
        let configured = configured.filter(|path| path.is_absolute());
        let shell = invocation.shell;
        let (environment, facts) = (&self.environment, &self.judge.facts);
        Ok(observe::real_shell(shell, invocation.wanted, configured, environment, facts)?)
    }

    /// Writes a record. Where it cannot be written nothing may happen, unless the mode binds nothing, or it is the system's own: many of
    /// its users have no home.
    pub fn record(&self, record: &Record) -> Result<(), Stop> {
        match (self.records().and_then(|store| Ok(store.append(record)?)), record.mode) {
            (Ok(_), _) => Ok(()),
            (Err(stop), Mode::Enforce) if self.terms().whose == Whose::Anyones => Err(stop),
            (Err(stop), Mode::Enforce | Mode::Shadow) => {
                // Nothing is left to do if stderr is gone.
                let _ = writeln!(std::io::stderr(), "guarded-sh: not recorded: {}", stop.reason());
                Ok(())
            }
        }
    }

    /// Returns where decisions are made, as records have it.
    #[must_use]
    pub fn site(&self) -> Site {
        Site {
            host: observe::machine_name(),
            user: Some(observe::user_name()),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            policy: Some(self.digest.to_string()),
        }
    }

    /// Returns the records.
    pub fn records(&self) -> Result<Store, Stop> {
        store(&self.settings, &self.places)
    }
}

/// Returns the records that these settings say.
pub fn store(settings: &Settings, places: &Places) -> Result<Store, Stop> {
    let durability =
        if settings.record.fsync.value { Durability::Disk } else { Durability::System };
    let own = || places.state().ok_or(Stop::NoHome);
    let directory = settings.record.directory.value.clone().map_or_else(own, Ok)?;
    let forward = settings.record.forward.value.clone();
    Ok(Store::new(&directory, durability).forwarding(forward))
}

fn shell_of(name: &str) -> Option<Shell> {
    let name = Path::new(name).file_name().and_then(OsStr::to_str)?;
    Shell::named(name)
}

/// Returns where the owner's settings are.
#[must_use]
pub fn places(environment: &observe::Environment) -> Places {
    let variable = |name: &str| environment.get(name).map(OsStr::new);
    let said =
        config::Environment { home: variable("HOME"), config_home: variable("XDG_CONFIG_HOME") };
    let home = observe::owners_home(environment);
    Places::below(PathBuf::from("/etc/guarded-sh"), home, said)
}

/// Says that what a project wants is not known, where its files are broken: a line may be judged otherwise than that.
fn note(broken: &[PathBuf]) -> Option<String> {
    let first = broken.first()?;
    let more = match broken.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let name = approval::visible(&first.to_string_lossy()).into_owned();
    Some(format!(
        "'{name}'{more} is broken and says nothing of this, since nobody trusted it: `guarded-sh config` shows why"
    ))
}

/// Returns whether the home is neither the owner's nor that of the processes above: then an agent chose it for this line.
fn is_home_moved(facts: &Facts, places: &Places) -> bool {
    facts.home.as_deref().is_some_and(|home| {
        // What is not seen is not known to be theirs.
        places.home.as_deref() != Some(Path::new(home))
            && observe::has_other_home_above(home).unwrap_or(true)
    })
}

/// Returns the directories in which hosts of this user may listen. As above: where an agent is above us, no variable counts; who listens
/// elsewhere left a link.
#[must_use]
pub fn socket_directories(environment: &observe::Environment) -> Vec<PathBuf> {
    let uid = nix::unistd::geteuid().as_raw();
    let believed = || observe::free_of_agents(environment, observe::Look::Names).is_ok();
    let runtime = environment.get("XDG_RUNTIME_DIR").map(Path::new).filter(|_| believed());
    let mut directories = place::directories(runtime, uid);
    if runtime.is_none() {
        directories.extend(place::linked(uid));
    }
    directories
}

fn load(places: &Places, facts: &Facts, cache: CacheUse) -> Result<Loaded, Stop> {
    Ok(config::load(&LoadRequest { cache, ..load_request(places, facts) })?)
}

/// Returns what settings and rules are loaded by in this world.
#[must_use]
pub fn load_request<'r>(places: &'r Places, facts: &'r Facts) -> LoadRequest<'r> {
    let profile = facts.environment.get("GUARDED_SH_PROFILE").filter(|name| !name.is_empty());
    LoadRequest {
        uid: nix::unistd::geteuid().as_raw(),
        places,
        cwd: facts.cwd.as_deref().map(Path::new),
        workspace: facts.workspaces.first().map(Path::new),
        // What is none is taken for the strictest.
        profile: profile.map(|name| Profile::named(name).unwrap_or(Profile::Strict)),
        cache: CacheUse::Use,
        check: &examples::check,
    }
}

/// Returns by what lines are decided that anyone gives to a shell.
pub(super) fn terms(settings: &Settings) -> Terms {
    Terms {
        mode: settings.mode.value,
        profile: settings.profile.value,
        threshold: settings.thresholds.bash.value,
        whose: Whose::Anyones,
        layers: Layers::NONE,
    }
}
