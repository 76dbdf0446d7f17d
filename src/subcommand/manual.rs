//! `man` and `completions`: what clap knows of the subcommands, and around it the manual's own sections.

use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::arguments::command;
use super::failure::Failure;
use super::output::print;

/// What stands before the subcommands: name, synopsis, description.
const BEFORE: &str = include_str!("manual/before.roff");
/// What stands behind them: files, environment, exit status, limits, examples.
const AFTER: &str = include_str!("manual/after.roff");

pub(super) fn completions(shell: Shell) -> Result<u8, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "guarded-sh", &mut text);
    print(&String::from_utf8_lossy(&text))?;
    Ok(0)
}

pub(super) fn run() -> Result<u8, Failure> {
    let mut text = Vec::new();
    let mut command = command().disable_help_subcommand(true);
    command.build();
    Man::new(command.clone())
        .title("GUARDED-SH")
        .manual("User Commands")
        .render_title(&mut text)?;
    text.extend_from_slice(BEFORE.as_bytes());
    let mut heading = Roff::new();
    heading.control("SH", ["SUBCOMMANDS"]);
    heading.to_writer(&mut text)?;
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        section(subcommand, "guarded-sh", &mut text)?;
    }
    text.extend_from_slice(AFTER.as_bytes());
    print(&String::from_utf8_lossy(&text))?;
    Ok(0)
}

/// Writes one subcommand, and those below it.
fn section(command: &clap::Command, parent: &str, text: &mut Vec<u8>) -> Result<(), Failure> {
    let name = format!("{parent} {}", command.get_name());
    let below: Vec<&clap::Command> = command.get_subcommands().collect();
    if below.is_empty() || command.get_arguments().any(|argument| argument.get_id() != "help") {
        one(command, &name, text)?;
    }
    for subcommand in below {
        section(subcommand, &name, text)?;
    }
    Ok(())
}

fn one(command: &clap::Command, name: &str, text: &mut Vec<u8>) -> Result<(), Failure> {
    let mut roff = Roff::new();
    roff.control("SS", [usage(command, name).as_str()]);
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    for paragraph in about.split("\n\n") {
        roff.control("PP", []);
        roff.text([roman(sentence(paragraph))]);
    }
    for argument in command.get_arguments().filter(|argument| argument.get_id() != "help") {
        roff.control("TP", []);
        roff.text([bold(term(argument))]);
        let help = argument.get_long_help().or_else(|| argument.get_help());
        let help = help.map(ToString::to_string).unwrap_or_default();
        let values = argument.get_possible_values();
        let names: Vec<&str> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
        let takes = argument.get_action().takes_values() && !names.is_empty();
        let values = if takes { format!(" One of {}.", names.join(", ")) } else { String::new() };
        let help = help.split("\n\n").map(sentence).collect::<Vec<_>>().join(" ");
        roff.text([roman(format!("{help}{values}"))]);
    }
    Ok(roff.to_writer(text)?)
}

fn usage(command: &clap::Command, name: &str) -> String {
    let usage = command.clone().bin_name(name).render_usage().to_string();
    usage.trim_start_matches("Usage: ").to_owned()
}

/// An option with its value, or the name of an operand.
fn term(argument: &clap::Arg) -> String {
    let value = argument.get_value_names().and_then(|names| names.first());
    let value = value.map(ToString::to_string).unwrap_or_default();
    let flag = match (argument.get_short(), argument.get_long()) {
        (_, Some(long)) => format!("--{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, None) => return value,
    };
    if argument.get_action().takes_values() { format!("{flag} {value}") } else { flag }
}

/// Help texts have no full stop at their end; the manual has.
fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '?', ':']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}
