//! The clients as `clients.toml` has them: which package, how started, how a command line is a call of their tool. Knows no row.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde_json::Value;

use crate::{sheets, stage};

/// One client, of one version. Words in braces in its texts are replaced; `clients.toml` says which.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// Its name, which is that of its file in `agents/`.
    pub name: String,
    /// The version of its packages.
    version: String,
    /// An older version, which plays the rows that are for both.
    #[serde(default)]
    older: Option<String>,
    /// Whether this is that one.
    #[serde(skip)]
    pub is_older: bool,
    /// The oldest version that the guard is for, which may be packed otherwise.
    #[serde(default)]
    oldest: Option<Packed>,
    /// Whether this is that one.
    #[serde(skip)]
    pub is_oldest: bool,
    /// Its npm packages.
    packages: Vec<String>,
    /// Programs of the machine that it needs.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Its program, below the directory in which the packages are installed.
    pub program: String,
    /// What it speaks to the model.
    pub dialect: String,
    /// Words that it is called with once, when it is installed: it puts into `cache`, beside its packages, what it keeps for every start.
    #[serde(default)]
    unpacks: Vec<String>,
    /// Variables that it is started with.
    pub environment: BTreeMap<String, String>,
    /// Where its settings cannot name its shell: how a person does, if that part of the guard is installed.
    #[serde(default)]
    pub shell: Shell,
    /// Files in its home before it is started.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Its settings, below its home: they come back as they were.
    #[serde(default)]
    pub settings: Vec<String>,
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

/// How a version of a client is packed.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Packed {
    version: String,
    packages: Vec<String>,
    program: String,
    needs: Vec<String>,
}

/// How a client gets its shell from outside of its settings.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shell {
    /// The shell that the user database has; else `/bin/bash`.
    pub login: Option<String>,
    /// Variables that it is started with.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

/// A call of a tool.
#[derive(Clone, Deserialize)]
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

/// Returns all clients, each in its version, in its older one and in its oldest.
pub fn all() -> Vec<Client> {
    let sheet = sheets::path(&format!("{}/agents/clients.toml", stage::sheets()));
    let clients = sheets::read::<Sheet>(&sheet).client.into_iter();
    let versions = |client: Client| {
        let (older, oldest) = (client.older.clone(), client.oldest.clone());
        let older = older.map(|version| Client { version, is_older: true, ..client.clone() });
        let oldest = oldest.map(|packed| {
            let Packed { version, packages, program, needs } = packed;
            Client { version, packages, program, needs, is_oldest: true, ..client.clone() }
        });
        std::iter::once(client).chain(older).chain(oldest)
    };
    clients.flat_map(versions).collect()
}

/// What words in braces stand for.
pub struct Words(pub Vec<(&'static str, String)>);

impl Words {
    /// Returns the words of a place, with the address of the scripted model.
    pub fn with_model(address: SocketAddr) -> Self {
        Self(vec![
            ("home", stage::HOME.to_owned()),
            ("work", stage::WORK.to_owned()),
            ("guard", stage::GUARD.to_owned()),
            ("client", stage::CLIENT.to_owned()),
            ("model", format!("http://{address}")),
        ])
    }

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
    /// Returns its name, with its version.
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Installs its packages below the build's directory, where they are not yet; returns where, or why it cannot be.
    pub fn installed(&self) -> Result<PathBuf, String> {
        let machine = std::env::consts::ARCH;
        if !["x86_64", "aarch64"].contains(&machine) {
            return Err(format!("there are no packages for {machine}"));
        }
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .with_file_name("agents")
            .join(format!("{}-{}", self.name, self.version));
        // Written when all is there: what an ended npm leaves is not taken for whole.
        let whole = directory.join("whole");
        if !whole.exists() {
            // What is left of an earlier try.
            let _ = fs::remove_dir_all(&directory);
            let packages =
                self.packages.iter().map(|name| format!("{}@{}", here(name), self.version));
            install(&directory, &packages.collect::<Vec<_>>())?;
            let program = directory.join(self.program());
            if !program.is_file() {
                return Err(format!("its packages have no {}", program.display()));
            }
            self.unpack(&program, &directory)?;
            fs::write(&whole, "").map_err(|error| error.to_string())?;
        }
        Ok(directory)
    }

    /// Calls it once, without a network, where it unpacks itself at its first start: else it would in each row.
    fn unpack(&self, program: &Path, directory: &Path) -> Result<(), String> {
        if self.unpacks.is_empty() {
            return Ok(());
        }
        let home = tempfile::tempdir().map_err(|error| error.to_string())?;
        let ended = stage::without_network()
            .arg(program)
            .args(&self.unpacks)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", home.path())
            .env("XDG_CACHE_HOME", directory.join("cache"))
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        if ended.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
        Err(format!("{} does not start: {said}", program.display()))
    }

    /// Writes the files that are in its home before it is started, where there are no others of the row's.
    pub fn write_files(&self, words: &Words) {
        for (path, text) in &self.files {
            let path = Path::new(stage::HOME).join(path);
            if path.exists() {
                continue;
            }
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, words.fill(text)).unwrap();
        }
    }

    /// Returns its program, below the directory that it is installed in.
    pub fn program(&self) -> String {
        here(&self.program)
    }
}

/// Returns a text with the words that npm's packages, and programs in them, have for this machine.
fn here(text: &str) -> String {
    let machine = std::env::consts::ARCH;
    let arch = if machine == "aarch64" { "arm64" } else { "x64" };
    text.replace("{arch}", arch).replace("{machine}", machine)
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
