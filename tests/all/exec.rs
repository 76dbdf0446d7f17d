//! Law 8: what the real shell gets from its caller, it gets through us. Each row is a script for an outer bash, run once with
//! the real bash under a name, once with us under the same name; output, errors, status and files must be the same.
//! The owner's settings say shadow mode, so that every row reaches the real shell.

use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;

use super::owner::Owner;
use super::support::guard;

struct Outcome {
    status: (Option<i32>, Option<i32>),
    stdout: String,
    stderr: String,
    files: Vec<(String, String)>,
}

fn run(shell: &Path, script: &str) -> Outcome {
    let owner = Owner::with("mode = \"shadow\"\n");
    symlink(shell, owner.work().join("guarded-bash")).unwrap();
    let output =
        owner.command("/bin/bash").args(["-c", script]).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.replace(owner.place().to_str().unwrap(), "PLACE")
    };
    let mut files: Vec<_> = std::fs::read_dir(owner.work())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap() != "guarded-bash")
        .map(|path| {
            (text(path.as_os_str().as_encoded_bytes()), text(&std::fs::read(&path).unwrap()))
        })
        .collect();
    files.sort();
    Outcome {
        status: (output.status.code(), output.status.signal()),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
        files,
    }
}

fn compare(script: &str) {
    let real = run(Path::new("/bin/bash"), script);
    let ours = run(guard(), script);
    assert_eq!(ours.stdout, real.stdout, "stdout of {script}");
    assert_eq!(ours.stderr, real.stderr, "stderr of {script}");
    assert_eq!(ours.status, real.status, "status of {script}");
    assert_eq!(ours.files, real.files, "files of {script}");
}

#[test]
fn descriptors_are_the_callers() {
    for script in [
        "./guarded-bash -c 'ls /proc/self/fd'",
        "./guarded-bash -c 'ls /proc/self/fd' <&-",
        "./guarded-bash -c 'ls /proc/self/fd >out' >&-",
        "./guarded-bash -c 'ls /proc/self/fd; cat <&0' 2>&-",
        "./guarded-bash -c 'ls /proc/self/fd >out' <&- >&- 2>&-",
        "echo in >a; ./guarded-bash -c 'ls /proc/self/fd; cat <&3; echo out >&7' 3<a 7>b",
        "./guarded-bash -c 'ls /proc/self/fd; echo out >&200' 200>b",
        "./guarded-bash -c 'cat \"$1\"' x <(echo substituted)",
        "echo piped | ./guarded-bash -c 'read line; echo \"$line\"; cat'",
        "printf 'one\\ntwo\\n' >a; { ./guarded-bash -c 'read x; echo $x'; cat; } <a",
        "exec 9>a; ./guarded-bash -c 'echo b >&9'; echo c >&9",
    ] {
        compare(script);
    }
}

#[test]
fn signals_are_the_callers() {
    for script in [
        "./guarded-bash -c 'grep ^Sig[BI] /proc/self/status'",
        "trap '' PIPE; ./guarded-bash -c 'grep ^Sig[BI] /proc/self/status'",
        "trap '' INT TERM HUP USR1; ./guarded-bash -c 'grep ^Sig[BI] /proc/self/status'",
        "env --block-signal=USR2 ./guarded-bash -c 'grep ^Sig[BI] /proc/self/status'",
        "./guarded-bash -c 'yes; echo $? >&2' | head -n 1",
        "trap '' PIPE; ./guarded-bash -c 'yes 2>/dev/null; echo $? >&2' | head -n 1",
        "./guarded-bash -c 'trap \"echo caught\" TERM; kill $$; echo after'",
        "(./guarded-bash -c 'kill -9 $$'; echo $?) 2>/dev/null",
        "exec ./guarded-bash -c 'kill -TERM $$'",
        "exec ./guarded-bash -c 'kill -SEGV $$'",
        "./guarded-bash -c 'sleep 60' & kill -9 $!; wait $! 2>/dev/null; echo $?",
        "./guarded-bash -c 'sleep 60' & kill -TERM $!; wait $! 2>/dev/null; echo $?",
        "./guarded-bash -c 'echo >a; sleep 60' & until [ -s a ]; do :; done; kill -SEGV $!; wait $! 2>/dev/null; echo $?",
    ] {
        compare(script);
    }
}

#[test]
fn the_rest_of_the_process_is_the_callers() {
    for script in [
        "umask 027; ./guarded-bash -c 'umask; >a; stat -c %a a'",
        "mkdir d; cd d; ../guarded-bash -c 'pwd; echo \"$OLDPWD\"'; cd ..; rmdir d",
        "ulimit -n 77; ulimit -c 0; ./guarded-bash -c 'ulimit -n; ulimit -c'",
        "env -i A=1 'B=two words' ./guarded-bash -c env | sort",
        "env -i A=1 'B=two words' ./guarded-bash -c 'compgen -e; echo \"$A|$B\"' | sort",
        "env -i ./guarded-bash -c 'compgen -e; echo $PATH'",
        "A=$'\\xff\\xfe' ./guarded-bash -c 'echo \"$A\"' | od -c",
        "./guarded-bash -c 'echo $SHLVL $PPID $BASHPID $$' | sed \"s/ $$ .*//\"",
        "exec ./guarded-bash -c \"[ \\$\\$ = $$ ] && echo same process\"",
        "./guarded-bash -c 'exit 3'; echo $?; ./guarded-bash -c 'exit 255'; echo $?",
        "./guarded-bash -c 'nothing-of-this-name'; echo $?",
        "./guarded-bash -c 'set -e; false; echo not reached'; echo $?",
        "./guarded-bash -c 'if'; echo $?",
        "nice -n 5 ./guarded-bash -c nice",
        "[ \"$(ps -o pgid= $$)\" = \"$(./guarded-bash -c 'ps -o pgid= $$')\" ] && echo same group",
    ] {
        compare(script);
    }
}

#[test]
fn argv_is_the_callers() {
    for script in [
        "./guarded-bash -c 'echo \"$0 $BASH $- $#\"'",
        "./guarded-bash -c 'echo \"$0|$1|$2\"' zero 'one two' three",
        "PATH=.:$PATH; guarded-bash -c 'echo \"$0\"'",
        "$PWD/guarded-bash -c 'echo \"$0\"; echo \"$BASH\"'",
        "exec -a -bash ./guarded-bash -c 'shopt login_shell; echo \"$0\"'",
        "exec -a bash ./guarded-bash -c 'echo \"$0\"; tr \"\\0\" \" \" </proc/$$/cmdline'",
        "./guarded-bash -lc 'shopt login_shell; echo $-'",
        "./guarded-bash -c -l 'shopt login_shell'",
        "./guarded-bash -euxo pipefail -c 'echo \"$-\"; shopt -po pipefail'",
        "./guarded-bash -O extglob -c 'shopt extglob'",
        "./guarded-bash --norc --noprofile -c 'echo hi'",
        "./guarded-bash --posix -c 'shopt -po posix'",
        "./guarded-bash -c -- 'echo \"$@\"' x -- -y",
        "./guarded-bash -c 'echo $#' x $(seq 100000)",
        "./guarded-bash -c 'printf %s \"$1\" | od -c' x $'\\xff\\xfe\\n'",
        "./guarded-bash -c ''; echo $?",
        "echo 'echo \"$0 $1 $#\"' >s; ./guarded-bash s a b",
        "echo 'echo \"$0 $*\"' >s; ./guarded-bash -x ./s a",
        "printf '#!%s\\necho \"$0 $*\"\\n' \"$PWD/guarded-bash\" >s; chmod +x s; ./s a",
        "./guarded-bash does-not-exist; echo $?",
        "./guarded-bash --version; echo $?",
    ] {
        compare(script);
    }
}

#[test]
fn the_real_shell_is_what_stays() {
    let ours = run(
        guard(),
        "./guarded-bash -c 'readlink /proc/$$/exe; read name </proc/$$/comm; echo $name'",
    );
    assert_eq!(ours.stdout, "/usr/bin/bash\nbash\n");
}
