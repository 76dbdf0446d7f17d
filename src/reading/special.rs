//! Attributes by which a variable does not hold what is assigned to it. Knows no values.

/// What becomes of what is assigned to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Special {
    /// The number that it is when it is evaluated (`declare -i`).
    Number,
    /// A single value may become an element of an array, of which programs get none.
    Element,
    /// Something else, or nothing.
    Changed,
    /// Another variable gets it.
    Reference,
}

impl Special {
    /// Returns what becomes of it where this and the other hold, or one of them. Where one is a number, the other may keep its text.
    pub(super) fn with(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let is_number = [one, other].contains(&Some(Self::Number));
        let least = (is_number && one != other).then_some(Self::Changed);
        one.max(other).max(least)
    }
}
