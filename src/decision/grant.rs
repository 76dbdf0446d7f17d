//! What a person's yes for the session covers: never more than what was shown.
//! Knows no sessions and keeps nothing: that is the host's.
//!
//! A yes to «`npm install` for this session» is a yes to a program and its subcommand, as far as what they do is what was shown:
//!
//! - **Severity.** Nothing above the one shown, and nothing critical, shown or not.
//! - **Rules.** No rule fires that did not fire then: `git push --force` is not `git push`, and `npm install left-pad`, a new
//!   package, is not `npm install`, which installs what the project names already.
//! - **Kinds of effects.** The same; deleting a file says nothing about deleting a directory.
//! - **Paths.** Where one place is as good as another for who said yes to this program (files inside the workspace, what a
//!   build makes again, temporary files), by their class; but a pattern stands for any number of files, and a directory with all that is in it
//!   for all of them, so inside the workspace these compare like all other paths: exactly, and only where known.
//! - **Hosts.** Exactly, and only where known.
//! - **Packages.** Who says yes to `npm install lodash` for the session, and not once, says that this program may install from
//!   its registry: any other name is covered. What is no name for a registry (a path, an address, another's repository), and
//!   options with values, which say where from and where to, compare exactly.
//! - **All else** (where something is published, which branch, container, cluster, database, service, process): by the very words of
//!   the command and its directory ([`Scope::words`]), since no other word can be said to mean the same.

use crate::model::{Effect, EffectKind, PathClass, Scope, Severity, Target};

/// Returns whether a yes by signature to what was `shown` covers what is to run `now`.
#[must_use]
pub fn covers(shown: &Scope, now: &Scope) -> bool {
    let is_signed = |scope: &Scope| {
        !scope.signatures.is_empty() && scope.signatures.iter().all(|words| !words.is_empty())
    };
    is_signed(shown)
        && is_signed(now)
        && now.signatures.iter().all(|words| shown.signatures.contains(words))
        && is_within(shown, now)
}

/// Returns whether what is to run `now` does nothing beyond what was `shown`, whatever programs do it: what a command that a
/// person approved may start.
#[must_use]
pub fn is_within(shown: &Scope, now: &Scope) -> bool {
    shown.severity < Severity::Critical
        && now.severity <= shown.severity
        && now.rules.iter().all(|rule| shown.rules.contains(rule))
        && now.words.iter().all(|words| shown.words.contains(words))
        && now.effects.iter().all(|effect| shown.effects.iter().any(|was| is_like(was, effect)))
}

fn is_like(shown: &Effect, now: &Effect) -> bool {
    if shown.kind != now.kind {
        return false;
    }
    match (&shown.target, &now.target) {
        // What it is done to is bound by the words of the command.
        (Target::None, Target::None) => true,
        (
            Target::Path { path: Some(was), class: was_in },
            Target::Path { path: Some(path), class },
        ) => {
            was_in == class
                && (was == path || is_as_good_as_another(now.kind, *class) && !is_pattern(path))
        }
        (Target::Host { host: Some(was) }, Target::Host { host: Some(host) }) => was == host,
        (Target::Text { text: Some(was) }, Target::Text { text: Some(text) }) => {
            was == text || now.kind == EffectKind::Install && is_name(was) && is_name(text)
        }
        (Target::None | Target::Path { .. } | Target::Host { .. } | Target::Text { .. }, _) => {
            false
        }
    }
}

/// Whether to who said yes to one path of this class any other would be the same.
fn is_as_good_as_another(kind: EffectKind, class: PathClass) -> bool {
    match class {
        PathClass::Null | PathClass::Temporary | PathClass::Made | PathClass::BuildOutput => true,
        PathClass::Inside => !matches!(kind, EffectKind::DeleteTree | EffectKind::PermissionTree),
        PathClass::Hooks
        | PathClass::Workspace
        | PathClass::HomeFile
        | PathClass::Home
        | PathClass::Startup
        | PathClass::Secret
        | PathClass::System
        | PathClass::Root
        | PathClass::Device
        | PathClass::NetworkDevice
        | PathClass::Guard
        | PathClass::Outside
        | PathClass::Unknown => false,
    }
}

/// Returns whether a yes to this effect covers the same on other targets of its kind.
#[must_use]
pub fn stands_for_others(shown: &Effect) -> bool {
    match &shown.target {
        Target::Path { path: Some(_), class } => is_as_good_as_another(shown.kind, *class),
        Target::Text { text: Some(text) } => shown.kind == EffectKind::Install && is_name(text),
        Target::None | Target::Path { .. } | Target::Host { .. } | Target::Text { .. } => false,
    }
}

fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// Files that package managers install from where a word names one.
const FILES: &[&str] = &[
    "tgz", "gz", "tar", "zip", "whl", "bz2", "xz", "egg", "gem", "crate", "deb", "rpm", "apk",
    "pkg", "dmg", "snap", "flatpak", "nupkg", "jar", "txt", "toml", "json", "yml", "yaml",
];

/// Returns whether a word is a name that a registry knows, with a version perhaps: `lodash`, `@types/node@20`, `requests[socks]>=2`.
#[must_use]
pub fn is_name(word: &str) -> bool {
    let (scope, rest) = match word.strip_prefix('@') {
        Some(scoped) => match scoped.split_once('/') {
            Some((scope, rest)) => (scope, rest),
            None => return false,
        },
        None => ("scope", word),
    };
    let end = rest.find(['@', '=', '<', '>', '~', '!', '^', '[']).unwrap_or(rest.len());
    let (name, version) = rest.split_at(end);
    let is_plain = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte))
    };
    // No colon and no slash: those lead elsewhere (`npm:other`, `file:..`, `user/repo`, `https://…`).
    let is_version = |byte: u8| byte.is_ascii_alphanumeric() || b"@=<>~!^[]._+-*,|".contains(&byte);
    let file = word.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    is_plain(scope)
        && is_plain(name)
        && version.bytes().all(is_version)
        && !file.is_some_and(|extension| FILES.contains(&extension.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_registry_knows_is_a_name() {
        for name in [
            "lodash",
            "left-pad@1.3.0",
            "@types/node@^20",
            "requests[socks]>=2.0,<3",
            "Django==4.2",
            "ripgrep",
            "libstdc++6",
            "python3.11",
        ] {
            assert!(is_name(name), "{name}");
        }
        for other in [
            "",
            ".",
            "..",
            "./x",
            "/x",
            "~/x",
            "../x",
            "user/repo",
            "@scope",
            "@a/b/c",
            "x@npm:evil",
            "x@https://evil",
            "x@user/repo",
            "git+https://a/b",
            "x.tgz",
            "x-1.0.whl",
            "requirements.txt",
            "x @ https://a",
            "x#main",
            "-x",
            "@",
            "@/x",
            "naïve",
            "x*",
            "x$y",
        ] {
            assert!(!is_name(other), "{other}");
        }
    }
}
