//! *History*: the newest calls that fit what is asked for.

use axum::extract::{Query, State};
use guarded_sh::approval::text::with_causes;
use guarded_sh::audit::Filter;
use guarded_sh::model::{Action, Severity};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;
use utoipa::IntoParams;

use super::html::address;
use super::live::ACTIONS;
use super::sessions;
use super::spoken::Spoken;
use super::{Shared, html as parts, rows, work};
use crate::index;

/// Calls on one page.
const SHOWN: usize = 200;

/// What is asked for; each part that is not empty must fit.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// With this in the line, in capitals or small letters
    pub text: String,
    /// Of this agent
    pub agent: String,
    /// Of this session
    pub session: String,
    /// In this directory
    pub project: String,
    /// With a finding by this rule, of which `*` stands for anything
    pub rule: String,
    /// What was decided: allow, contain or deny; ask is what was asked about
    pub action: String,
    /// At least this severe: low, medium, high or critical
    pub severity: String,
    /// Only calls with a lower number than this
    pub before: Option<u64>,
}

impl Wanted {
    pub fn action(&self) -> Option<Action> {
        let actions = [Action::Allow, Action::Contain, Action::Ask, Action::Deny];
        actions.into_iter().find(|action| action.name() == self.action)
    }

    pub fn severity(&self) -> Option<Severity> {
        Severity::ALL.into_iter().find(|one| one.name() == self.severity)
    }

    /// Returns what the index is asked for.
    pub fn of_index(&self) -> index::Wanted {
        index::Wanted {
            text: given(&self.text),
            agent: given(&self.agent),
            session: given(&self.session),
            project: given(&self.project),
            action: self.action(),
            severity: self.severity(),
            before: self.before,
            limit: SHOWN,
            ..index::Wanted::default()
        }
    }

    /// Returns what the record itself is asked for: a rule is not in the index by its text.
    pub fn of_record(&self) -> Filter {
        Filter {
            text: given(&self.text),
            agent: given(&self.agent),
            session: given(&self.session),
            rule: given(&self.rule),
            action: self.action(),
            severity: self.severity(),
            ..Filter::default()
        }
    }

    /// Returns the address of the same with calls before this one.
    fn earlier(&self, before: u64) -> String {
        let Self { text, agent, session, project, action, severity, .. } = self;
        let fields = [
            ("text", text),
            ("agent", agent),
            ("session", session),
            ("project", project),
            ("action", action),
            ("severity", severity),
        ];
        let before = before.to_string();
        let given = fields.iter().filter(|(_, value)| !value.is_empty());
        let given = given.map(|(name, value)| (*name, value.as_str()));
        address("/history", &given.chain([("before", before.as_str())]).collect::<Vec<_>>())
    }
}

/// Calls that were found, as rows, and the number of the oldest of as many as are shown.
struct Calls {
    rows: String,
    count: usize,
    oldest: Option<u64>,
}

/// The page.
pub async fn page(
    State(page): State<Shared>,
    Query(wanted): Query<Wanted>,
    language: Spoken,
) -> Markup {
    let found = if wanted.rule.is_empty() {
        by_index(&page, &wanted, language).await
    } else {
        by_record(&page, &wanted, language).await
    };
    let fields = [
        ("live-text", "text", &wanted.text),
        ("live-agent", "agent", &wanted.agent),
        ("live-session", "session", &wanted.session),
        ("live-project", "project", &wanted.project),
        ("history-rule", "rule", &wanted.rule),
    ];
    let actions = ACTIONS.map(|(action, key)| (action, language.say(key)));
    let severities = [Severity::Medium, Severity::High, Severity::Critical]
        .map(|severity| (severity.name(), language.severity(severity)));
    let choices = [
        ("live-action", "action", &wanted.action, &actions[..]),
        ("live-least", "severity", &wanted.severity, &severities[..]),
    ];
    let body = html! {
        (work::of_index(&page, language))
        form.search method="get" action="/history" role="search" aria-label=(language.say("history-search")) {
            @for (key, name, value) in fields { label { (language.say(key)) " " input name=(name) value=(value) autocomplete="off"; } }
            @for (key, name, value, all) in choices {
                label { (language.say(key)) " " select name=(name) {
                    option value="" { (language.say("live-any")) }
                    @for (one, label) in all { option value=(one) selected[one == value] { (label) } }
                } }
            }
            button type="submit" { (language.say("history-search")) }
        }
        @match found {
            Err(why) => (parts::trouble(language, &why)),
            Ok(Calls { count: 0, .. }) => p.empty { (language.say("history-empty")) },
            Ok(Calls { rows, count, oldest }) => {
                (rows::table(language, &PreEscaped(rows)))
                @if count < SHOWN { p.dim { (language.count("history-count", count as u64)) } }
                @else if let Some(oldest) = oldest { p { a href=(wanted.earlier(oldest)) { (language.say("record-earlier")) } } }
                @else { p.dim { (language.count("history-newest", SHOWN as u64)) } }
            }
        }
    };
    parts::page(language, &language.say("page-history"), "/history", &body)
}

/// Searches the index.
async fn by_index(page: &Shared, wanted: &Wanted, language: Spoken) -> Result<Calls, String> {
    let asked = wanted.of_index();
    let found = page.ask(move |index| index.calls(&asked)).await?;
    let home = page.home.as_deref();
    let rows = found.iter().map(|call| sessions::row(call, home, language).0).collect();
    Ok(Calls { rows, count: found.len(), oldest: found.last().map(|call| call.sequence) })
}

/// Searches the record itself, from its end.
async fn by_record(page: &Shared, wanted: &Wanted, language: Spoken) -> Result<Calls, String> {
    let (store, home, filter) = (page.store.clone(), page.home.clone(), wanted.of_record());
    let found = tokio::task::spawn_blocking(move || {
        let newest = store.newest(filter).map_err(|error| with_causes(&error))?;
        let entries: Vec<_> = newest.filter_map(Result::ok).take(SHOWN).collect();
        let rows =
            entries.iter().map(|entry| rows::row(language, entry, home.as_deref()).0).collect();
        Ok(Calls { rows, count: entries.len(), oldest: None })
    });
    found.await.unwrap_or_else(|_| Err("the record could not be read".to_owned()))
}

fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}
