//! What is recorded of a client's line once it is over: how it ended, beside the record that the guard wrote before it ran. Decides nothing.

use guarded_sh::audit::{
    self, CallOutcome, DecidedBy, Door, Earlier, Hooked, Line, Record, Site, Store,
};
use guarded_sh::model::{Action, Client, Ended, Mode, Score, Severity};
use guarded_sh::observe;

/// Who records how a line ended.
pub struct Recorder {
    pub store: Store,
    pub client: Client,
    pub line: Line,
    pub cwd: Option<String>,
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
            cwd,
            line,
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
            hook: Some(Box::new(Hooked {
                event: "ended".to_owned(),
                outcome: Some(outcome),
                ..Hooked::default()
            })),
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
