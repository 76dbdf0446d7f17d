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

/// Returns whether these are here, or says which is not.
pub fn are_here(paths: &[&PathBuf]) -> bool {
    let missing = paths.iter().find(|path| !path.exists());
    if let Some(path) = missing {
        println!("skipped: there is no {}: `tests/run` installs it", path.display());
    }
    missing.is_none()
}
