//! One process, told from any other that had its id before or will have it: who started it, when, at which terminal, from which file.
//! Trusts nothing that a process can say of itself.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Processes that are followed upward; see `ancestry`.
const LIMIT: usize = 64;

/// A process: its id, and when it started, in the kernel's ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Process {
    /// Its id.
    pub id: u32,
    /// When it started.
    pub started: u64,
}

/// What the kernel says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Which.
    pub process: Process,
    /// The id of its parent.
    pub parent: u32,
    /// The process that leads its session.
    pub session: u32,
    /// Its controlling terminal; none if it has none.
    pub terminal: Option<u32>,
    /// Whether its name is the one that hosts take, which any process can give itself.
    pub named_so: bool,
}

/// The name of this program's processes, as the kernel keeps it.
const NAME: &str = "guarded-sh";

/// Takes the name by which a host is looked for, by whatever name it was started.
pub fn take_name() -> io::Result<()> {
    nix::sys::prctl::set_name(c"guarded-sh").map_err(io::Error::from)
}

/// Whether a process runs from the same file as this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// It does.
    Ours,
    /// It does not.
    Other,
    /// We may not see it.
    Unseen,
}

impl Process {
    /// Looks at the process that has this id now.
    pub fn see(id: u32) -> io::Result<Seen> {
        stat(id, |stat| seen(id, stat))
    }

    /// Returns whether it is still there.
    #[must_use]
    pub fn is_there(&self) -> bool {
        Self::see(self.id).is_ok_and(|seen| seen.process == *self)
    }

    /// Returns the ids of all processes that may be seen.
    #[must_use]
    pub fn all() -> Vec<u32> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    }

    /// Returns the processes whose parent is one of these or another that is returned, and that are none of these.
    #[must_use]
    pub fn all_below(parents: &[u32]) -> Vec<u32> {
        let all: Vec<Seen> = Self::all().into_iter().filter_map(|id| Self::see(id).ok()).collect();
        let mut known = parents.to_vec();
        loop {
            let is_new =
                |seen: &&Seen| known.contains(&seen.parent) && !known.contains(&seen.process.id);
            let new: Vec<u32> = all.iter().filter(is_new).map(|seen| seen.process.id).collect();
            if new.is_empty() {
                return known.split_off(parents.len());
            }
            known.extend(new);
        }
    }

    /// Looks at the process that has this id and at all that it descends from, itself first. An error says that the chain was not
    /// seen to its end, or that a process took another's id meanwhile.
    pub fn chain(id: u32) -> io::Result<Vec<Seen>> {
        Self::chain_to(id, None)
    }

    /// Looks upward as [`Process::chain`] does, and no further than to this process, if that is met.
    pub fn chain_to(id: u32, last: Option<Self>) -> io::Result<Vec<Seen>> {
        let mut found: Vec<Seen> = Vec::new();
        for seen in Self::upward(id) {
            let seen = seen?;
            found.push(seen);
            if Some(seen.process) == last {
                break;
            }
        }
        Ok(found)
    }

    /// Looks at the process that has this id, and at one after the other of those that it descends from. After an error there is no
    /// other.
    pub fn upward(id: u32) -> impl Iterator<Item = io::Result<Seen>> {
        let mut next = id;
        let mut child: Option<Seen> = None;
        let mut left = LIMIT;
        std::iter::from_fn(move || {
            if next == 0 {
                return None;
            }
            let seen = Self::above(next, child, left);
            left = left.saturating_sub(1);
            next = seen.as_ref().map_or(0, |seen| seen.parent);
            child = seen.as_ref().ok().copied();
            Some(seen)
        })
    }

    fn above(id: u32, child: Option<Seen>, left: usize) -> io::Result<Seen> {
        if left == 0 {
            return Err(io::Error::other("more processes than are followed"));
        }
        let seen = Self::see(id)?;
        // Nobody is older than the parent.
        if child.is_some_and(|child| child.process.started < seen.process.started) {
            return Err(io::Error::other("a process took the id of another"));
        }
        Ok(seen)
    }
}

/// Returns whether the process with this id runs from the guard's file, wherever that is now.
#[must_use]
pub fn program_of(id: u32) -> Program {
    // What this process runs from stays the same.
    static OURS: LazyLock<Option<(u64, u64)>> = LazyLock::new(|| identity(&guard()).ok());
    let Some(ours) = *OURS else { return Program::Other };
    match identity(Path::new(&format!("/proc/{id}/exe"))) {
        Ok(theirs) if ours == theirs => Program::Ours,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Program::Unseen,
        Ok(_) | Err(_) => Program::Other,
    }
}

/// The name of the service, which is a program of its own.
const SERVICE: &str = "guarded-shd";

/// Returns the guard's file: the one that this process runs from, or, where that is the service, the guard beside it.
fn guard() -> PathBuf {
    let own = PathBuf::from("/proc/self/exe");
    match std::fs::read_link(&own) {
        Ok(program) if program.ends_with(SERVICE) => program.with_file_name("guarded-sh"),
        _ => own,
    }
}

/// Returns what tells a file from any other.
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    std::fs::metadata(path).map(|file| (file.dev(), file.ino()))
}

/// Reads `/proc/ID/stat` and takes from it what is needed.
pub(super) fn stat<T>(id: u32, take: impl FnOnce(Stat<'_>) -> Option<T>) -> io::Result<T> {
    // One read gives all of it.
    let mut buffer = [0; 1024];
    let length = File::open(format!("/proc/{id}/stat"))?.read(&mut buffer)?;
    Stat::of(&buffer[..length])
        .and_then(take)
        .ok_or_else(|| io::Error::other(format!("/proc/{id}/stat is not as expected")))
}

/// What stands in `/proc/ID/stat`: `7 (name) S parent group session terminal …`, the start as the 22nd field (proc(5)).
pub(super) struct Stat<'a> {
    pub(super) name: &'a [u8],
    /// What stands behind the name, from the state on.
    pub(super) fields: std::str::SplitAsciiWhitespace<'a>,
}

impl<'a> Stat<'a> {
    pub(super) fn of(stat: &'a [u8]) -> Option<Self> {
        // The name may hold spaces and parentheses itself.
        let open = stat.iter().position(|&byte| byte == b'(')?;
        let close = stat.iter().rposition(|&byte| byte == b')')?;
        let fields = std::str::from_utf8(&stat[close + 1..]).ok()?.split_ascii_whitespace();
        Some(Self { name: stat.get(open + 1..close)?, fields })
    }
}

fn seen(id: u32, Stat { name, fields }: Stat<'_>) -> Option<Seen> {
    let fields: Vec<&str> = fields.take(20).collect();
    let terminal: i64 = fields.get(4)?.parse().ok()?;
    Some(Seen {
        process: Process { id, started: fields.get(19)?.parse().ok()? },
        parent: fields.get(1)?.parse().ok()?,
        // Where the leader is outside of our process namespace, it is 0.
        session: fields.get(3)?.parse().unwrap_or(0),
        terminal: u32::try_from(terminal).ok().filter(|terminal| *terminal != 0),
        named_so: name == NAME.as_bytes(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_what_the_kernel_says_of_it() {
        let seen = |id, stat: &str| Stat::of(stat.as_bytes()).and_then(|stat| seen(id, stat));
        let line = "7 (a) S 1 (b) S 3 7 5 34816 9 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 1 2";
        let all = Seen {
            process: Process { id: 7, started: 4711 },
            parent: 3,
            session: 5,
            terminal: Some(34816),
            named_so: false,
        };
        assert_eq!(seen(7, line), Some(all));
        let without = line.replace("34816", "0");
        assert_eq!(seen(7, &without), Some(Seen { terminal: None, ..all }));
        let named = line.replace("(a) S 1 (b)", "(guarded-sh)");
        assert_eq!(seen(7, &named), Some(Seen { named_so: true, ..all }));
        for cut in ["", "7 (a", "7 )a(", "7 (a)", "7 (a) S 1 2 3 0", &line[..line.len() - 9]] {
            assert_eq!(seen(7, cut), None, "{cut}");
        }
    }

    #[test]
    fn a_process_that_ended_is_not_there() {
        let me = Process::see(std::process::id()).unwrap();
        assert!(me.process.is_there());
        assert!(!Process { started: me.process.started + 1, ..me.process }.is_there());
        let chain = Process::chain(std::process::id()).unwrap();
        assert_eq!((chain[0], chain[1].process.id), (me, me.parent));
        let below = Process::all_below(&[me.parent]);
        assert!(below.contains(&me.process.id) && !below.contains(&me.parent));
        let to = |last: &Seen| Process::chain_to(me.process.id, Some(last.process)).unwrap();
        assert_eq!(to(&chain[0]), chain[..1]);
        assert_eq!(to(&chain[1]), chain[..2]);
        let other = Process { id: chain[1].process.id, started: u64::MAX };
        assert_eq!(Process::chain_to(me.process.id, Some(other)).unwrap(), chain);
        assert_eq!(program_of(me.process.id), Program::Ours);
        assert_ne!(program_of(u32::MAX), Program::Ours);
        assert!(Process::chain(u32::MAX).is_err());
    }
}
