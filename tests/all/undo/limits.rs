//! What cannot be kept: too much, a full disk, a state directory that cannot be written. With `keep` the line runs and the record says so;
//! with `rely` it is asked about.

use super::{line, script, tree, undo};
use crate::support::{ALLOWS_ALL, Place};

/// Returns what the last record says was not kept.
fn lacks(place: &Place) -> String {
    let records = place.records();
    let last = records.lines().last().unwrap_or_default();
    let record: serde_json::Value = serde_json::from_str(last).unwrap_or_default();
    record["undo"]["lacks"].as_str().unwrap_or_default().to_owned()
}

pub fn entries(place: &Place) -> Vec<String> {
    let directory = place.path("home/.local/state/guarded-sh/undo");
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "lock").collect()
}

#[test]
fn what_is_beyond_a_limit_is_not_kept_and_said() {
    let copies = "for f in a b; do head -c 3000000 /dev/zero | tr '\\0' x > $f; done";
    for (limit, before, line_, says) in [
        ("files = 3", "mkdir d; touch d/1 d/2 d/3", "rm -rf d", "more than 3 files are at stake"),
        (
            "bytes = \"4 MB\"",
            copies,
            "echo > a; echo > b",
            "more than 4 MB would have to be copied",
        ),
    ] {
        for mode in ["keep", "rely"] {
            let place = Place::with(&format!(
                "[undo]\nmode = \"{mode}\"\nmillis = 60000\n{limit}\n{ALLOWS_ALL}"
            ));
            assert!(script(&place, &format!("git init -q . && {before}")));
            line(&place, line_, 0);
            assert_eq!((lacks(&place).as_str(), entries(&place)), (says, Vec::new()));
        }
        let place = Place::with(&format!("[undo]\nmode = \"rely\"\n{limit}\n"));
        assert!(script(&place, &format!("git init -q . && {before}")));
        let said = place.guard(["check", "rm -rf d a b"]).run().out();
        let is_low = said.starts_with("runs: ");
        assert_eq!(is_low, limit.starts_with("bytes"), "{limit}: {said}");
    }
}

/// Makes a home on a small file system, and runs a script there. None: there are no namespaces here.
fn small_home(place: &Place, size: &str, script: &str) -> Option<(Option<i32>, String)> {
    let world = format!(
        "mount -t tmpfs -o mode=700,size={size} tmpfs \"$1\" && mkdir -p \"$1/.config\" && cp -r \"$2\" \"$1/.config/guarded-sh\" && \
         mount --bind \"$1\" /root && export HOME=/root && cd \"$3\" && echo begins && {script}"
    );
    let home = place.path("small");
    std::fs::create_dir_all(&home).unwrap();
    let settings = place.path("home/.config/guarded-sh");
    let ended = place
        .call("/usr/bin/unshare")
        .with_users_of_machine()
        .args(["-rm", "/bin/bash", "-c", &world, "bash"])
        .args([&home, &settings, &place.work()])
        .env("GUARD", crate::support::guard())
        .run_within(super::LONG)?;
    let out = ended.out();
    if !out.starts_with("begins\n") {
        println!("skipped: no namespaces here: {}", ended.err());
        return None;
    }
    Some((ended.code(), out + &ended.err()))
}

#[test]
fn what_is_kept_in_another_file_system_comes_back() {
    let place = Place::with(&format!("{}{ALLOWS_ALL}", super::KEEP));
    let before = "git init -q . && echo a > a && echo b > b && ln b c && mkdir d && echo e > d/e";
    assert!(script(&place, before));
    let was = tree::read(&place.work());
    // A person is at a terminal; `script` makes one.
    let plays = "\"$GUARD\" -c 'echo x > a; echo y > b; rm -rf d' && grep -q x a && script -qec '\"$GUARD\" undo --last' /dev/null";
    let Some((status, said)) = small_home(&place, "4m", plays) else { return };
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(tree::difference(&was, &tree::read(&place.work())), Vec::<String>::new(), "{said}");
}

#[test]
fn a_full_disk_loses_nothing() {
    let before = "git init -q . && head -c 9000000 /dev/urandom > big";
    for (settings, runs) in
        [(format!("undo = \"keep\"\n{ALLOWS_ALL}"), true), ("undo = \"rely\"\n".to_owned(), false)]
    {
        let place = Place::with(&settings);
        assert!(script(&place, before));
        let fills = "\"$GUARD\" -c 'rm big'; s=$?; ls ~/.local/state/guarded-sh/undo | grep -v lock; exit $s";
        let Some((status, said)) = small_home(&place, "4m", fills) else { return };
        assert_eq!(status == Some(0), runs, "{said}");
        assert_eq!(place.path("work/big").exists(), !runs, "{said}");
        assert!(!said.contains(".new") && !said.contains(".9"), "{said}");
    }
}

#[test]
fn a_state_directory_that_cannot_be_written_keeps_nothing_and_says_so() {
    for (settings, runs) in [
        (format!("undo = \"keep\"\n[record]\ndirectory = \"/root/records\"\n{ALLOWS_ALL}"), true),
        ("undo = \"rely\"\n[record]\ndirectory = \"/root/records\"\n".to_owned(), false),
    ] {
        let place = Place::with(&settings);
        assert!(script(&place, "git init -q . && echo a > a"));
        let closes = "mkdir -p ~/.local/state/guarded-sh && mount -t tmpfs -o ro tmpfs ~/.local/state/guarded-sh && \"$GUARD\" -c 'rm a'; s=$?; cat ~/records/records/*.jsonl; exit $s";
        let Some((status, said)) = small_home(&place, "4m", closes) else { return };
        assert_eq!(status == Some(0), runs, "{said}");
        assert_eq!(place.path("work/a").exists(), !runs, "{said}");
        assert!(!runs || said.contains("cannot make"), "{said}");
    }
}

#[test]
fn what_is_old_or_too_much_goes() {
    let place = Place::with(&format!(
        "[undo]\nmode = \"keep\"\nmillis = 60000\nsize = \"5 MB\"\n{ALLOWS_ALL}"
    ));
    assert!(script(
        &place,
        "git init -q . && for f in a b c d; do head -c 2000000 /dev/zero | tr '\\0' x > $f; done"
    ));
    for name in ["a", "b", "c", "d"] {
        line(&place, &format!("rm {name}"), 0);
    }
    // Before the last line three were there, and 6 MB are too much.
    let whole = |names: Vec<String>| names.iter().filter(|name| !name.ends_with("gone")).count();
    assert_eq!(whole(entries(&place)), 3);
    undo(&place, "--last", 0);
    assert!(place.path("work/d").exists());
    assert!(!tree::read(&place.work()).is_empty());
}
