//! `rules show`: all of one rule, its conditions in words.

use std::fmt::Write as _;

use serde_json::json;

use super::{place, unknown, words};
use crate::approval::visible;
use crate::pipeline::World;
use crate::rules::{Entry, Examples, Origin, Recommendation};
use crate::subcommand::arguments::Reader;
use crate::subcommand::failure::Failure;
use crate::subcommand::output::{Output, print, short, wrapped};
use crate::subcommand::sheet::severity_style;

/// Columns of text where the terminal does not say, and at most.
const COLUMNS: usize = 100;
/// Columns before what a field says.
const INDENT: usize = 13;

pub(super) fn run(id: &str, reader: Reader) -> Result<u8, Failure> {
    let world = World::read()?;
    let all = world.judge.rules.all()?;
    let Some((entry, examples)) = all.iter().find(|(entry, _)| entry.rule.id == id) else {
        let names: Vec<String> = all.iter().map(|(entry, _)| entry.rule.id.clone()).collect();
        let is_off = world.settings.disabled_rules.value.iter().any(|off| off == id);
        if is_off {
            let origin = &world.settings.disabled_rules.origin;
            return Err(Failure::new(format!("the rule '{id}' is switched off at {origin}")));
        }
        return Err(unknown("rule", id, &names));
    };
    let output = Output::new();
    let text = match reader {
        Reader::Program => wire(entry, examples),
        Reader::Person => {
            output.fit(&page(entry, examples, world.judge.facts.home.as_deref(), output))
        }
    };
    print(&text)?;
    Ok(0)
}

fn wire(entry: &Entry, examples: &Examples) -> String {
    let rule = &entry.rule;
    let origin = match &entry.pack.origin {
        Origin::BuiltIn => "built-in",
        Origin::File(path) => path,
    };
    let value = json!({
        "id": rule.id,
        "severity": rule.severity,
        "recommend": rule.recommend,
        "allows": rule.allows,
        "pack": entry.pack.name,
        "reason": rule.reason,
        "suggestion": rule.suggestion,
        "instead": rule.instead,
        "conditions": rule.conditions,
        "matches": examples.matches,
        "passes": examples.passes,
        "origin": origin,
        "line": entry.line,
    });
    format!("{value:#}\n")
}

struct Page {
    output: Output,
    text: String,
}

impl Page {
    fn field(&mut self, name: &str, values: &[String]) {
        let columns = self.output.columns.unwrap_or(COLUMNS).min(COLUMNS);
        let mut name = format!("{name:<INDENT$}");
        for value in values {
            let mut indent = String::new();
            for row in wrapped(&visible(value), columns.saturating_sub(INDENT)) {
                // Writing to a string cannot fail.
                let _ = writeln!(self.text, "{}{indent}{row}", self.output.dim(&name));
                name = " ".repeat(INDENT);
                "  ".clone_into(&mut indent);
            }
        }
    }
}

fn page(entry: &Entry, examples: &Examples, home: Option<&str>, output: Output) -> String {
    let rule = &entry.rule;
    let severity = output.colour.paint(severity_style(rule.severity), rule.severity.name());
    let text = format!("{}  {severity}\n\n", output.bold(&visible(&rule.id)));
    let mut page = Page { output, text };
    let one = |text: &Option<String>| text.iter().cloned().collect::<Vec<_>>();
    page.field("reason", std::slice::from_ref(&rule.reason));
    page.field("suggestion", &one(&rule.suggestion));
    page.field("instead", &one(&rule.instead));
    page.field("effect", &[what(rule.recommend).to_owned()]);
    page.field("allows", &rule.allows);
    page.text.push('\n');
    page.field("fires when", &words::conditions(&rule.conditions));
    page.text.push('\n');
    page.field("matches", &examples.matches);
    page.field("passes", &examples.passes);
    page.text.push('\n');
    let summary = if entry.pack.summary.is_empty() { "" } else { ": " };
    page.field("pack", &[format!("{}{summary}{}", entry.pack.name, entry.pack.summary)]);
    page.field("from", &[short(&place(entry), home)]);
    page.text
}

const fn what(recommend: Recommendation) -> &'static str {
    match recommend {
        Recommendation::Allow => {
            "allows: what these rules find in the command, up to this severity, is let pass"
        }
        Recommendation::Approve => {
            "settles what the catalog does not know of the command, up to this severity"
        }
        Recommendation::None => "the severity decides",
        Recommendation::Reject => "asks, whatever the thresholds say",
        Recommendation::Deny => "refuses; nobody is asked",
    }
}
