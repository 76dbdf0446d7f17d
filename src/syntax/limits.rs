//! How much text is read, and why no more. Passing a limit gives an opaque part, never a hang or a crash.
//! There is no clock here: what takes time is counted in steps.

/// The longest text that is read. Linux takes at most 128 KiB in one argument, so only scripts on disk come near it,
/// and the longest generated ones (`configure`) stay under 2 MiB.
pub const MAX_BYTES: usize = 4 << 20;

/// The deepest nesting of brackets, substitutions and compound commands of all kinds together. Scripts that people
/// write stay under 20; this many levels fit on a stack of 2 MiB even in a build without optimisation.
pub const MAX_DEPTH: u32 = 64;

/// The most statements, commands, words and parts of words. Reading one costs about 150 bytes and 1 µs, asking the second
/// parser as much again: this stands for 45 MB and 300 ms. A dense script of 300 KB has as many; the reading follows a few
/// thousand commands of it.
pub const MAX_NODES: u32 = 150_000;

/// The most steps, where a step is a byte looked at or a node made. Reading takes two to four a byte, and about
/// 4 ns each, so this stands for 250 ms; only text that is scanned again for each of many levels comes near it.
pub const MAX_STEPS: u64 = 60_000_000;

/// The most words that one brace expansion is written out to.
pub const MAX_BRACE_WORDS: usize = 256;

/// The most words of one brace expansion that a shell holds without harm: each takes some dozens of bytes.
pub const MAX_BRACE_WORDS_HELD: usize = 10_000_000;

/// The most braces in one word: matching them looks at each pair of them.
pub const MAX_BRACE_MARKS: usize = 512;

/// The most here-documents announced on one line: the second parser takes time by their square.
pub const MAX_PENDING: usize = 64;

/// The longest program in another language that is read. What stands on a line is shorter; what is longer was generated.
pub const MAX_CODE_BYTES: usize = 64 << 10;

/// The longest program in Perl that is read. Its grammar takes time by the square of a line's length: 30 ms for as much as this.
pub const MAX_PERL_BYTES: usize = 4 << 10;

/// The most nodes of such a program: about one for every three bytes of dense code.
pub const MAX_CODE_NODES: usize = 40_000;

/// The deepest nesting in such a program. A chain of a hundred `+` is as deep; more levels would not fit on a small stack.
pub const MAX_CODE_DEPTH: u32 = 120;

/// The most hundreds of steps of a grammar's parser. Plain code takes less than one step a byte, and 64 KiB of what does not
/// parse would take many more: this stands for some 50 ms.
pub const MAX_CODE_STEPS: u32 = 10_000;

/// The deepest nesting of SQL: its parser's frames are large.
pub const MAX_SQL_DEPTH: usize = 40;

/// The most tokens of SQL without a comma between them: a chain of operators is half as deep as it is long.
pub const MAX_SQL_ROW: usize = 300;
