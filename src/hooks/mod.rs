//! The hooks of coding agents: their JSON to an [`Event`], and an [`Answer`] to that agent's JSON. One small adapter an agent.
//! Judges nothing, reads and writes nothing: `pipeline::hook` does both.
//!
//! Each adapter follows what the client was seen to do, not what it is said to do: where one of them runs a command in spite of an
//! answer, that answer is never given to it.
#![forbid(unsafe_code, clippy::disallowed_methods)]

mod address;
mod agent;
mod answer;
mod claude;
mod codex;
mod copilot;
mod detect;
mod event;
mod gemini;
mod given;
mod handlers;
mod mcp;
mod mention;
mod opencode;
mod option;
mod patch;
mod printed;
mod snake;
mod statement;
mod table;
mod tool;

pub use agent::{AGENTS, Agent, ShellChoice, ShellSource, named};
pub use answer::{Answer, CHANGED, CONTAINED, Opinion, Reply};
pub use detect::detect;
pub use event::{Call, Dialog, Event, Moment, Outcome, Presence, Stage, Unread};
pub use handlers::{Handlers, handlers};
pub use mention::mentioned;
pub use table::{Attaches, brings_commands, is_plain_key};
pub use tool::{Deed, Given, Named, Prompt, ToolKind, Work, directory, with_line, work};
