//! Shell text behind which a program puts words of its own: the file that an editor opens, the host of a connection.

use super::carry::Lookup;
use super::edited::Behind;
use super::simple::Around;
use super::walk::Walker;
use crate::model::{Arg, Span};

impl Walker<'_> {
    /// Plans shell text to which command `index`, or the variable that it gives, adds words of its own, as git does it.
    pub(super) fn appended(
        &mut self,
        index: usize,
        carrier: &str,
        text: &str,
        behind: Behind,
        span: Span,
    ) {
        // `zip` puts them elsewhere, where it is told to.
        let is_placed = carrier == "zip" && text.contains("{}");
        let whole = if is_placed { text.replace("{}", "\"$@\"") } else { format!("{text} \"$@\"") };
        let words = shell_argv(&whole, text, behind.words);
        let input = std::mem::replace(&mut self.input, behind.input);
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

/// Returns how a shell is started for a line that takes `"$@"`, with what it is called and the words behind that.
pub(super) fn shell_argv(line: &str, name: &str, behind: Arg) -> Vec<Arg> {
    let words = ["/bin/sh", "-c", line, name].map(|word| Arg::Known(word.to_owned()));
    words.into_iter().chain([behind]).collect()
}
