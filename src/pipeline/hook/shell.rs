//! Which shell runs the lines of an agent: the one that its client is known to start, or all that it may be where that is not known.
//! Starts none.

use std::fs;
use std::path::Path;

use crate::hooks::{Agent, Event, ShellSource};
use crate::model::Shell;
use crate::observe;
use crate::pipeline::World;
use crate::sys;

/// Where clients look for zsh that do not find it on PATH.
const PLACES: [&str; 4] =
    ["/bin/zsh", "/usr/bin/zsh", "/usr/local/bin/zsh", "/opt/homebrew/bin/zsh"];

/// Returns the shells that may run the lines of an agent, the likeliest one first.
///
///   1. the client's settings name one, and its event says so: that one
///   2. a variable or the user database names one that the client takes: that one, unless settings or a model may choose another unseen
///   3. anything else: the one that stands behind us, and zsh where the machine has it
pub(super) fn possible(agent: &Agent, event: &Event, world: &World) -> Vec<Shell> {
    let choice = &agent.shell;
    let by_settings = event.shell.clone().filter(|path| !path.is_empty());
    let named = by_settings.or_else(|| match choice.from {
        ShellSource::Variables(names) => {
            names.iter().find_map(|name| world.environment.get(name)).map(str::to_owned)
        }
        ShellSource::Login => {
            let shell = sys::users::shell_of(nix::unistd::geteuid().as_raw())?;
            shell.into_os_string().into_string().ok()
        }
    });
    let named = named.filter(|path| (choice.takes)(path));
    // A client whose shell cannot be started takes another one.
    let is_program = |path| fs::metadata(path).is_ok_and(|file| observe::is_program(&file));
    let is_there = named.as_deref().is_none_or(is_program);
    let known = match &named {
        Some(path) => of_path(path, world.judge.shell),
        None => choice.otherwise,
    };
    let is_told = event.shell.is_some() || !choice.may_be_another;
    let zsh = || is_zsh_here(world).then_some(Shell::Zsh);
    let all: Vec<Shell> = match known {
        Some(shell) if is_there && is_told => vec![shell],
        Some(shell) => [Some(shell), Some(Shell::Bash), zsh()].into_iter().flatten().collect(),
        None => [zsh(), Some(world.judge.shell)].into_iter().flatten().collect(),
    };
    let mut different: Vec<Shell> = Vec::new();
    for shell in all {
        if !different.contains(&shell) {
            different.push(shell);
        }
    }
    different
}

/// The shell whose program has this path: by its name, or by what its name holds (`zsh-5.9`). `own`: the one that stands behind us.
fn of_path(path: &str, own: Shell) -> Option<Shell> {
    let name = path.rsplit('/').next()?;
    if name == "guarded-sh" {
        return Some(own);
    }
    let name = name.strip_prefix("guarded-").unwrap_or(name);
    let holding = [Shell::Zsh, Shell::Bash].into_iter();
    Shell::named(name).or_else(|| holding.into_iter().find(|shell| name.contains(shell.name())))
}

fn is_zsh_here(world: &World) -> bool {
    let mut places = PLACES.iter().map(Path::new);
    places.any(Path::exists) || world.on_path("zsh").any(|path| path.exists())
}

#[cfg(test)]
mod tests {
    use super::{Shell, of_path};

    #[test]
    fn a_shell_is_known_by_the_name_of_its_program() {
        for (path, expected) in [
            ("/bin/zsh", Some(Shell::Zsh)),
            ("/opt/zsh-5.9/bin/zsh-5.9", Some(Shell::Zsh)),
            ("/x/guarded-bash", Some(Shell::Bash)),
            ("/home/zsh/bin/sh", Some(Shell::Sh)),
            ("/x/guarded-sh", Some(Shell::Dash)),
            ("/bin/ksh", None),
        ] {
            assert_eq!(of_path(path, Shell::Dash), expected, "{path}");
        }
    }
}
