//! What is wrong in a TOML file, and where: shared by rules and settings.
//! Finds places and near names; decides nothing about what is right.

use std::ops::Range;

/// Something wrong in a file of rules or settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes of the file that it is about.
    pub span: Range<usize>,
    /// The rule that it is about, where one is known.
    pub rule: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What may have been meant.
    pub hint: Option<String>,
}

impl Problem {
    /// Returns a problem at `span`.
    #[must_use]
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, rule: None, message: message.into(), hint: None }
    }

    /// Returns the problem with what may have been meant.
    #[must_use]
    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// Returns the problem as one of the rule `id`.
    #[must_use]
    pub fn of_rule(mut self, id: &str) -> Self {
        self.rule = Some(id.to_owned());
        self
    }

    /// Returns what the TOML reader found wrong, with the nearest of `names` to what stands there.
    #[must_use]
    pub fn from_toml(error: &toml::de::Error, source: &str, names: &[String]) -> Self {
        let span = error.span().unwrap_or(0..0);
        // The reader ends a sentence over several lines where it lists what it expected.
        let message = error.message().trim_end().replace('\n', ", ");
        if message.ends_with("expected a sequence")
            && let Some(list) = as_list(source, &span)
        {
            return Self::new(span, format!("expected a list: write {list}"));
        }
        let is_name = message.starts_with("unknown ");
        let word = source.get(span.clone()).filter(|_| is_name);
        let hint = word.and_then(|word| did_you_mean(word, names));
        Self::new(span, brief(plain(message, hint.is_some()))).hint(hint)
    }
}

/// Says in plain words what the reader of TOML says in its own. Where there is a word that was perhaps meant, others are not listed.
fn plain(message: String, is_hinted: bool) -> String {
    const KINDS: [(&str, &str); 6] = [
        ("i64", "a whole number"),
        ("u8", "a whole number"),
        ("f64", "a number"),
        ("a boolean", "true or false"),
        ("a string", "a text in quotes"),
        ("a map", "a table"),
    ];
    let kind = |expected: &str| {
        let known = KINDS.iter().find(|(name, _)| *name == expected).map(|(_, plain)| *plain);
        known.or_else(|| expected.starts_with("struct ").then_some("a table")).map(str::to_owned)
    };
    let parts = |rest: &str| {
        let (found, expected) = rest.rsplit_once(", expected ")?;
        Some((found.to_owned(), expected.trim_start_matches("one of ").to_owned()))
    };
    let told = if let Some(rest) = message.strip_prefix("invalid type: ") {
        parts(rest).and_then(|(found, expected)| {
            let found = found.replacen("string ", "the text ", 1).replacen("integer ", "", 1);
            Some(format!("this must be {}, not {found}", kind(&expected)?))
        })
    } else if let Some(rest) = message.strip_prefix("unknown field ") {
        parts(rest).map(|(found, expected)| {
            let others = if is_hinted { String::new() } else { format!(": {expected}") };
            format!("there is no key {found} here{others}")
        })
    } else if let Some(rest) = message.strip_prefix("unknown variant ") {
        parts(rest).map(|(found, expected)| format!("{found} is none of {expected}"))
    } else if message == "wanted string or table" {
        Some("this must be a word in quotes".to_owned())
    } else {
        None
    };
    told.unwrap_or(message)
}

/// Leaves out the middle of a message that shows a long value.
fn brief(message: String) -> String {
    let count = message.chars().count();
    if count <= 300 {
        return message;
    }
    let (first, last) = (message.chars().take(120), message.chars().skip(count - 120));
    first.chain("…".chars()).chain(last).collect()
}

/// Returns a value as the list that was to stand in its place, if it is short: of a command, each word is an entry.
fn as_list(source: &str, value: &Range<usize>) -> Option<String> {
    let text = source.get(value.clone())?.trim();
    if text.is_empty() || text.len() > 60 || text.contains('\n') || text.starts_with(['[', '{']) {
        return None;
    }
    let line = source.get(..value.start)?.rsplit('\n').next()?;
    let key = line.trim_end().strip_suffix('=')?.trim_end().rsplit([' ', '{', ',', '.']).next()?;
    let quoted = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    match quoted {
        Some(words) if key == "command" && !words.contains(['\\', '"']) => {
            let words: Vec<String> =
                words.split_whitespace().map(|word| format!("\"{word}\"")).collect();
            Some(format!("[{}]", words.join(", ")))
        }
        _ => Some(format!("[{text}]")),
    }
}

/// Returns line and column of a byte, both counted from 1, columns in characters.
#[must_use]
pub fn position(source: &str, byte: usize) -> (usize, usize) {
    let before = source.get(..byte.min(source.len())).unwrap_or(source);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Where the lines of a text begin, for when many places in it are asked for.
#[derive(Debug)]
pub struct Lines(Vec<usize>);

impl Lines {
    /// Finds the lines of a text.
    #[must_use]
    pub fn of(source: &str) -> Self {
        Self(source.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    /// Returns the line of a byte, counted from 1.
    #[must_use]
    pub fn line(&self, byte: usize) -> usize {
        self.0.partition_point(|&begin| begin <= byte) + 1
    }
}

/// Returns «did you mean» with the one of `names` that is nearest to `word`, if one is near.
#[must_use]
pub fn did_you_mean(word: &str, names: &[String]) -> Option<String> {
    // Only a bare key or a quoted name can be a slip of the pen; longer text is something else.
    let word = word.trim().trim_matches(['"', '\'']);
    if word.is_empty() || word.len() > 40 || names.iter().any(|name| name == word) {
        return None;
    }
    let (distance, name) = names
        .iter()
        .map(|name| (strsim::damerau_levenshtein(word, name), name))
        .min_by_key(|&(distance, _)| distance)?;
    (distance <= 1 + word.chars().count() / 4).then(|| format!("did you mean `{name}`?"))
}

/// Returns how serde spells a variant in kebab case, from its name in the code.
#[must_use]
pub fn kebab(variant: &impl std::fmt::Debug) -> String {
    let mut name = String::new();
    for letter in format!("{variant:?}").chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}
