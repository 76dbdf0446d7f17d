//! `guarded-sh log` finds by the index what it finds without one, and nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use tempfile::TempDir;

use super::{SERVICE, guard, run, text};

#[path = "../../src/index/tests/made.rs"]
mod made;

/// Enough that the index is asked.
const RECORDS: u64 = 12_000;

/// A home with records and their index, and programs of which the service notes what it is asked.
struct Place {
    home: TempDir,
    guard: String,
}

impl Place {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join(".local/state/guarded-sh");
        for directory in [&state, &state.join("records")] {
            fs::create_dir_all(directory).unwrap();
            fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).unwrap();
        }
        made::write(&state.join("records"), RECORDS);
        let bin = home.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let own = bin.join("guarded-sh");
        if fs::hard_link(guard(), &own).is_err() {
            fs::copy(guard(), &own).unwrap();
        }
        let place = Self { home, guard: own.to_str().unwrap().to_owned() };
        place.answers(&format!("exec {SERVICE} \"$@\""));
        let output = run(&place.home, &[SERVICE, "index"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        place
    }

    /// Has the service do this.
    fn answers(&self, script: &str) {
        let path = self.home.path().join("bin/guarded-shd");
        fs::write(&path, format!("#!/bin/bash\necho \"$*\" >>\"$HOME/asked\"\n{script}\n"))
            .unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn index(&self) -> PathBuf {
        self.home.path().join(".local/state/guarded-sh/index.sqlite")
    }

    /// What `log` prints, and whether it asked the service.
    fn log(&self, words: &str) -> (String, bool) {
        let asked = self.home.path().join("asked");
        let _ = fs::remove_file(&asked);
        let words: Vec<&str> = words.split(' ').collect();
        let output = run(&self.home, &[&[self.guard.as_str(), "log"], &words[..]].concat());
        assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
        (text(&output.stdout), asked.exists())
    }

    /// The same without the index.
    fn without(&self, words: &str) -> String {
        let aside = self.index().with_extension("aside");
        fs::rename(self.index(), &aside).unwrap();
        let (said, has_asked) = self.log(words);
        assert!(!has_asked, "{words}");
        fs::rename(aside, self.index()).unwrap();
        said
    }
}

#[test]
fn log_finds_by_the_index_what_it_finds_without() {
    let place = Place::new();
    for (words, is_empty) in [
        ("--session session-7", false),
        ("--session session-7 --json", false),
        ("--session session-33 --severity medium --all", false),
        ("--session session-30 --since 2026-01-01T10:50:00Z", false),
        ("--session session-20 --rule git.* -n 3", false),
        ("--session none --json", true),
        ("--asked -n 5", false),
        ("--action ask --agent claude --text docs/read.md --json", false),
        ("--agent claude -n 3", false),
    ] {
        let without = place.without(words);
        let (with, has_asked) = place.log(words);
        assert!(has_asked, "{words}");
        assert_eq!(with, without, "{words}");
        assert_eq!(with.lines().count() < 2 && !with.contains("session-"), is_empty, "{words}");
    }
    // What nothing is asked for that the index finds.
    assert!(!place.log("-n 3").1);
    // What came since stands in the record, and so in what is told.
    let line = format!("CLAUDE_CODE_SESSION_ID=session-new {} -c 'echo since'", place.guard);
    let output = run(&place.home, &["/bin/bash", "-c", &line]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (said, has_asked) = place.log("--session claude:session-new --json");
    assert!(has_asked && said.contains("echo since"), "{said}");
    assert_eq!(said, place.without("--session claude:session-new --json"));
}

#[test]
fn log_reads_the_record_where_the_index_is_not_to_be_trusted() {
    let place = Place::new();
    let words = "--session session-7 -n 5";
    let right = place.without(words);
    for answer in [
        "exit 1",
        "exit 0",
        "echo nonsense",
        "echo '1 whole'",
        &format!("echo '{RECORDS} damaged'"),
        &format!("echo '{RECORDS} whole'; echo 'one two'"),
        &format!("printf '{RECORDS} whole\\n7\\n'"),
        &format!("printf '{RECORDS} whole\\n\\xff\\n'"),
        "kill -9 $$",
        // More than is looked at one by one.
        &format!(
            "echo '{RECORDS} whole'; seq -f '%.0f %.0f' 3000 2>/dev/null || yes '1 1' | head -3000"
        ),
    ] {
        place.answers(answer);
        assert_eq!(place.log(words).0, right, "{answer}");
    }
    // It names what is not wanted, or is not there.
    place.answers(&format!(
        "printf '{RECORDS} whole\\n1 1\\n3 3\\n2 9\\n99999999 99999999\\n18446744073709551615 0\\n'"
    ));
    assert_eq!(place.log(words).0, "");
}
