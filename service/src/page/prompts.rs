//! *Prompts*: what language models are told, part by part: the owner's text or the one that is built in, its placeholders, and what a model would read about a
//! line. Nothing is sent.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use axum::extract::{Form, Query, State};
use axum::http::HeaderMap;
use guarded_sh::approval::text::{short, with_causes};
use guarded_sh::approval::visible;
use guarded_sh::install;
use guarded_sh::judge::Request;
use guarded_sh::model::{Heard, StandardInput};
use guarded_sh::pipeline;
use guarded_sh::subcommand::Ground;
use guarded_sh::sys::users::may_others_write;
use maud::{Markup, html};
use serde::Deserialize;

use super::deeds::{Button, Change, What};
use super::diff::diff;
use super::judged::world;
use super::spoken::Spoken;
use super::{Page, Shared, html as parts, work};
use crate::prompt::{self, Edited};
use crate::{attach, chain};

/// The part that is shown first.
const FIRST: &str = "shell";
/// The line that is shown a model where nobody types another.
pub const LINE: &str = "git push origin feature";

/// Which part is shown.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wanted {
    part: String,
}

/// A part as somebody types it, and the line that it is tried on.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Typed {
    pub part: String,
    pub text: String,
    pub line: String,
    pub directory: String,
}

/// A part as it is.
pub struct Part {
    pub built_in: &'static str,
    pub path: PathBuf,
    /// What the owner's file says; none if it is not there.
    pub own: Option<String>,
}

impl Part {
    /// Reads it.
    pub fn read(name: &str) -> Result<Self, String> {
        let found = prompt::parts().find(|(part, _)| *part == name);
        let (_, built_in) = found.ok_or("there is no prompt of this name")?;
        let path = directory()?.join(format!("{name}.txt"));
        let own = install::read_text(&path).map_err(|error| error.to_string())?;
        Ok(Self { built_in, path, own })
    }

    /// Returns what counts.
    pub fn text(&self) -> &str {
        self.own.as_deref().unwrap_or(self.built_in)
    }
}

/// Where the owner's parts are.
fn directory() -> Result<PathBuf, String> {
    let settings = Ground::at(None).places.settings();
    Ok(settings.ok_or("there is no home for settings")?.join("prompts"))
}

/// The page.
pub async fn page(
    State(page): State<Shared>,
    Query(wanted): Query<Wanted>,
    language: Spoken,
) -> Markup {
    let name = if wanted.part.is_empty() { FIRST.to_owned() } else { wanted.part };
    let drawn = tokio::task::spawn_blocking(move || drawn(&name, &page, language));
    let drawn = drawn.await.unwrap_or_else(|_| Err("they could not be read".to_owned()));
    let body = html! {
        p { (language.say("prompts-intro")) }
        @match drawn {
            Ok(drawn) => (drawn),
            Err(why) => (parts::trouble(language, &why)),
        }
    };
    parts::page(language, &language.say("page-prompts"), "/prompts", &body)
}

fn drawn(name: &str, page: &Page, language: Spoken) -> Result<Markup, String> {
    let home = page.home.as_deref();
    let part = Part::read(name)?;
    let is_own = |name: &str| Part::read(name).is_ok_and(|part| part.own.is_some());
    let place = short(&part.path.to_string_lossy(), home);
    let back = Button {
        what: What::Prompt(name.to_owned()),
        shown: part.own.as_deref(),
        body: part.built_in,
        label: "prompts-remove",
        then: &address(name),
    };
    let measured = work::newest(page);
    let is_measuring = measured.as_ref().is_some_and(|measured| measured.is_going_on);
    let models = work::of_models(measured.as_ref(), home, language);
    Ok(html! {
        // What goes on is what is looked for.
        @if is_measuring { (models) }
        nav.spans aria-label=(language.say("prompts-parts")) { @for (other, _) in prompt::parts() {
            @let label = if is_own(other) { language.tell("prompts-yours", &[("part", other.into())]) } else { other.to_owned() };
            @if other == name { a href=(address(other)) aria-current="true" { (label) } } @else { a href=(address(other)) { (label) } }
            " "
        } }
        p.dim {
            @match &part.own {
                Some(_) => (parts::words(&language.tell("prompts-own", &[("path", place.into())]))),
                None => (language.say("prompts-built-in")),
            }
        }
        form.line-form method="post" action="/prompts/checked" data-part data-live {
            input type="hidden" name="part" value=(name);
            label for="text" { (language.say("prompts-text")) }
            textarea #text name="text" rows="18" spellcheck="false" { "\n" (part.text()) }
            details {
                summary { (language.say("prompts-placeholders")) }
                ul.placeholders { @for (known, is_needed) in prompt::known(name) {
                    li { code { "{" (known) "}" } @if is_needed { " " (language.say("prompts-needed")) } }
                } }
                p.dim { (parts::words(&language.tell("prompts-common", &[("common", "{common}".into())]))) " " a href=(address("opinion")) { "opinion" } ", " a href=(address("note")) { "note" } }
            }
            label for="line" { (language.say("prompts-line")) }
            input #line name="line" value=(LINE) spellcheck="false" autocomplete="off";
            label for="directory" { (language.say("try-directory")) }
            input #directory name="directory" value=(home.unwrap_or("/")) spellcheck="false" autocomplete="off";
            button type="submit" { (language.say("prompts-check")) }
            div.part aria-live="polite" {}
        }
        @if part.own.is_some() {
            details {
                summary { (language.say("prompts-back")) }
                (diff(language, part.text(), part.built_in))
                (back.drawn(language))
            }
        }
        @if !is_measuring { (models) }
    })
}

fn address(part: &str) -> String {
    parts::address("/prompts", &[("part", part)])
}

/// What is to be said of a part as it is typed: what is wrong with it, or what changes, and what a model would read.
pub async fn checked(headers: HeaderMap, language: Spoken, Form(typed): Form<Typed>) -> Markup {
    let typed = Typed { text: typed.text.replace("\r\n", "\n"), ..typed };
    let shown = match checks(&typed, language).await {
        Ok(shown) => shown,
        Err(why) => parts::trouble(language, &why),
    };
    parts::part(language, &headers, &language.say("page-prompts"), "/prompts", &shown)
}

async fn checks(typed: &Typed, language: Spoken) -> Result<Markup, String> {
    let part = Part::read(&typed.part)?;
    check(&typed.part, &typed.text)?;
    let preview = preview(typed).await;
    let is_same = part.text() == typed.text;
    let button = Button {
        what: What::Prompt(typed.part.clone()),
        shown: part.own.as_deref(),
        body: &typed.text,
        label: "change-save",
        then: &address(&typed.part),
    };
    let title = language.say("prompts-preview");
    Ok(html! {
        @if is_same { p.dim { (language.say("prompts-same")) } }
        @else {
            (diff(language, part.text(), &typed.text))
            (button.drawn(language))
        }
        @match preview {
            Ok(text) => details open {
                summary { (title) }
                pre.preview tabindex="0" aria-label=(title) { (visible(&text)) }
            },
            Err(why) => (parts::trouble(language, &why)),
        }
    })
}

/// Holds that every template that has a part can be used with this text in its place.
pub fn check(name: &str, text: &str) -> Result<(), String> {
    let prompts = directory().ok();
    let edited = Some(Edited { name, text });
    for which in prompt::with_part(name) {
        let whole = prompt::template_with(which, prompts.as_deref(), edited);
        let whole = whole.map_err(|error| error.to_string())?;
        prompt::check(&whole).map_err(|error| format!("{}: {error}", which.name()))?;
    }
    Ok(())
}

/// Returns what a model would read about a line, as `guarded-sh judge preview` says it.
pub async fn preview(typed: &Typed) -> Result<String, String> {
    let (line, directory) = (typed.line.clone(), typed.directory.clone());
    let asked = tokio::task::spawn_blocking(move || request(&line, &directory)).await;
    let mut request = asked.unwrap_or_else(|_| Err("it could not be judged".to_owned()))?;
    attach::attach(&mut request.case).await;
    let which = prompt::with_part(&typed.part).next().ok_or("there is no prompt of this name")?;
    request.template = which;
    let edited = Some(Edited { name: &typed.part, text: &typed.text });
    match chain::prompt_with(&request, edited) {
        Ok((_, prompt)) => Ok(prompt.text),
        Err(Heard::Unavailable { why }) => Err(format!("nothing would be sent: {why}")),
        Err(_) => Err("nothing would be sent".to_owned()),
    }
}

fn request(line: &str, directory: &str) -> Result<Request, String> {
    let world = world(directory)?.with_input(StandardInput::Nothing);
    let request = pipeline::Request::about(line.as_bytes());
    let judgement = world.judge(&request).map_err(|stop| stop.reason())?;
    Ok(pipeline::second_opinion(&world, &judgement).0)
}

/// Writes the owner's text of a part, if what is there is still what was shown, and every template can be used with it. What is built in needs no file.
pub fn take(name: &str, change: &Change, language: Spoken) -> Result<String, String> {
    let part = Part::read(name)?;
    change.is_of(part.own.as_deref())?;
    check(name, &change.body)?;
    let directory = part.path.parent().unwrap_or(Path::new("/"));
    let failed = |error: &dyn std::error::Error| with_causes(error);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|error| format!("'{}': {error}", directory.display()))?;
    for path in [directory, &part.path] {
        if path.metadata().is_ok_and(|found| may_others_write(&found)) {
            return Err(format!(
                "others may write '{}': it is no place for what models are told",
                path.display()
            ));
        }
    }
    if change.body == part.built_in {
        if part.own.is_some() {
            std::fs::remove_file(&part.path).map_err(|error| failed(&error))?;
        }
        return Ok(language.tell("prompts-again", &[("part", name.into())]));
    }
    let written = install::write_over(&part.path, part.own.as_deref(), &change.body);
    written.map_err(|error| failed(&error))?;
    let file = [("file", format!("{name}.txt").into())];
    Ok(language.tell("change-written", &file))
}
