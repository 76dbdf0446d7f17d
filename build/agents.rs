//! Embeds `agents/` and `shell-integration/`, so that adding an agent is adding its files. They are read when an agent is installed, not before.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Writes `agents.rs` to `OUT_DIR`: the text of each file by its path below the package.
pub fn compile() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let mut paths = Vec::new();
    for directory in ["agents", "shell-integration"] {
        collect(&Path::new(&root).join(directory), &mut paths);
    }
    paths.sort();
    let mut text = String::from(
        "/// The text of each file, by its path.\nconst FILES: &[(&str, &str)] = &[\n",
    );
    for path in paths {
        let name = path
            .strip_prefix(&root)
            .expect("it is below the package")
            .to_str()
            .expect("names are text");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    ({name:?}, include_str!({:?})),", path.display().to_string());
    }
    text.push_str("];\n");
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("agents.rs"), text).expect("OUT_DIR can be written to");
}

fn collect(directory: &Path, paths: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(directory).expect("what agents get is there");
    for entry in entries.map(|entry| entry.expect("it can be read").path()) {
        if entry.is_dir() {
            collect(&entry, paths);
        } else if entry.extension().is_some_and(|extension| extension != "md") {
            paths.push(entry);
        }
    }
}
