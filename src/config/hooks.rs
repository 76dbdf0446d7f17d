//! Settings of hooks: what is done about an agent's events (`[[hooks]]`).
//! How a handler is matched and what it does is for `hooks` and the pipeline to say.

use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use super::policy::{Hold, Leave};
use super::settings::{Origin, Put};
use crate::rules::source::Problem;
use crate::rules::{Authority, glob};

/// What is done about an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The event, as any agent spells it; `*` is every one.
    pub event: String,
    /// The tools: `*`, a name, names with `|` between, or a regular expression.
    pub matcher: String,
    /// What is done.
    pub mode: HandlerMode,
    /// The score from which on a tool's call is allowed.
    pub threshold: Option<u8>,
    /// Values that are safe: command lines, paths, URLs.
    pub safe: Vec<String>,
    /// The owner's own program and its arguments.
    pub command: Vec<String>,
    /// How long that may take, in milliseconds.
    pub timeout_ms: u32,
    /// Whether it is given what files and answers hold.
    pub contents_may_leave: bool,
    /// What the file that it stands in may do.
    pub authority: Authority,
    /// Where it stands.
    pub origin: Origin,
}

/// What a handler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandlerMode {
    /// Judges the call.
    Judge,
    /// Records the event and gives no opinion.
    LogOnly,
    /// Tells the agent the branch it is on and what was refused.
    Context,
    /// Runs the owner's own program, which can only make the answer stricter.
    Custom,
    /// Has a language model say whether what a tool printed shows that it did what it was for.
    Validate,
    /// Has a language model say why a tool failed.
    Failure,
    /// Has a language model say what to bear in mind.
    Brief,
}

impl HandlerMode {
    /// All of them.
    const ALL: [Self; 7] = [
        Self::Judge,
        Self::LogOnly,
        Self::Context,
        Self::Custom,
        Self::Validate,
        Self::Failure,
        Self::Brief,
    ];

    /// Returns the name that settings use.
    const fn name(self) -> &'static str {
        match self {
            Self::Judge => "judge",
            Self::LogOnly => "log-only",
            Self::Context => "context",
            Self::Custom => "custom",
            Self::Validate => "validate",
            Self::Failure => "failure",
            Self::Brief => "brief",
        }
    }
}

/// Time that an owner's program has, unless the handler says otherwise.
const TIMEOUT_MS: u32 = 1000;

/// `[[hooks]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "as in `Handler`")]
pub struct WrittenHandler {
    pub event: Spanned<String>,
    #[serde(default)]
    pub matcher: Option<Spanned<String>>,
    pub mode: Spanned<String>,
    pub threshold: Option<Spanned<i64>>,
    #[serde(default)]
    pub safe: Vec<Spanned<String>>,
    pub command: Option<Spanned<Vec<String>>>,
    pub timeout_ms: Option<Spanned<i64>>,
    pub contents_may_leave: Option<Spanned<bool>>,
}

/// What is wrong with a handler by itself.
pub(super) fn check(handler: &WrittenHandler, problems: &mut Vec<Problem>) {
    let mut wrong = |span, message: String| problems.push(Problem::new(span, message));
    if handler.event.get_ref().is_empty() {
        wrong(handler.event.span(), "an event has a name; `*` is every one".to_owned());
    }
    let name = handler.mode.get_ref().as_str();
    let mode = match mode(name) {
        Ok(mode) => Some(mode),
        Err(message) => {
            wrong(handler.mode.span(), message);
            None
        }
    };
    if let Some(matcher) = &handler.matcher
        && let Some(what) =
            crate::rules::regex_fault(matcher.get_ref()).filter(|_| matcher.get_ref() != "*")
    {
        wrong(matcher.span(), format!("bad matcher '{}': {what}", matcher.get_ref()));
    }
    if let Some(threshold) = &handler.threshold
        && !(0..=100).contains(threshold.get_ref())
    {
        let message = format!("a threshold is a score from 0 to 100, not {}", threshold.get_ref());
        wrong(threshold.span(), message);
    }
    for safe in &handler.safe {
        if let Err(error) = glob::check(safe.get_ref()) {
            wrong(safe.span(), format!("bad glob '{}': {error}", safe.get_ref()));
        }
    }
    if let Some(timeout) = &handler.timeout_ms
        && !(1..=60_000).contains(timeout.get_ref())
    {
        wrong(timeout.span(), "a program has 1 to 60000 milliseconds".to_owned());
    }
    let leaves = handler.contents_may_leave.as_ref().is_some_and(|may| *may.get_ref());
    if matches!(mode, Some(HandlerMode::Validate | HandlerMode::Failure)) && !leaves {
        let message = format!(
            "`{name}` tells a language model what a tool printed: it needs `contents_may_leave = true`"
        );
        wrong(handler.mode.span(), message);
    }
    let program = handler.command.as_ref().map(|command| (command.span(), command.get_ref()));
    match (mode, program) {
        (Some(HandlerMode::Custom), None) => {
            wrong(handler.mode.span(), "`custom` needs `command`".to_owned());
        }
        (Some(HandlerMode::Custom), Some((span, command))) => {
            if !command.first().is_some_and(|program| program.starts_with('/')) {
                wrong(span, "a program is named by its absolute path".to_owned());
            }
        }
        (Some(_), Some((span, _))) => {
            wrong(span, format!("`command` is for the mode `custom`, not for `{name}`"));
        }
        (Some(_) | None, None) | (None, Some(_)) => {}
    }
}

fn mode(name: &str) -> Result<HandlerMode, String> {
    HandlerMode::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
        let all = HandlerMode::ALL.map(|mode| format!("`{}`", mode.name()));
        format!("no mode `{name}`: {}", all.join(", "))
    })
}

/// Puts a file's handlers behind those so far. One that may only tighten can have calls judged more strictly, and nothing else.
pub(super) fn put(into: &mut Vec<Handler>, written: &[WrittenHandler], put: &mut Put<'_>) {
    let (authority, why) = match put.leave("hooks", Hold::Always) {
        Leave::Full => (Some(Authority::Owner), String::new()),
        Leave::Stricter(why) => (Some(Authority::TightenOnly), why),
        Leave::None(why) => (None, why),
    };
    for handler in written {
        let Some(authority) = authority else {
            put.pass_over("hooks", &handler.event, &why);
            continue;
        };
        let origin = put.layer.origin(&handler.event);
        let Ok(mode) = mode(handler.mode.get_ref()) else { continue };
        let contents_may_leave =
            handler.contents_may_leave.as_ref().is_some_and(|may| *may.get_ref());
        let tightens = mode == HandlerMode::Judge && handler.safe.is_empty() && !contents_may_leave;
        if authority == Authority::TightenOnly && !tightens {
            let message = format!("{why}: it may only have calls judged, by a higher `threshold`");
            put.pass_over("hooks", &handler.event, &message);
            continue;
        }
        let number = |number: &Spanned<i64>| u8::try_from(*number.get_ref()).ok();
        let timeout = handler.timeout_ms.as_ref().and_then(|ms| u32::try_from(*ms.get_ref()).ok());
        into.push(Handler {
            event: handler.event.get_ref().clone(),
            matcher: handler
                .matcher
                .as_ref()
                .map_or_else(|| "*".to_owned(), |m| m.get_ref().clone()),
            mode,
            threshold: handler.threshold.as_ref().and_then(number),
            safe: handler.safe.iter().map(|safe| safe.get_ref().clone()).collect(),
            command: handler.command.as_ref().map(|c| c.get_ref().clone()).unwrap_or_default(),
            timeout_ms: timeout.unwrap_or(TIMEOUT_MS),
            contents_may_leave,
            authority,
            origin,
        });
    }
}

impl Handler {
    /// Returns the handler in few words, for `guarded-sh config`.
    pub(super) fn told(&self) -> String {
        let mode = self.mode.name();
        let program = self.command.first().map(PathBuf::from);
        let program = program.map(|path| format!(" {}", path.display())).unwrap_or_default();
        format!("{} {}: {mode}{program}", self.event, self.matcher)
    }
}
