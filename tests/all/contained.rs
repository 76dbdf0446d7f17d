//! Containment: harm that an unread program does has no effect where it runs contained, real work is as without, lines are answered as the table
//! says, and where a layer is missing they are asked about. Each row runs in namespaces of its own, as a user who is not root.

use std::path::{Path, PathBuf};

use guarded_sh::fence::{Kernel, kernel};
use serde::Deserialize;

use crate::fence::{WITHOUT, files, has, is_now, path, play, toolchain, wanted};
use crate::sheets;
use crate::support::{ALLOWS_ALL, Ended, Place, guard};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    harm: Vec<Harm>,
    work: Vec<Work>,
    answer: Vec<Answer>,
    reach: Vec<Reach>,
}

/// What an unread program does that harms where nothing contains it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Harm {
    name: String,
    /// What is there before, as a script.
    #[serde(default)]
    before: String,
    /// What the program does, as a script.
    does: String,
    /// Succeeds if the harm was done.
    effect: String,
    #[serde(default)]
    needs: Vec<String>,
    /// Succeeds where this system lets such harm be done at all.
    #[serde(default)]
    only_if: String,
    #[serde(default)]
    user: User,
}

/// What does the same contained and not.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Work {
    name: String,
    #[serde(default)]
    before: String,
    #[serde(alias = "line")]
    does: String,
    #[serde(default)]
    needs: Vec<String>,
    /// Why it takes seconds.
    long: Option<String>,
    /// Why it is other work in a container.
    uncontained: Option<String>,
    /// Something that stands in the output of a run that did its work.
    says: String,
}

/// What is answered to a line where all layers are there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    line: String,
    action: String,
    /// Settings in the place of that of containment alone.
    #[serde(default = "on")]
    settings: String,
    #[serde(default)]
    before: String,
}

/// What a contained line reaches of hosts, and what not.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reach {
    name: String,
    line: String,
    /// What is there before, as a script.
    #[serde(default)]
    before: String,
    #[serde(default)]
    needs: Vec<String>,
    /// What is done then, as a script.
    #[serde(default)]
    after: String,
    /// What stands in the output of both.
    says: String,
    /// The hosts that heard anything, in the order of the alphabet.
    #[serde(default)]
    heard: Vec<String>,
    /// What `log --fenced` says of it.
    #[serde(default)]
    log: String,
    /// What an agent is told of it after the call, by its hook.
    #[serde(default)]
    told: String,
}

fn on() -> String {
    ON.to_owned()
}

/// Who runs the line.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum User {
    /// One who is not root.
    #[default]
    Common,
    /// Root, with all that it may in the world of the row.
    Root,
}

/// Makes the world of a row, and runs the row in it: HOME WORK GUARD RUST BEFORE LINE AFTER USER.
const WORLD: &str = r#"
set -e
mount -t tmpfs tmpfs /srv
mkdir /srv/work /srv/other /srv/rust
[[ -z $4 ]] || mount --bind "$4" /srv/rust
touch /srv/guarded-sh; mount --bind "$3" /srv/guarded-sh
[[ -z $SERVICE ]] || { touch /srv/guarded-shd; mount --bind "$SERVICE" /srv/guarded-shd; }
unset SERVICE
mount --bind "$1" /root
mount --bind "$2" /srv/work
printf '%s\n' root:x:0:0::/root:/bin/bash common:x:1000:1000::/root:/bin/bash >/srv/passwd
mount --bind /srv/passwd /etc/passwd
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /dev/shm
mount -o remount,bind,ro / 2>/dev/null || true
mount -t tmpfs tmpfs /tmp
python3 -c 'import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 65))'
export HOME=/root
guard=/srv/guarded-sh before=$5 line=$6 after=$7 user=$8
cd /srv/work
set +e
eval "$before" </dev/null >/dev/null 2>&1
cd /srv/work
case $user in
  common) ran() { unshare -U --map-user=1000 --map-group=1000 -- "$guard" "$@" </dev/null; } ;;
  root) ran() { "$guard" "$@" </dev/null; } ;;
esac
eval "$line"
status=$?
cd /srv/work
eval "$after" </dev/null >/dev/null 2>&1 && printf 'EFFECT\n'
exit "$status"
"#;

/// What stands in every home and workspace: something to lose, and something to steal; and a program that nobody has read.
const HOME: &str = r"
mkdir -p ~/other/deep ~/.ssh ~/.aws ~/.local/bin ~/.cargo/registry/src ~/.cache
printf 'precious\n' | tee ~/notes ~/other/deep/file >/dev/null
printf 'KEY\n' | tee ~/.ssh/id_rsa ~/.aws/credentials ~/.npmrc >/dev/null
printf '# mine\n' | tee ~/.bashrc ~/.profile >/dev/null
printf '[user]\nname = n\nemail = e@example.org\n[init]\ndefaultBranch = main\n' >~/.gitconfig
git init -q .
mkdir -p .github/workflows .claude; echo 'on: push' >.github/workflows/ci.yml; echo '{}' >.claude/settings.json; echo A=1 >.env
cp /bin/bash unread
";

const RUNS: &str = "ran -c './unread does'";
const ON: &str = "contain = \"on\"\n";
/// Settings under which contained lines reach hosts.
const REACHES: &str = "contain = \"on\"\n[permit]\ncontained_network = true\n";
/// The names that lead to a host, where there are any.
const NAMES: &str = "listed.example other.example registry.npmjs.org pypi.org files.pythonhosted.org index.crates.io static.crates.io";

/// Returns the service that is built beside the guard.
fn service() -> PathBuf {
    let service = guard().with_file_name("guarded-shd");
    assert!(service.is_file(), "`cargo build` first: there is no {}", service.display());
    service
}

/// A row in its world.
struct Case<'c> {
    settings: &'c str,
    before: &'c str,
    /// What the unread program does.
    does: &'c str,
    /// A script in which `ran` calls the guard.
    line: &'c str,
    effect: &'c str,
    user: User,
}

fn run(place: &Place, case: &Case<'_>) -> Ended {
    place.set(case.settings);
    let does = shell_words::quote(case.does).into_owned();
    let before = format!("{HOME}printf '%s\\n' {does} >does\n{}", case.before);
    let rust = toolchain().unwrap_or_default();
    let words: [&Path; 4] = [&place.home(), &place.work(), guard(), &rust];
    let user = match case.user {
        User::Common => "common",
        User::Root => "root",
    };
    place
        .call("/usr/bin/unshare")
        .with_users_of_machine()
        .args(["-rmn", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/bash", "-c"])
        .args([WORLD, "bash"])
        .args(words)
        .args([before.as_str(), case.line, case.effect, user])
        .env("PATH", path())
        .env("LC_ALL", "C")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("SERVICE", service())
        .run_within(std::time::Duration::from_secs(300))
        .unwrap_or_else(|| panic!("{} does not end", case.does))
}

/// Why nothing can be shown here, if so: without namespaces there is no world for a row, and that is not for us to mend.
pub fn skipped() -> bool {
    if !matches!(kernel(), Kernel::Version(6..)) || !has("python3") {
        println!("skipped: the kernel's Landlock is {:?}, or there is no python3", kernel());
        return true;
    }
    let line = "unshare -U --map-user=1000 --map-group=1000 -- unshare -rmn echo here";
    let case = Case { settings: "", before: "", does: "", line, effect: "false", user: User::Root };
    let ended = run(&Place::new(), &case);
    if ended.out() != "here\n" {
        println!("skipped: no namespaces here: {}", ended.err());
        return true;
    }
    false
}

fn sheet() -> Sheet {
    sheets::read(&sheets::path("tests/fence/contained.toml"))
}

#[test]
fn harm_has_no_effect_where_it_is_contained() {
    if skipped() {
        return;
    }
    let rows = wanted(sheet().harm, |row| &row.name, |row| &row.needs);
    play(&rows, |row| {
        let happens = |settings: &str, user| {
            let Harm { before, does, effect, only_if, .. } = row;
            let only_if = if only_if.is_empty() { "true" } else { only_if };
            let before = format!("({only_if}) || touch /srv/not-here\n{before}");
            let line = format!("if [[ -e /srv/not-here ]]; then echo NOT HERE; else {RUNS}; fi");
            let (before, line) = (&before, &line);
            let ended = run(&Place::new(), &Case { settings, before, does, line, effect, user });
            (ended.out().ends_with("EFFECT\n"), ended)
        };
        let (without, ended) = happens(ALLOWS_ALL, row.user);
        if ended.out().starts_with("NOT HERE\n") {
            println!("skipped: {}: this system does not let it be done", row.name);
            return None;
        }
        if !without {
            let (code, err) = (ended.code(), ended.err());
            return Some(format!("{}: it does no harm: {code:?} {} {err}", row.name, ended.out()));
        }
        // Root has other namespaces than anyone else.
        let faults = [row.user, User::Root].map(|user| {
            let (with, ended) = happens(ON, user);
            let ran = !ended.err().contains("guarded-sh: ");
            let says = || format!("{} {}", ended.out(), ended.err());
            match (with, ran) {
                (true, _) => Some(format!("{}: it has its effect: {}", row.name, says())),
                (_, false) => Some(format!("{}: it does not run: {}", row.name, says())),
                (false, true) => None,
            }
        });
        faults.into_iter().flatten().next()
    });
}

#[test]
fn real_work_is_done_contained_as_without() {
    if skipped() {
        return;
    }
    let fenced: Vec<Work> = sheets::rows(&sheets::path("tests/fence/work.toml"));
    let rows = sheet().work.into_iter().chain(fenced).collect();
    let mut rows = wanted(rows, |row: &Work| &row.name, |row| &row.needs);
    rows.retain(|row| is_now(&row.name, row.long.as_deref()) && row.uncontained.is_none());
    play(&rows, |row| {
        let seen = |settings: &str| {
            let place = Place::new();
            let Work { before, does, .. } = row;
            let (line, user) = (RUNS, User::Common);
            let case = Case { settings, before, does, line, effect: "false", user };
            let ended = run(&place, &case);
            ((ended.code(), ended.out(), ended.err()), files(&place.work()))
        };
        let (without, with) = (seen(ALLOWS_ALL), seen(ON));
        if !without.0.1.contains(&row.says) {
            return Some(format!("{}: it does no work: {:?}", row.name, without.0));
        }
        if without.0 != with.0 {
            return Some(format!("{}: {:?}, and without {:?}", row.name, with.0, without.0));
        }
        let names = |files: &[(PathBuf, Vec<u8>)]| {
            files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>()
        };
        (without.1 != with.1).then(|| {
            let (with, without) = (names(&with.1), names(&without.1));
            format!("{}: the files differ: {with:?}, without {without:?}", row.name)
        })
    });
}

#[test]
fn lines_are_answered_as_the_table_says() {
    if skipped() {
        return;
    }
    let rows = wanted(sheet().answer, |row| &row.line, |_| &[]);
    play(&rows, |row| {
        let line = format!("ran check --stdin=nothing {}", shell_words::quote(&row.line));
        let case = Case {
            settings: &row.settings,
            before: &row.before,
            does: "true",
            line: &line,
            effect: "false",
            user: User::Common,
        };
        let ended = run(&Place::new(), &case);
        let said = ended.out();
        let verdict = match row.action.as_str() {
            "allow" => "runs",
            "contain" => "runs contained",
            "ask" => "asks",
            "deny" => "refused",
            other => panic!("{other}"),
        };
        let rest = said.strip_prefix(verdict);
        let is_so = rest.is_some_and(|rest| rest.starts_with(": ") || rest.starts_with(" ("));
        (!is_so).then(|| format!("{}: {said} {}", row.line, ended.err()))
    });
}

/// What Claude Code's hook hears of a line that its proxy refused something.
fn failed(line: &str) -> String {
    serde_json::json!({
        "session_id": "s", "cwd": "/srv/work", "hook_event_name": "PostToolUseFailure", "tool_name": "Bash",
        "tool_input": {"command": line}, "error": "CONNECT tunnel failed, response 403",
    })
    .to_string()
}

#[test]
fn a_contained_line_reaches_the_hosts_that_its_plan_names() {
    if skipped() {
        return;
    }
    let rows = wanted(sheet().reach, |row| &row.name, |row| &row.needs);
    play(&rows, |row| {
        let hosts = include_str!("../fence/hosts.py");
        let before = format!(
            "python3 -c {} {NAMES} || exit 1
             export GUARDED_SH_SESSION=s
             export CURL_CA_BUNDLE=/srv/ca.pem npm_config_cafile=/srv/ca.pem npm_config_fetch_retries=0 npm_config_update_notifier=false PIP_CERT=/srv/ca.pem CARGO_HTTP_CAINFO=/srv/ca.pem
             mkdir -p /srv/site/{{listed,other}}.example; echo listed >/srv/site/listed.example/x; echo other >/srv/site/other.example/x
             {}",
            shell_words::quote(hosts),
            row.before
        );
        let line = format!(
            "ran -c {} 2>&1; {}\necho HEARD; cut -d/ -f1 /srv/heard 2>/dev/null | sort -u; echo LOG; ran log -n 1 --fenced\nprintf %s {} | \"$guard\" hook claude",
            shell_words::quote(&row.line),
            row.after,
            shell_words::quote(&failed(&row.line))
        );
        // Root has other namespaces than anyone else.
        let faults = [User::Common, User::Root].map(|user| {
            let case = Case {
                settings: REACHES,
                before: &before,
                does: "true",
                line: &line,
                effect: "false",
                user,
            };
            let ended = run(&Place::new(), &case);
            let out = ended.out();
            let (said, rest) = out.split_once("HEARD\n").unwrap_or((&out, ""));
            let (heard, log) = rest.split_once("LOG\n").unwrap_or((rest, ""));
            let is_so = said.contains(&row.says)
                && heard.lines().eq(row.heard.iter())
                && log.contains(&row.log)
                && log.contains("  ran contained  ")
                && log.contains(&row.told);
            (!is_so).then(|| format!("{}: {out} {}", row.name, ended.err()))
        });
        faults.into_iter().flatten().next()
    });
}

/// The layers, as `doctor` names them.
const LAYERS: [&str; 5] = ["fence", "files", "network", "seccomp", "proxy"];

/// What is taken away, by the numbers of calls and their answers, and the layers that are missing then, as `doctor` names them.
const LACKS: [(&str, &str, &[&str]); 5] = [
    ("namespaces are denied", "UNSHARE:1", &["files", "network", "proxy"]),
    // CLONE_NEWNET.
    (
        "namespaces of networks are denied",
        "UNSHARE/0&0x40000000=0x40000000:1",
        &["network", "proxy"],
    ),
    ("mounts have no attributes", "442:38", &["files", "network", "proxy"]),
    ("there are no filters", "SECCOMP:38", &["seccomp"]),
    ("there is no Landlock", "444:38 445:38 446:38", &["fence"]),
];

#[test]
fn where_a_layer_is_missing_lines_are_asked_about_and_doctor_says_so() {
    if skipped() {
        return;
    }
    let (unshare, seccomp) =
        if cfg!(target_arch = "x86_64") { ("272", "317") } else { ("97", "277") };
    for (name, calls, missing) in LACKS {
        let calls = calls.replace("UNSHARE", unshare).replace("SECCOMP", seccomp);
        let line = format!(
            "without() {{ unshare -U --map-user=1000 --map-group=1000 -- python3 -c {} '{calls}' \"$guard\" \"$@\" </dev/null; }}
             without check ./unread does; echo \"$?\"
             without -c './unread does'; echo \"$?\"
             without doctor",
            shell_words::quote(WITHOUT)
        );
        let case = Case {
            settings: ON,
            before: "",
            does: "echo ran; touch ran",
            line: &line,
            effect: "test -e ran",
            user: User::Common,
        };
        let ended = run(&Place::new(), &case);
        let (out, err) = (ended.out(), ended.err());
        assert!(
            out.starts_with("asks (medium)") && out.contains("\n1\n126\n"),
            "{name}: {out} {err}"
        );
        assert!(err.contains("needs approval"), "{name}: {out} {err}");
        assert!(out.contains("contain  NOT WHOLE: nothing runs contained"), "{name}: {out} {err}");
        let named = out.lines().filter_map(|line| line.strip_prefix("  · ")?.split_once(": "));
        let named: Vec<&str> =
            named.map(|(layer, _)| layer).filter(|one| LAYERS.contains(one)).collect();
        assert_eq!(named, missing, "{name}: {out}");
        assert!(!out.contains("EFFECT"), "{name}: {out} {err}");
    }
}

/// A later line would not find them, and start others.
#[test]
fn servers_that_tools_leave_behind_are_switched_off_unless_the_caller_says_otherwise() {
    if skipped() {
        return;
    }
    let line = "ran -c './unread does'; NX_DAEMON=mine ran -c './unread does'; ran -c 'gradle build'; ran log -n 1 --fenced";
    let settings = format!("fence = \"on\"\n{ON}");
    let does = "echo \"$GRADLE_OPTS $NX_DAEMON\"";
    let case =
        Case { settings: &settings, before: "", does, line, effect: "false", user: User::Common };
    let ended = run(&Place::new(), &case);
    let (out, err) = (ended.out(), ended.err());
    let gradle = "-Dorg.gradle.daemon=false";
    assert!(out.starts_with(&format!("{gradle} false\n{gradle} mine\n")), "{out} {err}");
    assert!(out.contains("leaves   the daemon of Gradle"), "{out} {err}");
}

#[test]
fn without_the_service_what_needs_hosts_is_asked_about_and_doctor_says_so() {
    if skipped() {
        return;
    }
    let line = "umount /srv/guarded-shd; rm /srv/guarded-shd
                for line in 'curl -s https://listed.example/x' './unread does'; do ran check \"$line\"; echo \"$?\"; done
                ran explain 'curl -s https://listed.example/x'; ran doctor";
    let case = Case {
        settings: REACHES,
        before: "",
        does: "true",
        line,
        effect: "false",
        user: User::Common,
    };
    let ended = run(&Place::new(), &case);
    let (out, err) = (ended.out(), ended.err());
    for said in [
        "\n1\n",
        "\n4\n",
        "something is missing here (proxy)",
        "NOT WHOLE: what `permit.contained_network` lets use the network is asked about",
        "proxy: it takes guarded-shd beside guarded-sh",
    ] {
        assert!(out.contains(said), "{said}: {out} {err}");
    }
}

#[test]
fn a_line_whose_proxy_does_not_serve_it_is_refused() {
    if skipped() {
        return;
    }
    // One ends, the other hears nothing, and neither is waited for without end.
    for service in ["#!/bin/true", "#!/bin/bash\nexec sleep 600"] {
        let line = format!(
            "umount /srv/guarded-shd; printf {} >/srv/guarded-shd; chmod +x /srv/guarded-shd
             ran -c 'curl -s https://listed.example/x; echo ran'; echo \"$?\"; pgrep -x sleep",
            shell_words::quote(service)
        );
        let case = Case {
            settings: REACHES,
            before: "",
            does: "true",
            line: &line,
            effect: "false",
            user: User::Common,
        };
        let ended = run(&Place::new(), &case);
        let (out, err) = (ended.out(), ended.err());
        assert_eq!(out, "126\n", "{err}");
        assert!(err.contains("its proxy does not serve it"), "{err}");
    }
}

#[test]
fn the_record_and_the_log_say_how_a_line_was_contained() {
    if skipped() {
        return;
    }
    let line = format!(
        "{RUNS}; ran log -n 1 --fenced; ran log -n 1 --fenced=/srv/work/.git/config; ran explain ./unread does; ran doctor"
    );
    let place = Place::new();
    let case = Case {
        settings: ON,
        before: "",
        does: "echo ran",
        line: &line,
        effect: "false",
        user: User::Common,
    };
    let ended = run(&place, &case);
    let (out, err) = (ended.out(), ended.err());
    for said in [
        "ran\n",
        "  ran contained  ",
        "    contained\n",
        "network  the line ran without",
        "guarded  read-only: ",
        "layers   fence, files, network, seccomp\n",
        "the fence: /srv/work/.git/config",
        "would run contained: no network",
        "contain  on: fence, files, network, seccomp, proxy",
    ] {
        assert!(out.contains(said), "{said}: {out} {err}");
    }
    let records = place.records();
    assert!(records.contains(r#""action":"contain""#), "{records}");
    assert!(records.contains(r#""layers":["fence","files","network","seccomp"]"#), "{records}");
}

#[test]
fn lines_inside_of_a_container_are_judged_and_make_no_other() {
    if skipped() {
        return;
    }
    let place = Place::new();
    let case = Case {
        settings: ON,
        before: "export SHELL=/srv/guarded-sh GUARDED_SH_SESSION=s; printf 'echo deep\\n' >deeper",
        does: "\"$SHELL\" -c 'echo inner'; \"$SHELL\" -c './unread deeper'; \"$SHELL\" -c 'rm -rf ~/other'; echo $?",
        line: RUNS,
        effect: "test ! -e ~/other",
        user: User::Common,
    };
    let ended = run(&place, &case);
    assert_eq!(ended.out(), "inner\ndeep\n126\n", "{}", ended.err());
    assert!(place.records().contains(r#""by":"outer""#), "{}", place.records());
}

#[test]
fn a_hook_gives_the_client_a_line_by_which_it_runs_contained() {
    if skipped() {
        return;
    }
    let call = r#"{"session_id":"s","cwd":"/srv/work","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"LINE","description":"d"}}"#;
    let answer = |settings: &str, line: &str| {
        let event = shell_words::quote(&call.replace("LINE", line)).into_owned();
        // What it gives in the place of the line runs in a shell that is not guarded.
        let script = format!(
            r#"printf '%s' {event} | SHELL=/bin/bash unshare -U --map-user=1000 --map-group=1000 -- "$guard" hook claude >/srv/answer; cat /srv/answer
            new=$(python3 -c 'import json; print(json.load(open("/srv/answer"))["hookSpecificOutput"].get("updatedInput", {{}}).get("command", "true"))')
            unshare -U --map-user=1000 --map-group=1000 -- /bin/bash -c "$new" </dev/null"#
        );
        let case = Case {
            settings,
            before: "",
            does: "echo ran; echo evil > ~/x",
            line: &script,
            effect: "test -e ~/x",
            user: User::Common,
        };
        let place = Place::new();
        let ended = run(&place, &case);
        (format!("{} {}", ended.out(), ended.err()), place.records())
    };
    let (said, records) = answer(ON, "./unread does");
    assert!(said.contains(r#""permissionDecision":"allow""#), "{said}");
    assert!(said.contains("/srv/guarded-sh -c './unread does'"), "{said}");
    assert!(said.contains("ran\n") && !said.contains("EFFECT"), "{said}");
    assert_eq!(records.matches(r#""action":"contain""#).count(), 2, "{records}");
    assert!(said.contains("it runs contained"), "{said}");
    // A client to which nothing is said runs what it has.
    let event = r#"{"session_id":"s","cwd":"/srv/work","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"./unread does"}}"#;
    let script = format!(
        r#"printf '%s' {} | unshare -U --map-user=1000 --map-group=1000 -- "$guard" hook gemini"#,
        shell_words::quote(event)
    );
    let case = Case {
        settings: ON,
        before: "",
        does: "echo ran",
        line: &script,
        effect: "false",
        user: User::Common,
    };
    let ended = run(&Place::new(), &case);
    assert!(
        ended.out().contains("guarded-sh -c './unread does'"),
        "{} {}",
        ended.out(),
        ended.err()
    );
    for (settings, line) in [("", "./unread does"), (ON, "rm -rf ~/other"), (ON, "ls")] {
        let (said, _) = answer(settings, line);
        assert!(!said.contains("updatedInput"), "{line}: {said}");
    }
}
