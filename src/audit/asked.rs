//! What the proxies of contained lines say of the hosts that they were asked for: read from the file that a line's record names. Changes nothing.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use super::directory;
use crate::model::AskedHost;

/// Bytes of such a file that are read.
const LONGEST: u64 = 1 << 20;

/// Returns the hosts that a line asked for, in the order in which they were asked for first; none where nothing was, or it is not kept any more.
#[must_use]
pub fn asked(path: &str) -> Vec<AskedHost> {
    let Ok(Some(file)) = directory::open(Path::new(path)) else { return Vec::new() };
    let lines = BufReader::new(file.take(LONGEST)).lines().map_while(Result::ok);
    lines.filter_map(|line| serde_json::from_str(&line).ok()).collect()
}
