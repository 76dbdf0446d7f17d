//! Puts the bodies of here-documents into the redirections that announced them, which stand before them in the text.

use std::collections::HashMap;

use super::script::{
    AssignmentValue, Command, CommandKind, HereDocument, Parameter, Part, PartKind, Script,
    Statement, Word,
};

/// Bodies by the place where their redirection starts.
type Bodies = HashMap<usize, HereDocument>;

/// Gives every here-document its body.
pub(super) fn here_documents(script: &mut Script, bodies: Vec<(usize, HereDocument)>) {
    if bodies.is_empty() {
        return;
    }
    let mut bodies: Bodies = bodies.into_iter().collect();
    statements(&mut script.statements, &mut bodies);
}

fn statements(list: &mut [Statement], bodies: &mut Bodies) {
    for statement in list {
        let rest = statement.rest.iter_mut().map(|(_, pipeline)| pipeline);
        for pipeline in std::iter::once(&mut statement.first).chain(rest) {
            for each in &mut pipeline.commands {
                command(each, bodies);
            }
        }
    }
}

fn command(command: &mut Command, bodies: &mut Bodies) {
    for redirect in &mut command.redirects {
        word(&mut redirect.target, bodies);
        if let Some(mut body) = bodies.remove(&redirect.span.start) {
            word(&mut body.content, bodies);
            redirect.body = Some(body);
        }
    }
    match &mut command.kind {
        CommandKind::Simple(simple) => {
            for assignment in &mut simple.assignments {
                if let Some(it) = &mut assignment.index {
                    word(it, bodies);
                }
                match &mut assignment.value {
                    AssignmentValue::Scalar(value) => word(value, bodies),
                    AssignmentValue::Array(list) => elements(list, bodies),
                }
            }
            words(&mut simple.words, bodies);
        }
        CommandKind::Group(list) | CommandKind::Subshell(list) => statements(list, bodies),
        CommandKind::If { branches, otherwise } => {
            for (condition, branch) in branches {
                statements(condition, bodies);
                statements(branch, bodies);
            }
            if let Some(list) = otherwise {
                statements(list, bodies);
            }
        }
        CommandKind::For { words: list, body, .. } => {
            if let Some(list) = list {
                words(list, bodies);
            }
            statements(body, bodies);
        }
        CommandKind::ArithmeticFor { expressions, body } => {
            words(expressions, bodies);
            statements(body, bodies);
        }
        CommandKind::While { condition, body, .. } => {
            statements(condition, bodies);
            statements(body, bodies);
        }
        CommandKind::Case { word: subject, arms } => {
            word(subject, bodies);
            for (patterns, list) in arms {
                words(patterns, bodies);
                statements(list, bodies);
            }
        }
        CommandKind::Function { body, .. } | CommandKind::Coproc { body, .. } => {
            self::command(body, bodies);
        }
        CommandKind::Test(list) => words(list, bodies),
        CommandKind::Arithmetic(expression) => word(expression, bodies),
    }
}

fn words(list: &mut [Word], bodies: &mut Bodies) {
    for it in list {
        word(it, bodies);
    }
}

fn elements(list: &mut [(Option<Word>, Word)], bodies: &mut Bodies) {
    for (index, value) in list {
        if let Some(it) = index {
            word(it, bodies);
        }
        word(value, bodies);
    }
}

fn word(word: &mut Word, bodies: &mut Bodies) {
    for it in &mut word.parts {
        part(it, bodies);
    }
}

fn part(part: &mut Part, bodies: &mut Bodies) {
    match &mut part.kind {
        PartKind::Literal(_)
        | PartKind::BraceTooMany(_)
        | PartKind::Tilde(_)
        | PartKind::Glob(_)
        | PartKind::Qualifiers(_) => {}
        PartKind::Parameter(parameter) => {
            let Parameter { index, argument, second, .. } = &mut **parameter;
            [index, argument, second].into_iter().flatten().for_each(|it| word(it, bodies));
        }
        PartKind::Command(script)
        | PartKind::ProcessInput(script)
        | PartKind::ProcessOutput(script) => statements(&mut script.statements, bodies),
        PartKind::Arithmetic(expression) => word(expression, bodies),
        PartKind::Brace(list) | PartKind::ExtendedGlob(_, list) => words(list, bodies),
        PartKind::Array(list) => elements(list, bodies),
    }
}
