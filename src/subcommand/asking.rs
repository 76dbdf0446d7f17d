//! A question as a person answers it: its page, and what is behind that: the colours of its line, the rule that a yes for good
//! writes, and the page of `explain`. Holds no terminal, and hands the answer to no host.
//!
//! The line is judged again here, in the person's own world. That only says more about it: what is asked, and what a yes covers,
//! stays what the question says.

use std::borrow::Cow;
use std::time::Instant;

use super::explain::{self, Scores};
use super::output::Output;
use super::sheet::Colour;
use super::trial;
use crate::approval::page::{Asked, Before, Escape, Look, Offers, Outcome, Page};
use crate::ipc::{Entry, State};
use crate::language::Language;
use crate::model::{Answer, Caller, Covers, Heard, Question, Trying};
use crate::pipeline::{Judgement, Offer, Request, Stop, World};
use crate::reading::Known;
use crate::syntax;

/// What came of a key, or of time that passed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Nothing that would be seen.
    Nothing,
    /// It looks different now.
    Redraw,
    /// The person is about to deny it: no yes of another terminal is to be taken before that is decided.
    Denying,
    /// The person wants the line to be tried; and it looks different now.
    Try,
    /// The person left the question, and it stays open.
    Leave,
    /// The answer; where it is one for good, its rule is written.
    Answer(Answer),
}

/// A question that is being asked.
pub(super) struct Asking {
    page: Page,
    question: Question,
    offer: Offer,
    look: Look,
    language: Language,
    columns: usize,
}

impl Asking {
    /// Shows a question from now on, in this language. `home` is what paths are shortened by.
    pub(super) fn new(
        entry: Entry,
        more: usize,
        escape: Escape,
        look: Look,
        home: Option<&str>,
        language: Language,
    ) -> Self {
        let question = entry.question.clone();
        let offer = Offer::of(&question);
        let always = offer.text().map(str::to_owned);
        let asked = Asked {
            highlights: syntax::highlight(&question.line),
            entry,
            home: home.map(str::to_owned),
            language,
            offers: Offers { session: vec![Covers::Signature, Covers::Line], always },
            more,
            escape,
        };
        let page = Page::new(asked, look, Instant::now());
        Self { page, question, offer, look, language, columns: 80 }
    }

    /// Returns the page, to be drawn on so many columns.
    pub(super) fn page(&mut self, columns: usize) -> &mut Page {
        self.columns = columns;
        &mut self.page
    }

    /// Returns the question as it stands.
    pub(super) fn entry(&self) -> &Entry {
        self.page.entry()
    }

    /// Says how many more questions wait now.
    pub(super) const fn more(&mut self, more: usize) {
        self.page.more(more);
    }

    /// Says how the question stands now.
    pub(super) fn stands(&mut self, state: State, age: u64) {
        self.page.stands(state, age);
    }

    /// Says what a model says of the line now.
    pub(super) fn heard(&mut self, heard: &Heard) {
        self.page.heard(heard);
    }

    /// Says how it stands with the trial of the line now.
    pub(super) fn trying(&mut self, trying: &Trying) {
        self.page.trying(trying, |done| trial::told(done, self.look, self.language));
    }

    /// Says that the question is no longer asked, and why. What is typed from now on is for nobody.
    pub(super) fn withdraw(&mut self, why: Cow<'static, str>) {
        self.page.withdraw(why, Instant::now());
    }

    /// Returns whether the question is no longer asked.
    pub(super) const fn is_withdrawn(&self) -> bool {
        self.page.is_withdrawn()
    }

    /// Says that it can be seen from now on, and what the person did at this keyboard before.
    pub(super) fn begins(&mut self, before: Before) {
        self.page.begins(before, Instant::now());
    }

    /// Says that keys came before it could be read, and that they were dropped.
    pub(super) fn dropped(&mut self) {
        self.page.dropped(Instant::now());
    }

    /// Says that others wrote to the terminal, and that all was drawn again.
    pub(super) fn disturbed(&mut self) {
        self.page.disturbed(Instant::now());
    }

    /// Says that the answer was not taken, and why. Another can be given.
    pub(super) fn not_taken(&mut self, why: String) {
        self.page.not_taken(why);
    }

    /// Returns when [`Asking::tick`] is to be called, if no keys come before.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.page.deadline()
    }

    /// Takes bytes from the keyboard.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Step {
        let outcome = self.page.feed(bytes, Instant::now());
        self.step(outcome)
    }

    /// Takes text that was pasted.
    pub(super) fn paste(&mut self, text: &[u8]) -> Step {
        let outcome = self.page.paste(text, Instant::now());
        self.step(outcome)
    }

    /// Lets time pass.
    pub(super) fn tick(&mut self) -> Step {
        let outcome = self.page.tick(Instant::now());
        self.step(outcome)
    }

    fn step(&mut self, outcome: Outcome) -> Step {
        match outcome {
            Outcome::Nothing => Step::Nothing,
            Outcome::Redraw => Step::Redraw,
            Outcome::Denying => Step::Denying,
            Outcome::Try => Step::Try,
            Outcome::Leave => Step::Leave,
            Outcome::Explain => {
                self.page.explained(&explained(&self.question, self.look, self.columns));
                Step::Redraw
            }
            Outcome::Answer(Answer::Always) => match self.offer.write() {
                Ok(()) => Step::Answer(Answer::Always),
                Err(why) => {
                    let values = [("why", why.to_string().into())];
                    self.page.not_taken(self.language.tell("question-no-rule", &values));
                    Step::Redraw
                }
            },
            Outcome::Answer(answer) => Step::Answer(answer),
        }
    }
}

/// Returns the page of `explain` about the line of a question, for a page that has a margin of its own and so many columns.
pub(super) fn explained(question: &Question, look: Look, columns: usize) -> String {
    let page = || -> Result<String, Stop> {
        let mut world = World::at(question.cwd.clone())?;
        if let Some(agent) = &question.agent {
            world.judge.facts.caller = Caller::Agent(agent.clone());
        }
        let past = Known(&question.recent);
        let request = Request::about(question.line.as_bytes()).after(&past);
        let judgement = Judgement { anew: question.anew.clone(), ..world.judge(&request)? };
        let colour = match look {
            Look::Colour => Colour::On,
            Look::Mono => Colour::Off,
        };
        let output = Output { colour, columns: Some(columns.saturating_sub(4)) };
        Ok(explain::page(&world, &judgement, output, Scores::Hidden))
    };
    page().unwrap_or_else(|stop| stop.to_string())
}
