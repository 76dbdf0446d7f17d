//! Whom to ask, each in its own words: a request to one address, an answer of bounded size, no redirects, and nothing of the environment.

use std::borrow::Cow;

use guarded_sh::config::{Provider, ProviderKind, Tier};
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Response, StatusCode, redirect};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::child::{self, Unread};
use crate::memory::Memory;
use crate::prompt::Prompt;
use crate::state::State;
use crate::wishes::Refused;
use crate::{answer, command, listener};

/// Bytes of an answer that are read.
pub const LONGEST: usize = 256 << 10;
/// Bytes of a key.
const KEY: u64 = 16 << 10;
/// Tokens of an answer: its fields, with a reason of at most 80.
const TOKENS: u32 = 400;
/// Tokens of what a model may think before it, which count as answered.
const THOUGHTS: u32 = 4_000;
/// Models that are named where an Ollama has another.
const NAMED: usize = 8;
/// The name of the tool by which an answer is given.
const TOOL: &str = "opinion";

/// Why there is no answer. Holds no key, and nothing of what was sent.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No key is known.
    #[error("no key is known: {0}")]
    Key(String),
    /// The address cannot be reached, or its certificate is not believed.
    #[error("cannot be reached: {0}")]
    Unreached(String),
    /// It says no.
    #[error("it says {status}{}", retry.map(|after| format!(", and to come back in {after} s")).unwrap_or_default())]
    Status {
        /// The status.
        status: u16,
        /// After how many seconds to come back, if it says so.
        retry: Option<u64>,
    },
    /// It has not the model that is wanted.
    #[error("it has {0}")]
    Model(String),
    /// What it says is too long, or broken off.
    #[error("its answer {0}")]
    Broken(String),
    /// Its program failed.
    #[error("it ended {0}")]
    Ended(String),
    /// What it says has no answer in it.
    #[error("its answer is not in the form of its API")]
    Form,
}

impl From<Unread> for Error {
    fn from(unread: Unread) -> Self {
        Self::Broken(match unread {
            Unread::Broken => "is broken off".to_owned(),
            Unread::TooLong => "is too long".to_owned(),
        })
    }
}

/// A request as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    /// The address.
    pub url: String,
    /// Headers but for the key's.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The body.
    pub body: Value,
}

/// Returns what is sent to a provider that refused this; none to one that is asked by running a program. A quick one does not think first.
#[must_use]
pub fn wire(provider: &Provider, prompt: &Prompt, refused: &Refused) -> Option<Wire> {
    let (url, model) = (&provider.url, &provider.model);
    let is_quick = provider.tier == Tier::Quick;
    let messages = json!([{"role": "user", "content": prompt.text}]);
    let schema = answer::schema(prompt.form);
    Some(match provider.kind {
        ProviderKind::Claude
        | ProviderKind::Codex
        | ProviderKind::Copilot
        | ProviderKind::Gemini => return None,
        ProviderKind::Anthropic => {
            let tool =
                json!({"name": TOOL, "description": "Gives the opinion.", "input_schema": schema});
            let mut body = json!({
                "model": model,
                "max_tokens": TOKENS,
                "messages": messages,
                "tools": [tool],
                "tool_choice": {"type": "tool", "name": TOOL},
            });
            refused.set(&mut body, "temperature", &[json!(0)]);
            let headers = vec![("anthropic-version", "2023-06-01")];
            Wire { url: format!("{url}/v1/messages"), headers, body }
        }
        ProviderKind::OpenAi | ProviderKind::Azure => {
            let format = json!({"name": TOOL, "strict": true, "schema": schema});
            let mut body = json!({
                "messages": messages,
                "response_format": {"type": "json_schema", "json_schema": format},
            });
            refused.set(&mut body, "temperature", &[json!(0)]);
            let efforts = [json!("none"), json!("minimal"), json!("low")];
            let efforts = if is_quick { &efforts[..] } else { &[] };
            refused.set(&mut body, "reasoning_effort", efforts);
            let thinks_not = refused.next("reasoning_effort", efforts) == Some(&json!("none"));
            let tokens = if thinks_not { TOKENS } else { TOKENS + THOUGHTS };
            refused.set(&mut body, "max_completion_tokens", &[json!(tokens)]);
            let mut url = format!("{url}/chat/completions");
            if provider.kind == ProviderKind::Azure {
                // Its deployment, in the address, is of one model.
                url.push_str("?api-version=2024-10-21");
            } else {
                body["model"] = json!(model);
            }
            Wire { url, headers: Vec::new(), body }
        }
        ProviderKind::Ollama => {
            let tokens = if is_quick { TOKENS } else { TOKENS + THOUGHTS };
            let mut body = json!({
                "model": model,
                "messages": messages,
                "stream": false,
                "format": schema,
                "options": {"temperature": 0, "num_predict": tokens},
            });
            if is_quick {
                body["think"] = json!(false);
            }
            Wire { url: format!("{url}/api/chat"), headers: Vec::new(), body }
        }
    })
}

/// What a provider said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The text of its answer.
    pub text: String,
    /// The tokens that it was sent, as it says.
    pub input: u64,
    /// The tokens that it answered, as it says.
    pub output: u64,
}

/// Asks a provider. What it refuses of a request is asked for otherwise, and remembered.
pub async fn ask(
    memory: &Memory,
    state: &State,
    provider: &Provider,
    prompt: &Prompt,
) -> Result<Said, Error> {
    let name = provider.full_name();
    if !provider.kind.is_command() {
        believed(memory, &provider.url)?;
    }
    let mut refused = state.refused(&name);
    loop {
        let Some(wire) = wire(provider, prompt, &refused) else {
            return command::ask(provider, prompt, state.directory(), memory.group).await;
        };
        let request = memory.client.post(&wire.url).json(&wire.body);
        let request = request.headers(headers(provider, &wire.headers, memory).await?);
        let response = request.send().await.map_err(|error| unreached(&error))?;
        let status = response.status();
        match status {
            StatusCode::OK => {
                let value = json(response).await?;
                let text = said(provider.kind, &value).ok_or(Error::Form)?;
                let [input, output] = tokens(&value);
                return Ok(Said { text, input, output });
            }
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY => {
                let answer = body(response).await?;
                if !refused.note(&wire.body, &answer) {
                    return Err(Error::Status { status: status.as_u16(), retry: None });
                }
                // Where it cannot be remembered, it is refused once more.
                let _ = state.refuse(&name, &refused);
            }
            StatusCode::NOT_FOUND if provider.kind == ProviderKind::Ollama => {
                let models = models(memory, provider).await?;
                return Err(Error::Model(format!("no such model, but {}", named(&models))));
            }
            _ => {
                if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
                    // Another may be printed next time.
                    memory.drop_key(&provider.api_key_command);
                }
                let after = response.headers().get("retry-after");
                let retry = after.and_then(|value| value.to_str().ok()?.trim().parse().ok());
                return Err(Error::Status { status: status.as_u16(), retry });
            }
        }
    }
}

/// Says that nobody is asked who listens on this machine where an agent started what listens.
fn believed(memory: &Memory, url: &str) -> Result<(), Error> {
    let url = reqwest::Url::parse(url).map_err(|error| Error::Unreached(error.to_string()))?;
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_here = matches!(host, "localhost" | "127.0.0.1" | "::1");
    let Some(port) = url.port_or_known_default().filter(|_| is_here) else { return Ok(()) };
    let sockets = listener::on(port);
    if memory.believes(&sockets) {
        return Ok(());
    }
    if listener::are_agents(&sockets) {
        let why = "what listens there was started by an agent or in a guarded line";
        return Err(Error::Unreached(why.to_owned()));
    }
    memory.believe(sockets);
    Ok(())
}

/// Returns a provider with its model: where the owner names none, the only one that an Ollama has. Of several none is taken, lest whoever adds
/// one chooses who is asked.
pub async fn found<'p>(
    memory: &Memory,
    provider: &'p Provider,
) -> Result<Cow<'p, Provider>, Error> {
    if provider.model.is_some() || provider.kind != ProviderKind::Ollama {
        return Ok(Cow::Borrowed(provider));
    }
    believed(memory, &provider.url)?;
    let models = models(memory, provider).await?;
    match models.as_slice() {
        [model] => Ok(Cow::Owned(Provider { model: Some(model.clone()), ..provider.clone() })),
        [] => Err(Error::Model("no model".to_owned())),
        several => Err(Error::Model(format!("{}, and `model` names none", named(several)))),
    }
}

/// Returns the names of the models that an Ollama says it has (`GET /api/tags`).
async fn models(memory: &Memory, provider: &Provider) -> Result<Vec<String>, Error> {
    let request = memory.client.get(format!("{}/api/tags", provider.url));
    let request = request.headers(headers(provider, &[], memory).await?);
    let response = request.send().await.map_err(|error| unreached(&error))?;
    if response.status() != StatusCode::OK {
        return Err(Error::Status { status: response.status().as_u16(), retry: None });
    }
    let value = json(response).await?;
    let models = value.get("models").and_then(Value::as_array).ok_or(Error::Form)?;
    let names = models.iter().map(|model| Some(model.get("name")?.as_str()?.to_owned()));
    names.collect::<Option<_>>().ok_or(Error::Form)
}

/// Names some models, for a person.
fn named(models: &[String]) -> String {
    let more = models.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    match models {
        [] => "none".to_owned(),
        models => format!("{}{more}", models[..models.len().min(NAMED)].join(", ")),
    }
}

async fn headers(
    provider: &Provider,
    plain: &[(&'static str, &'static str)],
    memory: &Memory,
) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    for (name, value) in plain {
        headers.insert(*name, HeaderValue::from_static(value));
    }
    if let Some((name, value)) = authorization(provider, memory).await? {
        headers.insert(name, value);
    }
    Ok(headers)
}

/// Returns what speaks HTTP here. Whoever asks says for how long.
pub fn client() -> Result<Client, Error> {
    // Only the first sets one, and there is no other.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .redirect(redirect::Policy::none())
        .no_proxy()
        .user_agent(concat!("guarded-shd/", env!("CARGO_PKG_VERSION")));
    client.build().map_err(|error| unreached(&error))
}

/// Returns the text of an answer, as this API has it.
fn said(kind: ProviderKind, value: &Value) -> Option<String> {
    match kind {
        ProviderKind::Anthropic => {
            let parts = value.get("content")?.as_array()?;
            let used = parts.iter().find(|part| part["type"] == "tool_use" && part["name"] == TOOL);
            Some(used?.get("input")?.to_string())
        }
        ProviderKind::OpenAi | ProviderKind::Azure => {
            let choice = value.get("choices")?.get(0)?;
            Some(choice.get("message")?.get("content")?.as_str()?.to_owned())
        }
        ProviderKind::Ollama => Some(value.get("message")?.get("content")?.as_str()?.to_owned()),
        _ => None,
    }
}

/// Returns the tokens that an answer says it took, of what was sent and of what was answered, under whatever name.
pub fn tokens(value: &Value) -> [u64; 2] {
    let places = [
        ["/usage/input_tokens", "/usage/prompt_tokens", "/prompt_eval_count"],
        ["/usage/output_tokens", "/usage/completion_tokens", "/eval_count"],
    ];
    places.map(|places| places.iter().find_map(|place| value.pointer(place)?.as_u64()).unwrap_or(0))
}

async fn authorization(
    provider: &Provider,
    memory: &Memory,
) -> Result<Option<(&'static str, HeaderValue)>, Error> {
    let Some(key) = key(provider, memory).await? else { return Ok(None) };
    let (name, text) = match provider.kind {
        ProviderKind::Anthropic => ("x-api-key", key),
        ProviderKind::Azure => ("api-key", key),
        _ => ("authorization", format!("Bearer {key}")),
    };
    let mut value = HeaderValue::from_str(&text)
        .map_err(|_| Error::Key("it holds what no header can".to_owned()))?;
    value.set_sensitive(true);
    Ok(Some((name, value)))
}

/// Returns the key: what the owner's program prints, else what stands in the variable.
async fn key(provider: &Provider, memory: &Memory) -> Result<Option<String>, Error> {
    if let [program, arguments @ ..] = provider.api_key_command.as_slice() {
        if let Some(key) = memory.key(&provider.api_key_command) {
            return Ok(Some(key));
        }
        let key = printed(program, arguments).await?;
        memory.keep_key(&provider.api_key_command, &key);
        return Ok(Some(key));
    }
    match &provider.api_key_env {
        None => Ok(None),
        Some(name) => match std::env::var(name) {
            Ok(key) if !key.trim().is_empty() => Ok(Some(key.trim().to_owned())),
            // What is on this machine may need none.
            _ if provider.url.starts_with("http://") => Ok(None),
            _ => Err(Error::Key(format!(
                "{name} is not set where the guard was started; set `api_key_command`"
            ))),
        },
    }
}

async fn printed(program: &str, arguments: &[String]) -> Result<String, Error> {
    let failed = |what: &dyn std::fmt::Display| Error::Key(format!("'{program}' {what}"));
    let mut command = child::command(program);
    command.args(arguments);
    let cannot = |error: std::io::Error| failed(&format!("cannot be run: {error}"));
    let mut child = command.spawn().map_err(cannot)?;
    let mut text = Vec::new();
    if let Some(out) = child.stdout.take() {
        out.take(KEY).read_to_end(&mut text).await.map_err(cannot)?;
    }
    let status = child.wait().await.map_err(cannot)?;
    if !status.success() {
        return Err(failed(&"failed"));
    }
    match String::from_utf8(text) {
        Ok(key) if !key.trim().is_empty() => Ok(key.trim().to_owned()),
        _ => Err(failed(&"printed no key")),
    }
}

async fn json(response: Response) -> Result<Value, Error> {
    serde_json::from_slice(&body(response).await?).map_err(|_| Error::Form)
}

async fn body(mut response: Response) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(None) => return Ok(body),
            Ok(Some(chunk)) if body.len() + chunk.len() > LONGEST => {
                return Err(Unread::TooLong.into());
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Err(_) => return Err(Unread::Broken.into()),
        }
    }
}

/// Says why nothing was reached, without the address: its query could hold what is secret.
fn unreached(error: &reqwest::Error) -> Error {
    use std::error::Error as _;
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let text = if error.source().is_none() {
        "no request can be made".to_owned()
    } else {
        cause.to_string()
    };
    Error::Unreached(text)
}
