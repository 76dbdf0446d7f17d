//! Archives that are unpacked over a repository, or into a directory whose files run by themselves: what is in them nobody has read, and it
//! may be hooks and settings that run.

use super::walk::Walker;
use crate::catalog::{Interpretation, Place};
use crate::model::{Arg, Effect, EffectKind};

impl Walker<'_> {
    /// Adds to what unpacks archives into a directory that it may replace what runs by itself there; over the root of a workspace, its hooks.
    pub(super) fn unpacked(&self, interpretation: &Interpretation, effects: &mut Vec<Effect>) {
        if self.place != Place::Here
            || !effects.iter().any(|effect| effect.kind == EffectKind::Unpack)
        {
            return;
        }
        let written = effects.iter().filter(|effect| effect.kind == EffectKind::Write);
        let into = written.filter_map(Effect::path).map(str::to_owned);
        let into: Vec<String> = into.filter(|path| !self.facts.workspaces.contains(path)).collect();
        for directory in into {
            self.hooks_below(EffectKind::Write, &directory, &self.state.directories, effects);
        }
        // Where members are named, only those are unpacked, and their names are judged.
        let is_member = |(_, role): &(usize, String)| role == "inert";
        if interpretation.operands.iter().any(is_member) {
            return;
        }
        let mut entered = self.entered(interpretation);
        // tar unpacks where `-C` says; the place that it was called from comes last in the list, and only takes what it writes itself.
        if !interpretation.enters.is_empty() && self.state.directories.len() == 1 {
            entered.truncate(1);
        }
        let is_root = |path: &str| {
            let is_entered = entered.iter().any(|place| place.as_deref() == Some(path));
            (is_entered || interpretation.enters.is_empty())
                && self.facts.workspaces.iter().any(|root| root == path)
                && self.scripts.exists(&format!("{path}/.git"))
        };
        let written = effects.iter().filter(|effect| effect.kind == EffectKind::Write);
        let roots = written.filter_map(Effect::path).filter(|path| is_root(path));
        let roots: Vec<String> = roots.map(str::to_owned).collect();
        for root in roots {
            let hooks = Arg::Known(format!("{root}/.git/hooks"));
            self.path_effect(EffectKind::Write, &hooks, effects);
        }
    }
}
