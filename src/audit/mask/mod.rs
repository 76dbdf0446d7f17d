//! Takes secrets out of text before it is recorded. Reads once from left to right for each kind, and never takes longer than
//! in proportion to the text.
//!
//! It masks what looks like a secret by its own form (a known token, a key block, a word drawn at random), by the name it is given to
//! (`API_KEY=…`, `--password …`, `Authorization: …`, a field beside or above it, the head of its column, the sentence in which it stands),
//! or by its place (`user:password@host`, `mysql -p…`, `… | chpasswd`); which names, forms and programs says `rules/secrets.toml`. Quotes are followed as a shell follows them: no command of
//! the line is masked, nor what is only the name of a secret (`$TOKEN`, `$(pass show x)`), since it says what was done.
//!
//! What holds a secret only by another name is followed where the line itself says it: a variable, a substitution, a group before a pipe.
//! What stands where one is to be put (`changeme`, `your-api-key`), a type or a pattern of code is left.
//!
//! A secret that is none of these is recorded as it stands: a password of plain words for a program that the rules do not name, a UUID or a
//! few hexadecimal digits that nothing names, and hexadecimal that stands for a digest or in a path on this machine. A harmless word drawn
//! at random is masked.

mod address;
mod columns;
mod drawn;
mod encoded;
mod ends;
mod fields;
mod formats;
mod handed;
mod input;
mod manifest;
mod names;
mod near;
mod odds;
mod options;
mod pairs;
mod quoting;
mod spelt;
mod tokens;
mod value;
mod words;

use std::borrow::Cow;
use std::ops::Range;

use quoting::Text;
use spelt::Spelt;

pub use quoting::Written;

/// What stands in the place of a secret.
pub const MASK: &str = "[masked]";

/// Returns the text with its secrets masked.
#[must_use]
pub fn mask(text: &str) -> Cow<'_, str> {
    replace(text, &found(text, Written::Shell))
}

/// Secrets that were found in one text, to be masked in what quotes it.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

/// Secrets of one text that are kept at most.
const KEPT: usize = 64;

impl Secrets {
    /// Returns the text with its secrets masked, and the secrets: as they stand there, and without quotes.
    #[must_use]
    pub fn mask(text: &str, written: Written) -> (Cow<'_, str>, Self) {
        let found = found(text, written);
        let mut secrets = Vec::new();
        for range in found.iter().take(KEPT) {
            let secret = &text[range.clone()];
            let plain: String =
                secret.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect();
            secrets.extend((plain != secret).then_some(plain));
            secrets.push(secret.to_owned());
        }
        secrets.retain(|secret| secret.trim().len() >= SHORTEST);
        secrets.dedup();
        // What holds another one is masked first.
        secrets.sort_unstable_by_key(|secret| std::cmp::Reverse(secret.len()));
        (replace(text, &found), Self(secrets))
    }

    /// Masks them in a text that may quote the one in which they were found. Names of hosts are quoted in small letters.
    pub fn mask_in(&self, text: &mut String) {
        // Small letters of ASCII are as long as their capitals.
        let mut lower = text.to_ascii_lowercase();
        for secret in &self.0 {
            let secret = secret.to_ascii_lowercase();
            let mut from = 0;
            while let Some(at) = lower.get(from..).and_then(|rest| rest.find(&secret)) {
                let range = from + at..from + at + secret.len();
                let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                let is_part = is_word(text[..range.start].chars().next_back())
                    || is_word(text[range.end..].chars().next());
                from = range.end;
                // A short one may stand in other words.
                if secret.len() >= LONG || !is_part {
                    from = range.start + MASK.len();
                    text.replace_range(range.clone(), MASK);
                    lower.replace_range(range, MASK);
                }
            }
        }
    }
}

/// Secrets that are shorter are not looked for elsewhere.
const SHORTEST: usize = 4;

/// From this length on they are masked within words, too.
const LONG: usize = 6;

/// Returns a reason with its secrets masked: those of the line that it is about, and what it quotes as a text of its own.
#[must_use]
pub fn mask_reason(reason: &str, line: &Secrets) -> String {
    let mut reason = reason.to_owned();
    // What is masked by its own looks is no longer what the line has.
    line.mask_in(&mut reason);
    let parts = reason
        .split('\'')
        .enumerate()
        .map(|(number, part)| if number % 2 == 1 { mask(part) } else { Cow::Borrowed(part) });
    parts.collect::<Vec<_>>().join("'")
}

/// Returns whether the text holds a secret that is known by its own form: a token or a private key.
#[must_use]
pub fn holds_token(text: &str) -> bool {
    let mut found = Vec::new();
    tokens::find(text, &mut found);
    !found.is_empty()
}

/// Returns whether the text holds a secret that is known by more than that it looks drawn at random, as harmless identifiers do.
#[must_use]
pub fn holds_secret(text: &str) -> bool {
    // What stands first is a word like others where no command stands.
    [Written::Shell, Written::Prose].into_iter().any(|written| !known(text, written).is_empty())
}

/// Returns a field of a record with its secrets masked. Where it is an identifier, its first word is no command's name, which a mask would leave;
/// words drawn at random stay there, as calls and sessions are told apart by them.
#[must_use]
pub fn mask_field(text: &str) -> Cow<'_, str> {
    let masked = mask(text);
    let found = known(&masked, Written::Prose);
    if found.is_empty() { masked } else { Cow::Owned(replace(&masked, &found).into_owned()) }
}

/// The secrets of a text that are known by their form, their name or their option, in their order.
fn known(text: &str, written: Written) -> Vec<Range<usize>> {
    let text = Text::new(text, written);
    let mut all = Vec::new();
    tokens::find(&text, &mut all);
    let mut named = Vec::new();
    pairs::find(&text, &mut named);
    options::find(&text, &mut named);
    for range in named {
        text.clip(range, &mut all);
    }
    all.sort_unstable_by_key(|range| (range.start, range.end));
    all
}

/// The secrets of a text, in their order.
fn found(text: &str, written: Written) -> Vec<Range<usize>> {
    let whole = Text::new(text, written);
    let mut found = secrets(&whole);
    // `to'ken'=x` is a token to a shell, and `%74oken=x` to a server: what is split or encoded is looked at as they read it, too.
    if let Some(spelt) = Spelt::of(&whole) {
        let read = secrets(&Text::new(&spelt.text, written));
        for range in read.iter().filter_map(|range| spelt.written(range)) {
            whole.clip(range, &mut found);
        }
    }
    found.sort_unstable_by_key(|range| (range.start, range.end));
    found
}

fn secrets(text: &Text<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    tokens::find(text, &mut found);
    let mut all = Vec::new();
    drawn::find(text, &found, &mut all);
    drawn::phrases(text, &mut all);
    pairs::find(text, &mut all);
    options::find(text, &mut all);
    near::find(text, &mut all);
    columns::find(text, &mut all);
    manifest::find(text, &mut all);
    // Last, since the others say where secrets are expected.
    handed::find(text, &mut all);
    for range in all {
        text.clip(text.extend(range), &mut found);
    }
    // What is masked already is not masked again with what stands beside it.
    let mut is_masked = vec![false; text.len()];
    for range in &found {
        is_masked[range.clone()].fill(true);
    }
    for range in near::famous(text) {
        if !is_masked[range.clone()].contains(&true) {
            text.clip(range, &mut found);
        }
    }
    found.retain(|range| !range.is_empty());
    found
}

fn replace<'text>(text: &'text str, found: &[Range<usize>]) -> Cow<'text, str> {
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    for range in found {
        if range.start >= at {
            masked.push_str(&text[at..range.start]);
            masked.push_str(MASK);
        }
        at = at.max(range.end);
    }
    masked.push_str(&text[at..]);
    Cow::Owned(masked)
}

#[cfg(test)]
mod tests;
