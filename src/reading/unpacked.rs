//! Archives that are unpacked over a repository, or into a directory whose files run by themselves: what is in them nobody has read, and it
//! may be hooks and settings that run.

use super::search::operands;
use super::walk::Walker;
use crate::catalog::{Interpretation, Place};
use crate::model::{Arg, Effect, EffectKind};
use crate::paths;

impl Walker<'_> {
    /// Adds to what unpacks archives into a directory that it may replace what runs by itself there; over the root of a workspace, its hooks.
    pub(super) fn unpacked(
        &self,
        interpretation: &Interpretation,
        argv: &[Arg],
        effects: &mut Vec<Effect>,
    ) {
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
        let members: Vec<&Arg> =
            operands(interpretation, argv, &["inert"]).flatten().filter(|it| !is_all(it)).collect();
        let written = effects.iter().filter(|effect| effect.kind == EffectKind::Write);
        let into: Vec<String> = written.filter_map(Effect::path).map(str::to_owned).collect();
        let named = members.iter().map(|member| above(member.prefix())).filter(|at| *at != ".");
        let named: Vec<&str> = named.collect();
        for (place, member) in into.iter().flat_map(|at| named.iter().map(move |it| (at, it))) {
            let place = paths::absolute(place, member);
            self.hooks_below(EffectKind::Write, &place, &self.state.directories, effects);
        }
        if !members.is_empty() && !members.iter().any(|member| may_be_anywhere(member)) {
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

/// The characters of which patterns for members are made.
const PATTERN: [char; 3] = ['*', '?', '['];

/// Whether a word for members stands for all of them.
fn is_all(member: &Arg) -> bool {
    member.known().is_some_and(|text| matches!(text.trim_end_matches('/'), "." | "*" | "./*"))
}

/// Returns the directory that a word for members stands for, or those that it stands for are in.
fn above(member: &str) -> &str {
    let open = member.find(PATTERN);
    open.map_or(member, |at| member[..at].rsplit_once('/').map_or(".", |(above, _)| above))
}

/// Whether a pattern for members says neither in which directory they are nor how their names end: it stands for slashes, too.
fn may_be_anywhere(member: &Arg) -> bool {
    let text = member.pattern().unwrap_or("*");
    let is_ending = |name: &str| {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        !ending.is_empty() && ending.chars().all(char::is_alphanumeric)
    };
    text.contains(PATTERN) && above(text) == "." && !is_ending(text)
}
