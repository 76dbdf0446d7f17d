//! Clients that an owner made, each with its policy ([`Issued`]). Answers nothing: `gate` says which requests come by one.
//!
//! The file is `mcp/clients.json` in the owner's state directory.

use guarded_sh::config::is_variable;
use guarded_sh::model::Consent;
use serde::{Deserialize, Serialize};

use super::mounts::Mount;
use crate::issued::{All, Error, Issued};

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

impl Issued for Client {
    const ONE: &'static str = "client";
    const DIRECTORY: &'static str = "mcp";
    const SIGN: &'static str = "gsm_";

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

/// What a client is made with.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    pub ends: Option<u64>,
    pub approval: Option<Consent>,
    pub mounts: Vec<Mount>,
    pub pass: Vec<String>,
    pub set: Vec<String>,
}

/// The clients of an owner.
pub type Clients = All<Client>;

impl Clients {
    /// Makes a client, and returns its token.
    pub fn add(&self, name: &str, policy: Policy) -> Result<String, Error> {
        self.issue(name, |name, digest, made| {
            let Policy { ends, approval, mounts, pass, set } = policy;
            match pass.iter().chain(&set).find(|name| !is_variable(name)) {
                Some(wrong) => Err(Error::Variable(wrong.clone())),
                None => Ok(Client { name, digest, made, ends, approval, mounts, pass, set }),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::issued::{found, now};

    const SIGN: &str = Client::SIGN;

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
        assert!(matches!(clients.revoke("one"), Err(Error::Absent(..))));
        assert_eq!(found(&clients.read().unwrap(), &one, now()), None);
    }

    #[test]
    fn names_and_variables_are_plain() {
        let state = tempfile::tempdir().unwrap();
        let clients = Clients::below(state.path());
        clients.add("a", Policy::default()).unwrap();
        assert!(matches!(clients.add("a", Policy::default()), Err(Error::Taken(..))));
        for name in ["", "a b", "a\n", "\u{202e}", "../a", &"a".repeat(65)] {
            assert!(matches!(clients.add(name, Policy::default()), Err(Error::Name(_))), "{name}");
        }
        for variable in ["PATH", "LD_PRELOAD", "GIT_DIR", "BASH_ENV", "A=B"] {
            let policy = Policy { set: vec![variable.to_owned()], ..Policy::default() };
            assert!(matches!(clients.add("b", policy), Err(Error::Variable(_))), "{variable}");
        }
    }
}
