//! Compiles the data under `rules/` and `agents/` into what the program embeds, so that nothing is parsed when it starts.
#![allow(missing_docs, reason = "a build script has no documentation of its own")]
#![allow(clippy::expect_used, reason = "a build that cannot go on stops where it stands")]
#![allow(clippy::duplicate_mod, reason = "the compilers of data share the words of the model")]

#[path = "build/agents.rs"]
mod agents;
#[path = "build/catalog.rs"]
mod catalog;
#[path = "build/contain.rs"]
mod contain;
#[path = "build/fence.rs"]
mod fence;
#[path = "build/link.rs"]
mod link;
#[path = "src/model/mod.rs"]
#[allow(dead_code, unused_imports, reason = "the build script needs only some of the shared words")]
mod model;
#[path = "build/packs.rs"]
mod packs;
#[path = "build/places.rs"]
mod places;
#[path = "build/registries.rs"]
mod registries;
#[path = "build/secrets.rs"]
mod secrets;
#[path = "build/tables.rs"]
mod tables;
#[path = "build/tools.rs"]
mod tools;

fn main() {
    println!("cargo::rerun-if-changed=rules");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=agents");
    println!("cargo::rerun-if-changed=shell-integration");
    catalog::compile();
    packs::compile();
    tables::compile();
    agents::compile();
    link::choose();
}
