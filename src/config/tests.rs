//! Settings from files to values, and everything that can be wrong with them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;
use crate::model::{Mode, Profile, Programs};
use crate::rules::{EffectMask, Entry, Examples};
use crate::sys::Stamp;

mod files;
mod policy;

/// A machine with one user, in a temporary directory.
struct Machine {
    root: TempDir,
    places: Places,
}

impl Machine {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        let places = Places::below(
            root.path().join("etc"),
            Some(root.path().join("home")),
            Environment::default(),
        );
        Self { root, places }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// Writes a file, and its directories, so that nobody else may.
    fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn system(&self, text: &str) {
        self.write("etc/config.toml", text);
    }

    fn user(&self, text: &str) {
        self.write(USER, text);
    }

    /// Has the environment name another place for settings.
    fn named(&mut self, home: Option<&str>, config_home: Option<&str>) {
        let (home, config) = (home.map(|p| self.path(p)), config_home.map(|p| self.path(p)));
        let environment = Environment {
            home: home.as_deref().map(Path::as_os_str),
            config_home: config.as_deref().map(Path::as_os_str),
        };
        let Places { system, home, .. } = self.places.clone();
        self.places = Places::below(system, home, environment);
    }

    fn load_with(&self, cwd: &str, check: &ExampleCheck<'_>) -> Result<Loaded, Error> {
        let (cwd, workspace) = (self.path(cwd), self.path("work"));
        load(&LoadRequest {
            uid: uid(),
            places: &self.places,
            cwd: Some(&cwd),
            workspace: Some(&workspace),
            profile: None,
            cache: CacheUse::Use,
            check,
        })
    }

    fn load(&self) -> Result<Loaded, Error> {
        self.load_with("work/sub", &agrees)
    }

    fn settings(&self) -> Settings {
        self.load().unwrap().settings
    }

    /// The error, with the temporary directory cut off its paths.
    fn error(&self) -> String {
        let error = self.load().expect_err("this must not load");
        assert!(!error.hint().is_empty() && !error.render(Style::Plain).is_empty());
        error.to_string().replace(&format!("{}/", self.root.path().display()), "")
    }

    fn ids(&self, program: &str) -> Vec<String> {
        let rules = self.load().unwrap().rules;
        let found = rules.candidates(&[program], &EffectMask::default()).unwrap();
        found.iter().map(|entry| entry.rule.id.clone()).collect()
    }
}

const USER: &str = "home/.config/guarded-sh/config.toml";
const USER_RULES: &str = "home/.config/guarded-sh/rules";

fn uid() -> u32 {
    nix::unistd::Uid::effective().as_raw()
}

#[allow(clippy::unnecessary_wraps, reason = "an example check")]
fn agrees(_: &RuleSet, _: &Entry, _: &Examples) -> Result<(), ExampleError> {
    Ok(())
}

/// A pack with one rule about the program `zz`.
fn pack(id: &str, more: &str) -> String {
    let name = id.split('.').next().unwrap();
    format!(
        "pack = \"{name}\"\n[[rule]]\nid = \"{id}\"\ncommand = [\"zz\"]\nseverity = \"low\"\n\
         reason = \"r\"\nmatches = [\"zz\"]\npasses = [\"yy\"]\n{more}\n"
    )
}

#[test]
fn without_files_the_defaults_hold() {
    let loaded = Machine::new().load().unwrap();
    assert_eq!(loaded.settings, Settings::default());
    let t = &loaded.settings.thresholds;
    let scores = [&t.bash, &t.read, &t.write, &t.edit, &t.web, &t.mcp].map(|t| t.value);
    assert_eq!(scores, [95, 93, 97, 97, 90, 92]);
    assert_eq!(loaded.settings.mode.value, Mode::Enforce);
    assert_eq!(loaded.settings.approval.wait.value, 60);
}

#[test]
fn later_files_win_and_each_value_says_where_it_comes_from() {
    let machine = Machine::new();
    machine.system("profile = \"strict\"\nsafe_domains = [\"a.b\"]\n[thresholds]\nbash = 99\n");
    machine.user(
        "mode = \"shadow\"\nprofile = \"balanced\"\nsafe_commands = [\"git log\", \"'a b' c\"]\n\
         workspace_roots = [\"~/src\"]\nprotected_branches = [\"trunk\"]\n[record]\nkeep_days = 7\n\
         [approval]\nwait = 0\nopen = [\"foot\", \"{id}\"]\n[startup]\nrcfile = \"~/.bashrc\"\n",
    );
    let settings = machine.settings();
    assert_eq!(settings.profile.value, Profile::Balanced);
    assert_eq!(settings.thresholds.bash.value, 99);
    assert_eq!(settings.mode.value, Mode::Shadow);
    assert_eq!(settings.safe_commands.value, [vec!["git", "log"], vec!["a b", "c"]]);
    assert_eq!(settings.workspace_roots.value, [machine.path("home/src")]);
    assert_eq!(settings.protected_branches.value, ["trunk"]);
    assert_eq!(settings.record.keep_days.value, Some(7));
    assert_eq!(settings.approval.wait.value, 0);
    assert_eq!(settings.startup.rcfile.value, Some(machine.path("home/.bashrc")));
    let rows = show(&settings);
    let row = |name: &str| {
        let row = rows.iter().find(|row| row.name == name).unwrap();
        let origin = row.origin.to_string();
        let file = origin.rsplit('/').next().unwrap().to_owned();
        (row.value.clone(), file)
    };
    assert_eq!(row("profile"), ("\"balanced\"".into(), "config.toml:2".into()));
    assert_eq!(row("thresholds.bash"), ("99".into(), "config.toml:4".into()));
    assert_eq!(row("thresholds.web"), ("90".into(), "default".into()));
    assert_eq!(row("safe_commands"), ("[\"git log\", \"'a b' c\"]".into(), "config.toml:3".into()));
    assert_eq!(row("approval.wait"), ("0".into(), "config.toml:9".into()));
    assert_eq!(row("approval.notify"), ("true".into(), "default".into()));
    assert_eq!(row("approval.open"), ("[\"foot\", \"{id}\"]".into(), "config.toml:10".into()));
    assert_eq!(row("real_shell"), (String::new(), "default".into()));
    assert!(settings.warnings.is_empty());
}

/// Settings of which every one loosens the defaults.
const LOOSE: &str = "mode = \"shadow\"\nsafe_commands = [\"rm\"]\nsafe_domains = [\"*\"]\n\
    workspace_roots = [\"/etc\"]\nreal_shell = \"/tmp/x\"\n[thresholds]\nbash = 0\nmcp = 91\n\
    [record]\ndirectory = \"/tmp/x\"\nkeep_days = 1\nfsync = true\n\
    [startup]\nrcfile = \"/tmp/x\"\nbash_env = \"/tmp/x\"\nenv = \"/tmp/x\"\n\
    [approval]\npopup = true\nnotify = false\nopen = [\"/tmp/x\"]\n\
    [rules]\ndirectories = [\"/tmp/x\"]\ndisabled = [\"git.push\"]\n";

/// Settings of which every one tightens the defaults.
const TIGHT: &str = "profile = \"strict\"\nmode = \"enforce\"\nprotected_branches = [\"main\", \"dev\"]\n\
    [thresholds]\nbash = 100\n[run]\nprograms = \"judge\"\n";

fn assert_tightened(settings: &Settings) {
    assert_eq!(settings.profile.value, Profile::Strict);
    assert_eq!(settings.mode.value, Mode::Enforce);
    assert_eq!(settings.thresholds.bash.value, 100);
    assert_eq!(settings.programs.value, Programs::Judge);
    assert_eq!(settings.protected_branches.value, ["main", "master", "release/*", "dev"]);
}

#[test]
fn a_project_may_tighten() {
    let machine = Machine::new();
    machine.user("mode = \"shadow\"");
    machine.write("work/.guarded-sh.toml", TIGHT);
    let settings = machine.settings();
    assert_tightened(&settings);
    assert!(settings.warnings.is_empty(), "{:?}", settings.warnings);
}

#[test]
fn a_project_that_is_not_trusted_loosens_nothing_and_each_try_is_told() {
    let machine = Machine::new();
    machine.write("work/.guarded-sh.toml", LOOSE);
    let mut settings = machine.settings();
    assert_eq!(settings.warnings.len(), 18, "{:?}", settings.warnings);
    assert!(settings.warnings[0].to_string().contains("/.guarded-sh.toml:1: `mode` is ignored"));
    settings.warnings.clear();
    assert_eq!(settings, Settings::default());
}

#[test]
fn a_session_is_stricter_or_nothing() {
    for (owner, session, profile, origin) in [
        ("balanced", "strict", Profile::Strict, "session"),
        ("balanced", "unattended", Profile::Unattended, "session"),
        ("unattended", "unattended", Profile::Unattended, "config.toml:1"),
        ("strict", "unattended", Profile::Strict, "config.toml:1"),
        ("strict", "balanced", Profile::Strict, "config.toml:1"),
    ] {
        let machine = Machine::new();
        machine.user(&format!("profile = \"{owner}\""));
        let request = LoadRequest {
            uid: uid(),
            places: &machine.places,
            cwd: None,
            workspace: None,
            profile: Profile::named(session),
            cache: CacheUse::Use,
            check: &agrees,
        };
        let settings = load_settings(&request, &[]).unwrap();
        assert_eq!(settings.profile.value, profile, "{owner} {session}");
        let said = settings.profile.origin.to_string();
        assert!(said.ends_with(origin), "{owner} {session}: {said}");
    }
}

#[test]
fn a_project_that_loosens_an_owners_strictness_is_passed_over() {
    let machine = Machine::new();
    machine.user("profile = \"strict\"");
    machine.write("work/sub/.guarded-sh.toml", "profile = \"unattended\"");
    let settings = machine.settings();
    assert_eq!(settings.profile.value, Profile::Strict);
    assert_eq!(settings.warnings.len(), 1);
}

#[test]
fn trust_holds_for_the_content_and_nothing_else() {
    let machine = Machine::new();
    let file = machine.write("work/.guarded-sh.toml", "mode = \"shadow\"");
    let files = project_files(&machine.path("work")).unwrap();
    assert_eq!(files, std::slice::from_ref(&file));
    let status = || trust::status(&machine.places, uid(), &files).unwrap()[0].1;
    assert_eq!(status(), Trust::Unknown);
    assert_eq!(trust::pin(&machine.places, uid(), &files).unwrap(), 1);
    assert_eq!(status(), Trust::Pinned);
    assert_eq!(machine.settings().mode.value, Mode::Shadow);

    fs::write(&file, "mode = \"shadow\"\n").unwrap();
    assert_eq!(status(), Trust::Changed);
    let settings = machine.settings();
    assert_eq!(settings.mode.value, Mode::Enforce);
    assert!(settings.warnings[0].message.contains("changed since it was trusted"));

    fs::write(&file, "mode = \"shadow\"").unwrap();
    assert_eq!(machine.settings().mode.value, Mode::Shadow);
    // The same content elsewhere is another file.
    let other = machine.write("work/sub/.guarded-sh.toml", "mode = \"shadow\"");
    assert_eq!(trust::status(&machine.places, uid(), &[other]).unwrap()[0].1, Trust::Unknown);
    assert_eq!(trust::unpin(&machine.places, uid(), &files).unwrap(), 1);
    assert_eq!(machine.settings().mode.value, Mode::Enforce);
    assert_eq!(trust::unpin(&machine.places, uid(), &files).unwrap(), 0);

    let store = machine.path("home/.local/state/guarded-sh/trust.json");
    assert_eq!(fs::metadata(&store).unwrap().permissions().mode() & 0o777, 0o600);
    let directory = fs::metadata(store.parent().unwrap()).unwrap();
    assert_eq!(directory.permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_damaged_record_of_trust_trusts_nothing_and_is_not_overwritten() {
    let machine = Machine::new();
    let file = machine.write("work/.guarded-sh.toml", "mode = \"shadow\"");
    let files = [file];
    trust::pin(&machine.places, uid(), &files).unwrap();
    let store = machine.write("home/.local/state/guarded-sh/trust.json", "{\"pins\":");
    let settings = machine.settings();
    assert_eq!(settings.mode.value, Mode::Enforce);
    assert!(settings.warnings[0].message.contains("no project is trusted"));
    assert!(matches!(trust::pin(&machine.places, uid(), &files), Err(Error::TrustStore { .. })));
    assert_eq!(fs::read_to_string(&store).unwrap(), "{\"pins\":");
    // One that others may write could have been written by them.
    fs::write(&store, "{}").unwrap();
    fs::set_permissions(&store, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(matches!(
        trust::pin(&machine.places, uid(), &files),
        Err(Error::OthersMayWrite { .. })
    ));
}

#[test]
fn an_inner_project_file_does_not_hide_the_outer_one() {
    let machine = Machine::new();
    machine.write("work/.guarded-sh.toml", "profile = \"strict\"");
    machine.write("work/sub/.guarded-sh.toml", "");
    assert_eq!(machine.settings().profile.value, Profile::Strict);
    // Files above the workspace's root are not the project's.
    machine.write(".guarded-sh.toml", "[thresholds]\nbash = 100");
    assert_eq!(machine.settings().thresholds.bash.value, 95);
}

#[test]
fn what_the_environment_names_never_loosens() {
    for (home, config_home) in [(Some("evil"), None), (None, Some("evil/.config"))] {
        let mut machine = Machine::new();
        machine.write("evil/.config/guarded-sh/config.toml", LOOSE);
        machine
            .write("evil/.config/guarded-sh/rules/a.toml", pack("a.b", "recommend = \"approve\""));
        machine.named(home, config_home);
        let mut settings = machine.settings();
        assert_eq!(settings.warnings.len(), 18);
        settings.warnings.clear();
        assert_eq!(settings, Settings::default());
        assert!(machine.ids("zz").is_empty());

        // The owner's own strictness is not lost by pointing elsewhere.
        machine.user("profile = \"strict\"\n[thresholds]\nbash = 100");
        let settings = machine.settings();
        assert_eq!(
            (settings.profile.value, settings.thresholds.bash.value),
            (Profile::Strict, 100)
        );
        // What is named may tighten.
        machine.user("");
        machine.write("evil/.config/guarded-sh/config.toml", TIGHT);
        machine.write("evil/.config/guarded-sh/rules/a.toml", pack("a.b", "deny = true"));
        assert_tightened(&machine.settings());
        assert_eq!(machine.ids("zz"), ["untrusted.a.b"]);
    }
}

#[test]
fn the_environment_does_not_move_trust_or_compiled_rules() {
    let mut machine = Machine::new();
    let file = machine.write("work/.guarded-sh.toml", "mode = \"shadow\"");
    let evil = Machine::new();
    trust::pin(&evil.places, uid(), &[file]).unwrap();
    machine.named(Some(evil.path("home").to_str().unwrap()), None);
    assert_eq!(machine.settings().mode.value, Mode::Enforce);
    assert_eq!(machine.places.cache(), Some(machine.path("home/.cache/guarded-sh")));
}

#[test]
fn naming_the_owners_own_directory_is_no_other_place() {
    let mut machine = Machine::new();
    machine.user("mode = \"shadow\"");
    symlink(machine.path("home"), machine.path("link")).unwrap();
    for (home, config_home) in [
        (Some("home"), None),
        (Some("link"), None),
        (Some("evil"), Some("home/.config")),
        (Some("home"), Some("link/.config")),
    ] {
        machine.named(home, config_home);
        assert_eq!(machine.places.foreign, None);
        assert_eq!(machine.settings().mode.value, Mode::Shadow);
    }
    // A path that is not absolute names nothing.
    let relative = Environment { home: Some(OsStr::new("x")), config_home: Some(OsStr::new("y")) };
    let Places { system, home, .. } = machine.places.clone();
    assert_eq!(Places::below(system, home, relative).foreign, None);
}

#[test]
fn a_uid_without_home_has_only_the_machines_settings_to_loosen() {
    let mut machine = Machine::new();
    machine.user("mode = \"shadow\"");
    machine.places.home = None;
    machine.named(Some("home"), None);
    assert_eq!(machine.settings().mode.value, Mode::Enforce);
    assert!(matches!(trust::pin(&machine.places, 4711, &[]), Err(Error::NoHome { uid: 4711 })));
    machine.system("mode = \"shadow\"");
    // The file that the environment names says shadow too: nothing to be stricter about.
    assert_eq!(machine.settings().mode.value, Mode::Shadow);
}

#[test]
fn the_home_is_that_of_the_user_database() {
    let machine = Machine::new();
    let passwd = "root:x:0:0:root:/root:/bin/sh\nbad line\nx:x:54321:1:::/bin/sh\n\
        dev:x:54322:54322:Dev,,,:/home/dev:/bin/bash\nother:x:54322:1::/other:/bin/sh\n";
    let passwd = machine.write("passwd", passwd);
    assert_eq!(crate::sys::users::home_by(&passwd, 54_322), Some(PathBuf::from("/home/dev")));
    assert_eq!(crate::sys::users::home_by(&passwd, 54_321), None);
    assert_eq!(crate::sys::users::home_by(&passwd, 54_323), None);
}

#[test]
fn mistakes_in_settings_are_told_with_place_and_what_was_meant() {
    for (text, expected) in [
        ("profil = \"strict\"", "1:1: there is no key `profil` here (did you mean `profile`?)"),
        ("\nprofile = \"strikt\"", "2:11: `strikt` is none of `balanced`"),
        ("profile = 3", "1:11: "),
        ("[thresholds]\nbash = 101", "2:8: a threshold is a score from 0 to 100, not 101"),
        ("[thresholds]\nbash = -1", "2:8: a threshold is a score from 0 to 100, not -1"),
        ("[thresholds]\nbash = \"95\"", "2:8: this must be a whole number, not the text \"95\""),
        ("[threshold]\nbash = 95", "1:2: there is no key `threshold` here"),
        ("safe_commands = [\"a\", \"'b\"]", "1:23: cannot be split into words: "),
        ("safe_commands = [\"\"]", "1:18: a command has at least one word"),
        ("safe_domains = [\"a[\"]", "1:17: bad glob 'a[': unclosed"),
        ("protected_branches = [\"{\"]", "1:23: bad glob '{': unclosed"),
        ("workspace_roots = [\"src\"]", "1:20: 'src' must begin with `/` or `~/`"),
        ("undo.also = [\"notes\"]", "1:14: 'notes' must begin with `/` or `~/`"),
        ("undo.also = [\"/\"]", "1:14: the root directory cannot be kept"),
        ("workspace_roots = [\"//\"]", "1:20: the root directory as a workspace"),
        ("real_shell = \"bin/sh\"", "1:14: a shell is a name or an absolute path"),
        ("default_action = \"allow\"", "1:18: `allow` is none of `deny`"),
        ("[approval]\nwait = -1", "2:8: a command waits for a person for 0 to 3600 seconds"),
        ("[approval]\nwait = 3601", "2:8: a command waits for a person for 0 to 3600 seconds"),
        ("[approval]\nwiat = 3", "2:1: there is no key `wiat` here (did you mean `wait`?)"),
        ("[record]\nkeep_days = 0", "2:13: records are kept for 1 to 36500 days"),
        ("[startup]\nbash_env = \"x\"", "2:12: 'x' must begin with `/` or `~/`"),
        ("mode = \"shadow\"\nmode = \"enforce\"", "2:1: duplicate key"),
        ("mode = ", "1:8: "),
    ] {
        let machine = Machine::new();
        machine.user(text);
        let error = machine.error();
        assert!(error.starts_with(&format!("{USER}:{expected}")), "{text}\n{error}");
    }
    let machine = Machine::new();
    machine.user("mode = \"shadwo\"");
    assert!(machine.error().ends_with("(did you mean `shadow`?)"), "{}", machine.error());
    let drawn = machine.load().unwrap_err().render(Style::Plain);
    assert!(drawn.contains("config.toml:1:8") && drawn.contains("^^^^^^^^"), "{drawn}");
    assert!(drawn.contains("did you mean `shadow`?"), "{drawn}");
}

#[test]
fn a_broken_project_file_refuses_nothing_until_it_was_trusted() {
    let machine = Machine::new();
    let rules = "work/.guarded-sh/rules/a.toml";
    machine.write(rules, pack("a.no", ""));
    machine.write("work/sub/.guarded-sh.toml", "profile = \"strict\"");
    let mut files = project_files(&machine.path("work")).unwrap();
    files.extend(project_files(&machine.path("work/sub")).unwrap());
    machine.write(rules, "bad");
    machine.write("work/sub/.guarded-sh.toml", "x = 1");
    let settings = machine.settings();
    let told: Vec<&str> = settings.warnings.iter().map(|w| w.message.as_str()).collect();
    assert!(
        told[0].contains("passed over") && told[0].contains("there is no key `x` here"),
        "{told:?}"
    );
    assert!(told[1].contains("passed over") && told[1].contains("a.toml:1:"), "{told:?}");
    let broken = ["work/sub/.guarded-sh.toml", "work/.guarded-sh/rules"];
    assert_eq!(settings.broken, broken.map(|name| machine.path(name)));
    assert_eq!(settings.profile, Settings::default().profile);
    assert_eq!(machine.ids("zz"), Vec::<String>::new());
    // What the owner trusted, and was broken since, is the owner's word that cannot be read.
    machine.write(rules, pack("a.no", ""));
    machine.write("work/sub/.guarded-sh.toml", "profile = \"strict\"");
    trust::pin(&machine.places, uid(), &files).unwrap();
    machine.write("work/sub/.guarded-sh.toml", "x = 1");
    assert!(machine.error().starts_with("work/sub/.guarded-sh.toml:1:1: there is no key `x` here"));
    fs::remove_file(machine.path("work/sub/.guarded-sh.toml")).unwrap();
    machine.write(rules, "bad");
    assert!(machine.error().starts_with(&format!("{rules}:1:")), "{}", machine.error());
}

#[test]
fn what_is_no_file_of_text_is_refused_and_nothing_waits() {
    type Make = fn(&Path);
    let cases: [(&str, Make); 9] = [
        ("is not a regular file", |path| fs::create_dir(path).unwrap()),
        ("is not a regular file", |path| {
            nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        }),
        ("is not a regular file", |path| symlink("/dev/zero", path).unwrap()),
        ("cannot read", |path| symlink(path, path).unwrap()),
        ("a NUL byte in a file", |path| fs::write(path, "mode = \"sha\0dow\"").unwrap()),
        (":2: bytes that are not UTF-8", |path| fs::write(path, b"\n\xff").unwrap()),
        ("is larger than", |path| {
            fs::File::create(path).unwrap().set_len(50 << 20).unwrap();
        }),
        ("config.toml:1:", |path| fs::write(path, "mode = \"shad").unwrap()),
        ("may be changed by others", |path| {
            fs::write(path, "").unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o664)).unwrap();
        }),
    ];
    for (expected, make) in cases {
        let machine = Machine::new();
        let path = machine.path(USER);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        make(&path);
        assert!(machine.error().contains(expected), "{expected}: {}", machine.error());
    }
    // Nothing to say is a fine thing to say.
    let machine = Machine::new();
    machine.user("");
    assert_eq!(machine.settings(), Settings::default());
}

#[test]
fn a_file_that_may_not_be_read_is_not_a_file_that_is_not_there() {
    if nix::unistd::Uid::effective().is_root() {
        return; // Root may read everything.
    }
    let machine = Machine::new();
    machine.user("mode = \"shadow\"");
    fs::set_permissions(machine.path(USER), fs::Permissions::from_mode(0o000)).unwrap();
    assert!(machine.error().contains("cannot read"));
}

#[test]
fn settings_in_a_directory_that_others_may_write_are_refused() {
    let machine = Machine::new();
    machine.user("");
    let directory = machine.path(USER).parent().unwrap().to_owned();
    fs::set_permissions(directory, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(machine.error().contains("may be changed by others (mode 777)"));
}

#[test]
fn settings_of_another_user_are_refused() {
    let machine = Machine::new();
    machine.user("");
    let metadata = fs::metadata(machine.path(USER)).unwrap();
    let other = file::require_ours(Path::new("x"), &metadata, uid() + 1);
    // What is root's is anyone's to believe.
    assert_eq!(other.is_err(), uid() != 0);
}

#[test]
fn rules_are_found_in_every_place_and_in_order() {
    let machine = Machine::new();
    machine.write("etc/rules/s.toml", pack("s.one", ""));
    machine.write(&format!("{USER_RULES}/b.toml"), pack("b.one", ""));
    machine.write(&format!("{USER_RULES}/a.toml"), pack("a.one", ""));
    machine.write(&format!("{USER_RULES}/.hidden.toml"), "broken");
    machine.write(&format!("{USER_RULES}/notes.txt"), "broken");
    machine.write("more/m.toml", pack("m.one", ""));
    machine.write("work/.guarded-sh/rules/p.toml", pack("p.one", ""));
    machine.user(&format!("[rules]\ndirectories = [\"{}\"]", machine.path("more").display()));
    let expected = ["s.one", "a.one", "b.one", "m.one", "untrusted.p.one"];
    assert_eq!(machine.ids("zz"), expected);
    // And again, from the cache.
    assert_eq!(machine.ids("zz"), expected);
    machine.user("[rules]\ndisabled = [\"a.one\"]");
    assert_eq!(machine.ids("zz"), ["s.one", "b.one", "untrusted.p.one"]);
}

#[test]
fn a_projects_rules_approve_once_all_of_them_are_trusted() {
    let machine = Machine::new();
    machine.write("work/.guarded-sh/rules/a.toml", pack("a.yes", "recommend = \"approve\""));
    machine.write("work/.guarded-sh/rules/b.toml", pack("b.no", ""));
    assert_eq!(machine.ids("zz"), ["untrusted.b.no"]);
    let files = project_files(&machine.path("work")).unwrap();
    assert_eq!(files.len(), 2);
    trust::pin(&machine.places, uid(), &files).unwrap();
    assert_eq!(machine.ids("zz"), ["a.yes", "b.no"]);
    machine.write("work/.guarded-sh/rules/b.toml", pack("b.other", ""));
    assert_eq!(machine.ids("zz"), ["untrusted.b.other"]);
}

#[test]
fn mistakes_in_rules_are_told_with_their_place() {
    let builtin = RuleSet::builtin().all().unwrap();
    let mut cases = vec![
        (
            pack("a.b", "sevrity = 1"),
            "a.toml:9:1: rule a.b: there is no key `sevrity` here".to_owned(),
        ),
        (pack("a.b", "operands.any = [\"[\"]"), "a.toml:9:17: rule a.b: bad glob '['".to_owned()),
        ("pack = \"a\"\nrule = 1".to_owned(), "a.toml:2:8: `rule` is a list".to_owned()),
        (
            pack("a.b", "").replace("command = [\"zz\"]", "text = \"(\""),
            "a.toml:4:8: rule a.b: bad regular expression: unclosed group".to_owned(),
        ),
    ];
    if let Some((entry, _)) = builtin.first() {
        let id = &entry.rule.id;
        let taken =
            format!("a.toml:3:6: rule {id}: id '{id}' is taken by a rule in guarded-sh itself");
        cases.push((pack(id, ""), taken));
    }
    for (text, expected) in cases {
        let machine = Machine::new();
        machine.write(&format!("{USER_RULES}/a.toml"), text);
        assert!(
            machine.error().starts_with(&format!("{USER_RULES}/{expected}")),
            "{}",
            machine.error()
        );
    }
    let machine = Machine::new();
    machine.write(&format!("{USER_RULES}/a.toml"), pack("a.b", ""));
    machine.write(&format!("{USER_RULES}/b.toml"), pack("a.b", ""));
    let error = machine.error();
    assert!(error.starts_with(&format!(
        "{USER_RULES}/b.toml:3:6: rule a.b: id 'a.b' is taken by a rule in "
    )));
    assert!(error.ends_with("a.toml"), "{error}");
    assert!(machine.load().unwrap_err().hint().contains("rules lint"));
}

#[test]
fn rules_are_checked_against_their_examples_when_they_are_compiled() {
    let machine = Machine::new();
    machine.write(&format!("{USER_RULES}/a.toml"), pack("a.b", ""));
    let fires = |set: &RuleSet, entry: &Entry, examples: &Examples| {
        assert!(!set.candidates(&["zz"], &EffectMask::default()).unwrap().is_empty());
        assert_eq!((entry.rule.id.as_str(), examples.passes.len()), ("a.b", 1));
        Err(ExampleError::Fired { line: examples.passes[0].clone() })
    };
    // What was wrong is not kept: it is told each time.
    for _ in 0..2 {
        let loaded = machine.load_with("work", &fires).unwrap();
        let said = loaded.settings.warnings.iter().map(ToString::to_string).collect::<String>();
        let told = "a.toml:3: rule a.b: fires on its example in `passes`: yy; it stays in force";
        assert!(said.ends_with(told), "{said}");
    }
}

#[test]
fn rules_that_others_may_write_are_refused() {
    let machine = Machine::new();
    let file = machine.write(&format!("{USER_RULES}/a.toml"), pack("a.b", ""));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    assert!(machine.error().contains("may be changed by others (mode 666)"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(machine.load().is_ok());
    let directory = file.parent().unwrap();
    fs::set_permissions(directory, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(machine.error().contains("may be changed by others (mode 777)"));
}

mod compiled {
    //! Compiled rules on disk: believed while nothing changed, and never believed when damaged.

    use std::cell::Cell;
    use std::time::{Duration, SystemTime};

    use super::*;

    /// Loads, and says whether rules were compiled for it.
    fn compiles(machine: &Machine) -> bool {
        let asked = Cell::new(false);
        let check = |_: &RuleSet, _: &Entry, _: &Examples| {
            asked.set(true);
            Ok(())
        };
        machine.load_with("work", &check).unwrap();
        asked.get()
    }

    fn cache(machine: &Machine) -> PathBuf {
        let directory = machine.path("home/.cache/guarded-sh");
        assert_eq!(fs::metadata(&directory).unwrap().permissions().mode() & 0o777, 0o700);
        fs::read_dir(directory).unwrap().next().unwrap().unwrap().path()
    }

    #[test]
    fn rules_are_compiled_once() {
        let machine = Machine::new();
        let file = machine.write(&format!("{USER_RULES}/a.toml"), pack("a.b", ""));
        assert!(compiles(&machine));
        assert!(!compiles(&machine));
        assert_eq!(fs::metadata(cache(&machine)).unwrap().permissions().mode() & 0o777, 0o600);
        // Another time stamp on the same content.
        fs::write(&file, pack("a.b", "")).unwrap();
        assert!(!compiles(&machine));
        // The same size and, set back, the same time stamp on another content.
        let modified = fs::metadata(&file).unwrap().modified().unwrap();
        fs::write(&file, pack("a.c", "")).unwrap();
        fs::File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
        assert!(compiles(&machine));
        assert_eq!(machine.ids("zz"), ["a.c"]);
        fs::remove_file(&file).unwrap();
        assert!(machine.ids("zz").is_empty());
        machine.write(&format!("{USER_RULES}/b.toml"), pack("b.c", ""));
        assert!(compiles(&machine));
    }

    #[test]
    fn time_stamps_are_believed_only_once_they_are_old() {
        let machine = Machine::new();
        let file = machine.write(&format!("{USER_RULES}/a.toml"), pack("a.b", ""));
        let directory = file.parent().unwrap();
        let stamp = |path: &Path| Stamp::of(&fs::metadata(path).unwrap());
        let source =
            cache::Source { name: "a.toml".to_owned(), stamp: stamp(&file), digest: String::new() };
        let seen = |when| cache::Sources::new(stamp(directory), vec![source.clone()], when);
        let now = SystemTime::now();
        assert!(!seen(now).are_unchanged(directory, stamp(directory)));
        let later = seen(now + Duration::from_secs(4));
        assert!(later.are_unchanged(directory, stamp(directory)));
        fs::write(&file, pack("a.c", "")).unwrap();
        assert!(!later.are_unchanged(directory, stamp(directory)));
    }

    #[test]
    fn damage_is_noticed_and_mended() {
        let machine = Machine::new();
        machine.write(&format!("{USER_RULES}/a.toml"), pack("a.b", ""));
        assert!(compiles(&machine));
        let path = cache(&machine);
        let whole = fs::read(&path).unwrap();
        for cut in (0..whole.len()).step_by(7) {
            fs::write(&path, &whole[..cut]).unwrap();
            assert_eq!(machine.ids("zz"), ["a.b"], "cut at {cut}");
        }
        for at in (0..whole.len()).step_by(5) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x55;
            fs::write(&path, bytes).unwrap();
            let loaded = machine.load().unwrap();
            match loaded.rules.candidates(&["zz"], &EffectMask::default()) {
                Ok(found) => assert_eq!(found.len(), 1, "byte {at}"),
                Err(damaged) => {
                    assert!(damaged.layer.ends_with("rules"));
                    rebuilt(&machine);
                }
            }
        }
        fs::remove_file(&path).unwrap();
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        assert_eq!(machine.ids("zz"), ["a.b"]);
    }

    fn rebuilt(machine: &Machine) {
        let cwd = machine.path("work");
        let request = LoadRequest {
            uid: uid(),
            places: &machine.places,
            cwd: Some(&cwd),
            workspace: None,
            profile: None,
            cache: CacheUse::Rebuild,
            check: &agrees,
        };
        let rules = load(&request).unwrap().rules;
        assert_eq!(rules.candidates(&["zz"], &EffectMask::default()).unwrap().len(), 1);
        assert_eq!(machine.ids("zz"), ["a.b"]);
    }

    #[test]
    fn a_cache_that_others_could_have_written_is_not_believed() {
        let machine = Machine::new();
        machine.write(&format!("{USER_RULES}/a.toml"), pack("a.b", ""));
        assert!(compiles(&machine));
        fs::set_permissions(cache(&machine), fs::Permissions::from_mode(0o666)).unwrap();
        assert!(compiles(&machine));
        assert_eq!(fs::metadata(cache(&machine)).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn without_a_place_to_keep_them_rules_still_hold_and_it_is_told() {
        let machine = Machine::new();
        machine.write(&format!("{USER_RULES}/a.toml"), pack("a.b", ""));
        machine.write("home/.cache", "in the way");
        let loaded = machine.load().unwrap();
        assert!(loaded.settings.warnings[0].message.contains("compiled anew each time"));
        assert_eq!(machine.ids("zz"), ["a.b"]);
    }
}

#[test]
fn no_variable_says_where_anything_of_the_owners_is() {
    let mut machine = Machine::new();
    let usual = machine.places.clone();
    assert_eq!(usual.elsewhere(), None);
    machine.named(Some("elsewhere"), None);
    let foreign = Some(machine.path("elsewhere/.config/guarded-sh"));
    let mut named = usual;
    named.foreign = foreign;
    assert_eq!(machine.places, named);
    let said = machine.places.elsewhere().unwrap();
    for named in ["home", "elsewhere/.config/guarded-sh"] {
        assert!(said.contains(&format!("'{}'", machine.path(named).display())), "{said}");
    }
}
