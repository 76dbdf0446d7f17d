//! What is recorded of a client's line once it is over: how it ended, beside the record that the guard wrote before it ran. Decides nothing.

use guarded_sh::audit::{
    self, CallOutcome, DecidedBy, Door, Earlier, Hooked, Line, Record, Site, Store,
};
use guarded_sh::model::{Action, Client, Ended, Mode, Score, Severity};
use guarded_sh::observe;

/// Returns the record of how a line ended that an earlier bridge had started, made of the record by which it was permitted.
pub fn again(permitted: Record, ended: Ended) -> Record {
    Record {
        time: audit::now(),
        pid: std::process::id(),
        action: Action::Allow,
        severity: Severity::Low,
        score: Score::HARMLESS,
        findings: Vec::new(),
        scripts: Vec::new(),
        decided_by: DecidedBy::Observed,
        micros: 0,
        hook: Some(Box::new(over(CallOutcome::Failed))),
        purpose: None,
        fence: None,
        undo: None,
        opinion: None,
        ran: None,
        question: None,
        ended: Some(Box::new(ended)),
        ..permitted
    }
}

fn over(outcome: CallOutcome) -> Hooked {
    Hooked { event: "ended".to_owned(), outcome: Some(outcome), ..Hooked::default() }
}

/// Who records how a line ended.
pub struct Recorder {
    pub store: Store,
    pub client: Client,
    pub line: String,
    pub cwd: String,
}

impl Recorder {
    /// Records it.
    pub fn ended(self, ended: Ended) -> Result<(), audit::Error> {
        let Self { store, client, line, cwd } = self;
        let is_done = ended.status == Some(0);
        let outcome = if is_done { CallOutcome::Done } else { CallOutcome::Failed };
        let record = Record {
            time: audit::now(),
            door: Door::Client,
            session: Some(client.session()),
            caller: Some(client.name.clone()),
            pid: std::process::id(),
            site: Site {
                host: observe::machine_name(),
                user: Some(observe::user_name()),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
                policy: None,
            },
            cwd: Some(cwd),
            line: Line::new(line.as_ref()),
            frame: None,
            earlier: Earlier::Maybe,
            action: Action::Allow,
            severity: Severity::Low,
            score: Score::HARMLESS,
            findings: Vec::new(),
            scripts: Vec::new(),
            decided_by: DecidedBy::Observed,
            mode: Mode::Enforce,
            micros: 0,
            hook: Some(Box::new(over(outcome))),
            purpose: None,
            fence: None,
            undo: None,
            opinion: None,
            ran: None,
            question: None,
            client: Some(Box::new(client)),
            ended: Some(Box::new(ended)),
        };
        store.append(&record).map(drop)
    }
}
