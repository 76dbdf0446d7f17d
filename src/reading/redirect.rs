//! Redirections to effects (bash manual, 3.6).

use super::input::{Input, takes_input};
use super::state::Value;
use super::walk::Walker;
use crate::model::{Arg, Effect, EffectKind, PathClass};
use crate::syntax::{Descriptor, Redirect, RedirectOperator};

/// Words that name paths, resolved where the command runs.
pub(super) trait Targets {
    /// Adds the effect on the path that `target` names from here.
    fn path_effect(&self, kind: EffectKind, target: &Arg, effects: &mut Vec<Effect>);
    /// Adds the effect on the path that `target` names from each of `directories`.
    fn path_effects_in(
        &self,
        kind: EffectKind,
        target: &Arg,
        directories: &[Option<String>],
        effects: &mut Vec<Effect>,
    );
    /// Returns the class of an absolute path, for an effect of this kind.
    fn class(&self, kind: EffectKind, path: &str) -> PathClass;
}

impl Walker<'_> {
    /// Returns what redirections do, and sets where standard input comes from.
    pub(super) fn redirects(&mut self, redirects: &[Redirect]) -> Vec<Effect> {
        let mut effects = Vec::new();
        for redirect in redirects {
            self.redirect(redirect, &mut effects);
        }
        effects
    }

    fn redirect(&mut self, redirect: &Redirect, effects: &mut Vec<Effect>) {
        if let Descriptor::Variable(name) = &redirect.descriptor {
            // It gets the number of the descriptor, or gives it.
            self.evaluated_name(name, redirect.span);
            self.set_part(name, Value::Number);
        }
        let input = self.redirected(redirect, effects);
        if takes_input(redirect) {
            self.names = None;
            self.input = input;
        }
    }

    /// Adds what a redirection does; returns what is to be read from it.
    fn redirected(&mut self, redirect: &Redirect, effects: &mut Vec<Effect>) -> Input {
        let known = |text: Arg| match text {
            Arg::Known(text) => Input::Text(text),
            Arg::Glob(_) | Arg::Prefix(_) | Arg::Unknown | Arg::Many => Input::Unknown,
        };
        if let Some(body) = &redirect.body {
            return known(self.text(&body.content));
        }
        let target = self.text(&redirect.target);
        match redirect.operator {
            RedirectOperator::HereString => {
                return match target {
                    Arg::Known(text) => Input::Text(text + "\n"),
                    _ => Input::Unknown,
                };
            }
            RedirectOperator::HereDocument
            | RedirectOperator::HereDocumentTabs
            | RedirectOperator::DuplicateInput => {}
            RedirectOperator::Input => {
                self.path_effect(EffectKind::Read, &target, effects);
                return self.input_of_file(&target);
            }
            RedirectOperator::ReadWrite => {
                self.path_effect(EffectKind::Write, &target, effects);
            }
            RedirectOperator::Output
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
