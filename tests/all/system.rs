//! `install system`: guarded-sh in the place of a system's own shells, in throw-away systems. Rows in `tests/system`.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use crate::sheets;
use crate::support::{Place, guard};

/// What happens in systems of some kinds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    kinds: Vec<String>,
    #[serde(default)]
    script: String,
    /// System calls at which the program is ended by SIGKILL, one after the other, in a run of its own each.
    #[serde(default)]
    calls: Vec<String>,
}

/// No row takes longer, however slow the machine is.
const PATIENCE: Duration = Duration::from_secs(600);

/// Ends the program at the first, second… call of a kind, until there is none left; what it leaves is done again, or undone, by turns.
const STOPPED: &str = r#"
stopped() { # COMMAND CALLS: whether it was stopped
  local status=0
  env -i PATH=/usr/local/bin:/usr/bin:/usr/sbin HOME=/root strace -f -o /dev/null -e trace="$2" -e inject="$2":signal=KILL:when="$3" \
    chroot "$root" guarded-sh "$1" system --yes >/dev/null 2>&1 || status=$?
  [[ $status != 0 ]]
}
count=0
for command in install uninstall; do
  for number in {1..200}; do
    [[ $command == install ]] || install >/dev/null
    stopped "$command" "$calls" "$number" || break
    count=$((count + 1))
    shells_work "$command stopped at $calls $number"
    if ((number % 2)); then
      install >/dev/null || fail "$command stopped at $calls $number: not done again"
      guarded "$command stopped at $calls $number"
    fi
    uninstall >/dev/null || fail "$command stopped at $calls $number: not undone"
    as_before "$command stopped at $calls $number"
  done
  ((number < 200)) || fail 'it never ends'
  [[ $command == uninstall ]] || uninstall >/dev/null
done
((count > 0)) || fail "$calls is never called"
"#;

/// Each call under the names that it has on one machine or another.
fn names(call: &str) -> String {
    let names = match call {
        "rename" => "?rename,?renameat,?renameat2",
        "link" => "?link,?linkat,?symlink,?symlinkat",
        "unlink" => "?unlink,?unlinkat",
        "mkdir" => "?mkdir,?mkdirat",
        other => return format!("?{other}"),
    };
    names.to_owned()
}

fn play(kind: &str, script: &str) -> Result<(), String> {
    let place = Place::new();
    let root = place.path("root");
    std::fs::create_dir(&root).unwrap();
    let call = place
        .call("/usr/bin/unshare")
        .args(["-rm", "--pid", "--fork", "--mount-proc", "--kill-child", "/bin/bash"])
        .args([&sheets::path("tests/system/root.sh"), &root])
        .args([Path::new(kind), guard(), Path::new(script)]);
    let ended = call.run_within(PATIENCE).ok_or("it does not end")?;
    if ended.code() == Some(0) { Ok(()) } else { Err(format!("{}{}", ended.out(), ended.err())) }
}

/// Plays the rows with or without calls; each system on its own.
fn play_all(wanted: fn(&Row) -> bool) {
    let only = std::env::var("ROW").ok();
    let mut faults = Vec::new();
    for row in sheets::rows::<Row>(&sheets::path("tests/system/rows.toml")) {
        if !wanted(&row) || only.as_ref().is_some_and(|only| !row.name.contains(only)) {
            continue;
        }
        for kind in &row.kinds {
            if kind == "debian" && !Path::new("/usr/bin/dpkg-divert").exists() {
                println!("without dpkg: {}", row.name);
                continue;
            }
            let mut scripts = vec![row.script.clone()];
            if !row.calls.is_empty() {
                let stopped = |call: &String| format!("calls='{}'\n{STOPPED}", names(call));
                scripts = row.calls.iter().map(stopped).collect();
            }
            for script in scripts {
                if let Err(fault) = play(kind, &script) {
                    let first = script.lines().next().unwrap_or_default();
                    faults.push(format!("{} ({kind}) {first}\n{fault}", row.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_systems_shells_are_guarded_and_come_back() {
    play_all(|row| row.calls.is_empty());
}

#[test]
fn the_lines_of_the_documented_image_do_what_they_should() {
    let text = std::fs::read_to_string(sheets::path("docs/agents.md")).unwrap();
    let blocks = text.split("```dockerfile\n").skip(1).map(|rest| rest.split("```").next());
    let block = blocks.flatten().find(|block| block.contains("install system")).unwrap();
    let mut script = Vec::new();
    let mut shell = "/bin/sh -c".to_owned();
    for line in block.lines() {
        match line.split_once(' ').unwrap() {
            // It is there.
            ("COPY", what) => assert_eq!(what, "guarded-sh /usr/local/bin/guarded-sh"),
            ("RUN", what) => {
                let what = shell_words::quote(what);
                script.push(format!("inside {shell} {what} || fail 'RUN'"));
            }
            ("SHELL", words) => {
                let words: Vec<String> = serde_json::from_str(words).unwrap();
                shell = shell_words::join(words);
            }
            ("#", _) => {}
            other => panic!("{other:?}"),
        }
    }
    // What follows in an image that goes on, and the way back.
    script.push(format!("inside {shell} 'rm -rf /usr/share' || fail 'the builder'"));
    let back = text.split("docker exec -u root CONTAINER /bin/bash.real").nth(1).unwrap();
    let back = back.lines().next().unwrap();
    script.push(format!(
        "guarded 'the image'\n! inside /bin/sh -c 'rm -rf /usr/share' 2>/dev/null || fail 'a line'\n\
         inside /bin/bash.real{back}\nshells_work 'by hand'\n! is_guard /bin/bash || fail 'it is the guard'"
    ));
    if let Err(fault) = play("plain", &script.join("\n")) {
        panic!("{fault}");
    }
}

#[test]
fn whoever_stops_it_leaves_shells_that_work() {
    play_all(|row| !row.calls.is_empty());
}
