//! What a pattern with wildcards may reach of the places of secrets, and which directories hold some.
//! Looks at no file: what might be there counts.

use super::is_below;
use super::table::{self, Secret};
use crate::model::Facts;

/// Returns whether a pattern with a wildcard may name a secret. A component that begins with a wildcard, or with one letter,
/// names everything in its directory: no sign of meaning one.
#[must_use]
pub fn may_reach_secret(pattern: &str, facts: &Facts) -> bool {
    let home = facts.home.as_deref().unwrap_or("/");
    let is_apart = |secret: &Secret| is_plainly_apart(pattern, secret.pattern(), home);
    // All files of one name, however deep.
    let searched = pattern
        .rsplit_once("/**/")
        .filter(|(_, name)| !name.contains('/') && !is_vague(name))
        .map(|(above, name)| (if above.is_empty() { "/" } else { above }, name));
    if let Some((above, name)) = searched {
        return table::SECRETS_BY_LAST.any(name, |secret| {
            let place = from_home(secret.place(), home);
            let directory = place.rsplit_once('/').map_or("", |(directory, _)| directory);
            let anywhere =
                directory == "**" || (directory.starts_with("**") && is_below(home, above));
            (anywhere || is_below(directory, above)) && !is_apart(secret)
        });
    }
    let ours: Vec<&str> = pattern.split('/').collect();
    ours.iter().any(|component| {
        table::SECRETS.any(component, |secret| {
            let place = from_home(secret.place(), home);
            let theirs: Vec<&str> = place.split('/').collect();
            !is_apart(secret) && components_meet(&ours, &theirs)
        })
    })
}

/// Returns whether a directory of the home holds a place for secrets of people or programs.
#[must_use]
pub fn holds_secrets(path: &str, facts: &Facts) -> bool {
    let Some(home) = facts.home.as_deref() else { return false };
    let directory = path.trim_end_matches("/**").trim_end_matches("/*");
    directory
        .strip_prefix(home)
        .is_some_and(|below| !below.is_empty() && table::holds_secrets(below))
}

/// Returns whether a pattern with a wildcard means what runs by itself in a repository: it searches a directory where that is kept,
/// or every directory for a file of its name.
#[must_use]
pub fn may_reach_hook(pattern: &str) -> bool {
    let ours: Vec<&str> = pattern.split('/').collect();
    let open = ours.iter().position(|component| component.contains(['*', '?', '[']));
    let (Some(open), Some(name)) = (open, ours.last()) else { return false };
    let (directory, rest) = ours.split_at(open);
    let is_deep = rest.contains(&"**");
    table::hooks().any(|place| {
        let theirs: Vec<&str> = place.split('/').collect();
        let Some((their_name, above)) = theirs.split_last() else { return false };
        let named = *their_name == "**" || texts_meet(name.as_bytes(), their_name.as_bytes());
        let is_searched = (1..=above.len()).any(|depth| {
            directory.ends_with(&above[..depth])
                && (is_deep || place.ends_with("**") || rest.len() == theirs.len() - depth)
        });
        let is_meant = is_deep && !is_vague(name) && *their_name != "**" && !is_vague(their_name);
        named && (is_searched || is_meant)
    })
}

fn from_home(place: &str, home: &str) -> String {
    place.strip_prefix('~').map_or_else(|| place.to_owned(), |rest| format!("{home}{rest}"))
}

/// Whether a look at the first and last components shows that the pattern means something else than the place.
pub(super) fn is_plainly_apart(pattern: &str, place: &str, home: &str) -> bool {
    let is_open = |component: &str| component.contains(['*', '?', '[', '{']);
    let last = |path: &str| path.rfind('/').map_or(0, |at| at + 1);
    let (ours, theirs) = (&pattern[last(pattern)..], &place[last(place)..]);
    if is_vague(ours) && !is_open(theirs) && ours != theirs {
        return true;
    }
    if is_vague(ours) && place.starts_with("**") && !matches!(theirs, "*" | "**") {
        return ours != theirs;
    }
    let (start, rest) = place.strip_prefix('~').map_or(("", place), |rest| (home, rest));
    let theirs = start.split('/').chain(rest.split('/').skip(usize::from(!start.is_empty())));
    for (one, other) in pattern.split('/').zip(theirs) {
        if is_open(one) || is_open(other) {
            return false;
        }
        if one != other {
            return true;
        }
    }
    false
}

/// Whether some path fits the pattern of these components and the place of those.
///
/// Follows, component by component of the pattern, how many of the place's may be behind it: no depth of a path is too much.
fn components_meet(ours: &[&str], theirs: &[&str]) -> bool {
    let skipping = |reached: &mut [bool]| {
        for (at, other) in theirs.iter().enumerate() {
            reached[at + 1] |= reached[at] && *other == "**";
        }
    };
    let mut reached = vec![false; theirs.len() + 1];
    let mut next = reached.clone();
    reached[0] = true;
    skipping(&mut reached);
    for one in ours {
        for (at, other) in theirs.iter().enumerate().filter(|(at, _)| reached[*at]) {
            if *other == "**" {
                next[at] = true;
            } else if one == other || *other == "*" || names_meet(one, other) {
                next[at + 1] = true;
            }
        }
        skipping(&mut next);
        std::mem::swap(&mut reached, &mut next);
        next.fill(false);
        if !reached.contains(&true) {
            return false;
        }
    }
    reached[theirs.len()]
}

/// Whether a component fits too much to mean anything in particular: less than two characters are sure.
pub(super) fn is_vague(component: &str) -> bool {
    component.bytes().take(2).any(|byte| b"*[".contains(&byte))
}

/// Whether some name fits both components, of which neither fits too much.
fn names_meet(one: &str, other: &str) -> bool {
    !is_vague(one) && !is_vague(other) && texts_meet(one.as_bytes(), other.as_bytes())
}

/// Whether some name fits both patterns of one component.
///
/// Follows, byte by byte of the first, how much of the second may be behind it.
pub(super) fn texts_meet(one: &[u8], other: &[u8]) -> bool {
    let is_open = |byte: u8| b"*?[".contains(&byte);
    if let (Some(a), Some(b)) = (one.first(), other.first())
        && !(a == b || is_open(*a) || is_open(*b))
    {
        return false;
    }
    let behind = |text: &[u8], at: usize| {
        text[at..].iter().position(|byte| *byte == b']').map_or(at + 1, |end| at + end + 1)
    };
    let mut reached = vec![false; other.len() + 1];
    let mut next = reached.clone();
    reached[0] = true;
    let last_end = one.iter().rposition(|byte| *byte == b']');
    // Where a bracket of the first ends, and what is reached there.
    let mut bracket: Option<(usize, Vec<bool>)> = None;
    for at in 0..=one.len() {
        if let Some((_, joined)) = bracket.take_if(|(end, _)| *end == at) {
            reached.iter_mut().zip(joined).for_each(|(here, there)| *here |= there);
        }
        if bracket.is_none() && !reached.contains(&true) {
            return false;
        }
        for to in 0..=other.len() {
            if !reached[to] {
                continue;
            }
            match (one.get(at), other.get(to)) {
                (Some(b'*'), theirs) => {
                    next[to] = true;
                    if theirs.is_some() {
                        reached[to + 1] = true;
                    }
                }
                (ours, Some(b'*')) => {
                    reached[to + 1] = true;
                    if ours.is_some() {
                        next[to] = true;
                    }
                }
                (Some(b'['), Some(_)) => {
                    // Brackets that begin before the same end, end there: it is looked for once.
                    let (_, joined) = bracket.get_or_insert_with(|| {
                        let is_closed = last_end.is_some_and(|end| end > at);
                        let end = if is_closed { behind(one, at) } else { at + 1 };
                        (end, vec![false; other.len() + 1])
                    });
                    joined[to + 1] = true;
                }
                (Some(_), Some(b'[')) => next[behind(other, to)] = true,
                (Some(a), Some(b)) if a == b || *a == b'?' || *b == b'?' => next[to + 1] = true,
                _ => {}
            }
        }
        if at == one.len() {
            return reached[other.len()];
        }
        std::mem::swap(&mut reached, &mut next);
        next.fill(false);
    }
    false
}
