//! What is known of a value of a program before it runs, and how text follows from text.

use crate::embedded::HIDDEN;
use crate::model::Arg;

/// A value, as far as it can be known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Made of listed things; nothing more is known.
    Any,
    /// Not known, but it cannot be called.
    Plain,
    /// Text.
    Text(Arg),
    Number,
    Flag(bool),
    List(Vec<Value>),
    /// One of these.
    OneOf(Vec<Value>),
    /// A collection of such.
    Many(Box<Value>),
    /// What the language or a module has by this name.
    Named(String),
    /// A thing of a listed type, and the text that it was made of.
    Made(String, Box<Value>),
    /// A method of a value that is not called here.
    Method(Box<Value>, String),
    /// A function of the program itself.
    Function,
    /// A module of the program's own.
    Local,
    /// Something of which nothing is listed.
    Unlisted,
}

/// The longest text that is put together. Names of files and commands are shorter; more would double with each name.
const MAX_TEXT: usize = 8 << 10;

/// How many texts one value stands for at most.
const MAX_CHOICES: usize = 16;

impl Value {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(Arg::Known(text.into()))
    }

    /// The text, if it is wholly known.
    pub(super) fn known(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.known(),
            _ => None,
        }
    }

    /// Every text that it may be; one that is not known where that cannot be said.
    pub(super) fn texts(&self) -> Vec<Arg> {
        match self {
            Self::Text(text) => vec![text.clone()],
            Self::Made(_, of) => of.texts(),
            Self::OneOf(choices) => {
                let texts: Vec<Arg> = choices.iter().flat_map(Self::texts).collect();
                if texts.len() > MAX_CHOICES { vec![Arg::Unknown] } else { texts }
            }
            Self::Any
            | Self::Plain
            | Self::Number
            | Self::Flag(_)
            | Self::List(_)
            | Self::Many(_)
            | Self::Named(_)
            | Self::Method(..)
            | Self::Function
            | Self::Local
            | Self::Unlisted => vec![Arg::Unknown],
        }
    }

    /// One element after the other.
    pub(super) fn element(&self) -> Self {
        match self {
            Self::List(elements) if !elements.is_empty() => Self::OneOf(elements.clone()),
            Self::Many(element) => (**element).clone(),
            _ => Self::Any,
        }
    }

    /// One of several values.
    fn choice(mut texts: Vec<Arg>) -> Self {
        match texts.pop() {
            Some(only) if texts.is_empty() => Self::Text(only),
            Some(last) if texts.len() < MAX_CHOICES => {
                texts.push(last);
                Self::OneOf(texts.into_iter().map(Self::Text).collect())
            }
            _ => Self::Any,
        }
    }

    /// Applies `join` to each pair of texts.
    fn each_with(&self, other: &Self, join: impl Fn(&Arg, &Arg) -> Arg) -> Self {
        let (ours, theirs) = (self.texts(), other.texts());
        if ours.len() * theirs.len() > MAX_CHOICES {
            return Self::Text(Arg::Unknown);
        }
        let pairs = ours.iter().flat_map(|one| theirs.iter().map(move |other| (one, other)));
        let pairs = pairs.flat_map(|(one, other)| {
            let made = join(one, other);
            [with_hidden(one, &made), Some(made)]
        });
        Self::choice(pairs.flatten().collect())
    }

    /// The text with another text behind it.
    pub(super) fn concatenated(&self, other: &Self) -> Self {
        self.each_with(other, concatenated)
    }

    /// A path below this one, or another if that is absolute.
    pub(super) fn joined(&self, other: &Self) -> Self {
        self.each_with(other, joined)
    }

    /// Every text, or what `change` makes of it.
    pub(super) fn or_each(&self, change: impl Fn(&Arg) -> Arg) -> Self {
        let texts = self.texts();
        let changed = texts.iter().map(change).filter(|text| !texts.contains(text));
        Self::choice(changed.chain(texts.iter().cloned()).collect())
    }

    /// Every text changed by `change`.
    pub(super) fn changed(&self, change: impl Fn(&Arg) -> Arg) -> Self {
        Self::choice(self.texts().iter().map(change).collect())
    }
}

/// Returns a path that leads through a name of a listed directory, with the names there that begin with a dot: a listing passes over none
/// of them (`os.listdir`), while `*` does.
fn with_hidden(listed: &Arg, path: &Arg) -> Option<Arg> {
    let (Arg::Glob(listed), Arg::Glob(path)) = (listed, path) else { return None };
    let above =
        listed.strip_suffix('*').filter(|above| above.is_empty() || above.ends_with('/'))?;
    let behind = path.strip_prefix(listed.as_str())?.strip_prefix('/')?;
    Some(Arg::Glob(format!("{above}{HIDDEN}/{behind}")))
}

fn concatenated(one: &Arg, other: &Arg) -> Arg {
    if one.length() + other.length() > MAX_TEXT {
        return Arg::Unknown;
    }
    match (one, other) {
        (Arg::Known(one), Arg::Known(other)) => Arg::Known(format!("{one}{other}")),
        (Arg::Known(one) | Arg::Prefix(one), _) if other.prefix().is_empty() => {
            match (other, is_open(one)) {
                (Arg::Glob(pattern), false) if matches!(one.chars().last(), Some('/')) => {
                    Arg::Glob(format!("{one}{pattern}"))
                }
                _ => Arg::Prefix(one.clone()),
            }
        }
        (Arg::Glob(one), Arg::Known(other)) if !is_open(other) && !other.contains("..") => {
            Arg::Glob(format!("{one}{other}"))
        }
        (Arg::Known(one), Arg::Glob(pattern)) if one.ends_with('/') && !is_open(one) => {
            Arg::Glob(format!("{one}{pattern}"))
        }
        (Arg::Known(one), _) => Arg::Prefix(format!("{one}{}", other.prefix())),
        (Arg::Prefix(one), _) => Arg::Prefix(one.clone()),
        _ => Arg::Unknown,
    }
}

fn joined(one: &Arg, other: &Arg) -> Arg {
    if one.length() + other.length() > MAX_TEXT {
        return Arg::Unknown;
    }
    if other.prefix().starts_with('/') {
        return other.clone();
    }
    // What is not known at all may be absolute.
    if matches!(other, Arg::Unknown | Arg::Many | Arg::Prefix(_)) && other.prefix().is_empty() {
        return Arg::Unknown;
    }
    let slash = |text: &str| if text.is_empty() || text.ends_with('/') { "" } else { "/" };
    match (one, other) {
        (Arg::Known(one), Arg::Known(other)) => Arg::Known(format!("{one}{}{other}", slash(one))),
        (Arg::Known(one), Arg::Prefix(other)) => Arg::Prefix(format!("{one}{}{other}", slash(one))),
        (Arg::Known(one), Arg::Glob(other)) if !is_open(one) => {
            Arg::Glob(format!("{one}{}{other}", slash(one)))
        }
        (Arg::Glob(one), Arg::Known(other)) if !is_open(other) => {
            Arg::Glob(format!("{one}{}{other}", slash(one)))
        }
        (Arg::Glob(one), Arg::Glob(other)) => Arg::Glob(format!("{one}{}{other}", slash(one))),
        (Arg::Prefix(one), _) => Arg::Prefix(one.clone()),
        _ => Arg::Unknown,
    }
}

/// Whether a text means more as a pattern than as text.
pub(super) fn is_open(text: &str) -> bool {
    text.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

/// The names in a directory, all below it, or a pattern there.
pub(super) fn within(directory: &Arg, pattern: &str) -> Arg {
    joined(directory, &Arg::Glob(pattern.to_owned()))
}

/// The home for `~`.
pub(super) fn at_home(text: &Arg, home: Option<&str>) -> Arg {
    match (text, home) {
        (Arg::Known(text), home) if text.starts_with('~') => {
            let rest = &text[1..];
            match home {
                Some(home) if rest.is_empty() || rest.starts_with('/') => {
                    Arg::Known(format!("{home}{rest}"))
                }
                _ => Arg::Unknown,
            }
        }
        (Arg::Known(_), _) => text.clone(),
        _ => Arg::Unknown,
    }
}
