//! Text that is evaluated again, as arithmetic and parameter expansions do: the names in it, and what editing it gives.
//! Knows no values: it works on what is written.

use super::builtins::table;

pub(super) fn runs_when_evaluated(text: &str) -> bool {
    text.contains("$(") || text.contains('`') || text.contains("${")
}

/// Returns a command that evaluates text as bash does what stands between double quotes.
pub(super) fn as_quoted(text: &str) -> String {
    format!(": \"{}\"", text.replace('"', "\\\""))
}

/// Variables that bash sets without anyone having exported them.
pub(super) fn is_set_by_bash(name: &str) -> bool {
    name.starts_with("BASH") || name.starts_with("COMP_") || table::SET_VARIABLES.contains(&name)
}

pub(super) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The names in an arithmetic expression.
pub(super) fn identifiers(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| is_name(word))
        .map(str::to_owned)
        .collect()
}

/// Whether an expression is numbers and names with plain operators between, all of which is evaluated and none of which fails.
pub(super) fn is_plain_arithmetic(text: &str) -> bool {
    let operands: Vec<&str> = text.split(['+', '-', '*', '=']).map(str::trim).collect();
    let is_operand = |text: &str| is_name(text) || is_decimal(text);
    let ends = text.trim_end().trim_end_matches("++").trim_end_matches("--");
    operands.iter().all(|text| is_operand(text)) && !ends.ends_with(['+', '-', '*', '='])
}

/// Whether an expression fails for no numbers: nothing is divided, raised, or looked up, and no number is octal.
pub(super) fn is_unfailing(text: &str) -> bool {
    let mut numbers = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    !text.contains(['/', '%', '[', '#', '\'', '"', '\\'])
        && !text.contains("**")
        && numbers.all(|word| word.is_empty() || is_name(word) || is_decimal(word))
}

fn is_decimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'))
}

/// The names in an arithmetic expression that it assigns to (`x = 1`, `x += 1`, `x++`, `--x`), and whether only an element of it
/// (`x[1] = 2`).
pub(super) fn assigned_names(text: &str) -> Vec<(String, bool)> {
    let mut names = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if !is_part(bytes[at]) {
            at += 1;
            continue;
        }
        let end =
            bytes[at..].iter().position(|byte| !is_part(*byte)).map_or(bytes.len(), |n| at + n);
        let (name, before) = (&text[at..end], text[..at].trim_end());
        let mut behind = text[end..].trim_start();
        let is_element = behind.starts_with('[');
        if let Some(index) = behind.strip_prefix('[') {
            behind = index.split_once(']').map_or("", |(_, behind)| behind).trim_start();
        }
        let operator = behind.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^']);
        let operator = operator.trim_start_matches("<<").trim_start_matches(">>");
        let assigns = operator.starts_with('=') && !operator.starts_with("==");
        let steps = ["++", "--"];
        let is_stepped =
            steps.iter().any(|step| behind.starts_with(step) || before.ends_with(step));
        if is_name(name) && (assigns || is_stepped) {
            names.push((name.to_owned(), is_element));
        }
        at = end;
    }
    names
}

/// Applies an expansion operator to known text; none where patterns would have to be matched.
pub(super) fn edit(
    operator: &str,
    text: &str,
    argument: &str,
    second: Option<&str>,
) -> Option<String> {
    let is_plain = !argument.contains(['*', '?', '[', '\\']);
    let behind = argument.strip_prefix('*').filter(|text| is_plain_text(text));
    let before = argument.strip_suffix('*').filter(|text| is_plain_text(text));
    let put = second.unwrap_or_default();
    let is_replaced = is_plain && !argument.is_empty() && !put.contains('&');
    let edited = match (operator, behind, before) {
        ("#" | "##", ..) if is_plain => text.strip_prefix(argument),
        ("%" | "%%", ..) if is_plain => text.strip_suffix(argument),
        ("#", Some(end), _) => text.split_once(end).map(|(_, tail)| tail),
        ("##", Some(end), _) => text.rsplit_once(end).map(|(_, tail)| tail),
        ("%", _, Some(start)) => text.rsplit_once(start).map(|(head, _)| head),
        ("%%", _, Some(start)) => text.split_once(start).map(|(head, _)| head),
        ("/", ..) if is_replaced => return Some(text.replacen(argument, put, 1)),
        ("//", ..) if is_replaced => return Some(text.replace(argument, put)),
        // Of others, the locale knows what a character is.
        ("^^" | ",," | ":", ..) if !text.is_ascii() => return None,
        ("^^", ..) if argument.is_empty() => return Some(text.to_uppercase()),
        (",,", ..) if argument.is_empty() => return Some(text.to_lowercase()),
        (":", ..) => {
            let offset = decimal(argument)?;
            let length = second.map_or(Some(usize::MAX), decimal)?;
            return Some(text.chars().skip(offset).take(length).collect());
        }
        _ => return None,
    };
    Some(edited.unwrap_or(text).to_owned())
}

/// Returns a number that is written without a zero in front, which would make it octal.
pub(super) fn decimal(text: &str) -> Option<usize> {
    let text = text.trim_matches([' ', '\t', '\n']);
    let is_plain = text == "0" || !text.starts_with(['0', '+']);
    text.parse().ok().filter(|_| is_plain)
}

pub(super) fn is_plain_text(text: &str) -> bool {
    !text.is_empty() && !text.contains(['*', '?', '[', '\\'])
}
