//! The question about a line: what a person is asked, and what a yes would cover at most.
//! Asks nobody, and decides nothing about what is covered: `decision::grant` does.

use super::{Judgement, since};
use crate::approval::letters;
use crate::catalog::{self, Carried, Interpretation, Place};
use crate::decision::grant;
use crate::model::{
    Action, Caller, Effect, EffectKind, Facts, Finding, PathClass, Question, Reason, Scope,
    Severity, Span, Target,
};
use crate::paths;
use crate::policy::severity_of;
use crate::reading::PlannedCommand;
use crate::rules::source::kebab;

/// Options that change nothing but what is said, under one of their names; none takes a value.
const TALK: &[&str] =
    &["--quiet", "--silent", "--verbose", "--progress", "--no-progress", "--porcelain"];

/// Returns the question about a line. None where its bytes are no text: what would be shown is not what would run.
#[must_use]
pub fn of(judgement: &Judgement, facts: &Facts, session: Option<String>) -> Option<Question> {
    if judgement.plan.opaque.iter().any(|opaque| opaque.reason == Reason::NotUtf8) {
        return None;
    }
    let assessment = &judgement.assessment;
    // Of an agent's own frame a person is shown what the model wrote, where that is all that is not the agent's.
    let carried = judgement.carried(facts);
    let mut findings = assessment.findings.clone();
    for finding in &mut findings {
        finding.span = carried.map_or(finding.span, |carried| carried.place(finding.span));
    }
    let mut reason = assessment.reason.clone();
    if let Some(anew) = &judgement.anew {
        let told = format!("{anew}; asked anew: {reason}");
        for finding in findings.iter_mut().filter(|finding| finding.reason == reason) {
            finding.reason.clone_from(&told);
        }
        reason = told;
    }
    let line = carried.map_or(&judgement.line, |carried| &carried.command).clone();
    let broken = judgement.note.clone().map(|note| ("project.broken", Span::new(0, 0), note));
    let letters = letters::doubtful(&line).into_iter();
    let letters = letters.map(|(span, why)| ("line.letters", span, why));
    let shown = broken.into_iter().chain(letters);
    findings.extend(shown.map(|(rule, span, reason)| only_shown(rule, span, reason)));
    Some(Question {
        line,
        cwd: facts.cwd.clone(),
        agent: match &facts.caller {
            Caller::Agent(name) => Some(name.clone()),
            Caller::Unknown => facts.parent_agent.as_ref().map(|agent| agent.name.clone()),
        },
        program: None,
        session,
        severity: assessment.severity,
        score: assessment.score,
        reason,
        instead: assessment.instead.clone(),
        findings,
        scope: scope(judgement, facts),
        held: None,
        opinion: None,
        recent: judgement.plan.recalled.recent(),
        files: since::digest(judgement),
        difference: None,
        anew: judgement.anew.clone(),
        client: None,
    })
}

/// Returns a finding that a person sees among the reasons of a question, by which no yes covers anything.
pub(super) fn only_shown(rule: &str, span: Span, reason: String) -> Finding {
    Finding {
        rule: rule.to_owned(),
        span,
        severity: Severity::Medium,
        action: Action::Allow,
        points: 0,
        reason,
        suggestion: None,
        instead: None,
    }
}

/// Returns what a line does that is not harmless.
#[must_use]
pub fn scope(judgement: &Judgement, facts: &Facts) -> Scope {
    let (plan, assessment) = (&judgement.plan, &judgement.assessment);
    let mut scope = Scope { severity: assessment.severity, ..Scope::default() };
    for finding in &assessment.findings {
        let counts = finding.severity > Severity::Low || finding.action > Action::Allow;
        if counts && !scope.rules.contains(&finding.rule) {
            scope.rules.push(finding.rule.clone());
        }
    }
    let mut is_known = plan.opaque.is_empty();
    for (index, command) in plan.commands.iter().enumerate() {
        if assessment.commands.get(index).is_some_and(|one| one.severity == Severity::Low) {
            continue;
        }
        is_known &= command.unknown.is_empty();
        let part = Part::of(judgement, index, facts);
        match part.bound() {
            Bound::Effects => {}
            Bound::Words => is_known &= put(&mut scope.words, words(command, |_| true)),
            Bound::Source => match source(command, facts) {
                Some(Source::Registry) => {}
                Some(Source::Named(words)) => is_known &= put(&mut scope.words, Some(words)),
                None => is_known = false,
            },
        }
        for effect in part.effects {
            put(&mut scope.effects, Some(effect.clone()));
        }
        is_known &= put(&mut scope.signatures, signature(command));
    }
    if !is_known {
        scope.signatures.clear();
    }
    scope
}

/// Adds what is not there yet; false if there is nothing to add.
fn put<T: PartialEq>(list: &mut Vec<T>, one: Option<T>) -> bool {
    let is_there = one.is_some();
    list.extend(one.filter(|one| !list.contains(one)));
    is_there
}

/// A command that is not harmless.
struct Part<'j> {
    /// Its effects above [`Severity::Low`].
    effects: Vec<&'j Effect>,
    /// How severe these are.
    by_effects: Severity,
    /// How severe all of it is, what rules say of it included.
    severity: Severity,
}

impl<'j> Part<'j> {
    fn of(judgement: &'j Judgement, index: usize, facts: &Facts) -> Self {
        let assessment = &judgement.assessment;
        let found = || {
            let both = assessment.findings.iter().zip(&assessment.subjects);
            both.filter(|(_, subject)| **subject == Some(index)).map(|(finding, _)| finding)
        };
        // What an effect is found to be may be more than it is by itself: building in a foreign directory.
        let severity = |effect: &Effect| {
            let rule = format!("effect.{}", kebab(&effect.kind));
            let said = found().filter(|finding| finding.rule == rule).map(|found| found.severity);
            said.max().unwrap_or_default().max(severity_of(effect, facts))
        };
        let effects = judgement.plan.commands[index].effects.iter();
        let effects: Vec<&Effect> =
            effects.filter(|effect| severity(effect) > Severity::Low).collect();
        let by_effects = effects.iter().map(|effect| severity(effect)).max().unwrap_or_default();
        // Of findings that say the same of the same bytes only one is kept: a loop's second command has none of its own.
        let assessed = assessment.commands.get(index);
        let severity = assessed.map_or(Severity::Critical, |one| one.severity);
        Self { effects, by_effects, severity }
    }

    /// By what a yes is bounded. Effects do not say enough where a rule saw more in the command.
    fn bound(&self) -> Bound {
        if self.severity > self.by_effects || !self.effects.iter().all(|effect| says_all(effect)) {
            return Bound::Words;
        }
        let installs = self.effects.iter().any(|effect| effect.kind == EffectKind::Install);
        if installs { Bound::Source } else { Bound::Effects }
    }
}

/// By what a yes to a command is bounded.
enum Bound {
    /// By kinds and targets of its effects.
    Effects,
    /// By these and the place that packages are installed from.
    Source,
    /// By its words.
    Words,
}

/// Where packages are installed from.
enum Source {
    /// The program's registry, or what the project in the workspace names.
    Registry,
    /// What these words say.
    Named(String),
}

/// Returns where a command installs packages from; none if that is not known.
fn source(command: &PlannedCommand, facts: &Facts) -> Option<Source> {
    let Interpretation { subcommand, options, operands, .. } = &command.interpretation;
    let of_option = |index| options.iter().find(|given| (given.index..given.end).contains(&index));
    let matters = |index: usize| {
        if let Some(given) = of_option(index) {
            return given.value.is_some() || given.end > given.index + 1;
        }
        let word = command.argv[index].known();
        operands.iter().any(|(operand, _)| *operand == index) && !word.is_some_and(grant::is_name)
    };
    let is_home = command
        .directories
        .iter()
        .flatten()
        .all(|directory| facts.workspaces.iter().any(|root| paths::is_below(directory, root)));
    let from = (1..command.argv.len()).filter(|index| matters(*index)).count();
    if from == 0 && is_home && command.directories.iter().all(Option::is_some) {
        return command.argv.iter().all(|word| word.known().is_some()).then_some(Source::Registry);
    }
    let is_subcommand = |index: usize| {
        of_option(index).is_none()
            && command.argv[index]
                .known()
                .is_some_and(|word| subcommand.iter().any(|sub| sub == word))
    };
    words(command, |index| matters(index) || is_subcommand(index)).map(Source::Named)
}

/// Whether kind and target say all that matters of an effect.
fn says_all(effect: &Effect) -> bool {
    match &effect.target {
        Target::None | Target::Text { .. } => effect.kind == EffectKind::Install,
        Target::Host { .. } => {
            matches!(effect.kind, EffectKind::Connect | EffectKind::Fetch | EffectKind::Send)
        }
        Target::Path { class, .. } => !is_about_more(effect.kind) && !is_heeded(*class),
    }
}

/// Whether what is done to a path matters as much as to which: which mode it gets, what is run with which words.
fn is_about_more(kind: EffectKind) -> bool {
    matches!(
        kind,
        EffectKind::Permission
            | EffectKind::PermissionTree
            | EffectKind::Mount
            | EffectKind::Execute
    )
}

/// Whether what stands in files of this class is what runs later, or what all else rests on.
fn is_heeded(class: PathClass) -> bool {
    match class {
        PathClass::Hooks
        | PathClass::Workspace
        | PathClass::Home
        | PathClass::Startup
        | PathClass::System
        | PathClass::Root
        | PathClass::Device
        | PathClass::NetworkDevice
        | PathClass::Guard
        | PathClass::Unknown => true,
        PathClass::Null
        | PathClass::Temporary
        | PathClass::Made
        | PathClass::BuildOutput
        | PathClass::Inside
        | PathClass::HomeFile
        | PathClass::Secret
        | PathClass::Outside => false,
    }
}

/// Returns program and subcommands; none where they do not say what is run: who carries another's command or code, acts as
/// someone else or elsewhere, or is not wholly known.
pub(super) fn signature(command: &PlannedCommand) -> Option<Vec<String>> {
    let interpretation = &command.interpretation;
    let carries = interpretation.carried.iter().any(|carried| match carried {
        // What a task runs is planned, and counts for itself; a variable is an effect where it matters.
        Carried::Task { .. } | Carried::Environment { .. } => false,
        Carried::Argv { .. }
        | Carried::Program { .. }
        | Carried::Shell { .. }
        | Carried::Code { .. }
        | Carried::Script { .. }
        | Carried::Input { .. } => true,
    });
    let acts_elsewhere = command
        .effects
        .iter()
        .any(|effect| matches!(effect.kind, EffectKind::Privilege | EffectKind::Remote));
    let Interpretation { program, subcommand, unknown, .. } = interpretation;
    let says_what = !carries
        && !acts_elsewhere
        && !command.runs_input
        && command.place == Place::Here
        && unknown.is_empty()
        && catalog::is_complete(program, subcommand);
    says_what.then(|| std::iter::once(program).chain(subcommand).cloned().collect())
}

/// Returns the words of a command that count, with variables and directory, without what changes only what is said; none if one
/// is not known.
fn words(command: &PlannedCommand, counts: impl Fn(usize) -> bool) -> Option<String> {
    let options = &command.interpretation.options;
    let is_talk = |index: usize| {
        let mut here = options.iter().filter(|given| given.index == index);
        let first = here.next();
        here.next().is_none()
            && first.is_some_and(|given| {
                given.value.is_none()
                    && given.end == index + 1
                    && given.spellings.iter().any(|name| TALK.contains(&name.as_str()))
            })
    };
    let mut words: Vec<String> = Vec::new();
    for (name, value) in &command.environment {
        words.push(format!("{name}={}", value.known()?));
    }
    for (index, word) in command.argv.iter().enumerate() {
        let text = word.known()?;
        if index == 0 {
            // One of several names of a program may mean another one.
            words.push(text.rsplit('/').next().unwrap_or(text).to_owned());
        } else if counts(index) && !is_talk(index) {
            words.push(text.to_owned());
        }
    }
    let [Some(directory)] = command.directories.as_slice() else { return None };
    Some(format!("{}, in {directory}", shell_words::join(&words)))
}
