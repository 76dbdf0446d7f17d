//! Words that the catalog calls plain: whether one names a place that no plain word should name.
//! What the word is to its program is the catalog's; here only the place counts.

use super::hosts::host;
use super::walk::Walker;
use crate::catalog::plain::pieces;
use crate::catalog::{PlainWord, UnknownPart, UnknownWhat};
use crate::model::{Arg, Effect, EffectKind, PathClass, Target};
use crate::paths;

impl Walker<'_> {
    /// Returns the plain words that name a guarded place, or one outside of the workspace.
    pub(super) fn misplaced(
        &self,
        words: &[PlainWord],
        directories: &[Option<String>],
    ) -> Vec<UnknownPart> {
        let is_misplaced = |word: &PlainWord| {
            let text = match &word.arg {
                Arg::Known(text) | Arg::Glob(text) | Arg::Prefix(text) => text,
                Arg::Unknown | Arg::Many => return false,
            };
            pieces(text).any(|piece| self.is_elsewhere(piece, word, directories))
        };
        let found = words.iter().filter(|word| is_misplaced(word));
        let part =
            |word: &PlainWord| UnknownPart { index: Some(word.index), what: UnknownWhat::Foreign };
        found.map(part).collect()
    }

    /// Adds what a program may do by the value of a variable of which nothing is known: it is an URL, or names a place that no plain word
    /// should name.
    pub(super) fn given_by_name(&self, name: &str, value: &Arg, effects: &mut Vec<Effect>) {
        if value.prefix().contains("://") {
            let host = Target::Host { host: host(value) };
            effects.push(Effect { kind: EffectKind::Connect, target: host });
        }
        let Arg::Known(text) = value else { return };
        let word = PlainWord { index: 0, arg: value.clone(), is_passed: true };
        let pieces = text.split([' ', ':', '=', ',']);
        // What stands behind the scheme of an URL is no path.
        let mut pieces = pieces.filter(|piece| piece.len() > 1 && !piece.starts_with("//"));
        if pieces.any(|piece| self.is_elsewhere(piece, &word, &self.state.directories)) {
            let text = format!("{name} leads elsewhere");
            let target = Target::Text { text: Some(text) };
            effects.push(Effect { kind: EffectKind::Unknown, target });
        }
    }

    fn is_elsewhere(&self, piece: &str, word: &PlainWord, directories: &[Option<String>]) -> bool {
        let leads_away = piece.starts_with(['/', '~']) || piece.split('/').any(|part| part == "..");
        directories.iter().any(|directory| {
            let path = paths::absolute(directory.as_deref().unwrap_or("/"), piece);
            let is_pattern = matches!(word.arg, Arg::Glob(_));
            if is_pattern && !self.stood_for(EffectKind::Write, &word.arg, &path).is_empty() {
                return true;
            }
            match paths::classify(&path, self.facts) {
                PathClass::Null
                | PathClass::Temporary
                | PathClass::Made
                | PathClass::BuildOutput
                | PathClass::Inside
                | PathClass::Workspace => false,
                PathClass::Secret
                | PathClass::Hooks
                | PathClass::Guard
                | PathClass::Startup
                | PathClass::Device
                | PathClass::NetworkDevice => true,
                // What every machine has may be named to the workspace's own code, which may not change it.
                PathClass::System => leads_away && !word.is_passed,
                PathClass::HomeFile
                | PathClass::Home
                | PathClass::Root
                | PathClass::Outside
                | PathClass::Unknown => leads_away,
            }
        })
    }
}
