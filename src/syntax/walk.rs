//! Going over everything that a script holds, in one place, so that nobody forgets where commands may hide.

use super::script::{
    Assignment, AssignmentValue, Command, CommandKind, Part, PartKind, Redirect, Script, Statement,
    Word,
};

/// Something met on the way.
#[derive(Clone, Copy, Debug)]
pub enum Node<'a> {
    /// A statement.
    Statement(&'a Statement),
    /// A command.
    Command(&'a Command),
    /// A redirection.
    Redirect(&'a Redirect),
    /// An assignment before a command or alone.
    Assignment(&'a Assignment),
    /// A word, wherever it stands.
    Word(&'a Word),
    /// A part of a word.
    Part(&'a Part),
    /// A script inside a word: a command or process substitution.
    Script(&'a Script),
}

/// Whether to go over what a node holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descend {
    /// Go over what it holds.
    Into,
    /// Leave it out.
    Past,
}

impl Script {
    /// Calls `see` with every node of the script, each before what it holds.
    pub fn walk<'a>(&'a self, see: &mut impl FnMut(Node<'a>) -> Descend) {
        statements(&self.statements, see);
    }

    /// Returns every script inside the words of this one, outermost first.
    #[must_use]
    pub fn nested(&self) -> Vec<&Self> {
        let mut scripts = Vec::new();
        self.walk(&mut |node| {
            if let Node::Script(script) = node {
                scripts.push(script);
            }
            Descend::Into
        });
        scripts
    }
}

impl Command {
    /// Calls `see` with this command and every node that it holds.
    pub fn walk<'a>(&'a self, see: &mut impl FnMut(Node<'a>) -> Descend) {
        command(self, see);
    }
}

impl Word {
    /// Calls `see` with this word and every node that it holds.
    pub fn walk<'a>(&'a self, see: &mut impl FnMut(Node<'a>) -> Descend) {
        word(self, see);
    }
}

fn statements<'a>(list: &'a [Statement], see: &mut impl FnMut(Node<'a>) -> Descend) {
    for statement in list {
        if see(Node::Statement(statement)) == Descend::Past {
            continue;
        }
        let rest = statement.rest.iter().map(|(_, pipeline)| pipeline);
        for pipeline in std::iter::once(&statement.first).chain(rest) {
            for it in &pipeline.commands {
                command(it, see);
            }
        }
    }
}

fn command<'a>(command: &'a Command, see: &mut impl FnMut(Node<'a>) -> Descend) {
    if see(Node::Command(command)) == Descend::Past {
        return;
    }
    match &command.kind {
        CommandKind::Simple(simple) => {
            for it in &simple.assignments {
                assignment(it, see);
            }
            words(&simple.words, see);
        }
        CommandKind::Group(list) | CommandKind::Subshell(list) => statements(list, see),
        CommandKind::If { branches, otherwise } => {
            for (condition, branch) in branches {
                statements(condition, see);
                statements(branch, see);
            }
            if let Some(list) = otherwise {
                statements(list, see);
            }
        }
        CommandKind::For { words: list, body, .. } => {
            if let Some(list) = list {
                words(list, see);
            }
            statements(body, see);
        }
        CommandKind::ArithmeticFor { expressions, body } => {
            words(expressions, see);
            statements(body, see);
        }
        CommandKind::While { condition, body, .. } => {
            statements(condition, see);
            statements(body, see);
        }
        CommandKind::Case { word: subject, arms } => {
            word(subject, see);
            for (patterns, list) in arms {
                words(patterns, see);
                statements(list, see);
            }
        }
        CommandKind::Function { body, .. } | CommandKind::Coproc { body, .. } => {
            self::command(body, see);
        }
        CommandKind::Test(list) => words(list, see),
        CommandKind::Arithmetic(expression) => word(expression, see),
    }
    for it in &command.redirects {
        redirect(it, see);
    }
}

fn redirect<'a>(redirect: &'a Redirect, see: &mut impl FnMut(Node<'a>) -> Descend) {
    if see(Node::Redirect(redirect)) == Descend::Past {
        return;
    }
    word(&redirect.target, see);
    if let Some(body) = &redirect.body {
        word(&body.content, see);
    }
}

fn assignment<'a>(assignment: &'a Assignment, see: &mut impl FnMut(Node<'a>) -> Descend) {
    if see(Node::Assignment(assignment)) == Descend::Past {
        return;
    }
    if let Some(it) = &assignment.index {
        word(it, see);
    }
    match &assignment.value {
        AssignmentValue::Scalar(value) => word(value, see),
        AssignmentValue::Array(list) => elements(list, see),
    }
}

fn elements<'a>(list: &'a [(Option<Word>, Word)], see: &mut impl FnMut(Node<'a>) -> Descend) {
    for (index, value) in list {
        if let Some(it) = index {
            word(it, see);
        }
        word(value, see);
    }
}

fn words<'a>(list: &'a [Word], see: &mut impl FnMut(Node<'a>) -> Descend) {
    for it in list {
        word(it, see);
    }
}

fn word<'a>(word: &'a Word, see: &mut impl FnMut(Node<'a>) -> Descend) {
    if see(Node::Word(word)) == Descend::Past {
        return;
    }
    for it in &word.parts {
        part(it, see);
    }
}

fn part<'a>(part: &'a Part, see: &mut impl FnMut(Node<'a>) -> Descend) {
    if see(Node::Part(part)) == Descend::Past {
        return;
    }
    match &part.kind {
        PartKind::Literal(_)
        | PartKind::BraceTooMany(_)
        | PartKind::Tilde(_)
        | PartKind::Glob(_)
        | PartKind::Qualifiers(_) => {}
        PartKind::Parameter(parameter) => {
            let words = [&parameter.index, &parameter.argument, &parameter.second];
            words.into_iter().flatten().for_each(|it| word(it, see));
        }
        PartKind::Command(script)
        | PartKind::ProcessInput(script)
        | PartKind::ProcessOutput(script) => {
            if see(Node::Script(script)) == Descend::Into {
                statements(&script.statements, see);
            }
        }
        PartKind::Arithmetic(expression) => word(expression, see),
        PartKind::Brace(list) | PartKind::ExtendedGlob(_, list) => words(list, see),
        PartKind::Array(list) => elements(list, see),
    }
}
