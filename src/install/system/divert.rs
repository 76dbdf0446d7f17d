//! What dpkg is told: where the files of packages go whose paths guarded-sh stands at. Renames nothing itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::Error;
use super::record::Diversion;

const PROGRAM: &str = "/usr/bin/dpkg-divert";

/// Whom dpkg has for a diversion that no package made.
const OWNER: &str = "LOCAL";

/// Returns whether the system's packages are dpkg's.
pub(super) fn is_there() -> bool {
    Path::new(PROGRAM).is_file() && Path::new("/var/lib/dpkg/status").is_file()
}

/// Returns the diversion that is to be, and what is there before it.
pub(super) fn planned(path: &Path, to: &Path) -> Result<Diversion, Error> {
    let mut diversion = Diversion { path: path.to_owned(), to: to.to_owned(), before: None };
    let Some((by, there)) = listed(path)? else { return Ok(diversion) };
    if by != OWNER {
        // The package goes on to say where the shell is when it is ours no more. dash does so, and leaves it to whoever diverts.
        diversion.before = Some((by, there));
    } else if there != to {
        return Err(Error::Diverted { path: path.to_owned(), to: there });
    }
    Ok(diversion)
}

/// Returns whether it is made.
pub(super) fn stands(diversion: &Diversion) -> Result<bool, Error> {
    let listed = listed(&diversion.path)?;
    Ok(listed.is_some_and(|(by, to)| by == OWNER && to == diversion.to))
}

/// Makes it.
pub(super) fn add(diversion: &Diversion) -> Result<(), Error> {
    match listed(&diversion.path)? {
        Some((by, to)) if by == OWNER && to == diversion.to => return Ok(()),
        Some((by, _)) if by != OWNER => remove(&diversion.path, &by)?,
        _ => {}
    }
    run(&[
        "--local",
        "--no-rename",
        "--divert",
        &text(&diversion.to),
        "--add",
        &text(&diversion.path),
    ])
    .map(drop)
}

/// Takes it back, and makes the one that was there before it.
pub(super) fn take_back(diversion: &Diversion) -> Result<(), Error> {
    let path = text(&diversion.path);
    if let Some((by, to)) = listed(&diversion.path)?
        && by == OWNER
        && to == diversion.to
    {
        run(&["--local", "--no-rename", "--remove", &path])?;
    }
    if let Some((package, to)) = &diversion.before
        && listed(&diversion.path)?.is_none()
    {
        let to = text(to);
        run(&["--package", package, "--no-rename", "--divert", &to, "--add", &path])?;
    }
    Ok(())
}

fn remove(path: &Path, package: &str) -> Result<(), Error> {
    run(&["--package", package, "--no-rename", "--remove", &text(path)]).map(drop)
}

/// Returns who diverts a path, and where to.
fn listed(path: &Path) -> Result<Option<(String, PathBuf)>, Error> {
    let path = text(path);
    let by = run(&["--listpackage", &path])?;
    if by.is_empty() {
        return Ok(None);
    }
    Ok(Some((by, PathBuf::from(run(&["--truename", &path])?))))
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn run(words: &[&str]) -> Result<String, Error> {
    let said = || words.join(" ");
    let output = Command::new(PROGRAM)
        .args(words)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::NoDivert { words: said(), source })?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::Divert { words: said(), said: text });
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
