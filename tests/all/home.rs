//! Whose home it is: that of the user database, else a `HOME` that only this user can write to; and there everything is written and found.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::subcommands::person::Person;
use crate::support::{Call, Place, guard};

/// Whether the user that runs it is in the user database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum User {
    Listed,
    Unlisted,
}

impl User {
    /// A shell script of such a user, with this `HOME`.
    fn script(self, place: &Place, home: Option<&str>, script: &str) -> Call {
        let call = match self {
            Self::Listed => place.call("/bin/bash"),
            Self::Unlisted => place.call("/usr/bin/unshare").args([
                "-U",
                "--map-user=4711",
                "--map-group=4711",
                "/bin/bash",
            ]),
        };
        let call = call.args(["-c", script]).env("GUARD", guard()).env("PLACE", place.path(""));
        match home {
            Some(home) if home.starts_with("./") => call.env("HOME", home),
            Some(home) => call.env("HOME", place.path(home)),
            None => call.without("HOME"),
        }
    }
}

/// A place with a repository to work in, and directories that may be homes.
fn place() -> Place {
    let place = Place::new();
    for directory in ["work/.git", "work/other", "other", "open"] {
        fs::create_dir_all(place.path(directory)).unwrap();
    }
    fs::set_permissions(place.path("open"), PermissionsExt::from_mode(0o777)).unwrap();
    place.write("file", "");
    place.link("claude", "/bin/bash".as_ref());
    place
}

/// A person writes a rule, an agent works by it, and the person finds what the agent did and takes the rule back.
const ALL: &str = r#"
"$GUARD" allow 'npm ci'; echo "allow $?"
CLAUDECODE=1 "$GUARD" check 'npm ci' >judged; echo "agent $?"
CLAUDECODE=1 "$GUARD" -c 'echo it ran'
"$GUARD" log | grep -c 'echo it ran'
"$GUARD" rules list | grep -c 'approved[.]npm'
"$GUARD" config set profile strict; "$GUARD" config get profile
"$GUARD" rules undo >undone; echo "undo $?"
"$GUARD" check 'npm ci' >judged; echo "back $?"
echo status:0
"#;

#[test]
fn what_is_written_is_found_again_whatever_home_says() {
    for (user, home, expected) in [
        (User::Listed, Some("home"), Some("home")),
        (User::Listed, Some("other"), Some("home")),
        (User::Listed, Some("open"), Some("home")),
        (User::Listed, Some("./other"), Some("home")),
        (User::Listed, None, Some("home")),
        (User::Unlisted, Some("other"), Some("other")),
        (User::Unlisted, Some("open"), None),
        (User::Unlisted, Some("file"), None),
        (User::Unlisted, Some("absent"), None),
        (User::Unlisted, Some("./other"), None),
        (User::Unlisted, None, None),
    ] {
        let place = place();
        let row = format!("{user:?} {home:?}");
        let seen = Person::runs(&user.script(&place, home, ALL)).ends_with(0);
        let there = ["home", "other", "open", "work/other"]
            .into_iter()
            .filter(|home| place.path(home).join(".local/state/guarded-sh/records").exists());
        assert_eq!(there.collect::<Vec<_>>(), Vec::from_iter(expected), "{row}: {seen}");
        let lines: Vec<&str> = seen.lines().map(str::trim_end).collect();
        let has = |line: &str| lines.contains(&line);
        let said = ["allow 0", "agent 0", "it ran", "1", "\"strict\"", "undo 0", "back 1"];
        if expected.is_some() {
            assert!(said.into_iter().all(has), "{row}: {seen}");
        } else {
            assert!(!said[..4].iter().copied().any(has), "{row}: {seen}");
            for why in ["to keep records in: the user database has none", "no HOME that counts"] {
                assert!(seen.contains(why), "{row}: {seen}");
            }
        }
        let told = user == User::Listed && matches!(home, Some("other" | "open"));
        assert_eq!(seen.contains("whatever HOME and XDG_CONFIG_HOME say"), told, "{row}: {seen}");
    }
}

/// What would let everything run.
const LOOSE: &str = "[thresholds]\nbash = 0\n";

#[test]
fn nobody_chooses_a_home_for_a_line() {
    let judges = "HOME=$PLACE/evil \"$GUARD\" check --json 'npm ci'; true";
    let below = |name: &str| format!("{name} -c '{}'; true", judges.replace('\'', "'\\''"));
    for (user, home, script, action) in [
        (User::Listed, Some("home"), judges.to_owned(), "ask"),
        (User::Listed, None, judges.to_owned(), "ask"),
        (User::Unlisted, Some("other"), judges.to_owned(), "ask"),
        (User::Unlisted, Some("other"), below("claude"), "ask"),
        (User::Unlisted, Some("open"), below("claude"), "ask"),
        (User::Unlisted, None, below("claude"), "ask"),
        // With no agent there, it is a person who says it.
        (User::Unlisted, None, judges.to_owned(), "allow"),
    ] {
        let place = place();
        place.write("evil/.config/guarded-sh/config.toml", LOOSE);
        let ended = user.script(&place, home, &script).run();
        let verdict: Value = serde_json::from_str(&ended.out()).unwrap_or_default();
        assert_eq!(verdict["action"], action, "{user:?} {home:?} {script}: {ended:?}");
    }
}

#[test]
fn settings_that_home_names_elsewhere_can_only_tighten() {
    for (settings, action) in [
        (LOOSE, "ask"),
        ("mode = \"shadow\"\nprofile = \"strict\"\n", "ask"),
        ("[thresholds]\nbash = 100\n", "ask"),
        ("profile = \"unattended\"\n", "deny"),
    ] {
        let place = place();
        place.write("other/.config/guarded-sh/config.toml", settings);
        let script = "\"$GUARD\" check --json 'npm ci'; true";
        let ended = User::Listed.script(&place, Some("other"), script).run();
        let verdict: Value = serde_json::from_str(&ended.out()).unwrap_or_default();
        assert_eq!(verdict["action"], action, "{settings}: {ended:?}");
    }
}
