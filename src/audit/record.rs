//! One record, as it is written and as it is read.

use std::borrow::Cow;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use hmac_sha256::Hash;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::mask::{self, Written};
use crate::model::{
    Action, AtStake, Client, Ended, Finding, Heard, Held, Mode, Paused, PausedBy, Proof, Score,
    Severity, Stopped, head,
};
use crate::sys::hex::hex;

/// Bytes of a line that are kept. Real lines are far below; of a longer one the rest is only counted and hashed.
const LINE_LIMIT: usize = 32 * 1024;

/// Findings that are kept. A line with more has been judged by its worst, which come first.
const FINDING_LIMIT: usize = 32;

/// What stands before the hash of a record, and after which nothing is hashed.
pub(super) const HASH_FIELD: &[u8] = b",\"hash\":\"";

/// The hash that the first record names as the one before it.
pub const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// One decision, as it is recorded. Where it is written, secrets in its texts are masked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When.
    #[serde(with = "time_text")]
    pub time: Timestamp,
    /// By which door it came.
    #[serde(skip_serializing_if = "Door::is_shell", default)]
    pub door: Door,
    /// The conversation or session, if one is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// The agent that called, if it is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub caller: Option<String>,
    /// The process that decided, and then becomes the shell.
    #[serde(default)]
    pub pid: u32,
    /// Where it was decided.
    #[serde(flatten)]
    pub site: Site,
    /// The working directory; none if it was deleted.
    #[serde(default)]
    pub cwd: Option<String>,
    /// What was judged.
    #[serde(flatten)]
    pub line: Line,
    /// What the agent that called wrote around the line, if it did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub frame: Option<Box<Framed>>,
    /// Whether the call may have a record already.
    #[serde(skip)]
    pub earlier: Earlier,
    /// What was decided.
    pub action: Action,
    /// How severe it is.
    pub severity: Severity,
    /// How safe it is.
    pub score: Score,
    /// What was found.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub findings: Vec<NotedFinding>,
    /// The script files that were read for it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub scripts: Vec<NotedScript>,
    /// Who decided.
    pub decided_by: DecidedBy,
    /// Whether the decision bound.
    pub mode: Mode,
    /// How long judging took, in microseconds.
    #[serde(default)]
    pub micros: u64,
    /// What an agent's hook said, if it came by that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hook: Option<Box<Hooked>>,
    /// What the line is for, where it is none of the model's.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none", default)]
    pub purpose: Option<Purpose>,
    /// How it was held to its plan, where there is a fence.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fence: Option<Box<Held>>,
    /// What was kept of what it may destroy, where that is kept.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub undo: Option<Box<AtStake>>,
    /// What a language model said of it, where one was asked.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub opinion: Option<Box<Heard>>,
    /// The file in which a witness says what really ran, where there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ran: Option<String>,
    /// The question that a person was asked about it, if one was.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub question: Option<Box<Questioned>>,
    /// The client of the bridge whose line it is, if it is one's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client: Option<Box<Client>>,
    /// How a client's line ended, once it has.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended: Option<Box<Ended>>,
}

/// Where a decision was made: what tells records apart that come together from many machines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Site {
    /// The machine's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The user, by name; by number where the user database has no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The version of guarded-sh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The settings and rules in force, as `sha256:` and the digest of their files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

/// A question that a person was asked, as it is recorded. What was answered is [`Record::decided_by`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Questioned {
    /// The id that it had at a host.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// Where it was asked.
    pub at: AskedAt,
    /// When.
    #[serde(with = "time_text")]
    pub asked: Timestamp,
    /// How long an answer was waited for, in milliseconds.
    pub waited: u64,
    /// By what the person was known who answered; none where nobody did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub proof: Option<Proof>,
    /// The pause in which it was asked, if a person wanted one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub paused: Option<NotedPause>,
}

/// A pause in which a person was told of no question, as it is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedPause {
    /// By what the person wanted it.
    pub by: PausedBy,
    /// Until when.
    #[serde(with = "time_text")]
    pub until: Timestamp,
}

impl Questioned {
    /// Returns a question that is asked now.
    #[must_use]
    pub fn now(at: AskedAt, id: Option<String>) -> Self {
        Self { id, at, asked: super::now(), waited: 0, proof: None, paused: None }
    }

    /// Returns the question as it is recorded when it is open no more.
    #[must_use]
    pub fn answered_after(self, waited: Duration) -> Self {
        Self { waited: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX), ..self }
    }

    /// Returns the question as one that is asked while a person is told of none.
    #[must_use]
    pub fn paused(self, paused: Option<Paused>) -> Self {
        let noted = paused.and_then(|Paused { by, left }| {
            let left = SignedDuration::from_secs(i64::try_from(left).ok()?);
            Some(NotedPause { by, until: self.asked.checked_add(left).ok()? })
        });
        Self { paused: noted, ..self }
    }

    /// Returns the question with what the person was known by who answered it.
    #[must_use]
    pub fn with(self, proof: Option<Proof>) -> Self {
        Self { proof, ..self }
    }
}

/// Where a person is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AskedAt {
    /// At the terminal of the line itself.
    Terminal,
    /// At a host that a person started.
    Host,
}

/// What a line is for that no model wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    /// The agent's own start, known to the byte.
    Start,
    /// Our own hook, which the agent runs in its shell.
    Hook,
}

/// Whether a call may have a record already, by another door.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Earlier {
    /// This is the first.
    #[default]
    No,
    /// It is looked for.
    Maybe,
}

/// The frame that stood around a line: text that an agent writes around every command, known to the byte.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Framed {
    /// The agent.
    pub agent: String,
    /// The digest of all that the shell was given, the line in it: see [`Line::digest`].
    pub whole: String,
}

/// By which door something came to be decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Door {
    /// The shell was called: what is permitted runs.
    #[default]
    Shell,
    /// An agent's hook asked, or told. The same line may come to the shell afterwards: its record has the same session and line.
    Hook,
    /// A process of the agent started a program without a shell, and nobody judged it before.
    Program,
    /// A person tried it: what it wrote was not kept until they said so.
    Trial,
    /// A client of the bridge wants it to run on this machine.
    Client,
}

impl Door {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
    const fn is_shell(&self) -> bool {
        matches!(self, Self::Shell)
    }
}

/// An event of an agent, as it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hooked {
    /// The event, as the agent spells it.
    pub event: String,
    /// The tool, by the name that all agents' have.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool: Option<String>,
    /// The id of the call: what was asked before it, and what came of it, have the same.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call: Option<String>,
    /// What the record's line is found by where a call has no id, and in the shell's records: see [`Line::digest`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub digest: Option<String>,
    /// What came of the call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub outcome: Option<CallOutcome>,
    /// What held the line and stopped something of it, by what it printed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub stopped: Vec<Stopped>,
    /// The client's process that said it, where it is what a person typed, and the client itself said so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub speaker: Option<Speaker>,
}

/// A process that said what a person typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Speaker {
    /// Its id.
    pub id: u32,
    /// When it started, in the kernel's ticks since the machine did: an id is used again.
    pub started: u64,
}

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallOutcome {
    /// It was done.
    Done,
    /// It failed.
    Failed,
    /// A person stopped it.
    Interrupted,
}

impl Record {
    /// Returns whether a person or a model was asked about it, or would have been where nothing binds.
    #[must_use]
    pub fn was_asked(&self) -> bool {
        self.decided_by.was_asked(self.action, self.question.is_some())
    }

    /// Returns the record as it is written: with secrets masked in every field that may hold what others wrote, by their own looks, and
    /// wherever the line has them. The line and the findings are masked where they are made.
    pub(super) fn masked(&self) -> Self {
        let mut record = self.clone();
        let hook = record.hook.iter_mut().flat_map(|hook| {
            let stopped =
                hook.stopped.iter_mut().flat_map(|one| one.at.iter_mut().chain(&mut one.why));
            let named = std::iter::once(&mut hook.event).chain(&mut hook.tool);
            named.chain(&mut hook.call).chain(stopped)
        });
        let scripts = record.scripts.iter_mut().map(|script| &mut script.path);
        let named = [&mut record.session, &mut record.caller, &mut record.cwd];
        let held = record.fence.iter_mut().flat_map(|held| {
            held.refused.iter_mut().chain(held.added.iter_mut().map(|(path, _)| path))
        });
        let lacks = record
            .undo
            .iter_mut()
            .flat_map(|stake| stake.lacks.iter_mut().chain(&mut stake.uncovered));
        let said = record.client.iter_mut().flat_map(|client| {
            let values = client.set.iter_mut().map(|(_, value)| value);
            client
                .says
                .iter_mut()
                .chain(&mut client.purpose)
                .chain(&mut client.written)
                .chain(values)
        });
        let texts = named.into_iter().flatten().chain(hook).chain(said).chain(scripts).chain(held);
        let heard = record.opinion.iter_mut().flat_map(|heard| heard.texts());
        for text in texts.chain(lacks).chain(heard) {
            if let Cow::Owned(masked) = mask::mask_field(text) {
                *text = masked;
            }
            record.line.secrets.0.mask_in(text);
        }
        record
    }

    /// Returns the name of the file in which the record belongs: that of its day in UTC, which is the same day for everyone and never
    /// comes twice.
    pub(super) fn day(&self) -> String {
        let time = self.time.to_string();
        format!("{}.jsonl", time.get(..10).unwrap_or("0000-00-00"))
    }
}

/// A script file that was read and judged with the line that runs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedScript {
    /// Where it is.
    pub path: String,
    /// The SHA-256 of what was read.
    pub sha256: String,
}

impl NotedScript {
    /// Returns what is recorded of a script with this SHA-256.
    #[must_use]
    pub fn new(path: String, sha256: &[u8]) -> Self {
        Self { path, sha256: hex(sha256) }
    }
}

/// What was judged, as far as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The text, secrets masked, bytes that are no text as `\xNN`.
    #[serde(rename = "line", default)]
    pub text: String,
    /// What came after it, if it was too long.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rest: Option<Rest>,
    /// The secrets that were masked in it, by which they are masked in what quotes it. They are never written.
    #[serde(skip)]
    secrets: Hidden,
}

/// Secrets that nothing shows, and by which nothing differs.
#[derive(Clone, Default)]
struct Hidden(mask::Secrets);

impl std::fmt::Debug for Hidden {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(mask::MASK)
    }
}

impl PartialEq for Hidden {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Hidden {}

/// The rest of a line that was too long to keep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rest {
    /// How many bytes it has.
    pub bytes: u64,
    /// The SHA-256 of them, secrets masked.
    pub sha256: String,
}

impl Line {
    /// Returns what is kept of a line.
    #[must_use]
    pub fn new(line: &std::ffi::OsStr) -> Self {
        Self::written(&text(line.as_bytes()), Written::Shell)
    }

    /// Returns what is kept of what a person typed to an agent.
    #[must_use]
    pub fn said(text: &str) -> Self {
        // An agent hands to a shell what stands behind the first mark.
        let written = if text.starts_with('!') { Written::Shell } else { Written::Prose };
        Self::written(text, written)
    }

    fn written(text: &str, written: Written) -> Self {
        let (masked, secrets) = mask::Secrets::mask(text, written);
        let secrets = Hidden(secrets);
        if masked.len() <= LINE_LIMIT {
            return Self { text: masked.into_owned(), rest: None, secrets };
        }
        let (kept, rest) = masked.split_at(head(&masked, LINE_LIMIT).len());
        let rest = Rest { bytes: rest.len() as u64, sha256: hash(rest.as_bytes()) };
        Self { text: kept.to_owned(), rest: Some(rest), secrets }
    }

    /// Returns a reason as it is recorded with this line: what it quotes is masked by its own looks, and where the line has it masked.
    #[must_use]
    pub fn masked_reason(&self, reason: &str) -> String {
        mask::mask_reason(reason, &self.secrets.0)
    }

    /// Returns the SHA-256 of what is kept, by which records of one line are found: two doors may see it. It can be made of any
    /// record, and says nothing of secrets that were masked.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut whole = Hash::new();
        whole.update(&self.text);
        if let Some(rest) = &self.rest {
            whole.update(&rest.sha256);
        }
        hex(&whole.finalize())
    }
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    Cow::Owned(text)
}

/// A finding, as it is recorded: what fired and why, without the suggestions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedFinding {
    /// The rule's id.
    pub rule: String,
    /// How severe it is.
    pub severity: Severity,
    /// Why, in plain words.
    pub reason: String,
}

impl NotedFinding {
    /// Returns what is recorded of the findings about a line, the worst first and not more than a line can sensibly have.
    #[must_use]
    pub fn of(findings: &[Finding], line: &Line) -> Vec<Self> {
        let mut worst: Vec<&Finding> = findings.iter().collect();
        worst.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let noted = |finding: &Finding| Self {
            rule: finding.rule.clone(),
            severity: finding.severity,
            reason: line.masked_reason(&finding.reason),
        };
        worst.into_iter().take(FINDING_LIMIT).map(noted).collect()
    }
}

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DecidedBy {
    /// The rules alone.
    Policy,
    /// A person, for this once.
    PersonOnce,
    /// A person, for the session.
    PersonSession,
    /// A person, for good.
    PersonAlways,
    /// A person said no.
    PersonDeny,
    /// A person had another line judged in its place.
    PersonEdit,
    /// A person kept what it did when it was tried.
    PersonKept,
    /// A yes that a person gave earlier.
    Grant,
    /// A yes that a person gave to what started it.
    Inherited,
    /// A language model.
    Model,
    /// Nobody could be asked.
    Nobody,
    /// Nobody: it is the system's own, where the guard stands in the place of the system's shells.
    System,
    /// Nobody: shadow mode let it run.
    Shadow,
    /// The agent, which asks its person.
    Client,
    /// A program of the owner's.
    Custom,
    /// Nothing was to be decided: it was only told.
    Observed,
}

impl DecidedBy {
    /// Returns whether a person or a model was asked, or would have been where nothing binds, where this was decided and a question is recorded or not.
    #[must_use]
    pub fn was_asked(self, action: Action, has_question: bool) -> bool {
        match self {
            Self::Model | Self::Nobody | Self::Client => true,
            Self::Observed => false,
            by => by.is_person() || has_question || action == Action::Ask,
        }
    }

    /// Whether a person answered.
    #[must_use]
    pub const fn is_person(self) -> bool {
        matches!(
            self,
            Self::PersonOnce
                | Self::PersonSession
                | Self::PersonAlways
                | Self::PersonDeny
                | Self::PersonEdit
                | Self::PersonKept
        )
    }

    /// Returns who that is, as people tell them apart; none where nothing was to be decided.
    #[must_use]
    pub const fn by(self) -> Option<By> {
        Some(match self {
            Self::PersonOnce
            | Self::PersonSession
            | Self::PersonAlways
            | Self::PersonDeny
            | Self::PersonEdit
            | Self::PersonKept
            | Self::Client => By::Person,
            Self::Grant | Self::Inherited => By::Grant,
            Self::Policy | Self::System | Self::Shadow | Self::Custom => By::Policy,
            Self::Model => By::Model,
            Self::Nobody => By::Nobody,
            Self::Observed => return None,
        })
    }
}

/// Who decided, as people tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// A person, now: at the guard's question, or at the agent's.
    Person,
    /// A yes that a person gave earlier.
    Grant,
    /// Rules and settings, and nobody was asked.
    Policy,
    /// A language model.
    Model,
    /// Nobody answered, or nobody could be asked.
    Nobody,
}

/// Why the chain was taken up in another way than from the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResumedBecause {
    /// Behind the last record stood bytes that are no record: someone was stopped while writing, or wrote past us.
    Torn,
    /// Less was there than the head says.
    Shorter,
    /// The head was gone or could not be understood.
    HeadLost,
}

/// How the chain was taken up again. The bytes that are no record stay in the file, and are pinned here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resumed {
    /// Why.
    pub because: ResumedBecause,
    /// How many bytes before this record are none.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: String,
}

/// A record in its place in the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stored {
    /// Its number, from 0.
    pub sequence: u64,
    /// The number of the first record of the same call, which holds what this one does not say again.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none", default)]
    pub reference: Option<u64>,
    /// The decision.
    #[serde(flatten)]
    pub record: Record,
    /// Set where the chain had to be taken up again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub resumed: Option<Resumed>,
    /// The hash of the record before.
    pub previous: String,
    /// The hash of this one.
    #[serde(default)]
    pub hash: String,
}

/// Where a record goes.
pub(super) struct Place<'a> {
    pub(super) sequence: u64,
    pub(super) resumed: Option<&'a Resumed>,
    pub(super) previous: &'a str,
}

impl Place<'_> {
    /// Returns the line of a record, newline included: its fields, then the hash of the bytes so far.
    pub(super) fn line(
        &self,
        reference: Option<u64>,
        record: &impl Serialize,
    ) -> Result<Vec<u8>, serde_json::Error> {
        #[derive(Serialize)]
        struct Fields<'a, Record: Serialize> {
            sequence: u64,
            #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
            reference: Option<u64>,
            #[serde(flatten)]
            record: &'a Record,
            #[serde(skip_serializing_if = "Option::is_none")]
            resumed: Option<&'a Resumed>,
            previous: &'a str,
        }
        let Self { sequence, resumed, previous } = *self;
        let fields = Fields { sequence, reference, record, resumed, previous };
        let mut bytes = serde_json::to_vec(&fields)?;
        // The brace that closes it.
        bytes.pop();
        let hash = hash(&bytes);
        bytes.extend_from_slice(HASH_FIELD);
        bytes.extend_from_slice(hash.as_bytes());
        bytes.extend_from_slice(b"\"}\n");
        Ok(bytes)
    }
}

/// Returns the hash that a line, without its newline, says it has, if it has it. None: it is no record, or was altered.
#[must_use]
pub fn sound_hash(line: &[u8]) -> Option<&str> {
    let (fields, said) = said_hash(line)?;
    (hash(fields) == said).then_some(said)
}

/// Splits a line into what is hashed and the hash that it says it has.
pub(super) fn said_hash(line: &[u8]) -> Option<(&[u8], &str)> {
    let rest = line.strip_suffix(b"\"}")?;
    let (rest, said) = rest.split_at_checked(rest.len().checked_sub(64)?)?;
    Some((rest.strip_suffix(HASH_FIELD)?, std::str::from_utf8(said).ok()?))
}

/// Returns the SHA-256 of some bytes in hexadecimal.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    hex(&Hash::hash(bytes))
}

/// A time as RFC 3339 has it, to the microsecond.
mod time_text {
    use jiff::Timestamp;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        time: &Timestamp,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{time:.6}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Timestamp, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
