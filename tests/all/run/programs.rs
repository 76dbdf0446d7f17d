//! `[run] programs = "judge"`: programs that an agent's own processes start without a shell.

use super::{Sessions, has_node, has_python};
use crate::support::{Ended, guard};

const JUDGE: &str = "[run]\nprograms = \"judge\"\n[approval]\nwait = 0\n";

/// Starts of `rm a` without a shell, as Perl, and a way to say how that ended.
const WAYS: &[(&str, &str)] = &[
    ("by its path", r#"exit system("/bin/rm", "a") >> 8"#),
    ("in the agent's place, below it", r#"if (fork) { wait; exit $? >> 8 } exec "rm", "a""#),
    ("by another name", r#"exit system({"/bin/rm"} "other", "a") >> 8"#),
    ("with words that are no text", r#"exit system("rm", "-f", "\xff", "a") >> 8"#),
    ("by a wrapper", r#"exit system("env", "A=b", "rm", "a") >> 8"#),
    ("by code", r#"exit system($^X, "-e", "unlink 'a'") >> 8"#),
    (
        "from a copy",
        r#"use File::Copy; copy("/bin/rm", "ls"); chmod 0755, "ls"; exit system("./ls", "a") >> 8"#,
    ),
    ("with many words", r#"exit system("rm", "-f", "a", ("x" x 100) x 9999) >> 8"#),
    ("far below", r#"use POSIX; exit 126 if fork; setsid; exit if fork; exec "rm", "a""#),
];

fn refused(name: &str, script: &str, agent: &str) {
    let sessions = Sessions::with(JUDGE);
    sessions.place.write("work/a", "");
    sessions.place.write("work/agent", agent);
    let ended = sessions.run_in_own_home(script);
    let err = ended.err();
    assert!(sessions.place.path("work/a").exists(), "{name}: {err}");
    assert_eq!(ended.code(), Some(126), "{name}: {err}");
    if name != "far below" {
        assert!(err.contains("guarded-sh: refused: "), "{name}: {err}");
    }
}

#[test]
fn a_program_that_a_person_would_be_asked_about_is_asked_about() {
    for (name, way) in WAYS {
        refused(name, "$RUN perl agent", way);
    }
    if has_python() {
        let way = r#"import subprocess, sys; sys.exit(subprocess.run(["rm", "a"]).returncode)"#;
        refused("Python", "$RUN python3 agent", way);
    }
    if has_node() {
        let way = r#"process.exit(require("child_process").spawnSync("rm", ["a"], { stdio: "inherit" }).status)"#;
        refused("Node", "mv agent agent.js; $RUN node agent.js", way);
    }
}

/// What is permitted, here since nothing binds, is as it would be without a session: what came before the last line is the agent's.
#[test]
fn a_program_that_may_run_is_as_it_was_started() {
    let begin = r#"cp /bin/cat tool; chmod 755 tool; $RUN perl -e '$^F = 9; open my $file, "<", "in"; $ENV{"B.c"} = "\xff=\n"; delete @ENV{grep /^(_|PWD|HOME)$|GUARDED|XDG|^RUN$|SHELL|PATH|BASH|ZSH/, keys %ENV}; "#;
    for script in [
        r#"system {"./tool"} "a b", "/proc/self/cmdline", "x\xff\n'\''\"", "", "--"; print $? >> 8'"#,
        r#"exec "./tool", "/proc/self/environ"'"#,
        r#"mkdir "d"; chdir "d"; system "../tool", "/proc/self/fd/0", "/proc/self/fd/3"; print $? >> 8' <in"#,
        r#"system "./tool", "/proc/self/cmdline", ("x" x 1000) x 1000; print $? >> 8' 2>&1 | md5sum"#,
        r#"$SIG{INT} = "IGNORE"; umask 027; system "./tool", "/proc/self/status"' | grep -E "^(Sig[BI]|Umask|TracerPid)""#,
    ] {
        let of = |sessions: Sessions, run: &str| -> Ended {
            sessions.place.write("work/in", "from a file\n");
            sessions.script(&format!("{begin}{script}"), run).run_in_own_home()
        };
        let run = format!("{} run --", guard().display());
        let without = of(Sessions::new(), "");
        let with = of(Sessions::with("mode = \"shadow\"\n[run]\nprograms = \"judge\"\n"), &run);
        let text = |ended: &Ended| (ended.out(), ended.code());
        assert_eq!(text(&with), text(&without), "{script}: {}", with.err());
    }
}

/// The agent's own program, and what lies beside it in its package, need nobody's yes; nor does what is harmless.
#[test]
fn what_is_the_agents_own_runs() {
    let sessions = Sessions::with(JUDGE);
    let again = r#"if (@ARGV) { print "again\n" } else { system $^X, $0, "again" }"#;
    let package = "work/node_modules/@a/agent";
    sessions.place.write("work/agent", again);
    sessions.place.write(&format!("{package}/main"), format!("#!/usr/bin/env perl\n{again}"));
    sessions.place.write(
        &format!("{package}/other"),
        "#!/usr/bin/perl\nuse FindBin; system \"$FindBin::Bin/tool\", \"/dev/null\"; print $?",
    );
    let begin = "cd node_modules/@a/agent; chmod 755 *; cp /bin/cat tool; cd ../../..";
    for (script, out) in [
        ("$RUN perl agent", "again\n"),
        (&format!("{begin}; $RUN node_modules/@a/agent/main"), "again\n"),
        (&format!("{begin}; $RUN env A=b node_modules/@a/agent/main"), "again\n"),
        (&format!("{begin}; $RUN node_modules/@a/agent/other"), "0"),
        (r#"$RUN perl -e 'for (1 .. 20) { system "/bin/true", $_ } print `/bin/echo $?`'"#, "0\n"),
        (
            r#"$RUN perl -e 'system "grep", "TracerPid:.0", "/proc/self/status"; print $? >> 8'"#,
            "1",
        ),
    ] {
        let ended = sessions.run_in_own_home(script);
        assert_eq!(ended.out(), out, "{script}: {}", ended.err());
    }
}

#[test]
fn many_starts_at_once_are_judged() {
    let sessions = Sessions::with(JUDGE);
    sessions.place.write("work/a", "");
    let ended = sessions.run_in_own_home(
        r#"$RUN perl -e 'for (1 .. 500) { next if fork; exec "/bin/true", $_ } $bad += !!$? while wait > 0; system "/bin/rm", "a"; print 0 + $bad'"#,
    );
    assert_eq!(ended.out(), "0", "{}", ended.err());
    assert!(sessions.place.path("work/a").exists(), "{}", ended.err());
}

#[test]
fn a_project_may_only_have_more_judged() {
    for (own, project, is_left) in [
        ("", "[run]\nprograms = \"judge\"\n", true),
        ("[run]\nprograms = \"judge\"\n", "[run]\nprograms = \"record\"\n", true),
        ("", "[run]\nprograms = \"record\"\n", false),
    ] {
        let sessions = Sessions::with(&format!("{own}[approval]\nwait = 0\n"));
        sessions.place.write("work/a", "");
        sessions.place.write("work/.guarded-sh.toml", project);
        let ended = sessions.run_in_own_home(r#"$RUN perl -e 'system "/bin/rm", "a"'"#);
        assert_eq!(sessions.place.path("work/a").exists(), is_left, "{project}: {}", ended.err());
    }
}
