//! awk programs (POSIX `awk`, gawk): which programs they run and which files they touch.

use super::Found;
use crate::model::{Arg, EffectKind};
use crate::variables::holds_secret;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// Its text, unless it has an escape that not every awk reads alike.
    String(Option<String>),
    Regex,
    Word(String),
    Number,
    Mark(char),
    /// `>>`, `||`, `&&`, `|&`, `==`…
    Pair(char, char),
    End,
}

/// Reads a program; none if a string or regular expression does not end, or gawk loads more code.
pub(super) fn read(program: &str) -> Option<Found> {
    let tokens = tokens(program)?;
    let mut found = Found::default();
    let mut print: Option<usize> = None;
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        match token {
            Token::Mark('(' | '[') => depth += 1,
            Token::Mark(')' | ']') => depth = depth.saturating_sub(1),
            Token::End | Token::Mark('{' | '}') => print = None,
            Token::Word(word) => match word.as_str() {
                "print" | "printf" => print = Some(depth),
                "system" => found.commands.push(argument(&tokens[at + 1..])),
                "getline" => getline(&tokens, at, &mut found),
                "ENVIRON" if !names_one(&tokens[at + 1..]) => {
                    found.effects.push((EffectKind::Disclose, None));
                }
                // What is put there, is read as the operands are.
                "ARGV" if is_assigned(&tokens[at + 1..]) => {
                    found.effects.push((EffectKind::Read, Some(Arg::Unknown)));
                }
                _ => {}
            },
            Token::Mark('>') | Token::Pair('>', '>') if print == Some(depth) => {
                file(next, tokens.get(at + 2), EffectKind::Write, &mut found);
            }
            Token::Mark('|') | Token::Pair('|', '&') => {
                if let Some(Token::Word(word)) = next
                    && word == "getline"
                {
                    let whole = at >= 1 && starts_expression(tokens.get(at.wrapping_sub(2)));
                    found.commands.push(text(at.checked_sub(1).and_then(|a| tokens.get(a)), whole));
                } else {
                    found.commands.push(text(next, ends_expression(tokens.get(at + 2))));
                }
            }
            // `@include`, `@load`, calls by name.
            Token::Mark('@') => return None,
            _ => {}
        }
    }
    Some(found)
}

/// The text of a token that is a whole expression by itself.
fn text(token: Option<&Token>, whole: bool) -> Option<String> {
    match token {
        Some(Token::String(text)) if whole => text.clone(),
        _ => None,
    }
}

fn starts_expression(before: Option<&Token>) -> bool {
    matches!(before, None | Some(Token::End | Token::Mark('{' | '(' | '!' | ';')))
        || matches!(before, Some(Token::Word(word)) if matches!(word.as_str(), "while" | "if" | "BEGIN" | "END"))
}

fn ends_expression(after: Option<&Token>) -> bool {
    matches!(after, None | Some(Token::End | Token::Mark('}' | ')')))
}

fn argument(tokens: &[Token]) -> Option<String> {
    match tokens {
        [Token::Mark('('), Token::String(text), Token::Mark(')'), ..] => text.clone(),
        _ => None,
    }
}

/// Whether this is one element, whose name is no secret's.
fn names_one(tokens: &[Token]) -> bool {
    matches!(tokens, [Token::Mark('['), Token::String(Some(name)), Token::Mark(']'), ..] if !holds_secret(name))
}

/// Whether an element is assigned to.
fn is_assigned(tokens: &[Token]) -> bool {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('[') => depth += 1,
            Token::Mark(']') if depth == 1 => {
                return !matches!(
                    tokens.get(at + 1),
                    None | Some(
                        Token::End
                            | Token::Pair('=' | '!' | '<' | '>' | '&' | '|', _)
                            | Token::Mark(')' | ',' | '}' | '<' | '>' | '~' | '?' | ':')
                    )
                );
            }
            Token::Mark(']') => depth = depth.saturating_sub(1),
            _ if depth == 0 => return true,
            _ => {}
        }
    }
    true
}

fn getline(tokens: &[Token], at: usize, found: &mut Found) {
    // `getline [VARIABLE] < FILE`
    let rest = &tokens[at + 1..];
    let rest = match rest {
        [Token::Word(_), rest @ ..] => rest,
        rest => rest,
    };
    if let [Token::Mark('<'), target, ..] = rest {
        file(Some(target), rest.get(2), EffectKind::Read, found);
    }
}

fn file(target: Option<&Token>, after: Option<&Token>, kind: EffectKind, found: &mut Found) {
    let name = text(target, ends_expression(after));
    if name.as_deref().is_some_and(|name| matches!(name, "/dev/stdout" | "/dev/stderr" | "-")) {
        return;
    }
    // gawk opens connections by such names (gawk manual, 12.4).
    let is_remote = name.as_deref().is_some_and(|name| name.starts_with("/inet"));
    let kind = if is_remote { EffectKind::Send } else { kind };
    let target = if is_remote { Arg::Unknown } else { name.map_or(Arg::Unknown, Arg::Known) };
    found.effects.push((kind, Some(target)));
}

fn tokens(program: &str) -> Option<Vec<Token>> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = program;
    while let Some(first) = rest.chars().next() {
        let used = match first {
            '\n' | ';' => {
                tokens.push(Token::End);
                1
            }
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '\\' if rest.starts_with("\\\n") => 2,
            '"' => {
                let (text, used) = string(rest)?;
                tokens.push(Token::String(text));
                used
            }
            '/' if regex_may_start(tokens.last()) => {
                tokens.push(Token::Regex);
                regex(rest)?
            }
            _ if first.is_ascii_digit() => {
                tokens.push(Token::Number);
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '.';
                rest.find(|c| !is_part(c)).unwrap_or(rest.len())
            }
            _ if first.is_ascii_alphabetic() || first == '_' => {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..end].to_owned()));
                end
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                let second = rest[first.len_utf8()..].chars().next().unwrap_or('\0');
                if matches!(
                    (first, second),
                    ('>', '>') | ('|', '|' | '&') | ('&', '&') | ('=' | '!' | '<' | '>', '=')
                ) {
                    tokens.push(Token::Pair(first, second));
                    2
                } else {
                    tokens.push(Token::Mark(first));
                    first.len_utf8()
                }
            }
        };
        rest = &rest[used..];
    }
    Some(tokens)
}

fn regex_may_start(before: Option<&Token>) -> bool {
    match before {
        None | Some(Token::End | Token::Pair(..)) => true,
        Some(Token::Mark(mark)) => !matches!(mark, ')' | ']' | '$'),
        Some(Token::Word(word)) => {
            matches!(word.as_str(), "print" | "return" | "in" | "case" | "getline" | "printf")
        }
        Some(Token::String(_) | Token::Regex | Token::Number) => false,
    }
}

fn regex(rest: &str) -> Option<usize> {
    let mut escaped = false;
    let mut bracket = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return None,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => bracket = true,
            ']' => bracket = false,
            '/' if !bracket => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn string(rest: &str) -> Option<(Option<String>, usize)> {
    let mut text = Some(String::new());
    let mut characters = rest.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        let plain = match c {
            '"' => return Some((text, at + 1)),
            '\n' => return None,
            '\\' => match characters.next()?.1 {
                'n' => Some('\n'),
                't' => Some('\t'),
                same @ ('"' | '\\' | '/') => Some(same),
                // An octal or other escape could spell anything.
                _ => None,
            },
            c => Some(c),
        };
        text = text.zip(plain).map(|(text, plain)| text + plain.encode_utf8(&mut [0; 4]));
    }
    None
}
