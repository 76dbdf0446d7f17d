//! Whether a rule holds for a command: all its conditions, on parsed words.

use std::borrow::Cow;

use super::flow::{Taint, flows};
use crate::catalog::{GivenOption, UnknownWhat};
use crate::model::{Arg, Caller, Effect, EffectKind, Facts, Target, is_this_machine};
use crate::paths;
use crate::reading::{FlowKind, Plan, PlannedCommand};
use crate::rules::{
    BranchPattern, Choice, EffectMask, OptionPattern, Receiver, Rule, TargetPattern, Traits, When,
    Workspace, glob,
};

/// Commands that all that one prints is followed through.
const RECEIVERS: usize = 8;

/// What a rule asks of a command, in the order in which it is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Condition {
    Command,
    Options,
    /// `options.only`
    OptionsOnly,
    Operands,
    /// `operands.exactly`
    OperandsExactly,
    /// `effects` with `target`
    Effects,
    Environment,
    Via,
    Flow,
    Into,
    When,
}

/// A command with what policy knows about it.
pub(super) struct Subject<'a> {
    index: usize,
    pub(super) command: &'a PlannedCommand,
    pub(super) taint: Taint,
    pub(super) facts: &'a Facts,
    pub(super) plan: &'a Plan,
    /// By command, the one that gets all that it prints.
    receivers: &'a [Option<usize>],
    /// The subcommands that the catalog knows, and the words behind them that may be some.
    pub(super) subcommands: Vec<&'a str>,
    /// The texts of the operands; none for one that is not known.
    pub(super) operands: Vec<Option<Cow<'a, str>>>,
    /// The words that may be options though the catalog lists none of them.
    unlisted: Vec<usize>,
}

impl<'a> Subject<'a> {
    /// Reads off the command what each rule asks of it.
    pub(super) fn new(
        index: usize,
        taint: Taint,
        facts: &'a Facts,
        plan: &'a Plan,
        receivers: &'a [Option<usize>],
    ) -> Self {
        let command = &plan.commands[index];
        let subcommands = subcommands(command);
        let operands = operands(command);
        let unlisted = unlisted(command);
        Self { index, command, taint, facts, plan, receivers, subcommands, operands, unlisted }
    }

    /// What the command has, as bits by which rules are put aside.
    pub(super) fn mask(&self) -> EffectMask {
        let mut mask = EffectMask::default();
        for effect in &self.command.effects {
            mask = mask.with_kind(effect.kind);
            if let Target::Path { class, .. } = &effect.target {
                mask = mask.with_class(*class);
            }
        }
        for (has, one) in [
            (!self.taint.is_empty() || self.command.effects.len() > 1, Traits::Flow),
            (self.command.variables().next().is_some(), Traits::Environment),
            (!self.command.via.is_empty(), Traits::Wrapped),
            (self.command.argv.len() > 1, Traits::Options),
        ] {
            if has {
                mask = mask.with_trait(one);
            }
        }
        mask
    }

    /// Returns whether all conditions of the rule hold.
    pub(super) fn meets(&self, rule: &Rule) -> bool {
        !rule.conditions.are_of_line() && self.unmet(rule).is_none()
    }

    /// Returns the first condition of the rule that does not hold; of one that is about commands.
    pub(super) fn unmet(&self, rule: &Rule) -> Option<Condition> {
        let conditions = &rule.conditions;
        let named = conditions.command.len().saturating_sub(1);
        if !self.is_command(&conditions.command) {
            return Some(Condition::Command);
        }
        if !self.has_options(&conditions.options) {
            return Some(Condition::Options);
        }
        if !conditions.options_only.as_deref().is_none_or(|only| self.has_only_options(only)) {
            return Some(Condition::OptionsOnly);
        }
        if !self.has_operands(&conditions.operands, conditions.operand_count, named) {
            return Some(Condition::Operands);
        }
        let exactly = conditions.operands_exactly.as_deref();
        if !exactly.is_none_or(|exactly| self.has_exactly(exactly, named)) {
            return Some(Condition::OperandsExactly);
        }
        if !self.has_effect(rule) || !self.has_only_effects(rule) {
            return Some(Condition::Effects);
        }
        if !self.has_environment(&conditions.env) {
            return Some(Condition::Environment);
        }
        let via = &conditions.via;
        if !(via.is_empty() || self.command.via.iter().any(|one| via.contains(one))) {
            return Some(Condition::Via);
        }
        let flow = conditions.flow;
        if !flow.is_none_or(|flow| flows(self.command, self.taint, flow.from, flow.to)) {
            return Some(Condition::Flow);
        }
        let into = conditions.into.as_ref();
        if !into.is_none_or(|into| self.goes_into(into, &conditions.command)) {
            return Some(Condition::Into);
        }
        (!when(&conditions.when, self.facts, Some(self))).then_some(Condition::When)
    }

    /// Whether all that the command prints goes through a pipe to such a command, perhaps through others that the rule is about as
    /// well and that do nothing but print what they get.
    fn goes_into(&self, into: &Receiver, through: &[Vec<String>]) -> bool {
        let mut at = Some(self.index);
        for _ in 0..RECEIVERS {
            let next = at.and_then(|at| self.receivers.get(at).copied().flatten());
            let Some(next) = next.filter(|next| *next < self.plan.commands.len()) else { break };
            let command = &self.plan.commands[next];
            let receiver = Self::new(next, Taint::default(), self.facts, self.plan, self.receivers);
            if receiver.is_command(&into.command)
                && receiver.has_options(&into.options)
                && into.options_only.as_deref().is_none_or(|only| receiver.has_only_options(only))
                && into.operands_exactly.as_deref().is_none_or(|exactly| {
                    receiver.has_exactly(exactly, into.command.len().saturating_sub(1))
                })
            {
                return true;
            }
            let is_plain = receiver.is_command(through)
                && command.effects.is_empty()
                && command.unknown.is_empty()
                && !command.interpretation.program.is_empty();
            at = is_plain.then_some(next);
        }
        false
    }

    fn is_command(&self, pattern: &[Vec<String>]) -> bool {
        let Some((program, subcommands)) = pattern.split_first() else { return true };
        let given = &self.subcommands;
        self.names().any(|name| program.iter().any(|pattern| glob::text(pattern, name)))
            && given.len() >= subcommands.len()
            && subcommands
                .iter()
                .zip(given)
                .all(|(patterns, given)| patterns.iter().any(|p| glob::text(p, given)))
    }

    /// The program as the catalog names it, and as the line does: one of many names may mean one program.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let catalog = Some(self.command.interpretation.program.as_str()).filter(|n| !n.is_empty());
        let typed = self.command.argv.first().and_then(Arg::known);
        let typed = typed.map(|name| name.rsplit('/').next().unwrap_or(name));
        catalog.into_iter().chain(typed.filter(|name| Some(*name) != catalog))
    }

    fn has_options(&self, choice: &Choice<OptionPattern>) -> bool {
        if choice.is_empty() {
            return true;
        }
        let interpretation = &self.command.interpretation;
        let argv = &self.command.argv;
        let has = |pattern: &OptionPattern| {
            interpretation.options.iter().any(|given| {
                given.spellings.iter().any(|spelling| glob::text(&pattern.name, spelling))
                    && value_fits(pattern, given.value.as_ref())
            }) || self.unlisted.iter().any(|index| {
                let word = argv.get(*index);
                word.is_some_and(|word| raw_option(word, argv.get(index + 1), pattern))
            })
        };
        let unknown = interpretation
            .unknown
            .iter()
            .any(|part| matches!(part.what, UnknownWhat::Option | UnknownWhat::MaybeOption));
        (choice.any.is_empty() || choice.any.iter().any(has))
            && choice.all.iter().all(has)
            && (choice.none.is_empty() || !unknown && !choice.none.iter().any(has))
    }

    /// What is not known may be another option.
    fn has_only_options(&self, only: &[OptionPattern]) -> bool {
        let interpretation = &self.command.interpretation;
        let fits = |given: &GivenOption, pattern: &OptionPattern| {
            let mut spellings = given.spellings.iter();
            spellings.any(|spelling| glob::text(&pattern.name, spelling))
                && match (&pattern.value, &given.value) {
                    (None, None) => true,
                    (Some(any), Some(_)) if any == "*" => true,
                    // Of several values only the last is there to be looked at.
                    (Some(pattern), Some(Arg::Known(value))) if given.end <= given.index + 2 => {
                        glob::text(pattern, value)
                    }
                    (None, Some(_)) | (Some(_), Some(_) | None) => false,
                }
        };
        !interpretation.program.is_empty()
            && interpretation.unknown.is_empty()
            && interpretation
                .options
                .iter()
                .all(|given| only.iter().any(|pattern| fits(given, pattern)))
    }

    /// A word that is not wholly known, or is a pattern, may be any.
    fn has_exactly(&self, exactly: &[String], named: usize) -> bool {
        let interpretation = &self.command.interpretation;
        let deeper = interpretation.subcommand.iter().skip(named).map(|word| Some(word.as_str()));
        let operands = interpretation.operands.iter();
        let operands = operands.map(|(index, _)| self.command.argv.get(*index)?.known());
        let given: Vec<Option<&str>> = deeper.chain(operands).collect();
        !interpretation.program.is_empty()
            && given.len() == exactly.len()
            && given
                .iter()
                .zip(exactly)
                .all(|(given, pattern)| given.is_some_and(|given| glob::text(pattern, given)))
    }

    /// Where targets are named, every effect that has one is on one of them.
    fn has_only_effects(&self, rule: &Rule) -> bool {
        let (kinds, target) = (&rule.conditions.effects_only, &rule.conditions.target);
        kinds.is_empty()
            || self.command.effects.iter().all(|effect| {
                kinds.contains(&effect.kind)
                    && target.as_ref().is_none_or(|target| {
                        effect.target == Target::None || self.is_target(effect, target)
                    })
            })
    }

    /// `named` subcommands are part of what the rule calls the command; those behind them count as operands.
    fn has_operands(&self, choice: &Choice<String>, count: Option<u32>, named: usize) -> bool {
        if choice.is_empty() && count.is_none() {
            return true;
        }
        let operands = &self.operands;
        let deeper: Vec<&str> =
            self.command.interpretation.subcommand.iter().skip(named).map(String::as_str).collect();
        let has = |pattern: &String| {
            let words = deeper.iter().copied().chain(operands.iter().flatten().map(Cow::as_ref));
            words.into_iter().any(|word| glob::text(pattern, word))
        };
        count.is_none_or(|count| operands.len() == count as usize)
            && (choice.any.is_empty() || choice.any.iter().any(has))
            && choice.all.iter().all(has)
            && (choice.none.is_empty()
                || operands.iter().all(Option::is_some) && !choice.none.iter().any(has))
    }

    fn has_effect(&self, rule: &Rule) -> bool {
        let (kinds, target) = (&rule.conditions.effects, &rule.conditions.target);
        if kinds.is_empty() && (target.is_none() || !rule.conditions.effects_only.is_empty()) {
            return true;
        }
        self.command.effects.iter().any(|effect| {
            // Asking this machine itself is no traffic, unless the rule names it.
            let traffic =
                matches!(effect.kind, EffectKind::Send | EffectKind::Fetch | EffectKind::Connect);
            let local = traffic
                && matches!(&effect.target, Target::Host { host: Some(host) } if is_this_machine(host));
            (kinds.is_empty() || kinds.contains(&effect.kind))
                && (!local || target.is_some())
                && target.as_ref().is_none_or(|target| self.is_target(effect, target))
        })
    }

    fn is_target(&self, effect: &Effect, pattern: &TargetPattern) -> bool {
        match &effect.target {
            Target::None => false,
            Target::Path { path, class } => {
                let home = self.facts.home.as_deref();
                pattern.class.contains(class)
                    || path
                        .as_deref()
                        .is_some_and(|path| pattern.path.iter().any(|p| glob::path(p, path, home)))
            }
            Target::Host { host } => any(&pattern.host, host.as_deref()),
            Target::Text { text } => any(&pattern.name, text.as_deref()),
        }
    }

    fn has_environment(&self, patterns: &[String]) -> bool {
        // One text for all, since a line may have exported many.
        let mut text = String::new();
        patterns.is_empty()
            || self.command.variables().any(|(name, value)| {
                text.clear();
                text.extend([name, "=", value.prefix()]);
                patterns.iter().any(|pattern| glob::text(pattern, &text))
            })
    }
}

/// Returns of each command the one that gets all that it prints.
pub(super) fn receivers(plan: &Plan) -> Vec<Option<usize>> {
    if plan.flows.is_empty() {
        return Vec::new();
    }
    let mut receivers = vec![(None, 0); plan.commands.len()];
    for flow in &plan.flows {
        let is_one = flow.kind == FlowKind::Pipe && flow.from.len() == 1 && flow.to.len() == 1;
        for (receiver, flows) in receivers.iter_mut().take(flow.from.end).skip(flow.from.start) {
            *receiver = is_one.then_some(flow.to.start);
            *flows += 1;
        }
    }
    receivers.into_iter().map(|(receiver, flows)| receiver.filter(|_| flows == 1)).collect()
}

/// The subcommands that the catalog knows, and the words behind them that may be some: rules name what programs do
/// whether the catalog calls it a subcommand or an operand.
fn subcommands(command: &PlannedCommand) -> Vec<&str> {
    let interpretation = &command.interpretation;
    let mut given: Vec<&str> = interpretation.subcommand.iter().map(String::as_str).collect();
    let unknown = interpretation
        .unknown
        .iter()
        .find(|part| matches!(part.what, UnknownWhat::Program | UnknownWhat::Subcommand));
    let from = match unknown {
        Some(part) => part.index.unwrap_or(1).max(1),
        None if interpretation.program.is_empty() => 1,
        None => {
            let operands = interpretation.operands.iter();
            let words = operands.map(|(index, _)| command.argv.get(*index)?.known());
            given.extend(words.map_while(|word| word));
            return given;
        }
    };
    let words = command.argv.iter().skip(from).map_while(Arg::known);
    given.extend(words.filter(|word| !word.starts_with('-')));
    given
}

/// The texts of the operands; none for one that is not known.
fn operands(command: &PlannedCommand) -> Vec<Option<Cow<'_, str>>> {
    let interpretation = &command.interpretation;
    if interpretation.program.is_empty() {
        let words = command.argv.iter().skip(1);
        let words = words.filter(|word| !word.prefix().starts_with('-'));
        return words.map(|word| operand_text(word).map(with_plain_port)).collect();
    }
    interpretation
        .operands
        .iter()
        .filter_map(|(index, _)| command.argv.get(*index))
        .map(|word| operand_text(word).map(with_plain_port))
        .collect()
}

/// An address with its port as rules write it: what reads one takes `:02375` for `:2375`.
fn with_plain_port(text: &str) -> Cow<'_, str> {
    let from = text.find("://").map_or(0, |at| at + 3);
    let to = text[from..].find(['/', '?', '#']).map_or(text.len(), |length| from + length);
    let plain = || {
        let at = from + text[from..to].rfind(':')? + 1;
        let digits = &text[at..to];
        let number = digits.trim_start_matches('0');
        let is_padded = number.len() < digits.len() && !number.is_empty();
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        (is_padded && is_number).then(|| format!("{}{number}{}", &text[..at], &text[to..]))
    };
    plain().map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The words that may be options though the catalog lists none of them.
fn unlisted(command: &PlannedCommand) -> Vec<usize> {
    let interpretation = &command.interpretation;
    let unknown = &interpretation.unknown;
    if interpretation.program.is_empty()
        || unknown.iter().any(|part| part.what == UnknownWhat::Subcommand)
    {
        return (1..command.argv.len()).collect();
    }
    let options = unknown.iter().filter(|part| part.what == UnknownWhat::Option);
    options.filter_map(|part| part.index).filter(|index| *index > 0).collect()
}

fn operand_text(word: &Arg) -> Option<&str> {
    match word {
        Arg::Known(text) | Arg::Glob(text) => Some(text),
        Arg::Prefix(_) | Arg::Unknown | Arg::Many => None,
    }
}

fn any(patterns: &[String], text: Option<&str>) -> bool {
    text.is_some_and(|text| patterns.iter().any(|pattern| glob::text(pattern, text)))
}

fn value_fits(pattern: &OptionPattern, value: Option<&Arg>) -> bool {
    match (&pattern.value, value) {
        (None, _) => true,
        (Some(pattern), Some(value)) => {
            operand_text(value).is_some_and(|value| glob::text(pattern, value))
        }
        (Some(_), None) => false,
    }
}

/// Options that the catalog does not know: as they are written, with the next word as their value where none is attached.
fn raw_option(word: &Arg, next: Option<&Arg>, pattern: &OptionPattern) -> bool {
    let Some(text) = word.known() else { return false };
    match text.split_once('=') {
        Some((name, value)) => {
            let value = Arg::Known(value.to_owned());
            glob::text(&pattern.name, name) && value_fits(pattern, Some(&value))
        }
        None => glob::text(&pattern.name, text) && value_fits(pattern, next),
    }
}

/// Returns whether the world is as a rule asks.
pub(super) fn when(when: &When, facts: &Facts, subject: Option<&Subject<'_>>) -> bool {
    let branch = facts.git.as_ref().and_then(|git| git.branch.as_deref());
    when.branch
        .as_ref()
        .is_none_or(|pattern| branch.is_some_and(|branch| is_branch(pattern, branch, facts)))
        && when.branch_operand.as_ref().is_none_or(|pattern| {
            subject.is_some_and(|subject| {
                subject
                    .operands
                    .iter()
                    .flatten()
                    .any(|operand| is_branch(pattern, branch_name(operand), facts))
            })
        })
        && when.workspace.is_none_or(|asked| {
            let inside = |directory: &Option<String>| {
                directory.as_deref().is_some_and(|directory| {
                    facts.workspaces.iter().any(|root| paths::is_below(directory, root))
                })
            };
            let is_inside = match subject {
                Some(subject) => subject.command.directories.iter().all(inside),
                None => inside(&facts.cwd),
            };
            match asked {
                Workspace::Inside => is_inside,
                Workspace::Outside => !is_inside,
            }
        })
        && (when.directory.is_empty() || {
            let is_named = |directory: &Option<String>| {
                directory.as_deref().is_some_and(|directory| {
                    let home = facts.home.as_deref();
                    when.directory.iter().any(|pattern| glob::path(pattern, directory, home))
                })
            };
            match subject {
                Some(subject) => {
                    let directories = &subject.command.directories;
                    !directories.is_empty() && directories.iter().all(is_named)
                }
                None => is_named(&facts.cwd),
            }
        })
        && when.permit.is_none_or(|permit| facts.permits.contains(&permit))
        && when.until.as_ref().is_none_or(|until| facts.now < *until)
        && (when.caller.is_empty()
            || match &facts.caller {
                Caller::Unknown => false,
                Caller::Agent(name) => {
                    when.caller.iter().any(|asked| asked == "agent" || asked == name)
                }
            })
}

fn is_branch(pattern: &BranchPattern, branch: &str, facts: &Facts) -> bool {
    let patterns = match pattern {
        BranchPattern::Protected => &facts.protected_branches,
        BranchPattern::Globs(globs) => globs,
    };
    patterns.iter().any(|pattern| glob::text(pattern, branch))
}

/// The branch that a push operand updates: `+a:refs/heads/b` is `b`.
fn branch_name(operand: &str) -> &str {
    let target = operand.rsplit(':').next().unwrap_or(operand);
    let target = target.strip_prefix('+').unwrap_or(target);
    target.strip_prefix("refs/heads/").unwrap_or(target)
}
