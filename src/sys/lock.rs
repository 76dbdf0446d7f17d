//! A lock on a file that others hold for moments: waits for it, and not for ever.

use std::fs::File;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};

/// How long is slept between two tries.
const PAUSE: Duration = Duration::from_micros(300);

/// Locks a file for this process alone until what is returned is dropped. `EWOULDBLOCK`: others have held it for all of this time.
pub fn lock_within(mut file: File, patience: Duration) -> Result<Flock<File>, Errno> {
    let start = Instant::now();
    loop {
        match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(lock) => return Ok(lock),
            Err((_, Errno::EWOULDBLOCK)) if start.elapsed() > patience => {
                return Err(Errno::EWOULDBLOCK);
            }
            Err((unlocked, Errno::EWOULDBLOCK | Errno::EINTR)) => file = unlocked,
            Err((_, errno)) => return Err(errno),
        }
        std::thread::sleep(PAUSE);
    }
}
