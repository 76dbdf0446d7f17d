//! Files of rules, each checked by itself: every mistake in every file, where loading stops at the first file.
//! Keeps nothing, and asks for no settings, so that it works while those are broken.

use std::path::{Path, PathBuf};

use super::rules::{ExampleCheck, Read, built_in_ids, check, check_examples, invalid};
use super::{Error, file};
use crate::rules::{self, Authority, Layer, Pack, RuleSet};

/// Checks files of rules as they are when they are loaded. Returns the packs that can be read, each with its file, and what
/// is wrong with the others, and with the examples of these.
pub fn lint(files: &[PathBuf], examples: &ExampleCheck<'_>) -> (Vec<(Pack, PathBuf)>, Vec<Error>) {
    let mut taken = built_in_ids();
    let (mut reads, mut packs, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for path in files {
        let read = match read(path) {
            Ok(read) => read,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        match check(&read, &mut taken) {
            Ok(pack) => {
                packs.push(pack);
                reads.push(read);
            }
            Err(problems) => errors.push(invalid(&read, problems)),
        }
    }
    errors.extend(judge(&reads, &packs, examples));
    let paths = reads.into_iter().map(|read| read.path);
    (packs.into_iter().zip(paths).collect(), errors)
}

fn read(path: &Path) -> Result<Read, Error> {
    let text = file::read(path, file::LARGEST_RULES)?.ok_or_else(|| Error::Read {
        path: path.to_owned(),
        source: std::io::ErrorKind::NotFound.into(),
    })?;
    Ok(Read { path: path.to_owned(), text: text.content })
}

fn judge(reads: &[Read], packs: &[Pack], examples: &ExampleCheck<'_>) -> Vec<Error> {
    let named =
        |(pack, read): (&Pack, &Read)| (pack.clone(), Some(read.path.display().to_string()));
    let listed: Vec<_> = packs.iter().zip(reads).map(named).collect();
    let Some(last) = reads.last() else { return Vec::new() };
    let Ok(bytes) = rules::compile(&listed) else {
        return vec![Error::TooManyRules { path: last.path.clone() }];
    };
    let layer = Layer::new("these files", Box::new(bytes), Authority::Owner);
    check_examples(reads, packs, &RuleSet::builtin().with_layer(layer), examples)
}
