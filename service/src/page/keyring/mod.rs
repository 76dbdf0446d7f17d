//! Passkeys that are registered: the file in which they are kept, `page/passkeys.json` in the owner's state directory, where no line of an agent writes. It is read anew
//! each time, and replaced as a whole, under a lock: what is removed at a terminal counts no more in a page that runs.

mod command;

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use guarded_sh::audit::sha256;
use guarded_sh::sys::Replacement;
use serde::{Deserialize, Serialize};

use super::owned;
use super::tokens::now;

pub use command::{Arguments, run};

/// For how long others are waited for who change it.
const PATIENCE: Duration = Duration::from_secs(1);
/// Letters of the name of a passkey.
const NAME: usize = 8;

/// One that is registered. Times are seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passkey {
    pub id: String,
    pub kind: Kind,
    /// Its public key, in hexadecimal.
    pub key: String,
    /// The host that it is for.
    pub host: String,
    /// How often it was used, if it counts.
    pub count: u32,
    /// When it was registered; none of those that are older than this is kept.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub made: Option<u64>,
    /// When it was last used.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub used: Option<u64>,
}

/// By which way it signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// ECDSA over P-256 with SHA-256; the key is a point, uncompressed.
    Es256,
    /// Ed25519.
    Ed25519,
}

impl Passkey {
    /// Returns what people call it by.
    pub fn name(&self) -> String {
        let mut name = sha256(self.id.as_bytes());
        name.truncate(NAME);
        name
    }

    /// Notes that it is used now.
    pub fn is_used(&mut self) {
        self.used = Some(now());
    }
}

/// What is kept of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// The name that this machine's browsers know the page by.
    pub name: Option<String>,
    #[serde(default)]
    pub passkeys: Vec<Passkey>,
}

/// What became of one that was removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The host that it was for.
    pub host: String,
    /// How many are left for that.
    pub left: usize,
}

/// The file.
#[derive(Clone, Debug)]
pub struct Keyring {
    pub file: PathBuf,
}

impl Keyring {
    /// The one below a directory of the owner's state.
    pub fn below(state: &Path) -> Self {
        Self { file: state.join("page").join("passkeys.json") }
    }

    /// Reads it. Where there is no file there are none.
    pub fn read(&self) -> io::Result<Kept> {
        match owned::read_own(&self.file).map_err(|fault| fault.of(&self.file))? {
            Some(text) => serde_json::from_slice(&text).map_err(|error| {
                let file = self.file.display();
                io::Error::other(format!("'{file}' does not hold passkeys: {error}"))
            }),
            None => Ok(Kept::default()),
        }
    }

    /// Replaces what is kept by what becomes of it, while nobody else does. Where nothing becomes of it, nothing is written.
    pub fn change<T, E: From<io::Error>>(
        &self,
        change: impl FnOnce(&mut Kept) -> Result<T, E>,
    ) -> Result<T, E> {
        let directory = self.file.parent().unwrap_or(&self.file);
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let _locked = owned::lock(&self.file.with_extension("lock"), PATIENCE)?;
        let before = self.read()?;
        let mut kept = before.clone();
        let done = change(&mut kept)?;
        if kept != before {
            // It is its owner's alone, as a replacement is.
            let text = serde_json::to_vec(&kept).map_err(io::Error::from)?;
            Replacement::write(&self.file, &text)?.synced()?.put()?;
        }
        Ok(done)
    }

    /// Removes one; none: there is none of this name.
    pub fn remove(&self, name: &str) -> io::Result<Option<Removed>> {
        self.change(|kept| {
            let at = kept.passkeys.iter().position(|passkey| passkey.name() == name);
            Ok(at.map(|at| {
                let host = kept.passkeys.remove(at).host;
                let left = kept.passkeys.iter().filter(|passkey| passkey.host == host).count();
                Removed { host, left }
            }))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;

    fn passkey(id: &str, host: &str) -> Passkey {
        let (id, host) = (id.to_owned(), host.to_owned());
        Passkey {
            id,
            kind: Kind::Ed25519,
            key: String::new(),
            host,
            count: 0,
            made: None,
            used: None,
        }
    }

    #[test]
    fn what_is_removed_is_gone_for_all_who_read() {
        let state = tempfile::tempdir().unwrap();
        let (one, other) = (Keyring::below(state.path()), Keyring::below(state.path()));
        let put = |kept: &mut Kept| {
            kept.passkeys = vec![passkey("a", "x"), passkey("b", "x"), passkey("c", "y")];
            Ok::<_, io::Error>(())
        };
        one.change(put).unwrap();
        let name = |id| passkey(id, "").name();
        let remove = |id| {
            let removed = other.remove(&name(id)).unwrap();
            removed.map(|removed| (removed.host, removed.left))
        };
        assert_eq!(remove("a"), Some(("x".to_owned(), 1)));
        assert_eq!(remove("a"), None);
        assert_eq!(other.remove("").unwrap(), None);
        assert_eq!(remove("b"), Some(("x".to_owned(), 0)));
        assert_eq!(one.read().unwrap().passkeys, [passkey("c", "y")]);
    }

    #[test]
    fn what_was_kept_before_times_were_is_read() {
        let kept: Kept = serde_json::from_str(
            r#"{"name":"n","passkeys":[{"id":"00","kind":"es256","key":"","host":"h","count":3}]}"#,
        )
        .unwrap();
        assert_eq!((kept.passkeys[0].count, kept.passkeys[0].made), (3, None));
    }

    #[test]
    fn a_file_that_holds_none_is_named_and_stays() {
        let state = tempfile::tempdir().unwrap();
        let keyring = Keyring::below(state.path());
        std::fs::create_dir(keyring.file.parent().unwrap()).unwrap();
        for text in ["", "\0", "[]", "{\"passkeys\":1}"] {
            drop(owned::open(&keyring.file, OpenOptions::new().write(true)).unwrap());
            std::fs::write(&keyring.file, text).unwrap();
            for error in [keyring.read().unwrap_err(), keyring.remove("a").unwrap_err()] {
                let named = format!("'{}' does not hold passkeys: ", keyring.file.display());
                assert!(error.to_string().starts_with(&named), "{text:?}: {error}");
            }
            assert_eq!(std::fs::read_to_string(&keyring.file).unwrap(), text);
        }
    }

    #[test]
    fn a_change_that_fails_leaves_the_file_as_it_was() {
        let state = tempfile::tempdir().unwrap();
        let keyring = Keyring::below(state.path());
        let failed = keyring.change(|kept| {
            kept.name = Some("n".to_owned());
            Err::<(), _>(io::Error::other("no"))
        });
        assert!(failed.is_err());
        assert_eq!(keyring.read().unwrap(), Kept::default());
        assert!(!keyring.file.exists());
    }
}
