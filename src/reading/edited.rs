//! Editors, ssh and the like that variables and settings give to a program: what it puts behind their words, and what an editor may make
//! of the files that git opens in it.

use std::ops::Range;

use super::appended::shell_argv;
use super::hooked::makes;
use super::input::Input;
use super::scripts::changes;
use super::simple::Around;
use super::walk::Walker;
use crate::catalog::{GivenOption, Interpretation};
use crate::model::{Arg, Effect, EffectKind, PathClass, Reason, Span, Target};
use crate::paths::absolute;
use crate::syntax::Dialect;
use crate::{embedded, variables};

/// What stands in this file is done by a rebase, which can run programs.
const TODO: &str = "rebase-merge/git-rebase-todo";

/// One change of several, where each is asked about.
const HUNK: &str = "addp-hunk-edit.diff";

/// A file that is opened in an editor.
struct Opened {
    /// The word that the editor gets.
    file: Arg,
    /// Whether it may be the list of a rebase.
    is_list: bool,
}

/// What is put behind the words of a line, and what that finds on standard input.
pub(super) struct Behind {
    pub(super) words: Arg,
    pub(super) input: Input,
}

impl Walker<'_> {
    /// Plans the command line that variable `name` gives to command `index`, or to those behind it, with the words that they put behind.
    pub(super) fn handed(&mut self, index: usize, name: &str, value: &Arg, span: Span) {
        let Arg::Known(text) = value else {
            self.opaque(Reason::DynamicCode, span);
            return;
        };
        // Neither is run (git-var(1)); blanks would be, with the file as the program.
        if matches!(text.as_str(), "" | ":") {
            return;
        }
        let is_harmless = variables::is_harmless(name, value);
        let Some(files) = self.opened(index, name) else {
            if is_harmless || is_at_home(text) {
                self.plan_own_words(index, name, text, Arg::Many);
            } else {
                // Of those that get it later, one may open the list of a rebase.
                let is_list = EDITORS.contains(&name);
                let opened = Opened { file: Arg::Many, is_list };
                self.plan_editor(index, name, text, opened, span);
            }
            return;
        };
        for opened in files {
            // Without anything to read, such an editor has nothing to do.
            if is_harmless && self.input.is_nothing() {
                self.plan_own_words(index, name, text, opened.file);
            } else {
                self.plan_editor(index, name, text, opened, span);
            }
        }
    }

    /// Plans an editor with the file that it gets.
    fn plan_editor(&mut self, index: usize, name: &str, text: &str, opened: Opened, span: Span) {
        let Opened { file, is_list } = opened;
        let first = self.plan.commands.len();
        let input = if file == Arg::Many { Input::Unknown } else { self.input.clone() };
        let behind = Behind { words: file.clone(), input };
        self.appended(index, name, text, behind, span);
        if is_list && !self.only_turns_picks(first, file.known()) {
            // What stands there then is run.
            self.plan.commands[index].does(EffectKind::Execute, Target::ANYWHERE);
        }
    }

    /// Plans the editor that a setting on git's own command line names, where word `at` of it holds that. Returns whether it was one.
    pub(super) fn editor_set(
        &mut self,
        index: usize,
        setting: &Arg,
        at: usize,
        span: Span,
    ) -> bool {
        let Some((name, value)) = setting.known().and_then(editor) else { return false };
        let command = &self.plan.commands[index];
        if command.interpretation.program != "git" || command.interpretation.options.len() > OPTIONS
        {
            return false;
        }
        // Of several, the last counts.
        let last = settings(&command.interpretation, &command.argv).rfind(|(own, _)| *own == name);
        if last.is_none_or(|(_, words)| words.contains(&at)) {
            self.handed(index, name, &Arg::Known(value.to_owned()), span);
        }
        true
    }

    /// Whether what command `index` of git finds on standard input is no editor's, or that of one that the line gives it, which was looked
    /// at: the owner has others of which only the first variable comes before all (git-var(1)).
    pub(super) fn leaves_input(&self, index: usize) -> bool {
        let command = &self.plan.commands[index];
        let interpretation = &command.interpretation;
        if interpretation.program != "git" {
            return false;
        }
        let gives = |name: &str| command.environment.iter().any(|(own, _)| own == name);
        let opens_list = interpretation.edits.iter().any(|file| file == TODO)
            && interpretation.gives(OPEN_THE_LIST);
        let is_given = gives("GIT_EDITOR") && (!opens_list || gives(SEQUENCE));
        let has_text = interpretation.gives(&["-m", "--message", "-F", "--file"])
            && !interpretation.gives(&["-e", "--edit"]);
        is_given || has_text
    }

    /// Returns the files that command `index` opens in the editor that variable `name` gives. None: it is not known which they are.
    fn opened(&self, index: usize, name: &str) -> Option<Vec<Opened>> {
        let command = &self.plan.commands[index];
        let interpretation = &command.interpretation;
        if interpretation.edits.is_empty() || !EDITORS.contains(&name) {
            return None;
        }
        let mut settings = settings(interpretation, &command.argv);
        let has_another = command.environment.iter().any(|(name, _)| name == SEQUENCE)
            || settings.any(|(name, _)| name == SEQUENCE);
        let is_opened = |file: &&String| match (name == SEQUENCE, file.as_str()) {
            (is_sequence, TODO) => {
                interpretation.gives(OPEN_THE_LIST) && (is_sequence || !has_another)
            }
            (false, HUNK) => interpretation.gives(&["-p", "--interactive"]),
            (is_sequence, _) => !is_sequence,
        };
        let names: Vec<&String> = interpretation.edits.iter().filter(is_opened).collect();
        // Files are looked at for it.
        let repository = (!names.is_empty()).then(|| self.repository(index)).flatten();
        let elsewhere = ["--global", "--system", "--worktree", "-f", "--file", "--blob"];
        let file = |file: &String| match &repository {
            Some(repository) if file != "config" => {
                Arg::Known(absolute(&repository.directory, file))
            }
            Some(repository) if !interpretation.gives(&elsewhere) => {
                Arg::Known(absolute(&repository.common, file))
            }
            _ => Arg::Unknown,
        };
        let opened = |name: &String| Opened { file: file(name), is_list: name == TODO };
        Some(names.into_iter().map(opened).collect())
    }

    /// Plans a command line whose own words say all that it does by itself: what it does to those behind them is a person's doing, or
    /// nothing.
    fn plan_own_words(&mut self, index: usize, name: &str, text: &str, behind: Arg) {
        let span = self.plan.commands[index].span;
        let words = shell_words::split(text).unwrap_or_default();
        if words.len() > 1 {
            let argv = shell_argv(&format!("{text} \"$@\""), text, behind.clone());
            self.plan_as_it_is(index, name, argv);
        }
        if variables::is_harmless(name, &Arg::Known(text.to_owned())) {
            let argv = words.into_iter().map(Arg::Known).chain([behind]).collect();
            self.plan_as_it_is(index, name, argv);
            return;
        }
        let first = self.plan.commands.len();
        self.line_given(index, name, text, span);
        if let Some(command) = self.plan.commands.get_mut(first) {
            command.argv.push(behind);
        }
    }

    /// Plans a command of which no more is said than its words.
    fn plan_as_it_is(&mut self, index: usize, name: &str, argv: Vec<Arg>) {
        let span = self.plan.commands[index].span;
        let program = argv.first().and_then(Arg::known).unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or(program).to_owned();
        let interpretation = Interpretation { program, ..Interpretation::default() };
        self.carried_by(index, name, |walker| {
            walker.deeper(span, |walker| {
                walker.push(argv, interpretation, Around { span, ..Around::default() });
            });
        });
    }

    /// Plans a command line that a variable gives to programs.
    pub(super) fn line_given(&mut self, index: usize, name: &str, text: &str, span: Span) {
        let dialect = std::mem::replace(&mut self.dialect, Dialect::Posix);
        let input = std::mem::replace(&mut self.input, Input::Unknown);
        self.carried_by(index, name, |walker| {
            walker.subshell(|walker| walker.shell_text(text, span));
        });
        (self.dialect, self.input) = (dialect, input);
    }

    /// Returns whether the list of a rebase, which commands from `first` on get, holds nothing but what runs no program when they are
    /// done; if so, this is said of what they do to it.
    fn only_turns_picks(&mut self, first: usize, list: Option<&str>) -> bool {
        let is_beside = |path: &str| list.is_some_and(|list| path.starts_with(list));
        let is_on_list = |effect: &Effect| match (effect.path(), list) {
            (Some(path), _) if is_beside(path) => true,
            (_, Some(list)) => changes(effect, list),
            (path, None) => path.is_none() && effect.target.class().is_some(),
        };
        let mut only_turns = true;
        for command in self.plan.commands.iter_mut().skip(first) {
            let changes_it = |effect: &&mut Effect| makes(effect.kind) && is_on_list(effect);
            let turns = turns_picks(&command.interpretation, &command.argv);
            for effect in command.effects.iter_mut().filter(changes_it) {
                only_turns &= turns;
                match &mut effect.target {
                    Target::Path { path: Some(path), class } if turns && is_beside(path) => {
                        *class = PathClass::Inside;
                    }
                    _ => {}
                }
            }
        }
        only_turns
    }
}

/// Whether a command is a sed that only makes other instructions, which run nothing, of those in a list.
fn turns_picks(interpretation: &Interpretation, argv: &[Arg]) -> bool {
    let operands = interpretation.operands.iter().filter(|(_, role)| role == "code:sed");
    let operands = operands.filter_map(|(at, _)| argv.get(*at));
    let options = interpretation.given(&["-e"]).filter_map(|option| option.value.as_ref());
    interpretation.program == "sed"
        && !interpretation.gives(&["-f", "--file"])
        && operands.chain(options).all(|script| script.known().is_some_and(embedded::turns_picks))
}

/// The variables by which git is given an editor.
const EDITORS: &[&str] = &["EDITOR", "VISUAL", "GIT_EDITOR", SEQUENCE];

/// The one for the list of a rebase; without it, that is opened in the other.
const SEQUENCE: &str = "GIT_SEQUENCE_EDITOR";

/// Options by which a rebase opens its list.
const OPEN_THE_LIST: &[&str] = &["-i", "--interactive", "--edit-todo", "-r", "--rebase"];

/// Of a command with more options, settings are not looked for.
const OPTIONS: usize = 256;

/// Returns the editors that git's own options name, in order (git(1), `-c`): each by its variable, and where it stands in argv.
fn settings(
    interpretation: &Interpretation,
    argv: &[Arg],
) -> impl DoubleEndedIterator<Item = (&'static str, Range<usize>)> {
    let subcommand = interpretation.subcommand.first().map(String::as_str);
    let is_subcommand = |word: &Arg| subcommand.is_some() && word.known() == subcommand;
    let end = argv.iter().skip(1).position(is_subcommand).map_or(argv.len(), |at| at + 1);
    let is_own = move |option: &&GivenOption| option.spellings == ["-c"] && option.index < end;
    let options = interpretation.options.iter().take(OPTIONS).filter(is_own);
    options.filter_map(|option| {
        let (name, _) = editor(option.value.as_ref()?.known()?)?;
        Some((name, option.index..option.end))
    })
}

/// Returns the variable that a setting stands for (git-config(1), `core.editor`, `sequence.editor`), and its value.
fn editor(setting: &str) -> Option<(&'static str, &str)> {
    let (key, value) = setting.split_once('=')?;
    let names = [("core.editor", "GIT_EDITOR"), ("sequence.editor", SEQUENCE)];
    let (_, name) = names.into_iter().find(|(own, _)| own.eq_ignore_ascii_case(key))?;
    Some((name, value))
}

/// Programs that do no more to what is put behind them than what they are there for: those in front of which a person sits, and what
/// connects to another machine.
const AT_HOME: &[&str] = &["code", "emacs", "micro", "nano", "nvim", "ssh", "vi", "view", "vim"];

/// Returns whether text is one command of such a program. What its own words do counts none the less.
fn is_at_home(text: &str) -> bool {
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), close) if open == close => quote = None,
            (None, ';' | '&' | '|' | '<' | '>' | '(' | ')' | '#' | '\n')
            | (None | Some('"'), '$' | '`' | '\\') => return false,
            _ => {}
        }
    }
    let program = text.split_whitespace().next().unwrap_or_default();
    quote.is_none() && AT_HOME.contains(&program.rsplit('/').next().unwrap_or(program))
}
