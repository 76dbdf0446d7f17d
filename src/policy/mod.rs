//! A plan to an assessment: findings, severity and score, for each command and for the line.
//! Decides nothing and asks nobody.
#![forbid(unsafe_code, clippy::disallowed_methods)]

mod asked;
mod assess;
mod contain;
mod effects;
mod flow;
mod matching;
mod unmet;

pub use asked::hosts;
pub use assess::{Assessment, CommandAssessment, Structure, assess};
pub use effects::{sentence, severity_of};
pub use flow::traces;
pub use unmet::unmet;
