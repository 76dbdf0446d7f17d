//! What a session's earlier lines have to do with this one, and what this one leaves: asked of the host and told to it, as it is for
//! questions. Where no host can be asked, a line is judged as if nothing came before.
//!
//! A line that leaves nothing and whose files cannot matter opens no socket, and where no host remembers anything none does.

use std::fmt;
use std::path::Path;
use std::time::Instant;

use super::ask::{self, deadline};
use super::{Judgement, World};
use crate::approval::text::cut;
use crate::approval::visible;
use crate::audit::mask;
use crate::frame::Frame;
use crate::ipc::{Door, FromHost, ToHost};
use crate::model::{Recent, Trace, Traces};
use crate::observe;
use crate::policy;
use crate::reading::Past;

/// Columns of a line by which people know it again.
const COLUMNS: usize = 160;

/// The session that this process runs in.
pub struct Session<'w> {
    world: &'w World,
    until: Instant,
}

impl<'w> Session<'w> {
    /// The session in this world, asked as long as there is time.
    #[must_use]
    pub fn until(world: &'w World, until: Instant) -> Self {
        Self { world, until }
    }

    /// The same; a host is waited for no longer than for what needs no person.
    #[must_use]
    pub fn of(world: &'w World) -> Self {
        Self::until(world, deadline())
    }
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Past for Session<'_> {
    fn recent(&self) -> Option<Recent> {
        if !ask::is_remembered(self.world) {
            return None;
        }
        match ask::say(self.world, &ToHost::Recall, self.until)? {
            FromHost::Recalled { recent } => Some(*recent),
            _ => None,
        }
    }

    fn is_file(&self, path: &str, trace: &Trace) -> bool {
        trace.print.is_some_and(|print| observe::is_file_of(Path::new(path), &print))
    }

    fn is_unchanged(&self, path: &str, trace: &Trace) -> bool {
        trace.print.is_none_or(|print| observe::begins_as(Path::new(path), &print))
    }
}

/// Returns what a line leaves.
pub(super) fn traces(judgement: &Judgement) -> Traces {
    let carried = judgement.frame.as_ref().and_then(Frame::carried);
    let line = carried.map_or(&judgement.line, |carried| &carried.command);
    let text = || cut(&visible(&mask::mask(line)), COLUMNS);
    policy::traces(&judgement.plan, text)
}

/// Tells the host what a line leaves that is about to run, if it leaves anything.
pub(super) fn note(world: &World, judgement: &Judgement, door: Door, until: Instant) {
    let traces = traces(judgement);
    if !traces.is_empty() {
        // Where it is not taken, lines after this one are judged as if it had not been.
        let _ = ask::say(world, &ToHost::Note { traces: Box::new(traces), door }, until);
    }
}
