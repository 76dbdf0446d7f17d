//! The catalog's data format: what a program's subcommands, options and operands mean.
//! Shared by the build script, which compiles `rules/programs/*.toml`, and by the reader of the compiled form.
//! See `rules/programs/README.md` for how to write a family.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Options: spellings separated by spaces, to what they take and mean.
pub type Options = BTreeMap<String, OptionSpec>;

/// Patterns of a name, to what is done to names made of it.
pub type Beside = BTreeMap<String, Vec<String>>;

/// A family file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Family {
    /// Option sets by name: the reserved table `_sets`.
    pub sets: BTreeMap<String, Options>,
    /// Programs by name: every other table.
    pub programs: BTreeMap<String, Command>,
}

/// A program or a subcommand: what it always does, its options, its operands, its subcommands.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a field of the data")]
pub struct Command {
    /// Other names of the same program or subcommand.
    pub aliases: Vec<String>,
    /// What it is, for people.
    pub summary: String,
    /// Why what looks like a mistake is none, for people.
    pub because: String,
    /// How options are spelled; as the parent if absent.
    pub style: Option<Style>,
    /// Whether long options may not be cut to an unambiguous prefix, as GNU `getopt_long` allows; as the parent if absent.
    pub exact: Option<bool>,
    /// Whether it, and each of its subcommands, shows its help for `--help` alone and does nothing else; as the parent if absent.
    pub help: Option<bool>,
    /// Whether options end at the first operand, as for wrappers.
    pub stops: bool,
    /// Of a subcommand whose name is anything: the role of that word (`sqlite3 FILE SQL`).
    pub named: Option<String>,
    /// Whether what it starts, and what its subcommands start, gets its standard input as it is, or nothing.
    pub passes_input: bool,
    /// Whether what it starts gets its whole environment; others may take some of it away, or all.
    pub passes_environment: bool,
    /// Variables that it sets for what it starts.
    pub sets: Vec<String>,
    /// Whether it takes data from standard input where no file to read is named, and so do its subcommands.
    pub reads_input: bool,
    /// Whether it works in the git repository around its directory, whose hooks and settings run programs.
    pub in_repository: bool,
    /// What it is like, and its subcommands too: names of [`crate::model::ProgramTrait`].
    pub traits: Vec<String>,
    /// What makes it end though what it reads does not: options, keywords (`count=`), a glob of an operand (`=*exit*`), or `*`, where it always does.
    pub bounds: Vec<String>,
    /// What makes it print without end: globs of an operand (`=inf`), or of an option's value (`-c=*while True*`); `!` takes that back.
    pub endless: Vec<String>,
    /// Files below the directory of its repository that it opens in an editor.
    pub edits: Vec<String>,
    /// What it always does, with no target that is an operand: effect kinds.
    pub effects: Vec<String>,
    /// The role of each operand in order; at most one ends in `...` and takes what the others leave.
    pub operands: Vec<String>,
    /// What is done to names that are made of an operand's name: patterns of that name to `KIND NAME` (`gzip`, `sed -i.bak`).
    pub beside: Beside,
    /// What it does when there is no operand (nor option that stands for one): roles without target (`stdin:shell`) or effect kinds.
    pub bare: Vec<String>,
    /// What it does to the working directory and all below it where no operand says what it is done to: effect kinds.
    pub here: Vec<String>,
    /// Options: spellings separated by spaces, to what they take and mean.
    pub options: Options,
    /// Operands of the form `KEY=VALUE` (`dd of=FILE`): KEY to the role of VALUE. Others are not known.
    pub keywords: BTreeMap<String, String>,
    /// Options among the words that it passes on to what it runs: spellings (which may hold `*`) to the role of the value.
    pub handed: BTreeMap<String, String>,
    /// Subcommands: names separated by `|`, each may hold `*`.
    pub sub: BTreeMap<String, Command>,
    /// Options of this command that its subcommands take too, at any place.
    pub shared: Options,
    /// Names of option sets in this family (`[_sets.NAME]`) that are added to `options`.
    pub uses: Vec<String>,
}

/// How a program spells its options.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// `-a -bVALUE --long=VALUE`, short ones grouped, long ones abbreviated.
    #[default]
    Gnu,
    /// Long options with one dash, values apart or behind `=`, nothing grouped: `find`, `java`, `terraform`, Go's flag package (which also takes two dashes).
    SingleDash,
    /// As [`Style::Gnu`], and the first operand may be a group of short options without its dash: `tar xzf`, `ps aux`, `ar rc`.
    Bundled,
    /// Takes no options: every word is an operand (`echo`, `true`, `test`).
    None,
}

/// What an option takes and means: a role string, or this table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OptionSpec {
    /// `flag` (nothing), a role (takes a value), several roles with spaces between (takes as many values), or
    /// `optional:ROLE` (a value only when attached).
    pub takes: String,
    /// If not empty: globs that the value must match to have that role; another value has the role `otherwise`.
    pub values: Vec<String>,
    /// The role of a value that matches none of `values`; empty means `unknown`.
    pub otherwise: String,
    /// What the option adds to what the command does: effect kinds.
    pub effects: Vec<String>,
    /// As [`Command::here`], with this option (`grep -r`).
    pub here: Vec<String>,
    /// What the command is like with it, see [`Command::traits`].
    pub traits: Vec<String>,
    /// What of that it is not like with it, whatever else is given.
    pub without: Vec<String>,
    /// Replaces the command's own `effects` (`--dry-run` gives `["list"]`…).
    pub instead: Option<Vec<String>>,
    /// Replaces the command's `operands` (`rm -r`, `bash -c`).
    pub operands: Option<Vec<String>>,
    /// Replaces the command's `beside`; empty: nothing stands beside (`gzip -c`).
    pub beside: Option<Beside>,
    /// Programs that it makes the command start, with their words: patterns of its value to them (`tar -z`).
    pub starts: BTreeMap<String, Vec<String>>,
    /// The operand that this option stands for, so that none of that role follows (`grep -e PATTERN`).
    pub fills: String,
    /// Whether options end behind it: all that follows are operands (`python -c CODE`, `node -e CODE`).
    pub stops: bool,
    /// Why what looks like a mistake is none, for people.
    pub because: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WireTable {
    takes: String,
    values: Vec<String>,
    otherwise: String,
    effects: Vec<String>,
    here: Vec<String>,
    traits: Vec<String>,
    without: Vec<String>,
    instead: Option<Vec<String>>,
    operands: Option<Vec<String>>,
    beside: Option<Beside>,
    starts: BTreeMap<String, Vec<String>>,
    fills: String,
    stops: bool,
    because: String,
}

impl Default for WireTable {
    fn default() -> Self {
        Self {
            takes: "flag".to_owned(),
            values: Vec::new(),
            otherwise: String::new(),
            effects: Vec::new(),
            here: Vec::new(),
            traits: Vec::new(),
            without: Vec::new(),
            instead: None,
            operands: None,
            beside: None,
            starts: BTreeMap::new(),
            fills: String::new(),
            stops: false,
            because: String::new(),
        }
    }
}

impl<'de> Deserialize<'de> for OptionSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SpecVisitor)
    }
}

/// Not serde's `untagged`, whose error names neither the field nor what was expected.
struct SpecVisitor;

impl<'de> Visitor<'de> for SpecVisitor {
    type Value = OptionSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a role or a table")
    }

    fn visit_str<E: serde::de::Error>(self, takes: &str) -> Result<OptionSpec, E> {
        Ok(OptionSpec { takes: takes.to_owned(), ..OptionSpec::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OptionSpec, A::Error> {
        let wire = WireTable::deserialize(MapAccessDeserializer::new(map))?;
        Ok(OptionSpec {
            takes: wire.takes,
            values: wire.values,
            otherwise: wire.otherwise,
            effects: wire.effects,
            here: wire.here,
            traits: wire.traits,
            without: wire.without,
            instead: wire.instead,
            operands: wire.operands,
            beside: wire.beside,
            starts: wire.starts,
            fills: wire.fills,
            stops: wire.stops,
            because: wire.because,
        })
    }
}
