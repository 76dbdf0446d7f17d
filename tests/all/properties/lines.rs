//! The lines that properties are tried on, from `tests/properties`.

use std::sync::LazyLock;

use serde::Deserialize;

/// The lines, by what may be done with them.
pub static LINES: LazyLock<Lines> =
    LazyLock::new(|| toml::from_str(include_str!("../../properties/lines.toml")).unwrap());

/// Lines that once broke a property.
pub static FOUND: LazyLock<Found> =
    LazyLock::new(|| toml::from_str(include_str!("../../properties/found.toml")).unwrap());

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    pub plain: Vec<String>,
    text: Vec<String>,
    state: Vec<String>,
    input: Vec<String>,
}

impl Lines {
    /// Every line.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.plain.iter().chain(&self.text).chain(&self.state).chain(&self.input)
    }

    /// Lines that change nothing for what stands behind them, and run nothing that stands before them.
    pub fn stateless(&self) -> impl Iterator<Item = &String> {
        self.plain.iter().chain(&self.text)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    pub row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The line.
    pub line: String,
    /// The line must be at least as severe as this one; none: it must not be harmless.
    pub inner: Option<String>,
    /// What was wrong with it.
    #[serde(rename = "why")]
    _why: String,
}
