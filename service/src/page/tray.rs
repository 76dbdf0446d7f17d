//! The icon in the desktop's tray, as the page sees it: a process of this program that is told what to show, and says what the person wants. It
//! has no power to answer; whatever it says opens the page, or begins and ends a pause.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use guarded_sh::approval::words;
use guarded_sh::audit::Line;
use guarded_sh::ipc::Entry;
use guarded_sh::language::Language;
use guarded_sh::model::head;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, Command};

use super::codes::{Doors, Given, Wanted};
use super::floor::{Floor, Standing};
use super::{Opening, html};
use crate::tray::{Shows, ToTray, Wish};

/// Questions that the menu has at most.
const MOST: usize = 12;
/// Bytes of a line that it has.
const LONGEST: usize = 400;
/// For how long the icon may take to hear something.
const PATIENCE: Duration = Duration::from_secs(5);
/// After what time it is tried again where there is none.
const AGAIN: Duration = Duration::from_secs(60);
/// How often is looked how long a pause still lasts.
const LOOK: Duration = Duration::from_secs(20);

/// The way to the page.
pub enum Way {
    /// It is open.
    Open(Doors),
    /// It is opened when it is wanted.
    Closed(Box<Opening>),
}

impl Way {
    /// Returns an address, at a question where one is named.
    fn address(&mut self, question: Option<&str>) -> Result<String, String> {
        let doors = match self {
            Self::Open(doors) => doors,
            Self::Closed(opening) => {
                *self = Self::Open(opening.open()?);
                return self.address(question);
            }
        };
        match doors.give(Wanted::Page)? {
            Given::Addresses { here, .. } => Ok(at(&here, question)),
            Given::Refused(why) => Err(why),
        }
    }
}

/// Returns the address at which the page is entered at a question: the code stays behind the `#`.
fn at(address: &str, question: Option<&str>) -> String {
    match (question, address.split_once('#')) {
        (Some(id), Some((path, code))) => {
            format!("{}#{code}", html::address(path, &[("at", id)]))
        }
        (_, _) => address.to_owned(),
    }
}

/// Shows the icon until the person ends it. Where there is none, that is said once.
pub async fn keep(floor: Arc<Floor>, mut way: Way) {
    let mut told = None;
    loop {
        let why = match show(&floor, &mut way).await {
            Ok(()) => return,
            Err(why) => why,
        };
        if told.as_ref() != Some(&why) {
            eprintln!("guarded-shd: there is no icon in the tray: {why}");
            told = Some(why);
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Shows it once. An error says why there is none any more.
async fn show(floor: &Floor, way: &mut Way) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("it cannot be started: {error}");
    let mut command = Command::new("/proc/self/exe");
    command.arg0("guarded-shd").arg("tray").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut started = command.spawn().map_err(failed)?;
    let ends = || "it ended".to_owned();
    let mut input = started.stdin.take().ok_or_else(ends)?;
    let mut wishes = BufReader::new(started.stdout.take().ok_or_else(ends)?).lines();
    // It parts from what was started.
    started.wait().await.map_err(failed)?;
    let mut standing = floor.standing();
    let mut look = tokio::time::interval(LOOK);
    let mut shown = None;
    loop {
        let shows = shows(&standing.borrow_and_update().clone());
        if shown.as_ref() != Some(&shows) {
            tell(&mut input, &ToTray::Shows(shows.clone())).await?;
            shown = Some(shows);
        }
        let wish = tokio::select! {
            changed = standing.changed() => match changed {
                Ok(()) => continue,
                Err(_) => return Ok(()),
            },
            _ = look.tick() => continue,
            line = wishes.next_line() => line.ok().flatten().ok_or_else(ends)?,
        };
        match serde_json::from_str(&wish) {
            Ok(Wish::Open(question)) => {
                let told = match way.address(question.as_deref()) {
                    Ok(address) => ToTray::Opens(address),
                    Err(why) => ToTray::Fails(why),
                };
                tell(&mut input, &told).await?;
            }
            Ok(Wish::Pause(seconds)) => floor.pause(seconds),
            Ok(Wish::Quit) => return Ok(()),
            Ok(Wish::Over(why)) => return Err(why),
            Err(error) => return Err(format!("it is not understood: {error}")),
        }
    }
}

async fn tell(input: &mut ChildStdin, told: &ToTray) -> Result<(), String> {
    let mut line = serde_json::to_vec(told).map_err(|error| error.to_string())?;
    line.push(b'\n');
    let written = tokio::time::timeout(PATIENCE, input.write_all(&line)).await;
    match written {
        // Why it ended, it has said.
        Ok(Ok(()) | Err(_)) => Ok(()),
        Err(_) => Err("it does not listen".to_owned()),
    }
}

/// Returns what is shown of the questions. Any program of the desktop may ask for it, so lines are masked as records are.
fn shows(standing: &Standing) -> Shows {
    let open = || standing.entries.iter().map(|(_, entry)| entry).filter(|entry| entry.is_open());
    let passed = standing.at.map_or(0, |at| at.elapsed().as_secs());
    let paused = standing.paused.and_then(|paused| paused.after(passed));
    Shows {
        questions: open().take(MOST).map(row).collect(),
        open: open().count(),
        // Whole minutes, so that it is not told anew each second.
        paused: paused.map(|paused| paused.left.div_ceil(60) * 60),
    }
}

fn row(entry: &Entry) -> (String, String) {
    // An agent is called the same in each language, and what has no name is a program.
    let who = words::who(&entry.question, Language::English);
    let text = Line::new(format!("{who}: {}", entry.question.line).as_ref()).text;
    (entry.id.clone(), head(&text, LONGEST).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_named_before_the_code_and_as_a_field() {
        let address = "http://x.localhost:1/enter#c0de";
        assert_eq!(at(address, None), address);
        assert_eq!(at(address, Some("abcde")), "http://x.localhost:1/enter?at=abcde#c0de");
        assert_eq!(at(address, Some("a#&b")), "http://x.localhost:1/enter?at=a%23%26b#c0de");
    }
}
