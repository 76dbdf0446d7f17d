//! What is likely to be a mistake of an entry, unless it says why: a word that names a host, or settings that may name code, and is called
//! harmless; a spelling that is any option.

use super::Faults;
use crate::catalog::schema::{Command, Family, OptionSpec, Options};

/// Last parts of an option's name that say that its value is an address.
const ADDRESSES: &[&str] = &[
    "broker",
    "brokers",
    "dsn",
    "endpoint",
    "host",
    "hostname",
    "nameserver",
    "proxy",
    "server",
    "servers",
    "uri",
    "url",
];

/// Roles of words that are nothing but words to the program.
const WORDS: &[&str] = &["inert", "text"];

/// Roles of words that are not asked.
const UNASKED: &[&str] = &["inert", "text", "passed"];

/// Roles of words that are asked.
const ASKED: &[&str] = &["connect", "fetch", "send", "remote", "service", "repository"];

/// Names of options that say which settings hold.
const SETTINGS: &[&str] = &[
    "conf",
    "conf-dir",
    "config",
    "config-dir",
    "config-file",
    "config-path",
    "configfile",
    "rcfile",
    "settings",
];

/// Complains of addresses that are called harmless, of commands that ask a host and have no word that says which, and of options whose
/// spelling or values say more or less than they seem to.
pub(super) fn mistakes(family: &Family, faults: &mut Faults<'_>) {
    for (name, set) in &family.sets {
        each_option(&format!("_sets {name}"), set, faults);
    }
    for (name, program) in &family.programs {
        let names_host = names_host(&program.shared);
        command(name, program, family, names_host, faults);
    }
}

fn command(
    place: &str,
    command: &Command,
    family: &Family,
    is_named_above: bool,
    faults: &mut Faults<'_>,
) {
    if has(&command.effects, "build") {
        let used = command.uses.iter().filter_map(|name| family.sets.get(name));
        for options in [&command.options, &command.shared].into_iter().chain(used) {
            foreign_settings(place, options, faults);
        }
    }
    if !has(&command.effects, "listen") {
        each_option(place, &command.options, faults);
        each_option(place, &command.shared, faults);
    }
    let used = || command.uses.iter().filter_map(|name| family.sets.get(name));
    let is_named = is_named_above
        || [&command.options, &command.shared].into_iter().chain(used()).any(names_host);
    let asks = has(&command.effects, "connect") || has(&command.effects, "fetch");
    let is_said = is_named || command.operands.iter().any(|role| is_asked(role));
    if command.because.is_empty() {
        if asks && !is_said && command.operands.iter().any(|role| is_unasked(role)) {
            faults.add(place, "asks a host, and no word says which: it needs one, or `because`");
        }
        if command.sub.iter().any(is_subcommand)
            && command.operands.iter().any(|role| takes_any(role))
        {
            faults.add(
                place,
                "a subcommand that is not known counts as a harmless operand: it needs `because`",
            );
        }
    }
    for (key, sub) in &command.sub {
        // What the parent says of its words is true of those that have a certain form.
        let is_named = is_named || !command.because.is_empty();
        self::command(&format!("{place} {key}"), sub, family, is_named, faults);
    }
}

/// Whether a key names subcommands, and not words of a certain form.
fn is_subcommand((key, sub): (&String, &Command)) -> bool {
    sub.named.is_none() && key.split('|').any(|name| !name.contains('*'))
}

fn each_option(place: &str, options: &Options, faults: &mut Faults<'_>) {
    for (keys, spec) in options {
        if spec.because.is_empty() && is_any_option(keys) {
            faults.add(
                &format!("{place} {keys:?}"),
                "each option that is not listed counts as this one: it needs `because`",
            );
        }
        // In an address, brackets stand around what has colons.
        let is_class =
            |value: &String| value.contains('[') && value.contains(']') && !value.contains("[::");
        if spec.values.iter().any(is_class) {
            faults.add(&format!("{place} {keys:?}"), "only `*` is special in `values`");
        }
        let listens = has(&spec.effects, "listen") || spec.otherwise == "listen";
        if !listens && spec.because.is_empty() && is_unasked(&spec.takes) && is_address(keys) {
            faults.add(
                &format!("{place} {keys:?}"),
                "names a host that is not asked: it needs another role, or `because`",
            );
        }
    }
}

/// The settings of what runs the workspace's code may name code as well, which is anyone's where they do not lie in the workspace.
fn foreign_settings(place: &str, options: &Options, faults: &mut Faults<'_>) {
    let is_setting = |word: &str| SETTINGS.contains(&word.trim_start_matches('-'));
    for (keys, spec) in options {
        let is_read = spec.takes == "read" && spec.values.is_empty() && spec.because.is_empty();
        if is_read && keys.split([' ', '|']).any(is_setting) {
            let what =
                "settings that may name code: `inert` keeps to the workspace, or say `because`";
            faults.add(&format!("{place} {keys:?}"), what);
        }
    }
}

/// Whether one of the spellings fits whatever begins with a dash.
fn is_any_option(keys: &str) -> bool {
    keys.split([' ', '|']).any(|word| matches!(word, "-*" | "--*"))
}

fn is_address(keys: &str) -> bool {
    keys.split([' ', '|']).any(|word| {
        let last = word.rsplit(['-', '.']).next().unwrap_or_default();
        word.len() > 2 && ADDRESSES.contains(&last)
    })
}

fn names_host(options: &Options) -> bool {
    let asks = |spec: &OptionSpec| {
        let operands = spec.operands.iter().flatten();
        [&spec.takes, &spec.otherwise].into_iter().chain(operands).any(|role| is_asked(role))
    };
    options.values().any(asks)
}

fn is_asked(role: &str) -> bool {
    plain_roles(role).any(|role| ASKED.contains(&role))
}

fn is_unasked(role: &str) -> bool {
    plain_roles(role).any(|role| UNASKED.contains(&role))
}

fn takes_any(role: &str) -> bool {
    role.strip_suffix("...").is_some_and(|role| WORDS.contains(&role))
}

fn has(list: &[String], word: &str) -> bool {
    list.iter().any(|entry| entry == word)
}

/// Returns the roles without what says how many words have them.
fn plain_roles(role: &str) -> impl Iterator<Item = &str> {
    role.split_whitespace().map(|one| one.trim_start_matches("optional:").trim_end_matches("..."))
}
