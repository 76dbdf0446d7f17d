//! `mcp`: the bridge for clients elsewhere, and who they are. The service beside this program does all of it.

use std::os::unix::process::CommandExt;

use clap::{Args, Subcommand};

use super::desk;
use super::failure::Failure;
use super::judge::service;
use super::page::ready;
use crate::config::{McpSettings, variables};
use crate::observe::Environment;

/// What `mcp` takes.
#[derive(Args)]
pub(super) struct Arguments {
    /// The port; 0 is any that is free. Without it, `mcp.port` of the settings
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    #[command(subcommand)]
    action: Option<Action>,
}

/// What of `mcp`.
#[derive(Subcommand)]
enum Action {
    /// Makes, lists and revokes clients: who may ask, and what each may use
    #[command(subcommand, disable_help_subcommand = true)]
    Clients(Clients),
}

/// What of clients. The service reads the same words.
#[derive(Clone, Debug, Subcommand)]
pub enum Clients {
    /// Makes a client, and prints its token: this once, since only its digest is kept
    ///
    /// What the client asks for is asked about as the settings say (`mcp.approval`), and runs with your own credentials: it reaches nothing but what is mapped.
    ///
    /// Exit status: 0; 1 there is one of this name, or it cannot be written; 126 an agent cannot do this; 2 usage.
    Add {
        /// What it is called: letters, digits, `-`, `_` and `.`
        name: String,
        /// A directory that it may use, as it is called there and here: `/workspace=~/src/app`
        #[arg(long, value_name = "THERE=HERE")]
        mount: Vec<String>,
        /// Only what would be asked about of an agent's line is asked about
        #[arg(long, conflicts_with = "always")]
        by_risk: bool,
        /// Everything is asked about
        #[arg(long)]
        always: bool,
        /// A variable of yours that its commands are given, of those in `mcp.pass`: `GH_TOKEN`
        #[arg(long, value_name = "NAME")]
        pass: Vec<String>,
        /// A variable that it may set
        #[arg(long, value_name = "NAME")]
        set: Vec<String>,
        /// It ends after so many days
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=3650))]
        days: Option<u16>,
    },
    /// Lists clients: what each may use, when it was made and when it ends
    List,
    /// Revokes a client: at once, and it is not heard any more
    ///
    /// Exit status: 0; 1 there is none of this name; 126 an agent cannot do this; 2 usage.
    Revoke {
        /// What it is called
        name: String,
    },
}

/// Becomes the service that serves the bridge, or keeps its clients.
pub(super) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let what = match &arguments.action {
        None => "open the bridge",
        Some(Action::Clients(_)) => "see to the clients of the bridge",
    };
    desk::person(what)?;
    let mut command = service()?;
    match &arguments.action {
        None => {
            command.args(["mcp", "--http"]);
            if let Some(port) = arguments.port {
                command.arg("--port").arg(port.to_string());
            }
        }
        Some(Action::Clients(action)) => {
            command.arg("clients").args(words(action));
        }
    }
    Err(Failure::new(format!("guarded-shd: {}", command.exec())))
}

/// Returns the words that the service is called by.
fn words(action: &Clients) -> Vec<String> {
    match action {
        Clients::Add { name, mount, by_risk, always, pass, set, days } => {
            let each = |option: &str, values: &[String]| -> Vec<String> {
                values.iter().map(|value| format!("--{option}={value}")).collect()
            };
            let flag = |name: &str, is_given: bool| is_given.then(|| name.to_owned());
            let mut words = vec!["add".to_owned()];
            words.extend(each("mount", mount));
            words.extend(each("pass", pass));
            words.extend(each("set", set));
            words.extend(flag("--by-risk", *by_risk));
            words.extend(flag("--always", *always));
            words.extend(days.map(|days| format!("--days={days}")));
            words.extend(["--".to_owned(), name.clone()]);
            words
        }
        Clients::List => vec!["list".to_owned()],
        Clients::Revoke { name } => ["revoke", "--", name].map(str::to_owned).to_vec(),
    }
}

/// Starts the bridge of the service, which ends with it. Unlike the page, it is nobody who answers.
pub(super) fn of_service(environment: &Environment, settings: &McpSettings) -> Result<(), Failure> {
    let mut command = service()?;
    command.args(["mcp", "--http", "--served"]).env_clear();
    let names = variables(&settings.pass.value);
    command.envs(names.filter_map(|name| Some((name, environment.get(name)?))));
    ready(command, "the bridge").map(drop)
}
