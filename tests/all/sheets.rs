//! Sheets of rows: TOML of the package, read as whoever asks describes it.
//! Knows nothing of what stands in a row.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A sheet that is nothing but rows of one kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet<Row> {
    #[serde(default = "Vec::new")]
    row: Vec<Row>,
}

/// Returns a path below the package.
pub fn path(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}

/// Returns the files of a directory by their names.
pub fn paths(directory: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path(directory)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Reads a sheet of any shape.
pub fn read<T: DeserializeOwned>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap();
    toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads a sheet of rows, of which there is one at least.
pub fn rows<Row: DeserializeOwned>(path: &Path) -> Vec<Row> {
    let rows = perhaps_rows(path);
    assert!(!rows.is_empty(), "{} has no row", path.display());
    rows
}

/// Reads a sheet that may have no row.
pub fn perhaps_rows<Row: DeserializeOwned>(path: &Path) -> Vec<Row> {
    read::<Sheet<Row>>(path).row
}
