//! SQL text, by its statements' first words. What is not plainly a read is a change; what drops or empties is worse.

use super::Found;
use crate::model::EffectKind;

/// First words of statements that only read.
const READS: &[&str] =
    &["SELECT", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "VALUES", "TABLE", "HELP", "SUMMARIZE"];
/// First words of statements that only set up this connection.
const SESSION: &[&str] = &["USE", "BEGIN", "COMMIT", "ROLLBACK", "END", "START", "SET"];
/// First words of statements that change data or schema.
const CHANGES: &[&str] = &[
    "INSERT", "UPDATE", "CREATE", "ALTER", "GRANT", "REVOKE", "REPLACE", "MERGE", "REINDEX",
    "VACUUM", "ANALYZE", "COMMENT", "CALL", "REFRESH", "UPSERT", "RENAME",
];
/// Words that make a reading statement more than that: writing files, running functions with effects.
const WRITERS: &[&str] = &[
    "INTO",
    "OUTFILE",
    "DUMPFILE",
    "COPY",
    "PG_READ_FILE",
    "PG_READ_BINARY_FILE",
    "LO_IMPORT",
    "LO_EXPORT",
    "LOAD_FILE",
    "LOAD_EXTENSION",
    "WRITEFILE",
    "READFILE",
    "EDIT",
    "DBLINK",
    "PG_TERMINATE_BACKEND",
    "PG_CANCEL_BACKEND",
    "SETVAL",
    "NEXTVAL",
    "XP_CMDSHELL",
    "FOR",
    "READ_CSV",
    "READ_TEXT",
    "READ_BLOB",
    "PG_SLEEP",
    "SYS_EXEC",
    "SYS_EVAL",
    "SHELL",
    "SYSTEM",
    "FTS3_TOKENIZER",
    "INSERT",
    "UPDATE",
    "DELETE",
    "MERGE",
    "DROP",
    "TRUNCATE",
];

/// Reads statements; none if a statement or client command is not known.
pub(super) fn read(text: &str) -> Option<Found> {
    let mut found = Found::default();
    for statement in statements(text)? {
        let trimmed = statement.trim();
        if trimmed.is_empty() {
            continue;
        }
        let effect = if let Some(command) = trimmed.strip_prefix(['.', '\\']) {
            client_command(trimmed, command)?
        } else {
            classify(trimmed)?
        };
        found.effects.push((effect, None));
    }
    Some(found)
}

/// Commands of sqlite3 (`.tables`) and psql (`\d`) that only show.
fn client_command(whole: &str, command: &str) -> Option<EffectKind> {
    if whole.contains(['|', '!', '`', '>']) {
        return None;
    }
    let name = command.split_whitespace().next()?;
    let shows = if whole.starts_with('.') {
        matches!(
            name,
            "tables"
                | "schema"
                | "indexes"
                | "indices"
                | "databases"
                | "headers"
                | "header"
                | "mode"
                | "width"
                | "timer"
                | "stats"
                | "fullschema"
                | "dbinfo"
                | "show"
                | "help"
                | "quit"
                | "exit"
                | "dump"
                | "explain"
                | "separator"
                | "nullvalue"
        )
    } else {
        name.starts_with(['d', 'l', 'z', 'x', 'a', 't', 'q', 'c', 'p', '?'])
            && !matches!(name, "copy" | "cd" | "password" | "prompt" | "crosstabview")
            && name.trim_end_matches('+').len() <= 4
            || name == "timing"
            || name == "conninfo"
    };
    shows.then_some(EffectKind::DatabaseRead)
}

fn classify(statement: &str) -> Option<EffectKind> {
    let upper = without_strings(statement).to_ascii_uppercase();
    let words: Vec<&str> = upper
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let first = *words.first()?;
    let writes = || words[1..].iter().any(|word| WRITERS.contains(word));
    let has = |word: &str| words.contains(&word);
    Some(match first {
        "DROP" | "TRUNCATE" => EffectKind::DatabaseDestroy,
        "DELETE" if !has("WHERE") => EffectKind::DatabaseDestroy,
        "UPDATE" if !has("WHERE") => EffectKind::DatabaseDestroy,
        "DELETE" => EffectKind::DatabaseChange,
        "ALTER" if has("DROP") => EffectKind::DatabaseDestroy,
        "WITH" if has("DELETE") || has("TRUNCATE") || has("DROP") => EffectKind::DatabaseDestroy,
        "WITH" if !writes() => EffectKind::DatabaseRead,
        "PRAGMA" if !upper.contains('=') => EffectKind::DatabaseRead,
        "EXPLAIN" if has("ANALYZE") && writes() => EffectKind::DatabaseChange,
        _ if READS.contains(&first) && !writes() => EffectKind::DatabaseRead,
        _ if READS.contains(&first) => EffectKind::DatabaseChange,
        _ if SESSION.contains(&first) => EffectKind::DatabaseRead,
        _ if CHANGES.contains(&first) || first == "WITH" || first == "PRAGMA" => {
            EffectKind::DatabaseChange
        }
        _ => return None,
    })
}

/// Splits at semicolons outside strings and comments; none if a string or comment does not end.
fn statements(text: &str) -> Option<Vec<String>> {
    let mut all = vec![String::new()];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let used = if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/")? + 2
        } else if matches!(first, '\'' | '"' | '`') {
            let end = rest[1..].find(first)? + 2;
            all.last_mut()?.push_str(&rest[..end]);
            end
        } else if first == ';' {
            all.push(String::new());
            1
        } else {
            all.last_mut()?.push(first);
            first.len_utf8()
        };
        // A client command ends with its line.
        if first == '\n' && all.last().is_some_and(|s| s.trim_start().starts_with(['.', '\\'])) {
            all.push(String::new());
        }
        rest = &rest[used..];
    }
    Some(all)
}

fn without_strings(statement: &str) -> String {
    let mut plain = String::with_capacity(statement.len());
    let mut quote = None;
    for c in statement.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None if c == '\'' => quote = Some(c),
            None => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_apart() {
        for (text, expected) in [
            ("SELECT * FROM users;", Some(vec![EffectKind::DatabaseRead])),
            ("select 'drop table x'", Some(vec![EffectKind::DatabaseRead])),
            ("-- DROP TABLE x\nSELECT 1", Some(vec![EffectKind::DatabaseRead])),
            (
                "SELECT 1; drop table users",
                Some(vec![EffectKind::DatabaseRead, EffectKind::DatabaseDestroy]),
            ),
            ("DELETE FROM t WHERE id = 1", Some(vec![EffectKind::DatabaseChange])),
            ("DELETE FROM t", Some(vec![EffectKind::DatabaseDestroy])),
            ("SELECT * INTO OUTFILE '/tmp/x' FROM t", Some(vec![EffectKind::DatabaseChange])),
            (".tables", Some(vec![EffectKind::DatabaseRead])),
            (".shell rm x", None),
            ("\\! rm x", None),
            ("\\dt", Some(vec![EffectKind::DatabaseRead])),
            ("ATTACH 'x' AS y", None),
            ("SELECT 'unterminated", None),
        ] {
            let found = read(text)
                .map(|found| found.effects.into_iter().map(|(kind, _)| kind).collect::<Vec<_>>());
            assert_eq!(found, expected, "{text}");
        }
    }
}
