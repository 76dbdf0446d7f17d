//! What was judged to what is answered: where it needs a person, by an earlier yes, by the client's own question, or by the host's.
//! Judges nothing and records nothing.

use std::time::{Duration, Instant};

use super::fault::Fault;
use super::watch::Watch;
use super::{client, custom, difference, record, safe};
use crate::approval::words;
use crate::audit::{self, DecidedBy, Questioned};
use crate::hooks::{
    Agent, Call, Dialog, Event, Given, Handlers, Moment, Opinion, Presence, ToolKind, Work,
};
use crate::ipc::{Door, ToHost};
use crate::judge::Template;
use crate::language::Language;
use crate::model::{Action, Answer, Heard, Mode, Passed, Question};
use crate::observe::{self, TerminalState};
use crate::pipeline::ask::{self, Came, Patience, Said};
use crate::pipeline::opinion::{Asked, Second, Told};
use crate::pipeline::refusal::{nobody_here, permitted_by, unanswered};
use crate::pipeline::{Judgement, World, fence, pushed, question, quieter, recent, since};

/// What is left of the time for the record and the answer.
const OWN: Duration = Duration::from_millis(300);

/// A decision when nothing is left to ask here.
pub(super) struct Settled {
    pub(super) opinion: Opinion,
    pub(super) action: Action,
    pub(super) decided_by: DecidedBy,
    /// The line that a person wants in place of a shell's, which is denied.
    pub(super) instead: Option<String>,
    /// What has changed since it was asked about, where that is why the yes to it does not count.
    pub(super) anew: Option<String>,
    /// The call in its place by which it runs contained.
    pub(super) contained: Option<Call>,
    /// What a model said of it, if one was asked.
    pub(super) heard: Option<Heard>,
    /// The question that a person was asked at a host, if one was.
    pub(super) question: Option<Questioned>,
}

impl Settled {
    const fn new(opinion: Opinion, action: Action, decided_by: DecidedBy) -> Self {
        Self {
            opinion,
            action,
            decided_by,
            instead: None,
            anew: None,
            contained: None,
            heard: None,
            question: None,
        }
    }

    /// Whether it is a yes that took its time: a person at a host or a model was asked.
    const fn is_late_yes(&self) -> bool {
        matches!(self.action, Action::Allow) && (self.question.is_some() || self.heard.is_some())
    }

    /// The yes to it does not count, since this has changed.
    fn stale(self, what: String) -> Self {
        let reason = format!("{what} since it was asked about: run it again to have it asked anew");
        let reason = crate::approval::visible(&reason).into_owned();
        let denied = Self::denied(reason, DecidedBy::Policy);
        Self { anew: Some(what), heard: self.heard, question: self.question, ..denied }
    }

    /// It may run, by this call.
    pub(super) fn contained(call: Call) -> Self {
        let settled =
            Self::new(Opinion::Allow("runs contained"), Action::Contain, DecidedBy::Policy);
        Self { contained: Some(call), ..settled }
    }

    const fn observed() -> Self {
        Self::new(Opinion::None, Action::Allow, DecidedBy::Observed)
    }

    const fn allowed(decided_by: DecidedBy) -> Self {
        Self::new(Opinion::Allow(why(decided_by)), Action::Allow, decided_by)
    }

    const fn asked(reason: String) -> Self {
        Self::new(Opinion::Ask(reason), Action::Ask, DecidedBy::Client)
    }

    const fn denied(reason: String, decided_by: DecidedBy) -> Self {
        Self::new(Opinion::Deny(reason), Action::Deny, decided_by)
    }
}

/// Returns what is asked about a call of a tool of this kind.
const fn template(kind: ToolKind) -> Template {
    match kind {
        ToolKind::Shell => Template::Shell,
        ToolKind::Read => Template::Read,
        ToolKind::Write | ToolKind::Edit => Template::Write,
        ToolKind::Web => Template::Web,
        ToolKind::Mcp | ToolKind::Own => Template::Mcp,
    }
}

/// Returns why something may be done, in the words that a person reads in the client.
const fn why(decided_by: DecidedBy) -> &'static str {
    match decided_by {
        DecidedBy::Model => "a language model finds it within the task",
        DecidedBy::Grant | DecidedBy::Inherited | DecidedBy::Client => {
            "permitted by a person before"
        }
        by if by.is_person() => "permitted by a person",
        _ => "harmless",
    }
}

/// An event in its world.
pub(super) struct Case<'c> {
    pub(super) agent: &'static Agent,
    pub(super) event: &'c Event,
    pub(super) world: &'c World,
    pub(super) handlers: &'c Handlers<'c>,
    pub(super) watch: &'c Watch,
}

/// The part of the time that is left in which git is asked what a line pushes.
const PUSHED: u32 = 4;

impl Case<'_> {
    /// Decides, and takes a yes back that was given to what is no longer there. `judge` judges the same once more.
    pub(super) fn settle_anew(
        &self,
        judged: Option<(&Judgement, &Work)>,
        told: &custom::Told,
        judge: impl FnOnce(&Work) -> Result<Judgement, Fault>,
    ) -> Result<Settled, Fault> {
        let asked = judged.filter(|(judgement, _)| judgement.action > Action::Allow);
        let asked = asked.map(|asked| (since::Files::of(self.world, asked.0), asked));
        let settled = self.settle(judged, told);
        let Some((files, (judgement, work))) = asked.filter(|_| settled.is_late_yes()) else {
            return Ok(settled);
        };
        Ok(match files.changed(self.world, judgement, &judge(work)?) {
            Some(what) => settled.stale(what),
            None => settled,
        })
    }

    /// Decides without asking anybody: what a person would be asked about is left to the client where it asks its own, else refused.
    pub(super) fn settle_unasked(&self, judged: Option<(&Judgement, &Work)>) -> Settled {
        let is_open = |(judgement, work): &(&Judgement, &Work)| {
            self.event.moment.decides()
                && matches!(judgement.action, Action::Contain | Action::Ask)
                && !safe::is_called_safe(self.handlers, work, &self.world.judge.facts)
        };
        let Some((judgement, _)) = judged.filter(is_open) else {
            return self.settle(judged, &custom::Told::default());
        };
        let reason = reason(judgement);
        if self.world.terms().mode == Mode::Shadow || (self.agent.asks)(self.event) {
            return Settled::asked(reason);
        }
        let hint = nobody_here(None) + &self.permitted(judgement);
        Settled::denied(nobody(&reason, &hint), DecidedBy::Nobody)
    }

    /// Decides.
    fn settle(&self, judged: Option<(&Judgement, &Work)>, told: &custom::Told) -> Settled {
        if !self.event.moment.decides() {
            return Settled::observed();
        }
        let (action, decided_by, reason) = match judged {
            Some((judgement, work))
                if judgement.action == Action::Ask
                    && safe::is_called_safe(self.handlers, work, &self.world.judge.facts) =>
            {
                (Action::Allow, DecidedBy::Grant, String::new())
            }
            Some((judgement, _)) => (judgement.action, DecidedBy::Policy, reason(judgement)),
            None => (Action::Allow, DecidedBy::Observed, String::new()),
        };
        if let Some(stricter) = told.action.filter(|asked| *asked > action) {
            let reason = crate::approval::visible(&told.reason).into_owned();
            // Whatever was permitted before, the owner's program did not mean it.
            return match stricter {
                Action::Contain | Action::Ask if self.can_ask() => Settled::asked(reason),
                Action::Contain | Action::Ask => {
                    Settled::denied(nobody(&reason, &nobody_here(None)), DecidedBy::Nobody)
                }
                Action::Allow | Action::Deny => Settled::denied(reason, DecidedBy::Custom),
            };
        }
        match (action, judged) {
            (Action::Allow, Some((_, work))) => match work.kind {
                // The agent's own tools ask the person themselves; saying that they may would answer in the person's place.
                ToolKind::Own => Settled { opinion: Opinion::None, ..Settled::allowed(decided_by) },
                _ if work.given == Given::Known => Settled::allowed(decided_by),
                _ => Settled { opinion: Opinion::None, ..Settled::allowed(decided_by) },
            },
            (Action::Allow, None) => Settled::observed(),
            // A hook runs nothing: what is left of these here cannot be contained.
            (Action::Contain | Action::Ask, Some((judgement, work))) => {
                self.ask(judgement, work, reason)
            }
            (Action::Contain | Action::Ask, None) => {
                Settled::denied(nobody(&reason, &nobody_here(None)), DecidedBy::Nobody)
            }
            (Action::Deny, _) => Settled::denied(reason, decided_by),
        }
    }

    /// Finds who says yes or no.
    fn ask(&self, judgement: &Judgement, work: &Work, reason: String) -> Settled {
        if self.world.terms().mode == Mode::Shadow {
            // Nothing binds, so nobody is asked.
            return Settled::asked(reason);
        }
        let Some(question) = self.question(judgement, work) else {
            return Settled::denied(nobody(&reason, &nobody_here(None)), DecidedBy::Nobody);
        };
        let until = Instant::now() + self.watch.left().saturating_sub(OWN);
        let asks = self.can_ask();
        let patience = if asks { Patience::None } else { Patience::Some };
        let session = question.session.clone();
        let second = |left: Duration| {
            let is_whole = work.line.is_some() && work.deeds.is_empty();
            let told = if is_whole { Told::Whole } else { Told::Part };
            let call = self.event.call.as_ref();
            let description = call.and_then(|call| call.input.get("description")?.as_str());
            let template = template(work.kind);
            let asked = Asked { line: &question.line, told, template, description };
            Second::begin(self.world, judgement, asked, session.as_deref(), left)
        };
        let came = ask::by_hook(self.world, &question, patience, until, second);
        // Where nobody is asked here, a model is waited for: the client asks its person after it.
        let left = until.saturating_duration_since(Instant::now());
        let (mut said, mut heard, put) = match came {
            Some(Came { said, heard, question, .. }) => (Some(said), heard, question),
            None => (None, None, None),
        };
        let is_open = heard.is_none() && matches!(said, None | Some(Said::Nothing(_)));
        if let Some(second) = is_open.then(|| second(left)).flatten() {
            let weighed = second.wait();
            heard = Some(weighed.heard);
            said = weighed.settled.map(Said::Settled).or(said);
        }
        let reason = match &heard {
            Some(heard) => {
                format!(
                    "{reason}; {}",
                    crate::approval::visible(&words::heard(heard, Language::English))
                )
            }
            None => reason,
        };
        let settled = match said {
            Some(Said::Settled(_)) => {
                self.tell_asked(question, work, until);
                Settled::allowed(DecidedBy::Model)
            }
            Some(Said::Passed(by)) => Settled::allowed(match by {
                Passed::Once | Passed::Session => DecidedBy::Grant,
                Passed::Inherited => DecidedBy::Inherited,
                Passed::Client => DecidedBy::Client,
            }),
            Some(Said::Answer(answer, _)) => answered(answer, &judgement.assessment.reason),
            Some(Said::Nothing(_)) if asks => {
                self.tell_asked(question, work, until);
                Settled::asked(reason)
            }
            None if asks => Settled::asked(reason),
            Some(Said::Nothing(why)) => {
                let hint = unanswered(&why) + &self.permitted(judgement);
                Settled::denied(nobody(&reason, &hint), DecidedBy::Nobody)
            }
            None => {
                let hint = nobody_here(None) + &self.permitted(judgement);
                Settled::denied(nobody(&reason, &hint), DecidedBy::Nobody)
            }
        };
        Settled { heard, question: put, ..settled }
    }

    /// Says behind a hint by which command of the user such a line runs from then on, if there is one.
    fn permitted(&self, judgement: &Judgement) -> String {
        let command = quieter::permitting(self.world, judgement);
        command.map(|command| format!("; {}", permitted_by(&command))).unwrap_or_default()
    }

    /// Tells the host that the client's shell may run a line if the client has it run: it asks its person, or need not.
    fn tell_asked(&self, question: Question, work: &Work, until: Instant) {
        if self.is_the_clients(work) {
            let question = Box::new(question);
            // Where the host does not take it, the shell asks again.
            let _ = ask::say(self.world, &ToHost::Asked { question }, until);
        }
    }

    /// Tells the host what a line leaves that may run now.
    pub(super) fn note(&self, judgement: &Judgement) {
        let until = Instant::now() + self.watch.left().saturating_sub(OWN);
        recent::note(self.world, judgement, Door::Hook, until);
    }

    /// Returns whether the client itself says that it is about to have a shell run this, and asks its person before it does. An event
    /// from anywhere else than the client, as from a file, an agent could have written.
    fn is_the_clients(&self, work: &Work) -> bool {
        work.kind == ToolKind::Shell
            && self.event.moment == Moment::BeforeTool
            && self.event.dialog == Dialog::Person
            && client::says(self.agent)
    }

    /// The question for the host: a line as the shell will ask about it; of another tool, also what it is given, so that a yes is for
    /// nothing else.
    fn question(&self, judgement: &Judgement, work: &Work) -> Option<Question> {
        let line = match (&work.line, &self.event.call) {
            (Some(line), _) => line.clone(),
            (None, Some(call)) => {
                let digest = audit::sha256(call.input.to_string().as_bytes());
                format!("{} # what it is given: sha256 {digest}", work.told())
            }
            (None, None) => work.told(),
        };
        let session = record::session(self.world, self.agent, self.event);
        let question = question::of(judgement, &self.world.judge.facts, session)?;
        // What holds a shell's line holds no other tool.
        let is_line = work.line.is_some();
        let held = is_line.then(|| fence::foreseen(self.world, judgement)).flatten();
        let difference = difference::of(work, &self.world.judge.facts);
        let question = Question { line, held, difference, ..question };
        let until = Instant::now() + self.watch.left() / PUSHED;
        Some(if is_line { pushed::shown(self.world, judgement, question, until) } else { question })
    }

    /// Tells the host what ends by this event, if there is one: where there is none, there is nothing to forget.
    pub(super) fn tell_host(&self) {
        let message = match self.event.moment {
            Moment::SessionEnd => ToHost::Closes,
            _ if self.event.ends_turn() => ToHost::TurnEnds,
            _ => return,
        };
        let until = Instant::now() + self.watch.left().saturating_sub(OWN);
        let _ = ask::say(self.world, &message, until);
    }

    /// Whether the client asks its person when it is told to.
    fn can_ask(&self) -> bool {
        let Self { agent, event, world, .. } = self;
        let is_alone = agent.unattended.iter().any(|(name, start)| {
            world.environment.get(name).is_some_and(|value| value.starts_with(start))
        });
        let presence = match agent.shares_terminal.then(observe::terminal) {
            _ if is_alone => Presence::Nobody,
            Some(TerminalState::None) => Presence::Nobody,
            Some(TerminalState::Drawn) => Presence::Sees,
            Some(TerminalState::Plain) | None => event.presence,
        };
        (agent.asks)(&Event { presence, ..(*event).clone() })
    }
}

/// What a person answered at the host.
fn answered(answer: Answer, reason: &str) -> Settled {
    match answer {
        Answer::Once => Settled::allowed(DecidedBy::PersonOnce),
        Answer::Session { .. } => Settled::allowed(DecidedBy::PersonSession),
        Answer::Always => Settled::allowed(DecidedBy::PersonAlways),
        Answer::Edit { line } => {
            let settled = Settled::denied(wanted(&line), DecidedBy::PersonEdit);
            Settled { instead: Some(line), ..settled }
        }
        // A host takes that only of who can carry it out.
        Answer::Keep => {
            let why = "what it did when it was tried cannot be kept: the agent runs it itself";
            Settled::denied(why.to_owned(), DecidedBy::PersonDeny)
        }
        Answer::Stop => {
            let reason = crate::approval::visible(reason);
            let reason = format!("a person said no, and ends the agent ({reason})");
            Settled::denied(reason, DecidedBy::PersonDeny)
        }
        // What the person said is what to do; any word of ours could say the contrary.
        Answer::Deny { message: Some(words) } => {
            let said = format!("a person said no, who says: {words} ({reason})");
            let said = crate::approval::visible(&said).into_owned();
            Settled::denied(said, DecidedBy::PersonDeny)
        }
        Answer::Deny { message: None } => {
            let reason = crate::approval::visible(reason);
            let reason = format!(
                "a person said no ({reason}); do not run it again, nor the same by other means"
            );
            Settled::denied(reason, DecidedBy::PersonDeny)
        }
    }
}

/// Why a line is refused in whose place a person wants another.
pub(super) fn wanted(line: &str) -> String {
    let line = crate::approval::visible(line);
    format!("a person changed this line, and wants this run in its place: {line}")
}

/// Why it is refused where nobody answered, and what can be done.
fn nobody(reason: &str, hint: &str) -> String {
    format!("{reason}; {}", crate::approval::visible(hint))
}

/// Why, and what could be done instead, for the agent and for the person that it asks.
fn reason(judgement: &Judgement) -> String {
    let assessment = &judgement.assessment;
    let mut text = assessment.reason.clone();
    if judgement.action != Action::Allow {
        let instead = assessment.instead.as_ref().map(|instead| format!("; instead: {instead}"));
        let hint = instead.or_else(|| assessment.suggestion.as_ref().map(|s| format!("; {s}")));
        text.push_str(&hint.unwrap_or_default());
        text.extend(judgement.note.iter().flat_map(|note| ["; ", note.as_str()]));
    }
    crate::approval::visible(&text).into_owned()
}
