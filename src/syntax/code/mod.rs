//! Programs in other languages than shell to an owned tree, [`Code`], that all languages share.
//! Says nothing about what a program does. A construct that is not listed for its language is not read at all.

mod javascript;
mod perl;
mod php;
mod python;
mod ruby;
mod sql;

use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, Parser, Tree};

use super::limits::{
    MAX_CODE_BYTES, MAX_CODE_DEPTH, MAX_CODE_NODES, MAX_CODE_STEPS, MAX_PERL_BYTES,
};
use super::nodes::any_node;
use crate::model::Language;

/// A piece of a program: what it is made of, as far as that decides what it touches.
#[derive(Clone, Debug, PartialEq)]
pub enum Code {
    /// Text that is wholly known.
    Text(String),
    /// A number: as a file it is a descriptor.
    Number,
    /// True or false.
    Flag(bool),
    /// A value of which nothing is known, and which does nothing.
    Data,
    /// Text put together from these pieces.
    Joined(Vec<Code>),
    /// A list with these elements.
    List(Vec<Code>),
    /// A variable, or something that the language gives without asking.
    Name(String),
    /// `object.name`.
    Member(Box<Code>, String),
    /// `object[key]`.
    Index(Box<Code>, Box<Code>),
    /// `one / other`, which joins paths.
    Slash(Box<Code>, Box<Code>),
    /// A call.
    Call(Box<Code>, Vec<Argument>),
    /// A target gets a value.
    Bind(Box<Code>, Box<Bound>),
    /// A function: the names of its parameters and what it does. It may be called or not.
    Function(Vec<String>, Box<Code>),
    /// A module, or a member of one, gets a name.
    Import {
        /// The module and the member, joined by a dot.
        path: String,
        /// The name that it gets.
        name: String,
    },
    /// A member that the program defines itself, by this name, and what it holds.
    Own(String, Held),
    /// An object that is written out: what it is made of.
    Record(Vec<Code>),
    /// A number, text or the like that is computed of these.
    Computed(Vec<Code>),
    /// The last one, with what must be known before.
    After(Vec<Code>, Box<Code>),
    /// Everything in it is run, in any order and number; its value is one of them, or made of them.
    Parts(Vec<Code>),
}

/// One argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The parameter that it is for, if it says so.
    pub name: Option<String>,
    /// Whether it stands for any number of arguments.
    pub spread: bool,
    /// What is given.
    pub value: Code,
}

impl Code {
    /// Returns the pieces that it is made of.
    #[must_use]
    pub fn pieces(&self) -> Vec<&Self> {
        match self {
            Self::Text(_)
            | Self::Number
            | Self::Flag(_)
            | Self::Data
            | Self::Name(_)
            | Self::Import { .. }
            | Self::Own(..) => Vec::new(),
            Self::Joined(all)
            | Self::List(all)
            | Self::Record(all)
            | Self::Computed(all)
            | Self::Parts(all) => all.iter().collect(),
            Self::Member(one, _) | Self::Function(_, one) => vec![one],
            Self::Index(one, other) | Self::Slash(one, other) => vec![one, other],
            Self::Call(callee, arguments) => {
                let arguments = arguments.iter().map(|argument| &argument.value);
                std::iter::once(&**callee).chain(arguments).collect()
            }
            Self::Bind(target, bound) => match &**bound {
                Bound::Whole(value) | Bound::Element(value) => vec![target, value],
                Bound::Unknown => vec![target],
            },
            Self::After(before, last) => before.iter().chain([&**last]).collect(),
        }
    }
}

impl Argument {
    pub(super) const fn plain(value: Code) -> Self {
        Self { name: None, spread: false, value }
    }
}

/// What a member of the program's own holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// A function of the program.
    Function,
    /// Something that cannot be called.
    Data,
    /// What this name stands for.
    Named(String),
    /// Either, or something else.
    Unknown,
}

impl Held {
    /// Returns what a value is.
    #[must_use]
    pub fn of(value: &Code) -> Self {
        match value {
            Code::Function(..) => Self::Function,
            Code::Text(_)
            | Code::Number
            | Code::Flag(_)
            | Code::Data
            | Code::Joined(_)
            | Code::List(_)
            | Code::Record(_)
            | Code::Computed(_) => Self::Data,
            Code::Name(name) => Self::Named(name.clone()),
            Code::Member(..)
            | Code::Index(..)
            | Code::Slash(..)
            | Code::Call(..)
            | Code::Bind(..)
            | Code::Import { .. }
            | Code::Own(..)
            | Code::After(..)
            | Code::Parts(_) => Self::Unknown,
        }
    }
}

/// What a target gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    /// This value.
    Whole(Code),
    /// One element of this value after the other.
    Element(Code),
    /// Something that is not known.
    Unknown,
}

/// Reads a program, which stands in `file` if that is known; none if it is too large, does not parse, or has a construct that is not listed. Of SQL that is not parsed, calls of names that no
/// sheet lists tell.
#[must_use]
pub fn parse_code(text: &str, language: Language, file: Option<&str>) -> Option<Code> {
    let lower = match language {
        Language::Sql(dialect) => return Some(sql::lower(text, dialect)),
        Language::Python => python::lower,
        Language::JavaScript => javascript::lower,
        Language::Ruby => ruby::lower,
        Language::Php => php::lower,
        Language::Perl => perl::lower,
        Language::Shell
        | Language::Awk
        | Language::Sed
        | Language::Fzf
        | Language::Jq
        | Language::Make
        | Language::Patch
        | Language::Template
        | Language::C
        | Language::Names
        | Language::Other => return None,
    };
    let text = if language == Language::Php { php::program(text)? } else { text };
    let longest = if language == Language::Perl { MAX_PERL_BYTES } else { MAX_CODE_BYTES };
    if text.len() > longest || !is_plain(text) {
        return None;
    }
    let tree = tree(text, language)?;
    let root = tree.root_node();
    let is_large = root.descendant_count() > MAX_CODE_NODES;
    if root.has_error() || is_large || !is_readable(root) {
        return None;
    }
    lower(&Source { text, file }, root)
}

/// Languages end lines at other characters than the newline, each at its own. None of them is plain.
fn is_plain(text: &str) -> bool {
    !text.chars().any(|c| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
    })
}

fn tree(text: &str, language: Language) -> Option<Tree> {
    let grammar = match language {
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::JavaScript => tree_sitter_javascript::LANGUAGE,
        Language::Perl => ts_parser_perl::LANGUAGE,
        Language::Php => tree_sitter_php::LANGUAGE_PHP_ONLY,
        Language::Ruby => tree_sitter_ruby::LANGUAGE,
        _ => return None,
    };
    let mut parser = Parser::new();
    parser.set_language(&grammar.into()).ok()?;
    // There is no clock here: tree-sitter asks after each hundred of its steps whether to go on.
    let mut steps = 0u32;
    let mut count = |_: &tree_sitter::ParseState| {
        steps += 1;
        if steps > MAX_CODE_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let bytes = text.as_bytes();
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options))
}

/// Whether a tree is not too deep, and what stands beside it is nothing but comments.
fn is_readable(root: Node<'_>) -> bool {
    !any_node(root, |node, depth| {
        let is_beside = node.is_extra()
            && !matches!(node.kind(), "comment" | "line_continuation" | "heredoc_content");
        depth > MAX_CODE_DEPTH || (is_beside && node.is_named())
    })
}

/// How the nodes of a language's tree become code.
trait Lower {
    /// Lowers a node; none if it is not one of those that are listed.
    fn code(&self, node: Node<'_>) -> Option<Code>;

    /// Lowers each part of a node.
    fn each(&self, node: Node<'_>) -> Option<Vec<Code>> {
        parts(node).into_iter().map(|part| self.code(part)).collect()
    }

    /// Lowers a node of which everything is run.
    fn all(&self, node: Node<'_>) -> Option<Code> {
        self.each(node).map(Code::Parts)
    }
}

/// The text of a program, to ask what its nodes say.
struct Source<'a> {
    text: &'a str,
    /// Where it stands: what it says of its own place is known.
    file: Option<&'a str>,
}

impl<'a> Source<'a> {
    fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The directory in which it stands.
    fn directory(&self) -> Option<Code> {
        let (directory, _) = self.file?.rsplit_once('/')?;
        Some(Code::Text(if directory.is_empty() { "/" } else { directory }.to_owned()))
    }

    /// A name; none if it is not plain ASCII, since languages write the same name in several ways.
    fn name(&self, node: Node<'_>) -> Option<String> {
        let name = self.text(node);
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        (!name.is_empty() && name.bytes().all(is_part)).then(|| name.to_owned())
    }
}

/// The children of a node that mean something.
fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

fn bind(target: Code, value: Bound) -> Code {
    Code::Bind(Box::new(target), Box::new(value))
}

fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// Writes a text that has escapes as it is; none where an escape is not one of those that all languages share.
fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        plain.push(match c {
            '\\' => match characters.next()? {
                'n' => '\n',
                't' => '\t',
                same @ ('\\' | '\'' | '"') => same,
                _ => return None,
            },
            c => c,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests;
