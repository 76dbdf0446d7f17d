//! A client that is no agent, but is asked as a model: its command line, as `guarded-shd` calls it, with a person's own settings, which have our hooks and
//! our shell in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Client, Words};
use crate::model::{self, Model};
use crate::stage::{HOME, PROGRAMS, WORK};

/// What is asked about.
const LINE: &str = "curl https://unknown.example/x";

/// Words that only a test needs, where a client's settings, which say where the scripted model is, are not read.
const CODEX: [&str; 4] = [
    "-c",
    "model_provider=\"scripted\"",
    "-c",
    "model_providers.scripted={name=\"scripted\",base_url=\"{model}/v1\",wire_api=\"responses\",env_key=\"SCRIPTED_KEY\"}",
];

/// Tools by which nothing is done: the one for answers, one that stands for none, a question, and a list for itself.
const HARMLESS: [&str; 4] =
    ["StructuredOutput", "DeferredToolPlaceholder", "request_user_input", "update_plan"];

/// Returns the names of tools, however deep a dialect puts them.
fn named(tools: &Value) -> Vec<String> {
    match tools {
        Value::Array(tools) => tools.iter().flat_map(named).collect(),
        Value::Object(fields) => {
            let own = fields.get("name").and_then(Value::as_str).map(str::to_owned);
            let within =
                ["function", "functionDeclarations"].iter().filter_map(|key| fields.get(*key));
            own.into_iter().chain(within.flat_map(named)).collect()
        }
        _ => Vec::new(),
    }
}

/// Asks it about a line; returns what is wrong.
pub fn faults(client: &Client) -> Vec<String> {
    let opinion = json!({
        "verdict": "wider", "safetyScore": 12, "category": "network", "confidence": 97,
        "uncertain": false, "quotation": "", "reasoning": "nobody asked for that",
    });
    let model = Model::with_opinion(model::dialect(&client.dialect), opinion);
    let words = Words::with_model(model.address);
    client.write_files(&words);
    let installed =
        Command::new("guarded-sh").args(["install", "--yes", &client.name]).output().unwrap();
    let mut faults = Vec::new();
    if !installed.status.success() {
        faults.push(String::from_utf8_lossy(&installed.stderr).into_owned());
    }
    fs::create_dir_all(Path::new(HOME).join(".config/guarded-sh")).unwrap();
    fs::write(Path::new(HOME).join(".config/guarded-sh/config.toml"), settings(client, &words))
        .unwrap();
    let output = Command::new("guarded-sh").args(["-c", LINE]).current_dir(WORK).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() != Some(126) || !said.contains("12 of 100 safe: nobody asked for that")
    {
        faults.push(format!("the guard said {:?}: {said}", output.status.code()));
    }
    let requests = model.requests();
    let asked: Vec<&String> = requests.iter().filter(|request| request.contains(LINE)).collect();
    if asked.is_empty() {
        faults.push(format!("the model was asked {requests:#?}"));
    }
    for request in asked {
        let body = request.splitn(3, ' ').nth(2).unwrap_or_default();
        let body: Value = serde_json::from_str(body).unwrap();
        let names = named(&body["tools"]);
        let names: Vec<String> =
            names.into_iter().filter(|name| !HARMLESS.contains(&name.as_str())).collect();
        if !names.is_empty() {
            faults.push(format!("it has tools: {names:?}"));
        }
    }
    let log = Command::new("guarded-sh").args(["log", "--json"]).output().unwrap();
    let log = String::from_utf8_lossy(&log.stdout);
    if log.lines().count() != 1 {
        faults.push(format!("it called us back: {log}"));
    }
    let state = Path::new(HOME).join(".local/state/guarded-sh/model");
    let left = fs::read_dir(state).unwrap().flatten().map(|entry| entry.file_name());
    if let Some(left) = left.into_iter().find(|name| name.to_string_lossy().starts_with("call-")) {
        faults.push(format!("{} is left", left.display()));
    }
    faults
}

/// The owner's settings, with this client as the model.
fn settings(client: &Client, words: &Words) -> String {
    let arguments: Vec<String> = match client.name.as_str() {
        "codex" => CODEX.iter().map(|word| words.fill(word)).collect(),
        _ => Vec::new(),
    };
    let variables =
        client.environment.iter().map(|(name, value)| (name.clone(), words.fill(value)));
    let environment: BTreeMap<String, String> = variables.collect();
    let provider = json!({
        "kind": client.name, "model": "scripted", "program": format!("{PROGRAMS}/{}", client.name),
        "arguments": arguments, "environment": environment,
    });
    let model = json!({"mode": "advise", "limit_ms": 60_000, "providers": [provider]});
    toml::to_string(&json!({"model": model})).unwrap()
}
