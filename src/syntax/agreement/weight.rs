//! What asking brush-parser may cost. It backtracks, descends without a limit and panics on some input, and it may see
//! nesting where our reader saw inert text; so these bounds are taken from what it will look at, not from what we read.

use std::borrow::Cow;

use brush_parser::Token;

/// Stack that one level of nesting takes, measured without optimisation and rounded up.
const STACK_A_LEVEL: usize = 16 << 10;
/// Levels that fit on any stack that this is called on.
const FEW_LEVELS: usize = 64;
/// Levels for which a thread gets a stack: 512 MiB of addresses, of which only what is used is ever touched.
const MANY_LEVELS: usize = 32 << 10;
/// Tokens looked at, counted as often as backtracking may look at them: each takes about 20 ns.
const MOST_WORK: u64 = 1 << 24;
/// Here-documents, which it holds in lists that it takes apart from the front.
const MOST_HERE_DOCUMENTS: usize = 10_000;
/// Bytes of a here-document's delimiter, which it unquotes again at every newline.
const LONGEST_DELIMITER: usize = 1 << 10;

/// Where to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// On the stack at hand.
    Here,
    /// On a thread with a stack of so many bytes.
    Thread(usize),
    /// Nowhere: it might not come back.
    Nowhere,
}

/// Returns the text with as many newlines after it as it may miss there: where a bracket closes after a here-document
/// operator on the same line, it takes one byte too many for each, and panics at the end of the text.
pub(super) fn padded(text: &str) -> Cow<'_, str> {
    let expands = ["$(", "${", "$["].iter().any(|it| text.contains(it));
    if !expands || !text.contains("<<") {
        return Cow::Borrowed(text);
    }
    let closing = text.bytes().filter(|byte| matches!(byte, b')' | b'}' | b']')).count();
    Cow::Owned(text.to_owned() + &"\n".repeat(closing + 1))
}

/// Returns where it is safe to ask about a text.
pub(super) fn place(text: &str) -> Place {
    if hostile_here_document(text) {
        return Place::Nowhere;
    }
    match levels(text) {
        few if few <= FEW_LEVELS => Place::Here,
        many if many <= MANY_LEVELS => Place::Thread(many * STACK_A_LEVEL),
        _ => Place::Nowhere,
    }
}

/// Returns how many levels a text can open at most: whatever opens one, quoted or not, closed or not.
fn levels(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut levels = 0;
    let mut word = 0;
    for (at, byte) in bytes.iter().copied().enumerate() {
        let next = bytes.get(at + 1).copied().unwrap_or(b' ');
        levels += usize::from(match byte {
            b'(' => true,
            b'{' => next.is_ascii_whitespace() || next == b'\\' || at > 0 && bytes[at - 1] == b'$',
            b'[' => at > 0 && bytes[at - 1] == b'$',
            b'!' => next.is_ascii_whitespace() || next == b'\\',
            _ => false,
        });
        if byte.is_ascii_alphanumeric() {
            continue;
        }
        levels += usize::from(opens(&bytes[word..at]));
        word = at + 1;
    }
    levels + usize::from(opens(&bytes[word.min(bytes.len())..]))
}

fn opens(word: &[u8]) -> bool {
    matches!(
        word,
        b"if" | b"while" | b"until" | b"for" | b"case" | b"select" | b"coproc" | b"function"
    )
}

/// It never comes back from a here-document whose delimiter is empty and whose line is the last; and takes very long
/// over many of them, or long delimiters.
fn hostile_here_document(text: &str) -> bool {
    let mut rest = text;
    let mut many = 0;
    while let Some(at) = rest.find("<<") {
        rest = &rest[at + 2..];
        many += 1;
        if let Some(string) = rest.strip_prefix('<') {
            rest = string;
            continue;
        }
        let delimiter = rest.strip_prefix('-').unwrap_or(rest);
        if many > MOST_HERE_DOCUMENTS
            || hostile_delimiter(delimiter.trim_start_matches([' ', '\t']))
        {
            return true;
        }
    }
    false
}

fn hostile_delimiter(text: &str) -> bool {
    let mut quote = None;
    let mut length = 0;
    let mut empty = true;
    for character in text.chars() {
        if length > LONGEST_DELIMITER {
            return true;
        }
        match (quote, character) {
            (None, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | ')' | '(') => break,
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            _ => empty &= matches!(character, '\\' | ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C'),
        }
        length += 1;
    }
    length > 0 && empty || quote.is_some()
}

/// Returns whether parsing these tokens panics: a number that does not fit into 31 bits, before a redirection.
pub(super) fn panics(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|pair| match pair {
        [Token::Word(number, _), Token::Operator(operator, _)] => {
            operator.starts_with(['<', '>'])
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && number.parse::<i32>().is_err()
        }
        _ => false,
    })
}

/// Returns whether parsing these tokens takes long. It reads an arm of `case` without `;;` twice, and what it first takes
/// for arithmetic once more for every parenthesis that is open where that fails: both double with each level.
pub(super) fn is_heavy(tokens: &[Token]) -> bool {
    let doublings = arms(tokens) + parentheses(tokens);
    let work = u64::try_from(tokens.len()).unwrap_or(u64::MAX);
    work.checked_shl(doublings).is_none_or(|work| work > MOST_WORK) || doublings > 40
}

/// Returns how deep `case` may be nested. Only an `esac` that must be one closes.
fn arms(tokens: &[Token]) -> u32 {
    let (mut open, mut deepest) = (0_u32, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Word(word, _) if word == "case" => open += 1,
            Token::Word(word, _) if word == "esac" => {
                let closes = at > 0 && is_separator(&tokens[at - 1]);
                open = open.saturating_sub(u32::from(closes));
            }
            Token::Word(..) | Token::Operator(..) => {}
        }
        deepest = deepest.max(open);
    }
    deepest
}

fn is_separator(token: &Token) -> bool {
    matches!(token, Token::Operator(it, _) if matches!(it.as_str(), ";" | ";;" | ";&" | ";;&" | "&" | "\n" | ")"))
}

/// Returns how many parentheses may be open at once, if any of them can be taken for arithmetic or a regex.
fn parentheses(tokens: &[Token]) -> u32 {
    let (mut open, mut deepest, mut tried) = (0_u32, 0, false);
    let mut before = None;
    for token in tokens {
        let text = token.to_str();
        match token {
            Token::Operator(..) if text == "(" => {
                open += 1;
                tried |= before == Some("(");
            }
            Token::Operator(..) if text == ")" => open = open.saturating_sub(1),
            Token::Word(..) => tried |= text == "=~",
            Token::Operator(..) => {}
        }
        deepest = deepest.max(open);
        before = Some(text);
    }
    if tried { deepest } else { 0 }
}
