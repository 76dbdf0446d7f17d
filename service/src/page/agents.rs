//! *Agents*: those that are here, and whether each is guarded, as `guarded-sh doctor` proves it; the guard put into their settings and taken out again by
//! `guarded-sh install` and `uninstall`, with what changes shown before. The programs are those beside this one.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::PoisonError;

use axum::extract::{Form, State};
use axum::http::HeaderMap;
use guarded_sh::approval::text::short;
use guarded_sh::approval::visible;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::deeds::{Button, Change, What};
use super::diff::difference;
use super::spoken::Spoken;
use super::{Shared, html as parts};

/// What is done with an agent's settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// The guard is put into them.
    Install,
    /// It is taken out.
    Uninstall,
}

impl Way {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Uninstall => "uninstall",
        }
    }

    /// Returns the change that it is.
    pub fn of(self, agent: &str) -> What {
        match self {
            Self::Install => What::Install(agent.to_owned()),
            Self::Uninstall => What::Uninstall(agent.to_owned()),
        }
    }
}

/// What somebody wants to see.
#[derive(Clone, Debug, Deserialize)]
pub struct Asked {
    way: Way,
    agent: String,
}

/// What `doctor` found.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = Agents)]
pub struct Found {
    /// Each agent that was found.
    agents: Vec<Agent>,
}

/// One agent.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
struct Agent {
    /// Its name.
    #[serde(rename = "agent")]
    name: String,
    /// Its name for people.
    title: String,
    /// Its version, where it says one.
    version: Option<String>,
    /// The file of its settings.
    settings: String,
    /// Whether what its shell runs is judged.
    shell: Guarded,
    /// Whether its hooks ask, where it has some.
    hooks: Option<Guarded>,
    /// What is to be done.
    #[serde(default)]
    mend: Vec<String>,
    /// What else is to be said.
    #[serde(default)]
    remarks: Vec<String>,
}

/// Whether one way by which an agent runs commands is guarded.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
struct Guarded {
    /// Whether it is.
    #[serde(rename = "guarded")]
    is_so: bool,
    /// What was started.
    what: String,
    /// What was seen.
    seen: String,
}

/// The page. What `doctor` says comes later: it starts what agents would start, and that takes a while.
pub async fn page(language: Spoken) -> Markup {
    let body = html! {
        p { (language.say("agents-intro")) }
        div.part data-load="/agents/found" data-looking=(language.say("change-looking")) {
            p { a href="/agents/found" { (language.say("agents-look")) } }
        }
    };
    parts::page(language, &language.say("page-agents"), "/agents", &body)
}

/// The agents.
pub async fn found(State(page): State<Shared>, headers: HeaderMap, language: Spoken) -> Markup {
    let home = page.home.clone();
    let found = tokio::task::spawn_blocking(move || {
        // However often the page is loaded, they are started one after the other.
        let _one = page.proving.lock().unwrap_or_else(PoisonError::into_inner);
        proved()
    });
    let found = found.await.unwrap_or_else(|_| Err("they could not be looked at".to_owned()));
    let shown = html! {
        @match &found {
            Err(why) => (parts::trouble(language, why)),
            Ok(found) if found.agents.is_empty() => p.empty { (language.say("agents-none")) },
            Ok(found) => @for agent in &found.agents { (one(agent, home.as_deref(), language)) },
        }
    };
    parts::part(language, &headers, &language.say("page-agents"), "/agents", &shown)
}

/// Looks at the agents: what each would start is started.
pub fn proved() -> Result<Found, String> {
    let output = guard(&["doctor", "--json"])?;
    // It ends with another status where one is not guarded.
    serde_json::from_slice::<Found>(&output.stdout).map_err(|_| failed(&output))
}

fn one(agent: &Agent, home: Option<&str>, language: Spoken) -> Markup {
    let shown = |text: &str| visible(&short(text, home)).into_owned();
    let said = |text: &str| parts::words(&short(text, home));
    // What is not an agent's settings is not installed into from here.
    let is_agent = guarded_sh::install::names().any(|name| name == agent.name);
    let ways = [("agents-shell", Some(&agent.shell)), ("agents-hooks", agent.hooks.as_ref())];
    html! {
        article.agent aria-label=(visible(&agent.title)) data-agent=(agent.name) {
            h2 { (visible(&agent.title)) @if let Some(version) = &agent.version { " " span.dim { (visible(version)) } } }
            dl {
                @for (name, way) in ways { @if let Some(way) = way {
                    dt { (language.say(name)) }
                    dd { @if way.is_so { span.holds { (language.say("agents-guarded")) } } @else { span.fails { (language.say("agents-not-guarded")) } } " " (said(&way.what)) ": " (said(&language.0.meaning(&way.seen))) }
                } }
                dt { (language.say("page-settings")) } dd { code { (shown(&agent.settings)) } }
            }
            @for mend in &agent.mend { p { (language.say("agents-to-do")) " " (said(mend)) } }
            @for remark in &agent.remarks { p.dim { (said(remark)) } }
            @if is_agent { div.choices {
                @for (way, label) in [(Way::Install, "agents-install"), (Way::Uninstall, "agents-uninstall")] {
                    form method="post" action="/agents/shown" data-part {
                        input type="hidden" name="agent" value=(agent.name);
                        input type="hidden" name="way" value=(way.name());
                        button type="submit" { (language.say(label)) }
                        div.part aria-live="polite" {}
                    }
                }
            } }
        }
    }
}

/// What installing or taking out would change, with the button that does it.
pub async fn shown(headers: HeaderMap, language: Spoken, Form(asked): Form<Asked>) -> Markup {
    let Asked { way, agent } = asked;
    let named = agent.clone();
    let text = tokio::task::spawn_blocking(move || would(way, &named));
    let text = text.await.unwrap_or_else(|_| Err("it could not be looked at".to_owned()));
    let button = |text| Button {
        what: way.of(&agent),
        shown: Some(text),
        body: "",
        label: "agents-change",
        then: "/agents",
    };
    let shown = html! {
        @match &text {
            Err(why) => (parts::trouble(language, why)),
            Ok(text) => {
                (difference(language, text))
                @if is_change(text) { (button(text).drawn(language)) }
            }
        }
    };
    parts::part(language, &headers, &language.say("page-agents"), "/agents", &shown)
}

/// Returns whether a preview says that something changes.
pub fn is_change(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.ends_with(": would change"))
}

/// Returns what `install` or `uninstall` shows before it does anything.
pub fn would(way: Way, agent: &str) -> Result<String, String> {
    let is_agent = guarded_sh::install::names().any(|name| name == agent);
    if !is_agent {
        return Err("there is no agent of this name".to_owned());
    }
    let output = guard(&[way.name(), agent, "--dry-run"])?;
    if !output.status.success() {
        return Err(failed(&output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Does it, if what would be changed is still what was shown.
pub fn take(way: Way, agent: &str, change: &Change, language: Spoken) -> Result<String, String> {
    change.is_of(Some(&would(way, agent)?))?;
    let output = guard(&[way.name(), agent, "--yes"])?;
    if !output.status.success() {
        return Err(failed(&output));
    }
    let key = match way {
        Way::Install => "agents-installed",
        Way::Uninstall => "agents-uninstalled",
    };
    Ok(language.tell(key, &[("agent", agent.into())]))
}

/// Runs the guard that stands beside this program, and waits for its end.
fn guard(words: &[&str]) -> Result<Output, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let program: PathBuf = own.with_file_name("guarded-sh");
    let mut command = Command::new(&program);
    command.args(words).env("NO_COLOR", "1").stdin(Stdio::null());
    command.output().map_err(|error| format!("'{}': {error}", program.display()))
}

/// Returns what a program said that failed.
fn failed(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if said.is_empty() { format!("guarded-sh ended with {}", output.status) } else { said }
}
