//! *Overview*: how much was asked, allowed and refused, when, and by which rules.

use std::fmt::Write as _;
use std::time::Duration;

use axum::extract::{Query, State};
use guarded_sh::approval::visible;
use guarded_sh::audit::{ago, words};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

use super::{Shared, html as parts};
use crate::index::{Hour, Summary};

/// Seconds of an hour.
const HOUR: i64 = 3_600;
/// Days that can be looked at, and what the choice is called.
const SPANS: [(i64, &str); 3] = [(1, "a day"), (7, "a week"), (28, "four weeks")];
/// How tall the chart is, in its own units.
const TALL: u64 = 120;
/// How wide one column is, and what is free beside it.
const WIDE: usize = 8;
const GAP: usize = 2;

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
pub async fn page(State(page): State<Shared>, Query(span): Query<Span>) -> Markup {
    let days = SPANS.iter().map(|(days, _)| *days).find(|days| *days == span.days).unwrap_or(1);
    let since = ago(Duration::from_secs(u64::try_from(days * 24 * HOUR).unwrap_or_default()));
    let summary = page.ask(move |index| index.summary(since)).await;
    let damage = page.ask(crate::index::Index::damage).await;
    let standing = page.floor.standing().borrow().clone();
    let open = standing.entries.iter().filter(|(_, entry)| entry.is_waiting()).count();
    let body = html! {
        (page.standing_of_index())
        @if let Ok(Some(damage)) = &damage { p.trouble { "The record does not verify: " (visible(damage)) } }
        p { strong { (standing.hosts) } " hosts are followed, " a href="/" { strong { (open) } " questions wait" } "." }
        nav.spans aria-label="How far back" { @for (span, name) in SPANS {
            @if span == days { a href={ "/overview?days=" (span) } aria-current="true" { (name) } } @else { a href={ "/overview?days=" (span) } { (name) } }
            " "
        } }
        @match summary {
            Err(why) => p.trouble { (visible(&why)) },
            Ok(summary) if summary.hours.is_empty() => p.empty { "Nothing was decided in this time." },
            Ok(summary) => (drawn(&summary, since, days)),
        }
    };
    parts::page("Overview", "/overview", &body)
}

fn drawn(summary: &Summary, since: Timestamp, days: i64) -> Markup {
    let sum = |of: fn(&Hour) -> u64| summary.hours.iter().map(of).sum::<u64>();
    let calls = sum(|hour| hour.calls);
    let share = |count: u64| format!("{count} ({} %)", count.saturating_mul(100) / calls.max(1));
    let facts = [
        ("Decided", calls.to_string()),
        ("Ran unasked or by a yes", share(sum(|hour| hour.allowed))),
        ("Ran contained", share(sum(|hour| hour.contained))),
        ("Asked about", share(sum(|hour| hour.asked))),
        ("Left to the agent to ask", share(sum(|hour| hour.to_agent))),
        ("Refused", share(sum(|hour| hour.refused))),
        ("In shadow mode", share(sum(|hour| hour.shadowed))),
        ("People were waited for", words::seconds(summary.waited)),
        ("A model was asked", format!("{} times", summary.judged)),
    ];
    html! {
        (chart(summary, since, days))
        dl { @for (name, value) in facts { dt { (name) } dd { (value) } } }
        h2 { "What was asked about most" }
        @if summary.rules.is_empty() { p.dim { "Nothing." } } @else {
            table.calls {
                thead { tr { th scope="col" { "Rule" } th scope="col" { "Times" } } }
                tbody { @for (rule, times) in &summary.rules { tr {
                    td.text { a href={ "/history?rule=" (super::sessions::encoded(rule)) } { (visible(rule)) } }
                    td { (times) }
                } } }
            }
        }
    }
}

/// A column for each part of the time: what ran, what was asked about, what was refused, one above the other.
fn chart(summary: &Summary, since: Timestamp, days: i64) -> Markup {
    let part = HOUR * days;
    let columns = 24;
    let first = since.as_second().div_euclid(part) + 1;
    let mut counts = vec![[0_u64; 3]; columns];
    for hour in &summary.hours {
        let at = usize::try_from(hour.began.as_second().div_euclid(part) - first);
        let Some(count) = at.ok().and_then(|at| counts.get_mut(at)) else { continue };
        let ran = hour.calls.saturating_sub(hour.asked + hour.refused);
        for (count, more) in count.iter_mut().zip([ran, hour.asked, hour.refused]) {
            *count += more;
        }
    }
    let most = counts.iter().map(|count| count.iter().sum::<u64>()).max().unwrap_or(0).max(1);
    let mut bars = String::new();
    for (at, count) in counts.iter().enumerate() {
        let began = Timestamp::from_second((first + i64::try_from(at).unwrap_or(0)) * part);
        let named = began
            .map(|began| began.to_zoned(TimeZone::system()).strftime("%m-%d %H:%M").to_string());
        let [ran, asked, refused] = count;
        // Writing to a string cannot fail. Nothing but numbers is written.
        let _ = write!(
            bars,
            "<g><title>{}: {ran} ran, {asked} asked about, {refused} refused</title>",
            named.unwrap_or_default()
        );
        let mut top = TALL;
        for (name, value) in ["ran", "asked", "refused"].iter().zip(count) {
            let tall = (value * TALL).div_ceil(most).min(top);
            top -= tall;
            let _ = write!(
                bars,
                "<rect class=\"{name}\" x=\"{}\" y=\"{top}\" width=\"{WIDE}\" height=\"{tall}\"/>",
                at * (WIDE + GAP)
            );
        }
        bars.push_str("</g>");
    }
    let width = columns * (WIDE + GAP);
    html! {
        figure.chart {
            svg viewBox={ "0 0 " (width) " " (TALL) } role="img" aria-label={ "What was decided, in " (columns) " columns of " (days) " hours each; at most " (most) " in one" } { (PreEscaped(bars)) }
            figcaption.dim { span.key.ran {} " ran " span.key.asked {} " asked about " span.key.refused {} " refused; at most " (most) " in a column" }
        }
    }
}
