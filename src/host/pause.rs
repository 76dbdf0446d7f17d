//! How a host keeps a person's pause. It is kept in memory alone, so no file that an agent writes pauses anything, and it ends with the host.

use std::time::{Duration, Instant};

use crate::model::{Paused, PausedBy};

/// The pause of a host, if there is one.
#[derive(Debug, Default)]
pub(super) struct Pause(Option<(PausedBy, Instant)>);

impl Pause {
    /// Begins it for so many seconds, in the place of one that was there; with none, ends it.
    pub(super) fn set(&mut self, by: PausedBy, seconds: u64, now: Instant) {
        let until = now + Duration::from_secs(seconds.min(Paused::MOST));
        self.0 = (seconds > 0).then_some((by, until));
    }

    /// Returns how it stands; none where there is none.
    pub(super) fn stands(&self, now: Instant) -> Option<Paused> {
        let (by, until) = self.0?;
        // The last second is one: a pause of no time is none.
        let left = until.saturating_duration_since(now).as_millis().div_ceil(1000);
        (now < until).then(|| Paused { by, left: u64::try_from(left).unwrap_or(Paused::MOST) })
    }

    /// Returns when it is over.
    pub(super) fn until(&self) -> Option<Instant> {
        self.0.map(|(_, until)| until)
    }

    /// Ends it where its time is over. Returns whether it was.
    pub(super) fn turn(&mut self, now: Instant) -> bool {
        self.0.take_if(|(_, until)| *until <= now).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_by_itself_or_by_its_person_and_is_never_longer_than_a_day() {
        let (mut pause, now) = (Pause::default(), Instant::now());
        assert_eq!((pause.stands(now), pause.until(), pause.turn(now)), (None, None, false));
        pause.set(PausedBy::Terminal, 900, now);
        let later = now + Duration::from_millis(899_500);
        assert_eq!(pause.stands(later), Some(Paused { by: PausedBy::Terminal, left: 1 }));
        assert!(!pause.turn(later));
        let over = now + Duration::from_secs(900);
        assert_eq!(pause.until(), Some(over));
        assert_eq!(pause.stands(over), None);
        assert!(pause.turn(over) && !pause.turn(over));
        pause.set(PausedBy::Tray, u64::MAX, now);
        assert_eq!(pause.stands(now), Some(Paused { by: PausedBy::Tray, left: Paused::MOST }));
        pause.set(PausedBy::Terminal, 0, now);
        assert_eq!((pause.stands(now), pause.until()), (None, None));
    }
}
