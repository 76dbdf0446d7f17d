//! Programs in general languages: what a tree of code touches, by a table for each language.
//!
//! Everything that can do harm has a name: what the language gives, a module's member, a method. Each is accounted for where
//! it is named, whether it is called there or handed on; so what is called without a name does no more than what was counted.
//! All code of a program counts, whether it is reached or not.

mod effects;
mod link;
mod scope;
mod table;
mod value;
mod walk;
mod words;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use self::table::Table;
use super::{Found, Modules};
use crate::model::Language;

macro_rules! sheet {
    ($language:literal) => {
        LazyLock::new(|| {
            let text = include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/rules/inner/",
                $language,
                ".toml"
            ));
            Table::read(text).ok()
        })
    };
}

static JAVASCRIPT: LazyLock<Option<Table>> = sheet!("javascript");
static PERL: LazyLock<Option<Table>> = sheet!("perl");
static PHP: LazyLock<Option<Table>> = sheet!("php");
static PYTHON: LazyLock<Option<Table>> = sheet!("python");
static RUBY: LazyLock<Option<Table>> = sheet!("ruby");
static SQL: LazyLock<Option<Table>> = sheet!("sql");

fn table(language: Language) -> Option<&'static Table> {
    match language {
        Language::Python => PYTHON.as_ref(),
        Language::JavaScript => JAVASCRIPT.as_ref(),
        Language::Ruby => RUBY.as_ref(),
        Language::Php => PHP.as_ref(),
        Language::Perl => PERL.as_ref(),
        Language::Sql(_) => SQL.as_ref(),
        Language::Shell
        | Language::Awk
        | Language::Sed
        | Language::Fzf
        | Language::Jq
        | Language::Make
        | Language::Patch
        | Language::Template
        | Language::C
        | Language::Names
        | Language::Other => None,
    }
}

/// Reads a program; none if it is not understood at all.
pub(super) fn read(
    text: &str,
    language: Language,
    home: Option<&str>,
    modules: &mut dyn Modules,
) -> Option<Found> {
    let table = table(language)?;
    let (code, links) = link::link(text, language, table, modules)?;
    let mut found = walk::Reader::new(table, &code, &links, home).read(&code);
    found.unread |= language == Language::Perl && words::may_harm(text, table);
    Some(found)
}
