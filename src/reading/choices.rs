//! Commands with variables that are one of a few values: each is planned once for every value.
//! Which value is met with which other one is not followed.

use super::input::Input;
use super::walk::Walker;
use crate::syntax::{
    AssignmentValue, CommandKind, PartKind, Redirect, Script, SimpleCommand, Word,
};

/// Ways in which a command is planned. With more, the values are not told apart.
const WAYS: usize = 16;
/// Commands planned beyond this, the values of later ones are not told apart: functions that call each other multiply the ways.
const PLANNED: usize = 400;

impl Walker<'_> {
    /// Plans a command once for every value that one of these variables may have, if any has several. Returns whether it did.
    pub(super) fn for_each_value(
        &mut self,
        names: &[&str],
        mut plan: impl FnMut(&mut Self),
    ) -> bool {
        let ways = names.iter().map(|name| self.state.choices(name).map_or(1, <[_]>::len));
        let several = names.iter().find_map(|name| Some((*name, self.state.choices(name)?)));
        let Some((name, values)) = several.filter(|_| self.plan.commands.len() <= PLANNED) else {
            return false;
        };
        if ways.fold(1, usize::saturating_mul) > WAYS {
            return false;
        }
        let (values, before) = (values.to_vec(), self.state.clone());
        let (input, names, is_piped) = (self.input.clone(), self.names.clone(), self.is_piped);
        let mut ends = Vec::with_capacity(values.len());
        for value in values {
            self.state = before.clone();
            (self.input, self.names, self.is_piped) = (input.clone(), names.clone(), is_piped);
            self.state.choose(name, value.as_ref());
            plan(self);
            self.state.choose_again(name, value.as_ref(), &before);
            ends.push((self.state.clone(), self.input.clone(), self.names.clone()));
        }
        for (state, input, names) in ends {
            self.state.merge(&state);
            if self.input != input {
                self.input = Input::Unknown;
            }
            self.names = self.names.take().filter(|known| Some(known) == names.as_ref());
        }
        true
    }
}

/// Returns the variables that the words of a command show, those of its substitutions with them, and those that it adds to.
pub(super) fn shown<'s>(simple: &'s SimpleCommand, redirects: &'s [Redirect]) -> Vec<&'s str> {
    let mut names = Vec::new();
    of_simple(simple, redirects, &mut names);
    once(names)
}

/// Returns the variables that words show.
pub(super) fn shown_in(words: &[Word]) -> Vec<&str> {
    let mut names = Vec::new();
    of_words(words, &mut names);
    once(names)
}

fn once(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names.dedup();
    names
}

fn of_simple<'s>(simple: &'s SimpleCommand, redirects: &'s [Redirect], names: &mut Vec<&'s str>) {
    for assignment in &simple.assignments {
        names.extend(assignment.append.then_some(assignment.name.as_str()));
        match &assignment.value {
            AssignmentValue::Scalar(word) => of_word(word, names),
            AssignmentValue::Array(elements) => of_words(elements.iter().map(|it| &it.1), names),
        }
    }
    of_words(&simple.words, names);
    of_words(redirects.iter().map(|redirect| &redirect.target), names);
    of_words(redirects.iter().flat_map(|it| &it.body).map(|body| &body.content), names);
}

fn of_words<'s>(words: impl IntoIterator<Item = &'s Word>, names: &mut Vec<&'s str>) {
    words.into_iter().for_each(|word| of_word(word, names));
}

fn of_word<'s>(word: &'s Word, names: &mut Vec<&'s str>) {
    for part in &word.parts {
        match &part.kind {
            PartKind::Parameter(parameter) => {
                names.push(&parameter.name);
                let words = [&parameter.index, &parameter.argument, &parameter.second];
                words.into_iter().flatten().for_each(|word| of_word(word, names));
            }
            PartKind::Command(script) => of_script(script, names),
            PartKind::Arithmetic(word) => of_word(word, names),
            PartKind::Brace(words) | PartKind::ExtendedGlob(_, words) => {
                for word in words {
                    of_word(word, names);
                }
            }
            PartKind::Array(elements) => {
                for (_, word) in elements {
                    of_word(word, names);
                }
            }
            // What runs there is planned for each value by itself.
            PartKind::ProcessInput(_)
            | PartKind::ProcessOutput(_)
            | PartKind::Literal(_)
            | PartKind::BraceTooMany(_)
            | PartKind::Tilde(_)
            | PartKind::Glob(_)
            | PartKind::Qualifiers(_) => {}
        }
    }
}

fn of_script<'s>(script: &'s Script, names: &mut Vec<&'s str>) {
    for statement in &script.statements {
        let rest = statement.rest.iter().map(|(_, pipeline)| pipeline);
        for command in std::iter::once(&statement.first).chain(rest).flat_map(|it| &it.commands) {
            if let CommandKind::Simple(simple) = &command.kind {
                of_simple(simple, &command.redirects, names);
            }
        }
    }
}
