//! Secrets that variables hold: which words have one, which variables and parameters get it from them, and what prints it.
//! Does not say which variables these are: `rules/variables.toml`.

use std::rc::Rc;

use super::builtins::is_short;
use super::carry::{Carrier, SHELLS};
use super::evaluate::{identifiers, is_name};
use super::input::Input;
use super::scripts::Program;
use super::state::{State, Value};
use super::walk::Walker;
use crate::catalog::{Carried, Interpretation, Touch};
use crate::model::{Arg, Effect, EffectKind, Language, Span, Target};
use crate::syntax::{DECLARING, Parameter};
use crate::variables::prints_no_words;

/// Programs that print what they get on standard input, as it is or in another form.
const PASSES_ON: &[&str] = &[
    "cat", "tee", "base64", "base32", "xxd", "od", "hexdump", "rev", "tac", "tr", "cut", "head",
    "tail", "sort", "uniq", "nl", "fold", "paste", "strings", "sed", "awk", "grep", "jq", "gzip",
    "openssl",
];

/// Bytes of a secret by which it is known wherever it stands: shorter text stands in other words, too.
const TELLING: usize = 12;

/// Words that hold a secret, by their place, and the variable that it comes from.
pub(super) type SecretWords = Vec<(usize, String)>;

/// That a variable's secret is shown.
pub(super) fn disclosed(variable: String) -> Effect {
    Effect { kind: EffectKind::Disclose, target: Target::Text { text: Some(variable) } }
}

/// Names of variables or parameters, and the variable whose secret each holds.
type Held = Vec<(Rc<str>, Rc<str>)>;

/// Returns the secrets of positional parameters, where `$0` is the word at `zero`.
pub(super) fn of_parameters(secrets: &SecretWords, zero: usize) -> Held {
    let parameters = secrets.iter().filter_map(|(at, of)| Some((at.checked_sub(zero)?, of)));
    let names = parameters.flat_map(|(at, of)| {
        let all = ["@", "*"].into_iter().filter(move |_| at > 0).map(str::to_owned);
        all.chain([at.to_string()]).map(move |name| (Rc::from(name), Rc::from(of.as_str())))
    });
    names.collect()
}

/// Returns the variable whose secret a word holds.
pub(super) fn of_word(secrets: &SecretWords, index: Option<usize>) -> Option<&String> {
    secrets.iter().find(|(at, _)| Some(*at) == index).map(|(_, of)| of)
}

impl State {
    /// Notes that a variable now holds the secret of another.
    pub(super) fn set_secret(&mut self, name: &str, of: &str) {
        Rc::make_mut(&mut self.secrets).insert(Rc::from(name), Rc::from(of));
    }

    /// Notes that a variable no longer holds one.
    pub(super) fn drop_secret(&mut self, name: &str) {
        if self.gets_secret(name) {
            Rc::make_mut(&mut self.secrets).remove(name);
        }
    }

    /// Returns whether a variable was given a secret.
    pub(super) fn gets_secret(&self, name: &str) -> bool {
        self.secrets.contains_key(name)
    }

    /// Notes that some of the positional parameters hold a secret, whichever.
    pub(super) fn secrets_of_some(&mut self, secrets: &SecretWords) {
        for (_, of) in secrets {
            for name in ["@", "*", "1", "2", "3", "4", "5", "6", "7", "8", "9"] {
                self.set_secret(name, of);
            }
        }
    }

    /// Gives positional parameters their secrets; returns those that they had.
    pub(super) fn exchange_parameters(&mut self, secrets: Held) -> Held {
        if secrets.is_empty() && self.secrets.is_empty() {
            return secrets;
        }
        let is_name = |name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let mut all: Vec<_> = Rc::make_mut(&mut self.secrets).drain().collect();
        let before = all.extract_if(.., |(name, _)| !is_name(name)).collect();
        Rc::make_mut(&mut self.secrets).extend(all.into_iter().chain(secrets));
        before
    }

    /// Returns the variable whose secret this one holds, itself included.
    pub(super) fn secret<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        if crate::variables::holds_secret(name) {
            return Some(name);
        }
        self.secrets.get(name).map(Rc::as_ref)
    }
}

impl Walker<'_> {
    /// Notes that an expansion shows what a variable holds, if that is a secret.
    pub(super) fn note_secret(&mut self, parameter: &Parameter, span: Span) {
        // `${TOKEN:+set}` and `${#TOKEN}` say that it is there, not what it is.
        if parameter.length || parameter.operator.ends_with('+') {
            return;
        }
        let named = if parameter.indirect { self.lookup(&parameter.name) } else { Value::Unset };
        let name = match &named {
            Value::Word(Arg::Known(name)) => name,
            Value::Array(names) => names.first().and_then(Arg::known).unwrap_or_default(),
            _ => &parameter.name,
        };
        let Some(of) = self.state.secret(name).map(str::to_owned) else { return };
        if let Value::Word(Arg::Known(text)) = self.lookup(name)
            && text.len() >= TELLING
            && self.is_real(&of)
            && !self.secret_texts.iter().any(|(known, _)| *known == text)
        {
            self.secret_texts.push((text, of.clone()));
        }
        if self.state.traced {
            self.shows_secret(of.clone(), span);
        }
        self.secret = Some(of);
    }

    /// Notes the secrets that text shows which is expanded again.
    pub(super) fn note_secrets_in(&mut self, text: &str) {
        let names = identifiers(text);
        let of = names.iter().find_map(|name| self.state.secret(name)).map(str::to_owned);
        self.secret = of.or_else(|| self.secret.take());
    }

    /// Plans that the shell itself prints a secret.
    pub(super) fn shows_secret(&mut self, of: String, span: Span) {
        if self.is_real(&of) {
            self.bare(span, vec![disclosed(of)]);
        }
    }

    /// Whether a variable holds a secret that the line itself did not write down.
    fn is_real(&self, of: &str) -> bool {
        match self.state.variable(of) {
            None => true,
            Some(Value::Word(Arg::Known(_)) | Value::Number) => self.state.gets_secret(of),
            Some(_) => self.state.gets_secret(of) || self.facts.environment.contains_key(of),
        }
    }

    /// Adds the words in which a secret stands that the line expanded before.
    pub(super) fn find_secrets(&self, argv: &[Arg], secrets: &mut SecretWords) {
        if self.secret_texts.is_empty() {
            return;
        }
        for (at, word) in argv.iter().enumerate() {
            if let Some(of) = self.secret_in(word.prefix())
                && secrets.iter().all(|(known, _)| *known != at)
            {
                secrets.push((at, of.to_owned()));
            }
        }
        secrets.sort_by_key(|(at, _)| *at);
    }

    fn secret_in(&self, text: &str) -> Option<&str> {
        let stands = |(known, _): &&(String, String)| text.contains(known.as_str());
        self.secret_texts.iter().find(stands).map(|(_, of)| of.as_str())
    }

    /// Returns the secret of a variable, called otherwise than one of a secret is, that code in another language names.
    fn secret_in_code(&self, carried: &[Carried]) -> Option<String> {
        let texts = carried.iter().filter_map(|one| match one {
            Carried::Code { text, .. } => text.known(),
            Carried::Input { .. } => self.input.text(),
            _ => None,
        });
        let mut given = texts.filter(|_| !self.state.secrets.is_empty()).flat_map(identifiers);
        given.find_map(|name| Some(self.state.secrets.get(&*name)?.to_string()))
    }

    /// Returns the variable whose secret is on standard input.
    pub(super) fn secret_of_input(&self) -> Option<&str> {
        match &self.input {
            Input::Secret(of) => Some(of),
            Input::Text(text) => self.secret_in(text),
            Input::File(_) | Input::Rest | Input::Unknown => None,
        }
    }

    /// Returns the variable whose secret a program prints, if it gets one: in its words, or on standard input.
    pub(super) fn printed_secret(
        &self,
        argv: &[Arg],
        interpretation: &Interpretation,
        carried: &[Carried],
        secrets: &SecretWords,
    ) -> Option<String> {
        let program = interpretation.program.as_str();
        if let Some(of) = self.secret_in_code(carried) {
            return Some(of);
        }
        let reads_code = carried
            .iter()
            .any(|it| matches!(it, Carried::Input { language } if *language != Language::Shell));
        if (PASSES_ON.contains(&program) || reads_code)
            && let Some(of) = self.secret_of_input()
        {
            return Some(of.to_owned());
        }
        let is_stored = program == "printf" && argv.get(1).is_some_and(|it| it.prefix() == "-v");
        if secrets.is_empty() || is_stored || program.is_empty() {
            return None;
        }
        let queries = carried.iter().any(Carried::is_query);
        let is_client = queries || is_client(interpretation);
        let compares = |word: &Arg| {
            matches!(word.known(), Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"))
        };
        let is_quiet = prints_no_words(program) && !argv.iter().any(compares);
        let builds = interpretation.touches.iter().any(|touch| touch.kind == EffectKind::Build);
        let is_set = |at: usize| argv.get(at).is_some_and(|word| word.prefix().contains('='));
        // What a build cannot find it names; the rest is for the code that it runs.
        let is_for_code = |at: usize| {
            let mut operands = interpretation.operands.iter();
            let role = operands.find(|(operand, _)| *operand == at).map(|(_, role)| role.as_str());
            builds && (is_set(at) || role.is_none_or(|role| role.starts_with("passed")))
        };
        let names_file = |at: usize| {
            let mut touches = interpretation.touches.iter();
            touches.any(|touch| touch.index == Some(at) && touch.kind != EffectKind::List)
        };
        let prints = |at: usize| {
            if carried.iter().any(|it| it.is_code(at)) {
                return true;
            }
            let declares = DECLARING.contains(&program) && is_set(at);
            let is_kept = declares || is_for_code(at) || carried.iter().any(|it| it.takes(at));
            (!is_client || (!queries && is_asked(interpretation, at)))
                && !is_kept
                && (!is_quiet || names_file(at))
        };
        let is_shown = |at: usize, of: &str| {
            matches!(program, "echo" | "printf") || (self.is_real(of) && prints(at))
        };
        secrets.iter().find(|(at, of)| is_shown(*at, of)).map(|(_, of)| of.clone())
    }

    /// Notes which variables get the secrets that a builtin is given.
    pub(super) fn keep_secrets(&mut self, builtin: &str, argv: &[Arg], secrets: &SecretWords) {
        if builtin == "shift" {
            let held = self.state.secret("@").map(|of| vec![(0, of.to_owned())]);
            self.state.secrets_of_some(held.as_ref().unwrap_or(secrets));
            return;
        }
        if matches!(builtin, "read" | "mapfile" | "readarray") {
            let Some(of) = self.secret_of_input().map(str::to_owned) else { return };
            let names = argv[1..].iter().filter_map(Arg::known).filter(|word| is_name(word));
            for name in names.chain(["REPLY", "MAPFILE"]) {
                self.state.set_secret(name, &of);
            }
            return;
        }
        let is_reference = DECLARING.contains(&builtin) && argv.iter().any(|it| is_short(it, 'n'));
        if is_reference {
            for (name, of) in argv.iter().filter_map(|word| word.known()?.split_once('=')) {
                if let Some(of) = self.state.secret(of).map(str::to_owned) {
                    self.state.set_secret(name, &of);
                }
            }
        }
        if secrets.is_empty() {
            return;
        }
        if builtin == "set" {
            let count = self.state.positional.as_ref().map_or(0, |words| words.len());
            let parameters = of_parameters(secrets, argv.len().saturating_sub(count + 1));
            self.state.exchange_parameters(parameters);
        } else if builtin == "printf" {
            let name = argv.get(2).and_then(Arg::known).filter(|_| argv[1].prefix() == "-v");
            if let Some(name) = name {
                self.state.set_secret(name.split('[').next().unwrap_or(name), &secrets[0].1);
            }
        } else if DECLARING.contains(&builtin) {
            for (at, of) in secrets {
                let name = argv[*at].prefix().split(['=', '+', '[']).next().unwrap_or_default();
                self.state.set_secret(name, of);
            }
        }
    }

    /// Plans that a command prints text from standard input with the values of variables in it.
    pub(super) fn filled(&mut self, by: Carrier<'_>) {
        let text = match &self.input {
            Input::Text(text) => Some(text.clone()),
            Input::File(path) => self.scripts.text(path),
            Input::Secret(_) | Input::Rest | Input::Unknown => None,
        };
        if let Input::File(path) = &self.input {
            self.relies_on(path.clone(), by.index, by.span);
        }
        if let Some(text) = text {
            let given = Program { text: &text, language: Language::Template, file: None };
            self.code(given, by);
        } else {
            let effect = Effect { kind: EffectKind::Disclose, target: Target::None };
            self.plan.commands[by.index].effects.push(effect);
        }
    }

    /// Returns which words of a command that another carries hold a secret.
    pub(super) fn secrets_of(&self, carrier: usize, words: &[Arg]) -> SecretWords {
        let carrier = &self.plan.commands[carrier];
        let is_first = |word: &Arg| words.first() == Some(word);
        let start = carrier.argv.iter().skip(1).position(is_first).map_or(1, |at| at + 1);
        let inside = carrier.secrets.iter();
        let inside = inside.filter_map(|(at, of)| Some((at.checked_sub(start)?, of.clone())));
        // Its last words, or marks among the others, stand for what is read.
        let reads = matches!(carrier.program(), Some("xargs" | "parallel"));
        let read = self.secret_of_input().filter(|_| reads);
        let last = read.map(|of| (words.len().saturating_sub(1), of.to_owned()));
        inside.chain(last).collect()
    }

    /// Notes which variables a program's environment gets secrets in.
    pub(super) fn give_secrets(&mut self, carried: &[Carried], secrets: &SecretWords) {
        for one in carried.iter().filter(|_| !secrets.is_empty()) {
            if let Carried::Environment { name: Some(name), index, .. } = one
                && let Some((_, of)) = secrets.iter().find(|(at, _)| at == index)
            {
                self.state.set_secret(name, of);
            }
        }
    }
}

impl Carried {
    /// Whether a word is code in another language, which may print what stands in it. Make gives its variables to the workspace's own code.
    fn is_code(&self, at: usize) -> bool {
        matches!(self, Self::Code { language, index, .. } if *index == at && *language != Language::Make)
    }

    /// Whether it is for a database.
    fn is_query(&self) -> bool {
        matches!(
            self,
            Self::Code { language: Language::Sql(_), .. }
                | Self::Script { language: Language::Sql(_), .. }
                | Self::Input { language: Language::Sql(_) }
        )
    }

    /// Whether a word goes to what is carried, which says itself what it does with it.
    fn takes(&self, at: usize) -> bool {
        match self {
            Self::Argv { start, end, .. } => (*start..*end).contains(&at),
            Self::Environment { index, .. } => *index == at,
            Self::Script { file, .. } if file.known() == Some("-") => false,
            Self::Shell { index, .. } | Self::Script { index, .. } => *index <= at,
            Self::Task { .. } => true,
            Self::Program { .. } | Self::Code { .. } | Self::Input { .. } => false,
        }
    }
}

/// Whether a word is one that a program only asks for where it gets its answers: what to look up, and no key to it.
fn is_asked(interpretation: &Interpretation, at: usize) -> bool {
    let is_word = |role: &str| {
        let role = role.trim_end_matches("...");
        matches!(role, "inert" | "text" | "service")
    };
    let is_question = |touch: &Touch| {
        matches!(touch.kind, EffectKind::Connect | EffectKind::CloudRead) && touch.index.is_none()
    };
    interpretation.operands.iter().any(|(index, role)| *index == at && is_word(role))
        && interpretation.touches.iter().all(is_question)
}

/// Whether a program asks a host or an account, or is a shell: it may need the secret, and what else it does with it is judged there.
fn is_client(interpretation: &Interpretation) -> bool {
    use EffectKind as Kind;
    let is_local = |kind: Kind| {
        matches!(
            kind,
            Kind::List
                | Kind::Read
                | Kind::Write
                | Kind::Append
                | Kind::Delete
                | Kind::DeleteTree
                | Kind::Permission
                | Kind::PermissionTree
                | Kind::Move
                | Kind::Decode
                | Kind::Disclose
                | Kind::Endless
                | Kind::Unpack
                | Kind::Interact
                | Kind::Build
                | Kind::Commit
                | Kind::LoseWork
                | Kind::Signal
                | Kind::ShellState
        )
    };
    SHELLS.contains(&interpretation.program.as_str())
        || interpretation.touches.iter().any(|touch| !is_local(touch.kind))
}
