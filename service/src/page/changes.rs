//! What a question would change in files: what an agent's own tool says of it, and what a trial of its line found.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use guarded_sh::model::Trying;
use guarded_sh::subcommand;
use maud::Markup;

use super::diff::difference;
use super::floor::Standing;
use super::spoken::Spoken;

/// What trials of the questions that stand would change, each read once.
#[derive(Default)]
pub struct Changes(Mutex<HashMap<String, Result<String, String>>>);

impl Changes {
    /// Returns what an entry of a trial would change, as text; or why that cannot be read.
    pub fn of(&self, trial: &str) -> Result<String, String> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || subcommand::changes(trial).map_err(|why| why.to_string());
        held.entry(trial.to_owned()).or_insert_with(read).clone()
    }

    /// Returns it as it is shown.
    pub fn drawn(&self, trial: &str, language: Spoken) -> Markup {
        let told = |why: String| language.tell("trial-unreadable", &[("why", why.into())]);
        difference(language, &self.of(trial).unwrap_or_else(told))
    }

    /// Forgets those of questions that stand no more.
    pub fn retain(&self, standing: &Standing) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|id, _| {
            standing.entries.iter().any(|(_, entry)| match &entry.trying {
                Trying::Done(trial) => trial.id.as_ref() == Some(id),
                _ => false,
            })
        });
    }
}
