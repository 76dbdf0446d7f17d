//! Findings to a severity and a score, for each command and for the line.

use std::collections::HashSet;
use std::sync::Arc;

use super::contain::removed_by;
use super::effects::{is_expected_of_recipes, matters_where, sentence, severity_at, severity_of};
use super::flow::{earlier, taints};
use super::matching::{Subject, receivers, when};
use crate::model::{
    Action, Arg, Category, Effect, EffectKind, Facts, Finding, Layers, Opaque, PathClass, Reason,
    Score, Severity, Span, Target,
};
use crate::paths;
use crate::reading::{Plan, PlannedCommand};
use crate::rules::{Authority, Damaged, Entry, Origin, Recommendation, Rule, RuleSet, glob};

/// What was found in a line.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// The severity of its worst part.
    pub severity: Severity,
    /// Safety, within the band of the severity.
    pub score: Score,
    /// The least restrictive action that the findings leave open.
    pub action: Action,
    /// The reason of the worst finding, in plain words; that nothing was found, if so.
    pub reason: String,
    /// What could be done instead of the worst.
    pub suggestion: Option<String>,
    /// A safer command for the worst.
    pub instead: Option<String>,
    /// Everything that was found, the worst first; behind it what rules found that nobody trusted.
    pub findings: Vec<Finding>,
    /// The command of the plan that each finding is about, in the order of `findings`; none if it is about the line.
    pub subjects: Vec<Option<usize>>,
    /// Each planned command's own severity and score, in the plan's order.
    pub commands: Vec<CommandAssessment>,
    /// The layers of a container in which all that was found is harmless, where it is no more than not known. None: there is no such container.
    pub contained: Option<Layers>,
}

impl Assessment {
    /// Returns the band of the score, in words.
    #[must_use]
    pub const fn category(&self) -> Category {
        self.score.category()
    }

    /// Returns the assessment for a plan without the first commands, which ran before.
    #[must_use]
    pub fn without_earlier(mut self, gone: usize) -> Self {
        self.commands.drain(..gone);
        for subject in &mut self.subjects {
            *subject = subject.and_then(|index| index.checked_sub(gone));
        }
        self
    }

    /// Returns the assessment with some findings low, whose reasons end in these words then.
    #[must_use]
    pub fn lowered(&self, is_low: impl Fn(&Finding) -> bool, why: &str) -> Self {
        let subjects = self.subjects.iter().copied().chain(std::iter::repeat(None));
        let lower = |finding: &Finding| {
            let mut finding = finding.clone();
            if is_low(&finding) {
                finding.reason = format!("{}, {why}", finding.reason);
                finding.severity = Severity::Low;
                finding.points = points(Severity::Low);
                (finding.suggestion, finding.instead) = (None, None);
            }
            finding
        };
        let found: Vec<(Option<usize>, Finding)> =
            subjects.zip(self.findings.iter().map(lower)).collect();
        let of = |index: usize| {
            let own = found.iter().filter(|(subject, _)| *subject == Some(index));
            own.map(|(_, finding)| finding.clone()).collect::<Vec<_>>()
        };
        let commands = (0..self.commands.len()).map(|index| summary(&of(index))).collect();
        conclude(found, commands)
    }
}

/// What was found in one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandAssessment {
    /// The severity of its worst finding.
    pub severity: Severity,
    /// Safety, within the band of the severity.
    pub score: Score,
}

/// The syntax tree of a line, as the structural queries of owners' rules see it.
pub trait Structure {
    /// Returns the bytes that a query matches. Where that cannot be said, the whole line: unknown is never quietly fine.
    fn matches(&self, query: &str) -> Vec<Span>;
}

/// Points that a finding takes off the top of the band.
const fn points(severity: Severity) -> u8 {
    match severity {
        Severity::Low => 0,
        Severity::Medium | Severity::High => 5,
        Severity::Critical => 6,
    }
}

/// Assesses what a line will do.
///
/// `structure` is the line's syntax tree, for the structural queries of owners' rules.
pub fn assess(
    line: &str,
    plan: &Plan,
    rules: &RuleSet,
    facts: &Facts,
    structure: &dyn Structure,
) -> Result<Assessment, Damaged> {
    // What ran before was judged then; it counts for what comes of it now.
    let before: HashSet<Finding> = if plan.earlier == 0 {
        HashSet::new()
    } else {
        of_commands(&plan.of_earlier(), rules, facts)?.into_iter().flatten().collect()
    };
    let mut found: Vec<(Option<usize>, Finding)> = Vec::new();
    let mut commands = Vec::with_capacity(plan.commands.len());
    for (index, mut findings) in of_commands(plan, rules, facts)?.into_iter().enumerate() {
        if index < plan.earlier {
            findings.retain(|finding| !before.contains(finding));
        }
        commands.push(summary(&findings));
        found.extend(findings.into_iter().map(|finding| (Some(index), finding)));
    }
    let of_line = plan.opaque.iter().map(opaque_finding);
    let of_line = of_line.chain(line_findings(line, rules, facts, structure)?);
    found.extend(of_line.map(|finding| (None, finding)));
    let mut assessment = conclude(found, commands);
    let is_trusted = |command| is_trusted(command, facts);
    if assessment.findings.is_empty() && plan.commands.iter().any(is_trusted) {
        assessment.reason = format!("trusted by safe_commands ({})", facts.safe_commands_at);
    }
    let contained = removed_by(&assessment.findings, plan, facts);
    Ok(Assessment { contained, ..assessment })
}

/// Returns the findings about each command of a plan.
fn of_commands(plan: &Plan, rules: &RuleSet, facts: &Facts) -> Result<Vec<Vec<Finding>>, Damaged> {
    let receivers = receivers(plan);
    let each = taints(plan).into_iter().enumerate().map(|(index, taint)| {
        command_findings(&Subject::new(index, taint, facts, plan, &receivers), plan, rules)
    });
    each.collect()
}

/// The reason where only rules that nobody trusted make it as bad as it is.
const RAISED: &str = "a rule that is not trusted asks about this";

fn conclude(found: Vec<(Option<usize>, Finding)>, commands: Vec<CommandAssessment>) -> Assessment {
    // The same thing said of the same bytes counts once.
    let mut seen = HashSet::with_capacity(found.len());
    let is_first: Vec<bool> = found.iter().map(|(_, finding)| seen.insert(finding)).collect();
    let mut is_first = is_first.into_iter();
    let mut once = found;
    once.retain(|_| is_first.next().unwrap_or(true));
    // Stable: of equals, what was met first; a rule's words before an effect's; behind all of these, what nobody trusted.
    once.sort_by_key(|(_, finding)| {
        let worst = std::cmp::Reverse((finding.severity, finding.action));
        (!finding.is_trusted(), worst, is_general(&finding.rule))
    });
    let (subjects, seen): (Vec<_>, Vec<_>) = once.into_iter().unzip();
    let total = summary(&seen);
    let action = seen.iter().map(|finding| finding.action).max().unwrap_or(Action::Allow);
    let count = seen.iter().take_while(|finding| finding.is_trusted()).count();
    let (trusted, others) = seen.split_at(count);
    let worst = trusted.iter().find(|finding| finding.action == action || action == Action::Allow);
    let worst = if action == Action::Deny { worst } else { trusted.first() };
    // What nobody trusted may make it worse, and does not say why in the place of those that are.
    let known = trusted.iter().map(|finding| (finding.severity, finding.action));
    let known = known.fold((Severity::Low, Action::Allow), |a, b| (a.0.max(b.0), a.1.max(b.1)));
    let is_raised = others.iter().any(|finding| {
        let asks = known.0 == Severity::Low && finding.action > known.1;
        finding.severity > known.0 || asks
    });
    let worst = worst.filter(|_| !is_raised);
    let nothing = if is_raised { RAISED } else { "nothing harmful found" };
    Assessment {
        severity: total.severity,
        score: total.score,
        action,
        reason: worst.map_or(nothing, |worst| &worst.reason).to_owned(),
        suggestion: worst.and_then(|worst| worst.suggestion.clone()),
        instead: worst.and_then(|worst| worst.instead.clone()),
        findings: seen,
        subjects,
        commands,
        contained: None,
    }
}

fn is_general(rule: &str) -> bool {
    rule.starts_with("effect.") || rule.starts_with("opaque.") || rule.starts_with("unknown.")
}

fn summary(findings: &[Finding]) -> CommandAssessment {
    let severity = findings.iter().map(|finding| finding.severity).max().unwrap_or(Severity::Low);
    let off = findings
        .iter()
        .filter(|finding| finding.severity == severity)
        .fold(0u8, |sum, finding| sum.saturating_add(finding.points));
    CommandAssessment { severity, score: Score::within(severity, off) }
}

fn command_findings(
    subject: &Subject<'_>,
    plan: &Plan,
    rules: &RuleSet,
) -> Result<Vec<Finding>, Damaged> {
    let command = subject.command;
    let fired = fired(subject, rules)?;
    let settled = settled(command, subject.facts)
        || fired.iter().any(|entry| entry.rule.recommend == Recommendation::Approve);
    let found = |rule| named(flow_finding(rule, command.span, plan), command);
    let mut findings: Vec<Finding> = fired.iter().map(|entry| found(&entry.rule)).collect();
    let allowing = || fired.iter().filter(|entry| entry.rule.recommend == Recommendation::Allow);
    for effect in &command.effects {
        let own = severity_of(effect, subject.facts);
        let severity = own.max(severity_there(effect, command, subject.facts));
        if command.in_recipe && counts_as_routine(effect, severity, command) {
            continue;
        }
        // What the owner, or an approving rule, settled is what the catalog does not know or calls cautious.
        let is_settled = settled && severity <= Severity::Medium;
        if severity > Severity::Low && !is_settled {
            let kind = kind_name(effect.kind);
            findings.push(finding(
                format!("effect.{kind}"),
                command.span,
                severity,
                sentence(effect) + if severity > own { ", outside of the workspace" } else { "" },
            ));
        }
    }
    // What is not known of a task's recipe is what running the task stands for, but for what the line gives it of elsewhere.
    if !settled && (!command.in_recipe || is_given_unknown(command, subject.facts)) {
        for unknown in &command.unknown {
            let rule = "unknown.part".to_owned();
            findings.push(finding(rule, command.span, Severity::Medium, unknown.clone()));
        }
    }
    let holds = |entry: &&Arc<Entry>| entry.pack.authority == Authority::Policy;
    let held: Vec<&str> = fired.iter().filter(holds).map(|entry| entry.rule.id.as_str()).collect();
    for entry in allowing() {
        let held = if holds(&entry) { &[][..] } else { &held };
        let lowers = allow(&entry.rule, held, &mut findings);
        // Where it had nothing to say, it is not told.
        if !lowers && entry.pack.origin == Origin::BuiltIn {
            findings.retain(|finding| finding.rule != entry.rule.id);
        }
    }
    Ok(findings)
}

/// Lowers the findings that a rule of the owner's allows, and names that rule before them. What is critical stays, and so does
/// what some rule refuses or always asks about, and what the `held` rules found; over a refusal nothing is allowed at all. Returns whether it
/// lowered one.
fn allow(rule: &Rule, held: &[&str], findings: &mut [Finding]) -> bool {
    if findings.iter().any(|finding| finding.action == Action::Deny) {
        return false;
    }
    let mut lowers = false;
    for finding in findings.iter_mut() {
        if finding.severity <= rule.severity.min(Severity::High)
            && finding.action == Action::Allow
            && !held.contains(&finding.rule.as_str())
            && rule.allows.iter().any(|pattern| glob::text(pattern, &finding.rule))
        {
            lowers |= finding.severity > Severity::Low;
            finding.severity = Severity::Low;
            finding.points = points(Severity::Low);
        }
    }
    // Of findings that are equally severe, the first is told as the reason.
    if let Some(at) = findings.iter().position(|finding| finding.rule == rule.id) {
        findings[..=at].rotate_right(1);
    }
    lowers
}

/// Whether what a command of a task's recipe does adds nothing to running the task: what its kind is expected to do, and what
/// is not known, unless that may be what the line gives the task. Of all else, a recipe is judged like a line.
fn counts_as_routine(effect: &Effect, severity: Severity, command: &PlannedCommand) -> bool {
    let is_unknown =
        matches!(effect.target, Target::Path { path: None, class: PathClass::Unknown });
    let most = if command.holds_given { Severity::Medium } else { Severity::High };
    severity <= most && is_unknown
        || severity <= Severity::Medium
            && is_expected_of_recipes(effect.kind)
            && !is_given(effect, command)
}

/// Whether a word that the catalog does not know, or the one behind it, is a path beyond the workspace that the line gives the task.
fn is_given_unknown(command: &PlannedCommand, facts: &Facts) -> bool {
    let directories = || command.directories.iter().flatten();
    let leads_out = |word: &str| {
        let value = word.split_once('=').map_or(word, |(_, value)| value);
        let is_inside = |directory: &String| {
            let path = paths::absolute(directory, value);
            facts.workspaces.iter().any(|root| paths::is_below(&path, root))
        };
        value.contains('/') && command.given.contains(value) && !directories().all(is_inside)
    };
    command.interpretation.unknown.iter().filter_map(|part| part.index).any(|at| {
        let words = command.argv.iter().skip(at).take(2);
        words.filter_map(Arg::known).any(leads_out)
    })
}

/// Whether the path that an effect is done to is one that the line gives the task, or lies below it.
fn is_given(effect: &Effect, command: &PlannedCommand) -> bool {
    let Target::Path { path: Some(path), .. } = &effect.target else { return false };
    let directories = || command.directories.iter().flatten();
    command.given.iter().any(|word| {
        directories().any(|directory| paths::is_below(path, &paths::absolute(directory, word)))
    })
}

/// How severe an effect that names no path is by the places where the command works: the directories that it runs in, and for what
/// runs a project's code also what it is given of other places.
fn severity_there(effect: &Effect, command: &PlannedCommand, facts: &Facts) -> Severity {
    let names_a_place = matches!(effect.target, Target::Path { .. } | Target::Host { .. });
    if names_a_place || !matters_where(effect.kind) {
        return Severity::Low;
    }
    let directories = command.directories.iter().filter_map(|directory| match directory {
        // What is made in it is of the same place.
        Some(directory) => {
            let inside = paths::absolute(directory, "_");
            Some(paths::class_for(EffectKind::Write, &inside, facts))
        }
        None => (!command.in_recipe).then_some(PathClass::Unknown),
    });
    let builds = effect.kind == EffectKind::Build;
    let given = command.effects.iter().filter_map(|given| match (given.kind, &given.target) {
        (EffectKind::Read, _) if !builds => None,
        // Data and texts to check lie there as well as code.
        (EffectKind::Read, Target::Path { class: PathClass::Temporary, .. }) => None,
        (EffectKind::List | EffectKind::Read, Target::Path { class, .. }) => {
            // Of these the effect itself says enough.
            Some(*class).filter(|class| !matches!(class, PathClass::Unknown | PathClass::Secret))
        }
        _ => None,
    });
    directories
        .chain(given)
        .map(|class| severity_at(effect.kind, class))
        .max()
        .unwrap_or(Severity::Low)
}

/// The first rule of each pack that holds, or every one, as the pack says.
fn fired(subject: &Subject<'_>, rules: &RuleSet) -> Result<Vec<Arc<Entry>>, Damaged> {
    let mut fired: Vec<Arc<Entry>> = Vec::new();
    let mask = subject.mask();
    let mut candidates: Vec<Arc<Entry>> = Vec::new();
    let mut names = subject.names().peekable();
    if names.peek().is_none() {
        candidates = rules.candidates(&[], &mask)?;
    }
    for name in names {
        let words: Vec<&str> =
            std::iter::once(name).chain(subject.subcommands.iter().take(1).copied()).collect();
        candidates.extend(rules.candidates(&words, &mask)?);
    }
    candidates.sort_by_key(|entry| entry.order);
    candidates.dedup_by_key(|entry| entry.order);
    let shown = &subject.command.interpretation;
    if shown.only_shows && subject.command.unknown.is_empty() {
        candidates.retain(|entry| !is_about_words(entry));
    }
    for entry in candidates {
        let is_of_same = |last: &Arc<Entry>| last.pack.number == entry.pack.number;
        let is_done = !entry.pack.every && fired.last().is_some_and(is_of_same);
        if !is_done && subject.meets(&entry.rule) {
            fired.push(entry);
        }
    }
    Ok(fired)
}

/// Whether a built-in rule is about the words of a command and not about what it does: `terraform destroy`, which with `--help` does
/// nothing.
fn is_about_words(entry: &Entry) -> bool {
    let conditions = &entry.rule.conditions;
    entry.pack.origin == Origin::BuiltIn
        && entry.rule.recommend == Recommendation::None
        && conditions.effects.is_empty()
        && conditions.effects_only.is_empty()
        && conditions.env.is_empty()
        && conditions.via.is_empty()
        && conditions.flow.is_none()
}

/// Whether the owner calls the command safe: its first words are those of one of the owner's safe commands.
pub(super) fn settled(command: &PlannedCommand, facts: &Facts) -> bool {
    facts.safe_commands.iter().any(|safe| {
        !safe.is_empty()
            && safe.len() <= command.argv.len()
            && safe.iter().zip(&command.argv).all(|(safe, word)| word.known() == Some(safe))
            && command.argv.iter().all(|word| !matches!(word, Arg::Many | Arg::Unknown))
    })
}

/// Whether a command is harmless only since the owner calls it safe.
fn is_trusted(command: &PlannedCommand, facts: &Facts) -> bool {
    let is_bad = |effect: &Effect| severity_of(effect, facts) > Severity::Low;
    settled(command, facts) && (!command.unknown.is_empty() || command.effects.iter().any(is_bad))
}

/// Owners' rules over the whole line.
fn line_findings(
    line: &str,
    rules: &RuleSet,
    facts: &Facts,
    structure: &dyn Structure,
) -> Result<Vec<Finding>, Damaged> {
    let mut findings = Vec::new();
    for entry in rules.text_rules()? {
        let conditions = &entry.rule.conditions;
        if !when(&conditions.when, facts, None) {
            continue;
        }
        // A pattern that does not compile was refused when its file was read.
        let pattern = conditions.text.as_deref().and_then(|text| regex::Regex::new(text).ok());
        if let Some(found) = pattern.and_then(|pattern| pattern.find(line).map(|m| m.range())) {
            findings.push(rule_finding(&entry.rule, Span::new(found.start, found.end)));
        }
    }
    for entry in rules.query_rules(|_| true)? {
        let conditions = &entry.rule.conditions;
        if let Some(query) = &conditions.query
            && when(&conditions.when, facts, None)
        {
            let spans = structure.matches(query);
            findings.extend(spans.into_iter().map(|span| rule_finding(&entry.rule, span)));
        }
    }
    Ok(findings)
}

/// What a rule found in a command; where it is about data that an earlier line brought, with that line.
fn flow_finding(rule: &Rule, span: Span, plan: &Plan) -> Finding {
    let mut finding = rule_finding(rule, span);
    if let Some(earlier) = rule.conditions.flow.and_then(|flow| earlier(plan, flow)) {
        finding.reason = format!("{}: {earlier}", finding.reason);
        // What is advised for a line that does all of it comes too late.
        (finding.suggestion, finding.instead) = (None, None);
    }
    finding
}

/// Words of an advised line that stand for what a command was given.
const STAND_INS: [&str; 5] = ["DEVICE", "FILE", "NAME", "PATH", "PID"];
/// The one that stands for the name of a package.
const PACKAGE: &str = "PACKAGE";

/// Puts what a command was given in the place of the word that stands for it in the line that is advised instead, where it was given one
/// such thing and that is a plain word.
fn named(mut finding: Finding, command: &PlannedCommand) -> Finding {
    let Some(instead) = &finding.instead else { return finding };
    let mut packages = command.effects.iter().filter_map(|effect| match &effect.target {
        Target::Text { text: Some(text) } => Some(text.as_str()),
        _ => None,
    });
    let package = packages.next().filter(|first| packages.all(|other| other == *first));
    // The version is another matter.
    let package = package.map(|text| match text.rfind('@') {
        Some(at) if at > 0 => &text[..at],
        _ => text,
    });
    let operand = match command.interpretation.operands.as_slice() {
        [(index, _)] => command.argv.get(*index).and_then(Arg::known),
        _ => None,
    };
    let is_plain = |text: &&str| {
        text.starts_with(|c: char| c.is_ascii_alphanumeric() || "@/._".contains(c))
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"@/._+-".contains(&byte))
    };
    let stands = |word: &str| {
        let is = |name: &str| {
            let rest = word.strip_prefix(name);
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        };
        let (name, given) = match STAND_INS.iter().find(|name| is(name)) {
            Some(name) => (*name, operand),
            None if is(PACKAGE) => (PACKAGE, package),
            None => return None,
        };
        Some(format!("{}{}", given.filter(is_plain)?, &word[name.len()..]))
    };
    let words = instead.split(' ').map(|word| stands(word).unwrap_or_else(|| word.to_owned()));
    finding.instead = Some(words.collect::<Vec<_>>().join(" "));
    finding
}

fn rule_finding(rule: &Rule, span: Span) -> Finding {
    let action = match rule.recommend {
        Recommendation::Deny => Action::Deny,
        Recommendation::Reject => Action::Ask,
        Recommendation::None | Recommendation::Approve | Recommendation::Allow => Action::Allow,
    };
    // The severity of a rule that allows says how far it goes; that it holds is no harm.
    let severity = match rule.recommend {
        Recommendation::Allow => Severity::Low,
        Recommendation::None
        | Recommendation::Approve
        | Recommendation::Reject
        | Recommendation::Deny => rule.severity,
    };
    Finding {
        rule: rule.id.clone(),
        span,
        severity,
        action,
        points: points(severity),
        reason: rule.reason.clone(),
        suggestion: rule.suggestion.clone(),
        instead: rule.instead.clone(),
    }
}

fn finding(rule: String, span: Span, severity: Severity, reason: String) -> Finding {
    Finding {
        rule,
        span,
        severity,
        action: Action::Allow,
        points: points(severity),
        reason,
        suggestion: None,
        instead: None,
    }
}

/// What is not known is never quietly fine: how bad that is depends on how much could hide there.
fn opaque_finding(opaque: &Opaque) -> Finding {
    let (name, severity) = match &opaque.reason {
        Reason::NotUtf8 => ("not-utf8", Severity::High),
        Reason::NulByte => ("nul-byte", Severity::High),
        Reason::TooLong => ("too-long", Severity::High),
        Reason::TooDeep => ("too-deep", Severity::High),
        Reason::TooManyParts => ("too-many-parts", Severity::High),
        Reason::TooSlow => ("too-slow", Severity::High),
        Reason::Syntax(_) | Reason::SyntaxOf(..) => ("syntax", Severity::High),
        Reason::ParsersDisagree => ("parsers-disagree", Severity::High),
        Reason::DynamicCommand => ("dynamic-command", Severity::High),
        Reason::DynamicCode => ("dynamic-code", Severity::High),
        Reason::ShadowedName => ("shadowed-name", Severity::High),
        Reason::OtherShell => ("other-shell", Severity::Medium),
        Reason::UnreadCode => ("unread-code", Severity::Medium),
        Reason::UnreadScript => ("unread-script", Severity::Medium),
        Reason::UnreadInput => ("unread-input", Severity::Medium),
    };
    finding(format!("opaque.{name}"), opaque.span, severity, opaque.reason.to_string())
}

fn kind_name(kind: EffectKind) -> String {
    let debug = format!("{kind:?}");
    let mut name = String::with_capacity(debug.len() + 2);
    for (at, c) in debug.char_indices() {
        if at > 0 && c.is_uppercase() {
            name.push('-');
        }
        name.extend(c.to_lowercase());
    }
    name
}
