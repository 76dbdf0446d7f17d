//! SQL to [`Code`]: every statement, function, setting and file that it names becomes a call of a name in `rules/inner/sql.toml`.
//! What the parser does not take is told by its words, and beside that not read.

mod client;
mod statement;
mod unparsed;

use sqlparser::ast::Statement;
use sqlparser::dialect::{
    BigQueryDialect, ClickHouseDialect, Dialect as Grammar, DuckDbDialect, GenericDialect,
    MsSqlDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};

use self::client::Piece;
use super::{Argument, Code, is_plain};
use crate::model::Dialect;
use crate::syntax::limits::{MAX_CODE_BYTES, MAX_SQL_DEPTH, MAX_SQL_ROW};

/// Reads SQL as the client of such a database takes it, with the commands that are the client's own.
pub(super) fn lower(text: &str, dialect: Dialect) -> Code {
    let mut calls = Vec::new();
    if text.len() > MAX_CODE_BYTES || !is_plain(text) {
        unparsed::text(text, &mut calls);
        return Code::Parts(calls);
    }
    for piece in client::pieces(text, dialect) {
        match piece {
            Piece::Client(line) => client::command(line, dialect, &mut calls),
            Piece::Sql(tokens) => statements(&tokens, dialect, &mut calls),
            Piece::Unread(text) => unparsed::text(text, &mut calls),
        }
    }
    Code::Parts(calls)
}

/// A call of what the sheet has by this name.
fn call(name: &str, arguments: Vec<Argument>) -> Code {
    Code::Call(Box::new(Code::Name(name.to_owned())), arguments)
}

/// A call with one text.
fn call_with(name: &str, text: &str) -> Code {
    call(name, vec![Argument::plain(Code::Text(text.to_owned()))])
}

/// Something that no sheet lists.
fn unread() -> Code {
    call(":unread", Vec::new())
}

fn grammar(dialect: Dialect) -> &'static dyn Grammar {
    match dialect {
        Dialect::Any => &GenericDialect,
        Dialect::PostgreSql => &PostgreSqlDialect {},
        Dialect::MySql => &MySqlDialect {},
        Dialect::Sqlite => &SQLiteDialect {},
        Dialect::DuckDb => &DuckDbDialect {},
        Dialect::ClickHouse => &ClickHouseDialect {},
        Dialect::BigQuery => &BigQueryDialect,
        Dialect::MsSql => &MsSqlDialect {},
    }
}

fn statements(tokens: &[TokenWithSpan], dialect: Dialect, calls: &mut Vec<Code>) {
    let hides = tokens.iter().any(|token| hides(&token.token, dialect));
    if !hides && is_shallow(tokens) {
        if let Some(statements) = parsed(tokens.to_vec(), dialect) {
            statement::lower(&statements, dialect, calls);
            return;
        }
        // One that the parser does not take says nothing about the others.
        for one in tokens.split(|token| token.token == Token::SemiColon) {
            match parsed(one.to_vec(), dialect) {
                Some(statements) => statement::lower(&statements, dialect, calls),
                None => unparsed::tokens(one, dialect, calls),
            }
        }
        return;
    }
    for one in tokens.split(|token| token.token == Token::SemiColon) {
        unparsed::tokens(one, dialect, calls);
    }
    calls.push(unread());
}

/// Parses statements; none unless all of the text is part of one.
fn parsed(tokens: Vec<TokenWithSpan>, dialect: Dialect) -> Option<Vec<Statement>> {
    // Statements of T-SQL follow each other without a mark: a name may be the next one.
    let begins = |token: &TokenWithSpan| unparsed::begins_statement(&token.token);
    if dialect == Dialect::MsSql && tokens.iter().filter(|token| begins(token)).count() > 1 {
        return None;
    }
    let mut parser = Parser::new(grammar(dialect))
        .with_recursion_limit(MAX_SQL_DEPTH)
        .with_tokens_with_locations(tokens);
    let statements = parser.parse_statements().ok()?;
    (parser.peek_token_ref().token == Token::EOF).then_some(statements)
}

/// Whether a token may be something else to the database: comments that some run, or end elsewhere, and escapes that only some know.
fn hides(token: &Token, dialect: Dialect) -> bool {
    match token {
        Token::Whitespace(Whitespace::MultiLineComment(text)) => {
            text.starts_with('!') || text.starts_with("M!") || text.contains("/*")
        }
        Token::Whitespace(Whitespace::SingleLineComment { comment, prefix }) => {
            let is_sure = comment.is_empty() || comment.starts_with([' ', '\t', '\n', '-']);
            dialect == Dialect::Any && (prefix != "--" || !is_sure)
        }
        Token::SingleQuotedString(text) | Token::DoubleQuotedString(text) => {
            dialect == Dialect::Any && text.contains('\\')
        }
        _ => false,
    }
}

/// Whether a tree of these tokens is no deeper than the stack: what stands in a row without a comma may be a chain, and so are `UNION`s.
fn is_shallow(tokens: &[TokenWithSpan]) -> bool {
    let mut rows = vec![0usize];
    let mut unions = 0usize;
    for token in tokens {
        match &token.token {
            Token::Whitespace(_) => continue,
            Token::LParen | Token::LBracket | Token::LBrace => rows.push(0),
            Token::RParen | Token::RBracket | Token::RBrace if rows.len() > 1 => {
                rows.pop();
            }
            Token::Comma => rows.last_mut().map_or((), |row| *row = 0),
            Token::SemiColon => (rows, unions) = (vec![0], 0),
            Token::Word(word) => {
                let joins = [Keyword::UNION, Keyword::EXCEPT, Keyword::INTERSECT, Keyword::MINUS];
                unions += usize::from(joins.contains(&word.keyword));
            }
            _ => {}
        }
        let row = rows.last_mut().map_or(0, |row| {
            *row += 1;
            *row
        });
        if rows.len() > MAX_SQL_DEPTH || row > MAX_SQL_ROW || unions > MAX_SQL_ROW / 2 {
            return false;
        }
    }
    true
}
