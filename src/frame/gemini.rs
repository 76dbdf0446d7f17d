//! Gemini CLI's frames, as 0.61.0 and 0.44.0 write them. The command stands between their lines as the model wrote it.

use super::template::{Cursor, Piece};
use super::{Agent, Carried, Scripts, raw};
use crate::model::Facts;

pub(super) const AGENT: Agent =
    Agent { name: "gemini", tool_mark: "GEMINI_CLI", startup: &[], command };

/// In 0.44.0, in front of all.
const HANG_UP: Piece = Piece::Maybe(&[Piece::Text("trap '' HUP; ")]);

const OPTIONS: Piece = Piece::Text("shopt -u promptvars nullglob extglob nocaseglob dotglob; ");

/// `/tmp/gemini-shell-XXXXXX`
const DIRECTORY: &[Piece] =
    &[Piece::Plain(&[Piece::Temporary, Piece::Text("/gemini-shell-"), Piece::Alphanumeric])];

/// A file for the background jobs, and a subshell that notes them there at its end.
const TOOL: &[Piece] =
    &[Piece::Text("/bgpids.tmp\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\n")];
const TOOL_END: &str = "\n)\n__code=$?\nexit $__code";

/// What a person typed behind `!`.
const TYPED: &[Piece] = &[HANG_UP, OPTIONS, Piece::Text("{\n")];
const TYPED_MIDDLE: &str = "\n}\n__code=$?; pwd > ";
const TYPED_END: &str = "/pwd.tmp; exit $__code";

fn command(line: &str, facts: &Facts, _: &dyn Scripts) -> Option<Carried> {
    tool(line, facts).or_else(|| typed(line, facts))
}

fn tool(line: &str, facts: &Facts) -> Option<Carried> {
    let mut cursor = Cursor::new(line, facts, AGENT.name);
    cursor.take(&[HANG_UP, OPTIONS, Piece::Text("_bgpids_file=")])?;
    let directory = cursor.take(DIRECTORY)?;
    cursor.take(TOOL)?;
    let end = line.len().checked_sub(TOOL_END.len())?;
    if !line.ends_with(TOOL_END) {
        return None;
    }
    let carried = raw(line, cursor.at, end)?;
    Some(Carried {
        setup: format!("_bgpids_file={directory}/bgpids.tmp"),
        closing: "jobs -p > \"$_bgpids_file\"",
        ..carried
    })
}

fn typed(line: &str, facts: &Facts) -> Option<Carried> {
    let mut cursor = Cursor::new(line, facts, AGENT.name);
    cursor.take(TYPED)?;
    let (front, tail) = line.rsplit_once(TYPED_MIDDLE)?;
    let mut end = Cursor::new(tail, facts, AGENT.name);
    end.take(DIRECTORY)?;
    if end.rest() != TYPED_END {
        return None;
    }
    Some(Carried { closing: "pwd; exit", ..raw(line, cursor.at, front.len())? })
}
