//! `run`: an agent in a session of its own, whose shells are guarded.

mod proof;
mod questions;
mod started;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use nix::errno::Errno;

use super::arguments::{Choice, RunArguments};
use super::desk;
use super::failure::{Failure, REFUSED, with_causes};
use super::ground::Ground;
use super::serve::ways_in_session;
use crate::approval::{page, visible};
use crate::host::announce::Announcer;
use crate::host::relay::{self, Call, Ending, Error, Place, PlaceError};
use crate::host::{Kind, Server};
use crate::ipc::place;
use crate::judge::Models;
use crate::model::{Paused, Programs, Shell, Wanted};
use crate::observe::{self, Look, Unreachable};
use crate::pipeline::{self, socket_directories};
use crate::sys::{process, random};
use questions::{Person, Questions};
use started::Started;

pub(super) fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    let ground = Ground::here();
    // Below a host there is no other: shells take the nearest for theirs.
    let unseen = |error| Failure::refused(format!("what started this is not seen: {error}"));
    let is_below = observe::is_below_host().map_err(unseen)?;
    match observe::free_of_agents(&ground.environment, Look::All) {
        Ok(()) | Err(Unreachable::Guarded) if is_below => Err(join(&arguments.agent)),
        Ok(()) => start(arguments, &ground),
        Err(Unreachable::Guarded) => Err(Failure::refused(
            "GUARDED_SH_SESSION is set here, and no session's host is above this process",
        )
        .hint(
            "to start a session: env -u GUARDED_SH_SESSION -u GUARDED_SH_SOCKET guarded-sh run …",
        )),
        Err(why) => {
            Err(Failure::refused(format!("a session is a person's to start, and {}", of(&why)))
                .hint("ask the person to start the agent by `guarded-sh run -- AGENT`"))
        }
    }
}

/// Says why nobody can start a session, of what `observe` found on the way to a person.
fn of(why: &Unreachable) -> String {
    match why {
        Unreachable::Agent(name) => format!("{name} called"),
        why => why.to_string(),
    }
}

/// Becomes the agent: the session that is there guards it, and judges this call as any line. Returns why not.
fn join(agent: &[OsString]) -> Failure {
    // Nothing is left to do if stderr is gone.
    let _ =
        writeln!(io::stderr(), "guarded-sh: already in a guarded session, which guards this too");
    let guard = match std::env::current_exe() {
        Ok(guard) => guard,
        Err(error) => return Failure::new(format!("cannot find our own program: {error}")),
    };
    // Whoever watches what starts here lets go of us, so that what we become must have been judged.
    let line = OsString::from_vec(agent.iter().map(quoted).collect::<Vec<_>>().join(&b' '));
    let error = Command::new(&guard).arg("-c").arg(line).exec();
    not_run(&guard.into_os_string(), &error)
}

/// Returns a word as a shell reads it back, byte for byte (POSIX, 2.2.2).
fn quoted(word: &OsString) -> Vec<u8> {
    let inside =
        word.as_bytes().split(|byte| *byte == b'\'').collect::<Vec<_>>().join(&b"'\\''"[..]);
    [b"'", inside.as_slice(), b"'"].concat()
}

fn start(arguments: &RunArguments, ground: &Ground) -> Result<u8, Failure> {
    let uid = nix::unistd::geteuid().as_raw();
    let base = place::prepare(&socket_directories(&ground.environment), uid)
        .map_err(|error| Failure::new(with_causes(&error)))?;
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => {
            new_name().map_err(|error| Failure::new(format!("cannot name the session: {error}")))?
        }
    };
    let program = std::env::current_exe()
        .map_err(|error| Failure::new(format!("cannot find our own program: {error}")))?;
    let shells = shells(ground);
    let directory = Place::make(&base, &name, &program, &shells)?;
    let mut call = Call {
        unwatched: None,
        words: arguments.agent.clone(),
        environment: std::env::vars_os().collect(),
        session: name,
        profile: arguments.profile.map(Into::into),
        place: &directory,
        guard: (!arguments.unwatched).then_some(&program),
        judge: (programs(ground) == Programs::Judge).then_some(pipeline::may_start),
        shells,
    };
    let open = proof::look(&call.words, relay::environment(&call));
    call.unwatched = open.unwatched(&call.words, &directory.shells().join("guarded-bash"));
    if let Some(said) = open.hooks.as_ref().filter(|_| requires_guard(arguments)) {
        directory.remove();
        return Err(Failure::refused(said).hint(HOOKS_OFF));
    }
    let unguarded = open.shell.as_ref().filter(|_| arguments.unwatched);
    for said in unguarded.into_iter().chain(&open.hooks) {
        // Nothing is left to do if stderr is gone.
        let _ = writeln!(io::stderr(), "guarded-sh: {said}");
    }
    let models = models(ground);
    let ways = ways_in_session(&ground.environment);
    let paused = ways.notify.then(|| paused(ground)).flatten();
    let ended = relay::run(&call, || {
        let server = Server::listen(Kind::Session, &base, &call.session);
        let mut server = server.map_err(|error| with_causes(&error))?.with_models(models);
        if let Some(paused) = paused {
            server.pause(paused.by, paused.left, Instant::now());
        }
        let variable = |name| ground.environment.get(name);
        let look = page::Look::of(variable("TERM"), variable("NO_COLOR"));
        let language = pipeline::language(&ground.environment);
        let announcer = Announcer::new(ways, language);
        let agent = call.words.first().map(Path::new).and_then(Path::file_name);
        let agent = agent.unwrap_or_default().to_string_lossy();
        let started =
            Started::new(&call.session, &agent, requires_guard(arguments), open.shell.clone());
        let person = Person { look, home: ground.home().map(str::to_owned), language };
        Ok(Questions::new(server, announcer, person, started))
    });
    if matches!(ended, Err(Error::Died(_))) {
        // It could not take its sockets away.
        place::clean(&base);
    }
    directory.remove();
    match ended {
        Ok(Ending::Exited(status)) => Ok(status),
        Ok(Ending::Killed(signal)) => {
            process::die_by(signal);
            // It does not end processes, or not this one. Shells say so in the status.
            Ok(u8::try_from(128 + signal).unwrap_or(u8::MAX))
        }
        Err(Error::Program(errno)) => Err(not_run(&call.words[0], &errno.into())),
        Err(error @ Error::Unwatched(_)) => {
            Err(Failure::refused(with_causes(&error)).hint(UNWATCHED))
        }
        Err(error) => Err(Failure::new(with_causes(&error)).status(REFUSED)),
    }
}

/// Returns what is done about programs that the agent starts without a shell. Settings that are broken say nothing weaker.
fn programs(ground: &Ground) -> Programs {
    ground.settings().map_or(Programs::Judge, |settings| settings.programs.value)
}

/// Returns what asks models for this session. Where settings are broken, each line that is judged complains of them.
fn models(ground: &Ground) -> Option<Models> {
    let settings = ground.settings().ok()?;
    pipeline::models_of_host(&ground.environment, &ground.places, &settings.model)
}

/// Returns the pause that a person wants of their own host, which a session that begins keeps too.
fn paused(ground: &Ground) -> Option<Paused> {
    // A host that cannot be spoken to is complained of where it is asked.
    desk::paused(&desk::questions(&ground.environment).ok()?)
}

/// What can be done where nobody watches what an agent's processes start.
const UNWATCHED: &str = "shells that it starts by another way than SHELL and PATH would not be guarded; where that is enough: \
    guarded-sh run --require-guard=no -- AGENT";

/// What can be done where the agent's hooks are switched off.
const HOOKS_OFF: &str = "take it out; where it is enough that its shells are guarded: guarded-sh run --require-guard=no -- AGENT";

/// Whether an agent does not run where its processes cannot be watched, or its hooks are switched off: nobody would see what is said of
/// that without a terminal.
fn requires_guard(arguments: &RunArguments) -> bool {
    match arguments.require_guard {
        Some(choice) => choice == Choice::Yes,
        None => !arguments.unwatched && !io::stderr().is_terminal(),
    }
}

/// Returns the shells that agents may look for. zsh is one only where there is a real one to hand over to.
fn shells(ground: &Ground) -> Vec<Shell> {
    let real = |shell| {
        observe::real_shell(shell, Wanted::Named, None, &ground.environment, &ground.facts).is_ok()
    };
    let mut shells = vec![Shell::Bash, Shell::Sh];
    shells.extend(real(Shell::Zsh).then_some(Shell::Zsh));
    shells
}

/// Returns a name that no other session has: the time, for people, and a number that nobody guesses.
fn new_name() -> io::Result<String> {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Ok(format!("run-{time}-{}", random::digits::<4>()?))
}

/// Returns why a program was not run, with the status that shells give for it.
fn not_run(program: &OsString, error: &io::Error) -> Failure {
    let status = match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ENOENT | Errno::ENOTDIR) => 127,
        _ => REFUSED,
    };
    let program = program.to_string_lossy();
    let what = error
        .raw_os_error()
        .map_or_else(|| error.to_string(), |number| Errno::from_raw(number).desc().to_owned());
    Failure::new(format!("cannot run '{}': {what}", visible(&program))).status(status)
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Self {
        Self::new(with_causes(&error))
    }
}
