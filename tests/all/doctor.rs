//! `doctor`: what it sees is what runs. Settings that only look as if they guarded are found out.

use serde_json::Value;

use crate::install::{alone, person};
use crate::subcommands::person::Person;
use crate::support::Place;

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// What is said of one agent: whether shell and hooks are guarded, what was seen of each, and the exit status.
fn seen(place: &Place, agent: &str) -> (Value, Option<i32>) {
    seen_with(place, agent, ("SHELL", "/bin/bash"))
}

/// The same, with a variable.
fn seen_with(place: &Place, agent: &str, (name, value): (&str, &str)) -> (Value, Option<i32>) {
    let call = alone(place, &words(["doctor", agent, "--json"])).env("SHELL", "/bin/bash");
    let call = call.env(name, value);
    let ended = call.run_within(std::time::Duration::from_secs(180)).unwrap();
    let all: Value =
        serde_json::from_str(&ended.out()).unwrap_or_else(|_| panic!("{}", ended.err()));
    (all["agents"][0].clone(), ended.code())
}

fn guarded(seen: &Value) -> (bool, bool) {
    let is = |what: &str| seen[what]["guarded"].as_bool().unwrap();
    (is("shell"), is("hooks"))
}

#[test]
fn nothing_is_believed_before_it_is_installed_and_all_of_it_after() {
    for (agent, after, status) in [
        ("claude", (true, true), 0),
        ("opencode", (true, true), 0),
        // What its settings cannot hold is the hooks' to judge; how the shell is had too is said.
        ("codex", (false, true), 0),
        ("copilot", (false, true), 0),
        ("gemini", (false, true), 0),
    ] {
        let place = Place::new();
        let (before, code) = seen(&place, agent);
        assert_eq!((guarded(&before), code), ((false, false), Some(1)), "{before}");
        assert_eq!(before["shell"]["seen"], "runs what it should refuse");
        person(&place, &words(["install", agent]));
        let (seen, code) = seen(&place, agent);
        assert_eq!((guarded(&seen), code), (after, Some(status)), "{seen}");
        assert_eq!(seen["mend"].is_null(), status == 0, "{seen}");
        let remarks = seen["remarks"].to_string();
        assert_eq!(!after.0, remarks.contains("a second lock") && remarks.contains("to do: "));
        person(&place, &words(["uninstall", agent]));
    }
}

#[test]
fn what_only_looks_like_a_guard_is_found_out() {
    let place = Place::new();
    person(&place, &words(["install", "claude"]));
    let settings = place.path("home/.claude/settings.json");
    let good = std::fs::read_to_string(&settings).unwrap();
    let home = place.home().display().to_string();
    let program = format!("{home}/.local/share/guarded-sh/bin/guarded-sh");
    let fake = place.write("bin/guarded-sh", "#!/bin/sh\nexit 0\n").display().to_string();
    let shell =
        place.write("bin/fake-bash", "#!/bin/sh\nexec /bin/bash \"$@\"\n").display().to_string();
    let rows: [(&str, String, (bool, bool), &str, &str); 6] = [
        (
            "a comment, and Claude takes nothing of the file",
            good.replacen('{', "{ // mine", 1),
            (false, false),
            "shell",
            "takes nothing of",
        ),
        (
            "a hook that says nothing",
            good.replace(&program, &fake),
            (true, false),
            "hooks",
            "lets through",
        ),
        (
            "a shell of that name",
            good.replace(&format!("{home}/.local/share/guarded-sh/bin/guarded-bash"), &shell),
            (false, true),
            "shell",
            "runs what it should refuse",
        ),
        (
            "a hook that is gone",
            good.replace(&program, "/nowhere/guarded-sh"),
            (true, false),
            "hooks",
            "refuses what is harmless",
        ),
        (
            "hooks switched off",
            good.replacen('{', "{ \"disableAllHooks\": true,", 1),
            (true, false),
            "hooks",
            "switches the hooks off",
        ),
        (
            "broken settings",
            good.replacen(':', "", 1),
            (false, false),
            "shell",
            "is broken at line 2",
        ),
    ];
    for (name, text, expected, part, says) in rows {
        std::fs::write(&settings, text).unwrap();
        let (seen, code) = seen(&place, "claude");
        assert_eq!((guarded(&seen), code), (expected, Some(1)), "{name}: {seen}");
        assert!(seen[part]["seen"].as_str().unwrap().contains(says), "{name}: {seen}");
    }
    // The project's file is on top of the user's.
    std::fs::write(&settings, &good).unwrap();
    place.write("work/.git/HEAD", "ref: refs/heads/main\n");
    place.write("work/.claude/settings.json", r#"{"env": {"CLAUDE_CODE_SHELL": "/bin/bash"}}"#);
    let (project, _) = seen(&place, "claude");
    assert_eq!(guarded(&project), (false, true), "{project}");
    let mend = project["mend"][0].as_str().unwrap();
    assert!(mend.contains("take `env.CLAUDE_CODE_SHELL` out of ") && mend.contains("work/.claude"));
    // So is one that switches off what the user's settings hold.
    place.write("work/.claude/settings.json", r#"{"disableAllHooks": true}"#);
    let (project, _) = seen(&place, "claude");
    assert_eq!(guarded(&project), (true, false), "{project}");
    let mend = project["mend"][0].as_str().unwrap();
    assert!(mend.contains("take `disableAllHooks` out of ") && mend.contains("work/.claude"));
}

/// Measured with the clients (`tests/agents/rows`): each of these files of a project switches off what the user's settings hold.
#[test]
fn hooks_that_a_project_switches_off_are_no_guard_in_any_client() {
    for (agent, path, text, says) in [
        (
            "gemini",
            ".gemini/settings.json",
            r#"{"hooksConfig": {"enabled": false}}"#,
            "hooksConfig.enabled = false",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            r#"{"hooksConfig": {"disabled": ["mine", "guarded-sh"]}}"#,
            "hooksConfig.disabled = \"guarded-sh\"",
        ),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks = false"),
        (
            "copilot",
            ".github/copilot/settings.json",
            r#"{"disableAllHooks": true}"#,
            "disableAllHooks",
        ),
        ("copilot", ".claude/settings.json", r#"{"disableAllHooks": true}"#, "disableAllHooks"),
    ] {
        let place = Place::new();
        person(&place, &words(["install", agent]));
        place.write("work/.git/HEAD", "ref: refs/heads/main\n");
        place.write(&format!("work/{path}"), text);
        let (seen, code) = seen(&place, agent);
        assert_eq!((guarded(&seen), code), ((false, false), Some(1)), "{agent}: {seen}");
        let why = format!("`{says}` switches the hooks off");
        assert_eq!(seen["hooks"]["seen"], why, "{agent}: {seen}");
        let mend = seen["mend"].to_string().replace("\\\"", "\"");
        assert!(mend.contains(&format!("take `{says}` out of ")) && mend.contains(path), "{mend}");
    }
}

#[test]
fn a_variable_that_switches_a_plugin_off_is_seen() {
    let place = Place::new();
    person(&place, &words(["install", "opencode"]));
    for (value, hooks) in [("1", false), ("TRUE", false), ("0", true)] {
        let (seen, _) = seen_with(&place, "opencode", ("OPENCODE_PURE", value));
        assert_eq!(guarded(&seen), (true, hooks), "{value}: {seen}");
        assert_eq!(seen["mend"].to_string().contains("unset OPENCODE_PURE"), !hooks, "{seen}");
    }
}

#[test]
fn a_file_of_a_project_that_claude_ignores_unguards_nothing() {
    let place = Place::new();
    person(&place, &words(["install", "claude"]));
    place.write("work/.git/HEAD", "ref: refs/heads/main\n");
    let text = "{ // ours\n\"env\": {\"CLAUDE_CODE_SHELL\": \"/bin/bash\"}}";
    place.write("work/.claude/settings.json", text);
    let (seen, code) = seen(&place, "claude");
    assert_eq!((guarded(&seen), code), ((true, true), Some(0)), "{seen}");
    assert!(seen["remarks"].to_string().contains("takes nothing of"), "{seen}");
}

#[test]
fn what_is_broken_in_the_guard_is_named_and_not_installed_again() {
    let place = Place::new();
    person(&place, &words(["install", "claude"]));
    place.set("profile = [\n");
    let (broken, code) = seen(&place, "claude");
    assert_eq!((guarded(&broken), code), ((false, false), Some(1)), "{broken}");
    for part in ["shell", "hooks"] {
        let says = broken[part]["seen"].as_str().unwrap();
        assert!(says.contains("refuses everything") && says.contains("config.toml"), "{broken}");
    }
    assert!(!broken["mend"].to_string().contains("install"), "{broken}");
    place.set("");
    // A record that cannot be written.
    let state = place.home().join(".local/state/guarded-sh");
    std::fs::rename(&state, place.path("home/kept")).unwrap();
    std::fs::write(&state, "").unwrap();
    let (broken, code) = seen(&place, "claude");
    assert_eq!((guarded(&broken), code), ((false, false), Some(1)), "{broken}");
    let says = broken["shell"]["seen"].as_str().unwrap();
    assert!(says.contains("refuses everything") && says.contains("state/guarded-sh"), "{broken}");
    assert!(!broken["mend"].to_string().contains("install"), "{broken}");
}

#[test]
fn a_shell_that_a_start_up_file_gives_is_seen() {
    for (agent, line) in [
        ("gemini", "alias gemini='PATH=GUARD/path:$PATH gemini'"),
        ("copilot", "export COPILOT_BASH_PATH=GUARD/bin/guarded-bash"),
    ] {
        let place = Place::new();
        person(&place, &words(["install", agent]));
        let guard = format!("{}/.local/share/guarded-sh", place.home().display());
        let text = format!("# mine\n{}\n", line.replace("GUARD", &guard));
        place.write("home/.bashrc", text);
        let (seen, code) = seen(&place, agent);
        assert_eq!((guarded(&seen), code), ((true, true), Some(0)), "{seen}");
        assert!(seen["shell"]["what"].as_str().unwrap().contains(".bashrc"), "{seen}");
    }
}

#[test]
fn the_version_of_a_client_and_what_it_cannot_hold_are_said() {
    let place = Place::new();
    person(&place, &words(["install", "claude"]));
    let program = place.write("bin/claude", "#!/bin/sh\necho '2.1.197 (Claude Code)'\n");
    std::fs::set_permissions(program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let search = format!("{}:/usr/bin:/bin", place.path("bin").display());
    let call = alone(&place, &words(["doctor", "claude", "--json"])).env("PATH", search);
    let ended = call.run_within(std::time::Duration::from_secs(180)).unwrap();
    let all: Value = serde_json::from_str(&ended.out()).unwrap();
    assert_eq!(
        (all["agents"][0]["version"].as_str(), ended.code()),
        (Some("2.1.197"), Some(0)),
        "{all}"
    );
    assert!(
        all["agents"][0]["remarks"].to_string().contains("fails open: a hook that is killed"),
        "{all}"
    );
}

#[test]
fn what_is_not_guarded_stands_out_at_a_terminal() {
    let seen = Person::types(&Place::new(), "\"$GUARD\" doctor claude").ends_with(1);
    let (before, _) = seen.split_once("NOT GUARDED").unwrap();
    assert!(before.ends_with("\x1b[31m"), "{before:?}");
}

/// What is said of what is expected, and the exit status.
fn expected(place: &Place, what: &str) -> (Value, String, Option<i32>) {
    let call = alone(place, &words(["doctor", "claude", "--json", "--expect", what]));
    let ended = call.run_within(std::time::Duration::from_secs(180)).unwrap();
    let all: Value = serde_json::from_str(&ended.out()).unwrap_or_default();
    (all, ended.err(), ended.code())
}

#[test]
fn what_is_expected_holds_or_is_told_with_a_status_of_its_own() {
    let place = Place::new();
    // What is not guarded is told first.
    assert_eq!(expected(&place, "profile=balanced").2, Some(1));
    person(&place, &words(["install", "claude"]));
    let (all, _, status) = expected(&place, "profile=balanced");
    assert_eq!((&all["expected"][0]["met"], status), (&true.into(), Some(0)), "{all}");
    let policy = all["policy"].as_str().unwrap().to_owned();
    assert!(policy.starts_with("sha256:") && policy.len() == 71, "{policy}");
    let both = format!(
        "policy={policy},approval.wait=60,protected_branches=[\"main\", \"master\", \"release/*\"]"
    );
    let (all, _, status) = expected(&place, &both);
    assert_eq!(status, Some(0), "{all}");
    for (what, found) in [
        ("profile=strict", "\"balanced\""),
        ("approval.wait=61", "60"),
        ("record.directory=/var", ""),
        ("version=9.9.9", env!("CARGO_PKG_VERSION")),
        ("policy=sha256:00", policy.as_str()),
        ("policy=", policy.as_str()),
    ] {
        let (all, _, status) = expected(&place, what);
        let one = &all["expected"][0];
        assert_eq!(
            (&one["met"], &one["found"], status),
            (&false.into(), &found.into(), Some(3)),
            "{all}"
        );
    }
    // One word of a file, and it is another policy.
    place.set("profile = \"balanced\"\n");
    assert_eq!(expected(&place, &format!("policy={policy}")).2, Some(3));
    let shown = alone(&place, &words(["config", "--json"]))
        .run_within(std::time::Duration::from_secs(180))
        .unwrap();
    let shown: Value = serde_json::from_str(&shown.out()).unwrap();
    let now = shown["policy"].as_str().unwrap().to_owned();
    assert_eq!(expected(&place, &format!("policy={now}")).2, Some(0));
    // What is broken is as nobody expects.
    place.write("home/.config/guarded-sh/rules/x.toml", "pack = 3\n");
    let (all, _, status) = expected(&place, "profile=balanced");
    assert_eq!((&all["expected"][0]["found"], status), (&Value::Null, Some(1)), "{all}");
}

#[test]
fn what_nobody_can_expect_is_an_error() {
    let place = Place::new();
    for (what, says) in [
        ("profle=strict", "did you mean `profile`?"),
        ("x=1", "`guarded-sh config` shows them"),
        ("profile", "is no KEY=VALUE"),
        ("", "is no KEY=VALUE"),
    ] {
        let (_, said, status) = expected(&place, what);
        assert_eq!(status, Some(2), "{what}: {said}");
        assert!(said.contains(says), "{what}: {said}");
    }
}

#[test]
fn the_package_that_opencode_waits_for_is_named() {
    let place = Place::new();
    person(&place, &words(["install", "opencode"]));
    let (absent, code) = seen(&place, "opencode");
    assert!(absent["remarks"].to_string().contains("npm install --prefix"), "{absent}");
    assert_eq!(code, Some(0));
    place.write("home/.config/opencode/node_modules/@opencode-ai/plugin/package.json", "{}");
    let (there, _) = seen(&place, "opencode");
    assert!(there["remarks"].is_null(), "{there}");
}

#[test]
fn codex_runs_no_hook_that_it_does_not_trust() {
    let place = Place::new();
    person(&place, &words(["install", "codex"]));
    place.write("home/.codex/config.toml", "");
    let (seen, _) = seen(&place, "codex");
    assert!(seen["hooks"]["seen"].as_str().unwrap().contains("does not trust"), "{seen}");
}

#[test]
fn a_name_on_path_is_what_gemini_starts() {
    let place = Place::new();
    person(&place, &words(["install", "gemini"]));
    let path = format!("{}/.local/share/guarded-sh/path:/usr/bin:/bin", place.home().display());
    let call = alone(&place, &words(["doctor", "gemini"])).env("PATH", path);
    let ended = call.run_within(std::time::Duration::from_secs(180)).unwrap();
    assert_eq!(ended.code(), Some(0), "{}{}", ended.out(), ended.err());
}

#[test]
fn where_nobody_listens_for_questions_it_is_said() {
    let place = Place::new();
    person(&place, &words(["install", "claude"]));
    let page = || {
        let call = alone(&place, &words(["doctor", "claude"])).env("SHELL", "/bin/bash");
        call.run_within(std::time::Duration::from_secs(180)).unwrap().out()
    };
    assert!(page().contains("nobody listens for questions"), "{}", page());
    place.write("home/.local/share/guarded-sh/host.json", "{}");
    assert!(!page().contains("nobody listens for questions"), "{}", page());
}
