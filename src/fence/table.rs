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
    /// The first of its programs: where that is installed, the tool is.
    pub(super) main: &'static str,
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

/// A program, with its subcommand where only that is meant, and something that is said of it.
struct Name {
    program: &'static str,
    subcommand: &'static str,
    said: Said,
}

/// What is said of a program.
enum Said {
    /// It belongs to this family.
    Tool(&'static Tool),
    /// It leaves this server behind.
    Daemon(&'static Daemon),
    /// It cannot live in a domain.
    Cannot,
    /// It writes for the whole machine or the whole user: always, or where one of these options is given.
    Everywhere(&'static [&'static str]),
}

/// Returns all that is said of a command.
fn said(command: &PlannedCommand) -> impl Iterator<Item = &'static Said> {
    let program = command.program().unwrap_or_default();
    let subcommand = command.interpretation.subcommand.first().map_or("", String::as_str);
    let first = NAMES.partition_point(|name| name.program < program);
    NAMES[first..]
        .iter()
        .take_while(move |name| name.program == program)
        .filter(move |name| name.subcommand.is_empty() || name.subcommand == subcommand)
        .map(|name| &name.said)
}

/// Returns the families that a command belongs to.
pub(super) fn tools(command: &PlannedCommand) -> impl Iterator<Item = &'static Tool> {
    said(command).filter_map(|said| if let Said::Tool(tool) = said { Some(*tool) } else { None })
}

/// Returns the families whose programs builds, tests and scripts start.
pub(super) fn built_with() -> impl Iterator<Item = &'static Tool> {
    TOOLS.iter().filter(|tool| tool.builds)
}

/// Returns the servers that a command leaves behind.
pub(super) fn daemons(command: &PlannedCommand) -> impl Iterator<Item = &'static Daemon> {
    said(command).filter_map(|said| if let Said::Daemon(left) = said { Some(*left) } else { None })
}

/// Returns the variables that switch such servers off, with their values.
pub(super) fn without_daemons() -> impl Iterator<Item = (&'static str, &'static str)> {
    DAEMONS.iter().filter_map(Daemon::off)
}

/// Returns whether a command cannot live in a domain.
pub(super) fn cannot(command: &PlannedCommand) -> bool {
    said(command).any(|said| matches!(said, Said::Cannot))
}

/// Returns whether a command writes for the whole machine or the whole user.
pub(super) fn is_everywhere(command: &PlannedCommand) -> bool {
    let given = |options: &[&str]| {
        options.is_empty() || command.interpretation.given(options).next().is_some()
    };
    said(command).any(|said| matches!(said, Said::Everywhere(options) if given(options)))
}
