//! What a word means in its role.

use super::compiled::{Role, matches};
use super::operands::assignment;
use super::plain::Opened;
use super::repository::Force;
use super::walk::Walk;
use super::{Carried, MoreWords, Place, PlainWord, Touch, UnknownWhat, plain};
use crate::model::{Arg, EffectKind, Language};

impl Walk<'_, '_> {
    /// Notes what is done to `arg`, which stands in the word at `index`; `what` it is if the role is not known.
    pub(super) fn apply(&mut self, role: Role, arg: &Arg, index: usize, what: UnknownWhat) {
        let is_stream = arg.known() == Some("-");
        match role {
            Role::Inert => self.plain_word(arg, index, what),
            Role::Passed => {
                self.handed(arg, index);
                self.out.plain.push(PlainWord { arg: arg.clone(), index, is_passed: true });
            }
            Role::Text | Role::Mode => {}
            Role::Service => self.service(arg, index, what),
            Role::Content => self.content(arg, index),
            Role::Enter => {
                // To a terminal's server, a directory is a format in which a command may stand.
                if arg.prefix().contains("#(") {
                    self.unknown(index, UnknownWhat::Foreign);
                }
                self.touch(EffectKind::List, arg, index);
                self.out.enters.push(arg.clone());
            }
            Role::Output | Role::Effect(EffectKind::Read) if is_stream => {}
            // Tests of others are fetched, and run (`deno test URL`).
            Role::Tests if plain::is_url(arg) || plain::is_package(arg) => {
                self.touch(EffectKind::Fetch, arg, index);
                self.touch(EffectKind::Install, arg, index);
            }
            // That it is looked at says where the code lies: data may be read from more places.
            Role::Tests => {
                self.touch(EffectKind::List, arg, index);
                self.touch(EffectKind::Read, arg, index);
            }
            // Who takes an address where a file may stand fetches it; to the others there is no such file.
            Role::Effect(EffectKind::Read | EffectKind::List) if plain::is_url(arg) => {
                self.touch(EffectKind::Fetch, arg, index);
            }
            // An editor fetches it and sends it back. What copies to a cloud's store says that it sends.
            Role::Create | Role::Output | Role::Effect(EffectKind::Write | EffectKind::Append)
                if plain::is_server(arg) =>
            {
                self.unknown(index, UnknownWhat::Foreign);
            }
            Role::Create | Role::Output => self.touch(EffectKind::Write, arg, index),
            Role::Prefix => self.touch(EffectKind::Write, &begun(arg), index),
            Role::Template => self.touch(EffectKind::Write, &filled(arg), index),
            Role::Opened => match plain::opened(arg) {
                Opened::File(file) => self.touch(EffectKind::Execute, &file, index),
                Opened::Page => self.touch(EffectKind::Fetch, arg, index),
                Opened::Address => self.unknown(index, UnknownWhat::Foreign),
            },
            Role::Effect(kind) => self.touch(kind, arg, index),
            Role::Repository(kind) => self.repository(kind, arg, index),
            Role::Revision => self.revision(arg, index),
            Role::Compared => self.compared(arg, index),
            Role::RevisionOrPath => self.revision_or_path(arg, index),
            Role::Pathspec(kind) => self.pathspec(kind, arg, index),
            Role::Refspec => self.refspec(arg, index, Force::Marked),
            Role::ForcedRefspec => self.refspec(arg, index, Force::All),
            Role::Exec | Role::ExecAppended => {
                let appends = role == Role::ExecAppended;
                let more = if appends { MoreWords::Appended } else { MoreWords::None };
                self.out.carried.push(Carried::Program { text: arg.clone(), index, more });
            }
            Role::Shell | Role::Code(Language::Shell) => {
                let (words, place, more) = (vec![arg.clone()], Place::Here, MoreWords::None);
                self.out.carried.push(Carried::Shell { words, index, place, more });
            }
            Role::ShellAppended => {
                let (words, place, more) = (vec![arg.clone()], Place::Here, MoreWords::Appended);
                self.out.carried.push(Carried::Shell { words, index, place, more });
            }
            Role::Script(language) => {
                self.out.carried.push(Carried::Script { file: arg.clone(), language, index });
            }
            Role::Code(language) => {
                self.out.carried.push(Carried::Code { text: arg.clone(), language, index });
            }
            Role::Assignment => self.set_variable(arg, index),
            Role::Task(runner) => {
                self.out.carried.push(Carried::Task { runner, name: Some((arg.clone(), index)) });
            }
            // Of these, the compiler lets all but the first stand only where `carry_from` and `carry_rest` take them.
            Role::Unknown
            | Role::Argv
            | Role::ArgvUntil
            | Role::ArgvAppended
            | Role::ArgvInside
            | Role::Tool
            | Role::PackageTool
            | Role::ArgvItself
            | Role::ShellRest
            | Role::RemoteShellRest => self.unknown(index, what),
        }
    }

    /// An address is asked; a name alone says nothing of a host.
    fn service(&mut self, arg: &Arg, index: usize, what: UnknownWhat) {
        match plain::address(arg) {
            Some(address) => self.touch(EffectKind::Connect, &address, index),
            None => self.plain_word(arg, index, what),
        }
    }

    /// Gives the value of an option that is passed on its role: it stands behind `=`, or is the next word.
    fn handed(&mut self, arg: &Arg, index: usize) {
        let (option, value) = match assignment(arg) {
            Some((option, value)) => (option.to_owned(), Some(value)),
            None => (arg.prefix().to_owned(), None),
        };
        let found = self.levels.iter().flat_map(|level| &level.handed);
        let mut found = found.filter(|word| {
            let is_double = !word.key.starts_with("--") && option.starts_with("--");
            matches(word.key, if is_double { &option[1..] } else { &option })
        });
        let Some(role) = found.next().map(|word| word.role) else { return };
        let next = || self.argv.get(index + 1).map(|value| (value.clone(), index + 1));
        if let Some((value, at)) = value.map(|value| (value, index)).or_else(next) {
            self.apply(role, &value, at, UnknownWhat::Value);
        }
    }

    /// A plain word is only known to do no harm if it has no other form.
    fn plain_word(&mut self, arg: &Arg, index: usize, what: UnknownWhat) {
        let is_operand = what == UnknownWhat::Operand;
        if plain::is_foreign(arg) || (is_operand && plain::is_option(arg)) {
            self.unknown(index, UnknownWhat::Foreign);
        }
        self.out.plain.push(PlainWord { arg: arg.clone(), index, is_passed: false });
    }

    pub(super) fn touch(&mut self, kind: EffectKind, arg: &Arg, index: usize) {
        self.out.touches.push(Touch { kind, target: Some(arg.clone()), index: Some(index) });
    }

    /// Text is handed on; a file that it names instead is read.
    fn content(&mut self, arg: &Arg, index: usize) {
        let file = match arg {
            Arg::Known(text) | Arg::Glob(text) => match named_file(text) {
                Some("-") | None => return,
                Some(file) => Arg::Known(file.to_owned()),
            },
            Arg::Prefix(text) if !text.is_empty() && named_file(text).is_none() => return,
            Arg::Prefix(_) | Arg::Unknown | Arg::Many => Arg::Unknown,
        };
        self.touch(EffectKind::Read, &file, index);
    }

    /// A name without `=` keeps the value that it has.
    fn set_variable(&mut self, arg: &Arg, index: usize) {
        let (name, value) = match assignment(arg) {
            Some((name, value)) => (Some(name.to_owned()), value),
            None if arg.known().is_some() => return,
            None => (None, Arg::Unknown),
        };
        self.out.carried.push(Carried::Environment { name, value, index });
    }
}

/// Any path that begins like this.
fn begun(arg: &Arg) -> Arg {
    match arg {
        Arg::Known(text) | Arg::Glob(text) => Arg::Glob(format!("{text}*")),
        Arg::Prefix(_) | Arg::Unknown | Arg::Many => Arg::Unknown,
    }
}

/// The path that is made of a template: its last run of `X` becomes letters (mktemp(1)).
fn filled(arg: &Arg) -> Arg {
    let (Arg::Known(text) | Arg::Glob(text)) = arg else { return arg.clone() };
    match text.rfind("XXX") {
        Some(at) => {
            let (head, tail) = text.split_at(at + "XXX".len());
            Arg::Glob(format!("{}*{tail}*", head.trim_end_matches('X')))
        }
        None => arg.clone(),
    }
}

/// Returns the file that a word of content names, if it names one.
fn named_file(text: &str) -> Option<&str> {
    for scheme in ["@", "file://", "fileb://"] {
        if let Some(file) = text.strip_prefix(scheme) {
            return Some(file);
        }
    }
    let (name, value) = text.split_at(text.find(['=', '@'])?);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.[]".contains(c);
    if !name.chars().all(is_name) {
        return None;
    }
    let file = value
        .strip_prefix("=@")
        .or_else(|| value.strip_prefix("=<"))
        .or_else(|| value.strip_prefix('@'))?;
    // curl's `;type=` and the like follow the name.
    Some(file.split(';').next().unwrap_or(file))
}
