//! `check`, `check --jsonl` and `explain`.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::process::Stdio;

use super::{fails, fine, json, workspace};
use crate::support::Place;

#[test]
fn the_exit_status_says_the_action() {
    let place = workspace();
    for (line, code, says) in [
        ("ls -la", 0, "runs: "),
        ("sudo rm -rf /srv", 1, "asks (critical): "),
        ("rm -rf --no-preserve-root /", 3, "refused (critical): "),
    ] {
        for words in [&["check"] as &[&str], &["explain"], &["check", "--json"]] {
            let ended = place.guard([]).args(words).args([line]).run();
            assert_eq!((ended.code(), ended.err().as_str()), (Some(code), ""), "{line}");
            if words == ["check"] {
                assert!(ended.out().starts_with(says), "{}", ended.out());
            }
        }
    }
    assert!(place.records().is_empty(), "judging leaves no record");
}

#[test]
fn nothing_runs() {
    let place = workspace();
    for words in [&["check"] as &[&str], &["explain"], &["check", "--json"]] {
        place.guard([]).args(words).args(["touch ran; echo $(touch ran2)"]).run();
    }
    place.guard(["check", "--jsonl"]).stdin("{\"command\":\"touch ran\"}\n").run();
    assert_eq!(std::fs::read_dir(place.work()).unwrap().count(), 1, "only .git");
}

#[test]
fn several_words_are_one_line() {
    let place = workspace();
    let words = json(&place.guard(["check", "--json", "git", "push", "--force"]).run().out());
    let line = json(&place.guard(["check", "--json", "git push --force"]).run().out());
    assert_eq!(words["score"], line["score"]);
    assert_eq!(words["commands"][0]["argv"][2], "--force");
}

#[test]
fn a_verdict_has_the_fields_that_programs_rely_on() {
    let place = workspace();
    let wire = json(&place.guard(["check", "--json", "cat x | sudo sh -c \"$y\""]).run().out());
    for field in [
        "action",
        "severity",
        "score",
        "category",
        "reason",
        "suggestion",
        "findings",
        "commands",
        "opaque",
        "micros",
    ] {
        assert!(wire.get(field).is_some(), "{field}");
    }
    for field in ["rule", "severity", "reason", "start", "end"] {
        assert!(wire["findings"][0].get(field).is_some(), "{field}");
    }
    for field in ["argv", "program", "start", "end", "via", "effects", "severity", "score"] {
        assert!(wire["commands"][0].get(field).is_some(), "{field}");
    }
    for field in ["reason", "start", "end"] {
        assert!(wire["opaque"][0].get(field).is_some(), "{field}");
    }
}

#[test]
fn the_directory_counts_and_must_be_one() {
    let place = workspace();
    std::fs::create_dir(place.work().join("sub")).unwrap();
    let target = |words: &[&str]| {
        let wire = json(&place.guard(["check", "--json"]).args(words).args(["cat f"]).run().out());
        wire["commands"][0]["effects"][0]["target"]["path"].as_str().unwrap().to_owned()
    };
    assert!(target(&[]).ends_with("/work/f"));
    assert!(target(&["--cwd", "sub"]).ends_with("/work/sub/f"));
    fails(&place.guard(["check", "--cwd", "none", "ls"]), 2, "cannot use the directory 'none'");
    fails(&place.guard(["check", "--cwd", "/dev/null", "ls"]), 2, "it is no directory");
    fails(&place.guard(["explain", "--cwd", "none", "ls"]), 2, "cannot use the directory 'none'");
}

#[test]
fn requests_get_verdicts_in_order() {
    let place = workspace();
    let input = concat!(
        "{\"command\":\"ls\"}\n",
        "{\"command\":\"sudo id\",\"id\":7,\"tool\":{\"name\":\"Bash\"}}\n",
        "{\"cwd\":\"/does/not/exist\",\"command\":\"cat f\"}\n",
        "{\"command\":\"echo a\\u0000b\"}\n",
        "{\"command\":\"cat f\"}",
    );
    let out = fine(&place.guard(["check", "--jsonl"]).stdin(input));
    let rows: Vec<_> = out.lines().map(json).collect();
    let actions: Vec<_> = rows.iter().map(|row| row["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["allow", "ask", "allow", "ask", "allow"], "{out}");
    let path =
        |row: usize| rows[row]["commands"][0]["effects"][0]["target"]["path"].as_str().unwrap();
    assert_eq!(path(2), "/does/not/exist/f");
    assert!(path(4).ends_with("/work/f"));
    assert_eq!(fine(&place.guard(["check", "--jsonl"])), "");
}

#[test]
fn a_line_that_is_no_request_costs_only_itself() {
    let place = workspace();
    let mut input = Vec::new();
    let bad: [(&[u8], &str); 10] = [
        (b"", "empty"),
        (b"ls", "no JSON object"),
        (b"[\"ls\",\"/\"]", "no JSON object"),
        (b"{\"cmd\":\"ls\"}", "missing field `command`"),
        (b"{\"command\":[\"ls\"]}", "invalid type"),
        (b"{\"command\":\"\xff\xfe\"}", "byte 13 is not UTF-8"),
        (b"{\"command\":\"a\0b\"}", "NUL byte"),
        (b"{\"command\":\"\\ud800\"}", "no request"),
        (b"{\"command\":\"ls\",\"cwd\":\"sub\"}", "absolute path"),
        (b"{\"command\":\"l", "ends before the object does"),
    ];
    for (line, _) in bad {
        input.extend_from_slice(b"{\"command\":\"ls\"}\n");
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    // The last line is cut.
    input.pop();
    let ended = place.guard(["check", "--jsonl"]).stdin(&input).run();
    assert_eq!(ended.code(), Some(2));
    let out = ended.out();
    let rows: Vec<_> = out.lines().map(json).collect();
    assert_eq!(rows.len(), 2 * bad.len());
    for (index, (_, says)) in bad.iter().enumerate() {
        assert_eq!(rows[2 * index]["action"], "allow");
        let row = &rows[2 * index + 1];
        assert!(row["error"].as_str().unwrap().contains(says), "{says:?} is not in {row}");
        assert_eq!(row["line"], 2 * index + 2);
        assert!(row.get("action").is_none());
        assert!(ended.err().contains(&format!("line {} of the input: ", 2 * index + 2)));
    }
}

#[test]
fn huge_lines_neither_hang_nor_hide_what_follows() {
    let place = workspace();
    for (size, has) in [(50 << 20, "\"action\":\"ask\""), (65 << 20, "\"error\":\"longer than")] {
        let mut input = b"{\"command\":\"echo ".to_vec();
        input.resize(size, b'a');
        input.extend_from_slice(b"\"}\n{\"command\":\"ls\"}\n");
        let ended = place.guard(["check", "--jsonl"]).stdin(&input).run();
        let out = ended.out();
        let rows: Vec<&str> = out.lines().collect();
        assert_eq!(rows.len(), 2, "{size}");
        assert!(rows[0].contains(has), "{}", &rows[0][..rows[0].len().min(300)]);
        assert_eq!(json(rows[1])["action"], "allow");
    }
}

#[test]
fn a_caller_that_waits_for_each_answer_gets_it() {
    let place = workspace();
    let mut child = place
        .guard(["check", "--jsonl"])
        .command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    for line in ["ls", "pwd"] {
        writeln!(stdin, "{{\"command\":\"{line}\"}}").unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        assert_eq!(json(&answer)["commands"][0]["program"], line);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn input_that_cannot_be_read_is_told() {
    let place = workspace();
    let ended = place.script("\"$GUARD\" check --jsonl < /").run();
    assert_eq!(ended.code(), Some(2));
    assert!(ended.err().contains("cannot read line 1 of the input"), "{}", ended.err());
}

fn page(place: &Place, line: &str) -> String {
    let ended = place.guard(["explain", line]).run();
    assert_eq!(ended.err(), "");
    ended.out()
}

#[test]
fn what_is_risky_is_underlined_where_it_stands() {
    let place = workspace();
    let text = page(&place, "echo 漢字; sudo id");
    assert!(text.starts_with("  echo 漢字; sudo id\n             ^^^^^^^\n\nhigh "), "{text}");
    let text = page(&place, "cat <<E\nbody\nE\nsudo id");
    assert!(text.starts_with("  cat <<E\n  body\n  E\n  sudo id\n  ^^^^^^^\n"), "{text}");
}

#[test]
fn the_plan_is_a_tree_with_what_was_found_at_each_command() {
    let place = workspace();
    let text = page(&place, "curl -s https://a.example/x | sudo bash");
    let plan = text.split("What will run\n").nth(1).unwrap();
    let place_of = |part: &str| plan.find(part).unwrap_or_else(|| panic!("no {part:?} in {plan}"));
    let order = [
        "medium    curl -s https://a.example/x\n",
        "high      sudo bash\n",
        "critical  └─ bash\n",
        "gets what curl prints",
        "runs what it downloads, unseen (network.download-and-run)",
    ];
    assert!(order.windows(2).all(|two| place_of(two[0]) < place_of(two[1])), "{plan}");
}

#[test]
fn no_row_is_wider_than_the_page() {
    let place = workspace();
    for line in [
        "find . -type f -name '*.generated.with-a-long-name.txt' -print0 | xargs -0 grep -l something-long | sort",
        "sudo env A=1 nice -n 5 timeout 10 ssh a-machine.example.com 'systemctl restart a-service-with-a-long-name'",
        &format!("rm {}", "a/very/long/path/".repeat(20)),
        &format!("frobnicate {}", "漢字".repeat(60)),
        "unterminated 'quote",
        "for f in *; do for g in *; do bash -c \"bash -c 'rm -rf $f/$g'\"; done; done",
    ] {
        let text = page(&place, line);
        let wide = |row: &&str| {
            row.chars().map(|c| if c > '\u{2fff}' { 2 } else { 1 }).sum::<usize>() > 80
        };
        assert_eq!(text.lines().find(wide), None, "{line}");
    }
}

#[test]
fn the_points_of_a_score_add_up() {
    let place = workspace();
    for line in [
        "git push --force",
        "rm a; rm b; rm c",
        "sudo id; curl x.example",
        "rm -rf / ~ /etc /usr /var",
    ] {
        let text = place.guard(["explain", "-v", line]).run().out();
        let rows = text.split("\nScore\n").nth(1).unwrap().lines();
        let mut sum = 0;
        for row in rows {
            let number = row.get(..6).unwrap_or("").trim();
            let Ok(number) = number.parse::<i32>() else { continue };
            if row[..6].contains('+') || number < 0 || sum == 0 {
                sum += number;
            } else {
                assert_eq!(number, sum, "{text}");
            }
        }
        let verdict = json(&place.guard(["check", "--json", line]).run().out());
        let score = format!("{}/100", verdict["score"]);
        assert!(text.contains(&format!(" {score} ")), "{text}");
        let said = place.guard(["check", "-v", line]).run().out();
        assert!(said.contains(&format!(" {score}): ")), "{said}");
        // Without it one scale is enough.
        for word in ["explain", "check"] {
            let text = place.guard([word, line]).run().out();
            assert!(!text.contains("/100") && !text.contains("Score"), "{text}");
        }
    }
}

#[test]
fn check_says_what_becomes_of_a_line_and_why() {
    let place = workspace();
    place.set("profile = \"balanced\"\n\nsafe_commands = [\"mytool status\", \"ls\"]\n");
    for (line, says) in [
        ("ls", "runs: nothing harmful found\n"),
        (
            "mytool status --all",
            "runs: trusted by safe_commands (~/.config/guarded-sh/config.toml:3)\n",
        ),
        (
            "mytool status; ls",
            "runs: trusted by safe_commands (~/.config/guarded-sh/config.toml:3)\n",
        ),
        ("mytool push", "asks (medium): guarded-sh does not know 'mytool'\n"),
        ("mytool status; mytool push", "asks (medium): guarded-sh does not know 'mytool'\n"),
        ("sudo id", "asks (high): acts as root or another user\n"),
    ] {
        let said = place.guard(["check", line]).run().out();
        assert!(said.starts_with(says), "{line}: {said}");
    }
    let verdict = json(&place.guard(["check", "--json", "mytool status"]).run().out());
    let reason = "trusted by safe_commands (~/.config/guarded-sh/config.toml:3)";
    assert_eq!((&verdict["reason"], &verdict["score"]), (&reason.into(), &100.into()));
    place.set("profile = \"unattended\"\n");
    let said = place.guard(["check", "mytool push"]).run().out();
    assert!(said.starts_with("refused (medium): guarded-sh does not know 'mytool'\n"), "{said}");
}

#[test]
fn what_helps_stands_before_the_details() {
    let place = workspace();
    let text = page(&place, "curl -s https://docs.example.com/x; ls");
    let parts = [
        "waits for a person",
        "reads from 'docs.example.com'",
        "What would make it quieter",
        "What will run",
    ];
    let at: Vec<Option<usize>> = parts.iter().map(|part| text.find(part)).collect();
    assert!(at.iter().all(Option::is_some) && at.is_sorted(), "{at:?}: {text}");
}

#[test]
fn what_would_make_it_quieter_is_true() {
    let place = workspace();
    let text = page(&place, "curl -s https://docs.example.com/x; frobnicate --now; ls");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("on its own, `ls` runs at once"), "{text}");
    assert!(text.contains("guarded-sh allow --host docs.example.com;"), "{text}");
    assert!(
        text.contains("guarded-sh config add safe_commands frobnicate — then it runs at once"),
        "{text}"
    );
    place.set("safe_domains = [\"docs.example.com\"]\nsafe_commands = [\"frobnicate\"]\n");
    let ended =
        place.guard(["explain", "curl -s https://docs.example.com/x; frobnicate --now; ls"]).run();
    assert_eq!(ended.code(), Some(0), "{}", ended.out());
    assert!(!ended.out().contains("quieter"));
    // What an agent can rewrite is not offered as safe.
    assert!(!page(&place, "./script.sh").contains("safe_commands"));
}

#[test]
fn what_an_owner_may_permit_is_offered_and_holds() {
    let offers = |text: &str, key: &str| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        text.contains(&format!("guarded-sh config set permit.{key} true"))
    };
    for (key, line, neighbour) in [
        ("locked_installs", "npm ci", "npm install left-pad"),
        ("project_compose", "docker compose up -d", "docker compose down -v"),
        ("documentation_hosts", "curl -s https://docs.rs/serde", "curl -s https://example.com"),
    ] {
        let place = workspace();
        let set = format!("[permit]\n{key} = true\n");
        let code = |line| place.guard(["check", line]).run().code();
        assert!(offers(&page(&place, line), key), "{line}");
        assert!(!offers(&page(&place, neighbour), key), "{neighbour}");
        // A project's file may not loosen.
        place.write("work/.guarded-sh.toml", &set);
        assert_eq!(code(line), Some(1), "{line}");
        let shown = place.guard(["config"]).run().out();
        assert!(shown.contains(&format!("`permit.{key}` is ignored")), "{shown}");
        place.write("work/.guarded-sh.toml", "");
        place.set(&set);
        assert_eq!(code(line), Some(0), "{line}");
        assert_eq!(code(neighbour), Some(1), "{neighbour}");
    }
}

#[test]
fn a_long_line_is_shown_around_what_is_risky() {
    let place = workspace();
    let line = format!("cat <<'E'\n{}E\nsudo id\n", "text\n".repeat(500));
    let text = page(&place, &line);
    assert!(text.contains("rows\n") && text.contains("  sudo id\n  ^^^^^^^\n"), "{text}");
    assert!(text.lines().count() < 60, "{}", text.lines().count());
}

#[test]
fn nothing_in_a_line_moves_the_cursor() {
    let place = workspace();
    let line = "sudo echo '\u{1b}[2J\u{202e}' \u{7}; frob\u{1b}x\rnicate";
    for words in [&["check"] as &[&str], &["explain"], &["check", "--json"]] {
        let ended = place.guard([]).args(words).args([line]).run();
        let bad = |c: char| matches!(c, '\u{1b}' | '\u{7}' | '\r' | '\u{202e}');
        if words.last() != Some(&"--json") {
            assert!(!ended.out().contains(bad), "{}", ended.out());
        }
        assert!(!ended.stdout.contains(&0x1b), "{words:?}");
    }
}

#[test]
fn empty_and_odd_lines_are_judged() {
    let place = workspace();
    for line in ["", " ", "\n\n", "# only a comment", ":", "-c", "--"] {
        let ended = place.guard(["explain", "--"]).args([line]).run();
        assert!(ended.code().is_some_and(|code| code < 2), "{line:?}: {}", ended.err());
        assert!(ended.out().contains("What will run"), "{line:?}");
    }
    let bytes: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"echo \xff");
    assert_eq!(place.guard(["explain"]).args([bytes]).run().code(), Some(1));
}

#[test]
fn a_pattern_behind_a_link_to_all_stands_for_what_it_does_there() {
    let place = Place::new();
    place.write("work/.git/HEAD", "ref: refs/heads/main\n");
    symlink("/", place.work().join("top")).unwrap();
    symlink(place.home(), place.work().join("own")).unwrap();
    symlink("own", place.work().join("again")).unwrap();
    for (line, severity) in [
        ("cat top/etc/shado*", "high"),
        ("cat top/e*/shado*", "high"),
        ("cat top/etc/shado?", "high"),
        ("cat top/*/.ssh/id*", "high"),
        ("cat own/.bash_hist*", "high"),
        ("cat own/.ss*/id_rsa", "high"),
        ("cat again/.ss*/i*", "high"),
        ("cat top/etc/hostnam*", "low"),
        ("cat top/usr/share/nothing-of-this-name/*.txt", "low"),
    ] {
        let wire = json(&place.guard(["check", "--json", line]).run().out());
        assert_eq!(wire["severity"], severity, "{line}: {wire}");
    }
}
