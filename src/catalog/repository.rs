//! Words that name something of version control: a repository, a revision, paths of it, branches that others replace.

use super::walk::Walk;
use super::{Named, Touch};
use crate::model::{Arg, EffectKind};

/// Where a repository keeps what others own: to replace it loses nothing of one's own.
const OTHERS: &[&str] =
    &["refs/remotes/", "refs/pull/", "refs/pr/", "refs/mr/", "refs/merge-requests/"];

/// Where it keeps tags. Some may be nowhere else, which a pruning fetch deletes and a forcing one moves; a `+` alone replaces those that
/// others have too.
const TAGS: &str = "refs/tags/";

/// What a word means that stands for paths of a repository (gitglossary(7), "pathspec").
enum Paths {
    /// These.
    These(Arg),
    /// All but some.
    Others,
    /// Only the run says which: some that are there.
    Open,
}

impl Walk<'_, '_> {
    /// A repository that `kind` is done to, if it is on another machine; one that is here is read (git-clone(1), "GIT URLS").
    pub(super) fn repository(&mut self, kind: EffectKind, arg: &Arg, index: usize) {
        let text = arg.prefix();
        let scheme = text.find(':').is_some_and(|colon| !text[..colon].contains('/'));
        let is_open = arg.known().is_none() && !text.contains('/');
        // What is fetched anew has no name yet.
        let is_name =
            !text.contains('/') && !matches!(text, "." | "..") && kind != EffectKind::Fetch;
        let (kind, target) = match () {
            () if scheme || is_open => (kind, Some(arg.clone())),
            () if is_name => (kind, None),
            () => (EffectKind::Read, Some(arg.clone())),
        };
        self.out.touches.push(Touch { kind, target, index: Some(index) });
    }

    /// A revision, or paths of the repository: what they hold is read. Which of it, a word need not say: nothing else is in reach.
    pub(super) fn revision(&mut self, arg: &Arg, index: usize) {
        if let Paths::These(paths) = paths(arg) {
            self.touch(EffectKind::Read, &paths, index);
        }
    }

    /// The same, but two words that are alone may be any files (git-diff(1), "--no-index").
    pub(super) fn compared(&mut self, arg: &Arg, index: usize) {
        if matches!(paths(arg), Paths::Open) {
            self.touch(EffectKind::Read, arg, index);
            self.out.named.push((index, Named::Compared));
        }
        self.revision(arg, index);
    }

    /// A revision, or paths whose changes are lost.
    pub(super) fn revision_or_path(&mut self, arg: &Arg, index: usize) {
        self.touch(EffectKind::LoseWork, arg, index);
        self.out.named.push((index, Named::RevisionOrPath));
    }

    /// Paths of the repository. Signs and patterns may mean others than are written.
    pub(super) fn pathspec(&mut self, kind: EffectKind, arg: &Arg, index: usize) {
        let looks = matches!(kind, EffectKind::List | EffectKind::Read);
        let has_signs = arg.prefix().starts_with(':')
            || arg.known().is_some_and(|text| text.contains(['*', '?', '[']));
        match paths(arg) {
            Paths::These(_) if has_signs && !looks => self.touch(kind, &Arg::Unknown, index),
            Paths::These(paths) => self.touch(kind, &paths, index),
            // Alone, what is excepted means all else.
            Paths::Others if !looks => self.touch(kind, &Arg::Unknown, index),
            Paths::Others => {}
            Paths::Open => self.touch(kind, arg, index),
        }
    }

    /// `FROM:TO`: a branch here becomes what another is. Forced, it loses what only it had.
    pub(super) fn refspec(&mut self, arg: &Arg, index: usize, force: Force) {
        // A pattern that fits no file is the word itself.
        let text = arg.pattern().unwrap_or(arg.prefix());
        let bare = text.strip_prefix('+');
        let Some((_, to)) = bare.unwrap_or(text).split_once(':') else { return };
        let is_forced = bare.is_some() || force == Force::All;
        let is_others = OTHERS.iter().any(|others| to.starts_with(others))
            || force == Force::Marked && to.starts_with(TAGS);
        if is_forced && !is_others && !(to.is_empty() && arg.known().is_some()) {
            self.touch(EffectKind::LoseWork, &Arg::Known(to.to_owned()), index);
        }
    }
}

/// Which refspecs replace a branch that holds something of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Force {
    /// Those with a `+`.
    Marked,
    /// All.
    All,
}

/// Returns the paths that a word names: those of `REVISION:PATH`, of a pathspec, or itself.
fn paths(arg: &Arg) -> Paths {
    let (Arg::Known(text) | Arg::Glob(text)) = arg else { return Paths::Open };
    let signs = text.strip_prefix(':');
    let path = match signs {
        Some(rest) if rest.starts_with(['!', '^']) => return Paths::Others,
        Some(rest) => match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((signs, _)) if signs.split(',').any(|sign| sign == "exclude") => {
                return Paths::Others;
            }
            Some((_, path)) => path,
            None => rest.trim_start_matches(['/', ':']),
        },
        None => text,
    };
    let path = path.rsplit(':').next().unwrap_or(path);
    let path = if path.is_empty() { "." } else { path }.to_owned();
    let is_pattern = path.contains(['*', '?', '[']);
    Paths::These(if is_pattern { Arg::Glob(path) } else { Arg::Known(path) })
}
