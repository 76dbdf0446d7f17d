//! `schema`: what is written and read, described for other programs and for editors (JSON Schema, draft 7). The files are the source; tests hold
//! the program to them.

use clap::ValueEnum;

use super::failure::Failure;
use super::output::print;

/// What there is a schema of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// A line of the record
    Record,
    /// What `check --json` prints
    Verdict,
    /// Files of settings
    Config,
    /// Files of rules
    Rule,
}

impl Kind {
    const fn text(self) -> &'static str {
        match self {
            Self::Record => include_str!("../../schemas/record.json"),
            Self::Verdict => include_str!("../../schemas/verdict.json"),
            Self::Config => include_str!("../../schemas/config.json"),
            Self::Rule => include_str!("../../schemas/rule.json"),
        }
    }
}

pub(super) fn run(kind: Kind) -> Result<u8, Failure> {
    print(kind.text())?;
    Ok(0)
}
