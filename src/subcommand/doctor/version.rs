//! The version of an agent's program, and where that version runs tools though its hook gave no answer.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::probe::{Stand, run_within};
use crate::install::Agent;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// Returns the version that a program says it has; none where it says none in time.
pub(super) fn of(program: &Path, stand: &Stand) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").current_dir(stand.directory());
    let outcome = run_within(PATIENCE, &mut command, "").ok()?;
    let words = outcome.out.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    words.filter(|word| numbers(word).len() > 1).map(str::to_owned).next()
}

/// Returns what a person should know of this version of an agent.
pub(super) fn remarks(agent: &Agent, version: Option<&str>) -> Vec<String> {
    let Some(version) = version else { return Vec::new() };
    let is_before = |other: &str| numbers(version) < numbers(other);
    let open = agent.open.iter().filter(|open| open.before.as_deref().is_none_or(is_before));
    let mut remarks: Vec<String> = open
        .map(|open| {
            let since = open.before.as_ref().map(|first| format!("; {first} refuses then"));
            format!("fails open: {} lets the tool run{}", open.what, since.unwrap_or_default())
        })
        .collect();
    if let Some(oldest) = agent.oldest.as_deref().filter(|oldest| is_before(oldest)) {
        remarks.push(format!("older than {oldest}: what it does with hooks was never looked at"));
    }
    remarks
}

/// The numbers of a version.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install;

    #[test]
    fn what_a_version_can_hold_is_said_of_that_version() {
        let agent = install::named("claude").unwrap().unwrap();
        let said = |version: &str| remarks(&agent, Some(version)).join(" ");
        assert!(said("2.1.197").contains("2.1.329 refuses then"), "{}", said("2.1.197"));
        assert!(said("2.1.99").contains("older than 2.1.100"));
        assert!(!said("2.1.100").contains("older"));
        assert_eq!(said("2.1.329"), "");
        assert_eq!(said("3.0"), "");
    }
}
