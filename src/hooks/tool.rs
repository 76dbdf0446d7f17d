//! What a call of a tool would do: a command line, or what is done to which paths and hosts.
//! Says nothing of how bad that is: it goes through the same policy as what a command line does.

use serde_json::Value;

use super::event::Call;
use super::table::{self, Does};
use super::{mcp, patch};
use crate::config::McpSettings;
use crate::model::EffectKind;

/// What a call would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The tool by one name for all agents (`Read`, `Write`, `WebFetch`, `mcp__SERVER__TOOL`): what rules and matchers call it.
    pub title: String,
    /// What kind of a tool it is.
    pub kind: ToolKind,
    /// The command line, of a shell.
    pub line: Option<String>,
    /// What is done.
    pub deeds: Vec<Deed>,
    /// What is written or sent.
    pub texts: Vec<String>,
    /// What it is done to, for people and for the record.
    pub subject: String,
    /// Whether all that it is given is known.
    pub given: Given,
}

/// Whether all that a call is given is known. Where it is not, it may ask for more than what is judged, as to run outside of the client's
/// sandbox: that it is harmless is then no reason to spare the client's own question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// It is.
    Known,
    /// Something is not.
    More,
}

/// The kinds of tools, as far as settings tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// Runs command lines.
    Shell,
    /// Reads, lists and searches files.
    Read,
    /// Writes files.
    Write,
    /// Changes files.
    Edit,
    /// Asks hosts.
    Web,
    /// Is an MCP server's, or not known.
    Mcp,
    /// Is the agent's own.
    Own,
}

/// One thing that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// To a path or a pattern of paths.
    Path {
        /// What.
        kind: EffectKind,
        /// The path, as it was given; none if it was not.
        path: Option<String>,
    },
    /// A URL is read.
    Fetch(String),
    /// It is not known, for this reason.
    Unclear(String),
}

/// Strings of a call that are looked at, and no more: more than any real call has.
const MOST_STRINGS: usize = 4096;

/// Bytes of a subject that are no path, line or URL.
const SUBJECT: usize = 2048;

/// Returns the directory in which a shell's call runs, where the call itself says so.
#[must_use]
pub fn directory(call: &Call) -> Option<&str> {
    (table::does(&call.tool) == Some(Does::Shell))
        .then(|| strings(&call.input, table::DIRECTORY).first().copied())
        .flatten()
}

/// Returns what a call would do.
#[must_use]
pub fn work(call: &Call, settings: &McpSettings) -> Work {
    let input = &call.input;
    let does = if call.server.is_some() { None } else { table::does(&call.tool) };
    let Some(does) = does else {
        return match mcp::split(call, settings) {
            Some((server, tool)) => served(&server, &tool, input, settings),
            None => unknown(call),
        };
    };
    match does {
        Does::Shell => shell(input),
        Does::Input => {
            let unclear = Deed::Unclear("types into a program that runs".to_owned());
            Work { deeds: vec![unclear], ..plain("Input", ToolKind::Shell, input) }
        }
        // One tool of many commands: what only looks is no change.
        Does::Edit if input.get("command").is_some_and(|command| command == "view") => {
            files("Read", ToolKind::Read, EffectKind::Read, input)
        }
        Does::Read => files("Read", ToolKind::Read, EffectKind::Read, input),
        Does::Write => files("Write", ToolKind::Write, EffectKind::Write, input),
        Does::Edit => files("Edit", ToolKind::Edit, EffectKind::Write, input),
        Does::Patch => patched(input),
        Does::List => listed(input),
        Does::Search => searched(input),
        Does::Fetch => fetched(input),
        Does::WebSearch => {
            let texts = owned(strings(input, table::WORDS));
            let subject = texts.join(" ");
            Work { texts, subject, ..plain("WebSearch", ToolKind::Web, input) }
        }
        Does::Resource => {
            let server = input.get("server").and_then(Value::as_str).unwrap_or("");
            let mut work = served(server, "read_resource", input, settings);
            if server.is_empty() && input.get("uri").is_none() {
                // What all of them offer is a list of names.
                work.deeds.clear();
            }
            work
        }
        Does::Own => plain(&call.tool, ToolKind::Own, input),
    }
}

fn plain(title: &str, kind: ToolKind, input: &Value) -> Work {
    Work {
        title: title.to_owned(),
        kind,
        line: None,
        deeds: Vec::new(),
        texts: Vec::new(),
        subject: told(input),
        given: Given::Known,
    }
}

fn unknown(call: &Call) -> Work {
    let unclear = Deed::Unclear(format!("'{}' is a tool that is not known", call.tool));
    Work { deeds: vec![unclear], ..plain(&call.tool, ToolKind::Mcp, &call.input) }
}

fn shell(input: &Value) -> Work {
    let found = table::LINE.iter().find_map(|field| input.get(*field));
    let line = match found {
        Some(Value::String(line)) => Some(line.clone()),
        Some(Value::Array(words)) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            words.map(shell_words::join)
        }
        _ => None,
    };
    let known = [table::LINE, table::DIRECTORY, table::BESIDE];
    let is_more = |(field, value): (&String, &Value)| {
        let is_known = known.iter().any(|list| list.contains(&field.as_str()));
        !(is_known || matches!(value, Value::Null | Value::Bool(false)))
    };
    let more = input.as_object().into_iter().flatten().any(is_more);
    let given = if more { Given::More } else { Given::Known };
    let work = Work { given, ..plain("Bash", ToolKind::Shell, input) };
    match line {
        Some(line) => Work { subject: line.clone(), line: Some(line), ..work },
        None => {
            Work { deeds: vec![Deed::Unclear("runs a command that is not there".into())], ..work }
        }
    }
}

/// Tools that do one thing to each path that they are given.
fn files(title: &str, kind: ToolKind, effect: EffectKind, input: &Value) -> Work {
    let mut paths = owned(strings(input, table::PATH));
    paths.extend(path_like(input));
    let texts = if effect == EffectKind::Write { texts(input) } else { Vec::new() };
    let deeds = on_paths(effect, &paths);
    Work { subject: paths.join(" "), deeds, texts, ..plain(title, kind, input) }
}

fn on_paths(kind: EffectKind, paths: &[String]) -> Vec<Deed> {
    if paths.is_empty() {
        return vec![Deed::Path { kind, path: None }];
    }
    paths.iter().map(|path| Deed::Path { kind, path: Some(path.clone()) }).collect()
}

fn patched(input: &Value) -> Work {
    let text = match input {
        Value::String(text) => text.as_str(),
        _ => strings(input, table::PATCH).first().copied().unwrap_or(""),
    };
    let files = patch::files(text);
    let names: Vec<&str> = files.iter().map(|(_, path)| path.as_str()).collect();
    let subject = names.join(" ");
    let deed = |(kind, path): (EffectKind, String)| Deed::Path { kind, path: Some(path) };
    let mut deeds: Vec<Deed> = files.into_iter().map(deed).collect();
    if deeds.is_empty() {
        deeds.push(Deed::Path { kind: EffectKind::Write, path: None });
    }
    Work { subject, deeds, texts: vec![text.to_owned()], ..plain("Edit", ToolKind::Edit, input) }
}

fn listed(input: &Value) -> Work {
    let place = strings(input, table::PATH).first().copied().unwrap_or(".");
    let pattern = strings(input, table::PATTERN).first().copied();
    let path = pattern.map_or_else(|| place.to_owned(), |pattern| below(place, pattern));
    let deeds = vec![Deed::Path { kind: EffectKind::List, path: Some(path.clone()) }];
    Work { subject: path, deeds, ..plain("List", ToolKind::Read, input) }
}

/// What is searched is read: all of a place, or what fits the filter in it.
fn searched(input: &Value) -> Work {
    let fields: Vec<&str> =
        table::PATH.iter().copied().filter(|field| !table::FILTER.contains(field)).collect();
    let mut paths = owned(strings(input, &fields));
    if paths.is_empty() {
        paths.push(".".to_owned());
    }
    let filters = strings(input, table::FILTER);
    if !filters.is_empty() {
        let within = |path: &String| {
            let filters = filters.iter().filter(|filter| !filter.starts_with('!'));
            filters.map(|filter| below(path, &format!("**/{filter}"))).collect::<Vec<_>>()
        };
        paths = paths.iter().flat_map(within).collect();
    }
    let deeds = on_paths(EffectKind::Read, &paths);
    Work { subject: paths.join(" "), deeds, ..plain("Grep", ToolKind::Read, input) }
}

fn below(place: &str, path: &str) -> String {
    if path.starts_with(['/', '~']) {
        return path.to_owned();
    }
    format!("{}/{path}", place.trim_end_matches('/'))
}

fn fetched(input: &Value) -> Work {
    let mut urls = owned(strings(input, table::URL));
    if urls.is_empty() {
        // Gemini's takes them out of what it is asked.
        let words = strings(input, table::WORDS).into_iter().flat_map(str::split_whitespace);
        urls.extend(words.filter_map(|word| {
            let at = word.find("http://").or_else(|| word.find("https://"))?;
            Some(word[at..].trim_end_matches([',', '.', ')', '>', '"', '\'']).to_owned())
        }));
    }
    let mut deeds: Vec<Deed> = urls.iter().cloned().map(Deed::Fetch).collect();
    if deeds.is_empty() {
        deeds.push(Deed::Unclear("reads from a host that is not named".to_owned()));
    }
    Work { subject: urls.join(" "), deeds, texts: urls, ..plain("WebFetch", ToolKind::Web, input) }
}

/// A tool of an MCP server: what it is given leaves the machine, as far as we know, and what looks like a path may be read.
fn served(server: &str, tool: &str, input: &Value, settings: &McpSettings) -> Work {
    let mut deeds: Vec<Deed> =
        mcp::doubt(server, tool, settings).map(Deed::Unclear).into_iter().collect();
    let mut texts = Vec::new();
    collect(input, &mut texts);
    for text in &texts {
        let text = text.strip_prefix("file://").unwrap_or(text);
        if is_path(text) {
            deeds.push(Deed::Path { kind: EffectKind::Read, path: Some(text.to_owned()) });
        } else if is_url(text) {
            deeds.push(Deed::Fetch(text.to_owned()));
        }
    }
    let title = format!("mcp__{server}__{tool}");
    Work { deeds, texts, ..plain(&title, ToolKind::Mcp, input) }
}

fn is_path(text: &str) -> bool {
    ["/", "~/", "../"].iter().any(|start| text.starts_with(start)) && !text.contains('\n')
}

fn is_url(text: &str) -> bool {
    (text.starts_with("http://") || text.starts_with("https://"))
        && !text.contains(char::is_whitespace)
}

/// The values of these fields that are text, or lists of texts.
fn strings<'v>(input: &'v Value, fields: &[&str]) -> Vec<&'v str> {
    let values = fields.iter().filter_map(|field| input.get(*field));
    let texts = values.flat_map(|value| match value {
        Value::String(text) => vec![text.as_str()],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    });
    texts.filter(|text| !text.is_empty()).take(MOST_STRINGS).collect()
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}

/// What is not under a name that is known, and looks like a path.
fn path_like(input: &Value) -> Vec<String> {
    let known = [
        table::PATH,
        table::TEXT,
        table::PATTERN,
        table::FILTER,
        table::WORDS,
        table::URL,
        &["description"],
    ];
    let is_known = |field: &String| {
        field.starts_with("old") || known.iter().any(|list| list.contains(&field.as_str()))
    };
    let fields = input.as_object().into_iter().flatten();
    let others = fields.filter(|(field, _)| !is_known(field)).filter_map(|(_, v)| v.as_str());
    others.filter(|text| is_path(text)).map(str::to_owned).collect()
}

/// What is written.
fn texts(input: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    for value in table::TEXT.iter().filter_map(|field| input.get(*field)) {
        collect(value, &mut texts);
    }
    texts
}

/// All text in a value, but for what stands there to be replaced.
fn collect(value: &Value, into: &mut Vec<String>) {
    if into.len() >= MOST_STRINGS {
        return;
    }
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|value| collect(value, into)),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(field, _)| !field.starts_with("old"));
            fields.for_each(|(_, value)| collect(value, into));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What a call is given, on one line and not too long.
fn told(input: &Value) -> String {
    if input.is_null() {
        return String::new();
    }
    let mut text = bounded(input).to_string();
    if text.len() > SUBJECT {
        let mut end = SUBJECT;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The same value with long texts cut, so that no more is written out than is kept.
fn bounded(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > SUBJECT => {
            let mut end = SUBJECT;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            Value::String(text[..end].to_owned())
        }
        Value::Array(list) => Value::Array(list.iter().take(64).map(bounded).collect()),
        Value::Object(fields) => {
            let fields = fields.iter().take(64).map(|(name, value)| (name.clone(), bounded(value)));
            Value::Object(fields.collect())
        }
        value => value.clone(),
    }
}
