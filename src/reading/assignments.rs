//! Assignments: what variables are given, and what that does to the programs that get them (bash manual, 3.4).

use super::arithmetic::is_of_numbers;
use super::evaluate::{as_quoted, runs_when_evaluated};
use super::field::NUMBER;
use super::simple::Around;
use super::state::Value;
use super::walk::Walker;
use crate::catalog::{Touch, interpret};
use crate::model::{Arg, Effect, EffectKind, PathClass, Reason, Span, Target};
use crate::paths;
use crate::syntax::{Assignment, AssignmentValue, Dialect};
use crate::variables::{self, Meaning, Setting, meaning};

impl Walker<'_> {
    /// Assignments without a command set variables of this shell.
    pub(super) fn assign(&mut self, assignments: &[Assignment], around: &mut Around) {
        for assignment in assignments {
            self.secret = None;
            let value = self.assigned(assignment);
            if let Some(of) = self.secret.take() {
                self.state.set_secret(&assignment.name, &of);
            }
            self.counted(&assignment.name, &value, around.span);
            around.environment.push((assignment.name.clone(), value.word()));
            if self.state.may_refuse(&assignment.name) {
                self.may_give_up();
            }
            self.state.set(&assignment.name, value);
        }
    }

    /// Whether what is added to a variable that evaluates it, is added to a number.
    pub(super) fn adds_to_number(&self, name: &str) -> bool {
        self.lookup(name).is_perhaps_number() || self.state.is_inherited(name)
    }

    /// Notes what is given to a variable that is a number: it is evaluated (bash manual, 4.2 and 5.2).
    pub(super) fn counted(&mut self, name: &str, value: &Value, span: Span) {
        let is_number = matches!(name, "RANDOM" | "OPTIND" | "HISTCMD" | "SRANDOM" | "SECONDS")
            || self.dialect.counts(name);
        let has_digits = |word: &Arg| matches!(word, Arg::Known(text) if text.bytes().all(|byte| byte.is_ascii_digit()));
        let is_plain = match value {
            Value::Word(word) => has_digits(word),
            Value::Array(elements) => elements.iter().all(has_digits),
            _ => false,
        };
        if is_plain || value.is_number() || (!is_number && value.is_perhaps_number()) {
            return;
        }
        let text = match value {
            Value::Word(Arg::Known(text)) => Some(text.clone()),
            // Numbers come out of what is not known; code would have to come in by a variable.
            Value::Word(Arg::Glob(text)) | Value::Pattern(text) if is_of_numbers(text) => {
                Some(text.replace(NUMBER, "0"))
            }
            _ => None,
        };
        match text {
            Some(text) if !is_number && self.state.evaluates(name) => {
                self.evaluated(&text, span);
                self.evaluated_variables(&text, span);
                self.assign_in(&text);
            }
            _ if is_number || self.state.evaluates(name) => self.opaque(Reason::DynamicCode, span),
            _ => {}
        }
    }

    /// Plans assignments without a command.
    pub(super) fn assignments(&mut self, around: &mut Around) {
        let sources = std::mem::take(&mut self.sources);
        let environment = std::mem::take(&mut around.environment);
        let index = self.bare(around.span, std::mem::take(&mut around.effects));
        for (name, value) in &environment {
            self.variable_effects(index, name, value, around.span);
        }
        let is_named = self.followed.last().is_some_and(|file| file.index == index);
        let is_last = !is_named && self.plan.commands.len() == index + 1;
        let is_idle = self.plan.commands[index].effects.is_empty();
        if is_idle && sources.is_empty() && is_last {
            self.plan.commands.pop();
            return;
        }
        if !sources.is_empty() {
            for (name, _) in &environment {
                self.state.set_origin(name, index);
            }
        }
        self.plan.commands[index].environment = environment;
        self.link(sources, index);
    }

    /// Makes a variable an array, with what it holds as the first element: bash does that before it expands what stands between the
    /// parentheses, and programs get no arrays.
    pub(super) fn becomes_array(&mut self, name: &str) {
        if self.dialect != Dialect::Bash {
            return;
        }
        let elements = match self.lookup(name) {
            Value::Array(_) => return,
            Value::Unset => Vec::new(),
            Value::Word(word) => vec![word],
            _ => vec![Arg::Many],
        };
        self.state.set(name, Value::Array(elements));
    }

    /// Expands the right side of an assignment.
    pub(super) fn assigned(&mut self, assignment: &Assignment) -> Value {
        if let Some(index) = &assignment.index {
            self.arithmetic(index);
            if self.dialect == Dialect::Bash {
                self.state.stays_array(&assignment.name);
            }
            // There may be no such element.
            if index.literal().is_none_or(|index| index.trim_start().starts_with('-')) {
                self.may_give_up();
            }
        }
        let value = match &assignment.value {
            AssignmentValue::Scalar(word) => {
                let (text, traits) = self.text_and_traits(word);
                let is_known = text.known().is_some();
                if let Some(number) = traits.number.filter(|_| !is_known) {
                    number
                } else if traits.of_files {
                    Value::Word(text)
                } else if let (true, Arg::Glob(pattern)) = (traits.may_be_nothing, &text) {
                    Value::Printed(pattern.clone())
                } else {
                    Value::printed(text)
                }
            }
            AssignmentValue::Array(elements) => {
                self.becomes_array(&assignment.name);
                let mut values = Vec::new();
                let mut indexed = false;
                for (index, word) in elements {
                    if let Some(index) = index {
                        self.arithmetic(index);
                        indexed = true;
                    }
                    values.extend(self.arguments(std::slice::from_ref(word)));
                }
                if indexed { Value::Unknown } else { Value::Array(values) }
            }
        };
        // The value is expanded first, and may set the variable: `x+=${x:=a}`.
        let before = self.lookup(&assignment.name);
        match (assignment.append, assignment.index.is_some(), before, value) {
            (_, true, _, _) => Value::Unknown,
            // Of an array, a single value is the first element.
            (_, _, Value::Array(_), value) if !matches!(value, Value::Array(_)) => Value::Unknown,
            (false, _, _, value) => value,
            (true, _, Value::Unset, value) => value,
            // What is added to a number is evaluated like one.
            (true, _, _, value @ (Value::Word(_) | Value::Number | Value::PerhapsNumber))
                if self.state.evaluates(&assignment.name)
                    && self.adds_to_number(&assignment.name) =>
            {
                value
            }
            // One shell adds to the first element, another an element.
            (true, _, Value::Array(_), Value::Word(_)) => Value::Unknown,
            (true, _, Value::Word(Arg::Known(before)), Value::Word(Arg::Known(more))) => {
                Value::text(before + &more)
            }
            (true, _, Value::Array(mut before), Value::Array(more)) => {
                before.extend(more);
                Value::Array(before)
            }
            (true, ..) => Value::Unknown,
        }
    }

    /// What setting a variable does to the programs that get it.
    pub(super) fn variable_effects(&mut self, index: usize, name: &str, value: &Arg, span: Span) {
        if let Some((setting, key, other)) = variables::setting(name) {
            self.setting_effects(index, (name, value), setting, [&key, &other]);
            return;
        }
        match meaning(name, value) {
            Meaning::Inert => {}
            Meaning::CommandAppended => self.handed(index, name, value, span),
            Meaning::Command => match value {
                Arg::Known(text) => {
                    // `|command` and `||-command` are pipes of LESSOPEN.
                    let text = text.trim_start_matches(['|', '-']).to_owned();
                    if text.contains("%s") && !crate::variables::is_harmless(name, value) {
                        // The name of the file stands there then.
                        self.opaque(Reason::DynamicCode, span);
                    }
                    self.line_given(index, name, &text, span);
                }
                Arg::Glob(_) | Arg::Prefix(_) | Arg::Unknown | Arg::Many => {
                    self.opaque(Reason::DynamicCode, span);
                }
            },
            Meaning::Prompt => match value {
                // What backslashes make of it where commands are traced is not followed.
                Arg::Known(text) if name != "PS4" || !text.contains('\\') => {
                    self.note_secrets_in(text);
                    if let Some(of) = self.secret.take().filter(|_| name == "PS4") {
                        self.shows_secret(of, span);
                    }
                    let first = self.plan.commands.len();
                    if runs_when_evaluated(text) {
                        self.state.journal.begin();
                    }
                    self.carried_by(index, name, |walker| {
                        let before = walker.state.clone();
                        let after = walker.subshell(|walker| walker.evaluated(text, span));
                        walker.runs_at_any_time(&before, &after, first, span);
                    });
                    if runs_when_evaluated(text) {
                        self.arrange(index, as_quoted(text), false, span);
                    }
                }
                Arg::Known(_) | Arg::Glob(_) | Arg::Prefix(_) | Arg::Unknown | Arg::Many => {
                    self.opaque(Reason::DynamicCode, span);
                }
            },
            Meaning::Code => self.runs_code_of(index, value),
            Meaning::Write => self.add_path_effect(index, EffectKind::Write, value),
            Meaning::Host => {
                let mut effects = Vec::new();
                let (kind, target) = (EffectKind::Connect, Some(value.clone()));
                let touch = Touch { kind, target, index: None };
                self.touch(&touch, &self.state.directories, &mut effects);
                self.plan.commands[index].effects.extend(effects);
            }
            Meaning::Path => {
                if !self.is_safe_path(value, index, span) {
                    self.state.shadow("*");
                    let target = Target::Text { text: Some(format!("{name} leads elsewhere")) };
                    let effect = Effect { kind: EffectKind::Unknown, target };
                    self.plan.commands[index].effects.push(effect);
                }
            }
        }
    }

    /// What a setting does that a pair of variables holds: what the option does that sets the same. Whichever of both is set last says it.
    fn setting_effects(
        &mut self,
        index: usize,
        (name, set): (&str, &Arg),
        setting: &Setting,
        pair: [&str; 2],
    ) {
        let environment = &self.plan.commands[index].environment;
        let own = |name: &str| environment.iter().any(|(own, _)| own == name);
        let [key, value] = pair;
        if name == key && own(value) {
            return;
        }
        let given = |other: &str| {
            let callers =
                || self.facts.environment.get(other).map(|value| Arg::Known(value.clone()));
            let set = (other == name).then(|| set.clone());
            set.or_else(|| self.set_for(other, environment)).or_else(callers)
        };
        let (Some(key), Some(value)) = (given(key), given(value)) else { return };
        let argv = setting.argv(&key, &value);
        let set = interpret(&argv, &[]);
        let directories = &self.plan.commands[index].directories;
        let is_placed = self.misplaced(&set.plain, directories).is_empty();
        if !(variables::is_harmless_setting(&set) && is_placed) {
            self.runs_code_of(index, argv.last().unwrap_or(&value));
        }
    }

    /// Notes that a command runs what a value names.
    fn runs_code_of(&mut self, index: usize, value: &Arg) {
        let path = value.known().map(str::to_owned);
        let target = Target::Path { path, class: PathClass::Unknown };
        self.plan.commands[index].does(EffectKind::Execute, target);
    }

    /// Whether every directory of a `PATH` is one where an agent does not write, or where the workspace's packages put their
    /// programs; these are noted as what command `index` relies on.
    fn is_safe_path(&mut self, value: &Arg, index: usize, span: Span) -> bool {
        let Arg::Known(text) = value else { return false };
        let here = match self.state.directories.as_slice() {
            [Some(directory)] => directory.clone(),
            _ => return false,
        };
        text.split(':').all(|directory| {
            let path = paths::absolute(&here, directory);
            if !directory.is_empty() && paths::holds_workspace_tools(&path, self.facts) {
                self.relies_on(format!("{path}/*"), index, span);
                return true;
            }
            directory.starts_with('/')
                // What matters is the program that could be put there.
                && !matches!(
                    paths::classify(&format!("{path}/x"), self.facts),
                    PathClass::Temporary
                        | PathClass::Made
                        | PathClass::Inside
                        | PathClass::BuildOutput
                        | PathClass::Workspace
                        | PathClass::Hooks
                )
        })
    }
}
