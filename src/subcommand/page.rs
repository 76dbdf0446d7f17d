//! `page`: what runs, what waits and why, in a browser, the tokens of programs that ask for the same, and the passkeys that a yes takes. The service beside this program does all of it.

use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use clap::{Args, Subcommand};

use super::desk;
use super::failure::Failure;
use super::judge::service;
use crate::observe::{self, Environment};

/// For how long the page of the service may take to start: questions wait for it.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the host starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Starts {
    /// The page.
    Page,
    /// The page, and an icon in the desktop's tray.
    PageAndTray,
    /// The icon, which opens the page once the person wants it.
    Tray,
}

impl Starts {
    /// Returns it by what the settings say of both; none where they want neither.
    pub(super) const fn of(page: bool, tray: bool) -> Option<Self> {
        match (page, tray) {
            (true, true) => Some(Self::PageAndTray),
            (true, false) => Some(Self::Page),
            (false, true) => Some(Self::Tray),
            (false, false) => None,
        }
    }

    const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Page => &[],
            Self::PageAndTray => &["--tray"],
            Self::Tray => &["--tray", "--closed"],
        }
    }
}

/// The variables that a page has which the service starts. Any other may say what else is loaded, or whom to ask on the way.
const KEPT: [&str; 7] =
    ["HOME", "PATH", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "LANG", "TZ"];

/// What an icon has besides: where the desktop is, what opens addresses there, and the person's language.
const OF_DESKTOP: [&str; 11] = [
    "DBUS_SESSION_BUS_ADDRESS",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_CURRENT_DESKTOP",
    "XDG_SESSION_TYPE",
    "XDG_DATA_DIRS",
    "XDG_CONFIG_DIRS",
    "BROWSER",
    "LC_ALL",
    "LC_MESSAGES",
];

/// What `page` takes.
#[derive(Args)]
pub(super) struct Arguments {
    /// The port; 0 is any that is free. Without it, `page.port` of the settings
    #[arg(long, value_name = "N")]
    pub(super) port: Option<u16>,
    /// Does not open a browser
    #[arg(long)]
    pub(super) no_open: bool,
    #[command(subcommand)]
    pub(super) action: Option<Action>,
}

/// What of `page`.
#[derive(Subcommand)]
pub(super) enum Action {
    /// Makes, lists and revokes tokens, with which programs ask the page
    #[command(subcommand, disable_help_subcommand = true)]
    Tokens(Tokens),
    /// Lists and removes passkeys, which a yes to what is severe takes
    #[command(subcommand, disable_help_subcommand = true)]
    Passkeys(Passkeys),
}

/// What of passkeys. The service reads the same words.
#[derive(Subcommand)]
pub enum Passkeys {
    /// Lists passkeys: for which address each is, when it was registered and last used
    List,
    /// Removes a passkey: at once, in a page that runs too
    ///
    /// One is registered on the page. Where the settings want passkeys and none is left for an address, no yes that takes one counts there.
    ///
    /// Exit status: 0; 1 there is none of this name; 126 an agent cannot do this; 2 usage.
    Remove {
        /// What `page passkeys list` calls it
        name: String,
    },
}

/// What of tokens. The service reads the same words.
#[derive(Subcommand)]
pub enum Tokens {
    /// Makes a token, and prints it: this once, since only its digest is kept
    ///
    /// It is sent as `Authorization: Bearer TOKEN`, by programs of yours on this machine; below an agent it counts for nothing.
    ///
    /// Exit status: 0; 1 there is one of this name, or it cannot be written; 126 an agent cannot do this; 2 usage.
    Add {
        /// What it is called: letters, digits, `-`, `_` and `.`
        name: String,
        /// It may read
        #[arg(long, required_unless_present_any = ["answer", "change"], conflicts_with_all = ["answer", "change"])]
        read: bool,
        /// It may read, and answer questions that are not critical
        #[arg(long, conflicts_with = "change")]
        answer: bool,
        /// It may read, and change settings, rules, prompts and agents: whoever has it can switch the guard off
        #[arg(long)]
        change: bool,
        /// It ends after so many days; one that changes things after 30, where nothing is said
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=3650))]
        days: Option<u16>,
    },
    /// Lists tokens: what each may do, when it was made and last used, when it ends
    List,
    /// Revokes a token: at once, and what is still told to it ends
    ///
    /// Exit status: 0; 1 there is none of this name; 126 an agent cannot do this; 2 usage.
    Revoke {
        /// What it is called
        name: String,
    },
}

/// Becomes the service that serves the page, or keeps its tokens.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let what = match &arguments.action {
        None => "open the page",
        Some(Action::Tokens(_)) => "see to the page's tokens",
        Some(Action::Passkeys(_)) => "see to the page's passkeys",
    };
    desk::person(what)?;
    let mut command = service()?;
    match &arguments.action {
        None => {
            command.arg("page");
            if let Some(port) = arguments.port {
                command.arg("--port").arg(port.to_string());
            }
            command.args(arguments.no_open.then_some("--no-open"));
        }
        Some(Action::Tokens(action)) => {
            command.arg("tokens").args(words(action));
        }
        Some(Action::Passkeys(action)) => {
            command.arg("passkeys");
            match action {
                Passkeys::List => command.arg("list"),
                Passkeys::Remove { name } => command.args(["remove", "--", name]),
            };
        }
    }
    Err(Failure::new(format!("guarded-shd: {}", command.exec())))
}

/// Returns the words that the service is called by.
fn words(action: &Tokens) -> Vec<String> {
    match action {
        Tokens::Add { name, answer, change, days, .. } => {
            let may = match (answer, change) {
                (_, true) => "--change",
                (true, false) => "--answer",
                (false, false) => "--read",
            };
            let days = days.map(|days| format!("--days={days}"));
            let words = ["add".to_owned(), may.to_owned()].into_iter().chain(days);
            words.chain(["--".to_owned(), name.clone()]).collect()
        }
        Tokens::List => vec!["list".to_owned()],
        Tokens::Revoke { name } => ["revoke", "--", name].map(str::to_owned).to_vec(),
    }
}

/// Starts the page of the service, which ends with it, and says that it is that: for as long as what is returned is kept.
pub(super) fn of_service(environment: &Environment, starts: Starts) -> Result<OwnedFd, Failure> {
    let mut command = service()?;
    command.args(["page", "--served"]).args(starts.words()).env_clear();
    let of_desktop = OF_DESKTOP.iter().filter(|_| starts != Starts::Page);
    let kept = KEPT.iter().chain(of_desktop);
    command.envs(kept.filter_map(|name| Some((name, environment.get(name)?))));
    Ok(observe::vouch_for_page(ready(command, "the page")?)?)
}

/// Starts what ends with this process, and waits until it says that it is there. Returns its id.
pub(super) fn ready(mut command: Command, what: &str) -> Result<u32, Failure> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    // It says so when nobody can look into it any more.
    let mut said = [0];
    let is_ready = child.stdout.take().is_some_and(|mut out| {
        let timeout = PollTimeout::try_from(PATIENCE).unwrap_or(PollTimeout::MAX);
        let ready = poll(&mut [PollFd::new(out.as_fd(), PollFlags::POLLIN)], timeout);
        ready.is_ok_and(|count| count > 0) && out.read_exact(&mut said).is_ok()
    });
    if !is_ready {
        // Where it has ended, it has said why.
        let _ = child.kill();
        return Err(Failure::new(format!("{what} did not start")));
    }
    Ok(child.id())
}
