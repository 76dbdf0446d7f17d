//! TOML to [`Family`], command by command, so that one fault does not hide the next.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::Faults;
use crate::catalog::schema::{Command, Family, OptionSpec, Options};

/// The reserved table that holds option sets.
const SETS: &str = "_sets";

pub(super) fn family(text: &str, faults: &mut Faults<'_>) -> Family {
    let mut family = Family::default();
    let table: Table = match text.parse() {
        Ok(table) => table,
        Err(error) => {
            faults.add("", syntax_fault(text, &error));
            return family;
        }
    };
    for (name, value) in table {
        let Value::Table(value) = value else {
            faults.add(&name, "must be a table");
            continue;
        };
        if name == SETS {
            family.sets = sets(value, faults);
        } else {
            family.programs.insert(name.clone(), command(&name, value, faults));
        }
    }
    family
}

fn syntax_fault(text: &str, error: &toml::de::Error) -> String {
    let start = error.span().map_or(0, |span| span.start);
    let line = text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1;
    format!("line {line}: {}", error.message())
}

fn sets(table: Table, faults: &mut Faults<'_>) -> BTreeMap<String, Options> {
    let mut sets = BTreeMap::new();
    for (name, value) in table {
        let place = format!("{SETS} {name}");
        sets.insert(name, options(&place, Some(value), faults));
    }
    sets
}

fn command(place: &str, mut table: Table, faults: &mut Faults<'_>) -> Command {
    let own = options(&format!("{place} options"), table.remove("options"), faults);
    let shared = options(&format!("{place} shared"), table.remove("shared"), faults);
    let sub = subcommands(place, table.remove("sub"), faults);
    let read = Value::Table(table).try_into();
    let read = read.map_err(|error: toml::de::Error| error.message().to_owned());
    let mut command: Command = faults.check(place, read).unwrap_or_default();
    (command.options, command.shared, command.sub) = (own, shared, sub);
    command
}

fn subcommands(
    place: &str,
    value: Option<Value>,
    faults: &mut Faults<'_>,
) -> BTreeMap<String, Command> {
    let mut commands = BTreeMap::new();
    for (name, value) in table(&format!("{place} sub"), value, faults) {
        let place = format!("{place} {name}");
        let table = table(&place, Some(value), faults);
        commands.insert(name, command(&place, table, faults));
    }
    commands
}

fn options(place: &str, value: Option<Value>, faults: &mut Faults<'_>) -> Options {
    let mut options = Options::new();
    for (spellings, value) in table(place, value, faults) {
        let place = format!("{place} {spellings:?}");
        let spec = value.try_into().map_err(|error: toml::de::Error| error.message().to_owned());
        if let Some(spec) = faults.check(&place, spec) {
            let each =
                spellings.split(" | ").map(|one| (one.trim().to_owned(), OptionSpec::clone(&spec)));
            for (one, spec) in each {
                if options.insert(one, spec).is_some() {
                    faults.add(&place, "the same option twice");
                }
            }
        }
    }
    options
}

fn table(place: &str, value: Option<Value>, faults: &mut Faults<'_>) -> Table {
    match value {
        Some(Value::Table(table)) => table,
        Some(_) => {
            faults.add(place, "must be a table");
            Table::new()
        }
        None => Table::new(),
    }
}
