//! Settings of MCP (`[mcp]`): which servers of agents are known; and of our own server, where it listens for clients, what is asked about of what they want,
//! and what they may be given. The latter only owners' files set: a project cannot say who is heard.

use std::net::SocketAddr;

use serde::Deserialize;
use toml::Spanned;

use super::schema::bound;
use super::settings::{Put, Sourced, owned_texts};
use crate::model::Consent;
use crate::rules::source::Problem;

/// The port on this machine where nothing else is said.
const PORT: u16 = 9847;
/// For how many seconds a call waits before it answers with what is asked for later.
const WAIT: u16 = 50;

/// What is known of MCP servers, and our own one: the bridge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpSettings {
    /// Servers whose tools may be called where their names say that they only look.
    pub servers: Sourced<Vec<String>>,
    /// Other tools that may be called, as globs on `SERVER/TOOL`.
    pub tools: Sourced<Vec<String>>,
    /// Whether the user's host starts it too.
    pub serve: Sourced<bool>,
    /// The port on this machine; 0 is any that is free.
    pub port: Sourced<u16>,
    /// Where else it listens: addresses of bridges to containers.
    pub listen: Sourced<Vec<SocketAddr>>,
    /// Names by which clients may ask for it, beside its addresses.
    pub hosts: Sourced<Vec<String>>,
    /// Sites whose pages may ask.
    pub origins: Sourced<Vec<String>>,
    /// What is asked about.
    pub approval: Sourced<Consent>,
    /// For how many seconds a call waits.
    pub wait: Sourced<u16>,
    /// Variables of the owner's that clients may be given.
    pub pass: Sourced<Vec<String>>,
}

impl Default for McpSettings {
    fn default() -> Self {
        Self {
            servers: Sourced::default(),
            tools: Sourced::default(),
            serve: Sourced::default(),
            port: Sourced::default_of(PORT),
            listen: Sourced::default(),
            hosts: Sourced::default(),
            origins: Sourced::default(),
            approval: Sourced::default(),
            wait: Sourced::default_of(WAIT),
            pass: Sourced::default(),
        }
    }
}

/// `[mcp]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `McpSettings`")]
pub struct WrittenMcp {
    pub servers: Option<Spanned<Vec<Spanned<String>>>>,
    pub tools: Option<Spanned<Vec<Spanned<String>>>>,
    pub serve: Option<Spanned<bool>>,
    pub port: Option<Spanned<i64>>,
    pub listen: Option<Spanned<Vec<Spanned<String>>>>,
    pub hosts: Option<Spanned<Vec<Spanned<String>>>>,
    pub origins: Option<Spanned<Vec<Spanned<String>>>>,
    pub approval: Option<Spanned<Consent>>,
    pub wait: Option<Spanned<i64>>,
    pub pass: Option<Spanned<Vec<Spanned<String>>>>,
}

impl McpSettings {
    pub(super) fn put(&mut self, written: &WrittenMcp, put: &mut Put<'_>) {
        let lower = |names: &Vec<Spanned<String>>| -> Vec<String> {
            names.iter().map(|text| text.get_ref().to_ascii_lowercase()).collect()
        };
        put.granted("mcp.servers", &mut self.servers, written.servers.as_ref(), owned_texts);
        put.granted("mcp.tools", &mut self.tools, written.tools.as_ref(), owned_texts);
        // The reader of the file has seen that all of these fit.
        let number = |number: &i64| u16::try_from(*number).unwrap_or_default();
        put.personal("mcp.serve", &mut self.serve, written.serve.as_ref(), |serve| *serve);
        put.personal("mcp.port", &mut self.port, written.port.as_ref(), number);
        put.personal("mcp.listen", &mut self.listen, written.listen.as_ref(), |list| {
            list.iter().filter_map(|at| at.get_ref().parse().ok()).collect()
        });
        put.personal("mcp.hosts", &mut self.hosts, written.hosts.as_ref(), lower);
        put.personal("mcp.origins", &mut self.origins, written.origins.as_ref(), lower);
        put.personal("mcp.approval", &mut self.approval, written.approval.as_ref(), |is| *is);
        put.personal("mcp.wait", &mut self.wait, written.wait.as_ref(), number);
        put.personal("mcp.pass", &mut self.pass, written.pass.as_ref(), owned_texts);
    }
}

/// Says what is wrong with what is written.
pub(super) fn check(written: &WrittenMcp, problems: &mut Vec<Problem>) {
    bound(written.port.as_ref(), 0..=65_535, "`mcp.port` is 0 to 65535", problems);
    bound(written.wait.as_ref(), 1..=3_600, "`mcp.wait` is 1 to 3600 seconds", problems);
    let mut each = |list: &Option<Spanned<Vec<Spanned<String>>>>, is: fn(&str) -> bool, says| {
        for text in list.iter().flat_map(Spanned::get_ref).filter(|text| !is(text.get_ref())) {
            problems.push(Problem::new(text.span(), says));
        }
    };
    each(
        &written.listen,
        is_address,
        "an address is that of one interface, with a port: 172.17.0.1:9847",
    );
    each(&written.hosts, is_host, "a host is a name or an address, and a port if it has one");
    each(&written.origins, is_origin, "an origin is a site: https://app.example.org");
    each(
        &written.pass,
        is_variable,
        "a variable has letters, digits and `_`, and none that says what else is loaded",
    );
}

/// Whether a text is the address of one interface.
fn is_address(text: &str) -> bool {
    let address = text.parse::<SocketAddr>();
    address.is_ok_and(|at| at.port() != 0 && !at.ip().is_unspecified() && !at.ip().is_multicast())
}

/// Whether a text can be the value of a `Host`.
fn is_host(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    !text.is_empty() && text.len() <= 259 && text.bytes().all(is_letter)
}

/// Whether a text is an origin, as browsers say it.
fn is_origin(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(is_host)
}

/// Variables that say what else is loaded or run, or whom programs believe.
const NEVER: [&str; 14] = [
    "PATH",
    "BASH_ENV",
    "ENV",
    "IFS",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "PROMPT_COMMAND",
    "PYTHONPATH",
    "PERL5OPT",
    "PERL5LIB",
    "RUBYOPT",
    "NODE_OPTIONS",
    "HOME",
];
/// The same, by how they begin.
const NEVER_BEGIN: [&str; 5] = ["LD_", "DYLD_", "GIT_", "GUARDED_SH_", "BASH_FUNC_"];

/// The variables of the owner's that every line of a client has.
const KEPT: [&str; 11] = [
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TZ",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
];

/// Returns the variables of the owner's that lines of clients have, where these are passed besides.
pub fn variables(passed: &[String]) -> impl Iterator<Item = &str> {
    KEPT.iter().copied().chain(passed.iter().map(String::as_str))
}

/// Returns whether a client may be given this variable, or set it.
#[must_use]
pub fn is_variable(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins = name.as_bytes().first().is_some_and(|byte| !byte.is_ascii_digit());
    begins
        && name.len() <= 128
        && name.bytes().all(is_letter)
        && !NEVER.contains(&name)
        && !NEVER_BEGIN.iter().any(|begin| name.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::schema;

    #[test]
    fn what_is_wrong_is_said_where_it_stands() {
        for (text, at, says) in [
            ("[mcp]\nport = 70000", "70000", "`mcp.port` is 0"),
            ("[mcp]\nwait = 0", "0", "`mcp.wait` is 1"),
            ("[mcp]\napproval = \"never\"", "\"never\"", "`never` is none of"),
            ("[mcp]\nlisten = [\"0.0.0.0:9847\"]", "\"0.0.0.0:9847\"", "an address is"),
            ("[mcp]\nlisten = [\"[::]:9847\"]", "\"[::]:9847\"", "an address is"),
            ("[mcp]\nlisten = [\"172.17.0.1\"]", "\"172.17.0.1\"", "an address is"),
            ("[mcp]\nhosts = [\"*\"]", "\"*\"", "a host is"),
            ("[mcp]\norigins = [\"null\"]", "\"null\"", "an origin is"),
            ("[mcp]\norigins = [\"*\"]", "\"*\"", "an origin is"),
            ("[mcp]\npass = [\"LD_PRELOAD\"]", "\"LD_PRELOAD\"", "a variable has"),
            ("[mcp]\npass = [\"A=B\"]", "\"A=B\"", "a variable has"),
        ] {
            let Err(problems) = schema::read(text) else { panic!("{text}") };
            assert!(problems[0].message.starts_with(says), "{text}: {}", problems[0].message);
            assert_eq!(text.get(problems[0].span.clone()), Some(at), "{text}");
        }
    }

    #[test]
    fn no_client_sets_what_says_what_else_is_run() {
        for name in ["PATH", "LD_PRELOAD", "GIT_SSH_COMMAND", "BASH_ENV", "", "1A", "A B", "A=B"] {
            assert!(!is_variable(name), "{name}");
        }
        for name in ["GH_TOKEN", "SSH_AUTH_SOCK", "CI", "_x"] {
            assert!(is_variable(name), "{name}");
        }
    }
}
