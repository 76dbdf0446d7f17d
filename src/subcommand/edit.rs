//! `config edit`: the owner's settings in the owner's editor. A copy is edited, and only what is whole takes the place of what was there.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use super::failure::{Failure, drawn};
use super::ground::Ground;
use super::output::print;
use super::scratch::Scratch;
use super::{desk, own, typed};
use crate::approval::visible;
use crate::config::{self, Row, SETTINGS};
use crate::install;

/// What a new file begins with.
const BEGINNING: &str = "# The keys and what they mean: guarded-sh schema config; what is in force: guarded-sh config\n";
/// Status where nothing was put in place.
const LEFT: u8 = 1;

pub(super) fn run() -> Result<u8, Failure> {
    let ground = Ground::here();
    desk::at_terminal(&ground.environment, "change settings")?;
    let file = own::file(&ground)?;
    let before = install::read_text(&file)?;
    let was = ground.settings().map(|settings| config::show(&settings)).unwrap_or_default();
    let scratch = Scratch::make()?;
    let copy = scratch.path().join(SETTINGS);
    std::fs::write(&copy, before.as_deref().unwrap_or(BEGINNING))?;
    let after = loop {
        open(&ground, &copy)?;
        let text = std::fs::read_to_string(&copy).map_err(|error| {
            Failure::new(format!("what the editor left cannot be read: {error}"))
        })?;
        if text == before.as_deref().unwrap_or(BEGINNING) {
            print("nothing was changed\n")?;
            return Ok(0);
        }
        let Err(error) = config::check_settings(&file, &text) else { break text };
        io::stderr().write_all(drawn(&error).as_bytes())?;
        let terminal = desk::at_terminal(&ground.environment, "change settings")?;
        if !typed::agrees(terminal, "Edit it again? [Y/n] ")? {
            print("nothing was changed\n")?;
            return Ok(LEFT);
        }
    };
    let (settings, _) = own::write(&ground, &file, before, &after)?;
    let mut text = format!("{} is written\n", own::shown(&ground, &file));
    for row in config::show(&settings) {
        text.push_str(&change(&was, &row));
    }
    let ignored: Vec<&str> = own::ignored(&settings, &file).collect();
    for message in &ignored {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "warning: {}", visible(message));
    }
    print(&text)?;
    Ok(if ignored.is_empty() { 0 } else { LEFT })
}

/// Says what became of a setting, if it is another one than before.
fn change(was: &[Row], now: &Row) -> String {
    let told = |value: &str| match value {
        "" => "not set".to_owned(),
        value => visible(value).into_owned(),
    };
    match was.iter().find(|row| row.name == now.name) {
        Some(before) if before.value != now.value => {
            format!("  {} = {}, before: {}\n", now.name, told(&now.value), told(&before.value))
        }
        _ => String::new(),
    }
}

/// Opens a file in the person's editor, and waits for its end.
fn open(ground: &Ground, file: &Path) -> Result<(), Failure> {
    let named = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| ground.environment.get(name).filter(|value| !value.trim().is_empty()));
    let editor = named.unwrap_or("vi");
    let words = shell_words::split(editor)
        .map_err(|error| Failure::new(format!("the editor '{}': {error}", visible(editor))))?;
    let (program, arguments) =
        words.split_first().ok_or_else(|| Failure::new("the editor has no name"))?;
    let status = Command::new(program).args(arguments).arg(file).status().map_err(|error| {
        Failure::new(format!("cannot start the editor '{}': {error}", visible(program)))
            .hint("VISUAL or EDITOR names another one")
    })?;
    if status.success() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the editor '{}' failed ({status}); nothing was changed",
        visible(program)
    )))
}
