//! Asks about a line that only a person can permit: the host of the session that we run below, else the person at this terminal, else
//! the user's own host.
//!
//! A yes counts only from a host that a person started. What says so are the processes (`observe::host`), never a variable:
//! `GUARDED_SH_SOCKET` only helps to find the directory.

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::always::Offer;
use super::opinion::{Asked, Second, Weighed};
use super::refusal::{Stop, Unanswered};
use super::trial::{self, Attempted, Attempting, Course};
use super::world::{Pages, World, socket_directories};
use super::{Judgement, client, fence, on_demand, pushed, question};
use crate::approval::page::{Asked as Shown, Escape, Look, Offers};
use crate::approval::text::with_causes;
use crate::approval::{Behind, Terminal, Word};
use crate::audit::{AskedAt, Questioned};
use crate::decision::second::Settled;
use crate::frame::Frame;
use crate::ipc::{Client, Door, Entry, Error, FromClientLine, FromHost, State, ToHost, place};
use crate::language::Language;
use crate::model::{Answer, Heard, Passed, Paused, Proof, Question, Trial, Trying};
use crate::observe::{self, Peer, Unreachable};
use crate::syntax;

/// For how long a host may take for what needs no person.
const PATIENCE: Duration = Duration::from_secs(5);

/// For how many seconds a client's line waits for a person.
const CLIENT_WAITS: u16 = 900;

/// Why a host is not understood.
const UNASKED: &str = "the host said what it was not asked";

/// What came of it.
pub(super) enum Said {
    /// A person answered, who was known by this.
    Answer(Answer, Option<Proof>),
    /// An earlier yes covers it.
    Passed(Passed),
    /// Nobody answered.
    Nothing(Unanswered),
    /// A model's opinion is enough.
    Settled(Settled),
}

impl Said {
    /// Returns by what a person was known who answered.
    const fn proof(&self) -> Option<Proof> {
        match self {
            Self::Answer(_, proof) => *proof,
            Self::Passed(_) | Self::Nothing(_) | Self::Settled(_) => None,
        }
    }
}

/// For how long git is asked what a line pushes, before a person is.
const PUSHED: Duration = Duration::from_secs(2);

/// What came of it, what a model said of the line, if one was asked, the question, if a person was, and what came of trying the line, if that was
/// wanted.
pub(super) struct Came {
    pub(super) said: Said,
    pub(super) heard: Option<Heard>,
    pub(super) question: Option<Questioned>,
    pub(super) attempted: Option<Attempted>,
}

impl From<Said> for Came {
    fn from(said: Said) -> Self {
        Self { said, heard: None, question: None, attempted: None }
    }
}

impl Came {
    /// Waits for a model where nobody else can be asked.
    pub(super) fn or_second(self, second: Option<Second<'_>>) -> Self {
        let (Said::Nothing(_), Some(second)) = (&self.said, second) else { return self };
        let Weighed { heard, settled } = second.wait();
        let said = settled.map_or(self.said, Said::Settled);
        Self { said, heard: Some(heard), question: self.question, attempted: None }
    }
}

/// Asks about a line that was judged so. `course` is how it is called, where it can be tried meanwhile.
pub(super) fn ask(
    world: &World,
    judgement: &Judgement,
    course: Option<Course<'_>>,
) -> Result<Came, Stop> {
    let course = course.filter(|course| world.client.is_none() && trial::may_try(course));
    let (facts, name) = (&world.judge.facts, world.session());
    let Some(question) = question::of(judgement, facts, name) else {
        let why = "a line that is no text cannot be shown".to_owned();
        return Ok(Said::Nothing(Unanswered::Host(why)).into());
    };
    let program = question.agent.is_none().then(observe::parent_program).flatten();
    let question = Question { held: fence::foreseen(world, judgement), program, ..question };
    let question = pushed::shown(world, judgement, question, Instant::now() + PUSHED);
    let question = match &world.client {
        Some(bridged) => client::asked(&bridged.client, question),
        None => question,
    };
    let carried = judgement.frame.as_ref().and_then(Frame::carried);
    let door = Door::Shell { command: carried.map(|carried| carried.command.clone()) };
    let line = question.line.clone();
    // Whose session this is, only a host says: a line could have set the variable.
    let second = |session: Option<String>| {
        Second::begin(world, judgement, Asked::line(&line), session.as_deref(), Duration::MAX)
    };
    match session(world) {
        Ok(Some(host)) => {
            return Ok(at(host, (world, judgement), question, (door, course), second));
        }
        Ok(None) => {}
        Err(unanswered) => return Ok(Came::from(Said::Nothing(unanswered)).or_second(second(None))),
    }
    // The terminal of a client's line is the client's.
    let person = match &world.client {
        Some(_) => Err(Unreachable::NoTerminal),
        None => observe::person(&world.environment),
    };
    let why = match person {
        Ok(terminal) => {
            let variable = |name| world.environment.get(name);
            let look = Look::of(variable("TERM"), variable("NO_COLOR")).unwrap_or(Look::Mono);
            let offer = Offer::of(&question);
            let language = super::language::of_settings(&world.settings, &world.environment);
            let mut page = shown(&question, &offer, facts.home.clone(), course.is_some());
            page.language = language;
            let mut behind = AtTerminal {
                second: second(None),
                heard: None,
                settled: None,
                trying: Tries::of(course),
                question,
                offer,
                look,
                language,
                pages: world.pages,
            };
            let (asked, begun) = (Questioned::now(AskedAt::Terminal, None), Instant::now());
            let answer = Terminal::new(terminal, look).ask(page, &mut behind)?;
            let proof = Some(Proof::Terminal);
            let said = match (answer, behind.settled) {
                (Some(answer), _) => Said::Answer(answer, proof),
                (None, Some(settled)) => Said::Settled(settled),
                (None, None) => Said::Answer(Answer::Deny { message: None }, proof),
            };
            let asked = asked.answered_after(begun.elapsed()).with(said.proof());
            let attempted = behind.trying.attempted;
            return Ok(Came { said, heard: behind.heard, question: Some(asked), attempted });
        }
        Err(why) => why,
    };
    Ok(match called(world) {
        Ok(Some(host)) => at(host, (world, judgement), question, (door, course), second),
        Ok(None) => Came::from(Said::Nothing(why.into())).or_second(second(None)),
        Err(unanswered) => Came::from(Said::Nothing(unanswered)).or_second(second(None)),
    })
}

/// Returns the question as it is shown at this terminal. Nobody remembers a yes for the session here, and the line waits as long as it takes.
fn shown(question: &Question, offer: &Offer, home: Option<String>, tries: bool) -> Shown {
    Shown {
        highlights: syntax::highlight(&question.line),
        entry: Entry {
            id: String::new(),
            question: question.clone(),
            age: 0,
            state: State::Waiting { left: None },
            trying: if tries { Trying::Possible } else { Trying::Impossible },
            may_stop: false,
        },
        home,
        language: Language::default(),
        offers: Offers { session: Vec::new(), always: offer.text().map(str::to_owned) },
        more: 0,
        escape: Escape::Denies,
    }
}

/// A line that can be tried while it is asked about, as far as that has come.
struct Tries<'c> {
    course: Option<Course<'c>>,
    attempting: Option<Attempting>,
    attempted: Option<Attempted>,
}

impl<'c> Tries<'c> {
    const fn of(course: Option<Course<'c>>) -> Self {
        Self { course, attempting: None, attempted: None }
    }

    /// Begins a trial; returns why not where it cannot.
    fn begin(&mut self) -> Option<Trying> {
        let Some(course) = &self.course else { return Some(Trying::Impossible) };
        self.attempted = None;
        match Attempting::begin(course) {
            Ok(attempting) => self.attempting = Some(attempting),
            Err(stop) => return Some(Trying::Failed { why: stop.reason() }),
        }
        None
    }

    fn awaited(&self) -> Option<BorrowedFd<'_>> {
        self.attempting.as_ref().map(Attempting::awaited)
    }

    /// Returns how it stands, once the trial is over.
    fn take(&mut self) -> Option<Trying> {
        self.attempted = Some(self.attempting.as_mut()?.take()?);
        self.attempting = None;
        self.attempted.as_ref().map(|attempted| attempted.trying.clone())
    }
}

/// What stands behind the question at this terminal: what a model says of it, a trial of it, the rule of a yes for good, the pages about the line.
struct AtTerminal<'j> {
    second: Option<Second<'j>>,
    heard: Option<Heard>,
    settled: Option<Settled>,
    trying: Tries<'j>,
    question: Question,
    offer: Offer,
    look: Look,
    language: Language,
    pages: Option<Pages>,
}

impl Behind for AtTerminal<'_> {
    fn awaited(&self) -> (Vec<BorrowedFd<'_>>, Option<Instant>) {
        let second = self.second.as_ref().and_then(Second::awaited);
        let (second, late) = second.unzip();
        (second.into_iter().chain(self.trying.awaited()).collect(), late)
    }

    fn take(&mut self) -> Option<Word> {
        if let Some(trying) = self.trying.take() {
            return Some(Word::Tried(trying));
        }
        let Weighed { heard, settled } = self.second.as_mut()?.take()?;
        (self.second, self.settled) = (None, settled);
        self.heard = Some(heard.clone());
        Some(self.settled.as_ref().map_or(Word::Heard(heard), |_| Word::Enough))
    }

    fn explain(&mut self, columns: usize) -> String {
        let page = self.pages.map(|pages| (pages.explain)(&self.question, self.look, columns));
        page.unwrap_or_default()
    }

    fn attempt(&mut self) -> Option<Trying> {
        self.trying.begin()
    }

    fn tried(&mut self, trial: &Trial) -> String {
        self.pages.map(|pages| (pages.tried)(trial, self.look, self.language)).unwrap_or_default()
    }

    fn write(&mut self) -> Result<(), String> {
        self.offer.write().map_err(|why| why.to_string())
    }
}

/// Asks the host about what an agent's hook was asked. A person answers there until then, or later. None: there is no host.
pub(super) fn by_hook<'j>(
    world: &World,
    question: &Question,
    patience: Patience,
    until: Instant,
    second: impl FnOnce(Duration) -> Option<Second<'j>>,
) -> Option<Came> {
    let found = match session(world) {
        Ok(None) => called(world),
        host => host,
    };
    let mut host = match found.transpose()? {
        Ok(host) => host,
        Err(why) => return Some(Said::Nothing(why).into()),
    };
    let wait = world.settings.approval.wait.value;
    let left = until.saturating_duration_since(Instant::now());
    let waits = Duration::from_secs(wait.into()).min(left);
    let wait = u16::try_from(waits.as_secs()).unwrap_or(wait);
    let asks = ToHost::Ask {
        question: Box::new(question.clone()),
        wait: patience != Patience::None,
        seconds: Some(wait),
        tries: false,
        door: Door::Hook,
    };
    let opened = match opened(&mut host, &asks, until.min(deadline())) {
        Ok(opened) => opened,
        Err(said) => return Some(said.into()),
    };
    Some(waited(host, opened, (wait, Instant::now() + waits), second(left), None))
}

/// Whether a person is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// Only what was said before counts.
    None,
    /// As long as there is time.
    Some,
}

/// Says something to the host that needs no person, and returns what it says to that; none if there is no host, or it says nothing.
pub(super) fn say(world: &World, message: &ToHost, until: Instant) -> Option<FromHost> {
    let mut host = host(world)?.ok()?;
    let until = until.min(deadline());
    host.send(message, until).and_then(|()| host.receive(Some(until))).ok()
}

/// Connects to whoever asks models for the host that we run below, or for the user's own; none if there is none.
pub(super) fn models(world: &World) -> Option<Client> {
    let mut host = host(world)?.ok()?;
    let until = deadline();
    let said = host.send(&ToHost::Model, until).and_then(|()| host.receive(Some(until)));
    matches!(said, Ok(FromHost::Handed)).then_some(host)
}

/// Returns whether some host of this user remembers something of earlier lines. Costs a look into each directory where one may listen,
/// whoever named it: hosts are looked for there only then.
pub(super) fn is_remembered(world: &World) -> bool {
    directories(world).iter().any(|directory| place::remembers(directory))
}

/// Where hosts may listen, as far as anyone says: whoever is found there is still looked at.
fn directories(world: &World) -> Vec<PathBuf> {
    let variable = |name| world.environment.get(name).map(Path::new);
    let hint = variable("GUARDED_SH_SOCKET").and_then(Path::parent).map(Path::to_owned);
    let uid = nix::unistd::geteuid().as_raw();
    let usual = place::directories(variable("XDG_RUNTIME_DIR"), uid);
    let mut directories: Vec<PathBuf> = Vec::new();
    for directory in hint.into_iter().chain(usual).chain(place::linked(uid)) {
        if !directories.contains(&directory) {
            directories.push(directory);
        }
    }
    directories
}

/// Connects to a host that is believed: the one that we run below, else the user's own. None: there is none.
fn host(world: &World) -> Option<Result<Client, Unanswered>> {
    match session(world) {
        Ok(None) => service(world).transpose(),
        host => host.transpose(),
    }
}

/// Connects to the host that we run below, if there is one.
fn session(world: &World) -> Result<Option<Client>, Unanswered> {
    let mut found = None;
    for claim in observe::hosts_above() {
        let claim = claim.map_err(|_| Unreachable::Unseen)?;
        // While it looks at who connected, we look at it.
        let client = listening(world, claim.id());
        if claim.holds() {
            found = Some(client);
            // No host is below another. Where less of one can be seen, what is below another is none.
            if !observe::is_held() {
                break;
            }
        }
    }
    let silent = "the session host that it runs below does not listen";
    let silent = || Unanswered::Host(silent.to_owned());
    found.map(|client| welcomed(client.ok_or_else(silent)?)).transpose()
}

/// Connects to the process of this id, wherever it listens.
fn listening(world: &World, id: u32) -> Option<Client> {
    let name = id.to_string();
    directories(world).iter().find_map(|directory| {
        let client = Client::connect(&place::ask(directory, &name), deadline()).ok()?;
        let peer = Peer::of(client.socket()).ok()??;
        (peer.id() == id && peer.is_there() != Some(false)).then_some(client)
    })
}

/// Connects to the user's own host, if there is one.
fn service(world: &World) -> Result<Option<Client>, Unanswered> {
    let uid = nix::unistd::geteuid().as_raw();
    for directory in socket_directories(&world.environment) {
        let client = match Client::connect(&place::ask(&directory, place::SERVICE), deadline()) {
            Ok(client) => client,
            Err(Error::Absent { .. }) => continue,
            Err(error) => return Err(Unanswered::Host(with_causes(&error))),
        };
        place::check(&directory, uid).map_err(|error| Unanswered::Host(with_causes(&error)))?;
        let doubt = |why: &dyn std::fmt::Display| {
            Unanswered::Host(format!("what listens as the host is not believed: {why}"))
        };
        let peer = Peer::of(client.socket()).map_err(|error| doubt(&error))?;
        let peer = peer.ok_or_else(|| doubt(&"it is of another user or container"))?;
        observe::is_service(peer.id()).map_err(|why| doubt(&why))?;
        if peer.is_there() == Some(false) {
            return Err(doubt(&"it ended"));
        }
        return welcomed(client).map(Some);
    }
    Ok(None)
}

/// Connects to the user's own host, which is started where there is none and the person has set that up.
fn called(world: &World) -> Result<Option<Client>, Unanswered> {
    match service(world)? {
        None if on_demand::start(world) => service(world),
        host => Ok(host),
    }
}

/// Waits until a host that is believed has looked at us.
fn welcomed(mut host: Client) -> Result<Client, Unanswered> {
    Err(Unanswered::Host(match host.receive(Some(deadline())) {
        Ok(FromHost::Welcome) => return Ok(host),
        Ok(FromHost::Nobody { why } | FromHost::Refused { why }) => why,
        Ok(_) => UNASKED.to_owned(),
        Err(error) => with_causes(&error),
    }))
}

/// Asks a host that is believed, and a model beside it.
fn at<'j>(
    mut host: Client,
    (world, judgement): (&World, &Judgement),
    question: Question,
    (door, course): (Door, Option<Course<'_>>),
    second: impl FnOnce(Option<String>) -> Option<Second<'j>>,
) -> Came {
    // A client waits as long as it likes, with nothing held up by it: the question is withdrawn when it leaves.
    let wait = match &world.client {
        Some(_) => CLIENT_WAITS,
        None => world.settings.approval.wait.value,
    };
    let (question, tries) = (Box::new(question), course.is_some());
    let asks = ToHost::Ask { question, wait: true, seconds: Some(wait), tries, door };
    let mut opened = match opened(&mut host, &asks, deadline()) {
        Ok(opened) => opened,
        Err(said) => return said.into(),
    };
    if let Some(client) = &world.client {
        let reason = judgement.assessment.reason.clone();
        client.tell(&FromClientLine::Asked { id: opened.id.clone(), reason });
    }
    let until = Instant::now() + Duration::from_secs(wait.into());
    let second = second(opened.session.take());
    waited(host, opened, (wait, until), second, course)
}

/// A question that is open at a host.
struct Opened {
    /// By what it is answered.
    id: String,
    /// The session that the host says it is of.
    session: Option<String>,
    /// The person's pause, if they want one.
    paused: Option<Paused>,
}

/// Asks a host; returns the question that is open then, or what the host said at once.
fn opened(host: &mut Client, asks: &ToHost, until: Instant) -> Result<Opened, Said> {
    match host.send(asks, until).and_then(|()| host.receive(Some(until))) {
        Ok(FromHost::Open { id, session, paused }) => Ok(Opened { id, session, paused }),
        Ok(said) => Err(settled(said)),
        Err(error) => Err(Said::Nothing(Unanswered::Host(with_causes(&error)))),
    }
}

/// Waits for what a person answers a host, or until a model has said enough.
fn waited(
    host: Client,
    opened: Opened,
    until: (u16, Instant),
    second: Option<Second<'_>>,
    course: Option<Course<'_>>,
) -> Came {
    let (asked, begun) = (Questioned::now(AskedAt::Host, Some(opened.id.clone())), Instant::now());
    let asked = asked.paused(opened.paused);
    let mut tries = Tries::of(course);
    let (said, heard) = said(host, opened, until, second, &mut tries);
    let question = Some(asked.answered_after(begun.elapsed()).with(said.proof()));
    Came { said, heard, question, attempted: tries.attempted }
}

/// Returns what is said of a question that is open at a host, and what a model said meanwhile.
fn said(
    mut host: Client,
    Opened { id, paused, .. }: Opened,
    (wait, until): (u16, Instant),
    mut second: Option<Second<'_>>,
    tries: &mut Tries<'_>,
) -> (Said, Option<Heard>) {
    let mut heard = None;
    let tell = |host: &mut Client, trying: Trying| {
        // Where it is not taken, the person answers without it.
        let _ = host.send(&ToHost::Tried { trying }, deadline());
    };
    loop {
        if let Some(trying) = tries.take() {
            tell(&mut host, trying);
        }
        if let Some(weighed) = second.as_mut().and_then(Second::take) {
            second = None;
            heard = Some(weighed.heard.clone());
            if let Some(settled) = weighed.settled {
                return (settled_at(host, settled), heard);
            }
            // Where it is not taken, the person answers without it.
            let _ = host.send(&ToHost::Heard { heard: Box::new(weighed.heard) }, deadline());
        }
        let awaited = second.as_ref().and_then(Second::awaited);
        let (beside, late) = awaited.map_or((None, until), |(fd, late)| (Some(fd), late));
        let beside: Vec<BorrowedFd<'_>> = beside.into_iter().chain(tries.awaited()).collect();
        let said = match host.receive_beside(Some(until.min(late)), &beside) {
            Ok(Some(FromHost::Try)) => {
                if let Some(trying) = tries.begin() {
                    tell(&mut host, trying);
                }
                continue;
            }
            Ok(Some(said)) => settled(said),
            Ok(None) => continue,
            Err(Error::Late) if Instant::now() < until || second.is_some() => {
                // Whoever is waited for longer than the person has nothing more to say.
                if Instant::now() >= until {
                    second = None;
                }
                continue;
            }
            Err(Error::Late) => Said::Nothing(Unanswered::Open { id, waited: wait, paused }),
            Err(error) => Said::Nothing(Unanswered::Host(with_causes(&error))),
        };
        return (said, heard);
    }
}

/// Takes the question back, unless a person has answered it meanwhile.
fn settled_at(mut host: Client, proof: Settled) -> Said {
    let _ = host.send(&ToHost::Settled, deadline());
    match host.receive(Some(deadline())) {
        Ok(FromHost::Noted) => Said::Settled(proof),
        Ok(said) => settled(said),
        Err(error) => Said::Nothing(Unanswered::Host(with_causes(&error))),
    }
}

fn settled(said: FromHost) -> Said {
    Said::Nothing(Unanswered::Host(match said {
        FromHost::Granted { by } => return Said::Passed(by),
        FromHost::Answered { answer, proof } => return Said::Answer(answer, proof),
        FromHost::Nobody { why } | FromHost::Refused { why } => why,
        FromHost::Welcome
        | FromHost::Open { .. }
        | FromHost::Try
        | FromHost::Questions { .. }
        | FromHost::Recalled { .. }
        | FromHost::Handed
        | FromHost::Noted => UNASKED.to_owned(),
    }))
}

pub(super) fn deadline() -> Instant {
    Instant::now() + PATIENCE
}
