//! Sessions of agents as `tests/sessions/*.toml` write them down: a project, what an agent does there step by step, and at which steps a
//! person is asked. Says what stands there; how it is played is for those who play it.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

/// The code host that the project was cloned from. It answers nobody.
pub const REMOTE: &str = "https://git.example.com/acme/project.git";

/// How the project becomes a repository, in its directory.
pub const BEGIN: &str = "git init -q -b main . && git remote add origin \"$1\" && git add -A && git commit -q -m 'as it is' \
                         && git update-ref refs/remotes/origin/main HEAD";

/// Who commits.
pub const GIT_SETTINGS: &str = "[user]\n\tname = Dev\n\temail = dev@example.com\n";

/// One session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Its name, which is that of its file.
    #[serde(skip)]
    pub name: String,
    /// The project's files when it starts.
    pub files: BTreeMap<String, String>,
    /// Programs that a machine need not have, and what stands for each where a line really runs: a script of sh.
    #[allow(dead_code, reason = "where lines do not run nothing needs them")]
    #[serde(default)]
    pub programs: BTreeMap<String, String>,
    /// What the agent does, in order.
    pub step: Vec<Step>,
}

/// One call of a tool, which is what the one of these keys says that it has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Runs a line; `{work}` in it is the project's directory.
    run: Option<String>,
    /// Reads a file.
    read: Option<String>,
    /// Writes a file, with this text.
    write: Option<String>,
    text: Option<String>,
    /// Edits a file that was read: what is old in it becomes new.
    edit: Option<String>,
    old: Option<String>,
    new: Option<String>,
    /// Whether the line goes on in the background.
    #[serde(default)]
    background: bool,
    /// What a line does to the project that steps after it need, where lines do not really run: another line, which every machine can run.
    #[allow(dead_code, reason = "where lines run nothing needs it")]
    #[serde(default)]
    pub real: Option<String>,
    /// Part of what a person is told, if one is asked.
    #[serde(default)]
    pub asks: Option<String>,
    /// Why nobody should be asked, where that is so: an honest mark, and a fault of ours.
    #[serde(default)]
    pub needless: Option<String>,
    /// By what a question is spared where the owner has set all that spares questions.
    #[allow(dead_code, reason = "one of those who play sessions has no such owner")]
    #[serde(default)]
    pub spared: Option<Spared>,
}

/// By what a question is spared.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Spared {
    /// The line runs in a container.
    Contained,
    /// The line runs as it is: what it destroys is kept, or the owner permits it.
    Allowed,
}

/// What a step is.
pub enum Act<'s> {
    Run { line: String, background: bool },
    Read { path: &'s str },
    Write { path: &'s str, text: &'s str },
    Edit { path: &'s str, old: &'s str, new: &'s str },
}

impl Session {
    /// Reads the session of a file.
    pub fn read(path: &Path) -> Self {
        let mut session: Self = crate::sheets::read(path);
        path.file_stem().unwrap().to_str().unwrap().clone_into(&mut session.name);
        for (number, step) in session.step.iter().enumerate() {
            let is_mark_of_a_question = step.needless.is_none() || step.asks.is_some();
            assert!(
                is_mark_of_a_question,
                "{} {number} is needless, and does not ask",
                session.name
            );
        }
        session
    }

    /// Returns how many steps ask needlessly.
    pub fn needless(&self) -> usize {
        self.step.iter().filter(|step| step.needless.is_some()).count()
    }
}

impl Step {
    /// Returns what is done in a project that is there.
    pub fn act(&self, work: &str) -> Act<'_> {
        #[allow(clippy::ref_option, reason = "it is a function of a field")]
        fn part(part: &Option<String>) -> Option<&str> {
            part.as_deref()
        }
        let all = [part(&self.run), part(&self.read), part(&self.write), part(&self.edit)];
        match all {
            [Some(line), None, None, None] => {
                let line = line.trim_matches('\n').replace("{work}", work);
                Act::Run { line, background: self.background }
            }
            [None, Some(path), None, None] => Act::Read { path },
            [None, None, Some(path), None] => {
                Act::Write { path, text: part(&self.text).expect("what is written") }
            }
            [None, None, None, Some(path)] => {
                let (old, new) = (part(&self.old), part(&self.new));
                Act::Edit { path, old: old.expect("what is old"), new: new.expect("what is new") }
            }
            _ => panic!("a step that is not one thing: {all:?}"),
        }
    }

    /// Returns what is wrong where a step was answered so, if anything is.
    pub fn fault(&self, asked: bool, reason: &str) -> Option<String> {
        match &self.asks {
            None => asked.then(|| format!("asks: {reason}")),
            Some(_) if !asked => Some("does not ask".to_owned()),
            Some(part) => (!reason.contains(part)).then(|| format!("asks otherwise: {reason}")),
        }
    }
}
