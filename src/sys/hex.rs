//! Bytes as text.

/// Returns two lowercase hexadecimal digits for each byte.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// Returns the bytes of which a text has two hexadecimal digits each, of whatever case; none where it is something else.
#[must_use]
pub fn bytes(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |[high, low]: &[u8; 2]| Some(digit(*high)? << 4 | digit(*low)?);
    rest.is_empty().then(|| pairs.iter().map(pair).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex(&[]), "");
        assert_eq!(hex(&[0, 0x0f, 0xa5, 0xff]), "000fa5ff");
        assert_eq!(bytes("000fA5ff"), Some(vec![0, 0x0f, 0xa5, 0xff]));
        assert_eq!(bytes(""), Some(Vec::new()));
        for text in ["0", "+f", "0g", "000", "\u{e9}", "0\u{e9}0"] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }
}
