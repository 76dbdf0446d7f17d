//! The first that a client says in TLS (RFC 8446, section 4.1.2), and the host that it says it is for. Many hosts share addresses: without this, a
//! tunnel to one of them leads to all.

/// Bytes that are looked at at most.
pub const LONGEST: usize = 64 << 10;

/// What stands in the first bytes of a tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hello {
    /// More is needed.
    Part,
    /// The name of the host that it is for (RFC 6066, section 3).
    For(String),
    /// No TLS, or TLS that names no host.
    Other,
}

/// Reads the first bytes of a tunnel.
#[must_use]
pub fn read(bytes: &[u8]) -> Hello {
    match message(bytes) {
        Some(Ok(message)) => name(&message).map_or(Hello::Other, Hello::For),
        Some(Err(())) => Hello::Other,
        None if bytes.len() >= LONGEST => Hello::Other,
        None => Hello::Part,
    }
}

/// Puts the first message together, which may stand in several records. None: it is not whole yet.
fn message(mut bytes: &[u8]) -> Option<Result<Vec<u8>, ()>> {
    const HANDSHAKE: u8 = 22;
    const CLIENT_HELLO: u8 = 1;
    let mut whole = Vec::new();
    loop {
        match bytes {
            [] => return None,
            [HANDSHAKE, ..] if bytes.len() < 5 => return None,
            [HANDSHAKE, 3, _, high, low, rest @ ..] => {
                let length = usize::from(u16::from_be_bytes([*high, *low]));
                if length == 0 {
                    return Some(Err(()));
                }
                whole.extend(rest.iter().take(length));
                bytes = rest.get(length..).unwrap_or_default();
            }
            _ => return Some(Err(())),
        }
        let [kind, a, b, c, rest @ ..] = whole.as_slice() else { continue };
        if *kind != CLIENT_HELLO {
            return Some(Err(()));
        }
        let length = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
        if let Some(message) = rest.get(..length) {
            return Some(Ok(message.to_vec()));
        }
    }
}

/// Returns the name that a hello has, if it has one and no second.
fn name(message: &[u8]) -> Option<String> {
    const SERVER_NAME: usize = 0;
    let mut rest = message;
    // The version and the random bytes, the session, the ciphers, the compressions.
    take(&mut rest, 34)?;
    for size in [1, 2, 1] {
        let length = number(&mut rest, size)?;
        take(&mut rest, length)?;
    }
    let length = number(&mut rest, 2)?;
    let mut extensions = take(&mut rest, length)?;
    let mut found = None;
    while !extensions.is_empty() {
        let kind = number(&mut extensions, 2)?;
        let length = number(&mut extensions, 2)?;
        let mut body = take(&mut extensions, length)?;
        if kind != SERVER_NAME {
            continue;
        }
        let length = number(&mut body, 2)?;
        let mut names = take(&mut body, length)?;
        let is_host = number(&mut names, 1)? == 0;
        let length = number(&mut names, 2)?;
        let name = std::str::from_utf8(take(&mut names, length)?).ok()?;
        if !is_host || !names.is_empty() || !body.is_empty() || found.is_some() {
            return None;
        }
        found = Some(name.to_owned());
    }
    found
}

fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

fn number(bytes: &mut &[u8], size: usize) -> Option<usize> {
    let taken = take(bytes, size)?;
    Some(taken.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}
