//! Redirections to effects (bash manual, 3.6).

use super::state::Value;
use super::walk::{Input, Walker, descriptor};
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
            self.state.set(name, Value::Number);
        }
        if let Some(body) = &redirect.body {
            let text = self.text(&body.content);
            self.set_input(redirect, text);
            return;
        }
        let target = self.text(&redirect.target);
        match redirect.operator {
            RedirectOperator::HereString => {
                let text = match target {
                    Arg::Known(text) => Arg::Known(text + "\n"),
                    other => other,
                };
                self.set_input(redirect, text);
            }
            RedirectOperator::HereDocument | RedirectOperator::HereDocumentTabs => {
                self.set_input(redirect, Arg::Unknown);
            }
            RedirectOperator::Input => {
                self.path_effect(EffectKind::Read, &target, effects);
                self.set_input(redirect, Arg::Unknown);
            }
            RedirectOperator::ReadWrite => {
                self.path_effect(EffectKind::Write, &target, effects);
                self.set_input(redirect, Arg::Unknown);
            }
            RedirectOperator::Output
            | RedirectOperator::Clobber
            | RedirectOperator::OutputAndError => {
                self.path_effect(EffectKind::Write, &target, effects);
            }
            RedirectOperator::Append | RedirectOperator::AppendAndError => {
                self.path_effect(EffectKind::Append, &target, effects);
            }
            RedirectOperator::DuplicateInput => self.set_input(redirect, Arg::Unknown),
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
    }

    fn set_input(&mut self, redirect: &Redirect, text: Arg) {
        if descriptor(redirect, 0) == Some(0) {
            self.names = None;
            self.input = match text {
                Arg::Known(text) => Input::Text(text),
                Arg::Glob(_) | Arg::Prefix(_) | Arg::Unknown | Arg::Many => Input::Unknown,
            };
        }
    }
}
