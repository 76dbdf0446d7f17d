//! Links the release binary statically where the machine has the archives for it: starting the dynamic linker before every
//! command line costs more than judging it. Without the archives it is linked as usual.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What the standard library asks the linker for, and the archive that holds it.
const ARCHIVES: [(&str, &str); 7] = [
    ("gcc_s", "gcc_eh"),
    ("c", "c"),
    ("util", "util"),
    ("rt", "rt"),
    ("pthread", "pthread"),
    ("m", "m"),
    ("dl", "dl"),
];

/// Asks for a static executable if that is possible here.
pub fn choose() {
    println!("cargo::rustc-check-cfg=cfg(statically_linked)");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    let linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    let native = env::var("HOST").ok() == env::var("TARGET").ok();
    if !linux || !native || !is("PROFILE", "release") {
        return;
    }
    let Some(directory) = archives() else { return };
    println!("cargo::rustc-cfg=statically_linked");
    // The linker looks into this directory before its own, and finds an archive where a shared library would be.
    println!("cargo::rustc-link-arg-bins=-L{}", directory.display());
    // Position-independent code in a program with a fixed place: a movable one would have to be relocated in memory before
    // every command line, page by page. Stack, heap and mappings are placed at random as everywhere.
    println!("cargo::rustc-link-arg-bins=-no-pie");
    println!("cargo::rustc-link-arg-bins=-static");
    for argument in ["--start-group", "-lgcc_s", "-lgcc", "-lc", "--end-group"] {
        let argument = match argument.strip_prefix("--") {
            Some(_) => format!("-Wl,{argument}"),
            None => argument.to_owned(),
        };
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}

/// Collects links to the archives in one directory; none if one is missing.
fn archives() -> Option<PathBuf> {
    let directory = Path::new(&env::var_os("OUT_DIR")?).join("archives");
    fs::create_dir_all(&directory).ok()?;
    for (asked, archive) in ARCHIVES {
        let file = find(&format!("lib{archive}.a"))?;
        let link = directory.join(format!("lib{asked}.a"));
        // A link of an earlier build may name an archive that has moved.
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(file, link).ok()?;
    }
    // What is there must be enough for a program.
    let start = find("crt1.o")?;
    start.is_file().then_some(directory)
}

fn find(name: &str) -> Option<PathBuf> {
    let output = Command::new("cc").arg(format!("-print-file-name={name}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_absolute().then(|| path.canonicalize().ok()).flatten()
}
