//! Flows through files: what one command of a line writes, and a later one reads or runs.

use std::collections::HashMap;

use super::plan::{Flow, FlowKind};
use super::walk::Walker;
use crate::model::{EffectKind, PathClass, Target};

/// Commands that wrote a file, of which what reads it is told: the latest.
const WRITERS: usize = 16;

impl Walker<'_> {
    /// What one command writes to a file, a later one gets that reads or runs it.
    pub(super) fn flows_through_files(&mut self) {
        let mut writers: HashMap<String, Vec<usize>> = HashMap::new();
        for to in 0..self.plan.commands.len() {
            let mut flows = Vec::new();
            for effect in &self.plan.commands[to].effects {
                let Target::Path { path: Some(path), .. } = &effect.target else { continue };
                let reads = matches!(
                    effect.kind,
                    EffectKind::Read | EffectKind::Execute | EffectKind::Move
                );
                if let Some(known) = writers.get(path).filter(|_| reads) {
                    let latest = known.iter().rev().take(WRITERS);
                    flows.extend(latest.map(|from| (*from, effect.kind)));
                }
            }
            for (from, kind) in flows {
                self.plan.commands[to].runs_input |= kind == EffectKind::Execute;
                let kind = FlowKind::File;
                self.plan.flows.push(Flow { from: from..from + 1, to: to..to + 1, kind });
            }
            for effect in &self.plan.commands[to].effects {
                if let Target::Path { path: Some(path), class } = &effect.target
                    && *class != PathClass::Null
                    && matches!(effect.kind, EffectKind::Write | EffectKind::Append)
                {
                    writers.entry(path.clone()).or_default().push(to);
                }
            }
        }
    }
}
