//! Lines that do harm, and programs that try to get out: each has its effect without the fence, and none with it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::{CALL, ON, Scene, has, play, skipped, wanted};
use crate::sheets;
use crate::support::{Ended, Place};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Harm {
    pub(super) name: String,
    /// What is there before, as a script.
    #[serde(default)]
    pub(super) before: String,
    pub(super) line: String,
    /// Succeeds if the harm was done.
    effect: String,
    /// How the line is run, if otherwise than by `-c`.
    pub(super) call: Option<String>,
    #[serde(default)]
    pub(super) needs: Vec<String>,
}

fn hold(sheet: &str, escape: Option<&Path>) {
    let rows: Vec<Harm> = sheets::rows(&sheets::path("tests/fence").join(sheet));
    let mut rows = wanted(rows, |row| &row.name, |row| &row.needs);
    let is_here = escape.is_none_or(|escape| escape.metadata().is_ok_and(|file| file.len() > 0));
    rows.retain(|row| is_here || !format!("{}{}", row.before, row.line).contains("./escape"));
    play(&rows, |row| {
        let call = row.call.as_deref().unwrap_or(CALL);
        let scene = Scene { call, escape, ..Scene::of(&row.before, &row.line, &row.effect) };
        let happens = |settings| {
            let ended = scene.run(&Place::new(), settings);
            (ended.out().ends_with("EFFECT\n"), ended)
        };
        let says = |what: &str, ended: &Ended| {
            Some(format!(
                "{}: {what}: {:?} {} {}",
                row.name,
                ended.code(),
                ended.out(),
                ended.err()
            ))
        };
        if let (false, ended) = happens("") {
            return says("it does no harm", &ended);
        }
        match happens(ON) {
            (true, ended) => says("it has its effect", &ended),
            (false, _) => None,
        }
    });
}

#[test]
fn harm_that_was_let_run_has_no_effect() {
    if !skipped() {
        hold("harm.toml", None);
    }
}

/// Compiles the ways out that are written in C.
fn compile(place: &Place) -> Option<PathBuf> {
    if !has("cc") {
        println!("skipped: the ways out that are written in C: there is no cc here");
        return None;
    }
    let mut sources = sheets::paths("tests/fence/escapes");
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    let program = place.path("escape");
    let done = Command::new("cc").arg("-pthread").arg("-o").arg(&program).args(sources).status();
    assert!(done.unwrap().success(), "the ways out are no C");
    Some(program)
}

#[test]
fn nothing_gets_out_that_tries() {
    if skipped() {
        return;
    }
    let place = Place::new();
    let escape = compile(&place);
    let none = place.write("none", "");
    hold("escapes.toml", Some(&escape.unwrap_or(none)));
}
