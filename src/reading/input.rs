//! Standard input: where a command's comes from, who gets it, and what runs that stands there.

use super::builtins::is_builtin;
use super::carry::{Carrier, SHELLS};
use super::expand::PROCESS;
use super::scripts::{Program, Start};
use super::walk::Walker;
use crate::catalog::Interpretation;
use crate::embedded;
use crate::model::{Arg, EffectKind, Language, ProgramTrait, Reason, Span, StandardInput};
use crate::paths;
use crate::syntax::{
    Command, CommandKind, Descriptor, PartKind, Redirect, RedirectOperator, Statement, Word,
};

/// Where the standard input of what is being planned comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// It is exactly this text; the empty one is nothing, however often it is read.
    Text(String),
    /// It is this file, from its beginning.
    File(String),
    /// It is what is left of the script that the shell around reads from there.
    Rest,
    /// Text that is not known and holds the secret of this variable.
    Secret(String),
    /// From a command, or text that is not known.
    Unknown,
}

impl Input {
    /// Whatever reads it finds its end.
    pub(super) const fn nothing() -> Self {
        Self::Text(String::new())
    }

    /// Returns what a shell has from the one that calls it.
    pub(super) const fn given(input: StandardInput) -> Self {
        match input {
            StandardInput::Nothing => Self::nothing(),
            StandardInput::Unknown => Self::Unknown,
        }
    }

    /// Returns whether there is surely nothing to read.
    pub(super) const fn is_nothing(&self) -> bool {
        matches!(self, Self::Text(text) if text.is_empty())
    }

    /// Returns whether a command that reads from it leaves less of it.
    pub(super) const fn is_used_up(&self) -> bool {
        matches!(self, Self::Text(_) | Self::File(_)) && !self.is_nothing()
    }

    /// Returns the text, if it is known by the line alone.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::File(_) | Self::Rest | Self::Secret(_) | Self::Unknown => None,
        }
    }
}

/// Whether a redirection may give a command another standard input, one that cannot be read included.
pub(super) fn takes_input(redirect: &Redirect) -> bool {
    use RedirectOperator as Operator;
    if duplicates(redirect) && redirect.target.literal().as_deref() == Some("0") {
        // It stays what it is.
        return matches!(redirect.descriptor, Descriptor::Variable(_));
    }
    match redirect.descriptor {
        Descriptor::Default => !matches!(
            redirect.operator,
            Operator::Output
                | Operator::Clobber
                | Operator::OutputAndError
                | Operator::Append
                | Operator::AppendAndError
                | Operator::DuplicateOutput
        ),
        Descriptor::Number(number) => number == 0,
        // A number that the shell chooses is 10 or more, but `{name}<&-` closes the one that the variable holds.
        Descriptor::Variable(_) => {
            matches!(redirect.operator, Operator::DuplicateInput | Operator::DuplicateOutput)
        }
    }
}

const fn duplicates(redirect: &Redirect) -> bool {
    matches!(
        redirect.operator,
        RedirectOperator::DuplicateInput | RedirectOperator::DuplicateOutput
    )
}

/// Whether what a redirection opens may be what another name stands for, too: a descriptor, or a file that is not known.
fn may_share(redirect: &Redirect) -> bool {
    match redirect.operator {
        RedirectOperator::HereDocument
        | RedirectOperator::HereDocumentTabs
        | RedirectOperator::HereString => false,
        _ if duplicates(redirect) => redirect.target.literal().as_deref() != Some("-"),
        _ => !matches!(
            redirect.target.parts.as_slice(),
            [part] if matches!(part.kind, PartKind::ProcessInput(_))
        ),
    }
}

/// Returns whether the redirections of a command with these words stay behind it: those of `exec`.
pub(super) fn keeps_redirections(argv: &[Arg]) -> bool {
    let mut words = argv.iter().map(Arg::known);
    let first = words.find(|word| !matches!(word, Some("command" | "builtin")));
    matches!(first, Some(None | Some("exec")))
}

impl Walker<'_> {
    /// Returns whether what a command with these redirections, which were just made, reads may be missing behind it.
    pub(super) fn shares_input(&self, redirects: &[Redirect]) -> bool {
        matches!(self.input, Input::Secret(_) | Input::Unknown)
            && redirects.iter().any(|redirect| takes_input(redirect) && may_share(redirect))
    }

    /// Notes that a redirection gives what is read from standard input another name, by which a script could be cut short that is read
    /// from there.
    pub(super) fn names_input(&mut self, redirect: &Redirect, target: &Arg) {
        let is_name = match target.known() {
            Some("0") => duplicates(redirect) && redirect.descriptor != Descriptor::Number(0),
            Some(path) => {
                path == "/dev/stdin"
                    || path.starts_with("/dev/fd/") && path != PROCESS
                    || path.starts_with("/proc/") && path.contains("/fd/")
            }
            None => false,
        };
        if is_name && self.input == Input::Rest {
            self.opaque(Reason::UnreadInput, redirect.span);
        }
    }

    /// Returns what is there to read where something may read at any time.
    pub(super) fn unless_read(&self, input: Input) -> Input {
        let is_read = input.is_used_up() && self.state.journal.reads();
        if is_read { Input::Unknown } else { input }
    }

    /// Returns what is left of standard input behind a command that had another: all, unless it stood for the same.
    pub(super) fn left_of(&self, outer: Input, shares: bool) -> Input {
        if shares && outer.is_used_up() { Input::Unknown } else { self.unless_read(outer) }
    }

    /// Returns what a file is as standard input.
    pub(super) fn input_of_file(&self, file: &Arg) -> Input {
        let place = self.state.directories.first().and_then(Option::as_deref).unwrap_or("/");
        let path = file.known().filter(|name| !name.is_empty());
        if path.is_some_and(|name| paths::absolute(place, name) == "/dev/null")
            && self.place == crate::catalog::Place::Here
            && (self.state.directories.len() == 1 || file.prefix().starts_with('/'))
        {
            return Input::nothing();
        }
        self.script_path(file, "").map_or(Input::Unknown, Input::File)
    }

    /// Behind a pipe, zsh reads the pipe and what is redirected, one after the other (zsh manual, MULTIOS).
    pub(super) fn join_pipe(&mut self, is_piped: bool, redirects: &[Redirect]) {
        if is_piped && redirects.iter().any(takes_input) {
            self.input = Input::Unknown;
        }
    }

    /// Returns what a command prints, as the standard input of another.
    pub(super) fn input_of_output(&mut self, command: &Command) -> Input {
        if let Some(text) = super::substitution::output(command, self) {
            return self.unless_read(Input::Text(text));
        }
        let file = super::substitution::shown_file(command, self);
        file.map_or(Input::Unknown, |file| match self.input_of_file(&Arg::Known(file)) {
            Input::File(path) => self.unless_read(Input::File(path)),
            _ => Input::Unknown,
        })
    }

    /// Returns what comes on the standard input of what command `index` starts.
    pub(super) fn passed_on(&self, index: usize, program: &str) -> Input {
        let carrier = &self.plan.commands[index].interpretation;
        // What it reads from standard input is no longer there for others (GNU findutils manual, `xargs`).
        if carrier.is(ProgramTrait::TakesWords) {
            return Input::nothing();
        }
        // The first of many leaves nothing for the others.
        let is_gone = carrier.is(ProgramTrait::RunsForEach) && self.input.is_used_up();
        let passes = is_builtin(program) || SHELLS.contains(&program) || carrier.passes_input;
        if passes && !is_gone { self.input.clone() } else { Input::Unknown }
    }

    /// Returns whether command `index` has one of these options.
    pub(super) fn gives(&self, index: usize, spellings: &[&str]) -> bool {
        self.plan.commands[index].interpretation.gives(spellings)
    }

    /// The names that a list on standard input may hold where nothing is there. None comes; but what is done with them counts as if
    /// one did, since whoever writes such a line expects some.
    pub(super) fn names_of_nothing() -> Arg {
        Arg::Glob("./**/[!.]*".to_owned())
    }

    /// What comes on standard input where it is names of files below a known directory.
    pub(super) fn names_from_input(&self, index: usize) -> Option<Arg> {
        if !self.plan.commands[index].interpretation.is(ProgramTrait::TakesWords) {
            return None;
        }
        if self.input.is_nothing() {
            return Some(Self::names_of_nothing());
        }
        // It was told to take its input apart in another way than at blanks.
        if self.gives(index, &["-d", "--delimiter", "-E", "-e"]) {
            return None;
        }
        if let Some(text) = self.input.text() {
            let at_nul = self.gives(index, &["-0", "--null"]);
            let words: Vec<&str> = if at_nul {
                text.split_terminator('\0').collect()
            } else if self.replaced_string(index).is_some() {
                // Each line is one, without the blanks in front; that of nothing else is none.
                let lines = text.split('\n').map(|line| line.trim_start_matches([' ', '\t']));
                lines.filter(|line| !line.is_empty()).collect()
            } else {
                // No other character divides words (POSIX, `xargs`).
                text.split([' ', '\t', '\n']).filter(|word| !word.is_empty()).collect()
            };
            // What becomes of other blanks is its own.
            let has_blanks = text.contains(['\r', '\x0b', '\x0c']);
            if let [one] = words.as_slice()
                && (at_nul || !has_blanks)
                && (at_nul || !one.contains(['\'', '"', '\\', '\0']))
            {
                return Some(Arg::Known((*one).to_owned()));
            }
        }
        self.names.clone()
    }

    /// Says of command `index` that it reads the files which a list names, or code in C, or its standard input as one of them.
    pub(super) fn read_named(
        &mut self,
        index: usize,
        language: Language,
        file: Option<&Arg>,
        span: Span,
    ) {
        const STREAMS: &[&str] = &["-", "/dev/stdin", "/dev/fd/0"];
        let file = file.filter(|file| !file.known().is_some_and(|name| STREAMS.contains(&name)));
        let input = match file {
            Some(file) => self.input_of_file(file),
            None => self.input.clone(),
        };
        let names = match (input, &self.names, language) {
            (Input::Text(text), _, Language::C) => embedded::included(&text),
            (Input::File(path), _, Language::C) => vec![Arg::Known(path)],
            (Input::Text(text), ..) => embedded::listed(&text),
            (Input::File(path), ..) => match self.open_script(&path, index, span) {
                Some(text) => embedded::listed(&text),
                None => vec![Arg::Unknown],
            },
            (_, Some(names), _) if file.is_none() => vec![names.clone()],
            (Input::Rest | Input::Secret(_) | Input::Unknown, ..) => vec![Arg::Unknown],
        };
        let effects = self.effects_of(index, EffectKind::Read, names);
        self.plan.commands[index].effects.extend(effects);
    }

    /// Returns the variables that `while read NAME…` sets, where there is nothing to read and its body never runs.
    pub(super) fn loops_over_nothing(&self, condition: &[Statement]) -> Option<Vec<String>> {
        let [Statement { first, rest, background: false, .. }] = condition else { return None };
        let ([command], true) = (first.commands.as_slice(), rest.is_empty()) else { return None };
        let CommandKind::Simple(simple) = &command.kind else { return None };
        if !self.input.is_nothing() || first.negated || !command.redirects.is_empty() {
            return None;
        }
        let words: Option<Vec<String>> = simple.words.iter().map(Word::literal).collect();
        let words = words?;
        let (name, mut words) = words.split_first()?;
        if name != "read" || !self.state.is_free(name) {
            return None;
        }
        while let Some((option, rest)) =
            words.split_first().filter(|(word, _)| word.starts_with('-'))
        {
            // Others read elsewhere, or succeed without reading.
            words = match option.as_str() {
                "-r" | "-s" | "-e" | "-rs" | "-er" => rest,
                "-d" | "-rd" | "-p" | "-rp" => rest.get(1..)?,
                _ => return None,
            };
        }
        if words.is_empty() {
            return Some(vec!["REPLY".to_owned()]);
        }
        words.iter().all(|word| super::evaluate::is_name(word)).then(|| words.to_vec())
    }

    /// Whether a command takes from standard input what the shell around it would go on reading as its script.
    pub(super) fn takes_from_script(&self, argv: &[Arg], interpretation: &Interpretation) -> bool {
        if self.input != Input::Rest {
            return false;
        }
        let mut words = argv[1..].iter().map(Arg::prefix);
        if words.any(|word| matches!(word, "-" | "@-" | "/dev/stdin") || word.contains("=-")) {
            return true;
        }
        if interpretation.program == "git" {
            let takes = |option: &String| option.contains("stdin") || option.contains("batch");
            let mut options = interpretation.options.iter().flat_map(|option| &option.spellings);
            return options.any(takes) || interpretation.reads_input;
        }
        let edits = interpretation.program == "sed";
        let reads_file = interpretation.touches.iter().any(|touch| {
            touch.kind == EffectKind::Read || edits && touch.kind == EffectKind::Write
        });
        interpretation.reads_input && !reads_file
    }

    /// Plans what a program runs that it reads from standard input: `bash`, `bash -s`, `source /dev/stdin`.
    pub(super) fn standard_input(&mut self, file: Option<&Arg>, start: Start<'_>) {
        let input = self.input.clone();
        let runs_here = is_builtin(start.by.program);
        let rest = match start.language {
            Language::Shell if !runs_here => Input::Rest,
            _ => Input::Unknown,
        };
        self.run_input(&input, file, start, Some(rest));
    }

    /// Plans what a program runs that it reads from a `<(…)`.
    pub(super) fn process_substitution(&mut self, file: &Arg, start: Start<'_>) {
        let input = self.process.clone();
        self.run_input(&input, Some(file), start, None);
    }

    /// Plans what a program runs that it reads from an input; `rest` is what is left on standard input then, if that is another.
    fn run_input(
        &mut self,
        input: &Input,
        file: Option<&Arg>,
        start: Start<'_>,
        rest: Option<Input>,
    ) {
        let Start { by, language, .. } = start;
        let Carrier { index, program, span, .. } = by;
        if input.is_nothing() {
            return;
        }
        let (text, path) = match input {
            Input::Text(text) => (Some(text.clone()), None),
            Input::File(path) => (self.open_script(path, index, span), Some(path)),
            Input::Rest | Input::Secret(_) | Input::Unknown => (None, None),
        };
        // A file that was read is a script like any other.
        self.plan.commands[index].runs_input = text.is_none();
        let Some(text) = text else {
            self.unread(Reason::UnreadInput, by);
            if is_builtin(program) {
                self.state.taint();
            }
            return;
        };
        self.input = rest.unwrap_or_else(|| self.input.clone());
        self.following.extend(path.cloned());
        match file {
            Some(file) if is_builtin(program) => self.run_text(file, &text, start),
            _ => {
                let given = Program { text: &text, language, file: None };
                self.code(given, by);
            }
        }
        if path.is_some() {
            self.following.pop();
        }
    }
}
