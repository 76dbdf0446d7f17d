//! `install` and `uninstall`: what stands in agents' settings afterwards, and that they come back as they were. Rows in `tests/install`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde::Deserialize;

use crate::sheets;
use crate::support::{Call, Ended, Place, guard};

/// A home before, what is done to it, and what is to come of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// What is given to `install`.
    words: Vec<String>,
    /// What is given to `uninstall`; else the same.
    #[serde(default)]
    out: Option<Vec<String>>,
    /// Files before, by their paths below the place.
    #[serde(default)]
    before: BTreeMap<String, String>,
    /// Symbolic links before.
    #[serde(default)]
    links: BTreeMap<String, String>,
    /// Modes of files before.
    #[serde(default)]
    modes: BTreeMap<String, u32>,
    /// Parts of files when it is installed.
    #[serde(default)]
    holds: BTreeMap<String, Vec<String>>,
    /// Parts of what `install` says.
    #[serde(default)]
    says: Vec<String>,
    /// The status of `install`: where it is not 0, nothing is changed.
    #[serde(default)]
    status: i32,
    /// What is changed before it is taken out: a text, and what it becomes.
    #[serde(default)]
    edits: BTreeMap<String, (String, String)>,
    /// Files afterwards that are not as before but for these edits; an empty text: no file.
    #[serde(default)]
    after: BTreeMap<String, String>,
}

/// Calls the guard as a person's script does: with no agent above, and where it would ask, with their yes.
pub fn person(place: &Place, words: &[String]) -> Ended {
    let asks = matches!(words[0].as_str(), "install" | "uninstall")
        || words.starts_with(&["rules".to_owned(), "import".to_owned()]);
    let yes = asks.then(|| "--yes".to_owned());
    let words: Vec<String> = words.iter().cloned().chain(yes).collect();
    alone(place, &words).run_within(std::time::Duration::from_secs(180)).expect("it ends")
}

/// The call, in namespaces in which whoever runs the tests is not seen, and the user database has the place's home.
pub fn alone(place: &Place, words: &[String]) -> Call {
    let script = "mount --bind \"$1\" /etc/passwd && shift && exec \"$@\"";
    let passwd =
        place.write("passwd", format!("root:x:0:0::{}:/bin/bash\n", place.home().display()));
    place
        .call("/usr/bin/unshare")
        .with_users_of_machine()
        .args([
            "-rm",
            "--pid",
            "--fork",
            "--mount-proc",
            "--kill-child",
            "/bin/bash",
            "-c",
            script,
            "bash",
        ])
        .args([&passwd, guard()])
        .args(words)
}

/// All that is in a directory, but for what is our own: files with their modes, and links.
fn tree(place: &Place) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for name in ["home", "work"] {
        collect(&place.path(""), &place.path(name), &mut found);
    }
    found
}

fn collect(root: &Path, directory: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if name == "home/.local" {
            continue;
        }
        let metadata = path.symlink_metadata().unwrap();
        let what = if metadata.is_symlink() {
            format!("-> {}", fs::read_link(&path).unwrap().display())
        } else if metadata.is_dir() {
            collect(root, &path, found);
            "directory".to_owned()
        } else {
            format!(
                "{:o} {}",
                metadata.permissions().mode() & 0o7777,
                fs::read_to_string(&path).unwrap()
            )
        };
        found.insert(name, what);
    }
}

fn words(first: &str, rest: &[String]) -> Vec<String> {
    std::iter::once(first.to_owned()).chain(rest.iter().cloned()).collect()
}

impl Row {
    fn set_up(&self) -> Place {
        let place = Place::new();
        for (path, text) in &self.before {
            place.write(path, text);
        }
        for (path, target) in &self.links {
            fs::create_dir_all(place.path(path).parent().unwrap()).unwrap();
            symlink(target, place.path(path)).unwrap();
        }
        for (path, mode) in &self.modes {
            fs::set_permissions(place.path(path), fs::Permissions::from_mode(*mode)).unwrap();
        }
        place
    }

    /// Plays it; returns what is wrong.
    fn play(&self) -> Option<String> {
        let place = self.set_up();
        let before = tree(&place);
        let wrong = |what: &str| Some(format!("{}: {what}", self.name));
        let ended = person(&place, &words("install", &self.words));
        let said = format!("{}{}", ended.out(), ended.err());
        if ended.code() != Some(self.status) || !self.says.iter().all(|text| said.contains(text)) {
            return wrong(&format!("{:?} {said}", ended.code()));
        }
        if self.status != 0 || self.words.iter().any(|word| word == "--dry-run") {
            let same = tree(&place) == before && !place.path("home/.local").exists();
            return if same { None } else { wrong("it changed something") };
        }
        for (path, parts) in &self.holds {
            let text = fs::read_to_string(place.path(path)).unwrap_or_default();
            let text = text.replace(place.home().to_str().unwrap(), "HOME");
            if let Some(part) = parts.iter().find(|part| !text.contains(*part)) {
                return wrong(&format!("{path} does not hold {part}:\n{text}"));
            }
        }
        let installed = tree(&place);
        person(&place, &words("install", &self.words));
        if tree(&place) != installed {
            return wrong("the second time changes something");
        }
        let mut expected = before;
        for (path, (from, to)) in &self.edits {
            let text = fs::read_to_string(place.path(path)).unwrap();
            assert!(text.contains(from.as_str()), "{}: {text}", self.name);
            fs::write(place.path(path), text.replacen(from, to, 1)).unwrap();
            expected.entry(path.clone()).and_modify(|was| *was = was.replacen(from, to, 1));
        }
        let ended = person(&place, &words("uninstall", self.out.as_ref().unwrap_or(&self.words)));
        if ended.code() != Some(0) {
            return wrong(&ended.err());
        }
        let mut seen = tree(&place);
        for (path, text) in &self.after {
            expected.remove(path);
            let is = seen
                .remove(path)
                .map(|is| is.split_once(' ').map_or("", |(_, text)| text).to_owned());
            if is.unwrap_or_default() != *text {
                return wrong(&format!(
                    "{path} afterwards: {:?}",
                    fs::read_to_string(place.path(path))
                ));
            }
        }
        if seen != expected {
            return wrong(&format!("afterwards:\n{seen:#?}\nexpected:\n{expected:#?}"));
        }
        let left = place.path("home/.local/share/guarded-sh").exists()
            || place.path("home/.local/state/guarded-sh/installed").exists();
        if left { wrong("something of ours is left") } else { None }
    }
}

#[test]
fn settings_come_back_as_they_were() {
    let only = std::env::var("ROW").ok();
    let mut faults = Vec::new();
    for path in sheets::paths("tests/install") {
        for row in sheets::rows::<Row>(&path) {
            if only.as_ref().is_none_or(|only| row.name.contains(only)) {
                faults.extend(row.play());
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn an_agent_installs_nothing() {
    let place = Place::new();
    for words in [["install", "claude"], ["uninstall", "claude"], ["doctor", "claude"]] {
        let ended = place.guard(words).env("CLAUDECODE", "1").run();
        assert_eq!(ended.code(), Some(126), "{}", ended.err());
        assert!(ended.err().contains("only a person can"), "{}", ended.err());
    }
    assert!(!place.path("home/.claude").exists());
}

#[test]
fn what_came_of_it_is_said_at_the_end() {
    let place = Place::new();
    place.write("home/.claude/settings.json", "{}\n");
    place.write("home/.config/guarded-sh/config.toml", "");
    let ends = |words: &[&str], code: i32, says: &str| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let ended = person(&place, &words);
        assert_eq!(ended.code(), Some(code), "{}", ended.err());
        assert!(ended.out().ends_with(says), "{words:?}: {}", ended.out());
    };
    ends(&["install", "claude", "--dry-run"], 0, "\nnothing was changed: 1 file would be\n");
    ends(
        &["install", "claude"],
        0,
        "\ninstalled into Claude Code: 1 file changed, which counts from its next start\n\
         `guarded-sh doctor claude` proves it; `guarded-sh uninstall claude` takes it out again\n",
    );
    ends(&["install", "claude"], 0, "Claude Code is installed already: nothing to change\n");
    ends(&["uninstall", "claude", "--dry-run"], 0, "\n");
    ends(
        &["uninstall", "claude"],
        0,
        "taken out of Claude Code: 1 file is as before\nwhat stays: your settings and rules \
         (~/.config/guarded-sh); the record, and what can be undone (~/.local/state/guarded-sh)\n",
    );
    ends(&["uninstall", "claude"], 0, "Claude Code is not guarded\n");
}

#[test]
fn settings_that_could_not_be_given_back_are_not_changed() {
    let settings = |size: usize| format!("{{\n  \"x\": \"{}\"\n}}\n", "x".repeat(size));
    let words = |first: &str| words(first, &["claude".to_owned()]);
    let place = Place::new();
    let path = place.write("home/.claude/settings.json", settings(10 << 20));
    let ended = person(&place, &words("install"));
    assert_eq!(ended.code(), Some(2), "{}", ended.err());
    assert!(ended.err().contains("would be larger than what is read back"), "{}", ended.err());
    assert!(fs::read_to_string(&path).unwrap() == settings(10 << 20));
    assert!(!place.path("home/.local").exists());
    // Of what can be given back, what is shown is no longer than a person reads.
    fs::write(&path, settings(3 << 20)).unwrap();
    let ended = person(&place, &words("install"));
    assert_eq!(ended.code(), Some(0), "{}", ended.err());
    assert!(ended.out().contains("xxx…\n") && ended.out().len() < 100_000, "{}", ended.out().len());
    assert!(fs::read_to_string(&path).unwrap() != settings(3 << 20));
    assert_eq!(person(&place, &words("uninstall")).code(), Some(0));
    assert!(fs::read_to_string(&path).unwrap() == settings(3 << 20));
}

/// A place with two agents on PATH, and a person's systemd that notes what it is told.
fn with_agents(systemd: &str) -> Place {
    let place = Place::new();
    let log = place.path("systemctl.log").display().to_string();
    let systemctl = format!("#!/bin/sh\necho \"$*\" >> '{log}'\n{systemd}\n");
    for (name, text) in [
        ("claude", "#!/bin/sh\necho 2.1.329\n"),
        ("gemini", "#!/bin/sh\necho 0.61.0\n"),
        ("systemctl", systemctl.as_str()),
    ] {
        let path = place.write(&format!("bin/{name}"), text);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    place.write("home/.claude/settings.json", "{\n\t\"model\": \"opus\"\n}\n");
    place
}

fn set_up(place: &Place, words: &[&str]) -> Ended {
    let search = format!("{}:/usr/bin:/bin", place.path("bin").display());
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let call = alone(place, &words).env("PATH", search);
    call.run_within(std::time::Duration::from_secs(180)).expect("it ends")
}

#[test]
fn one_command_guards_what_is_here_and_one_takes_it_back() {
    for (systemd, units) in [("exit 1", false), ("exit 0", true)] {
        let place = with_agents(systemd);
        let before = tree(&place);
        for _ in 0..2 {
            let ended = set_up(&place, &["setup", "--yes"]);
            assert_eq!(ended.code(), Some(0), "{}{}", ended.out(), ended.err());
            // What it will do, in few lines, and that it is so.
            let said = ended.out();
            let (will, proof) = said.split_once("\n\n").unwrap();
            assert_eq!(will.lines().count(), 5, "{will}");
            assert!(will.contains("Claude Code") && will.contains("setup --undo"), "{will}");
            assert!(proof.contains("hooks  guarded") && !proof.contains("NOT GUARDED"), "{proof}");
        }
        let unit = place.path("home/.config/systemd/user/guarded-sh.socket");
        assert_eq!(unit.exists(), units);
        let log = fs::read_to_string(place.path("systemctl.log")).unwrap();
        assert_eq!(log.contains("--user enable --now guarded-sh.socket"), units, "{log}");
        let variables = place.path("home/.local/share/guarded-sh/host.json");
        assert_eq!(variables.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let ended = set_up(&place, &["setup", "--undo"]);
        assert_eq!(ended.code(), Some(0), "{}{}", ended.out(), ended.err());
        assert_eq!(tree(&place), before);
        assert!(!place.path("home/.local/share/guarded-sh").exists());
        assert!(!place.path("home/.local/state/guarded-sh/installed").exists());
        let log = fs::read_to_string(place.path("systemctl.log")).unwrap();
        assert_eq!(log.contains("--user disable --now guarded-sh.socket"), units, "{log}");
    }
}

#[test]
fn what_set_up_will_do_is_five_lines_however_many_agents_are_here() {
    let place = with_agents("exit 1");
    for agent in ["codex", "copilot", "opencode"] {
        let path = place.write(&format!("bin/{agent}"), "#!/bin/sh\necho 1.0.0\n");
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for already in [0, 5] {
        let ended = set_up(&place, &["setup", "--yes"]);
        let said = ended.out();
        let (will, _) = said.split_once("\n\n").unwrap();
        let lines: Vec<&str> = will.lines().collect();
        assert_eq!(lines.len(), 5, "{will}");
        for agent in ["Claude Code", "Codex", "Copilot", "Gemini", "opencode"] {
            assert!(lines[1].contains(agent), "{agent}: {will}");
        }
        assert_eq!(lines[1].matches("(guarded already)").count(), already, "{will}");
        assert_eq!(lines[2].contains("no file"), already > 0, "{will}");
        assert_eq!(lines[2].contains(".claude/settings.json"), already == 0, "{will}");
    }
}

/// A diff of many lines is told in one first.
#[test]
fn install_says_in_short_what_it_changes() {
    let place = Place::new();
    place.write("home/.claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    let said = person(&place, &words("install", &["claude".to_owned()])).out();
    let short: Vec<&str> = said.lines().filter(|line| line.starts_with("in short: ")).collect();
    assert_eq!(short.len(), 1, "{said}");
    let changed = |sign: &str| {
        let is_changed = |line: &&str| line.starts_with(sign) && !line.starts_with(&sign.repeat(3));
        said.lines().filter(is_changed).count()
    };
    let (more, less) = (changed("+"), changed("-"));
    assert_eq!(
        short[0],
        format!("in short: ~/.claude/settings.json +{more} -{less} lines"),
        "{said}"
    );
    assert!(more > 10 && said.find("in short: ") < said.find("\n+"), "{said}");
}

/// What is given to systemd, as systemd reads it.
#[test]
fn the_units_of_set_up_are_whole() {
    let place = with_agents("exit 0");
    let call = ["setup", "--yes"].map(str::to_owned);
    let search = format!("{}:/usr/bin:/bin", place.path("bin").display());
    let moved = place.path("home/my settings % here").display().to_string();
    let ended = alone(&place, &call).env("PATH", search).env("XDG_STATE_HOME", &moved).run();
    assert_eq!(ended.code(), Some(0), "{}{}", ended.out(), ended.err());
    let units = place.path("home/.config/systemd/user");
    let names = ["guarded-sh.socket", "guarded-sh.service"];
    let paths = names.map(|name| units.join(name));
    for path in &paths {
        assert!(path.exists(), "{}", path.display());
    }
    let Ok(told) = std::process::Command::new("systemd-analyze")
        .args(["--user", "--man=no", "verify"])
        .args(&paths)
        .env("XDG_RUNTIME_DIR", place.path("home"))
        .output()
    else {
        println!("skipped: there is no systemd-analyze here");
        return;
    };
    let told = String::from_utf8(told.stderr).unwrap();
    for name in names {
        assert!(!told.contains(name), "{told}");
    }
}

#[test]
fn it_is_set_up_by_a_person_alone() {
    let place = with_agents("exit 1");
    let before = tree(&place);
    for (words, says) in [
        (["setup", "--yes"].as_slice(), "only a person can set it up"),
        (&["setup", "--undo"], "only a person can take it back"),
        (&["install"], "only a person can set it up"),
    ] {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let ended = alone(&place, &words).env("CLAUDECODE", "1").run();
        assert_eq!(ended.code(), Some(126), "{}", ended.err());
        assert!(ended.err().contains(says), "{}", ended.err());
    }
    let ended = set_up(&place, &["setup"]);
    assert_eq!(ended.code(), Some(126), "{}", ended.err());
    assert!(ended.err().contains("a yes at a terminal") && ended.err().contains("--yes"));
    assert!(tree(&place) == before && !place.path("home/.local").exists());
}

#[test]
fn a_guard_whose_rules_are_broken_is_put_nowhere_and_one_with_a_wrong_example_is_told() {
    let install = words("install", &["claude".to_owned()]);
    let rule = |matches: &str| {
        format!(
            "pack = \"mine\"\nsummary = \"x\"\n[[rule]]\nid = \"mine.deploy\"\ncommand = [\"make\"]\noperands = {{ any = [\"deploy\"] }}\naction = \"ask\"\nreason = \"deploys\"\nmatches = [\"{matches}\"]\npasses = [\"make test\"]\n"
        )
    };
    let place = Place::new();
    place.write("home/.config/guarded-sh/rules/mine.toml", "pack = 3\n");
    let before = tree(&place);
    let ended = person(&place, &install);
    assert_eq!(ended.code(), Some(2), "{}", ended.out());
    assert!(ended.err().contains("mine.toml"), "{}", ended.err());
    assert_eq!(tree(&place), before);
    place.write("home/.config/guarded-sh/rules/mine.toml", rule("make build"));
    let ended = person(&place, &install);
    assert_eq!(ended.code(), Some(0), "{}", ended.err());
    let warned = ended.out();
    assert!(
        warned.contains("warning: ") && warned.contains("rule mine.deploy: does not fire"),
        "{warned}"
    );
    place.write("home/.config/guarded-sh/rules/mine.toml", rule("make deploy"));
    assert!(!person(&place, &install).out().contains("warning: "));
}
