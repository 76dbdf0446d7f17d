//! Whoever keeps or brings back may be killed at each of its steps: nothing is lost, and the next `undo` brings all of it back.

use std::path::Path;

use super::tree::{self, difference};
use super::{KEEP, script};
use crate::contained;
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

/// What is there, and a line about it.
struct Play {
    tree: &'static str,
    line: &'static str,
}

/// The line deletes with names, and overwrites with a copy.
const FILES: Play = Play {
    tree: "git init -q . && mkdir -p src/in && echo a > src/a && echo b > src/in/b && ln src/a src/c && ln -s a src/l && \
        chmod 500 src/in && echo over > over",
    line: "rm -rf src; echo new > over",
};

/// The line is git's own, which may leave its lock.
const GIT: Play = Play {
    tree: "git init -q -b main . && git config user.name n && git config user.email e@example.org && echo a > a && echo b > b && git add . && \
        git commit -qm one && echo mine > a && echo staged > b && git add b && echo u > u",
    line: "git reset -q --hard",
};

/// The line has code that is not read: the workspace is kept as a whole.
const WHOLE: Play = Play {
    tree: "git init -q -b main . && git config user.name n && git config user.email e@example.org && echo a > a && echo b > b && git add . && \
        git commit -qm one && sleep 0.05 && git status -s && echo b > b && echo u > u",
    line: "perl -e 'unlink qw(a b); rename q(u), q(v)'",
};

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

fn ready(play: &Play) -> (Place, tree::Tree) {
    let place = Place::with(&format!("{KEEP}{ALLOWS_ALL}"));
    assert!(script(&place, play.tree));
    place.write("line", play.line);
    let before = tree::read(&place.work());
    (place, before)
}

const CALL: &str = "\"$GUARD\" -c \"$(cat ../line)\"";
const TRY: &str = "\"$GUARD\" try --keep \"$(cat ../line)\"";
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

/// Kills a call at each of its steps; what it has done until then is taken back.
fn loses_nothing(play: &Play, call: &str) {
    if skipped() {
        return;
    }
    each(|step| {
        let (place, before) = ready(play);
        let was_killed = killed(&place, step, call);
        if !difference(&before, &tree::read(&place.work())).is_empty() {
            done(&place, UNDO);
        }
        is_back(&place, &before, step, call);
        was_killed
    });
}

/// Kills an undo at each of its steps; it is done again.
fn is_done_again(play: &Play) {
    if skipped() {
        return;
    }
    each(|step| {
        let (place, before) = ready(play);
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

#[test]
fn a_line_that_is_killed_at_any_step_loses_nothing() {
    loses_nothing(&FILES, CALL);
}

#[test]
fn an_undo_that_is_killed_at_any_step_is_done_again() {
    is_done_again(&FILES);
}

#[test]
fn a_line_of_git_that_is_killed_at_any_step_loses_nothing() {
    loses_nothing(&GIT, CALL);
}

#[test]
fn an_undo_of_gits_work_that_is_killed_at_any_step_is_done_again() {
    is_done_again(&GIT);
}

#[test]
fn an_undo_of_a_whole_workspace_that_is_killed_at_any_step_is_done_again() {
    is_done_again(&WHOLE);
}

#[test]
fn a_trial_that_is_killed_at_any_step_of_being_carried_out_loses_nothing() {
    if !contained::skipped() {
        loses_nothing(&FILES, TRY);
    }
}
