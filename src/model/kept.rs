//! Where the real shells are when guarded-sh stands in their place.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What `install system` remembers. It is there as long as guarded-sh stands in a real shell's place.
pub const SYSTEM_RECORD: &str = "/var/lib/guarded-sh/system.json";

/// What is added to the name of a real shell that guarded-sh stands in the place of.
const KEPT: &str = ".real";

/// Returns where the real shell is kept in whose place, `path`, guarded-sh stands.
#[must_use]
pub fn kept(path: &Path) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(KEPT);
    PathBuf::from(name)
}

/// Returns the name that a shell has by which it is kept, or any other name as it is.
#[must_use]
pub fn without_kept(name: &OsStr) -> &OsStr {
    name.to_str().and_then(|name| name.strip_suffix(KEPT)).map_or(name, OsStr::new)
}
