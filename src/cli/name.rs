//! What the name in `argv[0]` says: which shell, whether there are subcommands, whether it is a login shell.

use std::ffi::{OsStr, OsString};

use crate::model::Shell;

/// The words that are subcommands when they stand first behind our own name.
pub const SUBCOMMANDS: [&str; 40] = [
    "allow",
    "announce",
    "approve",
    "ask",
    "check",
    "completions",
    "config",
    "deny",
    "doctor",
    "explain",
    "export",
    "help",
    "hook",
    "host",
    "host-shim",
    "install",
    "judge",
    "log",
    "man",
    "mcp",
    "page",
    "pause",
    "pending",
    "policy",
    "rules",
    "run",
    "schema",
    "serve",
    "setup",
    "stats",
    "status",
    "suggest",
    "trust",
    "try",
    "undo",
    "uninstall",
    "verify",
    "watch",
    // These two answer for us only where they stand alone: a shell's own are a call of the shell.
    "--help",
    "--version",
];

/// Those that are kept for later, answer only for us, or are for nobody to call.
const NOT_OFFERED: [&str; 5] = ["--help", "--version", "announce", "export", "help"];

/// Returns the subcommands that there are.
pub fn offered() -> impl Iterator<Item = &'static str> {
    SUBCOMMANDS.into_iter().filter(|name| !NOT_OFFERED.contains(name))
}

/// By which name the program was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Called {
    /// Our own: `guarded-sh`.
    Guard,
    /// A shell's: `bash`, `guarded-bash`.
    Shell(Shell),
    /// Any other: a link that someone named; no subcommands.
    Other,
}

/// Returns by which name the program was called.
pub(super) fn called(argv0: Option<&OsString>) -> Called {
    let Some(argv0) = argv0 else { return Called::Guard };
    let Some(name) = base_name(argv0).to_str() else { return Called::Other };
    let name = name.strip_prefix('-').unwrap_or(name);
    match name.strip_prefix("guarded-") {
        Some("sh") => Called::Guard,
        Some(shell) => Shell::named(shell).map_or(Called::Other, Called::Shell),
        None => Shell::named(name).map_or(Called::Other, Called::Shell),
    }
}

/// Returns whether `argv[0]` makes it a login shell. Bash looks at the first character of the whole word, not of the name in it.
pub(super) fn is_login(argv: &[OsString]) -> bool {
    argv.first().is_some_and(|word| word.as_encoded_bytes().starts_with(b"-"))
}

/// Returns whether `argv[1]` is a subcommand.
pub(super) fn is_subcommand(argv: &[OsString]) -> bool {
    let Some(word) = argv.get(1).and_then(|word| word.to_str()) else { return false };
    SUBCOMMANDS.contains(&word) && (argv.len() == 2 || !word.starts_with('-'))
}

/// Returns whether a call by our own name may mean a subcommand by its first word, and none that there is.
pub(super) fn may_be_subcommand(argv: &[OsString]) -> bool {
    let word = argv.get(1).map(|word| word.as_encoded_bytes());
    called(argv.first()) == Called::Guard
        && word.is_some_and(|word| !word.starts_with(b"-") && !word.contains(&b'/'))
}

fn base_name(path: &OsStr) -> &OsStr {
    let bytes = path.as_encoded_bytes();
    let start = bytes.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    std::os::unix::ffi::OsStrExt::from_bytes(&bytes[start..])
}
