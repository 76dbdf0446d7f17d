//! The slot of a text in the indexes over `rules/paths.toml`: the build script fills them by it, the program looks by it.
//! Looks at three bytes and the length only, so that a path of many components costs little.

/// Returns the slot of a text among `slots`, which is a power of two.
#[must_use]
pub fn slot(text: &[u8], slots: usize) -> usize {
    let [first, .., last] = text else {
        return text.first().map_or(0, |byte| usize::from(*byte)) & (slots - 1);
    };
    let middle = usize::from(text[text.len() / 2]);
    let mixed = usize::from(*first) * 37 + middle * 181 + usize::from(*last) * 7 + text.len() * 499;
    mixed & (slots - 1)
}
