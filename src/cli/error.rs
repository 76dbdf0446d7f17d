//! Why an argv is no call of the shell.

use super::grammar;
use crate::model::Shell;

/// Why an argv was not accepted. The shell's own errors have the text that the shell would print.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// `-c`, or an option that takes a value, is the last word.
    #[error("{}", missing(name, option, *shell))]
    MissingValue {
        /// `argv[0]`.
        name: String,
        /// The option as the shell names it.
        option: String,
        /// The shell.
        shell: Shell,
        /// Whether it ends at its first error.
        exits: bool,
    },
    /// The shell has no such option.
    #[error("{}", invalid(name, option, *shell, *exits))]
    InvalidOption {
        /// `argv[0]`.
        name: String,
        /// The option as given.
        option: String,
        /// The shell.
        shell: Shell,
        /// Whether it ends at its first error.
        exits: bool,
    },
    /// What the option means to this shell is not known, so neither is what would run.
    #[error("what the option '{option}' makes {} run is not known", shell.name())]
    UnknownOption {
        /// The shell.
        shell: Shell,
        /// The option as given.
        option: String,
    },
    /// There is no such script.
    #[error("{}", no_script(name, script, *shell))]
    NoScript {
        /// `argv[0]`.
        name: String,
        /// The script as given.
        script: String,
        /// The shell.
        shell: Shell,
    },
    /// There is no such script, and no such subcommand.
    #[error("guarded-sh: there is no subcommand '{word}', and no script of that name")]
    NoSubcommand {
        /// The word.
        word: String,
    },
}

impl Error {
    /// Returns the exit status: the shell's for bad usage, 126 where we refuse what we do not know.
    #[must_use]
    pub const fn status(&self) -> u8 {
        match self {
            Self::MissingValue { exits: true, .. } | Self::InvalidOption { exits: true, .. } => 1,
            Self::MissingValue { .. } | Self::InvalidOption { .. } => 2,
            Self::UnknownOption { .. } => 126,
            Self::NoScript { shell: Shell::Dash, .. } => 2,
            Self::NoScript { .. } | Self::NoSubcommand { .. } => 127,
        }
    }

    /// Returns the error with the words that came from argv as `show` makes them.
    #[must_use]
    pub fn shown(mut self, show: impl Fn(&str) -> String) -> Self {
        match &mut self {
            Self::MissingValue { name, option, .. } | Self::InvalidOption { name, option, .. } => {
                *name = show(name);
                *option = show(option);
            }
            Self::UnknownOption { option, .. } => *option = show(option),
            Self::NoScript { name, script, .. } => {
                *name = show(name);
                *script = show(script);
            }
            Self::NoSubcommand { word } => *word = show(word),
        }
        self
    }
}

/// What a shell says where a value is missing.
fn missing(name: &str, option: &str, shell: Shell) -> String {
    match shell {
        Shell::Dash => format!("{name}: 0: {option} requires an argument"),
        Shell::Bash | Shell::Sh | Shell::Zsh => {
            format!("{name}: {option}: option requires an argument")
        }
    }
}

/// What a shell says of a script that is not there.
fn no_script(name: &str, script: &str, shell: Shell) -> String {
    match shell {
        Shell::Dash => format!("{name}: 0: cannot open {script}: No such file"),
        Shell::Zsh => format!("{name}: can't open input file: {script}"),
        Shell::Bash | Shell::Sh => format!("{name}: {script}: No such file or directory"),
    }
}

/// What a shell says of an option that it does not have. Bash shows how it is used, unless it ends at once.
fn invalid(name: &str, option: &str, shell: Shell, exits: bool) -> String {
    match shell {
        Shell::Bash if exits => format!("{name}: {option}: invalid option"),
        Shell::Bash => format!("{name}: {option}: invalid option\n{}", usage(name)),
        Shell::Dash => format!("{name}: 0: Illegal option {option}"),
        Shell::Sh | Shell::Zsh => format!("{name}: {option}: invalid option"),
    }
}

/// How bash 5.2 says that it is used.
fn usage(name: &str) -> String {
    let mut long = [grammar::of(Shell::Bash).long, grammar::of(Shell::Bash).long_valued].concat();
    long.sort_unstable();
    let long: String = long.iter().flat_map(|option| ["\t--", option, "\n"]).collect();
    format!(
        "Usage:\t{name} [GNU long option] [option] ...\n\
         \t{name} [GNU long option] [option] script-file ...\n\
         GNU long options:\n{long}\
         Shell options:\n\
         \t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n\
         \t-abefhkmnptuvxBCEHPT or -o option"
    )
}
