//! What a transcript says, as a time line: each part is text, whatever stands in it. Nothing of it is loaded, drawn or linked to.

use std::collections::HashMap;

use guarded_sh::approval::visible;
use guarded_sh::audit::words;
use jiff::Timestamp;
use maud::{Markup, html};
use serde_json::Value;

use super::diff::{diff, difference};
use super::{ended, html as parts};
use crate::index::Row;
use crate::transcripts::{Called, Came, Item, Matched, Text, Usage, What, Who};

/// Bytes of a text that are shown unfolded, and of what a tool got and gave that are shown at all.
const OPEN: usize = 1_500;
const INNER: usize = 8 << 10;
/// Bytes of a call that stand in its head.
pub const HEAD: usize = 300;

/// What stands beside items.
pub struct Beside<'b> {
    /// What belongs to calls, by their keys.
    pub matched: &'b HashMap<String, Matched>,
    /// The decisions.
    pub rows: &'b HashMap<u64, Row>,
    /// What came of calls further on.
    pub came: &'b [Came],
}

/// What is said of a call in its head: its tool's common name, its line, and whether it runs or changes something.
pub struct Headed {
    pub title: String,
    pub line: String,
    pub acts: bool,
}

/// Returns items as rows of a list, each with its time. What came of a call stands in it.
pub fn items(
    items: &[Item],
    beside: &Beside<'_>,
    head: impl Fn(&Called) -> Headed,
) -> Vec<(Option<Timestamp>, Markup)> {
    let mut came: HashMap<&str, &Came> = HashMap::new();
    let ahead = beside.came.iter();
    let here = items.iter().filter_map(|item| match &item.what {
        What::Came(came) => Some(came),
        _ => None,
    });
    for one in ahead.chain(here) {
        came.extend(one.id.as_deref().map(|id| (id, one)));
    }
    let calls = items.iter().filter_map(|item| match &item.what {
        What::Called(called) => called.id.as_deref(),
        _ => None,
    });
    let calls: std::collections::HashSet<&str> = calls.collect();
    let drawn = items.iter().filter_map(|item| {
        let (class, inner) = match &item.what {
            What::Said(who, text) => (who.name(), said(*who, text)),
            What::Called(called) => {
                let came = called.id.as_deref().and_then(|id| came.get(id).copied());
                ("call", call(item, called, came, beside, &head(called)))
            }
            What::Came(came) if came.id.as_deref().is_some_and(|id| calls.contains(id)) => {
                return None;
            }
            What::Came(came) => ("came", lone(came)),
            What::Used(usage) => ("used", tokens(usage)),
            What::Damaged(why) => ("damaged", html! { (visible(why)) }),
        };
        Some((item.time, entry(item, class, &inner)))
    });
    drawn.collect()
}

/// What came of a call that stands elsewhere.
fn lone(came: &Came) -> Markup {
    html! { details { summary { "What came of an earlier call" (how(came)) } (output(came)) } }
}

fn entry(item: &Item, class: &str, inner: &Markup) -> Markup {
    html! {
        li class=(class) id={ "i-" (item.key) } {
            span.when {
                @if let Some(time) = item.time { (parts::time(time)) }
                @if item.is_helper { " " span.dim { "helper" } }
                @if item.is_withdrawn { " " span.dim { "taken back" } }
            }
            div.what { (inner) }
        }
    }
}

fn said(who: Who, text: &Text) -> Markup {
    let name = match who {
        Who::Person => "Person",
        Who::Model => "Model",
        Who::Thought => "Model, to itself",
        Who::Client => "Client",
    };
    let is_folded = text.text.len() > OPEN || matches!(who, Who::Thought | Who::Client);
    html! {
        @if is_folded {
            @let first = guarded_sh::model::head(text.text.trim_start(), HEAD / 2);
            details { summary { strong { (name) } " " span.dim { (visible(first.lines().next().unwrap_or_default())) "…" } } (whole(text)) }
        } @else {
            strong { (name) }
            (whole(text))
        }
    }
}

fn whole(text: &Text) -> Markup {
    html! {
        div.words { (visible(&text.text)) }
        (rest(text.more))
    }
}

fn rest(more: usize) -> Markup {
    html! { @if more > 0 { p.dim { (more) " bytes more are not shown." } } }
}

fn call(
    item: &Item,
    called: &Called,
    came: Option<&Came>,
    beside: &Beside<'_>,
    head: &Headed,
) -> Markup {
    let found = beside.matched.get(&item.key).copied().unwrap_or(Matched::None);
    let row = found.sequence().and_then(|number| beside.rows.get(&number));
    let line = guarded_sh::model::head(&head.line, HEAD);
    html! {
        p.head {
            strong { (visible(&head.title)) } " "
            code { (visible(line)) @if line.len() < head.line.len() { "…" } }
        }
        p.beside {
            (decision(found, row, head.acts, came.is_some()))
            @let witnessed = row.and_then(|row| ended::of(row.witnessed.as_deref()));
            @if let Some(line) = &witnessed { (ended::shown(line)) }
            @else if let Some(came) = came { (how(came)) (took(came)) }
        }
        details {
            summary { "What it got" @if came.is_some() { ", and what came of it" } }
            (input(&called.input))
            @if let Some(came) = came { (output(came)) }
        }
    }
}

/// Returns which decision belongs to a call, and by what that is known.
pub fn decision(found: Matched, row: Option<&Row>, acts: bool, has_come: bool) -> Markup {
    let by = match found {
        Matched::Id(_) => "matched by id",
        Matched::Content(_) => "matched by content",
        Matched::Several(_) => "matched by content, several have it",
        Matched::None if !acts => return html! { span.dim { "No decision" } },
        Matched::None if !has_come => return html! { span.dim { "No decision yet" } },
        Matched::None => return html! { strong.uncovered { "No decision of ours" } },
    };
    html! {
        @match (found.sequence(), row) {
            (Some(number), Some(row)) => {
                a href={ "/call/" (number) } { (parts::severity(row.severity)) " " (words::happened(row)) }
                " " span.dim { "(" (by) ")" }
            }
            _ => span.dim { "Decided (" (by) ")" },
        }
    }
}

fn how(came: &Came) -> Markup {
    html! {
        @match came.status {
            Some(0) => span.dim { " · status 0" },
            Some(status) => span.failed { " · status " (status) },
            None if came.is_error => span.failed { " · failed" },
            None => {},
        }
    }
}

/// Where the client does not say how long it took, the times of its lines do not say it either: a question may have been open.
fn took(came: &Came) -> Markup {
    html! { @if let Some(took) = came.took { span.dim { " · took " (words::seconds(took)) } } }
}

/// Returns what a tool got. What is changed in a file is shown as what goes and what comes.
fn input(input: &Value) -> Markup {
    let field = |names: &[&str]| names.iter().find_map(|name| input.get(*name)?.as_str());
    let old = field(&["old_string", "oldString", "old_str"]);
    let new = field(&["new_string", "newString", "new_str"]);
    let patch = field(&["input", "patch"]).filter(|text| text.starts_with("*** Begin Patch"));
    html! {
        @if let (Some(old), Some(new)) = (old, new) {
            @if let Some(path) = field(&["file_path", "filePath", "path"]) { p { code { (visible(path)) } } }
            (diff(cut(old), cut(new)))
        } @else if let Some(patch) = patch {
            (difference(cut(patch)))
        } @else {
            @let text = pretty(input);
            p.dim { "Input" }
            pre tabindex="0" aria-label="What it got" { (visible(cut(&text))) }
            (rest(text.len() - cut(&text).len()))
        }
    }
}

fn output(came: &Came) -> Markup {
    let shown = cut(&came.text.text);
    html! {
        p.dim { "Output" }
        pre tabindex="0" aria-label="What came of it" { (visible(shown)) }
        (rest(came.text.text.len() - shown.len() + came.text.more))
    }
}

fn cut(text: &str) -> &str {
    guarded_sh::model::head(text, INNER)
}

/// A value for people: a text as it is, fields each on a line of its own.
pub fn pretty(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| match value {
                Value::String(text) if text.contains('\n') => format!("{name}:\n{text}"),
                Value::String(text) => format!("{name}: {text}"),
                other => format!("{name}: {other}"),
            };
            fields.iter().map(field).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

/// Returns what answers took.
pub fn tokens(usage: &Usage) -> Markup {
    let numbers = [
        ("in", usage.input),
        ("out", usage.output),
        ("read from cache", usage.cached),
        ("written to cache", usage.written),
    ];
    html! {
        span.dim {
            @for (at, (name, count)) in numbers.iter().filter(|(_, count)| *count > 0).enumerate() {
                @if at == 0 { "Tokens: " } @else { ", " }
                (grouped(*count)) " " (name)
            }
            @if let Some(cost) = usage.cost { " Cost: $" (format!("{cost:.4}")) }
        }
    }
}

/// Returns a number with its thousands apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
