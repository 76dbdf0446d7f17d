//! The words of a program whose tree is not trusted: Perl. A program in which none of them stands, wherever it may stand,
//! can do no harm, however it is read.

use super::table::Table;

/// Ways to reach something under a name that is put together when it runs, and to run text.
const WAYS: &[&str] =
    &["`", "::", "->", "?{", "$^", "$$", "@$", "%$", "${", "@{", "%{", "$#$", "$#{", "<<>>"];

/// Whether a text has a word or a mark that may do harm.
pub(super) fn may_harm(text: &str, table: &Table) -> bool {
    let packed: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    WAYS.iter().any(|way| packed.contains(way))
        || calls(&packed.replace("&&", " "))
        || has_glob(text)
        || text.split(|c| !is_word(c)).any(|word| table.is_never(word))
        || has_double_evaluation(text)
}

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '$' | ':' | '{' | '\'')
}

/// `&name`, `&$code`.
fn calls(packed: &str) -> bool {
    packed.match_indices('&').any(|(at, _)| packed[at + 1..].starts_with(starts_name))
}

/// `*name` is all that has that name, and may be made another. A star behind `.`, `)`, `]` or `\d` repeats or multiplies.
fn has_glob(text: &str) -> bool {
    text.match_indices('*').any(|(at, _)| {
        let next = text[at + 1..].trim_start();
        let mut before = text[..at].chars().rev();
        let repeats = match before.next() {
            Some('.' | ')' | ']') => true,
            Some(letter) => letter.is_ascii_alphabetic() && before.next() == Some('\\'),
            None => false,
        };
        next.starts_with('{') || (next.starts_with(starts_name) && !repeats)
    })
}

/// `s/…/…/ee` runs the text that it makes. Its letters stand right behind a mark.
fn has_double_evaluation(text: &str) -> bool {
    text.char_indices().any(|(at, mark)| {
        let rest = &text[at + mark.len_utf8()..];
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let letters = &rest[..letters];
        !mark.is_ascii_alphanumeric()
            && letters.bytes().all(|letter| b"msixpodualngcer".contains(&letter))
            && letters.bytes().filter(|letter| *letter == b'e').count() > 1
    })
}
