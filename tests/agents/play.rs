//! Plays one row, inside its namespaces: installs the guard as a person does, starts the client, does what the person does, and compares
//! what ran, what the model was told and what the record says with what the row expects.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{self, Client, Words};
use crate::judge;
use crate::model::{self, Call, Model};
use crate::person::{self, Host, at_terminal};
use crate::rows::{self, After, At, Keys, Part, Row, When};
use crate::session::{BEGIN, REMOTE, Session};
use crate::stage::{HOME, PROGRAMS, SHOW, WORK};
use crate::tmux::Tmux;

/// No row takes longer from the start of its client; the rest is for what is done before.
const PATIENCE: Duration = Duration::from_secs(240);

/// What the model says when all steps are done.
pub const DONE: &str = "That is done.";

/// What a subagent is asked for.
pub const PART: &str = "Do your part.";

/// For how long a screen shows what a person then answers.
const DRAWN: Duration = Duration::from_millis(300);

/// Columns and rows of the person's terminal.
const SIZE: (u16, u16) = (120, 50);

/// What the person asks for. The model does what the row says, whatever it is.
const PROMPT: &str = "Do the steps.";

/// Plays a row by the names of client and scene.
pub fn inside(client: &str, scene: &str) -> ExitCode {
    let clients = client::all();
    let client = clients.iter().find(|known| known.title() == client).unwrap();
    let rows = rows::all();
    let is_this = |row: &&Row| row.scene == scene && row.is_for(client);
    let row = rows.iter().find(is_this).unwrap();
    let faults = if row.judges { judge::faults(client) } else { Play::set_up(client, row).play() };
    for fault in &faults {
        println!("{fault}");
    }
    ExitCode::from(u8::from(!faults.is_empty()))
}

struct Play<'a> {
    row: &'a Row,
    client: &'a Client,
    words: Words,
    model: Model,
    host: Option<Host>,
    /// The client's settings before the guard was installed.
    before: Vec<Option<String>>,
    /// The steps whose questions are still to be answered.
    deeds: Vec<usize>,
    /// The question that the person lets stand, and since when.
    asked: Option<(String, Instant)>,
    /// The steps that wait, and what for.
    held: Vec<(usize, After)>,
}

impl<'a> Play<'a> {
    fn set_up(client: &'a Client, row: &'a Row) -> Self {
        let with = |step: &dyn Fn(&rows::Step) -> bool| -> Vec<usize> {
            (0..row.turn.len()).filter(|number| step(&row.turn[*number])).collect()
        };
        let deeds = with(&|step| step.person.is_some());
        let held: Vec<(usize, After)> = row
            .turn
            .iter()
            .enumerate()
            .filter_map(|(number, step)| Some((number, step.after.clone()?)))
            .collect();
        let models = row.turn.iter().filter(|step| step.is_models());
        let calls = models.map(|step| call(client, step)).collect();
        let waiting: BTreeSet<usize> = held.iter().map(|(number, _)| *number).collect();
        let model = Model::start(model::dialect(&client.dialect), calls, waiting);
        let mut words = Words::with_model(model.address);
        words.0.push(("prompt", row.prompt.clone().unwrap_or_else(|| PROMPT.to_owned())));
        client.write_files(&words);
        // Into the settings that the person has.
        let before = settings(client);
        let parts = row.guard.iter().map(|part| match part {
            Part::Shell => "--shell",
            Part::Hooks => "--hooks",
        });
        if row.setup {
            person_calls(["setup", "--yes"]);
        } else if !row.guard.is_empty() {
            person_calls(["install", "--yes", &client.name].into_iter().chain(parts));
        }
        for path in &row.lost {
            fs::remove_dir_all(Path::new(HOME).join(path)).unwrap();
        }
        if row.session.is_some() {
            let begun = Command::new("/bin/bash").args(["-ec", BEGIN, "begin", REMOTE]).output();
            let begun = begun.unwrap();
            assert!(begun.status.success(), "{}", String::from_utf8_lossy(&begun.stderr));
        }
        set(&row.settings);
        let host = row.host.then(Host::start);
        if row.bridge {
            words.0.push(("token", person::token()));
        }
        Self { row, client, words, model, host, before, deeds, asked: None, held }
    }

    fn play(mut self) -> Vec<String> {
        let mut running = self.start();
        let deadline = Instant::now() + PATIENCE;
        let mut faults = Vec::new();
        loop {
            if let Some(ended) = running.ended(&self.model) {
                faults.extend(ended.err());
                break;
            }
            if Instant::now() > deadline {
                faults.push(format!("the client does not end{}", running.screen()));
                break;
            }
            running.press();
            self.person_acts();
            self.let_go();
            std::thread::sleep(Duration::from_millis(10));
        }
        if !self.deeds.is_empty() {
            faults.push(format!("there was no question of steps {:?}", self.deeds));
        }
        let left: Vec<&Keys> = running.keys.iter().flatten().flatten().collect();
        if !left.is_empty() {
            faults.push(format!("keys were not pressed: {left:?}{}", running.screen()));
        }
        drop(running);
        self.check(&mut faults);
        self.take_out(&mut faults);
        if !faults.is_empty() {
            faults.push(self.seen());
        }
        faults
    }

    /// Starts the client, where the row has it.
    fn start(&self) -> Running {
        let program = Path::new(PROGRAMS).join(&self.client.name).display().to_string();
        let fill = |words: &[String]| -> Vec<String> {
            words.iter().map(|word| self.words.fill(word)).collect()
        };
        if self.row.at == At::Headless {
            let file = |name: &str| fs::File::create(Path::new("/tmp").join(name)).unwrap();
            let child = Command::new(program)
                .args(fill(self.called_with(&self.client.headless)))
                .envs(self.environment())
                .current_dir(WORK)
                .stdin(Stdio::null())
                .stdout(file("client.out"))
                .stderr(file("client.err"))
                .spawn()
                .unwrap();
            return Running {
                shown: Shown::Nowhere(child),
                keys: VecDeque::new(),
                begun: None,
                since: None,
            };
        }
        let mut words = [vec![program], fill(self.called_with(&self.client.terminal))].concat();
        if self.row.at == At::Session {
            let run = ["guarded-sh", "run"].map(str::to_owned).into_iter();
            let run = run.chain(self.row.options.clone()).chain(["--".to_owned()]);
            words.splice(..0, run);
        }
        let inherited = ["PATH", "HOME", "SHELL", "LANG", "XDG_RUNTIME_DIR"];
        let inherited = inherited.map(|name| (name, std::env::var(name).unwrap()));
        let variables = inherited.into_iter().chain(self.environment());
        let variables = variables.map(|(name, value)| quoted(&format!("{name}={value}")));
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let line =
            format!("exec env {} {}", variables.collect::<Vec<_>>().join(" "), words.join(" "));
        let tmux = Tmux::start(SIZE.0, SIZE.1, Path::new(WORK), &line);
        let prompt = [self.words.fill("{prompt}"), "Enter".to_owned()].to_vec();
        // Others are given it with their words.
        let first = (!self.client.ready.is_empty() && self.row.words.is_none()).then(|| Keys {
            shown: self.client.ready.clone(),
            absent: None,
            press: prompt,
        });
        let mut keys: VecDeque<Vec<VecDeque<Keys>>> = [vec![first.into_iter().collect()]].into();
        let mut is_beside = false;
        for step in &self.row.turn {
            let own = step.keys.iter().cloned().collect();
            match keys.back_mut().filter(|_| is_beside) {
                Some(beside) => beside.push(own),
                None => keys.push_back(vec![own]),
            }
            is_beside = step.with_next;
        }
        Running { shown: Shown::Terminal(tmux), keys, begun: None, since: None }
    }

    fn called_with<'b>(&'b self, usual: &'b [String]) -> &'b [String] {
        self.row.words.as_deref().unwrap_or(usual)
    }

    fn environment(&self) -> impl Iterator<Item = (&str, String)> {
        let shell = self.row.guard.contains(&Part::Shell).then_some(&self.client.shell.environment);
        let of_client = self.client.environment.iter().chain(shell.into_iter().flatten());
        let variables = of_client.chain(&self.row.environment);
        variables.map(|(name, value)| (name.as_str(), self.words.fill(value)))
    }

    /// Does what the person does about the next question, once it is there.
    fn person_acts(&mut self) {
        let (Some(step), Some(host)) = (self.deeds.first().copied(), self.host.as_mut()) else {
            return;
        };
        let is_told = || self.model.told().get(step).is_some_and(Option::is_some);
        if self.row.turn[step].when == When::Told && !is_told() {
            return;
        }
        let asked = self.asked.take().or_else(|| Some((host.question()?, Instant::now())));
        let Some((id, since)) = asked else { return };
        if since.elapsed() < Duration::from_secs(self.row.turn[step].late) {
            self.asked = Some((id, since));
            return;
        }
        if let Some(deed) = &self.row.turn[step].person {
            host.act(&id, deed);
        }
        self.deeds.remove(0);
    }

    /// Lets the model go on where what it waits for has come.
    fn let_go(&mut self) {
        let Self { held, deeds, model, .. } = self;
        held.retain(|(number, after)| {
            let waits = match after {
                After::Person => deeds.first().is_some_and(|step| step < number),
                After::Told => model.told()[..*number].iter().any(Option::is_none),
                After::File(path) => !Path::new(HOME).join(path).exists(),
            };
            if !waits {
                model.let_go(*number);
            }
            waits
        });
    }

    fn check(&self, faults: &mut Vec<String>) {
        // With settings that are broken nobody reads the record.
        set("");
        let told = self.model.told();
        let records = records(faults);
        if let Some(session) = &self.row.session {
            return self.check_session(session, &told, &records, faults);
        }
        let printed = fs::read_to_string("/tmp/client.out").unwrap_or_default();
        let mut told = told.iter().map(|told| told.as_deref().unwrap_or("(nothing)"));
        let requests = self.model.requests();
        for (number, step) in self.row.turn.iter().enumerate() {
            let text = if step.is_models() {
                told.next().unwrap_or("(nothing)")
            } else {
                printed.as_str()
            };
            for part in step.told.iter().filter(|part| !text.contains(part.as_str())) {
                faults.push(format!("step {number}: the model was not told {part:?}"));
            }
            for part in step.untold.iter().filter(|part| text.contains(part.as_str())) {
                faults.push(format!("step {number}: the model was told {part:?}"));
            }
            let is_said = |part: &&String| requests.iter().any(|said| said.contains(part.as_str()));
            for part in step.beside.iter().filter(|part| !is_said(part)) {
                faults.push(format!("step {number}: the model was not told {part:?} beside it"));
            }
        }
        // Codex's frame starts the shell again in its own place, for the line alone, once it has taken its snapshot: one call is one process.
        let mut calls = BTreeSet::new();
        let mut is_first = |record: &&Value| {
            record["door"].as_str() == Some("hook") || calls.insert(record["pid"].as_u64())
        };
        let of_steps = records.iter().filter(|record| self.of_a_step(record).is_some());
        let mut seen: Vec<String> = of_steps
            .filter(|record| is_first(record))
            .filter_map(|record| self.of_a_step(record))
            .collect();
        let mut expected: Vec<String> =
            self.row.turn.iter().flat_map(|step| step.record.clone()).collect();
        // What a client starts in the background, or beside another call, is judged while the client goes on.
        if self.row.turn.iter().any(|step| step.call == "background" || step.with_next) {
            seen.sort();
            expected.sort();
        }
        if seen != expected {
            faults.push(format!("the record has {seen:#?}, not {expected:#?}"));
        }
        let beside = records.iter().filter(|record| self.of_a_step(record).is_none());
        let events: Vec<&str> =
            beside.filter_map(|record| record["hook"]["event"].as_str()).collect();
        if !self.row.events.is_empty() && events != self.row.events {
            faults.push(format!("beside the steps the record has {events:?}"));
        }
        let is_line = |record: &&Value| record["door"].is_null() && record["for"].is_null();
        let others = records.iter().filter(|record| self.of_a_step(record).is_none());
        if let Some(line) = others.clone().filter(is_line).find(|_| self.row.alone) {
            faults.push(format!("beside the steps the log shows {}", cut(&line.to_string())));
        }
        for (path, text) in &self.row.left {
            match fs::read_to_string(Path::new(HOME).join(path)) {
                Ok(is) if is == *text => {}
                Ok(is) => faults.push(format!("{path} holds {is:?}")),
                Err(error) => faults.push(format!("{path}: {error}")),
            }
        }
        for path in self.row.gone.iter().filter(|path| Path::new(HOME).join(path).exists()) {
            faults.push(format!("{path} is there"));
        }
    }

    /// Sees that a person was asked where the session says so, and nowhere else, and that all else ran.
    fn check_session(
        &self,
        session: &Session,
        told: &[Option<String>],
        records: &[Value],
        faults: &mut Vec<String>,
    ) {
        let before = |record: &&Value| record["hook"]["event"] == "PreToolUse";
        let mut asked = records.iter().filter(before);
        let has_run = |line: &str| {
            // Claude takes away what leads where it is already.
            let line = line.strip_prefix(&format!("cd {WORK} && ")).unwrap_or(line);
            let is_it = |record: &Value| record["door"] != "hook" && record["line"] == line;
            records.iter().any(|record| is_it(record) && record["action"] == "allow")
        };
        for (number, (step, call)) in session.step.iter().zip(&self.row.turn).enumerate() {
            let allowed = asked.next().is_some_and(|record| record["action"] == "allow");
            let told = told.get(number).and_then(Option::as_deref).unwrap_or("(nothing)");
            let fault = step.fault(!allowed, told);
            let is_line = matches!(call.call.as_str(), "shell" | "background");
            let stopped = allowed && is_line && !has_run(&call.run);
            let fault = fault.or_else(|| stopped.then(|| format!("did not run: {told}")));
            faults.extend(fault.map(|fault| format!("step {number} {fault}\n    {}", call.run)));
        }
        let more = asked.count();
        if more > 0 {
            faults.push(format!("{more} calls more than the session has"));
        }
    }

    /// Returns what is compared of a record, if it is of a step's line: by which door, what was decided, and who did.
    fn of_a_step(&self, record: &Value) -> Option<String> {
        let text = |key: &str| record[key].as_str().unwrap_or_default();
        // The hook sees the tool's name before what is no line, and of an unknown tool what it is given.
        let ends = |line: &str, step: &rows::Step| step.lines().any(|run| line.ends_with(run));
        let is_it = |step: &rows::Step| match record["door"].as_str() {
            Some("hook") => {
                let given = text("line").strip_suffix("\"}");
                ends(text("line"), step) || given.is_some_and(|line| ends(line, step))
            }
            _ => step.lines().any(|run| text("line") == run),
        };
        if !self.row.turn.iter().any(is_it) {
            return None;
        }
        let door = if record["door"] == "client" { "client" } else { "shell" };
        let door = record["hook"]["event"].as_str().unwrap_or(door);
        Some(format!("{door} {} {}", text("action"), text("decided_by")))
    }

    /// Takes the guard out again: the client has been used, and its settings are as they were.
    fn take_out(&self, faults: &mut Vec<String>) {
        if self.row.guard.is_empty() {
            return;
        }
        if self.row.setup {
            person_calls(["setup", "--undo"]);
        } else {
            person_calls(["uninstall", "--yes", &self.client.name]);
        }
        let after = settings(self.client);
        if after != self.before {
            faults.push(format!("its settings are {after:?} afterwards, not {:?}", self.before));
        }
    }

    /// All that was seen, for who looks for a fault.
    fn seen(&self) -> String {
        let mut text = String::new();
        for (number, told) in self.model.told().into_iter().flatten().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "told {number}: {}", cut(&told));
        }
        for name in ["client.out", "client.err"] {
            let said = fs::read_to_string(Path::new("/tmp").join(name)).unwrap_or_default();
            let _ = writeln!(text, "{name}: {}", cut(&said));
        }
        let most = if std::env::var_os(SHOW).is_some() { usize::MAX } else { 120 };
        for request in self.model.requests() {
            let _ = writeln!(text, "request: {}", request.chars().take(most).collect::<String>());
        }
        for record in records(&mut Vec::new()) {
            let _ = writeln!(text, "record: {}", cut(&record.to_string()));
        }
        text
    }
}

/// A client that runs.
struct Running {
    shown: Shown,
    /// What the person still presses, for one step after the other, or for several in the order in which their questions come.
    keys: VecDeque<Vec<VecDeque<Keys>>>,
    /// The one of several steps of which some keys are pressed, and some are not.
    begun: Option<usize>,
    /// What the screen shows that keys are the answer to, and since when.
    since: Option<(String, Instant)>,
}

enum Shown {
    Nowhere(Child),
    Terminal(Tmux),
}

impl Running {
    /// Returns how it ended, if the client has done what it was asked.
    fn ended(&mut self, model: &Model) -> Option<Result<(), String>> {
        match &mut self.shown {
            Shown::Nowhere(child) => {
                let status = child.try_wait().unwrap()?;
                let fault = || format!("the client ended with {status}");
                Some(if status.success() { Ok(()) } else { Err(fault()) })
            }
            // It is said to the model, and then seen, as is all that the person waits to see.
            Shown::Terminal(tmux) => {
                let seen = self.keys.iter().flatten().all(VecDeque::is_empty);
                (seen && model.is_done() && tmux.plain().contains(DONE)).then_some(Ok(()))
            }
        }
    }

    /// Presses the next keys, if what they are the answer to is on the screen.
    fn press(&mut self) {
        let Shown::Terminal(tmux) = &self.shown else { return };
        while self.keys.front().is_some_and(|steps| steps.iter().all(VecDeque::is_empty)) {
            self.keys.pop_front();
        }
        let Some(steps) = self.keys.front_mut() else { return };
        let screen = tmux.plain();
        // What is only to be seen may have been said before a question was drawn over it, as fast as that came.
        let is_only_seen =
            |step: &VecDeque<Keys>| step.front().is_some_and(|keys| keys.press.is_empty());
        let below = if steps.iter().any(is_only_seen) { tmux.below() } else { String::new() };
        let is_asked = |keys: &Keys| {
            let absent = keys.absent.as_ref();
            let is_seen = keys.press.is_empty() && below.contains(&keys.shown);
            is_seen
                || screen.contains(&keys.shown) && !absent.is_some_and(|text| screen.contains(text))
        };
        let may = |at: usize| self.begun.is_none_or(|begun| begun == at);
        let asked = |(at, step): &(usize, &mut VecDeque<Keys>)| {
            may(*at) && step.front().is_some_and(is_asked)
        };
        let Some((at, step)) = steps.iter_mut().enumerate().find(asked) else {
            self.since = None;
            return;
        };
        let Some(keys) = step.front() else { return };
        // A person does not answer what is only half drawn.
        let before = self.since.take().filter(|(shown, _)| *shown == keys.shown);
        let (shown, since) = before.unwrap_or_else(|| (keys.shown.clone(), Instant::now()));
        if since.elapsed() < DRAWN && !keys.press.is_empty() {
            self.since = Some((shown, since));
            return;
        }
        if std::env::var_os(SHOW).is_some() {
            println!("{screen}");
        }
        for key in &keys.press {
            tmux.keys(&[key]);
        }
        step.pop_front();
        self.begun = (!step.is_empty()).then_some(at);
    }

    fn screen(&self) -> String {
        match &self.shown {
            Shown::Nowhere(_) => String::new(),
            Shown::Terminal(tmux) => format!(":\n{}", tmux.plain()),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Shown::Nowhere(child) = &mut self.shown {
            // It may have ended.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The middle of a long text is left out.
fn cut(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() < 5000 {
        return text.to_owned();
    }
    let part = |part: &[char]| part.iter().collect::<String>();
    format!("{} … {}", part(&letters[..500]), part(&letters[letters.len() - 500..]))
}

/// Calls the guard as a person does, who sees that it succeeds.
fn person_calls<'a>(words: impl IntoIterator<Item = &'a str>) {
    let words = std::iter::once("guarded-sh").chain(words).map(str::to_owned);
    let (success, said) = at_terminal(&words.collect::<Vec<_>>());
    assert!(success, "{said}");
}

/// Returns the client's settings as they are; none of a file that is not there.
fn settings(client: &Client) -> Vec<Option<String>> {
    let paths = client.settings.iter().map(|path| Path::new(HOME).join(path));
    paths.map(|path| fs::read_to_string(path).ok()).collect()
}

/// Writes the owner's settings.
fn set(settings: &str) {
    let path = Path::new(HOME).join(".config/guarded-sh/config.toml");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, settings).unwrap();
}

fn call(client: &Client, step: &rows::Step) -> Call {
    let call = &client.call[&step.call];
    let words = Words([vec![("line", step.run.clone())], step.words.clone()].concat());
    Call {
        tool: call.tool.clone(),
        input: words.fill_value(&call.input),
        is_with_next: step.with_next,
        is_subagents: step.by_subagent,
    }
}

/// Returns the record, as the person reads it, and whether it is whole.
fn records(faults: &mut Vec<String>) -> Vec<Value> {
    let call = |words: &[&str]| Command::new("guarded-sh").args(words).output().unwrap();
    let whole = call(&["verify"]);
    if !whole.status.success() {
        faults.push(format!("the record: {}", String::from_utf8_lossy(&whole.stderr)));
    }
    let log = call(&["log", "--json"]);
    let log = String::from_utf8_lossy(&log.stdout).into_owned();
    let entries = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    // One entry is a call, with what was seen of it by each door.
    let mut records: Vec<Value> = entries
        .flat_map(|mut entry| {
            let views = entry.as_object_mut().and_then(|fields| fields.remove("views"));
            let views: Vec<Value> =
                serde_json::from_value(views.unwrap_or_default()).unwrap_or_default();
            std::iter::once(entry).chain(views)
        })
        .collect();
    records.sort_by_key(|record| record["sequence"].as_u64());
    records
}
