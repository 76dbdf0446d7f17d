//! What a machine's policy says, users and projects may make stricter and not looser, key by key.

use super::*;

/// A policy that says something of how strict answers are, and nothing else.
const STRICT: &str = "profile = \"strict\"\n";

/// What others write, the key that it is about, what is in force then, and what is said about it; nothing where it is in force.
type Row<'r> = (&'r str, &'r str, &'r str, &'r str, &'r str);

const POLICY: &str = "the machine has a policy (";
const SETS: &str = "the machine's policy holds it (";
const LOCKS: &str = "the machine's policy locks it (";

/// The policy, what a user writes, and so on.
#[rustfmt::skip]
const ROWS: &[Row<'_>] = &[
    // How strict answers are, nobody loosens where there is any policy.
    (STRICT, "profile = \"balanced\"", "profile", "\"strict\"", SETS),
    (STRICT, "profile = \"unattended\"", "profile", "\"strict\"", SETS),
    ("profile = \"unattended\"\n", "profile = \"strict\"", "profile", "\"strict\"", ""),
    (STRICT, "mode = \"shadow\"", "mode", "\"enforce\"", POLICY),
    (STRICT, "fence = \"off\"", "fence", "\"agents\"", POLICY),
    (STRICT, "fence = \"report\"", "fence", "\"agents\"", POLICY),
    (STRICT, "fence = \"on\"", "fence", "\"on\"", ""),
    (STRICT, "undo = \"rely\"", "undo", "\"off\"", POLICY),
    (STRICT, "contain = \"on\"", "contain", "\"off\"", POLICY),
    (STRICT, "[thresholds]\nbash = 0", "thresholds.bash", "95", POLICY),
    (STRICT, "[thresholds]\nbash = 99", "thresholds.bash", "99", ""),
    (STRICT, "[thresholds]\nread = 1", "thresholds.read", "93", POLICY),
    (STRICT, "[thresholds]\nwrite = 1", "thresholds.write", "97", POLICY),
    (STRICT, "[thresholds]\nedit = 1", "thresholds.edit", "97", POLICY),
    (STRICT, "[thresholds]\nweb = 1", "thresholds.web", "90", POLICY),
    (STRICT, "[thresholds]\nmcp = 1", "thresholds.mcp", "92", POLICY),
    ("thresholds.bash = 98\n", "[thresholds]\nbash = 96", "thresholds.bash", "98", SETS),
    (STRICT, "run.programs = \"record\"", "run.programs", "\"record\"", ""),
    ("run.programs = \"judge\"\n", "run.programs = \"record\"", "run.programs", "\"judge\"", SETS),
    (STRICT, "protected_branches = []", "protected_branches", "[\"main\", \"master\", \"release/*\"]", POLICY),
    (STRICT, "protected_branches = [\"dev\"]", "protected_branches", "[\"main\", \"master\", \"release/*\", \"dev\"]", ""),
    ("protected_branches = [\"prod\"]\n", "protected_branches = [\"dev\"]", "protected_branches", "[\"prod\", \"dev\"]", ""),
    (STRICT, "rules.disabled = [\"git.push.force\"]", "rules.disabled", "[]", POLICY),
    ("rules.disabled = [\"a.b\"]\n", "rules.disabled = [\"a.b\", \"c.d\"]", "rules.disabled", "[\"a.b\"]", SETS),
    (STRICT, "[[hooks]]\nevent = \"*\"\nmode = \"log-only\"", "hooks", "", POLICY),
    // What runs unasked is the user's, unless the policy says something of it.
    (STRICT, "safe_domains = [\"a.example\"]", "safe_domains", "[\"a.example\"]", ""),
    (STRICT, "safe_commands = [\"make\"]", "safe_commands", "[\"make\"]", ""),
    ("safe_domains = [\"a.example\", \"b.example\"]\n", "safe_domains = [\"*\"]", "safe_domains", "[]", SETS),
    ("safe_domains = [\"a.example\", \"b.example\"]\n", "safe_domains = [\"a.example\"]", "safe_domains", "[\"a.example\"]", ""),
    ("safe_commands = []\n", "safe_commands = [\"rm\"]", "safe_commands", "[]", SETS),
    ("undo.also = []\n", "undo.also = [\"/srv\"]", "undo.also", "[]", SETS),
    ("workspace_roots = []\n", "workspace_roots = [\"/srv\"]", "workspace_roots", "[]", SETS),
    ("rules.directories = []\n", "rules.directories = [\"/tmp/r\"]", "rules.directories", "[]", SETS),
    ("mcp.servers = [\"docs\"]\n", "mcp.servers = [\"docs\", \"evil\"]", "mcp.servers", "[\"docs\"]", SETS),
    ("mcp.tools = []\n", "mcp.tools = [\"*/*\"]", "mcp.tools", "[]", SETS),
    ("permit.locked_installs = false\n", "permit.locked_installs = true", "permit.locked_installs", "false", SETS),
    ("permit.locked_installs = true\n", "permit.locked_installs = false", "permit.locked_installs", "false", ""),
    ("permit.documentation_hosts = false\n", "permit.documentation_hosts = true", "permit.documentation_hosts", "false", SETS),
    ("real_shell = \"/bin/bash\"\n", "real_shell = \"/tmp/sh\"", "real_shell", "\"/bin/bash\"", SETS),
    ("approval.wait = 30\n", "approval.wait = 0", "approval.wait", "30", SETS),
    ("record.directory = \"/var/log/guarded-sh\"\n", "record.directory = \"/tmp/x\"", "record.directory", "\"/var/log/guarded-sh\"", SETS),
    ("record.keep_days = 400\n", "record.keep_days = 1", "record.keep_days", "400", SETS),
    ("record.fsync = true\n", "record.fsync = false", "record.fsync", "true", SETS),
    ("startup.bash_env = \"/etc/ours\"\n", "startup.bash_env = \"/tmp/x\"", "startup.bash_env", "\"/etc/ours\"", SETS),
    ("undo.days = 30\n", "undo.days = 1", "undo.days", "30", SETS),
    ("model.mode = \"off\"\n", "model.mode = \"decide\"", "model.mode", "\"off\"", SETS),
    ("model.safety = 95\n", "model.safety = 0", "model.safety", "95", SETS),
    ("model.providers = []\n", "[[model.providers]]\nkind = \"openai\"\nmodel = \"m\"", "model.providers", "[]", SETS),
    ("page.port = 0\n", "page.port = 80", "page.port", "0", SETS),
    ("page.serve = false\n", "page.serve = true", "page.serve", "false", SETS),
    ("desktop.tray = false\n", "desktop.tray = true", "desktop.tray", "false", SETS),
    ("page.remote.host = \"a.example\"\n", "page.remote.host = \"b.example\"", "page.remote.host", "\"a.example\"", SETS),
    ("page.remote.listen = \"127.0.0.1:1\"\n", "page.remote.listen = \"127.0.0.1:2\"", "page.remote.listen", "\"127.0.0.1:1\"", SETS),
    ("page.remote.user = \"proxy\"\n", "page.remote.user = \"dev\"", "page.remote.user", "\"proxy\"", SETS),
    ("page.notify.ntfy = \"https://a.example/t\"\n", "page.notify.ntfy = \"https://b.example/t\"", "page.notify.ntfy", "\"https://a.example/t\"", SETS),
    ("page.notify.token_file = \"/etc/t\"\n", "page.notify.token_file = \"/tmp/t\"", "page.notify.token_file", "\"/etc/t\"", SETS),
    ("page.notify.webhooks = []\n", "[[page.notify.webhooks]]\nurl = \"https://b.example\"", "page.notify.webhooks", "[]", SETS),
    ("page.passkey = \"high\"\n", "page.passkey = \"off\"", "page.passkey", "\"high\"", SETS),
    ("page.remote.answer = false\n", "page.remote.answer = true", "page.remote.answer", "false", SETS),
    ("page.notify.tells = []\n", "page.notify.tells = [\"line\"]", "page.notify.tells", "[]", SETS),
    ("mcp.serve = false\n", "mcp.serve = true", "mcp.serve", "false", SETS),
    ("mcp.port = 1\n", "mcp.port = 2", "mcp.port", "1", SETS),
    ("mcp.listen = []\n", "mcp.listen = [\"172.17.0.1:1\"]", "mcp.listen", "[]", SETS),
    ("mcp.hosts = []\n", "mcp.hosts = [\"a.example\"]", "mcp.hosts", "[]", SETS),
    ("mcp.origins = []\n", "mcp.origins = [\"https://a.example\"]", "mcp.origins", "[]", SETS),
    ("mcp.approval = \"always\"\n", "mcp.approval = \"by-risk\"", "mcp.approval", "\"always\"", SETS),
    ("mcp.wait = 10\n", "mcp.wait = 20", "mcp.wait", "10", SETS),
    ("mcp.pass = []\n", "mcp.pass = [\"GH_TOKEN\"]", "mcp.pass", "[]", SETS),
    ("undo.files = 50\n", "undo.files = 1", "undo.files", "50", SETS),
    ("undo.bytes = \"1 GB\"\n", "undo.bytes = \"1 B\"", "undo.bytes", "1000000000", SETS),
    ("undo.millis = 500\n", "undo.millis = 1", "undo.millis", "500", SETS),
    ("undo.size = \"2 GB\"\n", "undo.size = \"1 B\"", "undo.size", "2000000000", SETS),
    ("language = \"de\"\n", "language = \"fr\"", "language", "\"de\"", SETS),
    ("approval.popup = false\n", "approval.popup = true", "approval.popup", "false", SETS),
    ("approval.notify = false\n", "approval.notify = true", "approval.notify", "false", SETS),
    ("approval.open = []\n", "approval.open = [\"/tmp/x\"]", "approval.open", "[]", SETS),
    ("record.forward = \"journald\"\n", "record.forward = \"unix:/tmp/x\"", "record.forward", "\"journald\"", SETS),
    ("record.ran = true\n", "record.ran = false", "record.ran", "true", SETS),
    ("startup.rcfile = \"/etc/ours\"\n", "startup.rcfile = \"/tmp/x\"", "startup.rcfile", "\"/etc/ours\"", SETS),
    ("startup.env = \"/etc/ours\"\n", "startup.env = \"/tmp/x\"", "startup.env", "\"/etc/ours\"", SETS),
    ("model.limit_ms = 400\n", "model.limit_ms = 9000", "model.limit_ms", "400", SETS),
    ("model.strong_limit_ms = 900\n", "model.strong_limit_ms = 9000", "model.strong_limit_ms", "900", SETS),
    ("model.confidence = 95\n", "model.confidence = 0", "model.confidence", "95", SETS),
    ("model.day_calls = 10\n", "model.day_calls = 10000", "model.day_calls", "10", SETS),
    ("model.day_tokens = 1000\n", "model.day_tokens = 100000", "model.day_tokens", "1000", SETS),
    ("model.day_money = 1.0\n", "model.day_money = 100.0", "model.day_money", "1.00", SETS),
    ("model.session_calls = 10\n", "model.session_calls = 10000", "model.session_calls", "10", SETS),
    ("model.session_tokens = 1000\n", "model.session_tokens = 100000", "model.session_tokens", "1000", SETS),
    ("model.session_money = 1.0\n", "model.session_money = 100.0", "model.session_money", "1.00", SETS),
    ("model.commits = false\n", "model.commits = true", "model.commits", "false", SETS),
    ("model.files = false\n", "model.files = true", "model.files", "false", SETS),
    ("model.opaque = []\n", "model.opaque = [\"unread-code\"]", "model.opaque", "[]", SETS),
    ("model.at_once = 1\n", "model.at_once = 8", "model.at_once", "1", SETS),
    ("permit.contained_network = false\n", "permit.contained_network = true", "permit.contained_network", "false", SETS),
    // What is locked, nobody else sets.
    ("locked = [\"safe_*\"]\n", "safe_domains = [\"a.example\"]", "safe_domains", "[]", LOCKS),
    ("locked = [\"profile\"]\n", "profile = \"strict\"", "profile", "\"balanced\"", LOCKS),
    ("locked = [\"permit.*\"]\n", "permit.project_compose = true", "permit.project_compose", "false", LOCKS),
    ("locked = [\"hooks\"]\n", "[[hooks]]\nevent = \"*\"\nmode = \"judge\"\nthreshold = 99", "hooks", "", LOCKS),
    ("locked = [\"*\"]\n", "approval.wait = 0", "approval.wait", "60", LOCKS),
    ("locked = [\"protected_branches\"]\n", "protected_branches = [\"dev\"]", "protected_branches", "[\"main\", \"master\", \"release/*\"]", LOCKS),
];

/// Returns what is in force of a key; empty where nothing is.
fn in_force(settings: &Settings, key: &str) -> String {
    let rows = show(settings);
    rows.into_iter().find(|row| row.name == key).map_or_else(String::new, |row| row.value)
}

/// What nobody writes otherwise: there is one value.
const ONE_VALUE: [&str; 1] = ["default_action"];

#[test]
fn every_key_has_a_row_that_would_loosen_it() {
    for row in show(&Settings::default()) {
        let tries = ROWS.iter().any(|(_, _, key, _, says)| *key == row.name && !says.is_empty());
        assert!(tries || ONE_VALUE.contains(&row.name), "{} has none", row.name);
    }
}

#[test]
fn users_make_a_policy_stricter_and_not_looser() {
    for (policy, user, key, value, says) in ROWS {
        let machine = Machine::new();
        machine.write("etc/policy.toml", policy);
        machine.user(user);
        let settings = machine.settings();
        assert_eq!(in_force(&settings, key), *value, "{policy}{user}");
        let said: Vec<String> = settings.warnings.iter().map(ToString::to_string).collect();
        match *says {
            "" => assert_eq!(said, [""; 0], "{policy}{user}"),
            says => {
                let is_said = said.len() == 1 && said[0].contains(says);
                assert!(is_said && said[0].contains("policy.toml:1)"), "{policy}{user}: {said:?}");
            }
        }
    }
}

/// Whoever else writes something has no more to say than a user.
#[test]
fn nobody_else_loosens_a_policy() {
    for (policy, text, key, _, says) in ROWS.iter().filter(|row| !row.4.is_empty()) {
        let alone = || {
            let machine = Machine::new();
            machine.write("etc/policy.toml", policy);
            machine
        };
        let before = in_force(&alone().settings(), key);
        // The machine's own settings stand below its policy: where that says nothing, they count.
        let machine = alone();
        machine.system(text);
        if *says == SETS {
            assert_eq!(in_force(&machine.settings(), key), before, "{policy}{text}");
        }
        // A project, trusted and not.
        for is_trusted in [true, false] {
            let machine = alone();
            let path = machine.write("work/.guarded-sh.toml", text);
            if is_trusted {
                trust::pin(&machine.places, uid(), &[path]).unwrap();
            }
            let now = in_force(&machine.settings(), key);
            let is_narrower = *value_of(policy, text) == *now;
            assert!(now == before || is_trusted && is_narrower, "{policy}{text}: {now}");
        }
        // A home that an agent names.
        let mut machine = alone();
        machine.named(Some("elsewhere"), None);
        machine.write("elsewhere/.config/guarded-sh/config.toml", text);
        assert_eq!(in_force(&machine.settings(), key), before, "{policy}{text}");
    }
}

/// Returns what a row says is in force.
fn value_of(policy: &str, text: &str) -> &'static str {
    ROWS.iter().find(|row| row.0 == policy && row.1 == text).unwrap().3
}

#[test]
fn files_of_a_policy_add_to_each_other_and_override_each_other() {
    let machine = Machine::new();
    machine.system("safe_domains = [\"old.example\"]\nprofile = \"balanced\"\n");
    machine.write("etc/policy.toml", "profile = \"strict\"\nsafe_domains = [\"a.example\"]\n");
    machine.write("etc/policy.d/20-b.toml", "safe_domains = [\"b.example\", \"a.example\"]\n");
    machine.write("etc/policy.d/10-a.toml", "protected_branches = [\"a\"]\n");
    machine
        .write("etc/policy.d/30-c.toml", "protected_branches = [\"c\"]\nprofile = \"balanced\"\n");
    machine.write("etc/policy.d/40.toml.dpkg-old", "profile = \"balanced\"\n");
    let settings = machine.settings();
    assert_eq!(settings.safe_domains.value, ["a.example", "b.example"]);
    assert_eq!(settings.protected_branches.value, ["a", "c"]);
    assert_eq!(settings.profile.value, Profile::Balanced);
    assert_eq!(settings.warnings, []);
}

#[test]
fn what_is_locked_is_shown_as_locked() {
    let machine = Machine::new();
    let policy = machine.write("etc/policy.toml", "\nlocked = [\"permit.*\", \"mode\"]\n");
    let rows = show(&machine.settings());
    let lock = |name: &str| {
        let row = rows.iter().find(|row| row.name == name).unwrap();
        row.locked.as_ref().map(ToString::to_string)
    };
    assert_eq!(lock("mode"), Some(format!("{}:2", policy.display())));
    assert_eq!(lock("permit.locked_installs"), lock("mode"));
    assert_eq!(lock("profile"), None);
}

#[test]
fn a_policy_that_cannot_be_read_lets_nothing_load() {
    let machine = Machine::new();
    for (text, says) in [
        (
            "profile = ",
            "etc/policy.toml:1:11: string values must be quoted, expected literal string",
        ),
        ("locked = [\"nothing\"]", "there is no setting `nothing` to lock"),
        ("locked = [\"[\"]", "there is no setting `[` to lock"),
    ] {
        machine.write("etc/policy.toml", text);
        let error = machine.error();
        assert!(error.contains(says), "{text}: {error}");
    }
    fs::remove_file(machine.path("etc/policy.toml")).unwrap();
    fs::create_dir(machine.path("etc/policy.toml")).unwrap();
    assert!(machine.error().contains("is not a regular file"));
    fs::remove_dir(machine.path("etc/policy.toml")).unwrap();
    machine.write("etc/policy.d", "no directory");
    assert!(machine.load().is_ok());
    machine.user("locked = [\"mode\"]");
    assert!(machine.error().contains("`locked` is for the machine's policy"));
}

#[test]
fn rules_of_a_machine_with_a_policy_are_switched_off_by_nobody() {
    let machine = Machine::new();
    machine.write("etc/rules/org.toml", pack("org.zz", ""));
    machine.user("rules.disabled = [\"org.zz\"]");
    assert_eq!(machine.ids("zz"), [""; 0]);
    machine.write("etc/policy.toml", "");
    assert_eq!(machine.ids("zz"), ["org.zz"]);
    machine.write("etc/policy.toml", "rules.disabled = [\"org.zz\"]");
    assert_eq!(machine.ids("zz"), [""; 0]);
}
