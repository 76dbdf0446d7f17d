//! Bash is the oracle: what `bash -n` refuses must have an opaque part, and what it takes must be read.
#![allow(clippy::expect_used, reason = "tests say what they need")]

use std::process::{Command, Stdio};

use guarded_sh::syntax::{parse, parse_alone, unaccounted};

/// Every line is a text of its own; every two neighbouring lines are one too.
const LINES: &str = include_str!("syntax/lines.txt");
/// Texts of several lines, separated by lines of dashes.
const TEXTS: &str = include_str!("syntax/texts.txt");

/// Lines that bash takes and that are opaque all the same, each with its reason.
const STRICTER: &[(&str, &str)] = &[
    ("function $f { a; }", "the name of a function is not plain text"),
    ("$x() { a; }", "the name of a function is not plain text"),
    ("f[0]() { a; }", "the name of a function is not plain text"),
    ("\"a\"() { a; }", "the name of a function is not plain text"),
    ("for $a in b; do c; done", "the name of a loop variable is not plain text"),
    ("for $a in c; do d; done", "the name of a loop variable is not plain text"),
    ("coproc \"x\" { echo a; }", "the name of a coprocess is not plain text"),
    ("coproc $x { echo a; }", "the name of a coprocess is not plain text"),
    ("[[ ]]", "bash refuses it, but not under -n"),
    ("[[ ! ]]", "bash refuses it, but not under -n"),
    ("[[ a && ]]", "bash refuses it, but not under -n"),
    ("a[b c]", "brackets with blanks after a name that is not assigned to"),
    ("echo [a b; a[1 2]; echo x", "brackets with blanks after a name that is not assigned to"),
    ("echo ${a b}", "bad substitution: bash refuses it when it runs"),
    ("echo ${}", "bad substitution: bash refuses it when it runs"),
    ("echo `fi`", "a syntax error that bash meets when it runs"),
    ("echo $(( fi ) )", "a syntax error that bash meets when it runs"),
    ("a \"${b:-<( c)}\"", "a process substitution inside a quoted ${…}"),
    ("99999999999999999>a", "a descriptor that is too large"),
    ("echo ~{root,daemon}", "a tilde right before braces"),
    ("echo {a..{b,c}}", "braces inside a brace sequence"),
    (
        "declare -a A=({1..3}); echo ${A[@]}; A=([0]={a,b}); echo ${A[@]}",
        "braces in an array element with an index",
    ),
    ("echo \"${x:-'$(a)'}\"", "quotes that quote nothing"),
    ("echo \"${x:-$'a\\tb'}\" ${x:-$'a\\tb'}", "quotes that quote nothing"),
    ("x=$(cat <<EOF)", "a here-document whose body lies outside its substitution"),
    ("echo $(cat <<EOF)\na\nEOF", "a here-document whose body lies outside its substitution"),
    ("cat <<$'E\\tF'\ny\nE\tF\necho z", "a here-document delimiter in $ quotes"),
];

/// Lines that are read although bash refuses them.
const LAXER: &[(&str, &str)] =
    &[("shopt -s extglob\necho !(a) @(a|b)", "bash -n does not run shopt; bash does")];

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

fn opaque(text: &str) -> bool {
    !parse_alone(text.as_bytes()).opaque.is_empty()
}

#[test]
fn every_line_is_taken_or_refused_as_bash_does() {
    let known = |text: &str| STRICTER.iter().chain(LAXER).any(|(line, _)| *line == text);
    let lines = LINES.lines();
    let texts = TEXTS.split("\n----\n");
    let mut wrong = Vec::new();
    let mut count = 0;
    for text in lines.chain(texts) {
        count += 1;
        if refused_by_bash(text) != opaque(text) && !known(text) {
            wrong.push(text);
        }
    }
    assert!(count > 600, "only {count} texts");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn whatever_bash_refuses_is_opaque_also_in_the_middle_of_other_lines() {
    let lines: Vec<&str> = LINES.lines().collect();
    let wrong: Vec<String> = lines
        .windows(3)
        .step_by(2)
        .map(|window| window.join("\n"))
        .filter(|text| refused_by_bash(text) && !opaque(text))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_bash_takes_and_we_do_not_is_a_short_list() {
    for (line, reason) in STRICTER {
        assert!(!refused_by_bash(line), "bash refuses {line:?}: it needs no exception");
        assert!(opaque(line), "{line:?} is read after all, though: {reason}");
    }
}

#[test]
fn every_byte_of_every_line_is_accounted_for() {
    for text in LINES.lines().chain(TEXTS.split("\n----\n")) {
        let script = parse_alone(text.as_bytes());
        assert_eq!(unaccounted(text.as_bytes(), &script), None, "{text:?}");
    }
}

/// The second parser panics on a number that does not fit into 31 bits, and must not be asked.
#[test]
fn numbers_before_redirections_may_have_any_length() {
    let rows =
        ["a 3333331590<b", "a 12345\\\n678901>b", "((99999999999<3))", "[[ 99999999999<3 ]]"];
    for text in rows {
        assert!(!parse(text.as_bytes()).opaque.is_empty(), "{text}");
    }
    assert_eq!(parse(b"a 2147483647 <b").opaque, []);
    assert_eq!(parse(b"a 99999999999<(b)").opaque, []);
    assert_eq!(parse(b"((999999999<3))").opaque, []);
}

/// Lines on which the second parser does not agree, each with what it sees instead.
const DISPUTED: &[(&str, &str)] = &[
    ("for a; { b; }", "no braces after for"),
    ("for a\n{ b; }", "no braces after for"),
    ("for a in b; { c; }", "no braces after for"),
    ("select a; { b; }", "no braces after select"),
    ("select a in b; { c; }", "no braces after select"),
    ("for ((i=0; i<10; i++)); { a; }", "no braces after a semicolon"),
    ("f() [[ a ]]", "no [[ as a body"),
    ("function f [[ a ]]", "no [[ as a body"),
    ("! time a", "no time after !"),
    ("! time true", "no time after !"),
    ("time time a", "no time after time"),
    ("time ! time true", "no time after !"),
    ("time -- a", "no end of options of time"),
    ("time -p -- true", "no end of options of time"),
    ("time -- -p true", "no end of options of time"),
    ("a <()", "no empty process substitution"),
    ("a >()", "no empty process substitution"),
    ("<(a)", "no process substitution as a command"),
    ("a 2>&-b", "a closed descriptor goes on to the end of the word"),
    ("a >& -b", "a closed descriptor goes on to the end of the word"),
    ("a=(<(b))", "no process substitution as an element"),
    ("a[b c]=d", "no blanks in a subscript"),
    ("a\\", "no backslash at the end"),
    ("\\", "no backslash at the end"),
    ("x=$(cat <<EOF\na\nEOF)", "the end of a body goes on behind its delimiter"),
    ("echo $(cat <<EOF\na\nEOF)b", "the end of a body goes on behind its delimiter"),
    ("cat <<E\na \\\nE\nb\nE", "a line of a body joined with that of the delimiter"),
    ("cat <<E\na\nE\\\n\nx\nE", "a delimiter joined with the next line"),
    ("cat <<$(x)\ny\n$(x)", "a delimiter that looks like a substitution"),
    ("cat <<\"\"\na\n\necho z", "never asked about an empty delimiter"),
];

#[test]
fn the_second_parser_agrees_but_for_a_short_list() {
    let known = |text: &str| DISPUTED.iter().any(|(line, _)| *line == text);
    let wrong: Vec<&str> = LINES
        .lines()
        .chain(TEXTS.split("\n----\n"))
        .filter(|text| !opaque(text) && !known(text))
        .filter(|text| !parse(text.as_bytes()).opaque.is_empty())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (line, reason) in DISPUTED {
        assert!(!opaque(line), "{line:?} is not read at all");
        let disputed = !parse(line.as_bytes()).opaque.is_empty();
        assert!(disputed, "{line:?} is agreed on after all, though: {reason}");
    }
}
