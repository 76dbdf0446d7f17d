//! Codex's frames, as 0.169.0 and, where that is said, 0.147.0 write them.

use super::template::{Cursor, Piece};
use super::texts::{
    CODEX_PUT_BACK, CODEX_SNAPSHOT_BASH, CODEX_SNAPSHOT_BASH_0_147, CODEX_SNAPSHOT_SH,
    CODEX_SNAPSHOT_ZSH,
};
use super::{Agent, Carried, raw, word};
use crate::model::Facts;
use crate::reading::{Scripts, guard_called};

pub(super) const AGENT: Agent =
    Agent { name: "codex", tool_mark: "CODEX_SESSION_ID", startup: STARTS, command };

/// The scripts that print functions, options, aliases and exports, one for each kind of shell; and a look at what they printed.
const STARTS: &[&[Piece]] = &[
    &[Piece::Measured(&CODEX_SNAPSHOT_BASH, &[])],
    &[Piece::Measured(&CODEX_SNAPSHOT_BASH_0_147, &[])],
    &[Piece::Measured(&CODEX_SNAPSHOT_ZSH, &[])],
    &[Piece::Measured(&CODEX_SNAPSHOT_SH, &[])],
    CHECK,
];

/// `~/.codex/shell_snapshots/SESSION`
const SNAPSHOT: Piece = Piece::Template(
    "⟦home⟧/shell_snapshots/⟦session⟧",
    &[("home", &[Piece::Own(".codex", "CODEX_HOME")]), ("session", &[Piece::Identifier])],
);

/// Reads a new snapshot once, to see whether it can be.
const CHECK: &[Piece] = &[
    Piece::Text("set -e; . \""),
    Piece::Plain(&[SNAPSHOT, Piece::Text(".tmp-"), Piece::Digits]),
    Piece::Text("\""),
];

const SOURCE: &[Piece] = &[
    Piece::Text("if . "),
    Piece::Word(&[SNAPSHOT, Piece::Text("."), Piece::Digits, Piece::Text(".sh")]),
    Piece::Text(" >/dev/null 2>&1; then :; fi"),
];

/// Its own programs in front of the user's.
const PROGRAMS: &[Piece] = &[Piece::Template(
    PATH,
    &[("directory", &[Piece::Word(&[Piece::Installation, Piece::Text("/codex-path")])])],
)];
const OTHER_PROGRAMS: &[Piece] =
    &[Piece::Template(PATH, &[("directory", &[Piece::Word(&[Piece::Line])])])];
const PATH: &str = "if [ -n \"${PATH:-}\" ]; then export PATH=⟦directory⟧:\"$PATH\"; else export \
                    PATH=⟦directory⟧; fi\n";

/// Shells that read a command as it is read here.
const SHELL: &[Piece] = &[Piece::Word(&[
    Piece::Either(&[
        &[Piece::Text("/bin/")],
        &[Piece::Text("/usr/bin/")],
        &[Piece::Text("/usr/local/bin/")],
    ]),
    Piece::Either(&[&[Piece::Text("bash")], &[Piece::Text("sh")]]),
])];

/// Variables that the snapshot may not change: their values are kept before it and put back behind it.
const KEPT: &str = "__CODEX_SNAPSHOT_OVERRIDE";
const KEPT_FOR_PROXY: &str = "__CODEX_SNAPSHOT_PROXY_OVERRIDE";
/// Those of the network proxy only if there was or is one.
const IF_PROXY: &str = "if [ -n \"$__CODEX_SNAPSHOT_PROXY_ENV_SET\" ] || \
                        [ -n \"${CODEX_NETWORK_PROXY_ACTIVE+x}\" ]; then\n";

/// `KEEP… if . SNAPSHOT … PUT BACK… export PATH=… exec SHELL -c QUOTED`
fn command(line: &str, facts: &Facts, scripts: &dyn Scripts) -> Option<Carried> {
    let mut cursor = Cursor::new(line, facts, AGENT.name);
    let kept = keep(&mut cursor, KEPT)?;
    let kept_for_proxy = keep(&mut cursor, KEPT_FOR_PROXY)?;
    if !cursor.literal("__CODEX_SNAPSHOT_PROXY_ENV_SET=\"${CODEX_NETWORK_PROXY_ACTIVE+x}\"\n\n") {
        return None;
    }
    let source = cursor.take(SOURCE)?;
    if !cursor.literal("\n\n")
        || !put_back(&mut cursor, &kept, KEPT)
        || !cursor.literal(IF_PROXY)
        || !put_back(&mut cursor, &kept_for_proxy, KEPT_FOR_PROXY)
        || !cursor.literal("fi\n")
    {
        return None;
    }
    let mut before = Vec::new();
    if !cursor.is_agents() {
        before.push(source.to_owned());
    }
    if cursor.take(PROGRAMS).is_none() {
        before.extend(cursor.take(OTHER_PROGRAMS).map(str::to_owned));
    }
    if !cursor.literal("\nexec ") {
        return None;
    }
    let carried = executed(&mut cursor, facts, scripts)?;
    Some(Carried { before, is_set_up: true, ..carried })
}

/// Takes the call that ends the frame: of a known shell its command, of another program the whole call.
fn executed(cursor: &mut Cursor<'_>, facts: &Facts, scripts: &dyn Scripts) -> Option<Carried> {
    let call = cursor.at;
    let is_known = cursor.take(SHELL).is_some() || {
        // The login shell, which the frame runs again, may be the guard.
        let word = cursor.word()?;
        matches!(guard_called(&word.value, facts, scripts), Some("bash" | "sh"))
    };
    if !cursor.literal(" -c ") {
        return None;
    }
    let carried = word(cursor)?;
    if !cursor.rest().is_empty() {
        return None;
    }
    if is_known { Some(carried) } else { raw(cursor.text, call, cursor.at) }
}

/// Takes the lines that keep variables; returns the names.
fn keep<'a>(cursor: &mut Cursor<'a>, prefix: &str) -> Option<Vec<&'a str>> {
    let mut names = Vec::new();
    while cursor.literal(&format!("{prefix}_SET_{}=\"${{", names.len())) {
        let name = cursor.run(|c| c.is_ascii_alphanumeric() || c == '_')?;
        let number = names.len();
        if name.starts_with(|c: char| c.is_ascii_digit())
            || !cursor.literal(&format!("+x}}\"\n{prefix}_{number}=\"${{{name}-}}\"\n"))
        {
            return None;
        }
        names.push(name);
    }
    Some(names)
}

/// Takes the lines that put kept variables back; 0.147.0 has one for each.
fn put_back(cursor: &mut Cursor<'_>, names: &[&str], prefix: &str) -> bool {
    names.iter().enumerate().all(|(number, name)| {
        let (set, value) = (format!("{prefix}_SET_{number}"), format!("{prefix}_{number}"));
        let line = format!(
            "if [ -n \"${{{set}}}\" ]; then export {name}=\"${{{value}}}\"; else unset {name}; fi\n"
        );
        let held = vec![("set", set), ("value", value), ("name", (*name).to_owned())];
        cursor.literal(&line) || CODEX_PUT_BACK.take(cursor, &[], held)
    })
}
