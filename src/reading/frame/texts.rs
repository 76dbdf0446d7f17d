//! Measures of the long texts that agents write: lengths, the holes between them, and the SHA-256 of all of it without the
//! holes. None of the texts is kept here; `GUARDED_SH_FRAME_RECORDINGS` in the tests checks them against what clients wrote.

use super::measured::Measured;

/// Refuses to run under a bash that reads a command otherwise.
pub(super) const CLAUDE_TOO_OLD: Measured = Measured {
    opening: ") \\builtin printf ",
    holes: &[],
    end: 114,
    sha256: "379882b0a245899ee9e1ccbb72c0e0d58f753e3e57cc67def76bd988660cc926",
};

/// Writes the user's functions, options and aliases to a file.
pub(super) const CLAUDE_SNAPSHOT: Measured = Measured {
    opening: "SNAPSHOT_FILE=",
    holes: &[
        (0, "file"),
        (14, "config"),
        (530, "options"),
        (43, "end"),
        (123, "program"),
        (60, "program"),
        (124, "program"),
        (34, "program"),
        (30, "installed"),
        (60, "installed"),
        (124, "installed"),
        (34, "installed"),
        (190, "program"),
        (61, "program"),
        (161, "program"),
        (71, "program"),
        (66, "installed"),
        (61, "installed"),
        (161, "installed"),
        (71, "installed"),
        (347, "program"),
        (63, "program"),
        (285, "program"),
        (195, "program"),
        (188, "installed"),
        (63, "installed"),
        (285, "installed"),
        (195, "installed"),
        (1187, "path"),
        (1, "end"),
    ],
    end: 201,
    sha256: "6a07f9690bf3571b00cc9238c660e6d7e86b781e8d18a7f85d2722c097e11a41",
};

/// What it asks of a bash.
pub(super) const CLAUDE_SNAPSHOT_BASH: Measured = Measured {
    opening: "",
    holes: &[(723, "isolated")],
    end: 1585,
    sha256: "ca47f804c686e5738f131e4102d45616bd1ff53d25acf56ff3cec41ca7420865",
};

/// How it prints functions where it does so in a subshell.
pub(super) const CLAUDE_SNAPSHOT_ISOLATED: Measured = Measured {
    opening: "declare -F | (",
    holes: &[],
    end: 812,
    sha256: "fd34778f77b2195f4c7bd4a59a9a3999f06c27725a00033e0d5c08cde5ec061d",
};

/// What it asks of a zsh.
pub(super) const CLAUDE_SNAPSHOT_ZSH: Measured = Measured {
    opening: "",
    holes: &[],
    end: 1427,
    sha256: "46e1aab037201794af262fc243a75c3de2d5a918b4612bdad2a01d453e155de3",
};

/// Puts one variable back behind the snapshot.
pub(super) const CODEX_PUT_BACK: Measured = Measured {
    opening: "if [ -n \"${",
    holes: &[
        (0, "set"),
        (24, "name"),
        (15, "name"),
        (10, "value"),
        (18, "name"),
        (4, "value"),
        (16, "name"),
        (24, "name"),
        (30, "name"),
        (19, "set"),
        (1, "value"),
        (30, "set"),
        (1, "value"),
    ],
    end: 1,
    sha256: "6deb95bba6c5f8d02a870a05896381763324fcb129713692e06b0c17bd328eb1",
};

/// Prints functions, options, aliases and exports of a bash.
pub(super) const CODEX_SNAPSHOT_BASH: Measured = Measured {
    opening: "if [ -z ",
    holes: &[],
    end: 1225,
    sha256: "6f5057d44765a27819b0485fb9570af86595f47cc7c56125ce005b1891c69982",
};

/// The same of any sh.
pub(super) const CODEX_SNAPSHOT_SH: Measured = Measured {
    opening: "__codex_snapshot_expand_env()",
    holes: &[],
    end: 5150,
    sha256: "e34a7406b61a06d91df18f036ccbbce47447686b322d98ef3fa3a715f1fb05de",
};

/// The same of a zsh.
pub(super) const CODEX_SNAPSHOT_ZSH: Measured = Measured {
    opening: "if [[ -n ",
    holes: &[],
    end: 1296,
    sha256: "c835444be5a3042e7b5f322a8d30cdcdb94d796781f2cc1cfae34f0797f726e6",
};

/// Prints the environment of a login shell.
pub(super) const COPILOT_LOGIN_ENVIRONMENT: Measured = Measured {
    opening: "__'; if ",
    holes: &[],
    end: 131,
    sha256: "04251eed96aa61f86bf498fff09245fa0358f22a47d7ae73cbc6f7fa5dd8cab8",
};
