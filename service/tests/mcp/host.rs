//! `guarded-sh host`: streams, statuses, signals and windows as if the command ran where it is called.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::bridge::{by_risk, called, host, person};
use super::world::{PATIENCE, within};

#[test]
fn streams_and_statuses_are_the_commands_own() {
    within("host::streams_and_statuses_are_the_commands_own", || {
        let (_bridge, token) = by_risk();
        for (script, out, err, status) in [
            ("echo out; echo err >&2", "out\n", "err\n", 0),
            ("exit 7", "", "", 7),
            ("kill -TERM $$", "", "", 143),
            ("kill -9 $$", "", "", 137),
            ("printf 'a\\0b'", "a\0b", "", 0),
            ("cat; pwd", "/srv/home/app\n", "", 0),
        ] {
            let output = host(&token, &["sh", "-c", script], Stdio::null());
            assert_eq!(output.status.code(), Some(status), "{script}: {output:?}");
            assert_eq!(String::from_utf8_lossy(&output.stdout), out, "{script}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), err, "{script}");
        }
        let output =
            host(&token, &["printf", "<%s>", "a b", "'", "$x", "*", "-n", "ü"], Stdio::null());
        assert_eq!(String::from_utf8_lossy(&output.stdout), "<a b><'><$x><*><-n><ü>");
        // Standard input is what it is, to its end; and much of it.
        let much = "0123456789abcdef".repeat(1 << 16);
        let mut child = called(&token, &["sha256sum"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(much.as_bytes()).unwrap();
        drop(input);
        let mut sum = String::new();
        child.stdout.take().unwrap().read_to_string(&mut sum).unwrap();
        assert!(sum.starts_with(&guarded_sh::audit::sha256(much.as_bytes())), "{sum}");
        assert!(child.wait().unwrap().success());
    });
}

#[test]
fn whoever_reads_late_gets_all_that_was_written() {
    within("host::whoever_reads_late_gets_all_that_was_written", || {
        let (_bridge, token) = by_risk();
        let script = "head -c 400000 /dev/zero; touch over";
        let mut child = called(&token, &["sh", "-c", script])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let over = Path::new("/srv/home/app/over");
        let end = Instant::now() + PATIENCE;
        while !over.exists() {
            assert!(Instant::now() < end, "it waits for whoever reads");
            std::thread::sleep(Duration::from_millis(10));
        }
        // Longer than anything waits for more of a command that is over.
        std::thread::sleep(Duration::from_millis(1_200));
        let mut written = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut written).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert_eq!(written.len(), 400_000);
        // What is recorded is what was written.
        let recorded = person(&["log", "--json", "-n", "1"]);
        assert!(recorded.contains(&guarded_sh::audit::sha256(&written)), "{recorded}");
    });
}

#[test]
fn what_a_command_does_not_read_is_left() {
    within("host::what_a_command_does_not_read_is_left", || {
        let (_bridge, token) = by_risk();
        std::fs::write("/srv/home/app/list", "one\ntwo\nthree\n").unwrap();
        let call = called(&token, &["true"]);
        let program = call.get_program().to_str().unwrap().to_owned();
        let line = format!("while read x; do {program} host -- true && echo $x; done");
        let mut loops = Command::new("/bin/bash");
        loops
            .args(["-c", &line])
            .envs(call.get_envs().filter_map(|(name, value)| Some((name, value?))));
        loops.current_dir("/srv/home/app").stdin(File::open("/srv/home/app/list").unwrap());
        let output = loops.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "one\ntwo\nthree\n", "{output:?}");
    });
}

#[test]
fn signals_go_to_the_command_and_a_dead_client_ends_it() {
    within("host::signals_go_to_the_command_and_a_dead_client_ends_it", || {
        let (_bridge, token) = by_risk();
        let begin = |script: &str| {
            let mut child = called(&token, &["bash", "-c", script])
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut out = child.stdout.take().unwrap();
            let mut byte = [0; 6];
            out.read_exact(&mut byte).unwrap();
            assert_eq!(&byte, b"begun\n");
            (child, out)
        };
        let (mut child, mut out) =
            begin("trap 'echo heard; exit 5' INT; echo begun; while :; do :; done");
        let id = child.id().to_string();
        Command::new("/bin/bash").args(["-c", &format!("kill -INT {id}")]).status().unwrap();
        let mut rest = String::new();
        out.read_to_string(&mut rest).unwrap();
        assert_eq!((rest.as_str(), child.wait().unwrap().code()), ("heard\n", Some(5)));
        // What is left behind when it ends says so in a file that is waited for.
        let (mut child, _out) =
            begin("trap 'echo ended > ended; exit' TERM; echo begun; while :; do :; done");
        child.kill().unwrap();
        child.wait().unwrap();
        while std::fs::read_to_string("/srv/home/app/ended").unwrap_or_default() != "ended\n" {
            std::thread::yield_now();
        }
    });
}

#[test]
fn a_terminal_is_one_there_too() {
    within("host::a_terminal_is_one_there_too", || {
        let (_bridge, token) = by_risk();
        let call = called(&token, &[]);
        let program = call.get_program().to_str().unwrap().to_owned();
        let script = "[ -t 0 ] && [ -t 1 ] && echo both; stty size; read x; echo got $x";
        let line = format!("stty rows 31 cols 77; {program} host -- sh -c '{script}'");
        let mut at = Command::new("script");
        at.args(["-qec", &line, "/dev/null"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        at.envs(call.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut child = at.current_dir("/srv/home/app").spawn().unwrap();
        let (mut keys, mut out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut seen = String::new();
        while !seen.contains("31 77") {
            let mut piece = [0; 256];
            let count = out.read(&mut piece).unwrap();
            assert!(count > 0, "{seen}");
            seen.push_str(&String::from_utf8_lossy(&piece[..count]));
        }
        assert!(seen.contains("both"), "{seen}");
        keys.write_all(b"typed\r").unwrap();
        while !seen.contains("got typed") {
            let mut piece = [0; 256];
            let count = out.read(&mut piece).unwrap();
            assert!(count > 0, "{seen}");
            seen.push_str(&String::from_utf8_lossy(&piece[..count]));
        }
        assert!(child.wait().unwrap().success());
        // One that is piped is none, though the others are.
        let line =
            format!("echo piped | {program} host -- sh -c '[ -t 0 ] || cat; [ -t 1 ] && echo out'");
        let mut at = Command::new("script");
        at.args(["-qec", &line, "/dev/null"]).stdin(Stdio::null());
        at.envs(call.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = at.current_dir("/srv/home/app").output().unwrap();
        let seen = String::from_utf8_lossy(&output.stdout);
        assert!(seen.contains("piped") && seen.contains("out"), "{seen}");
    });
}

#[test]
fn programs_that_are_named_go_to_the_host() {
    within("host::programs_that_are_named_go_to_the_host", || {
        let (_bridge, token) = by_risk();
        std::fs::create_dir("/srv/shims").unwrap();
        std::fs::write("/srv/shims/other", "mine").unwrap();
        let shim = |name: &str| {
            let mut command = Command::new(super::world::guard());
            command.args(["host-shim", "--directory", "/srv/shims", name]).output().unwrap()
        };
        assert!(shim("uname").status.success() && shim("uname").status.success());
        for name in ["other", "../x", "-x", "", "a b"] {
            assert!(!shim(name).status.success(), "{name}");
        }
        assert_eq!(std::fs::read_to_string("/srv/shims/other").unwrap(), "mine");
        let mut call = Command::new("/srv/shims/uname");
        let environment = called(&token, &[]);
        call.envs(environment.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = call.arg("-s").current_dir("/srv/home/app").output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "Linux\n", "{output:?}");
    });
}

#[test]
fn a_container_speaks_over_the_socket_alone() {
    within("host::a_container_speaks_over_the_socket_alone", || {
        let (_bridge, token) = by_risk();
        // Another network, other processes, another user database of ids: what is shared is the socket and the directory.
        let call = called(&token, &["sh", "-c", "pwd; exit 9"]);
        let mut container = Command::new("unshare");
        container.args(["-Urnp", "--fork", "--kill-child"]).arg(call.get_program());
        container.args(call.get_args()).current_dir("/srv/home/app").stdin(Stdio::null());
        container.envs(call.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = container.output().unwrap();
        assert_eq!(output.status.code(), Some(9), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "/srv/home/app\n");
    });
}
