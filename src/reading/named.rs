//! Names of files that a pattern becomes, where they are not quoted: `for f in *.c; do cat $f; done`.
//! A name with a blank becomes several words, and each of them may be an option or another file.

use fast_glob::glob_match;

use super::state::Value;
use super::walk::Walker;
use crate::catalog::Place;
use crate::model::{Arg, Effect, EffectKind};
use crate::paths;

/// Characters at which a name is divided, and those by which what is left of it is a pattern.
const DIVIDING: [char; 8] = [' ', '\t', '\n', '*', '?', '[', '(', '\\'];

impl Walker<'_> {
    /// Returns the value of a variable that takes the names which a pattern becomes.
    pub(super) fn names_of(&self, word: Arg) -> Value {
        match word {
            Arg::Glob(pattern) if self.are_whole(&pattern) => Value::Named(pattern),
            word => Value::Word(word),
        }
    }

    /// Whether no name that fits a pattern is divided when it is expanded without quotes.
    fn are_whole(&self, pattern: &str) -> bool {
        let (place, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let [Some(here)] = self.state.directories.as_slice() else { return false };
        if self.place != Place::Here || pattern.contains("**") || place.contains(DIVIDING) {
            return false;
        }
        // In front of a pattern in `/` stands nothing.
        let is_root = place.is_empty() && pattern.starts_with('/');
        let directory = paths::absolute(here, if is_root { "/" } else { place });
        let mut effects = self.plan.commands.iter().flat_map(|command| &command.effects);
        let fits = |found: &str| name.contains(['[', '(', '{', '\\']) || glob_match(name, found);
        let is_divided = |found: &String| found.contains(DIVIDING) && fits(found);
        !effects.any(|effect| may_make_names(effect, &directory))
            && match self.scripts.names(&directory) {
                Some(names) => !names.iter().any(is_divided),
                None => !self.scripts.exists(&directory),
            }
    }
}

/// Whether an effect may put names into a directory that are divided.
fn may_make_names(effect: &Effect, directory: &str) -> bool {
    use EffectKind::{
        CloudRead, Connect, DatabaseRead, Decode, Delete, DeleteTree, Disclose, Fetch, Interact,
        List, Listen, Read, Send, ShellState, Signal,
    };
    match effect.kind {
        List | Read | Connect | Fetch | Send | Listen | Decode | Disclose | Interact | Signal
        | Delete | DeleteTree | CloudRead | DatabaseRead | ShellState => false,
        _ => effect.path().is_none_or(|path| match path.strip_prefix(directory) {
            Some(name) => name.is_empty() || name.contains(DIVIDING),
            None => paths::is_below(directory, path) || path.contains(DIVIDING),
        }),
    }
}
