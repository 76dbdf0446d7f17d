//! Programs that cannot live in the fence: what is told and decided before they run.

use serde::Deserialize;

use super::permitted::{AT_TERMINAL, By, say_once};
use super::{ON, Scene, play, skipped, wanted};
use crate::sheets;
use crate::subcommands::person::Person;
use crate::support::Place;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    #[serde(default)]
    by: By,
    line: String,
    /// What the caller is told; empty: nothing.
    tells: String,
    /// What the record says of how it was held.
    held: String,
}

const TELLS: &str = "does not work inside the fence";

#[test]
fn programs_that_make_a_sandbox_of_their_own_are_decided_about_before_they_run() {
    if skipped() {
        return;
    }
    let rows: Vec<Row> = sheets::rows(&sheets::path("tests/fence/misfit.toml"));
    let rows = wanted(rows, |row| &row.name, |_| &[]);
    play(&rows, |row| {
        let place = Place::new();
        let said = match row.by {
            By::Score => Scene::of("", &row.line, "false").run(&place, ON).err(),
            By::Person => {
                place.set(ON);
                let after = "printf 'status:0\\n' >/dev/tty; false";
                let scene = Scene { call: AT_TERMINAL, ..Scene::of("", &row.line, after) };
                say_once(Person::runs(&scene.at(&place)))
            }
            By::Rule => panic!("{}: no rule lets it run", row.name),
        };
        let records = place.records();
        let is_told =
            if row.tells.is_empty() { !said.contains(TELLS) } else { said.contains(&row.tells) };
        (!is_told || !records.contains(&row.held))
            .then(|| format!("{}: {said}: {records}", row.name))
    });
}
