//! sed scripts (POSIX `sed`, and GNU's `e`, `r`, `w` and flags): which commands run programs or touch files.

mod left;

use std::collections::HashSet;

pub use left::{Left, left};

use super::Found;
use crate::model::{Arg, EffectKind};

/// Reads a script; none if a command is not known. Where implementations and their releases end a word elsewhere, it is read in
/// both ways, and what either finds counts.
pub(super) fn read(script: &str) -> Option<Found> {
    let mut scan = Scan::new(script);
    while scan.next() {
        scan.command()?;
    }
    Some(scan.found)
}

/// Whether a script does no more to the list of a rebase than to repeat lines, and to put another instruction that runs nothing and keeps
/// the commit in the place of `pick`, with all that stands behind it as it was.
pub fn turns_picks(script: &str) -> bool {
    let mut scan = Scan::new(script);
    while scan.skip_blank() {
        if scan.turn().is_none() {
            return false;
        }
    }
    true
}

/// The instructions of a rebase that run nothing and leave no commit out (git-rebase(1), INTERACTIVE MODE).
const INSTRUCTIONS: &[&str] =
    &["pick", "p", "reword", "r", "edit", "e", "squash", "s", "fixup", "f"];

/// Whether a delimiter in `[…]` is an ordinary character, as in a regular expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brackets {
    Protect,
    Ordinary,
}

struct Scan<'a> {
    rest: &'a str,
    found: Found,
    /// What is left of the script where a word may end elsewhere than where it was taken to end.
    others: Vec<&'a str>,
    /// How much was left where commands began.
    begun: HashSet<usize>,
    /// The labels since which nothing takes the next line or may leave, and whether something is printed since the first of them.
    turns: (Vec<&'a str>, bool),
}

impl<'a> Scan<'a> {
    fn new(script: &'a str) -> Self {
        Self {
            rest: script,
            found: Found::default(),
            others: Vec::new(),
            begun: HashSet::new(),
            turns: (Vec::new(), false),
        }
    }

    /// Goes to where the next command begins, each once; returns whether there is one.
    fn next(&mut self) -> bool {
        while !self.skip_blank() || !self.begun.insert(self.rest.len()) {
            match self.others.pop() {
                Some(other) => self.rest = other,
                None => return false,
            }
        }
        true
    }

    /// Skips a label: it ends at a blank, `;` or `}`, or only at the end of its line.
    fn label(&mut self) -> &'a str {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        if let Some((_, rest)) = self.rest.split_once('\n') {
            self.others.push(rest);
        }
        let end = self.rest.find(|c: char| c.is_whitespace() || matches!(c, ';' | '}'));
        let (label, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        label
    }

    /// Skips separators; returns whether anything is left.
    fn skip_blank(&mut self) -> bool {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', ';', '}', '\r']);
        !self.rest.is_empty()
    }

    fn take(&mut self) -> Option<char> {
        let first = self.rest.chars().next()?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    fn line(&mut self) -> &'a str {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest;
        line
    }

    /// Skips the addresses in front of a command.
    fn addresses(&mut self) -> Option<()> {
        self.address()?;
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        if let Some(rest) = self.rest.strip_prefix(',') {
            self.rest = rest.trim_start_matches([' ', '\t']);
            self.address()?;
        }
        self.rest = self.rest.trim_start_matches([' ', '\t', '!']);
        Some(())
    }

    /// Reads a command that may stand in a script which only turns picks; none if it is another.
    fn turn(&mut self) -> Option<()> {
        self.addresses()?;
        match self.take()? {
            '{' | 'p' => return Some(()),
            's' => {}
            _ => return None,
        }
        let start = self.rest;
        self.substitute()?;
        let delimiter = start.chars().next()?;
        let mut parts = start[..start.len() - self.rest.len()].split(delimiter).skip(1);
        let (pattern, replacement) = (parts.next()?, parts.next()?);
        let apart = |text: &'a str| match text.split_once(' ') {
            Some((word, rest)) => (word, Some(rest)),
            None => (text, None),
        };
        let (from, behind) = apart(pattern.strip_prefix('^').unwrap_or(pattern));
        let (to, kept) = apart(replacement);
        let is_plain = |text: &str| {
            text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '-'))
        };
        (matches!(from, "pick" | "pick\\b")
            && INSTRUCTIONS.contains(&to)
            && behind == kept
            && behind.is_none_or(is_plain)
            && self.found == Found::default())
        .then_some(())
    }

    fn command(&mut self) -> Option<()> {
        let start = self.rest.len();
        self.addresses()?;
        let is_always = self.rest.len() == start;
        let name = self.take()?;
        match name {
            ':' => {
                let label = self.label();
                self.turns.0.push(label);
                return Some(());
            }
            'b' if is_always => {
                let label = self.label();
                if self.turns.1 && self.turns.0.contains(&label) {
                    self.found.effects.push((EffectKind::Endless, None));
                }
                return Some(());
            }
            'p' | 'P' | 'l' | '=' | 'a' | 'i' | 'w' if is_always => self.turns.1 = true,
            's' | 'y' | 'g' | 'G' | 'h' | 'H' | 'x' | 'z' | 'F' | '#' | 'r' | 'W' => {}
            _ => self.turns = (Vec::new(), false),
        }
        match name {
            '{' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z'
            | 'F' => {}
            'l' | 'L' | 'q' | 'Q' => {
                self.rest = self.rest.trim_start_matches([' ', '\t']);
                self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
            }
            '#' => {
                self.line();
            }
            'b' | 't' | 'T' | 'v' => {
                self.label();
            }
            'a' | 'i' | 'c' => self.text(),
            'e' => {
                let line = self.line().trim();
                // Without a command it runs the pattern space; a backslash continues the line, or goes.
                let is_plain = !line.is_empty() && !line.contains('\\');
                self.found.commands.push(is_plain.then(|| line.to_owned()));
            }
            'r' | 'R' => self.file(EffectKind::Read),
            'w' | 'W' => self.file(EffectKind::Write),
            's' => self.substitute()?,
            'y' => {
                let delimiter = self.take()?;
                self.until(delimiter, Brackets::Ordinary)?;
                self.until(delimiter, Brackets::Ordinary)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn address(&mut self) -> Option<()> {
        let first = self.rest.chars().next()?;
        match first {
            '0'..='9' | '+' | '~' | '$' => {
                self.rest =
                    self.rest.trim_start_matches(|c: char| c.is_ascii_digit() || "+~$".contains(c));
            }
            '/' => {
                self.take();
                self.until('/', Brackets::Protect)?;
                self.rest = self.rest.trim_start_matches(['I', 'M']);
            }
            '\\' => {
                self.take();
                let delimiter = self.take()?;
                self.until(delimiter, Brackets::Protect)?;
                self.rest = self.rest.trim_start_matches(['I', 'M']);
            }
            _ => {}
        }
        Some(())
    }

    /// Skips to behind the next delimiter that no backslash or bracket expression protects.
    fn until(&mut self, delimiter: char, brackets: Brackets) -> Option<()> {
        loop {
            let c = self.take()?;
            if c == delimiter {
                return Some(());
            }
            if c == '\\' {
                self.take()?;
            } else if c == '[' && brackets == Brackets::Protect {
                self.bracket()?;
            }
        }
    }

    /// Skips a bracket expression, in which a delimiter is an ordinary character (POSIX `sed`).
    fn bracket(&mut self) -> Option<()> {
        self.rest = self.rest.strip_prefix('^').unwrap_or(self.rest);
        self.rest = self.rest.strip_prefix(']').unwrap_or(self.rest);
        loop {
            match self.take()? {
                ']' => return Some(()),
                '[' => {
                    // `[:alpha:]`, `[.x.]`, `[=x=]`
                    if let Some(kind @ (':' | '.' | '=')) = self.rest.chars().next() {
                        let close = format!("{kind}]");
                        self.rest = &self.rest[self.rest.find(&close)? + 2..];
                    }
                }
                _ => {}
            }
        }
    }

    fn text(&mut self) {
        // Text goes on over lines that end in a backslash; two of them may be a character of the text.
        loop {
            let line = self.line();
            let backslashes = line.len() - line.trim_end_matches('\\').len();
            if backslashes == 0 || self.rest.is_empty() {
                return;
            }
            self.rest = &self.rest[1..];
            if backslashes > 1 {
                self.others.push(self.rest);
            }
        }
    }

    fn file(&mut self, kind: EffectKind) {
        let name = self.line().trim();
        if !matches!(name, "/dev/stdout" | "/dev/stderr" | "/dev/stdin") {
            self.found.effects.push((kind, Some(Arg::Known(name.to_owned()))));
        }
    }

    fn substitute(&mut self) -> Option<()> {
        let delimiter = self.take()?;
        self.until(delimiter, Brackets::Protect)?;
        self.until(delimiter, Brackets::Ordinary)?;
        loop {
            match self.rest.chars().next() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.take();
                }
                Some('e') => {
                    self.take();
                    self.found.commands.push(None);
                }
                Some('w') => {
                    self.take();
                    self.file(EffectKind::Write);
                    return Some(());
                }
                Some(' ' | '\t') => {
                    self.take();
                }
                None | Some(';' | '\n' | '}' | '#' | '\r') => return Some(()),
                Some(_) => return None,
            }
        }
    }
}
