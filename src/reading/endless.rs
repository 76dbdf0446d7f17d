//! Loops that never end, and the jobs that they start: without a `wait` these become more and more.
//! Reads conditions by their text; a loop whose condition may fail is one that ends.

use std::collections::HashSet;
use std::ops::Range;

use super::plan::{Flow, FlowKind, PlannedCommand};
use super::walk::Walker;
use crate::model::{Arg, Effect, EffectKind, ProgramTrait, Span, Target};
use crate::syntax::{
    AndOr, Assignment, AssignmentValue, Command, CommandKind, PartKind, Pipeline, SimpleCommand,
    Statement, Word,
};

/// What stands around a statement.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Endless {
    /// A loop that never ends.
    pub(super) around: bool,
    /// What the loop starts, it waits for in the same turn.
    pub(super) awaited: bool,
}

/// Returns the effect of what grows without end.
pub(super) fn fills_memory() -> Effect {
    let target = Target::Text { text: Some("fills the memory without end".to_owned()) };
    Effect { kind: EffectKind::Halt, target }
}

impl Walker<'_> {
    /// Notes a job that a loop without end starts again and again.
    pub(super) fn starts_job(&mut self, span: Span) {
        if self.endless.around && !self.endless.awaited {
            let text = "starts processes without end".to_owned();
            let target = Target::Text { text: Some(text) };
            self.bare(span, vec![Effect { kind: EffectKind::Halt, target }]);
        }
    }

    /// Notes that what a loop without end prints, planned from `start` on, it prints without end, where nothing in it waits or leaves it.
    pub(super) fn prints_without_end(&mut self, start: usize) {
        let is_one = |command: &PlannedCommand, names: &[&str]| {
            let name = command.argv.first().and_then(Arg::known);
            name.is_some_and(|name| names.contains(&name))
        };
        // They do what they do at once.
        let quiet = [":", "true", "false", "let", "test", "["];
        let prints =
            ["echo", "printf", "date", "cat", "head", "tail", "seq", "ls", "pwd", "uname", "id"];
        let is_at_once = |command: &PlannedCommand| {
            command.argv.is_empty() || is_one(command, &quiet) || is_one(command, &prints)
        };
        let planned = &mut self.plan.commands[start..];
        if !planned.iter().all(is_at_once) {
            return;
        }
        for command in planned.iter_mut().filter(|command| is_one(command, &prints)) {
            command.does(EffectKind::Endless, Target::None);
        }
    }

    /// Notes that a loop without end makes a variable longer in each turn, where it does nothing else.
    pub(super) fn grows_without_end(&mut self, kind: &CommandKind) {
        let (CommandKind::While { body, .. } | CommandKind::ArithmeticFor { body, .. }) = kind
        else {
            return;
        };
        let assigned = |statement: &Statement| match statement.first.commands.as_slice() {
            [Command { kind: CommandKind::Simple(simple), .. }]
                if simple.words.is_empty() && statement.rest.is_empty() =>
            {
                Some(simple.assignments.iter().any(grows))
            }
            _ => None,
        };
        let assigned: Option<Vec<bool>> = body.iter().map(assigned).collect();
        if let Some(first) = body.first().filter(|_| assigned.is_some_and(|it| it.contains(&true)))
        {
            self.bare(first.span, vec![fills_memory()]);
        }
    }

    /// Notes what writes without end because what it puts behind a file is read there again (`tail -f x >> x`).
    pub(super) fn tell_what_feeds_itself(&mut self) {
        let commands = &self.plan.commands;
        let paths = |index: usize, kind| {
            let effects = commands[index].effects.iter().filter(move |effect| effect.kind == kind);
            effects.filter_map(Effect::path)
        };
        let all = || 0..commands.len();
        let grown: HashSet<&str> = all().flat_map(|at| paths(at, EffectKind::Append)).collect();
        let reads_on = |at: &usize| {
            let is_grown = paths(*at, EffectKind::Read).any(|path| grown.contains(path));
            is_grown && (commands[*at].argv.is_empty() || hands_on(&commands[*at]))
        };
        let readers: Vec<usize> = all().filter(reads_on).collect();
        let mut ways = Ways::default();
        if !readers.is_empty() {
            ways = Ways::through(&self.plan.flows, commands);
        }
        let mut endless = Vec::new();
        for index in readers {
            let read: HashSet<&str> = paths(index, EffectKind::Read).collect();
            let feeds = |at: &usize| paths(*at, EffectKind::Append).any(|path| read.contains(path));
            endless.extend(ways.reached(index, commands).into_iter().filter(feeds));
        }
        for index in endless {
            self.plan.commands[index]
                .add(vec![Effect { kind: EffectKind::Endless, target: Target::None }]);
        }
    }

    /// Whether one of the statements that follow waits for the jobs of this shell, and none lets go of them before.
    pub(super) fn waits(&self, statements: &[Statement]) -> bool {
        for statement in statements {
            match name(statement).as_deref() {
                Some("wait") => return self.state.functions("wait").is_none(),
                Some("disown") => return false,
                _ => {}
            }
        }
        false
    }
}

/// The ways that data goes on at once from command to command.
#[derive(Default)]
struct Ways {
    /// For each command the flows from it.
    from: Vec<Vec<usize>>,
    /// Each flow: where it leads, and whether only what stands around commands sends data there. One that leads to nobody who goes on is
    /// left out.
    flows: Vec<(Range<usize>, bool)>,
}

impl Ways {
    fn through(flows: &[Flow], commands: &[PlannedCommand]) -> Self {
        let mut ways = Self { from: vec![Vec::new(); commands.len()], flows: Vec::new() };
        for flow in flows.iter().filter(|flow| flow.kind != FlowKind::Substitution) {
            let to = flow.to.start.min(commands.len())..flow.to.end.min(commands.len());
            if !commands[to.clone()].iter().any(|to| hands_on(to) || takes_line(to)) {
                continue;
            }
            let from = flow.from.start.min(commands.len())..flow.from.end.min(commands.len());
            ways.from[from].iter_mut().for_each(|flows| flows.push(ways.flows.len()));
            ways.flows.push((to, flow.kind == FlowKind::File));
        }
        ways
    }

    /// Returns the commands that get what a command prints, directly or through others, itself among them.
    fn reached(&self, index: usize, commands: &[PlannedCommand]) -> Vec<usize> {
        let mut is_known = vec![false; commands.len()];
        let mut is_gone = vec![false; self.flows.len()];
        is_known[index] = true;
        let mut reached = vec![index];
        let mut next = 0;
        while let Some(at) = reached.get(next).copied() {
            next += 1;
            for flow in &self.from[at] {
                let (to, is_around) = &self.flows[*flow];
                if is_gone[*flow] || *is_around && !commands[at].argv.is_empty() {
                    continue;
                }
                is_gone[*flow] = true;
                let new = to.clone().filter(|to| !std::mem::replace(&mut is_known[*to], true));
                reached.extend(new);
            }
        }
        reached
    }
}

/// Whether a command prints what it reads at once, or goes on reading what is put behind that.
fn hands_on(command: &PlannedCommand) -> bool {
    let interpretation = &command.interpretation;
    let is = |one| interpretation.is(one);
    let passes_on =
        is(ProgramTrait::PassesOn) || is(ProgramTrait::Filters) || is(ProgramTrait::Replaces);
    let is_late = interpretation.is_bounded || is(ProgramTrait::Soaks);
    is(ProgramTrait::Follows) || passes_on && !is_late
}

fn takes_line(command: &PlannedCommand) -> bool {
    command.argv.first().and_then(Arg::known) == Some("read")
}

/// The first word of a statement that is one simple command in the foreground.
fn name(statement: &Statement) -> Option<String> {
    if statement.background || !statement.rest.is_empty() {
        return None;
    }
    match statement.first.commands.as_slice() {
        [Command { kind: CommandKind::Simple(simple), .. }] => simple.words.first()?.literal(),
        _ => None,
    }
}

/// Whether a variable gets what it held and more.
fn grows(assignment: &Assignment) -> bool {
    let holds_itself = |word: &Word| {
        word.parts.iter().any(|part| {
            matches!(&part.kind, PartKind::Parameter(parameter) if parameter.name == assignment.name)
        }) && word.parts.len() > 1
    };
    let text = match &assignment.value {
        AssignmentValue::Scalar(word) => Some(word),
        AssignmentValue::Array(_) => None,
    };
    assignment.append || text.is_some_and(holds_itself)
}

/// Returns whether a loop ends only by what its body does.
pub(super) fn never_ends(kind: &CommandKind) -> bool {
    match kind {
        CommandKind::While { condition, until, .. } => succeeds(condition) == Some(!until),
        CommandKind::ArithmeticFor { expressions: [_, condition, _], .. } => {
            condition.literal().is_some_and(|text| text.trim().is_empty() || number(&text))
        }
        _ => false,
    }
}

/// Returns whether statements always succeed or always fail, where their text says so.
fn succeeds(statements: &[Statement]) -> Option<bool> {
    let last = statements.last()?;
    if last.background {
        return Some(true);
    }
    let mut status = pipeline(&last.first);
    for (operator, next) in &last.rest {
        let next = pipeline(next);
        status = match (operator, status, next) {
            (AndOr::And, Some(true), next) | (AndOr::Or, Some(false), next) => next,
            (AndOr::And, Some(false), _) | (AndOr::And, _, Some(false)) => Some(false),
            (AndOr::Or, Some(true), _) | (AndOr::Or, _, Some(true)) => Some(true),
            (AndOr::And | AndOr::Or, None, _) => None,
        };
    }
    status
}

fn pipeline(pipeline: &Pipeline) -> Option<bool> {
    let status = match &pipeline.commands.last()?.kind {
        CommandKind::Simple(simple) => command(simple),
        CommandKind::Group(statements) | CommandKind::Subshell(statements) => succeeds(statements),
        CommandKind::Test(words) => test(words),
        CommandKind::Arithmetic(expression) => expression.literal().and_then(|text| {
            let is_digits = text.trim().bytes().all(|byte| byte.is_ascii_digit());
            is_digits.then(|| number(&text))
        }),
        _ => None,
    };
    status.map(|status| status != pipeline.negated)
}

/// Whether the text is a number other than zero.
fn number(text: &str) -> bool {
    text.trim().parse::<u64>().is_ok_and(|number| number != 0)
}

fn command(simple: &SimpleCommand) -> Option<bool> {
    let mut words = simple.words.as_slice();
    while let [first, rest @ ..] = words
        && matches!(first.literal().as_deref(), Some("command" | "builtin"))
    {
        words = rest;
    }
    let (name, operands) = words.split_first()?;
    let name = name.literal()?;
    match name.rsplit('/').next().unwrap_or(&name) {
        "true" | ":" | "sleep" | "echo" | "printf" | "wait" => Some(true),
        "false" => Some(false),
        "test" => test(operands),
        "let" => operands.last()?.literal().map(|text| number(&text)),
        "[" => test(operands.split_last()?.1),
        _ => None,
    }
}

/// `[ 1 ]` and `[ 1 = 1 ]` hold, whatever is.
fn test(words: &[Word]) -> Option<bool> {
    let words: Vec<String> = words.iter().map(Word::literal).collect::<Option<_>>()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] | [""] => Some(false),
        [_] => Some(true),
        [left, "=" | "==" | "-eq", right] => Some(left == right),
        [left, "!=" | "-ne", right] => Some(left != right),
        ["-n", text] => Some(!text.is_empty()),
        ["-z", text] => Some(text.is_empty()),
        _ => None,
    }
}
