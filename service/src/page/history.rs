//! *History*: the newest calls that fit what is asked for.

use axum::extract::{Query, State};
use guarded_sh::approval::visible;
use guarded_sh::audit::Filter;
use guarded_sh::model::{Action, Severity};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use super::{Shared, html as parts, rows};

/// Calls on one page.
const SHOWN: usize = 200;

/// What is asked for; each part that is not empty must fit.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Wanted {
    text: String,
    agent: String,
    session: String,
    rule: String,
    action: String,
    severity: String,
}

impl Wanted {
    fn filter(&self) -> Filter {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let actions = [Action::Allow, Action::Contain, Action::Ask, Action::Deny];
        Filter {
            text: given(&self.text),
            agent: given(&self.agent),
            session: given(&self.session),
            rule: given(&self.rule),
            action: actions.into_iter().find(|action| action.name() == self.action),
            severity: Severity::ALL.into_iter().find(|one| one.name() == self.severity),
            ..Filter::default()
        }
    }
}

/// The page.
pub async fn page(State(page): State<Shared>, Query(wanted): Query<Wanted>) -> Markup {
    let (store, home, filter) = (page.store.clone(), page.home.clone(), wanted.filter());
    let found = tokio::task::spawn_blocking(move || {
        let newest = store.newest(filter).map_err(|error| error.to_string())?;
        let entries: Vec<_> = newest.filter_map(Result::ok).take(SHOWN).collect();
        let rows = entries.iter().map(|entry| rows::row(entry, home.as_deref()).0);
        Ok::<_, String>((entries.len(), rows.collect::<String>()))
    });
    let found = found.await.unwrap_or_else(|_| Err("the record could not be read".to_owned()));
    let field = |label: &str, name: &str, value: &str| {
        html! { label { (label) " " input name=(name) value=(value) autocomplete="off"; } }
    };
    let choice = |label: &str, name: &str, value: &str, all: &[&str]| {
        html! { label { (label) " " select name=(name) {
            option value="" { "any" }
            @for one in all { option selected[*one == value] { (one) } }
        } } }
    };
    let body = html! {
        form.search method="get" action="/history" role="search" aria-label="Search" {
            (field("Text", "text", &wanted.text))
            (field("Agent", "agent", &wanted.agent))
            (field("Session", "session", &wanted.session))
            (field("Rule", "rule", &wanted.rule))
            (choice("Action", "action", &wanted.action, &["allow", "contain", "ask", "deny"]))
            (choice("At least", "severity", &wanted.severity, &["medium", "high", "critical"]))
            button type="submit" { "Search" }
        }
        @match found {
            Err(why) => p.trouble { (visible(&why)) },
            Ok((0, _)) => p.empty { "Nothing in the record fits." },
            Ok((count, rows)) => {
                (rows::table(&PreEscaped(rows)))
                p.dim { @if count == SHOWN { "The newest " (SHOWN) "; there may be older ones." } @else { (count) " calls." } }
            }
        }
    };
    parts::page("History", "/history", &body)
}
