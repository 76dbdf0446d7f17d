//! Whatever the bytes: reading never panics, holds every byte, gives spans that lie in the text, and reads what it
//! has read the same way again.
#![allow(clippy::expect_used, reason = "tests say what they need")]

use std::process::{Command, Stdio};

use guarded_sh::model::Span;
use guarded_sh::syntax::{Descend, Node, Script, highlight, parse, parse_alone, unaccounted};
use proptest::prelude::*;

/// Checks what must hold of every script. Returns whether anything is wrong, in words.
fn wrong(text: &[u8], script: &Script) -> Option<String> {
    if let Some(span) = unaccounted(text, script) {
        return Some(format!("nothing holds {span:?}"));
    }
    let whole = Span::new(0, text.len());
    let mut wrong = None;
    script.walk(&mut |node| {
        let span = match node {
            Node::Statement(it) => it.span,
            Node::Command(it) => it.span,
            Node::Redirect(it) => it.span,
            Node::Assignment(it) => it.span,
            Node::Word(it) => it.span,
            Node::Part(it) => it.span,
            Node::Script(it) => it.span,
        };
        if span.to(whole) != whole || span.start > span.end {
            wrong = Some(format!("{span:?} lies outside"));
        }
        Descend::Into
    });
    wrong
}

/// A line of shell, put together as a person might.
fn line() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        prop::sample::select(vec![
            "a",
            "-b",
            "'c d'",
            "\"e $f\"",
            "$g",
            "${h:-i}",
            "$(j k)",
            "`l`",
            "*.m",
            "{n,o}",
            "~/p",
            "\\q",
            "$((1+r))",
            "<(s)",
            "\"$(t \"u\")\"",
            "${v[@]}",
            "${w//x/y}",
            "$'z\\n'",
            "é",
            "a=b",
            "[",
            "]",
            "!",
            "{}",
            "if",
            "#x",
            "${#a}",
            "\"`b \\`c\\``\"",
            "${d#*/}",
            "$[2]",
            "\\\n",
            "''",
            "\"\"",
            "1",
            "done",
        ])
        .prop_map(str::to_owned),
        "[a-z]{1,4}",
    ];
    let redirect = prop::sample::select(vec![
        ">f",
        "2>&1",
        "<g",
        ">>h",
        "&>i",
        "<<<j",
        "3<>k",
        "{l}>m",
        ">&-",
        "2>/dev/null",
        ">|n",
        "<<E",
    ])
    .prop_map(str::to_owned);
    let argument = prop_oneof![4 => word, 1 => redirect];
    let simple = prop::collection::vec(argument, 1..5).prop_map(|words| words.join(" "));
    simple.prop_recursive(5, 40, 4, |inner| {
        let i = inner.clone();
        prop_oneof![
            (
                i.clone(),
                prop::sample::select(vec![" | ", " && ", " || ", "; ", " & ", "\n", " |& "]),
                i.clone()
            )
                .prop_map(|(a, joined, b)| a + joined + &b),
            i.clone().prop_map(|a| format!("( {a} )")),
            i.clone().prop_map(|a| format!("{{ {a}; }}")),
            i.clone().prop_map(|a| format!("! {a}")),
            i.clone().prop_map(|a| format!("x=$( {a})")),
            i.clone().prop_map(|a| format!("echo \"$( {a})\"")),
            i.clone().prop_map(|a| format!("cat <( {a})")),
            i.clone().prop_map(|a| format!("f() {{ {a}; }}")),
            i.clone().prop_map(|a| format!("{a} <<E\n$b `c`\nE")),
            (i.clone(), i.clone()).prop_map(|(a, b)| format!("if {a}; then {b}; fi")),
            (i.clone(), i.clone()).prop_map(|(a, b)| format!("while {a}\ndo {b}\ndone")),
            i.clone().prop_map(|a| format!("for x in a b; do {a}; done")),
            i.prop_map(|a| format!("case $x in a|b) {a};; *) c;; esac")),
        ]
    })
}

/// Bytes that mean something to a shell, in any order.
fn soup() -> impl Strategy<Value = String> {
    let tokens = prop::sample::select(vec![
        "a",
        "b",
        " ",
        "  ",
        "\n",
        "\t",
        ";",
        ";;",
        "&",
        "&&",
        "|",
        "||",
        "|&",
        "(",
        ")",
        "((",
        "))",
        "{",
        "}",
        "{ ",
        "[[",
        "]]",
        "[",
        "]",
        "<",
        ">",
        "<<",
        "<<-",
        "<<<",
        "<<a",
        "\na\n",
        ">>",
        "&>",
        ">&",
        "<&",
        "<(",
        ">(",
        "$",
        "$(",
        "$((",
        "${",
        "$[",
        "$'",
        "$\"",
        "'",
        "\"",
        "`",
        "\\",
        "\\\n",
        "\\`",
        "#",
        "!",
        "~",
        "*",
        "?",
        ",",
        "..",
        "=",
        "+=",
        "a=",
        "a=(",
        "a[",
        ":",
        ":-",
        "/",
        "%",
        "^",
        "@",
        "-",
        "0",
        "12",
        "if ",
        "then ",
        "elif ",
        "else ",
        "fi",
        "for ",
        "in ",
        "do ",
        "done",
        "while ",
        "until ",
        "case ",
        "esac",
        "select ",
        "function ",
        "coproc ",
        "time ",
        "declare ",
        "\r",
        "é",
        "=~",
        "==",
        "EOF",
    ]);
    prop::collection::vec(tokens, 0..40).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_and_held(text in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert_eq!(wrong(&text, &parse(&text)), None);
    }

    #[test]
    fn any_order_of_tokens_is_read_and_held(text in soup()) {
        prop_assert_eq!(wrong(text.as_bytes(), &parse(text.as_bytes())), None, "{}", text);
        let pieces = highlight(&text);
        prop_assert!(pieces.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start));
    }

    #[test]
    fn lines_are_read_and_held(text in line()) {
        prop_assert_eq!(wrong(text.as_bytes(), &parse(text.as_bytes())), None, "{}", text);
    }

    /// What stands in `$( )` is read as it would be alone, but for where it stands.
    #[test]
    fn a_substitution_holds_what_the_text_alone_holds(text in line()) {
        let alone = parse_alone(text.as_bytes());
        if !alone.opaque.is_empty() || text.contains("<<E") {
            return Ok(());
        }
        let inside = parse_alone(format!("echo $( {text}\n)").as_bytes());
        prop_assert_eq!(&inside.opaque, &[], "{}", text);
        let nested = inside.nested();
        prop_assert_eq!(names(nested[0]), names(&alone), "{}", text);
    }

    /// A statement that was read is read the same way when it stands alone.
    #[test]
    fn statements_are_read_the_same_alone(text in prop_oneof![soup(), line()]) {
        let script = parse_alone(text.as_bytes());
        // A body stands outside its statement.
        if !script.opaque.is_empty() || text.contains("<<") {
            return Ok(());
        }
        for statement in &script.statements {
            let alone = parse_alone(&text.as_bytes()[statement.span.start..statement.span.end]);
            prop_assert_eq!(&alone.opaque, &[], "{}", text);
            prop_assert_eq!(alone.statements.len(), 1, "{}", text);
            let rest = Script { statements: vec![statement.clone()], ..Script::default() };
            prop_assert_eq!(names(&alone), names(&rest), "{}", text);
        }
    }

    /// Cutting a text anywhere never makes it read other commands before the cut without saying that it is cut.
    #[test]
    fn any_beginning_of_a_line_is_held(text in line(), cut in 0_usize..400) {
        let cut = cut.min(text.len());
        let bytes = &text.as_bytes()[..cut];
        prop_assert_eq!(wrong(bytes, &parse(bytes)), None);
    }
}

/// Returns whether bash refuses to parse a text. Nothing is run.
fn refused_by_bash(text: &str) -> bool {
    let output = Command::new("bash")
        .args(["-n", "-c", "--", text, "bash"])
        .stdin(Stdio::null())
        .output()
        .expect("these tests need bash");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let complains = ["syntax error", "unexpected", "expected"].iter().any(|it| stderr.contains(it));
    !output.status.success() || complains
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_bash_refuses_is_opaque(text in prop_oneof![2 => soup(), 1 => line()]) {
        if parse_alone(text.as_bytes()).opaque.is_empty() {
            prop_assert!(!refused_by_bash(&text), "{}", text);
        }
    }

    #[test]
    fn what_bash_takes_is_read(text in line()) {
        let opaque = parse_alone(text.as_bytes()).opaque;
        // Bash takes a body from behind the substitution that announced it; here that is opaque.
        let strict = opaque.iter().any(|it| it.reason.to_string().contains("no body there"));
        if !strict && !refused_by_bash(&text) {
            prop_assert_eq!(opaque, [], "{}", text);
        }
    }
}

/// Returns the text of every word that has one, in order.
fn names(script: &Script) -> Vec<Option<String>> {
    let mut names = Vec::new();
    script.walk(&mut |node| {
        if let Node::Word(word) = node {
            names.push(word.literal());
        }
        Descend::Into
    });
    names
}
