//! The service of a host: what it is handed on its standard input are connections of shells, each with one question. It ends with the host.

use std::io::IoSliceMut;
use std::mem::MaybeUninit;
use std::os::unix::net::UnixStream as Stream;
use std::rc::Rc;
use std::time::Duration;

use guarded_sh::config::Provider;
use guarded_sh::ipc::{Frames, frame};
use guarded_sh::judge::{PROVIDERS, Request};
use guarded_sh::model::Heard;
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::task::LocalSet;

use crate::chain;
use crate::command::Group;
use crate::memory::Memory;

/// How long whoever asks may take to say what, or to hear the answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Questions at once at most; more are hung up on, and whoever asked is told so by that.
const MOST: usize = 1_024;

/// What is said where others are to be asked than the host had when it started.
const OTHERS: &str =
    "the providers are other ones than when the session was started: start it again";

/// Answers until the host has gone.
pub fn run() -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot serve: {error}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| failed(&error))?;
    let providers = std::env::var(PROVIDERS).map_err(|_| failed(&"nobody says whom to ask"))?;
    let providers: Rc<[Provider]> =
        serde_json::from_str::<Vec<Provider>>(&providers).map_err(|error| failed(&error))?.into();
    let memory = Rc::new(Memory::new(Group::Own).map_err(|error| error.to_string())?);
    let (give, mut connections) = mpsc::unbounded_channel();
    let taking = std::thread::spawn(move || take(&give));
    LocalSet::new().block_on(&runtime, async {
        while let Some(stream) = connections.recv().await {
            // This one counts itself.
            if Rc::strong_count(&memory) <= MOST {
                tokio::task::spawn_local(served(stream, Rc::clone(&memory), Rc::clone(&providers)));
            }
        }
    });
    runtime.shutdown_background();
    let taken = taking.join().map_err(|_| failed(&"no connection can be taken"))?;
    taken.map_err(|errno| failed(&errno))
}

/// Takes connections as they are handed over, until the host has gone.
fn take(give: &UnboundedSender<Stream>) -> Result<(), Errno> {
    let way = std::io::stdin();
    loop {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let mut parts = [IoSliceMut::new(&mut byte)];
        let flags = RecvFlags::CMSG_CLOEXEC;
        let message = match recvmsg(&way, &mut parts, &mut control, flags) {
            Err(Errno::INTR) => continue,
            message => message?,
        };
        let connection = control.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut rights) => rights.next(),
            _ => None,
        });
        let is_over = connection.is_none() && message.bytes == 0;
        let is_taken = connection.is_none_or(|connection| give.send(connection.into()).is_ok());
        if is_over || !is_taken {
            return Ok(());
        }
    }
}

/// Answers the question on a connection. Whoever hangs up is not asked for any longer.
async fn served(stream: Stream, memory: Rc<Memory>, providers: Rc<[Provider]>) {
    let stream = stream.set_nonblocking(true).and_then(|()| UnixStream::from_std(stream));
    let Ok(mut stream) = stream else { return };
    let heard = match tokio::time::timeout(PATIENCE, request(&mut stream)).await {
        Ok(Ok(request)) if request.providers.iter().any(|one| !providers.contains(one)) => {
            Heard::unavailable(OTHERS)
        }
        Ok(Ok(request)) => tokio::select! {
            heard = chain::heard(request, &memory) => heard,
            () = gone(&stream) => return,
        },
        Ok(Err(why)) => Heard::unavailable(why),
        Err(_) => return,
    };
    let Some(bytes) = frame(&heard) else { return };
    // Nobody is left to be told.
    let _ = tokio::time::timeout(PATIENCE, stream.write_all(&bytes)).await;
}

/// Returns what is asked.
async fn request(stream: &mut UnixStream) -> Result<Request, String> {
    let mut frames = Frames::default();
    let mut bytes = vec![0; 16 << 10];
    loop {
        if let Some(request) = frames.take().map_err(|fault| fault.to_string())? {
            return Ok(request);
        }
        match stream.read(&mut bytes).await {
            Ok(0) => return Err("what is asked is not whole".to_owned()),
            Ok(count) => frames.add(&bytes[..count]),
            Err(error) => return Err(format!("what is asked cannot be read: {error}")),
        }
    }
}

/// Waits until the other end has hung up, or says more than its question.
async fn gone(stream: &UnixStream) {
    loop {
        if stream.readable().await.is_err() {
            return;
        }
        match stream.try_read(&mut [0]) {
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            _ => return,
        }
    }
}
