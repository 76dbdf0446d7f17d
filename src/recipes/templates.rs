//! Go's templates as Taskfiles use them to put values together: variables, pipelines, the functions of Task and slim-sprig that are
//! about text, and `if` (text/template; taskfile.dev, "Templating").

use super::below;
use super::marks::{LONGEST, UNKNOWN, is_open, made_of};

/// What a variable holds; none if it is not set.
type Held = Option<String>;

/// Says of a variable what it holds.
type Values<'a> = &'a dyn Fn(&str) -> Held;

/// How deep brackets stand in each other at most.
const DEEP: usize = 16;

/// What of a condition is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    This,
    /// One before or behind it is.
    Other {
        chosen: bool,
    },
    /// Only the run knows which.
    Either,
}

/// Writes out what stands between `{{` and `}}`: what is not known becomes the mark for it.
pub fn rendered(text: &str, values: Values<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut parts: Vec<Part> = Vec::new();
    let mut rest = text;
    loop {
        let is_written = !parts.iter().any(|part| matches!(part, Part::Other { .. }));
        let (before, behind) = rest.split_once("{{").unwrap_or((rest, ""));
        let behind = (before.len() < rest.len()).then_some(behind);
        let trims = behind.is_some_and(|behind| behind.starts_with("- "));
        if is_written {
            out.push_str(if trims { before.trim_end() } else { before });
        }
        let Some(behind) = behind else { return out };
        let Some((inner, after)) = behind.split_once("}}") else {
            out.push(UNKNOWN);
            return out;
        };
        rest = if inner.ends_with(" -") { after.trim_start() } else { after };
        let inner = inner.trim_matches('-').trim();
        if block(inner, &mut parts, is_written, values) {
            if is_written && parts.last() == Some(&Part::Either) {
                out.push(UNKNOWN);
            }
            continue;
        }
        if !is_written || inner.starts_with("/*") {
            continue;
        }
        match pipeline(inner, values, 0).flatten() {
            Some(value) if out.len() + value.len() <= LONGEST => out.push_str(&value),
            _ => out.push(UNKNOWN),
        }
    }
}

/// Opens, changes or ends a part that is only written under a condition. Returns whether that is what stands there.
fn block(inner: &str, parts: &mut Vec<Part>, is_written: bool, values: Values<'_>) -> bool {
    let (word, condition) = inner.split_once(' ').unwrap_or((inner, ""));
    match word {
        // Of what is left out, nothing is looked at.
        "if" | "with" | "range" | "block" | "define" if !is_written => {
            parts.push(Part::Other { chosen: true });
        }
        "if" => parts.push(chosen(condition, values)),
        "with" | "range" | "block" | "define" => parts.push(Part::Either),
        "else" => {
            let condition = condition.trim().strip_prefix("if ");
            if let Some(last) = parts.last_mut() {
                *last = match (*last, condition) {
                    (Part::This | Part::Other { chosen: true }, _) => Part::Other { chosen: true },
                    (Part::Other { chosen: false }, Some(condition)) => chosen(condition, values),
                    (Part::Other { chosen: false }, None) => Part::This,
                    (Part::Either, _) => Part::Either,
                };
            }
        }
        "end" => drop(parts.pop()),
        _ => return false,
    }
    true
}

fn chosen(condition: &str, values: Values<'_>) -> Part {
    match pipeline(condition, values, 0) {
        None => Part::Either,
        // One that is text counts as set.
        Some(Some(value)) if is_open(&value) || value == "false" => Part::Either,
        Some(Some(value)) if is_true(&value) => Part::This,
        Some(_) => Part::Other { chosen: false },
    }
}

fn is_true(value: &str) -> bool {
    !matches!(value, "" | "false")
}

/// Returns what a pipeline comes to: none if it is not understood, and then none if that is nothing that is set.
fn pipeline(text: &str, values: Values<'_>, deep: usize) -> Option<Held> {
    let mut piped: Option<Held> = None;
    for stage in divided(text, |c| c == '|')? {
        let words = divided(stage, char::is_whitespace)?;
        let (first, words) = words.split_first()?;
        let given = words.iter().map(|word| operand(word, values, deep));
        let mut given: Vec<Held> = given.collect::<Option<_>>()?;
        let is_value = given.is_empty() && piped.is_none();
        given.extend(piped.take());
        piped = Some(match is_value.then(|| operand(first, values, deep)).flatten() {
            Some(value) => value,
            None => Some(called(first, &given)?),
        });
    }
    piped
}

/// Returns what a word of a pipeline is, if it is no function.
fn operand(word: &str, values: Values<'_>, deep: usize) -> Option<Held> {
    let inside = |open: char, end: char| {
        word.strip_prefix(open).and_then(|word| word.strip_suffix(end)).filter(|_| word.len() > 1)
    };
    if let Some(inner) = inside('(', ')') {
        return if deep < DEEP { pipeline(inner, values, deep + 1) } else { None };
    }
    if let Some(name) = word.strip_prefix('.') {
        let is_name = name.chars().all(|c| c == '_' || c.is_alphanumeric());
        return (is_name && !name.is_empty()).then(|| values(name));
    }
    if let Some(text) = inside('`', '`') {
        return Some(Some(text.to_owned()));
    }
    if let Some(text) = inside('"', '"') {
        let is_plain = !text.replace("\\\"", "").replace("\\\\", "").contains('\\');
        return is_plain.then(|| Some(text.replace("\\\"", "\"").replace("\\\\", "\\")));
    }
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    (is_number || matches!(word, "true" | "false")).then(|| Some(word.to_owned()))
}

/// Returns what a function makes of what it is given; none if it is not known.
fn called(name: &str, given: &[Held]) -> Option<String> {
    let or_nothing: Vec<String> = given.iter().map(|one| one.clone().unwrap_or_default()).collect();
    let words: Vec<&str> = or_nothing.iter().map(String::as_str).collect();
    let is_known = !or_nothing.iter().any(|one| is_open(one));
    let truth = |is: bool| Some(if is { "true".to_owned() } else { String::new() });
    // Those that choose one of what they are given.
    match (name, words.as_slice()) {
        ("default", [other, value]) => {
            return Some(if is_true(value) { value } else { other }.to_string());
        }
        ("coalesce" | "or", all) => {
            return Some(all.iter().find(|one| is_true(one)).unwrap_or(&"").to_string());
        }
        ("not" | "empty", [one]) if is_known => return truth(!is_true(one)),
        ("and", all) if is_known => return truth(all.iter().all(|one| is_true(one))),
        ("eq", [one, other]) if is_known => return truth(one == other),
        ("ne", [one, other]) if is_known => return truth(one != other),
        ("ternary", [yes, no, which]) if !is_open(which) => {
            return Some(if is_true(which) { yes } else { no }.to_string());
        }
        ("not" | "empty" | "and" | "eq" | "ne" | "ternary", _) => return None,
        _ => {}
    }
    if given.iter().any(Option::is_none) {
        return None;
    }
    if !is_known {
        return Some(made_of(&or_nothing.concat()));
    }
    Some(match (name, words.as_slice()) {
        ("toString" | "fromSlash" | "toSlash" | "osClean" | "clean" | "print", [one]) => {
            (*one).to_owned()
        }
        ("trim", [one]) => one.trim().to_owned(),
        ("upper", [one]) => one.to_uppercase(),
        ("lower", [one]) => one.to_lowercase(),
        ("trimPrefix", [prefix, one]) => one.strip_prefix(prefix).unwrap_or(one).to_owned(),
        ("trimSuffix", [suffix, one]) => one.strip_suffix(suffix).unwrap_or(one).to_owned(),
        ("trimAll", [all, one]) => one.trim_matches(|c| all.contains(c)).to_owned(),
        ("replace", [from, to, one]) if !from.is_empty() => one.replace(from, to),
        ("cat", all) => all.join(" "),
        ("joinPath", [first, rest @ ..]) => {
            let joined = rest.iter().fold((*first).to_owned(), |path, one| format!("{path}/{one}"));
            if first.starts_with('/') { below("/", &joined) } else { joined }
        }
        ("base" | "osBase", [one]) => one.rsplit('/').next().unwrap_or(one).to_owned(),
        ("dir" | "osDir", [one]) => match one.rsplit_once('/') {
            Some(("", _)) => "/".to_owned(),
            Some((directory, _)) => directory.to_owned(),
            None => ".".to_owned(),
        },
        ("quote", [one]) => format!("\"{one}\""),
        ("squote", [one]) => format!("'{one}'"),
        ("shellQuote" | "q", [one]) => shell_words::quote(one).into_owned(),
        ("printf", [format, all @ ..]) => {
            let pieces: Vec<&str> = format.split("%s").collect();
            let is_plain = pieces.len() == all.len() + 1 && !pieces.concat().contains('%');
            let all = all.iter().copied().chain([""]);
            is_plain.then(|| pieces.into_iter().zip(all).flat_map(<[&str; 2]>::from).collect())?
        }
        _ => return None,
    })
}

/// Divides a text where no quotes and no brackets stand around; none if one is not closed. What is empty is left out.
fn divided(text: &str, is_end: impl Fn(char) -> bool) -> Option<Vec<&str>> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    let (mut quote, mut is_escaped, mut depth) = (None, false, 0_usize);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            _ if is_escaped => is_escaped = false,
            ('\\', Some('"')) => is_escaped = true,
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '`', None) => quote = Some(c),
            ('(', None) => depth += 1,
            (')', None) => depth = depth.checked_sub(1)?,
            (c, None) if depth == 0 && is_end(c) => {
                pieces.push(text[start..at].trim());
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(text[start..].trim());
    pieces.retain(|piece| !piece.is_empty());
    (quote.is_none() && depth == 0).then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_comes_to_what_its_variables_say() {
        let values = |name: &str| match name {
            "DIR" => Some("out".to_owned()),
            "NONE" => Some(String::new()),
            "OPEN" => Some(UNKNOWN.to_string()),
            _ => None,
        };
        for (text, written) in [
            ("a {{.DIR}} b", "a out b"),
            ("{{.DIR | default \"x\"}}", "out"),
            ("{{default \"x\" .NONE}}/{{.ABSENT | default `y`}}", "x/y"),
            ("{{ coalesce .ABSENT .NONE (printf \"%s/%s\" .DIR \"z\") }}", "out/z"),
            ("{{joinPath \"/\" .DIR \"..\"}}", "/"),
            ("{{trimPrefix \"o\" .DIR | upper | quote}}", "\"UT\""),
            ("{{if .DIR}}{{.DIR}}{{else}}x{{end}}!", "out!"),
            ("{{if eq .DIR \"x\"}}a{{else if .ABSENT}}b{{else}}c{{end}}", "c"),
            ("{{if .ABSENT}}{{if .DIR}}a{{end}}b{{end}}c", "c"),
            ("a {{- /* none */ -}} b", "ab"),
            ("{{.ABSENT}}{{now}}{{.OPEN | upper}}", "\u{f8f0}\u{f8f0}\u{f8f0}"),
            ("{{.DIR", "\u{f8f0}"),
        ] {
            assert_eq!(rendered(text, &values), written, "{text}");
        }
    }
}
