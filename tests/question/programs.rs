//! The programs, and what is done in each.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::tmux::{Tmux, has};

/// All tests, by name.
pub const ALL: &[(&str, fn())] = &[
    ("programs_are_after_a_question_as_without_one", programs),
    ("attributes_and_modes_come_back", attributes),
    ("output_of_meanwhile_comes_afterwards_in_order", output),
    ("keys_typed_before_are_the_agents_and_no_answer", keys),
    ("a_resize_in_the_middle_draws_the_question_again", resize),
    ("a_screen_as_small_as_it_gets_shows_what_fits", tiny),
    ("an_agent_that_ends_takes_the_question_with_it", ending),
];

/// Begins what is waited for among keys: a text on the screen.
const SHOWS: &str = "shows ";

/// What runs until it gets a signal, and says when it runs and runs again.
const JOB: &str = "sh -c 'trap \"echo a\"gain CONT; echo r\"\"uns; while :; do sleep 0.1; done'";

/// A program: what it needs, what starts it, keys and what they show, and what is there when it is ready.
struct Case {
    needs: &'static str,
    command: &'static str,
    ready: &'static str,
    keys: &'static [&'static str],
    after: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        needs: "vim",
        command: "vim -u NONE -N --cmd 'set nocp mouse=a ruler hlsearch ttimeout ttimeoutlen=10 | syntax on' text",
        ready: "line 1",
        keys: &["/7", "Enter", "5j", "v", "3l"],
        after: &["Escape", "G", "o", "new", "Escape"],
    },
    Case {
        needs: "less",
        command: "less text",
        ready: "line 1",
        keys: &["Space", "/42", "Enter"],
        after: &["g", "j", "j"],
    },
    Case {
        needs: "fzf",
        command: "fzf --multi <text",
        ready: "line 1",
        keys: &["1", "Up", "Tab"],
        after: &["BSpace", "4"],
    },
    Case {
        needs: "git",
        command: "env GIT_EDITOR='vim -u NONE -N' GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z git -c user.name=a -c user.email=a@example.invalid rebase -i --root",
        ready: "pick",
        keys: &["d", "d"],
        after: &["u", "j"],
    },
    Case {
        needs: "bash",
        command: "env PS1='bash> ' bash --norc --noprofile",
        ready: "bash>",
        keys: &[
            "clear",
            "Enter",
            JOB,
            "Enter",
            "shows runs",
            "C-z",
            "shows Stopped",
            "jobs",
            "Enter",
        ],
        after: &["fg", "Enter", "shows again", "C-c", "clear", "Enter", "echo ready", "Enter"],
    },
    Case {
        needs: "zsh",
        command: "env PS1='zsh> ' zsh -f",
        ready: "zsh>",
        keys: &[
            "clear",
            "Enter",
            JOB,
            "Enter",
            "shows runs",
            "C-z",
            "shows suspended",
            "fg",
            "Enter",
            "shows again",
            "C-z",
        ],
        after: &["clear", "Enter", "ec", "Tab", "Escape"],
    },
    Case {
        needs: "python3",
        command: "env PYTHONSTARTUP= python3 -q",
        ready: ">>>",
        keys: &["C-l", "x = 6*7", "Enter", "print('ü漢', x", "Left", "Left"],
        after: &["C-e", ")", "Enter"],
    },
    Case {
        needs: "htop",
        // With a list that no process is in: what is in a row leaves its blanks behind.
        command: "htop --readonly -d 1000 -p 4194304",
        ready: "PID",
        keys: &["F2"],
        after: &["Down", "Down"],
    },
];

/// A directory to work in, with what the cases want.
fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let lines: Vec<String> =
        (1..=200).map(|number| format!("line {number} \t über 漢字")).collect();
    fs::write(directory.path().join("text"), lines.join("\n")).unwrap();
    directory
}

fn repository(directory: &Path) {
    let script = "git init -q . && for n in 1 2 3; do git -c user.name=a -c user.email=a@example.invalid commit -q --allow-empty -m \"commit $n\" --date '2026-01-01T00:00:00Z'; done";
    let done = std::process::Command::new("sh")
        .args(["-c", script])
        .current_dir(directory)
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status();
    assert!(done.unwrap().success());
}

/// A session whose guest asks, in tmux.
struct Asked {
    tmux: Tmux,
    guest: PathBuf,
    _directory: tempfile::TempDir,
}

impl Asked {
    fn start(directory: &Path, command: &str) -> Self {
        let guest = tempfile::tempdir().unwrap();
        let program = std::env::current_exe().unwrap();
        let command =
            format!("exec '{}' host '{}' {command}", program.display(), guest.path().display());
        let tmux = Tmux::start(80, 24, directory, &command);
        Self { tmux, guest: guest.path().to_owned(), _directory: guest }
    }

    fn ask(&self) {
        fs::write(self.guest.join("ask"), "").unwrap();
        self.tmux.wait_for("y or n");
    }

    /// Answers, which is taken once the question was there for a moment: a key before that goes nowhere, so it is pressed until one counts.
    fn answer(&self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.guest.join("ask").exists() {
            assert!(Instant::now() < deadline, "the answer was not taken");
            std::thread::sleep(Duration::from_millis(1600));
            self.tmux.literal("y");
            let pressed = Instant::now();
            while self.guest.join("ask").exists() && pressed.elapsed() < Duration::from_secs(3) {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        self.tmux.wait("the end of the question", |screen| !screen.contains("y or n"));
    }

    fn typed(&self) -> String {
        fs::read_to_string(self.guest.join("typed")).unwrap_or_default()
    }
}

/// What depends on the moment, and on which process it is.
fn steady(case: &Case, screen: String) -> String {
    if case.needs != "htop" {
        return screen;
    }
    // Its meters move: only the rows below them. A blank at the end of one may be written, or never have been anything else.
    screen.lines().skip(8).map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn programs() {
    if !has("tmux") {
        return;
    }
    for case in CASES.iter().filter(|case| has(case.needs)) {
        let (bare, asked) = (directory(), directory());
        if case.needs == "git" {
            repository(bare.path());
            repository(asked.path());
        }
        let without = Tmux::start(80, 24, bare.path(), &format!("exec {}", case.command));
        let command = if case.command.contains('<') {
            format!("sh -c '{}'", case.command)
        } else {
            case.command.to_owned()
        };
        let with = Asked::start(asked.path(), &command);
        let same = |when: &str| {
            let deadline = Instant::now() + Duration::from_secs(30);
            loop {
                let without = steady(case, without.settled());
                let with = steady(case, with.tmux.settled());
                if without == with {
                    return without;
                }
                // One of them may be slower.
                assert!(
                    Instant::now() < deadline,
                    "{} {when}:\n{without}\n--- with a host:\n{with}",
                    case.needs
                );
            }
        };
        let press = |keys: &[&str]| {
            for key in keys {
                if let Some(text) = key.strip_prefix(SHOWS) {
                    without.wait_for(text);
                    with.tmux.wait_for(text);
                } else {
                    without.keys(&[key]);
                    with.tmux.keys(&[key]);
                }
                without.settled();
                with.tmux.settled();
            }
        };
        without.wait_for(case.ready);
        with.tmux.wait_for(case.ready);
        press(case.keys);
        let before = same("before");
        with.ask();
        let shown = with.tmux.settled();
        let above = |screen: &str| {
            screen.lines().take(20).map(str::trim_end).collect::<Vec<_>>().join("\n")
        };
        if case.needs != "htop" {
            assert_eq!(above(&before), above(&shown), "{} during", case.needs);
        }
        assert!(shown.contains("80x24 y or n"), "{shown}");
        with.answer();
        same("after");
        press(case.after);
        same("after more keys");
        println!("  {}: the same before, during and after", case.needs);
    }
}

/// Sequences that leave something to be put back.
const STATES: &[&str] = &[
    r"\033[2J\033[H\0337\033[1;3;4;5;7;9;31;44mall\033[0m \033[4:3m\033[58:2::1:2:3mcurly\033[0m \033[38;5;200mindexed\033[48;2;1;2;3m rgb",
    r"\033[?1049h\033[2J\033[H\033[41m\033[2J\033[20;1Hred rows\033[23;5Hlow \033[1mbold",
    r"\033[?1049h\033[H\033[2J\033[5;20r\033[?6h\033[3;4Horigin",
    r"\033[2J\033[H\0337\033[3;10r\033[10;1Hregion",
    r"\033[?1049h\033[24;1H\033[?25l\033[?1h\033=\033[?1002h\033[?1006h\033[?2004h\033[?1004hmodes",
    r"\033[H\033[2J\0337\033[?1003h\033[4h\033[?7linsert",
    r"\033[?1049h\033[23;1H\033(0lqqqk\033(B plain \033)0\016x\017",
    r"\033[?1049h\033[24;75Hpending",
    r"\033[2J\033[H\0337\033[24;74Hpending",
    r"\033[?1049h\033[22;3Hsaved\0337\033[23;9H\033[32mhere",
    r"\033[2J\033[20;3Hsaved\033[35m\0337\033[10;9H\033[32mhere",
    r"\033[?1049h\033[22;70Hwide 漢漢漢漢漢漢 é e\0314 \360\237\231\202",
    r"\033[2J\033[H\0337\033[20b\033[3;1Hx\033[30b\033[24;1H\033[3@y\033[K",
];

fn attributes() {
    if !has("tmux") {
        return;
    }
    for state in STATES {
        let directory = directory();
        // What comes after the question shows what was put back: the pen, charsets, what was saved, where text wraps.
        let script = format!(
            "stty raw -echo; printf '{state}'; while [ ! -e go ]; do sleep 0.05; done; \
             printf 'AB漢'; printf '\\0338C\\016q\\017D\\033[1;1HE\\n\\nF'; sleep 1000"
        );
        fs::write(directory.path().join("script"), script).unwrap();
        let other = self::directory();
        fs::copy(directory.path().join("script"), other.path().join("script")).unwrap();
        let without = Tmux::start(80, 24, directory.path(), "exec sh script");
        let with = Asked::start(other.path(), "sh script");
        let before = without.settled();
        let begun = with.tmux.settled();
        assert!(before == begun, "{state} before:\n{before}\n---\n{begun}");
        with.ask();
        with.answer();
        let after = with.tmux.settled();
        assert!(before == after, "{state} after:\n{before}\n---\n{after}");
        fs::write(directory.path().join("go"), "").unwrap();
        fs::write(other.path().join("go"), "").unwrap();
        without.wait("the rest", |screen| screen.contains('F'));
        with.tmux.wait("the rest", |screen| screen.contains('F'));
        let (without, with) = (without.settled(), with.tmux.settled());
        assert!(without == with, "{state} later:\n{without}\n---\n{with}");
    }
}

fn output() {
    if !has("tmux") {
        return;
    }
    let directory = directory();
    let script = "printf '\\033[H\\033[2J'; while [ ! -e go ]; do sleep 0.05; done; seq 1 300000; echo end; sleep 1000";
    fs::write(directory.path().join("script"), script).unwrap();
    let asked = Asked::start(directory.path(), "sh script");
    asked.tmux.settled();
    asked.ask();
    fs::write(directory.path().join("go"), "").unwrap();
    assert!(!asked.tmux.settled().contains("300000"));
    asked.answer();
    asked.tmux.wait_for("end");
    let expected: Vec<String> = (299_979..=300_000).map(|number| number.to_string()).collect();
    let screen = asked.tmux.plain();
    assert!(screen.starts_with(&expected.join("\n")), "{screen}");
}

fn keys() {
    if !has("tmux") {
        return;
    }
    let directory = directory();
    let asked = Asked::start(directory.path(), "sh -c 'stty -echo; echo ready; cat >got'");
    asked.tmux.wait_for("ready");
    asked.tmux.literal("first ");
    asked.ask();
    // Too early to have seen the question, and longer for who was in the middle of a line.
    asked.tmux.literal("y");
    std::thread::sleep(Duration::from_millis(700));
    asked.tmux.literal("y");
    std::thread::sleep(Duration::from_millis(1700));
    assert!(asked.guest.join("ask").exists(), "a key that was typed too early was an answer");
    assert_eq!(asked.typed(), "");
    asked.tmux.keys(&["Up", "Escape"]);
    let deadline = Instant::now() + Duration::from_secs(20);
    while asked.typed().lines().count() < 2 {
        assert!(Instant::now() < deadline, "{}", asked.typed());
        std::thread::sleep(Duration::from_millis(10));
    }
    asked.answer();
    assert_eq!(asked.typed(), "Key([27, 91, 65])\nKey([27])\nKey([121])\n");
    asked.tmux.literal("last");
    asked.tmux.keys(&["Enter", "C-d"]);
    assert_eq!(asked.tmux.ended(), "0");
    assert_eq!(fs::read_to_string(directory.path().join("got")).unwrap(), "first last\n");
}

fn resize() {
    if !has("tmux") || !has("less") {
        return;
    }
    let directory = directory();
    let asked = Asked::start(directory.path(), "less text");
    asked.tmux.wait_for("line 1");
    asked.tmux.settled();
    asked.ask();
    asked.tmux.resize(100, 30);
    asked.tmux.wait_for("100x30 y or n");
    let shown = asked.tmux.settled();
    assert_eq!(shown.matches("y or n").count(), 1, "{shown}");
    asked.answer();
    let bare = Tmux::start(80, 24, directory.path(), "exec less text");
    bare.wait_for("line 1");
    bare.settled();
    bare.resize(100, 30);
    assert_eq!(asked.tmux.settled(), bare.settled());
}

fn tiny() {
    if !has("tmux") {
        return;
    }
    let directory = directory();
    let asked = Asked::start(directory.path(), "sh -c 'echo ready; sleep 1000'");
    asked.tmux.wait_for("ready");
    asked.ask();
    for (columns, rows, shows) in
        [(7, 2, "7x2 y o"), (1, 1, "1"), (3, 1, "3x1"), (80, 24, "80x24 y or n")]
    {
        asked.tmux.resize(columns, rows);
        asked.tmux.wait(shows, |screen| screen.trim_end().ends_with(shows));
    }
    asked.answer();
    asked.tmux.wait_for("ready");
}

fn ending() {
    if !has("tmux") {
        return;
    }
    let directory = directory();
    let script = "printf '\\033[H\\033[2Jready\\n'; while [ ! -e go ]; do sleep 0.05; done; echo last; exit 5";
    fs::write(directory.path().join("script"), script).unwrap();
    let asked = Asked::start(directory.path(), "sh script");
    asked.tmux.wait_for("ready");
    asked.ask();
    fs::write(directory.path().join("go"), "").unwrap();
    assert_eq!(asked.tmux.ended(), "5");
    let screen = asked.tmux.plain();
    assert!(screen.starts_with("ready\nlast\n"), "{screen}");
    assert!(!screen.contains("y or n"), "{screen}");
}
