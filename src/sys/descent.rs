//! The sign by which what a guarded shell starts is known for good: a resource limit that limits nothing, which children inherit
//! whatever they do, and which nobody but root raises again. Says nothing of what follows from it.
//!
//! It is the hard limit of file locks. Linux has not enforced it since 2.4.25, and nothing sets it: where it is not infinite, a guarded
//! shell is among those that a process descends from, though its parents may be gone and its environment be empty. It has two values:
//! the agent of a session's host has the first, and what came through a guarded shell the second.

use std::mem::MaybeUninit;

use nix::libc;

/// The limit of an agent that a host started, and of what came through a guarded shell.
const STARTED: libc::rlim_t = libc::RLIM_INFINITY - 1;
const PASSED: libc::rlim_t = libc::RLIM_INFINITY - 2;

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

/// Returns whether a process has the sign; 0 is this one. One of another user cannot be seen, and has none.
#[must_use]
pub fn is_signed(id: u32) -> bool {
    let id = libc::pid_t::try_from(id).unwrap_or(-1);
    locks(id).is_some_and(|limit| limit.rlim_max != libc::RLIM_INFINITY)
}

/// Returns whether a process is of a host's agent, and did not come through a guarded shell; one of another user cannot be seen.
#[must_use]
pub fn is_unpassed(id: u32) -> bool {
    let id = libc::pid_t::try_from(id).unwrap_or(-1);
    locks(id).is_some_and(|limit| limit.rlim_max == STARTED)
}

fn locks(id: libc::pid_t) -> Option<libc::rlimit> {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: nothing is set, and the pointer leads to room for limits.
    let done =
        unsafe { libc::prlimit(id, libc::RLIMIT_LOCKS, std::ptr::null(), limit.as_mut_ptr()) };
    // SAFETY: where the call succeeded it has filled it.
    (done == 0).then(|| unsafe { limit.assume_init() })
}
