//! Bad input: whatever is wrong with argv, settings, rules, records, limits or the machine, one line says what it is, and nothing runs.

use std::fmt::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::support::{ALLOWS_ALL, Call, LINE, Place, fault, guard, refused, refused_in, runs};

#[test]
fn the_harmless_line_runs_where_nothing_is_wrong() {
    let place = Place::new();
    runs(&place.guard(["-c", LINE]), &place);
    assert_eq!(place.records().lines().count(), 1);
}

#[test]
fn malformed_argv_is_refused_as_the_shell_would() {
    for (words, status, says) in [
        (&["-c"] as &[&str], 2, "-c: option requires an argument"),
        // `-e` holds for bash's own errors too.
        (&["-ec"], 1, "-c: option requires an argument"),
        (&["-e", "-c"], 1, "-c: option requires an argument"),
        (&["-e", "+e", "-c"], 2, "-c: option requires an argument"),
        (&["-eZ", "-c", LINE], 1, "-Z: invalid option"),
        (&["-c", "--"], 2, "-c: option requires an argument"),
        (&["--rcfile"], 2, "option requires an argument"),
    ] {
        let place = Place::new();
        let call = place.call(guard()).arg0("guarded-sh").args(words);
        refused(&call, &place, status, says);
    }
    for (words, says) in [
        (&["--nonsense", "-c", LINE] as &[&str], "--nonsense: invalid option"),
        (&["-Z", "-c", LINE], "-Z: invalid option"),
        (&["-cZ", LINE], "-Z: invalid option"),
        (&["-c", "--nonsense", LINE], "invalid option"),
        (&["--\u{1b}[2J", "-c", LINE], "invalid option"),
    ] {
        let place = Place::new();
        let call = place.call(guard()).arg0("guarded-sh").args(words);
        refused_with_usage(&call, &place, says);
    }
    let place = Place::new();
    let script = r#"exec -a guarded-sh "$GUARD" $'--\xff' -c 'touch done'"#;
    refused_with_usage(&place.script(script), &place, "invalid option");
    let script = r#"exec -a $'\e[2J' "$GUARD" -Z -c 'touch done'"#;
    let said = place.script(script).run().err();
    assert!(!said.contains('\u{1b}'), "{said:?}");
    assert_eq!(said.lines().count(), usage().lines().count() + 1, "{said:?}");
    let script = r#"exec -a '' "$GUARD" -c"#;
    let ended = place.script(script).run();
    assert_eq!((ended.code(), ended.stderr.is_empty()), (Some(2), false));
}

/// Returns how bash says that it is used, by our name.
fn usage() -> String {
    let said = Command::new("bash").arg0("guarded-sh").arg("-Z").output().unwrap();
    let text = String::from_utf8(said.stderr).unwrap();
    let (_, usage) = text.split_once('\n').unwrap();
    usage.to_owned()
}

/// Holds that nothing runs, and that a line says what is wrong, with bash's usage behind it and nothing else.
fn refused_with_usage(call: &Call, place: &Place, says: &str) {
    let ended = call.run();
    let text = ended.err();
    let (line, rest) = text.split_once('\n').unwrap();
    assert_eq!((ended.code(), rest), (Some(2), usage().as_str()), "{text}");
    assert!(line.starts_with("guarded-sh: ") && line.ends_with(says), "{line:?}");
    assert!(!line.contains(|c: char| c.is_control()), "{line:?}");
    assert!(ended.stdout.is_empty() && !place.path("work/done").exists(), "{text}");
}

#[test]
fn programs_on_standard_input_are_judged_as_a_whole() {
    for words in [&[] as &[&str], &["-s"], &["-s", "x"], &["-l"], &["-"]] {
        let place = Place::new();
        runs(&place.call(guard()).args(words).stdin(LINE), &place);
        // Nothing of a program runs that ends in what may not run, or in what is not known.
        for (end, says) in
            [("rm -rf ~", "home directory"), ("no-program-has-this-name", "does not know")]
        {
            let place = Place::new();
            let call = place.call(guard()).args(words).stdin(format!("{LINE}\n{end}\n"));
            let ended = call.run();
            assert_eq!(fault(&ended, &place, 126, says), None, "{words:?} {end}");
            assert!(ended.err().contains("hint: "), "{words:?} {end}");
        }
    }
}

#[test]
fn interactive_shells_are_refused_with_a_hint() {
    for words in [&["-i"] as &[&str], &["-is"], &["-i", "-s", "x"], &["-il"]] {
        let place = Place::with(ALLOWS_ALL);
        let ended = place.call(guard()).args(words).stdin(LINE).run();
        assert_eq!(fault(&ended, &place, 126, "interactive shells"), None, "{words:?}");
        assert!(ended.err().contains("hint: "), "{words:?}");
    }
}

#[test]
fn settings_that_are_wrong_are_refused_at_their_place() {
    for (text, says) in [
        ("profil = \"strict\"\n", "config.toml:1:1: there is no key `profil` here"),
        ("\n[thresholds]\nbahs = 5\n", "config.toml:3:1: "),
        ("profile = 5\n", "config.toml:1:11: "),
        ("profile = \"lenient\"\n", "config.toml:1:11: "),
        ("mode = [\"shadow\"]\n", "config.toml:1:8: "),
        ("[thresholds]\nbash = 101\n", "config.toml:2:8: "),
        ("[thresholds]\nbash = \"0\"\n", "config.toml:2:8: "),
        ("thresholds = 5\n", "config.toml:1:14: "),
        ("mode = shadow\n", "config.toml:1:8: "),
        ("mode = \"shadow\n", "config.toml:1:"),
        ("mode = \"shadow\"\nmode = \"shadow\"\n", "config.toml:2:1: "),
        ("workspace_roots = [\"relative\"]\n", "config.toml:1:20: "),
        ("workspace_roots = [\"/\"]\n", "config.toml:1:20: "),
        ("safe_commands = [\"echo 'x\"]\n", "config.toml:1:18: "),
        ("safe_commands = \"ls -l\"\n", "config.toml:1:17: expected a list: write [\"ls -l\"]"),
        ("safe_commands = \"\"\"ls\n-l\"\"\"\n", "config.toml:1:17: "),
        ("[rules]\ndirectories = true\n", "config.toml:2:15: expected a list: write [true]"),
        ("real_shell = \"./bash\"\n", "config.toml:1:14: "),
        ("default_action = \"allow\"\n", "config.toml:1:18: "),
        ("[record]\nkeep_days = 0\n", "config.toml:2:13: "),
        ("\u{1b}[2J = 1\n", "config.toml:1:2: "),
        ("mode = \"shadow\"\0\n", "config.toml:1: "),
        ("a = 1\r b\n", "config.toml:1:"),
    ] {
        let place = Place::with(text);
        let ended = place.guard(["-c", LINE]).run();
        assert_eq!(fault(&ended, &place, 126, says), None, "{text:?}");
        assert!(ended.err().contains("hint: "), "{text:?}");
    }
    let place = Place::new();
    place.write("home/.config/guarded-sh/config.toml", b"mode = \"shadow\" # \xff\n");
    refused_in(&place, 126, "config.toml:1: ");
    // Written by an editor of another system, but meaning the same.
    let place = Place::with("profile = \"balanced\"\r\n[thresholds]\r\nbash = 90\r\n");
    runs(&place.guard(["-c", LINE]), &place);
}

#[test]
fn settings_that_are_no_file_of_the_owners_are_refused() {
    let settings = "home/.config/guarded-sh/config.toml";
    type Damage = fn(&Place);
    let damages: [(&str, Damage, &str); 8] = [
        (
            "fifo",
            |place| mkfifo(&place.path(SETTINGS), Mode::S_IRWXU).unwrap(),
            "not a regular file",
        ),
        (
            "directory",
            |place| std::fs::create_dir(place.path(SETTINGS)).unwrap(),
            "not a regular file",
        ),
        (
            "device",
            |place| symlink("/dev/zero", place.path(SETTINGS)).unwrap(),
            "not a regular file",
        ),
        (
            "link to itself",
            |place| symlink("config.toml", place.path(SETTINGS)).unwrap(),
            "cannot read",
        ),
        ("too large", |place| drop(place.write(SETTINGS, "#\n".repeat(1 << 20))), "is larger than"),
        ("written by all", |place| loosen(place, SETTINGS, 0o666), "may be changed by others"),
        (
            "written by the group",
            |place| loosen(place, SETTINGS, 0o620),
            "may be changed by others",
        ),
        (
            "in a directory of all",
            |place| loosen(place, DIRECTORY, 0o777),
            "may be changed by others",
        ),
    ];
    for (name, damage, says) in damages {
        let place = Place::with(ALLOWS_ALL);
        if !name.contains("written") && !name.contains("in a") {
            std::fs::remove_file(place.path(settings)).unwrap();
        }
        damage(&place);
        let ended = place.guard(["-c", LINE]).run();
        assert_eq!(fault(&ended, &place, 126, says), None, "{name}");
    }
}

const DIRECTORY: &str = "home/.config/guarded-sh";
const SETTINGS: &str = "home/.config/guarded-sh/config.toml";

fn loosen(place: &Place, path: &str, mode: u32) {
    std::fs::set_permissions(place.path(path), PermissionsExt::from_mode(mode)).unwrap();
}

const RULE: &str = r#"pack = "mine"
summary = "Mine"

[[rule]]
id       = "mine.touch"
command  = ["touch"]
severity = "high"
deny     = true
reason   = "nothing is touched here"
matches  = ["touch x"]
passes   = ["ls"]
"#;

#[test]
fn rules_that_are_wrong_are_refused_at_their_place() {
    let edit = |from: &str, to: &str| RULE.replace(from, to);
    for (text, says) in [
        (edit("severity = \"high\"", "severity = \"tall\""), "mine.toml:7:12: "),
        (edit("severity", "severitee"), "mine.toml:7:1: "),
        (edit("[\"touch\"]\n", "\"touch\n"), "mine.toml:6:"),
        (
            edit("[\"touch\"]", "\"touch\""),
            "mine.toml:6:12: rule mine.touch: expected a list: write [\"touch\"]",
        ),
        (
            edit("[\"touch\"]", "\"git  push\""),
            "mine.toml:6:12: rule mine.touch: expected a list: write [\"git\", \"push\"]",
        ),
        (
            edit("[\"touch\"]", "[\"touch\"]\noptions = { any = '-f x' }"),
            "mine.toml:7:19: rule mine.touch: expected a list: write ['-f x']",
        ),
        (
            edit("[\"ls\"]", "\"ls -l\""),
            "mine.toml:11:12: rule mine.touch: expected a list: write [\"ls -l\"]",
        ),
        (edit("[\"touch\"]", "5"), "mine.toml:6:12: rule mine.touch: expected a list: write [5]"),
        (edit("[\"touch\"]", &format!("\"{}\"", "x".repeat(90_000))), "mine.toml:6:12: "),
        (edit("id       = \"mine.touch\"", "id       = \"other.touch\""), "mine.toml:5:"),
        (edit("command  = [\"touch\"]", "text = \"(\""), "mine.toml:6:"),
        (edit("command  = [\"touch\"]\n", ""), "mine.toml:5:12: rule mine.touch: has no condition"),
        (edit("[\"ls\"]\n", "[\"ls\"]\n[[rule]]\n"), "mine.toml:"),
        (edit("Mine", "\0"), "mine.toml:2: "),
        ("]".repeat(100_000), "mine.toml:1:1: "),
        (format!("a = {}", "[".repeat(100_000)), "mine.toml:1:"),
    ] {
        let place = Place::with(ALLOWS_ALL);
        place.write("home/.config/guarded-sh/rules/mine.toml", &text);
        let ended = place.guard(["-c", LINE]).run();
        assert_eq!(fault(&ended, &place, 126, says), None, "{}", &text[..text.len().min(400)]);
        assert!(ended.err().contains("hint: "));
        // Seen again, not only when it is compiled.
        refused_in(&place, 126, says);
    }
}

#[test]
fn rules_that_are_no_files_of_the_owners_are_refused() {
    let path = "home/.config/guarded-sh/rules/mine.toml";
    let place = Place::with(ALLOWS_ALL);
    place.write(path, RULE);
    refused_in(&place, 126, "nothing is touched here");
    loosen(&place, path, 0o666);
    refused_in(&place, 126, "may be changed by others");

    let place = Place::with(ALLOWS_ALL);
    std::fs::create_dir(place.path("home/.config/guarded-sh/rules")).unwrap();
    mkfifo(&place.path(path), Mode::S_IRWXU).unwrap();
    refused_in(&place, 126, "not a regular file");
    let place = Place::with(ALLOWS_ALL);
    std::fs::create_dir_all(place.path(path)).unwrap();
    refused_in(&place, 126, "mine.toml");
    let place = Place::with(ALLOWS_ALL);
    place.write("home/.config/guarded-sh/rules", "not a directory");
    refused_in(&place, 126, "rules");
}

/// A cache is believed only if it is whole, and what it said is said again without it.
#[test]
fn a_damaged_cache_changes_no_answer() {
    let damages: [(&str, fn(&Path)); 7] = [
        ("empty", |path| std::fs::write(path, "").unwrap()),
        ("nonsense", |path| std::fs::write(path, [0xff; 5000]).unwrap()),
        ("cut", |path| cut(path, 2)),
        ("cut to its head", |path| {
            std::fs::write(path, &std::fs::read(path).unwrap()[..16]).unwrap();
        }),
        ("fifo", |path| {
            std::fs::remove_file(path).unwrap();
            mkfifo(path, Mode::S_IRWXU).unwrap();
        }),
        ("flipped at the end", |path| flip(path, 4, 5)),
        ("flipped in the middle", |path| flip(path, 1, 2)),
    ];
    for (name, damage) in damages {
        let place = Place::with(ALLOWS_ALL);
        place.write("home/.config/guarded-sh/rules/mine.toml", RULE);
        refused_in(&place, 126, "nothing is touched here");
        let cache = place.path("home/.cache/guarded-sh");
        let files: Vec<_> =
            std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(files.len(), 1);
        damage(&files[0]);
        let ended = place.guard(["-c", LINE]).run();
        assert_eq!(fault(&ended, &place, 126, ""), None, "{name}");
    }
    let place = Place::with(ALLOWS_ALL);
    place.write("home/.config/guarded-sh/rules/mine.toml", RULE);
    place.write("home/.cache", "not a directory");
    refused_in(&place, 126, "nothing is touched here");
}

fn cut(path: &Path, divisor: usize) {
    let bytes = std::fs::read(path).unwrap();
    std::fs::write(path, &bytes[..bytes.len() / divisor]).unwrap();
}

fn flip(path: &Path, share: usize, of: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    let at = bytes.len() * share / of;
    bytes[at] ^= 0x55;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn projects_that_are_wrong_and_that_nobody_trusted_take_no_line_away() {
    let told = |place: &Place, says: &str| {
        let ended = place.guard(["-c", "echo ran"]).run();
        assert_eq!((ended.out().as_str(), ended.code()), ("ran\n", Some(0)), "{}", ended.err());
        let shown = place.guard(["config"]).run().out();
        assert!(shown.contains("nobody trusted it") && shown.contains(says), "{says}: {shown}");
    };
    for (path, content, says) in [
        (".guarded-sh.toml", "profile = 5\n", ".guarded-sh.toml:1:11: "),
        (".guarded-sh.toml", "nonsense", ".guarded-sh.toml:1:"),
        (".guarded-sh/rules/x.toml", "pack = 5\n", "x.toml:1:"),
        (".guarded-sh/rules", "not a directory", "rules"),
    ] {
        let place = Place::with(ALLOWS_ALL);
        place.write(&format!("work/{path}"), content);
        told(&place, says);
    }
    let place = Place::with(ALLOWS_ALL);
    mkfifo(&place.path("work/.guarded-sh.toml"), Mode::S_IRWXU).unwrap();
    told(&place, "not a regular file");
}

#[test]
fn a_shell_that_is_none_is_refused() {
    for (shell, status, says) in [
        ("/does/not/exist/bash", 127, "'/does/not/exist/bash' cannot be found"),
        ("/etc/bash", 127, "'/etc/bash' cannot be found"),
        ("/usr", 126, "'/usr'"),
        ("fish", 126, "'fish'"),
        ("/usr/bin/python3", 126, "python3"),
    ] {
        let place = Place::with(&format!("real_shell = \"{shell}\"\n"));
        refused_in(&place, status, says);
    }
    for (name, kind) in [("sh", "itself"), ("bash", "copy")] {
        let place = Place::new();
        let path = place.path("bin").join(name);
        if kind == "copy" {
            std::fs::copy(guard(), &path).unwrap();
        } else {
            symlink(guard(), &path).unwrap();
        }
        place.set(&format!("real_shell = \"{}\"\n", path.display()));
        refused_in(&place, 127, kind);
    }
    let place = Place::new();
    let plain = place.write("bin/bash", "not executable");
    place.set(&format!("real_shell = \"{}\"\n", plain.display()));
    refused_in(&place, 127, "is not a program");
}

#[test]
fn lines_that_are_no_text_are_refused() {
    for (script, says) in [
        (r#""$GUARD" -c $'touch done \xff'"#, ""),
        (r#""$GUARD" -c $'\xc3touch done'"#, ""),
        (r#""$GUARD" -c $'touch done\n\xed\xa0\x80'"#, ""),
        (r#""$GUARD" -c "$(printf '(%.0s' $(seq 60000)) touch done""#, ""),
        (r#""$GUARD" -c "$(printf '$(%.0s' $(seq 40000)) touch done""#, ""),
        (r#""$GUARD" -c "$(printf '{a,b}%.0s' $(seq 20000)); touch done""#, ""),
        (r#""$GUARD" -c "touch done; $(printf '$((%.0s' $(seq 20000))""#, ""),
        (r#""$GUARD" -c "touch done; $(printf 'if :; then %.0s' $(seq 8000))""#, ""),
        (r#""$GUARD" -c "touch done; \"$(printf '`%.0s' $(seq 60001))""#, ""),
        (r#""$GUARD" -c "touch done; '""#, ""),
    ] {
        let place = Place::new();
        refused(&place.script(script), &place, 126, says);
    }
}

#[test]
fn scripts_that_are_no_text_are_refused() {
    let deep = "(".repeat(10 << 20);
    for (name, content) in [
        ("nul", b"touch done\0\n".to_vec()),
        ("nul first", b"\0\ntouch done\n".to_vec()),
        ("bytes", b"touch done\n\xff\xfe\n".to_vec()),
        ("carriage returns", b"touch done\r\ntouch other\r\nrm -rf ~\r\n".to_vec()),
        ("surrogate", b"touch done \xed\xa0\x80\n".to_vec()),
        ("deep", [b"touch done\n", deep.as_bytes()].concat()),
        ("binary", [&b"\x7fELF"[..], &[0; 100]].concat()),
    ] {
        let place = Place::new();
        place.write("work/script", &content);
        let ended = place.guard(["./script"]).run();
        assert_eq!(fault(&ended, &place, 126, ""), None, "{name}");
    }
    let place = Place::new();
    mkfifo(&place.path("work/script"), Mode::S_IRWXU).unwrap();
    refused(&place.guard(["./script"]), &place, 126, "");
}

#[test]
fn much_argv_is_carried_and_judged() {
    // Words of almost 128 KB, the most that the kernel takes in one, and almost 2 MB of them, the most that it takes.
    let words = vec!["x".repeat((1 << 17) - 1); 15];
    let place = Place::new();
    let call = place.guard(["-c", "touch done; [ $# = 15 ] && [ ${#15} = 131071 ]", "x"]);
    runs(&call.args(&words), &place);
    let place = Place::new();
    let many: Vec<String> = (0..100_000).map(|number| number.to_string()).collect();
    let call = place.guard(["-c", "touch done; [ $# = 100000 ]", "x"]);
    runs(&call.args(&many), &place);
    let place = Place::new();
    let call = place.guard(["-c", "touch done; rm -rf \"$@\"", "x"]).args(&many);
    refused(&call.args(["/"]), &place, 126, "");
    let place = Place::new();
    let line = format!("touch done; rm -rf / {}", "x ".repeat(60_000));
    refused(&place.guard(["-c", &line]), &place, 126, "");
}

#[test]
fn patterns_of_any_depth_and_length_are_judged() {
    for word in ["a/".repeat(60_000) + "ab*", format!("ab{}", "*".repeat(120_000))] {
        let place = Place::new();
        refused(
            &place.guard(["-c", &format!("touch done; rm -rf ~; cat {word}")]),
            &place,
            126,
            "",
        );
    }
    let place = Place::new();
    let patterns: String = (0..12_000).fold(String::new(), |mut all, number| {
        let _ = write!(all, "ab{number}* ");
        all
    });
    refused(
        &place.guard(["-c", &format!("touch done; rm -rf ~; cat {patterns}")]),
        &place,
        126,
        "",
    );
}

/// However deep a line is nested, it is read as far as it may be and no further, and what it hides is not run.
#[test]
fn thousands_of_levels_are_refused() {
    // No word of an argv may be longer than 128 KiB on Linux.
    let within = |open: &str, inner: &str, close: &str| {
        let levels = 120_000 / (open.len() + close.len());
        format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
    };
    for line in [
        within("env ", LINE, ""),
        within("sudo ", LINE, ""),
        within("nice -n 1 ", LINE, ""),
        within("timeout 9 ", LINE, ""),
        within("command ", LINE, ""),
        within("eval ", LINE, ""),
        within("env -S ", LINE, ""),
        within("xargs ", LINE, ""),
        within("find . -exec ", LINE, " ;"),
        within("$(", LINE, ")"),
        within("echo \"$(", LINE, ")\""),
        within("(", LINE, ")"),
        within("{ ", LINE, "; }"),
        within("if true; then ", LINE, "; fi"),
        within("f() { ", LINE, "; }; f"),
        within("cat <(", LINE, ")"),
        within("! ", LINE, ""),
        within("time ", LINE, ""),
        within("${x:-", "$(touch done)", "}"),
        within("$((", "$(touch done)", "))"),
        within("env bash -c $'", LINE, "'"),
    ] {
        let place = Place::new();
        let ended = place.guard(["-c", &line]).run();
        assert_eq!(fault(&ended, &place, 126, ""), None, "{}", &line[..40]);
    }
}

#[test]
fn ways_that_meet_take_no_memory_each() {
    let place = Place::new();
    let line = (0..2_000).fold("touch done".to_owned(), |mut line, number| {
        let _ = write!(line, " && a{number}=x");
        line
    });
    // What 2,000 copies of 2,000 variables would take is more than there is.
    let script = format!("ulimit -v 250000; \"$GUARD\" -c '{line}; rm -rf ~'");
    refused(&place.script(&script), &place, 126, "");
}

/// What comes to a file that is emptied is followed through each command once.
#[test]
fn nests_and_pipes_before_a_file_take_no_time_each() {
    let nest = format!("{}:{}", "{ ".repeat(30), "; } > f".repeat(30));
    let pipes = format!("cat /dev/null{} | tee f", " | cat".repeat(5_000));
    let emptied = format!("{}:", ": > f; ".repeat(5_000));
    let fed = format!("{}tee -a f", "cat f | ".repeat(3_000));
    let around = format!("{{ {}}}{}", "cat f; ".repeat(2_000), " | cat >> f".repeat(2_000));
    let packed = format!("{{ {}}} | {{ {}}}", "tar c .; ".repeat(1_000), "cat; ".repeat(1_000));
    let made = "echo 'int main(){}' > x.c; gcc x.c; ".repeat(1_000);
    for line in [nest, pipes, emptied, fed, around, packed, made] {
        let place = Place::new();
        refused(&place.guard(["-c", &format!("touch done; rm -rf ~; {line}")]), &place, 126, "");
    }
}

#[test]
fn a_long_line_is_not_said_again_in_the_refusal() {
    let place = Place::new();
    let mut line = "touch done; ".to_owned();
    for number in 0..3000 {
        let _ = write!(line, "rm -rf ~/some/where/{number}; ");
    }
    refused(&place.guard(["-c", &line]), &place, 126, "");
    let place = Place::new();
    let line = format!("touch done; rm -rf /{}", "long/".repeat(20_000));
    refused(&place.guard(["-c", &line]), &place, 126, "");
}

#[test]
fn no_home_and_no_path_are_no_reason_to_run_unguarded() {
    let place = Place::new();
    runs(&place.guard(["-c", LINE]).without("PATH"), &place);
    for (name, value) in
        [("PATH", ""), ("PATH", "."), ("PATH", "/does/not/exist"), ("TMPDIR", "\n")]
    {
        let place = Place::new();
        runs(&place.guard(["-c", "/bin/touch done || true"]).env(name, value), &place);
        refused(
            &place.guard(["-c", "touch done; rm -rf /etc"]).env(name, value),
            &fresh(place),
            126,
            "",
        );
    }
    for home in ["", "relative", "/does/not/exist", "/dev/null", "/proc/self"] {
        let place = Place::new();
        refused(
            &place.guard(["-c", "touch done; rm -rf ~ /etc"]).env("HOME", home),
            &place,
            126,
            "",
        );
    }
    let place = Place::new();
    refused(&place.guard(["-c", "touch done; rm -rf ~"]).without("HOME"), &place, 126, "");
}

fn fresh(place: Place) -> Place {
    let _ = std::fs::remove_file(place.path("work/done"));
    place
}

#[test]
fn a_deleted_directory_is_no_workspace() {
    let place = Place::new();
    let script = r#"mkdir gone; cd gone; rmdir ../gone; "$GUARD" -c 'touch x; touch ../done'"#;
    refused(&place.script(script), &place, 126, "");
    let script = r#"mkdir gone; cd gone; rmdir ../gone; "$GUARD" -c 'echo hi' 2>/dev/null"#;
    assert_eq!(place.script(script).run().out(), "hi\n");
}

#[test]
fn closed_streams_change_nothing() {
    for streams in ["<&-", ">&-", "<&- >&-", "2>&-", "<&- >&- 2>&-"] {
        let place = Place::new();
        let script = format!(r#""$GUARD" -c 'touch done' {streams}"#);
        runs(&place.script(&script), &place);
        let place = Place::new();
        let script = format!(r#""$GUARD" -c 'touch done; rm -rf ~' {streams}"#);
        let ended = place.script(&script).run();
        assert_eq!(ended.code(), Some(126), "{streams}");
        assert!(!place.path("work/done").exists());
        assert_eq!(
            ended.err().contains("guarded-sh: refused: "),
            !streams.contains('2'),
            "{streams}"
        );
        // What would go to a stream that is closed must not go into a file of ours.
        let records = place.records();
        assert_eq!(records.lines().count(), 1);
        assert!(records.lines().all(|line| line.starts_with('{') && line.ends_with('}')));
    }
    for target in ["2>/dev/full", ">/dev/full 2>&1", "2<>/dev/null"] {
        let place = Place::new();
        let script = format!(r#""$GUARD" -c 'touch done; rm -rf ~' {target}"#);
        assert_eq!(place.script(&script).run().code(), Some(126), "{target}");
        assert!(!place.path("work/done").exists());
    }
}
