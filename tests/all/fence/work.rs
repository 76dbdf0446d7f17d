//! Real work: status, output and files are the same with the fence and without.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{ON, play, run, skipped, wanted};
use crate::sheets;
use crate::support::Place;

/// Lines that do the same with the fence and without.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Work {
    name: String,
    #[serde(default)]
    before: String,
    line: String,
    #[serde(default)]
    needs: Vec<String>,
    /// Why it takes seconds: then it is played where `EVERY_ROW` is set, or the row is asked for.
    long: Option<String>,
    /// Why it is other work in a container.
    #[allow(dead_code, reason = "the rows of containers heed it")]
    uncontained: Option<String>,
    /// Something that stands in the output of a run that did its work.
    says: String,
}

/// Files below a directory with their content, but for what differs from run to run.
pub(crate) fn files(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            let kind = entry.file_type().unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if matches!(name.as_str(), ".git" | "__pycache__" | "target" | "node_modules") {
                continue;
            }
            if kind.is_dir() {
                left.push(path);
            } else if kind.is_file() {
                let below = path.strip_prefix(root).unwrap().to_owned();
                found.push((below, std::fs::read(&path).unwrap_or_default()));
            } else {
                found.push((path.strip_prefix(root).unwrap().to_owned(), Vec::new()));
            }
        }
    }
    found.sort();
    found
}

/// Whether a row is played now.
pub(crate) fn is_now(name: &str, long: Option<&str>) -> bool {
    let asked = ["ROW", "EVERY_ROW"].iter().any(|name| std::env::var_os(name).is_some());
    if let Some(why) = long.filter(|_| !asked) {
        println!("skipped: {name}: {why}; EVERY_ROW=1 plays it");
    }
    long.is_none() || asked
}

#[test]
fn real_work_is_done_as_without_the_fence() {
    if skipped() {
        return;
    }
    let rows: Vec<Work> = sheets::rows(&sheets::path("tests/fence/work.toml"));
    let mut rows = wanted(rows, |row| &row.name, |row| &row.needs);
    rows.retain(|row| is_now(&row.name, row.long.as_deref()));
    play(&rows, |row| {
        let seen = |settings| {
            let place = Place::new();
            let ended = run(&place, settings, &row.before, &row.line, "false");
            ((ended.code(), ended.out(), ended.err()), files(&place.work()))
        };
        let (without, with) = (seen(""), seen(ON));
        if !without.0.1.contains(&row.says) {
            return Some(format!("{}: it does no work: {:?}", row.name, without.0));
        }
        let names = |files: &[(PathBuf, Vec<u8>)]| {
            files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>()
        };
        if without.0 != with.0 {
            return Some(format!(
                "{}: {:?}, and without the fence {:?}",
                row.name, with.0, without.0
            ));
        }
        (without.1 != with.1).then(|| {
            format!(
                "{}: the files differ: {:?}, without {:?}",
                row.name,
                names(&with.1),
                names(&without.1)
            )
        })
    });
}
