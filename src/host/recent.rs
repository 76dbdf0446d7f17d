//! What a session's lines left for those after them: files with what came into them, and that secrets were read. Bounded; the oldest go
//! first. What a file is, is looked at when the shell that was permitted to write it has ended.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use nix::poll::PollFlags;

use crate::model::{FlowSource, Print, Recent, Trace, Traces};
use crate::observe;

/// Files at most, of all sessions, and of one line.
const FILES: usize = 500;
const FILES_OF_LINE: usize = 32;
/// Files of one session that are told: as many as one message holds, and nobody waits for.
const TOLD: usize = 100;
/// Lines that read secrets at most, one for each session.
const SECRETS: usize = 200;
/// Bytes of a path, and of a line, at most.
const LONGEST: usize = 1024;
/// Shells that are waited for at once at most. Of what one more writes, names are all that is known.
const SHELLS: usize = 64;
/// For how long anything is remembered.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// A file that a line writes.
struct File {
    realm: String,
    /// Which line it was.
    line: u64,
    trace: Trace,
    since: Instant,
}

/// A line that read secrets.
struct Secret {
    realm: String,
    line: String,
    since: Instant,
}

/// A shell that runs a line.
struct Shell {
    line: u64,
    handle: OwnedFd,
}

/// What is remembered.
#[derive(Default)]
pub(crate) struct Past {
    files: VecDeque<File>,
    secrets: VecDeque<Secret>,
    shells: Vec<Shell>,
    lines: u64,
}

impl Past {
    /// Remembers what a line leaves. `shell` says when that has ended; without it, files are known by their names alone.
    pub(crate) fn remember(
        &mut self,
        realm: &str,
        traces: Traces,
        shell: Option<OwnedFd>,
        now: Instant,
    ) {
        let (line, since) = (self.lines, now);
        self.lines += 1;
        self.files.retain(|file| now.duration_since(file.since) < KEPT);
        self.secrets.retain(|secret| now.duration_since(secret.since) < KEPT);
        let text: String = traces.line.chars().take(LONGEST / 4).collect();
        if traces.secrets {
            self.secrets.retain(|secret| secret.realm != realm);
            let realm = realm.to_owned();
            self.secrets.push_front(Secret { realm, line: text.clone(), since });
            self.secrets.truncate(SECRETS);
        }
        let fits = |(path, _): &(String, Vec<FlowSource>)| path.len() <= LONGEST;
        for (path, sources) in traces.files.into_iter().filter(fits).take(FILES_OF_LINE) {
            self.files.retain(|file| file.realm != realm || file.trace.path != path);
            let trace = Trace { path, sources, line: text.clone(), print: None };
            self.files.push_front(File { realm: realm.to_owned(), line, trace, since });
        }
        self.files.truncate(FILES);
        if let Some(handle) = shell.filter(|_| self.shells.len() < SHELLS) {
            self.shells.push(Shell { line, handle });
        }
    }

    /// Looks at what the last line wrote, which has ended.
    pub(crate) fn look(&mut self) {
        let line = self.lines.saturating_sub(1);
        let written = self.files.iter_mut().filter(|file| file.line == line);
        written.for_each(|file| file.trace.print = print_of(&file.trace.path));
    }

    /// Returns what is remembered in a realm.
    pub(crate) fn recent(&self, realm: &str) -> Recent {
        let files = self.files.iter().filter(|file| file.realm == realm);
        let secrets = self.secrets.iter().find(|secret| secret.realm == realm);
        Recent {
            files: files.take(TOLD).map(|file| file.trace.clone()).collect(),
            secrets: secrets.map(|secret| secret.line.clone()),
        }
    }

    /// Forgets a realm.
    pub(super) fn forget(&mut self, realm: &str) {
        self.files.retain(|file| file.realm != realm);
        self.secrets.retain(|secret| secret.realm != realm);
    }

    /// Returns whether nothing is remembered.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.secrets.is_empty()
    }

    /// Returns what is to be polled to learn that shells have ended.
    pub(super) fn fds(&self) -> impl Iterator<Item = (BorrowedFd<'_>, PollFlags)> {
        self.shells.iter().map(|shell| (shell.handle.as_fd(), PollFlags::POLLIN))
    }

    /// Looks at what was written by the shells that have ended: those for which something is ready, in the order of [`Past::fds`].
    pub(super) fn turn(&mut self, ready: &[PollFlags]) {
        let mut index = 0;
        let files = &mut self.files;
        self.shells.retain(|shell| {
            let is_ready = ready.get(index).is_some_and(|ready| !ready.is_empty());
            index += 1;
            if is_ready {
                let written = files.iter_mut().filter(|file| file.line == shell.line);
                written.for_each(|file| file.trace.print = print_of(&file.trace.path));
            }
            !is_ready
        });
    }
}

/// What is not there, or is empty, may still be on its way: what began in the background goes on.
fn print_of(path: &str) -> Option<Print> {
    observe::print_of(Path::new(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traces(line: &str, files: &[&str], secrets: bool) -> Traces {
        let files = files.iter().map(|path| ((*path).to_owned(), vec![FlowSource::Download]));
        Traces { line: line.to_owned(), files: files.collect(), secrets }
    }

    fn paths(past: &Past, realm: &str) -> Vec<String> {
        past.recent(realm).files.into_iter().map(|trace| trace.path).collect()
    }

    #[test]
    fn each_session_is_told_its_own() {
        let now = Instant::now();
        let mut past = Past::default();
        assert!(past.is_empty());
        past.remember("a", traces("one", &["/x", "/y"], false), None, now);
        past.remember("b", traces("two", &["/x"], true), None, now);
        past.remember("a", traces("three", &["/x"], false), None, now);
        assert_eq!(paths(&past, "a"), ["/x", "/y"]);
        assert_eq!(past.recent("a").files[0].line, "three");
        assert_eq!(
            (paths(&past, "b"), past.recent("b").secrets),
            (vec!["/x".to_owned()], Some("two".to_owned()))
        );
        assert_eq!(past.recent("c"), Recent::default());
        past.forget("b");
        assert_eq!(past.recent("b"), Recent::default());
        past.forget("a");
        assert!(past.is_empty());
    }

    #[test]
    fn it_holds_only_so_much_and_only_so_long() {
        let now = Instant::now();
        let mut past = Past::default();
        let long = "x".repeat(LONGEST + 1);
        past.remember("a", traces(&long, &[&long], true), None, now);
        assert!(paths(&past, "a").is_empty());
        assert!(past.recent("a").secrets.is_some_and(|line| line.len() <= LONGEST));
        for at in 0..2 * FILES {
            past.remember("a", traces("l", &[&format!("/{at}")], false), None, now);
        }
        assert_eq!((past.files.len(), paths(&past, "a").len()), (FILES, TOLD));
        assert_eq!(paths(&past, "a")[0], format!("/{}", 2 * FILES - 1));
        let many: Vec<String> = (0..100).map(|at| format!("/many{at}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        past.remember("b", traces("l", &many, false), None, now);
        assert_eq!(paths(&past, "b").len(), FILES_OF_LINE);
        for at in 0..2 * SECRETS {
            past.remember(&at.to_string(), traces("l", &[], true), None, now);
        }
        assert_eq!(past.secrets.len(), SECRETS);
        past.remember("c", traces("l", &["/late"], false), None, now + KEPT);
        assert_eq!((past.files.len(), past.secrets.len()), (1, 0));
    }

    #[test]
    fn what_is_told_fits_into_a_message() {
        let mut past = Past::default();
        for at in 0..FILES {
            let path = format!("/{at:04}{}", "ü".repeat(LONGEST / 2 - 3));
            past.remember(
                "a",
                traces(&"\u{1}".repeat(LONGEST), &[&path], true),
                None,
                Instant::now(),
            );
        }
        let recent = Box::new(past.recent("a"));
        assert_eq!(recent.files.len(), TOLD);
        assert!(crate::ipc::frame(&crate::ipc::FromHost::Recalled { recent }).is_some());
    }
}
