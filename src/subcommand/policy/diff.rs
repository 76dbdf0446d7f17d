//! `policy diff`: each line of the record, judged by one policy and by another. Runs no line.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{DiffArguments, as_on_a_machine};
use crate::approval::text::{on_one_line, with_causes};
use crate::approval::visible;
use crate::audit::mask::MASK;
use crate::audit::{self, Entries, Entry, Filter};
use crate::config::Places;
use crate::model::{Action, Caller, Finding, Score, Severity, StandardInput};
use crate::observe;
use crate::pipeline::{self, Judgement, Request, World};
use crate::subcommand::arguments::Reader;
use crate::subcommand::failure::{Failure, USAGE};
use crate::subcommand::ground::Ground;
use crate::subcommand::output::{print, short};
use crate::subcommand::past::{self, SINCE};
use crate::subcommand::scratch::Scratch;
use crate::subcommand::verbs::becomes;

/// The word for what is in force here.
const CURRENT: &str = "current";
/// Status where a line would be decided otherwise.
const CHANGED: u8 = 1;
/// Bytes of lines that are held at once: those of millions of records.
const HELD: usize = 256 << 20;
/// Lines that are shown to people at most.
const SHOWN: usize = 50;
/// Faults that are told at most: to people, and to programs.
const TOLD: usize = 5;
const KEPT: usize = 100;

pub(super) fn run(arguments: &DiffArguments) -> Result<u8, Failure> {
    let scratch = Scratch::make()?;
    let environment = environment();
    let side = |policy: &Path| Side::of(policy, &environment, scratch.path());
    let (old, new) = (side(&arguments.old)?, side(&arguments.new)?);
    let mut lines = Lines::default();
    if arguments.on.is_empty() {
        let ground = Ground::here();
        let store = pipeline::store(&ground.settings()?, &ground.places)?;
        let since = Some(audit::ago(SINCE));
        lines.read(store.entries(Filter { since, ..Filter::default() })?);
    }
    for path in &arguments.on {
        let before = lines.seen;
        lines.read(audit::entries_at(path)?);
        if lines.seen == before {
            let told = path.display();
            return Err(Failure::new(format!("there are no records in '{told}'")));
        }
    }
    let diff = lines.judged(&old, &new);
    for fault in diff.damaged.faults.iter().take(TOLD) {
        Failure::new(fault.clone()).note();
    }
    let home = environment.get("HOME");
    print(&match Reader::from(arguments.json) {
        Reader::Program => serde_json::to_string(&diff)? + "\n",
        Reader::Person => diff.told(home),
    })?;
    Ok(match (diff.damaged.count == 0, diff.changed.is_empty()) {
        (false, _) => USAGE,
        (true, false) => CHANGED,
        (true, true) => 0,
    })
}

/// Returns the environment that lines are judged in: the least that they have anywhere, so that two machines say the same.
fn environment() -> observe::Environment {
    let own = observe::Environment::read();
    let pair = |name: &str| Some((OsString::from(name), OsString::from(own.get(name)?)));
    observe::Environment::of(["HOME", "USER", "PATH"].into_iter().filter_map(pair))
}

/// One of the two policies.
struct Side<'s> {
    places: Places,
    environment: &'s observe::Environment,
}

impl<'s> Side<'s> {
    /// Returns a policy that loads.
    fn of(
        policy: &Path,
        environment: &'s observe::Environment,
        scratch: &Path,
    ) -> Result<Self, Failure> {
        let places = if policy == Path::new(CURRENT) {
            pipeline::places(&observe::Environment::read())
        } else if policy.is_dir() {
            let home = environment.get("HOME").map(PathBuf::from);
            Places::tried(policy.to_owned(), home, scratch.join("cache")).alone()
        } else {
            let told = policy.display();
            let hint = format!("`{CURRENT}` is what is in force here");
            return Err(Failure::new(format!("there is no directory '{told}'")).hint(hint));
        };
        let side = Self { places, environment };
        side.world(None)?;
        Ok(side)
    }

    fn world(&self, cwd: Option<&str>) -> Result<World, Failure> {
        let cwd = cwd.map(str::to_owned);
        let world = World::of(self.environment.clone(), self.places.clone(), cwd)?;
        Ok(as_on_a_machine(world.with_input(StandardInput::Nothing)))
    }
}

/// A line of the record, and where it ran.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    cwd: String,
    caller: Option<String>,
    text: String,
}

/// The lines of a record, each once.
#[derive(Default)]
struct Lines {
    /// With how often each is there.
    all: BTreeMap<Line, u64>,
    bytes: usize,
    /// Entries and lines that are none.
    seen: u64,
    left: Left,
    damaged: Damaged,
}

/// What cannot be read or judged.
#[derive(Debug, Default, Serialize)]
struct Damaged {
    count: u64,
    /// The first of them, each with its place.
    faults: Vec<String>,
}

impl Damaged {
    fn note(&mut self, fault: impl FnOnce() -> String) {
        self.count += 1;
        if self.faults.len() < KEPT {
            self.faults.push(fault());
        }
    }
}

/// What is not judged, by why.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Left {
    /// Secrets in them are masked.
    masked: u64,
    /// They are longer than what is kept.
    cut: u64,
    /// Their directory is not known.
    without_directory: u64,
    /// They are no lines: calls of other tools, and events.
    others: u64,
    /// They are more than are held.
    too_many: u64,
}

impl Lines {
    fn read(&mut self, entries: Entries) {
        for entry in entries {
            self.seen += 1;
            match entry {
                Ok(entry) => self.note(&entry),
                Err(error) => self.damaged.note(|| with_causes(&error)),
            }
        }
    }

    fn note(&mut self, entry: &Entry) {
        let record = entry.decisive();
        let (text, left) = (&record.line.text, &mut self.left);
        if !past::is_line(entry) || record.purpose.is_some() {
            left.others += 1;
        } else if record.line.rest.is_some() {
            left.cut += 1;
        } else if text.contains(MASK) {
            left.masked += 1;
        } else if let Some(cwd) = record.cwd.clone() {
            let line = Line { cwd, caller: record.caller.clone(), text: text.clone() };
            let size = line.cwd.len() + line.text.len();
            if let Some(count) = self.all.get_mut(&line) {
                *count += 1;
            } else if self.bytes + size > HELD {
                left.too_many += 1;
            } else {
                self.bytes += size;
                self.all.insert(line, 1);
            }
        } else {
            left.without_directory += 1;
        }
    }

    fn judged(self, old: &Side<'_>, new: &Side<'_>) -> Diff {
        let mut diff = Diff {
            lines: self.all.values().sum(),
            distinct: self.all.len(),
            changed: Vec::new(),
            not_judged: self.left,
            damaged: self.damaged,
        };
        // Lines of one directory stand together, so no more than two worlds are held.
        let mut worlds: Option<(String, World, World)> = None;
        for (line, count) in self.all {
            if worlds.as_ref().is_none_or(|(cwd, ..)| *cwd != line.cwd) {
                worlds = match (old.world(Some(&line.cwd)), new.world(Some(&line.cwd))) {
                    (Ok(old), Ok(new)) => Some((line.cwd.clone(), old, new)),
                    (Err(failure), _) | (_, Err(failure)) => {
                        let why = || format!("cannot judge in '{}': {}", line.cwd, failure.text());
                        diff.damaged.note(why);
                        None
                    }
                };
            }
            let Some((_, old, new)) = &mut worlds else { continue };
            let caller = line.caller.clone().map_or(Caller::Unknown, Caller::Agent);
            let by = |world: &mut World| {
                world.judge.facts.caller.clone_from(&caller);
                let judgement = world.judge(&Request::about(line.text.as_bytes()));
                judgement.map(|judgement| pipeline::supposed(world, judgement))
            };
            match (by(old), by(new)) {
                (Ok(was), Ok(is)) if was.action == is.action => {}
                (Ok(was), Ok(is)) => {
                    let because = because(old, &was, new, &is);
                    let (before, after) = (Found::of(&was), Found::of(&is));
                    let Line { cwd, caller, text: line } = line;
                    diff.changed.push(Changed { line, cwd, caller, count, before, after, because });
                }
                (Err(stop), _) | (_, Err(stop)) => diff.damaged.note(|| stop.reason()),
            }
        }
        // What would run that did not is what somebody must see.
        diff.changed.sort_by_key(|one| {
            let is_stricter = one.after.action > one.before.action;
            (is_stricter, one.before.action, one.after.action, std::cmp::Reverse(one.count))
        });
        diff
    }
}

/// What differs.
#[derive(Serialize)]
struct Diff {
    /// How many lines were judged, and how many different ones they are.
    lines: u64,
    distinct: usize,
    changed: Vec<Changed>,
    not_judged: Left,
    damaged: Damaged,
}

/// A line that is decided otherwise.
#[derive(Serialize)]
struct Changed {
    line: String,
    cwd: String,
    caller: Option<String>,
    /// How often the record has it.
    count: u64,
    before: Found,
    after: Found,
    /// By which rules, or settings.
    because: Vec<String>,
}

#[derive(Serialize)]
struct Found {
    action: Action,
    severity: Severity,
    score: Score,
    reason: String,
    rules: Vec<String>,
}

impl Found {
    fn of(judgement: &Judgement) -> Self {
        let assessment = &judgement.assessment;
        Self {
            action: judgement.action,
            severity: assessment.severity,
            score: assessment.score,
            reason: assessment.reason.clone(),
            rules: assessment.findings.iter().map(|finding| finding.rule.clone()).collect(),
        }
    }
}

/// Returns what makes the difference: what only one of them found, else what the settings say.
fn because(old: &World, was: &Judgement, new: &World, is: &Judgement) -> Vec<String> {
    let found = |judgement: &Judgement| -> BTreeSet<(String, Severity, Action)> {
        let one = |finding: &Finding| (finding.rule.clone(), finding.severity, finding.action);
        judgement.assessment.findings.iter().map(one).collect()
    };
    let (was, is) = (found(was), found(is));
    let names = |one: &BTreeSet<(String, Severity, Action)>, other: &BTreeSet<_>| {
        one.difference(other).map(|(rule, ..)| rule.clone()).collect::<BTreeSet<String>>()
    };
    let (gone, come) = (names(&was, &is), names(&is, &was));
    let mut all = Vec::new();
    for rule in gone.intersection(&come) {
        all.push(format!("otherwise: {rule}"));
    }
    all.extend(come.difference(&gone).map(|rule| format!("now: {rule}")));
    all.extend(gone.difference(&come).map(|rule| format!("no more: {rule}")));
    let (before, after) = (&old.settings, &new.settings);
    let mut changed = |name: &str, before: &str, after: &str| {
        if before != after {
            all.push(format!("{name} {before} → {after}"));
        }
    };
    changed("profile", before.profile.value.name(), after.profile.value.name());
    changed("contain", before.contain.value.name(), after.contain.value.name());
    changed("undo", before.undo.mode.value.name(), after.undo.mode.value.name());
    let threshold = |world: &World| world.settings.thresholds.bash.value.to_string();
    changed("thresholds.bash", &threshold(old), &threshold(new));
    all
}

impl Diff {
    fn told(&self, home: Option<&str>) -> String {
        let counted = |number: u64, one: &str, many: &str| {
            format!("{number} {}", if number == 1 { one } else { many })
        };
        let mut text = String::new();
        for one in self.changed.iter().take(SHOWN) {
            let (was, is) = (becomes(one.before.action), becomes(one.after.action));
            let place = short(&one.cwd, home);
            let line = on_one_line(&one.line);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{was} → {is}  {}×  {line}  {place}", one.count);
            for why in &one.because {
                let _ = writeln!(text, "    {why}");
            }
        }
        if self.changed.len() > SHOWN {
            let more = self.changed.len() - SHOWN;
            let _ = writeln!(text, "and {more} more: --json has all");
        }
        let lines = counted(self.lines, "line", "lines");
        let changed = counted(self.changed.len() as u64, "line", "lines");
        let _ = writeln!(
            text,
            "of {lines}, {} of them different, {changed} would be decided otherwise",
            self.distinct
        );
        let Left { masked, cut, without_directory, others, too_many } = self.not_judged;
        let left = [
            (masked, "with masked secrets"),
            (cut, "longer than what is kept"),
            (without_directory, "without a directory"),
            (others, "that are no lines of a shell"),
            (too_many, "more than are held"),
            (self.damaged.count, "that are damaged"),
        ];
        let left: Vec<String> = left
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, why)| format!("{number} {why}"))
            .collect();
        if !left.is_empty() {
            let _ = writeln!(text, "not judged: {}", left.join(", "));
        }
        visible(&text).into_owned()
    }
}
