//! Zsh's qualifiers behind a pattern, which say what files that fit it are taken: `*(.)`, `*.c(N,om[1,3])` (zshexpn(1), "Glob Qualifiers").
//! What runs code there (`e`, `+`), or makes other words of the names (`:h`, `P`, `M`), is not read.

use super::cursor::is_meta;
use super::parts::{Parts, Quoting};
use super::word::{Braces, Rules, Until};
use super::{Read, Reader, refused};
use crate::syntax::script::PartKind;

/// Kinds of files, access rights, and what joins or turns them.
const TESTS: &[u8] = b"/.@=p*rwxAIERWXsStUGFNDn,^-";

impl Reader<'_> {
    /// Reads the parenthesis that stands right behind a word, where zsh has one there. False: that ends the word, as in bash.
    pub(super) fn qualifiers(&mut self, rules: Rules, parts: &mut Parts) -> Read<bool> {
        let is_argument = rules.until == Until::Meta && rules.braces == Braces::Expand;
        // `a=(…)` is an array.
        let is_behind = !matches!(parts.last_bare(), None | Some(b'='));
        if !self.found.qualifies || !is_argument || !is_behind {
            return Ok(false);
        }
        let start = self.position;
        let rest = &self.text[start..];
        let Some(length) = length(rest) else {
            // `a()` is a function.
            let is_empty = rest[1..].trim_ascii_start().starts_with(b")");
            return if is_empty { Ok(false) } else { Err(refused("`(…)` behind a word")) };
        };
        if rest.get(length).is_some_and(|next| !is_meta(*next) || *next == b'(') {
            return Err(refused("`(…)` within a word"));
        }
        let text = String::from_utf8_lossy(&rest[..length]).into_owned();
        self.position += length;
        self.add_part(parts, start, Quoting::Bare, PartKind::Qualifiers(text))?;
        Ok(true)
    }
}

/// Returns the length of the qualifiers that the text begins with, with their parentheses.
fn length(text: &[u8]) -> Option<usize> {
    let close = text.iter().position(|byte| *byte == b')')?;
    let inner = &text[1..close];
    let mut rest = inner.strip_prefix(b"#q").unwrap_or(inner);
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        rest = &rest[one(rest)?..];
    }
    Some(close + 1)
}

/// Returns the length of the first qualifier.
fn one(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = |from: usize| Some(from + digits(from)).filter(|end| *end > from);
    let is = |at: usize, set: &[u8]| text.get(at).is_some_and(|byte| set.contains(byte));
    match text[0] {
        byte if TESTS.contains(&byte) => Some(1),
        b'%' => Some(1 + usize::from(is(1, b"bc"))),
        // By what they are sorted: `oe` and `o+` run code.
        b'o' | b'O' => is(1, b"nLlamcdN").then_some(2),
        // How many links, how large, how old.
        b'l' | b'L' | b'a' | b'm' | b'c' => {
            let unit = 1 + usize::from(is(1, b"MwhmsdkKgGtTpP"));
            number(unit + usize::from(is(unit, b"+-")))
        }
        b'Y' => number(1),
        b'[' => {
            let end = text.iter().position(|byte| *byte == b']')?;
            let is_place = |byte: &u8| byte.is_ascii_digit() || b"-,".contains(byte);
            text[1..end].iter().all(is_place).then_some(end + 1)
        }
        _ => None,
    }
}
