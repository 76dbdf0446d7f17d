//! The rows of `rules/paths.toml` with indexes over them, as the build script wrote them.
//! Matches no pattern: it says which rows a path is to be compared to.

use super::slot::slot;
use crate::model::PathClass;

/// Start and length of a piece of a list.
type Slice = (u32, u32);

/// One pattern.
pub(super) struct Row {
    pub(super) class: PathClass,
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

/// Returns whether a directory, from the home or from any directory on, holds a place of secrets.
pub(super) fn holds_secrets(below: &str) -> bool {
    SECRET_DIRECTORIES.binary_search_by(|directory| text(*directory).cmp(below)).is_ok()
}

/// Returns the places that a pattern may stand for to do harm, each without `{a,b}`.
pub(super) fn guarded() -> impl Iterator<Item = (PathClass, &'static str)> {
    GUARDED.iter().map(|(class, place)| (*class, text(*place)))
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
