//! `log show`: all that the record has of one call, as of then. Judges nothing again.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::ran::Told;
use super::{DAMAGED, fenced};
use crate::approval::text::with_causes;
use crate::approval::{visible, words as said};
use crate::audit::words;
use crate::audit::{Entry, Error, Filter, Id, Purpose, Record, Store, Stored};
use crate::config;
use crate::language::Language;
use crate::model::Heard;
use crate::pipeline;
use crate::subcommand::arguments::Reader;
use crate::subcommand::failure::Failure;
use crate::subcommand::ground::Ground;
use crate::subcommand::output::{Output, Page, cut, print, short};
use crate::subcommand::sheet::{draw, severity_style};

/// Columns before what is said of a thing by its name.
const NAMED: usize = 12;
/// Entries of several that are named.
const NAMES: usize = 9;
/// Columns of a question's id.
const QUESTION: usize = 16;
/// Columns of a line that names an entry.
const LINE: usize = 50;

pub(super) fn run(id: &str, reader: Reader) -> Result<u8, Failure> {
    let ground = Ground::here();
    let store = pipeline::store(&ground.settings()?, &ground.places)?;
    let (entry, status) = one(&store, id)?;
    let text = match reader {
        Reader::Program => serde_json::to_string(&entry)? + "\n",
        Reader::Person => {
            let now = config::load(&ground.request()).ok().map(|loaded| loaded.digest.to_string());
            Output::new().fit(&page(&entry, Output::new(), ground.home(), now))
        }
    };
    print(&text)?;
    Ok(status)
}

/// Returns the entry that is meant, and the status that reading it leaves.
fn one(store: &Store, id: &str) -> Result<(Entry, u8), Failure> {
    let mut damaged = None;
    let mut find = |id: Id| -> Result<Vec<Entry>, Failure> {
        let filter = Filter { id: Some(id), ..Filter::default() };
        let mut found = Vec::new();
        for entry in store.newest(filter)? {
            match entry {
                Ok(entry) => found.push(entry),
                Err(error) => damaged = Some(error),
            }
        }
        Ok(found)
    };
    let mut found = match id.parse() {
        Ok(number) => find(Id::Number(number))?,
        Err(_) => Vec::new(),
    };
    // An id of a question may be of digits alone.
    if found.is_empty() && !id.is_empty() {
        found = find(Id::Question(id.to_owned()))?;
    }
    let status = damaged.as_ref().map_or(0, |_| DAMAGED);
    if let Some(error) = damaged {
        tell(&error);
    }
    match (found.pop(), found.as_slice()) {
        (Some(entry), []) => Ok((entry, status)),
        (Some(entry), others) => Err(several(id, &entry, others)),
        (None, _) => Err(Failure::new(format!("the record has no entry '{id}'"))
            .hint("`guarded-sh log` shows the id of each, first in its row")),
    }
}

fn tell(error: &Error) {
    Failure::new(with_causes(error)).note();
}

/// Says which entries an id may be.
fn several(id: &str, first: &Entry, others: &[Entry]) -> Failure {
    let all = std::iter::once(first).chain(others.iter().rev());
    let named = all.take(NAMES).map(|entry| {
        let question = entry.question().and_then(|(question, _)| question.id.as_deref());
        let question = question.map(|id| format!(" (question {})", cut(&visible(id), QUESTION)));
        let question = question.unwrap_or_default();
        let line = cut(&visible(&entry.first.record.line.text), LINE);
        format!("\n  {}{question}  {line}", entry.first.sequence)
    });
    let more = (others.len() + 1).saturating_sub(NAMES);
    let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
    Failure::new(format!("'{id}' may be one of several:{}{more}", named.collect::<String>()))
}

/// `now` is the digest of the settings and rules that are in force now.
fn page(entry: &Entry, output: Output, home: Option<&str>, now: Option<String>) -> String {
    let mut shown = Shown { entry, page: Page::new(output), home, now, zone: TimeZone::system() };
    shown.line();
    shown.verdict();
    shown.findings();
    shown.course();
    shown.model();
    shown.fence();
    shown.ran();
    shown.undo();
    shown.origin();
    shown.place();
    shown.page.text
}

struct Shown<'a> {
    entry: &'a Entry,
    page: Page,
    home: Option<&'a str>,
    now: Option<String>,
    zone: TimeZone,
}

impl<'a> Shown<'a> {
    fn line(&mut self) {
        let line = &self.entry.first.record.line;
        let drawn = draw(&line.text, &[], self.page.columns, self.page.output.colour);
        self.page.text.push_str(&drawn);
        if let Some(rest) = &line.rest {
            let text = format!(
                "and {} more bytes, which are not kept: SHA-256 {}",
                rest.bytes, rest.sha256
            );
            self.page.says("", 2, &text);
        }
    }

    fn verdict(&mut self) {
        let record = self.entry.decisive();
        let (output, severity) = (self.page.output, record.severity);
        let head = severity.name();
        let head = output.colour.paint(severity_style(severity), head);
        let happened = output.bold(&words::happened(self.entry));
        self.page.row(&format!("\n{head}  {happened}"));
        if let Some(noted) = record.findings.first() {
            self.page.says("", 0, &noted.reason);
        }
    }

    fn findings(&mut self) {
        let record = self.entry.decisive();
        if record.findings.is_empty() && record.scripts.is_empty() {
            return;
        }
        self.page.title("What was found");
        for noted in &record.findings {
            let sign = format!("  {}", noted.severity.name());
            self.page.says(&sign, NAMED, &format!("{} ({})", noted.reason, noted.rule));
        }
        for script in &record.scripts {
            let path = short(&script.path, self.home);
            self.page.says("  read", NAMED, &format!("{path}, SHA-256 {}", script.sha256));
        }
    }

    /// What happened when, record by record.
    fn course(&mut self) {
        self.page.title("What was decided");
        let records = self.entry.records();
        let records: Vec<(&Record, bool)> =
            records.enumerate().map(|(index, record)| (record, index == 0)).collect();
        for (record, is_first) in records {
            if let Some(question) = &record.question {
                let text = words::question(question, record.decided_by);
                self.at(question.asked, is_first, &text);
            }
            let text = format!("{}: {}", words::door(record), words::sentence(record));
            self.at(record.time, is_first && record.question.is_none(), &text);
        }
    }

    /// What happened at a time, with its day where that is told.
    fn at(&mut self, time: Timestamp, with_day: bool, text: &str) {
        let time = time.to_zoned(self.zone.clone());
        if with_day {
            let day = time.strftime("%A, %-d %B %Y").to_string();
            let day = self.page.output.dim(&format!("  {day}"));
            self.page.row(&day);
        }
        let clock = time.strftime("  %H:%M:%S").to_string();
        self.page.says(&clock, NAMED, text);
    }

    fn model(&mut self) {
        let heard: Vec<&Heard> =
            self.entry.records().filter_map(|record| record.opinion.as_deref()).collect();
        if heard.is_empty() {
            return;
        }
        self.page.title("What a model said");
        for heard in heard {
            self.page.says("", 2, &said::heard(heard, Language::English));
            let (Heard::Judged { opinion, .. } | Heard::Uncertain { opinion, .. }) = heard else {
                continue;
            };
            let sure = format!("{} of 100 sure", opinion.confidence);
            self.page.says("  category", NAMED, &format!("{}, {sure}", opinion.category));
            if let Some(quotation) = &opinion.quotation {
                self.page.says("  quotes", NAMED, quotation);
            }
        }
    }

    fn fence(&mut self) {
        let Some(held) = fenced::of(self.entry) else { return };
        self.page.title("How it was held");
        for row in fenced::Asked::How.answer(self.entry, held) {
            match row.split_once("  ") {
                Some((name, text)) => {
                    self.page.says(&format!("  {name}"), NAMED, text.trim_start());
                }
                None => self.page.says("", 2, &row),
            }
        }
    }

    fn ran(&mut self) {
        let Some(told) = Told::of(self.entry) else { return };
        self.page.title("What really ran");
        for (name, text) in told.rows() {
            self.page.says(&format!("  {name}"), NAMED + 2, &text);
        }
    }

    fn undo(&mut self) {
        let Some(stake) = self.entry.records().find_map(|record| record.undo.as_deref()) else {
            return;
        };
        self.page.title("What it may have destroyed");
        let kept = format!("{} files and directories, {} bytes", stake.files, stake.bytes);
        let kept = match &stake.id {
            Some(id) => format!("{kept} are kept: guarded-sh undo {id}"),
            None => format!("{kept}, of which nothing was kept"),
        };
        self.page.says("", 2, &kept);
        if let Some(lacks) = &stake.lacks {
            self.page.says("", 2, &format!("not all of it: {lacks}"));
        }
        if let Some(why) = &stake.uncovered {
            self.page.says("", 2, &format!("the workspace is not covered: {why}"));
        }
        if stake.relied {
            self.page.says("", 2, "nobody was asked, because it can be taken back");
        }
    }

    fn origin(&mut self) {
        self.page.title("Where it came from");
        let record = &self.entry.first.record;
        let purpose = self.entry.records().find_map(|record| record.purpose);
        let purpose = purpose.map(|purpose| match purpose {
            Purpose::Start => "the agent's own start",
            Purpose::Hook => "the guard's own hook, which the agent runs in its shell",
        });
        let frame = self.entry.records().find_map(|record| record.frame.as_deref());
        let frame =
            frame.map(|frame| format!("{}'s own, SHA-256 of all {}", frame.agent, frame.whole));
        let call = self.entry.records().find_map(|record| record.hook.as_deref()?.call.clone());
        let place = record.cwd.as_deref();
        let place = place.map_or_else(|| "(gone)".to_owned(), |cwd| short(cwd, self.home));
        let processes = self.entry.records().map(|record| record.pid.to_string());
        let processes = processes.collect::<Vec<_>>().join(", ");
        self.named("place", Some(place));
        self.named("agent", record.caller.clone());
        self.named("session", record.session.clone());
        self.named("call", call);
        self.named("purpose", purpose.map(str::to_owned));
        if let Some(client) = self.entry.records().find_map(|record| record.client.as_deref()) {
            let shown = |text: &String| visible(text).into_owned();
            self.named("client", Some(client.name.clone()));
            self.named("says", client.says.as_ref().map(shown));
            self.named("claims", client.purpose.as_ref().map(shown));
            self.named("wrote", client.written.as_ref().map(shown));
            let set: Vec<String> =
                client.set.iter().map(|(name, value)| format!("{name}={value}")).collect();
            self.named("sets", (!set.is_empty()).then(|| visible(&set.join(" ")).into_owned()));
        }
        if let Some(ended) = self.entry.records().find_map(|record| record.ended.as_deref()) {
            let told = |how: String| {
                format!(
                    "{how}, after {} ms, with {} bytes of output, SHA-256 {} and {}",
                    ended.millis, ended.bytes, ended.output, ended.errors
                )
            };
            let text = match (ended.status, ended.signal) {
                (Some(status), _) => told(format!("with status {status}")),
                (None, Some(signal)) => told(format!("by signal {signal}")),
                (None, None) => "with the bridge: how far it came is not known".to_owned(),
            };
            self.named("ended", Some(text));
        }
        self.named("frame", frame);
        self.named("process", Some(processes));
        let site = &record.site;
        let machine = site.host.clone().map(|host| match &site.user {
            Some(user) => format!("{host}, as {user}"),
            None => host,
        });
        self.named("machine", machine);
        self.named("version", site.version.clone());
        let policy = site.policy.clone().map(|policy| match &self.now {
            Some(now) if *now == policy => format!("{policy}, as now"),
            Some(_) => format!("{policy}, which is not that of now"),
            None => policy,
        });
        self.named("policy", policy);
    }

    /// Where it stands in the record.
    fn place(&mut self) {
        self.page.title("In the record");
        let stored: Vec<&'a Stored> =
            std::iter::once(&self.entry.first).chain(&self.entry.views).collect();
        for stored in stored {
            let judged = stored.record.micros;
            let judged = format!("judged in {}.{:03} ms", judged / 1000, judged % 1000);
            let text = format!("{judged}; SHA-256 {}", stored.hash);
            self.page.says(&format!("  {}", stored.sequence), NAMED, &text);
            if let Some(resumed) = &stored.resumed {
                let text =
                    format!("before it {} bytes are no record: `guarded-sh verify`", resumed.bytes);
                self.page.says("", NAMED, &text);
            }
        }
    }

    fn named(&mut self, name: &str, text: Option<String>) {
        if let Some(text) = text {
            self.page.says(&format!("  {name}"), NAMED, &text);
        }
    }
}
