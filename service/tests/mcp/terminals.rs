//! `guarded-sh host` at a terminal: keys, windows, and programs that take the whole of it.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::bridge::{Bridge, by_risk, called, signal, until};
use super::world::{PATIENCE, within};

/// A person at a terminal, who has `host` for `guarded-sh host --`.
struct Person {
    child: Child,
    keys: ChildStdin,
    seen: Arc<Mutex<String>>,
}

impl Person {
    /// Runs a script of bash at a terminal of its own.
    fn at(token: &str, script: &str) -> Self {
        let call = called(token, &[]);
        let program = call.get_program().to_str().unwrap().to_owned();
        let text =
            format!("host() {{ '{program}' host -- \"$@\"; }}\nstty rows 24 cols 80\n{script}");
        std::fs::write("/srv/at", text).unwrap();
        let mut at = Command::new("script");
        at.args(["-qefc", "bash /srv/at", "/dev/null"]).current_dir("/srv/home/app");
        at.envs(call.get_envs().filter_map(|(name, value)| Some((name, value?))));
        at.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = at.spawn().unwrap();
        let (keys, mut out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let seen = Arc::new(Mutex::new(String::new()));
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = out.read(&mut piece) {
                shared.lock().unwrap().push_str(&String::from_utf8_lossy(&piece[..count]));
            }
        });
        Self { child, keys, seen }
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    fn seen(&self) -> String {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until something is seen, and forgets all until then.
    fn sees(&self, part: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.seen().contains(part) {
            assert!(
                Instant::now() < end && !self.is_over(),
                "'{part}' is not in {:?}",
                self.seen()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        let mut seen = self.seen.lock().unwrap();
        let at = seen.find(part).unwrap() + part.len();
        seen.drain(..at);
    }

    fn is_over(&self) -> bool {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        state.map_or(true, |state| state.contains(") Z "))
    }

    fn ends(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap()
    }
}

/// Has the owner say yes to what is asked.
fn yes(bridge: &Bridge) {
    let said = super::bridge::person(&["approve", &bridge.asked()]);
    assert!(!said.contains("no open question"), "{said}");
}

#[test]
fn keys_that_are_signals_go_to_the_command() {
    within("terminals::keys_that_are_signals_go_to_the_command", || {
        let (_bridge, token) = by_risk();
        let mut person = Person::at(
            &token,
            "host sh -c 'echo begun; exec sleep 1000'; echo status $?\n\
             host sh -c 'trap \"echo heard; exit 5\" INT; echo begun; while :; do read x; done'; echo status $?\n\
             stty -a | grep -q ' icanon' && echo as before",
        );
        person.sees("begun");
        person.types("\u{3}");
        person.sees("status 130");
        person.sees("begun");
        person.types("\u{3}");
        person.sees("heard");
        person.sees("status 5");
        person.sees("as before");
        assert_eq!(person.ends(), 0);
    });
}

/// Whether a `sleep` sleeps in the foreground of its terminal.
fn sleeps() -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let texts = processes.filter_map(|one| std::fs::read_to_string(one.path().join("stat")).ok());
    texts.filter(|text| text.contains(" (sleep) ")).any(|text| {
        let words: Vec<&str> = text.rsplit(") ").next().unwrap().split(' ').collect();
        words[0] == "S" && words[2] == words[5]
    })
}

#[test]
fn a_shell_there_has_jobs() {
    within("terminals::a_shell_there_has_jobs", || {
        let (bridge, token) = by_risk();
        let mut person = Person::at(&token, "host bash --norc -i; echo status $?");
        // What is typed there is not judged, so a person is asked.
        yes(&bridge);
        person.types("PS1='at''host '\r");
        person.sees("athost ");
        person.types("sleep 1000\r");
        until("it does not sleep", sleeps);
        person.types("\u{1a}");
        person.sees("Stopped");
        person.sees("athost ");
        person.types("fg\r");
        until("it does not go on", sleeps);
        person.types("\u{3}");
        person.sees("^C");
        person.sees("athost ");
        person.types("echo $((6 * 7)) $?\r");
        person.sees("42 130");
        person.types("exit 9\r");
        person.sees("status 9");
        assert_eq!(person.ends(), 0);
    });
}

#[test]
fn a_window_that_changes_does_so_there() {
    within("terminals::a_window_that_changes_does_so_there", || {
        let (_bridge, token) = by_risk();
        // What is in the background sets the size of the terminal that all of them have.
        let mut person = Person::at(
            &token,
            "(until [ -e begun ]; do :; done; stty rows 33 cols 99 </dev/tty) &\n\
             host bash -c 'trap \"stty size; exit\" WINCH; stty size; touch begun; while :; do read -t 1; done'; wait",
        );
        person.sees("24 80");
        person.sees("33 99");
        person.types("");
        assert_eq!(person.ends(), 0);
    });
}

#[test]
fn one_in_the_background_takes_no_keys() {
    within("terminals::one_in_the_background_takes_no_keys", || {
        let (_bridge, token) = by_risk();
        let person = Person::at(
            &token,
            "set -m; host sh -c 'echo there' & wait $!; echo status $?; stty -a | grep -q ' icanon' && echo as before",
        );
        person.sees("there");
        person.sees("status 0");
        person.sees("as before");
        assert_eq!(person.ends(), 0);
    });
}

#[test]
fn editors_have_the_whole_terminal() {
    within("terminals::editors_have_the_whole_terminal", || {
        if !["/usr/bin/vim", "/usr/bin/git"].iter().all(|path| Path::new(path).exists()) {
            println!("skipped: no vim or git here");
            return;
        }
        let (bridge, token) = by_risk();
        let mut person = Person::at(&token, "host vim -u NONE -N -n file; echo status $?");
        yes(&bridge);
        // A screen of its own, and its size: the last line is the 24th.
        person.sees("[New]");
        person.types("ione\rtwo\u{1b}:wq\r");
        person.sees("status 0");
        assert_eq!(person.ends(), 0);
        assert_eq!(std::fs::read_to_string("/srv/home/app/file").unwrap(), "one\ntwo\n");
    });
}

#[test]
fn a_rebase_is_done_by_hand() {
    within("terminals::a_rebase_is_done_by_hand", || {
        if !["/usr/bin/vim", "/usr/bin/git"].iter().all(|path| Path::new(path).exists()) {
            println!("skipped: no vim or git here");
            return;
        }
        let (bridge, _) = by_risk();
        // What git starts as an editor is the owner's own; the line asks, and a person says yes.
        std::fs::write(
            "/srv/home/.gitconfig",
            "[user]\nname = me\nemail = me@example.org\n[core]\neditor = vim -u NONE -N -n\n",
        )
        .unwrap();
        let made = Command::new("/bin/bash")
            .args([
                "-c",
                "rm -rf .git && git init -q && for n in 1 2 3; do echo $n >$n && git add $n && git commit -qm c$n; done",
            ])
            .current_dir("/srv/home/app")
            .status();
        assert!(made.unwrap().success());
        let token =
            super::bridge::client(&["git", "--mount=/srv/home/app=/srv/home/app", "--always"]);
        let mut person = Person::at(&token, "host git rebase -i HEAD~2; echo status $?");
        yes(&bridge);
        person.sees("pick");
        // The last of them goes.
        person.types("jdd:wq\r");
        person.sees("status 0");
        assert_eq!(person.ends(), 0);
        let mut log = Command::new("/usr/bin/git");
        let log = log.args(["log", "--format=%s"]).current_dir("/srv/home/app").output().unwrap();
        assert_eq!(String::from_utf8_lossy(&log.stdout), "c2\nc1\n");
    });
}

#[test]
fn a_bridge_that_is_stopped_keeps_nobody() {
    within("terminals::a_bridge_that_is_stopped_keeps_nobody", || {
        let (bridge, token) = by_risk();
        let begun = |name: &str| {
            let line = format!("echo > {name}; exec sleep 1000");
            let mut call = called(&token, &["sh", "-c", &line]);
            let child = call.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            until("it does not begin", || Path::new(&format!("/srv/home/app/{name}")).exists());
            child
        };
        let heeded = begun("heeded");
        let kept = begun("kept");
        // One whose signal is heard ends as the command does.
        signal(heeded.id(), "TERM");
        assert_eq!(heeded.wait_with_output().unwrap().status.code(), Some(143));
        signal(bridge.process(), "STOP");
        signal(kept.id(), "TERM");
        let output = kept.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(15), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("does not answer"), "{output:?}");
        signal(bridge.process(), "CONT");
    });
}
