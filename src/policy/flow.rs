//! Where data goes: which commands get what was downloaded, decoded or read from secrets.

use crate::model::{EffectKind, PathClass, Target};
use crate::reading::{Plan, PlannedCommand};
use crate::rules::{FlowSink, FlowSource};

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
            return taints.into_iter().map(Taint).collect();
        }
    }
}

/// What a command's own output is.
fn sources(command: &PlannedCommand) -> u8 {
    command.effects.iter().fold(0, |bits, effect| {
        bits | match (effect.kind, &effect.target) {
            (EffectKind::Fetch, _) => Taint::bit(FlowSource::Download),
            (EffectKind::Decode, _) => Taint::bit(FlowSource::Decode),
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
                && !matches!(
                    effect.target,
                    Target::Path {
                        class: PathClass::Temporary | PathClass::Made | PathClass::BuildOutput,
                        ..
                    }
                )
        }),
    };
    // A command that reads a secret and sends is its own flow (`curl -d @.env`).
    let own = sink == FlowSink::Network
        && source == FlowSource::Secret
        && Taint(sources(command)).has(FlowSource::Secret);
    is_sink && (taint.has(source) || own)
}
