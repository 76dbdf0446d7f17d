//! Settings of the page (`[page]`): where it listens, what an answer there takes, and who is told that a question waits. Only owners' files set
//! them: a project cannot say who answers, and where questions are told.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use super::home::expand;
use super::model::address;
use super::schema::bound;
use super::settings::{Put, Sourced};
use crate::model::Severity;
use crate::rules::source::Problem;

/// Where a proxy reaches the page where nothing else is said.
const LISTEN: &str = "127.0.0.1:8422";

/// The page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSettings {
    /// The port on this machine; 0 is any that is free.
    pub port: Sourced<u16>,
    /// Whether the user's host starts it too.
    pub serve: Sourced<bool>,
    /// From which severity on a yes takes the touch of a passkey.
    pub passkey: Sourced<Passkey>,
    /// How it is reached from other machines.
    pub remote: RemoteSettings,
    /// Who is told that a question waits.
    pub notify: NotifySettings,
}

/// `[page.remote]`: the page behind a reverse proxy on this machine, which speaks TLS to other ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteSettings {
    /// The name that browsers elsewhere know it by; none: it is for this machine alone.
    pub host: Sourced<Option<String>>,
    /// Where the proxy reaches it, on this machine's loopback.
    pub listen: Sourced<Option<SocketAddr>>,
    /// The user that the proxy runs as; none: our own.
    pub user: Sourced<Option<String>>,
    /// Whether browsers elsewhere may answer.
    pub answer: Sourced<bool>,
}

impl Default for RemoteSettings {
    fn default() -> Self {
        Self {
            host: Sourced::default(),
            listen: Sourced::default_of(LISTEN.parse().ok()),
            user: Sourced::default(),
            answer: Sourced::default(),
        }
    }
}

/// `[page.notify]`: who is told that a question waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifySettings {
    /// The address of a topic of ntfy.
    pub ntfy: Sourced<Option<String>>,
    /// The file with the token that the topic takes.
    pub token_file: Sourced<Option<PathBuf>>,
    /// What is told.
    pub tells: Sourced<Vec<Tell>>,
    /// What else is told.
    pub webhooks: Sourced<Vec<Webhook>>,
}

impl Default for NotifySettings {
    fn default() -> Self {
        let tells = vec![Tell::Agent, Tell::Severity, Tell::Project];
        Self {
            ntfy: Sourced::default(),
            token_file: Sourced::default(),
            tells: Sourced::default_of(tells),
            webhooks: Sourced::default(),
        }
    }
}

/// An address that is told of each question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// The address.
    pub url: String,
    /// The file with the secret that what is told is signed with.
    pub secret_file: Option<PathBuf>,
}

/// From which severity on a yes takes the touch of a passkey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Passkey {
    /// From none.
    #[default]
    Off,
    /// From high.
    High,
    /// From critical.
    Critical,
}

impl Passkey {
    /// Returns the name that settings use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::High => "high",
            Self::Critical => "critical",
        }
    }

    /// Returns whether a yes to what is so severe takes one.
    #[must_use]
    pub fn is_needed(self, severity: Severity) -> bool {
        match self {
            Self::Off => false,
            Self::High => severity >= Severity::High,
            Self::Critical => severity >= Severity::Critical,
        }
    }
}

/// A part of what is told of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tell {
    /// Who asks.
    Agent,
    /// How severe it is.
    Severity,
    /// The name of the directory that it is in.
    Project,
    /// The line, with secrets masked as in records.
    Line,
}

impl Tell {
    /// Returns the name that settings use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Severity => "severity",
            Self::Project => "project",
            Self::Line => "line",
        }
    }
}

/// `[page]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `PageSettings`")]
pub struct WrittenPage {
    pub port: Option<Spanned<i64>>,
    pub serve: Option<Spanned<bool>>,
    pub passkey: Option<Spanned<Passkey>>,
    pub remote: WrittenRemote,
    pub notify: WrittenNotify,
}

/// `[page.remote]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `RemoteSettings`")]
pub struct WrittenRemote {
    pub host: Option<Spanned<String>>,
    pub listen: Option<Spanned<String>>,
    pub user: Option<Spanned<String>>,
    pub answer: Option<Spanned<bool>>,
}

/// `[page.notify]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `NotifySettings`")]
pub struct WrittenNotify {
    pub ntfy: Option<Spanned<String>>,
    pub token_file: Option<Spanned<String>>,
    pub tells: Option<Spanned<Vec<Tell>>>,
    pub webhooks: Option<Spanned<Vec<WrittenWebhook>>>,
}

/// `[[page.notify.webhooks]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "as in `Webhook`")]
pub struct WrittenWebhook {
    pub url: Spanned<String>,
    pub secret_file: Option<Spanned<String>>,
}

impl PageSettings {
    pub(super) fn put(&mut self, written: &WrittenPage, put: &mut Put<'_>) {
        let home = put.layer.home;
        let path = |text: &String| expand(text, home);
        let text = |text: &String| Some(text.clone());
        // The reader of the file has seen that all of these fit.
        put.personal("page.port", &mut self.port, written.port.as_ref(), |port| {
            u16::try_from(*port).unwrap_or_default()
        });
        put.personal("page.serve", &mut self.serve, written.serve.as_ref(), |serve| *serve);
        put.personal("page.passkey", &mut self.passkey, written.passkey.as_ref(), |from| *from);
        let (remote, wrote) = (&mut self.remote, &written.remote);
        put.personal("page.remote.host", &mut remote.host, wrote.host.as_ref(), |host| {
            Some(host.to_ascii_lowercase())
        });
        put.personal("page.remote.listen", &mut remote.listen, wrote.listen.as_ref(), |at| {
            at.parse().ok()
        });
        put.personal("page.remote.user", &mut remote.user, wrote.user.as_ref(), text);
        put.personal("page.remote.answer", &mut remote.answer, wrote.answer.as_ref(), |may| *may);
        let (notify, wrote) = (&mut self.notify, &written.notify);
        put.personal("page.notify.ntfy", &mut notify.ntfy, wrote.ntfy.as_ref(), text);
        let (token, file) = (&mut notify.token_file, wrote.token_file.as_ref());
        put.personal("page.notify.token_file", token, file, path);
        put.personal("page.notify.tells", &mut notify.tells, wrote.tells.as_ref(), Vec::clone);
        let hooks = wrote.webhooks.as_ref();
        put.personal("page.notify.webhooks", &mut notify.webhooks, hooks, |hooks| {
            let hook = |hook: &WrittenWebhook| Webhook {
                url: hook.url.get_ref().clone(),
                secret_file: hook.secret_file.as_ref().and_then(|file| path(file.get_ref())),
            };
            hooks.iter().map(hook).collect()
        });
    }
}

/// Says what is wrong with what is written.
pub(super) fn check(written: &WrittenPage, problems: &mut Vec<Problem>) {
    bound(written.port.as_ref(), 0..=65_535, "`page.port` is 0 to 65535", problems);
    let mut wrong = |text: &Spanned<String>, message: &str| {
        problems.push(Problem::new(text.span(), message));
    };
    let WrittenRemote { host, listen, user, answer: _ } = &written.remote;
    if let Some(host) = host.as_ref().filter(|host| !is_name(host.get_ref())) {
        wrong(host, "a host is a name with a point in it, and no port: guard.example.org");
    }
    let is_here = |text: &str| {
        text.parse::<SocketAddr>().is_ok_and(|at| at.ip().is_loopback() && at.port() != 0)
    };
    if let Some(listen) = listen.as_ref().filter(|listen| !is_here(listen.get_ref())) {
        wrong(listen, "the proxy reaches it on this machine's loopback: 127.0.0.1:8422");
    }
    if let Some(user) = user.as_ref().filter(|user| user.get_ref().is_empty()) {
        wrong(user, "a user has a name");
    }
    let notify = &written.notify;
    let hooks = notify.webhooks.iter().flat_map(Spanned::get_ref);
    for url in notify.ntfy.iter().chain(hooks.clone().map(|hook| &hook.url)) {
        if let Err(why) = address(url.get_ref()) {
            wrong(url, why);
        }
    }
    let files = hooks.filter_map(|hook| hook.secret_file.as_ref());
    for file in files.chain(&notify.token_file) {
        if !(file.get_ref().starts_with('/') || file.get_ref().starts_with("~/")) {
            wrong(file, "a file begins with `/` or `~/`");
        }
    }
}

/// Returns whether a text is the name of a host as certificates have it: no address, and no name that means this machine.
fn is_name(text: &str) -> bool {
    let is_label = |label: &str| {
        let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..=63).contains(&label.len())
            && label.bytes().all(is_inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = text.rsplit('.').next().unwrap_or_default();
    text.len() <= 253
        && text.contains('.')
        && text.split('.').all(is_label)
        && !last.eq_ignore_ascii_case("localhost")
        && last.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use crate::config::schema;

    #[test]
    fn what_is_wrong_is_said_where_it_stands() {
        for (text, at, says) in [
            ("[page]\nport = 70000", "70000", "`page.port` is 0 to 65535"),
            ("[page]\npasskey = \"low\"", "\"low\"", "`low` is none of"),
            ("[page.remote]\nhost = \"1.2.3.4\"", "\"1.2.3.4\"", "a host is a name"),
            ("[page.remote]\nhost = \"a.example:443\"", "\"a.example:443\"", "a host is a name"),
            ("[page.remote]\nhost = \"x.localhost\"", "\"x.localhost\"", "a host is a name"),
            ("[page.remote]\nhost = \"a..example\"", "\"a..example\"", "a host is a name"),
            ("[page.remote]\nlisten = \"0.0.0.0:80\"", "\"0.0.0.0:80\"", "the proxy reaches it"),
            ("[page.remote]\nlisten = \"127.0.0.1\"", "\"127.0.0.1\"", "the proxy reaches it"),
            ("[page.remote]\nlisten = \"127.0.0.1:0\"", "\"127.0.0.1:0\"", "the proxy reaches it"),
            ("[page.remote]\nuser = \"\"", "\"\"", "a user has a name"),
            ("[page.notify]\nntfy = \"http://a.example/t\"", "\"http://a.example/t\"", "`http` is"),
            ("[page.notify]\ntells = [\"all\"]", "\"all\"", "`all` is none of"),
            ("[[page.notify.webhooks]]\nurl = \"x\"", "\"x\"", "an address begins with"),
            (
                "[[page.notify.webhooks]]\nurl = \"https://a.example\"\nsecret_file = \"x\"",
                "\"x\"",
                "a file begins with",
            ),
        ] {
            let Err(problems) = schema::read(text) else { panic!("{text}") };
            assert!(problems[0].message.starts_with(says), "{text}: {}", problems[0].message);
            assert_eq!(text.get(problems[0].span.clone()), Some(at), "{text}");
        }
    }
}
