//! Compiles `rules/programs/*.toml`; fails the build with every fault that it finds.

#[path = "../src/catalog/compile/mod.rs"]
mod compile;
#[path = "../src/catalog/compiled.rs"]
#[allow(dead_code, reason = "the library reads what the build script writes")]
pub mod compiled;
#[path = "../src/catalog/schema.rs"]
pub mod schema;

use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

/// Writes the compiled catalog to `OUT_DIR`.
pub fn compile() {
    let outcome = family_files(Path::new("rules/programs"))
        .map_err(|error| vec![format!("cannot read rules/programs: {error}")])
        .and_then(|files| compiled_bytes(&files))
        .and_then(|bytes| write(&bytes));
    if let Err(faults) = outcome {
        for fault in &faults {
            println!("cargo::error={fault}");
        }
        process::exit(1);
    }
}

fn family_files(directory: &Path) -> io::Result<Vec<(String, String)>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    let read = |path: PathBuf| Ok((path.display().to_string(), fs::read_to_string(&path)?));
    paths.into_iter().map(read).collect()
}

fn compiled_bytes(files: &[(String, String)]) -> Result<Vec<u8>, Vec<String>> {
    compile::compile(files).map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

fn write(bytes: &[u8]) -> Result<(), Vec<String>> {
    let directory = env::var_os("OUT_DIR").unwrap_or_default();
    let path = Path::new(&directory).join("catalog.bin");
    fs::write(&path, bytes)
        .map_err(|error| vec![format!("cannot write {}: {error}", path.display())])
}
