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

use super::deeds::{Button, Change, What};
use super::diff::diff;
use super::spoken::Spoken;
use super::{Shared, html as parts};
pub use edited::{Edit, Mistake, edited, mistakes};
pub use help::{Help, Kind};

/// Keys that are tables of their own, which are changed in the file.
pub const WHOLE: [&str; 2] = ["hooks", "model.providers"];

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
pub async fn page(
    State(page): State<Shared>,
    Query(wanted): Query<Wanted>,
    language: Spoken,
) -> Markup {
    let (home, wanted_directory) = (page.home.clone(), wanted.directory.clone());
    let drawn = tokio::task::spawn_blocking(move || {
        let directory = match wanted.directory.as_str() {
            "" => home.clone(),
            directory => Some(directory.to_owned()),
        };
        drawn(&Ground::at(directory), home.as_deref(), language)
    });
    let drawn = drawn.await.unwrap_or_else(|_| Err("they could not be read".to_owned()));
    let body = html! {
        p { (language.say("settings-intro")) " " a href="/passkey" { (language.say("keys-title")) } }
        form.search method="get" action="/settings" {
            label { (language.say("settings-directory")) " " input.wide name="directory" value=(wanted_directory) spellcheck="false" autocomplete="off" placeholder=(language.say("settings-home")); }
            button type="submit" { (language.say("settings-show")) }
        }
        @match drawn {
            Ok(drawn) => (drawn),
            Err(why) => (parts::trouble(language, &why)),
        }
    };
    parts::page(language, &language.say("page-settings"), "/settings", &body)
}

fn drawn(ground: &Ground, home: Option<&str>, language: Spoken) -> Result<Markup, String> {
    let own = Own::read(ground)?;
    let loaded = ground.settings();
    Ok(html! {
        @match &loaded {
            Ok(settings) => (in_force(settings, home, language)),
            // Whatever is wrong can be mended below.
            Err(error) => {
                p.trouble { (language.say("settings-broken")) }
                pre { (visible(&error.render(config::Style::Plain))) }
            },
        }
        h2 #files { (language.say("settings-files")) }
        ul.files { @for (path, is_there) in subcommand::settings_files(ground) {
            li { code { (visible(&short(&path.to_string_lossy(), home))) } @if !is_there { span.dim { " " (language.say("settings-not-there")) } } }
        } }
        h2 #whole { (language.say("settings-whole")) }
        form method="post" action="/settings/changed" data-part data-live {
            label for="text" { code { (visible(&short(&own.path.to_string_lossy(), home))) } }
            textarea #text name="text" rows="16" spellcheck="false" { "\n" (own.said()) }
            button type="submit" { (language.say("settings-changes")) }
            div.part aria-live="polite" {}
        }
    })
}

/// Every key, by its table.
fn in_force(settings: &Settings, home: Option<&str>, language: Spoken) -> Markup {
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
                h2 { @if name.is_empty() { (language.say("settings-general")) } @else { code { "[" (name) "]" } } }
                @for row in rows.iter().filter(|row| table(row) == *name) { (key(row, &help, home, language)) }
            }
        }
    }
}

/// One key.
fn key(row: &Row, help: &Help, home: Option<&str>, language: Spoken) -> Markup {
    let text = help.text(row.name, language);
    let id = format!("key-{}", row.name.replace('.', "-"));
    html! {
        details.setting id=(id) {
            summary {
                code.name { (row.name) } " "
                code.value { @if row.value.is_empty() { (language.say("settings-unset")) } @else { (visible(&row.value)) } } " "
                span.dim { (origin(&row.origin, home, language)) }
            }
            @if !text.is_empty() { p { (parts::words(&text)) } }
            @match &row.locked {
                Some(lock) => {
                    @let place = origin(lock, home, language);
                    p { (parts::words(&language.tell("settings-locked", &[("where", place.into())]))) }
                },
                None if WHOLE.contains(&row.name) => p { a href="#whole" { (language.say("settings-in-whole")) } },
                None => (form(row, &help.kind(row.name), &id, language)),
            }
        }
    }
}

fn form(row: &Row, kind: &Kind, id: &str, language: Spoken) -> Markup {
    let is_set = row.origin != Origin::Default;
    let value = plain(&row.value);
    let field = format!("{id}-value");
    html! {
        form method="post" action="/settings/changed" data-part data-live {
            input type="hidden" name="key" value=(row.name);
            label for=(field) { (language.say("settings-value")) }
            @match kind {
                Kind::OneOf(words) => select id=(field) name="value" {
                    @for word in words { option value=(word) selected[*word == value] { (word) } }
                },
                Kind::Number => input id=(field) name="value" value=(value) inputmode="numeric" autocomplete="off";,
                Kind::List => input.wide id=(field) name="value" value=(row.value) spellcheck="false" autocomplete="off";,
                Kind::Text => input.wide id=(field) name="value" value=(value) spellcheck="false" autocomplete="off";,
            }
            " " button type="submit" { (language.say("settings-changes")) }
            @if is_set { " " button type="submit" name="remove" value="true" { (language.say("settings-remove")) } }
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

fn origin(origin: &Origin, home: Option<&str>, language: Spoken) -> String {
    match origin {
        Origin::Default => language.say("settings-default").into_owned(),
        Origin::Session => language.say("settings-session").into_owned(),
        Origin::File { .. } => visible(&short(&origin.to_string(), home)).into_owned(),
    }
}

/// What a change would do: what is wrong with it, or what changes in the file, with the button that makes it.
pub async fn changed(
    State(page): State<Shared>,
    headers: HeaderMap,
    language: Spoken,
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
        offered(&ground, &edit, "change-save", &then, language)
    });
    let shown = shown.await.unwrap_or_else(|_| Err("it could not be checked".to_owned()));
    let shown = shown.unwrap_or_else(|why| parts::trouble(language, &why));
    parts::part(language, &headers, &language.say("page-settings"), "/settings", &shown)
}

/// Returns what an edit changes in the owner's file, with the button that makes the change; `label` is the name of the text on it.
pub fn offered(
    ground: &Ground,
    edit: &Edit,
    label: &str,
    then: &str,
    language: Spoken,
) -> Result<Markup, String> {
    let own = Own::read(ground)?;
    let after = match edited(&own, edit) {
        Ok(after) => after,
        Err(wrong) => return Ok(mistakes(language, &wrong, 0)),
    };
    if after == own.said() {
        return Ok(html! { p.dim { (language.say("settings-same")) } });
    }
    let shown = own.text.as_deref();
    let button = Button { what: What::Settings, shown, body: &after, label, then };
    Ok(html! {
        (diff(language, own.said(), &after))
        (button.drawn(language))
    })
}

/// Writes the owner's settings, if they are still what was shown, and load afterwards.
pub fn take(change: &Change, language: Spoken) -> Result<String, String> {
    let ground = Ground::at(None);
    let own = Own::read(&ground)?;
    change.is_of(own.text.as_deref())?;
    // As a person who edits the file is told before anything is written.
    config::check_settings(&own.path, &change.body)
        .map_err(|error| error.render(config::Style::Plain))?;
    let written = subcommand::write_own_settings(&ground, &own.path, own.text, &change.body);
    let (settings, _) = written.map_err(|failure| failure.told())?;
    let ignored: Vec<&str> = subcommand::ignored(&settings, &own.path).collect();
    let file = ("file", SETTINGS.into());
    Ok(match ignored.as_slice() {
        [] => language.tell("change-written", &[file]),
        some => language.tell("settings-ignored", &[file, ("what", some.join("; ").into())]),
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
