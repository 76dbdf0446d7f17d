//! Reads any bytes.
#![no_main]

#[path = "../entry.rs"]
#[allow(dead_code, reason = "each target checks one part")]
mod entry;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    if let Err(wrong) = entry::syntax(text) {
        panic!("{wrong}");
    }
});
