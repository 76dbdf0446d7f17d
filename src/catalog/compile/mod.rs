//! Family files to the compiled catalog, or to the list of everything that is wrong with them.
//! Runs when the program is built, and in tests; reads no file.

mod blob;
mod lints;
mod lower;
mod read;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::catalog::compiled::Header;
use crate::catalog::schema::{Command, Family};
use blob::Writer;
use lower::Lowering;

/// Something wrong in a family file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub file: String,
    /// The program, its subcommands and the field, with spaces between.
    pub place: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.what)
    }
}

/// Collects faults of one file.
pub(super) struct Faults<'f> {
    file: &'f str,
    all: &'f mut Vec<Fault>,
}

impl Faults<'_> {
    fn add(&mut self, place: &str, what: impl Into<String>) {
        let (file, place) = (self.file.to_owned(), place.to_owned());
        self.all.push(Fault { file, place, what: what.into() });
    }

    /// Unwraps `result`, or notes what is wrong.
    fn check<T>(&mut self, place: &str, result: Result<T, String>) -> Option<T> {
        result.map_err(|what| self.add(place, what)).ok()
    }
}

/// Compiles family files, given as name and text, in order.
///
/// # Errors
/// Returns every fault that was found.
pub fn compile(files: &[(String, String)]) -> Result<Vec<u8>, Vec<Fault>> {
    let mut all = Vec::new();
    let mut families = Vec::new();
    for (file, text) in files {
        families.push(read::family(text, &mut Faults { file, all: &mut all }));
    }
    let mut writer = Writer::default();
    let mut names = Names::default();
    for ((file, _), family) in files.iter().zip(&families) {
        let faults = &mut Faults { file, all: &mut all };
        lints::mistakes(family, faults);
        program_records(family, &mut writer, &mut names, faults);
    }
    if !all.is_empty() {
        // A fault of a set is met again in each command that uses the set.
        let mut told = BTreeSet::new();
        all.retain(|fault| told.insert(fault.to_string()));
        return Err(all);
    }
    let header = Header {
        names: writer.table(names.exact.into_iter().map(|(name, (_, at))| (name, at))),
        globs: writer.table(longest_first(names.globs)),
    };
    Ok(writer.finish(header))
}

/// Names of programs: each with the file that defines it and the place of its record.
#[derive(Default)]
struct Names {
    exact: BTreeMap<String, (String, u32)>,
    globs: Vec<(String, u32)>,
}

fn program_records(
    family: &Family,
    writer: &mut Writer,
    names: &mut Names,
    faults: &mut Faults<'_>,
) {
    for (name, set) in &family.sets {
        Lowering::new(writer, &family.sets, faults).set(name, set);
    }
    for (name, program) in &family.programs {
        let at = Lowering::new(writer, &family.sets, faults).program(name, program);
        let mut own = BTreeSet::new();
        for alias in std::iter::once(name).chain(&program.aliases) {
            if faults.check(name, words::program_name(alias)).is_none() {
                continue;
            }
            if !own.insert(alias) {
                faults.add(name, format!("names itself {alias:?} twice"));
            } else if alias.contains('*') {
                names.globs.push((alias.clone(), at));
            } else if let Some((file, _)) =
                names.exact.insert(alias.clone(), (faults.file.to_owned(), at))
            {
                faults.add(name, format!("{alias:?} is already defined in {file}"));
            }
        }
    }
}

/// Returns the names of a command: of the key, split at `|`, and its aliases.
fn all_names<'c>(key: &'c str, command: &'c Command) -> impl Iterator<Item = &'c str> {
    key.split('|').chain(command.aliases.iter().map(String::as_str))
}

/// Sorts patterns so that the first match is the one that says most.
fn longest_first<T>(mut globs: Vec<(String, T)>) -> Vec<(String, T)> {
    globs.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    globs
}
