//! «Always» and `allow`: a person's yes for good, as a rule in the owner's file.
//!
//! The rule says no more than what was shown: this program and subcommand with exactly these options and operands, in this
//! directory, with these kinds of effects on these targets, and of what is found only these findings. It is shown before it is
//! written, and written only if the very line that was asked about is allowed by it.

use std::fmt::Write as _;

use super::own_rule::{self, OwnRule, Place, Validity, comment, field, list, string};
use super::question::{scope, signature};
use super::{Judgement, Request, Stop, World};
use crate::catalog::GivenOption;
use crate::config;
use crate::config::approved::Book;
use crate::decision::grant;
use crate::model::{
    Action, Caller, Effect, EffectKind, Finding, Question, Scope, Severity, Target, TargetKind,
};
use crate::policy::severity_of;
use crate::reading::{Known, PlannedCommand};
use crate::rules::glob;
use crate::rules::source::kebab;

/// Lines that the comment above a rule shows of a command line.
const SHOWN: usize = 20;

/// Why no rule can say that a line is allowed from now on. The person may still say yes once, or for the session.
#[derive(Debug, thiserror::Error)]
pub enum Why {
    /// The worst is always asked about.
    #[error("what is critical is asked about each time")]
    Critical,
    /// Part of it cannot be known.
    #[error("part of the line is only known when it runs")]
    Unknown,
    /// It runs what it is given.
    #[error("'{program}' by itself does not say what will run")]
    Carries {
        /// The program.
        program: String,
    },
    /// Several commands would need a rule each.
    #[error("it is several commands: say always to each by itself")]
    Several,
    /// A rule about the whole line found something.
    #[error("the rule {rule} is about the whole line, not about one command")]
    Line {
        /// The rule.
        rule: String,
    },
    /// A rule always asks, or refuses.
    #[error("the rule {rule} says that it is asked about each time")]
    Rule {
        /// The rule.
        rule: String,
    },
    /// It is part of a task.
    #[error("a task of the workspace runs it, and may run something else tomorrow")]
    Task,
    /// A redirection could do to one file what was shown of another.
    #[error("a rule could not tell what it does to one file from what it does to another")]
    Mixed,
    /// It is judged worse here and now than what was shown.
    #[error("it is judged otherwise by now")]
    Changed,
    /// Nothing need be allowed.
    #[error("it is allowed as it is")]
    Allowed,
    /// The rule was made, and does not do what it is for.
    #[error("the line would still not be allowed: {reason}")]
    StillAsked {
        /// Why.
        reason: String,
    },
    /// Settings or rules cannot be read, checked or written.
    #[error("{0}")]
    Config(#[from] config::Error),
    /// It cannot be judged.
    #[error("{0}")]
    Stop(#[from] Stop),
}

/// The rule that a yes for good to a question would write, as it is shown to the person who answers.
pub struct Offer {
    question: Question,
    text: Option<String>,
}

impl Offer {
    /// Makes it, in the world of whoever answers.
    #[must_use]
    pub fn of(question: &Question) -> Self {
        let text = Self::rule(question).ok().map(|rule| rule.text().to_owned());
        Self { question: question.clone(), text }
    }

    /// Returns the rule as text; none where there is none, and so no yes for good.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Writes the rule, if it is still the one that was shown.
    pub fn write(&self) -> Result<(), Why> {
        let rule = Self::rule(&self.question)?;
        if self.text.as_deref() != Some(rule.text()) {
            return Err(Why::Changed);
        }
        Ok(rule.write()?)
    }

    fn rule(question: &Question) -> Result<OwnRule, Why> {
        OwnRule::always(World::at(question.cwd.clone())?, question)
    }
}

impl OwnRule {
    /// Makes the rule that allows the line of a question from now on, and judges the line by it. `world` is that of the person
    /// who answers, read around the directory of the question.
    pub fn always(mut world: World, question: &Question) -> Result<Self, Why> {
        if question.severity == Severity::Critical {
            return Err(Why::Critical);
        }
        if world.judge.facts.cwd != question.cwd {
            return Err(Why::Changed);
        }
        if let Some(agent) = &question.agent {
            world.judge.facts.caller = Caller::Agent(agent.clone());
        }
        let past = Known(&question.recent);
        let request = Request::about(question.line.as_bytes()).after(&past);
        let validity = Validity { place: Place::There, until: None };
        allowing(world, &request, "always", &validity, Some(&question.scope))
    }

    /// Makes the rule that allows a line that a person names. `world` is that of the person.
    pub fn allow(world: World, line: &str, validity: &Validity) -> Result<Self, Why> {
        allowing(world, &Request::about(line.as_bytes()), "allow", validity, None)
    }
}

/// Makes a rule that allows what is requested, no more than what was shown of it, and judges that by it.
fn allowing(
    world: World,
    request: &Request<'_>,
    verb: &str,
    validity: &Validity,
    shown: Option<&Scope>,
) -> Result<OwnRule, Why> {
    let judgement = world.judge(request)?;
    if judgement.action == Action::Allow {
        return Err(Why::Allowed);
    }
    let bounds = Bounds::of(&judgement, &world, validity)?;
    let scope = scope(&judgement, &world.judge.facts);
    if shown.is_some_and(|shown| !grant::is_within(shown, &scope)) {
        return Err(Why::Changed);
    }
    let text = |id: &str| bounds.text(id, verb, &judgement);
    let said = OwnRule::drafted(world, Book::Approved, &bounds.signature, text)?;
    let judgement = said.judge(request)?;
    if judgement.action != Action::Allow {
        return Err(Why::StillAsked { reason: judgement.assessment.reason });
    }
    Ok(said)
}

/// What a rule says of one command.
struct Bounds<'j> {
    command: &'j PlannedCommand,
    /// Program and subcommands.
    signature: Vec<String>,
    words: Vec<&'j str>,
    directory: &'j str,
    /// What is found in it above [`Severity::Low`].
    findings: Vec<&'j Finding>,
    severity: Severity,
    validity: &'j Validity,
}

impl<'j> Bounds<'j> {
    fn of(judgement: &'j Judgement, world: &World, validity: &'j Validity) -> Result<Self, Why> {
        let (plan, assessment) = (&judgement.plan, &judgement.assessment);
        if assessment.severity == Severity::Critical {
            return Err(Why::Critical);
        }
        if !plan.opaque.is_empty() {
            return Err(Why::Unknown);
        }
        let both = assessment.findings.iter().zip(&assessment.subjects);
        let found: Vec<(&Finding, Option<usize>)> = both
            .filter(|(finding, _)| {
                finding.severity > Severity::Low || finding.action != Action::Allow
            })
            .map(|(finding, subject)| (finding, *subject))
            .collect();
        if let Some((finding, _)) = found.iter().find(|(_, subject)| subject.is_none()) {
            return Err(Why::Line { rule: finding.rule.clone() });
        }
        if let Some((finding, _)) = found.iter().find(|(found, _)| found.action != Action::Allow) {
            return Err(Why::Rule { rule: finding.rule.clone() });
        }
        let assessed = assessment.commands.iter().enumerate();
        let harmful = assessed.filter(|(_, one)| one.severity > Severity::Low);
        let subjects: Vec<usize> = harmful.map(|(index, _)| index).collect();
        let index = *subjects.first().ok_or(Why::Unknown)?;
        // A wrapper that counts for itself explains more than that there are several.
        for subject in &subjects {
            let command = &plan.commands[*subject];
            if command.in_recipe {
                return Err(Why::Task);
            }
            if !command.unknown.is_empty() {
                return Err(Why::Unknown);
            }
            let program = || command.program().unwrap_or_default().to_owned();
            signature(command).ok_or_else(|| Why::Carries { program: program() })?;
        }
        if subjects.iter().any(|subject| *subject != index) {
            return Err(Why::Several);
        }
        let found = found.into_iter().map(|(found, _)| found).collect();
        Self::one(&plan.commands[index], found, world, validity)
    }

    fn one(
        command: &'j PlannedCommand,
        findings: Vec<&'j Finding>,
        world: &World,
        validity: &'j Validity,
    ) -> Result<Self, Why> {
        let words: Option<Vec<&str>> = command.argv.iter().map(|word| word.known()).collect();
        let words = words.filter(|words| !words.iter().any(|word| word.contains(char::is_control)));
        let words = words.ok_or(Why::Unknown)?;
        let mut signature = signature(command).ok_or(Why::Unknown)?;
        // One of several names of a program may mean another one: the rule is about the one that was typed.
        let typed = words.first().map(|word| word.rsplit('/').next().unwrap_or(word));
        typed.unwrap_or_default().clone_into(&mut signature[0]);
        let is_plain = |word: &String| !word.is_empty() && !word.contains('|');
        let [Some(directory)] = command.directories.as_slice() else { return Err(Why::Unknown) };
        let is_known = |effect: &Effect| match &effect.target {
            Target::None => true,
            Target::Path { path, .. } => path.is_some(),
            Target::Host { host } => host.is_some(),
            Target::Text { text } => text.is_some(),
        };
        let has_one_value = |given: &GivenOption| {
            given.end <= given.index + 2
                && given.value.as_ref().is_none_or(|value| value.known().is_some())
        };
        if !signature.iter().all(is_plain)
            || !command.effects.iter().all(is_known)
            || !command.interpretation.options.iter().all(has_one_value)
        {
            return Err(Why::Unknown);
        }
        let severity = findings.iter().map(|finding| finding.severity).max().unwrap_or_default();
        let bounds = Self { command, signature, words, directory, findings, severity, validity };
        if bounds.is_mixed(world) { Err(Why::Mixed) } else { Ok(bounds) }
    }

    /// Whether a redirection could do to one of the paths what only was shown of another: the rule names kinds and paths apart.
    fn is_mixed(&self, world: &World) -> bool {
        let effects = &self.command.effects;
        let redirected = [EffectKind::Read, EffectKind::Write, EffectKind::Append];
        let kinds = || effects.iter().map(|one| one.kind).filter(|kind| redirected.contains(kind));
        let targets = effects.iter().filter(|one| one.kind.target_kind() == TargetKind::Path);
        targets.filter(|one| matches!(one.target, Target::Path { .. })).any(|one| {
            kinds().any(|kind| {
                let other = Effect { kind, target: one.target.clone() };
                !effects.contains(&other) && severity_of(&other, &world.judge.facts) > Severity::Low
            })
        })
    }

    /// Returns the rule as it is written.
    fn text(&self, id: &str, verb: &str, judgement: &Judgement) -> String {
        let mut text = own_rule::head(verb, self.directory);
        let reason = comment(&judgement.assessment.reason);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "# Asked because it {reason}; the line was:");
        let lines: Vec<&str> = judgement.line.lines().collect();
        for line in lines.iter().take(SHOWN) {
            let _ = writeln!(text, "#   {}", comment(line));
        }
        if lines.len() > SHOWN {
            let _ = writeln!(text, "#   and {} lines more", lines.len() - SHOWN);
        }
        let _ = writeln!(text, "[[rule]]");
        let mut field = |name: &str, value: String| field(&mut text, name, &value);
        let escaped = |words: &[String]| list(words.iter().map(|word| glob::escape(word)));
        field("id", string(id));
        field("command", escaped(&self.signature));
        let options = self.options();
        field(
            "options",
            match options.as_slice() {
                [] => "{ only = [] }".to_owned(),
                some => format!("{{ all = {0}, only = {0} }}", list(some)),
            },
        );
        field("operands", format!("{{ exactly = {} }}", escaped(&self.operands())));
        if let Some(kinds) = self.kinds() {
            field("effects", format!("{{ only = {} }}", list(kinds)));
            if let Some(target) = self.target() {
                field("target", target);
            }
        }
        let when = self.validity.when(self.directory);
        if !when.is_empty() {
            field("when", format!("{{ {when} }}"));
        }
        field("severity", string(self.severity.name()));
        field("action", string("allow"));
        field("allows", list(self.allows()));
        field("reason", string(&format!("a person said {verb} on {}", own_rule::today())));
        field("matches", list([self.example("")]));
        let is_elsewhere = self.validity.place != Place::Anywhere && self.directory != "/";
        let elsewhere = is_elsewhere.then(|| format!("cd / && {}", self.line()));
        field("passes", list([self.example(" --and-more")].into_iter().chain(elsewhere)));
        text
    }

    fn options(&self) -> Vec<String> {
        let mut options: Vec<String> = Vec::new();
        for given in &self.command.interpretation.options {
            let long = given.spellings.iter().find(|spelling| spelling.starts_with("--"));
            let name = long.or(given.spellings.first()).map_or("", String::as_str);
            let name = glob::escape(name);
            let pattern = match given.value.as_ref().and_then(|value| value.known()) {
                Some(value) => format!("{name}={}", glob::escape(value)),
                None => name,
            };
            if !options.contains(&pattern) {
                options.push(pattern);
            }
        }
        options
    }

    fn operands(&self) -> Vec<String> {
        let operands = self.command.interpretation.operands.iter();
        operands.filter_map(|(index, _)| self.words.get(*index).map(ToString::to_string)).collect()
    }

    fn kinds(&self) -> Option<Vec<String>> {
        let mut kinds: Vec<String> = Vec::new();
        for effect in &self.command.effects {
            let kind = kebab(&effect.kind);
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        (!kinds.is_empty()).then_some(kinds)
    }

    fn target(&self) -> Option<String> {
        let (mut paths, mut hosts, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for effect in &self.command.effects {
            let (list, text) = match &effect.target {
                Target::Path { path: Some(path), .. } => (&mut paths, path),
                Target::Host { host: Some(host) } => (&mut hosts, host),
                Target::Text { text: Some(text) } => (&mut names, text),
                Target::None
                | Target::Path { path: None, .. }
                | Target::Host { host: None }
                | Target::Text { text: None } => continue,
            };
            let pattern = glob::escape(text);
            if !list.contains(&pattern) {
                list.push(pattern);
            }
        }
        let fields: Vec<String> = [("path", paths), ("host", hosts), ("name", names)]
            .into_iter()
            .filter(|(_, patterns)| !patterns.is_empty())
            .map(|(name, patterns)| format!("{name} = {}", list(patterns)))
            .collect();
        (!fields.is_empty()).then(|| format!("{{ {} }}", fields.join(", ")))
    }

    fn allows(&self) -> Vec<String> {
        let mut rules: Vec<String> = Vec::new();
        for finding in &self.findings {
            let pattern = glob::escape(&finding.rule);
            if !rules.contains(&pattern) {
                rules.push(pattern);
            }
        }
        rules
    }

    /// The command by itself, with its words as they were read.
    fn line(&self) -> String {
        shell_words::join(&self.words)
    }

    fn example(&self, more: &str) -> String {
        format!("cd {} && {}{more}", shell_words::quote(self.directory), self.line())
    }
}
