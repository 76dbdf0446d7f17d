//! After a shell's call: what of it the fence stopped, for the agent. When a line fails, no guard stands beside it any more: what was printed, and
//! how the line was held, as it was recorded, is all that is known. So it says no more than that.

use std::ffi::OsStr;
use std::time::Duration;

use crate::approval::visible;
use crate::audit::{self, Filter, Line};
use crate::fence::{Denied, Verdict, WAY, denied, verdict};
use crate::hooks::{Event, Work};
use crate::model::{Fence, Held, HeldBy};
use crate::paths;
use crate::pipeline::World;

/// How long ago a line may have begun.
const RECENT: Duration = Duration::from_secs(24 * 3600);

/// Returns what an agent is told of the fence after a call; nothing if nothing that was printed has to do with it.
pub(super) fn told(
    world: &World,
    session: Option<&str>,
    event: &Event,
    work: Option<&Work>,
) -> Option<String> {
    if world.fence() != Fence::On {
        return None;
    }
    let denied = denied(event.printed.as_deref()?);
    let line = work?.line.as_deref().filter(|_| !denied.is_empty())?;
    let held = held(world, session?, line)?;
    let told = denied.iter().filter_map(|denied| of_one(denied, &held, world));
    told.reduce(|text, one| format!("{text}\n{one}"))
}

/// How the last line with these bytes was held in a session. A record that cannot be read tells nothing: that it is broken is said where something
/// is decided.
fn held(world: &World, session: &str, line: &str) -> Option<Held> {
    let since = audit::now().checked_sub(RECENT).ok();
    let filter = Filter { session: Some(session.to_owned()), since, ..Filter::default() };
    let line = Line::new(OsStr::new(line));
    let records = world.records().ok()?.read(filter).ok()?.flatten();
    let records = records.filter(|stored| stored.record.line == line);
    records.filter_map(|stored| stored.record.fence).last().map(|held| *held)
}

fn of_one(denied: &Denied, held: &Held, world: &World) -> Option<String> {
    let is_held = matches!(held.by, HeldBy::Domain | HeldBy::Outer);
    let said = match denied {
        Denied::Path(path) => {
            let path = absolute(path, world)?;
            let (is_sure, told) = match verdict(held, &path) {
                Verdict::Fence => ("stopped this line", WAY),
                Verdict::CannotTell => ("may have stopped this line", WAY),
                Verdict::NotFence => return None,
            };
            format!("{is_sure} at '{}': {told}", visible(&path))
        }
        Denied::Network if is_held && !held.tcp => {
            "keeps this line from TCP: nothing in it says that it reaches a host. Name the program that does on the line".to_owned()
        }
        Denied::Signal if is_held && !held.signals => {
            "keeps this line from signals to processes that it did not start: nothing in it says that it sends one".to_owned()
        }
        Denied::Network | Denied::Signal => return None,
    };
    Some(format!("guarded-sh: the fence {said}. To try it in another way changes nothing."))
}

/// A path as it was printed, from where the line ran.
fn absolute(path: &str, world: &World) -> Option<String> {
    let facts = &world.judge.facts;
    match path.strip_prefix('~') {
        Some(below) => Some(format!("{}{below}", facts.home.as_deref()?)),
        None => Some(paths::absolute(facts.cwd.as_deref()?, path)),
    }
}
