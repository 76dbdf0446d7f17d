//! Turns of clients' commands: as many run at once as there are turns, and whoever comes later waits. Knows nothing of what runs.
//!
//! No client takes all of them: it takes one more only while at least a third as many as it has are left. One that becomes free goes to the client that has
//! the fewest, and of one client to the call that came first.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Commands at once.
const TURNS: usize = 128;
/// Calls that wait at most, and those of one client.
const WAITING: usize = 2_000;
const WAITING_OF_ONE: usize = 1_000;

/// All turns.
pub struct Turns(Mutex<Inner>);

struct Inner {
    free: usize,
    /// How many each client has.
    taken: HashMap<String, usize>,
    waiting: VecDeque<Waiting>,
}

struct Waiting {
    owner: String,
    say: oneshot::Sender<Turn>,
}

/// A turn. It is another's once this is dropped.
pub struct Turn {
    turns: Arc<Turns>,
    owner: String,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut inner = self.turns.inner();
        inner.free += 1;
        if let Some(taken) = inner.taken.get_mut(&self.owner) {
            *taken -= 1;
            if *taken == 0 {
                inner.taken.remove(&self.owner);
            }
        }
        drop(inner);
        self.turns.give();
    }
}

impl Inner {
    fn taken(&self, owner: &str) -> usize {
        self.taken.get(owner).copied().unwrap_or_default()
    }

    /// Takes out the call whose turn it is; none where nobody may have one more.
    fn next(&mut self) -> Option<Waiting> {
        // Whoever does not wait any more is passed over.
        self.waiting.retain(|one| !one.say.is_closed());
        let fewest = self.waiting.iter().enumerate().min_by_key(|(_, one)| self.taken(&one.owner));
        let (at, owner) = fewest.map(|(at, one)| (at, one.owner.clone()))?;
        if self.taken(&owner) >= 3 * self.free {
            return None;
        }
        self.free -= 1;
        *self.taken.entry(owner).or_default() += 1;
        self.waiting.remove(at)
    }
}

impl Turns {
    pub fn new() -> Arc<Self> {
        let inner = Inner { free: TURNS, taken: HashMap::new(), waiting: VecDeque::new() };
        Arc::new(Self(Mutex::new(inner)))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is a client's turn; none where too many wait.
    pub async fn take(self: &Arc<Self>, owner: &str) -> Option<Turn> {
        let (say, given) = oneshot::channel();
        {
            let mut inner = self.inner();
            let own = inner.waiting.iter().filter(|one| one.owner == owner).count();
            if inner.waiting.len() >= WAITING || own >= WAITING_OF_ONE {
                return None;
            }
            inner.waiting.push_back(Waiting { owner: owner.to_owned(), say });
        }
        self.give();
        given.await.ok()
    }

    /// Gives out what is free.
    fn give(self: &Arc<Self>) {
        loop {
            // What is sent to nobody is dropped, and so is free again: not while it is locked.
            let next = self.inner().next();
            let Some(Waiting { owner, say }) = next else { return };
            drop(say.send(Turn { turns: Arc::clone(self), owner }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn now(turns: &Arc<Turns>, owner: &str) -> Option<Turn> {
        let waiting = pin!(turns.take(owner));
        match waiting.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => turn,
            Poll::Pending => None,
        }
    }

    fn all(turns: &Arc<Turns>, owner: &str) -> Vec<Turn> {
        std::iter::from_fn(|| now(turns, owner)).collect()
    }

    #[test]
    fn no_client_takes_all_and_each_gets_some() {
        let turns = Turns::new();
        let one = all(&turns, "one");
        let two = all(&turns, "two");
        let three = all(&turns, "three");
        assert_eq!([one.len(), two.len(), three.len()], [96, 24, 6]);
        drop(one);
        assert_eq!(turns.inner().taken("one"), 0);
        drop((two, three));
        let inner = turns.inner();
        assert_eq!((inner.free, inner.taken.len()), (TURNS, 0));
    }

    #[test]
    fn what_becomes_free_goes_to_whoever_has_the_fewest_and_came_first() {
        let turns = Turns::new();
        let mut held = all(&turns, "many");
        let mut context = Context::from_waker(Waker::noop());
        // One that does not wait any more takes nothing.
        {
            let mut gone = pin!(turns.take("many"));
            assert!(gone.as_mut().poll(&mut context).is_pending());
        }
        let others: Vec<_> = (0..50).filter_map(|at| now(&turns, &format!("{at}"))).collect();
        assert_eq!((others.len(), turns.inner().free), (32, 0));
        let mut waiting = Vec::new();
        for owner in ["many", "few", "few", "other"] {
            let mut one = Box::pin(turns.take(owner));
            assert!(one.as_mut().poll(&mut context).is_pending());
            waiting.push((owner, one));
        }
        let mut order = Vec::new();
        let mut given = Vec::new();
        while !waiting.is_empty() {
            held.pop();
            let mut left = Vec::new();
            for (at, (owner, mut one)) in waiting.into_iter().enumerate() {
                match one.as_mut().poll(&mut context) {
                    Poll::Ready(turn) => {
                        order.push((at, owner));
                        given.push(turn);
                    }
                    Poll::Pending => left.push((owner, one)),
                }
            }
            waiting = left;
            if held.is_empty() {
                break;
            }
        }
        let owners: Vec<&str> = order.iter().map(|(_, owner)| *owner).collect();
        assert_eq!(owners[..3], ["few", "other", "few"]);
        assert_eq!(owners.last(), Some(&"many"));
    }

    #[test]
    fn no_more_than_so_many_wait() {
        let turns = Turns::new();
        let _held = all(&turns, "one");
        let mut context = Context::from_waker(Waker::noop());
        let mut waiting: Vec<_> =
            (0..WAITING_OF_ONE).map(|_| Box::pin(turns.take("one"))).collect();
        assert!(waiting.iter_mut().all(|one| one.as_mut().poll(&mut context).is_pending()));
        let mut more = pin!(turns.take("one"));
        assert!(matches!(more.as_mut().poll(&mut context), Poll::Ready(None)));
        assert!(now(&turns, "two").is_some());
    }
}
