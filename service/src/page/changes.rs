//! What a question would change in files: what an agent's own tool says of it, and what a trial of its line found.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use guarded_sh::approval::visible;
use guarded_sh::model::Trying;
use guarded_sh::subcommand;
use maud::{Markup, html};

use super::floor::Standing;

/// What trials of the questions that stand would change, each read once.
#[derive(Default)]
pub struct Changes(Mutex<HashMap<String, String>>);

impl Changes {
    /// Returns what an entry of a trial would change, as text; or why that cannot be read.
    pub fn of(&self, trial: &str) -> String {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            subcommand::changes(trial)
                .unwrap_or_else(|why| format!("what it would change cannot be read: {why}\n"))
        };
        held.entry(trial.to_owned()).or_insert_with(read).clone()
    }

    /// Forgets those of questions that stand no more.
    pub fn retain(&self, standing: &Standing) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|id, _| {
            standing.entries.iter().any(|(_, entry)| match &entry.trying {
                Trying::Done(trial) => trial.id.as_ref() == Some(id),
                _ => false,
            })
        });
    }
}

/// Returns a difference: what goes and what comes, a line each.
pub fn difference(text: &str) -> Markup {
    html! {
        pre.difference tabindex="0" aria-label="What changes" {
            @for line in text.lines() {
                @match line.as_bytes().first() {
                    Some(b'+') => ins { (visible(line)) },
                    Some(b'-') => del { (visible(line)) },
                    _ => (visible(line)),
                }
                "\n"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_go_and_come_are_told_apart_and_are_text() {
        let shown = difference("@@ -1 +1 @@\n-<b>\n+\x1b[2J\n same\n").into_string();
        let lines = "@@ -1 +1 @@\n<del>-&lt;b&gt;</del>\n<ins>+\\x1b[2J</ins>\n same\n";
        assert!(shown.contains(lines), "{shown}");
    }
}
