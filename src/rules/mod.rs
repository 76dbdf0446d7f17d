//! Rules as data: how they are written, how they are stored, and which of them a command needs to be matched against.
//! Matches nothing itself (`policy` does) and reads no file: bytes come in through [`Bytes`].
#![forbid(unsafe_code, clippy::disallowed_methods)]

mod check;
mod encode;
pub mod glob;
mod layout;
mod mask;
mod pattern;
mod query;
mod rule;
mod schema;
mod set;
pub mod source;
mod store;

// The build script compiles these files too, with this as their surroundings.
use crate::model;

pub use check::{Author, Pack, PackRule, read};
pub use encode::TooLarge;
pub use mask::{EffectMask, Needs, Traits};
pub use pattern::{check_text, regex_fault};
pub use rule::{
    BranchPattern, Choice, Conditions, Examples, Flow, FlowSink, OptionPattern, Receiver,
    Recommendation, Rule, TargetPattern, When, Workspace,
};
pub use set::{RuleSet, compile};
pub use store::{Authority, Bytes, Damaged, Entry, Layer, Origin, PackHead};

#[cfg(test)]
pub(crate) mod published;
#[cfg(test)]
mod tests;
