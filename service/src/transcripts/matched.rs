//! Which of our decisions belongs to which call of a tool: by the id of the call where the hook was told it; else by what was called, in order, the nearest in time.

use std::collections::{HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};

/// How much earlier than the call's line a decision may have been written: clients write what a model said when it has said all.
const EARLIER: SignedDuration = SignedDuration::from_secs(5);
/// How much later, where nothing came of the call: a question may be open for long.
const LATER: SignedDuration = SignedDuration::from_hours(24);

/// A call of a transcript.
#[derive(Clone, Debug)]
pub struct Wants<'c> {
    /// The id that the agent gave it.
    pub id: Option<&'c str>,
    /// What is the same for the same call.
    pub key: u64,
    /// When it was called.
    pub time: Option<Timestamp>,
    /// When something came of it.
    pub until: Option<Timestamp>,
}

/// A decision of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Has {
    /// The number of the call in the record.
    pub sequence: u64,
    /// When.
    pub time: Timestamp,
    /// The id that the agent gave the call, if a hook was told it.
    pub id: Option<String>,
    /// What is the same for the same call.
    pub key: u64,
}

/// What belongs to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// The decision of this number, which has the id of the call.
    Id(u64),
    /// The decision of this number: no other of this session and time has that content.
    Content(u64),
    /// The decision of this number, or another of those with that content.
    Several(u64),
    /// There is none.
    None,
}

impl Matched {
    /// Returns the number of the decision.
    pub const fn sequence(self) -> Option<u64> {
        match self {
            Self::Id(sequence) | Self::Content(sequence) | Self::Several(sequence) => {
                Some(sequence)
            }
            Self::None => None,
        }
    }
}

/// Returns a time so much earlier. A transcript may say any time: before the first of all there is none.
pub fn earlier(time: Timestamp, by: SignedDuration) -> Timestamp {
    time.checked_sub(by).unwrap_or(Timestamp::MIN)
}

/// Returns a time so much later, as [`earlier`] does.
pub fn later(time: Timestamp, by: SignedDuration) -> Timestamp {
    time.checked_add(by).unwrap_or(Timestamp::MAX)
}

/// Returns what belongs to each call, in their order. No decision belongs to two.
pub fn matched(calls: &[Wants<'_>], decisions: &[Has]) -> Vec<Matched> {
    let mut found = vec![Matched::None; calls.len()];
    let mut taken = HashSet::new();
    let mut ids = HashMap::new();
    for decision in decisions {
        if let Some(id) = &decision.id {
            ids.entry(id.as_str()).or_insert(decision.sequence);
        }
    }
    for (call, found) in calls.iter().zip(&mut found) {
        if let Some(sequence) = call.id.and_then(|id| ids.get(id)) {
            *found = Matched::Id(*sequence);
            taken.insert(*sequence);
        }
    }
    let mut by_key: HashMap<u64, (Vec<usize>, Vec<&Has>)> = HashMap::new();
    for (index, call) in calls.iter().enumerate() {
        if found[index] == Matched::None {
            by_key.entry(call.key).or_default().0.push(index);
        }
    }
    for decision in decisions.iter().filter(|decision| !taken.contains(&decision.sequence)) {
        if let Some((_, decisions)) = by_key.get_mut(&decision.key) {
            decisions.push(decision);
        }
    }
    for (indices, mut decisions) in by_key.into_values() {
        decisions.sort_by_key(|decision| (decision.time, decision.sequence));
        pair(calls, &indices, &decisions, &mut found);
    }
    found
}

/// Pairs calls and decisions of one content, in order: each call with the nearest that is not before the one of the call before.
fn pair(calls: &[Wants<'_>], indices: &[usize], decisions: &[&Has], found: &mut [Matched]) {
    let mut next = 0;
    for index in indices {
        let call = &calls[*index];
        let fits = |decision: &Has| {
            // One that is told to be another's is.
            let is_anothers = call.id.is_some() && decision.id.is_some();
            let begun = call.time.is_none_or(|time| decision.time >= earlier(time, EARLIER));
            let end = call.until.map(|end| later(end, EARLIER));
            let end = end.or(call.time.map(|time| later(time, LATER)));
            !is_anothers && begun && end.is_none_or(|end| decision.time <= end)
        };
        let fitting = decisions.iter().enumerate().skip(next).filter(|(_, one)| fits(one));
        let distance = |decision: &Has| {
            call.time.map_or(SignedDuration::ZERO, |time| decision.time.duration_since(time).abs())
        };
        let Some((at, decision)) = fitting.min_by_key(|(at, one)| (distance(one), *at)) else {
            continue;
        };
        next = at + 1;
        let others = decisions.iter().filter(|one| fits(one)).count();
        let is_one = others == 1 && indices.len() == 1;
        found[*index] = if is_one {
            Matched::Content(decision.sequence)
        } else {
            Matched::Several(decision.sequence)
        };
    }
}
