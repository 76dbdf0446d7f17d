//! Passkeys: the touch that a yes to what is severe takes, where the owner wants that. What a browser says was signed is read here, byte for byte as
//! Web Authentication has it (W3C WebAuthn Level 3, FIDO CTAP2), with no more of its forms than are needed. Knows no clock but what it is told.
//!
//! An authenticator binds a key to a host, and browsers take `localhost` for none of which `NAME.localhost` is a part. So where passkeys are wanted, the
//! name of the page is drawn once and kept beside them.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use guarded_sh::sys::hex::{bytes, hex};
use ring::digest::{SHA256, digest};
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey, VerificationAlgorithm};
use serde::Deserialize;

use super::keyring::{Keyring, Kind, Passkey};
use super::once::Once;
use super::spoken::Spoken;
use super::tokens::now as now_in_seconds;

/// For how long one may be registered by a code, and a challenge be answered.
const LIFE: Duration = Duration::from_secs(120);
/// Codes that are good at once at most.
const CODES: usize = 8;
/// Passkeys at most.
const MOST: usize = 32;
/// Bytes of the id of a passkey at most (WebAuthn 4).
const LONGEST_ID: usize = 1_023;

/// Flags of what an authenticator says (WebAuthn 6.1).
const USER_PRESENT: u8 = 1;
const HAS_CREDENTIAL: u8 = 1 << 6;
/// Bytes of that before what is optional: the digest of the host, flags, the counter.
const FIXED: usize = 37;

/// Why a passkey is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The code was not given, was used, or is too old.
    #[error("this code was used, or is too old: get a new one where the page was started")]
    Code,
    /// There is none.
    #[error("this takes a passkey, and none is registered for this address")]
    None,
    /// No touch came.
    #[error("this takes the touch of a passkey")]
    Untouched,
    /// It is one that was not registered here.
    #[error("this passkey is not registered here")]
    Unknown,
    /// What the browser says is not what it was asked.
    #[error("the browser's word about the passkey does not fit: {0}")]
    Client(&'static str),
    /// What the authenticator says does not fit.
    #[error("what the passkey says does not fit: {0}")]
    Authenticator(&'static str),
    /// Another key signed it.
    #[error("it is not signed with the key of this passkey")]
    Signature,
    /// It was signed by a copy, or is old.
    #[error("the counter of this passkey went back: there may be a copy of it")]
    Counter,
    /// There are too many.
    #[error("there are as many passkeys as are kept: remove one")]
    Full,
    /// The file cannot be written.
    #[error("the passkeys cannot be kept: {0}")]
    Unkept(String),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Unkept(error.to_string())
    }
}

impl Refusal {
    /// Returns it in the language of whoever reads it.
    pub fn told(&self, language: Spoken) -> String {
        let key = match self {
            Self::Code => "enter-used",
            Self::None => "keys-none",
            Self::Untouched => "keys-untouched",
            Self::Unknown => "keys-strange",
            Self::Client(_) => "keys-client",
            Self::Authenticator(_) => "keys-authenticator",
            Self::Signature => "keys-signature",
            Self::Counter => "keys-counter",
            Self::Full => "keys-full",
            Self::Unkept(_) => "keys-unkept",
        };
        match self {
            Self::Client(why) | Self::Authenticator(why) => {
                language.tell(key, &[("why", (*why).into())])
            }
            Self::Unkept(why) => language.tell(key, &[("why", why.as_str().into())]),
            _ => language.say(key).into_owned(),
        }
    }
}

/// What a browser says was touched, in hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Touch {
    /// Which passkey.
    #[serde(default)]
    pub credential: String,
    /// What the browser said to it (`clientDataJSON`).
    #[serde(default)]
    pub client: String,
    /// What it said (`authenticatorData`).
    #[serde(default)]
    pub authenticator: String,
    /// What it signed with.
    #[serde(default)]
    pub assertion: String,
}

/// All of them, and by what one may be registered.
#[derive(Debug)]
pub struct Passkeys {
    keyring: Keyring,
    codes: Once,
    /// Challenges of those that are being registered, each with the seat that registers.
    begun: Vec<(String, String, Instant)>,
}

impl Passkeys {
    /// Reads those that are kept below a directory of the user's state.
    pub fn read(state: &Path) -> io::Result<Self> {
        let keyring = Keyring::below(state);
        keyring.read()?;
        Ok(Self { keyring, codes: Once::new(CODES, LIFE), begun: Vec::new() })
    }

    /// Returns the file of those that are registered.
    pub const fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// Returns the name by which this machine's browsers know the page, which is this one if there is none.
    pub fn name(&self, drawn: &str) -> io::Result<String> {
        self.keyring.change(|kept| Ok(kept.name.get_or_insert_with(|| drawn.to_owned()).clone()))
    }

    /// Returns the ids of those that are registered for a host; none where they cannot be read, so that no yes is taken.
    pub fn known(&self, host: &str) -> Vec<String> {
        let all = self.keyring.read().unwrap_or_default().passkeys.into_iter();
        all.filter(|passkey| passkey.host == host).map(|passkey| passkey.id).collect()
    }

    /// Notes a code by which one may be registered.
    pub fn add_code(&mut self, code: String, now: Instant) {
        self.codes.give(code, (), now);
    }

    /// Exchanges a code for a challenge to what is being registered by a seat.
    pub fn begin(
        &mut self,
        code: &str,
        seat: &str,
        challenge: &str,
        now: Instant,
    ) -> Result<(), Refusal> {
        if self.codes.take(code, now).is_none() {
            return Err(Refusal::Code);
        }
        self.begun.retain(|(_, _, begun)| now.duration_since(*begun) < LIFE);
        self.begun.push((seat.to_owned(), challenge.to_owned(), now));
        Ok(())
    }

    /// Registers one: what the browser and the authenticator say of it, in answer to the challenge that this seat was given last.
    pub fn register(
        &mut self,
        seat: &str,
        touch: &Touch,
        place: Place<'_>,
        now: Instant,
    ) -> Result<(), Refusal> {
        self.begun.retain(|(_, _, begun)| now.duration_since(*begun) < LIFE);
        let at = self.begun.iter().rposition(|(of, ..)| of == seat).ok_or(Refusal::Code)?;
        let (_, challenge, _) = self.begun.remove(at);
        let challenge = bytes(&challenge).unwrap_or_default();
        read_client(&touch.client, "webauthn.create", &challenge, place.origin)?;
        let said = bytes(&touch.authenticator).unwrap_or_default();
        let (flags, count, rest) = read_authenticator(&said, place.host)?;
        if flags & HAS_CREDENTIAL == 0 {
            return Err(Refusal::Authenticator("it names no key"));
        }
        let (id, kind, key) =
            read_credential(rest).ok_or(Refusal::Authenticator("its key is none that is known"))?;
        let (id, host, made) = (hex(id), place.host.to_owned(), Some(now_in_seconds()));
        let passkey = Passkey { id, kind, key: hex(&key), host, count, made, used: None };
        self.keyring.change(|kept| {
            kept.passkeys.retain(|known| known.id != passkey.id);
            if kept.passkeys.len() >= MOST {
                return Err(Refusal::Full);
            }
            kept.passkeys.push(passkey);
            Ok(())
        })
    }

    /// Holds that one was touched for this very text.
    pub fn check(&self, touch: &Touch, text: &str, place: Place<'_>) -> Result<(), Refusal> {
        if self.known(place.host).is_empty() {
            return Err(Refusal::None);
        }
        if touch.credential.is_empty() {
            return Err(Refusal::Untouched);
        }
        self.keyring.change(|kept| {
            let mut all = kept.passkeys.iter_mut();
            let passkey = all.find(|one| one.id == touch.credential && one.host == place.host);
            let passkey = passkey.ok_or(Refusal::Unknown)?;
            is_touched(passkey, touch, text, place)
        })
    }
}

/// Holds that a passkey was touched for this very text, and notes that it was used.
fn is_touched(
    passkey: &mut Passkey,
    touch: &Touch,
    text: &str,
    place: Place<'_>,
) -> Result<(), Refusal> {
    let challenge = digest(&SHA256, text.as_bytes());
    let client = read_client(&touch.client, "webauthn.get", challenge.as_ref(), place.origin)?;
    let said = bytes(&touch.authenticator).unwrap_or_default();
    let (_, count, _) = read_authenticator(&said, place.host)?;
    let way: &dyn VerificationAlgorithm = match passkey.kind {
        Kind::Es256 => &ECDSA_P256_SHA256_ASN1,
        Kind::Ed25519 => &ED25519,
    };
    let signed = [said.as_slice(), digest(&SHA256, &client).as_ref()].concat();
    let key = bytes(&passkey.key).unwrap_or_default();
    let assertion = bytes(&touch.assertion).unwrap_or_default();
    UnparsedPublicKey::new(way, key).verify(&signed, &assertion).map_err(|_| Refusal::Signature)?;
    // WebAuthn 6.1.1: one that counts is always ahead of what was seen of it.
    if (count != 0 || passkey.count != 0) && count <= passkey.count {
        return Err(Refusal::Counter);
    }
    passkey.count = count;
    passkey.is_used();
    Ok(())
}

/// Where a passkey is used.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    /// The origin that browsers say.
    pub origin: &'p str,
    /// The host that passkeys are for.
    pub host: &'p str,
}

/// Holds that a browser said what it was asked to (WebAuthn 5.8.1), and returns the bytes of that.
fn read_client(
    hexadecimal: &str,
    kind: &str,
    challenge: &[u8],
    origin: &str,
) -> Result<Vec<u8>, Refusal> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Client {
        #[serde(rename = "type")]
        kind: String,
        challenge: String,
        origin: String,
        #[serde(default)]
        cross_origin: bool,
        top_origin: Option<String>,
    }
    let text = bytes(hexadecimal).ok_or(Refusal::Client("it is no hexadecimal"))?;
    let said: Client =
        serde_json::from_slice(&text).map_err(|_| Refusal::Client("it is not as it should be"))?;
    let why = if said.kind != kind {
        "it is about something else"
    } else if said.challenge != base64url(challenge) {
        "it is about another answer"
    } else if said.origin != origin || said.cross_origin || said.top_origin.is_some() {
        "it was touched on another page"
    } else {
        return Ok(text);
    };
    Err(Refusal::Client(why))
}

/// Holds that an authenticator speaks of this host, and that a person was there; returns its flags, its counter and what follows (WebAuthn 6.1).
fn read_authenticator<'s>(said: &'s [u8], host: &str) -> Result<(u8, u32, &'s [u8]), Refusal> {
    let (fixed, rest) =
        said.split_first_chunk::<FIXED>().ok_or(Refusal::Authenticator("it is too short"))?;
    if fixed[..32] != *digest(&SHA256, host.as_bytes()).as_ref() {
        return Err(Refusal::Authenticator("it is for another host"));
    }
    let flags = fixed[32];
    if flags & USER_PRESENT == 0 {
        return Err(Refusal::Authenticator("nobody touched it"));
    }
    let count = u32::from_be_bytes([fixed[33], fixed[34], fixed[35], fixed[36]]);
    Ok((flags, count, rest))
}

/// Reads id and public key of what was made (WebAuthn 6.5.1). Keys stand there as CTAP2 has all its CBOR: canonical, so that the two kinds that are
/// taken (RFC 9053) have one form each.
fn read_credential(rest: &[u8]) -> Option<(&[u8], Kind, Vec<u8>)> {
    // {1: 2, 3: -7, -1: 1, -2: 32 bytes, -3: 32 bytes}
    const ES256: &[u8] = &[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20];
    const Y: &[u8] = &[0x22, 0x58, 0x20];
    // {1: 1, 3: -8, -1: 6, -2: 32 bytes}
    const EDDSA: &[u8] = &[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 0x20];
    // What made it, which says itself what it is, and the length of the id.
    let (head, rest) = rest.split_first_chunk::<18>()?;
    let length = usize::from(u16::from_be_bytes([head[16], head[17]]));
    if !(1..=LONGEST_ID).contains(&length) {
        return None;
    }
    let (id, key) = rest.split_at_checked(length)?;
    if let Some(rest) = key.strip_prefix(ES256) {
        let (x, rest) = rest.split_first_chunk::<32>()?;
        let (y, _) = rest.strip_prefix(Y)?.split_first_chunk::<32>()?;
        return Some((id, Kind::Es256, [&[4], x.as_slice(), y].concat()));
    }
    let (key, _) = key.strip_prefix(EDDSA)?.split_first_chunk::<32>()?;
    Some((id, Kind::Ed25519, key.to_vec()))
}

/// Returns bytes in base64url without padding (RFC 4648).
fn base64url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..=chunk.len() {
            let six = (word >> (18 - 6 * at)) & 63;
            text.push(char::from(LETTERS[six as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;
    use ring::signature::{
        ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
    };

    use std::fs;
    use std::path::PathBuf;

    use super::*;

    const ORIGIN: &str = "http://a.localhost:1";
    const HERE: Place<'_> = Place { origin: ORIGIN, host: "a.localhost" };

    /// What signs.
    enum Key {
        Es256(EcdsaKeyPair),
        Ed25519(Ed25519KeyPair),
    }

    impl Key {
        fn es256() -> Self {
            let (way, random) = (&ECDSA_P256_SHA256_ASN1_SIGNING, SystemRandom::new());
            let made = EcdsaKeyPair::generate_pkcs8(way, &random).unwrap();
            Self::Es256(EcdsaKeyPair::from_pkcs8(way, made.as_ref(), &random).unwrap())
        }

        fn ed25519() -> Self {
            let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
            Self::Ed25519(Ed25519KeyPair::from_pkcs8(made.as_ref()).unwrap())
        }

        fn cose(&self) -> Vec<u8> {
            match self {
                Self::Es256(key) => {
                    let point = key.public_key().as_ref();
                    let head: &[u8] = &[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 0x20];
                    [head, &point[1..33], &[0x22, 0x58, 0x20], &point[33..]].concat()
                }
                Self::Ed25519(key) => {
                    let head: &[u8] = &[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 0x20];
                    [head, key.public_key().as_ref()].concat()
                }
            }
        }

        fn sign(&self, text: &[u8]) -> Vec<u8> {
            match self {
                Self::Es256(key) => key.sign(&SystemRandom::new(), text).unwrap().as_ref().to_vec(),
                Self::Ed25519(key) => key.sign(text).as_ref().to_vec(),
            }
        }
    }

    fn client(kind: &str, challenge: &[u8], origin: &str, more: &str) -> Vec<u8> {
        let challenge = base64url(challenge);
        format!(r#"{{"type":"{kind}","challenge":"{challenge}","origin":"{origin}"{more}}}"#).into()
    }

    fn said(host: &str, flags: u8, count: u32) -> Vec<u8> {
        [digest(&SHA256, host.as_bytes()).as_ref(), &[flags], &count.to_be_bytes()].concat()
    }

    fn made(key: &Key, id: &[u8]) -> Vec<u8> {
        let length = u16::try_from(id.len()).unwrap().to_be_bytes();
        let head = said("a.localhost", USER_PRESENT | HAS_CREDENTIAL, 0);
        [&head, &[0; 16][..], &length, id, &key.cose()].concat()
    }

    fn with(keys: &[(&Key, &[u8])]) -> (tempfile::TempDir, Passkeys) {
        let state = tempfile::tempdir().unwrap();
        let mut passkeys = Passkeys::read(state.path()).unwrap();
        let now = Instant::now();
        for (key, id) in keys {
            passkeys.add_code("code".to_owned(), now);
            passkeys.begin("code", "seat", "0102", now).unwrap();
            let touch = Touch {
                client: hex(&client("webauthn.create", &[1, 2], ORIGIN, "")),
                authenticator: hex(&made(key, id)),
                ..Touch::default()
            };
            passkeys.register("seat", &touch, HERE, now).unwrap();
        }
        (state, passkeys)
    }

    fn touch(key: &Key, id: &[u8], client: &[u8], said: &[u8]) -> Touch {
        let signed = [said, digest(&SHA256, client).as_ref()].concat();
        Touch {
            credential: hex(id),
            client: hex(client),
            authenticator: hex(said),
            assertion: hex(&key.sign(&signed)),
        }
    }

    #[test]
    fn a_passkey_is_registered_once_with_a_code_of_the_terminal() {
        let key = Key::es256();
        let (state, mut passkeys) = with(&[]);
        let now = Instant::now();
        assert_eq!(passkeys.begin("", "seat", "01", now), Err(Refusal::Code));
        passkeys.add_code("a".to_owned(), now);
        assert_eq!(passkeys.begin("a", "seat", "01", now + LIFE), Err(Refusal::Code));
        passkeys.add_code("b".to_owned(), now);
        passkeys.begin("b", "seat", "01", now).unwrap();
        assert_eq!(passkeys.begin("b", "seat", "01", now), Err(Refusal::Code));
        let good = Touch {
            client: hex(&client("webauthn.create", &[1], ORIGIN, "")),
            authenticator: hex(&made(&key, b"id")),
            ..Touch::default()
        };
        assert_eq!(passkeys.register("other", &good, HERE, now), Err(Refusal::Code));
        assert_eq!(passkeys.register("seat", &good, HERE, now + LIFE), Err(Refusal::Code));
        passkeys.add_code("c".to_owned(), now);
        passkeys.begin("c", "seat", "01", now).unwrap();
        passkeys.register("seat", &good, HERE, now).unwrap();
        // A challenge counts once, too.
        assert_eq!(passkeys.register("seat", &good, HERE, now), Err(Refusal::Code));
        let read = Passkeys::read(state.path()).unwrap();
        assert_eq!(read.known("a.localhost"), [hex(b"id")]);
        assert_eq!(read.known("b.localhost"), [""; 0]);
        let mode = |path: PathBuf| {
            std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions())
        };
        assert_eq!(mode(state.path().join("page/passkeys.json")) & 0o777, 0o600);
        assert_eq!(mode(state.path().join("page")) & 0o777, 0o700);
    }

    #[test]
    fn what_is_registered_is_read_strictly() {
        let key = Key::es256();
        let whole = made(&key, b"id");
        let credential = &whole[FIXED..];
        assert!(read_credential(credential).is_some());
        for cut in 0..credential.len() {
            assert_eq!(read_credential(&credential[..cut]), None, "{cut}");
        }
        // Another curve, another algorithm, a longer integer, an id without end.
        for (at, byte) in [(20, 0xa6), (22, 3), (24, 0x38), (26, 2), (16, 0xff)] {
            let mut other = credential.to_vec();
            other[at] = byte;
            assert_eq!(read_credential(&other), None, "{at}");
        }
        assert!(read_credential(&made(&Key::ed25519(), b"id")[FIXED..]).is_some());
    }

    #[test]
    fn a_touch_counts_for_one_answer_on_this_page() {
        for key in [Key::es256(), Key::ed25519()] {
            let other = Key::es256();
            let (_state, passkeys) = with(&[(&key, b"one"), (&other, b"two")]);
            let text = "guarded-sh answer\n...";
            let asked = digest(&SHA256, text.as_bytes());
            let right = client("webauthn.get", asked.as_ref(), ORIGIN, "");
            let here = said("a.localhost", USER_PRESENT, 0);
            let check = |touch: &Touch| passkeys.check(touch, text, HERE);
            assert_eq!(check(&Touch::default()), Err(Refusal::Untouched));
            let good = touch(&key, b"one", &right, &here);
            assert_eq!(check(&good), Ok(()));
            let unknown = Touch { credential: hex(b"three"), ..good.clone() };
            assert_eq!(check(&unknown), Err(Refusal::Unknown));
            let others = Touch { credential: hex(b"two"), ..good.clone() };
            assert_eq!(check(&others), Err(Refusal::Signature));
            let unsigned = Touch { assertion: String::new(), ..good };
            assert_eq!(check(&unsigned), Err(Refusal::Signature));
            for (client, why) in [
                (
                    client("webauthn.create", asked.as_ref(), ORIGIN, ""),
                    "it is about something else",
                ),
                (client("webauthn.get", b"other", ORIGIN, ""), "it is about another answer"),
                (
                    client("webauthn.get", asked.as_ref(), "http://b.localhost:1", ""),
                    "it was touched on another page",
                ),
                (
                    client("webauthn.get", asked.as_ref(), ORIGIN, ",\"crossOrigin\":true"),
                    "it was touched on another page",
                ),
                (
                    client("webauthn.get", asked.as_ref(), ORIGIN, ",\"topOrigin\":\"http://x\""),
                    "it was touched on another page",
                ),
                (b"{}".to_vec(), "it is not as it should be"),
            ] {
                let given = touch(&key, b"one", &client, &here);
                assert_eq!(check(&given), Err(Refusal::Client(why)));
            }
            for (said, why) in [
                (said("localhost", USER_PRESENT, 0), "it is for another host"),
                (said("a.localhost", 0, 0), "nobody touched it"),
                (said("a.localhost", !USER_PRESENT, 0), "nobody touched it"),
                (here[..36].to_vec(), "it is too short"),
            ] {
                let given = touch(&key, b"one", &right, &said);
                assert_eq!(check(&given), Err(Refusal::Authenticator(why)));
            }
        }
    }

    #[test]
    fn a_counter_does_not_go_back() {
        let key = Key::es256();
        let (state, passkeys) = with(&[(&key, b"one")]);
        let asked = digest(&SHA256, b"t");
        let right = client("webauthn.get", asked.as_ref(), ORIGIN, "");
        let at = |count| touch(&key, b"one", &right, &said("a.localhost", USER_PRESENT, count));
        assert_eq!(passkeys.check(&at(5), "t", HERE), Ok(()));
        for count in [5, 4, 0] {
            assert_eq!(passkeys.check(&at(count), "t", HERE), Err(Refusal::Counter), "{count}");
        }
        // Another start of the page knows it too.
        let read = Passkeys::read(state.path()).unwrap();
        assert_eq!(read.check(&at(5), "t", HERE), Err(Refusal::Counter));
        assert_eq!(read.check(&at(6), "t", HERE), Ok(()));
    }

    #[test]
    fn without_any_no_yes_is_taken() {
        let (_state, passkeys) = with(&[]);
        assert_eq!(passkeys.check(&Touch::default(), "t", HERE), Err(Refusal::None));
    }

    #[test]
    fn the_name_is_drawn_once() {
        let (state, passkeys) = with(&[]);
        assert_eq!(passkeys.name("abc").unwrap(), "abc");
        assert_eq!(Passkeys::read(state.path()).unwrap().name("def").unwrap(), "abc");
    }

    #[test]
    fn base64_is_as_the_standard_has_it() {
        for (bytes, text) in
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg")]
        {
            assert_eq!(base64url(bytes.as_bytes()), text);
        }
        assert_eq!(base64url(&[0xfb, 0xff]), "-_8");
    }
}
