//! The world, read once before judging: directories, environment, repository, who called, which shell is real.
//! Judges nothing: what it finds is data for those who do.

mod ancestry;
mod brought;
mod caller;
mod directories;
mod elf;
mod environment;
mod git;
mod host;
mod image;
mod input;
mod links;
mod machine;
mod own;
mod owner;
mod peer;
mod person;
mod prints;
mod process;
mod programs;
mod real_shell;
mod running;
mod scripts;
mod sight;
mod sources;
mod stamp;
mod started;
mod system;

pub use ancestry::{Ancestor, Look, ancestors, ancestors_of, has_other_home_above};
pub use brought::{Asked, Brought, Changed, Commit, Unseen};
pub use caller::{Sandboxed, agent_of, caller, parent_agent, parent_program, sandboxed, session};
pub use directories::working_directory;
pub use environment::Environment;
pub use git::{git, linked_repository, repository};
pub use host::{
    Claim, Host, NoHost, hosts_above, is_below_host, is_held, is_hosts, is_page, is_service,
    is_session, is_watched, of_host, vouch, vouch_for_page,
};
pub use image::Image;
pub use input::{Program as ProgramOnInput, program, standard_input};
pub use machine::{is_in_container, machine_name, user_name};
pub use own::Own;
pub use owner::{NO_HOME, owners_home};
pub use peer::{Peer, is_in_parents_session, is_told_by_parent};
pub use person::{TerminalState, Unreachable, above, free_of_agents, person, terminal};
pub use prints::{begins_as, is_file_of, print_of};
pub use process::{Process, Program, Seen, program_of, take_name};
pub use programs::{
    Programs, Runs, all_words_of, file_of, honest, honest_words_of, is_same_file, is_this_program,
    words_of,
};
pub use real_shell::{Error as RealShellError, is_program, real_shell};
pub use running::{Running, files_of, process_of};
pub use scripts::{ScriptRead, Scripts, is_no_script};
pub use sight::{filters_of, is_any_listener, sees_as_we};
pub use sources::{Cause, Source, is_interactive, sources};
pub use stamp::stamp;
pub use started::started;
pub use system::{InPlace, in_place};

use crate::model::Facts;

/// Reads what every judgement needs. What the owner's settings add (`safe_*`, `protected_branches`, `guard_paths`) is left empty, and
/// so is `git`: it is read where a line asks for it.
#[must_use]
pub fn facts(environment: &Environment) -> Facts {
    facts_at(environment, working_directory())
}

/// Reads what judging a line needs that will run in `cwd`; none if that directory is gone.
#[must_use]
pub fn facts_at(environment: &Environment, cwd: Option<String>) -> Facts {
    let home = directories::home(environment);
    let workspace = cwd.as_deref().and_then(|cwd| directories::workspace(cwd, home.as_deref()));
    Facts {
        temporary: directories::temporary(environment),
        environment: environment.for_shell(cwd.as_deref()),
        caller: caller(environment, &[]),
        workspaces: workspace.into_iter().collect(),
        reads_all: nix::unistd::geteuid().is_root(),
        cwd,
        home,
        ..Facts::default()
    }
}
