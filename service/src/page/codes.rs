//! How a person at a terminal gets an address with a code in it, from a page that runs already: over a socket that nobody else can open, and only for
//! who could answer at the terminal itself. What listens there is believed only if it is the page that the user's own host started.

use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use guarded_sh::host;
use guarded_sh::ipc::place;
use guarded_sh::observe;
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};
use serde::{Deserialize, Serialize};
use tokio::net::UnixListener;

use super::spoken::Spoken;
use super::{Shared, seats};

/// For how long either side may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of what is asked for, and of what is given.
const LONGEST: u64 = 4_096;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    /// A code by which a browser comes in.
    Page,
    /// A code by which a passkey is registered.
    Passkey,
}

impl Wanted {
    /// Returns what a person means who types this.
    fn typed(line: &str) -> Self {
        if line.trim() == "passkey" { Self::Passkey } else { Self::Page }
    }
}

/// What is given: an address for each door.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Given {
    /// What was asked for.
    Addresses {
        /// For this machine's browsers.
        here: String,
        /// For those of other machines.
        elsewhere: Option<String>,
    },
    /// Why there is none.
    Refused(String),
}

/// All doors of the page.
#[derive(Clone)]
pub struct Doors {
    /// For this machine's browsers.
    pub here: Shared,
    /// For those of other machines.
    pub elsewhere: Option<Shared>,
}

impl Doors {
    /// Gives new addresses.
    pub fn give(&self, wanted: Wanted) -> Result<Given, String> {
        let address = |page: &Shared| match wanted {
            Wanted::Page => page.address(),
            Wanted::Passkey => page.passkey_address(),
        };
        let elsewhere = self.elsewhere.as_ref().map(address).transpose()?;
        Ok(Given::Addresses { here: address(&self.here)?, elsewhere })
    }
}

/// Returns the socket at which codes are asked for.
pub fn socket(directory: &Path) -> PathBuf {
    directory.join("page.codes")
}

/// Returns the socket by which a tunnel gets to the page.
pub fn way(directory: &Path) -> PathBuf {
    directory.join("page.way")
}

/// Gives codes to persons at terminals, one after the other.
pub async fn serve(listener: UnixListener, doors: Doors) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(stream) = stream.into_std() else { continue };
        let doors = doors.clone();
        // Whoever hangs up has nobody left to be told.
        let _ = tokio::task::spawn_blocking(move || answer(&stream, &doors)).await;
    }
}

fn answer(stream: &UnixStream, doors: &Doors) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new(stream.take(LONGEST)).read_line(&mut line)?;
    let wanted = serde_json::from_str(&line).map_err(io::Error::other)?;
    // Only now: so it was this one who asked.
    let given = host::is_person(stream).and_then(|()| doors.give(wanted));
    say(stream, &given.unwrap_or_else(Given::Refused))
}

fn say(mut stream: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(message)?;
    text.push(b'\n');
    stream.write_all(&text)
}

/// Asks the page that runs already for an address. None: there is none.
pub fn ask(directories: &[PathBuf], wanted: Wanted) -> Result<Option<Given>, String> {
    let uid = nix::unistd::geteuid().as_raw();
    for directory in directories {
        if place::check(directory, uid).is_err() {
            continue;
        }
        let Ok(stream) = UnixStream::connect(socket(directory)) else { continue };
        let failed = |why: &dyn std::fmt::Display| format!("cannot ask the page that runs: {why}");
        let peer = observe::Peer::of(&stream).map_err(|error| failed(&error))?;
        let peer = peer.ok_or_else(|| failed(&"it is of another user or container"))?;
        observe::is_page(peer.id()).map_err(|why| failed(&why))?;
        if peer.is_there() == Some(false) {
            return Err(failed(&"it ended"));
        }
        let asked = (|| {
            stream.set_read_timeout(Some(PATIENCE))?;
            say(&stream, &wanted)?;
            let mut line = String::new();
            BufReader::new((&stream).take(LONGEST)).read_line(&mut line)?;
            serde_json::from_str(&line).map_err(io::Error::other)
        })();
        return match asked.map_err(|error: io::Error| failed(&error))? {
            Given::Refused(why) => Err(format!("the page gives no code: {why}")),
            given @ Given::Addresses { .. } => Ok(Some(given)),
        };
    }
    Ok(None)
}

/// Gives other addresses each time somebody presses Enter, until nobody can.
pub fn attend(
    give: impl Fn(Wanted) -> Result<Given, String>,
    language: Spoken,
) -> Result<(), String> {
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let wanted = Wanted::typed(&line);
        print(wanted, &give(wanted)?, language)?;
    }
    Ok(())
}

/// Prints where the page is: to a person in words, to a program in a line for each address.
pub fn print(wanted: Wanted, given: &Given, language: Spoken) -> Result<(), String> {
    let Given::Addresses { here, elsewhere } = given else { return Ok(()) };
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() {
        for_person(wanted, here, elsewhere.as_deref(), language)
    } else {
        [Some(here), elsewhere.as_ref()]
            .into_iter()
            .flatten()
            .fold(String::new(), |text, line| text + line + "\n")
    };
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| format!("cannot say where the page is: {error}"))
}

fn for_person(wanted: Wanted, here: &str, elsewhere: Option<&str>, language: Spoken) -> String {
    let minutes = seats::CODE_LIFE.as_secs() / 60;
    let title = language.say(match wanted {
        Wanted::Page => "codes-page",
        Wanted::Passkey => "codes-passkey",
    });
    let beyond = elsewhere.map(|address| {
        let squares = squares(address).map(|squares| format!("{squares}\n\n"));
        let also = language.say("codes-elsewhere");
        format!("{also}\n\n  {address}\n\n{}", squares.unwrap_or_default())
    });
    let beyond = beyond.unwrap_or_default();
    let once = language.tell("codes-once", &[("minutes", minutes.into())]);
    format!("{title}\n\n  {here}\n\n{beyond}{once}\n")
}

/// Returns an address as a QR code of half blocks, dark on light whatever the terminal's colours are.
fn squares(address: &str) -> Option<String> {
    // On a screen nothing gets lost, and few squares are read from far.
    let code = QrCode::with_error_correction_level(address, EcLevel::L).ok()?;
    let drawn = code.render::<Dense1x2>().quiet_zone(true).build();
    let lines = drawn.lines().map(|line| format!("  \u{1b}[30;47m{line}\u{1b}[0m"));
    Some(lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_each_address_and_a_phone_its_squares() {
        let text = for_person(Wanted::Page, "http://a.localhost:1/enter#1", None, Spoken::ENGLISH);
        assert!(text.starts_with("The page is at\n\n  http://a.localhost:1/enter#1\n\n"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
        let german = Spoken(guarded_sh::language::Language::German);
        let text = for_person(Wanted::Passkey, "http://a", None, german);
        assert!(text.starts_with("Ein Passkey wird registriert unter\n\n  http://a\n\n"), "{text}");
        let text = for_person(
            Wanted::Page,
            "http://a",
            Some("https://b.example/enter#1"),
            Spoken::ENGLISH,
        );
        assert!(text.contains("from elsewhere at\n\n  https://b.example/enter#1\n\n"), "{text}");
        let squares: Vec<&str> = text.lines().filter(|line| line.contains("[30;47m")).collect();
        // Dark on light: a corner's frame is drawn, and around it nothing is.
        assert!(squares[0].trim_end_matches("\u{1b}[0m").ends_with("    "), "{}", squares[0]);
        assert!(squares[2].contains("m    █▀▀▀▀▀█ "), "{}", squares[2]);
    }

    #[test]
    fn what_is_typed_is_a_wish() {
        for (line, wanted) in
            [("", Wanted::Page), ("x", Wanted::Page), (" passkey \n", Wanted::Passkey)]
        {
            assert_eq!(Wanted::typed(line), wanted, "{line:?}");
        }
    }
}
