//! The long texts that agents write, as `rules/frames.toml` measures them.

use super::measured::Measured;

include!(concat!(env!("OUT_DIR"), "/frames.rs"));
