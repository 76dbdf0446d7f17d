//! `guarded-shd passkeys`: what `guarded-sh page passkeys` starts. A person lists and removes passkeys; an agent does not.

use std::fmt::Write as _;
use std::io;

use clap::Args;
use guarded_sh::observe::Environment;
use guarded_sh::subcommand::Passkeys as Action;

use super::{Keyring, Passkey, Removed};
use crate::page::made::{self, By, Made};
use crate::page::only_a_person;
use crate::page::tokens::when;
use crate::record::{record, state_of};

/// What `passkeys` takes.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

/// Does it, if a person asks.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let environment = Environment::read();
    only_a_person(&environment, "see to the page's passkeys")?;
    let state = state_of(&record(&environment)?);
    let keyring = Keyring::below(&state);
    let failed = |error: io::Error| format!("cannot use the passkeys: {error}");
    let text = match &arguments.action {
        Action::List => listed(&keyring.read().map_err(failed)?.passkeys),
        Action::Remove { name } => {
            let noted = made::open(&state).map_err(failed)?;
            let removed = keyring.remove(name).map_err(failed)?;
            let removed = removed.ok_or_else(|| format!("there is no passkey '{name}'"))?;
            let made = Made::named(format!("passkey {name}"), &By::Terminal);
            made::note(&noted, &made).map_err(failed)?;
            told(name, &removed)
        }
    };
    crate::written(&text)
}

fn told(name: &str, Removed { host, left }: &Removed) -> String {
    let mut text = format!("'{name}' is removed.");
    if *left == 0 {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            " It was the last one for {host}: where `page.passkey` of the settings has a yes or a change take one, none is taken there until another one is registered."
        );
    }
    text
}

fn listed(passkeys: &[Passkey]) -> String {
    if passkeys.is_empty() {
        return "There are no passkeys.".to_owned();
    }
    let unknown = || "unknown".to_owned();
    let mut text = "NAME      REGISTERED        LAST USED         FOR".to_owned();
    for passkey in passkeys {
        let made = passkey.made.map_or_else(unknown, when);
        // Of one that was kept before times were, it is not known whether it ever was.
        let never = || if passkey.made.is_some() { "never".to_owned() } else { unknown() };
        let used = passkey.used.map_or_else(never, when);
        let _ = write!(text, "\n{}  {made:16}  {used:16}  {}", passkey.name(), passkey.host);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    #[test]
    fn each_is_listed_with_what_is_known_of_it() {
        let passkey = |made, used| Passkey {
            id: "00".to_owned(),
            kind: Kind::Es256,
            key: String::new(),
            host: "a.localhost".to_owned(),
            count: 0,
            made,
            used,
        };
        assert_eq!(listed(&[]), "There are no passkeys.");
        let text = listed(&[passkey(None, None), passkey(Some(1 << 30), None)]);
        let rows: Vec<Vec<&str>> =
            text.lines().skip(1).map(|line| line.split("  ").map(str::trim).collect()).collect();
        let name = passkey(None, None).name();
        assert_eq!(rows[0].iter().filter(|part| !part.is_empty()).count(), 4, "{text}");
        assert!(rows[0][0] == name && text.contains("unknown") && text.contains("never"), "{text}");
        let of = |left| told("x", &Removed { host: "a.localhost".to_owned(), left });
        assert_eq!(of(1), "'x' is removed.");
        assert!(of(0).contains("It was the last one for a.localhost"));
    }
}
