//! What a line may destroy is kept before it runs, where the settings say so; and where they rely on that, a line that does no harm but what can
//! be taken back is low. What is at stake, and how it is kept, is `undo`'s to say.

use super::Judgement;
use super::world::World;
use crate::approval::text::with_causes;
use crate::audit::{Door, Line};
use crate::config::UndoSettings;
use crate::decision::action;
use crate::model::{Action, AtStake, Layers, Undo};
use crate::observe;
use crate::undo::{self, Ground, Header, Kept, Limits, Outcome, Stake, Store};

/// What is kept of one line. Unless it is said to stay, it goes away again.
#[derive(Default)]
pub(super) struct Keeping {
    kept: Option<Kept>,
    /// What is recorded.
    pub(super) noted: Option<Box<AtStake>>,
}

/// What an entry says of the line that it is kept for.
pub(super) struct About {
    /// The line, as it is recorded.
    pub(super) line: Line,
    /// Its session, if one is known.
    pub(super) session: Option<String>,
    /// By which door it came: what an agent's hook kept of a line, its shell keeps anew.
    pub(super) door: Door,
}

/// Returns how much the settings let be kept.
#[must_use]
pub fn limits(settings: &UndoSettings) -> Limits {
    Limits {
        files: settings.files.value.into(),
        bytes: settings.bytes.value,
        millis: settings.millis.value.into(),
        days: settings.days.value,
        size: settings.size.value,
    }
}

/// Whether something was found in a line that nobody need be asked about if it can be taken back.
fn may_rely(world: &World, judgement: &Judgement) -> bool {
    world.settings.undo.mode.value == Undo::Rely
        && judgement.action != Action::Allow
        && undo::covered(&judgement.assessment)
}

/// Keeps what a line may destroy, where it is low if that can be taken back.
pub(super) fn rely(
    world: &World,
    judgement: Judgement,
    about: impl FnOnce(&Judgement) -> About,
) -> (Judgement, Keeping) {
    if !may_rely(world, &judgement) {
        return (judgement, Keeping::default());
    }
    let also = also(world);
    let ground = ground(world, &also);
    let stake = undo::stake(&judgement.plan, &ground, Layers::NONE);
    let Some(stake) = stake.filter(|stake| stake.is_known() && stake.lacks().is_none()) else {
        return (judgement, Keeping::default());
    };
    let keeping = kept(world, &stake, &ground, about(&judgement));
    match keeping.noted {
        Some(ref noted) if noted.lacks.is_some() => (judgement, Keeping::default()),
        _ => {
            let judgement = taken_back(world, judgement);
            let noted = keeping.noted.map(|noted| *noted).unwrap_or_default();
            let noted = Some(Box::new(AtStake { relied: true, ..noted }));
            (judgement, Keeping { noted, kept: keeping.kept })
        }
    }
}

/// Judges a line as `rely` does, but keeps nothing: what is there is only counted.
#[must_use]
pub fn supposed(world: &World, judgement: Judgement) -> Judgement {
    if !may_rely(world, &judgement) {
        return judgement;
    }
    let also = also(world);
    let ground = ground(world, &also);
    let limits = limits(&world.settings.undo);
    let stake = undo::stake(&judgement.plan, &ground, Layers::NONE);
    let is_lacking =
        |stake: Stake| !stake.is_known() || undo::measure(&stake, &ground, &limits).is_some();
    if stake.is_none_or(is_lacking) { judgement } else { taken_back(world, judgement) }
}

fn also(world: &World) -> Vec<String> {
    let paths = world.settings.undo.also.value.iter();
    paths.filter_map(|path| path.to_str().map(str::to_owned)).collect()
}

fn ground<'w>(world: &'w World, also: &'w [String]) -> Ground<'w> {
    Ground { facts: &world.judge.facts, also, repository: &observe::repository }
}

fn taken_back(world: &World, judgement: Judgement) -> Judgement {
    let assessment = undo::taken_back(&judgement.assessment);
    let action = action(&assessment, &world.terms());
    Judgement { assessment, action, can_be_taken_back: true, ..judgement }
}

impl Keeping {
    /// Keeps what a permitted line may destroy that runs in a container with these layers, if it is not kept yet.
    pub(super) fn with(
        self,
        world: &World,
        judgement: &Judgement,
        layers: Layers,
        about: impl FnOnce(&Judgement) -> About,
    ) -> Self {
        match world.settings.undo.mode.value {
            Undo::Off => self,
            Undo::Rely | Undo::Keep if self.noted.is_some() => self,
            Undo::Rely | Undo::Keep => {
                let also = also(world);
                let ground = ground(world, &also);
                let stake = undo::stake(&judgement.plan, &ground, layers);
                let keep = |stake| kept(world, &stake, &ground, about(judgement));
                stake.map_or_else(Self::default, keep)
            }
        }
    }

    /// Lets what is kept stay: the line runs.
    pub(super) fn stay(self) {
        if let Some(kept) = self.kept {
            // The record has its name.
            let _ = kept.stay();
        }
    }
}

fn kept(world: &World, stake: &Stake, ground: &Ground<'_>, about: About) -> Keeping {
    let without = |lacks, uncovered| {
        let noted = AtStake { lacks, uncovered, ..AtStake::default() };
        Keeping { kept: None, noted: Some(Box::new(noted)) }
    };
    let Some(state) = world.places.state() else {
        return without(Some("there is no home directory to keep it in".to_owned()), None);
    };
    let header = Header {
        line: about.line.text.clone(),
        digest: about.line.digest(),
        session: about.session,
        cwd: ground.facts.cwd.clone(),
        pid: std::process::id(),
        by_hook: about.door == Door::Hook,
        ..Header::default()
    };
    let limits = limits(&world.settings.undo);
    match undo::keep(&Store::new(&state), &limits, stake, ground, header) {
        Ok(Outcome::Kept(kept)) => {
            let noted = AtStake {
                id: Some(kept.id.clone()),
                files: kept.files,
                bytes: kept.bytes,
                lacks: kept.lacks.clone(),
                uncovered: kept.uncovered.clone(),
                relied: false,
            };
            Keeping { noted: Some(Box::new(noted)), kept: Some(kept) }
        }
        Ok(Outcome::Nothing) => Keeping::default(),
        Ok(Outcome::Lacks { lacks, uncovered }) => without(lacks, uncovered),
        Err(error) if stake.is_known() => without(Some(with_causes(&error)), None),
        Err(error) => without(None, Some(with_causes(&error))),
    }
}
