//! The sign by which what a guarded shell starts is known for good: a resource limit that limits nothing, which children inherit
//! whatever they do, and which nobody but root raises again. Says nothing of what follows from it.
//!
//! It is the hard limit of file locks. Linux has not enforced it since 2.4.25, and nothing sets it: where it is not infinite, a guarded
//! shell is among those that a process descends from, though its parents may be gone and its environment be empty. It has three values:
//! the agent of a session's host has the first, a client whose hook was called the second, and what came through a guarded shell the third.
//! The second is put on another process, which prlimit(2) lets do who has its user; so it comes after that process began.
//!
//! Further down, the same limit says that a domain holds what descends from this process, and what that allows beyond what every line may do: so
//! that a line which would add nothing to it puts on none. Who forges it is held by the domain that it is in, and nobody else believes it.

use std::mem::MaybeUninit;

use nix::libc;

/// The limit of an agent that a host started, of a client whose hook was called, and of what came through a guarded shell.
const STARTED: libc::rlim_t = libc::RLIM_INFINITY - 1;
const CALLED: libc::rlim_t = libc::RLIM_INFINITY - 2;
const PASSED: libc::rlim_t = libc::RLIM_INFINITY - 3;

/// Whose sign a process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It is of an agent that a host started.
    Agent,
    /// It is of a client whose hook was called.
    Client,
    /// It came through a guarded shell.
    Guarded,
}

/// Puts the sign of a host's agent on this process and all that it will start. Safe between fork and exec.
pub fn sign() {
    lower(STARTED);
}

/// Puts the sign of what came through a guarded shell on this process and all that it will start.
pub fn pass() {
    lower(PASSED);
}

fn lower(limit: libc::rlim_t) {
    let Some(now) = locks(0) else { return };
    if now.rlim_max <= limit {
        return;
    }
    let signed = libc::rlimit { rlim_cur: now.rlim_cur.min(limit), rlim_max: limit };
    // SAFETY: the pointer leads to limits that live through the call. Whoever may run may lower their limits: it does not fail.
    unsafe { libc::setrlimit(libc::RLIMIT_LOCKS, &raw const signed) };
}

/// Puts the sign of a client whose hook was called on another process and all that it will start from now on, unless it has a sign. One of
/// another user gets none.
pub fn sign_client(id: u32) {
    let Some(id) = libc::pid_t::try_from(id).ok().filter(|id| *id > 0) else { return };
    let Some(now) = locks(id).filter(|now| now.rlim_max == libc::RLIM_INFINITY) else { return };
    let signed = libc::rlimit { rlim_cur: now.rlim_cur.min(CALLED), rlim_max: CALLED };
    // SAFETY: the pointer leads to limits that live through the call, and nothing is to be told of those before.
    unsafe { libc::prlimit(id, libc::RLIMIT_LOCKS, &raw const signed, std::ptr::null_mut()) };
}

/// Returns the sign of a process; 0 is this one. One of another user cannot be seen, and has none.
#[must_use]
pub fn sign_of(id: u32) -> Option<Sign> {
    match locks(libc::pid_t::try_from(id).unwrap_or(-1))?.rlim_max {
        libc::RLIM_INFINITY => None,
        STARTED => Some(Sign::Agent),
        CALLED => Some(Sign::Client),
        _ => Some(Sign::Guarded),
    }
}

/// Returns whether a process has a sign; 0 is this one. One of another user cannot be seen, and has none.
#[must_use]
pub fn is_signed(id: u32) -> bool {
    sign_of(id).is_some()
}

/// Returns whether a process is of a host's agent, and did not come through a guarded shell; one of another user cannot be seen.
#[must_use]
pub fn is_unpassed(id: u32) -> bool {
    sign_of(id) == Some(Sign::Agent)
}

/// What a domain allows beyond what every line may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a right of its own")]
pub struct Bounds {
    /// To write where others may not.
    pub writes: bool,
    /// To read secrets.
    pub reads: bool,
    /// To connect and listen by TCP.
    pub tcp: bool,
    /// To signal other processes.
    pub signals: bool,
    /// To see the machine as it is: no container holds it.
    pub outside: bool,
}

/// The limit of the widest bounds, below the signs; narrower ones have lower limits, so that bounds only become narrower.
const WIDEST: libc::rlim_t = PASSED - 1;
/// All bits of [`Bounds`].
const ALL: u8 = 0b1_1111;

impl Bounds {
    const fn bits(self) -> u8 {
        (self.outside as u8) << 4
            | (self.writes as u8) << 3
            | (self.reads as u8) << 2
            | (self.tcp as u8) << 1
            | self.signals as u8
    }

    const fn of(bits: u8) -> Self {
        Self {
            writes: bits & 8 != 0,
            reads: bits & 4 != 0,
            tcp: bits & 2 != 0,
            signals: bits & 1 != 0,
            outside: bits & 16 != 0,
        }
    }

    /// Returns whether they allow nothing that these do not.
    #[must_use]
    pub const fn allow_no_more_than(self, others: Self) -> bool {
        self.bits() & !others.bits() == 0
    }
}

/// Says that a domain with these bounds holds this process and all that it will start.
pub fn hold(bounds: Bounds) {
    let outer = self::bounds().map_or(ALL, Bounds::bits);
    let Some(now) = locks(0) else { return };
    let limit = WIDEST - libc::rlim_t::from(ALL - (bounds.bits() & outer));
    let held = libc::rlimit { rlim_cur: now.rlim_cur.min(limit), rlim_max: limit };
    // SAFETY: the pointer leads to limits that live through the call. Whoever may run may lower their limits: it does not fail.
    unsafe { libc::setrlimit(libc::RLIMIT_LOCKS, &raw const held) };
}

/// Returns the bounds of the domains that hold this process; none where that is not said, or it may gain privileges, as nothing does in a domain.
#[must_use]
pub fn bounds() -> Option<Bounds> {
    // SAFETY: it only asks.
    let is_in_domain = unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) } == 1;
    let below = WIDEST.checked_sub(locks(0)?.rlim_max)?;
    let below = u8::try_from(below).ok().filter(|below| *below <= ALL)?;
    is_in_domain.then(|| Bounds::of(ALL - below))
}

fn locks(id: libc::pid_t) -> Option<libc::rlimit> {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: nothing is set, and the pointer leads to room for limits.
    let done =
        unsafe { libc::prlimit(id, libc::RLIMIT_LOCKS, std::ptr::null(), limit.as_mut_ptr()) };
    // SAFETY: where the call succeeded it has filled it.
    (done == 0).then(|| unsafe { limit.assume_init() })
}
