//! What programs read of the owner's files: rules, settings, prompts, the agents' own, and what would have asked less. Nothing is changed here.

use std::sync::TryLockError;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use guarded_sh::audit::ago;
use guarded_sh::audit::mask::{MASK, mask};
use guarded_sh::config::{self, Origin, Row, approved};
use guarded_sh::model::{Action, Severity};
use guarded_sh::subcommand::{self, Ground, Measured, Past, Suggestion};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::asking::Sent;
use super::changing::Change;
use super::fault::{Error, Fault};
use super::kept::aside;
use super::reading::Asked;
use super::shape::{self, Json};
use crate::page::deeds::digest;
use crate::page::settings::{Help, Kind, Mistake, WHOLE};
use crate::page::spoken::Spoken;
use crate::page::{Shared, agents, diff, prompts, rules, suggestions, work};
use crate::prompt;

/// The owner's files of rules.
#[derive(Serialize, ToSchema)]
pub struct Rules {
    /// Where they are.
    directory: String,
    /// Their names, without `.toml`.
    files: Vec<String>,
}

/// The owner's files of rules.
#[utoipa::path(get, path = "/api/rules", tag = "owner", responses((status = 200, body = Rules), (status = 422, body = Error)))]
pub async fn rule_files() -> Result<Json<Rules>, Fault> {
    aside(|| {
        let (directory, files) = rules::files(&Ground::at(None)).map_err(unfit)?;
        Ok(Json(Rules { directory: directory.display().to_string(), files }))
    })
    .await
}

/// A file of the owner's.
#[derive(Serialize, ToSchema)]
pub struct File {
    /// What it is called.
    name: String,
    /// What it says.
    text: String,
    /// The SHA-256 of that.
    digest: String,
}

/// One file of rules.
#[utoipa::path(get, path = "/api/rules/{file}", tag = "owner", params(("file" = String, Path, description = "Its name, without `.toml`")),
    responses((status = 200, body = File), (status = 404, body = Error)))]
pub async fn rule_file(Path(name): Path<String>) -> Result<Json<File>, Fault> {
    aside(move || {
        let ground = Ground::at(None);
        let text = approved::read_file(&ground.request(), &name);
        let text = text.map_err(|error| Fault::absent(error.to_string()))?;
        let text = text.ok_or_else(|| Fault::absent("there is no file of rules of this name"))?;
        Ok(Json(File { name, digest: digest(Some(&text)), text }))
    })
    .await
}

/// A file of rules as it would be.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Draft {
    /// Its name, without `.toml`.
    file: String,
    /// What it would say.
    text: String,
    /// Whether it is tried on the lines of the last week.
    #[serde(default)]
    tried: bool,
}

/// What is to be said of a file of rules as it would be.
#[derive(Serialize, ToSchema)]
pub struct Checked {
    /// What is wrong with it.
    mistakes: Vec<Wrong>,
    /// Its rules, each with its examples.
    rules: Vec<Rule>,
    /// How many examples do not hold: it can be saved once all do.
    failing: usize,
    /// What would change in the file: before each line `+`, `-` or a space, and a space.
    difference: String,
    /// What it would have changed of the last week.
    tried: Option<Tried>,
}

/// What is wrong.
#[derive(Serialize, ToSchema)]
pub struct Wrong {
    /// In which line, from 1.
    line: Option<usize>,
    /// In which column, from 1.
    column: Option<usize>,
    /// What it is.
    message: String,
}

impl From<Mistake> for Wrong {
    fn from(mistake: Mistake) -> Self {
        let (line, column) = mistake.place.unzip();
        Self { line, column, message: mistake.message }
    }
}

/// A rule with its examples.
#[derive(Serialize, ToSchema)]
pub struct Rule {
    /// Its id.
    id: String,
    #[schema(schema_with = shape::severity)]
    severity: Severity,
    /// Why it fires.
    reason: String,
    /// Lines on which it fires, and on which it does not.
    examples: Vec<Example>,
}

/// An example of a rule.
#[derive(Serialize, ToSchema)]
pub struct Example {
    /// The line.
    line: String,
    /// Why it does not hold; none: it holds.
    wrong: Option<String>,
}

/// What a file of rules would have changed.
#[derive(Serialize, ToSchema)]
pub struct Tried {
    /// How many different lines were judged again.
    lines: usize,
    /// How many of them would be judged otherwise.
    changing: usize,
    /// Those, the newest first; of many the first.
    changed: Vec<Changed>,
}

/// A line that would be judged otherwise.
#[derive(Serialize, ToSchema)]
pub struct Changed {
    /// The line. Secrets are masked.
    line: String,
    /// The directory.
    directory: String,
    /// How often it was decided about.
    times: u64,
    /// What is done with it by the rules as they are.
    #[schema(schema_with = shape::action)]
    before: Action,
    /// What would be.
    #[schema(schema_with = shape::action)]
    after: Action,
}

impl From<Past> for Tried {
    fn from(past: Past) -> Self {
        let (lines, changing) = (past.lines, past.changed.len());
        let changed = past.changed.into_iter().take(rules::SHOWN).map(|one| Changed {
            line: one.line.line,
            directory: one.line.directory,
            times: one.line.times,
            before: one.before,
            after: one.after,
        });
        Self { lines, changing, changed: changed.collect() }
    }
}

/// Checks a file of rules with its examples, and tries it on the record where that is wanted. Nothing is written.
#[utoipa::path(post, path = "/api/rules/check", tag = "owner", request_body = Draft,
    responses((status = 200, body = Checked), (status = 400, body = Error), (status = 413, body = Error), (status = 415, body = Error), (status = 422, body = Error), (status = 503, body = Error)))]
pub async fn check_rules(
    State(page): State<Shared>,
    Sent(Draft { file, text, tried }): Sent<Draft>,
) -> Result<Json<Checked>, Fault> {
    let lines = if tried {
        let since = ago(rules::WEEK);
        Some(page.ask(move |index| index.lines(since, rules::MOST)).await)
    } else {
        None
    };
    let lines = lines.transpose().map_err(Fault::unavailable)?;
    aside(move || {
        let (ground, typed) = (Ground::at(None), rules::Typed::new(file, text));
        let file = match rules::read(&ground, &typed) {
            Ok(file) => file,
            Err(mistakes) => {
                let mistakes = mistakes.into_iter().map(Wrong::from).collect();
                let (rules, failing, difference, tried) = (Vec::new(), 0, String::new(), None);
                return Ok(Json(Checked { mistakes, rules, failing, difference, tried }));
            }
        };
        let difference = diff::text(file.before.as_deref().unwrap_or_default(), &typed.text);
        let judged = rules::judged(file).map_err(unfit)?;
        let past = lines.map(|lines| rules::past(&ground, &typed, lines)).transpose();
        Ok(Json(Checked {
            mistakes: Vec::new(),
            failing: rules::failed(&judged),
            rules: judged.into_iter().map(Rule::from).collect(),
            difference,
            tried: past.map_err(unfit)?.map(Tried::from),
        }))
    })
    .await
}

impl From<rules::Judged> for Rule {
    fn from(judged: rules::Judged) -> Self {
        let rules::Judged { id, severity, reason, examples } = judged;
        let examples = examples.into_iter().map(|(line, wrong)| Example { line, wrong });
        Self { id, severity, reason, examples: examples.collect() }
    }
}

/// As it is in which directory.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Around {
    /// The directory; the home unless it is said
    directory: Option<String>,
}

/// The settings.
#[derive(Serialize, ToSchema)]
pub struct Settings {
    /// Every key; none where they are broken.
    keys: Vec<Setting>,
    /// What of them does not count, and why.
    warnings: Vec<String>,
    /// Why they are broken, where they are: every line is refused then.
    broken: Option<String>,
    /// What is wrong with them, where they are broken.
    mistakes: Vec<Wrong>,
    /// The files, later ones on top.
    files: Vec<SettingsFile>,
}

/// A file of settings.
#[derive(Serialize, ToSchema)]
pub struct SettingsFile {
    /// Where it is.
    path: String,
    /// Whether it is there.
    there: bool,
}

/// A key of the settings.
#[derive(Serialize, ToSchema)]
pub struct Setting {
    /// Its name, with the table before it.
    key: &'static str,
    /// Its value as TOML has it; empty where it is not set. Secrets are masked, and so are addresses behind their host.
    value: String,
    /// Where it comes from.
    origin: String,
    /// Whether it comes from no file.
    default: bool,
    /// What it is for.
    help: String,
    /// What it can be.
    kind: KeyKind,
    /// The words that it can be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<String>,
    /// Where the machine's policy locks it.
    locked: Option<String>,
    /// Whether it is changed in the file as a whole.
    whole: bool,
}

/// What a value can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyKind {
    /// One of some words.
    Word,
    /// A number.
    Number,
    /// A list of texts.
    List,
    /// A text.
    Text,
}

impl Setting {
    fn of(row: Row, help: &Help) -> Self {
        let (kind, words) = match help.kind(row.name) {
            Kind::OneOf(words) => (KeyKind::Word, words),
            Kind::Number => (KeyKind::Number, Vec::new()),
            Kind::List => (KeyKind::List, Vec::new()),
            Kind::Text => (KeyKind::Text, Vec::new()),
        };
        Self {
            key: row.name,
            value: shown(row.name, &row.value),
            default: row.origin == Origin::Default,
            origin: row.origin.to_string(),
            help: help.text(row.name, Spoken::ENGLISH).into_owned(),
            kind,
            words,
            locked: row.locked.map(|lock| lock.to_string()),
            whole: WHOLE.contains(&row.name),
        }
    }
}

/// Returns a value without its secrets: whoever knows the address of a topic or a webhook can write there.
fn shown(name: &str, value: &str) -> String {
    if !matches!(name, "page.notify.ntfy" | "page.notify.webhooks") {
        return mask(value).into_owned();
    }
    let mut parts = value.split('"');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let host = part.split_once("://").map(|(scheme, rest)| {
            let host = rest.split('/').next().unwrap_or_default();
            format!("{scheme}://{}/{MASK}", host.rsplit('@').next().unwrap_or_default())
        });
        text.extend(["\"", host.as_deref().unwrap_or(part)]);
    }
    text
}

/// Every key of the settings, with its value, where that comes from and what it is for.
#[utoipa::path(get, path = "/api/settings", tag = "owner", params(Around), responses((status = 200, body = Settings)))]
pub async fn settings(
    State(page): State<Shared>,
    Asked(Around { directory }): Asked<Around>,
) -> Result<Json<Settings>, Fault> {
    aside(move || {
        let ground = Ground::at(directory.or_else(|| page.home.clone()));
        let (help, files) = (Help::read(), subcommand::settings_files(&ground));
        let files = files
            .into_iter()
            .map(|(path, there)| SettingsFile { path: path.display().to_string(), there });
        let files = files.collect();
        Ok(Json(match ground.settings() {
            Ok(settings) => {
                let rows = config::show(&settings).into_iter();
                let warnings = settings.warnings.iter().map(ToString::to_string).collect();
                let keys = rows.map(|row| Setting::of(row, &help)).collect();
                let (broken, mistakes) = (None, Vec::new());
                Settings { keys, warnings, broken, mistakes, files }
            }
            Err(error) => {
                let broken = Some(error.to_string());
                let mistakes = Mistake::all(&error).into_iter().map(Wrong::from).collect();
                Settings { keys: Vec::new(), warnings: Vec::new(), broken, mistakes, files }
            }
        }))
    })
    .await
}

/// What language models are told.
#[derive(Serialize, ToSchema)]
pub struct Prompts {
    /// Each part.
    parts: Vec<PartOf>,
    /// The newest measurement of models (`guarded-sh judge eval`), if there is one.
    measured: Option<Measurement>,
}

/// What configured models make of lines that the owner labelled.
#[derive(Serialize, ToSchema)]
pub struct Measurement {
    /// The file of rows, as it was named.
    file: String,
    /// How many rows it has.
    rows: u64,
    /// How many of them are done.
    done: u64,
    /// How often each is asked about.
    runs: u32,
    /// When it began.
    began: Option<String>,
    /// Whether it goes on.
    running: bool,
    /// What was found, as the terminal printed it.
    found: Option<String>,
}

impl From<Measured> for Measurement {
    fn from(measured: Measured) -> Self {
        let Measured { file, rows, done, runs, began, found, is_going_on: running } = measured;
        let began = Timestamp::from_second(began).ok().map(|began| began.to_string());
        Self { file, rows, done, runs, began, running, found }
    }
}

/// A part of what models are told, in short.
#[derive(Serialize, ToSchema)]
pub struct PartOf {
    /// Its name.
    part: &'static str,
    /// Whether the owner has an own text for it.
    own: bool,
}

/// What language models are told, part by part.
#[utoipa::path(get, path = "/api/prompts", tag = "owner", responses((status = 200, body = Prompts)))]
pub async fn prompt_parts(State(page): State<Shared>) -> Result<Json<Prompts>, Fault> {
    aside(move || {
        let is_own = |name: &str| prompts::Part::read(name).is_ok_and(|part| part.own.is_some());
        let parts = prompt::parts().map(|(part, _)| PartOf { part, own: is_own(part) });
        let measured = work::newest(&page).map(Measurement::from);
        Ok(Json(Prompts { parts: parts.collect(), measured }))
    })
    .await
}

/// A part of what models are told.
#[derive(Serialize, ToSchema)]
pub struct Prompt {
    /// Its name.
    part: String,
    /// What a model is told.
    text: String,
    /// What is built in.
    built_in: &'static str,
    /// Whether the owner has an own text for it.
    own: bool,
    /// Where that stands, or would.
    path: String,
    /// What can stand in it.
    placeholders: Vec<Placeholder>,
}

/// What can stand in a prompt between braces.
#[derive(Serialize, ToSchema)]
pub struct Placeholder {
    /// Its name.
    name: &'static str,
    /// Whether it has to.
    needed: bool,
}

/// One part of what models are told.
#[utoipa::path(get, path = "/api/prompts/{part}", tag = "owner", params(("part" = String, Path, description = "Its name")),
    responses((status = 200, body = Prompt), (status = 404, body = Error)))]
pub async fn prompt_part(Path(name): Path<String>) -> Result<Json<Prompt>, Fault> {
    aside(move || {
        let part = prompts::Part::read(&name).map_err(Fault::absent)?;
        let known = prompt::known(&name);
        let placeholders = known.map(|(name, needed)| Placeholder { name, needed }).collect();
        Ok(Json(Prompt {
            text: part.text().to_owned(),
            built_in: part.built_in,
            own: part.own.is_some(),
            path: part.path.display().to_string(),
            placeholders,
            part: name,
        }))
    })
    .await
}

/// A part of what models are told as it would be, and the line that it is shown with.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftPrompt {
    /// Its name.
    part: String,
    /// What it would say.
    text: String,
    /// The line; one of ours unless it is said.
    line: Option<String>,
    /// The directory; the home unless it is said.
    directory: Option<String>,
}

/// What is to be said of a part of the prompts as it would be.
#[derive(Serialize, ToSchema)]
pub struct CheckedPrompt {
    /// Why it cannot be used, where it cannot.
    wrong: Option<String>,
    /// What would change: before each line `+`, `-` or a space, and a space.
    difference: String,
    /// What a model would read about the line.
    preview: Option<String>,
    /// Why nothing would be sent, where nothing would.
    nothing: Option<String>,
}

/// Checks a part of the prompts, and shows what a model would read about a line. Nothing is written or sent.
#[utoipa::path(post, path = "/api/prompts/check", tag = "owner", request_body = DraftPrompt,
    responses((status = 200, body = CheckedPrompt), (status = 400, body = Error), (status = 404, body = Error), (status = 413, body = Error), (status = 415, body = Error)))]
pub async fn check_prompt(
    State(page): State<Shared>,
    Sent(DraftPrompt { part, text, line, directory }): Sent<DraftPrompt>,
) -> Result<Json<CheckedPrompt>, Fault> {
    let line = line.unwrap_or_else(|| prompts::LINE.to_owned());
    let directory = page.directory(directory);
    let typed = prompts::Typed { part, text, line, directory };
    let (difference, wrong, typed) = aside(move || {
        let part = prompts::Part::read(&typed.part).map_err(Fault::absent)?;
        let wrong = prompts::check(&typed.part, &typed.text).err();
        Ok((diff::text(part.text(), &typed.text), wrong, typed))
    })
    .await?;
    let preview = match wrong {
        Some(_) => None,
        None => Some(prompts::preview(&typed).await),
    };
    let (preview, nothing) = match preview {
        Some(Ok(preview)) => (Some(preview), None),
        Some(Err(why)) => (None, Some(why)),
        None => (None, None),
    };
    Ok(Json(CheckedPrompt { wrong, difference, preview, nothing }))
}

/// The agents that are on this machine, and whether each is guarded: what it would start is started, as `guarded-sh doctor` does, and that takes a while.
#[utoipa::path(get, path = "/api/agents", tag = "owner",
    responses((status = 200, body = agents::Found), (status = 422, body = Error), (status = 503, body = Error)))]
pub async fn agents_found(State(page): State<Shared>) -> Result<Json<agents::Found>, Fault> {
    aside(move || {
        let _one = match page.proving.try_lock() {
            Ok(one) => one,
            Err(TryLockError::Poisoned(one)) => one.into_inner(),
            // Nobody waits in a row for programs to start.
            Err(TryLockError::WouldBlock) => {
                return Err(Fault::unavailable("they are being looked at: ask again"));
            }
        };
        agents::proved().map(Json).map_err(unfit)
    })
    .await
}

/// What would have asked less.
#[derive(Serialize, ToSchema)]
pub struct Suggestions {
    /// The best first.
    suggestions: Vec<Suggested>,
    /// Whether a part of the record is damaged, and was not looked at.
    damaged: bool,
}

/// A change that would have spared questions.
#[derive(Serialize, ToSchema)]
pub struct Suggested {
    /// What the settings would have.
    setting: String,
    /// How often a person said yes to what it would let run, and never no.
    yes: u64,
    /// Those lines. Secrets are masked.
    lines: Vec<String>,
    /// What else it would have let through.
    others: Vec<String>,
    /// The change that takes it.
    change: Change,
}

impl From<&Suggestion> for Suggested {
    fn from(suggestion: &Suggestion) -> Self {
        let Suggestion { setting, yes, lines, others, .. } = suggestion.clone();
        let change = Change::from(suggestions::edit(suggestion));
        Self { setting, yes, lines, others, change }
    }
}

/// What `guarded-sh suggest` finds in the record: changes of the settings that would have asked less.
#[utoipa::path(get, path = "/api/suggestions", tag = "owner", responses((status = 200, body = Suggestions), (status = 422, body = Error)))]
pub async fn suggested(State(page): State<Shared>) -> Result<Json<Suggestions>, Fault> {
    aside(move || {
        let ground = Ground::at(page.home.clone());
        let (found, damaged) = suggestions::found(&page.suggested, &ground).map_err(unfit)?;
        Ok(Json(Suggestions { suggestions: found.iter().map(Suggested::from).collect(), damaged }))
    })
    .await
}

/// What is asked for cannot be said, for this reason.
fn unfit(why: String) -> Fault {
    Fault::new(StatusCode::UNPROCESSABLE_ENTITY, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_give_power_are_told_by_their_host() {
        for (name, value, told) in [
            ("page.notify.ntfy", "\"https://ntfy.sh/topic\"", "\"https://ntfy.sh/[masked]\""),
            (
                "page.notify.webhooks",
                "[\"https://u:p@a.example/b?c=d\", \"http://b\"]",
                "[\"https://a.example/[masked]\", \"http://b/[masked]\"]",
            ),
            ("page.notify.ntfy", "", ""),
            ("page.notify.webhooks", "[]", "[]"),
            ("safe_domains", "[\"a.example\"]", "[\"a.example\"]"),
        ] {
            assert_eq!(shown(name, value), told);
        }
    }
}
