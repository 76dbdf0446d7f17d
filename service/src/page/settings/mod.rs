//! *Settings*: every key with its value, where that comes from and what it is for; the owner's own file, changed key by key or as a whole, with what is wrong
//! said at its key and what changes shown before it is written.

mod edited;
mod help;

use std::path::PathBuf;

use axum::extract::{Form, Query, State};
use axum::http::HeaderMap;
use guarded_sh::approval::text::short;
use guarded_sh::approval::visible;
use guarded_sh::config::{self, Origin, Row, SETTINGS, Settings};
use guarded_sh::install;
use guarded_sh::subcommand::{self, Ground};
use maud::{Markup, html};
use serde::Deserialize;

use super::deeds::{Change, What, button};
use super::diff::diff;
use super::{Shared, html as parts};
pub use edited::{Edit, Mistake, edited};
use help::{Help, Kind};

/// Keys that are tables of their own, which are changed in the file.
const WHOLE: [&str; 2] = ["hooks", "model.providers"];

/// Around which directory is looked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wanted {
    directory: String,
}

/// What somebody wants to change.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// The key; none is the whole file.
    key: String,
    value: String,
    /// The key is to be taken out.
    remove: bool,
    /// The whole file.
    text: String,
}

/// The owner's file of settings as it is.
pub struct Own {
    /// Where it is.
    pub path: PathBuf,
    /// What it says; none if it is not there.
    pub text: Option<String>,
}

impl Own {
    /// Reads it.
    pub fn read(ground: &Ground) -> Result<Self, String> {
        let path = subcommand::own_settings(ground).map_err(|failure| failure.told())?;
        let text = install::read_text(&path).map_err(|error| error.to_string())?;
        Ok(Self { path, text })
    }

    /// Returns what it says; nothing if it is not there.
    pub fn said(&self) -> &str {
        self.text.as_deref().unwrap_or_default()
    }
}

/// The page.
pub async fn page(State(page): State<Shared>, Query(wanted): Query<Wanted>) -> Markup {
    let (home, wanted_directory) = (page.home.clone(), wanted.directory.clone());
    let drawn = tokio::task::spawn_blocking(move || {
        let directory = match wanted.directory.as_str() {
            "" => home.clone(),
            directory => Some(directory.to_owned()),
        };
        drawn(&Ground::at(directory), home.as_deref())
    });
    let drawn = drawn.await.unwrap_or_else(|_| Err("they could not be read".to_owned()));
    let body = html! {
        p { "What is in force, and where it comes from. Changes are written into your own file; what a machine's policy locks stays." }
        form.search method="get" action="/settings" {
            label { "As it is in the directory " input.wide name="directory" value=(wanted_directory) spellcheck="false" autocomplete="off" placeholder="your home"; }
            button type="submit" { "Show" }
        }
        @match drawn {
            Ok(drawn) => (drawn),
            Err(why) => p.trouble { (visible(&why)) },
        }
    };
    parts::page("Settings", "/settings", &body)
}

fn drawn(ground: &Ground, home: Option<&str>) -> Result<Markup, String> {
    let own = Own::read(ground)?;
    let loaded = ground.settings();
    Ok(html! {
        @match &loaded {
            Ok(settings) => (in_force(settings, home)),
            // Whatever is wrong can be mended below.
            Err(error) => {
                p.trouble { "The settings are broken, and every line is refused until they are mended:" }
                pre { (visible(&error.render(config::Style::Plain))) }
            },
        }
        h2 #files { "Files, later ones on top" }
        ul.files { @for (path, is_there) in subcommand::settings_files(ground) {
            li { code { (visible(&short(&path.to_string_lossy(), home))) } @if !is_there { span.dim { " (not there)" } } }
        } }
        h2 #whole { "Your file as a whole" }
        form method="post" action="/settings/changed" data-part data-live {
            label for="text" { code { (visible(&short(&own.path.to_string_lossy(), home))) } }
            textarea #text name="text" rows="16" spellcheck="false" { "\n" (own.said()) }
            button type="submit" { "Show what changes" }
            div.part aria-live="polite" {}
        }
    })
}

/// Every key, by its table.
fn in_force(settings: &Settings, home: Option<&str>) -> Markup {
    let rows = config::show(settings);
    let help = Help::read();
    let table = |row: &Row| row.name.split_once('.').map_or("", |(table, _)| table).to_owned();
    let mut tables: Vec<String> = Vec::new();
    for row in &rows {
        let table = table(row);
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    html! {
        @for warning in &settings.warnings { p.trouble { (visible(&short(&warning.to_string(), home))) } }
        @for name in &tables {
            section.keys {
                h2 { @if name.is_empty() { "General" } @else { code { "[" (name) "]" } } }
                @for row in rows.iter().filter(|row| table(row) == *name) { (key(row, &help, home)) }
            }
        }
    }
}

/// One key.
fn key(row: &Row, help: &Help, home: Option<&str>) -> Markup {
    let about = help.of(row.name);
    let id = format!("key-{}", row.name.replace('.', "-"));
    let is_set = row.origin != Origin::Default;
    html! {
        details.setting id=(id) {
            summary {
                code.name { (row.name) } " "
                code.value { (visible(config::told(&row.value))) } " "
                span.dim { (origin(&row.origin, home)) }
            }
            @if !about.text.is_empty() { p { (parts::words(&about.text)) } }
            @match &row.locked {
                Some(lock) => p { "The machine's policy locks it: " code { (origin(lock, home)) } },
                None if WHOLE.contains(&row.name) => p { "It is changed in " a href="#whole" { "the file as a whole" } "." },
                None => (form(row, &about.kind, &id, is_set)),
            }
        }
    }
}

fn form(row: &Row, kind: &Kind, id: &str, is_set: bool) -> Markup {
    let value = plain(&row.value);
    let field = format!("{id}-value");
    html! {
        form method="post" action="/settings/changed" data-part data-live {
            input type="hidden" name="key" value=(row.name);
            label for=(field) { "Value" }
            @match kind {
                Kind::OneOf(words) => select id=(field) name="value" {
                    @for word in words { option value=(word) selected[*word == value] { (word) } }
                },
                Kind::Number => input id=(field) name="value" value=(value) inputmode="numeric" autocomplete="off";,
                Kind::List => input.wide id=(field) name="value" value=(row.value) spellcheck="false" autocomplete="off";,
                Kind::Text => input.wide id=(field) name="value" value=(value) spellcheck="false" autocomplete="off";,
            }
            " " button type="submit" { "Show what changes" }
            @if is_set { " " button type="submit" name="remove" value="true" { "Take it out of my file" } }
            div.part aria-live="polite" {}
        }
    }
}

/// Returns the text that a value is, without quotes, where it is one.
fn plain(value: &str) -> String {
    match config::typed(value) {
        _ if value.is_empty() => String::new(),
        toml::Value::String(text) => text,
        _ => value.to_owned(),
    }
}

fn origin(origin: &Origin, home: Option<&str>) -> String {
    visible(&short(&origin.to_string(), home)).into_owned()
}

/// What a change would do: what is wrong with it, or what changes in the file, with the button that makes it.
pub async fn changed(
    State(page): State<Shared>,
    headers: HeaderMap,
    Form(asked): Form<Asked>,
) -> Markup {
    let home = page.home.clone();
    let shown = tokio::task::spawn_blocking(move || {
        let ground = Ground::at(home);
        let edit = match asked.key.as_str() {
            "" => Edit::Whole(asked.text.replace("\r\n", "\n")),
            key if asked.remove => Edit::Remove(key.to_owned()),
            key => Edit::Set(key.to_owned(), asked.value.clone()),
        };
        let then = match edit.key() {
            Some(key) => format!("/settings#key-{}", key.replace('.', "-")),
            None => "/settings#whole".to_owned(),
        };
        offered(&ground, &edit, "Save it", &then)
    });
    let shown = shown.await.unwrap_or_else(|_| Err("it could not be checked".to_owned()));
    let shown = shown.unwrap_or_else(|why| html! { p.trouble { (visible(&why)) } });
    parts::part(&headers, "Settings", "/settings", &shown)
}

/// Returns what an edit changes in the owner's file, with the button that makes the change.
pub fn offered(ground: &Ground, edit: &Edit, label: &str, then: &str) -> Result<Markup, String> {
    let own = Own::read(ground)?;
    let after = match edited(&own, edit) {
        Ok(after) => after,
        Err(mistakes) => {
            return Ok(html! {
                ul.mistakes { @for mistake in &mistakes { li.trouble {
                    @if let Some((line, column)) = mistake.place { span.dim { "line " (line) ", column " (column) ": " } }
                    (parts::words(&mistake.message))
                } } }
            });
        }
    };
    if after == own.said() {
        return Ok(html! { p.dim { "Nothing changes: your file says so already." } });
    }
    Ok(html! {
        (diff(own.said(), &after))
        (button(&What::Settings, own.text.as_deref(), &after, label, then))
    })
}

/// Writes the owner's settings, if they are still what was shown, and load afterwards.
pub fn take(change: &Change) -> Result<String, String> {
    let ground = Ground::at(None);
    let own = Own::read(&ground)?;
    change.is_of(own.text.as_deref())?;
    // As a person who edits the file is told before anything is written.
    config::check_settings(&own.path, &change.body)
        .map_err(|error| error.render(config::Style::Plain))?;
    let written = subcommand::write_own_settings(&ground, &own.path, own.text, &change.body);
    let (settings, _) = written.map_err(|failure| failure.told())?;
    let ignored: Vec<&str> = subcommand::ignored(&settings, &own.path).collect();
    Ok(match ignored.as_slice() {
        [] => format!("{SETTINGS} is written"),
        some => format!("{SETTINGS} is written, and not all of it counts: {}", some.join("; ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_edited_without_its_quotes() {
        for (value, shown) in [
            ("\"strict\"", "strict"),
            ("95", "95"),
            ("[\"a\"]", "[\"a\"]"),
            ("", ""),
            ("true", "true"),
        ] {
            assert_eq!(plain(value), shown);
        }
    }
}
