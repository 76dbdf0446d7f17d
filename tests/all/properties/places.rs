//! Guarded places that rows of `tests/verdicts` name, written in other ways that name them too: as patterns, over `.` and `..`, in
//! variables, quotes and loops, from their own directory, behind links. None of them makes a line harmless.

use std::sync::LazyLock;

use guarded_sh::model::{EffectKind, PathClass, Severity};
use guarded_sh::paths;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{JUDGE, config, known, severity};
use crate::verdicts;

/// A line that is not harmless because of the place that a word of it names.
#[derive(Clone, Debug)]
struct Named {
    before: String,
    place: String,
    behind: String,
}

impl Named {
    fn with(&self, place: &str) -> String {
        format!("{}{place}{}", self.before, self.behind)
    }
}

static NAMED: LazyLock<Vec<Named>> = LazyLock::new(|| {
    let lines = verdicts::lines();
    let lines = lines
        .iter()
        .filter(|line| line.chars().all(|c| c.is_ascii_alphanumeric() || "-_./~ <>".contains(c)));
    let mut named: Vec<Named> = lines.flat_map(|line| places(line)).collect();
    named.sort_by_key(|named| named.with(&named.place));
    // Where any word may stand, known or not, the place is none that is read or written.
    named.retain(|named| {
        let is_low = |place: &str| severity(&named.with(place)) == Severity::Low;
        !is_low(&named.place) && !is_low("$1") && is_low("plain")
    });
    named
});

/// The words of a line that name a guarded place.
fn places(line: &str) -> Vec<Named> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in line.split(' ') {
        let start = at;
        at += word.len() + 1;
        let facts = &JUDGE.facts;
        let (home, cwd) =
            (facts.home.as_deref().unwrap_or("/"), facts.cwd.as_deref().unwrap_or("/"));
        let path = match word.strip_prefix("~/") {
            Some(below) => paths::absolute(home, below),
            None => paths::absolute(cwd, word),
        };
        let is_guarded = matches!(
            paths::class_for(EffectKind::Write, &path, facts),
            PathClass::Secret | PathClass::Hooks | PathClass::Startup | PathClass::Guard
        );
        if is_guarded && !word.starts_with('-') && !word.contains("..") && !word.ends_with('/') {
            found.push(Named {
                before: line[..start].to_owned(),
                place: word.to_owned(),
                behind: line[start + word.len()..].to_owned(),
            });
        }
    }
    found
}

/// Another way to write a place.
#[derive(Clone, Copy, Debug)]
enum Rewrite {
    AnyLetter,
    OneOfOne,
    OneOfRange,
    Star,
    Braces,
    Here,
    UpAndDown,
    Slashes,
    Single,
    Double,
    Backslash,
    Hexadecimal,
}

/// Another way to bring the place into the line.
#[derive(Clone, Copy, Debug)]
enum Carrier {
    Plain,
    Variable,
    Piece,
    Loop,
    Directory,
    Link,
    LinkedDirectory,
    Moved,
}

/// The places of letters that may be written otherwise: not the dot at the beginning of a name, nor what is a pattern already.
fn letters(place: &str) -> Vec<usize> {
    let is_written = place.chars().all(|c| c.is_ascii_alphanumeric() || "-_./~".contains(c));
    let places = place.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric());
    if is_written { places.map(|(at, _)| at).collect() } else { Vec::new() }
}

fn rewritten(place: &str, rewrite: Rewrite, at: Index, is_one_word: bool) -> String {
    let letters = letters(place);
    if letters.is_empty() {
        return place.to_owned();
    }
    let at = *at.get(&letters);
    let (before, behind, letter) = (&place[..at], &place[at + 1..], &place[at..=at]);
    let name = before.rfind('/').map_or(0, |slash| slash + 1);
    match rewrite {
        Rewrite::AnyLetter => format!("{before}?{behind}"),
        Rewrite::OneOfOne => format!("{before}[{letter}]{behind}"),
        Rewrite::OneOfRange => format!("{before}[a-z0-9A-Z]{behind}"),
        // Behind enough of the name to mean it.
        Rewrite::Star if at >= name + 2 => format!("{before}*{behind}"),
        Rewrite::Star => place.to_owned(),
        // A redirection to two files is to none.
        Rewrite::Braces if is_one_word => place.to_owned(),
        // The place stays the last of the words: a copy's target is the last.
        Rewrite::Braces => format!("{before}{{zz,{letter}}}{behind}"),
        Rewrite::Here if place.starts_with(['~', '/']) => place.to_owned(),
        Rewrite::Here => format!("./{place}"),
        Rewrite::UpAndDown if name == 0 && place.starts_with('~') => place.to_owned(),
        Rewrite::UpAndDown => format!("{}sub/../{}", &place[..name], &place[name..]),
        Rewrite::Slashes => place.replace('/', "//"),
        Rewrite::Single => format!("{before}'{letter}'{behind}"),
        Rewrite::Double => format!("{before}\"{letter}\"{behind}"),
        Rewrite::Backslash => format!("{before}\\{letter}{behind}"),
        Rewrite::Hexadecimal => format!("{before}$'\\x{:02x}'{behind}", letter.as_bytes()[0]),
    }
}

fn carried(named: &Named, place: &str, carrier: Carrier, at: Index) -> String {
    // Elsewhere, braces stand for themselves or for more words than there may be.
    let carrier = match carrier {
        Carrier::Loop => Carrier::Loop,
        _ if place.contains('{') => Carrier::Plain,
        carrier => carrier,
    };
    let parts = place
        .rsplit_once('/')
        .filter(|(directory, name)| !directory.is_empty() && !name.is_empty());
    match (carrier, parts) {
        (Carrier::Variable, _) => format!("v={place}; {}", named.with("$v")),
        (Carrier::Piece, _) => {
            let letters = letters(place);
            if letters.is_empty() {
                return named.with(place);
            }
            let at = *at.get(&letters);
            let whole = format!("{}${{v}}{}", &place[..at], &place[at + 1..]);
            format!("v={}; {}", &place[at..=at], named.with(&whole))
        }
        (Carrier::Loop, _) => format!("for f in {place}; do {}; done", named.with("$f")),
        (Carrier::Directory, Some((directory, name))) => {
            format!("cd {directory} && {}", named.with(name))
        }
        (Carrier::Link, _) => format!("ln -s {place} other; {}", named.with("other")),
        (Carrier::LinkedDirectory, Some((directory, name))) => {
            format!("ln -s {directory} other; {}", named.with(&format!("other/{name}")))
        }
        (Carrier::Moved, _) => format!("mv {place} other; {}", named.with("other")),
        (Carrier::Plain | Carrier::Directory | Carrier::LinkedDirectory, _) => named.with(place),
    }
}

fn otherwise() -> impl Strategy<Value = (String, String)> {
    use Rewrite as R;
    let rewrites = vec![
        R::AnyLetter,
        R::OneOfOne,
        R::OneOfRange,
        R::Star,
        R::Braces,
        R::Here,
        R::UpAndDown,
        R::Slashes,
        R::Single,
        R::Double,
        R::Backslash,
        R::Hexadecimal,
    ];
    use Carrier as C;
    let carriers = vec![
        C::Plain,
        C::Plain,
        C::Variable,
        C::Piece,
        C::Loop,
        C::Directory,
        C::Link,
        C::LinkedDirectory,
        C::Moved,
    ];
    let edits = prop::collection::vec((select(rewrites), any::<Index>()), 1..3);
    (select(NAMED.clone()), edits, select(carriers), any::<Index>()).prop_map(
        |(named, edits, carrier, at)| {
            // What braces make several of is one word only where several words mean the same.
            let last = named.before.split_whitespace().next_back().unwrap_or_default();
            let is_one_word = last.ends_with(['<', '>']) || last.starts_with('-');
            let place = edits.into_iter().fold(named.place.clone(), |place, (rewrite, at)| {
                rewritten(&place, rewrite, at, is_one_word)
            });
            (carried(&named, &place, carrier, at), named.with(&named.place))
        },
    )
}

#[test]
fn many_rows_name_a_guarded_place() {
    assert!(NAMED.len() > 50, "{}", NAMED.len());
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn no_other_way_to_write_a_guarded_place_makes_a_line_harmless((other, line) in otherwise()) {
        let wrong = severity(&other) == Severity::Low && known(&line) > Severity::Low;
        prop_assert!(!wrong, "{} for {}", other, line);
    }
}
