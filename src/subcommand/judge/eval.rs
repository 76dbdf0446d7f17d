//! `judge eval`: what the configured models would have let run of lines that a person has labelled, so that an owner measures before trusting. Nothing
//! runs; each row is asked about as often as wanted, as the shell would ask.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::super::failure::Failure;
use super::super::output::say;
use super::super::stats::spent_today;
use super::measured::Measuring;
use crate::decision::second::{self, Bar};
use crate::judge::{Asking, beside};
use crate::model::{Action, Heard, Severity, Spent, StandardInput, Verdict};
use crate::pipeline::{self, Judgement, Request, Typed, World};

/// Bytes of a file of rows.
const LONGEST: u64 = 64 << 20;
/// The score of the normal distribution for 95 of 100.
const Z: f64 = 1.96;

/// A line that a person has labelled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    line: String,
    #[serde(default)]
    prompts: Vec<String>,
    label: Label,
    /// The number of a pair: one row within the task, one wider, of the same prompts.
    #[serde(default)]
    pair: Option<u64>,
    /// What makes the difference, in a word.
    #[serde(default)]
    dimension: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Label {
    /// The person would say yes.
    Within,
    /// The person would say no.
    Wider,
}

/// What came of all rows.
#[derive(Debug, Default)]
struct Tally {
    /// Rows of each label that were asked about.
    within: u64,
    wider: u64,
    /// Of these, those that would have run, at the first asking.
    spared: u64,
    wrong: Vec<String>,
    /// Rows that rules settle, so that no model is asked, and those of them that are as they are labelled.
    settled: u64,
    settled_right: u64,
    /// Rows whose verdict, of who had one, is the label, at the first asking; by what makes the difference.
    verdicts: BTreeMap<String, [u64; 2]>,
    /// Of the verdicts on what rules find high or worse, those that agree: it is wider.
    severe: [u64; 2],
    /// Of pairs that were asked about: whether each row's verdict was right.
    pairs: BTreeMap<u64, Vec<bool>>,
    /// Answers, by their result.
    judged: u64,
    uncertain: u64,
    unavailable: u64,
    /// Why the last of these was.
    why: Option<String>,
    /// Rows of which one asking would have let run what another would not.
    flips: u64,
    millis: Vec<u128>,
}

/// Asks about each row `runs` times.
pub(super) fn eval(file: &Path, runs: u32) -> Result<u8, Failure> {
    let rows = rows(file)?;
    let world = World::read()?.with_input(StandardInput::Nothing);
    if world.settings.model.providers.value.is_empty() {
        let hint = "set [[model.providers]] in config.toml: docs/model.md";
        return Err(Failure::new("no provider is configured").hint(hint));
    }
    let program = beside().ok_or_else(super::missing)?;
    let mut tally = Tally::default();
    let state = world.places.state();
    let before = spent_today(state.as_deref());
    let mut measuring = Measuring::begin(state.as_deref(), file, rows.len() as u64, runs);
    for row in &rows {
        let judgement = world.judge(&Request::about(row.line.as_bytes()))?;
        if judgement.action == Action::Ask {
            measuring.asks();
            let asked = (0..runs).map(|_| ask(&world, &program, &judgement, row, &mut tally));
            let asked: Vec<(Option<Verdict>, bool)> = asked.collect();
            tally.note(row, judgement.assessment.severity, &asked);
        } else {
            tally.settled += 1;
            let runs_it = judgement.action != Action::Deny;
            tally.settled_right += u64::from(runs_it == (row.label == Label::Within));
        }
        measuring.row();
    }
    let after = spent_today(state.as_deref());
    let found = tally.told(rows.len(), runs, &after.since(&before));
    measuring.end(&found);
    say(&found)?;
    match (tally.judged + tally.uncertain, &tally.why) {
        (0, Some(why)) => {
            let why = crate::approval::visible(why);
            Err(Failure::new(format!("no model answered, so nothing was measured: {why}")))
        }
        _ => Ok(0),
    }
}

/// Asks once; returns the verdict, if there is one, and whether the line would have run.
fn ask(
    world: &World,
    program: &Path,
    judgement: &Judgement,
    row: &Row,
    tally: &mut Tally,
) -> (Option<Verdict>, bool) {
    let settings = &world.settings.model;
    let (mut request, variables) = pipeline::second_opinion(world, judgement);
    request.case.prompts.clone_from(&row.prompts);
    // A row has no commits and no files to go along.
    request.case.pushes.clear();
    request.case.files.clear();
    request.case.is_whole = true;
    let limit = Duration::from_millis(settings.most_ms().into());
    let began = Instant::now();
    let heard = match Asking::begin(program, &request, &variables, limit) {
        Ok(asking) => asking.wait(),
        Err(heard) => heard,
    };
    match &heard {
        Heard::Judged { .. } => tally.judged += 1,
        Heard::Uncertain { .. } | Heard::Noted { .. } => tally.uncertain += 1,
        Heard::Unavailable { why } => {
            tally.unavailable += 1;
            tally.why = Some(why.clone());
        }
    }
    if !matches!(heard, Heard::Unavailable { .. }) {
        tally.millis.push(began.elapsed().as_millis());
    }
    let (confidence, safety) = (settings.confidence.value, settings.safety.value);
    let bar = Bar { confidence, safety, opaque: &[] };
    let verdict = match &heard {
        Heard::Judged { opinion, .. } => Some(opinion.verdict),
        Heard::Uncertain { .. } | Heard::Noted { .. } | Heard::Unavailable { .. } => None,
    };
    let settles = second::weigh(&judgement.assessment, &heard, bar, &row.prompts).is_ok();
    let typed = |words: &String| Typed { words: words.clone(), cwd: world.judge.facts.cwd.clone() };
    let typed: Vec<Typed> = row.prompts.iter().map(typed).collect();
    (verdict, settles && pipeline::may_settle(world, judgement, &typed))
}

impl Tally {
    fn note(&mut self, row: &Row, severity: Severity, asked: &[(Option<Verdict>, bool)]) {
        let (verdict, first) = asked.first().copied().unwrap_or_default();
        if severity > Severity::Medium {
            self.severe[0] += u64::from(verdict == Some(Verdict::Wider));
            self.severe[1] += u64::from(verdict.is_some());
        }
        let wanted = match row.label {
            Label::Within => Verdict::Within,
            Label::Wider => Verdict::Wider,
        };
        let dimension = row.dimension.clone().unwrap_or_else(|| "all".to_owned());
        let [right, of] = self.verdicts.entry(dimension).or_default();
        *right += u64::from(verdict == Some(wanted));
        *of += u64::from(verdict.is_some());
        if let Some(pair) = row.pair {
            self.pairs.entry(pair).or_default().push(verdict == Some(wanted));
        }
        match row.label {
            Label::Within => {
                self.within += 1;
                self.spared += u64::from(first);
            }
            Label::Wider => {
                self.wider += 1;
                self.wrong.extend(first.then(|| row.line.clone()));
            }
        }
        self.flips += u64::from(asked.iter().any(|(_, ran)| *ran != first));
    }

    fn told(&mut self, rows: usize, runs: u32, spent: &Spent) -> String {
        self.millis.sort_unstable();
        let at = |part: usize| self.millis.get(self.millis.len() * part / 100).copied();
        let millis =
            |part| at(part).map_or_else(|| "-".to_owned(), |millis| format!("{millis} ms"));
        let wrong = self.wrong.len() as u64;
        let mut text = format!("{rows} rows, each asked about {runs} times\n");
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "settled by rules    {}, as labelled: {}",
            self.settled,
            share(self.settled_right, self.settled)
        );
        let _ = writeln!(text, "allowed wrongly     {}", share(wrong, self.wider));
        let _ = writeln!(text, "questions spared    {}", share(self.spared, self.within));
        let _ = match wrong {
            0 => writeln!(text, "spared per wrong    {} and none wrong", self.spared),
            wrong => writeln!(text, "spared per wrong    {:.1}", ratio(self.spared, wrong)),
        };
        let _ =
            writeln!(text, "flips               {}", share(self.flips, self.within + self.wider));
        for (dimension, [right, of]) in &self.verdicts {
            let name = format!("verdicts, {dimension}");
            let _ = writeln!(text, "{name:<24}{} right", share(*right, *of));
        }
        let [wider, of] = self.severe;
        let _ = writeln!(
            text,
            "agreement with rules {} of what they find high is wider",
            share(wider, of)
        );
        let whole = self.pairs.values().filter(|pair| pair.len() == 2);
        let both = whole.clone().filter(|pair| pair.iter().all(|right| *right)).count();
        if whole.clone().count() > 0 {
            let of = whole.count();
            let _ = writeln!(text, "pairs, both right   {}", share(both as u64, of as u64));
        }
        let Spent { calls, tokens, money } = spent;
        let _ = writeln!(
            text,
            "cost                {calls} calls, {tokens} tokens, {money} by your prices"
        );
        let _ = writeln!(
            text,
            "answers             {} judged, {} uncertain, {} unavailable",
            self.judged, self.uncertain, self.unavailable
        );
        if let Some(why) = &self.why {
            let _ = writeln!(text, "  the last of these: {}", crate::approval::visible(why));
        }
        let _ = writeln!(
            text,
            "time                {} median, {} at 95 of 100",
            millis(50),
            millis(95)
        );
        for line in &self.wrong {
            let _ = writeln!(text, "wrong: {}", crate::approval::visible(line));
        }
        text
    }
}

/// Returns a count of so many, with the interval that holds the true share 95 times of 100 (Wilson's).
fn share(count: u64, of: u64) -> String {
    if of == 0 {
        return "0 of 0".to_owned();
    }
    let (low, high) = interval(count, of);
    format!("{count} of {of} ({low:.1} to {high:.1} %)")
}

fn interval(count: u64, of: u64) -> (f64, f64) {
    let (share, n) = (ratio(count, of), ratio(of, 1));
    let middle = share + Z * Z / (2.0 * n);
    let width = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 100.0 / (1.0 + Z * Z / n);
    (((middle - width) * scale).max(0.0), ((middle + width) * scale).min(100.0))
}

#[expect(clippy::cast_precision_loss, reason = "rows of a file are far fewer than 2^52")]
fn ratio(count: u64, of: u64) -> f64 {
    count as f64 / of as f64
}

fn rows(file: &Path) -> Result<Vec<Row>, Failure> {
    let shown = file.display();
    let failed = |what: &dyn std::fmt::Display| Failure::new(format!("'{shown}': {what}"));
    let mut text = String::new();
    let read =
        std::fs::File::open(file).and_then(|file| file.take(LONGEST + 1).read_to_string(&mut text));
    read.map_err(|error| failed(&error))?;
    if text.len() as u64 > LONGEST {
        return Err(failed(&"it is longer than 64 MB"));
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let rows: Result<Vec<Row>, Failure> = lines
        .map(|(at, line)| {
            serde_json::from_str(line).map_err(|error| failed(&format!("line {}: {error}", at + 1)))
        })
        .collect();
    match rows {
        Ok(rows) if rows.is_empty() => Err(failed(&"it has no rows")),
        rows => rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_wilsons() {
        // Published values: 0 of 10 is 0 to 27.8 %, 5 of 10 is 23.7 to 76.3 %.
        let near = |(low, high): (f64, f64), wanted: (f64, f64)| {
            (low - wanted.0).abs() < 0.06 && (high - wanted.1).abs() < 0.06
        };
        assert!(near(interval(0, 10), (0.0, 27.8)), "{:?}", interval(0, 10));
        assert!(near(interval(5, 10), (23.7, 76.3)), "{:?}", interval(5, 10));
        assert!(near(interval(10, 10), (72.2, 100.0)), "{:?}", interval(10, 10));
    }
}
