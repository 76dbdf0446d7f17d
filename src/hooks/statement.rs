//! Statements of SQL, GraphQL, Redis and their like: which texts change something, and which of SQL plainly read.
//! Says nothing of which tools and fields take one.

use super::table::{CALLED, CHANGES, CLOSED, LOUD, OPENERS, PLAIN_OPENERS, STATEMENTS, STOPS};

/// Returns whether a text is a statement that changes something: by how it begins, or since one of its words says so. Texts that people search for are
/// no statements: these have a sign of one, or begin in capitals.
pub(super) fn changes(text: &str) -> bool {
    let clear = without_comments(text);
    let begins = |text: &str| {
        let plain = text.trim_start_matches(|c: char| c.is_whitespace() || ",;(.".contains(c));
        let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        (STATEMENTS.iter().any(|statement| plain.starts_with(statement)), plain)
    };
    let first =
        |part: &str| part.split(is_no_part).find(|word| !word.is_empty()).map(str::to_owned);
    // Behind a semicolon people begin a sentence in small letters.
    let is_loud = |part: &str| {
        let is_capital = |word: &String| word.bytes().all(|byte| byte.is_ascii_uppercase());
        first(part).filter(|word| word.len() > 2 && is_capital(word))
    };
    let is_told =
        |part: &str| is_loud(part).is_some_and(|word| LOUD.contains(&word.to_lowercase().as_str()));
    let (is_one, plain) = begins(&clear);
    let behind = || clear.split(';').skip(1);
    if is_one
        || is_told(&clear)
        || behind().any(|part| is_loud(part).is_some() && begins(part).0 || is_told(part))
    {
        return true;
    }
    let mut words = plain.split(is_no_part).filter(|word| !word.is_empty());
    let is_statement = |plain: &str| {
        plain.contains([';', '(', '{', '=', '$', '.'])
            || [" from ", " table ", " to ", " on ", " outfile ", " dumpfile "]
                .iter()
                .any(|sign| plain.contains(sign))
    };
    let opens = plain.starts_with('{')
        || words.clone().next().is_some_and(|first| OPENERS.contains(&first));
    opens && is_statement(&plain) && words.any(|word| CHANGES.contains(&word))
}

fn is_no_part(c: char) -> bool {
    !(c.is_alphanumeric() || c == '_')
}

/// Returns whether a text is one statement of SQL that reads tables and does nothing else, whatever database reads it: it has no comments, which some
/// databases run, calls only functions that are known, and names nothing in which a database keeps what is secret.
pub(super) fn plainly_reads(text: &str) -> bool {
    const ODD: [&str; 7] = [";", "--", "/*", "#", "$", "@", ":="];
    // What moves the end of a literal in some databases.
    const UNCLEAR: [char; 4] = ['\\', '[', '\0', '\u{1a}'];
    let text = text.trim();
    let one = text.strip_suffix(';').unwrap_or(text);
    let Some(clear) = without_literals(one).filter(|clear| clear.is_ascii()) else { return false };
    if one.contains(UNCLEAR) || ODD.iter().any(|odd| clear.contains(odd)) {
        return false;
    }
    let clear = clear.to_lowercase();
    let mut words = clear.split(is_no_part).filter(|word| !word.is_empty());
    let opens = words.clone().next().is_some_and(|first| PLAIN_OPENERS.contains(&first));
    let stops = |word: &str| CHANGES.contains(&word) || STOPS.contains(&word);
    let is_closed = |word: &str| CLOSED.iter().any(|name| word.contains(name));
    let calls = |at: usize| {
        let before = clear[..at].trim_end();
        let start = before.rfind(is_no_part).map_or(0, |at| at + 1);
        let called = &before[start..];
        called.is_empty() || CALLED.contains(&called)
    };
    opens
        && !words.any(|word| stops(word) || is_closed(word))
        && clear.match_indices('(').all(|(at, _)| calls(at))
}

/// A statement with `''` in the place of each literal, and names without their quotes; none where one does not end, where databases differ on what it is,
/// or where it may be the name of a file.
fn without_literals(text: &str) -> Option<String> {
    let mut clear = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        clear.push_str(&rest[..at]);
        let quote = &rest[at..=at];
        let (inside, behind) = rest[at + 1..].split_once(quote)?;
        rest = behind;
        if quote != "'" {
            if inside.contains(|c: char| !(c.is_alphanumeric() || c == '_' || c == ' ')) {
                return None;
            }
            clear.push_str(inside);
            continue;
        }
        let before = clear.trim_end().to_ascii_lowercase();
        let is_read = READ_FROM.iter().any(|word| before.ends_with(word));
        if is_read || before.ends_with(',') && inside.contains(['.', '/']) {
            return None;
        }
        clear.push_str("''");
    }
    clear.push_str(rest);
    Some(clear)
}

/// Words behind which some databases read the file that a literal names.
const READ_FROM: [&str; 6] = ["from", "join", "table", "describe", "desc", "show"];

/// A text with a blank in the place of each comment, as SQL (`-- …`, `/* … */`) and others (`# …`, `// …`) write them. One that does not end is none.
fn without_comments(text: &str) -> String {
    const COMMENTS: [(&str, &str); 4] = [("/*", "*/"), ("--", "\n"), ("#", "\n"), ("//", "\n")];
    // Where one does not end, none of its kind does that begins behind it.
    let mut may_end = [true; COMMENTS.len()];
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let begun = COMMENTS.iter().zip(&mut may_end).find_map(|((begin, end), may_end)| {
            let inside = rest.strip_prefix(begin).filter(|_| *may_end)?;
            let at = inside.find(end);
            *may_end = at.is_some();
            Some(&inside[at? + end.len()..])
        });
        if let Some(after) = begun {
            plain.push(' ');
            rest = after;
        } else {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{changes, plainly_reads};

    #[test]
    fn a_statement_plainly_reads_if_nothing_in_it_does_more() {
        for text in [
            "SELECT 1",
            "select a, count(*) from t where b = 'x' group by a order by 2 limit 3;",
            "WITH a AS (SELECT 1) SELECT * FROM a",
            "SELECT * FROM t WHERE a IN ('x', 'it''s') AND (b > 1 OR c LIKE '%y')",
            "SHOW TABLES",
            "EXPLAIN SELECT * FROM t",
            "DESCRIBE t",
            "SELECT * FROM `t` WHERE mail = 'a@b.example' AND path = '/a/b' AND c = '# -- x'",
            "SELECT \"name\" FROM public.users u JOIN orders o ON (o.user_id = u.id)",
        ] {
            assert!(plainly_reads(text), "{text}");
        }
        for text in [
            "DELETE FROM t",
            "SELECT 1; DROP TABLE x",
            "SELECT 1 DROP TABLE x",
            "SELECT 1 /*! INTO OUTFILE '/tmp/x' */",
            "SELECT 1 -- x",
            "SELECT a INTO b FROM t",
            "SELECT pg_read_file('x')",
            "SELECT f_any()",
            "SELECT lo_import ('x')",
            "SELECT * FROM '/etc/passwd'",
            "SELECT * FROM 'x.csv'",
            "SELECT passwd FROM pg_shadow",
            "SELECT api_token FROM users",
            "SELECT * FROM t FOR UPDATE",
            "SELECT 1 KILL 3",
            "SELECT 'a",
            "SELECT @a := 1",
            "SELECT 'a\\' , f() , 'b'",
            "SELECT \"'\" , f() , \"'\"",
            "SELECT [x'] , f() , [y']",
            "SELECT * FROM \"x.csv\"",
            "SELECT * FROM t, '/etc/passwd'",
            "VACUUM",
            "x",
            "",
        ] {
            assert!(!plainly_reads(text), "{text}");
        }
    }

    #[test]
    fn a_statement_that_changes_something_is_no_search_for_its_words() {
        for text in [
            "KILL 12",
            "VACUUM",
            "VACUUM FULL t",
            "SET GLOBAL x = 1",
            "FLUSHALL",
            "flushall",
            "CONFIG SET dir /tmp",
            "config set dir /tmp",
            "DEBUG SLEEP 1",
            "COPY t TO '/tmp/x'",
            "SELECT 1; KILL 3",
            "select 1 into outfile '/tmp/x'",
            "SHUTDOWN",
            "kill 12",
            "vacuum;",
            "DEL a",
            "EVAL \"return 1\" 0",
            "SCRIPT FLUSH",
            "CLIENT KILL ID 3",
            "UNLINK k",
        ] {
            assert!(changes(text), "{text}");
        }
        for text in [
            "Kill switch",
            "how to kill a process",
            "vacuum cleaner",
            "Set up CI",
            "copy button",
            "debug logs",
            "config settings page",
            "save as dialog",
            "GET a",
            "KEYS *",
            "Publish to npm",
            "Debug mode not working",
            "kill the process",
        ] {
            assert!(!changes(text), "{text}");
        }
    }
}
