//! Secrets that are said: words that look like passwords near a word that names one, as people and their notes put it, and as programs
//! take a name and a value.

use std::ops::Range;

use super::names::{self, CONNECTORS, FAMOUS, SETTERS};
use super::quoting::Text;
use super::value;

/// Words behind a name in which its secret is looked for.
const WORDS: usize = 7;

/// Words behind one that sets something in which the name of what it sets is looked for.
const SET: usize = 4;

/// How names of functions and subcommands begin that set one.
const SETTING: [&str; 4] = ["set", "change", "update", "reset"];

/// Finds them.
pub(super) fn find(text: &Text<'_>, found: &mut Vec<Range<usize>>) {
    let mut reader = Reader::new(text);
    for raw in words(text) {
        if text[raw.clone()].starts_with('\n') {
            reader = Reader::new(text);
        } else {
            reader.read(raw, found);
        }
    }
}

/// A line, as far as it was read.
struct Reader<'text, 'a> {
    text: &'text Text<'a>,
    /// The last name of a secret.
    named: Option<Named<'text>>,
    /// The word before.
    before: &'text str,
    /// Whether a value may follow next.
    leads: Leads,
    /// What `is` something, and the words since.
    subject: Option<(Range<usize>, usize)>,
    /// Words since one that sets something.
    since_set: usize,
    /// Whether a comma or a colon stood behind the word before.
    follows_comma: bool,
}

struct Named<'text> {
    name: &'text str,
    kind: Kind,
    /// Words that stood behind it.
    words: usize,
    /// Whether it is set by the command, so that what follows may be its value wherever it stands.
    is_set: bool,
}

/// What a name says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// What follows is a secret.
    Secret,
    /// What follows is a key of some kind.
    Key,
    /// A user and a password may follow.
    Account,
    /// It is written out with what follows: `'NAME=%s'`.
    Format,
}

/// Whether something leads from the name to the value: `is`, `to`, a colon.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leads {
    Yes,
    /// A slash stands between, as between a user and a password.
    Slash,
    /// It is what a format takes.
    Format,
    No,
}

impl From<bool> for Leads {
    fn from(leads: bool) -> Self {
        if leads { Self::Yes } else { Self::No }
    }
}

impl<'text, 'a> Reader<'text, 'a> {
    const fn new(text: &'text Text<'a>) -> Self {
        let (before, leads, since_set) = ("", Leads::No, WORDS);
        Self { text, named: None, before, leads, subject: None, since_set, follows_comma: false }
    }

    fn read(&mut self, raw: Range<usize>, found: &mut Vec<Range<usize>>) {
        let text = self.text;
        let core = core(text, &raw);
        let word = &text[core.clone()];
        if is_sign(&text[raw.clone()]) {
            self.leads = if &text[raw] == "/" { Leads::Slash } else { Leads::Yes };
            return;
        }
        if word.is_empty() {
            return;
        }
        let behind = &text[core.end..raw.end];
        let value = value_of(text, core.clone());
        found.extend(substituted(text, &core));
        let is_digest = value::is_public(&text[core.clone()]);
        // `credentials bob:VALUE`
        let is_pair = value != core && text[..value.start].ends_with(':');
        if is_pair && !is_digest && is_free(text, &value) {
            found.push(value.clone());
        }
        let takes = |named: &Named<'_>| {
            let is_led = is_pair && names::CREDENTIALS.contains(&named.name);
            named.takes(text, &value, if is_led { Leads::Yes } else { self.leads })
        };
        let is_value = self.named.as_ref().is_some_and(takes);
        let name = if is_value { None } else { self.name(core.clone()) };
        if is_value {
            found.push(value);
            self.named = None;
        } else if let Some((name, kind)) = name {
            self.begin(name, kind, behind, found);
        } else {
            self.go_on(word, behind);
        }
        if matches!(word, "is" | "as") && !self.before.is_empty() {
            let end = text[..core.start].trim_end().len();
            self.subject = Some((value_of(text, word_before(text, end)), 0));
        } else if let Some((_, words)) = &mut self.subject {
            *words += 1;
        }
        self.since_set = if SETTERS.contains(&word) { 0 } else { self.since_set + 1 };
        self.follows_comma = behind.contains([',', ':']);
        self.before = word;
    }

    /// Reads the name of a secret.
    fn begin(&mut self, name: &'text str, kind: Kind, behind: &str, found: &mut Vec<Range<usize>>) {
        let subject = self.subject.take_if(|(_, words)| *words <= WORDS);
        if let Some((range, _)) = subject {
            let text = self.text;
            found.extend(Some(range).filter(|range| is_value(text, range, Leads::Yes, name)));
        }
        let is_set = self.since_set < SET || SETTING.iter().any(|start| name.starts_with(start));
        let leads = is_set && kind == Kind::Secret
            || self.follows_comma
            || behind.contains([':', '='])
            || names::is_password(name);
        self.leads = if kind == Kind::Format { Leads::Format } else { leads.into() };
        self.named = Some(Named { name, kind, words: 0, is_set });
    }

    /// Reads a word that is neither a name nor its value.
    fn go_on(&mut self, word: &str, behind: &str) {
        let Some(named) = &mut self.named else { return };
        named.words += 1;
        named.is_set |= named.words == 1 && SETTERS.contains(&word);
        let connects = CONNECTORS.iter().any(|one| word.eq_ignore_ascii_case(one))
            // `secret 0 VALUE` of a router: how it is written.
            || named.words == 1 && word.len() == 1 && value::is_number(word);
        let goes_on = named.is_set && named.words < SET && !word.starts_with('-');
        self.leads = (connects || goes_on || behind.contains([':', '='])).into();
        if named.words >= WORDS || behind.contains(['.', ';']) {
            self.named = None;
        }
    }

    /// The name of a secret that a word is, perhaps with the word before it: `api key`; or that it ends with, as a path does.
    fn name(&self, word: Range<usize>) -> Option<(&'text str, Kind)> {
        let word = &self.text.text()[word];
        if word.len() > names::LONGEST {
            return None;
        }
        let whole = word.trim_end_matches("'s").trim_end_matches([']', '"', '\'']);
        let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'));
        let last = whole.rsplit(is_end).next().unwrap_or(whole);
        let is_alone = last.len() == whole.len();
        // `--password-command 'echo VALUE'`
        if matches!(last, "echo" | "printf") {
            let option = if is_alone { self.before } else { whole };
            let is_one = |part: &&str| part.len() >= 4 && option.contains(*part);
            let prints = option.starts_with("--") && names::PARTS.iter().any(is_one);
            return prints.then_some(("password", Kind::Secret));
        }
        // `'NAME=%s'`
        if last == "s"
            && let Some(name) = whole.strip_suffix("%s")
        {
            let name = name.trim_end_matches(['=', ':', ' ']);
            let name = name.rsplit(is_end).next().unwrap_or(name);
            return names::is_secret(name).then_some((name, Kind::Format));
        }
        let is_set = self.since_set < SET || SETTING.iter().any(|start| last.starts_with(start));
        let is_member = whole[..whole.len() - last.len()].ends_with('.');
        if last.len() < 2 || last.starts_with('-') || !(is_alone || is_set || is_member) {
            return None;
        }
        let is = |one: &str| last.eq_ignore_ascii_case(one);
        let is_key = is("key") || is("code") || is("keys");
        let is_own = ["my", "your", "our", "the", "this", "new"].contains(&self.before);
        let is_named = is_key && names::is_secret(&format!("{}_key", self.before));
        if is_named || names::is_password(last) || names::are_secrets(last) {
            Some((last, Kind::Secret))
        } else if is_key {
            let kind = if is_own || self.follows_comma { Kind::Secret } else { Kind::Key };
            Some((last, kind))
        } else {
            let is_phrase = is("in") && ["log", "sign"].contains(&self.before);
            let is_account = is_phrase || names::ACCOUNTS.iter().any(|one| is(one));
            is_account.then_some((last, Kind::Account))
        }
    }
}

impl Named<'_> {
    fn takes(&self, text: &Text<'_>, range: &Range<usize>, leads: Leads) -> bool {
        let is_user =
            || !names::ACCOUNTS.iter().any(|one| text[range.clone()].eq_ignore_ascii_case(one));
        match self.kind {
            Kind::Secret => is_value(text, range, leads, self.name),
            Kind::Key => leads == Leads::Yes && is_free(text, range),
            Kind::Account if leads == Leads::Slash => is_likely(&text[range.clone()]) && is_user(),
            Kind::Account => is_free(text, range) && is_user(),
            Kind::Format => value::is_at(text, range) && range.len() >= 4,
        }
    }
}

/// Whether a value looks so much like a password that it needs no more than a user before it.
fn is_free(text: &Text<'_>, range: &Range<usize>) -> bool {
    let value = &text[range.clone()];
    value::is_chosen(value)
        && value::is_at(text, range)
        && !text[..range.start].ends_with(['-', '$'])
        && !text[..range.start].ends_with("::")
}

/// Whether a value looks like a password, and not like an identifier.
fn is_likely(value: &str) -> bool {
    value::is_alike(value) && !value::is_identifier(value)
}

fn is_value(text: &Text<'_>, range: &Range<usize>, leads: Leads, name: &str) -> bool {
    let value = &text[range.clone()];
    let is_password = || names::is_password(name) || names::CREDENTIALS.contains(&name);
    let is_likely = || is_likely(value) || value::is_alike(value) && is_password();
    value::is_at(text, range)
        && !value.starts_with('-')
        && !text[..range.start].ends_with(['-', '$'])
        && !names::is_name(value, name)
        && (leads != Leads::No && is_likely() || value::is_strong(value) || value::is_chosen(value))
}

/// The words of a text, and the ends of its lines.
fn words<'a>(text: &'a Text<'_>) -> impl Iterator<Item = Range<usize>> + 'a {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        let start = at;
        let is_written = |at: usize| matches!(&bytes[at..], [b'\\', b'n' | b'r', ..]);
        if *bytes.get(at)? == b'\n' {
            at += 1;
        } else {
            let ends = |at: &usize| bytes[*at].is_ascii_whitespace() || is_written(*at);
            at = (at + 1..bytes.len()).find(ends).unwrap_or(bytes.len());
        }
        Some(start..at)
    })
}

/// Signs with which passwords begin or end, too.
const SIGNS: &str = "!#%^&*$-@_/?+";

/// A word without the quotes, brackets and stops around it.
fn core(text: &Text<'_>, raw: &Range<usize>) -> Range<usize> {
    let word = &text[raw.clone()];
    let word = word.strip_prefix("\\n").unwrap_or(word);
    let is_around = |c: char| !(c.is_alphanumeric() || SIGNS.contains(c));
    let begin = word.trim_start_matches(is_around);
    let whole = begin.trim_end_matches(is_around).trim_end_matches('*');
    let start = raw.end - begin.len();
    start..start + whole.len()
}

/// `=`, `→`, `->` and the like.
fn is_sign(raw: &str) -> bool {
    raw.chars().all(|c| !c.is_alphanumeric())
        && raw.chars().count() <= 3
        && !raw.contains(['|', '&', ';'])
}

/// Finds what everybody writes for a password, wherever it stands.
pub(super) fn famous(text: &Text<'_>) -> Vec<Range<usize>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#&$@".contains(byte);
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| is_part(byte)).count();
        let word = &bytes[at..at + length];
        let place = |one: &&str| {
            word.windows(one.len()).position(|part| part.eq_ignore_ascii_case(one.as_bytes()))
        };
        let has_number = word.iter().any(u8::is_ascii_digit);
        if (7..=64).contains(&length)
            && has_number
            && let Some(place) = FAMOUS.iter().find_map(place)
        {
            // `-phunter2`
            let start = if place == 1 { at + 1 } else { at };
            found.push(start..at + length);
        }
        at += length.max(1);
    }
    found
}

/// What of a word may be a secret: behind the user's name in `user/password`, `user:password` and `--auth=user:password`.
fn value_of(text: &Text<'_>, word: Range<usize>) -> Range<usize> {
    let given = &text[word.clone()];
    let Some(at) = given.find(['/', ':']) else { return word };
    let (user, rest) = given.split_at(at);
    let user = user.rsplit('=').next().unwrap_or(user);
    let is_user = !user.is_empty() && user.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_user && !rest[1..].contains(['/', ':']) { word.start + at + 1..word.end } else { word }
}

fn word_before(text: &Text<'_>, end: usize) -> Range<usize> {
    let before = &text[..end];
    let start = before.rfind(|c: char| c.is_ascii_whitespace()).map_or(0, |at| at + 1);
    core(text, &(start..end))
}

/// `s|NAME|VALUE|` of sed and its like, where what is replaced names a secret.
fn substituted(text: &Text<'_>, word: &Range<usize>) -> Option<Range<usize>> {
    let given = &text[word.clone()];
    let sign = given.strip_prefix('s')?.chars().next()?;
    if !matches!(sign, '/' | '|' | '#' | ',' | '@' | '~') {
        return None;
    }
    let (old, rest) = given[2..].split_once(sign)?;
    let value = rest.split(sign).next().unwrap_or(rest);
    let is_end = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let names_one = || {
        value::is_placeholder(old)
            || old.split(is_end).any(|word| names::are_secrets(word) || names::of(word).is_some())
    };
    let start = word.start + 2 + old.len() + 1;
    let range = start..start + value.len();
    let is_named = value.contains(['=', ':']);
    let is_one = value::is_alike(value) && !value::is_identifier(value) && !is_named;
    (is_one && names_one()).then_some(range)
}
