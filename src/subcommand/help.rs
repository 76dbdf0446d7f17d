//! The subcommands as `--help` lists them: in groups, by what a person wants, each in one row. What each does is said where it is defined.

use std::fmt::Write as _;

use clap::Command;

use super::output::{cut_at_word, padded, width};

/// The groups in the order in which they are listed, with the names in each. A subcommand that is in none is an error.
const GROUPS: &[(&str, &[&str])] = &[
    ("Use", &["run", "check", "explain", "try", "undo", "status", "log", "stats", "verify"]),
    ("Decide", &["watch", "page", "pending", "approve", "deny", "allow", "ask", "pause"]),
    ("Policy", &["rules", "policy", "config", "trust", "suggest", "judge", "schema"]),
    ("Containers", &["mcp", "host", "host-shim"]),
    ("Set-up", &["setup", "install", "uninstall", "doctor", "serve", "hook", "completions", "man"]),
];

/// Columns between a name and what it does.
const GAP: usize = 2;

/// Returns the command with a help that lists its subcommands in groups, in rows of at most this many columns; none for as many as they take.
pub(super) fn grouped(command: Command, columns: Option<usize>) -> Command {
    let style = command.get_styles().clone();
    let (header, literal) = (*style.get_header(), *style.get_literal());
    let shown = || GROUPS.iter().flat_map(|(_, names)| *names);
    let names = shown().map(|name| width(name)).max().unwrap_or(0);
    let mut text = String::new();
    for (title, group) in GROUPS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{header}{title}:{header:#}");
        for subcommand in group.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            let room = columns.map_or(usize::MAX, |all| all.saturating_sub(2 + names + GAP));
            let name = padded(subcommand.get_name(), names + GAP);
            let _ = writeln!(text, "  {literal}{name}{literal:#}{}", cut_at_word(&about, room));
        }
        text.push('\n');
    }
    let text = text.trim_end();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}\n\n{header}Options:{header:#}\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::command;
    use super::*;

    #[test]
    fn each_subcommand_is_in_one_group() {
        let command = command();
        let visible = command.get_subcommands().filter(|one| !one.is_hide_set());
        let mut defined: Vec<&str> = visible.map(Command::get_name).collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        defined.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, defined);
    }

    #[test]
    fn each_is_one_row_however_wide_the_terminal() {
        for (columns, is_cut) in [(40, true), (60, true), (70, false), (80, false), (200, false)] {
            let text = grouped(command(), Some(columns)).render_help().to_string();
            let rows: Vec<&str> = text
                .lines()
                .skip_while(|row| !row.starts_with("Use:"))
                .take_while(|row| !row.starts_with("Options:"))
                .collect();
            for row in &rows {
                assert!(width(row) <= columns, "{columns}: {row}");
            }
            assert_eq!(rows.iter().any(|row| row.ends_with('…')), is_cut, "{columns}: {text}");
            let names = rows.iter().filter(|row| row.starts_with("  "));
            let listed: usize = GROUPS.iter().map(|(_, names)| names.len()).sum();
            assert_eq!(names.count(), listed, "{text}");
        }
    }
}
