//! What is damaged is said in plain words, and what stands around it is not lost.

use std::os::unix::fs::symlink;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::json;

use super::support::{Home, lines, told};
use crate::transcripts::At;

fn said(text: &str) -> Vec<u8> {
    lines(&[json!({ "type": "user", "message": { "content": text } })])
}

#[test]
fn each_damage_has_its_word_and_loses_nothing_else() {
    let home = Home::new();
    let whole = said("whole");
    let half = &said("half of it is gone")[..30];
    let not_utf8 = [&said("no \u{e9} text")[..31], b"\xff\xfe", &said("x")[33..]].concat();
    let mut bytes = Vec::new();
    // Cut at its beginning, as a file is of which the front was taken away.
    bytes.extend_from_slice(&said("cut in front")[17..]);
    bytes.extend_from_slice(&said("first"));
    bytes.extend_from_slice(b"this is no JSON\n\n[1, 2]\n\"text\"\nnull\n");
    bytes.extend_from_slice(half);
    bytes.push(b'\n');
    bytes.extend_from_slice(&not_utf8);
    bytes.extend_from_slice(&whole);
    bytes.extend_from_slice(half);
    let session = home.claude(&bytes);
    let paged = home.page(&session, &At::End);
    let items = told(&paged.items);
    let has = |text: &str| items.iter().any(|item| item.contains(text));
    assert!(has("person: first") && has("person: whole"), "{items:?}");
    assert!(has("is no JSON, so it is passed over"), "{items:?}");
    assert!(has("ends in the middle, so it is passed over"), "{items:?}");
    assert!(has("is no UTF-8"), "{items:?}");
    assert_eq!(
        paged.unfinished.as_deref(),
        Some("The last line is not finished: 30 bytes of it are there.")
    );
    assert_eq!(home.scan(&session).damaged, 4);
    // When it is finished, it is told, and nothing is told twice.
    bytes.extend_from_slice(&said("half of it is gone")[30..]);
    let session = home.claude(&bytes);
    let more = home.page(&session, &At::From(paged.end));
    assert_eq!(told(&more.items), ["person: half of it is gone"]);
    assert_eq!(more.unfinished, None);
}

#[test]
fn a_last_line_that_lacks_only_its_newline_is_told_once_it_is_followed_by_one() {
    let home = Home::new();
    let whole = said("whole");
    let session = home.claude(&whole[..whole.len() - 1]);
    let paged = home.page(&session, &At::End);
    assert_eq!((told(&paged.items), paged.end.as_str()), (vec!["person: whole".to_owned()], "0"));
}

#[test]
fn what_is_no_file_is_not_opened_and_says_what_it_is() {
    let home = Home::new();
    let secret = home.write("secret.jsonl", &said("secret"));
    let elsewhere = home.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("four.jsonl"), said("secret")).unwrap();
    home.claude(&said("one"));
    let at = |name: &str| home.path(&format!(".claude/projects/-work/{name}"));
    symlink(&secret, at("two.jsonl")).unwrap();
    mkfifo(&at("three.jsonl"), Mode::S_IRWXU).unwrap();
    symlink(&elsewhere, home.path(".claude/projects/-linked")).unwrap();
    symlink("/dev/zero", at("five.jsonl")).unwrap();
    std::fs::create_dir(at("six.jsonl")).unwrap();
    for (id, word) in [
        ("two", "symbolic link"),
        ("three", "is a pipe"),
        ("five", "symbolic link"),
        ("six", "is a directory"),
    ] {
        let session = home.transcripts.session("claude", id).unwrap();
        let error = home.transcripts.page(&session, &At::End).unwrap_err().to_string();
        assert!(error.contains(word), "{id}: {error}");
        assert!(session.problem.is_some(), "{id}");
        assert!(home.transcripts.opening(&session).is_err(), "{id}");
    }
    assert!(
        home.transcripts.session("claude", "four").is_err(),
        "a linked directory is not gone through"
    );
    assert!(home.transcripts.session("claude", "../../../secret").is_err());
    assert_eq!(
        told(&home.page(&home.transcripts.session("claude", "one").unwrap(), &At::End).items),
        ["person: one"]
    );
}

#[test]
fn a_file_that_is_another_by_the_time_it_is_opened_is_not_followed_elsewhere() {
    let home = Home::new();
    let session = home.claude(&said("one"));
    let secret = home.write("secret.jsonl", &said("secret"));
    let path = session.path();
    std::fs::remove_file(&path).unwrap();
    symlink(&secret, &path).unwrap();
    assert!(home.transcripts.page(&session, &At::End).is_err());
    std::fs::remove_file(&path).unwrap();
    std::fs::remove_dir(path.parent().unwrap()).unwrap();
    symlink(secret.parent().unwrap(), path.parent().unwrap()).unwrap();
    home.write("one.jsonl", &said("secret"));
    assert!(home.transcripts.page(&session, &At::End).is_err());
}

#[test]
fn a_file_that_was_written_anew_is_read_anew() {
    let home = Home::new();
    let session = home.claude(&[said("one"), said("two")].concat());
    let end = home.page(&session, &At::End).end;
    let mut scan = home.scan(&session);
    let session = home.claude(&said("three"));
    let items = told(&home.page(&session, &At::From(end)).items);
    assert!(items[0].contains("written anew"), "{items:?}");
    while !home.transcripts.scan(&session, &mut scan, 1).unwrap() {}
    assert_eq!(scan.prompts, 1);
}
