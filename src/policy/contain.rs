//! What containment takes away: of a line in which nothing is worse than medium, whether all that was found is harmless in a container, and in how
//! many layers of one (`rules/contain.toml`). Does not know which layers there are.

use super::asked::hosts;
use super::assess::settled;
use crate::model::{
    Action, Effect, EffectKind, Facts, Finding, Layer, Layers, PathClass, Permission, Severity,
    Target, is_this_machine,
};
use crate::paths;
use crate::reading::{Plan, PlannedCommand};

include!(concat!(env!("OUT_DIR"), "/contain.rs"));

/// Returns the layers that take away all that is worse than low. None: something would be left, there is nothing to take away, or the line could
/// not do in a container what it is for.
#[must_use]
pub(super) fn removed_by(findings: &[Finding], plan: &Plan, facts: &Facts) -> Option<Layers> {
    // What is to be kept from the line stands in the very place that is its own.
    let holds_home =
        |root: &String| facts.home.as_ref().is_some_and(|home| paths::is_below(home, root));
    if facts.workspaces.iter().any(holds_home) {
        return None;
    }
    let (mut layers, mut first) = (Layers::NONE, None);
    for finding in findings {
        if finding.action > Action::Allow || finding.severity > Severity::Medium {
            return None;
        }
        if finding.severity > Severity::Low {
            let (row, own) = removal(&finding.rule, facts)?;
            layers = layers.and(own);
            // Code that is not known tells whom it reaches what it finds: it runs where nobody is reached but whom it needs itself.
            if *first.get_or_insert(row) != row && layers.has(Layer::Proxy) {
                return None;
            }
        }
    }
    let works = |command| works_contained(command, layers, facts);
    let is_reached = || !layers.has(Layer::Proxy) || hosts(plan).is_some();
    (!layers.is_empty() && plan.commands.iter().all(works) && is_reached()).then_some(layers)
}

/// Returns the row of the table that has a finding, and the layers that take it away.
fn removal(rule: &str, facts: &Facts) -> Option<(usize, Layers)> {
    let (_, row, layers, permit) = REMOVES.iter().find(|(name, ..)| *name == rule)?;
    permit.is_none_or(|permit| facts.permits.contains(&permit)).then_some((*row, *layers))
}

/// Whether a command can do in a container what is known of it. What cannot would fail there, and nobody could permit it.
fn works_contained(command: &PlannedCommand, layers: Layers, facts: &Facts) -> bool {
    let is_held_back = |effect: &Effect| match effect.kind {
        EffectKind::Privilege | EffectKind::Mount => true,
        _ if needs_network(effect) => !layers.has(Layer::Proxy),
        kind => kind.changes() && !is_writable(effect.target.class()),
    };
    let is_there = |directory: &Option<String>| {
        let directory = directory.as_deref();
        // What is made in it is of the same place.
        let made = directory.map(|directory| paths::absolute(directory, "_"));
        made.is_some_and(|made| is_writable(Some(paths::classify(&made, facts))))
    };
    let does_more =
        || command.effects.iter().any(|effect| matters(effect.kind)) || !command.unknown.is_empty();
    !NEVER.iter().any(|name| command.is_called(name))
        && !command.effects.iter().any(is_held_back)
        // What the owner calls safe is to do whatever it does.
        && (!does_more() || (command.directories.iter().all(is_there) && !settled(command, facts)))
}

/// Whether an effect is what a container is for.
const fn matters(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Execute | EffectKind::Build | EffectKind::Unknown)
}

/// Whether an effect is none where there is no other host. A port that is waited at is for other lines.
pub(super) fn needs_network(effect: &Effect) -> bool {
    let is_here = match &effect.target {
        Target::Host { host: Some(host) } => is_this_machine(host),
        _ => false,
    };
    match effect.kind {
        EffectKind::Connect | EffectKind::Fetch | EffectKind::Send => !is_here,
        EffectKind::Listen
        | EffectKind::Remote
        | EffectKind::Install
        | EffectKind::Publish
        | EffectKind::RewriteShared
        | EffectKind::Container
        | EffectKind::CloudRead
        | EffectKind::CloudChange
        | EffectKind::CloudDestroy => true,
        _ => false,
    }
}

/// Whether lines in a container write in places of this class. Of what is not known, they write what is.
fn is_writable(class: Option<PathClass>) -> bool {
    matches!(
        class,
        None | Some(
            PathClass::Null
                | PathClass::Temporary
                | PathClass::Made
                | PathClass::BuildOutput
                | PathClass::Inside
                | PathClass::NetworkDevice
                | PathClass::Unknown
        )
    )
}
