//! The languages in which a program may be given code to run.

use serde::{Deserialize, Serialize};

/// A language in which one program carries code for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are the languages' own")]
pub enum Language {
    Shell,
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Awk,
    Sed,
    Jq,
    Sql(Dialect),
    /// What keys and events do in `fzf`.
    Fzf,
    Make,
    /// What `apply_patch` does to which files.
    Patch,
    /// Text in which `$NAME` and `${NAME}` stand for variables of the environment.
    Template,
    /// C and its kin, of which only that is read what they include.
    C,
    /// Names of files that are read, one a line.
    Names,
    /// Any other: editors' commands, build files, debuggers.
    Other,
}

/// Whose SQL it is: where texts and comments end, and what is a statement, differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are the databases' own")]
pub enum Dialect {
    /// Not known.
    Any,
    PostgreSql,
    MySql,
    Sqlite,
    DuckDb,
    ClickHouse,
    BigQuery,
    MsSql,
}
