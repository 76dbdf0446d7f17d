//! Which home, and so which settings, are the owner's.
//!
//! `HOME` and the `XDG_` variables come from the caller, and the caller may be an agent: `HOME=/tmp/x guarded-bash -c …`. So
//! whoever asks says whether the environment is believed ([`Belief`]). If it is, `HOME` and the variables say where settings,
//! records and compiled rules are, as for any program. If it is not, the home in the user database does, and settings that
//! the environment names elsewhere are read too, but may only tighten. A uid that is in no user database has no home of its
//! own then: for it only `/etc/guarded-sh` loosens.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

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
    config: Option<PathBuf>,
    state: Option<PathBuf>,
    cache: Option<PathBuf>,
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
    /// `XDG_STATE_HOME`
    pub state_home: Option<&'a OsStr>,
    /// `XDG_CACHE_HOME`
    pub cache_home: Option<&'a OsStr>,
}

/// Whether the environment says where the owner's settings are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// It does: nobody stands above this process who could have made it up.
    Believed,
    /// It does not: an agent may have written it.
    Doubted,
}

impl Environment<'_> {
    /// Returns whether the environment names other places than those below `home`.
    #[must_use]
    pub fn differs(&self, home: Option<&Path>) -> bool {
        let named = [self.config_home, self.state_home, self.cache_home];
        let elsewhere = self.home.map(Path::new).filter(|path| path.is_absolute());
        named.into_iter().flatten().any(|path| Path::new(path).is_absolute())
            || elsewhere.is_some_and(|elsewhere| home.is_none_or(|home| !is_same(home, elsewhere)))
    }
}

impl Places {
    /// Returns the places for the owner of `home` in the user database, on a machine whose settings are in `system`.
    #[must_use]
    pub fn below(
        system: PathBuf,
        home: Option<PathBuf>,
        environment: Environment<'_>,
        belief: Belief,
    ) -> Self {
        let absolute = |path: &OsStr| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
        // The base directory specification has relative paths ignored.
        let given = |named: Option<&OsStr>, home: Option<&Path>, usual: &str| {
            let base = named.and_then(absolute).or_else(|| Some(home?.join(usual)))?;
            Some(base.join("guarded-sh"))
        };
        if belief == Belief::Believed {
            let home = environment.home.and_then(absolute).or(home);
            let at = home.as_deref();
            return Self {
                config: given(environment.config_home, at, ".config"),
                state: given(environment.state_home, at, ".local/state"),
                cache: given(environment.cache_home, at, ".cache"),
                system,
                foreign: None,
                home,
                owners: Owners::Ours,
            };
        }
        let own = home.as_deref();
        let config = given(None, own, ".config");
        let said = environment.home.and_then(absolute);
        let foreign = given(environment.config_home, said.as_deref(), ".config")
            .filter(|named| config.as_ref().is_none_or(|own| !is_same(named, own)));
        Self {
            state: given(None, own, ".local/state"),
            cache: given(None, own, ".cache"),
            config,
            system,
            foreign,
            home,
            owners: Owners::Ours,
        }
    }

    /// Returns the places of a machine whose settings are in `system`, whoever's they may be, and of nobody on it.
    #[must_use]
    pub fn of_machine(system: PathBuf, owners: Owners) -> Self {
        Self { system, owners, ..Self::default() }
    }

    /// Returns the places of a machine that is made up, whose settings are in `system`: to try them, whoever wrote them.
    #[must_use]
    pub fn tried(
        system: PathBuf,
        home: Option<PathBuf>,
        config: Option<PathBuf>,
        cache: PathBuf,
    ) -> Self {
        let cache = Some(cache);
        let owners = Owners::Anyones;
        Self { system, home, owners, config, cache, ..Self::default() }
    }

    /// Returns the directories of settings that may loosen: the machine's, then the owner's.
    pub fn own(&self) -> impl Iterator<Item = PathBuf> {
        std::iter::once(self.system.clone()).chain(self.settings())
    }

    /// Returns the directory of the owner's settings.
    #[must_use]
    pub fn settings(&self) -> Option<PathBuf> {
        self.config.clone()
    }

    /// Returns the directory of what guarded-sh remembers for the owner: trust, and by default records.
    #[must_use]
    pub fn state(&self) -> Option<PathBuf> {
        self.state.clone()
    }

    /// Returns the directory of compiled rules.
    #[must_use]
    pub fn cache(&self) -> Option<PathBuf> {
        self.cache.clone()
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
