//! Compiles `rules/secrets.toml` into constant tables: forms of tokens in the order of their first bytes, and programs in the order of their names.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;

use super::tables::pascal;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Secrets {
    names: BTreeMap<String, String>,
    tokens: Tokens,
    shown: Shown,
    program: Vec<Program>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    forms: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tokens {
    rows: Vec<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    names: String,
    #[serde(rename = "in")]
    subcommand: Option<String>,
    takes: Vec<String>,
}

/// Returns the tables as code: of names, of tokens, and of programs.
pub fn compile(text: &str) -> [String; 3] {
    let secrets: Secrets =
        toml::from_str(text).unwrap_or_else(|error| panic!("rules/secrets.toml: {error}"));
    let forms = tokens(&secrets.tokens.rows) + &shown(&secrets.shown.forms);
    [names(&secrets.names), forms, programs(&secrets.program)]
}

fn names(lists: &BTreeMap<String, String>) -> String {
    let mut code = String::new();
    for (list, words) in lists {
        let words: Vec<&str> = words.split_whitespace().collect();
        let list = list.to_uppercase();
        let _ = writeln!(code, "pub(super) static {list}: &[&str] = &{words:?};");
    }
    code
}

fn tokens(rows: &[Vec<String>]) -> String {
    let mut forms = BTreeMap::new();
    for row in rows {
        let [service, source, own @ ..] = row.as_slice() else {
            panic!("rules/secrets.toml: {row:?} is no row")
        };
        assert!(
            matches!(source.as_str(), "gitleaks" | "maker"),
            "rules/secrets.toml: {service} comes from nowhere"
        );
        for form in own {
            let (prefix, parts) = parts(form);
            // The longest of those that begin alike is looked for first.
            let length = usize::MAX - form.len();
            let key = (prefix.bytes().next(), usize::MAX - prefix.len(), length, form.as_str());
            let before = forms.insert(key, (prefix, parts));
            assert!(before.is_none(), "rules/secrets.toml: '{form}' is there twice");
        }
    }
    let mut code = String::from("pub(super) static FORMS: &[Form] = &[\n");
    for (prefix, parts) in forms.values() {
        let _ = writeln!(code, "Form {{ prefix: {prefix:?}, parts: &[{parts}] }},");
    }
    code.push_str("];\n/// Where the forms begin whose prefix begins with a byte; those without one stand before all.\n");
    let starts = |byte: u16| {
        forms.keys().filter(|(first, ..)| first.is_none_or(|first| u16::from(first) < byte)).count()
    };
    let starts: Vec<usize> = (0..=256).map(starts).collect();
    let _ = writeln!(code, "pub(super) static STARTS: [u16; 257] = {starts:?};");
    code
}

/// The forms of what is shown.
fn shown(forms: &[String]) -> String {
    let mut code = String::from("pub(super) static SHOWN: &[Form] = &[\n");
    for (prefix, parts) in forms.iter().map(|form| parts(form)) {
        let _ = writeln!(code, "Form {{ prefix: {prefix:?}, parts: &[{parts}] }},");
    }
    code + "];\n"
}

/// The text before the first run, and the parts behind it as code.
fn parts(form: &str) -> (&str, String) {
    let at = form.find('<').unwrap_or_else(|| panic!("rules/secrets.toml: '{form}' has no run"));
    let (prefix, mut rest) = form.split_at(at);
    let mut code = String::new();
    while !rest.is_empty() {
        let Some(run) = rest.strip_prefix('<') else {
            let end = rest.find('<').unwrap_or(rest.len());
            let _ = write!(code, "Part::Text({:?}), ", &rest[..end]);
            rest = &rest[end..];
            continue;
        };
        let read = run.split_once('>').and_then(|(run, behind)| {
            let (class, count) = run.split_once(' ')?;
            let (least, most) = count.split_once('-').unwrap_or((count, "0"));
            let (least, most): (u16, u16) = (least.parse().ok()?, most.parse().ok()?);
            Some((class, least, most, behind))
        });
        let Some((class, least, most, behind)) = read else {
            panic!("rules/secrets.toml: '{form}' is no form")
        };
        let class = pascal(class);
        let _ = write!(code, "Part::Run(Class::{class}, {least}, {most}), ");
        rest = behind;
    }
    (prefix, code)
}

fn programs(programs: &[Program]) -> String {
    let mut code = String::from("pub(super) static ROWS: &[Row] = &[\n");
    let mut names: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut count = 0;
    for program in programs {
        for takes in &program.takes {
            for name in program.names.split(' ') {
                names.entry(name).or_default().push(count);
            }
            let subcommand = &program.subcommand;
            let _ =
                writeln!(code, "Row {{ subcommand: {subcommand:?}, takes: {} }},", takes_of(takes));
            count += 1;
        }
    }
    code.push_str("];\n/// In the order of the names, with the rows of each.\n");
    code.push_str("pub(super) static PROGRAMS: &[(&str, &[u16])] = &[\n");
    for (name, rows) in names {
        let _ = writeln!(code, "({name:?}, &{rows:?}),");
    }
    code.push_str("];\n");
    code
}

fn takes_of(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let operand = |number: &str, with: Option<&str>, part: &str| {
        let number: u8 =
            number.parse().unwrap_or_else(|_| panic!("rules/secrets.toml: '{text}' has no number"));
        format!("Takes::Operand({number}, {with:?}, Part::{part})").replace("Part::", "Piece::")
    };
    match words.as_slice() {
        ["pairs"] => "Takes::Pairs".to_owned(),
        ["input"] => "Takes::Input(None, Piece::All)".to_owned(),
        ["input", "likely"] => "Takes::Input(None, Piece::Likely)".to_owned(),
        ["input", "user"] => "Takes::Input(None, Piece::Password)".to_owned(),
        ["input", "with", option] => format!("Takes::Input(Some({option:?}), Piece::All)"),
        ["operand", number] => operand(number, None, "All"),
        ["operand", number, "user"] => operand(number, None, "Password"),
        ["operand", number, "slash"] => operand(number, None, "Slash"),
        ["operand", number, "likely"] => operand(number, None, "Likely"),
        ["operand", number, "word"] => operand(number, None, "Word"),
        ["input", "word"] => "Takes::Input(None, Piece::Word)".to_owned(),
        ["word", word, "likely"] => format!("Takes::Behind({word:?}, Piece::Likely)"),
        [option, "likely"] => format!("Takes::Option({option:?}, Piece::Likely)"),
        ["operand", number, "with", option] => operand(number, Some(option), "All"),
        ["word", word] => format!("Takes::Behind({word:?}, Piece::All)"),
        ["each", start] => format!("Takes::Each({start:?})"),
        ["begins", start] => format!("Takes::Begins({start:?})"),
        [option, "attached"] => format!("Takes::Attached({option:?})"),
        [option, "user"] => format!("Takes::Option({option:?}, Piece::Password)"),
        [option, "header"] => format!("Takes::Option({option:?}, Piece::Header)"),
        [option, "pair"] => format!("Takes::Option({option:?}, Piece::Value)"),
        [option] if option.starts_with(['-', '/']) => {
            format!("Takes::Option({option:?}, Piece::All)")
        }
        _ => panic!("rules/secrets.toml: '{text}' says nothing"),
    }
}
