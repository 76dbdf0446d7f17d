//! The seam to the second opinion: a case out, what was heard in, within a limit. Who is asked and what is sent is for `guarded-shd` to know,
//! which stands beside this program; here is no network, and nothing that a line or a project could set says which program that is.

mod asking;
mod case;
mod models;

pub use asking::{Asking, beside};
pub use case::{Attached, Budget, Case, Earlier, Noted, Request, Template};
pub use models::{Models, PROVIDERS};
