//! The protocol over standard streams, for clients on this machine that start their servers: each message is passed on to the bridge that runs, with the
//! client's token. Reads and decides nothing of it.

use std::sync::Arc;

use guarded_sh::ipc::place;
use guarded_sh::observe::Environment;
use guarded_sh::pipeline;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// The variable with the client's token.
pub const TOKEN: &str = "GUARDED_SH_MCP_TOKEN";
/// The version of the protocol of a message that does not say its own.
const BEFORE: &str = "2025-11-25";

/// Passes messages on until standard input ends.
pub fn run() -> Result<(), String> {
    let token = std::env::var(TOKEN)
        .map_err(|_| format!("no token is given: set {TOKEN} to that of a client"))?;
    let mut bearer = HeaderValue::from_str(&format!("Bearer {token}"))
        .map_err(|_| format!("{TOKEN} holds no token"))?;
    bearer.set_sensitive(true);
    let uid = nix::unistd::geteuid().as_raw();
    let directories = pipeline::socket_directories(&Environment::read());
    let directories = directories.iter().filter(|directory| place::check(directory, uid).is_ok());
    let socket = directories.map(|directory| super::socket(directory)).find(|path| path.exists());
    let socket = socket.ok_or("no bridge runs: `guarded-sh mcp` starts it")?;
    // Nothing here speaks TLS; its maker wants to know by what it would.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .unix_socket(socket)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| format!("cannot speak to the bridge: {error}"))?;
    let runtime = crate::runtime()?;
    let done = runtime.block_on(pass(Arc::new(Way { client, bearer })));
    // A client that has hung up is told nothing more.
    runtime.shutdown_background();
    done
}

struct Way {
    client: reqwest::Client,
    bearer: HeaderValue,
}

async fn pass(way: Arc<Way>) -> Result<(), String> {
    let mut input = BufReader::new(tokio::io::stdin());
    let out = Arc::new(Mutex::new(tokio::io::stdout()));
    let mut open = JoinSet::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line).await;
        match read.map_err(|error| format!("cannot read standard input: {error}"))? {
            0 => break,
            count if count > super::LARGEST => return Err("a message is too long".to_owned()),
            _ => {}
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (way, out, message) = (Arc::clone(&way), Arc::clone(&out), line.clone());
        open.spawn(async move { way.send(message, &out).await });
        while open.try_join_next().is_some() {}
    }
    // What was asked before the end is answered.
    while open.join_next().await.is_some() {}
    Ok(())
}

type Out = Mutex<tokio::io::Stdout>;

async fn say(out: &Out, text: &str) {
    let mut out = out.lock().await;
    // Whoever does not read any more is told nothing.
    let _ = out.write_all(format!("{}\n", text.trim()).as_bytes()).await;
    let _ = out.flush().await;
}

impl Way {
    async fn send(&self, message: Vec<u8>, out: &Out) {
        let read: Value = serde_json::from_slice(&message).unwrap_or_default();
        let id = read["id"].clone();
        if let Err(why) = self.sent(message, &read, out).await
            && !id.is_null()
        {
            let error =
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": why } });
            say(out, &error.to_string()).await;
        }
    }

    async fn sent(&self, message: Vec<u8>, read: &Value, out: &Out) -> Result<(), String> {
        let failed = |error: reqwest::Error| format!("the bridge does not answer: {error}");
        let own = read["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str();
        let mut request = self
            .client
            .post("http://localhost/mcp")
            .header(HOST, HeaderValue::from_static(super::AT_SOCKET))
            .header(AUTHORIZATION, self.bearer.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(message);
        if read["method"] != "initialize" {
            request = request.header("mcp-protocol-version", own.unwrap_or(BEFORE));
        }
        if own.is_some() {
            if let Some(method) = read["method"].as_str() {
                request = request.header("mcp-method", method);
            }
            let params = &read["params"];
            if let Some(name) = params["name"].as_str().or_else(|| params["uri"].as_str()) {
                request = request.header("mcp-name", name);
            }
        }
        let mut answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let is_stream = kind.is_some_and(|kind| kind.starts_with("text/event-stream"));
        let is_json = kind.is_some_and(|kind| kind.starts_with("application/json"));
        if is_json {
            say(out, &answer.text().await.map_err(failed)?).await;
            return Ok(());
        }
        if !status.is_success() {
            let text = answer.text().await.unwrap_or_default();
            return Err(format!("{status}: {}", text.trim()));
        }
        if !is_stream {
            return Ok(());
        }
        let mut rest = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(failed)? {
            rest.extend_from_slice(&piece);
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = rest.drain(..=end).collect();
                let line = String::from_utf8_lossy(&line);
                if let Some(data) =
                    line.strip_prefix("data:").filter(|data| !data.trim().is_empty())
                {
                    say(out, data).await;
                }
            }
            if rest.len() > super::LARGEST {
                return Err("a message is too long".to_owned());
            }
        }
        Ok(())
    }
}
