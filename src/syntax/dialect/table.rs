//! What bash can write, and what other shells make of it: one row a construct, one column a kind of shell.

use super::Dialect;
use super::Dialect::{Bash, Ksh, Posix, Zsh};

/// What is done with a construct where another shell than bash reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// The shell runs what bash would run, or refuses the line.
    Same,
    /// It does something else, and the reading follows it.
    Modelled,
    /// It does or may do something else, and the line is not fully read.
    Opaque,
}

/// Something in a text that not every shell reads alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// `$'…'`
    AnsiQuote,
    /// `$'…'` with an escape that not every shell decodes alike: `\c`, `\M`, `\0`, one that bash does not know.
    AnsiControl,
    /// `$"…"`
    Translated,
    /// `{a,b}`, `{1..3}`
    Brace,
    /// `{$a..3}`: an expansion inside what may be a sequence.
    BraceOfExpansion,
    /// `{a,b}$(…)`, `{a,b}$@`: whether the words or the braces come first.
    BraceOfWords,
    /// `{a..e..2}`, `{+1..3}`, `{a..3}`: sequences by other rules than bash's.
    Sequence,
    /// `${a:-{b,c}}`, where bash ends the expansion at the first `}`.
    BraceInOperand,
    /// `{$a,b}`, where what an alternative comes to nothing.
    EmptyAlternative,
    /// `[^a]`
    NegatedBracket,
    /// `?(…)` and its like.
    ExtendedGlob,
    /// `**`
    DeepGlob,
    /// `~+`, `~-`
    TildeDirectory,
    /// `~NAME`
    TildeName,
    /// `a=~`, `a=b:~` as a word of a command that declares nothing.
    AssignedTilde,
    /// `=NAME` at the beginning of a word.
    Equals,
    /// `1=a`, where bash sees a command.
    NumberedAssignment,
    /// `}` alone among the words of a command.
    ClosingBrace,
    /// `[[ … ]]`
    Test,
    /// `(( … ))`
    Arithmetic,
    /// `$[ … ]`
    OldArithmetic,
    /// `for ((…; …; …))`
    ArithmeticFor,
    /// `for … { … }`
    BraceLoop,
    /// `select`
    Select,
    /// `case … in a) … ;&`
    FallThrough,
    /// `function NAME …`
    FunctionKeyword,
    /// A function that the shell calls by itself.
    HookFunction,
    /// `time …`
    Time,
    /// `coproc …`
    Coproc,
    /// `a |& b`
    PipeBoth,
    /// `<(…)`, `>(…)`
    ProcessSubstitution,
    /// `${ …; }`
    FunctionSubstitution,
    /// `a=(…)`
    Array,
    /// `a[1]=b`, `${a[1]}`: which element that is.
    Index,
    /// `${a[@]}`, `${a[*]}`
    WholeArray,
    /// `a+=b`
    AppendingAssignment,
    /// A name that is tied to something of the shell's own: `path`, `functions`.
    SpecialName,
    /// `$0`
    ShellName,
    /// `${!a}`
    Indirect,
    /// `${a:1}`
    Substring,
    /// `${a:h}`, which bash evaluates as a number.
    Modifier,
    /// `${(f)a}`, `${=a}`, `${+a}`, which bash refuses.
    Flags,
    /// `$a[1]`, `$#a`
    Subscript,
    /// `$a:h`, `$a[$b]`, `$#@`: what bash takes for text belongs to the expansion.
    Suffix,
    /// `$=a`, `$~a`, `$+a`, `$^a`
    PrefixedParameter,
    /// `${a/b/c}`, `${a^}`, `${a@Q}`
    Editing,
    /// `<<<`
    HereString,
    /// `&>`, `&>>`, `>& FILE`
    RedirectBoth,
    /// `{name}> FILE`
    NamedDescriptor,
    /// `10> FILE`
    LargeDescriptor,
    /// The same descriptor twice, or beside a pipe.
    SeveralTargets,
    /// `>! FILE`
    ForcedTarget,
    /// `<1-5>`
    NumericGlob,
    /// Redirections without a command.
    NullCommand,
    /// What an expansion without quotes gives is split, and fits files.
    Splitting,
    /// `$a` of an array.
    UnindexedArray,
    /// `unset a` where no variable of that name is there, but a function.
    UnsetFunction,
    /// `a=b :`: what stands before a special builtin or a function stays set.
    KeptAssignment,
    /// `# …` where the shell is interactive.
    InteractiveComment,
}

use Construct as C;
use Treatment::{Modelled, Opaque, Same};

/// What POSIX alone, ksh and zsh do, in this order. The column of POSIX is for `sh` too, which is dash on one machine and bash
/// on another: only what both do is the same there.
pub(super) const TABLE: &[(Construct, [Treatment; 3])] = &[
    (C::AnsiQuote, [Opaque, Same, Same]),
    (C::AnsiControl, [Opaque, Opaque, Opaque]),
    (C::Translated, [Opaque, Same, Opaque]),
    (C::Brace, [Opaque, Same, Same]),
    (C::BraceOfExpansion, [Same, Opaque, Opaque]),
    (C::BraceOfWords, [Opaque, Opaque, Opaque]),
    (C::Sequence, [Same, Same, Opaque]),
    (C::BraceInOperand, [Same, Opaque, Opaque]),
    (C::EmptyAlternative, [Same, Same, Modelled]),
    (C::NegatedBracket, [Opaque, Same, Same]),
    (C::ExtendedGlob, [Opaque, Same, Opaque]),
    (C::DeepGlob, [Same, Same, Modelled]),
    (C::TildeDirectory, [Opaque, Same, Same]),
    (C::TildeName, [Same, Same, Opaque]),
    (C::AssignedTilde, [Modelled, Opaque, Modelled]),
    (C::Equals, [Same, Same, Opaque]),
    (C::NumberedAssignment, [Same, Same, Opaque]),
    (C::ClosingBrace, [Same, Same, Opaque]),
    (C::Test, [Opaque, Same, Same]),
    (C::Arithmetic, [Opaque, Same, Same]),
    (C::OldArithmetic, [Opaque, Opaque, Same]),
    (C::ArithmeticFor, [Opaque, Same, Same]),
    (C::BraceLoop, [Opaque, Opaque, Same]),
    (C::Select, [Opaque, Same, Same]),
    // What a shell does not know of these it refuses.
    (C::FallThrough, [Opaque, Same, Same]),
    (C::FunctionKeyword, [Opaque, Same, Same]),
    (C::HookFunction, [Same, Opaque, Opaque]),
    (C::Time, [Opaque, Same, Same]),
    (C::Coproc, [Opaque, Opaque, Opaque]),
    (C::PipeBoth, [Opaque, Opaque, Same]),
    (C::ProcessSubstitution, [Opaque, Opaque, Same]),
    (C::FunctionSubstitution, [Opaque, Same, Opaque]),
    (C::Array, [Opaque, Same, Same]),
    (C::Index, [Opaque, Same, Modelled]),
    (C::WholeArray, [Opaque, Same, Same]),
    (C::AppendingAssignment, [Opaque, Same, Modelled]),
    (C::SpecialName, [Same, Same, Opaque]),
    (C::ShellName, [Same, Same, Opaque]),
    (C::Indirect, [Opaque, Opaque, Same]),
    (C::Substring, [Opaque, Same, Same]),
    (C::Modifier, [Opaque, Same, Modelled]),
    (C::Flags, [Opaque, Opaque, Modelled]),
    (C::Subscript, [Same, Same, Modelled]),
    (C::Suffix, [Same, Same, Opaque]),
    (C::PrefixedParameter, [Same, Same, Opaque]),
    // Zsh refuses those that it does not know.
    (C::Editing, [Opaque, Opaque, Same]),
    (C::HereString, [Opaque, Same, Same]),
    (C::RedirectBoth, [Opaque, Opaque, Same]),
    (C::NamedDescriptor, [Opaque, Opaque, Same]),
    // Dash takes only one digit; zsh too.
    (C::LargeDescriptor, [Opaque, Opaque, Opaque]),
    (C::SeveralTargets, [Same, Same, Opaque]),
    (C::ForcedTarget, [Same, Same, Opaque]),
    (C::NumericGlob, [Same, Same, Opaque]),
    (C::NullCommand, [Same, Same, Opaque]),
    (C::Splitting, [Same, Same, Modelled]),
    (C::UnindexedArray, [Opaque, Same, Modelled]),
    (C::UnsetFunction, [Modelled, Modelled, Modelled]),
    (C::KeptAssignment, [Modelled, Modelled, Same]),
    (C::InteractiveComment, [Same, Same, Opaque]),
];

impl Dialect {
    /// Returns what is done with a construct in this shell.
    #[must_use]
    pub fn treats(self, construct: Construct) -> Treatment {
        let column = match self {
            Bash => return Same,
            Posix => 0,
            Ksh => 1,
            Zsh => 2,
        };
        let row = TABLE.iter().find(|(known, _)| *known == construct);
        row.map_or(Opaque, |(_, columns)| columns[column])
    }
}
