//! Agents' own command lines as models: run once for each question, in an empty directory, with an environment of the owner's, and ended with all that
//! they started.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use guarded_sh::config::{Provider, ProviderKind};
use guarded_sh::sys::random;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde::Deserialize;
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::process::Child;

use crate::answer::{self, Form};
use crate::child;
use crate::prompt::Prompt;
use crate::provider::{Error, LONGEST, Said, tokens};

/// How each is called.
const CALLS: &str = include_str!("../command-lines.toml");
/// How the directories of calls are called, and after how long one is nobody's: no call may take as long.
const CALL: &str = "call-";
const FORGOTTEN: Duration = Duration::from_secs(3_600);
/// The files of an answer's schema, and of an answer.
const SCHEMA: &str = "schema.json";
const ANSWER: &str = "answer.txt";
/// What follows the question, where no schema says it.
const FORM: &str = "\n\nAnswer with one JSON object of these fields and nothing else: no other text, no code fence.\n";

/// How one is called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    words: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    links: BTreeMap<String, String>,
    #[serde(default)]
    answer: Vec<String>,
    #[cfg_attr(not(test), expect(dead_code, reason = "it is said to people"))]
    measured: Vec<String>,
}

impl Call {
    /// Puts into a directory what is to be there.
    fn furnish(&self, directory: &Path, form: Form) -> std::io::Result<()> {
        let schema = (SCHEMA.to_owned(), answer::schema(form).to_string());
        for (name, text) in self.files.iter().chain([(&schema.0, &schema.1)]) {
            let path = within(directory, name)?;
            std::fs::write(path, text)?;
        }
        let Some(home) = std::env::var_os("HOME") else { return Ok(()) };
        for (name, to) in &self.links {
            let (from, to) = (within(directory, name)?, Path::new(&home).join(to));
            // What is not there yet is not made by writing through a link.
            if to.exists() {
                symlink(to, from)?;
            }
        }
        Ok(())
    }
}

/// Returns the path of a file there, with directories for it.
fn within(directory: &Path, name: &str) -> std::io::Result<PathBuf> {
    let path = directory.join(name);
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    Ok(path)
}

/// Whether what is started has to be ended by us: who asks once is ended with all of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// It stays in ours.
    Ours,
    /// It has one of its own.
    Own,
}

/// Returns the program and the words that it would be called with.
pub fn called(provider: &Provider, form: Form) -> Result<Vec<String>, Error> {
    let names = Names::of(provider, Path::new("DIRECTORY"), form);
    Ok(words(&call(provider.kind)?, provider, &names))
}

/// Asks one. `scratch` is a directory in which one may be made for it.
pub async fn ask(
    provider: &Provider,
    prompt: &Prompt,
    scratch: &Path,
    group: Group,
) -> Result<Said, Error> {
    let call = call(provider.kind)?;
    let failed = |error: std::io::Error| cannot(provider, &error);
    let place = Place::make(scratch).map_err(failed)?;
    let directory = &place.0;
    call.furnish(directory, prompt.form).map_err(failed)?;
    let names = Names::of(provider, directory, prompt.form);
    let words = words(&call, provider, &names);
    let (program, words) = words.split_first().ok_or(Error::Form)?;
    let mut command = child::command(program);
    command.args(words).current_dir(directory).stdin(Stdio::piped());
    if let Some(key) = &provider.api_key_env {
        command.envs(std::env::var(key).map(|value| (key, value)));
    }
    command.envs(call.environment.iter().map(|(name, value)| (name, names.fill(value))));
    command.envs(&provider.environment);
    if group == Group::Own {
        command.process_group(0);
    }
    let mut running = Running::of(command.spawn().map_err(failed)?, group);
    let (stdin, stdout) = (running.child.stdin.take(), running.child.stdout.take());
    let text = input(&call, &prompt.text);
    let telling = async {
        if let Some(mut stdin) = stdin {
            // What it does not want to read, it need not.
            let _ = stdin.write_all(text.as_bytes()).await;
        }
    };
    let hearing =
        async { child::said(stdout.ok_or(Error::Form)?, LONGEST).await.map_err(Error::from) };
    let ((), said) = tokio::join!(telling, hearing);
    let said: Vec<u8> = said?;
    let status = running.child.wait().await.map_err(failed)?;
    if !status.success() {
        let how =
            status.code().map_or_else(|| "by a signal".to_owned(), |code| format!("with {code}"));
        return Err(Error::Ended(how));
    }
    let written = directory.join(ANSWER);
    let said = if written.is_file() { read(&written)? } else { said };
    understood(&call, said)
}

fn cannot(provider: &Provider, error: &dyn std::fmt::Display) -> Error {
    let program = provider.program.as_deref().unwrap_or_default();
    Error::Unreached(format!("'{program}' cannot be run: {error}"))
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let mut said = Vec::new();
    let file = std::fs::File::open(path).map_err(|_| Error::Form)?;
    file.take(LONGEST as u64).read_to_end(&mut said).map_err(|_| Error::Form)?;
    Ok(said)
}

/// Returns the answer in what was printed.
fn understood(call: &Call, said: Vec<u8>) -> Result<Said, Error> {
    let text = String::from_utf8(said).map_err(|_| Error::Form)?;
    if call.answer.is_empty() {
        return Ok(Said { text: unfenced(&text).to_owned(), input: 0, output: 0 });
    }
    let value: Value = serde_json::from_str(text.trim()).map_err(|_| Error::Form)?;
    let found = call.answer.iter().filter_map(|place| value.pointer(place));
    let answer = found.into_iter().find(|answer| !answer.is_null()).ok_or(Error::Form)?;
    let text = answer.as_str().map_or_else(|| answer.to_string(), |text| unfenced(text).to_owned());
    let [input, output] = tokens(&value);
    Ok(Said { text, input, output })
}

/// Returns a text without the code fence that models put around an object although nobody wants it.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"));
    inside.and_then(|text| text.strip_suffix("```")).unwrap_or(text).trim()
}

fn call(kind: ProviderKind) -> Result<Call, Error> {
    let mut calls: BTreeMap<String, Call> = toml::from_str(CALLS).map_err(|_| Error::Form)?;
    calls.remove(kind.name()).ok_or(Error::Form)
}

/// What the words of a call stand for, by their names.
struct Names([(&'static str, String); 5]);

impl Names {
    fn of(provider: &Provider, directory: &Path, form: Form) -> Self {
        let place = |name: &str| directory.join(name).display().to_string();
        Self([
            ("{model}", provider.model.clone().unwrap_or_default()),
            ("{schema}", answer::schema(form).to_string()),
            ("{schema_file}", place(SCHEMA)),
            ("{answer_file}", place(ANSWER)),
            ("{directory}", directory.display().to_string()),
        ])
    }

    fn fill(&self, word: &str) -> String {
        self.0.iter().fold(word.to_owned(), |word, (name, value)| word.replace(name, value))
    }
}

/// Returns the program and its words.
fn words(call: &Call, provider: &Provider, names: &Names) -> Vec<String> {
    let program = provider.program.clone().unwrap_or_default();
    // What is read from standard input stands last.
    let own = call.words.iter().map(|word| names.fill(word));
    let mut words: Vec<String> = std::iter::once(program).chain(own).collect();
    let last = words.pop_if(|word| word == "-");
    words.extend(provider.arguments.iter().cloned().chain(last));
    words
}

fn input(call: &Call, prompt: &str) -> String {
    let has_schema = call.words.iter().any(|word| word.starts_with("{schema"));
    format!("{prompt}{}", if has_schema { "" } else { FORM })
}

/// What runs; ended when it is dropped, with all that it has started and that did not part from it.
struct Running {
    child: Child,
    /// The group that is its own.
    group: Option<Pid>,
}

impl Running {
    fn of(child: Child, group: Group) -> Self {
        let own = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        Self { child, group: own.filter(|_| group == Group::Own) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // It may be empty.
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}

/// A directory of one call's, removed when it is dropped.
struct Place(PathBuf);

impl Place {
    fn make(scratch: &Path) -> std::io::Result<Self> {
        for entry in std::fs::read_dir(scratch)?.flatten() {
            let is_call = entry.file_name().as_encoded_bytes().starts_with(CALL.as_bytes());
            let made = entry.metadata().and_then(|metadata| metadata.modified());
            let age = made.ok().and_then(|made| made.elapsed().ok());
            // Whoever made it was ended before it could be removed.
            if is_call && age.is_some_and(|age| age > FORGOTTEN) {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
        let directory = scratch.join(format!("{CALL}{}", random::digits::<8>()?));
        std::fs::DirBuilder::new().mode(0o700).create(&directory)?;
        Ok(Self(directory))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed is found by whoever looks.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_called_as_the_file_says() {
        for kind in ProviderKind::COMMANDS {
            let call = call(kind).unwrap();
            assert!(!call.words.is_empty() && !call.measured.is_empty(), "{kind:?}");
        }
    }

    #[test]
    fn an_answer_is_found_where_it_stands() {
        let call = |answer: &[&str]| Call {
            words: Vec::new(),
            environment: BTreeMap::new(),
            files: BTreeMap::new(),
            links: BTreeMap::new(),
            answer: answer.iter().map(|&place| place.to_owned()).collect(),
            measured: Vec::new(),
        };
        let text =
            |call: &Call, said: &str| understood(call, said.into()).ok().map(|said| said.text);
        let plain = call(&[]);
        for said in ["{\"a\":1}", " {\"a\":1}\n", "```json\n{\"a\":1}\n```", "```\n{\"a\":1}```\n"]
        {
            assert_eq!(text(&plain, said).as_deref(), Some("{\"a\":1}"), "{said}");
        }
        let inside = call(&["/one", "/two"]);
        assert_eq!(text(&inside, r#"{"one":null,"two":"x"}"#).as_deref(), Some("x"));
        assert_eq!(text(&inside, r#"{"one":{"a":1}}"#).as_deref(), Some("{\"a\":1}"));
        for said in ["", "null", "x", "{}", "{\"one\":", "[1]"] {
            assert_eq!(text(&inside, said), None, "{said}");
        }
        assert!(understood(&plain, vec![0xff]).is_err());
    }
}
