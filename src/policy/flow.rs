//! Where data goes: which commands get what was downloaded, decoded or read from secrets.

use crate::model::{EffectKind, FlowSource, PathClass, Target, Traces};
use crate::reading::{Plan, PlannedCommand};
use crate::rules::{Flow, FlowSink};

/// What reaches a command, as bits of [`FlowSource`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Taint(u8);

impl Taint {
    const fn bit(source: FlowSource) -> u8 {
        match source {
            FlowSource::Download => 1,
            FlowSource::Secret => 2,
            FlowSource::Decode => 4,
            FlowSource::Any => 8,
            FlowSource::Seen => 16,
            FlowSource::Work => 32,
        }
    }

    pub(super) const fn has(self, source: FlowSource) -> bool {
        self.0 & Self::bit(source) != 0
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Returns what reaches each command of the plan.
pub(super) fn taints(plan: &Plan) -> Vec<Taint> {
    let own: Vec<u8> = plan.commands.iter().map(sources).collect();
    let mut taints = vec![0u8; plan.commands.len()];
    for recalled in &plan.recalled.files {
        taints[recalled.file.command] |= bits(&recalled.sources);
    }
    // Data goes forward along pipes and out of substitutions: it settles in a few rounds.
    loop {
        let mut changed = false;
        let mut add = |taints: &mut Vec<u8>, index: usize, bits: u8| {
            if let Some(taint) = taints.get_mut(index)
                && *taint | bits != *taint
            {
                *taint |= bits;
                changed = true;
            }
        };
        for flow in &plan.flows {
            let bits = flow
                .from
                .clone()
                .filter_map(|index| Some(own.get(index)? | taints.get(index)?))
                .fold(Taint::bit(FlowSource::Any), |all, bits| all | bits);
            for index in flow.to.clone() {
                add(&mut taints, index, bits);
            }
        }
        for (index, command) in plan.commands.iter().enumerate() {
            if let Some(parent) = command.parent {
                let bits = taints[parent];
                add(&mut taints, index, bits);
            }
        }
        if !changed {
            break;
        }
    }
    let mut seen = plan.recalled.secrets.is_some();
    for (taint, own) in taints.iter_mut().zip(own) {
        if seen {
            *taint |= Taint::bit(FlowSource::Seen);
        }
        seen |= Taint(own).has(FlowSource::Secret);
    }
    taints.into_iter().map(Taint).collect()
}

fn bits(sources: &[FlowSource]) -> u8 {
    sources.iter().fold(0, |bits, source| bits | Taint::bit(*source))
}

/// What later lines of a session must know of where data came from.
const KEPT: [FlowSource; 4] =
    [FlowSource::Download, FlowSource::Secret, FlowSource::Decode, FlowSource::Work];

/// Returns what a line leaves for those after it: which files it fills from where, and whether it reads secrets. `line` is the text
/// by which people know it again.
#[must_use]
pub fn traces(plan: &Plan, line: impl FnOnce() -> String) -> Traces {
    let own: Vec<u8> = plan.commands.iter().map(sources).collect();
    let mut traces = Traces::default();
    if plan.recalled.files.is_empty() && own.iter().all(|own| *own == 0) {
        return traces;
    }
    for ((command, own), taint) in plan.commands.iter().zip(own).zip(taints(plan)) {
        traces.secrets |= Taint(own).has(FlowSource::Secret);
        let all = Taint(own | taint.0);
        let sources: Vec<FlowSource> = KEPT.into_iter().filter(|one| all.has(*one)).collect();
        if sources.is_empty() {
            continue;
        }
        for effect in &command.effects {
            let (EffectKind::Write | EffectKind::Append, Target::Path { path: Some(path), class }) =
                (effect.kind, &effect.target)
            else {
                continue;
            };
            // What was moved stands in one place; where that is of worth itself, it is seen there.
            let mut sources = sources.clone();
            if !(Taint(own).has(FlowSource::Work) && class.is_of_little_worth()) {
                sources.retain(|source| *source != FlowSource::Work);
            }
            if sources.is_empty() {
                continue;
            }
            let is_none =
                matches!(class, PathClass::Null | PathClass::Device | PathClass::NetworkDevice);
            let known = traces.files.iter_mut().find(|(known, _)| known == path);
            match known {
                _ if is_none => {}
                Some((_, known)) => {
                    let more = sources.iter().filter(|one| !known.contains(one));
                    let more: Vec<FlowSource> = more.copied().collect();
                    known.extend(more);
                }
                None => traces.files.push((path.clone(), sources.clone())),
            }
        }
    }
    if !traces.is_empty() {
        traces.line = line();
    }
    traces
}

/// Returns what to add to the words of a rule where its flow begins in an earlier line.
pub(super) fn earlier(plan: &Plan, flow: Flow) -> Option<String> {
    if flow.from == FlowSource::Seen {
        let line = plan.recalled.secrets.as_ref()?;
        return Some(format!("`{line}` read them earlier in this session"));
    }
    let begins_here = |command| Taint(sources(command)).has(flow.from);
    if plan.commands.iter().any(begins_here) {
        return None;
    }
    let file = plan.recalled.files.iter().find(|file| file.sources.contains(&flow.from))?;
    let path = &file.file.path;
    Some(format!("'{path}' comes from `{}`, earlier in this session", file.line))
}

/// What a command's own output is.
fn sources(command: &PlannedCommand) -> u8 {
    command.effects.iter().fold(0, |bits, effect| {
        bits | match (effect.kind, &effect.target) {
            (EffectKind::Fetch, _) => Taint::bit(FlowSource::Download),
            (EffectKind::Decode, _) => Taint::bit(FlowSource::Decode),
            (EffectKind::Move, Target::Path { class, .. })
                if *class != PathClass::Secret && !class.is_of_little_worth() =>
            {
                Taint::bit(FlowSource::Work)
            }
            (EffectKind::Disclose, _)
            | (
                EffectKind::Read | EffectKind::Move,
                Target::Path { class: PathClass::Secret, .. },
            ) => Taint::bit(FlowSource::Secret),
            _ => 0,
        }
    })
}

/// Returns whether data from `source` reaches `command`, which does with it what `sink` says.
pub(super) fn flows(
    command: &PlannedCommand,
    taint: Taint,
    source: FlowSource,
    sink: FlowSink,
) -> bool {
    let is_sink = match sink {
        FlowSink::Interpreter => command.runs_input,
        FlowSink::Network => command.effects.iter().any(|effect| {
            matches!(
                effect.kind,
                EffectKind::Send | EffectKind::Fetch | EffectKind::Connect | EffectKind::Remote
            ) || matches!(
                (effect.kind, &effect.target),
                (
                    EffectKind::Write | EffectKind::Append,
                    Target::Path { class: PathClass::NetworkDevice, .. }
                )
            )
        }),
        // What is temporary or built again is no loss, whatever its names.
        FlowSink::Delete => command.effects.iter().any(|effect| {
            matches!(effect.kind, EffectKind::Delete | EffectKind::DeleteTree)
                && !matches!(effect.target, Target::Path { class, .. } if class.is_of_little_worth())
        }),
    };
    // A command that reads a secret and sends is its own flow (`curl -d @.env`).
    let own = sink == FlowSink::Network
        && source == FlowSource::Secret
        && Taint(sources(command)).has(FlowSource::Secret);
    is_sink && (taint.has(source) || own)
}
