//! Builtins that change what this shell knows: directory, variables, names (bash manual, 4.1 and 4.2).

use std::rc::Rc;

use super::evaluate::is_name;
use super::field::is_listed;
use super::state::{Special, Value, are_large};
use super::walk::Walker;
use crate::model::{Arg, Reason, Span};
use crate::paths;
use crate::syntax::{Dialect, is_reserved};
use crate::variables::{Meaning, meaning};

/// How much longer than where the line begins, and than what is named at once, the path of a directory may get. Nobody goes further, and
/// lines that go down on and on would take long to read.
const LONGER: usize = 256;

/// The lists of `rules/shells.toml`.
pub(super) mod table {
    include!(concat!(env!("OUT_DIR"), "/shells.rs"));
}

/// Returns whether bash runs the name itself.
pub(super) fn is_builtin(name: &str) -> bool {
    table::BUILTINS.contains(&name)
}

/// Returns whether a command leaves standard input as it is. Any program may read it.
pub(super) fn keeps_input(name: &str) -> bool {
    is_builtin(name) && !table::READING.contains(&name)
}

impl Walker<'_> {
    /// Applies what a builtin does to the state behind it.
    pub(super) fn builtin(&mut self, name: &str, argv: &[Arg], span: Span) {
        let words = &argv[1..];
        let leaves = leaves_by(words);
        if matches!(name, "shift" | "return" | "break" | "continue" | "exit" | "logout") && !leaves
        {
            self.may_give_up();
        }
        match name {
            "cd" => self.change_directory(words),
            // The directories that it keeps are not followed.
            "pushd" | "popd" => match words {
                [Arg::Known(to)] if name == "pushd" && !to.starts_with(['-', '+']) => {
                    self.change_directory(words);
                }
                _ => self.move_to(vec![None]),
            },
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(name, words, span);
            }
            "unset" => self.unset(words, span),
            "wait" => self.wait(words, span),
            "read" | "mapfile" | "readarray" | "getopts" => self.read_variables(name, words, span),
            "printf" => self.printf(words, span),
            "let" => {
                for word in words {
                    match word {
                        Arg::Known(text) => self.let_expression(text, span),
                        _ => self.opaque(Reason::DynamicCode, span),
                    }
                }
            }
            "test" | "[" => self.test_builtin(words, span),
            "set" => self.set_builtin(words, span),
            "shopt" => self.shopt(words, span),
            "setopt" | "unsetopt" => self.set_named_options(name, words),
            "shift" => self.state.positional = None,
            "return" | "break" | "continue" => {
                if !self.state.dead {
                    self.jumps.push(self.state.clone());
                }
                // Where there is nothing to leave, the next command runs.
                let is_inside = match name {
                    "return" => self.calls.len() > self.outer_calls || self.sourced > 0,
                    _ => self.loops > 0,
                };
                self.state.dead |= is_inside && leaves;
            }
            // Only a login shell knows `logout`.
            "exit" | "logout" => {
                self.may_exit(self.state.clone());
                self.state.dead |= name == "exit" && leaves;
            }
            "compgen" => self.compgen(words, span),
            "alias" => {
                for word in words {
                    match word.prefix().split_once('=') {
                        // A reserved word is not looked up when a command is.
                        Some((alias, _)) if is_reserved(alias) => {
                            self.opaque(Reason::ShadowedName, span);
                        }
                        Some((alias, _)) => self.state.shadow(alias),
                        None if word.known().is_none() => self.state.shadow("*"),
                        None => {}
                    }
                }
            }
            "hash" | "enable" => {
                if name == "enable" && gives(words, "f") {
                    self.opaque(Reason::DynamicCode, span);
                }
                if words.iter().any(|word| {
                    let text = word.prefix();
                    word.known().is_none()
                        || (text.starts_with('-') && text.contains(['p', 'f', 'n', 'd']))
                }) {
                    for word in words {
                        match word.known() {
                            Some(word) if !word.starts_with('-') => self.state.shadow(word),
                            Some(_) => {}
                            None => self.state.shadow("*"),
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Goes to one of these directories, or stays where it is if that fails.
    fn move_to(&mut self, directories: Vec<Option<String>>) {
        self.state.journal.note(|changes| changes.directory = true);
        let directories = self.led(directories);
        let directories = std::mem::replace(&mut self.state.directories, directories);
        let previous = std::mem::replace(&mut self.state.previous, directories.clone());
        self.left = Some([directories, previous]);
        for name in ["PWD", "OLDPWD"] {
            if self.state.variable(name).is_some() {
                self.state.set(name, Value::Unknown);
            }
        }
    }

    fn change_directory(&mut self, words: &[Arg]) {
        let mut operands = words
            .iter()
            .filter(|word| !matches!(word.known(), Some("-P" | "-L" | "-e" | "-@" | "--")));
        let operand = operands.next();
        let begin = self.facts.cwd.as_ref().map_or(0, String::len);
        let directories = match operand {
            _ if gives(words, "P") && self.makes_links() => vec![None],
            None => vec![self.text_of("HOME").or_else(|| self.own_home())],
            // bash refuses a second word; zsh puts it into the path.
            _ if operands.next().is_some() => vec![None],
            Some(Arg::Known(to)) if to == "-" => self.previous(),
            // zsh has numbers for where it was.
            Some(Arg::Known(to)) if to.starts_with(['-', '+']) => vec![None],
            Some(Arg::Known(to)) if self.searches_for(to) => vec![None],
            // A pattern stands for one directory of those that it fits.
            Some(Arg::Known(to) | Arg::Glob(to)) => {
                let from = self.state.directories.iter();
                let mut entered: Vec<_> = from
                    .map(|from| paths::below(from.as_deref(), to))
                    .map(|it| it.filter(|it| it.len() <= begin + to.len() + LONGER))
                    .collect();
                // What a command printed may be nothing, and `cd ''` stays where it is.
                if is_listed(to)
                    || (operand.is_some_and(|it| it.known().is_none())
                        && !to.contains(['*', '?', '[']))
                {
                    let here = self.state.directories.iter().filter(|it| !entered.contains(it));
                    entered.extend(here.cloned().collect::<Vec<_>>());
                }
                entered
            }
            Some(Arg::Prefix(_) | Arg::Unknown | Arg::Many) => vec![None],
        };
        self.move_to(directories);
    }

    /// Returns whether the line makes links, so that a directory is not where its name says.
    pub(super) fn makes_links(&self) -> bool {
        let mut commands = self.plan.commands.iter();
        commands
            .any(|command| matches!(command.program(), Some("ln" | "cp" | "mv" | "tar" | "rsync")))
    }

    /// Returns where `cd -` goes, or where this is if it goes nowhere.
    fn previous(&self) -> Vec<Option<String>> {
        if !self.state.is_inherited("OLDPWD") {
            vec![None]
        } else if self.state.previous.is_empty() {
            self.state.directories.clone()
        } else {
            self.state.previous.clone()
        }
    }

    /// Returns whether `cd` looks for a directory in those that `CDPATH` lists, which it does unless the name is a path already.
    pub(super) fn searches_for(&self, to: &str) -> bool {
        let first = to.split('/').next();
        let listed = match self.lookup("CDPATH") {
            Value::Word(Arg::Known(list)) => !list.is_empty(),
            Value::Word(_) | Value::Pattern(_) | Value::Printed(_) | Value::Array(_) => true,
            // Not set, or only perhaps by the owner's own start-up files.
            Value::Unset => false,
            _ => !self.state.is_inherited("CDPATH"),
        };
        listed && !to.is_empty() && !matches!(first, Some("" | "." | ".."))
    }

    /// `wait -p NAME` sets the variable to the process that ended.
    fn wait(&mut self, words: &[Arg], span: Span) {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let option = word.known().and_then(|text| text.strip_prefix('-')?.split_once('p'));
            let named = match option {
                Some((_, "")) => words.next().cloned(),
                option => option.map(|(_, name)| Arg::Known(name.to_owned())),
            };
            if let Some(word) = named {
                self.set_by_name(&word, span);
            }
        }
    }

    /// Sets the variable or the element that a word names to what is not known.
    fn set_by_name(&mut self, word: &Arg, span: Span) {
        match word {
            Arg::Known(name) => {
                self.evaluated_name(name, span);
                self.told(name, span);
                self.set_part(name, Value::Unknown);
            }
            _ => self.may_set_any(span),
        }
    }

    /// Notes that a variable is set of which not even the name is known.
    pub(super) fn may_set_any(&mut self, span: Span) {
        self.state.taint();
        self.opaque(Reason::DynamicCode, span);
    }

    /// Notes that a variable is set by something else than an assignment. What that means of those that say what runs is not followed.
    pub(super) fn told(&mut self, name: &str, span: Span) {
        let name = name.split('[').next().unwrap_or(name);
        if meaning(name, &Arg::Unknown) != Meaning::Inert {
            self.opaque(Reason::DynamicCode, span);
        }
        self.counted(name, &Value::Unknown, span);
    }

    /// Text that is taken for the name of a variable or an element: what its subscript names is evaluated too.
    pub(super) fn evaluated_name(&mut self, text: &str, span: Span) {
        self.evaluated(text, span);
        if let Some((_, subscript)) = text.split_once('[') {
            self.evaluated_variables(subscript, span);
        }
    }

    /// Sets a variable; of one that names an element (`a[1]`), the whole is not known then.
    pub(super) fn set_part(&mut self, name: &str, value: Value) {
        match name.split_once('[') {
            Some((array, _)) => {
                self.state.stays_array(array);
                self.state.set(array, Value::Unknown);
            }
            None => self.state.set(name, value),
        }
    }

    /// `compgen` expands its list of words and calls its function now.
    fn compgen(&mut self, words: &[Arg], span: Span) {
        for pair in words.windows(2) {
            match (pair[0].known(), &pair[1]) {
                (Some("-W"), Arg::Known(list)) => self.evaluated(&list.clone(), span),
                (Some("-F"), Arg::Known(name)) => {
                    if let Some(bodies) = self.state.functions(name).cloned() {
                        let argv = [Arg::Known(name.clone()), Arg::Many];
                        self.call(name, &bodies, &argv, span);
                    }
                }
                (Some("-W" | "-F"), _) => self.opaque(Reason::DynamicCode, span),
                _ => {}
            }
        }
        let is_joined =
            |text: &str| text.len() > 2 && (text.starts_with("-W") || text.starts_with("-F"));
        if words.iter().any(|word| word.known().is_none_or(is_joined)) {
            self.opaque(Reason::DynamicCode, span);
        }
    }

    fn read_variables(&mut self, name: &str, words: &[Arg], span: Span) {
        let index = self.plan.commands.len() - 1;
        // Behind the name stands what zsh asks with: `read 'x?Name: '`.
        let asked: Vec<Arg>;
        let words = if self.dialect == Dialect::Zsh && name == "read" {
            let name = |word: &Arg| match word.known().and_then(|text| text.split_once('?')) {
                Some((name, _)) => Arg::Known(name.to_owned()),
                None => word.clone(),
            };
            asked = words.iter().map(name).collect();
            &asked
        } else {
            words
        };
        let input = self.input.text().filter(|_| name == "read");
        let input = input.and_then(|text| text.split('\n').next()).map(str::to_owned);
        let mut names = Vec::new();
        for word in words {
            match word {
                Arg::Known(text) if is_name(text) => names.push(text.clone()),
                Arg::Known(text) => {
                    self.evaluated(&text.clone(), span);
                    if !text.starts_with('-') {
                        self.told(text, span);
                        self.set_part(text, Value::Unknown);
                    }
                }
                _ => self.may_set_any(span),
            }
        }
        for name in &names {
            self.state.set_origin(name, index);
            self.told(name, span);
        }
        let makes_array = name != "read" || gives(words, "a");
        if makes_array && name != "getopts" {
            // A value that is assigned later is its first element.
            for array in names.iter().map(String::as_str).chain(["MAPFILE"]) {
                self.state.mark(array, Special::Changed);
            }
        }
        let listed = self.names.clone().filter(|_| name == "read" && names.len() == 1);
        if let Some(listed) = listed {
            self.state.set(&names[0], Value::printed(listed));
            return;
        }
        // `read x` alone takes the line; with several names or options, or none, it is not told apart.
        let is_plain = match words {
            [_] => true,
            [option, _] => option.known() == Some("-r"),
            _ => false,
        };
        let environment = &self.plan.commands[index].environment;
        let splits = self.text_of("IFS").as_deref() == Some(" \t\n")
            && !environment.iter().any(|(name, _)| name == "IFS");
        let text = input.filter(|text| is_plain && splits && !text.contains('\\'));
        let value = match (names.as_slice(), text) {
            ([_], Some(text)) => Value::text(text.trim_matches([' ', '\t'])),
            _ => Value::Unknown,
        };
        for name in &names {
            self.state.set(name, value.clone());
        }
        for name in ["REPLY", "MAPFILE", "OPTARG"] {
            self.state.set(name, Value::Unknown);
        }
        if name == "getopts" {
            self.state.set("OPTIND", Value::Number);
        }
    }

    fn printf(&mut self, words: &[Arg], span: Span) {
        match words {
            [option, word, ..] if option.prefix() == "-v" => self.set_by_name(word, span),
            [word, ..] => {
                if let Some(name) = word.prefix().strip_prefix("-v").filter(|it| !it.is_empty()) {
                    self.set_by_name(&Arg::Known(name.to_owned()), span);
                }
            }
            [] => {}
        }
    }

    fn let_expression(&mut self, text: &str, span: Span) {
        self.evaluated(text, span);
        self.evaluated_variables(text, span);
        self.assign_in(text);
    }

    /// `test -v NAME` evaluates the subscript of NAME.
    fn test_builtin(&mut self, words: &[Arg], span: Span) {
        for pair in words.windows(2) {
            if matches!(pair[0].known(), Some("-v" | "-R")) {
                match &pair[1] {
                    Arg::Known(text) => self.evaluated_name(text, span),
                    _ => self.opaque(Reason::DynamicCode, span),
                }
            }
        }
    }

    /// `shopt`: options that change how words are read (bash manual, 4.3.2).
    fn shopt(&mut self, words: &[Arg], span: Span) {
        let (on, off, of_set) = (gives(words, "s"), gives(words, "u"), gives(words, "o"));
        for word in words.iter().filter(|_| on || off) {
            match word.known() {
                Some(option) if option.starts_with('-') => {}
                Some("errexit" | "nounset" | "xtrace" | "allexport") if !of_set => {}
                Some("errexit") if on => {}
                Some(option) if self.state.switch(option, on) => {}
                _ => self.opaque(Reason::DynamicCode, span),
            }
        }
    }

    fn set_builtin(&mut self, words: &[Arg], span: Span) {
        if words.iter().any(|word| word.known().is_none()) {
            self.state.perhaps_exported("*");
        }
        let mut rest = words;
        while let [word, behind @ ..] = rest {
            let Some(text) = word.known() else {
                self.state.positional = None;
                (self.state.errexit, self.state.nounset) = (false, true);
                return;
            };
            if matches!(text, "--" | "-") {
                if text == "--" || !behind.is_empty() {
                    self.set_words(behind);
                }
                return;
            }
            let Some(letters) = text.strip_prefix(['-', '+']) else {
                self.set_words(rest);
                return;
            };
            rest = behind;
            let on = text.starts_with('-');
            for letter in letters.chars() {
                let named = match (letter, on) {
                    // `-o NAME`, which may stand behind others: `set -euo pipefail`.
                    ('o', _) => {
                        let name = rest.first().and_then(Arg::known);
                        rest = rest.get(1..).unwrap_or_default();
                        name
                    }
                    ('a', _) => Some("allexport"),
                    ('e', _) => Some("errexit"),
                    ('u', _) => Some("nounset"),
                    ('x', _) => Some("xtrace"),
                    ('E' | 'T', _) => Some("errtrace"),
                    ('B', false) => Some("braceexpand"),
                    ('k', true) => Some("keyword"),
                    ('H', true) => Some("histexpand"),
                    ('P', true) => Some("physical"),
                    _ if "bfhkmnptvBCHP".contains(letter) => continue,
                    _ => None,
                };
                match named {
                    Some(option) if self.state.switch(option, on) => {}
                    Some(_) => self.opaque(Reason::DynamicCode, span),
                    // Of an option that is not known, or that there is not, none is set.
                    None => self.state.errexit = false,
                }
            }
        }
    }

    fn set_words(&mut self, words: &[Arg]) {
        self.state.positional = Some(words).filter(|words| !are_large(words)).map(Rc::from);
    }
}

/// Whether a word is a group of short options that holds this one, or may be.
pub(super) fn is_short(word: &Arg, letter: char) -> bool {
    match word {
        Arg::Known(text) => {
            text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
        }
        word => word.prefix().is_empty() || word.prefix().starts_with('-'),
    }
}

/// Returns whether one of these short options is among the words, or may be.
pub(super) fn gives(words: &[Arg], letters: &str) -> bool {
    words.iter().any(|word| letters.chars().any(|letter| is_short(word, letter)))
}

/// Returns whether a builtin is one whose assignments stay behind it where POSIX is followed (POSIX 2.14).
pub(super) fn is_special(name: &str) -> bool {
    table::SPECIAL.contains(&name)
}

/// Returns whether `exit`, `return`, `break` or `continue` leaves with these words: with more than one, or an option, it says so and stays.
fn leaves_by(words: &[Arg]) -> bool {
    match words {
        [] => true,
        [word] => word.known().is_some_and(|text| !text.starts_with('-')),
        _ => false,
    }
}
