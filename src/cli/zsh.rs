//! Argv as zsh reads it, as far as it was measured (zsh 5.9). Zsh gives a letter to almost every option, takes long
//! names of all of them, and some end the options or change the language; what is not listed here is not known.

use std::ffi::{OsStr, OsString};

use super::error::Error;
use super::name;
use super::source::Source;
use crate::model::{Setting, Shell, ShellInvocation, StartUp, Switch, Wanted};

/// Letters that change neither what is run nor how its text is read.
const LETTERS: &str = "efinuvx";
/// Options for `-o` of which the same is true.
const NAMED: [&str; 6] = ["errexit", "nobgnice", "nounset", "pipefail", "verbose", "xtrace"];

/// Parses the argv of a zsh.
pub(super) fn parse(argv: Vec<OsString>, wanted: Wanted) -> Result<ShellInvocation, Error> {
    let mut options = Options::default();
    let operands = options.read(&argv)?;
    let missing = || Error::MissingValue {
        name: argv0(&argv),
        option: "-c".to_owned(),
        shell: Shell::Zsh,
        exits: false,
    };
    let (mode, positional_start) = options.source.mode(operands, argv.len()).ok_or_else(missing)?;
    let has = |letter| options.settings.contains(&Setting::Letter(letter, Switch::On));
    Ok(ShellInvocation {
        shell: Shell::Zsh,
        wanted,
        mode,
        login: options.login || name::is_login(&argv),
        interactive: has('i'),
        posix: false,
        restricted: false,
        privileged: false,
        program: None,
        start_up: StartUp { no_rc: has('f'), ..StartUp::default() },
        settings: options.settings,
        positional_start,
        reads_on: false,
        argv,
    })
}

#[derive(Default)]
struct Options {
    source: Source,
    login: bool,
    settings: Vec<Setting>,
}

impl Options {
    /// Reads the options and returns the index of the first operand.
    fn read(&mut self, argv: &[OsString]) -> Result<usize, Error> {
        if argv.len() == 2 && (argv[1] == "--version" || argv[1] == "--help") {
            self.source = Source::Information;
            return Ok(2);
        }
        let mut at = 1;
        while let Some(word) = argv.get(at) {
            let bytes = word.as_encoded_bytes();
            let Some(letters) = bytes.strip_prefix(b"-") else {
                // `+` alone ends the options, and a group behind it has rules of its own.
                if bytes.starts_with(b"+") {
                    return Err(unknown(word));
                }
                break;
            };
            at += 1;
            if matches!(letters, b"" | b"-") {
                break;
            }
            at = self.group(argv, word, letters, at)?;
        }
        Ok(at)
    }

    fn group(
        &mut self,
        argv: &[OsString],
        word: &OsStr,
        letters: &[u8],
        mut at: usize,
    ) -> Result<usize, Error> {
        for (position, &letter) in letters.iter().enumerate() {
            match letter {
                // With both, the words are counted off differently.
                b'c' | b's' if self.source != Source::Operand => return Err(unknown(word)),
                b'c' => self.source = Source::CommandLine,
                b's' => self.source = Source::Input,
                b'l' => self.login = true,
                // The name may also stand in the same word; only the separate form was measured.
                b'o' if position + 1 == letters.len() => {
                    let name = argv.get(at).filter(|name| NAMED.iter().any(|known| name == known));
                    let Some(name) = name else { return Err(unknown(word)) };
                    self.settings.push(Setting::Named(name.clone(), Switch::On));
                    at += 1;
                }
                _ if LETTERS.contains(char::from(letter)) => {
                    self.settings.push(Setting::Letter(char::from(letter), Switch::On));
                }
                _ => return Err(unknown(word)),
            }
        }
        Ok(at)
    }
}

fn unknown(option: &OsStr) -> Error {
    Error::UnknownOption { shell: Shell::Zsh, option: option.to_string_lossy().into_owned() }
}

fn argv0(argv: &[OsString]) -> String {
    argv.first().map_or_else(|| "zsh".to_owned(), |word| word.to_string_lossy().into_owned())
}
