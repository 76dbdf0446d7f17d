//! `config`: each setting in force, and the file and line that it comes from; and the owner's own settings, changed by a word.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::arguments::Reader;
use super::failure::{Failure, USAGE, drawn};
use super::ground::Ground;
use super::output::{Output, padded, print, say, short, width};
use super::{desk, edit, own};
use crate::approval::visible;
use crate::config::{self, Origin, Row, Settings};
use crate::install::settings::Put;
use crate::rules;

/// Columns up to which a value is followed by its origin in one column.
const VALUE: usize = 34;

/// What `config` takes.
#[derive(Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    change: Option<Change>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
    /// Only what somebody set
    #[arg(long)]
    changed: bool,
}

/// What is done with the owner's own settings.
#[derive(Subcommand)]
enum Change {
    /// Prints the value of a setting
    Get {
        /// As `config` shows it: `profile`, `approval.wait`
        key: String,
    },
    /// Gives a setting a value, in your own settings
    Set {
        /// As `config` shows it
        key: String,
        /// The value: a word, a number, `true`, `["a", "b"]`
        value: String,
    },
    /// Opens your own settings in your editor ($VISUAL, else $EDITOR, else vi)
    ///
    /// It edits a copy. What has a mistake is told and can be edited again, and only what is whole is put in place.
    Edit,
    /// Adds to a list, in your own settings
    Add {
        /// The list
        key: String,
        /// What it has from now on too
        item: String,
    },
    /// Takes from a list, in your own settings
    Remove {
        /// The list
        key: String,
        /// What it has no more
        item: String,
    },
}

pub(super) fn run(arguments: Arguments) -> Result<u8, Failure> {
    match arguments.change {
        None => all(arguments.json.into(), arguments.changed),
        Some(Change::Get { key }) => get(&key),
        Some(Change::Set { key, value }) => change(&key, &Put::Value(config::typed(&value))),
        Some(Change::Edit) => edit::run(),
        Some(Change::Add { key, item }) => change(&key, &Put::Item(item)),
        Some(Change::Remove { key, item }) => change(&key, &Put::Without(item)),
    }
}

/// Returns the row of a key; where there is none, what was perhaps meant.
fn row(settings: &Settings, key: &str) -> Result<Row, Failure> {
    let rows = config::show(settings);
    let names: Vec<String> = rows.iter().map(|row| row.name.to_owned()).collect();
    rows.into_iter().find(|row| row.name == key).ok_or_else(|| {
        let failure = Failure::new(format!("there is no setting `{}`", visible(key)));
        match rules::source::did_you_mean(key, &names) {
            Some(meant) => failure.hint(meant),
            None => failure.hint("`guarded-sh config` shows them all"),
        }
    })
}

fn get(key: &str) -> Result<u8, Failure> {
    let row = row(&Ground::here().settings()?, key)?;
    print(&format!("{}\n", visible(&row.value)))?;
    Ok(0)
}

fn change(key: &str, put: &Put) -> Result<u8, Failure> {
    let ground = Ground::here();
    desk::at_terminal(&ground.environment, "change settings")?;
    let before = row(&ground.settings()?, key)?.value;
    let done = own::put(&ground, key, put)?;
    if let Some((said, status)) = done.nothing() {
        say(&said)?;
        return Ok(status);
    }
    let now = row(&done.settings, key)?.value;
    let was = match before.as_str() {
        before if before == now => " as before".to_owned(),
        before => format!(", before: {}", visible(config::told(before))),
    };
    say(&format!("{}: {key} = {}{was}\n", done.path, visible(&now)))?;
    Ok(0)
}

fn all(reader: Reader, is_short: bool) -> Result<u8, Failure> {
    let ground = Ground::here();
    // Rules that are broken are told, and hide no setting.
    let (settings, digest, broken) = match config::load(&ground.request()) {
        Ok(loaded) => (loaded.settings.clone(), Some(loaded.digest.to_string()), None),
        Err(error) => (ground.settings()?, None, Some(error)),
    };
    let files = files(&ground);
    let output = Output::new();
    let text = match reader {
        Reader::Program => format!("{}\n", wire(&settings, digest.as_deref(), &files)),
        Reader::Person => {
            let mut page = page(&settings, is_short, &files, ground.home(), output);
            page.extend(
                digest.map(|digest| format!("\n{}\n", output.dim(&format!("policy {digest}")))),
            );
            output.fit(&page)
        }
    };
    print(&text)?;
    if reader == Reader::Person {
        ground.tell_place(output);
    }
    let Some(error) = broken else { return Ok(0) };
    // Nothing is left to do if stderr is gone.
    let _ = io::stderr().write_all(drawn(&error).as_bytes());
    Ok(USAGE)
}

/// The files of settings that count here, in order, and whether they are there.
#[must_use]
pub fn files(ground: &Ground) -> Vec<(PathBuf, bool)> {
    let request = ground.request();
    let places = request.places;
    let mut files = vec![places.system.join(config::SETTINGS)];
    // One that cannot be read was told before.
    files.extend(config::policy_files(places).unwrap_or_default());
    let own = places.settings().into_iter().chain(places.foreign.clone());
    files.extend(own.map(|directory| directory.join(config::SETTINGS)));
    files.extend(config::project_settings(&request));
    files.into_iter().map(|file| (file.clone(), file.is_file())).collect()
}

fn page(
    settings: &Settings,
    is_short: bool,
    files: &[(PathBuf, bool)],
    home: Option<&str>,
    output: Output,
) -> String {
    let mut rows = config::show(settings);
    rows.retain(|row| !is_short || !is_default(row) || row.locked.is_some());
    let names = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for row in &rows {
        let value = match row.value.as_str() {
            "" => output.dim(&padded(config::told(""), VALUE)),
            value if is_default(row) => padded(&visible(value), VALUE),
            value => output.bold(&padded(&visible(value), VALUE)),
        };
        let origin = match &row.locked {
            Some(lock) => format!("locked  {}", origin(lock, home)),
            None => origin(&row.origin, home),
        };
        let origin = output.dim(&origin);
        // A value that is too long for its column has its origin on a line of its own.
        let gap = if width(&visible(&row.value)) > VALUE {
            format!("\n{}", " ".repeat(names + 2 + VALUE + 2))
        } else {
            "  ".to_owned()
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}  {value}{gap}{origin}", padded(row.name, names));
    }
    let _ = writeln!(text, "\n{}", output.dim("files, later ones on top:"));
    for (file, is_there) in files {
        let path = short(&file.to_string_lossy(), home);
        let path = visible(&path);
        let _ = match is_there {
            true => writeln!(text, "  {path}"),
            false => writeln!(text, "  {}", output.dim(&format!("{path} (not there)"))),
        };
    }
    for warning in &settings.warnings {
        let place = origin(&warning.origin, home);
        let _ = writeln!(text, "\nwarning: {place}: {}", visible(&warning.message));
    }
    text
}

fn is_default(row: &Row) -> bool {
    row.origin == Origin::Default
}

fn origin(origin: &Origin, home: Option<&str>) -> String {
    match origin {
        Origin::Default => "default".to_owned(),
        Origin::File { path, line } => {
            format!("{}:{line}", visible(&short(&path.to_string_lossy(), home)))
        }
        Origin::Session => "session".to_owned(),
    }
}

fn wire(settings: &Settings, digest: Option<&str>, files: &[(PathBuf, bool)]) -> Value {
    let mut values = Map::new();
    for row in config::show(settings) {
        let row_value = json!({ "value": value(&row.value), "origin": wire_origin(&row.origin), "locked": row.locked.as_ref().map(wire_origin) });
        values.insert(row.name.to_owned(), row_value);
    }
    let file =
        |(path, is_there): &(PathBuf, bool)| json!({ "file": text(path), "exists": is_there });
    let warning = |warning: &config::Warning| json!({ "origin": wire_origin(&warning.origin), "message": warning.message });
    json!({
        "settings": values,
        "policy": digest,
        "files": files.iter().map(file).collect::<Vec<_>>(),
        "warnings": settings.warnings.iter().map(warning).collect::<Vec<_>>(),
    })
}

fn wire_origin(origin: &Origin) -> Value {
    match origin {
        Origin::Default => Value::Null,
        Origin::File { path, line } => json!({ "file": text(path), "line": line }),
        Origin::Session => json!("session"),
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A value as TOML would have it, as JSON has it; null if it is not set.
fn value(toml: &str) -> Value {
    let table: Option<Map<String, Value>> = toml::from_str(&format!("value = {toml}")).ok();
    table.and_then(|mut table| table.remove("value")).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_kind() {
        for (toml, json) in [
            ("\"balanced\"", json!("balanced")),
            ("95", json!(95)),
            ("true", json!(true)),
            ("[\"a\", \"b\"]", json!(["a", "b"])),
            ("", Value::Null),
        ] {
            assert_eq!(value(toml), json);
        }
    }
}
