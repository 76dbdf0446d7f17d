//! The letters and long names that each shell of the POSIX kind takes, measured against bash 5.2 and dash 0.5.12.

use crate::model::Shell;

/// How one shell reads its options.
pub(super) struct Grammar {
    /// Letters without a value, `c`, `l` and `s` included.
    pub(super) letters: &'static str,
    /// Letters that take the next word of argv.
    pub(super) valued: &'static str,
    /// The names that `-o` may get, if not any: one that the shell does not know makes it stop, but each has its own.
    pub(super) named: Option<&'static [&'static str]>,
    /// Long options without a value; bash takes them with one dash too, and only before all others.
    pub(super) long: &'static [&'static str],
    /// Long options with a value.
    pub(super) long_valued: &'static [&'static str],
    /// What any other option is.
    pub(super) otherwise: Otherwise,
}

/// What an option is that a grammar does not list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Otherwise {
    /// The shell refuses it.
    Invalid,
    /// Some shell may take it, and its meaning is not known.
    Unknown,
}

const BASH: Grammar = Grammar {
    letters: "abefhikmnprtuvxBCEHPTclsD",
    valued: "oO",
    named: None,
    long: &[
        "debug",
        "debugger",
        "dump-po-strings",
        "dump-strings",
        "help",
        "login",
        "noediting",
        "noprofile",
        "norc",
        "posix",
        "pretty-print",
        "restricted",
        "verbose",
        "version",
    ],
    long_valued: &["init-file", "rcfile"],
    otherwise: Otherwise::Invalid,
};

const DASH: Grammar = Grammar {
    letters: "abefimnpsuvxCEIVcl",
    valued: "o",
    named: None,
    long: &[],
    long_valued: &[],
    otherwise: Otherwise::Invalid,
};

// What POSIX gives `sh`, and the little that bash, dash, busybox and the Korn shells take alike beside it. A shell that
// lacks one of these runs nothing; none of them gives one of these a meaning by which it runs something else. (`-E` edits lines as emacs
// does, or lets functions inherit a trap.)
const SH: Grammar = Grammar {
    letters: "abefhimnpuvxCEcls",
    valued: "o",
    named: Some(&[
        "allexport",
        "emacs",
        "errexit",
        "ignoreeof",
        "monitor",
        "noclobber",
        "noexec",
        "noglob",
        "nolog",
        "notify",
        "nounset",
        "pipefail",
        "verbose",
        "vi",
        "xtrace",
    ]),
    long: &[],
    long_valued: &[],
    otherwise: Otherwise::Unknown,
};

/// Returns how `shell` reads its options.
pub(super) const fn of(shell: Shell) -> &'static Grammar {
    match shell {
        Shell::Bash => &BASH,
        Shell::Dash => &DASH,
        Shell::Sh | Shell::Zsh => &SH,
    }
}
