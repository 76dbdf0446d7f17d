//! Words as bash and dash really make them: expansions under any IFS, escapes of every kind. What is read of them is the same, or not
//! known.

use std::process::{Command, Stdio};

use guarded_sh::model::Arg;
use guarded_sh::pipeline::Request;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::JUDGE;

/// How many lines of each kind are tried: `EXPANSIONS` says another number, `PROPTEST_RNG_SEED` which.
const LINES: usize = 400;

/// What stands in front of the words that are compared.
const FIRST: &str = "printf '%s\\0' FIRST";

const ELEMENTS: &[&str] = &[
    ".", "-q", "", "a b", "axb", "x", "xx", " ", "p:q", "b ", "bx", "xb", " b", ":", "p\tq", "n\n",
    "ax b", "é",
];

const SEPARATORS: &[&str] = &[
    "",
    "unset IFS\n",
    "IFS=''\n",
    "IFS=' '\n",
    "IFS=x\n",
    "IFS=' x'\n",
    "IFS='x '\n",
    "IFS=:\n",
    "IFS=': '\n",
    "IFS='\n'\n",
    "IFS='\t'\n",
    "IFS='xé'\n",
];

/// What bash and dash both know.
const COMMON: &[&str] = &[
    "$@",
    "$*",
    "\"$@\"",
    "\"$*\"",
    "${@}",
    "${*}",
    "${v:+$*}",
    "${v+$*}",
    "${v:+$@}",
    "${v+\"$@\"}",
    "\"${v+$@}\"",
    "\"${v:+$*}\"",
    "${u:-$*}",
    "${u:-$@}",
    "${u:-\"$@\"}",
    "\"${u:-$*}\"",
    "${n-$*}",
    "${@:-w}",
    "${*:-w}",
    "$v",
    "\"$v\"",
    "p$v",
    "$v\"p\"",
    "$v$w",
    "p$@q",
    "\"p$@q\"",
    "\"p$*q\"",
    "${v:-w x}",
    "${u:-w x}",
    "${u:-\"w x\"}",
    "${u:-a$v}",
    "${v:+w x}",
    "${v:+\"w x\"}",
    "${v#a}",
    "${v%b}",
    "$#",
    "$1",
    "$2",
    "\"$2\"",
    "$1$2",
    "$@$v",
    "\"$@\"$v",
    "$v\"$@\"",
    "$*$*",
    "${u:=$*}",
    "${u:=$v}",
    "$u",
    "\"$u\"",
    "$n",
    "\"\"$n",
    "$n''",
    "''$@",
    "$(printf %s \"$v\")",
    "\"$(printf %s \"$v\")\"",
    "$(echo $v)",
    "$((1+1))",
];

const OF_BASH: &[&str] = &[
    "${@:1}",
    "${*:1}",
    "\"${@:2}\"",
    "\"${*:2}\"",
    "${@:2:1}",
    "${a[@]}",
    "${a[*]}",
    "\"${a[@]}\"",
    "\"${a[*]}\"",
    "${a[@]:1}",
    "\"${a[@]:1}\"",
    "${a[*]:1:1}",
    "${a[@]/x/y}",
    "\"${a[@]/x/y}\"",
    "${@/x/y}",
    "\"${*/x/y}\"",
    "${v/x/ }",
    "${v:1}",
    "${a[0]}",
    "${a[1]}",
    "$a",
    "\"$a\"",
    "${!a[@]}",
    "${#a[@]}",
    "${b[@]}",
    "\"${b[@]}\"",
    "\"${b[*]}\"",
    "${v^^}",
    "${a[@]^^}",
    "${@^}",
    "${v:+${a[*]}}",
    "${v+${a[@]}}",
];

const ASSIGNED: &[&str] = &[
    "v=SOURCE",
    "export v=SOURCE",
    "e=export; $e v=SOURCE",
    "e='export v=1'; $e w=SOURCE",
    "eval v=SOURCE",
    "for v in SOURCE; do :; done",
    "command export v=SOURCE",
    "readonly v=SOURCE",
];

const SOURCES: &[&str] =
    &["$@", "$*", "\"$@\"", "\"$*\"", "$w", "\"$w\"", "${v:+$*}", "$(echo \"$w\")", "a$w"];

/// Lines that print the words of some expansions.
fn lines(is_bash: bool) -> impl Strategy<Value = String> {
    let quoted = || select(ELEMENTS).prop_map(|text| format!("'{text}'"));
    let list = move |most| prop::collection::vec(quoted(), 0..most).prop_map(|all| all.join(" "));
    let words = if is_bash { [COMMON, OF_BASH].concat() } else { COMMON.to_vec() };
    let assigned = (select(ASSIGNED), select(SOURCES));
    let assigned = assigned.prop_map(|(how, source)| how.replace("SOURCE", source) + "\n");
    let assigned = prop_oneof![2 => Just(String::new()), 1 => assigned];
    let arrays = if is_bash { "b=()\na=(" } else { ": (" };
    let words = prop::collection::vec(select(words), 1..3).prop_map(|words| words.join(" "));
    let given = (list(5), list(4), quoted(), quoted());
    (given, select(SEPARATORS), assigned, words).prop_map(
        move |((positional, array, v, w), separators, assigned, words)| {
            let array = if is_bash { format!("{arrays}{array})\n") } else { String::new() };
            let set =
                format!("set -- {positional}\n{array}v={v}\nw={w}\nu=\n{separators}{assigned}");
            format!("{set}{FIRST} {words} LAST")
        },
    )
}

/// Lines in which one word is written with escapes.
fn escapes(is_bash: bool) -> impl Strategy<Value = String> {
    let piece = select(vec![
        "a",
        "{",
        "}",
        "\\x",
        "\\x{",
        "\\x41",
        "\\x4",
        "\\x{41}",
        "\\x{141}",
        "\\x{}",
        "\\u",
        "\\u41",
        "\\u0041",
        "\\U00000041",
        "\\U41",
        "\\u0",
        "\\x0",
        "\\0",
        "\\00",
        "\\060",
        "\\0060",
        "\\60",
        "\\101",
        "\\1",
        "\\401",
        "\\cA",
        "\\c?",
        "\\c",
        "\\c\\\\",
        "\\e",
        "\\n",
        "\\t",
        "\\q",
        "\\\\",
        "\\'",
        "\\\"",
        "\\?",
        "\\z",
        "g",
        "7",
        "é",
        "\\a",
        "\\v",
    ]);
    let text = prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat());
    let forms = if is_bash {
        vec!["a$'TEXT'", "$(echo -e 'TEXT')", "$(printf 'TEXT')", "$(printf %b 'TEXT')"]
    } else {
        vec!["$(echo 'TEXT')", "$(printf 'TEXT')", "$(printf %b 'TEXT')"]
    };
    (text, select(forms)).prop_map(|(text, form)| {
        let is_ansi = form.starts_with('a');
        let text = if is_ansi { text } else { text.replace('\'', "") };
        format!("{FIRST} \"{}\" LAST", form.replace("TEXT", &text))
            .replace("\"a$'", "a$'")
            .replace("'\" LAST", "' LAST")
    })
}

/// Returns the words that each line really prints, none where it prints nothing. One shell runs all of them, each in a subshell.
fn printed(shell: &str, lines: &[String]) -> Option<Vec<Vec<String>>> {
    let ended = "\nprintf 'END\\0'\n";
    let script: String =
        lines.iter().flat_map(|line| ["(\n", line, "\n) 2>/dev/null", ended]).collect();
    let nowhere = tempfile::tempdir().unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), script).unwrap();
    let output = Command::new(shell)
        .arg(file.path())
        .current_dir(nowhere.path())
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        output => output.unwrap(),
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut found = vec![Vec::new()];
    for word in text.split_terminator('\0') {
        match (word, found.last_mut()) {
            ("END", _) => found.push(Vec::new()),
            (word, Some(words)) => words.push(word.to_owned()),
            (_, None) => {}
        }
    }
    found.pop();
    assert_eq!(found.len(), lines.len(), "{shell}");
    Some(found)
}

/// Whether these words may be those.
fn may_be(read: &[Arg], real: &[String]) -> bool {
    let Some((first, rest)) = read.split_first() else { return real.is_empty() };
    let one = |fits: bool| fits && may_be(rest, &real[1..]);
    match (first, real.first()) {
        (Arg::Many | Arg::Glob(_), _) => (0..=real.len()).any(|count| may_be(rest, &real[count..])),
        (_, None) => false,
        (Arg::Known(text), Some(real)) => one(text == real),
        (Arg::Prefix(text), Some(real)) => one(real.starts_with(text.as_str())),
        (Arg::Unknown, Some(_)) => one(true),
    }
}

/// Holds what is read of lines against what they really print.
fn compare(shell: &str, lines: impl Strategy<Value = String>) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let count = number("EXPANSIONS").and_then(|count| usize::try_from(count).ok()).unwrap_or(LINES);
    let rng_seed = RngSeed::Fixed(number("PROPTEST_RNG_SEED").unwrap_or(16));
    let mut runner = TestRunner::new(Config { rng_seed, ..Config::default() });
    let lines: Vec<String> =
        (0..count).map(|_| lines.new_tree(&mut runner).unwrap().current()).collect();
    // Without that shell there is nothing to compare.
    let Some(real) = printed(shell, &lines) else { return };
    let mut wrong = Vec::new();
    for (line, real) in lines.iter().zip(real).filter(|(_, real)| !real.is_empty()) {
        let whole = match shell {
            "bash" => line.clone(),
            shell => format!("{shell} -c {}", shell_words::quote(line)),
        };
        let plan = JUDGE.judge(&Request::about(whole.as_bytes())).unwrap().plan;
        let is_it = |argv: &[Arg]| argv.get(2).and_then(Arg::known) == Some("FIRST");
        let mut read = plan.commands.iter().map(|command| command.argv.as_slice());
        let is_opaque = !plan.opaque.is_empty();
        if !is_opaque && !read.any(|argv| is_it(argv) && may_be(&argv[2..], &real)) {
            let read: Vec<&[Arg]> =
                plan.commands.iter().map(|command| command.argv.as_slice()).collect();
            wrong.push(format!("{line}\n  really {real:?}\n  read as {read:?}"));
        }
    }
    super::none_of(&wrong);
}

#[test]
fn words_are_read_as_bash_makes_them() {
    compare("bash", lines(true));
}

#[test]
fn words_are_read_as_dash_makes_them() {
    compare("dash", lines(false));
}

#[test]
fn escapes_are_read_as_bash_reads_them() {
    compare("bash", escapes(true));
}

#[test]
fn escapes_are_read_as_dash_reads_them() {
    compare("dash", escapes(false));
}
