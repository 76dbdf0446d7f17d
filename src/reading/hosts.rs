//! Hosts and URLs: what a word names on the network, and what a download is called here.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;

use super::walk::Walker;
use crate::catalog::Interpretation;
use crate::model::{Arg, EffectKind, ProgramTrait};

/// Returns the host of a URL, of `user@host:path`, or of a plain name, in one spelling; none if it is not all known.
#[must_use]
pub fn host(target: &Arg) -> Option<String> {
    let text = target.prefix();
    let (rest, has_scheme) = match text.split_once("://") {
        Some((_, rest)) => (rest, true),
        None => (text, false),
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    if target.known().is_none() && end == rest.len() {
        return None;
    }
    let authority = &rest[..end];
    let name = authority.rsplit('@').next().unwrap_or(authority);
    let name = if let Some(bracketed) = name.strip_prefix('[') {
        bracketed.split(']').next().unwrap_or(bracketed)
    } else if has_scheme || name.matches(':').count() == 1 {
        name.split(':').next().unwrap_or(name)
    } else {
        name
    };
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    // A small number that stands alone is one of a port, a job or an issue.
    let is_small = !has_scheme && name.parse::<u32>().is_ok_and(|number| number < 1 << 24);
    let address = if is_small { None } else { numeric_address(&name) };
    let name = address.map_or(name, |address| address.to_string());
    (!name.is_empty()).then_some(name)
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

/// Returns the path that a `file:` URL names on this machine (RFC 8089).
pub(super) fn local_path(url: &str) -> Option<&str> {
    let (scheme, rest) = url.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let Some(rest) = rest.strip_prefix("//") else { return Some(rest) };
    Some(rest.strip_prefix("localhost").filter(|rest| rest.starts_with('/')).unwrap_or(rest))
}

/// Whether a copy stays on this machine: no operand may name another (rsync(1), "GENERAL").
pub(super) fn stays_here(interpretation: &Interpretation, argv: &[Arg]) -> bool {
    let is_local = |word: &Arg| {
        let text = word.pattern().unwrap_or(word.prefix());
        let (before, is_whole) = match text.split_once('/') {
            Some((before, _)) => (before, true),
            None => (text, word.pattern().is_some()),
        };
        is_whole && !before.contains(':')
    };
    interpretation.is(ProgramTrait::StaysHere)
        && interpretation.operands.len() > 1
        && interpretation.words(argv).all(is_local)
}

impl Walker<'_> {
    /// Whether the program that `npx` is to run is the workspace's own, so that nothing is fetched (npx(1)).
    pub(super) fn has_program(&self, interpretation: &Interpretation) -> bool {
        let words: Vec<&str> = interpretation.subcommand.iter().map(String::as_str).collect();
        let (("npx", &[name]) | ("npm", &["exec", name])) =
            (interpretation.program.as_str(), words.as_slice())
        else {
            return false;
        };
        let [Some(directory)] = self.state.directories.as_slice() else { return false };
        let is_there = |above: &Path| {
            let path = above.join("node_modules/.bin").join(name);
            path.to_str().is_some_and(|path| self.scripts.exists(path))
        };
        !interpretation.gives(&["-p", "--package"])
            && Path::new(directory).ancestors().any(is_there)
    }
}

/// Returns the files that a download is written to under the name that its URL has.
pub(super) fn downloaded(interpretation: &Interpretation) -> impl Iterator<Item = Arg> {
    let prefix = interpretation.given(&["-P", "--directory-prefix", "--output-dir"]).next();
    let prefix = prefix.and_then(|option| option.value.as_ref()).map_or("", Arg::prefix);
    let slash = if prefix.is_empty() { "" } else { "/" };
    let is_named = interpretation.is(ProgramTrait::NamedByUrl);
    let fetched = interpretation
        .touches
        .iter()
        .filter(move |touch| is_named && touch.kind == EffectKind::Fetch);
    fetched.filter_map(move |touch| {
        let url = touch.target.as_ref()?.known()?;
        let path = url.split_once("://").map_or(url, |(_, rest)| rest);
        let path = path.split(['?', '#']).next().unwrap_or(path);
        let (_, name) = path.rsplit_once('/').filter(|(_, name)| !name.is_empty())?;
        Some(Arg::Known(format!("{prefix}{slash}{name}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_one_spelling() {
        for (text, one) in [
            ("https://Docs.RS./x", Some("docs.rs")),
            ("git@github.com:a/b", Some("github.com")),
            ("http://2852039166/", Some("169.254.169.254")),
            ("http://0xA9.0376.43518", Some("169.254.169.254")),
            ("http://[::ffff:a9fe:a9fe]:80/", Some("169.254.169.254")),
            ("http://[0:0::1]/", Some("::1")),
            ("2852039166", Some("169.254.169.254")),
            ("127.1", Some("127.0.0.1")),
            ("8080", Some("8080")),
            ("http://8080", Some("0.0.31.144")),
            ("http://+1.1.1.1/", Some("+1.1.1.1")),
            ("http://1.2.3.4.5/", Some("1.2.3.4.5")),
            ("http://256.1.1.1/", Some("256.1.1.1")),
            ("http://", None),
            ("http://./", None),
        ] {
            assert_eq!(host(&Arg::Known(text.to_owned())).as_deref(), one, "{text}");
        }
    }
}
