//! What the proxy says of what was asked for, in the file that the line's record names: each host once. Bounded.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use guarded_sh::audit::aside;
use guarded_sh::model::AskedHost;

use super::names::Refused;

/// Hosts that are told of one line.
const MOST: usize = 256;

/// What is told of one line.
pub struct Told {
    path: Option<PathBuf>,
    said: RefCell<Said>,
}

#[derive(Default)]
struct Said {
    file: Option<File>,
    hosts: BTreeSet<(String, bool)>,
}

impl Told {
    /// Begins where nothing was asked for yet. There is a file once something was.
    pub fn new(path: Option<PathBuf>) -> Self {
        Self { path, said: RefCell::default() }
    }

    /// Says that a host was reached.
    pub fn reached(&self, host: &str) {
        self.say(host, None);
    }

    /// Says that a host was not reached, and why.
    pub fn refused(&self, host: &str, why: &Refused) {
        self.say(host, Some(why.to_string()));
    }

    fn say(&self, host: &str, refused: Option<String>) {
        let Some(path) = &self.path else { return };
        let mut said = self.said.borrow_mut();
        let host: String = host.chars().take(300).collect();
        let is_full = said.hosts.len() >= MOST;
        if is_full || !said.hosts.insert((host.clone(), refused.is_some())) {
            return;
        }
        if said.file.is_none() {
            said.file = aside::make(path);
        }
        let Ok(mut text) = serde_json::to_string(&AskedHost { host, refused }) else { return };
        text.push('\n');
        if let Some(file) = &mut said.file {
            // The record says less, and the line runs on.
            let _ = file.write_all(text.as_bytes());
        }
    }
}
