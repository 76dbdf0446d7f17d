//! Claude Code's frames, as 2.1.329 and 2.1.197 write them.

use super::template::{Cursor, Piece};
use super::texts::{
    CLAUDE_OLDER_SNAPSHOT, CLAUDE_OLDER_SNAPSHOT_BASH, CLAUDE_OLDER_SNAPSHOT_ZSH, CLAUDE_SNAPSHOT,
    CLAUDE_SNAPSHOT_BASH, CLAUDE_SNAPSHOT_ISOLATED, CLAUDE_SNAPSHOT_ZSH, CLAUDE_TOO_OLD,
};
use super::{Agent, Carried, Scripts, word};
use crate::model::Facts;

pub(super) const AGENT: Agent = Agent {
    name: "claude",
    tool_mark: "CLAUDE_CODE_SESSION_ID",
    // It looks at the environment that its shell would give to commands.
    startup: &[&[Piece::Text("env")], SNAPSHOT, OLDER_SNAPSHOT],
    command,
};

/// Refuses to run under a bash that reads this command otherwise.
const TOO_OLD: &[Piece] = &[
    Piece::Text("{ case \"${BASH_VERSINFO-}\" in '2'|'3'"),
    Piece::Maybe(&[Piece::Text("|'4'")]),
    Piece::Measured(&CLAUDE_TOO_OLD, &[]),
];

/// `~/.claude/shell-snapshots/snapshot-SHELL-TIME-RANDOM.sh`
const SNAPSHOT_FILE: Piece = Piece::Word(&[
    Piece::Own(".claude", "CLAUDE_CONFIG_DIR"),
    Piece::Text("/shell-snapshots/snapshot-"),
    Piece::Either(&[&[Piece::Text("bash-")], &[Piece::Text("zsh-")]]),
    Piece::Digits,
    Piece::Text("-"),
    Piece::Alphanumeric,
    Piece::Text(".sh"),
]);

const SOURCE: &[Piece] =
    &[Piece::Text("source "), SNAPSHOT_FILE, Piece::Text(" 2>/dev/null || true")];

/// Directories of plugins, behind those of the user.
const PLUGINS: &[Piece] =
    &[Piece::Text("export PATH=\"${PATH:+$PATH:}\""), Piece::Word(&[Piece::Line])];

const OPTIONS: &[Piece] = &[
    Piece::Either(&[
        &[Piece::Text("\\builtin shopt -u extglob 2>/dev/null || true")],
        &[Piece::Text("\\builtin setopt "), NO_GLOBS, Piece::Text(" 2>/dev/null || true")],
        &[
            Piece::Text("{ \\builtin shopt -u extglob || \\builtin setopt "),
            NO_GLOBS,
            Piece::Text("; } >/dev/null 2>&1 || true"),
        ],
    ]),
    Piece::Text(" && "),
    Piece::Maybe(&[Piece::Text(
        "{ \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && ",
    )]),
    Piece::Maybe(&[Piece::Text(
        "{ \\builtin unalias -- 'unsetenv'; \\builtin unset -f -- 'unsetenv'; } >/dev/null 2>&1 \
         || true && ",
    )]),
    // Into the control groups in which it counts what commands use: of processor time, of processes.
    Piece::Maybe(&[CONTROL_GROUP]),
    Piece::Maybe(&[CONTROL_GROUP]),
    Piece::Text("eval "),
];

/// The same in 2.1.197, with a name that what ran before could give another meaning.
const OLDER_OPTIONS: &[Piece] = &[Piece::Text("shopt -u extglob 2>/dev/null || true && eval ")];

/// The options of zsh that it turns off.
const NO_GLOBS: Piece =
    Piece::Text("NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL NO_BRACE_CCL NO_MAGIC_EQUAL_SUBST NO_EQUALS");

const CONTROL_GROUP: Piece = Piece::Template(
    "{ { \\builtin echo 0 >| ⟦tasks⟧; } 2>/dev/null || :; } && ",
    &[("tasks", &[Piece::Word(&[Piece::Text("/sys/fs/cgroup/"), Piece::Below])])],
);

/// `/tmp/claude-XXXX-cwd`
const DIRECTORY_FILE: &[Piece] = &[Piece::Word(&[
    Piece::Temporary,
    Piece::Text("/claude-"),
    Piece::Alphanumeric,
    Piece::Text("-cwd"),
])];

/// The names that the frame calls behind what it does not write itself.
const CALLED: &str = ": && builtin : && true && eval :";

/// `[source SNAPSHOT … &&] [environment file] shopt … && {unalias …} && eval QUOTED [< /dev/null] && pwd -P >| FILE`
fn command(line: &str, facts: &Facts, _: &dyn Scripts) -> Option<Carried> {
    let mut cursor = Cursor::new(line, facts, AGENT.name);
    cursor.take(TOO_OLD);
    let mut before = Vec::new();
    let source = cursor.take(SOURCE);
    if let Some(source) = source {
        if !cursor.literal(" && ") {
            return None;
        }
        if !cursor.is_agents() {
            before.push(source.to_owned());
        }
    }
    let mut setup = String::new();
    if !before.is_empty() || cursor.take(OLDER_OPTIONS).is_none() {
        let is_plain = cursor.clone().take(OPTIONS).is_some();
        if !is_plain {
            CALLED.clone_into(&mut setup);
            before.extend(environment_file(&mut cursor)?);
            if let Some(plugins) = cursor.take(PLUGINS) {
                before.push(plugins.to_owned());
                if !cursor.literal(" && ") {
                    return None;
                }
            }
        }
        cursor.take(OPTIONS)?;
    }
    let carried = word(&mut cursor)?;
    let closes_input = cursor.literal(" < /dev/null");
    if !cursor.literal(" && pwd -P >| ") {
        return None;
    }
    let is_set_up = source.is_some();
    cursor.takes_all(DIRECTORY_FILE).then_some(Carried {
        before,
        setup,
        closing: "pwd -P",
        is_set_up,
        closes_input,
        ..carried
    })
}

/// Takes what a SessionStart hook wrote for the environment: it stands raw before `\n: && `. Text that could reach beyond that,
/// by a here-document or a backslash at its end, is none.
#[allow(clippy::option_option, reason = "no frame, no such text, and the text are three answers")]
fn environment_file(cursor: &mut Cursor<'_>) -> Option<Option<String>> {
    const END: &str = "\n: && ";
    let Some(end) = cursor.rest().find(END) else { return Some(None) };
    let text = &cursor.rest()[..end];
    if text.contains("<<") || text.ends_with('\\') {
        return None;
    }
    cursor.at += end + END.len();
    Some(Some(text.to_owned()))
}

/// The start-up files of the user's shell.
const CONFIG: &[Piece] = &[Piece::Either(&[
    &[Piece::Text("# No user config file to source")],
    &[
        Piece::Text("source \""),
        Piece::Plain(&[
            Piece::Home,
            Piece::Either(&[
                &[Piece::Text("/.bashrc")],
                &[Piece::Text("/.zshrc")],
                &[Piece::Text("/.profile")],
            ]),
        ]),
        Piece::Text("\" < /dev/null"),
    ],
])];

/// What it asks of a bash whose user has no such file, and of such a zsh: nothing.
const EXPANDS_ALIASES: &[Piece] =
    &[Piece::Text("      echo \"shopt -s expand_aliases\" >> \"$SNAPSHOT_FILE\"")];
const NOTHING: &[Piece] = &[Piece::Text("      ")];

/// Where a native installation has the program.
const INSTALLED: &[Piece] = &[Piece::Word(&[Piece::Home, Piece::Text("/.local/bin/claude")])];

/// The script that makes a snapshot of the user's functions, options and aliases.
const SNAPSHOT: &[Piece] = &[Piece::Measured(
    &CLAUDE_SNAPSHOT,
    &[
        ("file", &[SNAPSHOT_FILE]),
        ("config", CONFIG),
        (
            "options",
            &[Piece::Either(&[
                EXPANDS_ALIASES,
                &[Piece::Measured(
                    &CLAUDE_SNAPSHOT_BASH,
                    &[(
                        "isolated",
                        &[Piece::Maybe(&[Piece::Measured(&CLAUDE_SNAPSHOT_ISOLATED, &[])])],
                    )],
                )],
                &[Piece::Measured(&CLAUDE_SNAPSHOT_ZSH, &[])],
                NOTHING,
            ])],
        ),
        ("end", &[Piece::Text("CLAUDE_CODE_END_"), Piece::Alphanumeric]),
        ("program", &[Piece::Word(&[Piece::Program])]),
        ("installed", INSTALLED),
        ("path", &[Piece::Word(&[Piece::Line])]),
    ],
)];

/// The same, as 2.1.197 writes it.
const OLDER_SNAPSHOT: &[Piece] = &[Piece::Measured(
    &CLAUDE_OLDER_SNAPSHOT,
    &[
        ("file", &[SNAPSHOT_FILE]),
        ("config", CONFIG),
        (
            "options",
            &[Piece::Either(&[
                EXPANDS_ALIASES,
                &[Piece::Measured(&CLAUDE_OLDER_SNAPSHOT_BASH, &[])],
                &[Piece::Measured(&CLAUDE_OLDER_SNAPSHOT_ZSH, &[])],
                NOTHING,
            ])],
        ),
        ("installed", INSTALLED),
        ("end", &[Piece::Text("PATH_END_"), Piece::Alphanumeric]),
        ("path", &[Piece::Word(&[Piece::Line])]),
    ],
)];
