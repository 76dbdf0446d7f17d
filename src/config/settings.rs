//! What is in force: each value with where it comes from, put together from the files in order.
//! A file with [`Authority::TightenOnly`] makes answers stricter or is passed over with a warning; it never fails for it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml::Spanned;

use super::PROJECT_SETTINGS;
use super::desktop::DesktopSettings;
use super::home::expand;
use super::hooks::{self, Handler};
use super::mcp::McpSettings;
use super::model::ModelSettings;
use super::page::PageSettings;
use super::policy::{Hold, Leave, Policy};
use super::schema::{Written, WrittenDefault, size};
use crate::language::Language;
use crate::model::{Action, Contain, Fence, Forward, Mode, Permission, Profile, Programs, Undo};
use crate::rules::Authority;
use crate::rules::source::position;

/// Where a value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    #[default]
    Default,
    /// A file.
    File {
        /// The file.
        path: Arc<Path>,
        /// The line, from 1.
        line: usize,
    },
    /// The session that this runs in.
    Session,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Session => f.write_str("session"),
        }
    }
}

/// A value with where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

impl<T> Sourced<T> {
    pub(super) fn default_of(value: T) -> Self {
        Self { value, origin: Origin::Default }
    }
}

/// The score from which on a line is allowed, by the tool that asks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after the tools")]
pub struct Thresholds {
    pub bash: Sourced<u8>,
    pub read: Sourced<u8>,
    pub write: Sourced<u8>,
    pub edit: Sourced<u8>,
    pub web: Sourced<u8>,
    pub mcp: Sourced<u8>,
}

/// How people are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// For how many seconds a command waits for a person whom a session host asks.
    pub wait: Sourced<u16>,
    /// Whether the user's host shows each question as a popup of the tmux that it was started in.
    pub popup: Sourced<bool>,
    /// Whether the user's host shows a desktop notification, where there is a session bus.
    pub notify: Sourced<bool>,
    /// What the notification's button starts, `{id}` for the question; no words, no button.
    pub open: Sourced<Vec<String>>,
}

/// Where records go and how long they stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordSettings {
    /// The directory; none means the default below the state directory.
    pub directory: Sourced<Option<PathBuf>>,
    /// For how many days they are kept; none means for ever.
    pub keep_days: Sourced<Option<u32>>,
    /// Whether each record is forced to the disk before its line runs.
    pub fsync: Sourced<bool>,
    /// Where each record is sent too.
    pub forward: Sourced<Option<Forward>>,
    /// Whether a witness says what really ran.
    pub ran: Sourced<bool>,
}

/// Whether what lines destroy is kept, and how much of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoSettings {
    /// Whether it is.
    pub mode: Sourced<Undo>,
    /// How many files of one line at most.
    pub files: Sourced<u32>,
    /// How many bytes of one line are copied at most.
    pub bytes: Sourced<u64>,
    /// How many milliseconds it may take.
    pub millis: Sourced<u32>,
    /// For how many days.
    pub days: Sourced<u32>,
    /// How many bytes of all lines at most.
    pub size: Sourced<u64>,
    /// Directories that are kept like workspaces.
    pub also: Sourced<Vec<PathBuf>>,
}

/// Start-up files that the owner trusts, so that they are not judged as the caller's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Startup {
    /// What `--rcfile` and `--init-file` may name.
    pub rcfile: Sourced<Option<PathBuf>>,
    /// What `BASH_ENV` may name.
    pub bash_env: Sourced<Option<PathBuf>>,
    /// What `ENV` may name.
    pub env: Sourced<Option<PathBuf>>,
}

/// A key that was passed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where it stands.
    pub origin: Origin,
    /// What was passed over, and why.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.message)
    }
}

/// The settings in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Which action each severity means.
    pub profile: Sourced<Profile>,
    /// The language in which people are told something; none: what their locale says.
    pub language: Sourced<Option<Language>>,
    /// Whether decisions bind.
    pub mode: Sourced<Mode>,
    /// Whether lines are held to their plans.
    pub fence: Sourced<Fence>,
    /// Whether what lines destroy is kept.
    pub undo: UndoSettings,
    /// Whether lines run contained of which only not everything is known.
    pub contain: Sourced<Contain>,
    /// From which score on a line is allowed.
    pub thresholds: Thresholds,
    /// Commands that the owner calls safe: the first words of an argv.
    pub safe_commands: Sourced<Vec<Vec<String>>>,
    /// Hosts that the owner calls safe, as globs.
    pub safe_domains: Sourced<Vec<String>>,
    /// What runs unasked beyond what is harmless, in the order of [`Permission::ALL`].
    pub permits: [Sourced<bool>; Permission::ALL.len()],
    /// Workspaces beside the repository around the working directory.
    pub workspace_roots: Sourced<Vec<PathBuf>>,
    /// Branches that are protected, as globs.
    pub protected_branches: Sourced<Vec<String>>,
    /// The real shell, by name or path; none means by the name that guarded-sh is called by.
    pub real_shell: Sourced<Option<String>>,
    /// What an open question becomes when nobody can be asked.
    pub default_action: Sourced<Action>,
    /// How people are asked.
    pub approval: Approval,
    /// Where records go.
    pub record: RecordSettings,
    /// Start-up files that are trusted.
    pub startup: Startup,
    /// What `run` does about programs that an agent's own processes start without a shell.
    pub programs: Sourced<Programs>,
    /// More directories of rules.
    pub rule_directories: Sourced<Vec<PathBuf>>,
    /// Ids of rules that the owner switched off.
    pub disabled_rules: Sourced<Vec<String>>,
    /// What is done about events of agents, in the order of the files.
    pub hooks: Vec<Handler>,
    /// What is known of MCP servers, and our own one.
    pub mcp: McpSettings,
    /// What is asked of language models.
    pub model: ModelSettings,
    /// The page.
    pub page: PageSettings,
    /// The desktop.
    pub desktop: DesktopSettings,
    /// What the machine's policy holds.
    pub policy: Policy,
    /// What was passed over.
    pub warnings: Vec<Warning>,
    /// Files of projects, and directories of their rules, that nobody trusted and that are broken: nothing that they say counts.
    pub broken: Vec<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        let threshold = Sourced::default_of;
        Self {
            profile: Sourced::default(),
            mode: Sourced::default(),
            fence: Sourced::default(),
            undo: UndoSettings {
                mode: Sourced::default(),
                files: Sourced::default_of(20_000),
                bytes: Sourced::default_of(512_000_000),
                millis: Sourced::default_of(300),
                days: Sourced::default_of(7),
                size: Sourced::default_of(2_000_000_000),
                also: Sourced::default(),
            },
            contain: Sourced::default(),
            thresholds: Thresholds {
                bash: threshold(95),
                read: threshold(93),
                write: threshold(97),
                edit: threshold(97),
                web: threshold(90),
                mcp: threshold(92),
            },
            safe_commands: Sourced::default(),
            safe_domains: Sourced::default(),
            permits: Default::default(),
            workspace_roots: Sourced::default(),
            protected_branches: Sourced::default_of(
                ["main", "master", "release/*"].map(str::to_owned).to_vec(),
            ),
            real_shell: Sourced::default(),
            default_action: Sourced::default_of(Action::Deny),
            language: Sourced::default(),
            // Below the limits that agents set for their commands.
            approval: Approval {
                wait: Sourced::default_of(60),
                popup: Sourced::default(),
                notify: Sourced::default_of(true),
                open: Sourced::default(),
            },
            record: RecordSettings::default(),
            startup: Startup::default(),
            programs: Sourced::default(),
            rule_directories: Sourced::default(),
            disabled_rules: Sourced::default(),
            hooks: Vec::new(),
            model: ModelSettings::default(),
            page: PageSettings::default(),
            mcp: McpSettings::default(),
            desktop: DesktopSettings::default(),
            policy: Policy::default(),
            warnings: Vec::new(),
            broken: Vec::new(),
        }
    }
}

/// A file that is put on top of the settings so far.
pub(super) struct Layer<'f> {
    pub path: Arc<Path>,
    pub text: &'f str,
    pub authority: Authority,
    /// The owner's home, for `~`.
    pub home: Option<&'f Path>,
}

impl Settings {
    /// Puts a file on top: later files win, but one that may only tighten only where it is stricter.
    pub(super) fn put(&mut self, written: &Written, layer: &Layer<'_>) {
        let (mut warnings, mut policy) = (Vec::new(), std::mem::take(&mut self.policy));
        if layer.authority == Authority::Policy {
            policy.begin(layer, written.locked.as_ref());
        }
        let mut put = Put { layer, policy: &mut policy, warnings: &mut warnings };
        put.stricter("profile", &mut self.profile, written.profile.as_ref(), |p| *p);
        put.personal("language", &mut self.language, written.language.as_ref(), |language| {
            Some(*language)
        });
        put.stricter("mode", &mut self.mode, written.mode.as_ref(), |mode| *mode);
        put.stricter("fence", &mut self.fence, written.fence.as_ref(), |fence| *fence);
        self.undo.put(written, &mut put);
        self.model.put(&written.model, &mut put);
        self.page.put(&written.page, &mut put);
        self.mcp.put(&written.mcp, &mut put);
        self.desktop.put(&written.desktop, &mut put);
        put.stricter("contain", &mut self.contain, written.contain.as_ref(), |contain| *contain);
        put.stricter(
            "default_action",
            &mut self.default_action,
            written.default_action.as_ref(),
            |w| match w {
                WrittenDefault::Deny => Action::Deny,
            },
        );
        self.thresholds.put(written, &mut put);
        put.branches(&mut self.protected_branches, written.protected_branches.as_ref());
        put.granted(
            "safe_commands",
            &mut self.safe_commands,
            written.safe_commands.as_ref(),
            |list| {
                // The reader of the file has split each of them once.
                texts(list).filter_map(|line| shell_words::split(line).ok()).collect()
            },
        );
        put.granted(
            "safe_domains",
            &mut self.safe_domains,
            written.safe_domains.as_ref(),
            owned_texts,
        );
        for (into, permission) in self.permits.iter_mut().zip(Permission::ALL) {
            let wrote = written.permit.of(permission);
            put.permitted(permission.setting(), into, wrote);
        }
        let home = layer.home;
        let paths =
            |list: &Vec<Spanned<String>>| texts(list).filter_map(|p| expand(p, home)).collect();
        let path = |text: &String| expand(text, home);
        put.granted(
            "workspace_roots",
            &mut self.workspace_roots,
            written.workspace_roots.as_ref(),
            paths,
        );
        put.owned("real_shell", &mut self.real_shell, written.real_shell.as_ref(), |s| {
            Some(s.clone())
        });
        let wait = &mut self.approval.wait;
        put.owned("approval.wait", wait, written.approval.wait.as_ref(), |&seconds| {
            u16::try_from(seconds).unwrap_or_default()
        });
        let (approval, wrote) = (&mut self.approval, &written.approval);
        put.owned("approval.popup", &mut approval.popup, wrote.popup.as_ref(), |popup| *popup);
        put.owned("approval.notify", &mut approval.notify, wrote.notify.as_ref(), |notify| *notify);
        put.owned("approval.open", &mut approval.open, wrote.open.as_ref(), owned_texts);
        let (record, wrote) = (&mut self.record, &written.record);
        put.owned("record.directory", &mut record.directory, wrote.directory.as_ref(), path);
        put.owned("record.keep_days", &mut record.keep_days, wrote.keep_days.as_ref(), |&days| {
            u32::try_from(days).ok()
        });
        put.owned("record.fsync", &mut record.fsync, wrote.fsync.as_ref(), |fsync| *fsync);
        put.owned("record.forward", &mut record.forward, wrote.forward.as_ref(), |to| {
            Forward::named(to)
        });
        put.owned("record.ran", &mut record.ran, wrote.ran.as_ref(), |ran| *ran);
        let (startup, wrote) = (&mut self.startup, &written.startup);
        put.owned("startup.rcfile", &mut startup.rcfile, wrote.rcfile.as_ref(), path);
        put.owned("startup.bash_env", &mut startup.bash_env, wrote.bash_env.as_ref(), path);
        put.owned("startup.env", &mut startup.env, wrote.env.as_ref(), path);
        put.stricter("run.programs", &mut self.programs, written.run.programs.as_ref(), |p| *p);
        let wrote = &written.rules;
        put.granted(
            "rules.directories",
            &mut self.rule_directories,
            wrote.directories.as_ref(),
            paths,
        );
        put.disabled(&mut self.disabled_rules, wrote.disabled.as_ref());
        hooks::put(&mut self.hooks, &written.hooks, &mut put);
        self.warnings.append(&mut warnings);
        self.policy = policy;
    }
}

impl Settings {
    /// Returns what the owner has switched on.
    #[must_use]
    pub fn permitted(&self) -> Vec<Permission> {
        let permits = Permission::ALL.into_iter().zip(&self.permits);
        permits.filter(|(_, permit)| permit.value).map(|(permission, _)| permission).collect()
    }

    /// Takes the profile of the session over, where it is stricter: what says it is a variable, and those loosen nothing.
    pub(super) fn within_session(&mut self, profile: Profile) {
        if profile > self.profile.value {
            self.profile = Sourced { value: profile, origin: Origin::Session };
        }
    }
}

impl UndoSettings {
    fn put(&mut self, written: &Written, put: &mut Put<'_>) {
        let Some(undo) = &written.undo else { return };
        let table = &undo.get_ref().table;
        if let Some(mode) = undo.get_ref().alone {
            put.stricter("undo", &mut self.mode, Some(undo), |_| mode);
        }
        // The reader of the file has seen that all of these fit.
        let small = |number: &i64| u32::try_from(*number).unwrap_or(u32::MAX);
        let bytes = |text: &String| size(text).unwrap_or(0);
        put.stricter("undo.mode", &mut self.mode, table.mode.as_ref(), |mode| *mode);
        put.owned("undo.files", &mut self.files, table.files.as_ref(), small);
        put.owned("undo.bytes", &mut self.bytes, table.bytes.as_ref(), bytes);
        put.owned("undo.millis", &mut self.millis, table.millis.as_ref(), small);
        put.owned("undo.days", &mut self.days, table.days.as_ref(), small);
        put.owned("undo.size", &mut self.size, table.size.as_ref(), bytes);
        let home = put.layer.home;
        put.granted("undo.also", &mut self.also, table.also.as_ref(), |list| {
            texts(list).filter_map(|path| expand(path, home)).collect()
        });
    }
}

impl Thresholds {
    fn put(&mut self, written: &Written, put: &mut Put<'_>) {
        let t = &written.thresholds;
        for (name, into, written) in [
            ("thresholds.bash", &mut self.bash, &t.bash),
            ("thresholds.read", &mut self.read, &t.read),
            ("thresholds.write", &mut self.write, &t.write),
            ("thresholds.edit", &mut self.edit, &t.edit),
            ("thresholds.web", &mut self.web, &t.web),
            ("thresholds.mcp", &mut self.mcp, &t.mcp),
        ] {
            // The reader of the file has seen that it is at most 100.
            put.stricter(name, into, written.as_ref(), |&score| u8::try_from(score).unwrap_or(100));
        }
    }
}

impl Layer<'_> {
    pub(super) fn origin<T>(&self, written: &Spanned<T>) -> Origin {
        let line = position(self.text, written.span().start).0;
        Origin::File { path: Arc::clone(&self.path), line }
    }
}

pub(super) struct Put<'p> {
    pub(super) layer: &'p Layer<'p>,
    policy: &'p mut Policy,
    pub(super) warnings: &'p mut Vec<Warning>,
}

impl Put<'_> {
    pub(super) fn pass_over<T>(&mut self, name: &str, written: &Spanned<T>, why: &str) {
        let origin = self.layer.origin(written);
        self.warnings.push(Warning { origin, message: format!("`{name}` is ignored: {why}") });
    }

    /// Returns how far this file may change a key.
    pub(super) fn leave(&self, name: &str, held: Hold) -> Leave {
        self.policy.leave(name, held, self.layer.authority)
    }

    /// Sets a value, and notes where the policy does.
    fn set<W, T>(&mut self, name: &str, into: &mut Sourced<T>, written: &Spanned<W>, value: T) {
        let origin = self.layer.origin(written);
        if self.layer.authority == Authority::Policy {
            self.policy.sets(name, origin.clone());
        }
        *into = Sourced { value, origin };
    }

    /// Sets a value whose order is its strictness.
    fn stricter<W, T: Ord>(
        &mut self,
        name: &str,
        into: &mut Sourced<T>,
        written: Option<&Spanned<W>>,
        convert: impl Fn(&W) -> T,
    ) {
        let Some(written) = written else { return };
        let value = convert(written.get_ref());
        match self.leave(name, Hold::Always) {
            Leave::None(why) if value != into.value => self.pass_over(name, written, &why),
            Leave::Stricter(why) if value < into.value => self.pass_over(name, written, &why),
            Leave::Stricter(_) if value == into.value => {}
            Leave::None(_) => {}
            Leave::Full | Leave::Stricter(_) => self.set(name, into, written, value),
        }
    }

    /// Sets a value that only owners set.
    fn owned<W, T: PartialEq>(
        &mut self,
        name: &str,
        into: &mut Sourced<T>,
        written: Option<&Spanned<W>>,
        convert: impl Fn(&W) -> T,
    ) {
        let Some(written) = written else { return };
        let value = convert(written.get_ref());
        match self.leave(name, Hold::IfSet) {
            Leave::Full => self.set(name, into, written, value),
            Leave::None(_) | Leave::Stricter(_) if value == into.value => {}
            Leave::None(why) => self.pass_over(name, written, &why),
            Leave::Stricter(_) if self.layer.authority == Authority::TightenOnly => {
                self.pass_over(name, written, "a file that is not trusted may not set it");
            }
            Leave::Stricter(why) => self.pass_over(name, written, &why),
        }
    }

    /// Sets a value that only the machine's and the user's own files set: no project, whoever trusts it.
    pub(super) fn personal<W, T: PartialEq>(
        &mut self,
        name: &str,
        into: &mut Sourced<T>,
        written: Option<&Spanned<W>>,
        convert: impl Fn(&W) -> T,
    ) {
        match written {
            Some(written) if self.layer.path.ends_with(PROJECT_SETTINGS) => {
                self.pass_over(name, written, "a project may not set it");
            }
            written => self.owned(name, into, written, convert),
        }
    }

    /// Sets a list of what runs unasked, which only owners set. Files of the policy add to each other; of what it grants others may take away.
    pub(super) fn granted<W, T: PartialEq>(
        &mut self,
        name: &str,
        into: &mut Sourced<Vec<T>>,
        written: Option<&Spanned<W>>,
        convert: impl Fn(&W) -> Vec<T>,
    ) {
        let Some(written) = written else { return };
        let mut value = convert(written.get_ref());
        let is_policys = self.policy.has_set(name);
        match self.leave(name, Hold::IfSet) {
            Leave::Full if is_policys => {
                let had = std::mem::take(&mut into.value);
                value.retain(|one| !had.contains(one));
                self.set(name, into, written, had.into_iter().chain(value).collect());
            }
            Leave::Full => self.set(name, into, written, value),
            Leave::Stricter(why)
                if is_policys && self.layer.authority != Authority::TightenOnly =>
            {
                if value.iter().any(|one| !into.value.contains(one)) {
                    self.pass_over(name, written, &why);
                }
                into.value.retain(|one| value.contains(one));
            }
            Leave::Stricter(_) | Leave::None(_) => {
                self.owned(name, into, Some(written), convert);
            }
        }
    }

    /// Sets what runs unasked; others than owners may only take it away where the policy gives it.
    fn permitted(&mut self, name: &str, into: &mut Sourced<bool>, written: Option<&Spanned<bool>>) {
        let Some(wanted) = written else { return };
        match self.leave(name, Hold::IfSet) {
            Leave::Stricter(_)
                if into.value
                    && !*wanted.get_ref()
                    && self.layer.authority != Authority::TightenOnly =>
            {
                self.set(name, into, wanted, false);
            }
            Leave::Full | Leave::Stricter(_) | Leave::None(_) => {
                self.owned(name, into, written, |permit| *permit);
            }
        }
    }

    /// Sets which rules are switched off; where there is a policy, only it does.
    fn disabled(
        &mut self,
        into: &mut Sourced<Vec<String>>,
        written: Option<&Spanned<Vec<Spanned<String>>>>,
    ) {
        const NAME: &str = "rules.disabled";
        let Some(wanted) = written else { return };
        match self.leave(NAME, Hold::Always) {
            Leave::Stricter(why) if self.policy.is_there() => {
                let more = |id: &Spanned<String>| !into.value.contains(id.get_ref());
                if wanted.get_ref().iter().any(more) {
                    self.pass_over(NAME, wanted, &why);
                }
            }
            Leave::Full | Leave::Stricter(_) | Leave::None(_) => {
                self.granted(NAME, into, written, owned_texts);
            }
        }
    }

    /// An owner says which branches are protected; others may only name more of them.
    fn branches(
        &mut self,
        into: &mut Sourced<Vec<String>>,
        written: Option<&Spanned<Vec<Spanned<String>>>>,
    ) {
        const NAME: &str = "protected_branches";
        let Some(written) = written else { return };
        let mut value = owned_texts(written.get_ref());
        let leave = self.leave(NAME, Hold::Always);
        match leave {
            // Files of the policy add to each other.
            Leave::Full if !self.policy.has_set(NAME) => self.set(NAME, into, written, value),
            Leave::Full | Leave::Stricter(_) => {
                let is_less = into.value.iter().any(|branch| !value.contains(branch));
                value.retain(|branch| !into.value.contains(branch));
                match leave {
                    _ if !value.is_empty() => {
                        value.splice(0..0, into.value.iter().cloned());
                        self.set(NAME, into, written, value);
                    }
                    Leave::Stricter(why) if is_less && self.policy.is_there() => {
                        self.pass_over(NAME, written, &why);
                    }
                    _ => {}
                }
            }
            Leave::None(why) => {
                if value != into.value {
                    self.pass_over(NAME, written, &why);
                }
            }
        }
    }
}

fn texts(list: &[Spanned<String>]) -> impl Iterator<Item = &str> {
    list.iter().map(|text| text.get_ref().as_str())
}

#[allow(clippy::ptr_arg, reason = "passed where a function of the written list is asked for")]
pub(super) fn owned_texts(list: &Vec<Spanned<String>>) -> Vec<String> {
    texts(list).map(str::to_owned).collect()
}
