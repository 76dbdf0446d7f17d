//! The beginning of a text, between characters.

/// Returns the first of a text, no more than so many bytes.
#[must_use]
pub fn head(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::head;

    #[test]
    fn no_character_is_cut() {
        for (text, most, expected) in [
            ("", 0, ""),
            ("", 9, ""),
            ("ab", 1, "a"),
            ("ab", 2, "ab"),
            ("a漢b", 3, "a"),
            ("a漢b", 4, "a漢"),
        ] {
            assert_eq!(head(text, most), expected, "{text} {most}");
        }
    }
}
