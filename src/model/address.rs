//! What numbers mean as the address of a host.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Names of this machine.
const LOOPBACK: &[&str] = &["localhost", "127.0.0.1", "::1", "0.0.0.0", "host.docker.internal"];

/// Returns whether a host name means this machine.
#[must_use]
pub fn is_this_machine(host: &str) -> bool {
    LOOPBACK.contains(&host)
}

/// Returns the address that a host's numbers mean: one of IPv6, or one as inet_aton(3) reads it, from one to four numbers, decimal, octal or
/// hexadecimal, of which the last fills what is left. One of IPv4 within one of IPv6 (RFC 4291, section 2.5.5) is the former.
#[must_use]
pub fn numeric_address(host: &str) -> Option<IpAddr> {
    if let Ok(six) = host.parse::<Ipv6Addr>() {
        let is_itself = six.is_loopback() || six.is_unspecified();
        return Some(six.to_ipv4().filter(|_| !is_itself).map_or(IpAddr::V6(six), IpAddr::V4));
    }
    let parts: Vec<&str> = host.split('.').collect();
    let (last, before) = parts.split_last()?;
    if before.len() > 3 {
        return None;
    }
    let mut address = 0_u32;
    for part in before {
        address = (address << 8) | u32::from(u8::try_from(number(part)?).ok()?);
    }
    let left = 32 - 8 * u32::try_from(before.len()).ok()?;
    let last = number(last)?;
    if left < 32 && last >= 1 << left {
        return None;
    }
    let address = if left < 32 { (address << left) | last } else { last };
    Some(IpAddr::V4(Ipv4Addr::from(address)))
}

fn number(text: &str) -> Option<u32> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        None => (text, 10),
    };
    // A sign is none of their digits.
    let is_digits = digits.starts_with(|c: char| c.is_ascii_hexdigit());
    u32::from_str_radix(digits, radix).ok().filter(|_| is_digits)
}
