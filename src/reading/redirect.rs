//! Redirections to effects (bash manual, 3.6).

use super::input::{Input, takes_input};
use super::plan::FlowKind;
use super::secrets::disclosed;
use super::state::Value;
use super::walk::Walker;
use crate::model::{Arg, Effect, EffectKind};
use crate::syntax::{
    Command, CommandKind, Descriptor, Dialect, PartKind, Redirect, RedirectOperator, Word,
};

impl Walker<'_> {
    /// Adds to command `index` what it does to the path that `target` names.
    pub(super) fn add_path_effect(&mut self, index: usize, kind: EffectKind, target: &Arg) {
        let mut effects = Vec::new();
        self.path_effect(kind, target, &mut effects);
        self.plan.commands[index].effects.extend(effects);
    }

    /// Returns what redirections do, first those by which standard output goes elsewhere, and how many these are. Sets where standard
    /// input comes from.
    pub(super) fn redirects(&mut self, redirects: &[Redirect]) -> (Vec<Effect>, usize) {
        // They are not traced.
        let traced = std::mem::take(&mut self.state.traced);
        let (mut output, mut other) = (Vec::new(), Vec::new());
        for redirect in redirects {
            let is_output = match redirect.descriptor {
                Descriptor::Default => true,
                Descriptor::Number(number) => number == 1,
                Descriptor::Variable(_) => false,
            };
            self.redirect(redirect, if is_output { &mut output } else { &mut other });
        }
        self.state.traced = traced;
        let opened = output.len();
        output.extend(other);
        (output, opened)
    }

    fn redirect(&mut self, redirect: &Redirect, effects: &mut Vec<Effect>) {
        if let Descriptor::Variable(name) = &redirect.descriptor {
            // It gets the number of the descriptor, or gives it.
            self.evaluated_name(name, redirect.span);
            self.set_part(name, Value::Number);
        }
        let input = self.redirected(redirect, effects);
        if takes_input(redirect) {
            let is_process = matches!(redirect.target.parts.as_slice(),
                [part] if matches!(part.kind, PartKind::ProcessInput(_)));
            self.names = self.process_names.take().filter(|_| is_process);
            self.input = self.unless_read(input);
        }
    }

    /// Adds what a redirection does; returns what is to be read from it.
    fn redirected(&mut self, redirect: &Redirect, effects: &mut Vec<Effect>) -> Input {
        self.secret = None;
        let is_string = redirect.operator == RedirectOperator::HereString;
        if redirect.body.is_some() || is_string {
            let text = redirect.body.as_ref().map_or(&redirect.target, |body| &body.content);
            let end = if is_string { "\n" } else { "" };
            let text = self.text(text);
            if !takes_input(redirect) {
                // Whoever reads from that descriptor gets it.
                effects.extend(self.secret.clone().map(disclosed));
            }
            return match (text, self.secret.take()) {
                (Arg::Known(text), _) => Input::Text(text + end),
                (_, Some(of)) => Input::Secret(of),
                (Arg::Glob(_) | Arg::Prefix(_) | Arg::Unknown | Arg::Many, None) => Input::Unknown,
            };
        }
        let target = self.target(&redirect.target);
        // It becomes the name of a file, or the shell says that there is none.
        effects.extend(self.secret.take().map(disclosed));
        self.names_input(redirect, &target);
        self.keep_off_own(redirect, &target);
        self.note_opened(redirect, &target);
        match redirect.operator {
            RedirectOperator::HereString
            | RedirectOperator::HereDocument
            | RedirectOperator::HereDocumentTabs
            | RedirectOperator::DuplicateInput => {}
            RedirectOperator::Input => {
                self.path_effect(EffectKind::Read, &target, effects);
                return self.input_of_file(&target);
            }
            RedirectOperator::ReadWrite
            | RedirectOperator::Output
            | RedirectOperator::Clobber
            | RedirectOperator::OutputAndError => {
                self.path_effect(EffectKind::Write, &target, effects);
            }
            RedirectOperator::Append | RedirectOperator::AppendAndError => {
                self.path_effect(EffectKind::Append, &target, effects);
            }
            RedirectOperator::DuplicateOutput => {
                // `>&N` and `>&-` move descriptors; `>&FILE` writes a file. What is not known may be either.
                let moves = target.known().is_some_and(|word| {
                    word == "-"
                        || word.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit())
                            && !word.is_empty()
                });
                if !moves {
                    self.path_effect(EffectKind::Write, &target, effects);
                }
            }
        }
        Input::Unknown
    }

    /// Expands the target of a redirection. In bash it is divided and fits names of files like other words, and is nothing if it
    /// becomes several (bash manual, 3.6); other shells, and bash as `sh`, take it as it is.
    fn target(&mut self, word: &Word) -> Arg {
        if self.dialect != Dialect::Bash {
            return self.text(word);
        }
        let words = self.arguments(std::slice::from_ref(word));
        match words.as_slice() {
            [] => Arg::Known(String::new()),
            [one] if *one != Arg::Many => one.clone(),
            _ if is_plain(word) => match self.tried(|walker| walker.text(word)) {
                // What is written is one of these names, but for the blanks at its ends.
                Arg::Glob(pattern) if self.keeps_ends(&pattern) => Arg::Glob(pattern),
                text => Arg::Prefix(text.prefix().trim_start().to_owned()),
            },
            [one, .., Arg::Many] => Arg::Prefix(one.prefix().to_owned()),
            _ => Arg::Unknown,
        }
    }

    /// Whether text that fits a pattern does so also without the blanks at its ends.
    fn keeps_ends(&self, pattern: &str) -> bool {
        let may_be_blank = |c: char| matches!(c, '?' | '[' | ']') || c.is_whitespace();
        let splits = self.text_of("IFS").as_deref() == Some(" \t\n");
        splits && !pattern.starts_with(may_be_blank) && !pattern.ends_with(may_be_blank)
    }
}

/// Whether a word is text and variables and nothing that runs.
fn is_plain(word: &Word) -> bool {
    let is_written = |word: &Word| word.literal().is_some();
    word.parts.iter().all(|part| match &part.kind {
        PartKind::Literal(_) | PartKind::Tilde(_) => true,
        PartKind::Parameter(parameter) => {
            let words = [&parameter.index, &parameter.argument, &parameter.second];
            words.into_iter().flatten().all(is_written)
        }
        _ => false,
    })
}

/// Whether a redirection may fail, so that the command is not run: any but those that open no file, and `/dev/null`.
pub(super) fn may_fail(redirect: &Redirect) -> bool {
    match redirect.operator {
        RedirectOperator::HereDocument
        | RedirectOperator::HereDocumentTabs
        | RedirectOperator::HereString => false,
        RedirectOperator::DuplicateInput | RedirectOperator::DuplicateOutput => {
            !matches!(redirect.target.literal().as_deref(), Some("0" | "1" | "2" | "-"))
        }
        _ => redirect.target.literal().as_deref() != Some("/dev/null"),
    }
}

/// Returns whether all that a command prints goes into the pipe behind it, or only a part.
pub(super) fn piped(command: &Command) -> FlowKind {
    let is_other = |redirect: &Redirect| match redirect.descriptor {
        Descriptor::Number(number) => number == 2,
        Descriptor::Default => redirect.operator == RedirectOperator::Input,
        Descriptor::Variable(_) => false,
    };
    let is_simple = matches!(command.kind, CommandKind::Simple(_));
    let is_whole = is_simple && command.redirects.iter().all(is_other);
    if is_whole { FlowKind::Pipe } else { FlowKind::Branch }
}
