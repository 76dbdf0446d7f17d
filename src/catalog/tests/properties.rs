//! Whatever the argv: no panic, and no word without an answer.

use proptest::prelude::*;

use super::super::compiled::Blob;
use super::super::{Carried, Catalog, Interpretation};
use super::families;
use crate::model::Arg;

/// Pieces of words that the families know, and some that they do not.
fn text() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "-",
        "--",
        "-b",
        "-o",
        "-xzf",
        "--output",
        "--output=f",
        "--col",
        "--help",
        "-exec",
        ";",
        "+",
        "{}",
        "(",
        "!",
        "a=b",
        "of=",
        "push",
        "remote",
        "add",
        "status",
        "-C",
        "-c",
        "-s",
        "-m",
        "-t",
        "-20",
        "+7",
        "-I",
        "-Ix",
        "-std=c",
        "-dry-run=false",
        "--arg",
        "--file",
        "-e",
        "-i.bak",
        "x",
        "src/a",
        "xf",
        "",
    ]);
    prop_oneof![4 => known.prop_map(str::to_owned), 1 => "[-+=*a-z; ä]{0,6}"]
}

fn arg() -> impl Strategy<Value = Arg> {
    prop_oneof![
        8 => text().prop_map(Arg::Known),
        1 => text().prop_map(Arg::Prefix),
        1 => (text(), "[*?\\[]", text()).prop_map(|(a, b, c)| Arg::Glob(a + &b + &c)),
        1 => Just(Arg::Unknown),
        1 => Just(Arg::Many),
    ]
}

/// Returns the words of argv for which the interpretation has no answer.
fn unaccounted(found: &Interpretation, argv: &[Arg]) -> Vec<usize> {
    let mut left: Vec<_> = (1..argv.len()).collect();
    let mut take = |start: usize, end: usize| left.retain(|index| *index < start || *index >= end);
    found.options.iter().for_each(|option| take(option.index, option.end));
    found.operands.iter().for_each(|(index, _)| take(*index, index + 1));
    found.unknown.iter().filter_map(|part| part.index).for_each(|index| take(index, index + 1));
    for carried in &found.carried {
        match carried {
            Carried::Argv { start, end, .. } => take(*start, *end),
            Carried::Shell { words, index, .. } => take(*index, index + words.len()),
            Carried::Program { index, .. }
            | Carried::Code { index, .. }
            | Carried::Script { index, .. }
            | Carried::Environment { index, .. } => take(*index, index + 1),
            Carried::Task { name: Some((_, index)), .. } => take(*index, index + 1),
            Carried::Input { .. } | Carried::Task { name: None, .. } => {}
        }
    }
    left
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_word_has_an_answer(args in prop::collection::vec(arg(), 0..8)) {
        let blob = families();
        let catalog = Catalog(Blob(&blob));
        for program in catalog.programs() {
            let mut argv = vec![Arg::Known(program.name.to_owned())];
            argv.extend(args.iter().cloned());
            let found = catalog.interpret(&argv, &[]);
            let left = unaccounted(&found, &argv);
            // What is left is the first `--`, and the subcommands.
            let ends = left.iter().filter(|index| argv[**index].known() == Some("--")).count();
            prop_assert!(ends <= 1, "{argv:?}\n{found:?}");
            prop_assert_eq!(left.len() - ends, found.subcommand.len(), "{:?}\n{:?}", argv, found);
        }
    }

    #[test]
    fn damaged_bytes_are_an_unknown_program_or_less(at in 0_usize..4000, byte: u8, args in prop::collection::vec(arg(), 0..4)) {
        let mut blob = families();
        let at = at % blob.len();
        blob[at] = byte;
        let mut argv = vec![Arg::Known("git".to_owned())];
        argv.extend(args);
        let _ = Catalog(Blob(&blob)).interpret(&argv, &[]);
    }
}
