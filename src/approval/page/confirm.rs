//! What is shown before it is done: a rule that would be written, what was tried, the end of an agent. The way back is chosen first.

use super::keys::Key;
use super::{Confirm, Outcome, Page, View};
use crate::model::{Answer, Trying};

impl Page {
    pub(super) fn always(&mut self, confirm: Confirm, key: &Key) -> Option<Outcome> {
        self.confirm(View::Always, confirm, key, Answer::Always)
    }

    pub(super) fn stop(&mut self, confirm: Confirm, key: &Key) -> Option<Outcome> {
        self.confirm(View::Stop, confirm, key, Answer::Stop)
    }

    /// Chooses between the way back and an answer.
    fn confirm(
        &mut self,
        view: fn(Confirm) -> View,
        confirm: Confirm,
        key: &Key,
        answer: Answer,
    ) -> Option<Outcome> {
        Some(match (key, confirm) {
            (Key::Up | Key::Left | Key::BackTab, _) => self.confirm_in(view(Confirm::Back)),
            (Key::Down | Key::Right | Key::Tab, _) => self.confirm_in(view(Confirm::Do)),
            (Key::Enter, Confirm::Back) => self.look_at(View::Choose),
            (Key::Enter, Confirm::Do) => Outcome::Answer(answer),
            _ => return None,
        })
    }

    /// Chooses below a text; what is read of that stays where it is.
    fn confirm_in(&mut self, view: View) -> Outcome {
        self.view = view;
        Outcome::Redraw
    }

    /// Whether whoever asks can try the line, or has.
    pub(super) fn may_try(&self) -> bool {
        self.is_waiting() && self.asked.entry.trying != Trying::Impossible
    }

    pub(super) fn try_it(&mut self) -> Outcome {
        let begins = self.asked.entry.trying.may_begin();
        let outcome = self.look_at(View::Trial(Confirm::Back));
        if !begins {
            return outcome;
        }
        self.asked.entry.trying = Trying::Running;
        Outcome::Try
    }

    pub(super) fn trial(&mut self, confirm: Confirm, key: &Key) -> Option<Outcome> {
        let may_keep = self.asked.entry.trying.may_keep();
        Some(match (key, confirm) {
            (Key::Up | Key::Left | Key::BackTab, _) if may_keep => {
                self.confirm_in(View::Trial(Confirm::Back))
            }
            (Key::Down | Key::Right | Key::Tab, _) if may_keep => {
                self.confirm_in(View::Trial(Confirm::Do))
            }
            (Key::Enter, Confirm::Do) if may_keep => Outcome::Answer(Answer::Keep),
            (Key::Enter | Key::Char('q'), _) => self.look_at(View::Choose),
            _ => return self.scroll(key),
        })
    }

    /// Whether the agent that asks can be ended.
    pub(super) const fn may_stop(&self) -> bool {
        self.asked.entry.may_stop
    }
}
