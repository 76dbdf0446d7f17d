//! `rules list`: the rules in force, by pack.

use std::fmt::Write as _;

use serde::Serialize;

use super::{beyond, place, unknown};
use crate::approval::visible;
use crate::model::Severity;
use crate::pipeline::World;
use crate::rules::{Entry, Origin, Recommendation};
use crate::subcommand::arguments::Reader;
use crate::subcommand::failure::Failure;
use crate::subcommand::output::{Output, padded, print, short, width};
use crate::subcommand::sheet::severity_style;

/// Which rules are wanted.
pub(super) struct Filter {
    pub(super) pack: Option<String>,
    pub(super) severity: Option<Severity>,
    /// `built-in`, or a part of a path.
    pub(super) origin: Option<String>,
}

impl Filter {
    fn fits(&self, entry: &Entry) -> bool {
        let origin = |wanted: &String| match &entry.pack.origin {
            Origin::BuiltIn => wanted == BUILT_IN,
            Origin::File(path) => path.contains(wanted.as_str()),
        };
        self.pack.as_ref().is_none_or(|pack| entry.pack.name == *pack)
            && self.severity.is_none_or(|severity| entry.rule.severity >= severity)
            && self.origin.as_ref().is_none_or(origin)
    }
}

const BUILT_IN: &str = "built-in";

#[derive(Serialize)]
struct WireRule<'a> {
    id: &'a str,
    severity: Severity,
    recommend: Recommendation,
    pack: &'a str,
    reason: &'a str,
    origin: &'a str,
    line: u32,
}

pub(super) fn run(filter: &Filter, reader: Reader) -> Result<u8, Failure> {
    let world = World::read()?;
    let all = world.judge.rules.all()?;
    if let Some(pack) = &filter.pack
        && !all.iter().any(|(entry, _)| entry.pack.name == *pack)
    {
        let mut names: Vec<String> = all.iter().map(|(e, _)| e.pack.name.clone()).collect();
        names.dedup();
        return Err(unknown("pack", pack, &names));
    }
    let wanted: Vec<&Entry> =
        all.iter().map(|(entry, _)| entry.as_ref()).filter(|entry| filter.fits(entry)).collect();
    let output = Output::new();
    let text = match reader {
        Reader::Program => {
            let rows: Vec<WireRule<'_>> = wanted.iter().map(|entry| wire(entry)).collect();
            format!("{}\n", serde_json::to_string_pretty(&rows)?)
        }
        Reader::Person => output.fit(&page(&wanted, &world, output)),
    };
    print(&text)?;
    Ok(0)
}

fn wire(entry: &Entry) -> WireRule<'_> {
    WireRule {
        id: &entry.rule.id,
        severity: entry.rule.severity,
        recommend: entry.rule.recommend,
        pack: &entry.pack.name,
        reason: &entry.rule.reason,
        origin: match &entry.pack.origin {
            Origin::BuiltIn => BUILT_IN,
            Origin::File(path) => path,
        },
        line: entry.line,
    }
}

fn page(rules: &[&Entry], world: &World, output: Output) -> String {
    let home = world.judge.facts.home.as_deref();
    let ids = rules.iter().map(|entry| width(&entry.rule.id)).max().unwrap_or(0);
    let mut text = String::new();
    let mut packs = 0;
    let mut pack = None;
    for entry in rules {
        if pack != Some(entry.pack.number) {
            pack = Some(entry.pack.number);
            let gap = if packs == 0 { "" } else { "\n" };
            packs += 1;
            let name = output.bold(&visible(&entry.pack.name));
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{gap}{name}  {}", output.dim(&visible(&entry.pack.summary)));
        }
        let rule = &entry.rule;
        let severity = padded(rule.severity.name(), 8);
        let severity = output.colour.paint(severity_style(rule.severity), &severity);
        let id = padded(&visible(&rule.id), ids);
        let origin = output.dim(&visible(&short(&place(entry), home)));
        let _ = writeln!(text, "  {severity}  {id}  {:<11}  {origin}", beyond(rule.recommend));
    }
    let gap = if rules.is_empty() { "" } else { "\n" };
    let _ = writeln!(text, "{gap}{}", output.dim(&total(rules.len(), packs)));
    let disabled = &world.settings.disabled_rules;
    if !disabled.value.is_empty() {
        let ids = disabled.value.join(", ");
        let origin = short(&disabled.origin.to_string(), home);
        let _ = writeln!(text, "switched off at {}: {}", visible(&origin), visible(&ids));
    }
    text
}

fn total(rules: usize, packs: usize) -> String {
    let s = |number: usize| if number == 1 { "" } else { "s" };
    format!("{rules} rule{} in {packs} pack{}", s(rules), s(packs))
}
