//! `pause`: a person is told of no question for a while. Questions wait meanwhile; none is answered by it.

use super::desk;
use super::failure::Failure;
use super::output::{Output, say};
use super::pending::age;
use super::when;
use crate::language::Language;
use crate::model::Paused;
use crate::pipeline;

/// Status where there is no host.
const NOTHING: u8 = 1;

/// Returns the seconds of a time as people write it; none of them for `off`.
pub(super) fn time(word: &str) -> Result<u64, String> {
    if word == "off" {
        return Ok(0);
    }
    let seconds = when::age(word).and_then(|age| u64::try_from(age.as_secs()).ok());
    let seconds = seconds.filter(|seconds| (1..=Paused::MOST).contains(seconds));
    seconds.ok_or_else(|| "neither a time like `15m`, `1h`, at most `24h`, nor `off`".to_owned())
}

/// Has all hosts of this user pause for so many seconds, or go on.
pub(super) fn run(seconds: u64) -> Result<u8, Failure> {
    let environment = desk::person("pause questions")?;
    let language = pipeline::language(&environment);
    let hosts = desk::questions(&environment)?;
    if hosts.is_empty() {
        say(&format!("{}\n", language.say("watch-no-host")))?;
        return Ok(NOTHING);
    }
    let mut paused = None;
    for (mut host, _) in hosts {
        paused = host.pause(seconds)?;
    }
    let text = match paused {
        Some(paused) => {
            let time = age(paused.left, language);
            language.tell("pause-begun", &[("time", time.into())])
        }
        None => language.say("pause-over").into_owned(),
    };
    say(&format!("{text}\n"))?;
    Ok(0)
}

/// Returns how a pause stands, in few words.
pub(super) fn told(paused: Paused, language: Language) -> String {
    language.tell("pause-stands", &[("time", age(paused.left, language).into())])
}

/// Returns a row that says that there is a pause; nothing where there is none.
pub(super) fn row(paused: Option<Paused>, output: Output, language: Language) -> String {
    let told = paused.map(|paused| format!("{}\n", output.dim(&told(paused, language))));
    told.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_people_do_and_is_no_longer_than_a_day() {
        for (word, seconds) in
            [("off", 0), ("1s", 1), ("15m", 900), ("1h", 3_600), ("24h", 86_400), ("1d", 86_400)]
        {
            assert_eq!(time(word), Ok(seconds), "{word}");
        }
        for word in ["", "0m", "25h", "15", "m", "-1m", "on", "99999999999999999999h", "1w"] {
            assert!(time(word).is_err(), "{word}");
        }
    }
}
