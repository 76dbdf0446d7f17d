//! The record: what many processes append at once, what survives one that was stopped, and what `verify` finds.

use std::ffi::OsStr;
use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{FileExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use guarded_sh::audit::{
    CallOutcome, DecidedBy, Door, Durability, Earlier, Entry, Error, Filter, Hooked, Line,
    NotedFinding, NotedScript, Record, Report, ResumedBecause, Site, Store, What,
};
use guarded_sh::model::{Action, Denial, Layer, Mode, Score, Severity, Stopped};
use jiff::Timestamp;

fn record(line: &str) -> Record {
    record_at(line, "2026-11-21T12:00:00.5Z")
}

fn record_at(line: &str, time: &str) -> Record {
    Record {
        time: time.parse().unwrap(),
        door: Door::Shell,
        session: Some("claude:1".to_owned()),
        caller: Some("claude".to_owned()),
        pid: 7,
        site: Site::default(),
        cwd: Some("/work".to_owned()),
        line: Line::new(OsStr::new(line)),
        action: Action::Allow,
        severity: Severity::Low,
        score: Score::HARMLESS,
        findings: vec![NotedFinding {
            rule: "effect.read".to_owned(),
            severity: Severity::Low,
            reason: "reads".to_owned(),
        }],
        scripts: Vec::new(),
        decided_by: DecidedBy::Policy,
        mode: Mode::Enforce,
        micros: 123,
        hook: None,
        purpose: None,
        fence: None,
        undo: None,
        ran: None,
        opinion: None,
        question: None,
        client: None,
        ended: None,
        frame: None,
        earlier: guarded_sh::audit::Earlier::No,
    }
}

#[test]
fn no_field_of_a_record_holds_a_secret() {
    let place = Place::new();
    let token = "ghp_0123456789abcdefABCDEF0123456789abcd";
    let named = format!("run {token}");
    let record = Record {
        session: Some(named.clone()),
        caller: Some(named.clone()),
        cwd: Some(format!("/work/{token}/x")),
        line: Line::new(OsStr::new(&format!("the password is hunter2, and {token} the token"))),
        scripts: vec![NotedScript::new(format!("/work/{token}.sh"), &[0; 32])],
        hook: Some(Box::new(Hooked {
            event: named.clone(),
            tool: Some(named.clone()),
            call: Some(named.clone()),
            stopped: vec![Stopped {
                layer: Layer::Fence,
                denial: Denial::File,
                at: Some(named.clone()),
                why: Some(named.clone()),
                maybe: false,
            }],
            ..Hooked::default()
        })),
        ..record("")
    };
    place.store.append(&record).unwrap();
    let read = || place.store.read(Filter::default()).unwrap().last().unwrap().unwrap().record;
    let text = format!("{:?}", read());
    assert!(!text.contains("0123456789") && !text.contains("hunter2"), "{text}");
    assert_eq!(text.matches("ghp_[masked]").count(), 10, "{text}");
    // It is found by the name that it was given.
    let filter = Filter { session: Some(named), ..Filter::default() };
    assert_eq!(place.store.read(filter).unwrap().count(), 1);
    // The first word of an identifier is no command, nor are the ids drawn at random secrets.
    let session = "claude:password=Orchidcloud414".to_owned();
    let hook = Hooked {
        tool: Some(format!("mcp__x__{token}")),
        call: Some("toolu_01XFDUDYJgAACzvnptvVoYEL".to_owned()),
        ..Hooked::default()
    };
    let identified =
        Record { session: Some(session.clone()), hook: Some(Box::new(hook)), ..self::record("ls") };
    place.store.append(&identified).unwrap();
    let kept = read();
    let hook = kept.hook.unwrap();
    assert_eq!(kept.session.as_deref(), Some("claude:password=[masked]"));
    assert_eq!(hook.tool.as_deref(), Some("mcp__x__ghp_[masked]"));
    assert_eq!(hook.call.as_deref(), Some("toolu_01XFDUDYJgAACzvnptvVoYEL"));
    let filter = Filter { session: Some(session), ..Filter::default() };
    assert_eq!(place.store.read(filter).unwrap().count(), 1);
    // What is no secret stays as it is.
    let plain = Record { cwd: Some("/home/dev/token-bucket".to_owned()), ..self::record("ls") };
    place.store.append(&plain).unwrap();
    assert_eq!((read().cwd, read().session), (plain.cwd, plain.session));
}

struct Place {
    root: tempfile::TempDir,
    store: Store,
}

impl Place {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let store = Store::new(&root.path().join("state"), Durability::System);
        Self { root, store }
    }

    fn with(lines: usize) -> Self {
        let place = Self::new();
        for number in 0..lines {
            place.store.append(&record(&format!("echo {number}"))).unwrap();
        }
        place
    }

    fn file(&self) -> PathBuf {
        self.store.directory().join("2026-11-21.jsonl")
    }

    fn lines(&self) -> Vec<String> {
        fs::read_to_string(self.file()).unwrap().lines().map(str::to_owned).collect()
    }

    fn set_lines(&self, lines: &[String]) {
        let end = if lines.is_empty() { "" } else { "\n" };
        fs::write(self.file(), lines.join("\n") + end).unwrap();
    }

    fn verify(&self) -> Report {
        self.store.verify().unwrap()
    }

    fn problems(&self) -> Vec<(u64, What)> {
        self.verify().problems.into_iter().map(|problem| (problem.line, problem.what)).collect()
    }
}

#[test]
fn a_record_comes_back_as_it_was_written_and_can_be_checked_by_hand() {
    let place = Place::with(2);
    let stored: Vec<_> =
        place.store.read(Filter::default()).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(stored.len(), 2);
    assert_eq!(stored[1].record, record("echo 1"));
    assert_eq!((stored[0].sequence, stored[1].sequence), (0, 1));
    assert_eq!(stored[1].previous, stored[0].hash);
    assert_eq!(place.verify(), Report { records: 2, ..Report::default() });

    let check = format!(
        "sed -n 2p '{}' | sed 's/,\"hash\":.*//' | tr -d '\\n' | sha256sum",
        place.file().display()
    );
    let output = Command::new("sh").args(["-c", &check]).output().unwrap();
    assert!(output.stdout.starts_with(stored[1].hash.as_bytes()));
}

#[test]
fn files_are_for_the_owner_alone() {
    let place = Place::with(1);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(place.store.directory()), 0o700);
    assert_eq!(mode(&place.root.path().join("state")), 0o700);
    assert_eq!(mode(&place.file()), 0o600);
    assert_eq!(mode(&place.store.directory().join("head")), 0o600);
}

#[test]
fn secrets_do_not_reach_the_file_and_long_lines_are_bounded() {
    let place = Place::new();
    place.store.append(&record("tool --token abc123secret")).unwrap();
    let long = format!("echo {}", "é".repeat(100_000));
    place.store.append(&record(&long)).unwrap();
    let lines = place.lines();
    assert!(!lines[0].contains("abc123secret"), "{}", lines[0]);
    assert!(lines[1].len() < 40_000);
    let rest = Line::new(OsStr::new(&long)).rest.unwrap();
    assert!(rest.bytes > 160_000);
    let text = std::os::unix::ffi::OsStrExt::from_bytes(b"echo \xff\xfe end");
    assert_eq!(Line::new(text).text, "echo \\xff\\xfe end");
}

#[test]
fn the_chain_goes_on_over_days_and_a_clock_that_is_set_back() {
    let place = Place::new();
    for time in ["2026-11-20T23:59:59Z", "2026-11-21T00:00:01Z", "2026-11-19T00:00:00Z"] {
        place.store.append(&record_at("ls", time)).unwrap();
    }
    let files: Vec<_> = ["2026-11-19.jsonl", "2026-11-20.jsonl", "2026-11-21.jsonl"]
        .map(|name| fs::read_to_string(place.store.directory().join(name)).unwrap_or_default())
        .iter()
        .map(|text| text.lines().count())
        .collect();
    assert_eq!(files, [0, 1, 2]);
    assert_eq!(place.verify(), Report { records: 3, ..Report::default() });
}

/// Started as a process of its own by the test below.
#[test]
#[ignore = "is a part of the test below"]
fn append_for_another_test() {
    let Some(state) = std::env::var_os("AUDIT_TEST_STATE") else { return };
    let store = Store::new(Path::new(&state), Durability::System);
    for number in 0..5 {
        store.append(&record(&format!("echo {} {number}", std::process::id()))).unwrap();
    }
}

#[test]
fn two_hundred_processes_at_once_lose_nothing() {
    let place = Place::new();
    let children: Vec<_> = (0..200)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "audit::append_for_another_test", "--ignored", "--quiet"])
                .env("AUDIT_TEST_STATE", place.root.path().join("state"))
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(place.verify(), Report { records: 1000, ..Report::default() });
    let lines: std::collections::HashSet<String> = place
        .store
        .read(Filter::default())
        .unwrap()
        .map(|stored| stored.unwrap().record.line.text)
        .collect();
    assert_eq!(lines.len(), 1000);
}

#[test]
fn an_altered_line_is_found() {
    for (line, from, to) in [
        (0, "echo 0", "echo X"),
        (2, "\"allow\"", "\"deny\""),
        (4, "\"pid\":7", "\"pid\":8"),
        (3, "\"hash\":\"", "\"hash\":\"0"),
    ] {
        let place = Place::with(5);
        let mut lines = place.lines();
        lines[line] = lines[line].replace(from, to);
        place.set_lines(&lines);
        let problems = place.problems();
        assert_eq!(problems[0], (line as u64 + 1, What::Altered), "{problems:?}");
        assert!(problems.len() <= 2, "{problems:?}");
    }
}

#[test]
fn missing_moved_and_copied_records_are_found() {
    let place = Place::with(6);
    let whole = place.lines();
    let without = |index: usize| {
        let mut lines = whole.clone();
        lines.remove(index);
        lines
    };

    place.set_lines(&without(2));
    assert_eq!(place.problems(), [(3, What::Missing { first: 2, count: 1 })]);
    place.set_lines(&whole[2..]);
    assert_eq!(place.problems(), [(1, What::Missing { first: 0, count: 2 })]);
    place.set_lines(&whole[..4]);
    assert_eq!(place.problems(), [(0, What::Cut { count: 2 })]);
    place.set_lines(&[]);
    assert_eq!(place.problems(), [(0, What::Cut { count: 6 })]);

    let mut swapped = whole.clone();
    swapped.swap(2, 3);
    place.set_lines(&swapped);
    let problems = place.problems();
    assert_eq!(problems[0], (3, What::Missing { first: 2, count: 1 }));
    assert_eq!(problems[1], (4, What::Moved));

    let mut doubled = whole.clone();
    doubled.insert(3, whole[1].clone());
    place.set_lines(&doubled);
    assert_eq!(place.problems(), [(4, What::Moved)]);

    let mut added = whole.clone();
    added.insert(3, "{\"line\":\"echo forged\"}".to_owned());
    place.set_lines(&added);
    assert_eq!(place.problems(), [(4, What::Altered)]);
    place.set_lines(&whole);
    assert!(place.verify().is_whole());
}

#[test]
fn a_record_that_was_made_up_with_its_hash_does_not_fit_in() {
    let place = Place::with(4);
    let other = Place::new();
    for line in ["echo 0", "echo other", "echo 2", "echo 3"] {
        other.store.append(&record(line)).unwrap();
    }
    let mut lines = place.lines();
    lines[1] = other.lines()[1].clone();
    place.set_lines(&lines);
    assert_eq!(place.problems(), [(3, What::Unchained)]);
}

#[test]
fn a_file_that_is_missing_is_found() {
    let place = Place::new();
    for day in 18..22 {
        place.store.append(&record_at("ls", &format!("2026-11-{day}T10:00:00Z"))).unwrap();
    }
    fs::remove_file(place.store.directory().join("2026-11-19.jsonl")).unwrap();
    let report = place.verify();
    assert_eq!(report.problems.len(), 1);
    assert_eq!(report.problems[0].what, What::Missing { first: 1, count: 1 });
    assert!(report.problems[0].path.ends_with("2026-11-20.jsonl"));
}

#[test]
fn a_torn_record_is_kept_and_the_chain_goes_on_behind_it() {
    for torn in ["{\"sequence\":3,\"time\":\"2026-", "garbage\nmore", "{}\n", "\n"] {
        let place = Place::with(3);
        let mut file = OpenOptions::new().append(true).open(place.file()).unwrap();
        file.write_all(torn.as_bytes()).unwrap();
        assert_eq!(place.problems(), [(4, What::Altered)], "{torn:?}: not yet pinned");
        for number in 3..5 {
            place.store.append(&record(&format!("echo {number}"))).unwrap();
        }
        let report = place.verify();
        assert_eq!((report.records, report.is_whole()), (5, true), "{torn:?} {report:?}");
        assert_eq!(report.interruptions.len(), 1, "{torn:?}");
        assert!(fs::read_to_string(place.file()).unwrap().contains(torn));

        // What is pinned cannot be changed afterwards either.
        let text = fs::read_to_string(place.file()).unwrap();
        fs::write(place.file(), text.replacen(torn, "{\"line\":\"forged\"}\n", 1)).unwrap();
        assert!(!place.verify().is_whole(), "{torn:?}");
    }
}

#[test]
fn a_process_that_was_stopped_before_it_updated_the_head_loses_nothing() {
    let place = Place::with(3);
    let head = place.store.directory().join("head");
    let before = fs::read(&head).unwrap();
    place.store.append(&record("echo 3")).unwrap();
    fs::write(&head, before).unwrap();
    assert!(place.verify().is_whole());
    assert_eq!(place.store.append(&record("echo 4")).unwrap(), 4);
    assert_eq!(place.verify(), Report { records: 5, ..Report::default() });
}

#[test]
fn a_head_that_is_lost_does_not_stop_the_chain_but_is_told() {
    for damage in ["", "nonsense\n"] {
        let place = Place::with(3);
        let head = place.store.directory().join("head");
        if damage.is_empty() {
            fs::remove_file(&head).unwrap();
        } else {
            fs::write(&head, damage).unwrap();
        }
        assert_eq!(place.problems(), [(0, What::NoHead)]);
        place.store.append(&record("echo 3")).unwrap();
        let stored = place.store.read(Filter::default()).unwrap().last().unwrap().unwrap();
        assert_eq!(stored.sequence, 3);
        assert_eq!(stored.resumed.unwrap().because, ResumedBecause::HeadLost);
        assert_eq!(place.problems(), [(4, What::HeadLost)]);
    }
}

#[test]
fn a_file_that_was_cut_is_told_though_the_chain_goes_on() {
    let place = Place::with(4);
    let lines = place.lines();
    place.set_lines(&lines[..2]);
    place.store.append(&record("echo 4")).unwrap();
    assert_eq!(place.problems(), [(3, What::Missing { first: 2, count: 2 })]);
}

#[test]
fn a_directory_or_file_that_others_may_write_to_is_refused() {
    let writable = |path: &Path| {
        fs::set_permissions(path, Permissions::from_mode(0o777)).unwrap();
    };
    let damages: [fn(&Place) -> PathBuf; 4] = [
        |place| place.store.directory().to_owned(),
        |place| place.root.path().join("state"),
        |place| place.store.directory().join("head"),
        Place::file,
    ];
    for damage in damages {
        let place = Place::with(1);
        writable(&damage(&place));
        let refused = place.store.append(&record("ls"));
        assert!(matches!(refused, Err(Error::NotOurs { .. })), "{refused:?}");
        assert_eq!(place.lines().len(), 1);
    }
}

#[test]
fn a_file_that_leads_elsewhere_is_refused() {
    for name in ["2026-11-21.jsonl", "head"] {
        let place = Place::new();
        let target = place.root.path().join("target");
        fs::write(&target, "").unwrap();
        fs::create_dir_all(place.store.directory()).unwrap();
        for path in [place.root.path().join("state"), place.store.directory().to_owned()] {
            fs::set_permissions(path, Permissions::from_mode(0o700)).unwrap();
        }
        symlink(&target, place.store.directory().join(name)).unwrap();
        assert!(place.store.append(&record("ls")).is_err(), "{name}");
        assert_eq!(fs::read(&target).unwrap(), b"");
    }
    let place = Place::new();
    fs::create_dir(place.root.path().join("state")).unwrap();
    fs::write(place.store.directory(), "").unwrap();
    assert!(place.store.append(&record("ls")).is_err());
}

#[test]
fn a_file_that_is_held_by_another_is_waited_for() {
    let place = Place::with(1);
    let head = fs::File::open(place.store.directory().join("head")).unwrap();
    let lock = nix::fcntl::Flock::lock(head, nix::fcntl::FlockArg::LockExclusive).unwrap();
    let store = place.store.clone();
    let appended = std::thread::spawn(move || store.append(&record("ls")));
    let deadline = std::time::Instant::now() + std::time::Duration::from_millis(100);
    while std::time::Instant::now() < deadline {
        assert!(!appended.is_finished());
        std::thread::yield_now();
    }
    drop(lock);
    appended.join().unwrap().unwrap();
    assert_eq!(place.verify(), Report { records: 2, ..Report::default() });
}

#[test]
fn filters_let_through_what_fits() {
    let place = Place::new();
    let mut denied = record_at("rm -rf /srv", "2026-11-22T08:00:00Z");
    denied.action = Action::Deny;
    denied.severity = Severity::Critical;
    denied.session = Some("codex:9".to_owned());
    place.store.append(&record("ls")).unwrap();
    place.store.append(&denied).unwrap();
    let count = |filter: Filter| place.store.read(filter).unwrap().count();
    let since: Timestamp = "2026-11-22T00:00:00Z".parse().unwrap();
    assert_eq!(count(Filter::default()), 2);
    assert_eq!(count(Filter { action: Some(Action::Deny), ..Filter::default() }), 1);
    assert_eq!(count(Filter { severity: Some(Severity::Medium), ..Filter::default() }), 1);
    assert_eq!(count(Filter { session: Some("claude:1".to_owned()), ..Filter::default() }), 1);
    assert_eq!(count(Filter { text: Some("/srv".to_owned()), ..Filter::default() }), 1);
    assert_eq!(count(Filter { text: Some("effect.read".to_owned()), ..Filter::default() }), 2);
    assert_eq!(count(Filter { since: Some(since), ..Filter::default() }), 1);
    assert_eq!(count(Filter { text: Some("absent".to_owned()), ..Filter::default() }), 0);
}

#[test]
fn reading_goes_on_behind_a_line_that_is_no_record() {
    let place = Place::with(3);
    let mut lines = place.lines();
    lines[1] = "not a record".to_owned();
    place.set_lines(&lines);
    let read: Vec<_> = place.store.read(Filter::default()).unwrap().collect();
    assert_eq!(read.len(), 3);
    assert!(matches!(read[1], Err(Error::NoRecord { line: 2, .. })));
    assert!(read[2].is_ok());
}

#[test]
fn nothing_recorded_yet_is_nothing_wrong() {
    let place = Place::new();
    assert_eq!(place.verify(), Report::default());
    assert_eq!(place.store.read(Filter::default()).unwrap().count(), 0);
}

/// Started as a process of its own by the test below: it may write only so much to a file.
#[test]
#[ignore = "is a part of the test below"]
fn append_within_a_limit_for_another_test() {
    let Some(state) = std::env::var_os("AUDIT_TEST_STATE") else { return };
    let store = Store::new(Path::new(&state), Durability::System);
    let refused = store.append(&record(&format!("echo {}", "x".repeat(3000))));
    assert!(matches!(refused, Err(Error::Write { .. })), "{refused:?}");
}

#[test]
fn a_full_disk_is_an_error_and_leaves_the_chain_whole() {
    let place = Place::with(2);
    let length = fs::metadata(place.file()).unwrap().len();
    // SIGXFSZ is ignored so that the write fails as it does on a full disk.
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$@\"";
    let output = Command::new("bash")
        .args(["-c", script, "bash"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "audit::append_within_a_limit_for_another_test", "--ignored"])
        .env("AUDIT_TEST_STATE", place.root.path().join("state"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!(fs::metadata(place.file()).unwrap().len(), length);
    place.store.append(&record("echo 2")).unwrap();
    assert_eq!(place.verify(), Report { records: 3, ..Report::default() });
}

#[test]
fn appending_does_not_read_what_is_there() {
    let place = Place::with(1);
    // Room that reads as zeros and takes none on the disk: reading it would be seen in the time, and its content as torn.
    let head = place.store.directory().join("head");
    let mut text = fs::read_to_string(&head).unwrap();
    let file = OpenOptions::new().write(true).open(place.file()).unwrap();
    let length = 1_u64 << 40;
    file.set_len(length).unwrap();
    file.write_all_at(b"\n", length - 1).unwrap();
    text.replace_range(text.len() - 21..text.len() - 1, &format!("{length:020}"));
    fs::write(&head, text).unwrap();
    assert_eq!(place.store.append(&record("echo 1")).unwrap(), 1);
    assert!(fs::metadata(place.file()).unwrap().len() < length + 2000);
}

#[test]
fn the_newest_first_is_the_same_as_the_oldest_first_from_its_end() {
    let place = Place::new();
    let hooked = |call: &str, time: &str, outcome: Option<CallOutcome>| {
        let hook = Hooked { call: Some(call.to_owned()), outcome, ..Hooked::default() };
        let earlier = if outcome.is_some() { Earlier::Maybe } else { Earlier::No };
        Record { door: Door::Hook, hook: Some(Box::new(hook)), earlier, ..record_at(call, time) }
    };
    let done = Some(CallOutcome::Done);
    for (call, time, outcome) in [
        ("a", "2026-11-20T10:00:00Z", None),
        ("b", "2026-11-20T10:00:01Z", None),
        ("b", "2026-11-20T10:00:02Z", done),
        ("c", "2026-11-21T10:00:00Z", None),
        ("d", "2026-11-21T10:00:01Z", None),
        ("c", "2026-11-21T10:00:02Z", done),
        ("d", "2026-11-21T10:00:03Z", done),
        // The call before it stands in another file: it is one of its own.
        ("a", "2026-11-21T10:00:04Z", done),
    ] {
        place.store.append(&hooked(call, time, outcome)).unwrap();
    }
    let mut lines = place.lines();
    lines.insert(1, "no record".to_owned());
    place.set_lines(&lines);
    let told = |found: Result<Entry, Error>| match found {
        Ok(entry) => format!("{} with {}", entry.first.sequence, entry.views.len()),
        Err(error) => error.to_string(),
    };
    let since = |time: &str| Filter { since: Some(time.parse().unwrap()), ..Filter::default() };
    for (filter, count) in [
        (Filter::default(), 6),
        (since("2026-11-21T00:00:00Z"), 4),
        (Filter { text: Some("b".to_owned()), ..Filter::default() }, 2),
        // What is older than is denial is shown with what came of it since.
        (since("2026-11-21T10:00:02Z"), 4),
    ] {
        let all: Vec<String> = place.store.entries(filter.clone()).unwrap().map(told).collect();
        let mut newest: Vec<String> = place.store.newest(filter).unwrap().map(told).collect();
        assert_eq!((all.len(), newest.len()), (count, count), "{all:?}");
        newest.reverse();
        // Where it is told that a line is no record does not matter.
        let calls = |all: &[String]| -> Vec<String> {
            all.iter().filter(|told| told.contains(" with ")).cloned().collect()
        };
        assert_eq!(calls(&newest), calls(&all));
    }
}
