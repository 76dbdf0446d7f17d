//! The bridge by itself, with a real service, guards and shells behind it: what clients may ask for, and every way by which something else could run. Each
//! test plays in namespaces of its own, with a home that is thrown away.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests panic")]

mod attacks;
mod bridge;
mod clients;
mod conformance;
mod container;
mod faults;
#[path = "../conformance/forward.rs"]
mod forward;
mod host;
mod keys;
mod measured;
mod road;
mod streams;
mod terminals;
#[path = "../conformance/tools.rs"]
mod tools;
#[allow(dead_code, reason = "the page's tests use the rest of it")]
#[path = "../page/world.rs"]
mod world;
