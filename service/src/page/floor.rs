//! The questions of all hosts of this user, followed by a thread of its own, and the answers that go back to them.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use guarded_sh::host::desks::{Desks, Heard, Key};
use guarded_sh::ipc::Entry;
use guarded_sh::model::{Answer, Paused, PausedBy, Proof};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tokio::sync::{oneshot, watch};

/// How often is looked for hosts that came.
const LOOK: Duration = Duration::from_secs(1);

/// How the questions stand.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Each question with the host that has it.
    pub entries: Vec<(Key, Entry)>,
    /// When that was so.
    pub at: Option<Instant>,
    /// How many hosts there are.
    pub hosts: usize,
    /// Why one cannot be spoken to.
    pub trouble: Option<String>,
    /// The person's pause, if they want one.
    pub paused: Option<Paused>,
}

impl Standing {
    /// Returns an open question.
    pub fn open(&self, id: &str) -> Option<&(Key, Entry)> {
        self.entries.iter().find(|(_, entry)| entry.is_open() && entry.id == id)
    }
}

/// What becomes of an answer.
type Told = oneshot::Sender<Result<(), String>>;

/// What the thread is to do.
enum Order {
    /// Give an answer to a host.
    Answer { host: Key, id: String, answer: Answer, proof: Proof, told: Told },
    /// Have a host's line tried.
    Try { host: Key, id: String },
    /// Have all hosts tell of no question for so many seconds; with none, as before.
    Pause { seconds: u64 },
}

/// What the rest of the page has of the thread.
pub struct Floor {
    orders: mpsc::Sender<Order>,
    bell: Mutex<UnixStream>,
    standing: watch::Receiver<Arc<Standing>>,
}

impl Floor {
    /// Follows the hosts that listen in these directories.
    pub fn open(directories: Vec<PathBuf>) -> io::Result<Self> {
        let (orders, taken) = mpsc::channel();
        let (bell, heard) = UnixStream::pair()?;
        bell.set_nonblocking(true)?;
        heard.set_nonblocking(true)?;
        let (show, standing) = watch::channel(Arc::default());
        let thread = Thread {
            desks: Desks::new(directories),
            taken,
            heard,
            show,
            waiting: Vec::new(),
            looked: None,
        };
        std::thread::Builder::new().name("desks".to_owned()).spawn(move || thread.run())?;
        Ok(Self { orders, bell: Mutex::new(bell), standing })
    }

    /// Returns how the questions stand, and whoever waits for that to change.
    pub fn standing(&self) -> watch::Receiver<Arc<Standing>> {
        self.standing.clone()
    }

    /// Gives an answer to a host, with what it is known by, and waits for what the host says to that.
    pub async fn answer(
        &self,
        host: Key,
        id: String,
        answer: Answer,
        proof: Proof,
    ) -> Result<(), String> {
        let (told, heard) = oneshot::channel();
        self.order(Order::Answer { host, id, answer, proof, told });
        heard.await.unwrap_or_else(|_| Err("the questions are followed no longer".to_owned()))
    }

    /// Has the line of a question tried. What comes of it is how the question stands.
    pub fn begin_trial(&self, host: Key, id: String) {
        self.order(Order::Try { host, id });
    }

    /// Has all hosts tell of no question for so many seconds, as the person wants by the tray's icon; with none, as before.
    pub fn pause(&self, seconds: u64) {
        self.order(Order::Pause { seconds });
    }

    fn order(&self, order: Order) {
        let _ = self.orders.send(order);
        // Where there are bells already, one more says nothing.
        let _ = self.bell.lock().unwrap_or_else(PoisonError::into_inner).write(&[1]);
    }
}

struct Thread {
    desks: Desks,
    taken: mpsc::Receiver<Order>,
    heard: UnixStream,
    show: watch::Sender<Arc<Standing>>,
    /// Those who wait for what a host says, in the order in which they asked.
    waiting: Vec<(Key, Told)>,
    looked: Option<Instant>,
}

impl Thread {
    /// Follows the hosts until nobody looks any more.
    fn run(mut self) {
        while !self.show.is_closed() {
            let now = Instant::now();
            let mut is_new = false;
            if self.looked.is_none_or(|looked| looked + LOOK <= now) {
                is_new = self.desks.look(now) || self.looked.is_none();
                self.looked = Some(now);
            }
            while let Ok(order) = self.taken.try_recv() {
                self.carry_out(order);
            }
            if is_new {
                self.say();
            }
            let Ok(ready) = self.wait() else { return };
            if ready[0] {
                while self.heard.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
            }
            let heard = self.desks.hear(&ready[1..], Instant::now());
            if !heard.is_empty() {
                // Whoever answered sees how it stands then.
                self.say();
            }
            for (host, heard) in heard {
                self.tell(&host, heard);
            }
        }
    }

    /// Waits until there is something to do. The first is the bell, the others the hosts.
    fn wait(&self) -> Result<Vec<bool>, Errno> {
        let mut polled = vec![PollFd::new(self.heard.as_fd(), PollFlags::POLLIN)];
        polled.extend(self.desks.fds().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        let timeout = PollTimeout::try_from(LOOK).unwrap_or(PollTimeout::MAX);
        match poll(&mut polled, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(errno),
        }
        Ok(polled.iter().map(|polled| polled.any().unwrap_or(true)).collect())
    }

    fn carry_out(&mut self, order: Order) {
        match order {
            Order::Answer { host, id, answer, proof, told } => {
                match self.desks.answer(&host, &id, answer, Some(proof)) {
                    Ok(()) => self.waiting.push((host, told)),
                    Err(why) => drop(told.send(Err(why))),
                }
            }
            Order::Try { host, id } => self.desks.begin_trial(&host, id),
            Order::Pause { seconds } => self.desks.pause(PausedBy::Tray, seconds),
        }
    }

    /// Tells whoever waits what a host said.
    fn tell(&mut self, host: &Key, heard: Heard) {
        let said = match heard {
            Heard::Changed => return,
            Heard::Taken => Ok(()),
            Heard::NotTaken(why) => Err(why),
            Heard::Gone => {
                let gone = self.waiting.extract_if(.., |(of, _)| of == host);
                gone.for_each(|(_, told)| drop(told.send(Err("its host ended".to_owned()))));
                return;
            }
        };
        if let Some(at) = self.waiting.iter().position(|(of, _)| of == host) {
            let _ = self.waiting.remove(at).1.send(said);
        }
    }

    fn say(&self) {
        let now = Instant::now();
        let mut entries = self.desks.entries(now);
        entries.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.age));
        let standing = Standing {
            entries,
            at: Some(now),
            hosts: self.desks.count(),
            trouble: self.desks.trouble().map(str::to_owned),
            paused: self.desks.paused(now),
        };
        self.show.send_replace(Arc::new(standing));
    }
}
