//! The lines of shells that were decided about, each with its directory once: what a change of rules is tried on.

use std::collections::HashMap;

use guarded_sh::subcommand::Line;
use jiff::Timestamp;
use rusqlite::{Connection, Result};

use super::call::flag;
use super::tally::HOUR;

/// Calls that are looked at, the newest.
const CALLS: i64 = 50_000;

/// Returns the lines since a time that the index has whole, those of the newest calls first, and no more than so many.
pub(super) fn lines(db: &Connection, since: Timestamp, most: usize) -> Result<Vec<Line>> {
    let since = since.as_microsecond();
    let mut query = db.prepare_cached(
        "SELECT texts.text, calls.line FROM calls JOIN texts ON texts.id = calls.project \
         WHERE calls.first >= (SELECT coalesce(min(first), 9223372036854775807) FROM hours WHERE hour >= ?1) \
         AND calls.time >= ?2 AND calls.told = 0 AND calls.flags & ?3 = 0 AND calls.bytes = length(CAST(calls.line AS BLOB)) \
         AND calls.bytes > 0 ORDER BY calls.first DESC LIMIT ?4",
    )?;
    let aside = flag::OTHER | flag::TYPED;
    let mut rows = query.query((since.div_euclid(HOUR), since, aside, CALLS))?;
    let (mut lines, mut places): (Vec<Line>, HashMap<(String, String), usize>) =
        (Vec::new(), HashMap::new());
    while let Some(row) = rows.next()? {
        let key: (String, String) = (row.get(0)?, row.get(1)?);
        if let Some(line) = places.get(&key).and_then(|at| lines.get_mut(*at)) {
            line.times += 1;
        } else if lines.len() < most {
            lines.push(Line { directory: key.0.clone(), line: key.1.clone(), times: 1 });
            places.insert(key, lines.len() - 1);
        }
    }
    Ok(lines)
}
