//! The rows of `rules/fence.toml`, as the build script wrote them, and which of them a command has to do with.
//! Looks at no file.

use crate::model::Layers;
use crate::reading::PlannedCommand;

/// What a family of programs keeps for itself.
#[derive(Debug, PartialEq, Eq)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a key of a row, and all go together in every way"
)]
pub(super) struct Tool {
    programs: &'static [&'static str],
    /// What it writes between runs.
    pub(super) writes: &'static [&'static str],
    /// What of that is made where it is missing.
    pub(super) makes: &'static [&'static str],
    /// Secrets of its own.
    pub(super) secrets: &'static [&'static str],
    /// Builds, tests and scripts start it.
    pub(super) builds: bool,
    /// What it starts is not in the line.
    pub(super) code: bool,
    /// It counts only where the owner signs with gpg.
    pub(super) signs: bool,
    /// It counts only where nothing beside it runs code, or was let run by a score.
    pub(super) alone: bool,
}

/// A server that tools leave behind for their next run.
pub(super) struct Daemon {
    programs: &'static [&'static str],
    leaves: &'static str,
    done: Done,
}

/// What is done about it in a container.
enum Done {
    /// A variable with this value switches it off.
    Off(&'static str, &'static str),
    /// Nothing, for this reason.
    Nothing(&'static str),
}

impl Daemon {
    /// Returns the variable that switches it off, with its value.
    const fn off(&self) -> Option<(&'static str, &'static str)> {
        match self.done {
            Done::Off(name, value) => Some((name, value)),
            Done::Nothing(_) => None,
        }
    }

    /// Says what becomes of it where a line has these layers around it.
    pub(super) fn says(&self, layers: Layers) -> String {
        let Self { leaves, done, .. } = self;
        match done {
            Done::Off(name, _) if !layers.is_empty() => format!("{leaves}: switched off by {name}"),
            Done::Off(name, value) => {
                format!("{leaves}, held as this line; {name}={value} runs without")
            }
            Done::Nothing(why) => format!("{leaves}, held as this line: {why}"),
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/fence.rs"));

/// Returns the devices that every line may use; directories of them end with `/`.
pub(super) fn devices() -> impl Iterator<Item = &'static str> {
    DEVICES.iter().copied()
}

/// Returns the families that a command belongs to.
pub(super) fn tools(command: &PlannedCommand) -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(|tool| tool.programs.iter().any(|name| command.is_called(name)))
}

/// Returns the families whose programs builds, tests and scripts start.
pub(super) fn built_with() -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(|tool| tool.builds)
}

/// Returns the servers that a command leaves behind.
pub(super) fn daemons(command: &PlannedCommand) -> impl Iterator<Item = &'static Daemon> {
    DAEMONS.iter().filter(|daemon| daemon.programs.iter().any(|name| command.is_called(name)))
}

/// Returns the variables that switch such servers off, with their values.
pub(super) fn without_daemons() -> impl Iterator<Item = (&'static str, &'static str)> {
    DAEMONS.iter().filter_map(Daemon::off)
}

/// Returns whether a command cannot live in a domain.
pub(super) fn cannot(command: &PlannedCommand) -> bool {
    CANNOT.iter().any(|name| command.is_called(name))
}

/// Returns whether a command writes for the whole machine or the whole user.
pub(super) fn is_everywhere(command: &PlannedCommand) -> bool {
    let given = |options: &[&str]| {
        options.is_empty() || command.interpretation.given(options).next().is_some()
    };
    EVERYWHERE.iter().any(|(name, options)| command.is_called(name) && given(options))
}
