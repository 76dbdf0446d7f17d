//! Which shell a text is for. It is read as bash reads it; what means something else to another shell is opaque.

use super::script::{
    AssignmentValue, CommandKind, Descriptor, Part, PartKind, Redirect, RedirectOperator, Script,
    Statement,
};
use super::walk::{Descend, Node};
use crate::model::{Opaque, Reason, Span};

/// The shells whose reading of a text is told apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// The GNU shell.
    #[default]
    Bash,
    /// A shell that knows what POSIX says, and perhaps more: `sh`, which is dash on one machine and bash on another.
    Posix,
}

/// Adds an opaque part for all that a shell may read otherwise that knows only POSIX. `noted`: what the tree does not show.
pub(super) fn distrust(script: &mut Script, noted: Vec<Span>) {
    let mut found = noted;
    script.walk(&mut |node| {
        let span = match node {
            Node::Statement(statement) => is_timed(statement).then_some(statement.span),
            Node::Command(command) => {
                let is_other = command.pipes_stderr || is_extension(&command.kind);
                is_other.then_some(command.span)
            }
            Node::Redirect(redirect) => is_other_redirect(redirect).then_some(redirect.span),
            Node::Assignment(assignment) => {
                let is_other = assignment.append
                    || assignment.index.is_some()
                    || matches!(assignment.value, AssignmentValue::Array(_));
                is_other.then_some(assignment.span)
            }
            Node::Part(part) => is_other_part(part).then_some(part.span),
            Node::Word(_) | Node::Script(_) => None,
        };
        found.extend(span);
        Descend::Into
    });
    script.opaque.extend(found.into_iter().map(|span| Opaque { reason: Reason::OtherShell, span }));
}

fn is_timed(statement: &Statement) -> bool {
    let mut rest = statement.rest.iter().map(|(_, pipeline)| pipeline);
    statement.first.timed || rest.any(|pipeline| pipeline.timed)
}

const fn is_extension(kind: &CommandKind) -> bool {
    match kind {
        CommandKind::Simple(_)
        | CommandKind::Group(_)
        | CommandKind::Subshell(_)
        | CommandKind::If { .. }
        | CommandKind::While { .. }
        | CommandKind::Case { .. }
        | CommandKind::Function { .. } => false,
        CommandKind::For { select, .. } => *select,
        CommandKind::ArithmeticFor { .. }
        | CommandKind::Test(_)
        | CommandKind::Arithmetic(_)
        | CommandKind::Coproc { .. } => true,
    }
}

fn is_other_redirect(redirect: &Redirect) -> bool {
    use RedirectOperator as Operator;
    match redirect.operator {
        Operator::OutputAndError | Operator::AppendAndError | Operator::HereString => true,
        // `>&FILE`
        Operator::DuplicateOutput => redirect.target.literal().is_none_or(|word| {
            word != "-" && (word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_digit()))
        }),
        Operator::Input
        | Operator::Output
        | Operator::Clobber
        | Operator::Append
        | Operator::ReadWrite
        | Operator::DuplicateInput
        | Operator::HereDocument
        | Operator::HereDocumentTabs => matches!(redirect.descriptor, Descriptor::Variable(_)),
    }
}

fn is_other_part(part: &Part) -> bool {
    match &part.kind {
        PartKind::Literal(_) | PartKind::Command(_) | PartKind::Arithmetic(_) => false,
        PartKind::Parameter(parameter) => {
            let is_extension = !matches!(
                parameter.operator.as_str(),
                "" | ":-" | "-" | ":=" | "=" | ":?" | "?" | ":+" | "+" | "#" | "##" | "%" | "%%"
            );
            parameter.indirect || parameter.index.is_some() || is_extension
        }
        PartKind::Tilde(user) => user.starts_with("~+") || user.starts_with("~-"),
        PartKind::Glob(pattern) => pattern.starts_with("[^"),
        PartKind::ProcessInput(_)
        | PartKind::ProcessOutput(_)
        | PartKind::Brace(_)
        | PartKind::BraceTooMany
        | PartKind::ExtendedGlob(..)
        | PartKind::Array(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parse, parse_for};
    use super::*;

    #[test]
    fn what_only_bash_knows_is_not_read_for_another_shell() {
        for text in [
            "a {b,c}",
            "a {1..3}",
            "a $'b'",
            "a $\"b\"",
            "[[ a ]]",
            "function f { a; }",
            "a=(b)",
            "a[1]=b",
            "a+=b",
            "((a))",
            "for ((;;)); do a; done",
            "select a in b; do c; done",
            "a <<< b",
            "a &> b",
            "a &>> b",
            "a >& b",
            "a |& b",
            "a <(b)",
            "a >(b)",
            "a {b}> c",
            "${a/b/c}",
            "${a:1}",
            "${a^^}",
            "${!a}",
            "${a[0]}",
            "${a@Q}",
            "time a",
            "coproc a",
            "a ~+",
            "a [^b]",
            "case a in a) b;& esac",
            "case a in a) b;;& esac",
            "a $[1]",
            "a `b $'c'`",
            "a \"$(b {c,d})\"",
            "a <<E\n$(b {c,d})\nE",
        ] {
            let bash = parse(text.as_bytes());
            assert!(bash.opaque.is_empty(), "{text}: {:?}", bash.opaque);
            let script = parse_for(text.as_bytes(), Dialect::Posix);
            let is_told = |opaque: &Opaque| opaque.reason == Reason::OtherShell;
            assert!(script.opaque.iter().any(is_told), "{text}: {:?}", script.opaque);
        }
    }

    #[test]
    fn what_every_shell_knows_is_read() {
        for text in [
            "a b | c && d || e & f; g",
            "if a; then b; elif c; then d; else e; fi",
            "for a in b c; do d; done",
            "while a; do b; done",
            "case a in a|b) c;; *) d;; esac",
            "f() { a; }",
            "a > b 2>&1 < c >> d <&3 3>&- <> e >| g",
            "a <<E\nb\nE",
            "${a:-b} ${a#b} ${#a} $@ $# $((a + 1)) $(b) `c`",
            "a=b c=d e",
            "( a )",
            "! a",
            "a [!b] * ?",
            "a 'b$' \"c$\" '{d,e}'",
            "a ~ ~b",
        ] {
            let script = parse_for(text.as_bytes(), Dialect::Posix);
            assert!(script.opaque.is_empty(), "{text}: {:?}", script.opaque);
        }
    }
}
