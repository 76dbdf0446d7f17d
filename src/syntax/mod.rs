//! Shell text to an owned [`Script`]: every byte accounted for, else opaque.
//! Runs nothing, expands nothing. Types of tree-sitter and brush-parser never leave this module.
#![forbid(unsafe_code, clippy::disallowed_methods)]

mod account;
mod agreement;
mod code;
mod dialect;
mod fill;
mod highlight;
pub mod limits;
mod nodes;
mod query;
mod reader;
mod script;
mod walk;
mod word;

#[doc(hidden)]
pub use account::unaccounted;
pub use code::{Argument, Bound, Code, Held, parse_code};
pub use dialect::{
    Construct, DECLARING, Dialect, Treatment, Within, named_option, plain_subscript,
};
pub use highlight::{MAX_QUERIED_BYTES, highlight};
pub use query::{QueryError, StructuralQuery};
pub use reader::Unit;
pub use walk::{Descend, Node};

pub use script::{
    AndOr, Assignment, AssignmentValue, Command, CommandKind, Descriptor, HereDocument, Parameter,
    Part, PartKind, Pipeline, Redirect, RedirectOperator, Script, SimpleCommand, Statement, Word,
};

/// Reads shell text as bash reads it, and asks a second parser. What either does not see is in [`Script::opaque`].
#[must_use]
pub fn parse(bytes: &[u8]) -> Script {
    parse_for(bytes, Dialect::Bash)
}

/// Reads shell text for a shell of this kind: what that may read otherwise than bash is in [`Script::opaque`] too.
#[must_use]
pub fn parse_for(bytes: &[u8], dialect: Dialect) -> Script {
    let reader::Whole { mut script, texts, extensions } = reader::read_for(bytes, dialect);
    // Where the reader itself is not sure there is nothing to agree on.
    if script.opaque.is_empty() {
        agreement::ask(bytes, &mut script, &texts);
    }
    if dialect != Dialect::Bash {
        dialect::distrust(&mut script, bytes, dialect, extensions);
    }
    script
}

/// Returns the first unit of a text that a shell of this kind reads bit by bit, and of which more may come.
#[must_use]
pub fn first_unit(bytes: &[u8], dialect: Dialect) -> Unit {
    reader::first_unit(bytes, dialect)
}

/// Returns the bytes that text with the escapes of C stands for, as in `$'…'`.
#[must_use]
pub fn unescaped(text: &[u8]) -> Vec<u8> {
    reader::unescaped(text)
}

/// Returns whether a word is reserved where a command may begin.
#[must_use]
pub fn is_reserved(word: &str) -> bool {
    reader::is_reserved(word)
}

/// Reads shell text without asking a second parser.
#[doc(hidden)]
#[must_use]
pub fn parse_alone(bytes: &[u8]) -> Script {
    reader::read(bytes).script
}
