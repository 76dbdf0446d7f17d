//! What really ran below a line, for people: what its witness wrote down.

use clap::ValueEnum;

use crate::approval::text::cut;
use crate::approval::visible;
use crate::audit::words::seconds;
use crate::audit::{Entry, aside};
use crate::model::{Begun, Foreseen, Ran, RanLine};

/// Which lines are shown of those of which it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Which {
    /// All
    All,
    /// Where something ran that the plan did not say
    Unforeseen,
}

/// Programs that are named; of more it is said how many.
const NAMED: usize = 40;

/// Columns of a program's words that are shown; the file has more.
const SHOWN: usize = 100;

/// What a witness wrote of a line.
pub(super) struct Told {
    programs: Vec<(Begun, Option<(u8, u64)>)>,
    line: Option<RanLine>,
}

impl Told {
    /// Returns what is known of what an entry's line ran; none where nothing is.
    pub(super) fn of(entry: &Entry) -> Option<Self> {
        let path = entry.records().find_map(|record| record.ran.as_deref())?;
        let mut told = Self { programs: Vec::new(), line: None };
        for ran in aside::read(path) {
            match ran {
                Ran::Began(begun) => told.programs.push((begun, None)),
                Ran::Ended { number, status, millis } => {
                    let mut programs = told.programs.iter_mut();
                    if let Some(one) = programs.find(|(begun, _)| begun.number == number) {
                        one.1 = Some((status, millis));
                    }
                }
                Ran::Line(line) => told.line = Some(line),
            }
        }
        (!told.programs.is_empty()).then_some(told)
    }

    /// Whether it is one of these.
    pub(super) fn is(&self, which: Which) -> bool {
        which == Which::All || self.programs.iter().any(|(begun, _)| begun.foreseen == Foreseen::No)
    }

    /// Returns a row for each thing that is known: what it is, and the rest.
    pub(super) fn rows(&self) -> Vec<(String, String)> {
        let mut rows = vec![("ended".to_owned(), self.end())];
        let of_line = self.programs.first();
        // What was not foreseen is named, however much else there is.
        let of = |is_foreseen: bool| {
            let mut programs = self.programs.iter().skip(1);
            std::iter::from_fn(move || {
                programs.find(|(begun, _)| (begun.foreseen != Foreseen::No) == is_foreseen)
            })
        };
        let mut shown: Vec<&(Begun, Option<(u8, u64)>)> = of(false).take(NAMED).collect();
        let left = NAMED.saturating_sub(shown.len());
        shown.extend(of(true).take(left));
        shown.sort_by_key(|(begun, _)| begun.number);
        rows.extend(of_line.into_iter().chain(shown.iter().copied()).map(|one| self.row(one)));
        let all = self.line.as_ref().map_or(self.programs.len(), |line| {
            usize::try_from(line.programs).unwrap_or(usize::MAX).max(self.programs.len())
        });
        let more = all.saturating_sub(shown.len() + 1);
        if more > 0 {
            rows.push(("and".to_owned(), format!("{more} more programs: --json, `ran`")));
        }
        if let Some(line) = &self.line {
            rows.extend(files(line));
        }
        rows
    }

    fn end(&self) -> String {
        let Some(line) = &self.line else { return "not yet, or its witness was ended".to_owned() };
        let how = match line.status {
            Some(status) => format!("with {status}"),
            None => "by a signal".to_owned(),
        };
        let s = if line.programs == 1 { "" } else { "s" };
        let unforeseen = match line.unforeseen {
            0 => String::new(),
            count => format!(", {count} of them unforeseen"),
        };
        let left = match line.left {
            0 => String::new(),
            1 => "; 1 program ran on".to_owned(),
            count => format!("; {count} programs ran on"),
        };
        let time = seconds(line.millis);
        format!("{how}, after {time}: {} program{s}{unforeseen}{left}", line.programs)
    }

    /// What is said of a program whose own end was not seen: its process may run another since.
    fn end_of(&self, begun: &Begun) -> String {
        let mut after = self.programs.iter().map(|(other, _)| other);
        let next = after.find(|other| other.pid == begun.pid && other.number > begun.number);
        match next {
            Some(next) => format!("  (then {})", visible(last(&next.program))),
            None => "  (no end seen)".to_owned(),
        }
    }

    fn row(&self, (begun, ended): &(Begun, Option<(u8, u64)>)) -> (String, String) {
        let name = match begun.foreseen {
            _ if begun.number == 0 => "line",
            Foreseen::Named => "ran",
            Foreseen::Below => "below",
            Foreseen::No => "unforeseen",
        };
        let by = begun.by.filter(|by| *by != 0).and_then(|by| {
            let mut programs = self.programs.iter();
            let (by, _) = programs.find(|(begun, _)| begun.number == by)?;
            Some(format!(", by {}", visible(last(&by.program))))
        });
        let how = match ended {
            Some((0, millis)) => format!("  ({})", seconds(*millis)),
            Some((status, millis)) => format!("  ({status}, {})", seconds(*millis)),
            None => self.end_of(begun),
        };
        // What is called by another name than its file has says so.
        let words = cut(&visible(&begun.words), SHOWN);
        let first = begun.words.split(' ').next().unwrap_or_default();
        let file = if last(first) == last(&begun.program) {
            String::new()
        } else {
            format!(" [{}]", visible(&begun.program))
        };
        (name.to_owned(), format!("{words}{file}{}{how}", by.unwrap_or_default()))
    }
}

fn files(line: &RanLine) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut row = |name: &str, all: &[String]| {
        if !all.is_empty() {
            rows.push((name.to_owned(), visible(&all.join(" ")).into_owned()));
        }
    };
    row("not run", &line.unrun);
    row("made", &line.made);
    row("changed", &line.changed);
    if line.more > 0 {
        rows.push(("and".to_owned(), format!("{} more files", line.more)));
    }
    if line.cut {
        rows.push(("files".to_owned(), "not all of the workspace was looked at".to_owned()));
    }
    rows
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
