//! What came of calls, beside the calls of the same part of a transcript.

use std::collections::{HashMap, HashSet};

use super::item::{Called, Came, Item, What};

/// Which of what came belongs to which call, by the calls' ids.
pub struct Pairs<'i> {
    came: HashMap<&'i str, &'i Came>,
    calls: HashSet<&'i str>,
}

impl<'i> Pairs<'i> {
    /// Pairs what items say. `ahead` is what came of calls further on.
    pub fn of(items: &'i [Item], ahead: &'i [Came]) -> Self {
        let here = items.iter().filter_map(|item| match &item.what {
            What::Came(came) => Some(came),
            _ => None,
        });
        let calls = items.iter().filter_map(|item| match &item.what {
            What::Called(called) => called.id.as_deref(),
            _ => None,
        });
        let named = |came: &'i Came| Some((came.id.as_deref()?, came));
        Self { came: ahead.iter().chain(here).filter_map(named).collect(), calls: calls.collect() }
    }

    /// Returns what came of a call, where that is known.
    pub fn came(&self, called: &Called) -> Option<&'i Came> {
        self.came.get(called.id.as_deref()?).copied()
    }

    /// Whether the call of which this came is among the items.
    pub fn has_call(&self, came: &Came) -> bool {
        came.id.as_deref().is_some_and(|id| self.calls.contains(id))
    }
}
