//! What a client asks to be run, made into a line that the guard is started for: where it runs, with what, and for how long. Believes nothing: what the
//! client may is its owner's word.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use guarded_sh::audit::{Line, Store, sha256};
use guarded_sh::config::is_variable;
use guarded_sh::ipc::ClientLine;
use guarded_sh::model;
use guarded_sh::sys::descriptor::sealed;
use serde::Deserialize;

use super::Bridge;
use super::clients::Client;
use super::launch::{self, Start};
use super::mounts;
use super::record::Recorder;

/// Bytes of a line, of a purpose, of standard input, and of each variable at most.
const LINE: usize = 64 << 10;
const PURPOSE: usize = 2 << 10;
const INPUT: usize = 1 << 20;
const VALUE: usize = 8 << 10;
/// Variables at most.
const VARIABLES: usize = 64;
/// Seconds that a line may run, where nothing is said, and at most.
const LIMIT: u64 = 600;
const LONGEST: u64 = 24 * 60 * 60;

/// What `execute_command` takes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    pub command: String,
    #[serde(default)]
    pub purpose: Option<String>,
    #[serde(default)]
    pub cwd: Option<String>,
    #[serde(default)]
    pub timeout: Option<u64>,
    #[serde(default)]
    pub stdin: Option<String>,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    #[serde(default)]
    pub key: Option<String>,
}

/// A line that can be started.
pub struct Call {
    pub line: ClientLine,
    pub directory: File,
    pub cwd: PathBuf,
    pub environment: BTreeMap<String, String>,
    pub input: Option<String>,
    pub limit: Duration,
}

impl Asked {
    /// Returns what is the same where the same is asked for.
    pub fn fingerprint(&self) -> String {
        sha256(format!("{self:?}").as_bytes())
    }

    /// Makes a line of it, as far as its client may.
    pub fn call(
        self,
        bridge: &Bridge,
        client: &Client,
        says: Option<String>,
    ) -> Result<Call, String> {
        let Self { command, purpose, cwd, timeout, stdin, environment: set, key: _ } = self;
        if command.trim().is_empty() {
            return Err("there is no command".to_owned());
        }
        let long = |what: &str, text: &str, most: usize| {
            let why = || format!("{what} has {} bytes, and {most} are the most", text.len());
            if text.len() > most { Err(why()) } else { Ok(()) }
        };
        long("the command", &command, LINE)?;
        long("the purpose", purpose.as_deref().unwrap_or_default(), PURPOSE)?;
        long("standard input", stdin.as_deref().unwrap_or_default(), INPUT)?;
        if command.contains('\0') {
            return Err("a command has no NUL in it".to_owned());
        }
        allowed(client, &set)?;
        let found = mounts::directory(&client.mounts, cwd.as_deref());
        let found = found.map_err(|error| error.to_string())?;
        let roots: Vec<String> = client
            .mounts
            .iter()
            .filter_map(|mount| mount.here.to_str().map(str::to_owned))
            .collect();
        let mapped = mounts::mapped(&client.mounts, &command);
        let written = mapped.is_some().then(|| command.clone());
        let mut environment = launch::environment(&client.pass);
        environment.extend(set.clone());
        let line = ClientLine {
            line: mapped.unwrap_or(command),
            client: model::Client {
                name: client.name.clone(),
                job: String::new(),
                says,
                purpose,
                set: set.into_iter().collect(),
                written,
            },
            consent: client.approval.unwrap_or(bridge.approval),
            roots,
            terminal: None,
            closed: [false; 3],
            judges_only: false,
        };
        let limit = Duration::from_secs(timeout.unwrap_or(LIMIT).clamp(1, LONGEST));
        let (directory, cwd) = (found.file, found.here);
        Ok(Call { line, directory, cwd, environment, input: stdin, limit })
    }
}

/// Holds that a client may set these variables.
pub fn allowed(client: &Client, set: &BTreeMap<String, String>) -> Result<(), String> {
    if set.len() > VARIABLES {
        return Err(format!("{} variables are set, and {VARIABLES} are the most", set.len()));
    }
    for (name, value) in set {
        if !client.set.contains(name) || !is_variable(name) {
            let name: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
            return Err(format!("this client may not set '{name}'"));
        }
        if value.len() > VALUE || value.contains('\0') {
            return Err(format!("the value of {name} is too long, or has a NUL in it"));
        }
    }
    Ok(())
}

impl Call {
    /// Returns what it is started with.
    pub fn start(self, output: OwnedFd, errors: OwnedFd) -> Result<Start, String> {
        let Self { line, directory, environment, input, .. } = self;
        let text = |error: std::io::Error| format!("no standard input can be made: {error}");
        let input: OwnedFd = match input {
            Some(input) => {
                sealed(c"stdin", input.as_bytes()).map_err(|errno| text(errno.into()))?.into()
            }
            None => File::open("/dev/null").map_err(text)?.into(),
        };
        Ok(Start { line, directory, input, output, errors, environment })
    }

    /// Returns who records how it ends.
    pub fn recorder(&self, store: &Store) -> Recorder {
        Recorder {
            store: store.clone(),
            client: self.line.client.clone(),
            line: Line::new(self.line.line.as_ref()),
            cwd: Some(self.cwd.to_string_lossy().into_owned()),
        }
    }
}
