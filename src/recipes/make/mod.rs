//! Makefiles: which recipes a goal runs, and what make itself runs when it reads the file (GNU make manual).

mod expand;
mod parse;
mod plan;
mod variables;

pub use parse::{Files, Makefile};
pub use variables::{Counts, Given};
