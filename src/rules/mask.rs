//! What a command has, and what a rule asks for, as bits: most rules are put aside without being decoded.

use serde::{Deserialize, Serialize};

use super::Conditions;
use super::model::{EffectKind, PathClass};

/// What a command has. A bit too many only costs time; a bit too few would hide a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EffectMask {
    kinds: u64,
    classes: u32,
    traits: u8,
}

/// Traits of a command that rules may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Traits {
    /// Data flows into it from another command.
    Flow = 1,
    /// Variables are set for it.
    Environment = 2,
    /// It was found inside a wrapper.
    Wrapped = 4,
    /// It has options.
    Options = 8,
}

impl EffectMask {
    /// Every bit: passes over no rule.
    pub const ALL: Self = Self { kinds: u64::MAX, classes: u32::MAX, traits: u8::MAX };

    /// Returns this mask with an effect of `kind`.
    #[must_use]
    pub const fn with_kind(mut self, kind: EffectKind) -> Self {
        self.kinds |= 1 << kind as u32;
        self
    }

    /// Returns this mask with a target of `class`.
    #[must_use]
    pub const fn with_class(mut self, class: PathClass) -> Self {
        self.classes |= 1 << class as u32;
        self
    }

    /// Returns this mask with a trait.
    #[must_use]
    pub const fn with_trait(mut self, one: Traits) -> Self {
        self.traits |= one as u8;
        self
    }
}

/// What a rule asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Needs {
    /// One of these effects; zero: no effect.
    kinds: u64,
    /// One of these classes of targets; zero: none.
    classes: u32,
    /// All of these traits.
    traits: u8,
}

impl Needs {
    /// Returns what `conditions` ask for, as far as bits can say it.
    #[must_use]
    pub fn of(conditions: &Conditions) -> Self {
        let kinds = conditions.effects.iter().fold(0, |bits, &kind| bits | 1 << kind as u32);
        let classes = match &conditions.target {
            // A target may also be met by its path, host or name; then its class says nothing.
            Some(target)
                if !conditions.effects.is_empty()
                    && target.path.is_empty()
                    && target.host.is_empty()
                    && target.name.is_empty() =>
            {
                target.class.iter().fold(0, |bits, &class| bits | 1 << class as u32)
            }
            Some(_) | None => 0,
        };
        let mut traits = 0;
        for (asked, one) in [
            (conditions.flow.is_some(), Traits::Flow),
            (!conditions.env.is_empty(), Traits::Environment),
            (!conditions.via.is_empty(), Traits::Wrapped),
            (
                !conditions.options.any.is_empty() || !conditions.options.all.is_empty(),
                Traits::Options,
            ),
        ] {
            if asked {
                traits |= one as u8;
            }
        }
        Self { kinds, classes, traits }
    }

    /// Returns whether a command that has `mask` may meet the needs.
    #[must_use]
    pub const fn met_by(self, mask: &EffectMask) -> bool {
        (self.kinds == 0 || self.kinds & mask.kinds != 0)
            && (self.classes == 0 || self.classes & mask.classes != 0)
            && self.traits & !mask.traits == 0
    }
}
