//! Judges lines that are composed of loops, `eval`, carried programs, patches and links: none is harmless if what it holds is not.
#![no_main]

#[path = "../compose.rs"]
mod compose;
#[path = "../entry.rs"]
#[allow(dead_code, reason = "each target checks one part")]
mod entry;

use std::sync::LazyLock;

use guarded_sh::model::Severity;
use guarded_sh::pipeline::Judge;
use libfuzzer_sys::fuzz_target;

static JUDGE: LazyLock<Judge> = LazyLock::new(entry::judge);

fuzz_target!(|choices: &[u8]| {
    let composed = compose::compose(choices);
    match entry::judged(&JUDGE, composed.line.as_bytes()) {
        Ok(judgement) if judgement.assessment.severity == Severity::Low => {
            panic!("harmless, with {:?}: {}", composed.inner, composed.line)
        }
        Ok(_) => {}
        Err(wrong) => panic!("{wrong}: {}", composed.line),
    }
});
