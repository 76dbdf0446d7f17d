//! Agents' settings: what is put into them so that guarded-sh guards the agent, and how it leaves them again. What each agent needs is data,
//! in `agents/`. Asks and prints nothing; what would be changed is known before anything is.

mod agent;
mod error;
mod file;
pub mod host;
mod json;
mod memory;
mod merge;
mod plan;
mod program;
pub mod settings;
pub mod system;
mod trust;

pub use agent::{
    Advice, Agent, Hook, Means, Off, Open, Part, Permissions, Set, Shell, ShellSource, Words,
    agents, named, names,
};
pub use error::Error;
pub use file::Found;
pub use json::{Notation, is_hook, read_json};
pub use memory::Memory;
pub use plan::{
    Change, Ground, Parts, Plan, Scope, is_current, read, read_as, read_text, write, write_over,
};
pub use program::{Names, Programs};
pub use trust::untrusted;
