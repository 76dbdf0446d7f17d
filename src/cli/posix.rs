//! Argv as bash, dash and what they agree on read it: long options first, then groups of letters, then the operands.

use std::ffi::{OsStr, OsString};

use super::error::Error;
use super::grammar::{self, Grammar, Otherwise};
use super::name;
use super::source::Source;
use crate::model::{Setting, Shell, ShellInvocation, StartUp, Switch, Wanted};

/// Parses the argv of a shell of the POSIX kind.
pub(super) fn parse(
    argv: Vec<OsString>,
    shell: Shell,
    wanted: Wanted,
) -> Result<ShellInvocation, Error> {
    let mut options = Options::new(&argv, shell);
    options.read_long()?;
    // Bash prints version or help and leaves before it looks at a short option.
    if options.source != Source::Information {
        options.read_short()?;
    }
    let mode = options.source.mode(options.at, argv.len());
    let (mode, positional_start) = mode.ok_or_else(|| options.missing("-c".to_owned()))?;
    let Options { settings, start_up, login, reads_on, .. } = options;
    let has = |letter| settings.contains(&Setting::Letter(letter, Switch::On));
    let long = |name| settings.contains(&Setting::Long(name));
    let named = |name: &str| {
        settings.iter().rev().find_map(|setting| match setting {
            Setting::Named(option, switch) if option == name => Some(*switch == Switch::On),
            _ => None,
        })
    };
    Ok(ShellInvocation {
        shell,
        wanted,
        mode,
        login: login || long("login") || name::is_login(&argv),
        interactive: has('i') || named("interactive").unwrap_or(false),
        posix: shell != Shell::Bash || long("posix") || named("posix").unwrap_or(false),
        restricted: has('r') || long("restricted"),
        privileged: has('p') || named("privileged").unwrap_or(false),
        program: None,
        start_up,
        settings,
        positional_start,
        reads_on,
        argv,
    })
}

/// The options as they are read, word by word.
struct Options<'a> {
    argv: &'a [OsString],
    at: usize,
    shell: Shell,
    grammar: &'static Grammar,
    source: Source,
    login: bool,
    reads_on: bool,
    start_up: StartUp,
    settings: Vec<Setting>,
}

impl<'a> Options<'a> {
    fn new(argv: &'a [OsString], shell: Shell) -> Self {
        Self {
            argv,
            at: 1,
            shell,
            grammar: grammar::of(shell),
            source: Source::default(),
            login: false,
            reads_on: false,
            start_up: StartUp::default(),
            settings: Vec::new(),
        }
    }

    fn read_long(&mut self) -> Result<(), Error> {
        if self.grammar.long.is_empty() {
            return Ok(());
        }
        while let Some(word) = self.argv.get(self.at) {
            let bytes = word.as_encoded_bytes();
            let Some(option) = bytes.strip_prefix(b"-") else { break };
            let (two_dashes, option) =
                option.strip_prefix(b"-").map_or((false, option), |rest| (true, rest));
            if two_dashes && option.is_empty() {
                break;
            }
            let known = |names: &[&'static str]| {
                names.iter().copied().find(|name| name.as_bytes() == option)
            };
            if let Some(name) = known(self.grammar.long_valued) {
                let Some(value) = self.argv.get(self.at + 1) else {
                    return Err(self.missing(name.to_owned()));
                };
                self.start_up.rc_file = Some(value.clone());
                self.at += 2;
            } else if let Some(name) = known(self.grammar.long) {
                self.long(name);
                self.at += 1;
            } else if two_dashes {
                return Err(self.invalid(word.to_string_lossy().into_owned()));
            } else {
                break;
            }
        }
        Ok(())
    }

    fn long(&mut self, name: &'static str) {
        match name {
            "help" | "version" => self.source = Source::Information,
            "norc" => self.start_up.no_rc = true,
            "noprofile" => self.start_up.no_profile = true,
            _ => {}
        }
        self.settings.push(Setting::Long(name));
    }

    fn read_short(&mut self) -> Result<(), Error> {
        while let Some(word) = self.argv.get(self.at) {
            let bytes = word.as_encoded_bytes();
            let switch = match bytes.first() {
                Some(b'-') => Switch::On,
                Some(b'+') => Switch::Off,
                _ => break,
            };
            self.at += 1;
            if matches!(bytes, b"-" | b"--") {
                break;
            }
            // The values of a group stand behind it, one for each letter that takes one.
            for &letter in &bytes[1..] {
                self.letter(letter, switch)?;
            }
        }
        Ok(())
    }

    fn letter(&mut self, letter: u8, switch: Switch) -> Result<(), Error> {
        let letter = char::from(letter);
        if self.grammar.valued.contains(letter) {
            return self.valued(letter, switch);
        }
        if !self.grammar.letters.contains(letter) {
            let sign = if switch == Switch::On { '-' } else { '+' };
            return Err(self.invalid(format!("{sign}{letter}")));
        }
        // These three mean the same with either sign.
        match letter {
            'c' => self.take_from(Source::CommandLine),
            's' => self.take_from(Source::Input),
            'l' => self.login = true,
            _ => self.settings.push(Setting::Letter(letter, switch)),
        }
        Ok(())
    }

    fn valued(&mut self, letter: char, switch: Switch) -> Result<(), Error> {
        let Some(value) = self.argv.get(self.at).cloned() else {
            // The shell prints its options and goes on.
            self.settings.push(Setting::Listing);
            return Ok(());
        };
        self.at += 1;
        if self.grammar.named.is_some_and(|names| names.iter().all(|name| value != *name)) {
            return Err(self.invalid(format!("-o {}", value.to_string_lossy())));
        }
        // Dash has its `-s` also under this name. Bash has neither the name nor a use for it.
        if self.shell == Shell::Dash && value == "stdin" && switch == Switch::On {
            self.take_from(Source::Input);
        }
        self.settings.push(if letter == 'O' {
            Setting::Shopt(value, switch)
        } else {
            Setting::Named(value, switch)
        });
        Ok(())
    }

    fn take_from(&mut self, source: Source) {
        let both = self.source != Source::Operand && self.source != source;
        // Bash runs the command line alone. Dash runs it, and then what comes on standard input.
        self.reads_on |= both && self.shell != Shell::Bash;
        self.source = self.source.max(source);
    }

    fn missing(&self, option: String) -> Error {
        let (shell, exits) = (self.shell, self.exits());
        Error::MissingValue { name: self.name(), option, shell, exits }
    }

    fn invalid(&self, option: String) -> Error {
        let (shell, exits) = (self.shell, self.exits());
        match self.grammar.otherwise {
            Otherwise::Invalid => Error::InvalidOption { name: self.name(), option, shell, exits },
            Otherwise::Unknown => Error::UnknownOption { shell, option },
        }
    }

    /// Whether bash ends at its first error, with 1 and without another word: `-e` holds for its own errors too.
    fn exits(&self) -> bool {
        let is_errexit = |setting: &&Setting| match setting {
            Setting::Letter(letter, _) => *letter == 'e',
            Setting::Named(name, _) => name == "errexit",
            Setting::Shopt(..) | Setting::Long(_) | Setting::Listing => false,
        };
        let is_on = |setting: &Setting| {
            matches!(setting, Setting::Letter(_, Switch::On) | Setting::Named(_, Switch::On))
        };
        self.shell == Shell::Bash && self.settings.iter().rev().find(is_errexit).is_some_and(is_on)
    }

    fn name(&self) -> String {
        let name = self.argv.first().map_or(OsStr::new(self.shell.name()), OsString::as_os_str);
        name.to_string_lossy().into_owned()
    }
}
