//! `record.forward`: each record is sent to where logs are collected, as it stands in the record, and nothing waits for it.

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use guarded_sh::audit::{Line, Store};
use serde_json::Value;

use crate::support::Place;

/// A collector that listens, and settings that send records to it.
fn collected(place: &Place) -> UnixDatagram {
    let path = place.path("collector");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    place.set(&format!("[record]\nforward = \"unix:{}\"\n", path.display()));
    socket
}

fn received(socket: &UnixDatagram) -> String {
    let mut bytes = vec![0; 1 << 18];
    let length = socket.recv(&mut bytes).unwrap();
    String::from_utf8(bytes[..length].to_vec()).unwrap()
}

#[test]
fn a_socket_gets_the_very_lines_of_the_record() {
    let place = Place::new();
    let socket = collected(&place);
    let long = format!("echo {}", "x".repeat(20_000));
    for line in [
        "echo one",
        "rm -rf /",
        "export API_KEY=ghp_0123456789012345678901234567890123456789",
        &long,
    ] {
        place.guard(["-c", line]).run();
    }
    let got: Vec<String> = (0..4).map(|_| received(&socket)).collect();
    assert_eq!(place.records().lines().collect::<Vec<_>>(), got);
    assert!(!got.concat().contains("ghp_"), "what is masked is sent masked");
}

#[test]
fn nothing_waits_for_a_collector() {
    let place = Place::new();
    let socket = collected(&place);
    // Nobody takes what is sent: after some lines no more fits.
    for number in 0..40 {
        let ended = place.guard(["-c", &format!("echo {number}")]).run();
        assert_eq!(
            (ended.out(), ended.err(), ended.code()),
            (format!("{number}\n"), String::new(), Some(0))
        );
    }
    drop(socket);
    for _ in 0..2 {
        let ended = place.guard(["-c", "echo x"]).run();
        assert_eq!(
            (ended.out(), ended.err(), ended.code()),
            ("x\n".to_owned(), String::new(), Some(0))
        );
        // A socket that is left, and then none.
        let _ = std::fs::remove_file(place.path("collector"));
    }
    assert_eq!(place.records().lines().count(), 42);
}

#[test]
fn a_record_as_syslog_and_the_journal_take_it() {
    let place = Place::new();
    place.guard(["-c", "rm -rf /"]).run();
    let store = Store::new(
        &place.path("home/.local/state/guarded-sh"),
        guarded_sh::audit::Durability::System,
    );
    let stored = store.read(guarded_sh::audit::Filter::default()).unwrap().next().unwrap().unwrap();
    let line = place.records();
    let line = line.trim_end();
    let message =
        String::from_utf8(guarded_sh::audit::forward::message(&stored.record, line.as_bytes()))
            .unwrap();
    // <authpriv.warning>Mmm dd hh:mm:ss name[pid]: (RFC 3164, 4.1)
    let (head, rest) = message.split_once(" guarded-sh[").unwrap();
    let (priority, time) = head.strip_prefix('<').unwrap().split_once('>').unwrap();
    assert_eq!((priority, time.len()), ("84", 15), "{head}");
    let (pid, said) = rest.split_once("]: ").unwrap();
    assert_eq!((pid, said), (stored.record.pid.to_string().as_str(), line));
    let fields =
        String::from_utf8(guarded_sh::audit::forward::fields(&stored.record, line.as_bytes()))
            .unwrap();
    let fields: Vec<(&str, &str)> =
        fields.lines().map(|field| field.split_once('=').unwrap()).collect();
    let names: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names,
        ["SYSLOG_IDENTIFIER", "PRIORITY", "GUARDED_SH_ACTION", "GUARDED_SH_SEVERITY", "MESSAGE"]
    );
    let said: Value = serde_json::from_str(fields[4].1).unwrap();
    assert_eq!((fields[1].1, &said["line"]), ("4", &Value::from("rm -rf /")));
    assert_eq!(Line::new("rm -rf /".as_ref()).text, said["line"].as_str().unwrap());
}

#[test]
fn doctor_says_where_nobody_takes_them() {
    let place = Place::new();
    let socket = collected(&place);
    let says = || crate::install::alone(&place, &["doctor".to_owned()]).run().out();
    assert!(!says().contains("record.forward"), "{}", says());
    drop(socket);
    assert!(says().contains("record.forward  NOT TAKEN: unix:"), "{}", says());
}

#[test]
fn what_is_no_place_to_send_to_is_told() {
    for (written, is_good) in [
        ("journald", true),
        ("syslog", true),
        ("unix:/run/x", true),
        ("unix:x", false),
        ("unix:", false),
        ("tcp:1.2.3.4", false),
        ("", false),
    ] {
        let place = Place::with(&format!("[record]\nforward = \"{written}\"\n"));
        let ended = place.guard(["config", "get", "record.forward"]).run();
        if is_good {
            assert_eq!(ended.out(), format!("\"{written}\"\n"));
        } else {
            assert!(
                ended.err().contains("is none of `journald`, `syslog`, `unix:/PATH`"),
                "{}",
                ended.err()
            );
        }
    }
}
