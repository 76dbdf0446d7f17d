//! The oracle: rows are run in real bash under strace, and what really happened is compared with what was foreseen.
#![allow(missing_docs, reason = "test names are sentences")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail where it stands")]

mod batch;
mod generate;
mod law;
mod observed;
mod rows;
#[path = "../all/sheets.rs"]
mod sheets;
mod trace;
