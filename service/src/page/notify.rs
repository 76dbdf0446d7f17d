//! Tells others that a question waits: a topic of ntfy, and webhooks. What is told has no power to answer, keeps no answer waiting, and has the line in
//! it only where the owner says so, masked as records are.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use guarded_sh::approval::words;
use guarded_sh::audit::Line;
use guarded_sh::config::{NotifySettings, Tell};
use guarded_sh::language::Language;
use guarded_sh::model::{Question, Severity, head};
use guarded_sh::sys::hex::hex;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Response};
use ring::hmac;
use serde_json::{Map, Value, json};
use tokio::sync::{Semaphore, watch};

use super::floor::Standing;
use super::owned::{self, Fault, Links};
use crate::provider;

/// For how long whoever is told may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// After what times it is tried again where nobody took it.
const AGAIN: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(5), Duration::from_secs(30)];
/// What is told at once at most; of what comes on top nobody is told.
const AT_ONCE: usize = 32;
/// Questions that are known to have been told: a host that is not reached for a moment has them again.
const KNOWN: usize = 1_024;
/// Bytes of a line that are told.
const LONGEST: usize = 1_000;

/// The header with what a webhook's text is signed with: HMAC-SHA256 over the body, in hexadecimal.
const SIGNATURE: &str = "x-guarded-sh-signature";

/// Whom to tell, and what.
pub struct Notify {
    tells: Vec<Tell>,
    told: Vec<Told>,
}

/// One that is told.
enum Told {
    Ntfy { url: String, token: Option<HeaderValue> },
    Webhook { url: String, key: Option<hmac::Key> },
}

impl Notify {
    /// Makes it as the settings say; none where nobody is to be told. What cannot be is said, and the others are told all the same.
    pub fn of(settings: &NotifySettings) -> Option<(Self, Vec<String>)> {
        let mut troubles = Vec::new();
        let mut told = Vec::new();
        if let Some(url) = settings.ntfy.value.clone() {
            match settings.token_file.value.as_deref().map(token).transpose() {
                Ok(token) => told.push(Told::Ntfy { url, token }),
                Err(why) => troubles.push(why),
            }
        }
        for hook in &settings.webhooks.value {
            let key = hook.secret_file.as_deref().map(secret).transpose();
            let key = key.map(|key| key.map(|key| hmac::Key::new(hmac::HMAC_SHA256, &key)));
            match key {
                Ok(key) => told.push(Told::Webhook { url: hook.url.clone(), key }),
                Err(why) => troubles.push(why),
            }
        }
        if told.is_empty() && troubles.is_empty() {
            return None;
        }
        Some((Self { tells: settings.tells.value.clone(), told }, troubles))
    }

    /// Tells of each question that waits, once, until nobody follows the questions any more.
    pub async fn follow(self, mut standing: watch::Receiver<Arc<Standing>>) -> Result<(), String> {
        // It follows no redirection, and asks no proxy that a variable names.
        let client = provider::client().map_err(|error| error.to_string())?;
        let notify = Arc::new(self);
        let places = Arc::new(Semaphore::new(AT_ONCE));
        let mut known: VecDeque<String> = VecDeque::new();
        loop {
            let now = standing.borrow_and_update().clone();
            let open = now.entries.iter().map(|(_, entry)| entry).filter(|entry| entry.is_open());
            // What is open when a pause ends is told then.
            for entry in open.filter(|_| now.paused.is_none()) {
                if known.contains(&entry.id) {
                    continue;
                }
                known.push_back(entry.id.clone());
                if known.len() > KNOWN {
                    known.pop_front();
                }
                let parts = parts(&entry.question, &notify.tells);
                for at in 0..notify.told.len() {
                    let Ok(place) = places.clone().try_acquire_owned() else { continue };
                    let (notify, client) = (Arc::clone(&notify), client.clone());
                    let parts = parts.clone();
                    tokio::spawn(async move {
                        notify.tell(&client, at, &parts).await;
                        drop(place);
                    });
                }
            }
            if standing.changed().await.is_err() {
                return Ok(());
            }
        }
    }

    /// Tells one of them; where that is not taken, some times again.
    async fn tell(&self, client: &Client, at: usize, parts: &Parts) {
        let told = &self.told[at];
        for wait in AGAIN.iter().map(Some).chain([None]) {
            let request = told.request(client, parts).timeout(PATIENCE);
            let why = match request.send().await {
                Ok(answer) if answer.status().is_success() => return,
                Ok(answer) => refusal(&answer),
                Err(error) => error.without_url().to_string(),
            };
            match wait {
                Some(wait) => tokio::time::sleep(*wait).await,
                None => eprintln!("guarded-shd: {} was not told of a question: {why}", told.name()),
            }
        }
    }
}

/// What an answer says that is no yes. Where it names another address, nobody goes there.
fn refusal(answer: &Response) -> String {
    format!("it answered with {}", answer.status())
}

impl Told {
    fn request(&self, client: &Client, parts: &Parts) -> reqwest::RequestBuilder {
        match self {
            Self::Ntfy { url, token } => {
                let priority = match parts.severity {
                    Severity::Critical => "5",
                    Severity::High => "4",
                    Severity::Medium | Severity::Low => "3",
                };
                let request = client.post(url).header("title", "guarded-sh: a question waits");
                let request = request.header("priority", priority).body(parts.text());
                match token {
                    Some(token) => request.header(AUTHORIZATION, token.clone()),
                    None => request,
                }
            }
            Self::Webhook { url, key } => {
                let body = parts.json().to_string();
                let request = client.post(url).header(CONTENT_TYPE, "application/json");
                let signature = key.as_ref().map(|key| hmac::sign(key, body.as_bytes()));
                let request = match signature {
                    Some(tag) => request.header(SIGNATURE, format!("sha256={}", hex(tag.as_ref()))),
                    None => request,
                };
                request.body(body)
            }
        }
    }

    /// Returns what people call it. Who knows a topic's or a hook's whole address may use it.
    fn name(&self) -> String {
        let (kind, url) = match self {
            Self::Ntfy { url, .. } => ("ntfy", url),
            Self::Webhook { url, .. } => ("a webhook", url),
        };
        let host = reqwest::Url::parse(url).ok();
        let host = host.as_ref().and_then(|url| url.host_str()).unwrap_or_default();
        format!("{kind} at {host}")
    }
}

/// What is told of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    severity: Severity,
    told: Vec<(Tell, String)>,
}

fn parts(question: &Question, tells: &[Tell]) -> Parts {
    let masked = |text: &str| Line::new(text.as_ref()).text;
    let told = tells.iter().map(|tell| {
        let text = match tell {
            Tell::Agent => masked(&words::who(question, Language::English)),
            Tell::Severity => question.severity.name().to_owned(),
            Tell::Project => {
                let place = question.cwd.as_deref().map(Path::new).and_then(Path::file_name);
                masked(&place.unwrap_or_default().to_string_lossy())
            }
            Tell::Line => head(&masked(&question.line), LONGEST).to_owned(),
        };
        (*tell, text)
    });
    Parts { severity: question.severity, told: told.collect() }
}

impl Parts {
    /// Returns it as people read it, a line each.
    fn text(&self) -> String {
        let told = self.told.iter().map(|(tell, text)| format!("{}: {text}", tell.name()));
        let lines: Vec<String> = told.collect();
        if lines.is_empty() { "a question waits".to_owned() } else { lines.join("\n") }
    }

    fn json(&self) -> Value {
        let mut fields = Map::from_iter([("event".to_owned(), json!("question"))]);
        fields.extend(self.told.iter().map(|(tell, text)| (tell.name().to_owned(), json!(text))));
        Value::Object(fields)
    }
}

/// Reads a secret that is the owner's alone.
fn secret(file: &Path) -> Result<Vec<u8>, String> {
    let failed = |why: &str| format!("nobody is told by way of '{}': {why}", file.display());
    let text = owned::read(file, Links::Followed).map_err(|fault| match fault {
        Fault::Io(error) => failed(&error.to_string()),
        Fault::NotOurs(problem) => failed(&format!("it {problem} (chmod 600)")),
    })?;
    let text = text.trim_ascii().to_vec();
    if text.is_empty() { Err(failed("it is empty")) } else { Ok(text) }
}

fn token(file: &Path) -> Result<HeaderValue, String> {
    let header = [b"Bearer ".as_slice(), &secret(file)?].concat();
    let header = HeaderValue::from_bytes(&header);
    let mut header = header.map_err(|_| format!("'{}' has no token", file.display()))?;
    header.set_sensitive(true);
    Ok(header)
}
