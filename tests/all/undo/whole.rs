//! The workspace is kept as a whole before lines of which not everything is known: within limits, from git's own objects where these have it,
//! and nobody relies on it.

use super::limits::entries;
use super::tree::{self, difference};
use super::{KEEP, REPOSITORY, line, script, undo};
use crate::contained;
use crate::support::{ALLOWS_ALL, Place};

const UNREAD: &str = "perl -e 'unlink(@ARGV)' a b";
const NOTHING: &[String] = &[];

fn place(settings: &str) -> Place {
    let place = Place::with(settings);
    place.write("home/.gitconfig", "[user]\nname = n\nemail = e@example.org\n[gc]\nauto = 0\n");
    place
}

/// Returns what the last record says of undo.
fn recorded(place: &Place) -> serde_json::Value {
    let records = place.records();
    let last = records.lines().last().unwrap_or_default();
    let record: serde_json::Value = serde_json::from_str(last).unwrap();
    record["undo"].clone()
}

/// Returns how many contents the one entry has itself, and how many it leaves to git.
fn contents(place: &Place) -> (usize, usize) {
    let entries = entries(place);
    assert_eq!(entries.len(), 1);
    let entry = place.path("home/.local/state/guarded-sh/undo").join(&entries[0]);
    let journal = std::fs::read_to_string(entry.join("journal")).unwrap();
    let items = journal.lines().skip(1).filter(|item| !item.contains("/.git/"));
    let own = items.clone().filter(|item| {
        ["\"h\":\"c\"", "\"h\":\"r\"", "\"h\":\"l\""].iter().any(|how| item.contains(how))
    });
    (own.count(), items.filter(|item| item.contains("\"h\":{\"o\":")).count())
}

/// Returns the ids of the entries, the oldest first.
fn ids(place: &Place) -> Vec<String> {
    let mut ids: Vec<String> =
        entries(place).iter().map(|name| name.split('.').next().unwrap().to_owned()).collect();
    ids.sort();
    ids
}

/// Until the clock of the file system has moved on, git takes what it has just written for changed.
const SETTLED: &str = "sleep 0.05; git add . && git commit -qm three --allow-empty; touch a; git status -s > /dev/null; touch b; ";

#[test]
fn what_git_has_is_left_to_git() {
    let place = place(&format!("{KEEP}{ALLOWS_ALL}"));
    let many = "for i in 1 2 3 4 5; do echo $i > f$i; done; ";
    assert!(script(&place, &format!("{REPOSITORY}{many}{SETTLED}echo u > u")));
    let before = tree::read(&place.work());
    line(&place, "perl -e 'unlink(@ARGV)' *", 0);
    // Changed since, or not tracked: `b` and `u`. `.root` is no file of git's here.
    let (own, gits) = contents(&place);
    assert!(gits >= 6 && own <= 3, "{own} are kept, and {gits} left to git");
    assert!(!place.path("work/f1").exists());
    let shown = undo(&place, &format!("show {}", ids(&place)[0]), 0);
    assert!(shown.contains("f1") && shown.contains("+1"), "{shown}");
    undo(&place, "--last", 0);
    assert_eq!(difference(&before, &tree::read(&place.work())), NOTHING);
}

#[test]
fn a_contained_line_is_covered() {
    if contained::skipped() {
        return;
    }
    let place = place(&format!("contain = \"on\"\n{KEEP}"));
    assert!(script(&place, &format!("{REPOSITORY}{SETTLED}cp /bin/bash unread")));
    let before = tree::read(&place.work());
    let text = "./unread -c 'rm a; echo x > b; mkdir new; echo n > new/n'";
    line(&place, text, 0);
    assert!(place.records().contains("\"action\":\"contain\""), "{}", place.records());
    assert!(!place.path("work/a").exists());
    undo(&place, "--last", 0);
    assert_eq!(difference(&before, &tree::read(&place.work())), NOTHING);
}

#[test]
fn beyond_a_limit_the_line_runs_uncovered_and_that_is_said() {
    let files = "mkdir d; for i in 1 2 3 4 5 6 7 8 9; do echo $i > d/$i; done; echo k > known; ";
    for (limit, says) in
        [("files = 5", "more than 5 files"), ("bytes = \"3 B\"", "have to be copied")]
    {
        let settings = format!("[undo]\nmode = \"keep\"\nmillis = 60000\n{limit}\n{ALLOWS_ALL}");
        let place = place(&settings);
        assert!(script(&place, &format!("git init -q . && {files}")));
        line(&place, "perl -e 'unlink(@ARGV)' d/1", 0);
        let said = recorded(&place);
        assert!(said["uncovered"].as_str().unwrap_or_default().contains(says), "{said}");
        assert_eq!((said["id"].as_str(), entries(&place).len()), (None, 0));
        // What the line says itself is kept all the same.
        line(&place, "rm known; perl -e 'unlink(@ARGV)' d/2", 0);
        if limit.starts_with("files") {
            assert!(recorded(&place)["uncovered"].as_str().unwrap_or_default().contains(says));
            assert!(undo(&place, "--last", 0).contains("not covered as a whole"));
            assert!(place.path("work/known").exists() && !place.path("work/d/2").exists());
        }
    }
}

#[test]
fn keeping_ends_after_so_many_milliseconds() {
    let place = place(&format!("[undo]\nmode = \"keep\"\nmillis = 1\n{ALLOWS_ALL}"));
    let many = "mkdir d; for i in {1..3000}; do : > d/$i; done";
    assert!(script(&place, &format!("git init -q . && {many}")));
    line(&place, UNREAD, 0);
    assert!(recorded(&place)["uncovered"].as_str().unwrap().contains("longer than 1 ms"));
    line(&place, "rm -rf d", 0);
    assert!(recorded(&place)["lacks"].as_str().unwrap().contains("longer than 1 ms"));
    assert_eq!(entries(&place), Vec::<String>::new());
}

#[test]
fn a_later_line_that_leaves_a_file_alone_is_in_nobodys_way() {
    let place = place(&format!("{KEEP}{ALLOWS_ALL}"));
    assert!(script(&place, REPOSITORY));
    line(&place, "echo new > a", 0);
    line(&place, "perl -e 'unlink(@ARGV)' b", 0);
    let ids = ids(&place);
    undo(&place, &ids[0], 0);
    assert_eq!(std::fs::read_to_string(place.path("work/a")).unwrap(), "one\n");
    // What was brought back is not taken for what the later line did.
    let said = undo(&place, &ids[1], 1);
    assert!(said.contains("when an earlier line was taken back"), "{said}");
    undo(&place, &format!("{} --force", ids[1]), 0);
    assert_eq!(std::fs::read_to_string(place.path("work/b")).unwrap(), "two\n");
}

#[test]
fn nobody_relies_on_it() {
    let place = place("[undo]\nmode = \"rely\"\nmillis = 60000\n");
    assert!(script(&place, REPOSITORY));
    for text in [UNREAD, "rm a; perl -e 'unlink(@ARGV)' b", "./prog", "unknown-program a"] {
        let ended = place.guard(["check", text]).run();
        assert!(!ended.out().starts_with("runs: "), "{text}: {}", ended.out());
        assert_eq!(place.guard(["-c", text]).run().code(), Some(126), "{text}");
    }
    assert!(place.path("work/a").exists());
    // What is low without it stays so, and what can be taken back is relied on beyond its limits too.
    place.set("[undo]\nmode = \"rely\"\nmillis = 60000\nfiles = 8\n");
    assert!(script(
        &place,
        "printf 'all:\\n\\t@true\\n' > Makefile; for i in {1..20}; do : > f$i; done; mkdir src; : > src/x"
    ));
    line(&place, "rm -rf src; make", 0);
    let said = recorded(&place);
    assert!(said["relied"] == true && said["uncovered"].is_string(), "{said}");
}

#[test]
fn what_the_owner_adds_is_kept_like_the_workspace() {
    let settings =
        |mode: &str| format!("[undo]\nmode = \"{mode}\"\nmillis = 60000\nalso = [\"~/notes\"]\n");
    let place = place(&format!("{}{ALLOWS_ALL}", settings("keep")));
    assert!(script(
        &place,
        "git init -q .; mkdir -p ~/notes/deep ~/other; echo n > ~/notes/deep/n; echo o > ~/other/o"
    ));
    let notes = || tree::read(&place.path("home/notes"));
    let before = notes();
    for text in [
        "rm -rf ~/notes/deep",
        "echo x > ~/notes/deep/n",
        "perl -e 'unlink(@ARGV)' ../home/notes/deep/n",
    ] {
        line(&place, text, 0);
        assert_ne!(difference(&before, &notes()), NOTHING, "{text}");
        undo(&place, "--last", 0);
        assert_eq!(difference(&before, &notes()), NOTHING, "{text}");
    }
    line(&place, "rm ~/other/o", 0);
    assert!(recorded(&place)["lacks"].as_str().unwrap().contains("outside of the workspace"));
    place.set(&settings("rely"));
    assert!(place.guard(["check", "rm ~/notes/deep/n"]).run().out().starts_with("runs: "));
    assert!(!place.guard(["check", "rm ~/other/x"]).run().out().starts_with("runs: "));
    // A project adds nothing.
    place.set("[undo]\nmode = \"rely\"\n");
    place.write("work/.guarded-sh.toml", "[undo]\nalso = [\"~/notes\"]\n");
    assert!(!place.guard(["check", "rm ~/notes/deep/n"]).run().out().starts_with("runs: "));
}
