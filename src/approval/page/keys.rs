//! Bytes from a keyboard to keys. Sequences may come in pieces; what a terminal says by itself (replies, the mouse, the focus) is
//! swallowed, and what is pasted never looks like keys.

use std::time::{Duration, Instant};

/// How long an escape waits for what makes it a sequence.
const ESCAPE: Duration = Duration::from_millis(60);
/// How long a paste may pause before it counts as ended.
const PASTE: Duration = Duration::from_secs(1);
/// Bytes of a sequence that are looked at.
const LONGEST: usize = 64;
/// Bytes of a paste that are kept.
const MOST_PASTED: usize = 64 * 1024;

const PASTE_END: &[u8] = b"\x1b[201~";

/// A key, or what else a person does at a keyboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A character.
    Char(char),
    /// A letter with Control, in lower case.
    Control(char),
    /// Enter.
    Enter,
    /// A new line within text: Enter with Alt or Shift.
    NewLine,
    /// Escape.
    Escape,
    /// The key that deletes to the left.
    Backspace,
    /// The key that deletes under the cursor.
    Delete,
    /// An arrow.
    Left,
    /// An arrow.
    Right,
    /// An arrow.
    Up,
    /// An arrow.
    Down,
    /// To the beginning.
    Home,
    /// To the end.
    End,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// Tab.
    Tab,
    /// Tab with Shift.
    BackTab,
    /// What was pasted, as text.
    Paste(String),
    /// A key without a meaning here, and bytes that are no text.
    Other,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Ground,
    /// Bytes of a character.
    Text(Vec<u8>),
    Escape,
    /// Behind `ESC [`.
    Control(Vec<u8>),
    /// Behind `ESC O`.
    Single,
    /// A reply that ends by `ESC \` or BEL.
    Reply {
        escape: bool,
    },
    /// Bytes of an old mouse report that are still to come.
    Mouse(u8),
    Paste(Vec<u8>),
}

/// What came so far.
#[derive(Debug, Default)]
pub struct Keys {
    state: State,
    since: Option<Instant>,
}

impl Keys {
    /// Takes bytes; returns the keys that are complete with them.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) -> Vec<Key> {
        let mut keys: Vec<Key> = self.tick(now).into_iter().collect();
        for byte in bytes {
            self.byte(*byte, &mut keys);
        }
        if !bytes.is_empty() {
            self.since = Some(now);
        }
        keys
    }

    /// Returns when [`Keys::tick`] is to be called, if nothing comes before.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let wait = match self.state {
            State::Ground => return None,
            State::Paste(_) => PASTE,
            _ => ESCAPE,
        };
        self.since.map(|since| since + wait)
    }

    /// Gives up waiting for the rest of a sequence: an escape that stands alone is a key.
    pub fn tick(&mut self, now: Instant) -> Option<Key> {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return None;
        }
        match std::mem::take(&mut self.state) {
            State::Escape => Some(Key::Escape),
            State::Paste(bytes) => Some(pasted(&bytes)),
            State::Text(_) => Some(Key::Other),
            State::Ground | State::Control(_) | State::Single => None,
            State::Reply { .. } | State::Mouse(_) => None,
        }
    }

    fn byte(&mut self, byte: u8, keys: &mut Vec<Key>) {
        self.state = match std::mem::take(&mut self.state) {
            State::Ground => ground(byte, keys),
            State::Text(text) => more_text(text, byte, keys),
            State::Escape => escape(byte, keys),
            State::Control(sequence) => control(sequence, byte, keys),
            State::Single => {
                keys.extend(single(byte));
                State::Ground
            }
            State::Reply { escape: false } if byte == b'\x1b' => State::Reply { escape: true },
            State::Reply { escape: false } if byte != b'\x07' => State::Reply { escape: false },
            State::Reply { .. } => State::Ground,
            State::Mouse(left) if left > 1 => State::Mouse(left - 1),
            State::Mouse(_) => State::Ground,
            State::Paste(bytes) => paste(bytes, byte, keys),
        };
    }
}

fn ground(byte: u8, keys: &mut Vec<Key>) -> State {
    let key = match byte {
        b'\x1b' => return State::Escape,
        b'\r' => Key::Enter,
        b'\n' => Key::Control('j'),
        b'\t' => Key::Tab,
        0x08 | 0x7f => Key::Backspace,
        0x01..=0x1a => Key::Control(char::from(byte - 1 + b'a')),
        0x00..=0x1f => Key::Other,
        b' '..=b'~' => Key::Char(char::from(byte)),
        0xc2..=0xf4 => return State::Text(vec![byte]),
        _ => Key::Other,
    };
    keys.push(key);
    State::Ground
}

fn more_text(mut text: Vec<u8>, byte: u8, keys: &mut Vec<Key>) -> State {
    text.push(byte);
    match std::str::from_utf8(&text) {
        Ok(text) => keys.extend(text.chars().map(Key::Char)),
        Err(error) if error.error_len().is_none() => return State::Text(text),
        Err(_) => {
            keys.push(Key::Other);
            // The byte that ended it may begin something.
            if !(0x80..0xc0).contains(&byte) {
                return ground(byte, keys);
            }
        }
    }
    State::Ground
}

fn escape(byte: u8, keys: &mut Vec<Key>) -> State {
    match byte {
        b'[' => State::Control(Vec::new()),
        b'O' => State::Single,
        b']' | b'P' | b'_' | b'^' | b'X' => State::Reply { escape: false },
        // With Alt some terminals put one more escape before an arrow's; pressed twice it is still one key.
        b'\x1b' => State::Escape,
        b'\r' | b'\n' => {
            keys.push(Key::NewLine);
            State::Ground
        }
        _ => {
            keys.push(Key::Other);
            State::Ground
        }
    }
}

fn control(mut sequence: Vec<u8>, byte: u8, keys: &mut Vec<Key>) -> State {
    match byte {
        b'M' if sequence.is_empty() => return State::Mouse(3),
        b' '..=b'?' => {
            if sequence.len() < LONGEST {
                sequence.push(byte);
            }
            return State::Control(sequence);
        }
        b'~' if sequence == b"200" => return State::Paste(Vec::new()),
        b'@'..=b'~' => keys.extend(sequence_key(&sequence, byte)),
        b'\x1b' => return State::Escape,
        _ => {}
    }
    State::Ground
}

fn single(byte: u8) -> Option<Key> {
    Some(match byte {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'H' => Key::Home,
        b'F' => Key::End,
        b'M' => Key::Enter,
        _ => return Some(Key::Other),
    })
}

/// Modifiers, as `1 +` bits in the second parameter. Locks are none.
const SHIFT: u32 = 1;
const ALT: u32 = 2;
const CONTROL: u32 = 4;
const MODIFIERS: u32 = 0x3f;

fn sequence_key(sequence: &[u8], last: u8) -> Option<Key> {
    let text = std::str::from_utf8(sequence).ok()?;
    if text.starts_with(['<', '?', '>', '=']) || matches!(last, b'I' | b'O' | b'R' | b'c' | b't') {
        // The mouse, the focus, replies about the terminal.
        return None;
    }
    let mut parameters = text.split(';');
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u32>().ok());
    let first = number(parameters.next().and_then(|text| text.split(':').next()));
    let mut second = parameters.next().unwrap_or("").split(':');
    let bits = number(second.next()).map_or(0, |value| value.saturating_sub(1)) & MODIFIERS;
    // Of kitty's events a release is none.
    if number(second.next()) == Some(3) {
        return None;
    }
    Some(match (last, first) {
        (b'u', Some(code)) => coded(code, bits),
        (b'~', Some(27)) => number(parameters.next()).map_or(Key::Other, |code| coded(code, bits)),
        (b'Z', _) => Key::BackTab,
        _ if bits & (ALT | CONTROL) != 0 => Key::Other,
        (b'A', _) => Key::Up,
        (b'B', _) => Key::Down,
        (b'C', _) => Key::Right,
        (b'D', _) => Key::Left,
        (b'H', _) | (b'~', Some(1 | 7)) => Key::Home,
        (b'F', _) | (b'~', Some(4 | 8)) => Key::End,
        (b'~', Some(3)) => Key::Delete,
        (b'~', Some(5)) => Key::PageUp,
        (b'~', Some(6)) => Key::PageDown,
        _ => Key::Other,
    })
}

/// A key that comes as the number of its character.
fn coded(code: u32, bits: u32) -> Key {
    let Some(c) = char::from_u32(code) else { return Key::Other };
    match (c, bits) {
        ('\r', 0) => Key::Enter,
        ('\r', SHIFT | ALT) => Key::NewLine,
        ('\x1b', 0) => Key::Escape,
        ('\t', 0) => Key::Tab,
        ('\t', SHIFT) => Key::BackTab,
        ('\x08' | '\x7f', 0 | SHIFT) => Key::Backspace,
        (c @ 'a'..='z', CONTROL) => Key::Control(c),
        // Numbers for private use are keys without a character.
        ('\u{e000}'..='\u{f8ff}', _) => Key::Other,
        (c, 0) if !c.is_control() => Key::Char(c),
        (c, SHIFT) if !c.is_control() => c.to_uppercase().next().map_or(Key::Other, Key::Char),
        _ => Key::Other,
    }
}

fn paste(mut bytes: Vec<u8>, byte: u8, keys: &mut Vec<Key>) -> State {
    bytes.push(byte);
    if bytes.ends_with(PASTE_END) {
        bytes.truncate(bytes.len() - PASTE_END.len());
        keys.push(pasted(&bytes));
        return State::Ground;
    }
    if bytes.len() > MOST_PASTED + PASTE_END.len() {
        // The end is still recognised; what is between is too much for a line.
        let kept = bytes.len() - 1;
        let tail: Vec<u8> = bytes[kept - (PASTE_END.len() - 1)..].to_vec();
        bytes.truncate(MOST_PASTED - 1);
        bytes.extend(tail);
    }
    State::Paste(bytes)
}

fn pasted(bytes: &[u8]) -> Key {
    let bytes = &bytes[..bytes.len().min(MOST_PASTED)];
    Key::Paste(String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(parts: &[&[u8]]) -> Vec<Key> {
        let now = Instant::now();
        let mut keys = Keys::default();
        let mut all: Vec<Key> = parts.iter().flat_map(|part| keys.feed(part, now)).collect();
        all.extend(keys.tick(now + Duration::from_secs(9)));
        all
    }

    #[test]
    fn bytes_are_the_same_keys_however_they_are_cut() {
        use Key::{Char, Control, Down, Enter, Escape, Home, NewLine, Other, Paste, Up};
        for (bytes, expected) in [
            (&b"a\r\x1b[A\x1bOB\x1b[1~"[..], vec![Char('a'), Enter, Up, Down, Home]),
            ("\u{fc}\u{6f22}\u{1f642}".as_bytes(), vec![Char('\u{fc}'), Char('漢'), Char('🙂')]),
            (b"\xc3\xc3\xa9\xff\xe2\x82a", vec![Other, Char('é'), Other, Other, Char('a')]),
            (
                b"\x1b[97u\x1b[97;5u\x1b[13;3u\x1b[27u",
                vec![Char('a'), Control('a'), NewLine, Escape],
            ),
            (b"\x1b[97;1:3u\x1b[57441u\x1b[97;65u", vec![Other, Char('a')]),
            (b"\x1b[<35;1;1M\x1b[?62c\x1b[I\x1b[O\x1b[1;1R\x1b[M !!a", vec![Char('a')]),
            (b"\x1b]11;rgb:1/2/3\x07a\x1bP1$r\x1b\\b", vec![Char('a'), Char('b')]),
            (b"\x1b[200~o\r\x1b[A\x1b[201~\r", vec![Paste("o\n\x1b[A".to_owned()), Enter]),
            (b"\x1b[200~o", vec![Paste("o".to_owned())]),
            (b"\x1b[1;3A\x1bx\x1b\r", vec![Other, Other, NewLine]),
            (b"\x1b\x1b[A\x1b", vec![Up, Escape]),
            (b"\x1b[", vec![]),
            (b"", vec![]),
        ] {
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(keys(&[bytes]), expected, "{bytes:?}");
            assert_eq!(keys(&single), expected, "{bytes:?} one by one");
        }
    }

    #[test]
    fn nothing_grows_without_end() {
        let long = vec![b'1'; 300_000];
        assert_eq!(keys(&[b"\x1b[", &long, b"Ax"]), [Key::Up, Key::Char('x')]);
        let [Key::Paste(text), Key::Enter] = &keys(&[b"\x1b[200~", &long, b"\x1b[201~\r"])[..]
        else {
            panic!("no paste");
        };
        assert!(text.len() <= MOST_PASTED);
    }
}
