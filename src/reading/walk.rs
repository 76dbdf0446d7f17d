//! The walk over a script, in the order in which bash would run it.

use std::collections::BTreeSet;
use std::mem::take;
use std::rc::Rc;

use super::choices::shown_in;
use super::endless::Endless;
use super::input::{Input, takes_input};
use super::linked::Link;
use super::patched::Patches;
use super::plan::{Flow, FlowKind, Plan};
use super::redirect::may_fail;
use super::reopened::Opened;
use super::scripts::{Followed, Scripts, Written};
use super::simple::Around;
use super::state::{State, Value};
use super::substitution::put_into_file;
use super::tasks::Recipes;
use super::traps::Trap;
use super::{Circumstances, Environment};
use crate::catalog::{Interpretation, Place};
use crate::model::{Arg, Effect, EffectKind, Facts, Opaque, Reason, Span, Target};
use crate::syntax::{
    AndOr, Command, CommandKind, Dialect, PartKind, Pipeline, Redirect, Script, Statement, Word,
    parse_for,
};

/// Carriers and substitutions inside each other beyond this are not followed: people do not write them.
const DEPTH: usize = 32;
/// Commands planned beyond this are not followed: loops in loops would multiply them.
pub(super) const COMMANDS: usize = 4_000;
/// Statements met beyond this are not followed: loops and functions in each other multiply them also where they plan
/// no command.
const STATEMENTS: usize = 20_000;

/// How spans of the text that is being read map to the line.
#[derive(Clone, Copy)]
pub(super) enum Mapping {
    /// It is part of the line, moved by this many bytes.
    Moved(usize),
    /// It has no bytes of its own there: all of it stands at this span.
    At(Span),
}

#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own about what is being read"
)]
pub(super) struct Walker<'a> {
    pub(super) facts: &'a Facts,
    pub(super) environment_is_exact: bool,
    pub(super) plan: Plan,
    pub(super) state: State,
    pub(super) via: Vec<String>,
    pub(super) parent: Option<usize>,
    /// The command that started the shell whose text is being read; none: it is the line's own.
    pub(super) shell: Option<usize>,
    pub(super) scripts: &'a dyn Scripts,
    pub(super) patches: Patches,
    /// Every script that was read, and those that are being read.
    pub(super) followed: Vec<Followed>,
    pub(super) following: Vec<String>,
    /// The files that the line wrote, where none were, and that are whole.
    pub(super) written: Vec<Written>,
    /// The tasks that are being read.
    pub(super) recipes: Recipes,
    pub(super) place: Place,
    pub(super) input: Input,
    /// The command that is to be planned next gets its input through a pipe.
    pub(super) is_piped: bool,
    pub(super) mapping: Mapping,
    pub(super) calls: Vec<(String, Vec<Rc<Command>>)>,
    /// The shell gets one text after another, and this is one of them.
    pub(super) is_fed: bool,
    /// Bodies of functions that have no bytes in the text.
    pub(super) elsewhere: Vec<Rc<Command>>,
    /// Commands whose output becomes words or files of the command that is being read.
    pub(super) sources: Vec<(std::ops::Range<usize>, FlowKind)>,
    /// What `/dev/fd/63` holds.
    pub(super) process: Input,
    /// What the names are that stand there, if it is a list of files.
    pub(super) process_names: Option<Arg>,
    /// How much code in other languages was read.
    pub(super) inner_bytes: usize,
    /// What the names on standard input are, where a command before lists files.
    pub(super) names: Option<Arg>,
    /// What the names are that the pipeline read last prints, if it lists files.
    pub(super) printed: Option<Arg>,
    /// Whether a variable that is not set was expanded.
    pub(super) met_unset: bool,
    /// What was known where the shell may have given up what it was doing, to go on with a later line.
    pub(super) given_up: Option<Box<State>>,
    /// A variable that holds a secret, if one was expanded in the words of the command that is being read.
    pub(super) secret: Option<String>,
    /// The texts of secrets that were expanded so far, and the variable of each.
    pub(super) secret_texts: Vec<(String, String)>,
    /// Variables of which nothing is known are taken as not set.
    pub(super) assumes_unset: bool,
    /// What is known where `return`, `break` and `continue` leave the function or loop that is being read.
    pub(super) jumps: Vec<State>,
    /// What is known where the shell that is being read ends before its last command.
    pub(super) exits: Option<Box<State>>,
    /// Texts around what is being read that `source` reads, within its function: `return` leaves the inmost.
    pub(super) sourced: usize,
    /// So many of the calls were made by the shells around the one that is being read: it knows nothing of them.
    pub(super) outer_calls: usize,
    /// Loops around what is being read, within its function.
    pub(super) loops: usize,
    /// The shell that reads what is being read.
    pub(super) dialect: Dialect,
    /// What is being read is a condition, so that `set -e` does not end it where something fails.
    pub(super) tested: bool,
    /// Where this was, and where `cd -` went, before the command that is being read moved: if it fails, it stays there.
    pub(super) left: Option<[Vec<Option<String>>; 2]>,
    /// Whether a loop without end stands around what is being read, and whether it waits for its jobs.
    pub(super) endless: Endless,
    /// What is to run later, when the shell or a subshell of it ends.
    pub(super) traps: Vec<Trap>,
    /// The links that the line makes.
    pub(super) links: BTreeSet<Link>,
    /// What redirections opened to be read.
    pub(super) opened: Vec<Opened>,
    pub(super) depth: usize,
    /// Statements met so far, each as often as it was.
    pub(super) met: usize,
    /// Bytes that words were expanded to so far.
    pub(super) expanded: usize,
}

impl<'a> Walker<'a> {
    pub(super) fn new(circumstances: &Circumstances<'a>) -> Self {
        let mut state = State::new(circumstances.facts.cwd.clone());
        state.positional = circumstances.positional.as_deref().map(Rc::from);
        if circumstances.environment == Environment::Exact && circumstances.dialect == Dialect::Bash
        {
            let given = circumstances.facts.environment.get("OLDPWD");
            state.previous = given.map(|given| Some(given.clone())).into_iter().collect();
        }
        Self {
            facts: circumstances.facts,
            environment_is_exact: circumstances.environment == Environment::Exact,
            plan: Plan::default(),
            state,
            via: Vec::new(),
            parent: None,
            shell: None,
            scripts: circumstances.scripts,
            patches: Patches::default(),
            followed: Vec::new(),
            following: Vec::new(),
            written: Vec::new(),
            recipes: Recipes::within(circumstances.facts.task.as_deref()),
            place: Place::Here,
            input: Input::given(circumstances.facts.input),
            is_piped: false,
            mapping: Mapping::Moved(0),
            calls: Vec::new(),
            is_fed: false,
            elsewhere: Vec::new(),
            sources: Vec::new(),
            process: Input::Unknown,
            process_names: None,
            inner_bytes: 0,
            names: None,
            printed: None,
            met_unset: false,
            given_up: None,
            secret: None,
            secret_texts: Vec::new(),
            assumes_unset: false,
            jumps: Vec::new(),
            exits: None,
            sourced: 0,
            outer_calls: 0,
            loops: 0,
            dialect: circumstances.dialect,
            tested: false,
            left: None,
            endless: Endless::default(),
            traps: Vec::new(),
            links: BTreeSet::new(),
            opened: Vec::new(),
            depth: 0,
            met: 0,
            expanded: 0,
        }
    }

    pub(super) fn finish(mut self) -> Plan {
        self.run_traps(0);
        self.follow_descriptors();
        self.follow_links();
        self.tell_what_is_emptied();
        self.tell_what_feeds_itself();
        self.tell_what_is_shown();
        self.tell_what_was_made();
        // What is moved may itself be what the line made.
        self.follow_moves();
        self.follow_unpacked();
        self.tell_what_was_made();
        self.run_settings_put_together();
        self.give_up_nothing();
        self.run_written_hooks();
        self.run_written_startup();
        self.distrust_rewritten_patches();
        self.distrust_changed_scripts();
        self.flows_through_files();
        self.tell_what_reads_own();
        self.plan.note_builds(self.facts);
        // What a variable may hold of another turn of a loop, no command prints there.
        let commands = self.plan.commands.len();
        self.plan.flows.retain(|flow| flow.from.end <= commands);
        self.plan
    }

    pub(super) fn span(&self, span: Span) -> Span {
        match self.mapping {
            Mapping::Moved(by) => span.shifted(by),
            Mapping::At(place) => place,
        }
    }

    pub(super) fn opaque(&mut self, reason: Reason, span: Span) {
        if self.recipes.stand_for(&reason) {
            return;
        }
        let opaque = Opaque { reason, span: self.span(span) };
        if !self.plan.opaque.contains(&opaque) {
            self.plan.opaque.push(opaque);
        }
    }

    pub(super) fn script(&mut self, script: &Script) {
        for opaque in &script.opaque {
            self.opaque(opaque.reason.clone(), opaque.span);
        }
        self.each(&script.statements, |walker| {
            // What was given up goes on here, if anywhere: the shell leaves all that it is in.
            if let Some(given_up) = &walker.given_up {
                walker.state.merge(given_up);
            }
        });
    }

    /// Plans what runs before the line: it has no bytes there.
    pub(super) fn first(&mut self, script: &Script) {
        let place = Mapping::At(Span::new(0, 0));
        self.with(|walker| &mut walker.mapping, place, |walker| walker.script(script));
    }

    /// Runs `work` while something of this walker has another value.
    pub(super) fn with<T, R>(
        &mut self,
        field: fn(&mut Self) -> &mut T,
        value: T,
        work: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = std::mem::replace(field(self), value);
        let found = work(self);
        *field(self) = outer;
        found
    }

    /// Runs `work` while nothing is known of what stands on standard input.
    pub(super) fn with_any_input<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        self.with(|walker| &mut walker.input, Input::Unknown, work)
    }

    /// Runs `work` one level deeper; past the limit the span is opaque instead.
    pub(super) fn deeper(&mut self, span: Span, work: impl FnOnce(&mut Self)) {
        if self.depth >= DEPTH {
            self.opaque(Reason::TooDeep, span);
            return;
        }
        if self.plan.commands.len() > COMMANDS {
            self.opaque(Reason::TooManyParts, span);
            return;
        }
        self.depth += 1;
        work(self);
        self.depth -= 1;
    }

    /// Runs `work` as a subshell: what it changes stays there.
    pub(super) fn subshell(&mut self, work: impl FnOnce(&mut Self)) -> State {
        let (before, traps) = (self.state.clone(), self.traps.len());
        // Shells are not at one about loops that a subshell stands in.
        let left = (take(&mut self.jumps), take(&mut self.loops));
        let ends = (self.exits.take(), self.given_up.take());
        self.with(|walker| &mut walker.endless.awaited, false, work);
        // What is given up there, is given up as a whole.
        if let Some(given_up) = self.given_up.take() {
            self.may_exit(*given_up);
        }
        self.run_traps(traps);
        (self.exits, self.given_up) = ends;
        (self.jumps, self.loops) = left;
        std::mem::replace(&mut self.state, before)
    }

    /// Runs what may be left out, and with it what it changes.
    pub(super) fn perhaps<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.state.clone();
        let found = work(self);
        if !self.state.same(&before) {
            self.state.merge(&before);
        }
        found
    }

    /// Goes on where jumps lead; returns what is known there if any did.
    pub(super) fn land(&mut self, jumps: Vec<State>) -> Option<State> {
        let landed = joined(jumps)?;
        self.state.merge(&landed);
        Some(landed)
    }

    /// Plans shell text that the line carries in a word: `bash -c TEXT`, `eval TEXT`.
    pub(super) fn shell_text(&mut self, text: &str, span: Span) {
        let place = Mapping::At(self.span(span));
        self.deeper(span, |walker| {
            let script = parse_for(text.as_bytes(), walker.dialect);
            if walker.state.globs.extended && has_extended_glob(text) {
                // It was read without what `shopt -s extglob` adds.
                walker.opaque(Reason::DynamicCode, span);
            }
            let outer = walker.recipes.take_in(text);
            walker.with(|walker| &mut walker.mapping, place, |walker| walker.script(&script));
            walker.recipes.leave(outer);
        });
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) {
        self.each(statements, |_| {});
    }

    fn each(&mut self, statements: &[Statement], behind: impl Fn(&mut Self)) {
        for (position, statement) in statements.iter().enumerate() {
            if self.plan.commands.len() > COMMANDS || self.met >= STATEMENTS {
                self.opaque(Reason::TooManyParts, statement.span);
                return;
            }
            self.met += 1;
            if self.endless.around {
                let awaited = self.endless.awaited;
                self.endless.awaited |= self.waits(&statements[position + 1..]);
                self.statement(statement);
                self.endless.awaited = awaited;
            } else {
                self.statement(statement);
            }
            behind(self);
        }
    }

    /// Notes that an expansion may fail: then bash leaves all that it is in, and goes on behind the line.
    pub(super) fn may_give_up(&mut self) {
        let here = self.given_up.get_or_insert_with(|| Box::new(self.state.clone()));
        here.merge(&self.state);
    }

    fn statement(&mut self, statement: &Statement) {
        if statement.background {
            self.starts_job(statement.span);
            self.beside(|walker| drop(walker.subshell(|walker| walker.and_or(statement))));
            self.state.has_job = true;
        } else {
            self.and_or(statement);
        }
    }

    /// What stands behind `&&` runs where what is before it succeeded, whichever part of that was the last; behind `||`, where
    /// it failed.
    fn and_or(&mut self, statement: &Statement) {
        // Only what stands last ends the shell by `set -e` (bash manual, `set`).
        let outer = self.tested;
        self.tested = outer || !statement.rest.is_empty();
        let mut failed = self.pipeline(&statement.first);
        for (at, (operator, pipeline)) in statement.rest.iter().enumerate() {
            let is_last = at + 1 == statement.rest.len();
            self.tested = outer || !is_last;
            match operator {
                AndOr::And => {
                    let mut before = failed;
                    failed = self.pipeline(pipeline);
                    if is_last {
                        self.end_if_failed(&mut failed, pipeline);
                    }
                    before.tell_directories_once();
                    failed.merge(&before);
                }
                AndOr::Or => {
                    let mut before = std::mem::replace(&mut self.state, failed);
                    failed = self.pipeline(pipeline);
                    if is_last {
                        self.end_if_failed(&mut failed, pipeline);
                    }
                    before.tell_directories_once();
                    self.state.merge(&before);
                }
            }
        }
        self.tested = outer;
        if statement.rest.is_empty() {
            self.end_if_failed(&mut failed, &statement.first);
        }
        failed.tell_directories_once();
        self.state.merge(&failed);
    }

    /// Notes that the shell may end here.
    pub(super) fn may_exit(&mut self, state: State) {
        if self.traps.is_empty() || state.dead {
            return;
        }
        match &mut self.exits {
            Some(exits) => exits.merge(&state),
            None => self.exits = Some(Box::new(state)),
        }
    }

    /// By `set -e` the shell ends where this pipeline fails.
    fn end_if_failed(&mut self, failed: &mut State, pipeline: &Pipeline) {
        if self.state.errexit && !self.tested && !pipeline.negated {
            self.may_exit(failed.clone());
            failed.dead = true;
        }
    }

    /// Plans a pipeline; leaves the state after success and returns the one after failure.
    fn pipeline(&mut self, pipeline: &Pipeline) -> State {
        let outer = self.tested;
        let left = self.left.take();
        self.tested |= pipeline.negated;
        let start = self.plan.commands.len();
        match pipeline.commands.as_slice() {
            [] => {}
            [command] => {
                let put = put_into_file(command, self);
                self.command(command);
                self.note_written(put, command.span);
                self.printed = self.listed(start);
            }
            commands => self.stages(commands),
        }
        self.tested = outer;
        // Only a failing `cd` leaves things as they were; all else that fails may have done its work, as may what is around one.
        let mut failed = self.state.clone();
        if let Some([directories, previous]) = std::mem::replace(&mut self.left, left) {
            (failed.directories, failed.previous) = (directories, previous);
        }
        if pipeline.negated { std::mem::replace(&mut self.state, failed) } else { failed }
    }

    fn stages(&mut self, commands: &[Command]) {
        let names = self.names.take();
        let mut input = self.input.clone();
        let mut before: Option<std::ops::Range<usize>> = None;
        for (position, command) in commands.iter().enumerate() {
            let start = self.plan.commands.len();
            if position > 0 {
                self.input = match position {
                    1 => self.input_of_output(&commands[0]),
                    _ => Input::Unknown,
                };
            }
            self.is_piped = position > 0;
            let is_last = position + 1 == commands.len();
            let dialect = self.dialect;
            self.beside(|walker| match dialect {
                // There the last one runs in this shell.
                Dialect::Zsh | Dialect::Ksh if is_last => walker.command(command),
                Dialect::Posix if is_last => walker.perhaps(|walker| walker.command(command)),
                _ => drop(walker.subshell(|walker| walker.command(command))),
            });
            if position == 0 {
                input.clone_from(&self.input);
            }
            let range = start..self.plan.commands.len();
            self.names = self.listed(start);
            if let Some(from) = before.replace(range.clone()) {
                let kind = super::redirect::piped(&commands[position - 1]);
                self.plan.flows.push(Flow { from, to: range, kind });
            }
        }
        self.printed = self.names.take();
        (self.input, self.names) = (input, names);
    }

    /// What the names are that the stage planned from `start` on prints, if it lists files or passes a list on.
    fn listed(&self, start: usize) -> Option<Arg> {
        let command = self.plan.commands.get(start)?;
        if self.plan.commands.len() > start + 1 || !command.unknown.is_empty() {
            return None;
        }
        self.printed_names(command)
    }

    pub(super) fn command(&mut self, command: &Command) {
        if let CommandKind::Simple(simple) = &command.kind {
            self.simple(simple, &command.redirects, command.span);
            return;
        }
        let outer = (self.input.clone(), self.names.clone());
        let is_piped = std::mem::take(&mut self.is_piped);
        let open = |walker: &mut Self| walker.compound_redirects(&command.redirects, command.span);
        // A subshell opens them by itself.
        let is_subshell = matches!(command.kind, CommandKind::Subshell(_));
        let opened = if is_subshell { self.perhaps(open) } else { open(self) };
        self.join_pipe(is_piped, &command.redirects);
        let shares_input = self.shares_input(&command.redirects);
        let skipped = command.redirects.iter().any(may_fail).then(|| self.state.clone());
        let start = self.plan.commands.len();
        self.deeper(command.span, |walker| walker.compound(command));
        let inside = start..self.plan.commands.len();
        for (index, is_read) in opened {
            let outside = index..index + 1;
            let (from, to) =
                if is_read { (outside, inside.clone()) } else { (inside.clone(), outside) };
            self.plan.flows.push(Flow { from, to, kind: FlowKind::File });
        }
        if let Some(skipped) = skipped {
            self.state.merge(&skipped);
        }
        if command.redirects.iter().any(takes_input) {
            self.input = self.left_of(outer.0, shares_input);
            self.names = outer.1;
        }
    }

    /// Redirections of a compound command stand as commands of their own before it: one that opens what it reads, one
    /// for what it writes. Returns them, and whether each is read.
    fn compound_redirects(&mut self, redirects: &[Redirect], span: Span) -> Vec<(usize, bool)> {
        let start = self.sources.len();
        let (effects, _) = self.redirects(redirects);
        let sources = self.sources.split_off(start);
        let (reads, writes): (Vec<Effect>, Vec<Effect>) =
            effects.into_iter().partition(|effect| effect.kind == EffectKind::Read);
        let mut opened = Vec::new();
        if !reads.is_empty() || !sources.is_empty() {
            let index = self.bare(span, reads);
            self.link(sources, index);
            opened.push((index, true));
        }
        if !writes.is_empty() {
            opened.push((self.bare(span, writes), false));
        }
        opened
    }

    /// Adds a command without words: redirections or assignments that stand alone.
    pub(super) fn bare(&mut self, span: Span, effects: Vec<Effect>) -> usize {
        let opened = effects.len();
        let around = Around { span, effects, opened, ..Around::default() };
        self.add(Vec::new(), Interpretation::default(), around)
    }

    /// Records that the output of `sources` goes into command `index`, or its output into them (`>(…)`).
    pub(super) fn link(&mut self, sources: Vec<(std::ops::Range<usize>, FlowKind)>, index: usize) {
        for (from, kind) in sources {
            let of = index..index + 1;
            let (from, to) = if kind == FlowKind::Branch { (of, from) } else { (from, of) };
            if !from.is_empty() && !to.is_empty() {
                self.plan.flows.push(Flow { from, to, kind });
            }
        }
    }

    fn compound(&mut self, command: &Command) {
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple, &[], command.span),
            CommandKind::Group(statements) => self.statements(statements),
            CommandKind::Subshell(statements) => {
                self.subshell(|walker| walker.statements(statements));
            }
            CommandKind::If { branches, otherwise } => {
                self.branches(branches, otherwise.as_deref());
            }
            CommandKind::For { variable, words, body, select } => {
                let plan = |walker: &mut Self| {
                    walker.for_loop(variable, words.as_deref(), body, *select);
                };
                if !self.for_each_value(&shown_in(words.as_deref().unwrap_or_default()), plan) {
                    plan(self);
                }
            }
            CommandKind::ArithmeticFor { expressions, body } => {
                self.around(&command.kind, |walker| walker.arithmetic_for(expressions, body));
            }
            CommandKind::While { condition, body, until } => {
                self.around(&command.kind, |walker| {
                    walker.while_loop(condition, body, *until);
                });
            }
            CommandKind::Case { word, arms } => self.case(word, arms),
            CommandKind::Function { name, body } => self.define(name, body),
            CommandKind::Test(words) => self.test(words),
            CommandKind::Arithmetic(expression) => self.arithmetic(expression),
            CommandKind::Coproc { name, body } => {
                self.starts_job(command.span);
                let name = name.as_deref().unwrap_or("COPROC");
                self.state.set(name, Value::Unknown);
                self.state.set(&format!("{name}_PID"), Value::Unknown);
                let run = |walker: &mut Self| drop(walker.subshell(|walker| walker.command(body)));
                self.beside(|walker| walker.with_any_input(run));
                self.state.has_job = true;
            }
        }
    }

    fn branches(
        &mut self,
        branches: &[(Vec<Statement>, Vec<Statement>)],
        otherwise: Option<&[Statement]>,
    ) {
        let mut ends: Vec<State> = Vec::new();
        for (condition, body) in branches {
            self.condition(condition);
            let untaken = self.state.clone();
            self.statements(body);
            ends.push(std::mem::replace(&mut self.state, untaken));
        }
        if let Some(body) = otherwise {
            self.statements(body);
        }
        for end in &ends {
            self.state.merge(end);
        }
    }

    /// What is tested; that it fails ends nothing.
    pub(super) fn condition(&mut self, statements: &[Statement]) {
        self.with(|walker| &mut walker.tested, true, |walker| walker.statements(statements));
    }

    fn case(&mut self, word: &Word, arms: &[(Vec<Word>, Vec<Statement>)]) {
        self.text(word);
        let before = self.state.clone();
        let mut ends = Vec::with_capacity(arms.len());
        for (patterns, body) in arms {
            // They are looked at until one fits.
            self.perhaps(|walker| patterns.iter().for_each(|pattern| drop(walker.text(pattern))));
            // `;&` falls through, so an arm may run after any other.
            let mut entry = before.clone();
            entry.merge(&self.state);
            let after = std::mem::replace(&mut self.state, entry);
            self.statements(body);
            ends.push(self.state.clone());
            self.state.merge(&after);
        }
        let fits_all = |pattern: &Word| match pattern.parts.as_slice() {
            [part] => !part.quoted && matches!(&part.kind, PartKind::Glob(text) if text == "*"),
            _ => false,
        };
        // Then one of the arms is taken.
        if arms.iter().any(|(patterns, _)| patterns.iter().any(fits_all))
            && let Some(taken) = joined(ends)
        {
            self.state = taken;
        }
    }

    fn define(&mut self, name: &str, body: &Command) {
        if name == "command_not_found_handle" {
            // Runs for every name that is not found.
            self.with_any_input(|walker| {
                walker.subshell(|walker| {
                    walker.state.positional = None;
                    walker.command(body);
                })
            });
        }
        self.state.define(name, Rc::new(body.clone()));
    }

    /// Plans a call of a function; recursion is followed once.
    pub(super) fn call(&mut self, name: &str, bodies: &[Rc<Command>], argv: &[Arg], span: Span) {
        let is_again = self.calls.iter().any(|(caller, _)| caller == name);
        if is_again {
            let target = Target::Text { text: Some(format!("{name} calls itself")) };
            self.bare(span, vec![Effect { kind: EffectKind::Halt, target }]);
            // It may have made something else of itself.
            if self.calls.iter().filter(|call| call.0 == name && call.1 == bodies).count() > 1 {
                return;
            }
            // With whatever words, after whatever the turns before it did; deeper ones do the same.
            self.state.taint();
        }
        self.calls.push((name.to_owned(), bodies.to_vec()));
        let words = (!is_again).then(|| Rc::from(&argv[1..]));
        let positional = std::mem::replace(&mut self.state.positional, words);
        let mut ends: Vec<State> = Vec::new();
        let locals = self.state.enter_function();
        let outer = (take(&mut self.jumps), take(&mut self.loops), take(&mut self.sourced));
        for body in bodies {
            let before = self.state.clone();
            let place = self.mapping_of(body, span);
            self.deeper(span, |walker| {
                walker.with(|walker| &mut walker.mapping, place, |walker| walker.command(body));
            });
            let returns = std::mem::take(&mut self.jumps);
            self.land(returns);
            self.state.dead = false;
            self.state.leave_function(&locals);
            ends.push(std::mem::replace(&mut self.state, before));
        }
        if let Some(ends) = joined(ends) {
            self.state = ends;
        }
        (self.jumps, self.loops, self.sourced) = outer;
        self.state.positional = positional;
        self.calls.pop();
    }

    pub(super) fn process_input(&mut self, script: &Script) {
        let start = self.plan.commands.len();
        self.process = match super::substitution::only_command(script) {
            Some(command) => self.input_of_output(command),
            None => Input::Unknown,
        };
        self.printed = None;
        self.beside(|walker| walker.nested(script));
        self.process_names = self.printed.take().filter(|_| is_one(script));
        let range = start..self.plan.commands.len();
        self.sources.push((range, FlowKind::File));
    }

    pub(super) fn process_output(&mut self, script: &Script) {
        let start = self.plan.commands.len();
        self.beside(|walker| walker.with_any_input(|walker| walker.nested(script)));
        self.sources.push((start..self.plan.commands.len(), FlowKind::Branch));
    }

    /// Plans a command substitution and returns what it becomes, where that is plain to see.
    pub(super) fn substitution(&mut self, script: &Script) -> Value {
        let mut value = super::substitution::value(script, self);
        let start = self.plan.commands.len();
        self.printed = None;
        self.nested(script);
        if let Some(names) = self.printed.take().filter(|_| is_one(script))
            && value == Value::Unknown
        {
            value = match names {
                Arg::Glob(pattern) => Value::Printed(pattern),
                names => Value::Word(names),
            };
        }
        let range = start..self.plan.commands.len();
        self.sources.push((range, FlowKind::Substitution));
        if self.state.traces && self.state.journal.is_begun() {
            // A trap may print there too.
            value = Value::Unknown;
        }
        value
    }

    fn nested(&mut self, script: &Script) {
        let sources = std::mem::take(&mut self.sources);
        let process = self.process.clone();
        self.deeper(script.span, |walker| {
            walker.subshell(|walker| {
                // Bash begins a substitution without `set -e`.
                walker.state.errexit &= walker.dialect == Dialect::Posix;
                walker.script(script);
            });
        });
        self.process = process;
        self.sources = sources;
    }
}

/// Returns what is known where several ways meet.
fn joined(ways: Vec<State>) -> Option<State> {
    ways.into_iter().reduce(|mut one, other| {
        one.merge(&other);
        one
    })
}

/// Whether a script is one pipeline.
fn is_one(script: &Script) -> bool {
    let [one] = script.statements.as_slice() else { return false };
    one.rest.is_empty() && !one.background
}

/// Whether text may hold a pattern that only `shopt -s extglob` makes one.
pub(super) fn has_extended_glob(text: &str) -> bool {
    ["?(", "*(", "+(", "@(", "!("].iter().any(|open| text.contains(open))
}
