//! Whether a person can be asked here. A terminal that opens is no proof of one: agents run commands in terminals that they
//! themselves type into. So every sign of an agent counts against it, and so does everything that could not be seen.

use std::fs::{File, OpenOptions};

use nix::sys::termios::{LocalFlags, tcgetattr, tcgetsid};

use super::ancestry::{Ancestor, Look, ancestors};
use super::caller;
use super::environment::Environment;
use crate::model::Caller;
use crate::sys::descent::{self, Sign};

/// Why nobody can be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// There is no controlling terminal.
    #[error("there is no terminal")]
    NoTerminal,
    /// We are not in the foreground of it: reading would stop us.
    #[error("this is not the foreground job of its terminal")]
    Background,
    /// Standard input is another terminal than ours, and someone else may hold its other end.
    #[error("its input comes from another terminal")]
    OtherTerminal,
    /// A program has taken it over: it is in raw mode, or shows nothing of what is typed.
    #[error("another program holds the terminal")]
    TakenOver,
    /// An agent called us, or called what called us.
    #[error("it was called by {0}, which cannot answer its own question")]
    Agent(String),
    /// We run below a session host: that one asks.
    #[error("it runs in a guarded session, whose host asks")]
    Guarded,
    /// A guarded shell started us, or what started us, and is gone.
    #[error("a guarded shell started it")]
    Signed,
    /// An agent's client started it, or what started it, and is gone.
    #[error("an agent's client started it")]
    Client,
    /// The processes above us could not be read.
    #[error("what called it could not be seen")]
    Unseen,
}

/// Looks for an agent or a session host that called us, or called what called us.
pub fn free_of_agents(environment: &Environment, look: Look) -> Result<(), Unreachable> {
    // The cheap signs first.
    if environment.has("GUARDED_SH_SESSION") {
        return Err(Unreachable::Guarded);
    }
    if let Caller::Agent(name) = caller::caller(environment, &[]) {
        return Err(Unreachable::Agent(name));
    }
    above(&ancestors(look).map_err(|_| Unreachable::Unseen)?)?;
    // What started us may be gone, and its parents with it.
    if look == Look::All { unsigned(descent::sign_of(0)) } else { Ok(()) }
}

fn unsigned(sign: Option<Sign>) -> Result<(), Unreachable> {
    match sign {
        None => Ok(()),
        Some(Sign::Client) => Err(Unreachable::Client),
        Some(Sign::Agent | Sign::Guarded) => Err(Unreachable::Signed),
    }
}

/// Returns the terminal at which a person can be asked.
pub fn person(environment: &Environment) -> Result<File, Unreachable> {
    free_of_agents(environment, Look::All)?;
    let terminal = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/tty")
        .map_err(|_| Unreachable::NoTerminal)?;
    let foreground = nix::unistd::tcgetpgrp(&terminal).map_err(|_| Unreachable::NoTerminal)?;
    if foreground != nix::unistd::getpgrp() {
        return Err(Unreachable::Background);
    }
    // Keys are read from standard input where that is a terminal.
    let input = std::io::stdin();
    let ours = || tcgetsid(&input).ok() == nix::unistd::getsid(None).ok();
    if nix::unistd::isatty(&input) == Ok(true) && !ours() {
        return Err(Unreachable::OtherTerminal);
    }
    let mode = tcgetattr(&terminal).map_err(|_| Unreachable::NoTerminal)?;
    if !mode.local_flags.contains(LocalFlags::ICANON | LocalFlags::ECHO) {
        return Err(Unreachable::TakenOver);
    }
    Ok(terminal)
}

/// A terminal, as it is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalState {
    /// There is none: nobody can be asked.
    None,
    /// It takes lines, as programs find it. That is no proof of a person.
    Plain,
    /// A program has taken it over, as those do that draw on it.
    Drawn,
}

/// Returns how our controlling terminal is found.
#[must_use]
pub fn terminal() -> TerminalState {
    let opened = OpenOptions::new().read(true).write(true).open("/dev/tty");
    let Ok(terminal) = opened else { return TerminalState::None };
    let mode = tcgetattr(&terminal);
    let takes_lines = mode.is_ok_and(|mode| mode.local_flags.contains(LocalFlags::ICANON));
    if takes_lines { TerminalState::Plain } else { TerminalState::Drawn }
}

/// Looks for agents and hosts among processes: those above us, or above another.
pub fn above(ancestors: &[Ancestor]) -> Result<(), Unreachable> {
    for ancestor in ancestors {
        if ancestor.guarded {
            return Err(Unreachable::Guarded);
        }
        let marked = ancestor.marks.first().map(String::as_str);
        if let Some(agent) = caller::agent_of(ancestor).or(marked) {
            return Err(Unreachable::Agent(agent.to_owned()));
        }
    }
    ancestors.iter().try_for_each(|ancestor| unsigned(ancestor.sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_anywhere_above_is_no_person() {
        let shell = Ancestor { name: "bash".to_owned(), ..Ancestor::default() };
        let agent = Ancestor { name: "claude".to_owned(), ..Ancestor::default() };
        let marked = Ancestor { marks: vec!["codex".to_owned()], ..shell.clone() };
        let guarded = Ancestor { guarded: true, ..shell.clone() };
        assert_eq!(above(&[shell.clone(), shell.clone()]), Ok(()));
        assert!(matches!(above(&[shell.clone(), agent]), Err(Unreachable::Agent(_))));
        assert!(matches!(above(&[shell.clone(), marked]), Err(Unreachable::Agent(_))));
        assert_eq!(above(&[shell.clone(), guarded]), Err(Unreachable::Guarded));
        for (sign, why) in [
            (Sign::Agent, Unreachable::Signed),
            (Sign::Client, Unreachable::Client),
            (Sign::Guarded, Unreachable::Signed),
        ] {
            let signed = Ancestor { sign: Some(sign), ..shell.clone() };
            assert_eq!(above(&[signed, shell.clone()]), Err(why));
        }
    }
}
