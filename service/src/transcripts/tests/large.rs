//! Transcripts of hundreds of megabytes, and lines of many: no more of them is read or held than is shown.

use std::fs::File;
use std::io::Write as _;

use serde_json::{Value, json};

use super::support::{Home, lines, told};
use crate::transcripts::squeeze::{LONGEST, Squeezed};
use crate::transcripts::{At, What};

const MEGABYTE: usize = 1 << 20;

fn said(text: &str) -> Value {
    json!({ "type": "user", "message": { "content": text } })
}

#[test]
fn of_two_hundred_megabytes_a_page_reads_less_than_one() {
    let home = Home::new();
    let session = home.claude(b"");
    let part = lines(&vec![said(&"x".repeat(1_000)); 1_000]);
    let mut file = File::create(session.path()).unwrap();
    for _ in 0..=200 * MEGABYTE / part.len() {
        file.write_all(&part).unwrap();
    }
    file.write_all(&lines(&[said("the last")])).unwrap();
    assert!(file.metadata().unwrap().len() > 200 << 20);
    let last = home.page(&session, &At::End);
    assert!(told(&last.items).ends_with(&["person: the last".to_owned()]));
    assert!(last.read < MEGABYTE as u64, "{} bytes were read", last.read);
    let (before, until) = last.before.unwrap();
    let earlier = home.page(&session, &At::Before(before, until));
    assert_eq!(earlier.items.len(), last.items.len());
    // What is looked for behind a page is bounded as well.
    assert!(earlier.read < 2 * MEGABYTE as u64, "{} bytes were read", earlier.read);
    home.transcripts.opening(&session).unwrap();
    let followed = home.page(&session, &At::From(last.end));
    assert!(followed.items.is_empty() && followed.read == 0, "{followed:?}");
}

#[test]
fn pages_put_together_are_the_whole() {
    let home = Home::new();
    let texts: Vec<String> = (0..1_000).map(|number| format!("person: {number}")).collect();
    let values: Vec<Value> = (0..1_000).map(|number| said(&number.to_string())).collect();
    let session = home.claude(&lines(&values));
    assert_eq!(told(&home.whole(&session)), texts);
    let (mut items, mut at) = (Vec::new(), At::After("0".to_owned()));
    loop {
        let paged = home.page(&session, &at);
        items.extend(paged.items);
        if !paged.has_more {
            break;
        }
        at = At::After(paged.end);
    }
    assert_eq!(told(&items), texts);
}

#[test]
fn a_line_of_fifty_megabytes_is_cut_and_its_size_said() {
    let home = Home::new();
    let picture = "A".repeat(50 * MEGABYTE);
    let line = json!({ "type": "user", "message": { "content": [
        { "type": "tool_result", "tool_use_id": "t1", "content": [{ "type": "text", "text": "before" }, { "type": "image", "source": { "data": picture } }] },
        { "type": "text", "text": "behind" },
    ] } });
    let session = home.claude(&lines(&[said("first"), line, said("last")]));
    let items = told(&home.page(&session, &At::End).items);
    assert_eq!(items[0], "person: first");
    assert_eq!(items[1], "Of a line of 52 MB, 52 MB are not shown.");
    assert_eq!(items[2], "t1 -> before\n[image, not shown] None false");
    assert_eq!(items[3..], ["person: behind", "person: last"]);
    assert_eq!(home.scan(&session).prompts, 3);
}

#[test]
fn a_line_of_too_many_parts_is_passed_over_and_its_size_said() {
    let home = Home::new();
    let many = format!("{{\"type\":\"user\",\"x\":[{}0]}}\n", "0,".repeat(5 * MEGABYTE));
    let session =
        home.claude(&[lines(&[said("first")]), many.into_bytes(), lines(&[said("last")])].concat());
    let items = told(&home.page(&session, &At::End).items);
    assert_eq!(items[0], "person: first");
    assert_eq!(items[1], "A line of 10 MB is too long to be read.");
    assert_eq!(items[2], "person: last");
}

#[test]
fn lines_that_come_in_any_pieces_are_cut_alike_and_stay_json() {
    let long = "\u{1f600}\"\\\u{7}é".repeat(60_000);
    let value = json!({ "a": long, "b": [1, "x"], "c": "y" });
    let text = serde_json::to_string(&value).unwrap();
    // The same with each character as an escape.
    let escape = |unit: u16| format!("\\u{unit:04x}");
    let escaped: String = "\u{1f600}é".repeat(60_000).encode_utf16().map(escape).collect();
    for text in [text, format!("{{\"a\":\"{escaped}\",\"b\":[1,\"x\"],\"c\":\"y\"}}")] {
        let mut seen = Vec::new();
        for size in [7, 64, 4_096, text.len()] {
            let mut squeezed = Squeezed::default();
            let (mut at, bytes) = (0, text.as_bytes());
            while at < bytes.len() {
                let piece = &bytes[at..(at + size).min(bytes.len())];
                at += piece.len() - squeezed.take(piece);
            }
            let (kept, left) = squeezed.end();
            let kept = kept.unwrap();
            assert!(left > 0 && kept.len() < LONGEST);
            let value: Value = serde_json::from_slice(&kept).unwrap();
            assert_eq!((&value["b"], &value["c"]), (&json!([1, "x"]), &json!("y")));
            seen.push(value["a"].as_str().unwrap().to_owned());
        }
        assert!(seen.iter().all(|one| one.chars().all(|c| "\u{1f600}\"\\\u{7}é".contains(c))));
    }
}

#[test]
fn a_call_in_a_long_line_is_seen() {
    let home = Home::new();
    let call = json!({ "type": "assistant", "message": { "id": "m", "content": [
        { "type": "tool_use", "id": "t1", "name": "Write", "input": { "file_path": "/work/a", "content": "x".repeat(6 * MEGABYTE) } }] } });
    let session = home.claude(&lines(&[call]));
    let scan = home.scan(&session);
    assert_eq!(scan.calls[0].line, "Write /work/a");
    let shown = home.page(&session, &At::End).items;
    assert!(shown.iter().any(|item| matches!(item.what, What::Called(_))));
}
