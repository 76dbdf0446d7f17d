//! How much likelier a word was drawn at random than written by people.
//!
//! Which letters follow on which in words is known (`letters` in `rules/secrets.toml`). Words of people, of code and of names of files are
//! far on one side, drawn ones of sixteen characters far on the other.

use super::names::LETTERS;

/// How many bytes of each kind a word has.
#[derive(Default)]
pub(super) struct Kinds {
    pub(super) small: usize,
    pub(super) capital: usize,
    pub(super) digits: usize,
}

impl Kinds {
    pub(super) fn of(word: &str) -> Self {
        let mut kinds = Self::default();
        for byte in word.bytes() {
            kinds.small += usize::from(byte.is_ascii_lowercase());
            kinds.capital += usize::from(byte.is_ascii_uppercase());
            kinds.digits += usize::from(byte.is_ascii_digit());
        }
        kinds
    }

    pub(super) const fn letters(&self) -> usize {
        self.small + self.capital
    }

    pub(super) fn count(&self) -> usize {
        [self.small, self.capital, self.digits].iter().filter(|count| **count > 0).count()
    }
}

/// Returns how much likelier a word was drawn than written, in tenths of bits.
///
/// Where it was drawn, each character costs as many bits as its alphabet has. Where it was written, a letter costs what it costs behind the
/// one before it in words, and the change to another kind of characters costs more.
pub(super) fn of(word: &str) -> i32 {
    let kinds = Kinds::of(word);
    let drawn = match (kinds.small > 0, kinds.capital > 0, kinds.digits > 0) {
        _ if kinds.digits > 0 && kinds.letters() > 0 && is_hex_word(word) => 40,
        (true, true, true) => 60,
        (true, true, false) => 57,
        (true, _, true) | (_, true, true) => 52,
        (true, ..) | (_, true, _) => 47,
        (false, false, _) => 33,
    };
    let mut odds = 0;
    let (mut before, mut two_before) = (0_u8, 0_u8);
    for byte in word.bytes() {
        if !byte.is_ascii_alphanumeric() {
            (two_before, before) = (0, 0);
            continue;
        }
        let follows = || {
            let row = LETTERS[usize::from(before.to_ascii_lowercase() - b'a')].as_bytes();
            i32::from(row[usize::from(byte.to_ascii_lowercase() - b'a')] - b'0') * 10
        };
        let written = match (before, byte.is_ascii_digit()) {
            (0, _) => 50,
            (b'0'..=b'9', true) => 40,
            (_, true) => 60,
            (b'0'..=b'9', false) => 80,
            _ if before.is_ascii_lowercase() && byte.is_ascii_uppercase() => 70,
            // `HTTPServer`
            _ if two_before.is_ascii_uppercase()
                && before.is_ascii_uppercase()
                && byte.is_ascii_lowercase() =>
            {
                follows() + 10
            }
            _ => follows(),
        };
        odds += written - drawn;
        (two_before, before) = (before, byte);
    }
    odds
}

/// Returns whether a word is hexadecimal, in small letters or in capitals.
pub(super) fn is_hex(part: &str) -> bool {
    let has = |is: fn(&u8) -> bool| part.bytes().any(|byte| is(&byte));
    part.bytes().all(|byte| byte.is_ascii_hexdigit())
        && !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase))
}

fn is_hex_word(word: &str) -> bool {
    is_hex(word) || word.contains('-') && word.split('-').all(is_hex)
}
