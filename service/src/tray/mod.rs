//! The icon in the desktop's tray: that questions wait, the way to the page, a pause. It answers nothing.
//!
//! It is a process of its own, since anybody may speak on the session bus, and say anything: the page starts it, tells it what to show
//! ([`ToTray`]), and hears what the person wants ([`Wish`]). It parts from who started it, so that the browser that it opens is nobody's
//! child but the system's. See the StatusNotifierItem specification; its menu is `com.canonical.dbusmenu`.

mod bus;
mod face;
mod icon;
mod item;
mod menu;
mod sender;

use std::io::{self, BufRead, BufReader, Write};

use guarded_sh::language::Language;
use guarded_sh::observe::Environment;
use guarded_sh::pipeline;
use guarded_sh::sys::process::{Forked, fork};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{self, UnboundedReceiver};

use bus::Bus;
use face::{Does, Face};

/// What the page tells the icon, a line each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToTray {
    /// What is to be shown.
    Shows(Shows),
    /// Where the page is, with a code that counts once.
    Opens(String),
    /// Why the page cannot be opened.
    Fails(String),
}

/// What is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shows {
    /// Questions that are open, oldest first, with what is said of each: not all, where there are many.
    pub questions: Vec<(String, String)>,
    /// How many are open.
    pub open: usize,
    /// For how many seconds a pause still lasts.
    pub paused: Option<u64>,
}

/// What the person wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wish {
    /// The page, at a question where one is named.
    Open(Option<String>),
    /// To be told of no question for so many seconds; with none, as before.
    Pause(u64),
    /// No icon any more.
    Quit,
    /// Nothing: there is no icon, for this reason.
    Over(String),
}

/// Shows the icon until standard input ends. To be called while there is one thread.
pub fn run() -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot begin: {error}");
    if matches!(fork().map_err(|error| failed(&error))?, Forked::Parent(_)) {
        return Ok(());
    }
    nix::unistd::setsid().map_err(|error| failed(&error))?;
    let language = pipeline::language(&Environment::read());
    let runtime = crate::runtime()?;
    let shown = runtime.block_on(shown(language));
    // Standard input may still be read.
    runtime.shutdown_background();
    if let Err(why) = shown {
        say(&Wish::Over(why));
    }
    Ok(())
}

async fn shown(language: Language) -> Result<(), String> {
    let mut told = told();
    let mut bus = Bus::connect(Face::new(language)).await?;
    loop {
        let does = tokio::select! {
            told = told.recv() => {
                match told {
                    None => return Ok(()),
                    Some(ToTray::Shows(shows)) => bus.show(|face| face.show(&shows)).await?,
                    Some(ToTray::Fails(why)) => bus.show(|face| face.fail(&why)).await?,
                    Some(ToTray::Opens(address)) => {
                        if let Err(error) = crate::desktop::open(&address) {
                            bus.show(|face| face.fail(&format!("xdg-open: {error}"))).await?;
                        }
                    }
                }
                continue;
            }
            does = bus.pressed() => does?,
        };
        match does {
            Does::Nothing => {}
            Does::Open(question) => say(&Wish::Open(question)),
            Does::Pause(seconds) => say(&Wish::Pause(seconds)),
            Does::Quit => {
                say(&Wish::Quit);
                return Ok(());
            }
        }
    }
}

/// Says what the person wants.
fn say(wish: &Wish) {
    let mut line = serde_json::to_vec(wish).unwrap_or_default();
    line.push(b'\n');
    // Where nobody hears it any more, standard input ends too.
    let _ = io::stdout().write_all(&line).and_then(|()| io::stdout().flush());
}

/// Returns what is told on standard input, until that ends.
fn told() -> UnboundedReceiver<ToTray> {
    let (give, told) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in BufReader::new(io::stdin()).lines().map_while(Result::ok) {
            let given = serde_json::from_str(&line).map(|told| give.send(told));
            if !matches!(given, Ok(Ok(()))) {
                return;
            }
        }
    });
    told
}
