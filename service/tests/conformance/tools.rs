//! Programs of other makers that speak the protocol: `tests/run` installs them into `target/tools/mcp`.

use std::path::{Path, PathBuf};

/// Returns a path below the directory that they are in.
pub fn path(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools/mcp").join(below)
}

/// Returns the JavaScript runtime that they run on, which is of a version of its own.
pub fn node() -> PathBuf {
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    path(&format!("node_modules/node-linux-{arch}/bin/node"))
}

/// Set to `required`, what cannot be played has failed, as with the agents; else it is skipped, and that is said.
const REQUIRED: &str = "GUARDED_SH_AGENTS";

/// Returns whether these are here, or says which is not.
pub fn are_here(paths: &[&PathBuf]) -> bool {
    let Some(path) = paths.iter().find(|path| !path.exists()) else { return true };
    let missing = format!("there is no {}: `tests/run` installs it", path.display());
    assert!(std::env::var(REQUIRED).as_deref() != Ok("required"), "{missing}");
    println!("skipped: {missing}");
    false
}
