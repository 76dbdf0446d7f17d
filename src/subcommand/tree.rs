//! The plan as a tree: each command, below it what it does and what was found, in one column the severity of each.

use anstyle::Style;

use super::output::{Output, cut, width, wrapped};
use super::sheet::{severity_style, words};
use crate::approval::visible;
use crate::model::{Arg, Effect, Facts, Finding, PathClass, Severity, Target};
use crate::pipeline::Judgement;
use crate::policy::{sentence, severity_of};
use crate::reading::{FlowKind, PlannedCommand};

/// Columns of the severity, with what surrounds it.
const GUTTER: usize = 12;
/// Harmless effects of one command that are told, and effects of one kind.
const MOST_ALIKE: usize = 3;
/// Commands that are drawn at most.
const MOST_COMMANDS: usize = 60;

/// Draws the plan of a judgement.
pub(super) fn draw(judgement: &Judgement, facts: &Facts, columns: usize, output: Output) -> String {
    let told = subjects(judgement);
    let mut tree = Tree { judgement, facts, told, columns, output, drawn: 0, out: String::new() };
    let commands = &judgement.plan.commands;
    let roots: Vec<usize> = (0..commands.len()).filter(|i| commands[*i].parent.is_none()).collect();
    if roots.is_empty() {
        let is_read = judgement.plan.opaque.is_empty();
        let text = if is_read { "nothing" } else { "not known: the line cannot be read" };
        tree.row(None, "", "", &output.dim(text));
    }
    tree.branch(&roots, "", true);
    let left_out = commands.len().saturating_sub(tree.drawn);
    if left_out > 0 {
        tree.row(None, "", "", &output.dim(&format!("⋮ {left_out} more commands")));
    }
    tree.out
}

struct Tree<'a> {
    judgement: &'a Judgement,
    facts: &'a Facts,
    /// The command that each finding is told at.
    told: Vec<Option<usize>>,
    columns: usize,
    output: Output,
    drawn: usize,
    out: String,
}

impl Tree<'_> {
    fn row(&mut self, severity: Option<Severity>, before: &str, indent: &str, text: &str) {
        let name = severity.map_or("", Severity::name);
        let gap = " ".repeat(GUTTER - 2 - name.len());
        let name = severity.map_or_else(String::new, |severity| {
            self.output.colour.paint(severity_style(severity), name)
        });
        let before = self.output.dim(before);
        let row = format!("  {name}{gap}{before}{indent}{text}");
        self.out.push_str(row.trim_end());
        self.out.push('\n');
    }

    fn branch(&mut self, indices: &[usize], before: &str, is_root: bool) {
        let commands = &self.judgement.plan.commands;
        for (position, &index) in indices.iter().enumerate() {
            if self.drawn == MOST_COMMANDS {
                return;
            }
            self.drawn += 1;
            let is_last = position + 1 == indices.len();
            let (fork, below) = match (is_root, is_last) {
                (true, _) => ("", ""),
                (false, true) => ("└─ ", "   "),
                (false, false) => ("├─ ", "│  "),
            };
            let children: Vec<usize> =
                (0..commands.len()).filter(|i| commands[*i].parent == Some(index)).collect();
            self.command(index, &format!("{before}{fork}"));
            let deeper = format!("{before}{below}");
            let line = if children.is_empty() { "  " } else { "│ " };
            self.details(index, &format!("{deeper}{line}"));
            self.branch(&children, &deeper, false);
        }
    }

    fn command(&mut self, index: usize, before: &str) {
        let command = &self.judgement.plan.commands[index];
        let name = match words(&command.argv) {
            // Where a word is not known, the line itself says more.
            _ if command.parent.is_none() && !command.argv.iter().all(is_known) => {
                let line = &self.judgement.line;
                let text = line.get(command.span.start..command.span.end).unwrap_or_default();
                visible(text).into_owned()
            }
            name if !name.is_empty() => name,
            _ if command.environment.is_empty() => "(a redirection)".to_owned(),
            _ => "(an assignment)".to_owned(),
        };
        let room = self.columns.saturating_sub(GUTTER + width(before));
        let name = self.output.colour.paint(Style::new().bold(), &cut(&name, room.max(8)));
        let severity = self.severity(index);
        self.row(Some(severity), before, "", &name);
    }

    /// What rules say about a command, then what it does.
    fn details(&mut self, index: usize, before: &str) {
        let command = &self.judgement.plan.commands[index];
        if self.severity(index) > Severity::Low {
            for source in self.sources(index) {
                self.text(None, before, &source, "");
            }
        }
        let findings = self.findings(index);
        for finding in findings.iter().filter(|finding| !finding.rule.starts_with("effect.")) {
            self.finding(finding, before);
        }
        for (severity, text, note) in self.effects(command, &findings) {
            // That the rest is harmless is said once, at the command.
            self.text(severity.filter(|severity| *severity > Severity::Low), before, &text, &note);
        }
    }

    fn finding(&mut self, finding: &Finding, before: &str) {
        let is_named = finding.rule != "unknown.part";
        let note = if is_named { format!("({})", finding.rule) } else { String::new() };
        self.text(Some(finding.severity), before, &finding.reason, &note);
        let assessment = &self.judgement.assessment;
        // What is said of the worst stands above already.
        if let Some(text) =
            finding.suggestion.as_ref().filter(|_| finding.suggestion != assessment.suggestion)
        {
            self.text(None, before, &format!("→ {text}"), "");
        }
        if let Some(text) =
            finding.instead.as_ref().filter(|_| finding.instead != assessment.instead)
        {
            self.text(None, before, &format!("→ instead: {text}"), "");
        }
    }

    /// Text in as many rows as it takes, the note behind it in a quieter colour.
    fn text(&mut self, severity: Option<Severity>, before: &str, text: &str, note: &str) {
        let room = self.columns.saturating_sub(GUTTER + width(before) + 2);
        let mut severity = severity;
        let mut indent = "";
        let mut rows = wrapped(&visible(text), room.saturating_sub(2));
        let note = visible(note).into_owned();
        let fits =
            rows.last().is_none_or(|row| width(row) + 1 + width(&note) <= room.saturating_sub(2));
        let last = rows.pop().unwrap_or_default();
        for row in rows {
            self.row(severity.take(), before, indent, &row);
            indent = "  ";
        }
        if fits {
            let row = format!("{last} {}", self.output.dim(&note));
            self.row(severity, before, indent, &row);
        } else {
            self.row(severity, before, indent, &last);
            let note = self.output.dim(&note);
            self.row(None, before, "  ", &note);
        }
    }

    /// The severity of a command with all that is told at it.
    fn severity(&self, index: usize) -> Severity {
        let own = self.judgement.assessment.commands[index].severity;
        self.findings(index).iter().map(|finding| finding.severity).fold(own, Ord::max)
    }

    /// The findings that are told at a command.
    fn findings(&self, index: usize) -> Vec<Finding> {
        let findings = self.judgement.assessment.findings.iter().zip(&self.told);
        findings
            .filter(|(_, told)| **told == Some(index))
            .map(|(finding, _)| finding.clone())
            .collect()
    }

    /// Effects in words, the worst first, those of one kind by their first few. What a rule as severe has said needs no saying
    /// again, unless it is a target.
    fn effects(
        &self,
        command: &PlannedCommand,
        findings: &[Finding],
    ) -> Vec<(Option<Severity>, String, String)> {
        let by_rule = findings.iter().filter(|finding| !is_general(&finding.rule));
        let said = by_rule.map(|finding| finding.severity).max();
        let mut effects: Vec<(Severity, &Effect)> = command
            .effects
            .iter()
            .map(|effect| (severity_of(effect, self.facts), effect))
            .filter(|(severity, effect)| {
                names_target(effect) || said.is_none_or(|said| said < *severity)
            })
            .collect();
        effects.sort_by_key(|(severity, effect)| (std::cmp::Reverse(*severity), effect.kind));
        let mut rows: Vec<(Option<Severity>, String, String)> = Vec::new();
        for alike in effects.chunk_by(|(one, a), (other, b)| one == other && a.kind == b.kind) {
            let Some(&(severity, _)) = alike.first() else { continue };
            let mut texts: Vec<(String, String)> = Vec::new();
            for (_, effect) in alike {
                let row = (sentence(effect), class(effect));
                if !texts.contains(&row) {
                    texts.push(row);
                }
            }
            let more = texts.len().saturating_sub(MOST_ALIKE);
            for (text, note) in texts.into_iter().take(MOST_ALIKE) {
                rows.push((Some(severity), text, note));
            }
            if more > 0 {
                rows.push((None, format!("… and {more} more like this"), String::new()));
            }
        }
        rows
    }

    /// Where the data comes from that a command gets.
    fn sources(&self, index: usize) -> Vec<String> {
        let plan = &self.judgement.plan;
        let mut sources = Vec::new();
        // Told once, at the command that the others only lead to.
        if plan.commands.iter().any(|other| other.parent == Some(index)) {
            return sources;
        }
        for flow in plan.flows.iter().filter(|flow| flow.to.contains(&index)) {
            // The command that the data comes out of stands last of those it passes through.
            let mut from =
                plan.commands[flow.from.clone()].iter().filter_map(PlannedCommand::program);
            let Some(program) = from.next_back() else { continue };
            let text = match flow.kind {
                FlowKind::Pipe | FlowKind::Branch => format!("gets what {program} prints"),
                FlowKind::Substitution => format!("gets words that {program} prints"),
                FlowKind::File => format!("gets a file or text that {program} makes"),
            };
            if !sources.contains(&text) {
                sources.push(text);
            }
        }
        sources.truncate(MOST_ALIKE);
        sources
    }
}

/// Returns the command that each finding is told at; none for those about the line.
///
/// What could not be known is about bytes: where these are just those of a command, it is about that one.
pub(super) fn subjects(judgement: &Judgement) -> Vec<Option<usize>> {
    let assessment = &judgement.assessment;
    let commands = &judgement.plan.commands;
    let told = |(finding, subject): (&Finding, &Option<usize>)| {
        subject.or_else(|| {
            let is_it = |command: &PlannedCommand| command.span == finding.span;
            commands.iter().rposition(is_it).filter(|_| finding.rule.starts_with("opaque."))
        })
    };
    assessment.findings.iter().zip(&assessment.subjects).map(told).collect()
}

const fn is_known(word: &Arg) -> bool {
    matches!(word, Arg::Known(_) | Arg::Glob(_))
}

/// Whether the words for an effect name what it is done to.
fn names_target(effect: &Effect) -> bool {
    let bare = Effect { kind: effect.kind, target: Target::None };
    effect.target != Target::None && sentence(effect) != sentence(&bare)
}

fn is_general(rule: &str) -> bool {
    ["effect.", "opaque.", "unknown."].iter().any(|general| rule.starts_with(general))
}

/// The kind of place that a path is, where that says more than the path.
fn class(effect: &Effect) -> String {
    match &effect.target {
        Target::Path { class: PathClass::Unknown | PathClass::Null, .. } => String::new(),
        Target::Path { class, .. } => format!("({})", place(*class)),
        _ => String::new(),
    }
}

const fn place(class: PathClass) -> &'static str {
    match class {
        PathClass::Null => "nowhere",
        PathClass::Temporary => "temporary",
        PathClass::Made => "made by this line",
        PathClass::BuildOutput => "made by builds",
        PathClass::Inside => "in the workspace",
        PathClass::Hooks => "runs by itself",
        PathClass::Workspace => "the workspace",
        PathClass::HomeFile => "in the home",
        PathClass::Home => "the home",
        PathClass::Startup => "runs at login",
        PathClass::Secret => "secret",
        PathClass::System => "system",
        PathClass::Root => "root",
        PathClass::Device => "device",
        PathClass::NetworkDevice => "network",
        PathClass::Guard => "guarded-sh itself",
        PathClass::Outside => "outside every workspace",
        PathClass::Unknown => "not known",
    }
}
