//! What two parsers must agree on: the commands of one script in order, without what stands inside their words.

use crate::syntax::script::{
    AndOr, Command, CommandKind, Pipeline, SimpleCommand, Statement, Word,
};

/// One thing both parsers must have seen at the same place in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A simple command.
    Simple(Simple),
    /// A compound command begins.
    Open(&'static str),
    /// A part of it ends.
    Next,
    /// It ends, with so many redirections.
    Close(usize),
    /// A list goes on.
    Join(AndOr),
    /// A pipeline goes on.
    Pipe,
    /// A pipeline is negated.
    Not,
    /// A statement ends: in `&`, or otherwise.
    End { background: bool },
}

/// A simple command: its first word, if that is plain text, and how much stands on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) name: Option<String>,
    pub(super) counts: Counts,
}

/// How much stands on a simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) words: usize,
    pub(super) assignments: usize,
    pub(super) redirects: usize,
}

/// Returns the shape of what our reader saw.
pub(super) fn ours(statements: &[Statement]) -> Vec<Shape> {
    let mut shapes = Vec::new();
    list(statements, &mut shapes);
    shapes
}

fn list(statements: &[Statement], out: &mut Vec<Shape>) {
    for statement in statements {
        pipeline(&statement.first, out);
        for (joined, next) in &statement.rest {
            out.push(Shape::Join(*joined));
            pipeline(next, out);
        }
        out.push(Shape::End { background: statement.background });
    }
}

fn pipeline(pipeline: &Pipeline, out: &mut Vec<Shape>) {
    if pipeline.negated {
        out.push(Shape::Not);
    }
    for (at, each) in pipeline.commands.iter().enumerate() {
        if at > 0 {
            out.push(Shape::Pipe);
        }
        command(each, out);
    }
}

fn command(command: &Command, out: &mut Vec<Shape>) {
    let redirects = command.redirects.len() + usize::from(command.pipes_stderr);
    match &command.kind {
        CommandKind::Simple(command) => {
            out.push(simple(command, redirects));
            return;
        }
        CommandKind::Group(statements) => body("{", statements, out),
        CommandKind::Subshell(statements) => body("(", statements, out),
        CommandKind::If { branches, otherwise } => {
            out.push(Shape::Open("if"));
            for (condition, branch) in branches {
                list(condition, out);
                out.push(Shape::Next);
                list(branch, out);
                out.push(Shape::Next);
            }
            if let Some(branch) = otherwise {
                list(branch, out);
            }
        }
        CommandKind::For { body: statements, .. } => body("for", statements, out),
        CommandKind::ArithmeticFor { body: statements, .. } => body("for((", statements, out),
        CommandKind::While { condition, body, .. } => {
            out.push(Shape::Open("while"));
            list(condition, out);
            out.push(Shape::Next);
            list(body, out);
        }
        CommandKind::Case { arms, .. } => {
            out.push(Shape::Open("case"));
            for (patterns, statements) in arms {
                out.push(Shape::Open(if patterns.len() > 1 { "patterns" } else { "pattern" }));
                list(statements, out);
                out.push(Shape::Next);
            }
        }
        CommandKind::Function { body, .. } => {
            out.push(Shape::Open("function"));
            self::command(body, out);
        }
        CommandKind::Test(_) => out.push(Shape::Open("[[")),
        CommandKind::Arithmetic(_) => out.push(Shape::Open("((")),
        CommandKind::Coproc { body, .. } => {
            out.push(Shape::Open("coproc"));
            self::command(body, out);
        }
    }
    out.push(Shape::Close(redirects));
}

fn body(name: &'static str, statements: &[Statement], out: &mut Vec<Shape>) {
    out.push(Shape::Open(name));
    list(statements, out);
}

fn simple(simple: &SimpleCommand, redirects: usize) -> Shape {
    let counts =
        Counts { words: simple.words.len(), assignments: simple.assignments.len(), redirects };
    Shape::Simple(Simple { name: simple.words.first().and_then(Word::literal), counts })
}
