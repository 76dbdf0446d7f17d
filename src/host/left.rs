//! What hooks leave for the shells that come after them: lines that a person said yes to where the hook asked, or where its client did.
//! Each is for one line of one client, once, and not for long.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::grants::Digest;
use crate::decision::grant;
use crate::model::{Passed, Scope};
use crate::observe::Process;

/// For how long one counts. Whoever sits before a client's question may take a while.
const COUNTS: Duration = Duration::from_secs(600);
/// How many there are at most; the oldest go first.
const MOST: usize = 200;
/// Bytes of what they cover at most.
const MOST_BYTES: usize = 1 << 20;

/// A line that was left for a shell.
#[derive(Debug)]
struct Line {
    /// The client whose hook left it. Only a shell that it starts itself takes it.
    client: Process,
    /// When the hook started: a shell that was there before cannot be the one that the person permitted.
    since: u64,
    digest: Digest,
    scope: Scope,
    by: Passed,
    until: Instant,
}

/// Lines that were left for shells.
#[derive(Debug, Default)]
pub(super) struct Left {
    lines: VecDeque<Line>,
    bytes: usize,
}

impl Left {
    /// Leaves a line, for the next shell of this client.
    pub(super) fn leave(
        &mut self,
        client: Process,
        hook: Process,
        line: Digest,
        scope: Scope,
        by: Passed,
        now: Instant,
    ) {
        let same = |other: &Line| other.client == client && other.digest == line;
        self.retain(|other| now < other.until && !same(other));
        let bytes = super::grants::weight(&scope);
        if bytes > MOST_BYTES {
            return;
        }
        self.bytes += bytes;
        let until = now + COUNTS;
        self.lines.push_back(Line { client, since: hook.started, digest: line, scope, by, until });
        while self.lines.len() > MOST || self.bytes > MOST_BYTES {
            let Some(oldest) = self.lines.pop_front() else { break };
            self.bytes -= super::grants::weight(&oldest.scope);
        }
    }

    /// Takes what was left for a shell that this client started, if it does no more than was shown.
    pub(super) fn take(
        &mut self,
        client: Process,
        shell: Process,
        line: Digest,
        now: &Scope,
        at: Instant,
    ) -> Option<Passed> {
        let fits = |left: &Line| {
            left.client == client
                && left.digest == line
                && left.since <= shell.started
                && at < left.until
                && (grant::is_within(&left.scope, now)
                    || (left.by == Passed::Once && left.scope == *now))
        };
        let index = self.lines.iter().position(fits)?;
        let taken = self.lines.remove(index)?;
        self.bytes -= super::grants::weight(&taken.scope);
        Some(taken.by)
    }

    /// Forgets what is left for a client.
    pub(super) fn forget(&mut self, client: Process) {
        self.retain(|line| line.client != client);
    }

    fn retain(&mut self, keep: impl Fn(&Line) -> bool) {
        self.lines.retain(keep);
        self.bytes = self.lines.iter().map(|line| super::grants::weight(&line.scope)).sum();
    }
}
