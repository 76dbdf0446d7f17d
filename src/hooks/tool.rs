//! What a call of a tool would do: a command line, or what is done to which paths and hosts.
//! Says nothing of how bad that is: it goes through the same policy as what a command line does.

use serde_json::Value;

use super::agent::Agent;
use super::event::Call;
use super::given::{self, Fields};
use super::option::{self, HandedOn};
use super::table::{self, Attaches, Does, Holds, REACHES, Tool};
use super::{address, mcp, mention, patch};
use crate::config::McpSettings;
use crate::model::{EffectKind, bare, head, read_numbers};

/// What a call would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// The tool by one name for all agents (`Read`, `Write`, `WebFetch`, `mcp__SERVER__TOOL`): what rules and matchers call it.
    pub title: String,
    /// What kind of a tool it is.
    pub kind: ToolKind,
    /// The command line, of a shell.
    pub line: Option<String>,
    /// What the client puts before the line, and behind it.
    pub wrapped: (&'static str, &'static str),
    /// What is done.
    pub deeds: Vec<Deed>,
    /// What is written or sent.
    pub texts: Vec<String>,
    /// In whose place that is written, one for each, where an edit says so.
    pub old: Vec<String>,
    /// What it is done to, for people and for the record.
    pub subject: String,
    /// Whether all that it is given is known.
    pub given: Given,
    /// The file that it tells the model, or that describes the helper that it starts.
    pub prompt: Option<Prompt>,
}

impl Work {
    /// Returns it in few words, by which it is recorded: the line of a shell, or the tool and what it is done to.
    #[must_use]
    pub fn told(&self) -> String {
        match &self.line {
            Some(line) => line.clone(),
            None => format!("{} {}", self.title, self.subject).trim_end().to_owned(),
        }
    }
}

/// A file that is told to a model when it is called by its name: a skill, a command, a helper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// The name, and in some clients words behind it.
    pub name: String,
    /// What the name is one of.
    pub named: Named,
    /// What is put into it.
    pub arguments: String,
    /// Where it may be: `{name}` is what it is called by, `~/` the home, all else below the workspace.
    pub files: &'static [&'static str],
    /// Names that the client has of its own, where no file has one.
    pub bundled: &'static [&'static str],
    /// The directories in which files describe helpers.
    pub helpers: &'static [&'static str],
    /// What in it the client takes for a mention of a file that it attaches.
    pub attaches: Attaches,
}

/// What a call names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A file, which is told as it is: one that is not there is not known.
    File,
    /// A helper: one that no file describes is the client's own.
    Helper,
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
    /// To a file whose path ends so, where there is none of this path.
    Sought(String),
    /// What stands in the directory of a path is read, where the path is none of a directory.
    Around(String),
    /// Every file is read that stands in the directory of this path, or that this pattern fits, in any case.
    All(String),
    /// A file is read, if this is the path of one: nothing says that it is.
    Perhaps(String),
    /// A secret is read, if this is the path of one: it is a part of a text, and what else it may name does not matter.
    Within(String),
    /// A secret is read that is no file.
    Secret,
    /// A URL is read.
    Fetch(String),
    /// It is not known, for this reason.
    Unclear(String),
}

/// Bytes of a subject that are no path, line or URL.
const SUBJECT: usize = 2048;

/// Bytes of a path (Linux, `PATH_MAX`).
const LONGEST_PATH: usize = 4096;

/// Spellings of one path that are looked at.
const MOST_SPELLINGS: usize = 16;

/// How much of what is not clear is said.
const MOST_DOUBTS: usize = 8;

/// Returns the directory in which a shell's call runs, where the call itself says so, and the client heeds it.
#[must_use]
pub fn directory(agent: &Agent, call: &Call) -> Option<String> {
    let tool = tool(agent, call).filter(|tool| tool.does == Does::Shell)?;
    Fields::read(tool, &call.input).of(Holds::Directory).next().map(str::to_owned)
}

/// Returns a shell's call with another line; none where the call's own is not one text in a field of that tool.
#[must_use]
pub fn with_line(agent: &Agent, call: &Call, line: &str) -> Option<Call> {
    let takes = tool(agent, call).filter(|tool| tool.does == Does::Shell)?.takes?;
    let fields = call.input.as_object()?;
    let mut lines = fields.keys().filter(|name| takes.contains(&(name.as_str(), Holds::Line)));
    let (Some(name), None) = (lines.next(), lines.next()) else { return None };
    if !fields[name].is_string() {
        return None;
    }
    let mut changed = call.clone();
    changed.input[name] = Value::String(line.to_owned());
    Some(changed)
}

fn tool(agent: &Agent, call: &Call) -> Option<&'static Tool> {
    if call.server.is_some() { None } else { table::tool(agent.name, &call.tool) }
}

/// Returns what a call would do.
#[must_use]
pub fn work(agent: &Agent, call: &Call, settings: &McpSettings) -> Work {
    let Some(tool) = tool(agent, call) else {
        return match mcp::split(call, settings) {
            Some((server, tool)) => served(&server, &tool, &call.input, settings),
            None => unknown(call),
        };
    };
    let fields = Fields::read(tool, &call.input);
    let mut work = known(tool, call, &fields, settings);
    let is_one = |text: &String| is_path(text) || may_be_path(text);
    let perhaps = owned(&fields, Holds::Perhaps).into_iter().filter(is_one);
    work.deeds.extend(perhaps.map(Deed::Perhaps));
    if tool.folds {
        let patterns = fields.of(Holds::Paths).map(unfolded).collect::<Vec<_>>();
        work.deeds.extend(fields.of(Holds::Paths).map(str::to_owned).map(Deed::All));
        work.deeds.extend(patterns.iter().cloned().map(Deed::All));
        let patterns = patterns.into_iter().map(Some);
        work.deeds.extend(patterns.map(|path| Deed::Path { kind: EffectKind::Read, path }));
    }
    if fields.of(Holds::Sql).any(reaches_out) {
        let what = format!("'{}' is given SQL that may reach beyond its own tables", call.tool);
        work.deeds.push(Deed::Unclear(what));
    }
    for text in fields.of(Holds::Mentions) {
        work.deeds.extend(mention::mentioned(text, tool.attaches, tool.below, settings));
    }
    work.wrapped = (tool.before, tool.after);
    if tool.around {
        work.deeds.extend(paths(&fields).into_iter().map(Deed::Around));
    }
    if let Some(line) = &work.line
        && !patch::is_read_alike(line, tool.intercepts)
    {
        let what = "gives a patch in a form that the client reads otherwise than a shell";
        work.deeds.push(Deed::Unclear(what.to_owned()));
    }
    if tool.seeks {
        work.deeds.extend(paths(&fields).into_iter().map(Deed::Sought));
    }
    if work.deeds.len() > given::MOST_STRINGS {
        work.deeds.truncate(given::MOST_STRINGS);
        work.deeds.push(Deed::Unclear("is given more than is looked at".to_owned()));
    }
    let unclear = fields.unclear.into_iter().take(MOST_DOUBTS);
    work.deeds.extend(unclear.map(|what| Deed::Unclear(format!("'{}' {what}", call.tool))));
    work.given = if fields.asks_more { Given::More } else { work.given };
    work
}

/// What a tool does that is known, with what it is known to take.
fn known(tool: &Tool, call: &Call, fields: &Fields, settings: &McpSettings) -> Work {
    let input = &call.input;
    match tool.does {
        Does::Shell => shell(fields, input),
        Does::Input => {
            let unclear = Deed::Unclear("types into a program that runs".to_owned());
            Work { deeds: vec![unclear], ..plain("Input", ToolKind::Shell, input) }
        }
        // One tool of many commands: what only looks is no change.
        Does::Edit if fields.of(Holds::Command).eq(["view"]) => {
            files("Read", ToolKind::Read, EffectKind::Read, fields, input)
        }
        Does::Read => files("Read", ToolKind::Read, EffectKind::Read, fields, input),
        Does::Write => files("Write", ToolKind::Write, EffectKind::Write, fields, input),
        Does::Edit => files("Edit", ToolKind::Edit, EffectKind::Write, fields, input),
        Does::Patch => patched(fields, input),
        Does::List => listed(fields, input),
        Does::Search => searched(fields, input),
        Does::Fetch => fetched(fields, input),
        Does::WebSearch => {
            let mut texts: Vec<String> = owned(fields, Holds::Words);
            let subject = texts.join(" ");
            texts.extend(owned(fields, Holds::Texts));
            Work { texts, subject, ..plain("WebSearch", ToolKind::Web, input) }
        }
        Does::Resource => {
            let server = fields.of(Holds::Server).next().unwrap_or("");
            let mut work = served(server, "read_resource", input, settings);
            if server.is_empty() && fields.of(Holds::Url).next().is_none() {
                // What all of them offer is a list of names.
                work.deeds.clear();
            }
            work
        }
        Does::Prompt | Does::Helper => {
            let is_file = tool.does == Does::Prompt;
            let prompt = Prompt {
                name: owned(fields, Holds::Prompt).join(" "),
                named: if is_file { Named::File } else { Named::Helper },
                arguments: owned(fields, Holds::Words).join(" "),
                files: tool.files,
                bundled: tool.bundled,
                helpers: tool.helpers,
                attaches: tool.attaches,
            };
            let mut work = plain(&call.tool, ToolKind::Own, input);
            if fields.of(Holds::Prompt).nth(1).is_some() {
                work.deeds.push(Deed::Unclear("names two files, of which one counts".to_owned()));
            }
            let told = format!("{} {}", prompt.name, prompt.arguments).trim_end().to_owned();
            let subject = if is_file { told } else { work.subject };
            Work { prompt: Some(prompt), subject, ..work }
        }
        Does::Later => later(tool, call, fields),
        Does::Own => plain(&call.tool, ToolKind::Own, input),
    }
}

/// A text that comes back as if the person had typed it: where it begins with a slash, it calls a skill or a command by its name.
fn later(tool: &Tool, call: &Call, fields: &Fields) -> Work {
    let mut called = fields.of(Holds::Mentions).map(str::trim).filter(|text| text.starts_with('/'));
    let prompt = called.next().map(|name| Prompt {
        name: name.to_owned(),
        named: Named::File,
        arguments: String::new(),
        files: tool.files,
        bundled: tool.bundled,
        helpers: tool.helpers,
        attaches: tool.attaches,
    });
    Work { prompt, ..plain(&call.tool, ToolKind::Own, &call.input) }
}

fn plain(title: &str, kind: ToolKind, input: &Value) -> Work {
    Work {
        title: title.to_owned(),
        kind,
        line: None,
        wrapped: ("", ""),
        deeds: Vec::new(),
        texts: Vec::new(),
        old: Vec::new(),
        subject: told(input),
        given: Given::Known,
        prompt: None,
    }
}

fn unknown(call: &Call) -> Work {
    let unclear = Deed::Unclear(mcp::unknown(&call.tool));
    Work { deeds: vec![unclear], ..plain(&call.tool, ToolKind::Mcp, &call.input) }
}

fn shell(fields: &Fields, input: &Value) -> Work {
    let lines = owned(fields, Holds::Line);
    let mut work = plain("Bash", ToolKind::Shell, input);
    let strange = |directory: &str| directory.trim() != directory;
    if fields.of(Holds::Directory).any(strange) || fields.of(Holds::Directory).nth(1).is_some() {
        work.deeds.push(Deed::Unclear("runs in a directory that is not clear".to_owned()));
    }
    match lines.as_slice() {
        // What is not clear beside a line is judged with it: see `pipeline::hook`.
        [line] => Work { subject: line.clone(), line: Some(line.clone()), ..work },
        [] => {
            work.deeds.push(Deed::Unclear("runs a command that is not there".to_owned()));
            work
        }
        _ => {
            work.deeds.push(Deed::Unclear("runs one of several commands".to_owned()));
            work
        }
    }
}

/// Tools that do one thing to each path that they are given.
fn files(title: &str, kind: ToolKind, effect: EffectKind, fields: &Fields, input: &Value) -> Work {
    let paths = paths(fields);
    Work {
        subject: paths.join(" "),
        deeds: on_paths(effect, &paths),
        texts: owned(fields, Holds::Text),
        old: owned(fields, Holds::Old),
        ..plain(title, kind, input)
    }
}

fn on_paths(kind: EffectKind, paths: &[String]) -> Vec<Deed> {
    if paths.is_empty() {
        return vec![Deed::Path { kind, path: None }];
    }
    paths.iter().map(|path| Deed::Path { kind, path: Some(path.clone()) }).collect()
}

/// The paths that are given, each also as clients may take it.
fn paths(fields: &Fields) -> Vec<String> {
    let given = fields.of(Holds::Path).chain(fields.of(Holds::Paths));
    given.flat_map(spellings).collect()
}

/// A path as it is written, and as one client or another makes a path of it: without the blanks around it, without the `@` that people
/// write before a file, with `%2e` and `\.` read as what they stand for, one after the other.
pub(super) fn spellings(path: &str) -> Vec<String> {
    const MAKES: [fn(&str) -> String; 4] = [
        |path| bare(path).to_owned(),
        |path| path.strip_prefix('@').unwrap_or(path).to_owned(),
        read_numbers,
        |path| path.replace('\\', ""),
    ];
    let mut found = vec![path.to_owned()];
    let mut at = 0;
    while let Some(path) = found.get(at).filter(|_| found.len() <= MOST_SPELLINGS).cloned() {
        for make in MAKES {
            let other = make(&path);
            if !other.is_empty() && !found.contains(&other) {
                found.push(other);
            }
        }
        at += 1;
    }
    found
}

/// An extended glob (bash(1), "Pattern Matching") that fits names in any case, as one of braces that fits no less of names in small letters.
fn unfolded(pattern: &str) -> String {
    let mut plain = pattern.to_lowercase();
    while let Some((start, end)) = innermost(&plain) {
        let inside = plain[start + 2..end].replace('|', ",");
        let whole = match plain.as_bytes()[start] {
            b'!' => "*".to_owned(),
            b'@' | b'+' => format!("{{{inside}}}"),
            _ => format!("{{,{inside}}}"),
        };
        plain.replace_range(start..=end, &whole);
    }
    // `[[:alpha:]]` is one character.
    while let Some(start) = plain.find("[[:")
        && let Some(length) = plain[start..].find(":]]")
    {
        plain.replace_range(start..start + length + 3, "?");
    }
    plain
}

/// Where a group begins within which there is none, with the sign before it, and where it ends.
fn innermost(pattern: &str) -> Option<(usize, usize)> {
    pattern.match_indices(')').find_map(|(end, _)| {
        let start = pattern[..end].rfind('(')?.checked_sub(1)?;
        b"?*+@!".contains(&pattern.as_bytes()[start]).then_some((start, end))
    })
}

/// Whether SQL reaches more than the tables of one database.
fn reaches_out(sql: &str) -> bool {
    let mut words = sql.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.any(|word| REACHES.contains(&word.to_lowercase().as_str()))
}

fn patched(fields: &Fields, input: &Value) -> Work {
    let texts = owned(fields, Holds::Patch);
    // From there it names its files.
    let directory = fields.of(Holds::Directory).next();
    let mut deeds = Vec::new();
    let mut names = Vec::new();
    for text in &texts {
        let files = patch::files(text);
        if files.is_empty() {
            deeds.push(Deed::Path { kind: EffectKind::Write, path: None });
        }
        for (kind, path) in files {
            let path = match directory {
                Some(directory) => path.map(|path| below(directory, &path)),
                None => path,
            };
            names.extend(path.clone().filter(|path| !names.contains(path)));
            deeds.push(Deed::Path { kind, path });
        }
    }
    if texts.is_empty() {
        deeds.push(Deed::Path { kind: EffectKind::Write, path: None });
    }
    Work { subject: names.join(" "), deeds, texts, ..plain("Edit", ToolKind::Edit, input) }
}

fn listed(fields: &Fields, input: &Value) -> Work {
    let mut places = paths(fields);
    if places.is_empty() {
        places.push(".".to_owned());
    }
    let patterns: Vec<String> = fields.of(Holds::Pattern).flat_map(spellings).collect();
    if !patterns.is_empty() {
        let within = |place: &String| {
            patterns.iter().map(|pattern| below(place, pattern)).collect::<Vec<_>>()
        };
        places = places.iter().flat_map(within).collect();
    }
    let deeds = on_paths(EffectKind::List, &places);
    Work { subject: places.join(" "), deeds, ..plain("List", ToolKind::Read, input) }
}

/// What is searched is read: all of a place, or what fits the filters in it.
fn searched(fields: &Fields, input: &Value) -> Work {
    let mut paths = paths(fields);
    if paths.is_empty() {
        paths.push(".".to_owned());
    }
    let filters: Vec<String> =
        fields.of(Holds::Filter).flat_map(narrowing).flat_map(read_widely).collect();
    if !filters.is_empty() {
        let within = |path: &String| {
            let patterns = filters.iter().map(|filter| below(path, &format!("**/{filter}")));
            patterns.collect::<Vec<_>>()
        };
        paths = paths.iter().flat_map(within).collect();
    }
    let mut deeds = on_paths(EffectKind::Read, &paths);
    if filters.iter().any(|filter| !is_balanced(filter)) {
        deeds.push(Deed::Unclear("is narrowed by a pattern that is not clear".to_owned()));
    }
    Work { subject: paths.join(" "), deeds, ..plain("Grep", ToolKind::Read, input) }
}

/// Returns a filter with `?`, and with `.`, in the place of each set of characters that programs read differently (`[.-/]`) or that only says what
/// does not stand there (`[!a]`): the names of most secrets begin with a dot.
fn read_widely(filter: &str) -> Vec<String> {
    const ODD: &[char] = &['/', ',', '{', '}', '!', '^'];
    // More than two stars are two.
    let mut starred = filter.to_owned();
    while starred.contains("***") {
        starred = starred.replace("***", "**");
    }
    let mut plain = String::new();
    let mut sets = 0;
    let mut rest = starred.as_str();
    while let Some(start) = rest.find('[') {
        // A bracket that stands first is one of the set.
        let first = rest[start + 1..].trim_start_matches(['!', '^']);
        let first = first.strip_prefix(']').unwrap_or(first);
        let Some(length) = first.find(']') else { break };
        let end = rest.len() - first.len() + length + 1;
        plain.push_str(&rest[..start]);
        if rest[start + 1..end].contains(ODD) {
            plain.push(ANY_OF_SET);
            sets += 1;
        } else {
            plain.push_str(&rest[start..end]);
        }
        rest = &rest[end..];
    }
    plain.push_str(rest);
    if sets == 0 {
        return vec![plain];
    }
    ["?", "."].map(|one| plain.replace(ANY_OF_SET, one)).to_vec()
}

/// Stands for a set of characters while a filter is read: no file is called so.
const ANY_OF_SET: char = '\0';

/// Whether each brace has its other one.
fn is_balanced(filter: &str) -> bool {
    let mut open = 0_usize;
    for c in filter.chars() {
        match c {
            '{' => open += 1,
            '}' if open == 0 => return false,
            '}' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// The patterns of a filter that say what is searched. Claude takes several, with blanks or, outside of braces, commas between.
fn narrowing(filter: &str) -> impl Iterator<Item = &str> {
    let words = filter.split_whitespace();
    let patterns = words.flat_map(|word| {
        let splits = |c: char| c == ',' && !word.contains('{');
        word.split(splits).collect::<Vec<_>>()
    });
    patterns.filter(|pattern| !pattern.is_empty() && !pattern.starts_with('!'))
}

fn below(place: &str, path: &str) -> String {
    if path.starts_with(['/', '~']) {
        return path.to_owned();
    }
    format!("{}/{path}", place.trim_end_matches('/'))
}

fn fetched(fields: &Fields, input: &Value) -> Work {
    let mut urls: Vec<String> = fields.of(Holds::Url).flat_map(addresses).collect();
    for text in fields.of(Holds::Addresses) {
        urls.extend(address::in_text(text).map(str::to_owned));
    }
    let mut deeds: Vec<Deed> = urls.iter().cloned().map(Deed::Fetch).collect();
    if deeds.is_empty() {
        deeds.push(Deed::Unclear("reads from a host that is not named".to_owned()));
    }
    let mut texts = urls.clone();
    texts.extend(owned(fields, Holds::Addresses));
    Work { subject: urls.join(" "), deeds, texts, ..plain("WebFetch", ToolKind::Web, input) }
}

/// An address as it is written, and as browsers read it.
fn addresses(text: &str) -> Vec<String> {
    let mut all = vec![bare(text).to_owned()];
    all.extend(Some(address::as_parsed(&all[0])).filter(|parsed| *parsed != all[0]));
    all
}

/// A tool of an MCP server: what it is given leaves the machine, as far as we know, and what is the path of a file may be read.
pub(super) fn served(server: &str, tool: &str, input: &Value, settings: &McpSettings) -> Work {
    let collected = given::collect(input);
    let fields = collected.fields.iter().map(Option::as_deref);
    let texts: Vec<_> = fields.zip(collected.texts.iter().map(String::as_str)).collect();
    let doubt = mcp::doubt((server, tool), &texts, settings);
    let mut deeds: Vec<Deed> = doubt.map(Deed::Unclear).into_iter().collect();
    if !collected.is_all {
        deeds.push(Deed::Unclear(format!("'{tool}' is given more than is looked at")));
    }
    let is_listed = mcp::is_listed(server, tool, settings);
    if !is_listed && mcp::gives_secrets(tool) {
        deeds.push(Deed::Secret);
    }
    let mut before: Option<(Option<&str>, &str)> = None;
    for (given, field) in collected.texts.iter().zip(&collected.fields) {
        let text = bare(given);
        let field = field.as_deref().filter(|_| !is_listed);
        if let Some(what) = mcp::doubt_of(field, text).filter(|_| !is_listed) {
            deeds.push(Deed::Unclear(format!("'{tool}' of '{server}' {what}")));
        }
        if field.is_some_and(|field| mcp::wants_secret(field, text)) {
            deeds.push(Deed::Secret);
        }
        if !is_listed && address::is_indirect(text) {
            let what = "is given an address that leads to another one, or to a socket";
            deeds.push(Deed::Unclear(format!("'{tool}' of '{server}' {what}")));
        }
        for url in addresses(text) {
            let is_host = field.is_some_and(mcp::is_host);
            let inner = if is_host { address::inner_host_alone } else { address::inner_host };
            if !is_listed
                && let Some(host) = inner(&url).or_else(|| address::inner_host_within(&url))
            {
                let what = format!(
                    "'{tool}' of '{server}' is given '{host}', which is inside of the network"
                );
                deeds.push(Deed::Unclear(what));
            }
            if address::is_url(&url) {
                deeds.push(Deed::Fetch(url));
            }
        }
        if !is_listed {
            deeds.extend(handed_on(text, (server, tool)));
            // Of a list, one behind the other.
            let option = before.filter(|(above, _)| *above == field && field.is_some());
            let both = option.map(|(_, option)| format!("{option} {text}"));
            deeds.extend(both.into_iter().flat_map(|both| handed_on(&both, (server, tool))));
            before = Some((field, text)).filter(|_| text.starts_with('-'));
        }
        let is_written = field.is_some_and(|field| mcp::writes(tool, field));
        if is_written && (is_path(text) || may_be_path(text)) {
            deeds.push(Deed::Path { kind: EffectKind::Write, path: Some(text.to_owned()) });
        }
        if is_path(text) {
            deeds.push(Deed::Path { kind: EffectKind::Read, path: Some(text.to_owned()) });
        } else if may_be_path(text) {
            deeds.push(Deed::Perhaps(text.to_owned()));
        }
        let read = read_numbers(text);
        if !address::is_url(text) {
            deeds.extend(paths_within(&read).map(|path| Deed::Within(path.to_owned())));
        }
        if read != text && !address::is_url(text) {
            deeds.push(Deed::Perhaps(read));
        }
    }
    for field in collected.switched_on.iter().filter(|_| !is_listed) {
        if mcp::opens_secrets(field) {
            deeds.push(Deed::Secret);
        } else if mcp::does_by(field) {
            deeds.push(Deed::Unclear(format!("'{tool}' of '{server}' is told '{field}'")));
        }
    }
    for field in collected.switched_off.iter().filter(|_| !is_listed) {
        if mcp::hides_secrets(field) {
            deeds.push(Deed::Secret);
        } else if mcp::does_without(field) {
            deeds.push(Deed::Unclear(format!("'{tool}' of '{server}' is told no '{field}'")));
        }
    }
    let title = format!("mcp__{server}__{tool}");
    Work { deeds, texts: collected.texts, ..plain(&title, ToolKind::Mcp, input) }
}

/// What a text does where the server hands it on to a program that takes it for an option.
fn handed_on(text: &str, (server, tool): (&str, &str)) -> Vec<Deed> {
    let deed = |option: HandedOn<'_>| match option {
        HandedOn::Writes(path) => {
            Deed::Path { kind: EffectKind::Write, path: Some(path.to_owned()) }
        }
        HandedOn::Runs => {
            let what = "is given what a program takes for an option by which it runs another";
            Deed::Unclear(format!("'{tool}' of '{server}' {what}"))
        }
    };
    option::read(text, is_path).into_iter().map(deed).collect()
}

/// Whether a text says that it is a path.
fn is_path(text: &str) -> bool {
    const STARTS: [&str; 4] = ["/", "~/", "../", "./"];
    let is_file = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("file:"));
    (is_file || STARTS.iter().any(|start| text.starts_with(start))) && !text.contains('\n')
}

/// Returns the paths that stand within a value: beside a sign that divides it (`file=/a`, `git+file:///a`, `/a:/b:ro`), and, where it is words of a
/// command, behind an option. A path in a sentence is only spoken of.
fn paths_within(text: &str) -> impl Iterator<Item = &str> {
    const SIGNS: &[char] =
        &['=', '+', ',', ';', ':', '@', '|', '"', '\'', '(', ')', '[', ']', '{', '}'];
    let is_one = !text.trim().contains(char::is_whitespace) || is_data(text);
    let mut is_behind_option = false;
    text.split_whitespace().flat_map(move |word| {
        let is_option = word.starts_with('-');
        let is_whole = is_one || is_option || is_behind_option;
        is_behind_option = is_option;
        let signs = if is_whole { SIGNS } else { &SIGNS[..1] };
        let behind = word.match_indices(signs).map(|(at, sign)| (sign, &word[at + sign.len()..]));
        // Behind the colon of a scheme stands a host.
        let behind = behind.filter(|(sign, part)| !(*sign == ":" && part.starts_with("//")));
        let whole = Some(word).filter(|_| is_whole);
        let parts = whole.into_iter().chain(behind.map(|(_, part)| part));
        let found = parts.flat_map(|part| [part, &part[..part.find(SIGNS).unwrap_or(part.len())]]);
        found.filter(|part| is_path(part)).collect::<Vec<_>>()
    })
}

/// Whether a text is no sentence but data: JSON, or lines of a name and a value (`path: /a`, `path = "/a"`).
fn is_data(text: &str) -> bool {
    let is_setting = |line: &str| {
        let value = line.split_once([':', '=']).filter(|(name, _)| {
            !name.trim().is_empty() && !name.trim().contains(char::is_whitespace)
        });
        value.is_some_and(|(_, value)| !value.trim().contains(char::is_whitespace))
    };
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let start = text.trim_start();
    start.starts_with('{') || start.starts_with("[\"") || lines.all(is_setting)
}

/// Whether a text can be a path as well as anything else: one word, or with a way up in it.
fn may_be_path(text: &str) -> bool {
    let is_word = !text.contains(char::is_whitespace);
    (1..=LONGEST_PATH).contains(&text.len())
        && (is_word || text.contains("../") && !text.contains('\n'))
        && !address::is_url(text)
}

fn owned(fields: &Fields, holds: Holds) -> Vec<String> {
    fields.of(holds).map(str::to_owned).collect()
}

/// What a call is given, on one line and not too long.
fn told(input: &Value) -> String {
    if input.is_null() {
        return String::new();
    }
    let mut text = bounded(input).to_string();
    if text.len() > SUBJECT {
        text.truncate(head(&text, SUBJECT).len());
        text.push('…');
    }
    text
}

/// The same value with long texts cut, so that no more is written out than is kept.
fn bounded(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(head(text, SUBJECT).to_owned()),
        Value::Array(list) => Value::Array(list.iter().take(64).map(bounded).collect()),
        Value::Object(fields) => {
            let fields = fields.iter().take(64).map(|(name, value)| (name.clone(), bounded(value)));
            Value::Object(fields.collect())
        }
        value => value.clone(),
    }
}
