//! Undo: what a line destroys comes back as it was, and goes again; what somebody else changed since stays. Through the program, by a person at a
//! terminal of their own: nobody else may take anything back.

mod limits;
mod random;
mod stopped;
mod tree;
mod trial;
mod whole;

use std::path::Path;

use serde::Deserialize;

use crate::sheets;
use crate::subcommands::person::Person;
use crate::support::{ALLOWS_ALL, Place};
use tree::difference;

/// A line, and what of it comes back.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// What is there before, as a script.
    #[serde(default)]
    before: String,
    line: String,
    /// Succeeds if something was lost.
    lost: String,
    /// What somebody else does before it is taken back.
    #[serde(default)]
    between: String,
    /// The words of `undo`.
    #[serde(default = "last")]
    undo: String,
    #[serde(default)]
    status: i32,
    /// What it says, with the workspace as `~/../work`.
    #[serde(default)]
    says: String,
    /// Succeeds afterwards, where the tree is not as it was before the line.
    #[serde(default)]
    only: String,
    #[serde(default)]
    needs: Vec<String>,
}

fn last() -> String {
    "--last".to_owned()
}

/// However slow the machine is.
pub const KEEP: &str = "[undo]\nmode = \"keep\"\nmillis = 60000\n";

/// Two commits, two branches of settings, and files in a state of their own.
const REPOSITORY: &str = "
git init -q -b main . && echo one > a && echo c > c && git add . && git commit -qm one
echo two > b && git add . && git commit -qm two
git config core.fsync none
";

fn script(place: &Place, script: &str) -> bool {
    let script = format!("umask 022\n{script}");
    let ended = place.call("/bin/bash").args(["-c", script.as_str()]).run_within(LONG);
    ended.unwrap_or_else(|| panic!("{script} does not end")).code() == Some(0)
}

const LONG: std::time::Duration = std::time::Duration::from_secs(60);

/// Runs a line through the guard, as a person does who has it for a shell; returns what was shown.
fn line(place: &Place, line: &str, status: i32) -> String {
    place.write("line", line);
    Person::types(place, "\"$GUARD\" -c \"$(cat ../line)\"").ends_with(status)
}

fn undo(place: &Place, words: &str, status: i32) -> String {
    Person::types(place, &format!("\"$GUARD\" undo {words}")).ends_with(status)
}

/// Returns the id that takes the last undo back.
fn back(said: &str) -> Option<String> {
    let (before, _) = said.split_once(" takes that back in turn")?;
    Some(before.rsplit(' ').next()?.to_owned())
}

/// Whether the programs that a row needs are here.
fn is_playable(name: &str, needs: &[String]) -> bool {
    let is_there = |program: &&String| Path::new("/usr/bin").join(program).exists();
    let lacks = needs.iter().find(|program| !is_there(program));
    if let Some(lacks) = lacks {
        println!("skipped: {name}: there is no {lacks} here");
    }
    lacks.is_none()
}

fn play(sheet: &str, first: &str) {
    let only = std::env::var("ROW").unwrap_or_default();
    for row in sheets::rows::<Row>(&sheets::path(sheet)) {
        if !row.name.contains(&only) {
            continue;
        }
        if is_playable(&row.name, &row.needs) {
            one(&row, first);
        }
    }
}

fn one(row: &Row, first: &str) {
    let name = &row.name;
    println!("{name}");
    let place = Place::with(&format!("{KEEP}{ALLOWS_ALL}"));
    place.write("home/.gitconfig", "[user]\nname = n\nemail = e@example.org\n[gc]\nauto = 0\n");
    place.write("work/.root", "");
    assert!(script(&place, &format!("{first}{}", row.before)), "{name}: it does not begin");
    let root = place.work();
    let before = tree::read(&root);
    line(&place, &row.line, 0);
    assert!(script(&place, &row.lost), "{name}: nothing was lost");
    assert!(row.between.is_empty() || script(&place, &row.between), "{name}: between");
    let after = tree::read(&root);
    let said = undo(&place, &row.undo, row.status).replace(root.to_str().unwrap(), "~/../work");
    assert!(said.contains(&row.says), "{name}: {said}");
    let now = tree::read(&root);
    if row.status != 0 {
        assert_eq!(difference(&after, &now), Vec::<String>::new(), "{name}: something was touched");
        return;
    }
    if !row.only.is_empty() {
        assert!(script(&place, &row.only), "{name}: {said}");
        return;
    }
    assert_eq!(difference(&before, &now), Vec::<String>::new(), "{name}: {said}");
    let Some(id) = back(&said) else { panic!("{name}: {said}") };
    undo(&place, &id, 0);
    let again = tree::read(&root);
    assert_eq!(difference(&after, &again), Vec::<String>::new(), "{name}: not taken back in turn");
}

/// Calls by which a file is kept without its bytes being read, as `fence::WITHOUT` takes them away.
const LINKS: &str = if cfg!(target_arch = "x86_64") { "265:1" } else { "37:1" };
const CLONES: &str = if cfg!(target_arch = "x86_64") {
    "16/1&0xffffffff=0x40049409:95"
} else {
    "29/1&0xffffffff=0x40049409:95"
};

/// Where the file system shares no blocks, or makes no second names, files are copied.
#[test]
fn what_cannot_be_linked_or_shared_is_copied_and_comes_back() {
    if !crate::fence::has("python3") {
        println!("skipped: there is no python3 here");
        return;
    }
    for calls in [LINKS.to_owned(), CLONES.to_owned(), format!("{LINKS} {CLONES}")] {
        let place = Place::with(&format!("{KEEP}{ALLOWS_ALL}"));
        place.write("work/.root", "");
        let before = "git init -q . && echo one > a && echo two > b && mkdir d && echo three > d/c";
        assert!(script(&place, before));
        let tree_before = tree::read(&place.work());
        let without = shell_words::join(["python3", "-c", crate::fence::WITHOUT, &calls]);
        let typed = format!("{without} \"$GUARD\" -c 'rm a; echo x > b; rm -r d'");
        Person::types(&place, &typed).ends_with(0);
        assert!(!place.path("work/a").exists() && !place.path("work/d").exists(), "{calls}");
        let said = undo(&place, "--last", 0);
        let now = tree::read(&place.work());
        assert_eq!(difference(&tree_before, &now), Vec::<String>::new(), "{calls}: {said}");
    }
}

#[test]
fn files_come_back_as_they_were() {
    // The workspace is a repository that nothing touches.
    play("tests/undo/files.toml", "git init -q . && ");
}

#[test]
fn work_of_a_repository_comes_back_as_it_was() {
    play("tests/undo/git.toml", REPOSITORY);
}

#[test]
fn the_workspace_comes_back_as_a_whole() {
    play("tests/undo/whole.toml", REPOSITORY);
}

/// A line, and what is said of it where undo is relied on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Relied {
    line: String,
    action: String,
    without: String,
}

#[test]
fn what_can_be_taken_back_is_not_asked_about() {
    let place = Place::new();
    place.write("home/.gitconfig", "[user]\nname = n\nemail = e@example.org\n");
    let files = "mkdir src; echo x > src/x.rs; echo a > a.txt; echo b > b.txt; echo 'x()' > x.py; mkdir ~/other";
    assert!(script(&place, &format!("{REPOSITORY}{files}")));
    let mut faults = Vec::new();
    for row in sheets::rows::<Relied>(&sheets::path("tests/undo/rely.toml")) {
        for (setting, action) in [("off", &row.without), ("rely", &row.action)] {
            place.set(&format!("undo = \"{setting}\"\n"));
            let said = place.guard(["check", "--json", &row.line]).run().out();
            let said: serde_json::Value = serde_json::from_str(&said).unwrap();
            let is_relied = setting == "rely" && action == "allow";
            if said["action"] != action.as_str() || (said["undo"] == true) != is_relied {
                let (action, reason) = (&said["action"], &said["findings"]);
                faults.push(format!("{}: {setting}: {action}: {reason}", row.line));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_is_relied_on_is_kept_and_recorded() {
    let place = Place::with("[undo]\nmode = \"rely\"\nmillis = 60000\n");
    assert!(script(&place, "git init -q . && mkdir src && echo x > src/x"));
    let before = tree::read(&place.work());
    line(&place, "rm -rf src", 0);
    assert!(!place.path("work/src").exists());
    let records = place.records();
    assert!(
        records.contains("\"relied\":true") && records.contains("\"severity\":\"low\""),
        "{records}"
    );
    let listed = undo(&place, "", 0);
    assert!(listed.contains("1 file ") || listed.contains("2 files"), "{listed}");
    assert!(listed.contains("rm -rf src"), "{listed}");
    let shown = undo(
        &place,
        "show $(\"$GUARD\" undo list --json | grep -o '\"id\":\"[^\"]*' | cut -d'\"' -f4)",
        0,
    );
    assert!(shown.contains("comes back") && shown.contains("+x"), "{shown}");
    undo(&place, "--since 10m", 0);
    assert_eq!(difference(&before, &tree::read(&place.work())), Vec::<String>::new());
    assert!(undo(&place, "--last", 1).contains("nothing to take back"));
}

#[test]
fn lines_of_a_session_come_back_the_last_first() {
    let place = Place::with(&format!("{KEEP}{ALLOWS_ALL}"));
    assert!(script(&place, "git init -q . && echo one > f && echo g > g"));
    let before = tree::read(&place.work());
    line(&place, "echo two > f", 0);
    line(&place, "rm f g", 0);
    // What a later line has kept as well is taken back first.
    let first =
        "$(\"$GUARD\" undo --json | grep -o '\"id\":\"[^\"]*' | head -n 1 | cut -d'\"' -f4)";
    assert!(undo(&place, first, 1).contains("take that back first"));
    undo(&place, "--since 10m", 0);
    assert_eq!(difference(&before, &tree::read(&place.work())), Vec::<String>::new());
}

#[test]
fn only_lines_of_a_session_or_since_a_time_come_back() {
    let place = Place::with(&format!("{KEEP}{ALLOWS_ALL}"));
    assert!(script(&place, "git init -q . && echo a > a && echo b > b && echo c > c"));
    for (session, name) in [("one", "a"), ("two", "b"), ("one", "c")] {
        let ran = place.guard(["-c", &format!("rm {name}")]).env("GUARDED_SH_SESSION", session);
        assert_eq!(ran.run().code(), Some(0));
    }
    let is_there = || ["a", "b", "c"].map(|name| place.path("work").join(name).exists());
    assert_eq!(is_there(), [false; 3]);
    assert!(undo(&place, "--session three", 1).contains("nothing to take back"));
    let listed = undo(&place, "--json", 0);
    let entries: Vec<serde_json::Value> =
        serde_json::from_str(listed.lines().find(|line| line.starts_with('[')).unwrap()).unwrap();
    let said = |number: usize, key: &str| entries[number][key].as_str().unwrap().to_owned();
    undo(&place, &format!("--since {}", said(2, "time")), 0);
    assert_eq!(is_there(), [false, false, true]);
    undo(&place, &format!("--session {}", said(0, "session")), 0);
    assert_eq!(is_there(), [true, false, true]);
}

#[test]
fn only_people_see_and_take_back() {
    let place = Place::with(&format!("{KEEP}{ALLOWS_ALL}"));
    assert!(script(&place, "git init -q . && echo a > a"));
    line(&place, "rm a", 0);
    for words in [&["undo"][..], &["undo", "--last"], &["undo", "list", "--json"]] {
        let ended = place.guard([]).args(words).env("GUARDED_SH_SESSION", "s").run();
        assert_eq!((ended.code(), ended.out()), (Some(126), String::new()));
        assert!(ended.err().contains("refused: only a person can"), "{}", ended.err());
    }
    assert!(!place.path("work/a").exists());
}

#[test]
fn without_the_setting_nothing_is_kept_and_nothing_is_made() {
    let place = Place::with(ALLOWS_ALL);
    assert!(script(&place, "git init -q . && echo a > a"));
    line(&place, "rm a", 0);
    assert!(!place.path("home/.local/state/guarded-sh/undo").exists());
    // A project may have more kept, and never rely on it.
    place.write("work/.guarded-sh.toml", "undo = \"rely\"\n");
    let shown = place.guard(["config"]).run().out();
    assert!(shown.lines().any(|row| row.starts_with("undo ") && row.contains("off")), "{shown}");
    place.write("work/.guarded-sh.toml", "[undo]\nmode = \"keep\"\n");
    let shown = place.guard(["config"]).run().out();
    assert!(shown.lines().any(|row| row.starts_with("undo ") && row.contains("keep")), "{shown}");
}

#[test]
fn an_agents_hook_keeps_what_its_shell_then_keeps_anew() {
    let place = Place::with("[undo]\nmode = \"rely\"\nmillis = 60000\n");
    assert!(script(&place, "git init -q . && mkdir src && echo x > src/x && echo n > n.txt"));
    let before = tree::read(&place.work());
    let event = |tool: &str, input: serde_json::Value| {
        let event = serde_json::json!({
            "session_id": "s", "hook_event_name": "PreToolUse", "cwd": place.work(),
            "tool_name": tool, "tool_input": input, "tool_use_id": "t",
        });
        place.guard(["hook", "claude"]).stdin(event.to_string()).run().out()
    };
    let kept = || {
        let directory = place.path("home/.local/state/guarded-sh/undo");
        let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name != "lock").count()
    };
    let said = event("Bash", serde_json::json!({ "command": "rm -rf src" }));
    assert!(said.contains("\"permissionDecision\":\"allow\""), "{said}");
    assert_eq!(kept(), 1);
    line(&place, "rm -rf src", 0);
    assert_eq!(kept(), 1);
    // The client's own tool, which no shell sees.
    let path = place.path("work/n.txt");
    event("Write", serde_json::json!({ "file_path": path, "content": "other" }));
    std::fs::write(&path, "other").unwrap();
    assert_eq!(kept(), 2);
    undo(&place, "--since 10m", 0);
    assert_eq!(difference(&before, &tree::read(&place.work())), Vec::<String>::new());
}
