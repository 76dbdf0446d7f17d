//! SQL that is not parsed, by its words: what it plainly says that it does, and that it is not read.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{call, call_with, unread};
use crate::model::Dialect;
use crate::syntax::Code;

/// First words of statements that only show, whatever follows.
const SHOWS: &[&str] = &["SHOW", "DESCRIBE", "DESC", "HELP", "SUMMARIZE"];
/// First words of statements that change data or schema.
const CHANGES: &[&str] = &[
    "INSERT", "UPDATE", "CREATE", "ALTER", "GRANT", "REVOKE", "REPLACE", "MERGE", "REINDEX",
    "VACUUM", "ANALYZE", "COMMENT", "CALL", "REFRESH", "UPSERT", "RENAME", "LOAD", "IMPORT", "DO",
    "EXEC", "EXECUTE", "KILL",
];
/// Words that make a statement which begins as if it read more than that.
const WRITERS: &[&str] = &[
    "INTO",
    "OUTFILE",
    "DUMPFILE",
    "COPY",
    "INSERT",
    "UPDATE",
    "DELETE",
    "MERGE",
    "DROP",
    "TRUNCATE",
    "LOAD_FILE",
    "XP_CMDSHELL",
    "DBLINK",
    "LO_IMPORT",
    "LO_EXPORT",
    "WRITEFILE",
    "PG_READ_FILE",
    "PG_READ_BINARY_FILE",
    "LOAD_EXTENSION",
    "SYS_EXEC",
    "SYS_EVAL",
];

/// Whether a token begins a statement that does something, or could, if one could begin there.
pub(super) fn begins_statement(token: &Token) -> bool {
    let Token::Word(word) = token else { return false };
    let name = word.value.to_ascii_uppercase();
    let others = ["SELECT", "DROP", "DELETE", "TRUNCATE", "SHUTDOWN", "BACKUP", "RESTORE", "BULK"];
    let more = ["DENY", "RECONFIGURE", "DBCC", "SET", "USE", "DISABLE", "ENABLE", "WAITFOR"];
    word.quote_style.is_none()
        && (CHANGES.contains(&name.as_str())
            || others.contains(&name.as_str())
            || more.contains(&name.as_str()))
}

/// Tells what one statement does by its words.
pub(super) fn tokens(tokens: &[TokenWithSpan], dialect: Dialect, calls: &mut Vec<Code>) {
    let significant = tokens.iter().map(|token| &token.token);
    let significant: Vec<&Token> =
        significant.filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    let words: Vec<String> = significant
        .iter()
        .filter_map(|token| match token {
            Token::Word(word) if word.quote_style.is_none() => {
                Some(word.value.to_ascii_uppercase())
            }
            _ => None,
        })
        .collect();
    let Some(first) = significant.first() else { return };
    if let Some(pragma) = pragma(&significant) {
        calls.push(call(&pragma, Vec::new()));
        return;
    }
    let shows = matches!(first, Token::Word(word) if word.quote_style.is_none());
    let shows = shows && words.first().is_some_and(|first| SHOWS.contains(&first.as_str()));
    let is_plain = |token: &&Token| !matches!(token, Token::LParen | Token::Backslash);
    if shows && significant.iter().all(is_plain) && !writes(&words) {
        calls.push(call(":read", Vec::new()));
        // `SUMMARIZE 'FILE'`
        if dialect == Dialect::DuckDb {
            for token in significant {
                match token {
                    Token::SingleQuotedString(text) => calls.push(call_with(":file-read", text)),
                    Token::Word(word) if word.quote_style.is_some() => {
                        calls.push(call_with(":file-read", &word.value));
                    }
                    _ => {}
                }
            }
        }
        return;
    }
    by_words(&words, calls);
}

/// `PRAGMA [SCHEMA.]NAME`, with `= VALUE` or `(VALUE)`: the parser knows no values that are words.
fn pragma(tokens: &[&Token]) -> Option<String> {
    let name = |token: &Token| match token {
        Token::Word(word) => Some(word.value.to_ascii_lowercase()),
        _ => None,
    };
    let (first, rest) = tokens.split_first()?;
    if name(first)? != "pragma" {
        return None;
    }
    let rest = match rest {
        [Token::Word(_), Token::Period, rest @ ..] => rest,
        rest => rest,
    };
    let (own, rest) = rest.split_first()?;
    let sign = match rest {
        [] => "",
        [Token::Eq, _] | [Token::LParen, _, Token::RParen] => "=",
        _ => return None,
    };
    Some(format!("pragma.{}{sign}", name(own)?))
}

/// Tells what text does of which not even the tokens are known.
pub(super) fn text(text: &str, calls: &mut Vec<Code>) {
    for statement in text.split(';') {
        // What stands in quotes is data, mostly: it says nothing of what is done.
        let outside = statement.split('\'').step_by(2);
        let words = outside.flat_map(|piece| piece.split(|c: char| !is_part(c)));
        let words = words.filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_ascii_uppercase).collect();
        by_words(&words, calls);
    }
}

const fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn writes(words: &[String]) -> bool {
    words.iter().skip(1).any(|word| WRITERS.contains(&word.as_str()))
}

fn by_words(words: &[String], calls: &mut Vec<Code>) {
    calls.push(unread());
    let Some(first) = words.first() else { return };
    let has = |word: &str| words.iter().any(|own| own == word);
    let name = match first.as_str() {
        "DROP" | "TRUNCATE" => ":destroy",
        "DELETE" | "UPDATE" if !has("WHERE") => ":destroy",
        "ALTER" if has("DROP") => ":destroy",
        "WITH" | "EXPLAIN" if has("DELETE") || has("TRUNCATE") || has("DROP") => ":destroy",
        first if CHANGES.contains(&first) || first == "DELETE" || writes(words) => ":change",
        _ => return,
    };
    calls.push(call(name, Vec::new()));
}
