//! What base64 and hexadecimal say, where they say something.

use super::odds;
use crate::sys::hex;

/// Returns whether it is base64 of `user:password`, or of what mail servers take.
pub(super) fn names_user(word: &str) -> bool {
    if !word.len().is_multiple_of(4) || word.len() > 256 || word.contains(['-', '_']) {
        return false;
    }
    let Some(plain) = decoded(word) else { return false };
    let plain = plain.trim_start_matches('\0');
    let Some((user, password)) = plain.split_once([':', '\0']) else { return false };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '@' | '+');
    !user.is_empty()
        && user.chars().all(is_name)
        && password.len() >= 3
        && password.bytes().all(|byte| byte.is_ascii_graphic())
        && !password.starts_with("//")
}

/// Returns what base64 says, if it is text.
pub(super) fn decoded(word: &str) -> Option<String> {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    if !word.trim_end_matches('=').bytes().all(is_digit) {
        return None;
    }
    let mut plain = String::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in word.trim_end_matches('=').bytes() {
        bits = bits << 6 | u32::from(digit(byte));
        count += 6;
        if count >= 8 {
            count -= 8;
            let [byte, ..] = (bits >> count).to_le_bytes();
            if !(byte.is_ascii_graphic() || byte.is_ascii_whitespace() || byte == 0) {
                return None;
            }
            plain.push(char::from(byte));
        }
    }
    Some(plain)
}

const fn digit(byte: u8) -> u8 {
    match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        _ => 63,
    }
}

/// Returns whether it is text in base64 or in hexadecimal: what is said so may be run.
pub(super) fn is_text(word: &str) -> bool {
    let is_plain = |plain: String| {
        let zeros = plain.matches('\0').count();
        // UTF-16
        zeros == 0 || plain.len() - zeros <= zeros + 1 && !plain.contains("\0\0")
    };
    let is_byte = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    // A short one may be by chance; commands have blanks.
    decoded(word).is_some_and(|plain| (word.len() >= 12 || plain.contains(' ')) && is_plain(plain))
        || odds::is_hex(word) && hex::bytes(word).is_some_and(|bytes| bytes.iter().all(is_byte))
}
