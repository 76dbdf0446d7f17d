//! `explain`: a judgement for people. The line underlined, the verdict and why, what would make it quieter, then the details: the plan as
//! a tree with what was found in it, and where it is wanted how the score came about.

use std::fmt::Write as _;

use super::output::{Output, Page, cut, width, wrapped};
use super::sheet::{draw, severity_style};
use super::tree;
use crate::approval::line::marks;
use crate::approval::{letters, visible};
use crate::decision::Terms;
use crate::frame::Carries;
use crate::model::{
    Action, Contain, Facts, Finding, Layer, Layers, Mode, Profile, Score, Severity,
};
use crate::pipeline::quieter::{self, Way};
use crate::pipeline::{Judgement, World};
use crate::policy;

/// Points that are listed one by one at most.
const MOST_POINTS: usize = 12;

/// Whether people see scores beside severities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scores {
    /// Only how severe it is: one scale is enough.
    Hidden,
    /// Both.
    Shown,
}

impl From<bool> for Scores {
    /// `--verbose`, given or not.
    fn from(verbose: bool) -> Self {
        if verbose { Self::Shown } else { Self::Hidden }
    }
}

impl Scores {
    /// Returns how severe something is, in words.
    pub(super) fn told(self, severity: Severity, score: Score) -> String {
        match self {
            Self::Hidden => severity.name().to_owned(),
            Self::Shown => format!("{} {}/100", severity.name(), score.get()),
        }
    }
}

/// A judgement with what there is to say about it.
struct Explained<'a> {
    judgement: &'a Judgement,
    terms: Terms,
    facts: &'a Facts,
    contain: Contain,
    ways: &'a [Way],
    scores: Scores,
}

/// Writes the page about a judgement of this world.
pub(super) fn page(world: &World, judgement: &Judgement, output: Output, scores: Scores) -> String {
    let ways = &quieter::ways(world, judgement);
    let explained = &Explained {
        judgement,
        terms: world.terms(),
        facts: &world.judge.facts,
        contain: world.settings.contain.value,
        ways,
        scores,
    };
    let mut page = Explanation { explained, page: Page::new(output) };
    page.line();
    page.verdict();
    page.quieter();
    page.plan();
    page.of_the_line();
    if scores == Scores::Shown {
        page.score();
    }
    page.page.text
}

struct Explanation<'a> {
    explained: &'a Explained<'a>,
    page: Page,
}

impl Explanation<'_> {
    fn line(&mut self) {
        let marks = marks(&self.explained.judgement.assessment.findings);
        let drawn = draw(
            &self.explained.judgement.line,
            &marks,
            self.page.columns,
            self.page.output.colour,
        );
        self.page.text.push_str(&drawn);
    }

    fn verdict(&mut self) {
        let Explained { judgement, terms, .. } = self.explained;
        let assessment = &judgement.assessment;
        let action = match judgement.action {
            Action::Allow => "runs at once",
            Action::Contain => "runs at once, contained",
            Action::Ask => "waits for a person",
            Action::Deny => "is refused",
        };
        let severity = assessment.severity;
        let head = self.explained.scores.told(severity, assessment.score);
        let head = self.page.output.colour.paint(severity_style(severity), &head);
        self.page.row(&format!("\n{head}  {}", self.page.output.bold(action)));
        if judgement.action != Action::Allow || !assessment.findings.is_empty() {
            self.page.says("", 0, &assessment.reason);
        }
        if let Some(anew) = &judgement.anew {
            self.page.says("", 0, &format!("it is asked about anew: {anew}"));
        }
        for (_, why) in letters::doubtful(&judgement.line) {
            self.page.says("", 0, &why);
        }
        if let Some(text) = self.container() {
            self.page.says("", 0, &text);
        }
        if let Some(suggestion) = &assessment.suggestion {
            self.page.says("→", 2, suggestion);
        }
        if let Some(instead) = &assessment.instead {
            self.page.says("→", 2, &format!("instead: {instead}"));
        }
        if let Some(frame) = &judgement.frame {
            let text = match frame.carries {
                Carries::Command(_) => {
                    format!("judged by what {}'s frame around it carries", frame.agent)
                }
                Carries::Startup => format!("{}'s own start-up script", frame.agent),
            };
            let text = self.page.output.dim(&text);
            self.page.row(&text);
        }
        if terms.mode == Mode::Shadow && judgement.action != Action::Allow {
            self.page.says("", 0, "in shadow mode it runs all the same, and this is recorded");
        }
    }

    /// What a container takes away from the line; what is missing of one, where that is why it is asked about.
    fn container(&self) -> Option<String> {
        let Explained { judgement, terms, contain, .. } = self.explained;
        let layers = judgement.assessment.contained?;
        let missing = layers.each().filter(|layer| !terms.layers.has(*layer));
        let missing = missing.fold(Layers::NONE, Layers::with);
        match (judgement.action, contain) {
            (Action::Contain, _) => {
                let network = if layers.has(Layer::Proxy) {
                    let hosts = policy::hosts(&judgement.plan).unwrap_or_default();
                    format!("no network but its own loopback and a way to {}, ", hosts.join(", "))
                } else {
                    "no network but its own loopback, ".to_owned()
                };
                Some(format!(
                    "would run contained: {network}nothing written outside of the workspace and temporary directories, nothing guarded \
                     changed in it, no secrets ({layers})"
                ))
            }
            (Action::Ask | Action::Deny, Contain::On) if !missing.is_empty() => Some(format!(
                "would run contained, but something is missing here ({missing}): `guarded-sh doctor` says what"
            )),
            (Action::Allow | Action::Ask | Action::Deny, _) => None,
        }
    }

    fn plan(&mut self) {
        self.page.title("What will run");
        let Explained { judgement, facts, .. } = self.explained;
        let tree = tree::draw(judgement, facts, self.page.columns, self.page.output);
        self.page.text.push_str(&tree);
    }

    /// Findings about no single command: what could not be read, and rules about whole lines.
    fn of_the_line(&mut self) {
        let assessment = &self.explained.judgement.assessment;
        let told = tree::subjects(self.explained.judgement);
        let found = assessment.findings.iter().zip(told).filter(|(_, told)| told.is_none());
        let found: Vec<&Finding> = found.map(|(finding, _)| finding).collect();
        if found.is_empty() {
            return;
        }
        self.page.title("In the line itself");
        for finding in found {
            self.of_bytes(finding);
        }
    }

    fn of_bytes(&mut self, finding: &Finding) {
        let line = &self.explained.judgement.line;
        let severity = finding.severity.name();
        let gap = " ".repeat(12 - 2 - severity.len());
        let severity = self.page.output.colour.paint(severity_style(finding.severity), severity);
        let room = self.page.columns.saturating_sub(12);
        let rows = wrapped(&visible(&finding.reason), room);
        let mut start = format!("  {severity}{gap}");
        for row in rows {
            self.page.row(&format!("{start}{row}"));
            start = " ".repeat(12);
        }
        let bytes = line.get(finding.span.start..finding.span.end).unwrap_or_default();
        let is_part = !bytes.is_empty() && finding.span.len() < line.len();
        let note = format!("({})", finding.rule);
        let quote = cut(&visible(bytes), room.saturating_sub(width(&note) + 1).max(8));
        let quote = if is_part { format!("{quote} ") } else { String::new() };
        let row = format!("{}{quote}{}", " ".repeat(12), self.page.output.dim(&visible(&note)));
        self.page.row(&row);
    }

    fn score(&mut self) {
        self.page.title("Score");
        let Explained { judgement, terms, .. } = self.explained;
        let assessment = &judgement.assessment;
        let severity = assessment.severity;
        let (low, high) = severity.band();
        let counted = |finding: &&Finding| finding.severity == severity && finding.points > 0;
        let counted: Vec<&Finding> = assessment.findings.iter().filter(counted).collect();
        if !counted.is_empty() {
            self.page
                .row(&format!("  {high:>4}  top of the band {}, {high} to {low}", severity.name()));
        }
        let points = points(&counted);
        for (text, points, times) in points.iter().take(MOST_POINTS) {
            let times = if *times == 1 { String::new() } else { format!(" ({times} times)") };
            let room = self.page.columns.saturating_sub(8 + width(&times));
            self.page.row(&format!("  {:>4}  {}{times}", -points, cut(&visible(text), room)));
        }
        if let Some(more) = points.len().checked_sub(MOST_POINTS).filter(|more| *more > 0) {
            self.page.row(&format!("     ⋮  {more} more"));
        }
        let sum = i32::from(high) - points.iter().map(|(_, points, _)| points).sum::<i32>();
        if sum < i32::from(low) {
            let back = format!("+{}", i32::from(low) - sum);
            self.page.row(&format!("  {back:>4}  a line does not leave its band"));
        }
        let score = assessment.score.get();
        let mut last = format!("{}: ", format!("{:?}", assessment.category()).to_lowercase());
        last.push_str(&self.consequence(*terms));
        self.page.says(&format!("  {score:>4}"), 8, &last);
        let milder = assessment.findings.iter().filter(|f| f.severity < severity).count();
        if milder > 0 {
            let (s, does) = if milder == 1 { ("", "does") } else { ("s", "do") };
            let text = format!(
                "{milder} milder finding{s} {does} not count: a line is as safe as its worst part"
            );
            self.page.says("", 8, &text);
        }
    }

    /// What the score means under the owner's terms.
    fn consequence(&self, terms: Terms) -> String {
        let assessment = &self.explained.judgement.assessment;
        let (score, threshold) = (assessment.score.get(), terms.threshold);
        let by_rule = assessment.findings.iter().find(|finding| {
            finding.action == assessment.action && assessment.action != Action::Allow
        });
        let profile = match terms.profile {
            Profile::Balanced => "balanced",
            Profile::Unattended => "unattended",
            Profile::Strict => "strict",
        };
        match (by_rule, score >= threshold) {
            (Some(finding), _) if finding.action == Action::Deny => {
                format!("{} refuses, whatever the score", finding.rule)
            }
            (Some(finding), true) => format!("{} asks, whatever the score", finding.rule),
            (_, true) => format!("lines run at once from {threshold}"),
            (_, false) => {
                let what = match self.explained.judgement.action {
                    Action::Allow => "runs",
                    Action::Contain => "runs contained",
                    Action::Ask => "asks",
                    Action::Deny => "is refused",
                };
                format!("below {threshold} a line like this {what} (profile {profile})")
            }
        }
    }

    fn quieter(&mut self) {
        if self.explained.ways.is_empty() {
            return;
        }
        self.page.title("What would make it quieter");
        for way in self.explained.ways {
            let mut text = way.text.clone();
            if let Some((action, severity, score)) = way.then {
                let what = match action {
                    Action::Allow => "it runs at once",
                    Action::Contain => "it runs at once, contained",
                    Action::Ask => "it still asks",
                    Action::Deny => "it is still refused",
                };
                let severity = match self.explained.scores {
                    Scores::Hidden => String::new(),
                    Scores::Shown => format!(" ({})", Scores::Shown.told(severity, score)),
                };
                // Writing to a string cannot fail.
                let _ = write!(text, " — then {what}{severity}");
            }
            self.page.says("  -", 4, &text);
        }
    }
}

/// What takes points off, how many, and how often: rules by their ids, what needs no rule in words.
fn points<'f>(counted: &[&'f Finding]) -> Vec<(&'f str, i32, usize)> {
    let mut all: Vec<(&str, i32, usize)> = Vec::new();
    for finding in counted {
        let is_general = finding.rule.starts_with("effect.") || finding.rule == "unknown.part";
        let text = if is_general { &finding.reason } else { &finding.rule };
        match all.iter_mut().find(|(known, _, _)| known == text) {
            Some((_, points, times)) => {
                *points += i32::from(finding.points);
                *times += 1;
            }
            None => all.push((text, i32::from(finding.points), 1)),
        }
    }
    all
}
