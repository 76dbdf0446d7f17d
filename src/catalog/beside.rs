//! Files whose names are made of those on the line, and programs that options make a program start.

use super::compiled::{Beside, matches};
use super::walk::Walk;
use super::{Carried, MoreWords, Touch};
use crate::model::{Arg, EffectKind};

/// Ways up that are looked for in one name.
const WAYS: usize = 64;

impl<'c> Walk<'c, '_> {
    /// Adds what is done to names that are made of operands: of what is written, else of what goes away, else of what is read.
    pub(super) fn add_made(&mut self) {
        let tables = self.name_tables();
        if tables.is_empty() {
            return;
        }
        let is_operand = |touch: &&Touch| {
            touch.index.is_some_and(|index| self.words.iter().any(|word| word.index == index))
        };
        let operands = || self.out.touches.iter().filter(is_operand);
        let Some(most) = operands().filter_map(|touch| rank(touch.kind)).max() else { return };
        // What goes to standard output has no name.
        let mut outputs = self.out.operands.iter().filter(|(_, role)| role == "output");
        if outputs.any(|(at, _)| self.argv.get(*at).and_then(Arg::known) == Some("-")) {
            return;
        }
        let is_alone = self.words.len() == 1;
        let mut made: Vec<Touch> = Vec::new();
        for touch in operands().filter(|touch| rank(touch.kind) == Some(most)) {
            let Some(name) = &touch.target else { continue };
            for (table, value) in &tables {
                for (kind, name) in names(name, table, value.as_ref(), is_alone) {
                    let touch = Touch { kind, target: Some(name), index: touch.index };
                    if !made.contains(&touch) {
                        made.push(touch);
                    }
                }
            }
        }
        self.out.touches.extend(made);
    }

    /// The tables that hold, each with the value of its option.
    fn name_tables(&self) -> Vec<(Vec<Beside<'c>>, Option<Arg>)> {
        let mut tables = Vec::new();
        for option in self.given.iter().filter(|option| option.holds) {
            match &option.meaning.beside {
                Some(table) if table.is_empty() && !self.is_doubtful() => return Vec::new(),
                Some(table) => tables.push((table.clone(), option.value.clone())),
                None => {}
            }
        }
        let own = &self.current().beside;
        if tables.is_empty() && !own.is_empty() {
            tables.push((own.clone(), None));
        }
        tables
    }

    /// Adds the programs that the options make it start.
    pub(super) fn add_started(&mut self) {
        let mut started: Vec<(&str, usize)> = Vec::new();
        for option in &self.given {
            let starts = &option.meaning.starts;
            let value = option.value.as_ref().map_or(Some(""), Arg::known);
            let taken = value.and_then(|value| {
                starts.iter().position(|one| matches(one.value, value)).map(|at| at..at + 1)
            });
            // Which of them, where the value is not known, is not known either.
            let taken = taken.unwrap_or(if value.is_some() { 0..0 } else { 0..starts.len() });
            for program in starts[taken].iter().flat_map(|one| &one.programs) {
                if !started.iter().any(|(known, _)| known == program) {
                    started.push((program, option.index));
                }
            }
        }
        self.out.carried.extend(started.into_iter().map(|(program, index)| Carried::Program {
            text: Arg::Known(program.to_owned()),
            index,
            more: MoreWords::None,
        }));
    }
}

/// How much of its own a name gets that is touched so; none: nothing is made of it.
const fn rank(kind: EffectKind) -> Option<u8> {
    match kind {
        EffectKind::Write | EffectKind::Append => Some(2),
        EffectKind::Move | EffectKind::Delete | EffectKind::DeleteTree => Some(1),
        EffectKind::Read => Some(0),
        _ => None,
    }
}

/// The names that a table makes of one, with what is done to each. `is_alone`: it is the only operand.
fn names(
    name: &Arg,
    table: &[Beside<'_>],
    value: Option<&Arg>,
    is_alone: bool,
) -> Vec<(EffectKind, Arg)> {
    let (text, is_pattern) = match name {
        Arg::Known(text) => (text, false),
        Arg::Glob(text) => (text, true),
        Arg::Prefix(_) | Arg::Unknown | Arg::Many => {
            return all_kinds(table, &Arg::Unknown);
        }
    };
    let value = match value {
        None => Some(""),
        Some(value) => value.known(),
    };
    let Some(value) = value.filter(|value| !value.contains(['*', '/'])) else {
        // `sed -i'bak/*'` names a file elsewhere.
        return all_kinds(table, &Arg::Unknown);
    };
    // What a pattern ends with says which of several forms its names have.
    let tail = if is_pattern { text.rsplit(['*', '?', ']', ')']).next() } else { None };
    for Beside { name: form, made } in table {
        let form = form.replace("{}", value);
        let ending = form.split_once('*').map_or("", |(_, ending)| ending);
        if let Some(tail) = tail
            && ending.len() > tail.len()
            && ending.ends_with(tail)
        {
            return all_kinds(table, &Arg::Glob(in_directory(text)));
        }
        let Some(stem) = stem(&form, text) else { continue };
        let mut all = Vec::new();
        for (kind, template) in made {
            if *template == ".." {
                all.extend(above(text).map(|name| (*kind, written(name, is_pattern))));
            } else if *template == "/.." {
                let ways = text.match_indices("/..").map(|(at, _)| &text[..at]);
                let ways = ways.filter(|way| !way.is_empty() && !way.ends_with("..")).take(WAYS);
                all.extend(ways.map(|name| (*kind, written(name, is_pattern))));
            } else if *template == "." {
                all.push((*kind, Arg::Glob(in_directory(text))));
            } else if *template == "%" {
                let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or(text);
                all.extend(is_alone.then(|| (*kind, written(last, is_pattern))));
            } else if !(template.contains("{}") && value.is_empty()) {
                let template = template.replace("{}", value);
                let opens = is_pattern || template.matches('*').count() > 1;
                all.push((*kind, written(&template.replacen('*', stem, 1), opens)));
            }
        }
        return all;
    }
    Vec::new()
}

/// Everything that a table may do to a name, done to one that is not told apart.
fn all_kinds(table: &[Beside<'_>], name: &Arg) -> Vec<(EffectKind, Arg)> {
    let mut all = Vec::new();
    for (kind, _) in table.iter().flat_map(|one| &one.made) {
        if !all.contains(&(*kind, name.clone())) {
            all.push((*kind, name.clone()));
        }
    }
    all
}

/// Any name in the directory of a path.
fn in_directory(path: &str) -> String {
    path.trim_end_matches('/').rsplit_once('/').map_or("*".to_owned(), |(at, _)| format!("{at}/*"))
}

fn written(name: &str, is_pattern: bool) -> Arg {
    if is_pattern { Arg::Glob(name.to_owned()) } else { Arg::Known(name.to_owned()) }
}

/// What the `*` of a form stands for in a name; none if it does not fit.
fn stem<'t>(form: &str, text: &'t str) -> Option<&'t str> {
    let (head, ending) = form.split_once('*')?;
    text.strip_prefix(head)?.strip_suffix(ending).filter(|stem| !stem.is_empty())
}

/// The directories that a path goes through, the nearest first.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(parent(path), |path| parent(path))
}

fn parent(path: &str) -> Option<&str> {
    let (parent, _) = path.trim_end_matches('/').rsplit_once('/')?;
    Some(parent.trim_end_matches('/')).filter(|parent| !parent.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(text: &str) -> Arg {
        Arg::Known(text.to_owned())
    }

    fn glob(text: &str) -> Arg {
        Arg::Glob(text.to_owned())
    }

    type Table = [(&'static str, &'static [&'static str])];

    fn made(name: &Arg, table: &Table, value: Option<&Arg>) -> Vec<Arg> {
        let one = |(name, made): &(&'static str, &[&'static str])| Beside {
            name,
            made: made.iter().map(|name| (EffectKind::Write, *name)).collect(),
        };
        let table: Vec<_> = table.iter().map(one).collect();
        names(name, &table, value, true).into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn the_first_form_that_fits_makes_the_names() {
        let table: &Table = &[("*.tgz", &["*.tar"]), ("*.gz", &["*"]), ("*", &["*.gz", "*.~*~"])];
        for (name, expected) in [
            (known("d/x.gz"), vec![known("d/x")]),
            (known("x.tgz"), vec![known("x.tar")]),
            (known("x"), vec![known("x.gz"), glob("x.~*~")]),
            (glob("*.gz"), vec![glob("*")]),
            (glob("d/x*"), vec![glob("d/*")]),
            (glob("*.txt"), vec![glob("*.txt.gz"), glob("*.txt.~*~")]),
            (Arg::Many, vec![Arg::Unknown]),
        ] {
            assert_eq!(made(&name, table, None), expected, "{name:?}");
        }
    }

    #[test]
    fn the_value_is_part_of_the_name() {
        let table: &Table = &[("*{}", &["*"]), ("*", &["*{}"])];
        for (name, value, expected) in [
            ("x", Some(known(".z")), vec![known("x.z")]),
            ("x.z", Some(known(".z")), vec![known("x")]),
            ("x", Some(known("b/*")), vec![Arg::Unknown]),
            ("x", Some(Arg::Unknown), vec![Arg::Unknown]),
        ] {
            assert_eq!(made(&known(name), table, value.as_ref()), expected, "{name} {value:?}");
        }
        assert_eq!(made(&known("x"), &[("*", &["*{}"])], None), []);
    }

    #[test]
    fn the_directories_above_are_those_of_the_path() {
        let of = |path| made(&known(path), &[("*", &[".."])], None);
        assert_eq!(of("a/b/c/"), [known("a/b"), known("a")]);
        assert_eq!(of("/a//b"), [known("/a")]);
        assert_eq!(of("a"), []);
    }
}
