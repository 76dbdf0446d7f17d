//! HTTP as no browser speaks it: each byte of a request is the test's.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use guarded_sh::audit::sha256;
use guarded_sh::sys::hex;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};

use super::world::{Asked, PATIENCE, World};

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// Sends bytes to a port, and reads until the other end hangs up.
pub fn said(port: u16, bytes: &[u8]) -> Answer {
    said_to(("127.0.0.1", port), bytes)
}

pub fn said_to(place: (&str, u16), bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(place).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // What is refused before it is whole may be hung up on.
    let _ = stream.write_all(bytes);
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

/// A request as this page's own documents make it; tests take from it and add to it.
#[derive(Clone)]
pub struct Request {
    pub method: &'static str,
    pub target: String,
    pub version: &'static str,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Request {
    pub fn get(world: &World, path: &str) -> Self {
        let headers = [("Host", world.host()), ("Sec-Fetch-Site", "same-origin")];
        Self::of("GET", path, &headers, "")
    }

    pub fn post(world: &World, path: &str, body: &str) -> Self {
        let headers = [
            ("Host", world.host()),
            ("Origin", &world.origin),
            ("Sec-Fetch-Site", "same-origin"),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ];
        Self::of("POST", path, &headers, body)
    }

    fn of(method: &'static str, path: &str, headers: &[(&str, &str)], body: &str) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let (target, version) = (path.to_owned(), "HTTP/1.1");
        Self { method, target, version, headers: headers.collect(), body: body.to_owned() }
    }

    /// Without this header, and with it if it has a value.
    pub fn with(mut self, name: &str, value: Option<&str>) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        self
    }

    /// With this header once more.
    pub fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn of_seat(self, seat: &str) -> Self {
        self.with("Cookie", Some(&format!("guarded-sh={seat}")))
    }

    pub fn bytes(&self) -> Vec<u8> {
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let headers = headers.collect::<Vec<_>>().concat();
        let length = match self.body.len() {
            0 if self.method != "POST" => String::new(),
            length => format!("Content-Length: {length}\r\n"),
        };
        let Self { method, target, version, body, .. } = self;
        format!("{method} {target} {version}\r\n{headers}{length}Connection: close\r\n\r\n{body}")
            .into_bytes()
    }

    pub fn sent(&self, world: &World) -> Answer {
        said(world.port(), &self.bytes())
    }
}

/// Asks for a page as a seat.
pub fn get(world: &World, seat: &Seat, path: &str) -> Answer {
    Request::get(world, path).of_seat(&seat.token).sent(world)
}

/// Asks for a page until it has all of this in it: the index and the reader of transcripts follow a moment later. Returns it.
pub fn until(world: &World, seat: &Seat, path: &str, wanted: &[&str]) -> String {
    until_it(world, seat, path, wanted, |body| wanted.iter().all(|text| body.contains(text)))
}

/// Asks for a page until it has one of these in it. Returns it.
pub fn until_any(world: &World, seat: &Seat, path: &str, wanted: &[&str]) -> String {
    until_it(world, seat, path, wanted, |body| wanted.iter().any(|text| body.contains(text)))
}

fn until_it(
    world: &World,
    seat: &Seat,
    path: &str,
    wanted: &[&str],
    is_it: impl Fn(&str) -> bool,
) -> String {
    let end = Instant::now() + PATIENCE;
    loop {
        let answer = get(world, seat, path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        if is_it(&answer.body) {
            return answer.body;
        }
        let missing: Vec<_> = wanted.iter().filter(|text| !answer.body.contains(*text)).collect();
        assert!(Instant::now() < end, "{path} never says {missing:?}\n{}", answer.body);
        std::thread::yield_now();
    }
}

/// A browser with a seat, as far as keys and cookies go.
pub struct Seat {
    pub token: String,
    key: EcdsaKeyPair,
}

impl Seat {
    /// Exchanges a code for one.
    pub fn take(world: &mut World) -> Self {
        let key = key();
        let public = hex::hex(key.public_key().as_ref());
        let code = world.code();
        let answer =
            Request::post(world, "/enter", &format!("code={code}&key={public}")).sent(world);
        assert_eq!(answer.status, 303, "{answer:?}");
        Self { token: token(&answer), key }
    }

    /// Returns a number that counts once.
    pub fn nonce(&self, world: &World) -> String {
        let answer = Request::post(world, "/nonce", "").of_seat(&self.token).sent(world);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body
    }

    /// Returns an answer to a question, signed as this page's script signs it.
    pub fn answers(&self, world: &World, asked: &Asked, answer: &str) -> Signed {
        Signed {
            origin: world.origin.clone(),
            question: asked.id.clone(),
            digest: sha256(asked.line.as_bytes()),
            nonce: self.nonce(world),
            typed: String::new(),
            answer: answer.to_owned(),
        }
    }

    pub fn signature(&self, signed: &Signed) -> String {
        signature(&self.key, signed)
    }

    /// Returns what this browser's key makes of a text.
    pub fn signs(&self, text: &str) -> String {
        signs(&self.key, text)
    }
}

/// Returns what the cookie of an answer says.
pub fn token(answer: &Answer) -> String {
    let cookie = answer.head.split("set-cookie: guarded-sh=").nth(1).unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

/// Returns a new key.
pub fn key() -> EcdsaKeyPair {
    let (way, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let document = EcdsaKeyPair::generate_pkcs8(way, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(way, document.as_ref(), &random).unwrap()
}

pub fn signature(key: &EcdsaKeyPair, signed: &Signed) -> String {
    signs(key, &signed.text())
}

/// Returns what a key makes of a text.
pub fn signs(key: &EcdsaKeyPair, text: &str) -> String {
    hex::hex(key.sign(&SystemRandom::new(), text.as_bytes()).unwrap().as_ref())
}

/// What is signed.
#[derive(Clone)]
pub struct Signed {
    pub origin: String,
    pub question: String,
    pub digest: String,
    pub nonce: String,
    pub typed: String,
    pub answer: String,
}

impl Signed {
    fn text(&self) -> String {
        let Self { origin, question, digest, nonce, typed, answer } = self;
        format!("guarded-sh answer\n{origin}\n{question}\n{digest}\n{nonce}\n{typed}\n{answer}")
    }

    /// Returns the request that sends it.
    pub fn request(&self, world: &World, seat: &str, signature: &str) -> Request {
        let fields = [
            ("question", &self.question),
            ("digest", &self.digest),
            ("nonce", &self.nonce),
            ("typed", &self.typed),
            ("answer", &self.answer),
        ];
        let fields = fields.map(|(name, value)| format!("{name}={}&", encoded(value)));
        let body = format!("{}signature={signature}", fields.concat());
        Request::post(world, "/answer", &body).of_seat(seat)
    }
}

/// Returns a text as forms have it.
pub fn encoded(text: &str) -> String {
    let letter = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(letter).collect()
}
