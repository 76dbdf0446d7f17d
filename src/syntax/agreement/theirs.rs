//! What brush-parser saw, in the same terms.

use brush_parser::ast::{
    AndOr as TheirAndOr, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList,
    Pipeline, Program, RedirectList, SeparatorOperator, SimpleCommand,
};

use super::shape::{Counts, Shape, Simple};
use crate::syntax::script::AndOr;

/// Returns the shape of what brush-parser saw.
pub(super) fn theirs(program: &Program) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for it in &program.complete_commands {
        list(it, &mut shapes);
    }
    shapes
}

fn list(statements: &CompoundList, out: &mut Vec<Shape>) {
    for item in &statements.0 {
        pipeline(&item.0.first, out);
        for next in &item.0.additional {
            let (joined, next) = match next {
                TheirAndOr::And(next) => (AndOr::And, next),
                TheirAndOr::Or(next) => (AndOr::Or, next),
            };
            out.push(Shape::Join(joined));
            pipeline(next, out);
        }
        out.push(Shape::End { background: matches!(item.1, SeparatorOperator::Async) });
    }
}

fn pipeline(pipeline: &Pipeline, out: &mut Vec<Shape>) {
    if pipeline.bang {
        out.push(Shape::Not);
    }
    for (at, each) in pipeline.seq.iter().enumerate() {
        if at > 0 {
            out.push(Shape::Pipe);
        }
        command(each, out);
    }
}

fn command(command: &Command, out: &mut Vec<Shape>) {
    match command {
        Command::Simple(command) => out.push(simple(command)),
        Command::Compound(kind, redirects) => compound(kind, redirects.as_ref(), out),
        Command::Function(function) => {
            out.push(Shape::Open("function"));
            compound(&function.body.0, function.body.1.as_ref(), out);
            out.push(Shape::Close(0));
        }
        Command::ExtendedTest(_, redirects) => {
            out.push(Shape::Open("[["));
            out.push(Shape::Close(count(redirects.as_ref())));
        }
    }
}

fn count(redirects: Option<&RedirectList>) -> usize {
    redirects.map_or(0, |list| list.0.len())
}

fn compound(kind: &CompoundCommand, redirects: Option<&RedirectList>, out: &mut Vec<Shape>) {
    match kind {
        CompoundCommand::Arithmetic(_) => out.push(Shape::Open("((")),
        CompoundCommand::ArithmeticForClause(each) => body("for((", &each.body.list, out),
        CompoundCommand::BraceGroup(each) => body("{", &each.list, out),
        CompoundCommand::Subshell(each) => body("(", &each.list, out),
        CompoundCommand::ForClause(each) => body("for", &each.body.list, out),
        CompoundCommand::CaseClause(each) => {
            out.push(Shape::Open("case"));
            for arm in &each.cases {
                let many = arm.patterns.len() > 1;
                out.push(Shape::Open(if many { "patterns" } else { "pattern" }));
                if let Some(it) = &arm.cmd {
                    list(it, out);
                }
                out.push(Shape::Next);
            }
        }
        CompoundCommand::IfClause(each) => {
            out.push(Shape::Open("if"));
            list(&each.condition, out);
            out.push(Shape::Next);
            list(&each.then, out);
            out.push(Shape::Next);
            for branch in each.elses.iter().flatten() {
                if let Some(condition) = &branch.condition {
                    list(condition, out);
                    out.push(Shape::Next);
                }
                list(&branch.body, out);
                if branch.condition.is_some() {
                    out.push(Shape::Next);
                }
            }
        }
        CompoundCommand::WhileClause(each) | CompoundCommand::UntilClause(each) => {
            out.push(Shape::Open("while"));
            list(&each.0, out);
            out.push(Shape::Next);
            list(&each.1.list, out);
        }
        CompoundCommand::Coprocess(each) => {
            out.push(Shape::Open("coproc"));
            command(&each.body, out);
        }
    }
    out.push(Shape::Close(count(redirects)));
}

fn body(name: &'static str, statements: &CompoundList, out: &mut Vec<Shape>) {
    out.push(Shape::Open(name));
    list(statements, out);
}

fn simple(simple: &SimpleCommand) -> Shape {
    let prefix = simple.prefix.iter().flat_map(|it| &it.0);
    let suffix = simple.suffix.iter().flat_map(|it| &it.0);
    let redirect = |it: &&Item| matches!(it, Item::IoRedirect(_));
    let before = prefix.clone().count();
    let redirects_before = prefix.filter(redirect).count();
    let after = suffix.clone().count();
    let redirects_after = suffix.filter(redirect).count();
    let name = simple.word_or_name.as_ref();
    let counts = Counts {
        words: usize::from(name.is_some()) + after - redirects_after,
        assignments: before - redirects_before,
        redirects: redirects_before + redirects_after,
    };
    Shape::Simple(Simple { name: name.map(|word| word.value.clone()), counts })
}
