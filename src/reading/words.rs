//! The words of a command, and what else is known of them than their text.

use super::elsewhere::DECLARING;
use super::evaluate::is_name;
use super::simple::Around;
use super::state::Value;
use super::walk::Walker;
use crate::model::Arg;
use crate::syntax::{Dialect, Part, PartKind, Word};

impl Walker<'_> {
    /// Expands the words of a command, and adds what else is known of them to what stands around it.
    pub(super) fn command_words(&mut self, words: &[Word], around: &mut Around) -> Vec<Arg> {
        let mut argv = Vec::with_capacity(words.len());
        let declares = self.declares(words);
        for word in words {
            let is_process = self.is_process(word);
            let start = argv.len();
            let secret = self.secret.take();
            self.one_name = false;
            if declares && is_assignment(word) {
                argv.push(self.text(word));
            } else if is_assignment(word) && self.may_declare(&argv) {
                let whole = self.tried(|walker| walker.text(word));
                let divided = self.arguments(std::slice::from_ref(word));
                argv.push(if divided == [whole.clone()] { whole } else { Arg::Many });
            } else {
                argv.extend(self.arguments(std::slice::from_ref(word)));
            }
            if let Some(name) = self.secret.clone() {
                around.secrets.extend((start..argv.len()).map(|index| (index, name.clone())));
            }
            self.secret = self.secret.take().or(secret);
            if is_process {
                around.processes.extend(start..argv.len());
            }
            if std::mem::take(&mut self.one_name) {
                around.names.extend(start..argv.len());
            }
            if let Some(bare) = self.without_variables(word)
                && argv.len() == start + 1
            {
                around.bare.push((start, bare));
            }
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
        DECLARING.contains(&name.as_str())
            && self.state.functions(name).is_none()
            && !self.state.is_shadowed(name)
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
        self.assumes_unset = true;
        let bare = self.arguments(std::slice::from_ref(word)).pop();
        self.assumes_unset = false;
        bare
    }

    /// Whether a word is nothing but the number of a process of this shell.
    pub(super) fn is_process(&self, word: &Word) -> bool {
        let [part] = word.parts.as_slice() else { return false };
        matches!(&part.kind, PartKind::Parameter(parameter)
            if parameter.operator.is_empty()
                && parameter.index.is_none()
                && !parameter.indirect
                && !parameter.length
                && self.lookup(&parameter.name) == Value::Process)
    }
}

/// Whether a word begins with a name and `=`, none of it quoted or expanded.
fn is_assignment(word: &Word) -> bool {
    let Some(Part { quoted: false, kind: PartKind::Literal(text), .. }) = word.parts.first() else {
        return false;
    };
    text.split_once('=').is_some_and(|(name, _)| is_name(name.strip_suffix('+').unwrap_or(name)))
}
