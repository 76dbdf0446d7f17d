//! Tokens that an owner makes for programs which ask the page: the file in which they are kept. A token itself is shown once and kept nowhere, only its digest is.
//! Answers nothing: `programs` says which requests come with one.
//!
//! The file is `tokens/tokens.json` in the owner's state directory, where no line of an agent writes. It is replaced as a whole, under a lock, and is its owner's alone.

mod command;

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use guarded_sh::audit::sha256;
use guarded_sh::sys::Replacement;
use serde::{Deserialize, Serialize};

use super::once::{NotRandom, drawn, is_same};
use super::owned::{self, Fault};

pub use command::{Arguments, run, when};

/// The directory below the state directory, the file in it, and what is locked while it is changed.
const DIRECTORY: &str = "tokens";
const FILE: &str = "tokens.json";
const LOCK: &str = "tokens.lock";
/// For how long others are waited for who change it.
const PATIENCE: Duration = Duration::from_secs(10);
/// Tokens that there may be.
const MOST: usize = 64;
/// Letters of a name.
const NAME: usize = 64;
/// How a token begins, so that it is known for one wherever it stands.
const SIGN: &str = "gsh_";

/// What a token may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum May {
    /// Read.
    Read,
    /// Read, and answer questions that are not critical.
    Answer,
    /// Read, and change settings, rules, prompts and agents. It answers nothing.
    Change,
}

/// A token, as it is kept. Times are seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// What its owner calls it.
    pub name: String,
    /// What it may.
    pub may: May,
    /// Its digest, by which it is known again.
    pub digest: String,
    /// When it was made.
    pub made: u64,
    /// When it was last used, to the minute.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub used: Option<u64>,
    /// When it ends; none: when it is revoked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ends: Option<u64>,
}

impl Token {
    /// Whether it counts at this time.
    pub fn counts(&self, now: u64) -> bool {
        self.ends.is_none_or(|ends| now < ends)
    }
}

/// Why tokens are not read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The directory or file cannot be used.
    #[error("cannot use the tokens at '{}'", path.display())]
    Place {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Others may write it, or it is another's.
    #[error("'{}' {problem}, so no token in it counts", path.display())]
    NotOurs {
        /// The file or directory.
        path: PathBuf,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// It does not hold tokens.
    #[error("'{}' does not hold tokens", path.display())]
    Nonsense {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// A name is no name.
    #[error("a token's name has letters, digits, `-`, `_` and `.`, {NAME} of them at most")]
    Name,
    /// There is one of this name.
    #[error("there is a token '{0}' already: revoke it, or choose another name")]
    Taken(String),
    /// There is none of this name.
    #[error("there is no token '{0}'")]
    Absent(String),
    /// There are as many as may be.
    #[error("there are {MOST} tokens: revoke one before")]
    Full,
    /// Nothing can be drawn at random.
    #[error(transparent)]
    NotRandom(#[from] NotRandom),
}

/// The tokens of an owner.
#[derive(Clone, Debug)]
pub struct Tokens {
    directory: PathBuf,
}

impl Tokens {
    /// Those below a state directory.
    pub fn below(state: &Path) -> Self {
        Self { directory: state.join(DIRECTORY) }
    }

    /// Returns the directory, which is made if it is not there: what is written there is followed.
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
    pub fn read(&self) -> Result<Vec<Token>, Error> {
        let path = self.directory()?.join(FILE);
        let text = match owned::read_own(&path) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(Vec::new()),
            Err(Fault::Io(source)) => return Err(Error::Place { path, source }),
            Err(Fault::NotOurs(problem)) => return Err(Error::NotOurs { path, problem }),
        };
        serde_json::from_slice(&text).map_err(|source| Error::Nonsense { path, source })
    }

    /// Makes a token, and returns it.
    pub fn add(&self, name: &str, may: May, ends: Option<u64>) -> Result<String, Error> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if name.is_empty() || name.len() > NAME || !name.bytes().all(is_letter) {
            return Err(Error::Name);
        }
        let text = format!("{SIGN}{}", drawn()?);
        let digest = sha256(text.as_bytes());
        self.change(|tokens| {
            if tokens.iter().any(|token| token.name == name) {
                return Err(Error::Taken(name.to_owned()));
            }
            if tokens.len() >= MOST {
                return Err(Error::Full);
            }
            let name = name.to_owned();
            tokens.push(Token { name, may, digest, made: now(), used: None, ends });
            Ok(())
        })?;
        Ok(text)
    }

    /// Takes a token from whoever has it.
    pub fn revoke(&self, name: &str) -> Result<(), Error> {
        self.change(|tokens| {
            let at = tokens.iter().position(|token| token.name == name);
            tokens.remove(at.ok_or_else(|| Error::Absent(name.to_owned()))?);
            Ok(())
        })
    }

    /// Notes that a token was used.
    pub fn note(&self, digest: &str) -> Result<(), Error> {
        self.change(|tokens| {
            // It may be revoked by now.
            if let Some(token) = tokens.iter_mut().find(|token| token.digest == digest) {
                token.used = Some(now());
            }
            Ok(())
        })
    }

    /// Replaces the file by what becomes of it, while nobody else does.
    fn change(
        &self,
        change: impl FnOnce(&mut Vec<Token>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let directory = self.directory()?;
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Place { path, source }
        };
        let path = directory.join(LOCK);
        let _locked = owned::lock(&path, PATIENCE).map_err(failed(&path))?;
        let mut tokens = self.read()?;
        change(&mut tokens)?;
        let path = directory.join(FILE);
        let put = || -> io::Result<()> {
            let text = serde_json::to_vec_pretty(&tokens)?;
            Replacement::write(&path, &text)?.synced()?.put()
        };
        put().map_err(failed(&path))
    }
}

/// Returns the token that a program has sent. Each is compared, and each in a time that says nothing of where it differs.
pub fn found<'t>(tokens: &'t [Token], sent: &str, now: u64) -> Option<&'t Token> {
    let digest = sha256(sent.as_bytes());
    let mut found = None;
    for token in tokens {
        if is_same(&token.digest, &digest) && token.counts(now) {
            found = Some(token);
        }
    }
    found
}

/// Returns the time, in seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn made() -> (tempfile::TempDir, Tokens) {
        let state = tempfile::tempdir().unwrap();
        let tokens = Tokens::below(state.path());
        (state, tokens)
    }

    #[test]
    fn a_token_is_known_by_its_digest_alone_until_it_is_revoked_or_ends() {
        let (state, tokens) = made();
        assert_eq!(tokens.read().unwrap(), []);
        let one = tokens.add("one", May::Read, None).unwrap();
        let two = tokens.add("two.2", May::Answer, Some(now() + 10)).unwrap();
        let kept = std::fs::read_to_string(state.path().join("tokens/tokens.json")).unwrap();
        assert!(!kept.contains(&one) && !kept.contains(&one[SIGN.len()..]), "{kept}");
        let all = tokens.read().unwrap();
        let name = |sent: &str, now| found(&all, sent, now).map(|token| token.name.clone());
        assert_eq!(name(&one, now()).as_deref(), Some("one"));
        assert_eq!(name(&two, now()).as_deref(), Some("two.2"));
        assert_eq!(name(&two, now() + 10), None);
        for sent in ["", SIGN, &all[0].digest, &one[1..], &format!("{one}0"), &one.to_uppercase()] {
            assert_eq!(name(sent, now()), None, "{sent}");
        }
        tokens.note(&all[0].digest).unwrap();
        assert!(tokens.read().unwrap()[0].used.is_some());
        tokens.revoke("one").unwrap();
        assert!(matches!(tokens.revoke("one"), Err(Error::Absent(_))));
        assert_eq!(found(&tokens.read().unwrap(), &one, now()), None);
        // What is revoked does not come back because it was used.
        tokens.note(&all[0].digest).unwrap();
        assert_eq!(tokens.read().unwrap().len(), 1);
    }

    #[test]
    fn names_are_plain_and_each_is_there_once() {
        let (_state, tokens) = made();
        tokens.add("a", May::Read, None).unwrap();
        assert!(matches!(tokens.add("a", May::Answer, None), Err(Error::Taken(_))));
        for name in ["", "a b", "a\n", "\u{202e}", "../a", &"a".repeat(65)] {
            assert!(matches!(tokens.add(name, May::Read, None), Err(Error::Name)), "{name}");
        }
        for at in 1..MOST {
            tokens.add(&format!("n{at}"), May::Read, None).unwrap();
        }
        assert!(matches!(tokens.add("more", May::Read, None), Err(Error::Full)));
    }

    #[test]
    fn what_others_may_have_written_counts_for_nothing() {
        let (state, tokens) = made();
        tokens.add("a", May::Read, None).unwrap();
        let path = state.path().join("tokens/tokens.json");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        for mode in [0o644, 0o620, 0o666] {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            assert!(matches!(tokens.read(), Err(Error::NotOurs { .. })), "{mode:o}");
        }
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        let elsewhere = state.path().join("elsewhere");
        std::fs::rename(&path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        assert!(matches!(tokens.read(), Err(Error::Place { .. })));
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "{}").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        assert!(matches!(tokens.read(), Err(Error::Nonsense { .. })));
        assert!(matches!(tokens.add("b", May::Read, None), Err(Error::Nonsense { .. })));
        std::fs::set_permissions(path.parent().unwrap(), PermissionsExt::from_mode(0o777)).unwrap();
        assert!(matches!(tokens.read(), Err(Error::NotOurs { .. })));
    }
}
