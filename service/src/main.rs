//! What guarded-sh says to networks and browsers: the second opinion of a language model about a line that rules leave open, the way of contained lines
//! to the hosts that their plans name, and the page with its index of the record.
//!
//! For an opinion it is started by the guard, with nothing of an agent's environment. It reads no settings then: whom to ask stands in the request,
//! which the guard makes of the machine's and the user's own files. Page and index are for a person who starts them.

mod addressed;
mod answer;
mod attach;
mod chain;
mod child;
mod command;
mod desktop;
mod index;
mod issued;
mod listener;
mod mcp;
mod memory;
mod page;
mod prompt;
mod provider;
mod proxy;
mod record;
mod serve;
mod state;
mod transcripts;
mod tray;
mod wishes;

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use command::Group;
use guarded_sh::judge::{Request, Template};
use guarded_sh::model::Heard;
use memory::Memory;
use nix::sys::prctl::set_dumpable;
use page::{Browser, Served, Starter};
use state::State;
use tokio::runtime::{Builder, Runtime};

/// Bytes of a request.
const LONGEST: u64 = 1 << 20;

#[derive(Parser)]
#[command(
    name = "guarded-shd",
    version,
    about = "What guarded-sh says to networks and browsers: the second opinion of a language model, what contained lines ask hosts for, the page",
    after_help = "Exit status: 0; 1 it could not be done, what was given is no request, or a template is wrong; 2 usage."
)]
struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Asks about a line: a request, JSON, on standard input; prints what was heard, JSON
    Opinion,
    /// Asks about what is handed over on standard input: what the host of a session starts
    Serve,
    /// Reaches the hosts that a contained line's plan names, for this line: what the guard starts
    Proxy,
    /// Serves the page to this machine's browsers: what `guarded-sh page` starts. Its address is printed, and another one each time Enter is pressed
    Page {
        /// The port; 0 is any that is free. Without it, `page.port` of the settings
        #[arg(long, value_name = "N")]
        port: Option<u16>,
        /// Does not open a browser
        #[arg(long)]
        no_open: bool,
        /// It is the user's host that starts it, and with it the page ends
        #[arg(long, hide = true)]
        served: bool,
        /// With an icon in the desktop's tray
        #[arg(long, hide = true, requires = "served")]
        tray: bool,
        /// Opened only once the icon is pressed
        #[arg(long, hide = true, requires = "tray")]
        closed: bool,
    },
    /// Shows the icon in the desktop's tray: what the page starts
    #[command(hide = true)]
    Tray,
    /// Makes, lists and revokes tokens, with which programs ask the page: what `guarded-sh page tokens` starts
    Tokens(page::tokens::Arguments),
    /// Lists and removes passkeys, which a yes to what is severe takes: what `guarded-sh page passkeys` starts
    Passkeys(page::keyring::Arguments),
    /// Serves the bridge, over which clients elsewhere ask for commands to be run here: over standard streams, or over HTTP, which `guarded-sh mcp` starts
    Mcp {
        /// Over HTTP, on this machine's loopback, a socket, and where the settings say
        #[arg(long)]
        http: bool,
        /// The port; 0 is any that is free. Without it, `mcp.port` of the settings
        #[arg(long, value_name = "N", requires = "http")]
        port: Option<u16>,
        /// It is the user's host that starts it, and with it the bridge ends
        #[arg(long, hide = true, requires = "http")]
        served: bool,
    },
    /// Makes, lists and revokes clients of the bridge: what `guarded-sh mcp clients` starts
    Clients(mcp::ClientsArguments),
    /// Prints what would be sent for a request, and to whom; sends nothing
    Preview,
    /// Checks the owner's templates
    Prompts {
        /// Where they are
        directory: PathBuf,
    },
    /// Brings the index of the record up to date, by which pages and `search` find calls
    ///
    /// The index is made of the record, beside it, and can be deleted at any time: it is made anew then.
    ///
    /// Exit status: 0; 1 the record does not verify, as far as it was read, or the index cannot be written.
    Index(index::Arguments),
    /// Prints calls of the record, newest first, one JSON object a line: those whose lines have a text, of a session, of an agent
    Search(index::SearchArguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // Keys are no other process's to read; where that cannot be, they are no less safe than in any program.
    let _ = set_dumpable(false);
    let done = match arguments.action {
        Action::Opinion => opinion(),
        Action::Serve => return ended(serve::run()),
        Action::Proxy => return ended(proxy::run()),
        Action::Page { port, no_open, served, tray, closed } => {
            let browser = if no_open || served { Browser::Stays } else { Browser::Opens };
            let starter = if served { Starter::Host } else { Starter::Person };
            let served = match (tray, closed) {
                (false, _) => Served::Page,
                (true, false) => Served::PageAndTray,
                (true, true) => Served::Tray,
            };
            return ended(page::run(port, browser, starter, served));
        }
        Action::Tray => return ended(tray::run()),
        Action::Mcp { http: false, .. } => return ended(mcp::over_stdio()),
        Action::Mcp { port, served, .. } => return ended(mcp::run(port, served)),
        Action::Clients(arguments) => return ended(mcp::clients(&arguments)),
        Action::Tokens(arguments) => return ended(page::tokens::run(&arguments)),
        Action::Passkeys(arguments) => return ended(page::keyring::run(&arguments)),
        Action::Preview => preview(),
        Action::Prompts { directory } => prompts(&directory),
        Action::Index(arguments) => return ended(index::run(&arguments)),
        Action::Search(arguments) => return ended(index::search(&arguments)),
    };
    ended(done.and_then(|text| written(&text)))
}

fn ended(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "guarded-shd: {why}");
            ExitCode::FAILURE
        }
    }
}

/// Writes a text to standard output. Nothing is left to do if nobody reads it.
fn written(text: &str) -> Result<(), String> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write the output: {error}"))
        }
        _ => Ok(()),
    }
}

fn opinion() -> Result<String, String> {
    serde_json::to_string(&heard(request()?)).map_err(|error| error.to_string())
}

fn heard(request: Request) -> Heard {
    let runtime = match runtime() {
        Ok(runtime) => runtime,
        Err(why) => return Heard::unavailable(why),
    };
    let heard = match Memory::new(Group::Ours) {
        Ok(memory) => runtime.block_on(chain::heard(request, &memory)),
        Err(error) => Heard::unavailable(error.to_string()),
    };
    // A name that is still being looked up is not waited for.
    runtime.shutdown_background();
    heard
}

fn runtime() -> Result<Runtime, String> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| format!("cannot begin: {error}"))
}

fn preview() -> Result<String, String> {
    let mut request = request()?;
    let runtime = runtime()?;
    runtime.block_on(attach::attach(&mut request.case));
    let prompt = match chain::prompt(&request) {
        Ok((_, prompt)) => prompt,
        Err(Heard::Unavailable { why }) => return Ok(format!("nothing would be sent: {why}")),
        Err(_) => return Ok(String::new()),
    };
    let memory = Memory::new(Group::Ours).map_err(|error| error.to_string())?;
    let state = request.state.as_deref().and_then(|directory| State::open(directory).ok());
    let sent = request.providers.iter().map(|provider| {
        let found = match runtime.block_on(provider::found(&memory, provider)) {
            Ok(found) => found,
            Err(error) => return Ok(format!("to {}: nothing: {error}", provider.name)),
        };
        let refused = state.as_ref().map(|state| state.refused(&found.full_name()));
        if let Some(wire) = provider::wire(&found, &prompt, &refused.unwrap_or_default()) {
            return Ok(format!("to {}: POST {}\n{}", provider.name, wire.url, wire.body));
        }
        let words = command::called(provider, prompt.form).map_err(|error| error.to_string())?;
        let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        Ok(format!("to {}: on the standard input of\n{}", provider.name, words.join(" ")))
    });
    let mut parts = sent.collect::<Result<Vec<String>, String>>()?;
    if parts.is_empty() {
        parts.push("nothing would be sent: no provider is configured".to_owned());
    }
    parts.push(format!("what a model would read:\n\n{}", prompt.text.trim_end()));
    Ok(parts.join("\n\n"))
}

fn prompts(directory: &Path) -> Result<String, String> {
    let mut lines = Vec::new();
    for which in Template::ALL {
        let name = which.name();
        let template =
            prompt::template(which, Some(directory)).map_err(|error| error.to_string())?;
        prompt::check(&template).map_err(|error| format!("{name}.txt: {error}"))?;
        let whose = if template.is_owners { "the owner's" } else { "built in" };
        lines.push(format!("{name}.txt: {whose}, and it can be used"));
    }
    Ok(lines.join("\n"))
}

fn request() -> Result<Request, String> {
    let mut text = Vec::new();
    let read = std::io::stdin().lock().take(LONGEST + 1).read_to_end(&mut text);
    read.map_err(|error| format!("cannot read standard input: {error}"))?;
    if text.len() as u64 > LONGEST {
        return Err("what is on standard input is longer than a request".to_owned());
    }
    serde_json::from_slice(&text)
        .map_err(|error| format!("what is on standard input is no request: {error}"))
}
