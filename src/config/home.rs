//! Where the owner's settings, rules and records are, once it is known whose home is the owner's.
//!
//! `HOME` and `XDG_CONFIG_HOME` come from the caller, and the caller may be an agent: `HOME=/tmp/x guarded-bash -c …`. So no variable says
//! where any of this is, whoever calls: what a person writes is found again by what an agent runs, and the other way round. Settings
//! and rules that the variables name elsewhere are read too, but may only tighten.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What our directories are called, below those of settings, of state and of caches.
const NAME: &str = "guarded-sh";

/// The directories of the owner, and those that the environment names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The machine's settings: `/etc/guarded-sh`.
    pub system: PathBuf,
    /// The owner's home.
    pub home: Option<PathBuf>,
    /// Settings that the environment names, if they are not the owner's own.
    pub foreign: Option<PathBuf>,
    /// Whose their files may be.
    pub owners: Owners,
    /// Compiled rules, where they are not kept in the home.
    cache: Option<PathBuf>,
    /// Whether no settings of the home count.
    is_alone: bool,
}

/// Whose files of settings may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Owners {
    /// The user's and root's, and nobody else may write them: what they say counts.
    #[default]
    Ours,
    /// Anyone's: what they say is only tried, and nothing runs by it.
    Anyones,
}

/// What the environment says of the places of settings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Environment<'a> {
    /// `HOME`
    pub home: Option<&'a OsStr>,
    /// `XDG_CONFIG_HOME`
    pub config_home: Option<&'a OsStr>,
}

impl Places {
    /// Returns the places for the owner of `home`, on a machine whose settings are in `system`.
    #[must_use]
    pub fn below(system: PathBuf, home: Option<PathBuf>, environment: Environment<'_>) -> Self {
        // The base directory specification has relative paths ignored.
        let absolute = |path: &OsStr| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
        let usual = || Some(environment.home.and_then(absolute)?.join(".config"));
        let named = environment.config_home.and_then(absolute).or_else(usual);
        let own = Self { system, home, ..Self::default() };
        let settings = own.settings();
        let is_foreign = |named: &PathBuf| settings.is_none_or(|own| !is_same(named, &own));
        let foreign = named.map(|named| named.join(NAME)).filter(is_foreign);
        Self { foreign, ..own }
    }

    /// Returns the places of a machine whose settings are in `system`, whoever's they may be, and of nobody on it.
    #[must_use]
    pub fn of_machine(system: PathBuf, owners: Owners) -> Self {
        Self { system, owners, ..Self::default() }
    }

    /// Returns the places of a machine that is made up, whose settings are in `system`: to try them, whoever wrote them.
    #[must_use]
    pub fn tried(system: PathBuf, home: Option<PathBuf>, cache: PathBuf) -> Self {
        let cache = Some(cache);
        Self { system, home, owners: Owners::Anyones, cache, ..Self::default() }
    }

    /// Returns the same places without settings of the home.
    #[must_use]
    pub fn alone(self) -> Self {
        Self { is_alone: true, ..self }
    }

    /// Returns the directories of settings that may loosen: the machine's, then the owner's.
    pub fn own(&self) -> impl Iterator<Item = PathBuf> {
        std::iter::once(self.system.clone()).chain(self.settings())
    }

    /// Returns the directory of the owner's settings.
    #[must_use]
    pub fn settings(&self) -> Option<PathBuf> {
        self.below_home(".config").filter(|_| !self.is_alone)
    }

    /// Returns the directory of what guarded-sh remembers for the owner: trust, and by default records.
    #[must_use]
    pub fn state(&self) -> Option<PathBuf> {
        self.below_home(".local/state")
    }

    /// Returns the directory of compiled rules.
    #[must_use]
    pub fn cache(&self) -> Option<PathBuf> {
        self.cache.clone().or_else(|| self.below_home(".cache"))
    }

    fn below_home(&self, usual: &str) -> Option<PathBuf> {
        Some(self.home.as_ref()?.join(usual).join(NAME))
    }

    /// Says where settings, rules and records are, where the environment names another place.
    #[must_use]
    pub fn elsewhere(&self) -> Option<String> {
        let (foreign, home) = (self.foreign.as_ref()?, self.home.as_ref()?);
        Some(format!(
            "settings, rules and records are those of '{}', whatever HOME and XDG_CONFIG_HOME say: what is in '{}' can only make answers stricter",
            home.display(),
            foreign.display()
        ))
    }
}

/// Two names of one directory are one place.
fn is_same(one: &Path, other: &Path) -> bool {
    let identity = |path: &Path| path.metadata().ok().map(|file| (file.dev(), file.ino()));
    one == other || identity(one).is_some_and(|one| Some(one) == identity(other))
}

/// Returns `path` with a leading `~/` replaced by `home`; none if it is not absolute then.
#[must_use]
pub fn expand(path: &str, home: Option<&Path>) -> Option<PathBuf> {
    let expanded = match path.strip_prefix('~') {
        Some("") => home?.to_owned(),
        Some(rest) => home?.join(rest.strip_prefix('/')?),
        None => PathBuf::from(OsStr::from_bytes(path.as_bytes())),
    };
    Some(expanded).filter(|path| path.is_absolute())
}
