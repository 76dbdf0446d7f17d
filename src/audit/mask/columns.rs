//! Secrets in columns: below the name of one at the head of a table, and in rows that have them in a known place.

use std::ops::Range;

use super::names;
use super::quoting::Text;
use super::value;

/// Lines below a head that are looked at.
const LINES: usize = 256;

/// Signs between columns.
const SIGNS: [char; 4] = ['|', '\t', ';', ','];

/// Finds them.
pub(super) fn find(text: &Text<'_>, found: &mut Vec<Range<usize>>) {
    let mut head: Option<Head> = None;
    for line in lines(text, 0..text.len()) {
        let content = &text[line.clone()];
        if content.len() > 1024 {
            head = None;
            continue;
        }
        password_file(text, &line, found);
        if !head.as_mut().is_some_and(|head| head.row(text, &line, found)) {
            head = Head::of(content);
        }
    }
}

/// The lines of a part of a text, those that are written out as `\n` among them.
pub(super) fn lines<'a>(
    text: &'a Text<'_>,
    part: Range<usize>,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut next = Some(part.start);
    std::iter::from_fn(move || {
        let start = next?;
        let rest = &text[start..part.end];
        let ends = |at: &usize| rest.as_bytes()[*at..].starts_with(b"\\n");
        let is_end = |at: usize| rest.as_bytes()[at] == b'\n' || ends(&at);
        let end = (0..rest.len()).find(|at| is_end(*at));
        let end = end.map(|at| (at, if ends(&at) { 2 } else { 1 }));
        next = end.map(|(at, length)| start + at + length);
        Some(start..start + end.map_or(rest.len(), |(at, _)| at))
    })
}

/// The head of a table: how its columns are separated, how many it has, and which of them hold secrets.
struct Head {
    sign: char,
    count: usize,
    secrets: Vec<usize>,
    lines: usize,
}

impl Head {
    fn of(line: &str) -> Option<Self> {
        let sign = SIGNS.into_iter().find(|sign| line.contains(*sign))?;
        // The quote or the command before the first of them.
        let cells: Vec<&str> = line.split(sign).map(name).collect();
        let is_name = |(at, cell): (usize, &&str)| {
            let is_edge = at == 0 || at + 1 == cells.len();
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.' | '*');
            cell.is_empty() && is_edge
                || at == 0 && sign != '|'
                || !cell.is_empty() && cell.len() <= 32 && cell.chars().all(is_word)
        };
        if cells.iter().filter(|cell| !cell.is_empty()).count() < 2
            || !cells.iter().enumerate().all(is_name)
        {
            return None;
        }
        let is_secret = |cell: &str| {
            let name = cell.trim_matches('*').replace(' ', "_");
            names::are_secrets(&name) || names::is_password(&name)
        };
        let secrets: Vec<usize> = cells
            .iter()
            .enumerate()
            .filter(|(_, cell)| is_secret(cell))
            .map(|(at, _)| at)
            .collect();
        (!secrets.is_empty()).then_some(Self { sign, count: cells.len(), secrets, lines: 0 })
    }

    /// Finds the secrets of a row below. Returns whether it is one.
    fn row(&mut self, text: &Text<'_>, line: &Range<usize>, found: &mut Vec<Range<usize>>) -> bool {
        self.lines += 1;
        let content = &text[line.clone()];
        let count = content.matches(self.sign).count() + 1;
        if self.lines > LINES || count < self.count || content.contains("$(") {
            return false;
        }
        let mut at = line.start;
        for (number, cell) in content.split(self.sign).enumerate() {
            let value = cell.trim_matches([' ', '\t', '"', '\'', '`', '*']);
            let start = at + cell.find(value).unwrap_or(0);
            let range = start..start + value.len();
            let is_rule = value.chars().all(|c| matches!(c, '-' | ':' | '='));
            if self.secrets.contains(&number)
                && !is_rule
                && value::is_at(text, &range)
                && !value::is_sentence(value)
                && !names::is_name(value, "")
                && (!text.is_command(range.start) || value::is_alike(value))
            {
                found.push(range);
            }
            at += cell.len() + 1;
        }
        true
    }
}

/// A cell of the head: its last word behind a quote.
fn name(cell: &str) -> &str {
    let cell = cell.trim_matches([' ', '\t', '"', '\'', '`', '\\']);
    cell.rsplit(['"', '\'']).next().unwrap_or(cell)
}

/// `host:port:database:user:password`
fn password_file(text: &Text<'_>, line: &Range<usize>, found: &mut Vec<Range<usize>>) {
    let content = &text[line.clone()];
    let mut parts = content.splitn(5, ':');
    let (Some(host), Some(port), Some(base), Some(user), Some(rest)) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return;
    };
    let is_port = port == "*" || port.len() <= 5 && value::is_number(port);
    let is_word = |part: &str| !part.is_empty() && !part.contains([' ', '/', '"', '\'']);
    let host = host.rsplit([' ', '"', '\'']).next().unwrap_or(host);
    if !is_port || !is_word(host) || !is_word(base) || !is_word(user) {
        return;
    }
    let length = rest.find([' ', '"', '\'']).unwrap_or(rest.len());
    let start = line.end - rest.len();
    let range = start..start + length;
    // `\:` is a colon of the password.
    let plain = rest[..length].replace("\\:", "");
    let is_one = length >= 3 && value::is_at(text, &range) && !plain.contains([':', '/']);
    found.extend(Some(range).filter(|_| is_one));
}
