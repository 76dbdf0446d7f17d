//! Tree-sitter is the oracle for counts: chains, pipes, substitutions, redirections and commands, on every text that
//! it parses without an error and is not known to misread.
#![allow(clippy::expect_used, reason = "tests say what they need")]

use std::collections::BTreeMap;

use guarded_sh::syntax::{
    AndOr, CommandKind, Descend, Node, PartKind, Script, StructuralQuery, parse_alone,
};

const LINES: &str = include_str!("syntax/lines.txt");
const TEXTS: &str = include_str!("syntax/texts.txt");
const STRUCTURES: &str = include_str!("../grammar-queries/structures.scm");

type Counts = BTreeMap<&'static str, usize>;

const COUNTED: [&str; 8] =
    ["chain", "pipe", "substitution", "process", "redirect", "command", "subshell", "function"];

fn ours(script: &Script) -> Counts {
    let mut counts: Counts = COUNTED.iter().map(|name| (*name, 0)).collect();
    let mut add = |name, many| *counts.entry(name).or_default() += many;
    script.walk(&mut |node| {
        match node {
            Node::Statement(statement) => {
                let chained =
                    statement.rest.iter().filter(|(it, _)| matches!(it, AndOr::And | AndOr::Or));
                add("chain", chained.count());
                let pipelines = std::iter::once(&statement.first)
                    .chain(statement.rest.iter().map(|(_, pipeline)| pipeline));
                for pipeline in pipelines {
                    add("pipe", pipeline.commands.len().saturating_sub(1));
                }
            }
            Node::Command(command) => match &command.kind {
                // Tree-sitter has nodes of their own for declarations and for assignments alone.
                CommandKind::Simple(simple) => {
                    let name = simple.words.first().and_then(guarded_sh::syntax::Word::literal);
                    let declares = name.is_some_and(|it| DECLARATIONS.contains(&it.as_str()));
                    add("command", usize::from(!declares && !simple.words.is_empty()));
                }
                CommandKind::Subshell(_) => add("subshell", 1),
                CommandKind::Function { .. } => add("function", 1),
                CommandKind::Test(words) => {
                    let text = words.iter().filter_map(guarded_sh::syntax::Word::literal);
                    add("chain", text.filter(|it| it == "&&" || it == "||").count());
                }
                CommandKind::Case { arms, .. } => {
                    add("pipe", arms.iter().map(|(patterns, _)| patterns.len() - 1).sum());
                }
                _ => {}
            },
            Node::Redirect(_) => add("redirect", 1),
            Node::Part(part) => match &part.kind {
                PartKind::Command(_) => add("substitution", 1),
                PartKind::ProcessInput(_) | PartKind::ProcessOutput(_) => add("process", 1),
                _ => {}
            },
            Node::Assignment(_) | Node::Word(_) | Node::Script(_) => {}
        }
        Descend::Into
    });
    counts
}

/// Names for which tree-sitter has other nodes than that of a command.
const DECLARATIONS: [&str; 8] =
    ["declare", "typeset", "export", "readonly", "local", "unset", "unsetenv", "["];

/// One query for each capture, so that the matches of one can be counted.
fn queries() -> Vec<(&'static str, StructuralQuery)> {
    let lines = STRUCTURES.lines().filter(|line| line.contains('@'));
    lines
        .map(|line| {
            let (_, name) = line.rsplit_once('@').expect("a capture");
            (name, StructuralQuery::new(line).expect("a query"))
        })
        .collect()
}

#[test]
fn the_walk_counts_what_tree_sitter_counts() {
    let errors = StructuralQuery::new("[(ERROR) (MISSING)] @match").expect("a query");
    let queries = queries();
    assert_eq!(queries.len(), COUNTED.len());
    let (mut compared, mut wrong) = (0, Vec::new());
    for text in LINES.lines().chain(TEXTS.split("\n----\n")) {
        let script = parse_alone(text.as_bytes());
        if !script.opaque.is_empty() || !errors.matches(text).expect("short").is_empty() {
            continue;
        }
        if MISREAD.iter().any(|(known, _)| *known == text) {
            continue;
        }
        compared += 1;
        let ours = ours(&script);
        for (name, query) in &queries {
            let theirs = query.matches(text).expect("short").len();
            if theirs != ours[name] {
                wrong.push(format!("{text:?}: {name} ours {} theirs {theirs}", ours[name]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (text, _) in MISREAD {
        let ours = ours(&parse_alone(text.as_bytes()));
        let differs = queries
            .iter()
            .any(|(name, query)| query.matches(text).is_ok_and(|found| found.len() != ours[name]));
        assert!(differs, "{text:?} is no longer misread");
    }
    assert!(compared > 600, "only {compared} compared");
}

/// Texts that tree-sitter misreads without an error node, each with what it sees.
const MISREAD: &[(&str, &str)] = &[
    ("coproc if a; then b; fi", "a command named coproc"),
    ("coproc { a; } >f", "a command named coproc"),
    ("coproc a { b; }", "a command named coproc"),
    ("coproc X { echo a; }; cat <&${X[0]}", "a command named coproc"),
    ("time", "a command named time"),
    ("time -p", "a command named time"),
    ("time { a; }", "a command named time"),
    ("time (a)", "a command named time"),
    ("time; a", "a command named time"),
    ("time (a; b)", "a command named time"),
    ("! { a; }", "a brace as a command"),
    ("[[a ]]", "a condition"),
    ("1a=2", "an assignment"),
    ("case a in a)b;;c)d;;esac", "one arm"),
    ("echo ${a:-`b`}", "no backticks in a parameter"),
    ("echo `a \\`b\\``", "no backticks in backticks"),
    ("echo ${x:-`echo b`} `echo \\`echo c\\``", "no backticks in a parameter"),
    ("echo $(( '$(echo 1)' ))", "single quotes that hold back in arithmetic"),
    ("echo ${x:-<(true)}", "no process substitution in a parameter"),
    (
        "[[ a =~ a|b ]] && echo y; [[ \"a b\" =~ (a b|c) ]] && echo y2; [[ a =~ a&&b ]] && echo y3",
        "an operator as part of a regex",
    ),
    ("git commit -m \"$(cat <<EOF\na's `b`\nEOF\n)\"", "no backticks in a body"),
    ("cat <<E\n`printf \"[%s]\" \\\"a  b\\\"`\nE", "no backticks in a body"),
    ("cat <<EOF ||\na\nEOF\nls", "the body as commands"),
    ("cat <<EOF |\na\nEOF\nls", "the body as commands"),
    ("a <<\"E\nF\"\nx\nE\nF", "a delimiter of one line"),
    ("cat <<E\na \\\nE\nb\nE", "a body that ends too early"),
    ("cat <<$(x)\ny\n$(x)", "the delimiter as a word"),
    ("echo \"$\\\n(echo hi)\"", "no substitution across a line continuation"),
    ("if echo a\nthen echo b; fi\ni\\\nf true; then echo c; fi", "a command named i\\f"),
];
