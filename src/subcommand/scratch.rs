//! A directory of our own for a moment: nobody else may look into it, and it goes when it is dropped.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::failure::Failure;

/// How many names are tried: others may have taken them, also on purpose.
const TRIES: u32 = 16;

pub(super) struct Scratch {
    directory: PathBuf,
}

impl Scratch {
    pub(super) fn make() -> Result<Self, Failure> {
        let base = std::env::temp_dir();
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for number in 0..TRIES {
            let moment = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let process = std::process::id();
            // Not our own name: rules that guard us look for it in paths.
            let name = format!("scratch-{process}-{}-{number}", moment.subsec_nanos());
            let directory = base.join(name);
            match DirBuilder::new().mode(0o700).create(&directory) {
                Ok(()) => return Ok(Self { directory }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    last = error;
                    break;
                }
            }
        }
        Err(Failure::new(format!("cannot make a directory in '{}': {last}", base.display())))
    }

    pub(super) fn path(&self) -> &Path {
        &self.directory
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing useful is left to do if it stays.
        let _ = fs::remove_dir_all(&self.directory);
    }
}
