//! Judges any bytes.
#![no_main]

#[path = "../entry.rs"]
#[allow(dead_code, reason = "each target checks one part")]
mod entry;

use std::sync::LazyLock;

use guarded_sh::pipeline::Judge;
use libfuzzer_sys::fuzz_target;

static JUDGE: LazyLock<Judge> = LazyLock::new(entry::judge);

fuzz_target!(|text: &[u8]| {
    if let Err(wrong) = entry::judged(&JUDGE, text) {
        panic!("{wrong}");
    }
});
