//! What of that which holds a line stopped it, as far as its record tells it of what a program says that it was denied.
//! Says nothing that is not certain, but for what it says may be.

use super::denied::{Cause, Denied};
use super::verdict::{Verdict, hides, verdict};
use crate::model::{Denial, Held, HeldBy, Layer, Stopped};

/// Returns what stopped a line that was held so; none where it was something else. `absolute` makes a path of one as it was printed.
pub fn stopped(
    denied: &Denied,
    held: &Held,
    absolute: impl Fn(&str) -> Option<String>,
) -> Option<Stopped> {
    match held.by {
        HeldBy::Domain | HeldBy::Outer => {}
        HeldBy::Report | HeldBy::Nothing => return None,
    }
    let has_no_network = held.layers.has(Layer::Network);
    let whole = |layer, denial| Some(Stopped { layer, denial, at: None, why: None, maybe: false });
    match denied {
        Denied::Path(cause, path) => of_file(*cause, absolute(path)?, held),
        Denied::Network | Denied::Unreachable if has_no_network => {
            whole(Layer::Network, Denial::Network)
        }
        Denied::Network if !held.tcp => whole(Layer::Fence, Denial::Network),
        Denied::Signal if !held.signals => whole(Layer::Fence, Denial::Signal),
        // Which hosts its proxy refused, that has said itself.
        Denied::Network | Denied::Unreachable | Denied::Proxied | Denied::Signal => None,
    }
}

fn of_file(cause: Cause, path: String, held: &Held) -> Option<Stopped> {
    let has_files = held.layers.has(Layer::Files);
    let (layer, verdict) = match cause {
        Cause::Permission => (Layer::Fence, verdict(held, &path)),
        Cause::ReadOnly if has_files => (Layer::Files, verdict(held, &path)),
        Cause::Missing if has_files && hides(held, &path) => (Layer::Files, Verdict::Fence),
        // No domain answers so.
        Cause::ReadOnly | Cause::Missing => return None,
    };
    let maybe = match verdict {
        Verdict::Fence => false,
        Verdict::CannotTell => true,
        Verdict::NotFence => return None,
    };
    Some(Stopped { layer, denial: Denial::File, at: Some(path), why: None, maybe })
}
