//! Addresses of hosts in what tools are given: which texts are some, and which name a host inside of the network.
//! Says nothing of which hosts may be asked.

use std::net::{IpAddr, Ipv4Addr};

use crate::model::numeric_address;

/// Returns the addresses that stand in a text: `SCHEME://…` to the next blank, quote or bracket, and what begins with `www.`.
pub(super) fn in_text(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| c.is_whitespace() || "\"'`<>".contains(c));
    words.flat_map(|word| {
        let starts = word.match_indices("://").map(|(at, _)| scheme_start(word, at));
        let mut starts: Vec<usize> = starts.collect();
        let named = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        if starts.is_empty() && named.get(..4).is_some_and(|w| w.eq_ignore_ascii_case("www.")) {
            starts.push(word.len() - named.len());
        }
        starts
            .into_iter()
            .map(move |start| word[start..].trim_end_matches([',', '.', ')', ';', ']', '}', '!']))
    })
}

fn scheme_start(word: &str, end: usize) -> usize {
    let is_of_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let scheme = word[..end].chars().rev().take_while(|c| is_of_scheme(*c)).count();
    end - scheme
}

/// Returns a text as those read it who take addresses as browsers do (URL Standard, "special scheme"): tabs and ends of lines are left out, and behind
/// the colon of such a scheme stand two slashes, however many there are, and whichever. Any other text as it is.
pub(super) fn as_parsed(text: &str) -> String {
    let clear: String = text.chars().filter(|c| !"\t\n\r".contains(*c)).collect();
    let Some((scheme, rest)) = clear.split_once(':') else { return text.to_owned() };
    if !is_fetched(scheme) || rest.contains(char::is_whitespace) {
        return text.to_owned();
    }
    format!("{scheme}://{}", rest.trim_start_matches(['/', '\\']).replace('\\', "/"))
}

const FETCHED: [&str; 6] = ["http", "https", "ftp", "ws", "wss", "gopher"];

fn is_fetched(scheme: &str) -> bool {
    FETCHED.iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Returns whether a text is the address of a socket of this machine (`unix:`), or holds another address (`view-source:`).
pub(super) fn is_indirect(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_some_and(|scheme| scheme.split('+').any(|part| part == "unix"))
        || text.get(..12).is_some_and(|start| start.eq_ignore_ascii_case("view-source:"))
}

/// Returns whether a text is an address that programs fetch, in any case. Other schemes are names that a server gives to what it has.
pub(super) fn is_url(text: &str) -> bool {
    text.split_once("://")
        .is_some_and(|(scheme, _)| is_fetched(scheme) && !text.contains(char::is_whitespace))
}

/// Returns the host that a text names, with or without a scheme, if it is this machine or inside of its network.
pub(super) fn inner_host(text: &str) -> Option<String> {
    inner(text, false)
}

/// Returns the host that a text names which is nothing else than a host, if it is inside of the network.
pub(super) fn inner_host_alone(text: &str) -> Option<String> {
    inner(text, true)
}

/// Returns the host inside of the network that a text names which says where a server is, as those write it that connect to one:
/// `host=10.0.0.5 port=5432`, `Server=10.0.0.5;Database=x`, `user@tcp(10.0.0.5:3306)/db`, `jdbc:oracle:thin:@10.0.0.5:1521:x`.
pub(super) fn inner_host_within(text: &str) -> Option<String> {
    const SIGNS: [char; 10] = ['=', '@', ',', ';', '(', ')', ':', '"', '\'', '|'];
    const PLACES: [char; 3] = ['/', '?', '\\'];
    // In a sentence it is only spoken of; `Data Source=tcp:10.0.0.5,1433` is none.
    let is_one = text.contains(';') || text.split_whitespace().all(|word| word.contains('='));
    if text.split_whitespace().nth(1).is_some() && !is_one || is_url(text) {
        return None;
    }
    text.match_indices(SIGNS).find_map(|(at, _)| {
        let part = text[at + 1..].trim_start();
        let ends = |c: char| SIGNS.contains(&c) || PLACES.contains(&c) || c.is_whitespace();
        let part = &part[..part.find(ends).unwrap_or(part.len())];
        inner(part, false)
    })
}

fn inner(text: &str, is_host: bool) -> Option<String> {
    let (has_scheme, rest) = match text.split_once("://") {
        Some((_, rest)) => (true, rest),
        None => (is_host, text.trim_start_matches(['/', '\\'])),
    };
    if rest.contains(char::is_whitespace) {
        return None;
    }
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let hosts = authority.rsplit('@').next()?;
    // `mongodb://a,b/x` names several.
    hosts.split(',').find_map(|host| inner_of(host, has_scheme))
}

fn inner_of(host: &str, has_scheme: bool) -> Option<String> {
    let host = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next()?,
        // A bare word with one colon is a host with its port; with more, it is an address of IPv6.
        None if host.matches(':').count() == 1 => host.split(':').next()?,
        None => host,
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_inner = is_named_inner(&host) || is_inner_number(&host);
    (is_inner && (has_scheme || names_a_host(&host))).then_some(host)
}

/// Whether a text that stands alone is more likely a host than a version, a number or the name of a file.
fn names_a_host(host: &str) -> bool {
    let is_local = host == "localhost" || host.ends_with(".localhost");
    is_local
        || host.contains(':')
        || host.split('.').count() == 4
        || host == "metadata.google.internal"
}

fn is_named_inner(host: &str) -> bool {
    const ENDS: [&str; 6] = [".localhost", ".local", ".internal", ".lan", ".intranet", ".svc"];
    const NAMES: [&str; 3] = ["localhost", "metadata", "ip6-localhost"];
    NAMES.contains(&host) || ENDS.iter().any(|end| host.ends_with(end))
}

fn is_inner_number(host: &str) -> bool {
    match numeric_address(host) {
        Some(IpAddr::V4(address)) => is_inner_four(address),
        Some(IpAddr::V6(address)) => {
            let first = address.segments()[0];
            address.is_loopback()
                || address.is_unspecified()
                || first & 0xfe00 == 0xfc00
                || first & 0xffc0 == 0xfe80
        }
        None => false,
    }
}

fn is_inner_four(address: Ipv4Addr) -> bool {
    let [one, two, ..] = address.octets();
    let is_shared = one == 100 && two & 0xc0 == 64;
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || one == 0
        || is_shared
}

#[cfg(test)]
mod tests {
    use super::{as_parsed, in_text, inner_host, inner_host_within, is_url};

    #[test]
    fn an_address_is_read_as_browsers_do() {
        for text in [
            "http:x.example/a",
            "http:/x.example/a",
            "http:\\\\x.example\\a",
            "ht\ttp://x.exam\nple/a",
        ] {
            assert_eq!(as_parsed(text), "http://x.example/a", "{text}");
        }
        for text in ["http: a b", "memo://x", "file:/x", "x"] {
            assert_eq!(as_parsed(text), text);
        }
    }

    #[test]
    fn every_address_of_a_text_is_found() {
        let text = "see HTTPS://a.example/x, (http://b.example) <ftp://c.example/d>, www.d.example and \"https://e.example?u=https://f.example\"";
        let found: Vec<&str> = in_text(text).collect();
        assert_eq!(
            found,
            [
                "HTTPS://a.example/x",
                "http://b.example",
                "ftp://c.example/d",
                "www.d.example",
                "https://e.example?u=https://f.example",
                "https://f.example",
            ]
        );
        assert!(is_url("HTTP://x") && !is_url("memo://x") && !is_url("a b://c"));
    }

    #[test]
    fn hosts_inside_of_the_network_are_known_in_every_spelling() {
        for text in [
            "169.254.169.254",
            "http://169.254.169.254/latest",
            "HTTP://LOCALHOST:8080",
            "localhost",
            "localhost:3000/x",
            "//10.0.0.1/x",
            "10.1.2.3:80",
            "http://2130706433/",
            "http://0x7f000001",
            "http://0177.0.0.1",
            "http://127.1",
            "http://[::1]:80/",
            "http://[::ffff:10.0.0.1]/",
            "http://a@192.168.0.1",
            "http://x.localhost",
            "metadata.google.internal",
            "http://172.16.0.1\\@docs.rs",
            "0.0.0.0:80",
        ] {
            assert!(inner_host(text).is_some(), "{text}");
        }
        for text in [
            "octocat",
            "42",
            "1.2.3",
            "v1.0.2",
            "8.8.8.8",
            "https://docs.rs",
            "local",
            "main",
            "11.0.0.1",
            "172.32.0.1",
            "get localhost",
            "10.2",
            "0.1.0",
            "settings.local",
            "metadata",
        ] {
            assert!(inner_host(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_host_is_known_where_a_text_says_where_a_server_is() {
        for text in [
            "host=10.0.0.5 port=5432",
            "Server=10.0.0.5;Database=x",
            "Data Source=tcp:10.0.0.5,1433;Initial Catalog=x",
            "root@tcp(10.0.0.5:3306)/db",
            "jdbc:oracle:thin:@10.0.0.5:1521:x",
            "host=db.example.com hostaddr=10.0.0.5",
            "user:p@localhost:3306/db",
        ] {
            assert!(inner_host_within(text).is_some(), "{text}");
        }
        assert!(inner_host("mongodb://a.example,10.0.0.5/x").is_some());
        for text in [
            "connect to 10.0.0.5: timed out",
            "host=db.example.com port=5432",
            "version=1.2.3",
            "see x=1, 10.0.0.5",
            "a=b",
        ] {
            assert!(inner_host_within(text).is_none(), "{text}");
        }
    }
}
