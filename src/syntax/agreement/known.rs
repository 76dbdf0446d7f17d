//! Where brush-parser 0.4.0 is known to misread valid bash, and the equivalent text that it reads well.
//! Each case is narrow and has a row in the tests. The text is only rewritten after the original was not agreed on.

use crate::model::Span;
use crate::syntax::script::{
    Command, CommandKind, Descriptor, Part, PartKind, Redirect, Script, Statement, Word,
};
use crate::syntax::walk::{Descend, Node};

/// A piece of the text and what stands there instead. Places are those of the command line.
type Edit = (Span, String);

/// Returns the text rewritten, or `None` if nothing in it is known to be misread.
pub(super) fn equivalent(text: &str, start: usize, script: &Script) -> Option<String> {
    let end = start + text.len();
    let mut edits = Vec::new();
    let bodies = bodies(script);
    script.walk(&mut |node| match node {
        // What stands inside is asked about on its own.
        Node::Script(_) => Descend::Past,
        Node::Command(command) => {
            self::command(text, start, command, &mut edits);
            Descend::Into
        }
        Node::Redirect(redirect) => {
            self::redirect(redirect, &mut edits);
            Descend::Into
        }
        Node::Word(word) => {
            let due =
                bodies.iter().any(|it| it.start <= word.span.start && word.span.end <= it.end);
            if due && expands(word) || holds_case(word) || joins_process(word) {
                edits.push((word.span, "x".repeat(word.span.len().max(1))));
                return Descend::Past;
            }
            Descend::Into
        }
        Node::Statement(statement) => {
            negation(text, start, statement, &mut edits);
            Descend::Into
        }
        Node::Part(part) => {
            // It has no qualifiers behind patterns.
            if let PartKind::Qualifiers(_) = part.kind {
                edits.push((part.span, String::new()));
            }
            Descend::Into
        }
        Node::Assignment(_) => Descend::Into,
    });
    trailing_backslash(text, end, &mut edits);
    let missing = delimiters_missing(end, script);
    if edits.is_empty() && missing.is_empty() {
        return None;
    }
    let mut rewritten = apply(text, start, edits)?;
    for delimiter in missing {
        if !rewritten.ends_with('\n') {
            rewritten.push('\n');
        }
        rewritten.push_str(&delimiter);
        rewritten.push('\n');
    }
    Some(rewritten)
}

fn apply(text: &str, start: usize, mut edits: Vec<Edit>) -> Option<String> {
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    let mut rewritten = String::with_capacity(text.len() + 16);
    let mut at = start;
    for (span, instead) in edits {
        if span.start < at {
            continue;
        }
        rewritten.push_str(text.get(at - start..span.start - start)?);
        rewritten.push_str(&instead);
        at = span.end;
    }
    rewritten.push_str(text.get(at - start..)?);
    Some(rewritten)
}

/// `{NAME}>`: it takes the descriptor for a word.
fn redirect(redirect: &Redirect, edits: &mut Vec<Edit>) {
    if let Descriptor::Variable(name) = &redirect.descriptor {
        let from = redirect.span.start;
        edits.push((Span::new(from, from + name.len() + 2), String::new()));
    }
}

fn command(text: &str, start: usize, command: &Command, edits: &mut Vec<Edit>) {
    match &command.kind {
        // It does not know `select`, which has the form of `for`.
        CommandKind::For { select: true, .. } => {
            let from = command.span.start;
            edits.push((Span::new(from, from + "select".len()), "for".to_owned()));
        }
        // It takes `;;` between two empty expressions for the operator of `case`.
        CommandKind::ArithmeticFor { expressions: [first, _, last], .. } => {
            edits.push((first.span.to(last.span), "x;x;x".to_owned()));
        }
        // It takes `( (a) )` for `((a))`, which `( (a); )` cannot be.
        CommandKind::Subshell(list) => {
            let Some(last) = list.last() else { return };
            let begins = list[0].first.span.start;
            let nested = text[begins - start..].starts_with('(');
            if nested && !last.background {
                edits.push((Span::new(last.span.end, last.span.end), ";".to_owned()));
            }
        }
        _ => {}
    }
}

/// `!(a)`: it takes it for a pattern, which it is only after `shopt -s extglob`.
fn negation(text: &str, start: usize, statement: &Statement, edits: &mut Vec<Edit>) {
    let rest = statement.rest.iter().map(|(_, pipeline)| pipeline);
    for pipeline in std::iter::once(&statement.first).chain(rest) {
        let from = pipeline.span.start;
        if pipeline.negated && text[from - start..].starts_with("!(") {
            edits.push((Span::new(from, from + 1), "! ".to_owned()));
        }
    }
}

/// A backslash at the very end, which bash keeps as text: it takes that for an error.
fn trailing_backslash(text: &str, end: usize, edits: &mut Vec<Edit>) {
    let many = text.bytes().rev().take_while(|byte| *byte == b'\\').count();
    if many % 2 == 1 {
        edits.push((Span::new(end - 1, end), "x".to_owned()));
    }
}

/// A here-document that the end of the text ends, of which bash only warns: it takes that for an error.
fn delimiters_missing(end: usize, script: &Script) -> Vec<String> {
    let mut missing = Vec::new();
    script.walk(&mut |node| {
        if let Node::Redirect(redirect) = node
            && let Some(body) = &redirect.body
            && body.span.end == end
            && let Some(delimiter) = redirect.target.literal()
        {
            missing.push((body.span, redirect.span, delimiter));
        }
        if matches!(node, Node::Script(_)) { Descend::Past } else { Descend::Into }
    });
    missing.sort();
    missing.into_iter().map(|(_, _, delimiter)| delimiter).collect()
}

/// While a here-document is due it counts what follows an expansion as a word of its own. Returns where one is due.
fn bodies(script: &Script) -> Vec<Span> {
    let mut due = Vec::new();
    script.walk(&mut |node| {
        if let Node::Redirect(redirect) = node
            && let Some(body) = &redirect.body
        {
            due.push(Span::new(redirect.span.end, body.span.start));
        }
        if matches!(node, Node::Script(_)) { Descend::Past } else { Descend::Into }
    });
    due
}

fn expands(word: &Word) -> bool {
    word.parts.iter().any(|part| !matches!(part.kind, PartKind::Literal(_)))
}

/// It takes `a<(b)` for two words.
fn joins_process(word: &Word) -> bool {
    let process =
        |part: &Part| matches!(part.kind, PartKind::ProcessInput(_) | PartKind::ProcessOutput(_));
    word.parts.len() > 1 && word.parts.iter().any(process)
}

/// It ends `$(case a in b) …` at the first parenthesis.
fn holds_case(word: &Word) -> bool {
    let case = |part: &Part| {
        let mut found = false;
        let (PartKind::Command(script)
        | PartKind::ProcessInput(script)
        | PartKind::ProcessOutput(script)) = &part.kind
        else {
            return false;
        };
        script.walk(&mut |node| {
            if let Node::Command(Command { kind: CommandKind::Case { .. }, .. }) = node {
                found = true;
            }
            Descend::Into
        });
        found
    };
    word.parts.iter().any(case)
}
