//! *Overview*: how much was asked, allowed and refused, when, and by which rules.

use std::fmt::Write as _;
use std::time::Duration;

use axum::extract::{Query, State};
use guarded_sh::approval::visible;
use guarded_sh::audit::ago;
use guarded_sh::model::Spent;
use guarded_sh::subcommand::spent_today;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use super::kept::{Lacking, Looked, looked};
use super::spoken::Spoken;
use super::{Page, Shared, html as parts, suggestions, transcript, work};
use crate::index::{Hour, Summary};
use crate::record::state_of;

/// Seconds of an hour.
const HOUR: i64 = 3_600;
/// Days that can be looked at, and what the choice is called.
const SPANS: [(i64, &str); 3] = [(1, "overview-day"), (7, "overview-week"), (28, "overview-weeks")];
/// How tall the chart is, in its own units.
const TALL: u64 = 120;
/// Columns of the chart.
const COLUMNS: usize = 24;
/// How wide is what was decided, what was asked about beside it, and what is free behind both.
const WIDE: usize = 6;
const NARROW: usize = 2;
const GAP: usize = 2;

/// What the colours of the chart mean.
const KEYS: [(&str, &str); 3] = [
    ("ran", "overview-bar-ran"),
    ("refused", "overview-bar-refused"),
    ("asked", "overview-bar-asked"),
];

/// How far back is looked.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Span {
    #[serde(default = "one")]
    days: i64,
}

const fn one() -> i64 {
    1
}

/// The page.
pub async fn page(
    State(page): State<Shared>,
    Query(span): Query<Span>,
    language: Spoken,
) -> Markup {
    let days = SPANS.iter().map(|(days, _)| *days).find(|days| *days == span.days).unwrap_or(1);
    let since = ago(Duration::from_secs(u64::try_from(days * 24 * HOUR).unwrap_or_default()));
    let summary = page.ask(move |index| index.summary(since)).await;
    let damage = page.ask(crate::index::Index::damage).await;
    let standing = page.floor.standing().borrow().clone();
    let open = standing.entries.iter().filter(|(_, entry)| entry.is_waiting()).count();
    let covered = {
        let page = page.clone();
        tokio::task::spawn_blocking(move || coverage(&page, since, language))
            .await
            .unwrap_or_default()
    };
    let spent = spent_today(Some(&state_of(&page.store)));
    let body = html! {
        (work::of_index(&page, language))
        @if let Ok(Some(damage)) = &damage { p.trouble { (visible(&language.tell("overview-unverified", &[("why", damage.as_str().into())]))) } }
        p { (language.count("overview-hosts", standing.hosts as u64)) " " a href="/" { (language.count("overview-waiting", open as u64)) } }
        nav.spans aria-label=(language.say("overview-far")) { @for (span, key) in SPANS {
            @let name = language.say(key);
            @if span == days { a href={ "/overview?days=" (span) } aria-current="true" { (name) } } @else { a href={ "/overview?days=" (span) } { (name) } }
            " "
        } }
        (covered)
        @match summary {
            Err(why) => (parts::trouble(language, &why)),
            Ok(summary) if summary.hours.is_empty() => p.empty { (language.say("overview-empty")) },
            Ok(summary) => (drawn(&summary, &spent, since, days, language)),
        }
        (suggestions::place(language))
    };
    parts::page(language, &language.say("page-overview"), "/overview", &body)
}

/// Says which of the newest transcripts have calls without a decision.
fn coverage(page: &Page, since: Timestamp, language: Spoken) -> Markup {
    let Looked { checked, reading, without } = looked(page, since);
    let of = |key, count: u64, of: u64| {
        language.tell(key, &[("count", count.into()), ("checked", of.into())])
    };
    html! {
        @if !without.is_empty() {
            section.trouble.alarm aria-label=(language.say("overview-coverage")) {
                p { strong { (language.say("overview-uncovered")) } br; (of("overview-uncovered-in", without.len() as u64, checked)) }
                ul.points { @for Lacking { agent, id, count, of: checked } in &without {
                    li { a href=(transcript::of(agent, id)) { (agent) " " (visible(id)) } ": " (of("overview-uncovered-of", *count, *checked)) }
                } }
            }
        }
        @if reading > 0 { p.dim role="status" { (language.count("overview-still", reading)) } }
    }
}

fn drawn(
    summary: &Summary,
    spent: &Spent,
    since: Timestamp,
    days: i64,
    language: Spoken,
) -> Markup {
    let sum = |of: fn(&Hour) -> u64| summary.hours.iter().map(of).sum::<u64>();
    let calls = sum(|hour| hour.calls);
    let share = |count: u64| {
        let percent = count.saturating_mul(100) / calls.max(1);
        language.tell("overview-share", &[("count", count.into()), ("percent", percent.into())])
    };
    let cost = || {
        let Spent { calls, tokens, money } = *spent;
        let money = money.to_string();
        let values = [("calls", calls.into()), ("tokens", tokens.into()), ("money", money.into())];
        language.tell("overview-cost", &values)
    };
    let facts = [
        ("overview-decided", language.0.number(calls)),
        ("overview-ran", share(sum(|hour| hour.allowed))),
        ("overview-contained", share(sum(|hour| hour.contained))),
        ("overview-asked", share(sum(|hour| hour.asked))),
        ("overview-to-agent", share(sum(|hour| hour.to_agent))),
        ("overview-refused", share(sum(|hour| hour.refused))),
        ("overview-shadow", share(sum(|hour| hour.shadowed))),
        ("overview-waited", language.passed(summary.waited)),
        ("overview-judged", language.count("record-times", summary.judged)),
    ];
    html! {
        (chart(summary, since, days, language))
        dl {
            @for (key, value) in facts { dt { (language.say(key)) } dd { (value) } }
            @if spent.calls > 0 { dt { (language.say("overview-spent")) } dd { (cost()) } }
        }
        h2 { (language.say("overview-most")) }
        @if summary.rules.is_empty() { p.dim { (language.say("overview-nothing")) } } @else {
            table.calls {
                thead { tr { th scope="col" { (language.say("overview-rule")) } th scope="col" { (language.say("overview-rule-times")) } } }
                tbody { @for (rule, times) in &summary.rules { tr {
                    td.text { a href=(parts::address("/history", &[("rule", rule)])) { (visible(rule)) } }
                    td { (language.0.number(*times)) }
                } } }
            }
        }
    }
}

/// What is counted in one column.
#[derive(Clone, Copy, Default)]
struct Count {
    ran: u64,
    refused: u64,
    asked: u64,
}

/// A column for each part of the time: what ran, and above it what was refused; beside them how much of it was asked about.
fn chart(summary: &Summary, since: Timestamp, days: i64, language: Spoken) -> Markup {
    let part = HOUR * days;
    let first = since.as_second().div_euclid(part) + 1;
    let mut counts = [Count::default(); COLUMNS];
    for hour in &summary.hours {
        let at = usize::try_from(hour.began.as_second().div_euclid(part) - first);
        let Some(count) = at.ok().and_then(|at| counts.get_mut(at)) else { continue };
        count.ran += hour.calls.saturating_sub(hour.refused);
        count.refused += hour.refused;
        count.asked += hour.asked;
    }
    let most = counts.iter().map(|count| count.ran + count.refused).max().unwrap_or(0).max(1);
    let mut bars = String::new();
    for (at, Count { ran, refused, asked }) in counts.iter().enumerate() {
        let began = Timestamp::from_second((first + i64::try_from(at).unwrap_or(0)) * part);
        let named = |began: Timestamp| began.to_zoned(TimeZone::system()).strftime("%m-%d %H:%M");
        let named = began.map(|began| named(began).to_string()).unwrap_or_default();
        let tall = |count: u64| (count * TALL).div_ceil(most);
        let left = at * (WIDE + NARROW + GAP);
        let of_ran = (left, WIDE, TALL.saturating_sub(tall(*ran)), tall(*ran), "ran");
        let above = of_ran.2.saturating_sub(tall(*refused));
        let of_refused = (left, WIDE, above, of_ran.2 - above, "refused");
        let of_asked =
            (left + WIDE, NARROW, TALL.saturating_sub(tall(*asked)), tall(*asked), "asked");
        let values = [
            ("when", named.into()),
            ("ran", (*ran).into()),
            ("refused", (*refused).into()),
            ("asked", (*asked).into()),
        ];
        let said = html! { title { (language.tell("overview-bar", &values)) } };
        // Writing to a string cannot fail.
        let _ = write!(bars, "<g>{}", said.0);
        for (x, width, y, height, name) in [of_ran, of_refused, of_asked] {
            let _ = write!(
                bars,
                "<rect class=\"{name}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>"
            );
        }
        bars.push_str("</g>");
    }
    let width = COLUMNS * (WIDE + NARROW + GAP);
    let values = [("columns", COLUMNS.into()), ("most", most.into())];
    let said = language.tell("overview-chart", &values);
    // A column of a day's chart is an hour.
    let scale = language.tell("overview-scale", &[("hours", days.into()), ("most", most.into())]);
    html! {
        figure.chart {
            svg viewBox={ "0 0 " (width) " " (TALL) } role="img" aria-label=(said) { (PreEscaped(bars)) }
            figcaption.dim {
                @for (class, key) in KEYS { span.key.(class) {} " " (language.say(key)) " " }
                br; (scale)
            }
        }
    }
}
