//! Bash is the oracle for the text of words: quoting, escapes, braces and tildes give what bash prints.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "tests say what they need")]

use std::process::{Command, Stdio};

use guarded_sh::syntax::{CommandKind, PartKind, Word, parse_alone};
use proptest::prelude::*;

const HOME: &str = "/home/of/test";

/// Returns the words of the only command of a line, braces written out, as far as they are known.
fn words(line: &str) -> Option<Vec<String>> {
    let script = parse_alone(line.as_bytes());
    if !script.opaque.is_empty() {
        return None;
    }
    let [statement] = script.statements.as_slice() else { return None };
    let [command] = statement.first.commands.as_slice() else { return None };
    let CommandKind::Simple(simple) = &command.kind else { return None };
    let mut out = Vec::new();
    for word in simple.words.get(1..)? {
        for word in word.expand_braces(4096)? {
            // Bash drops a word that is empty and not quoted.
            if let Some(text) = text(&word)?.filter(|it| !it.is_empty() || quoted(&word)) {
                out.push(text);
            }
        }
    }
    Some(out)
}

fn quoted(word: &Word) -> bool {
    word.parts.iter().any(|part| part.quoted)
}

#[allow(clippy::option_option, reason = "not known, and no word, are two things")]
fn text(word: &Word) -> Option<Option<String>> {
    let mut out = String::new();
    for part in &word.parts {
        match &part.kind {
            PartKind::Literal(text) | PartKind::Glob(text) => out.push_str(text),
            PartKind::Tilde(name) if name == "~" => out.push_str(HOME),
            _ => return None,
        }
    }
    Some(Some(out))
}

/// Returns what bash makes of the words of a line, or `None` where it refuses the line.
fn words_of_bash(line: &str) -> Option<Vec<String>> {
    let script = format!("set -f\nprintf '%s\\0' begin {}", line.strip_prefix("echo").unwrap());
    let output = Command::new("bash")
        .args(["-c", &script])
        .env("HOME", HOME)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .expect("these tests need bash");
    if !output.stderr.is_empty() {
        return None;
    }
    let stdout = String::from_utf8(output.stdout).ok()?;
    Some(stdout.split_terminator('\0').skip(1).map(str::to_owned).collect())
}

#[test]
fn words_have_the_text_that_bash_gives_them() {
    let lines = [
        r#"echo a 'b c' "d e" f\ g \h"#,
        r#"echo a'b'"c"\d$'e\x41\101\u00e9\n'"#,
        r#"echo "a\$b\`c\"d\\e\f" '' "" $''"#,
        r#"echo "a\
b" c\
d 'e\
f'"#,
        "echo {a,b}{c,d} x{1..3}y {3..1} {01..03} {a..e..2} {-2..2..2} {10..1..4}",
        "echo {a,{b,c}} {a,b,} {,a} {{a,b},c} a{b}c {} {a {b,c",
        "echo {a},b} {a{b,c}} {{a,b} {a,b}} }{a,b} {a,b}{ ,{a,b}",
        r#"echo {a,"b,c"} {'a b',c} {a\,b,c} "{a,b}" {a","b} \{a,b}"#,
        "echo {a..z..5} {z..a..-7} {1..1} {1..2..0} {1..a} {1..} {..1} {1...3} {a..b..c} {0x1..3}",
        "echo {+1..3} {-01..02} {1..10..3} {10..1..-3} {001..3} {a,b..c} {1..3,x}",
        "echo ~ ~/a ~/'b' a~ ~'a' \\~ '~' \"~\" a=~ a=~:~/b b:~ ~: --a=~ a+=~",
        "echo {~/a,b} ~/{a,b} x{~,b}",
        "echo a#b '#' \\# a\\#",
        "echo é 'ü' \\ß \"日本\" $'\\xe6\\x97\\xa5'",
        "echo [a] a? *b ]c[ [!x] [[:alpha:]]",
        "echo $ a$ \"$\" \"a$\" $\"b c\" \"$ \" '$x'",
        "echo a=b 'c'=d {a,b}=c a={b,c} ! { } if then",
        "echo -- -a --b=c -d'e f'",
        "echo \\a\\'\\\"\\\\ \"'\" '\"'",
        "echo a\\",
    ];
    for line in lines {
        assert_eq!(words(line), words_of_bash(line), "{line}");
        assert!(words(line).is_some(), "{line}");
    }
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-c0-9]{1,2}",
        1 => Just(" ".to_owned()),
        1 => Just("\\\n".to_owned()),
        3 => prop::sample::select(vec!["{", "}", ",", "..", "{a,", ",b}", "{1..3}", "{a..c}"]).prop_map(str::to_owned),
        2 => "'[a-c {},\\\\\"]{0,3}'",
        2 => "\"[a-c {},']{0,3}\"",
        1 => r#""[a-c]?\\["\\$`a]""#,
        1 => r"\\[a-c {},'\\~]",
        1 => r"\$'(\\[abefnrtv'\\]|\\x4[0-9]|\\10[0-7]|[a-c]){0,3}'",
        1 => prop::sample::select(vec!["~", "~/", "=", ":", "a=", "-", "#", "!", "[", "]", "%", "@", "+"]).prop_map(str::to_owned),
        1 => Just("é".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_words_have_the_text_that_bash_gives_them(
        pieces in prop::collection::vec(piece(), 1..9)
    ) {
        let line = format!("echo {}", pieces.concat());
        if let Some(ours) = words(&line) {
            prop_assert_eq!(Some(ours), words_of_bash(&line), "{}", line);
        }
    }
}
