//! What an agent's own processes start besides its shells: recorded, and said where something had to be ended, or nobody can watch.

use std::collections::HashSet;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::approval::text::wrapped;
use crate::approval::visible;
use crate::audit::{self, DecidedBy, Door, Earlier, Line, NotedFinding, Record};
use crate::host::relay::Page;
use crate::host::starts::{Start, What};
use crate::pipeline::{Request, Stop, World};

/// For how long it is said over the screen that something was ended.
const SAID: Duration = Duration::from_secs(20);
/// Different starts of which it is known that they are recorded.
const KNOWN: usize = 4096;

/// What was started in a session.
pub(super) struct Started {
    session: String,
    /// Whether the agent does not run where its processes cannot be watched.
    requires_guard: bool,
    /// The shell that is not the guard and that the agent's settings name, in a sentence.
    other_shell: Option<String>,
    /// What is recorded: where it was started, and its words.
    recorded: HashSet<(Option<String>, Vec<String>)>,
    /// Whether it was said that something is not recorded.
    is_unrecorded: bool,
    /// What was ended last, how often something was, and until when that is said.
    ended: Option<(String, usize, Instant)>,
}

impl Started {
    pub(super) fn new(session: &str, requires_guard: bool, other_shell: Option<String>) -> Self {
        Self {
            session: session.to_owned(),
            requires_guard,
            other_shell,
            recorded: HashSet::new(),
            is_unrecorded: false,
            ended: None,
        }
    }

    /// Takes that nobody can watch; returns whether the agent runs all the same.
    pub(super) fn unwatched(&self, why: &io::Error) -> bool {
        if !self.requires_guard {
            let open = match &self.other_shell {
                Some(shell) => shell.clone(),
                None => "a shell that it starts by another way than SHELL and PATH is not guarded"
                    .to_owned(),
            };
            say(&format!("what the agent starts cannot be watched here ({why}): {open}"));
        }
        !self.requires_guard
    }

    /// Takes what was started. `is_drawn` says whether something can be said over the screen.
    pub(super) fn take(&mut self, start: &Start, is_drawn: bool) {
        match &start.what {
            // The guard records it itself.
            What::Guarded => {}
            What::Ran => self.record(start),
            What::Ended(why) => {
                let words = shell_words::join(&start.words);
                let text = format!("ended '{}', which the agent started: {why}", visible(&words));
                if !is_drawn {
                    return say(&text);
                }
                let times = self.ended.as_ref().map_or(0, |(_, times, _)| *times) + 1;
                self.ended = Some((text, times, Instant::now() + SAID));
            }
        }
    }

    fn record(&mut self, start: &Start) {
        let call = (start.cwd.clone(), start.words.clone());
        if self.recorded.len() >= KNOWN {
            self.recorded.clear();
        }
        if !self.recorded.insert(call) {
            return;
        }
        if let Err(stop) = note(&self.session, start)
            && !std::mem::replace(&mut self.is_unrecorded, true)
        {
            say(&format!("not recorded, what the agent starts: {}", stop.reason()));
        }
    }

    /// Returns what is to be said over the screen.
    pub(super) fn page(&mut self, columns: usize, now: Instant) -> Option<Page> {
        let (text, times, until) = self.ended.as_ref()?;
        if now >= *until {
            self.ended = None;
            return None;
        }
        let more = if *times > 1 { format!(" ({times} times)") } else { String::new() };
        let rows = wrapped(&format!("guarded-sh: {text}{more}"), columns);
        let rows = rows.into_iter().take(4).map(|row| format!("\x1b[7m{row}\x1b[m").into_bytes());
        Some(Page { rows: rows.collect(), cursor: None })
    }

    /// Returns when something that is said is no longer.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.ended.as_ref().map(|(_, _, until)| *until)
    }

    /// Takes that the person has seen it.
    pub(super) fn seen(&mut self) {
        self.ended = None;
    }
}

/// Records a program that nobody judged before it ran, with what would be said of it.
fn note(session: &str, start: &Start) -> Result<(), Stop> {
    let world = World::at(start.cwd.clone())?;
    let line = shell_words::join(&start.words);
    let judgement = world.judge(&Request::about(line.as_bytes()))?;
    world.record(&Record {
        time: audit::now(),
        door: Door::Program,
        session: Some(session.to_owned()),
        caller: None,
        pid: start.process.cast_unsigned(),
        cwd: start.cwd.clone(),
        line: Line::new(line.as_ref()),
        frame: None,
        earlier: Earlier::No,
        action: crate::model::Action::Allow,
        severity: judgement.assessment.severity,
        score: judgement.assessment.score,
        findings: NotedFinding::of(&judgement.assessment.findings),
        scripts: Vec::new(),
        decided_by: DecidedBy::Observed,
        mode: world.terms().mode,
        micros: judgement.micros,
        hook: None,
    })
}

fn say(text: &str) {
    // Where the terminal is relayed, a new line does not begin at the left.
    let end = if io::stderr().is_terminal() { "\r\n" } else { "\n" };
    // Nothing is left to do if stderr is gone.
    let _ = write!(io::stderr(), "guarded-sh: {text}{end}");
}
