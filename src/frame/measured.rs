//! Long texts of agents, recognised to the byte without being kept: by how long they are and by what they hash to.

use hmac_sha256::Hash;

use super::template::{Cursor, HoleKinds, Holes};

/// A long text with holes in it, of which nothing but its opening is known by heart.
pub(super) struct Measured {
    /// The few words that it begins with: without them nothing is hashed.
    pub(super) opening: &'static str,
    /// How many bytes stand in front of each hole, behind the opening or the hole before it.
    pub(super) holes: &'static [(usize, &'static str)],
    /// How many bytes stand behind the last hole.
    pub(super) end: usize,
    /// What all these bytes hash to, one after the other, without the opening and what the holes hold.
    pub(super) sha256: [u8; 32],
}

impl Measured {
    /// Takes exactly this text; nothing if it does not stand here.
    pub(super) fn take(&self, cursor: &mut Cursor<'_>, kinds: HoleKinds, held: Holes) -> bool {
        let start = cursor.at;
        let fits = self.fits(cursor, kinds, held);
        if !fits {
            cursor.at = start;
        }
        fits
    }

    fn fits(&self, cursor: &mut Cursor<'_>, kinds: HoleKinds, mut held: Holes) -> bool {
        if !cursor.literal(self.opening) {
            return false;
        }
        let mut hasher = Hash::new();
        for (length, name) in self.holes {
            let Some(text) = cursor.bytes(*length) else { return false };
            hasher.update(text);
            if !cursor.hole(name, kinds, &mut held) {
                return false;
            }
        }
        let Some(text) = cursor.bytes(self.end) else { return false };
        hasher.update(text);
        hasher.finalize() == self.sha256
    }
}
