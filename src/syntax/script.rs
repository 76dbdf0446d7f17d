//! The parsed form of shell text, named as POSIX and the bash manual name it.

use crate::model::{Opaque, Span};

/// Shell text, read: what it runs in order, and what of it could not be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// The bytes that were read.
    pub span: Span,
    /// The lists, as separated by `;`, `&` and newlines.
    pub statements: Vec<Statement>,
    /// Parts that are not accounted for. Empty means: every byte was read and a second parser agrees.
    /// Those of scripts inside words stand in the outermost script; here those scripts have none of their own.
    pub opaque: Vec<Opaque>,
}

/// An and-or list (POSIX 2.9.3).
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The bytes of the list without its terminator.
    pub span: Span,
    /// The first pipeline and what follows it.
    pub first: Pipeline,
    /// The rest, each with the operator before it.
    pub rest: Vec<(AndOr, Pipeline)>,
    /// Whether it ends in `&`.
    pub background: bool,
}

/// How two pipelines of a list are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AndOr {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|` or `|&`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// The bytes of the pipeline with its prefixes.
    pub span: Span,
    /// Whether `!` stands before it.
    pub negated: bool,
    /// Whether the reserved word `time` stands before it.
    pub timed: bool,
    /// The commands, left to right. May be empty after a bare `!` or `time`.
    pub commands: Vec<Command>,
}

/// A command with the redirections that stand on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The bytes of the command with its redirections.
    pub span: Span,
    /// What kind of command it is.
    pub kind: CommandKind,
    /// Its redirections in order; for a simple command also those before and between the words.
    /// `|&` adds none here: see [`Command::pipes_stderr`].
    pub redirects: Vec<Redirect>,
    /// Whether its output goes into the next command with `|&`.
    pub pipes_stderr: bool,
}

/// The kinds of commands (bash manual, 3.2).
#[derive(Clone, Debug, PartialEq)]
pub enum CommandKind {
    /// Assignments and words.
    Simple(SimpleCommand),
    /// `{ …; }`
    Group(Vec<Statement>),
    /// `( … )`
    Subshell(Vec<Statement>),
    /// `if …; then …; elif …; else …; fi`
    If {
        /// Each condition with its branch.
        branches: Vec<(Vec<Statement>, Vec<Statement>)>,
        /// The branch after `else`.
        otherwise: Option<Vec<Statement>>,
    },
    /// `for NAME [in WORDS]; do …; done`, and `select` likewise.
    For {
        /// The variable.
        variable: String,
        /// The words; none means `"$@"`.
        words: Option<Vec<Word>>,
        /// What is repeated.
        body: Vec<Statement>,
        /// Whether it is `select`.
        select: bool,
    },
    /// `for (( ; ; ))`
    ArithmeticFor {
        /// The three expressions as written, each a word of literal text and expansions.
        expressions: [Word; 3],
        /// What is repeated.
        body: Vec<Statement>,
    },
    /// `while …; do …; done`, and `until` likewise.
    While {
        /// What is tested before each turn.
        condition: Vec<Statement>,
        /// What is repeated.
        body: Vec<Statement>,
        /// Whether it is `until`.
        until: bool,
    },
    /// `case WORD in …) …;; esac`
    Case {
        /// The word that is matched.
        word: Word,
        /// Each arm: patterns and what runs.
        arms: Vec<(Vec<Word>, Vec<Statement>)>,
    },
    /// `NAME () …` or `function NAME …`. Redirections that belong to the body stand on the body.
    Function {
        /// The name as written.
        name: String,
        /// What a call runs.
        body: Box<Command>,
    },
    /// `[[ … ]]`: the words between the brackets, operators included as literal words, parentheses too.
    Test(Vec<Word>),
    /// `(( … ))`: the expression as a word of literal text and expansions.
    Arithmetic(Word),
    /// `coproc [NAME] COMMAND`
    Coproc {
        /// The name, if one was given.
        name: Option<String>,
        /// What runs beside the shell.
        body: Box<Command>,
    },
}

/// Assignments and words. Both may be empty when only redirections stand there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimpleCommand {
    /// Assignments before the first word.
    pub assignments: Vec<Assignment>,
    /// The words: the name of the command first. Assignment-like words after the name (`export A=b`,
    /// `env A=b`) are words; `declare A=(…)` keeps its array in an [`PartKind::Array`] part.
    pub words: Vec<Word>,
}

/// `NAME=VALUE`, `NAME+=VALUE`, `NAME[INDEX]=VALUE`, `NAME=(…)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// All its bytes.
    pub span: Span,
    /// The variable.
    pub name: String,
    /// The index between the brackets, which bash evaluates.
    pub index: Option<Word>,
    /// Whether it is `+=`.
    pub append: bool,
    /// What is assigned.
    pub value: AssignmentValue,
}

/// The right side of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum AssignmentValue {
    /// One word, possibly empty.
    Scalar(Word),
    /// `(…)`: each element with its index, if one is written.
    Array(Vec<(Option<Word>, Word)>),
}

/// A word before expansion: parts side by side.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word {
    /// All its bytes, quotes included.
    pub span: Span,
    /// Its parts in order. An empty quoted string gives one empty quoted literal.
    pub parts: Vec<Part>,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its bytes, quotes included.
    pub span: Span,
    /// Whether it stands in quotes or behind a backslash: not split, not globbed.
    pub quoted: bool,
    /// What it is.
    pub kind: PartKind,
}

/// What a piece of a word is.
#[derive(Clone, Debug, PartialEq)]
pub enum PartKind {
    /// Text after quote removal; `$'…'` is decoded. Bytes that are not UTF-8 after decoding make the word opaque.
    Literal(String),
    /// `$NAME`, `${…}`
    Parameter(Box<Parameter>),
    /// `$(…)`, `` `…` ``, `${ …; }`
    Command(Box<Script>),
    /// `$((…))`, `$[…]`: the expression as a word of literal text and expansions.
    Arithmetic(Box<Word>),
    /// `<(…)`
    ProcessInput(Box<Script>),
    /// `>(…)`
    ProcessOutput(Box<Script>),
    /// `{a,b}` or `{1..3}` outside quotes: the words it stands for, in order.
    Brace(Vec<Word>),
    /// A brace sequence or list of more words than are written out: so many.
    BraceTooMany(usize),
    /// `~` or `~NAME`, as written, at a place where bash expands it (word start, after `=` or `:` in an assignment).
    Tilde(String),
    /// An unquoted pattern as written: `*`, `?`, `[…]`.
    Glob(String),
    /// `?(…)`, `*(…)`, `+(…)`, `@(…)`, `!(…)`: text as written, and the words between the bars.
    ExtendedGlob(String, Vec<Word>),
    /// `(…)` behind a pattern, as zsh has it: which of the files that fit.
    Qualifiers(String),
    /// `=(…)` after a word of a declaration builtin (`declare A=(…)`): index and value of each element.
    Array(Vec<(Option<Word>, Word)>),
}

/// A parameter expansion (bash manual, 3.5.3).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameter {
    /// Name, digits, or the special character.
    pub name: String,
    /// `${!NAME}`, `${!NAME@}`, `${!NAME[@]}`
    pub indirect: bool,
    /// `${#NAME}`
    pub length: bool,
    /// The subscript: `*`, `@` or what bash evaluates.
    pub index: Option<Word>,
    /// The operator as written: `:-` `-` `:=` `=` `:?` `?` `:+` `+` `#` `##` `%` `%%` `/` `//` `/#` `/%`
    /// `:` (substring) `^` `^^` `,` `,,` `@`; `*` or `@` after `${!NAME`; empty if none.
    pub operator: String,
    /// What stands behind the operator, up to a separator: the default, the pattern, the offset, the letter after `@`.
    pub argument: Option<Word>,
    /// What stands behind the second separator: the replacement, the length.
    pub second: Option<Word>,
}

/// A redirection (POSIX 2.7, bash manual 3.6).
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// All its bytes; of a here-document without the body.
    pub span: Span,
    /// What stands before the operator.
    pub descriptor: Descriptor,
    /// The operator.
    pub operator: RedirectOperator,
    /// File name, descriptor, here-string, or the delimiter as written.
    pub target: Word,
    /// The body of a here-document.
    pub body: Option<HereDocument>,
}

/// What stands before a redirection operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Descriptor {
    /// Nothing: the operator's default.
    Default,
    /// `N`
    Number(u32),
    /// `{NAME}`
    Variable(String),
}

/// The redirection operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectOperator {
    /// `<`
    Input,
    /// `>`
    Output,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&` (with a word that is no descriptor: as `&>`)
    DuplicateOutput,
    /// `&>`
    OutputAndError,
    /// `&>>`
    AppendAndError,
    /// `<<`
    HereDocument,
    /// `<<-`
    HereDocumentTabs,
    /// `<<<`
    HereString,
}

/// The body of a here-document.
#[derive(Clone, Debug, PartialEq)]
pub struct HereDocument {
    /// The bytes of the body, without the line of the delimiter.
    pub span: Span,
    /// Whether the delimiter was quoted, so that nothing in the body is expanded.
    pub quoted: bool,
    /// The body as text and expansions; leading tabs are gone after `<<-`.
    pub content: Word,
}
