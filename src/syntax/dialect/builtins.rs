//! Builtins that other shells than bash do not have, or that do something else there: one row a group of names, one column a kind of shell.

use super::Dialect;
use crate::model::Arg;

/// What stands around a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// The script itself.
    Script,
    /// A function that it calls.
    Function,
}

/// When a command does not do what bash would do by that name.
#[derive(Clone, Copy)]
enum When {
    Never,
    Always,
    /// With an option of other letters than these.
    Besides(&'static str),
    /// With a word that begins so.
    Word(&'static str),
    /// With more words than these.
    MoreThan(usize),
    /// With a word that sets something: `NAME=VALUE`.
    Sets,
    /// With a word that names something of the shell's own, see [`Dialect::is_special`].
    Special,
    /// Where the file that is named has no slash, and is looked for.
    Sought,
    /// In a function, where it is about the function alone.
    InFunction,
    /// With one of these as the command that it runs.
    Runs(&'static [&'static str]),
    /// With an option by name that changes how text is read, or may.
    NamedOptions,
    /// With an option that is taken away: `+g`.
    Undoes,
    /// With a word that is no number.
    Name,
    /// With a pattern that does not fit its own text, where it stays text.
    Bracket,
    /// With an option by a name that is not the same everywhere.
    OptionNames,
    /// With one of these.
    Any(&'static [When]),
}

use When::{
    Always, Any, Besides, Bracket, InFunction, MoreThan, Name, NamedOptions, Never, OptionNames,
    Runs, Sets, Sought, Special, Undoes, Word,
};

/// What zsh's `typeset` shares with bash's `declare`.
const DECLARES: When = Any(&[Besides("aAgirxlup"), Undoes, Special]);

/// Builtins that change the shell that runs them, or leave it.
const CHANGING: &[&str] = &[
    ".",
    "alias",
    "break",
    "bye",
    "cd",
    "chdir",
    "continue",
    "declare",
    "disable",
    "emulate",
    "enable",
    "eval",
    "exit",
    "export",
    "float",
    "getopts",
    "hash",
    "integer",
    "let",
    "local",
    "logout",
    "popd",
    "print",
    "printf",
    "pushd",
    "read",
    "readonly",
    "return",
    "set",
    "setopt",
    "shift",
    "source",
    "trap",
    "typeset",
    "umask",
    "unalias",
    "unfunction",
    "unset",
    "unsetopt",
    "wait",
    "zmodload",
];

/// Builtins whose words are read otherwise where they are no reserved words.
pub const DECLARING: &[&str] = &["declare", "export", "local", "readonly", "typeset"];

/// POSIX alone, ksh, zsh. Names that a shell does not have are looked for among programs: `Always`, since bash would not.
const TABLE: &[(&str, [When; 3])] = &[
    ("bind caller compgen complete compopt help mapfile readarray shopt", [Always, Always, Always]),
    ("enable fc suspend", [Always, Always, Always]),
    ("dirs disown history logout popd pushd", [Always, Always, Never]),
    ("builtin", [Always, Always, Runs(DECLARING)]),
    // It runs programs there and nothing else.
    ("command", [Never, Never, Runs(CHANGING)]),
    // Where they were not taken away, these are aliases.
    ("run-help which-command", [Never, Never, Always]),
    ("noglob", [Never, Never, Bracket]),
    ("setopt unsetopt", [Never, Never, NamedOptions]),
    // Arrays go by their names.
    ("shift", [Never, Never, Name]),
    ("let", [Always, Never, Never]),
    ("declare", [Always, Always, DECLARES]),
    ("typeset", [Always, Besides("airxlup"), DECLARES]),
    ("local", [Any(&[Besides("r")]), Besides("r"), DECLARES]),
    ("export readonly", [Besides("p"), Besides("p"), Any(&[Besides("p"), Special])]),
    ("source", [Always, Always, Sought]),
    (".", [MoreThan(1), Never, Sought]),
    ("printf", [Word("-v"), Word("-v"), Word("-v")]),
    ("read", [Besides("rp"), Besides("r"), Any(&[Besides("rstdu"), Special])]),
    ("getopts", [Never, Never, Special]),
    // What is started for its words gets the name, too.
    ("exec", [Word("-"), Besides("c"), Besides("c")]),
    ("hash", [Besides("r"), Any(&[Besides("r"), Sets]), Any(&[Besides("r"), Sets])]),
    ("unalias type", [Besides("r"), Never, Never]),
    ("unset", [Besides("fv"), Besides("fv"), Any(&[Besides("fv"), Special])]),
    // These read aliases where no person types, as bash does not.
    ("alias", [Sets, Sets, Sets]),
    ("set", [Never, OptionNames, OptionNames]),
    ("trap", [Never, InFunction, InFunction]),
    ("cd", [Never, MoreThan(1), Any(&[MoreThan(1), Besides("LP"), Word("+")])]),
    ("jobs", [Word("-x"), Word("-x"), Never]),
    // Words of these shells, where bash would look for a program.
    ("autoload functions hist r float integer redirect nameref enum", [Never, Always, Always]),
    ("compound global stop", [Never, Always, Never]),
    ("print whence", [Never, Besides("lnrRvp"), Besides("lnrRabcCDiNoOPmwpsuf0123456789")]),
    (
        "- bindkey bye chdir compctl disable echotc echoti emulate end foreach getln private \
            pushln repeat sched sysopen syswrite unfunction unhash vared zcompile zf_rm zle zmodload \
            zparseopts zpty zregexparse zselect zsocket zstyle zsystem ztcp",
        [Never, Never, Always],
    ),
];

/// Options by name that do in zsh and ksh what they do in bash, and that change nothing in how text is read.
const SAME_OPTIONS: &[&str] =
    &["errexit", "nounset", "xtrace", "verbose", "pipefail", "noclobber", "monitor"];

impl Dialect {
    /// Returns whether a builtin with these words does not do what bash would do, or may not.
    #[must_use]
    pub fn runs_otherwise(self, name: &str, words: &[Arg], within: Within) -> bool {
        let column = match self {
            Self::Bash => return false,
            Self::Posix => 0,
            Self::Ksh => 1,
            Self::Zsh => 2,
        };
        let mut rows = TABLE.iter();
        let row = rows.find(|(names, _)| names.split_ascii_whitespace().any(|own| own == name));
        row.is_some_and(|(_, columns)| self.differs(columns[column], words, within))
    }

    fn differs(self, when: When, words: &[Arg], within: Within) -> bool {
        let options = || words.iter().take_while(|word| word.known() != Some("--"));
        match when {
            Never => false,
            Always => true,
            Besides(letters) => options().map(Arg::prefix).any(|word| {
                let group = word.strip_prefix('-').filter(|letters| !letters.is_empty());
                group.is_some_and(|group| group.chars().any(|letter| !letters.contains(letter)))
            }),
            Word(start) => words.first().is_some_and(|word| word.prefix().starts_with(start)),
            MoreThan(count) => {
                let is_operand = |word: &&Arg| !word.prefix().starts_with('-');
                words.iter().filter(is_operand).count() > count
            }
            Sets => words.iter().any(|word| word.known().is_none() || word.prefix().contains('=')),
            Special => words.iter().any(|word| {
                let name = word.prefix().split(['=', '+', '[']).next().unwrap_or_default();
                self.is_special(name)
            }),
            Sought => {
                let file = words.iter().find(|word| word.known() != Some("--"));
                file.is_some_and(|file| !file.prefix().contains('/'))
            }
            InFunction => within == Within::Function,
            Runs(names) => {
                let run = words.iter().find(|word| !matches!(word.known(), Some("-p" | "--")));
                run.and_then(Arg::known).is_some_and(|run| names.contains(&run))
            }
            NamedOptions => words.iter().any(|word| match word.known().and_then(named_option) {
                Some((option, _)) => option == "errexit" && within == Within::Function,
                None => true,
            }),
            Undoes => words.iter().any(|word| word.prefix().starts_with('+')),
            Bracket => {
                words.iter().any(|word| matches!(word, Arg::Glob(pattern) if pattern.contains('[')))
            }
            Name => words.iter().any(|word| match word.known() {
                Some(count) => !count.bytes().all(|byte| byte.is_ascii_digit()),
                None => false,
            }),
            OptionNames => sets_other_options(words),
            Any(all) => all.iter().any(|one| self.differs(*one, words, within)),
        }
    }
}

/// Options of zsh that change nothing in how a text is read, or what the reading follows, as they are called without `_`.
const NAMED_OPTIONS: &[&str] = &[
    "appendhistory",
    "autopushd",
    "beep",
    "bgnice",
    "caseglob",
    "checkjobs",
    "checkrunningjobs",
    "clobber",
    "errexit",
    "extendedhistory",
    "globdots",
    "histexpiredupsfirst",
    "histignorealldups",
    "histignoredups",
    "histignorespace",
    "hup",
    "incappendhistory",
    "listbeep",
    "localoptions",
    "localtraps",
    "monitor",
    "nomatch",
    "notify",
    "nullglob",
    "numericglobsort",
    "pipefail",
    "pushdignoredups",
    "pushdsilent",
    "rmstarsilent",
    "rmstarwait",
    "sharehistory",
    "typesetsilent",
    "unset",
    "verbose",
    "warncreateglobal",
    "xtrace",
];

/// Returns which of the named options a word of `setopt` names, and whether it does so without `no` in front.
#[must_use]
pub fn named_option(word: &str) -> Option<(&'static str, bool)> {
    let name: String = word.chars().filter(|c| *c != '_').collect::<String>().to_lowercase();
    let find = |name: &str| NAMED_OPTIONS.iter().copied().find(|known| *known == name);
    match find(&name) {
        Some(option) => Some((option, true)),
        None => find(name.strip_prefix("no")?).map(|option| (option, false)),
    }
}

/// Whether `set` is given options that are not the same everywhere.
fn sets_other_options(words: &[Arg]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.prefix();
        if word.known() == Some("--") || !text.starts_with(['-', '+']) {
            return word.known().is_none() && text.is_empty();
        }
        for letter in text.chars().skip(1) {
            let is_same = match letter {
                'o' => words.next().is_none_or(|name| {
                    name.known().is_some_and(|name| SAME_OPTIONS.contains(&name))
                }),
                letter => "euxvC".contains(letter),
            };
            if !is_same {
                return true;
            }
        }
    }
    false
}
