//! Containment: whether lines of which not everything is known run contained, and the layers of which a container is made.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Whether lines run contained that would be asked about only for what is not known of them. Ordered by strictness: a container lets run what a
/// person would be asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contain {
    /// They do.
    On,
    /// They are asked about.
    #[default]
    Off,
}

impl Contain {
    /// Returns the name that settings use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::Off => "off",
        }
    }
}

/// One layer of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// The Landlock domain of the fence: writes, reads, signals.
    Fence,
    /// A mount namespace: nothing but the line's own places is writable, what is guarded in the workspace is not either, secrets are not there.
    Files,
    /// A network namespace with nothing in it but its own loopback.
    Network,
    /// A filter of system calls.
    Seccomp,
    /// A way out of the network namespace, to the hosts alone that the plan names.
    Proxy,
}

impl Layer {
    /// Every layer, in the order in which they are told.
    pub const ALL: [Self; 5] =
        [Self::Fence, Self::Files, Self::Network, Self::Seccomp, Self::Proxy];

    /// Returns the name that records and the table use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fence => "fence",
            Self::Files => "files",
            Self::Network => "network",
            Self::Seccomp => "seccomp",
            Self::Proxy => "proxy",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Layer>", into = "Vec<Layer>")]
pub struct Layers(u8);

impl Layers {
    /// None of them.
    pub const NONE: Self = Self(0);
    /// All of them.
    pub const ALL: Self = Self(0b1_1111);
    /// All that hold a line; with them alone, it reaches nobody.
    pub const CLOSED: Self = Self::ALL.without(Layer::Proxy);

    /// Returns these with one more.
    #[must_use]
    pub const fn with(self, layer: Layer) -> Self {
        Self(self.0 | layer.bit())
    }

    /// Returns these without one.
    #[must_use]
    pub const fn without(self, layer: Layer) -> Self {
        Self(self.0 & !layer.bit())
    }

    /// Returns these and those.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Returns whether a layer is among them.
    #[must_use]
    pub const fn has(self, layer: Layer) -> bool {
        self.0 & layer.bit() != 0
    }

    /// Returns whether all of those are among them.
    #[must_use]
    pub const fn cover(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }

    /// Returns whether there is none.
    #[must_use]
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
    pub const fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// Returns each of them.
    pub fn each(self) -> impl Iterator<Item = Layer> {
        Layer::ALL.into_iter().filter(move |layer| self.has(*layer))
    }
}

impl From<Vec<Layer>> for Layers {
    fn from(layers: Vec<Layer>) -> Self {
        layers.into_iter().fold(Self::NONE, Self::with)
    }
}

impl From<Layers> for Vec<Layer> {
    fn from(layers: Layers) -> Self {
        layers.each().collect()
    }
}

impl std::fmt::Display for Layers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.each().map(Layer::name).collect();
        f.write_str(&names.join(", "))
    }
}

/// Directories that take what a line that is only tried writes in another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Over {
    /// The one that it writes in.
    pub root: PathBuf,
    /// What is new in that.
    pub upper: PathBuf,
    /// What the kernel needs for itself, in the same file system as `upper`.
    pub work: PathBuf,
}
