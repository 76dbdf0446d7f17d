//! What the beginning of a line says, without reading the rest: number, first record of its call, time.
//! Only lines as we write them say it; of all others nothing is taken from a glance.

use super::record;

/// What a line says at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Glance<'l> {
    /// The record's number.
    pub(super) sequence: u64,
    /// The number of the first record of its call.
    pub(super) reference: Option<u64>,
    /// When, as RFC 3339 has it in UTC, to the microsecond: earlier times come first in the order of their bytes.
    pub(super) time: &'l str,
}

/// Looks at a line without its newline.
pub(super) fn glance(line: &[u8]) -> Option<Glance<'_>> {
    record::said_hash(line)?;
    let rest = line.strip_prefix(b"{\"sequence\":")?;
    let (sequence, rest) = number(rest)?;
    let (reference, rest) = match rest.strip_prefix(b",\"ref\":") {
        Some(rest) => number(rest).map(|(number, rest)| (Some(number), rest))?,
        None => (None, rest),
    };
    let rest = rest.strip_prefix(b",\"time\":\"")?;
    let (time, rest) = rest.split_at_checked(TIME)?;
    let time = std::str::from_utf8(time).ok()?;
    let is_time = time.bytes().zip(SHAPE.bytes()).all(|(byte, shape)| match shape {
        b'0' => byte.is_ascii_digit(),
        shape => byte == shape,
    });
    (is_time && rest.starts_with(b"\",")).then_some(Glance { sequence, reference, time })
}

/// How a time is written.
const SHAPE: &str = "0000-00-00T00:00:00.000000Z";
const TIME: usize = SHAPE.len();

fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = bytes.split_at(digits);
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_as_they_are_written_say_anything() {
        let hash = "0".repeat(64);
        let whole = |fields: &str| format!("{fields},\"hash\":\"{hash}\"}}");
        let time = "2026-11-22T04:18:26.100000Z";
        for (line, seen) in [
            (whole(&format!(r#"{{"sequence":7,"time":"{time}","pid":1"#)), Some((7, None))),
            (
                whole(&format!(r#"{{"sequence":7,"ref":3,"time":"{time}","pid":1"#)),
                Some((7, Some(3))),
            ),
            (whole(r#"{"sequence":7,"time":"2026-11-22T04:18:26.1Z","pid":1"#), None),
            (whole(&format!(r#"{{"sequence":,"time":"{time}","pid":1"#)), None),
            (whole(&format!(r#"{{"sequence":7,"ref":null,"time":"{time}","pid":1"#)), None),
            (whole(&format!(r#"{{"time":"{time}","sequence":7,"pid":1"#)), None),
            (format!(r#"{{"sequence":7,"time":"{time}","pid":1}}"#), None),
            (String::new(), None),
        ] {
            let found = glance(line.as_bytes()).map(|seen| (seen.sequence, seen.reference));
            assert_eq!(found, seen, "{line}");
        }
    }
}
