//! Who may look at the page, and who may answer: codes that are given once, the seats that they are exchanged for, and what a seat signs.
//! All of it is forgotten when the page ends. Knows no clock but what it is told.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use tokio::sync::watch;

use super::once::{NotRandom, Once, drawn};
use super::spoken::Spoken;

/// For how long a code is good.
pub const CODE_LIFE: Duration = Duration::from_secs(120);
/// For how long a seat is kept that nobody uses.
const SEAT_LIFE: Duration = Duration::from_secs(12 * 60 * 60);
/// For how long what is to be signed once may be signed.
const NONCE_LIFE: Duration = Duration::from_secs(60);
/// Codes that are good at once at most.
const CODES: usize = 8;
/// Seats at once at most; the one that was used longest ago is given up.
const SEATS: usize = 64;
/// Things to be signed once that a seat has open at most.
const NONCES: usize = 64;
/// Bytes of an uncompressed point of P-256: how WebCrypto exports a public key as `raw`.
const POINT: usize = 65;

/// Why something is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The code is not one that was given, was used, or is too old.
    #[error("this code was used, or is too old: get a new one where the page was started")]
    Code,
    /// The key is no key.
    #[error("what came is no public key (P-256, uncompressed)")]
    Key,
    /// The seat has no key.
    #[error("this browser can look, and not answer: it was not paired with a key")]
    NoKey,
    /// What was signed is not open, or was signed before.
    #[error("this was answered before, or too late: try again")]
    Nonce,
    /// The signature is not that of the seat's key.
    #[error("the answer is not signed with this browser's key")]
    Signature,
}

impl Refusal {
    /// Returns why a browser gets no seat, in the language of whoever reads it.
    pub fn told(self, language: Spoken) -> Cow<'static, str> {
        match self {
            Self::Code => language.say("enter-used"),
            Self::Key => language.say("enter-no-key"),
            Self::NoKey | Self::Nonce | Self::Signature => self.to_string().into(),
        }
    }
}

/// A browser that may look.
struct Seat {
    /// What it answers with.
    key: Option<Vec<u8>>,
    nonces: Once,
    used: Instant,
    /// Dropped with the seat: what is still told to it ends then.
    life: watch::Sender<()>,
}

/// All codes and seats.
pub struct Seats {
    codes: Once,
    taken: HashMap<String, Seat>,
}

impl Seats {
    /// Makes it without any.
    pub fn new() -> Self {
        Self { codes: Once::new(CODES, CODE_LIFE), taken: HashMap::new() }
    }

    /// Returns a new code.
    pub fn code(&mut self, now: Instant) -> Result<String, NotRandom> {
        let code = drawn()?;
        self.codes.give(code.clone(), (), now);
        Ok(code)
    }

    /// Exchanges a code for a seat, which answers with this key if it has one. Returns what the seat is known by.
    pub fn take(
        &mut self,
        code: &str,
        key: Option<Vec<u8>>,
        now: Instant,
    ) -> Result<String, Refusal> {
        // A key that is none would use the code up.
        if key.as_ref().is_some_and(|key| key.len() != POINT || key[0] != 4) {
            return Err(Refusal::Key);
        }
        if self.codes.take(code, now).is_none() {
            return Err(Refusal::Code);
        }
        let token = drawn().map_err(|_| Refusal::Code)?;
        self.taken.retain(|_, seat| now.duration_since(seat.used) < SEAT_LIFE);
        if self.taken.len() >= SEATS
            && let Some(oldest) = self.taken.iter().min_by_key(|(_, seat)| seat.used)
        {
            let oldest = oldest.0.clone();
            self.taken.remove(&oldest);
        }
        let life = watch::Sender::new(());
        let nonces = Once::new(NONCES, NONCE_LIFE);
        self.taken.insert(token.clone(), Seat { key, nonces, used: now, life });
        Ok(token)
    }

    /// Returns whether a seat is known by this, and notes that it is used.
    pub fn is_seat(&mut self, token: &str, now: Instant) -> bool {
        let seat = self.taken.get_mut(token);
        let seat = seat.filter(|seat| now.duration_since(seat.used) < SEAT_LIFE);
        seat.map(|seat| seat.used = now).is_some()
    }

    /// Returns whether a seat can answer.
    pub fn answers(&self, token: &str) -> bool {
        self.taken.get(token).is_some_and(|seat| seat.key.is_some())
    }

    /// Returns what ends with a seat.
    pub fn life(&self, token: &str) -> Option<watch::Receiver<()>> {
        self.taken.get(token).map(|seat| seat.life.subscribe())
    }

    /// Gives a seat up.
    pub fn leave(&mut self, token: &str) {
        self.taken.remove(token);
    }

    /// Returns what a seat is to sign with its next answer.
    pub fn nonce(&mut self, token: &str, now: Instant) -> Result<String, Refusal> {
        let nonce = drawn().map_err(|_| Refusal::Nonce)?;
        let seat = self.taken.get_mut(token).ok_or(Refusal::NoKey)?;
        if seat.key.is_none() {
            return Err(Refusal::NoKey);
        }
        seat.nonces.give(nonce.clone(), (), now);
        Ok(nonce)
    }

    /// Holds that a text with this nonce in it was signed by a seat. The nonce counts once, whatever comes of it.
    pub fn check(
        &mut self,
        token: &str,
        nonce: &str,
        text: &str,
        signature: &[u8],
        now: Instant,
    ) -> Result<(), Refusal> {
        let seat = self.taken.get_mut(token).ok_or(Refusal::NoKey)?;
        let key = seat.key.as_ref().ok_or(Refusal::NoKey)?;
        if seat.nonces.take(nonce, now).is_none() {
            return Err(Refusal::Nonce);
        }
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key)
            .verify(text.as_bytes(), signature)
            .map_err(|_| Refusal::Signature)
    }
}

#[cfg(test)]
mod tests {
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};

    use super::*;

    fn key() -> EcdsaKeyPair {
        let random = SystemRandom::new();
        let way = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(way, &random).unwrap();
        EcdsaKeyPair::from_pkcs8(way, document.as_ref(), &random).unwrap()
    }

    fn public(key: &EcdsaKeyPair) -> Vec<u8> {
        key.public_key().as_ref().to_vec()
    }

    #[test]
    fn a_code_is_good_once_and_not_for_long() {
        let mut seats = Seats::new();
        let now = Instant::now();
        let code = seats.code(now).unwrap();
        assert_eq!(seats.take(&code, Some(vec![4; 3]), now), Err(Refusal::Key));
        let seat = seats.take(&code, None, now).unwrap();
        assert!(seats.is_seat(&seat, now) && !seats.answers(&seat));
        assert_eq!(seats.take(&code, None, now), Err(Refusal::Code));
        let code = seats.code(now).unwrap();
        assert_eq!(seats.take(&code, None, now + CODE_LIFE), Err(Refusal::Code));
        for code in ["", "x", "\u{e9}", &"0".repeat(100_000)] {
            assert_eq!(seats.take(code, None, now), Err(Refusal::Code));
        }
        assert!(!seats.is_seat("", now) && !seats.is_seat(&seat, now + SEAT_LIFE));
    }

    #[test]
    fn there_are_no_more_than_so_many() {
        let mut seats = Seats::new();
        let now = Instant::now();
        let first = seats.code(now).unwrap();
        for _ in 0..CODES {
            seats.code(now).unwrap();
        }
        assert_eq!(seats.take(&first, None, now), Err(Refusal::Code));
        let mut taken = Vec::new();
        for at in 0..=SEATS {
            let now = now + Duration::from_millis(at as u64);
            let code = seats.code(now).unwrap();
            taken.push(seats.take(&code, None, now).unwrap());
        }
        assert!(!seats.is_seat(&taken[0], now) && seats.is_seat(&taken[1], now));
    }

    #[test]
    fn an_answer_is_signed_once_by_the_key_of_its_seat() {
        let mut seats = Seats::new();
        let (now, mine, others) = (Instant::now(), key(), key());
        let code = seats.code(now).unwrap();
        let seat = seats.take(&code, Some(public(&mine)), now).unwrap();
        let signed = |key: &EcdsaKeyPair, text: &str| {
            key.sign(&SystemRandom::new(), text.as_bytes()).unwrap().as_ref().to_vec()
        };
        let mut check = |nonce: &str, text: &str, signature: &[u8], now| {
            seats.check(&seat, nonce, text, signature, now)
        };
        assert_eq!(check("", "a", &signed(&mine, "a"), now), Err(Refusal::Nonce));
        let mut nonce = || seats.nonce(&seat, now).unwrap();
        let [first, second, third] = [nonce(), nonce(), nonce()];
        let mut check = |nonce: &str, text: &str, signature: &[u8], now| {
            seats.check(&seat, nonce, text, signature, now)
        };
        assert_eq!(check(&first, "a", &signed(&mine, "b"), now), Err(Refusal::Signature));
        // It is used up, whatever came of it.
        assert_eq!(check(&first, "a", &signed(&mine, "a"), now), Err(Refusal::Nonce));
        assert_eq!(check(&second, "a", &signed(&others, "a"), now), Err(Refusal::Signature));
        let late = now + NONCE_LIFE;
        assert_eq!(check(&third, "a", &signed(&mine, "a"), late), Err(Refusal::Nonce));
        let nonce = seats.nonce(&seat, now).unwrap();
        assert_eq!(seats.check(&seat, &nonce, "a", &signed(&mine, "a"), now), Ok(()));
        seats.leave(&seat);
        assert_eq!(seats.nonce(&seat, now), Err(Refusal::NoKey));
    }

    #[test]
    fn what_is_told_to_a_seat_ends_with_it() {
        let mut seats = Seats::new();
        let now = Instant::now();
        let code = seats.code(now).unwrap();
        let seat = seats.take(&code, None, now).unwrap();
        let life = seats.life(&seat).unwrap();
        assert!(life.has_changed().is_ok());
        seats.leave(&seat);
        assert!(life.has_changed().is_err());
    }
}
