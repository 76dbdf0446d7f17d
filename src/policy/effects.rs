//! How severe an effect is: `rules/effects.toml`, and what the owner calls safe.

use crate::model::{
    Effect, EffectKind, Facts, PathClass, Permission, Severity, Target, is_this_machine,
};
use crate::rules::glob;

/// Returns how severe an effect is.
#[must_use]
pub fn severity_of(effect: &Effect, facts: &Facts) -> Severity {
    let class = match &effect.target {
        Target::Path { class, .. } => Some(*class),
        Target::Host { host: Some(host) } => {
            if is_this_machine(host) && effect.kind == EffectKind::Send {
                return Severity::Low;
            }
            if is_safe_host(host, facts) {
                return safe_host_severity(effect.kind);
            }
            // A name asked for carries what is in the name; a service asked without naming a host does not.
            if effect.kind == EffectKind::Connect {
                return Severity::Medium;
            }
            None
        }
        Target::Host { host: None } if effect.kind == EffectKind::Connect => {
            return Severity::Medium;
        }
        Target::None | Target::Host { host: None } | Target::Text { .. } => None,
    };
    by_table(effect.kind, class)
}

/// Returns whether it matters in which place an effect is done that names none.
#[must_use]
pub(super) const fn matters_where(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Build | EffectKind::Commit)
}

/// Returns how severe an effect is in a place of this class.
#[must_use]
pub(super) fn severity_at(kind: EffectKind, class: PathClass) -> Severity {
    if matters_where(kind) { by_table(kind, Some(class)) } else { Severity::Low }
}

fn is_safe_host(host: &str, facts: &Facts) -> bool {
    let documents = facts.permits.contains(&Permission::DocumentationHosts);
    is_this_machine(host)
        || facts.safe_domains.iter().any(|domain| glob::text(domain, host))
        || documents && documentation_hosts().any(|domain| glob::text(domain, host))
}

/// The hosts that hold documentation, as globs.
fn documentation_hosts() -> impl Iterator<Item = &'static str> {
    let lines = include_str!("../../rules/documentation-hosts.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Reading from a host on the list is harmless; sending to it still deserves a thought unless it only connects.
fn safe_host_severity(kind: EffectKind) -> Severity {
    match kind {
        EffectKind::Fetch | EffectKind::Connect => Severity::Low,
        EffectKind::Send => Severity::Medium,
        kind => by_table(kind, None),
    }
}

#[allow(
    clippy::match_single_binding,
    reason = "written from the table, where some kinds have one severity"
)]
fn by_table(kind: EffectKind, class: Option<PathClass>) -> Severity {
    include!(concat!(env!("OUT_DIR"), "/severities.rs"))
}

/// Returns whether tasks of a workspace are expected to do this, as far as it is no worse than medium.
#[must_use]
pub(super) fn is_expected_of_recipes(kind: EffectKind) -> bool {
    include!(concat!(env!("OUT_DIR"), "/recipes.rs"))
}

/// Returns what an effect is, in words.
#[must_use]
pub fn sentence(effect: &Effect) -> String {
    let target = match &effect.target {
        Target::None => "something".to_owned(),
        Target::Path { path: Some(path), .. } => quoted(path),
        Target::Path { path: None, class: PathClass::Unknown } => {
            "a path that is only known when it runs".to_owned()
        }
        Target::Path { path: None, .. } => "a device".to_owned(),
        Target::Host { host: Some(host) } => quoted(host),
        Target::Host { host: None } => "a host that is only known when it runs".to_owned(),
        Target::Text { text: Some(text) } => quoted(text),
        Target::Text { text: None } => "something that is only known when it runs".to_owned(),
    };
    words(effect.kind).replace("{}", &target)
}

/// What something is done to, on one row: what is said of it is broken into rows at blanks, and a break of a line would be taken for one.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\n', "\\n").replace('\t', "\\t"))
}

fn words(kind: EffectKind) -> &'static str {
    include!(concat!(env!("OUT_DIR"), "/sentences.rs"))
}

#[cfg(test)]
mod tests {
    use super::{Effect, EffectKind, PathClass, Target, sentence};

    #[test]
    fn what_is_said_of_a_path_stands_on_one_row() {
        let path = Some("/a\nallow\tall".to_owned());
        let target = Target::Path { path, class: PathClass::Inside };
        let said = sentence(&Effect { kind: EffectKind::Delete, target });
        assert!(said.contains("'/a\\nallow\\tall'"), "{said}");
    }
}
