//! Shell text behind which a program puts words of its own that are not known: the file that an editor opens, the host of a connection.

use super::carry::Lookup;
use super::input::Input;
use super::simple::Around;
use super::walk::Walker;
use crate::model::{Arg, Span};

impl Walker<'_> {
    /// Plans shell text to which command `index`, or the variable that it gives, adds words that are not known, as git does it.
    pub(super) fn appended(&mut self, index: usize, carrier: &str, text: &str, span: Span) {
        // `zip` puts them elsewhere, where it is told to.
        let is_placed = carrier == "zip" && text.contains("{}");
        let whole = if is_placed { text.replace("{}", "\"$@\"") } else { format!("{text} \"$@\"") };
        let words = ["/bin/sh", "-c", &whole, text].map(|word| Arg::Known(word.to_owned()));
        let words: Vec<Arg> = words.into_iter().chain([Arg::Many]).collect();
        let input = std::mem::replace(&mut self.input, Input::Unknown);
        self.carried_by(index, carrier, |walker| {
            walker.deeper(span, |walker| {
                walker.subshell(|walker| {
                    walker.run(words, Around { span, ..Around::default() }, Lookup::Programs);
                });
            });
        });
        self.input = input;
    }
}

/// Programs that do no more to what is put behind them than what they are there for: editors, and what connects to another machine.
const AT_HOME: &[&str] =
    &["code", "ed", "emacs", "ex", "micro", "nano", "nvim", "sed", "ssh", "vi", "view", "vim"];

/// Returns whether text is one command of such a program. What its own words do counts none the less.
pub(super) fn is_at_home(text: &str) -> bool {
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), close) if open == close => quote = None,
            (None, ';' | '&' | '|' | '<' | '>' | '(' | ')' | '#' | '\n')
            | (None | Some('"'), '$' | '`' | '\\') => return false,
            _ => {}
        }
    }
    let program = text.split_whitespace().next().unwrap_or_default();
    quote.is_none() && AT_HOME.contains(&program.rsplit('/').next().unwrap_or(program))
}
