//! Hostile text: over every limit, unterminated in every way, of every kind of byte. Opaque each time, at once, on
//! the stack of a test's thread.

use guarded_sh::model::{Reason, Span};
use guarded_sh::syntax::limits::{MAX_BYTES, MAX_DEPTH, MAX_NODES, MAX_PENDING};
use guarded_sh::syntax::{parse, parse_alone, unaccounted};

fn reasons(text: &[u8]) -> Vec<Reason> {
    let script = parse(text);
    assert_eq!(unaccounted(text, &script), None);
    script.opaque.into_iter().map(|it| it.reason).collect()
}

fn is_syntax(reason: &Reason) -> bool {
    matches!(reason, Reason::Syntax(_))
}

#[test]
fn text_over_the_limit_of_bytes_is_not_read() {
    for start in ["((((", "$($($(", "{a,b}{a,b}", "[[[[", "<<a <<a <<a", "`\\`", "\"$(", "a ", "\n"]
    {
        let text = start.repeat(10_000_000 / start.len());
        let script = parse(text.as_bytes());
        assert_eq!(script.opaque.len(), 1);
        assert_eq!(script.opaque[0].reason, Reason::TooLong);
        assert_eq!(script.opaque[0].span, Span::new(0, text.len()));
        assert_eq!(script.statements, []);
    }
    let fits = format!("a{}", " ".repeat(MAX_BYTES - 1));
    assert_eq!(parse_alone(fits.as_bytes()).opaque, []);
}

/// Text just under the limit of bytes must stop for another reason, and not take long.
#[test]
fn hostile_text_under_the_limit_of_bytes_is_opaque() {
    let starts = [
        "((((",
        "( ( ",
        "$($($(",
        "$((",
        "a $((",
        "{ { ",
        "${a:-",
        "\"${a:-",
        "a=(",
        "a=([",
        "a[",
        "`",
        "\"$(",
        "\"`",
        "<(",
        "a <(",
        "$[",
        "[[ ( ",
        "[[ ! ",
        "if ",
        "while ",
        "case a in b) ",
        "f() ",
        "f() { ",
        "! ",
        "coproc ",
        "((a) ",
        "$((a) ",
        "\"",
        "'",
        "$'",
        "{a,",
        "{",
        "{a,b}",
        "a{1..",
        "<<a ",
        "cat <<a;",
        "|",
        "&&",
        ";",
        "a |",
        "a[a[",
        "${a[",
        "${a//",
        "function f ",
        "for a in ",
        "select a in b; do ",
        "!(",
        "a=$(b=",
        "\\",
        "\\\n",
        "$((`",
        "((\"$(",
        "$(( \"",
        "a\n",
        "# ",
        "a;",
        "~",
        "*",
        "[",
        "[a",
        "[[:",
        "?(",
    ];
    for start in starts {
        let text = start.repeat((MAX_BYTES - 1) / start.len() / 8);
        let before = std::time::Instant::now();
        let script = parse_alone(text.as_bytes());
        let seconds = before.elapsed().as_secs_f64();
        // Ten times what the limit stands for: this is a build without optimisation on a busy machine.
        assert!(seconds < 5.0, "{start:?} took {seconds} s");
        assert_eq!(unaccounted(text.as_bytes(), &script), None, "{start:?}");
    }
}

#[test]
fn nesting_is_read_up_to_the_limit_and_opaque_beyond() {
    let kinds: [(&str, &str, &str); 22] = [
        ("( ", "a", " )"),
        ("{ ", "a;", " };"),
        ("a $(", "a", ")"),
        ("a \"$(", "a", ")\""),
        ("a=$(", "a", ")"),
        ("a <(", "a", ")"),
        ("a ${b:-", "a", "}"),
        ("a \"${b:-", "a", "}\""),
        ("a $((", "1", "))"),
        ("a $[", "1", "]"),
        ("a ${b[", "1", "]}"),
        ("if ", "a;", " then b; fi;"),
        ("if a; then ", "a;", " fi;"),
        ("while ", "a;", " do b; done;"),
        ("until a; do ", "a;", " done;"),
        ("for i in b; do ", "a;", " done;"),
        ("for ((;;)); do ", "a;", " done;"),
        ("select i in b; do ", "a;", " done;"),
        ("case a in b) ", "a;", " esac;"),
        ("f() { ", "a;", " };"),
        ("coproc { ", "a;", " };"),
        ("[[ $(", "a", ") ]]"),
    ];
    for (open, middle, close) in kinds {
        let nested = |times: usize| {
            let text = open.repeat(times) + middle + &close.repeat(times);
            text.trim_end_matches(';').to_owned()
        };
        let shallow = nested(10);
        assert_eq!(reasons(shallow.as_bytes()), [], "{shallow}");
        let deep = nested(MAX_DEPTH as usize * 8);
        assert_eq!(reasons(deep.as_bytes()), [Reason::TooDeep], "{open}");
    }
}

#[test]
fn words_nest_up_to_the_limit_and_are_opaque_beyond() {
    let many = MAX_DEPTH as usize * 2;
    let braces = format!("echo {}a{}", "{b,".repeat(many), "}".repeat(many));
    let test = format!("[[ {}a{} ]]", "( ".repeat(many), " )".repeat(many));
    let not = format!("[[ {}a ]]", "! ".repeat(many));
    for text in [braces, test, not] {
        assert_eq!(reasons(text.as_bytes()), [Reason::TooDeep], "{text}");
    }
}

#[test]
fn more_parts_than_the_limit_are_opaque() {
    let words = "a ".repeat(MAX_NODES as usize / 2);
    assert_eq!(reasons(words.as_bytes()), [Reason::TooManyParts]);
    let lines = "a\n".repeat(MAX_NODES as usize);
    let script = parse_alone(lines.as_bytes());
    assert_eq!(script.opaque[0].reason, Reason::TooManyParts);
    assert!(script.statements.len() > 1000, "what was read before is kept");
    let braces = format!("echo {}", "{a,b}".repeat(1000));
    assert_eq!(reasons(braces.as_bytes()), [Reason::TooManyParts]);
    let bodies = format!("cat {}", "<<a ".repeat(MAX_PENDING + 1));
    assert_eq!(reasons(bodies.as_bytes()), [Reason::TooManyParts]);
}

#[test]
fn scanning_the_same_text_for_every_level_is_opaque() {
    // Each `((` looks for its end across the whole text and is then a subshell.
    let text = format!("{}{}{}", "(".repeat(60), "a".repeat(3_000_000), " )".repeat(60));
    assert_eq!(reasons(text.as_bytes()), [Reason::TooSlow]);
}

#[test]
fn a_nul_byte_and_what_follows_are_opaque() {
    let script = parse(b"echo a\0; rm b");
    assert_eq!(script.statements.len(), 1);
    assert_eq!(script.opaque[0].reason, Reason::NulByte);
    assert_eq!(script.opaque[0].span, Span::new(6, 13));
}

#[test]
fn bytes_that_are_not_utf8_are_opaque_where_they_are_read() {
    for text in [
        &b"echo \xff"[..],
        b"echo '\xff'",
        b"echo \"\xc3\"",
        b"echo $'\\xff'",
        b"cat <<a\n\xff\na\n",
        b"echo \\\xed\xa0\x80",
    ] {
        assert_eq!(reasons(text), [Reason::NotUtf8], "{text:?}");
    }
    assert_eq!(parse_alone(b"echo a # \xff\nls").opaque, []);
    let script = parse(b"rm a; echo \xff; ls");
    assert_eq!(script.statements.len(), 3, "the other commands are seen");
    assert_eq!(script.opaque[0].span, Span::new(11, 12));
}

#[test]
fn carriage_returns_belong_to_the_words() {
    let script = parse(b"ls -l\r\nid\r\n");
    assert_eq!(script.opaque, []);
    let mut names = Vec::new();
    script.walk(&mut |node| {
        if let guarded_sh::syntax::Node::Word(word) = node {
            names.extend(word.literal());
        }
        guarded_sh::syntax::Descend::Into
    });
    assert_eq!(names, ["ls", "-l\r", "id\r"]);
    // As in bash, `then\r` is no reserved word.
    assert!(is_syntax(&reasons(b"if true; then\r\n a\r\nfi\r\n")[0]));
}

#[test]
fn what_was_read_before_an_error_is_kept_and_the_rest_is_opaque() {
    let text = "rm a; (ls)\nid &\nif true; fi; echo b\necho c";
    let script = parse(text.as_bytes());
    assert_eq!(script.statements.len(), 3);
    assert_eq!(script.opaque.len(), 1);
    assert_eq!(script.opaque[0].span, Span::new(16, text.len()));
}

#[test]
fn an_error_in_backticks_or_in_a_body_leaves_the_rest_of_the_line() {
    let script = parse(b"echo `if` && rm b; id");
    assert_eq!(script.statements.len(), 2);
    assert!(is_syntax(&script.opaque[0].reason));
    assert_eq!(script.opaque[0].span, Span::new(6, 8));
    let script = parse(b"cat <<a; rm b\n$(if\na\nid\n");
    assert_eq!(script.statements.len(), 3);
    assert_eq!(script.opaque[0].span, Span::new(14, 19));
}

/// The second parser backtracks, descends without limit, and takes other text for commands than bash does. It must come
/// back from whatever our reader accepts, or not be asked.
#[test]
fn text_that_is_hostile_to_the_second_parser_alone_is_opaque_at_once() {
    // Bash joins the lines of this body, so that it does not end here; the second parser reads the rest as commands.
    let misread = |rest: &str| format!("cat <<E\na\\\nE\n{rest}");
    let texts = [
        format!("{}a; b{}", "(".repeat(40), " )".repeat(40)),
        format!("{}a; b{}", "( ".repeat(60), " )".repeat(60)),
        format!("{}a{}", "case a in b) ".repeat(50), "; esac".repeat(50)),
        "cat <<\x0c ".to_owned(),
        "[<<''".to_owned(),
        "cat <<\"\" <<b".to_owned(),
        "a $${\"d \"{b/b<<E;b<c}; b<<D\nE\nE".to_owned(),
        "a ${b<<E;c}\nE".to_owned(),
        misread(&"( ".repeat(30_000)),
        misread(&"{ ".repeat(30_000)),
        misread(&"if ".repeat(30_000)),
        misread(&"{ ".repeat(500_000)),
        misread(&"case a in b) ".repeat(1_000)),
        misread(&format!("[[ a =~ {}", "( ".repeat(1_000))),
        misread(&format!("[[ {} a ]]", "! ".repeat(20_000))),
        misread(&format!("( ( {}; a", "(b ".repeat(1_000))),
        misread(&"cat <<a ".repeat(100_000)),
        misread(&format!("cat <<'{}'\n{}", "a".repeat(500_000), "\n".repeat(500_000))),
        "echo ${a:-<<b}".repeat(1_000),
        format!("cat <<'{}'\n{}", "a".repeat(500_000), "\n".repeat(500_000)),
    ];
    for text in texts {
        let start: String = text.chars().take(60).collect();
        let before = std::time::Instant::now();
        let script = parse(text.as_bytes());
        let seconds = before.elapsed().as_secs_f64();
        assert!(!script.opaque.is_empty(), "{start:?}");
        assert!(seconds < 10.0, "{start:?} took {seconds} s");
    }
}

#[test]
fn long_scripts_are_asked_about_all_the_same() {
    let text = "if [ -n \"${a[1]}\" ]; then { b \"$(c)\"; }; fi\n".repeat(4_000);
    assert_eq!(parse(text.as_bytes()).opaque, []);
}
