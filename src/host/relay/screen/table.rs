//! Texts that cells refer to by a number: characters of several code points, and hyperlinks. Bounded, whatever is written.

use std::collections::{HashMap, HashSet};

/// Texts by number; 0 is none.
#[derive(Debug, Default)]
pub struct Table {
    texts: Vec<Box<[u8]>>,
    numbers: HashMap<Box<[u8]>, u16>,
    /// How many more new texts are turned away before it is looked again which are still used.
    deaf: usize,
}

impl Table {
    /// How many texts are kept.
    pub const MOST: usize = 4096;

    /// Returns the text of a number.
    pub fn text(&self, number: u16) -> Option<&[u8]> {
        self.texts.get(usize::from(number.checked_sub(1)?)).map(AsRef::as_ref)
    }

    /// Returns the number of a text; none if there is no room for it.
    pub fn number(&mut self, text: &[u8]) -> Option<u16> {
        if let Some(number) = self.numbers.get(text) {
            return Some(*number);
        }
        if self.texts.len() == Self::MOST {
            self.deaf = self.deaf.saturating_sub(1);
            return None;
        }
        self.texts.push(text.into());
        let number = u16::try_from(self.texts.len()).ok()?;
        self.numbers.insert(text.into(), number);
        Some(number)
    }

    /// Returns whether nothing was ever kept.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Returns whether it is time to look which texts are still used, to make room for new ones. Where all were, it is not for a
    /// while: looking takes as long as the screen is large.
    pub fn wants_room(&self) -> bool {
        self.texts.len() == Self::MOST && self.deaf == 0
    }

    /// Returns how many bytes the texts have.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.texts.iter().map(|text| text.len()).sum()
    }

    /// Forgets all but these; returns their new numbers.
    pub fn keep(&mut self, used: &HashSet<u16>) -> HashMap<u16, u16> {
        let old = std::mem::take(self);
        let kept = used.iter().filter_map(|&number| {
            let new = self.number(old.text(number)?)?;
            Some((number, new))
        });
        let kept = kept.collect();
        // With little room it would soon be looked again.
        self.deaf = if self.texts.len() > Self::MOST / 2 { Self::MOST } else { 0 };
        kept
    }
}
