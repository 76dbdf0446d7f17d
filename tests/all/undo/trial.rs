//! `try`: a line that is tried changes nothing; carried out, it leaves what it would have left; taken back, all is as it was.

use std::path::Path;

use guarded_sh::approval::page::Pace;
use serde::Deserialize;

use super::tree::{self, Tree, difference};
use super::{is_playable, script, undo};
use crate::contained;
use crate::sheets;
use crate::subcommands::person::Person;
use crate::support::Place;

/// A line that is tried.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// What is there before, as a script.
    #[serde(default)]
    before: String,
    line: String,
    /// What the page has of it.
    #[serde(default)]
    shows: Vec<String>,
    /// Paths in which the times of files stand.
    #[serde(default)]
    differs: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
}

/// Where a row is played: a repository, with what the row has before.
fn place(before: &str) -> Place {
    let place = Place::new();
    place.write("home/.gitconfig", "[user]\nname = n\nemail = e@example.org\n");
    assert!(script(&place, &format!("git init -q . && mkdir -p .git/hooks\n{before}")));
    place
}

/// Tries a line, as a person does; returns what was shown.
fn tries(place: &Place, options: &str, line: &str, status: i32) -> String {
    place.write("line", line);
    let call = format!("\"$GUARD\" try {options} \"$(cat ../line)\"");
    plain(&Person::types(place, &call).ends_with(status))
}

fn list(place: &Place) -> String {
    plain(&undo(place, "", 0))
}

/// What was shown, without bold and dim.
fn plain(shown: &str) -> String {
    let mut parts = shown.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or(part, |(_, rest)| rest))
}

/// What is there, without the times of files.
fn timeless(root: &Path, but: &[String]) -> Tree {
    let mut tree = tree::read(root);
    tree.retain(|path, _| !but.iter().any(|but| but.as_bytes() == path));
    for what in tree.values_mut() {
        if let Some((start, end)) = what.find(" (").zip(what.find(')')) {
            what.replace_range(start..=end, "");
        }
    }
    tree
}

const NOTHING: &[String] = &[];

fn one(row: &Row) {
    let Row { name, before, line, .. } = row;
    println!("{name}");
    let real = place(before);
    script(&real, line);
    let place = place(before);
    let root = place.work();
    let was = tree::read(&root);
    let shown = tries(&place, "--drop", line, 0);
    for part in &row.shows {
        assert!(shown.contains(part), "{name}: no {part:?} in {shown}");
    }
    assert_eq!(difference(&was, &tree::read(&root)), NOTHING, "{name}: it changed something");
    assert!(list(&place).contains("nothing is kept"), "{name}: something is left");
    let said = tries(&place, "--keep", line, 0);
    let (is, should) = (timeless(&root, &row.differs), timeless(&real.work(), &row.differs));
    assert_eq!(difference(&should, &is), NOTHING, "{name}: {said}");
    if said.contains("carried out: ") {
        undo(&place, "--last", 0);
    }
    assert_eq!(difference(&was, &tree::read(&root)), NOTHING, "{name}: not taken back");
}

#[test]
fn what_is_tried_changes_nothing_and_leaves_what_it_would_have_left() {
    if contained::skipped() {
        return;
    }
    let only = std::env::var("ROW").unwrap_or_default();
    for row in sheets::rows::<Row>(&sheets::path("tests/undo/tried.toml")) {
        if row.name.contains(&only) && is_playable(&row.name, &row.needs) {
            one(&row);
        }
    }
}

#[test]
fn a_repository_that_stands_elsewhere_is_tried_too() {
    if contained::skipped() {
        return;
    }
    let place = place(
        "git init -q -b main ../main; cd ../main; echo a > a; git add a; git commit -qm one; git worktree add -q -b b ../work/wt",
    );
    let repository = || tree::read(&place.path("main"));
    let was = repository();
    let line = "echo b > b; git add b; git commit -qm two; git branch c";
    let tries = |options: &str| {
        let call = format!("cd wt && \"$GUARD\" try {options} '{line}'");
        plain(&Person::types(&place, &call).ends_with(0))
    };
    tries("--drop");
    assert_eq!(difference(&was, &repository()), NOTHING);
    let said = tries("--keep");
    assert!(said.contains("main/.git/refs/heads/c is made"), "{said}");
    let is_so = "cd wt && git fsck && test -z \"$(git status --short)\" && git log -1 --format=%s c | grep -x two";
    assert!(script(&place, is_so), "{said}");
    undo(&place, "--last", 0);
    assert_eq!(difference(&was, &repository()), NOTHING);
    assert!(!place.path("work/wt/b").exists());
}

#[test]
fn a_person_carries_it_out_by_a_word() {
    if contained::skipped() {
        return;
    }
    let place = place("echo a > a");
    let was = tree::read(&place.work());
    for (answer, is_done) in [("\n", false), ("yes\n", false), ("KEEP\n", false), ("keep\n", true)]
    {
        let mut person = Person::types(&place, "\"$GUARD\" try 'echo b > a; exit 3'");
        let shown = person.sees("anything else to drop it: ");
        assert!(shown.contains("tried: it ended with 3") && shown.contains("+b"), "{shown}");
        person.answers(answer);
        let said = person.ends_with(3);
        let (words, is_same) =
            if is_done { ("carried out: 1 path", false) } else { ("dropped: nothing", true) };
        assert!(said.contains(words), "{answer:?}: {said}");
        let now = difference(&was, &tree::read(&place.work()));
        assert_eq!(now.is_empty(), is_same, "{answer:?}: {now:?}");
    }
    let listed = list(&place);
    assert!(listed.contains("kept") && !listed.contains("tried"), "{listed}");
}

#[test]
fn what_was_changed_since_is_not_carried_out() {
    if contained::skipped() {
        return;
    }
    let place = place("echo a > a");
    let mut person = Person::types(&place, "\"$GUARD\" try 'echo b > a; echo c > c'");
    person.sees("anything else to drop it: ");
    place.write("work/a", "somebody else's\n");
    person.answers("keep\n");
    let said = person.ends_with(1);
    assert!(
        said.contains("/work/a was changed since") && said.contains("not carried out"),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(place.path("work/a")).unwrap(), "somebody else's\n");
    assert!(!place.path("work/c").exists());
    // It is no line that ran, and is taken back by nobody.
    let listed = list(&place);
    assert!(listed.contains("tried"), "{listed}");
    let id = listed.split_whitespace().next().unwrap_or_default().to_owned();
    assert!(undo(&place, "--last", 1).contains("nothing to take back"));
    assert!(undo(&place, &id, 1).contains("was only tried"));
    let again = Person::types(&place, &format!("\"$GUARD\" try --drop --again {id}")).ends_with(0);
    assert!(again.contains("conflict: "), "{again}");
    assert!(list(&place).contains("nothing is kept"));
}

#[test]
fn what_failed_is_not_kept_without_a_word() {
    if contained::skipped() {
        return;
    }
    let place = place("");
    let said = tries(&place, "--keep", "echo a > a; exit 4", 4);
    assert!(said.contains("not carried out: the line failed"), "{said}");
    let said = tries(&place, "--keep", "echo a > a; kill -9 $$", 137);
    assert!(said.contains("signal 9 ended it"), "{said}");
    let log = plain(&Person::types(&place, "\"$GUARD\" log").ends_with(0));
    assert!(log.contains("  tried  ") && log.contains("  echo a > a; exit 4"), "{log}");
    assert!(!place.path("work/a").exists());
}

#[test]
fn the_key_that_interrupts_is_the_lines() {
    if contained::skipped() {
        return;
    }
    let place = place("");
    // Who says that it has begun is who the key ends: a shell that is about to become another program can lose the signal.
    place.write("work/wait.pl", "$| = 1; print qq{begun\\n}; sleep 1000;");
    let mut person =
        Person::types(&place, "trap : INT; \"$GUARD\" try 'echo a > a; exec perl wait.pl'");
    person.sees("begun\r\n");
    person.answers("\u{3}");
    let shown = plain(&person.sees("anything else to drop it: "));
    assert!(shown.contains("signal 2 ended it") && shown.contains("work/a is made"), "{shown}");
    // There it is ours again.
    person.answers("\u{3}");
    person.sees("status:130");
    assert!(!place.path("work/a").exists());
}

/// A line may hide what is written next, take the keys as they are, and put another job before us.
#[test]
fn whatever_a_line_makes_of_the_terminal_the_page_is_seen_and_answered() {
    if contained::skipped() {
        return;
    }
    let place = place("");
    place.write(
        "work/job.pl",
        "use POSIX; $SIG{TTOU} = 'IGNORE'; setpgid(0, 0); tcsetpgrp(0, getpgrp()) or die; print qq{gone\\n};",
    );
    let line = "stty raw -echo; printf '\\033[8m\\033]0;'; perl job.pl; echo a > a";
    let mut person = Person::types(&place, &format!("\"$GUARD\" try {}", quoted(line)));
    person.sees("gone");
    let usual = person.sees("tried: it ended with 0");
    assert!(usual.contains('\u{18}') && usual.contains("\u{1b}[0m"), "{usual:?}");
    assert!(plain(&person.sees("anything else to drop it: ")).contains("work/a is made"));
    // A terminal that takes lines makes a line of it.
    person.answers("keep\r");
    person.sees("carried out: 1 path");
    person.ends_with(0);
}

fn quoted(line: &str) -> String {
    shell_words::quote(line).into_owned()
}

#[test]
fn the_owners_shell_runs_it() {
    if contained::skipped() || !Path::new("/usr/bin/dash").exists() {
        println!("skipped: there is no dash here");
        return;
    }
    let place = place("");
    place.set("real_shell = \"dash\"\n");
    let said = tries(&place, "--drop", "echo \"<${BASH_VERSION-none}>\"", 0);
    assert!(said.contains("<none>"), "{said}");
}

#[test]
fn a_long_difference_is_said_to_be_cut() {
    if contained::skipped() {
        return;
    }
    let place = place("");
    let said = tries(
        &place,
        "--drop",
        "seq 3000 > a; mkdir -p b/.git/objects; echo x > b/.git/objects/run.sh",
        0,
    );
    assert!(said.contains("lines more)") && said.contains("objects/run.sh is made"), "{said}");
}

#[test]
fn what_is_left_running_is_ended() {
    if contained::skipped() {
        return;
    }
    let place = place("");
    // A sleeper that no other test has.
    let sleeper = format!("864{:07}", std::process::id());
    let left =
        format!("setsid sleep {sleeper} & (trap '' TERM HUP; sleep {sleeper}; echo > late) &");
    let said = tries(&place, "--keep", &format!("{left} echo a > a"), 0);
    assert!(said.contains("work/a is made") && said.contains("carried out: 1 path"), "{said}");
    let is_one = |process: std::fs::DirEntry| {
        let words = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        words.starts_with(b"sleep\0") && words.ends_with(format!("{sleeper}\0").as_bytes())
    };
    assert!(!std::fs::read_dir("/proc").unwrap().flatten().any(is_one), "it still sleeps");
}

#[test]
fn a_trial_reaches_nothing_outside() {
    if contained::skipped() {
        return;
    }
    let place = place("");
    place.write("home/notes", "mine\n");
    let line = "echo x > ~/notes; echo x > ~/new; rm -f ~/notes; cat ~/notes; true";
    let said = tries(&place, "--keep", line, 0);
    assert!(said.contains("/notes, outside of the workspace: that is not kept"), "{said}");
    assert_eq!(std::fs::read_to_string(place.path("home/notes")).unwrap(), "mine\n");
    assert!(!place.path("home/new").exists());
    let said = tries(&place, "--drop", "curl -s http://example.com/ > page; true", 0);
    assert!(said.contains("asks for example.com: a trial has no network"), "{said}");
    // What nobody may say yes to is not tried either.
    let said = tries(&place, "--keep", "rm -rf / --no-preserve-root", 126);
    assert!(said.contains("refused: "), "{said}");
}

#[test]
fn where_nothing_can_be_tried_it_is_said() {
    let outside = Place::new();
    let said = Person::types(&outside, "cd / && \"$GUARD\" try true").ends_with(126);
    assert!(said.contains("this cannot be tried: "), "{said}");
    let home = Place::new();
    let said = Person::types(&home, "cd ~ && git init -q . && \"$GUARD\" try true").ends_with(126);
    assert!(said.contains("this cannot be tried: "), "{said}");
    // An agent neither tries nor carries out.
    for words in [&["try", "--keep", "true"][..], &["try", "--again", "0000000"]] {
        let ended = outside.guard([]).args(words).env("GUARDED_SH_SESSION", "s").run();
        assert_eq!((ended.code(), ended.out()), (Some(126), String::new()));
        assert!(ended.err().contains("refused: only a person can"), "{}", ended.err());
    }
}

#[test]
fn where_the_changes_cannot_be_taken_nothing_runs() {
    if contained::skipped() {
        return;
    }
    // The kernel lays nothing over what is laid over something itself.
    let laid = place("mkdir -p ../one ../two ../work-of-two ~/.local/state");
    let script = "unshare -rm sh -c 'mount -t overlay -o userxattr,lowerdir=../one,upperdir=../two,workdir=../work-of-two none ~/.local/state && exec \"$0\" try --keep \"echo a > a\"' \"$GUARD\"";
    // A kernel without overlayfs: what is mounted second is laid over the first directory of the trial.
    let without = place("");
    let none = "strace -f -qq -o /dev/null -e trace=mount -e inject=mount:error=ENODEV:when=2+ \"$GUARD\" try --keep 'echo a > a'";
    let mut all = vec![(laid, script)];
    if crate::fence::has("strace") {
        all.push((without, none));
    }
    for (place, script) in all {
        let said = Person::types(&place, script).ends_with(126);
        assert!(
            said.contains("this cannot be tried: cannot put the container on: laying"),
            "{said}"
        );
        assert!(!said.contains("it ended with") && !place.path("work/a").exists(), "{said}");
    }
}

/// Presses a key as people do, who read what the one before has made of the page: what comes closer together is dropped as a burst.
fn presses(person: &mut Person, key: &str) {
    std::thread::sleep(2 * Pace::BURST);
    person.answers(key);
}

/// A line that its person is asked about, at the same terminal.
const ASKED: &str = "echo b > a; rm c; echo out; echo err >&2; exit 3";

/// Has a person be asked about the line and try it; returns them once they see what it would change.
fn is_tried(place: &Place, line: &str) -> Person {
    place.write("line", line);
    let mut person = Person::types(place, "\"$GUARD\" -c \"$(cat ../line)\"");
    // Keys count from when it says what they do.
    person.sees("t try");
    presses(&mut person, "t");
    person
}

#[test]
fn what_is_asked_about_is_tried_and_kept() {
    if contained::skipped() {
        return;
    }
    let place = place("echo a > a; echo c > c");
    let was = tree::read(&place.work());
    let mut person = is_tried(&place, ASKED);
    let shown = person.sees("keep what it did");
    for part in ["it ended with 3", "out", "err", "work/a is changed", "+b", "work/c is deleted"] {
        assert!(shown.contains(part), "no {part:?} in {shown}");
    }
    assert_eq!(difference(&was, &tree::read(&place.work())), NOTHING);
    presses(&mut person, "\x1b[B");
    person.sees("›  keep what it did");
    presses(&mut person, "\r");
    let said = person.ends_with(3);
    assert!(said.contains("carried out as it was tried"), "{said}");
    assert!(said.contains("out\r\nerr\r\n"), "{said}");
    assert_eq!(std::fs::read_to_string(place.path("work/a")).unwrap(), "b\n");
    assert!(!place.path("work/c").exists());
    let log = plain(&Person::types(&place, "\"$GUARD\" log").ends_with(0));
    assert!(log.contains("tried → kept"), "{log}");
    undo(&place, "--last", 0);
    assert_eq!(difference(&was, &tree::read(&place.work())), NOTHING);
}

#[test]
fn what_was_tried_and_is_not_kept_leaves_nothing() {
    if contained::skipped() {
        return;
    }
    // Denied after it was tried, denied while it runs, and let run after it was tried.
    for (line, keys, status) in [
        (ASKED, &["keep what it did", "\x1b", "t try", "d"][..], 126),
        ("rm c; sleep 1000", &["It is being tried", "\x1b", "t try", "d"], 126),
        (ASKED, &["keep what it did", "\x1b", "t try", "o", "›  once", "\r"], 3),
    ] {
        let place = place("echo a > a; echo c > c");
        let was = tree::read(&place.work());
        let mut person = is_tried(&place, line);
        for keys in keys.chunks(2) {
            person.sees(keys[0]);
            presses(&mut person, keys[1]);
        }
        let said = person.ends_with(status);
        let is_same = difference(&was, &tree::read(&place.work())) == NOTHING;
        assert_eq!(is_same, status == 126, "{line}: {said}");
        let listed = list(&place);
        assert!(listed.contains("nothing is kept"), "{line}: {listed}");
        let left = std::fs::read_dir(place.path("home/.local/state/guarded-sh/undo"));
        let left = left.unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = left.filter(|name| name != "lock").collect();
        assert!(left.is_empty(), "{line}: {left:?}");
    }
}

#[test]
fn what_was_changed_since_it_was_tried_is_not_kept() {
    if contained::skipped() {
        return;
    }
    let place = place("echo a > a; echo c > c");
    let mut person = is_tried(&place, ASKED);
    person.sees("keep what it did");
    place.write("work/a", "somebody else's\n");
    presses(&mut person, "\x1b[B");
    person.sees("›  keep what it did");
    presses(&mut person, "\r");
    let said = person.ends_with(126);
    assert!(
        said.contains("is not carried out") && said.contains("/work/a was changed since"),
        "{said}"
    );
    assert_eq!(std::fs::read_to_string(place.path("work/a")).unwrap(), "somebody else's\n");
    assert!(place.path("work/c").exists());
}

#[test]
fn what_prints_without_end_is_shown_and_not_kept() {
    if contained::skipped() {
        return;
    }
    let place = place("echo c > c");
    let mut person = is_tried(&place, "rm c; head -c 2000000 /dev/zero | tr '\\0' a");
    person.sees("It cannot be kept: it printed more than 1 MB.");
    presses(&mut person, "\x1b");
    person.sees("t try");
    presses(&mut person, "d");
    person.ends_with(126);
    assert!(place.path("work/c").exists());
}
