//! What an agent's own processes start besides its shells: recorded, and said where that went past the guard, had to be ended, or nobody
//! can watch.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::approval::text::wrapped;
use crate::approval::visible;
use crate::audit::{self, DecidedBy, Door, Earlier, Line, NotedFinding, Record};
use crate::host::relay::Page;
use crate::host::starts::{Start, What};
use crate::model::{Action, Finding, Severity};
use crate::pipeline::{Judgement, Request, Stop, World};

/// For how long something is said over the screen.
const SAID: Duration = Duration::from_secs(20);
/// Different starts of which it is known that they are recorded.
const KNOWN: usize = 4096;
/// Different things that are said over the screen at once, and rows of them.
const MOST: usize = 3;
const ROWS: usize = 6;

/// What was started in a session.
pub(super) struct Started {
    session: String,
    /// What the person started, as it is called.
    agent: String,
    /// Whether the agent does not run where its processes cannot be watched.
    requires_guard: bool,
    /// The shell that is not the guard and that the agent's settings name, in a sentence.
    other_shell: Option<String>,
    /// What is recorded, with what is to be said of it: where it was started, and its words.
    recorded: HashMap<(Option<String>, Vec<String>), Option<String>>,
    /// Whether it was said that something is not recorded.
    is_unrecorded: bool,
    /// What is said over the screen.
    said: Vec<Said>,
}

/// Something that is said, as often as it happens.
struct Said {
    /// What happened, to which program.
    what: Happened,
    program: String,
    /// The line with which it happened first, and why that matters.
    first: String,
    why: String,
    times: usize,
    until: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Happened {
    Ran,
    Ended,
    Untold,
}

impl Said {
    fn text(&self, agent: &str) -> String {
        let Self { program, first, why, times, .. } = self;
        match (self.what, times) {
            (Happened::Ran, 1) => format!("{agent} ran '{first}' unguarded: {why}"),
            (Happened::Ran, _) => {
                format!("{agent} ran {program} unguarded, {times} times, first: '{first}': {why}")
            }
            (Happened::Ended, 1) => format!("ended '{first}', which {agent} started: {why}"),
            (Happened::Ended, _) => {
                format!(
                    "ended {program}, which {agent} started, {times} times, first: '{first}': {why}"
                )
            }
            (Happened::Untold, _) => {
                format!("{agent} starts too many programs at once: {times} were not looked at")
            }
        }
    }
}

impl Started {
    pub(super) fn new(
        session: &str,
        agent: &str,
        requires_guard: bool,
        other_shell: Option<String>,
    ) -> Self {
        Self {
            session: session.to_owned(),
            agent: visible(agent).into_owned(),
            requires_guard,
            other_shell,
            recorded: HashMap::new(),
            is_unrecorded: false,
            said: Vec::new(),
        }
    }

    /// Takes that nobody can watch; returns whether the agent runs all the same.
    pub(super) fn unwatched(&self, why: &io::Error) -> bool {
        if !self.requires_guard {
            let open = match &self.other_shell {
                Some(shell) => shell.clone(),
                None => "a shell that it starts by another way than SHELL and PATH is not guarded, and only said where it is seen"
                    .to_owned(),
            };
            say(&format!("what the agent starts cannot be watched here ({why}): {open}"));
        }
        !self.requires_guard
    }

    /// Takes what was started; returns what is new of what the person should know. `is_drawn` says whether something can be said over
    /// the screen.
    pub(super) fn take(&mut self, start: &Start, is_drawn: bool) -> Option<String> {
        let (what, why, more) = match &start.what {
            // The guard records it itself.
            What::Guarded => return None,
            What::Ran => (Happened::Ran, self.record(start, Action::Allow)?, 1),
            What::Passed => {
                self.record(start, Action::Allow);
                (Happened::Ran, "it is a shell, and nothing of it was judged".to_owned(), 1)
            }
            What::Ended(why) => {
                self.record(start, Action::Deny);
                (Happened::Ended, why.clone(), 1)
            }
            What::Untold(count) => (Happened::Untold, String::new(), *count),
        };
        let program = visible(start.words.first().map_or("", String::as_str)).into_owned();
        let first = visible(&shell_words::join(&start.words)).into_owned();
        let until = Instant::now() + SAID;
        let place = self.said.iter().position(|said| said.what == what && said.program == program);
        let said = if let Some(place) = place {
            &mut self.said[place]
        } else {
            if self.said.len() >= MOST {
                self.said.remove(0);
            }
            self.said.push(Said { what, program, first, why, times: 0, until });
            self.said.last_mut()?
        };
        // The first of them, and then each time that they are ten times as many.
        let figures = |times: usize| times.checked_ilog10();
        let is_new = figures(said.times) != figures(said.times + more);
        (said.times, said.until) = (said.times + more, until);
        let text = said.text(&self.agent);
        if is_new && !is_drawn {
            say(&text);
        }
        is_new.then_some(text)
    }

    /// Records a start, once; returns why it matters that it was not judged before, if it does.
    fn record(&mut self, start: &Start, action: Action) -> Option<String> {
        let call = (start.cwd.clone(), start.words.clone());
        if let Some(known) = self.recorded.get(&call) {
            return known.clone();
        }
        let why = note(&self.session, start, action).unwrap_or_else(|stop| {
            if !std::mem::replace(&mut self.is_unrecorded, true) {
                say(&format!("not recorded, what the agent starts: {}", stop.reason()));
            }
            None
        });
        if self.recorded.len() >= KNOWN {
            self.recorded.clear();
        }
        self.recorded.insert(call, why.clone());
        why
    }

    /// Returns what is to be said over the screen.
    pub(super) fn page(&mut self, columns: usize, now: Instant) -> Option<Page> {
        self.said.retain(|said| now < said.until);
        let texts = self.said.iter().map(|said| format!("guarded-sh: {}", said.text(&self.agent)));
        let rows = texts.flat_map(|text| wrapped(&text, columns).into_iter().take(ROWS / 2));
        let rows: Vec<Vec<u8>> =
            rows.take(ROWS).map(|row| format!("\x1b[7m{row}\x1b[m").into_bytes()).collect();
        (!rows.is_empty()).then_some(Page { rows, cursor: None })
    }

    /// Returns when something that is said is no longer.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.said.iter().map(|said| said.until).min()
    }

    /// Takes that the person has seen it.
    pub(super) fn seen(&mut self) {
        self.said.clear();
    }
}

/// Records a program that nobody judged before it ran, with what would be said of it; returns why a person would be asked, if so.
fn note(session: &str, start: &Start, action: Action) -> Result<Option<String>, Stop> {
    let world = World::at(start.cwd.clone())?;
    let line = shell_words::join(&start.words);
    let judgement = world.judge(&Request::about(line.as_bytes()))?;
    let findings = NotedFinding::of(&judgement.assessment.findings);
    let why = matter(&judgement);
    world.record(&Record {
        time: audit::now(),
        door: Door::Program,
        session: Some(session.to_owned()),
        caller: None,
        pid: start.process.cast_unsigned(),
        site: world.site(),
        cwd: start.cwd.clone(),
        line: Line::new(line.as_ref()),
        frame: None,
        earlier: Earlier::No,
        action,
        severity: judgement.assessment.severity,
        score: judgement.assessment.score,
        findings,
        scripts: Vec::new(),
        decided_by: DecidedBy::Observed,
        mode: world.terms().mode,
        micros: judgement.micros,
        hook: None,
        purpose: None,
        fence: None,
        undo: None,
        opinion: None,
        question: None,
    })?;
    Ok(why)
}

/// Returns why it matters that a program ran, if it does: what it is itself known to do, or to the guard. What it starts is watched when it
/// starts. How it was started, and that little is known of it, does not matter: agents have programs of their own, and start others with
/// settings that no person would give.
fn matter(judgement: &Judgement) -> Option<String> {
    let Judgement { plan, assessment, .. } = judgement;
    let is_own = |subject: &Option<usize>| {
        subject.is_none_or(|index| plan.commands.get(index).is_none_or(|own| own.via.is_empty()))
    };
    let matters = |finding: &Finding| {
        let rule = finding.rule.as_str();
        let is_effect =
            rule.starts_with("effect.") && !["effect.execute", "effect.unknown"].contains(&rule);
        // An agent that it starts is watched as it is.
        let is_ours = rule.starts_with("self.") && !rule.starts_with("self.around.");
        finding.severity >= Severity::Medium && (is_effect || is_ours)
    };
    let mut findings = assessment.findings.iter().zip(&assessment.subjects);
    let found = findings.find(|(finding, subject)| is_own(subject) && matters(finding))?;
    Some(found.0.reason.clone())
}

fn say(text: &str) {
    // Where the terminal is relayed, a new line does not begin at the left.
    let end = if io::stderr().is_terminal() { "\r\n" } else { "\n" };
    // Nothing is left to do if stderr is gone.
    let _ = write!(io::stderr(), "guarded-sh: {text}{end}");
}
