//! The question as a person sees it at the bottom of a terminal: keys in, rows that show it and at last an answer out.
//! Knows no terminal and no clock: whoever holds them gives it bytes and the time, and puts back what was there before.
//!
//! A yes takes two steps, one that chooses and one that takes it, so that nobody gives one while typing something else. Keys count
//! only once the question has been there for a [`Guard`] without any; one that means nothing makes it wait anew, and longer. Keys that
//! come in a burst ([`Pace`]) were typed without looking, or pasted: all of them are dropped, the first as well, so an answer is given
//! only when nothing came right behind its key.

mod compose;
mod confirm;
mod editor;
mod explained;
mod guard;
pub mod keys;
mod said;
mod surface;
mod written;

use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

use super::line::{self, Highlights};
use super::others::{DISTURBED, DISTURBING};
use super::words;
use crate::ipc::{Entry, State};
use crate::language::Language;
use crate::model::{Answer, Covers, Heard, Question, Severity, Trial, Trying};
use editor::{Editor, Lines};
use explained::Explained;
use keys::{Key, Keys};

pub use guard::{Before, Came, Guard, Pace};
pub use surface::{Look, Surface};

/// Columns without which a question is not shown.
pub const LEAST_COLUMNS: usize = 30;
/// Rows without which a question is not shown.
pub const LEAST_ROWS: usize = 8;
/// What is said of keys that were dropped.
const EARLY: &str = "question-keys-early";
/// What is said of keys that were dropped since they came in a burst.
const BURST: &str = "question-keys-in-burst";
/// What is said of keys that would have been for a question that is no longer asked.
const WITHDRAWN: &str = "question-keys-for-nothing";
/// What is typed for a yes to what is critical, in every language.
const WORD: &str = "run";

/// A question with what is needed to show it.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The question.
    pub entry: Entry,
    /// Colours of its line; none of them changes what is shown.
    pub highlights: Highlights,
    /// The home that paths are shortened by.
    pub home: Option<String>,
    /// The language in which the person is asked.
    pub language: Language,
    /// What can be given besides a yes for once. What is critical gets none of it, whatever stands here.
    pub offers: Offers,
    /// How many more questions wait.
    pub more: usize,
    /// What Escape does, where nothing is left to go back from.
    pub escape: Escape,
}

/// What Escape does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// It denies: somebody waits, and nothing but the question is there.
    Denies,
    /// It leaves the question open.
    Leaves,
}

/// What can be given besides a yes for once.
#[derive(Clone, Debug, Default)]
pub struct Offers {
    /// What a yes for the session may cover, in the order in which it is offered.
    pub session: Vec<Covers>,
    /// The rule that a yes for good would write, as text; none if there is none.
    pub always: Option<String>,
}

/// What came of keys, or of time that passed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// Nothing that would be seen.
    Nothing,
    /// It looks different now.
    Redraw,
    /// The person wants to read [`Page::explained`]; and it looks different now.
    Explain,
    /// The person is about to deny: nothing looks different, but no yes of another terminal is to be taken before that is decided.
    Denying,
    /// The person wants the line to be tried; and it looks different now.
    Try,
    /// The person left the question, and it stays open.
    Leave,
    /// The answer. Whatever comes after it is dropped until [`Page::show`].
    Answer(Answer),
}

/// One of the answers that are chosen from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Deny,
    Once,
    Session,
    Always,
}

/// Whether what is shown is to be done: a rule to be written, what was tried to be kept, an agent to be ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Confirm {
    Back,
    Do,
}

/// What is looked at.
#[derive(Clone, Debug)]
enum View {
    Choose,
    Session(usize),
    Always(Confirm),
    Word(Editor),
    Edit(Editor),
    Message(Editor),
    Explain,
    /// What came of a trial, if it is over.
    Trial(Confirm),
    /// What it means to deny and to end the agent.
    Stop(Confirm),
    /// The question is no longer asked, for this reason. It is closed by a key of its own, since others may still be meant for it.
    Withdrawn(Cow<'static, str>),
}

/// Whether keys count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// They do.
    No,
    /// Not yet: what is shown is to be read first.
    Reading,
    /// Not yet: a key opened a text to write in, and another that comes at once closes it.
    Opening,
}

/// An answer whose key nothing may follow for a moment.
#[derive(Clone, Debug)]
struct Given {
    answer: Answer,
    counts_at: Instant,
}

/// A question that is being asked.
pub struct Page {
    asked: Asked,
    look: Look,
    keys: Keys,
    view: View,
    choice: usize,
    guard: Guard,
    held: Held,
    pace: Pace,
    given: Option<Given>,
    notice: Option<Cow<'static, str>>,
    /// Others wrote to the terminal since a key counted last.
    is_disturbed: bool,
    /// Whether all that a yes needs has been drawn.
    is_shown: bool,
    is_answered: bool,
    /// The first row that is shown of what scrolls; none for where it matters most.
    scroll: Option<usize>,
    /// How far it can be scrolled, and by how much at once.
    reach: (usize, usize),
    rows: Option<(usize, Vec<line::Row>)>,
    /// Which of these rows have been drawn.
    seen: Vec<bool>,
    explained: Option<Explained>,
    /// The page about what came of a trial.
    tried: Option<Explained>,
}

impl Page {
    /// Shows a question from now on.
    #[must_use]
    pub fn new(asked: Asked, look: Look, now: Instant) -> Self {
        Self {
            asked,
            look,
            keys: Keys::default(),
            view: View::Choose,
            choice: 0,
            guard: Guard::begin(now),
            held: Held::Reading,
            pace: Pace::default(),
            given: None,
            notice: None,
            is_disturbed: false,
            is_shown: false,
            is_answered: false,
            scroll: None,
            reach: (0, 1),
            rows: None,
            seen: Vec::new(),
            explained: None,
            tried: None,
        }
    }

    /// Shows another question from now on. Nothing that was typed for the one before is left.
    pub fn show(&mut self, asked: Asked, now: Instant) {
        // What was begun at the keyboard is still to be ended: the rest of a paste is no key.
        let keys = std::mem::take(&mut self.keys);
        *self = Self { keys, ..Self::new(asked, self.look, now) };
    }

    /// Says that it can be seen from now on, and what the person did at this keyboard before.
    pub fn begins(&mut self, before: Before, now: Instant) {
        (self.guard, self.held) = (Guard::after(before, now), Held::Reading);
    }

    /// Says that keys came before it could be read, and that they were dropped.
    pub fn dropped(&mut self, now: Instant) {
        let _ = self.drop_keys(now, EARLY);
    }

    /// Returns the question that is shown.
    #[must_use]
    pub const fn entry(&self) -> &Entry {
        &self.asked.entry
    }

    /// Says how many more questions wait now.
    pub const fn more(&mut self, more: usize) {
        self.asked.more = more;
    }

    /// Says how the question stands now. One that was answered elsewhere takes no answer any more.
    pub fn stands(&mut self, state: State, age: u64) {
        let stays = matches!(self.view, View::Explain | View::Withdrawn(_));
        if matches!(state, State::Answered { .. }) && !stays {
            self.view = View::Choose;
            self.given = None;
        }
        self.asked.entry.state = state;
        self.asked.entry.age = age;
    }

    /// Shows what a model says of the line.
    pub fn heard(&mut self, heard: &Heard) {
        let shown = &mut self.asked.entry.question.opinion;
        if shown.as_deref() != Some(heard) {
            *shown = Some(Box::new(heard.clone()));
        }
    }

    /// Says how it stands with the trial of the line. `page` returns the text about what came of it; of escape sequences in that only colours
    /// count.
    pub fn trying(&mut self, trying: &Trying, page: impl FnOnce(&Trial) -> String) {
        if self.asked.entry.trying == *trying {
            return;
        }
        self.asked.entry.trying = trying.clone();
        self.tried = match trying {
            Trying::Done(trial) => Some(Explained::new(&page(trial))),
            _ => None,
        };
        if matches!(self.view, View::Trial(_)) {
            let _ = self.look_at(match trying {
                Trying::Impossible => View::Choose,
                _ => View::Trial(Confirm::Back),
            });
        }
    }

    /// Says that the question is no longer asked, and why. What is typed from now on is for nobody.
    pub fn withdraw(&mut self, why: Cow<'static, str>, now: Instant) {
        if !self.is_withdrawn() {
            let _ = self.look_at(View::Withdrawn(why));
            (self.guard, self.held, self.given) = (Guard::begin(now), Held::Reading, None);
            self.is_answered = false;
        }
    }

    /// Returns whether the question is no longer asked.
    #[must_use]
    pub const fn is_withdrawn(&self) -> bool {
        matches!(self.view, View::Withdrawn(_))
    }

    /// Says that others wrote to the terminal, and that all was drawn again. What was chosen is to be chosen anew: nobody knows what was
    /// seen meanwhile.
    pub fn disturbed(&mut self, now: Instant) {
        self.forget();
        self.seen.fill(false);
        self.is_disturbed = true;
        let _ = self.hold(Guard::begin(now), DISTURBING);
    }

    /// Says that its last answer was not taken, and why. Another can be given.
    pub fn not_taken(&mut self, why: impl Into<Cow<'static, str>>) {
        self.view = View::Choose;
        self.scroll = None;
        self.is_answered = false;
        self.notice = Some(why.into());
    }

    /// Gives the text that [`Outcome::Explain`] asked for. Of escape sequences in it only colours count.
    pub fn explained(&mut self, text: &str) {
        self.explained = Some(Explained::new(text));
    }

    /// Returns what is drawn: as many rows as it needs, at most these.
    pub fn surface(&mut self, columns: usize, rows: usize) -> Surface {
        let (surface, reach) = compose::compose(self, columns, rows);
        self.is_shown = reach.is_some();
        if let Some((most, page)) = reach {
            self.reach = (most, page);
            self.scroll = self.scroll.map(|scroll| scroll.min(most));
        }
        surface
    }

    /// Returns when [`Page::tick`] is to be called, if no keys come before.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        let held = (self.held != Held::No).then_some(self.guard.until());
        let given = self.given.as_ref().map(|given| given.counts_at);
        [self.keys.deadline(), held, given].into_iter().flatten().min()
    }

    /// Returns what is drawn as rows of text with SGR sequences, for who puts them at their place: at most so many.
    pub fn rows(&mut self, columns: usize, rows: usize) -> Vec<Vec<u8>> {
        let look = self.look;
        self.surface(columns, rows).rows(look)
    }

    /// Takes text that was pasted, from whoever takes the brackets off it.
    pub fn paste(&mut self, text: &[u8], now: Instant) -> Outcome {
        let outcome = self.tick(now);
        if matches!(outcome, Outcome::Answer(_) | Outcome::Leave) {
            return outcome;
        }
        self.take(Key::Paste(String::from_utf8_lossy(text).replace('\r', "\n")), now).or(outcome)
    }

    /// Lets time pass.
    pub fn tick(&mut self, now: Instant) -> Outcome {
        if let Some(given) = self.given.take_if(|given| given.counts_at <= now) {
            if !self.is_shown && !given.answer.is_no() {
                return Outcome::Nothing;
            }
            self.is_answered = true;
            return Outcome::Answer(given.answer);
        }
        // An escape counts from when it was pressed.
        let pressed_early = self.held != Held::No && !self.guard.is_over(now);
        let woken = self.wake(now);
        match self.keys.tick(now) {
            Some(key) if !pressed_early => self.take(key, now).or(woken),
            Some(_) => self.drop_keys(now, EARLY),
            None => woken,
        }
    }

    /// Takes bytes from the keyboard.
    pub fn feed(&mut self, bytes: &[u8], now: Instant) -> Outcome {
        let mut outcome = self.tick(now);
        if matches!(outcome, Outcome::Answer(_) | Outcome::Leave) {
            return outcome;
        }
        let keys = self.keys.feed(bytes, now);
        // Nor is the beginning of one taken.
        let is_any = !keys.is_empty() || self.keys.deadline().is_some();
        if self.held != Held::No {
            return if is_any { self.drop_keys(now, EARLY) } else { outcome };
        }
        if is_any && self.given.is_some() {
            return self.drop_keys(now, BURST);
        }
        for key in keys {
            outcome = self.take(key, now).or(outcome);
            if matches!(outcome, Outcome::Answer(_) | Outcome::Leave) {
                break;
            }
        }
        outcome
    }

    fn question(&self) -> &Question {
        &self.asked.entry.question
    }

    fn is_critical(&self) -> bool {
        let question = self.question();
        let found = question.findings.iter().map(|finding| finding.severity);
        found.chain([question.severity, question.scope.severity]).any(|s| s == Severity::Critical)
    }

    /// Whether the one who asked still waits: else there is nothing that an edited line could go to.
    fn is_waiting(&self) -> bool {
        self.asked.entry.is_waiting()
    }

    fn choices(&self) -> Vec<Choice> {
        if !self.asked.entry.is_open() || self.is_withdrawn() {
            return Vec::new();
        }
        let mut choices = vec![Choice::Deny, Choice::Once];
        if !self.is_critical() {
            if !self.session_covers().is_empty() {
                choices.push(Choice::Session);
            }
            if self.asked.offers.always.is_some() {
                choices.push(Choice::Always);
            }
        }
        choices
    }

    fn session_covers(&self) -> Vec<Covers> {
        let is_possible =
            |covers: &Covers| *covers != Covers::Signature || words::has_signature(self.question());
        self.asked.offers.session.iter().copied().filter(is_possible).collect()
    }

    fn wake(&mut self, now: Instant) -> Outcome {
        if self.held == Held::No || !self.guard.is_over(now) {
            return Outcome::Nothing;
        }
        self.held = Held::No;
        self.notice = self.is_disturbed.then(|| self.say(DISTURBED));
        Outcome::Redraw
    }

    fn hold(&mut self, guard: Guard, notice: &'static str) -> Outcome {
        (self.guard, self.held) = (guard, Held::Reading);
        self.notice = Some(self.say(notice));
        Outcome::Redraw
    }

    /// Drops keys that were not meant for this, with what those before them have begun.
    fn drop_keys(&mut self, now: Instant, notice: &'static str) -> Outcome {
        let _ = self.pace.take(now);
        if self.is_withdrawn() {
            return self.hold(Guard::begin(now), WITHDRAWN);
        }
        self.forget();
        self.hold(Guard::again(now), notice)
    }

    /// Forgets what keys have chosen so far; not what was written.
    fn forget(&mut self) {
        let is_opened = self.held == Held::Opening && self.is_writing();
        match self.view {
            View::Session(_) | View::Always(_) | View::Word(_) | View::Stop(_) => {
                self.view = View::Choose;
            }
            View::Trial(_) => self.view = View::Trial(Confirm::Back),
            _ if is_opened => self.view = View::Choose,
            _ => {}
        }
        (self.choice, self.given) = (0, None);
    }

    const fn is_writing(&self) -> bool {
        matches!(self.view, View::Edit(_) | View::Message(_) | View::Word(_))
    }

    fn look_at(&mut self, view: View) -> Outcome {
        self.view = view;
        self.scroll = None;
        self.notice = None;
        Outcome::Redraw
    }

    /// Opens a text to write in.
    fn open_text(&mut self, view: View, now: Instant) -> Outcome {
        (self.guard, self.held) = (Guard::field(now), Held::Opening);
        self.look_at(view)
    }

    fn escape(&self) -> Outcome {
        match self.asked.escape {
            Escape::Denies => self.deny(),
            Escape::Leaves => Outcome::Leave,
        }
    }

    fn deny(&self) -> Outcome {
        if self.choices().is_empty() {
            return Outcome::Nothing;
        }
        Outcome::Answer(Answer::Deny { message: None })
    }

    /// Takes a key. An answer is given once nothing came right behind its key.
    fn take(&mut self, key: Key, now: Instant) -> Outcome {
        if self.is_answered {
            return Outcome::Nothing;
        }
        let came = self.pace.take(now);
        if self.held != Held::No || self.given.is_some() {
            let is_burst = self.given.is_some() || came == Came::InBurst;
            let notice = if is_burst { BURST } else { EARLY };
            return self.drop_keys(now, notice);
        }
        let wait = if matches!(key, Key::Char(_)) { Pace::LETTER } else { Pace::BURST };
        match self.key(key, came, now) {
            Outcome::Answer(answer) if answer.is_yes() && self.unseen().is_some() => {
                self.show_unseen()
            }
            Outcome::Answer(answer) => {
                let denies = answer.is_no();
                self.given = Some(Given { answer, counts_at: now + wait });
                if denies { Outcome::Denying } else { Outcome::Nothing }
            }
            outcome => outcome,
        }
    }

    /// What a key does. Nobody says yes to what could not be shown.
    fn key(&mut self, key: Key, came: Came, now: Instant) -> Outcome {
        if self.is_withdrawn() {
            return match (key, came) {
                (Key::Escape | Key::Control('c'), Came::Alone) => Outcome::Leave,
                _ => self.hold(Guard::begin(now), WITHDRAWN),
            };
        }
        if came == Came::InBurst && !self.is_fine_in_burst(&key) {
            return if self.is_writing() {
                self.refuse("question-key-too-fast")
            } else {
                self.drop_keys(now, BURST)
            };
        }
        if !self.is_shown {
            return match key {
                Key::Escape | Key::Control('c') | Key::Char('q') => self.escape(),
                Key::Char('d') => self.deny(),
                _ => Outcome::Nothing,
            };
        }
        (self.notice, self.is_disturbed) = (None, false);
        match key {
            Key::PageUp => return self.scroll_by(usize::saturating_sub),
            Key::PageDown => return self.scroll_by(|at, page| at + page),
            Key::Paste(_) if !self.is_writing() || matches!(self.view, View::Word(_)) => {
                return self.drop_keys(now, "question-pasted");
            }
            Key::Escape | Key::Control('c') if !matches!(self.view, View::Choose) => {
                return self.look_at(View::Choose);
            }
            _ => {}
        }
        let done = match self.view {
            View::Choose => self.choose(&key, now),
            View::Session(at) => self.session(at, &key),
            View::Always(confirm) => self.always(confirm, &key),
            View::Explain => self.explain(&key),
            View::Trial(confirm) => self.trial(confirm, &key),
            View::Stop(confirm) => self.stop(confirm, &key),
            View::Word(_) | View::Edit(_) | View::Message(_) => return self.write(&key),
            View::Withdrawn(_) => return Outcome::Nothing,
        };
        match (done, key) {
            (Some(outcome), _) => outcome,
            (None, Key::Char(_) | Key::Control(_)) => self.drop_keys(now, "question-key-unknown"),
            (None, _) => Outcome::Nothing,
        }
    }

    /// Whether nothing is decided by a key that comes right behind another: text where text is written, and a key that is held down to move.
    fn is_fine_in_burst(&self, key: &Key) -> bool {
        if self.is_writing() {
            return !matches!(key, Key::Enter | Key::Escape | Key::Control('c'));
        }
        let is_moving = matches!(key, Key::Up | Key::Down | Key::PageUp | Key::PageDown);
        is_moving || (*key == Key::Char(' ') && matches!(self.view, View::Explain | View::Trial(_)))
    }

    fn scroll_by(&mut self, to: impl Fn(usize, usize) -> usize) -> Outcome {
        let (most, page) = self.reach;
        let at = self.scroll.unwrap_or(0);
        self.scroll = Some(to(at, page).min(most));
        Outcome::Redraw
    }

    /// The first row of the line that is underlined and was not drawn yet. Nobody says yes to what they could not see.
    fn unseen(&self) -> Option<usize> {
        let (_, rows) = self.rows.as_ref()?;
        rows.iter().zip(&self.seen).position(|(row, seen)| row.is_marked() && !seen)
    }

    /// Says that these rows of the line were drawn.
    fn see(&mut self, rows: Range<usize>) {
        self.seen.get_mut(rows).into_iter().flatten().for_each(|seen| *seen = true);
    }

    /// Shows what of the line was not seen yet, in place of the answer.
    fn show_unseen(&mut self) -> Outcome {
        if !matches!(self.view, View::Word(_)) {
            self.view = View::Choose;
        }
        self.scroll = self.unseen();
        self.refuse("question-unseen")
    }

    fn choose(&mut self, key: &Key, now: Instant) -> Option<Outcome> {
        let choices = self.choices();
        let Some(chosen) = choices.get(self.choice).copied() else { return self.read(key) };
        Some(match key {
            Key::Up | Key::Left | Key::BackTab => self.choose_at(self.choice.saturating_sub(1)),
            Key::Down | Key::Right | Key::Tab => {
                self.choose_at((self.choice + 1).min(choices.len() - 1))
            }
            Key::Home => self.choose_at(0),
            Key::Enter => self.open(chosen, now),
            Key::Char('d') => self.deny(),
            Key::Char('q') | Key::Escape | Key::Control('c') => self.escape(),
            Key::Char('o') => self.choose_at(1),
            Key::Char('s') => self.open_at(&choices, Choice::Session, now)?,
            Key::Char('a') => self.open_at(&choices, Choice::Always, now)?,
            Key::Char('e') if self.is_waiting() => {
                let editor = Editor::new(&self.question().line, Lines::Many);
                self.open_text(View::Edit(editor), now)
            }
            Key::Char('t') if self.may_try() => self.try_it(),
            Key::Char('k') if self.may_stop() => self.look_at(View::Stop(Confirm::Back)),
            Key::Char('m') => self.open_text(View::Message(Editor::new("", Lines::One)), now),
            _ => return self.read(key),
        })
    }

    /// What can be done whether it is answered or not.
    fn read(&mut self, key: &Key) -> Option<Outcome> {
        Some(match key {
            Key::Escape | Key::Control('c') | Key::Char('q') => self.escape(),
            Key::Char('x') => {
                let _ = self.look_at(View::Explain);
                if self.explained.is_some() { Outcome::Redraw } else { Outcome::Explain }
            }
            _ => return None,
        })
    }

    fn choose_at(&mut self, at: usize) -> Outcome {
        self.choice = at;
        Outcome::Redraw
    }

    fn open_at(&mut self, choices: &[Choice], choice: Choice, now: Instant) -> Option<Outcome> {
        self.choice = choices.iter().position(|offered| *offered == choice)?;
        Some(self.open(choice, now))
    }

    fn open(&mut self, choice: Choice, now: Instant) -> Outcome {
        match choice {
            Choice::Deny => self.deny(),
            Choice::Once if self.is_critical() => {
                self.open_text(View::Word(Editor::new("", Lines::One)), now)
            }
            Choice::Once => Outcome::Answer(Answer::Once),
            Choice::Session => self.look_at(View::Session(0)),
            Choice::Always => self.look_at(View::Always(Confirm::Back)),
        }
    }

    fn session(&mut self, at: usize, key: &Key) -> Option<Outcome> {
        let covers = self.session_covers();
        Some(match key {
            Key::Up | Key::Left | Key::BackTab => self.look_at(View::Session(at.saturating_sub(1))),
            Key::Down | Key::Right | Key::Tab => {
                self.look_at(View::Session((at + 1).min(covers.len().saturating_sub(1))))
            }
            Key::Enter => match covers.get(at) {
                Some(covers) => Outcome::Answer(Answer::Session { covers: *covers }),
                None => self.look_at(View::Choose),
            },
            _ => return None,
        })
    }

    fn explain(&mut self, key: &Key) -> Option<Outcome> {
        match key {
            Key::Enter | Key::Char('q' | 'x') => Some(self.look_at(View::Choose)),
            _ => self.scroll(key),
        }
    }

    /// A key for a text that is longer than its place.
    fn scroll(&mut self, key: &Key) -> Option<Outcome> {
        Some(match key {
            Key::Up => self.scroll_by(|at, _| at.saturating_sub(1)),
            Key::Down => self.scroll_by(|at, _| at + 1),
            Key::Home => self.scroll_by(|_, _| 0),
            Key::End => self.scroll_by(|_, _| usize::MAX),
            Key::Char(' ') => self.scroll_by(|at, page| at + page),
            _ => return None,
        })
    }

    /// A key for a text that is being written.
    fn write(&mut self, key: &Key) -> Outcome {
        let (View::Word(editor) | View::Edit(editor) | View::Message(editor)) = &mut self.view
        else {
            return Outcome::Nothing;
        };
        if *key != Key::Enter {
            self.scroll = None;
            return if editor.key(key) { Outcome::Redraw } else { Outcome::Nothing };
        }
        let text = editor.text().to_owned();
        match &self.view {
            View::Word(_) if text == WORD => Outcome::Answer(Answer::Once),
            View::Word(_) => self.refuse("question-not-the-word"),
            View::Edit(_) if text.trim().is_empty() => self.refuse("question-nothing-to-run"),
            View::Edit(_) if text == self.question().line => {
                self.refuse("question-nothing-changed")
            }
            View::Edit(_) => Outcome::Answer(Answer::Edit { line: text }),
            _ if text.trim().is_empty() => self.look_at(View::Choose),
            _ => Outcome::Answer(Answer::Deny { message: Some(text.trim().to_owned()) }),
        }
    }

    fn refuse(&mut self, notice: &'static str) -> Outcome {
        self.notice = Some(self.say(notice));
        Outcome::Redraw
    }
}

impl Outcome {
    /// This one, unless nothing came of it.
    fn or(self, other: Self) -> Self {
        match (&self, &other) {
            (Self::Nothing, _) | (Self::Redraw, Self::Explain) => other,
            _ => self,
        }
    }
}
