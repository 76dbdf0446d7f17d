//! Writes what a command on the host wrote, in a thread of its own: whoever reads it may take their time, and signals are heard meanwhile. Knows nothing of
//! the host.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use nix::errno::Errno;

use crate::sys::entry;

/// Bytes that may wait to be written, beside the piece that comes next.
const WAITING: usize = 1 << 20;

/// A stream that takes nothing any more.
#[derive(Debug)]
pub(super) struct Failed {
    /// 1 or 2.
    pub(super) stream: u8,
    /// Why; none where nobody reads it.
    pub(super) why: Option<String>,
}

/// Writes to both outputs, in the order in which it is told to.
pub(super) struct Writer {
    shared: Arc<Shared>,
    /// Can be read once something is written, or a stream has failed.
    done: UnixStream,
}

#[derive(Default)]
struct Shared {
    inner: Mutex<Inner>,
    more: Condvar,
}

#[derive(Default)]
struct Inner {
    pieces: VecDeque<(u8, Vec<u8>)>,
    waiting: usize,
    failed: Vec<Failed>,
}

impl Shared {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    /// Starts it. It inherits which signals are blocked.
    pub(super) fn start() -> io::Result<Self> {
        let (done, say) = UnixStream::pair()?;
        done.set_nonblocking(true)?;
        say.set_nonblocking(true)?;
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        thread::Builder::new().spawn(move || write(&own, &say))?;
        Ok(Self { shared, done })
    }

    /// Has bytes be written to a stream.
    pub(super) fn write(&self, stream: u8, bytes: &[u8]) {
        let mut inner = self.shared.inner();
        inner.waiting += bytes.len();
        inner.pieces.push_back((stream, bytes.to_vec()));
        self.shared.more.notify_one();
    }

    /// Returns how many bytes are not written yet.
    pub(super) fn waiting(&self) -> usize {
        self.shared.inner().waiting
    }

    /// Whether more may be told to be written.
    pub(super) fn has_room(&self) -> bool {
        self.waiting() < WAITING
    }

    /// Returns what can be read once something is done.
    pub(super) fn done(&self) -> BorrowedFd<'_> {
        self.done.as_fd()
    }

    /// Returns the streams that have failed since it was asked last.
    pub(super) fn failed(&self) -> Vec<Failed> {
        let mut said = [0; 64];
        // What is left is read the next time.
        let _ = (&self.done).read(&mut said);
        std::mem::take(&mut self.shared.inner().failed)
    }
}

fn write(shared: &Shared, say: &UnixStream) {
    let mut over = [false; 3];
    loop {
        let (stream, bytes) = {
            let mut inner = shared.inner();
            loop {
                if let Some(piece) = inner.pieces.pop_front() {
                    break piece;
                }
                inner = shared.more.wait(inner).unwrap_or_else(PoisonError::into_inner);
            }
        };
        let at = usize::from(stream);
        let failed = if over[at] { None } else { written(at, &bytes).err() };
        let mut inner = shared.inner();
        inner.waiting -= bytes.len();
        if let Some(errno) = failed {
            over[at] = true;
            let why = (errno != Errno::EPIPE).then(|| errno.desc().to_owned());
            inner.failed.push(Failed { stream, why });
        }
        drop(inner);
        // One that cannot be said has enough that can be read.
        let _ = (&mut &*say).write(&[0]);
    }
}

fn written(stream: usize, mut bytes: &[u8]) -> nix::Result<()> {
    let stream = entry::standard_streams()[stream];
    while !bytes.is_empty() {
        match nix::unistd::write(stream, bytes) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::EINTR) => {}
            // Whoever has it set so that nothing waits is waited for.
            Err(Errno::EAGAIN) => {
                let mut waited = [nix::poll::PollFd::new(stream, nix::poll::PollFlags::POLLOUT)];
                nix::poll::poll(&mut waited, nix::poll::PollTimeout::NONE)?;
            }
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}
