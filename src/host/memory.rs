//! The memory of a session: questions in their order, answers, and what they cover. A machine without clock or sockets: time, chance and
//! what is known of processes are passed in.
//!
//! A question waits until the one who asked hangs up, and then stays open as long as the agent runs that it came from. What a person
//! answers to one that is left counts for the next who asks the very same within two minutes, once.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::grants::{Digest, Grants, digest, digest_of, weight};
use super::left::Left;
use super::pause::Pause;
use crate::ipc::{Door, Entry, State};
use crate::model::{Answer, Covers, Heard, Passed, Paused, PausedBy, Question, Severity, Trying};
use crate::observe::Process;

/// For how long an answer counts that nobody waited for.
const KEPT: Duration = Duration::from_secs(120);
/// For how long no yes is taken after a person has pressed the key that denies: longer than that key waits for one that comes right behind it,
/// on a slow machine too.
const DENYING: Duration = Duration::from_secs(1);
/// Questions that are open at most.
const MOST: usize = 1_000;
/// Bytes of what a model says of one question.
const HEARD: usize = 8 << 10;
/// Bytes of them at most.
const MOST_BYTES: usize = 2 << 20;
/// Questions that were answered and are still shown.
const ANSWERED: usize = 100;
/// Bytes of them at most.
const ANSWERED_BYTES: usize = 1 << 20;
/// What ids are made of: nothing that is taken for another.
const LETTERS: &[u8; 31] = b"abcdefghijkmnpqrstuvwxyz2345678";
/// Letters of an id.
const LENGTH: usize = 5;

/// Whose questions they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The process. When that has ended, nobody tries again.
    pub process: Process,
    /// Whether it is an agent, or what a person started as one: it can be ended.
    pub is_agent: bool,
}

/// Who asks, as the host sees it.
#[derive(Clone, Debug)]
pub struct Asker {
    /// The connection.
    pub connection: u64,
    /// The process.
    pub process: Process,
    /// The process and those that it descends from.
    pub chain: Vec<Process>,
    /// Whose grants count: those of the same agent's process or conversation.
    pub realm: String,
    /// The agent.
    pub owner: Owner,
    /// By which door it asks.
    pub door: Door,
    /// Whether it can try the line.
    pub tries: bool,
}

impl Asker {
    /// The process that a question comes from in the end: the agent that started a shell or a hook.
    fn parent(&self) -> Option<Process> {
        self.chain.get(1).copied()
    }
}

/// Whether a person is to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Yes, where no grant covers it.
    ForPerson {
        /// When whoever asks gives up, if it says so.
        until: Option<Instant>,
    },
    /// No: only grants are looked at.
    Never,
}

/// What comes of a question at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// An earlier yes covers it.
    Granted(Passed),
    /// A person answered it after the one who asked before had gone.
    Answered(Answer),
    /// It is open, by this id.
    Open(String),
    /// Nobody is asked.
    Nobody(&'static str),
}

/// Why an answer was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unanswerable {
    /// No open question has this id.
    #[error("no open question has the id {0}")]
    Unknown(String),
    /// What is critical is permitted for this once or not at all.
    #[error("it is critical: a yes covers this once and no more")]
    Critical,
    /// A person elsewhere has said no a moment ago, which is about to count.
    #[error("it is being denied at another terminal: look whether it is still asked")]
    Denied,
    /// Nothing was tried that could be kept.
    #[error("it was not tried, or what it did cannot be kept")]
    NotTried,
    /// The agent that asked is gone.
    #[error(
        "the agent that asked has ended, so a yes would run nothing: the question is withdrawn"
    )]
    Withdrawn,
    /// Whoever asked is no agent that is known.
    #[error("whoever asked is no agent that is known here, so there is nothing to end: deny it")]
    NoAgent,
    /// There is no signature.
    #[error(
        "what it runs is not told by program and subcommand: only the line itself can be permitted for the session"
    )]
    NoSignature,
    /// The host holds as many grants as it can.
    #[error("the session has as many grants as it can hold: answer for this once")]
    Full,
}

/// A question that is open.
#[derive(Clone, Debug)]
pub struct Held {
    /// By which it is answered.
    pub id: String,
    /// The question.
    pub question: Question,
    asked: Instant,
    /// Its line in its directory.
    line: Digest,
    /// That, and what it does.
    digest: Digest,
    realm: String,
    owner: Owner,
    /// Who waits; none if they have gone.
    waiting: Option<Waiting>,
    /// Until when no yes is taken, since a person is about to deny it.
    denied_until: Option<Instant>,
    /// How it stands with its trial: whoever waits has what was tried.
    trying: Trying,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Waiting {
    connection: u64,
    process: Process,
    /// The client, where it is its hook that waits: a shell comes afterwards.
    client: Option<Process>,
    /// When it gives up, if it says so.
    until: Option<Instant>,
}

struct Answered {
    held: Held,
    answer: Answer,
}

struct Kept {
    answer: Answer,
    until: Instant,
}

/// The memory of a host.
pub struct Memory {
    open: VecDeque<Held>,
    answered: VecDeque<Answered>,
    kept: HashMap<(String, Digest), Kept>,
    grants: Grants,
    left: Left,
    pause: Pause,
    /// Bytes of the questions that are open, and of those that were answered.
    bytes: usize,
    answered_bytes: usize,
    random: fn() -> u64,
    is_there: fn(&Process) -> bool,
    changes: u64,
}

impl Memory {
    /// Makes an empty one. `random` is where ids come from, `is_there` says whether a process still runs.
    #[must_use]
    pub fn new(random: fn() -> u64, is_there: fn(&Process) -> bool) -> Self {
        Self {
            open: VecDeque::new(),
            answered: VecDeque::new(),
            kept: HashMap::new(),
            grants: Grants::default(),
            left: Left::default(),
            pause: Pause::default(),
            bytes: 0,
            answered_bytes: 0,
            random,
            is_there,
            changes: 0,
        }
    }

    /// Takes a question: an earlier answer, or its place in the queue.
    pub fn ask(&mut self, question: Question, asker: Asker, wait: Wait, now: Instant) -> Reply {
        let parent = asker.parent();
        let Asker { connection, process, chain, realm, owner, door, tries } = asker;
        let (line, client) = match &door {
            Door::Shell { command } => (command.as_ref().unwrap_or(&question.line), None),
            Door::Hook => (&question.line, parent),
        };
        let line = digest_of(line, question.cwd.as_ref());
        if question.anew.is_some() {
            self.grants.end(&process);
            if let Some(client) = client {
                self.left.forget(client);
            }
        }
        let realm = realm_of(realm, &question);
        let key = (realm, with_scope(line, &question));
        if let Some(kept) = self.kept.remove(&key).filter(|kept| now < kept.until) {
            return match (kept.answer, client) {
                (Answer::Once, Some(client)) => {
                    let (by, scope) = (Passed::Once, question.scope);
                    self.left.leave(client, process, line, scope, by, now);
                    Reply::Granted(Passed::Once)
                }
                (Answer::Once, None) => {
                    self.grants.run(process, question.scope, self.is_there);
                    Reply::Granted(Passed::Once)
                }
                (answer, _) => Reply::Answered(answer),
            };
        }
        let (realm, digest) = key;
        if let (Door::Shell { .. }, Some(parent)) = (&door, parent)
            && let Some(by) = self.left.take(parent, process, line, &question.scope, now)
        {
            self.grants.run(process, question.scope, self.is_there);
            return Reply::Granted(by);
        }
        if self.grants.covers(&realm, &question, line) {
            if client.is_none() {
                self.grants.run(process, question.scope, self.is_there);
            }
            return Reply::Granted(Passed::Session);
        }
        if self.grants.inherited(&chain, &question.scope) {
            return Reply::Granted(Passed::Inherited);
        }
        let Wait::ForPerson { until } = wait else {
            return Reply::Nobody("no earlier yes covers it");
        };
        let waiting = Some(Waiting { connection, process, client, until });
        let trying = if tries { Trying::Possible } else { Trying::Impossible };
        self.changes += 1;
        let left = |held: &&mut Held| {
            held.waiting.is_none() && held.digest == digest && held.realm == realm
        };
        if let Some(held) = self.open.iter_mut().find(left) {
            (held.waiting, held.owner, held.trying) = (waiting, owner, trying);
            return Reply::Open(held.id.clone());
        }
        let bytes = size(&question);
        if self.open.len() >= MOST || self.bytes + bytes > MOST_BYTES {
            return Reply::Nobody("as many questions are open as fit; they must be answered first");
        }
        let id = self.new_id();
        self.bytes += bytes;
        self.open.push_back(Held {
            id: id.clone(),
            question,
            asked: now,
            line,
            digest,
            realm,
            owner,
            waiting,
            denied_until: None,
            trying,
            bytes,
        });
        Reply::Open(id)
    }

    /// Notes that a client asks its own person about a line, since its hook told it to. Where it then has a shell run it, the person said yes.
    pub fn asked_by_client(
        &mut self,
        question: Question,
        asker: &Asker,
        client: Process,
        now: Instant,
    ) {
        let line = digest_of(&question.line, question.cwd.as_ref());
        self.left.leave(client, asker.process, line, question.scope, Passed::Client, now);
    }

    /// Notes that a turn of an agent is over: what was left for its shells is forgotten.
    pub fn turn_ends(&mut self, client: Process) {
        self.left.forget(client);
    }

    /// Notes that a conversation is over: no yes of its realm counts any more.
    pub fn closes(&mut self, realm: &str) {
        self.grants.forget(realm);
        self.kept.retain(|(of, _), _| of != realm);
        self.changes += 1;
    }

    /// Notes that whoever asked over a connection has gone. The question stays open, if its agent may try again.
    pub fn leave(&mut self, connection: u64) {
        // A yes is for the call of a client that waits for it: one that comes later is asked about anew.
        self.retain(|held| held.question.client.is_none() || !held.is_waited_for(connection));
        let changes = self.changes;
        for held in &mut self.open {
            if held.is_waited_for(connection) {
                (held.waiting, held.trying) = (None, Trying::Impossible);
                self.changes += 1;
            }
        }
        if self.changes != changes {
            self.withdraw();
        }
    }

    /// Adds what a model says to the question that someone waits for over a connection.
    pub fn hear(&mut self, connection: u64, mut heard: Box<Heard>) {
        // A model that says more than anyone reads is not shown, and takes no room.
        if heard.texts().map(|text| text.len()).sum::<usize>() > HEARD {
            return;
        }
        if let Some(held) = self.open.iter_mut().find(|held| held.is_waited_for(connection)) {
            held.question.opinion = Some(heard);
            self.changes += 1;
        }
    }

    /// Returns what a model says of an open question, if it has said something.
    #[must_use]
    pub fn heard(&self, id: &str) -> Option<&Heard> {
        self.open.iter().find(|held| held.id == id)?.question.opinion.as_deref()
    }

    /// Notes that a person wants the line of a question to be tried. Returns the connection on which someone waits who can; none if nobody can,
    /// or it is done already.
    pub fn begin_trial(&mut self, id: &str) -> Option<u64> {
        let held = self.open.iter_mut().find(|held| held.id == id)?;
        let waiting = held.waiting.as_ref().filter(|_| held.trying.may_begin())?;
        held.trying = Trying::Running;
        self.changes += 1;
        Some(waiting.connection)
    }

    /// Notes how it stands with the trial of the line that someone waits for over a connection. Who never was asked to try it says nothing of it.
    pub fn tried(&mut self, connection: u64, trying: Trying) {
        let running = |held: &&mut Held| {
            held.is_waited_for(connection) && matches!(held.trying, Trying::Running)
        };
        let (texts, limit) = (size_of_trial(&trying), HEARD);
        if let Some(held) = self.open.iter_mut().find(running) {
            held.trying = if texts <= limit {
                trying
            } else {
                Trying::Failed { why: "more was said of the trial than fits".to_owned() }
            };
            self.changes += 1;
        }
    }

    /// Returns how it stands with the trial of an open question.
    #[must_use]
    pub fn trying(&self, id: &str) -> Option<&Trying> {
        Some(&self.open.iter().find(|held| held.id == id)?.trying)
    }

    /// Takes back the question that someone waits for over a connection: it needs no answer any more.
    pub fn take_back(&mut self, connection: u64) {
        self.retain(|held| !held.is_waited_for(connection));
    }

    /// Withdraws the questions that nobody waits for and whose agents have ended.
    pub fn withdraw(&mut self) {
        let is_there = self.is_there;
        self.retain(|held| held.waiting.is_some() || is_there(&held.owner.process));
    }

    /// Keeps the open questions that stay.
    fn retain(&mut self, stays: impl Fn(&Held) -> bool) {
        let before = self.open.len();
        self.open.retain(stays);
        if self.open.len() != before {
            self.bytes = self.open.iter().map(|held| held.bytes).sum();
            self.changes += 1;
        }
    }

    /// Returns whether a question is open that nobody waits for.
    #[must_use]
    pub fn has_left(&self) -> bool {
        self.open.iter().any(|held| held.waiting.is_none())
    }

    /// Notes that a person is about to deny a question: of two who answer at once, the one who says no is heard.
    pub fn denying(&mut self, id: &str, now: Instant) {
        if let Some(held) = self.open.iter_mut().find(|held| held.id == id) {
            held.denied_until = Some(now + DENYING);
        }
    }

    /// Notes that a person wants to be told of no question for so many seconds; with none, no longer. No question is answered by it.
    pub fn pause(&mut self, by: PausedBy, seconds: u64, now: Instant) {
        self.pause.set(by, seconds, now);
        self.changes += 1;
    }

    /// Returns the person's pause, if there is one.
    #[must_use]
    pub fn paused(&self, now: Instant) -> Option<Paused> {
        self.pause.stands(now)
    }

    /// Returns when the pause is over.
    #[must_use]
    pub fn pause_ends(&self) -> Option<Instant> {
        self.pause.until()
    }

    /// Ends a pause whose time is over.
    pub fn end_pause(&mut self, now: Instant) {
        self.changes += u64::from(self.pause.turn(now));
    }

    /// Returns the agent's process that is to be ended for this question.
    pub fn agent(&self, id: &str) -> Result<Process, Unanswerable> {
        let unknown = || Unanswerable::Unknown(id.to_owned());
        let held = self.open.iter().find(|held| held.id == id).ok_or_else(unknown)?;
        held.owner.is_agent.then_some(held.owner.process).ok_or(Unanswerable::NoAgent)
    }

    /// Takes a person's answer. Returns the connection on which someone waits for it.
    pub fn answer(
        &mut self,
        id: &str,
        answer: Answer,
        now: Instant,
    ) -> Result<Option<u64>, Unanswerable> {
        let unknown = || Unanswerable::Unknown(id.to_owned());
        let index = self.open.iter().position(|held| held.id == id).ok_or_else(unknown)?;
        if self.open[index].waiting.is_none() && !(self.is_there)(&self.open[index].owner.process) {
            self.withdraw();
            return Err(Unanswerable::Withdrawn);
        }
        if self.open[index].is_being_denied(now) && !answer.is_no() {
            return Err(Unanswerable::Denied);
        }
        let question = &self.open[index].question;
        match &answer {
            Answer::Session { .. } | Answer::Always if is_critical(question) => {
                return Err(Unanswerable::Critical);
            }
            Answer::Session { covers: Covers::Signature }
                if question.scope.signatures.is_empty() =>
            {
                return Err(Unanswerable::NoSignature);
            }
            Answer::Session { covers } => {
                let Held { realm, line, .. } = &self.open[index];
                self.grants.add(realm, question, *line, *covers).ok_or(Unanswerable::Full)?;
            }
            Answer::Keep if !self.open[index].trying.may_keep() => {
                return Err(Unanswerable::NotTried);
            }
            Answer::Deny { .. }
            | Answer::Stop
            | Answer::Once
            | Answer::Always
            | Answer::Edit { .. }
            | Answer::Keep => {}
        }
        let Some(held) = self.open.remove(index) else { return Err(unknown()) };
        self.bytes -= held.bytes;
        self.changes += 1;
        let told = held.waiting.as_ref().map(|waiting| waiting.connection);
        let is_yes = answer.is_yes();
        match &held.waiting {
            Some(waiting) if is_yes => {
                let scope = held.question.scope.clone();
                match waiting.client {
                    Some(client) if !matches!(answer, Answer::Session { .. }) => {
                        let by = Passed::Once;
                        self.left.leave(client, waiting.process, held.line, scope, by, now);
                    }
                    // The grant is there when the shell asks.
                    Some(_) => {}
                    None => self.grants.run(waiting.process, scope, self.is_there),
                }
            }
            Some(_) => {}
            None => self.keep(&held, answer.clone(), now),
        }
        self.note(held, answer);
        Ok(told)
    }

    /// Settles the open questions that a yes for the session covers by now; returns the connections on which someone waits for that.
    /// Nothing that is critical is among them.
    pub fn settle(&mut self, covers: Covers, now: Instant) -> Vec<u64> {
        let mut told = Vec::new();
        for held in std::mem::take(&mut self.open) {
            let is_covered = self.grants.covers(&held.realm, &held.question, held.line);
            if !is_covered || held.is_being_denied(now) {
                self.open.push_back(held);
                continue;
            }
            self.bytes -= held.bytes;
            self.changes += 1;
            if let Some(waiting) = &held.waiting {
                if waiting.client.is_none() {
                    let scope = held.question.scope.clone();
                    self.grants.run(waiting.process, scope, self.is_there);
                }
                told.push(waiting.connection);
            }
            self.note(held, Answer::Session { covers });
        }
        told
    }

    /// Keeps an answer for the next who asks the same.
    fn keep(&mut self, held: &Held, answer: Answer, now: Instant) {
        self.kept.retain(|_, kept| now < kept.until);
        // A yes for the session is a grant already, and a question that a written rule answers is not asked.
        let is_needed = !matches!(answer, Answer::Session { .. } | Answer::Always);
        if is_needed && self.kept.len() < MOST {
            let kept = Kept { answer, until: now + KEPT };
            self.kept.insert((held.realm.clone(), held.digest), kept);
        }
    }

    fn note(&mut self, held: Held, answer: Answer) {
        self.answered_bytes += held.bytes;
        self.answered.push_back(Answered { held, answer });
        while self.answered.len() > ANSWERED || self.answered_bytes > ANSWERED_BYTES {
            let Some(oldest) = self.answered.pop_front() else { break };
            self.answered_bytes -= oldest.held.bytes;
        }
    }

    /// Returns the question that is to be answered first: the oldest that someone waits for.
    #[must_use]
    pub fn front(&self) -> Option<&Held> {
        self.open.iter().find(|held| held.waiting.is_some())
    }

    /// Returns how many questions someone waits for.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.open.iter().filter(|held| held.waiting.is_some()).count()
    }

    /// Returns how a question stands that is open or was answered lately, and how many seconds ago it was asked.
    #[must_use]
    pub fn stands(&self, id: &str, now: Instant) -> Option<(State, u64)> {
        if let Some(held) = self.open.iter().find(|held| held.id == id) {
            return Some((held.state(now), held.age(now)));
        }
        let answered = self.answered.iter().find(|answered| answered.held.id == id)?;
        let state = State::Answered { answer: answered.answer.clone() };
        Some((state, answered.held.age(now)))
    }

    /// Returns the questions that are open, oldest first.
    pub fn open(&self, now: Instant) -> impl Iterator<Item = Entry> {
        self.open.iter().map(move |held| held.entry(held.state(now), now))
    }

    /// Returns the questions that were answered lately, oldest first.
    pub fn answered(&self, now: Instant) -> impl Iterator<Item = Entry> {
        let state = |answer: &Answer| State::Answered { answer: answer.clone() };
        self.answered.iter().map(move |answered| answered.held.entry(state(&answered.answer), now))
    }

    /// Returns a number that is another one whenever something changed in what is open or answered.
    #[must_use]
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    fn new_id(&self) -> String {
        loop {
            let mut random = (self.random)();
            let letters = std::iter::repeat_with(|| {
                let letter = LETTERS[usize::try_from(random % 31).unwrap_or(0)];
                random /= 31;
                char::from(letter)
            });
            let id: String = letters.take(LENGTH).collect();
            let is_taken = self.open.iter().any(|held| held.id == id)
                || self.answered.iter().any(|answered| answered.held.id == id);
            if !is_taken {
                return id;
            }
        }
    }
}

impl Held {
    fn is_waited_for(&self, connection: u64) -> bool {
        self.waiting.as_ref().is_some_and(|waiting| waiting.connection == connection)
    }

    fn is_being_denied(&self, now: Instant) -> bool {
        self.denied_until.is_some_and(|until| now < until)
    }

    fn entry(&self, state: State, now: Instant) -> Entry {
        let (id, question) = (self.id.clone(), self.question.clone());
        let (age, trying, may_stop) = (self.age(now), self.trying.clone(), self.owner.is_agent);
        Entry { id, question, age, state, trying, may_stop }
    }

    fn state(&self, now: Instant) -> State {
        let Some(waiting) = &self.waiting else { return State::Left };
        // The last second is one: whoever reads "0 s" takes it to be over.
        let left = |until: Instant| until.saturating_duration_since(now).as_millis().div_ceil(1000);
        let left = waiting.until.map(left).and_then(|left| u64::try_from(left).ok());
        State::Waiting { left }
    }

    fn age(&self, now: Instant) -> u64 {
        now.saturating_duration_since(self.asked).as_secs()
    }
}

/// Returns how many bytes are said of a trial.
fn size_of_trial(trying: &Trying) -> usize {
    match trying {
        Trying::Impossible | Trying::Possible | Trying::Running => 0,
        Trying::Failed { why } => why.len(),
        Trying::Done(trial) => {
            let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
            let untried = trial.untried.iter().map(String::len).sum::<usize>();
            let printed = trial.printed.len() + trial.ended.len();
            text(&trial.id) + text(&trial.unkept) + printed + untried
        }
    }
}

fn is_critical(question: &Question) -> bool {
    question.severity.max(question.scope.severity) == Severity::Critical
}

/// Whose grants count for a question: of a client's lines only those that were given to it, for the same variables and the same files.
fn realm_of(realm: String, question: &Question) -> String {
    let Some(client) = &question.client else { return realm };
    let set = client.set.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
    let parts = std::iter::once(client.name.as_str()).chain(question.files.as_deref()).chain(set);
    let told: Vec<String> = parts.map(|part| format!("{}:{part}", part.len())).collect();
    format!("{realm} client {}", told.join(" "))
}

/// A once covers these very bytes in this directory, where they do what was shown, with the files that were looked at for it.
fn with_scope(line: Digest, question: &Question) -> Digest {
    // Our own values can be written as JSON.
    let whole = serde_json::to_string(&(line, &question.scope, &question.files)).ok();
    digest([whole.as_deref()])
}

/// Returns about how many bytes a question takes.
fn size(question: &Question) -> usize {
    let findings = question.findings.iter().map(|finding| {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        std::mem::size_of_val(finding)
            + finding.rule.len()
            + finding.reason.len()
            + text(&finding.suggestion)
            + text(&finding.instead)
    });
    std::mem::size_of::<Held>()
        + question.line.len()
        + question.reason.len()
        + question.difference.as_ref().map_or(0, String::len)
        + findings.sum::<usize>()
        + weight(&question.scope)
}

#[cfg(test)]
mod tests;
