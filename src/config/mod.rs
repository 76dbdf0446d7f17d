//! Settings and owners' rules: read from the machine's, the user's and the project's files, checked, put together.
//! Decides nothing about a line. What the environment or an untrusted project says can only make answers stricter.
//!
//! Order, later files on top: `/etc/guarded-sh/config.toml`; the machine's policy (`policy.toml` and `policy.d/*.toml` there), which those that
//! follow may only tighten (see `policy`); `~/.config/guarded-sh/config.toml` below the home of the user
//! database; where `HOME` or `XDG_CONFIG_HOME` point elsewhere, that file, which may only tighten (see [`Places`]);
//! `.guarded-sh.toml` of each directory from the workspace's root down to the working directory, which may only tighten
//! until `guarded-sh trust` pins its content.
#![forbid(unsafe_code)]

pub mod approved;
mod cache;
mod cases;
mod desktop;
mod error;
mod file;
mod home;
mod hooks;
mod lint;
mod mcp;
mod model;
mod page;
mod policy;
mod rules;
mod schema;
mod settings;
mod show;
pub mod trust;

#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hmac_sha256::Hash;
use toml::Spanned;

pub use cases::{Case, TESTS, cases};
pub use desktop::{DesktopSettings, Tray};
pub use error::{Error, FileKind, Invalid, Style};
pub use home::{Environment, Owners, Places};
pub use hooks::{Handler, HandlerMode};
pub use lint::lint;
pub use mcp::{McpSettings, is_variable, variables};
pub use model::{ModelSettings, Provider, ProviderKind, Tier};
pub use page::{NotifySettings, PageSettings, Passkey, RemoteSettings, Tell, Webhook};
pub use policy::Policy;
pub use rules::{CacheUse, ExampleCheck, ExampleError};
pub use settings::{
    Approval, Origin, RecordSettings, Settings, Sourced, Startup, Thresholds, UndoSettings, Warning,
};
pub use show::{Row, changed, show, told, typed};

use crate::model::Profile;
pub use crate::rules::Authority;
use crate::rules::RuleSet;
use crate::rules::source::Problem;
use crate::sys::hex::hex;
use trust::{Pins, Trust};

/// What to load settings for.
#[derive(Clone, Copy)]
pub struct LoadRequest<'r> {
    /// Who runs this.
    pub uid: u32,
    /// Where settings are.
    pub places: &'r Places,
    /// The working directory; none if it was deleted.
    pub cwd: Option<&'r Path>,
    /// The root of the workspace around it, if it is in one.
    pub workspace: Option<&'r Path>,
    /// The profile of the session that this runs in.
    pub profile: Option<Profile>,
    /// Whether compiled rules on disk may be used.
    pub cache: CacheUse,
    /// Says whether a rule agrees with its examples; asked when rules are compiled.
    pub check: &'r ExampleCheck<'r>,
}

/// What was loaded.
#[derive(Debug)]
pub struct Loaded {
    /// The settings in force.
    pub settings: Settings,
    /// The rules in force.
    pub rules: RuleSet,
    /// guarded-sh's own files and directories, for `Facts`.
    pub guard_paths: Vec<PathBuf>,
    /// What of the files tells one policy from another.
    pub digest: Digest,
}

/// The SHA-256 of all files of settings and rules that count somewhere, in their order, with what each may do; of none where there are none. Where they are
/// says nothing, so the same policy has the same digest on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl fmt::Display for Digest {
    /// As records and people have it: `sha256:` and hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", hex(&self.0))
    }
}

/// Loads settings and rules.
pub fn load(request: &LoadRequest<'_>) -> Result<Loaded, Error> {
    let mut loading = Loading::new(request);
    let projects = loading.settings()?;
    let places = request.places;
    let is_policys = loading.settings.policy.is_there();
    let machines = if is_policys { Authority::Policy } else { Authority::Owner };
    loading.rules_in(&places.system.join("rules"), machines)?;
    if let Some(directory) = places.settings() {
        loading.rules_in(&directory.join("rules"), Authority::Owner)?;
    }
    for directory in loading.settings.rule_directories.value.clone() {
        loading.rules_in(&directory, Authority::Owner)?;
        loading.guard_paths.push(directory);
    }
    if let Some(foreign) = &places.foreign {
        loading.rules_in(&foreign.join("rules"), Authority::TightenOnly)?;
    }
    for directory in &projects {
        let read = loading.project_rules(directory);
        loading.unless_strangers(directory, PROJECT_RULES, read)?;
    }
    Ok(loading.finish())
}

/// Loads settings alone, whatever is wrong with rules. Files in `trusted` count as if the owner trusted them as they are.
pub fn load_settings(request: &LoadRequest<'_>, trusted: &[PathBuf]) -> Result<Settings, Error> {
    let mut loading = Loading::new(request);
    trusted.clone_into(&mut loading.trusted);
    loading.settings()?;
    Ok(loading.settings)
}

/// Says whether a text could stand in an owner's file of settings; `path` is for the error.
pub fn check_settings(path: &Path, text: &str) -> Result<(), Error> {
    read_settings(path, text, Authority::Owner).map(drop)
}

/// Reads the text of a file of settings that may say so much.
fn read_settings(path: &Path, text: &str, authority: Authority) -> Result<schema::Written, Error> {
    let invalid = |problems| {
        let (path, text) = (path.to_owned(), text.to_owned());
        Error::Invalid(Invalid { path, text, problems, what: FileKind::Settings })
    };
    let written = schema::read(text).map_err(invalid)?;
    let locked = written.locked.as_ref();
    let problems = locked.map(|locked| locks(locked, authority)).unwrap_or_default();
    if problems.is_empty() { Ok(written) } else { Err(invalid(problems)) }
}

/// Returns the directories that rules are loaded from, those that are there, in the order in which they are loaded.
#[must_use]
pub fn rule_directories(request: &LoadRequest<'_>, settings: Option<&Settings>) -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> =
        request.places.own().map(|directory| directory.join("rules")).collect();
    directories.extend(settings.into_iter().flat_map(|s| s.rule_directories.value.clone()));
    directories.extend(request.places.foreign.iter().map(|directory| directory.join("rules")));
    let projects = project_directories(request.cwd, request.workspace);
    directories.extend(projects.iter().map(|directory| directory.join(PROJECT_RULES)));
    directories.retain(|directory| directory.is_dir());
    directories
}

/// Returns the files of projects that settings are loaded from here, outermost first, also those that are not there.
#[must_use]
pub fn project_settings(request: &LoadRequest<'_>) -> Vec<PathBuf> {
    let directories = project_directories(request.cwd, request.workspace);
    directories.iter().map(|directory| directory.join(PROJECT_SETTINGS)).collect()
}

/// Returns the files of a project that trust is about: its settings and its rules.
pub fn project_files(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = vec![directory.join(PROJECT_SETTINGS)];
    let rules = directory.join(PROJECT_RULES);
    match std::fs::read_dir(&rules) {
        Ok(entries) => {
            for entry in entries {
                let path =
                    entry.map_err(|source| Error::Read { path: rules.clone(), source })?.path();
                files.extend(Some(path).filter(|p| p.extension().is_some_and(|e| e == "toml")));
            }
        }
        Err(error) if file::is_absent(&error) => {}
        Err(source) => return Err(Error::Read { path: rules, source }),
    }
    files.retain(|path| path.symlink_metadata().is_ok());
    files.sort();
    Ok(files)
}

/// Returns the files of the machine's policy, in the order in which they count, also the first where it is not there.
pub fn policy_files(places: &Places) -> Result<Vec<PathBuf>, Error> {
    let system = &places.system;
    policy::files(system)
        .map_err(|source| Error::Read { path: system.join(policy::DIRECTORY), source })
}

/// Says what is wrong with what a file locks.
fn locks(locked: &Spanned<Vec<Spanned<String>>>, authority: Authority) -> Vec<Problem> {
    if authority != Authority::Policy {
        let message = "`locked` is for the machine's policy (`policy.toml`)";
        return vec![Problem::new(locked.span(), message)];
    }
    let rows = show(&Settings::default());
    let keys: Vec<&str> = rows.iter().map(|row| row.name).chain(["hooks"]).collect();
    let unknown = locked.get_ref().iter().filter(|key| !policy::is_key(key.get_ref(), &keys));
    unknown
        .map(|key| {
            let message = format!("there is no setting `{}` to lock", key.get_ref());
            Problem::new(key.span(), message)
        })
        .collect()
}

/// The file of settings, in a directory of them.
pub const SETTINGS: &str = "config.toml";
/// The file of a project's settings, in its directory.
pub const PROJECT_SETTINGS: &str = ".guarded-sh.toml";
/// The directory of a project's rules, in its directory.
pub const PROJECT_RULES: &str = ".guarded-sh/rules";

struct Loading<'l> {
    request: &'l LoadRequest<'l>,
    settings: Settings,
    rules: RuleSet,
    guard_paths: Vec<PathBuf>,
    /// Read when the first project file is met.
    pins: Option<Pins>,
    /// Files that count as trusted, whatever the pins say.
    trusted: Vec<PathBuf>,
    /// Of what was read so far.
    digest: Hash,
}

impl<'l> Loading<'l> {
    fn new(request: &'l LoadRequest<'l>) -> Self {
        Self {
            request,
            settings: Settings::default(),
            rules: RuleSet::builtin(),
            guard_paths: Vec::new(),
            pins: None,
            trusted: Vec::new(),
            digest: Hash::new(),
        }
    }

    /// Takes a file into the digest of all. Length and authority stand before it, so that no two files read like another two.
    fn count(&mut self, authority: Authority, content: &str) {
        self.digest.update(format!("{authority:?} {}\n", content.len()));
        self.digest.update(content);
    }

    /// Loads all settings and returns the directories of projects.
    fn settings(&mut self) -> Result<Vec<PathBuf>, Error> {
        let places = self.request.places;
        self.settings_in(&places.system.join(SETTINGS), Authority::Owner)?;
        for path in policy_files(places)? {
            self.settings_in(&path, Authority::Policy)?;
        }
        if let Some(directory) = places.settings() {
            self.settings_in(&directory.join(SETTINGS), Authority::Owner)?;
        }
        if let Some(foreign) = &places.foreign {
            self.settings_in(&foreign.join(SETTINGS), Authority::TightenOnly)?;
        }
        let projects = project_directories(self.request.cwd, self.request.workspace);
        for directory in &projects {
            let read = self.project_settings(directory);
            self.unless_strangers(directory, PROJECT_SETTINGS, read)?;
        }
        if let Some(profile) = self.request.profile {
            self.settings.within_session(profile);
        }
        Ok(projects)
    }

    fn settings_in(&mut self, path: &Path, authority: Authority) -> Result<(), Error> {
        let Some(text) = file::read(path, file::LARGEST_SETTINGS)? else {
            return Ok(());
        };
        if authority != Authority::TightenOnly {
            if let Some(directory) = path.parent() {
                self.require_ours(directory, None)?;
            }
            self.require_ours(path, Some(&text.metadata))?;
        }
        self.put(path, &text.content, authority)
    }

    fn require_ours(&self, path: &Path, metadata: Option<&Metadata>) -> Result<(), Error> {
        if self.request.places.owners == Owners::Anyones {
            return Ok(());
        }
        if let Some(metadata) = metadata {
            return file::require_ours(path, metadata, self.request.uid);
        }
        let metadata = std::fs::metadata(path)
            .map_err(|source| Error::Read { path: path.to_owned(), source })?;
        file::require_ours(path, &metadata, self.request.uid)
    }

    fn put(&mut self, path: &Path, text: &str, authority: Authority) -> Result<(), Error> {
        let written = read_settings(path, text, authority)?;
        self.count(authority, text);
        let home = self.request.places.home.as_deref();
        self.settings
            .put(&written, &settings::Layer { path: Arc::from(path), text, authority, home });
        Ok(())
    }

    /// Takes what a project says and could not be read for nothing where nobody trusted it: what was cloned with a repository can neither
    /// loosen anything nor have every line refused. It is told, but where the directory is another user's, closed to this one.
    fn unless_strangers(
        &mut self,
        directory: &Path,
        name: &str,
        read: Result<(), Error>,
    ) -> Result<(), Error> {
        let Err(error) = read else { return Ok(()) };
        if file::is_closed(directory, self.request.uid) {
            return Ok(());
        }
        let path = directory.join(name);
        let is_assumed = self.trusted.iter().any(|trusted| trusted.starts_with(&path));
        if is_assumed || self.pins().has_below(&path) {
            return Err(error);
        }
        self.warn(
            &path,
            format!("nobody trusted it, and it is broken, so it is passed over: {error}"),
        );
        self.settings.broken.push(path);
        Ok(())
    }

    fn project_settings(&mut self, directory: &Path) -> Result<(), Error> {
        let path = directory.join(PROJECT_SETTINGS);
        let Some(text) = file::read(&path, file::LARGEST_SETTINGS)? else {
            return Ok(());
        };
        let is_assumed = self.trusted.contains(&path);
        let authority = match self.pins().of(&path, &text.content) {
            _ if is_assumed => Authority::Owner,
            Trust::Pinned => Authority::Owner,
            Trust::Changed => {
                let message = "changed since it was trusted: `guarded-sh trust` to trust it again";
                self.warn(&path, message.to_owned());
                Authority::TightenOnly
            }
            Trust::Unknown => Authority::TightenOnly,
        };
        self.put(&path, &text.content, authority)?;
        self.guard_paths.push(path);
        Ok(())
    }

    /// Returns what is trusted. A record that cannot be read trusts nothing, which is stricter, and is told.
    fn pins(&mut self) -> &Pins {
        if self.pins.is_none() {
            let read = Pins::read(self.request.places, self.request.uid);
            self.pins = Some(read.unwrap_or_else(|error| {
                let path = self.request.places.state().unwrap_or_default();
                self.warn(&path, format!("no project is trusted: {error}"));
                Pins::default()
            }));
        }
        self.pins.get_or_insert_default()
    }

    fn warn(&mut self, path: &Path, message: String) {
        let origin = Origin::File { path: Arc::from(path), line: 1 };
        self.settings.warnings.push(Warning { origin, message });
    }

    fn rules_in(&mut self, path: &Path, authority: Authority) -> Result<(), Error> {
        self.add_rules(path, authority != Authority::TightenOnly, &|_| authority)
    }

    fn project_rules(&mut self, directory: &Path) -> Result<(), Error> {
        let path = directory.join(PROJECT_RULES);
        if std::fs::metadata(&path).is_err_and(|error| file::is_absent(&error)) {
            return Ok(());
        }
        let pins = self.pins().clone();
        self.guard_paths.push(directory.join(".guarded-sh"));
        // One file that is not trusted could hide what the trusted ones say, so they count together.
        self.add_rules(&path, false, &|files| {
            let trusted =
                |(file, digest): &(PathBuf, String)| pins.of_digest(file, digest) == Trust::Pinned;
            if files.iter().all(trusted) { Authority::Owner } else { Authority::TightenOnly }
        })
    }

    fn add_rules(
        &mut self,
        path: &Path,
        guarded: bool,
        authority: &rules::AuthorityOf<'_>,
    ) -> Result<(), Error> {
        let cache = self.request.places.cache();
        let guarded = guarded && self.request.places.owners == Owners::Ours;
        let LoadRequest { uid, cache: cache_use, check, .. } = *self.request;
        let directory =
            rules::Directory { path, uid, guarded, cache: cache.as_deref(), cache_use, check };
        let Some(loaded) = directory.load(authority)? else {
            return Ok(());
        };
        for rules::Wrong { path, line, message } in loaded.wrong {
            let line = usize::try_from(line).unwrap_or(1);
            let origin = Origin::File { path: Arc::from(path), line };
            self.settings.warnings.push(Warning { origin, message });
        }
        if let Some(error) = loaded.unkept {
            self.warn(path, format!("rules are compiled anew each time: {error}"));
        }
        for digest in &loaded.digests {
            self.count(loaded.layer.authority(), digest);
        }
        self.rules = std::mem::replace(&mut self.rules, RuleSet::none()).with_layer(loaded.layer);
        Ok(())
    }

    fn finish(self) -> Loaded {
        let places = self.request.places;
        let own = [Some(places.system.clone()), places.settings(), places.state(), places.cache()];
        let mut guard_paths: Vec<PathBuf> = own.into_iter().flatten().collect();
        guard_paths.extend(places.foreign.clone());
        guard_paths.extend(self.settings.record.directory.value.clone());
        guard_paths.extend(self.guard_paths);
        let rules = self.rules.without(self.settings.disabled_rules.value.iter().cloned());
        Loaded {
            settings: self.settings,
            rules,
            guard_paths,
            digest: Digest(self.digest.finalize()),
        }
    }
}

/// Returns the directories of which a project's files count, outermost first.
///
/// All of them count, not the nearest alone: else an empty file in a new subdirectory would hide the one above it.
fn project_directories(cwd: Option<&Path>, workspace: Option<&Path>) -> Vec<PathBuf> {
    let Some(cwd) = cwd else {
        return workspace.map(Path::to_owned).into_iter().collect();
    };
    let Some(root) = workspace.filter(|root| cwd.starts_with(root)) else {
        return vec![cwd.to_owned()];
    };
    let inside = |directory: &&Path| directory.starts_with(root);
    let mut directories: Vec<PathBuf> =
        cwd.ancestors().take_while(inside).map(Path::to_owned).collect();
    directories.reverse();
    directories
}
