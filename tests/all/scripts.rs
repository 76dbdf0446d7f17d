//! Script files and tasks that a line runs: `tests/scripts/*.toml`, over files that are really there.

mod listed;

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use guarded_sh::model::{Action, Arg, Severity};
use guarded_sh::observe;
use guarded_sh::pipeline::{Judge, Request};
use guarded_sh::reading::Plan;
use serde::Deserialize;

use crate::sheets;
use crate::support::Place;
use crate::verdicts;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    files: BTreeMap<String, String>,
    /// Symbolic links that are there, and where they lead.
    #[serde(default)]
    links: BTreeMap<String, String>,
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    line: String,
    action: Option<Action>,
    least: Option<Severity>,
    /// The commands that others of the line run, all of them, with `…` for a word that is not known.
    plans: Option<Vec<String>>,
    #[serde(default)]
    why: String,
}

/// Returns the commands that others run, as rows have them.
fn carried(plan: &Plan) -> Vec<String> {
    let carried = plan.commands.iter().filter(|command| !command.via.is_empty());
    let word = |word: &Arg| word.known().unwrap_or("…").to_owned();
    carried.map(|command| command.argv.iter().map(word).collect::<Vec<_>>().join(" ")).collect()
}

/// A judge in a workspace that is there.
fn judge(workspace: &Path) -> Judge {
    let mut judge = verdicts::judge();
    let root = workspace.to_str().unwrap().to_owned();
    judge.facts.cwd = Some(root.clone());
    judge.facts.hook_paths = observe::started(&root, None).into_iter().collect();
    judge.facts.workspaces = vec![root];
    judge.facts.temporary.clear();
    judge.reads_scripts = true;
    judge
}

#[test]
fn scripts_are_judged_by_what_they_do() {
    hold("rows.toml");
}

#[test]
fn tasks_are_judged_by_what_they_run() {
    hold("tasks.toml");
}

#[test]
fn words_of_git_are_judged_by_what_is_there() {
    hold("repositories.toml");
}

#[test]
fn patterns_are_judged_by_what_is_there() {
    hold("patterns.toml");
}

#[test]
fn searches_are_judged_by_the_guarded_files_that_they_find() {
    hold("searched.toml");
}

#[test]
fn files_are_put_back_only_where_they_are_there() {
    hold("restored.toml");
}

#[test]
fn work_that_a_line_loses_is_told_where_it_is_there() {
    hold("lost.toml");
}

#[test]
fn tokens_in_settings_are_secrets() {
    hold("settings.toml");
}

#[test]
fn files_that_others_start_are_changed_by_nobody_unasked() {
    hold("started.toml");
}

#[test]
fn what_is_shown_is_judged_by_the_secrets_that_are_there() {
    hold("shown.toml");
}

#[test]
fn what_is_read_as_a_whole_is_judged_by_the_secrets_in_it() {
    hold("trees.toml");
}

#[test]
fn editors_are_judged_by_the_files_that_they_get() {
    hold("editors.toml");
}

#[test]
fn tasks_do_to_what_the_line_gives_them_what_the_line_would() {
    hold("said.toml");
}

#[test]
fn recipes_are_written_out_as_a_shell_gets_them() {
    hold("recipes.toml");
}

#[test]
fn recipes_are_judged_by_what_runs_them() {
    hold("shells.toml");
}

#[test]
fn names_that_a_command_prints_are_judged_by_those_that_are_there() {
    hold("names.toml");
}

#[test]
fn patches_are_judged_by_what_they_write() {
    hold("patches.toml");
}

#[test]
fn paths_are_judged_by_where_links_lead() {
    hold("links.toml");
}

#[test]
fn scripts_of_other_packages_are_judged_by_what_they_run() {
    hold("workspaces.toml");
}

#[test]
fn tasks_of_several_files_are_judged_by_what_they_run() {
    hold("taskfiles.toml");
}

#[test]
fn programs_are_judged_with_the_modules_that_they_load() {
    hold("programs.toml");
}

#[test]
fn tasks_are_judged_with_the_environment_that_the_line_gives_them() {
    hold("environments.toml");
}

#[test]
fn tasks_are_judged_by_the_values_that_nobody_has_read() {
    hold("given.toml");
}

#[test]
fn what_takes_the_place_of_files_is_judged_by_those_that_are_there() {
    hold("replaced.toml");
}

#[test]
fn what_names_stand_for_is_read_and_written() {
    hold("listed.toml");
}

#[test]
fn whatever_reads_names_out_of_a_directory_reads_what_lies_there() {
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path().canonicalize().unwrap();
    for name in ["certs/server.key", "docs/a.md"] {
        std::fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        std::fs::write(root.join(name), "a\n").unwrap();
    }
    let judge = judge(&root);
    let asks = |line: &String| {
        judge.judge(&Request::about(line.as_bytes())).unwrap().action != Action::Allow
    };
    let unseen = listed::lines("certs").filter(|line| !asks(line));
    let wrong: Vec<String> = unseen
        .chain(listed::lines("docs").filter(asks).filter(|line| !line.starts_with("cd ")))
        .collect();
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
}

/// Holds rows over the files that stand beside them; tells all that differ.
fn hold(sheet: &str) {
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path().canonicalize().unwrap();
    let rows: Rows = sheets::read(&sheets::path("tests/scripts").join(sheet));
    for (name, text) in &rows.files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    for (name, target) in &rows.links {
        symlink(target, root.join(name)).unwrap();
    }
    // What holds a reader up, or never ends.
    nix::unistd::mkfifo(&root.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    std::fs::File::create(root.join("sparse")).unwrap().set_len(10 << 30).unwrap();
    symlink("shadow/print.py", root.join("link.py")).unwrap();
    std::fs::write(root.join("latin.py"), b"print('\xe9')\n").unwrap();
    let judge = judge(&root);
    let mut faults = Vec::new();
    for row in &rows.row {
        let judgement = judge.judge(&Request::about(row.line.as_bytes())).unwrap();
        let severity = judgement.assessment.severity;
        let is_right = row.action.is_none_or(|action| action == judgement.action)
            && row.least.is_none_or(|least| least <= severity)
            && row.plans.as_ref().is_none_or(|plans| *plans == carried(&judgement.plan));
        if !is_right {
            let reason = &judgement.assessment.reason;
            let (action, plans) = (judgement.action, carried(&judgement.plan));
            faults.push(format!(
                "{}: {action:?} {severity:?} ({reason}) {plans:?} {}",
                row.line, row.why
            ));
        }
    }
    assert!(faults.is_empty(), "{} rows:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn the_record_says_which_scripts_were_read() {
    let place = Place::new();
    place.write("work/a.sh", "#!/bin/bash\n. ./b.sh\n");
    place.write("work/b.sh", "echo b\n");
    let ended = place.guard(["-c", "bash a.sh"]).run();
    assert_eq!((ended.code(), ended.stdout.as_slice()), (Some(0), b"b\n" as &[u8]));
    let record: serde_json::Value =
        serde_json::from_str(place.records().lines().last().unwrap()).unwrap();
    let scripts = record["scripts"].as_array().unwrap();
    let names: Vec<&str> = scripts.iter().map(|script| script["path"].as_str().unwrap()).collect();
    assert!(names[0].ends_with("/work/a.sh") && names[1].ends_with("/work/b.sh"), "{names:?}");
    // sha256sum of "echo b\n".
    let digest = "256931e5627bfa46347df35ae1c25649073ce5630975d0cdf9d301d32836a118";
    assert_eq!(scripts[1]["sha256"], digest);
    let ended = place.guard(["-c", "bash < b.sh"]).run();
    assert_eq!((ended.code(), ended.stdout.as_slice()), (Some(0), b"b\n" as &[u8]));
    let record: serde_json::Value =
        serde_json::from_str(place.records().lines().last().unwrap()).unwrap();
    assert_eq!(record["scripts"][0]["sha256"], digest);
}

#[test]
fn the_record_says_which_modules_were_read() {
    let place = Place::new();
    place.write("work/a.py", "import b\nprint(b.two())\n");
    place.write("work/b.py", "def two(): return 2\n");
    place.guard(["-c", "python3 a.py"]).run();
    let record: serde_json::Value =
        serde_json::from_str(place.records().lines().last().unwrap()).unwrap();
    let scripts = record["scripts"].as_array().unwrap();
    let names: Vec<&str> = scripts.iter().map(|script| script["path"].as_str().unwrap()).collect();
    assert!(names[0].ends_with("/work/a.py") && names[1].ends_with("/work/b.py"), "{names:?}");
    // sha256sum of "def two(): return 2\n".
    let digest = "db9c745f25c094bb246702ed1a2a78ba904266a6c51ebda04972220c481debca";
    assert_eq!((&record["action"], &scripts[1]["sha256"]), (&"allow".into(), &digest.into()));
}

#[test]
fn the_record_says_no_digest_of_what_holds_secrets() {
    let place = Place::new();
    // The second is one only for who reads it.
    place.write("work/.env", "KEY=short\n");
    place.write("work/keystore.properties", "storePassword=short\n");
    place.write("work/a.txt", "to do\n");
    let ended = place.guard(["-c", "grep -rn 'to do' ."]).run();
    assert_eq!(ended.stdout.as_slice(), b"./a.txt:1:to do\n" as &[u8]);
    let records = place.records();
    let record: serde_json::Value = serde_json::from_str(records.lines().last().unwrap()).unwrap();
    assert_eq!(record["action"], "allow");
    assert!(!records.contains(".env") && !records.contains("keystore"), "{records}");
}

/// Code that the line writes is read up to a bound: what is beyond it is not, and is not taken for harmless.
#[test]
fn harm_stays_harm_behind_much_code_that_the_line_writes() {
    let place = Place::new();
    let judge = judge(&place.work());
    let harm = "printf 'import os\\nos.system(\"rm -rf ~\")\\n' > conftest.py";
    let plain = "x = 1 + 2\\n".repeat(800);
    for count in [0, 10, 30] {
        let more: Vec<String> =
            (0..count).map(|at| format!("printf '{plain}' > test_{at}.py; ")).collect();
        let line = format!("{harm}; {}pytest", more.concat());
        let judgement = judge.judge(&Request::about(line.as_bytes())).unwrap();
        assert_ne!(judgement.action, Action::Allow, "{count}");
    }
}

/// Many modules, large ones, empty ones, such that load one another: every line has an answer, and soon.
#[test]
fn modules_of_any_shape_have_an_answer_in_time() {
    let all: Vec<String> = (0..200).map(|at| format!("m{at}")).collect();
    let all = all.join(", ");
    let python =
        (0..200).map(|at| (format!("m{at}.py"), format!("import {all}\nx{at} = m{at}.x{at}\n")));
    let node = (0..200).map(|at| {
        let next = at + 1;
        (format!("n{at}.js"), format!("const {{ f }} = require('./n{next}'); exports.f = f;\n"))
    });
    let deep = format!("import {}z\n", "p.".repeat(20_000));
    let long = format!("x = [{}]\n", "1,".repeat(40_000));
    let other = [
        ("deep.py", deep.as_str()),
        ("dots.py", "from p import q\n"),
        ("p/__init__.py", "from ..............................q import *\n"),
        ("p/q.py", ""),
        ("long.py", &long),
        ("long-module.py", "import long\nimport p.q\n"),
        ("cut.py", "from p import ("),
        ("empty.js", ""),
        ("cut.js", "export { a as "),
        ("self.js", "require('./self'); require('./self.js'); require('./../../../../../../..');"),
        ("odd.mjs", "import * as a from './a:b'; export * from './'; export { default } from '.';"),
    ];
    let other = other.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("p")).unwrap();
    for (name, text) in python.chain(node).chain(other) {
        std::fs::write(root.join(name), text).unwrap();
    }
    let judge = judge(&root);
    for (line, action) in [
        ("python3 m0.py", Action::Ask),
        ("node n0.js", Action::Ask),
        ("python3 deep.py", Action::Ask),
        ("python3 dots.py", Action::Ask),
        ("python3 long-module.py", Action::Ask),
        ("python3 cut.py", Action::Ask),
        ("python3 p/q.py; node empty.js", Action::Allow),
        ("node cut.js", Action::Ask),
        ("node self.js", Action::Ask),
        ("node odd.mjs", Action::Ask),
    ] {
        let start = std::time::Instant::now();
        let judgement = judge.judge(&Request::about(line.as_bytes())).unwrap();
        let took = start.elapsed();
        assert!(took.as_secs() < 20, "{line} took {took:?}");
        assert_eq!(judgement.action, action, "{line}");
    }
}

#[test]
fn what_the_shell_has_on_standard_input_is_looked_at() {
    let place = Place::new();
    place.write("work/a", "a\n");
    for (call, status) in [
        ("\"$GUARD\" -c 'xargs cat' </dev/null", 0),
        ("\"$GUARD\" -c 'bash' </dev/null", 0),
        ("echo a | \"$GUARD\" -c 'xargs cat'", 126),
        ("\"$GUARD\" -c 'xargs cat' <a", 126),
        ("\"$GUARD\" -c 'bash' <&-", 126),
        ("\"$GUARD\" -c 'bash' </dev/zero", 126),
        ("\"$GUARD\" check 'xargs cat' <a", 0),
        ("\"$GUARD\" check --stdin unknown 'xargs cat' </dev/null", 1),
    ] {
        let ended = place.script(call).run();
        assert_eq!(ended.code(), Some(status), "{call}: {}", ended.err());
    }
}

#[test]
fn the_files_that_describe_a_task_are_told_with_their_digest() {
    let workspace = tempfile::tempdir().unwrap();
    let root = workspace.path().canonicalize().unwrap();
    std::fs::write(root.join("Makefile"), "include more.mk\nall:\n\ttrue\n").unwrap();
    std::fs::write(root.join("more.mk"), "X = 1\n").unwrap();
    let judgement = judge(&root).judge(&Request::about(b"make all && make all")).unwrap();
    let names: Vec<&str> =
        judgement.scripts.iter().filter_map(|read| read.path.rsplit('/').next()).collect();
    assert_eq!(names, ["Makefile", "more.mk"]);
}

/// Files that hold a reader up, never end, lead to themselves, are locked or no files at all: what would run from them is not
/// known, whoever reads them.
#[test]
fn files_that_are_none_are_not_read() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 6] = [
        ("fifo", |path| nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).unwrap()),
        ("endless", |path| symlink("/dev/zero", path).unwrap()),
        ("huge", |path| std::fs::File::create(path).unwrap().set_len(10 << 30).unwrap()),
        ("link to itself", |path| symlink(path, path).unwrap()),
        ("directory", |path| std::fs::create_dir(path).unwrap()),
        ("locked", |path| {
            std::fs::write(path, "true").unwrap();
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o000)).unwrap();
        }),
    ];
    let calls: &[(&str, &[&str])] = &[
        (
            "x.sh",
            &[
                "bash x.sh",
                "sh x.sh",
                "./x.sh",
                ". ./x.sh",
                "source x.sh",
                "bash < x.sh",
                "cat x.sh | bash",
                "bash --rcfile x.sh -i -c true",
                "BASH_ENV=x.sh bash -c true",
                "env -S 'bash x.sh'",
                "python3 x.sh",
                "node x.sh",
                "perl x.sh",
                "ruby x.sh",
                "awk -f x.sh",
                "sed -f x.sh a",
                "xargs -a x.sh rm",
            ],
        ),
        ("Makefile", &["make", "make clean", "make -f Makefile all"]),
        ("package.json", &["npm run x", "npm test", "yarn x", "pnpm run x"]),
        ("justfile", &["just", "just x"]),
        ("mise.toml", &["mise run x"]),
        ("deno.json", &["deno task x"]),
    ];
    for (what, damage) in damages {
        if what == "locked" && nix::unistd::geteuid().is_root() {
            continue;
        }
        for (name, lines) in calls {
            let workspace = tempfile::tempdir().unwrap();
            let root = workspace.path().canonicalize().unwrap();
            damage(&root.join(name));
            for line in *lines {
                let start = std::time::Instant::now();
                let judgement = judge(&root).judge(&Request::about(line.as_bytes())).unwrap();
                let (action, took) = (judgement.action, start.elapsed());
                assert!(action > Action::Allow, "{line}, where {name} is {what}: {action:?}");
                assert!(took.as_secs() < 20, "{line}, where {name} is {what}, took {took:?}");
            }
        }
    }
}

/// What is no text, or much of it, or leads to itself: every line has an answer, and soon.
#[test]
fn tasks_of_any_shape_have_an_answer_in_time() {
    let chain = |task: &dyn Fn(usize) -> String| (0..800).map(task).collect::<String>();
    let scripts =
        (0..800).map(|at| format!("\"s{at}\": \"npm run s{} && npm run s{}\"", at + 1, at + 2));
    let scripts = scripts.collect::<Vec<_>>().join(",");
    let files: &[(&str, &str, String)] = &[
        ("package.json", "npm run s0", format!("{{\"scripts\": {{{scripts}}}}}")),
        ("package.json", "npm run x", "[".repeat(100_000)),
        ("package.json", "npm run x", "{\"scripts\": [1, {\"x\": 2}]}".to_owned()),
        (
            "package.json",
            "npm run x",
            format!("{{\"scripts\": {{\"x\": \"{}\"}}}}", "x;".repeat(60_000)),
        ),
        (
            "Makefile",
            "make t0",
            chain(&|at| format!("t{at}: t{} t{}\n\t$(MAKE) t{}\n", at + 1, at + 2, at + 1)),
        ),
        (
            "Makefile",
            "make",
            format!("A = {}x{}\nall:\n\techo $(A)\n", "$(".repeat(9_000), ")".repeat(9_000)),
        ),
        (
            "Makefile",
            "make",
            chain(&|at| format!("B{} = $(B{at})$(B{at})\n", at + 1)) + "all:\n\techo $(B90)\n",
        ),
        ("Makefile", "make", "ifdef A\n".repeat(9_000) + "include Makefile\nall: ; true\n"),
        (
            "Makefile",
            "make",
            format!(
                "L = {}\nall:\n\t$(foreach a,$(L),$(foreach b,$(L),$(foreach c,$(L),$(L))))\n",
                "x ".repeat(60)
            ),
        ),
        (
            "mise.toml",
            "mise run m0",
            chain(&|at| format!("[tasks.m{at}]\ndepends = [\"m{}\", \"m*\"]\n", at + 1)),
        ),
        (
            "justfile",
            "just j0",
            chain(&|at| format!("j{at}: j{} j{}\n  just j{}\n", at + 1, at + 2, at + 1)),
        ),
        ("justfile", "just x", format!("x {}", "(".repeat(100_000))),
        ("deno.json", "deno task x", format!("{{ {} \"tasks\": {{}} }}", "/* */".repeat(30_000))),
    ];
    for (name, line, text) in files {
        let workspace = tempfile::tempdir().unwrap();
        let root = workspace.path().canonicalize().unwrap();
        std::fs::write(root.join(name), text).unwrap();
        let start = std::time::Instant::now();
        let judgement = judge(&root).judge(&Request::about(line.as_bytes())).unwrap();
        let took = start.elapsed();
        assert!(took.as_secs() < 20, "{line} took {took:?}: {:?}", judgement.action);
    }
}
