//! `trust`: what a person sees, what is pinned, and that nobody else can say yes.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Child, Command, Stdio};

use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::pty::{grantpt, posix_openpt, ptsname_r, unlockpt};

use super::{fails, fine, workspace};
use crate::support::{Place, guard};

/// How long nothing may happen, in milliseconds.
const PATIENCE: u16 = 20_000;

const LOOSE: &str = "safe_domains = [\"docs.example.com\"]\nprotected_branches = [\"prod\"]\n";

const APPROVING: &str = r#"
pack = "team"

[[rule]]
id        = "team.frob"
command   = ["frobnicate"]
severity  = "low"
recommend = "approve"
reason    = "our own tool"
matches   = ["frobnicate"]
passes    = ["ls"]
"#;

fn project() -> Place {
    let place = workspace();
    place.write("work/.guarded-sh.toml", LOOSE);
    place.write("work/.guarded-sh/rules/team.toml", APPROVING);
    place
}

/// A person at a terminal, in whose foreground a line runs that has no agent above it.
struct Person {
    leader: File,
    child: Child,
    seen: String,
}

impl Person {
    fn types(place: &Place, script: &str) -> Self {
        let leader = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY | OFlag::O_CLOEXEC).unwrap();
        grantpt(&leader).unwrap();
        unlockpt(&leader).unwrap();
        let follower =
            File::options().read(true).write(true).open(ptsname_r(&leader).unwrap()).unwrap();
        let child = Command::new("setsid")
            .args(["--fork", "--ctty", "/bin/sh", "-c", &format!("{script}; echo \"status:$?\"")])
            .env_clear()
            .envs([("HOME", place.home().into_os_string()), ("PATH", "/usr/bin:/bin".into())])
            .env("GUARD", guard())
            .current_dir(place.work())
            .stdin(Stdio::from(follower.try_clone().unwrap()))
            .stdout(Stdio::from(follower.try_clone().unwrap()))
            .stderr(Stdio::from(follower))
            .spawn()
            .unwrap();
        Self { leader: File::from(OwnedFd::from(leader)), child, seen: String::new() }
    }

    /// Waits until the terminal shows this; what was shown before it is forgotten.
    fn sees(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = self.seen.find(text) {
                let rest = self.seen.split_off(at + text.len());
                return std::mem::replace(&mut self.seen, rest);
            }
            let mut polled = [PollFd::new(self.leader.as_fd(), PollFlags::POLLIN)];
            assert_ne!(
                poll(&mut polled, PollTimeout::from(PATIENCE)).unwrap(),
                0,
                "no {text:?} in {:?}",
                self.seen
            );
            let mut bytes = [0; 4096];
            // The kernel says EIO once nobody holds the other end.
            let count = self.leader.read(&mut bytes).unwrap_or(0);
            assert_ne!(count, 0, "no {text:?} in {:?}", self.seen);
            self.seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    }

    fn answers(&mut self, text: &str) {
        self.leader.write_all(text.as_bytes()).unwrap();
    }

    fn ends_with(mut self, status: i32) -> String {
        let seen = self.sees(&format!("status:{status}\r\n"));
        self.child.wait().unwrap();
        seen
    }
}

fn says_yes(place: &Place, script: &str) -> String {
    let mut person = Person::types(place, script);
    let seen = person.sees("anything else to leave it: ");
    person.answers("trust\n");
    person.ends_with(0);
    seen
}

#[test]
fn a_person_sees_what_it_is_and_what_it_would_loosen() {
    let place = project();
    let seen = says_yes(&place, "\"$GUARD\" trust");
    for part in [
        ".guarded-sh.toml",
        "    1  safe_domains = [\"docs.example.com\"]",
        "team.toml",
        "recommend = \"approve\"",
        "would loosen:",
        "- safe_domains: [\"docs.example.com\"] instead of []",
        "- protected_branches: [\"prod\"] instead of [\"main\", \"master\", \"release/*\", \"prod\"]",
        "- rule team.frob settles commands up to low: our own tool",
    ] {
        assert!(visible(&seen).contains(part), "{part:?} is not in {seen}");
    }
}

/// The text without colours.
fn visible(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        shown.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[rest.find('m').map_or(rest.len(), |end| end + 1)..];
    }
    shown + rest
}

#[test]
fn trusted_files_loosen_until_they_change() {
    let place = project();
    let line = "curl https://docs.example.com/x; frobnicate";
    let code = || place.guard(["check", line]).run().code();
    assert_eq!(code(), Some(1));
    says_yes(&place, "\"$GUARD\" trust");
    assert_eq!(code(), Some(0));
    let list = fine(&place.guard(["trust", "--list"]));
    assert_eq!(list.matches("trusted     ").count(), 2, "{list}");
    assert!(fine(&place.guard(["trust"])).ends_with("is trusted as it is\n"));
    place.write("work/.guarded-sh.toml", format!("{LOOSE}# changed\n"));
    assert_eq!(code(), Some(1));
    let list = fine(&place.guard(["trust", "--list"]));
    assert!(list.contains("changed     ") && list.contains("trusted     "), "{list}");
    fs::remove_file(place.path("work/.guarded-sh.toml")).unwrap();
    assert!(fine(&place.guard(["trust", "--list"])).contains("gone        "));
}

#[test]
fn what_is_no_clear_yes_is_a_no() {
    let place = project();
    for answer in ["\n", "y\n", "yes\n", "TRUST\n", "trust it\n", "\u{4}"] {
        let mut person = Person::types(&place, "\"$GUARD\" trust");
        person.sees("anything else to leave it: ");
        person.answers(answer);
        assert!(person.ends_with(1).contains("not trusted; nothing was changed"), "{answer:?}");
    }
    assert_eq!(fine(&place.guard(["trust", "--list"])), "no project is trusted\n");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let place = project();
    let mut person = Person::types(&place, "read _; \"$GUARD\" trust");
    person.answers("\ntrust\n");
    person.sees("anything else to leave it: ");
    person.answers("no\n");
    person.ends_with(1);
}

#[test]
fn what_changes_while_it_is_shown_is_not_trusted() {
    let place = project();
    let mut person = Person::types(&place, "\"$GUARD\" trust");
    person.sees("anything else to leave it: ");
    place.write("work/.guarded-sh.toml", "safe_domains = [\"*\"]\n");
    person.answers("trust\n");
    assert!(person.ends_with(2).contains("the files were changed while they were shown"));
    assert_eq!(fine(&place.guard(["trust", "--list"])), "no project is trusted\n");
}

#[test]
fn without_a_person_nothing_is_trusted() {
    let place = project();
    let ended = fails(
        &place.guard(["trust"]),
        126,
        "guarded-sh: refused: only a person can trust a project, and ",
    );
    assert!(
        ended.err().contains("hint: ask the person to run `guarded-sh trust`"),
        "{}",
        ended.err()
    );
    assert_eq!(ended.out(), "");
    fails(&place.guard(["trust"]).stdin("trust\ntrust\n"), 126, "refused");
    assert_eq!(fine(&place.guard(["trust", "--list"])), "no project is trusted\n");
}

#[test]
fn an_agent_cannot_answer_at_its_own_terminal() {
    let place = project();
    for before in [
        "CLAUDECODE=1 TRUST",
        "GUARDED_SH_SESSION=s1 TRUST",
        "AI_AGENT=x sh -c 'unset AI_AGENT; TRUST; exit $?'",
    ] {
        let mut person = Person::types(&place, &before.replace("TRUST", "\"$GUARD\" trust"));
        person.sees("refused: only a person can trust a project");
        person.ends_with(126);
    }
}

#[test]
fn trust_is_taken_back_by_anyone() {
    let place = project();
    says_yes(&place, "\"$GUARD\" trust");
    assert!(fine(&place.guard(["trust", "--remove"])).ends_with("2 files are trusted no more\n"));
    assert_eq!(fine(&place.guard(["trust", "--list"])), "no project is trusted\n");
    let again = place.guard(["trust", "--remove"]).run();
    assert_eq!((again.code(), again.out().ends_with("was not trusted\n")), (Some(1), true));
}

#[test]
fn the_project_is_the_nearest_above() {
    let place = project();
    fs::create_dir_all(place.path("work/sub/deep")).unwrap();
    let seen = says_yes(&place, "cd sub/deep && \"$GUARD\" trust");
    assert!(seen.contains("team.toml"), "{seen}");
    fs::create_dir_all(place.path("other")).unwrap();
    let other = place.path("other");
    let ended = place.guard(["trust", other.to_str().unwrap()]).run();
    assert_eq!(ended.code(), Some(1));
    assert!(ended.out().ends_with("has no settings or rules to trust\n"), "{}", ended.out());
    fails(&place.guard(["trust", "none"]), 2, "cannot use the directory 'none'");
    let sub = place.guard(["trust", "--remove"]).cwd(&place.path("work/sub"));
    assert!(fine(&sub).ends_with("2 files are trusted no more\n"));
}

#[test]
fn broken_files_are_not_trusted() {
    let place = workspace();
    place.write("work/.guarded-sh.toml", "profil = 1\n");
    let mut person = Person::types(&place, "\"$GUARD\" trust");
    person.sees("did you mean `profile`?");
    person.ends_with(2);
    place.write("work/.guarded-sh.toml", LOOSE);
    place.write(
        "work/.guarded-sh/rules/team.toml",
        APPROVING.replace("[\"ls\"]", "[\"frobnicate now\"]"),
    );
    let mut person = Person::types(&place, "\"$GUARD\" trust");
    person.sees("fires on its example in `passes`");
    person.ends_with(2);
}
