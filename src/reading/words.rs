//! The words of a command, and what else is known of them than their text.

use super::evaluate::is_name;
use super::simple::Around;
use super::state::Value;
use super::walk::Walker;
use crate::model::Arg;
use crate::syntax::{DECLARING, Dialect, Part, PartKind, Word};

/// What else is known of a word of a command than its text.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Note {
    /// It is the number of a process of this shell.
    pub(super) is_process: bool,
    /// It is one name, and no option.
    pub(super) is_name: bool,
    /// It is one word, whatever fits the pattern that is known of it.
    pub(super) is_one: bool,
    /// What it is if the variables at its beginning are not set.
    pub(super) bare: Option<Arg>,
    /// What it is where only numbers in it are not known, see [`SOME`](super::expand::SOME).
    pub(super) numbered: Option<String>,
}

impl Walker<'_> {
    /// Expands the words of a command, and adds what else is known of them to what stands around it.
    pub(super) fn command_words(&mut self, words: &[Word], around: &mut Around) -> Vec<Arg> {
        let mut argv = Vec::with_capacity(words.len());
        let declares = self.declares(words);
        for word in words {
            let is_process = self.is_only(&Value::Process, word);
            let start = argv.len();
            let secret = self.secret.take();
            let mut found = Vec::with_capacity(1);
            let traits = if declares && is_assignment(word) {
                let (text, traits) = self.text_and_traits(word);
                found.push(text);
                traits
            } else {
                let is_whole = is_assignment(word) && self.may_declare(&argv);
                let whole = is_whole.then(|| self.tried(|walker| walker.text(word)));
                let traits = self.expand_into(word, &mut found);
                if whole.is_some_and(|whole| found != [whole]) {
                    found = vec![Arg::Many];
                }
                traits
            };
            argv.append(&mut found);
            let shown = self.secret.clone();
            let bare = self.without_variables(word).filter(|_| argv.len() == start + 1);
            let numbered = traits.numbered.filter(|_| argv.len() == start + 1);
            let is_one = argv.len() == start + 1 && is_never_divided(word);
            let is_one = is_one && matches!(argv.last(), Some(Arg::Glob(_)));
            let note = Note { is_process, is_name: traits.is_name, is_one, bare, numbered };
            if note != Note::default() {
                around.notes.extend((start..argv.len()).map(|index| (index, note.clone())));
            }
            if let Some(of) = &shown {
                around.secrets.extend((start..argv.len()).map(|index| (index, of.clone())));
            }
            self.secret = shown.or(secret);
        }
        argv
    }

    /// Whether the words are those of a declaration builtin, whose assignments are not split (bash manual, 4.2).
    fn declares(&self, words: &[Word]) -> bool {
        // Only where its name is written out and not quoted, which is all that bash looks at.
        let Some([Part { quoted: false, kind: PartKind::Literal(name), .. }]) =
            words.first().map(|word| word.parts.as_slice())
        else {
            return false;
        };
        DECLARING.contains(&name.as_str()) && self.state.is_free(name)
    }

    /// Whether other shells than bash take these for the name of a declaration builtin, whose assignments are not split: dash goes by
    /// what is expanded, and POSIX looks behind `command`.
    fn may_declare(&self, words: &[Arg]) -> bool {
        let mut words = words.iter().skip_while(|word| word.known() == Some("command"));
        let name = words.next().and_then(Arg::known);
        self.dialect != Dialect::Bash && name.is_some_and(|name| DECLARING.contains(&name))
    }

    /// A word that begins with a variable, as it is if variables of which nothing is known are not set: `"$DIR/"*` is `/*`.
    pub(super) fn without_variables(&mut self, word: &Word) -> Option<Arg> {
        let is_plain = |part: &Part| match &part.kind {
            PartKind::Literal(_) | PartKind::Glob(_) => true,
            PartKind::Parameter(parameter) => {
                parameter.operator.is_empty() && !parameter.indirect && parameter.index.is_none()
            }
            _ => false,
        };
        let [first, _, ..] = word.parts.as_slice() else { return None };
        if !matches!(first.kind, PartKind::Parameter(_)) || !word.parts.iter().all(is_plain) {
            return None;
        }
        let words = std::slice::from_ref(word);
        self.with(|it| &mut it.assumes_unset, true, |walker| walker.arguments(words)).pop()
    }

    /// Whether a word is nothing but a parameter with such a value.
    pub(super) fn is_only(&self, value: &Value, word: &Word) -> bool {
        let [part] = word.parts.as_slice() else { return false };
        matches!(&part.kind, PartKind::Parameter(parameter)
            if parameter.operator.is_empty()
                && parameter.index.is_none()
                && !parameter.indirect
                && !parameter.length
                && self.lookup(&parameter.name) == *value)
    }
}

/// Whether a word is text and quoted variables, each of which has one value: no other becomes several words.
fn is_never_divided(word: &Word) -> bool {
    word.parts.iter().all(|part| match &part.kind {
        PartKind::Literal(_) => true,
        PartKind::Parameter(parameter) => {
            part.quoted
                && parameter.operator.is_empty()
                && parameter.index.is_none()
                && !parameter.indirect
                && is_name(&parameter.name)
        }
        _ => false,
    })
}

/// Whether a word begins with a name and `=`, none of it quoted or expanded.
fn is_assignment(word: &Word) -> bool {
    let Some(Part { quoted: false, kind: PartKind::Literal(text), .. }) = word.parts.first() else {
        return false;
    };
    text.split_once('=').is_some_and(|(name, _)| is_name(name.strip_suffix('+').unwrap_or(name)))
}
