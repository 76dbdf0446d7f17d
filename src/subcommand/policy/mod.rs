//! `policy`: a directory of settings and rules, laid out as a machine's, held by its own tests; two of them, compared on what the record has.
//! Neither runs a line, and neither changes anything, so agents may ask too.

mod diff;
mod junit;
mod report;
mod sarif;
mod stage;
mod test;
mod text;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::failure::Failure;
use super::ground::{self, Ground};
use super::output::print;
use crate::config::{Owners, Places};
use crate::model::{Contain, Layers};
use crate::pipeline::World;

/// What `policy` does.
#[derive(Subcommand)]
pub(super) enum PolicyAction {
    /// Judges the tests of a policy
    ///
    /// DIR is laid out as /etc/guarded-sh or ~/.config/guarded-sh: config.toml, policy.toml, policy.d/, rules/. In its tests.toml each `[[test]]` is a
    /// line, the world that it is judged in, and what is expected of it. They are judged by DIR as by a machine's policy, without the user's own settings,
    /// each in a home that is made for it. The examples of DIR's rules are held too. Nothing is run.
    ///
    /// Exit status: 0 all is judged as expected; 1 not; 2 there are no tests, something of DIR is broken, or usage.
    Test(TestArguments),
    /// Says which lines of the record another policy would decide otherwise
    ///
    /// OLD and NEW are directories as of `policy test`, or `current` for what is in force here. Each line of the record is judged again by both, in
    /// its directory as that is now. Nothing is run.
    ///
    /// Exit status: 0 none would be decided otherwise; 1 some would; 2 a part of the record cannot be read, something is broken, or usage.
    Diff(DiffArguments),
    /// Prints the digest of a policy, by which `doctor --expect machine=...` knows it
    ///
    /// It is made of what the files say and may do, and not of where they are: DIR and a machine that has a copy of it in /etc/guarded-sh have the same.
    ///
    /// Exit status: 0; 2 something of DIR is broken, or usage.
    Digest {
        /// The directory
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

/// What `policy test` takes.
#[derive(Args)]
pub(super) struct TestArguments {
    /// The directory
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// What is written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Says which rules of DIR fire in no test; `=require` makes that a fault
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "report")]
    coverage: Option<CoverageUse>,
}

/// What `policy diff` takes.
#[derive(Args)]
pub(super) struct DiffArguments {
    /// The policy as it was
    old: PathBuf,
    /// The policy as it is to be
    new: PathBuf,
    /// A file of records, or a directory of them, once for each machine; without it, the user's own record of the last month
    #[arg(long, value_name = "RECORDS")]
    on: Vec<PathBuf>,
    /// Prints one JSON object
    #[arg(long)]
    json: bool,
}

/// For whom results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// People
    #[default]
    Text,
    /// Programs
    Json,
    /// CI systems: JUnit XML
    Junit,
    /// Code hosts: SARIF 2.1.0
    Sarif,
}

/// What is made of rules that fire in no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CoverageUse {
    /// They are told
    Report,
    /// They are a fault: the exit status is 1
    Require,
}

/// Where the machine's settings are, whatever directory they are tried from.
const MACHINE: &str = "/etc/guarded-sh";

/// Returns a world as it is on a machine with this policy, whose kernel has all that containing takes.
fn as_on_a_machine(mut world: World) -> World {
    world.judge.facts.guard_paths.push(MACHINE.to_owned());
    if world.settings.contain.value == Contain::On {
        world.judge.terms.layers = Layers::ALL;
    }
    world
}

fn digest(directory: &Path) -> Result<u8, Failure> {
    let directory = PathBuf::from(ground::directory(directory)?);
    let places = Places::of_machine(directory, Owners::Anyones);
    print(&format!("{}\n", Ground::here().digest_of_machine(&places)?))?;
    Ok(0)
}

pub(super) fn run(action: &PolicyAction) -> Result<u8, Failure> {
    match action {
        PolicyAction::Test(arguments) => test::run(arguments),
        PolicyAction::Diff(arguments) => diff::run(arguments),
        PolicyAction::Digest { directory } => digest(directory),
    }
}
