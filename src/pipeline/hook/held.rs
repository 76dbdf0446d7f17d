//! After a shell's call: what of it was stopped by what held the line, for the agent and the record. When a line fails, no guard stands beside it any
//! more: what was printed, and how the line was held, as it was recorded, is all that is known. So it says no more than that.

use std::ffi::OsStr;
use std::time::Duration;

use super::contain;
use crate::approval::visible;
use crate::audit::{self, Filter, Line};
use crate::fence::{Denied, WAY, WAY_OUT, denied, stopped};
use crate::hooks::{Event, Work};
use crate::model::{AskedHost, Denial, Held, Layer, Stopped};
use crate::paths;
use crate::pipeline::World;

/// How long ago a line may have begun.
const RECENT: Duration = Duration::from_secs(24 * 3600);

/// At what a line was stopped, and how it was held.
#[derive(Default)]
pub(super) struct Found {
    pub(super) stopped: Vec<Stopped>,
    is_contained: bool,
}

/// Finds out at what the line of a call was stopped; nothing if nothing that was printed has to do with what held it.
pub(super) fn found(
    world: &World,
    session: Option<&str>,
    event: &Event,
    work: Option<&Work>,
) -> Found {
    let find = || {
        let denied = denied(event.printed.as_deref()?);
        let line = work?.line.as_deref().filter(|_| !denied.is_empty())?;
        let held = held(world, session?, line)?;
        let is_proxied = |denied: &Denied| {
            matches!(denied, Denied::Proxied | Denied::Network | Denied::Unreachable)
        };
        let hosts = if denied.iter().any(is_proxied) { hosts(&held) } else { Vec::new() };
        let stops =
            denied.iter().filter_map(|one| stopped(one, &held, |path| absolute(path, world)));
        let mut all: Vec<Stopped> = Vec::new();
        for one in stops.chain(hosts) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        Some(Found { stopped: all, is_contained: !held.layers.is_empty() })
    };
    find().unwrap_or_default()
}

impl Found {
    /// Returns what the agent is told of it.
    pub(super) fn told(&self) -> Option<String> {
        let told = self.stopped.iter().map(|stopped| self.of_one(stopped));
        told.reduce(|text, one| format!("{text}\n{one}"))
    }

    fn of_one(&self, stopped: &Stopped) -> String {
        let (by, way) = if self.is_contained {
            (format!("its container (layer {})", stopped.layer.name()), WAY_OUT)
        } else {
            ("the fence".to_owned(), WAY)
        };
        let at = visible(stopped.at.as_deref().unwrap_or_default());
        let said = match stopped.denial {
            Denial::File if stopped.maybe => {
                format!("{by} may have stopped this line at '{at}': {way}")
            }
            Denial::File => format!("{by} stopped this line at '{at}': {way}"),
            Denial::Host => {
                let why = visible(stopped.why.as_deref().unwrap_or_default());
                format!(
                    "{by} kept this line from '{at}': {why}. The owner permits a host by `guarded-sh allow --host NAME`"
                )
            }
            Denial::Network if self.is_contained => {
                format!("{by} keeps this line from the network: {way}")
            }
            Denial::Network => format!(
                "{by} keeps this line from TCP: nothing in it says that it reaches a host. Name the program that does on the line"
            ),
            Denial::Signal => format!(
                "{by} keeps this line from signals to processes that it did not start: nothing in it says that it sends one"
            ),
        };
        format!("guarded-sh: {said}. To try it in another way changes nothing.")
    }
}

/// The hosts that the proxy of a line refused.
fn hosts(held: &Held) -> Vec<Stopped> {
    let asked = held.asked.iter().flat_map(|path| audit::aside::read::<AskedHost>(path));
    let refused = asked.filter(|asked| asked.refused.is_some());
    let stopped = |AskedHost { host, refused }| Stopped {
        layer: Layer::Proxy,
        denial: Denial::Host,
        at: Some(host),
        why: refused,
        maybe: false,
    };
    refused.map(stopped).collect()
}

/// How the last line with these bytes was held in a session. A record that cannot be read tells nothing: that it is broken is said where something
/// is decided.
fn held(world: &World, session: &str, line: &str) -> Option<Held> {
    let since = audit::now().checked_sub(RECENT).ok();
    let filter = Filter { session: Some(session.to_owned()), since, ..Filter::default() };
    let carried = contain::carried(line);
    let line = Line::new(OsStr::new(carried.as_deref().unwrap_or(line)));
    let records = world.records().ok()?.read(filter).ok()?.flatten();
    let records = records.filter(|stored| stored.record.line == line);
    records.filter_map(|stored| stored.record.fence).last().map(|held| *held)
}

/// A path as it was printed, from where the line ran.
fn absolute(path: &str, world: &World) -> Option<String> {
    let facts = &world.judge.facts;
    match path.strip_prefix('~') {
        Some(below) => Some(format!("{}{below}", facts.home.as_deref()?)),
        None => Some(paths::absolute(facts.cwd.as_deref()?, path)),
    }
}
