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
use guarded_sh::model::{Action, Severity};
use guarded_sh::pipeline::{World, examples};
use guarded_sh::rules::{Entry, Layer, Origin, RuleSet};
use guarded_sh::subcommand::{Ground, Line, Past, rule_files};
use maud::{Markup, html};
use serde::Deserialize;

use super::deeds::{Button, Change, What};
use super::diff::diff;
use super::settings::{Mistake, mistakes};
use super::spoken::Spoken;
use super::{Shared, html as parts, work};

/// How far back the record is tried.
pub const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);
/// Lines that are judged again at most, the newest.
pub const MOST: usize = 1_000;
/// Lines that are shown of those that change.
pub const SHOWN: usize = 100;
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
    pub file: String,
    pub text: String,
    /// It is to be tried on the record.
    tried: bool,
}

impl Typed {
    /// Returns a file as it would be.
    pub const fn new(file: String, text: String) -> Self {
        Self { file, text, tried: false }
    }
}

/// The page.
pub async fn page(
    State(page): State<Shared>,
    Query(wanted): Query<Wanted>,
    language: Spoken,
) -> Markup {
    let home = page.home.clone();
    let drawn = tokio::task::spawn_blocking(move || {
        drawn(&Ground::at(None), &wanted.file, home.as_deref(), language)
    });
    let drawn = drawn.await.unwrap_or_else(|_| Err("they could not be read".to_owned()));
    let body = html! {
        p { (language.say("rules-intro")) }
        @match drawn {
            Ok(drawn) => (drawn),
            Err(why) => (parts::trouble(language, &why)),
        }
    };
    parts::page(language, &language.say("page-rules"), "/rules", &body)
}

/// Returns where the owner's files of rules are, and their names.
pub fn files(ground: &Ground) -> Result<(PathBuf, Vec<String>), String> {
    let settings = ground.places.settings().ok_or("there is no home for settings")?;
    let directory = settings.join("rules");
    let files = rule_files(vec![directory.clone()]);
    let stem = |path: &PathBuf| path.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
    Ok((directory, files.iter().filter_map(stem).collect()))
}

/// The files, and the editor of one.
fn drawn(
    ground: &Ground,
    file: &str,
    home: Option<&str>,
    language: Spoken,
) -> Result<Markup, String> {
    let (directory, names) = files(ground)?;
    let text = match file {
        "" => None,
        name => approved::read_file(&ground.request(), name).map_err(|error| error.to_string())?,
    };
    let name = if file.is_empty() { NEW } else { file };
    let place = short(&directory.to_string_lossy(), home);
    Ok(html! {
        nav.spans aria-label=(language.say("rules-files")) {
            @for own in &names {
                @if own == file { a href=(address(own)) aria-current="true" { (own) } } @else { a href=(address(own)) { (own) } }
                " "
            }
            @if file.is_empty() { a href="/rules" aria-current="true" { (language.say("rules-new")) } } @else { a href="/rules" { (language.say("rules-new")) } }
        }
        p.dim { (parts::words(&language.tell("rules-where", &[("path", place.into())]))) }
        form.line-form method="post" action="/rules/checked" data-part data-live {
            label for="file" { (parts::words(&language.say("rules-name"))) }
            input #file name="file" value=(name) spellcheck="false" autocomplete="off" readonly[text.is_some()];
            label for="text" { (language.say("page-rules")) }
            textarea #text name="text" rows="14" spellcheck="false" { "\n" (text.as_deref().unwrap_or(BEGINNING)) }
            p.choices {
                button type="submit" { (language.say("rules-check")) }
                button type="submit" name="tried" value="true" { (language.say("rules-try")) }
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
    language: Spoken,
    Form(typed): Form<Typed>,
) -> Markup {
    let typed = Typed { text: typed.text.replace("\r\n", "\n"), ..typed };
    let lines = if typed.tried {
        let since = ago(WEEK);
        Some(page.ask(move |index| index.lines(since, MOST)).await)
    } else {
        None
    };
    let standing = if typed.tried { work::of_index(&page, language) } else { Markup::default() };
    let said =
        tokio::task::spawn_blocking(move || checks(&Ground::at(None), &typed, lines, language));
    let said = said.await.unwrap_or_else(|_| Err("it could not be checked".to_owned()));
    let said = said.unwrap_or_else(|why| parts::trouble(language, &why));
    let shown = html! { (standing) (said) };
    parts::part(language, &headers, &language.say("page-rules"), "/rules", &shown)
}

/// A file that can be loaded: what it would do.
pub struct Checked {
    /// What the file says now.
    pub before: Option<String>,
    layer: Layer,
    path: String,
}

/// A rule with its examples, each with why it does not hold, where it does not.
pub struct Judged {
    pub id: String,
    pub severity: Severity,
    pub reason: String,
    pub examples: Vec<(String, Option<String>)>,
}

/// Reads a file as if it were in place, whether its examples hold or not.
pub fn read(ground: &Ground, typed: &Typed) -> Result<Checked, Vec<Mistake>> {
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
    language: Spoken,
) -> Result<Markup, String> {
    let file = match read(ground, typed) {
        Ok(file) => file,
        Err(wrong) => return Ok(mistakes(language, &wrong, 0)),
    };
    let before = file.before.clone();
    let (rows, failed) = told(&judged(file)?, language);
    let is_same = before.as_deref() == Some(typed.text.as_str());
    let tried = match lines {
        None => None,
        Some(lines) => Some(tried(ground, typed, lines?, language)?),
    };
    let button = Button {
        what: What::Rules(typed.file.clone()),
        shown: before.as_deref(),
        body: &typed.text,
        label: "rules-save",
        then: &address(&typed.file),
    };
    Ok(html! {
        (rows)
        @if let Some(tried) = tried { (tried) }
        @if is_same { p.dim { (language.say("rules-same")) } }
        @else if failed > 0 { p { (language.say("rules-not-yet")) } }
        @else {
            (diff(language, before.as_deref().unwrap_or_default(), &typed.text))
            (button.drawn(language))
        }
    })
}

/// Returns each rule of a file with its examples.
pub fn judged(file: Checked) -> Result<Vec<Judged>, String> {
    let Checked { layer, path, .. } = file;
    let set = RuleSet::builtin().with_layer(layer);
    let all = set.all().map_err(|error| error.to_string())?;
    let is_of = |entry: &Entry| matches!(&entry.pack.origin, Origin::File(own) if *own == path);
    let rules = all.iter().filter(|(entry, _)| is_of(entry)).map(|(entry, own)| {
        let examples = examples::each(own).map(|example| {
            let line = example.matches.iter().chain(&example.passes).next().cloned();
            let error = examples::check(&set, entry, &example).err();
            (line.unwrap_or_default(), error.map(|error| error.to_string()))
        });
        Judged {
            id: entry.rule.id.clone(),
            severity: entry.rule.severity,
            reason: entry.rule.reason.clone(),
            examples: examples.collect(),
        }
    });
    Ok(rules.collect())
}

/// Returns how many examples do not hold.
pub fn failed(rules: &[Judged]) -> usize {
    let all = rules.iter().flat_map(|rule| &rule.examples);
    all.filter(|(_, wrong)| wrong.is_some()).count()
}

/// Each rule of a file with its examples, and how many of them do not hold.
fn told(rules: &[Judged], language: Spoken) -> (Markup, usize) {
    let failed = failed(rules);
    let markup = html! {
        ul.rules { @for Judged { id, severity, reason, examples } in rules { li {
            code { (visible(id)) } " " (parts::severity(language, *severity)) " " (visible(reason))
            @if examples.is_empty() { p.dim { (language.say("rules-no-examples")) } }
            ul { @for (line, wrong) in examples {
                @match wrong {
                    None => li { span.holds { (language.say("rules-holds")) } " " code { (visible(line)) } },
                    Some(wrong) => li { span.fails { (language.say("rules-fails")) } " " (visible(&language.0.meaning(wrong))) },
                }
            } }
        } } }
    };
    (markup, failed)
}

/// Judges lines of the past by the rules as they are, and as they would be with a file.
pub fn past(ground: &Ground, typed: &Typed, lines: Vec<Line>) -> Result<Past, String> {
    let checked = read(ground, typed).map_err(|_| "it changed meanwhile")?;
    let world = || World::at(None).map_err(|stop| stop.reason());
    let (before, after) = (world()?.judge.rules, world()?.judge.rules);
    Ok(Past::of(lines, &before, &after.with_layer_anew(checked.layer)))
}

/// What the file would have changed of the last week.
fn tried(
    ground: &Ground,
    typed: &Typed,
    lines: Vec<Line>,
    language: Spoken,
) -> Result<Markup, String> {
    let past = past(ground, typed, lines)?;
    let times: u64 = past.changed.iter().map(|changed| changed.line.times).sum();
    let tried = language.tell("rules-lines", &[("count", past.lines.into())]);
    let title = language.say("rules-tried");
    let becomes = |action: Action| language.say(becomes(action));
    Ok(html! {
        section.verdict.plain aria-label=(title) {
            h2 { (title) }
            @if past.changed.is_empty() {
                p.tried { (language.tell("rules-no-change", &[("lines", tried.into())])) }
            } @else {
                p.tried { (language.tell("rules-changes", &[("count", times.into()), ("lines", tried.into())])) }
                ul { @for changed in past.changed.iter().take(SHOWN) { li {
                    code { (visible(&changed.line.line)) } " "
                    @if changed.line.times > 1 { span.dim { (language.tell("rules-times", &[("count", changed.line.times.into())])) " " } }
                    (becomes(changed.before)) " → " strong { (becomes(changed.after)) }
                } } }
                @if past.changed.len() > SHOWN { p.dim { (language.tell("rules-more", &[("count", (past.changed.len() - SHOWN).into())])) } }
            }
        }
    })
}

/// Returns the name of the text that says what an action means for a line of the past.
const fn becomes(action: Action) -> &'static str {
    match action {
        Action::Allow => "rules-runs",
        Action::Contain => "rules-contained",
        Action::Ask => "rules-asked",
        Action::Deny => "rules-refused",
    }
}

/// Writes a file of rules, if it is still what was shown, and all of it holds.
pub fn take(name: &str, change: &Change, language: Spoken) -> Result<String, String> {
    let ground = Ground::at(None);
    let load = ground.request();
    let draft = Draft::of_file(&load, name, &change.body);
    let draft = draft.map_err(|error| error.to_string())?;
    change.is_of(draft.before())?;
    draft.keep(&load).map_err(|error| error.to_string())?;
    let file = [("file", format!("{name}.toml").into())];
    Ok(language.tell("rules-written", &file))
}
