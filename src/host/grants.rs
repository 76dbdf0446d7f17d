//! What people said yes to for longer than once, found again without looking at all of it.
//! Bounded: whoever gives more than fits is told so.

use std::collections::HashMap;

use crate::decision::grant;
use crate::model::{Covers, Question, Scope, Severity};
use crate::observe::Process;

/// Grants at most.
const MOST: usize = 10_000;
/// Bytes of them at most, as far as they can be counted.
const MOST_BYTES: usize = 7 << 20;
/// Processes at most that run what a person permitted.
const RUNNING: usize = 1_000;
/// Bytes of what they may do at most.
const RUNNING_BYTES: usize = 1 << 20;

/// A line in its directory, by its SHA-256.
pub(super) type Digest = [u8; 32];

/// Yeses for the session, and what was permitted by a person and may still run.
#[derive(Debug, Default)]
pub(super) struct Grants {
    given: Vec<Grant>,
    /// Where the grants of a realm are that have a signature. There may be thousands of these, so their words stand in the grants alone.
    by_signature: HashMap<Digest, Vec<u32>>,
    by_line: HashMap<(String, Digest), Vec<u32>>,
    bytes: usize,
    running: HashMap<Process, Scope>,
    running_bytes: usize,
}

/// A yes for the session.
#[derive(Debug)]
struct Grant {
    realm: String,
    scope: Scope,
}

impl Grants {
    /// Remembers a yes. None: no more fit.
    pub(super) fn add(
        &mut self,
        realm: &str,
        question: &Question,
        line: Digest,
        covers: Covers,
    ) -> Option<()> {
        let scope = question.scope.clone();
        let bytes = weight(&scope) + realm.len() * scope.signatures.len().max(1);
        if self.given.len() >= MOST || self.bytes + bytes > MOST_BYTES {
            return None;
        }
        self.bytes += bytes;
        let index = u32::try_from(self.given.len()).ok()?;
        match covers {
            Covers::Signature => {
                for signature in &scope.signatures {
                    self.by_signature.entry(key(realm, signature)).or_default().push(index);
                }
            }
            Covers::Line => {
                self.by_line.entry((realm.to_owned(), line)).or_default().push(index);
            }
        }
        self.given.push(Grant { realm: realm.to_owned(), scope });
        Some(())
    }

    /// Returns whether a yes for the session covers a question.
    pub(super) fn covers(&self, realm: &str, question: &Question, line: Digest) -> bool {
        let now = &question.scope;
        if now.severity >= Severity::Critical || self.given.is_empty() {
            return false;
        }
        let among = |found: Option<&Vec<u32>>, covers: fn(&Scope, &Scope) -> bool| {
            let places = found.into_iter().flatten().filter_map(|at| usize::try_from(*at).ok());
            places.filter_map(|at| self.given.get(at)).any(|grant| covers(&grant.scope, now))
        };
        // Whatever covers it has each of its signatures, and so the first.
        let by_signature = now.signatures.first().is_some_and(|signature| {
            among(self.by_signature.get(&key(realm, signature)), grant::covers)
        });
        by_signature || among(self.by_line.get(&(realm.to_owned(), line)), grant::is_within)
    }

    /// Forgets every yes that was given in a realm.
    pub(super) fn forget(&mut self, realm: &str) {
        // What is left moves up.
        let mut left = 0;
        let moved: Vec<Option<u32>> = self
            .given
            .iter()
            .map(|grant| {
                let stays = grant.realm != realm;
                left += u32::from(stays);
                stays.then(|| left - 1)
            })
            .collect();
        let stay = |places: &mut Vec<u32>| {
            let to = |at: u32| *moved.get(usize::try_from(at).ok()?)?;
            *places = places.iter().filter_map(|at| to(*at)).collect();
            !places.is_empty()
        };
        self.by_signature.retain(|_, places| stay(places));
        self.by_line.retain(|_, places| stay(places));
        self.given.retain(|grant| grant.realm != realm);
        self.bytes = self.given.iter().map(|grant| weight(&grant.scope)).sum();
    }

    /// Remembers that a process runs what a person permitted. Where no more fit, those that ended are forgotten; if that is not
    /// enough, what this one starts is asked about.
    pub(super) fn run(&mut self, process: Process, scope: Scope, is_there: fn(&Process) -> bool) {
        let bytes = weight(&scope);
        let fits = |grants: &Self| {
            grants.running.len() < RUNNING && grants.running_bytes + bytes <= RUNNING_BYTES
        };
        if !fits(self) {
            self.running.retain(|process, _| is_there(process));
            self.running_bytes = self.running.values().map(weight).sum();
        }
        if fits(self) {
            self.running_bytes += bytes;
            let before = self.running.insert(process, scope);
            self.running_bytes -= before.as_ref().map_or(0, weight);
        }
    }

    /// Forgets that a process runs what a person permitted: it does not, since what was to run has changed.
    pub(super) fn end(&mut self, process: &Process) {
        let scope = self.running.remove(process);
        self.running_bytes -= scope.as_ref().map_or(0, weight);
    }

    /// Returns whether one of these processes was permitted by a person, and what was shown then covers a question.
    pub(super) fn inherited(&self, chain: &[Process], now: &Scope) -> bool {
        let shown = chain.iter().filter_map(|process| self.running.get(process));
        shown.into_iter().any(|shown| grant::is_within(shown, now))
    }
}

/// By what the grants of a realm are found that have a signature.
fn key(realm: &str, signature: &[String]) -> Digest {
    digest(std::iter::once(realm).chain(signature.iter().map(String::as_str)).map(Some))
}

/// Returns the digest of a line in its directory.
pub(super) fn digest_of(line: &str, cwd: Option<&String>) -> Digest {
    digest([Some(line), cwd.map(String::as_str)])
}

/// Returns the digest of texts that may be missing, each told from the next.
pub(super) fn digest<'t>(texts: impl IntoIterator<Item = Option<&'t str>>) -> Digest {
    let mut hash = hmac_sha256::Hash::new();
    for text in texts {
        let length = text.map_or(u64::MAX, |text| text.len() as u64);
        hash.update(length.to_le_bytes());
        hash.update(text.map_or("", |text| text));
    }
    hash.finalize()
}

/// Returns about how many bytes a scope takes.
pub(super) fn weight(scope: &Scope) -> usize {
    /// A string, beside its text.
    const TEXT: usize = 40;
    /// An effect, with the text of its target where that is short.
    const EFFECT: usize = 96;
    /// By what a signature is found.
    const KEY: usize = 128;
    let text = |text: &String| TEXT + text.len();
    let rules: usize = scope.rules.iter().map(text).sum();
    let target = |effect: &crate::model::Effect| match &effect.target {
        crate::model::Target::Path { path: Some(name), .. }
        | crate::model::Target::Host { host: Some(name) }
        | crate::model::Target::Text { text: Some(name) } => EFFECT + name.len(),
        _ => EFFECT,
    };
    let effects: usize = scope.effects.iter().map(target).sum();
    let signature = |words: &Vec<String>| words.iter().map(text).sum::<usize>() + TEXT;
    let signatures: usize = scope.signatures.iter().map(|words| signature(words) + KEY).sum();
    let words: usize = scope.words.iter().map(text).sum();
    std::mem::size_of::<Scope>() + rules + effects + signatures + words
}
