//! `config edit`: the owner's settings in the owner's editor. A copy is edited, and only what is whole takes the place of what was there.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use super::failure::{Failure, drawn, with_causes};
use super::ground::Ground;
use super::output::say;
use super::scratch::Scratch;
use super::{desk, own, typed};
use crate::approval::visible;
use crate::config::{self, SETTINGS};
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
    let was = ground.settings().ok();
    let scratch = Scratch::make()?;
    let copy = scratch.path().join(SETTINGS);
    let given = before.as_deref().unwrap_or(BEGINNING);
    std::fs::write(&copy, given)?;
    let after = loop {
        open(&ground, &copy)?;
        let mistake = match install::read_text(&copy) {
            Ok(Some(text)) if text == given => {
                say("nothing was changed\n")?;
                return Ok(0);
            }
            Ok(Some(text)) => match config::check_settings(&file, &text) {
                Ok(()) => break text,
                Err(error) => drawn(&error),
            },
            Ok(None) => {
                return Err(Failure::new("what the editor left cannot be read: it is no more"));
            }
            Err(error) => format!(
                "guarded-sh: what the editor left cannot be read: {}\n",
                visible(&with_causes(&error))
            ),
        };
        io::stderr().write_all(mistake.as_bytes())?;
        let terminal = desk::at_terminal(&ground.environment, "change settings")?;
        if !typed::agrees(terminal, "Edit it again? [Y/n] ")? {
            say("nothing was changed\n")?;
            return Ok(LEFT);
        }
    };
    let (settings, _) = own::write(&ground, &file, before, &after)?;
    let mut text = format!("{} is written\n", own::shown(&ground, &file));
    for (before, now) in was.iter().flat_map(|was| config::changed(was, &settings)) {
        let (was, is) = (config::told(&before.value), config::told(&now.value));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {} = {}, before: {}", now.name, visible(is), visible(was));
    }
    let ignored: Vec<&str> = own::ignored(&settings, &file).collect();
    for message in &ignored {
        let _ = writeln!(text, "warning: {}", visible(message));
    }
    say(&text)?;
    Ok(if ignored.is_empty() { 0 } else { LEFT })
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
