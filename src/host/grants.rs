//! What people said yes to for longer than once, found again without looking at all of it.
//! Bounded: whoever gives more than fits is told so.

use std::collections::HashMap;

use crate::decision::grant;
use crate::model::{Covers, Question, Scope, Severity};
use crate::observe::Process;

/// Grants at most.
const MOST: usize = 10_000;
/// Bytes of them at most, as far as they can be counted.
const MOST_BYTES: usize = 6 << 20;
/// Processes at most that run what a person permitted.
const RUNNING: usize = 1_000;
/// Bytes of what they may do at most.
const RUNNING_BYTES: usize = 1 << 20;

/// A line in its directory, by its SHA-256.
pub(super) type Digest = [u8; 32];

/// Yeses for the session, and what was permitted by a person and may still run.
#[derive(Debug, Default)]
pub(super) struct Grants {
    scopes: Vec<Scope>,
    by_signature: HashMap<(String, Vec<String>), Vec<usize>>,
    by_line: HashMap<(String, Digest), Vec<usize>>,
    bytes: usize,
    running: HashMap<Process, Scope>,
    running_bytes: usize,
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
        if self.scopes.len() >= MOST || self.bytes + bytes > MOST_BYTES {
            return None;
        }
        self.bytes += bytes;
        let index = self.scopes.len();
        match covers {
            Covers::Signature => {
                for signature in &scope.signatures {
                    let key = (realm.to_owned(), signature.clone());
                    self.by_signature.entry(key).or_default().push(index);
                }
            }
            Covers::Line => {
                self.by_line.entry((realm.to_owned(), line)).or_default().push(index);
            }
        }
        self.scopes.push(scope);
        Some(())
    }

    /// Returns whether a yes for the session covers a question.
    pub(super) fn covers(&self, realm: &str, question: &Question, line: Digest) -> bool {
        let now = &question.scope;
        if now.severity >= Severity::Critical || (self.scopes.is_empty()) {
            return false;
        }
        let among = |found: Option<&Vec<usize>>, covers: fn(&Scope, &Scope) -> bool| {
            found.into_iter().flatten().any(|index| covers(&self.scopes[*index], now))
        };
        // Whatever covers it has each of its signatures, and so the first.
        let by_signature = now.signatures.first().is_some_and(|signature| {
            let key = (realm.to_owned(), signature.clone());
            among(self.by_signature.get(&key), grant::covers)
        });
        by_signature || among(self.by_line.get(&(realm.to_owned(), line)), grant::is_within)
    }

    /// Forgets every yes that was given in a realm.
    pub(super) fn forget(&mut self, realm: &str) {
        self.by_signature.retain(|(of, _), _| of != realm);
        self.by_line.retain(|(of, _), _| of != realm);
        let mut named: Vec<usize> =
            self.by_signature.values().chain(self.by_line.values()).flatten().copied().collect();
        named.sort_unstable();
        named.dedup();
        // What nobody names any more is dropped, and the others move up.
        let scopes = std::mem::take(&mut self.scopes);
        self.scopes = scopes
            .into_iter()
            .enumerate()
            .filter(|(index, _)| named.binary_search(index).is_ok())
            .map(|(_, scope)| scope)
            .collect();
        let places = self.by_signature.values_mut().chain(self.by_line.values_mut()).flatten();
        places.for_each(|index| *index = named.binary_search(index).unwrap_or(*index));
        self.bytes = self.scopes.iter().map(weight).sum();
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

    /// Returns whether one of these processes was permitted by a person, and what was shown then covers a question.
    pub(super) fn inherited(&self, chain: &[Process], now: &Scope) -> bool {
        let shown = chain.iter().filter_map(|process| self.running.get(process));
        shown.into_iter().any(|shown| grant::is_within(shown, now))
    }
}

/// Returns the digest of a line in its directory.
pub(super) fn digest_of(line: &String, cwd: Option<&String>) -> Digest {
    digest(&[Some(line), cwd])
}

/// Returns the digest of texts that may be missing, each told from the next.
pub(super) fn digest(texts: &[Option<&String>]) -> Digest {
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
    // Each signature is a key as well.
    let signatures: usize = scope.signatures.iter().map(signature).sum();
    std::mem::size_of::<Scope>() + rules + effects + 2 * signatures
}
