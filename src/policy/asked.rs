//! Which hosts a line asks by their names, through a proxy (`rules/registries.toml`): those of its effects, and the registries of its installers.

use super::contain::needs_network;
use crate::model::{Arg, Effect, EffectKind, Target, numeric_address};
use crate::reading::{self, Plan, PlannedCommand};

include!(concat!(env!("OUT_DIR"), "/hosts.rs"));

/// Returns the hosts that a line asks, each with its port where the line names one. None: one of them is not known, or is asked in a way that takes no
/// proxy.
#[must_use]
pub fn hosts(plan: &Plan) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for command in &plan.commands {
        // An installer asks its registry also where its plan does not say so: for what a build lacks.
        all.extend(registries(command).iter().map(|host| (*host).to_owned()));
        for effect in command.effects.iter().filter(|effect| needs_network(effect)) {
            all.extend(of_effect(command, effect)?);
        }
    }
    all.sort();
    all.dedup();
    Some(all)
}

fn of_effect(command: &PlannedCommand, effect: &Effect) -> Option<Vec<String>> {
    match (effect.kind, &effect.target) {
        (EffectKind::Install, _) => (!registries(command).is_empty()).then(Vec::new),
        (
            EffectKind::Fetch | EffectKind::Connect | EffectKind::Send,
            Target::Host { host: Some(host) },
        ) if ASKS.iter().any(|name| command.is_called(name)) => {
            let named = command.argv.iter().filter_map(|word| named_by(word, host));
            let named: Vec<String> = named.collect();
            (!named.is_empty() && numeric_address(host).is_none()).then_some(named)
        }
        _ => None,
    }
}

/// Returns the hosts that an installer asks.
fn registries(command: &PlannedCommand) -> &'static [&'static str] {
    let found = REGISTRIES.iter().find(|(name, _)| command.is_called(name));
    found.map_or(&[], |(_, hosts)| hosts)
}

/// Returns a host with the port that a word names, if the word is of HTTP and names this host.
fn named_by(word: &Arg, host: &str) -> Option<String> {
    if reading::host(word).as_deref() != Some(host) {
        return None;
    }
    let rest = match word.prefix().split_once("://") {
        None => word.prefix(),
        Some((scheme, rest)) => {
            let scheme = scheme.to_ascii_lowercase();
            ["http", "https"].iter().any(|name| scheme.ends_with(name)).then_some(rest)?
        }
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let place = authority.rsplit('@').next().unwrap_or(authority);
    match place.rsplit_once(':') {
        None => Some(host.to_owned()),
        // What no port stands behind is a path of another machine (scp(1)).
        Some((_, port)) => Some(format!("{host}:{}", port.parse::<u16>().ok()?)),
    }
}
