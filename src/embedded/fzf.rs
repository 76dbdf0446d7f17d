//! What `fzf --bind` binds to keys and events: the commands in it, by the grammar of fzf's manual ("ACTION COMPOSITION").
//! Knows no keys: which of them runs a command makes no difference.

use super::Found;

include!(concat!(env!("OUT_DIR"), "/fzf.rs"));

/// Marks that an argument may stand between, and how each ends.
const MARKS: &str = "~!@#$%^&*;/|";

/// Reads what `--bind` takes; none if an action is not known, or what it runs is only known when fzf runs.
pub(super) fn read(text: &str) -> Option<Found> {
    let mut found = Found::default();
    let mut rest = text;
    loop {
        rest = keys(rest)?;
        // One key may do several things.
        loop {
            let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            if name.is_empty() {
                return None;
            }
            let (argument, after) = argument(after)?;
            if let Some(argument) = argument {
                match kind(name)? {
                    Kind::Command => found.commands.push(Some(argument.to_owned())),
                    Kind::Text => {}
                }
            }
            match after.chars().next() {
                None => return Some(found),
                Some('+') => rest = &after[1..],
                Some(',') => {
                    rest = &after[1..];
                    break;
                }
                Some(_) => return None,
            }
        }
    }
}

enum Kind {
    Command,
    Text,
}

/// What an action takes; none where it is not known. What `transform` prints are actions again.
fn kind(name: &str) -> Option<Kind> {
    let prints_text = name.strip_prefix("bg-").unwrap_or(name).strip_prefix("transform-").is_some();
    match name {
        _ if COMMANDS.contains(&name) || prints_text => Some(Kind::Command),
        _ if TEXTS.contains(&name) || name.starts_with("change-") => Some(Kind::Text),
        _ => None,
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_lowercase() || c == '-'
}

/// Passes over `KEY[,KEY]:`. A key may be a comma or a colon itself.
fn keys(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let first = rest.chars().next()?;
        let name = rest[first.len_utf8()..].find([',', ':'])?;
        let is_alone = |c: char| matches!(c, ',' | ':' | '+');
        let end = if is_alone(first) && name > 0 { return None } else { first.len_utf8() + name };
        let separator = rest[end..].chars().next()?;
        rest = &rest[end + 1..];
        if separator == ':' {
            return Some(rest);
        }
    }
}

/// Takes the argument of an action from the text behind its name, and what follows that.
fn argument(text: &str) -> Option<(Option<&str>, &str)> {
    let Some(open) = text.chars().next().filter(|c| !matches!(c, '+' | ',')) else {
        return Some((None, text));
    };
    let close = match open {
        // To the end of the whole text.
        ':' => return Some((Some(&text[1..]), "")),
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        mark if MARKS.contains(mark) => mark,
        _ => return None,
    };
    let inside = &text[1..];
    // The first that ends the action, not the one that matches.
    let (end, _) = inside.match_indices(close).find(|(at, _)| {
        let behind = inside[at + 1..].chars().next();
        behind.is_none_or(|c| matches!(c, '+' | ','))
    })?;
    Some((Some(&inside[..end]), &inside[end + 1..]))
}
