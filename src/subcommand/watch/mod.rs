//! `watch`: the questions of all hosts of this user on a terminal of their own, and their answers. With an id, one question alone.
//!
//! What is shown and what keys do is `list`, how it looks `draw`; here is the loop between the terminal and the hosts.

mod draw;
mod list;
mod screen;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::answer::absent;
use super::desk;
use super::failure::Failure;
use super::output::say;
use super::serve::OnDemand;
use crate::approval::page::Look;
use crate::approval::{visible, words};
use crate::host::desks::{Desks, Heard};
use crate::ipc::{Entry, State};
use crate::language::Language;
use crate::model::Answer;
use crate::observe;
use crate::pipeline::{self, socket_directories};
use draw::Around;

use list::{Doing, End, List};
use screen::{Screen, Seen};

/// How often is looked for hosts that came. Ages are counted on then, too.
const LOOK: Duration = Duration::from_secs(1);
/// For how long a question is looked for that is to be shown at once.
const FIND: Duration = Duration::from_secs(3);
/// Status where there is no such question, or it was left open.
const NOTHING: u8 = 1;

/// Shows all questions, or the one of this id until it is answered or left.
pub(super) fn run(id: Option<&str>) -> Result<u8, Failure> {
    let environment = desk::person("answer")?;
    let terminal = observe::person(&environment)
        .map_err(|why| Failure::refused(format!("it is watched at a terminal, and {why}")))?;
    let look = Look::of(environment.get("TERM"), environment.get("NO_COLOR"))
        .ok_or_else(|| Failure::new("this terminal cannot be drawn on (TERM)"))?;
    let home = observe::facts(&environment).home;
    // One question alone is some host's already.
    let _service = id.is_none().then(|| OnDemand::start(&environment)).flatten();
    let mut hosts = Desks::new(socket_directories(&environment));
    let language = pipeline::language(&environment);
    let mut list = List::new(look, home, language, Instant::now());
    if let Some(id) = id {
        find(id, &mut hosts, &mut list)?;
    }
    let failed = |error: std::io::Error| Failure::new(format!("cannot use the terminal: {error}"));
    let screen = Screen::take(terminal).map_err(failed)?;
    let end = turns(screen, &mut hosts, &mut list).map_err(failed)?;
    match (end, id) {
        (End::Left, None) => Ok(0),
        (End::Left, Some(_)) => Ok(NOTHING),
        (End::Answered(entry), _) => {
            if let State::Answered { answer } = &entry.state {
                let line = &entry.question.line;
                say(&format!(
                    "{}\n",
                    visible(&format!("{}: {line}", words::answered(answer, language)))
                ))?;
            }
            Ok(0)
        }
        (End::Gone, _) => Err(absent(id.unwrap_or_default(), language)),
    }
}

/// Shows a question that no host asks, for practice. Returns what was answered; none if it was left.
pub(super) fn practise(
    terminal: std::fs::File,
    look: Look,
    home: Option<String>,
    language: Language,
    entry: &Entry,
) -> std::io::Result<Option<Answer>> {
    let mut screen = Screen::take(terminal)?;
    let mut list = List::new(look, home, language, Instant::now());
    let _ = list.stand(vec![(PathBuf::new(), entry.clone())], Instant::now());
    if list.only(&entry.id).is_none() {
        return Ok(None);
    }
    let mut doing = Some(Doing::Redraw);
    loop {
        match doing.take() {
            Some(Doing::Answer(_, _, answer)) => return Ok(Some(answer)),
            Some(Doing::Quit(_)) => return Ok(None),
            Some(Doing::Redraw | Doing::Denying(..) | Doing::Try(..)) | None => {}
        }
        let around = Around { hosts: 0, trouble: None, paused: None };
        screen.draw(|frame| draw::draw(frame, &mut list, &around))?;
        let ready = {
            let mut polled: Vec<PollFd<'_>> =
                screen.fds().map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
            let next = [screen.deadline(), list.deadline()].into_iter().flatten().min();
            wait(&mut polled, next)?
        };
        if ready[1] {
            screen.look()?;
        }
        let now = Instant::now();
        // Before any key is taken: it may answer what was not to be seen.
        if screen.seen() == Seen::Others {
            list.disturbed(now);
        }
        doing = list.tick(now);
        if ready[0] && !matches!(doing, Some(Doing::Answer(..) | Doing::Quit(_))) {
            let Some(bytes) = screen.read()? else { return Ok(None) };
            doing = list.feed(&bytes, now).or(doing);
        }
    }
}

/// Waits until a question is there, at most until all hosts have said what they have.
fn find(id: &str, hosts: &mut Desks, list: &mut List) -> Result<(), Failure> {
    let end = Instant::now() + FIND;
    hosts.look(Instant::now());
    loop {
        let now = Instant::now();
        let _ = list.stand(hosts.entries(now), now);
        if list.only(id).is_some() {
            return Ok(());
        }
        if hosts.all_heard() || end <= now {
            return match hosts.trouble() {
                Some(why) => Err(Failure::new(why)),
                None => Err(absent(id, list.language)),
            };
        }
        let mut polled: Vec<PollFd<'_>> =
            hosts.fds().map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
        let ready = wait(&mut polled, Some(end))?;
        hosts.hear(&ready, Instant::now());
    }
}

/// Draws, waits and does what comes of it, until there is an end.
fn turns(mut screen: Screen, hosts: &mut Desks, list: &mut List) -> std::io::Result<End> {
    let mut looked = Instant::now();
    let mut doing = Some(Doing::Redraw);
    hosts.look(looked);
    loop {
        while let Some(done) = doing.take() {
            match done {
                Doing::Redraw => {}
                Doing::Quit(end) => return Ok(end),
                Doing::Denying(host, id) => hosts.denying(&host, id),
                Doing::Try(host, id) => hosts.begin_trial(&host, id),
                Doing::Answer(host, id, answer) => {
                    if let Err(why) = hosts.answer(&host, &id, answer, None) {
                        doing = Some(list.taken(&host, Err(why), Instant::now()));
                    }
                }
            }
        }
        let paused = hosts.paused(Instant::now());
        let around = Around { hosts: hosts.count(), trouble: hosts.trouble(), paused };
        screen.draw(|frame| draw::draw(frame, list, &around))?;
        let next = [Some(looked + LOOK), screen.deadline(), list.deadline()];
        let next = next.into_iter().flatten().min();
        let (own, ready) = {
            let mut polled: Vec<PollFd<'_>> =
                screen.fds().map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
            let own = polled.len();
            polled.extend(hosts.fds().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
            (own, wait(&mut polled, next)?)
        };
        let now = Instant::now();
        // The hosts first: what was answered elsewhere takes no answer here.
        for (host, heard) in hosts.hear(&ready[own..], now) {
            let done = match heard {
                Heard::Changed => continue,
                Heard::Taken => list.taken(&host, Ok(()), now),
                Heard::NotTaken(why) => list.taken(&host, Err(why), now),
                Heard::Gone => {
                    list.taken(&host, Err(list.language.say("watch-host-ended").into_owned()), now)
                }
            };
            if let Doing::Quit(end) = done {
                return Ok(end);
            }
        }
        if looked + LOOK <= now {
            hosts.look(now);
            looked = now;
        }
        if let Doing::Quit(end) = list.stand(hosts.entries(now), now) {
            return Ok(end);
        }
        if ready[1] {
            screen.look()?;
        }
        // Before any key is taken: it may answer what was not to be seen.
        if screen.seen() == Seen::Others {
            list.disturbed(now);
        }
        doing = list.tick(now);
        if ready[0] && !matches!(doing, Some(Doing::Answer(..) | Doing::Quit(_))) {
            let Some(bytes) = screen.read()? else { return Ok(End::Left) };
            doing = list.feed(&bytes, now).or(doing);
        }
    }
}

/// Waits until something is ready, or a point in time; returns what is.
fn wait(polled: &mut [PollFd<'_>], until: Option<Instant>) -> std::io::Result<Vec<bool>> {
    let left = until.map(|until| until.saturating_duration_since(Instant::now()));
    // A millisecond more: it wakes when the time is over.
    let timeout = left.map_or(PollTimeout::NONE, |left| {
        PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX)
    });
    match poll(polled, timeout) {
        Ok(_) => {}
        Err(Errno::EINTR) => return Ok(vec![false; polled.len()]),
        Err(errno) => return Err(errno.into()),
    }
    let is_ready = |fd: &PollFd<'_>| fd.revents().is_some_and(|seen| !seen.is_empty());
    Ok(polled.iter().map(is_ready).collect())
}
