//! What whoever calls `doctor` expects of this machine: `--expect profile=strict,policy=sha256:…`. A script that goes on at status 0 must be able to
//! believe it, so what cannot be told is not as expected.

use std::fmt::Write as _;
use std::str::FromStr;

use serde::Serialize;

use crate::approval::visible;
use crate::config::{self, Loaded, Row};
use crate::fence::{self, Kernel};
use crate::model::{Contain, Fence, Layers};
use crate::rules::source::did_you_mean;
use crate::subcommand::failure::Failure;
use crate::subcommand::ground::Ground;
use crate::subcommand::output::{Output, padded};

/// What is expected beside settings.
const VERSION: &str = "version";
const POLICY: &str = "policy";
const MACHINE: &str = "machine";

/// What is expected, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::subcommand) struct Expected(Vec<(String, String)>);

impl FromStr for Expected {
    type Err = String;

    /// Reads `KEY=VALUE`, several with commas between them; a comma in brackets or quotes is of the value.
    fn from_str(text: &str) -> Result<Self, String> {
        let (mut parts, mut depth, mut quoted) = (vec![String::new()], 0_u32, false);
        for letter in text.chars() {
            match letter {
                '"' => quoted = !quoted,
                '[' if !quoted => depth += 1,
                ']' if !quoted => depth = depth.saturating_sub(1),
                ',' if !quoted && depth == 0 => {
                    parts.push(String::new());
                    continue;
                }
                _ => {}
            }
            if let Some(part) = parts.last_mut() {
                part.push(letter);
            }
        }
        let pair = |part: &String| {
            let (key, value) =
                part.split_once('=').ok_or_else(|| format!("'{part}' is no KEY=VALUE"))?;
            Ok((key.trim().to_owned(), value.trim().to_owned()))
        };
        parts.iter().map(pair).collect::<Result<_, _>>().map(Self)
    }
}

/// One thing that was expected, and what there is.
#[derive(Serialize)]
pub(super) struct Compared {
    key: String,
    expected: String,
    /// What it is; null where that cannot be told.
    found: Option<String>,
    pub(super) met: bool,
    /// Why it is not as expected although it is set so.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Returns what was found of all that is expected.
pub(super) fn compare(
    expected: &[Expected],
    ground: &Ground,
    loaded: Option<&Loaded>,
) -> Result<Vec<Compared>, Failure> {
    let pairs: Vec<&(String, String)> = expected.iter().flat_map(|given| &given.0).collect();
    let Some(facts) = loaded.and_then(|loaded| Found::here(ground, loaded)) else {
        // Each patient says why.
        let lost = |(key, value): &&(String, String)| Compared {
            key: key.clone(),
            expected: value.clone(),
            found: None,
            met: false,
            why: Some("settings or rules are broken".to_owned()),
        };
        return Ok(pairs.iter().map(lost).collect());
    };
    pairs.into_iter().map(|(key, value)| facts.compared(key, value)).collect()
}

/// What there is here.
struct Found {
    rows: Vec<Row>,
    policy: String,
    machine: String,
}

impl Found {
    /// None where the machine's own are broken.
    fn here(ground: &Ground, loaded: &Loaded) -> Option<Self> {
        let machine = ground.machine_digest().ok()?.to_string();
        let policy = loaded.digest.to_string();
        Some(Self { rows: config::show(&loaded.settings), policy, machine })
    }

    fn compared(&self, key: &str, expected: &str) -> Result<Compared, Failure> {
        let found = match key {
            VERSION => env!("CARGO_PKG_VERSION"),
            POLICY => &self.policy,
            MACHINE => &self.machine,
            _ => &self.row(key)?.value,
        };
        let is_said = if [VERSION, POLICY, MACHINE].contains(&key) {
            found == expected
        } else {
            value(found) == value(expected)
        };
        let why = if is_said { lacking(key, expected) } else { None };
        Ok(Compared {
            key: key.to_owned(),
            expected: expected.to_owned(),
            found: Some(found.to_owned()),
            met: is_said && why.is_none(),
            why,
        })
    }

    fn row(&self, key: &str) -> Result<&Row, Failure> {
        self.rows.iter().find(|row| row.name == key).ok_or_else(|| {
            let names = self.rows.iter().map(|row| row.name).chain([VERSION, POLICY, MACHINE]);
            let names: Vec<String> = names.map(str::to_owned).collect();
            let failure = Failure::new(format!("there is no setting `{}` to expect", visible(key)));
            let usual = || "`guarded-sh config` shows them; beside them there are `version`, `policy`, `machine`".to_owned();
            failure.hint(did_you_mean(key, &names).unwrap_or_else(usual))
        })
    }
}

/// Returns a value as TOML has it; a plain word needs no quotes, and nothing is not set.
fn value(text: &str) -> Option<toml::Value> {
    (!text.is_empty()).then(|| config::typed(text))
}

/// Returns what the kernel lacks for a setting that needs it: what is set and cannot be done guards nothing.
fn lacking(key: &str, expected: &str) -> Option<String> {
    let is = |name: &str| value(expected) == value(name);
    match key {
        "fence" if is(Fence::On.name()) || is(Fence::Agents.name()) => match fence::kernel() {
            Kernel::Nothing | Kernel::TooOld => Some("this kernel cannot hold lines".to_owned()),
            Kernel::Version(_) => None,
        },
        "contain" if is(Contain::On.name()) => (!super::container::here().cover(Layers::CLOSED))
            .then(|| "not every layer of a container is here".to_owned()),
        _ => None,
    }
}

/// Says what was expected and what there is.
pub(super) fn lines(compared: &[Compared], output: Output) -> String {
    let mut text = String::new();
    if compared.is_empty() {
        return text;
    }
    let keys = compared.iter().map(|one| one.key.len()).max().unwrap_or(0);
    text.push_str("\nexpected\n");
    for Compared { key, expected, found, met, why } in compared {
        let key = padded(key, keys);
        let expected = visible(expected);
        // Writing to a string cannot fail.
        let _ = match (met, why, found.as_deref()) {
            (true, ..) => writeln!(text, "  {key}  {expected}"),
            (false, Some(why), _) => {
                writeln!(text, "  {key}  {expected}  {}: {why}", output.bold("NOT SO"))
            }
            (false, None, found) => {
                let found = visible(config::told(found.unwrap_or_default()));
                writeln!(text, "  {key}  {expected}  {}: {found}", output.bold("NOT SO"))
            }
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_values_part_nothing() {
        let read = |text: &str| Expected::from_str(text).map(|expected| expected.0);
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        for (text, pairs) in [
            ("profile=strict", vec![pair("profile", "strict")]),
            (
                "a=[\"x\", \"y,z\"],b=\"[\",c=",
                vec![pair("a", "[\"x\", \"y,z\"]"), pair("b", "\"[\""), pair("c", "")],
            ),
            ("a=b=c, d = e", vec![pair("a", "b=c"), pair("d", "e")]),
        ] {
            assert_eq!(read(text), Ok(pairs), "{text}");
        }
        for text in ["", "profile", "a=b,", "a=b,,c=d"] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_are_compared_as_toml_has_them() {
        for (one, other, are_same) in [
            ("strict", "\"strict\"", true),
            ("60", "60", true),
            ("60", "\"60\"", false),
            ("[\"a\",\"b\"]", "[\"a\", \"b\"]", true),
            ("", "", true),
            ("", "\"\"", false),
            ("a\ny = 1", "a", false),
        ] {
            assert_eq!(value(one) == value(other), are_same, "{one} {other}");
        }
    }
}
