//! Which hosts a line reaches: those that its plan names, at addresses of the internet.
//! Asks nobody: a name's addresses are given.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use guarded_sh::model::numeric_address;

/// The ports of a host that is named without one: HTTP and HTTPS.
const PORTS: [u16; 2] = [80, 443];

/// Why a host is not reached.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is an address, or no name of a host.
    #[error("hosts are reached by their names alone")]
    NoName,
    /// The plan does not name it.
    #[error("its plan does not name this host")]
    Unlisted,
    /// The plan names it, but not at this port.
    #[error("its plan does not name this port")]
    Port,
    /// What it leads to is not on the internet.
    #[error("the name leads to {0}, which is no address of the internet")]
    Address(IpAddr),
    /// The tunnel is used for another host.
    #[error("in its tunnel to {0}, another host was asked for")]
    Other(String),
    /// The tunnel does not begin with TLS that says for which host it is.
    #[error("a tunnel is for TLS that names its host")]
    NoTls,
}

/// The hosts that a plan names: `HOST` at the usual ports, or `HOST:PORT`.
#[derive(Clone, Debug)]
pub struct Names(Vec<String>);

impl Names {
    /// Those of a plan.
    #[must_use]
    pub const fn new(hosts: Vec<String>) -> Self {
        Self(hosts)
    }

    /// Returns the name of a host that may be reached at a port, in the one spelling that names have.
    pub fn reached(&self, host: &str, port: u16) -> Result<String, Refused> {
        let name = name(host).ok_or(Refused::NoName)?;
        let of = |entry: &String| match entry.split_once(':') {
            Some((host, port)) => (host == name).then(|| port.parse().into_iter().collect()),
            None => (*entry == name).then(|| PORTS.to_vec()),
        };
        let ports: Vec<Vec<u16>> = self.0.iter().filter_map(of).collect();
        if ports.is_empty() {
            return Err(Refused::Unlisted);
        }
        if ports.iter().flatten().any(|own| *own == port) { Ok(name) } else { Err(Refused::Port) }
    }
}

/// Returns a host's name: in small letters, without the dot of the root (RFC 1034, section 3.1; RFC 1123, section 2.1). None: it is an address in any
/// spelling, or what no host is called.
#[must_use]
pub fn name(host: &str) -> Option<String> {
    let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_label = |label: &str| (1..=63).contains(&label.len()) && label.chars().all(is_letter);
    if name.len() > 253 || !name.split('.').all(is_label) || numeric_address(&name).is_some() {
        return None;
    }
    // What ends with a number is an address to some, however wrong (WHATWG URL, "ends in a number").
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = last.starts_with("0x") || last.chars().all(|c| c.is_ascii_digit());
    (!is_number).then_some(name)
}

/// Returns whether an address is one of the internet, and none of this machine or of its networks, in whatever it is wrapped.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => is_public_four(four),
        IpAddr::V6(six) => match within(six) {
            Some(four) => is_public_four(four),
            None => is_public_six(six),
        },
    }
}

/// Returns the address of IPv4 to which one of IPv6 leads: mapped (RFC 4291), translated (RFC 6052), 6to4 (RFC 3056).
fn within(six: Ipv6Addr) -> Option<Ipv4Addr> {
    let bytes = six.octets();
    let four = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|four| <[u8; 4]>::try_from(four).ok());
        four.map(Ipv4Addr::from)
    };
    match six.segments() {
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => four(12),
        [0x2002, ..] => four(2),
        _ => None,
    }
}

/// The registry of special addresses (RFC 6890 and its successors).
fn is_public_four(four: Ipv4Addr) -> bool {
    let [a, b, c, _] = four.octets();
    let is_special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224.., ..)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !is_special
}

/// Global unicast but for what is set apart in it: protocols (Teredo, ORCHID, benchmarks), documentation.
fn is_public_six(six: Ipv6Addr) -> bool {
    let [a, b, ..] = six.segments();
    let is_apart = matches!((a, b), (0x2001, 0..=0x1ff | 0xdb8) | (0x3fff, 0..=0xfff));
    a & 0xe000 == 0x2000 && !is_apart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_reached_by_its_name_alone() {
        use Refused::{NoName, Port, Unlisted};
        let hosts = ["a.example", "b.example:8443", "xn--bcher-kva.example"];
        let names = Names::new(hosts.map(str::to_owned).to_vec());
        for (host, port, reached) in [
            ("a.example", 443, Ok("a.example")),
            ("A.EXAMPLE.", 80, Ok("a.example")),
            ("b.example", 8443, Ok("b.example")),
            ("XN--bcher-KVA.example", 443, Ok("xn--bcher-kva.example")),
            ("b.example", 443, Err(Port)),
            ("a.example", 22, Err(Port)),
            ("a.example..", 443, Err(NoName)),
            (".a.example", 443, Err(NoName)),
            ("x.a.example", 443, Err(Unlisted)),
            ("a.example.evil.example", 443, Err(Unlisted)),
            ("evil-a.example", 443, Err(Unlisted)),
            ("localhost", 443, Err(Unlisted)),
            ("bücher.example", 443, Err(NoName)),
            ("", 443, Err(NoName)),
            (".", 443, Err(NoName)),
            ("a.example:443", 443, Err(NoName)),
            ("127.0.0.1", 443, Err(NoName)),
            ("127.1", 443, Err(NoName)),
            ("2130706433", 443, Err(NoName)),
            ("0x7f000001", 443, Err(NoName)),
            ("0177.0.0.1", 443, Err(NoName)),
            ("0X7F.1", 443, Err(NoName)),
            ("1.2.3.4.5", 443, Err(NoName)),
            ("999.999.999.999", 443, Err(NoName)),
            ("a.0x", 443, Err(NoName)),
            ("[::1]", 443, Err(NoName)),
            ("[::ffff:127.0.0.1]", 443, Err(NoName)),
            ("a\0.example", 443, Err(NoName)),
        ] {
            let said = names.reached(host, port);
            assert_eq!(said, reached.map(str::to_owned), "{host}:{port}");
        }
    }

    #[test]
    fn an_address_is_of_the_internet_or_it_is_not() {
        let public = [
            "1.1.1.1",
            "93.184.216.34",
            "100.63.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.20.0.1",
            "2606:4700::1",
            "2001:4860:4860::8888",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
            "2002:101:101::1",
        ];
        let special = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.251",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:a00:1::1",
            "3fff:fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ];
        let of = |text: &str| is_public(text.parse().unwrap());
        assert_eq!(public.iter().find(|text| !of(text)), None);
        assert_eq!(special.iter().find(|text| of(text)), None);
    }
}
