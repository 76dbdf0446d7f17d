//! A script to a plan: every command that it will run, with what wrappers and inner programs hide.
//! Runs nothing and looks at no file but through [`Scripts`]; what cannot be known is opaque.
#![forbid(unsafe_code, clippy::disallowed_methods)]

mod appended;
mod arithmetic;
mod assignments;
mod beside;
mod builtins;
mod carry;
mod checkpoint;
mod choices;
mod coded;
mod declare;
mod defaults;
mod directives;
mod edited;
mod elsewhere;
mod emptied;
mod endless;
mod evaluate;
mod expand;
mod field;
mod globs;
mod hooked;
mod hosts;
mod input;
mod journal;
mod linked;
mod loops;
mod made;
mod modules;
mod named;
mod operands;
mod own;
mod parameter;
mod patched;
mod placed;
mod plain;
mod plan;
mod process;
mod recall;
mod redirect;
mod reopened;
mod replaced;
mod repository;
mod restored;
mod scripts;
mod search;
mod secrets;
mod settings;
mod shown;
mod simple;
mod so_far;
mod special;
mod split;
mod state;
mod substitution;
mod tasks;
mod there;
mod through;
mod traps;
mod unpacked;
mod value;
mod walk;
mod words;

pub use hosts::host;
pub use own::Around;
pub use plan::{FileUse, Flow, FlowKind, Plan, PlannedCommand};
pub use recall::{Known, NoPast, Past, Recalled, Way};
pub use scripts::{NoScripts, Scripts, guard_called};

use crate::model::{Arg, Facts};
use crate::syntax::{Dialect, Script};

/// How well the environment of the shell that will run the line is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Environment {
    /// It is the one in the facts: a variable that is not there is not set.
    Exact,
    /// Start-up files or another process may add to it.
    Approximate,
}

/// What is asked: how a script will be run.
#[derive(Clone, Debug)]
pub struct Circumstances<'a> {
    /// The world.
    pub facts: &'a Facts,
    /// How well its environment is known.
    pub environment: Environment,
    /// The shell that will read it.
    pub dialect: Dialect,
    /// The positional parameters, if known.
    pub positional: Option<Vec<Arg>>,
    /// What the shell runs first, in the same state: start-up files, functions from the environment. It has no bytes in
    /// the line, so all of it stands at the line's beginning.
    pub before: &'a [Script],
    /// The files that it may run.
    pub scripts: &'a dyn Scripts,
}

/// Plans a script: every command that it will run.
#[must_use]
pub fn plan(script: &Script, circumstances: &Circumstances<'_>) -> Plan {
    let mut walker = walk::Walker::new(circumstances);
    for before in circumstances.before {
        walker.first(before);
    }
    walker.script(script);
    walker.finish()
}

/// What is known of a shell between two texts that it runs one after another.
#[derive(Clone, Debug, Default)]
pub struct SoFar(Option<so_far::Kept>);

/// Plans the next text of a shell that runs one after another and keeps its state. Returns what is known of the shell once it has run.
#[must_use]
pub fn plan_next(
    text: &str,
    script: &Script,
    circumstances: &Circumstances<'_>,
    so_far: &SoFar,
) -> (Plan, SoFar) {
    so_far::plan_next(text, script, circumstances, so_far)
}

/// Plans a script that an agent's frame carries.
#[must_use]
pub fn plan_framed(script: &Script, around: Around<'_>, circumstances: &Circumstances<'_>) -> Plan {
    let mut walker = walk::Walker::new(circumstances);
    for before in circumstances.before {
        walker.first(before);
    }
    walker.framed(script, around, circumstances);
    walker.finish()
}
