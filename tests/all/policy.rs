//! `policy test` and `policy diff`, through the built program: rows of small policies, each format, and the examples that the repository has.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use saphyr_parser::{Event, Parser};
use serde::Deserialize;
use serde_json::Value;

use crate::sheets;
use crate::support::{Ended, Place};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Why the row is there.
    why: String,
    /// More words of the call.
    #[serde(default)]
    words: Vec<String>,
    status: i32,
    /// What stdout has in it.
    #[serde(default)]
    out: Vec<String>,
    /// What stderr has in it; without any, nothing.
    #[serde(default)]
    err: Vec<String>,
    /// Lines that the record has.
    #[serde(default)]
    lines: Vec<String>,
    /// Lines of the file of records behind these.
    #[serde(default)]
    more: Vec<String>,
    files: BTreeMap<String, String>,
}

/// A record of a line, as short as one can be.
fn record(number: usize, line: &str) -> String {
    let line = serde_json::to_string(line).unwrap();
    format!(
        r#"{{"sequence":{number},"previous":"","time":"2026-11-28T05:00:00Z","cwd":"/home/dev/app","line":{line},"action":"allow","severity":"low","score":100,"decided_by":"policy","mode":"enforce"}}"#
    )
}

impl Row {
    fn fault(&self, words: &[&str]) -> Option<String> {
        let place = Place::new();
        for (path, content) in &self.files {
            place.write(&format!("work/{path}"), content);
        }
        let records = self.lines.iter().enumerate().map(|(number, line)| record(number, line));
        let records: Vec<String> = records.chain(self.more.iter().cloned()).collect();
        place.write("work/records.jsonl", records.join("\n"));
        let ended = place.guard([]).args(words).args(&self.words).run();
        let (out, err) = (ended.out(), ended.err());
        let lacks =
            |text: &str, all: &[String]| all.iter().find(|part| !text.contains(*part)).cloned();
        let lack = lacks(&out, &self.out).or_else(|| lacks(&err, &self.err));
        let is_loud = self.err.is_empty() && !err.is_empty();
        let is_right = ended.code() == Some(self.status) && lack.is_none() && !is_loud;
        (!is_right).then(|| format!("{}: {:?}, lacks {lack:?}\n{out}{err}", self.why, ended.code()))
    }
}

fn hold(sheet: &str, words: &[&str]) {
    let rows = sheets::rows::<Row>(&sheets::path(sheet));
    let faults: Vec<String> = rows.iter().filter_map(|row| row.fault(words)).collect();
    assert!(faults.is_empty(), "{} of {} rows:\n{}", faults.len(), rows.len(), faults.join("\n"));
}

#[test]
fn policies_do_what_their_tests_say_or_it_is_told() {
    hold("tests/policy/tests.toml", &["policy", "test", "p"]);
}

#[test]
fn lines_of_the_record_that_another_policy_decides_otherwise_are_told() {
    hold("tests/policy/diffs.toml", &["policy", "diff", "old", "new", "--on", "records.jsonl"]);
}

/// A policy of which a test, an example and the coverage fail, with all that formats must not take for their own.
fn failing() -> Place {
    let place = Place::new();
    let tests = "[[test]]\nname = \"<a> & \\\"b\\\" ']]>' \\u001b[31m \\uffff \\t\\n é\"\nline = \"echo '<x>' && rm -rf ~/\"\nexpect = \"deny\"\n[[test]]\nline = 'ls'\nexpect = 'allow'\n";
    place.write("work/a b/é#/tests.toml", tests);
    let rules = "pack = \"mine\"\n[[rule]]\nid = \"mine.one\"\ncommand = [\"just\"]\naction = \"deny\"\nreason = \"r\"\nmatches = [\"mise\"]\npasses = [\"ls\"]\n";
    place.write("work/a b/é#/rules/mine.toml", rules);
    place
}

fn tested(place: &Place, words: &[&str]) -> Ended {
    let ended = place.guard(["policy", "test", "a b/é#"]).args(words).run();
    assert_eq!((ended.code(), ended.err().as_str()), (Some(1), ""));
    ended
}

#[test]
fn as_json_it_is_all_that_people_see() {
    let place = failing();
    let ended = tested(&place, &["--format", "json", "--coverage"]);
    let report: Value = serde_json::from_str(&ended.out()).unwrap();
    let [failed, passed] = report["tests"].as_array().unwrap().as_slice() else {
        panic!("{report}")
    };
    assert_eq!(
        (failed["action"].as_str(), failed["severity"].as_str()),
        (Some("ask"), Some("critical"))
    );
    assert_eq!(
        (failed["at"].as_u64(), failed["file"].as_str()),
        (Some(1), Some("a b/é#/tests.toml"))
    );
    assert!(failed["findings"][0]["rule"].is_string() && failed["faults"][0].is_string());
    assert!(passed["faults"].as_array().unwrap().is_empty());
    let examples = report["examples"].as_array().unwrap();
    assert_eq!(
        examples.iter().filter(|one| !one["faults"].as_array().unwrap().is_empty()).count(),
        1
    );
    assert_eq!(report["coverage"]["unfired"][0]["rule"], "mine.one");
}

/// The fields that SARIF 2.1.0 requires, and those that code hosts read.
#[test]
fn as_sarif_each_failure_has_its_place() {
    let place = failing();
    let ended = tested(&place, &["--format", "sarif", "--coverage"]);
    let log: Value = serde_json::from_str(&ended.out()).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "guarded-sh");
    let rules = driver["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    let levels: Vec<&str> = results.iter().map(|one| one["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["error", "error", "note"]);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let physical = &result["locations"][0]["physicalLocation"];
        let address = physical["artifactLocation"]["uri"].as_str().unwrap();
        assert!(address.starts_with("a%20b/%C3%A9%23/"), "{address}");
        assert!(physical["region"]["startLine"].as_u64().unwrap() >= 1);
    }
    let required = tested(&place, &["--format", "sarif", "--coverage=require"]).out();
    assert_eq!(required.matches("\"level\": \"error\"").count(), 3);
}

#[test]
fn as_junit_it_is_well_formed_and_its_numbers_are_right() {
    let place = failing();
    for (coverage, failures, skipped) in [("--coverage", 2, 1), ("--coverage=require", 3, 0)] {
        let text = tested(&place, &["--format", "junit", coverage]).out();
        let elements = elements(&text);
        let count = |name: &str| elements.iter().filter(|element| element.name == name).count();
        assert_eq!(
            (count("testsuites"), count("testsuite"), count("testcase")),
            (1, 3, 5),
            "{text}"
        );
        assert_eq!((count("failure"), count("skipped")), (failures, skipped), "{text}");
        let whole = &elements[0].attributes;
        let number = |name: &str| whole[name].parse::<usize>().unwrap();
        assert_eq!(
            (number("tests"), number("failures"), number("skipped")),
            (5, failures, skipped)
        );
        let first = elements.iter().find(|element| element.name == "testcase").unwrap();
        let name = "<a> & \"b\" ']]>' \\x1b[31m \u{fffd} \t\n é";
        assert_eq!(first.attributes["name"], name);
        assert_eq!(first.attributes["line"], "1");
    }
}

/// An element of XML with its attributes, read as XML 1.0 says that they are.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: BTreeMap<String, String>,
}

/// Returns the elements of a document in their order. Fails where it is not well-formed, as far as such reports use XML.
fn elements(text: &str) -> Vec<Element> {
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(allowed), "a character that XML has not");
    let mut rest = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").unwrap();
    let (mut open, mut all): (Vec<String>, Vec<Element>) = (Vec::new(), Vec::new());
    while let Some((between, tag)) = rest.split_once('<') {
        let between = plain(between);
        assert!(!open.is_empty() || between.trim().is_empty(), "text outside of all: {between}");
        let (tag, after) = tag.split_once('>').unwrap();
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut given) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = BTreeMap::new();
        while let Some((name, value)) = given.trim_start().split_once("=\"") {
            let (value, more) = value.split_once('"').unwrap();
            assert!(attributes.insert(name.to_owned(), plain(value)).is_none(), "{name} twice");
            given = more;
        }
        assert!(given.is_empty(), "{given}");
        assert!(!open.is_empty() || all.is_empty(), "two roots");
        all.push(Element { name: name.to_owned(), attributes });
        if !is_empty {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest:?}");
    all
}

/// Returns what stands for a text in XML.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split('&');
    plain.push_str(parts.next().unwrap());
    for part in parts {
        let (name, after) = part.split_once(';').unwrap();
        plain.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            number => {
                let number = number.strip_prefix('#').unwrap().parse().unwrap();
                char::from_u32(number).unwrap()
            }
        });
        plain.push_str(after);
    }
    assert!(!text.contains(['<', '>']), "{text}");
    plain
}

/// What stands in the place of a file that is read, and what is said of it.
const BAD: &[(&str, fn(&Path), &str)] = &[
    ("a pipe", |path| mkfifo(path, Mode::S_IRWXU).unwrap(), "is not a"),
    ("a loop", |path| symlink(path, path).unwrap(), "cannot"),
    ("a directory", |path| fs::create_dir(path).unwrap(), ""),
    ("no text", |path| fs::write(path, b"\xff\xfe[[test]]").unwrap(), ""),
    ("a NUL byte", |path| fs::write(path, b"\0").unwrap(), ""),
    ("half of a row", |path| fs::write(path, b"[[test]]\nline = 'l").unwrap(), ""),
    ("much", |path| fs::write(path, "# \n".repeat(600_000)).unwrap(), ""),
    ("one long line", |path| fs::write(path, vec![b'{'; 20 << 20]).unwrap(), ""),
];

#[test]
fn what_is_no_file_of_tests_policy_or_records_is_told_and_not_waited_for() {
    const TEST: &str = "[[test]]\nline = \"ls\"\nexpect = \"allow\"\n";
    for (what, make, says) in BAD {
        for file in
            ["tests.toml", "policy.toml", "policy.d/x.toml", "rules/x.toml", "records.jsonl"]
        {
            let place = Place::new();
            place.write("work/p/tests.toml", TEST);
            place.write("work/q/policy.toml", "");
            let path = place.path("work/p").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&path);
            make(&path);
            let call = match file {
                "records.jsonl" => {
                    place.guard(["policy", "diff", "q", "q", "--on", "p/records.jsonl"])
                }
                _ => place.guard(["policy", "test", "p"]),
            };
            let ended = call.run();
            assert_eq!(ended.code(), Some(2), "{what} as {file}: {} {}", ended.out(), ended.err());
            let told = ended.err();
            assert!(
                !told.is_empty() && told.contains(says) && !told.contains("panicked"),
                "{what} as {file}: {told}"
            );
            assert!(told.len() < 4_000, "{what} as {file}: {} bytes", told.len());
        }
    }
}

#[test]
fn without_a_file_of_records_it_is_the_own_record_and_current_is_what_is_in_force() {
    let place = Place::new();
    fs::create_dir(place.path("work/.git")).unwrap();
    place.write("work/.git/HEAD", "ref: refs/heads/feature\n");
    place.guard(["-c", "frobnicate x"]).run();
    place.write("new/policy.toml", "profile = \"unattended\"\n");
    let call = || place.guard(["policy", "diff", "current", "../new"]);
    let ended = call().run();
    assert_eq!((ended.code(), ended.err().as_str()), (Some(1), ""));
    assert!(
        ended.out().starts_with("is asked about → is refused  1×  frobnicate x  "),
        "{}",
        ended.out()
    );
    let diff: Value = serde_json::from_str(&call().args(["--json"]).run().out()).unwrap();
    let changed = &diff["changed"][0];
    assert_eq!(
        (changed["before"]["action"].as_str(), changed["after"]["action"].as_str()),
        (Some("ask"), Some("deny"))
    );
    assert_eq!((diff["lines"].as_u64(), changed["count"].as_u64()), (Some(1), Some(1)));
    // The user's own settings are in force, and those of a directory are tried without them.
    place.set("safe_commands = [\"frobnicate\"]\n");
    let ended = call().run();
    assert!(ended.out().starts_with("runs → is refused"), "{}", ended.out());
    let ended = place.guard(["policy", "diff", "../new", "../new"]).run();
    assert_eq!(ended.code(), Some(0), "{}", ended.out());
}

#[test]
fn nothing_is_run_and_nothing_stays() {
    let place = Place::new();
    let row = "[[test]]\nline = \"touch ~/ran /tmp/guarded-policy-ran; ./x\"\nfiles = { x = \"#!/bin/sh\\ntouch ran\\n\" }\nexpect = \"ask\"\n";
    place.write("work/p/tests.toml", row);
    fs::create_dir(place.path("tmp")).unwrap();
    place.guard(["policy", "test", "p"]).env("TMPDIR", place.path("tmp")).run();
    assert_eq!(fs::read_dir(place.path("tmp")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(place.home()).unwrap().count(), 0);
    assert!(!Path::new("/tmp/guarded-policy-ran").exists());
}

/// Where a policy is only tried, nobody is wronged by who may write it: of a repository that was cloned, many may.
#[test]
fn whose_a_policy_is_is_not_asked() {
    let place = Place::new();
    place.write("work/p/tests.toml", "[[test]]\nline = \"npm install x\"\nexpect = \"deny\"\n");
    for path in ["policy.toml", "policy.d/x.toml", "rules/x.toml"] {
        let rule = "pack = 'x'\n[[rule]]\nid = 'x.x'\ncommand = ['x']\naction = 'ask'\nreason = 'r'\nmatches = ['x']\npasses = ['y']\n";
        let text = if path.starts_with("rules") { rule } else { "profile = 'unattended'\n" };
        let file = place.write(&format!("work/p/{path}"), text);
        for path in [file.parent().unwrap(), &file] {
            fs::set_permissions(path, PermissionsExt::from_mode(0o777)).unwrap();
        }
    }
    let ended = place.guard(["policy", "test", "p"]).run();
    assert_eq!((ended.code(), ended.err().as_str()), (Some(0), ""), "{}", ended.out());
}

/// They read, and tell an agent no more than `check` does.
#[test]
fn an_agent_may_ask_what_a_policy_does() {
    let place = Place::new();
    place.write("work/p/tests.toml", "[[test]]\nline = \"ls\"\nexpect = \"allow\"\n");
    let ended = place.guard(["policy", "test", "p"]).env("CLAUDECODE", "1").run();
    assert_eq!(ended.code(), Some(0), "{}", ended.err());
    for line in
        ["guarded-sh policy test p --coverage", "guarded-sh policy diff current p --json --on r"]
    {
        let judged = place.guard(["check", line]).run();
        assert_eq!(judged.code(), Some(0), "{line}: {}", judged.out());
    }
}

/// The repository's own directory, for what it shows.
fn examples() -> Place {
    let place = Place::new();
    let root = sheets::path("examples/team-policy");
    for name in ["policy.toml", "rules/team.toml", "tests.toml"] {
        place.write(&format!("work/policy/{name}"), fs::read(root.join(name)).unwrap());
    }
    place
}

#[test]
fn the_team_s_policy_is_as_its_tests_say_and_covered() {
    let place = examples();
    let ended = place.guard(["policy", "test", "policy", "--coverage=require"]).run();
    assert_eq!((ended.code(), ended.err().as_str()), (Some(0), ""), "{}", ended.out());
    let rows = ended.out();
    let passed: usize = rows.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(passed >= 25, "{rows}");
}

/// What a file of YAML has under these keys.
fn commands(text: &str, keys: &[&str]) -> Vec<String> {
    let (mut found, mut is_next) = (Vec::new(), false);
    for event in Parser::new_from_str(text) {
        if let Event::Scalar(text, ..) = event.unwrap().0 {
            if is_next {
                found.extend(text.lines().map(|line| line.trim().to_owned()));
            }
            is_next = !is_next && keys.contains(&text.as_ref());
        }
    }
    found.retain(|line| line.starts_with("guarded-sh "));
    found
}

#[test]
fn what_the_examples_run_is_what_the_program_knows() {
    for (file, keys, least) in [
        ("examples/github-actions/policy.yml", ["run", "entry"], 3),
        ("examples/pre-commit/.pre-commit-config.yaml", ["run", "entry"], 2),
    ] {
        let text = fs::read_to_string(sheets::path(file)).unwrap();
        let commands = commands(&text, &keys);
        assert!(commands.len() >= least, "{file}: {commands:?}");
        for command in commands {
            let place = examples();
            place.write("work/base/policy.toml", "");
            let ended = place.script(&command.replacen("guarded-sh", "\"$GUARD\"", 1)).run();
            assert_eq!(
                (ended.code(), ended.err().as_str()),
                (Some(0), ""),
                "{file}: {command}: {}",
                ended.out()
            );
        }
    }
}

#[test]
fn every_example_is_listed() {
    let root = sheets::path("examples");
    let list = fs::read_to_string(root.join("README.md")).unwrap();
    for entry in fs::read_dir(root).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            name == "README.md" || list.contains(&format!("]({name}")),
            "{name} is not in examples/README.md"
        );
    }
}
