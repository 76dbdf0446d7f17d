//! The Landlock domain of a line: made of what it may do, by the process that then becomes the shell or ahead of it by another one, and put on with a
//! filter for what it cannot hold. Decides nothing: what is granted, others say.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathFd, Ruleset,
    RulesetAttr, RulesetError, Scope,
};
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, FcntlArg, OFlag, OpenHow, ResolveFlag, fcntl, openat2};
use nix::libc;
use nix::sys::stat::{SFlag, fstat};

use super::calls::{self, Filtered};
use super::grants::{Grants, OWN};
use super::secrets::Around;
use super::table;
use crate::model::Doing;
use crate::sys;

/// Why a domain was not put on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kernel says no.
    #[error("the kernel does not put the fence on")]
    Kernel(#[from] RulesetError),
    /// The kernel does not take a rule, or the whole.
    #[error("the kernel does not put the fence on")]
    Call(#[from] io::Error),
    /// The kernel takes no filter of system calls.
    #[error("the kernel does not put the fence's filter of system calls on")]
    Filter(#[source] io::Error),
    /// The container could not be put on.
    #[error(transparent)]
    Container(#[from] super::ContainerError),
}

/// What the kernel knows of domains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// Nothing: it is too old, or was built or started without.
    Nothing,
    /// Too little: moving a file from one directory to another would be denied everywhere.
    TooOld,
    /// Files, from this version of its interface on; with TCP from 4, signals and abstract sockets from 6.
    Version(i32),
}

/// Asks the kernel.
#[must_use]
pub fn kernel() -> Kernel {
    match sys::landlock::version() {
        Err(_) => Kernel::Nothing,
        Ok(1) => Kernel::TooOld,
        Ok(version) => Kernel::Version(version),
    }
}

/// What a domain holds.
pub(super) struct Holds<'h> {
    /// Where may be written; none: writing is not held.
    pub(super) writes: Option<&'h Grants>,
    /// What may be read; none: reading is not held.
    pub(super) reads: Option<&'h Around>,
    pub(super) tcp: bool,
    pub(super) signals: bool,
}

/// A domain to which only what is the own of the process that puts it on has to be added, with the filter that stands beside it.
#[derive(Debug)]
pub(super) struct Domain {
    rules: Rules,
    filtered: Filtered,
}

/// All that changes which files there are and what is in them. `ioctl` on devices is left out: which of them a terminal or a graphics processor
/// needs nobody can tell.
fn all() -> BitFlags<AccessFs> {
    AccessFs::from_write(ABI::V3)
}

fn making() -> BitFlags<AccessFs> {
    use AccessFs::{MakeDir, MakeFifo, MakeReg, MakeSock, MakeSym, Refer, Truncate, WriteFile};
    WriteFile | Truncate | MakeReg | MakeDir | MakeSym | MakeFifo | MakeSock | Refer
}

fn rights(doing: Doing) -> BitFlags<AccessFs> {
    match doing {
        Doing::All => all(),
        Doing::Write => AccessFs::WriteFile | AccessFs::Truncate,
        Doing::Make => making(),
        Doing::Remove => AccessFs::RemoveFile | AccessFs::RemoveDir | AccessFs::Refer,
    }
}

impl Holds<'_> {
    /// What of a file is denied where nothing grants it. Moving from one directory to another is in every domain that does not say so, whatever else
    /// it is for.
    fn handled(&self) -> BitFlags<AccessFs> {
        let writes = if self.writes.is_some() { all() } else { AccessFs::Refer.into() };
        writes | self.read()
    }

    /// The right to read, where it has to be granted.
    fn read(&self) -> BitFlags<AccessFs> {
        if self.reads.is_some() { AccessFs::ReadFile.into() } else { BitFlags::empty() }
    }
}

/// Makes the rules of a domain, but for what is granted to the process alone that puts it on.
pub(super) fn rules(holds: &Holds<'_>) -> Result<Rules, Error> {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    let mut ruleset = ruleset.handle_access(holds.handled())?;
    if !holds.tcp {
        ruleset = ruleset.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
    }
    ruleset = ruleset.scope(Scope::AbstractUnixSocket)?;
    if !holds.signals {
        ruleset = ruleset.scope(Scope::Signal)?;
    }
    let ruleset: Option<OwnedFd> = ruleset.create()?.into();
    let ruleset = ruleset.ok_or_else(|| io::Error::from_raw_os_error(libc::EOPNOTSUPP))?;
    let rules = Rules::of(ruleset, holds);
    let read = holds.read();
    if let Some(grants) = holds.writes {
        let of_file = AccessFs::from_file(ABI::V3);
        for path in table::devices() {
            let rights = all() | read;
            rules.grant(path, if path.ends_with('/') { rights } else { rights & of_file })?;
        }
        for path in &grants.base {
            let is_real = grants.real.contains(path);
            let grant = if is_real { Rules::grant_real } else { Rules::grant };
            grant(&rules, path, all() | read)?;
        }
        for grant in &grants.added {
            rules.grant(&grant.path, rights(grant.doing))?;
        }
    } else {
        rules.grant("/", AccessFs::Refer.into())?;
        rules.grant("/dev", read)?;
    }
    let is_granted = |path: &str| holds.writes.is_some_and(|grants| grants.has(path));
    let around = holds.reads.into_iter().flat_map(|around| &around.granted);
    for path in around.filter(|path| !is_granted(path)) {
        rules.grant(path, read)?;
    }
    Ok(rules)
}

/// What a domain grants at places. Whoever has it can grant more.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) ruleset: OwnedFd,
    /// The rights that have to be granted, and that this kernel knows.
    handled: BitFlags<AccessFs>,
}

impl Rules {
    /// Takes a ruleset that holds this.
    pub(super) fn of(ruleset: OwnedFd, holds: &Holds<'_>) -> Self {
        let known = match kernel() {
            Kernel::Version(3..) => AccessFs::from_all(ABI::V3),
            Kernel::Version(_) | Kernel::Nothing | Kernel::TooOld => AccessFs::from_all(ABI::V2),
        };
        Self { ruleset, handled: holds.handled() & known }
    }

    /// Grants rights at a path. What is not there is granted nothing.
    fn grant(&self, path: &str, rights: BitFlags<AccessFs>) -> Result<(), Error> {
        if rights.is_empty() {
            return Ok(());
        }
        let Ok(descriptor) = PathFd::new(path) else { return Ok(()) };
        Ok(self.add(descriptor, rights)?)
    }

    /// Grants rights at a path, unless a link stands in it: a line that still runs may have put it there since the path was looked at.
    fn grant_real(&self, path: &str, rights: BitFlags<AccessFs>) -> Result<(), Error> {
        let how = OpenHow::new()
            .flags(OFlag::O_PATH | OFlag::O_CLOEXEC)
            .resolve(ResolveFlag::RESOLVE_NO_SYMLINKS);
        match openat2(AT_FDCWD, path, how) {
            Ok(descriptor) => Ok(self.add(descriptor, rights)?),
            // A filter of system calls around us may be older than the call.
            Err(Errno::ENOSYS | Errno::EPERM) => self.grant(path, rights),
            Err(_) => Ok(()),
        }
    }

    fn add(&self, descriptor: impl AsFd, rights: BitFlags<AccessFs>) -> io::Result<()> {
        let grant = |rights: BitFlags<AccessFs>| {
            sys::landlock::grant(self.ruleset.as_fd(), descriptor.as_fd(), rights.bits())
        };
        let rights = rights & self.handled;
        if rights.is_empty() {
            return Ok(());
        }
        match grant(rights) {
            // A file has none of the rights that only directories have, and is not asked before what it is.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
                grant(rights & AccessFs::from_file(ABI::V3))
            }
            done => done,
        }
    }

    /// Grants what the kernel says of this process itself, and lets it set; and what the caller has opened for us as a standard stream: `/dev/stdout`
    /// opens it anew.
    fn grant_own(&self) -> Result<(), Error> {
        if self.handled.contains(AccessFs::WriteFile) {
            self.grant(OWN, all() | AccessFs::ReadFile)?;
        }
        let streams = (std::io::stdin(), std::io::stdout(), std::io::stderr());
        for stream in [streams.0.as_fd(), streams.1.as_fd(), streams.2.as_fd()] {
            let Ok(status) = fstat(stream) else { continue };
            let kind = SFlag::from_bits_truncate(status.st_mode) & SFlag::S_IFMT;
            if kind != SFlag::S_IFREG && kind != SFlag::S_IFCHR {
                continue;
            }
            let flags = fcntl(stream, FcntlArg::F_GETFL).unwrap_or_default();
            let mode = OFlag::from_bits_truncate(flags) & OFlag::O_ACCMODE;
            let write = AccessFs::WriteFile | AccessFs::Truncate;
            let read = AccessFs::ReadFile.into();
            let rights = if mode == OFlag::O_RDONLY { read } else { read | write };
            // What stands in no file system, as a file without a name, is denied nothing.
            let _ = self.add(stream, rights);
        }
        Ok(())
    }
}

impl Domain {
    /// Takes rules that were made for this.
    pub(super) const fn of(rules: Rules, holds: &Holds<'_>) -> Self {
        Self { rules, filtered: Filtered { tcp: !holds.tcp, limits: !holds.signals } }
    }

    /// Puts the domain on this process and all that it will start, for good; they gain no privileges any more. More than 16 domains do not lie
    /// on one another: then the line is held by those of the lines that started it.
    pub(super) fn put_on(self) -> Result<(), Error> {
        self.rules.grant_own()?;
        match sys::landlock::restrict(self.rules.ruleset.as_fd()) {
            Err(error) if error.raw_os_error() != Some(libc::E2BIG) => return Err(error.into()),
            _ => {}
        }
        calls::put_on(self.filtered).map_err(Error::Filter)
    }
}
