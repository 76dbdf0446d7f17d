//! Where a shell takes its program from, as its options say.

use crate::model::ShellMode;

/// Where the program comes from. Ordered: of several the greatest counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// The first operand is a script; without one, standard input.
    #[default]
    Operand,
    /// `-s`
    Input,
    /// `-c`
    CommandLine,
    /// `--help`, `--version`
    Information,
}

impl Source {
    /// Returns what is run and which word becomes `$1`, where the operands begin at word `operands` of `count`. None: `-c`
    /// without a command line.
    pub(super) fn mode(self, operands: usize, count: usize) -> Option<(ShellMode, usize)> {
        let there = operands < count;
        match self {
            Self::Information => Some((ShellMode::Information, count)),
            Self::CommandLine if there => {
                Some((ShellMode::CommandLine { index: operands }, (operands + 2).min(count)))
            }
            Self::CommandLine => None,
            Self::Operand if there => Some((ShellMode::Script { index: operands }, operands + 1)),
            Self::Operand | Self::Input => Some((ShellMode::Input, operands)),
        }
    }
}
