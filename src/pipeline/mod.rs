//! The one place where the steps are wired: from argv to the real shell, and from a line to its judgement.
//! Holds no rules of its own.

mod advice;
mod always;
mod ask;
mod client;
pub mod examples;
mod fence;
mod hook;
mod judge;
mod language;
mod named;
mod on_demand;
mod opinion;
mod own_rule;
mod pushed;
pub mod question;
pub mod quieter;
mod recent;
mod refusal;
mod road;
mod since;
mod startup;
mod stricter;
mod trial;
mod undo;
mod units;
mod witness;
mod world;

pub use always::{Offer, Why};
pub use client::Bridged;
pub use fence::layers_here;
pub use hook::{Analysis, HookCall, analyze, run as run_hook};
pub use judge::{Judge, Judgement, Request};
pub use language::{language, language_of_settings};
pub use named::Typed;
pub use on_demand::VARIABLES;
pub use opinion::{may_settle, models_of_host, supposed as second_opinion};
pub use own_rule::{OwnRule, Place, Validity};
pub use recent::Session;
pub use refusal::{Stop, Unanswered};
pub use road::{Above, may_start, run};
pub use stricter::{Verb, Why as WhyNotStricter};
pub use trial::{Ended, Tried, attempt};
pub use undo::{limits as undo_limits, supposed};
pub use world::{Pages, World, load_request, places, socket_directories, store};
