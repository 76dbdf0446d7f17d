//! What an owner issues to others, each with a token: to programs that ask the page, to clients of the bridge. A token itself is shown once and kept nowhere,
//! only its digest is.
//!
//! All of a kind stand in one file of a directory in the owner's state directory, where no line of an agent writes. It is replaced as a whole, under a lock, and is
//! its owner's alone.

use std::fs::DirBuilder;
use std::io;
use std::marker::PhantomData;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use guarded_sh::audit::sha256;
use guarded_sh::sys::{Replacement, Stamp};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::page::once::{NotRandom, drawn, is_same};
use crate::page::owned::{self, Fault};

/// For how long others are waited for who change the file.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many there may be of a kind.
pub const MOST: usize = 64;
/// Letters of a name.
const NAME: usize = 64;

/// What one of them is known by.
pub trait Issued: Serialize + DeserializeOwned {
    /// What one is called.
    const ONE: &'static str;
    /// The directory below the state directory.
    const DIRECTORY: &'static str;
    /// How a token of this kind begins, so that it is known for one wherever it stands.
    const SIGN: &'static str;

    /// Returns what its owner calls it.
    fn name(&self) -> &str;
    /// Returns the digest of its token.
    fn digest(&self) -> &str;
    /// Returns when it ends; none: when it is revoked.
    fn ends(&self) -> Option<u64>;

    /// Returns whether it counts at this time.
    fn counts(&self, now: u64) -> bool {
        self.ends().is_none_or(|ends| now < ends)
    }
}

/// Why they are not read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory or file cannot be used.
    #[error("cannot use the {one}s at '{}'", path.display())]
    Place {
        /// What one is called.
        one: &'static str,
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Others may write it, or it is another's.
    #[error("'{}' {problem}, so no {one} in it counts", path.display())]
    NotOurs {
        /// What one is called.
        one: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// It does not hold what it should.
    #[error("'{}' does not hold {one}s", path.display())]
    Nonsense {
        /// What one is called.
        one: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// A name is no name.
    #[error("a {0}'s name has letters, digits, `-`, `_` and `.`, {NAME} of them at most")]
    Name(&'static str),
    /// A variable is not for clients.
    #[error("no client may be given '{0}', or set it: it says what else is loaded or run")]
    Variable(String),
    /// There is one of this name.
    #[error("there is a {0} '{1}' already: revoke it, or choose another name")]
    Taken(&'static str, String),
    /// There is none of this name.
    #[error("there is no {0} '{1}'")]
    Absent(&'static str, String),
    /// There are as many as may be.
    #[error("there are {MOST} {0}s: revoke one before")]
    Full(&'static str),
    /// Nothing can be drawn at random.
    #[error(transparent)]
    NotRandom(#[from] NotRandom),
}

/// All of a kind that an owner has issued.
#[derive(Clone, Debug)]
pub struct All<T> {
    directory: PathBuf,
    of: PhantomData<T>,
}

impl<T: Issued> All<T> {
    /// Those below a state directory.
    pub fn below(state: &Path) -> Self {
        Self { directory: state.join(T::DIRECTORY), of: PhantomData }
    }

    /// Returns the directory, which is made if it is not there: what is written there is followed.
    pub fn directory(&self) -> Result<&Path, Error> {
        let directory = &self.directory;
        let failed = |source| Error::Place { one: T::ONE, path: directory.clone(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(failed)?;
        let metadata = directory.symlink_metadata().map_err(failed)?;
        let problem = if !metadata.is_dir() {
            "is no directory"
        } else if metadata.uid() != nix::unistd::geteuid().as_raw() {
            "belongs to another user"
        } else if metadata.mode() & 0o022 != 0 {
            "can be written by others"
        } else {
            return Ok(directory);
        };
        Err(Error::NotOurs { one: T::ONE, path: directory.clone(), problem })
    }

    /// Reads them. Where there is no file there are none.
    pub fn read(&self) -> Result<Vec<T>, Error> {
        let (one, path) = (T::ONE, self.file("json")?);
        let text = match owned::read_own(&path) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(Vec::new()),
            Err(Fault::Io(source)) => return Err(Error::Place { one, path, source }),
            Err(Fault::NotOurs(problem)) => return Err(Error::NotOurs { one, path, problem }),
        };
        serde_json::from_slice(&text).map_err(|source| Error::Nonsense { one, path, source })
    }

    /// Returns what tells the file, as it is, from what it was or will be; none where it cannot be looked at.
    pub fn stamp(&self) -> Option<Stamp> {
        let path = self.directory.join(format!("{}s.json", T::ONE));
        path.symlink_metadata().ok().map(|found| Stamp::of(&found))
    }

    /// Issues one under a name, as it is made of that, the digest of its token and the time; returns the token.
    pub fn issue(
        &self,
        name: &str,
        make: impl FnOnce(String, String, u64) -> Result<T, Error>,
    ) -> Result<String, Error> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || name.len() > NAME || !name.bytes().all(is_letter) {
            return Err(Error::Name(T::ONE));
        }
        let text = format!("{}{}", T::SIGN, drawn()?);
        let made = make(name.to_owned(), sha256(text.as_bytes()), now())?;
        self.change(|all| {
            if all.iter().any(|one| one.name() == name) {
                return Err(Error::Taken(T::ONE, name.to_owned()));
            }
            if all.len() >= MOST {
                return Err(Error::Full(T::ONE));
            }
            all.push(made);
            Ok(())
        })?;
        Ok(text)
    }

    /// Takes a token from whoever has it.
    pub fn revoke(&self, name: &str) -> Result<(), Error> {
        self.change(|all| {
            let at = all.iter().position(|one| one.name() == name);
            all.remove(at.ok_or_else(|| Error::Absent(T::ONE, name.to_owned()))?);
            Ok(())
        })
    }

    /// Replaces the file by what becomes of it, while nobody else does.
    pub fn change(
        &self,
        change: impl FnOnce(&mut Vec<T>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Place { one: T::ONE, path, source }
        };
        let path = self.file("lock")?;
        let _locked = owned::lock(&path, PATIENCE).map_err(failed(&path))?;
        let mut all = self.read()?;
        change(&mut all)?;
        let path = self.file("json")?;
        let put = || -> io::Result<()> {
            let text = serde_json::to_vec_pretty(&all)?;
            Replacement::write(&path, &text)?.synced()?.put()
        };
        put().map_err(failed(&path))
    }

    fn file(&self, end: &str) -> Result<PathBuf, Error> {
        Ok(self.directory()?.join(format!("{}s.{end}", T::ONE)))
    }
}

/// Returns the one whose token was sent. Each is compared, and each in a time that says nothing of where it differs.
pub fn found<'a, T: Issued>(all: &'a [T], sent: &str, now: u64) -> Option<&'a T> {
    let digest = sha256(sent.as_bytes());
    let mut found = None;
    for one in all {
        if is_same(one.digest(), &digest) && one.counts(now) {
            found = Some(one);
        }
    }
    found
}

/// Returns the time, in seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}
