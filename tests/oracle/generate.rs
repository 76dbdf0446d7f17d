//! Scripts that nobody wrote: pieces of shell put together by its grammar, held to the same law as the rows.
//!
//! The programs in them are harmless (`touch`, `true`, `rm` of names in the workspace), so that what matters is which of them
//! run and with which words. `ORACLE_SCRIPTS` says how many are tried, `PROPTEST_RNG_SEED` which.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::{BoxedStrategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};

use guarded_sh::model::Shell;

use crate::batch::{Task, has};
use crate::rows::{faults, is_hindered, run};

/// How many scripts are tried unless `ORACLE_SCRIPTS` says so.
const SCRIPTS: usize = 200;
/// How many scripts one batch runs.
const BATCH: usize = 500;
/// How many of those that break the law are made smaller and shown.
const SHOWN: usize = 5;
/// How long making one smaller may take.
const SHRINKING: Duration = Duration::from_secs(8);

/// Names of variables, functions and files. Few, so that pieces meet.
fn name() -> BoxedStrategy<String> {
    select(vec!["x", "y", "a", "f"]).prop_map(str::to_owned).boxed()
}

/// Text without meaning to a shell.
fn plain() -> BoxedStrategy<String> {
    select(vec!["p", "q", "-c", "p.q", "1", "d/p", "=p", "touch"]).prop_map(str::to_owned).boxed()
}

/// A piece of a word, as it stands outside of quotes.
fn part(script: BoxedStrategy<String>) -> BoxedStrategy<String> {
    prop_oneof![
        6 => plain(),
        2 => select(vec!["'p q'", "\"p q\"", "''", "\\ ", "\\p", "$'\\x70'", "$'p\\nq'", "$\"p\"", "'$x'", "\\$x", "p\\\nq", "~", "*", "?", "[pq]", "{p,q}", "{1..3}", "p{,q}", "$((1+1))", "$?", "$#", "$@", "\"$@\"", "\"$*\"", "$1", "${#x}", "${a[@]}", "\"${a[@]}\"", "${a[0]}", "\"${a[*]}\"", "${!x}", "\"${!a[@]}\"", "${@:2}", "\"${@:1:1}\"", "${a[@]:1}", "${a[-1]}", "${a[1]}", "${#a[@]}", "${x:-$y}", "${x-\"p q\"}", "{a..c}", "{01..03}", "{3..1..2}", "$((x++))", "$((x+=2))", "$((x?1:2))", "$((-1))", "\"${PIPESTATUS[*]}\"", "$2", "${x+\"$y\"}", "${f[@]/p/q}"])
            .prop_map(str::to_owned),
        3 => name().prop_map(|name| format!("${name}")),
        3 => name().prop_map(|name| format!("\"${name}\"")),
        2 => (name(), select(vec!["-", ":-", "=", ":=", "+", ":+", "#", "##", "%", "%%", "/p/", "//q/", "^", "^^", ",,", ":1", ":0:1", "@Q", "@E"]), plain())
            .prop_map(|(name, operator, word)| match operator {
                "-" | ":-" | "=" | ":=" | "+" | ":+" | "#" | "##" | "%" | "%%" | "/p/" | "//q/" => format!("${{{name}{operator}{word}}}"),
                _ => format!("\"${{{name}{operator}}}\""),
            }),
        1 => script.clone().prop_map(|script| format!("$({script})")),
        1 => script.clone().prop_map(|script| format!("\"$({script})\"")),
        1 => script.prop_map(|script| format!("<({script})")),
    ]
    .boxed()
}

fn word(script: BoxedStrategy<String>) -> BoxedStrategy<String> {
    prop::collection::vec(part(script), 1..3).prop_map(|parts| parts.concat()).boxed()
}

fn words(script: BoxedStrategy<String>) -> BoxedStrategy<String> {
    prop::collection::vec(word(script), 0..4).prop_map(|words| words.join(" ")).boxed()
}

/// Programs and builtins that take any words and do no harm, in the spellings that bash knows.
fn program() -> BoxedStrategy<String> {
    select(vec![
        "touch",
        "touch",
        "touch --",
        "/bin/true",
        "true",
        "echo",
        "printf %s",
        "\\touch",
        "'touch'",
        "t\"ouc\"h",
        "mkdir -p",
        "rm -f",
        "command touch",
        "env touch",
        "nice touch",
        "nohup touch",
        "timeout 2 touch",
        "setsid -w touch",
        "env -i touch",
        "env x=p touch",
        "x=p touch",
        "builtin echo",
        "eval touch",
        "$x",
        "f",
        "exec touch",
        "xargs touch",
        "{touch,p}",
        "time touch",
        "! touch",
        "cat",
        "stdbuf -oL touch",
        "command -p touch",
        "exec -a p touch",
        "env -u x touch",
        "env -C d touch",
        "env -S 'touch p'",
        "env -i x=p touch",
        "nice -n 5 touch",
        "timeout -k 1 2 touch",
        "timeout --signal=KILL 2 touch",
        "setsid touch",
        "ionice -c 3 touch",
        "stdbuf -o0 -e0 touch",
        "xargs -n1 touch",
        "xargs -I{} touch {}",
        "xargs -0 touch",
        "nohup env touch",
        "time -p touch",
        "! command touch",
        "builtin printf %s",
        "cp -f d/p",
        "ln -sf",
        "sed -i.bak s/p/q/",
        "tee",
        "wait",
        "unset",
        "mktemp -u",
    ])
    .prop_map(str::to_owned)
    .boxed()
}

fn redirect(script: BoxedStrategy<String>) -> BoxedStrategy<String> {
    prop_oneof![
        12 => Just(String::new()),
        3 => (select(vec![">", ">>", ">|", "2>", "&>", "<>", "3>", "<"]), word(script.clone()))
            .prop_map(|(operator, word)| format!(" {operator} {word}")),
        2 => word(script).prop_map(|word| format!(" <<< {word}")),
        1 => Just(" 2>&1".to_owned()),
    ]
    .boxed()
}

/// Quotes a script so that it is one word.
fn quoted(script: &str) -> String {
    format!("'{}'", script.replace('\'', "'\\''"))
}

fn assignment(script: BoxedStrategy<String>) -> BoxedStrategy<String> {
    prop_oneof![
        4 => (name(), select(vec!["=", "=", "+="]), word(script.clone())).prop_map(|(name, how, word)| format!("{name}{how}{word}")),
        1 => (name(), words(script.clone())).prop_map(|(name, words)| format!("{name}=({words})")),
        1 => (name(), word(script.clone())).prop_map(|(name, word)| format!("{name}[1]={word}")),
        2 => (select(vec!["export", "declare", "local", "typeset", "readonly -p; declare", "declare -g"]), name(), word(script.clone()))
            .prop_map(|(how, name, word)| format!("{how} {name}={word}")),
        1 => name().prop_map(|name| format!("unset {name}")),
        1 => (name(), word(script.clone())).prop_map(|(name, word)| format!("read {name} <<< {word}")),
        1 => (name(), word(script.clone())).prop_map(|(name, word)| format!("printf -v {name} %s {word}")),
        1 => words(script.clone()).prop_map(|words| format!("set -- {words}")),
        1 => (name(), select(vec!["++", "=1", "+=2", "=y"])).prop_map(|(name, how)| format!("(({name}{how}))")),
        1 => (select(vec!["declare -i", "declare -u", "declare -l", "local -r", "declare -x", "declare -n", "readonly", "declare -a", "local -i"]), name(), word(script.clone()))
            .prop_map(|(how, name, word)| format!("{how} {name}={word}")),
        1 => (name(), name(), word(script.clone())).prop_map(|(a, b, word)| format!("IFS=, read -r {a} {b} <<< {word}")),
        1 => (name(), word(script.clone())).prop_map(|(name, word)| format!("read -ra {name} <<< {word}")),
        1 => (name(), name()).prop_map(|(a, b)| format!("declare -n {a}={b}; {a}=p")),
        1 => (name(), word(script.clone())).prop_map(|(name, word)| format!("declare {name}; {name}={word}")),
        1 => words(script).prop_map(|words| format!("mapfile -t a <<< \"{}\"", words.replace('"', "\\\""))),
    ]
    .boxed()
}

/// Commands and assignments that have more to them, one a line.
const PIECES: &str = include_str!("pieces.txt");

/// One simple command, or an assignment.
fn simple(script: BoxedStrategy<String>) -> BoxedStrategy<String> {
    prop_oneof![
        2 => select(PIECES.lines().collect::<Vec<_>>()).prop_map(str::to_owned),
        12 => (program(), words(script.clone()), redirect(script.clone()))
            .prop_map(|(program, words, redirect)| format!("{program} {words}{redirect}")),
        8 => assignment(script),
        2 => select(vec!["cd d", "cd ..", "cd", "cd /tmp", "cd -", "shift", "return", "break", "continue", "false", "exit", "set -e", "set -f", "IFS=p", "unset -f f", "wait", "set -u", "set -o pipefail", "set +e", "shift 2", "wait -n", "pushd d", "popd", "dirs", "cd nope", "cd d && cd ..", "cd d; false", "cd ..; return 1", "cd - || touch p", "cd d; cd nope", "cd ..; test -e nope", "popd; false", "touch ~+/p ~-/q", "shopt -s nullglob", "shopt -s dotglob", "shopt -u nullglob", "getopts px: f -p", "getopts px: f", "exec 3>p", "exec {x}>p", "exec {x}>&-", "coproc touch p", "((i++))", "((x=x+1))", "let x=1 y=2", "IFS=", "unset IFS", "find d -exec touch {} x{} \\;", "find . -maxdepth 1 -name 'p*' -exec touch {} +", "printf '%s\\n' p 'q r' | xargs touch", "echo \"'p q' r\" | xargs -n1 touch", "echo p | xargs -I% touch %q", "mapfile -t a < <(printf 'p\\nq\\n')", "false && touch p || touch q", "true | false", "select x in p q; do touch $x; break; done <<< 2", "eval \"x=$y\"", "eval \"touch $x\"", "eval 'x=\"$y\"'", "printf -v 'a[1]' %s p", "read x y <<E\np q\nE\n", "trap - EXIT", "trap 'touch z' ERR", "trap 'touch z' RETURN", "trap 'touch z' DEBUG", "trap 'touch $?' INT TERM", "unset 'a[0]'", "a+=(p)", "return 1", "exit 3"])
            .prop_map(str::to_owned),
    ]
    .boxed()
}

/// Commands that hold scripts.
fn compound(script: &BoxedStrategy<String>) -> BoxedStrategy<String> {
    let inner = || script.clone();
    let all = words(script.clone());
    prop_oneof![
        2 => inner().prop_map(|script| format!("{{ {script}\n}}")),
        2 => inner().prop_map(|script| format!("( {script} )")),
        2 => (inner(), inner(), inner()).prop_map(|(a, b, c)| format!("if {a}\nthen {b}\nelse {c}\nfi")),
        2 => (name(), all.clone(), inner()).prop_map(|(name, words, body)| format!("for {name} in {words}; do {body}\ndone")),
        1 => (name(), inner()).prop_map(|(name, body)| format!("for (({name}=0; {name}<2; {name}++)); do {body}\ndone")),
        1 => inner().prop_map(|body| format!("while {body}\nbreak; do :; done")),
        1 => (name(), all.clone(), inner())
            .prop_map(|(name, words, body)| format!("while read {name}; do {body}\ndone <<< {}", quoted(&words.replace(' ', "\n")))),
        1 => (word(script.clone()), inner(), inner())
            .prop_map(|(word, a, b)| format!("case {word} in p|x) {a}\n;; *) {b}\n;; esac")),
        3 => (inner(), inner()).prop_map(|(body, rest)| format!("f() {{ {body}\n}}; {rest}")),
        1 => (inner(), all.clone()).prop_map(|(body, words)| format!("f() {{ {body}\n}}; f {words}")),
        2 => (select(vec!["eval", "bash -c", "env bash -c", "nice bash -c", "timeout 2 bash -c", "bash <<<", "trap EXIT; eval"]), inner())
            .prop_map(|(how, script)| format!("{how} {}", quoted(&script))),
        1 => (inner(), all).prop_map(|(script, words)| format!("bash -c {} _ {words}", quoted(&script))),
        1 => inner().prop_map(|script| format!("trap {} EXIT", quoted(&script))),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("{{ {a}\n}} | {{ {b}\n}}")),
        1 => inner().prop_map(|script| format!("{{ {script}\n}} & wait")),
        1 => (word(script.clone()), word(script.clone()))
            .prop_map(|(a, b)| format!("[[ {a} == {b} ]] && touch p")),
        1 => word(script.clone()).prop_map(|body| format!("cat <<E > p\n{body}\nE\n")),
        1 => (name(), inner()).prop_map(|(name, script)| format!("{name}=$({script})")),
        1 => (word(script.clone()), inner(), inner(), inner(), select(vec![";&", ";;&", ";;"]))
            .prop_map(|(word, a, b, c, end)| format!("case {word} in p) {a}\n{end} q|*p) {b}\n{end} *) {c}\n;; esac")),
        1 => (name(), inner()).prop_map(|(name, body)| format!("until {body}\n{name}=1; do {body}\nbreak; done")),
        1 => (name(), inner()).prop_map(|(name, body)| format!("while read -r {name} y; do {body}\ndone <<E\np q\n$x r\nE\n")),
        1 => (name(), inner(), inner()).prop_map(|(name, a, b)| format!("f() {{ local {name}=p; {a}\n}}; {b}\nf q")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("f() ( {a}\n)\n{b}\nf p 'q r'")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("( trap {} EXIT; {b}\n)", quoted(&a))),
        1 => (select(vec!["ERR", "DEBUG", "RETURN"]), inner(), inner()).prop_map(|(when, a, b)| format!("trap {} {when}; {b}", quoted(&a))),
        1 => (select(vec!["set -e", "set -eu", "set -euo pipefail", "shopt -s nullglob", "cd nope", "pushd d"]), inner()).prop_map(|(how, body)| format!("( {how}; {body}\n)")),
        1 => (select(vec!["set -e", "set -u", "set -o pipefail"]), inner(), inner()).prop_map(|(how, a, b)| format!("{how}; if {a}\nthen {b}\nfi")),
        1 => (inner(), name(), inner()).prop_map(|(a, name, body)| format!("{{ {a}\n}} | while read {name}; do {body}\ndone")),
        1 => (name(), inner()).prop_map(|(name, body)| format!("set -- p 'q r'; for {name}; do {body}\nshift\ndone")),
        1 => (select(vec!["sh -c", "dash -c", "bash -eu -c", "bash -O nullglob -c", "env -C d bash -c", "env -i bash -c", "xargs bash -c", "bash -f -c"]), inner(), word(script.clone()))
            .prop_map(|(how, script, word)| format!("{how} {} _ p <<< {word}", quoted(&script))),
        1 => inner().prop_map(|script| format!("find d -exec bash -c {} _ {{}} \\;", quoted(&script))),
        1 => inner().prop_map(|script| format!("time {{ {script}\n}}")),
        1 => inner().prop_map(|script| format!("! {{ {script}\n}}")),
        1 => inner().prop_map(|script| format!("coproc {{ {script}\n}}; wait")),
        1 => (name(), inner()).prop_map(|(name, script)| format!("select {name} in p q; do {script}\nbreak; done <<< 1")),
        1 => (inner(), word(script.clone())).prop_map(|(script, word)| format!("{{ {script}\n}} > {word}")),
        1 => (inner(), inner(), inner()).prop_map(|(a, b, c)| format!("{{ {a}\n}} && {{ {b}\n}} || {{ {c}\n}}")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("bash <<'E'\n{a}\nE\n{b}")),
        1 => (select(vec!["while", "until !"]), inner(), inner()).prop_map(|(how, a, b)| format!("n=0; {how} {{ {a}\n((n++ < 2)); }}; do {b}\ndone")),
        1 => (name(), select(vec!["d/* p*", "$(echo p q)", "$(printf 'p\\nq\\n') x", "{p,q}$x", "$x q"]), inner()).prop_map(|(name, words, body)| format!("for {name} in {words}; do {body}\ndone")),
        1 => (select(vec!["for x in $(echo p q)", "for x in p q", "for ((n=0; n<3; n++))", "while ((n++ < 3))"]), inner()).prop_map(|(how, body)| format!("n=0; {how}; do f p; f() {{ {body}\n}}; done")),
    ]
    .boxed()
}

/// A script: lists of commands, a few levels deep.
fn script() -> BoxedStrategy<String> {
    let leaf = Just("true".to_owned()).boxed();
    let mut script = list(&simple(leaf));
    for _ in 0..2 {
        let command = prop_oneof![3 => simple(script.clone()), 2 => compound(&script)].boxed();
        script = list(&command);
    }
    script
}

fn list(command: &BoxedStrategy<String>) -> BoxedStrategy<String> {
    let join = select(vec!["\n", "\n", "\n", "; ", " && ", " || "]);
    (command.clone(), prop::collection::vec((join, command.clone()), 0..3))
        .prop_map(|(first, rest)| {
            let mut script = first;
            for (join, command) in rest {
                // A here-document ends with its line.
                let join = if script.ends_with('\n') { "" } else { join };
                let _ = write!(script, "{join}{command}");
            }
            script
        })
        .boxed()
}

fn task(shell: Shell, script: &str) -> Task {
    let files = [("d/p", "x"), ("q", "touch z\n")];
    let files = files.map(|(name, content)| (name.to_owned(), content.to_owned()));
    Task { shell, script: script.trim_end_matches('\n').to_owned(), files: BTreeMap::from(files) }
}

/// Returns what is wrong with each script of a batch.
fn judge(shell: Shell, scripts: &[String]) -> Vec<Vec<String>> {
    let tasks: Vec<Task> = scripts.iter().map(|script| task(shell, script)).collect();
    let observed = run(&tasks);
    // One that does not end, as a loop that nothing leaves, says nothing.
    let ended = tasks.iter().zip(&observed).enumerate();
    ended
        .map(
            |(at, (task, observed))| {
                if observed.ended { faults(at, task, observed) } else { Vec::new() }
            },
        )
        .collect()
}

/// Makes a script that breaks the law smaller while it still does.
fn shrink(
    shell: Shell,
    mut tree: Box<dyn ValueTree<Value = String>>,
    faults: Vec<String>,
) -> (String, Vec<String>) {
    let begin = Instant::now();
    let mut best = (tree.current(), faults);
    while begin.elapsed() < SHRINKING {
        let current = tree.current();
        let faults = if current.len() > 2_000 {
            Vec::new()
        } else {
            judge(shell, std::slice::from_ref(&current)).remove(0)
        };
        let moved = if faults.is_empty() {
            tree.complicate()
        } else {
            if current.len() <= best.0.len() {
                best = (current, faults);
            }
            tree.simplify()
        };
        if !moved {
            break;
        }
    }
    best
}

/// Bytes of stack that this has: as much as a process has, whose calls are not even as deep as those of a build for tests.
const STACK: usize = 8 << 20;

#[test]
fn generated_scripts_do_what_was_foreseen() {
    with_stack(|| hold(Shell::Bash, SCRIPTS));
}

/// The same scripts, where another shell reads them.
#[test]
fn generated_scripts_do_what_was_foreseen_in_other_shells() {
    for shell in [Shell::Zsh, Shell::Dash] {
        if has(shell.name()) {
            with_stack(move || hold(shell, SCRIPTS / 2));
        } else {
            println!("skipped, as {} is not installed", shell.name());
        }
    }
}

fn with_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).unwrap();
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Holds as many scripts as are asked for, or so many, to the law.
fn hold(shell: Shell, usual: usize) {
    if is_hindered() {
        return;
    }
    let count = std::env::var("ORACLE_SCRIPTS").ok().and_then(|count| count.parse().ok());
    let count: usize = count.unwrap_or(usual);
    let given = std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = given.unwrap_or(1);
    println!("seed of the scripts for {}: PROPTEST_RNG_SEED={seed}", shell.name());
    let rng_seed = RngSeed::Fixed(seed);
    let config = Config { failure_persistence: None, rng_seed, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let strategy = script();
    let (mut tried, mut read, mut broken) = (0, 0, Vec::new());
    while tried < count {
        let size = BATCH.min(count - tried);
        let trees: Vec<_> = (0..size).map(|_| strategy.new_tree(&mut runner).unwrap()).collect();
        let scripts: Vec<String> = trees.iter().map(ValueTree::current).collect();
        read += scripts
            .iter()
            .enumerate()
            .filter(|(at, script)| crate::rows::is_read(*at, shell, script))
            .count();
        let faults = judge(shell, &scripts);
        broken.extend(trees.into_iter().zip(faults).filter(|(_, faults)| !faults.is_empty()));
        tried += size;
    }
    println!("{tried} scripts, {read} of them fully read");
    let number = broken.len();
    if broken.is_empty() {
        return;
    }
    let shown = broken.into_iter().take(SHOWN).map(|(tree, faults)| {
        let (script, faults) = shrink(shell, tree, faults);
        format!("{script}\n    {}", faults.join("\n    "))
    });
    let shown: Vec<String> = shown.collect();
    panic!("{number} of {tried} scripts, among them:\n{}", shown.join("\n\n"));
}
