//! A real terminal with eyes: a tmux server of a test's own, whose one pane is what a person would see.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(120);

/// What tmux tells of a pane beside its text.
const STATE: &str = "cursor=#{cursor_x},#{cursor_y} shown=#{cursor_flag} alternate=#{alternate_on} \
    keys=#{keypad_cursor_flag} keypad=#{keypad_flag} insert=#{insert_flag} origin=#{origin_flag} wrap=#{wrap_flag} \
    region=#{scroll_region_upper}-#{scroll_region_lower} mouse=#{mouse_any_flag}#{mouse_button_flag}#{mouse_standard_flag}\
    #{mouse_all_flag} sgr=#{mouse_sgr_flag}";

/// A tmux server with one pane. It is ended with all that runs in it when this is dropped.
pub struct Tmux {
    directory: tempfile::TempDir,
}

/// Returns whether a program is here; says so if it is not.
pub fn has(program: &str) -> bool {
    let found = std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|directory| directory.join(program).is_file())
    });
    if !found {
        println!("skipped: there is no {program} here");
    }
    found
}

impl Tmux {
    /// Starts a program in a pane of this size, with an empty home and few variables.
    pub fn start(columns: u16, rows: u16, directory: &Path, command: &str) -> Self {
        let tmux = Self { directory: tempfile::tempdir().unwrap() };
        let settings = tmux.directory.path().join("tmux.conf");
        std::fs::write(
            &settings,
            "set -g status off\nset -g default-terminal tmux-256color\nset -g remain-on-exit on\nset -g remain-on-exit-format ''\nset -s escape-time 0\nset -g default-shell /bin/sh\n",
        )
        .unwrap();
        let home = tmux.directory.path().join("home");
        std::fs::create_dir(&home).unwrap();
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let started = tmux
            .command()
            .arg("-f")
            .arg(settings)
            .args(["new-session", "-d", "-s", "test", "-x", &columns, "-y", &rows, "-c"])
            .arg(directory)
            .arg(command)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("LANG", "C.UTF-8")
            .env("HOME", home)
            .output()
            .unwrap();
        assert!(started.status.success(), "{started:?}");
        tmux
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-u").arg("-S").arg(self.directory.path().join("socket")).stdin(Stdio::null());
        command
    }

    fn ask<const N: usize>(&self, words: [&str; N]) -> Output {
        self.command().args(words).output().unwrap()
    }

    fn text<const N: usize>(&self, words: [&str; N]) -> String {
        String::from_utf8_lossy(&self.ask(words).stdout).into_owned()
    }

    /// Types keys by the names that tmux has for them.
    pub fn keys(&self, keys: &[&str]) {
        let sent = self.command().args(["send-keys", "-t", "test"]).args(keys).output().unwrap();
        assert!(sent.status.success(), "{sent:?}");
    }

    /// Types text as it is.
    pub fn literal(&self, text: &str) {
        assert!(self.ask(["send-keys", "-t", "test", "-l", text]).status.success());
    }

    /// Makes the terminal another size.
    pub fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let done = self.ask(["resize-window", "-t", "test", "-x", &columns, "-y", &rows]);
        assert!(done.status.success(), "{done:?}");
    }

    /// Every cell with its attributes, the cursor and the modes.
    pub fn screen(&self) -> String {
        let cells = self.text(["capture-pane", "-t", "test", "-p", "-e", "-N"]);
        let cells = with_lines_drawn(&cells);
        let cells: Vec<&str> = cells.lines().map(without_blank_end).collect();
        format!(
            "{}\n{}",
            cells.join("\n"),
            self.text(["display-message", "-t", "test", "-p", STATE])
        )
    }

    /// The text alone.
    pub fn plain(&self) -> String {
        self.text(["capture-pane", "-t", "test", "-p"])
    }

    /// The text of the usual screen while the alternate one is shown; nothing else.
    pub fn below(&self) -> String {
        self.text(["capture-pane", "-t", "test", "-p", "-a", "-q"])
    }

    /// Waits until the screen is so.
    pub fn wait(&self, what: &str, is_so: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let text = self.plain();
            if is_so(&text) {
                return;
            }
            assert!(Instant::now() < deadline, "{what} never came:\n{text}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the screen shows a text.
    pub fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contains(text));
    }

    /// Waits until the screen stays as it is for a while, and returns it.
    pub fn settled(&self) -> String {
        let deadline = Instant::now() + PATIENCE;
        let mut before = self.screen();
        let mut since = Instant::now();
        while since.elapsed() < Duration::from_millis(300) {
            std::thread::sleep(Duration::from_millis(20));
            let now = self.screen();
            if now != before {
                (before, since) = (now, Instant::now());
            }
            assert!(Instant::now() < deadline, "it never rests:\n{before}");
        }
        before
    }

    /// Waits until the program in the pane has ended; returns its status or signal, as tmux tells it.
    pub fn ended(&self) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            // It may miss that a process has ended until another one does, and that one too: so nobody waits for it.
            self.text(["run-shell", "-b", "true"]);
            let state = self.text([
                "display-message",
                "-t",
                "test",
                "-p",
                "#{pane_dead} #{pane_dead_status}#{pane_dead_signal}",
            ]);
            if let Some(status) = state.trim().strip_prefix("1 ") {
                return status.to_owned();
            }
            assert!(Instant::now() < deadline, "it never ends:\n{}", self.plain());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Returns text in which line drawing is the characters that it looks like, however it was written.
fn with_lines_drawn(text: &str) -> String {
    let mut drawing = false;
    let drawn = text.chars().filter_map(|character| match character {
        '\x0e' | '\x0f' => {
            drawing = character == '\x0e';
            None
        }
        'j'..='n' if drawing => Some(['┘', '┐', '┌', '└', '┼'][character as usize - 'j' as usize]),
        'q' if drawing => Some('─'),
        'x' if drawing => Some('│'),
        character => Some(character),
    });
    drawn.collect()
}

/// Returns a line without blanks at its end that look like nothing: whether something was ever written there is not seen.
fn without_blank_end(line: &str) -> &str {
    let text = line.trim_end_matches(' ');
    let style = text.rfind("\x1b[").map_or("", |at| &text[at..]);
    let is_usual = style.is_empty() || style.ends_with("[0m") || style.ends_with("[49m");
    if is_usual { text } else { line }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.ask(["kill-server"]);
    }
}
