//! `run`: what an agent gets and gives back through a session is what it would without one, and nothing is left behind.

mod programs;
mod started;
mod terminal;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::support::{Call, Ended, Place, guard};
use crate::tmux::has;

/// A place with a directory for sessions.
pub struct Sessions {
    pub place: Place,
}

impl Sessions {
    pub fn new() -> Self {
        Self::with("")
    }

    /// With settings of the owner.
    pub fn with(settings: &str) -> Self {
        let place = Place::with(settings);
        let runtime = place.path("runtime");
        std::fs::create_dir(&runtime).unwrap();
        std::fs::set_permissions(&runtime, PermissionsExt::from_mode(0o700)).unwrap();
        Self { place }
    }

    pub fn runtime(&self) -> PathBuf {
        self.place.path("runtime")
    }

    /// A call by an outer bash, with the words that start a session before the agent in `$RUN`, or nothing there.
    fn script(&self, script: &str, run: &str) -> Call {
        self.place.script(script).env("XDG_RUNTIME_DIR", self.runtime()).env("RUN", run)
    }

    /// Runs it with the settings and the record of the throw-away home, which those below a host take from the user database.
    fn run_in_own_home(&self, script: &str) -> Ended {
        self.script(script, &format!("{} run --", guard().display())).run_in_own_home()
    }

    /// Returns what is left of sessions.
    pub fn left(&self) -> Vec<PathBuf> {
        let sessions = self.runtime().join("guarded-sh/sessions");
        let entries = std::fs::read_dir(sessions).into_iter().flatten();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

#[test]
fn without_a_terminal_an_agent_is_as_without_a_session() {
    for script in [
        "$RUN sh -c 'echo out; echo err >&2'",
        "$RUN true; echo $?; $RUN false; echo $?; $RUN sh -c 'exit 77'; echo $?",
        "for s in HUP INT QUIT TERM KILL USR1 SEGV ABRT PIPE ALRM RTMIN; do $RUN sh -c \"kill -$s \\$\\$\"; echo $?; done 2>/dev/null",
        "echo in | $RUN cat",
        "printf 'a\\0b\\377\\r\\n' | $RUN od -c",
        "$RUN sh -c 'head -c 20000000 /dev/zero' | md5sum",
        "head -c 20000000 /dev/zero | tr '\\0' x | $RUN cat | md5sum",
        "$RUN sh -c 'yes; echo $? >&2' | head -n 1",
        "echo in >a; $RUN sh -c 'cat <&3; echo out >&7; ls /proc/self/fd' 3<a 7>b; cat b",
        "$RUN ls /proc/self/fd <&-",
        "$RUN sh -c 'ls /proc/self/fd >out' >&- 2>&-; cat out",
        "$RUN grep ^Sig[BI] /proc/self/status",
        "trap '' PIPE CHLD; $RUN grep ^Sig[BI] /proc/self/status",
        "trap '' HUP INT TERM USR1 TSTP; $RUN grep ^Sig[BI] /proc/self/status",
        "env --block-signal=USR2,CHLD $RUN grep ^Sig[BI] /proc/self/status",
        "nohup $RUN grep ^SigI /proc/self/status",
        "umask 027; cd /; $RUN sh -c 'umask; pwd'",
        "ulimit -n 100; $RUN sh -c 'ulimit -n'",
        "A='x y' $RUN printenv A; A= $RUN env | grep ^A=",
        "$RUN printf '[%s]' 'a  b' '' '-x' -- '*'",
        "$RUN sh -c 'echo $0 $1' one two",
    ] {
        let (bare, with) = (Sessions::new(), Sessions::new());
        let without = bare.script(script, "").run_in_own_home();
        let with_session = with.run_in_own_home(script);
        let text = |ended: &Ended| (ended.out(), ended.err(), ended.code(), ended.signal());
        assert_eq!(text(&with_session), text(&without), "{script}");
        assert_eq!(with.left(), Vec::<PathBuf>::new(), "{script}");
    }
}

#[test]
fn what_cannot_be_run_is_said_as_shells_say_it() {
    let sessions = Sessions::new();
    sessions.place.write("work/text", "text");
    for (script, status, says) in [
        ("$RUN no-such-program", 127, "guarded-sh: cannot run 'no-such-program': No such file"),
        ("$RUN ./text", 126, "guarded-sh: cannot run './text': Permission denied"),
        ("$RUN .", 126, "guarded-sh: cannot run '.': Permission denied"),
        ("$RUN ''", 127, "guarded-sh: cannot run ''"),
        ("$RUN $'\\e[31m'", 127, "cannot run '\\x1b[31m'"),
    ] {
        let ended = sessions.run_in_own_home(script);
        assert_eq!(ended.code(), Some(status), "{script}: {}", ended.err());
        assert!(ended.err().contains(says), "{script}: {}", ended.err());
    }
    assert_eq!(sessions.left(), Vec::<PathBuf>::new());
}

#[test]
fn the_shells_that_agents_choose_are_ours() {
    let sessions = Sessions::new();
    let guard = guard().display().to_string();
    let script = "$RUN sh -c 'for p in \"$SHELL\" \"$CLAUDE_CODE_SHELL\" \"$COPILOT_BASH_PATH\" \"$(command -v bash)\" \"$(command -v sh)\"; do echo \"${p##*/} $(readlink \"$p\")\"; done; echo $GUARDED_SH_SESSION; ls -ld \"${SHELL%/bin/*}\" | cut -c1-10'";
    let named = script.replace("$RUN", "\"$GUARD\" run --name work --profile strict --");
    let ended = sessions.run_in_own_home(&named);
    let lines: Vec<String> = ended.out().lines().map(str::to_owned).collect();
    let ours = |name: &str| format!("{name} {guard}");
    let bash = ours("guarded-bash");
    let expected = [&bash, &bash, &bash, &ours("bash"), &ours("sh"), "work", "drwx------"];
    assert_eq!(lines, expected, "{}", ended.err());
    let zsh = sessions.run_in_own_home(
        "SHELL=/usr/bin/zsh $RUN sh -c 'echo ${SHELL##*/}; echo ${CLAUDE_CODE_SHELL##*/}'",
    );
    let own =
        if std::path::Path::new("/bin/zsh").exists() { "guarded-zsh" } else { "guarded-bash" };
    assert_eq!(zsh.out(), format!("{own}\nguarded-bash\n"));
    let unnamed = sessions.run_in_own_home("$RUN printenv GUARDED_SH_SESSION");
    assert!(unnamed.out().starts_with("run-"), "{}", unnamed.out());
    // What was there before stays behind ours.
    let path = sessions.run_in_own_home("$RUN printenv PATH");
    assert!(path.out().trim_end().ends_with(":/usr/local/bin:/usr/bin:/bin"), "{}", path.out());
}

#[test]
fn a_line_of_the_agents_shell_is_judged() {
    let sessions = Sessions::new();
    let ended = sessions
        .run_in_own_home("$RUN env bash -c 'echo hi'; $RUN env bash -c 'rm -rf /'; echo $?");
    assert_eq!(ended.out(), "hi\n126\n", "{}", ended.err());
    assert!(ended.err().contains("guarded-sh: refused: "), "{}", ended.err());
}

/// Ways by which a process of the agent starts a shell without asking for ours, as Perl. Each would delete `work/a`.
const WAYS: &[(&str, &str)] = &[
    ("by its path", r#"exec "/bin/bash", "-c", "rm a""#),
    ("as the system's", r#"system "rm a; true"; exit 1"#),
    ("by another name", r#"exec {"/bin/bash"} "other", "-c", "rm a""#),
    (
        "as one that reads its program",
        r#"open my $shell, "|-", "/bin/sh"; print $shell "rm a\n"; close $shell; exit $? >> 8"#,
    ),
    ("from a copy", r#"system "cp", "/bin/bash", "copy"; exec "./copy", "-c", "rm a""#),
    (
        "from a copy that is gone",
        r#"system "cp", "/bin/bash", "copy"; open my $file, "<", "copy"; unlink "copy"; $^F = 99; exec "/proc/self/fd/" . fileno($file), "-c", "rm a""#,
    ),
    (
        "by the loader",
        r#"my ($loader) = glob "/lib*/ld-*.so* /lib/ld-musl-*"; exec $loader, "/bin/bash", "-c", "rm a""#,
    ),
    (
        "by a copy of the loader, under another name",
        r#"use File::Copy; my ($loader) = glob "/lib*/ld-*.so* /lib/ld-musl-*"; copy($loader, "tool"); chmod 0755, "tool"; exec {"./tool"} "ls", "/bin/bash", "-c", "rm a""#,
    ),
    (
        "as a script",
        r##"open my $script, ">", "x"; print $script "#!/bin/bash\nrm a\n"; close $script; chmod 0755, "x"; exec "./x""##,
    ),
    (
        "far below",
        r#"use POSIX; exit 0 if fork; setsid; exit 0 if fork; exec "/bin/bash", "-c", "rm a 2>said; echo >done""#,
    ),
    ("from a thread of another program", r#"exec "env", "-i", "/bin/bash", "-c", "rm a""#),
    ("as one that is not read", r#"system "cp", "/bin/true", "fish"; exec "./fish", "-c", "rm a""#),
    (
        "from another build, under another name",
        r#"local $/; open my $from, "<", "/bin/bash"; my $text = <$from>; $text =~ s/(GNU\0)(.{20})/$1 . reverse $2/se; open my $to, ">", "tool"; print $to "$text\n"; close $to; chmod 0755, "tool"; exec "./tool", "-c", "rm a""#,
    ),
    (
        "many at once",
        r#"for (1 .. 40) { next if fork; exec "/bin/sh", "-c", "rm a"; } 1 while wait > 0; exit $? >> 8"#,
    ),
];

/// The system's own, which a session's PATH has.
fn has_python() -> bool {
    let found = Path::new("/usr/bin/python3").exists();
    if !found {
        println!("skipped: there is no /usr/bin/python3 here");
    }
    found
}

/// The same.
fn has_node() -> bool {
    let found = Path::new("/usr/bin/node").exists();
    if !found {
        println!("skipped: there is no /usr/bin/node here");
    }
    found
}

/// The same as Node, where that is here.
const NODE: &str = r#"const { Worker, isMainThread } = require("worker_threads");
const run = (...call) => require("child_process").spawnSync(...call).status;
const worker = () => new Promise(end => new Worker(__filename).on("exit", end));"#;
const NODE_WAYS: &[(&str, &str)] = &[
    ("with a shell", r#"process.exit(run("rm a", { shell: true, stdio: "inherit" }))"#),
    (
        "from a worker thread",
        r#"if (isMainThread) worker().then(process.exit); else process.exit(run("/bin/bash", ["-c", "rm a"], { stdio: "inherit" }))"#,
    ),
    (
        "from many worker threads at once",
        r#"if (isMainThread) Promise.all(Array.from({ length: 8 }, worker)).then(ends => process.exit(Math.min(...ends))); else process.exit(run("/bin/sh", ["-c", "rm a"], { stdio: "inherit" }))"#,
    ),
];

/// The same as Python, where that is here.
const PYTHON: &str = "import os, subprocess, sys, threading";
const PYTHON_WAYS: &[(&str, &str)] = &[
    ("with a shell", r#"subprocess.run("rm a", shell=True, check=True)"#),
    ("with the words of a shell", r#"subprocess.run(["/bin/bash", "-c", "rm a"], check=True)"#),
    (
        "by posix_spawn",
        r#"sys.exit(os.waitpid(os.posix_spawn("/bin/bash", ["x", "-c", "rm a"], os.environ), 0)[1] >> 8)"#,
    ),
    (
        "from a thread, far below",
        r#"t = threading.Thread(target=lambda: subprocess.run(["setsid", "-f", "-w", "/bin/bash", "-c", "rm a"], check=True)); t.start(); t.join(); sys.exit(1)"#,
    ),
];

#[test]
fn shells_that_an_agents_processes_start_are_ours() {
    for (name, way) in WAYS {
        let sessions = Sessions::with("[approval]\nwait = 0\n");
        sessions.place.write("work/a", "");
        sessions.place.write("work/agent", way);
        let ended = sessions.run_in_own_home("$RUN perl agent");
        let err = ended.err();
        assert!(sessions.place.path("work/a").exists(), "{name}: {err}");
        if *name != "far below" {
            assert!(err.contains("guarded-sh: refused: "), "{name}: {err}");
            assert_ne!(ended.code(), Some(0), "{name}: {err}");
        }
    }
    let python = if has_python() { PYTHON_WAYS } else { &[] };
    let python = python.iter().map(|way| ("python3 agent", PYTHON, way));
    let node = if has_node() { NODE_WAYS } else { &[] };
    let node = node.iter().map(|way| ("node agent", NODE, way));
    for (agent, begin, (name, way)) in python.chain(node) {
        let sessions = Sessions::with("[approval]\nwait = 0\n");
        sessions.place.write("work/a", "");
        sessions.place.write("work/agent", format!("{begin}\n{way}"));
        let ended = sessions.run_in_own_home(&format!("$RUN {agent}"));
        let err = ended.err();
        assert!(sessions.place.path("work/a").exists(), "{agent}, {name}: {err}");
        assert!(err.contains("guarded-sh: refused: "), "{agent}, {name}: {err}");
        assert_ne!(ended.code(), Some(0), "{agent}, {name}: {err}");
    }
}

/// What traces programs itself is traced by nobody, and the fence lets it.
#[test]
fn a_line_may_trace_what_it_starts() {
    for (program, line, out) in [
        ("strace", "strace -f -o log /bin/echo traced; grep -c execve log", "traced\n1\n"),
        (
            "gdb",
            "gdb -batch -nx -ex run --args /bin/echo traced </dev/null | grep -o traced",
            "traced\n",
        ),
    ] {
        if !has(program) {
            continue;
        }
        for run in ["$RUN env bash -c", r#"$RUN perl -e 'exec "/bin/bash", "-c", @ARGV'"#] {
            let sessions = Sessions::with("[approval]\nwait = 0\n");
            let ended = sessions.run_in_own_home(&format!("{run} '{line}'"));
            assert_eq!(ended.out(), out, "{run} {line}: {}", ended.err());
        }
    }
}

/// A shell that the person started is theirs, and what it runs in the place of others, or below it, is the agent's.
#[test]
fn what_a_persons_shell_starts_is_the_agents() {
    for script in [
        r#"$RUN /bin/bash -c '/proc/self/exe -c "rm a"; exit 1'"#,
        r#"$RUN /bin/bash -c 'exec /proc/self/exe -c "rm a"'"#,
        r#"$RUN /bin/bash -c 'exec -a other /bin/bash -c "rm a"' || exit 1"#,
        r#"cp "$(command -v busybox || command -v dash)" busybox; $RUN perl -e 'exec "./busybox", "sh", "-c", "rm a"'"#,
    ] {
        let sessions = Sessions::with("[approval]\nwait = 0\n");
        sessions.place.write("work/a", "");
        let ended = sessions.run_in_own_home(script);
        assert!(sessions.place.path("work/a").exists(), "{script}: {}", ended.err());
        assert_ne!(ended.code(), Some(0), "{script}: {}", ended.err());
    }
}

/// What is no shell runs, and is said if a person would have been asked.
#[test]
fn what_ran_unguarded_is_said() {
    let said = |script: &str| {
        let sessions = Sessions::new();
        for name in ["a", "b"] {
            sessions.place.write(&format!("work/{name}"), "");
        }
        let ended = sessions.run_in_own_home(script);
        assert!(!sessions.place.path("work/a").exists(), "{script}: {}", ended.err());
        let log = sessions.script("$RUN log --json", &guard().display().to_string());
        assert!(log.run_in_own_home().out().contains(r#""door":"program""#), "{script}");
        ended.err()
    };
    let err = said(r#"$RUN perl -e 'system "/bin/rm", "a"; system "/bin/ls"'"#);
    assert!(err.starts_with("guarded-sh: perl ran '/bin/rm a' unguarded: deletes "), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    // Whatever it is called.
    let err = said(r#"$RUN perl -e 'if (!fork) { exec { "/bin/rm" } "ls", "a" } wait'"#);
    assert!(err.starts_with("guarded-sh: perl ran '/bin/rm a' unguarded: deletes "), "{err}");
    // Ten of them, and no word for each.
    let err =
        said(r#"$RUN perl -e 'system "/bin/rm", "-f", "b$_" for 1 .. 9; system "/bin/rm", "a"'"#);
    assert_eq!(err.lines().count(), 2, "{err}");
    assert!(
        err.contains("perl ran /bin/rm unguarded, 10 times, first: '/bin/rm -f b1': "),
        "{err}"
    );
    // Among five hundred others.
    let err = said(
        r#"$RUN perl -e 'for (1 .. 500) { next if fork; exec "/bin/true", $_ } 1 while wait > 0; system "/bin/rm", "a"'"#,
    );
    let is_said = ["perl ran '/bin/rm a' unguarded", "were not looked at"];
    assert!(is_said.iter().any(|said| err.contains(said)), "{err}");
    if has_python() {
        let err = said(r#"$RUN python3 -c 'import subprocess; subprocess.run(["rm", "a"])'"#);
        assert!(err.starts_with("guarded-sh: python3 ran 'rm a' unguarded: deletes "), "{err}");
    }
}

#[test]
fn what_a_person_starts_is_theirs_and_what_is_allowed_runs_as_it_would() {
    let sessions = Sessions::with("[approval]\nwait = 0\n");
    for (script, out) in [
        ("$RUN /bin/bash -c 'touch a; rm a; echo $0' own", "own\n"),
        ("$RUN env -i /bin/bash -c 'touch a; rm a; echo $0' own", "own\n"),
        (r#"A=c $RUN perl -e 'exec "/bin/sh", "-c", "echo \$0 \$1 \$A", "own", "b"'"#, "own b c\n"),
        (
            r#"$RUN perl -e 'exec "/bin/bash", "-c", "grep TracerPid /proc/self/status"'"#,
            "TracerPid:\t0\n",
        ),
        (r#"$RUN perl -e 'for (1 .. 200) { system "/bin/true" } print `/bin/echo $?`'"#, "0\n"),
        (r#"$RUN perl -e 'kill "TERM", $$; sleep 9'; echo $?"#, "143\n"),
        (r#"$RUN perl -e '$SIG{TRAP} = sub { print "trapped\n" }; kill "TRAP", $$'"#, "trapped\n"),
    ] {
        let ended = sessions.run_in_own_home(script);
        assert_eq!(ended.out(), out, "{script}: {}", ended.err());
    }
}

#[test]
fn a_shell_that_sees_other_settings_than_its_owners_is_ended() {
    let agent = "system('/bin/mount', '--bind', @ARGV) == 0 or die; exec '/bin/bash', '-c', 'rm a'";
    for (from, to, is_ended) in [
        // What else is mounted is no matter.
        ("faked", "/mnt", false),
        ("faked", "/root/.config/guarded-sh", true),
        ("faked/config.toml", "/root/.config/guarded-sh/config.toml", true),
        ("faked", "/root/.local/state/guarded-sh", true),
        ("faked/passwd", "/etc/passwd", true),
    ] {
        let sessions = Sessions::with("[approval]\nwait = 0\n");
        sessions.place.write("work/a", "");
        sessions.place.write("work/agent.pl", agent);
        sessions.place.write("work/faked/config.toml", "mode = \"shadow\"\n");
        sessions.place.write("work/faked/passwd", "root:x:0:0::/tmp:/bin/bash\n");
        std::fs::create_dir_all(sessions.place.path("home/.local/state/guarded-sh")).unwrap();
        let ended = sessions.run_in_own_home(&format!("$RUN unshare -m perl agent.pl {from} {to}"));
        let err = ended.err();
        assert!(sessions.place.path("work/a").exists(), "{to}: {err}");
        assert_eq!(
            err.contains("it sees other settings than their owner's"),
            is_ended,
            "{to}: {err}"
        );
        assert_eq!(err.contains("guarded-sh: refused: deletes"), !is_ended, "{to}: {err}");
    }
}

/// Puts a filter on itself that lets all through; with the flag, by which the kernel gives it a descriptor, it could answer the calls of what it
/// starts.
const FILTERED: &str = r#"
syscall($ARGV[0], 38, 1, 0, 0, 0) == 0 or die;
my $filter = pack("SCCL", 6, 0, 0, 0x7fff0000);
my $program = pack("Sx6P", 1, $filter);
syscall($ARGV[1], 1, $ARGV[2], $program) >= 0 or do { print "no filters\n"; exit };
if (my $child = fork) { waitpid $child, 0; exit $? >> 8 }
exec "/bin/bash", "-c", "rm a""#;

#[test]
fn a_shell_whose_system_calls_another_process_may_answer_is_ended() {
    // prctl(2) and seccomp(2).
    let numbers = if cfg!(target_arch = "x86_64") { "157 317" } else { "167 277" };
    for (flag, is_ended) in [(0, false), (8, true)] {
        let sessions = Sessions::with("[approval]\nwait = 0\n");
        sessions.place.write("work/a", "");
        sessions.place.write("work/agent.pl", FILTERED);
        let ended = sessions.run_in_own_home(&format!("$RUN perl agent.pl {numbers} {flag}"));
        let err = ended.err();
        if ended.out().contains("no filters") {
            println!("skipped: no filter can be had here");
            return;
        }
        assert!(sessions.place.path("work/a").exists(), "{flag}: {err}");
        assert_eq!(err.contains("may answer its system calls"), is_ended, "{flag}: {err}");
        assert_eq!(err.contains("guarded-sh: refused: deletes"), !is_ended, "{flag}: {err}");
    }
}

#[test]
fn programs_that_an_agent_starts_are_recorded() {
    let sessions = Sessions::new();
    let ended = sessions.run_in_own_home(r#"$RUN perl -e 'system "/bin/ls", "-d", "."; system "/bin/ls", "-d", "."; system "/bin/cat", "x y"'"#);
    let log = sessions.script("$RUN log --json", &guard().display().to_string()).run_in_own_home();
    let programs = log.out().lines().filter(|line| line.contains(r#""door":"program""#)).count();
    assert_eq!(programs, 2, "{}\n{}", log.out(), ended.err());
    assert!(log.out().contains(r"/bin/cat 'x y'"), "{}", log.out());
}

/// Settings of a project that let Claude Code start another shell, and no hook.
const HOSTILE: &str = r#"{"env": {"CLAUDE_CODE_SHELL": "/bin/bash"}, "disableAllHooks": true}"#;

#[test]
fn what_settings_leave_open_is_said_before_the_agent_starts() {
    let sessions = Sessions::with("[approval]\nwait = 0\n");
    sessions.place.write("work/.git/HEAD", "ref: refs/heads/main\n");
    sessions.place.write("work/.claude/settings.json", HOSTILE);
    // It does as Claude Code does: the project's shell wins.
    sessions.place.write("work/claude", "#!/usr/bin/perl\nexec '/bin/bash', '-c', 'rm a'");
    let shell = "guarded-sh: Claude Code starts '/bin/bash', from `env.CLAUDE_CODE_SHELL` in ";
    let hooks = "guarded-sh: `disableAllHooks` in ";
    let refused = "guarded-sh: refused: `disableAllHooks` in ";
    let begin = "chmod 755 claude; touch a";
    for (script, is_left, says) in [
        // Its processes are watched: the guard begins in the place of that shell.
        (format!("{begin}; $RUN ./claude"), true, vec!["guarded-sh: refused: "]),
        (format!("{begin}; \"$GUARD\" run --unwatched -- ./claude"), false, vec![shell]),
        // With no terminal to say it at, hooks that are installed and off are a reason not to start; so they are for who says so.
        (
            format!("\"$GUARD\" install claude --yes >/dev/null; {begin}; $RUN ./claude"),
            true,
            vec![refused, "guarded-sh: refused: "],
        ),
        (
            format!("{begin}; \"$GUARD\" run --require-guard -- ./claude"),
            true,
            vec![refused, "guarded-sh: refused: "],
        ),
        (
            format!("{begin}; \"$GUARD\" run --require-guard=no -- ./claude"),
            true,
            vec![hooks, "guarded-sh: refused: "],
        ),
    ] {
        let ended = sessions.run_in_own_home(&script);
        let err = ended.err();
        assert_eq!(sessions.place.path("work/a").exists(), is_left, "{script}: {err}");
        for part in [shell, hooks, refused, "guarded-sh: refused: "] {
            assert_eq!(err.contains(part), says.contains(&part), "{script}: {part}: {err}");
        }
    }
}

/// Whatever stands before it.
#[test]
fn an_agent_is_known_by_what_starts_it() {
    let sessions = Sessions::with("[approval]\nwait = 0\n");
    sessions.place.write("work/.git/HEAD", "ref: refs/heads/main\n");
    sessions.place.write("work/.claude/settings.json", HOSTILE);
    sessions.place.write("work/claude", "#!/bin/sh\n");
    sessions.place.write("work/claude.js", "0\n");
    let shell = "guarded-sh: Claude Code starts '/bin/bash', from `env.CLAUDE_CODE_SHELL` in ";
    for (words, is_claude) in [
        ("./claude", true),
        ("env A=b ./claude", true),
        ("nice ./claude", true),
        ("setsid -w env A=b ./claude -p hi", true),
        ("sh -c ./claude", true),
        ("node claude.js", true),
        ("node --no-warnings ./claude.js", true),
        ("npx --offline --no @anthropic-ai/claude-code@latest", true),
        ("true ./claude", false),
        ("echo claude", false),
    ] {
        let script = format!("chmod 755 claude; \"$GUARD\" run --unwatched -- {words}");
        let err = sessions.run_in_own_home(&script).err();
        assert_eq!(err.contains(shell), is_claude, "{words}: {err}");
    }
    // With what is set for it on the way.
    std::fs::remove_file(sessions.place.path("work/.claude/settings.json")).unwrap();
    let script = "\"$GUARD\" run --unwatched -- env CLAUDE_CODE_SHELL=/bin/bash ./claude";
    let err = sessions.run_in_own_home(script).err();
    assert!(err.contains("guarded-sh: Claude Code starts '/bin/bash', from "), "{err}");
}

#[test]
fn a_session_in_a_session_is_the_one_that_is_there() {
    let sessions = Sessions::new();
    let ended = sessions.run_in_own_home(
        "\"$GUARD\" run --name one -- \"$GUARD\" run --name two -- echo \"it's\" \"\"",
    );
    assert_eq!(ended.out(), "it's \n");
    let records = sessions.place.records();
    assert!(records.contains("\"session\":\"one\"") && !records.contains("two\""), "{records}");
    assert_eq!(ended.err(), "guarded-sh: already in a guarded session, which guards this too\n");
    // What it is to run is judged: whoever watches what an agent starts lets go of the guard.
    for script in [
        "perl -e 'exec \"$ENV{GUARD}\", qw(run -- /bin/bash -c), \"rm a\"' 2>/dev/null",
        "perl -e 'exec \"$ENV{GUARD}\", qw(run -- /bin/rm a)' 2>/dev/null",
    ] {
        sessions.place.write("work/a", "");
        let ended =
            sessions.run_in_own_home(&format!("\"$GUARD\" run --profile unattended -- {script}"));
        assert_eq!(ended.code(), Some(126), "{script}: {}", ended.err());
        assert!(sessions.place.path("work/a").exists(), "{script}");
    }
    let left_over = sessions.run_in_own_home("GUARDED_SH_SESSION=old \"$GUARD\" run -- touch ran");
    assert_eq!(left_over.code(), Some(126));
    assert!(left_over.err().contains("hint: "), "{}", left_over.err());
    assert!(!sessions.place.path("work/ran").exists());
}

#[test]
fn an_agent_cannot_open_a_session() {
    let sessions = Sessions::new();
    for script in ["CLAUDECODE=1 $RUN touch ran", "env AI_AGENT=x sh -c '$RUN touch ran; :'"] {
        let ended = sessions.run_in_own_home(script);
        assert!(ended.err().contains("guarded-sh: refused: "), "{script}: {}", ended.err());
        assert!(!sessions.place.path("work/ran").exists(), "{script}");
    }
}

#[test]
fn a_name_is_one_sessions_at_a_time() {
    let sessions = Sessions::new();
    let ended = sessions.run_in_own_home(
        "\"$GUARD\" run --name a -- env -u GUARDED_SH_SESSION sleep 1000 & p=$!; \
         while [ ! -e \"$XDG_RUNTIME_DIR/guarded-sh/sessions/a/bin/sh\" ]; do sleep 0.05; done; \
         \"$GUARD\" run --name a -- true; echo $?; kill $p; wait $p; echo $?; \
         \"$GUARD\" run --name a -- true; echo $?",
    );
    assert_eq!(ended.out(), "2\n143\n0\n", "{}", ended.err());
    assert!(ended.err().contains("a session named 'a' is running"), "{}", ended.err());
    assert_eq!(sessions.left(), Vec::<PathBuf>::new());
}

#[test]
fn no_same_user_may_look_into_a_host() {
    let sessions = Sessions::new();
    // The parent of the agent is the host. Its owner in /proc is root, whoever runs it, and nobody else may read what is open.
    let ended = sessions.run_in_own_home(
        "$RUN sh -c 'stat -c %u /proc/$PPID/fd; grep -c . /proc/$PPID/environ; :'",
    );
    assert!(ended.out().starts_with("0\n"), "{}", ended.out());
}

/// Shells that live long enough to be seen, as Perl; each says that it is there and waits until it is said.
const UNWATCHED: &[(&str, &str)] = &[
    ("by its path", r#"system "/bin/bash", "-c", $wait"#),
    ("from a copy", r#"system "cp", "/bin/bash", "copy"; system "./copy", "-c", $wait"#),
    (
        "far below",
        r#"use POSIX; unless (fork) { setsid; exit if fork; exec "/bin/bash", "-c", $wait } wait; select undef, undef, undef, 0.05 until -e "end""#,
    ),
    (
        "in the agent's place, later",
        r#"select undef, undef, undef, 0.6; exec "/bin/bash", "-c", $wait"#,
    ),
    ("with an empty environment", r#"%ENV = (); system "/bin/bash", "-c", $wait"#),
];

/// Ends when the record has it, which is written before it is said, and after a minute.
const UNTIL_RECORDED: &str = r#"my $wait = "for i in {1..6000}; do read -t 0.01 <> <(:); grep -qs program '$ENV{HOME}'/.local/state/guarded-sh/records/*.jsonl && break; done; : >end";"#;

fn unwatched(name: &str, run: &str, agent: &str) -> String {
    let sessions = Sessions::new();
    sessions.place.write("work/agent", agent);
    let script = format!("{run} perl agent");
    let ended = sessions.script(&script, &guard().display().to_string()).run_in_own_home();
    assert_eq!(sessions.left(), Vec::<PathBuf>::new(), "{name}");
    ended.err()
}

#[test]
fn a_shell_that_nobody_watches_is_said_where_it_is_seen() {
    for (name, way) in UNWATCHED {
        let agent = format!("{UNTIL_RECORDED}\n{way}");
        let err = unwatched(name, "$RUN run --unwatched --", &agent);
        let said = err
            .lines()
            .filter(|line| line.contains("ran '") && line.contains("unguarded: it is a shell"));
        assert_eq!(said.count(), 1, "{name}: {err}");
    }
    // Those that end at once are seen too, though not each: how many of them depends on what else the machine does.
    let many = r#"
        for my $each (1 .. 4000) {
            system "/bin/bash", "-c", "for i in {1..300}; do :; done; : $each";
            local @ARGV = glob "$ENV{HOME}/.local/state/guarded-sh/records/*.jsonl";
            last if @ARGV && 10 <= grep { /program/ } <>;
            select undef, undef, undef, 0.05;
        }"#;
    let err = unwatched("short ones", "$RUN run --unwatched --", many);
    assert!(err.contains("perl ran /bin/bash unguarded, 10 times, first: "), "{err}");
}

/// What came through the guard, what the person started, and the system's scripts are no shells that nobody judged.
#[test]
fn what_came_through_the_guard_is_not_said() {
    let guarded = r#"for (1 .. 30) { system "bash", "-c", "(sleep 0.02); bash -c 'sleep 0.02'; setsid env -i /bin/bash -c 'sleep 0.02' & wait" } system "which", "ls""#;
    assert_eq!(unwatched("guarded", "$RUN run --unwatched --", guarded), "");
    let own = "sleep 1";
    let err = unwatched(
        "own",
        "$RUN run --unwatched -- /bin/bash -c '(sleep 0.4); (sleep 0.4); \"$@\"' x",
        own,
    );
    assert_eq!(err, "");
}

/// Where nobody may trace: here the kernel refuses it.
#[test]
fn a_shell_is_said_where_nothing_can_be_watched() {
    let agent = format!("{UNTIL_RECORDED}\n{}", UNWATCHED[0].1);
    let run = "cc -o no no.c 2>/dev/null || exit 0; ./no $RUN run --require-guard=no --";
    let sessions = Sessions::new();
    sessions.place.write("work/no.c", NO_TRACE);
    sessions.place.write("work/agent", agent);
    let script = format!("{run} perl agent");
    let ended = sessions.script(&script, &guard().display().to_string()).run_in_own_home();
    if !sessions.place.path("work/no").exists() {
        println!("skipped: there is no compiler here");
        return;
    }
    let err = ended.err();
    assert!(err.contains("cannot be watched here"), "{err}");
    assert!(err.contains("unguarded: it is a shell"), "{err}");
}

/// Where its processes cannot be watched an agent does not run, unless a person is at the terminal who sees what is said of that, or wrote so.
#[test]
fn an_agent_that_cannot_be_watched_needs_a_person_or_their_word() {
    let why = "guarded-sh: refused: the programs that it starts cannot be watched here: ";
    let hint = "guarded-sh run --require-guard=no -- AGENT";
    let open = "guarded-sh: what the agent starts cannot be watched here (";
    for (at_terminal, choice, runs) in [
        (false, "", false),
        (false, "--require-guard=yes", false),
        (false, "--require-guard", false),
        (false, "--require-guard=no", true),
        (true, "", true),
        (true, "--require-guard=yes", false),
        (true, "--require-guard", false),
        (true, "--require-guard=no", true),
    ] {
        let sessions = Sessions::new();
        sessions.place.write("work/no.c", NO_TRACE);
        let run = format!("./no $RUN run {choice} -- touch ran");
        let run =
            if at_terminal { format!(r#"script -qec "{run}" /dev/null </dev/null"#) } else { run };
        let script = format!("cc -o no no.c 2>/dev/null || exit 0; {run}; echo \"status $?\"");
        let ended = sessions.script(&script, &guard().display().to_string()).run_in_own_home();
        if !sessions.place.path("work/no").exists() {
            println!("skipped: there is no compiler here");
            return;
        }
        let (name, said) = (format!("{at_terminal} {choice}"), ended.out() + &ended.err());
        assert_eq!(sessions.place.path("work/ran").exists(), runs, "{name}: {said}");
        assert_eq!(said.contains(open), runs, "{name}: {said}");
        assert_eq!(said.contains(why) && said.contains(hint), !runs, "{name}: {said}");
        assert!(said.contains(if runs { "status 0" } else { "status 126" }), "{name}: {said}");
    }
}

/// Has ptrace(2) fail for what it starts (seccomp(2)).
const NO_TRACE: &str = r"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return 1;
    execv(words[1], words + 1);
    return 1;
}
";
