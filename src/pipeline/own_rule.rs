//! Rules that a person says, with «always», `allow`, `ask` or `deny`: made, checked, shown, then written among the owner's. What each says is made
//! elsewhere.

use std::fmt::Write as _;
use std::path::Path;

use toml::Value;

use super::{Judgement, Request, Stop, World, load_request};
use crate::approval::visible;
use crate::audit;
use crate::config::Error;
use crate::config::approved::{Book, Draft, SAID};
use crate::rules::{RuleSet, glob};

/// Characters of a text that a comment shows.
const COMMENT: usize = 200;

/// Where a rule holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the directory in which the command was shown to run.
    There,
    /// Wherever it runs.
    Anywhere,
    /// In this directory and below.
    Below(String),
}

/// Where and for how long it does.
#[derive(Clone, Debug)]
pub struct Validity {
    /// Where.
    pub place: Place,
    /// Until when, in UTC as RFC 3339 writes it in whole seconds; none is for good.
    pub until: Option<String>,
}

impl Validity {
    /// Returns where and until when a rule holds that was shown in this directory; empty where it does everywhere and for good.
    pub(super) fn when(&self, directory: &str) -> String {
        let directories = match &self.place {
            Place::There => vec![glob::escape(directory)],
            Place::Anywhere => Vec::new(),
            Place::Below(root) => {
                let root = glob::escape(root.trim_end_matches('/'));
                vec![root.clone(), format!("{root}/**")]
            }
        };
        let mut fields = Vec::new();
        if !directories.is_empty() {
            fields.push(format!("directory = {}", list(directories)));
        }
        fields.extend(self.until.iter().map(|until| format!("until = {until}")));
        fields.join(", ")
    }
}

/// A rule that a person says: made and checked, not yet written.
pub struct OwnRule {
    draft: Draft,
    /// That of the person, with the rule in it.
    world: World,
}

impl OwnRule {
    /// Makes a rule about this program and these subcommands, whose text `write` makes for an id.
    pub(super) fn drafted(
        mut world: World,
        book: Book,
        signature: &[String],
        write: impl FnOnce(&str) -> String,
    ) -> Result<Self, Error> {
        let load = load_request(&world.places, &world.judge.facts);
        let mut draft = Draft::new(&load, book, &name(signature), write)?;
        let rules = std::mem::replace(&mut world.judge.rules, RuleSet::none());
        world.judge.rules = rules.with_layer(draft.take_layer());
        Ok(Self { draft, world })
    }

    /// Judges a line by it.
    pub(super) fn judge(&self, request: &Request<'_>) -> Result<Judgement, Stop> {
        self.world.judge(request)
    }

    /// Returns the text of the rule, with the comment above it: what a person sees before it is written.
    #[must_use]
    pub fn text(&self) -> &str {
        self.draft.text()
    }

    /// Returns the file that it will be in.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.draft.path()
    }

    /// Returns the rules as they will be with this one.
    #[must_use]
    pub const fn rules(&self) -> &RuleSet {
        &self.world.judge.rules
    }

    /// Writes the rule. If its file changed since it was shown, nothing is written.
    pub fn write(self) -> Result<(), Error> {
        self.draft.keep(&load_request(&self.world.places, &self.world.judge.facts))
    }
}

/// Returns the first line of the comment above a rule: who said what when and where.
pub(super) fn head(verb: &str, directory: &str) -> String {
    format!("# {}{SAID}{verb}, in {}.\n", today(), comment(directory))
}

/// Returns the day, as rules have it.
pub(super) fn today() -> String {
    audit::now().strftime("%Y-%m-%d").to_string()
}

/// Returns what the id of a rule begins with: letters, digits and dashes of the program and its subcommands.
fn name(signature: &[String]) -> String {
    let words = signature.join("-").to_ascii_lowercase();
    let letters = words.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' });
    letters.take(60).collect()
}

/// Writes a field of a rule.
pub(super) fn field(text: &mut String, name: &str, value: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{name:<9} = {value}");
}

pub(super) fn string(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

pub(super) fn list(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| string(text.as_ref())).collect();
    format!("[{}]", texts.join(", "))
}

/// Text for a comment: one line, of which nothing is hidden.
pub(super) fn comment(text: &str) -> String {
    let shown: String = text.chars().take(COMMENT).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    let line = visible(&shown).replace(['\n', '\r'], " ");
    format!("{line}{more}")
}
