//! What a line was asked about for, held against what is there when the answer comes. A person answers to what they are shown, and takes their
//! time: meanwhile others may put another file, link or directory in the place of one that the line uses. Neither asks nor decides anything.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Judgement;
use super::pushed;
use super::witness::files;
use super::world::World;
use crate::approval::visible_name;
use crate::audit;
use crate::model::{EffectKind, Severity, Target};
use crate::observe::{ScriptRead, stamp};
use crate::policy::sentence;
use crate::sys::Stamp;

/// For how long git is asked what it pushes.
const TIPS: Duration = Duration::from_secs(2);
/// Files that are looked at besides those that were read.
const MOST: usize = 256;
/// Where files are made by the kernel when they are looked at, and so are others each time.
const MADE: [&str; 2] = ["/proc/", "/sys/"];

/// The files of a judgement, as they are when it is asked about.
pub(super) struct Files {
    stamps: Vec<(PathBuf, Option<Stamp>)>,
    /// The commits that it pushes.
    tips: Vec<pushed::Tip>,
}

impl Files {
    /// Looks at the files that a line uses: its directory, what it runs, what it reads beside harmless things, and what could not be read for it.
    pub(super) fn of(world: &World, judgement: &Judgement) -> Self {
        let cwd = world.judge.facts.cwd.iter().map(PathBuf::from);
        let unread = judgement.unread.iter().map(PathBuf::from);
        let programs = judgement.plan.commands.iter().flat_map(|command| files(world, command));
        let paths = cwd.chain(unread).chain(programs).chain(read(judgement)).take(MOST);
        let mut stamps: Vec<(PathBuf, Option<Stamp>)> = Vec::new();
        for path in paths {
            if stamps.iter().all(|(known, _)| *known != path) {
                let now = stamp(&path);
                stamps.push((path, now));
            }
        }
        let tips = pushed::tips(world, judgement, Instant::now() + TIPS);
        Self { stamps, tips }
    }

    /// Returns what has changed between a judgement that these files are of and another of the same line, in words; none if nothing has.
    pub(super) fn changed(
        &self,
        world: &World,
        then: &Judgement,
        now: &Judgement,
    ) -> Option<String> {
        let short = |path: &Path| {
            let below = world.judge.facts.cwd.as_ref().and_then(|cwd| path.strip_prefix(cwd).ok());
            let shown = below.filter(|below| !below.as_os_str().is_empty()).unwrap_or(path);
            format!("'{}' has changed", visible_name(&shown.to_string_lossy()))
        };
        let files = Self::of(world, now);
        let file = other_text(&then.scripts, &now.scripts).map(Path::new);
        if let Some(file) = file.or_else(|| self.other_file(&files)) {
            return Some(short(file));
        }
        if self.tips != files.tips {
            return Some("what it pushes has changed".to_owned());
        }
        if does_the_same(then, now) {
            return None;
        }
        let effects = |judgement: &Judgement| -> Vec<_> {
            let commands = judgement.plan.commands.iter();
            commands.flat_map(|command| command.effects.clone()).collect()
        };
        let known = effects(then);
        let new = effects(now).into_iter().find(|effect| !known.contains(effect));
        Some(new.map_or_else(
            || "what it finds there has changed".to_owned(),
            |effect| format!("what it finds there has changed: it now {}", sentence(&effect)),
        ))
    }

    fn other_file<'f>(&'f self, now: &'f Self) -> Option<&'f Path> {
        let missing = |one: &'f Self, other: &Self| {
            let other = |stamp: &&(PathBuf, Option<Stamp>)| !other.stamps.contains(stamp);
            one.stamps.iter().find(other).map(|(path, _)| path.as_path())
        };
        missing(now, self).or_else(|| missing(self, now))
    }
}

/// Returns the digest of the files that were looked at for a judgement: those that were read, by what stood in them. None: there were none.
pub(super) fn digest(judgement: &Judgement) -> Option<String> {
    if judgement.scripts.is_empty() && judgement.unread.is_empty() {
        return None;
    }
    let read = judgement.scripts.iter().map(|script| format!("{script:?}"));
    let unread = judgement.unread.iter();
    let unread = unread.map(|path| format!("{path:?} {:?}", stamp(Path::new(path))));
    let all: Vec<String> = read.chain(unread).collect();
    Some(audit::sha256(all.join("\n").as_bytes()))
}

/// The files that commands read which are not harmless: what they send, load or carry out.
fn read(judgement: &Judgement) -> impl Iterator<Item = PathBuf> {
    let commands = judgement.plan.commands.iter().enumerate();
    let asked = commands.filter(|(index, _)| {
        let severity = judgement.assessment.commands.get(*index).map(|one| one.severity);
        severity != Some(Severity::Low)
    });
    let effects = asked.flat_map(|(_, command)| &command.effects);
    effects.filter_map(|effect| match (&effect.target, effect.kind) {
        (Target::Path { path: Some(path), .. }, EffectKind::Read | EffectKind::Execute) => {
            let is_made = MADE.iter().any(|place| path.starts_with(place));
            (!is_made && !path.contains(['*', '?', '['])).then(|| PathBuf::from(path))
        }
        _ => None,
    })
}

/// Returns the first script that was read with another text, or only once.
fn other_text<'s>(then: &'s [ScriptRead], now: &'s [ScriptRead]) -> Option<&'s str> {
    let missing = |one: &'s [ScriptRead], other: &[ScriptRead]| {
        one.iter().find(|script| !other.contains(script)).map(|script| script.path.as_str())
    };
    missing(now, then).or_else(|| missing(then, now))
}

/// Whether a line would do now what it was judged to do.
fn does_the_same(then: &Judgement, now: &Judgement) -> bool {
    let (was, is) = (&then.plan, &now.plan);
    let commands = was.commands.iter().zip(&is.commands);
    was.opaque == is.opaque
        && was.commands.len() == is.commands.len()
        && commands.into_iter().all(|(was, is)| {
            was.argv == is.argv
                && was.effects == is.effects
                && was.directories == is.directories
                && was.unknown == is.unknown
        })
        && then.assessment.findings == now.assessment.findings
}
