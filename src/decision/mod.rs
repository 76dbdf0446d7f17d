//! An assessment to a decision: may these bytes run, must somebody be asked, or are they refused.
//! The only module that makes a [`Permit`]. Asks nobody and runs nothing.
#![forbid(unsafe_code, clippy::disallowed_methods)]

pub mod grant;
pub mod second;

use std::ffi::{OsStr, OsString};

use crate::model::{Action, Answer, Layers, Mode, Passed, Profile, Severity, Whose};
use crate::policy::Assessment;

/// Proof that these exact bytes were judged, and by what authority they run. `exec` takes it by value.
#[must_use = "a permit that is dropped means the command does not run"]
#[derive(Debug)]
pub struct Permit {
    bytes: OsString,
    authority: Authority,
    layers: Layers,
}

impl Permit {
    /// Returns the bytes that may run: a command line, or the path of a script.
    #[must_use]
    pub fn bytes(&self) -> &OsStr {
        &self.bytes
    }

    /// Returns who let them run.
    #[must_use]
    pub const fn authority(&self) -> Authority {
        self.authority
    }

    /// Returns the layers of the container in which alone they may run; none where they need none.
    #[must_use]
    pub const fn layers(&self) -> Layers {
        self.layers
    }

    /// Permits the run only in a container with these layers.
    pub const fn contained(mut self, layers: Layers) -> Self {
        self.layers = layers;
        self
    }

    const fn new(bytes: OsString, authority: Authority) -> Self {
        Self { bytes, authority, layers: Layers::NONE }
    }
}

/// Who let a command line run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// Its score reached the threshold.
    Policy,
    /// A person said yes, once.
    Person,
    /// A person said yes, for the session.
    Session,
    /// A person said yes, for good.
    Always,
    /// A yes that a person gave earlier covers it.
    Grant,
    /// What started it was permitted by a person, and what was shown then covers it.
    Inherited,
    /// A person said yes to the agent's client.
    Client,
    /// A language model found it within what the person asked for, where the owner lets it decide.
    Model,
    /// Nobody: it is the system's own, and no agent's.
    System,
    /// Nobody: shadow mode only watches.
    Shadow,
}

impl Authority {
    /// Returns the name that records use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Person => "person",
            Self::Session => "session",
            Self::Always => "always",
            Self::Grant => "grant",
            Self::Inherited => "inherited",
            Self::Client => "client",
            Self::Model => "model",
            Self::System => "system",
            Self::Shadow => "shadow",
        }
    }
}

/// A question that only a person can answer.
#[must_use]
#[derive(Debug)]
pub struct Pending {
    bytes: OsString,
    reason: String,
}

/// What comes of an answer.
#[must_use]
#[derive(Debug)]
pub enum Answered {
    /// It may run.
    Permitted(Permit),
    /// It does not run.
    Denied(Refusal),
    /// It does not run. This line is judged like any other in its place.
    Another(String),
    /// It does not run. What it did when it was tried is carried out.
    Kept,
}

impl Pending {
    /// Returns why it is asked.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Turns a person's answer into a decision.
    pub fn answered(self, answer: Answer) -> Answered {
        let authority = match answer {
            Answer::Once => Authority::Person,
            Answer::Session { .. } => Authority::Session,
            Answer::Always => Authority::Always,
            Answer::Edit { line } => return Answered::Another(line),
            Answer::Keep => return Answered::Kept,
            Answer::Stop => {
                return Answered::Denied(Refusal {
                    reason: format!("a person said no, and ends the agent ({})", self.reason),
                    asked: Asked::Told,
                });
            }
            Answer::Deny { message } => {
                let said = message.map(|words| format!(", who says: {words}")).unwrap_or_default();
                let asked = if said.is_empty() { Asked::Person } else { Asked::Told };
                return Answered::Denied(Refusal {
                    reason: format!("a person said no{said} ({})", self.reason),
                    asked,
                });
            }
        };
        Answered::Permitted(Permit::new(self.bytes, authority))
    }

    /// Permits what a person only tries: the whole container holds it.
    pub fn tried(self) -> Permit {
        Permit::new(self.bytes, Authority::Person).contained(Layers::CLOSED)
    }

    /// Permits what a yes covers that a person gave earlier.
    pub fn passed(self, by: Passed) -> Permit {
        let authority = match by {
            Passed::Once | Passed::Session => Authority::Grant,
            Passed::Inherited => Authority::Inherited,
            Passed::Client => Authority::Client,
        };
        Permit::new(self.bytes, authority)
    }

    /// Permits what a model's opinion is enough for.
    pub fn settled(self, _proof: second::Settled) -> Permit {
        Permit::new(self.bytes, Authority::Model)
    }

    /// Turns a question that nobody can answer into a refusal.
    pub fn unanswered(self) -> Refusal {
        Refusal { reason: self.reason, asked: Asked::Nobody }
    }
}

/// Whether a person could be asked before a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The decision needed nobody.
    NotNeeded,
    /// A person said no.
    Person,
    /// A person said no, and what to do in words of their own.
    Told,
    /// It would have been asked, but nobody can be reached.
    Nobody,
}

/// Why a command line does not run.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    reason: String,
    asked: Asked,
}

impl Refusal {
    /// Refuses for a reason that is not a judgement: something that judging needs is missing or broken.
    pub fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), asked: Asked::NotNeeded }
    }

    /// Returns the reason, in plain words.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Returns whether a person was asked, or nobody could be.
    #[must_use]
    pub fn asked(&self) -> Asked {
        self.asked
    }
}

/// The answer.
#[must_use]
#[derive(Debug)]
pub enum Decision {
    /// It may run.
    Permitted(Permit),
    /// A person must be asked.
    NeedsApproval(Pending),
    /// It does not run.
    Denied(Refusal),
}

/// By what a line is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Whether decisions bind.
    pub mode: Mode,
    /// Which action each severity means.
    pub profile: Profile,
    /// The score from which a line is allowed.
    pub threshold: u8,
    /// Whose it is.
    pub whose: Whose,
    /// The layers of containers that whoever asks can put on what it runs; none where nothing is to run contained.
    pub layers: Layers,
}

/// Returns what to do with a line that was judged so.
pub fn action(assessment: &Assessment, terms: &Terms) -> Action {
    let by_score = if assessment.score.get() >= terms.threshold {
        Action::Allow
    } else if container(assessment, terms).is_some() {
        Action::Contain
    } else {
        below_threshold(terms.profile, assessment.severity)
    };
    // A rule's own word counts whatever the threshold; where nobody watches, asking is refusing.
    let by_rules = match (assessment.action, terms.profile) {
        (Action::Ask, Profile::Unattended) => Action::Deny,
        (action, _) => action,
    };
    by_score.max(by_rules)
}

/// Returns the layers of the container in which a line that was judged so is harmless, where all of them can be put on.
#[must_use]
pub fn container(assessment: &Assessment, terms: &Terms) -> Option<Layers> {
    assessment.contained.filter(|layers| terms.layers.cover(*layers))
}

fn below_threshold(profile: Profile, severity: Severity) -> Action {
    match (profile, severity) {
        (Profile::Balanced, _) | (Profile::Strict, Severity::Low | Severity::Medium) => Action::Ask,
        (Profile::Strict, Severity::High | Severity::Critical) | (Profile::Unattended, _) => {
            Action::Deny
        }
    }
}

/// Decides whether `bytes`, judged so, may run.
pub fn decide(bytes: OsString, assessment: &Assessment, terms: &Terms) -> Decision {
    if terms.mode == Mode::Shadow {
        return Decision::Permitted(Permit::new(bytes, Authority::Shadow));
    }
    if terms.whose == Whose::Systems {
        return Decision::Permitted(Permit::new(bytes, Authority::System));
    }
    match action(assessment, terms) {
        Action::Allow => Decision::Permitted(Permit::new(bytes, Authority::Policy)),
        Action::Contain => Decision::Permitted(Permit {
            bytes,
            authority: Authority::Policy,
            layers: container(assessment, terms).unwrap_or(Layers::CLOSED),
        }),
        Action::Ask => {
            Decision::NeedsApproval(Pending { bytes, reason: assessment.reason.clone() })
        }
        Action::Deny => Decision::Denied(Refusal {
            reason: assessment.reason.clone(),
            asked: if assessment.action == Action::Deny { Asked::NotNeeded } else { Asked::Nobody },
        }),
    }
}
