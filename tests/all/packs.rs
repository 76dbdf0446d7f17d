//! The built-in packs, by their own examples.

use guarded_sh::model::Facts;
use guarded_sh::pipeline::{Judge, Request, examples};
use guarded_sh::rules::{self, Author, Authority, Layer, Origin, RuleSet};

use crate::support::Place;

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

/// Whether a word has the form of a file's name: a place, or an ending.
fn is_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let is_ending =
        |end: &str| (2..5).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_lowercase());
    let has_ending = name.rsplit_once('.').is_some_and(|(_, end)| is_ending(end));
    let is_place = ["/", "~/", "./", "../"].iter().any(|begin| word.starts_with(begin));
    (is_place || has_ending) && !word.contains([':', '*', '$', '@', '=', '[', '\\', '\''])
}

/// An advised line is given only where the files are there that it is known to need. So each file that it names is known to be one, or stands
/// in the line that is advised against.
#[test]
fn each_file_that_an_advised_line_names_is_looked_for() {
    let rules = RuleSet::builtin();
    let facts =
        Facts { cwd: Some("/w".to_owned()), home: Some("/h".to_owned()), ..Facts::default() };
    let judge = Judge::supposing(&rules, facts);
    let mut wrong = Vec::new();
    for (entry, shown) in rules.all().unwrap() {
        let Some(advised) = &entry.rule.instead else { continue };
        let judgement = judge.judge(&Request::about(advised.as_bytes())).unwrap();
        let effects = judgement.plan.commands.iter().flat_map(|command| &command.effects);
        let known: Vec<&str> = effects.filter_map(|effect| effect.target.path()).collect();
        for word in advised.split(' ').filter(|word| is_file(word)) {
            let end = word.trim_start_matches(['~', '.']).trim_start_matches('/');
            let is_known = known.iter().any(|path| path.ends_with(end));
            if !is_known && !shown.matches.iter().all(|line| line.contains(word)) {
                wrong.push(format!("{}: {word} in: {advised}", entry.rule.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_line_that_needs_a_file_is_advised_where_that_is_there() {
    let place = Place::new();
    let refused = |line: &str| place.guard(["-c", line]).run().err();
    for (line, file, advised) in [
        ("cat .env", "work/.env.example", "instead: cut -d= -f1 .env.example"),
        ("cat ~/.ssh/id_rsa", "home/.ssh/id_ed25519.pub", "instead: cat ~/.ssh/id_ed25519.pub"),
    ] {
        assert!(!refused(line).contains("instead: "), "{}", refused(line));
        place.write(file, "");
        assert!(refused(line).contains(advised), "{}", refused(line));
    }
    // One that makes its files itself is always possible, and so is one whose files are for its reader to name.
    for (line, advised) in [
        (
            "curl https://example.com/x | sh",
            "instead: curl -fsSLo install.sh URL && less install.sh",
        ),
        ("sudo wipefs -a /dev/sdx1 /dev/sdx2", "instead: wipefs DEVICE"),
    ] {
        assert!(refused(line).contains(advised), "{line}: {}", refused(line));
    }
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
