//! What is known of each agent: the rows of `agents/`, as the build script embedded them. Looks at nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::Error;
use super::json::Notation;

/// An agent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// Its name: that of its file.
    #[serde(skip)]
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The version that was seen.
    pub measured: String,
    /// The oldest version of which all this is known to hold.
    pub oldest: Option<String>,
    /// Its programs.
    pub programs: Vec<String>,
    /// Where its settings are.
    pub home: Home,
    /// Why nothing is installed for a project alone.
    pub no_project: Option<String>,
    /// The files in which its settings stand, later ones on top.
    #[serde(default)]
    pub settings: Vec<String>,
    /// How it reads those that are JSON.
    #[serde(default)]
    pub json: Notation,
    /// The files that are changed.
    #[serde(default, rename = "file")]
    pub files: Vec<SettingsFile>,
    /// What only a person can set.
    #[serde(default)]
    pub advice: Vec<Advice>,
    /// The shell that it starts.
    pub shell: Shell,
    /// Its hook before a tool.
    pub hook: Hook,
    /// Where it runs a tool though its hook gave no answer.
    #[serde(default)]
    pub open: Vec<Open>,
    /// Its own lists of permissions.
    pub permissions: Option<Permissions>,
    /// What makes it start the guard in one session, whatever its settings say.
    pub session: Option<Means>,
}

/// What makes an agent start the guard in one session: put where nobody may watch what it starts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Means {
    /// Words behind the agent's program.
    #[serde(default)]
    pub words: Vec<String>,
    /// Variables.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The files of settings that win all the same.
    #[serde(default)]
    pub except: Vec<String>,
}

/// The directory of an agent's settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Home {
    /// Where it is.
    pub path: String,
    /// The variable that moves it.
    pub variable: Option<String>,
}

/// What a change is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The agent starts the guard as its shell.
    Shell,
    /// The agent asks the guard before its tools run.
    Hooks,
}

/// A file that is changed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingsFile {
    /// What for.
    pub part: Part,
    /// Its paths: the first that is there, else the last.
    pub user: Vec<String>,
    /// The same in a project.
    #[serde(default)]
    pub project: Vec<String>,
    /// Values by their keys.
    #[serde(default)]
    pub set: Vec<Set>,
    /// Where events stand.
    #[serde(default = "hooks")]
    pub at: Vec<String>,
    /// Entries of hooks.
    #[serde(default)]
    pub events: Vec<Events>,
    /// The file of ours that it is.
    pub whole: Option<String>,
    /// The file of hooks whose hashes stand in it.
    pub trusts: Option<String>,
}

fn hooks() -> Vec<String> {
    vec!["hooks".to_owned()]
}

/// A value of a key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// The names down to it.
    pub key: Vec<String>,
    /// The value as JSON.
    pub value: String,
}

/// What is put to events.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Events {
    /// Their names.
    pub names: Vec<String>,
    /// The entry as JSON.
    pub entry: String,
}

/// What only a person can set.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Advice {
    /// What for.
    pub part: Part,
    /// What to do.
    pub text: String,
    /// What need not be done where this is there.
    pub unless: Option<String>,
    /// The line that is to stand in the start-up file of a person's shell.
    pub line: Option<String>,
    /// The shell that it starts then.
    pub gives: Option<String>,
}

/// A way in which a tool runs unjudged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// What happens to its hook.
    pub what: String,
    /// The first version that refuses then; none does where it is not said.
    pub before: Option<String>,
}

/// The shell that an agent starts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    /// Where it gets its path from: the first that says one.
    pub from: Vec<ShellSource>,
    /// Globs of paths that it takes.
    pub accept: Vec<String>,
    /// Globs of paths that it does not take.
    #[serde(default)]
    pub refuse: Vec<String>,
    /// What it looks for on PATH if it takes none of these.
    #[serde(default, rename = "else")]
    pub otherwise: Vec<String>,
    /// What it gives to the shell: `{line}`, or `{quoted}` as one word.
    pub argv: Vec<String>,
    /// Variables that say whose shell it is.
    #[serde(default)]
    pub env: std::collections::BTreeMap<String, String>,
}

/// Where the path of a shell comes from.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShellSource {
    /// A key of its settings.
    Setting(Vec<String>),
    /// A variable.
    Variable(String),
    /// The user database.
    Passwd(bool),
    /// A name on PATH.
    Search(String),
    /// A path.
    Path(String),
}

/// The hook before a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// Where its commands stand.
    #[serde(default)]
    pub at: Vec<String>,
    /// A plugin that calls the command, below the directory of its settings.
    pub plugin: Option<String>,
    /// The command that the plugin calls.
    pub start: Option<String>,
    /// What switches all hooks off, or ours.
    #[serde(default)]
    pub off: Vec<Off>,
    /// What it is sent for a command line.
    pub event: String,
    /// Answers that refuse, beside a status of 2 with a reason.
    #[serde(default)]
    pub refuses: Vec<Refuses>,
    /// Variables that it runs with.
    #[serde(default)]
    pub env: std::collections::BTreeMap<String, String>,
}

/// What switches hooks off.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Off {
    /// A key of its settings that has this value, or a list that has it as an item.
    Setting(Set),
    /// A variable that says yes.
    Variable(String),
}

/// A value in an answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refuses {
    /// The names down to it.
    pub key: Vec<String>,
    /// The value.
    pub value: String,
}

/// Lists of permissions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Permissions {
    /// Files of the user; the name of a file may have a `*`.
    pub user: Vec<String>,
    /// Files of a project.
    #[serde(default)]
    pub project: Vec<String>,
}

include!(concat!(env!("OUT_DIR"), "/agents.rs"));

/// Returns the names of the agents that are known.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().filter_map(|(path, _)| path.strip_prefix("agents/")?.strip_suffix(".toml"))
}

/// Returns what is known of an agent; none if it is not known.
pub fn named(name: &str) -> Result<Option<Agent>, Error> {
    let Some(text) = embedded(&format!("agents/{name}.toml")) else { return Ok(None) };
    let data =
        |error: toml::de::Error| Error::Data { name: name.to_owned(), what: error.to_string() };
    let agent: Agent = toml::from_str(text).map_err(data)?;
    Ok(Some(Agent { name: name.to_owned(), ..agent }))
}

/// Returns all agents that are known.
pub fn agents() -> Result<Vec<Agent>, Error> {
    names().filter_map(|name| named(name).transpose()).collect()
}

/// Returns the text of a file that the build script embedded.
pub(super) fn embedded(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

/// The words that stand in braces.
#[derive(Clone, Debug, Default)]
pub struct Words(pub Vec<(&'static str, String)>);

impl Words {
    /// Returns a text with the words replaced.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{name}}}"), value)
        })
    }

    /// Returns a path with the words replaced.
    pub(super) fn path(&self, text: &str) -> PathBuf {
        PathBuf::from(self.fill(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_of_every_agent_can_be_read() {
        let all = agents().unwrap();
        assert_eq!(all.len(), names().count());
        assert!(all.len() >= 5);
        for agent in all {
            for file in &agent.files {
                assert!(!file.user.is_empty(), "{}", agent.name);
                assert_eq!(file.project.is_empty(), agent.no_project.is_some(), "{}", agent.name);
                let off = agent.hook.off.iter().filter_map(|off| match off {
                    Off::Setting(set) => Some(&set.value),
                    Off::Variable(_) => None,
                });
                let texts = file.set.iter().map(|set| &set.value).chain(off);
                for text in texts.chain(file.events.iter().map(|events| &events.entry)) {
                    serde_json::from_str::<serde_json::Value>(text).unwrap();
                }
                if let Some(whole) = &file.whole {
                    assert!(embedded(whole).is_some(), "{whole}");
                }
            }
            let event = Words(vec![("line", "x".to_owned()), ("cwd", "/".to_owned())])
                .fill(&agent.hook.event);
            serde_json::from_str::<serde_json::Value>(&event).unwrap();
        }
    }
}
