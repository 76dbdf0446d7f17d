//! The examples that rules bring, judged: does each rule fire where it says, and nowhere else.

use std::collections::HashMap;

use super::{Judge, Request};
use crate::config::ExampleError;
use crate::model::{Caller, Facts, GitFacts, Permission, StandardInput};
use crate::rules::{Entry, Examples, RuleSet};

/// Checks the examples of one rule, in the world that `rules/packs/README.md` describes.
pub fn check(rules: &RuleSet, entry: &Entry, examples: &Examples) -> Result<(), ExampleError> {
    if let Some(query) = &entry.rule.conditions.query {
        crate::syntax::StructuralQuery::new(query)
            .and_then(|query| query.check())
            .map_err(|error| ExampleError::Query { message: error.to_string() })?;
    }
    for line in &examples.matches {
        if let Some(why) = passes(rules, entry, line) {
            return Err(ExampleError::Missed { line: line.clone(), why });
        }
    }
    for line in &examples.passes {
        if passes(rules, entry, line).is_none() {
            return Err(ExampleError::Fired { line: line.clone() });
        }
    }
    Ok(())
}

/// Returns each example by itself, as examples.
pub fn each(examples: &Examples) -> impl Iterator<Item = Examples> + '_ {
    let of = |line: &String| vec![line.clone()];
    let matches = examples.matches.iter();
    let matches = matches.map(move |line| Examples { matches: of(line), ..Examples::default() });
    let passes = examples.passes.iter();
    matches.chain(passes.map(move |line| Examples { passes: of(line), ..Examples::default() }))
}

/// Returns why a rule does not fire on a line; none where it does.
fn passes(rules: &RuleSet, entry: &Entry, line: &str) -> Option<String> {
    let judge = Judge::supposing(rules, facts());
    match judge.judge(&Request::about(line.as_bytes())) {
        Ok(judgement) => judgement.why_not(&entry.rule, &judge.facts),
        Err(damaged) => Some(damaged.to_string()),
    }
}

/// The world of examples: a workspace on a feature branch, called by an agent.
#[must_use]
pub fn facts() -> Facts {
    let home = "/home/dev".to_owned();
    Facts {
        cwd: Some("/home/dev/project".to_owned()),
        home: Some(home.clone()),
        workspaces: vec!["/home/dev/project".to_owned()],
        temporary: vec!["/tmp".to_owned(), "/var/tmp".to_owned()],
        environment: HashMap::from([
            ("HOME".to_owned(), home),
            ("USER".to_owned(), "dev".to_owned()),
        ])
        .into(),
        git: Some(GitFacts {
            branch: Some("feature".to_owned()),
            remotes: vec!["origin".to_owned()],
        }),
        protected_branches: ["main", "master", "release/*"].map(str::to_owned).to_vec(),
        caller: Caller::Agent("claude".to_owned()),
        permits: Permission::ALL.to_vec(),
        input: StandardInput::Nothing,
        ..Facts::default()
    }
}
