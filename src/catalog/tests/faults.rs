//! What is wrong in a family file is told, all of it, with its place.

use super::super::compile::compile;

fn faults(files: &[(&str, &str)]) -> Vec<String> {
    let files: Vec<_> = files.iter().map(|(f, t)| ((*f).to_owned(), (*t).to_owned())).collect();
    compile(&files).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn every_fault_is_told_with_its_place() {
    let text = r#"
        top = 1
        [_sets.s]
        "--zz" = "wriite"
        [a]
        operands = ["read...", "write..."]
        uses = ["s", "nope"]
        colour = 1
        [a.options]
        "-x --xx" = "flag"
        "-y --xx" = { take = "inert" }
        "-z -x" = "inert"
        [a.sub.b]
        effects = ["breaks"]
        bare = ["stdin:klingon"]
        [a.sub.b.sub."c|"]
        operands = ["argv..."]
    "#;
    let found = faults(&[("f.toml", text)]);
    let expected = [
        "f.toml: top: must be a table",
        r#"f.toml: a options "-y --xx": unknown field `take`"#,
        "f.toml: a: unknown field `colour`",
        r#"f.toml: _sets s "--zz": unknown role "wriite""#,
        r#"f.toml: a b: unknown effect kind "breaks""#,
        r#"f.toml: a b: unknown language "klingon""#,
        r#"f.toml: a b c|: "" is no name of a subcommand"#,
        r#"f.toml: a: two options are spelled "-x""#,
    ];
    for line in expected {
        assert!(found.iter().any(|fault| fault.starts_with(line)), "{line}\nnot in {found:#?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:#?}");
}

/// A command in TOML, and the beginning of the fault in it.
const WRONG: &[(&str, &str)] = &[
    (r#"operands = ["read...", "write..."]"#, "two operands with `...`"),
    (r#"operands = ["argv...", "read"]"#, "nothing can follow \"argv\""),
    (r#"operands = ["read...", "argv..."]"#, "only `assignment...` may stand"),
    (r#"operands = ["argv;"]"#, "\"argv;\" is only for options"),
    (r#"operands = ["argv"]"#, "unknown role \"argv\" (it is written \"argv...\")"),
    (r#"operands = ["stdin:shell"]"#, "unknown role \"stdin:shell\" (only in"),
    (r#"operands = ["flag"]"#, "unknown role \"flag\" (an operand"),
    (r#"operands = ["code:klingon"]"#, "unknown language \"klingon\""),
    (r#"uses = ["nope"]"#, "uses \"nope\""),
    (r#"effects = ["read", "inert"]"#, "unknown effect kind \"inert\""),
    (r#"keywords = { "" = "read" }"#, "\"\" is no keyword"),
    (r#"keywords = { a = "argv..." }"#, "\"argv...\" takes more than one word"),
    (r#"aliases = ["p"]"#, "names itself \"p\" twice"),
    (r#"aliases = ["a/b"]"#, "\"a/b\" is no name of a program"),
    (r#"options = { "--" = "read" }"#, "`--` takes no value"),
    (r#"options = { "---x" = "flag" }"#, "bad spelling \"---x\""),
    (r#"options = { "--x=" = "flag" }"#, "bad spelling \"--x=\""),
    (r#"options = { "*x" = "flag" }"#, "bad spelling \"*x\""),
    (r#"options = { "-x,--y" = "flag" }"#, "bad spelling \"-x,--y\""),
    (r#"options = { "-x|--y" = "flag" }"#, "bad spelling \"-x|--y\""),
    (r#"options = { "-x | -y -x" = "flag" }"#, "two options are spelled \"-x\""),
    (r#"options = { " " = "flag" }"#, "an option without a spelling"),
    (r#"options = { "-x" = "read..." }"#, "unknown role \"read...\""),
    (r#"options = { "-x" = "optional:argv..." }"#, "\"argv...\" takes more than one word"),
    (r#"options = { "-x" = "optional:flag" }"#, "unknown role \"flag\""),
    (r#"options = { "-x" = { takes = "flag", values = ["a"] } }"#, "`values` needs"),
    (r#"options = { "-x" = { takes = "read", otherwise = "write" } }"#, "`otherwise` needs"),
    (r#"options = { "-x" = { fills = "read" } }"#, "fills \"read\", which is none"),
    (r#"options = { "-x" = "flag" }"#, ""),
    (r#"options = { "-p --pager" = "inert" }"#, "--pager names a program"),
    (r#"options = { "--diff-program" = "optional:read" }"#, "--diff-program names a program"),
    (r#"options = { "-p --pager" = "exec+" }"#, ""),
    (r#"options = { "-p --pager" = "flag" }"#, ""),
    (r#"options = { "--shell" = { takes = "inert", because = "text for it" } }"#, ""),
    (r#"style = "loud""#, "unknown variant `loud`"),
    ("style = \"none\"\noptions = { \"-x\" = \"flag\" }", "bad spelling \"-x\": style"),
    ("style = \"single-dash\"\noptions = { \"-x\" = \"flag\", \"--x\" = \"flag\" }", "two options"),
    ("options = { \"-x\" = \"flag\" }\nshared = { \"-x\" = \"flag\" }", "two options are spelled"),
    ("effects = [\"build\"]\noptions = { \"--cwd\" = \"inert\" }", "says where p works"),
    (r#"options = { "--server" = "inert" }"#, "names a host that is not asked"),
    (r#"options = { "-p" = { takes = "inert", values = ["[0-9]"] } }"#, "only `*` is special"),
    (r#"options = { "+ -*" = "flag" }"#, "each option that is not listed counts"),
    (r#"options = { "--*" = { takes = "flag", because = "names" } }"#, ""),
    (r#"options = { "--no-*" = "flag" }"#, ""),
    (r#"options = { "--api-url" = { takes = "text", because = "shown only" } }"#, ""),
    ("effects = [\"listen\"]\noptions = { \"--host\" = \"inert\" }", ""),
    ("effects = [\"connect\"]\noperands = [\"inert\"]", "asks a host, and no word says which"),
    ("effects = [\"connect\"]\noperands = [\"inert\"]\noptions = { \"-h\" = \"connect\" }", ""),
    ("operands = [\"inert...\"]\nsub = { a = {} }", "a subcommand that is not known counts"),
    ("operands = [\"inert...\"]\nbecause = \"files\"\nsub = { a = {} }", ""),
    ("effects = [\"build\"]\noptions = { \"--config\" = \"read\" }", "settings that may name code"),
    (r#"options = { "--config" = "read" }"#, ""),
    ("sub = { a = {}, \"b|a\" = {} }", "another subcommand is called \"a\""),
];

#[test]
fn each_kind_of_fault_is_told_once() {
    for (body, expected) in WRONG {
        let text = format!("[p]\n{body}\n");
        let told = match compile(&[("f.toml".to_owned(), text)]) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.into_iter().map(|fault| fault.what).collect(),
        };
        let is_right = match told.as_slice() {
            [] => expected.is_empty(),
            [what] => !expected.is_empty() && what.starts_with(expected),
            _ => false,
        };
        assert!(is_right, "{body}\n  expected {expected:?}\n  found    {told:?}");
    }
}

#[test]
fn a_program_is_defined_once_over_all_files() {
    let found = faults(&[("a.toml", "[x]\n[y]"), ("b.toml", "[z]\naliases = [\"y\"]\n[x]")]);
    let expected = [
        "b.toml: x: \"x\" is already defined in a.toml",
        "b.toml: z: \"y\" is already defined in a.toml",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_file_that_is_no_toml_tells_the_line_and_the_others_are_still_checked() {
    let found = faults(&[("a.toml", "[x]\n\n= 3"), ("b.toml", "[y]\noperands = [\"z\"]")]);
    assert!(found[0].starts_with("a.toml: line 3: "), "{found:?}");
    assert_eq!(found[1], "b.toml: y: unknown role \"z\"");
}
