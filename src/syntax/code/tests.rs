use super::*;

fn python(text: &str) -> Option<Code> {
    parse_code(text, Language::Python, None)
}

fn name(name: &str) -> Code {
    Code::Name(name.to_owned())
}

#[test]
fn a_program_becomes_what_it_is_made_of() {
    let text = |text: &str| Code::Joined(vec![Code::Text(text.to_owned())]);
    let member = Code::Member(Box::new(name("os")), "remove".to_owned());
    let call = Code::Call(Box::new(member), vec![Argument::plain(text("a\n"))]);
    assert_eq!(python("os.remove('a\\n')"), Some(Code::Parts(vec![Code::Parts(vec![call])])));
}

#[test]
fn text_is_known_only_where_its_escapes_are() {
    for (literal, known) in [
        ("'a'", Some("a")),
        ("r'a\\d'", Some("a\\d")),
        ("'''a\nb'''", Some("a\nb")),
        ("'\\x41'", None),
        ("'\\N{BULLET}'", None),
        ("f'a{{b}}'", None),
    ] {
        let expected = known.map_or(Code::Data, |known| Code::Text(known.to_owned()));
        let whole = Code::Parts(vec![Code::Parts(vec![Code::Joined(vec![expected])])]);
        assert_eq!(python(literal), Some(whole), "{literal}");
    }
}

#[test]
fn what_is_not_listed_is_not_read() {
    for program in [
        "print(",
        "x = = 1",
        "match x:\n    case 1: pass",
        "exec 'x'",
        "class A(metaclass=B): pass",
        "def f[T](x): pass",
        "# coding: utf-7\nprint(1)",
        "print(1)\r",
        "ｐrint(1)",
        "print(1) \0",
        "\u{feff}print(1)",
        "type X = int",
    ] {
        assert_eq!(python(program), None, "{program}");
    }
}

#[test]
fn an_import_says_from_where() {
    for (program, path, name) in [
        ("from . import x", ".x", "x"),
        ("from ..a.b import x as y", "..a.b.x", "y"),
        ("from os import *", "os.*", ""),
    ] {
        let import = Code::Import { path: path.to_owned(), name: name.to_owned() };
        let whole = Code::Parts(vec![Code::Parts(vec![import])]);
        assert_eq!(python(program), Some(whole), "{program}");
    }
}

#[test]
fn limits_hold() {
    assert_eq!(python(&format!("x = '{}'", "a".repeat(MAX_CODE_BYTES))), None);
    assert_eq!(python(&"x\n".repeat(MAX_CODE_NODES / 2)), None);
    assert_eq!(python(&format!("{}1{}", "(".repeat(200), ")".repeat(200))), None);
    assert_eq!(python(&format!("1{}", " + 1".repeat(200))), None);
    assert_eq!(parse_code(&"print 1;".repeat(MAX_PERL_BYTES / 8 + 1), Language::Perl, None), None);
    assert!(python(&format!("{}1{}", "(".repeat(50), ")".repeat(50))).is_some());
}

#[test]
fn garbage_is_not_read_and_does_no_harm() {
    let pieces =
        ["def ", "(", "'", "\n    ", "f'{", "\"\"\"", ":", "[", "lambda", "é", "\\", "#", "="];
    let mut seed = 7usize;
    for language in
        [Language::Python, Language::JavaScript, Language::Ruby, Language::Php, Language::Perl]
    {
        for _ in 0..400 {
            let mut text = String::new();
            for _ in 0..60 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                text.push_str(pieces[(seed >> 33) % pieces.len()]);
            }
            let _ = parse_code(&text, language, None);
        }
        let huge: String = pieces.concat().repeat(1_000);
        assert_eq!(parse_code(&huge, language, None), None);
        let deep = format!("{}1{}", "(".repeat(20_000), ")".repeat(20_000));
        assert_eq!(parse_code(&deep, language, None), None);
    }
}

#[test]
fn what_is_not_listed_of_javascript_is_not_read() {
    let read = |text: &str| parse_code(text, Language::JavaScript, None);
    for program in [
        "with (a) { b }",
        "a: for (;;) break a",
        "this.process",
        "function f() { return this }",
        "\\u0065val(1)",
        "1 <!-- 2",
        "1\n--> 2",
        "@f class A {}",
        "<a/>",
        "class A extends f() {}",
        "f(\u{2028}1)",
    ] {
        assert_eq!(read(program), None, "{program}");
    }
    for program in [
        "while (n --> 0) f()",
        "class A { f() { return this.a } }",
        "a?.b?.[c]",
        "export const a = 1",
        "#!/usr/bin/node",
    ] {
        assert!(read(program).is_some(), "{program}");
    }
}

#[test]
fn a_key_that_is_known_is_a_name() {
    let read = |text: &str| parse_code(text, Language::JavaScript, None);
    assert_eq!(read("a['b']"), read("a.b"));
    assert_ne!(read("a[b]"), read("a.b"));
}

/// Large, deep and broken SQL ends in time, and on a small stack.
#[test]
fn sql_of_any_shape_is_read_in_bounds() {
    use crate::model::Dialect;
    let long = |piece: &str, count: usize| piece.repeat(count);
    let texts = [
        format!("SELECT {}1{}", long("(", 5_000), long(")", 5_000)),
        format!("SELECT * FROM {}t{}", long("(", 28), long(")", 28)),
        format!("SELECT * FROM {}", long("(", 28)),
        format!("SELECT {}1", long("(SELECT ", 28)),
        format!("SELECT {}", long("f((", 14)),
        format!("SELECT {}", long("CASE WHEN (", 14)),
        format!("SELECT {}1", long("1+", 30_000)),
        format!("SELECT {}1", long("1+", 290)),
        format!("SELECT {}1", long("f(1,2)+", 9_000)),
        format!("SELECT {}1", long("NOT ", 590)),
        format!("SELECT {}1", long("- ", 590)),
        format!("SELECT 1{}", long("::int", 250)),
        format!("SELECT 1{}", long(" UNION SELECT 1, 2", 3_000)),
        format!("SELECT 1{}", long(" UNION SELECT 1, 2", 290)),
        format!("SELECT a{}", long(".a", 290)),
        format!("SELECT {}", long("CASE WHEN 1 THEN ", 190)),
        format!("SELECT {}", long("a BETWEEN ", 290)),
        format!("SELECT x FROM a{}", long(" JOIN a", 290)),
        format!("SELECT x FROM {}", long("a, ", 15_000)),
        format!("INSERT INTO t VALUES {}(1)", long("(1,'a'),", 7_000)),
        format!("{}SELECT 1", long("EXPLAIN ", 500)),
        format!("{}SELECT 1", long("WITH a AS (", 28)),
        long("BEGIN ", 500),
        long("IF 1 THEN ", 190),
        long("SELECT 1;", 7_000),
        long("\\d\n", 20_000),
        long("/*", 30_000),
        long("'", 60_001),
        long("$a$", 20_001),
        long("SELECT 1; ", 110_000),
        "SELECT 1\0; DROP TABLE x".to_owned(),
        "\u{fffd}\u{1f4a9} ;;; ))) ((( '".to_owned(),
    ];
    let dialects = [
        Dialect::Any,
        Dialect::PostgreSql,
        Dialect::MySql,
        Dialect::Sqlite,
        Dialect::DuckDb,
        Dialect::ClickHouse,
        Dialect::BigQuery,
        Dialect::MsSql,
    ];
    let work = move || {
        for text in &texts {
            for dialect in dialects {
                let start = std::time::Instant::now();
                assert!(super::parse_code(text, Language::Sql(dialect), None).is_some());
                let taken = start.elapsed();
                let shown: String = text.chars().take(40).collect();
                assert!(taken.as_secs() < 5, "{dialect:?} {shown}: {taken:?}");
            }
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}
