//! Who pressed: a panel that a person started. An agent's program may speak on the bus as well, and must not pause questions.

use guarded_sh::observe::{self, Look};
use zbus::Connection;
use zbus::fdo::DBusProxy;
use zbus::names::{BusName, UniqueName};

/// Holds that no agent started who speaks by this name.
pub async fn check(connection: &Connection, name: &str) -> Result<(), String> {
    let unseen = |error: &dyn std::fmt::Display| format!("it cannot be seen who: {error}");
    let sender = UniqueName::try_from(name).map_err(|error| unseen(&error))?;
    let bus = DBusProxy::new(connection).await.map_err(|error| unseen(&error))?;
    let name = BusName::from(sender);
    let process = bus.get_connection_unix_process_id(name.clone()).await;
    let process = process.map_err(|error| unseen(&error))?;
    // All that it descends from is looked at.
    let above = tokio::task::spawn_blocking(move || {
        let ancestors =
            observe::ancestors_of(process, Look::All).map_err(|error| error.to_string())?;
        observe::above(&ancestors).map_err(|why| why.to_string())
    });
    above.await.map_err(|error| unseen(&error))??;
    // A name is never another's: who has it was there all the while.
    match bus.name_has_owner(name).await {
        Ok(true) => Ok(()),
        Ok(false) => Err("it has gone".to_owned()),
        Err(error) => Err(unseen(&error)),
    }
}
