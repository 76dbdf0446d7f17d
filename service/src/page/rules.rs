//! *Rules*: the owner's files of rules, checked as they are typed, tried on the lines of the record, and written once their examples hold.

use std::path::PathBuf;
use std::time::Duration;

use axum::extract::{Form, Query, State};
use axum::http::HeaderMap;
use guarded_sh::approval::text::short;
use guarded_sh::approval::visible;
use guarded_sh::audit::ago;
use guarded_sh::config::LoadRequest;
use guarded_sh::config::approved::{self, Draft};
use guarded_sh::model::Action;
use guarded_sh::pipeline::{World, examples};
use guarded_sh::rules::{Entry, Layer, Origin, RuleSet};
use guarded_sh::subcommand::{Ground, Line, Past, rule_files};
use maud::{Markup, html};
use serde::Deserialize;

use super::deeds::{Change, What, button};
use super::diff::diff;
use super::settings::Mistake;
use super::{Shared, html as parts};

/// How far back the record is tried.
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);
/// Lines that are judged again at most, the newest.
const MOST: usize = 1_000;
/// Lines that are shown of those that change.
const SHOWN: usize = 100;
/// The name that a new file is given, where nobody gives another.
const NEW: &str = "own";
/// What a new file begins with.
const BEGINNING: &str = r#"pack = "own"
summary = "What I want of some commands"

[[rule]]
id       = "own.deploy"
command  = ["make", "deploy"]
severity = "high"
reason   = "puts it where others use it"
matches  = ["make deploy"]
passes   = ["make test"]
"#;

/// Which file is shown.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wanted {
    file: String,
}

/// A file as somebody types it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Typed {
    file: String,
    text: String,
    /// It is to be tried on the record.
    tried: bool,
}

/// The page.
pub async fn page(State(page): State<Shared>, Query(wanted): Query<Wanted>) -> Markup {
    let home = page.home.clone();
    let drawn = tokio::task::spawn_blocking(move || {
        drawn(&Ground::at(None), &wanted.file, home.as_deref())
    });
    let drawn = drawn.await.unwrap_or_else(|_| Err("they could not be read".to_owned()));
    let body = html! {
        p { "Your own rules, which count beside those that are built in. A rule brings its examples: lines on which it fires and lines on which it does not." }
        @match drawn {
            Ok(drawn) => (drawn),
            Err(why) => p.trouble { (visible(&why)) },
        }
    };
    parts::page("Rules", "/rules", &body)
}

/// The files, and the editor of one.
fn drawn(ground: &Ground, file: &str, home: Option<&str>) -> Result<Markup, String> {
    let settings = ground.places.settings().ok_or("there is no home for settings")?;
    let files = rule_files(vec![settings.join("rules")]);
    let stem = |path: &PathBuf| path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
    let names: Vec<String> = files.iter().filter_map(stem).collect();
    let text = match file {
        "" => None,
        name => approved::read_file(&ground.request(), name).map_err(|error| error.to_string())?,
    };
    let name = if file.is_empty() { NEW } else { file };
    Ok(html! {
        nav.spans aria-label="Files of rules" {
            @for own in &names {
                @if own == file { a href=(address(own)) aria-current="true" { (own) } } @else { a href=(address(own)) { (own) } }
                " "
            }
            @if file.is_empty() { a href="/rules" aria-current="true" { "a new file" } } @else { a href="/rules" { "a new file" } }
        }
        p.dim { "They are in " code { (visible(&short(&settings.join("rules").to_string_lossy(), home))) } "." }
        form.line-form method="post" action="/rules/checked" data-part data-live {
            label for="file" { "Name of the file, without " code { ".toml" } }
            input #file name="file" value=(name) spellcheck="false" autocomplete="off" readonly[text.is_some()];
            label for="text" { "Rules" }
            textarea #text name="text" rows="14" spellcheck="false" { "\n" (text.as_deref().unwrap_or(BEGINNING)) }
            p.choices {
                button type="submit" { "Check" }
                button type="submit" name="tried" value="true" { "Try it on the record" }
            }
            div.part aria-live="polite" {}
        }
    })
}

fn address(name: &str) -> String {
    parts::address("/rules", &[("file", name)])
}

/// What is to be said of a file as it is typed.
pub async fn checked(
    State(page): State<Shared>,
    headers: HeaderMap,
    Form(typed): Form<Typed>,
) -> Markup {
    let typed = Typed { text: typed.text.replace("\r\n", "\n"), ..typed };
    let lines = if typed.tried {
        let since = ago(WEEK);
        Some(page.ask(move |index| index.lines(since, MOST)).await)
    } else {
        None
    };
    let standing = if typed.tried { page.standing_of_index() } else { Markup::default() };
    let said = tokio::task::spawn_blocking(move || checks(&Ground::at(None), &typed, lines));
    let said = said.await.unwrap_or_else(|_| Err("it could not be checked".to_owned()));
    let said = said.unwrap_or_else(|why| html! { p.trouble { (visible(&why)) } });
    parts::part(&headers, "Rules", "/rules", &html! { (standing) (said) })
}

/// A file that can be loaded: what it would do.
struct Checked {
    before: Option<String>,
    layer: Layer,
    path: String,
}

/// Reads a file as if it were in place, whether its examples hold or not.
fn read(ground: &Ground, typed: &Typed) -> Result<Checked, Vec<Mistake>> {
    let load = LoadRequest { check: &|_, _, _| Ok(()), ..ground.request() };
    let draft = Draft::of_file(&load, &typed.file, &typed.text);
    let mut draft = draft.map_err(|error| Mistake::all(&error))?;
    let before = draft.before().map(str::to_owned);
    let path = draft.path().display().to_string();
    Ok(Checked { before, layer: draft.take_layer(), path })
}

fn checks(
    ground: &Ground,
    typed: &Typed,
    lines: Option<Result<Vec<Line>, String>>,
) -> Result<Markup, String> {
    let file = match read(ground, typed) {
        Ok(file) => file,
        Err(mistakes) => {
            return Ok(html! {
                ul.mistakes { @for mistake in &mistakes { li.trouble {
                    @if let Some((line, column)) = mistake.place { span.dim { "line " (line) ", column " (column) ": " } }
                    (parts::words(&mistake.message))
                } } }
            });
        }
    };
    let Checked { before, layer, path } = file;
    let set = RuleSet::builtin().with_layer(layer);
    let (rows, failed) = told(&set, &path)?;
    let what = What::Rules(typed.file.clone());
    let is_same = before.as_deref() == Some(typed.text.as_str());
    let tried = match lines {
        None => None,
        Some(lines) => Some(tried(ground, typed, lines?)?),
    };
    Ok(html! {
        (rows)
        @if let Some(tried) = tried { (tried) }
        @if is_same { p.dim { "The file says so already." } }
        @else if failed > 0 { p { "It can be saved once all of its examples hold." } }
        @else {
            (diff(before.as_deref().unwrap_or_default(), &typed.text))
            (button(&what, before.as_deref(), &typed.text, "Save these rules", &address(&typed.file)))
        }
    })
}

/// Each rule of a file with its examples, and how many of them do not hold.
fn told(set: &RuleSet, path: &str) -> Result<(Markup, usize), String> {
    let all = set.all().map_err(|error| error.to_string())?;
    let is_of = |entry: &Entry| matches!(&entry.pack.origin, Origin::File(own) if *own == path);
    let mut failed = 0;
    let mut rules = Vec::new();
    for (entry, own) in all.iter().filter(|(entry, _)| is_of(entry)) {
        let judged: Vec<(String, Option<String>)> = examples::each(own)
            .map(|example| {
                let line = example.matches.iter().chain(&example.passes).next().cloned();
                let error = examples::check(set, entry, &example).err();
                (line.unwrap_or_default(), error.map(|error| error.to_string()))
            })
            .collect();
        failed += judged.iter().filter(|(_, wrong)| wrong.is_some()).count();
        rules.push((entry, judged));
    }
    let markup = html! {
        ul.rules { @for (entry, judged) in &rules { li {
            code { (visible(&entry.rule.id)) } " " (parts::severity(entry.rule.severity)) " " (visible(&entry.rule.reason))
            @if judged.is_empty() { p.dim { "It has no examples." } }
            ul { @for (line, wrong) in judged {
                @match wrong {
                    None => li { span.holds { "holds" } " " code { (visible(line)) } },
                    Some(wrong) => li { span.fails { "fails" } " " (visible(wrong)) },
                }
            } }
        } } }
    };
    Ok((markup, failed))
}

/// What the file would have changed of the last week.
fn tried(ground: &Ground, typed: &Typed, lines: Vec<Line>) -> Result<Markup, String> {
    let checked = read(ground, typed).map_err(|_| "it changed meanwhile")?;
    let world = || World::at(None).map_err(|stop| stop.reason());
    let (before, after) = (world()?.judge.rules, world()?.judge.rules);
    let past = Past::of(lines, &before, &after.with_layer_anew(checked.layer));
    let times: u64 = past.changed.iter().map(|changed| changed.line.times).sum();
    Ok(html! {
        section.verdict.plain aria-label="Tried on the record" {
            h2 { "Tried on the record" }
            @if past.changed.is_empty() {
                p.tried { "It would have changed nothing of the last week: " (counted(past.lines)) "." }
            } @else {
                p.tried { "It would have changed " strong { (times) } @if times == 1 { " decision" } @else { " decisions" } " of the last week. Tried: " (counted(past.lines)) "." }
                ul { @for changed in past.changed.iter().take(SHOWN) { li {
                    code { (visible(&changed.line.line)) } " "
                    @if changed.line.times > 1 { span.dim { (changed.line.times) " times " } }
                    (becomes(changed.before)) " → " strong { (becomes(changed.after)) }
                } } }
                @if past.changed.len() > SHOWN { p.dim { "And " (past.changed.len() - SHOWN) " more lines." } }
            }
        }
    })
}

fn counted(lines: usize) -> String {
    if lines == 1 { "one line".to_owned() } else { format!("{lines} different lines") }
}

/// Returns what an action means for a line of the past.
const fn becomes(action: Action) -> &'static str {
    match action {
        Action::Allow => "runs",
        Action::Contain => "runs contained",
        Action::Ask => "is asked about",
        Action::Deny => "is refused",
    }
}

/// Writes a file of rules, if it is still what was shown, and all of it holds.
pub fn take(name: &str, change: &Change) -> Result<String, String> {
    let ground = Ground::at(None);
    let load = ground.request();
    let draft = Draft::of_file(&load, name, &change.body);
    let draft = draft.map_err(|error| error.to_string())?;
    change.is_of(draft.before())?;
    draft.keep(&load).map_err(|error| error.to_string())?;
    Ok(format!("{name}.toml is written: its rules count from now on"))
}
