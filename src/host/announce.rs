//! Says where the person may be looking that a question came, or what went past the guard: by a desktop notification, by a popup of
//! tmux. Never gives an answer, and never keeps the host waiting: each is a process of its own, and what becomes of it does not matter.
//!
//! The notification is shown by this same program, which gets its text on standard input and takes it back when that ends: the
//! question was answered, or the host is gone.

use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::approval::text::cut;
use crate::approval::{visible, words};
use crate::ipc::Entry;
use crate::language::Language;
use crate::model::{Paused, Severity};

/// Notifications that are shown at once at most; the oldest make place.
const MOST: usize = 4;
/// Columns of the line that are shown.
const COLUMNS: usize = 160;
/// What stands for the question in the owner's command.
const ID: &str = "{id}";

/// By which ways is said that a question came.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// A desktop notification, where there is a session bus.
    pub notify: bool,
    /// A popup of the tmux that the host was started in.
    pub popup: bool,
    /// What the notification's button starts; without words it has none.
    pub open: Vec<String>,
    /// Where this program is, for the popup.
    pub program: PathBuf,
}

/// What a notification says, as the process that shows it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The title. Nothing of it is an agent's.
    pub title: String,
    /// The text, in the markup of notifications.
    pub body: String,
    /// Whether it stays until it is dismissed.
    pub stays: bool,
    /// What the button starts.
    pub open: Vec<String>,
    /// What the button is called.
    pub button: String,
}

/// A notification that is shown. When this is dropped, so is what holds it up: it takes back what it shows and ends.
struct Shown {
    id: String,
    _input: ChildStdin,
}

/// Says that questions came.
pub struct Announcer {
    ways: Ways,
    language: Language,
    /// Questions that were said to be there, and are open.
    known: Vec<String>,
    shown: Vec<Shown>,
    /// What holds up what was said last that is no question.
    said: Option<ChildStdin>,
    /// What was started, until it has ended.
    started: Vec<Child>,
    popup: Option<Child>,
    /// What no popup was shown for yet.
    queue: Vec<String>,
}

impl Announcer {
    /// Makes one that has said nothing yet, and says it in this language.
    #[must_use]
    pub const fn new(ways: Ways, language: Language) -> Self {
        Self {
            ways,
            language,
            known: Vec::new(),
            shown: Vec::new(),
            said: None,
            started: Vec::new(),
            popup: None,
            queue: Vec::new(),
        }
    }

    /// Takes what is open now, and whether the person wants a pause: what is open when that ends is told then. To be called when that changed,
    /// or a child process ended.
    pub fn stand(&mut self, open: &[Entry], paused: Option<Paused>) {
        let open = if paused.is_some() { &[] } else { open };
        let is_open = |id: &String| open.iter().any(|entry| entry.id == *id);
        self.known.retain(is_open);
        self.queue.retain(is_open);
        self.shown.retain(|shown| is_open(&shown.id));
        for entry in open.iter().filter(|entry| entry.is_waiting()) {
            if !self.known.contains(&entry.id) {
                self.known.push(entry.id.clone());
                self.queue.push(entry.id.clone());
                self.notify(entry);
            }
        }
        self.reap();
        self.popup();
    }

    fn notify(&mut self, entry: &Entry) {
        if !self.ways.notify {
            return;
        }
        if self.shown.len() >= MOST {
            self.shown.remove(0);
        }
        // Where it cannot be started, the question is still in the queue.
        if let Ok((process, input)) = show(&notice(entry, &self.ways.open, self.language)) {
            self.started.push(process);
            self.shown.push(Shown { id: entry.id.clone(), _input: input });
        }
    }

    /// Says something that nobody answers, in the place of what was said before.
    pub fn say(&mut self, text: &str) {
        if !self.ways.notify {
            return;
        }
        let body = escaped(&cut(&visible(text), COLUMNS));
        let title = self.language.say("notice-warns").into_owned();
        let button = String::new();
        let notice = Notice { title, body, stays: true, open: Vec::new(), button };
        // As above: it is said over the screen as well.
        if let Ok((process, input)) = show(&notice) {
            self.started.push(process);
            self.said = Some(input);
        }
    }

    /// Shows the next question in a popup, if none is shown.
    fn popup(&mut self) {
        if !self.ways.popup {
            self.queue.clear();
        }
        if self.popup.is_some() || self.queue.is_empty() {
            return;
        }
        let id = self.queue.remove(0);
        let words = ["display-popup", "-E", "-w", "90%", "-h", "80%"];
        let call = [self.ways.program.clone().into_os_string(), "watch".into(), OsString::from(id)];
        let started = Command::new("tmux")
            .args(words)
            .args(call)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.popup = started.ok();
    }

    /// Lets go of child processes that have ended.
    fn reap(&mut self) {
        let runs = |child: &mut Child| matches!(child.try_wait(), Ok(None));
        self.popup.take_if(|popup| !runs(popup));
        self.started.retain_mut(runs);
    }
}

/// Starts the process that shows a notification. It soon parts from what it was started by, so that what its button starts does not
/// descend from the host: who does, cannot answer.
fn show(notice: &Notice) -> io::Result<(Child, ChildStdin)> {
    let mut process = Command::new("/proc/self/exe")
        .arg0("guarded-sh")
        .arg("announce")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let input = process.stdin.take();
    let mut input = input.ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
    let mut bytes = serde_json::to_vec(notice)?;
    bytes.push(b'\n');
    // It fits into the pipe, so that nobody is waited for.
    input.write_all(&bytes)?;
    Ok((process, input))
}

/// Returns what a notification says about a question.
#[must_use]
pub fn notice(entry: &Entry, open: &[String], language: Language) -> Notice {
    let question = &entry.question;
    let line = cut(&visible(&question.line), COLUMNS);
    let reason = cut(&visible(&language.meaning(&question.reason)), COLUMNS);
    let who = cut(&visible(&words::who(question, language)), COLUMNS / 4);
    let severity = language.severity(question.severity.name());
    let values = [("severity", severity.into()), ("id", entry.id.as_str().into())];
    Notice {
        title: language.tell("notice-asks", &values),
        body: escaped(&format!("{who}: {line}\n{reason}\nguarded-sh watch {}", entry.id)),
        stays: question.severity >= Severity::High,
        open: open.iter().map(|word| word.replace(ID, &entry.id)).collect(),
        button: language.say("notice-open").into_owned(),
    }
}

/// Text as the markup of notifications has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Question, Scope, Score};

    fn about(line: &str, severity: Severity) -> Entry {
        let question = Question {
            line: line.to_owned(),
            cwd: None,
            agent: Some("<b>claude</b>\x1b[31m".to_owned()),
            program: None,
            session: None,
            severity,
            score: Score::within(severity, 1),
            reason: "deletes & <forgets>".to_owned(),
            instead: None,
            findings: Vec::new(),
            held: None,
            opinion: None,
            recent: crate::model::Recent::default(),
            files: None,
            difference: None,
            anew: None,
            client: None,
            scope: Scope::default(),
        };
        Entry {
            id: "abcde".to_owned(),
            question,
            age: 0,
            state: crate::ipc::State::Waiting { left: None },
            trying: crate::model::Trying::Impossible,
            may_stop: false,
        }
    }

    #[test]
    fn a_notice_holds_no_markup_and_nothing_hidden_of_an_agent() {
        let open = ["foot", "-e", "guarded-sh", "watch", "{id}"].map(str::to_owned);
        let entry = about("rm <a href='x'>\x1b]0;y\x07\u{202e}\n&amp;", Severity::Medium);
        let told = notice(&entry, &open, Language::English);
        assert_eq!(told.title, "guarded-sh asks: medium (abcde)");
        assert_eq!(
            told.body,
            "&lt;b&gt;claude&lt;/b&gt;\\x1b[31m: rm &lt;a href='x'&gt;\\x1b]0;y\\x07\\u{202e}⏎&amp;amp;\n\
             deletes &amp; &lt;forgets&gt;\nguarded-sh watch abcde"
        );
        assert_eq!(told.open, ["foot", "-e", "guarded-sh", "watch", "abcde"]);
        assert!(!told.stays && notice(&entry, &[], Language::English).open.is_empty());
    }

    #[test]
    fn a_notice_is_short_enough_for_a_pipe() {
        for line in ["x".repeat(500_000), "\u{202e}<".repeat(100_000), "\n&".repeat(100_000)] {
            let told = notice(&about(&line, Severity::Critical), &[], Language::English);
            assert!(told.stays && serde_json::to_vec(&told).unwrap().len() < 4000);
        }
    }
}
