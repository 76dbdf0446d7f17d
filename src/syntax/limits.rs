//! How much text is read, and why no more. Passing a limit gives an opaque part, never a hang or a crash.
//! There is no clock here: what takes time is counted in steps.

/// The longest text that is read. Linux takes at most 128 KiB in one argument, so only scripts on disk come near it,
/// and the longest generated ones (`configure`) stay under 2 MiB.
pub const MAX_BYTES: usize = 4 << 20;

/// The deepest nesting of brackets, substitutions and compound commands of all kinds together. Scripts that people
/// write stay under 20; this many levels fit on a stack of 2 MiB even in a build without optimisation.
pub const MAX_DEPTH: u32 = 64;

/// The most statements, commands, words and parts of words. One costs about 150 bytes, so the largest tree takes about
/// 150 MB; a script of 1 MiB has about 450,000.
pub const MAX_NODES: u32 = 1_000_000;

/// The most steps, where a step is a byte looked at or a node made. Reading takes two to four a byte, and about
/// 4 ns each, so this stands for 250 ms; only text that is scanned again for each of many levels comes near it.
pub const MAX_STEPS: u64 = 60_000_000;

/// The most words that one brace expansion is written out to.
pub const MAX_BRACE_WORDS: usize = 256;

/// The most braces in one word: matching them looks at each pair of them.
pub const MAX_BRACE_MARKS: usize = 512;

/// The most here-documents announced on one line: the second parser takes time by their square.
pub const MAX_PENDING: usize = 64;
