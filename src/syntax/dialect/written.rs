//! What parts of a text are by how they are written, where shells part: flags, braces, sequences.

use crate::syntax::script::{Parameter, Part, PartKind};

/// Whether what stands in front of a name evaluates nothing and names nothing else, and nothing is assigned behind it.
pub(super) fn flags_are_known(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let (flags, rest) = match text.strip_prefix('(').and_then(|text| text.split_once(')')) {
        Some((flags, rest)) => (flags, rest),
        None => ("", text),
    };
    let mut flags = flags.chars();
    while let Some(flag) = flags.next() {
        let is_known = match flag {
            // What it divides at, or joins with, stands between two of a character.
            's' | 'j' => flags.next().is_some_and(|mark| {
                !mark.is_alphanumeric() && flags.by_ref().any(|other| other == mark)
            }),
            flag => "@fFkvoOainuULCqQtwWcMSRBENVzp0".contains(flag),
        };
        if !is_known {
            return false;
        }
    }
    !rest.trim_start_matches(['=', '~', '+']).contains('=')
}

/// Whether a brace stands in a default, a pattern or a replacement, where some shells look for its end.
pub(super) fn operand_has_brace(parameter: &Parameter) -> bool {
    let operands = [&parameter.argument, &parameter.second];
    operands.into_iter().flatten().flat_map(|word| &word.parts).any(|part| match &part.kind {
        PartKind::Literal(text) => text.contains('{'),
        _ => false,
    })
}

/// Whether braces hold a list, or a sequence that is the same wherever there are any: `{1..9}`, `{01..10..2}`, `{a..e}`.
pub(super) fn is_plain_sequence(text: &[u8]) -> bool {
    let inner = text.strip_prefix(b"{").and_then(|text| text.strip_suffix(b"}"));
    let Some(inner) = inner.and_then(|inner| std::str::from_utf8(inner).ok()) else { return true };
    if !inner.contains("..") || inner.contains([',', '{']) {
        return true;
    }
    let is_number = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let is_signed = digits.len() < text.len();
        !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !(is_signed && digits.len() > 1 && digits.starts_with('0'))
    };
    match inner.split("..").collect::<Vec<_>>().as_slice() {
        [from, to] => {
            let is_letter =
                |text: &str| text.len() == 1 && text.as_bytes()[0].is_ascii_alphabetic();
            (is_number(from) && is_number(to)) || (is_letter(from) && is_letter(to))
        }
        [from, to, step] => {
            is_number(from) && is_number(to) && is_number(step) && !step.starts_with(['-', '0'])
        }
        _ => false,
    }
}

/// Returns what stands between the brackets of `$a[1]`, or nothing for `$#a`: text that zsh takes for part of the expansion, and
/// that runs nothing of its own.
#[must_use]
pub fn plain_subscript<'p>(part: &Part, next: &'p Part) -> Option<&'p str> {
    let PartKind::Parameter(parameter) = &part.kind else { return None };
    let (PartKind::Literal(text) | PartKind::Glob(text)) = &next.kind else { return None };
    let is_whole = parameter.operator.is_empty()
        && parameter.index.is_none()
        && !parameter.length
        && !parameter.indirect;
    // The dollar, and a quote that belongs to it.
    let is_bare = part.span.len() <= parameter.name.len() + 1 + usize::from(part.quoted);
    if !is_whole || !is_bare || part.quoted != next.quoted {
        return None;
    }
    if parameter.name == "#" {
        let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        return is_name.then_some("");
    }
    let (inner, _) = text.strip_prefix('[')?.split_once(']')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@*,-".contains(c);
    (!inner.is_empty() && inner.chars().all(is_plain)).then_some(inner)
}
