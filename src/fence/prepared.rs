//! Domains that are made before the line that puts one on: a host makes them while nobody waits, and hands each to one process.
//!
//! Opening what a domain grants, and looking for what stands around secrets, is most of what the fence costs. What lines of one workspace need is
//! nearly always the same, so the next one's is ready. No two lines get the same ruleset: whoever holds one can add to it (landlock(7)).
//!
//! They are made by a process beside the host.
//! A request is a datagram with the socket on which it is answered, and says what the domain is to hold. The answer is a ruleset with what is kept
//! from being read; or nothing, and then the line makes its own. Who answers is not looked at: the socket stands where no line may write
//! (`ipc::place::own`), and whoever can write there is held by nothing.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::socket::sockopt::{PassCred, ReceiveTimeout};
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, setsockopt, socketpair};
use nix::sys::time::{TimeVal, TimeValLike};
use serde::{Deserialize, Serialize};

use super::domain::{self, Holds, Rules};
use super::grants::Grants;
use super::secrets::{self, Around};
use super::table;
use crate::model::Facts;
use crate::sys::descriptor::{self, Letter};
use crate::sys::process::{self, Forked};

/// For how many microseconds a line waits for the host.
const PATIENCE: i64 = 5_000;
/// Bytes of a request or an answer at most. Whoever has more to say goes without.
const LARGEST: usize = 16 * 1024;
/// How many kinds of domains are kept ready at most.
const KINDS: usize = 16;
/// A directory that changed less than this ago may change again without a sign of it: times of files have the steps of a clock, of 10 ms where these are
/// largest.
const SETTLED: Duration = Duration::from_millis(20);

/// What a domain is to hold, as it is said to the host. Lines of one kind say the same bytes.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Wanted<'w> {
    /// The paths of [`Facts`] by which it is told what is a secret.
    home: Option<Cow<'w, str>>,
    workspaces: Cow<'w, [String]>,
    hook_paths: Cow<'w, [String]>,
    temporary: Cow<'w, [String]>,
    guard_paths: Cow<'w, [String]>,
    /// Secrets that the line needs; none where reading is not held.
    needed: Option<Vec<String>>,
    /// Where it may write; none where writing is not held.
    writes: Option<Cow<'w, Grants>>,
    tcp: bool,
    signals: bool,
}

/// What a host gives.
pub(super) struct Given {
    /// The ruleset.
    pub(super) ruleset: OwnedFd,
    /// What is kept from being read; none: reading is not held, since there is too much around it.
    pub(super) kept: Option<Vec<String>>,
}

impl<'w> Wanted<'w> {
    pub(super) fn new(
        facts: &'w Facts,
        needed: Option<Vec<String>>,
        writes: Option<&'w Grants>,
        (tcp, signals): (bool, bool),
    ) -> Self {
        Self {
            home: facts.home.as_deref().map(Cow::Borrowed),
            workspaces: Cow::Borrowed(&facts.workspaces),
            hook_paths: Cow::Borrowed(&facts.hook_paths),
            temporary: Cow::Borrowed(&facts.temporary),
            guard_paths: Cow::Borrowed(&facts.guard_paths),
            needed,
            writes: writes.map(Cow::Borrowed),
            tcp,
            signals,
        }
    }

    /// Asks the host that listens there. None: there is none, it has nothing ready, or it takes too long.
    pub(super) fn ask(&self, socket: &Path) -> Option<Given> {
        let said = serde_json::to_vec(self).ok().filter(|said| said.len() <= LARGEST)?;
        // Of datagrams alone nobody is told that no more will come.
        let (kind, flags) = (SockType::SeqPacket, SockFlag::SOCK_CLOEXEC);
        let (own, others) = socketpair(AddressFamily::Unix, kind, None, flags).ok()?;
        descriptor::post(&UnixDatagram::unbound().ok()?, socket, &said, &others).ok()?;
        drop(others);
        setsockopt(&own, ReceiveTimeout, &TimeVal::microseconds(PATIENCE)).ok()?;
        let mut answer = vec![0; LARGEST];
        let Letter { length, given, .. } = descriptor::letter(&own, &mut answer).ok()?;
        let kept = serde_json::from_slice(answer.get(..length)?).ok()?;
        Some(Given { ruleset: given?, kept })
    }

    /// Makes what is wanted.
    fn make(&self) -> Option<(Rules, Option<Around>)> {
        let facts = Facts {
            home: self.home.as_deref().map(str::to_owned),
            workspaces: self.workspaces.to_vec(),
            hook_paths: self.hook_paths.to_vec(),
            temporary: self.temporary.to_vec(),
            guard_paths: self.guard_paths.to_vec(),
            ..Facts::default()
        };
        let reads = self.needed.as_ref().and_then(|needed| secrets::around(&facts, needed));
        let holds = Holds {
            writes: self.writes.as_deref(),
            reads: reads.as_ref(),
            tcp: self.tcp,
            signals: self.signals,
        };
        Some((domain::rules(&holds).ok()?, reads))
    }
}

/// What a path leads to, and for a directory in which was looked around when it changed.
type Sight = Option<(u64, u64, Option<(i64, i64)>)>;

/// A domain that is ready.
struct Ready {
    ruleset: OwnedFd,
    /// What is said with it.
    said: Vec<u8>,
    /// Directories that were listed, and what else it depends on, with what stood there.
    listed: Vec<String>,
    granted: Vec<String>,
    seen: Vec<Sight>,
}

impl Ready {
    fn of(wanted: &Wanted<'_>) -> Option<Self> {
        let before = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.checked_sub(SETTLED)?;
        let before = (i64::try_from(before.as_secs()).ok()?, i64::from(before.subsec_nanos()));
        let (rules, reads) = wanted.make()?;
        let kept = wanted.needed.as_ref().and(reads.as_ref()).map(|around| &around.kept);
        let said = serde_json::to_vec(&kept).ok().filter(|said| said.len() <= LARGEST)?;
        let listed = reads.map(|around| around.listed).unwrap_or_default();
        let mut granted: Vec<String> = table::devices().map(str::to_owned).collect();
        if let Some(writes) = &wanted.writes {
            granted.extend(writes.base.iter().cloned());
            granted.extend(writes.added.iter().map(|grant| grant.path.clone()));
        }
        let seen = sights(&listed, &granted);
        let is_settled = |sight: &Sight| {
            let changed = sight.and_then(|(_, _, changed)| changed);
            changed.is_some_and(|changed| changed < before)
        };
        // What was listed comes first.
        if !seen.iter().take(listed.len()).all(is_settled) {
            return None;
        }
        Some(Self { ruleset: rules.ruleset, said, listed, granted, seen })
    }

    /// Whether all stands as it stood when this was made.
    fn holds(&self) -> bool {
        sights(&self.listed, &self.granted) == self.seen
    }
}

fn sights(listed: &[String], granted: &[String]) -> Vec<Sight> {
    let look = |path: &String| fs::metadata(path).ok();
    let of_list =
        |path| look(path).map(|it| (it.dev(), it.ino(), Some((it.mtime(), it.mtime_nsec()))));
    let of_grant = |path| look(path).map(|it| (it.dev(), it.ino(), None));
    listed.iter().map(of_list).chain(granted.iter().map(of_grant)).collect()
}

/// A kind of domain: what lines say that want one, and the next one.
struct Kind {
    said: Vec<u8>,
    ready: Option<Ready>,
}

/// Makes domains ahead of lines from now on, for those who ask at this path: in a process of its own, which ends with this one. What it opens may
/// be anywhere, and a file system may never answer. This one must have no other thread.
pub fn prepare(path: &Path) -> io::Result<()> {
    let socket = UnixDatagram::bind(path)?;
    setsockopt(&socket, PassCred, &true)?;
    fs::set_permissions(path, PermissionsExt::from_mode(0o600))?;
    let above = nix::unistd::getpid();
    match process::fork()? {
        Forked::Parent(_) => Ok(()),
        Forked::Child => {
            let _ = serve(socket, above);
            process::end(1)
        }
    }
}

fn serve(socket: UnixDatagram, above: nix::unistd::Pid) -> io::Result<()> {
    // The keys of a terminal mean those above.
    nix::unistd::setsid()?;
    set_pdeathsig(Signal::SIGKILL)?;
    if nix::unistd::getppid() != above {
        return Ok(());
    }
    let socket = UnixDatagram::from(descriptor::keep_only(socket)?);
    let mut kinds = Kinds::default();
    loop {
        kinds.turn(&socket)?;
    }
}

/// The kinds that are kept ready, those that were wanted last at the end.
#[derive(Default)]
struct Kinds(Vec<Kind>);

impl Kinds {
    /// Waits for a request, answers it, and makes what was wanted anew.
    fn turn(&mut self, socket: &UnixDatagram) -> io::Result<()> {
        let mut said = vec![0; LARGEST + 1];
        let letter = descriptor::letter(socket, &mut said)?;
        said.truncate(letter.length);
        // Nobody who is elsewhere gets what was opened here, and what was cut is no request.
        let is_request = said.len() <= LARGEST && letter.sender.is_some_and(sees_the_same);
        let (true, Some(way)) = (is_request, letter.given) else { return Ok(()) };
        let Ok(wanted) = serde_json::from_slice(&said) else { return Ok(()) };
        let kind = self.wanted(&said);
        // Whoever gets nothing makes its own: that the socket closes says so.
        if let Some(ready) = kind.ready.take().filter(Ready::holds) {
            let _ = descriptor::hand(&way, &ready.said, &ready.ruleset, MsgFlags::MSG_DONTWAIT);
        }
        drop(way);
        kind.ready = Ready::of(&wanted);
        Ok(())
    }

    fn wanted(&mut self, said: &[u8]) -> &mut Kind {
        let known = self.0.iter().position(|kind| kind.said == said);
        let kind = match known {
            Some(known) => self.0.remove(known),
            None => Kind { said: said.to_vec(), ready: None },
        };
        if self.0.len() == KINDS {
            self.0.remove(0);
        }
        self.0.push(kind);
        let last = self.0.len() - 1;
        &mut self.0[last]
    }
}

/// Whether a process of this user sees the same files by the same names: it is in this mount namespace, with this root.
fn sees_the_same((id, user): (u32, u32)) -> bool {
    let of = |process: &str, what: &str| {
        fs::metadata(format!("/proc/{process}/{what}")).map(|it| (it.dev(), it.ino())).ok()
    };
    let is_same = |what| {
        let own = of("self", what);
        own.is_some() && own == of(&id.to_string(), what)
    };
    user == nix::unistd::geteuid().as_raw() && is_same("ns/mnt") && is_same("root")
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use super::*;
    use crate::model::Doing;

    /// A home in which nothing changes, with what looks around in it.
    struct Place {
        /// Where its socket is: names of sockets are short.
        way: tempfile::TempDir,
        home: tempfile::TempDir,
        socket: UnixDatagram,
        kinds: Kinds,
    }

    /// Whether nothing can be made here; says so.
    fn skipped() -> bool {
        let is_so = !matches!(domain::kernel(), domain::Kernel::Version(_));
        if is_so {
            println!("skipped: no Landlock here, or one that is too old");
        }
        is_so
    }

    impl Place {
        fn new() -> Self {
            // Not where a machine may have so much that nobody looks around.
            let few = concat!(env!("CARGO_MANIFEST_DIR"), "/target");
            fs::create_dir_all(few).unwrap();
            let home = tempfile::tempdir_in(few).unwrap();
            let way = tempfile::tempdir().unwrap();
            for file in ["notes", ".netrc"] {
                fs::write(home.path().join(file), "").unwrap();
            }
            let socket = UnixDatagram::bind(way.path().join("s")).unwrap();
            setsockopt(&socket, PassCred, &true).unwrap();
            let place = Self { home, way, socket, kinds: Kinds::default() };
            place.changed(SystemTime::now() - Duration::from_secs(100));
            place
        }

        /// Has its home be changed last at this time.
        fn changed(&self, then: SystemTime) {
            fs::File::open(self.home.path()).unwrap().set_modified(then).unwrap();
        }

        fn facts(&self) -> Facts {
            let home = self.home.path().canonicalize().unwrap().to_str().unwrap().to_owned();
            Facts { home: Some(home), ..Facts::default() }
        }

        /// Asks, and is answered.
        fn ask(&mut self, wanted: &Wanted<'_>) -> Option<Given> {
            let path = self.way.path().join("s");
            std::thread::scope(|scope| {
                let asked = scope.spawn(|| wanted.ask(&path));
                self.kinds.turn(&self.socket).unwrap();
                asked.join().unwrap()
            })
        }

        /// Asks until there is something: directories above, and a machine that is busy, may need more than one time.
        fn given(&mut self, wanted: &Wanted<'_>) -> Given {
            std::iter::repeat_with(|| self.ask(wanted)).flatten().next().unwrap()
        }

        /// Says something to it that is no request, and has it be heard.
        fn say(&mut self, bytes: &[u8], way: Option<&UnixDatagram>) {
            let (socket, path) = (UnixDatagram::unbound().unwrap(), self.way.path().join("s"));
            match way {
                Some(way) => descriptor::post(&socket, &path, bytes, way).unwrap(),
                None => drop(socket.send_to(bytes, &path).unwrap()),
            }
            self.kinds.turn(&self.socket).unwrap();
        }
    }

    #[test]
    fn what_was_wanted_once_is_ready_for_the_next_who_wants_it() {
        if skipped() {
            return;
        }
        let mut place = Place::new();
        let facts = place.facts();
        let wanted = Wanted::new(&facts, Some(Vec::new()), None, (false, false));
        assert!(place.ask(&wanted).is_none());
        let home = facts.home.as_deref().unwrap();
        for _ in 0..3 {
            let given = place.given(&wanted);
            assert_eq!(given.kept, Some(vec![format!("{home}/.netrc")]));
            // It is a ruleset, and one to which can be added.
            let here = fs::File::open(home).unwrap();
            let read = landlock::AccessFs::ReadFile as u64;
            crate::sys::landlock::grant(given.ruleset.as_fd(), here.as_fd(), read).unwrap();
        }
        let other = Wanted::new(&facts, Some(Vec::new()), None, (true, false));
        assert!(place.ask(&other).is_none(), "it is another kind");
    }

    #[test]
    fn nothing_is_handed_out_once_something_has_changed() {
        if skipped() {
            return;
        }
        let mut place = Place::new();
        let facts = place.facts();
        let wanted = Wanted::new(&facts, Some(Vec::new()), None, (false, false));
        let long_ago = |seconds| SystemTime::now() - Duration::from_secs(seconds);
        place.given(&wanted);
        fs::write(place.home.path().join("new"), "").unwrap();
        assert!(place.ask(&wanted).is_none());
        // What changes now may change again without a sign.
        place.changed(SystemTime::now() + Duration::from_secs(3600));
        for _ in 0..3 {
            assert!(place.ask(&wanted).is_none());
        }
        place.changed(long_ago(50));
        place.given(&wanted);
        // A place of its own where the line writes.
        let home = facts.home.as_deref().unwrap();
        let (cache, aside) = (format!("{home}/cache"), format!("{home}/aside"));
        fs::create_dir(&cache).unwrap();
        place.changed(long_ago(40));
        let added = vec![super::super::grants::Grant { path: cache.clone(), doing: Doing::All }];
        let grants = Grants { added, ..Grants::default() };
        let wanted = Wanted::new(&facts, Some(Vec::new()), Some(&grants), (false, false));
        place.given(&wanted);
        fs::rename(&cache, aside).unwrap();
        fs::create_dir(&cache).unwrap();
        place.changed(long_ago(40));
        assert!(place.ask(&wanted).is_none());
    }

    #[test]
    fn what_is_no_request_is_answered_by_nothing_and_keeps_nobody_from_asking() {
        if skipped() {
            return;
        }
        let mut place = Place::new();
        let facts = place.facts();
        let wanted = Wanted::new(&facts, Some(Vec::new()), None, (false, false));
        let said = serde_json::to_vec(&wanted).unwrap();
        let long = vec![b'['; 2 * LARGEST];
        for bytes in [b"".as_slice(), b"\0\xff{", b"{}", b"[]", &said[..said.len() - 1], &long] {
            let (own, others) = UnixDatagram::pair().unwrap();
            place.say(bytes, Some(&others));
            drop(others);
            own.set_nonblocking(true).unwrap();
            assert!(own.recv(&mut [0]).is_err(), "{:?}", String::from_utf8_lossy(bytes));
        }
        place.say(&said, None);
        place.given(&wanted);
        // More kinds than are kept: the last ones are.
        let of = |number: usize| {
            Wanted::new(&facts, Some(vec![number.to_string()]), None, (false, false))
        };
        for number in 0..2 * KINDS {
            place.ask(&of(number));
        }
        assert_eq!(place.kinds.0.len(), KINDS);
        place.given(&of(2 * KINDS - 1));
    }

    #[test]
    fn where_nobody_listens_or_answers_a_line_makes_its_own() {
        let place = Place::new();
        let facts = place.facts();
        let wanted = Wanted::new(&facts, None, None, (false, false));
        assert!(wanted.ask(&place.home.path().join("nobody")).is_none());
        // It is there, and has no turn.
        assert!(wanted.ask(&place.way.path().join("s")).is_none());
    }
}
