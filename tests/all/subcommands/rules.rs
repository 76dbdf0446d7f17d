//! `rules`: listed, shown, tested, checked.

use super::person::Person;
use super::{RULES, RULES_FILE, fails, fine, json, workspace};

#[test]
fn rules_are_listed_with_what_they_do_and_where_they_are() {
    let place = workspace();
    place.write(RULES_FILE, RULES);
    let all = fine(&place.guard(["rules", "list"]));
    let row = all.lines().find(|line| line.contains("mine.deploy")).unwrap();
    let words: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(words, ["high", "mine.deploy", "refuses", "~/.config/guarded-sh/rules/mine.toml:6"]);
    assert!(all.contains("mine  What this team minds\n"), "{all}");
    assert!(
        all.lines()
            .any(|line| line.contains("git.push.force ") && line.contains("built in, git.toml:"))
    );
    assert!(all.lines().last().unwrap().contains(" rules in "));
}

#[test]
fn the_list_is_narrowed_by_pack_severity_and_origin() {
    let place = workspace();
    place.write(RULES_FILE, RULES);
    let ids = |words: &[&str]| -> Vec<String> {
        let rows = json(&fine(&place.guard(["rules", "list", "--json"]).args(words)));
        rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&["--origin", "mine.toml"]), ["mine.deploy"]);
    assert_eq!(ids(&["--pack", "mine"]), ["mine.deploy"]);
    assert!(ids(&["--pack", "mine", "--severity", "critical"]).is_empty());
    let git = ids(&["--pack", "git", "--severity", "high", "--origin", "built-in"]);
    assert!(git.contains(&"git.push.force".to_owned()));
    assert!(git.iter().all(|id| id.starts_with("git.")));
    let all = json(&fine(&place.guard(["rules", "list", "--json"])));
    let mine = all.as_array().unwrap().iter().find(|row| row["id"] == "mine.deploy").unwrap();
    assert_eq!((mine["recommend"].as_str(), mine["line"].as_u64()), (Some("deny"), Some(6)));
    fails(&place.guard(["rules", "list", "--pack", "gti"]), 2, "did you mean `git`?");
}

#[test]
fn rules_that_are_switched_off_are_not_in_force() {
    let place = workspace();
    place.set("[rules]\ndisabled = [\"git.push.force\"]\n");
    let list = fine(&place.guard(["rules", "list", "--pack", "git"]));
    assert!(!list.lines().any(|line| line.contains(" git.push.force ")));
    assert!(list.ends_with("switched off at ~/.config/guarded-sh/config.toml:2: git.push.force\n"));
    fails(&place.guard(["rules", "show", "git.push.force"]), 2, "is switched off at");
}

#[test]
fn a_rule_is_shown_whole() {
    let place = workspace();
    place.write(RULES_FILE, RULES);
    let page = fine(&place.guard(["rules", "show", "mine.deploy"]));
    for part in [
        "mine.deploy  high",
        "reason       deploys to production",
        "refuses; nobody is asked",
        "the program is `make`",
        "one of its operands is `deploy`",
        "matches      make deploy",
        "passes       make test",
        "pack         mine: What this team minds",
        "from         ~/.config/guarded-sh/rules/mine.toml:6",
    ] {
        assert!(page.contains(part), "{part:?} is not in {page}");
    }
    let wire = json(&fine(&place.guard(["rules", "show", "--json", "git.push.force"])));
    assert_eq!(wire["conditions"]["command"][1][0], "push");
    assert_eq!(wire["origin"], "built-in");
    assert!(wire["matches"].as_array().unwrap().len() >= 2);
    fails(&place.guard(["rules", "show", "mine.deplyo"]), 2, "did you mean `mine.deploy`?");
    fails(&place.guard(["rules", "show", "nothing-like-it"]), 2, "rules list");
}

#[test]
fn examples_are_judged_of_all_of_some_and_of_files() {
    let place = workspace();
    place.write(RULES_FILE, RULES);
    assert_eq!(fine(&place.guard(["rules", "test", "mine.deploy"])), "2 passed, 0 failed\n");
    assert_eq!(fine(&place.guard(["rules", "test", "mine"])), "2 passed, 0 failed\n");
    let some = fine(&place.guard(["rules", "test", "git.push", "mine"]));
    let passed: usize = some.split(' ').next().unwrap().parse().unwrap();
    assert!(passed > 10, "{some}");
    fails(&place.guard(["rules", "test", "git.pusch"]), 2, "there is no rule or pack 'git.pusch'");
    fails(&place.guard(["rules", "test", "./none.toml"]), 2, "cannot read");
}

#[test]
fn each_example_that_fails_is_told() {
    let place = workspace();
    let wrong = RULES
        .replace("\"make deploy\"]", "\"make deploy\", \"make clean\"]")
        .replace("[\"make test\"]", "[\"make test\", \"make deploy x\"]");
    place.write("work/wrong.toml", wrong);
    let ended = place.guard(["rules", "test", "wrong.toml"]).run();
    assert_eq!((ended.code(), ended.err().as_str()), (Some(1), ""));
    let rows: Vec<String> = ended.out().lines().map(str::to_owned).collect();
    assert_eq!(
        rows,
        [
            "wrong.toml:6: rule mine.deploy: does not fire on its example in `matches`: make clean (`operands.any` wants deploy; the line has only clean)",
            "wrong.toml:6: rule mine.deploy: fires on its example in `passes`: make deploy x",
            "2 passed, 2 failed",
        ]
    );
}

#[test]
fn files_without_mistakes_pass() {
    let place = workspace();
    assert_eq!(fine(&place.guard(["rules", "lint"])), "0 rules, 0 files: no mistakes\n");
    place.write(RULES_FILE, RULES);
    assert_eq!(fine(&place.guard(["rules", "lint"])), "1 rule, 1 file: no mistakes\n");
    let file = place.write("work/other.toml", RULES);
    let file = file.to_str().unwrap();
    assert_eq!(fine(&place.guard(["rules", "lint", file])), "1 rule, 1 file: no mistakes\n");
}

#[test]
fn every_mistake_of_every_file_is_drawn() {
    let place = workspace();
    place.write(
        RULES_FILE,
        RULES
            .replace("severity = \"high\"", "severity = \"hihg\"")
            .replace("make test", "make deploy"),
    );
    place.write(
        "home/.config/guarded-sh/rules/two.toml",
        RULES.replace("mine", "two").replace("[\"make test\"]", "[\"make deploy all\"]"),
    );
    place.write("home/.config/guarded-sh/rules/three.toml", "pack = \"three\"\nrule = 1\n");
    place.write("home/.config/guarded-sh/rules/.hidden.toml", "nonsense");
    let ended = fails(&place.guard(["rules", "lint"]), 1, "did you mean `high`?");
    for part in [
        "mine.toml:9:",
        "two.toml:6:",
        "fires on its example in `passes`: make deploy all",
        "three.toml:2:",
        "^^^",
    ] {
        assert!(ended.err().contains(part), "{part:?} is not in {}", ended.err());
    }
    assert_eq!(ended.out(), "3 files: 3 mistakes\n");
    // The settings need not be whole for it.
    place.set("profil = 1\n");
    let ended =
        fails(&place.guard(["rules", "lint"]), 1, "directories that settings name are left out");
    assert_eq!(ended.out(), "3 files: 3 mistakes\n");
    fails(&place.guard(["rules", "lint", "none.toml"]), 1, "cannot read 'none.toml'");
}

#[test]
fn nothing_in_a_file_of_rules_moves_the_cursor() {
    let place = workspace();
    let file = place.write("work/evil.toml", "pack = \"mine\"\n\u{1b}[2Jrule = 1\n");
    let ended = place.guard(["rules", "lint", file.to_str().unwrap()]).run();
    assert_eq!(ended.code(), Some(1));
    assert!(!ended.stderr.contains(&0x1b), "{}", ended.err());
}

/// What a person said always to, as guarded-sh writes it.
const APPROVED: &str = r#"# mine
pack = "approved"

# 2026-01-01: a person said always, in /srv/x.
# Asked because it publishes to a shared place; the line was:
#   git push
[[rule]]
id        = "approved.git-push"
command   = ["git", "push"]
options   = { only = [] }
operands  = { exactly = [] }
effects   = { only = ["publish"] }
when      = { directory = ["/srv/x"] }
severity  = "medium"
recommend = "allow"
allows    = ["effect.publish"]
reason    = "a person said always on 2026-01-01"
matches   = ["cd /srv/x && git push"]
passes    = ["cd / && git push"]
"#;

#[test]
fn an_approved_rule_says_what_it_allows() {
    let place = workspace();
    place.write("home/.config/guarded-sh/rules/approved.toml", APPROVED);
    let page = fine(&place.guard(["rules", "show", "approved.git-push"]));
    for part in [
        "allows: what these rules find in the command",
        "allows       effect.publish",
        "it has no options",
        "it has no operands",
        "all that it does is publish",
        "the directory is `/srv/x`",
    ] {
        assert!(page.contains(part), "{part:?} is not in {page}");
    }
    let list = fine(&place.guard(["rules", "list", "--pack", "approved"]));
    assert!(list.contains("allows"), "{list}");
    let verdict = json(&fine(&place.guard(["check", "--json", "cd /srv/x && git push"])));
    assert_eq!(verdict["findings"][0]["rule"], "approved.git-push");
    assert_eq!(verdict["severity"], "low");
}

#[test]
fn only_a_person_takes_back_what_was_said() {
    const FILE: &str = "home/.config/guarded-sh/rules/approved.toml";
    let place = workspace();
    place.write(FILE, APPROVED);
    for call in [
        place.guard(["rules", "undo"]),
        place.guard(["rules", "undo"]).env("CLAUDECODE", "1"),
        place.guard(["rules", "undo", "approved.git-push"]).env("GUARDED_SH_SESSION", "s"),
    ] {
        fails(&call, 126, "only a person can take back what a person said");
    }
    fails(
        &place.script("\"$GUARD\" -c '\"$GUARD\" rules undo'"),
        126,
        "takes back what a person said",
    );
    let text = || std::fs::read_to_string(place.path(FILE)).unwrap();
    assert_eq!(text(), APPROVED);
    let seen = Person::types(&place, "\"$GUARD\" rules undo").ends_with(0);
    assert!(seen.contains("#   git push\r\n[[rule]]"), "{seen}");
    assert!(
        seen.contains(
            "approved.git-push was taken out of ~/.config/guarded-sh/rules/approved.toml"
        )
    );
    assert_eq!(text(), "# mine\npack = \"approved\"\n");
    let seen = Person::types(&place, "\"$GUARD\" rules undo").ends_with(1);
    assert!(seen.contains("no rule that a person said; nothing was changed"), "{seen}");
    place.write(FILE, "pack = \"approved\"\n[[rule]]\nid = 1\n");
    let seen = Person::types(&place, "\"$GUARD\" rules undo").ends_with(2);
    assert!(seen.contains("approved.toml:3:6"), "{seen}");
}
