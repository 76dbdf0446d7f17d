//! Where a control sequence ends, whatever stands in it. Knows nothing of what it means.

/// How much of a control sequence there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Begun {
    /// None, or something else.
    #[default]
    Nothing,
    /// An escape.
    Escape,
    /// An escape and a bracket.
    Control,
}

/// Whether a control sequence ends with the bytes that were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// With the last of them.
    Here,
    /// Not yet, or it is none.
    NotHere,
}

impl Begun {
    /// Looks at bytes up to where a control sequence ends, or the next escape; returns how many there are.
    pub fn follow(&mut self, bytes: &[u8]) -> (usize, Ends) {
        for (index, &byte) in bytes.iter().enumerate() {
            if byte == b'\x1b' && index > 0 {
                return (index, Ends::NotHere);
            }
            *self = match (*self, byte) {
                (_, b'\x1b') => Self::Escape,
                (_, b'\x18' | b'\x1a') => Self::Nothing,
                (Self::Escape, b'[') => Self::Control,
                // Control characters do what they do, and it goes on.
                (Self::Escape, ..b' ') => Self::Escape,
                (Self::Control, b'@'..=b'~') => {
                    *self = Self::Nothing;
                    return (index + 1, Ends::Here);
                }
                (Self::Control, _) => Self::Control,
                (Self::Nothing | Self::Escape, _) => Self::Nothing,
            };
        }
        (bytes.len(), Ends::NotHere)
    }
}
