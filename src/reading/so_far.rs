//! What is known of a shell that runs one text after another and keeps its state: each is planned in what those before it left.
//! What a text leaves on disk is not kept here: it is there when the next one is read.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use super::hooked::makes;
use super::plan::{Flow, Plan, PlannedCommand};
use super::reopened::{self, Opened};
use super::scripts::Written;
use super::state::State;
use super::walk::{Mapping, Walker, has_extended_glob};
use super::{Circumstances, SoFar};
use crate::model::{Arg, Effect, EffectKind, PathClass, Reason, Span};
use crate::syntax::{Command, Descriptor, Redirect, RedirectOperator, Script, parse_for};

/// Commands of earlier texts that are kept, beyond which the oldest are forgotten; and those of them that put something somewhere.
const EARLIER: usize = 64;
const PUTTING: usize = 32;

/// The first descriptor that shells take for themselves, as for what they read their program from (bash, `SHELL_FD_BASE`; dash and zsh
/// likewise).
const OWN: u32 = 10;

/// What a text leaves behind.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    state: State,
    /// What traps run, and whether at the end alone.
    traps: Vec<(String, bool)>,
    secret_texts: Vec<(String, String)>,
    /// The commands that later texts may have to do with, and what went from one into another.
    commands: Vec<PlannedCommand>,
    flows: Vec<Flow>,
    /// The files that they wrote.
    written: Vec<Written>,
    /// What redirections opened to be read.
    opened: Vec<Opened>,
    /// The shell may read text otherwise than it is read here.
    reads_otherwise: bool,
}

impl SoFar {
    /// Returns whether each of these names means the shell's own command of that name.
    #[must_use]
    pub fn means_own(&self, names: &[&str]) -> bool {
        let Some(kept) = &self.0 else { return true };
        !kept.state.is_shadowed("*") && names.iter().all(|name| kept.state.is_free(name))
    }

    /// Returns whether what the shell runs between two texts may read standard input: a trap, or a prompt of `set -x`.
    #[must_use]
    pub fn may_read_between(&self) -> bool {
        let Some(kept) = &self.0 else { return false };
        let prompt = kept.state.variable("PS4").map(super::state::Value::word);
        let runs = |word: Arg| word.known().is_none_or(|text| text.contains(['$', '`', '\\']));
        kept.state.journal.reads() || prompt.is_some_and(runs)
    }
}

/// Plans a text in what those before it left; returns what it leaves itself.
pub(super) fn plan_next(
    text: &str,
    script: &Script,
    circumstances: &Circumstances<'_>,
    so_far: &SoFar,
) -> (Plan, SoFar) {
    let kept = so_far.0.as_ref();
    let mut walker = Walker::new(circumstances);
    walker.is_fed = true;
    match kept {
        None => circumstances.before.iter().for_each(|before| walker.first(before)),
        Some(kept) => walker.take_up(kept, circumstances),
    }
    walker.note_bodies();
    let reads_otherwise = kept.is_some_and(|kept| kept.reads_otherwise);
    if reads_otherwise || walker.state.globs.extended && has_extended_glob(text) {
        walker.opaque(Reason::DynamicCode, script.span);
    }
    walker.script(script);
    let mut left = walker.leave();
    let plan = walker.finish();
    left.reads_otherwise |= reads_otherwise || switches_reading(&plan);
    left.keep(&plan);
    (plan, SoFar(Some(left)))
}

/// Whether a command of a plan switches how the shell reads to what is not read here.
fn switches_reading(plan: &Plan) -> bool {
    let mut switches = plan.commands.iter().filter(|command| {
        matches!(command.program(), Some("set" | "shopt" | "setopt" | "unsetopt" | "emulate"))
    });
    switches.any(|command| plan.opaque.iter().any(|opaque| opaque.span == command.span))
}

impl Kept {
    /// Keeps the commands of a plan that later texts may have to do with: whose output variables hold, and which put something somewhere.
    fn keep(&mut self, plan: &Plan) {
        let mut used: BTreeSet<usize> = self.state.origins.values().flatten().copied().collect();
        used.retain(|index| *index < plan.commands.len());
        let puts = |command: &PlannedCommand| command.effects.iter().any(puts_something);
        let putting = plan.commands.iter().enumerate().rev().filter(|(_, it)| puts(it));
        used.extend(putting.map(|(index, _)| index).take(PUTTING));
        // What went into them counts too.
        let mut open: Vec<usize> = used.iter().copied().collect();
        while let Some(index) = open.pop() {
            let into = plan.flows.iter().filter(|flow| flow.to.contains(&index));
            let from: Vec<usize> = into.flat_map(|flow| flow.from.clone()).collect();
            open.extend(from.into_iter().filter(|from| used.insert(*from)));
        }
        let used: Vec<usize> = used.into_iter().rev().take(EARLIER).collect();
        let used: Vec<usize> = used.into_iter().rev().collect();
        let place = |index: &usize| used.binary_search(index).ok();
        let within = |range: &Range<usize>| {
            used.partition_point(|index| *index < range.start)
                ..used.partition_point(|index| *index < range.end)
        };
        let origins = Rc::make_mut(&mut self.state.origins);
        for commands in origins.values_mut() {
            *commands = commands.iter().filter_map(place).collect();
        }
        origins.retain(|_, commands| !commands.is_empty());
        let written = std::mem::take(&mut self.written).into_iter();
        let kept = |it: Written| place(&it.by).map(|by| Written { by, ..it });
        self.written = written.filter_map(kept).collect();
        let flows = plan.flows.iter().map(|flow| Flow {
            from: within(&flow.from),
            to: within(&flow.to),
            kind: flow.kind,
        });
        self.flows = flows.filter(|flow| !flow.from.is_empty() && !flow.to.is_empty()).collect();
        let command = |index: &usize| PlannedCommand {
            span: Span::new(0, 0),
            parent: None,
            ..plan.commands[*index].clone()
        };
        self.commands = used.iter().map(command).collect();
    }
}

/// Whether an effect puts something where another command may find it.
fn puts_something(effect: &Effect) -> bool {
    (makes(effect.kind) || effect.kind == EffectKind::Move)
        && effect.path().is_some()
        && effect.target.class() != Some(PathClass::Null)
}

impl Walker<'_> {
    /// Begins where an earlier text ended. Where the shell is, is known from the shell.
    fn take_up(&mut self, kept: &Kept, circumstances: &Circumstances<'_>) {
        self.state = kept.state.clone();
        // What does not run in the end changes nothing.
        self.state.journal = kept.state.journal.apart();
        if circumstances.facts.cwd.is_some() {
            self.state.directories = vec![circumstances.facts.cwd.clone()];
        }
        self.plan.commands.clone_from(&kept.commands);
        self.plan.flows.clone_from(&kept.flows);
        self.plan.earlier = kept.commands.len();
        self.written.clone_from(&kept.written);
        self.opened.clone_from(&kept.opened);
        self.secret_texts.clone_from(&kept.secret_texts);
        for (text, at_end) in &kept.traps {
            let signal = if *at_end { "EXIT" } else { "DEBUG" };
            let trap = format!("trap -- {} {signal}", shell_words::quote(text));
            self.first(&parse_for(trap.as_bytes(), circumstances.dialect));
        }
    }

    /// Returns how many commands of earlier texts have surely ended: what they did is there. A job may go on.
    pub(super) const fn done(&self) -> usize {
        if self.state.has_job { 0 } else { self.plan.earlier }
    }

    /// Notes which functions are there before the text: their bodies have no bytes in it.
    fn note_bodies(&mut self) {
        let bodies = self.state.functions.values().flat_map(|bodies| bodies.iter());
        self.elsewhere = bodies.cloned().collect();
    }

    /// Returns how the bytes of a function's body map to the text, where a call of it stands at this span.
    pub(super) fn mapping_of(&self, body: &Rc<Command>, call: Span) -> Mapping {
        let is_elsewhere = self.elsewhere.iter().any(|known| Rc::ptr_eq(known, body));
        if is_elsewhere { Mapping::At(self.span(call)) } else { self.mapping }
    }

    /// Returns what is left behind here.
    fn leave(&self) -> Kept {
        let mut state = self.state.clone();
        if state.dead {
            // The shell should have ended. One that runs another text did what is not known.
            state.dead = false;
            state.taint();
        }
        let mut traps: Vec<(String, bool)> = Vec::new();
        for trap in &self.traps {
            let trap = (trap.text.clone(), trap.at_end);
            if !traps.contains(&trap) {
                traps.push(trap);
            }
        }
        Kept {
            state,
            traps,
            secret_texts: self.secret_texts.clone(),
            commands: Vec::new(),
            flows: Vec::new(),
            written: self.written.clone(),
            opened: reopened::kept(&self.opened),
            reads_otherwise: false,
        }
    }

    /// Notes a redirection by which the shell's own descriptors may be read or closed: what it reads its program from is among them.
    pub(super) fn keep_off_own(&mut self, redirect: &Redirect, target: &Arg) {
        let duplicates = matches!(
            redirect.operator,
            RedirectOperator::DuplicateInput | RedirectOperator::DuplicateOutput
        );
        let reaches = match target.known().map(|text| text.trim_end_matches('-')) {
            _ if !duplicates => false,
            Some("") => false,
            Some(number) => number.parse().is_ok_and(|number: u32| number >= OWN),
            None => true,
        };
        let is_own = matches!(redirect.descriptor, Descriptor::Number(number) if number >= OWN);
        if self.is_fed && (reaches || is_own) {
            self.opaque(Reason::DynamicCode, redirect.span);
        }
    }

    /// Notes what else may read from the shell's own descriptors.
    pub(super) fn tell_what_reads_own(&mut self) {
        if !self.is_fed {
            return;
        }
        let reads = |command: &&PlannedCommand| {
            let paths = command.effects.iter().filter_map(|effect| effect.path());
            paths.into_iter().any(is_descriptor) || reads_number(command)
        };
        let spans: Vec<Span> =
            self.plan.commands.iter().filter(reads).map(|command| command.span).collect();
        for span in spans {
            self.with(
                |walker| &mut walker.mapping,
                Mapping::At(span),
                |walker| walker.opaque(Reason::DynamicCode, span),
            );
        }
    }
}

/// Whether a path names a descriptor that may be the shell's own. By 63 a process substitution is named.
fn is_descriptor(path: &str) -> bool {
    let of_process = || path.strip_prefix("/proc/").is_some_and(|rest| rest.contains("/fd/"));
    match path.strip_prefix("/dev/fd/") {
        Some(number) => number.parse().map_or(true, |number: u32| number >= OWN && number != 63),
        None => of_process(),
    }
}

/// Whether `read -u` or its like gets a number that may be the shell's own.
fn reads_number(command: &PlannedCommand) -> bool {
    if !matches!(command.program(), Some("read" | "mapfile" | "readarray" | "print")) {
        return false;
    }
    let is_own = |number: &str| number.parse().map_or(true, |number: u32| number >= OWN);
    let mut words = command.argv.iter().skip(1).peekable();
    while let Some(word) = words.next() {
        let Some(text) = word.known() else { continue };
        let Some((_, number)) = text.strip_prefix('-').and_then(|text| text.split_once('u')) else {
            continue;
        };
        let next = words.peek().and_then(|word| word.known());
        let number = if number.is_empty() { next } else { Some(number) };
        if number.is_none_or(is_own) {
            return true;
        }
    }
    false
}
