//! The second opinion: what a language model says of a line that rules leave open.

use serde::{Deserialize, Serialize};

/// What language models are there for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelMode {
    /// Where all that it takes is there, its opinion lets a line of medium severity run; else as the next.
    Decide,
    /// Whoever is asked sees its opinion.
    Advise,
    /// None is asked.
    #[default]
    Off,
}

impl ModelMode {
    /// Returns the name that settings use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decide => "decide",
            Self::Advise => "advise",
            Self::Off => "off",
        }
    }
}

/// Whether a line does what the person asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It stays within that.
    Within,
    /// It does more, or something else, or to something else.
    Wider,
    /// That cannot be told.
    Unclear,
}

/// What a model answered. All text in it is the model's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Opinion {
    /// Whether the line does what the person asked for.
    pub verdict: Verdict,
    /// How safe it is, 0 to 100.
    pub safety_score: u8,
    /// What kind of thing it does, in a word.
    pub category: String,
    /// How sure the model is, 0 to 100.
    pub confidence: u8,
    /// Whether it says that it cannot tell.
    pub uncertain: bool,
    /// The person's words that permit the line, letter by letter.
    #[serde(default)]
    pub quotation: Option<String>,
    /// Why, in a sentence.
    pub reasoning: String,
}

/// What a model notes of what happened. Nothing is decided by it. The text is the model's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Whether something is wrong.
    pub problem: bool,
    /// What, and what can be done.
    pub text: String,
}

/// What came of asking a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "result")]
pub enum Heard {
    /// It has an opinion.
    Judged {
        /// Who: the provider's name and its model.
        by: String,
        /// What.
        opinion: Opinion,
    },
    /// It could not tell.
    Uncertain {
        /// Who.
        by: String,
        /// What it said all the same.
        opinion: Opinion,
    },
    /// It was asked for a note.
    Noted {
        /// Who.
        by: String,
        /// What.
        note: Note,
    },
    /// None answered, or none could be asked.
    Unavailable {
        /// Why, in plain words.
        why: String,
    },
}

impl Heard {
    /// Returns the texts in it, which are others' words.
    pub fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let (by, opinion, text) = match self {
            Self::Judged { by, opinion } | Self::Uncertain { by, opinion } => {
                (Some(by), Some(opinion), None)
            }
            Self::Noted { by, note } => (Some(by), None, Some(&mut note.text)),
            Self::Unavailable { why } => (None, None, Some(why)),
        };
        let said = opinion.into_iter().flat_map(|opinion| {
            let words = [&mut opinion.category, &mut opinion.reasoning];
            words.into_iter().chain(&mut opinion.quotation)
        });
        by.into_iter().chain(text).chain(said)
    }

    /// Returns that nobody answered.
    pub fn unavailable(why: impl Into<String>) -> Self {
        Self::Unavailable { why: why.into() }
    }
}
