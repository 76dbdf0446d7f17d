//! GitHub Copilot CLI's frames, as 1.0.102 writes them. Commands stand bare; once, it reads the environment of a login shell.

use super::template::{Cursor, Piece};
use super::texts::COPILOT_LOGIN_ENVIRONMENT;
use super::{Agent, carries_nothing};
use crate::model::Facts;

pub(super) const AGENT: Agent = Agent {
    name: "copilot",
    tool_mark: "COPILOT_AGENT_SESSION_ID",
    is_startup,
    command: carries_nothing,
};

const LOGIN_ENVIRONMENT: &[Piece] = &[
    Piece::Text("printf %s '__copilot_login_env_snapshot_"),
    Piece::Hexadecimal,
    Piece::Text("_"),
    Piece::Hexadecimal,
    Piece::Measured(&COPILOT_LOGIN_ENVIRONMENT, &[]),
];

fn is_startup(line: &str, facts: &Facts) -> bool {
    let mut cursor = Cursor::new(line, facts, AGENT.name);
    cursor.take(LOGIN_ENVIRONMENT).is_some() && cursor.rest().is_empty()
}
