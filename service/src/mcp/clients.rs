//! Clients that an owner made: the file in which they are kept, each with its policy. A token itself is shown once and kept nowhere, only its digest is.
//! Answers nothing: `gate` says which requests come by one.
//!
//! The file is `mcp/clients.json` in the owner's state directory, where no line of an agent writes. It is replaced as a whole, under a lock, and is its owner's alone.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use guarded_sh::audit::sha256;
use guarded_sh::config::is_variable;
use guarded_sh::model::Consent;
use guarded_sh::sys::Replacement;
use serde::{Deserialize, Serialize};

use crate::page::once::{NotRandom, drawn, is_same};
use crate::page::owned::{self, Fault};
use crate::page::tokens::now;

use super::mounts::Mount;

/// The directory below the state directory, the file in it, and what is locked while it is changed.
const DIRECTORY: &str = "mcp";
const FILE: &str = "clients.json";
const LOCK: &str = "clients.lock";
/// For how long others are waited for who change it.
const PATIENCE: Duration = Duration::from_secs(10);
/// Clients that there may be.
const MOST: usize = 64;
/// Letters of a name.
const NAME: usize = 64;
/// How a token begins, so that it is known for one wherever it stands.
const SIGN: &str = "gsm_";

/// A client, as it is kept. Times are seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// What its owner calls it.
    pub name: String,
    /// The digest of its token, by which it is known again.
    pub digest: String,
    /// When it was made.
    pub made: u64,
    /// When its token ends; none: when it is revoked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ends: Option<u64>,
    /// What is asked about, where that is other than for all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub approval: Option<Consent>,
    /// The directories that it may use.
    #[serde(default)]
    pub mounts: Vec<Mount>,
    /// Variables of the owner's that it is given.
    #[serde(default)]
    pub pass: Vec<String>,
    /// Variables that it may set.
    #[serde(default)]
    pub set: Vec<String>,
}

impl Client {
    /// Whether its token counts at this time.
    pub fn counts(&self, now: u64) -> bool {
        self.ends.is_none_or(|ends| now < ends)
    }
}

/// What a client is made with.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    pub ends: Option<u64>,
    pub approval: Option<Consent>,
    pub mounts: Vec<Mount>,
    pub pass: Vec<String>,
    pub set: Vec<String>,
}

/// Why clients are not read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory or file cannot be used.
    #[error("cannot use the clients at '{}'", path.display())]
    Place {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Others may write it, or it is another's.
    #[error("'{}' {problem}, so no client in it counts", path.display())]
    NotOurs {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// It does not hold clients.
    #[error("'{}' does not hold clients", path.display())]
    Nonsense {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// A name is no name.
    #[error("a client's name has letters, digits, `-`, `_` and `.`, {NAME} of them at most")]
    Name,
    /// A variable is not for clients.
    #[error("no client may be given '{0}', or set it: it says what else is loaded or run")]
    Variable(String),
    /// There is one of this name.
    #[error("there is a client '{0}' already: revoke it, or choose another name")]
    Taken(String),
    /// There is none of this name.
    #[error("there is no client '{0}'")]
    Absent(String),
    /// There are as many as may be.
    #[error("there are {MOST} clients: revoke one before")]
    Full,
    /// Nothing can be drawn at random.
    #[error(transparent)]
    NotRandom(#[from] NotRandom),
}

/// The clients of an owner.
#[derive(Clone, Debug)]
pub struct Clients {
    directory: PathBuf,
}

impl Clients {
    /// Those below a state directory.
    pub fn below(state: &Path) -> Self {
        Self { directory: state.join(DIRECTORY) }
    }

    /// Returns the directory, which is made if it is not there.
    pub fn directory(&self) -> Result<&Path, Error> {
        let directory = &self.directory;
        let failed = |source| Error::Place { path: directory.clone(), source };
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
        Err(Error::NotOurs { path: directory.clone(), problem })
    }

    /// Reads them. Where there is no file there are none.
    pub fn read(&self) -> Result<Vec<Client>, Error> {
        let path = self.directory()?.join(FILE);
        let text = match owned::read_own(&path) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(Vec::new()),
            Err(Fault::Io(source)) => return Err(Error::Place { path, source }),
            Err(Fault::NotOurs(problem)) => return Err(Error::NotOurs { path, problem }),
        };
        serde_json::from_slice(&text).map_err(|source| Error::Nonsense { path, source })
    }

    /// Makes a client, and returns its token.
    pub fn add(&self, name: &str, policy: Policy) -> Result<String, Error> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || name.len() > NAME || !name.bytes().all(is_letter) {
            return Err(Error::Name);
        }
        let Policy { ends, approval, mounts, pass, set } = policy;
        if let Some(wrong) = pass.iter().chain(&set).find(|name| !is_variable(name)) {
            return Err(Error::Variable(wrong.clone()));
        }
        let text = format!("{SIGN}{}", drawn()?);
        let digest = sha256(text.as_bytes());
        self.change(|clients| {
            if clients.iter().any(|client| client.name == name) {
                return Err(Error::Taken(name.to_owned()));
            }
            if clients.len() >= MOST {
                return Err(Error::Full);
            }
            let name = name.to_owned();
            clients.push(Client { name, digest, made: now(), ends, approval, mounts, pass, set });
            Ok(())
        })?;
        Ok(text)
    }

    /// Takes the token from whoever has it.
    pub fn revoke(&self, name: &str) -> Result<(), Error> {
        self.change(|clients| {
            let at = clients.iter().position(|client| client.name == name);
            clients.remove(at.ok_or_else(|| Error::Absent(name.to_owned()))?);
            Ok(())
        })
    }

    /// Replaces the file by what becomes of it, while nobody else does.
    fn change(
        &self,
        change: impl FnOnce(&mut Vec<Client>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let directory = self.directory()?;
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Place { path, source }
        };
        let path = directory.join(LOCK);
        let _locked = owned::lock(&path, PATIENCE).map_err(failed(&path))?;
        let mut clients = self.read()?;
        change(&mut clients)?;
        let path = directory.join(FILE);
        let put = || -> io::Result<()> {
            let text = serde_json::to_vec_pretty(&clients)?;
            Replacement::write(&path, &text)?.synced()?.put()
        };
        put().map_err(failed(&path))
    }
}

/// Returns the client whose token was sent. Each is compared, and each in a time that says nothing of where it differs.
pub fn found<'c>(clients: &'c [Client], sent: &str, now: u64) -> Option<&'c Client> {
    let digest = sha256(sent.as_bytes());
    let mut found = None;
    for client in clients {
        if is_same(&client.digest, &digest) && client.counts(now) {
            found = Some(client);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_known_by_the_digest_of_its_token_until_it_is_revoked_or_ends() {
        let state = tempfile::tempdir().unwrap();
        let clients = Clients::below(state.path());
        let one = clients.add("one", Policy::default()).unwrap();
        let ends = Policy { ends: Some(now() + 10), ..Policy::default() };
        let two = clients.add("two", ends).unwrap();
        let kept = std::fs::read_to_string(state.path().join("mcp/clients.json")).unwrap();
        assert!(!kept.contains(&one) && !kept.contains(&one[SIGN.len()..]), "{kept}");
        let all = clients.read().unwrap();
        let name = |sent: &str, now| found(&all, sent, now).map(|client| client.name.clone());
        assert_eq!(name(&one, now()).as_deref(), Some("one"));
        assert_eq!(name(&two, now()).as_deref(), Some("two"));
        assert_eq!(name(&two, now() + 10), None);
        for sent in ["", SIGN, &all[0].digest, &one[1..], &format!("{one}0"), &one.to_uppercase()] {
            assert_eq!(name(sent, now()), None, "{sent}");
        }
        clients.revoke("one").unwrap();
        assert!(matches!(clients.revoke("one"), Err(Error::Absent(_))));
        assert_eq!(found(&clients.read().unwrap(), &one, now()), None);
    }

    #[test]
    fn names_and_variables_are_plain() {
        let state = tempfile::tempdir().unwrap();
        let clients = Clients::below(state.path());
        clients.add("a", Policy::default()).unwrap();
        assert!(matches!(clients.add("a", Policy::default()), Err(Error::Taken(_))));
        for name in ["", "a b", "a\n", "\u{202e}", "../a", &"a".repeat(65)] {
            assert!(matches!(clients.add(name, Policy::default()), Err(Error::Name)), "{name}");
        }
        for variable in ["PATH", "LD_PRELOAD", "GIT_DIR", "BASH_ENV", "A=B"] {
            let policy = Policy { set: vec![variable.to_owned()], ..Policy::default() };
            assert!(matches!(clients.add("b", policy), Err(Error::Variable(_))), "{variable}");
        }
    }
}
