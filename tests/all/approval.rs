//! The question at a terminal, with a real one: a pseudo-terminal that is the controlling terminal of a process of its own.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use guarded_sh::approval::page::{Asked, Escape, Look, Offers, Pace};
use guarded_sh::approval::{Behind, Terminal, Word};
use guarded_sh::ipc::{Entry, State};
use guarded_sh::language::Language;
use guarded_sh::model::{Answer, Question, Scope, Score, Severity, Trial, Trying};
use guarded_sh::observe::{self, Environment};
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{grantpt, posix_openpt, ptsname_r, unlockpt};
use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use nix::unistd::Pid;

use crate::support::without_sequences;

const PATIENCE: Duration = Duration::from_secs(120);

/// A process at a terminal of its own, and we at the other end.
struct AtTerminal {
    leader: File,
    follower: OwnedFd,
    child: Child,
    before: Termios,
    seen: String,
}

impl AtTerminal {
    fn start(test: &str, more: &[&str], set_up: impl FnOnce(&OwnedFd)) -> Self {
        Self::start_with(test, more, &[], set_up)
    }

    fn start_with(
        test: &str,
        more: &[&str],
        variables: &[(&str, &str)],
        set_up: impl FnOnce(&OwnedFd),
    ) -> Self {
        // Close-on-exec: a leader that a child holds open would never go away.
        let leader = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).unwrap();
        grantpt(&leader).unwrap();
        unlockpt(&leader).unwrap();
        let follower = File::options()
            .read(true)
            .write(true)
            .custom_flags(OFlag::O_NOCTTY.bits())
            .open(ptsname_r(&leader).unwrap())
            .unwrap();
        let follower = OwnedFd::from(follower);
        set_up(&follower);
        let before = tcgetattr(&follower).unwrap();
        // Whoever runs the tests may ignore signals, as nohup(1) and jobs in the background do.
        let child = Command::new("env")
            .args(["--default-signal=HUP,INT,QUIT,TERM", "setsid"])
            .args(more)
            .arg("--ctty")
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", test, "--ignored", "--nocapture", "--quiet"])
            .env_clear()
            .env("AT_TERMINAL", "1")
            .env("PATH", "/usr/bin:/bin")
            .envs(variables.iter().copied())
            .stdin(follower.try_clone().unwrap())
            .stdout(Stdio::piped())
            .stderr(follower.try_clone().unwrap())
            .spawn()
            .unwrap();
        let leader = File::from(OwnedFd::from(leader));
        Self { leader, follower, child, before, seen: String::new() }
    }

    /// Waits until the terminal shows a text.
    fn wait_for(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.shows(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = PollTimeout::try_from(left).unwrap();
            let mut polled = [PollFd::new(self.leader.as_fd(), PollFlags::POLLIN)];
            assert_ne!(poll(&mut polled, timeout).unwrap(), 0, "no {text:?} in {:?}", self.seen);
            let mut bytes = [0; 4096];
            let count = self.leader.read(&mut bytes).unwrap();
            self.seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    }

    fn shows(&self, text: &str) -> bool {
        without_sequences(&self.seen).contains(text)
    }

    fn asked(test: &str) -> Self {
        let mut at = Self::start(test, &[], |_| {});
        at.wait_for(COUNT);
        at
    }

    fn press(&mut self, keys: &[u8]) {
        self.leader.write_all(keys).unwrap();
    }

    /// Returns what the process said, and how it ended, after checking that the terminal is as before.
    fn end(mut self) -> (String, ExitStatus) {
        let mut said = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        let status = self.child.wait().unwrap();
        let after = tcgetattr(&self.follower).unwrap();
        assert_eq!(after.local_flags, self.before.local_flags);
        assert_eq!(after.input_flags, self.before.input_flags);
        assert_eq!(after.output_flags, self.before.output_flags);
        let answer = said.lines().find_map(|line| line.split_once("SAID:")).map(|(_, rest)| rest);
        (answer.unwrap_or("").to_owned(), status)
    }
}

/// Started at a terminal by the tests below.
#[test]
#[ignore = "is a part of the tests below"]
fn ask_for_another_test() {
    if std::env::var_os("AT_TERMINAL").is_none() {
        return;
    }
    let terminal = File::options().read(true).write(true).open("/dev/tty").unwrap();
    let question = Question {
        line: "first line\nsecond line".to_owned(),
        cwd: Some("/home/dev/project".to_owned()),
        agent: Some("claude".to_owned()),
        program: None,
        session: None,
        severity: Severity::Medium,
        score: Score::within(Severity::Medium, 5),
        reason: "installs packages".to_owned(),
        instead: Some("ls\u{1b}[2J".to_owned()),
        findings: Vec::new(),
        held: None,
        opinion: None,
        recent: guarded_sh::model::Recent::default(),
        files: None,
        difference: None,
        anew: None,
        client: None,
        scope: Scope::default(),
    };
    let asked = Asked {
        highlights: Vec::new(),
        entry: Entry {
            id: String::new(),
            question,
            age: 0,
            state: State::Waiting { left: None },
            may_stop: false,
            trying: Trying::Impossible,
        },
        home: Some("/home/dev".to_owned()),
        language: Language::English,
        offers: Offers { session: Vec::new(), always: Some("id = \"own.rule\"\n".to_owned()) },
        more: 0,
        escape: Escape::Denies,
    };
    let answer = Terminal::new(terminal, Look::Mono).ask(asked, &mut Own).unwrap();
    match answer {
        Some(Answer::Deny { message: None }) => println!("SAID:Deny"),
        answer => println!("SAID:{:?}", answer.unwrap()),
    }
}

/// What stands behind the question of these tests.
struct Own;

impl Behind for Own {
    fn awaited(&self) -> (Vec<BorrowedFd<'_>>, Option<Instant>) {
        (Vec::new(), None)
    }

    fn take(&mut self) -> Option<Word> {
        None
    }

    fn explain(&mut self, columns: usize) -> String {
        format!("all about it in {columns} columns")
    }

    fn attempt(&mut self) -> Option<Trying> {
        Some(Trying::Failed { why: "here is no container".to_owned() })
    }

    fn tried(&mut self, _trial: &Trial) -> String {
        String::new()
    }

    fn write(&mut self) -> Result<(), String> {
        Ok(())
    }
}

/// What the question shows from its beginning.
const ASKED: &[&str] = &[
    " guarded-sh asks ",
    " medium ",
    "claude wants to run this in ~/project",
    "first line",
    "second line",
    "installs packages",
    "→ safer: ls\\x1b[2J",
    "this one run: this very line, in this directory",
    "always…",
    "m deny, say why",
];
/// What the question shows when keys count.
const COUNT: &str = "x explain";
const ASK: &str = "approval::ask_for_another_test";

#[test]
fn only_a_chosen_yes_is_one() {
    // Each key with what the terminal shows once it was taken.
    for (keys, answer, last) in [
        (&[("\r", "")][..], "Deny", "denied: "),
        (&[("\x1b[B", "›  once"), ("\r", "")], "Once", "allowed once: first line⏎second line"),
        (&[("o", "›  once"), ("\r", "")], "Once", "allowed once: "),
        (&[("d", "")], "Deny", "denied: "),
        (&[("q", "")], "Deny", "denied: "),
        (&[("\x03", "")], "Deny", "denied: "),
        (&[("o\r", "were dropped"), ("", COUNT), ("\r", "")], "Deny", "denied: "),
        (&[("a", "own.rule"), ("\x1b[B", "›  write"), ("\r", "")], "Always", "allowed for good: "),
        (
            &[("m", "Enter denies and sends"), ("n", "n"), ("o", "o"), ("\r", "")],
            "Deny { message: Some(\"no\") }",
            "denied, with the message: no: ",
        ),
        (
            &[("e", "Enter done"), ("\x1b[F", "second"), ("s", "lines"), ("\r", "")],
            "Edit { line: \"first line\\nsecond lines\" }",
            "to be this line: first line⏎second lines: ",
        ),
        (
            &[("x", "all about it in 80 columns"), ("q", COUNT), ("o", "›  once"), ("\r", "")],
            "Once",
            "allowed once: ",
        ),
    ] {
        let mut at = AtTerminal::asked(ASK);
        for shown in ASKED {
            assert!(at.shows(shown), "{shown}: {:?}", at.seen);
        }
        for (key, shows) in keys {
            if !key.is_empty() {
                at.seen.clear();
                at.press(key.as_bytes());
            }
            at.wait_for(shows);
            // Nobody presses the next key sooner than this, and what comes sooner counts as a burst.
            std::thread::sleep(Pace::BURST);
        }
        at.seen.clear();
        at.wait_for(&format!("guarded-sh: {last}"));
        let (said, status) = at.end();
        assert_eq!(said, answer, "{keys:?}");
        assert!(status.success(), "{keys:?}");
    }
}

/// Started at a terminal by the test below.
#[test]
#[ignore = "is a part of the test below"]
fn ask_once_something_is_typed_for_another_test() {
    if std::env::var_os("AT_TERMINAL").is_none() {
        return;
    }
    let terminal = File::options().read(true).write(true).open("/dev/tty").unwrap();
    poll(&mut [PollFd::new(terminal.as_fd(), PollFlags::POLLIN)], PollTimeout::NONE).unwrap();
    drop(terminal);
    ask_for_another_test();
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let test = "approval::ask_once_something_is_typed_for_another_test";
    let mut at = AtTerminal::start(test, &[], |_| {});
    at.press(b"j\r");
    at.wait_for(COUNT);
    at.press(b"\r");
    assert_eq!(at.end().0, "Deny");
}

#[test]
fn a_terminal_that_goes_away_is_a_no() {
    let AtTerminal { leader, follower, mut child, .. } = AtTerminal::asked(ASK);
    drop(follower);
    drop(leader);
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    child.wait().unwrap();
    assert!(!said.contains("Once"), "{said}");
}

#[test]
fn a_signal_that_ends_it_leaves_the_terminal_as_it_was() {
    for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT] {
        let at = AtTerminal::asked(ASK);
        kill(Pid::from_raw(at.child.id().try_into().unwrap()), signal).unwrap();
        let (said, status) = at.end();
        assert_eq!(said, "");
        assert_eq!(status.signal(), Some(signal as i32));
    }
}

/// Started at a terminal by the tests below.
#[test]
#[ignore = "is a part of the tests below"]
fn look_for_a_person_for_another_test() {
    if std::env::var_os("AT_TERMINAL").is_none() {
        return;
    }
    // What started us must be gone, so that nothing above us is an agent that runs the tests.
    let parent =
        || std::fs::read_to_string(format!("/proc/{}/comm", std::os::unix::process::parent_id()));
    while parent().is_ok_and(|name| name.trim_end() == "setsid") {
        std::thread::yield_now();
    }
    if std::env::var_os("OTHER_INPUT").is_some() {
        let other = nix::pty::openpty(None, None).unwrap();
        nix::unistd::dup2_stdin(&other.slave).unwrap();
        // The other end stays open: a terminal that is gone is another case.
        std::mem::forget(other.master);
    }
    let environment = Environment::read();
    match observe::person(&environment) {
        Ok(_) => println!("SAID:person"),
        Err(error) => println!("SAID:{error:?}"),
    }
}

fn person(set_up: impl FnOnce(&OwnedFd)) -> String {
    AtTerminal::start("approval::look_for_a_person_for_another_test", &["--fork"], set_up).end().0
}

#[test]
fn a_person_is_at_a_plain_terminal_alone() {
    assert_eq!(person(|_| {}), "person");
    let without = |flags: LocalFlags| {
        move |follower: &OwnedFd| {
            let mut mode = tcgetattr(follower).unwrap();
            mode.local_flags.remove(flags);
            tcsetattr(follower, SetArg::TCSANOW, &mode).unwrap();
        }
    };
    assert_eq!(person(without(LocalFlags::ECHO)), "TakenOver");
    assert_eq!(person(without(LocalFlags::ICANON)), "TakenOver");
}

#[test]
fn a_terminal_on_standard_input_that_is_not_ours_is_no_person() {
    let more = ["--fork"];
    let test = "approval::look_for_a_person_for_another_test";
    let at = AtTerminal::start_with(test, &more, &[("OTHER_INPUT", "1")], |_| {});
    assert_eq!(at.end().0, "OtherTerminal");
}

#[test]
fn marks_of_agents_and_hosts_are_no_person() {
    let test = "approval::look_for_a_person_for_another_test";
    for (variable, said) in [
        ("CLAUDECODE", "Agent(\"claude\")"),
        ("AI_AGENT", "Agent(\"1\")"),
        ("GUARDED_SH_SESSION", "Guarded"),
    ] {
        let at = AtTerminal::start_with(test, &["--fork"], &[(variable, "1")], |_| {});
        assert_eq!(at.end().0, said);
    }
}
