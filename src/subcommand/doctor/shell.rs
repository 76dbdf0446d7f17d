//! The shell that an agent would start: found as the agent finds it, and tried.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::Finding;
use super::probe::{Outcome, Stand, WORD, run};
use crate::install::{self, Agent, ShellSource};
use crate::rules::glob;
use crate::subcommand::ground::Ground;
use crate::subcommand::install::Site;
use crate::sys;

/// The status of a refusal.
const REFUSED: i32 = 126;

pub(super) fn look(agent: &Agent, site: &Site, ground: &Ground, stand: &Stand) -> Finding {
    let (shell, origin) = match choose(agent, site, ground) {
        Ok(Some(chosen)) => chosen,
        Ok(None) => return Finding::not("no shell".to_owned(), "it would find no shell"),
        Err(error) => return Finding::not("its settings".to_owned(), error),
    };
    let what = format!("{}, from {origin}", site.short(&shell));
    let call = Call { shell: &shell, argv: &agent.shell.argv, env: &agent.shell.env };
    match call.prove(stand) {
        Ok(()) => Finding::guarded(what),
        Err(why) => Finding::not(what, why),
    }
}

/// The shell that the agent takes, and what names it.
pub(in crate::subcommand) fn choose(
    agent: &Agent,
    site: &Site,
    ground: &Ground,
) -> Result<Option<(PathBuf, String)>, String> {
    let search = ground.environment.get("PATH").unwrap_or_default();
    for source in &agent.shell.from {
        let found = match source {
            ShellSource::Setting(key) => setting(agent, site, key)?,
            ShellSource::Variable(name) => {
                ground.environment.get(name).map(|value| (PathBuf::from(value), name.clone()))
            }
            ShellSource::Passwd(_) => {
                let uid = nix::unistd::geteuid().as_raw();
                let shell = sys::users::shell_of(uid, Path::new("/etc/passwd"));
                shell.map(|shell| (shell, "the user database".to_owned()))
            }
            ShellSource::Search(name) => {
                on_path(search, name).map(|shell| (shell, "PATH".to_owned()))
            }
            ShellSource::Path(path) => Some((PathBuf::from(path), "its own list".to_owned())),
        };
        let Some((shell, origin)) = found.filter(|(path, _)| !path.as_os_str().is_empty()) else {
            continue;
        };
        let text = shell.to_string_lossy();
        let fits = |globs: &[String]| globs.iter().any(|pattern| glob::text(pattern, &text));
        if fits(&agent.shell.accept) && !fits(&agent.shell.refuse) {
            return Ok(Some((shell, origin)));
        }
    }
    let other = agent.shell.otherwise.iter().find_map(|name| on_path(search, name));
    Ok(other.map(|shell| (shell, "PATH, since nothing else names one that it takes".to_owned())))
}

/// A key of its settings, as the last file has it that has it.
fn setting(
    agent: &Agent,
    site: &Site,
    key: &[String],
) -> Result<Option<(PathBuf, String)>, String> {
    let mut found = None;
    for (path, value) in settings(agent, site)? {
        let value =
            key.iter().try_fold(&value, |value, name| value.get(name)).and_then(Value::as_str);
        if let Some(value) = value {
            let origin = format!("`{}` in {}", key.join("."), site.short(&path));
            found = Some((PathBuf::from(value), origin));
        }
    }
    Ok(found)
}

/// Files of an agent's settings that are there, later ones on top.
pub(super) fn settings(agent: &Agent, site: &Site) -> Result<Vec<(PathBuf, Value)>, String> {
    let words = site.words(agent);
    let paths = agent.settings.iter().map(|path| PathBuf::from(words.fill(path)));
    let mut all = Vec::new();
    for path in paths {
        match install::read_as(agent, &path) {
            Ok(Some(value)) => all.push((path, value)),
            Ok(None) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(all)
}

fn on_path(search: &str, name: &str) -> Option<PathBuf> {
    let directories = search.split(':').filter(|path| path.starts_with('/'));
    directories.map(|directory| Path::new(directory).join(name)).find(|path| path.is_file())
}

/// How a shell is started.
pub(super) struct Call<'a> {
    pub(super) shell: &'a Path,
    /// What it is given: `{line}`, or `{quoted}` as one word.
    pub(super) argv: &'a [String],
    /// Variables that say whose shell it is.
    pub(super) env: &'a BTreeMap<String, String>,
}

impl Call<'_> {
    /// Starts it twice: what is harmless must run, and of what is not nothing may.
    pub(super) fn prove(&self, stand: &Stand) -> Result<(), String> {
        let outcome = self.start(stand, &Stand::harmless())?;
        if outcome.status != Some(0) || outcome.out.trim() != WORD {
            return Err(format!("does not run what is harmless: {}", said(&outcome)));
        }
        let outcome = self.start(stand, &stand.telling())?;
        match (stand.ran(), outcome.status) {
            (true, _) => Err("runs what it should refuse".to_owned()),
            (false, Some(REFUSED)) => Ok(()),
            (false, _) => Err(format!("fails, and is no guard: {}", said(&outcome))),
        }
    }

    fn start(&self, stand: &Stand, line: &str) -> Result<Outcome, String> {
        let quoted = shell_words::quote(line);
        let word = |word: &String| word.replace("{quoted}", &quoted).replace("{line}", line);
        let mut command = Command::new(self.shell);
        command.args(self.argv.iter().map(word)).envs(self.env);
        command.current_dir(stand.directory()).stdin(Stdio::null());
        run(&mut command, "")
    }
}

/// The first line of what it said.
pub(super) fn said(outcome: &Outcome) -> String {
    let line = outcome.err.lines().chain(outcome.out.lines()).next().unwrap_or("it said nothing");
    let status = outcome.status.map_or("a signal".to_owned(), |status| format!("status {status}"));
    format!("{line} ({status})")
}
