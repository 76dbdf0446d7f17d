//! Messages as bytes: one frame each. Reads what comes in pieces, and believes no length that it is told beyond the limit.
//! Knows no socket.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{LARGEST, VERSION};

/// What every frame begins with.
const MARK: &[u8; 3] = b"gsh";

/// Bytes before the message: mark, version, length.
const HEADER: usize = 8;

/// Why what was received is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It does not begin as a frame does.
    #[error("what was received is not of guarded-sh")]
    NoFrame,
    /// The other end speaks another version.
    #[error(
        "the other end speaks version {theirs} of the protocol and this one version {VERSION}: both must be of the same guarded-sh"
    )]
    Version {
        /// Which one.
        theirs: u8,
    },
    /// It is longer than any message may be.
    #[error("a message of {length} bytes was announced, and {LARGEST} are the most")]
    TooLong {
        /// How long it says it is.
        length: u32,
    },
    /// It is not one of the messages that are known.
    #[error("a message is not understood: {0}")]
    Unknown(String),
}

/// Returns a message as a frame. None: it is longer than any may be.
#[must_use]
pub fn frame<T: Serialize>(message: &T) -> Option<Vec<u8>> {
    let body = serde_json::to_vec(message).ok()?;
    let length = u32::try_from(body.len()).ok().filter(|length| *length <= LARGEST)?;
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend_from_slice(MARK);
    bytes.push(VERSION);
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&body);
    Some(bytes)
}

/// Bytes that were received, of which whole messages are taken.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
}

impl Frames {
    /// Adds bytes as they came.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns whether a message has begun that is not whole.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes the next message; none until it is whole. After a fault nothing more can be taken.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Fault> {
        let Some(length) = self.length()? else { return Ok(None) };
        let Some(body) = self.bytes.get(HEADER..HEADER + length) else { return Ok(None) };
        let message =
            serde_json::from_slice(body).map_err(|error| Fault::Unknown(error.to_string()))?;
        self.bytes.drain(..HEADER + length);
        Ok(Some(message))
    }

    /// The length of the next message, once its header is there. What is wrong is said as soon as it can be seen.
    fn length(&self) -> Result<Option<usize>, Fault> {
        let mark = &self.bytes[..self.bytes.len().min(MARK.len())];
        if !MARK.starts_with(mark) {
            return Err(Fault::NoFrame);
        }
        if let Some(&theirs) = self.bytes.get(MARK.len()).filter(|version| **version != VERSION) {
            return Err(Fault::Version { theirs });
        }
        let length = self.bytes.get(MARK.len() + 1..HEADER);
        let Some(length) = length.and_then(|bytes| <[u8; 4]>::try_from(bytes).ok()) else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(length);
        if length > LARGEST {
            return Err(Fault::TooLong { length });
        }
        Ok(usize::try_from(length).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ipc::{FromHost, ToDesk, ToHost};

    fn nobody(why: &str) -> FromHost {
        FromHost::Nobody { why: why.to_owned() }
    }

    #[test]
    fn messages_come_out_as_they_went_in_however_they_are_cut() {
        let messages = [nobody(""), nobody("why"), nobody(&"ü\0\u{202e}\n".repeat(9000))];
        let bytes: Vec<u8> = messages.iter().flat_map(|m| frame(m).unwrap()).collect();
        for size in [1, 3, 8, 4096, bytes.len()] {
            let mut frames = Frames::default();
            let mut taken = Vec::new();
            for piece in bytes.chunks(size) {
                frames.add(piece);
                while let Some(message) = frames.take::<FromHost>().unwrap() {
                    taken.push(message);
                }
            }
            assert_eq!(taken, messages);
            assert!(frames.is_empty());
        }
    }

    #[test]
    fn what_is_no_message_is_a_fault_as_soon_as_it_can_be_seen() {
        let long = Fault::TooLong { length: u32::MAX };
        for (bytes, fault) in [
            (b"G" as &[u8], Fault::NoFrame),
            (b"GET / HTTP/1.1", Fault::NoFrame),
            (b"\0\0\0\0\0\0\0\0", Fault::NoFrame),
            (b"gsh\0", Fault::Version { theirs: 0 }),
            (b"gsh\x01anything", Fault::Version { theirs: 1 }),
            (b"gsh\x02\xff\xff\xff\xff", long),
            (b"gsh\x02\x01\x00\x08\x00", Fault::TooLong { length: LARGEST + 1 }),
        ] {
            let mut frames = Frames::default();
            frames.add(bytes);
            assert_eq!(frames.take::<ToHost>(), Err(fault), "{bytes:?}");
        }
        for body in
            ["", "{}", "{\"type\":\"ask\"}", "{\"type\":\"sudo\"}", "\"list\"", "[[[[", "\u{0}"]
        {
            let mut frames = Frames::default();
            let length = u32::try_from(body.len()).unwrap().to_le_bytes();
            frames.add(&[b"gsh\x02" as &[u8], &length, body.as_bytes()].concat());
            assert!(matches!(frames.take::<ToHost>(), Err(Fault::Unknown(_))), "{body}");
            assert!(matches!(frames.take::<ToDesk>(), Err(Fault::Unknown(_))), "{body}");
        }
        // As deep as a message can be said to be.
        let deep = "[".repeat(400_000);
        let mut frames = Frames::default();
        frames.add(&[b"gsh\x02" as &[u8], &400_000u32.to_le_bytes(), deep.as_bytes()].concat());
        assert!(matches!(frames.take::<ToHost>(), Err(Fault::Unknown(_))));
    }

    #[test]
    fn a_message_that_is_cut_is_waited_for() {
        let bytes = frame(&ToHost::List).unwrap();
        for end in 0..bytes.len() {
            let mut frames = Frames::default();
            frames.add(&bytes[..end]);
            assert_eq!(frames.take::<ToHost>(), Ok(None), "{end}");
            frames.add(&bytes[end..]);
            assert_eq!(frames.take::<ToHost>(), Ok(Some(ToHost::List)));
        }
    }

    #[test]
    fn what_is_too_long_is_not_framed() {
        assert!(frame(&nobody(&"x".repeat(LARGEST as usize))).is_none());
    }
}
