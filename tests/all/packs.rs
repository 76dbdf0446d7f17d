//! The built-in packs, by their own examples.

use guarded_sh::pipeline::examples;
use guarded_sh::rules::RuleSet;

#[test]
fn every_built_in_rule_agrees_with_its_examples() {
    let rules = RuleSet::builtin();
    let all = rules.all().unwrap();
    assert!(all.len() >= 100, "only {} rules", all.len());
    let wrong: Vec<String> = all
        .iter()
        .filter_map(|(entry, shown)| {
            let error = examples::check(&rules, entry, shown).err()?;
            Some(format!("{}: {error}", entry.rule.id))
        })
        .collect();
    assert!(wrong.is_empty(), "{} rules:\n{}", wrong.len(), wrong.join("\n"));
}
