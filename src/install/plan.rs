//! What installing or taking out would change: each file's text before and after. Nothing is written until a plan is carried out.
//!
//! To install is to take out what is ours first, so that what stands there afterwards is the same however often it is done. What is taken
//! out is what was there before, byte for byte, where nobody else changed the file; where somebody did, only our entries leave.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::agent::{Agent, Part, SettingsFile, Words, embedded};
use super::file::{self, Found};
use super::json::{self, Document};
use super::memory::{Kept, Memory};
use super::program::Names;
use super::{Error, merge, trust};
use crate::model::refusing_without;

/// What is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parts {
    /// The shell.
    pub shell: bool,
    /// The hooks.
    pub hooks: bool,
}

impl Parts {
    fn has(self, part: Part) -> bool {
        match part {
            Part::Shell => self.shell,
            Part::Hooks => self.hooks,
        }
    }

    fn and(self, other: Self) -> Self {
        Self { shell: self.shell || other.shell, hooks: self.hooks || other.hooks }
    }
}

/// For whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user, everywhere.
    User,
    /// Who works in this directory.
    Project(PathBuf),
}

/// Where things are.
#[derive(Clone, Debug)]
pub struct Ground {
    /// The owner's home.
    pub home: PathBuf,
    /// The directory of settings: `$XDG_CONFIG_HOME`.
    pub config: PathBuf,
    /// Where we remember.
    pub state: PathBuf,
    /// The names of the guard.
    pub names: Names,
    /// The values of variables.
    pub variable: fn(&str) -> Option<String>,
}

impl Ground {
    /// Returns the directory of an agent's settings.
    #[must_use]
    pub fn settings(&self, agent: &Agent) -> PathBuf {
        let moved = agent.home.variable.as_deref().and_then(self.variable).map(PathBuf::from);
        let path = agent.home.path.replace("{config}", &self.config.to_string_lossy());
        let usual = match path.strip_prefix("~/") {
            Some(rest) => self.home.join(rest),
            None => PathBuf::from(path),
        };
        moved.filter(|path| path.is_absolute()).unwrap_or(usual)
    }

    /// Returns the words that stand in braces in an agent's data.
    #[must_use]
    pub fn words(&self, agent: &Agent) -> Words {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let program = text(&self.names.program());
        let quoted = shell_words::quote(&program).into_owned();
        let hook = format!("{quoted} hook {}", agent.name);
        Words(vec![
            ("home", text(&self.settings(agent))),
            ("bash", text(&self.names.bash())),
            ("config", text(&self.config)),
            ("path", text(&self.names.path())),
            ("program", program),
            ("hook", hook),
            ("refuse", refusing_without(&quoted)),
        ])
    }

    /// Returns the path of a file of settings: the first that is there, else the last.
    #[must_use]
    pub fn path(&self, agent: &Agent, file: &SettingsFile, scope: &Scope) -> Option<PathBuf> {
        let words = self.words(agent);
        let paths: Vec<PathBuf> = match scope {
            Scope::User => file.user.iter().map(|path| words.path(path)).collect(),
            Scope::Project(root) => file.project.iter().map(|path| root.join(path)).collect(),
        };
        paths.iter().find(|path| path.symlink_metadata().is_ok()).or(paths.last()).cloned()
    }
}

/// A file that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path as it is named.
    pub path: PathBuf,
    /// What was found there.
    pub found: Found,
    /// Its text afterwards; none if it goes.
    pub after: Option<String>,
}

impl Change {
    /// Returns whether there is nothing to do.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.found.text == self.after
    }
}

/// What is to be done for one agent.
#[derive(Debug)]
pub struct Plan {
    /// The files, in the order in which they are written.
    pub changes: Vec<Change>,
    agent: String,
    scope: Scope,
    memory: Option<Memory>,
    before: Option<Memory>,
}

/// One file on its way.
struct Work {
    path: PathBuf,
    found: Found,
    kept: Option<Kept>,
    /// Its text without what is ours.
    clean: Option<String>,
    after: Option<String>,
}

impl Plan {
    /// Returns what installing would change.
    pub fn install(
        agent: &Agent,
        scope: &Scope,
        parts: Parts,
        ground: &Ground,
    ) -> Result<Self, Error> {
        if let (Some(why), Scope::Project(_)) = (&agent.no_project, scope) {
            return Err(Error::NoProject { title: agent.title.clone(), why: why.clone() });
        }
        let before = Memory::read(&ground.state, &agent.name, scope)?;
        let parts = before.as_ref().map_or(parts, |before| before.parts.and(parts));
        let mut all = clean(agent, scope, ground, before.as_ref())?;
        for file in agent.files.iter().filter(|file| parts.has(file.part)) {
            put(agent, file, scope, ground, &mut all)?;
        }
        let files = all.iter().filter(|work| work.after != work.clean).map(Work::keep).collect();
        let memory = Memory { parts, files };
        memory.check(&ground.state, &agent.name, scope)?;
        let changes = all.into_iter().map(Work::change).collect();
        Ok(Self {
            changes,
            agent: agent.name.clone(),
            scope: scope.clone(),
            memory: Some(memory),
            before,
        })
    }

    /// Returns what taking out would change.
    pub fn uninstall(agent: &Agent, scope: &Scope, ground: &Ground) -> Result<Self, Error> {
        let before = Memory::read(&ground.state, &agent.name, scope)?;
        let all = clean(agent, scope, ground, before.as_ref())?;
        let changes = all.into_iter().map(Work::change).collect();
        Ok(Self { changes, agent: agent.name.clone(), scope: scope.clone(), memory: None, before })
    }

    /// Returns whether there is nothing to do.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.changes.iter().all(Change::is_none)
    }

    /// Returns what was installed before.
    #[must_use]
    pub fn was_installed(&self) -> bool {
        self.before.is_some()
    }

    /// Does it. What was there is remembered before anything is changed. Returns where it is remembered.
    pub fn carry_out(mut self, ground: &Ground) -> Result<Option<PathBuf>, Error> {
        let (agent, scope) = (&self.agent, &self.scope);
        let mut remembered = None;
        if let Some(memory) = &mut self.memory {
            for change in self.changes.iter().filter(|change| !change.is_none()) {
                let file = &change.found.file;
                let missing = file::missing(file.parent().unwrap_or(Path::new("/")));
                let kept = memory.files.iter_mut().find(|kept| kept.file == *file);
                if let Some(kept) = kept.filter(|_| !missing.is_empty()) {
                    kept.made = missing;
                }
            }
            remembered = Some(memory.write(&ground.state, agent, scope)?);
        }
        for change in self.changes.iter().filter(|change| !change.is_none()) {
            file::replace(&change.found, change.after.as_deref())?;
        }
        if self.memory.is_none() {
            for kept in self.before.iter().flat_map(|before| &before.files) {
                for directory in kept.made.iter().rev() {
                    // It goes only if it is empty.
                    let _ = std::fs::remove_dir(directory);
                }
            }
            if Memory::forget(&ground.state, agent, scope)? {
                ground.names.take();
            }
        }
        Ok(remembered)
    }
}

impl Work {
    fn keep(&self) -> Kept {
        Kept {
            file: self.found.file.clone(),
            before: self.clean.clone(),
            written: self.after.clone().unwrap_or_default(),
            made: self.kept.as_ref().map(|kept| kept.made.clone()).unwrap_or_default(),
        }
    }

    fn change(self) -> Change {
        Change { path: self.path, found: self.found, after: self.after }
    }

    fn broken(&self, fault: json::Fault) -> Error {
        broken(&self.path, fault)
    }
}

fn broken(path: &Path, fault: json::Fault) -> Error {
    let path = path.to_owned();
    match fault {
        json::Fault::Broken { line, column, what } => Error::Broken { path, line, column, what },
        json::Fault::Unexpected { key, what } if key.is_empty() => Error::Whole { path, what },
        json::Fault::Unexpected { key, what } => Error::Unexpected { path, key, what },
    }
}

/// Returns all files of an agent with what is ours taken out.
fn clean(
    agent: &Agent,
    scope: &Scope,
    ground: &Ground,
    memory: Option<&Memory>,
) -> Result<Vec<Work>, Error> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for file in &agent.files {
        let path = ground.path(agent, file, scope);
        paths.extend(path.filter(|path| !paths.contains(path)));
    }
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    for path in paths {
        let found = file::find(&path)?;
        seen.insert(found.file.clone());
        all.push((path, found));
    }
    // Files that were changed under another name than they would be now.
    for kept in memory.iter().flat_map(|memory| &memory.files) {
        if !seen.contains(&kept.file) {
            all.push((kept.file.clone(), file::find(&kept.file)?));
        }
    }
    let texts: Vec<(PathBuf, Option<String>)> =
        all.iter().map(|(path, found)| (path.clone(), found.text.clone())).collect();
    let mut works = Vec::new();
    for (path, found) in all {
        let kept = memory.and_then(|memory| memory.of(&found.file)).cloned();
        let clean = match &kept {
            Some(kept) if kept.is_as_written(found.text.as_deref()) => kept.before.clone(),
            _ => strip(agent, &path, &found, kept.as_ref(), scope, ground, &texts)?,
        };
        let after = clean.clone();
        works.push(Work { path, found, kept, clean, after });
    }
    Ok(works)
}

/// Takes our entries out of a file that somebody else changed, or of which nothing is remembered.
fn strip(
    agent: &Agent,
    path: &Path,
    found: &Found,
    kept: Option<&Kept>,
    scope: &Scope,
    ground: &Ground,
    texts: &[(PathBuf, Option<String>)],
) -> Result<Option<String>, Error> {
    let Some(text) = &found.text else { return Ok(None) };
    let words = ground.words(agent);
    let files =
        agent.files.iter().filter(|file| ground.path(agent, file, scope).as_deref() == Some(path));
    let was_there = kept.is_none_or(|kept| kept.before.is_some());
    let mut text = text.clone();
    for file in files {
        if file.whole.is_some() {
            // Its name is ours.
            return Ok(kept.and_then(|kept| kept.before.clone()));
        }
        if let Some(hooks) = &file.trusts {
            let hooks = words.path(hooks);
            let listed =
                texts.iter().find(|(path, _)| *path == hooks).and_then(|(_, text)| text.as_deref());
            let value = json::read_json(listed.unwrap_or_default()).unwrap_or_default();
            let hashes = trust::hashes(&value, &hooks, &agent.name);
            let taken =
                trust::take(&text, &hashes).map_err(|fault| toml_fault(path, &text, fault))?;
            let value = |text: &str| toml::from_str::<toml::Value>(text).ok();
            text = nearest(taken, kept, found, value);
            continue;
        }
        let document = Document::read(&text).map_err(|fault| broken(path, fault))?;
        let before = kept.and_then(|kept| kept.before.as_deref()).unwrap_or_default();
        let before = json::read_json(before).unwrap_or_default();
        if !file.events.is_empty() {
            document.strip(&file.at, &before, &agent.name);
        }
        for set in &file.set {
            let ours = value(agent, &set.value, &words)?;
            document.unset(&set.key, &before, |found| is_ours(found, &ours));
        }
        if !was_there && document.is_empty() {
            return Ok(None);
        }
        text = document.text();
    }
    let whole = nearest(text, kept, found, |text| json::read_json(text).ok());
    Ok(if !was_there && whole.trim().is_empty() { None } else { Some(whole) })
}

/// Returns the text without what we wrote: line by line as somebody else wrote it, where that means the same as `taken`.
fn nearest<V: PartialEq>(
    taken: String,
    kept: Option<&Kept>,
    found: &Found,
    value: impl Fn(&str) -> Option<V>,
) -> String {
    let merged = kept.zip(found.text.as_deref()).and_then(|(kept, theirs)| {
        merge::without(kept.before.as_deref().unwrap_or_default(), &kept.written, theirs)
    });
    let means = |text: &str| value(text);
    merged
        .filter(|text| means(text).is_some_and(|value| Some(value) == means(&taken)))
        .unwrap_or(taken)
}

/// Reads a file of an agent's settings as the agent does; none if there is no such file.
pub fn read_as(agent: &Agent, path: &Path) -> Result<Option<Value>, Error> {
    if path.extension().is_some_and(|end| end == "toml") {
        return read_toml(path);
    }
    let value = read(path)?;
    taken(agent, path, &file::find(path)?.text.unwrap_or_default())?;
    Ok(value)
}

/// Reads a file of settings of TOML; none if there is no such file.
fn read_toml(path: &Path) -> Result<Option<Value>, Error> {
    let Some(text) = file::find(path)?.text else { return Ok(None) };
    toml::from_str(&text).map(Some).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let what = error.message().to_owned();
        toml_fault(path, &text, trust::Fault::Broken { at, what })
    })
}

/// Holds that an agent takes a text of JSON: else it would not see what is put into it, and say nothing.
fn taken(agent: &Agent, path: &Path, text: &str) -> Result<(), Error> {
    json::is_in(text, agent.json).map_err(|fault| match fault {
        json::Fault::Broken { line, column, what } => {
            let (title, path) = (agent.title.clone(), path.to_owned());
            Error::Unread { title, path, line, column, what }
        }
        fault @ json::Fault::Unexpected { .. } => broken(path, fault),
    })
}

/// Reads a file of settings of JSON; none if there is no such file.
pub fn read(path: &Path) -> Result<Option<Value>, Error> {
    let Some(text) = file::find(path)?.text else { return Ok(None) };
    let broken = |(line, column, what)| Error::Broken { path: path.to_owned(), line, column, what };
    json::read_json(&text).map(Some).map_err(broken)
}

/// A value that we set: the very one, or the guard under another path.
fn is_ours(found: &Value, ours: &Value) -> bool {
    let name = |value: &Value| {
        let path = Path::new(value.as_str()?);
        path.file_name().and_then(|name| name.to_str()).map(str::to_owned)
    };
    found == ours
        || (name(ours).is_some_and(|name| name.starts_with("guarded-"))
            && name(found) == name(ours))
}

/// Puts into a file what it is to hold.
fn put(
    agent: &Agent,
    file: &SettingsFile,
    scope: &Scope,
    ground: &Ground,
    all: &mut [Work],
) -> Result<(), Error> {
    let words = ground.words(agent);
    let Some(path) = ground.path(agent, file, scope) else { return Ok(()) };
    let hooks = file.trusts.as_ref().map(|hooks| words.path(hooks));
    let trusted = hooks.map(|hooks| {
        let text = all.iter().find(|work| work.path == hooks).and_then(|work| work.after.clone());
        let value = json::read_json(&text.unwrap_or_default()).unwrap_or_default();
        trust::hashes(&value, &hooks, &agent.name)
    });
    let Some(work) = all.iter_mut().find(|work| work.path == path) else { return Ok(()) };
    let text = work.after.clone().unwrap_or_default();
    let after = if let Some(whole) = &file.whole {
        filled(agent, whole, ground)?
    } else if let Some(hashes) = trusted {
        trust::put(&text, &hashes).map_err(|fault| toml_fault(&path, &text, fault))?
    } else {
        let document = Document::read(&text).map_err(|fault| work.broken(fault))?;
        taken(agent, &path, &text)?;
        for set in &file.set {
            let value = value(agent, &set.value, &words)?;
            document.set(&set.key, &value).map_err(|fault| work.broken(fault))?;
        }
        for events in &file.events {
            let entry = value(agent, &events.entry, &words)?;
            for name in &events.names {
                let key: Vec<String> = file.at.iter().chain([name]).cloned().collect();
                document.append(&key, &entry).map_err(|fault| work.broken(fault))?;
            }
        }
        let text = document.text();
        // A new file ends as files of text do.
        let ends = work.after.is_some() || text.ends_with('\n');
        if ends { text } else { format!("{text}\n") }
    };
    work.after = Some(after);
    Ok(())
}

/// Reads a file of text; none if there is no such file.
pub fn read_text(path: &Path) -> Result<Option<String>, Error> {
    Ok(file::find(path)?.text)
}

/// Puts a file of text in place as a whole.
pub fn write(path: &Path, text: &str) -> Result<(), Error> {
    file::replace(&file::find(path)?, Some(text))
}

/// Puts a file of text in place as a whole, if what is there is still this text; none is no file.
pub fn write_over(path: &Path, before: Option<&str>, text: &str) -> Result<(), Error> {
    let found = file::find(path)?;
    if found.text.as_deref() != before {
        return Err(Error::Raced { path: found.file });
    }
    file::replace(&found, Some(text))
}

/// Returns whether the files of an agent that are ours alone are there, and as we would write them.
pub fn is_current(agent: &Agent, ground: &Ground) -> Result<bool, Error> {
    for file in &agent.files {
        let (Some(whole), Some(path)) = (&file.whole, ground.path(agent, file, &Scope::User))
        else {
            continue;
        };
        if file::find(&path)?.text != Some(filled(agent, whole, ground)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The text of a file that is ours alone.
fn filled(agent: &Agent, whole: &str, ground: &Ground) -> Result<String, Error> {
    let text = embedded(whole).ok_or_else(|| Error::Data {
        name: agent.name.clone(),
        what: format!("there is no file {whole}"),
    })?;
    // It stands there as a string of its language, for who puts the file into place by hand.
    let program = ground.names.program();
    let quoted = serde_json::json!(program.to_string_lossy()).to_string();
    Ok(text.replacen("|| \"guarded-sh\"", &format!("|| {quoted}"), 1))
}

/// A value as JSON, with the words in its texts replaced.
fn value(agent: &Agent, text: &str, words: &Words) -> Result<Value, Error> {
    let mut value: Value = serde_json::from_str(text)
        .map_err(|error| Error::Data { name: agent.name.clone(), what: error.to_string() })?;
    fill(&mut value, words);
    Ok(value)
}

fn fill(value: &mut Value, words: &Words) {
    match value {
        Value::String(text) => *text = words.fill(text),
        Value::Array(list) => list.iter_mut().for_each(|value| fill(value, words)),
        Value::Object(map) => map.values_mut().for_each(|value| fill(value, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn toml_fault(path: &Path, text: &str, fault: trust::Fault) -> Error {
    let path = path.to_owned();
    match fault {
        trust::Fault::Broken { at, what } => {
            let before = text.get(..at).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            Error::Broken { path, line, column, what }
        }
        trust::Fault::NoTable(key) => {
            Error::Unexpected { path, key: key.to_owned(), what: "no table" }
        }
    }
}
