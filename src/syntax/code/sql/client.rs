//! What the clients of databases take for commands of their own: `\d` of psql, `.tables` of sqlite3 and DuckDB, `\G` of mysql.

use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, Whitespace};

use super::{call, call_with, grammar, unread};
use crate::model::Dialect;
use crate::syntax::Code;

/// A part of what a client gets.
pub(super) enum Piece<'a> {
    /// A line that is the client's own command.
    Client(&'a str),
    /// Whole statements.
    Sql(Vec<TokenWithSpan>),
    /// Text that is neither.
    Unread(&'a str),
}

/// Takes apart what a client gets: lines of its own stand where a statement could begin.
pub(super) fn pieces(text: &str, dialect: Dialect) -> Vec<Piece<'_>> {
    // `go` and `/` end statements for some, and are names to the parser.
    let ends = |line: &str| matches!(line.trim(), "/" | "go" | "GO" | "Go" | "gO");
    let marks = marks(dialect);
    let others = matches!(dialect, Dialect::Sqlite | Dialect::MsSql | Dialect::Any);
    // Comments that MySQL runs, some of them by its version.
    let runs_comments = matches!(dialect, Dialect::MySql | Dialect::Any)
        && (text.contains("/*!") || text.contains("/*M!"));
    if runs_comments || (others && text.lines().any(ends)) {
        return vec![Piece::Unread(text)];
    }
    let mut pieces = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        if rest.starts_with(marks) {
            let (line, more) = rest.split_at(rest.find('\n').unwrap_or(rest.len()));
            pieces.push(Piece::Client(line));
            rest = more.trim_start();
            continue;
        }
        let end = next_mark(rest, marks);
        // In the middle of a statement, or of a text, such a line is part of that; few are written so.
        let whole = tokens(&rest[..end], dialect).filter(|it| end == rest.len() || is_whole(it));
        let Some(tokens) = whole else {
            pieces.push(Piece::Unread(rest));
            break;
        };
        pieces.push(Piece::Sql(tokens));
        rest = rest[end..].trim_start();
    }
    pieces
}

/// The characters with which the client's own lines begin.
const fn marks(dialect: Dialect) -> &'static [char] {
    match dialect {
        Dialect::PostgreSql => &['\\'],
        Dialect::Sqlite | Dialect::DuckDb => &['.'],
        Dialect::Any => &['\\', '.'],
        Dialect::MySql | Dialect::ClickHouse | Dialect::BigQuery | Dialect::MsSql => &[],
    }
}

/// Where the next line begins that may be a command of the client.
fn next_mark(text: &str, marks: &[char]) -> usize {
    let mut lines = text.match_indices('\n').map(|(at, _)| at + 1);
    lines.find(|at| text[*at..].trim_start().starts_with(marks)).unwrap_or(text.len())
}

fn tokens(text: &str, dialect: Dialect) -> Option<Vec<TokenWithSpan>> {
    let mut tokens = Tokenizer::new(grammar(dialect), text).tokenize_with_location().ok()?;
    if matches!(dialect, Dialect::PostgreSql | Dialect::MySql | Dialect::Any) {
        end_by_command(&mut tokens);
    }
    Some(tokens)
}

/// `\G` and the like end a statement as `;` does, where nothing follows that they could take.
fn end_by_command(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while at + 1 < tokens.len() {
        let ends = match (&tokens[at].token, &tokens[at + 1].token) {
            (Token::Backslash, Token::Word(word)) => {
                matches!(word.value.as_str(), "g" | "G" | "gx" | "gdesc")
            }
            _ => false,
        };
        let mut behind = tokens[at + 2..].iter().map(|token| &token.token);
        let is_last = behind
            .find(|token| !matches!(token, Token::Whitespace(Whitespace::Space | Whitespace::Tab)))
            .is_none_or(|token| {
                matches!(token, Token::SemiColon | Token::Whitespace(Whitespace::Newline))
            });
        if ends && is_last {
            tokens[at].token = Token::SemiColon;
            tokens.remove(at + 1);
        }
        at += 1;
    }
}

/// Whether tokens end where a statement ends.
fn is_whole(tokens: &[TokenWithSpan]) -> bool {
    let last = tokens.iter().rev().find(|token| !matches!(token.token, Token::Whitespace(_)));
    last.is_none_or(|token| token.token == Token::SemiColon)
}

/// Tells what a command of the client does.
pub(super) fn command(line: &str, dialect: Dialect, calls: &mut Vec<Code>) {
    let (name, arguments) =
        line.split_at(line[1..].find(|c: char| !is_part(c)).map_or(line.len(), |at| at + 1));
    let arguments = arguments.trim();
    // `\! COMMAND` takes all of the line; `.shell COMMAND` takes it apart at quotes.
    let is_shell = matches!(name, "\\!" | ".shell" | ".system");
    if is_shell && dialect != Dialect::Any {
        let is_known = name == "\\!" || !arguments.contains(['\'', '"', '\\']);
        calls.push(if is_known && !arguments.is_empty() {
            call_with(":shell", arguments)
        } else {
            call(":opaque", Vec::new())
        });
        return;
    }
    // Text in backquotes is run, a bar begins a program, a backslash the next command.
    if arguments.contains(['|', '!', '`', '>', '\\']) {
        calls.push(unread());
        return;
    }
    // `\c DATABASE USER HOST`, `\c host=x`: another server.
    let is_elsewhere = arguments.contains(['=', ':', ' ']);
    if matches!(name, "\\c" | "\\connect") && is_elsewhere {
        calls.push(unread());
        return;
    }
    // `\d+`, `\dtS`: more of the same.
    let plain = match name.strip_prefix('\\') {
        Some(_) => name.trim_end_matches(['+', 'S', 'x']),
        None => name,
    };
    calls.push(call(if plain.len() > 1 { plain } else { name }, Vec::new()));
}

const fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '!' | '?')
}
