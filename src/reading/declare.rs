//! What gives variables and functions attributes, and takes them away: `declare` and its kin, `export`, `unset` (bash manual, 4.2).

use super::builtins::is_short;
use super::evaluate::is_name;
use super::field::is_listed;
use super::state::{Special, Value, function_key};
use super::walk::Walker;
use crate::model::{Arg, Effect, EffectKind, Reason, Span, Target};
use crate::syntax::{Construct, Dialect};

impl Walker<'_> {
    pub(super) fn declare(&mut self, builtin: &str, words: &[Arg], span: Span) {
        let is_global = |word: &Arg| is_short(word, 'g');
        // Elsewhere than in a function, `local` sets nothing.
        let in_function = !self.calls.is_empty();
        let is_undone = |word: &Arg| word.prefix().starts_with('+') && word.prefix().contains('x');
        let undone = words.iter().any(is_undone);
        let takes_away = undone || words.iter().any(|word| is_short(word, 'n'));
        let exports = undone || builtin == "export" || words.iter().any(|word| is_short(word, 'x'));
        let is_option = |word: &&Arg| word.prefix().starts_with(['-', '+']);
        let given_surely = |letter: char| {
            words.iter().any(|word| word.known().is_some() && is_short(word, letter))
        };
        if given_surely('f') || given_surely('F') {
            // Functions have names and attributes of their own.
            for word in words.iter().filter(|word| !is_option(word)) {
                match word {
                    Arg::Known(name) if exports => {
                        self.state.export(&function_key(name), !takes_away);
                    }
                    Arg::Known(_) if builtin != "readonly" && !given_surely('r') => {}
                    _ => self.opaque(Reason::DynamicCode, span),
                }
            }
            return;
        }
        // zsh makes global what is exported, and local what is only read.
        let is_zsh = self.dialect == Dialect::Zsh;
        let is_local = match builtin {
            "local" => true,
            "declare" | "typeset" => {
                in_function && !words.iter().any(is_global) && !(is_zsh && exports)
            }
            "readonly" => in_function && is_zsh,
            _ => false,
        };
        let integer = words.iter().any(|word| {
            word.known().is_some_and(|text| text.starts_with('-') && text.contains(['i', 'n']))
        });
        let prints = words.iter().any(|word| word.known().is_some_and(|text| text == "-p"));
        // The case of letters, arithmetic, another variable, elements by name: not what is assigned.
        let given = |letters: &[char]| {
            words.iter().any(|word| letters.iter().any(|letter| is_short(word, *letter)))
        };
        let is_reference = builtin != "export" && given(&['n']);
        let is_changed = given(&['i', 'u', 'l', 'c', 'A']) && builtin != "export";
        let is_fixed = builtin == "readonly" || (is_changed_by_declare(builtin) && given(&['r']));
        let past_functions =
            is_changed_by_declare(builtin) && in_function && words.iter().any(is_global);
        for word in words {
            let text = word.prefix();
            if text == "-" && is_local {
                // Options are what they were where the function ends.
                self.opaque(Reason::DynamicCode, span);
            }
            if text.starts_with(['-', '+']) {
                continue;
            }
            let name = base(text).to_owned();
            // Where a function has its own of that name, another one is set than the one that is seen.
            let is_hidden = past_functions && self.state.may_hide(&name, self.calls.len());
            if is_hidden {
                self.state.set_global(&name);
            }
            if is_name(&name) && (is_reference || is_changed) {
                if is_local {
                    self.state.localise(&name);
                }
                let how = if is_reference { Special::Reference } else { Special::Changed };
                self.state.mark(&name, how);
                self.state.set(&name, Value::Unknown);
            }
            if is_name(&name) && given(&['a']) {
                // What is assigned to it, now or later, is an element.
                if is_local {
                    self.state.localise(&name);
                }
                self.becomes_array(&name);
                self.state.stays_array(&name);
            }
            if prints && self.state.secret(text).is_some() {
                let index = self.plan.commands.len() - 1;
                let target = Target::Text { text: Some(text.to_owned()) };
                self.plan.commands[index]
                    .effects
                    .push(Effect { kind: EffectKind::Disclose, target });
            }
            match (word, text.split_once('=')) {
                (Arg::Known(_), Some((name, value))) => {
                    let name = name.trim_end_matches('+');
                    // `declare -a 'a=(…)'` reads the array in the word.
                    let is_array = value.starts_with('(');
                    if integer || is_array || name.contains('[') {
                        self.evaluated(text, span);
                    }
                    if is_local {
                        self.state.localise(base(name));
                    }
                    let appended = text[..text.find('=').unwrap_or(0)].ends_with('+');
                    let value = if appended || is_array || is_hidden || (is_local && !in_function) {
                        Value::Unknown
                    } else {
                        Value::Word(Arg::Known(value.to_owned()))
                    };
                    self.set_variable(name, value, span);
                }
                (_, Some((name, value))) => {
                    let name = name.trim_end_matches('+');
                    if is_local {
                        self.state.localise(base(name));
                    }
                    // Of what is listed only a pattern is known, and not how it begins.
                    let is_open = matches!(word, Arg::Glob(pattern) if is_listed(pattern));
                    let is_open = is_open || value.is_empty() || is_hidden;
                    let value = if is_open || (is_local && !in_function) {
                        Value::Unknown
                    } else {
                        Value::Word(Arg::Prefix(value.to_owned()))
                    };
                    self.set_variable(name, value, span);
                }
                (Arg::Known(name), None) => {
                    self.evaluated_name(name, span);
                    if name == "PATH" && is_local {
                        self.state.shadow("*");
                    }
                    if prints {
                        continue;
                    }
                    // There is a variable now, though it has no value.
                    if is_name(name) && self.lookup(name) == Value::Unset {
                        self.state.set(name, Value::Unset);
                    }
                    if is_local && in_function && is_name(name) && !self.state.is_local(name) {
                        self.state.localise(name);
                        // In some shells it begins as what it is outside.
                        let is_kept = self.dialect != Dialect::Bash || given_surely('I');
                        let value = if is_kept { Value::Unknown } else { Value::Unset };
                        self.state.set(name, value);
                    }
                }
                (Arg::Many | Arg::Unknown | Arg::Prefix(_) | Arg::Glob(_), None) => {
                    self.state.taint();
                    self.opaque(Reason::DynamicCode, span);
                }
            }
            if is_fixed && is_name(&name) {
                self.state.mark(&name, Special::Changed);
            }
            if exports && is_name(&name) {
                if takes_away && self.state.is_local(&name) {
                    // Programs get the one that it hides, if that is exported.
                    self.state.perhaps_exported(&name);
                } else {
                    self.state.export(&name, !takes_away);
                }
                if matches!(&*name, "SHELLOPTS" | "BASHOPTS") && !takes_away {
                    // What is on here is on there.
                    self.opaque(Reason::DynamicCode, span);
                }
            }
        }
    }

    fn set_variable(&mut self, name: &str, value: Value, span: Span) {
        if let Some((array, _)) = name.split_once('[') {
            self.told(array, span);
        }
        self.counted(name, &value, span);
        if !is_name(name) {
            // An element (`a[0]`), or nothing that can be set.
            self.set_part(name, Value::Unknown);
            return;
        }
        let text = match &value {
            Value::Word(arg) => arg.clone(),
            _ => Arg::Unknown,
        };
        let index = self.plan.commands.len() - 1;
        self.state.set_origin(name, index);
        let mut effects = Vec::new();
        self.variable_effects(index, name, &text, span, &mut effects);
        self.plan.commands[index].effects.extend(effects);
        self.state.set(name, value);
    }

    pub(super) fn unset(&mut self, words: &[Arg], span: Span) {
        let given = |letter| words.iter().any(|word| is_short(word, letter));
        let (functions, variables, references) = (given('f'), given('v'), given('n'));
        for word in words {
            match word {
                Arg::Known(text) if text.starts_with('-') => {}
                Arg::Known(text) => {
                    self.evaluated_name(text, span);
                    if text == "PATH" && !functions {
                        // Then programs of the working directory are found.
                        self.state.shadow("*");
                    }
                    // Without an option, a function only goes if there is no variable of the name.
                    let variables = variables || self.models(Construct::UnsetFunction);
                    let is_known = self.state.variable(text).is_some();
                    match self.lookup(text) {
                        _ if functions => self.state.undefine(text),
                        _ if variables => {}
                        Value::Unset if !is_known => self.state.undefine(text),
                        Value::Unset | Value::Unknown | Value::PerhapsNumber => {
                            self.state.doubt(text);
                        }
                        _ => {}
                    }
                    if !functions {
                        // Of a caller's own variable, the one behind it shows, and is the one that is set from there on.
                        let uncovers = self.calls.len() > 1 && !self.state.is_local(base(text));
                        if uncovers {
                            self.state.set_global(base(text));
                        }
                        let is_known = !references && !uncovers;
                        let value = if is_known { Value::Unset } else { Value::Unknown };
                        self.set_part(text, value);
                        if self.state.may_hide(text, self.calls.len()) {
                            self.state.no_longer_hides(text);
                        } else {
                            self.state.export(text, false);
                        }
                    }
                }
                _ => {
                    self.state.taint();
                    self.opaque(Reason::DynamicCode, span);
                }
            }
        }
    }
}

/// Whether a builtin gives variables attributes by options.
pub(super) fn is_changed_by_declare(builtin: &str) -> bool {
    matches!(builtin, "declare" | "typeset" | "local")
}

/// The name of the variable in a word that sets it, or an element of it.
fn base(text: &str) -> &str {
    text.split(['=', '+', '[']).next().unwrap_or_default()
}
