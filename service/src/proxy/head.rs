//! The head of a request to a proxy (RFC 9112), read strictly: what two readers could understand in two ways is no request.
//! Decides nothing: whether a host may be reached, `names` says.

/// Bytes of a head at most.
pub const LONGEST: usize = 16 << 10;
/// Fields of a head at most.
const FIELDS: usize = 100;

/// Fields that are about this connection and not about the request (RFC 9110, section 7.6.1), or that are written anew.
const OWN: [&str; 13] = [
    "connection",
    "proxy-connection",
    "proxy-authorization",
    "proxy-authenticate",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "expect",
    "host",
    "content-length",
    "http2-settings",
];

/// Why something is no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is longer than any.
    #[error("its head is longer than {LONGEST} bytes, or has more than {FIELDS} fields")]
    TooLong,
    /// A line of it ends otherwise than by CR LF, or holds what no line may.
    #[error("its head holds a byte that no head may")]
    Byte,
    /// Its first line is none.
    #[error("its first line is not METHOD TARGET HTTP/1.1")]
    Line,
    /// Its target is none that a proxy is asked for.
    #[error("its target is neither HOST:PORT for CONNECT nor http://HOST/")]
    Target,
    /// A field of it is none.
    #[error("a field of its head is none")]
    Field,
    /// Where its body ends cannot be told, or can in two ways.
    #[error("the length of its body is not said by one Content-Length")]
    Length,
}

/// What a client wants of a proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The host as it was written, without the port.
    pub host: String,
    /// The port.
    pub port: u16,
    /// In which way.
    pub wants: Wants,
}

/// In which way a host is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wants {
    /// A tunnel.
    Tunnel,
    /// One request that is passed on.
    Request(Request),
}

/// A request that is passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    method: String,
    path: String,
    fields: Vec<(String, String)>,
    /// Bytes of its body.
    pub length: u64,
}

/// Returns where a head ends in what was read; none if it does not yet.
#[must_use]
pub fn end(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

/// Reads a head, with the empty line behind it.
pub fn read(bytes: &[u8]) -> Result<Head, Fault> {
    if bytes.len() > LONGEST {
        return Err(Fault::TooLong);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Fault::Byte)?;
    let text = text.strip_suffix("\r\n\r\n").ok_or(Fault::Line)?;
    let mut lines = text.split("\r\n");
    let is_wrong = |c: char| (c.is_control() && c != '\t') || !c.is_ascii();
    if lines.clone().any(|line| line.contains(is_wrong)) {
        return Err(Fault::Byte);
    }
    let parts: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let [method, target, "HTTP/1.1" | "HTTP/1.0"] = parts.as_slice() else {
        return Err(Fault::Line);
    };
    if !is_token(method) || target.is_empty() {
        return Err(Fault::Line);
    }
    let fields = lines.map(field).collect::<Option<Vec<_>>>().ok_or(Fault::Field)?;
    if fields.len() > FIELDS {
        return Err(Fault::TooLong);
    }
    if *method == "CONNECT" {
        let (host, port) = authority(target)?;
        let port = port.ok_or(Fault::Target)?;
        return Ok(Head { host: host.to_owned(), port, wants: Wants::Tunnel });
    }
    let (scheme, rest) = target.split_once("://").ok_or(Fault::Target)?;
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(at);
    // A fragment is never sent; who sends one wants to be misread.
    if !scheme.eq_ignore_ascii_case("http") || target.contains(['#', '\\']) {
        return Err(Fault::Target);
    }
    let (host, port) = authority(host)?;
    let slash = if path.starts_with('/') { "" } else { "/" };
    let request = Request {
        method: (*method).to_owned(),
        path: format!("{slash}{path}"),
        length: length(&fields)?,
        fields: passed(fields),
    };
    let port = port.unwrap_or(80);
    Ok(Head { host: host.to_owned(), port, wants: Wants::Request(request) })
}

/// Splits `HOST` or `HOST:PORT`. An address of IPv6 keeps its brackets.
fn authority(text: &str) -> Result<(&str, Option<u16>), Fault> {
    let (host, port) = match text.rfind(':') {
        // What ends with a bracket has no port.
        Some(at) if !text.ends_with(']') => (&text[..at], Some(&text[at + 1..])),
        _ => (text, None),
    };
    let is_bracketed = host.starts_with('[') && host.ends_with(']');
    let is_host = is_bracketed || !host.contains([':', '[', ']']);
    if host.is_empty() || !is_host || host.contains(['@', '/', '?', '#', '\\', '%', ' ']) {
        return Err(Fault::Target);
    }
    let port = port.map(|port| match port.parse::<u16>() {
        Ok(number) if number > 0 && port == number.to_string() => Ok(number),
        _ => Err(Fault::Target),
    });
    Ok((host, port.transpose()?))
}

/// Splits a field. A line that goes on in the next one, and space before the colon, are none (RFC 9112, sections 5.1 and 5.2).
fn field(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once(':')?;
    is_token(name).then(|| (name.to_owned(), value.trim_matches([' ', '\t']).to_owned()))
}

fn is_token(text: &str) -> bool {
    let is_one = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !text.is_empty() && text.chars().all(is_one)
}

/// Returns the bytes of the body. Chunks are not taken: where they end would have to be read as the server reads it.
fn length(fields: &[(String, String)]) -> Result<u64, Fault> {
    let of = |wanted: &'static str| {
        fields.iter().filter(move |(name, _)| name.eq_ignore_ascii_case(wanted))
    };
    if of("transfer-encoding").next().is_some() {
        return Err(Fault::Length);
    }
    let lengths: Vec<&str> = of("content-length").map(|(_, value)| value.as_str()).collect();
    match lengths.as_slice() {
        [] => Ok(0),
        [one] if one.bytes().all(|byte| byte.is_ascii_digit()) => {
            one.parse().map_err(|_| Fault::Length)
        }
        _ => Err(Fault::Length),
    }
}

/// Returns the fields that are passed on: none that is about the connection, or that the client says is.
fn passed(mut fields: Vec<(String, String)>) -> Vec<(String, String)> {
    let is = |name: &str, wanted: &str| name.eq_ignore_ascii_case(wanted);
    let connection = fields.iter().filter(|(name, _)| is(name, "connection"));
    let named: Vec<String> = connection
        .flat_map(|(_, value)| value.split(','))
        .map(|name| name.trim().to_owned())
        .collect();
    fields.retain(|(name, _)| {
        !OWN.iter().any(|own| is(name, own)) && !named.iter().any(|own| is(name, own))
    });
    fields
}

impl Request {
    /// Returns the head that is sent to the host, of which this is the name.
    #[must_use]
    pub fn wire(&self, name: &str, port: u16) -> String {
        let host = if port == 80 { name.to_owned() } else { format!("{name}:{port}") };
        let mut text = format!("{} {} HTTP/1.1\r\nHost: {host}\r\n", self.method, self.path);
        for (field, value) in &self.fields {
            text.extend([field, ": ", value, "\r\n"]);
        }
        if self.length > 0 {
            let length = self.length.to_string();
            text.extend(["Content-Length: ", &length, "\r\n"]);
        }
        text + "Connection: close\r\n\r\n"
    }
}
