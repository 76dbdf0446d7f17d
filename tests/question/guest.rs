//! The guest: it asks while a file is there, says by other files what it was told, and takes its page away when it is answered.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use guarded_sh::host::relay::{self, Call, Ending, Guest, Page, Place, Purpose, Room, Typed};
use nix::poll::{PollFd, PollFlags};

/// Asks as long as `ask` is in its directory.
struct Asking {
    directory: PathBuf,
    looked: Instant,
    asked: bool,
}

impl Asking {
    fn note(&self, file: &str, text: &str) {
        let path = self.directory.join(file);
        let mut file = fs::File::options().create(true).append(true).open(path).unwrap();
        writeln!(file, "{text}").unwrap();
    }
}

impl Guest for Asking {
    fn environment(&self) -> Vec<(OsString, OsString)> {
        vec![("GUARDED_SH_SOCKET".into(), self.directory.join("socket").into())]
    }

    fn wait_for<'a>(&'a self, _: &mut Vec<PollFd<'a>>) {}

    fn wake_at(&self) -> Option<Instant> {
        Some(self.looked + Duration::from_millis(20))
    }

    fn turn(&mut self, _: &[PollFlags]) {
        self.looked = Instant::now();
        self.asked = self.directory.join("ask").exists();
    }

    fn page(&mut self, room: Room) -> Option<Page> {
        if !self.asked {
            return None;
        }
        let Room::Screen { rows, columns } = room else {
            self.note("told", &format!("{room:?}"));
            fs::remove_file(self.directory.join("ask")).unwrap();
            self.asked = false;
            return None;
        };
        Some(Page {
            purpose: Purpose::Ask,
            rows: vec![
                format!("\x1b[7m{}\x1b[0m", "-".repeat(columns.into())).into_bytes(),
                b"\x1b[1;31mMay it?\x1b[0m \x1b[2J\x1b]2;title\x07\x1b[10A\x07\x1b[?1049l\r\n\x0e"
                    .to_vec(),
                format!("{columns}x{rows} y or n").into_bytes(),
            ],
            cursor: Some((2, 3)),
        })
    }

    fn typed(&mut self, input: Typed<'_>) {
        self.note("typed", &format!("{input:?}"));
        if matches!(input, Typed::Key(b"y" | b"n")) {
            fs::remove_file(self.directory.join("ask")).unwrap();
            self.asked = false;
        }
    }
}

/// Runs words in a session, whose guest has the directory that stands before them.
pub fn run(words: &[OsString]) -> u8 {
    let (directory, agent) = words.split_first().unwrap();
    let directory = PathBuf::from(directory);
    let place = Place::make(&directory, "asked", &std::env::current_exe().unwrap(), &[]).unwrap();
    let call = Call {
        words: agent.to_vec(),
        environment: std::env::vars_os().collect(),
        session: "asked".to_owned(),
        profile: None,
        guard: None,
        judge: None,
        unwatched: None,
        place: &place,
        shells: Vec::new(),
    };
    let ended = relay::run(&call, || {
        Ok(Asking { directory: directory.clone(), looked: Instant::now(), asked: false })
    });
    place.remove();
    match ended {
        Ok(Ending::Exited(status)) => status,
        Ok(Ending::Killed(_)) => 255,
        Err(error) => {
            eprintln!("{error}");
            254
        }
    }
}
