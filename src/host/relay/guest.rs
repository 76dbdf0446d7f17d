//! Who else uses the session's terminal: it is asked what to wait for, told what happened, and may show a page in the agent's stead.
//! The relay knows nothing of what a guest asks or answers.

use std::ffi::OsString;
use std::io;
use std::time::Instant;

use nix::poll::{PollFd, PollFlags};

use crate::approval::page::Before;
use crate::host::starts::Start;

/// A guest at the terminal. All calls come from the one loop of the relay, and none may wait for anything.
pub trait Guest {
    /// Returns the variables that the agent and all below it get, beside `GUARDED_SH_SESSION`.
    fn environment(&self) -> Vec<(OsString, OsString)>;

    /// Takes that the programs which the agent starts cannot be watched; returns whether it runs all the same. Nothing runs yet.
    fn unwatched(&mut self, why: &io::Error) -> bool {
        let _ = why;
        true
    }

    /// Takes what one of the agent's own processes has started.
    fn started(&mut self, start: Start) {
        let _ = start;
    }

    /// Takes that nobody looks any more at what they start, though they go on.
    fn unseen(&mut self) {}

    /// Adds the descriptors to wait for.
    fn wait_for<'a>(&'a self, descriptors: &mut Vec<PollFd<'a>>);

    /// Returns when it wants its turn though none of them is ready.
    fn wake_at(&self) -> Option<Instant>;

    /// Takes its turn: what its descriptors are ready for, in the order in which it named them.
    fn turn(&mut self, ready: &[PollFlags]);

    /// Returns the page that is to be shown now; none if nothing is asked. Where there is no terminal nothing is shown, and nothing
    /// answered. What there is room for is the guest's to say. Called after each turn and each key.
    fn page(&mut self, room: Room) -> Option<Page> {
        let _ = room;
        None
    }

    /// Takes that its page can be seen from now on, and what the person did at the keyboard before.
    fn begins(&mut self, before: Before) {
        let _ = before;
    }

    /// Takes that keys came before its page could be read, and were dropped.
    fn dropped(&mut self) {}

    /// Takes that others wrote to the terminal while its page was shown. All is drawn again; what was to be seen meanwhile, nobody knows.
    fn disturbed(&mut self) {}

    /// Takes what was typed, while a page that asks is shown and was long enough to be seen.
    fn typed(&mut self, input: Typed<'_>) {
        let _ = input;
    }

    /// Takes that the person typed something to the agent while a page is shown that only says something.
    fn passed(&mut self) {}
}

/// The room that a page may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// All of the screen, however small that is.
    Screen {
        /// Its height.
        rows: u16,
        /// Its width.
        columns: u16,
    },
    /// There is no terminal, or none any more.
    NoTerminal,
}

/// What is shown over the bottom of the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// What it is shown for.
    pub purpose: Purpose,
    /// Rows of text with SGR sequences; anything else in them is left out, and what is too wide is cut. The last ones are kept
    /// where there are more than fit.
    pub rows: Vec<Vec<u8>>,
    /// Where the cursor is shown: row and column in the page.
    pub cursor: Option<(usize, usize)>,
}

/// What a page is shown for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// To ask: keys are for it, and what the agent writes waits for its end.
    #[default]
    Ask,
    /// To say something: keys reach the agent, and what that writes is seen.
    Say,
}

/// What was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed<'a> {
    /// One key: a character, or the sequence that stands for the key.
    Key(&'a [u8]),
    /// Text that was pasted. It may come in parts.
    Pasted(&'a [u8]),
}
