//! `hook`: what agents run before and after their tools.

use std::time::Duration;

use clap::ValueEnum;

use crate::hooks;
use crate::pipeline::{HookCall, run_hook};

/// Seconds that a client waits, unless it is said.
pub(super) const LIMIT: u32 = 10;

/// Whose hook it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Whose {
    /// Claude Code
    Claude,
    /// GitHub Copilot CLI
    Copilot,
    /// OpenAI Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// opencode, through its plugin
    Opencode,
    /// Whose the event looks like
    #[default]
    Auto,
}

pub(super) fn run(whose: Whose, limit: u32) -> u8 {
    let name = whose.to_possible_value();
    let agent = name.and_then(|name| hooks::named(name.get_name()));
    run_hook(&HookCall { agent, limit: Duration::from_secs(limit.into()) })
}
