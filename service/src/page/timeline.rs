//! What a transcript says, as a time line: each part is text, whatever stands in it. Nothing of it is loaded, drawn or linked to.

use std::collections::HashMap;

use guarded_sh::approval::visible;
use guarded_sh::audit::words;
use jiff::Timestamp;
use maud::{Markup, html};
use serde_json::Value;

use super::diff::{diff, difference};
use super::spoken::Spoken;
use super::{ended, html as parts};
use crate::index::Row;
use crate::transcripts::{Called, Came, Item, Matched, Pairs, Text, Usage, What, Who};

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
    language: Spoken,
) -> Vec<(Option<Timestamp>, Markup)> {
    let pairs = Pairs::of(items, beside.came);
    let drawn = items.iter().filter_map(|item| {
        let (class, inner) = match &item.what {
            What::Said(who, text) => (who.name(), said(*who, text, language)),
            What::Called(called) => {
                let came = pairs.came(called);
                ("call", call(item, called, came, beside, &head(called), language))
            }
            What::Came(came) if pairs.has_call(came) => return None,
            What::Came(came) => ("came", lone(came, language)),
            What::Used(usage) => ("used", tokens(usage, language)),
            What::Damaged(why) => ("damaged", html! { (visible(&language.0.meaning(why))) }),
        };
        Some((item.time, entry(item, class, &inner, language)))
    });
    drawn.collect()
}

/// What came of a call that stands elsewhere.
fn lone(came: &Came, language: Spoken) -> Markup {
    html! { details { summary { (language.say("timeline-earlier-came")) (how(came, language)) } (output(came, language)) } }
}

fn entry(item: &Item, class: &str, inner: &Markup, language: Spoken) -> Markup {
    html! {
        li class=(class) id={ "i-" (item.key) } {
            span.when {
                @if let Some(time) = item.time { (parts::time(time)) }
                @if item.is_helper { " " span.dim { (language.say("timeline-helper")) } }
                @if item.is_withdrawn { " " span.dim { (language.say("timeline-withdrawn")) } }
            }
            div.what { (inner) }
        }
    }
}

fn said(who: Who, text: &Text, language: Spoken) -> Markup {
    let name = language.say(match who {
        Who::Person => "timeline-person",
        Who::Model => "timeline-model",
        Who::Thought => "timeline-thought",
        Who::Client => "timeline-client",
    });
    let is_folded = text.text.len() > OPEN || matches!(who, Who::Thought | Who::Client);
    html! {
        @if is_folded {
            @let first = guarded_sh::model::head(text.text.trim_start(), HEAD / 2);
            details { summary { strong { (name) } " " span.dim { (visible(first.lines().next().unwrap_or_default())) "…" } } (whole(text, language)) }
        } @else {
            strong { (name) }
            (whole(text, language))
        }
    }
}

fn whole(text: &Text, language: Spoken) -> Markup {
    html! {
        div.words { (visible(&text.text)) }
        (rest(text.more, language))
    }
}

fn rest(more: usize, language: Spoken) -> Markup {
    html! { @if more > 0 { p.dim { (language.count("timeline-rest", more as u64)) } } }
}

fn call(
    item: &Item,
    called: &Called,
    came: Option<&Came>,
    beside: &Beside<'_>,
    head: &Headed,
    language: Spoken,
) -> Markup {
    let got = if came.is_some() { "timeline-got-and-came" } else { "timeline-got" };
    let found = beside.matched.get(&item.key).copied().unwrap_or(Matched::None);
    let row = found.sequence().and_then(|number| beside.rows.get(&number));
    let line = guarded_sh::model::head(&head.line, HEAD);
    html! {
        p.head {
            strong { (visible(&head.title)) } " "
            code { (visible(line)) @if line.len() < head.line.len() { "…" } }
        }
        p.beside {
            (decision(found, row, head.acts, came.is_some(), language))
            @let witnessed = row.and_then(|row| ended::of(row.witnessed.as_deref()));
            @if let Some(line) = &witnessed { (ended::shown(line, language)) }
            @else if let Some(came) = came { (how(came, language)) @if let Some(took) = came.took { (ended::took(took, language)) } }
        }
        details {
            summary { (language.say(got)) }
            (input(&called.input, language))
            @if let Some(came) = came { (output(came, language)) }
        }
    }
}

/// Returns which decision belongs to a call, and by what that is known.
pub fn decision(
    found: Matched,
    row: Option<&Row>,
    acts: bool,
    has_come: bool,
    language: Spoken,
) -> Markup {
    let none = |key| html! { span.dim { (language.say(key)) } };
    let by = language.say(match found {
        Matched::Id(_) => "timeline-by-id",
        Matched::Content(_) => "timeline-by-content",
        Matched::Several(_) => "timeline-by-several",
        Matched::None if !acts => return none("timeline-none"),
        Matched::None if !has_come => return none("timeline-none-yet"),
        Matched::None => {
            return html! { strong.uncovered { (language.say("timeline-none-of-ours")) } };
        }
    });
    html! {
        @match (found.sequence(), row) {
            (Some(number), Some(row)) => {
                a href={ "/call/" (number) } { (parts::severity(language, row.severity)) " " (language.0.meaning(&words::happened(row))) }
                " " span.dim { "(" (by) ")" }
            }
            _ => span.dim { (language.say("timeline-decided")) " (" (by) ")" },
        }
    }
}

fn how(came: &Came, language: Spoken) -> Markup {
    html! {
        @match came.status {
            Some(status) => (ended::status(status, language)),
            None if came.is_error => span.failed { " · " (language.say("timeline-failed")) },
            None => {},
        }
    }
}

/// Returns what a tool got. What is changed in a file is shown as what goes and what comes.
fn input(input: &Value, language: Spoken) -> Markup {
    let field = |names: &[&str]| names.iter().find_map(|name| input.get(*name)?.as_str());
    let old = field(&["old_string", "oldString", "old_str"]);
    let new = field(&["new_string", "newString", "new_str"]);
    let patch = field(&["input", "patch"]).filter(|text| text.starts_with("*** Begin Patch"));
    html! {
        @if let (Some(old), Some(new)) = (old, new) {
            @if let Some(path) = field(&["file_path", "filePath", "path"]) { p { code { (visible(path)) } } }
            (diff(language, cut(old), cut(new)))
        } @else if let Some(patch) = patch {
            (difference(language, cut(patch)))
        } @else {
            @let text = pretty(input);
            p.dim { (language.say("timeline-input")) }
            pre tabindex="0" aria-label=(language.say("timeline-got")) { (visible(cut(&text))) }
            (rest(text.len() - cut(&text).len(), language))
        }
    }
}

fn output(came: &Came, language: Spoken) -> Markup {
    let shown = cut(&came.text.text);
    html! {
        p.dim { (language.say("timeline-output")) }
        pre tabindex="0" aria-label=(language.say("timeline-came")) { (visible(shown)) }
        (rest(came.text.text.len() - shown.len() + came.text.more, language))
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
pub fn tokens(usage: &Usage, language: Spoken) -> Markup {
    let numbers = [
        ("timeline-tokens-in", usage.input),
        ("timeline-tokens-out", usage.output),
        ("timeline-tokens-cached", usage.cached),
        ("timeline-tokens-written", usage.written),
    ];
    let cost =
        |cost: f64| language.tell("timeline-cost", &[("cost", format!("${cost:.4}").into())]);
    html! {
        span.dim {
            @for (at, (key, count)) in numbers.iter().filter(|(_, count)| *count > 0).enumerate() {
                @if at == 0 { (language.say("timeline-tokens")) " " } @else { ", " }
                (language.count(key, *count))
            }
            @if let Some(dollars) = usage.cost { " " (cost(dollars)) }
        }
    }
}
