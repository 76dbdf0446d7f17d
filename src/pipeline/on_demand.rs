//! Starts the user's own host where a question has none, as the person set it up. Says nothing to it: who listens then is looked at as ever.
//!
//! Where systemd holds a bell (`ipc::place::bell`), it starts the host, which is then no child of ours. Else we start it, apart from us and
//! from the agent that called us, with the environment that the person's `setup` kept, in a place that lines of agents cannot write to; the
//! place is in the owner's home, so that no variable chooses it. What a guarded shell started starts none, nor what a client
//! started whose hook was called: all that they start has their sign, and nobody would believe such a host. So the first hook of a client
//! starts it ([`prepare`]).

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;

use super::world::{World, socket_directories};
use crate::ipc::place;
use crate::sys;

/// How long it may take until it listens.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often is looked whether it does.
const STEP: Duration = Duration::from_millis(5);
/// The largest file of variables that is read.
const LARGEST: u64 = 64 << 10;

/// Where the variables of the user's own host stand, below the home.
pub const VARIABLES: &str = ".local/share/guarded-sh/host.json";

/// Starts it where only we can, and none listens: from now on nobody here could.
pub(super) fn prepare(world: &World) {
    let directories = socket_directories(&world.environment);
    // Whoever connects to a bell rings it.
    let is_there = |directory: &PathBuf| {
        place::bell(directory).exists() || place::is_heard(&place::ask(directory, place::SERVICE))
    };
    if !directories.iter().any(is_there) {
        // Who has a question without a host says so.
        let _ = start_ours(&directories, world.places.home.as_deref());
    }
}

/// Starts it; returns whether it listens now.
pub(super) fn start(world: &World) -> bool {
    let directories = socket_directories(&world.environment);
    let rings = |directory: &PathBuf| place::ring(directory, PATIENCE);
    let home = world.places.home.as_deref();
    directories.iter().any(rings) || start_ours(&directories, home)
}

fn start_ours(directories: &[PathBuf], home: Option<&Path>) -> bool {
    let until = Instant::now() + PATIENCE;
    if sys::descent::is_signed(0) {
        return false;
    }
    let Some(variables) = home.and_then(|home| read(&home.join(VARIABLES))) else { return false };
    let mut service = Command::new("/proc/self/exe");
    // Shells believe a service by what it was called for.
    service.arg0("guarded-sh").args(["serve", "--quiet", "--apart"]);
    service.env_clear().envs(variables);
    service.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // What we wait for is the process that makes the one apart, and ends.
    if !service.status().is_ok_and(|status| status.success()) {
        return false;
    }
    let listens = |directory: &PathBuf| place::is_heard(&place::ask(directory, place::SERVICE));
    while Instant::now() < until {
        if directories.iter().any(listens) {
            return true;
        }
        std::thread::sleep(STEP);
    }
    false
}

/// Reads the variables, if the file is ours alone.
fn read(path: &Path) -> Option<BTreeMap<String, String>> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path).ok()?;
    let metadata = file.metadata().ok()?;
    let is_ours = metadata.uid() == nix::unistd::geteuid().as_raw();
    if !is_ours || metadata.mode() & 0o077 != 0 || !metadata.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(LARGEST).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
