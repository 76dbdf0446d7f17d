//! `guarded-sh host` beside bash on this machine: standard streams of every kind, what is sent each way, words and statuses.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use super::bridge::{by_risk, called, host};
use super::world::within;

/// Runs a script of bash as a client, which has `host` before a command for `guarded-sh host --`.
fn driven(token: &str, script: &str) -> String {
    let call = called(token, &[]);
    let program = call.get_program().to_str().unwrap().to_owned();
    let text = format!("host() {{ '{program}' host -- \"$@\"; }}\n{script}");
    std::fs::write("/srv/driver", text).unwrap();
    let mut bash = Command::new("/bin/bash");
    bash.arg("/srv/driver").current_dir("/srv/home/app").stdin(Stdio::null());
    bash.envs(call.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = bash.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
}

/// Calls a command with each of its streams a terminal, a pipe, a file and closed, as bash runs it and as the host does.
const MATRIX: &str = r#"
probe='r=; for f in 0 1 2; do if [ -t $f ]; then r="$r $f:terminal"; fi; done; [ -t 0 ] || { read -r x && r="$r read:$x" || r="$r nothing"; }; echo out && r="$r out" || r="$r no"; echo err >&2 && r="$r err" || r="$r no"; echo "$r" > result; exit 3'
calls() { # who, in, out, err
    [ "$1" = host ] && set -- "$@" "$GUARD" host --
    local name="$2 $3 $4" who=$1 in=$2 out=$3 err=$4 waited=
    shift 4
    rm -f result o e fi fo fe; mkfifo fi fo fe
    case $in in terminal) exec 3</dev/tty ;; pipe) printf 'typed\n' >fi & waited="$waited $!"; exec 3<fi ;; file) exec 3<typed ;; closed) exec 3<&- ;; esac
    case $out in terminal) exec 4>/dev/tty ;; pipe) cat <fo >o & waited="$waited $!"; exec 4>fo ;; file) exec 4>o ;; closed) exec 4>&- ;; esac
    case $err in terminal) exec 5>/dev/tty ;; pipe) cat <fe >e & waited="$waited $!"; exec 5>fe ;; file) exec 5>e ;; closed) exec 5>&- ;; esac
    "$@" bash -c "$probe" <&3 >&4 2>&5 3<&- 4>&- 5>&-
    local status=$?
    exec 3<&- 4>&- 5>&-
    for one in $waited; do wait $one; done
    printf '%s | %s |%s | %s | %s\n' "$name" $status "$(cat result 2>/dev/null)" "$(cat o 2>/dev/null)" "$(cat e 2>/dev/null)" >>/srv/$who
}
printf 'typed\n' >typed
for in in terminal pipe file closed; do for out in terminal pipe file closed; do for err in terminal pipe file closed; do
    calls bash $in $out $err
    calls host $in $out $err
done; done; done
"#;

#[test]
fn streams_of_every_kind_are_what_bash_makes_of_them() {
    within("streams::streams_of_every_kind_are_what_bash_makes_of_them", || {
        let (_bridge, token) = by_risk();
        std::fs::write("/srv/driver", MATRIX).unwrap();
        let call = called(&token, &[]);
        let mut at = Command::new("script");
        at.args(["-qec", "bash /srv/driver", "/dev/null"]).stdin(Stdio::piped());
        at.current_dir("/srv/home/app").env("GUARD", call.get_program());
        at.envs(call.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let mut child = at.stdout(Stdio::piped()).spawn().unwrap();
        let mut seen = String::new();
        child.stdout.take().unwrap().read_to_string(&mut seen).unwrap();
        child.wait().unwrap();
        let [bash, host] = ["bash", "host"]
            .map(|who| std::fs::read_to_string(format!("/srv/{who}")).expect(&seen));
        let rows: Vec<_> = bash.lines().zip(host.lines()).collect();
        assert_eq!(rows.len(), 64, "{seen}");
        let differ: Vec<_> = rows.into_iter().filter(|(bash, host)| bash != host).collect();
        assert!(differ.is_empty(), "{differ:#?}\n{seen}");
    });
}

#[test]
fn every_status_and_every_signal_comes_back() {
    within("streams::every_status_and_every_signal_comes_back", || {
        let (_bridge, token) = by_risk();
        // The end of each is the command's own; two at a time, as many as there are processors.
        let said = driven(
            &token,
            r#"
            one() { host sh -c "exit $1"; [ $? = $1 ] || echo "status $1: $?"; }
            for s in $(seq 0 2 255); do one $s & one $((s + 1)); wait; done
            for s in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 24 25 26 27 29 30 31 34 64; do
                host sh -c "kill -$s \$\$"; got=$?
                [ $got = $((128 + s)) ] || echo "signal $s: $got"
            done"#,
        );
        assert_eq!(said, "");
    });
}

#[test]
fn who_reads_no_more_ends_who_writes() {
    within("streams::who_reads_no_more_ends_who_writes", || {
        let (_bridge, token) = by_risk();
        let said = driven(
            &token,
            r#"
            host seq 1 1000000000 | head -1; echo "${PIPESTATUS[@]}"
            host sh -c 'seq 1 1000000 >&2' 2>&1 >/dev/null | head -1; echo "${PIPESTATUS[@]}"
            # One that goes on without a reader does, with its other stream.
            host sh -c 'trap "" PIPE; seq 1 1000000 2>/dev/null; echo went on >&2; exit 4' | true; echo "${PIPESTATUS[@]}"
            host true >&- 2>&- <&-; echo $?
            # What cannot be written for another reason is said.
            host echo x >/dev/full; echo $?
            "#,
        );
        let lines: Vec<&str> = said.lines().collect();
        assert_eq!(lines[..6], ["1", "141 0", "1", "141 0", "4 0", "0"], "{said}");
        assert!(said.contains("went on"), "{said}");
        assert!(said.contains("cannot write standard output: No space left on device"), "{said}");
    });
}

#[test]
fn one_end_of_a_stream_is_closed_before_the_other() {
    within("streams::one_end_of_a_stream_is_closed_before_the_other", || {
        let (_bridge, token) = by_risk();
        // Standard input ends, and the command goes on writing; and the other way round.
        let mut child = called(&token, &["sh", "-c", "cat; echo over; exec 1>&-; cat >&2"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"first\n").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "first\nover\n");
        // One that reads nothing leaves it, and ends.
        let mut child = called(&token, &["true"]).stdin(Stdio::piped()).spawn().unwrap();
        let _held = child.stdin.take();
        assert!(child.wait().unwrap().success());
    });
}

/// Sends as much each way, and holds its digest and, on the way, its order.
fn much(bytes: u64) {
    let (_bridge, token) = by_risk();
    // A file without blocks would be all the same byte: a few at its ends are others.
    let mut file = File::create("/srv/much").unwrap();
    file.write_all(b"begins").unwrap();
    file.set_len(bytes).unwrap();
    std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(bytes - 5)).unwrap();
    file.write_all(b"ends\n").unwrap();
    let local = Command::new("sha256sum").stdin(File::open("/srv/much").unwrap()).output().unwrap();
    let begun = std::time::Instant::now();
    let there = host(&token, &["sha256sum"], File::open("/srv/much").unwrap().into());
    let to = begun.elapsed();
    assert_eq!(there.stdout, local.stdout, "{there:?}");
    std::fs::rename("/srv/much", "/srv/home/app/much").unwrap();
    let begun = std::time::Instant::now();
    let mut child = called(&token, &["cat", "much"]).stdout(Stdio::piped()).spawn().unwrap();
    let back = Command::new("sha256sum").stdin(child.stdout.take().unwrap()).output().unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(back.stdout, local.stdout);
    println!("{bytes} bytes there in {to:?}, and back in {:?}", begun.elapsed());
}

#[test]
fn much_is_the_same_at_the_other_end() {
    within("streams::much_is_the_same_at_the_other_end", || much(100_000_000));
}

#[test]
#[ignore = "a gigabyte each way"]
fn a_gigabyte_is_the_same_at_the_other_end() {
    within("streams::a_gigabyte_is_the_same_at_the_other_end", || much(1_000_000_000));
}

#[test]
fn words_arrive_as_they_are_or_not_at_all() {
    use std::os::unix::ffi::OsStrExt;
    within("streams::words_arrive_as_they_are_or_not_at_all", || {
        let (_bridge, token) = by_risk();
        let words = [
            "",
            " ",
            "a b",
            "\n",
            "a\nb\n",
            "'",
            "\"",
            "`id`",
            "$(id)",
            "$x",
            "\\",
            "\\n",
            "*",
            "~",
            "-n",
            "--",
            "a=b",
            "ü€😀",
            "\u{202e}",
            "\u{1}",
            "\u{1b}[31m",
            "\t",
            "!",
            "#",
            "&",
            ";",
            "|",
            "{a,b}",
            "[",
            "e\u{301}",
            "\u{fffd}",
            "\r\n",
        ];
        let mut all = vec!["printf", "<%s>"];
        all.extend(words);
        let local = Command::new(all[0]).args(&all[1..]).output().unwrap();
        let there = host(&token, &all, Stdio::null());
        assert_eq!(
            String::from_utf8_lossy(&there.stdout),
            String::from_utf8_lossy(&local.stdout),
            "{there:?}"
        );
        // Bytes that are no text would be others there.
        let mut call = called(&token, &["echo"]);
        let output = call.arg(std::ffi::OsStr::from_bytes(b"a\xffb")).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{said}");
        assert!(said.contains("UTF-8"), "{said}");
        // A word that is wrong is usage.
        let mut call = Command::new(super::world::guard());
        let output = call.args(["host", "--set", "A", "--", "true"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("NAME=VALUE"), "{said}");
    });
}

#[test]
fn a_directory_that_is_gone_or_another_runs_nothing() {
    within("streams::a_directory_that_is_gone_or_another_runs_nothing", || {
        let (_bridge, token) = by_risk();
        let said = driven(
            &token,
            "mkdir gone && cd gone && rmdir ../gone && host touch ../ran; echo $?; \
             cd /srv/home/app; mkdir there; cd there; mv ../there /srv/away; ln -s /etc ../there; host touch ran; echo $?",
        );
        let statuses: Vec<&str> = said.lines().filter(|line| line.len() <= 3).collect();
        assert_eq!(statuses, ["125", "126"], "{said}");
        // One whose name is now a link beneath the mount is that which the link leads to; one that leads out is none.
        std::fs::create_dir("/srv/home/app/real").unwrap();
        symlink("real", "/srv/home/app/link").unwrap();
        symlink("/srv", "/srv/home/app/out").unwrap();
        for (directory, status) in [("link", 0), ("out", 126)] {
            let mut call = called(&token, &["touch", "here"]);
            call.current_dir(format!("/srv/home/app/{directory}"));
            assert_eq!(call.output().unwrap().status.code(), Some(status), "{directory}");
        }
        assert!(std::path::Path::new("/srv/home/app/real/here").exists());
        for path in ["/srv/home/app/ran", "/srv/away/ran", "/etc/ran", "/srv/here"] {
            assert!(!std::path::Path::new(path).exists(), "{path}");
        }
    });
}
