//! The built-in packs, by their own examples.

use guarded_sh::pipeline::examples;
use guarded_sh::rules::{self, Author, Authority, Layer, Origin, RuleSet};

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

#[test]
fn bounds_hold_for_what_they_say() {
    let pack = rules::read(include_str!("../rules/bounds.toml"), Author::Owner).unwrap();
    let bytes = rules::compile(&[(pack, Some("bounds.toml".to_owned()))]).unwrap();
    let layer = Layer::new("bounds", Box::new(bytes), Authority::Owner);
    let set = RuleSet::builtin().with_layer(layer);
    let (mut count, mut wrong) = (0, Vec::new());
    for (entry, shown) in set.all().unwrap() {
        if entry.pack.origin == Origin::BuiltIn {
            continue;
        }
        // Each line by itself, so that each failure is told.
        let matches = shown.matches.iter().map(|line| (vec![line.clone()], vec![]));
        let passes = shown.passes.iter().map(|line| (vec![], vec![line.clone()]));
        for (matches, passes) in matches.chain(passes) {
            count += 1;
            let one = rules::Examples { matches, passes };
            if let Err(error) = examples::check(&set, &entry, &one) {
                wrong.push(format!("{}: {error}", entry.rule.id));
            }
        }
    }
    assert!(count > 70, "only {count} lines");
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
}
