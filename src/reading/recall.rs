//! What is remembered of a session's earlier lines, put to what this line does: which of its commands run or read files that those
//! wrote. Asks nobody whose past cannot matter to the line.

use std::fmt;

use super::linked::{below, takes_away};
use super::plan::{FileUse, Plan};
use super::scripts::may_match;
use crate::model::{Effect, EffectKind, FlowSource, PathClass, Recent, Target, Trace};

/// What is remembered of earlier lines, and what is there of it now.
pub trait Past: fmt::Debug {
    /// Returns what is remembered; none if nothing is, or nobody says.
    fn recent(&self) -> Option<Recent>;

    /// Returns whether the file of this name is the one that a trace is about, by whatever name that went.
    fn is_file(&self, _path: &str, _trace: &Trace) -> bool {
        false
    }

    /// Returns whether what a trace is about still stands in the file of this name, and nothing else was written there since.
    fn is_unchanged(&self, _path: &str, _trace: &Trace) -> bool {
        true
    }
}

/// Nothing came before: the line stands alone.
#[derive(Clone, Copy, Debug)]
pub struct NoPast;

impl Past for NoPast {
    fn recent(&self) -> Option<Recent> {
        None
    }
}

/// What came before is known already, and is as it was.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a>(pub &'a Recent);

impl Past for Known<'_> {
    fn recent(&self) -> Option<Recent> {
        Some(self.0.clone())
    }
}

/// What of earlier lines is about this one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recalled {
    /// Files that commands run or read.
    pub files: Vec<RecalledFile>,
    /// The latest line that read secrets, those masked.
    pub secrets: Option<String>,
}

impl Recalled {
    /// Returns it as what is remembered, so that the line can be judged so again.
    #[must_use]
    pub fn recent(&self) -> Recent {
        let mut files: Vec<Trace> = Vec::new();
        for RecalledFile { file, way: _, sources, line } in &self.files {
            let (path, sources, line) = (file.path.clone(), sources.clone(), line.clone());
            let trace = Trace { path, sources, line, print: None };
            if !files.contains(&trace) {
                files.push(trace);
            }
        }
        Recent { files, secrets: self.secrets.clone() }
    }
}

/// A file that an earlier line wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecalledFile {
    /// Who uses it here.
    pub file: FileUse,
    /// What is done with it.
    pub way: Way,
    /// What came into it.
    pub sources: Vec<FlowSource>,
    /// The earlier line, its secrets masked.
    pub line: String,
}

impl RecalledFile {
    fn of(trace: &Trace, file: FileUse, way: Way) -> Self {
        Self { file, way, sources: trace.sources.clone(), line: trace.line.clone() }
    }
}

/// What a command does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Runs it as a program or script.
    Runs,
    /// Reads it.
    Reads,
    /// Takes it away, with all that is in it, from a place of little worth.
    Takes(EffectKind),
    /// Builds, tests or runs the workspace in which it stands.
    Builds,
}

impl Plan {
    /// Asks what came before, where that can matter, and adds what is about this line.
    pub fn recall(&mut self, past: &dyn Past) {
        if !self.looks_back() {
            return;
        }
        let Some(recent) = past.recent() else { return };
        let mut files: Vec<RecalledFile> = Vec::new();
        for (file, way) in self.uses() {
            for trace in &recent.files {
                // Of a pattern (`mktemp`), the other is one of the files that it stands for.
                let is_pattern = may_match(&file.path, &trace.path);
                let is_named =
                    is_pattern || file.path == trace.path || may_match(&trace.path, &file.path);
                let is_moved = |source: &FlowSource| *source == FlowSource::Work;
                let takes = matches!(way, Way::Takes(_));
                let is_in = takes && may_hold(&file.path, &trace.path);
                let path = if is_pattern || is_in { &trace.path } else { &file.path };
                if !(is_named || is_in || past.is_file(path, trace))
                    || !trace.sources.iter().any(|source| is_moved(source) == takes)
                    || !past.is_unchanged(path, trace)
                {
                    continue;
                }
                let command = &mut self.commands[file.command];
                command.runs_input |= way == Way::Runs;
                if let Way::Takes(kind) = way {
                    let path = Some(file.path.clone());
                    command.does(kind, Target::Path { path, class: PathClass::Inside });
                }
                let found = RecalledFile::of(trace, file.clone(), way);
                if !files.contains(&found) {
                    files.push(found);
                }
            }
        }
        for (command, trace) in self.built(&recent.files) {
            let file = FileUse { command, path: trace.path.clone() };
            if past.is_unchanged(&trace.path, trace) && !self.is_written_before(&file) {
                files.push(RecalledFile::of(trace, file, Way::Builds));
            }
        }
        self.recalled = Recalled { files, secrets: recent.secrets };
    }

    /// The commands that build, test or run a workspace, with the traces of what was written there.
    fn built<'t>(&self, traces: &'t [Trace]) -> Vec<(usize, &'t Trace)> {
        let commands = self.commands.iter().enumerate().filter(|(_, one)| !one.builds.is_empty());
        let reached = commands.flat_map(|(index, command)| {
            let is_code = |trace: &&Trace| trace.sources.iter().any(|one| *one != FlowSource::Work);
            let here = move |trace: &&Trace| is_code(trace) && command.runs_code_of(&trace.path);
            traces.iter().filter(here).map(move |trace| (index, trace))
        });
        reached.collect()
    }

    /// Whether what files hold can matter: the line runs one, sends something away, or hands on what it reads.
    fn looks_back(&self) -> bool {
        let effects = || self.commands.iter().flat_map(|command| &command.effects);
        let has = |is: fn(&Effect) -> bool| effects().any(is);
        let is_path = |effect: &Effect| effect.path().is_some();
        !self.scripts.is_empty()
            || self.commands.iter().any(|command| !command.builds.is_empty())
            || has(|effect| effect.kind == EffectKind::Send || takes(effect).is_some())
            || effects().any(|effect| effect.kind == EffectKind::Execute && is_path(effect))
            || effects().any(|effect| is_read(effect.kind) && is_path(effect))
                && (has(|effect| leaves_here(effect) || is_write(effect))
                    || self.commands.iter().any(|command| command.runs_input))
    }

    /// The files that commands run and read, but for those that the line itself has written anew by then.
    fn uses(&self) -> Vec<(FileUse, Way)> {
        let mut uses: Vec<(FileUse, Way)> = Vec::new();
        let scripts = self.scripts.iter().map(|file| (file.clone(), Way::Runs));
        let touched = self.commands.iter().enumerate().flat_map(|(command, planned)| {
            planned.effects.iter().filter_map(move |effect| {
                let path = effect.path()?.to_owned();
                let way = match effect.kind {
                    EffectKind::Execute => Way::Runs,
                    _ if takes(effect).is_some() => takes(effect)?,
                    kind if is_read(kind) => Way::Reads,
                    _ => return None,
                };
                Some((FileUse { command, path }, way))
            })
        });
        for (file, way) in scripts.chain(touched) {
            let is_known = !matches!(way, Way::Takes(_)) && self.is_written_before(&file);
            if !is_known && !uses.contains(&(file.clone(), way)) {
                uses.push((file, way));
            }
        }
        uses
    }

    /// Whether a command before writes the file anew. What it writes is known from the line.
    fn is_written_before(&self, file: &FileUse) -> bool {
        let mut before = self.commands[..file.command].iter().flat_map(|command| &command.effects);
        before.any(|effect| effect.kind == EffectKind::Write && effect.path() == Some(&file.path))
    }
}

/// How an effect takes away what is of little worth where it stands.
fn takes(effect: &Effect) -> Option<Way> {
    let is_gone = takes_away(effect.kind) && effect.target.class()?.is_of_little_worth();
    (is_gone && effect.path().is_some()).then_some(Way::Takes(effect.kind))
}

/// Whether a path or pattern stands for a file, for what holds it, or for what is in it.
fn may_hold(path: &str, file: &str) -> bool {
    below(path, file).is_some() || below(file, path).is_some()
}

const fn is_read(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Read | EffectKind::Move)
}

fn is_write(effect: &Effect) -> bool {
    matches!(effect.kind, EffectKind::Write | EffectKind::Append | EffectKind::Move)
        && effect.path().is_some()
        && effect.target.class() != Some(PathClass::Null)
}

/// Whether something goes out by it, if only as a part of what is asked for.
fn leaves_here(effect: &Effect) -> bool {
    matches!(
        effect.kind,
        EffectKind::Send | EffectKind::Fetch | EffectKind::Connect | EffectKind::Remote
    ) || effect.target.class() == Some(PathClass::NetworkDevice)
}
