//! What happened in a session, as programs are given it: from a transcript and from the record. Secrets are masked in what others wrote, as the record has them.

use std::collections::HashMap;

use guarded_sh::audit::mask::mask;
use guarded_sh::model::RanLine;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::shape::{Call, time};
use crate::index::Row;
use crate::page::kept::{self, masked};
use crate::page::{ended, transcript};
use crate::transcripts::{self, At, Called, Item, Matched, Pairs, Text, Usage, What, Who, place};

/// One thing that happened.
#[derive(Serialize, ToSchema)]
pub struct Entry {
    /// When.
    #[schema(format = DateTime)]
    time: Option<String>,
    /// By which it is known in its transcript: what is written anew has the same. None of what the record alone has.
    key: Option<String>,
    /// Whether a helper of the model's did it.
    helper: bool,
    /// Whether the person took the conversation back to before it.
    taken_back: bool,
    /// What happened.
    #[serde(flatten)]
    happened: Happened,
}

/// What happened.
#[derive(Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Happened {
    /// Somebody said something.
    Said {
        /// Who.
        by: By,
        /// What.
        text: String,
        /// How many bytes more it has.
        more: usize,
    },
    /// The model called a tool.
    Call {
        /// The agent's id of it.
        id: Option<String>,
        /// The tool, as the agent calls it.
        tool: String,
        /// The tool, as all agents' are called here.
        title: String,
        /// What is judged of it.
        line: String,
        /// What the tool got.
        #[schema(value_type = Object)]
        input: Value,
        /// What came of it.
        result: Option<Came>,
        /// What was decided about it.
        decision: Option<Box<Beside>>,
        /// Whether it ran something or changed something, and nothing was decided about it.
        uncovered: bool,
    },
    /// Something came of a call that stands elsewhere.
    Result(Came),
    /// What an answer of the model took.
    Usage(Used),
    /// A line of which not all can be read.
    Damage {
        /// Why.
        why: String,
    },
    /// A call that stands in no transcript, and was decided about.
    Decision(Decided),
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The person, or what the client says in the same place.
    Person,
    /// The model.
    Model,
    /// The model, to itself.
    Thought,
    /// The client.
    Client,
}

impl From<Who> for By {
    fn from(who: Who) -> Self {
        match who {
            Who::Person => Self::Person,
            Who::Model => Self::Model,
            Who::Thought => Self::Thought,
            Who::Client => Self::Client,
        }
    }
}

/// What came of a call, as the agent says it.
#[derive(Serialize, ToSchema)]
pub struct Came {
    /// The id of the call.
    id: Option<String>,
    /// What the model was told.
    text: String,
    /// How many bytes more it has.
    more: usize,
    /// Whether the agent calls it an error.
    error: bool,
    /// The exit status, where it is said.
    status: Option<i64>,
    /// How long it took, in milliseconds, where it is said.
    took: Option<u64>,
}

impl From<&transcripts::Came> for Came {
    fn from(came: &transcripts::Came) -> Self {
        let transcripts::Came { id, text, is_error, status, took } = came;
        let (text, more) = of(text);
        Self { id: id.clone(), text, more, error: *is_error, status: *status, took: *took }
    }
}

/// What models took.
#[derive(Serialize, ToSchema)]
pub struct Used {
    /// Tokens that were sent, without those of a cache.
    input: u64,
    /// Tokens that came back.
    output: u64,
    /// Tokens that were read from a cache.
    cached: u64,
    /// Tokens that were written to one.
    written: u64,
    /// What it cost, in dollars, where that is said.
    cost: Option<f64>,
}

impl From<&Usage> for Used {
    fn from(usage: &Usage) -> Self {
        let Usage { input, output, cached, written, cost, .. } = *usage;
        Self { input, output, cached, written, cost }
    }
}

/// A decision beside a call.
#[derive(Serialize, ToSchema)]
pub struct Beside {
    /// By what it is known that it belongs there.
    by: MatchedBy,
    /// What was decided, and how the line ended.
    #[serde(flatten)]
    decided: Decided,
}

/// A decision.
#[derive(Serialize, ToSchema)]
pub struct Decided {
    /// The call as the record has it.
    call: Call,
    /// How the line ended, as the witness beside it saw it.
    ended: Option<Ended>,
}

impl From<&Row> for Decided {
    fn from(row: &Row) -> Self {
        let ended = ended::of(row.witnessed.as_deref()).map(Ended::from);
        Self { call: Call::from(row), ended }
    }
}

/// By what a decision is known to belong to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchedBy {
    /// By the id that the agent gave the call.
    Id,
    /// By its line and its time.
    Content,
    /// By these, which several have.
    Several,
}

/// How a line ended.
#[derive(Serialize, ToSchema)]
pub struct Ended {
    /// Its status; none where a signal ended it.
    status: Option<u8>,
    /// How long it took, in milliseconds.
    took: u64,
    /// Files of the workspace that it made.
    made: Vec<String>,
    /// Those that it changed.
    changed: Vec<String>,
    /// How many programs ran that were not foreseen.
    unforeseen: u32,
}

impl From<RanLine> for Ended {
    fn from(line: RanLine) -> Self {
        let RanLine { status, millis, made, changed, unforeseen, .. } = line;
        Self { status, took: millis, made, changed, unforeseen }
    }
}

/// Returns what is shown of a text, and how many bytes more it has.
fn of(text: &Text) -> (String, usize) {
    (mask(&text.text).into_owned(), text.more)
}

/// Returns what items of a transcript say, each with its time. What came of a call stands in it.
pub fn entries(
    agent: &str,
    items: &[Item],
    came: &[transcripts::Came],
    matched: &HashMap<String, Matched>,
    rows: &HashMap<u64, Row>,
) -> Vec<(Option<Timestamp>, Entry)> {
    let pairs = Pairs::of(items, came);
    let entries = items.iter().filter_map(|item| {
        let happened = match &item.what {
            What::Said(who, text) => {
                let (text, more) = of(text);
                Happened::Said { by: By::from(*who), text, more }
            }
            What::Called(called) => {
                let found = matched.get(&item.key).copied().unwrap_or(Matched::None);
                call(agent, called, pairs.came(called), found, rows)
            }
            What::Came(came) if pairs.has_call(came) => return None,
            What::Came(came) => Happened::Result(Came::from(came)),
            What::Used(usage) => Happened::Usage(Used::from(usage)),
            What::Damaged(why) => Happened::Damage { why: why.clone() },
        };
        let entry = Entry {
            time: item.time.map(time),
            key: Some(item.key.clone()),
            helper: item.is_helper,
            taken_back: item.is_withdrawn,
            happened,
        };
        Some((item.time, entry))
    });
    entries.collect()
}

fn call(
    agent: &str,
    called: &Called,
    came: Option<&transcripts::Came>,
    found: Matched,
    rows: &HashMap<u64, Row>,
) -> Happened {
    let headed = transcript::headed(agent, called);
    let by = match found {
        Matched::Id(_) => Some(MatchedBy::Id),
        Matched::Content(_) => Some(MatchedBy::Content),
        Matched::Several(_) => Some(MatchedBy::Several),
        Matched::None => None,
    };
    let row = found.sequence().and_then(|number| rows.get(&number));
    Happened::Call {
        id: called.id.clone(),
        tool: called.tool.clone(),
        title: headed.title,
        line: mask(&headed.line).into_owned(),
        input: masked(called.input.clone()),
        result: came.map(Came::from),
        decision: by.zip(row).map(|(by, row)| Beside { by, decided: Decided::from(row) }.into()),
        uncovered: by.is_none() && headed.acts && came.is_some(),
    }
}

/// Returns a call that stands in no transcript.
pub fn alone(row: &Row) -> (Option<Timestamp>, Entry) {
    let happened = Happened::Decision(Decided::from(row));
    let time = Some(time(row.time));
    (Some(row.time), Entry { time, key: None, helper: false, taken_back: false, happened })
}

/// A transcript as a whole, as far as it is read.
#[derive(Serialize, ToSchema)]
pub struct Whole {
    /// Whether it is read to its end.
    read_out: bool,
    /// How many bytes are read.
    read: u64,
    /// Of how many.
    of: u64,
    /// How many prompts there are.
    prompts: u64,
    /// How many calls of tools there are.
    calls: u64,
    /// How many of them are too many to be compared with the record.
    more_calls: u64,
    /// How many lines there are of which not all can be read.
    damaged: u64,
    /// What models took.
    used: Used,
    /// How many calls run commands or change files.
    checked: u64,
    /// How many of them have no decision of ours.
    without_decision: u64,
    /// How many are older than the record.
    older_than_record: u64,
    /// Those without a decision, the first of them.
    uncovered: Vec<Uncovered>,
    /// Why it is not known which have none, where it is not.
    unsure: Option<&'static str>,
    /// Files that calls write or change, as they name them.
    files: Vec<Touched>,
}

/// A call without a decision.
#[derive(Serialize, ToSchema)]
pub struct Uncovered {
    /// When.
    #[schema(format = DateTime)]
    time: Option<String>,
    /// The tool.
    title: String,
    /// What it did.
    line: String,
    /// What `before` is, where the page of the transcript is asked for that way on which it stands.
    before: Option<String>,
    /// What `from` is, where it is asked for that way.
    from: Option<String>,
}

/// A file that calls write or change.
#[derive(Serialize, ToSchema)]
pub struct Touched {
    /// As they name it.
    file: String,
    /// How often.
    times: u64,
}

impl From<&kept::Whole> for Whole {
    fn from(whole: &kept::Whole) -> Self {
        let coverage = &whole.coverage;
        let files = whole.files.iter();
        Self {
            read_out: whole.is_read_out,
            read: whole.read,
            of: whole.of,
            prompts: whole.prompts,
            calls: whole.calls,
            more_calls: whole.more_calls,
            damaged: whole.damaged,
            used: Used::from(&whole.used),
            checked: coverage.checked,
            without_decision: coverage.without,
            older_than_record: coverage.before,
            uncovered: coverage.told.iter().map(Uncovered::from).collect(),
            unsure: whole.unsure,
            files: files
                .map(|(file, times)| Touched { file: file.clone(), times: *times })
                .collect(),
        }
    }
}

impl From<&transcripts::Uncovered> for Uncovered {
    fn from(one: &transcripts::Uncovered) -> Self {
        let (before, from) = match place(&one.at) {
            At::Before(place, _) => (Some(place), None),
            At::From(place) | At::After(place) => (None, Some(place)),
            At::End => (None, None),
        };
        Self {
            time: one.time.map(time),
            title: one.title.clone(),
            line: mask(&one.line).into_owned(),
            before,
            from,
        }
    }
}
