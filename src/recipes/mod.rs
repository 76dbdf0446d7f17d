//! Files that describe tasks, as text: makefiles, justfiles, and what their names and places say. Looks at no file and knows no shell: what a
//! task runs is planned by whoever reads the line that starts it.
#![forbid(unsafe_code, clippy::disallowed_methods)]

pub mod justfile;
pub mod make;
pub mod marks;
pub mod names;
pub mod templates;
pub mod yaml;

use crate::model::Arg;

pub use names::{is_found_by_runners, is_own_remote, is_proposal, is_routine, is_trunk};

/// A variable that stands in the text of a recipe for what is not known of it.
pub const UNREAD: &str = "_not_read_";

/// Returns the directory and all above it, the nearest first.
pub fn upward(directory: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(directory);
    std::iter::from_fn(move || {
        let here = rest?;
        rest = match here.rsplit_once('/') {
            Some(("", "")) | None => None,
            Some(("", _)) => Some("/"),
            Some((above, _)) => Some(above),
        };
        Some(here)
    })
}

/// Whether a program reads recipes as `sh` does.
pub fn is_shell(program: &str) -> bool {
    let program = program.trim();
    let (place, name) = program.rsplit_once('/').unwrap_or(("", program));
    matches!(name, "sh" | "bash" | "dash" | "zsh" | "ksh")
        && matches!(place, "" | "/bin" | "/usr/bin" | "/usr/local/bin" | "/opt/homebrew/bin")
}

/// Returns the directory of a file.
pub fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map(|(directory, _)| directory).filter(|it| !it.is_empty()).unwrap_or("/")
}

/// Joins a directory and a name.
pub fn below(directory: &str, name: &str) -> String {
    crate::paths::absolute(directory, name)
}

/// Adds words to the text of a recipe, each quoted.
pub fn with_words(text: &str, words: &[Arg]) -> String {
    let mut text = text.to_owned();
    for word in words {
        text.push(' ');
        match word {
            Arg::Known(word) => text.push_str(&shell_words::quote(word)),
            Arg::Glob(_) | Arg::Prefix(_) | Arg::Unknown => {
                text.push_str("\"$");
                text.push_str(UNREAD);
                text.push('"');
            }
            Arg::Many => {
                text.push('$');
                text.push_str(UNREAD);
            }
        }
    }
    text
}
