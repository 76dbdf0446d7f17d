//! What a line moves: what is taken away where it stands then, is what stood elsewhere before.
//! Goes by the effects of commands, whatever program has them.

use super::linked::{below, takes_away};
use super::plan::PlannedCommand;
use super::redirect::Targets;
use super::walk::Walker;
use crate::catalog::Place;
use crate::model::{Arg, Effect, EffectKind, Target};
use crate::paths::absolute;

/// Of a line that moves more, it is not known what stands where.
const MOVED: usize = 256;

/// Something that a command puts elsewhere.
pub(super) struct Moved {
    /// Where it stands then.
    pub(super) to: String,
    /// Where it stood before; none if that is not known.
    pub(super) from: Option<String>,
}

impl Walker<'_> {
    /// Adds to what is taken away from places of little worth that it is what a command before moved there.
    pub(super) fn follow_moves(&mut self) {
        let mut moved: Vec<Moved> = Vec::new();
        // A trap runs at the end.
        let is_late = |index: &usize| self.plan.commands[*index].via.iter().any(|by| by == "trap");
        let (late, now) = (0..self.plan.commands.len()).partition::<Vec<usize>, _>(is_late);
        for index in now.into_iter().chain(late) {
            let command = &self.plan.commands[index];
            if command.place != Place::Here {
                continue;
            }
            let more = if moved.is_empty() { Vec::new() } else { self.taken_with(command, &moved) };
            if moved.len() <= MOVED {
                for (from, to) in put(command, &[EffectKind::Move]) {
                    let again = moved.iter().filter_map(|other| other.again(from.as_deref()?, &to));
                    let again: Vec<Moved> = again.collect();
                    moved.extend(again);
                    moved.push(Moved { to, from });
                }
            }
            self.plan.commands[index].effects.extend(more);
        }
    }

    /// What a command takes away of what was moved.
    fn taken_with(&self, command: &PlannedCommand, moved: &[Moved]) -> Vec<Effect> {
        let mut more: Vec<Effect> = Vec::new();
        for Effect { kind, target } in &command.effects {
            let Target::Path { path: Some(path), class } = target else { continue };
            if !takes_away(*kind) || !class.is_of_little_worth() {
                continue;
            }
            let stood = moved.iter().filter_map(|other| other.before(path));
            let stood: Vec<Arg> =
                if moved.len() > MOVED { vec![Arg::Unknown] } else { stood.collect() };
            for stood in stood {
                self.path_effects_in(*kind, &stood, &[Some("/".to_owned())], &mut more);
            }
        }
        more.retain(|effect| !command.effects.contains(effect));
        more
    }
}

impl Moved {
    /// Where that stood which a path now names: this, what is in it, or all of it for a path that holds it.
    fn before(&self, path: &str) -> Option<Arg> {
        let rest = below(path, &self.to).or_else(|| below(&self.to, path).map(|_| ""))?;
        let from = self.from.as_ref().map(|from| Arg::Glob(absolute(from, rest)));
        Some(from.unwrap_or(Arg::Unknown))
    }

    /// What becomes of it if something is moved that holds it, or that it holds.
    fn again(&self, from: &str, to: &str) -> Option<Self> {
        let to = below(&self.to, from).map_or_else(|| to.to_owned(), |rest| absolute(to, rest));
        let Arg::Glob(from) = self.before(from)? else { return Some(Self { to, from: None }) };
        Some(Self { to, from: Some(from) })
    }
}

/// What a command puts where by effects of these kinds: under the name that it writes, or in that by its own.
pub(super) fn put(command: &PlannedCommand, kinds: &[EffectKind]) -> Vec<(Option<String>, String)> {
    let mut put = Vec::new();
    let written: Vec<&str> = paths(command, EffectKind::Write).flatten().collect();
    if written.is_empty() {
        return put;
    }
    for from in kinds.iter().flat_map(|kind| paths(command, *kind)) {
        let name = from.and_then(|from| from.rsplit('/').next()).unwrap_or("*");
        for to in &written {
            put.push((from.map(str::to_owned), (*to).to_owned()));
            put.push((from.map(str::to_owned), absolute(to, name)));
            if put.len() > MOVED {
                return put;
            }
        }
    }
    put
}

/// The paths that a command has an effect of this kind on.
fn paths(command: &PlannedCommand, kind: EffectKind) -> impl Iterator<Item = Option<&str>> {
    let effects = command.effects.iter().filter(move |effect| effect.kind == kind);
    effects.filter_map(|effect| match &effect.target {
        Target::Path { path, .. } => Some(path.as_deref()),
        Target::None | Target::Host { .. } | Target::Text { .. } => None,
    })
}
