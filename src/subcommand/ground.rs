//! What subcommands need of the world while rules, or settings, may be broken: less than judging does.

use std::path::Path;

use super::failure::Failure;
use super::output::Output;
use crate::approval::visible;
use crate::config::{self, Digest, LoadRequest, Owners, Places, Settings};
use crate::model::Facts;
use crate::observe;
use crate::pipeline;

/// The environment and the places of settings, with nothing loaded yet.
pub struct Ground {
    /// The environment.
    pub environment: observe::Environment,
    /// Where settings are.
    pub places: Places,
    /// The directories around us.
    pub facts: Facts,
}

impl Ground {
    /// Looks at the working directory.
    pub(super) fn here() -> Self {
        Self::at(observe::working_directory())
    }

    /// Looks at a directory; none if it is gone.
    #[must_use]
    pub fn at(cwd: Option<String>) -> Self {
        let environment = observe::Environment::read();
        let places = pipeline::places(&environment);
        let facts = observe::facts_at(&environment, cwd);
        Self { environment, places, facts }
    }

    /// Returns what settings are loaded by.
    #[must_use]
    pub fn request(&self) -> LoadRequest<'_> {
        pipeline::load_request(&self.places, &self.facts)
    }

    /// Loads the settings alone.
    pub fn settings(&self) -> Result<Settings, config::Error> {
        config::load_settings(&self.request(), &[])
    }

    /// Returns the digest of what the machine says, whoever its user is and wherever this is.
    pub(super) fn machine_digest(&self) -> Result<Digest, config::Error> {
        self.digest_of_machine(&Places::of_machine(self.places.system.clone(), Owners::Ours))
    }

    /// Returns the digest of what a machine says on which there are these places.
    pub(super) fn digest_of_machine(&self, places: &Places) -> Result<Digest, config::Error> {
        let request =
            LoadRequest { places, cwd: None, workspace: None, profile: None, ..self.request() };
        Ok(config::load(&request)?.digest)
    }

    /// Says beside the output whose settings and records these are, where the environment may lead one to think otherwise.
    pub(super) fn tell_place(&self, output: Output) {
        if let Some(said) = self.places.elsewhere() {
            output.note(&visible(&said));
        }
    }

    /// Returns the home that paths are shortened by.
    pub(super) fn home(&self) -> Option<&str> {
        self.facts.home.as_deref()
    }
}

/// Returns a directory that was named, absolute and without symbolic links.
pub(super) fn directory(path: &Path) -> Result<String, Failure> {
    let failed = |what: &dyn std::fmt::Display| {
        Failure::new(format!("cannot use the directory '{}': {what}", path.display()))
    };
    let whole = path.canonicalize().map_err(|error| failed(&error))?;
    if !whole.is_dir() {
        return Err(failed(&"it is no directory"));
    }
    whole.into_os_string().into_string().map_err(|_| failed(&"its name is not UTF-8"))
}
