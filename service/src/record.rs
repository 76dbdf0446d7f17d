//! Where the owner's record is.

use std::path::PathBuf;

use guarded_sh::audit::Store;
use guarded_sh::config::{self, Settings, Style};
use guarded_sh::model::Facts;
use guarded_sh::observe::Environment;
use guarded_sh::pipeline;

/// Returns the owner's settings: no project's count.
pub fn settings(environment: &Environment) -> Result<Settings, String> {
    let places = pipeline::places(environment);
    let nowhere = Facts::default();
    let request = pipeline::load_request(&places, &nowhere);
    config::load_settings(&request, &[]).map_err(|error| error.render(Style::Plain))
}

/// Returns the record, as the owner's settings say where it is.
pub fn record(environment: &Environment) -> Result<Store, String> {
    let places = pipeline::places(environment);
    pipeline::store(&settings(environment)?, &places).map_err(|stop| stop.reason())
}

/// Returns the state directory that a record is in.
pub fn state_of(record: &Store) -> PathBuf {
    record.directory().parent().unwrap_or(record.directory()).to_owned()
}
