//! Why a subcommand could not do its job, as people see it.

use std::io::{self, IsTerminal, Write};

use super::output::Output;
pub(super) use crate::approval::text::with_causes;
use crate::approval::visible;
use crate::host::DeskError;
use crate::pipeline::Stop;
use crate::{audit, config, install, rules};

/// Status of a call that cannot be served: wrong words, broken settings, input that is none.
pub(super) const USAGE: u8 = 2;
/// Status of a refusal.
pub(super) const REFUSED: u8 = 126;

/// Why a subcommand could not do its job.
pub enum Failure {
    /// Settings or rules are broken; shown with the text that it is about.
    Broken(config::Error),
    /// Anything else.
    Said {
        /// What is wrong.
        text: String,
        /// What can be done.
        hint: Option<String>,
        /// The exit status.
        status: u8,
    },
    /// Nobody reads what is written any more.
    Unread,
}

impl Failure {
    /// Returns a failure in these words.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::Said { text: text.into(), hint: None, status: USAGE }
    }

    /// Returns the failure with what can be done about it.
    pub(super) fn hint(self, what: impl Into<String>) -> Self {
        match self {
            Self::Said { text, status, .. } => Self::Said { text, hint: Some(what.into()), status },
            other => other,
        }
    }

    /// Returns the failure with another exit status.
    pub(super) fn status(self, status: u8) -> Self {
        match self {
            Self::Said { text, hint, .. } => Self::Said { text, hint, status },
            other => other,
        }
    }

    /// Returns the refusal of something that only a person may do.
    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self::Said { text: format!("refused: {}", why.into()), hint: None, status: REFUSED }
    }

    /// Returns what went wrong, and what can be done about it, in letters only.
    #[must_use]
    pub fn told(&self) -> String {
        match self {
            Self::Broken(error) => error.render(config::Style::Plain),
            Self::Said { text, hint: Some(hint), .. } => format!("{text} ({hint})"),
            Self::Said { .. } | Self::Unread => self.text(),
        }
    }

    /// Returns what went wrong, without what can be done about it.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Broken(error) => with_causes(error),
            Self::Said { text, .. } => text.clone(),
            Self::Unread => "nobody reads what is written".to_owned(),
        }
    }

    /// Writes what went wrong to stderr, where that keeps nobody from the rest.
    pub(super) fn note(self) {
        // The status is that of the rest.
        let _ = self.print();
    }

    /// Writes the failure to stderr and returns the exit status.
    pub(super) fn print(self) -> u8 {
        let mut out = io::stderr().lock();
        let (text, status) = match self {
            Self::Unread => return 0,
            Self::Broken(error) => (drawn(&error), USAGE),
            Self::Said { text, hint, status } => {
                let hint = hint.map(|hint| format!("hint: {hint}\n")).unwrap_or_default();
                let said = format!("guarded-sh: {text}\n{hint}");
                (Output::of(&out).fit(&visible(&said)), status)
            }
        };
        // Nothing is left to do if stderr is gone.
        let _ = out.write_all(text.as_bytes());
        status
    }
}

/// Returns an error of settings or rules for stderr, with the text that it is about.
pub(super) fn drawn(error: &config::Error) -> String {
    let coloured = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let style = if coloured { config::Style::Coloured } else { config::Style::Plain };
    format!("{}\n", error.render(style))
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Config(error) => Self::Broken(error),
            stop => Self::new(stop.reason()),
        }
    }
}

impl From<config::Error> for Failure {
    fn from(error: config::Error) -> Self {
        Self::Broken(error)
    }
}

impl From<audit::Error> for Failure {
    fn from(error: audit::Error) -> Self {
        Self::new(with_causes(&error))
    }
}

impl From<install::Error> for Failure {
    fn from(error: install::Error) -> Self {
        Self::new(with_causes(&error))
    }
}

impl From<install::system::Error> for Failure {
    fn from(error: install::system::Error) -> Self {
        Self::new(with_causes(&error))
    }
}

impl From<DeskError> for Failure {
    fn from(error: DeskError) -> Self {
        match error {
            DeskError::Refused(why) => Self::refused(why),
            error => Self::new(with_causes(&error)),
        }
    }
}

impl From<rules::Damaged> for Failure {
    fn from(error: rules::Damaged) -> Self {
        Self::new(with_causes(&error))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::Unread;
        }
        Self::new(format!("cannot write the output: {error}"))
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        // What is serialised here are our own values, so only writing can fail.
        Self::from(io::Error::from(error))
    }
}
