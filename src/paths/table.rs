//! The rows of `rules/paths.toml` with indexes over them, as the build script wrote them.
//! Matches no pattern: it says which rows a path is to be compared to.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::LazyLock;

use super::slot::slot;
use crate::model::PathClass;

/// Start and length of a piece of a list.
type Slice = (u32, u32);

/// When a row counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counts {
    /// Whatever is done.
    Always,
    /// Where something is read, beside the one that counts always.
    ForReading,
    /// Where something is read that only its owner may read, as a look at the file tells.
    WherePrivate,
    /// Where something is read that holds a token, as a look at the file tells.
    WhereToken,
}

/// One pattern.
pub(super) struct Row {
    pub(super) class: PathClass,
    pub(super) counts: Counts,
    pub(super) pattern: Slice,
    /// A text that every path holds that fits the pattern.
    pub(super) needle: Slice,
    except: Slice,
}

/// What a component of a path may be, and the rows that only paths with such a component can fit.
struct Key {
    text: Slice,
    rows: Slice,
}

/// Keys in the order of their slots, and where the keys of each slot begin.
struct Index {
    starts: &'static [u16],
    keys: &'static [Key],
}

include!(concat!(env!("OUT_DIR"), "/places.rs"));

fn piece<T>(list: &[T], (start, length): Slice) -> &[T] {
    let start = start as usize;
    list.get(start..start + length as usize).unwrap_or_default()
}

/// Returns a piece of the table's text.
pub(super) fn text(place: Slice) -> &'static str {
    let (start, length) = (place.0 as usize, place.1 as usize);
    TEXT.get(start..start + length).unwrap_or_default()
}

/// Returns all rows, in order.
#[cfg(test)]
pub(super) const fn rows() -> &'static [Row] {
    ROWS
}

/// Returns the patterns that are no place of the row, whatever its own.
pub(super) fn exceptions(row: &Row) -> impl Iterator<Item = &'static str> {
    piece(EXCEPTIONS, row.except).iter().map(|except| text(*except))
}

/// Returns the first row of all that `fits`, which only holds for rows whose pattern the path fits.
pub(super) fn first(path: &str, fits: impl Fn(&Row) -> bool) -> Option<&'static Row> {
    let mut found = ROWS.len();
    let mut look = |list: Slice| {
        for row in piece(LISTS, list).iter().map(|row| usize::from(*row)) {
            if row >= found {
                return;
            }
            if fits(&ROWS[row]) {
                found = row;
            }
        }
    };
    look(ANYWHERE);
    for component in path.split('/') {
        let component = component.as_bytes();
        look(NAMES.rows(component));
        if let Some(head) = component.get(..HEAD) {
            look(HEADS.rows(head));
        }
        if let Some(dot) = component.iter().rposition(|byte| *byte == b'.') {
            look(EXTENSIONS.rows(&component[dot + 1..]));
        }
    }
    ROWS.get(found)
}

/// Returns whether a directory, from the root on, holds a place of secrets.
pub(super) fn system_holds_secrets(directory: &str) -> bool {
    SYSTEM_SECRET_DIRECTORIES.binary_search_by(|known| text(*known).cmp(directory)).is_ok()
}

/// Returns whether a directory, from the home or from any directory on, holds a place of secrets.
pub(super) fn holds_secrets(below: &str) -> bool {
    SECRET_DIRECTORIES.binary_search_by(|directory| text(*directory).cmp(below)).is_ok()
}

/// Returns the directories of the home that hold a place of secrets, from the home on.
pub(super) fn secret_directories() -> impl Iterator<Item = &'static str> {
    SECRET_DIRECTORIES.iter().map(|directory| text(*directory))
}

/// A place that a pattern may stand for to do harm, without `{a,b}`.
pub(super) struct Guarded {
    pub(super) class: PathClass,
    /// It stands below the home.
    pub(super) in_home: bool,
    /// Its components, without those of the home.
    pub(super) parts: Vec<&'static str>,
    /// The component that says most, of those that do not begin with a wildcard.
    pub(super) anchor: Option<&'static str>,
}

impl Guarded {
    /// Returns its components that say something.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.parts.iter().copied().filter(|part| !matches!(*part, "*" | "**"))
    }
}

/// The guarded places, and which of them a component can name that begins or ends with some characters.
struct Places {
    all: Vec<Guarded>,
    by_anchor: Lists<[u8; 2]>,
    by_name: Lists<[u8; 2]>,
    by_head: Lists<[u8; 2]>,
    by_tail: Lists<u8>,
}

/// Places by what a component of theirs begins or ends with.
struct Lists<K> {
    known: HashMap<K, Vec<u16>>,
    /// Those where that is a wildcard.
    open: Vec<u16>,
}

static PLACES: LazyLock<Places> = LazyLock::new(|| {
    let all: Vec<Guarded> =
        GUARDED.iter().map(|(class, place)| read(*class, text(*place))).collect();
    let last = || all.iter().map(|place| place.parts.last().copied());
    let by_anchor = Lists::new(all.iter().map(|place| [head(place.anchor)]));
    let names = |place: &Guarded| place.names().map(|name| head(Some(name))).collect::<Vec<_>>();
    let by_name = Lists::new(all.iter().map(names));
    let by_head = Lists::new(last().map(|last| [head(last)]));
    let by_tail = Lists::new(last().map(|last| [tail(last)]));
    Places { all, by_anchor, by_name, by_head, by_tail }
});

/// The two characters that a component begins with, 0 as the second of one that has one only; none if one is a wildcard.
fn head(component: Option<&str>) -> Option<[u8; 2]> {
    match component?.as_bytes() {
        [] | [b'*' | b'?', ..] | [_, b'*' | b'?', ..] => None,
        [one] => Some([*one, 0]),
        [one, two, ..] => Some([*one, *two]),
    }
}

/// The character that a component ends with; none if that is a wildcard.
fn tail(component: Option<&str>) -> Option<u8> {
    component?.bytes().next_back().filter(|byte| !b"*?".contains(byte))
}

fn read(class: PathClass, place: &'static str) -> Guarded {
    let below = place.strip_prefix('~');
    let parts = below.unwrap_or(place).split('/').filter(|part| !part.is_empty());
    let parts: Vec<&'static str> = parts.collect();
    let said = parts.iter().filter(|part| !part.starts_with(['*', '?']));
    let anchor = said.max_by_key(|part| part.len()).copied();
    Guarded { class, in_home: below.is_some(), parts, anchor }
}

impl<K: Copy + Eq + Hash> Lists<K> {
    /// Files each place under all of its keys.
    fn new(keys: impl Iterator<Item = impl IntoIterator<Item = Option<K>>>) -> Self {
        let mut lists = Self { known: HashMap::new(), open: Vec::new() };
        for (place, keys) in (0..).zip(keys) {
            for key in keys {
                let list = match key {
                    Some(key) => lists.known.entry(key).or_default(),
                    None => &mut lists.open,
                };
                list.push(place);
            }
        }
        lists
    }

    /// The places that may have one of these keys, in order.
    fn under(&self, keys: &[K]) -> Vec<u16> {
        let known = keys.iter().filter_map(|key| self.known.get(key)).flatten();
        let mut places: Vec<u16> = self.open.iter().chain(known).copied().collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// Returns the last names of the places of secrets below a directory of the home, of which these are the names.
pub(super) fn secrets_below<'a>(directory: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let places =
        PLACES.all.iter().filter(|place| place.in_home && place.class == PathClass::Secret);
    let below = places.filter_map(move |place| place.parts.strip_prefix(directory));
    below.filter_map(|rest| rest.last().copied())
}

/// Returns the guarded places that a pattern can stand for, by the characters that its components begin with: all of them, where each
/// begins with two and stands for one name; the last; or the one that the last ends with.
pub(super) fn guarded(
    all: Option<&[[u8; 2]]>,
    last: Option<[u8; 2]>,
    end: Option<u8>,
) -> Vec<&'static Guarded> {
    let places = match (all, last, end) {
        (Some(heads), _, _) => PLACES.by_anchor.under(heads),
        (None, Some(head), _) => PLACES.by_head.under(&[head]),
        (None, None, Some(tail)) => PLACES.by_tail.under(&[tail]),
        (None, None, None) => return PLACES.all.iter().collect(),
    };
    at(places)
}

/// Returns the guarded places of which a name may begin with one of these pairs of characters.
pub(super) fn with_a_name(heads: &[[u8; 2]]) -> Vec<&'static Guarded> {
    at(PLACES.by_name.under(heads))
}

fn at(places: Vec<u16>) -> Vec<&'static Guarded> {
    places.into_iter().map(|place| &PLACES.all[usize::from(place)]).collect()
}

impl Index {
    /// Returns the rows of the key that is this text.
    fn rows(&self, component: &[u8]) -> Slice {
        let slot = slot(component, self.starts.len() - 1);
        let keys = usize::from(self.starts[slot])..usize::from(self.starts[slot + 1]);
        let found = self.keys[keys].iter().find(|key| text(key.text).as_bytes() == component);
        found.map_or((0, 0), |key| key.rows)
    }
}
