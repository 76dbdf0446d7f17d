//! The index's file and the record's files: whatever becomes of them, the index is of the record as it is.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::super::days::{Standing, standing};
use super::super::{Error, Index, Wanted, Writer};
use super::support::{State, all, found, lines, ran, record, updated};
use rusqlite::Connection;
use serde_json::json;

fn anew(index: &mut Index) -> String {
    updated(index).anew.unwrap_or_default()
}

fn mode(path: &std::path::Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn it_is_its_owners_alone() {
    let state = State::new();
    state.ran(&["one"]);
    let mut index = state.index();
    updated(&mut index);
    for name in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "index.lock"] {
        assert_eq!(mode(&state.path().join(name)), 0o600, "{name}");
    }
    drop(index);
    std::fs::set_permissions(state.file(), PermissionsExt::from_mode(0o644)).unwrap();
    assert_eq!((lines(&all(&state.index())), mode(&state.file())), (vec!["one".to_owned()], 0o600));
}

#[test]
fn it_goes_on_where_it_was_and_can_be_deleted_at_any_time() {
    let state = State::new();
    state.ran(&["one", "two"]);
    assert_eq!(updated(&mut state.index()).records, 2);
    state.ran(&["three"]);
    let done = updated(&mut state.index());
    assert_eq!((done.records, done.calls, done.anew), (1, 3, None));
    let again = updated(&mut state.index());
    assert_eq!((again.records, again.calls), (0, 3));
    std::fs::remove_file(state.file()).unwrap();
    let done = updated(&mut state.index());
    assert_eq!((done.records, done.calls), (3, 3));
}

/// What stands in its place that is no index of this version.
#[test]
fn what_is_no_index_is_replaced() {
    let state = State::new();
    state.ran(&["one", "two"]);
    let replaced = |what: &str| {
        let mut index = state.index();
        assert_eq!(updated(&mut index).records, 2, "{what}");
        assert_eq!(found(&index, "two"), ["two"], "{what}");
    };
    replaced("nothing");
    for (what, bytes) in [
        ("nothing in it", &b""[..]),
        ("a text", &b"SQLite format 2, or so\n".repeat(100)),
        ("zeros", &[0; 8192]),
        ("the beginning of a header", b"SQLite format 3\0"),
        ("a header and nonsense", &[&b"SQLite format 3\0"[..], &[0xab; 8000]].concat()),
    ] {
        std::fs::write(state.file(), bytes).unwrap();
        replaced(what);
    }
    for (what, sql) in [
        ("another version", "PRAGMA user_version = 99"),
        ("another program's", "PRAGMA application_id = 1"),
        ("without its state", "DROP TABLE state"),
        ("with two states", "INSERT INTO state SELECT * FROM state"),
    ] {
        Connection::open(state.file()).unwrap().execute_batch(sql).unwrap();
        replaced(what);
    }
    std::fs::remove_file(state.file()).unwrap();
    Connection::open(state.file())
        .unwrap()
        .execute_batch("CREATE TABLE mine (a); INSERT INTO mine VALUES (1)")
        .unwrap();
    replaced("a foreign file");
}

/// What is deleted below who has it open.
#[test]
fn an_index_that_is_deleted_while_it_is_open_is_made_anew() {
    let state = State::new();
    state.ran(&["one"]);
    let mut writer = state.index();
    updated(&mut writer);
    let mut reader = state.index();
    for names in [&["index.sqlite"][..], &["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"]]
    {
        for name in names {
            std::fs::remove_file(state.path().join(name)).unwrap();
        }
        let done = updated(&mut writer);
        assert_eq!((done.anew.as_deref(), done.records), (Some("it was damaged or deleted"), 1));
        updated(&mut reader);
        assert_eq!(lines(&all(&reader)), ["one"]);
    }
    std::fs::remove_file(state.path().join("index.lock")).unwrap();
    let mut other = state.index();
    assert!(!updated(&mut other).is_anothers && updated(&mut writer).is_anothers);
}

/// Pages in the middle that are damaged, noticed as they are used.
#[test]
fn a_damaged_index_is_made_anew() {
    let state = State::new();
    let many: Vec<String> = (0..300).map(|number| format!("echo line number {number}")).collect();
    state.ran(&many.iter().map(String::as_str).collect::<Vec<_>>());
    updated(&mut state.index());
    let mut bytes = std::fs::read(state.file()).unwrap();
    bytes[4096..].fill(0x5a);
    std::fs::write(state.file(), &bytes).unwrap();
    let mut index = state.index();
    let _ = index.calls(&Wanted { limit: 9, ..Wanted::default() });
    let done = updated(&mut index);
    assert_eq!((done.records, done.calls), (300, 300));
    assert_eq!(found(&index, "number 299").len(), 1);
}

#[test]
fn something_else_in_its_place_is_told() {
    let state = State::new();
    state.ran(&["one"]);
    symlink("/dev/null", state.file()).unwrap();
    assert!(matches!(Index::open(state.path()), Err(Error::NotOurs { .. })));
    std::fs::remove_file(state.file()).unwrap();
    std::fs::create_dir(state.file()).unwrap();
    assert!(matches!(Index::open(state.path()), Err(Error::NotOurs { .. })));
    std::fs::remove_dir(state.file()).unwrap();
    std::fs::remove_file(state.path().join("index.lock")).unwrap();
    std::fs::create_dir(state.path().join("index.lock")).unwrap();
    assert!(matches!(Index::open(state.path()), Err(Error::Place { .. })));
    assert!(state.store.verify().unwrap().is_whole());
}

#[test]
fn where_the_disk_is_full_that_is_told_and_it_goes_on_once_there_is_room() {
    let state = State::new();
    let mut index = state.index();
    updated(&mut index);
    let pages: i64 = index.db.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    let bound = |index: &Index, pages: i64| {
        let set = format!("PRAGMA max_page_count = {pages}");
        index.db.query_row(&set, [], |row| row.get::<_, i64>(0)).unwrap();
    };
    bound(&index, pages + 1);
    let long = "word ".repeat(700);
    state.ran(&[long.as_str(); 40]);
    let told = index.update(&mut |_| {}).unwrap_err();
    assert!(matches!(told, Error::Full { .. }), "{told:?}");
    assert!(told.to_string().contains("the disk is full; the record is not changed by that"));
    assert!(state.store.verify().unwrap().is_whole());
    assert_eq!(index.count().unwrap(), 0);
    bound(&index, 1 << 20);
    assert_eq!(updated(&mut index).calls, 40);
}

#[test]
fn one_writes_and_others_read_until_it_ends() {
    let state = State::new();
    state.ran(&["one"]);
    let mut writer = state.index();
    updated(&mut writer);
    let mut reader = state.index();
    state.ran(&["two"]);
    let done = updated(&mut reader);
    assert_eq!((done.is_anothers, done.calls), (true, 1));
    assert!(reader.rebuild(&mut |_| {}).is_err());
    assert_eq!(updated(&mut writer).calls, 2);
    assert_eq!(lines(&all(&reader)), ["two", "one"]);
    // Made anew below who reads.
    writer.rebuild(&mut |_| {}).unwrap();
    assert_eq!(found(&reader, "two"), ["two"]);
    drop(writer);
    state.ran(&["three"]);
    let done = updated(&mut reader);
    assert_eq!((done.is_anothers, done.records), (false, 1));
    let other = state.index();
    assert_eq!(lines(&all(&other)), ["three", "two", "one"]);
}

/// What becomes of the record's files, and why the index is then made anew.
#[test]
fn where_a_file_of_the_record_is_another_one_it_is_made_anew() {
    let state = State::new();
    for day in ["20", "21", "22"] {
        for second in 0..3 {
            let time = format!("2026-11-{day}T10:00:0{second}Z");
            state.append(&record(&format!("line {day} {second}"), &json!({ "time": time })));
        }
    }
    let mut index = state.index();
    updated(&mut index);
    let (first, second, last) =
        (state.day("2026-11-20"), state.day("2026-11-21"), state.day("2026-11-22"));
    let text = std::fs::read_to_string(&second).unwrap();
    // Written in place: by as much, by less, by more.
    std::fs::write(&second, text.replace("line 21 1", "LINE 21 1")).unwrap();
    assert_eq!(anew(&mut index), "'2026-11-21.jsonl' was changed");
    assert!(
        index
            .damage()
            .unwrap()
            .unwrap()
            .starts_with("'2026-11-21.jsonl', line 2: the line was altered")
    );
    assert_eq!(updated(&mut index).records, 0);
    std::fs::write(&second, text.lines().next().unwrap()).unwrap();
    assert_eq!(anew(&mut index), "'2026-11-21.jsonl' shrank");
    std::fs::write(&second, &text).unwrap();
    assert_eq!(anew(&mut index), "'2026-11-21.jsonl' grew, and a later file was read");
    assert_eq!(index.damage().unwrap(), None);
    // Written again with the same.
    std::fs::write(&second, &text).unwrap();
    assert_eq!((anew(&mut index), updated(&mut index).calls), (String::new(), 9));
    // Another file of that name.
    let beside = state.path().join("beside");
    std::fs::write(&beside, &text).unwrap();
    std::fs::set_permissions(&beside, PermissionsExt::from_mode(0o600)).unwrap();
    std::fs::rename(&beside, &second).unwrap();
    assert_eq!(anew(&mut index), "'2026-11-21.jsonl' was replaced");
    // The last one is another, and longer.
    let more = std::fs::read_to_string(&last).unwrap();
    std::fs::write(&last, format!("{}\n{more}", "x".repeat(50))).unwrap();
    assert_eq!(anew(&mut index), "'2026-11-22.jsonl' was changed");
    std::fs::write(&last, &more).unwrap();
    updated(&mut index);
    // One is gone, and comes back.
    let aside = state.path().join("aside");
    std::fs::rename(&first, &aside).unwrap();
    assert_eq!(anew(&mut index), "'2026-11-20.jsonl' is gone");
    assert_eq!(lines(&all(&index)).len(), 6);
    let said = index.damage().unwrap().unwrap();
    assert!(
        said.starts_with("'2026-11-21.jsonl', line 1: 3 records are missing before it"),
        "{said}"
    );
    std::fs::rename(&aside, &first).unwrap();
    assert_eq!(anew(&mut index), "'2026-11-20.jsonl' is new, and older than what was read");
    assert_eq!((lines(&all(&index)).len(), index.damage().unwrap()), (9, None));
    // All are gone.
    std::fs::remove_dir_all(state.store.directory()).unwrap();
    assert!(anew(&mut index).ends_with("is gone"));
    assert_eq!((all(&index).len(), index.sessions(9).unwrap().len()), (0, 0));
    state.append(&ran("new", 0));
    assert_eq!(updated(&mut index).calls, 1);
}

/// However often it is made anew, it is no larger than what it holds.
#[test]
fn what_it_does_not_need_is_given_back() {
    let state = State::new();
    let long = "word ".repeat(200);
    for (day, count) in [("20", 60), ("21", 600)] {
        for number in 0..count {
            let time = format!("2026-11-{day}T10:00:00Z");
            state.append(&record(&format!("{long}{number}"), &json!({ "time": time })));
        }
    }
    let size = || state.file().metadata().unwrap().len();
    let mut index = state.index();
    updated(&mut index);
    index.rebuild(&mut |_| {}).unwrap();
    let whole = size();
    index.rebuild(&mut |_| {}).unwrap();
    assert_eq!(size(), whole);
    std::fs::remove_file(state.day("2026-11-21")).unwrap();
    assert_eq!(updated(&mut index).calls, 60);
    assert!(size() < whole / 3, "{} of {whole}", size());
    assert!(state.path().join("index.sqlite-wal").metadata().unwrap().len() == 0);
}

/// A rebuild that was stopped goes on where it was: after the first file, and before texts were put in.
#[test]
fn a_rebuild_that_was_stopped_is_finished() {
    for (files, left) in [(1, 2), (3, 0)] {
        let state = State::new();
        for day in ["20", "21", "22"] {
            let time = format!("2026-11-{day}T10:00:00Z");
            state.append(&record(&format!("line {day}"), &json!({ "time": time })));
        }
        let index = state.index();
        let Standing::On(days) = standing(state.store.directory(), &[]).unwrap() else { panic!() };
        let mut writer = Writer::new(&index.db, state.store.directory(), &days).unwrap();
        index.read(&mut writer, &days[..files], &mut |_| {}).unwrap();
        writer.commit().unwrap();
        drop(writer);
        assert_eq!((all(&index).len(), found(&index, "line 20").len()), (files, 1));
        drop(index);
        let mut index = state.index();
        let done = updated(&mut index);
        assert_eq!((done.records, done.calls, done.anew), (left, 3, None));
        assert_eq!((found(&index, "line 20").len(), index.damage().unwrap()), (1, None));
        let filled = "SELECT filled FROM state";
        assert!(index.db.query_row(filled, [], |row| row.get::<_, bool>(0)).unwrap());
    }
}
