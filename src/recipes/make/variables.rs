//! Variables of a makefile, what make is given, and what it knows by itself.

use std::collections::HashMap;

use crate::recipes::marks::UNKNOWN;

/// Returns a value of which nothing is known.
pub fn unknown() -> String {
    UNKNOWN.to_string()
}

/// What make is given beside its files.
#[derive(Debug, Default)]
pub struct Given {
    /// `NAME=VALUE` on the command line: these count for more than what the files say.
    pub line: Vec<(String, Option<String>)>,
    /// The environment, with marks for what is not known.
    pub environment: HashMap<String, String>,
    pub counts: Counts,
}

/// Whether the environment counts for more than what the files say (GNU make manual, 9.8, `-e`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counts {
    BeforeFiles,
    #[default]
    BehindFiles,
}

/// A variable that a makefile sets.
#[derive(Clone, Debug)]
pub struct Variable {
    pub value: String,
    /// Its value is already expanded.
    pub simple: bool,
}

/// What make knows without being told (GNU make manual, 10.3), as far as recipes use it.
pub fn implicit(name: &str) -> Option<&'static str> {
    Some(match name {
        "AR" => "ar",
        "AS" => "as",
        "CC" => "cc",
        "CXX" => "g++",
        "CPP" => "cc -E",
        "FC" => "f77",
        "LEX" => "lex",
        "YACC" => "yacc",
        "RM" => "rm -f",
        "SHELL" => "/bin/sh",
        "ARFLAGS" => "rv",
        "MAKEFILES" | "MAKEFLAGS" | "MFLAGS" => "",
        _ => return None,
    })
}

/// Takes a value apart at blanks.
pub fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split_ascii_whitespace()
}

/// Returns what `%` stands for where a word fits a pattern (GNU make manual, 10.5).
pub fn stem<'w>(pattern: &str, word: &'w str) -> Option<&'w str> {
    let (before, after) = pattern.split_once('%')?;
    let rest = word.strip_prefix(before)?;
    rest.strip_suffix(after)
}

/// Writes one word of `patsubst`.
pub fn substitute(pattern: &str, to: &str, word: &str) -> String {
    if !pattern.contains('%') {
        return if pattern == word { to.to_owned() } else { word.to_owned() };
    }
    match stem(pattern, word) {
        Some(stem) => to.replacen('%', stem, 1),
        None => word.to_owned(),
    }
}
