//! Which layers of a container can be put on here: tried once, in a process that then ends, and remembered for as long as the machine runs.
//! A memory that is wrong lets nothing run that should not: what cannot be put on is refused.

use std::fs::DirBuilder;
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use nix::unistd::pipe;

use crate::fence::{Kernel, kernel};
use crate::model::{Layer, Layers};
use crate::sys::process::{self, Forked};
use crate::sys::{Replacement, descent, powers};

/// The file of the memory, below the state directory.
const MEMORY: &str = "layers";
/// Situations that are remembered: of several containers that share a home, each has its own.
const SITUATIONS: usize = 16;
/// The version of Landlock from which on the fence holds signals, as containment needs it to.
const WHOLE: i32 = 6;

/// Whether the service is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// It is.
    Installed,
    /// It is not.
    Missing,
}

/// What is known of the layers here.
#[derive(Clone, Copy, Debug)]
pub struct Here<'h> {
    /// The directory in which it is remembered.
    pub state: Option<&'h Path>,
    /// Whether there is a service beside us, which is the proxy of lines that need one.
    pub service: Service,
}

/// Returns whether a container holds this process already, one without a network. A sign alone could be forged; the filter answers for it.
#[must_use]
pub fn holds_this_process() -> bool {
    let says = descent::bounds().is_some_and(|bounds| !bounds.outside);
    says && super::calls::is_on() && has_only_loopback()
}

/// The first two lines of the list are its head.
fn has_only_loopback() -> bool {
    let list = std::fs::read_to_string("/proc/net/dev").unwrap_or_default();
    let mut interfaces = list.lines().skip(2).filter_map(|line| line.split(':').next());
    !list.is_empty() && interfaces.all(|name| name.trim() == "lo")
}

/// Tries each layer that the kernel makes, in a process that then ends.
fn probe() -> Layers {
    let fence = match kernel() {
        Kernel::Version(WHOLE..) => Layers::NONE.with(Layer::Fence),
        Kernel::Nothing | Kernel::TooOld | Kernel::Version(_) => Layers::NONE,
    };
    fence.and(tried().unwrap_or_default())
}

fn tried() -> std::io::Result<Layers> {
    let (read, write) = pipe()?;
    match process::fork()? {
        Forked::Child => {
            drop(read);
            super::try_each(|layer| {
                // Who does not hear of a layer takes it for missing.
                let _ = nix::unistd::write(&write, &[layer as u8]);
            });
            process::end(0)
        }
        Forked::Parent(child) => {
            drop(write);
            let mut told = Vec::new();
            std::fs::File::from(read).read_to_end(&mut told)?;
            // What becomes of it is nothing to us; where we ignore our children's ends it is gone already.
            let _ = nix::sys::wait::waitpid(child, None);
            let layers = Layer::ALL.into_iter().filter(|layer| told.contains(&(*layer as u8)));
            Ok(layers.fold(Layers::NONE, Layers::with))
        }
    }
}

impl Here<'_> {
    /// Returns the layers that are remembered; none where they were not tried yet.
    #[must_use]
    pub fn remembered(self) -> Option<Layers> {
        let text = std::fs::read_to_string(self.state?.join(MEMORY)).ok()?;
        Some(self.with_proxy(remembered(&text, &situation()?)?))
    }

    /// A way out is for a network of the line's own.
    fn with_proxy(self, layers: Layers) -> Layers {
        let is_there = self.service == Service::Installed && layers.has(Layer::Network);
        if is_there { layers.with(Layer::Proxy) } else { layers }
    }

    /// Returns the layers that can be put on, from memory where this was tried before.
    #[must_use]
    pub fn layers(self) -> Layers {
        // A domain denies mounts for good: below a line that is only fenced nothing is contained.
        if descent::bounds().is_some() {
            return if holds_this_process() { Layers::CLOSED } else { Layers::NONE };
        }
        let (Some(memory), Some(situation)) = (self.state.map(|s| s.join(MEMORY)), situation())
        else {
            return self.with_proxy(probe());
        };
        let text = std::fs::read_to_string(&memory).unwrap_or_default();
        if let Some(layers) = remembered(&text, &situation) {
            return self.with_proxy(layers);
        }
        let layers = probe();
        let bits = layers.each().fold(0u8, |bits, layer| bits | 1 << layer as u8);
        let others = text.lines().filter(|line| !line.starts_with(&situation)).take(SITUATIONS - 1);
        let new = std::iter::once(format!("{situation} {bits}\n"));
        let all: String = new.chain(others.map(|line| format!("{line}\n"))).collect();
        // It is tried again next time.
        let directory =
            DirBuilder::new().recursive(true).mode(0o700).create(memory.with_file_name(""));
        let _ = directory
            .and_then(|()| Replacement::write(&memory, all.as_bytes()))
            .and_then(Replacement::put);
        self.with_proxy(layers)
    }

    /// Forgets what was tried, since it was wrong.
    pub fn forget(self) {
        if let Some(state) = self.state {
            // What is not there is forgotten.
            let _ = std::fs::remove_file(state.join(MEMORY));
        }
    }
}

fn remembered(text: &str, situation: &str) -> Option<Layers> {
    let line = text.lines().find_map(|line| line.strip_prefix(situation))?;
    let bits: u8 = line.trim().parse().ok()?;
    let has = |layer: &Layer| bits & (1 << *layer as u8) != 0;
    Some(Layer::ALL.into_iter().filter(has).fold(Layers::NONE, Layers::with))
}

/// What decides which layers there are: the run of the machine, the namespace of users, the user, and what holds this process.
fn situation() -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = std::fs::read_link("/proc/self/ns/user").ok()?;
    Some(format!(
        "{} {} {} {} {} {} {}",
        env!("CARGO_PKG_VERSION"),
        boot.trim(),
        namespace.display(),
        nix::unistd::geteuid(),
        u8::from(powers::has(powers::Capability::SysAdmin)),
        u8::from(powers::is_filtered()),
        u8::from(powers::gains_none()),
    ))
}
