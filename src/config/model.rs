//! Settings of language models (`[model]`): what they are there for, whom to ask, and for how long. Only owners' files set them: a project
//! cannot say who is asked, where, or with which key.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::schema::bound;
use super::settings::{Put, Sourced, owned_texts};
use crate::model::{ModelMode, Money};
use crate::rules::source::Problem;

/// What is asked of language models, and of which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSettings {
    /// What they are there for.
    pub mode: Sourced<ModelMode>,
    /// How many milliseconds a quick one has.
    pub limit_ms: Sourced<u32>,
    /// How many milliseconds a strong one has.
    pub strong_limit_ms: Sourced<u32>,
    /// How sure one must be of what it says, 0 to 100.
    pub confidence: Sourced<u8>,
    /// How safe one must find a line that it lets run, 0 to 100.
    pub safety: Sourced<u8>,
    /// How many calls a day may have; none is no bound.
    pub day_calls: Sourced<Option<u64>>,
    /// How many tokens a day may have; none is no bound.
    pub day_tokens: Sourced<Option<u64>>,
    /// What a day may cost; none is no bound.
    pub day_money: Sourced<Option<Money>>,
    /// How many calls a session may have; none is no bound.
    pub session_calls: Sourced<Option<u64>>,
    /// How many tokens a session may have; none is no bound.
    pub session_tokens: Sourced<Option<u64>>,
    /// What a session may cost; none is no bound.
    pub session_money: Sourced<Option<Money>>,
    /// Whether the commits go along that a line pushes.
    pub commits: Sourced<bool>,
    /// Whether the files go along that a line runs.
    pub files: Sourced<bool>,
    /// The kinds of code that was not read of which one may let a line run, if the files go along.
    pub opaque: Sourced<Vec<String>>,
    /// How many are asked at once at most.
    pub at_once: Sourced<u32>,
    /// Whom to ask, in order: of each tier the first that answers.
    pub providers: Sourced<Vec<Provider>>,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            mode: Sourced::default(),
            limit_ms: Sourced::default_of(4_000),
            strong_limit_ms: Sourced::default_of(15_000),
            confidence: Sourced::default_of(80),
            safety: Sourced::default_of(80),
            day_calls: Sourced::default(),
            day_tokens: Sourced::default(),
            day_money: Sourced::default(),
            session_calls: Sourced::default(),
            session_tokens: Sourced::default(),
            session_money: Sourced::default(),
            commits: Sourced::default_of(true),
            files: Sourced::default(),
            opaque: Sourced::default(),
            at_once: Sourced::default_of(8),
            providers: Sourced::default(),
        }
    }
}

impl ModelSettings {
    /// Returns whether the owner wants a model, and says which.
    #[must_use]
    pub fn wants_one(&self) -> bool {
        self.mode.value != ModelMode::Off && !self.providers.value.is_empty()
    }

    /// Returns for how long an answer is waited at most, in milliseconds: each tier that somebody is in has its own time.
    #[must_use]
    pub fn most_ms(&self) -> u32 {
        let of = |tier: Tier, limit: &Sourced<u32>| {
            let is_there = self.providers.value.iter().any(|provider| provider.tier == tier);
            if is_there { limit.value } else { 0 }
        };
        of(Tier::Quick, &self.limit_ms) + of(Tier::Strong, &self.strong_limit_ms)
    }
}

/// One of whom is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provider {
    /// What people call it.
    pub name: String,
    /// How it is spoken to.
    pub kind: ProviderKind,
    /// Where it is.
    pub url: String,
    /// Which of its models; none is the only one that an Ollama has.
    pub model: Option<String>,
    /// When it is asked.
    pub tier: Tier,
    /// What a million tokens cost that it is sent.
    #[serde(default)]
    pub input_price: Money,
    /// What a million tokens cost that it answers.
    #[serde(default)]
    pub output_price: Money,
    /// The variable in which its key is.
    pub api_key_env: Option<String>,
    /// The program, with its arguments, that prints its key.
    pub api_key_command: Vec<String>,
    /// The program, where it is asked by one: its whole path.
    #[serde(default)]
    pub program: Option<String>,
    /// Words for that program, after those that it is always given.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Variables for that program.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

impl Provider {
    /// Returns what it is called in questions and records, with its model.
    #[must_use]
    pub fn full_name(&self) -> String {
        match &self.model {
            Some(model) => format!("{}/{model}", self.name),
            None => self.name.clone(),
        }
    }
}

/// How a provider is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProviderKind {
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI's Chat Completions API, and what is compatible.
    OpenAi,
    /// The same as Azure has it: the address names the deployment.
    Azure,
    /// Ollama's own API.
    Ollama,
    /// Claude Code's command line.
    Claude,
    /// Codex's.
    Codex,
    /// Copilot's.
    Copilot,
    /// Gemini's.
    Gemini,
}

impl ProviderKind {
    /// Those that are asked by running a program.
    pub const COMMANDS: [Self; 4] = [Self::Claude, Self::Codex, Self::Copilot, Self::Gemini];

    /// Whether it is asked by running a program.
    #[must_use]
    pub fn is_command(self) -> bool {
        Self::COMMANDS.contains(&self)
    }

    /// Returns the name that settings use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Azure => "azure",
            Self::Ollama => "ollama",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
        }
    }

    /// Returns where it is if nothing else is said, and the variable that usually has its key.
    const fn usual(self) -> (Option<&'static str>, Option<&'static str>) {
        match self {
            Self::Anthropic => (Some("https://api.anthropic.com"), Some("ANTHROPIC_API_KEY")),
            Self::OpenAi => (Some("https://api.openai.com/v1"), Some("OPENAI_API_KEY")),
            Self::Azure => (None, Some("AZURE_OPENAI_API_KEY")),
            Self::Ollama => (Some("http://127.0.0.1:11434"), None),
            Self::Claude => (None, Some("ANTHROPIC_API_KEY")),
            Self::Codex => (None, Some("CODEX_API_KEY")),
            Self::Copilot => (None, Some("GH_TOKEN")),
            Self::Gemini => (None, Some("GEMINI_API_KEY")),
        }
    }
}

/// When a provider is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// First.
    #[default]
    Quick,
    /// Where the quick one cannot tell.
    Strong,
}

/// `[model]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(missing_docs, reason = "as in `ModelSettings`")]
pub struct WrittenModel {
    pub mode: Option<Spanned<ModelMode>>,
    pub limit_ms: Option<Spanned<i64>>,
    pub strong_limit_ms: Option<Spanned<i64>>,
    pub confidence: Option<Spanned<i64>>,
    pub safety: Option<Spanned<i64>>,
    pub day_calls: Option<Spanned<i64>>,
    pub day_tokens: Option<Spanned<i64>>,
    pub day_money: Option<Spanned<f64>>,
    pub session_calls: Option<Spanned<i64>>,
    pub session_tokens: Option<Spanned<i64>>,
    pub session_money: Option<Spanned<f64>>,
    pub commits: Option<Spanned<bool>>,
    pub files: Option<Spanned<bool>>,
    pub opaque: Option<Spanned<Vec<Spanned<String>>>>,
    pub at_once: Option<Spanned<i64>>,
    pub providers: Option<Spanned<Vec<WrittenProvider>>>,
}

/// `[[model.providers]]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs, reason = "as in `Provider`")]
pub struct WrittenProvider {
    pub name: Option<String>,
    pub kind: Spanned<ProviderKind>,
    pub url: Option<Spanned<String>>,
    pub model: Option<Spanned<String>>,
    #[serde(default)]
    pub tier: Tier,
    pub input_price: Option<Spanned<f64>>,
    pub output_price: Option<Spanned<f64>>,
    pub api_key_env: Option<String>,
    pub api_key_command: Option<Spanned<Vec<Spanned<String>>>>,
    pub program: Option<Spanned<String>>,
    pub arguments: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
}

impl WrittenProvider {
    fn provider(&self) -> Provider {
        let kind = *self.kind.get_ref();
        let (url, key) = kind.usual();
        let url = self.url.as_ref().map(|url| url.get_ref().as_str()).or(url);
        Provider {
            name: self.name.clone().unwrap_or_else(|| kind.name().to_owned()),
            kind,
            url: url.unwrap_or_default().trim_end_matches('/').to_owned(),
            model: self.model.as_ref().map(|model| model.get_ref().clone()),
            tier: self.tier,
            input_price: price(self.input_price.as_ref()),
            output_price: price(self.output_price.as_ref()),
            api_key_env: self.api_key_env.clone().or_else(|| key.map(str::to_owned)),
            api_key_command: texts(self.api_key_command.as_ref()),
            program: self.program.as_ref().map(|program| program.get_ref().clone()),
            arguments: texts(self.arguments.as_ref()),
            environment: self.environment.clone(),
        }
    }
}

fn price(written: Option<&Spanned<f64>>) -> Money {
    written.and_then(|amount| Money::of(*amount.get_ref())).unwrap_or_default()
}

fn texts(written: Option<&Spanned<Vec<Spanned<String>>>>) -> Vec<String> {
    written.map(|words| owned_texts(words.get_ref())).unwrap_or_default()
}

impl ModelSettings {
    pub(super) fn put(&mut self, written: &WrittenModel, put: &mut Put<'_>) {
        let limit = |ms: &i64| u32::try_from(*ms).unwrap_or_default();
        put.personal("model.mode", &mut self.mode, written.mode.as_ref(), |mode| *mode);
        put.personal("model.limit_ms", &mut self.limit_ms, written.limit_ms.as_ref(), limit);
        let strong = &mut self.strong_limit_ms;
        put.personal("model.strong_limit_ms", strong, written.strong_limit_ms.as_ref(), limit);
        let bar = |bar: &i64| u8::try_from(*bar).unwrap_or(100);
        let confidence = &mut self.confidence;
        put.personal("model.confidence", confidence, written.confidence.as_ref(), bar);
        put.personal("model.safety", &mut self.safety, written.safety.as_ref(), bar);
        let most = |most: &i64| u64::try_from(*most).ok();
        for (name, into, written) in [
            ("model.day_calls", &mut self.day_calls, &written.day_calls),
            ("model.day_tokens", &mut self.day_tokens, &written.day_tokens),
            ("model.session_calls", &mut self.session_calls, &written.session_calls),
            ("model.session_tokens", &mut self.session_tokens, &written.session_tokens),
        ] {
            put.personal(name, into, written.as_ref(), most);
        }
        for (name, into, written) in [
            ("model.day_money", &mut self.day_money, &written.day_money),
            ("model.session_money", &mut self.session_money, &written.session_money),
        ] {
            put.personal(name, into, written.as_ref(), |amount| Money::of(*amount));
        }
        put.personal("model.commits", &mut self.commits, written.commits.as_ref(), |is| *is);
        put.personal("model.files", &mut self.files, written.files.as_ref(), |is| *is);
        put.personal("model.opaque", &mut self.opaque, written.opaque.as_ref(), |names| {
            owned_texts(names)
        });
        put.personal("model.at_once", &mut self.at_once, written.at_once.as_ref(), limit);
        put.personal("model.providers", &mut self.providers, written.providers.as_ref(), |list| {
            list.iter().map(WrittenProvider::provider).collect()
        });
    }
}

/// The kinds of code that was not read which rules find no more than medium.
const OPAQUE: [&str; 4] = ["other-shell", "unread-code", "unread-script", "unread-input"];

/// Says what is wrong with what is written.
pub(super) fn check(written: &WrittenModel, problems: &mut Vec<Problem>) {
    let millis = (100, 60_000, "100 to 60000 milliseconds");
    let share = (0, 100, "0 to 100");
    let any = (0, i64::MAX, "0 or more");
    for (number, name, (least, most, what)) in [
        (&written.limit_ms, "limit_ms", millis),
        (&written.strong_limit_ms, "strong_limit_ms", millis),
        (&written.day_calls, "day_calls", any),
        (&written.day_tokens, "day_tokens", any),
        (&written.session_calls, "session_calls", any),
        (&written.session_tokens, "session_tokens", any),
        (&written.at_once, "at_once", (1, 64, "1 to 64")),
        (&written.confidence, "confidence", share),
        (&written.safety, "safety", share),
    ] {
        bound(number.as_ref(), least..=most, &format!("`model.{name}` is {what}"), problems);
    }
    for name in written.opaque.iter().flat_map(Spanned::get_ref) {
        if !OPAQUE.contains(&name.get_ref().as_str()) {
            let message = format!("`model.opaque` names {}", OPAQUE.join(", "));
            problems.push(Problem::new(name.span(), message));
        }
    }
    let mut money = |amount: &Option<Spanned<f64>>, name: &str| {
        if let Some(amount) =
            amount.as_ref().filter(|amount| Money::of(*amount.get_ref()).is_none())
        {
            let message = format!("`{name}` is an amount of money, 0 to 1000000");
            problems.push(Problem::new(amount.span(), message));
        }
    };
    money(&written.day_money, "model.day_money");
    money(&written.session_money, "model.session_money");
    let Some(providers) = &written.providers else { return };
    for provider in providers.get_ref() {
        money(&provider.input_price, "input_price");
        money(&provider.output_price, "output_price");
    }
    for provider in providers.get_ref() {
        let kind = *provider.kind.get_ref();
        match &provider.model {
            Some(model) if model.get_ref().trim().is_empty() => {
                problems.push(Problem::new(model.span(), "a model has a name"));
            }
            None if kind != ProviderKind::Ollama => {
                let message = format!("`{}` needs `model`: which of its models", kind.name());
                problems.push(Problem::new(provider.kind.span(), message));
            }
            _ => {}
        }
        check_program(provider, problems);
        match &provider.url {
            Some(_) if kind.is_command() => {}
            Some(url) => {
                if let Err(why) = address(url.get_ref()) {
                    problems.push(Problem::new(url.span(), why));
                }
            }
            None if kind == ProviderKind::Azure => {
                let message = "an Azure provider needs `url`, up to its deployment";
                problems.push(Problem::new(provider.kind.span(), message));
            }
            None => {}
        }
        if let Some(words) = &provider.api_key_command
            && !words.get_ref().first().is_some_and(|word| word.get_ref().starts_with('/'))
        {
            let message = "`api_key_command` begins with the whole path of a program";
            problems.push(Problem::new(words.span(), message));
        }
    }
}

/// Says what is wrong with who is asked by a program, and with who is not.
fn check_program(provider: &WrittenProvider, problems: &mut Vec<Problem>) {
    let (kind, at) = (*provider.kind.get_ref(), provider.kind.span());
    let name = kind.name();
    match &provider.program {
        _ if !kind.is_command() => {
            if provider.program.is_some()
                || provider.arguments.is_some()
                || !provider.environment.is_empty()
            {
                let message = format!(
                    "`program`, `arguments` and `environment` are for command lines, and `{name}` is asked over the network"
                );
                problems.push(Problem::new(at, message));
            }
        }
        Some(program) if program.get_ref().starts_with('/') => {
            if provider.url.is_some() || provider.api_key_command.is_some() {
                let message = format!(
                    "`{name}` is a program: it knows its address and its key; what it needs from its environment stands in `environment`"
                );
                problems.push(Problem::new(at, message));
            }
        }
        Some(program) => {
            problems.push(Problem::new(program.span(), "`program` is a whole path"));
        }
        None => {
            let message = format!("`{name}` needs `program`, its whole path");
            problems.push(Problem::new(at, message));
        }
    }
}

/// Says why something is no address that something is sent to: what is sent must not be readable on its way, so `http` is for this machine alone.
pub(super) fn address(url: &str) -> Result<(), &'static str> {
    let (scheme, rest) = url.split_once("://").ok_or("an address begins with `https://`")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() || authority.contains('@') {
        return Err("an address names a host, and no key");
    }
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    match scheme {
        "https" => Ok(()),
        "http" if matches!(host, "localhost" | "127.0.0.1" | "::1") => Ok(()),
        _ => Err("`http` is only for this machine; elsewhere it is `https`"),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::schema;

    #[test]
    fn what_is_wrong_is_said_where_it_stands() {
        let provider = |more: &str| format!("[[model.providers]]\nmodel = \"m\"\n{more}");
        for (text, at, says) in [
            ("[model]\nday_money = -1".to_owned(), "-1", "`model.day_money` is an amount of money"),
            ("[model]\nsession_calls = -1".to_owned(), "-1", "`model.session_calls` is 0 or more"),
            (
                "[model]\nopaque = [\"syntax\"]".to_owned(),
                "\"syntax\"",
                "`model.opaque` names other",
            ),
            (
                provider("kind = \"claude\""),
                "\"claude\"",
                "`claude` needs `program`, its whole path",
            ),
            (
                provider("kind = \"codex\"\nprogram = \"bin/codex\""),
                "\"bin/codex\"",
                "`program` is a whole path",
            ),
            (
                provider(
                    "kind = \"gemini\"\nprogram = \"/bin/gemini\"\nurl = \"https://a.example\"",
                ),
                "\"gemini\"",
                "`gemini` is a program",
            ),
            (
                provider("kind = \"openai\"\narguments = []"),
                "\"openai\"",
                "`program`, `arguments` and `environment` are for command lines",
            ),
            (
                provider("kind = \"openai\"\ninput_price = 1e9"),
                "1e9",
                "`input_price` is an amount of money",
            ),
            (
                provider("kind = \"openai\"\nurl = \"http://a.example\""),
                "\"http://a.example\"",
                "`http` is only for this machine",
            ),
            (provider("kind = \"azure\""), "\"azure\"", "an Azure provider needs `url`"),
            (
                "[[model.providers]]\nkind = \"openai\"".to_owned(),
                "\"openai\"",
                "`openai` needs `model`",
            ),
            (
                "[[model.providers]]\nkind = \"ollama\"\nmodel = \" \"".to_owned(),
                "\" \"",
                "a model has a name",
            ),
        ] {
            let Err(problems) = schema::read(&text) else { panic!("{text}") };
            assert!(problems[0].message.starts_with(says), "{text}: {}", problems[0].message);
            assert_eq!(text.get(problems[0].span.clone()), Some(at), "{text}");
        }
    }
}
