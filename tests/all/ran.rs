//! `record.ran`: a witness says what really ran below a line, and changes nothing of it.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use guarded_sh::audit::aside;
use guarded_sh::fence::{Kernel, kernel};
use guarded_sh::model::{Begun, Foreseen, Ran, RanLine};
use guarded_sh::observe::Process;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::fence::{WITHOUT, has};
use crate::support::{ALLOWS_ALL, Call, Ended, Place};

const SETTINGS: &str = "fence = \"on\"\n[record]\nran = true\n";

/// A place with a witness; none where nothing can be shown.
fn place() -> Option<Place> {
    let place = Place::with(&format!("{SETTINGS}{ALLOWS_ALL}"));
    place.write("work/.git/HEAD", "ref: refs/heads/main\n");
    if !matches!(kernel(), Kernel::Version(_)) {
        println!("skipped: the kernel's Landlock is {:?}", kernel());
        return None;
    }
    let tried = place.guard(["-c", "echo tried"]).run();
    assert_eq!(tried.out(), "tried\n", "{}", tried.err());
    if told(&place).is_empty() {
        println!("skipped: what holds these tests keeps the kernel from telling of system calls");
        return None;
    }
    Some(place)
}

/// The files that witnesses wrote, the last first.
fn files(place: &Place) -> Vec<PathBuf> {
    let records = place.records();
    let named = records.lines().rev().filter_map(|line| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record.get("ran").and_then(|path| path.as_str()).map(PathBuf::from)
    });
    named.filter(|path| path.exists()).collect()
}

/// What the witness of the last line wrote, when that has ended. The line is over, so its witness hears of that.
fn told(place: &Place) -> Vec<Ran> {
    await_until("no end is told", || {
        let Some(file) = files(place).into_iter().next() else { return Some(Vec::new()) };
        let told: Vec<Ran> = aside::read(file.to_str().unwrap());
        told.iter().any(|ran| matches!(ran, Ran::Line(_))).then_some(told)
    })
}

fn begun(told: &[Ran]) -> Vec<&Begun> {
    let begun = told.iter().filter_map(|ran| match ran {
        Ran::Began(begun) => Some(begun),
        Ran::Ended { .. } | Ran::Line(_) => None,
    });
    begun.collect()
}

fn line(told: &[Ran]) -> &RanLine {
    let mut lines = told.iter().filter_map(|ran| match ran {
        Ran::Line(line) => Some(line),
        Ran::Began(_) | Ran::Ended { .. } => None,
    });
    lines.next().unwrap()
}

fn status(told: &[Ran], program: &str) -> Option<u8> {
    let number = begun(told).into_iter().find(|begun| begun.words.starts_with(program))?.number;
    told.iter().find_map(|ran| match ran {
        Ran::Ended { number: ended, status, .. } if *ended == number => Some(*status),
        _ => None,
    })
}

fn foreseen(told: &[Ran], program: &str) -> Option<Foreseen> {
    let mut begun = begun(told).into_iter();
    begun.find(|begun| begun.words.starts_with(program)).map(|begun| begun.foreseen)
}

#[test]
fn what_ran_is_told_from_what_was_foreseen() {
    let Some(place) = place() else { return };
    place.write("work/tool", "#!/bin/sh\nname=$(cat name)\n$name >made\nexec env sleep 0\n");
    place.write("work/name", "uname");
    place.write("work/kept", "a");
    let line_ = "true; grep -q b kept || uniq kept; echo x >>kept; ./tool; false && wc kept; eval \"$(echo 'tr a b <kept')\"";
    let ended = place.guard(["-c", line_]).run();
    assert_eq!(ended.code(), Some(0), "{}", ended.err());
    let told = told(&place);
    let of_line = line(&told);
    assert_eq!((of_line.status, of_line.left, of_line.cut), (Some(0), 0, false), "{told:?}");
    assert_eq!(usize::try_from(of_line.programs).unwrap(), begun(&told).len(), "{told:?}");
    assert_eq!(
        (&*of_line.made, &*of_line.changed),
        (&["made".to_owned()][..], &["kept".to_owned()][..])
    );
    assert!(of_line.unrun.iter().any(|file| file.ends_with("/wc")), "{of_line:?}");
    assert!(!of_line.unrun.iter().any(|file| file.ends_with("/grep")), "{of_line:?}");
    for (program, is, status_) in [
        ("grep", Foreseen::Named, Some(1)),
        ("uniq", Foreseen::Named, Some(0)),
        // `env` takes its place, and `sleep` that of `env`.
        ("/bin/sh ./tool", Foreseen::Named, None),
        ("uname", Foreseen::No, Some(0)),
        ("sleep", Foreseen::Named, Some(0)),
    ] {
        assert_eq!(foreseen(&told, program), Some(is), "{program}: {told:?}");
        assert_eq!(status(&told, program), status_, "{program}: {told:?}");
    }
    let first = begun(&told)[0];
    assert_eq!((first.number, first.by, first.foreseen), (0, None, Foreseen::Named));
}

#[test]
fn people_are_shown_what_ran() {
    let Some(place) = place() else { return };
    place.write("work/tool", "#!/bin/sh\nname=$(cat name)\n$name >made\nexit 4\n");
    place.write("work/name", "uname");
    assert_eq!(place.guard(["-c", "./tool; exit $?"]).run().code(), Some(4));
    told(&place);
    let log = |words: &[&str]| {
        let ended = place.guard(["log"]).args(words).run();
        assert_eq!(ended.code(), Some(0), "{}", ended.err());
        ended.out()
    };
    let shown = log(&["show", "1"]);
    for says in [
        "What really ran",
        "with 4, after ",
        "4 programs, 1 of them unforeseen",
        "uname, by ",
        "made",
    ] {
        assert!(shown.contains(says), "{says}: {shown}");
    }
    let listed = log(&["--ran"]);
    assert!(listed.contains("echo tried") && listed.contains("./tool"), "{listed}");
    let listed = log(&["--ran=unforeseen"]);
    assert!(!listed.contains("echo tried") && listed.contains("unforeseen"), "{listed}");
}

/// Lines that are to do with a witness what they do without.
const SAME: [&str; 12] = [
    "echo a; echo b >&2; exit 7",
    "nothing-of-this-name; echo $?; ./kept; echo $?; exec nothing-of-this-name",
    "x=$(printf '%s\\n' c a b | sort | head -n 1); echo $x; (exit 5); echo $?",
    "exec printf '%s|' a 'b c'",
    "sh -c 'kill -TERM $$'; echo $?",
    "kill -KILL $$",
    "for i in 1 2 3 4 5 6 7 8; do env true & done; wait; echo $(jobs | wc -l)",
    "trap 'echo trapped' EXIT; sleep 0; exit 3",
    "cat <(echo in) | tr a-z A-Z; echo ${PIPESTATUS[@]}",
    "PATH=/nowhere:/usr/bin:/bin; env env env uname >/dev/null && echo ok",
    "echo 'echo $$ $0' >script; bash script | grep -c script; ps -o stat= -p $$ | wc -l",
    "python3 -c 'import subprocess, threading\nts = [threading.Thread(target=lambda: subprocess.run([\"true\"])) for _ in range(8)]\n[t.start() for t in ts]; [t.join() for t in ts]; print(len(ts))' 2>&1 | tail -1",
];

#[test]
fn a_line_is_as_without() {
    let Some(place) = place() else { return };
    let other = Place::with(&format!("fence = \"on\"\n{ALLOWS_ALL}"));
    for place in [&place, &other] {
        place.write("work/kept", "no program\n");
    }
    for line in SAME {
        let [with, without] = [&place, &other].map(|place| place.guard(["-c", line]).run());
        let seen = |ended: &Ended| (ended.status, ended.out(), ended.err());
        assert_eq!(seen(&with), seen(&without), "{line}");
        told(&place);
    }
}

/// Makes a pipe by name on which a line can wait.
fn gate(place: &Place) -> PathBuf {
    let gate = place.path("work/gate");
    nix::unistd::mkfifo(&gate, nix::sys::stat::Mode::S_IRWXU).unwrap();
    gate
}

/// Lets whoever waits, or will wait, at a gate go on, as long as what is returned is kept.
fn open(gate: &Path) -> File {
    // Open for both, it waits for nobody.
    let mut file = File::options().read(true).write(true).open(gate).unwrap();
    file.write_all(b"go\n").unwrap();
    file
}

/// Waits until something is there.
fn await_until<T>(what: &str, found: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_a_line_leaves_behind_runs_on_and_nobody_waits_for_it() {
    let Some(place) = place() else { return };
    let call = place.guard(["-c", "(read a <gate; env uname >late) >/dev/null 2>&1 & echo $!"]);
    let gate = gate(&place);
    // Its output ends though the witness and what was left go on.
    let ended = call.run();
    assert_eq!((ended.code(), ended.err()), (Some(0), String::new()));
    assert_eq!(line(&told(&place)).status, Some(0));
    let _open = open(&gate);
    await_until("what was left cannot start programs", || {
        let late = std::fs::read_to_string(place.path("work/late")).unwrap_or_default();
        (!late.is_empty()).then_some(())
    });
}

#[test]
fn a_line_below_a_line_is_told_with_it() {
    let Some(place) = place() else { return };
    let guard = crate::support::guard().display();
    let ended = place.guard(["-c", &format!("'{guard}' -c 'env uname; exit 2'")]).run();
    assert_eq!((ended.code(), ended.err()), (Some(2), String::new()));
    let told = told(&place);
    assert_eq!(status(&told, "uname"), Some(0), "{told:?}");
    let records = place.records();
    let inner = records.lines().last().unwrap();
    assert!(inner.contains("env uname"), "{inner}");
}

#[test]
fn secrets_are_masked_and_long_words_cut() {
    let Some(place) = place() else { return };
    let token = "ghp_0123456789012345678901234567890123456789";
    let long = "x".repeat(9_000);
    let ended = place.guard(["-c", &format!("env printf '%.1s' {token} {long}")]).run();
    assert_eq!(ended.out(), "gx");
    told(&place);
    let text = std::fs::read_to_string(&files(&place)[0]).unwrap();
    assert!(text.contains("[masked]") && !text.contains(token), "{text}");
    assert!(text.len() < 10_000, "{}", text.len());
}

#[test]
fn where_the_kernel_tells_of_no_calls_lines_run() {
    if !has("python3") {
        println!("skipped: there is no python3 here");
        return;
    }
    // seccomp(2): missing, denied, and with a witness already.
    let seccomp = if cfg!(target_arch = "x86_64") { 317 } else { 277 };
    for answer in [38, 1, 16] {
        let place = Place::with(&format!("{SETTINGS}{ALLOWS_ALL}"));
        let calls = format!("{seccomp}:{answer}");
        let call = place.call("/usr/bin/env").args(["python3", "-c", WITHOUT, &calls]);
        let ended = call.args([crate::support::guard()]).args(["-c", "env printf ran"]).run();
        assert_eq!(
            (ended.code(), ended.out(), ended.err()),
            (Some(0), "ran".into(), String::new())
        );
        assert!(files(&place).is_empty(), "{answer}");
    }
}

#[test]
fn without_the_setting_or_a_domain_there_is_no_witness() {
    for settings in ["fence = \"on\"\n", "fence = \"off\"\n[record]\nran = true\n"] {
        let place = Place::with(&format!("{settings}{ALLOWS_ALL}"));
        let call: Call = place.guard(["-c", "env true"]);
        assert_eq!(call.run().code(), Some(0));
        assert!(!place.records().contains("\"ran\""), "{settings}");
    }
}

#[test]
fn a_witness_that_was_ended_lets_nothing_start() {
    let Some(place) = place() else { return };
    // The words tell its witness from any other.
    let own = place.path("a").display().to_string().replace(['/', '.'], "_");
    let line = format!(": >ready; read {own} <gate; env true; echo $?");
    let gate = gate(&place);
    let mut command = place.guard(["-c", &line]).command();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    // One that is ended before the line begins has it refused.
    await_until("the line does not begin", || place.path("work/ready").exists().then_some(()));
    let is_witness = |id: &u32| {
        let said = |what| std::fs::read_to_string(format!("/proc/{id}/{what}")).unwrap_or_default();
        said("comm").trim() == "guarded-witness" && said("cmdline").contains(&own)
    };
    let witness =
        await_until("there is no witness", || Process::all().into_iter().find(is_witness));
    kill(Pid::from_raw(witness.try_into().unwrap()), Signal::SIGKILL).unwrap();
    let _open = open(&gate);
    let ended = child.wait_with_output().unwrap();
    assert_ne!(String::from_utf8_lossy(&ended.stdout).trim(), "0");
}
