//! Why a hook cannot answer as it should, as the agent and its person see it.

use std::io;

use crate::approval::text::with_causes;
use crate::approval::visible;
use crate::hooks::Unread;
use crate::pipeline::Stop;

/// Why there is no judgement.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    /// There was nothing to read.
    #[error("the hook got no event")]
    Empty,
    /// There was too much.
    #[error("the event is larger than what is read")]
    TooLarge,
    /// It could not be read.
    #[error("the event cannot be read")]
    Input(#[source] io::Error),
    /// It is no JSON.
    #[error("the event is no JSON")]
    NoJson(#[source] serde_json::Error),
    /// It is JSON, but no event.
    #[error("the event is no JSON object")]
    NoObject,
    /// It is no agent's event.
    #[error(transparent)]
    Unread(#[from] Unread),
    /// The world, or the record, is broken.
    #[error(transparent)]
    Stop(#[from] Stop),
}

impl Fault {
    /// Returns the reason with its causes and what can be done, on one line.
    pub(super) fn reason(&self) -> String {
        if let Self::Stop(stop) = self {
            let hint = stop.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
            return visible(&format!("{}{hint}", stop.reason())).into_owned();
        }
        visible(&with_causes(self)).into_owned()
    }
}
