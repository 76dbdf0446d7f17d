//! Words that are operands: which role each has.

use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};

use super::compiled::{Role, Slot};
use super::schema::Style;
use super::walk::{Given, Operand, Spread, Stage, Walk};
use super::{Carried, Catalog, MoreWords, Place, Touch, UnknownWhat};
use crate::model::{Arg, EffectKind, Runner};

impl<'c> Walk<'c, '_> {
    /// Reads the word at `index` as a subcommand or operand; returns where to go on.
    pub(super) fn operand(&mut self, index: usize) -> usize {
        if self.stage == Stage::Selecting
            && let Some(next) = self.subcommand(index)
        {
            return next;
        }
        let spread = self.spread(index);
        self.ended |= self.current().stops;
        if self.keyword(index) {
            return index + 1;
        }
        if let Some(role) = self.rest_role(&self.argv[index]) {
            // Behind a word that may be several or an option, the command may begin elsewhere.
            let uncertain = self.words.iter().find(|word| word.spread != Spread::One);
            if let Some(word) = uncertain.map(|word| word.index) {
                self.unknown(word, UnknownWhat::Operand);
            }
            self.carry_rest(index, role);
            return self.argv.len();
        }
        let arg = self.argv[index].clone();
        self.words.push(Operand { index, arg, spread });
        index + 1
    }

    fn spread(&self, index: usize) -> Spread {
        let arg = &self.argv[index];
        let is_empty = matches!(arg, Arg::Unknown) || *arg == Arg::Prefix(String::new());
        let has_options = || {
            let shared = self.levels.iter().map(|level| &level.shared);
            std::iter::once(&self.current().options).chain(shared).any(|table| !table.is_empty())
        };
        if is_empty && !self.ended && self.current().style != Style::None && has_options() {
            return Spread::ZeroOrOne;
        }
        self.spread_of(index)
    }

    /// Reads `KEY=VALUE`; returns whether the word was one.
    fn keyword(&mut self, index: usize) -> bool {
        if self.current().keywords.is_empty() {
            return false;
        }
        let arg = &self.argv[index];
        let role = match assignment(arg) {
            Some((key, value)) => {
                let keywords = &self.current().keywords;
                let found = keywords.iter().find(|word| super::compiled::matches(word.key, key));
                found.map(|word| (word.text, word.role, value))
            }
            None if arg.known().is_some() => return false,
            None => None,
        };
        match role {
            Some((text, role, value)) => {
                self.out.operands.push((index, text.to_owned()));
                self.apply(role, &value, index, UnknownWhat::Operand);
            }
            None => self.unassigned(index),
        }
        true
    }

    fn unassigned(&mut self, index: usize) {
        self.consumed = true;
        self.out.operands.push((index, "unknown".to_owned()));
        self.unknown(index, UnknownWhat::Operand);
    }

    /// The role of all words from here on, if they are a command.
    fn rest_role(&self, arg: &Arg) -> Option<Role> {
        let replaced = self.given.iter().any(|option| option.meaning.operands.is_some());
        if !replaced && !self.current().operands.last().is_some_and(|slot| slot.role.is_rest()) {
            return None;
        }
        self.slot_lists().iter().find_map(|slots| {
            let (last, before) = slots.split_last()?;
            let single = before.iter().filter(|slot| !slot.repeats).count();
            let repeats = before.iter().any(|slot| slot.repeats);
            let reached = last.role.is_rest() && self.words.len() >= single;
            // An assignment of no name is one, too: `env =x rm`.
            (reached && !(repeats && arg.prefix().contains('='))).then_some(last.role)
        })
    }

    /// Notes the words from `start` to the end as a command.
    pub(super) fn carry_rest(&mut self, start: usize, role: Role) {
        self.consumed = true;
        let end = self.argv.len();
        let is_tool = matches!(role, Role::Tool | Role::PackageTool);
        let is_task = is_tool && self.is_task(start);
        if role == Role::PackageTool {
            let runner = if is_task { Runner::Package } else { Runner::Tool };
            let name = Some((self.argv[start].clone(), start));
            self.out.carried.push(Carried::Task { runner, name });
        }
        if is_task {
            let touch = Touch { kind: EffectKind::Build, target: None, index: Some(start) };
            self.out.touches.push(touch);
            for index in start..end {
                let arg = self.argv[index].clone();
                self.out.operands.push((index, "passed".to_owned()));
                self.apply(Role::Passed, &arg, index, UnknownWhat::Operand);
            }
            return;
        }
        let shell = |place| {
            let words = self.argv[start..].to_vec();
            Carried::Shell { words, index: start, place, more: MoreWords::None }
        };
        let argv = |more, place| Carried::Argv { start, end, more, place };
        let carried = match role {
            Role::ArgvAppended => argv(MoreWords::Appended, Place::Here),
            Role::ArgvInside => argv(MoreWords::None, Place::Elsewhere),
            Role::ShellRest => shell(Place::Here),
            Role::RemoteShellRest => shell(Place::Elsewhere),
            _ => argv(MoreWords::None, Place::Here),
        };
        self.out.carried.push(carried);
        if role == Role::ShellRest {
            self.listed_words(start);
            // Some join the words by blanks, others keep them apart (tmux, `git submodule foreach`): where that is not the same, it may be either.
            let has_blanks =
                |arg: &Arg| arg.known().is_some_and(|word| word.contains(char::is_whitespace));
            let (first, more) = (self.argv.get(start), self.argv.get(start + 1..).unwrap_or(&[]));
            let is_list = self.argv[start..].iter().any(|arg| arg.prefix().starts_with(":::"));
            let is_program = first.is_some_and(|first| !has_blanks(first));
            if is_program && !is_list && more.iter().any(has_blanks) {
                self.out.carried.push(argv(MoreWords::None, Place::Here));
            }
        }
    }

    /// What parallel(1) reads in its words: behind `::::` stand files whose lines are words, `{= CODE =}` is Perl.
    fn listed_words(&mut self, start: usize) {
        let mut are_files = false;
        for index in start..self.argv.len() {
            let arg = self.argv[index].clone();
            match arg.prefix() {
                ":::" | ":::+" => are_files = false,
                "::::" | "::::+" => are_files = true,
                _ if are_files => self.touch(EffectKind::Read, &arg, index),
                text if text.contains("{=") => self.unknown(index, UnknownWhat::Foreign),
                _ => {}
            }
        }
    }

    /// Notes that what appends words to a command has one of its own where none was named (POSIX, `xargs`).
    pub(super) fn carry_nothing(&mut self) {
        let appends = |slots: &Vec<Slot<'_>>| {
            slots.last().is_some_and(|slot| slot.role == Role::ArgvAppended)
        };
        if !self.consumed && self.words.is_empty() && self.slot_lists().iter().any(appends) {
            self.carry_rest(self.argv.len(), Role::ArgvAppended);
        }
    }

    /// Whether a word names no program of the catalog, and no file: then it is what the workspace calls so.
    fn is_task(&self, index: usize) -> bool {
        let is_name = |name: &&str| {
            name.len() > 1
                && name.starts_with(|c: char| c.is_ascii_alphanumeric())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c))
        };
        let name = self.argv[index].known().filter(is_name);
        name.is_some_and(|name| Catalog(self.blob).program(name).is_none())
    }

    /// The operands that the command has with the options given: several lists if several options replace them.
    fn slot_lists(&self) -> Vec<Vec<Slot<'c>>> {
        let holding =
            || self.given.iter().filter(|option| option.holds).map(|given| &given.meaning);
        let mut lists: Vec<Vec<Slot<'c>>> = Vec::new();
        for list in holding().filter_map(|option| option.operands.as_ref()) {
            if !lists.contains(list) {
                lists.push(list.clone());
            }
        }
        let softens = |list: &Vec<Slot<'_>>| list.iter().all(|slot| slot.role.is_inert());
        let replaces = |option: &&Given<'_>| option.holds && option.meaning.operands.is_some();
        let mut replacing = self.given.iter().filter(replaces);
        let is_taken_back = replacing.any(|option| self.is_taken_back(option));
        if lists.is_empty() || is_taken_back || (self.is_doubtful() && lists.iter().all(softens)) {
            lists.push(self.current().operands.clone());
        }
        let mut fills: Vec<_> =
            holding().map(|option| option.fills).filter(|fill| !fill.is_empty()).collect();
        fills.sort_unstable();
        fills.dedup();
        for list in &mut lists {
            for fill in &fills {
                if let Some(at) = list.iter().position(|slot| is_written(slot, fill)) {
                    list.remove(at);
                }
            }
        }
        lists
    }

    /// Gives each operand its role.
    pub(super) fn assign_operands(&mut self) {
        let words = std::mem::take(&mut self.words);
        let counts = Counts::of(&words);
        let mut done: HashSet<(usize, Option<&str>)> = HashSet::new();
        for slots in self.slot_lists() {
            for (at, word) in words.iter().enumerate() {
                for slot in possible_slots(&slots, &counts, word.spread, at) {
                    if !done.insert((word.index, slot.map(|slot| slot.text))) {
                        continue;
                    }
                    if slot.is_some_and(|slot| slot.role == Role::Mode)
                        && reads_as_path(&word.arg)
                        && let Some(paths) = slots.iter().find(|slot| slot.repeats)
                    {
                        self.apply(paths.role, &word.arg, word.index, UnknownWhat::Operand);
                    }
                    match slot {
                        Some(slot) => {
                            self.out.operands.push((word.index, slot.text.to_owned()));
                            self.apply(slot.role, &word.arg, word.index, UnknownWhat::Operand);
                        }
                        None => self.unassigned(word.index),
                    }
                }
            }
        }
        self.words = words;
    }
}

/// Returns the slots that the word at `at` may fall into, none where there may be no slot for it.
///
/// A pattern is one word or more and [`Arg::Many`] none or more, so behind and before such a word
/// the place of a word is a range: counted from the front for the slots before `...`, from the back for those after.
fn possible_slots<'c>(
    slots: &[Slot<'c>],
    counts: &Counts,
    own: Spread,
    at: usize,
) -> Vec<Option<Slot<'c>>> {
    let slots = match slots.split_last() {
        Some((last, before)) if last.role.is_rest() => before,
        _ => slots,
    };
    let repeating = slots.iter().position(|slot| slot.repeats);
    let (head, tail) = match repeating {
        Some(at) => (&slots[..at], &slots[at + 1..]),
        None => (slots, &[][..]),
    };
    let before = counts.places(0..at, own, head.len());
    let after = counts.places(at + 1..counts.words(), own, tail.len());
    let mut found = Vec::new();
    for front in before {
        if let Some(slot) = head.get(front) {
            found.push(Some(*slot));
            continue;
        }
        for back in after.clone() {
            let from_back = tail.len().checked_sub(back + 1);
            found.push(from_back.map(|at| tail[at]).or(repeating.map(|at| slots[at])));
        }
    }
    found.dedup();
    found
}

/// How many operands there may be before each word, so that a long argv is walked once and not once for each word.
struct Counts {
    /// The fewest and the most, each word counted as one at most, and how many words have no limit.
    sums: Vec<(usize, usize, usize)>,
}

impl Counts {
    fn of(words: &[Operand]) -> Self {
        let mut sums = Vec::with_capacity(words.len() + 1);
        let mut sum = (0, 0, 0);
        sums.push(sum);
        for word in words {
            let most = word.spread.most();
            sum.0 += word.spread.least();
            sum.1 += most.unwrap_or(0);
            sum.2 += usize::from(most.is_none());
            sums.push(sum);
        }
        Self { sums }
    }

    fn words(&self) -> usize {
        self.sums.len() - 1
    }

    /// Returns how many operands may stand among the words of a range, beside each word that `own` stands for, no more than
    /// `limit`, from where all places are alike.
    fn places(&self, words: Range<usize>, own: Spread, limit: usize) -> RangeInclusive<usize> {
        let (from, to) = (self.sums[words.start], self.sums[words.end]);
        let least = to.0 - from.0;
        let limited = own.most().is_some() && to.2 == from.2;
        let most = if limited { to.1 - from.1 } else { usize::MAX };
        least..=most.min(limit.max(least))
    }
}

/// Whether a word that should be a mode or owner is written as a path.
fn reads_as_path(arg: &Arg) -> bool {
    let text = arg.prefix();
    text.contains('/') || text.starts_with('~') || matches!(text, "." | "..")
}

/// Splits `NAME=VALUE` as far as it is known.
pub(super) fn assignment(arg: &Arg) -> Option<(&str, Arg)> {
    match arg {
        Arg::Known(text) => {
            text.split_once('=').map(|(name, value)| (name, Arg::Known(value.to_owned())))
        }
        Arg::Glob(text) => {
            text.split_once('=').map(|(name, value)| (name, Arg::Glob(value.to_owned())))
        }
        Arg::Prefix(text) => text.split_once('=').map(|(name, value)| match value {
            "" => (name, Arg::Unknown),
            _ => (name, Arg::Prefix(value.to_owned())),
        }),
        Arg::Unknown | Arg::Many => None,
    }
    .filter(|(name, _)| !name.is_empty())
}

/// Returns whether a family file spells the slot so.
fn is_written(slot: &Slot<'_>, text: &str) -> bool {
    let dots = slot.repeats || (slot.role.is_rest() && slot.role != Role::ArgvAppended);
    match text.strip_suffix("...") {
        Some(text) => dots && slot.text == text,
        None => !dots && slot.text == text,
    }
}
