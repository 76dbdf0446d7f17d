//! What `env -S STRING` makes of its string: words of its own argv, in the place of the option (coreutils manual, 23.2.2).

use crate::model::Arg;

/// The argv of `env` with its `-S` replaced by words.
pub(super) enum Split {
    /// There is no `-S`.
    Absent,
    /// It reads the same as this argv.
    Words(Vec<Arg>),
    /// The string is not known, or needs variables.
    Unknown,
}

/// So many words are put together anew, as often as there is another `-S` among them.
const WORDS: usize = 4096;

/// Looks for `-S` among the options of an argv of `env`.
pub(super) fn split_string(argv: &[Arg]) -> Split {
    let mut at = 1;
    while let Some(word) = argv.get(at).and_then(Arg::known) {
        let next = argv.get(at + 1);
        let value = |inline: &str| match inline {
            "" => (next.cloned(), at + 2),
            text => (Some(Arg::Known(text.to_owned())), at + 1),
        };
        let found = if let Some(long) = word.strip_prefix("--") {
            let (name, inline) = long.split_once('=').unwrap_or((long, ""));
            match name {
                "" => return Split::Absent,
                _ if name.starts_with('s') && "split-string".starts_with(name) => {
                    Some(value(inline))
                }
                "unset" | "chdir" | "argv0" if !long.contains('=') => {
                    at += 2;
                    continue;
                }
                _ => None,
            }
        } else if let Some(letters) = word.strip_prefix('-') {
            let mut letters = letters.trim_start_matches(['i', '0', 'v']).chars();
            match (letters.next(), letters.as_str()) {
                (Some('S'), rest) => Some(value(rest)),
                // The value of any other is the next word.
                (Some(_), "") => {
                    at += 2;
                    continue;
                }
                _ => None,
            }
        } else {
            return Split::Absent;
        };
        if let Some((text, behind)) = found {
            if argv.len() > WORDS {
                return Split::Unknown;
            }
            let Some(words) = text.as_ref().and_then(Arg::known).and_then(words) else {
                return Split::Unknown;
            };
            let mut all = argv[..at].to_vec();
            // Flags that stand before the `S` in its word.
            let flags: String =
                word.chars().take_while(|letter| "-i0v".contains(*letter)).collect();
            if !word.starts_with("--") && flags.len() > 1 {
                all.push(Arg::Known(flags));
            }
            all.extend(words.into_iter().map(Arg::Known));
            all.extend(argv.get(behind..).unwrap_or_default().iter().cloned());
            return Split::Words(all);
        }
        at += 1;
    }
    Split::Absent
}

/// Splits a string; none if it has variables in it or is none that `env` takes.
fn words(text: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match (c, quote) {
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, Some(open)) if c == open => quote = None,
            ('$', None | Some('"')) => return None,
            ('\\', _) => match (rest.next()?, quote) {
                (c @ ('\\' | '\''), Some('\'')) => word.get_or_insert_default().push(c),
                (c, Some('\'')) => word.get_or_insert_default().extend(['\\', c]),
                ('_', None) => words.extend(word.take()),
                ('_', _) => word.get_or_insert_default().push(' '),
                ('c', None) => break,
                (c @ ('\\' | '\'' | '"' | '#' | '$'), _) => word.get_or_insert_default().push(c),
                ('t', _) => word.get_or_insert_default().push('\t'),
                ('n', _) => word.get_or_insert_default().push('\n'),
                ('r', _) => word.get_or_insert_default().push('\r'),
                ('f', _) => word.get_or_insert_default().push('\x0c'),
                ('v', _) => word.get_or_insert_default().push('\x0b'),
                _ => return None,
            },
            (' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c', None) => words.extend(word.take()),
            ('#', None) if word.is_none() => break,
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return None;
    }
    words.extend(word);
    Some(words)
}
