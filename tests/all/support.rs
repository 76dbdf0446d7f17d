//! The vocabulary of the tests that run the program: a place with a throw-away home, a call of a program in it, what came of it.
//! Knows nothing of what is right: that is for the tests to say.

use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{LazyLock, mpsc};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// Settings that let every line run, so that what is seen is the real shell's.
pub const ALLOWS_ALL: &str = "[thresholds]\nbash = 0\n";

/// Settings under which nothing binds: for what is not read, as programs on standard input.
pub const SHADOW: &str = "mode = \"shadow\"\n";

/// What runs a program where the throw-away home is that of the user database, `/root`: the home, then the program's first word, then it and its
/// words.
pub const IN_OWN_HOME: &str =
    "mount --bind \"$1\" /root && a=$2 && shift 2 && exec -a \"$a\" \"$@\"";

/// What runs a program where the user database is another, and the hosts of others are not seen: that file, a directory for hosts, the program,
/// its first word and the others. It adds nothing to what the program is given.
const WITH_USERS: &str = "($users, $hosts, $program, @words) = @ARGV; \
    sub cover { system('/usr/bin/mount', '--bind', @_) and exit 125 } \
    mkdir \"/tmp/guarded-sh-$>\", 0700; cover($users, '/etc/passwd'); \
    cover($hosts, $_) for grep { -d } \"/run/user/$>\", \"/tmp/guarded-sh-$>\"; \
    exec {$program} @words";

/// No call takes longer than this unless it hangs.
const PATIENCE: Duration = Duration::from_secs(180);

/// Returns the path of the program: the one built with the tests, or the one that `GUARDED_SH_UNDER_TEST` names, as what is
/// released is linked and started otherwise.
pub fn guard() -> &'static Path {
    static NAMED: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let named = std::env::var_os("GUARDED_SH_UNDER_TEST")?;
        Some(
            std::fs::canonicalize(&named)
                .unwrap_or_else(|error| panic!("{}: {error}", named.display())),
        )
    });
    NAMED.as_deref().unwrap_or(Path::new(env!("CARGO_BIN_EXE_guarded-sh")))
}

/// A throw-away directory: `home` with the owner's settings, `work` to run in, `bin` first on PATH.
pub struct Place {
    root: tempfile::TempDir,
}

impl Place {
    /// Makes a place without settings.
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["home", "work", "bin"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        let users = format!("root:x:0:0:root:{}:/bin/bash\n", root.path().join("home").display());
        std::fs::write(root.path().join("passwd"), users).unwrap();
        DirBuilder::new().mode(0o700).create(root.path().join("hosts")).unwrap();
        Self { root }
    }

    /// Makes a place with settings.
    pub fn with(settings: &str) -> Self {
        let place = Self::new();
        place.set(settings);
        place
    }

    /// Writes the owner's settings.
    pub fn set(&self, settings: &str) {
        self.write("home/.config/guarded-sh/config.toml", settings);
    }

    pub fn path(&self, below: &str) -> PathBuf {
        self.root.path().join(below)
    }

    pub fn home(&self) -> PathBuf {
        self.path("home")
    }

    pub fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// Writes a file, making the directories above it; one that begins with `#!` is executable.
    pub fn write(&self, below: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &content).unwrap();
        if content.as_ref().starts_with(b"#!") {
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        path
    }

    /// Puts a program into `bin` under a name.
    pub fn link(&self, name: &str, program: &Path) -> PathBuf {
        let path = self.path("bin").join(name);
        symlink(program, &path).unwrap();
        path
    }

    /// Returns the text of all records.
    pub fn records(&self) -> String {
        let directory = self.path("home/.local/state/guarded-sh/records");
        let Ok(entries) = std::fs::read_dir(directory) else { return String::new() };
        let paths = entries.map(|entry| entry.unwrap().path());
        let days = paths.filter(|path| path.extension() == Some(OsStr::new("jsonl")));
        days.map(|path| std::fs::read_to_string(path).unwrap()).collect()
    }

    /// Prepares a call of a program in `work`.
    pub fn call(&self, program: impl AsRef<Path>) -> Call {
        let directories =
            [self.path("bin").to_str().unwrap(), "/usr/local/bin:/usr/bin:/bin"].join(":");
        let environment = [("HOME", self.home().into_os_string()), ("PATH", directories.into())];
        Call {
            program: program.as_ref().to_owned(),
            arg0: None,
            words: Vec::new(),
            environment: environment.map(|(name, value)| (name.into(), value)).to_vec(),
            stdin: Vec::new(),
            cwd: self.work(),
            home: self.home(),
            world: Some([self.path("passwd"), self.path("hosts")]),
        }
    }

    /// Prepares a call of the guard.
    pub fn guard<const N: usize>(&self, words: [&str; N]) -> Call {
        self.call(guard()).args(words)
    }

    /// Runs a script by an outer bash.
    pub fn script(&self, script: &str) -> Call {
        self.call("/bin/bash").args(["-c", script]).env("GUARD", guard())
    }
}

/// A program with all that it is given.
#[derive(Clone)]
pub struct Call {
    program: PathBuf,
    arg0: Option<OsString>,
    words: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    stdin: Vec<u8>,
    cwd: PathBuf,
    home: PathBuf,
    /// The user database and the directory of hosts, where they are not the machine's.
    world: Option<[PathBuf; 2]>,
}

impl Call {
    pub fn arg0(mut self, word: &str) -> Self {
        self.arg0 = Some(word.into());
        self
    }

    pub fn args(mut self, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.words.extend(words.into_iter().map(|word| word.as_ref().to_owned()));
        self
    }

    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        let pair = (name.as_ref().to_owned(), value.as_ref().to_owned());
        self.environment.retain(|(known, _)| *known != pair.0);
        self.environment.push(pair);
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.environment.retain(|(known, _)| known != name);
        self
    }

    /// The same call where the user database is the machine's.
    pub fn with_users_of_machine(mut self) -> Self {
        self.world = None;
        self
    }

    /// The same call by a program that runs the rest of its words.
    pub fn within<const N: usize>(&self, program: &str, words: [&str; N]) -> Self {
        let own = std::iter::once(self.program.clone().into_os_string());
        let words = words.into_iter().map(OsString::from);
        let words = words.chain(own).chain(self.words.iter().cloned()).collect();
        Self { program: program.into(), arg0: None, words, ..self.clone() }
    }

    pub fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.stdin = bytes.as_ref().to_vec();
        self
    }

    pub fn cwd(mut self, directory: &Path) -> Self {
        directory.clone_into(&mut self.cwd);
        self
    }

    /// Runs it to its end. It is a process group of its own: it is in no terminal's foreground, and what hangs can be ended.
    pub fn run(&self) -> Ended {
        let ended = self.run_within(PATIENCE);
        ended.unwrap_or_else(|| panic!("{} {:?} does not end", self.program.display(), self.words))
    }

    /// Returns the program with its words, where the throw-away home is that of the user database: no variable says whose settings count.
    pub fn command(&self) -> Command {
        let arg0 = self.arg0.as_deref().unwrap_or(self.program.as_os_str());
        let mut command = if let Some(world) = &self.world {
            let mut command = Command::new("/usr/bin/unshare");
            command.args(["-rm", "/usr/bin/perl", "-e", WITH_USERS]).args(world);
            command.arg(&self.program).arg(arg0);
            command
        } else {
            let mut command = Command::new(&self.program);
            command.arg0(arg0);
            command
        };
        command.args(&self.words);
        command.env_clear().current_dir(&self.cwd);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs it to its end where the throw-away home is `/root` too.
    pub fn run_in_own_home(&self) -> Ended {
        self.within_namespace().run()
    }

    /// The same call where the user database has the throw-away home for our own.
    fn within_namespace(&self) -> Self {
        let arg0 = self.arg0.clone().unwrap_or_else(|| self.program.clone().into_os_string());
        let before = ["-rm", "/bin/bash", "-c", IN_OWN_HOME, "bash"].map(OsString::from);
        let call =
            [self.home.clone().into_os_string(), arg0, self.program.clone().into_os_string()];
        Self {
            program: PathBuf::from("/usr/bin/unshare"),
            arg0: None,
            world: None,
            words: before.into_iter().chain(call).chain(self.words.iter().cloned()).collect(),
            ..self.clone()
        }
    }

    /// Runs it; none if it does not end in time.
    pub fn run_within(&self, patience: Duration) -> Option<Ended> {
        let mut command = self.command();
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let start = Instant::now();
        let mut child = command.spawn().unwrap();
        let group = Pid::from_raw(i32::try_from(child.id()).unwrap());
        let mut stdin = child.stdin.take().unwrap();
        let input = self.stdin.clone();
        // What does not read its input closes it early.
        std::thread::spawn(move || drop(stdin.write_all(&input)));
        let (sender, ended) = mpsc::channel();
        std::thread::spawn(move || drop(sender.send(collect(child))));
        let Ok((status, stdout, stderr)) = ended.recv_timeout(patience) else {
            let _ = killpg(group, Signal::SIGKILL);
            return None;
        };
        Some(Ended { status, stdout, stderr, elapsed: start.elapsed() })
    }
}

fn collect(mut child: Child) -> (ExitStatus, Vec<u8>, Vec<u8>) {
    let mut stderr = child.stderr.take().unwrap();
    let errors = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stderr.read_to_end(&mut bytes).unwrap();
        bytes
    });
    let mut output = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    (child.wait().unwrap(), output, errors.join().unwrap())
}

/// What came of a call.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub elapsed: Duration,
}

impl Ended {
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub fn signal(&self) -> Option<i32> {
        self.status.signal()
    }

    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    pub fn err(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// No bad input takes longer, on a machine with much else to do. How long it should take is for the benchmarks to say; what is not in
/// proportion takes minutes.
const LIMIT: Duration = Duration::from_secs(40);

/// A harmless line, which leaves a file if it runs.
pub const LINE: &str = "touch done";

/// Returns what is wrong with how a call was refused, if anything is.
pub fn fault(ended: &Ended, place: &Place, status: i32, says: &str) -> Option<String> {
    let text = ended.err();
    let lines: Vec<&str> = text.lines().collect();
    let wrong =
        |what: &str| Some(format!("{what}: {:?} {:?}: {text}", ended.code(), ended.signal()));
    if place.path("work/done").exists() {
        return wrong("it ran");
    }
    if ended.code() != Some(status) {
        return wrong("the status");
    }
    if !lines.first().is_some_and(|line| line.starts_with("guarded-sh: ") && line.contains(says)) {
        return wrong("the line does not say what is wrong");
    }
    if lines.len() > 2 || lines.get(1).is_some_and(|line| !line.starts_with("hint: ")) {
        return wrong("more than a line and a hint");
    }
    let readable = |line: &&str| line.len() < 600 && !line.contains(|c: char| c.is_control());
    let internal = ["panicked", "RUST_BACKTRACE", "unwrap", ".rs:", "Os {", "Error {"];
    if !lines.iter().all(readable) || internal.iter().any(|word| text.contains(word)) {
        return wrong("it cannot be read");
    }
    if !ended.stdout.is_empty() {
        return wrong("something was written to stdout");
    }
    (ended.elapsed > LIMIT).then(|| format!("it took {:?}: {text}", ended.elapsed))
}

/// Holds that a call is refused.
pub fn refused(call: &Call, place: &Place, status: i32, says: &str) {
    if let Some(fault) = fault(&call.run(), place, status, says) {
        panic!("{fault}");
    }
}

/// Holds that the harmless line is refused in a place where something is wrong, and runs in one where nothing is.
pub fn refused_in(place: &Place, status: i32, says: &str) {
    refused(&place.guard(["-c", LINE]), place, status, says);
}

/// Holds that the harmless line runs.
pub fn runs(call: &Call, place: &Place) {
    let ended = call.run();
    assert_eq!((ended.code(), ended.err()), (Some(0), String::new()));
    assert!(place.path("work/done").exists());
    assert!(ended.elapsed < LIMIT, "{:?}", ended.elapsed);
}

/// Returns what a terminal shows of text, as far as it came: what is written by control sequences (`ESC [`) is left out.
pub fn without_sequences(text: &str) -> String {
    let mut parts = text.split("\x1b[").peekable();
    let mut shown = parts.next().unwrap_or_default().to_owned();
    while let Some(part) = parts.next() {
        match part.find(|c: char| ('@'..='~').contains(&c)) {
            Some(end) => shown.push_str(&part[end + 1..]),
            // The rest of it comes later.
            None if parts.peek().is_none() => shown.extend(["\x1b[", part]),
            None => {}
        }
    }
    shown
}
