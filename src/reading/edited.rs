//! Editors, ssh and the like that variables and settings give to a program: what it puts behind their words, and what an editor may make
//! of the files that git opens in it.

use std::path::Path;

use super::hooked::makes;
use super::input::Input;
use super::paths::absolute;
use super::scripts::changes;
use super::simple::Around;
use super::walk::Walker;
use super::{inner, variables};
use crate::catalog::{Interpretation, Place};
use crate::model::{Arg, Effect, EffectKind, PathClass, Reason, Span, Target};
use crate::syntax::Dialect;

/// What stands in this file is done by a rebase, which can run programs.
const TODO: &str = "rebase-merge/git-rebase-todo";

/// One change of several, where each is asked about.
const HUNK: &str = "addp-hunk-edit.diff";

impl Walker<'_> {
    /// Plans the command line that variable `name` gives to command `index`, or to those behind it, with the words that they put behind.
    pub(super) fn handed(&mut self, index: usize, name: &str, value: &Arg, span: Span) {
        let Arg::Known(text) = value else {
            self.opaque(Reason::DynamicCode, span);
            return;
        };
        if matches!(text.trim(), "" | ":") {
            return;
        }
        let is_harmless = variables::is_harmless(name, value);
        let Some(files) = self.edited(index, name) else {
            if is_harmless || is_at_home(text) {
                self.by_hand(index, name, text, is_harmless, Arg::Many);
            } else {
                // Of those that get it later, one may open the list of a rebase.
                let is_list = EDITORS.contains(&name);
                self.edits(index, name, text, (Arg::Many, is_list), Input::Unknown, span);
            }
            return;
        };
        for (file, is_list) in files {
            // Without anything to read, an editor has nothing to do.
            if is_harmless && self.input.is_nothing() {
                self.by_hand(index, name, text, is_harmless, file);
            } else {
                self.edits(index, name, text, (file, is_list), self.input.clone(), span);
            }
        }
    }

    /// Plans an editor with the file that it gets, which may be the list of a rebase.
    fn edits(
        &mut self,
        index: usize,
        name: &str,
        text: &str,
        (file, is_list): (Arg, bool),
        input: Input,
        span: Span,
    ) {
        let first = self.plan.commands.len();
        self.appended(index, name, text, file.clone(), input, span);
        if is_list && !self.only_turns_picks(first, file.known()) {
            // What stands there then is run.
            let target = Target::Path { path: None, class: PathClass::Unknown };
            let runs = Effect { kind: EffectKind::Execute, target };
            self.plan.commands[index].effects.push(runs);
        }
    }

    /// Plans the editor that a setting on git's own command line names. Returns whether that was one.
    pub(super) fn editor_set(&mut self, index: usize, setting: &Arg, span: Span) -> bool {
        let Some((name, value)) = setting.known().and_then(editor) else { return false };
        let is_git = self.plan.commands[index].interpretation.program == "git";
        if is_git {
            self.handed(index, name, &Arg::Known(value.to_owned()), span);
        }
        is_git
    }

    /// Whether command `index` is given an editor by its own words or variables.
    pub(super) fn has_editor(&self, index: usize) -> bool {
        let command = &self.plan.commands[index];
        let mut names = command.environment.iter().map(|(name, _)| name.as_str());
        let mut words = command.argv.iter().filter_map(Arg::known);
        names.any(|name| EDITORS.contains(&name)) || words.any(|word| editor(word).is_some())
    }

    /// Returns the files that command `index` opens in the editor that variable `name` gives, and whether each is the list of a rebase.
    /// None: it is not known which they are.
    fn edited(&self, index: usize, name: &str) -> Option<Vec<(Arg, bool)>> {
        let command = &self.plan.commands[index];
        let Interpretation { edits, .. } = &command.interpretation;
        if edits.is_empty() || !EDITORS.contains(&name) {
            return None;
        }
        let by_name = command.environment.iter().any(|(name, _)| name == SEQUENCE);
        let mut words = command.argv.iter().filter_map(Arg::known).filter_map(editor);
        let has_another = by_name || words.any(|(name, _)| name == SEQUENCE);
        let directory = self.git_directory(index);
        let is_asked_about_each = command.interpretation.gives(&["-p", "-i", "--interactive"]);
        let is_opened = |file: &&String| match (name == SEQUENCE, file.as_str()) {
            (is_sequence, TODO) => is_sequence || !has_another,
            (false, HUNK) => is_asked_about_each,
            (is_sequence, _) => !is_sequence,
        };
        let elsewhere = ["--global", "--system", "--worktree", "-f", "--file", "--blob"];
        let is_elsewhere = command.interpretation.gives(&elsewhere);
        let place = |file: &String| match &directory {
            Some(directory) if !(file == "config" && is_elsewhere) => {
                (Arg::Known(absolute(directory, file)), file == TODO)
            }
            _ => (Arg::Unknown, file == TODO),
        };
        Some(edits.iter().filter(is_opened).map(place).collect())
    }

    /// Returns where the repository of command `index` is, as git itself calls it; none if that is not known.
    fn git_directory(&self, index: usize) -> Option<String> {
        let command = &self.plan.commands[index];
        let is_named = |name: &str| matches!(name, "GIT_DIR" | "GIT_WORK_TREE" | "GIT_COMMON_DIR");
        if command.place != Place::Here
            || command.interpretation.gives(&["--git-dir", "--work-tree"])
            || command.environment.iter().any(|(name, _)| is_named(name))
            || self.state.variable("GIT_DIR").is_some()
            || self.facts.environment.contains_key("GIT_DIR")
        {
            return None;
        }
        let entered = self.entered(&command.interpretation);
        let [Some(directory)] = entered.as_slice() else { return None };
        let before = &self.plan.commands[..index];
        let mut made = None;
        for other in before.iter().filter(|other| other.interpretation.program == "git") {
            let Interpretation { subcommand, operands, .. } = &other.interpretation;
            match subcommand.first().map(String::as_str) {
                Some("init")
                    if operands.is_empty()
                        && other.directories == entered
                        && !other.interpretation.gives(&["--bare", "--separate-git-dir"]) =>
                {
                    made = Some(directory.as_str());
                }
                Some("init" | "clone" | "worktree" | "submodule") => return None,
                _ => {}
            }
        }
        let above = Path::new(directory).ancestors().filter_map(Path::to_str);
        let mut all = made.into_iter().chain(above);
        let place =
            all.find(|place| made.is_some() || self.scripts.exists(&absolute(place, ".git")))?;
        let git = absolute(place, ".git");
        let mut others = before.iter().filter(|other| other.interpretation.program != "git");
        if others.any(|other| other.effects.iter().any(|effect| changes(effect, &git))) {
            return None;
        }
        let named = self.scripts.text(&git);
        let real = |path: String| self.scripts.real(&path).unwrap_or(path);
        match named.as_deref().map(|text| text.strip_prefix("gitdir:")) {
            Some(named) => Some(real(absolute(place, named?.trim()))),
            None if self.scripts.exists(&git) => Some(real(git)),
            None => Some(absolute(&real(place.to_owned()), ".git")),
        }
    }

    /// Plans a command whose own words say all that it does by itself: what it does to those behind them is a person's doing.
    fn by_hand(&mut self, index: usize, name: &str, text: &str, is_harmless: bool, behind: Arg) {
        let span = self.plan.commands[index].span;
        let words = shell_words::split(text).unwrap_or_default();
        if words.len() > 1 {
            let whole = format!("{text} \"$@\"");
            let argv = ["/bin/sh", "-c", &whole, text].map(|word| Arg::Known(word.to_owned()));
            self.push_as_it_is(index, name, argv.into_iter().chain([behind.clone()]).collect());
        }
        if is_harmless {
            let argv = words.into_iter().map(Arg::Known).chain([behind]).collect();
            self.push_as_it_is(index, name, argv);
            return;
        }
        let first = self.plan.commands.len();
        self.line_given(index, name, text, span);
        if let Some(command) = self.plan.commands.get_mut(first) {
            command.argv.push(behind);
        }
    }

    /// Plans a command of which no more is said than its words.
    fn push_as_it_is(&mut self, index: usize, name: &str, argv: Vec<Arg>) {
        let span = self.plan.commands[index].span;
        let program = argv.first().and_then(Arg::known).unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or(program).to_owned();
        let interpretation = Interpretation { program, ..Interpretation::default() };
        self.carried_by(index, name, |walker| {
            walker.push(argv, interpretation, Around { span, ..Around::default() });
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
        let is_on_list = |effect: &Effect| match (&effect.target, list) {
            (Target::Path { path: Some(path), .. }, Some(list)) => path.starts_with(list),
            (Target::Path { path, .. }, _) => path.is_none(),
            _ => false,
        };
        let mut only_turns = true;
        for command in &mut self.plan.commands[first..] {
            let changes_it = |effect: &&mut Effect| makes(effect.kind) && is_on_list(effect);
            let turns = turns_picks(&command.interpretation, &command.argv);
            for effect in command.effects.iter_mut().filter(changes_it) {
                only_turns &= turns;
                match &mut effect.target {
                    Target::Path { path: Some(_), class } if turns => *class = PathClass::Inside,
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
        && operands.chain(options).all(|script| script.known().is_some_and(inner::turns_picks))
}

/// The variables by which git is given an editor.
const EDITORS: &[&str] = &["EDITOR", "VISUAL", "GIT_EDITOR", SEQUENCE];

/// The one for the list of a rebase; without it, that is opened in the other.
const SEQUENCE: &str = "GIT_SEQUENCE_EDITOR";

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
