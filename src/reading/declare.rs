//! What gives variables and functions attributes, and takes them away: `declare` and its kin, `export`, `unset` (bash manual, 4.2).

use super::builtins::gives;
use super::evaluate::is_name;
use super::field::{NUMBER, is_listed};
use super::secrets::disclosed;
use super::state::{Special, Value, function_key};
use super::walk::Walker;
use crate::model::{Arg, Reason, Span};
use crate::syntax::{Construct, Dialect};

impl Walker<'_> {
    pub(super) fn declare(&mut self, builtin: &str, words: &[Arg], span: Span) {
        let given = |letters: &str| gives(words, letters);
        let known: Vec<Arg> = words.iter().filter(|it| it.known().is_some()).cloned().collect();
        // Elsewhere than in a function, `local` sets nothing.
        let in_function = !self.calls.is_empty();
        let is_undone = |word: &Arg| word.prefix().starts_with('+') && word.prefix().contains('x');
        let undone = words.iter().any(is_undone);
        let takes_away = undone || given("n");
        let exports = undone || builtin == "export" || given("x");
        if gives(&known, "fF") {
            // Functions have names and attributes of their own.
            let is_option = |word: &&Arg| word.prefix().starts_with(['-', '+']);
            for word in words.iter().filter(|word| !is_option(word)) {
                match word {
                    Arg::Known(name) if exports => {
                        self.state.export(&function_key(name), !takes_away);
                    }
                    Arg::Known(_) if builtin != "readonly" && !gives(&known, "r") => {}
                    _ => self.opaque(Reason::DynamicCode, span),
                }
            }
            return;
        }
        // zsh makes global what is exported, and local what is only read.
        let is_zsh = self.dialect == Dialect::Zsh;
        let is_local = match builtin {
            "local" => true,
            "declare" | "typeset" => in_function && !given("g") && !(is_zsh && exports),
            "readonly" => in_function && is_zsh,
            _ => false,
        };
        let prints = known.iter().any(|word| word.known() == Some("-p"));
        let gives_attributes = is_changed_by_declare(builtin);
        // The case of letters, arithmetic, another variable, elements by name: not what is assigned.
        let special = match builtin {
            "export" => None,
            _ if given("n") => Some(Special::Reference),
            _ if self.dialect == Dialect::Bash && gives_attributes && makes_numbers(words) => {
                Some(Special::Number)
            }
            _ => given("iulcA").then_some(Special::Changed),
        };
        let evaluates = special.is_some() && given("i");
        let is_fixed = builtin == "readonly" || (gives_attributes && given("r"));
        for word in words {
            let text = word.prefix();
            if text == "-" && is_local {
                // Options are what they were where the function ends.
                self.opaque(Reason::DynamicCode, span);
            }
            if text.starts_with(['-', '+']) {
                continue;
            }
            if words.iter().any(|word| word.prefix().starts_with('+')) {
                self.state.may_keep_text(base(text));
            }
            let name = base(text).to_owned();
            // Where a function has its own of that name, another one is set than the one that is seen.
            let is_hidden = (gives_attributes && in_function && given("g"))
                && self.state.may_hide(&name, self.calls.len());
            if is_hidden {
                self.state.set_global(&name);
            }
            let assigned = text.split_once('=');
            // `declare -a 'a=(…)'` reads the array in the word.
            let is_array = assigned.is_some_and(|(_, value)| value.starts_with('('));
            let is_element = assigned.is_some_and(|(name, _)| name.contains('['));
            if assigned.is_some()
                && word.known().is_some()
                && (is_array || is_element || gives(&known, "n"))
            {
                self.evaluated(text, span);
            }
            let becomes_array = is_name(&name) && given("a");
            let special = special.filter(|_| is_name(&name));
            let is_new = is_local && in_function && !self.state.is_local(&name);
            if is_local && (assigned.is_some() || becomes_array || special.is_some()) {
                self.state.localise(&name);
            }
            if let Some(special) = special {
                if is_new && special == Special::Number {
                    self.state.set(&name, Value::PerhapsNumber);
                }
                self.becomes_special(&name, special, !is_hidden && (in_function || !is_local));
            }
            let evaluates = evaluates && is_name(&name);
            if evaluates {
                self.state.may_evaluate(&name);
            }
            if evaluates && self.state.may_refer(&name) {
                // The other one evaluates what is assigned to it.
                self.opaque(Reason::DynamicCode, span);
            }
            if becomes_array {
                // What is assigned to it, now or later, is an element.
                self.becomes_array(&name);
                self.state.stays_array(&name);
            }
            if prints && self.state.secret(text).is_some() {
                let index = self.plan.commands.len() - 1;
                self.plan.commands[index].effects.push(disclosed(text.to_owned()));
            }
            match (word, assigned) {
                (_, Some((target, value))) => {
                    let is_number = evaluates
                        && word.pattern().is_some_and(|text| text.ends_with(&format!("={NUMBER}")));
                    // Of what is listed only a pattern is known, and not how it begins.
                    let is_open = match word {
                        Arg::Known(_) => false,
                        Arg::Glob(pattern) if is_listed(pattern) => true,
                        Arg::Glob(_) if is_number => false,
                        _ => value.is_empty(),
                    };
                    // What is added to a number is evaluated like one.
                    let is_appended =
                        target.ends_with('+') && !(evaluates && self.adds_to_number(&name));
                    let is_lost = is_hidden || (is_local && !in_function);
                    let value = match word {
                        _ if is_open || is_appended || is_array || is_lost => Value::Unknown,
                        _ if is_number => Value::Number,
                        Arg::Known(_) => Value::text(value),
                        _ => Value::Word(Arg::Prefix(value.to_owned())),
                    };
                    self.set_variable(target.trim_end_matches('+'), value, span);
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
                        let is_kept = self.dialect != Dialect::Bash || gives(&known, "I");
                        let value = if is_kept { Value::Unknown } else { Value::Unset };
                        self.state.set(name, value);
                    }
                }
                (_, None) => self.may_set_any(span),
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

    /// Notes what becomes of what is assigned to a variable, which is the one that is seen here or not.
    fn becomes_special(&mut self, name: &str, special: Special, is_seen: bool) {
        let before = self.lookup(name);
        // Of an array, only the first element is a number then.
        let is_number = special == Special::Number && is_seen && !before.is_array();
        self.state.mark(name, if is_number { special } else { special.max(Special::Changed) });
        // What it was before the line, it still is.
        let is_kept = before.is_perhaps_number() || self.state.is_inherited(name);
        if !is_number || !is_kept {
            self.state.set(name, Value::Unknown);
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
        let index = self.plan.commands.len() - 1;
        self.state.set_origin(name, index);
        self.variable_effects(index, name, &value.word(), span);
        self.state.set(name, value);
    }

    pub(super) fn unset(&mut self, words: &[Arg], span: Span) {
        let (functions, variables, references) =
            (gives(words, "f"), gives(words, "v"), gives(words, "n"));
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
                _ => self.may_set_any(span),
            }
        }
    }
}

/// Returns whether options, all of them known, say that what is assigned is evaluated, and else nothing that changes it.
fn makes_numbers(words: &[Arg]) -> bool {
    let options: Vec<&str> =
        words.iter().map(Arg::prefix).filter(|text| text.starts_with(['-', '+'])).collect();
    let is_known = |text: &&str| {
        text.strip_prefix('-').is_some_and(|letters| letters.chars().all(|c| "igrx".contains(c)))
    };
    options.iter().all(is_known)
        && options.iter().any(|text| text.contains('i'))
        && words.iter().all(|word| !word.prefix().is_empty())
}

/// Whether a builtin gives variables attributes by options.
pub(super) fn is_changed_by_declare(builtin: &str) -> bool {
    matches!(builtin, "declare" | "typeset" | "local")
}

/// The name of the variable in a word that sets it, or an element of it.
fn base(text: &str) -> &str {
    text.split(['=', '+', '[']).next().unwrap_or_default()
}
