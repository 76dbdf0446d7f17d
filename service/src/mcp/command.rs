//! `guarded-shd clients`: what `guarded-sh mcp clients` starts. A person makes, lists and revokes clients of the bridge; an agent does not.

use std::fmt::Write as _;
use std::io::{IsTerminal, stdout};

use clap::Args;
use guarded_sh::approval::text::with_causes;
use guarded_sh::approval::visible_name;
use guarded_sh::model::Consent;
use guarded_sh::observe::Environment;
use guarded_sh::subcommand::Clients as Action;

use super::clients::{Client, Clients, Policy};
use super::mounts::Mount;
use crate::issued::{Issued, now};
use crate::page::only_a_person;
use crate::page::tokens::when;
use crate::record::{record, state_of};

/// What `clients` takes.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

/// Does it, if a person asks.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let environment = Environment::read();
    only_a_person(&environment, "see to the clients of the bridge")?;
    let clients = Clients::below(&state_of(&record(&environment)?));
    let done = match &arguments.action {
        Action::Add { name, mount, by_risk, always, pass, set, days } => {
            let home = environment.get("HOME");
            let mounts = mount.iter().map(|text| Mount::read(text, home));
            let mounts =
                mounts.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
            let approval = match (by_risk, always) {
                (true, _) => Some(Consent::ByRisk),
                (_, true) => Some(Consent::Always),
                _ => None,
            };
            let ends = days.map(|days| now() + u64::from(days) * 24 * 60 * 60);
            let (pass, set) = (pass.clone(), set.clone());
            let policy = Policy { ends, approval, mounts, pass, set };
            clients.add(name, policy).map(|token| added(name, &token))
        }
        Action::List => clients.read().map(|clients| listed(&clients)),
        Action::Revoke { name } => clients.revoke(name).map(|()| format!("'{name}' is revoked.")),
    };
    crate::written(&done.map_err(|error| with_causes(&error))?)
}

/// Says what was made: to a person in words, to a program the token alone.
fn added(name: &str, token: &str) -> String {
    if !stdout().is_terminal() {
        return token.to_owned();
    }
    format!(
        "Whoever sends this token asks you as '{name}':\n\n  {token}\n\nIt is shown this once. `guarded-sh mcp clients revoke {name}` takes it back."
    )
}

fn listed(clients: &[Client]) -> String {
    if clients.is_empty() {
        return "There are no clients.".to_owned();
    }
    let mut text = String::new();
    for client in clients {
        let ends = match client.ends {
            None => "until it is revoked".to_owned(),
            Some(ends) if client.counts(now()) => format!("until {}", when(ends)),
            Some(ends) => format!("until {}, so it counts no more", when(ends)),
        };
        let approval = client.approval.map_or("as mcp.approval says", Consent::name);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}  made {}, {ends}; asked about: {approval}",
            client.name,
            when(client.made)
        );
        for mount in &client.mounts {
            let [there, here] = [&mount.there, &mount.here].map(|path| path.display().to_string());
            let _ = writeln!(text, "  {} is {}", visible_name(&there), visible_name(&here));
        }
        for (what, names) in [("is given", &client.pass), ("may set", &client.set)] {
            if !names.is_empty() {
                let _ = writeln!(text, "  {what} {}", names.join(", "));
            }
        }
    }
    text.trim_end().to_owned()
}
