//! Rules from text to what a command is matched against, and back out of damaged bytes.

use proptest::prelude::*;

use super::model::{EffectKind, PathClass, Severity};
use super::*;

const PACK: &str = r#"
pack = "t"
summary = "for tests"

[[rule]]
id       = "t.push"
command  = ["git|hub", "push"]
options  = { any = ["-f", "--mirror=x/*"] }
severity = "high"
reason   = "r"
matches  = ["git push -f"]
passes   = ["git push"]

[[rule]]
id       = "t.any-git"
command  = ["git"]
severity = "low"
recommend = "approve"
reason   = "r"
matches  = ["git x"]
passes   = ["got x"]

[[rule]]
id       = "t.kube"
command  = ["kube*"]
severity = "medium"
deny     = true
reason   = "r"
matches  = ["kubectl"]
passes   = ["cube"]

[[rule]]
id       = "t.tree"
effects  = { any = ["delete-tree", "move"] }
target   = ["home", "root"]
severity = "critical"
reason   = "r"
matches  = ["rm -r ~"]
passes   = ["ls"]

[[rule]]
id       = "t.key"
effects  = { any = ["read"] }
target   = { class = ["home"], path = ["~/.key"] }
when     = { branch = ["x", "y/*"], branch_operand = "protected", workspace = "outside", caller = ["agent"] }
severity = "critical"
reason   = "r"
matches  = ["cat ~/.key"]
passes   = ["ls"]

[[rule]]
id       = "t.text"
text     = "a+b"
severity = "low"
reason   = "r"
matches  = ["aab"]
passes   = ["ls"]

[[rule]]
id       = "t.query"
query    = "(subshell) @s"
severity = "low"
reason   = "r"
matches  = ["(ls)"]
passes   = ["ls"]
"#;

fn layer(authority: Authority) -> Layer {
    let pack = read(PACK, Author::Owner).unwrap();
    let bytes = compile(&[(pack, Some("/x/t.toml".to_owned()))]).unwrap();
    Layer::new("test", Box::new(bytes), authority)
}

fn rules() -> RuleSet {
    RuleSet::none().with_layer(layer(Authority::Owner))
}

fn ids(entries: &[std::sync::Arc<Entry>]) -> Vec<&str> {
    entries.iter().map(|entry| entry.rule.id.as_str()).collect()
}

/// The problems of a pack, each as `LINE:COLUMN message [hint]`.
fn problems(source: &str, author: Author) -> Vec<String> {
    let problems = read(source, author).expect_err("this pack is wrong");
    let line = |problem: &source::Problem| {
        let (line, column) = source::position(source, problem.span.start);
        let hint = problem.hint.as_ref().map_or_else(String::new, |hint| format!(" [{hint}]"));
        format!("{line}:{column} {}{hint}", problem.message)
    };
    problems.iter().map(line).collect()
}

/// A pack of one rule, `fields` in line 4 on.
fn rule(fields: &str) -> String {
    format!("pack = \"t\"\n[[rule]]\nmatches = [\"a\"]\n{fields}\npasses = [\"b\"]\n")
}

const HEAD: &str = "id = \"t.a\"\nseverity = \"low\"\nreason = \"r\"\ncommand = [\"x\"]\n";

#[test]
fn a_command_is_matched_against_rules_of_its_program_and_general_ones() {
    let rules = rules();
    let all = EffectMask::ALL;
    let found = |words: &[&str]| {
        let entries = rules.candidates(words, &all).unwrap();
        ids(&entries).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(&["git", "push"]), ["t.push", "t.any-git", "t.tree", "t.key"]);
    assert_eq!(found(&["hub", "push"]), ["t.push", "t.tree", "t.key"]);
    assert_eq!(found(&["git", "pull"]), ["t.any-git", "t.tree", "t.key"]);
    assert_eq!(found(&["git"]), ["t.any-git", "t.tree", "t.key"]);
    assert_eq!(found(&["kubectl"]), ["t.kube", "t.tree", "t.key"]);
    assert_eq!(found(&["ls"]), ["t.tree", "t.key"]);
    assert_eq!(found(&[]), ["t.tree", "t.key"]);
}

#[test]
fn rules_that_ask_for_what_the_command_has_not_are_left_out() {
    let rules = rules();
    let found = |words: &[&str], has: EffectMask| {
        let entries = rules.candidates(words, &has).unwrap();
        ids(&entries).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let nothing = EffectMask::default();
    assert_eq!(found(&["git", "push"], nothing), ["t.any-git"]);
    assert_eq!(
        found(&["git", "push"], nothing.with_trait(Traits::Options)),
        ["t.push", "t.any-git"]
    );
    let moves = nothing.with_kind(EffectKind::Move);
    assert!(found(&["mv"], moves.with_class(PathClass::Inside)).is_empty());
    assert_eq!(found(&["mv"], moves.with_class(PathClass::Root)), ["t.tree"]);
    // A path may be what the target is met by, so its class says nothing.
    assert_eq!(found(&["cat"], nothing.with_kind(EffectKind::Read)), ["t.key"]);
}

#[test]
fn everything_that_was_written_comes_back() {
    let rules = rules();
    let all = rules.all().unwrap();
    assert_eq!(all.len(), 7);
    let (push, examples) = &all[0];
    assert_eq!(examples.matches, ["git push -f"]);
    assert_eq!(examples.passes, ["git push"]);
    assert_eq!((push.line, push.pack.name.as_str()), (6, "t"));
    assert_eq!(push.pack.origin, Origin::File("/x/t.toml".to_owned()));
    assert_eq!(push.rule.severity, Severity::High);
    let conditions = &push.rule.conditions;
    assert_eq!(
        conditions.command,
        [vec!["git".to_owned(), "hub".to_owned()], vec!["push".to_owned()]]
    );
    assert_eq!(conditions.options.any[1].name, "--mirror");
    assert_eq!(conditions.options.any[1].value.as_deref(), Some("x/*"));
    assert_eq!(all[2].0.rule.recommend, Recommendation::Deny);
    let when = &all[4].0.rule.conditions.when;
    assert_eq!(when.branch, Some(BranchPattern::Globs(vec!["x".to_owned(), "y/*".to_owned()])));
    assert_eq!(when.branch_operand, Some(BranchPattern::Protected));
    assert_eq!(when.workspace, Some(Workspace::Outside));
    assert_eq!(ids(&rules.text_rules().unwrap()), ["t.text"]);
    assert_eq!(ids(&rules.query_rules(|kind| kind == "subshell").unwrap()), ["t.query"]);
    assert!(rules.query_rules(|_| false).unwrap().is_empty());
}

#[test]
fn a_layer_that_may_only_tighten_approves_nothing() {
    let rules = RuleSet::none().with_layer(layer(Authority::TightenOnly));
    let found = rules.candidates(&["git", "push"], &EffectMask::ALL).unwrap();
    assert_eq!(ids(&found), ["untrusted.t.push", "untrusted.t.tree", "untrusted.t.key"]);
    for entry in &found {
        let Rule { reason, suggestion, instead, recommend, .. } = &entry.rule;
        assert!(reason.starts_with("a rule that is not trusted says: "), "{reason}");
        assert_eq!((suggestion, instead), (&None, &None));
        // It refuses nothing by itself.
        assert!(*recommend <= Recommendation::Reject, "{recommend:?}");
    }
    assert_eq!(rules.all().unwrap().len(), 6);
}

#[test]
fn layers_keep_their_order_and_their_packs_apart() {
    let rules = rules().with_layer(layer(Authority::TightenOnly));
    let found = rules.candidates(&["kubectl"], &EffectMask::default()).unwrap();
    assert_eq!(ids(&found), ["t.kube", "untrusted.t.kube"]);
    assert!(found[0].order < found[1].order);
    assert_ne!(found[0].pack.number, found[1].pack.number);
}

#[test]
fn disabled_rules_are_not_in_force() {
    let rules = rules().without(["t.tree".to_owned(), "t.text".to_owned()]);
    assert_eq!(ids(&rules.candidates(&["ls"], &EffectMask::ALL).unwrap()), ["t.key"]);
    assert!(rules.text_rules().unwrap().is_empty());
    assert_eq!(rules.all().unwrap().len(), 5);
}

#[test]
fn the_built_in_rules_are_whole() {
    let rules = RuleSet::builtin();
    for (entry, examples) in rules.all().unwrap() {
        assert_eq!(entry.pack.origin, Origin::BuiltIn);
        assert!(examples.matches.len() >= 2 && examples.passes.len() >= 2, "{}", entry.rule.id);
    }
    assert!(rules.candidates(&["git", "push"], &EffectMask::ALL).is_ok());
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (source, expected) in [
        (String::new(), "1:1 a pack needs a name: `pack = \"…\"`"),
        (
            "pakc = \"t\"".into(),
            "1:1 unknown key `pakc`; a pack has `pack`, `summary`, `every`, `rule` [did you mean `pack`?]",
        ),
        ("pack = 3".into(), "1:8 `pack` is a string"),
        (
            "pack = \"T x\"".into(),
            "1:8 'T x' is no name of a pack: lower-case letters, digits, `-`",
        ),
        ("pack = \"t\"\nrule = 3".into(), "2:8 `rule` is a list: `[[rule]]`"),
        ("pack = \"t\"\nevery = 1".into(), "2:9 `every` is true or false"),
        (
            rule("id = \"u.a\"\nseverity = \"low\"\nreason = \"r\"\ncommand = [\"x\"]"),
            "4:6 id 'u.a' must be `t.` and names of letters, digits and `-`, joined by dots",
        ),
        (
            rule(&format!("{HEAD}env = [\"A\"]")),
            "8:8 a variable is written `NAME=VALUE`; any value is `NAME=*`",
        ),
        (
            rule(&format!("{HEAD}options = {{ any = [\"force\"] }}")),
            "8:20 'force' is no option: one begins with a dash",
        ),
        (
            rule(&format!("{HEAD}target = [\"home\"]")),
            "8:10 `target` is the target of `effects`: say which",
        ),
        (
            rule(&format!("{HEAD}effects.any = [\"read\"]\ntarget = {{ path = [\"x\"] }}")),
            "9:20 a path begins with `/`, `~` or `**/`",
        ),
        (
            rule(&format!("{HEAD}text = \"x\"")),
            "8:8 `text` or `query` is about the whole line: only `when` may stand beside it",
        ),
        (
            rule("id = \"t.a\"\nreason = \"r\"\ncommand = [\"x\"]"),
            "4:6 missing field `severity` (or `action`)",
        ),
        (
            rule(&format!("{HEAD}action = \"ask\"\ndeny = true")),
            "8:10 `action` says it in one word: leave `recommend` and `deny` out",
        ),
        (
            rule(&format!("{HEAD}action = \"refuse\"")),
            "8:10 `refuse` is none of `allow`, `ask`, `deny`",
        ),
        (
            rule(&format!("{HEAD}action = \"allow\"")),
            "8:10 `allow` needs `allows`: the rules whose findings it lowers",
        ),
        (
            rule(&format!("{HEAD}when.until = 2026-12-31")),
            "8:14 a time is written in UTC: until = 2026-12-31T23:59:59Z",
        ),
        (
            rule(&format!("{HEAD}when.until = 2026-12-31T23:59:59+01:00")),
            "8:14 a time is written in UTC: until = 2026-12-31T23:59:59Z",
        ),
        (
            rule(&format!("{HEAD}recommend = \"approve\"\ndeny = true")),
            "8:13 `approve` and `deny` exclude each other",
        ),
        (
            rule(
                "id = \"t.a\"\nseverity = \"low\"\nreason = \"r\"\nrecommend = \"approve\"\neffects.any = [\"read\"]",
            ),
            "7:13 `approve` needs a `command`: it is said of one program",
        ),
        (
            rule(&format!("{HEAD}recommend = \"allow\"")),
            "8:13 `allow` needs `allows`: the rules whose findings it lowers",
        ),
        (
            rule(&format!("{HEAD}recommend = \"allow\"\nallows = [\"a.*\"]\ndeny = true")),
            "8:13 `allow` and `deny` exclude each other",
        ),
        (
            rule(
                &format!("{HEAD}recommend = \"allow\"\nallows = [\"a\"]")
                    .replace("\"low\"", "\"critical\""),
            ),
            "8:13 nothing critical is allowed by a rule",
        ),
        (
            rule(
                "id = \"t.a\"\nseverity = \"low\"\nreason = \"r\"\nrecommend = \"allow\"\nallows = [\"a\"]\neffects.only = [\"read\"]",
            ),
            "7:13 `allow` needs a `command`: it is said of one program",
        ),
        (
            rule(&format!("{HEAD}allows = [\"a\"]")),
            "8:11 `allows` stands only with `action = \"allow\"`",
        ),
        (
            rule(&format!("{HEAD}effects = {{ any = [\"read\"], only = [\"read\"] }}")),
            "4:6 `any` and `only` exclude each other in `effects`",
        ),
        (
            rule(&format!("{HEAD}when.directory = [\"x\"]")),
            "8:19 a path begins with `/`, `~` or `**/`",
        ),
        (
            rule(&format!("{HEAD}options = {{ only = [\"force\"] }}")),
            "8:21 'force' is no option: one begins with a dash",
        ),
        (
            rule("id = \"t.a\"\nseverity = \"low\"\nreason = \"r\""),
            "4:6 has no condition and would match every command",
        ),
        (
            rule("id = \"t.a\"\nseverity = \"low\"\nreason = \" \"\ncommand = [\"x\"]"),
            "6:10 the reason is empty",
        ),
        (
            rule("id = \"t.a\"\nseverity = \"low\"\nreason = \"r\"\ncommand = [\"x|\"]"),
            "7:12 'x|' has an empty name",
        ),
    ] {
        assert_eq!(problems(&source, Author::Owner), [expected], "{source}");
    }
    let ours = format!("{HEAD}recommend = \"allow\"\nallows = [\"a\"]\n");
    let ours = rule(&ours)
        .replace("[\"a\"]\nid", "[\"a\", \"c\"]\nid")
        .replace("[\"b\"]", "[\"b\", \"d\"]");
    assert_eq!(
        problems(&ours, Author::BuiltIn),
        ["8:13 a built-in `allow` needs `effects.only`, and `options.only` or `into`"]
    );
    let few = problems(&rule(HEAD), Author::BuiltIn);
    assert_eq!(
        few,
        ["4:6 needs at least 2 lines in `matches`", "4:6 needs at least 2 lines in `passes`"]
    );
    let glob = problems(&rule(&format!("{HEAD}operands.any = [\"ok\", \"a[b\"]")), Author::Owner);
    assert!(glob[0].starts_with("8:23 bad glob 'a[b'"), "{glob:?}");
}

#[test]
fn slips_of_the_pen_are_told_what_was_meant() {
    for (fields, place, hint) in [
        ("id = \"t.a\"\nseverity = \"hihg\"\nreason = \"r\"", "5:12 ", "[did you mean `high`?]"),
        ("id = \"t.a\"\nsevrity = \"low\"\nreason = \"r\"", "5:1 ", "[did you mean `severity`?]"),
        (
            "id = \"t.a\"\nseverity = \"low\"\nreason = \"r\"\neffects = { any = [\"read\", \"delete-tre\"] }",
            "7:28 ",
            "[did you mean `delete-tree`?]",
        ),
        (
            "id = \"t.a\"\nseverity = \"low\"\nreason = \"r\"\neffects.any = [\"read\"]\ntarget = [\"hoem\"]",
            "8:11 ",
            "[did you mean `home`?]",
        ),
        (
            "id = \"t.a\"\nseverity = \"low\"\nreason = \"r\"\neffects.any = [\"read\"]\ntarget = { clas = [\"home\"] }",
            "8:12 ",
            "[did you mean `class`?]",
        ),
        (
            "id = \"t.a\"\nseverity = \"low\"\nreason = \"r\"\nflow = { from = \"downlod\", to = \"network\" }",
            "7:17 ",
            "[did you mean `download`?]",
        ),
        (
            "id = \"t.a\"\nseverity = \"low\"\nreason = \"r\"\nrecommend = \"aprove\"",
            "7:13 ",
            "[did you mean `approve`?]",
        ),
    ] {
        let said = problems(&rule(fields), Author::Owner);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with(place) && said[0].ends_with(hint), "{said:?}");
    }
}

#[test]
fn every_broken_rule_is_told_not_just_the_first() {
    let source = format!(
        "pack = \"t\"\n[[rule]]\nid = \"t.a\"\n[[rule]]\n{HEAD}matches = [\"a\"]\npasses = [\"b\"]\n\
         [[rule]]\n{HEAD}matches = [\"a\"]\npasses = [\"a\"]\n"
    );
    let problems = read(&source, Author::Owner).unwrap_err();
    let said: Vec<_> = problems.iter().map(|p| (p.rule.as_deref(), p.message.as_str())).collect();
    assert_eq!(said[0].0, Some("t.a"));
    assert!(said[0].1.contains("reason"), "{said:?}");
    assert_eq!(said[1], (Some("t.a"), "id 't.a' is taken by the rule in line 5"));
    assert_eq!(said[2], (Some("t.a"), "'a' stands in `matches` and in `passes`"));
}

#[test]
fn broken_toml_is_told_with_its_place() {
    assert!(problems("pack = \"t\"\n[[rule]\n", Author::Owner)[0].starts_with("2:"));
    assert!(
        problems("pack = \"t\"\npack = \"u\"\n", Author::Owner)[0].starts_with("2:1 duplicate key")
    );
}

#[test]
fn a_bad_regular_expression_is_told_with_its_place() {
    let head = HEAD.replace("command = [\"x\"]\n", "");
    let source = rule(&format!("{head}text = 'a(b'"));
    let said = check_text(&read(&source, Author::Owner).unwrap());
    assert_eq!(said.len(), 1);
    assert_eq!(source::position(&source, said[0].span.start), (7, 8));
    assert_eq!(said[0].rule.as_deref(), Some("t.a"));
    assert_eq!(said[0].message, "bad regular expression: unclosed group");
}

#[test]
fn globs_of_words_run_over_slashes_and_globs_of_paths_do_not() {
    assert!(glob::text("+*", "+refs/heads/main"));
    assert!(glob::text("--out=/etc/*", "--out=/etc/a/b"));
    assert!(glob::text("!x", "!x") && !glob::text("!x", "y"));
    assert!(!glob::text("a", "ab"));
    assert!(glob::path("~/.ssh/**", "/home/dev/.ssh/a/b", Some("/home/dev")));
    assert!(!glob::path("~/.ssh/*", "/home/dev/.ssh/a/b", Some("/home/dev")));
    assert!(!glob::path("~/.ssh/*", "/home/developer/.ssh/a", Some("/home/dev")));
    assert!(!glob::path("~/x", "/x", None));
    assert!(glob::path("~", "/home/dev", Some("/home/dev/")));
    assert!(glob::path("~/x", "/x", Some("/")));
    assert!(glob::path("**/.env", "/a/b/.env", None));
}

proptest! {
    /// A look at the ends of a pattern leaves out only what the whole comparison would.
    #[test]
    fn globs_match_what_the_matcher_matches(
        pattern in "!?[ab/,]{0,3}(\\*|\\*\\*/|\\?|\\[ab\\]|\\{a,b/\\}|\\\\n|)[ab/,-]{0,3}(\\*|\\{a,,b\\}|)[ab/]{0,2}",
        text in "[ab/,\u{1f}!\n-]{0,6}",
    ) {
        let literal = |text: &str| {
            if text.starts_with('!') { format!("\\{text}") } else { text.to_owned() }
        };
        let matched = fast_glob::glob_match(literal(&pattern), &text);
        prop_assert_eq!(glob::path(&pattern, &text, None), matched);
        let unslashed = |text: &str| text.replace('/', "\u{1f}");
        let matched = fast_glob::glob_match(literal(&unslashed(&pattern)), unslashed(&text));
        prop_assert_eq!(glob::text(&pattern, &text), matched);
    }

    /// Whatever happens to the bytes: each rule that comes out is one that went in, or damage is reported.
    #[test]
    fn damaged_bytes_are_noticed(at in any::<prop::sample::Index>(), bits in 1..=255_u8, cut in any::<bool>()) {
        let whole = compile(&[(read(PACK, Author::Owner).unwrap(), None)]).unwrap();
        let expected = RuleSet::none()
            .with_layer(Layer::new("whole", Box::new(whole.clone()), Authority::Owner)).all().unwrap();
        let mut bytes = whole;
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] ^= bits }
        let rules = RuleSet::none().with_layer(Layer::new("t", Box::new(bytes), Authority::Owner));
        let sound = |entry: &Entry| expected.iter().any(|(known, _)| **known == *entry);
        for words in [&["git", "push"][..], &["kubectl"], &["ls"], &[]] {
            match rules.candidates(words, &EffectMask::ALL) {
                Ok(found) => {
                    let known = self::rules().candidates(words, &EffectMask::ALL).unwrap();
                    prop_assert_eq!(ids(&found), ids(&known));
                    prop_assert!(found.iter().all(|entry| sound(entry)));
                }
                Err(damaged) => prop_assert_eq!(damaged.layer, "t"),
            }
        }
        if let Ok(all) = rules.all() {
            prop_assert_eq!(all.len(), expected.len());
        }
        prop_assert!(!cut || rules.all().is_err());
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let layer = Layer::new("t", Box::new(bytes), Authority::Owner);
        prop_assert!(layer.header().is_err());
    }

    #[test]
    fn any_text_is_read_without_panic(text in "(pack = \"t\"\n)?(\\[\\[rule\\]\\]|id = |\"|\\PC|\n|\\[|\\]|\\{|\\}){0,60}") {
        let _ = read(&text, Author::Owner);
    }
}

proptest! {
    #[test]
    fn an_escaped_text_matches_itself_alone(text in "[ -~é]{1,12}", other in "[ -~é]{1,12}") {
        let pattern = glob::escape(&text);
        prop_assert_eq!(glob::check(&pattern).is_ok(), true);
        prop_assert!(glob::text(&pattern, &text), "{}", pattern);
        prop_assert_eq!(glob::text(&pattern, &other), text == other);
        let path = format!("/{text}");
        prop_assert!(glob::path(&glob::escape(&path), &path, None));
        prop_assert_eq!(glob::path(&glob::escape(&path), &format!("/{other}"), None), text == other);
    }
}
