//! Whoever keeps or brings back may be killed at each of its steps: nothing is lost, and the next `undo` brings all of it back.

use std::path::Path;

use super::tree::{self, difference};
use super::{KEEP, script};
use crate::subcommands::person::Person;
use crate::support::{ALLOWS_ALL, Place};

/// The system calls that change anything.
const STEPS: [&str; 21] = [
    "chmod",
    "copy_file_range",
    "fchmod",
    "fchmodat",
    "fchown",
    "flock",
    "fsync",
    "ftruncate",
    "link",
    "linkat",
    "mkdir",
    "mkdirat",
    "rename",
    "renameat",
    "renameat2",
    "rmdir",
    "symlinkat",
    "unlink",
    "unlinkat",
    "utimensat",
    "write",
];

/// None of them comes as often.
const MOST: usize = 400;

const TREE: &str = "git init -q . && mkdir -p src/in && echo a > src/a && echo b > src/in/b && ln src/a src/c && ln -s a src/l && \
    chmod 500 src/in && echo over > over";

/// The line deletes with names, and overwrites with a copy.
const LINE: &str = "rm -rf src; echo new > over";

/// Runs a call that is killed at a step; returns whether it was.
fn killed(place: &Place, (step, time): (&str, usize), call: &str) -> bool {
    let line = format!(
        "strace -qq -o /dev/null --inject={step}:signal=SIGKILL:when={time} {call}; echo \"ended:$?\""
    );
    let mut person = Person::types(place, &line);
    person.sees("ended:");
    let status = person.sees("\r\n");
    person.ends_with(0);
    status.trim_end() != "0"
}

/// Runs a call to its end.
fn done(place: &Place, call: &str) {
    assert!(!killed(place, ("write", MOST), call), "{call} fails");
}

/// Whether something can be stopped at a step here.
fn skipped() -> bool {
    let is_there = Path::new("/usr/bin/strace").exists();
    if !is_there {
        println!("skipped: there is no strace here");
    }
    !is_there
}

fn ready() -> (Place, tree::Tree) {
    let place = Place::with(&format!("{KEEP}{ALLOWS_ALL}"));
    assert!(script(&place, TREE));
    place.write("line", LINE);
    let before = tree::read(&place.work());
    (place, before)
}

const CALL: &str = "\"$GUARD\" -c \"$(cat ../line)\"";
const UNDO: &str = "\"$GUARD\" undo --last";

fn is_back(place: &Place, before: &tree::Tree, step: (&str, usize), what: &str) {
    let said = difference(before, &tree::read(&place.work()));
    assert_eq!(said, Vec::<String>::new(), "{what} was killed at {step:?}");
}

/// Goes through the steps of a call, as long as it is killed there.
fn each(plays: impl Fn((&str, usize)) -> bool) {
    for step in STEPS {
        let times = (1..MOST).take_while(|time| plays((step, *time))).count();
        assert!(times < MOST - 1, "{step} comes more often");
    }
}

#[test]
fn a_line_that_is_killed_at_any_step_loses_nothing() {
    if skipped() {
        return;
    }
    each(|step| {
        let (place, before) = ready();
        let was_killed = killed(&place, step, CALL);
        if !difference(&before, &tree::read(&place.work())).is_empty() {
            done(&place, UNDO);
        }
        is_back(&place, &before, step, "the line");
        was_killed
    });
}

#[test]
fn an_undo_that_is_killed_at_any_step_is_done_again() {
    if skipped() {
        return;
    }
    each(|step| {
        let (place, before) = ready();
        done(&place, CALL);
        let was_killed = killed(&place, step, UNDO);
        if !difference(&before, &tree::read(&place.work())).is_empty() {
            assert!(was_killed, "undo fails at {step:?}");
            done(&place, UNDO);
        }
        is_back(&place, &before, step, "undo");
        was_killed
    });
}
