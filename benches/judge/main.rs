//! What judging costs: each step on input that is prepared for it, so that the steps stand apart, and the growth with the text.
//! Says nothing about starting a process or the real shell: that is measured from outside.
//!
//! `cargo bench` measures. `cargo test --bench judge` runs each case once, on texts and rules that stay small.
#![allow(clippy::expect_used, reason = "a measurement may fail where it stands")]

mod audit;
mod growth;
mod layers;
mod rules;
mod text;
mod world;

use std::time::Duration;

use criterion::Criterion;
use nix::sys::stat::{Mode, umask};

/// How much is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Everything, to be measured.
    Whole,
    /// What runs quickly without optimisation, to see that it works.
    Small,
}

impl Extent {
    /// Returns what cargo asks for: it passes `--bench` where it wants measurements.
    fn of_arguments() -> Self {
        let has = |asked: &str| std::env::args().any(|argument| argument == asked);
        if has("--bench") && !has("--test") { Self::Whole } else { Self::Small }
    }
}

fn main() {
    // Settings and rules that others may write are not believed.
    umask(Mode::from_bits_truncate(0o077));
    let extent = Extent::of_arguments();
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_millis(750))
        .sample_size(20)
        .configure_from_args();
    layers::measure(&mut criterion);
    growth::measure(&mut criterion, extent);
    rules::measure(&mut criterion, extent);
    audit::measure(&mut criterion);
    criterion.final_summary();
}
