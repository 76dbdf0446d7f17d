//! The catalog that is built in: whole, and each option known by each of its spellings.

use std::collections::BTreeSet;

use super::super::compiled::{Blob, Choices, Record};
use super::super::schema::Style;
use super::super::{Catalog, EMBEDDED, interpret, programs};
use crate::model::Arg;

const BLOB: Blob<'static> = Blob(&EMBEDDED);

/// Calls `visit` with each command and the words that lead to it.
fn each_command(visit: &mut impl FnMut(&[String], &[Record<'static>])) {
    for program in programs() {
        let record = Catalog(BLOB).program(program.name).unwrap();
        descend(&mut vec![program.name.to_owned()], &mut vec![record], visit);
    }
}

fn descend(
    words: &mut Vec<String>,
    levels: &mut Vec<Record<'static>>,
    visit: &mut impl FnMut(&[String], &[Record<'static>]),
) {
    visit(words, levels);
    let record = levels.last().unwrap();
    let exact = (0..record.sub.len).map(|index| BLOB.entry(record.sub, index).unwrap());
    let subs: Vec<_> = exact.collect();
    for (name, at) in subs {
        words.push(name.to_owned());
        levels.push(BLOB.record(at).unwrap());
        descend(words, levels, visit);
        levels.pop();
        words.pop();
    }
}

fn spellings(choices: &Choices<'static>) -> Vec<(&'static str, u32)> {
    (0..choices.names.len).map(|index| BLOB.entry(choices.names, index).unwrap()).collect()
}

#[test]
fn every_command_decodes_and_is_found_by_its_names() {
    each_command(&mut |words, levels| {
        // The first word of some programs is a bundle of options, whatever it is called behind one.
        if levels[0].style == Style::Bundled && words.len() > 1 {
            return;
        }
        let argv: Vec<_> = words.iter().cloned().map(Arg::Known).collect();
        let found = interpret(&argv, &[]);
        assert_eq!(found.program, levels[0].name);
        assert_eq!(found.subcommand.len(), words.len() - 1, "{words:?}");
        let last = levels.last().unwrap();
        for (name, word) in found.subcommand.last().into_iter().zip(words.last()) {
            let is_alias = last.aliases.contains(&word.as_str());
            assert_eq!(name, if is_alias { last.name } else { word }, "{words:?}");
        }
        assert!(found.unknown.is_empty(), "{words:?}: {:?}", found.unknown);
    });
}

#[test]
fn every_spelling_is_taken_as_its_option() {
    // Commands with the same options have the same table.
    let mut tables = BTreeSet::new();
    each_command(&mut |words, levels| {
        let record = levels.last().unwrap();
        if !tables.insert((record.options.names.at, record.shared.names.at)) {
            return;
        }
        // An option of the command itself goes before one that it shares with its subcommands.
        let mut met = BTreeSet::new();
        for (spelling, at) in [&record.options, &record.shared].into_iter().flat_map(spellings) {
            if !met.insert(spelling) {
                continue;
            }
            let choice = BLOB.choice(at).unwrap();
            let is_letter =
                record.style == Style::Bundled && spelling.len() == 1 && spelling != "-";
            if is_letter {
                continue;
            }
            let mut argv: Vec<_> = words.iter().cloned().map(Arg::Known).collect();
            argv.push(Arg::Known(spelling.to_owned()));
            let found = interpret(&argv, &[]);
            let own = choice.spellings.split_whitespace().collect::<Vec<_>>();
            assert_eq!(found.options.len(), 1, "{words:?} {spelling}");
            assert_eq!(found.options[0].spellings, own, "{words:?} {spelling}");
        }
    });
}

#[test]
fn every_pattern_and_number_decodes() {
    each_command(&mut |words, levels| {
        let record = levels.last().unwrap();
        for choices in [&record.options, &record.shared] {
            let places = choices.globs.iter().map(|(_, at)| *at);
            for at in places.chain(choices.minus_number).chain(choices.plus_number) {
                assert!(BLOB.choice(at).is_some(), "{words:?}");
            }
        }
        assert!(record.sub_globs.iter().all(|(_, at)| BLOB.record(*at).is_some()), "{words:?}");
    });
}

#[test]
fn programs_are_listed_once_each() {
    let mut names: Vec<_> = programs().map(|program| program.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
