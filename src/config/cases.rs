//! The tests of a policy: `tests.toml` in its directory, read and checked. Each row is a line, the world that it is judged in, and what is expected.
//! Judges nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::error::{FileKind, Invalid};
use super::{Error, file, schema};
use crate::model::{Action, Mode, Profile, Severity, Shell};
use crate::rules::glob;
use crate::rules::source::{Lines, Problem};

/// The file of tests, in the directory of a policy.
pub const TESTS: &str = "tests.toml";

/// Keys and names that may stand in it.
const NAMES: &str = "test name line cwd shell profile branch files caller expect mode severity rule not_rule reason bash sh dash zsh \
    balanced unattended strict shadow enforce allow contain ask deny low medium high critical";

/// A row: a line in a world that is made for it, and what is expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The line of the file in which it begins.
    pub at: usize,
    /// What it shows.
    pub name: Option<String>,
    /// The line.
    pub line: String,
    /// Where it runs: below the workspace, or below the home where it begins with `~`.
    pub cwd: Option<String>,
    /// The shell that runs it.
    pub shell: Option<Shell>,
    /// The profile of the session.
    pub profile: Option<Profile>,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// Files that are there, below the workspace or the home, with their content.
    pub files: Vec<(String, String)>,
    /// The agent that calls; empty for none.
    pub caller: Option<String>,
    /// What is expected.
    pub expected: Expected,
}

impl Case {
    /// Returns what a row is called: its name, or else its line.
    #[must_use]
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.line)
    }
}

/// What is expected of a judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// What is to be done with the line.
    pub action: Action,
    /// The mode that is in force there.
    pub mode: Option<Mode>,
    /// How severe it is.
    pub severity: Option<Severity>,
    /// A glob on the ids of rules, of which one fires.
    pub rule: Option<String>,
    /// A glob on the ids of rules, of which none fires.
    pub not_rule: Option<String>,
    /// What the reason has in it.
    pub reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    test: Vec<Spanned<WrittenCase>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCase {
    name: Option<String>,
    line: Spanned<String>,
    cwd: Option<Spanned<String>>,
    shell: Option<Shell>,
    profile: Option<Profile>,
    branch: Option<Spanned<String>>,
    files: Option<Spanned<WrittenFiles>>,
    caller: Option<String>,
    expect: Action,
    mode: Option<Mode>,
    severity: Option<Severity>,
    rule: Option<Spanned<String>>,
    not_rule: Option<Spanned<String>>,
    reason: Option<String>,
}

/// `files`: a list of paths, or a table of paths with their content.
#[derive(Default)]
struct WrittenFiles(Vec<(String, String)>);

impl<'de> Deserialize<'de> for WrittenFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = WrittenFiles;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of paths, or a table of paths with their content")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<WrittenFiles, A::Error> {
                let paths = Vec::<String>::deserialize(SeqAccessDeserializer::new(list))?;
                Ok(WrittenFiles(paths.into_iter().map(|path| (path, String::new())).collect()))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WrittenFiles, A::Error> {
                let files = BTreeMap::deserialize(MapAccessDeserializer::new(map))?;
                Ok(WrittenFiles(files.into_iter().collect()))
            }
        }

        deserializer.deserialize_any(Either)
    }
}

/// Reads the tests of a policy. No tests are an error: where none are found, nothing is proved.
pub fn cases(path: &Path) -> Result<Vec<Case>, Error> {
    let none = || Error::NoTests { path: path.to_owned() };
    let text = file::read(path, file::LARGEST_SETTINGS)?.ok_or_else(none)?.content;
    let cases = read(&text).map_err(|problems| {
        let (path, text) = (path.to_owned(), text.clone());
        Error::Invalid(Invalid { path, text, problems, what: FileKind::Tests })
    })?;
    if cases.is_empty() { Err(none()) } else { Ok(cases) }
}

fn read(text: &str) -> Result<Vec<Case>, Vec<Problem>> {
    let (written, mut problems) = schema::read_as::<Written>(text, NAMES);
    let Some(written) = written else { return Err(problems) };
    for row in &written.test {
        check(row.get_ref(), &mut problems);
    }
    problems.sort_by_key(|problem| problem.span.start);
    if !problems.is_empty() {
        return Err(problems);
    }
    let lines = Lines::of(text);
    Ok(written.test.into_iter().map(|row| case(lines.line(row.span().start), row)).collect())
}

fn case(at: usize, row: Spanned<WrittenCase>) -> Case {
    let row = row.into_inner();
    let text = |text: Option<Spanned<String>>| text.map(Spanned::into_inner);
    Case {
        at,
        name: row.name,
        line: row.line.into_inner(),
        cwd: text(row.cwd),
        shell: row.shell,
        profile: row.profile,
        branch: text(row.branch),
        files: row.files.map(Spanned::into_inner).unwrap_or_default().0,
        caller: row.caller,
        expected: Expected {
            action: row.expect,
            mode: row.mode,
            severity: row.severity,
            rule: text(row.rule),
            not_rule: text(row.not_rule),
            reason: row.reason,
        },
    }
}

fn check(row: &WrittenCase, problems: &mut Vec<Problem>) {
    let mut wrong = |place: std::ops::Range<usize>, message: String| {
        problems.push(Problem::new(place, message));
    };
    let line = row.line.get_ref();
    if line.trim().is_empty() || line.contains('\0') {
        wrong(row.line.span(), "a line has a command, and no NUL byte".to_owned());
    }
    if let Some(cwd) = row.cwd.as_ref().filter(|cwd| !is_below(cwd.get_ref())) {
        wrong(cwd.span(), not_below(cwd.get_ref()));
    }
    if let Some(branch) = row.branch.as_ref().filter(|branch| !is_branch(branch.get_ref())) {
        wrong(branch.span(), format!("'{}' is no name of a branch", branch.get_ref()));
    }
    if let Some(files) = &row.files {
        for (path, _) in files.get_ref().0.iter().filter(|(path, _)| !is_below(path)) {
            wrong(files.span(), not_below(path));
        }
    }
    for pattern in row.rule.iter().chain(&row.not_rule) {
        if let Err(error) = glob::check(pattern.get_ref()) {
            wrong(pattern.span(), format!("bad glob '{}': {error}", pattern.get_ref()));
        }
    }
}

fn not_below(path: &str) -> String {
    format!("'{path}' must be below the workspace, or begin with `~/`, and have no `..`")
}

/// Returns whether a path stays in the workspace, or in the home.
fn is_below(path: &str) -> bool {
    let rest = path.strip_prefix("~/").unwrap_or(path);
    let names = rest.split('/').all(|name| name != "..");
    path == "~"
        || names && !rest.is_empty() && !rest.starts_with(['/', '~']) && !path.contains('\0')
}

/// Returns whether a text can be the name of a branch (git-check-ref-format(1), as far as it can do harm here).
fn is_branch(name: &str) -> bool {
    let is_plain = |c: char| !c.is_control() && !" ~^:?*[\\".contains(c);
    !name.is_empty()
        && name.chars().all(is_plain)
        && !name.contains("..")
        && !name.starts_with(['/', '-'])
        && !name.ends_with(['/', '.'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::source::position;

    #[test]
    fn a_row_is_a_line_and_what_is_expected() {
        let text = "# of ours\n[[test]]\nline = 'ls'\nexpect = \"allow\"\n\n[[test]]\nname = 'n'\nline = 'git push'\nbranch = 'release/1'\n\
                    cwd = '~/x'\nfiles = { 'a/b' = 'c', '~/.npmrc' = '' }\nexpect = 'deny'\nrule = 'team.*'\n";
        let rows = read(text).unwrap();
        assert_eq!(
            (rows[0].at, rows[0].title(), rows[0].expected.action),
            (2, "ls", Action::Allow)
        );
        assert_eq!((rows[1].at, rows[1].title()), (6, "n"));
        let files: Vec<&str> = rows[1].files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(files, ["a/b", "~/.npmrc"]);
        let listed = "[[test]]\nline = 'ls'\nexpect = 'ask'\nfiles = ['Makefile', 'src/']\n";
        assert_eq!(read(listed).unwrap()[0].files.len(), 2);
    }

    #[test]
    fn every_mistake_is_told_with_its_place() {
        let text = "[[test]]\nlin = 'ls'\nexpect = 'allow'\n[[test]]\nline = 'ls'\n[[test]]\nline = ' '\nexpect = 'maybe'\n[[test]]\n\
                    line = ' '\nexpect = 'ask'\ncwd = '/etc'\nfiles = ['../x', '~root/y']\nbranch = 'a..b'\nrule = '['\n[tset]\n";
        let problems = read(text).unwrap_err();
        let told: Vec<(usize, &str)> = problems
            .iter()
            .map(|problem| (position(text, problem.span.start).0, problem.message.as_str()))
            .collect();
        let begins = [
            (2, "there is no key `lin` here"),
            (4, "missing field `expect`"),
            (8, "`maybe` is none of"),
            (10, "a line has a command, and no NUL byte"),
            (12, "'/etc' must be below the workspace"),
            (13, "'../x' must be below the workspace"),
            (13, "'~root/y' must be below the workspace"),
            (14, "'a..b' is no name of a branch"),
            (15, "bad glob '['"),
            (16, "there is no key `tset` here"),
        ];
        assert_eq!(told.len(), begins.len(), "{told:#?}");
        for ((line, message), (at, begin)) in told.iter().zip(begins) {
            assert!(*line == at && message.starts_with(begin), "{line} {message}");
        }
    }
}
