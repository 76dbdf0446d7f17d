//! The clients as they were a moment ago, for all whose commands run: the file is looked at once for all of them, and read where it is another one. Decides
//! nothing.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use guarded_sh::sys::Stamp;

use super::clients::{Client, Clients};

/// For how long nobody looks again.
const MOMENT: Duration = Duration::from_millis(500);

/// What was read last.
#[derive(Default)]
pub struct Lately(Mutex<Option<Read>>);

struct Read {
    looked: Instant,
    stamp: Option<Stamp>,
    clients: Arc<Vec<Client>>,
}

impl Lately {
    /// Returns them. Of a file that cannot be read, none counts.
    pub fn read(&self, all: &Clients, now: Instant) -> Arc<Vec<Client>> {
        let mut read = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = read.as_ref().filter(|read| now - read.looked < MOMENT) {
            return Arc::clone(&read.clients);
        }
        // Before it is read: whoever changes it then is seen the next time.
        let stamp = all.stamp();
        let same = read.take().filter(|read| stamp.is_some() && read.stamp == stamp);
        let clients =
            same.map_or_else(|| Arc::new(all.read().unwrap_or_default()), |same| same.clients);
        *read = Some(Read { looked: now, stamp, clients: Arc::clone(&clients) });
        clients
    }
}

#[cfg(test)]
mod tests {
    use super::super::clients::Policy;
    use super::*;

    #[test]
    fn the_file_is_read_only_where_it_is_another_one() {
        let state = tempfile::tempdir().unwrap();
        let clients = Clients::below(state.path());
        clients.add("one", Policy::default()).unwrap();
        clients.add("two", Policy::default()).unwrap();
        let lately = Lately::default();
        let start = Instant::now();
        let first = lately.read(&clients, start);
        assert_eq!(first.len(), 2);
        for seconds in 1..5 {
            let again = lately.read(&clients, start + Duration::from_secs(seconds));
            assert!(Arc::ptr_eq(&first, &again));
        }
        clients.revoke("one").unwrap();
        let moment = lately.read(&clients, start + Duration::from_millis(4_100));
        assert!(Arc::ptr_eq(&first, &moment), "a moment ago it was this");
        let later = lately.read(&clients, start + Duration::from_secs(6));
        assert_eq!(later.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["two"]);
        // One that is gone, and one that is damaged, has none.
        std::fs::write(state.path().join("mcp/clients.json"), "[").unwrap();
        assert_eq!(lately.read(&clients, start + Duration::from_secs(7)).len(), 0);
        std::fs::remove_file(state.path().join("mcp/clients.json")).unwrap();
        assert_eq!(lately.read(&clients, start + Duration::from_secs(8)).len(), 0);
    }
}
