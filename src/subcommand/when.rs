//! Points in time as people write them: `2h`, `today`, a date, RFC 3339.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};

/// Returns the point in time that a word names.
pub(super) fn parse(word: &str) -> Result<Timestamp, String> {
    at(word, &Zoned::now())
}

fn at(word: &str, now: &Zoned) -> Result<Timestamp, String> {
    let named =
        named_day(word, now).or_else(|| ago(word, now)).or_else(|| written(word, now.time_zone()));
    named.ok_or_else(|| {
        "neither an age like `90m`, `2h`, `3d`, `1w`, nor `today`, `yesterday`, a date, or a time as of RFC 3339"
            .to_owned()
    })
}

fn named_day(word: &str, now: &Zoned) -> Option<Timestamp> {
    let days = match word {
        "now" => return Some(now.timestamp()),
        "today" => 0,
        "yesterday" => 1,
        _ => return None,
    };
    let day = now.date().checked_sub(jiff::Span::new().days(days)).ok()?;
    midnight(day, now.time_zone())
}

fn midnight(day: Date, zone: &TimeZone) -> Option<Timestamp> {
    // The first moment of that day, also where the clock skips midnight.
    Some(day.to_zoned(zone.clone()).ok()?.start_of_day().ok()?.timestamp())
}

/// An age: a number and its unit.
fn ago(word: &str, now: &Zoned) -> Option<Timestamp> {
    now.timestamp().checked_sub(age(word)?).ok()
}

/// Returns the point in time that is so far away: `90m`, `2h`, `7d`, `2w`.
pub(super) fn after(word: &str) -> Result<Timestamp, String> {
    let time = age(word).filter(SignedDuration::is_positive);
    let time = time.and_then(|age| Timestamp::now().checked_add(age).ok());
    time.ok_or_else(|| "no time like `90m`, `2h`, `7d`, `2w`".to_owned())
}

/// Returns how long a time is that is written so.
pub(super) fn age(word: &str) -> Option<SignedDuration> {
    let unit = word.chars().last()?;
    let number: i64 = word.strip_suffix(unit)?.parse().ok().filter(|number| *number >= 0)?;
    let seconds: i64 = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        'w' => 7 * 24 * 60 * 60,
        _ => return None,
    };
    number.checked_mul(seconds).map(SignedDuration::from_secs)
}

/// A day or a time that is written out; without a zone, that of this machine.
fn written(word: &str, zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(time) = word.parse::<Timestamp>() {
        return Some(time);
    }
    if word.len() == 10 {
        return midnight(word.parse().ok()?, zone);
    }
    let time: DateTime = word.parse().ok()?;
    Some(time.to_zoned(zone.clone()).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(word: &str) -> Option<String> {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        let now = "2026-11-21T13:00:00Z".parse::<Timestamp>().unwrap().to_zoned(zone);
        at(word, &now).ok().map(|time| time.to_string())
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        for (word, time) in [
            ("now", "2026-11-21T13:00:00Z"),
            ("90m", "2026-11-21T11:30:00Z"),
            ("2h", "2026-11-21T11:00:00Z"),
            ("3d", "2026-11-18T13:00:00Z"),
            ("1w", "2026-11-14T13:00:00Z"),
            ("today", "2026-11-20T22:00:00Z"),
            ("yesterday", "2026-11-19T22:00:00Z"),
            ("2026-11-20", "2026-11-19T22:00:00Z"),
            ("2026-11-20 10:00", "2026-11-20T08:00:00Z"),
            ("2026-11-20T10:00:00", "2026-11-20T08:00:00Z"),
            ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00Z"),
            ("2026-11-20T10:00:00+05:00", "2026-11-20T05:00:00Z"),
        ] {
            assert_eq!(told(word).as_deref(), Some(time), "{word}");
        }
    }

    #[test]
    fn what_is_no_time_is_not_guessed() {
        for word in [
            "",
            "h",
            "-2h",
            "2y",
            "tomorrow",
            "99999999999999999999d",
            "9223372036854775807w",
            "2026-13-01",
            "10:00",
        ] {
            assert_eq!(told(word), None, "{word}");
        }
    }
}
