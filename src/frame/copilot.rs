//! GitHub Copilot CLI's frames, as 1.0.102 writes them. Commands stand bare; once, it reads the environment of a login shell.

use super::Agent;
use super::template::Piece;
use super::texts::COPILOT_LOGIN_ENVIRONMENT;

pub(super) const AGENT: Agent = Agent {
    name: "copilot",
    tool_mark: "COPILOT_AGENT_SESSION_ID",
    startup: &[LOGIN_ENVIRONMENT],
    // It puts no frame around commands.
    command: |_, _, _| None,
};

const LOGIN_ENVIRONMENT: &[Piece] = &[
    Piece::Text("printf %s '__copilot_login_env_snapshot_"),
    Piece::Hexadecimal,
    Piece::Text("_"),
    Piece::Hexadecimal,
    Piece::Measured(&COPILOT_LOGIN_ENVIRONMENT, &[]),
];
