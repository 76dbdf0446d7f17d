//! The way through one argv, word by word: is it an option, a subcommand, an operand?
//! What the options mean stands in `options`, what the operands mean in `operands`.

use std::collections::HashSet;

use super::compiled::{Blob, Deed, Harm, Meaning, Record, Role, matches};
use super::lookup::Ending;
use super::operands::assignment;
use super::schema::Style;
use super::{Carried, Interpretation, Touch, UnknownPart, UnknownWhat};
use crate::model::{Arg, EffectKind, NAMES, ProgramTrait};

/// What is known of an argv so far. `'c` is the catalog's lifetime, `'a` the argv's.
pub(super) struct Walk<'c, 'a> {
    pub(super) blob: Blob<'c>,
    pub(super) argv: &'a [Arg],
    /// Words that are one, though only a pattern is known of them.
    one: &'a [usize],
    /// The program, and each subcommand that was chosen.
    pub(super) levels: Vec<Record<'c>>,
    /// The options given that mean more than their value.
    pub(super) given: Vec<Given<'c>>,
    /// Spellings of options that others turn off.
    turned_off: HashSet<String>,
    /// Operands whose role is only known when all of them are.
    pub(super) words: Vec<Operand>,
    /// Whether what follows are operands, also with a dash.
    pub(super) ended: bool,
    /// What the next operand is.
    pub(super) stage: Stage,
    /// Whether an operand was met that is not in `words`.
    pub(super) consumed: bool,
    /// What `out` has as unknown, so that it is noted once.
    noted: HashSet<(usize, UnknownWhat)>,
    pub(super) out: Interpretation,
}

/// How far the choice of subcommands is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// The next operand is a subcommand.
    Selecting,
    /// What follows are operands of the last of the levels.
    Chosen,
    /// The subcommand is not known.
    Lost,
}

impl Stage {
    fn of(record: &Record<'_>) -> Self {
        let has_none = record.sub.len == 0 && record.sub_globs.is_empty();
        if has_none { Self::Chosen } else { Self::Selecting }
    }
}

/// An option that was given.
pub(super) struct Given<'c> {
    pub(super) meaning: Meaning<'c>,
    /// All its spellings, with blanks between.
    pub(super) spellings: &'c str,
    /// Its value, if it took one.
    pub(super) value: Option<Arg>,
    pub(super) index: usize,
    /// Whether what it replaces or fills holds: not for `--flag=false`, nor for a value that is not one of its `values`.
    pub(super) holds: bool,
}

/// An operand that waits for its role.
pub(super) struct Operand {
    pub(super) index: usize,
    pub(super) arg: Arg,
    pub(super) spread: Spread,
}

/// How many operands the program will see for one word of argv.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spread {
    One,
    /// It may be an option instead.
    ZeroOrOne,
    OneOrMore,
    ZeroOrMore,
}

impl Spread {
    /// The fewest.
    pub(super) const fn least(self) -> usize {
        match self {
            Self::One | Self::OneOrMore => 1,
            Self::ZeroOrOne | Self::ZeroOrMore => 0,
        }
    }

    /// The most, if there is a limit.
    pub(super) const fn most(self) -> Option<usize> {
        match self {
            Self::One | Self::ZeroOrOne => Some(1),
            Self::OneOrMore | Self::ZeroOrMore => None,
        }
    }
}

impl<'c, 'a> Walk<'c, 'a> {
    pub(super) fn new(
        blob: Blob<'c>,
        program: Record<'c>,
        argv: &'a [Arg],
        one: &'a [usize],
    ) -> Self {
        let out = Interpretation { program: program.name.to_owned(), ..Interpretation::default() };
        let stage = Stage::of(&program);
        Self {
            blob,
            argv,
            one,
            levels: vec![program],
            given: Vec::new(),
            turned_off: HashSet::new(),
            words: Vec::new(),
            ended: false,
            stage,
            consumed: false,
            noted: HashSet::new(),
            out,
        }
    }

    /// Returns how many operands the program will see for the word at `index`.
    pub(super) fn spread_of(&self, index: usize) -> Spread {
        match &self.argv[index] {
            Arg::Glob(_) if !self.one.contains(&index) => Spread::OneOrMore,
            Arg::Known(_) | Arg::Prefix(_) | Arg::Unknown | Arg::Glob(_) => Spread::One,
            Arg::Many => Spread::ZeroOrMore,
        }
    }

    /// Reads the whole argv.
    pub(super) fn interpretation(mut self) -> Interpretation {
        let mut index = 1;
        while index < self.argv.len() {
            index = self.word(index);
        }
        if self.asks_for_help() {
            self.out.unknown.clear();
            self.out.only_shows = true;
            return self.out;
        }
        self.carry_nothing();
        self.assign_operands();
        self.add_made();
        self.add_started();
        self.add_traits();
        self.add_deeds();
        self.out.passes_input = self.levels.iter().any(|level| level.passes_input);
        self.out.passes_environment = self.levels.iter().any(|level| level.passes_environment);
        let sets = self.levels.iter().flat_map(|level| &level.sets);
        self.out.sets = sets.map(|&name| name.to_owned()).collect();
        self.out.reads_input = self.levels.iter().any(|level| level.reads_input);
        self.out.in_repository = self.levels.iter().any(|level| level.in_repository);
        let bounds = || self.levels.iter().flat_map(|level| &level.bounds);
        self.out.is_bounded = bounds().any(|bound| self.is_given(bound))
            && !bounds().any(|bound| self.is_too_much(bound));
        let endless = || self.levels.iter().flat_map(|level| &level.endless);
        let is_taken_back = |word: &str| word.strip_prefix('!').is_some_and(|it| self.holds(it));
        if endless().any(|word| self.holds(word)) && !endless().any(|word| is_taken_back(word)) {
            let touch = Touch { kind: EffectKind::Endless, target: None, index: None };
            self.out.touches.push(touch);
        }
        let edits = self.levels.iter().flat_map(|level| &level.edits);
        self.out.edits = edits.map(|&file| file.to_owned()).collect();
        self.out
    }

    /// Whether `--help` stands behind the program or its subcommands, and nothing else, where the catalog does not say more of it. What runs
    /// a task hands it on.
    fn asks_for_help(&self) -> bool {
        let last = self.argv.len() - 1;
        let runs_task =
            self.levels.iter().flat_map(|level| &level.effects).any(|deed| match deed {
                Deed::Task(_) | Deed::Input(_) => true,
                Deed::Effect(_) => false,
            });
        self.current().help
            && last == self.levels.len()
            && self.argv[last].known() == Some("--help")
            && matches!(self.out.unknown.as_slice(), [part] if part.what == UnknownWhat::Option && part.index == Some(last))
            && self.levels.iter().all(|level| level.named.is_none())
            && !runs_task
    }

    pub(super) fn current(&self) -> &Record<'c> {
        // `new` puts the program there, and nothing is ever taken out.
        &self.levels[self.levels.len() - 1]
    }

    pub(super) fn unknown(&mut self, index: usize, what: UnknownWhat) {
        let part = UnknownPart { index: Some(index), what };
        if self.noted.insert((index, what)) {
            self.out.unknown.push(part);
        }
    }

    /// Notes what an option turns off: itself, where it does not hold (`--dry-run=false`), or another (`--no-dry-run`).
    pub(super) fn turn_off(&mut self, spellings: &str, holds: bool) {
        for spelling in spellings.split_whitespace() {
            let other = spelling.strip_prefix("--no-").map(|name| format!("--{name}"));
            self.turned_off.extend(other);
            if !holds {
                self.turned_off.insert(spelling.to_owned());
            }
        }
    }

    /// Returns whether an option is turned off as well. Which of the two counts is different from program to program, so their order does
    /// not matter.
    pub(super) fn is_taken_back(&self, option: &Given<'_>) -> bool {
        !self.turned_off.is_empty()
            && option.spellings.split_whitespace().any(|own| self.turned_off.contains(own))
    }

    /// Returns whether a bound is given: always, as an option, or as a keyword (`count=`).
    fn is_given(&self, bound: &str) -> bool {
        let is_keyword = |word: &Arg| bound.ends_with('=') && word.prefix().starts_with(bound);
        bound == "*"
            || self.out.gives(&[bound])
            || self.argv.iter().any(is_keyword)
            || bound.starts_with('=') && self.holds(bound)
    }

    /// Returns whether a bound is none because of its value (`!-c=*T`).
    fn is_too_much(&self, bound: &str) -> bool {
        bound.strip_prefix('!').is_some_and(|bound| self.holds(bound))
    }

    /// Returns whether an option is given with such a value (`-c=*T`), or such an operand (`=inf`).
    fn holds(&self, pattern: &str) -> bool {
        let Some((option, glob)) = pattern.split_once('=') else { return false };
        let fits = |word: &str| fast_glob::glob_match(glob, word);
        if option.is_empty() {
            let mut operands = self.out.operands.iter().map(|(at, _)| self.argv.get(*at));
            return operands.any(|word| word.and_then(Arg::known).is_some_and(fits));
        }
        let option = [option];
        let mut values = self.out.given(&option).filter_map(|given| given.value.as_ref()?.known());
        values.any(fits)
    }

    /// Reads the word at `index`; returns where to go on.
    fn word(&mut self, index: usize) -> usize {
        let arg = &self.argv[index];
        let style = self.current().style;
        if self.ended || style == Style::None {
            return self.operand(index);
        }
        if style == Style::Bundled
            && index == 1
            && !arg.prefix().starts_with('-')
            && let Some(next) = self.bundle(index)
        {
            return next;
        }
        match arg {
            Arg::Known(text) => self.known_word(index, text),
            Arg::Prefix(text) if text.starts_with('-') => {
                self.option_word(index, text, Ending::Open)
            }
            Arg::Glob(text) if text.starts_with('-') => {
                self.option_word(index, text, Ending::Pattern)
            }
            Arg::Prefix(text) => self.undashed_word(index, text, Ending::Open),
            Arg::Glob(_) | Arg::Unknown | Arg::Many => {
                self.suspect(index);
                self.operand(index)
            }
        }
    }

    fn known_word(&mut self, index: usize, text: &str) -> usize {
        if text == "--" {
            self.ended = true;
            if let Some(choice) = self.exactly(text) {
                return self.take(index, &choice, None, index + 1);
            }
            // Whether it ends the options of the subcommand too is different from program to program.
            if self.stage == Stage::Selecting {
                self.unknown(index, UnknownWhat::Option);
            }
            return index + 1;
        }
        if text.len() > 1 && text.starts_with('-') {
            return self.option_word(index, text, Ending::Known);
        }
        self.undashed_word(index, text, Ending::Known)
    }

    fn undashed_word(&mut self, index: usize, text: &str, ending: Ending) -> usize {
        if let Some((choice, attached)) = self.undashed(text, ending) {
            return self.take(index, &choice, attached, index + 1);
        }
        self.suspect(index);
        self.operand(index)
    }

    /// Notes it if the word, which is not wholly known, may turn out to be an option that matters.
    pub(super) fn suspect(&mut self, index: usize) {
        let harm = self.harm();
        let may = match &self.argv[index] {
            Arg::Known(_) => false,
            Arg::Prefix(text) if text.is_empty() => harm.any,
            Arg::Prefix(text) => text.starts_with('-') || (text.starts_with('+') && harm.any),
            Arg::Glob(pattern) => glob_may_be_option(pattern, harm),
            Arg::Unknown | Arg::Many => harm.any,
        };
        if may {
            self.unknown(index, UnknownWhat::MaybeOption);
        }
    }

    fn harm(&self) -> Harm {
        let shared = self.levels.iter().map(|level| level.shared.harm);
        shared.fold(self.current().options.harm, |a, b| Harm {
            any: a.any || b.any,
            acting: a.acting || b.acting,
            acting_with_value: a.acting_with_value || b.acting_with_value,
        })
    }

    /// Chooses the subcommand that the word names, if there is one.
    pub(super) fn subcommand(&mut self, index: usize) -> Option<usize> {
        self.stage = Stage::Chosen;
        let record = &self.levels[self.levels.len() - 1];
        let found = self.argv[index].known().and_then(|text| {
            let pattern = || record.sub_globs.iter().find(|(pattern, _)| matches(pattern, text));
            if let Some(at) = self.blob.find(record.sub, text) {
                let sub = self.blob.record(at)?;
                let name = if sub.aliases.contains(&text) { sub.name } else { text };
                return Some((name.to_owned(), sub));
            }
            Some((text.to_owned(), self.blob.record(pattern()?.1)?))
        });
        if let Some((name, sub)) = found {
            let is_command = sub.operands.first().is_some_and(|slot| slot.role == Role::ArgvItself);
            self.stage = Stage::of(&sub);
            let named = sub.named;
            self.levels.push(sub);
            self.out.subcommand.push(name);
            if let Some(role) = named {
                let arg = self.argv[index].clone();
                self.apply(role, &arg, index, UnknownWhat::Operand);
            }
            return (!is_command).then_some(index + 1);
        }
        if !record.operands.is_empty() && self.is_no_subcommand(index) {
            return None;
        }
        self.stage = Stage::Lost;
        self.unknown(index, UnknownWhat::Subcommand);
        let rest = index..self.argv.len();
        self.out.operands.extend(rest.map(|index| (index, "unknown".to_owned())));
        Some(self.argv.len())
    }

    /// Whether a word that names no subcommand cannot turn out to be one.
    fn is_no_subcommand(&self, index: usize) -> bool {
        let record = self.current();
        let head = match &self.argv[index] {
            Arg::Known(_) => return true,
            Arg::Prefix(text) => text.as_str(),
            Arg::Glob(pattern) => pattern.split(['*', '?', '[']).next().unwrap_or_default(),
            Arg::Unknown | Arg::Many => "",
        };
        let names = (0..record.sub.len).map_while(|at| self.blob.entry(record.sub, at));
        let exact = names.map(|(name, _)| name).any(|name| name.starts_with(head));
        let globs = record.sub_globs.iter().any(|(pattern, _)| {
            let start = pattern.split('*').next().unwrap_or_default();
            start.starts_with(head) || head.starts_with(start)
        });
        !exact && !globs
    }

    /// Whether a word that was taken as an option may be the value of another: `--unknown --help`. What it makes
    /// harmless may then do its harm.
    pub(super) fn is_doubtful(&self) -> bool {
        self.out.unknown.iter().any(|part| match part.what {
            UnknownWhat::Option | UnknownWhat::MaybeOption | UnknownWhat::Value => true,
            UnknownWhat::Program
            | UnknownWhat::Subcommand
            | UnknownWhat::Operand
            | UnknownWhat::Foreign => false,
        })
    }

    /// Whether there may be no operand. Variables for a command that does not follow are none: `env A=b`.
    fn may_be_bare(&self) -> bool {
        let record = self.current();
        let carries = record.operands.last().is_some_and(|slot| slot.role.is_rest());
        let counts = |word: &Operand| {
            word.spread.least() > 0 && !(carries && assignment(&word.arg).is_some())
        };
        !self.consumed && !self.words.iter().any(counts)
    }

    /// What is done to the working directory because no operand says what it is done to.
    fn done_here(&self, given: &[Given<'_>], is_replaced: bool) -> Vec<Touch> {
        let options = given.iter().filter(|option| option.holds);
        let options = options
            .flat_map(|option| option.meaning.here.iter().map(|deed| (deed, Some(option.index))));
        let options: Vec<_> = options.collect();
        let own = self.current().here.iter().map(|deed| (deed, None));
        let own = own.filter(|_| options.is_empty() && !is_replaced);
        let is_said = |kind: EffectKind| {
            let is_operand =
                |touch: &Touch| self.out.operands.iter().any(|(at, _)| touch.index == Some(*at));
            self.out.touches.iter().any(|touch| touch.kind == kind && is_operand(touch))
        };
        let here = options.iter().copied().chain(own).filter_map(|(deed, index)| match deed {
            Deed::Effect(kind) if !is_said(*kind) => {
                Some(Touch { kind: *kind, target: Some(Arg::Known(".".to_owned())), index })
            }
            Deed::Effect(_) | Deed::Input(_) | Deed::Task(_) => None,
        });
        here.collect()
    }

    /// Adds what the command is like with these options. What an option takes away is gone.
    fn add_traits(&mut self) {
        let own = self.levels.iter().flat_map(|level| &level.traits).map(|one| (*one, None));
        let given = self
            .given
            .iter()
            .flat_map(|option| option.meaning.traits.iter().map(|one| (*one, Some(option.index))));
        let is_left = |(one, _): &(ProgramTrait, Option<usize>)| {
            !self.given.iter().any(|option| option.meaning.without.contains(one))
        };
        self.out.traits = own.chain(given).filter(is_left).collect();
    }

    /// Adds what the command does without a word as target.
    fn add_deeds(&mut self) {
        let given = std::mem::take(&mut self.given);
        let holding = || given.iter().filter(|option| option.holds).map(|option| &option.meaning);
        let mut deeds: Vec<(Deed, Option<usize>)> = Vec::new();
        let mut here = Vec::new();
        let mut add = |list: &[Deed], index: Option<usize>| {
            for deed in list {
                if !deeds
                    .iter()
                    .any(|(known, at)| known == deed && (index.is_none() || *at == index))
                {
                    deeds.push((*deed, index));
                }
            }
        };
        let record = self.current();
        let replaces = |option: &&Given<'_>| option.holds && option.meaning.instead.is_some();
        let is_lasting = |option: &Given<'_>| !self.is_taken_back(option);
        let is_replaced = given.iter().any(|option| replaces(&option))
            && given.iter().filter(replaces).all(is_lasting)
            && !self.is_doubtful();
        holding().filter_map(|option| option.instead.as_ref()).for_each(|list| add(list, None));
        if !is_replaced && self.stage != Stage::Lost {
            add(&record.effects, None);
            if self.may_be_bare() && holding().all(|option| option.fills.is_empty()) {
                add(&record.bare, None);
            }
        }
        if self.stage != Stage::Lost {
            here = self.done_here(&given, is_replaced);
        }
        for option in &given {
            add(&option.meaning.effects, Some(option.index));
        }
        self.out.touches.extend(here);
        for (deed, index) in deeds {
            match deed {
                Deed::Effect(kind) => self.out.touches.push(Touch { kind, target: None, index }),
                Deed::Input(language) => self.out.carried.push(Carried::Input { language }),
                Deed::Task(runner) => self.out.carried.push(Carried::Task { runner, name: None }),
            }
        }
        let out = &self.out;
        let does_nothing = out.touches.is_empty() && out.carried.is_empty();
        self.out.only_shows =
            is_replaced && does_nothing && out.operands.is_empty() && out.unknown.is_empty();
    }
}

/// A pattern stands for file names, and a file may be called like an option.
fn glob_may_be_option(pattern: &str, harm: Harm) -> bool {
    let extended = ["@(", "+(", "!("].iter().any(|start| pattern.starts_with(start));
    let literal = pattern.split(['*', '?', '[']).next().unwrap_or(pattern);
    if literal.starts_with('-') {
        return true;
    }
    if pattern.starts_with(NAMES) {
        return false;
    }
    let set = pattern.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    if set.is_some_and(|(set, _)| set.bytes().all(|byte| byte.is_ascii_alphanumeric())) {
        return false;
    }
    if !literal.is_empty() && !extended {
        return false;
    }
    // No flag holds a dot or a slash, so `*.log` can only be one with its value: `-oX.log`.
    let tail = pattern.rsplit(['*', '?', ']', ')']).next().unwrap_or(pattern);
    if tail.contains(['.', '/']) { harm.acting_with_value } else { harm.acting }
}
