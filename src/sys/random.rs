//! Numbers that nobody can guess, from the system.

use std::fs::File;
use std::io::{self, Read};

use super::hex::hex;

/// The file that they are read from.
pub const SOURCE: &str = "/dev/urandom";

/// Returns so many bytes.
pub fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open(SOURCE)?.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Returns so many bytes as hexadecimal digits, two for each.
pub fn digits<const N: usize>() -> io::Result<String> {
    Ok(hex(&bytes::<N>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_comes_twice() {
        let (one, other) = (digits::<16>().unwrap(), digits::<16>().unwrap());
        assert!(one.len() == 32 && one.chars().all(|c| c.is_ascii_hexdigit()), "{one}");
        assert_ne!(one, other);
    }
}
