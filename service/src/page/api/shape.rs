//! What programs are given, field by field. Fields may be added, none is renamed, and none changes its meaning. Texts are as they are, not made visible: whoever shows them does
//! that.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use guarded_sh::approval::words;
use guarded_sh::audit::words::happened;
use guarded_sh::audit::{Entry as Recorded, Record};
use guarded_sh::config::Passkey;
use guarded_sh::ipc::{Entry, State};
use guarded_sh::language::Language;
use guarded_sh::model::{Score, Severity, Spent, Trying};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::Type;
use utoipa::openapi::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Ref, RefOr, Schema};

use super::super::counts::word;
use super::super::floor::Standing;
use super::super::kept::Looked;
use super::super::now::digest;
use crate::index::{Hour, Row, SessionRow, Summary};

/// What programs read.
const ENGLISH: Language = Language::English;

/// An answer as JSON.
pub struct Json<T>(pub T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        ([(CONTENT_TYPE, "application/json")], text(&self.0)).into_response()
    }
}

/// Returns a value as JSON.
pub fn text(value: &impl Serialize) -> String {
    // What is given out here can always be written so.
    serde_json::to_string(value).unwrap_or_default()
}

/// Words that records have, described where records are: `schemas/record.json`.
fn named(name: &str) -> RefOr<Schema> {
    Ref::from_schema_name(name).into()
}
pub fn action() -> RefOr<Schema> {
    named("Action")
}
pub fn severity() -> RefOr<Schema> {
    named("Severity")
}
fn decided_by() -> RefOr<Schema> {
    named("DecidedBy")
}
fn mode() -> RefOr<Schema> {
    named("Mode")
}
fn door() -> RefOr<Schema> {
    named("Door")
}
fn record() -> RefOr<Schema> {
    named("Record")
}

/// The same where there may be none.
fn maybe(name: &str) -> RefOr<Schema> {
    let nothing = ObjectBuilder::new().schema_type(Type::Null);
    OneOfBuilder::new().item(named(name)).item(nothing).into()
}
pub fn maybe_action() -> RefOr<Schema> {
    maybe("Action")
}
pub fn maybe_severity() -> RefOr<Schema> {
    maybe("Severity")
}

/// Returns a time as the record has it.
pub fn time(time: Timestamp) -> String {
    format!("{time:.6}")
}

/// The questions as they stand.
#[derive(Serialize, ToSchema)]
pub struct Queue {
    /// Oldest first; those that were answered lately are among them.
    questions: Vec<Question>,
    /// How many hosts are followed.
    hosts: usize,
    /// Why one cannot be spoken to.
    trouble: Option<String>,
}

impl Queue {
    /// Returns how they stand.
    pub fn of(standing: &Standing, passkey: Passkey) -> Self {
        let entries = standing.entries.iter();
        let questions = entries.map(|(_, entry)| Question::of(entry, standing, passkey));
        Self {
            questions: questions.collect(),
            hosts: standing.hosts,
            trouble: standing.trouble.clone(),
        }
    }
}

/// How a question stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stands {
    /// Whoever asked waits.
    Waiting,
    /// Nobody waits any more: a yes counts for the next try.
    Left,
    /// It was answered.
    Answered,
}

/// A question.
#[derive(Serialize, ToSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field that programs read")]
pub struct Question {
    /// By which it is answered.
    id: String,
    /// The line.
    line: String,
    /// The SHA-256 of the line, which an answer names.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    digest: String,
    /// Where it would run.
    directory: Option<String>,
    /// Which agent wants it.
    agent: Option<String>,
    /// Which program wants it, where no agent is known.
    program: Option<String>,
    /// The conversation that it belongs to.
    session: Option<String>,
    #[schema(schema_with = severity)]
    severity: Severity,
    /// How safe it is.
    #[schema(maximum = 100, value_type = u8)]
    score: Score,
    /// Why it is asked.
    reason: String,
    /// A safer command.
    instead: Option<String>,
    /// What was found, the worst first.
    findings: Vec<Finding>,
    /// Programs and subcommands that a yes for the session with `signature` covers; none: only the line itself can be covered.
    signatures: Vec<Vec<String>>,
    /// What has changed since the same was asked about before.
    anew: Option<String>,
    /// What a language model says of it.
    opinion: Option<String>,
    /// When it was asked, to the second.
    #[schema(format = DateTime)]
    asked: String,
    state: Stands,
    /// For how many seconds more is waited.
    left: Option<u64>,
    /// How it was answered, in words.
    answer: Option<String>,
    /// Whether its line can be tried before.
    can_try: bool,
    /// Whether what it did when it was tried can be kept.
    can_keep: bool,
    /// What it printed when it was tried.
    tried: Option<String>,
    /// Whether whoever answers can end the agent.
    can_stop: bool,
    /// What it would change in files, as its agent's own tool says: a unified difference.
    difference: Option<String>,
    /// What was found, for people, the worst first.
    points: Vec<Point>,
    /// How a fence would hold it after a yes.
    held: Option<String>,
    /// Whether a token can say yes to it: what is critical, or takes a passkey, waits for a person.
    by_token: bool,
}

/// What was found, for people.
#[derive(Serialize, ToSchema)]
pub struct Point {
    #[schema(schema_with = severity)]
    severity: Severity,
    /// The part of the line that it is about, where it is not all of it.
    part: Option<String>,
    /// What it is.
    text: String,
}

impl Question {
    /// Returns a question as it stands.
    pub fn of(entry: &Entry, standing: &Standing, passkey: Passkey) -> Self {
        let passed = standing.at.map_or(0, |at| at.elapsed().as_secs());
        let entry = entry.clone().after(passed);
        let question = entry.question;
        let (state, left, answer) = match &entry.state {
            State::Waiting { left } => (Stands::Waiting, *left, None),
            State::Left => (Stands::Left, None, None),
            State::Answered { answer } => {
                (Stands::Answered, None, Some(words::answered(answer, ENGLISH)))
            }
        };
        let age = SignedDuration::from_secs(i64::try_from(entry.age).unwrap_or(i64::MAX));
        let asked = Timestamp::now().checked_sub(age).unwrap_or(Timestamp::MIN);
        Self {
            digest: digest(&question.line),
            asked: format!("{asked:.0}"),
            can_try: entry.trying.may_begin(),
            can_keep: entry.trying.may_keep(),
            tried: match entry.trying {
                Trying::Done(trial) => Some(trial.printed),
                _ => None,
            },
            can_stop: entry.may_stop,
            points: words::points(&question, ENGLISH)
                .into_iter()
                .map(|point| Point { severity: point.severity, part: point.part, text: point.text })
                .collect(),
            held: words::held(&question, None, ENGLISH),
            by_token: question.severity != Severity::Critical
                && !passkey.is_needed(question.severity),
            opinion: question.opinion.as_deref().map(|heard| words::heard(heard, ENGLISH)),
            findings: question
                .findings
                .into_iter()
                .map(|found| Finding {
                    rule: found.rule,
                    severity: found.severity,
                    reason: Some(found.reason),
                    start: Some(found.span.start),
                    end: Some(found.span.end),
                })
                .collect(),
            id: entry.id,
            line: question.line,
            directory: question.cwd,
            agent: question.agent,
            program: question.program,
            session: question.session,
            severity: question.severity,
            score: question.score,
            reason: question.reason,
            instead: question.instead,
            difference: question.difference,
            signatures: question.scope.signatures,
            anew: question.anew,
            state,
            left,
            answer,
        }
    }
}

/// What was found.
#[derive(Serialize, ToSchema)]
pub struct Finding {
    /// The rule.
    rule: String,
    #[schema(schema_with = severity)]
    severity: Severity,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Where it begins in the line, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<usize>,
    /// Where it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<usize>,
}

/// A call, in short.
#[derive(Serialize, ToSchema)]
pub struct Call {
    /// The number of its first record, by which it is known.
    number: u64,
    /// The number of its last record.
    last: u64,
    /// When.
    #[schema(format = DateTime)]
    time: String,
    agent: Option<String>,
    session: Option<String>,
    /// The directory.
    project: Option<String>,
    /// The line; of a long one the beginning. Secrets are masked.
    line: String,
    #[schema(schema_with = action)]
    action: String,
    #[schema(schema_with = severity)]
    severity: String,
    #[schema(schema_with = decided_by)]
    decided_by: String,
    #[schema(schema_with = mode)]
    mode: String,
    #[schema(schema_with = door)]
    door: String,
    /// What became of it, in few words.
    happened: String,
    /// How long a person was waited for, in milliseconds.
    waited: Option<u64>,
    /// What was found, the worst first.
    findings: Vec<Finding>,
}

impl From<&Recorded> for Call {
    fn from(entry: &Recorded) -> Self {
        let record: &Record = entry.decisive();
        let findings = record.findings.iter().map(|noted| Finding {
            rule: noted.rule.clone(),
            severity: noted.severity,
            reason: None,
            start: None,
            end: None,
        });
        Self {
            number: entry.first.sequence,
            last: entry.last_number(),
            time: time(record.time),
            agent: record.caller.clone(),
            session: record.session.clone(),
            project: record.cwd.clone(),
            line: record.line.text.clone(),
            action: word(record.action),
            severity: word(record.severity),
            decided_by: word(record.decided_by),
            mode: word(record.mode),
            door: word(record.door),
            happened: happened(entry),
            waited: entry.waited(),
            findings: findings.collect(),
        }
    }
}

impl From<&Row> for Call {
    fn from(row: &Row) -> Self {
        let findings = row.findings.iter().map(|found| Finding {
            rule: found.rule.clone(),
            severity: found.severity,
            reason: None,
            start: None,
            end: None,
        });
        Self {
            number: row.sequence,
            last: row.last,
            time: time(row.time),
            agent: row.agent.clone(),
            session: row.session.clone(),
            project: row.project.clone(),
            line: row.line.clone(),
            action: word(row.action),
            severity: word(row.severity),
            decided_by: word(row.decided_by),
            mode: word(row.mode),
            door: word(row.door),
            happened: happened(row),
            waited: row.waited,
            findings: findings.collect(),
        }
    }
}

/// Calls, newest first.
#[derive(Serialize, ToSchema)]
pub struct Calls {
    /// The calls.
    pub calls: Vec<Call>,
    /// What `before` is for those that are older; none: there are none that fit.
    pub before: Option<u64>,
}

/// A call, with all that the record has of it.
#[derive(Serialize, ToSchema)]
pub struct WholeCall {
    /// In short.
    pub call: Call,
    /// Its records, oldest first: who saw it, and what was decided. The first holds it all, a later one what differs.
    #[schema(schema_with = records)]
    pub records: Vec<Value>,
}

fn records() -> RefOr<Schema> {
    ArrayBuilder::new().items(record()).into()
}

/// A session.
#[derive(Serialize, ToSchema)]
pub struct Session {
    /// Its id.
    id: String,
    /// The agent of its newest call.
    agent: Option<String>,
    /// The directory of its newest call.
    project: Option<String>,
    /// When its first call was.
    #[schema(format = DateTime)]
    first: String,
    /// When its last record was written.
    #[schema(format = DateTime)]
    last: String,
    /// How many calls there were of which something was decided.
    calls: u64,
    /// How many were asked about.
    asked: u64,
    /// How many were refused.
    refused: u64,
}

impl From<SessionRow> for Session {
    fn from(row: SessionRow) -> Self {
        Self {
            id: row.session,
            agent: row.agent,
            project: row.project,
            first: time(row.first),
            last: time(row.last),
            calls: row.calls,
            asked: row.asked,
            refused: row.refused,
        }
    }
}

/// Sessions, the newest first.
#[derive(Serialize, ToSchema)]
pub struct Sessions {
    /// The sessions.
    pub sessions: Vec<Session>,
}

/// What was decided in an hour.
#[derive(Serialize, ToSchema)]
pub struct InHour {
    /// When it began.
    #[schema(format = DateTime)]
    began: String,
    /// How many calls.
    calls: u64,
    /// How many of them were asked about.
    asked: u64,
    /// How many ran.
    allowed: u64,
    /// How many ran contained.
    contained: u64,
    /// How many were left to the agent, which asks its person.
    to_agent: u64,
    /// How many were refused.
    refused: u64,
    /// How many ran in shadow mode.
    shadowed: u64,
}

impl From<&Hour> for InHour {
    fn from(hour: &Hour) -> Self {
        let Hour { began, calls, asked, allowed, contained, to_agent, refused, shadowed } = *hour;
        let began = time(began);
        Self { began, calls, asked, allowed, contained, to_agent, refused, shadowed }
    }
}

/// A rule that made the guard ask.
#[derive(Serialize, ToSchema)]
pub struct AskedBy {
    /// The rule.
    rule: String,
    /// How often.
    times: u64,
}

/// How much was decided in some days.
#[derive(Serialize, ToSchema)]
pub struct Overview {
    /// Since when.
    #[schema(format = DateTime)]
    since: String,
    /// Each hour in which something came, oldest first.
    hours: Vec<InHour>,
    /// The rules that made the guard ask most often, the most often first.
    rules: Vec<AskedBy>,
    /// How long people were waited for, in milliseconds.
    waited: u64,
    /// How many calls a language model was asked about.
    judged: u64,
    /// What models cost today.
    spent: Cost,
    /// How many hosts are followed.
    hosts: usize,
    /// How many questions wait for an answer.
    waiting: usize,
    /// Where the record does not verify, as far as it was read.
    damage: Option<String>,
    /// Which of the transcripts written last have calls that nothing was decided about.
    coverage: Coverage,
}

/// What models cost.
#[derive(Serialize, ToSchema)]
pub struct Cost {
    /// How often one was asked.
    calls: u64,
    /// Tokens, of what was sent and what was answered.
    tokens: u64,
    /// What they cost by the owner's prices, with two digits or more behind the point.
    money: String,
}

/// Which transcripts have calls that nothing was decided about.
#[derive(Serialize, ToSchema)]
pub struct Coverage {
    /// How many were looked at.
    looked_at: u64,
    /// How many of them are still being read.
    reading: u64,
    /// Those that have some.
    without_decision: Vec<Lacking>,
}

/// A transcript with calls that nothing was decided about.
#[derive(Serialize, ToSchema)]
pub struct Lacking {
    /// Whose it is.
    agent: &'static str,
    /// The session, as the agent calls it.
    session: String,
    /// How many.
    calls: u64,
    /// Of how many that run commands or change files.
    of: u64,
}

impl From<Looked> for Coverage {
    fn from(Looked { checked, reading, without }: Looked) -> Self {
        let lacking = without.into_iter().map(|one| Lacking {
            agent: one.agent,
            session: one.id,
            calls: one.count,
            of: one.of,
        });
        Self { looked_at: checked, reading, without_decision: lacking.collect() }
    }
}

impl Overview {
    /// Puts it together.
    pub fn new(
        since: Timestamp,
        (summary, damage): (&Summary, Option<String>),
        spent: Spent,
        standing: &Standing,
        looked: Looked,
    ) -> Self {
        let waiting = standing.entries.iter().filter(|(_, entry)| entry.is_waiting());
        let rules = summary.rules.iter();
        Self {
            since: time(since),
            hours: summary.hours.iter().map(InHour::from).collect(),
            rules: rules
                .map(|(rule, times)| AskedBy { rule: rule.clone(), times: *times })
                .collect(),
            waited: summary.waited,
            judged: summary.judged,
            spent: Cost {
                calls: spent.calls,
                tokens: spent.tokens,
                money: spent.money.to_string(),
            },
            hosts: standing.hosts,
            waiting: waiting.count(),
            damage,
            coverage: Coverage::from(looked),
        }
    }
}

/// How it stands with the index.
#[derive(Serialize, ToSchema)]
pub struct Index {
    /// Whether it holds all.
    pub state: IndexStands,
    /// How many of a hundred parts are read.
    pub percent: u64,
    /// How many calls it holds.
    pub calls: Option<u64>,
    /// How many records were read for it.
    pub records: Option<u64>,
    /// Where the record does not verify, as far as it was read.
    pub damage: Option<String>,
    /// Why there is none.
    pub why: Option<String>,
}

/// Whether the index holds all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum IndexStands {
    /// It does.
    Ready,
    /// The record is being read.
    Reading,
    /// There is none.
    Failed,
}
