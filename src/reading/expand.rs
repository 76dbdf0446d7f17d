//! Words to the arguments that a program will get, as far as they can be known (bash manual, 3.5).

use super::evaluate::{is_name, is_set_by_bash};
use super::field::{
    Emptiness, Field, Fitting, append_number, is_listed, push_unquoted, words_not_known,
};
use super::parameter::{at, count, is_whole};
use super::plan::FlowKind;
use super::state::{Globs, Value};
use super::walk::{Walker, has_extended_glob};
use crate::model::{Arg, NAMES, Reason, Span};
use crate::syntax::{Construct, Dialect, Parameter, Part, PartKind, Word};

/// Stands for the name of a process substitution: which number it has is bash's choice.
pub(super) const PROCESS: &str = "/dev/fd/63";

/// More words than this of one brace expansion or loop are not told apart.
const ALTERNATIVES: usize = 64;

/// Whether the result is split into words, as for arguments, or not, as for assignments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Splitting {
    On,
    Off,
}

/// Bytes that words of a line expand to before no more of them are followed.
const EXPANDED: usize = 8 << 20;
/// What a word counts for besides its text.
const WORD: usize = 16;

/// What is known of an expanded word besides its text.
#[derive(Clone, Default)]
pub(super) struct Traits {
    /// It is one name, see [`Value::Name`].
    pub(super) is_name: bool,
    /// Names of files stand in it, see [`Value::Pattern`].
    pub(super) of_files: bool,
    /// It is what a command printed and nothing else, see [`Value::Printed`].
    pub(super) may_be_nothing: bool,
    /// The number that it is and nothing else, or the name.
    pub(super) number: Option<Value>,
    /// Its text, if only numbers in it are not known: [`SOME`] stands for each.
    pub(super) numbered: Option<String>,
}

/// Stands for a number that is not known. No text of the shell's holds it.
pub(super) const SOME: char = '\0';

impl Traits {
    /// Adds what a part of a word becomes, in the quotes or not that it stands in.
    fn add(&mut self, value: &Value, split: bool) {
        let is_number = match value {
            Value::Number | Value::Process => true,
            value => value.is_perhaps_number() && !split,
        };
        match value {
            Value::Word(Arg::Known(text)) if !split || value.is_number() => self.write(text),
            _ if is_number => self.write(SOME.encode_utf8(&mut [0; 4])),
            _ => self.numbered = None,
        }
        self.number = Some(value.clone());
    }

    fn write(&mut self, text: &str) {
        if let Some(numbered) = &mut self.numbered {
            numbered.push_str(text);
        }
    }
}

impl Walker<'_> {
    /// Expands words to arguments.
    pub(super) fn arguments(&mut self, words: &[Word]) -> Vec<Arg> {
        let mut arguments = Vec::with_capacity(words.len());
        for word in words {
            self.expand_into(word, &mut arguments);
        }
        arguments
    }

    /// Expands a word to arguments, and says what is known of the last of them.
    pub(super) fn expand_into(&mut self, word: &Word, arguments: &mut Vec<Arg>) -> Traits {
        // The common case, without alternatives.
        if !word.parts.iter().any(|part| matches!(part.kind, PartKind::Brace(_))) {
            return self.fields(&word.parts, Splitting::On, arguments);
        }
        let mut traits = Traits::default();
        let are_arrays = self.models(Construct::UnindexedArray) && self.has_arrays(&word.parts);
        let words =
            alternatives(&word.parts).filter(|words| !words.iter().any(|parts| makes_names(parts)));
        if are_arrays || braces_make_names(&word.parts) || words.is_none() {
            // What the words are is not known, but what they run is planned.
            for part in &word.parts {
                let word = Word { span: part.span, parts: vec![part.clone()] };
                let words = match &part.kind {
                    PartKind::Brace(words) => words.as_slice(),
                    _ => std::slice::from_ref(&word),
                };
                for word in words {
                    self.expand_into(word, &mut Vec::new());
                }
            }
            arguments.push(Arg::Many);
            return traits;
        }
        for parts in words.into_iter().flatten() {
            let before = arguments.len();
            traits = self.fields(&parts, Splitting::On, arguments);
            if arguments.len() == before
                && arguments.last() != Some(&Arg::Many)
                && self.models(Construct::EmptyAlternative)
            {
                arguments.push(Arg::Known(String::new()));
            }
        }
        traits
    }

    /// Expands one word to one text, as in an assignment, a redirection target or a `case` word.
    pub(super) fn text(&mut self, word: &Word) -> Arg {
        self.text_and_traits(word).0
    }

    /// Expands one word to one text, and says what else is known of it.
    pub(super) fn text_and_traits(&mut self, word: &Word) -> (Arg, Traits) {
        let mut arguments = Vec::with_capacity(1);
        let traits = self.fields(&word.parts, Splitting::Off, &mut arguments);
        let text = match arguments.len() {
            0 => Arg::Known(String::new()),
            1 => arguments.remove(0),
            _ => Arg::Unknown,
        };
        (text, traits)
    }

    fn fields(&mut self, parts: &[Part], splitting: Splitting, out: &mut Vec<Arg>) -> Traits {
        if self.expanded > EXPANDED {
            // That was said, and nothing more is looked at.
            out.push(Arg::Many);
            return Traits::default();
        }
        if parts.len() > 1 && self.has_subscript(parts) {
            out.push(if splitting == Splitting::On { Arg::Many } else { Arg::Unknown });
            return Traits::default();
        }
        let first = out.len();
        let mut field = Field::default();
        let is_open = parts.iter().any(is_expansion);
        let mut traits = Traits { numbered: is_open.then(String::new), ..Traits::default() };
        for (at, part) in parts.iter().enumerate() {
            let is_first = at == 0;
            let split = splitting == Splitting::On && !part.quoted;
            match &part.kind {
                PartKind::Literal(text) => {
                    traits.write(text);
                    field.push(text);
                }
                // Where it goes down into directories, what fits is not told.
                PartKind::Glob(pattern)
                    if splitting == Splitting::On
                        && field.goes_deep(pattern)
                        && self.models(Construct::DeepGlob) =>
                {
                    words_not_known(&mut field, out);
                }
                // Where it does not, it is a `*`.
                PartKind::Glob(pattern) if splitting == Splitting::On => {
                    if self.state.globs.deep {
                        field.push_pattern(pattern, Fitting::Files);
                    } else {
                        field.push_shallow(pattern);
                    }
                }
                PartKind::Glob(text) => field.push(text),
                // Where these are among them, it may fit nothing, or names with a dot in front.
                PartKind::Qualifiers(text) if text.contains(['N', 'D']) => {
                    words_not_known(&mut field, out);
                }
                PartKind::Qualifiers(_) => field.push_pattern("", Fitting::Files),
                PartKind::ExtendedGlob(pattern, words) => {
                    for word in words {
                        self.text(word);
                    }
                    field.push_pattern(pattern, Fitting::Files);
                }
                PartKind::Tilde(user) if at > 0 && splitting == Splitting::On => {
                    self.assigned_tilde(user, &mut field);
                }
                PartKind::Tilde(user) => self.tilde(user, &mut field),
                PartKind::Brace(_) => field.push_open(),
                PartKind::BraceTooMany(_) => words_not_known(&mut field, out),
                PartKind::Parameter(parameter) => {
                    self.note_secret(parameter, part.span);
                    let origins = self.state.origins(&parameter.name).iter();
                    let origins = origins.map(|at| (*at..at + 1, FlowKind::Substitution));
                    self.sources.extend(origins.collect::<Vec<_>>());
                    let mut value = self.parameter(parameter, part);
                    if self.is_expanded_otherwise(parameter, parts, at) {
                        value = Value::Unknown;
                    }
                    traits.add(&value, split);
                    // Of this shell, or of nobody yet.
                    if parameter.name == "!" && value == Value::Process && !self.state.has_job {
                        value = Value::PerhapsNumber;
                    }
                    let split = split && !self.is_whole(&value);
                    if split && may_hold_quoted_blanks(parameter, &value) {
                        value = Value::Unknown;
                    }
                    // What stands behind them is part of one of them.
                    let are_names = is_first && value == Value::Pattern(NAMES.to_owned());
                    if parts.len() > 1 && split && are_several(&value) && !are_names {
                        value = Value::Unknown;
                    }
                    traits.is_name |= is_first && value == Value::Name;
                    let value = if parts.len() > 1 { beside_text(value) } else { value };
                    self.append(value, split, parameter, &mut field, out);
                }
                PartKind::Command(script) => {
                    let mut value = self.substitution(script);
                    traits.add(&value, split);
                    if parts.len() > 1 && split && are_several(&value) {
                        value = Value::Unknown;
                    }
                    traits.is_name |= is_first && value == Value::Name;
                    self.append_value(value, split, &mut field, out);
                }
                PartKind::Arithmetic(expression) => {
                    self.arithmetic(expression);
                    traits.add(&Value::Number, split);
                    self.append_value(Value::Number, split, &mut field, out);
                }
                PartKind::ProcessInput(script) => {
                    self.process_input(script);
                    field.push(PROCESS);
                }
                PartKind::ProcessOutput(script) => {
                    self.process_output(script);
                    field.push(PROCESS);
                }
                PartKind::Array(elements) => {
                    for (index, value) in elements {
                        if let Some(index) = index {
                            self.arithmetic(index);
                        }
                        self.text(value);
                    }
                    field.open = true;
                }
            }
        }
        (traits.of_files, traits.may_be_nothing) = (field.files, field.may_be_nothing());
        out.extend(field.close());
        self.expanded += out[first..].iter().map(|word| WORD + word.length()).sum::<usize>();
        if self.expanded > EXPANDED {
            let span = parts.first().map_or_else(Span::default, |part| part.span);
            self.opaque(Reason::TooManyParts, span);
            out.truncate(first);
            out.push(Arg::Many);
        }
        if splitting == Splitting::On && self.state.globs != Globs::default() {
            self.open_patterns(&mut out[first..]);
        }
        let is_one = out.len() == first + 1;
        traits.is_name &= is_one;
        // What else a part may be stands in no text.
        let is_plain =
            |part: &Part| is_expansion(part) || matches!(part.kind, PartKind::Literal(_));
        let is_text = |text: &String| is_one && text.contains(SOME) && parts.iter().all(is_plain);
        traits.numbered = traits.numbered.filter(is_text);
        traits.number = traits.number.filter(|value| {
            parts.len() == 1 && (*value == Value::Name || value.is_perhaps_number())
        });
        traits
    }

    /// Whether another shell than bash takes more of a word for the parameter at this place of it, or divides it otherwise.
    fn is_expanded_otherwise(&self, parameter: &Parameter, parts: &[Part], at: usize) -> bool {
        let is_digit = |c: char| c.is_ascii_digit();
        let next = parts.get(at + 1).map(|part| &part.kind);
        let is_bare = |part: &Part| !part.quoted && is_expansion(part);
        match self.dialect {
            Dialect::Bash => false,
            // zsh takes `$10` for the tenth.
            Dialect::Zsh if parameter.name.chars().all(is_digit) => {
                matches!(next, Some(PartKind::Literal(text)) if text.starts_with(is_digit))
            }
            // There dash divides what is quoted, too.
            _ => parts[at].quoted && parameter.name == "@" && parts.iter().any(is_bare),
        }
    }

    /// With some options of `shopt`, a pattern becomes more words than those that it fits, or none.
    fn open_patterns(&self, words: &mut [Arg]) {
        let globs = self.state.globs;
        for word in words {
            let is_open = match word {
                Arg::Glob(_) if globs.open != 0 => true,
                Arg::Known(text) | Arg::Glob(text) => globs.extended && has_extended_glob(text),
                Arg::Prefix(_) | Arg::Unknown | Arg::Many => false,
            };
            if is_open {
                *word = Arg::Many;
            }
        }
    }

    /// Returns the home that the shell was started with, where the line has not set another.
    pub(super) fn own_home(&self) -> Option<String> {
        self.facts.home.clone().filter(|_| self.state.is_inherited("HOME"))
    }

    pub(super) fn tilde(&self, user: &str, field: &mut Field) {
        let home = match user.strip_prefix('~').unwrap_or(user) {
            "" => self.text_of("HOME").or_else(|| self.own_home()),
            "+" => self.text_of("PWD").filter(|here| !here.contains(['*', '?', '['])),
            "root" => Some("/root".to_owned()),
            user => self.facts.home.clone().filter(|home| home.rsplit('/').next() == Some(user)),
        };
        match home {
            Some(home) => field.push(&home),
            None => field.push_open(),
        }
    }

    fn append(
        &mut self,
        value: Value,
        split: bool,
        parameter: &Parameter,
        field: &mut Field,
        out: &mut Vec<Arg>,
    ) {
        let all = parameter.name == "@"
            || parameter.name == "*"
            || parameter.indirect
            || parameter.index.as_ref().is_some_and(is_whole);
        let is_bare = parameter.index.is_none() && !all;
        if is_bare && matches!(value, Value::Array(_)) && self.models(Construct::UnindexedArray) {
            // All elements, or something made of each.
            return words_not_known(field, out);
        }
        match value {
            Value::Array(elements) if all && (split || parameter.name == "@" || at(parameter)) => {
                let mut elements = elements.into_iter().peekable();
                if elements.peek().is_none() {
                    field.is_none = true;
                    return;
                }
                let separators = self.separators();
                // Bash divides even what is quoted at the bytes of other characters.
                let is_odd = separators.as_ref().is_some_and(|separators| !separators.is_ascii());
                if is_odd || (split && keeps_empty_elements(separators, elements.clone())) {
                    return words_not_known(field, out);
                }
                while let Some(element) = elements.next() {
                    let element = Value::Word(element);
                    let split = split && !self.is_whole(&element);
                    self.append_value(element, split, field, out);
                    if elements.peek().is_some() {
                        out.extend(std::mem::take(field).close());
                    }
                }
            }
            Value::Array(elements) if all => {
                // "${a[*]}" joins with the first character of IFS.
                let known: Option<Vec<&str>> = elements.iter().map(Arg::known).collect();
                // Where it is empty, what is not quoted is joined otherwise in a declaration.
                let is_plain =
                    |separators: &String| separators.is_ascii() && !separators.is_empty();
                let join = self.separators().filter(is_plain);
                match (known, join.and_then(|join| join.chars().next())) {
                    (Some(known), Some(first)) => field.push(&known.join(&String::from(first))),
                    _ => field.push_open(),
                }
            }
            Value::Array(elements) => {
                self.append_value(element(&elements, 0), split, field, out);
            }
            Value::Unknown if all => words_not_known(field, out),
            // `"$@"` is no word where there are none; to zsh `"${a[@]}"` of what is no array is one.
            Value::Unset
                if parameter.name == "@"
                    || (at(parameter) && !self.models(Construct::UnindexedArray)) =>
            {
                field.is_none = true;
            }
            value => self.append_value(value, split, field, out),
        }
    }

    fn append_value(&mut self, value: Value, split: bool, field: &mut Field, out: &mut Vec<Arg>) {
        match value {
            Value::Unset | Value::Array(_) => field.present |= !split,
            Value::Number | Value::Process if split && self.divides(is_of_number) => {
                words_not_known(field, out);
            }
            Value::Number | Value::Process => append_number(field),
            Value::Name if split && self.divides(|c| !is_blank(c)) => words_not_known(field, out),
            Value::Name => field.push_open(),
            Value::Word(Arg::Known(text)) if split => {
                self.split(&text, Fitting::Files, field, out);
            }
            Value::Word(Arg::Known(text)) => field.push(&text),
            Value::Pattern(_) if split && self.divides(|c| !is_blank(c)) => {
                words_not_known(field, out);
            }
            Value::Printed(pattern)
                if split && (!is_listed(&pattern) || self.divides(|c| !is_blank(c))) =>
            {
                words_not_known(field, out);
            }
            Value::Pattern(pattern) | Value::Printed(pattern) if split => {
                self.split(&pattern, Fitting::Made, field, out);
            }
            // A pattern in a variable is the name of one file where quoted.
            Value::Pattern(pattern) => field.push_printed(&pattern, Emptiness::Never),
            Value::Printed(pattern) => field.push_printed(&pattern, Emptiness::Perhaps),
            // Names of files may hold blanks.
            Value::Word(Arg::Glob(_)) if split && self.divides(|_| true) => {
                words_not_known(field, out);
            }
            Value::Named(_) if split && self.divides(|c| !is_blank(c)) => {
                words_not_known(field, out);
            }
            Value::Word(Arg::Glob(pattern)) | Value::Named(pattern) => {
                field.push_pattern(&pattern, Fitting::Files);
            }
            Value::Word(Arg::Prefix(text)) if !split => {
                field.push(&text);
                field.open = true;
            }
            Value::Word(Arg::Many) => words_not_known(field, out),
            Value::Word(Arg::Prefix(_) | Arg::Unknown)
            | Value::PerhapsNumber
            | Value::OneOf(_)
            | Value::Unknown
                if split =>
            {
                words_not_known(field, out);
            }
            // Digits behind what is known, or nothing.
            Value::PerhapsNumber if !field.open && !field.text.is_empty() => {
                field.push_pattern("*", Fitting::Made);
            }
            Value::Word(Arg::Prefix(_) | Arg::Unknown)
            | Value::PerhapsNumber
            | Value::OneOf(_)
            | Value::Unknown => {
                field.push_open();
            }
        }
    }

    /// Whether what an expansion without quotes gives stays one word, and no pattern: nothing, if it is empty.
    fn is_whole(&self, value: &Value) -> bool {
        let is_text = match value {
            Value::Word(Arg::Known(text) | Arg::Prefix(text) | Arg::Glob(text)) => !text.is_empty(),
            Value::Number | Value::Process | Value::Name => true,
            _ => false,
        };
        is_text && self.models(Construct::Splitting)
    }

    /// Whether what is not quoted may be divided at a character of this kind.
    fn divides(&self, at: impl Fn(char) -> bool) -> bool {
        match self.state.variable("IFS") {
            None if self.state.tainted || self.state.is_full() => true,
            None | Some(Value::Unset) => " \t\n".contains(at),
            Some(Value::Word(Arg::Known(separators))) => separators.contains(at),
            Some(_) => true,
        }
    }

    /// Returns the characters at which words are divided, if they are known.
    fn separators(&self) -> Option<String> {
        let is_unset = self.lookup("IFS") == Value::Unset;
        self.text_of("IFS").or_else(|| is_unset.then(|| " \t\n".to_owned()))
    }

    /// Returns the text of a variable, if it is known.
    pub(super) fn text_of(&self, name: &str) -> Option<String> {
        match self.lookup(name) {
            Value::Word(Arg::Known(text)) => Some(text),
            _ => None,
        }
    }

    /// Splits text at IFS (POSIX 2.6.5); what is then a pattern is one.
    fn split(&self, text: &str, fitting: Fitting, field: &mut Field, out: &mut Vec<Arg>) {
        let Some(separators) = self.separators().filter(|separators| separators.is_ascii()) else {
            return words_not_known(field, out);
        };
        // Some shells leave an empty word behind the last one, too.
        let ends = self.dialect == Dialect::Zsh
            && text.trim_end_matches(is_blank).ends_with(|c| separators.contains(c));
        if separators.contains(|c| !is_blank(c)) && (ends || has_empty_words(text, &separators)) {
            return words_not_known(field, out);
        }
        let mut rest = text;
        while let Some(at) = rest.find(|c| separators.contains(c)) {
            if at > 0 {
                push_unquoted(field, &rest[..at], fitting);
            }
            out.extend(std::mem::take(field).close());
            let width = rest[at..].chars().next().map_or(1, char::len_utf8);
            rest = &rest[at + width..];
        }
        if !rest.is_empty() {
            push_unquoted(field, rest, fitting);
        }
    }

    /// Returns the value of a variable here: set on the line, or inherited.
    pub(super) fn lookup(&self, name: &str) -> Value {
        if self.is_set_otherwise(name) {
            return Value::Unknown;
        }
        if let Some(value) = self.state.variable(name) {
            return match value {
                // That they are whole matters only where they are expanded as they are.
                Value::Named(_) => Value::Word(value.word()),
                value => value.clone(),
            };
        }
        if self.state.is_full() {
            return Value::Unknown;
        }
        let words = self.state.positional.as_deref();
        let [zero, source] = &self.state.script;
        match name {
            "IFS" if !self.state.tainted => Value::text(" \t\n"),
            "PWD" => super::substitution::place(&self.state.directories),
            "OLDPWD" => super::substitution::place(&self.state.previous),
            "$" | "!" => Value::Process,
            "?" | "PPID" | "OPTIND" => Value::Number,
            // Of the first element: others may not be there.
            "PIPESTATUS" if self.dialect == Dialect::Bash => Value::Number,
            "#" => count(&self.lookup("@")),
            "@" | "*" => words.map_or(Value::Unknown, |words| Value::Array(words.to_vec())),
            "0" => zero.clone().map_or(Value::Unknown, Value::Word),
            "BASH_SOURCE" => source.clone().map_or(Value::Unknown, |it| Value::Array(vec![it])),
            "-" | "_" => Value::Unknown,
            "BASHPID" | "RANDOM" | "SRANDOM" | "SECONDS" | "LINENO" | "UID" | "EUID"
            | "EPOCHSECONDS" | "SHLVL" | "COLUMNS" | "LINES" | "HISTCMD" => match name {
                _ if self.dialect != Dialect::Bash => Value::Unknown,
                "BASHPID" => Value::Process,
                // Where there is no terminal, they are not set.
                "COLUMNS" | "LINES" => Value::PerhapsNumber,
                _ => Value::Number,
            },
            name => match (name.parse::<usize>(), words) {
                (Ok(position), Some(words)) if position > 0 => element(words, position - 1),
                (Ok(_), _) => Value::Unknown,
                (Err(_), _) => self.inherited_value(name),
            },
        }
    }

    /// Returns the value of a variable that the line did not set.
    fn inherited_value(&self, name: &str) -> Value {
        match self.facts.environment.get(name) {
            _ if self.state.tainted => Value::Unknown,
            Some(value) => Value::text(value),
            None if self.assumes_unset => Value::Unset,
            // zsh has more of its own than are known here.
            None if self.environment_is_exact
                && !is_set_by_bash(name)
                && self.dialect != Dialect::Zsh =>
            {
                Value::Unset
            }
            // What people call so is the address of something.
            None if ["URL", "URI", "DSN"].iter().any(|end| name.ends_with(end)) => Value::Name,
            None => Value::Unknown,
        }
    }
}

/// Whether a word is one when it is expanded, whatever it is.
pub(super) const fn is_one(word: &Arg) -> bool {
    matches!(word, Arg::Known(_) | Arg::Prefix(_) | Arg::Unknown)
}

/// The word that stands at a place, where those before it are as many as they seem.
pub(super) fn element(words: &[Arg], at: usize) -> Value {
    if !words.iter().take(at).all(is_one) {
        return Value::Unknown;
    }
    match words.get(at) {
        Some(Arg::Many) => Value::Unknown,
        // There may be none, and the next in its place.
        Some(Arg::Glob(pattern)) if is_listed(pattern) => {
            let is_last = at + 1 == words.len();
            if is_last { Value::Printed(pattern.clone()) } else { Value::Unknown }
        }
        Some(word) => Value::Word(word.clone()),
        None => Value::Unset,
    }
}

/// Returns what braces make of a word, from left to right: what stands in the braces is expanded before what is behind them. None if
/// that is more than is told apart.
fn alternatives(parts: &[Part]) -> Option<Vec<Vec<Part>>> {
    let mut words = vec![Vec::new()];
    for part in parts {
        let PartKind::Brace(given) = &part.kind else {
            for word in &mut words {
                word.push(part.clone());
            }
            continue;
        };
        let mut expanded = Vec::new();
        for alternative in given {
            expanded.extend(alternatives(&alternative.parts)?);
            if words.len() * expanded.len() > ALTERNATIVES {
                return None;
            }
        }
        let behind = |before: &Vec<Part>| {
            let before = before.clone();
            let words = expanded.iter().map(|behind| [before.as_slice(), behind].concat());
            words.collect::<Vec<_>>()
        };
        words = words.iter().flat_map(behind).collect();
    }
    Some(words)
}

/// Whether a part is a variable without braces: `$x`.
fn is_bare_name(part: &Part) -> bool {
    let PartKind::Parameter(parameter) = &part.kind else { return false };
    part.span.len() == parameter.name.len() + 1 && is_name(&parameter.name)
}

/// Whether what stood in braces makes the name of a variable with what is behind it: `{$x,a}1`, `{$,a}x`.
fn makes_names(parts: &[Part]) -> bool {
    parts.windows(2).any(|pair| {
        let is_open = match &pair[0].kind {
            PartKind::Literal(text) => text.ends_with('$'),
            _ => is_bare_name(&pair[0]),
        };
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_behind = |part: &Part| matches!(&part.kind, PartKind::Literal(text) if text.starts_with(is_part));
        is_open && !pair[0].quoted && !pair[1].quoted && is_behind(&pair[1])
    })
}

/// Whether a brace expansion adds to the name of a variable in front of it: `$x{1,2}` is `$x1 $x2`.
fn braces_make_names(parts: &[Part]) -> bool {
    parts.windows(2).any(|pair| {
        is_bare_name(&pair[0])
            && matches!(pair[1].kind, PartKind::Brace(_) | PartKind::BraceTooMany(_))
    })
}

/// Whether text that is not split may stand in a value that is: `${x:-'a b'}`.
fn may_hold_quoted_blanks(parameter: &Parameter, value: &Value) -> bool {
    let is_quoted = |word: &Word| word.parts.iter().any(|part| part.quoted);
    parameter.argument.as_ref().is_some_and(is_quoted)
        && !matches!(value, Value::Word(Arg::Known(text)) if is_name(text))
}

/// Whether a part gives what is only known when it is expanded.
const fn is_expansion(part: &Part) -> bool {
    matches!(part.kind, PartKind::Parameter(_) | PartKind::Command(_) | PartKind::Arithmetic(_))
}

/// Whether a value is the names that a command lists: what stands beside them belongs to the first or the last alone.
fn are_several(value: &Value) -> bool {
    match value {
        Value::Pattern(pattern) | Value::Word(Arg::Glob(pattern)) => is_listed(pattern),
        Value::Printed(_) => true,
        _ => false,
    }
}

/// What an array becomes where text stands beside it, which belongs to the first or the last of its words: where there may be
/// several in the place of one, or none, none of them is told apart.
fn beside_text(value: Value) -> Value {
    match value {
        Value::Array(elements) if !elements.iter().all(is_one) => Value::Unknown,
        value => value,
    }
}

/// Whether a character may stand in a number.
const fn is_of_number(c: char) -> bool {
    c.is_ascii_digit() || c == '-'
}

/// Whether a character divides words without leaving an empty one where it is repeated (POSIX 2.6.5).
const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n')
}

/// Whether unquoted elements may leave empty words: bash joins them with the first separator and divides that again, where one that is no
/// blank leaves an empty word.
fn keeps_empty_elements(
    separators: Option<String>,
    mut elements: impl Iterator<Item = Arg>,
) -> bool {
    let Some(separators) = separators else { return true };
    let is_whole = |element: &Arg| {
        let text = element.known().filter(|text| !text.is_empty());
        text.is_some_and(|text| !text.contains(|c| separators.contains(c)))
    };
    !separators.chars().all(is_blank) && !elements.all(|element| is_whole(&element))
}

/// Whether separators that are no blanks may leave an empty word: in front, or behind another.
fn has_empty_words(text: &str, separators: &str) -> bool {
    let mut is_behind = true;
    text.chars().any(|c| {
        let was_behind = std::mem::replace(&mut is_behind, separators.contains(c));
        was_behind && is_behind && !is_blank(c)
    })
}
