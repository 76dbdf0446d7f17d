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

use std::sync::OnceLock;

use self::table::Table;
use super::{Found, Modules};
use crate::model::Language;

/// Returns the table of a language, which is read when the first program in it is met.
fn table(language: Language) -> Option<&'static Table> {
    static TABLES: [OnceLock<Option<Table>>; 6] = [const { OnceLock::new() }; 6];
    let (at, sheet) = match language {
        Language::Python => (0, include_str!("../../../rules/inner/python.toml")),
        Language::JavaScript => (1, include_str!("../../../rules/inner/javascript.toml")),
        Language::Ruby => (2, include_str!("../../../rules/inner/ruby.toml")),
        Language::Php => (3, include_str!("../../../rules/inner/php.toml")),
        Language::Perl => (4, include_str!("../../../rules/inner/perl.toml")),
        Language::Sql(_) => (5, include_str!("../../../rules/inner/sql.toml")),
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
        | Language::Other => return None,
    };
    TABLES[at].get_or_init(|| Table::read(sheet).ok()).as_ref()
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
    let mut found = walk::Reader::new(table, &code, &links, home, text).read(&code);
    found.unread |= language == Language::Perl && words::may_harm(text, table);
    Some(found)
}
