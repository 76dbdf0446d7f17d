//! A user with a service that asks, a page, and agents' lines.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// No wait is longer unless something hangs.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Says to the test program that it stands in its namespaces already.
const INSIDE: &str = "GUARDED_SHD_TEST_PAGE";

/// Makes the user: a home, a runtime directory, and an entry of the user database.
const USER: &str = r#"
set -e
mount -t tmpfs tmpfs /srv
mkdir -p /srv/home/app/.git /srv/bin /srv/tmp
ln -s /bin/bash /srv/bin/claude
printf 'root:x:0:0::/srv/home:/bin/bash\n' >/srv/passwd
mount --bind /srv/passwd /etc/passwd
mount -t tmpfs none /run && mkdir -p -m 700 /run/user/0
export HOME=/srv/home XDG_RUNTIME_DIR=/run/user/0 TMPDIR=/srv/tmp
cd /srv/home/app
exec "$@"
"#;

/// Plays a test as that user. `name` is the test's.
pub fn within(name: &str, play: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        return play();
    }
    let mut possible = Command::new("unshare");
    possible.args(["-rm", "script", "-qec", "true", "/dev/null"]).stdin(Stdio::null());
    if !possible.output().is_ok_and(|output| output.status.success()) {
        println!("skipped: no namespaces here, or no script(1)");
        return;
    }
    if !guard().is_file() {
        println!("skipped: guarded-sh is not built beside guarded-shd");
        return;
    }
    let own = std::env::current_exe().unwrap();
    let mut command = Command::new("unshare");
    command.args(["-rm", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    command.args(["/bin/bash", "-c", USER, "bash"]).arg(own);
    command.args(["--exact", name, "--nocapture", "--include-ignored"]).env(INSIDE, "1");
    // Nothing of whoever runs the tests says that an agent does.
    command.env_clear().env("PATH", "/usr/bin:/bin").env(INSIDE, "1");
    for kept in ["LLVM_PROFILE_FILE", "SCREENSHOTS", "AXE", "RECORDS", "BINARIES"] {
        command.envs(std::env::var(kept).map(|value| (kept, value)));
    }
    let status = command.status().unwrap();
    assert!(status.success(), "{name}");
}

/// Returns the guard that stands beside the service; where `BINARIES` names a directory, that in it.
pub fn guard() -> PathBuf {
    let own = Path::new(env!("CARGO_BIN_EXE_guarded-shd")).with_file_name("guarded-sh");
    std::env::var_os("BINARIES").map_or(own, |directory| Path::new(&directory).join("guarded-sh"))
}

/// A program at a terminal of its own, as a person has it.
pub struct AtTerminal {
    child: Child,
    keys: ChildStdin,
    lines: Receiver<String>,
}

impl AtTerminal {
    /// Starts it.
    pub fn start(words: &[&str]) -> Self {
        let line = words.join(" ");
        let mut command = Command::new("script");
        command.args(["-qfec", &line, "/dev/null"]).env("NO_COLOR", "1");
        Self::of(command)
    }

    /// Starts it without a terminal, as systemd does.
    pub fn without(words: &[&str]) -> Self {
        let mut command = Command::new("setsid");
        command.arg("-w").args(words).env("NO_COLOR", "1");
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (keys, out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (say, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                let _ = say.send(line);
            }
        });
        Self { child, keys, lines }
    }

    /// Waits until it has ended.
    pub fn until_end(&self) {
        while self.lines.recv_timeout(PATIENCE).is_ok() {}
    }

    /// Returns its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for a line with this in it.
    pub fn until(&self, part: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect(part);
            if line.contains(part) {
                return line;
            }
        }
    }

    /// Types something.
    pub fn types(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).unwrap();
    }
}

impl Drop for AtTerminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The user's service and page.
pub struct World {
    page: AtTerminal,
    service: AtTerminal,
    /// `http://NAME.localhost:PORT`.
    pub origin: String,
    code: Option<String>,
}

impl World {
    /// Starts both.
    pub fn begin() -> Self {
        Self::beside(AtTerminal::start(&[guard().to_str().unwrap(), "serve"]))
    }

    /// Starts both, with these settings of the user's.
    pub fn with(settings: &str) -> Self {
        configure(settings);
        Self::begin()
    }

    /// Starts the service without a terminal, with these settings, which have it start the page too.
    pub fn served(settings: &str) -> Self {
        configure(settings);
        Self::beside(AtTerminal::without(&[guard().to_str().unwrap(), "serve"]))
    }

    fn beside(service: AtTerminal) -> Self {
        service.until("listens in");
        let page = AtTerminal::start(&[guard().to_str().unwrap(), "page", "--no-open"]);
        let (origin, code) = address(&page);
        Self { page, service, origin, code: Some(code) }
    }

    /// Returns a code that was not used yet.
    pub fn code(&mut self) -> String {
        self.code.take().unwrap_or_else(|| {
            self.page.types("\n");
            address(&self.page).1
        })
    }

    /// Returns where a person reads the addresses.
    pub fn page(&mut self) -> &mut AtTerminal {
        &mut self.page
    }

    /// Ends the service, which has no terminal.
    pub fn end_service(&self) {
        let call = format!("kill {}", self.service.id());
        Command::new("/bin/bash").args(["-c", &call]).status().unwrap();
        self.service.until_end();
    }

    /// Ends both, as a person does.
    pub fn end(mut self) {
        for one in [&mut self.page, &mut self.service] {
            one.types("\u{3}");
            one.until_end();
        }
    }

    /// Returns the name and port of the page.
    pub fn host(&self) -> &str {
        self.origin.strip_prefix("http://").unwrap()
    }

    /// Returns the port of the page.
    pub fn port(&self) -> u16 {
        self.host().rsplit(':').next().unwrap().parse().unwrap()
    }
}

fn configure(settings: &str) {
    std::fs::create_dir_all("/srv/home/.config/guarded-sh").unwrap();
    std::fs::write("/srv/home/.config/guarded-sh/config.toml", settings).unwrap();
}

fn address(page: &AtTerminal) -> (String, String) {
    let line = page.until("http://");
    let (origin, code) = line.trim().split_once("/enter#").unwrap();
    (origin.to_owned(), code.to_owned())
}

/// Has an agent run a line in a session, and returns what it printed.
pub fn runs_in(session: &str, line: &str) -> String {
    runs_at(Path::new("."), session, line)
}

/// The same, in a directory.
pub fn runs_at(directory: &Path, session: &str, line: &str) -> String {
    let mut command = Command::new(guard());
    command.args(["-c", line]).current_dir(directory).stdin(Stdio::null());
    command.env("CLAUDECODE", "1").env("CLAUDE_CODE_SESSION_ID", session);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A line that an agent's shell asks about.
pub struct Asked {
    child: Child,
    /// The id of the question.
    pub id: String,
    /// The line.
    pub line: String,
}

impl Asked {
    /// Has an agent run a line, and waits until it is asked about.
    pub fn about(world: &World, line: &str) -> Self {
        Self::first_of(world, line, "")
    }

    /// The same, where the agent does more once the line has run: its script has the guard in `$0` and the line in `$1`.
    pub fn first_of(world: &World, line: &str, then: &str) -> Self {
        Self::told_to(&world.service, line, then)
    }

    /// The same, of a service that is told of it.
    pub fn told_to(service: &AtTerminal, line: &str, then: &str) -> Self {
        Self::of(service, line, &format!("\"$0\" -c \"$1\" || exit; {then}"))
    }

    /// The same, where the agent stays whatever becomes of the line.
    pub fn of_lasting(world: &World, line: &str) -> Self {
        Self::of(&world.service, line, "\"$0\" -c \"$1\"; exec sleep 1000 >/dev/null 2>&1")
    }

    fn of(service: &AtTerminal, line: &str, script: &str) -> Self {
        let mut command = Command::new("/srv/bin/claude");
        command.args(["-c", script]).arg(guard()).arg(line);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        // The service tells each question as it comes, its id first.
        let told = service.until(" waits ");
        let id = told.split_whitespace().next().unwrap().to_owned();
        Self { child, id, line: line.to_owned() }
    }

    /// Waits until the shell has ended, and returns its status, and what it said on standard output and error.
    pub fn ended(mut self) -> (i32, String) {
        let mut said = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), said)
    }

    /// Ends the shell that waits.
    pub fn abandon(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
