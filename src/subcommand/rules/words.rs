//! The conditions of a rule in words, one sentence each.

use crate::model::FlowSource;
use crate::rules::source::kebab;
use crate::rules::{
    BranchPattern, Choice, Conditions, Flow, FlowSink, OptionPattern, Receiver, TargetPattern,
    When, Workspace,
};

/// Returns what must hold, all of it, for the rule to fire.
pub(super) fn conditions(conditions: &Conditions) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(command(&conditions.command));
    choice("options", &conditions.options, option, &mut all);
    all.extend(conditions.options_only.as_deref().map(options_only));
    choice("operands", &conditions.operands, |glob| quoted(glob), &mut all);
    if let Some(count) = conditions.operand_count {
        let s = if count == 1 { "" } else { "s" };
        all.push(format!("it has {count} operand{s}"));
    }
    all.extend(conditions.operands_exactly.as_deref().map(operands_exactly));
    if !conditions.effects_only.is_empty() {
        let kinds: Vec<String> = conditions.effects_only.iter().map(kebab).collect();
        let on = conditions.target.as_ref().map(|t| format!(", on {}", target(t)));
        all.push(format!("all that it does is {}{}", or(&kinds), on.unwrap_or_default()));
    }
    if !conditions.effects.is_empty() {
        let kinds: Vec<String> = conditions.effects.iter().map(kebab).collect();
        let on = conditions.target.as_ref().map(|t| format!(" on {}", target(t)));
        all.push(format!("it does {}{}", or(&kinds), on.unwrap_or_default()));
    }
    if !conditions.env.is_empty() {
        all.push(format!("a variable is set for it: {}", or(&globs(&conditions.env))));
    }
    if !conditions.via.is_empty() {
        all.push(format!("it is run by {}", or(&globs(&conditions.via))));
    }
    all.extend(conditions.flow.map(flow));
    all.extend(conditions.into.as_ref().map(into));
    if let Some(text) = &conditions.text {
        all.push(format!("the whole line matches the regular expression {text}"));
    }
    if let Some(query) = &conditions.query {
        all.push(format!("the tree of the whole line matches the query {query}"));
    }
    when(&conditions.when, &mut all);
    all
}

fn into(into: &Receiver) -> String {
    let mut all: Vec<String> = command(&into.command).into_iter().collect();
    choice("options", &into.options, option, &mut all);
    all.extend(into.options_only.as_deref().map(options_only));
    all.extend(into.operands_exactly.as_deref().map(operands_exactly));
    format!("all that it prints goes to a command of which holds: {}", all.join("; "))
}

fn options_only(only: &[OptionPattern]) -> String {
    match only {
        [] => "it has no options".to_owned(),
        some => format!("it has no options but {}", and(&listed(some, option_alone))),
    }
}

fn operands_exactly(exactly: &[String]) -> String {
    match exactly {
        [] => "it has no operands".to_owned(),
        some => format!("its operands are {}, in this order", and(&globs(some))),
    }
}

fn command(words: &[Vec<String>]) -> Option<String> {
    let (program, subcommands) = words.split_first()?;
    let mut text = format!("the program is {}", or(&globs(program)));
    for names in subcommands {
        text.push_str(", then ");
        text.push_str(&or(&globs(names)));
    }
    Some(text)
}

fn choice<T>(what: &str, choice: &Choice<T>, word: impl Fn(&T) -> String, all: &mut Vec<String>) {
    for (list, how) in
        [(&choice.any, "one of its"), (&choice.all, "among its"), (&choice.none, "none of its")]
    {
        let words = listed(list, &word);
        let joined = if how == "among its" { words.join(" and ") } else { or(&words) };
        if !words.is_empty() {
            let are = if how == "among its" { "are" } else { "is" };
            all.push(format!("{how} {what} {are} {joined}"));
        }
    }
}

fn listed<T>(list: &[T], word: impl Fn(&T) -> String) -> Vec<String> {
    list.iter().map(word).collect()
}

/// An option that has a value only where the pattern says one.
fn option_alone(pattern: &OptionPattern) -> String {
    match pattern.value.as_deref() {
        Some("*") => format!("{} with any value", quoted(&pattern.name)),
        Some(_) | None => option(pattern),
    }
}

fn option(pattern: &OptionPattern) -> String {
    match &pattern.value {
        Some(value) => quoted(&format!("{}={value}", pattern.name)),
        None => quoted(&pattern.name),
    }
}

fn target(target: &TargetPattern) -> String {
    let mut ways: Vec<String> = Vec::new();
    if !target.class.is_empty() {
        let classes: Vec<String> = target.class.iter().map(kebab).collect();
        ways.push(format!("a path of the class {}", or(&classes)));
    }
    for (what, list) in
        [("a path", &target.path), ("a host", &target.host), ("a name", &target.name)]
    {
        if !list.is_empty() {
            ways.push(format!("{what} like {}", or(&globs(list))));
        }
    }
    or(&ways)
}

fn flow(flow: Flow) -> String {
    let from = match flow.from {
        FlowSource::Download => "it gets data from a command that downloads and",
        FlowSource::Secret => "it gets data from a command that reads secrets and",
        FlowSource::Decode => "it gets data from a command that decodes and",
        FlowSource::Work => "it gets what a command moves and",
        FlowSource::Endless => "it gets data without end and",
        FlowSource::Any => "it gets data from another command and",
        FlowSource::Seen => "after a command of this line, or of an earlier one, read secrets, it",
    };
    let to = match flow.to {
        FlowSink::Interpreter => "runs it as code",
        FlowSink::Build => "builds, tests or runs what that wrote into its workspace",
        FlowSink::File => "writes it to a file",
        FlowSink::Memory => "keeps all of it in memory",
        FlowSink::Network => "sends something to a host",
        FlowSink::Delete => "deletes what it names",
    };
    format!("{from} {to}")
}

fn when(when: &When, all: &mut Vec<String>) {
    if let Some(branch) = &when.branch {
        all.push(format!("the branch that is checked out is {}", branches(branch)));
    }
    if let Some(branch) = &when.branch_operand {
        all.push(format!("an operand names a branch that is {}", branches(branch)));
    }
    match when.workspace {
        Some(Workspace::Inside) => all.push("the directory is inside a workspace".to_owned()),
        Some(Workspace::Outside) => all.push("the directory is outside every workspace".to_owned()),
        None => {}
    }
    if !when.directory.is_empty() {
        all.push(format!("the directory is {}", or(&globs(&when.directory))));
    }
    if let Some(permit) = when.permit {
        all.push(format!("the owner has set `{}`", permit.setting()));
    }
    if !when.caller.is_empty() {
        let any = when.caller.iter().any(|name| name == "agent");
        let who = if any { "any agent".to_owned() } else { or(&globs(&when.caller)) };
        all.push(format!("it is called by {who}"));
    }
}

fn branches(pattern: &BranchPattern) -> String {
    match pattern {
        BranchPattern::Protected => "protected".to_owned(),
        BranchPattern::Globs(list) => format!("like {}", or(&globs(list))),
    }
}

fn globs(list: &[String]) -> Vec<String> {
    list.iter().map(|glob| quoted(glob)).collect()
}

fn quoted(text: &str) -> String {
    format!("`{text}`")
}

fn and(words: &[String]) -> String {
    words.join(", ")
}

fn or(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleSet;

    fn of(id: &str) -> Vec<String> {
        let all = RuleSet::builtin().all().unwrap();
        let (entry, _) = all.iter().find(|(entry, _)| entry.rule.id == id).unwrap();
        conditions(&entry.rule.conditions)
    }

    #[test]
    fn conditions_read_as_sentences() {
        assert_eq!(
            of("git.push.force-all"),
            [
                "the program is `git`, then `push`",
                "one of its options is `-f` or `--force`",
                "among its options are `--all`"
            ]
        );
        assert_eq!(
            of("network.download-and-run"),
            ["it gets data from a command that downloads and runs it as code"]
        );
    }

    #[test]
    fn every_rule_in_force_says_when_it_fires() {
        for (entry, _) in RuleSet::builtin().all().unwrap() {
            let said = conditions(&entry.rule.conditions);
            assert!(!said.is_empty(), "{}", entry.rule.id);
            assert!(said.iter().all(|sentence| !sentence.ends_with(' ')), "{said:?}");
        }
    }
}
