//! The namespaces that a row is played in: no network but `lo`, a home and a temporary directory of its own, no process of the outside
//! to be seen, and a user that is not root where that can be. Knows nothing of what is played.

use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::unistd::geteuid;

use crate::client::Client;
use crate::rows::{Part, Row};
use crate::sheets;

/// Programs that change what clients do, where a machine has them: a row says whether its machine does.
const EITHER: [&str; 1] = ["bwrap"];

/// Set to anything, the screens at which a person presses keys are printed.
pub const SHOW: &str = "SHOW_SCREENS";

/// What this program is called with in there.
pub const INSIDE: &str = "inside";

/// The home that a row has.
pub const HOME: &str = "/home/dev";

/// Where the client runs.
pub const WORK: &str = "/home/dev/work";

/// Where the names of ours are that agents start.
pub const GUARD: &str = "/home/dev/.local/share/guarded-sh";

/// The programs of a row, the first directory on PATH.
pub const PROGRAMS: &str = "/home/stage/bin";

/// Where the client is installed.
pub const CLIENT: &str = "/home/stage/client";

/// Where hosts listen; the user's id comes after it.
pub const RUNTIME: &str = "/run/user/";

/// The directories on PATH behind it.
const PLACES: &str = "/usr/local/bin:/usr/bin:/bin";

/// The user that rows are played by where the tests are run by root.
const USER: u32 = 1000;

/// No row takes longer unless something hangs.
const SECONDS: &str = "300";

/// How it is set up, before it gives up what root may do.
const SET_UP: &str = r#"
# What is taken from outside may itself be below /home, so it is all put together elsewhere.
mount -t tmpfs none /mnt && mkdir /mnt/dev /mnt/stage && mount --bind "$PLACE/home" /mnt/dev && mount --bind "$PLACE/stage" /mnt/stage || exit 1
mount --bind "$PROGRAM" /mnt/stage/bin/guarded-sh && mount --bind "$ITSELF" /mnt/stage/bin/stage && mount --bind "$CLIENT" /mnt/stage/client || exit 1
mount --bind "$SHEETS" /mnt/stage/sheets || exit 1
if [[ $SERVICE ]]; then mount --bind "$SERVICE" /mnt/stage/bin/guarded-shd || exit 1; fi
for program in $HAS; do mount --bind "$program" "/mnt/stage/bin/${program##*/}" || exit 1; done
for program in $LACKS; do mount --bind /dev/null "$program" || exit 1; done
mount -n --move /mnt /home || exit 1
# What stands for programs is the system's, as they are. A login shell looks here first, whatever PATH was.
if [[ -d $PLACE/programs ]]; then mount --bind "$PLACE/programs" /usr/local/bin || exit 1; fi
mount --bind /home/stage/passwd /etc/passwd && mount -t tmpfs none /run && mkdir -p "/run/user/$AS" && chmod 700 "/run/user/$AS" || exit 1
# SIOCSIFFLAGS with IFF_UP: what brings `lo` up is not on every machine.
perl -e 'my $lo = pack("a16 s x14", "lo", 1); socket(S, 2, 2, 0) && ioctl(S, 0x8914, $lo) or die "lo: $!"' || exit 1
mount -t tmpfs -o mode=1777 none /tmp || exit 1
cd /home/dev/work || exit 1
if ((AS)); then
  chown -R "$AS:$AS" /home/dev "/run/user/$AS" || exit 1
  exec setpriv --reuid="$AS" --regid="$AS" --clear-groups --bounding-set=-all "$@"
fi
exec "$@"
"#;

/// Returns where clients, rows and sessions are written down: inside, the checkout is not to be seen, wherever it is.
pub fn sheets() -> &'static str {
    let is_inside = std::env::args().nth(1).is_some_and(|word| word == INSIDE);
    if is_inside { "/home/stage/sheets" } else { "tests" }
}

/// Returns why rows cannot be played here, if they cannot.
pub fn possible() -> Result<(), String> {
    for program in ["unshare", "perl", "setpriv", "script", "tmux"] {
        found(program)?;
    }
    let tried = namespaces(user()).arg("true").output().map_err(|error| error.to_string())?;
    if tried.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&tried.stderr).trim().to_owned();
    Err(format!("no namespaces can be made here: {said}"))
}

/// Returns where a program is, or says that there is none.
fn found(program: &str) -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut paths = std::env::split_paths(&path).map(|directory| directory.join(program));
    paths.find(|path| path.is_file()).ok_or_else(|| format!("there is no {program} here"))
}

/// Returns the paths of programs, or says which is missing here.
pub fn programs(names: &[String]) -> Result<Vec<PathBuf>, String> {
    names.iter().map(|program| found(program)).collect()
}

/// Returns the paths of the programs that a row's machine does not have, where this one has them.
fn hidden(row: &Row) -> Vec<PathBuf> {
    let absent = EITHER.iter().filter(|program| !row.has.iter().any(|has| has == *program));
    let places = PLACES.split(':').map(Path::new);
    absent
        .flat_map(|program| places.clone().map(move |place| place.join(program)))
        .filter(|path| path.is_file())
        .collect()
}

fn user() -> u32 {
    if geteuid().is_root() { USER } else { 0 }
}

fn namespaces(user: u32) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--mount", "--net", "--pid", "--fork", "--mount-proc", "--kill-child"]);
    if user == 0 {
        command.arg("--map-root-user");
    }
    command
}

/// Prepares a call of what follows, where there is no network.
pub fn without_network() -> Command {
    namespaces(user())
}

/// Plays a row with a client that is installed there; returns what is wrong.
pub fn play(client: &Client, row: &Row, installed: &Path) -> Option<String> {
    let place = tempfile::tempdir().unwrap();
    let below = |name: &str| place.path().join(name);
    for name in ["home/work/.git", "stage/bin", "stage/client", "stage/sheets"] {
        fs::create_dir_all(below(name)).unwrap();
    }
    let service = Path::new(env!("CARGO_BIN_EXE_guarded-sh")).with_file_name("guarded-shd");
    if row.is_served() && !service.is_file() {
        return Some(format!("`cargo build --workspace` first: there is no {}", service.display()));
    }
    let ours = ["guarded-sh", "guarded-shd", "stage"].map(str::to_owned);
    let others = [row.has.as_slice(), client.needs.as_slice()].concat();
    for name in ours.iter().chain(&others) {
        fs::write(below("stage/bin").join(name), "").unwrap();
    }
    symlink(Path::new(CLIENT).join(client.program()), below("stage/bin").join(&client.name))
        .unwrap();
    let user = user();
    let guarded = client.shell.login.as_ref().filter(|_| row.guard.contains(&Part::Shell));
    let shell = guarded.map_or("/bin/bash".to_owned(), |path| path.replace("{guard}", GUARD));
    let users = format!("dev:x:{user}:{user}::{HOME}:{shell}\n");
    fs::write(below("stage/passwd"), users).unwrap();
    for (path, text) in &row.files {
        let path = below("home").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for (name, script) in row.session.iter().flat_map(|session| &session.programs) {
        fs::create_dir_all(below("programs")).unwrap();
        fs::write(below("programs").join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(below("programs").join(name), Permissions::from_mode(0o755)).unwrap();
    }
    let itself = std::env::current_exe().unwrap();
    let ended = namespaces(user)
        .args(["timeout", "-k", "1", SECONDS, "/bin/bash", "-c", SET_UP, "set-up"])
        .arg(Path::new(PROGRAMS).join("stage"))
        .args([INSIDE, &client.title(), &row.scene])
        .env_clear()
        .env("PATH", format!("{PROGRAMS}:{PLACES}"))
        .env("HOME", HOME)
        .env("SHELL", "/bin/bash")
        .env("LANG", "C.UTF-8")
        .env("TERM", "xterm-256color")
        .env("XDG_RUNTIME_DIR", format!("{RUNTIME}{user}"))
        .env("PLACE", place.path())
        .env("PROGRAM", env!("CARGO_BIN_EXE_guarded-sh"))
        .env("SERVICE", if row.is_served() { service.as_os_str() } else { OsStr::new("") })
        .env("ITSELF", itself)
        .env("CLIENT", installed)
        .env("SHEETS", sheets::path(sheets()))
        .env("HAS", joined(&programs(&others).unwrap()))
        .env("LACKS", joined(&hidden(row)))
        .env("AS", user.to_string())
        .envs(std::env::var_os(SHOW).map(|value| (SHOW, value)))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if std::env::var_os(SHOW).is_some() && ended.status.success() {
        print!("{}", said(&ended.stdout));
    }
    (!ended.status.success())
        .then(|| format!("{}\n{}{}", ended.status, said(&ended.stdout), said(&ended.stderr)))
}

/// Words for a shell that splits them again; no path of a program has a blank.
fn joined(paths: &[PathBuf]) -> OsString {
    let paths: Vec<&OsStr> = paths.iter().map(|path| path.as_os_str()).collect();
    paths.join(OsStr::new(" "))
}
