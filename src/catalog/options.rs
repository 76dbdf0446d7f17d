//! Words that are options: what they take, what that means. Which option a word names stands in `lookup`.

use super::compiled::{Choice, Meaning, Role, Takes, matches};
use super::lookup::{Ending, Trust, one_dash, partly};
use super::schema::Style;
use super::walk::{Given, Operand, Spread, Stage, Walk};
use super::{Carried, GivenOption, MoreWords, Place, UnknownWhat};
use crate::model::Arg;

impl<'c> Walk<'c, '_> {
    /// Reads a word that begins with a dash; returns where to go on.
    pub(super) fn option_word(&mut self, index: usize, text: &str, ending: Ending) -> usize {
        let found = match self.current().style {
            Style::SingleDash => self.single_dash(one_dash(text), ending),
            Style::Gnu | Style::Bundled | Style::None if text.starts_with("--") => {
                self.long(text, ending).map(|(found, trust)| {
                    if trust == Trust::Guess {
                        self.unknown(index, UnknownWhat::Option);
                    }
                    found
                })
            }
            Style::Gnu | Style::Bundled | Style::None => match self.whole_short(text, ending) {
                Some(found) => Some(found),
                None => return self.group(index, text, ending),
            },
        };
        let Some((choice, attached)) = found else {
            self.unknown(index, UnknownWhat::Option);
            return index + 1;
        };
        self.take(index, &choice, attached, index + 1)
    }

    /// `-abcVALUE`.
    fn group(&mut self, index: usize, text: &str, ending: Ending) -> usize {
        let mut rest = text.get(1..).unwrap_or_default();
        while let Some(letter) = rest.chars().next() {
            let Some(choice) = self.exactly(&format!("-{letter}")) else {
                self.unknown(index, UnknownWhat::Option);
                return index + 1;
            };
            rest = &rest[letter.len_utf8()..];
            if choice.takes == Takes::Flag {
                self.take(index, &choice, None, index + 1);
                continue;
            }
            // With nothing behind the letter that is known, its value may be here or in the next word.
            if ending == Ending::Open
                && rest.is_empty()
                && !matches!(choice.takes, Takes::Optional(_))
            {
                break;
            }
            if matches!(choice.takes, Takes::Optional(_)) {
                self.grouped(index, &choice, rest);
            }
            let attached = (ending != Ending::Known || !rest.is_empty())
                .then(|| self.after_letter(index, &choice, rest, ending));
            return self.take(index, &choice, attached, index + 1);
        }
        if ending != Ending::Known {
            self.unknown(index, UnknownWhat::Option);
        }
        index + 1
    }

    /// What stands behind a letter that need not have a value may be more letters: `-so FILE`. Notes it if one of them takes a
    /// value that matters, and the letter does not say which values it has.
    fn grouped(&mut self, index: usize, choice: &Choice<'c>, rest: &str) {
        if choice.more.as_ref().is_some_and(|meaning| !meaning.values.is_empty()) {
            return;
        }
        for letter in rest.chars() {
            match self.exactly(&format!("-{letter}")).map(|choice| choice.takes) {
                Some(Takes::Flag) => {}
                Some(Takes::Optional(role)) if role.is_inert() => {}
                Some(Takes::Value(role)) if role.is_inert() => return,
                Some(_) => return self.unknown(index, UnknownWhat::Value),
                None => return,
            }
        }
    }

    /// To `getopt`, `=` behind a letter belongs to the value; newer parsers take it away.
    fn after_letter(
        &mut self,
        index: usize,
        choice: &Choice<'c>,
        rest: &str,
        ending: Ending,
    ) -> Arg {
        let Some(value) = rest.strip_prefix('=') else {
            return partly(rest, ending);
        };
        if self.current().exact {
            return partly(value, ending);
        }
        if !matches!(choice.takes, Takes::Value(role) | Takes::Optional(role) if role.is_inert()) {
            self.unknown(index, UnknownWhat::Value);
        }
        partly(rest, ending)
    }

    /// The first word of `tar xzf FILE`: letters without a dash; their values are the next words, in order.
    /// None if it is no such word.
    pub(super) fn bundle(&mut self, index: usize) -> Option<usize> {
        let Arg::Known(text) = &self.argv[index] else {
            self.unknown(index, UnknownWhat::MaybeOption);
            return None;
        };
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let mut next = index + 1;
        for letter in text.chars() {
            let own = self.exactly(letter.encode_utf8(&mut [0; 4]));
            match own.or_else(|| self.exactly(&format!("-{letter}"))) {
                Some(choice) => next = self.take(index, &choice, None, next),
                None => self.unknown(index, UnknownWhat::Option),
            }
        }
        Some(next)
    }

    /// Notes the option at `index` with its value; `next` is the first word that may be one. Returns where to go on.
    pub(super) fn take(
        &mut self,
        index: usize,
        choice: &Choice<'c>,
        attached: Option<Arg>,
        next: usize,
    ) -> usize {
        let meaning = choice.more.as_ref();
        let (mut value, mut end, mut holds) = (attached, next, true);
        match &choice.takes {
            Takes::Flag => {
                if let Some(arg) = &value {
                    holds = self.switched_on(index, arg);
                }
            }
            Takes::Optional(role) => {
                if let Some(arg) = &value {
                    holds = self.value(index, *role, arg, meaning);
                }
            }
            Takes::Value(role) => {
                if role.is_rest() || *role == Role::ArgvUntil {
                    end = self.carry_from(index, *role, value.as_ref(), next);
                } else if let Some(arg) = &value {
                    holds = self.value(index, *role, arg, meaning);
                } else {
                    (value, holds) = self.next_value(index, *role, next, meaning);
                    end += usize::from(value.is_some());
                }
            }
            Takes::Several(roles) => {
                for role in roles {
                    if let Some(arg) = value.take_if(|_| end == next) {
                        self.value(index, *role, &arg, meaning);
                        continue;
                    }
                    (value, _) = self.next_value(index, *role, end, meaning);
                    end += usize::from(value.is_some());
                }
            }
        }
        if let Some(meaning) = &choice.more {
            self.ended |= meaning.stops;
            let (meaning, value) = (meaning.clone(), value.clone());
            self.given.push(Given { meaning, spellings: choice.spellings, value, index, holds });
        }
        if !holds || choice.spellings.contains("--no-") {
            self.turn_off(choice.spellings, holds);
        }
        let spellings = choice.spellings.split_whitespace().map(str::to_owned).collect();
        self.out.options.push(GivenOption { spellings, value, index, end });
        end
    }

    /// `--flag=true`, `--flag=false`.
    fn switched_on(&mut self, index: usize, value: &Arg) -> bool {
        match value.known() {
            Some("true" | "1" | "t" | "yes" | "on") => true,
            Some("false" | "0" | "f" | "no" | "off") => false,
            _ => {
                self.unknown(index, UnknownWhat::Value);
                false
            }
        }
    }

    /// Gives a value its role; returns whether it is one of those that the option is known for.
    fn value(
        &mut self,
        index: usize,
        role: Role,
        arg: &Arg,
        meaning: Option<&Meaning<'c>>,
    ) -> bool {
        let unfit = meaning.filter(|meaning| !is_listed(arg, &meaning.values));
        // A value that is listed is known, whatever its form.
        let is_listed = meaning.is_some_and(|meaning| !meaning.values.is_empty());
        let known = if is_listed && role == Role::Inert { Role::Text } else { role };
        let role = unfit.map_or(known, |meaning| meaning.otherwise);
        self.apply(role, arg, index, UnknownWhat::Value);
        unfit.is_none()
    }

    /// Takes the word at `next` as the value of the option at `index`.
    fn next_value(
        &mut self,
        index: usize,
        role: Role,
        next: usize,
        meaning: Option<&Meaning<'c>>,
    ) -> (Option<Arg>, bool) {
        let Some(arg) = self.argv.get(next) else {
            self.unknown(index, UnknownWhat::Value);
            return (None, false);
        };
        let holds = self.value(next, role, arg, meaning);
        let spread = self.spread_of(next);
        if spread != Spread::One {
            self.spill(next, role, spread);
        }
        (Some(arg.clone()), holds)
    }

    /// A value that may be several words is an operand too; one that may be none shifts what follows.
    fn spill(&mut self, index: usize, role: Role, spread: Spread) {
        self.suspect(index);
        let selecting = self.stage == Stage::Selecting;
        let shifts = spread == Spread::ZeroOrMore && !role.is_inert();
        if shifts || selecting {
            self.unknown(index, UnknownWhat::Value);
        }
        if !selecting {
            let arg = self.argv[index].clone();
            self.words.push(Operand { index, arg, spread: Spread::ZeroOrMore });
        }
    }

    /// An option whose value is a command of several words.
    fn carry_from(
        &mut self,
        index: usize,
        role: Role,
        attached: Option<&Arg>,
        next: usize,
    ) -> usize {
        if attached.is_some() || next >= self.argv.len() {
            self.unknown(index, UnknownWhat::Value);
            return next;
        }
        if role == Role::ArgvUntil {
            return self.carry_until(index, next);
        }
        self.carry_rest(next, role);
        self.argv.len()
    }

    /// `-exec COMMAND ;` or `-exec COMMAND {} +`.
    fn carry_until(&mut self, index: usize, start: usize) -> usize {
        let mut end = start;
        let mut is_uncertain = false;
        while let Some(arg) = self.argv.get(end) {
            let after_braces = end > start && self.argv[end - 1].known() == Some("{}");
            match arg {
                Arg::Known(text) if text == ";" || (text == "+" && after_braces) => break,
                Arg::Known(_) => {}
                // A word that is not known may be the `;` after which the other options go on.
                Arg::Unknown | Arg::Many => is_uncertain = true,
                Arg::Prefix(text) => is_uncertain |= text.is_empty() || text == ";",
                Arg::Glob(pattern) => is_uncertain |= pattern.starts_with(['?', '*', '[']),
            }
            if is_uncertain {
                self.unknown(end, UnknownWhat::MaybeOption);
                is_uncertain = false;
            }
            end += 1;
        }
        if end == start || end == self.argv.len() {
            self.unknown(index, UnknownWhat::Value);
        }
        let (more, place) = (MoreWords::Replaced, Place::Here);
        self.out.carried.push(Carried::Argv { start, end, more, place });
        (end + 1).min(self.argv.len())
    }
}

fn is_listed(arg: &Arg, values: &[&str]) -> bool {
    values.is_empty()
        || match arg {
            // Several words, each of which fits; what begins with a dash fits no pattern that does not say so.
            Arg::Known(text) if values.contains(&"...") => {
                text.split_ascii_whitespace().all(|word| {
                    let may_fit =
                        |pattern: &&&str| !(word.starts_with('-') && pattern.starts_with('*'));
                    values.iter().filter(may_fit).any(|pattern| matches(pattern, word))
                })
            }
            Arg::Known(text) => values.iter().any(|pattern| matches(pattern, text)),
            Arg::Prefix(_) | Arg::Glob(_) => values.iter().any(|pattern| {
                let head = pattern.strip_suffix('*').filter(|head| !head.contains('*'));
                head.is_some_and(|head| arg.prefix().starts_with(head))
            }),
            Arg::Unknown | Arg::Many => values.contains(&"*"),
        }
}
