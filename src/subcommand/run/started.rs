//! What an agent's own processes start besides its shells: recorded, and said where that went past the guard, had to be ended, or nobody
//! can watch.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::approval::text::wrapped;
use crate::approval::visible;
use crate::audit::{self, DecidedBy, Door, Earlier, Line, NotedFinding, Record};
use crate::host::relay::{Page, Purpose};
use crate::host::starts::{Start, What};
use crate::model::{Action, Finding, Severity};
use crate::pipeline::{Judgement, Request, Stop, World};

/// For how long something is said over the screen.
const SAID: Duration = Duration::from_secs(20);
/// How long it stays at least, whatever the person types to the agent meanwhile.
const READ: Duration = Duration::from_secs(2);
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
    /// Since when what is new of it is seen there.
    said_since: Option<Instant>,
}

/// Where something is said.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Over the screen.
    Screen,
    /// On standard error: there is no screen that can be drawn to.
    Stderr,
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
    place: Place,
    /// Until when it stays over the screen; none until it is seen there.
    until: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Happened {
    Ran,
    Ended,
    Untold,
    Unseen,
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
            (Happened::Unseen, _) => {
                format!(
                    "nobody looks any more which shells {agent} starts: the process that looked has ended"
                )
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
            said_since: None,
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

    /// Takes what was started; returns what is new of what the person should know.
    pub(super) fn take(&mut self, start: &Start, place: Place) -> Option<String> {
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
        self.say(what, (program, first, why), more, place)
    }

    /// Takes that nobody looks any more at what is started; returns what the person should know of that.
    pub(super) fn unseen(&mut self, place: Place) -> Option<String> {
        self.say(Happened::Unseen, <(String, String, String)>::default(), 1, place)
    }

    /// Says what happened to a program, with its line and why that matters; returns it where it is new.
    fn say(
        &mut self,
        what: Happened,
        (program, first, why): (String, String, String),
        more: usize,
        place: Place,
    ) -> Option<String> {
        let known = self.said.iter().position(|said| said.what == what && said.program == program);
        let said = if let Some(known) = known {
            &mut self.said[known]
        } else {
            if self.said.len() >= MOST {
                self.said.remove(0);
            }
            self.said.push(Said { what, program, first, why, times: 0, place, until: None });
            self.said.last_mut()?
        };
        // The first of them, and then each time that they are ten times as many.
        let figures = |times: usize| times.checked_ilog10();
        let is_new = figures(said.times) != figures(said.times + more);
        (said.times, said.until) = (said.times + more, None);
        let text = said.text(&self.agent);
        if is_new {
            self.said_since = None;
            if place == Place::Stderr {
                say(&text);
            }
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
        self.said.retain(|said| said.until.is_none_or(|until| now < until));
        for said in self.said.iter_mut().filter(|said| said.until.is_none()) {
            said.until = Some(now + SAID);
            self.said_since.get_or_insert(now);
        }
        let texts = self.said.iter().map(|said| format!("guarded-sh: {}", said.text(&self.agent)));
        let rows = texts.flat_map(|text| wrapped(&text, columns).into_iter().take(ROWS / 2));
        let rows: Vec<Vec<u8>> =
            rows.take(ROWS).map(|row| format!("\x1b[7m{row}\x1b[m").into_bytes()).collect();
        (!rows.is_empty()).then_some(Page { purpose: Purpose::Say, rows, cursor: None })
    }

    /// Returns when something that is said is no longer.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.said.iter().filter_map(|said| said.until).min()
    }

    /// Takes that the person went on: they have seen it, if it was there for long enough.
    pub(super) fn passed(&mut self, now: Instant) {
        if self.said_since.is_some_and(|since| now >= since + READ) {
            self.said.clear();
        }
    }
}

/// What was over the screen when the session ended is still said: an agent may end as soon as it has done it.
impl Drop for Started {
    fn drop(&mut self) {
        for said in self.said.iter().filter(|said| said.place == Place::Screen) {
            say(&said.text(&self.agent));
        }
    }
}

/// Records a program that nobody judged before it ran, with what would be said of it; returns why a person would be asked, if so.
fn note(session: &str, start: &Start, action: Action) -> Result<Option<String>, Stop> {
    let world = World::at(start.cwd.clone())?;
    let line = shell_words::join(&start.words);
    let judgement = world.judge(&Request::about(line.as_bytes()))?;
    let line = Line::new(line.as_ref());
    let findings = NotedFinding::of(&judgement.assessment.findings, &line);
    let why = matter(&judgement);
    world.record(&Record {
        time: audit::now(),
        door: Door::Program,
        session: Some(session.to_owned()),
        caller: None,
        pid: start.process.cast_unsigned(),
        site: world.site(),
        cwd: start.cwd.clone(),
        line,
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
        ran: None,
        opinion: None,
        question: None,
        client: None,
        ended: None,
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

/// Says something on standard error.
pub(super) fn say(text: &str) {
    // Where the terminal is relayed, a new line does not begin at the left.
    let end = if io::stderr().is_terminal() { "\r\n" } else { "\n" };
    // Nothing is left to do if stderr is gone.
    let _ = write!(io::stderr(), "guarded-sh: {text}{end}");
}
