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
        .with_users_of_machine()
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

/// Returns what builds an image as its lines say, and the shell that its builder has then. What is copied lies in the context: the guard, which is there
/// already, and examples.
fn built(lines: &str) -> (Vec<String>, String) {
    let mut script = Vec::new();
    let mut shell = "/bin/sh -c".to_owned();
    for line in lines.lines().filter(|line| !line.is_empty()) {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("#" | "FROM", _) => {}
            ("COPY", "guarded-sh /usr/local/bin/guarded-sh") => {}
            ("COPY", what) => {
                let (from, to) = what.split_once(' ').unwrap();
                let from = sheets::path(&format!("examples/{from}"));
                script
                    .push(format!("rm -rf \"$root{to}\"; cp -r {} \"$root{to}\"", from.display()));
            }
            // It is given when the image is built.
            ("ARG", _) => {}
            ("RUN", what) => {
                let what = shell_words::quote(what);
                script.push(format!(
                    "inside env MACHINE=\"${{MACHINE-}}\" {shell} {what} || fail 'RUN'"
                ));
            }
            ("SHELL", words) => {
                let words: Vec<String> = serde_json::from_str(words).unwrap();
                shell = shell_words::join(words);
            }
            other => panic!("{other:?}"),
        }
    }
    (script, shell)
}

#[test]
fn the_image_of_the_examples_is_built_where_it_is_guarded_and_only_there() {
    let read = |name: &str| {
        std::fs::read_to_string(sheets::path(&format!("examples/container/{name}"))).unwrap()
    };
    let container = read(".devcontainer/devcontainer.json");
    let is_text = |line: &&str| !line.trim_start().starts_with("//");
    let container: String = container.lines().filter(is_text).collect();
    let container: serde_json::Value = serde_json::from_str(&container).unwrap();
    let created: Vec<String> =
        serde_json::from_value(container["postCreateCommand"].clone()).unwrap();
    let created = shell_words::join(created);
    let (mut steps, _) = built(&read("Dockerfile"));
    // The digest is that of the directory that is copied, wherever it stands.
    let policy = sheets::path("examples/team-policy");
    let digest = format!("MACHINE=$({} policy digest {})", guard().display(), policy.display());
    let last = steps.pop().unwrap();
    let before = steps.join("\n");
    let other = last.replace("|| fail 'RUN'", "&& fail 'it is another policy'");
    let script = format!(
        "{digest}\n{before}\n{last}\nguarded 'the image'\ninside {created} || fail 'the devcontainer'\n\
         echo '# x' >>\"$root/etc/guarded-sh/policy.toml\"\n{other}\nuninstall"
    );
    if let Err(fault) = play("plain", &script) {
        panic!("{fault}");
    }
}

#[test]
fn the_lines_of_the_documented_image_do_what_they_should() {
    let text = std::fs::read_to_string(sheets::path("docs/agents.md")).unwrap();
    let blocks = text.split("```dockerfile\n").skip(1).map(|rest| rest.split("```").next());
    let block = blocks.flatten().find(|block| block.contains("install system")).unwrap();
    let (mut script, shell) = built(block);
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
