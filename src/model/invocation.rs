//! How a shell was called, as its argv says. Plain data: `cli` fills it, everything later reads it.

use std::ffi::{CStr, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The shells whose argv is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shell {
    /// GNU bash.
    #[default]
    Bash,
    /// Whatever the system has as `sh`: bash, dash, or another. Only what all of them agree on is taken.
    Sh,
    /// The Debian Almquist shell.
    Dash,
    /// Zsh.
    Zsh,
}

impl Shell {
    /// Returns the name of its program.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Sh => "sh",
            Self::Dash => "dash",
            Self::Zsh => "zsh",
        }
    }

    /// Returns the shell whose program has this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Bash, Self::Sh, Self::Dash, Self::Zsh].into_iter().find(|shell| shell.name() == name)
    }
}

/// Which real shell the caller wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The one that the owner's settings name, else bash: we were called by our own name.
    Configured,
    /// The one whose name we were called by.
    Named,
}

/// The program that runs what was permitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealShell {
    /// Its file, absolute.
    pub path: PathBuf,
    /// Which shell it is.
    pub shell: Shell,
    /// What it must be called instead of the caller's `argv[0]`, where a program is many programs by that name.
    pub argv0: Option<OsString>,
}

/// The option by which the guard is called in the place of a program that no shell starts; see [`Direct`].
pub const DIRECT: &CStr = c"--direct";

/// A program that is started without a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direct {
    /// Its file.
    pub path: PathBuf,
    /// Its words, `argv[0]` first.
    pub argv: Vec<OsString>,
}

impl Direct {
    /// Returns the line that would start it, as which it is judged. `argv[0]` is only said where it names another program than the file does.
    #[must_use]
    pub fn line(&self) -> OsString {
        let name = |word: &OsStr| Path::new(word).file_name().map(OsStr::to_owned);
        let first = self.argv.first().map_or(OsStr::new(""), OsString::as_os_str);
        let is_named_so = name(first).is_some_and(|own| Some(own) == name(self.path.as_os_str()));
        let exec = ["exec", "-a"].map(OsStr::new).into_iter().chain([first, OsStr::new("--")]);
        let words = exec.filter(|_| !is_named_so).chain([self.path.as_os_str()]);
        let words = words.chain(self.argv.iter().skip(1).map(OsString::as_os_str));
        let mut line = OsString::new();
        for word in words {
            if !line.is_empty() {
                line.push(" ");
            }
            line.push(quoted(word));
        }
        line
    }
}

/// Returns a word as a shell takes it, byte for byte.
fn quoted(word: &OsStr) -> OsString {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-./:,+@%=".contains(byte);
    if !word.is_empty() && word.as_bytes().iter().all(is_plain) {
        return word.to_owned();
    }
    let parts: Vec<&[u8]> = word.as_bytes().split(|byte| *byte == b'\'').collect();
    OsString::from_vec([b"'", parts.join(&b"'\\''"[..]).as_slice(), b"'"].concat())
}

/// A call of a shell: what its argv makes it do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of the shell's own")]
pub struct ShellInvocation {
    /// The shell that reads this argv.
    pub shell: Shell,
    /// Which real shell is wanted.
    pub wanted: Wanted,
    /// Every word, unchanged, `argv[0]` first.
    pub argv: Vec<OsString>,
    /// What is run.
    pub mode: ShellMode,
    /// Whether it is a login shell.
    pub login: bool,
    /// Whether `-i` was given. A shell that reads standard input is also interactive if that is a terminal.
    pub interactive: bool,
    /// Whether POSIX mode was asked for, or comes with the name.
    pub posix: bool,
    /// Whether a restricted shell was asked for.
    pub restricted: bool,
    /// Whether privileged mode was asked for: no start-up files from the environment.
    pub privileged: bool,
    /// What argv says about start-up files.
    pub start_up: StartUp,
    /// The program on standard input, where that was read to its end.
    pub program: Option<OsString>,
    /// The options, in order.
    pub settings: Vec<Setting>,
    /// Whether the shell goes on with what comes on standard input, behind its command line: dash with `-s` and `-c`.
    pub reads_on: bool,
    /// The first word that becomes `$1`; the length of argv if there is none.
    pub positional_start: usize,
}

impl ShellInvocation {
    /// Returns what `$0` will be.
    #[must_use]
    pub fn dollar_zero(&self) -> &OsStr {
        let index = match self.mode {
            ShellMode::CommandLine { index } if index + 1 < self.argv.len() => index + 1,
            ShellMode::Script { index } => index,
            ShellMode::CommandLine { .. } | ShellMode::Input | ShellMode::Information => 0,
        };
        self.argv.get(index).map_or_else(|| OsStr::new(""), OsString::as_os_str)
    }

    /// Returns what `$1`, `$2`, … will be.
    #[must_use]
    pub fn positional(&self) -> &[OsString] {
        self.argv.get(self.positional_start..).unwrap_or_default()
    }

    /// Returns what was judged: the command line, the path of the script, or the program on standard input.
    #[must_use]
    pub fn subject(&self) -> Option<&OsStr> {
        if self.mode == ShellMode::Input {
            return self.program.as_deref();
        }
        self.argv.get(self.mode.index()?).map(OsString::as_os_str)
    }

    /// Returns the call with another command line in the place of its own; none if it has no command line.
    #[must_use]
    pub fn with_line(mut self, line: String) -> Option<Self> {
        match self.mode {
            ShellMode::CommandLine { index } => *self.argv.get_mut(index)? = line.into(),
            ShellMode::Input if self.program.is_some() => self.program = Some(line.into()),
            ShellMode::Script { .. } | ShellMode::Input | ShellMode::Information => return None,
        }
        Some(self)
    }
}

/// What a call of a shell runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellMode {
    /// The command line in this word of argv.
    CommandLine {
        /// Which word.
        index: usize,
    },
    /// The file that this word of argv names.
    Script {
        /// Which word.
        index: usize,
    },
    /// What comes on standard input: a program, or what a person types.
    Input,
    /// Nothing: it prints its version or its help.
    Information,
}

impl ShellMode {
    /// Returns the word of argv that says what is run.
    #[must_use]
    pub const fn index(self) -> Option<usize> {
        match self {
            Self::CommandLine { index } | Self::Script { index } => Some(index),
            Self::Input | Self::Information => None,
        }
    }
}

/// What argv says about start-up files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartUp {
    /// The file that an interactive shell reads instead of its own (`--rcfile`, `--init-file`).
    pub rc_file: Option<OsString>,
    /// Whether an interactive shell leaves its own file out (`--norc`; zsh: `-f`).
    pub no_rc: bool,
    /// Whether a login shell leaves its own files out (`--noprofile`).
    pub no_profile: bool,
}

/// One option of a shell, as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// `-e`, `+x`
    Letter(char, Switch),
    /// `-o NAME`, `+o NAME`
    Named(OsString, Switch),
    /// `-O NAME`, `+O NAME`
    Shopt(OsString, Switch),
    /// `--posix`; the name without dashes.
    Long(&'static str),
    /// `-o` or `-O` as the last word: the options are printed.
    Listing,
}

impl Setting {
    /// Returns whether the option changes how the text itself is read, so that it must not be read as usual.
    #[must_use]
    pub fn changes_reading(&self) -> bool {
        const NAMED: [&str; 5] = ["posix", "keyword", "histexpand", "history", "onecmd"];
        const SHOPT: [&str; 6] = [
            "extglob",
            "expand_aliases",
            "extdebug",
            "interactive_comments",
            "extquote",
            "cdable_vars",
        ];
        let among = |names: &[&str], name: &OsString| names.iter().any(|known| name == known);
        match self {
            Self::Letter(letter, _) => matches!(letter, 'k' | 'H' | 't'),
            Self::Named(name, _) => among(&NAMED, name),
            Self::Shopt(name, _) => {
                among(&SHOPT, name) || name.as_encoded_bytes().starts_with(b"compat")
            }
            Self::Long(name) => *name == "posix",
            Self::Listing => false,
        }
    }
}

/// Whether an option is switched on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// `-`
    On,
    /// `+`
    Off,
}
