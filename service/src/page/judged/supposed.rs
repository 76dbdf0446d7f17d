//! What is supposed to be other: profile, threshold, rules. Nothing is written.

use guarded_sh::config::approved::Draft;
use guarded_sh::config::{Error, LoadRequest};
use guarded_sh::model::Profile;
use guarded_sh::pipeline::{World, load_request};
use guarded_sh::rules::RuleSet;
use maud::{Markup, html};

use super::super::settings::{Mistake, mistakes};
use super::super::spoken::Spoken;
use super::trouble;

/// The file in whose place rules are supposed to be.
const FILE: &str = "playground";

/// What is supposed.
pub struct Supposed {
    profile: Option<Profile>,
    threshold: Option<u8>,
    rules: Option<String>,
}

impl Supposed {
    /// Returns what these fields suppose; none where all are empty.
    pub fn of(profile: &str, threshold: &str, rules: &str) -> Result<Option<Self>, String> {
        let profile = match profile {
            "" => None,
            name => Some(Profile::named(name).ok_or("there is no such profile")?),
        };
        let threshold = match threshold.trim() {
            "" => None,
            text => {
                let score = text.parse::<u8>().ok().filter(|score| *score <= 100);
                Some(score.ok_or("a threshold is a score from 0 to 100")?)
            }
        };
        let rules = rules.replace("\r\n", "\n");
        let rules = (!rules.trim().is_empty()).then_some(rules);
        let is_nothing = profile.is_none() && threshold.is_none() && rules.is_none();
        Ok((!is_nothing).then_some(Self { profile, threshold, rules }))
    }

    /// Returns the world as it would be.
    pub fn world(&self, directory: &str) -> Result<World, Unusable> {
        let mut world = super::world(directory).map_err(Unusable::Why)?;
        let terms = &mut world.judge.terms;
        terms.profile = self.profile.unwrap_or(terms.profile);
        terms.threshold = self.threshold.unwrap_or(terms.threshold);
        let Some(rules) = &self.rules else { return Ok(world) };
        let head = head(rules);
        let load = load_request(&world.places, &world.judge.facts);
        // Whether its examples hold is said by the editor; here it is tried as it is.
        let load = LoadRequest { check: &|_, _, _| Ok(()), ..load };
        let draft = Draft::of_file(&load, FILE, &format!("{head}{rules}"));
        let unusable = |error: &Error| Unusable::Rules(Mistake::all(error), head.lines().count());
        let mut draft = draft.map_err(|error| unusable(&error))?;
        let before = std::mem::replace(&mut world.judge.rules, RuleSet::none());
        world.judge.rules = before.with_layer_anew(draft.take_layer());
        Ok(world)
    }
}

/// Returns what stands before rules that are alone: a pack of the name with which the id of the first begins.
fn head(rules: &str) -> String {
    let said = |key: &str| {
        let values = rules.lines().filter_map(|line| line.trim().strip_prefix(key));
        let mut values = values.filter_map(|rest| rest.trim_start().strip_prefix('='));
        values.next().map(|value| value.trim().trim_matches(['"', '\'']))
    };
    if said("pack").is_some() {
        return String::new();
    }
    let pack = said("id").and_then(|id| id.split('.').next()).unwrap_or(FILE);
    let pack = toml::Value::from(pack);
    format!("pack = {pack}\nsummary = \"What is tried\"\n")
}

/// Why there is no such world.
pub enum Unusable {
    /// This, in English.
    Why(String),
    /// What is wrong with the rules, and how many lines stand before those that somebody sees.
    Rules(Vec<Mistake>, usize),
}

impl Unusable {
    /// Returns it for people.
    pub fn drawn(&self, language: Spoken) -> Markup {
        match self {
            Self::Why(why) => trouble(why, language),
            Self::Rules(wrong, before) => html! {
                p { (language.say("try-mistakes")) }
                (mistakes(language, wrong, *before))
            },
        }
    }

    /// Returns it for programs: of several mistakes the first.
    pub fn told(self) -> String {
        let (wrong, before) = match self {
            Self::Why(why) => return why,
            Self::Rules(wrong, before) => (wrong, before),
        };
        let first = wrong.into_iter().next().map(|mistake| match mistake.place {
            Some((line, column)) if line > before => {
                format!("line {}, column {column}: {}", line - before, mistake.message)
            }
            _ => mistake.message,
        });
        first.unwrap_or_else(|| "the rules cannot be used".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_are_alone_are_of_the_pack_that_their_ids_name() {
        let alone = "[[rule]]\n id=\"mine.a\"\n";
        assert_eq!(head(alone), "pack = \"mine\"\nsummary = \"What is tried\"\n");
        assert_eq!(head("[[rule]]"), head("id = 'playground.x'"));
        assert_eq!(head("pack = \"own\"\n[[rule]]\nid = \"own.a\"\n"), "");
    }

    #[test]
    fn empty_fields_suppose_nothing_and_wrong_ones_are_told() {
        assert!(Supposed::of("", " ", "\r\n").unwrap().is_none());
        let supposed = Supposed::of("strict", " 70 ", "a\r\nb").unwrap().unwrap();
        assert_eq!((supposed.profile, supposed.threshold), (Some(Profile::Strict), Some(70)));
        assert_eq!(supposed.rules.as_deref(), Some("a\nb"));
        for (profile, threshold) in [("lax", ""), ("", "101"), ("", "-1"), ("", "x")] {
            assert!(Supposed::of(profile, threshold, "").is_err());
        }
    }
}
