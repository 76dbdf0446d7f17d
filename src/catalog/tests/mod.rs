//! The engine on small families of its own, and on the embedded catalog.

mod embedded;
mod faults;
mod properties;
mod rows;
mod uncertain;

use std::fmt::Write;

use super::compile::compile;
use super::compiled::Blob;
use super::{Carried, Catalog, Interpretation, MoreWords, Place};
use crate::model::Arg;

/// Compiles the families of the tests.
fn families() -> Vec<u8> {
    let text = include_str!("families.toml").to_owned();
    compile(&[("families.toml".to_owned(), text)]).unwrap()
}

/// Reads an argv as the rows write it: `$x` is not known, `$@` are any number of words, `out=$` begins with `out=`,
/// a word with `*`, `?` or `[` is a pattern, `''` is empty.
fn argv(line: &str) -> Vec<Arg> {
    let word = |text: &str| match text {
        "$x" => Arg::Unknown,
        "$@" => Arg::Many,
        "''" => Arg::Known(String::new()),
        _ if text.ends_with('$') => Arg::Prefix(text.trim_end_matches('$').to_owned()),
        _ if text.contains(['*', '?', '[']) => Arg::Glob(text.to_owned()),
        _ => Arg::Known(text.to_owned()),
    };
    line.split_whitespace().map(word).collect()
}

fn shown(arg: &Arg) -> String {
    match arg {
        Arg::Known(text) => text.clone(),
        Arg::Glob(pattern) => pattern.clone(),
        Arg::Prefix(text) => format!("{text}$"),
        Arg::Unknown => "$x".to_owned(),
        Arg::Many => "$@".to_owned(),
    }
}

/// Writes an interpretation in one line: subcommands, options, touches, carried parts, what is not known.
fn rendered(found: &Interpretation) -> String {
    let mut text = String::new();
    for name in &found.subcommand {
        write!(text, "{name}: ").unwrap();
    }
    for option in &found.options {
        write!(text, "{}", option.spellings[0]).unwrap();
        if let Some(value) = &option.value {
            write!(text, "={}", shown(value)).unwrap();
        }
        text.push(' ');
    }
    for touch in &found.touches {
        let target = touch.target.as_ref().map(shown).unwrap_or_default();
        let kind = serde_json::to_string(&touch.kind).unwrap();
        write!(text, "{}({target}) ", kind.trim_matches('"')).unwrap();
    }
    for enter in &found.enters {
        write!(text, "enters({}) ", shown(enter)).unwrap();
    }
    for carried in &found.carried {
        write!(text, "{} ", carried_shown(carried)).unwrap();
    }
    for part in &found.unknown {
        let at = part.index.map(|index| index.to_string()).unwrap_or_default();
        write!(text, "?{:?}@{at} ", part.what).unwrap();
    }
    text.trim_end().to_owned()
}

fn carried_shown(carried: &Carried) -> String {
    match carried {
        Carried::Argv { start, end, more, place } => {
            let inside = if *place == Place::Here { "" } else { "inside-" };
            let more = match more {
                MoreWords::None => "",
                MoreWords::Appended => "+",
                MoreWords::Replaced => "{}",
            };
            format!("{inside}argv[{start}..{end}]{more}")
        }
        Carried::Program { text, more: MoreWords::Appended, .. } => {
            format!("program({}, …)", shown(text))
        }
        Carried::Program { text, .. } => format!("program({})", shown(text)),
        Carried::Shell { words, place, more, .. } => {
            let words: Vec<_> = words.iter().map(shown).collect();
            let place = if *place == Place::Here { "shell" } else { "remote-shell" };
            let more = if *more == MoreWords::None { "" } else { "+" };
            format!("{place}({}){more}", words.join(" "))
        }
        Carried::Code { text, language, .. } => format!("{language:?}-code({})", shown(text)),
        Carried::Script { file, language, .. } => format!("{language:?}-script({})", shown(file)),
        Carried::Input { language } => format!("{language:?}-input"),
        Carried::Task { runner, name } => {
            let name = name.as_ref().map_or_else(String::new, |(name, _)| shown(name));
            format!("{runner:?}-task({name})")
        }
        Carried::Environment { name, value, .. } => {
            format!("set({}={})", name.as_deref().unwrap_or("?"), shown(value))
        }
    }
}

/// Holds rows of argv and what is made of it against the engine; tells all that differ.
fn hold(rows: &[(&str, &str)]) {
    let blob = families();
    let catalog = Catalog(Blob(&blob));
    let mut differing = String::new();
    for (line, expected) in rows {
        let actual = rendered(&catalog.interpret(&argv(line), &[]));
        if actual != *expected {
            writeln!(differing, "{line}\n  expected {expected}\n  found    {actual}").unwrap();
        }
    }
    assert!(differing.is_empty(), "\n{differing}");
}
