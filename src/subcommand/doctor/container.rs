//! What `doctor` says of containers: which layers can be put on here, and what one that is missing costs.
//! Tries them; changes nothing.

use crate::model::{Contain, Layer, Layers};
use crate::pipeline::layers_here;

/// Switches of the kernel without which nobody but root leaves namespaces, and the value that forbids it.
const SWITCHES: [(&str, &str); 4] = [
    ("user.max_user_namespaces", "0"),
    ("user.max_net_namespaces", "0"),
    ("kernel.unprivileged_userns_clone", "0"),
    ("kernel.apparmor_restrict_unprivileged_userns", "1"),
];

/// Says what contains lines here.
pub(super) fn line(setting: Contain) -> String {
    let state = match setting {
        Contain::Off => "off: lines are asked about of which not everything is known".to_owned(),
        Contain::On => on(here()),
    };
    format!("contain  {state}\n")
}

/// Returns the layers that can be put on here, tried anew.
pub(super) fn here() -> Layers {
    layers_here(None).layers()
}

fn on(here: Layers) -> String {
    let missing: Vec<Layer> = Layer::ALL.into_iter().filter(|layer| !here.has(*layer)).collect();
    if missing.is_empty() {
        return format!("on: {here}");
    }
    let costs = match missing.as_slice() {
        [Layer::Proxy] => {
            "what `permit.contained_network` lets use the network is asked about; the rest runs contained"
        }
        _ => "nothing runs contained: it is asked about",
    };
    let why: Vec<String> = missing.iter().map(|layer| format!("  · {}\n", why(*layer))).collect();
    format!("NOT WHOLE: {costs}\n{}", why.concat().trim_end())
}

/// Why a layer may be missing.
fn why(layer: Layer) -> String {
    let name = layer.name();
    let cause = match layer {
        Layer::Fence => "it takes Landlock 6 (Linux 6.12), which holds signals".to_owned(),
        Layer::Files | Layer::Network => {
            let is_set = |(name, value): &&(&str, &str)| {
                let path = format!("/proc/sys/{}", name.replace('.', "/"));
                std::fs::read_to_string(path).is_ok_and(|text| text.trim() == *value)
            };
            let set: Vec<String> = SWITCHES
                .iter()
                .filter(is_set)
                .map(|(name, value)| format!("{name} is {value}"))
                .collect();
            match set.as_slice() {
                [] => "this system, or the container that this is, denies namespaces; or Linux is older than 5.12".to_owned(),
                set => format!("namespaces are denied: {}", set.join(", ")),
            }
        }
        Layer::Seccomp => "the kernel takes no filter of system calls".to_owned(),
        Layer::Proxy => "it takes guarded-shd beside guarded-sh, and the layer network".to_owned(),
    };
    format!("{name}: {cause}")
}
