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
    /// Returns what an entry of a trial would change, as it is shown; or why that cannot be read.
    pub fn of(&self, trial: &str, language: Spoken) -> Markup {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || subcommand::changes(trial).map_err(|why| why.to_string());
        match held.entry(trial.to_owned()).or_insert_with(read) {
            Ok(text) => difference(language, text),
            Err(why) => {
                let why = [("why", why.as_str().into())];
                difference(language, &language.tell("trial-unreadable", &why))
            }
        }
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
