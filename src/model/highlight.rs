//! What a piece of a command line is, for colouring it.

/// What a piece of a line is, for colouring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HighlightKind {
    /// An operand.
    Argument,
    /// An option.
    Option,
    /// The name of a command.
    Command,
    /// Quoted text.
    String,
    /// A number or descriptor.
    Number,
    /// A variable or parameter.
    Variable,
    /// A reserved word.
    Keyword,
    /// What stands between commands.
    Operator,
    /// A redirection operator.
    Redirect,
    /// A comment.
    Comment,
}
