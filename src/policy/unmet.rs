//! Why a rule does not fire on a line, in the words of its file: what it wants, and what the line has.
//! Decides nothing: whether it fires is said by what was found.

use super::flow::taints;
use super::matching::{Condition, Subject, receivers, when};
use crate::model::{Arg, Caller, Facts};
use crate::reading::Plan;
use crate::rules::source::kebab;
use crate::rules::{BranchPattern, Choice, OptionPattern, Rule, When};

/// Words of the line that are told at most.
const TOLD: usize = 8;

/// Returns why a rule does not fire on a line: the first condition that its command that comes nearest does not meet. None: each condition holds for
/// one of them, so another rule of the same pack stands before it.
#[must_use]
pub fn unmet(rule: &Rule, plan: &Plan, facts: &Facts) -> Option<String> {
    if rule.conditions.are_of_line() {
        let is_met = when(&rule.conditions.when, facts, None);
        let missed = if rule.conditions.text.is_some() { "text" } else { "query" };
        let line = format!("`{missed}` matches nothing of the line");
        return Some(if is_met { line } else { of_world(&rule.conditions.when, facts, None) });
    }
    let receivers = receivers(plan);
    let taints = taints(plan).into_iter().enumerate();
    let subjects = taints.map(|(at, taint)| Subject::new(at, taint, facts, plan, &receivers));
    let mut nearest: Option<(Condition, Subject<'_>)> = None;
    for subject in subjects {
        let condition = subject.unmet(rule)?;
        if nearest.as_ref().is_none_or(|(other, _)| condition > *other) {
            nearest = Some((condition, subject));
        }
    }
    Some(match nearest {
        Some((condition, subject)) => told(rule, condition, &subject),
        None => "the line runs no command".to_owned(),
    })
}

fn told(rule: &Rule, condition: Condition, subject: &Subject<'_>) -> String {
    let conditions = &rule.conditions;
    let has = |words: Vec<String>| match words.as_slice() {
        [] => "the line has none".to_owned(),
        some => format!("the line has only {}", and(some)),
    };
    match condition {
        Condition::Command => {
            let wanted: Vec<String> =
                conditions.command.iter().map(|words| words.join("|")).collect();
            let runs: Vec<String> = subject.plan.commands.iter().map(command).collect();
            format!("`command` wants {}; the line runs {}", wanted.join(" "), and(&once(runs)))
        }
        Condition::Options => {
            let wanted = chosen("options", &conditions.options, option);
            format!("{}; {}", wanted.join(", "), has(options(subject)))
        }
        Condition::OptionsOnly => {
            let only = conditions.options_only.iter().flatten().map(option).collect::<Vec<_>>();
            format!("{}; {}", wants("options", "only", &only), has(options(subject)))
        }
        Condition::Operands => {
            let mut wanted = chosen("operands", &conditions.operands, String::clone);
            let count = conditions.operand_count;
            wanted.extend(count.map(|count| format!("`operands.count` wants {count}")));
            format!("{}; {}", wanted.join(", "), has(operands(subject)))
        }
        Condition::OperandsExactly => {
            let exactly = conditions.operands_exactly.as_deref().unwrap_or_default();
            format!("{}; {}", wants("operands", "exactly", exactly), has(operands(subject)))
        }
        Condition::Effects => {
            let (any, only) = (&conditions.effects, &conditions.effects_only);
            let (how, kinds) = if any.is_empty() { ("only", only) } else { ("any", any) };
            let kinds: Vec<String> = kinds.iter().map(kebab).collect();
            let on = if conditions.target.is_some() { " on its `target`" } else { "" };
            let does = subject.command.effects.iter().map(|effect| kebab(&effect.kind));
            let does = match once(does.collect()).as_slice() {
                [] => "the command does nothing of the kind".to_owned(),
                some => format!("the command does {}", and(some)),
            };
            format!("{}{on}; {does}", wants("effects", how, &kinds))
        }
        Condition::Environment => {
            let set = subject.command.variables();
            let set: Vec<String> =
                set.map(|(name, value)| format!("{name}={}", value.prefix())).collect();
            let env = or(&conditions.env);
            format!("`env` wants {env}; {}", has(set))
        }
        Condition::Via => {
            let via = or(&conditions.via);
            let has = match subject.command.via.as_slice() {
                [] => "nothing".to_owned(),
                some => and(some),
            };
            format!("`via` wants {via}; it is run by {has}")
        }
        Condition::Flow => match &conditions.flow {
            Some(flow) => format!(
                "`flow` wants what comes from {} to go to {}; nothing does so here",
                kebab(&flow.from),
                kebab(&flow.to)
            ),
            None => "`flow` does not hold".to_owned(),
        },
        Condition::Into => {
            "`into` wants all that it prints to go to such a command; it does not".to_owned()
        }
        Condition::When => of_world(&conditions.when, subject.facts, Some(subject)),
    }
}

/// Says which part of `when` does not hold: each is asked by itself.
fn of_world(asked: &When, facts: &Facts, subject: Option<&Subject<'_>>) -> String {
    let fails = |one: When| !when(&one, facts, subject);
    let branch = facts.git.as_ref().and_then(|git| git.branch.as_deref()).unwrap_or("not known");
    let none = When::default;
    if fails(When { branch: asked.branch.clone(), ..none() }) {
        return format!(
            "`when.branch` wants {}; the branch is {branch}",
            branches(asked.branch.as_ref(), facts)
        );
    }
    if fails(When { branch_operand: asked.branch_operand.clone(), ..none() }) {
        let wanted = branches(asked.branch_operand.as_ref(), facts);
        return format!(
            "`when.branch_operand` wants an operand that names {wanted}; there is none"
        );
    }
    if fails(When { workspace: asked.workspace, ..none() }) {
        let wanted = asked.workspace.as_ref().map(kebab).unwrap_or_default();
        return format!("`when.workspace` wants {wanted}; the line runs elsewhere");
    }
    if fails(When { directory: asked.directory.clone(), ..none() }) {
        return format!("`when.directory` wants {}; the line runs elsewhere", or(&asked.directory));
    }
    if fails(When { caller: asked.caller.clone(), ..none() }) {
        let caller = match &facts.caller {
            Caller::Unknown => "no agent",
            Caller::Agent(name) => name,
        };
        return format!("`when.caller` wants {}; the caller is {caller}", or(&asked.caller));
    }
    if let Some(permit) = asked.permit.filter(|_| fails(When { permit: asked.permit, ..none() })) {
        return format!("`when.permit` wants `{}`, which is not set", permit.setting());
    }
    format!("`when.until` is over: {}", asked.until.as_deref().unwrap_or_default())
}

fn branches(pattern: Option<&BranchPattern>, facts: &Facts) -> String {
    match pattern {
        Some(BranchPattern::Globs(globs)) => or(globs),
        Some(BranchPattern::Protected) | None => {
            format!("a protected branch ({})", or(&facts.protected_branches))
        }
    }
}

/// Says what is wanted of options or operands.
fn chosen<T>(what: &str, choice: &Choice<T>, word: impl Fn(&T) -> String) -> Vec<String> {
    let lists = [("any", &choice.any), ("all", &choice.all), ("none", &choice.none)];
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    lists.map(|(how, list)| wants(what, how, &list.iter().map(&word).collect::<Vec<_>>())).collect()
}

fn wants(what: &str, how: &str, words: &[String]) -> String {
    let joined = match how {
        _ if words.is_empty() => "none at all".to_owned(),
        "any" => or(words),
        _ => and(words),
    };
    match how {
        "none" => format!("`{what}.none` wants nothing of {joined}"),
        "only" if !words.is_empty() => format!("`{what}.only` wants no other than {joined}"),
        how => format!("`{what}.{how}` wants {joined}"),
    }
}

fn command(command: &crate::reading::PlannedCommand) -> String {
    let program = command.program().unwrap_or("a program that is not known");
    let subcommands = command.interpretation.subcommand.iter().map(String::as_str);
    std::iter::once(program).chain(subcommands).collect::<Vec<_>>().join(" ")
}

fn option(pattern: &OptionPattern) -> String {
    match &pattern.value {
        Some(value) => format!("{}={value}", pattern.name),
        None => pattern.name.clone(),
    }
}

/// The options that the line has, each as it is written there, and words that may be some.
fn options(subject: &Subject<'_>) -> Vec<String> {
    let argv = &subject.command.argv;
    let given = subject.command.interpretation.options.iter().map(|given| given.index);
    let unlisted = subject.command.interpretation.unknown.iter().filter_map(|part| part.index);
    let mut places: Vec<usize> = given.chain(unlisted).collect();
    places.sort_unstable();
    places.dedup();
    places.into_iter().filter_map(|at| argv.get(at)).map(word).collect()
}

fn operands(subject: &Subject<'_>) -> Vec<String> {
    let operands = subject.operands.iter();
    operands.map(|word| word.as_deref().unwrap_or("a word that is not known").to_owned()).collect()
}

fn word(word: &Arg) -> String {
    word.known().map_or_else(|| format!("{}…", word.prefix()), str::to_owned)
}

fn once(mut words: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words
}

fn or(words: &[impl AsRef<str>]) -> String {
    joined(words, "or")
}

fn and(words: &[impl AsRef<str>]) -> String {
    joined(words, "and")
}

fn joined(words: &[impl AsRef<str>], last: &str) -> String {
    let shown: Vec<&str> = words.iter().take(TOLD).map(AsRef::as_ref).collect();
    match (shown.as_slice(), words.len().saturating_sub(TOLD)) {
        ([], _) => "nothing".to_owned(),
        ([one], _) => (*one).to_owned(),
        ([rest @ .., end], 0) => format!("{} {last} {end}", rest.join(", ")),
        (some, more) => format!("{} {last} {more} more", some.join(", ")),
    }
}
