//! The person: has a host running, hears its questions, and answers them from a terminal that no agent stands above.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use crate::page::Page;
use crate::rows::Deed;
use crate::stage::WORK;
use crate::tmux::Tmux;

/// `guarded-sh serve`, and the ids of its questions as they come.
pub struct Host {
    child: Child,
    questions: Receiver<String>,
    page: Option<Page>,
}

impl Host {
    /// Starts it, and waits until it listens.
    pub fn start() -> Self {
        let mut child = Command::new("guarded-sh")
            .arg("serve")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        assert!(first.starts_with("listens"), "{first}");
        let (sender, questions) = channel();
        std::thread::spawn(move || {
            // A question is a line with its id first.
            for line in lines.map_while(Result::ok).filter(|line| line.contains(" waits ")) {
                let id = line.split_whitespace().next().unwrap_or_default().to_owned();
                if sender.send(id).is_err() {
                    return;
                }
            }
        });
        Self { child, questions, page: None }
    }

    /// Returns the next question's id, if there is one.
    pub fn question(&self) -> Option<String> {
        self.questions.try_recv().ok()
    }

    /// Does something about a question.
    pub fn act(&mut self, id: &str, deed: &Deed) {
        let (word, options) = match deed {
            Deed::Approve(options) => ("approve", options),
            Deed::Deny(options) => ("deny", options),
            Deed::Edit(line) => return edit(id, line),
            Deed::Page(answer) => {
                return self.page.get_or_insert_with(Page::open).answer(id, answer);
            }
            Deed::Kill => {
                self.child.kill().unwrap();
                self.child.wait().unwrap();
                return;
            }
        };
        let words = [&["guarded-sh", word, id].map(str::to_owned), options.as_slice()].concat();
        let said = at_terminal(&words);
        assert!(said.0, "{words:?}: {}", said.1);
    }
}

/// Puts another line in the place of a question's, at a terminal of the person's own.
fn edit(id: &str, line: &str) {
    let variables = ["PATH", "HOME", "XDG_RUNTIME_DIR"];
    let variables = variables.map(|name| format!("{name}='{}'", std::env::var(name).unwrap()));
    let command = format!("exec env {} guarded-sh watch {id}", variables.join(" "));
    let tmux = Tmux::start(100, 30, Path::new("/tmp"), &command);
    tmux.wait_for("guarded-sh asks");
    // What is only half drawn does not say yet whether keys count.
    tmux.settled();
    tmux.wait("the moment", |screen| !screen.contains("one moment"));
    tmux.keys(&["e"]);
    tmux.wait_for("Edit the line");
    tmux.settled();
    tmux.wait("the moment", |screen| !screen.contains("one moment"));
    tmux.keys(&["C-u"]);
    tmux.literal(line);
    tmux.wait_for(line);
    tmux.settled();
    tmux.keys(&["Enter"]);
    assert_eq!(tmux.ended(), "0", "{}", tmux.plain());
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Calls a program at a terminal of the person's own; returns whether it succeeded, and what it said.
pub fn at_terminal(words: &[String]) -> (bool, String) {
    let line = words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''")));
    let line = line.collect::<Vec<_>>().join(" ");
    let ended = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (ended.status.success(), String::from_utf8_lossy(&ended.stdout).into_owned())
}

/// Makes a client of the bridge that may use the workspace, and returns its token.
pub fn token() -> String {
    let mount = format!("--mount=/workspace={WORK}");
    let words = ["guarded-sh", "mcp", "clients", "add", "box", &mount].map(str::to_owned);
    let (success, said) = at_terminal(&words);
    assert!(success, "{said}");
    said.split_whitespace().find(|word| word.starts_with("gsm_")).unwrap().to_owned()
}
