//! What can be wrong with settings and rules, and what to do about it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::rules::source::{Problem, position};

/// Settings or rules cannot be used. In enforce mode nothing runs until this is mended.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum Error {
    #[error("cannot read '{}'", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write '{}'", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("'{}' is not a regular file", path.display())]
    NotAFile { path: PathBuf },
    #[error("'{}' is larger than {largest} bytes", path.display())]
    TooLarge { path: PathBuf, largest: u64 },
    #[error("{}:{line}: {what} in a file that must be text", path.display())]
    NotText { path: PathBuf, line: usize, what: &'static str },
    #[error("'{}' belongs to uid {owner}, who could change it", path.display())]
    OtherOwner { path: PathBuf, owner: u32 },
    #[error("'{}' may be changed by others (mode {mode:o})", path.display())]
    OthersMayWrite { path: PathBuf, mode: u32 },
    #[error("{0}")]
    Invalid(Invalid),
    #[error("there are no tests in '{}'", path.display())]
    NoTests { path: PathBuf },
    #[error("the rules in '{}' are too many to be compiled", path.display())]
    TooManyRules { path: PathBuf },
    #[error("'{}' is no record of trust", path.display())]
    TrustStore { path: PathBuf, source: serde_json::Error },
    #[error(
        "uid {uid} has no home directory in the user database, and no HOME that counts, so there is no place to keep what is trusted or approved"
    )]
    NoHome { uid: u32 },
    #[error("'{}' was changed meanwhile; nothing was written", path.display())]
    Changed { path: PathBuf },
    #[error("'{}' has no rule{} that a person said", path.display(), of(id.as_deref()))]
    NotSaid { path: PathBuf, id: Option<String> },
    #[error("rule {id} in '{}' cannot be told from what stands around it", path.display())]
    NotAlone { path: PathBuf, id: String },
    #[error("'{name}' is no name for a file of rules: letters, digits and dashes are")]
    Name { name: String },
    #[error("'{}' is the pack '{name}', not '{wanted}'", path.display())]
    OtherPack { path: PathBuf, name: String, wanted: &'static str },
}

/// ` 'ID'` where one was named.
fn of(id: Option<&str>) -> String {
    id.map_or_else(String::new, |id| format!(" '{id}'"))
}

/// A file with what is wrong in it.
#[derive(Clone, Debug)]
pub struct Invalid {
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// What is wrong; never empty.
    pub problems: Vec<Problem>,
    /// What the file is.
    pub what: FileKind,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Settings.
    Settings,
    /// Rules.
    Rules,
    /// Tests of a policy.
    Tests,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.problems.first() else {
            return write!(f, "{}: wrong", self.path.display());
        };
        let (line, column) = position(&self.text, first.span.start);
        write!(f, "{}:{line}:{column}: ", self.path.display())?;
        if let Some(rule) = &first.rule {
            write!(f, "rule {rule}: ")?;
        }
        f.write_str(&first.message)?;
        if let Some(hint) = &first.hint {
            write!(f, " ({hint})")?;
        }
        match self.problems.len() - 1 {
            0 => Ok(()),
            more => write!(f, " (and {more} more)"),
        }
    }
}

impl Error {
    /// Returns how to get going again.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Read { path, .. } | Self::NotAFile { path } | Self::TooLarge { path, .. } => {
                format!("mend '{0}' or move it away", path.display())
            }
            Self::NotText { path, .. } => format!("mend '{}' or move it away", path.display()),
            Self::Write { path, .. } => {
                format!("make '{}' writable for yourself", path.display())
            }
            Self::OtherOwner { path, .. } => {
                format!(
                    "take it over (`chown`) after reading it, or move '{}' away",
                    path.display()
                )
            }
            Self::OthersMayWrite { path, .. } => {
                format!("chmod go-w {}", shell_words::quote(&path.to_string_lossy()))
            }
            Self::Invalid(Invalid { path, what: FileKind::Rules, .. }) => format!(
                "`guarded-sh rules lint` shows every mistake; or move '{}' away",
                path.display()
            ),
            Self::Invalid(Invalid { path, what: FileKind::Settings, .. }) => format!(
                "`guarded-sh config` shows every mistake; or move '{}' away",
                path.display()
            ),
            Self::Invalid(Invalid { path, what: FileKind::Tests, .. }) => {
                format!("mend '{}'", path.display())
            }
            Self::NoTests { path } => {
                format!("write `[[test]]` rows into '{}': docs/policy.md says how", path.display())
            }
            Self::TooManyRules { path } => format!("move rules out of '{}'", path.display()),
            Self::TrustStore { path, .. } => {
                format!("remove '{}' and trust your projects anew", path.display())
            }
            Self::Changed { .. } => "look at it again, then try again".to_owned(),
            Self::NotSaid { .. } => {
                "`guarded-sh rules list --pack approved` shows those that there are".to_owned()
            }
            Self::NotAlone { path, .. } => format!("take it out of '{}' by hand", path.display()),
            Self::OtherPack { path, .. } => {
                format!("move '{}' to another name", path.display())
            }
            Self::Name { .. } => "give it another name".to_owned(),
            Self::NoHome { .. } => "keep settings in /etc/guarded-sh/config.toml".to_owned(),
        }
    }

    /// Returns the error for people, with the text that it is about underlined where there is one.
    #[must_use]
    pub fn render(&self, style: Style) -> String {
        let renderer = match style {
            Style::Plain => Renderer::plain(),
            Style::Coloured => Renderer::styled(),
        };
        let Self::Invalid(invalid) = self else {
            let hint = self.hint();
            let title = Level::ERROR.primary_title(self.to_string());
            return renderer.render(&[title.element(Level::HELP.message(hint))]);
        };
        let path = invalid.path.to_string_lossy();
        let titles: Vec<String> = invalid.problems.iter().map(title).collect();
        let groups: Vec<Group<'_>> = invalid
            .problems
            .iter()
            .zip(&titles)
            .map(|(problem, title)| {
                let span = within(&invalid.text, problem);
                let mark = AnnotationKind::Primary.span(span);
                let snippet =
                    Snippet::source(invalid.text.as_str()).path(path.as_ref()).annotation(mark);
                let group = Level::ERROR.primary_title(title.as_str()).element(snippet);
                match &problem.hint {
                    Some(hint) => group.element(Level::HELP.message(hint.as_str())),
                    None => group,
                }
            })
            .collect();
        renderer.render(&groups)
    }
}

/// How an error is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Letters only.
    Plain,
    /// With colours.
    Coloured,
}

fn title(problem: &Problem) -> String {
    match &problem.rule {
        Some(rule) => format!("rule {rule}: {}", problem.message),
        None => problem.message.clone(),
    }
}

/// The drawing shows whole lines, so a span over many lines is cut to its first.
fn within(text: &str, problem: &Problem) -> std::ops::Range<usize> {
    let start = problem.span.start.min(text.len());
    let end = problem.span.end.clamp(start, text.len());
    let first_line = text.get(start..end).and_then(|span| span.find('\n'));
    start..first_line.map_or(end, |length| start + length)
}
