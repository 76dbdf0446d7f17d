//! Tokens that an owner makes for programs which ask the page ([`Issued`]). Answers nothing: `programs` says which requests come with one.
//!
//! The file is `tokens/tokens.json` in the owner's state directory.

mod command;

use serde::{Deserialize, Serialize};

use crate::issued::{All, Error, Issued};

pub use crate::issued::{found, now};
pub use command::{Arguments, run, when};

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

impl Issued for Token {
    const ONE: &'static str = "token";
    const DIRECTORY: &'static str = "tokens";
    const SIGN: &'static str = "gsh_";

    fn name(&self) -> &str {
        &self.name
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn ends(&self) -> Option<u64> {
        self.ends
    }
}

/// The tokens of an owner.
pub type Tokens = All<Token>;

impl Tokens {
    /// Makes a token, and returns it.
    pub fn add(&self, name: &str, may: May, ends: Option<u64>) -> Result<String, Error> {
        self.issue(name, |name, digest, made| {
            Ok(Token { name, may, digest, made, used: None, ends })
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
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;
    use crate::issued::MOST;

    const SIGN: &str = Token::SIGN;

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
        assert!(matches!(tokens.revoke("one"), Err(Error::Absent(..))));
        assert_eq!(found(&tokens.read().unwrap(), &one, now()), None);
        // What is revoked does not come back because it was used.
        tokens.note(&all[0].digest).unwrap();
        assert_eq!(tokens.read().unwrap().len(), 1);
    }

    #[test]
    fn names_are_plain_and_each_is_there_once() {
        let (_state, tokens) = made();
        tokens.add("a", May::Read, None).unwrap();
        assert!(matches!(tokens.add("a", May::Answer, None), Err(Error::Taken(..))));
        for name in ["", "a b", "a\n", "\u{202e}", "../a", &"a".repeat(65)] {
            assert!(matches!(tokens.add(name, May::Read, None), Err(Error::Name(_))), "{name}");
        }
        for at in 1..MOST {
            tokens.add(&format!("n{at}"), May::Read, None).unwrap();
        }
        assert!(matches!(tokens.add("more", May::Read, None), Err(Error::Full(_))));
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
