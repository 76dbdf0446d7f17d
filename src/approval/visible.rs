//! Text as it is, for eyes: what a terminal would act on, and what nobody would see, is written out.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns text in which every character shows. Line breaks and tabs stay; what controls the terminal, turns the direction of
/// writing, takes no room or only looks like a space is written as `\r`, `\x1b` or `\u{202e}`.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if !is_hidden(character) {
            shown.push(character);
            continue;
        }
        // Writing to a string cannot fail.
        let _ = match character {
            '\r' => write!(shown, "\\r"),
            '\0'..='\x7f' => write!(shown, "\\x{:02x}", u32::from(character)),
            _ => write!(shown, "\\u{{{:x}}}", u32::from(character)),
        };
    }
    Cow::Owned(shown)
}

/// Returns the name of a file in which every character shows, on one row: also the end of a line, a tab, and a blank that stands beside another
/// one or at an end, where nobody would see how many there are.
#[must_use]
pub fn visible_name(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    let mut before = ' ';
    for (at, character) in name.char_indices() {
        let is_last = at + character.len_utf8() == name.len();
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            ' ' if before == ' ' || is_last => shown.push_str("\\x20"),
            _ => shown.push_str(&visible(character.encode_utf8(&mut [0; 4]))),
        }
        before = character;
    }
    shown
}

#[allow(clippy::match_same_arms, reason = "a table, each row with its reason")]
fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Fast for nearly all text.
        ' '..='~' => false,
        _ if character.is_control() => true,
        // Spaces that no shell splits at, and empty shapes.
        _ if character.is_whitespace() => true,
        '\u{2800}' => true,
        // Soft hyphen, joiners, direction marks, fillers, selectors: no width of their own.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => {
            true
        }
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => true,
        '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' => true,
        '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        '\u{13430}'..='\u{13440}' | '\u{16fe4}' => true,
        // For private use: a font may show anything.
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_written_out() {
        for (text, shown) in [
            ("ls -la\n\techo 'über' 漢字 🙂", "ls -la\n\techo 'über' 漢字 🙂"),
            ("\x1b[2Jrm", "\\x1b[2Jrm"),
            ("a\rb\x07\x08\x7f\0", "a\\rb\\x07\\x08\\x7f\\x00"),
            ("\u{9b}31m", "\\u{9b}31m"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn of_a_name_every_character_shows_on_one_row() {
        for (name, shown) in [
            ("~/my project", "~/my project"),
            ("/a\nallow\tall", "/a\\nallow\\tall"),
            ("/a  b ", "/a \\x20b\\x20"),
            ("/a\x1b[2J", "/a\\x1b[2J"),
        ] {
            assert_eq!(visible_name(name), shown);
        }
    }

    #[test]
    fn what_nobody_would_see_is_written_out() {
        for hidden in [
            '\u{202e}',
            '\u{2066}',
            '\u{200b}',
            '\u{200d}',
            '\u{feff}',
            '\u{ad}',
            '\u{3164}',
            '\u{a0}',
            '\u{2003}',
            '\u{2028}',
            '\u{fe0f}',
            '\u{e0041}',
            '\u{115f}',
            '\u{2800}',
            '\u{e000}',
            '\u{85}',
        ] {
            let text = format!("rm{hidden}x");
            assert_eq!(visible(&text), format!("rm\\u{{{:x}}}x", u32::from(hidden)));
        }
    }
}
