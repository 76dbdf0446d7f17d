//! The shell that an agent would start: found as the agent finds it, and tried.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::probe::{Outcome, Stand, WORD, run};
use super::{Finding, Flaw, Mend};
use crate::install::{self, Agent, ShellSource};
use crate::rules::glob;
use crate::subcommand::ground::Ground;
use crate::subcommand::install::Site;
use crate::sys;

/// The status of a refusal.
const REFUSED: i32 = 126;

pub(super) fn look(
    agent: &Agent,
    site: &Site,
    ground: &Ground,
    stand: &Stand,
    settings: &[(PathBuf, Value)],
) -> Finding {
    let Some(chosen) = choose(agent, site, ground, settings) else {
        return Finding::not("no shell".to_owned(), "it would find no shell");
    };
    let finding = chosen.prove(agent, site, stand);
    if finding.guarded || finding.mend != Mend::Install {
        return finding;
    }
    if let Some(later) = started_up(agent, site) {
        return later.prove(agent, site, stand);
    }
    match &chosen.foreign {
        Some(key) => Finding { mend: Mend::Said(key.clone()), ..finding },
        None => finding,
    }
}

/// A shell that an agent takes.
pub(super) struct Chosen {
    pub(super) shell: PathBuf,
    /// What names it.
    pub(super) origin: String,
    /// What is to be done where the setting that names it stands in a file that is not ours to write.
    foreign: Option<String>,
}

impl Chosen {
    fn new(shell: PathBuf, origin: String) -> Self {
        Self { shell, origin, foreign: None }
    }

    fn prove(&self, agent: &Agent, site: &Site, stand: &Stand) -> Finding {
        let what = format!("{}, from {}", site.short(&self.shell), self.origin);
        let call = Call { shell: &self.shell, argv: &agent.shell.argv, env: &agent.shell.env };
        match call.prove(stand) {
            Ok(()) => Finding::guarded(what),
            Err(flaw) => Finding::flawed(what, flaw),
        }
    }
}

/// The shell that the agent takes in terminals that are opened from now on, where the line for it stands in a start-up file.
fn started_up(agent: &Agent, site: &Site) -> Option<Chosen> {
    const FILES: [&str; 8] = [
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".config/fish/config.fish",
    ];
    let words = site.words(agent);
    let advice = agent.advice.iter().find(|advice| advice.line.is_some())?;
    let line = words.fill(advice.line.as_deref()?);
    let shell = PathBuf::from(words.fill(advice.gives.as_deref()?));
    let holds = |path: &PathBuf| {
        let text = install::read_text(path).ok().flatten();
        text.is_some_and(|text| text.lines().any(|one| one.trim() == line))
    };
    let path = FILES.iter().map(|name| site.ground.home.join(name)).find(holds)?;
    Some(Chosen::new(shell, format!("{}, in terminals opened since", site.short(&path))))
}

/// The shell that the agent takes.
pub(super) fn choose(
    agent: &Agent,
    site: &Site,
    ground: &Ground,
    settings: &[(PathBuf, Value)],
) -> Option<Chosen> {
    let search = ground.environment.get("PATH").unwrap_or_default();
    for source in &agent.shell.from {
        let found = match source {
            ShellSource::Setting(key) => setting(agent, site, key, settings),
            ShellSource::Variable(name) => {
                let value = ground.environment.get(name);
                value.map(|value| Chosen::new(PathBuf::from(value), name.clone()))
            }
            ShellSource::Passwd(_) => {
                let uid = nix::unistd::geteuid().as_raw();
                let shell = sys::users::shell_of(uid);
                shell.map(|shell| Chosen::new(shell, "the user database".to_owned()))
            }
            ShellSource::Search(name) => {
                on_path(search, name).map(|shell| Chosen::new(shell, "PATH".to_owned()))
            }
            ShellSource::Path(path) => {
                Some(Chosen::new(PathBuf::from(path), "its own list".to_owned()))
            }
        };
        let Some(chosen) = found.filter(|chosen| !chosen.shell.as_os_str().is_empty()) else {
            continue;
        };
        let text = chosen.shell.to_string_lossy();
        let fits = |globs: &[String]| globs.iter().any(|pattern| glob::text(pattern, &text));
        if fits(&agent.shell.accept) && !fits(&agent.shell.refuse) {
            return Some(chosen);
        }
    }
    let other = agent.shell.otherwise.iter().find_map(|name| on_path(search, name))?;
    Some(Chosen::new(other, "PATH, since nothing else names one that it takes".to_owned()))
}

/// A key of its settings, as the last file has it that has it.
fn setting(
    agent: &Agent,
    site: &Site,
    key: &[String],
    settings: &[(PathBuf, Value)],
) -> Option<Chosen> {
    let value = |value: &Value| {
        let value = key.iter().try_fold(value, |value, name| value.get(name))?;
        value.as_str().map(PathBuf::from)
    };
    let mut found = settings.iter().rev().filter_map(|(path, all)| Some((path, value(all)?)));
    let (path, shell) = found.next()?;
    let (name, file) = (key.join("."), site.short(path));
    let origin = format!("`{name}` in {file}");
    let takes = || format!("take `{name}` out of {file}: it chooses the shell here");
    let foreign = (!is_ours_to_write(agent, site, path)).then(takes);
    Some(Chosen { shell, origin, foreign })
}

/// Returns whether a file is one into which is installed.
pub(super) fn is_ours_to_write(agent: &Agent, site: &Site, path: &Path) -> bool {
    let words = site.words(agent);
    let mut files = agent.files.iter().flat_map(|file| &file.user);
    files.any(|file| Path::new(&words.fill(file)) == path)
}

/// An agent's settings, as far as it takes them.
#[derive(Default)]
pub(super) struct Taken {
    /// The files that are there, later ones on top.
    pub(super) files: Vec<(PathBuf, Value)>,
    /// Why others count for nothing.
    pub(super) ignored: Vec<String>,
}

/// Reads an agent's settings. What it would not take of a file that we write to is an error: then what guards it is not there.
pub(super) fn settings(agent: &Agent, site: &Site) -> Result<Taken, String> {
    let words = site.words(agent);
    let mut all = Taken::default();
    for path in agent.settings.iter().map(|path| PathBuf::from(words.fill(path))) {
        match install::read_as(agent, &path) {
            Ok(Some(value)) => all.files.push((path, value)),
            Ok(None) => {}
            Err(error) if is_ours_to_write(agent, site, &path) => return Err(error.to_string()),
            Err(error) => all.ignored.push(error.to_string()),
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
    pub(super) fn prove(&self, stand: &Stand) -> Result<(), Flaw> {
        let outcome = self.start(stand, &Stand::harmless())?;
        if outcome.status != Some(0) || outcome.out.trim() != WORD {
            let none = || format!("does not run what is harmless: {}", said(&outcome));
            return Err(Flaw::of(&outcome, none));
        }
        let outcome = self.start(stand, &stand.telling())?;
        match (stand.ran(), outcome.status) {
            (true, _) => Err("runs what it should refuse".to_owned().into()),
            (false, Some(REFUSED)) => Ok(()),
            (false, _) => Err(format!("fails, and is no guard: {}", said(&outcome)).into()),
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
