//! The rows of `rows.toml`, and how a proxy ends.

use std::io::{Read, Write};
use std::net::Shutdown;

use serde::Deserialize;

use crate::support::{Host, Proxy, hello, names, within};

#[derive(Deserialize)]
struct Sheet {
    row: Vec<Row>,
}

/// What a client says, and what comes of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// The head, and what comes at once behind it.
    sends: String,
    /// So many bytes more, in a field.
    #[serde(default)]
    more: usize,
    /// The host of the TLS that a tunnel then begins with; empty: TLS that names none.
    tls: Option<String>,
    /// Bytes of a record of that at most.
    #[serde(default = "whole")]
    record: usize,
    /// What a tunnel then begins with instead.
    #[serde(default)]
    raw: String,
    /// Whether this comes with the head, before the tunnel is open.
    #[serde(default)]
    early: bool,
    /// Whether the client then says that it will say no more.
    #[serde(default)]
    half: bool,
    /// The status; 0: it is closed without a word.
    status: u16,
    /// What stands in what comes back.
    #[serde(default)]
    says: String,
    /// What the host got, whole; nothing: it was not asked.
    #[serde(default)]
    got: String,
    /// Whether the host got the TLS, and nothing else.
    #[serde(default)]
    through: bool,
    /// What the record says then.
    #[serde(default)]
    asked: String,
}

const fn whole() -> usize {
    4_096
}

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
const HOSTS: [&str; 12] = [
    "listed.example",
    "odd.example:8443",
    "inner.example",
    "private.example",
    "metadata.example",
    "mapped.example",
    "unique.example",
    "mixed.example",
    "nobody.example",
    "nowhere.example",
    "xn--bcher-kva.example",
    "localhost",
];

#[test]
fn only_what_the_plan_names_is_reached() {
    within("rows::only_what_the_plan_names_is_reached", || {
        let rows: Sheet = toml::from_str(include_str!("rows.toml")).unwrap();
        let address = |port| ([93, 184, 216, 34], port).into();
        let plain = Host::on(address(80), ANSWER);
        let tls = Host::on(address(443), b"answered");
        let odd = Host::on(address(8443), b"answered");
        let inner = Host::on(([127, 0, 0, 1], 80).into(), ANSWER);
        let inner_tls = Host::on(([127, 0, 0, 1], 443).into(), b"answered");
        let hosts = [plain, tls, odd, inner, inner_tls];
        let faults: Vec<String> = rows.row.iter().filter_map(|row| played(row, &hosts)).collect();
        assert!(rows.row.len() >= 40 && faults.is_empty(), "{}", faults.join("\n"));
    });
}

/// Plays a row; returns what is wrong with it, if anything.
fn played(row: &Row, [plain, tls, odd, inner, inner_tls]: &[Host; 5]) -> Option<String> {
    let mut proxy = Proxy::serving(&HOSTS);
    let mut client = proxy.connect();
    let more = if row.more > 0 {
        let field = format!("\r\nX: {}\r\n\r\n", "x".repeat(row.more));
        row.sends.trim_end_matches("\r\n").to_owned() + &field
    } else {
        row.sends.clone()
    };
    let first = match &row.tls {
        Some(host) => hello(host, row.record),
        None => row.raw.clone().into_bytes(),
    };
    let mut came = Vec::new();
    // Who is refused may have been hung up on before all was said.
    let _ = client.write_all(more.as_bytes());
    if !row.early && !first.is_empty() {
        let mut byte = [0];
        while !came.ends_with(b"\r\n\r\n") && client.read(&mut byte).is_ok_and(|count| count == 1) {
            came.push(byte[0]);
        }
    }
    let _ = client.write_all(&first);
    if row.half {
        client.shutdown(Shutdown::Write).unwrap();
    }
    // What is reset has ended too.
    let _ = client.read_to_end(&mut came);
    drop(client);
    let text = String::from_utf8_lossy(&came).into_owned();
    let status = text.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    let wrong = |what: &str| Some(format!("{}: {what}: {text:?}", row.name));
    if status != row.status || !text.contains(&row.says) {
        return wrong("the answer");
    }
    if row.through {
        let reached = if row.sends.contains(":8443") { odd } else { tls };
        if reached.said() != first || !text.ends_with("answered") {
            return wrong("the tunnel");
        }
    }
    if !row.got.is_empty() {
        let got = String::from_utf8(plain.said()).unwrap();
        if got != row.got {
            return wrong(&format!("the host got {got:?}"));
        }
    }
    proxy.end();
    if let Some(heard) = [plain, tls, odd, inner, inner_tls].iter().find_map(|host| host.heard()) {
        return wrong(&format!("a host heard {:?}", String::from_utf8_lossy(&heard)));
    }
    let asked = proxy.asked();
    let is_told = if row.asked.is_empty() { asked.is_empty() } else { asked.contains(&row.asked) };
    if is_told { None } else { wrong(&format!("it is told {asked:?}")) }
}

#[test]
fn a_name_that_leads_elsewhere_the_next_time_leads_nowhere() {
    within("rows::a_name_that_leads_elsewhere_the_next_time_leads_nowhere", || {
        let outer = Host::on(([93, 184, 216, 34], 80).into(), ANSWER);
        let inner = Host::on(([127, 0, 0, 1], 80).into(), ANSWER);
        names(&[[93, 184, 216, 34], [127, 0, 0, 1]]);
        let mut proxy = Proxy::serving(&["turns.example"]);
        let asked = || {
            let mut client = proxy.connect();
            client.write_all(b"GET http://turns.example/ HTTP/1.1\r\n\r\n").unwrap();
            let mut said = String::new();
            client.read_to_string(&mut said).unwrap();
            said
        };
        // Had it looked twice, once to check and once to connect, it would have been led inside.
        let said = asked();
        assert!(said.ends_with("hello"), "{said}");
        assert!(outer.said().starts_with(b"GET / HTTP/1.1\r\nHost: turns.example\r\n"));
        let said = asked();
        assert!(said.starts_with("HTTP/1.1 403 ") && said.contains("leads to 127.0.0.1"), "{said}");
        proxy.end();
        assert_eq!(inner.heard(), None);
    });
}

#[test]
fn who_says_little_is_not_waited_for() {
    within("rows::who_says_little_is_not_waited_for", || {
        let proxy = Proxy::serving(&["listed.example"]);
        let mut client = proxy.connect();
        client.write_all(b"GET http://listed.example/ HTTP/1.1\r\nHost: l").unwrap();
        let mut said = String::new();
        client.read_to_string(&mut said).unwrap();
        assert!(said.starts_with("HTTP/1.1 408 "), "{said}");
    });
}

#[test]
fn many_wait_for_their_turn_and_all_end_with_the_line() {
    within("rows::many_wait_for_their_turn_and_all_end_with_the_line", || {
        let tls = Host::on(([93, 184, 216, 34], 443).into(), b"answered");
        let mut proxy = Proxy::serving(&["listed.example"]);
        let mut idle: Vec<_> = (0..300).map(|_| proxy.connect()).collect();
        // The first of them hang up, so the last is served.
        idle.drain(..200);
        let mut client = proxy.connect();
        client.write_all(b"CONNECT listed.example:443 HTTP/1.1\r\n\r\n").unwrap();
        let mut head = vec![0; 39];
        client.read_exact(&mut head).unwrap();
        assert!(head.starts_with(b"HTTP/1.1 200 "));
        let hello = hello("listed.example", 4_096);
        client.write_all(&hello).unwrap();
        let mut said = String::new();
        client.read_to_string(&mut said).unwrap();
        assert_eq!(said, "answered");
        // The tunnel is open on our side, and is closed with the line.
        proxy.end();
        assert_eq!(tls.said(), hello);
        for mut stream in idle {
            assert!(matches!(stream.read(&mut [0]), Ok(0) | Err(_)));
        }
    });
}
