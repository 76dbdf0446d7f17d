//! `policy test`: the tests of a directory of policy, judged, each in a world of its own. Runs no line.

use std::collections::HashSet;
use std::path::Path;
use std::time::Instant;

use super::report::{Coverage, Covered, Done, Found, Place, Report};
use super::stage::{Made, Stage};
use super::{CoverageUse, Format, TestArguments, junit, sarif, text};
use crate::config::{self, Case, TESTS};
use crate::model::{Finding, Mode};
use crate::pipeline::{self, Judgement, Request, examples};
use crate::rules::glob;
use crate::rules::source::did_you_mean;
use crate::rules::{Entry, Examples, Origin, RuleSet};
use crate::subcommand::failure::Failure;
use crate::subcommand::output::print;
use crate::subcommand::rules;

/// Status where something is not as it says.
const FAILED: u8 = 1;

pub(super) fn run(arguments: &TestArguments) -> Result<u8, Failure> {
    let TestArguments { directory, format, coverage } = arguments;
    if !directory.is_dir() {
        let told = directory.display();
        return Err(Failure::new(format!("there is no directory '{told}'")));
    }
    let report = report(directory, *coverage)?;
    let text = match format {
        Format::Text => text::told(&report),
        Format::Json => serde_json::to_string(&report)? + "\n",
        Format::Junit => junit::written(&report),
        Format::Sarif => {
            let cwd = std::env::current_dir().unwrap_or_default();
            serde_json::to_string_pretty(&sarif::written(&report, &cwd))? + "\n"
        }
    };
    print(&text)?;
    Ok(if report.is_passed() { 0 } else { FAILED })
}

fn report(directory: &Path, coverage: Option<CoverageUse>) -> Result<Report, Failure> {
    let path = directory.join(TESTS);
    let cases = config::cases(&path)?;
    let mut stage = Stage::new(directory)?;
    let own = Own::of(&stage.bare()?)?;
    let mut fired = HashSet::new();
    let tests = cases.iter().map(|case| tested(case, &path, &mut stage, &mut fired)).collect();
    let covered = |use_| own.coverage(&fired, use_);
    Ok(Report {
        directory: directory.display().to_string(),
        tests,
        examples: own.examples(),
        coverage: coverage.map(covered),
    })
}

/// Judges a row, and notes which rules fire.
fn tested(case: &Case, path: &Path, stage: &mut Stage, fired: &mut HashSet<String>) -> Done {
    let begun = Instant::now();
    let (faults, found) = match judged(case, stage) {
        Ok((made, judgement)) => {
            fired.extend(judgement.assessment.findings.iter().map(|found| found.rule.clone()));
            let faults = Expectation { case, made: &made, judgement: &judgement }.faults();
            (faults, Some(Found::of(&judgement, |text| made.told(text))))
        }
        Err(failure) => (vec![format!("it cannot be judged: {failure}")], None),
    };
    let (name, line) = (case.title().to_owned(), case.line.clone());
    let place = Place { file: path.display().to_string(), at: case.at };
    Done { name, rule: None, place, line, faults, found, took: begun.elapsed() }
}

fn judged(case: &Case, stage: &mut Stage) -> Result<(Made, Judgement), String> {
    let made = stage.set(case).map_err(|failure| failure.text())?;
    let judgement = made.world.judge(&Request::about(case.line.as_bytes()));
    let judgement = judgement.map_err(|stop| stop.reason())?;
    let judgement = pipeline::supposed(&made.world, judgement);
    Ok((made, judgement))
}

/// A row with what came of it.
struct Expectation<'e> {
    case: &'e Case,
    made: &'e Made,
    judgement: &'e Judgement,
}

impl Expectation<'_> {
    /// Returns what is not as it is expected.
    fn faults(&self) -> Vec<String> {
        let Self { case, made, judgement } = self;
        let (expected, assessment) = (&case.expected, &judgement.assessment);
        let reason = made.told(&assessment.reason);
        let mut faults = Vec::new();
        if judgement.action != expected.action {
            let (is, was) = (expected.action.name(), judgement.action.name());
            faults.push(format!("expected {is}, came {was}: {reason}"));
        }
        let mode = &made.world.settings.mode;
        if let Some(expected) = expected.mode.filter(|expected| *expected != mode.value) {
            let (is, was) = (name_of(expected), name_of(mode.value));
            let origin = made.told(&mode.origin.to_string());
            faults.push(format!("expected mode {is}, it is {was} ({origin})"));
        }
        if let Some(expected) = expected.severity.filter(|one| *one != assessment.severity) {
            let (is, was) = (expected.name(), assessment.severity.name());
            faults.push(format!("expected severity {is}, it is {was}"));
        }
        let fires = |pattern: &str| {
            let is_it = |finding: &&Finding| glob::text(pattern, &finding.rule);
            assessment.findings.iter().find(is_it)
        };
        if let Some(rule) = expected.rule.as_deref().filter(|rule| fires(rule).is_none()) {
            faults.push(self.missed(rule));
        }
        if let Some(found) = expected.not_rule.as_deref().and_then(fires) {
            faults.push(format!("rule {} fires: {}", found.rule, made.told(&found.reason)));
        }
        if let Some(part) = expected.reason.as_deref().filter(|part| !reason.contains(*part)) {
            faults.push(format!("the reason has no '{part}' in it: {reason}"));
        }
        faults
    }

    /// Says why no such rule fires.
    fn missed(&self, pattern: &str) -> String {
        let judge = &self.made.world.judge;
        let all = judge.rules.all().unwrap_or_default();
        if let Some((entry, _)) = all.iter().find(|(entry, _)| entry.rule.id == pattern) {
            let why = self.judgement.why_not(&entry.rule, &judge.facts).unwrap_or_default();
            return format!("rule {pattern} does not fire: {}", self.made.told(&why));
        }
        let names: Vec<String> = all.iter().map(|(entry, _)| entry.rule.id.clone()).collect();
        if names.iter().any(|name| glob::text(pattern, name)) || is_general(pattern) {
            return format!("no rule of '{pattern}' fires");
        }
        let near = did_you_mean(pattern, &names).map(|near| format!(" ({near})"));
        format!("there is no rule '{pattern}'{}", near.unwrap_or_default())
    }
}

/// Whether findings are called so that come of no rule.
fn is_general(pattern: &str) -> bool {
    ["effect.", "opaque.", "unknown."].iter().any(|begin| pattern.starts_with(begin))
}

const fn name_of(mode: Mode) -> &'static str {
    match mode {
        Mode::Shadow => "shadow",
        Mode::Enforce => "enforce",
    }
}

/// The rules of the directory itself.
struct Own {
    /// They and the built-in ones.
    set: RuleSet,
    rules: Vec<(std::sync::Arc<Entry>, Examples)>,
}

impl Own {
    fn of(made: &Made) -> Result<Self, Failure> {
        let world = &made.world;
        let request = pipeline::load_request(&world.places, &world.judge.facts);
        let directories = config::rule_directories(&request, Some(&world.settings));
        let set = rules::test::compiled(&rules::files_in(directories))?;
        let mut rules = set.all()?;
        let disabled = &world.settings.disabled_rules.value;
        rules.retain(|(entry, _)| {
            entry.pack.origin != Origin::BuiltIn && !disabled.contains(&entry.rule.id)
        });
        Ok(Self { set, rules })
    }

    /// Judges the examples, each by itself.
    fn examples(&self) -> Vec<Done> {
        let mut all = Vec::new();
        for (entry, examples) in &self.rules {
            for example in examples::each(examples) {
                let begun = Instant::now();
                let failed = examples::check(&self.set, entry, &example).err();
                let line = example.matches.into_iter().chain(example.passes).next();
                let line = line.unwrap_or_default();
                all.push(Done {
                    name: line.clone(),
                    rule: Some(entry.rule.id.clone()),
                    place: place(entry),
                    line,
                    faults: failed.iter().map(ToString::to_string).collect(),
                    found: None,
                    took: begun.elapsed(),
                });
            }
        }
        all
    }

    fn coverage(&self, fired: &HashSet<String>, use_: CoverageUse) -> Coverage {
        let all = self
            .rules
            .iter()
            .map(|(entry, _)| Covered { rule: entry.rule.id.clone(), place: place(entry) });
        let (fired, unfired) = all.partition(|one| fired.contains(&one.rule));
        Coverage { fired, unfired, required: use_ == CoverageUse::Require }
    }
}

fn place(entry: &Entry) -> Place {
    let file = match &entry.pack.origin {
        Origin::BuiltIn => format!("{}.toml", entry.pack.name),
        Origin::File(path) => path.clone(),
    };
    Place { file, at: usize::try_from(entry.line).unwrap_or(1) }
}
