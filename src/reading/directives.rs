//! What a line writes and has a program follow: directives that name another file, which is read with the text (`#include ".env"`).
//! Knows no language: a guarded file counts that is named on a line with a word of such a directive.

use std::collections::BTreeSet;

use super::walk::Walker;
use crate::catalog::{Carried, Interpretation, Place};
use crate::model::{Arg, Effect, EffectKind, PathClass, ProgramTrait, head};
use crate::paths;

/// What stands on a line that makes a program read another file.
const DIRECTIVES: &[&str] = &[
    "embed", "entity", "extends", "file", "import", "incbin", "include", "input", "load", "read",
    ".so", "source", "@",
];

/// Files of which one names the next.
const FILES: usize = 16;

/// Names in one text beyond these are not looked at.
const NAMES: usize = 256;

/// So much of a text is looked through.
const LONG: usize = 1 << 16;

impl Walker<'_> {
    /// Adds to what takes a file where its code may stand that it reads the secret which is there by that name.
    pub(super) fn read_for_code(
        &self,
        interpretation: &Interpretation,
        carried: &[Carried],
        directories: &[Option<String>],
        effects: &mut Vec<Effect>,
    ) {
        if !interpretation.is(ProgramTrait::LeavesOutCode) {
            return;
        }
        for one in carried {
            let Carried::Code { text, .. } = one else { continue };
            let mut found = Vec::new();
            self.path_effects_in(EffectKind::Read, text, directories, &mut found);
            found.retain(|effect| {
                let is_there =
                    |path: &str| path.contains(['*', '?', '[']) || self.scripts.exists(path);
                effect.target.class() == Some(PathClass::Secret)
                    && effect.path().is_some_and(is_there)
            });
            effects.extend(found);
        }
    }

    /// Adds to what follows directives the guarded files that stand in those which the line itself wrote.
    pub(super) fn directed(
        &self,
        interpretation: &Interpretation,
        argv: &[Arg],
        directories: &[Option<String>],
        effects: &mut Vec<Effect>,
    ) {
        if !interpretation.is(ProgramTrait::FollowsDirectives) || self.place != Place::Here {
            return;
        }
        let words = interpretation.operands.iter().filter_map(|(at, _)| argv.get(*at)?.known());
        let words = words.flat_map(|word| {
            let places = directories.iter().map(Option::as_deref);
            places.filter_map(move |directory| paths::below(directory, word))
        });
        let read = effects.iter().filter(|effect| effect.kind == EffectKind::Read);
        let read = read.filter_map(Effect::path).map(str::to_owned);
        let mut texts: Vec<String> = self.input.text().map(str::to_owned).into_iter().collect();
        let mut followed: BTreeSet<String> = BTreeSet::new();
        let mut next: Vec<String> = read.chain(words).collect();
        let mut found = Vec::new();
        // What one file names may be another that the line wrote.
        loop {
            for name in texts.iter().flat_map(|text| named(text)) {
                let places = directories.iter().map(Option::as_deref);
                next.extend(places.filter_map(|directory| paths::below(directory, name)));
                let name = Arg::Known(name.to_owned());
                self.path_effects_in(EffectKind::Read, &name, directories, &mut found);
            }
            let Some(path) = next.pop().filter(|_| followed.len() < FILES) else { break };
            let is_new = followed.insert(path.clone());
            texts = if is_new { self.texts_written_to(&path) } else { Vec::new() };
        }
        found.retain(|effect| effect.target.class() == Some(PathClass::Secret));
        effects.extend(found);
    }

    /// Returns what the line writes into a file, as far as it stands in its words.
    fn texts_written_to(&self, path: &str) -> Vec<String> {
        let commands = &self.plan.commands;
        let writes = |at: &usize| commands[*at].written().any(|written| written == path);
        let writers = (0..commands.len()).filter(writes);
        // By way of `tee`, it is what another prints.
        let with_givers = writers.flat_map(|at| {
            let flows = self.plan.flows.iter().filter(move |flow| flow.to.contains(&at));
            flows.flat_map(|flow| flow.from.clone()).chain([at])
        });
        let words = with_givers.filter_map(|at| {
            let words = commands.get(at)?.argv.iter().skip(1).filter_map(Arg::known);
            Some(words.collect::<Vec<&str>>().join(" "))
        });
        words.chain(self.written_text(path).map(str::to_owned)).collect()
    }
}

/// Returns what may be names of files on lines with a directive.
fn named(text: &str) -> BTreeSet<&str> {
    let is_directive = |line: &&str| {
        let line = line.to_ascii_lowercase();
        DIRECTIVES.iter().any(|word| line.contains(word))
    };
    let is_path = |c: char| c.is_alphanumeric() || "._-/~".contains(c);
    let names =
        head(text, LONG).lines().filter(is_directive).flat_map(|line| line.split(|c| !is_path(c)));
    names.filter(|name| name.contains(char::is_alphanumeric)).take(NAMES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_on_lines_with_directives() {
        for (text, names) in [
            ("#include \".env\"\nint x;", &[".env", "include"][..]),
            ("see .env", &[]),
            (".so ../.env", &["../.env", ".so"]),
            ("@.env", &[".env"]),
        ] {
            assert_eq!(named(text), names.iter().copied().collect(), "{text}");
        }
    }
}
