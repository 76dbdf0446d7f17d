//! Texts that a program takes for an option: a server that hands one on to a program has that write where the option says, or run what it says.
//! Says nothing of which programs do: names of options are much the same everywhere, and `rules/tools.toml` lists them.

use super::mcp;

/// What an option that is handed on may do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum HandedOn<'t> {
    /// Writes this path.
    Writes(&'t str),
    /// Runs something.
    Runs,
}

/// Returns what a text does that is an option; nothing of any other text. A text of two words may be two arguments, one behind the other: then only
/// an option that is known to write does so.
pub(super) fn read(text: &str, is_path: impl Fn(&str) -> bool) -> Vec<HandedOn<'_>> {
    let bare = text.trim().trim_start_matches('-');
    let dashes = text.trim().len() - bare.len();
    if !(1..=2).contains(&dashes)
        || !bare.starts_with(|c: char| c.is_ascii_alphabetic())
        || bare.contains('\n')
    {
        return Vec::new();
    }
    let ends = |c: char| c == '=' || c.is_whitespace();
    let (name, value) = bare.split_once(ends).unwrap_or((bare, ""));
    let is_apart = bare[name.len()..].starts_with(char::is_whitespace);
    // One letter, with its value behind it.
    let attached = Some(&bare[1..]).filter(|_| dashes == 1);
    if runs(bare, attached) {
        return vec![HandedOn::Runs];
    }
    let is_output = mcp::is_output(name);
    let whole = Some(value).filter(|value| is_output || !is_apart && is_path(value));
    let values = whole.into_iter().chain(attached.filter(|value| is_path(value)));
    values.map(str::trim).filter(|value| !value.is_empty()).map(HandedOn::Writes).collect()
}

/// Whether one of the names in an option (`NAME=NAME=VALUE`) says that a program is run, or its value is one that runs others.
fn runs(bare: &str, attached: Option<&str>) -> bool {
    let value = |text: &str| {
        let word = text.trim_start_matches('=').split_whitespace().next().unwrap_or("");
        mcp::is_shell(word.rsplit('/').next().unwrap_or(word))
    };
    let mut names: Vec<&str> = bare.split('=').collect();
    let last = names.pop().unwrap_or_default();
    if names.is_empty() {
        names.extend(bare.split_once(char::is_whitespace).map(|(name, _)| name));
    }
    let last_word = |name: &&str| name.rsplit(char::is_whitespace).next().map(str::to_owned);
    let mut words = names.iter().filter_map(last_word).chain(
        attached.and_then(|attached| attached.split_once('=')).map(|(name, _)| name.to_owned()),
    );
    let is_given = !last.trim().is_empty();
    is_given && words.any(|name| mcp::runs_program(&name))
        || value(last) && !names.is_empty()
        || attached.is_some_and(value)
}

#[cfg(test)]
mod tests {
    use super::{HandedOn, read};

    #[test]
    fn an_option_that_is_handed_on_writes_or_runs() {
        let is_path = |text: &str| text.starts_with(['/', '~', '.']);
        for (text, path) in [
            ("--output=/home/u/.bashrc", "/home/u/.bashrc"),
            ("--output=out.txt", "out.txt"),
            ("--output /home/u/.bashrc", "/home/u/.bashrc"),
            ("-o/home/u/.bashrc", "/home/u/.bashrc"),
            ("-o /home/u/.bashrc", "/home/u/.bashrc"),
            ("--anything=~/.bashrc", "~/.bashrc"),
        ] {
            assert!(read(text, is_path).contains(&HandedOn::Writes(path)), "{text}");
        }
        for text in [
            "--upload-pack=touch /tmp/x",
            "--upload-pack touch",
            "-oProxyCommand=id",
            "-c core.fsmonitor=id",
            "--config core.pager=sh -c id",
            "--checkpoint-action=exec=sh",
            "-Osh",
            "-e /bin/sh",
            "--rsh=sh -c id",
            "--anything=bash",
        ] {
            assert_eq!(read(text, is_path), [HandedOn::Runs], "{text}");
        }
        for text in [
            "-1d",
            "-label:bug",
            "--help",
            "- item",
            "-- x",
            "--no-verify",
            "-rf",
            "--format=json",
            "-r /usr/include",
            "--pre",
            "->",
            "--- a/x",
            "x --output=/y",
            "-Wall",
            "--",
            "",
        ] {
            assert_eq!(read(text, is_path), [], "{text}");
        }
    }
}
