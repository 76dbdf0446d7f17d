//! Loops: their bodies are planned as often as it takes to know what every turn does.
//! Whether a loop ends, its condition says; see `endless`.

use super::endless::{Endless, never_ends};
use super::field::is_listed;
use super::input::Input;
use super::state::{State, Value};
use super::walk::Walker;
use crate::model::{Arg, Reason, Span};
use crate::syntax::{CommandKind, PartKind, Statement, Word};

/// Turns of a loop that are told apart when its words are known.
pub(super) const TURNS: usize = 12;
/// Passes over a loop until what is known at its start no longer changes.
const PASSES: usize = 6;

impl Walker<'_> {
    /// Runs `work`, the turns of a loop, knowing whether that ends.
    pub(super) fn around(&mut self, kind: &CommandKind, work: impl FnOnce(&mut Self)) {
        let outer = self.endless;
        let start = self.plan.commands.len();
        let is_endless = never_ends(kind);
        if is_endless {
            self.endless = Endless { around: true, awaited: false };
        }
        work(self);
        if is_endless {
            self.prints_without_end(start);
            self.grows_without_end(kind);
        }
        self.endless = outer;
    }

    pub(super) fn while_loop(&mut self, condition: &[Statement], body: &[Statement], until: bool) {
        let names = if until { None } else { self.loops_over_nothing(condition) };
        let set = |walker: &mut Self, value: &Value| {
            for name in names.iter().flatten() {
                walker.state.set(name, value.clone());
            }
        };
        let turn = |walker: &mut Self| {
            set(walker, &Value::printed(Self::names_of_nothing()));
            walker.statements(body);
        };
        self.repeat(span(body), |walker| walker.condition(condition), turn);
        set(self, &Value::Unknown);
    }

    pub(super) fn for_loop(
        &mut self,
        variable: &str,
        words: Option<&[Word]>,
        body: &[Statement],
        select: bool,
    ) {
        let numbers = words.is_some_and(|words| {
            !words.is_empty()
                && words.iter().all(|word| super::substitution::is_numeric_word(word, self))
        });
        self.told(variable, span(body));
        let start = self.sources.len();
        self.secret = None;
        let words = if let Some(words) = words {
            self.values(words)
        } else {
            self.secret = self.state.secret("@").map(str::to_owned);
            let words = self.state.positional.as_deref();
            let words = words.map_or_else(|| vec![Arg::Many], <[Arg]>::to_vec);
            words.into_iter().map(named).collect()
        };
        for (range, _) in self.sources.split_off(start) {
            for index in range {
                self.state.set_origin(variable, index);
            }
        }
        if let Some(of) = self.secret.take() {
            self.state.set_secret(variable, &of);
            if select {
                self.shows_secret(of, span(body));
            }
        }
        let is_list =
            words.iter().all(|word| !matches!(word, Value::Word(Arg::Many | Arg::Unknown)));
        if is_list && !select && words.len() <= TURNS {
            self.repeat_for(variable, &words, body);
            return;
        }
        let value = match numbers {
            // Nothing, where the answer is none of the numbers before the words.
            true if select => Value::PerhapsNumber,
            true => Value::Number,
            false if select => Value::Unknown,
            false => common(&words),
        };
        let turn = |walker: &mut Self| {
            if select {
                // The answer itself, and what it is read from has a line less.
                walker.state.set("REPLY", Value::Unknown);
                if walker.input.is_used_up() {
                    walker.input = Input::Unknown;
                }
            }
            walker.state.set(variable, value.clone());
            walker.statements(body);
        };
        self.repeat(span(body), |_| {}, turn);
    }

    /// Expands the words of a list to what a variable holds that takes each of them.
    fn values(&mut self, words: &[Word]) -> Vec<Value> {
        let mut values = Vec::with_capacity(words.len());
        for word in words {
            let mut found = Vec::new();
            let traits = self.expand_into(word, &mut found);
            // With `globstar`, one that is written goes down into directories too.
            let is_written = !self.state.globs.deep
                && word.parts.iter().any(|part| matches!(part.kind, PartKind::Glob(_)));
            let is_printed = found.len() == 1 && !traits.of_files;
            let value = |word| match is_written {
                _ if is_printed => Value::printed(word),
                true => self.names_of(word),
                false => named(word),
            };
            values.extend(found.into_iter().map(value));
        }
        values
    }

    fn repeat_for(&mut self, variable: &str, words: &[Value], body: &[Statement]) {
        let entry = self.state.clone();
        let outer = std::mem::take(&mut self.jumps);
        let mut landed = Vec::new();
        for word in words {
            let turn = |walker: &mut Self| {
                walker.state.set(variable, word.clone());
                walker.statements(body);
            };
            if may_be_many(word) {
                self.repeat(span(body), |_| {}, turn);
            } else {
                self.turn(0, &|_| {}, &turn);
            }
            landed.append(&mut self.jumps);
        }
        self.jumps = outer;
        let landed = self.land(landed);
        self.jumps.extend(landed);
        // What one turn changes the next one sees, and each was read with that; only a `break` or `continue`
        // could skip a change, so what differs from the entry is not known behind the loop.
        let mut exit = entry;
        if let Some(last) = words.last().filter(|word| !may_be_many(word)) {
            exit.set(variable, last.clone());
        }
        self.state.merge(&exit);
    }

    /// `for ((…))`
    pub(super) fn arithmetic_for(&mut self, expressions: &[Word; 3], body: &[Statement]) {
        let [first, condition, step] = expressions;
        self.arithmetic(first);
        // The others are evaluated again with what a turn has left, the last one only behind a turn.
        let again = |walker: &mut Self| {
            walker.perhaps(|walker| walker.arithmetic(step));
            walker.arithmetic(condition);
        };
        self.repeat(span(body), again, |walker| walker.statements(body));
    }

    /// Plans a loop until what is known at the start of its turns no longer changes: `condition`, behind which it may end, and the
    /// `body`, which runs any number of times.
    fn repeat(&mut self, span: Span, condition: impl Fn(&mut Self), body: impl Fn(&mut Self)) {
        let (mark, outer) = (self.mark(), self.jumps.len());
        let mut planned = None;
        for pass in 0..PASSES {
            let entry = self.state.clone();
            let (input, links) = (self.input.clone(), self.links.len());
            let end = self.turn(outer, &condition, &body);
            self.state.merge(&entry);
            // The next turn reads what this one left of the input, and meets its links.
            let is_same =
                self.state.same(&entry) && self.input == input && self.links.len() == links;
            // What a variable holds of the turn before, a command at the same place prints in this one.
            let count = self.plan.commands.len();
            let is_placed = planned.replace(count).is_none_or(|before| before == count);
            if is_same && is_placed {
                self.state = end;
                return;
            }
            if pass > 0 {
                self.state.widen(&entry);
            }
            // Once more with less known; what was planned with more known is planned again.
            self.rewind(mark);
            if pass == PASSES - 2 {
                self.state.taint();
                self.state.lose_directory();
            }
        }
        let entry = self.state.clone();
        let end = self.turn(outer, &condition, &body);
        self.state.merge(&entry);
        if !self.state.has_same_names(&entry) {
            self.opaque(Reason::DynamicCode, span);
        }
        self.state = end;
    }

    /// One turn of a loop; returns what is known where it ends instead. A jump out of it may as well leave the function or the loop
    /// around: it is kept for that.
    fn turn(
        &mut self,
        outer: usize,
        condition: &impl Fn(&mut Self),
        body: &impl Fn(&mut Self),
    ) -> State {
        self.loops += 1;
        condition(self);
        let mut end = self.state.clone();
        body(self);
        self.loops -= 1;
        let jumps = self.jumps.split_off(outer);
        let landed = self.land(jumps);
        if let Some(landed) = &landed {
            end.merge(landed);
        }
        self.jumps.extend(landed);
        self.state.dead = false;
        end.dead = false;
        end
    }
}

/// Returns the value of a variable that takes a word. What is listed of directories is no pattern of the shell's own, which `**` has
/// another meaning in.
fn named(word: Arg) -> Value {
    match word {
        Arg::Glob(pattern) if is_listed(&pattern) => Value::Pattern(pattern),
        word => Value::Word(word),
    }
}

/// Returns whether a word of a list stands for any number of words.
const fn may_be_many(word: &Value) -> bool {
    matches!(word, Value::Pattern(_) | Value::Named(_) | Value::Word(Arg::Glob(_)))
}

/// Where a body stands.
fn span(body: &[Statement]) -> Span {
    body.first().map_or_else(Span::default, |statement| statement.span)
}

/// What a variable may be that takes each of these words in turn.
fn common(words: &[Value]) -> Value {
    let numeric = !words.is_empty() && words.iter().all(Value::is_number);
    if numeric { Value::Number } else { Value::Unknown }
}
