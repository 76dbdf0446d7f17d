//! The one place where the steps are wired: from argv to the real shell, and from a line to its judgement.
//! Holds no rules of its own.

pub mod examples;
mod judge;
mod question;
mod refusal;
mod road;
mod startup;
mod world;

pub use judge::{Judge, Judgement, Request};
pub use refusal::Stop;
pub use road::run;
pub use world::{World, load_request, places, store};
