//! What `rows/*.toml` say, a sheet for each client: scenes, the clients that play them, and what is to come of it. Plays nothing.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::client::Client;
use crate::session::{Act, GIT_SETTINGS, Session};
use crate::{sheets, stage};

/// One scene.
#[allow(clippy::struct_excessive_bools, reason = "each is a key of its own")]
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What is shown, in words; the name.
    pub scene: String,
    /// The clients that play it, by their names in `clients.toml`.
    pub clients: Vec<String>,
    /// Whether it takes a minute, so that it begins first.
    #[serde(default)]
    pub long: bool,
    /// Whether the older versions of the clients play it too.
    #[serde(default)]
    older: bool,
    /// Whether it is played once more where all that holds lines is on, with the same result.
    #[serde(default)]
    held: bool,
    /// Whether the oldest version plays it too, where one is named.
    #[serde(default)]
    oldest: bool,
    /// What of the guard is installed into the client.
    #[serde(default = "both")]
    pub guard: Vec<Part>,
    /// The owner's settings.
    #[serde(default)]
    pub settings: String,
    /// Whether the guard is put in by `guarded-sh setup`, which has a host start by itself.
    #[serde(default)]
    pub setup: bool,
    /// Whether the person has `guarded-sh serve` running.
    #[serde(default)]
    pub host: bool,
    /// Whether the person has made the client one of the bridge's, with its workspace mapped; the words then have its `{token}`.
    #[serde(default)]
    pub bridge: bool,
    /// Where the client runs.
    #[serde(default)]
    pub at: At,
    /// Options of `guarded-sh run`, in a session.
    #[serde(default)]
    pub options: Vec<String>,
    /// Its words, where they are not the usual ones.
    pub words: Option<Vec<String>>,
    /// Variables that the person has, beside the usual ones.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Files before, below the throw-away place: `work/…`, `home/…`.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Programs of [`stage::EITHER`] that the machine has; of the others it has none.
    #[serde(default)]
    pub has: Vec<String>,
    /// What is gone after the guard was installed.
    #[serde(default)]
    pub lost: Vec<String>,
    /// What the person asks for, where it is of any matter.
    #[serde(default)]
    pub prompt: Option<String>,
    /// Whether it is not an agent here, but is asked as a model.
    #[serde(default)]
    pub judges: bool,
    /// What the model does, one call of a tool after the other; then it says that it is done.
    #[serde(default)]
    pub turn: Vec<Step>,
    /// The events beside those of the steps that the record has, in order; not compared where there are none.
    #[serde(default)]
    pub events: Vec<String>,
    /// Whether `log` shows no line of a shell beside those of the steps: what the client runs for itself is known as its own.
    #[serde(default)]
    pub alone: bool,
    /// Files afterwards, and what is in them.
    #[serde(default)]
    pub left: BTreeMap<String, String>,
    /// Files that must not be there afterwards.
    #[serde(default)]
    pub gone: Vec<String>,
    /// The session whose steps the turn is, which then says what is to come of it.
    #[serde(skip)]
    pub session: Option<Session>,
}

/// Settings with which lines run contained where not all of them is known, and what they destroy is kept. The fence is on for agents anyway.
const ALL_ON: &str = "contain = \"on\"\nundo = \"rely\"\n";

impl Row {
    /// Returns the same row where all that holds lines is on.
    fn held(self) -> Self {
        let scene = format!("{}, and all that holds lines is on", self.scene);
        Self { scene, settings: format!("{ALL_ON}{}", self.settings), ..self }
    }

    /// Returns whether a client plays it.
    pub fn is_for(&self, client: &Client) -> bool {
        let plays = (self.older || !client.is_older) && (self.oldest || !client.is_oldest);
        self.clients.contains(&client.name) && plays
    }

    /// Returns whether the service is needed beside the guard.
    pub fn is_served(&self) -> bool {
        let on_page = |step: &Step| matches!(step.person, Some(Deed::Page(_)));
        self.judges || self.bridge || self.turn.iter().any(on_page)
    }
}

fn both() -> Vec<Part> {
    vec![Part::Shell, Part::Hooks]
}

/// A part of what `guarded-sh install` puts into a client.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    Shell,
    Hooks,
}

/// Where a client runs.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum At {
    /// With no terminal and one prompt.
    #[default]
    Headless,
    /// In a terminal, where a person types the prompt.
    Terminal,
    /// The same, below `guarded-sh run`.
    Session,
}

/// One call of a tool by the model, and what is to come of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The command line.
    pub run: String,
    /// The call, by its name in `clients.toml`, where it is not the usual one; `prompt`: the client runs it by itself, for what the
    /// person asked, and tells the person.
    #[serde(default = "usual")]
    pub call: String,
    /// Whether the model calls for it and the next in one turn.
    #[serde(default)]
    pub with_next: bool,
    /// Whether a subagent of the model's calls for it: one that the call `subagent` has started.
    #[serde(default)]
    pub by_subagent: bool,
    /// What other words in braces of the call stand for.
    #[serde(skip)]
    pub words: Vec<(&'static str, String)>,
    /// What is waited for before the model says this.
    #[serde(default)]
    pub after: Option<After>,
    /// What the person does about the question that this brings.
    #[serde(default)]
    pub person: Option<Deed>,
    /// For how many seconds the person lets the question stand before.
    #[serde(default)]
    pub late: u64,
    /// When the person does it.
    #[serde(default)]
    pub when: When,
    /// What the person presses meanwhile.
    #[serde(default)]
    pub keys: Vec<Keys>,
    /// Parts of what the model is told of it.
    #[serde(default)]
    pub told: Vec<String>,
    /// What the model must not be told.
    #[serde(default)]
    pub untold: Vec<String>,
    /// Parts of what the model is told in the same turn, wherever its client puts them.
    #[serde(default)]
    pub beside: Vec<String>,
    /// What the record says of it: door, action and who decided, in order.
    pub record: Vec<String>,
}

fn usual() -> String {
    "shell".to_owned()
}

impl Step {
    /// Returns the model's command line, and the one that the person puts in its place.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let edited = match &self.person {
            Some(Deed::Edit(line)) => Some(line.as_str()),
            Some(Deed::Approve(_) | Deed::Deny(_) | Deed::Page(_) | Deed::Kill) | None => None,
        };
        std::iter::once(self.run.as_str()).chain(edited)
    }

    /// Returns whether the model calls for it.
    pub fn is_models(&self) -> bool {
        self.call != "prompt"
    }
}

/// What is waited for.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum After {
    /// The person has done what was to be done about the questions so far.
    Person,
    /// The model has been told what the steps before came to, its subagent's too.
    Told,
    /// A file is there.
    File(String),
}

/// What a person does about a question.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deed {
    /// Says yes, with these options.
    Approve(Vec<String>),
    /// Says no, with these options.
    Deny(Vec<String>),
    /// Puts this line in the place of the one that is asked about.
    Edit(String),
    /// Gives the answer of this button on the page, in a browser.
    Page(String),
    /// Kills the host.
    Kill,
}

/// Keys, and when they are pressed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// What the screen shows then.
    pub shown: String,
    /// What it shows no more.
    #[serde(default)]
    pub absent: Option<String>,
    /// The keys, by the names that tmux has for them; anything else is typed.
    pub press: Vec<String>,
}

/// When a person answers.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// As soon as there is a question.
    #[default]
    Asked,
    /// When the model has been told what came of the call.
    Told,
}

/// Returns all rows.
pub fn all() -> Vec<Row> {
    let paths = |directory: &str| sheets::paths(&format!("{}/{directory}", stage::sheets()));
    let rows = || paths("agents/rows").into_iter().flat_map(|path| sheets::rows::<Row>(&path));
    let held = rows().filter(|row| row.held).map(Row::held);
    let sessions = paths("sessions").into_iter().map(|path| of_session(Session::read(&path)));
    rows().chain(held).chain(sessions).collect()
}

/// Returns the row that a session is, where the questions are left open: who was asked is all that matters.
fn of_session(session: Session) -> Row {
    let files = session.files.iter().map(|(path, text)| (format!("work/{path}"), text.clone()));
    let settings = (".gitconfig".to_owned(), GIT_SETTINGS.to_owned());
    Row {
        scene: format!("session: {}", session.name),
        clients: vec!["claude".to_owned()],
        long: true,
        older: false,
        held: false,
        oldest: false,
        guard: both(),
        settings: "[approval]\nwait = 0\n".to_owned(),
        setup: false,
        host: true,
        bridge: false,
        at: At::Headless,
        options: Vec::new(),
        words: None,
        environment: BTreeMap::new(),
        files: files.chain([settings]).collect(),
        has: Vec::new(),
        lost: Vec::new(),
        prompt: None,
        judges: false,
        turn: session.step.iter().map(|step| of_act(step.act(stage::WORK))).collect(),
        events: Vec::new(),
        alone: false,
        left: BTreeMap::new(),
        gone: Vec::new(),
        session: Some(session),
    }
}

fn of_act(act: Act<'_>) -> Step {
    let path = |path: &str| format!("{}/{path}", stage::WORK);
    let (call, run, words) = match act {
        Act::Run { line, background: true } => ("background", line, vec![]),
        Act::Run { line, background: false } => ("shell", line, vec![]),
        Act::Read { path: file } => ("read", path(file), vec![]),
        Act::Write { path: file, text } => ("put", path(file), vec![("text", text.to_owned())]),
        Act::Edit { path: file, old, new } => {
            ("edit", path(file), vec![("old", old.to_owned()), ("new", new.to_owned())])
        }
    };
    Step {
        run,
        call: call.to_owned(),
        with_next: false,
        by_subagent: false,
        words,
        after: None,
        person: None,
        late: 0,
        when: When::Asked,
        keys: Vec::new(),
        told: Vec::new(),
        untold: Vec::new(),
        beside: Vec::new(),
        record: Vec::new(),
    }
}
