//! `log --fenced`: how lines were held to their plans, at what they were stopped, and whether it was the fence that something failed at a path.
//! Only reads the record: when a line fails, the guard is not there any more, and what the kernel refused is told to nobody. At what a line was stopped
//! an agent's hook has found out of what was printed.

use crate::approval::visible;
use crate::audit::{self, Entry};
use crate::fence::{Verdict, WAY, verdict};
use crate::model::{AskedHost, Denial, Doing, Held, HeldBy, Layer, Stopped};

/// What is asked about the fence.
pub(super) enum Asked {
    /// How lines were held.
    How,
    /// What is said of a path, absolute.
    Path(String),
}

/// Returns how the line of an entry was held.
pub(super) fn of(entry: &Entry) -> Option<&Held> {
    entry.records().find_map(|record| record.fence.as_deref())
}

impl Asked {
    pub(super) fn about(path: &str) -> Self {
        if path.is_empty() {
            return Self::How;
        }
        let here = std::env::current_dir().unwrap_or_default();
        Self::Path(here.join(path).to_string_lossy().into_owned())
    }

    /// Returns the answer about the line of an entry, in lines of text.
    pub(super) fn answer(&self, entry: &Entry, held: &Held) -> Vec<String> {
        match self {
            Self::How => stops(entry).chain(how(held)).collect(),
            Self::Path(path) => {
                let said = verdict(held, path);
                let mut lines = vec![format!("{}: {path}", said.says())];
                if said == Verdict::Fence && held.by == HeldBy::Domain {
                    lines.push(WAY.to_owned());
                }
                lines
            }
        }
    }
}

/// At what a line was stopped, first of all that is said of it.
fn stops(entry: &Entry) -> impl Iterator<Item = String> {
    let hooks = entry.records().filter_map(|record| record.hook.as_deref());
    hooks.flat_map(|hook| &hook.stopped).map(|Stopped { layer, denial, at, why, maybe }| {
        let what = match (denial, at) {
            (Denial::File | Denial::Host, Some(at)) => visible(at).into_owned(),
            (Denial::Signal, _) => "a signal to what it did not start".to_owned(),
            (Denial::Network | Denial::File | Denial::Host, _) => "the network".to_owned(),
        };
        let may = if *maybe { ", or something else" } else { "" };
        let why = why.as_ref().map(|why| format!(": {}", visible(why))).unwrap_or_default();
        format!("stopped  {what}: by the layer {}{may}{why}", layer.name())
    })
}

fn how(held: &Held) -> Vec<String> {
    let by = match held.by {
        HeldBy::Domain if !held.layers.is_empty() => "contained",
        HeldBy::Domain => "held",
        HeldBy::Outer => "held by the line that started it",
        HeldBy::Report => "would be held",
        HeldBy::Nothing => "not held",
    };
    let why = held.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    let mut lines = vec![format!("{by}{why}")];
    if held.by == HeldBy::Nothing {
        return lines;
    }
    lines.push(match &held.writes {
        Some(places) => format!("writes   {}", places.join(" ")),
        None => "writes   anywhere".to_owned(),
    });
    for (place, doing) in &held.added {
        let doing = match doing {
            Doing::All => "writes, moves and deletes in",
            Doing::Write => "writes",
            Doing::Make => "makes files in",
            Doing::Remove => "deletes from",
        };
        lines.push(format!("also     {doing} {place}"));
    }
    lines.push(match held.secrets.as_deref() {
        Some([]) => "reads    all: no secrets are known here".to_owned(),
        Some(secrets) => format!("reads    all but {}", secrets.join(" ")),
        None => "reads    all".to_owned(),
    });
    if held.layers.has(Layer::Files) {
        lines.push("files    nothing else can be written; secrets, and sockets of other programs, are not there".to_owned());
    }
    if !held.guarded.is_empty() {
        lines.push(format!("guarded  read-only: {}", held.guarded.join(" ")));
    }
    let tcp = if held.tcp { "may" } else { "may not" };
    let signals = if held.signals { "any process" } else { "what it starts" };
    lines.push(if held.layers.has(Layer::Proxy) {
        format!(
            "network  nothing but a loopback of its own, and by a proxy {}; signals {signals}",
            held.hosts.join(" ")
        )
    } else if held.layers.has(Layer::Network) {
        format!(
            "network  the line ran without: nothing but a loopback of its own; signals {signals}"
        )
    } else {
        format!("network  {tcp} connect or listen by TCP; signals {signals}")
    });
    for AskedHost { host, refused } in held.asked.iter().flat_map(|path| audit::aside::read(path)) {
        lines.push(match refused {
            None => format!("asked    {host}: reached"),
            Some(why) => format!("asked    {host}: refused: {why}"),
        });
    }
    if !held.layers.is_empty() {
        lines.push(format!("layers   {}", held.layers));
    }
    lines.extend(held.leaves.iter().map(|daemon| format!("leaves   {daemon}")));
    if !held.refused.is_empty() {
        lines.push(format!("refused  {}", held.refused.join(" ")));
    }
    lines
}
