//! How large the person's terminal is. The kernel only remembers what was said last, and any process of the user that opens the terminal can say
//! something else (`TIOCSWINSZ`, tty_ioctl(4)): what is drawn for more rows than there are is not where the person looks. So the terminal itself is
//! asked whenever a page is drawn anew: where the cursor is once it was sent beyond the last corner (ECMA-48, CUP and DSR 6), and then whether all is
//! well (DSR 5), so that its answer is not taken for one that the agent waits for.

use std::ops::Range;
use std::time::{Duration, Instant};

use crate::approval::page::Guard;
use crate::sys::pty::Size;

/// Asks a terminal for its size.
pub const ASKS: &[u8] = b"\x1b[999;999H\x1b[6n\x1b[5n";
/// How long it may take until a terminal says it that has said it before: then it is asked again, and keys wait for that.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long they wait where it is not known whether it says anything: no key counts sooner.
const DOUBT: Duration = Guard::LENGTH;

/// The end of an answer.
const WELL: &[u8] = b"\x1b[0n";

/// What the terminal says of its size.
#[derive(Debug, Default)]
pub struct Measure {
    /// Answers that are still to come.
    awaited: usize,
    /// When it was asked last.
    asked: Option<Instant>,
    /// Places of the cursor that it told: the last before the end of an answer is of that.
    places: Vec<Vec<u8>>,
    /// Whether it has ever answered.
    answers: bool,
    /// What it said last, and what the kernel said then; none where they agree.
    otherwise: Option<(Size, Size)>,
    /// The least rows and columns that the kernel ever said it has.
    least: Option<Size>,
}

impl Measure {
    /// Takes a size that the kernel says.
    pub fn told(&mut self, kernel: Size) {
        self.least = Some(self.least.map_or(kernel, |least| smaller(least, kernel)));
    }

    /// Returns the part of the terminal, from its first corner on, that a person surely sees. Where nothing says how large it is but the kernel, or
    /// a program changes the window (`is_doubtful`), that is no more than it ever had: what is drawn in there is seen on a larger one, too.
    pub fn seen(&self, kernel: Size, is_doubtful: bool) -> Size {
        let size = self.size(kernel);
        let least = self.least.filter(|_| is_doubtful || !self.answers);
        least.map_or(size, |least| smaller(least, size))
    }

    /// Notes that the terminal was asked.
    pub fn asked(&mut self, now: Instant) {
        if self.is_late(now) {
            self.awaited = 0;
        }
        self.awaited += 1;
        self.asked = Some(now);
    }

    /// Returns whether keys wait for what it says. One that has answered is waited for without an end: who can keep its answer from us, can keep
    /// what is drawn from it.
    pub fn is_awaited(&self, now: Instant) -> bool {
        self.awaited > 0 && (self.answers || !self.is_late(now))
    }

    /// Returns whether what was asked last should have been answered, if it is at all.
    pub fn is_late(&self, now: Instant) -> bool {
        let patience = if self.answers { PATIENCE } else { DOUBT };
        self.asked.is_none_or(|asked| now >= asked + patience)
    }

    /// Takes what a terminal says by itself; returns whether it is the end of an answer. What is the agent's goes to `rest`. `kernel` is the size
    /// that the kernel knows.
    pub fn take(&mut self, report: Vec<u8>, kernel: Size, rest: &mut impl Extend<Vec<u8>>) -> bool {
        if self.awaited > 0 && place(&report).is_some() {
            self.places.push(report);
            return false;
        }
        let said = self.places.pop_if(|_| report == WELL).and_then(|told| place(&told));
        let Some((rows, columns)) = said else {
            rest.extend([report]);
            return false;
        };
        rest.extend(self.places.drain(..));
        self.awaited -= 1;
        self.answers = true;
        let is_same = (rows, columns) == (kernel.rows, kernel.columns);
        let said = Size { rows, columns, width: 0, height: 0 };
        self.otherwise = (!is_same).then_some((said, kernel));
        true
    }

    /// Returns what was kept back for an answer that has not ended, where nothing is shown any more.
    pub fn flush(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.places)
    }

    /// Takes answers out of what is meant for the agent, where nothing is shown any more by the time that they come.
    pub fn taken_out(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut rest = bytes.to_vec();
        while self.awaited > 0
            && let Some(range) = answer(&rest)
        {
            rest.drain(range);
            self.awaited -= 1;
        }
        rest
    }

    /// Returns whether it may still say something, however late.
    pub const fn is_any_awaited(&self) -> bool {
        self.awaited > 0
    }

    /// Returns the size that the terminal has, where the kernel says this one.
    pub fn size(&self, kernel: Size) -> Size {
        match self.otherwise {
            // The terminal was given another size since: it says so itself when it is asked again.
            Some((said, then)) if then == kernel => said,
            _ => kernel,
        }
    }
}

fn smaller(one: Size, other: Size) -> Size {
    let (rows, columns) = (one.rows.min(other.rows), one.columns.min(other.columns));
    Size { rows, columns, ..other }
}

/// Where the first answer stands, if the place of the cursor is right before its end.
fn answer(bytes: &[u8]) -> Option<Range<usize>> {
    let end = bytes.windows(WELL.len()).position(|window| window == WELL)?;
    let start = bytes[..end].iter().rposition(|byte| *byte == 0x1b)?;
    place(&bytes[start..end]).is_some().then_some(start..end + WELL.len())
}

/// Reads `CSI row ; column R`.
fn place(report: &[u8]) -> Option<(u16, u16)> {
    let text = std::str::from_utf8(report.strip_prefix(b"\x1b[")?).ok()?;
    let (row, column) = text.strip_suffix('R')?.split_once(';')?;
    let (row, column) = (row.parse().ok()?, column.parse().ok()?);
    (row > 0 && column > 0).then_some((row, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn size(rows: u16, columns: u16) -> Size {
        Size { rows, columns, width: 0, height: 0 }
    }

    /// Takes reports; returns whether an answer has ended, and what was the agent's.
    fn taken(measure: &mut Measure, reports: &[&str], kernel: Size) -> (bool, Vec<String>) {
        let mut rest = Vec::new();
        let mut is_any = false;
        for report in reports {
            is_any |= measure.take(report.as_bytes().to_vec(), kernel, &mut rest);
        }
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        (is_any, rest.iter().map(text).collect())
    }

    #[test]
    fn the_terminal_is_believed_and_not_the_kernel() {
        let (now, mut measure) = (Instant::now(), Measure::default());
        let kernel = size(60, 100);
        let answer = ["\x1b[34;100R", "\x1b[0n"];
        // Nobody asked: it is the agent's.
        let all = answer.map(str::to_owned).to_vec();
        assert_eq!(taken(&mut measure, &answer, kernel), (false, all));
        assert_eq!((measure.size(kernel), measure.is_awaited(now)), (kernel, false));
        measure.asked(now);
        assert!(measure.is_awaited(now) && !measure.is_awaited(now + DOUBT));
        let others = [
            "\x1b[0n",
            "\x1b[8;34;100t",
            "\x1b[0;100R",
            "\x1b[?1;2R",
            "\x1b[99999;1R",
            "\x1b[a;bR",
            "R",
        ];
        let all = others.map(str::to_owned).to_vec();
        assert_eq!(taken(&mut measure, &others, kernel), (false, all));
        // What the agent asked for before comes before.
        let mixed = ["\x1b[7;1R", answer[0], answer[1]];
        assert_eq!(taken(&mut measure, &mixed, kernel), (true, vec![mixed[0].to_owned()]));
        assert_eq!((measure.size(kernel), measure.is_awaited(now)), (size(34, 100), false));
        measure.asked(now);
        // It has answered before: keys wait, and after a while it is asked again.
        assert!(measure.is_awaited(now + 9 * PATIENCE) && !measure.is_late(now + DOUBT));
        assert!(measure.is_late(now + PATIENCE));
        let mut silent = Measure::default();
        silent.asked(now);
        assert!(silent.is_awaited(now) && !silent.is_awaited(now + DOUBT));
        // What the kernel says later is another size.
        assert_eq!(measure.size(size(20, 80)), size(20, 80));
        assert_eq!(taken(&mut measure, &["\x1b[60;100R", "\x1b[0n"], kernel), (true, Vec::new()));
        assert_eq!(measure.size(kernel), kernel);
    }

    #[test]
    fn a_terminal_that_says_nothing_is_no_larger_than_it_ever_was() {
        let (now, mut measure) = (Instant::now(), Measure::default());
        measure.told(size(24, 80));
        assert_eq!(measure.seen(size(24, 80), false), size(24, 80));
        // Whoever says something else to the kernel may keep the answer from us as well.
        measure.told(size(60, 70));
        measure.asked(now);
        assert_eq!(measure.seen(size(60, 70), false), size(24, 70));
        assert_eq!(measure.size(size(60, 70)), size(60, 70));
        assert!(taken(&mut measure, &["\x1b[60;70R", "\x1b[0n"], size(60, 70)).0);
        assert_eq!(measure.seen(size(60, 70), false), size(60, 70));
        // What has answered may reach beyond what is seen, where a program made it so large.
        assert_eq!(measure.seen(size(60, 70), true), size(24, 70));
        assert_eq!(Measure::default().seen(size(60, 70), true), size(60, 70));
    }

    #[test]
    fn what_comes_when_nothing_is_shown_any_more_is_not_the_agents() {
        let (now, mut measure) = (Instant::now(), Measure::default());
        measure.asked(now);
        assert_eq!(taken(&mut measure, &["\x1b[5;5R"], size(9, 9)), (false, Vec::new()));
        assert_eq!(measure.flush(), [b"\x1b[5;5R"]);
        assert_eq!(measure.taken_out(b"a\x1b[9;9R\x1b[0nb\x1b[9;9R\x1b[0n"), b"ab\x1b[9;9R\x1b[0n");
        assert_eq!(measure.taken_out(b"a\x1b[9;9R\x1b[0nb"), b"a\x1b[9;9R\x1b[0nb");
        measure.asked(now);
        for bytes in [&b""[..], b"\x1b[0n", b"\x1b[9;9R", b"\x1b[9;9R\x1b[0"] {
            assert_eq!(measure.taken_out(bytes), bytes);
        }
    }
}
