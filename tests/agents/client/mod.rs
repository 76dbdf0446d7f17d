//! The clients as `clients.toml` has them: which package, how started, how a command line is a call of their tool. Knows no row.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;

use crate::sheets;

/// One client. Words in braces in its texts are replaced; `clients.toml` says which.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// Its name, which is that of its file in `agents/`.
    pub name: String,
    /// The version of its packages.
    version: String,
    /// Its npm packages.
    packages: Vec<String>,
    /// Its program, below the directory in which the packages are installed.
    pub program: String,
    /// What it speaks to the model.
    pub dialect: String,
    /// The shell that the user database has for it; else `/bin/bash`.
    pub login: Option<String>,
    /// Variables that it is started with.
    pub environment: BTreeMap<String, String>,
    /// Files in its home before it is started.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Its words when it runs with no terminal.
    pub headless: Vec<String>,
    /// Its words when it runs in a terminal.
    #[serde(default)]
    pub terminal: Vec<String>,
    /// What its screen shows when a prompt can be typed.
    #[serde(default)]
    pub ready: String,
    /// How a command line is a call of its tool, by names.
    pub call: BTreeMap<String, Call>,
}

/// A call of a tool.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    pub tool: String,
    pub input: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sheet {
    client: Vec<Client>,
}

/// Returns all clients.
pub fn all() -> Vec<Client> {
    sheets::read::<Sheet>(&sheets::path("tests/agents/clients.toml")).client
}

/// Returns the client of a name, which is there.
pub fn named<'a>(clients: &'a [Client], name: &str) -> &'a Client {
    clients.iter().find(|client| client.name == name).unwrap_or_else(|| panic!("no client {name}"))
}

/// What words in braces stand for.
pub struct Words(pub Vec<(&'static str, String)>);

impl Words {
    /// Returns a text with its words replaced.
    pub fn fill(&self, text: &str) -> String {
        let filled = |text: String, (name, value): &(&str, String)| {
            text.replace(&format!("{{{name}}}"), value)
        };
        self.0.iter().fold(text.to_owned(), filled)
    }

    /// Returns a value with the words in its texts replaced.
    pub fn fill_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect(),
            Value::Object(fields) => {
                let fill = |(key, value): (&String, &Value)| (key.clone(), self.fill_value(value));
                Value::Object(fields.iter().map(fill).collect())
            }
            other => other.clone(),
        }
    }
}

impl Client {
    /// Installs its packages below the build's directory, where they are not yet; returns where, or why it cannot be.
    pub fn installed(&self) -> Result<PathBuf, String> {
        let arch = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => return Err(format!("there are no packages for {other}")),
        };
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .with_file_name("agents")
            .join(format!("{}-{}", self.name, self.version));
        let program = directory.join(self.program.replace("{arch}", arch));
        // Written when all is there: what an ended npm leaves is not taken for whole.
        let whole = directory.join("whole");
        if !whole.exists() {
            // What is left of an earlier try.
            let _ = fs::remove_dir_all(&directory);
            let packages = self.packages.iter().map(|name| {
                let name = name.replace("{arch}", arch);
                format!("{name}@{}", self.version)
            });
            install(&directory, &packages.collect::<Vec<_>>())?;
            if !program.is_file() {
                return Err(format!("its packages have no {}", program.display()));
            }
            fs::write(&whole, "").map_err(|error| error.to_string())?;
        }
        Ok(directory)
    }

    /// Returns its program, below the directory that it is installed in.
    pub fn program(&self) -> String {
        let arch = if std::env::consts::ARCH == "x86_64" { "x64" } else { "arm64" };
        self.program.replace("{arch}", arch)
    }
}

/// Runs npm there. No script of a package is run.
fn install(directory: &Path, packages: &[String]) -> Result<(), String> {
    fs::create_dir_all(directory).map_err(|error| error.to_string())?;
    fs::write(directory.join("package.json"), "{\"private\": true}\n")
        .map_err(|error| error.to_string())?;
    let start = std::time::Instant::now();
    let ended = Command::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"])
        .args(["--fetch-retries=1", "--fetch-timeout=120000", "--save-exact"])
        .args(packages)
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("npm cannot be started: {error}"))?;
    if !ended.status.success() {
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = said.lines().find(|line| line.contains("npm error")).unwrap_or("npm failed");
        return Err(format!("npm does not install {}: {said}", packages.join(" ")));
    }
    println!("installed {} in {:.1} s", packages.join(" "), start.elapsed().as_secs_f64());
    Ok(())
}
