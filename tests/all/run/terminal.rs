//! Sessions at a real terminal: sizes, keys, signals, job control, and what is left of the terminal when a process is killed.

use std::fs;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Sessions;
use crate::support::{IN_OWN_HOME, guard};
use crate::tmux::{Tmux, has};

/// A shell of a person in tmux, with `$RUN` to start a session.
struct Person {
    tmux: Tmux,
    sessions: Sessions,
}

impl Person {
    fn at(shell: &str) -> Option<Self> {
        if !has("tmux") {
            return None;
        }
        let sessions = Sessions::new();
        // Below a host the home of the user database counts.
        let home = sessions.place.home();
        let begin = shell_words::join(["unshare", "-rm", "/bin/bash", "-c", IN_OWN_HOME, "bash"]);
        let command = format!(
            "exec env HOME='{0}' XDG_RUNTIME_DIR='{1}' RUN='{2} run --' {begin} '{0}' env env PS1='ready> ' {shell}",
            home.display(),
            sessions.runtime().display(),
            guard().display()
        );
        let tmux = Tmux::start(80, 24, &sessions.place.work(), &command);
        tmux.wait_for("ready>");
        Some(Self { tmux, sessions })
    }

    fn type_line(&self, line: &str) {
        self.tmux.literal(line);
        self.tmux.keys(&["Enter"]);
    }

    /// Waits for a file in the directory to work in, and returns what is in it.
    fn file(&self, name: &str) -> String {
        let path = self.sessions.place.path("work").join(name);
        let deadline = Instant::now() + Duration::from_secs(120);
        loop {
            match fs::read_to_string(&path) {
                Ok(text) if text.ends_with('\n') => return text,
                _ => {
                    assert!(Instant::now() < deadline, "{name} never came:\n{}", self.tmux.plain());
                }
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn process(&self, name: &str) -> Pid {
        Pid::from_raw(self.file(name).trim().parse().unwrap())
    }

    /// The shell is there again, and what is typed shows.
    fn is_sane(&self, status: &str) {
        self.type_line("stty -a | tr ';' '\\n' >modes; echo status $?");
        self.type_line(&format!("echo the{{,m}} {status}"));
        self.tmux.wait_for(&format!("the them {status}"));
        let modes = self.file("modes");
        for mode in ["icanon", "echo", "opost", "isig", "icrnl"] {
            assert!(modes.split_whitespace().any(|set| set == mode), "{mode}: {modes}");
        }
        let screen = self.tmux.screen();
        for mode in ["shown=1", "alternate=0", "keys=0", "mouse=0000"] {
            assert!(screen.contains(mode), "{mode}: {screen}");
        }
    }
}

const BASH: &str = "bash --norc --noprofile";

#[test]
fn a_terminal_is_the_size_of_the_persons() {
    let Some(person) = Person::at(BASH) else { return };
    person.type_line("$RUN bash -c 'trap \"stty size >second\" WINCH; stty size >first; while [ ! -e done ]; do sleep 0.1; done'; echo status $?");
    assert_eq!(person.file("first"), "24 80\n");
    person.tmux.resize(101, 33);
    assert_eq!(person.file("second"), "33 101\n");
    person.sessions.place.write("work/done", "");
    person.tmux.wait_for("\nstatus 0");
    person.is_sane("end");
}

/// What the kernel says of a terminal any program can change that opens it; a question is where the terminal itself says that it ends.
#[test]
fn a_question_is_seen_whatever_size_the_kernel_was_told() {
    for rows in [60, 14] {
        let Some(person) = Person::at(BASH) else { return };
        person.sessions.place.write("work/a", "");
        person.sessions.place.write(
            "work/agent",
            "outer=$(cut -d' ' -f4 /proc/$PPID/stat)\nstty -F \"$(readlink /proc/$outer/fd/0)\" rows \"$1\"\nprintf '\\033[H\\033[2J\\033[9;1H-- FAKE: lists files --\\r\\n'\n\"$SHELL\" -c 'rm a'\n",
        );
        person.type_line(&format!("$RUN sh agent {rows}"));
        person.tmux.wait(&format!("the question at {rows} rows"), |screen| {
            let rows: Vec<&str> = screen.lines().collect();
            let at = |text: &str| rows.iter().position(|row| row.contains(text));
            let title = at("guarded-sh asks");
            // It stands at the end of the screen, in one piece, and nothing of the agent's below it.
            let parts = [title, at("    rm a"), at("›  deny"), at("   once")];
            parts.iter().all(Option::is_some) && parts.is_sorted() && at("FAKE") < title
        });
        // Keys count from when it says what they do, or that it was drawn again.
        let counts = |screen: &str| screen.contains("x explain") || screen.contains("read it anew");
        person.tmux.wait("keys count", counts);
        person.tmux.keys(&["d"]);
        person.tmux.wait_for("a person said no");
        assert!(person.sessions.place.path("work/a").exists());
    }
}

#[test]
fn statuses_and_deaths_come_through_a_terminal() {
    let Some(person) = Person::at(BASH) else { return };
    person.type_line("for s in 0 1 77 255; do $RUN sh -c \"exit $s\"; echo $?; done >part; echo end >>part; mv part statuses");
    person.tmux.settled();
    // Its output is no terminal here; keys and errors are.
    assert_eq!(person.file("statuses"), "0\n1\n77\n255\nend\n");
    person.type_line("$RUN sh -c 'kill -TERM $$'; echo $? >status");
    assert_eq!(person.file("status"), "143\n");
    person.is_sane("end");
}

#[test]
fn what_is_not_the_terminal_is_the_callers() {
    let Some(person) = Person::at(BASH) else { return };
    person.type_line(
        "echo in | $RUN sh -c 'cat >part; test -t 1 && test -t 2 && test ! -t 0 && echo yes >>part; mv part got'",
    );
    person.tmux.settled();
    assert_eq!(person.file("got"), "in\nyes\n");
    person.type_line(
        "$RUN sh -c 'echo out; test -t 0 && test -t 2 && test ! -t 1 && echo yes' | cat >part; mv part piped",
    );
    person.tmux.settled();
    assert_eq!(person.file("piped"), "out\nyes\n");
    person.is_sane("end");
}

#[test]
fn all_of_the_output_arrives_and_in_order() {
    let Some(person) = Person::at(BASH) else { return };
    // 20 MB through the terminal, and what is typed through it back: a sum of each.
    person.type_line("$RUN sh -c 'seq 1 2500000; echo last' ; echo status $?");
    person.tmux.wait_for("status 0");
    let screen = person.tmux.plain();
    let end: Vec<String> = (2_499_990..=2_500_000).map(|number| number.to_string()).collect();
    assert!(screen.contains(&format!("{}\nlast\nstatus 0", end.join("\n"))), "{screen}");
    person.type_line(
        "$RUN sh -c 'stty raw -echo; echo begin; head -c 20000 | md5sum >sum'; echo ended $?",
    );
    person.tmux.wait_for("\nbegin");
    for _ in 0..20 {
        person.tmux.literal(&"0123456789".repeat(100));
    }
    let sum = person.file("sum");
    assert_eq!(sum, format!("{}  -\n", md5(&"0123456789".repeat(2000))), "{sum}");
    // What is typed before the shell is back goes to the session, which ends.
    person.tmux.wait_for("ended 0");
    person.is_sane("end");
}

fn md5(text: &str) -> String {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let mut sum =
        Command::new("md5sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    sum.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let out = sum.wait_with_output().unwrap().stdout;
    String::from_utf8_lossy(&out)[..32].to_owned()
}

#[test]
fn keys_for_signals_reach_the_agents_job() {
    let Some(person) = Person::at(BASH) else { return };
    person.type_line("$RUN sh -c 'trap \"echo got INT\" INT; echo waits; while :; do sleep 0.1; done'; echo status $?");
    person.tmux.wait_for("\nwaits");
    person.tmux.keys(&["C-c"]);
    person.tmux.wait_for("got INT");
    person.tmux.keys(&["C-\\"]);
    person.tmux.wait_for("status 131");
    person.is_sane("end");
}

#[test]
fn an_agent_that_stops_is_a_stopped_job_of_the_persons_shell() {
    for shell in [BASH, "zsh -f"] {
        if !has(shell.split(' ').next().unwrap()) {
            continue;
        }
        let Some(person) = Person::at(shell) else { return };
        let run = if shell == BASH { "$RUN" } else { "${=RUN}" };
        person.type_line(&format!("{run} less /etc/services"));
        person.tmux.wait_for("/etc/services");
        person.tmux.settled();
        // The key stops less, as less does it: by a signal to its own group.
        person.tmux.keys(&["C-z"]);
        person.tmux.wait(shell, |screen| {
            let screen = screen.to_lowercase();
            screen.contains("stopped") || screen.contains("suspended")
        });
        person.is_sane("stopped");
        person.type_line("fg");
        person.tmux.wait("less again", |screen| !screen.contains("the them stopped"));
        person.tmux.keys(&["q"]);
        // What is typed before it has ended is typed for it, and not for the shell.
        person.tmux.wait("the prompt", |screen| screen.trim_end().ends_with("ready>"));
        person.is_sane("end");
        assert!(!person.tmux.plain().contains("tty output"), "{}", person.tmux.plain());
    }
}

#[test]
fn a_shell_in_a_session_has_its_jobs() {
    let Some(person) = Person::at(BASH) else { return };
    person.type_line("$RUN env PS1='inner> ' $BASH --norc --noprofile");
    person.tmux.wait_for("inner>");
    person.type_line("sleep 1000");
    person.tmux.settled();
    person.tmux.keys(&["C-z"]);
    person.tmux.wait_for("Stopped");
    person.type_line("bg; jobs; kill %1; wait; echo a{b,c}");
    person.tmux.wait_for("ab ac");
    person.type_line("exit 9");
    person.tmux.wait("the prompt", |screen| screen.trim_end().ends_with("ready>"));
    person.type_line("echo status $?");
    person.tmux.wait_for("status 9");
    person.is_sane("end");
}

#[test]
fn a_session_in_the_background_waits_for_the_terminal() {
    let Some(person) = Person::at(BASH) else { return };
    person.type_line("$RUN sh -c 'echo in the front' & sleep 1; jobs; fg; echo status $?");
    person.tmux.wait_for("status 0");
    assert!(person.tmux.plain().contains("\nin the front"), "{}", person.tmux.plain());
    person.is_sane("end");
}

/// Started in a session: says who is who, leaves the terminal in a state of its own, and waits.
const HELD: &str = "$RUN sh -c 'echo $PPID >host; echo $$ >agent; tr \"\\0\" \" \" </proc/$PPID/stat | cut -d\" \" -f4 >outer; stty raw -echo; printf \"\\033[?1049h\\033[?1002h\\033[?25l\\033[?1hheld\"; sleep 1000'; echo status $?";

#[test]
fn a_host_that_is_killed_leaves_a_sane_terminal() {
    let Some(person) = Person::at(BASH) else { return };
    person.type_line(HELD);
    person.tmux.wait_for("held");
    let (host, agent) = (person.process("host"), person.process("agent"));
    kill(host, Signal::SIGKILL).unwrap();
    person.tmux.wait_for("status 126");
    person.tmux.wait_for("guarded-sh: the session's host was killed by signal 9");
    person.is_sane("end");
    gone(agent);
    assert!(person.sessions.left().is_empty(), "{:?}", person.sessions.left());
}

/// What an agent sets and leaves so: each mode by itself.
#[test]
fn an_agent_that_leaves_the_terminal_in_its_modes_leaves_a_sane_one() {
    let Some(person) = Person::at(BASH) else { return };
    for modes in [
        r"\033[?1h\033=\033[?1002h\033[?1006h\033[?2004h\033[?1004h\033[?25l",
        r"\033[?1049h\033[?25l\033[>1u\033[5;10r\033[?6h",
        r"\033[?47h\033[4h\033(0",
        r"\033[?2026h\033[31m\033[?7l\033]0;cut",
    ] {
        person.type_line(&format!("$RUN printf '{modes}'; echo status $?"));
        person.tmux.wait_for("status 0");
        person.is_sane("end");
        person.type_line("clear");
        person.tmux.wait("the prompt", |screen| screen.trim_end().ends_with("ready>"));
    }
}

#[test]
fn what_started_a_host_may_be_killed_too() {
    let Some(person) = Person::at(BASH) else { return };
    person.type_line(HELD);
    person.tmux.wait_for("held");
    let (host, agent, outer) =
        (person.process("host"), person.process("agent"), person.process("outer"));
    kill(outer, Signal::SIGKILL).unwrap();
    gone(host);
    gone(agent);
    person.is_sane("end");
    assert!(person.sessions.left().is_empty(), "{:?}", person.sessions.left());
}

#[test]
fn a_terminal_that_is_gone_hangs_up_the_agent() {
    let Some(person) = Person::at(BASH) else { return };
    person.type_line(HELD);
    person.tmux.wait_for("held");
    let (host, agent, outer) =
        (person.process("host"), person.process("agent"), person.process("outer"));
    let Person { tmux, sessions } = person;
    drop(tmux);
    for process in [agent, host, outer] {
        gone(process);
    }
    assert!(sessions.left().is_empty(), "{:?}", sessions.left());
}

/// A shell that hangs up continues its jobs; one that is killed, or whose job is, continues nothing.
#[test]
fn a_session_that_is_stopped_ends_with_what_it_is_a_job_of() {
    const STOPS: &str = "$RUN sh -c 'echo $PPID >host; echo $$ >agent; tr \"\\0\" \" \" </proc/$PPID/stat | cut -d\" \" -f4 >outer; echo held; sleep 1000'";
    for closes in [true, false] {
        let Some(person) = Person::at(BASH) else { return };
        person.type_line(STOPS);
        person.tmux.wait_for("\nheld");
        let processes = ["agent", "host", "outer"].map(|name| person.process(name));
        person.tmux.keys(&["C-z"]);
        person.tmux.wait_for("Stopped");
        let Person { tmux, sessions } = person;
        let tmux = if closes {
            drop(tmux);
            None
        } else {
            kill(processes[2], Signal::SIGKILL).unwrap();
            Some(tmux)
        };
        processes.into_iter().for_each(gone);
        assert!(sessions.left().is_empty(), "{:?}", sessions.left());
        drop(tmux);
    }
}

/// What cannot be drawn is said, and the person is not left to wait for nothing.
#[test]
fn a_terminal_that_cannot_show_a_question_says_how_it_is_answered() {
    let Some(person) = Person::at(BASH) else { return };
    person.sessions.place.write("work/a", "");
    person.type_line("TERM=dumb $RUN sh -c '\"$SHELL\" -c \"rm a\"; echo status $?'");
    person.tmux.wait_for("asks to run 'rm a'");
    person.tmux.wait_for("guarded-sh watch");
}

/// Signals that a session gets are the agent's.
#[test]
fn signals_are_handed_on() {
    for signal in ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2"] {
        let Some(person) = Person::at(BASH) else { return };
        person.type_line(&format!(
            "$RUN bash -c 'trap \"echo got {signal} >signal; exit 3\" {signal}; tr \"\\0\" \" \" </proc/$PPID/stat | cut -d\" \" -f4 >outer; while :; do sleep 0.1; done'; echo status $?"
        ));
        kill(
            person.process("outer"),
            signal.parse::<Signal>().unwrap_or_else(|_| format!("SIG{signal}").parse().unwrap()),
        )
        .unwrap();
        assert_eq!(person.file("signal"), format!("got {signal}\n"));
        person.tmux.wait_for("status 3");
        person.is_sane("end");
    }
}

fn gone(process: Pid) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while fs::read_to_string(format!("/proc/{process}/stat"))
        .is_ok_and(|stat| !stat.contains(") Z"))
    {
        assert!(Instant::now() < deadline, "{process} is still there");
        std::thread::sleep(Duration::from_millis(10));
    }
}
