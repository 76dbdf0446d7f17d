//! What holds for all subcommands: help, reserved names, completions, the manual, colours, closed output.

use std::path::Path;
use std::process::Command;

use super::{RULES, RULES_FILE, fails, fine, json, workspace};
use crate::support::{Place, guard};

/// Every subcommand, with words that make it print something.
const ALL: &[&[&str]] = &[
    &["check", "ls"],
    &["check", "--json", "ls"],
    &["explain", "ls"],
    &["rules", "list"],
    &["rules", "show", "git.push.force"],
    &["rules", "lint"],
    &["config"],
    &["doctor"],
    &["serve", "--unit"],
    &["trust", "--list"],
    &["log"],
    &["stats"],
    &["stats", "--json"],
    &["suggest"],
    &["suggest", "--json"],
    &["verify"],
    &["completions", "bash"],
    &["man"],
];

/// A subcommand without its operands.
fn names(words: &[&'static str]) -> Vec<&'static str> {
    let count = if words[0] == "rules" { 2 } else { 1 };
    words[..count].to_vec()
}

/// What the README's table says that one may want, by commands that there are, each of which `--help` names.
#[test]
fn what_one_may_want_is_a_command() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let table = text.split("## What you may want").nth(1).unwrap().split("\n## ").next().unwrap();
    let commands: Vec<&str> =
        table.split('`').filter(|part| part.starts_with("guarded-sh ")).collect();
    assert!(commands.len() >= 10, "{table}");
    let help = fine(&Place::new().guard(["--help"]));
    for command in commands {
        let words = shell_words::split(command).unwrap();
        assert!(help.contains(&format!("\n  {}", words[1])), "{command} is not in {help}");
        let parsed = guarded_sh::subcommand::command().try_get_matches_from(&words);
        assert!(parsed.is_ok(), "{command}: {:?}", parsed.err());
    }
}

#[test]
fn every_subcommand_has_help() {
    let place = Place::new();
    let help = fine(&place.guard(["--help"]));
    for words in ALL {
        let names = names(words);
        let own = fine(&place.guard([]).args(&names).args(["--help"]));
        assert!(own.contains(&format!("Usage: guarded-sh {}", names.join(" "))), "{own}");
        assert!(help.contains(names[0]), "{} is not in the help", names[0]);
    }
    for (words, usage) in [
        (["install", "--help"].as_slice(), "guarded-sh install [OPTIONS] [AGENT]..."),
        (&["uninstall", "--help"], "guarded-sh uninstall [OPTIONS] <AGENT>..."),
        (&["undo", "--help"], "guarded-sh undo [OPTIONS] [ID|COMMAND]"),
        (&["try", "--help"], "guarded-sh try [OPTIONS] LINE..."),
        (&["rules", "import", "--help"], "guarded-sh rules import [OPTIONS] <AGENT>"),
    ] {
        assert!(fine(&place.guard([]).args(words)).contains(usage), "{usage}");
    }
    assert!(
        fine(&place.guard(["rules", "test", "--help"])).contains("Usage: guarded-sh rules test")
    );
    for (verb, operands) in [("test", "<DIR>"), ("diff", "<OLD> <NEW>")] {
        let usage = format!("Usage: guarded-sh policy {verb} [OPTIONS] {operands}");
        assert!(fine(&place.guard(["policy", verb, "--help"])).contains(&usage), "{usage}");
    }
    assert!(fine(&place.guard(["run", "--help"])).contains("Usage: guarded-sh run"));
    assert!(fine(&place.guard(["setup", "--help"])).contains("--undo") && help.contains("setup"));
    assert!(fine(&place.guard(["help", "log"])).contains("--since"));
    assert!(fine(&place.guard(["hook", "--help"])).contains("opencode"));
}

#[test]
fn words_that_are_wrong_are_usage_errors() {
    let place = Place::new();
    for (words, says) in [
        (vec!["check"], "required"),
        (vec!["check", "--jsonl", "ls"], "cannot be used"),
        (vec!["explain"], "required"),
        (vec!["rules"], "Usage:"),
        (vec!["rules", "lst"], "similar subcommands exist"),
        (vec!["rules", "list", "--severity", "hihg"], "similar value exists: 'high'"),
        (vec!["log", "--since", "tomorrow"], "neither an age like"),
        (vec!["log", "-n", "many"], "invalid value"),
        (vec!["log", "--action", "maybe"], "invalid value"),
        (vec!["run"], "required"),
        (vec!["run", "--profile", "lax", "true"], "invalid value"),
        (vec!["run", "--name", "a/b", "true"], "is no name for a session"),
        (vec!["trust", "--list", "."], "cannot be used"),
        (vec!["completions", "tcsh"], "invalid value"),
        (vec!["config", "x"], "unrecognized subcommand"),
        (vec!["log", "--rule", "["], "invalid value"),
        (vec!["hook", "clade"], "similar value exists: 'claude'"),
        (vec!["hook", "claude", "--limit", "0"], "not in 1..=3600"),
    ] {
        fails(&place.guard([]).args(words), 2, says);
    }
}

#[test]
fn names_kept_for_later_are_errors_and_no_scripts() {
    let place = Place::new();
    place.write("work/export", "touch ran\n");
    let says = "guarded-sh: the subcommand `export` is not in this version\nhint: ";
    fails(&place.guard(["export"]), 2, says);
    fails(&place.guard(["export", "--help"]), 2, says);
    assert!(!place.path("work/ran").exists());
}

#[test]
fn what_is_neither_a_subcommand_nor_a_script_is_told_with_what_there_is() {
    let place = Place::with(crate::support::ALLOWS_ALL);
    let says = "guarded-sh: there is no subcommand 'verfy', and no script of that name\nhint: did you mean `verify`? there are: allow, approve, ask, check, ";
    fails(&place.guard(["verfy"]), 127, says);
    fails(&place.guard(["verfy", "--json"]), 127, says);
    let says = "guarded-sh: there is no subcommand 'frobnicate', and no script of that name\nhint: there are: allow, approve, ";
    fails(&place.guard(["frobnicate"]), 127, says);
    // What is listed is what there is.
    let help = fine(&place.guard(["--help"]));
    let listed = place.guard(["frobnicate"]).run().err();
    let listed = listed.trim_end().rsplit(": ").next().unwrap().to_owned();
    for name in listed.split(", ") {
        assert!(help.contains(&format!("\n  {name} ")), "{name}: {help}");
    }
    // A script of that name runs, from here and from PATH.
    place.write("work/frobnicate", "echo ran\n");
    assert_eq!(fine(&place.guard(["frobnicate"])), "ran\n");
    let ended = place.guard(["./nosuch"]).run();
    assert_eq!(ended.code(), Some(127), "{}", ended.err());
    assert!(ended.err().ends_with(": ./nosuch: No such file or directory\n"), "{}", ended.err());
}

#[test]
fn with_a_slash_a_script_of_such_a_name_runs() {
    let place = Place::with(crate::support::ALLOWS_ALL);
    place.write("work/stats", "echo ran\n");
    assert_eq!(fine(&place.guard(["./stats"])), "ran\n");
}

#[test]
fn shells_accept_their_completions() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = fine(&place.guard(["completions", shell]));
        assert!(text.contains("explain"), "{shell}");
        let file = place.write(&format!("work/{shell}"), &text);
        if matches!(shell, "bash" | "zsh") && Path::new("/bin").join(shell).exists() {
            let ended = place.call(Path::new("/bin").join(shell)).args(["-n"]).args([&file]).run();
            assert_eq!((ended.code(), ended.err().as_str()), (Some(0), ""), "{shell}");
        }
    }
    let script = ". ./bash && COMP_WORDS=(guarded-sh rul) COMP_CWORD=1 && _guarded__sh guarded-sh rul guarded-sh && echo \"${COMPREPLY[*]}\"";
    assert_eq!(fine(&place.script(script)), "rules\n");
}

#[test]
fn the_manual_has_all_its_sections_and_no_fault() {
    let place = Place::new();
    let page = fine(&place.guard(["man"]));
    for section in "NAME SYNOPSIS DESCRIPTION SUBCOMMANDS FILES ENVIRONMENT EXAMPLES"
        .split(' ')
        .chain(["\"EXIT STATUS\"", "\"WHAT IT DOES NOT PROTECT FROM\""])
    {
        assert!(page.contains(&format!(".SH {section}\n")), "{section}");
    }
    for words in ALL {
        let name = format!("guarded-sh {}", names(words).join(" "));
        assert!(page.replace("\\-", "-").contains(&format!(".SS \"{name}")), "{name}");
    }
    let file = place.write("work/guarded-sh.1", &page);
    if Command::new("groff").arg("--version").output().is_ok() {
        let ended = place.call("groff").args(["-ww", "-man", "-Tutf8"]).args([&file]).run();
        assert_eq!((ended.code(), ended.err().as_str()), (Some(0), ""));
        assert!(ended.out().contains("guarded-sh"));
    }
}

#[test]
fn the_unit_for_systemd_starts_this_very_program() {
    let place = Place::new();
    let unit = fine(&place.guard(["serve", "--unit"]));
    let program = Path::new(guard()).canonicalize().unwrap();
    let start = format!("\nExecStart=\"{}\" serve --quiet\n", program.display());
    assert_eq!(unit.matches(&start).count(), 1, "{unit}");
    assert_eq!(unit.matches("ExecStart").count(), 1, "{unit}");
    place.write("guarded-sh.service", &unit);
    let unit = place.path("guarded-sh.service");
    // Where it is installed, it says what is wrong.
    if let Ok(told) = Command::new("systemd-analyze").args(["--user", "verify"]).arg(unit).output()
    {
        let told = String::from_utf8(told.stderr).unwrap();
        assert!(!told.contains("guarded-sh.service:"), "{told}");
    }
}

#[test]
fn nothing_is_coloured_where_there_is_no_terminal() {
    let place = workspace();
    place.write(RULES_FILE, RULES);
    for words in ALL {
        let ended = place.guard([]).args(*words).env("TERM", "xterm-256color").run();
        assert!(!ended.stdout.contains(&0x1b), "{words:?}");
        assert!(!ended.stdout.is_empty() || words[0] == "log", "{words:?}");
    }
}

#[test]
fn a_reader_that_goes_early_is_no_fault() {
    let place = workspace();
    for words in ALL {
        let words = words.join(" ");
        // Where the caller leaves SIGPIPE alone we end by it; where it ignores it we end quietly.
        for before in ["", "trap '' PIPE; "] {
            let script = format!("{before}\"$GUARD\" {words} | true; echo ${{PIPESTATUS[0]}}");
            let ended = place.script(&script).run();
            let status = ended.out();
            assert!(matches!(status.trim(), "0" | "1" | "141"), "{words}: {status}");
            assert_eq!(ended.err(), "", "{before}{words}");
        }
        let closed = place.script(&format!("\"$GUARD\" {words} >&-")).run();
        assert!(closed.code().is_some_and(|code| code < 3), "{words}");
        assert_eq!(closed.err(), "", "{words}");
    }
}

#[test]
fn output_that_cannot_be_written_is_told() {
    let place = workspace();
    for words in
        ["check ls", "explain ls", "rules list", "config", "verify", "man", "completions bash"]
    {
        let ended = place.script(&format!("\"$GUARD\" {words} > /dev/full")).run();
        assert_eq!(ended.code(), Some(2), "{words}");
        assert!(ended.err().contains("cannot write the output"), "{words}: {}", ended.err());
    }
}

#[test]
fn settings_are_shown_with_where_they_come_from() {
    let place = workspace();
    place.set("# mine\nprofile = \"strict\"\n\nsafe_domains = [\"*.example.com\", \"a-rather-long-name.example.org\"]\n");
    place.write(
        "work/.guarded-sh.toml",
        "safe_domains = [\"x.example\"]\nprotected_branches = [\"prod\"]\n",
    );
    let page = fine(&place.guard(["config"]));
    let has = |row: &str| {
        assert!(
            page.lines().any(|line| line.split_whitespace().eq(row.split_whitespace())),
            "{row:?} is not in {page}"
        );
    };
    has("profile \"strict\" ~/.config/guarded-sh/config.toml:2");
    has("mode \"enforce\" default");
    has("~/.config/guarded-sh/config.toml:4");
    has("real_shell not set default");
    assert!(page.contains("\"prod\""), "{page}");
    assert!(page.contains("work/.guarded-sh.toml:1: `safe_domains` is ignored"), "{page}");
    assert!(page.contains("/etc/guarded-sh/config.toml (not there)"), "{page}");
    let wire = json(&fine(&place.guard(["config", "--json"])));
    assert_eq!(wire["settings"]["profile"]["value"], "strict");
    assert_eq!(wire["settings"]["profile"]["origin"]["line"], 2);
    assert_eq!(wire["settings"]["safe_domains"]["value"][0], "*.example.com");
    assert!(wire["settings"]["mode"]["origin"].is_null());
    assert!(wire["settings"]["real_shell"]["value"].is_null());
    assert_eq!(wire["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn broken_settings_are_drawn_with_the_place() {
    let place = workspace();
    place.set("profile = \"balanced\"\nthresholds = { bash = 101, web = -1 }\n");
    let ended = fails(&place.guard(["config"]), 2, "a threshold is a score from 0 to 100, not 101");
    for part in ["config.toml:2:23", "^^^", "not -1"] {
        assert!(ended.err().contains(part), "{part}: {}", ended.err());
    }
    assert_eq!(ended.out(), "");
    place.set("profil = \"balanced\"\n");
    fails(&place.guard(["config"]), 2, "did you mean `profile`?");
    // What needs settings says the same; what does not, works.
    for words in [vec!["check", "ls"], vec!["log"], vec!["verify"], vec!["rules", "list"]] {
        fails(&place.guard([]).args(words), 2, "did you mean `profile`?");
    }
    fine(&place.guard(["man"]));
    fine(&place.guard(["trust", "--list"]));
}

#[test]
fn broken_rules_hide_no_setting_and_no_record() {
    let place = workspace();
    fine(&place.guard(["-c", "true"]));
    place.write(RULES_FILE, "pack = \"mine\"\nrul = 1\n");
    let ended = fails(&place.guard(["config"]), 2, "unknown key `rul`");
    assert!(ended.out().contains("profile"), "{}", ended.out());
    assert!(fine(&place.guard(["log"])).contains("true"));
    assert!(fine(&place.guard(["verify"])).starts_with("whole: 1 record in ~/.local/state"));
    fails(&place.guard(["check", "ls"]), 2, "unknown key `rul`");
}

#[test]
fn called_by_a_shell_s_name_there_are_no_subcommands() {
    let place = Place::with(crate::support::ALLOWS_ALL);
    let link = place.link("guarded-bash", guard());
    let ended = place.call(link).args(["check", "ls"]).run();
    assert_eq!(ended.code(), Some(127));
    assert!(!ended.out().contains("allow"));
}

/// Its own name alone is a person's question, and a shell's call for all others.
#[test]
fn alone_at_a_terminal_it_says_where_one_stands() {
    let place = workspace();
    place.guard(["-c", "true"]).run();
    for typed in ["\"$GUARD\"", "\"$GUARD\" status"] {
        let seen = super::person::Person::types(&place, typed).ends_with(0);
        for part in ["guarded-sh 0.", "agents ", "questions ", "one line, by rules", "next "] {
            assert!(seen.contains(part), "{typed}: {part:?} is not in {seen}");
        }
    }
    let seen = super::person::Person::types(&place, "CLAUDECODE=1 \"$GUARD\"").ends_with(126);
    assert!(seen.contains("interactive shells"), "{seen}");
    fails(&place.guard(["status"]).env("CLAUDECODE", "1"), 126, "only a person can");
}
